//! Integer units and noise scales of all rounds: public, and fixed before a record is read (theory/adaptive-logistic 2.1).

use crate::mechanisms::adaptive::noise::Shape;
use crate::mechanisms::adaptive::terms::Terms;
use crate::mechanisms::adaptive::units::{Early, Round};
use crate::mechanisms::shared::{NoiseError, finest};
use crate::privacy::adjacency::Adjacency;
use crate::privacy::calibrate::{CalibrationError, noise_scale, part_of};
use crate::privacy::event::Event;
use crate::privacy::mutants::{Mutant, is_active};
use crate::privacy::sensitivity::{logistic_errors, logistic_sensitivity_squared};

/// B, the longest record of a step.
pub const FEATURES: u32 = 1 << 18;

/// Most and fewest bits after the point of a curvature's weight.
const BITS: std::ops::RangeInclusive<u32> = 4..=20;

/// Shares of μ² in ten-thousandths of the margins, the moments, the tails and all steps but the last, which has the rest.
const TWO_STEPS: [u32; 4] = [400, 900, 300, 1_000];
const THREE_STEPS: [u32; 5] = [400, 900, 300, 500, 1_000];

/// Returns each round's part of `units`.
pub fn split(steps: u32, units: u128) -> Vec<u128> {
    let shares: &[u32] = if steps == 2 { &TWO_STEPS } else { &THREE_STEPS };
    let mut parts: Vec<u128> = shares.iter().map(|share| part_of(units, *share)).collect();
    parts.push(units - parts.iter().sum::<u128>());
    parts
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
    /// B, the longest record of a step.
    pub features: u32,
    /// E, the code of an error of 1.
    pub error: u64,
    /// m, the bits after the point of a curvature's weight.
    pub bits: u32,
}

/// Integer units and noise of all rounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Rounds {
    /// The integer units.
    pub codes: Codes,
    /// Count, sums, sums of squares.
    pub margins: Round,
    /// Second moments of standardised records.
    pub moments: Round,
    /// The histogram of ‖w‖.
    pub tails: Round,
    /// Curvature and gradient, one round for each step.
    pub steps: Vec<Round>,
}

impl Rounds {
    /// Returns the rounds that `units` of μ² in 2^-40 buy, with so many steps.
    ///
    /// # Errors
    /// [`NoiseError`] where a round's noise scale leaves 2^40 to 2^55.
    pub fn new(
        terms: &Terms,
        adjacency: Adjacency,
        max_rows_per_person: u32,
        steps: u32,
        units: u128,
    ) -> Result<Self, NoiseError> {
        let parts = split(steps, units);
        let (early, late) = parts.split_at(3);
        let &[first, second, third] = early else { return Err(CalibrationError::Nothing.into()) };
        let k = max_rows_per_person;
        // The labels have no histograms.
        let Early { level, record, count, margins, moments, tails } =
            Early::new(terms, adjacency, k, [first, second, third], 0)?;
        let (bits, error, steps) = finest(BITS.rev(), |bits| steps_with(terms, adjacency, k, late, bits))?;
        Ok(Self {
            codes: Codes { level, record, count, features: FEATURES, error, bits },
            margins,
            moments,
            tails,
            steps,
        })
    }

    /// Returns all rounds in their order.
    pub fn in_order(&self) -> impl Iterator<Item = &Round> {
        [&self.margins, &self.moments, &self.tails].into_iter().chain(&self.steps)
    }

    /// Returns what the ledger is charged for, all rounds in one entry.
    pub fn events(&self) -> Vec<Event> {
        self.in_order().map(Round::event).collect()
    }
}

/// Returns m, E and the rounds of the steps for weights of so many bits.
fn steps_with(
    terms: &Terms,
    adjacency: Adjacency,
    max_rows_per_person: u32,
    parts: &[u128],
    bits: u32,
) -> Result<(u32, u64, Vec<Round>), NoiseError> {
    let length = u64::from(FEATURES);
    let error = logistic_errors(length, bits, adjacency);
    let (k, l) = (terms.coefficients(), terms.outcomes());
    let labels = if is_active(Mutant::LabelsUncounted) { 1 } else { l as u64 };
    let people = if is_active(Mutant::PersonsUncountedInSteps) { 1 } else { max_rows_per_person };
    let squared =
        logistic_sensitivity_squared(error * length, (length * length) << bits, adjacency, people, labels);
    let shape = Shape::Steps { labels: l, side: k };
    let round = |units: &u128| -> Result<Round, CalibrationError> {
        Ok(Round::new((squared.clone(), noise_scale(&squared, *units)?), shape))
    };
    Ok((bits, error, parts.iter().map(round).collect::<Result<_, _>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_parts_of_the_square_and_nothing_is_lost() {
        for steps in [2, 3] {
            for units in [0, 1, 9_999, 10_001, u128::MAX, 158_329_674_399_744] {
                let parts = split(steps, units);
                assert_eq!(parts.len(), 3 + steps as usize);
                assert_eq!(parts.iter().sum::<u128>(), units);
            }
        }
        assert_eq!(split(2, 10_000), [400, 900, 300, 1_000, 7_400]);
        assert_eq!(split(3, 10_000), [400, 900, 300, 500, 1_000, 6_900]);
    }
}
