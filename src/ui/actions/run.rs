//! The workers, how far they are, and how they are stopped.

use std::cell::Cell;

use leptos::prelude::*;

use crate::ui::dom;
use crate::ui::state::{App, Phase, Run, StateStoreFields};
use crate::words;
use crate::worker::pool::Pool;
use crate::worker::protocol::{Failure, Progress, Reason, RoundNumber};

/// Returns the table's workers.
pub fn pool(app: App) -> Pool {
    app.handles.with_value(|handles| handles.pool.clone())
}

/// The least time between two reports of a pass that are shown: the page is drawn by the processors that the workers want.
const BETWEEN_MILLISECONDS: f64 = 200.0;

/// Shows how far a task is.
pub fn on_progress(app: App, task: &'static str) -> impl Fn(Progress) + 'static {
    let (started, fitting) = (dom::clock(), Cell::new(None));
    let shown = Cell::new(None::<(f64, Option<RoundNumber>)>);
    move |progress| {
        let now = dom::clock();
        let is_soon = |(at, round)| now - at < BETWEEN_MILLISECONDS && round == progress.round;
        if shown.get().is_some_and(is_soon) {
            return;
        }
        shown.set(Some((now, progress.round)));
        let task = match progress.round {
            None => task,
            Some(pass) if pass.kept => words::page::fitting(),
            Some(_) => words::page::fitting_again(),
        };
        let phase = phase(app).unwrap_or(Phase::Looking);
        let mut run = Run { phase, done: progress.done as f64, ..Run::new(task, progress.total as f64) };
        run.pass = progress.round.map(|pass| (pass.number, pass.of));
        if run.pass.is_some() && fitting.get().is_none() {
            fitting.set(Some(dom::clock()));
        }
        let (elapsed, share) =
            ((dom::clock() - fitting.get().unwrap_or(started)) / 1_000.0, run.share_of_all());
        let known = elapsed > 1.0 && share > 0.0;
        run.seconds_left = known.then(|| elapsed * (1.0 - share) / share);
        app.state.run().set(Some(run));
    }
}

/// Shows a task of so many bytes until it is done, and says so where the person cancelled it. Where another request has ended it, what is
/// shown is that one's.
pub async fn run<T>(
    app: App,
    task: &'static str,
    bytes: f64,
    work: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    app.state.run().set(Some(Run::new(task, bytes)));
    let result = work.await;
    let ended = matches!(&result, Err(Failure { reason: Reason::Cancelled, .. }));
    if !ended || cancelling(app) {
        app.state.run().set(None);
        if ended {
            app.say(words::page::cancelled());
        }
    }
    result
}

/// Cancels what runs. What came of it is said by what ran, which alone knows whether it was charged.
pub fn cancel(app: App) {
    app.state.run().update(|run| {
        if let Some(run) = run {
            (run.task, run.phase) = (words::page::cancelling(), Phase::Cancelling);
        }
    });
    pool(app).cancel();
}

fn phase(app: App) -> Option<Phase> {
    app.state.run().with_untracked(|run| run.as_ref().map(|run| run.phase))
}

/// Returns whether the person cancelled what still runs.
pub fn cancelling(app: App) -> bool {
    phase(app) == Some(Phase::Cancelling)
}

/// Returns whether a release is being made.
pub fn releasing(app: App) -> bool {
    phase(app) == Some(Phase::Releasing)
}
