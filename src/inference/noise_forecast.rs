//! What a mechanism that measures its own coordinates foresees of its noise, from public numbers alone (theory/adaptive 6.1, 6.2).
//!
//! Such a mechanism scales its noise to what its first rounds measure. So its noise is foreseen in units of the sampling errors, and these
//! follow from the assumed spreads of [`mod@preview`](super::preview). Long tails are not foreseen: with them the noise is larger.

use super::newton::Link;
use super::preview::{TermPreview, sampling_terms};
use crate::data::encode::Geometry;
use crate::model::Layout;
use crate::plan::bound::BoundPlan;

/// What a forecast advises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    /// Intervals are expected for all coefficients.
    Recommended,
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

    /// Computes the uncertainty of each coefficient but the intercepts on `rows` rows, in its own unit and under the usual assumptions;
    /// empty where the plan has no regression.
    #[must_use]
    pub fn terms(
        &self,
        geometry: &Geometry,
        bound: &BoundPlan,
        layout: Layout,
        rows: u64,
    ) -> Vec<TermPreview> {
        let mut terms = sampling_terms(geometry, bound, layout, rows, self.link).unwrap_or_default();
        for term in &mut terms {
            term.noise_std_error = self.noise * term.sampling_std_error;
            term.noise_share = (self.noise / self.widening()).powi(2);
        }
        terms
    }
}
