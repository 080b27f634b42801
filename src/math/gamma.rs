//! The gamma and chi-square distributions, with relative accuracy in both tails.
//!
//! No crate is accurate in both tails and uses `libm` alone, which is needed for equal bits natively and in the browser:
//! `statrs` calls the standard library's exp and ln and has ten digits at shape 5e5, `special` has no upper tail, `puruspe`
//! returns 0 or NaN there. Error bounds are relative and were measured against 50-digit values.

use super::saddle_point::{ln_1p, through_saddle};
use super::special::LN_SQRT_TWO_PI;

/// The shape from which seven terms of Stirling's series suffice.
const LARGE: f64 = 16.0;
/// The shape from which a tail is computed as a complex integral, whose cost does not depend on the shape. A series or a continued
/// fraction needs a number of terms proportional to the root of the shape.
const HUGE: f64 = 1e5;
/// The limit of terms of a series or a continued fraction, far beyond what any use here needs.
const TERMS: u32 = 1_000_000;

/// Returns ln F(x) of the gamma distribution with that shape (at least 1/2) and scale 1: ln P(a, x), the regularised lower
/// incomplete gamma function.
///
/// For x below the shape it is the series of P or, for large shapes, a complex integral; above, the complement of
/// [`ln_gamma_sf`]. The absolute error, which is the relative error of F, is below
/// 1e-15 (4 + |ln F| + |x − a| + √a/50) for shapes to 5e8; |x − a| is the effect of one rounding of x.
pub fn ln_gamma_cdf(shape: f64, x: f64) -> f64 {
    if x <= 0.0 {
        f64::NEG_INFINITY
    } else if x <= shape + 1.0 && shape >= HUGE {
        ln_tail(shape, x, -1.0)
    } else if x <= shape + 1.0 {
        ln_kernel(shape, x) + libm::log(series(shape, x))
    } else {
        libm::log1p(-libm::exp(ln_gamma_sf(shape, x)))
    }
}

/// Returns ln (1 − F(x)) of the gamma distribution with that shape (at least 1/2) and scale 1: ln Q(a, x), the regularised
/// upper incomplete gamma function.
///
/// For x above the shape it is Legendre's continued fraction or, for large shapes, a complex integral; below, the complement of
/// [`ln_gamma_cdf`], with the same errors.
pub fn ln_gamma_sf(shape: f64, x: f64) -> f64 {
    if x <= 0.0 {
        0.0
    } else if x == f64::INFINITY {
        f64::NEG_INFINITY
    } else if x <= shape + 1.0 {
        libm::log1p(-libm::exp(ln_gamma_cdf(shape, x)))
    } else if shape >= HUGE {
        ln_tail(shape, x, 1.0)
    } else {
        ln_kernel(shape, x) + libm::log(shape) + libm::log(fraction(shape, x))
    }
}

/// Returns ln F(x) of the chi-square distribution with that many degrees of freedom; errors as [`ln_gamma_cdf`].
pub fn ln_chi_square_cdf(degrees: f64, x: f64) -> f64 {
    ln_gamma_cdf(degrees / 2.0, x / 2.0)
}

/// Returns ln (1 − F(x)) of the chi-square distribution with that many degrees of freedom; errors as [`ln_gamma_cdf`].
pub fn ln_chi_square_sf(degrees: f64, x: f64) -> f64 {
    ln_gamma_sf(degrees / 2.0, x / 2.0)
}

/// Returns ln of the tail on one side of x, the upper one for `side` 1 and the lower one for −1:
/// ln of ∓(1/2πi) ∫ (1 − z)^−a e^(−zx) / z dz along a line that crosses the real axis on that side of 0, at the saddle point.
fn ln_tail(a: f64, x: f64, side: f64) -> f64 {
    // The saddle point c solves x c² + (a + 1 − x) c = 1.
    let linear = x - a - 1.0;
    let c = (linear + side * libm::sqrt(linear * linear + 4.0 * x)) / (2.0 * x);
    let rest = 1.0 - c;
    let width = 1.0 / libm::sqrt(a / (rest * rest) + 1.0 / (c * c));
    let integral = through_saddle(width, |z| -a * ln_1p(-z / rest) - ln_1p(z / c) - x * z);
    // The integrand's exponent at c is that at 1 − a/x and a little, t = 1 − x (1 − c)/a being (1 − c)/(a c).
    let t = rest / (a * c);
    -deviance(a, x) - a * (libm::log1p(-t) + t) + libm::log(integral / c.abs())
}

