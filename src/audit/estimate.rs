//! Computes lower bounds on the privacy loss from counts of right guesses (theory/audit 3.2 and 3.3).
//!
//! A bound from an audit finds bugs; it does not prove privacy. Every function rounds in favour of the mechanism: intervals
//! outwards, bounds on the loss down, p-values up, all by a relative 1e-12. That is above the error of the formulas (`math::beta`)
//! for counts to a million.

use crate::math::beta::{binomial_at_least, binomial_at_most, binomial_pmf};
use crate::math::round::{lower, raise};
use crate::math::search::{first_true, last_true};
use crate::math::special::normal_quantile;
use crate::privacy::measure::{Delta, Epsilon, Mu};

/// The relative amount by which every result is moved to its safe side.
const OUTWARDS: f64 = 1e-12;

/// Invalid counts, or an invalid level.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum EstimateError {
    /// More hits than trials, or no trial.
    #[error("{}", crate::words::error::estimate_count(hits, trials))]
    Count {
        /// Hits as given.
        hits: u32,
        /// Trials as given.
        trials: u32,
    },
    /// The level is no probability between 0 and 1.
    #[error("{}", crate::words::error::estimate_level(.0))]
    Level(f64),
    /// Impossible numbers of guesses.
    #[error("{}", crate::words::error::estimate_guesses(right, guesses, canaries))]
    Guesses {
        /// Canaries as given.
        canaries: u32,
        /// Guesses as given.
        guesses: u32,
        /// Right ones as given.
        right: u32,
    },
}

/// The number of hits in independent trials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    hits: u32,
    trials: u32,
}

impl Count {
    /// Returns a count of hits among trials.
    ///
    /// # Errors
    /// If there is no trial, or there are more hits than trials.
    pub const fn try_new(hits: u32, trials: u32) -> Result<Self, EstimateError> {
        if trials == 0 || hits > trials {
            return Err(EstimateError::Count { hits, trials });
        }
        Ok(Self { hits, trials })
    }

    /// Returns the trials that were no hits.
    const fn misses(self) -> Self {
        Self { hits: self.trials - self.hits, trials: self.trials }
    }
}

/// The probability α with which a bound may be wrong, above 0 and below 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level(f64);

impl Level {
    /// Returns the level with this probability.
    ///
    /// # Errors
    /// If it is not above 0 and below 1.
    pub fn try_new(alpha: f64) -> Result<Self, EstimateError> {
        if alpha > 0.0 && alpha < 1.0 { Ok(Self(alpha)) } else { Err(EstimateError::Level(alpha)) }
    }

    /// Returns half of the level, for each of two bounds that have to hold together.
    const fn half(self) -> Self {
        Self(self.0 / 2.0)
    }
}

/// Returns the one-sided lower confidence bound of a probability: the p at which P[Bin(n, p) >= k] = α, 0 for k = 0; rounded down.
/// Clopper and Pearson 1934.
pub fn cp_lower(count: Count, alpha: Level) -> f64 {
    let Count { hits, trials } = count;
    if hits == 0 {
        return 0.0;
    }
    let found = last_true(0.0, 1.0, |p| binomial_at_least(trials, p, hits) <= alpha.0);
    lower(found, OUTWARDS).max(0.0)
}

/// Returns the one-sided upper confidence bound of a probability: the p at which P[Bin(n, p) <= k] = α, 1 for k = n; rounded up.
/// Clopper and Pearson 1934.
pub fn cp_upper(count: Count, alpha: Level) -> f64 {
    let Count { hits, trials } = count;
    if hits == trials {
        return 1.0;
    }
    let found = first_true(0.0, 1.0, |p| binomial_at_most(trials, p, hits) <= alpha.0);
    raise(found, OUTWARDS).min(1.0)
}

/// Returns a lower bound on ε at δ of a mechanism under which a test alarmed as counted with the person (`true_alarms`) and without
/// (`false_alarms`): ln ((TPR_lo − δ)/FPR_hi), at least 0, with α/2 for each of the two bounds; rounded down.
/// (theory/audit 3.2).
///
/// The test, including its threshold, must have been fixed before these trials.
pub fn eps_lower(true_alarms: Count, false_alarms: Count, delta: Delta, alpha: Level) -> Epsilon {
    let gain = cp_lower(true_alarms, alpha.half()) - delta.get();
    let cost = cp_upper(false_alarms, alpha.half());
    let bound = if gain > cost { lower(libm::log(gain / cost), OUTWARDS) } else { 0.0 };
    Epsilon::try_new(bound.max(0.0)).unwrap_or(Epsilon::ZERO)
}

/// Returns a lower bound on μ of Gaussian differential privacy from the same counts: Φ⁻¹(1 − FPR_hi) − Φ⁻¹(FNR_hi), at least 0,
/// with α/2 for each of the two bounds; rounded down (theory/audit 3.2).
pub fn mu_lower(true_alarms: Count, false_alarms: Count, alpha: Level) -> Mu {
    let false_positive = cp_upper(false_alarms, alpha.half());
    let false_negative = cp_upper(true_alarms.misses(), alpha.half());
    // Φ⁻¹(1 − p) = −Φ⁻¹(p).
    let bound = -normal_quantile(false_positive) - normal_quantile(false_negative);
    Mu::try_new(lower(bound, OUTWARDS).max(0.0)).unwrap_or(Mu::ZERO)
}

