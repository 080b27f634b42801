//! What a mechanism that measures its own coordinates foresees of its noise, from public numbers alone (theory/adaptive 6.1, 6.2).
//!
//! Such a mechanism scales its noise to what its first rounds measure. So its noise is foreseen in units of the sampling errors, and these
//! follow from the assumed spreads of [`mod@preview`](super::preview). Long tails are not foreseen: with them the noise is larger.

use super::cell_noise::count;
use super::newton::Link;
use super::preview::{EFFECT, EXPLAINED, OUTCOMES, TermPreview, USUAL};
use crate::data::encode::Geometry;
use crate::model::Role;
use crate::plan::bound::{BoundPlan, Kind};

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
    /// κ̂: the features' moments over their noise in the last round.
    pub condition: f64,
    /// What follows from it.
    pub advice: Advice,
    /// Share of the rows, 0 to 1, below which a level of a category has its own coefficient withheld.
    pub least_share: f64,
    /// What the coefficients are: changes of the outcome, or of its log odds.
    pub link: Link,
}

/// The median of |N(0, 1)|.
const MEDIAN: f64 = 0.674_489_750_196_081_7;

/// Standard deviation of the standard logistic distribution, π/√3.
pub const LOGISTIC_SPREAD: f64 = 1.813_799_364_234_217_8;

impl NoiseForecast {
    /// Returns the median of |slope − slope without privacy|, in units of the sampling error.
    #[must_use]
    pub fn median_error(&self) -> f64 {
        MEDIAN * self.noise
    }

    /// Returns the half-width of an interval with privacy noise over that without.
    #[must_use]
    pub fn widening(&self) -> f64 {
        self.noise.hypot(1.0)
    }

    /// Computes the uncertainty of each coefficient but the intercepts on `rows` rows, in its own unit and under the assumptions of
    /// [`mod@preview`](super::preview), for the first [`OUTCOMES`] outcomes.
    #[must_use]
    pub fn terms(&self, geometry: &Geometry, bound: &BoundPlan, rows: u64) -> Vec<TermPreview> {
        #[expect(clippy::cast_precision_loss, reason = "a count in a forecast")]
        let rows = (rows as f64).max(1.0);
        let columns = geometry.terms.iter().filter_map(|term| Some((term, bound.columns.get(term.column?)?)));
        let (features, outcomes): (Vec<_>, Vec<_>) =
            columns.partition(|(_, column)| column.role == Role::Feature);
        let effect = EFFECT.min((EXPLAINED / count(features.len()).max(1.0)).sqrt());
        let mut terms = Vec::new();
        for (outcome, column) in outcomes.iter().take(OUTCOMES) {
            // Of a yes or no at every second row: the logistic distribution behind it, and the information p(1 − p) of a row.
            let (spread, residual) = match self.link {
                Link::Identity => (spread(&column.kind), spread(&column.kind)),
                Link::Logit => (LOGISTIC_SPREAD, 2.0),
            };
            for (feature, column) in &features {
                let sampling = residual * (1.0 / (rows * information(&column.kind))).sqrt();
                terms.push(TermPreview {
                    outcome: outcome.name.clone(),
                    term: feature.name.clone(),
                    noise_std_error: self.noise * sampling,
                    sampling_std_error: sampling,
                    plausible_effect: effect * spread / self::spread(&column.kind),
                    noise_share: (self.noise / self.widening()).powi(2),
                    shrinkage: 0.0,
                });
            }
        }
        terms
    }
}

/// Returns the assumed standard deviation of a column's values, or of the dummy of one of its levels.
fn spread(kind: &Kind) -> f64 {
    match kind {
        Kind::Number { lower, upper } => USUAL.spread * (upper / 2.0 - lower / 2.0),
        Kind::Category { levels, .. } => {
            let share = 1.0 / count(levels.len());
            (share * (1.0 - share)).sqrt()
        }
    }
}

/// Returns what one row says of a coefficient: of a level, that of two shares, its own and the reference's.
fn information(kind: &Kind) -> f64 {
    match kind {
        Kind::Number { .. } => spread(kind) * spread(kind),
        Kind::Category { levels, .. } => 0.5 / count(levels.len()),
    }
}
