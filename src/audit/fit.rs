//! T5 (theory/audit 3.5): chi-square tests of draws against their exact distribution.

use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};

use crate::math::gamma::ln_chi_square_sf;
use crate::noise::discrete::{gaussian_diagonal, gaussian_off_diagonal, laplace};
use crate::noise::entropy::Entropy;
use crate::noise::law;

/// The p-value below which a fit counts as a bug.
pub const ALARM: f64 = 1e-6;

/// The least expected count of a cell at which the statistic is chi-square.
const LEAST_EXPECTED: f64 = 20.0;

/// A histogram of draws and the distribution that they should have.
#[derive(Clone, Debug)]
pub struct Fit {
    /// Value of the second cell. The first and the last cell are the tails.
    first: i32,
    probabilities: Vec<f64>,
    counts: Vec<u32>,
}

/// One bar of the histogram.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bin {
    /// The integer. The first and the last bar include all integers beyond.
    pub value: i32,
    /// Observed draws.
    pub observed: u32,
    /// Expected draws.
    pub expected: f64,
}

impl Fit {
    /// Integers of a symmetric law, a cell for each that expects 20 of `planned` draws and two tails.
    pub fn of_integers(pmf: impl Fn(i32) -> f64, planned: u32) -> Self {
        let edge = (1..).find(|k| f64::from(planned) * pmf(*k) < LEAST_EXPECTED).unwrap_or(1) - 1;
        let inside: Vec<f64> = (-edge..=edge).map(pmf).collect();
        let tail = (1.0 - inside.iter().sum::<f64>()) / 2.0;
        let probabilities: Vec<f64> = [tail].into_iter().chain(inside).chain([tail]).collect();
        Self { first: -edge, counts: vec![0; probabilities.len()], probabilities }
    }

    /// Returns cells of equal probability, numbered from 0.
    pub fn of_equal_cells(cells: u16) -> Self {
        let probabilities = vec![1.0 / f64::from(cells); usize::from(cells)];
        Self { first: 1, counts: vec![0; probabilities.len()], probabilities }
    }

    /// Counts one draw. Draws beyond the ends are counted in the tails.
    pub fn add(&mut self, draw: i128) {
        let last = self.counts.len().saturating_sub(1);
        let place = draw.saturating_sub(i128::from(self.first)).saturating_add(1);
        let cell = usize::try_from(place.max(0)).unwrap_or(last).min(last);
        if let Some(count) = self.counts.get_mut(cell) {
            *count += 1;
        }
    }

    /// Draws so far.
    pub fn draws(&self) -> u32 {
        self.counts.iter().sum()
    }

    /// Returns the histogram.
    pub fn bins(&self) -> Vec<Bin> {
        let draws = f64::from(self.draws());
        let values = (self.first - 1..).zip(self.counts.iter().zip(&self.probabilities));
        values.map(|(value, (&observed, p))| Bin { value, observed, expected: draws * p }).collect()
    }

    /// Returns the p-value of the fit, by chi-square. Neighbouring cells are merged until each expects 20 draws. `None` if fewer
    /// than two cells remain.
    pub fn p_value(&self) -> Option<f64> {
        let draws = f64::from(self.draws());
        let mut cells: Vec<(f64, f64)> = Vec::new();
        let mut open = (0.0, 0.0);
        for (&count, p) in self.counts.iter().zip(&self.probabilities) {
            open = (open.0 + f64::from(count), open.1 + draws * p);
            if open.1 >= LEAST_EXPECTED {
                cells.push(std::mem::take(&mut open));
            }
        }
        // The rest at the right end is merged with its neighbour.
        let last = cells.last_mut()?;
        *last = (last.0 + open.0, last.1 + open.1);
        let statistic: f64 = cells.iter().map(|(seen, expected)| (seen - expected).powi(2) / expected).sum();
        let degrees = u32::try_from(cells.len()).ok()?.checked_sub(1).filter(|degrees| *degrees > 0)?;
        Some(libm::exp(ln_chi_square_sf(f64::from(degrees), statistic)))
    }
}

/// A sampler whose distribution has few enough values to count them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sampler {
    /// [`gaussian_diagonal`] of this scale, variance S².
    Diagonal(NonZeroU64),
    /// [`gaussian_off_diagonal`] of this scale, variance S²/2.
    OffDiagonal(NonZeroU64),
    /// [`laplace`] of this scale.
    Laplace(NonZeroU64),
}

impl Sampler {
    /// Returns one draw.
    pub fn draw<E: Entropy>(self, rng: &mut E) -> i128 {
        match self {
            Self::Diagonal(s) => gaussian_diagonal(rng, s),
            Self::OffDiagonal(s) => gaussian_off_diagonal(rng, s),
            Self::Laplace(t) => laplace(rng, t),
        }
    }

    /// Returns an empty histogram with its distribution, for `planned` draws.
    pub fn histogram(self, planned: u32) -> Fit {
        let float = |scale: NonZeroU64| scale.get() as f64;
        match self {
            Self::Laplace(t) => Fit::of_integers(|k| law::laplace_pmf(float(t), f64::from(k)), planned),
            Self::Diagonal(s) => gaussian(float(s).powi(2), planned),
            Self::OffDiagonal(s) => gaussian(float(s).powi(2) / 2.0, planned),
        }
    }
}

fn gaussian(variance: f64, planned: u32) -> Fit {
    let law = law::Gaussian::new(variance);
    Fit::of_integers(|k| law.pmf(k), planned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_pooled_until_each_expects_twenty() {
        let mut fit = Fit::of_equal_cells(4);
        assert_eq!(fit.p_value(), None);
        for draw in [0, 0, 0, 1, 1, 2, 3, -9, 9].repeat(10) {
            fit.add(draw);
        }
        // 40, 20, 10 and 20 of 22.5 each: 6 + 2/3 + ... on 3 degrees.
        assert_eq!(fit.bins().iter().map(|bin| bin.observed).collect::<Vec<_>>(), [40, 20, 10, 20]);
        let statistic = (17.5_f64.powi(2) + 2.0 * 2.5_f64.powi(2) + 12.5_f64.powi(2)) / 22.5;
        let p = libm::exp(ln_chi_square_sf(3.0, statistic));
        assert!((fit.p_value().unwrap() - p).abs() < 1e-12);
        let mut few = Fit::of_equal_cells(4);
        for draw in 0..40 {
            few.add(draw % 4);
        }
        // Ten are expected of each cell, so two and two are counted together.
        assert!((few.p_value().unwrap() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_bars_are_the_integers_and_two_tails() {
        let fit = Sampler::Laplace(NonZeroU64::MIN).histogram(1_000);
        let bins = fit.bins();
        assert_eq!(bins.first().map(|bin| bin.value), bins.last().map(|bin| -bin.value));
        let total: f64 = fit.probabilities.iter().sum();
        assert!((total - 1.0).abs() < 1e-12, "{total}");
    }
}
