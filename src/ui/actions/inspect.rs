//! Counts, over the whole file, the cells that do not fit. The counts stay in the page's memory and go into nothing.

use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::release::asked_at_once;
use super::run::{on_progress, pool, run};
use super::say::{fail_to_read, fail_with};
use crate::plan::Plan;
use crate::ui::draft;
use crate::ui::state::{App, StateStoreFields};
use crate::ui::step::Step;
use crate::ui::table::{READ_UNASKED, Table};
use crate::ui::view_model::{Inspection, PersonsCounted};
use crate::words;
use crate::worker::files::Files;
use crate::worker::protocol::{Failure, FirstReading, Reason};

/// Returns whether files are read without being asked for, as [`Table::is_small`].
pub(super) fn are_small(files: &Files) -> bool {
    files.length() as f64 <= READ_UNASKED
}

/// Checks the whole file when the person leaves the columns step, when the file is opened again at a later step, and when an
/// opened plan makes a release possible at an earlier step.
pub fn inspect_on_the_way(app: App) {
    let is_due = Memo::new(move |_| match app.state.step().get() {
        Step::Data | Step::Columns => {
            app.forecast.with(Result::is_ok) && app.state.inspection().with(Option::is_none)
        }
        Step::Privacy | Step::Method => true,
        Step::Result => false,
    });
    Effect::new(move |_| {
        let known = app.state.key().with(Option::is_some);
        app.state.step().track();
        if known && is_due.get() && untrack(|| is_unchecked(app)) {
            // That a plan is open is said already.
            let says = matches!(app.state.step().get_untracked(), Step::Privacy | Step::Method);
            check(app, says);
        }
    });
}

/// Returns whether the file is a person's own CSV, not too large, and not yet checked as it is described now. While a problem is shown, nothing
/// counts as unchecked.
fn is_unchecked(app: App) -> bool {
    let is_quiet = app.state.problem().with(Option::is_none);
    let is_own = |table: &Arc<Table>| !table.sample && table.genotypes.is_none();
    let is_own = app.state.table().with(|table| table.as_ref().is_some_and(is_own));
    let is_small = app.files().as_ref().is_some_and(are_small);
    let is_checked = |plan: &Plan| {
        app.state.inspection().with(|found| found.as_ref().is_some_and(|found| found.plan == *plan))
    };
    is_quiet && is_own && is_small && plans(app).0.is_some_and(|plan| !is_checked(&plan))
}

/// Returns the plan by which the file is read, and the one by which the rows of persons are counted.
fn plans(app: App) -> (Option<Plan>, Option<(String, Plan)>) {
    let columns = app.state.columns().get_untracked();
    app.state.setup().with_untracked(|setup| {
        (draft::plan_to_inspect(&columns, setup), draft::plan_to_count_persons(&columns, setup))
    })
}

/// Reads the whole file and shows what does not fit.
pub fn inspect(app: App) {
    check(app, true);
}

/// Checks the file before a release where it is not checked as it is described now, and releases then what was asked for, unless that was
/// changed meanwhile. Cells that contradict it hold the release back. Returns whether it checks.
pub fn inspect_before(app: App, release: fn(App)) -> bool {
    let is_due = is_unchecked(app);
    if is_due {
        let asked = move || (app.plan.get_untracked(), app.state.public().get_untracked());
        let before = asked();
        spawn_local(async move {
            let checked = read_whole(app, true).await;
            let now = asked();
            match checked {
                Ok(()) if now.0.is_err() || now == before => release(app),
                Ok(()) | Err(Failure { reason: Reason::Cancelled, .. }) => {}
                Err(failure) => fail_to_read(app, failure),
            }
        });
    }
    is_due
}

/// Reads the whole file; `says` that it did.
fn check(app: App, says: bool) {
    spawn_local(async move {
        if let Err(failure) = read_whole(app, says).await {
            fail_with(app, app.state.step().get_untracked(), failure);
        }
    });
}

/// Reads the whole file, unless there is none or something else runs, and keeps what does not fit.
async fn read_whole(app: App, says: bool) -> Result<(), Failure> {
    let (plan, persons) = plans(app);
    let (Some(plan), Some(files), false) = (plan, app.files(), app.busy()) else {
        return Err(Failure::new(Reason::Cancelled, words::page::cancelled()));
    };
    let task = words::whole::reading();
    app.state.problem().set(None);
    let found = run(app, task, files.length() as f64, try_inspect(app, &files, plan, persons)).await?;
    app.state.inspection().set(Some(found));
    if says {
        app.say(words::whole::done());
    }
    Ok(())
}

/// Reads the file once for all that is due: the counts, the release that could be asked for as the plan stands, and the table's key, which is
/// returned. Nothing where one reading cannot do all of it: then each reads on its own. A table that is malformed is recognised all the same.
pub(super) async fn read_once(
    app: App,
    files: &Files,
    task: &'static str,
) -> Result<Option<(String, Inspection)>, Failure> {
    let (Some(plan), None) = plans(app) else { return Ok(None) };
    let Some(asked) = asked_at_once(app, files) else { return Ok(None) };
    let key = app.state.key().get_untracked();
    let is_known = key.is_some();
    let pool = pool(app);
    let read = pool.read_once(files, asked, key, plan.clone(), on_progress(app, task));
    match read.await {
        Ok(FirstReading { table, inspected: Some(found) }) => {
            Ok(Some((table, Inspection { plan, found, persons: None })))
        }
        Err(failure) if failure.reason == Reason::Cancelled => Err(failure),
        Err(failure) if is_known && matches!(failure.reason, Reason::Table | Reason::Encoding) => {
            Err(failure)
        }
        Ok(_) | Err(_) => Ok(None),
    }
}

/// Reads the file by `plan`, and once more where the rows of persons are to be counted.
async fn try_inspect(
    app: App,
    files: &Files,
    plan: Plan,
    persons: Option<(String, Plan)>,
) -> Result<Inspection, Failure> {
    if let Some((_, found)) = read_once(app, files, words::whole::reading()).await? {
        return Ok(found);
    }
    let read = |plan| {
        let on_progress = on_progress(app, words::whole::reading());
        async move { pool(app).inspect(files, plan, on_progress).await }
    };
    let found = read(plan.clone()).await?;
    let Some((column, by_person)) = persons else {
        return Ok(Inspection { plan, found, persons: None });
    };
    let several = match read(by_person).await {
        Ok(counted) => {
            let most_two_of_each = counted.rows.saturating_sub(counted.left_out);
            counted.persons.map(|persons| most_two_of_each > persons)
        }
        Err(failure) if failure.reason == Reason::Cancelled => return Err(failure),
        // So many persons may not fit into memory; what was counted before stands.
        Err(_) => None,
    };
    Ok(Inspection { plan, found, persons: Some(PersonsCounted { column, several }) })
}
