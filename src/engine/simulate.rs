//! Runs a mechanism from a seed any number of times. These demonstrations protect nobody.

use super::demonstrate::{Demonstration, demonstrate, demonstrate_as};
use super::error::EngineError;
use super::prepare::Prepared;
use crate::data::{EncodedRows, Exact, RowSink, Sums};
use crate::noise::discrete::uniform_below;
use crate::noise::entropy::DemoRng;
use crate::release::document::{Demo, Software};

/// The offset of the streams that draw rows: run i draws noise from stream i and rows from stream i + 2^63.
const ROWS_STREAM: u64 = 1 << 63;
/// The offset of the streams that draw the noise of estimated bounds. The fit after them draws from stream i.
const BOUNDS_STREAM: u64 = 1 << 62;

/// Estimates bounds for run number `run` under `seed`, from 1 to 2^62.
///
/// # Errors
/// [`EngineError::Internal`] as [`super::Computation::release`].
pub fn demonstrate_bounds<'a>(
    prepared: &Prepared,
    input: impl Into<Exact<'a>>,
    (seed, run): (u64, u64),
    software: Software,
) -> Result<Demonstration, EngineError> {
    demonstrate_as(prepared, input, DemoRng::new(seed, run | BOUNDS_STREAM), Demo { seed, run }, software)
}

/// A table that was read once.
#[derive(Debug)]
pub enum Source {
    /// What the release needs of it: only the randomness differs between runs.
    Once(Sums),
    /// Its encoded rows: each run draws as many of them with replacement, or as many persons with all of their rows.
    Resample {
        /// Rows that count.
        rows: EncodedRows,
        /// Records in all; those that were skipped are drawn too, as rows of zeros.
        records: u64,
    },
}

/// Seeded runs of one plan on one table.
#[derive(Debug)]
pub struct Simulation {
    prepared: Prepared,
    source: Source,
    seed: u64,
    software: Software,
}

impl Simulation {
    /// Runs of `prepared` on `source` under `seed`.
    pub const fn new(prepared: Prepared, source: Source, seed: u64, software: Software) -> Self {
        Self { prepared, source, seed, software }
    }

    /// Computes run number `run`, from 1 to 2^63. It depends on the seed and on `run` alone.
    ///
    /// # Errors
    /// [`EngineError::Internal`] as [`super::Computation::release`].
    pub fn run(&self, run: u64) -> Result<Demonstration, EngineError> {
        let drawn;
        let sums = match &self.source {
            Source::Once(sums) => sums,
            Source::Resample { rows, records } => {
                let rng = DemoRng::new(self.seed, run | ROWS_STREAM);
                drawn = resample(self.prepared.sums(), rows, *records, rng);
                &drawn
            }
        };
        let rng = DemoRng::new(self.seed, run & !ROWS_STREAM);
        demonstrate(&self.prepared, sums, rng, self.software.clone())
    }
}

/// Returns the sums of `records` rows drawn with replacement from that many records; where a column names persons, of as many
/// persons as there are.
fn resample(mut sums: Sums, rows: &EncodedRows, records: u64, mut rng: DemoRng) -> Sums {
    let persons = rows.by_person();
    let mut draw = |all: u64| usize::try_from(uniform_below(&mut rng, u128::from(all))).unwrap_or(usize::MAX);
    if persons.is_empty() {
        for _ in 0..records {
            rows.get(draw(records)).into_iter().for_each(|row| sums.row(row));
        }
    } else {
        for number in (0_u32..).take(persons.len()) {
            sums.person(number);
            let drawn = persons.get(draw(persons.len() as u64)).into_iter().flatten();
            drawn.filter_map(|row| rows.get(*row)).for_each(|row| sums.row(row));
        }
    }
    sums
}
