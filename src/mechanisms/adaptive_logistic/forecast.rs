//! What to expect, from public numbers alone (theory/adaptive-logistic 5).

use super::estimate::REMAINDER;
use super::progress::replaced;
use super::start::mean_variance;
use crate::inference::assumptions::LOGISTIC_SPREAD;
use crate::inference::curvature::Curvature;
use crate::inference::newton::Link;
use crate::inference::noise_forecast::{Advice, NoiseForecast};
use crate::math::gamma::ln_chi_square_cdf;
use crate::math::round::real;
use crate::mechanisms::adaptive::radius::FeatureRadius;
use crate::mechanisms::adaptive::tails::{Counts, feature_edges};
use crate::mechanisms::adaptive::terms::Terms;
use crate::privacy::adjacency::Adjacency;
use crate::privacy::sensitivity::logistic_curvature_share;

/// What is expected at a stated number of rows, where no tail is long.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// ν: standard deviation of the privacy noise of a whitened coefficient of the rarest label, in units of its sampling error.
    pub noise: f64,
    /// f, by which shortened records raise the sampling variance.
    pub loss: f64,
    /// κ̂: the curvature over its noise in the last step.
    pub condition: f64,
    /// The same where the features have no effects.
    pub best: f64,
    /// The curvature in most directions over its noise, before the noise.
    pub bulk: f64,
    /// ρ of the last step where the features explain half of the log odds: more than usual, for a step that is left short is withheld.
    pub remainder: f64,
}

/// The approximate share of μ² of the last step.
const LAST: f64 = 0.7;
/// The approximate share of μ² of the step before.
const BEFORE: f64 = 0.1;
/// κ̂ from which intervals are normal, and from which a coefficient has one.
const NORMAL_FROM: f64 = 3.0;
const WITHHELD_BELOW: f64 = 1.0;
/// κ̂ without effects below which all coefficients are withheld: it varies.
const LOST_BELOW: f64 = 0.5;
/// The largest ρ to expect: it varies, and from 1 coefficients are withheld.
const MOST_LEFT: f64 = 0.6;

impl Forecast {
    /// Computes the forecast for `rows` at μ, where a person has at most `max_rows_per_person` of them and these shares of the rows say yes
    /// to each label.
    pub fn new(
        terms: &Terms,
        adjacency: Adjacency,
        max_rows_per_person: u32,
        rows: f64,
        mu: f64,
        chances: &[f64],
    ) -> Self {
        let (k, l) = (real(terms.coefficients()), real(terms.outcomes()));
        let a = replaced(adjacency);
        let m = mu * LAST.sqrt() / f64::from(max_rows_per_person.max(1));
        let counts = usual_counts(terms, rows);
        let FeatureRadius { radius, loss, .. } =
            FeatureRadius::choose(terms, &counts, a * a * l, m * m * mean_variance(chances));
        let even = |chance: f64| chance * (1.0 - chance);
        let rarest = chances.iter().copied().min_by(|p, q| even(*p).total_cmp(&even(*q))).unwrap_or(0.5);
        let share = logistic_curvature_share(adjacency);
        // ν and ρ, what the last step leaves over in units of the standard error, where a row has this curvature.
        let step = |row: Curvature| {
            let curvature = rows * row.mean;
            let first = (a * l.sqrt() * radius * loss / (m * curvature.sqrt())).powi(2);
            // ‖d‖² from the noise of both steps: it multiplies the curvature's noise, and is left over in part.
            let directions = row.inverse_squares + (k - 2.0);
            let moved = directions * first * (1.0 + LAST / BEFORE) / curvature;
            let of_curvature = (share * radius).powi(2) / 32.0 * moved * (1.0 + 1.0 / k);
            let left = (REMAINDER * moved).powi(2) * curvature;
            let noise = first * (1.0 + of_curvature);
            ((noise + (1.0 + 2.0 / k) * left).sqrt(), (left / (loss + noise)).sqrt())
        };
        let row = Curvature::of(real(terms.features()), rarest);
        let (noise, _) = step(row);
        let (_, remainder) = step(Curvature::new(LOGISTIC_SPREAD, rarest));
        // Over φ.
        let unit = 4.0 * rows * m / (loss * share * a * (2.0 * k * l).sqrt() * radius * radius);
        let bulk = unit * row.mean;
        Self {
            noise,
            loss,
            condition: least_eigenvalue(bulk, unit * row.least),
            best: unit * even(rarest) - 1.0,
            bulk,
            remainder,
        }
    }

    /// Returns whether to take this mechanism.
    pub fn advice(&self) -> Advice {
        if self.condition >= NORMAL_FROM && self.remainder <= MOST_LEFT {
            Advice::Recommended
        } else if self.best >= LOST_BELOW {
            Advice::Uncertain
        } else {
            Advice::TooFew
        }
    }

    /// Returns what is said of it before a release.
    pub fn noise_forecast(&self, terms: &Terms) -> NoiseForecast {
        let whole = self.bulk * 2.0 * real(terms.coefficients());
        NoiseForecast {
            noise: self.noise,
            loss: self.loss,
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

/// Returns the least eigenvalue of a matrix with noise of the spectral norm 1 on it, whose own eigenvalues are `bulk` but for one, `least`:
/// that one stands out of the noise where it is farther than 1/2 from the others, and is moved by them (theory/adaptive-logistic 5).
fn least_eigenvalue(bulk: f64, least: f64) -> f64 {
    let apart = bulk - least;
    if apart > 0.5 { least - 0.25 / apart } else { bulk - 1.0 }
}

/// Returns the counts of ‖w‖ of normal features: ‖w‖² is 1 more than a chi-square with k − 1 degrees of freedom.
fn usual_counts(terms: &Terms, rows: f64) -> Counts {
    let degrees = real(terms.features());
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanisms::adaptive::terms::Term;

    #[test]
    fn the_least_eigenvalue_leaves_the_others_where_it_stands_out() {
        assert!((least_eigenvalue(3.0, 2.5 - 1e-9) - least_eigenvalue(3.0, 2.5)).abs() < 1e-6);
        assert!((least_eigenvalue(9.0, 3.0) - 3.0).abs() < 0.05, "far from the others");
        assert!((least_eigenvalue(9.0, 9.0) - 8.0).abs() < 1e-12, "one of them");
    }

    /// Eight features of a table with 6.7 % yes: releases had all intervals, some, and with 900 rows none.
    #[test]
    fn a_rare_yes_may_lose_its_intervals_and_of_few_rows_does() {
        let term = |column| Term { column, dummy: false };
        let terms = Terms::new((0..9).map(term).collect(), 8);
        let advice = |rows, mu| Forecast::new(&terms, Adjacency::AddRemove, 1, rows, mu, &[0.067]).advice();
        assert_eq!(advice(6_000.0, 0.24), Advice::Uncertain);
        assert_eq!(advice(900.0, 0.5), Advice::TooFew);
        assert_eq!(advice(100_000.0, 0.5), Advice::Recommended);
    }
}
