//! Closed forms for k releases that are each ε-DP, as other tools and papers compute them (theory/accounting 4.2). The optimum is in
//! [`fixed_plan`](super::fixed_plan). For display; ledgers charge by [`ledger`](super::ledger).
//!
//! Each result is rounded up by 1e-12, far above the error of its few operations.

use super::convert::{ConversionError, DELTA_MARGIN, ln_target, zcdp_epsilon};
use super::measure::{Delta, Epsilon, Rho};
use crate::math::round::{multiply_up, raise};

/// Returns ε by basic composition: k ε, rounded up; δ adds up likewise. Also valid under adaptive choice. Dwork et al. 2006.
///
/// # Errors
/// If the product is too large.
pub fn basic_eps(count: u32, epsilon: Epsilon) -> Result<Epsilon, ConversionError> {
    Epsilon::try_new(multiply_up(f64::from(count), epsilon.get())).map_err(|_| ConversionError::TooLarge)
}

/// Returns ε by advanced composition: ε √(2k ln(1/δ)) + k ε (e^ε − 1), rounded up. Dwork, Rothblum, Vadhan 2010, Theorem III.3.
///
/// # Errors
/// If δ is 0 or the answer is too large.
pub fn advanced_drv_eps(count: u32, epsilon: Epsilon, delta: Delta) -> Result<Epsilon, ConversionError> {
    let e = epsilon.get();
    spread_and_drift(count, epsilon, delta, e * libm::expm1(e))
}

/// Returns ε by advanced composition with the exact mean loss of randomised response: ε √(2k ln(1/δ)) + k ε tanh(ε/2), rounded up.
/// Kairouz, Oh, Viswanath 2015, Theorem 3.4; theory/accounting 4.2.
///
/// # Errors
/// If δ is 0 or the answer is too large.
pub fn advanced_kov_eps(count: u32, epsilon: Epsilon, delta: Delta) -> Result<Epsilon, ConversionError> {
    let e = epsilon.get();
    spread_and_drift(count, epsilon, delta, e * libm::tanh(e / 2.0))
}

/// Returns the filter for adaptive (ε, 0) releases: √(2 ln(1/δ) k ε²) + k ε²/2, rounded up. Whitehouse, Ramdas, Rogers, Wu 2023;
/// theory/accounting 5.1.
///
/// # Errors
/// If δ is 0 or the answer is too large.
pub fn whitehouse_filter_eps(count: u32, epsilon: Epsilon, delta: Delta) -> Result<Epsilon, ConversionError> {
    let e = epsilon.get();
    spread_and_drift(count, epsilon, delta, e * e / 2.0)
}

/// Returns ε by zCDP: k ε tanh(ε/2) is ρ, and ρ-zCDP at δ is the answer, rounded up; [`zcdp_epsilon`]. theory/accounting 1.4 and 2.3.
///
/// # Errors
/// If δ is 0 or the answer is too large.
pub fn zcdp_pure_eps(count: u32, epsilon: Epsilon, delta: Delta) -> Result<Epsilon, ConversionError> {
    let e = epsilon.get();
    let rho = raise(f64::from(count) * e * libm::tanh(e / 2.0), DELTA_MARGIN);
    let rho = if e > 0.0 && count > 0 { rho } else { 0.0 };
    zcdp_epsilon(Rho::try_new(rho).map_err(|_| ConversionError::TooLarge)?, delta)
}

/// Returns ε √(2k ln(1/δ)) + k drift.
fn spread_and_drift(
    count: u32,
    epsilon: Epsilon,
    delta: Delta,
    drift: f64,
) -> Result<Epsilon, ConversionError> {
    if count == 0 || epsilon.is_zero() {
        return Ok(Epsilon::ZERO);
    }
    let k = f64::from(count);
    let answer = epsilon.get() * libm::sqrt(-2.0 * k * ln_target(delta)?) + k * drift;
    Epsilon::try_new(raise(answer, DELTA_MARGIN)).map_err(|_| ConversionError::TooLarge)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::fixed_plan::optimal_pure_eps;

    #[test]
    fn no_bound_beats_the_optimum() {
        for (count, e, d) in
            [(1, 1.0, 1e-6), (10, 0.1, 1e-6), (100, 0.05, 1e-6), (5, 2.0, 1e-3), (1000, 0.01, 1e-9)]
        {
            let (epsilon, delta) = (Epsilon::try_new(e).unwrap(), Delta::try_new(d).unwrap());
            let optimum = optimal_pure_eps(count, epsilon, delta).unwrap();
            assert!(basic_eps(count, epsilon).unwrap().get() >= optimum.get() * (1.0 - 1e-8));
            let bounds = [advanced_drv_eps, advanced_kov_eps, whitehouse_filter_eps, zcdp_pure_eps];
            for bound in bounds.map(|bound| bound(count, epsilon, delta).unwrap()) {
                assert!(bound > optimum, "{count} {e} {d}: {bound} below {optimum}");
            }
        }
    }

    #[test]
    fn the_ends() {
        let (one, small) = (Epsilon::try_new(1.0).unwrap(), Delta::try_new(1e-6).unwrap());
        for bound in [advanced_drv_eps, advanced_kov_eps, whitehouse_filter_eps, zcdp_pure_eps] {
            assert_eq!(bound(0, one, small), Ok(Epsilon::ZERO));
            assert_eq!(bound(3, Epsilon::ZERO, Delta::ZERO), Ok(Epsilon::ZERO));
            assert_eq!(bound(3, one, Delta::ZERO), Err(ConversionError::DeltaZero));
        }
        let huge = Epsilon::try_new(1e308).unwrap();
        assert_eq!(basic_eps(10, huge), Err(ConversionError::TooLarge));
        assert_eq!(
            advanced_drv_eps(10, Epsilon::try_new(1e3).unwrap(), small),
            Err(ConversionError::TooLarge)
        );
    }
}
