//! The noise of a round whose cells are alike, in the order of the cells.

use std::num::NonZeroU64;

use crate::math::triangle;
use crate::noise::discrete::{gaussian_diagonal, gaussian_off_diagonal};
use crate::noise::entropy::Entropy;
use crate::privacy::mutants::{Mutant, is_active};

/// Draws noise of variance S² for each of so many cells.
pub fn full<E: Entropy + ?Sized>(cells: usize, s: NonZeroU64, rng: &mut E) -> Vec<i128> {
    (0..cells).map(|_| gaussian_diagonal(rng, s)).collect()
}

/// Draws noise for an upper triangle, row by row: of variance S² on the diagonal, S²/2 off it.
pub fn packed<E: Entropy + ?Sized>(side: usize, s: NonZeroU64, rng: &mut E) -> Vec<i128> {
    let pairs = triangle::pairs(side);
    pairs
        .map(
            |(row, column)| {
                if row == column { gaussian_diagonal(rng, s) } else { gaussian_off_diagonal(rng, s) }
            },
        )
        .collect()
}

/// Returns whether a mutant leaves this round, counted from 0, without noise.
pub fn is_unnoised(round: u32) -> bool {
    match round {
        0 | 1 => is_active(Mutant::EarlierRoundsUnnoised),
        2 => is_active(Mutant::TailCountsUnnoised),
        _ => false,
    }
}
