//! A lock as a guard: a Web Lock, or one of the page's memory where the browser keeps nothing ([`keeper`]). The locks of a terminated
//! worker are released.

use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::MessagePort;

use super::failure::{Failure, Reason};
use super::keeper::{self, HeldLock, Place};
use super::promise::{call, deferred};
use crate::privacy::mutants::{Mutant, is_active};
use crate::words;

/// An exclusive lock, across all tabs and workers of this origin, until it is dropped.
pub struct Lock(Held);

enum Held {
    /// By the browser, until the function is called.
    Browser(Function),
    /// By this page.
    Memory(#[expect(dead_code, reason = "it is released when it is dropped")] HeldLock),
    /// By the page for this worker, until it is sent a message.
    Page(MessagePort),
}

impl Lock {
    /// Waits for the lock `name`.
    ///
    /// # Errors
    /// [`Failure`] if the browser refuses locks.
    pub async fn take(name: &str) -> Result<Self, Failure> {
        match keeper::place() {
            Place::Browser => Self::of_browser(name).await,
            Place::Memory(keeper) => keeper.lock(name).await.map(|lock| Self(Held::Memory(lock))),
            Place::Page(page) => keeper::lock_of_page(&page, name).await.map(|port| Self(Held::Page(port))),
        }
    }

    async fn of_browser(name: &str) -> Result<Self, Failure> {
        let (held, release) = deferred()?;
        // Created before the wait, so that a lock whose wait is cancelled is released as soon as it is granted.
        let lock = Self(Held::Browser(release));
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
        match &self.0 {
            Held::Browser(release) => call(release),
            Held::Memory(_) => {}
            Held::Page(port) => {
                // If the page has ended this worker, it has released the lock.
                let _ = port.post_message(&JsValue::UNDEFINED);
            }
        }
    }
}

fn manager() -> Result<JsValue, Failure> {
    let navigator = Reflect::get(&js_sys::global(), &"navigator".into()).map_err(refused)?;
    let manager = Reflect::get(&navigator, &"locks".into()).map_err(refused)?;
    if manager.is_undefined() { Err(refused(manager)) } else { Ok(manager) }
}

fn refused(_: JsValue) -> Failure {
    Failure::new(Reason::Storage, words::failure::lock())
}
