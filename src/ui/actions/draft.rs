//! Keeps the description of a table on this machine, beside its ledger, and finds it again. No cell is kept.

use std::sync::Arc;
use std::time::Duration;

use leptos::leptos_dom::helpers::TimeoutHandle;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::files::{are_open, read, reread};
use super::ledger::lock_setup;
use super::run::releasing;
use crate::data::FileRole;
use crate::model::Role;
use crate::store;
use crate::store::people::Shared;
use crate::text::json;
use crate::ui::draft::{self, ColumnDraft, KeptDraft, Setup, dialect};
use crate::ui::public_form::{PublicForm, Typed, Way};
use crate::ui::state::{App, HostStoreFields, StateStoreFields};
use crate::ui::table::Table;
use crate::ui::{dom, text};
use crate::words;
use crate::worker::files::Files;
use crate::worker::protocol::Failure;

/// How long nothing is typed before the draft is kept.
const PAUSE: Duration = Duration::from_millis(600);

/// Most columns that are named where a change of them is undone.
const MOST_SAID: usize = 5;

/// Returns the key of the setting that keeps the draft of a table.
fn setting(key: &str) -> String {
    format!("draft {key}")
}

/// Returns the keys of the settings that keep the draft of the open table and the public moments that were typed for it. A sample has keys of its
/// own, so that its draft never describes a person's own table.
fn settings(app: App) -> Option<[String; 2]> {
    let table = app.state.table().get_untracked()?;
    if table.sample {
        return Some([format!("sample {}", table.name), format!("sample-public {}", table.name)]);
    }
    app.state.key().get_untracked().map(|key| [setting(&key), format!("public {key}")])
}

/// Keeps the draft from now on, whenever it was changed.
pub fn keep(app: App) {
    let waiting = StoredValue::new_local(None::<TimeoutHandle>);
    Effect::new(move |_| {
        remember(app);
        app.state.public().track();
        if let Some(handle) = waiting.get_value() {
            handle.clear();
        }
        let keep = move || {
            waiting.set_value(None);
            write(app);
        };
        waiting.set_value(set_timeout_with_handle(keep, PAUSE).ok());
    });
    // The browser asks whether the page may be left.
    let _ = window_event_listener(leptos::ev::beforeunload, move |event| {
        let forgets = app.state.host().forgets().get_untracked();
        let unkept = (waiting.get_value().is_some() || forgets) && is_kept(app)
            || forgets && untrack(move || app.export_due());
        if unkept || releasing(app) {
            event.prevent_default();
        }
    });
}

/// Keeps the state before the last change, so that it can be undone.
fn remember(app: App) {
    let now = (app.state.columns().get(), app.state.setup().get());
    let undoable = app.handles.with_value(|handles| {
        let mut history = handles.history.borrow_mut();
        history.change(now, dom::clock());
        history.has_earlier()
    });
    app.state.undoable().set(undoable);
}

/// Takes the last change of the draft back.
pub fn undo(app: App) {
    let Some((columns, setup)) = app.handles.with_value(|handles| handles.history.borrow_mut().undo()) else {
        return app.say(words::columns::nothing_to_undo());
    };
    let changed = app.state.columns().with_untracked(|now| draft::changed(now, &columns));
    let rules = |setup: &Setup| (draft::header_rules(setup), draft::csv_rules(setup, b','));
    let reads_again = app.state.setup().with_untracked(|now| rules(now) != rules(&setup));
    app.state.columns().set(columns);
    app.state.setup().set(setup);
    lock_setup(app);
    if reads_again {
        reread(app);
    }
    app.say(match changed.as_slice() {
        [] => words::columns::undone().to_owned(),
        changed => words::columns::undone_of(text::list(changed, MOST_SAID)),
    });
}

/// Undoes the last change on Ctrl+Z or Cmd+Z, but for what is typed in a field, which the browser undoes.
pub fn undo_on_key(app: App) {
    let handle = window_event_listener(leptos::ev::keydown, move |event| {
        let undoes = (event.ctrl_key() || event.meta_key()) && !event.shift_key() && event.key() == "z";
        if undoes && !dom::is_typed_in(event.target()) {
            event.prevent_default();
            undo(app);
        }
    });
    on_cleanup(move || handle.remove());
}

