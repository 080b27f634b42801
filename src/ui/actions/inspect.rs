//! Counts, over the whole file, the cells that do not fit. The counts stay in the page's memory and go into nothing.

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::run::{on_progress, pool, run};
use super::say::{fail_with, say};
use crate::plan::Plan;
use crate::ui::draft;
use crate::ui::state::{App, StateStoreFields};
use crate::ui::step::Step;
use crate::ui::view_model::Inspection;
use crate::words;
use crate::worker::files::Files;
use crate::worker::protocol::{Failure, Reason};

/// Reads the whole file and shows what does not fit.
pub fn inspect(app: App) {
    let columns = app.state.columns().get_untracked();
    let (plan, persons) = app.state.setup().with_untracked(|setup| {
        (draft::plan_to_inspect(&columns, setup), draft::plan_to_count_persons(&columns, setup))
    });
    let files = app.handles.with_value(|handles| handles.files.borrow().clone());
    let (Some(plan), Some(files), false) = (plan, files, app.busy()) else { return };
    let task = words::whole::reading();
    app.state.problem().set(None);
    spawn_local(async move {
        match run(app, task, files.length() as f64, try_inspect(app, &files, plan, persons)).await {
            Ok(found) => {
                app.state.inspection().set(Some(found));
                say(app, words::whole::done());
            }
            Err(failure) => fail_with(app, Step::Columns, failure),
        }
    });
}

/// Reads the file by `plan`, and once more where the rows of persons are to be counted.
async fn try_inspect(
    app: App,
    files: &Files,
    plan: Plan,
    persons: Option<(String, Plan)>,
) -> Result<Inspection, Failure> {
    let read = |plan| {
        let on_progress = on_progress(app, words::whole::reading());
        async move { pool(app).inspect(files, plan, on_progress).await }
    };
    let found = read(plan.clone()).await?;
    let Some((column, by_person)) = persons else {
        return Ok(Inspection { plan, found, several_rows: None });
    };
    let several = match read(by_person).await {
        Ok(counted) => {
            let most_two_of_each = counted.rows.saturating_sub(counted.left_out);
            counted.persons.is_some_and(|persons| most_two_of_each > persons)
        }
        Err(failure) if failure.reason == Reason::Cancelled => return Err(failure),
        // So many persons may not fit into memory; what was counted before stands.
        Err(_) => false,
    };
    Ok(Inspection { plan, found, several_rows: several.then_some(column) })
}
