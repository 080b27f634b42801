//! Whether a guided fit of a prepared plan can be stable, and what errors Newton steps will have, from public numbers alone.

use super::prepare::Prepared;
use super::publish::setting;
use crate::inference::forecast::{Rows, TermForecast, forecast};
use crate::inference::preflight::{Design, Family, Preflight};
use crate::mechanisms::{Mechanism, Noise, newton};
use crate::plan::document::Calibration;

/// What to expect of the plan's rows and budget; nothing for a mechanism without guided second moments, for the paper's own scale,
/// or without a number of rows.
#[must_use]
pub fn preflight(prepared: &Prepared) -> Option<Preflight> {
    let checked = &prepared.checked;
    let rows = checked.rows.or(checked.plan.stated_rows)?;
    let mu = prepared.cost()?.mu?;
    let guide = prepared.guide()?;
    let params = &prepared.plan.mechanism.params;
    if checked.calibration == Calibration::Paper {
        return None;
    }
    let family = match &prepared.mechanism {
        Mechanism::Ridge(_) => Family::Ridge,
        Mechanism::Newton(parameters) => {
            let each = params.get("steps")?.as_u64()?;
            let steps = u32::try_from(each.saturating_mul(prepared.layout.outcomes() as u64)).ok()?;
            match parameters.family {
                newton::Family::Gaussian => Family::Gaussian { steps },
                newton::Family::Logistic => {
                    let chances = guide.outcomes.iter().flatten().map(|outcome| outcome.mean);
                    // The rarest, or the most frequent, needs most rows.
                    let chance = chances.min_by(|a, b| (a * (1.0 - a)).total_cmp(&(b * (1.0 - b))));
                    Family::Logistic { steps, chance }
                }
            }
        }
        _ => return None,
    };
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
    let checked = &prepared.checked;
    let count = checked.rows.or(checked.plan.stated_rows)?;
    let Noise::Newton(noise) = &prepared.cost()?.noise else { return None };
    let outcomes = prepared.guide().map(|guide| guide.outcomes.as_slice()).unwrap_or_default();
    let chances: Vec<Option<f64>> =
        outcomes.iter().map(|outcome| outcome.as_ref().map(|outcome| outcome.mean)).collect();
    let rows = Rows { count, chances: &chances, radius: noise.unit * f64::from(prepared.bound.grid.radius) };
    forecast(&prepared.geometry, &prepared.bound, &setting(prepared, noise), rows)
}
