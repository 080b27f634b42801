//! Whether a guided fit of a prepared plan can be stable, and what errors Newton steps will have, from public numbers alone.

use super::prepare::Prepared;
use crate::inference::forecast::TermForecast;
use crate::inference::preflight::{Design, Preflight};
use crate::plan::document::Calibration;

/// What to expect of the plan's rows and budget; nothing for a mechanism without public moments, for the paper's own scale,
/// or without a number of rows.
#[must_use]
pub fn preflight(prepared: &Prepared) -> Option<Preflight> {
    let checked = prepared.checked();
    let rows = prepared.stated_rows()?;
    let mu = prepared.cost()?.mu?;
    let guide = prepared.whitener()?;
    let params = &prepared.plan().mechanism.params;
    if checked.calibration == Calibration::Paper {
        return None;
    }
    let family = prepared.all_rounds().family(prepared.task())?;
    let design = Design {
        terms: guide.terms.len(),
        eta: params.get("eta")?.as_f64()?,
        tight: params.get("radius_rule")?.as_str()? == "tight",
        adjacency: checked.adjacency,
        max_rows_per_person: checked.max_rows_per_person,
        family,
    };
    Some(design.ask(rows, mu))
}

/// The errors to expect of a plan's Newton steps, at least; nothing for another mechanism, without a budget, or without a number of
/// rows. [`forecast`](crate::inference::forecast) says what is assumed.
#[must_use]
pub fn standard_errors(prepared: &Prepared) -> Option<Vec<TermForecast>> {
    prepared.cost()?;
    prepared.all_rounds().standard_errors(prepared.task(), prepared.stated_rows()?)
}
