//! Exact counts, extremes and noise of the round before, which the mutants of this stage need and the stage itself never has.
//! Without the feature `audit-mutants` nothing is kept, and every function returns its argument.

use crate::data::Exact;
use crate::privacy::mutants::Mutant;

#[cfg(not(feature = "audit-mutants"))]
mod kept {
    use super::{Exact, Mutant};

    pub fn noise(_: usize, drawn: Vec<i128>) -> Vec<i128> {
        drawn
    }

    pub const fn exact(_: usize, _: &Exact<'_>) {}

    pub fn counts(_: Mutant, _: usize, noisy: &[i128]) -> Vec<i128> {
        noisy.to_vec()
    }

    pub const fn rows(rows: f64) -> f64 {
        rows
    }

    pub const fn seen(_: usize, _: f64) {}

    pub const fn widened(_: usize, range: (f64, f64)) -> (f64, f64) {
        range
    }
}

#[cfg(feature = "audit-mutants")]
mod kept {
    use std::cell::RefCell;
    use std::collections::BTreeMap;

    use super::{Exact, Mutant};
    use crate::mechanisms::estimated_bounds::cells::FIRST_CELLS;
    use crate::privacy::mutants::is_active;

    thread_local! {
        static EXACT: RefCell<[Vec<i128>; 2]> = const { RefCell::new([Vec::new(), Vec::new()]) };
        static NOISE: RefCell<Vec<i128>> = const { RefCell::new(Vec::new()) };
        static EXTREMES: RefCell<BTreeMap<usize, (f64, f64)>> = const { RefCell::new(BTreeMap::new()) };
    }

    /// Returns the noise of a round, which the second takes from the first.
    pub fn noise(round: usize, drawn: Vec<i128>) -> Vec<i128> {
        if !is_active(Mutant::FirstNoiseReused) {
            return drawn;
        }
        if round == 0 {
            NOISE.with_borrow_mut(|noise| noise.clone_from(&drawn));
            return drawn;
        }
        NOISE.with_borrow(|noise| {
            let again = noise.iter().cycle().copied();
            if noise.is_empty() { drawn.clone() } else { again.take(drawn.len()).collect() }
        })
    }

    /// Keeps exact counts.
    pub fn exact(round: usize, sums: &Exact<'_>) {
        if let Exact::Cells(cells) = sums {
            EXACT.with_borrow_mut(|exact| exact[round.min(1)].clone_from(cells));
        }
    }

    /// Returns exact counts in place of noisy ones.
    pub fn counts(mutant: Mutant, round: usize, noisy: &[i128]) -> Vec<i128> {
        let exact = EXACT.with_borrow(|exact| exact[round.min(1)].clone());
        if is_active(mutant) && exact.len() == noisy.len() { exact } else { noisy.to_vec() }
    }

    /// Returns the exact number of rows of the first column.
    pub fn rows(rows: f64) -> f64 {
        if !is_active(Mutant::RowsFromExactCounts) {
            return rows;
        }
        let sum: i128 = EXACT.with_borrow(|exact| exact[0].iter().take(FIRST_CELLS).sum());
        sum as f64 / (1_u64 << 42) as f64
    }

    /// Keeps the extremes of a column.
    pub fn seen(place: usize, value: f64) {
        if is_active(Mutant::WidenedToExtremes) && value.is_finite() {
            EXTREMES.with_borrow_mut(|extremes| {
                let (least, most) = extremes.entry(place).or_insert((value, value));
                (*least, *most) = (least.min(value), most.max(value));
            });
        }
    }

    /// Widens a range to them.
    pub fn widened(place: usize, (low, high): (f64, f64)) -> (f64, f64) {
        if !is_active(Mutant::WidenedToExtremes) {
            return (low, high);
        }
        let found = EXTREMES.with_borrow(|extremes| extremes.get(&place).copied());
        found.map_or((low, high), |(least, most)| (low.min(least), high.max(most)))
    }
}

pub use kept::{counts, exact, noise, rows, seen, widened};
