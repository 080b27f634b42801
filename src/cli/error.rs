//! The errors of the command line and their exit statuses.

use std::fmt::Display;
use std::io;

use super::table::TableError;
use crate::engine::EngineError;
use crate::plan::PlanError;
use crate::privacy::ledger::LedgerError;

/// A failed command. No message quotes a cell of the table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CliError {
    /// Invalid arguments or an invalid document: status 2.
    #[error("{0}")]
    Input(String),
    /// The ledger refused the charge: status 3.
    #[error("{0}")]
    Refused(String),
    /// Any other failure before or without a charge: status 1.
    #[error("{}", crate::words::error::cli_failed(.0))]
    Failed(String),
    /// Any other failure after the charge: status 1.
    #[error("{}", crate::words::error::cli_charged(what, entry))]
    Charged {
        /// What happened.
        what: String,
        /// The entry.
        entry: u64,
    },
    /// A failure after the charge whose release can be printed again: status 1.
    #[error("{}", crate::words::error::cli_kept(what, entry))]
    Kept {
        /// What happened.
        what: String,
        /// The entry.
        entry: u64,
    },
    /// Bounds were estimated and their release was printed, but nothing was fitted: status 1.
    #[error("{}", crate::words::error::cli_bounds_alone(what, entry))]
    BoundsAlone {
        /// Why nothing was fitted.
        what: String,
        /// The entry that paid for the bounds.
        entry: u64,
    },
}

impl CliError {
    /// Returns the error for bad arguments.
    pub(super) fn usage(text: impl Into<String>) -> Self {
        Self::Input(text.into())
    }

    /// Returns the error for a file that cannot be read.
    pub(super) fn unreadable(what: &str, path: &std::path::Path, error: impl Display) -> Self {
        Self::Input(format!("the {what} {} cannot be read: {error}; check the path", path.display()))
    }

    /// Returns the error for a file of text that cannot be read.
    pub(super) fn unreadable_text(what: &str, path: &std::path::Path, error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::InvalidData {
            return Self::Input(format!("the {what} {} is not UTF-8 text; save it as UTF-8", path.display()));
        }
        Self::unreadable(what, path, error)
    }

    /// Returns the error for another failure before the charge.
    pub(super) fn failed(what: impl Into<String>) -> Self {
        Self::Failed(what.into())
    }

    /// Returns the exit status.
    pub const fn status(&self) -> u8 {
        match self {
            Self::Input(_) => 2,
            Self::Refused(_) => 3,
            Self::Failed(_) | Self::Charged { .. } | Self::Kept { .. } | Self::BoundsAlone { .. } => 1,
        }
    }
}

impl From<PlanError> for CliError {
    fn from(error: PlanError) -> Self {
        Self::Input(error.to_string())
    }
}

impl From<EngineError> for CliError {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Internal(_) => Self::Failed(error.to_string()),
            _ => Self::Input(error.to_string()),
        }
    }
}

impl From<LedgerError> for CliError {
    fn from(error: LedgerError) -> Self {
        if error.is_refusal() { Self::Refused(error.to_string()) } else { Self::Input(error.to_string()) }
    }
}

impl From<TableError> for CliError {
    fn from(error: TableError) -> Self {
        match error {
            TableError::Io(_)
            | TableError::Header(_)
            | TableError::Packed(_)
            | TableError::Scan(_)
            | TableError::File { .. }
            | TableError::Genotypes(_) => Self::Input(error.to_string()),
            _ => Self::Failed(error.to_string()),
        }
    }
}

impl From<lexopt::Error> for CliError {
    fn from(error: lexopt::Error) -> Self {
        Self::Input(format!("{error}; `discreet COMMAND --help` lists the options"))
    }
}
