//! The cost of a sequence of releases whose parameters were all fixed before the first one (theory/accounting 4.1).
//!
//! **For display, never to admit a release.** The releases of a ledger depend on earlier results, and then the composed curve is
//! no valid filter (theory/accounting 5.1). No module of the trusted core uses this one; `tests/native/architecture.rs` enforces
//! that.
//!
//! Without a Gaussian part this is optimal composition (Kairouz, Oh, Viswanath 2015; Murtagh, Vadhan 2016 for unequal ε).

use std::collections::BTreeMap;

use super::convert::{ConversionError, epsilon_up, gdp_compose, gdp_ln_delta, raised_delta};
use super::measure::{Delta, Epsilon, Mu};
use crate::math::beta::binomial_pmf;
use crate::math::round::{MARGIN, add_up, multiply_up};
use crate::math::search::first_true;

/// The most different values of ε (theory/accounting 4.1).
pub const MOST_VALUES: usize = 16;
/// The most terms of the sum. 16 different values that occur once have 2^16 terms.
pub const MOST_TERMS: usize = 1 << 20;

/// A plan that cannot be composed exactly.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum FixedPlanError {
    /// More than [`MOST_VALUES`].
    #[error("{}", crate::words::error::fixed_plan_values(.0))]
    Values(usize),
    /// More than [`MOST_TERMS`].
    #[error("{}", crate::words::error::fixed_plan_terms())]
    Terms,
    /// The δ_j of the parts alone exceed δ.
    #[error("{}", crate::words::error::fixed_plan_delta(.0))]
    Delta(f64),
    /// A number that cannot be converted.
    #[error(transparent)]
    Conversion(#[from] ConversionError),
}

/// A plan fixed in advance: Gaussian releases, pure ones and approximate ones.
#[derive(Clone, Debug)]
pub struct FixedPlan {
    mu: Mu,
    /// Each possible total loss L of the randomised responses, rounded up, with its weight.
    losses: Vec<(f64, f64)>,
    /// 1 − P, P = Π (1 − δ_j).
    failure: f64,
}

impl FixedPlan {
    /// Composes Gaussian releases of these μ, ε-DP releases with their counts, and (ε, δ)-DP releases.
    ///
    /// # Errors
    /// [`FixedPlanError`] for more than [`MOST_VALUES`] different ε or [`MOST_TERMS`] terms, or sums beyond the largest number.
    pub fn try_new(
        gaussian: &[Mu],
        pure: &[(Epsilon, u32)],
        approximate: &[(Epsilon, Delta)],
    ) -> Result<Self, FixedPlanError> {
        // The bits of non-negative doubles have the order of the numbers.
        let mut groups: BTreeMap<u64, u32> = BTreeMap::new();
        let single = approximate.iter().map(|(epsilon, _)| (*epsilon, 1));
        for (epsilon, count) in pure.iter().copied().chain(single) {
            if !epsilon.is_zero() && count > 0 {
                let sum = groups.entry(epsilon.get().to_bits()).or_default();
                *sum = sum.checked_add(count).ok_or(FixedPlanError::Terms)?;
            }
        }
        if groups.len() > MOST_VALUES {
            return Err(FixedPlanError::Values(groups.len()));
        }
        let mut losses = vec![(0.0, 1.0)];
        for (bits, count) in groups {
            let terms = losses.len().saturating_mul(usize::try_from(count).unwrap_or(usize::MAX));
            if terms >= MOST_TERMS {
                return Err(FixedPlanError::Terms);
            }
            losses = with_group(&losses, f64::from_bits(bits), count);
        }
        if losses.iter().any(|(loss, _)| !loss.is_finite()) {
            return Err(ConversionError::TooLarge.into());
        }
        let kept: f64 = approximate.iter().map(|(_, delta)| libm::log1p(-delta.get())).sum();
        Ok(Self { mu: gdp_compose(gaussian)?, losses, failure: -libm::expm1(kept) })
    }

    /// Returns 1 − P + P Σ_s w_s δ_G(ε − L_s; μ), rounded to nearest, with losses rounded up.
    fn delta(&self, epsilon: f64) -> f64 {
        let mu = self.mu.get();
        let terms =
            self.losses.iter().map(|(loss, weight)| weight * libm::exp(gdp_ln_delta(epsilon - loss, mu)));
        self.failure + (1.0 - self.failure) * terms.sum::<f64>()
    }

