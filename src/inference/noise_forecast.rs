//! The noise forecast of a mechanism that finds its own coordinates, from public numbers alone (theory/adaptive 6.1, 6.2).
//!
//! Such a mechanism scales its noise to the results of its first rounds. So the forecast is in units of the sampling errors,
//! which follow from the assumed spreads of [`mod@preview`](super::preview). The forecast assumes no long tails; with them the
//! noise is larger.

use serde::{Deserialize, Serialize};

use super::assumptions::USUAL;
use super::newton::Link;
use crate::model::Role;
use crate::plan::bound::{BoundColumn, BoundPlan, Kind};

/// What a forecast advises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NoiseForecast {
    /// ν: standard deviation of a coefficient's privacy noise, in units of its sampling error.
    pub noise: f64,
    /// f, the factor by which shortened records raise the sampling variance; 1 if there is no forecast of it.
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
    pub fn median_error(&self) -> f64 {
        MEDIAN * self.noise
    }

    /// Returns the half-width of an interval with privacy noise over that without.
    pub fn widening(&self) -> f64 {
        self.noise.hypot(self.loss.sqrt())
    }

    /// Returns the variance that a feature has in the last round, at most 1: less where it spreads too little in its bounds for the first
    /// rounds to resolve it (theory/adaptive 6.2). `spread` is its standard deviation in half widths of its bounds.
    pub fn resolved(&self, spread: f64) -> f64 {
        let standardised = (spread * spread / self.margin_variance).min(1.0);
        (standardised / self.guide_noise).min(1.0)
    }
}

/// Returns the typical or else assumed standard deviation of a number in half widths of its bounds.
fn half_widths(column: &BoundColumn) -> Option<f64> {
    let Kind::Number { lower, upper } = column.kind else { return None };
    Some(
        column
            .typical
            .map_or_else(|| USUAL.spread(lower, upper), |typical| typical.sd / (upper / 2.0 - lower / 2.0)),
    )
}

/// Returns the assumed standard deviations of the numbers among the features, in half widths of their bounds.
pub fn assumed_spreads(bound: &BoundPlan) -> Vec<f64> {
    let features = bound.columns.iter().filter(|column| column.role == Role::Feature);
    features.filter_map(half_widths).collect()
}
