//! The noise of a round: which cells it has, what is charged for them, and how it is drawn.

use std::num::NonZeroU64;
use std::sync::Arc;

use super::units::Round;
use crate::data::statistics::RecordMap;
use crate::data::{Exact, Statistic};
use crate::math::triangle;
use crate::mechanisms::rounds::{self, Answer, RoundNoise};
use crate::noise::discrete::{gaussian_diagonal, gaussian_off_diagonal};
use crate::noise::entropy::{DemoRng, Entropy};
use crate::privacy::mutants::{Mutant, is_active};

/// The cells of a round and the variance of each one's noise: what is summed, charged and drawn follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A number of cells of variance S².
    Full(usize),
    /// Upper triangles of this side, row by row: variance S² on the diagonal, S²/2 off it.
    Triangles {
        /// The number of triangles.
        count: usize,
        /// The rows of each.
        side: usize,
    },
    /// One upper triangle whose first coordinates are features and whose last are outcomes: variance S²/2 on the products of the two, on
    /// all other cells q² times that of a usual triangle.
    Weighted {
        /// The features, the constant among them.
        features: usize,
        /// The rows.
        side: usize,
        /// q.
        weight: u32,
    },
    /// For each label: an upper triangle of this side (the curvature), then a cell of variance S² for each row (the gradient).
    Steps {
        /// The labels.
        labels: usize,
        /// The rows of each triangle.
        side: usize,
    },
}

impl Shape {
    /// Returns the number of cells.
    pub const fn cells(self) -> usize {
        match self {
            Self::Full(cells) => cells,
            Self::Triangles { count, side } => count.saturating_mul(triangle::len(side)),
            Self::Weighted { side, .. } => triangle::len(side),
            Self::Steps { labels, side } => labels.saturating_mul(triangle::len(side).saturating_add(side)),
        }
    }

    /// Returns how many cells have a variance of at least S², and how many others one of at least S²/2.
    pub const fn charged(self) -> (u64, u64) {
        let full = match self {
            Self::Full(cells) => cells,
            Self::Triangles { count, side } => count.saturating_mul(side),
            Self::Weighted { side, .. } => side,
            Self::Steps { labels, side } => labels.saturating_mul(side).saturating_mul(2),
        };
        (full as u64, self.cells().saturating_sub(full) as u64)
    }

    /// Draws the noise of scale S of all cells, in their order.
    pub fn draw<E: Entropy + ?Sized>(self, s: NonZeroU64, rng: &mut E) -> Vec<i128> {
        match self {
            Self::Full(cells) => full(cells, s, rng),
            Self::Triangles { count, side } => (0..count).flat_map(|_| packed(side, s, rng)).collect(),
            Self::Weighted { features, side, weight } => weighted(features, side, weight, s, rng),
            Self::Steps { labels, side } if is_active(Mutant::StepNoiseReused) => {
                steps(labels, side, s, &mut DemoRng::new(0, 0))
            }
            Self::Steps { labels, side } => steps(labels, side, s, rng),
        }
    }
}

fn steps<E: Entropy + ?Sized>(labels: usize, side: usize, s: NonZeroU64, rng: &mut E) -> Vec<i128> {
    (0..labels).flat_map(|_| [packed(side, s, rng), full(side, s, rng)].concat()).collect()
}

fn full<E: Entropy + ?Sized>(cells: usize, s: NonZeroU64, rng: &mut E) -> Vec<i128> {
    (0..cells).map(|_| gaussian_diagonal(rng, s)).collect()
}

fn packed<E: Entropy + ?Sized>(side: usize, s: NonZeroU64, rng: &mut E) -> Vec<i128> {
    let mut cell =
        |(row, column)| if row == column { gaussian_diagonal(rng, s) } else { gaussian_off_diagonal(rng, s) };
    triangle::pairs(side).map(&mut cell).collect()
}

fn weighted<E: Entropy + ?Sized>(
    features: usize,
    side: usize,
    weight: u32,
    s: NonZeroU64,
    rng: &mut E,
) -> Vec<i128> {
    let weight = if is_active(Mutant::SquaresUnweighted) { 1 } else { weight };
    let heavy = NonZeroU64::new(u64::from(weight)).map_or(s, |weight| s.saturating_mul(weight));
    let mut cell = |(row, column)| {
        if row == column {
            gaussian_diagonal(rng, heavy)
        } else if row < features && column >= features {
            gaussian_off_diagonal(rng, s)
        } else {
            gaussian_off_diagonal(rng, heavy)
        }
    };
    triangle::pairs(side).map(&mut cell).collect()
}

/// The noise of one round of a release.
#[derive(Debug)]
struct NumberedNoise {
    /// The charge of the round, and its cells.
    round: Round,
    /// The number of the round, from 0.
    number: u32,
}

/// Returns the round of a release that sums this map, and has the noise of the round of this number among all.
pub fn numbered_round<'a>(
    map: impl RecordMap + 'static,
    number: u32,
    mut rounds: impl Iterator<Item = &'a Round>,
) -> Option<rounds::Round> {
    let round = rounds.nth(number as usize)?.clone();
    let noise = Arc::new(NumberedNoise { round, number });
    Some(rounds::Round { statistic: Statistic::Map(Arc::new(map)), noise })
}

impl RoundNoise for NumberedNoise {
    fn draw(&self, rng: &mut dyn Entropy) -> Vec<i128> {
        #[cfg(feature = "audit-mutants")]
        if is_active(Mutant::RoundNoiseReused) {
            return self.reused(rng);
        }
        self.round.draw(rng)
    }

    fn answer(&self, mut drawn: Vec<i128>, sums: &Exact<'_>, _: &mut dyn Entropy) -> Option<Answer> {
        match (self.number, self.round.shape) {
            (0 | 1, _) if is_active(Mutant::EarlierRoundsUnnoised) => drawn.fill(0),
            (2, _) if is_active(Mutant::TailCountsUnnoised) => drawn.fill(0),
            (4, Shape::Triangles { .. }) if is_active(Mutant::ScoresUnnoised) => drawn.fill(0),
            (_, Shape::Steps { side, .. }) if is_active(Mutant::CurvatureUnnoised) => {
                let curvature = triangle::len(side);
                drawn.chunks_mut(curvature + side).for_each(|label| label[..curvature].fill(0));
            }
            _ => {}
        }
        Answer::noisy(drawn, sums)
    }
}

#[cfg(feature = "audit-mutants")]
impl NumberedNoise {
    /// Returns the second round's noise in the fourth round.
    fn reused(&self, rng: &mut dyn Entropy) -> Vec<i128> {
        thread_local! {
            static DRAWN: std::cell::RefCell<Vec<i128>> = const { std::cell::RefCell::new(Vec::new()) };
        }
        if self.number == 3 {
            return DRAWN.take();
        }
        let drawn = self.round.draw(rng);
        if self.number == 1 {
            DRAWN.set(drawn.clone());
        }
        drawn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_is_charged_and_drawn() {
        let s = NonZeroU64::new(1 << 40).unwrap();
        for (shape, charged) in [
            (Shape::Full(7), (7, 0)),
            (Shape::Triangles { count: 2, side: 4 }, (8, 12)),
            (Shape::Weighted { features: 3, side: 5, weight: 2 }, (5, 10)),
            (Shape::Steps { labels: 2, side: 3 }, (12, 6)),
        ] {
            assert_eq!(shape.charged(), charged);
            let (full, half) = charged;
            assert_eq!(shape.cells() as u64, full + half);
            assert_eq!(shape.draw(s, &mut DemoRng::new(1, 1)).len(), shape.cells());
        }
    }
}
