//! T6 (theory/audit 3.6): the noise of a release has the claimed variances, and the noises of two cells are uncorrelated.

use super::bench::{Bench, Side, exact};
use crate::math::round::real;
use crate::math::triangle;
use crate::mechanisms::gaussian::Amount;

/// The number of standard errors that counts as a bug. With 27 comparisons of three terms the false-alarm rate is 1.5e-5.
pub const ALARM: f64 = 5.0;

/// Second moments of the noise of one table's releases, run by run.
#[derive(Clone, Debug)]
pub struct Covariance {
    exact: Vec<i128>,
    /// Standard deviations claimed.
    claimed: Vec<f64>,
    runs: u32,
    sums: Vec<f64>,
    /// Σ x_j x_k of noise in claimed standard deviations, for k <= j.
    products: Vec<f64>,
}

impl Covariance {
    /// Creates an estimate without runs, for the bench's first table.
    pub fn new(bench: &Bench) -> Self {
        let s = bench.noise.scale.real();
        let deviation = |(row, column)| match bench.noise.on(row, column) {
            Amount::None => 0.0,
            Amount::Half => s * std::f64::consts::FRAC_1_SQRT_2,
            Amount::Full => s,
        };
        let claimed: Vec<f64> = bench.noise.layout.pairs().map(deviation).collect();
        let cells = claimed.len();
        Self {
            exact: exact(&bench.moments[Side::Without.index()], &bench.noise),
            claimed,
            runs: 0,
            sums: vec![0.0; cells],
            products: vec![0.0; triangle::len(cells)],
        }
    }

    /// Adds the released integers of one run.
    pub fn feed(&mut self, cells: &[i128]) {
        self.runs += 1;
        let noise: Vec<f64> = cells
            .iter()
            .zip(&self.exact)
            .zip(&self.claimed)
            .map(|((cell, exact), claimed)| real(cell - exact) / claimed)
            .collect();
        let mut products = self.products.iter_mut();
        for (cell, (x, sum)) in noise.iter().zip(&mut self.sums).enumerate() {
            *sum += x;
            for (y, product) in noise[..=cell].iter().zip(&mut products) {
                *product += x * y;
            }
        }
    }

    /// Returns the largest deviation from the claim in standard errors: means against 0 (se 1/√N), variances against the claimed
    /// (se √(2/N)), correlations against 0 (se 1/√N).
    pub fn score(&self) -> f64 {
        let runs = f64::from(self.runs);
        let mut worst = 0.0_f64;
        let mut variances: Vec<f64> = Vec::with_capacity(self.sums.len());
        let mut products = self.products.iter();
        for (cell, sum) in self.sums.iter().enumerate() {
            worst = worst.max(sum.abs() / runs.sqrt());
            let row: Vec<f64> = products.by_ref().take(cell + 1).map(|product| product / runs).collect();
            let Some((variance, covariances)) = row.split_last() else { continue };
            worst = worst.max((variance - 1.0).abs() / (2.0 / runs).sqrt());
            for (covariance, other) in covariances.iter().zip(&variances) {
                let scale = (variance * other).sqrt();
                // A cell without noise is detected by its variance.
                let correlation = if scale > 0.0 { covariance / scale } else { 0.0 };
                worst = worst.max(correlation.abs() * runs.sqrt());
            }
            variances.push(*variance);
        }
        worst
    }
}
