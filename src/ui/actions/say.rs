//! What a person is told: a problem where it happened, or a sentence for a screen reader.

use leptos::prelude::*;

use crate::ui::sentence::sentence;
use crate::ui::state::{App, Problem, StateStoreFields};
use crate::ui::step::Step;
use crate::ui::{check, dom};
use crate::worker::protocol::{Failure, Reason};

/// Shows what went wrong at a step, and moves the focus there.
pub fn fail(app: App, step: Step, text: impl Into<String>, charged: bool) {
    let text = sentence(&text.into());
    app.state.run().set(None);
    app.state.problem().set(Some(Problem { step, text, charged, offers_encodings: false }));
    app.state.step().set(step);
    check::run::close(app);
    dom::focus_soon("problem");
}

/// Shows at a step why a task failed. That it was cancelled is said already.
pub fn fail_with(app: App, step: Step, failure: Failure) {
    if failure.reason != Reason::Cancelled {
        fail(app, step, failure.message, failure.charged);
    }
}

/// Shows why a table cannot be read, with the way to read it where its bytes are no UTF-8.
pub fn fail_to_read(app: App, failure: Failure) {
    let offers = failure.reason == Reason::Encoding;
    fail(app, Step::Data, failure.message, failure.charged);
    app.state.problem().update(|problem| {
        if let Some(problem) = problem {
            problem.offers_encodings = offers;
        }
    });
}