    /// Returns the smallest ε at δ, rounded up by 1e-9; [`mix_delta`].
    ///
    /// # Errors
    /// [`FixedPlanError`] if δ is not above the plan's own δ, or is 0 beside a Gaussian release.
    pub fn epsilon(&self, delta: Delta) -> Result<Epsilon, FixedPlanError> {
        let top = self.losses.iter().fold(0.0_f64, |top, (loss, _)| top.max(*loss));
        let m = self.mu.get();
        // Beyond the largest loss of the randomised responses only the Gaussian tail remains, which the rest of δ bounds.
        let bound = if m > 0.0 {
            let left = (delta.get() - self.failure).max(f64::MIN_POSITIVE);
            top + m * m / 2.0 + m * libm::sqrt(2.0 - 2.0 * libm::log(left))
        } else {
            top
        };
        let keeps = |epsilon: f64| raised_delta(self.delta(epsilon), MARGIN) <= delta;
        if !keeps(bound) {
            return Err(FixedPlanError::Delta(self.failure));
        }
        Ok(epsilon_up(first_true(0.0, bound, keeps))?)
    }
}

/// Returns the losses with `count` more randomised responses of one ε. The number j of wrong responses is
/// Bin(count, 1/(1 + e^ε)), and they add (count − 2j) ε.
fn with_group(losses: &[(f64, f64)], epsilon: f64, count: u32) -> Vec<(f64, f64)> {
    let wrong = 1.0 / (1.0 + libm::exp(epsilon));
    let mut all = Vec::with_capacity(losses.len() * (count as usize + 1));
    for j in 0..=count {
        let added = multiply_up(f64::from(count) - 2.0 * f64::from(j), epsilon);
        let chance = binomial_pmf(count, wrong, j);
        all.extend(losses.iter().map(|(loss, weight)| (add_up(*loss, added), weight * chance)));
    }
    all
}

/// Returns δ at ε of the whole plan, rounded up by 1e-9:
/// 1 − P + P Σ_s w_s δ_G(ε − L_s; μ) over all sign patterns s of the randomised responses, P = Π (1 − δ_j),
/// w_s = Π e^{[s_i = +] ε_i} / (1 + e^ε_i), L_s = Σ s_i ε_i, μ² = Σ μ_i²; for μ = 0, δ_G is max(0, 1 − e^{ε − L}).
/// (theory/accounting 4.1). All terms are positive. The relative error before the rounding is that of the
/// binomial weights ([`binomial_pmf`]), below 1e-13 for a hundred releases and below 1e-10 for a million.
pub fn mix_delta(plan: &FixedPlan, epsilon: Epsilon) -> Delta {
    raised_delta(plan.delta(epsilon.get()), MARGIN)
}

/// Returns the smallest ε at δ of `count` ε-DP releases, rounded up by 1e-9; [`mix_delta`] without Gaussian releases.
/// Kairouz, Oh, Viswanath 2015, Theorem 3.3.
///
/// # Errors
/// If there are too many releases or the sum of their ε is too large.
pub fn optimal_pure_eps(count: u32, epsilon: Epsilon, delta: Delta) -> Result<Epsilon, FixedPlanError> {
    FixedPlan::try_new(&[], &[(epsilon, count)], &[])?.epsilon(delta)
}

