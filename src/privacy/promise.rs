//! Recognises budgets that promise next to nothing, and budgets that no release can be charged to (theory/accounting 5.3).

use super::calibrate::{BudgetParts, NoiseScale, slack_charge};
use super::measure::{Delta, Epsilon};
use crate::text::grouped;
use crate::words;

/// The words that a person types to open a ledger in spite of a [`doubt`].
pub const WEAK: &str = "weak promise";

/// The largest ε that needs no confirmation: e^20 is 485 million.
pub const MOST_EPSILON: f64 = 20.0;

/// The largest δ that needs no confirmation where the number of rows is unknown.
pub const MOST_DELTA: f64 = 1e-3;

/// A scale S that no mechanism exceeds at an ε for which this matters (μ above 4): the largest sensitivity is below 2^50.
const LARGE_SCALE: u64 = 1 << 48;

/// The noisy cells of the smallest regression: sums of squares and products of a feature and an outcome.
const FEWEST_CELLS: u64 = 3;

/// Returns whether a ledger of these parts can pay for the discreteness of the smallest regression's noise, if it has a Gaussian budget at
/// all. The charge grows with e^ε.
pub fn can_pay(parts: &BudgetParts) -> bool {
    let (Some((epsilon, _)), Some(scale)) = (parts.promise, NoiseScale::try_new(LARGE_SCALE).ok()) else {
        return true;
    };
    parts.capacity.gaussian == 0 || slack_charge(epsilon, FEWEST_CELLS, 0, scale) <= parts.capacity.slack
}

/// Returns why a promise of `epsilon` and `delta` protects next to nobody, as a sentence that says what to do. `None` for others.
/// `rows` is the public number of rows, if it is known.
pub fn doubt(epsilon: Epsilon, delta: Delta, rows: Option<u64>) -> Option<String> {
    if epsilon.get() > MOST_EPSILON {
        return Some(words::promise::epsilon(epsilon, MOST_EPSILON));
    }
    if let Some(rows) = rows {
        let is_above = delta.get() * rows as f64 > 1.0;
        return is_above.then(|| words::promise::delta_rows(delta, grouped(rows as f64)));
    }
    (delta.get() > MOST_DELTA).then(|| words::promise::delta(delta, MOST_DELTA))
}

/// Returns whether a typed text is [`WEAK`]. Case and spaces do not matter.
pub fn is_confirmed(text: &str) -> bool {
    text.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ") == WEAK
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::calibrate::{Budget, Split, budget_parts};

    fn pair(epsilon: f64, delta: f64) -> (Epsilon, Delta) {
        (Epsilon::try_new(epsilon).unwrap(), Delta::try_new(delta).unwrap())
    }

    #[test]
    fn budgets_that_can_never_pay_are_recognised() {
        let pays = |epsilon, delta, split| {
            let (epsilon, delta) = pair(epsilon, delta);
            can_pay(&budget_parts(&Budget::EpsilonDelta { epsilon, delta }, &split).unwrap())
        };
        assert!(pays(1.0, 1e-6, Split::Gaussian) && pays(30.0, 1e-5, Split::Gaussian));
        assert!(!pays(45.0, 1e-6, Split::Gaussian) && !pays(45.0, 1e-5, Split::Gaussian));
        assert!(!pays(700.0, 0.5, Split::Gaussian));
        assert!(pays(45.0, 1e-6, Split::Other), "nothing of it is noise with that charge");
    }

    #[test]
    fn promises_of_nothing_are_doubted() {
        let doubted = |epsilon, delta, rows| {
            let (epsilon, delta) = pair(epsilon, delta);
            doubt(epsilon, delta, rows).is_some()
        };
        assert!(!doubted(20.0, 1e-3, None) && !doubted(1.0, 1e-4, Some(10_000)));
        assert!(doubted(20.5, 1e-6, None) && doubted(1e19, 1e-6, Some(10)));
        assert!(doubted(1.0, 0.999_999, None) && doubted(1.0, 1e-4, Some(10_001)));
        assert!(words::promise::confirm().ends_with(WEAK));
        assert!(is_confirmed(" Weak  promise\n") && !is_confirmed("weak") && !is_confirmed(""));
    }
}
