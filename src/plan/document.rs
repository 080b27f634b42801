//! `discreet.plan/1` as it is read and written.
//!
//! Every field that has a default is optional here; [`super::check`] fills it in.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::error::{PlanError, list_for_object};
use super::number_format::{DateOrder, NumberFormat, Thousands};
use crate::model::{Missing, Role, Typical};
use crate::privacy::adjacency::{Adjacency, Protect};
use crate::text::json::{self, read, schema};
use crate::text::{hexadecimal, one_line};
use crate::words;

/// The name and version that every plan carries.
pub const SCHEMA: &str = "discreet.plan/1";

/// One analysis: what to compute, on which columns, for how much privacy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// Which tables are neighbours.
    pub adjacency: Adjacency,
    /// The public number of rows (of persons, with `person`); `replace-one` alone has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
    /// A public guess of the number of rows; `add-remove` alone has it, and it is never compared with the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stated_rows: Option<u64>,
    /// Which part of a person's data the guarantee covers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protect: Option<Protect>,
    /// The column that identifies a person; without one each row is a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    /// Rows of one person that count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_rows_per_person: Option<u32>,
    /// What the person has confirmed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub confirm: Vec<Confirm>,
    /// The columns with a role; others are ignored.
    pub columns: Vec<Column>,
    /// Terms that are computed from columns of the same record, as further columns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub derived: Vec<Derived>,
    /// Which rows count: those that meet all of these conditions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<Condition>,
    /// Whether the regressions have a constant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intercept: Option<bool>,
    /// What happens to a record with a missing cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<Missing>,
    /// The table's dialect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub csv: Option<Csv>,
    /// The mechanism that computes the release.
    pub mechanism: Mechanism,
    /// How much privacy it may cost.
    pub budget: BudgetForm,
    /// Level of the intervals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// The share of the budget, of μ², that estimating bounds costs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate_share: Option<f64>,
    /// The correlation that forecasts assume between any two numbers among the features: from the literature, never from the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub typical_correlation: Option<f64>,
}

/// A statement that only the person can make.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Confirm {
    /// A mechanism whose proof assumes real-number arithmetic may run.
    Idealised,
    /// Only the labels are protected.
    ProtectLabels,
    /// Only the features are protected.
    ProtectFeatures,
    /// Bounds may be estimated although the stated number of rows is so small that they may not be found.
    UncertainBounds,
    /// The plan identifies persons in another way than an earlier release of the ledger, and they are the same persons.
    OtherPersons,
}

/// The description of one column.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// The header's name, matched exactly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// In place of `name`: all columns that fit, `*` standing for any characters.
    #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// Feature, outcome or ignored.
    pub role: Role,
    /// Number or category; an ignored column needs none.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<ColumnType>,
    /// A number's public lower bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lower: Option<Bound>,
    /// A number's public upper bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upper: Option<Bound>,
    /// Whether a number is always whole, so that estimated bounds are rounded outwards, and an outcome with the bounds 0 and 1 is yes or
    /// no.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub integer: Option<bool>,
    /// What is known of a column from elsewhere. Forecasts use it and nothing else does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub typical: Option<TypicalValues>,
    /// How a number is written in this column, in place of what the table's dialect says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<Written>,
    /// Cells that count as missing in this column, beside those of the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub na: Option<Vec<String>>,
    /// A category's public levels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub levels: Option<Vec<String>>,
    /// The level whose dummies are all 0; the first, unless named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// What levels of a category mean, for a reader: of a code its words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<BTreeMap<String, String>>,
    /// The unit of a number, as free text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// What it is called for a reader, such as by a codebook.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Free text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Column {
    /// Returns the share of the rows that is known to have each of its levels, in their order.
    pub fn level_shares(&self) -> Option<Vec<f64>> {
        let levels = self.levels.as_ref()?;
        let reference = self.reference_level().and_then(|name| levels.iter().position(|level| level == name));
        self.typical.as_ref()?.shares(levels, reference.unwrap_or(0)).ok()
    }

    /// Returns what a level is called for a reader: its label, or else itself, and where it stands for empty cells a word for them.
    pub fn level_name<'a>(&'a self, level: &'a str) -> &'a str {
        let own = if level.is_empty() { words::columns::blank() } else { level };
        self.labels.as_ref().and_then(|labels| labels.get(level)).map_or(own, String::as_str)
    }

    /// Returns the level that the others are compared with: the stated one, or the first.
    pub fn reference_level(&self) -> Option<&String> {
        self.reference.as_ref().or_else(|| self.levels.as_ref()?.first())
    }

    /// Returns the column without what does not change the question: descriptions, and for an outcome which of its two levels is
    /// the reference. The reference only changes the sign of coefficients.
    fn either_way(&self) -> Self {
        let mut column =
            Self { typical: None, labels: None, unit: None, label: None, note: None, ..self.clone() };
        if column.role == Role::Outcome
            && let Some(levels) = column.levels.as_mut().filter(|levels| levels.len() == 2)
        {
            levels.sort();
            column.reference = None;
        }
        column
    }
}

