//! Linear algebra of small dense symmetric matrices on nalgebra, safe for unchecked input.
//!
//! Every function checks that its entries are finite, because an iterative decomposition may not terminate on NaN
//! (nalgebra issue 1025). The numbers of iterations are limited. Failure is an error, never a panic.

use nalgebra::linalg::{SymmetricEigen, SymmetricTridiagonal};
use nalgebra::{DMatrix, DVector};

use super::search::first_true;
use super::triangle::pairs;
use crate::math::round::real;

/// Returns the symmetric matrix of a triangle, each cell times its unit. A missing cell is 0.
pub fn from_triangle(size: usize, cells: &[i128], unit: impl Fn(usize, usize) -> f64) -> DMatrix<f64> {
    let mut matrix = DMatrix::zeros(size, size);
    for ((row, column), cell) in pairs(size).zip(cells) {
        let value = real(*cell) * unit(row, column);
        matrix[(row, column)] = value;
        matrix[(column, row)] = value;
    }
    matrix
}

/// The most iterations for each eigenvalue; two or three are usual.
const SWEEPS_PER_VALUE: usize = 60;

/// A pivot below this share of its diagonal entry counts as 0, because it consists of rounding errors.
const PIVOT_FLOOR: f64 = 1e-13;

/// Columns of a factor that are computed together, and right-hand sides that are solved together: so many stay in a processor's cache.
const BLOCK: usize = 16;
const TILE: usize = 16;

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
        for first in (0..size).step_by(BLOCK) {
            let (done, rest) = lower.as_mut_slice().split_at_mut(first * size);
            let (block, _) = rest.split_at_mut(BLOCK.min(size - first) * size);
            for column in done.chunks_exact(size) {
                for (k, other) in block.chunks_exact_mut(size).enumerate() {
                    subtract(column, other, first + k);
                }
            }
            let mut rest = block;
            for j in first..size.min(first + BLOCK) {
                let (column, others) = rest.split_at_mut(size);
                let pivot = column[j];
                // Each pivot is compared with its own diagonal entry, so that the result does not depend on the columns' units.
                if !(pivot > 0.0 && pivot > PIVOT_FLOOR * a[(j, j)]) {
                    return Err(LinalgError::NotPositiveDefinite { index: j });
                }
                let root = pivot.sqrt();
                column[j] = root;
                column[j + 1..].iter_mut().for_each(|entry| *entry /= root);
                for (k, other) in others.chunks_exact_mut(size).enumerate() {
                    subtract(column, other, j + 1 + k);
                }
                rest = others;
            }
        }
        if lower.iter().all(|entry| entry.is_finite()) {
            Ok(Self { lower })
        } else {
            Err(LinalgError::NotFinite)
        }
    }

    /// Returns L.
    pub fn lower(&self) -> &DMatrix<f64> {
        &self.lower
    }

    /// Returns x with A x = b; the zero vector if the length of b is wrong.
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
    pub fn solve_lower(&self, b: &DVector<f64>) -> DVector<f64> {
        let size = self.lower.nrows();
        let mut x = if b.len() == size { b.clone() } else { DVector::zeros(size) };
        let mut known = vec![0.0; size];
        // By columns, because a column's entries are neighbours; each sum runs over the columns in their order.
        for (i, column) in self.lower.as_slice().chunks_exact(size).enumerate() {
            x[i] = (x[i] - known[i]) / column[i];
            for (known, entry) in known[i + 1..].iter_mut().zip(&column[i + 1..]) {
                *known += entry * x[i];
            }
        }
        x
    }

    /// Returns X with A X = B, or, unless `whole`, with L X = B. Each column has the bits of [`Self::solve`] or
    /// [`Self::solve_lower`]. A tile of columns is solved together, so that each entry of L is fetched once for all of them.
    fn solve_columns(&self, mut b: DMatrix<f64>, whole: bool) -> DMatrix<f64> {
        let size = self.lower.nrows();
        let rows = self.lower.transpose();
        for columns in b.as_mut_slice().chunks_mut(size * TILE) {
            let mut tile = vec![[0.0; TILE]; size];
            for (place, column) in columns.chunks_exact(size).enumerate() {
                tile.iter_mut().zip(column).for_each(|(row, entry)| row[place] = *entry);
            }
            for i in 0..size {
                let (before, rest) = tile.split_at_mut(i);
                eliminate(&mut rest[0], &rows.as_slice()[i * size..][..i], before, self.lower[(i, i)]);
            }
            for i in (0..size).rev().filter(|_| whole) {
                let (row, after) = tile[i..].split_at_mut(1);
                let factors = &self.lower.as_slice()[i * size..][i + 1..size];
                eliminate(&mut row[0], factors, after, self.lower[(i, i)]);
            }
            for (place, column) in columns.chunks_exact_mut(size).enumerate() {
                column.iter_mut().zip(&tile).for_each(|(entry, row)| *entry = row[place]);
            }
        }
        b
    }

    /// Returns A⁻¹, exactly symmetric.
    pub fn inverse(&self) -> DMatrix<f64> {
        let size = self.lower.nrows();
        symmetrise(&self.solve_columns(DMatrix::identity(size, size), true))
    }

    /// Returns L⁻¹ A L⁻ᵀ for a symmetric matrix of the same size.
    ///
    /// # Errors
    /// [`LinalgError::Shape`] for another size.
    pub fn whiten(&self, a: &DMatrix<f64>) -> Result<DMatrix<f64>, LinalgError> {
        if a.shape() != self.lower.shape() {
            return Err(LinalgError::Shape);
        }
        let half = self.solve_columns(a.clone(), false);
        Ok(symmetrise(&self.solve_columns(half.transpose(), false)))
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
    pub fn smallest(&self) -> f64 {
        self.values.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// Returns the largest eigenvalue.
    pub fn largest(&self) -> f64 {
        self.values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }

    /// Returns Q diag(f(values)) Q′.
    pub fn map(&self, f: impl Fn(f64) -> f64) -> DMatrix<f64> {
        let mut scaled = self.vectors.clone();
        for (mut column, &value) in scaled.column_iter_mut().zip(self.values.iter()) {
            column *= f(value);
        }
        symmetrise(&(scaled * self.vectors.transpose()))
    }
}

/// Returns the smallest eigenvalue of the symmetric matrix `a`: by bisection on the Sturm sequence of a tridiagonal matrix with the same
/// eigenvalues (Barth, Martin and Wilkinson 1967). Needs a fraction of the time of [`Eigen`].
///
/// # Errors
/// [`LinalgError`] if `a` is not square or not finite.
pub fn smallest_eigenvalue(a: &DMatrix<f64>) -> Result<f64, LinalgError> {
    check(a)?;
    let largest = a.amax();
    let scale = if largest > 0.0 { libm::ldexp(1.0, libm::ilogb(largest)) } else { 1.0 };
    let scaled = symmetrise(&(a / scale));
    let (diagonal, beside) = if a.nrows() == 1 {
        (scaled.diagonal(), DVector::zeros(0))
    } else {
        SymmetricTridiagonal::new(scaled).unpack_tridiagonal()
    };
    // Whether an eigenvalue is below `value`: the tridiagonal matrix less `value` has a negative pivot.
    let is_above = |value: f64| {
        let mut pivot = 1.0;
        diagonal.iter().enumerate().any(|(i, entry)| {
            let coupled = i.checked_sub(1).map_or(0.0, |before| beside[before] * beside[before] / pivot);
            pivot = entry - value - coupled;
            pivot <= 0.0
        })
    };
    // Gershgorin's circles contain all eigenvalues.
    let reach = |i: usize| beside.get(i).map_or(0.0, |entry: &f64| entry.abs());
    let circles =
        diagonal.iter().enumerate().map(|(i, entry)| entry - reach(i) - i.checked_sub(1).map_or(0.0, reach));
    let least = circles.fold(f64::INFINITY, f64::min);
    let most = diagonal.iter().copied().fold(f64::INFINITY, f64::min);
    let value = first_true(least, most, is_above) * scale;
    if value.is_finite() { Ok(value) } else { Err(LinalgError::NoConvergence) }
}

/// Subtracts from column `k` of a factor what an earlier column has in common with it.
fn subtract(earlier: &[f64], column: &mut [f64], k: usize) {
    let factor = earlier[k];
    for (entry, earlier) in column[k..].iter_mut().zip(&earlier[k..]) {
        *entry -= earlier * factor;
    }
}

/// Solves one row of a tile of right-hand sides, from the rows that are known.
fn eliminate(row: &mut [f64; TILE], factors: &[f64], known: &[[f64; TILE]], pivot: f64) {
    let mut sums = [0.0; TILE];
    for (factor, known) in factors.iter().zip(known) {
        for (sum, entry) in sums.iter_mut().zip(known) {
            *sum += factor * entry;
        }
    }
    for (entry, sum) in row.iter_mut().zip(sums) {
        *entry = (*entry - sum) / pivot;
    }
}

/// Returns (A + A′) / 2.
pub fn symmetrise(a: &DMatrix<f64>) -> DMatrix<f64> {
    (a + a.transpose()) / 2.0
}

/// Refuses a matrix that is empty or not square, and entries that are not finite.
pub(super) fn check(a: &DMatrix<f64>) -> Result<(), LinalgError> {
    if a.is_square() { check_entries(a) } else { Err(LinalgError::Shape) }
}

/// Refuses an empty matrix, and entries that are not finite.
pub(super) fn check_entries(a: &DMatrix<f64>) -> Result<(), LinalgError> {
    if a.is_empty() {
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
    fn tiles_give_the_bits_of_single_columns() {
        for size in [1, 15, 16, 17, 50] {
            let root = DMatrix::from_fn(size, size, |i, j| libm::cos((i * 7 + j * 3) as f64));
            let a = &root * root.transpose() + DMatrix::identity(size, size);
            let factor = Cholesky::try_new(&a).unwrap();
            // The textbook's order of the same operations.
            let mut lower = a.lower_triangle();
            for j in 0..size {
                lower[(j, j)] = lower[(j, j)].sqrt();
                for i in j + 1..size {
                    lower[(i, j)] /= lower[(j, j)];
                }
                for k in j + 1..size {
                    for i in k..size {
                        lower[(i, k)] -= lower[(i, j)] * lower[(k, j)];
                    }
                }
            }
            assert_eq!(factor.lower(), &lower);
            for whole in [false, true] {
                let solved = factor.solve_columns(root.clone(), whole);
                for (column, b) in solved.column_iter().zip(root.column_iter()) {
                    let b = b.into_owned();
                    let alone = if whole { factor.solve(&b) } else { factor.solve_lower(&b) };
                    assert_eq!(column, alone, "{size}");
                }
            }
        }
    }

    #[test]
    fn eigenvalues_and_vectors_give_the_matrix_back_at_every_scale() {
        for scale in [1e-290, 1.0, 1e290] {
            let a = example() * scale;
            let eigen = Eigen::try_new(&a).unwrap();
            assert!((eigen.map(|value| value) - &a).amax() < 1e-12 * 900.0 * scale);
            assert!(eigen.smallest() > 400.0 * scale && eigen.largest() < 1000.0 * scale);
            assert!((smallest_eigenvalue(&a).unwrap() - eigen.smallest()).abs() < 1e-12 * 900.0 * scale);
        }
        for size in [1, 2, 5, 40] {
            let a = symmetrise(&DMatrix::from_fn(size, size, |i, j| libm::cos((i * 7 + j * 3) as f64)));
            for shift in [-1.0, 0.0, 100.0] {
                let a = &a + DMatrix::identity(size, size) * shift;
                let expected = Eigen::try_new(&a).unwrap().smallest();
                assert!((smallest_eigenvalue(&a).unwrap() - expected).abs() < 1e-11, "{size} {shift}");
            }
        }
        assert!(smallest_eigenvalue(&DMatrix::zeros(3, 3)).unwrap().abs() < 1e-300);
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
            assert_eq!(smallest_eigenvalue(&a).err(), Some(LinalgError::NotFinite));
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
