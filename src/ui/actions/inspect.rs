//! Counts, over the whole file, the cells that do not fit. The counts stay in the page's memory and go into nothing.

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::run::{cancelling, on_progress, pool};
use super::say::{fail, say};
use crate::ui::draft;
use crate::ui::state::{App, Run, StateStoreFields};
use crate::ui::step::Step;
use crate::ui::view_model::Inspection;
use crate::words;
use crate::worker::protocol::{Failure, Reason};

/// Reads the whole file and shows what does not fit.
pub fn inspect(app: App) {
    let columns = app.state.columns().get_untracked();
    let plan = app.state.setup().with_untracked(|setup| draft::plan_to_inspect(&columns, setup));
    let files = app.handles.with_value(|handles| handles.files.borrow().clone());
    let (Some(plan), Some(files), false) = (plan, files, app.busy()) else { return };
    let task = words::whole::reading();
    app.state.run().set(Some(Run::new(task, files.length() as f64)));
    app.state.problem().set(None);
    spawn_local(async move {
        let found = pool(app).inspect(&files, plan.clone(), on_progress(app, task)).await;
        let cancelled = cancelling(app);
        match found {
            Ok(found) => {
                app.state.run().set(None);
                app.state.inspection().set(Some(Inspection { plan, found }));
                say(app, words::whole::done());
            }
            Err(Failure { reason: Reason::Cancelled, .. }) if cancelled => {
                app.state.run().set(None);
                say(app, words::page::cancelled());
            }
            // Another request has ended this one, and the run is that one's.
            Err(Failure { reason: Reason::Cancelled, .. }) => {}
            Err(failure) => fail(app, Step::Columns, failure.message, false),
        }
    });
}