/// Returns ln (x^a e^−x / Γ(a + 1)), from the deviance of x from a and the remainder of Stirling's formula (Loader 2000), so that
/// no large terms cancel.
fn ln_kernel(a: f64, x: f64) -> f64 {
    -deviance(a, x) - stirling_rest(a) - LN_SQRT_TWO_PI - libm::log(a) / 2.0
}

/// Returns a ln(a/x) + x − a, without cancellation near x = a; relative error below 2e-15.
///
/// With v = (a − x)/(a + x) it is (a − x)²/(a + x) + 2a (artanh v − v).
pub(super) fn deviance(a: f64, x: f64) -> f64 {
    let v = (a - x) / (a + x);
    if v.abs() < 0.25 { (a - x) * v + 2.0 * a * v * artanh_rest(v) } else { a * libm::log(a / x) + (x - a) }
}

/// Returns artanh(v)/v − 1 = v²/3 + v⁴/5 + …, for |v| <= 1/2.
fn artanh_rest(v: f64) -> f64 {
    let square = v * v;
    let mut power = square;
    let mut sum = 0.0;
    let mut odd = 3.0;
    while power > 1e-18 * sum {
        sum += power / odd;
        power *= square;
        odd += 2.0;
    }
    sum
}

/// Returns ln Γ(a + 1) − (a + 1/2) ln a + a − ln(2π)/2 for a >= 1/2; relative error below 1e-15.
///
/// Uses Stirling's series from a = 16 on. Below, raising a by 1 adds (a + 1/2) ln(1 + 1/a) − 1 = artanh(v)/v − 1,
/// v = 1/(2a + 1).
pub(super) fn stirling_rest(a: f64) -> f64 {
    const SERIES: [f64; 7] = [
        1.0 / 12.0,
        -1.0 / 360.0,
        1.0 / 1260.0,
        -1.0 / 1680.0,
        1.0 / 1188.0,
        -691.0 / 360_360.0,
        1.0 / 156.0,
    ];
    let mut steps = 0.0;
    let mut large = a;
    while large < LARGE {
        steps += artanh_rest(1.0 / (2.0 * large + 1.0));
        large += 1.0;
    }
    let square = 1.0 / (large * large);
    steps + SERIES.iter().rev().fold(0.0, |sum, term| sum * square + term) / large
}

/// Returns 1 + x/(a + 1) + x²/((a + 1)(a + 2)) + …, for x <= a.
fn series(a: f64, x: f64) -> f64 {
    let (mut term, mut sum) = (1.0, 1.0);
    for n in 1..TERMS {
        term *= x / (a + f64::from(n));
        sum += term;
        if term < 1e-17 * sum {
            break;
        }
    }
    sum
}

/// Returns Γ(a, x) e^x x^−a = 1/(x + 1 − a − 1(1 − a)/(x + 3 − a − 2(2 − a)/(x + 5 − a − …))), for x > a, by Lentz's method.
fn fraction(a: f64, x: f64) -> f64 {
    let mut b = x - a + 1.0;
    continued_fraction(1.0 / b, |n| {
        b += 2.0;
        (n * (a - n), b)
    })
}

