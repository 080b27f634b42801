//! `naive-composition`: one private regression per outcome, each with noise of its own on the features' moments too (PRIMO's
//! baseline; primo 1.3). It is there to be compared with: sharing one covariance costs less.
//!
//! **Guarantee, sensitivity.** As [`super::reuse_cov`], with the outcomes' bound that of one outcome, for each of the l releases
//! of X'X and X'y. Composed, their squared sensitivities add up: l Δ² at the same S, which is what the ledger is charged;
//! μ/√l is left for each.
//!
//! **Defaults.** `kappa`: as for one outcome.

use super::gaussian;
use crate::data::Moments;
use crate::model::Layout;
use crate::noise::entropy::Entropy;
use crate::privacy::event::Event;

/// The noise of all regressions together.
#[derive(Clone, Debug, PartialEq)]
pub struct Noise {
    /// That of one, with the squared sensitivity of all.
    pub each: gaussian::Noise,
    /// Number of outcomes.
    pub outcomes: usize,
}

impl Noise {
    /// What the ledger is charged for.
    #[must_use]
    pub fn event(&self) -> Event {
        let times = self.outcomes as u64;
        match self.each.event() {
            Event::Gaussian { sensitivity_squared, scale, cells_diagonal, cells_off_diagonal } => {
                Event::Gaussian {
                    sensitivity_squared,
                    scale,
                    cells_diagonal: cells_diagonal.saturating_mul(times),
                    cells_off_diagonal: cells_off_diagonal.saturating_mul(times),
                }
            }
            other => other,
        }
    }

    /// Number of cells of all releases.
    #[must_use]
    pub const fn cells(&self) -> usize {
        self.each.cells().saturating_mul(self.outcomes)
    }

    /// The released integers, outcome by outcome, each in the order of its own layout.
    pub fn release<E: Entropy>(&self, moments: &Moments, rng: &mut E) -> Vec<i128> {
        let mut noise = Vec::with_capacity(self.cells());
        for _ in 0..self.outcomes {
            noise.extend(self.each.draw(rng));
        }
        let exact = exact(moments, self.each.layout, self.outcomes);
        noise.into_iter().zip(exact).map(|(noise, exact)| noise.saturating_add(exact)).collect()
    }
}

/// The exact sums in the same order.
pub fn exact(moments: &Moments, each: Layout, outcomes: usize) -> impl Iterator<Item = i128> {
    let features = each.features();
    (0..outcomes).flat_map(move |outcome| {
        let place = move |term: usize| if term < features { term } else { features.saturating_add(outcome) };
        each.pairs().map(move |(row, column)| moments.get(place(row), place(column)))
    })
}
