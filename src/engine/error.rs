//! Why an analysis does not run.

use crate::plan::PlanError;
use crate::privacy::calibrate::CalibrationError;

/// The errors of the engine. No message quotes a cell.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The plan cannot be run.
    #[error("{0}")]
    Plan(#[from] PlanError),
    /// The plan's budget cannot be turned into noise.
    #[error("{}", crate::words::error::engine_budget(.0))]
    Budget(#[from] CalibrationError),
    /// The table is not the one that the plan describes. Only public facts are compared.
    #[error("{}", crate::words::error::engine_rows(found, unit, stated))]
    Rows {
        /// What is counted: rows, or persons.
        unit: &'static str,
        /// The counted number; public under `replace-one`.
        found: u64,
        /// The number in the plan.
        stated: u64,
    },
    /// The table has a header and nothing below it.
    #[error("{}", crate::words::error::engine_no_rows())]
    NoRows,
    /// The table changed before it was read again for another iteration of a fit.
    #[error("{}", crate::words::error::engine_reread())]
    Reread,
    /// The released counts show no bounds for some column.
    #[error("{}", crate::words::error::engine_bounds_not_found())]
    NotFound,
    /// A bug, or moments of another plan. The text is constant: it says nothing of the table.
    #[error("{}", crate::words::error::engine_internal(.0))]
    Internal(&'static str),
}