/// What is publicly known of a column's values: in other people, or from the literature.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TypicalValues {
    /// Mean of a number, in its unit; the middle of the bounds unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    /// Standard deviation of a number, in its unit, above 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sd: Option<f64>,
    /// Of a category of two levels the share of the rows, above 0 and below 1, that have the one that is not the reference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// Of a category the shares of the rows, each above 0 and below 1, that have these levels; what they leave over is divided evenly among
    /// the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shares: Option<BTreeMap<String, f64>>,
}

/// How far shares of all levels may be from 1 together: they are rounded.
const ROUNDED: f64 = 0.02;

impl TypicalValues {
    /// Returns mean and standard deviation of a number. `None` if the spread is not known.
    pub fn typical(&self) -> Option<Typical> {
        self.sd.map(|sd| Typical { mean: self.mean, sd })
    }

    /// Returns the share of the rows that has each of these levels.
    ///
    /// # Errors
    /// Why what is stated fits no category with them.
    pub fn shares(&self, levels: &[String], reference: usize) -> Result<Vec<f64>, ShareFault> {
        let stated = match (self.share, &self.shares) {
            (Some(share), None) => match levels.get(1 - reference.min(1)).filter(|_| levels.len() == 2) {
                Some(other) => BTreeMap::from([(other.clone(), share)]),
                None => return Err(ShareFault::Form),
            },
            (None, Some(shares)) if !shares.is_empty() => shares.clone(),
            _ => return Err(ShareFault::Form),
        };
        if let Some(level) = stated.keys().find(|level| !levels.contains(level)) {
            return Err(ShareFault::Unknown(level.clone()));
        }
        if let Some(share) = stated.values().find(|share| !(**share > 0.0 && **share < 1.0)) {
            return Err(ShareFault::Range(*share));
        }
        let sum = stated.values().sum::<f64>();
        let unnamed = (levels.len() - stated.len()) as f64;
        let (rest, whole) = if unnamed > 0.0 { ((1.0 - sum) / unnamed, 1.0) } else { (0.0, sum) };
        let fits = if unnamed > 0.0 { rest > 0.0 } else { (sum - 1.0).abs() <= ROUNDED };
        let share = |level| stated.get(level).map_or(rest, |share| share / whole);
        if fits { Ok(levels.iter().map(share).collect()) } else { Err(ShareFault::Sum(sum)) }
    }
}

/// Why stated shares fit no category with its levels.
#[derive(Clone, Debug, PartialEq)]
pub enum ShareFault {
    /// Of levels one has a share that is none of them.
    Unknown(String),
    /// A share is no number between 0 and 1.
    Range(f64),
    /// They do not add up.
    Sum(f64),
    /// Neither `share` of two levels nor `shares` alone is given.
    Form,
}

