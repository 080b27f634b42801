//! Gives the person documents as files.

use leptos::prelude::*;

use super::say::say;
use crate::ui::dom;
use crate::ui::state::{App, StateStoreFields};
use crate::words;

/// Gives the person the ledger, which then counts as kept.
pub fn save_ledger(app: App) {
    let Some(ledger) = app.state.ledger().get_untracked() else { return };
    if let Ok(text) = ledger.to_json()
        && dom::download("discreet-ledger.json", "application/json", &text).is_some()
    {
        app.state.exported().set(Some(ledger.tip().to_owned()));
        say(app, words::result::the_ledger_is_downloaded());
    }
}

/// Gives the person the release's document as it is, without writing it again.
pub fn save_release(app: App) {
    let document = app.handles.with_value(|handles| handles.document.borrow().clone());
    if let Some(document) = document {
        let _ = dom::save("discreet-release.json", &document);
    }
}
