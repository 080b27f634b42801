//! The guide: means, whitening of the features, rough slopes and residual spreads, from the noisy margins and moments (theory/adaptive 2.3).

use nalgebra::{DMatrix, DVector};

use super::bits::bits26;
use super::margins::Margins;
use super::rough::Standardiser;
use super::terms::Terms;
use super::units::Round;
use crate::math::jacobi_eigen::{Jacobi, product};
use crate::math::linalg::{Cholesky, LinalgError};
use crate::math::round::real;

/// Coordinates in which features are about white and residuals about standard. All numbers have 26 leading bits, and are released.
#[derive(Clone, Debug, PartialEq)]
pub struct Guide {
    /// The means of all D terms, in coded units.
    pub mean: Vec<f64>,
    /// A, lower triangular, P × P: whitened features are A (t_x − mean_x).
    pub whitening: DMatrix<f64>,
    /// B, P × l: rough slopes in coded units.
    pub slopes: DMatrix<f64>,
    /// σ, the residual spread of each outcome in coded units.
    pub spreads: Vec<f64>,
}

impl Guide {
    /// Returns the guide that the noisy margins and the noisy cells of round 2 give.
    ///
    /// # Errors
    /// [`LinalgError`] where the eigenvalues do not settle, which no finite matrix has done.
    pub fn new(
        terms: &Terms,
        round: &Round,
        margins: &Margins,
        standardiser: &Standardiser,
        cells: &[i128],
    ) -> Result<Self, LinalgError> {
        let (p, size) = (terms.features(), terms.len());
        let moments = standardiser.moments(cells);
        let rows = moments[(0, 0)].max(1.0);
        let noise = standardiser.noise(round, rows);
        let mean: Vec<f64> = (0..size).map(|j| moments[(0, j + 1)] / rows).collect();
        let v = DMatrix::from_fn(size, size, |i, j| moments[(i + 1, j + 1)] / rows - mean[i] * mean[j]);
        // The spectral norm of the noise on the features' covariance.
        let floor = std::f64::consts::SQRT_2 * noise * real(p).sqrt();
        let raised = Jacobi::try_new(&v.view((0, 0), (p, p)).into_owned())?.map(|value| value.max(floor));
        let mut shifted = raised.clone();
        for i in 0..p {
            shifted[(i, i)] += floor;
        }
        let factor = Cholesky::try_new(&shifted)?;
        let s = &margins.scales;
        let mut slopes = DMatrix::zeros(p, terms.outcomes());
        let mut spreads = Vec::with_capacity(terms.outcomes());
        for o in 0..terms.outcomes() {
            let cross = DVector::from_fn(p, |j, _| v[(j, p + o)]);
            let beta = factor.solve(&cross);
            let mut square = 0.0;
            let mut explained = 0.0;
            let mut fitted = 0.0;
            for i in 0..p {
                square += beta[i] * beta[i];
                explained += beta[i] * cross[i];
                for j in 0..p {
                    fitted += beta[i] * raised[(i, j)] * beta[j];
                }
            }
            let variance = v[(p + o, p + o)] - 2.0 * explained + fitted;
            let variance = variance.max(2.0 * noise * (1.0 + square));
            for j in 0..p {
                slopes[(j, o)] = bits26(beta[j] * s[p + o] / s[j]);
            }
            spreads.push(bits26(variance.sqrt() * s[p + o]));
        }
        let least = 1.0 / (2.0 * real(terms.coefficients()));
        let mut covariance = DMatrix::from_fn(p, p, |i, j| s[i] * raised[(i, j)] * s[j]);
        for j in 0..p {
            if terms.is_dummy(j) {
                // A rare level makes no long record.
                covariance[(j, j)] = covariance[(j, j)].max(least);
            }
        }
        Ok(Self {
            mean: (0..size).map(|j| bits26(margins.centres[j] + s[j] * mean[j])).collect(),
            whitening: whitening(&covariance).map(bits26),
            slopes,
            spreads,
        })
    }

    /// Returns L′ β for L = A⁻¹ and slopes β of the first `features`, by substitution from the last entry.
    pub fn whitened_slopes(&self, features: usize, slope: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut found = vec![0.0; features];
        for j in (0..features).rev() {
            let mut rest = slope(j);
            for (i, later) in found.iter().enumerate().skip(j + 1) {
                rest -= self.whitening[(i, j)] * later;
            }
            found[j] = rest / self.whitening[(j, j)];
        }
        found
    }

    /// Returns how far a residual of an outcome can be from 0, in units of their spread, where ‖w‖ is at most `radius` (theory/adaptive 4.2).
    pub fn reach(&self, outcome: usize, radius: f64) -> f64 {
        let features = self.whitening.nrows();
        let slopes = self.whitened_slopes(features, |j| self.slopes[(j, outcome)]);
        let along = slopes.iter().map(|slope| slope * slope).sum::<f64>().sqrt() * radius;
        (1.0 + self.mean[features + outcome].abs() + along) / self.spreads[outcome]
    }

    /// Returns H, k × k, with (1, w) = H (1, t_x).
    pub fn map(&self) -> DMatrix<f64> {
        let p = self.whitening.nrows();
        let means = DMatrix::from_fn(p, 1, |j, _| self.mean[j]);
        let moved = product(&self.whitening, &means);
        DMatrix::from_fn(p + 1, p + 1, |i, j| match (i, j) {
            (0, 0) => 1.0,
            (0, _) => 0.0,
            (_, 0) => -moved[(i - 1, 0)],
            _ => self.whitening[(i - 1, j - 1)],
        })
    }
}

/// Returns the inverse of the lower Cholesky factor; where rounding breaks it, that of the diagonal.
fn whitening(covariance: &DMatrix<f64>) -> DMatrix<f64> {
    let p = covariance.nrows();
    let mut inverse = DMatrix::zeros(p, p);
    if let Ok(factor) = Cholesky::try_new(covariance) {
        for j in 0..p {
            let mut unit = DVector::zeros(p);
            unit[j] = 1.0;
            inverse.set_column(j, &factor.solve_lower(&unit));
        }
    } else {
        for j in 0..p {
            inverse[(j, j)] = 1.0 / covariance[(j, j)].sqrt();
        }
    }
    inverse
}