/// A public condition on one cell of a record, or on the difference of two: a number in a range, both ends included, or one of some levels
/// (theory/encoding 2.9).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// The column's name in the header, or that of a difference.
    pub column: String,
    /// The smallest number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lower: Option<f64>,
    /// The largest number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upper: Option<f64>,
    /// In place of a range: the levels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub levels: Option<Vec<String>>,
}

/// A public function of a record's own values, as one or several further columns (theory/encoding 2.8).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Derived {
    /// Its name in the release; from the transform unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Feature, unless given, or outcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// The function.
    pub transform: Transform,
    /// The names of columns of the plan, or of terms listed before.
    pub from: Vec<String>,
    /// Of a logarithm: a number that is added first, 0 unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<f64>,
    /// Of a difference: what it is multiplied by, 1 unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub factor: Option<f64>,
    /// Of a difference: its own smallest value, beyond which it is clipped. It has both bounds or none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lower: Option<f64>,
    /// Of a difference: its own largest value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upper: Option<f64>,
    /// Of a difference with bounds of its own: what is known of its values, for forecasts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub typical: Option<TypicalValues>,
    /// Of a difference: its unit; that of its columns unless given, where it has no factor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Of a centred number: what is subtracted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<f64>,
    /// Of a spline: its knots, in increasing order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub knots: Option<Vec<f64>>,
    /// Of merged levels: which are one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<Vec<Group>>,
    /// Of merged levels: the one that the others are compared with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
}

impl Derived {
    /// Returns it without what changes no number of a release.
    fn bare(&self) -> Self {
        Self { typical: None, unit: None, ..self.clone() }
    }
}

/// Levels that count as one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// Their name together.
    pub name: String,
    /// The levels.
    pub levels: Vec<String>,
}

/// A public function of a record's own values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Transform {
    /// The natural logarithm of a number.
    #[default]
    Log,
    /// The square of a number.
    Square,
    /// The product of numbers and of the dummies of categories.
    Product,
    /// A number less another one of the same row, or a multiple of it.
    Difference,
    /// A number less a public one.
    Centred,
    /// A restricted cubic spline of a number, without its linear part.
    Spline,
    /// A category of which some levels are one.
    Merged,
}

impl Transform {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Log, Self::Square, Self::Product, Self::Difference, Self::Centred, Self::Spline, Self::Merged];

    /// Returns its name in a plan.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Log => "log",
            Self::Square => "square",
            Self::Difference => "difference",
            Self::Product => "product",
            Self::Centred => "centred",
            Self::Spline => "spline",
            Self::Merged => "merged",
        }
    }
}

/// A bound of a number, which a person states or leaves to be estimated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// From domain knowledge.
    Stated(f64),
    /// A part of the budget finds it (theory/estimated-bounds).
    Estimate,
}

/// How a plan writes [`Bound::Estimate`].
const ESTIMATE: &str = "estimate";

impl Bound {
    /// Returns the number, if it is stated.
    pub const fn stated(self) -> Option<f64> {
        match self {
            Self::Stated(bound) => Some(bound),
            Self::Estimate => None,
        }
    }
}

impl From<f64> for Bound {
    fn from(bound: f64) -> Self {
        Self::Stated(bound)
    }
}

impl Serialize for Bound {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Stated(bound) => serializer.serialize_f64(*bound),
            Self::Estimate => serializer.serialize_str(ESTIMATE),
        }
    }
}

