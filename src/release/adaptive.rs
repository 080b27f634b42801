//! What the first three rounds of `adaptive-gauss` gave, as it is written beside the moments of its last round (theory/adaptive 1).

use serde::{Deserialize, Serialize};

use super::moments::Decimals;

/// The public numbers from which the transform, the radii and the regressions of the last round follow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AdaptiveRounds {
    /// The coded terms: features, then outcomes.
    pub terms: Vec<CodedTerm>,
    /// The integer units and the noise scales.
    pub units: AdaptiveUnits,
    /// Round 1, noisy integers: count, sums, sums of squares.
    pub margins: Decimals,
    /// Round 2, noisy integers: the upper triangle of the constant and all terms, row by row.
    pub moments: Decimals,
    /// Round 3, noisy integers: the histogram of the features' length, then one for each outcome's residual.
    pub tails: Decimals,
    /// The means of all terms, in coded units.
    pub mean: Vec<f64>,
    /// A, row by row: whitened features are A times the differences of the coded features from their means.
    pub whitening: Vec<Vec<f64>>,
    /// B, one row for each feature, one column for each outcome: rough slopes in coded units.
    pub slopes: Vec<Vec<f64>>,
    /// The residual spread of each outcome, in coded units.
    pub spreads: Vec<f64>,
    /// R_x: longer records of whitened features are shortened to it.
    pub feature_radius: f64,
    /// R_y: larger residuals of each outcome, in units of its spread, are clipped to it.
    pub outcome_radii: Vec<f64>,
    /// Whether a fiftieth of the rows could lie far out unnoticed.
    pub unseen: bool,
}

/// A term whose coded value is (value − centre) / half_width.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CodedTerm {
    /// The column, or `column[level]`.
    pub term: String,
    /// The middle of the column's bounds; 0 for a level.
    pub centre: f64,
    /// Half of their distance; 1 for a level.
    pub half_width: f64,
    /// Whether it is a level of a category.
    pub level: bool,
}

/// Integer units and noise scales, as decimal strings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AdaptiveUnits {
    /// N: the code of 1 in the margins.
    pub level: String,
    /// W: the longest record of round 2.
    pub record: String,
    /// U: one count.
    pub count: String,
    /// B: the longest record of features in the last round.
    pub features: String,
    /// b: the largest code of an outcome there.
    pub outcome: String,
    /// S of each round.
    #[serde(rename = "S")]
    pub scales: [String; 4],
}