/// Returns a continued fraction by Lentz's method: 1/(b₀ + a₁/(b₁ + a₂/(b₂ + …))) from 1/b₀ and from aₙ and bₙ, which `terms` gives for
/// n = 1, 2, … in their order.
pub(super) fn continued_fraction(first: f64, mut terms: impl FnMut(f64) -> (f64, f64)) -> f64 {
    let mut d = first;
    let mut c = f64::INFINITY;
    let mut value = d;
    for n in 1..TERMS {
        let (numerator, added) = terms(f64::from(n));
        d = 1.0 / (added + numerator * d);
        c = added + numerator / c;
        let factor = c * d;
        value *= factor;
        if (factor - 1.0).abs() <= f64::EPSILON {
            break;
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(x: f64, expected: f64, absolute: f64) {
        assert!((x - expected).abs() <= absolute, "{x:e} is not {expected:e}");
    }

    #[test]
    fn values_known_to_many_digits() {
        // 50-digit values, rounded: shape, x, ln F, ln (1 − F).
        for (shape, x, below, above) in [
            (2.5, 102.5, -2.418_828_542_042_251_5e-42, -95.825_290_556_319),
            (2.5, 400.0, -1.156_880_790_487_344_4e-170, -391.293_738_399_371_2),
            (145.0, 30.0, -116.631_087_349_782_55, -2.227_216_039_808_333_2e-51),
            (145.0, 500.0, -8.075_220_040_173_764e-79, -179.815_422_228_235_04),
            (0.5, 1.25, -0.120_864_864_874_929_33, -2.172_906_003_411_615_7),
            (50.0, 51.0, -0.554_438_210_597_256_3, -0.854_243_262_824_775_9),
            (500_000.0, 510_000.0, -3.883_911_831_189_381e-45, -102.259_486_335_078_31),
            (500_000.0, 490_000.0, -104.926_597_050_804_89, -2.697_477_904_250_425_2e-46),
        ] {
            for (found, expected) in [(ln_gamma_cdf(shape, x), below), (ln_gamma_sf(shape, x), above)] {
                let bound = 4.0 + f64::abs(expected) + (x - shape).abs() + libm::sqrt(shape) / 50.0;
                close(found, expected, 1e-15 * bound.min(1e3 * f64::abs(expected)));
            }
        }
    }

    #[test]
    fn huge_shapes_keep_their_digits() {
        // 40-digit values, rounded.
        type Side = fn(f64, f64) -> f64;
        let values: [(Side, f64, f64, f64); 6] = [
            (ln_gamma_sf, 2e4, 20_424.0, -6.540_804_153_722_3),
            (ln_gamma_sf, 5e8, 500_156_524.0, -27.378_959_472_302_46),
            (ln_gamma_sf, 5e8, 500_011_180.0, -1.175_907_174_873_410_3),
            (ln_gamma_cdf, 2e4, 19_575.0, -6.688_101_602_036_848),
            (ln_gamma_cdf, 5e8, 499_821_114.0, -35.021_270_496_974_8),
            (ln_gamma_cdf, 5e8, 499_977_639.0, -1.841_043_487_556_902),
        ];
        for (side, shape, x, ln) in values {
            let bound = 4.0 + f64::abs(ln) + f64::abs(x - shape) + libm::sqrt(shape) / 50.0;
            close(side(shape, x), ln, 1e-15 * bound);
        }
    }

    #[test]
    fn the_two_branches_meet() {
        for shape in [0.5, 1.0, 2.5, 145.0, 5e4, 5e5] {
            for side in [ln_gamma_cdf, ln_gamma_sf] {
                let (below, above) = (side(shape, shape + 1.0), side(shape, (shape + 1.0) * (1.0 + 1e-14)));
                close(below, above, 1e-14 * (4.0 + libm::sqrt(shape)));
            }
        }
    }

    #[test]
    fn the_ends() {
        close(libm::exp(ln_gamma_cdf(2.0, 0.0)), 0.0, 0.0);
        close(ln_gamma_sf(2.0, -1.0), 0.0, 0.0);
        close(ln_gamma_cdf(2.0, f64::INFINITY), 0.0, 0.0);
        assert!(ln_gamma_sf(2.0, f64::INFINITY) == f64::NEG_INFINITY);
    }

    #[test]
    fn two_degrees_of_freedom_are_an_exponential() {
        for x in [1e-9, 0.3, 2.0, 700.0, 1e6] {
            close(ln_chi_square_sf(2.0, x), -x / 2.0, 2e-16 * (2.0 + x));
            close(ln_chi_square_cdf(2.0, x), libm::log(-libm::expm1(-x / 2.0)), 2e-15 * (2.0 + x));
        }
    }

    #[test]
    fn one_degree_of_freedom_is_a_squared_normal() {
        for x in [0.01, 0.5, 3.0, 30.0] {
            let tail = libm::erfc(libm::sqrt(x / 2.0));
            close(ln_chi_square_sf(1.0, x), libm::log(tail), 1e-14);
        }
    }
}
