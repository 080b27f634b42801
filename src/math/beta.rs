//! The beta and binomial distributions, with relative accuracy in both tails.
//!
//! Written on `libm`, for the reason given in `gamma`.

use super::gamma::{continued_fraction, deviance, stirling_rest};
use super::special::LN_SQRT_TWO_PI;

/// Returns I_x(a, b), the distribution function of the beta distribution, for a and b of at least 1/2 and x from 0 to 1.
///
/// Relative error below 2e-15 (2 + |ln I| + |a − (a + b) x| / (1 − x)) for a and b to 1e6. The last two terms are the effect of
/// one rounding of x.
pub fn beta_cdf(a: f64, b: f64, x: f64) -> f64 {
    let (y, gap) = (1.0 - x, libm::fma(-(a + b), x, a));
    if gap >= 0.0 { below_mean(a, b, [x, y], gap) } else { 1.0 - below_mean(b, a, [y, x], -gap) }
}

/// Returns 1 − I_x(a, b) = I_{1−x}(b, a), the survival function of the beta distribution; relative error as [`beta_cdf`].
pub fn beta_sf(a: f64, b: f64, x: f64) -> f64 {
    let (y, gap) = (1.0 - x, libm::fma(-(a + b), x, a));
    if gap >= 0.0 { 1.0 - below_mean(a, b, [x, y], gap) } else { below_mean(b, a, [y, x], -gap) }
}

/// Returns P[B >= k] = I_p(k, n − k + 1) for a binomial B of n trials with probability p; relative error as [`beta_cdf`].
pub fn binomial_at_least(n: u32, p: f64, k: u32) -> f64 {
    match k {
        0 => 1.0,
        _ if k > n => 0.0,
        _ => beta_cdf(f64::from(k), f64::from(n - k) + 1.0, p),
    }
}

/// Returns P[B <= k] = 1 − I_p(k + 1, n − k) for a binomial B of n trials with probability p; relative error as [`beta_cdf`].
pub fn binomial_at_most(n: u32, p: f64, k: u32) -> f64 {
    if k >= n { 1.0 } else { beta_sf(f64::from(k) + 1.0, f64::from(n - k), p) }
}

/// Returns P[B = k] for a binomial B of n trials with probability p (Loader 2000); relative error as [`beta_cdf`].
pub fn binomial_pmf(n: u32, p: f64, k: u32) -> f64 {
    let (trials, hits) = (f64::from(n), f64::from(k));
    match k {
        _ if k > n => 0.0,
        0 => libm::exp(trials * libm::log1p(-p)),
        _ if k == n => libm::exp(trials * libm::log(p)),
        _ => kernel(hits, trials - hits, [p, 1.0 - p]),
    }
}

/// Returns I_x(a, b) for x up to the mean a/(a + b); y = 1 − x and `gap` = a − (a + b) x.
fn below_mean(a: f64, b: f64, [x, y]: [f64; 2], gap: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    // 1/B(a, b) = Γ(a + b + 1)/(Γ(a + 1) Γ(b + 1)) × ab/(a + b).
    kernel(a, b, [x, y]) * (a * b / (a + b)) * fraction(a, b, [x, y], gap)
}

/// Returns x^a y^b Γ(a + b + 1) / (Γ(a + 1) Γ(b + 1)), as Loader writes the binomial probability.
fn kernel(a: f64, b: f64, [x, y]: [f64; 2]) -> f64 {
    let n = a + b;
    let ln = stirling_rest(n)
        - stirling_rest(a)
        - stirling_rest(b)
        - deviance(a, n * x)
        - deviance(b, n * y)
        - LN_SQRT_TWO_PI
        + libm::log(n / (a * b)) / 2.0;
    libm::exp(ln)
}

/// Returns the continued fraction of I_x(a, b) B(a, b) / (x^a y^b) whose terms are all positive below the mean (DiDonato and
/// Morris 1992), by Lentz's method.
fn fraction(a: f64, b: f64, [x, y]: [f64; 2], gap: f64) -> f64 {
    let denominator = |n: f64| {
        n + n * (b - n) * x / (a + 2.0 * n - 1.0)
            + (a + n) / (a + 2.0 * n + 1.0) * (gap + 1.0 + n * (1.0 + y))
    };
    continued_fraction((a + 1.0) / (a * (gap + 1.0)), |n| {
        let numerator = (a + n - 1.0) * (a + b + n - 1.0) * n * (b - n) * (x / (a + 2.0 * n - 1.0)).powi(2);
        (numerator, denominator(n))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::of_tests::close;

    #[test]
    fn values_known_to_many_digits() {
        // 50-digit values, rounded.
        for (a, b, x, below, above) in [
            (1234.0, 98_767.0, 0.011_1, 0.000_122_669_761_085_457_1, 0.999_877_330_238_914_6),
            (50.0, 1.0, 0.000_976_562_5, 3.054_936_363_499_605e-151, 1.0),
            (5.0, 96.0, 0.9, 1.0, 2.584_543_837_599_945e-90),
            (1000.0, 1.0, 0.5, 9.332_636_185_032_189e-302, 1.0),
            (100_000.0, 100_000.0, 0.475, 3.475_347_768_286_258e-111, 1.0),
            (10.0, 1_000_000.0, 1.158e-05, 0.719_004_828_031_376_8, 0.280_995_171_968_623_17),
            (20.0, 31.0, 0.5, 0.940_539_773_720_281_9, 0.059_460_226_279_718_14),
        ] {
            let gap = f64::abs(a - (a + b) * x) / (1.0 - x);
            close(beta_cdf(a, b, x), below, 2e-15 * (2.0 - libm::log(below) + gap));
            close(beta_sf(a, b, x), above, 2e-15 * (2.0 - libm::log(above) + gap));
        }
    }

    #[test]
    fn the_two_tails_make_one_and_a_mirror_image_changes_nothing() {
        for (a, b) in [(0.5, 0.5), (1.0, 7.0), (20.0, 31.0), (1e5, 3e5), (10.0, 1e6)] {
            for step in 1..64 {
                let x = f64::from(step) / 64.0;
                close(beta_cdf(a, b, x) + beta_sf(a, b, x), 1.0, 4e-16);
                close(beta_cdf(a, b, x), beta_sf(b, a, 1.0 - x), 4e-15);
            }
        }
    }

    #[test]
    fn the_ends() {
        for (x, below) in [(0.0, 0.0), (1.0, 1.0)] {
            close(beta_cdf(3.0, 2.0, x), below, 0.0);
            close(beta_sf(3.0, 2.0, x), 1.0 - below, 0.0);
        }
        close(binomial_at_least(5, 0.3, 0), 1.0, 0.0);
        close(binomial_at_least(5, 0.3, 6), 0.0, 0.0);
        close(binomial_at_most(5, 0.3, 5), 1.0, 0.0);
    }

    #[test]
    fn probabilities_of_a_binomial_sum_to_its_tails() {
        let (n, p) = (40, 0.3);
        let (mut below, mut above) = (0.0, 0.0);
        for k in 0..=n {
            below += binomial_pmf(n, p, k);
            above += binomial_pmf(n, p, n - k);
            close(binomial_at_most(n, p, k), below, 1e-14);
            close(binomial_at_least(n, p, n - k), above, 1e-13);
        }
    }
}
