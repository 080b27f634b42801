//! Chooses where the page's data are kept.

use super::db;
use super::keeper::{self, Saving};
use super::lock::Lock;

/// Chooses where the page's data are kept, once and before anything else of the store is used. `ask` shows a person what has to be saved.
/// Returns whether the browser keeps data and gives locks.
///
/// A database that is there and does not open is a failure, not a browser that keeps nothing: ledgers may stand in it.
pub async fn start(ask: impl Fn(Saving) + 'static) -> bool {
    keeper::keep_in_browser();
    let keeps = db::exists() && Lock::take("dp-start").await.is_ok();
    if !keeps {
        keeper::keep_in_memory(ask);
    }
    keeps
}
