//! Makes a release, and shows one that was made.

use std::sync::Arc;
use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::Blob;

use super::inspect::{are_small, inspect_before};
use super::ledger::{recall, remember};
use super::navigation::{go, go_to};
use super::run::{cancelling, on_progress, pool};
use super::save::end_saving;
use super::say::{fail, fail_to_read};
use crate::data::FileRole;
use crate::engine::public_moments::PublicKnowledge as _;
use crate::release::Release;
use crate::store;
use crate::store::document::Made;
use crate::ui::state::{App, Kept, Origin, Phase, Run, Shown, StateStoreFields};
use crate::ui::step::Step;
use crate::ui::{dom, view_model};
use crate::words;
use crate::worker::files::Files;
use crate::worker::pool::{Asked, delay_from};
use crate::worker::protocol::{Failure, Reason};

/// A pause without a change after which the file is read ahead.
const PAUSE: Duration = Duration::from_millis(400);

/// Reads the file ahead for a plan that can be released, once nothing was changed for a while.
pub fn read_ahead_on_the_way(app: App) {
    let waiting = StoredValue::new_local(None::<TimeoutHandle>);
    Effect::new(move |_| {
        if let Some(handle) = waiting.get_value() {
            handle.clear();
        }
        let is_on_the_way = matches!(app.state.step().get(), Step::Privacy | Step::Method);
        let is_complete = is_complete(app);
        app.public.track();
        let is_known = app.state.key().with(Option::is_some);
        if !is_on_the_way || !is_complete || !is_known || app.busy() {
            return;
        }
        let read = move || {
            let small = app.files().filter(are_small);
            let asked = asked(app).filter(|_| !app.busy());
            let (Some(files), Some(asked)) = (small, asked) else { return };
            let Some(key) = app.state.key().get_untracked() else { return };
            // Workers that do not start here start at the click, or say there why not.
            spawn_local(async move { drop(pool(app).read_ahead(&files, asked, &key).await) });
        };
        waiting.set_value(set_timeout_with_handle(read, PAUSE).ok());
    });
}

/// Returns whether the plan lacks nothing and is not refused.
fn is_complete(app: App) -> bool {
    app.forecast.with(|forecast| forecast.as_ref().is_ok_and(|forecast| forecast.refusal.is_none()))
}

/// Returns the release that the plan would ask for, where one reading of the file can serve the check and the release: a CSV of the person's own, not
/// too large, whose rows may be read in any order and whose bounds are known.
pub(super) fn asked_at_once(app: App, files: &Files) -> Option<Asked> {
    let is_complete = untrack(|| is_complete(app));
    let is_own = app.state.table().with_untracked(|table| table.as_ref().is_some_and(|table| !table.sample));
    let is_small = files.get(FileRole::Table).is_some() && are_small(files);
    let is_plain = |asked: &Asked| asked.plan.person.is_none() && !asked.plan.estimates();
    asked(app).filter(|asked| is_complete && is_own && is_small && is_plain(asked))
}

/// Returns the release that the plan asks for as it stands. `None` while something is missing.
fn asked(app: App) -> Option<Asked> {
    let columns =
        app.forecast.with_untracked(|forecast| forecast.as_ref().ok().map(|known| known.columns))?;
    let (plan, public) = (app.plan.get_untracked().ok()?, app.public.get_untracked().ok()?);
    Some(Asked { plan, columns, public: public.map(|moments| moments.table().clone()), seen: None })
}

