//! Shrinkage in the eigendirections of the features (theory/many-outcomes 4.2 and 4.3).
//!
//! Both rules use Σ, which must be public, the noisy G̃ and the standard deviation of the noise only.

use nalgebra::DMatrix;

use super::super::linalg::LinalgError;
use super::super::search::first_true;
use super::{Directions, kept};

/// G̃ with each direction multiplied by its factor.
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// f, between 0 and 1, in the order of [`Directions::values`]; 0 if the eigenvalue is 0.
    pub factors: Vec<f64>,
    /// W = V diag(f/λ) V′G̃, d by l.
    pub coefficients: DMatrix<f64>,
}

/// The result of [`sure_ridge`].
#[derive(Clone, Debug)]
pub struct SureRidge {
    /// ν; ∞ if 0 is better than any finite ridge.
    pub ridge: f64,
    /// G̃ and W with it: f = λ/(λ + ν).
    pub shrunk: Shrunk,
}

/// Returns r² of each direction times the number of outcomes, r being the standard deviation of the noise on each entry of that
/// direction of V′G̃.
fn energies(deviations: &[f64], directions: usize, outcomes: usize) -> Result<Vec<f64>, LinalgError> {
    if deviations.len() != directions {
        return Err(LinalgError::Shape);
    }
    let energy = |deviation: &f64| {
        let energy = deviation * deviation * outcomes as f64;
        if *deviation >= 0.0 && energy.is_finite() { Ok(energy) } else { Err(LinalgError::NotFinite) }
    };
    deviations.iter().map(energy).collect()
}

/// The number of grid points in a decade of ν.
const PER_DECADE: f64 = 16.0;
/// The range of ν beyond the eigenvalues, in decades.
const BEYOND: f64 = 8.0;

/// Returns the ridge that minimises Stein's unbiased estimate of the squared error of the fitted values.
///
/// Up to a constant it is Σ (1/λ) ((1 − f)² h² + (2f − 1) l r²) over directions with λ > 0, with f = λ/(λ + ν). h² is the
/// direction's energy in G̃, and r the standard deviation of the noise on each of its entries. The sum may have several minima: a
/// grid of sixteen points in each decade finds the lowest, and a search by the derivative refines it.
///
/// # Errors
/// [`LinalgError`] if the sizes differ, or a number is not finite or below 0.
pub fn sure_ridge(
    features: &Directions,
    noisy: &DMatrix<f64>,
    deviations: &[f64],
) -> Result<SureRidge, LinalgError> {
    let turned = features.turned(noisy)?;
    let noise = energies(deviations, features.values().len(), noisy.ncols())?;
    let directions: Vec<Direction> = features
        .values()
        .iter()
        .zip(Directions::energies(&turned))
        .zip(noise)
        .filter(|((value, _), _)| **value > 0.0)
        .map(|((value, energy), noise)| Direction { value: *value, energy, noise })
        .collect();
    let ridge = least_risk(&directions);
    let factors = features.values().iter().map(|value| kept(*value, ridge)).collect();
    Ok(SureRidge { ridge, shrunk: Shrunk::new(features, turned, factors) })
}

/// Applies the positive-part James-Stein rule to the l coordinates of each direction: f = (1 − (l − 2) r²/h²)₊, and 1 for fewer
/// than three outcomes.
///
/// # Errors
/// As [`sure_ridge`].
pub fn james_stein(
    features: &Directions,
    noisy: &DMatrix<f64>,
    deviations: &[f64],
) -> Result<Shrunk, LinalgError> {
    let turned = features.turned(noisy)?;
    let noise = energies(deviations, features.values().len(), noisy.ncols().saturating_sub(2))?;
    let factor = |((value, energy), noise): ((&f64, f64), f64)| {
        if *value <= 0.0 {
            0.0
        } else if energy > 0.0 {
            (1.0 - noise / energy).max(0.0)
        } else {
            1.0
        }
    };
    let factors =
        features.values().iter().zip(Directions::energies(&turned)).zip(noise).map(factor).collect();
    Ok(Shrunk::new(features, turned, factors))
}

impl Shrunk {
    fn new(features: &Directions, turned: DMatrix<f64>, factors: Vec<f64>) -> Self {
        let inverse = |(factor, value): (&f64, &f64)| if *value > 0.0 { factor / value } else { 0.0 };
        let solved: Vec<f64> = factors.iter().zip(features.values()).map(inverse).collect();
        Self { coefficients: features.back(&solved, turned), factors }
    }
}

/// A direction with a positive eigenvalue.
struct Direction {
    value: f64,
    energy: f64,
    /// l r².
    noise: f64,
}

/// Returns the ν of the least estimated risk.
fn least_risk(directions: &[Direction]) -> f64 {
    let risk = |nu: f64| -> f64 {
        let term = |Direction { value, energy, noise }: &Direction| {
            let f = kept(*value, nu);
            ((1.0 - f) * (1.0 - f) * energy + (2.0 * f - 1.0) * noise) / value
        };
        directions.iter().map(term).sum()
    };
    // Half the derivative.
    let rising = |nu: f64| {
        let term = |Direction { value, energy, noise }: &Direction| {
            (energy * (nu / (value + nu)) - noise) / ((value + nu) * (value + nu))
        };
        directions.iter().map(term).sum::<f64>() > 0.0
    };
    let logarithms = || directions.iter().map(|direction| libm::log10(direction.value));
    let low = logarithms().fold(f64::INFINITY, f64::min) - BEYOND;
    let high = logarithms().fold(f64::NEG_INFINITY, f64::max) + BEYOND;
    let mut best = (risk(0.0), 0.0);
    let mut at = low;
    while at <= high {
        let nu = libm::pow(10.0, at);
        if risk(nu) < best.0 {
            best = (risk(nu), nu);
        }
        at += 1.0 / PER_DECADE;
    }
    if risk(f64::INFINITY) <= best.0 {
        return if directions.iter().any(|direction| direction.noise > 0.0) { f64::INFINITY } else { best.1 };
    }
    if best.1 <= 0.0 {
        return 0.0;
    }
    let neighbour = libm::pow(10.0, 1.0 / PER_DECADE);
    first_true(best.1 / neighbour, best.1 * neighbour, rising)
}
