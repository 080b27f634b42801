//! Standard errors of a regression without noise, for forecasts (theory/inference 5.1).

use nalgebra::{DMatrix, DVector};

use super::newton::Link;
use super::synthetic::moments;
use crate::math::linalg::Cholesky;

/// Newton steps of a logistic regression.
const STEPS: usize = 8;

/// Returns the standard error of each coefficient of an outcome on features, of which one may be constant: of least squares, or
/// of a logistic regression of an outcome of two values. All lists have a number for each record, and the errors are those with
/// so many records. `None` if a coefficient is not determined.
pub fn standard_errors(features: &[&[f64]], outcome: &[f64], link: Link) -> Option<Vec<f64>> {
    let size = features.len();
    let (low, high) =
        outcome.iter().fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(*value), high.max(*value)));
    let answer = |value: f64| match link {
        Link::Identity => value,
        Link::Logit => (value - low) / (high - low),
    };
    let mut coefficients = DVector::zeros(size);
    // The curvature and the gradient there, and what is left of the outcome.
    let at = |coefficients: &DVector<f64>| {
        let (mut curvature, mut gradient) = (DMatrix::zeros(size, size), DVector::zeros(size));
        let mut left = Vec::with_capacity(outcome.len());
        for (record, value) in outcome.iter().enumerate() {
            let row = DVector::from_iterator(size, features.iter().map(|feature| feature[record]));
            let along = row.dot(coefficients);
            let (mean, weight) = match link {
                Link::Identity => (along, 1.0),
                Link::Logit => {
                    let chance = 1.0 / (1.0 + libm::exp(-along));
                    (chance, chance * (1.0 - chance))
                }
            };
            let rest = answer(*value) - mean;
            left.push(rest);
            gradient.axpy(rest, &row, 1.0);
            curvature.syger(weight, &row, &row, 1.0);
        }
        (curvature, gradient, left)
    };
    let steps = if link == Link::Logit { STEPS } else { 1 };
    for _ in 0..steps {
        let (curvature, gradient, _) = at(&coefficients);
        coefficients += Cholesky::try_new(&curvature).ok()?.solve(&gradient);
    }
    let (curvature, _, left) = at(&coefficients);
    let variance = match link {
        Link::Identity => moments(&left).1,
        Link::Logit => 1.0,
    };
    let inverse = Cholesky::try_new(&curvature).ok()?.inverse();
    Some(inverse.diagonal().iter().map(|entry| (variance * entry).sqrt()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of two groups the errors are known: of a mean difference, and of a log odds ratio by Woolf's formula.
    #[test]
    fn two_groups_have_the_errors_of_the_textbook() {
        let group: Vec<f64> = (0..200).map(|record| f64::from(u8::from(record < 50))).collect();
        let yes: Vec<f64> = (0..200)
            .map(|record| f64::from(u8::from(if record < 50 { record < 20 } else { record % 5 == 0 })))
            .collect();
        let features = [[1.0; 200].as_slice(), &group];
        let found = standard_errors(&features, &yes, Link::Logit).unwrap();
        let woolf = (1.0 / 20.0 + 1.0 / 30.0 + 1.0 / 30.0 + 1.0 / 120.0_f64).sqrt();
        assert!((found[1] - woolf).abs() < 1e-9, "{found:?} {woolf}");
        let found = standard_errors(&features, &yes, Link::Identity).unwrap();
        let pooled = (50.0 * 0.4 * 0.6 + 150.0 * 0.2 * 0.8) / 200.0;
        let difference = (pooled * (1.0 / 50.0 + 1.0 / 150.0_f64)).sqrt();
        assert!((found[1] - difference).abs() < 1e-9, "{found:?} {difference}");
    }
}
