//! The released integers of all rounds, the transform and the radii, as a release holds them.

use nalgebra::DMatrix;

use super::last::Grid;
use super::progress::Released;
use crate::math::jacobi_eigen::product;
use crate::mechanisms::adaptive::units::Round;
use crate::model::{INTERCEPT, NoiseLaw};
use crate::release::moments::{AdaptiveRounds, AdaptiveUnits, CodedTerm, Decimals, ReleasedMoments, Term};

/// Returns the moments of the last round with what the earlier rounds gave.
#[must_use]
pub fn moments(released: &Released, coded: Vec<CodedTerm>) -> ReleasedMoments {
    let (rounds, guide) = (&released.setting.rounds, &released.guide);
    let terms = &released.setting.terms;
    let (k, side) = (terms.coefficients(), terms.len() + 1);
    let grid = Grid::new(terms, rounds.codes, &released.radii);
    // The cells are the upper triangle, row by row.
    let cell = |i: usize, j: usize| {
        let (row, column) = (i.min(j), i.max(j));
        let place = row * (2 * side - row + 1) / 2 + column - row;
        released.last.get(place).map_or_else(String::new, ToString::to_string)
    };
    let matrix = (0..side).map(|row| (0..side).map(|column| cell(row, column)).collect()).collect();
    let names = std::iter::once(INTERCEPT).chain(coded.iter().map(|term| term.term.as_str()));
    let units = names.enumerate();
    let units =
        units.map(|(place, name)| Term { term: name.to_owned(), centre: 0.0, scale: grid.unit(place, k) });
    // H takes coded features; the document's map takes the columns in their own units.
    let own = DMatrix::from_fn(k, k, |i, j| match (i, j) {
        (0, 0) => 1.0,
        (0, _) => 0.0,
        (_, 0) => -coded[i - 1].centre / coded[i - 1].half_width,
        _ if i == j => 1.0 / coded[i - 1].half_width,
        _ => 0.0,
    });
    let scale = |round: &Round| round.scale.get().to_string();
    ReleasedMoments {
        terms: units.collect(),
        whitening: Some(rows(&product(&guide.map(), &own))),
        matrix: Some(matrix),
        blocks: None,
        noise: Some(NoiseLaw::WeightedDiscreteGaussian { s: scale(&rounds.last), weight: rounds.weight }),
        adaptive: Some(AdaptiveRounds {
            units: AdaptiveUnits {
                level: rounds.codes.level.to_string(),
                record: rounds.codes.record.to_string(),
                count: rounds.codes.count.to_string(),
                features: rounds.codes.features.to_string(),
                outcome: rounds.codes.outcome.to_string(),
                scales: [&rounds.margins, &rounds.moments, &rounds.tails, &rounds.last].map(scale),
            },
            terms: coded,
            margins: Decimals(released.margins.clone()),
            moments: Decimals(released.moments.clone()),
            tails: Decimals(released.tails.clone()),
            mean: guide.mean.clone(),
            whitening: rows(&guide.whitening),
            slopes: rows(&guide.slopes),
            spreads: guide.spreads.clone(),
            feature_radius: released.radii.features,
            outcome_radii: released.radii.outcomes.clone(),
            unseen: released.radii.unseen,
        }),
    }
}

fn rows(matrix: &DMatrix<f64>) -> Vec<Vec<f64>> {
    matrix.row_iter().map(|row| row.iter().copied().collect()).collect()
}
