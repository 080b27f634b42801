//! Released second moments in their written form: integers as decimal strings, in coded units.

use std::fmt;

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::model::{Contrast, NoiseLaw};

/// Released second moments in coded units, as they were drawn: a whole matrix, or blocks of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReleasedMoments {
    /// The terms in the matrix's order: the constant, features, outcomes.
    pub terms: Vec<Term>,
    /// Where features were whitened, by public moments or by earlier rounds: one row for each of their coordinates, by which the
    /// columns in own units with the constant are multiplied. A coordinate, not the column of that name, is then `scale * code`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whitening: Option<Vec<Vec<f64>>>,
    /// Categories of three levels or more, whose levels are equally far from the centre and from each other: the codes of each level. The
    /// terms of such a category are coordinates of these codes; the indicator of a level is an affine function of all of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contrasts: Vec<Contrast>,
    /// The whole symmetric matrix, entries as decimal strings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matrix: Option<Vec<Vec<String>>>,
    /// In its place: features by features, features by outcomes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocks: Option<Blocks>,
    /// The law of the noise; `null` where there is none.
    pub noise: Option<NoiseLaw>,
    /// What earlier rounds gave, where the moments are those of whitened features and clipped residuals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adaptive: Option<AdaptiveRounds>,
}

impl ReleasedMoments {
    /// Returns the coded terms of the adaptive rounds, features before outcomes. Empty for another mechanism.
    pub fn coded_terms(&self) -> &[CodedTerm] {
        self.adaptive.as_ref().map_or(&[], |adaptive| &adaptive.terms)
    }
}

/// One coordinate of a record: its value is `centre + scale * code`, for a level with a contrast the code along its own direction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Term {
    /// `(Intercept)`, a column, or `column[level]`.
    pub term: String,
    /// The value of code 0, in the column's unit.
    pub centre: f64,
    /// The column's unit per code.
    pub scale: f64,
}

/// The parts of a second-moment matrix that one set of features and many outcomes need.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Blocks {
    /// X'X with the constant, the whole symmetric matrix.
    pub xx: Integers,
    /// X'Y: one row for each row of `xx`, one column for each outcome; with a `map` that of the mapped features.
    pub xy: Integers,
    /// The map of public features before their products with the outcomes were summed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub map: Option<FeatureMap>,
    /// The diagonal of Y'Y; `null` where it was not released.
    pub yy_diagonal: Option<Decimals>,
}

/// A public linear map of public features: x becomes `rows` x / 2^`bits`, to the nearest integers. Noise that is alike in every
/// mapped feature is then shaped by the features.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FeatureMap {
    /// Which noise on X'Y that amounts to.
    pub noise: Shaping,
    /// Binary places of the matrix.
    pub bits: u32,
    /// The matrix: lower triangular, with no 0 on its diagonal.
    pub rows: Integers,
}

/// How noise on the products of public features with outcomes is shaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shaping {
    /// Alike in all features: the longest row is stretched to the bound.
    Isotropic,
    /// Alike in all directions of the whitened features.
    Whitened,
}

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
    /// Round 5, where the plan pays for robust standard errors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scores: Option<AdaptiveScores>,
}

/// Products of scores: of a record's residual times its whitened features, with the coefficients of round 4.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AdaptiveScores {
    /// W: the longest score.
    pub record: String,
    /// S.
    #[serde(rename = "S")]
    pub scale: String,
    /// T of each outcome: longer scores are shortened to it.
    pub radii: Vec<f64>,
    /// Whether the scores of all rows of a person were summed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub of_persons: bool,
    /// Noisy integers: for each outcome the upper triangle of the constant and the features, row by row.
    pub products: Decimals,
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

/// A matrix of integers, written row by row as lists of decimal strings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Integers {
    rows: usize,
    cells: Vec<i128>,
}

/// Integers, written as decimal strings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "Vec<Decimal>")]
pub struct Decimals(pub Vec<i128>);

impl From<Vec<Decimal>> for Decimals {
    fn from(cells: Vec<Decimal>) -> Self {
        Self(cells.into_iter().map(|Decimal(cell)| cell).collect())
    }
}

impl Integers {
    /// Creates a matrix of `rows` rows from its cells, row by row; cells that fill no row are left out.
    pub fn new(rows: usize, mut cells: Vec<i128>) -> Self {
        cells.truncate(cells.len() - cells.len().checked_rem(rows).unwrap_or(cells.len()));
        Self { rows, cells }
    }

    /// Returns the number of rows.
    pub const fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of columns.
    pub fn columns(&self) -> usize {
        self.cells.len().checked_div(self.rows).unwrap_or(0)
    }

    /// Returns the cells, row by row.
    pub fn cells(&self) -> &[i128] {
        &self.cells
    }

    /// Returns one cell.
    pub fn get(&self, row: usize, column: usize) -> Option<i128> {
        let within = column < self.columns();
        within.then(|| self.cells.get(row * self.columns() + column).copied()).flatten()
    }
}

impl Serialize for Integers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.cells.chunks(self.columns().max(1)).map(Texts))
    }
}

impl<'de> Deserialize<'de> for Integers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Rows;
        impl<'de> Visitor<'de> for Rows {
            type Value = Integers;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("lists of decimal integers as strings, all of one length")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Integers, A::Error> {
                let mut matrix = Integers::default();
                while let Some(Decimals(row)) = access.next_element()? {
                    if matrix.rows > 0 && matrix.columns() != row.len() {
                        return Err(A::Error::custom("the rows have different lengths"));
                    }
                    matrix.rows += 1;
                    matrix.cells.extend(row);
                }
                Ok(matrix)
            }
        }
        deserializer.deserialize_seq(Rows)
    }
}

impl Serialize for Decimals {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Texts(&self.0).serialize(serializer)
    }
}

/// A row, written as decimal strings.
struct Texts<'a>(&'a [i128]);

impl Serialize for Texts<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|cell| Decimal(*cell)))
    }
}

/// One integer as a decimal string.
struct Decimal(i128);

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = Decimal;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a decimal integer as a string")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Decimal, E> {
                let canonical = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
                let number = text.parse().ok().filter(|_| canonical);
                number.map(Decimal).ok_or_else(|| E::custom("this is no decimal integer"))
            }
        }
        deserializer.deserialize_str(Text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_written_as_they_are_read() {
        let matrix = Integers::new(2, vec![1, -2, i128::MAX, i128::MIN, 0, 7]);
        let text = serde_json::to_string(&matrix).unwrap();
        assert!(text.starts_with(r#"[["1","-2","170141183460469231731687303715884105727"],["-"#), "{text}");
        assert_eq!(serde_json::from_str::<Integers>(&text).unwrap(), matrix);
        assert_eq!((matrix.get(1, 2), matrix.get(1, 3), matrix.get(2, 0)), (Some(7), None, None));
        for bad in [r#"[["1"],["1","2"]]"#, "[[1]]", r#"[["+1"]]"#, r#"[["1.0"]]"#, r#"[[""]]"#, r#"["1"]"#] {
            assert!(serde_json::from_str::<Integers>(bad).is_err(), "{bad}");
        }
        let empty = Integers::new(0, vec![1]);
        assert_eq!(serde_json::to_string(&empty).unwrap(), "[]");
    }
}
