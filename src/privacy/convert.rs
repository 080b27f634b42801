//! Conversions between measures of privacy (theory/accounting 1 and 2).
//!
//! Every typed function rounds to the safe side: a δ, ε or σ up, a μ or ρ of a budget down. The margin is [`MARGIN`] on the result
//! of a search and 1e-12 on a δ. Both are far above the error of the formulas (relative error of ln δ below 5e-16).

use super::measure::{Delta, Epsilon, Mu, Rho};
use crate::math::round::{MARGIN, lower, raise};
use crate::math::search::{first_true, last_true};
use crate::math::special::{
    LN_SQRT_TWO_PI, mills, normal_quantile, normal_quantile_central, one_minus_x_mills, phi_density,
};

/// Relative amount by which a δ is raised, and by which a target for ln δ is lowered.
pub(super) const DELTA_MARGIN: f64 = 1e-12;

/// A conversion without a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConversionError {
    /// δ = 0 asks for pure differential privacy.
    #[error("{}", crate::words::error::conversion_delta_zero())]
    DeltaZero,
    /// δ = 1 protects nothing.
    #[error("{}", crate::words::error::conversion_delta_one())]
    DeltaOne,
    /// The sensitivity is no positive number.
    #[error("{}", crate::words::error::conversion_sensitivity())]
    Sensitivity,
    /// The result is beyond the largest double.
    #[error("{}", crate::words::error::conversion_too_large())]
    TooLarge,
}

/// Returns ln δ(ε; μ), the privacy profile of μ-GDP: δ = Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ), for any ε and μ >= 0.
///
/// With a = ε/μ − μ/2, b = ε/μ + μ/2, m the Mills ratio: δ = φ(a) (m(a) − m(b)), and m(a) − m(b) is the integral of
/// 1 − x m(x) from a to b, which has no cancellation (Balle and Wang 2018; theory/accounting 2.2). Rounded to nearest, relative
/// error below 5e-16 (measured there).
pub fn gdp_ln_delta(epsilon: f64, mu: f64) -> f64 {
    if epsilon < 0.0 {
        let rest = if mu > 0.0 { libm::exp(epsilon + gdp_ln_delta(-epsilon, mu)) } else { 0.0 };
        return libm::log(rest - libm::expm1(epsilon));
    }
    let (a, b) = (epsilon / mu - mu / 2.0, epsilon / mu + mu / 2.0);
    if mu <= 0.0 || a == f64::INFINITY {
        return f64::NEG_INFINITY;
    }
    let root = std::f64::consts::FRAC_1_SQRT_2;
    if a > 0.0 {
        let integral = if mu < 0.5 || mu < a / 4.0 { mills_drop(a, mu) } else { mills(a) - mills(b) };
        libm::log(integral) - a * a / 2.0 - LN_SQRT_TWO_PI
    } else if b <= 1.0 {
        let spread = (libm::erf(b * root) - libm::erf(a * root)) / 2.0;
        libm::log(spread - libm::expm1(epsilon) * libm::erfc(b * root) / 2.0)
    } else {
        libm::log(libm::erfc(a * root) / 2.0 - phi_density(a) * mills(b))
    }
}

/// Returns m(a) − m(a + width) as an integral, by Gauss and Legendre's rule with 16 points.
fn mills_drop(a: f64, width: f64) -> f64 {
    const NODES: [(f64, f64); 8] = [
        (0.095_012_509_837_637_44, 0.189_450_610_455_068_5),
        (0.281_603_550_779_258_9, 0.182_603_415_044_923_6),
        (0.458_016_777_657_227_4, 0.169_156_519_395_002_54),
        (0.617_876_244_402_643_7, 0.149_595_988_816_576_73),
        (0.755_404_408_355_003, 0.124_628_971_255_533_87),
        (0.865_631_202_387_831_7, 0.095_158_511_682_492_78),
        (0.944_575_023_073_232_6, 0.062_253_523_938_647_89),
        (0.989_400_934_991_649_9, 0.027_152_459_411_754_095),
    ];
    let half = width / 2.0;
    let middle = a + half;
    let sum: f64 = NODES
        .iter()
        .map(|(node, weight)| {
            weight * (one_minus_x_mills(middle - half * node) + one_minus_x_mills(middle + half * node))
        })
        .sum();
    sum * half
}