/// Makes the release: checks the file where its check is an old one, opens the ledger if the table has none, then reads, charges and computes.
pub fn release(app: App) {
    if app.busy() {
        return;
    }
    let clicked = dom::clock();
    let forecast = match app.forecast.get_untracked() {
        Ok(forecast) => forecast,
        Err(gaps) => {
            if let Some(gap) = gaps.first() {
                app.say(gap.text.clone());
                go_to(app, gap);
            }
            return;
        }
    };
    let Some(key) = app.state.key().get_untracked() else { return };
    let Some(files) = app.files() else { return };
    let Some(asked) = asked(app) else { return };
    app.state.problem().set(None);
    if inspect_before(app, release) {
        return;
    }
    // A charged table is recognised by the descriptions of its columns, so they are saved before the next one can be opened.
    super::draft::write(app);
    let run = Run::new(words::result::releasing(), files.length() as f64);
    app.state.run().set(Some(Run { phase: Phase::Releasing, ..run }));
    app.say(words::result::releasing());
    spawn_local(async move {
        let first = app.state.ledger().with_untracked(Option::is_none);
        if first {
            let setup = app.state.setup().get_untracked();
            let opened = match view_model::open_ledger(&setup, &forecast.plan, &dom::today()) {
                Ok(ledger) => {
                    let different = app.state.different().get_untracked();
                    store::create_ledger(&key, ledger, different.as_ref()).await
                }
                Err(problem) => return fail(app, Step::Privacy, problem, false),
            };
            match opened {
                Ok(ledger) => {
                    app.state.different().set(None);
                    app.state.ledger().set(Some(ledger));
                }
                Err(failure) => {
                    recall(app, &key).await;
                    return fail(app, Step::Privacy, failure.message, false);
                }
            }
        }
        let seen = app.state.ledger().with_untracked(|ledger| Some(ledger.as_ref()?.tip().to_owned()));
        let asked = Asked { seen, ..asked };
        let released = if cancelling(app) {
            Err(Failure::new(Reason::Cancelled, words::page::cancelled()))
        } else {
            pool(app).release(&files, asked, key.clone(), on_progress(app, words::result::releasing())).await
        };
        drop(end_saving(app));
        match released {
            Ok(Made { release, document, ledger, kept }) => {
                // All results of the click are fetched before the delay, and shown together after it.
                let stored = store::open_table(&key).await;
                delay_from(clicked).await;
                match stored {
                    Ok(Some(record)) => remember(app, Ok(Some(record))),
                    _ => app.state.ledger().set(Some(ledger)),
                }
                // What follows from the new ledger is computed before the result is drawn.
                dom::pause().await;
                app.state.run().set(None);
                show(app, Arc::new(release), document, Origin::Made);
                if !kept {
                    fail(app, Step::Result, words::result::not_kept(), true);
                }
            }
            Err(failure) => {
                if first
                    && !failure.charged
                    && let Err(storage) = store::forget_unused(&key).await
                {
                    app.say(storage.message);
                }
                let stored = store::open_table(&key).await;
                delay_from(clicked).await;
                app.state.run().set(None);
                remember(app, stored);
                if failure.reason == Reason::Cancelled && !failure.charged {
                    app.say(words::page::cancelled());
                } else if failure.reason == Reason::Encoding {
                    fail_to_read(app, failure);
                } else {
                    let step = match failure.reason {
                        Reason::Table | Reason::File => Step::Data,
                        Reason::Budget => Step::Privacy,
                        _ => Step::Method,
                    };
                    fail(app, step, failure.message, failure.charged);
                }
            }
        }
    });
}

/// Shows a release that is kept beside the ledger.
pub fn show_kept(app: App, entry: u64) {
    let Some(document) = app.handles.with_value(|handles| handles.kept.borrow().get(&entry).cloned()) else {
        return;
    };
    let known = |all: &Vec<Kept>| all.iter().find(|kept| kept.entry == entry)?.release.clone();
    if let Some(release) = app.state.releases().with_untracked(known) {
        return show(app, release, document, Origin::Kept);
    }
    app.say(words::page::opening());
    spawn_local(async move {
        match pool(app).read_release(&document).await {
            Ok(Some(release)) => show(app, Arc::new(release), document, Origin::Kept),
            Ok(None) | Err(Failure { reason: Reason::File, .. }) => {
                fail(app, Step::Result, words::failure::release_version(entry), false);
            }
            Err(failure) => fail(app, Step::Result, failure.message, false),
        }
    });
}

/// Shows a release on the result step.
pub fn show(app: App, release: Arc<Release>, document: Blob, origin: Origin) {
    app.handles.with_value(|handles| handles.document.replace(Some(document)));
    app.state.outcome().set(crate::release::figure::outcomes(&release).first().cloned());
    app.state.refit().set(None);
    let said = if origin == Origin::Made { words::result::released() } else { words::result::shown_again() };
    app.state.shown().set(Some(Shown { release, origin }));
    app.state.problem().set(None);
    app.say(said);
    go(app, Step::Result);
}
