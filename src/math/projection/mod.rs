//! Reduces the noise of a matrix by projection onto convex sets of possible matrices, and by shrinkage (theory/many-outcomes 3
//! and 4).
//!
//! G = X′Y/n is d by l and has noise on every entry. Σ = X′X/n and S = Y′Y/n are the Gram matrices of its two sides. If X is
//! public, G = X′U/n for some U whose norm is bounded like that of the outcomes ([`outcome_ball`]). If Y is public, the same holds
//! for the features ([`feature_ball`]). If neither is public, the sets of [`nuclear_ball`] and [`positive_trace`] hold. No
//! projection increases the distance of G from the true matrix.
//!
//! d is small and l may be large. No function costs more than d² l and one decomposition of the smaller side's Gram matrix.

mod convex;
mod feature;
mod outcome;
mod shrinkage;

pub use convex::{nuclear_ball, positive_trace};
pub use feature::{FeatureProjection, feature_ball, feature_ball_of_many_outcomes};
pub use outcome::{OutcomeProjection, OutcomeProjections, outcome_ball, outcome_balls};
pub use shrinkage::{Shrunk, SureRidge, james_stein, sure_ridge};

use nalgebra::DMatrix;

use super::linalg::{Eigen, LinalgError, check_entries};

/// The eigendirections of a Gram matrix: Z′Z/n = V diag(λ) V′. Eigenvalues that consist of rounding errors are 0.
#[derive(Clone, Debug)]
pub struct Directions {
    values: Vec<f64>,
    vectors: DMatrix<f64>,
}

impl Directions {
    /// Decomposes a Gram matrix that is a sum over `rows` rows. Eigenvalues up to max(rows, size) ε times the largest are set to
    /// 0, because the rounding errors of the sum may be as large.
    ///
    /// # Errors
    /// [`LinalgError`] if the matrix is not square or not finite, or the decomposition does not converge.
    pub fn try_new(gram: &DMatrix<f64>, rows: u64) -> Result<Self, LinalgError> {
        let Eigen { values, vectors } = Eigen::try_new(gram)?;
        let most = values.iter().copied().fold(0.0, f64::max);
        let terms = (rows as f64).max(gram.nrows() as f64);
        let least = terms * f64::EPSILON * most;
        let values = values.iter().map(|value| if *value > least { *value } else { 0.0 }).collect();
        Ok(Self { values, vectors })
    }

    /// Returns λ, in no particular order.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Returns V, one column for each value.
    pub fn vectors(&self) -> &DMatrix<f64> {
        &self.vectors
    }

    /// Returns V′G for a finite G whose number of rows fits.
    fn turned(&self, noisy: &DMatrix<f64>) -> Result<DMatrix<f64>, LinalgError> {
        check_entries(noisy)?;
        if noisy.nrows() == self.values.len() {
            Ok(self.vectors.tr_mul(noisy))
        } else {
            Err(LinalgError::Shape)
        }
    }

    /// Returns the energy of each direction: the squared length of a row of V′G.
    fn energies(turned: &DMatrix<f64>) -> Vec<f64> {
        let mut energies = vec![0.0; turned.nrows()];
        for column in turned.column_iter() {
            for (energy, entry) in energies.iter_mut().zip(column.iter()) {
                *energy += entry * entry;
            }
        }
        energies
    }

    /// Returns V diag(f) H.
    fn back(&self, factors: &[f64], mut turned: DMatrix<f64>) -> DMatrix<f64> {
        scale_rows(&mut turned, factors);
        &self.vectors * turned
    }
}

/// Returns λ/(λ + ν), the share of a direction that is kept; 0 if λ is 0, for every ν.
fn kept(value: f64, nu: f64) -> f64 {
    if value > 0.0 { value / (value + nu) } else { 0.0 }
}

fn scale_rows(matrix: &mut DMatrix<f64>, factors: &[f64]) {
    for mut column in matrix.column_iter_mut() {
        for (entry, factor) in column.iter_mut().zip(factors) {
            *entry *= factor;
        }
    }
}

/// Returns the square of a bound, which may be 0.
fn squared(bound: f64) -> Result<f64, LinalgError> {
    if bound >= 0.0 && (bound * bound).is_finite() { Ok(bound * bound) } else { Err(LinalgError::NotFinite) }
}
