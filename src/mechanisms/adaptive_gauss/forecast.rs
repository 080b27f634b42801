//! What to expect, from public numbers alone (theory/adaptive 6.1, 6.2).

use super::radii::{CAUTIOUS_OUTCOME_RADIUS, USUAL_OUTCOME_RADIUS, hides_a_tail, noise_constant_squared};
use super::units::Shares;
use crate::inference::newton::Link;
use crate::inference::noise_forecast::{Advice, NoiseForecast};
use crate::math::round::real;
use crate::mechanisms::adaptive::terms::Terms;
use crate::privacy::adjacency::Adjacency;
use crate::privacy::calibrate::WHOLE_SHARE;
use crate::privacy::sensitivity::{cross_weight, margins_sensitivity_squared};

/// What is expected at a stated number of rows, where no tail is long.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// ν: standard deviation of the privacy noise of a whitened coefficient, in units of its sampling error.
    pub noise: f64,
    /// κ̂: the features' moments over their noise in the final round.
    pub condition: f64,
    /// φ̂: the noise of the guide in units of what it measures.
    pub guide_noise: f64,
    /// Whether a fiftieth of the rows could lie far out unnoticed.
    pub unseen: bool,
    /// 2τ: the least variance that the margins tell from their own noise, in squared half widths of the bounds.
    pub margin_variance: f64,
    /// Whether round 5 is paid for.
    pub robust: bool,
    /// The expected R_y.
    outcome_radius: f64,
}

/// R_x² / k if no feature has a long tail.
const USUAL_SQUARE: f64 = 2.25;
/// κ̂ from which intervals are normal.
const NORMAL_FROM: f64 = 2.0;
/// κ̂ below which all coefficients are withheld.
const WITHHELD_BELOW: f64 = 1.0;
/// κ̂ below which the coefficient of a feature that the first rounds do not resolve is withheld.
const UNRESOLVED_BELOW: f64 = 0.5;
/// κ̂ of a level below which its coefficient is withheld.
const LEVEL_WITHHELD_BELOW: f64 = 1.0;

impl Forecast {
    /// Returns it for a stated R_y: the noise on a coefficient is proportional to it.
    #[must_use]
    pub fn clipped_at(self, radius: Option<f64>) -> Self {
        let Some(radius) = radius else { return self };
        Self { noise: self.noise * radius / self.outcome_radius, outcome_radius: radius, ..self }
    }

    /// Returns the forecast for `rows` at μ with these shares of its square, where a person has at most `max_rows_per_person` of
    /// them.
    pub fn new(
        terms: &Terms,
        adjacency: Adjacency,
        max_rows_per_person: u32,
        rows: f64,
        mu: f64,
        shares: Shares,
    ) -> Self {
        let of = |share: u32| mu * (f64::from(share) / f64::from(WHOLE_SHARE)).sqrt();
        let (k, l) = (real(terms.coefficients()), real(terms.outcomes()));
        let moved = margins_sensitivity_squared(1, terms.columns() as u64, adjacency, max_rows_per_person);
        let margin_variance = 2.0 * moved.to_f64().value().sqrt() / (of(shares.margins) * rows);
        let people = f64::from(max_rows_per_person.max(1));
        let q = f64::from(cross_weight(adjacency));
        let constant = noise_constant_squared(adjacency, cross_weight(adjacency)).sqrt();
        let square = USUAL_SQUARE * k;
        let (last, moments) = (of(shares.last()) / people, of(shares.moments) / people);
        let (norm, replaced) = match adjacency {
            Adjacency::AddRemove => ((2.0 + 2.0 / (q * q)).sqrt(), 1.0),
            Adjacency::ReplaceOne => (8.0_f64.sqrt(), std::f64::consts::SQRT_2),
        };
        let tails = replaced * (1.0 + l).sqrt() / (of(shares.tails) / people);
        let unseen = hides_a_tail(tails, rows);
        let outcome_radius = if unseen { CAUTIOUS_OUTCOME_RADIUS } else { USUAL_OUTCOME_RADIUS };
        Self {
            unseen,
            noise: constant * l.sqrt() * square.sqrt() * outcome_radius / (last * rows.sqrt()),
            condition: rows * last / (std::f64::consts::SQRT_2 * q * k.sqrt() * square * norm),
            guide_noise: replaced * 2.04 * (k + l) * (k - 1.0).sqrt() / (moments * rows),
            margin_variance,
            robust: shares.scores > 0,
            outcome_radius,
        }
    }

    /// Returns whether to take this mechanism, where the features are measured as if none spread less than `least` of what the
    /// transform resolves ([`NoiseForecast::resolved`]).
    pub fn advice(&self, least: f64) -> Advice {
        let condition = self.condition * least;
        if condition >= NORMAL_FROM && self.guide_noise <= 1.0 / 3.0 {
            if self.unseen { Advice::Approximate } else { Advice::Recommended }
        } else if self.condition >= WITHHELD_BELOW && condition >= UNRESOLVED_BELOW {
            Advice::Uncertain
        } else {
            Advice::TooFew
        }
    }

    /// Returns what is said of it before a release of features with these standard deviations, in half widths of their bounds.
    pub fn noise_forecast(&self, terms: &Terms, spreads: &[f64]) -> NoiseForecast {
        let forecast = NoiseForecast {
            noise: self.noise,
            loss: 1.0,
            condition: self.condition,
            advice: Advice::TooFew,
            least_share: LEVEL_WITHHELD_BELOW / (self.condition * 2.0 * real(terms.coefficients())),
            link: Link::Identity,
            margin_variance: self.margin_variance,
            guide_noise: self.guide_noise,
            robust: self.robust,
        };
        let least = spreads.iter().map(|spread| forecast.resolved(*spread)).fold(1.0, f64::min);
        NoiseForecast { advice: self.advice(least), ..forecast }
    }
}
