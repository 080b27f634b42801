//! Coefficients that were released without moments, in own units. Their errors are not known.

use nalgebra::DMatrix;

use crate::data::encode::Geometry;
use crate::inference::report::RegressionTerms;
use crate::model::{Estimate, INTERCEPT};
use crate::release::document::{Coefficients, Diagnostics};
use crate::words;

/// Returns the coefficients in the columns' own units: `weights` are codes of an outcome per code of a predictor, one column for each
/// outcome, and `map` takes own units with the constant to codes ([`Geometry::map`]).
pub fn report(
    geometry: &Geometry,
    layout: &RegressionTerms,
    map: &DMatrix<f64>,
    weights: &DMatrix<f64>,
) -> (Coefficients, Diagnostics) {
    let terms = geometry.terms.iter().take(map.nrows());
    let names: Vec<String> = terms.map(|term| term.name.clone()).collect();
    let constant = names.first().is_some_and(|name| name == INTERCEPT);
    let own_units = map.transpose() * weights;
    let own = |outcome: usize, column: usize| -> Vec<f64> {
        let Some(target) = geometry.terms.get(outcome) else { return Vec::new() };
        let slopes = own_units.column_iter().nth(column);
        let mut estimate: Vec<f64> = slopes
            .into_iter()
            .flat_map(|slopes| slopes.iter().map(|slope| slope * target.scale).collect::<Vec<_>>())
            .collect();
        if let Some(first) = estimate.first_mut().filter(|_| constant) {
            *first += target.centre;
        }
        estimate
    };
    let entry = |estimate| Estimate { estimate: Some(estimate), ..Estimate::WITHHELD };
    let entries: Vec<Vec<Estimate>> = layout
        .outcomes
        .iter()
        .enumerate()
        .map(|(column, (_, outcome))| own(*outcome, column).into_iter().map(entry).collect())
        .collect();
    let outcomes = layout.outcomes.iter().map(|(name, _)| name.clone()).collect();
    let coefficients = Coefficients::of(outcomes, names, &entries);
    let notes = vec![words::note::descent().into(), words::note::gradients_clipped().into()];
    (coefficients, Diagnostics { notes, ..Diagnostics::default() })
}
