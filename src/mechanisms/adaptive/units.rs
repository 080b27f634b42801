//! What a round costs, and the integer units in which rounds are tried (theory/adaptive 2.1).

use dashu_int::UBig;

use super::margins;
use super::noise::Shape;
use super::tails;
use super::terms::Terms;
use crate::mechanisms::shared::{NoiseError, finest};
use crate::noise::entropy::Entropy;
use crate::privacy::adjacency::Adjacency;
use crate::privacy::calibrate::{NoiseScale, noise_scale};
use crate::privacy::event::Event;
use crate::privacy::mutants::{Mutant, is_active};
use crate::privacy::sensitivity::{
    augmented_sensitivity_squared, histograms_sensitivity_squared, margins_sensitivity_squared,
};

/// N of the margins, the code of 1: the usual one, and a coarser one where the noise would be beyond the sampler's range.
const LEVELS: [u32; 2] = [1 << 22, 1 << 18];
/// W of second moments, the longest record, likewise.
pub const RECORDS: [u32; 2] = [1 << 24, 1 << 20];
/// U of the histograms, one count, likewise.
pub const COUNTS: [u64; 2] = [1 << 42, 1 << 38];

/// Bins of the histogram of ‖w‖.
pub const FEATURE_BINS: usize = 13;
/// Bins of the histogram of each |e|.
pub const OUTCOME_BINS: usize = 14;

/// The charge of one round, and its noise.
#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    /// Δ², in units of S where some cells have more noise.
    pub sensitivity_squared: UBig,
    /// S.
    pub scale: NoiseScale,
    /// Its cells.
    pub shape: Shape,
}

impl Round {
    /// Returns a round with this Δ² and S, and these cells.
    pub fn new((sensitivity_squared, scale): (UBig, NoiseScale), shape: Shape) -> Self {
        Self { sensitivity_squared, scale, shape }
    }

    /// Returns what the ledger is charged for.
    pub fn event(&self) -> Event {
        Event::gaussian(&self.sensitivity_squared, self.scale, self.shape.charged())
    }

    /// Draws the noise of its cells, in their order.
    pub fn draw<E: Entropy + ?Sized>(&self, rng: &mut E) -> Vec<i128> {
        self.shape.draw(self.scale.get(), rng)
    }

    /// Returns S as a number.
    pub fn s(&self) -> f64 {
        self.scale.real()
    }
}

/// Integer units and noise of the three rounds with which both adaptive mechanisms begin.
#[derive(Clone, Debug, PartialEq)]
pub struct Early {
    /// N, the code of 1 in the margins.
    pub level: u32,
    /// W, the longest record of the moments.
    pub record: u32,
    /// U, one count of the tails.
    pub count: u64,
    /// Count, sums, sums of squares.
    pub margins: Round,
    /// Second moments of standardised records.
    pub moments: Round,
    /// Histograms.
    pub tails: Round,
}

impl Early {
    /// Returns the rounds that their parts of μ² in 2^-40 buy, with the histogram of ‖w‖ and those of so many outcomes.
    ///
    /// # Errors
    /// [`NoiseError`] where a round's noise scale leaves 2^40 to 2^55.
    pub fn new(
        terms: &Terms,
        adjacency: Adjacency,
        max_rows_per_person: u32,
        [first, second, third]: [u128; 3],
        outcomes: usize,
    ) -> Result<Self, NoiseError> {
        let k = max_rows_per_person;
        let (level, margins) = calibrated(LEVELS, first, |level| {
            margins_sensitivity_squared(u64::from(level), terms.columns() as u64, adjacency, k)
        })?;
        let (record, moments) = calibrated(RECORDS, second, |record| {
            augmented_sensitivity_squared(u64::from(record).pow(2), 0, adjacency, k)
        })?;
        let (count, tails) = calibrated(COUNTS, third, |count| {
            let rows = if is_active(Mutant::PersonsUncountedInTails) { 1 } else { k };
            histograms_sensitivity_squared(count, outcomes as u64 + 1, adjacency, rows)
        })?;
        Ok(Self {
            level,
            record,
            count,
            margins: Round::new(margins, Shape::Full(margins::cells(terms))),
            moments: Round::new(moments, Shape::Triangles { count: 1, side: 1 + terms.len() }),
            tails: Round::new(tails, Shape::Full(tails::cells(outcomes))),
        })
    }
}

/// Returns the finest of two units whose noise the sampler can draw, with Δ² and S.
///
/// # Errors
/// [`NoiseError`] where neither noise scale is within 2^40 to 2^55.
pub fn calibrated<T: Copy>(
    candidates: [T; 2],
    units: u128,
    sensitivity_squared: impl Fn(T) -> UBig,
) -> Result<(T, (UBig, NoiseScale)), NoiseError> {
    finest(candidates, |unit| {
        let squared = sensitivity_squared(unit);
        let scale = noise_scale(&squared, units)?;
        Ok((unit, (squared, scale)))
    })
}