/// Returns the smallest ε at δ of releases that are ε-DP with an ε each, rounded up by 1e-9; [`mix_delta`] without Gaussian
/// releases. Murtagh, Vadhan 2016.
///
/// # Errors
/// [`FixedPlanError`] for more than [`MOST_VALUES`] different ε, or a sum that is too large.
pub fn optimal_pure_het_eps(epsilons: &[Epsilon], delta: Delta) -> Result<Epsilon, FixedPlanError> {
    let pure: Vec<(Epsilon, u32)> = epsilons.iter().map(|epsilon| (*epsilon, 1)).collect();
    FixedPlan::try_new(&[], &pure, &[])?.epsilon(delta)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::of_tests::close;
    use crate::privacy::compose::{Pair, delta_total};
    use crate::privacy::convert::gdp_delta;
    use crate::privacy::measure::of_tests::{delta, epsilon};

    #[test]
    fn one_part_alone_is_itself() {
        let mu = Mu::try_new(0.4).unwrap();
        let gaussian = FixedPlan::try_new(&[mu], &[], &[]).unwrap();
        close(gaussian.delta(0.7), gdp_delta(epsilon(0.7), mu).get(), 1e-11);
        let pure = FixedPlan::try_new(&[], &[(epsilon(0.7), 1)], &[]).unwrap();
        assert_eq!(mix_delta(&pure, epsilon(0.7)), Delta::ZERO);
        // Randomised response at ε = 0: its total variation.
        close(pure.delta(0.0), libm::tanh(0.35), 1e-14);
        let approximate = FixedPlan::try_new(&[], &[], &[(epsilon(0.7), delta(1e-3))]).unwrap();
        close(approximate.delta(0.7), 1e-3, 1e-14);
        let nothing = FixedPlan::try_new(&[], &[(Epsilon::ZERO, 7)], &[]).unwrap();
        assert_eq!(mix_delta(&nothing, Epsilon::ZERO), Delta::ZERO);
        assert_eq!(nothing.epsilon(Delta::ZERO), Ok(Epsilon::ZERO));
    }

    #[test]
    fn one_approximate_and_one_gaussian_part_are_the_two_budgets() {
        let (mu, other, failing) = (Mu::try_new(0.3).unwrap(), epsilon(0.5), delta(1e-7));
        let plan = FixedPlan::try_new(&[mu], &[], &[(other, failing)]).unwrap();
        let pair = Pair { mu, epsilon: other, delta: failing };
        for e in [0.0, 0.4, 1.0, 3.0] {
            close(plan.delta(e), delta_total(epsilon(e), &pair).get(), 1e-11);
        }
    }

    #[test]
    fn patterns_one_by_one_give_the_grouped_sum() {
        // 2^7 patterns by brute force.
        let list = [0.3, 0.3, 0.3, 0.1, 0.1, 0.7, 0.2];
        let plan = FixedPlan::try_new(&[], &list.map(|e| (epsilon(e), 1)), &[]).unwrap();
        for at in [0.0, 0.45, 1.2] {
            let mut sum = 0.0;
            for pattern in 0..1_u32 << list.len() {
                let (mut loss, mut weight) = (0.0, 1.0);
                for (i, e) in list.iter().enumerate() {
                    let right = pattern >> i & 1 == 1;
                    loss += if right { *e } else { -e };
                    weight *= 1.0 / (1.0 + libm::exp(if right { -e } else { *e }));
                }
                sum += weight * (-libm::expm1(at - loss)).max(0.0);
            }
            close(plan.delta(at), sum, 1e-14);
        }
    }

    #[test]
    fn without_delta_the_sum_is_exact() {
        let answer = optimal_pure_eps(10, epsilon(0.1), Delta::ZERO).unwrap();
        assert!(answer.get() >= 1.0 && answer.get() < 1.0 + 1e-8, "{answer}");
        let all = FixedPlan::try_new(&[], &[(epsilon(0.1), 10)], &[]).unwrap();
        assert_eq!(mix_delta(&all, epsilon(1.0_f64.next_up())), Delta::ZERO);
    }

    #[test]
    fn there_and_back_stays_on_the_safe_side() {
        let gaussian = [Mu::try_new(0.2).unwrap(), Mu::try_new(0.1).unwrap()];
        let plan =
            FixedPlan::try_new(&gaussian, &[(epsilon(0.2), 3)], &[(epsilon(0.5), delta(1e-7))]).unwrap();
        for d in [1e-3, 1e-5, 1.1e-7] {
            let answer = plan.epsilon(delta(d)).unwrap();
            assert!(mix_delta(&plan, answer).get() <= d);
            assert!(mix_delta(&plan, epsilon(answer.get() * (1.0 - 1e-7))).get() > d);
        }
        assert!(matches!(plan.epsilon(delta(1e-8)), Err(FixedPlanError::Delta(_))));
    }

    #[test]
    fn what_is_too_much_is_refused_in_words() {
        let many: Vec<Epsilon> = (1..=17_u32).map(|i| epsilon(f64::from(i) / 100.0)).collect();
        let error = optimal_pure_het_eps(&many, delta(1e-6)).unwrap_err();
        assert_eq!(error, FixedPlanError::Values(17));
        assert!(optimal_pure_het_eps(&many[..16], delta(1e-6)).is_ok());
        assert_eq!(optimal_pure_eps(u32::MAX, epsilon(0.1), delta(1e-6)), Err(FixedPlanError::Terms));
        let huge = optimal_pure_eps(3, epsilon(f64::MAX), delta(1e-6));
        assert_eq!(huge, Err(ConversionError::TooLarge.into()));
    }
}
