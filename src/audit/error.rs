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
    #[error("{}", crate::words::error::audit_plan(.0))]
    Plan(#[from] PlanError),
    /// A plan of the audit does not run.
    #[error("{}", crate::words::error::audit_engine(.0))]
    Engine(#[from] EngineError),
    /// The header of a table is refused.
    #[error("{}", crate::words::error::audit_header(.0))]
    Header(#[from] HeaderError),
    /// A table is refused.
    #[error("{}", crate::words::error::audit_header(.0))]
    Scan(#[from] ScanError),
    /// A table does not end.
    #[error("{}", crate::words::error::audit_unfinished())]
    Unfinished,
    /// The claim cannot be turned into numbers.
    #[error("{}", crate::words::error::audit_claim(.0))]
    Claim(#[from] ConversionError),
    /// The claim is not a measure of privacy.
    #[error("{}", crate::words::error::audit_measure(.0))]
    Measure(#[from] MeasureError),
    /// The counts of an audit are not valid.
    #[error("{}", crate::words::error::audit_estimate(.0))]
    Estimate(#[from] EstimateError),
    /// The noise of a control is out of range.
    #[error("{}", crate::words::error::audit_control(.0))]
    Control(#[from] CalibrationError),
}