/// Returns whether the open table is the person's own and its description was changed.
fn is_kept(app: App) -> bool {
    let own = app.state.table().with_untracked(|table| table.as_ref().is_some_and(|table| !table.sample));
    own && app.handles.with_value(|handles| handles.history.borrow().has_earlier())
}

/// Keeps the draft as it is now. Of a sample that is described as it opens, none is kept.
pub fn write(app: App) {
    let Some([draft, public]) = settings(app) else { return };
    let opened = app.handles.with_value(|handles| handles.sample.borrow().clone());
    let text = match now(app) {
        kept if kept.is_none() || is_sample(app) && opened.is_none() => return,
        kept if kept == opened => Some(String::new()),
        kept => json::to_text(&kept, false).ok(),
    };
    let typed = app.state.public().with_untracked(|form| form.typed.to_text()).unwrap_or_default();
    if let Some(text) = text {
        // If the storage refuses, the draft lasts as long as the page.
        spawn_local(async move {
            drop(store::set_setting(&draft, &text).await);
            drop(store::set_setting(&public, &typed).await);
        });
    }
}

fn is_sample(app: App) -> bool {
    app.state.table().with_untracked(|table| table.as_ref().is_some_and(|table| table.sample))
}

/// Returns the draft as it is now.
fn now(app: App) -> Option<KeptDraft> {
    let of =
        |columns: &Vec<ColumnDraft>| app.state.setup().with_untracked(|setup| KeptDraft::of(columns, setup));
    let file = app.state.table().with_untracked(|table| table.as_ref().map(|table| table.name.clone()));
    let mut kept = app.state.columns().with_untracked(of)?;
    kept.file = file.unwrap_or_default();
    Some(kept)
}

/// Describes a sample that has just been opened as it was described last.
pub async fn restore_sample(app: App, files: &Files) {
    app.handles.with_value(|handles| handles.sample.replace(now(app)));
    restore(app, files).await;
}

/// Describes the open table as it was described last, where nothing was described meanwhile.
pub async fn restore(app: App, files: &Files) {
    let Some(([draft, public], old)) = settings(app).zip(undescribed(app)) else { return };
    let Ok(Some(text)) = store::setting(&draft).await else { return };
    let Ok(kept) = serde_json::from_str::<KeptDraft>(&text) else { return };
    let Some(table) = read_as(app, files, &kept, dialect(kept.plan())).await else { return };
    let typed = store::setting(&public).await.ok().flatten();
    let typed = typed.and_then(|text| Typed::from_text(&text));
    // Another table may have been opened meanwhile.
    if settings(app).is_none_or(|[now, _]| now != draft) || !describe(app, &kept, table) {
        return;
    }
    if old.names.is_empty() {
        // It could not be read before.
        app.state.problem().set(None);
    }
    if let Some(typed) = typed {
        app.state.public().update(|form| (form.way, form.typed) = (Way::Typed, typed));
    }
}

/// Describes a table that never was as another one with its columns, where nothing was described meanwhile.
pub async fn describe_as_another(app: App, files: &Files) {
    let Some(names) = undescribed(app).map(|table| table.names.clone()) else { return };
    let Some(key) = app.state.key().get_untracked() else { return };
    let is_csv = !is_sample(app) && files.get(FileRole::Table).is_some();
    if !is_csv || !matches!(store::setting(&setting(&key)).await, Ok(None)) {
        return;
    }
    let Ok(known) = store::settings(&setting("")).await else { return };
    // One column of this name alone is no sign of the same table.
    let is_same = |kept: &KeptDraft| kept.plan().columns.len() >= 2 && kept.open(&names).is_some();
    let mut known = known.iter().filter_map(|text| serde_json::from_str(text).ok());
    let Some(alike) = known.find(is_same) else { return };
    let encoding = app.state.setup().with_untracked(|setup| setup.encoding.clone());
    let rules = Setup { encoding: encoding.clone(), ..dialect(alike.plan()) };
    let Some(table) = read_as(app, files, &alike, rules).await else { return };
    if are_open(app, files) && undescribed(app).is_some() && describe(app, &alike, table) {
        app.state.setup().update(|setup| {
            setup.encoding = encoding;
            // What was said of the rows of persons was of another table.
            setup.confirmed.clear();
        });
    }
}

