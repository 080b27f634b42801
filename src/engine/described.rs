//! Binds what a person has described of a table so far, so that the cells that do not fit can be counted.

use super::error::EngineError;
use crate::plan::bind::bind;
use crate::plan::bound::{BoundPlan, GridParams, Norms};
use crate::plan::{CheckedPlan, Plan, Purpose};

/// Binds a plan to a header, for a count of its cells. It needs neither an outcome nor a budget, and no row is encoded under it.
///
/// # Errors
/// [`EngineError::Plan`] for a column without bounds or levels, and for one that the header lacks or has twice.
pub fn bind_described(plan: Plan, names: &[String], delimiter: u8) -> Result<BoundPlan, EngineError> {
    let checked = CheckedPlan::new(plan, Purpose::Public)?;
    let grid = GridParams { radius: 2, intercept_weight: 0.0, norms: Norms::Doubles };
    Ok(bind(&checked, names, delimiter, grid)?)
}
