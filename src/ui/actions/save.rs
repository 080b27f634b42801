//! Gives the person documents as files.

use std::time::Duration;

use leptos::prelude::*;

use super::ledger::has_file;
use super::run::cancel;
use crate::privacy::ledger::Ledger;
use crate::store::Saving;
use crate::ui::state::{App, Origin, Reserved, StateStoreFields};
use crate::ui::{dom, names};
use crate::words;

/// How long a sentence is shown.
const SHOWN: Duration = Duration::from_secs(4);

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
    let name = ledger_name(app, &ledger);
    if let Ok(text) = ledger.to_json()
        && dom::download(&name, "application/json", &text).is_some()
    {
        has_file(app, &ledger);
        show(app, words::result::the_ledger_is_downloaded());
    }
}

fn ledger_name(app: App, ledger: &Ledger) -> String {
    let table = app.state.table().get_untracked();
    let entries = ledger.entries().len() as u64;
    names::download("discreet-ledger.json", table.as_ref().map(|table| table.name.as_str()), Some(entries))
}

/// Asks the person to save a ledger before its charge is answered. Where the ledger cannot be shown, nothing is charged.
pub fn ask_to_save(app: Option<App>, charge: Saving) {
    if let Some(app) = app
        && let Ok(ledger) = Ledger::parse(charge.document())
    {
        app.handles.with_value(|handles| handles.saving.replace(Some(charge)));
        app.state.reserved().set(Some(Reserved { ledger, saved: None }));
    }
}

/// Gives the person the ledger with the reserved charge, which then counts as charged.
pub fn save_reserved(app: App) {
    let Some(Reserved { ledger, .. }) = app.state.reserved().get_untracked() else { return };
    let name = ledger_name(app, &ledger);
    let saved = app.handles.with_value(|handles| {
        let saving = handles.saving.borrow();
        let charge = saving.as_ref()?;
        dom::download(&name, "application/json", charge.document())?;
        charge.save();
        Some(())
    });
    match saved {
        Some(()) => app.state.reserved().set(Some(Reserved { ledger, saved: Some(name) })),
        None => app.say(words::page::no_room()),
    }
}

/// Lets the release begin whose ledger is saved.
pub fn release_saved(app: App) {
    if let Some(charge) = end_saving(app) {
        charge.release();
    }
}

/// Cancels the release that waits. A charge that was saved stays, and nothing is drawn for it.
pub fn refuse_to_save(app: App) {
    let saved = app
        .state
        .reserved()
        .with_untracked(|reserved| reserved.as_ref().is_some_and(|reserved| reserved.saved.is_some()));
    drop(end_saving(app));
    if saved {
        cancel(app);
    }
}

/// Closes the question, also where the release has ended meanwhile.
pub fn end_saving(app: App) -> Option<Saving> {
    app.state.reserved().set(None);
    app.handles.with_value(|handles| handles.saving.take())
}

/// Says that a file was given to the person, or that the browser has no room for it.
pub fn say_saved(app: App, saved: Option<()>) {
    show(app, if saved.is_some() { words::page::saved() } else { words::page::no_room() });
}

/// Says whether something is on the clipboard.
pub fn say_copied(app: App, copied: bool) {
    show(app, if copied { words::export::copied() } else { words::export::not_copied() });
}

/// Says a sentence where all see it for a while.
fn show(app: App, text: &str) {
    app.say(text);
    app.state.handed().set(true);
    set_timeout(move || app.state.handed().set(false), SHOWN);
}

/// Gives the person the release's document as it is, without writing it again.
pub fn save_release(app: App) {
    let document = app.handles.with_value(|handles| handles.document.borrow().clone());
    if let Some(document) = document {
        say_saved(app, dom::save(&named(app, "discreet-release.json"), &document));
    }
}
