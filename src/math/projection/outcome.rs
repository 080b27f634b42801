//! Projections for known features and unknown outcomes (primo 1.7).

use nalgebra::DMatrix;

use super::super::linalg::LinalgError;
use super::super::secular_equation::solve_secular;
use super::{Directions, kept, squared};

/// A noisy G put back among those that some outcomes within one bound give.
#[derive(Clone, Debug)]
pub struct OutcomeProjection {
    /// ν, the ridge that the projection amounts to: 0 where G̃ was possible, ∞ where the bound is 0.
    pub ridge: f64,
    /// Ĝ = Σ (Σ + νI)⁻¹ G̃, d by l.
    pub association: DMatrix<f64>,
    /// W = (Σ + νI)⁻¹ G̃ on the range of Σ, d by l: least squares from Ĝ, and ridge regression from G̃.
    pub coefficients: DMatrix<f64>,
}

/// The same with a ball for each outcome.
#[derive(Clone, Debug)]
pub struct OutcomeProjections {
    /// ν of each outcome.
    pub ridges: Vec<f64>,
    /// Ĝ.
    pub association: DMatrix<f64>,
    /// W.
    pub coefficients: DMatrix<f64>,
}

/// Projects G̃ onto { X′U/n : ‖U‖_F <= √n `bound` }, given the directions of Σ = X′X/n.
///
/// `bound` is one on the length of each person's row of outcomes. ν is the smallest for which the fitted values keep within it:
/// ‖X W‖_F <= √n `bound` (the secular equation with the energies of all outcomes together). No further ridge belongs to W: that
/// would shrink twice.
///
/// # Errors
/// [`LinalgError`] when the sizes differ, or a number is not finite or a bound below 0.
pub fn outcome_ball(
    features: &Directions,
    noisy: &DMatrix<f64>,
    bound: f64,
) -> Result<OutcomeProjection, LinalgError> {
    let turned = features.turned(noisy)?;
    let ridge = solve_secular(features.values(), &Directions::energies(&turned), squared(bound)?)?;
    let share: Vec<f64> = features.values().iter().map(|value| kept(*value, ridge)).collect();
    let inverse: Vec<f64> = features.values().iter().map(|value| inverse(*value, ridge)).collect();
    let coefficients = features.back(&inverse, turned.clone());
    Ok(OutcomeProjection { ridge, association: features.back(&share, turned), coefficients })
}

/// Projects column j of G̃ onto { X′u/n : ‖u‖ <= √n `bounds[j]` }, with a ν of its own: a smaller set than [`outcome_ball`]'s
/// where each outcome is bounded by itself.
///
/// # Errors
/// As [`outcome_ball`]; also when there are not as many bounds as outcomes.
pub fn outcome_balls(
    features: &Directions,
    noisy: &DMatrix<f64>,
    bounds: &[f64],
) -> Result<OutcomeProjections, LinalgError> {
    if noisy.ncols() != bounds.len() {
        return Err(LinalgError::Shape);
    }
    let mut coefficients = features.turned(noisy)?;
    let mut association = coefficients.clone();
    let mut ridges = Vec::with_capacity(bounds.len());
    let mut energies = vec![0.0; features.values().len()];
    for (j, bound) in bounds.iter().enumerate() {
        let (mut solved, mut projected) = (coefficients.column_mut(j), association.column_mut(j));
        for (energy, entry) in energies.iter_mut().zip(projected.iter()) {
            *energy = entry * entry;
        }
        let ridge = solve_secular(features.values(), &energies, squared(*bound)?)?;
        for (k, value) in features.values().iter().enumerate() {
            solved[k] *= inverse(*value, ridge);
            projected[k] *= kept(*value, ridge);
        }
        ridges.push(ridge);
    }
    let vectors = features.vectors();
    Ok(OutcomeProjections {
        ridges,
        association: vectors * association,
        coefficients: vectors * coefficients,
    })
}

/// 1/(λ + ν); 0 where there is no eigenvalue.
fn inverse(value: f64, nu: f64) -> f64 {
    if value > 0.0 { 1.0 / (value + nu) } else { 0.0 }
}
