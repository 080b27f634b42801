//! Projections onto convex sets that follow from the bounds of the records alone (theory/many-outcomes 4.1).

use nalgebra::DMatrix;

use super::super::linalg::{Eigen, LinalgError, check_entries};
use super::{Directions, scale_rows};

/// Projects G̃ onto { G : ‖G‖_* <= `bound` }, the convex hull of all x y′ with ‖x‖ ‖y‖ <= `bound`.
///
/// The singular vectors of the shorter side come from its Gram matrix. The singular values are the norms of the rotated rows, whose
/// sum is at least the nuclear norm. So the result is in the set, for every rounding error of the vectors.
///
/// # Errors
/// [`LinalgError`] if an entry is not finite, the bound is below 0 or NaN, or the decomposition does not converge.
pub fn nuclear_ball(noisy: &DMatrix<f64>, bound: f64) -> Result<DMatrix<f64>, LinalgError> {
    check_entries(noisy)?;
    if noisy.nrows() > noisy.ncols() {
        return Ok(nuclear_ball(&noisy.transpose(), bound)?.transpose());
    }
    let vectors = Eigen::try_new(&(noisy * noisy.transpose()))?.vectors;
    let mut turned = vectors.tr_mul(noisy);
    let lengths: Vec<f64> = Directions::energies(&turned).iter().map(|energy| energy.sqrt()).collect();
    let shorter = capped(&lengths, bound)?;
    if shorter == lengths {
        return Ok(noisy.clone());
    }
    let share = |(new, old): (&f64, &f64)| if *old > 0.0 { new / old } else { 0.0 };
    let factors: Vec<f64> = shorter.iter().zip(&lengths).map(share).collect();
    scale_rows(&mut turned, &factors);
    Ok(vectors * turned)
}

/// Projects a symmetric matrix onto { S ⪰ 0 : tr S <= `bound` }, the convex hull of 0 and all x x′ with ‖x‖² <= `bound`.
///
/// The result may be singular, so a system with it needs a ridge.
///
/// # Errors
/// [`LinalgError`] if the matrix is not square or not finite, the bound is below 0 or NaN, or the decomposition does not converge.
pub fn positive_trace(noisy: &DMatrix<f64>, bound: f64) -> Result<DMatrix<f64>, LinalgError> {
    let mut eigen = Eigen::try_new(noisy)?;
    eigen.values.copy_from_slice(&capped(eigen.values.as_slice(), bound)?);
    Ok(eigen.map(|value| value))
}

/// Projects a vector onto { s >= 0 : Σ s <= `bound` }. Negative entries become 0. If the sum of the others is above the bound, the
/// same amount is subtracted from all.
fn capped(values: &[f64], bound: f64) -> Result<Vec<f64>, LinalgError> {
    if !(bound >= 0.0 && bound.is_finite()) {
        return Err(LinalgError::NotFinite);
    }
    let mut sorted: Vec<f64> = values.iter().copied().filter(|value| *value > 0.0).collect();
    let mut loss = 0.0;
    if sorted.iter().sum::<f64>() > bound {
        sorted.sort_by(|a, b| b.total_cmp(a));
        let (mut sum, mut many) = (0.0, 0.0);
        // The amount to subtract if the entries so far are positive after it; smaller entries become 0.
        for value in sorted {
            if many > 0.0 && value <= loss {
                break;
            }
            sum += value;
            many += 1.0;
            loss = (sum - bound) / many;
        }
    }
    Ok(values.iter().map(|value| (value - loss).max(0.0)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_is_capped() {
        let close = |values: &[f64], bound: f64, expected: &[f64]| {
            let found = capped(values, bound).unwrap();
            assert!(found.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-15), "{found:?}");
        };
        close(&[0.5, -0.25, 0.25], 1.0, &[0.5, 0.0, 0.25]);
        close(&[0.5, -0.25, 0.25], 0.75, &[0.5, 0.0, 0.25]);
        close(&[0.25, 2.0, -3.0, 1.5], 1.0, &[0.0, 0.75, 0.0, 0.25]);
        close(&[3.0, 1.0], 1.0, &[1.0, 0.0]);
        close(&[3.0, 3.0], 0.0, &[0.0, 0.0]);
        close(&[-1.0], 1.0, &[0.0]);
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(capped(&[1.0], bad), Err(LinalgError::NotFinite));
        }
    }
}
