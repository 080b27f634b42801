//! Exact discrete Gaussian noise on second moments: what `analyze-gauss` and the PRIMO family add to their cells.
//!
//! All noise is drawn before the first sum is read. `goe` has variance S² on the diagonal and S²/2 off it, so the loss of a
//! record z is exactly ‖z‖⁴/S² (theory/noise 1.2); `iid` has S² everywhere, which loses no more and is noisier.
//! Products of features with outcomes lie off the diagonal, squares of outcomes on it.

use std::num::NonZeroU64;

use dashu_int::UBig;

use crate::data::Moments;
use crate::model::{Layout, NoiseLaw, Shape};
use crate::noise::discrete::{gaussian_diagonal, gaussian_off_diagonal};
use crate::noise::entropy::Entropy;
use crate::privacy::calibrate::NoiseScale;
use crate::privacy::event::Event;
use crate::privacy::mutants::{Mutant, is_active};

/// The noise of one release: public, and known before any data are.
#[derive(Clone, Debug, PartialEq)]
pub struct Noise {
    /// Δ², where cells with half the variance count twice.
    pub sensitivity_squared: UBig,
    /// S.
    pub scale: NoiseScale,
    /// The variance of each cell, in units of S².
    pub shape: Shape,
    /// The cells that are released.
    pub layout: Layout,
    /// Whether the features are public, so that their products with each other are released as they are.
    pub public_features: bool,
}

/// The noise on a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// None: it is public.
    None,
    /// Variance S²/2.
    Half,
    /// Variance S².
    Full,
}

impl Noise {
    /// Returns the noise on the product of two terms.
    pub fn on(&self, row: usize, column: usize) -> Amount {
        if self.public_features && row.max(column) < self.layout.features() {
            Amount::None
        } else if self.shape == Shape::Goe && row != column {
            Amount::Half
        } else {
            Amount::Full
        }
    }

    /// Returns the law that the release names.
    pub fn law(&self) -> NoiseLaw {
        NoiseLaw::DiscreteGaussian { shape: self.shape, s: self.scale.get().to_string() }
    }

    /// Returns what the ledger is charged for.
    pub fn event(&self) -> Event {
        let (mut full, mut half) = (0, 0);
        for (row, column) in self.layout.pairs() {
            match self.on(row, column) {
                Amount::None => {}
                Amount::Half => half += 1,
                Amount::Full => full += 1,
            }
        }
        Event::gaussian(&self.sensitivity_squared, self.scale, (full, half))
    }

    /// Returns the number of cells.
    pub const fn cells(&self) -> usize {
        self.layout.cells()
    }

    /// Draws noise for the cells, in the layout's order.
    pub fn draw<E: Entropy + ?Sized>(&self, rng: &mut E) -> Vec<i128> {
        let s: NonZeroU64 = self.scale.get();
        let mut cells = Vec::with_capacity(self.cells());
        for (row, column) in self.layout.pairs() {
            cells.push(match self.on(row, column) {
                Amount::None => 0,
                Amount::Half => gaussian_off_diagonal(rng, s),
                Amount::Full => gaussian_diagonal(rng, s),
            });
        }
        if is_active(Mutant::SameNoiseEverywhere) {
            let first = cells.first().copied().unwrap_or(0);
            cells.fill(first);
        }
        if is_active(Mutant::DiagonalCellUnnoised)
            && let Some(last) = cells.last_mut()
        {
            *last = 0;
        }
        if is_active(Mutant::InterceptUnnoisedUnderSkip)
            && let Some(first) = cells.first_mut()
        {
            *first = 0;
        }
        cells
    }

    /// Returns the noise with the exact sums added to it. Sums that the layout does not have are not looked at.
    ///
    /// No sum can wrap: exact sums stay below 2^112 and noise below 2^62 but with probability 0 in practice, and a sum that
    /// would leave 128 bits saturates.
    pub fn add(&self, noise: Vec<i128>, moments: &Moments) -> Vec<i128> {
        let mut cells = noise;
        for (cell, (row, column)) in cells.iter_mut().zip(self.layout.pairs()) {
            let exact = moments.get(row, column);
            *cell = if is_active(Mutant::NoiseInFloat) {
                in_float(exact, *cell)
            } else {
                cell.saturating_add(exact)
            };
        }
        cells
    }
}

/// Returns the released integers in the layout's order: all noise is drawn first, then the exact sums are added.
pub fn perturb<E: Entropy + ?Sized>(moments: &Moments, noise: &Noise, rng: &mut E) -> Vec<i128> {
    noise.add(noise.draw(rng), moments)
}

/// Returns the release of [`Mutant::NoiseInFloat`]: the low bits of a large sum show through the noise (Haney et al. 2022).
#[expect(clippy::cast_possible_truncation, reason = "that is the bug")]
fn in_float(exact: i128, noise: i128) -> i128 {
    (exact as f64 + noise as f64) as i128
}
