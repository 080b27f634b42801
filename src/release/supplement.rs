//! What follows from a release beside its coefficients, at no cost: a description of its columns, and tests of whole categories.
//! `engine::supplement` computes it.

use std::collections::BTreeMap;

use super::significance::CategoryTest;
use crate::model::Estimate;

/// A number with the standard deviation of its privacy noise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noisy {
    /// The number.
    pub value: f64,
    /// The standard deviation of the noise on it, to first order.
    pub std_error: f64,
}

impl Noisy {
    /// Returns whether it is at least so many times the standard deviation of its noise.
    pub fn stands_out(self, times: f64) -> bool {
        self.value >= times * self.std_error
    }
}

/// One term of the table that describes the columns.
#[derive(Clone, Debug, PartialEq)]
pub struct DescribedTerm {
    /// A column, or `column[level]`.
    pub term: String,
    /// The mean in the column's own unit; of a level the share of rows, 0 to 1.
    pub mean: Noisy,
    /// The standard deviation, with n − 1. `None` for a level, and if it does not stand out of the noise.
    pub sd: Option<Noisy>,
    /// The column and the level, where it is one.
    pub level: Option<(String, String)>,
}

/// A variance is shown if it is at least this many standard deviations of its noise. Showing only large variances biases them
/// upwards. At five standard deviations the bias is small, and a variance twice as large as the truth is shown once in ten
/// thousand tables (theory/inference 6.4).
pub const RESOLVED: f64 = 5.0;

/// Where the correlations come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Correlations {
    /// The rows that counted.
    Rows,
    /// Rows of which those far out were shortened.
    ShortenedRows,
}

/// Means, standard deviations and correlations from released sums (theory/inference 6.4).
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    /// The columns and levels, reference levels included.
    pub terms: Vec<DescribedTerm>,
    /// The names of the rows and columns of `correlations`.
    pub correlated: Vec<String>,
    /// Row by row; nothing where the product was not released or does not stand out of the noise.
    pub correlations: Vec<Vec<Option<Noisy>>>,
    /// Of which rows.
    pub source: Correlations,
}

impl Description {
    /// Returns the standard deviation of a column.
    pub fn sd(&self, term: &str) -> Option<Noisy> {
        self.terms.iter().find(|described| described.term == term)?.sd
    }

    /// Returns each known correlation of two different columns: their names, its value and its noise.
    pub fn pairs(&self) -> Vec<(&str, &str, f64, f64)> {
        let mut pairs = Vec::new();
        for (row, (name, cells)) in self.correlated.iter().zip(&self.correlations).enumerate() {
            for (other, cell) in self.correlated.iter().zip(cells).take(row) {
                pairs.extend(cell.map(|known| (name.as_str(), other.as_str(), known.value, known.std_error)));
            }
        }
        pairs
    }
}

/// What each coefficient of a sum is multiplied by, by its term; without those that are multiplied by 0.
pub type Weights = BTreeMap<String, f64>;

/// What a level, or a unit of a number, does at one level or value of another column.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The outcome.
    pub outcome: String,
    /// What changes: a column, or `column[level]`.
    pub term: String,
    /// By what: `F against M`, `per year`.
    pub per: String,
    /// The other column.
    pub column: String,
    /// Its level, or its value with the unit.
    pub level: String,
    /// The difference in the outcome, or in log-odds.
    pub entry: Estimate,
    /// Of which coefficients it is the sum.
    pub weights: Weights,
}

/// The levels of a category compared, of one outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedLevels {
    /// The outcome.
    pub outcome: String,
    /// The category.
    pub column: String,
    /// The numbers that are held, with their values.
    pub held: Vec<(String, f64)>,
    /// The outcome at a level, or its log-odds, with all else held. A level that is withheld is left out.
    pub means: Vec<LevelMean>,
    /// The differences of each two levels, where there are more than two.
    pub pairs: Vec<LevelPair>,
}

/// An outcome at one level of a category.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelMean {
    /// The level.
    pub level: String,
    /// The outcome, or its log-odds.
    pub entry: Estimate,
    /// Of which coefficients it is the sum.
    pub weights: Weights,
}

/// The difference of two levels.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelPair {
    /// The level.
    pub level: String,
    /// The other level.
    pub against: String,
    /// By how much the outcome, or its log-odds, differs.
    pub entry: Estimate,
    /// Of which coefficients it is the sum.
    pub weights: Weights,
}

/// What follows from one release.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Supplement {
    /// Where the mechanism is derived: papers, and sections of `docs/theory`.
    pub source: &'static str,
    /// Whether the coefficients are log-odds.
    pub log_odds: bool,
    /// The columns. `None` if the released sums do not give their means.
    pub description: Option<Description>,
    /// The tests of whole categories and of terms made from columns; empty where the covariance of the coefficients is not known.
    pub categories: Vec<CategoryTest>,
    /// What columns with a product do at the levels or values of the other one; empty where the covariance of the coefficients is not known.
    pub differences: Vec<Difference>,
    /// The levels of categories compared; empty where the covariance of the coefficients is not known.
    pub levels: Vec<ComparedLevels>,
    /// The covariance of the coefficients of the first outcomes, in their order, row by row; empty where it is not known.
    pub covariances: Vec<(String, Vec<Vec<f64>>)>,
    /// The standard deviation of the noise on each outcome's residual standard deviation, as a share of it; empty where it is not known.
    pub residual_noise: Vec<Option<f64>>,
    /// The variance of each outcome that its coefficients explain, in its squared unit; empty where it is not known.
    pub explained: Vec<Option<Noisy>>,
}