/// Returns the open table where none of its columns has a role. A sample counts while it is as it opened.
fn undescribed(app: App) -> Option<Arc<Table>> {
    let opens_so = || {
        app.handles
            .with_value(|handles| handles.sample.borrow().is_some() && *handles.sample.borrow() == now(app))
    };
    app.state.table().get_untracked().filter(|table| if table.sample { opens_so() } else { !has_roles(app) })
}

/// Reads the open table by these rules, with the variants of a kept description. `None` if it cannot be read so.
async fn read_as(app: App, files: &Files, kept: &KeptDraft, rules: Setup) -> Option<Arc<Table>> {
    let open = app.state.table().get_untracked()?;
    let choices = super::genotypes::of_plan(kept.plan());
    read(app, files, &rules, &open.name, open.sample, choices).await.ok().map(Arc::new)
}

/// Returns how the open table is described, where it is the person's own, is not one of genotypes, and has a role for some column.
pub fn described(app: App) -> Option<KeptDraft> {
    app.state.table().get_untracked().filter(|table| !table.sample && table.genotypes.is_none())?;
    now(app).filter(|_| has_roles(app))
}

/// Describes the open table as the one before it, where nothing was described meanwhile.
pub fn describe_as_before(app: App, before: &KeptDraft) {
    if let Some(table) = undescribed(app) {
        describe(app, before, table);
    }
}

/// Describes a table as it is kept; returns whether it has the columns for that.
fn describe(app: App, kept: &KeptDraft, table: Arc<Table>) -> bool {
    let Some((mut columns, setup)) = kept.open(&table.names) else { return false };
    for (column, suggested) in columns.iter_mut().zip(table.columns(Vec::new())) {
        column.kind = column.kind.or(suggested.kind);
    }
    app.state.table().set(Some(table));
    app.state.columns().set(columns);
    app.state.setup().set(setup);
    app.state.restored().set(true);
    lock_setup(app);
    app.say(words::data::draft_restored());
    true
}

/// Finds the charged ledgers of other tables whose described columns the open table has, too. Each ledger is listed once.
pub async fn alike(app: App, key: &str) -> Result<Vec<Shared>, Failure> {
    let table = app.state.table().get_untracked().filter(|table| !table.sample);
    let Some(names) = table.map(|table| table.names.clone()) else { return Ok(Vec::new()) };
    let mut found: Vec<Shared> = Vec::new();
    for known in store::list().await?.into_iter().filter(|known| known.table != key) {
        let Some(text) = store::setting(&setting(&known.table)).await? else { continue };
        let kept = serde_json::from_str::<KeptDraft>(&text).ok().filter(|kept| kept.is_alike(&names));
        if let Some(kept) = kept
            && let Some(shared) = store::charged(&known).await?
            && found.iter().all(|other| other.ledger != shared.ledger)
        {
            found.push(Shared { file: Some(kept.file).filter(|file| !file.is_empty()), ..shared });
        }
    }
    Ok(found)
}

fn has_roles(app: App) -> bool {
    app.state.columns().with_untracked(|columns| columns.iter().any(|column| column.role != Role::Ignored))
}

/// Forgets the description of the open table, here and on this machine. A sample has that which it opens with again.
pub fn forget_draft(app: App) {
    let Some(table) = app.state.table().get_untracked() else { return };
    app.state.restored().set(false);
    let opened = app.handles.with_value(|handles| handles.sample.borrow().clone());
    if let Some((opened, files)) = opened.zip(app.files()) {
        app.state.public().set(PublicForm::default());
        return spawn_local(async move {
            let table = read_as(app, &files, &opened, dialect(opened.plan())).await;
            if let Some(table) = table.filter(|_| are_open(app, &files)) {
                describe(app, &opened, table);
                app.state.restored().set(false);
                app.say(words::data::the_plan_is_open());
                write(app);
            }
        });
    }
    app.state.columns().set(table.columns(Vec::new()));
    app.state.setup().update(|setup| {
        let Setup { delimiter, numbers, encoding, na, header, .. } = std::mem::take(setup);
        *setup = Setup { delimiter, numbers, encoding, na, header, ..Setup::default() };
    });
    lock_setup(app);
    if let Some(names) = settings(app) {
        spawn_local(async move {
            for name in names {
                drop(store::set_setting(&name, "").await);
            }
        });
    }
}
