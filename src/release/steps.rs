//! The noisy integers of Newton steps in coordinates that earlier rounds gave, in their written form.

use serde::{Deserialize, Serialize};

use super::moments::{CodedTerm, Decimals};

/// Every noisy integer of `adaptive-logistic`, and the public numbers that follow from them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogisticSteps {
    /// The coded terms: features, then labels.
    pub terms: Vec<CodedTerm>,
    /// The integer units and the noise scales.
    pub units: StepUnits,
    /// Round 1, noisy integers: count, sums, sums of squares.
    pub margins: Decimals,
    /// Round 2, noisy integers: the upper triangle of the constant and all terms, row by row.
    pub moments: Decimals,
    /// Round 3, noisy integers: the histogram of the features' length.
    pub tails: Decimals,
    /// Each step, noisy integers: for each label the upper triangle of its curvature, row by row, then its gradient.
    pub steps: Vec<Decimals>,
    /// The means of all terms, in coded units.
    pub mean: Vec<f64>,
    /// A, row by row: whitened features are A times the differences of the coded features from their means.
    pub whitening: Vec<Vec<f64>>,
    /// B, one row for each feature, one column for each label: rough slopes in coded units.
    pub slopes: Vec<Vec<f64>>,
    /// R_x: longer records of whitened features are shortened to it.
    pub feature_radius: f64,
    /// The coefficients of each label in whitened units, the intercept first: before the first step, and after each.
    pub path: Vec<Vec<Vec<f64>>>,
}

/// Integer units and noise scales, as decimal strings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepUnits {
    /// N: the code of 1 in the margins.
    pub level: String,
    /// W: the longest record of round 2.
    pub record: String,
    /// U: one count.
    pub count: String,
    /// B: the longest record of a step.
    pub features: String,
    /// E: the code of an error of 1.
    pub error: String,
    /// m: the bits after the point of a curvature's weight.
    pub bits: u32,
    /// S of each round.
    #[serde(rename = "S")]
    pub scales: Vec<String>,
}