/// Returns the p-value of the claim of (ε, δ)-differential privacy from one run with m canaries, each included by an independent
/// fair coin. An auditor guessed r of the coins, v of them correctly. Rounded up:
/// P[B >= v] + 2 m δ max over i = 1 … m of P[v > B >= v − i] / i, B binomial of r trials with probability e^ε/(1 + e^ε)
/// (Steinke, Nasr, Jagielski 2023; theory/audit 3.3).
///
/// The claim is for `add-remove`. The auditor may choose which coins to guess.
///
/// # Errors
/// If more are right than were guessed, or more guessed than there are canaries.
pub fn one_run_p(
    canaries: u32,
    guesses: u32,
    right: u32,
    epsilon: Epsilon,
    delta: Delta,
) -> Result<f64, EstimateError> {
    if right > guesses || guesses > canaries {
        return Err(EstimateError::Guesses { canaries, guesses, right });
    }
    let chance = 1.0 / (1.0 + libm::exp(-epsilon.get()));
    let (mut mass, mut steepest) = (0.0, 0.0_f64);
    // From i = v on the mass stays, so a larger i cannot be steeper.
    for i in 1..=right {
        mass += binomial_pmf(guesses, chance, right - i);
        steepest = steepest.max(mass / f64::from(i));
    }
    let p = binomial_at_least(guesses, chance, right) + 2.0 * f64::from(canaries) * delta.get() * steepest;
    Ok(raise(p, OUTWARDS).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::of_tests::close;

    fn count(hits: u32, trials: u32) -> Count {
        Count::try_new(hits, trials).unwrap()
    }

    fn level(alpha: f64) -> Level {
        Level::try_new(alpha).unwrap()
    }

    #[test]
    fn bounds_of_no_hit_and_of_all_hits_have_closed_forms() {
        for (n, alpha) in [(1, 0.05), (100, 5e-4), (1_000_000, 1e-9)] {
            let p = -libm::expm1(libm::log(alpha) / f64::from(n));
            close(cp_upper(count(0, n), level(alpha)), p, 3e-12);
            close(cp_lower(count(n, n), level(alpha)), 1.0 - p, 3e-12);
            assert_eq!(cp_lower(count(0, n), level(alpha)).to_bits(), 0);
            assert_eq!(cp_upper(count(n, n), level(alpha)).to_bits(), 1.0_f64.to_bits());
        }
    }

    #[test]
    fn an_interval_misses_as_often_as_it_may() {
        // Exactly, over all counts of 60 trials: the lower bound exceeds p with a probability of at most α.
        let alpha = level(0.02);
        for p in [0.01, 0.2, 0.5, 0.77] {
            let missed = |side: &dyn Fn(u32) -> bool| -> f64 {
                (0..=60).filter(|k| side(*k)).map(|k| binomial_pmf(60, p, k)).sum()
            };
            assert!(missed(&|k| cp_lower(count(k, 60), alpha) > p) <= 0.02);
            assert!(missed(&|k| cp_upper(count(k, 60), alpha) < p) <= 0.02);
        }
    }

    #[test]
    fn chance_proves_nothing_and_certainty_much() {
        let alpha = level(1e-3);
        assert_eq!(eps_lower(count(50, 100), count(50, 100), Delta::ZERO, alpha), Epsilon::ZERO);
        assert_eq!(mu_lower(count(50, 100), count(50, 100), alpha), Mu::ZERO);
        assert_eq!(mu_lower(count(0, 100), count(100, 100), alpha), Mu::ZERO);
        let all = |n| eps_lower(count(n, n), count(0, n), Delta::ZERO, alpha).get();
        assert!(all(100) > 2.0 && all(10_000) > all(100) + 4.0);
    }

    #[test]
    fn one_run_without_delta_is_a_binomial_test() {
        let epsilon = Epsilon::try_new(1.0).unwrap();
        let chance = 1.0 / (1.0 + libm::exp(-1.0));
        let p = |right, delta| one_run_p(200, 100, right, epsilon, Delta::try_new(delta).unwrap()).unwrap();
        for right in [0, 70, 90, 100] {
            close(p(right, 0.0), binomial_at_least(100, chance, right), 3e-12);
            assert!(p(right, 1e-6) >= p(right, 0.0));
        }
        // All i by hand, for one case: no other i is steeper than the one found.
        let steepest = (1..=200_u32)
            .map(|i| {
                (90_u32.saturating_sub(i)..90).map(|k| binomial_pmf(100, chance, k)).sum::<f64>()
                    / f64::from(i)
            })
            .fold(0.0, f64::max);
        close(p(90, 1e-4) - p(90, 0.0), 400.0 * 1e-4 * steepest, 1e-9);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        assert!(Count::try_new(1, 0).is_err() && Count::try_new(2, 1).is_err());
        for alpha in [0.0, 1.0, -0.1, f64::NAN] {
            assert!(Level::try_new(alpha).is_err());
        }
        for (m, r, v) in [(10, 11, 1), (10, 5, 6)] {
            assert!(one_run_p(m, r, v, Epsilon::ZERO, Delta::ZERO).is_err());
        }
    }
}
