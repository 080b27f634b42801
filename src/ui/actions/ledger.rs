//! The table's ledger: found, shown, and what a person's words change in it.

use std::collections::BTreeMap;
use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::close::{forget, forget_ledger};
use super::inspect::read_once;
use super::run::{on_progress, pool, run};
use super::say::{fail, fail_with};
use crate::privacy::adjacency::Protect;
use crate::privacy::ledger::Ledger;
use crate::store::people::{Different, Shared};
use crate::store::{self, LedgerRecord, StoredRelease};
use crate::ui::draft::Setup;
use crate::ui::state::{App, Kept, StateStoreFields};
use crate::ui::step::Step;
use crate::ui::{dom, text};
use crate::words;
use crate::worker::files::Files;
use crate::worker::protocol::Failure;

/// Returns the key of the setting that keeps which state of a ledger the person has as a file, whatever table it is open for.
fn saved_setting(ledger: &Ledger) -> String {
    format!("saved {}", ledger.id())
}

/// Remembers, also over a reload, that the person has the ledger as a file. The page says so once this is stored.
pub fn has_file(app: App, ledger: &Ledger) {
    let (setting, tip) = (saved_setting(ledger), ledger.tip().to_owned());
    spawn_local(async move {
        // If the storage refuses, it is asked for again after a reload.
        drop(store::set_setting(&setting, &tip).await);
        app.state.exported().set(Some(tip));
    });
}

/// Finds which state of the open ledger the person has as a file.
fn find_file(app: App, ledger: &Ledger) {
    let (setting, tip) = (saved_setting(ledger), ledger.tip().to_owned());
    spawn_local(async move {
        if store::setting(&setting).await.ok().flatten().is_some_and(|saved| saved == tip) {
            app.state.exported().set(Some(tip));
        }
    });
}

/// Finds the table's ledger by its keyed fingerprint.
pub async fn recognise(app: App, files: &Files) {
    if !app.state.host().with_untracked(|host| host.secure) {
        return;
    }
    let task = words::ledger::reading();
    let found = run(app, task, files.length() as f64, async {
        let (key, counted) = match read_once(app, files, task).await? {
            Some((key, counted)) => (key, Some(counted)),
            None => (pool(app).identify(files, on_progress(app, task)).await?, None),
        };
        let record = store::open_table(&key).await?;
        Ok((key, counted, record))
    });
    match found.await {
        Ok((key, counted, record)) => {
            if counted.is_some() {
                app.state.inspection().set(counted);
            }
            app.state.key().set(Some(key.clone()));
            remember(app, Ok(record));
            super::draft::restore(app, files).await;
            find_alike(app, &key).await;
        }
        Err(failure) => fail_with(app, Step::Data, failure),
    }
}

/// Shows a table's ledger and releases as they are stored.
pub async fn recall(app: App, key: &str) {
    remember(app, store::open_table(key).await);
    find_alike(app, key).await;
}

/// Looks for ledgers of tables with the columns of a table that has none. A column that was removed, or values that were rounded, hide from a
/// fingerprint that the people are the same.
pub async fn find_alike(app: App, key: &str) {
    if app.state.ledger().with_untracked(Option::is_some)
        || app.state.different().with_untracked(Option::is_some)
    {
        return;
    }
    let alike = super::draft::alike(app, key).await.unwrap_or_default();
    if app.state.key().with_untracked(|now| now.as_deref() == Some(key)) {
        app.state.alike().set(alike);
    }
}

/// Takes a person's word that the open table is about the people of a ledger, which it is charged to from now on.
pub fn join(app: App, ledger: String) {
    let Some(key) = app.state.key().get_untracked() else { return };
    spawn_local(async move {
        match store::join(&key, &ledger).await {
            Ok(()) => {
                recall(app, &key).await;
                app.say(words::people::joined());
            }
            Err(failure) => fail(app, Step::Privacy, failure.message, false),
        }
    });
}

/// Reads the ledger again when the person comes back to this tab: another one may have charged it.
pub fn recall_on_return(app: App) {
    let handle = window_event_listener(leptos::ev::focus, move |_| {
        let key = app.state.key().get_untracked().filter(|_| !app.busy());
        if let Some(key) = key {
            spawn_local(async move {
                let record = store::open_table(&key).await;
                let tip = |ledger: Option<&Ledger>| ledger.map(|ledger| ledger.tip().to_owned());
                let now = app.state.ledger().with_untracked(|ledger| tip(ledger.as_ref()));
                let stored =
                    record.as_ref().ok().and_then(|record| tip(record.as_ref().map(|of| &of.ledger)));
                if stored.is_some() && stored != now && !app.busy() {
                    remember(app, record);
                }
            });
        }
    });
    on_cleanup(move || handle.remove());
}

