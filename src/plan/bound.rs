//! A checked plan fixed to one table's header: which field of a record is what.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::document::Condition;
use super::expression::{Expression, Leaf, LevelCodes};
use super::number_format::NumberFormat;
use super::public::Whitener;
use crate::model::{Missing, Role, Typical};

/// How a field is read, with its public bounds or levels.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A number; values outside `lower..=upper` are clipped.
    Number {
        /// Smallest value, in the column's own unit.
        lower: f64,
        /// Largest value, in the column's own unit.
        upper: f64,
    },
    /// One of a public list of levels, dummy-coded against a reference.
    Category {
        /// The levels in the plan's order.
        levels: Vec<String>,
        /// Index of the reference level, whose dummies are all 0.
        reference: usize,
        /// Index of the level `other`, if the plan lists it: values outside the list go there instead of missing.
        other: Option<usize>,
    },
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// A field of a record, counted from 0.
    Field(usize),
    /// A number that is computed from fields of a record.
    Computed(Arc<Expression>),
    /// A category of a field, of which some levels are one.
    Merged(Arc<LevelCodes>),
}

impl Source {
    /// Returns the field, if the value is a cell itself.
    pub fn field(&self) -> Option<usize> {
        match self {
            Self::Field(field) => Some(*field),
            Self::Computed(_) | Self::Merged(_) => None,
        }
    }

    /// Returns it without bounds of its own, if it is a difference.
    pub fn difference(&self) -> Option<Expression> {
        let Self::Computed(expression) = self else { return None };
        expression.difference()
    }

    /// Returns all fields that the value comes from.
    pub fn fields(&self) -> Vec<usize> {
        match self {
            Self::Field(field) => vec![*field],
            Self::Computed(expression) => expression.leaves().into_iter().map(Leaf::column).collect(),
            Self::Merged(codes) => vec![codes.column],
        }
    }
}

/// One column of the plan, found in the header.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundColumn {
    /// The column's name in the header, without a BOM and outer spaces, or that of a derived term.
    pub name: String,
    /// Where its value comes from.
    pub source: Source,
    /// Feature or outcome.
    pub role: Role,
    /// Number or category.
    pub kind: Kind,
    /// What is known of a number from elsewhere, for forecasts.
    pub typical: Option<Typical>,
    /// The share of the rows that has each level of a category, as far as it is known from elsewhere, for forecasts.
    pub shares: Option<Vec<f64>>,
}

impl BoundColumn {
    /// Returns the share of the rows that is expected to have a level: equally frequent ones, where nothing is known.
    pub fn share(&self, level: usize) -> f64 {
        let known = self.shares.as_ref().and_then(|shares| shares.get(level).copied());
        known.unwrap_or_else(|| match &self.kind {
            Kind::Category { levels, .. } => 1.0 / levels.len().max(1) as f64,
            Kind::Number { .. } => 1.0,
        })
    }
}

/// A condition on one field, or on the difference of two, that a record meets to count.
#[derive(Clone, Debug, PartialEq)]
pub enum BoundCondition {
    /// A number from `lower` to `upper`.
    Range {
        /// The field, counted from 0.
        field: usize,
        /// The smallest number.
        lower: f64,
        /// The largest number.
        upper: f64,
    },
    /// A difference from `lower` to `upper`, of the numbers as they are written.
    Difference {
        /// The difference.
        of: Expression,
        /// The smallest one.
        lower: f64,
        /// The largest one.
        upper: f64,
    },
    /// One of these levels.
    Levels(LevelCodes),
}

impl BoundCondition {
    /// Returns a condition on a field.
    pub fn of(condition: &Condition, field: usize) -> Self {
        match &condition.levels {
            Some(levels) => Self::Levels(LevelCodes::of(field, levels, None)),
            None => {
                let (lower, upper) = range(condition);
                Self::Range { field, lower, upper }
            }
        }
    }

    /// Returns a condition on a difference of fields.
    pub fn of_difference(condition: &Condition, of: Expression) -> Self {
        let (lower, upper) = range(condition);
        Self::Difference { of, lower, upper }
    }

    /// Returns the fields that it reads.
    pub fn fields(&self) -> Vec<usize> {
        match self {
            Self::Range { field, .. } => vec![*field],
            Self::Difference { of, .. } => of.leaves().into_iter().map(Leaf::column).collect(),
            Self::Levels(codes) => vec![codes.column],
        }
    }
}