/// Returns the smallest δ with μ-GDP ⇒ (ε, δ)-DP, rounded up. Dong, Roth, Su 2022, Cor. 2.13.
pub fn gdp_delta(epsilon: Epsilon, mu: Mu) -> Delta {
    if mu.is_zero() {
        return Delta::ZERO;
    }
    delta_up(gdp_ln_delta(epsilon.get(), mu.get()))
}

/// Returns the smallest ε with μ-GDP ⇒ (ε, δ)-DP, rounded up. δ(ε) of [`gdp_ln_delta`].
///
/// # Errors
/// If δ is 0 and μ is not.
pub fn gdp_epsilon(mu: Mu, delta: Delta) -> Result<Epsilon, ConversionError> {
    if mu.is_zero() {
        return Ok(Epsilon::ZERO);
    }
    let target = ln_target(delta)?;
    let m = mu.get();
    // Beyond the bound the Gaussian tail alone is below δ.
    let bound = m * m / 2.0 + m * libm::sqrt(-2.0 * target);
    epsilon_up(first_true(0.0, bound, |epsilon| gdp_ln_delta(epsilon, m) <= target))
}

/// Returns the largest μ with μ-GDP ⇒ (ε, δ)-DP, rounded down.
///
/// # Errors
/// If δ is 0, which no μ above 0 reaches, or 1, which every μ does.
pub fn gdp_mu(epsilon: Epsilon, delta: Delta) -> Result<Mu, ConversionError> {
    let target = ln_target_below_one(delta)?;
    let found = largest(|mu| gdp_ln_delta(epsilon.get(), mu) <= target);
    Mu::try_new(spendable(found)).map_err(|_| ConversionError::TooLarge)
}

/// Returns the smallest σ for which Gaussian noise on a number of that sensitivity is (ε, δ)-DP, rounded up (the analytic Gaussian
/// mechanism, theory/accounting 2.2).
///
/// # Errors
/// If δ is 0 or 1 or the sensitivity is not above 0.
pub fn gaussian_sigma(epsilon: Epsilon, delta: Delta, sensitivity: f64) -> Result<f64, ConversionError> {
    if !(sensitivity.is_finite() && sensitivity > 0.0) {
        return Err(ConversionError::Sensitivity);
    }
    let sigma = raise(sensitivity / gdp_mu(epsilon, delta)?.get(), DELTA_MARGIN);
    if sigma.is_finite() { Ok(sigma) } else { Err(ConversionError::TooLarge) }
}

/// Returns the μ of several Gaussian releases together, √(Σ μ²), also under adaptive choice, rounded up (theory/accounting 1.2).
///
/// # Errors
/// If the sum is too large.
pub fn gdp_compose(mus: &[Mu]) -> Result<Mu, ConversionError> {
    let square: f64 = mus.iter().map(|mu| mu.get() * mu.get()).sum();
    let total = if square > 0.0 { raise(libm::sqrt(square), DELTA_MARGIN) } else { 0.0 };
    Mu::try_new(total).map_err(|_| ConversionError::TooLarge)
}

/// Returns ln δ(ε) that ρ-zCDP implies: the least over x > 0 of x ((1 + x) ρ − ε) − ln(1 + x) − x ln(1 + 1/x), where 1 + x is
/// Rényi's order (Canonne, Kamath, Steinke 2020; theory/accounting 2.3). It is at most 0. Every x gives a valid bound, so an
/// inexact minimum is on the safe side.
pub fn zcdp_ln_delta(rho: f64, epsilon: f64) -> f64 {
    if rho <= 0.0 {
        return f64::NEG_INFINITY;
    }
    let falling = |x: f64| (2.0 * x + 1.0) * rho - epsilon - libm::log1p(1.0 / x) <= 0.0;
    let x = last_true(0.0, (epsilon + 1.0) / (2.0 * rho) + 1.0, falling);
    if x <= 0.0 {
        return 0.0;
    }
    (x * ((1.0 + x) * rho - epsilon) - libm::log1p(x) - x * libm::log1p(1.0 / x)).min(0.0)
}

