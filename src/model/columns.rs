//! What the columns of a table are for.

use serde::{Deserialize, Serialize};

/// The name of the constant term.
pub const INTERCEPT: &str = "(Intercept)";

/// Returns the level, or levels, of a term `column[level]` of this column.
pub fn level_of<'a>(term: &'a str, column: &str) -> Option<&'a str> {
    term.strip_prefix(column)?.strip_prefix('[')?.strip_suffix(']')
}

/// What a column is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// A predictor.
    Feature,
    /// A response; each is regressed on all features.
    Outcome,
    /// Not read. A plan bound to a header contains no such column.
    #[default]
    Ignored,
}

/// What happens to a record with a missing cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Missing {
    /// The record contributes nothing, not even to the intercept cell.
    #[default]
    Skip,
    /// A missing number becomes the middle of its bounds, a missing category the reference.
    Midpoint,
}

/// What is publicly known of a number's values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Typical {
    /// Mean, in the column's unit; the middle of the bounds unless given.
    pub mean: Option<f64>,
    /// Standard deviation, in the column's unit, above 0.
    pub sd: f64,
}

/// Standard deviations that a mean lies above the end of the logarithm for the number to be called normal, though its logarithm is taken.
const SYMMETRIC_FROM: f64 = 3.0;

impl Typical {
    /// Returns mean and standard deviation of the logarithm of the number plus `offset`, if the number is assumed log-normal.
    pub fn log_normal(self, offset: f64) -> Option<(f64, f64)> {
        let middle = self.mean? + offset;
        let variance = libm::log1p((self.sd / middle).powi(2));
        (middle > 0.0 && middle < SYMMETRIC_FROM * self.sd)
            .then(|| (libm::log(middle) - variance / 2.0, variance.sqrt()))
    }
}
