//! Linear algebra of small dense symmetric matrices on nalgebra, safe for unchecked input.
//!
//! Every function checks that its entries are finite, because an iterative decomposition may not terminate on NaN
//! (nalgebra issue 1025). The numbers of iterations are limited. Failure is an error, never a panic.

use nalgebra::linalg::SymmetricEigen;
use nalgebra::{DMatrix, DVector};

/// The most iterations for each eigenvalue; two or three are usual.
const SWEEPS_PER_VALUE: usize = 60;

/// A pivot below this share of its diagonal entry counts as 0, because it consists of rounding errors.
const PIVOT_FLOOR: f64 = 1e-13;

/// A matrix that cannot be decomposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LinalgError {
    /// An entry is infinite or no number.
    #[error("{}", crate::words::error::linalg_not_finite())]
    NotFinite,
    /// The matrix has no Cholesky factor; the pivot at `index` is not above 0.
    #[error("{}", crate::words::error::linalg_not_positive_definite(index))]
    NotPositiveDefinite {
        /// The pivot, from 0.
        index: usize,
    },
    /// The iteration did not converge.
    #[error("{}", crate::words::error::linalg_no_convergence())]
    NoConvergence,
    /// Sizes that do not fit together, or an empty matrix.
    #[error("{}", crate::words::error::linalg_shape())]
    Shape,
}

/// The factor L of A = L L′.
#[derive(Clone, Debug, PartialEq)]
pub struct Cholesky {
    lower: DMatrix<f64>,
}

impl Cholesky {
    /// Factors the symmetric matrix `a`, of which the lower triangle is read.
    ///
    /// # Errors
    /// [`LinalgError`] when `a` is not square, not finite or not positive definite beyond rounding.
    pub fn try_new(a: &DMatrix<f64>) -> Result<Self, LinalgError> {
        check(a)?;
        let size = a.nrows();
        let mut lower = a.lower_triangle();
        for j in 0..size {
            let scale = a[(j, j)];
            let pivot = lower[(j, j)];
            // Each pivot is compared with its own diagonal entry, so that the result does not depend on the columns' units.
            if !(pivot > 0.0 && pivot > PIVOT_FLOOR * scale) {
                return Err(LinalgError::NotPositiveDefinite { index: j });
            }
            let root = pivot.sqrt();
            lower[(j, j)] = root;
            for i in j + 1..size {
                lower[(i, j)] /= root;
            }
            for k in j + 1..size {
                let factor = lower[(k, j)];
                for i in k..size {
                    lower[(i, k)] -= lower[(i, j)] * factor;
                }
            }
        }
        if lower.iter().all(|entry| entry.is_finite()) {
            Ok(Self { lower })
        } else {
            Err(LinalgError::NotFinite)
        }
    }

    /// Returns L.
    #[must_use]
    pub fn lower(&self) -> &DMatrix<f64> {
        &self.lower
    }

    /// Returns x with A x = b; the zero vector if the length of b is wrong.
    #[must_use]
    pub fn solve(&self, b: &DVector<f64>) -> DVector<f64> {
        let mut x = self.solve_lower(b);
        let size = x.len();
        for i in (0..size).rev() {
            let known: f64 = (i + 1..size).map(|k| self.lower[(k, i)] * x[k]).sum();
            x[i] = (x[i] - known) / self.lower[(i, i)];
        }
        x
    }

    /// Returns x with L x = b; the zero vector if the length of b is wrong.
    #[must_use]
    pub fn solve_lower(&self, b: &DVector<f64>) -> DVector<f64> {
        let size = self.lower.nrows();
        let mut x = if b.len() == size { b.clone() } else { DVector::zeros(size) };
        for i in 0..size {
            let known: f64 = (0..i).map(|k| self.lower[(i, k)] * x[k]).sum();
            x[i] = (x[i] - known) / self.lower[(i, i)];
        }
        x
    }

    /// Returns A⁻¹, exactly symmetric.
    #[must_use]
    pub fn inverse(&self) -> DMatrix<f64> {
        let size = self.lower.nrows();
        let mut inverse = DMatrix::zeros(size, size);
        for j in 0..size {
            let mut unit = DVector::zeros(size);
            unit[j] = 1.0;
            inverse.set_column(j, &self.solve(&unit));
        }
        symmetrise(&inverse)
    }

    /// Returns L⁻¹ A L⁻ᵀ for a symmetric matrix of the same size.
    ///
    /// # Errors
    /// [`LinalgError::Shape`] for another size.
    pub fn whiten(&self, a: &DMatrix<f64>) -> Result<DMatrix<f64>, LinalgError> {
        if a.shape() != self.lower.shape() {
            return Err(LinalgError::Shape);
        }
        let half =
            DMatrix::from_columns(&a.column_iter().map(|c| self.solve_lower(&c.into())).collect::<Vec<_>>());
        let turned = half.transpose();
        let whole = DMatrix::from_columns(
            &turned.column_iter().map(|c| self.solve_lower(&c.into())).collect::<Vec<_>>(),
        );
        Ok(symmetrise(&whole))
    }
}

