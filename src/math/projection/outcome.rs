//! Projections for public features and private outcomes (theory/many-outcomes 3.1).

use nalgebra::DMatrix;

use super::super::linalg::LinalgError;
use super::super::secular_equation::solve_secular;
use super::{Directions, squared};

/// The projection of a noisy G onto the set of possible ones, with one bound for all outcomes.
#[derive(Clone, Debug)]
pub struct OutcomeProjection {
    /// ν, the ridge to which the projection is equivalent: 0 if G̃ was in the set, ∞ if the bound is 0.
    pub ridge: f64,
    /// W = (Σ + νI)⁻¹ G̃ on the range of Σ, d by l: ridge regression with G̃. The projection itself is Σ W.
    pub coefficients: DMatrix<f64>,
}

/// The projection with a bound for each outcome.
#[derive(Clone, Debug)]
pub struct OutcomeProjections {
    /// ν of each outcome.
    pub ridges: Vec<f64>,
    /// W; the projection itself is Σ W.
    pub coefficients: DMatrix<f64>,
}

/// Projects G̃ onto { X′U/n : ‖U‖_F <= √n `bound` }, given the directions of Σ = X′X/n.
///
/// `bound` is the largest norm of a person's row of outcomes. ν is the smallest at which the fitted values satisfy
/// ‖X W‖_F <= √n `bound` (the secular equation with the energies of all outcomes together). A further ridge on W would shrink
/// twice.
///
/// # Errors
/// [`LinalgError`] if the sizes differ, a number is not finite, or a bound is below 0.
pub fn outcome_ball(
    features: &Directions,
    noisy: &DMatrix<f64>,
    bound: f64,
) -> Result<OutcomeProjection, LinalgError> {
    let turned = features.turned(noisy)?;
    let ridge = solve_secular(features.values(), &Directions::energies(&turned), squared(bound)?)?;
    let inverse: Vec<f64> = features.values().iter().map(|value| inverse(*value, ridge)).collect();
    Ok(OutcomeProjection { ridge, coefficients: features.back(&inverse, turned) })
}

/// Projects column j of G̃ onto { X′u/n : ‖u‖ <= √n `bounds[j]` }, each with its own ν. This set is smaller than that of
/// [`outcome_ball`] if each outcome is bounded alone.
///
/// # Errors
/// As [`outcome_ball`]; also if the numbers of bounds and outcomes differ.
pub fn outcome_balls(
    features: &Directions,
    noisy: &DMatrix<f64>,
    bounds: &[f64],
) -> Result<OutcomeProjections, LinalgError> {
    if noisy.ncols() != bounds.len() {
        return Err(LinalgError::Shape);
    }
    let mut coefficients = features.turned(noisy)?;
    let mut ridges = Vec::with_capacity(bounds.len());
    let mut energies = vec![0.0; features.values().len()];
    for (j, bound) in bounds.iter().enumerate() {
        let mut solved = coefficients.column_mut(j);
        for (energy, entry) in energies.iter_mut().zip(solved.iter()) {
            *energy = entry * entry;
        }
        let ridge = solve_secular(features.values(), &energies, squared(*bound)?)?;
        for (k, value) in features.values().iter().enumerate() {
            solved[k] *= inverse(*value, ridge);
        }
        ridges.push(ridge);
    }
    Ok(OutcomeProjections { ridges, coefficients: features.vectors() * coefficients })
}

/// Returns 1/(λ + ν); 0 if λ is 0.
fn inverse(value: f64, nu: f64) -> f64 {
    if value > 0.0 { 1.0 / (value + nu) } else { 0.0 }
}
