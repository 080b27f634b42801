//! The page and its workers, which are one module.

#[cfg(target_arch = "wasm32")]
mod browser {
    use discreet::worker::context::StartContext;
    use wasm_bindgen::JsValue;
    use wasm_bindgen::prelude::wasm_bindgen;

    /// Called by `www/boot.js`, once everything is loaded and the page's policy is closed.
    #[wasm_bindgen]
    pub fn start(context: &JsValue) -> Result<(), JsValue> {
        let context =
            StartContext::from_js(context).map_err(|failure| JsValue::from_str(&failure.message))?;
        discreet::ui::start(context).map_err(|misfit| JsValue::from_str(&misfit.to_string()))
    }

    /// Called in each worker by the text that `worker::pool` starts it with.
    #[wasm_bindgen]
    pub fn work() {
        discreet::worker::main::start();
    }
}

fn main() {}
