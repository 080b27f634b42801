//! Gives the person documents as files.

use leptos::prelude::*;

use super::say::say;
use crate::ui::state::{App, Origin, StateStoreFields};
use crate::ui::{dom, names};
use crate::words;

/// Names a download after the open table and the release that is shown.
pub fn named(app: App, file: &str) -> String {
    let table = app.state.table().get_untracked();
    let (shown, entry) = app.state.shown().with_untracked(|shown| {
        let reference = shown.as_ref().and_then(|shown| shown.release.ledger.as_ref());
        (shown.as_ref().map(|shown| shown.origin), reference.map(|ledger| ledger.entry))
    });
    // A release that was opened from a file may be another table's.
    let table = table.filter(|_| shown != Some(Origin::File));
    names::download(file, table.as_ref().map(|table| table.name.as_str()), entry)
}

/// Gives the person the ledger, which then counts as kept.
pub fn save_ledger(app: App) {
    let Some(ledger) = app.state.ledger().get_untracked() else { return };
    let table = app.state.table().get_untracked();
    let entries = ledger.entries().len() as u64;
    let name = names::download(
        "discreet-ledger.json",
        table.as_ref().map(|table| table.name.as_str()),
        Some(entries),
    );
    if let Ok(text) = ledger.to_json()
        && dom::download(&name, "application/json", &text).is_some()
    {
        app.state.exported().set(Some(ledger.tip().to_owned()));
        say(app, words::result::the_ledger_is_downloaded());
    }
}

/// Gives the person the release's document as it is, without writing it again.
pub fn save_release(app: App) {
    let document = app.handles.with_value(|handles| handles.document.borrow().clone());
    if let Some(document) = document {
        let _ = dom::save(&named(app, "discreet-release.json"), &document);
    }
}
