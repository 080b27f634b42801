//! Which terms the noisy moments of a last round do not determine (theory/adaptive 5.2, theory/adaptive-logistic 4.4).
//!
//! A direction of the whitened features whose moments do not stand out of their noise would make every coefficient imprecise. The
//! terms that lie in it, mostly a rare or an absent level, are held at their present values. The errors of the other coefficients
//! include what the held ones may be off.

use nalgebra::{DMatrix, DVector};

use super::guide::Guide;
use super::terms::Terms;
use crate::math::jacobi_eigen::{Jacobi, product};
use crate::math::linalg::{Cholesky, LinalgError};

/// The terms that are held.
#[derive(Clone, Debug, PartialEq)]
pub struct Holding {
    /// Coefficients that are held, in the order in which they were taken; the intercept is 0.
    pub held: Vec<usize>,
    /// Coefficients that are not estimated: those that are not in the regression, then those that are held.
    pub fixed: Vec<usize>,
    /// κ of those that are left.
    pub condition: f64,
    /// What is left. `None` if κ is too small with all terms held.
    pub solved: Option<Solved>,
}

/// What stands for the moments beside the fixed coefficients.
#[derive(Clone, Debug, PartialEq)]
pub struct Solved {
    /// Z (Z′ A Z)⁻¹ Z′.
    pub inverse: DMatrix<f64>,
    /// What θ is where one of the fixed coefficients is 1 and the others are 0.
    pub pull: DMatrix<f64>,
}

impl Holding {
    /// Holds feature terms, the one that helps most first, until κ is `least` or all are held. `features` is A, the moments in whitened
    /// coordinates, `floor` the norm of their noise, `map` is H; the coefficients in `excluded` are not in the regression at all.
    ///
    /// # Errors
    /// [`LinalgError`] where the eigenvalues do not settle.
    pub fn new(
        features: &DMatrix<f64>,
        floor: f64,
        map: &DMatrix<f64>,
        excluded: &[usize],
        least: f64,
    ) -> Result<Self, LinalgError> {
        let k = features.nrows();
        let mut fixed: Vec<usize> = excluded.to_vec();
        loop {
            let columns = DMatrix::from_fn(k, fixed.len(), |i, j| map[(i, fixed[j])]);
            let basis = complement(&columns);
            let held = fixed[excluded.len()..].to_vec();
            let inside = product(&product(&basis.transpose(), features), &basis);
            let eigen = Jacobi::try_new(&inside)?;
            let condition = eigen.smallest() / floor;
            if condition >= least {
                let middle = Cholesky::try_new(&inside)?.inverse();
                let inverse = product(&product(&basis, &middle), &basis.transpose());
                let pull = pull(&inverse, features, &columns)?;
                return Ok(Self { held, fixed, condition, solved: Some(Solved { inverse, pull }) });
            }
            let mut best: Option<(f64, usize)> = None;
            for term in (1..k).filter(|term| !fixed.contains(term)) {
                let column = DMatrix::from_fn(k, 1, |i, _| map[(i, term)]);
                let direction = product(&eigen.vectors.transpose(), &product(&basis.transpose(), &column));
                let smallest = smallest_beside(&eigen.values, direction.as_slice());
                if best.is_none_or(|(most, _)| smallest > most) {
                    best = Some((smallest, term));
                }
            }
            let Some((_, term)) = best else { return Ok(Self { held, fixed, condition, solved: None }) };
            fixed.push(term);
        }
    }
}

/// Returns by how much a held effect may be off, in residual standard deviations for one coded unit: 1 for a dummy, else one standard
/// deviation of the term.
pub fn effect_size(terms: &Terms, guide: &Guide, coefficient: usize) -> f64 {
    let term = coefficient - 1;
    if terms.is_dummy(term) {
        return 1.0;
    }
    // Σ = A⁻¹ A⁻ᵀ: the squared norm of a row of A⁻¹, which is lower triangular.
    let row = guide.whitened_slopes(term + 1, |j| if j == term { 1.0 } else { 0.0 });
    1.0 / row.iter().fold(0.0, |sum, entry| sum + entry * entry).sqrt()
}

/// Returns (I − Z (Z′AZ)⁻¹ Z′ A) H_h (H_h′ H_h)⁻¹: what θ is where one of the fixed coefficients is 1 and the others are 0. H′
/// times it is Γ.
fn pull(
    inverse: &DMatrix<f64>,
    features: &DMatrix<f64>,
    columns: &DMatrix<f64>,
) -> Result<DMatrix<f64>, LinalgError> {
    if columns.ncols() == 0 {
        return Ok(columns.clone());
    }
    let gram = product(&columns.transpose(), columns);
    let pseudo = product(columns, &Cholesky::try_new(&gram)?.inverse());
    let kept = product(&product(inverse, features), &pseudo);
    Ok(pseudo - kept)
}

/// Returns the smallest eigenvalue of a symmetric matrix on the vectors orthogonal to one direction, from its eigenvalues and the
/// direction in their coordinates: the root of Σ c_i² / (λ_i − μ) between the two smallest.
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

/// Returns an orthonormal basis of the vectors that are orthogonal to all `columns`, by Householder reflections.
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

/// Multiplies one column by I − 2 v v′.
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
