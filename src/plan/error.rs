//! Errors of a plan.

use serde_json::Value;

use crate::text::json::{Fault, closest};
use crate::text::one_line;
use crate::words;

/// Most names that a message lists.
pub(super) const MOST_LISTED: usize = 12;

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

    /// Creates the error of a list where an object is due.
    pub fn list(path: impl Into<String>) -> Self {
        Self::at(path, words::plan::list(), words::plan::list_advice())
    }

    /// Creates the error of a text that is no plan.
    pub fn document(fault: Fault) -> Self {
        let path = fault.path.unwrap_or_else(|| words::plan::top_level().to_owned());
        Self { path, what: fault.what, advice: words::plan::document_advice().to_owned() }
    }
}

/// Returns the path of the first list in `given` where `read`, the same document after parsing, has an object. The parser would
/// assign the values of such a list to the fields in order, so a budget `[8, 1e-5]` would be accepted although it does not name
/// its numbers.
pub fn list_for_object(given: &Value, read: &Value) -> Option<String> {
    match (given, read) {
        (Value::Array(_), Value::Object(_)) => Some(String::new()),
        (Value::Array(given), Value::Array(read)) => {
            let mut entries = given.iter().zip(read).enumerate();
            entries.find_map(|(place, (given, read))| {
                Some(format!("[{place}]{}", list_for_object(given, read)?))
            })
        }
        (Value::Object(given), Value::Object(read)) => given
            .iter()
            .find_map(|(name, given)| Some(format!(".{name}{}", list_for_object(given, read.get(name)?)?))),
        _ => None,
    }
}

/// Returns the advice for a name that is not among those known: the one that is probably meant, or else all of them, as `all` says them.
pub fn known_advice(name: &str, known: &[&str], all: impl Fn(String) -> String) -> String {
    match closest(name, known.iter().copied()) {
        Some(meant) => words::plan::did_you_mean(meant),
        None => all(known.join(", ")),
    }
}
