//! Errors of a plan.

use crate::text::json::{Fault, closest};
use crate::text::one_line;
use crate::words;

/// A plan that cannot be run: what is wrong, where in the plan, what to do. Names of plans and headers stand in it as they
/// are; what is shown is one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", crate::words::error::plan(one_line(what), one_line(path), one_line(advice)))]
pub struct PlanError {
    /// Path inside the plan, such as `columns[2].lower`.
    pub path: String,
    /// What is wrong.
    pub what: String,
    /// What to do.
    pub advice: String,
}

impl PlanError {
    /// Creates an error at a path of the plan.
    pub fn at(path: impl Into<String>, what: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { path: path.into(), what: what.into(), advice: advice.into() }
    }

    /// Creates the error of a text that is no plan.
    #[must_use]
    pub fn document(fault: Fault) -> Self {
        let path = fault.path.unwrap_or_else(|| words::plan::top_level().to_owned());
        Self { path, what: fault.what, advice: words::plan::document_advice().to_owned() }
    }
}

/// Returns the advice for a name that is not among those known: the one that is probably meant, or else all of them, as `all` says them.
#[must_use]
pub fn known_advice(name: &str, known: &[&str], all: impl Fn(String) -> String) -> String {
    match closest(name, known.iter().copied()) {
        Some(meant) => words::plan::did_you_mean(meant),
        None => all(known.join(", ")),
    }
}
