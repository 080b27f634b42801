//! What to expect, from public numbers alone (theory/adaptive-logistic 5).

use super::progress::replaced;
use crate::inference::newton::Link;
use crate::inference::noise_forecast::{Advice, NoiseForecast};
use crate::math::gamma::ln_chi_square_cdf;
use crate::mechanisms::adaptive::radius::feature_radius;
use crate::mechanisms::adaptive::tails::{Counts, feature_edges};
use crate::mechanisms::adaptive::terms::{Terms, count};
use crate::privacy::adjacency::Adjacency;
use crate::privacy::calibrate::logistic_curvature_share;

/// What is expected at a stated number of rows of which half have a yes, where no tail is long.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// ν: standard deviation of the privacy noise of a whitened coefficient, in units of its sampling error.
    pub noise: f64,
    /// κ̂: the curvature over its noise in the last step.
    pub condition: f64,
}

/// p (1 − p) at even odds.
const EVEN: f64 = 0.25;
/// ψ, by how much the curvature is smaller at effects of the usual size: a linear predictor with a standard deviation of 1.3.
const EFFECTS: f64 = 1.0 + 0.35 * 1.3 * 1.3;
/// The share of μ² of the last step, about.
const LAST: f64 = 0.7;
/// κ̂ from which intervals are normal, and from which there are any.
const NORMAL_FROM: f64 = 3.0;
const WITHHELD_BELOW: f64 = 1.0;

impl Forecast {
    /// Computes the forecast for `rows` at μ, where a person has at most `max_rows_per_person` of them.
    #[must_use]
    pub fn new(terms: &Terms, adjacency: Adjacency, max_rows_per_person: u32, rows: f64, mu: f64) -> Self {
        let (k, l) = (count(terms.coefficients()), count(terms.outcomes()));
        let a = replaced(adjacency);
        let m = mu * LAST.sqrt() / f64::from(max_rows_per_person.max(1));
        let (radius, _) = feature_radius(terms, &usual_counts(terms, rows), a * a * l, m * m * EVEN);
        let noise = a * l.sqrt() * radius * EFFECTS.sqrt().sqrt() / (m * (rows * EVEN).sqrt());
        let signal = 4.0 * rows * EVEN * m / (EFFECTS * EFFECTS.sqrt());
        let share = logistic_curvature_share(adjacency);
        // Noise alone reaches −φ.
        let condition = signal / (share * a * (2.0 * k * l).sqrt() * radius * radius) - 1.0;
        Self { noise, condition }
    }

    /// Returns whether to take this mechanism.
    #[must_use]
    pub fn advice(&self) -> Advice {
        if self.condition >= NORMAL_FROM {
            Advice::Recommended
        } else if self.condition >= WITHHELD_BELOW {
            Advice::Uncertain
        } else {
            Advice::TooFew
        }
    }

    /// Returns what is said of it before a release.
    #[must_use]
    pub fn said(&self, terms: &Terms) -> NoiseForecast {
        let whole = (self.condition + 1.0) * 2.0 * count(terms.coefficients());
        NoiseForecast {
            noise: self.noise,
            condition: self.condition,
            advice: self.advice(),
            least_share: (WITHHELD_BELOW + 1.0) / whole,
            link: Link::Logit,
            margin_variance: 0.0,
            guide_noise: 0.0,
            robust: false,
        }
    }
}

/// The counts of ‖w‖ of normal features: ‖w‖² is 1 more than a chi-square with k − 1 degrees of freedom.
fn usual_counts(terms: &Terms, rows: f64) -> Counts {
    let degrees = count(terms.features());
    let below = |edge: f64| {
        let square = edge * edge - 1.0;
        if square > 0.0 { libm::exp(ln_chi_square_cdf(degrees, square)) } else { 0.0 }
    };
    let mut before = 0.0;
    let mut features: Vec<f64> = Vec::new();
    for edge in feature_edges(terms) {
        let now = below(edge);
        features.push(rows * (now - before));
        before = now;
    }
    features.push(rows * (1.0 - before));
    Counts { features, outcomes: Vec::new(), noise: 0.0 }
}
