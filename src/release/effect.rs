//! The line of an outcome over one column, which `inference::partial_effect` computes.

use super::format::short;
use crate::plan::Plan;
use crate::words;

/// One point of the line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The column's value.
    pub at: f64,
    /// The outcome, or its probability.
    pub value: f64,
    /// The interval of the outcome's mean here, at the release's level.
    pub span: Option<(f64, f64)>,
}

/// The line over the stated range of a column.
#[derive(Clone, Debug, PartialEq)]
pub struct PartialEffect {
    /// The column.
    pub column: String,
    /// The points in the column's order.
    pub points: Vec<Point>,
    /// Whether the points are probabilities.
    pub is_probability: bool,
    /// Whether the other numbers are at their released means, and not in the middle of their bounds.
    pub at_means: bool,
}

impl PartialEffect {
    /// Returns what a reader of the plot has to know.
    #[must_use]
    pub fn note(&self, plan: &Plan) -> String {
        let level = short(100.0 * plan.confidence.unwrap_or(0.95), 3);
        let has_band = self.points.iter().any(|point| point.span.is_some());
        let band = match (has_band, self.is_probability) {
            (true, true) => words::effect::band_of_probability(level),
            (true, false) => words::effect::band(level),
            (false, _) => words::effect::no_band().to_owned(),
        };
        let held = if self.at_means { words::effect::at_means() } else { words::effect::at_middle() };
        format!("{held} {band}")
    }
}
