//! Makes a plan with the bounds that a release has found.

use std::sync::Arc;

use super::error::EngineError;
use super::prepare::{ConfiguredPlan, Found, Prepared, Stage};
use crate::mechanisms::estimated_bounds::Setting;
use crate::mechanisms::estimated_bounds::forecast::{Outlook, Prospect};
use crate::plan::document::{Bound, Column};
use crate::plan::{CheckedPlan, Plan, Purpose};
use crate::privacy::mutants::{Mutant, is_active};
use crate::release::Release;
use crate::release::bounds::EstimatedBounds;

/// Whether the stated rows are enough to estimate the bounds of a plan, from public numbers alone (theory/estimated-bounds 4.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundsOutlook {
    /// The forecast.
    pub prospect: Prospect,
    /// The stated rows.
    pub rows: u64,
    /// Rows below which a plan is refused.
    pub rows_for_any: u64,
    /// The number of rows from which ordinary columns get good ranges.
    pub rows_for_good: u64,
}

/// Returns what to expect of estimating the bounds of `columns` columns under a plan. `None` if nothing is set aside for it, or
/// the plan has a fault.
pub fn bounds_outlook(plan: &Plan, columns: usize) -> Option<BoundsOutlook> {
    let checked = CheckedPlan::new(plan.clone(), Purpose::Simulate).ok()?;
    let (units, rows) = (checked.estimation?.units, checked.public_rows()?);
    let outlook = Outlook::new(columns, checked.adjacency, checked.max_rows_per_person, units);
    Some(BoundsOutlook {
        prospect: outlook.of(rows),
        rows,
        rows_for_any: outlook.rows_for_any(),
        rows_for_good: outlook.rows_for_good(),
    })
}

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
    let found =
        Stage::Found(Arc::new(Found { bounds: bounds.clone(), notes, events: stage.events().to_vec() }));
    ConfiguredPlan::new(plan, false, purpose)?.resolve(None, names, delimiter, found)
}

/// Returns the plan with the bounds that were found, an entry for each column. `None` if one has none.
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