/// Returns δ for which ρ-zCDP ⇒ (ε, δ)-DP, rounded up; [`zcdp_ln_delta`].
pub fn zcdp_delta(rho: Rho, epsilon: Epsilon) -> Delta {
    if rho.is_zero() {
        return Delta::ZERO;
    }
    delta_up(zcdp_ln_delta(rho.get(), epsilon.get()))
}

/// Returns ε for which ρ-zCDP ⇒ (ε, δ)-DP, rounded up; [`zcdp_ln_delta`].
///
/// # Errors
/// If δ is 0 and ρ is not.
pub fn zcdp_epsilon(rho: Rho, delta: Delta) -> Result<Epsilon, ConversionError> {
    if rho.is_zero() {
        return Ok(Epsilon::ZERO);
    }
    let target = ln_target(delta)?;
    let r = rho.get();
    let bound = r + 2.0 * libm::sqrt(-r * target);
    epsilon_up(first_true(0.0, bound, |epsilon| zcdp_ln_delta(r, epsilon) <= target))
}

/// Returns the largest ρ with ρ-zCDP ⇒ (ε, δ)-DP by [`zcdp_ln_delta`], rounded down.
///
/// # Errors
/// If δ is 0 or 1.
pub fn zcdp_rho(epsilon: Epsilon, delta: Delta) -> Result<Rho, ConversionError> {
    let target = ln_target_below_one(delta)?;
    let found = largest(|rho| zcdp_ln_delta(rho, epsilon.get()) <= target);
    Rho::try_new(spendable(found)).map_err(|_| ConversionError::TooLarge)
}

/// Returns ρ of a pure ε-DP mechanism, ε tanh(ε/2), rounded up (theory/accounting 1.4).
pub fn rho_from_pure(epsilon: Epsilon) -> Rho {
    let e = epsilon.get();
    let rho = if e > 0.0 { raise(e * libm::tanh(e / 2.0), DELTA_MARGIN).min(f64::MAX) } else { 0.0 };
    Rho::try_new(rho).unwrap_or(Rho::ZERO)
}

/// Returns μ of a pure ε-DP mechanism, 2 Φ⁻¹(e^ε / (1 + e^ε)), rounded up (theory/accounting 1.4).
///
/// # Errors
/// [`ConversionError`] if ε is above about 700, where the result would not be accurate.
pub fn mu_from_pure(epsilon: Epsilon) -> Result<Mu, ConversionError> {
    let e = epsilon.get();
    if e > 700.0 {
        return Err(ConversionError::TooLarge);
    }
    let half = if e < 1.0 {
        normal_quantile_central(libm::tanh(e / 2.0) / 2.0)
    } else {
        -normal_quantile(1.0 / (1.0 + libm::exp(e)))
    };
    let mu = if e > 0.0 { raise(2.0 * half, DELTA_MARGIN) } else { 0.0 };
    Mu::try_new(mu).map_err(|_| ConversionError::TooLarge)
}

/// Returns the true δ, rounded to nearest, of the classical Gaussian scale √(2 ln(1.25/δ)) / ε at a claimed (ε, δ)
/// (theory/accounting 2.4). For comparison only: above ε = 9 or so it exceeds the claim.
///
/// # Errors
/// If δ is 0 or 1, or ε is 0.
pub fn classical_gaussian_true_delta(epsilon: Epsilon, delta: Delta) -> Result<f64, ConversionError> {
    ln_target_below_one(delta)?;
    let mu = epsilon.get() / libm::sqrt(2.0 * libm::log(1.25 / delta.get()));
    if mu > 0.0 { Ok(libm::exp(gdp_ln_delta(epsilon.get(), mu))) } else { Err(ConversionError::TooLarge) }
}

/// Returns ln δ, lowered, so that a value below it is below the true ln δ.
pub(super) fn ln_target(delta: Delta) -> Result<f64, ConversionError> {
    if delta.is_zero() {
        return Err(ConversionError::DeltaZero);
    }
    let ln = libm::log(delta.get());
    Ok(ln - DELTA_MARGIN * (1.0 - ln))
}

pub(super) fn ln_target_below_one(delta: Delta) -> Result<f64, ConversionError> {
    if delta.get() >= 1.0 { Err(ConversionError::DeltaOne) } else { ln_target(delta) }
}

