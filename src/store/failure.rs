//! Failures in the browser, as data that the storage and the workers return.

use std::fmt::Display;

use serde::{Deserialize, Serialize};

use crate::words;

/// A failure, as data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// The kind of failure.
    pub reason: Reason,
    /// A text for the person at this computer: what is wrong, where, what to do.
    pub message: String,
    /// Whether the budget was charged.
    pub charged: bool,
}

impl Failure {
    /// Returns a failure before any charge.
    pub fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self { reason, message: message.into(), charged: false }
    }

    /// Returns that a plan cannot be run as it is, before any charge.
    pub fn plan(error: impl Display) -> Self {
        Self::new(Reason::Plan, error.to_string())
    }

    /// Returns a failure after the charge. Its text is constant, because the cause may depend on the table.
    pub fn after_charge(reason: Reason) -> Self {
        Self { reason, message: words::failure::charged().to_owned(), charged: true }
    }
}

/// The kinds of failure, by what a person can do about them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The table cannot be read as the plan says.
    Table,
    /// The table's bytes are no UTF-8, as which it is read.
    Encoding,
    /// The file changed on the disk or was removed.
    File,
    /// The plan cannot be run.
    Plan,
    /// The budget does not allow it.
    Budget,
    /// The browser's storage refused.
    Storage,
    /// The person cancelled.
    Cancelled,
    /// The browser cannot run the program, or a part of it is of another build.
    Program,
    /// Any other failure.
    Internal,
}
