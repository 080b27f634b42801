//! Integer units and noise scales of the two rounds: public, and fixed before a record is read (theory/estimated-bounds 1.1).

use dashu_int::UBig;

use super::cells::{FIRST_CELLS, SECOND_CELLS};
use crate::math::round::real;
use crate::mechanisms::adaptive::units::{COUNTS, calibrated};
use crate::mechanisms::shared::NoiseError;
use crate::privacy::adjacency::Adjacency;
use crate::privacy::calibrate::{NoiseScale, noise_scale, part_of};
use crate::privacy::event::Event;
use crate::privacy::mutants::{Mutant, is_active};
use crate::privacy::sensitivity::histograms_sensitivity_squared;

/// The first round's share, in ten-thousandths.
const FIRST: u32 = 6_000;

/// Units and noise of both rounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Units {
    /// U, what a record adds to its cell.
    pub count: u64,
    /// Δ² of each round.
    pub sensitivity_squared: UBig,
    /// S of each round.
    pub scales: [NoiseScale; 2],
    /// C, the number of columns.
    pub columns: usize,
}

impl Units {
    /// Returns the rounds that `units` of μ² in 2^-40 buy: six tenths for the first, the rest for the second.
    ///
    /// # Errors
    /// [`NoiseError`] where a noise scale leaves 2^40 to 2^55.
    pub fn new(
        columns: usize,
        adjacency: Adjacency,
        max_rows_per_person: u32,
        units: u128,
    ) -> Result<Self, NoiseError> {
        let rows = if is_active(Mutant::PersonsUncountedInBounds) { 1 } else { max_rows_per_person };
        let [first, second] = Self::split(units);
        // The second round has fewer units, so its noise is the first to be beyond the sampler's range.
        let (count, (sensitivity_squared, last)) = calibrated(COUNTS, second, |count| {
            histograms_sensitivity_squared(count, columns as u64, adjacency, rows)
        })?;
        let scales = [noise_scale(&sensitivity_squared, first)?, last];
        Ok(Self { count, sensitivity_squared, scales, columns })
    }

    /// Returns the two rounds' parts of `units`.
    pub fn split(units: u128) -> [u128; 2] {
        let first = part_of(units, FIRST);
        [first, units.saturating_sub(first)]
    }

    /// Returns the number of cells of a column in a round, from 0.
    pub const fn cells_of(round: usize) -> usize {
        if round == 0 { FIRST_CELLS } else { SECOND_CELLS }
    }

    /// Returns the number of cells of a round, from 0.
    pub const fn cells(&self, round: usize) -> usize {
        Self::cells_of(round).saturating_mul(self.columns)
    }

    /// Returns what the ledger is charged for, both rounds in one entry.
    pub fn events(&self) -> Vec<Event> {
        let event = |(round, scale): (usize, NoiseScale)| {
            Event::gaussian(&self.sensitivity_squared, scale, (self.cells(round) as u64, 0))
        };
        self.scales.into_iter().enumerate().map(event).collect()
    }

    /// Returns the standard deviation of a count's noise in each round, in rows.
    pub fn sd(&self) -> [f64; 2] {
        self.scales.map(|scale| scale.real() / real(self.count))
    }

    /// Returns noisy integers as counts, in rows.
    pub fn rows(&self, cells: &[i128]) -> Vec<f64> {
        cells.iter().map(|cell| real(*cell) / real(self.count)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_tenths_are_for_the_first_round_and_nothing_is_lost() {
        for units in [0, 1, 9, 19, 43_980_465_111_040, u128::MAX] {
            assert_eq!(Units::split(units).iter().sum::<u128>(), units);
        }
        assert_eq!(Units::split(43_980_465_111_040), [26_388_279_066_624, 17_592_186_044_416]);
    }
}
