//! Solves the secular equation of least squares with a bound on the norm (Hager 2001; theory/many-outcomes 3.4).

use super::linalg::LinalgError;

/// The most steps, more than any start needs: Newton's method converges quadratically from below.
const STEPS: u32 = 200;

/// Returns the smallest ν >= 0 with Σ λ h² / (λ + ν)² <= B², for the eigenvalues λ and the energies h² of their directions.
///
/// It is the Lagrange parameter of a projection onto the image of a ball. It is 0 if the point is inside, and ∞ if B² is 0 and the
/// point is not. Directions whose eigenvalue or energy is 0 are ignored; the caller sets eigenvalues that count as 0 to 0. Rounding:
/// to nearest.
///
/// With a = √h²/B √λ the sum is B² Σ (a/(λ + ν))², and q^(−1/2) − 1 for q = Σ (a/(λ + ν))² is concave and increasing in ν, so
/// Newton's method never passes the root if it starts below it. It starts at 0, or where the largest single term is 1. There q is
/// at most the number of terms, so no small eigenvalue makes it overflow.
///
/// # Errors
/// [`LinalgError`] if the slices differ in length, or a number is not finite or below 0.
pub fn solve_secular(eigenvalues: &[f64], energies: &[f64], bound_squared: f64) -> Result<f64, LinalgError> {
    if eigenvalues.len() != energies.len() {
        return Err(LinalgError::Shape);
    }
    let all = || eigenvalues.iter().chain(energies).chain([&bound_squared]);
    if !all().all(|x| x.is_finite() && *x >= 0.0) {
        return Err(LinalgError::NotFinite);
    }
    let pairs = || eigenvalues.iter().zip(energies).filter(|(value, energy)| **value > 0.0 && **energy > 0.0);
    let largest = pairs().map(|(value, _)| *value).fold(0.0, f64::max);
    // In units of the largest eigenvalue, so that those near either end of the range keep their digits.
    let unit = largest.sqrt();
    let terms: Vec<(f64, f64)> = pairs()
        .map(|(value, energy)| {
            (value / largest, energy.sqrt() / bound_squared.sqrt() / unit * (value.sqrt() / unit))
        })
        .filter(|(_, root)| *root > 0.0)
        .collect();
    let mut nu = terms.iter().map(|(value, root)| root - value).fold(0.0, f64::max);
    if nu.is_infinite() {
        return Ok(f64::INFINITY);
    }
    for _ in 0..STEPS {
        let (mut square, mut slope) = (0.0, 0.0);
        for (value, root) in &terms {
            let share = root / (value + nu);
            square += share * share;
            slope += share * share / (value + nu);
        }
        let step = (square.sqrt() - 1.0) * square / slope;
        // The step is below 0 if the point is inside, and NaN if there are no terms.
        if step.is_nan() || step <= f64::EPSILON * nu {
            break;
        }
        nu += step;
    }
    Ok(largest * nu)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solved(eigenvalues: &[f64], energies: &[f64], bound_squared: f64) -> f64 {
        solve_secular(eigenvalues, energies, bound_squared).unwrap()
    }

    fn close(x: f64, expected: f64) {
        assert!((x - expected).abs() <= 1e-14 * expected.abs(), "{x:e}, not {expected:e}");
    }

    #[test]
    fn known_roots() {
        let root = 2.0_f64.sqrt() - 1.0;
        close(solved(&[1.0], &[1.0], 0.5), root);
        // Eigenvalues at either end of the range.
        close(solved(&[1e-300, 1.0], &[1.0, 1.0], 0.5), root);
        close(solved(&[1e300, 1.0], &[1e300, 1.0], 0.5), 1e300 * root);
        close(solved(&[1e-300], &[1e-300], 0.5), 1e-300 * root);
        // 0.25/(1 + ν)² + 1e-200/(1e-200 + ν)² = 0.5.
        close(solved(&[1.0, 1e-200], &[0.25, 1.0], 0.5), 2e-100);
    }

    #[test]
    fn inside_the_ball_nothing_is_to_be_done() {
        close(solved(&[1.0, 0.25], &[0.5, 0.1], 0.9), 0.0);
        close(solved(&[2.0, 0.5], &[0.0, 0.0], 0.1), 0.0);
        close(solved(&[], &[], 0.0), 0.0);
        // Noise in a direction that the ball has not is no reason to shrink the others.
        close(solved(&[1.0, 0.0], &[0.5, 1e9], 0.9), 0.0);
        assert!(solved(&[1.0, 4.0], &[1.0, 4.0], 2.0) < 1e-14, "at the very edge");
    }

    #[test]
    fn a_ball_without_extent_leaves_nothing() {
        assert_eq!(solve_secular(&[1.0], &[1.0], 0.0), Ok(f64::INFINITY));
        close(solved(&[0.0], &[1.0], 0.0), 0.0);
    }

    #[test]
    fn the_equation_holds_over_many_decades() {
        // A small generator of its own: 31 bits of a linear congruence.
        let mut state = 7_u64;
        let mut uniform = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            f64::from(u32::try_from(state >> 33).unwrap()) / f64::from(1_u32 << 31)
        };
        let mut active = 0;
        for case in 0..3000 {
            let many = 1 + case % 30;
            let mut decades = |reach: f64| -> Vec<f64> {
                (0..many).map(|_| libm::pow(10.0, reach * (2.0 * uniform() - 1.0))).collect()
            };
            let (values, energies) = (decades(14.0), decades(4.0));
            let bound = libm::pow(10.0, 8.0 * (2.0 * uniform() - 1.0));
            let q = |nu: f64| -> f64 {
                values.iter().zip(&energies).map(|(l, h)| l / (l + nu) * h / (l + nu)).sum::<f64>() / bound
            };
            let nu = solved(&values, &energies, bound);
            if nu > 0.0 {
                active += 1;
                assert!((q(nu) - 1.0).abs() < 1e-12, "{}", q(nu));
            } else {
                assert!(q(0.0) <= 1.0 + 1e-12);
            }
        }
        assert!((500..2900).contains(&active), "{active}");
    }

    #[test]
    fn hostile_numbers_are_errors() {
        assert_eq!(solve_secular(&[1.0], &[], 1.0), Err(LinalgError::Shape));
        for bad in [f64::NAN, f64::INFINITY, -1.0] {
            assert_eq!(solve_secular(&[bad], &[1.0], 1.0), Err(LinalgError::NotFinite));
            assert_eq!(solve_secular(&[1.0], &[bad], 1.0), Err(LinalgError::NotFinite));
            assert_eq!(solve_secular(&[1.0], &[1.0], bad), Err(LinalgError::NotFinite));
        }
    }
}
