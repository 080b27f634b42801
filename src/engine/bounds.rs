//! From released bounds to the plan that states them.

use super::error::EngineError;
use super::prepare::{ConfiguredPlan, Found, Prepared, Stage};
use crate::mechanisms::estimated_bounds::Setting;
use crate::plan::document::{Bound, Column};
use crate::plan::{Plan, Purpose};
use crate::privacy::mutants::{Mutant, is_active};
use crate::release::Release;
use crate::release::bounds::EstimatedBounds;

/// Prepares the mechanism of a plan whose bounds `stage` has found, as `release` says. It has what the bounds left of the budget, and its
/// release repeats theirs.
///
/// # Errors
/// [`EngineError::NotFound`] where a column has no bounds: then nothing further may be charged. Others as [`super::prepare_with`].
pub fn after_bounds(
    stage: &Prepared,
    release: &Release,
    names: &[String],
    delimiter: u8,
    purpose: Purpose,
) -> Result<Prepared, EngineError> {
    let (Stage::Bounds(sought), Some(bounds)) = (&stage.stage, &release.estimated_bounds) else {
        return Err(EngineError::Internal("no bounds were estimated"));
    };
    let setting = stage.noise::<Setting>().ok_or(EngineError::Internal("no bounds were estimated"))?;
    let plan = state(stage.plan(), &sought.entries, bounds).ok_or(EngineError::NotFound)?;
    let notes = setting.notes(bounds, stage.stated_rows().unwrap_or(0));
    let found = Found { bounds: bounds.clone(), notes };
    ConfiguredPlan::new(plan, false, purpose)?.prepare_found(found, names, delimiter)
}

/// Returns the plan with the bounds that were found, an entry for each column; nothing where one has none.
fn state(plan: &Plan, entries: &[usize], bounds: &EstimatedBounds) -> Option<Plan> {
    let mut stated = plan.clone();
    stated.columns.clear();
    for (index, entry) in plan.columns.iter().enumerate() {
        if !entry.is_estimated() {
            stated.columns.push(entry.clone());
            continue;
        }
        let found = entries.iter().zip(&bounds.columns).filter(|(of, _)| **of == index);
        for (_, column) in found {
            let (lower, upper) = match column.range() {
                None if is_active(Mutant::FitChargedAfterNotFound) => (-1.0, 1.0),
                range => range?,
            };
            stated.columns.push(Column {
                name: Some(column.column.clone()),
                pattern: None,
                lower: Some(Bound::Stated(lower)),
                upper: Some(Bound::Stated(upper)),
                ..entry.clone()
            });
        }
    }
    Some(stated)
}
