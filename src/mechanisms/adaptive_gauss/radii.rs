//! The radii to which records and residuals are shortened in the final round, from the noisy tails (theory/adaptive 4).

use super::units::Rounds;
use crate::math::round::real;
use crate::mechanisms::adaptive::bits::bits26;
use crate::mechanisms::adaptive::radius::FeatureRadius;
use crate::mechanisms::adaptive::tails::{Counts, outcome_edges};
use crate::mechanisms::adaptive::terms::Terms;
use crate::privacy::adjacency::Adjacency;

/// Where nothing of an outcome's tail can be trusted.
pub const USUAL_OUTCOME_RADIUS: f64 = 4.0;
/// The same where many rows could lie far out unnoticed.
pub const CAUTIOUS_OUTCOME_RADIUS: f64 = 5.0;
/// Least and largest radius of an outcome.
pub const OUTCOME_RADII: [f64; 2] = [2.5, 60.0];

/// The radii: 26 leading bits each, and released.
#[derive(Clone, Debug, PartialEq)]
pub struct Radii {
    /// R_x, of the whitened features with the constant.
    pub features: f64,
    /// R_y, of each outcome's residuals in units of their spread.
    pub outcomes: Vec<f64>,
    /// Whether a fiftieth of the rows could lie far out unnoticed.
    pub unseen: bool,
}

impl Radii {
    /// Returns them with no R_y beyond what the residuals of an outcome can reach.
    #[must_use]
    pub fn within(mut self, reach: impl Fn(usize) -> f64) -> Self {
        for (outcome, radius) in self.outcomes.iter_mut().enumerate() {
            *radius = bits26(radius.min(reach(outcome)).max(OUTCOME_RADII[0]));
        }
        self
    }

    /// Returns them with a stated R_y of all outcomes in place of those that were chosen.
    #[must_use]
    pub fn stated(mut self, radius: Option<f64>) -> Self {
        if let Some(radius) = radius {
            self.outcomes.fill(bits26(radius));
        }
        self
    }
}

/// The radii, and the costs by which they were chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The radii.
    pub radii: Radii,
    /// J at the candidates for R_x: the edges from 1.2 √k on, and 20 √k.
    pub costs: Vec<f64>,
    /// K_y, how many clipped rows cost as much as the noise saves.
    pub clipped: f64,
}

/// Returns c_b² = 1 + 1/q² under add-remove, 4 under replace-one: the square of the noise's constant in theory/adaptive 6.1.
pub fn noise_constant_squared(adjacency: Adjacency, weight: u32) -> f64 {
    match adjacency {
        Adjacency::AddRemove => 1.0 + 1.0 / (f64::from(weight) * f64::from(weight)),
        Adjacency::ReplaceOne => 4.0,
    }
}

/// Returns whether a fiftieth of the rows could lie far out unnoticed, where a tail count has noise of this standard deviation.
pub fn hides_a_tail(noise: f64, rows: f64) -> bool {
    9.0 * noise > rows / 50.0
}

impl Choice {
    /// Chooses the radii. `mu_last` is μ of the final round for one row of a person: √(u_4 2^-40) / p; `rows` is n_1.
    pub fn new(
        terms: &Terms,
        rounds: &Rounds,
        adjacency: Adjacency,
        mu_last: f64,
        rows: f64,
        counts: &Counts,
    ) -> Self {
        let constant = noise_constant_squared(adjacency, rounds.weight);
        let outcomes = real(terms.outcomes());
        let FeatureRadius { radius: features, costs, .. } =
            FeatureRadius::choose(terms, counts, 16.0 * constant * outcomes, mu_last * mu_last);
        let clipped = constant.sqrt() * outcomes.sqrt() * features / (3.0 * mu_last);
        let unseen = hides_a_tail(counts.noise, rows);
        let outcomes =
            counts.outcomes.iter().map(|tail| bits26(outcome_radius(tail, counts.noise, clipped, unseen)));
        let radii = Radii { features: bits26(features), outcomes: outcomes.collect(), unseen };
        Self { radii, costs, clipped }
    }
}

/// Returns R_y of one outcome: the outermost edge whose tail can be trusted, and from there as an exponential falls until
/// `clipped` rows are beyond.
fn outcome_radius(counts: &[f64], noise: f64, clipped: f64, unseen: bool) -> f64 {
    let edges = outcome_edges();
    let tail = |edge: usize| counts.iter().skip(edge + 1).fold(0.0, |sum, count| sum + count);
    let trusted = (2..edges.len())
        .rev()
        .find(|edge| tail(*edge) >= (3.5 * noise * real(edges.len() - edge).sqrt()).max(clipped));
    let radius = trusted.map_or(USUAL_OUTCOME_RADIUS, |edge| {
        let here = tail(edge);
        let before = tail(edge - 2).max(1.2 * here);
        let length = (edges[edge] - edges[edge - 2]) / libm::log(before / here);
        edges[edge] + length * libm::log(here / clipped)
    });
    let radius = if unseen { radius.max(CAUTIOUS_OUTCOME_RADIUS) } else { radius };
    if radius.is_finite() { radius.clamp(OUTCOME_RADII[0], OUTCOME_RADII[1]) } else { USUAL_OUTCOME_RADIUS }
}
