//! Which coefficients this budget determines (theory/adaptive 5, "Gate for each coefficient").
//!
//! A direction of the whitened features whose moments do not stand out of their noise would spoil every coefficient. The terms that lie
//! in it, mostly a rare or an absent level, are held at the guide's slopes and withheld; the others pay for what these may be off.

use nalgebra::{DMatrix, DVector};

use super::estimate::{Coded, Fit, Inverse, Moments};
use super::guide::Guide;
use super::terms::Terms;
use crate::math::jacobi_eigen::{Jacobi, product};
use crate::math::linalg::{Cholesky, LinalgError};

/// How far a coefficient's interval can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It covers as often as it says.
    Normal,
    /// It is a rough guide.
    Approximate,
    /// The coefficient is not determined at this budget.
    Withheld,
}

/// A residual radius beyond which the tail is long.
const LONG_TAIL: f64 = 6.0;
/// Below this ratio of moments to noise intervals are approximate.
const STABLE: f64 = 2.0;

/// The terms that are held, and what stands for A_4⁻¹ then.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// Coefficients that are held at the guide, in the order in which they were taken; the intercept is 0.
    pub held: Vec<usize>,
    /// κ of those that are left.
    pub condition: f64,
    /// Z (Z′ A_4 Z)⁻¹ Z′; nothing where κ is below 1 with all terms held.
    pub inverse: Option<Inverse>,
    /// Γ, what each held effect moves the others by: one column for each of `held`.
    pub moved: DMatrix<f64>,
}

impl Gate {
    /// Holds feature terms, the one that helps most first, until κ is 1 or all are held. `map` is H.
    ///
    /// # Errors
    /// [`LinalgError`] where the eigenvalues do not settle.
    pub fn new(moments: &Moments, map: &DMatrix<f64>) -> Result<Self, LinalgError> {
        let k = moments.coefficients();
        let mut held: Vec<usize> = Vec::new();
        let mut basis = DMatrix::identity(k, k);
        loop {
            let inside = product(&product(&basis.transpose(), &moments.features), &basis);
            let eigen = Jacobi::try_new(&inside)?;
            let condition = eigen.smallest() / moments.floor;
            if condition >= 1.0 {
                let middle = Cholesky::try_new(&inside)?.inverse();
                let matrix = product(&product(&basis, &middle), &basis.transpose());
                let moved = moved(&matrix, moments, map, &held);
                return Ok(Self { held, condition, inverse: Some(Inverse { matrix, ridge: 0.0 }), moved });
            }
            let mut best: Option<(f64, usize)> = None;
            for term in (1..k).filter(|term| !held.contains(term)) {
                let column = DMatrix::from_fn(k, 1, |i, _| map[(i, term)]);
                let direction = product(&eigen.vectors.transpose(), &product(&basis.transpose(), &column));
                let smallest = smallest_beside(&eigen.values, direction.as_slice());
                if best.is_none_or(|(most, _)| smallest > most) {
                    best = Some((smallest, term));
                }
            }
            let Some((_, term)) = best else {
                return Ok(Self { moved: DMatrix::zeros(k, held.len()), held, condition, inverse: None });
            };
            held.push(term);
            let columns = DMatrix::from_fn(k, held.len(), |i, j| map[(i, held[j])]);
            basis = complement(&columns);
        }
    }

    /// The estimate of one outcome in coded units, with the standard errors and states of its coefficients; nothing where all are
    /// withheld. `long` says that rows may lie far out unnoticed.
    #[must_use]
    pub fn judge(
        &self,
        terms: &Terms,
        guide: &Guide,
        map: &DMatrix<f64>,
        moments: &Moments,
        outcome: usize,
        far: Far,
    ) -> Option<Judged> {
        let inverse = self.inverse.as_ref()?;
        let fit = Fit::new(moments, outcome, inverse);
        let coded = Coded::new(guide, map, outcome, &fit);
        let spread = guide.spreads[outcome];
        let doubtful = self.condition < STABLE || fit.residual_hidden || far.radius > LONG_TAIL || far.unseen;
        let sizes: Vec<f64> = self.held.iter().map(|term| effect_size(terms, guide, *term)).collect();
        let mut errors = Vec::with_capacity(coded.coefficients.len());
        let mut states = Vec::with_capacity(coded.coefficients.len());
        for row in 0..coded.coefficients.len() {
            let own = coded.covariance[(row, row)].max(0.0);
            let mut price = 0.0;
            for (column, size) in sizes.iter().enumerate() {
                let moved = self.moved[(row, column)];
                price += moved * moved * (size * size);
            }
            let price = price * (spread * spread);
            states.push(if self.held.contains(&row) || price > own {
                State::Withheld
            } else if price > own / 16.0 || doubtful {
                State::Approximate
            } else {
                State::Normal
            });
            errors.push((own + price).sqrt());
        }
        Some(Judged { coded, fit, errors, states })
    }
}

/// What is known of an outcome's far values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Far {
    /// R_y.
    pub radius: f64,
    /// Whether rows may lie far out unnoticed.
    pub unseen: bool,
}

/// One outcome's coefficients and how far they can be trusted.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// In coded units. A held coefficient is the guide's.
    pub coded: Coded,
    /// In whitened units.
    pub fit: Fit,
    /// Standard errors in coded units, with what held effects may be off.
    pub errors: Vec<f64>,
    /// Of each coefficient, the intercept first.
    pub states: Vec<State>,
}

