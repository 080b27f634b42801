//! Eigenvalues by cyclic Jacobi rotations, and products of matrices, in plain `f64`.
//!
//! Nothing here is fused, blocked or chosen by the processor: + − × ÷ √ in one stated order. A native build and a WebAssembly build
//! therefore give equal bits, which nalgebra's products and eigenvalues do not promise (theory/adaptive 3.4).

use nalgebra::DMatrix;

use super::linalg::{LinalgError, check};

/// Most sweeps over all pairs; six to ten are usual.
const MOST_SWEEPS: u32 = 60;

/// A rotation is left out where the entry off the diagonal is below this share of the matrix's Frobenius norm, 2^-60.
const NEGLIGIBLE: f64 = 8.673_617_379_884_035e-19;

/// The eigenvalues of a symmetric matrix with their vectors: A = Q diag(values) Q′.
#[derive(Clone, Debug, PartialEq)]
pub struct Jacobi {
    /// In the order in which the rotations leave them.
    pub values: Vec<f64>,
    /// One column per value.
    pub vectors: DMatrix<f64>,
}

impl Jacobi {
    /// Decomposes the symmetric matrix `a`.
    ///
    /// # Errors
    /// [`LinalgError`] when `a` is empty, not square or not finite, or the sweeps do not settle.
    pub fn try_new(a: &DMatrix<f64>) -> Result<Self, LinalgError> {
        check(a)?;
        let size = a.nrows();
        // A power of two keeps every bit; squares of huge entries would overflow without it.
        let largest = a.iter().fold(0.0, |largest: f64, entry| largest.max(entry.abs()));
        let scale = if largest > 0.0 { libm::ldexp(1.0, libm::ilogb(largest)) } else { 1.0 };
        let mut work = DMatrix::from_fn(size, size, |i, j| (a[(i, j)] / scale + a[(j, i)] / scale) / 2.0);
        let mut vectors = DMatrix::identity(size, size);
        let norm = work.iter().fold(0.0, |sum: f64, entry| sum + entry * entry).sqrt();
        for _ in 0..MOST_SWEEPS {
            let mut rotated = false;
            for p in 0..size {
                for q in p + 1..size {
                    if work[(p, q)].abs() > NEGLIGIBLE * norm {
                        rotate(&mut work, &mut vectors, p, q);
                        rotated = true;
                    }
                }
            }
            if !rotated {
                let values = (0..size).map(|i| work[(i, i)] * scale).collect();
                return Ok(Self { values, vectors });
            }
        }
        Err(LinalgError::NoConvergence)
    }

    /// Returns the smallest eigenvalue.
    pub fn smallest(&self) -> f64 {
        self.values.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// Returns Q diag(f(values)) Q′, exactly symmetric.
    pub fn map(&self, f: impl Fn(f64) -> f64) -> DMatrix<f64> {
        let size = self.values.len();
        let mapped: Vec<f64> = self.values.iter().map(|value| f(*value)).collect();
        let mut product = DMatrix::zeros(size, size);
        for i in 0..size {
            for j in i..size {
                let mut sum = 0.0;
                for (k, value) in mapped.iter().enumerate() {
                    sum += self.vectors[(i, k)] * value * self.vectors[(j, k)];
                }
                product[(i, j)] = sum;
                product[(j, i)] = sum;
            }
        }
        product
    }
}

/// Makes the entry (p, q) zero, and turns the vectors with it.
fn rotate(work: &mut DMatrix<f64>, vectors: &mut DMatrix<f64>, p: usize, q: usize) {
    let size = work.nrows();
    let (app, aqq, apq) = (work[(p, p)], work[(q, q)], work[(p, q)]);
    let theta = (aqq - app) / (2.0 * apq);
    let sign = if theta < 0.0 { -1.0 } else { 1.0 };
    let t = sign / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    for k in 0..size {
        let (kp, kq) = (work[(k, p)], work[(k, q)]);
        work[(k, p)] = c * kp - s * kq;
        work[(k, q)] = s * kp + c * kq;
    }
    for k in 0..size {
        work[(p, k)] = work[(k, p)];
        work[(q, k)] = work[(k, q)];
    }
    work[(p, p)] = app - t * apq;
    work[(q, q)] = aqq + t * apq;
    work[(p, q)] = 0.0;
    work[(q, p)] = 0.0;
    for k in 0..size {
        let (kp, kq) = (vectors[(k, p)], vectors[(k, q)]);
        vectors[(k, p)] = c * kp - s * kq;
        vectors[(k, q)] = s * kp + c * kq;
    }
}

/// Returns A B, each entry summed in the order of the inner index. If the sizes differ, the longer inner side is cut.
pub fn product(a: &DMatrix<f64>, b: &DMatrix<f64>) -> DMatrix<f64> {
    let inner = a.ncols().min(b.nrows());
    DMatrix::from_fn(a.nrows(), b.ncols(), |i, j| {
        let mut sum = 0.0;
        for k in 0..inner {
            sum += a[(i, k)] * b[(k, j)];
        }
        sum
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvalues_and_vectors_give_the_matrix_back() {
        for scale in [1e-280, 1.0, 1e280] {
            for size in [1, 2, 7, 30] {
                let a = DMatrix::from_fn(size, size, |i, j| {
                    let (low, high) = (i.min(j) as f64, i.max(j) as f64);
                    scale * libm::sin(1.0 + 3.0 * low + 7.0 * high * high)
                });
                let eigen = Jacobi::try_new(&a).unwrap();
                assert!((eigen.map(|value| value) - &a).amax() < 1e-13 * scale * size as f64);
                let unit = product(&eigen.vectors.transpose(), &eigen.vectors);
                assert!((unit - DMatrix::identity(size, size)).amax() < 1e-13);
                let other = crate::math::linalg::Eigen::try_new(&a).unwrap();
                assert!((eigen.smallest() - other.smallest()).abs() < 1e-13 * scale * size as f64);
            }
        }
    }

    #[test]
    fn hostile_matrices_are_errors() {
        assert_eq!(Jacobi::try_new(&DMatrix::zeros(0, 0)).err(), Some(LinalgError::Shape));
        assert_eq!(Jacobi::try_new(&DMatrix::zeros(2, 3)).err(), Some(LinalgError::Shape));
        assert_eq!(
            Jacobi::try_new(&DMatrix::from_element(2, 2, f64::NAN)).err(),
            Some(LinalgError::NotFinite)
        );
        assert!(Jacobi::try_new(&DMatrix::zeros(3, 3)).unwrap().smallest().abs() < 1e-300);
    }
}