/// Eigenvalues and eigenvectors: A = Q diag(values) Q′.
#[derive(Clone, Debug)]
pub struct Eigen {
    /// In no particular order.
    pub values: DVector<f64>,
    /// One column per value.
    pub vectors: DMatrix<f64>,
}

impl Eigen {
    /// Decomposes the symmetric matrix `a`.
    ///
    /// # Errors
    /// [`LinalgError`] if `a` is not square or not finite, or the iteration does not converge.
    pub fn try_new(a: &DMatrix<f64>) -> Result<Self, LinalgError> {
        check(a)?;
        // Scaling by a power of two is exact and prevents overflow inside the iteration.
        let largest = a.amax();
        let scale = if largest > 0.0 { libm::ldexp(1.0, libm::ilogb(largest)) } else { 1.0 };
        let iterations = SWEEPS_PER_VALUE.saturating_mul(a.nrows());
        let eigen = SymmetricEigen::try_new(symmetrise(&(a / scale)), f64::EPSILON, iterations)
            .ok_or(LinalgError::NoConvergence)?;
        let values = eigen.eigenvalues * scale;
        if values.iter().all(|value| value.is_finite()) {
            Ok(Self { values, vectors: eigen.eigenvectors })
        } else {
            Err(LinalgError::NoConvergence)
        }
    }

    /// Returns the smallest eigenvalue.
    #[must_use]
    pub fn smallest(&self) -> f64 {
        self.values.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// Returns the largest eigenvalue.
    #[must_use]
    pub fn largest(&self) -> f64 {
        self.values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }

    /// Returns Q diag(f(values)) Q′.
    #[must_use]
    pub fn map(&self, f: impl Fn(f64) -> f64) -> DMatrix<f64> {
        let mut scaled = self.vectors.clone();
        for (mut column, &value) in scaled.column_iter_mut().zip(self.values.iter()) {
            column *= f(value);
        }
        symmetrise(&(scaled * self.vectors.transpose()))
    }
}

/// Returns (A + A′) / 2.
#[must_use]
pub fn symmetrise(a: &DMatrix<f64>) -> DMatrix<f64> {
    (a + a.transpose()) / 2.0
}

fn check(a: &DMatrix<f64>) -> Result<(), LinalgError> {
    if !a.is_square() || a.is_empty() {
        Err(LinalgError::Shape)
    } else if a.iter().all(|entry| entry.is_finite()) {
        Ok(())
    } else {
        Err(LinalgError::NotFinite)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> DMatrix<f64> {
        DMatrix::from_row_slice(3, 3, &[900.0, 100.0, -50.0, 100.0, 700.0, 20.0, -50.0, 20.0, 500.0])
    }

    #[test]
    fn a_factor_times_its_transpose_gives_the_matrix_back() {
        let factor = Cholesky::try_new(&example()).unwrap();
        assert!((factor.lower() * factor.lower().transpose() - example()).amax() < 1e-12);
        assert!((factor.inverse() * example() - DMatrix::identity(3, 3)).amax() < 1e-14);
        let b = DVector::from_row_slice(&[1.0, -2.0, 3.0]);
        assert!((example() * factor.solve(&b) - b).amax() < 1e-14);
        assert!((factor.whiten(&example()).unwrap() - DMatrix::identity(3, 3)).amax() < 1e-14);
    }

    #[test]
    fn eigenvalues_and_vectors_give_the_matrix_back_at_every_scale() {
        for scale in [1e-290, 1.0, 1e290] {
            let a = example() * scale;
            let eigen = Eigen::try_new(&a).unwrap();
            assert!((eigen.map(|value| value) - &a).amax() < 1e-12 * 900.0 * scale);
            assert!(eigen.smallest() > 400.0 * scale && eigen.largest() < 1000.0 * scale);
        }
        assert!(Eigen::try_new(&DMatrix::zeros(2, 2)).unwrap().smallest().abs() < 1e-300);
    }

    #[test]
    fn hostile_matrices_are_errors() {
        for bad in [f64::NAN, f64::INFINITY] {
            let mut a = example();
            a[(2, 1)] = bad;
            a[(1, 2)] = bad;
            assert_eq!(Cholesky::try_new(&a).err(), Some(LinalgError::NotFinite));
            assert_eq!(Eigen::try_new(&a).err(), Some(LinalgError::NotFinite));
        }
        let singular = DMatrix::from_element(3, 3, 1.0 / 3.0);
        assert_eq!(Cholesky::try_new(&singular).err(), Some(LinalgError::NotPositiveDefinite { index: 1 }));
        assert_eq!(Cholesky::try_new(&DMatrix::zeros(2, 3)).err(), Some(LinalgError::Shape));
        assert_eq!(Eigen::try_new(&DMatrix::zeros(0, 0)).err(), Some(LinalgError::Shape));
        assert_eq!(Cholesky::try_new(&DMatrix::from_element(1, 1, -1.0)).err().map(|e| e.to_string()), {
            Some("a matrix is not positive definite at pivot 0".to_owned())
        });
    }
}