/// By how much a held effect may be off, in residual standard deviations for one coded unit: 1 for a dummy, else one standard deviation of
/// the term.
fn effect_size(terms: &Terms, guide: &Guide, coefficient: usize) -> f64 {
    let term = coefficient - 1;
    if terms.is_dummy(term) {
        return 1.0;
    }
    // Σ = A⁻¹ A⁻ᵀ: the squared norm of a row of A⁻¹, which is lower triangular.
    let p = guide.whitening.nrows();
    let mut row = vec![0.0; p];
    for j in (0..=term).rev() {
        let mut sum = if j == term { 1.0 } else { 0.0 };
        for (i, entry) in row.iter().enumerate().take(term + 1).skip(j + 1) {
            sum -= entry * guide.whitening[(i, j)];
        }
        row[j] = sum / guide.whitening[(j, j)];
    }
    1.0 / row.iter().fold(0.0, |sum, entry| sum + entry * entry).sqrt()
}

/// Γ = H′ (I − Z (Z′AZ)⁻¹ Z′ A) H_h (H_h′ H_h)⁻¹.
fn moved(inverse: &DMatrix<f64>, moments: &Moments, map: &DMatrix<f64>, held: &[usize]) -> DMatrix<f64> {
    let k = map.nrows();
    let columns = DMatrix::from_fn(k, held.len(), |i, j| map[(i, held[j])]);
    if held.is_empty() {
        return columns;
    }
    let gram = product(&columns.transpose(), &columns);
    // Columns of an invertible map are independent.
    let Ok(factor) = Cholesky::try_new(&gram) else {
        return DMatrix::from_element(k, held.len(), f64::INFINITY);
    };
    let pseudo = product(&columns, &factor.inverse());
    let kept = product(&product(inverse, &moments.features), &pseudo);
    product(&map.transpose(), &(pseudo - kept))
}

/// The smallest eigenvalue of a symmetric matrix on the vectors orthogonal to one direction, from its eigenvalues and the direction in their
/// coordinates: the root of Σ c_i² / (λ_i − μ) between the two smallest (Golub 1973, Some modified matrix eigenvalue problems).
fn smallest_beside(values: &[f64], direction: &[f64]) -> f64 {
    let mut pairs: Vec<(f64, f64)> = values.iter().copied().zip(direction.iter().map(|c| c * c)).collect();
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let Some((first, others)) = pairs.split_first() else { return f64::INFINITY };
    // One dimension, and it is taken away.
    let Some(second) = others.first() else { return f64::INFINITY };
    let total = pairs.iter().fold(0.0, |sum, (_, weight)| sum + weight);
    if first.1 <= f64::EPSILON * f64::EPSILON * total {
        return first.0;
    }
    let above = |mu: f64| {
        mu > first.0 && pairs.iter().fold(0.0, |sum, (value, weight)| sum + weight / (value - mu)) > 0.0
    };
    crate::math::search::first_true(first.0, second.0, above)
}

/// An orthonormal basis of the vectors that are orthogonal to all `columns`, by Householder reflections.
fn complement(columns: &DMatrix<f64>) -> DMatrix<f64> {
    let (k, count) = columns.shape();
    let mut work = columns.clone();
    let mut reflectors: Vec<DVector<f64>> = Vec::with_capacity(count);
    for j in 0..count {
        let mut v = DVector::from_fn(k, |i, _| if i < j { 0.0 } else { work[(i, j)] });
        let norm = v.iter().fold(0.0, |sum, entry| sum + entry * entry).sqrt();
        v[j] += if v[j] < 0.0 { -norm } else { norm };
        let square = v.iter().fold(0.0, |sum, entry| sum + entry * entry);
        if square > 0.0 {
            v.iter_mut().for_each(|entry| *entry /= square.sqrt());
        }
        for column in j..count {
            reflect(&mut work, &v, column);
        }
        reflectors.push(v);
    }
    let mut basis = DMatrix::from_fn(k, k - count, |i, j| if i == count + j { 1.0 } else { 0.0 });
    for v in reflectors.iter().rev() {
        for column in 0..k - count {
            reflect(&mut basis, v, column);
        }
    }
    basis
}

/// (I − 2 v v′) on one column.
fn reflect(matrix: &mut DMatrix<f64>, v: &DVector<f64>, column: usize) {
    let mut inner = 0.0;
    for (i, entry) in v.iter().enumerate() {
        inner += entry * matrix[(i, column)];
    }
    for (i, entry) in v.iter().enumerate() {
        matrix[(i, column)] -= 2.0 * inner * entry;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_eigenvalue_beside_a_direction_is_that_of_the_complement() {
        let a = DMatrix::from_fn(5, 5, |i, j| libm::cos((i.min(j) * 3 + i.max(j) * 5) as f64));
        let eigen = Jacobi::try_new(&a).unwrap();
        for seed in 0..20 {
            let column = DMatrix::from_fn(5, 1, |i, _| libm::sin((seed * 7 + i * 3 + 1) as f64));
            let basis = complement(&column);
            assert!((product(&basis.transpose(), &basis) - DMatrix::identity(4, 4)).amax() < 1e-14);
            assert!(product(&basis.transpose(), &column).amax() < 1e-14);
            let inside = product(&product(&basis.transpose(), &a), &basis);
            let expected = Jacobi::try_new(&inside).unwrap().smallest();
            let direction = product(&eigen.vectors.transpose(), &column);
            let found = smallest_beside(&eigen.values, direction.as_slice());
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }
}
