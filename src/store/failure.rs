//! What goes wrong in the browser, as data: the storage and the workers answer with it.

use serde::{Deserialize, Serialize};

/// What went wrong, as data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// What sort of thing.
    pub reason: Reason,
    /// In words: what, where, what to do. For the person at this machine alone.
    pub message: String,
    /// Whether the budget was charged.
    pub charged: bool,
}

impl Failure {
    /// Returns a failure before any charge.
    #[must_use]
    pub fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self { reason, message: message.into(), charged: false }
    }

    /// Returns a failure after the charge. Its words are constant, for what happened in between may depend on the table.
    #[must_use]
    pub fn after_charge(reason: Reason) -> Self {
        Self {
            reason,
            message: "The charge was made, and no release arrived. The ledger shows what it cost.".to_owned(),
            charged: true,
        }
    }
}

/// The sorts of failure that a person can do something about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The table cannot be read as the plan says.
    Table,
    /// The file changed on the disk, or is gone.
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
    /// Anything else.
    Internal,
}
