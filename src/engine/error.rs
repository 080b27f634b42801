//! Why an analysis does not run.

use crate::plan::PlanError;
use crate::privacy::calibrate::CalibrationError;

/// What went wrong, and in which of the documents. No message quotes a cell.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The plan cannot be run.
    #[error("{0}")]
    Plan(#[from] PlanError),
    /// The plan's budget cannot be turned into noise.
    #[error("plan: {0} (at `budget`)")]
    Budget(#[from] CalibrationError),
    /// The table is not the one that the plan describes. Only public facts are compared.
    #[error(
        "the table has {found} {unit} and the plan states {stated}; correct `rows` in the plan, or check that this is \
         the right table"
    )]
    Rows {
        /// What is counted: rows, or persons.
        unit: &'static str,
        /// As counted; public under `replace-one`.
        found: u64,
        /// As the plan says.
        stated: u64,
    },
    /// The table was to be read once more, for another pass of a fit.
    #[error(
        "the table cannot be read again as it was: it was changed, moved or taken away between two passes"
    )]
    Reread,
    /// The released counts show no bounds for some column.
    #[error(
        "bounds were not found for every column, so nothing was fitted; the release of the counts says for which: state their bounds, \
         leave these columns out, or estimate again with a larger `estimate_share`"
    )]
    NotFound,
    /// A bug, or moments of another plan. The text is constant: it says nothing of the table.
    #[error("internal: {0}; please report it")]
    Internal(&'static str),
}