/// Returns exp(`ln_delta`), raised. It is never 0, because that would understate δ.
pub(super) fn delta_up(ln_delta: f64) -> Delta {
    let delta = raise(libm::exp(ln_delta), DELTA_MARGIN).min(1.0);
    Delta::try_new(delta).unwrap_or(Delta::ZERO)
}

/// Returns a δ that was added up, raised; nothing lost stays nothing.
pub(super) fn raised_delta(delta: f64, margin: f64) -> Delta {
    let raised = if delta > 0.0 { raise(delta, margin).min(1.0) } else { 0.0 };
    Delta::try_new(raised).unwrap_or(Delta::ZERO)
}

pub(super) fn epsilon_up(epsilon: f64) -> Result<Epsilon, ConversionError> {
    let raised = if epsilon > 0.0 { raise(epsilon, MARGIN) } else { 0.0 };
    Epsilon::try_new(raised).map_err(|_| ConversionError::TooLarge)
}

fn spendable(found: f64) -> f64 {
    lower(found, MARGIN).max(0.0)
}

/// Returns the largest number above 0 at which `holds` is true, for a property that holds for small numbers only; 0 if none is
/// found.
pub(super) fn largest(holds: impl Fn(f64) -> bool) -> f64 {
    let mut high = 1.0;
    while high < 1e150 && holds(high) {
        high *= 2.0;
    }
    let mut low = high / 2.0;
    while low > 1e-150 && !holds(low) {
        low /= 2.0;
    }
    if holds(low) { last_true(low, 2.0 * low, holds) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::measure::of_tests::{delta, epsilon};

    #[test]
    fn each_way_there_and_back_stays_on_the_safe_side() {
        for e in [0.01, 0.1, 1.0, 4.0, 20.0] {
            for d in [1e-3, 1e-6, 1e-12] {
                let mu = gdp_mu(epsilon(e), delta(d)).unwrap();
                assert!(gdp_delta(epsilon(e), mu).get() <= d, "gdp {e} {d}");
                assert!(gdp_epsilon(mu, delta(d)).unwrap().get() <= e * (1.0 + 1e-6));
                let rho = zcdp_rho(epsilon(e), delta(d)).unwrap();
                assert!(zcdp_delta(rho, epsilon(e)).get() <= d, "zcdp {e} {d}");
                assert!(zcdp_epsilon(rho, delta(d)).unwrap().get() <= e * (1.0 + 1e-6));
                assert!(rho.get() <= mu.get() * mu.get() / 2.0, "zCDP is never cheaper than one Gaussian");
            }
        }
    }

    #[test]
    fn the_ends() {
        let one = Mu::try_new(1.0).unwrap();
        assert_eq!(gdp_delta(epsilon(1.0), Mu::ZERO), Delta::ZERO);
        assert!(gdp_delta(epsilon(1e6), one).get() > 0.0, "an underflow is no zero");
        assert_eq!(gdp_epsilon(Mu::ZERO, Delta::ZERO), Ok(Epsilon::ZERO));
        assert_eq!(gdp_epsilon(one, Delta::ZERO), Err(ConversionError::DeltaZero));
        assert_eq!(gdp_epsilon(one, delta(0.9)), Ok(Epsilon::ZERO));
        assert_eq!(gdp_mu(epsilon(1.0), delta(1.0)), Err(ConversionError::DeltaOne));
        assert_eq!(gaussian_sigma(epsilon(1.0), delta(1e-6), 0.0), Err(ConversionError::Sensitivity));
        assert_eq!(rho_from_pure(Epsilon::ZERO), Rho::ZERO);
        assert_eq!(mu_from_pure(Epsilon::ZERO), Ok(Mu::ZERO));
        assert!(gdp_mu(Epsilon::ZERO, delta(1e-12)).unwrap().get() > 2e-12);
    }

    #[test]
    fn a_negative_epsilon_is_the_complement() {
        // δ(−ε) = 1 − e^−ε + e^−ε δ(ε).
        let direct = libm::exp(gdp_ln_delta(-0.7, 0.9));
        let through = 1.0 - libm::exp(-0.7) + libm::exp(-0.7 + gdp_ln_delta(0.7, 0.9));
        assert!((direct - through).abs() < 1e-15);
    }
}
