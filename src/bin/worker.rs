//! A browser thread.

fn main() {
    #[cfg(target_arch = "wasm32")]
    discreet::worker::main::start();
}