impl<'de> Deserialize<'de> for Bound {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl Visitor<'_> for Either {
            type Value = Bound;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a number, or \"estimate\"")
            }

            fn visit_f64<E: serde::de::Error>(self, bound: f64) -> Result<Bound, E> {
                Ok(Bound::Stated(bound))
            }

            fn visit_i64<E: serde::de::Error>(self, bound: i64) -> Result<Bound, E> {
                Ok(Bound::Stated(bound as f64))
            }

            fn visit_u64<E: serde::de::Error>(self, bound: u64) -> Result<Bound, E> {
                Ok(Bound::Stated(bound as f64))
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Bound, E> {
                if text == ESTIMATE {
                    Ok(Bound::Estimate)
                } else {
                    Err(E::invalid_value(serde::de::Unexpected::Str(text), &self))
                }
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// How a column's cells are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnType {
    /// A number with public bounds.
    Number,
    /// One of a public list of levels.
    Category,
}

/// The dialect of the table: public, never guessed from the records.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Csv {
    /// `,` `;` tab or `|`; unset, the header line decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<String>,
    /// `.` or `,`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decimal: Option<String>,
    /// What separates thousands: `,` `.` a space or `'`. `None` unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thousands: Option<Thousands>,
    /// Whether a percent sign after a number is its unit, so that `12 %` is 12; such a cell is missing unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percent: Option<bool>,
    /// `utf-8` or `latin-1`; a byte order mark of UTF-8 decides before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// Cells that count as missing, in place of the usual ones: empty cells, `NA`, `N/A`, `NaN`, `null` and `.`. A code beside these stands in `na`
    /// of its column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub na: Option<Vec<String>>,
    /// The line that is the header, from 1; 0: there is none, and the columns are V1, V2, ….
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<u32>,
}

impl Csv {
    /// Returns the dialect for a sheet of a workbook, without encoding and decimal marks, which a sheet does not have.
    #[must_use]
    pub fn of_workbook(self) -> Self {
        Self { na: self.na, header: self.header, ..Self::default() }
    }
}

/// How numbers of one column are written. A field that is left out has its usual value, whatever the dialect of the table says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Written {
    /// `.` or `,`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decimal: Option<String>,
    /// What separates thousands: `,` `.` a space or `'`. `None` unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thousands: Option<Thousands>,
    /// Whether a percent sign after a number is its unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percent: Option<bool>,
    /// The order of day, month and year, where cells are dates. They count as years: `2019-07-02` is 2019.4986.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<DateOrder>,
}

impl From<NumberFormat> for Written {
    fn from(NumberFormat { decimal, thousands, percent, date }: NumberFormat) -> Self {
        let decimal = (decimal != b'.').then(|| char::from(decimal).to_string());
        Self { decimal, thousands, percent: percent.then_some(true), date }
    }
}

/// A mechanism by its name, with its parameters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mechanism {
    /// One of the names that `discreet mechs` lists.
    pub name: String,
    /// The mechanism's own parameters; those left out have documented public defaults.
    #[serde(default, skip_serializing_if = "Map::is_empty", deserialize_with = "unique_keys")]
    pub params: Map<String, Value>,
    /// Whose noise scale is used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<Calibration>,
}

/// Whose noise scale is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Calibration {
    /// The smallest that is proved to be enough.
    #[default]
    Exact,
    /// The paper's own, for comparison.
    Paper,
}

/// The budget as written; exactly one of its forms is complete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BudgetForm {
    /// ε of the (ε, δ) form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epsilon: Option<f64>,
    /// δ; beside `rho` or `mu` it says where the release quotes ε.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delta: Option<f64>,
    /// ρ of zero-concentrated differential privacy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rho: Option<f64>,
    /// μ of Gaussian differential privacy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mu: Option<f64>,
    /// `true`: no noise at all; `simulate` alone accepts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub none: Option<bool>,
}

impl Column {
    /// Returns both bounds, if they are stated.
    pub fn stated_bounds(&self) -> Option<(f64, f64)> {
        self.lower.and_then(Bound::stated).zip(self.upper.and_then(Bound::stated))
    }

    /// Returns whether a bound of it is to be estimated.
    pub fn is_estimated(&self) -> bool {
        self.role != Role::Ignored && [self.lower, self.upper].contains(&Some(Bound::Estimate))
    }

