//! What a mechanism that measures its own coordinates foresees of its noise, from public numbers alone (theory/adaptive 6.1, 6.2).
//!
//! Such a mechanism scales its noise to what its first rounds measure. So its noise is foreseen in units of the sampling errors, and these
//! follow from the assumed spreads of [`mod@preview`](super::preview). Long tails are not foreseen: with them the noise is larger.

use nalgebra::DMatrix;

use super::cell_noise::count;
use super::curvature::Curvature;
use super::joint::{Inflation, Joint, USUAL};
use super::newton::Link;
use super::preview::{LOGISTIC_SPREAD, OUTCOMES, TermPreview, chance, effect, inflation};
use crate::data::encode::Geometry;
use crate::model::Role;
use crate::plan::bound::{BoundColumn, BoundPlan, Kind};

/// What a forecast advises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    /// Intervals are expected for all coefficients.
    Recommended,
    /// The same, marked approximate: at this budget many rows could lie far out unnoticed.
    Approximate,
    /// Some intervals may be withheld.
    Uncertain,
    /// The rows are too few for this budget: all coefficients will be withheld.
    TooFew,
}

/// The noise to expect of a plan, where no tail is long.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoiseForecast {
    /// ν: standard deviation of a coefficient's privacy noise, in units of its sampling error.
    pub noise: f64,
    /// f, by which shortened records raise the sampling variance; 1 where that is not foreseen.
    pub loss: f64,
    /// κ̂: the features' moments over their noise in the last round.
    pub condition: f64,
    /// What follows from it.
    pub advice: Advice,
    /// Share of the rows, 0 to 1, below which a level of a category has its own coefficient withheld.
    pub least_share: f64,
    /// What the coefficients are: changes of the outcome, or of its log odds.
    pub link: Link,
    /// The least variance of a column that the first round tells from its own noise, in squared half widths of its bounds; 0 where that
    /// is not foreseen.
    pub margin_variance: f64,
    /// The noise of the transform in units of what it measures; 0 where that is not foreseen.
    pub guide_noise: f64,
    /// Whether the plan pays for robust standard errors.
    pub robust: bool,
}

/// The median of |N(0, 1)|.
const MEDIAN: f64 = 0.674_489_750_196_081_7;

impl NoiseForecast {
    /// Returns the median of |slope − slope without privacy|, in units of the sampling error.
    #[must_use]
    pub fn median_error(&self) -> f64 {
        MEDIAN * self.noise
    }

    /// Returns the half-width of an interval with privacy noise over that without.
    #[must_use]
    pub fn widening(&self) -> f64 {
        self.noise.hypot(self.loss.sqrt())
    }

    /// Returns the variance that a feature has in the last round, at most 1: less where it spreads too little in its bounds for the first
    /// rounds to resolve it (theory/adaptive 6.2). `spread` is its standard deviation in half widths of its bounds.
    #[must_use]
    pub fn resolved(&self, spread: f64) -> f64 {
        let standardised = (spread * spread / self.margin_variance).min(1.0);
        (standardised / self.guide_noise).min(1.0)
    }

    /// Computes the uncertainty of each coefficient but the intercepts on `rows` rows, in its own unit and under the assumptions of
    /// [`mod@preview`](super::preview), for the first [`OUTCOMES`] outcomes. `related` is that of the plan.
    #[must_use]
    pub fn terms(
        &self,
        geometry: &Geometry,
        bound: &BoundPlan,
        rows: u64,
        related: Option<&Related>,
    ) -> Vec<TermPreview> {
        #[expect(clippy::cast_precision_loss, reason = "a count in a forecast")]
        let rows = (rows as f64).max(1.0);
        let columns = geometry.terms.iter().filter_map(|term| Some((term, bound.columns.get(term.column?)?)));
        let (features, outcomes): (Vec<_>, Vec<_>) =
            columns.partition(|(_, column)| column.role == Role::Feature);
        let effect = effect(count(features.len()));
        let numbers = features.iter().filter(|(_, column)| half_widths(column).is_some()).count();
        let joint = related.and_then(|related| Some((&related.spreads, related.inflation(self)?)));
        let unexplained = (1.0 - count(features.len()) * effect * effect).sqrt();
        let weight = |column: &BoundColumn| Curvature::of(count(features.len()), chance(column)).mean;
        let least = outcomes.iter().map(|(_, column)| weight(column)).fold(0.25, f64::min);
        let mut terms = Vec::new();
        for (outcome, column) in outcomes.iter().take(OUTCOMES) {
            // Of a yes or no: the logistic distribution behind it, and the information p(1 − p) of a row. ν is that of the rarest.
            let (spread, residual, own_noise) = match self.link {
                Link::Identity => (spread(column, None), spread(column, None) * unexplained, self.noise),
                Link::Logit => {
                    let weight = weight(column);
                    (LOGISTIC_SPREAD, weight.sqrt().recip(), self.noise * (least / weight).sqrt())
                }
            };
            for (place, (feature, column)) in features.iter().enumerate() {
                let own = joint.as_ref().and_then(|(spreads, inflation)| {
                    Some((spreads.get(place)?, inflation.sampling.get(place)?, inflation.noise.get(place)?))
                });
                let (sampling, noise) = if let Some((spread, related, noisy)) = own {
                    (residual * (related / rows).sqrt() / spread, own_noise * (noisy / related).sqrt())
                } else {
                    let related = if half_widths(column).is_some() { inflation(count(numbers)) } else { 1.0 };
                    let sampling = residual * (related / (rows * information(column, feature.level))).sqrt();
                    let resolved = half_widths(column).map_or(1.0, |spread| self.resolved(spread));
                    (sampling, own_noise / resolved.sqrt())
                };
                let raised = raised(column, feature.level, count(features.len()) + 1.0);
                let (noise, sampling) = (raised * noise * sampling, self.loss.sqrt() * sampling);
                terms.push(TermPreview {
                    outcome: outcome.name.clone(),
                    term: feature.name.clone(),
                    noise_std_error: noise,
                    sampling_std_error: sampling,
                    plausible_effect: effect * spread / self::spread(column, feature.level),
                    noise_share: (noise / noise.hypot(sampling)).powi(2),
                    shrinkage: 0.0,
                });
            }
        }
        terms
    }
}

