//! T4 (theory/audit 3.4): a lower bound on δ at one ε, from the definition.
//!
//! For every set S of releases, δ(ε) >= Pr(S | second table) − e^ε Pr(S | first table). S is {score > threshold}, which for the
//! optimal score is {privacy loss > ε}. The threshold is chosen on runs that are not counted.

use super::estimate::{Level, cp_lower, cp_upper};
use super::threshold::{Counts, HeldOut};
use crate::privacy::measure::Epsilon;

/// Returns a lower bound on the mechanism's δ at ε with confidence 1 − 2α, α for each of the two Clopper-Pearson bounds; 0 before
/// there are runs.
pub fn delta_lower(runs: &HeldOut, epsilon: Epsilon, alpha: Level) -> f64 {
    let factor = libm::exp(epsilon.get());
    let counts = runs.counts(|hit, alarm| hit - factor * alarm);
    counts.map_or(0.0, |Counts { hits, alarms }| {
        (cp_lower(hits, alpha) - factor * cp_upper(alarms, alpha)).max(0.0)
    })
}