/// Shows a table's record, or that it has none.
pub fn remember(app: App, record: Result<Option<LedgerRecord>, Failure>) {
    match record {
        Ok(Some(record)) => {
            app.state.alike().set(Vec::new());
            app.state.different().set(None);
            app.state.joined().set(record.joined);
            app.state.shared().set(record.shared);
            let (mut kept, mut documents) = (Vec::new(), BTreeMap::new());
            for StoredRelease { entry, document, release } in record.releases {
                kept.push(Kept { entry, release: release.map(Arc::new) });
                documents.insert(entry, document);
            }
            app.handles.with_value(|handles| handles.kept.replace(documents));
            app.state.releases().set(kept);
            find_file(app, &record.ledger);
            app.state.ledger().set(Some(record.ledger));
            lock_setup(app);
        }
        Ok(None) => forget_ledger(app),
        Err(failure) => app.say(failure.message),
    }
}

/// Takes a person's word that the open table is about different people than those with which it seems to share some;
/// `false` where other words were typed.
pub fn differ(app: App, typed: &str) -> bool {
    let own = app.state.ledger().with_untracked(|ledger| ledger.as_ref().map(Shared::of));
    let others = app.state.shared().get_untracked().into_iter().chain(app.state.alike().get_untracked());
    let shared = own.into_iter().chain(others).collect();
    let Some(word) = Different::typed(typed, shared) else { return false };
    forget_ledger(app);
    app.state.exported().set(None);
    app.state.different().set(Some(word));
    app.say(words::page::different());
    true
}

/// Closes the table and erases all that the browser keeps; `false` where another word was typed.
pub fn erase(app: App, typed: &str) -> bool {
    if typed.trim().to_lowercase() != words::erase::word() {
        return false;
    }
    forget(app);
    app.state.setup().set(Setup::default());
    dom::forget_look();
    spawn_local(async move {
        match store::erase().await {
            Ok(()) => app.say(words::erase::done()),
            Err(failure) => fail(app, Step::Data, failure.message, false),
        }
    });
    true
}

/// Takes that word back, before it stands in any ledger.
pub fn take_back(app: App) {
    let Some(key) = app.state.key().get_untracked() else { return };
    spawn_local(async move { recall(app, &key).await });
}

/// Takes the words by which one side of each row is no longer protected; `false` where other words were typed. A ledger of full
/// protection is relaxed permanently.
pub fn relax(app: App, protect: Protect, typed: &str) -> bool {
    if !text::relaxed(protect).is_typed(typed) {
        return false;
    }
    app.state.setup().update(|setup| setup.protect_confirmed = true);
    app.say(words::page::confirmed());
    let full = app.state.ledger().with_untracked(|ledger| {
        ledger.as_ref().is_some_and(|ledger| ledger.terms().protect == Protect::Rows)
    });
    if let Some(key) = app.state.key().get_untracked().filter(|_| full) {
        spawn_local(async move {
            match store::relax(&key, protect).await {
                Ok(ledger) => {
                    app.state.ledger().set(Some(ledger));
                    lock_setup(app);
                }
                Err(failure) => {
                    app.state.setup().update(|setup| setup.protect_confirmed = false);
                    fail(app, Step::Privacy, failure.to_string(), false);
                }
            }
        });
    }
    true
}

/// Sets what the ledger fixes for every plan of its table, where it has one.
pub fn lock_setup(app: App) {
    let of = |ledger: &Ledger| (ledger.terms(), ledger.person_column().map(str::to_owned));
    let fixed = app.state.ledger().with_untracked(|ledger| ledger.as_ref().map(of));
    let Some((terms, person)) = fixed else { return };
    let has = |name: &String| {
        app.state
            .table()
            .with_untracked(|table| table.as_ref().is_some_and(|table| table.names.contains(name)))
    };
    let person = person.filter(has);
    app.state.setup().update(|setup| {
        if terms.protect != Protect::Rows {
            // The ledger records the confirmation.
            setup.protect = terms.protect;
            setup.protect_confirmed = true;
        }
        setup.adjacency = terms.adjacency;
        setup.max_rows = terms.max_rows_per_person.to_string();
        if let Some(person) = person.filter(|_| setup.person.is_empty() && !setup.other_persons) {
            setup.person = person;
        }
    });
}
