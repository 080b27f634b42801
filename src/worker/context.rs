//! What `www/boot.js` fetched before the page's policy closed: everything that the page will ever need.

use js_sys::{Array, Reflect, WebAssembly};
use wasm_bindgen::{JsCast, JsValue};

use super::protocol::{Failure, Reason};

/// The argument of the app's `start`.
///
/// In JavaScript it is `{build, glue, module, samples: [{name, blob}]}`.
#[derive(Clone, Debug)]
pub struct StartContext {
    /// SHA-256 of the app's wasm as it was loaded, in hexadecimal digits: the build's content hash.
    pub build: String,
    /// The text of the workers' JavaScript.
    pub glue: String,
    /// The workers' compiled module.
    pub module: WebAssembly::Module,
    /// The made-up tables for trying out.
    pub samples: Vec<Sample>,
}

/// A made-up table that came with the page.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Its file name.
    pub name: String,
    /// Its bytes; it is read as a file is.
    pub blob: web_sys::Blob,
}

impl StartContext {
    /// Reads what `boot.js` hands over.
    ///
    /// # Errors
    /// Where a part is missing: then page and program are of different builds.
    pub fn from_js(value: &JsValue) -> Result<Self, Failure> {
        let samples: Array = part(value, "samples")?;
        let samples = samples
            .iter()
            .map(|sample| Ok(Sample { name: text(&sample, "name")?, blob: part(&sample, "blob")? }))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            build: text(value, "build")?,
            glue: text(value, "glue")?,
            module: part(value, "module")?,
            samples,
        })
    }
}

fn part<T: JsCast>(value: &JsValue, name: &str) -> Result<T, Failure> {
    Reflect::get(value, &JsValue::from_str(name)).ok().and_then(|part| part.dyn_into().ok()).ok_or_else(|| {
        Failure::new(Reason::Program, format!("The page started without its `{name}`. Reload the page; if it stays so, the site was not copied as a whole."))
    })
}

fn text(value: &JsValue, name: &str) -> Result<String, Failure> {
    part::<js_sys::JsString>(value, name).map(String::from)
}
