//! Student's t distribution.
//!
//! Written on [`super::beta`], for the reason given in `gamma`.

use super::beta::beta_cdf;
use super::search::last_true;
use super::special::normal_quantile;

/// The ν from which the expansion in 1/ν is more accurate than the incomplete beta function.
const MANY: f64 = 1e5;

/// Returns P[|T| > t] for Student's t with ν = `freedom` degrees of freedom, ν >= 1 and t >= 0: I_x(ν/2, 1/2), x = ν/(ν + t²).
pub fn t_outside(t: f64, freedom: f64) -> f64 {
    beta_cdf(freedom / 2.0, 0.5, freedom / (freedom + t * t))
}

/// Returns the t with P[T <= t] = p, for p from 1/2 to below 1 and ν >= 1.
///
/// Uses bisection up to ν = 10⁵ and z + (z³ + z)/(4ν) + (5z⁵ + 16z³ + 3z)/(96ν²) beyond (Abramowitz and Stegun 26.7.5).
/// Relative error below 1e-10 for p from 0.6 to 0.9999.
pub fn t_quantile(p: f64, freedom: f64) -> f64 {
    let z = normal_quantile(p);
    if freedom > MANY {
        let square = z * z;
        let first = z * (square + 1.0) / (4.0 * freedom);
        let second = z * (5.0 * square * square + 16.0 * square + 3.0) / (96.0 * freedom * freedom);
        return z + first + second;
    }
    let outside = 2.0 * (1.0 - p);
    let mut bound = 2.0 * (z + 1.0);
    while bound.is_finite() && t_outside(bound, freedom) > outside {
        bound *= 4.0;
    }
    last_true(0.0, bound, |t| t_outside(t, freedom) >= outside)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reference: tables to ten digits and more (Abramowitz and Stegun 26.10; closed forms for ν = 1, 2 and 4).
    #[test]
    fn quantiles() {
        let closed_two = |p: f64| (2.0 * p - 1.0) * (2.0 / (4.0 * p * (1.0 - p))).sqrt();
        for (p, freedom, expected) in [
            (0.975, 1.0, libm::tan(std::f64::consts::PI * 0.475)),
            (0.975, 2.0, closed_two(0.975)),
            (0.95, 2.0, closed_two(0.95)),
            (0.975, 7.0, 2.364_624_251_592_785),
            (0.975, 8.0, 2.306_004_135_204_166),
            (0.975, 30.0, 2.042_272_456_301_237),
            (0.995, 30.0, 2.749_995_653_567_231),
        ] {
            assert!(
                (t_quantile(p, freedom) / expected - 1.0).abs() < 1e-9,
                "{p} {freedom}: {}",
                t_quantile(p, freedom)
            );
        }
    }

    #[test]
    fn both_forms_meet() {
        for p in [0.6, 0.9, 0.975, 0.9995] {
            let (below, above) = (t_quantile(p, MANY), t_quantile(p, MANY.next_up()));
            assert!((above / below - 1.0).abs() < 1e-10, "{p}: {below} {above}");
        }
        // Near 0 the distribution function is flat in t².
        assert!(t_quantile(0.5, 3.0).abs() < 1e-7);
        assert!((t_quantile(0.975, 1e9) - normal_quantile(0.975)).abs() < 1e-8);
    }
}
