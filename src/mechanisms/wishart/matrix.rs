//! Lower triangular factors and what is made of them.

use crate::math::triangle;
use dashu_int::IBig;

use super::{Real, real};

/// A lower triangular matrix, row by row.
#[derive(Clone, Debug)]
pub struct Lower {
    size: usize,
    entries: Vec<Real>,
}

impl Lower {
    /// Returns a matrix of zeros.
    pub fn zero(size: usize) -> Self {
        Self { size, entries: vec![Real::ZERO; triangle::len(size)] }
    }

    fn row(&self, row: usize) -> &[Real] {
        let start = triangle::len(row);
        self.entries.get(start..=start + row).unwrap_or(&[])
    }

    /// Writes an entry on or below the diagonal.
    pub fn set(&mut self, row: usize, column: usize, value: Real) {
        if column <= row
            && let Some(entry) = self.entries.get_mut(triangle::len(row) + column)
        {
            *entry = value;
        }
    }

    /// Returns the Cholesky factor of the symmetric matrix with the packed upper triangle `cells`, or nothing where it is not
    /// positive definite.
    pub fn cholesky(cells: &[IBig], size: usize) -> Option<Self> {
        if cells.len() != triangle::len(size) {
            return None;
        }
        let mut factor = Self::zero(size);
        for row in 0..size {
            for column in 0..=row {
                let cell = cells.get(triangle::index(size, column, row))?;
                let (left, above) = (factor.row(row), factor.row(column));
                let rest = dot(left, above, column);
                let rest = real(cell.clone()) - rest;
                let value = if column == row {
                    if rest <= Real::ZERO {
                        return None;
                    }
                    rest.sqrt()
                } else {
                    rest / above.get(column)?
                };
                factor.set(row, column, value);
            }
        }
        Some(factor)
    }

    /// Returns the product with another lower triangular matrix of the same size.
    fn times(&self, other: &Self) -> Self {
        let mut product = Self::zero(self.size);
        for row in 0..self.size {
            let left = self.row(row);
            for column in 0..=row {
                let sum = (column..=row).fold(Real::ZERO, |sum, at| {
                    match (left.get(at), other.row(at).get(column)) {
                        (Some(left), Some(right)) => sum + left * right,
                        _ => sum,
                    }
                });
                product.set(row, column, sum);
            }
        }
        product
    }
}

/// Returns the sum over the first `length` entries.
fn dot(left: &[Real], right: &[Real], length: usize) -> Real {
    left.iter().zip(right).take(length).fold(Real::ZERO, |sum, (left, right)| sum + left * right)
}

/// Returns cells + scale T T' with T Bartlett's factor: a matrix plus a draw of W(scale I, k), rounded to multiples of 2^`step`;
/// the packed upper triangle. `None` if a number is out of range.
pub fn perturbed(cells: &[IBig], bartlett: &Lower, scale: u64, step: usize) -> Option<Vec<i128>> {
    let (size, scale) = (bartlett.size, real(scale));
    if cells.len() != triangle::len(size) {
        return None;
    }
    upper(size, step, |row, column| {
        let exact = cells.get(triangle::index(size, row, column)).cloned().unwrap_or(IBig::ZERO);
        real(exact) + dot(bartlett.row(row), bartlett.row(column), row + 1) * &scale
    })
}

/// Returns (1/r) (L T)(L T)' with L L' the matrix of `cells` and T Bartlett's factor: a draw of W(cells, r) / r, rounded to
/// multiples of 2^`step`; the packed upper triangle (theory/wishart 2.1). `None` if a step fails.
pub fn projection(cells: &[IBig], bartlett: &Lower, rows: u64, step: usize) -> Option<Vec<i128>> {
    let factor = Lower::cholesky(cells, bartlett.size)?.times(bartlett);
    let rows = real(rows);
    let size = bartlett.size;
    upper(size, step, |row, column| dot(factor.row(row), factor.row(column), row + 1) / &rows)
}

