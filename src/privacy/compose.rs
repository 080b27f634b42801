//! Composition of Gaussian releases with (ε, δ) releases that are interleaved and chosen adaptively
//! (theory/accounting 5.2).

use super::convert::{DELTA_MARGIN, gdp_ln_delta, largest, raised_delta};
use super::measure::{Delta, Epsilon, Mu};
use crate::math::round::{MARGIN, lower};

/// The two parts of a budget: what Gaussian releases and what (ε, δ) releases may cost in total.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// μ_B, the Gaussian budget.
    pub mu: Mu,
    /// ε_O of the (ε, δ) budget.
    pub epsilon: Epsilon,
    /// δ_O of the (ε, δ) budget.
    pub delta: Delta,
}

/// Returns δ at ε of everything released from both budgets, rounded up:
/// δ_O + (1 − δ_O) [ w δ_G(ε − ε_O; μ_B) + (1 − w) δ_G(ε + ε_O; μ_B) ], w = e^ε_O / (1 + e^ε_O)
/// (theory/accounting 5.2). The relative error is below 1e-14 before the rounding.
pub fn delta_total(epsilon: Epsilon, pair: &Pair) -> Delta {
    raised_delta(total(epsilon.get(), pair), DELTA_MARGIN)
}

fn total(epsilon: f64, pair: &Pair) -> f64 {
    let (other, delta, mu) = (pair.epsilon.get(), pair.delta.get(), pair.mu.get());
    let down = libm::exp(-other);
    let near = libm::exp(gdp_ln_delta(epsilon - other, mu));
    let far = libm::exp(gdp_ln_delta(epsilon + other, mu));
    delta + (1.0 - delta) * (near + down * far) / (1.0 + down)
}

/// Returns whether both budgets together keep within δ at ε, with a relative margin on δ.
pub fn fits(epsilon: Epsilon, pair: &Pair, delta: f64, margin: f64) -> bool {
    let (other_epsilon, other_delta) = (pair.epsilon.get(), pair.delta.get());
    if pair.mu.is_zero() && other_epsilon <= epsilon.get() {
        // Without a Gaussian budget the total is exactly δ_O.
        return other_delta <= delta;
    }
    total(epsilon.get(), pair) <= lower(delta, margin)
}

/// Returns the largest μ_B at which both budgets together keep within (ε, δ), rounded down; 0 if none does.
pub fn mu_b(epsilon: Epsilon, delta: f64, other_epsilon: Epsilon, other_delta: Delta) -> Mu {
    let pair = |mu: f64| Some(Pair { mu: Mu::try_new(mu).ok()?, epsilon: other_epsilon, delta: other_delta });
    let found = largest(|mu| pair(mu).is_some_and(|pair| fits(epsilon, &pair, delta, MARGIN)));
    Mu::try_new(lower(found, MARGIN).max(0.0)).unwrap_or(Mu::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_gaussian_budget_only_the_other_counts() {
        let epsilon = Epsilon::try_new(1.0).unwrap();
        let pair = |other: f64, delta: f64| Pair {
            mu: Mu::ZERO,
            epsilon: Epsilon::try_new(other).unwrap(),
            delta: Delta::try_new(delta).unwrap(),
        };
        assert!(fits(epsilon, &pair(1.0, 1e-6), 1e-6, MARGIN));
        assert!(!fits(epsilon, &pair(1.0, 1.1e-6), 1e-6, MARGIN));
        // An (ε, δ) budget of ε = 3 in a ledger of ε = 1 has δ = 0.82 (theory/accounting 5.2).
        let total = delta_total(epsilon, &pair(3.0, 0.0)).get();
        assert!((total - 0.823_68).abs() < 1e-4, "{total}");
        assert!(!fits(epsilon, &pair(3.0, 0.0), 1e-6, MARGIN));
    }

    #[test]
    fn a_larger_epsilon_delta_budget_leaves_a_smaller_gaussian_budget() {
        let epsilon = Epsilon::try_new(1.0).unwrap();
        let mus: Vec<f64> = [0.0, 0.25, 0.5, 0.9, 1.0, 1.1]
            .map(|other| mu_b(epsilon, 1e-6, Epsilon::try_new(other).unwrap(), Delta::ZERO).get())
            .to_vec();
        assert!(mus.windows(2).all(|two| two[1] < two[0]), "{mus:?}");
        assert!(mus[5].to_bits() == 0);
    }
}
