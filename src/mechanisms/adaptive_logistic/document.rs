//! The released integers of all rounds with the transform, the radius and every step's coefficients, as a release holds them.

use nalgebra::DMatrix;

use super::progress::Released;
use crate::release::moments::{CodedTerm, Decimals};
use crate::release::steps::{LogisticSteps, StepUnits};

/// Returns everything that was released.
#[must_use]
pub fn steps(released: &Released, coded: Vec<CodedTerm>) -> LogisticSteps {
    let Released { setting, guide, .. } = released;
    let codes = setting.rounds.codes;
    let after = released.steps.iter().map(|step| step.iter().map(|label| label.b.clone()).collect());
    LogisticSteps {
        terms: coded,
        units: StepUnits {
            level: codes.level.to_string(),
            record: codes.record.to_string(),
            count: codes.count.to_string(),
            features: codes.features.to_string(),
            error: codes.error.to_string(),
            bits: codes.bits,
            scales: setting.rounds.all().map(|round| round.scale.get().to_string()).collect(),
        },
        margins: Decimals(released.margins.clone()),
        moments: Decimals(released.moments.clone()),
        tails: Decimals(released.tails.clone()),
        steps: released.answers.iter().cloned().map(Decimals).collect(),
        mean: guide.mean.clone(),
        whitening: rows(&guide.whitening),
        slopes: rows(&guide.slopes),
        feature_radius: released.grid.radius,
        path: std::iter::once(released.start.clone()).chain(after).collect(),
    }
}

fn rows(matrix: &DMatrix<f64>) -> Vec<Vec<f64>> {
    matrix.row_iter().map(|row| row.iter().copied().collect()).collect()
}
