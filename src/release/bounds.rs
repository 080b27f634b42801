//! The bounds that a part of the budget has found, with the noisy counts that they follow from (theory/estimated-bounds).

use serde::{Deserialize, Serialize};

use super::paid::LedgerReference;

/// The released counts of all columns whose bounds were estimated, and what they say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EstimatedBounds {
    /// The share of μ² that was set aside.
    pub share: f64,
    /// What was charged, in units of 2^-40 of μ².
    pub charge: String,
    /// The entry that paid; `null` for a demonstration.
    pub ledger: Option<LedgerReference>,
    /// U, the integer that a record adds to its cell.
    pub unit: String,
    /// S, the scale of the discrete Gaussian noise of each round.
    pub noise: [String; 2],
    /// The columns, in the order of their bounds in the plan.
    pub columns: Vec<EstimatedColumn>,
}

/// What was found of one column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EstimatedColumn {
    /// The column's name.
    pub column: String,
    /// Whether a range was found, and how.
    pub state: State,
    /// The lower bound as it is used; `null` where none was found.
    pub lower: Option<f64>,
    /// The upper bound as it is used; `null` where none was found.
    pub upper: Option<f64>,
    /// The cells of the second round.
    pub layout: CellLayout,
    /// Noisy integers of the first round: 104 negative octaves by exponent, from 2^-40 to 2^63, zero, 104 positive octaves.
    pub first: Vec<String>,
    /// Noisy integers of the second round. In the octaves' layout the last 49 are noise alone.
    pub second: Vec<String>,
}

/// Whether the counts of a column show a range, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// A range whose ends are powers of two.
    Octaves,
    /// A range of cells of equal width.
    Fine,
    /// One octave or two neighbours with a wide margin.
    Coarse,
    /// Zeros alone, as far as can be seen.
    Zero,
    /// Nothing above the noise.
    NotFound,
}

/// The cells of the second round.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum CellLayout {
    /// The octaves again.
    Octaves,
    /// 256 cells of equal width between two open ones.
    Narrow {
        /// Where the first of them begins.
        from: f64,
        /// The width of each.
        step: f64,
    },
}

impl State {
    /// Returns whether a range was found.
    pub const fn is_found(self) -> bool {
        matches!(self, Self::Octaves | Self::Fine | Self::Coarse)
    }
}

impl EstimatedColumn {
    /// Returns the range, if one was found.
    pub fn range(&self) -> Option<(f64, f64)> {
        self.lower.zip(self.upper)
    }
}

impl EstimatedBounds {
    /// Returns about how many rows may lie unseen beyond each end of a range: eight standard deviations of a count's noise, where the counts
    /// of both rounds are averaged by precision (theory/estimated-bounds 4.1).
    pub fn unseen_rows(&self) -> f64 {
        let number = |text: &String| text.parse::<f64>().unwrap_or(f64::NAN);
        let unit = number(&self.unit);
        let [first, second] = self.noise.each_ref().map(|scale| number(scale) / unit);
        8.0 * first * second / first.hypot(second)
    }

    /// Returns the columns without a range.
    pub fn missing(&self) -> impl Iterator<Item = &EstimatedColumn> {
        self.columns.iter().filter(|column| column.range().is_none())
    }
}