fn range(condition: &Condition) -> (f64, f64) {
    (condition.lower.unwrap_or(f64::NEG_INFINITY), condition.upper.unwrap_or(f64::INFINITY))
}

/// The column that identifies a person, and how many of a person's rows count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonColumn {
    /// The column's name.
    pub name: String,
    /// Its field in a record, counted from 0.
    pub field: usize,
    /// Rows kept per person, in the file's order.
    pub max_rows: u32,
}

/// How one field is read that differs from the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldRules {
    /// How its numbers are written.
    pub numbers: NumberFormat,
    /// Cells that count as missing in it, beside those of the table.
    pub na: Vec<String>,
}

/// What ends a field, how numbers are written and what means missing: public, never guessed from the records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvRules {
    /// `,` `;` tab or `|`; already resolved against the header line.
    pub delimiter: u8,
    /// How numbers are written.
    pub numbers: NumberFormat,
    /// The fields that are read in a way of their own.
    pub by_field: Vec<(usize, FieldRules)>,
    /// How bytes become text.
    pub encoding: Encoding,
    /// Cells that count as missing.
    pub na: Vec<String>,
}

impl CsvRules {
    /// Returns what a field has of its own, or what the table says of all.
    pub fn rules_of(&self, field: usize) -> FieldRules {
        let own = self.by_field.iter().find(|(of, _)| *of == field);
        own.map_or_else(|| FieldRules { numbers: self.numbers, na: Vec::new() }, |(_, rules)| rules.clone())
    }

    /// Returns whether a cell without spaces around it counts as missing.
    pub fn is_missing(&self, cell: &str) -> bool {
        cell.is_empty() || self.na.iter().any(|mark| mark.trim() == cell)
    }

    /// Returns these rules for one field alone.
    pub fn of_field(&self, field: usize) -> Self {
        let FieldRules { numbers, na } = self.rules_of(field);
        let na = self.na.iter().cloned().chain(na).collect();
        Self { numbers, na, by_field: Vec::new(), ..self.clone() }
    }
}

/// The character encodings that a table may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Encoding {
    /// UTF-8; a byte sequence that is not UTF-8 stops the run.
    Utf8,
    /// ISO 8859-1: every byte is a character.
    Latin1,
}

/// How a record becomes integers (theory/encoding 2.2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridParams {
    /// R, the largest norm of an integer record, constant included; a power of two.
    pub radius: u32,
    /// c / W; 0 drops the constant from the moments.
    pub intercept_weight: f64,
    /// What is bounded: the record, or each of its sides.
    pub norms: Norms,
}

/// Which part of a record has a bounded norm, and which share of the largest possible norm is kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Norms {
    /// The record as a whole, which is shortened as a whole.
    Record {
        /// u, the share of the squared norm that the features have.
        feature_share: f64,
        /// Longest record kept, as a share of the longest that the bounds allow.
        row_norm: f64,
    },
    /// Features with the constant on one side, outcomes on the other (theory/many-outcomes 1.2).
    Sides(Sides),
    /// No bound: a row is the numbers themselves, each as the two halves of the bits of its double, high first, and NaN if it is
    /// missing (theory/estimated-bounds 1.2). The statistic counts each number in one cell.
    Doubles,
}

/// The two sides of a record, each with a bound of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sides {
    /// B_y² / B_x², the squared norm that the outcomes may have for that of the features with the constant, in codes.
    pub ratio: f64,
    /// Longest features kept, as a share of the longest that the bounds allow.
    pub feature_norm: f64,
    /// Longest outcomes kept, as a share of the longest that the bounds allow.
    pub outcome_norm: f64,
    /// How a long record is shortened.
    pub clipping: Clipping,
}

/// How a record is shortened whose features or outcomes are too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clipping {
    /// As a whole, constant included, so that a linear relation in it stays: for full protection alone.
    Together,
    /// Each side by itself: where one side is public, the other must not show in it (theory/many-outcomes 1.2).
    Apart,
    /// Each side by itself, though both are private, as a paper prints it: a linear relation in a long record does not stay
    /// (theory/public-moments 1.4).
    Unlinked,
    /// The features with the constant as one, and each outcome by as much; its bound is then that of one outcome.
    EachOutcome,
}