/// Returns L T⁻ᵀ T⁻¹ L', a draw of the inverse Wishart law with the scale L L' of `cells`, rounded to multiples of 2^`step`; the
/// packed upper triangle. T Z = L' is solved; the inverse of the scale is never formed (theory/wishart 1.4). `None` if a step
/// fails.
pub fn posterior(cells: &[IBig], bartlett: &Lower, step: usize) -> Option<Vec<i128>> {
    let size = bartlett.size;
    let scale = Lower::cholesky(cells, size)?;
    // Column j of Z is T⁻¹ applied to row j of L, which has j + 1 entries.
    let mut solved = Vec::with_capacity(size);
    for column in 0..size {
        let given = scale.row(column);
        let mut z: Vec<Real> = Vec::with_capacity(size);
        for row in 0..size {
            let own = bartlett.row(row);
            let rest = given.get(row).cloned().unwrap_or(Real::ZERO) - dot(own, &z, row);
            let pivot = own.get(row).filter(|pivot| **pivot > Real::ZERO)?;
            z.push(rest / pivot);
        }
        solved.push(z);
    }
    upper(size, step, |row, column| match (solved.get(row), solved.get(column)) {
        (Some(left), Some(right)) => dot(left, right, size),
        _ => Real::ZERO,
    })
}

/// Returns the packed upper triangle of a symmetric matrix, each entry rounded to a multiple of 2^`step`.
fn upper(size: usize, step: usize, entry: impl Fn(usize, usize) -> Real) -> Option<Vec<i128>> {
    let bits = isize::try_from(step).ok()?;
    let mut cells = Vec::with_capacity(triangle::len(size));
    for row in 0..size {
        for column in row..size {
            let steps = (entry(row, column) >> bits).round().to_int().value();
            cells.push(i128::try_from(steps << step).ok()?);
        }
    }
    Some(cells)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Golden input of theory/wishart 8, in steps of 2⁻⁶⁰.
    const BITS: usize = 60;

    fn cells(ridge: i64) -> Vec<IBig> {
        let halves = [8 + 2 * ridge, 2, 4, 6 + 2 * ridge, 1, 10 + 2 * ridge];
        halves.iter().map(|&half| IBig::from(half) << (BITS - 1)).collect()
    }

    fn factor() -> Lower {
        let mut t = Lower::zero(3);
        let tenth = |x: i64| real(x) / real(10);
        let rows = [vec![real(3)], vec![tenth(3), real(8).sqrt()], vec![tenth(-2), tenth(5), real(7).sqrt()]];
        for (row, entries) in rows.into_iter().enumerate() {
            for (column, value) in entries.into_iter().enumerate() {
                t.set(row, column, value);
            }
        }
        t
    }

    fn close(found: &[i128], expected: [f64; 6]) {
        for (cell, expected) in found.iter().zip(expected) {
            let value = libm::ldexp(*cell as f64, -60);
            assert!((value - expected).abs() < 1e-11, "{value} is not {expected}");
        }
    }

    /// theory/wishart 8: Alg. 1 with w² = 2, r = 9, and Alg. 4 with ψ = 2.
    #[test]
    fn golden_matrices() {
        let found = projection(&cells(2), &factor(), 9, 0).unwrap();
        close(
            &found,
            [
                6.0, 1.538_516_480_713, 1.607_795_104_010, 4.690_801_789_867, 1.429_408_263_199,
                5.593_095_323_010,
            ],
        );
        let found = posterior(&cells(2), &factor(), 0).unwrap();
        close(
            &found,
            [
                0.680_264_352_708, 0.034_592_344_042, 0.298_280_551_173, 0.618_378_596_947,
                -0.094_630_021_861, 1.018_322_041_828,
            ],
        );
    }

    #[test]
    fn entries_are_on_the_grid_and_nearest() {
        let (fine, coarse) = (
            projection(&cells(2), &factor(), 9, 0).unwrap(),
            projection(&cells(2), &factor(), 9, 20).unwrap(),
        );
        for (fine, coarse) in fine.iter().zip(&coarse) {
            assert_eq!(coarse % (1 << 20), 0);
            assert!((fine - coarse).abs() <= 1 << 19);
        }
    }

    #[test]
    fn what_is_not_positive_definite_has_no_answer() {
        let zero = vec![IBig::ZERO; 6];
        assert!(projection(&zero, &factor(), 9, 0).is_none());
        assert!(posterior(&cells(-8), &factor(), 0).is_none());
        assert!(posterior(&cells(2), &Lower::zero(3), 0).is_none());
        assert!(projection(&cells(2)[..5], &factor(), 9, 0).is_none());
    }
}
