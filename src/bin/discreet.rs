//! The command line.

/// Runs the command line; the browser has a binary of its own.
#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    discreet::cli::run(std::env::args_os().skip(1))
}

#[cfg(target_arch = "wasm32")]
fn main() {}
