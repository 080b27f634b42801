//! Promises that the store fulfils itself, and the failure of the storage.

use std::cell::RefCell;

use js_sys::{Function, Promise};
use wasm_bindgen::JsValue;

use super::failure::{Failure, Reason};
use crate::words;

/// Returns a promise and the function that fulfils it.
pub fn deferred() -> Result<(Promise, Function), Failure> {
    // Not `Function::default`, which creates a function from text; the page's policy refuses that.
    let resolver = RefCell::new(None);
    let promise = Promise::new(&mut |resolve, _reject| {
        resolver.replace(Some(resolve));
    });
    let resolve = resolver.into_inner().ok_or_else(|| refused(JsValue::UNDEFINED))?;
    Ok((promise, resolve))
}

/// Fulfils a promise of [`deferred`].
pub fn call(resolve: &Function) {
    // The resolving function of a promise does not throw.
    let _ = resolve.call0(&JsValue::UNDEFINED);
}

/// Returns the failure of the storage. The browser's own text is dropped, because it differs between browsers and does not help a
/// person.
pub fn refused(_: JsValue) -> Failure {
    Failure::new(Reason::Storage, words::failure::storage())
}