    /// Returns whether it is declared as yes or no: a category of two levels, or whole numbers with the stated bounds 0 and 1. A number
    /// from 0 to 1 that is not declared whole may be a share.
    pub fn is_yes_or_no(&self) -> bool {
        match self.kind {
            Some(ColumnType::Category) => self.levels.as_ref().is_some_and(|levels| levels.len() == 2),
            Some(ColumnType::Number) => {
                self.integer == Some(true) && self.stated_bounds() == Some((0.0, 1.0))
            }
            None => false,
        }
    }
}

impl Plan {
    /// Returns the column of this name. `None` for a pattern, and for a column that the plan derives.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name.as_deref() == Some(name))
    }

    /// Returns the level of the intervals, between 0 and 1.
    pub fn interval_level(&self) -> f64 {
        self.confidence.unwrap_or(0.95)
    }

    /// Returns whether another plan has the same outcome, features and rows; budget and mechanism may differ.
    pub fn asks_the_same(&self, other: &Self) -> bool {
        self.question() == other.question()
    }

    /// Returns the SHA-256 of its outcome, features and rows: that of each plan that [asks the same](Self::asks_the_same). `None` if they
    /// cannot be written.
    pub fn question_hash(&self) -> Option<String> {
        let text = json::to_text(&self.question(), false).ok()?;
        Some(hexadecimal(&Sha256::digest(text)))
    }

    /// Returns its outcome, features and rows, without what changes no number of a release.
    fn question(&self) -> impl PartialEq + Serialize {
        let rows = (&self.only, &self.person, self.max_rows_per_person, self.missing);
        let derived: Vec<Derived> = self.derived.iter().map(Derived::bare).collect();
        let columns: Vec<Column> = self.columns.iter().map(Column::either_way).collect();
        (columns, derived, self.intercept, rows)
    }

    /// Returns whether every row counts whatever its cells are.
    pub fn takes_every_row(&self) -> bool {
        self.missing == Some(Missing::Midpoint) && self.person.is_none() && self.only.is_empty()
    }

    /// Returns the derived terms with a role.
    pub fn derived_with(&self, role: Role) -> impl Iterator<Item = &Derived> {
        self.derived.iter().filter(move |entry| entry.role.unwrap_or(Role::Feature) == role)
    }

    /// Returns whether a bound of one of its columns is to be estimated.
    pub fn estimates(&self) -> bool {
        self.columns.iter().any(Column::is_estimated)
    }

    /// Reads a plan.
    ///
    /// # Errors
    /// [`PlanError`] with the path inside the document when it is no JSON, has an unknown, doubled or missing field, or
    /// another schema.
    pub fn parse(text: &str) -> Result<Self, PlanError> {
        if let Some(other) = schema(text).filter(|schema| schema != SCHEMA) {
            let what = words::plan::other_document(one_line(&other), SCHEMA);
            return Err(PlanError::at("schema", what, words::plan::other_document_advice()));
        }
        let plan: Self = read(text).map_err(PlanError::document)?;
        let given: Value = read(text).map_err(PlanError::document)?;
        if let Some(path) = list_for_object(&given, &json!(plan)) {
            let path = path.strip_prefix('.').unwrap_or(words::plan::top_level());
            return Err(PlanError::list(path));
        }
        Ok(plan)
    }
}

/// Reads a JSON object and refuses a key that occurs twice.
fn unique_keys<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Map<String, Value>, D::Error> {
    struct Unique;
    impl<'de> Visitor<'de> for Unique {
        type Value = Map<String, Value>;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
            let mut map = Map::new();
            while let Some((key, value)) = access.next_entry::<String, Value>()? {
                if map.contains_key(&key) {
                    return Err(A::Error::custom(format!("duplicate field `{key}`")));
                }
                map.insert(key, value);
            }
            Ok(map)
        }
    }
    deserializer.deserialize_map(Unique)
}
