//! Computes tail probabilities as complex integrals through the saddle point of the integrand.
//!
//! With M the moment generating function of X, Pr(X > x) is (1/2πi) ∫ M(z) e^(−zx) / z dz along any line from −i∞ to i∞
//! between 0 and the first singularity to its right. Expectations of other positive parts have another divisor. Along a path
//! through the saddle point nothing cancels, for any number of terms in X. Butler, Saddlepoint approximations with applications,
//! 2007, section 1.2; Trefethen and Weideman, The exponentially convergent trapezoidal rule, SIAM Review 56, 2014.

use nalgebra::Complex;

/// sin and cos of π/8, the angle of the hyperbola. At 0 slow decay is not damped; from π/4 on the decay of a normal distribution is
/// lost. At π/8, v may leave the real axis by π/8, and the error of the rule falls as exp(−π²/(4 STEP)).
const SIN: f64 = 0.382_683_432_365_089_8;
const COS: f64 = 0.923_879_532_511_286_7;
/// The step in v. The error is a small multiple of 7e-18.
const STEP: f64 = 0.0625;
/// The sum ends when the omitted part is below this share of it.
const NEGLIGIBLE: f64 = 1e-19;
/// The most nodes, far beyond what any double needs.
const NODES: u32 = 20_000;

/// Returns (1/2πi) ∫ G(z)/G(c) dz upwards along z(v) = c + width (sin(π/8) (cosh v − 1) + i cos(π/8) sinh v), a hyperbola that
/// bends to the right, by the trapezoidal rule in v.
///
/// `ln_ratio` is ln(G(z)/G(c)) as a function of z − c, for a G that is real on the real axis and whose singularities are real.
/// c is the minimum of ln G between two of them, and `width` the inverse root of the second derivative of ln G there.
/// The relative error is that of `ln_ratio` and 1e-15 (measured by halving the step).
pub fn through_saddle(width: f64, ln_ratio: impl Fn(Complex<f64>) -> Complex<f64>) -> f64 {
    let (right, up) = (width * SIN, width * COS);
    // The two halves are conjugates: the real axis counts once, and twice the imaginary part of every other node.
    let mut sum = up / 2.0;
    for node in 1..NODES {
        let v = STEP * f64::from(node);
        let half = libm::sinh(v / 2.0);
        let (sinh, cosh) = (libm::sinh(v), libm::cosh(v));
        let ln = ln_ratio(Complex::new(2.0 * right * half * half, up * sinh));
        let modulus = libm::exp(ln.re);
        let (sin, cos) = libm::sincos(ln.im);
        sum += modulus * (sin * right * sinh + cos * up * cosh);
        if modulus * width * cosh <= NEGLIGIBLE * sum {
            break;
        }
    }
    sum * STEP / std::f64::consts::PI
}

/// Returns ln(1 + z), the branch that is real for real z > −1; absolute error below 3e-16 |z| for small z.
pub fn ln_1p(z: Complex<f64>) -> Complex<f64> {
    let square = z.re * (2.0 + z.re) + z.im * z.im;
    Complex::new(libm::log1p(square) / 2.0, libm::atan2(z.im, 1.0 + z.re))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exponential_tail() {
        // M(z) = 1/(1 − z), so G(z) = e^(−zx)/(z (1 − z)) and P[X > x] = e^−x; the saddle point solves a quadratic.
        for x in [1e-6, 0.1, 1.0, 10.0, 600.0] {
            let c = (x - 2.0 + libm::sqrt(x * x + 4.0)) / (2.0 * x);
            let width = 1.0 / libm::sqrt(1.0 / (c * c) + 1.0 / ((1.0 - c) * (1.0 - c)));
            let ratio = |z: Complex<f64>| -ln_1p(z / c) - ln_1p(-z / (1.0 - c)) - z * x;
            let tail = libm::exp(-c * x) / (c * (1.0 - c)) * through_saddle(width, ratio);
            assert!((tail / libm::exp(-x) - 1.0).abs() < 3e-15 * (1.0 + x), "{x}: {tail:e}");
        }
    }
}
