//! Coefficients that were released as they are, without moments: their own units, and nothing about their errors.

use nalgebra::DMatrix;

use super::report::Layout;
use crate::data::encode::{Geometry, INTERCEPT};
use crate::release::document::{
    Coefficient, CoefficientTable, Coefficients, Diagnostics, Entry, Interval, LONG_FORM_OUTCOMES,
};

/// The coefficients in the columns' own units: `weights` are codes of an outcome per code of a predictor, one column for each
/// outcome, and `map` takes own units with the constant to codes ([`Geometry::map`]).
#[must_use]
pub fn report(
    geometry: &Geometry,
    layout: &Layout,
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
    let estimates: Vec<Vec<f64>> =
        layout.outcomes.iter().enumerate().map(|(column, (_, outcome))| own(*outcome, column)).collect();
    let coefficients = if layout.outcomes.len() > LONG_FORM_OUTCOMES {
        let outcomes = layout.outcomes.iter().map(|(name, _)| name.clone()).collect();
        let mut table = CoefficientTable::new(outcomes, names);
        for (outcome, estimates) in estimates.iter().enumerate() {
            for (term, estimate) in estimates.iter().enumerate() {
                let entry = Entry {
                    estimate: Some(*estimate),
                    std_error: None,
                    lower: None,
                    upper: None,
                    noise_share: None,
                    interval: Interval::Withheld,
                };
                table.set(outcome, term, entry);
            }
        }
        Coefficients::Table(table)
    } else {
        let entries = layout.outcomes.iter().zip(&estimates).flat_map(|((outcome, _), estimates)| {
            names.iter().zip(estimates).map(|(term, estimate)| Coefficient {
                outcome: outcome.clone(),
                term: term.clone(),
                estimate: Some(*estimate),
                std_error: None,
                lower: None,
                upper: None,
                noise_share: None,
                interval: Interval::Withheld,
            })
        });
        Coefficients::List(entries.collect())
    };
    let notes = vec![
        "The coefficients are where a noisy descent ended. Nothing else was released, so there are no standard errors and no \
         intervals, and no other regression follows from it."
            .to_owned(),
        "Records whose gradient was longer than the clip counted for less. Whether steps and clip were enough is private: settle \
         them on made-up data."
            .to_owned(),
    ];
    (coefficients, Diagnostics { notes, ..Diagnostics::default() })
}
