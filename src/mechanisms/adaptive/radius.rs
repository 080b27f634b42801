//! The radius to which whitened features are shortened, from the noisy tails (theory/adaptive 4.1).

use super::tails::{Counts, feature_edges};
use super::terms::Terms;
use crate::math::round::real;

/// R_x and what it costs.
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureRadius {
    /// R_x.
    pub radius: f64,
    /// f, by which shortening raises the sampling variance.
    pub loss: f64,
    /// J at each candidate.
    pub costs: Vec<f64>,
}

impl FeatureRadius {
    /// Chooses the candidate with the smallest loss from clipping and noise together; of equal ones the first. The noise is
    /// `noise` R² f² / (`information` N), with N the counted records.
    pub fn choose(terms: &Terms, counts: &Counts, noise: f64, information: f64) -> Self {
        let last = 20.0 * real(terms.coefficients()).sqrt();
        let upper: Vec<f64> = feature_edges(terms).into_iter().chain([last]).collect();
        let kept: Vec<f64> = counts
            .features
            .iter()
            .map(|count| if *count < 3.0 * counts.noise { 0.0 } else { *count })
            .collect();
        let total = kept.iter().fold(0.0, |sum, count| sum + count);
        let rows = total.max(1.0);
        let sum = |of: &dyn Fn(f64) -> f64| {
            kept.iter().zip(&upper).fold(0.0, |sum, (count, radius)| sum + count * of(*radius))
        };
        let lost = |radius: f64| {
            if total <= 0.0 {
                return 1.0;
            }
            let square = radius * radius;
            (rows / sum(&|r| (square / (r * r)).min(1.0))) * (sum(&|r| r * r) / sum(&|r| (r * r).min(square)))
        };
        let (mut best, mut found) = (f64::INFINITY, (last, 1.0));
        let mut costs = Vec::with_capacity(upper.len());
        for radius in upper.iter().skip(1) {
            let square = lost(*radius);
            let noise = noise * (radius * radius) * square;
            let cost = square.sqrt() + noise / (information * rows);
            if cost < best {
                (best, found) = (cost, (*radius, square.sqrt()));
            }
            costs.push(cost);
        }
        Self { radius: found.0, loss: found.1, costs }
    }
}
