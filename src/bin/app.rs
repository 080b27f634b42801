//! The page.

#[cfg(target_arch = "wasm32")]
mod page {
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
}

fn main() {}