/// How the levels of a category become numbers (theory/encoding 2.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Levels {
    /// A level's indicator is 0 or 1, around 0.
    #[default]
    ZeroOne,
    /// All levels are equally far from the centre, where records carry a constant: two levels are −1 and 1, several the corners of a
    /// simplex ([`crate::model::Contrast`]).
    Centred,
}

impl Levels {
    /// Returns the centre of the indicators of a category of `levels` levels, and what their distance from it is divided by: no record
    /// is then longer than 1.
    pub fn units(self, levels: usize) -> (f64, f64) {
        match self {
            Self::Centred if levels == 2 => (0.5, 0.5),
            Self::Centred | Self::ZeroOne => (0.0, 1.0),
        }
    }
}

/// A public linear map that features are put through before they are bounded (theory/public-moments 1.2).
#[derive(Clone, Debug, PartialEq)]
pub struct Whitening {
    /// M^(-1/2), row by row, of d rows and columns: those of the constant, if there is one, and of the features' terms in their own
    /// units.
    pub matrix: Vec<f64>,
    /// Whether the first column is the constant's.
    pub constant: bool,
    /// R_x, the longest features kept after the map.
    pub radius: f64,
}

/// Everything that reading and encoding a table's records needs.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundPlan {
    /// Features in the plan's order, then outcomes in the plan's order.
    pub columns: Vec<BoundColumn>,
    /// The person column, if the plan names one.
    pub person: Option<PersonColumn>,
    /// What a record meets to count.
    pub only: Vec<BoundCondition>,
    /// The rule for missing cells.
    pub missing: Missing,
    /// Fields in the header, and so in every record.
    pub fields: usize,
    /// The dialect.
    pub csv: CsvRules,
    /// The grid.
    pub grid: GridParams,
    /// How the levels of categories become numbers.
    pub levels: Levels,
    /// Whether a row carries a guard digit for each code. A demonstration without noise has them, so that it equals
    /// least squares to more digits than the grid has; a release never does.
    pub guard: bool,
    /// What is publicly known of the terms, for a mechanism with public moments.
    pub public: Option<Arc<Whitener>>,
    /// The map of the features, for a mechanism that bounds them by public moments; the outcomes then have a bound of their own.
    pub whitening: Option<Whitening>,
    /// Whether outcomes are labels: 0 and 1 become −1 and 1, times what the record was shortened by, and any other number is
    /// missing.
    pub labels: bool,
    /// The correlation that forecasts assume between two numbers among the features, where the plan states one.
    pub typical_correlation: Option<f64>,
}

impl BoundPlan {
    /// Returns the largest number of leading feature columns, fewer than all, with which alone the plan `fits`, by bisection: what fits
    /// with some columns also fits with fewer.
    pub fn most_features(&self, fits: impl Fn(Self) -> bool) -> usize {
        let is_feature = |column: &BoundColumn| column.role == Role::Feature;
        let (mut good, mut bad) = (0, self.columns.iter().filter(|column| is_feature(column)).count());
        while bad - good > 1 {
            let middle = good.midpoint(bad);
            let mut smaller = self.clone();
            let mut left = middle;
            smaller.columns.retain(|column| {
                let kept = !is_feature(column) || left > 0;
                left -= usize::from(kept && is_feature(column));
                kept
            });
            if fits(smaller) {
                good = middle;
            } else {
                bad = middle;
            }
        }
        good
    }

    /// Returns the centre of the indicators of a category of a role, and what their distance from it is divided by.
    ///
    /// Labels are −1 and 1. Whitened features are measured as the public moments are, and records without a constant from 0, where the
    /// reference level is.
    pub fn level_units(&self, role: Role, levels: usize) -> (f64, f64) {
        if self.labels && role == Role::Outcome { (0.5, 0.5) } else { self.coding(role).units(levels) }
    }

    /// Returns whether the levels of a category of a role are the corners of a simplex.
    pub fn has_contrast(&self, role: Role, levels: usize) -> bool {
        levels > 2 && self.coding(role) == Levels::Centred
    }

    fn coding(&self, role: Role) -> Levels {
        let whitened = self.whitening.is_some() && role == Role::Feature;
        if whitened || self.grid.intercept_weight <= 0.0 { Levels::ZeroOne } else { self.levels }
    }
}
