//! T1 (theory/audit 3.1): the distance between the means of the optimal statistic on two neighbouring tables, in standard deviations.
//!
//! Under μ-GDP with Gaussian noise that distance is at most μ. From N runs of each table, μ̂ = (mean₁ − mean₀) / pooled sd, and its
//! standard error is √(2/N + μ²/(4N)).

use serde::{Deserialize, Serialize};

use super::bench::Side;

/// The number of standard errors above the claim that counts as a bug. The false-alarm rate is 3e-7 if the loss equals the claim.
pub const ALARM: f64 = 5.0;

/// The largest μ̂ that is reported. It means that the two tables can be distinguished with certainty.
pub const CERTAIN: f64 = 1e9;

/// μ̂ from the runs so far.
#[derive(Clone, Debug)]
pub struct Signal {
    claim: f64,
    sides: [Spread; 2],
}

/// A measured μ and its claim.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The claimed μ.
    pub claim: f64,
    /// μ̂, at most [`CERTAIN`].
    pub mu: f64,
    /// Its standard error, if the claim is true.
    pub error: f64,
    /// (μ̂ − claim) / standard error.
    pub excess: f64,
}

/// An estimate compared with its claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reading {
    /// More than [`ALARM`] standard errors above the claim: a bug.
    Above,
    /// Within [`ALARM`] standard errors of the claim.
    At,
    /// More than [`ALARM`] standard errors below the claim: the noise is larger than needed, or the pair is not a worst case.
    Below,
}

impl Signal {
    /// Creates an estimate without runs, to be compared with the claim μ.
    pub fn new(claim: f64) -> Self {
        Self { claim, sides: [Spread::default(); 2] }
    }

    /// Adds one run's score.
    pub fn feed(&mut self, side: Side, score: f64) {
        self.sides[side.index()].add(score);
    }

    /// Returns μ̂, once there are two runs of each table.
    pub fn estimate(&self) -> Option<Estimate> {
        let [without, with] = self.sides;
        let runs = without.count.min(with.count);
        if runs < 2.0 {
            return None;
        }
        let deviation = f64::midpoint(without.variance(), with.variance()).sqrt();
        let moved = with.mean - without.mean;
        let mu = if moved.abs() > 0.0 { (moved / deviation).min(CERTAIN) } else { 0.0 };
        let error = ((2.0 + self.claim * self.claim / 4.0) / runs).sqrt();
        Some(Estimate { claim: self.claim, mu, error, excess: (mu - self.claim) / error })
    }
}

impl Estimate {
    /// Returns how the estimate compares with the claim.
    pub fn reading(&self) -> Reading {
        if self.excess > ALARM {
            Reading::Above
        } else if self.excess < -ALARM {
            Reading::Below
        } else {
            Reading::At
        }
    }
}

/// Mean and sum of squared deviations, updated run by run (Welford 1962).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spread {
    pub count: f64,
    pub mean: f64,
    squares: f64,
}

impl Spread {
    pub fn add(&mut self, value: f64) {
        self.count += 1.0;
        let before = value - self.mean;
        self.mean += before / self.count;
        self.squares += before * (value - self.mean);
    }

    pub fn variance(&self) -> f64 {
        self.squares / (self.count - 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(claim: f64, without: &[f64], with: &[f64]) -> Estimate {
        let mut signal = Signal::new(claim);
        for (side, scores) in [(Side::Without, without), (Side::With, with)] {
            for score in scores {
                signal.feed(side, *score);
            }
        }
        signal.estimate().unwrap()
    }

    #[test]
    fn the_means_distance_in_standard_deviations() {
        let found = estimate(2.0, &[-1.0, 1.0, -1.0, 1.0], &[2.0, 4.0, 2.0, 4.0]);
        assert!((found.mu - 3.0 / (4.0_f64 / 3.0).sqrt()).abs() < 1e-12);
        assert!((found.error - (3.0_f64 / 4.0).sqrt()).abs() < 1e-12);
        assert_eq!(found.reading(), Reading::At);
    }

    #[test]
    fn what_no_noise_hides_is_certain_and_what_is_equal_shows_nothing() {
        let certain = estimate(1.0, &[1.0, 1.0], &[2.0, 2.0]);
        assert!((certain.mu - CERTAIN).abs() < 1.0 && certain.reading() == Reading::Above);
        assert!(estimate(1.0, &[1.0, 1.0], &[1.0, 1.0]).mu.abs() < 1e-12);
        assert!(Signal::new(1.0).estimate().is_none());
    }
}
