//! The projection for public outcomes and private features (theory/many-outcomes 3.2).

use nalgebra::DMatrix;

use super::super::linalg::{LinalgError, check_entries};
use super::super::secular_equation::solve_secular;
use super::{Directions, kept, scale_rows, squared};

/// The projection of a noisy G onto the set of possible ones.
#[derive(Clone, Debug)]
pub struct FeatureProjection {
    /// ν: 0 if G̃ was in the set, ∞ if the bound is 0.
    pub ridge: f64,
    /// Ĝ = G̃ S (S + νI)⁻¹, d by l.
    pub association: DMatrix<f64>,
}

/// Projects G̃ onto { U′Y/n : ‖U‖_F <= √n `bound` }, given the directions of the l by l Gram matrix S = Y′Y/n.
///
/// `bound` is the largest norm of a person's row of features. The covariance of the features is not changed.
/// For more outcomes than rows [`feature_ball_of_many_outcomes`] is cheaper.
///
/// # Errors
/// [`LinalgError`] if the sizes differ, a number is not finite, or the bound is below 0.
pub fn feature_ball(
    outcomes: &Directions,
    noisy: &DMatrix<f64>,
    bound: f64,
) -> Result<FeatureProjection, LinalgError> {
    let turned = outcomes.turned(&noisy.transpose())?;
    let ridge = solve_secular(outcomes.values(), &Directions::energies(&turned), squared(bound)?)?;
    let share: Vec<f64> = outcomes.values().iter().map(|value| kept(*value, ridge)).collect();
    Ok(FeatureProjection { ridge, association: outcomes.back(&share, turned).transpose() })
}

/// Computes [`feature_ball`] from the n by l outcomes Y and the directions of their n by n Gram matrix K = Y Y′/n, for l > n.
///
/// The directions of S with an eigenvalue are Y′P/√(n λ), so that √λ V′G̃′ = P′Y G̃′/√n, and Ĝ′ = Y′P (λ + ν)⁻¹ P′Y G̃′/n.
///
/// # Errors
/// As [`feature_ball`].
pub fn feature_ball_of_many_outcomes(
    rows: &Directions,
    outcomes: &DMatrix<f64>,
    noisy: &DMatrix<f64>,
    bound: f64,
) -> Result<FeatureProjection, LinalgError> {
    check_entries(noisy)?;
    check_entries(outcomes)?;
    if noisy.ncols() != outcomes.ncols() {
        return Err(LinalgError::Shape);
    }
    let n = outcomes.nrows() as f64;
    let mut turned = rows.turned(&(outcomes * noisy.transpose() / n.sqrt()))?;
    let energies: Vec<f64> = Directions::energies(&turned)
        .iter()
        .zip(rows.values())
        .map(|(energy, value)| if *value > 0.0 { energy / value } else { 0.0 })
        .collect();
    let ridge = solve_secular(rows.values(), &energies, squared(bound)?)?;
    let inverse: Vec<f64> =
        rows.values().iter().map(|value| if *value > 0.0 { 1.0 / (value + ridge) } else { 0.0 }).collect();
    scale_rows(&mut turned, &inverse);
    let combined = (rows.vectors() * turned) / n.sqrt();
    Ok(FeatureProjection { ridge, association: combined.tr_mul(outcomes) })
}
