//! The errors of an audit.

use super::estimate::EstimateError;
use crate::data::HeaderError;
use crate::data::slices::ScanError;
use crate::engine::EngineError;
use crate::plan::PlanError;
use crate::privacy::calibrate::CalibrationError;
use crate::privacy::convert::ConversionError;
use crate::privacy::measure::MeasureError;

/// A failure to run an audit. Its plans and tables are fixed, so each of these is a bug of the build.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AuditError {
    /// A plan of the audit is refused.
    #[error("the audit's plan is refused: {0}; please report it")]
    Plan(#[from] PlanError),
    /// A plan of the audit does not run.
    #[error("the audit's plan does not run: {0}; please report it")]
    Engine(#[from] EngineError),
    /// The header of a table is refused.
    #[error("the audit's table is refused, {0}; please report it")]
    Header(#[from] HeaderError),
    /// A table is refused.
    #[error("the audit's table is refused, {0}; please report it")]
    Scan(#[from] ScanError),
    /// A table does not end.
    #[error("the audit's table was not read to its end; please report it")]
    Unfinished,
    /// The claim cannot be turned into numbers.
    #[error("the audit's claim cannot be computed: {0}; please report it")]
    Claim(#[from] ConversionError),
    /// The claim is not a measure of privacy.
    #[error("the audit's claim is not valid: {0}; please report it")]
    Measure(#[from] MeasureError),
    /// The counts of an audit are not valid.
    #[error("the audit's counts are not valid: {0}; please report it")]
    Estimate(#[from] EstimateError),
    /// The noise of a control is out of range.
    #[error("the audit's control cannot be computed: {0}; please report it")]
    Control(#[from] CalibrationError),
}
