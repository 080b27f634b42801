//! Computes roots of a positive definite matrix whose rows have different units, by the one-sided Jacobi method.

use nalgebra::{DMatrix, DVector};

use super::linalg::{LinalgError, check_entries, symmetrise};
use crate::math::round::real;

/// The most sweeps over all pairs of columns; six to ten are usual.
const SWEEPS: usize = 60;

/// The decomposition A = V diag(σ²) V′ for A = H′H.
///
/// Computed by one-sided Jacobi rotations (Hestenes 1958). Each eigenvalue is as accurate as if every column of H had norm 1
/// (Demmel and Veselić 1992). Methods that decompose A directly lose the digits of columns in small units.
#[derive(Clone, Debug)]
pub struct JacobiSvd {
    /// σ, all above 0.
    values: DVector<f64>,
    /// V, one column for each value.
    vectors: DMatrix<f64>,
}

impl JacobiSvd {
    /// Decomposes H′H.
    ///
    /// # Errors
    /// [`LinalgError`] for an empty matrix, entries that are not finite, dependent columns, and if the rotations do not converge.
    pub fn try_new(mut h: DMatrix<f64>) -> Result<Self, LinalgError> {
        let size = h.ncols();
        check_entries(&h)?;
        let mut vectors = DMatrix::identity(size, size);
        let enough = f64::EPSILON * real(h.nrows());
        for _ in 0..SWEEPS {
            let mut turned = false;
            for p in 0..size {
                for q in p + 1..size {
                    let (a, b) = (h.column(p).norm_squared(), h.column(q).norm_squared());
                    let product = h.column(p).dot(&h.column(q));
                    if product.abs() <= enough * a.sqrt() * b.sqrt() {
                        continue;
                    }
                    turned = true;
                    let zeta = (b - a) / (2.0 * product);
                    let tangent = 1.0_f64.copysign(zeta) / (zeta.abs() + libm::hypot(1.0, zeta));
                    let cosine = 1.0 / libm::hypot(1.0, tangent);
                    rotate(&mut h, p, q, cosine, cosine * tangent);
                    rotate(&mut vectors, p, q, cosine, cosine * tangent);
                }
            }
            if !turned {
                let values = DVector::from_fn(size, |index, _| h.column(index).norm());
                return match values.iter().position(|value| !(*value > 0.0 && value.is_finite())) {
                    None => Ok(Self { values, vectors }),
                    Some(index) => Err(LinalgError::NotPositiveDefinite { index }),
                };
            }
        }
        Err(LinalgError::NoConvergence)
    }

    /// Returns the symmetric matrix A^`power`; A^(1/2) and A^(-1/2) are its symmetric roots.
    pub fn power(&self, power: f64) -> DMatrix<f64> {
        let mut scaled = self.vectors.clone();
        for (mut column, &value) in scaled.column_iter_mut().zip(self.values.iter()) {
            column *= libm::pow(value, 2.0 * power);
        }
        symmetrise(&(scaled * self.vectors.transpose()))
    }
}

fn rotate(matrix: &mut DMatrix<f64>, p: usize, q: usize, cosine: f64, sine: f64) {
    for row in 0..matrix.nrows() {
        let (left, right) = (matrix[(row, p)], matrix[(row, q)]);
        matrix[(row, p)] = cosine * left - sine * right;
        matrix[(row, q)] = sine * left + cosine * right;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_keep_their_digits_whatever_the_units() {
        let h = DMatrix::from_row_slice(3, 3, &[1.0, 0.4, -0.3, 0.0, 0.9, 0.2, 0.0, 0.0, 0.8]);
        for units in [[1.0, 1.0, 1.0], [1e-8, 1.0, 1e8], [1e90, 1e-90, 1.0]] {
            let scaled = DMatrix::from_fn(3, 3, |row, column| h[(row, column)] * units[column]);
            let svd = JacobiSvd::try_new(scaled.clone()).unwrap();
            // H⁻¹ in units of the columns, in which the matrix is near the identity.
            let mut own = svd.power(-1.0) * scaled.transpose();
            for (mut row, unit) in own.row_iter_mut().zip(units) {
                row *= unit;
            }
            let gap = (own * &h - DMatrix::identity(3, 3)).amax();
            assert!(gap < 1e-13, "{units:?}: {gap}");
            let (root, inverse) = (svd.power(0.5), svd.power(-0.5));
            let whitened = &inverse * scaled.transpose();
            assert!((&whitened * whitened.transpose() - DMatrix::identity(3, 3)).amax() < 1e-13, "{units:?}");
            let back = &root * &root;
            for (row, column) in [(0, 0), (1, 1), (2, 2)] {
                let truth = scaled.column(row).dot(&scaled.column(column));
                assert!((back[(row, column)] - truth).abs() < 1e-13 * truth);
            }
        }
    }

    #[test]
    fn hostile_matrices_are_errors() {
        assert_eq!(JacobiSvd::try_new(DMatrix::zeros(0, 0)).err(), Some(LinalgError::Shape));
        assert_eq!(
            JacobiSvd::try_new(DMatrix::zeros(2, 2)).err(),
            Some(LinalgError::NotPositiveDefinite { index: 0 })
        );
        assert_eq!(
            JacobiSvd::try_new(DMatrix::from_element(2, 2, f64::NAN)).err(),
            Some(LinalgError::NotFinite)
        );
    }
}
