//! The files that `www/boot.js` fetched before the page's policy blocked all connections: everything that the page needs.

use js_sys::WebAssembly;
use serde::Deserialize;
use wasm_bindgen::JsValue;

use super::protocol::{Failure, Reason};
use crate::words;

/// The argument of the app's `start`.
///
/// In JavaScript it is `{build, glue, module, samples: [{name, blob}], words}`.
#[derive(Clone, Debug, Deserialize)]
pub struct StartContext {
    /// SHA-256 of the app's wasm as it was loaded, in hexadecimal digits: the build's content hash.
    pub build: String,
    /// The text of the JavaScript beside the module, which each worker runs, too.
    pub glue: String,
    /// The compiled module of the page and its workers.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    pub module: WebAssembly::Module,
    /// The synthetic sample tables.
    pub samples: Vec<Sample>,
    /// The translation that the page's address asked for, as JSON; English without one.
    pub words: Option<String>,
}

/// A synthetic table that is part of the page.
#[derive(Clone, Debug, Deserialize)]
pub struct Sample {
    /// Its file name.
    pub name: String,
    /// Its bytes, which are read like a file.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    pub blob: web_sys::Blob,
}

impl StartContext {
    /// Reads the object that `boot.js` passes.
    ///
    /// # Errors
    /// [`Failure`] if a part is missing. Then page and program are of different builds.
    pub fn from_js(value: &JsValue) -> Result<Self, Failure> {
        serde_wasm_bindgen::from_value(value.clone())
            .map_err(|error| Failure::new(Reason::Program, words::failure::incomplete(error)))
    }
}
