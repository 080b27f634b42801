//! A Web Lock as a guard. The browser releases the locks of a terminated worker.

use std::cell::RefCell;

use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use super::failure::{Failure, Reason};
use crate::privacy::mutants::{Mutant, is_active};
use crate::words;

/// An exclusive lock, across all tabs and workers of this origin, until it is dropped.
pub struct Lock {
    release: Function,
}

impl Lock {
    /// Waits for the lock `name`.
    ///
    /// # Errors
    /// [`Failure`] if the browser refuses locks.
    pub async fn take(name: &str) -> Result<Self, Failure> {
        let (held, release) = deferred()?;
        // Created before the wait, so that a lock whose wait is cancelled is released as soon as it is granted.
        let lock = Self { release };
        if is_active(Mutant::DoubleSpend) {
            return Ok(lock);
        }
        let (granted, grant) = deferred()?;
        let callback = Closure::once_into_js(move |_lock: JsValue| {
            call(&grant);
            held
        });
        let manager = manager()?;
        let request: Function =
            Reflect::get(&manager, &"request".into()).and_then(JsCast::dyn_into).map_err(refused)?;
        let answer: Promise = request
            .call2(&manager, &JsValue::from_str(name), &callback)
            .and_then(JsCast::dyn_into)
            .map_err(refused)?;
        // The request's own promise settles before the callback runs only if the lock is refused.
        let first = Promise::race(&js_sys::Array::of2(&granted, &answer));
        JsFuture::from(first).await.map_err(refused)?;
        Ok(lock)
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        call(&self.release);
    }
}

/// Returns a promise and the function that fulfils it.
fn deferred() -> Result<(Promise, Function), Failure> {
    // Not `Function::default`, which creates a function from text; the page's policy refuses that.
    let resolver = RefCell::new(None);
    let promise = Promise::new(&mut |resolve, _reject| {
        resolver.replace(Some(resolve));
    });
    let resolve = resolver.into_inner().ok_or_else(|| refused(JsValue::UNDEFINED))?;
    Ok((promise, resolve))
}

fn call(resolve: &Function) {
    // The resolving function of a promise does not throw.
    let _ = resolve.call0(&JsValue::UNDEFINED);
}

fn manager() -> Result<JsValue, Failure> {
    let navigator = Reflect::get(&js_sys::global(), &"navigator".into()).map_err(refused)?;
    let manager = Reflect::get(&navigator, &"locks".into()).map_err(refused)?;
    if manager.is_undefined() { Err(refused(manager)) } else { Ok(manager) }
}

fn refused(_: JsValue) -> Failure {
    Failure::new(Reason::Storage, words::failure::lock())
}
