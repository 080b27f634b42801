//! T2 (theory/audit 3.2): an attacker without a model of the noise, who guesses "the second table" if the score is above a threshold.
//!
//! The threshold is chosen on half of the runs and evaluated on the other half. So its hits and false alarms are binomial, and
//! Clopper-Pearson bounds hold for every noise.

use super::bench::Side;
use super::estimate::{Count, Level, eps_lower, mu_lower};
use crate::math::special::normal_quantile;
use crate::privacy::measure::{Delta, Epsilon, Mu};

/// The number of thresholds that are tried.
const CANDIDATES: usize = 128;

/// Scores of runs of both tables: every other run is used to choose the threshold, the others are counted.
#[derive(Clone, Debug, Default)]
pub struct HeldOut {
    chosen_on: [Vec<f64>; 2],
    counted_on: [Vec<f64>; 2],
}

/// The attacker's success on runs that were not used to choose the threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Runs of the second table that were guessed as the second.
    pub hits: Count,
    /// Runs of the first table that were guessed as the second.
    pub alarms: Count,
}

impl HeldOut {
    /// Adds the score of run number `run`.
    pub fn feed(&mut self, side: Side, run: u64, score: f64) {
        let half = if run.is_multiple_of(2) { &mut self.chosen_on } else { &mut self.counted_on };
        half[side.index()].push(score);
    }

    /// Returns the counts at the threshold that maximises `value` on the first half; `None` before both halves have runs of both
    /// tables. The arguments of `value` are a lower bound on the probability of a hit and an upper bound on that of a false alarm.
    pub fn counts(&self, value: impl Fn(f64, f64) -> f64) -> Option<Counts> {
        let mut scores = self.chosen_on.concat();
        scores.sort_by(f64::total_cmp);
        let step = scores.len().div_ceil(CANDIDATES).max(1);
        let judged = scores.iter().step_by(step).map(|&threshold| {
            let [alarms, hits] = self.chosen_on.each_ref().map(|side| above(side, threshold));
            (threshold, value(1.0 - upper(hits.1 - hits.0, hits.1), upper(alarms.0, alarms.1)))
        });
        let (threshold, _) = judged.max_by(|(_, one), (_, other)| one.total_cmp(other))?;
        let [alarms, hits] = self.counted_on.each_ref().map(|side| above(side, threshold));
        let count = |(above, runs)| Count::try_new(above, runs).ok();
        Some(Counts { hits: count(hits)?, alarms: count(alarms)? })
    }

    /// Returns a lower bound on the mechanism's μ with confidence 1 − α; 0 before there are runs.
    pub fn mu_lower(&self, alpha: Level) -> Mu {
        let counts = self.counts(|hit, alarm| normal_quantile(hit) - normal_quantile(alarm));
        counts.map_or(Mu::ZERO, |Counts { hits, alarms }| mu_lower(hits, alarms, alpha))
    }

    /// Returns a lower bound on the mechanism's ε at δ with confidence 1 − α; 0 before there are runs.
    pub fn epsilon_lower(&self, delta: Delta, alpha: Level) -> Epsilon {
        let counts = self.counts(|hit, alarm| (hit - delta.get()) / alarm);
        counts.map_or(Epsilon::ZERO, |Counts { hits, alarms }| eps_lower(hits, alarms, delta, alpha))
    }
}

/// Returns the number of scores above a threshold, and the number of scores.
fn above(scores: &[f64], threshold: f64) -> (u32, u32) {
    let count = |scores: usize| u32::try_from(scores).unwrap_or(u32::MAX);
    (count(scores.iter().filter(|score| **score > threshold).count()), count(scores.len()))
}

/// Returns an upper bound on a probability by Wilson's score interval. It is accurate enough to choose a threshold.
fn upper(hits: u32, trials: u32) -> f64 {
    const Z: f64 = 4.0;
    let (k, n) = (f64::from(hits), f64::from(trials));
    let half = Z * (k * (n - k) / n + Z * Z / 4.0).sqrt();
    (k + Z * Z / 2.0 + half) / (n + Z * Z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threshold_is_judged_on_other_runs_than_it_was_chosen_by() {
        let mut runs = HeldOut::default();
        let level = Level::try_new(1e-3).unwrap();
        assert!(runs.mu_lower(level).is_zero());
        // The half to choose by separates the two tables at 0; the other half does not separate them at all.
        for run in 0..2_000 {
            let shift = if run % 2 == 0 { 1.0 } else { 0.0 };
            runs.feed(Side::Without, run, -shift);
            runs.feed(Side::With, run, shift);
        }
        assert!(runs.mu_lower(level).is_zero() && runs.epsilon_lower(Delta::ZERO, level).is_zero());
        let mut runs = HeldOut::default();
        for run in 0..2_000 {
            runs.feed(Side::Without, run, 0.0);
            runs.feed(Side::With, run, 1.0);
        }
        // 1,000 hits and no alarm: the golden numbers of auditing.csv.
        assert!((runs.mu_lower(level).get() - 4.857_825_452).abs() < 1e-6);
        assert!((runs.epsilon_lower(Delta::ZERO, level).get() - 4.875_685_444).abs() < 1e-6);
    }
}
