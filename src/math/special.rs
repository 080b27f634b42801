//! The normal distribution: density, distribution function, Mills ratio, quantile.
//!
//! All functions use the `libm` crate, so that a native build and the browser return the same bits. Error bounds are relative and
//! were measured against 60-digit values (`tests/vectors/special_functions.csv`).

/// ln(2π) / 2.
pub const LN_SQRT_TWO_PI: f64 = 0.918_938_533_204_672_8;
const SQRT_TWO_PI: f64 = 2.506_628_274_631_000_7;
const SQRT_HALF_PI: f64 = 1.253_314_137_315_500_3;
/// The x from which the Mills ratio is computed as a continued fraction.
const FAR: f64 = 4.0;

/// Returns exp(−x²/2). The rounding error of x² is corrected, so the relative error is near 2e-16 also in the far tail.
pub fn exp_minus_half_square(x: f64) -> f64 {
    let square = x * x;
    if square > 2000.0 {
        return 0.0;
    }
    let rest = libm::fma(x, x, -square);
    libm::exp(-square / 2.0) * (1.0 - rest / 2.0)
}

/// Returns φ(x), the normal density.
pub fn phi_density(x: f64) -> f64 {
    exp_minus_half_square(x) / SQRT_TWO_PI
}

/// Returns Φ(x), the normal distribution function; relative error below 1e-15 on both sides while it is a normal number.
pub fn phi_cdf(x: f64) -> f64 {
    if x < -1.0 { phi_density(x) * mills(-x) } else { libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2) / 2.0 }
}

/// Returns ln Φ(x) (theory/accounting 2.2); relative error below 1e-15.
pub fn ln_phi_cdf(x: f64) -> f64 {
    if x < -1.0 {
        libm::log(mills(-x)) - x * x / 2.0 - LN_SQRT_TWO_PI
    } else {
        libm::log1p(-libm::erfc(x * std::f64::consts::FRAC_1_SQRT_2) / 2.0)
    }
}

/// Returns m(x) = (1 − Φ(x)) / φ(x), the Mills ratio (theory/accounting 2.2); relative error below 2e-15.
///
/// It is infinite below about −37.6, where exp(x²/2) overflows.
pub fn mills(x: f64) -> f64 {
    if x < FAR {
        SQRT_HALF_PI * libm::exp(x * x / 2.0) * libm::erfc(x * std::f64::consts::FRAC_1_SQRT_2)
    } else {
        1.0 / (x + fraction(x))
    }
}

/// Returns w(x) = 1 − x m(x), without cancellation for large x (theory/accounting 2.2); relative error below 2e-14 (near 4,
/// where the two forms meet) and below 1e-15 from 4 on.
pub fn one_minus_x_mills(x: f64) -> f64 {
    if x < FAR {
        1.0 - x * mills(x)
    } else {
        let rest = fraction(x);
        rest / (x + rest)
    }
}

/// Returns c(x) in m(x) = 1 / (x + c(x)): the continued fraction 1/(x + 2/(x + 3/(x + …))), by backward recurrence.
fn fraction(x: f64) -> f64 {
    (1..=60_u32).rev().fold(0.0, |rest, j| f64::from(j) / (x + rest))
}

/// Returns Φ⁻¹(p), the normal quantile; relative error below 1e-15 away from p = 1/2. Near 1/2 the error is that of rounding p.
///
/// It is −∞ at 0, ∞ at 1 and NaN outside.
pub fn normal_quantile(p: f64) -> f64 {
    if (0.25..=0.75).contains(&p) {
        normal_quantile_central(p - 0.5)
    } else if p < 0.25 {
        lower_quantile(p)
    } else {
        -lower_quantile(1.0 - p)
    }
}

/// Returns Φ⁻¹(1/2 + q) for |q| <= 1/4; relative error below 1e-15, also near q = 0.
///
/// Uses Newton's method on erf, which is concave for positive arguments: from q √(2π), below the root, each step increases.
pub fn normal_quantile_central(q: f64) -> f64 {
    let target = q.abs();
    let mut x = target * SQRT_TWO_PI;
    for _ in 0..8 {
        let error = libm::erf(x * std::f64::consts::FRAC_1_SQRT_2) / 2.0 - target;
        x -= error / phi_density(x);
    }
    x.copysign(q)
}

/// Returns Φ⁻¹(p) for p below 1/4.
///
/// Uses Newton's method on ln Φ, which is concave. Φ(−√(−2 ln 2p)) <= p, so the start is below the root and each step
/// increases. φ/Φ is 1/m.
fn lower_quantile(p: f64) -> f64 {
    if p <= 0.0 {
        return if p < 0.0 { f64::NAN } else { f64::NEG_INFINITY };
    }
    let target = libm::log(p);
    let mut x = -libm::sqrt(-2.0 * (target + std::f64::consts::LN_2));
    for _ in 0..60 {
        let step = (ln_phi_cdf(x) - target) * mills(-x);
        x -= step;
        if step.abs() <= 4e-16 * x.abs() {
            break;
        }
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::of_tests::close;

    #[test]
    fn quantiles_known_to_many_digits() {
        // 40-digit values, rounded.
        for (p, x) in [
            (0.975, 1.959_963_984_540_054_2),
            (0.025, -1.959_963_984_540_054_2),
            (1e-9, -5.997_807_015_007_686_9),
            (1e-300, -37.047_096_299_361_2),
            (0.3, -0.524_400_512_708_040_7),
            (0.24, -0.706_302_562_840_087_5),
        ] {
            close(normal_quantile(p), x, 1e-15);
        }
        assert_eq!(normal_quantile(0.5).to_bits(), 0.0_f64.to_bits());
        close(normal_quantile_central(1e-12), 1e-12 * SQRT_TWO_PI, 1e-15);
        assert!(normal_quantile(0.0) == f64::NEG_INFINITY && normal_quantile(1.0) == f64::INFINITY);
        assert!(
            normal_quantile(-0.1).is_nan()
                && normal_quantile(1.1).is_nan()
                && normal_quantile(f64::NAN).is_nan()
        );
    }

    #[test]
    fn quantile_inverts_the_distribution_function() {
        let mut x = -37.0;
        while x < 5.0 {
            close(phi_cdf(normal_quantile(phi_cdf(x))), phi_cdf(x), 4e-13);
            x += 0.137;
        }
    }

    #[test]
    fn the_far_tail_keeps_its_digits() {
        close(phi_cdf(-30.0), 4.906_713_927_148_187e-198, 2e-15);
        close(phi_cdf(-37.5), 4.605_353_009_581_954e-308, 2e-15);
        assert_eq!(phi_cdf(-100.0).to_bits(), 0.0_f64.to_bits());
    }
}
