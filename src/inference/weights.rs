//! Coefficients that were released as they are, without moments: their own units, and nothing about their errors.

use nalgebra::DMatrix;

use super::report::Layout;
use crate::data::encode::{Geometry, INTERCEPT};
use crate::release::document::{
    Coefficient, CoefficientTable, Coefficients, Diagnostics, Entry, Interval, LONG_FORM_OUTCOMES,
};

/// The coefficients in the columns' own units: `weights` are codes of an outcome per code of a predictor, one column for each
/// outcome, the constant first if there is one.
#[must_use]
pub fn report(geometry: &Geometry, layout: &Layout, weights: &DMatrix<f64>) -> (Coefficients, Diagnostics) {
    let constant = geometry.terms.first().is_some_and(|term| term.name == INTERCEPT);
    let predictors: Vec<_> =
        constant.then_some(0).into_iter().chain(layout.predictors.iter().copied()).collect();
    let names: Vec<String> =
        predictors.iter().filter_map(|&index| Some(geometry.terms.get(index)?.name.clone())).collect();
    let own = |outcome: usize, column: usize| -> Vec<f64> {
        let Some(target) = geometry.terms.get(outcome) else { return Vec::new() };
        let mut estimate: Vec<f64> = predictors
            .iter()
            .enumerate()
            .filter_map(|(row, &index)| {
                Some(target.scale * weights.get((row, column))? / geometry.terms.get(index)?.scale)
            })
            .collect();
        if constant {
            let shift: f64 = predictors
                .iter()
                .zip(&estimate)
                .skip(1)
                .filter_map(|(&index, slope)| Some(slope * geometry.terms.get(index)?.centre))
                .sum();
            if let Some(first) = estimate.first_mut() {
                *first += target.centre - shift;
            }
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
