//! Integer units and noise scales of the rounds: public, and fixed before a record is read (theory/adaptive 2.1, 3.2).

use crate::mechanisms::adaptive::noise::Shape;
use crate::mechanisms::adaptive::terms::Terms;
use crate::mechanisms::adaptive::units::{Early, RECORDS, Round, calibrated};
use crate::mechanisms::shared::NoiseError;
use crate::privacy::adjacency::Adjacency;
use crate::privacy::calibrate::{WHOLE_SHARE, part_of};
use crate::privacy::event::Event;
use crate::privacy::mutants::{Mutant, is_active};
use crate::privacy::sensitivity::{blocks_sensitivity_squared, cross_weight, weighted_sensitivity_squared};

/// The shares of μ² of the rounds in ten-thousandths; the moments of the last but one, from which the estimate follows, have the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shares {
    /// The share of the margins.
    pub margins: u32,
    /// The share of the rough moments.
    pub moments: u32,
    /// The share of the tail counts.
    pub tails: u32,
    /// The share of the scores; 0 if there is no such round.
    pub scores: u32,
}

impl Default for Shares {
    fn default() -> Self {
        Self { margins: 600, moments: 1_400, tails: 800, scores: 0 }
    }
}

impl Shares {
    /// Returns the share that is left for the fourth round.
    pub const fn last(self) -> u32 {
        let others = self.margins.saturating_add(self.moments).saturating_add(self.tails);
        WHOLE_SHARE.saturating_sub(others).saturating_sub(self.scores)
    }

    /// Returns the rounds' parts of `units`, in their order: ⌊s u / 10000⌋, the rest for the fourth.
    pub fn split(self, units: u128) -> [u128; 5] {
        let part = |share: u32| {
            let share = share.min(WHOLE_SHARE);
            let share = if is_active(Mutant::SharesOfMu) { share * share / WHOLE_SHARE } else { share };
            part_of(units, share)
        };
        let others = [self.margins, self.moments, self.tails, self.scores];
        let parts = others.map(part);
        let last = if is_active(Mutant::SharesOfMu) {
            part(self.last())
        } else {
            parts.iter().fold(units, |rest, part| rest.saturating_sub(*part))
        };
        let [margins, moments, tails, scores] = parts;
        [margins, moments, tails, last, scores]
    }
}

/// How long a record may be in each round's integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Codes {
    /// N, the code of 1 in the margins.
    pub level: u32,
    /// W, the longest record of the moments.
    pub record: u32,
    /// U, one count of the tails.
    pub count: u64,
    /// B, the longest record of features in the final round.
    pub features: u32,
    /// b, the largest code of an outcome in the final round: ⌊√(B²/l)⌋.
    pub outcome: u32,
}

/// The round of the scores.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoreRound {
    /// W: the longest score of an outcome.
    pub record: u32,
    /// Products of scores, a triangle for each outcome.
    pub round: Round,
}

/// Integer units and noise of all rounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Rounds {
    /// The integer units.
    pub codes: Codes,
    /// q, how much more noise the squares of the final round have than its cross moments.
    pub weight: u32,
    /// Count, sums, sums of squares.
    pub margins: Round,
    /// Second moments of standardised records.
    pub moments: Round,
    /// Histograms.
    pub tails: Round,
    /// Second moments of whitened features and standardised residuals.
    pub last: Round,
    /// Products of scores, if the plan pays for them.
    pub scores: Option<ScoreRound>,
}

/// Units in which the final round is tried: the usual one, and a coarser one where the noise would be beyond the sampler's range.
const FEATURES: [u32; 2] = [1 << 23, 1 << 19];

impl Rounds {
    /// Returns the rounds for a budget of `units` 2^-40 of μ².
    ///
    /// # Errors
    /// [`NoiseError`] where a round's noise scale leaves 2^40 to 2^55.
    pub fn new(
        terms: &Terms,
        adjacency: Adjacency,
        max_rows_per_person: u32,
        shares: Shares,
        units: u128,
    ) -> Result<Self, NoiseError> {
        let [first, second, third, fourth, fifth] = shares.split(units);
        let k = max_rows_per_person;
        let outcomes = terms.outcomes().max(1) as u64;
        let Early { level, record, count, margins, moments, tails } =
            Early::new(terms, adjacency, k, [first, second, third], terms.outcomes().max(1))?;
        let (features, last) = calibrated(FEATURES, fourth, |features| {
            let square = u64::from(features).pow(2);
            let outcome = u64::from(outcome_code(features, outcomes));
            weighted_sensitivity_squared(square, outcomes * outcome * outcome, adjacency, k)
        })?;
        let scores = if shares.scores > 0 {
            let (record, scores) = calibrated(RECORDS, fifth, |record| {
                // The scores of all rows of a person are one score.
                blocks_sensitivity_squared(u64::from(record).pow(2), outcomes, adjacency)
            })?;
            let shape = Shape::Triangles { count: terms.outcomes(), side: terms.coefficients() };
            Some(ScoreRound { record, round: Round::new(scores, shape) })
        } else {
            None
        };
        let weight = cross_weight(adjacency);
        let weighted = Shape::Weighted { features: terms.coefficients(), side: 1 + terms.len(), weight };
        Ok(Self {
            codes: Codes { level, record, count, features, outcome: outcome_code(features, outcomes) },
            weight,
            margins,
            moments,
            tails,
            last: Round::new(last, weighted),
            scores,
        })
    }

    /// Returns the rounds in their order.
    pub fn in_order(&self) -> impl Iterator<Item = &Round> {
        let scores = self.scores.as_ref().map(|scores| &scores.round);
        [&self.margins, &self.moments, &self.tails, &self.last].into_iter().chain(scores)
    }

    /// Returns the events that the ledger is charged for, all rounds in one entry.
    pub fn events(&self) -> Vec<Event> {
        self.in_order().map(Round::event).collect()
    }
}

/// Returns b = ⌊√(B²/l)⌋.
fn outcome_code(features: u32, outcomes: u64) -> u32 {
    u32::try_from((u64::from(features).pow(2) / outcomes.max(1)).isqrt()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_parts_of_the_square_and_nothing_is_lost() {
        for units in [0, 1, 9_999, 10_001, u128::MAX, 158_329_674_399_744] {
            let parts = Shares::default().split(units);
            assert_eq!(parts.iter().sum::<u128>(), units);
        }
        assert_eq!(Shares::default().split(10_000), [600, 1_400, 800, 7_200, 0]);
        let scores = Shares { scores: 1_000, ..Shares::default() };
        assert_eq!(scores.split(10_000), [600, 1_400, 800, 6_200, 1_000]);
    }
}
