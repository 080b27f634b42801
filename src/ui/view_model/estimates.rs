//! What to expect of bounds that are estimated, from public numbers.

use crate::engine::{BoundsOutlook, bounds_outlook};
use crate::mechanisms::estimated_bounds::forecast::Prospect;
use crate::plan::Plan;
use crate::plan::document::{Column, Confirm};
use crate::ui::draft::patterns::claims;

/// Says what the stated rows mean for the bounds that a plan estimates in a table of these columns. `None` if it estimates none.
pub fn bounds_of(plan: &Plan, names: &[String]) -> Option<BoundsOutlook> {
    if !plan.estimates() {
        return None;
    }
    let person = plan.person.as_deref().unwrap_or_default();
    let claims = claims(&plan.columns, names, person);
    let entries = plan.columns.iter().zip(claims).filter(|(entry, _)| Column::is_estimated(entry));
    bounds_outlook(plan, entries.map(|(_, rows)| rows.len()).sum())
}

/// Returns whether the person has still to accept that bounds may not be found.
pub fn needs_consent(plan: &Plan, outlook: Option<&BoundsOutlook>) -> bool {
    outlook.is_some_and(|outlook| outlook.prospect == Prospect::Doubtful)
        && !plan.confirm.contains(&Confirm::UncertainBounds)
}
