//! The worker that checks the build. It has no file and no store, so it cannot read a table or charge a ledger.

use js_sys::Promise;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;

use super::channel::scope;
use super::protocol::{Failure, Reason, Response};
use crate::audit::AuditError;
use crate::audit::check::Check;

/// Runs the whole list under a seed, and reports its findings after each slice of work.
pub async fn run(seed: u64, post: impl Fn(&Response)) -> Result<(), Failure> {
    let mut check = Check::new(seed);
    let failed = |error: AuditError| Failure::new(Reason::Internal, error.to_string());
    while let Some(finding) = check.step().map_err(failed)? {
        post(&Response::Found(finding));
        pause().await;
    }
    Ok(())
}

/// Lets the browser run its own tasks.
async fn pause() {
    let turn = Promise::new(&mut |resolve, _reject| {
        // Without a timer the work continues at once.
        if scope().set_timeout_with_callback(&resolve).is_err() {
            let _ = resolve.call0(&JsValue::UNDEFINED);
        }
    });
    // This promise is never rejected.
    let _ = JsFuture::from(turn).await;
}