/// How the terms of features go together where some are derived.
#[derive(Clone, Debug, PartialEq)]
pub struct Related {
    /// The standard deviation of each term in its own unit.
    spreads: Vec<f64>,
    /// The same of a number in half widths of its bounds; nothing of a level.
    half_widths: Vec<Option<f64>>,
    correlation: DMatrix<f64>,
}

impl Related {
    /// Computes it under the usual assumptions; nothing where no feature is derived.
    #[must_use]
    pub fn of(bound: &BoundPlan) -> Option<Self> {
        let joint = Joint::new(bound, USUAL)?;
        let columns = bound.columns.iter().filter(|column| column.role == Role::Feature);
        let terms = columns.flat_map(|column| match &column.kind {
            Kind::Number { .. } => vec![(column, None)],
            Kind::Category { levels, reference, .. } => {
                let others = (0..levels.len()).filter(|level| level != reference);
                others.map(|level| (column, Some(level))).collect()
            }
        });
        let (mut spreads, mut half_widths) = (Vec::new(), Vec::new());
        for ((derived, _, drawn), (column, level)) in joint.spreads().into_iter().zip(terms) {
            let own = if derived { drawn } else { spread(column, level) };
            half_widths.push(match column.kind {
                Kind::Number { lower, upper } => Some(own / (upper / 2.0 - lower / 2.0)),
                Kind::Category { .. } => None,
            });
            spreads.push(own);
        }
        Some(Self { spreads, half_widths, correlation: joint.correlation() })
    }

    fn inflation(&self, forecast: &NoiseForecast) -> Option<Inflation> {
        let seen = |spread: &Option<f64>| {
            spread.map_or(1.0, |spread| (spread * spread / forecast.margin_variance).min(1.0))
        };
        let seen: Vec<f64> = self.half_widths.iter().map(seen).collect();
        Inflation::of(&self.correlation, &seen, forecast.guide_noise)
    }

    /// Returns the least share of its variance that a direction of the features has in the last round: 1 where the first rounds resolve
    /// all.
    #[must_use]
    pub fn least_direction(&self, forecast: &NoiseForecast) -> f64 {
        self.inflation(forecast).map_or(1.0, |inflation| inflation.least)
    }
}

/// Returns the typical or else assumed standard deviation of a column's values, or of the dummy of one of its levels.
fn spread(column: &BoundColumn, level: Option<usize>) -> f64 {
    match &column.kind {
        Kind::Number { lower, upper } => {
            column.typical.map_or(USUAL.spread * (upper / 2.0 - lower / 2.0), |typical| typical.sd)
        }
        Kind::Category { reference, .. } => {
            let share = column.share(level.unwrap_or(*reference));
            (share * (1.0 - share)).sqrt()
        }
    }
}

/// Returns the assumed standard deviation of a number in half widths of its bounds.
fn half_widths(column: &BoundColumn) -> Option<f64> {
    match column.kind {
        Kind::Number { lower, upper } => Some(spread(column, None) / (upper / 2.0 - lower / 2.0)),
        Kind::Category { .. } => None,
    }
}

/// Returns the assumed standard deviations of the numbers among the features, in half widths of their bounds.
#[must_use]
pub fn assumed_spreads(bound: &BoundPlan) -> Vec<f64> {
    let features = bound.columns.iter().filter(|column| column.role == Role::Feature);
    features.filter_map(half_widths).collect()
}

/// Returns the factor by which the noise of a rare level among k coefficients is larger than that of the others: the transform has its second
/// moment raised to 1/(2k) (theory/adaptive 2.3, 7.1).
fn raised(column: &BoundColumn, level: Option<usize>, coefficients: f64) -> f64 {
    let share = level.map_or(1.0, |level| column.share(level));
    (2.0 * coefficients * share).recip().max(1.0).sqrt()
}

/// Returns what one row says of a coefficient: of a level, that of two shares, its own and the reference's.
fn information(column: &BoundColumn, level: Option<usize>) -> f64 {
    match (&column.kind, level) {
        (Kind::Category { reference, .. }, Some(level)) => {
            let (own, other) = (column.share(level), column.share(*reference));
            own * other / (own + other)
        }
        _ => spread(column, level).powi(2),
    }
}
