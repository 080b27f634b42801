//! One record alone to one bounded row of integers (noise-and-accounting, A3).
//!
//! [`Geometry`] is the public map from the columns' units to the integer grid and back; it needs no data. [`Encoder`]
//! applies it. Whatever the floating-point part of the map does, [`within`] decides in integers whether a row may be
//! summed, and the privacy proof uses nothing but that.

use serde::{Deserialize, Serialize};

use super::csv::Record;
use super::number;
use crate::plan::bound::{BoundPlan, GridParams, Kind, Missing, Role};
use crate::privacy::mutants::{Mutant, planted};

/// Bits of a guard digit: what rounding to the grid left of a code, in steps 2⁻²² as long.
pub const GUARD_BITS: u32 = 22;

/// Name of the constant's term.
pub const INTERCEPT: &str = "(Intercept)";

/// One coordinate of a row. For a record that was not shortened, value = centre + scale · code.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Term {
    /// `(Intercept)`, the column's name, or `column[level]`.
    pub name: String,
    /// Index in [`BoundPlan::columns`]; the constant has none.
    pub column: Option<usize>,
    /// Index of the level in the column's list; only a category's dummy has one.
    pub level: Option<usize>,
    /// m, the middle of the column's bounds; 0 for a dummy and for the constant.
    pub centre: f64,
    /// Units of the column in one step of the grid.
    pub scale: f64,
    /// w, the column's weight; 0 for the constant.
    pub weight: f64,
}

/// The grid of a plan: public, known before any data are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Geometry {
    /// c, the constant's code in every row; 0 if there is no constant.
    pub constant: u32,
    /// W, the largest norm of a row without the constant.
    pub radius: u32,
    /// K, the norm that the longest record kept has before it is rounded.
    pub reach: u32,
    /// Longest record kept, in weighted units: `row_norm` times the longest that the bounds allow.
    pub longest: f64,
    /// The terms in the order of a row: the constant if c > 0, features, outcomes.
    pub terms: Vec<Term>,
}

impl Geometry {
    /// The grid of a plan.
    ///
    /// W = ⌊R / √(1 + ω²)⌋ and c = ⌊ω W⌋ with ω = `intercept_weight`, lowered until c² + W² ≤ R² in integers;
    /// K = W − ⌈√p / 2⌉ − 1 with p the number of terms (A3). A feature column's weight is w = √(u / features), an
    /// outcome's √((1 − u) / outcomes), and a code is K w (x − m) / (h τ), with h half the column's width and τ the
    /// longest record kept: so one step is h τ / (w K). Rounding: to nearest; the integer test in [`within`] is what
    /// bounds a row.
    #[must_use]
    pub fn new(plan: &BoundPlan) -> Self {
        let (radius, constant) = radii(&plan.grid);
        let dummies = |kind: &Kind| match kind {
            Kind::Number { .. } => 1,
            Kind::Category { levels, .. } => levels.len().saturating_sub(1),
        };
        let coordinates = plan.columns.iter().map(|column| dummies(&column.kind)).sum::<usize>()
            + usize::from(constant > 0);
        let reach = radius.saturating_sub(rounding_room(coordinates));

        let count = |role: Role| plan.columns.iter().filter(|column| column.role == role).count();
        let (features, outcomes) = (count(Role::Feature), count(Role::Outcome));
        let share = plan.grid.feature_share;
        let weight = |role: Role| match role {
            Role::Feature => (share / small(features)).sqrt(),
            Role::Outcome => ((1.0 - share) / small(outcomes)).sqrt(),
        };
        // With both roles the weights' squares sum to 1 but for rounding, which would make τ inexact for nothing.
        let bound = match (features, outcomes) {
            (0, _) => (1.0 - share).sqrt(),
            (_, 0) => share.sqrt(),
            _ => 1.0,
        };
        let longest = plan.grid.row_norm * bound;

        let mut terms = Vec::with_capacity(coordinates);
        if constant > 0 {
            terms.push(Term {
                name: INTERCEPT.to_owned(),
                column: None,
                level: None,
                centre: 0.0,
                scale: 1.0 / f64::from(constant),
                weight: 0.0,
            });
        }
        for (index, column) in plan.columns.iter().enumerate() {
            let weight = weight(column.role);
            let step = longest / (weight * f64::from(reach));
            let term = |name, level, centre, half_width: f64| Term {
                name,
                column: Some(index),
                level,
                centre,
                scale: half_width * step,
                weight,
            };
            match &column.kind {
                Kind::Number { lower, upper } => {
                    let (centre, half_width) = middle(*lower, *upper);
                    terms.push(term(column.name.clone(), None, centre, half_width));
                }
                Kind::Category { levels, reference, .. } => {
                    for (level, name) in levels.iter().enumerate().filter(|(level, _)| level != reference) {
                        terms.push(term(format!("{}[{name}]", column.name), Some(level), 0.0, 1.0));
                    }
                }
            }
        }
        Self { constant, radius, reach, longest, terms }
    }

    /// Number of integers in a row: one for each term and, with guard digits, one more for each but the constant.
    #[must_use]
    pub fn row_width(&self, guard: bool) -> usize {
        self.terms.len() + if guard { self.terms.len() - self.first() } else { 0 }
    }

    /// Place of the guard digit of a term; the constant has none.
    #[must_use]
    pub fn guard_of(&self, term: usize) -> Option<usize> {
        term.checked_sub(self.first()).map(|place| self.terms.len() + place)
    }

    /// Place of the first term after the constant.
    fn first(&self) -> usize {
        usize::from(self.constant > 0)
    }

    /// c² + W², the largest squared norm of a row: what sensitivities are computed from.
    #[must_use]
    pub fn squared_norm(&self) -> u64 {
        u64::from(self.constant).pow(2) + u64::from(self.radius).pow(2)
    }
}

/// W and c.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "both lie in 0..=R; `as` saturates"
)]
fn radii(grid: &GridParams) -> (u32, u32) {
    let weight = grid.intercept_weight;
    if weight <= 0.0 {
        return (grid.radius, 0);
    }
    let mut radius = (f64::from(grid.radius) / (1.0 + weight * weight).sqrt()).floor() as u32;
    loop {
        let constant = ((weight * f64::from(radius)).floor() as u32).max(1);
        let square = u64::from(constant).pow(2) + u64::from(radius).pow(2);
        if square <= u64::from(grid.radius).pow(2) || radius == 0 {
            return (radius, constant);
        }
        radius -= 1;
    }
}

/// ⌈√p / 2⌉ + 1: rounding moves a row of p coordinates by at most √p / 2, floating point by far less than 1.
fn rounding_room(coordinates: usize) -> u32 {
    let room = coordinates.isqrt();
    // ⌈√p / 2⌉ is the least r with 4 r² ≥ p.
    let half = room.div_ceil(2);
    let half = if half.saturating_mul(half).saturating_mul(4) < coordinates { half + 1 } else { half };
    u32::try_from(half).unwrap_or(u32::MAX).saturating_add(1)
}

/// Middle and half width of the bounds, without overflow.
fn middle(lower: f64, upper: f64) -> (f64, f64) {
    (lower / 2.0 + upper / 2.0, upper / 2.0 - lower / 2.0)
}

fn small(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

/// Whether the squares of the codes sum to at most W². Trusted core: in integers, and a sum that left them would be too
/// long.
#[must_use]
#[deny(clippy::arithmetic_side_effects)]
pub fn within(codes: &[i32], radius: u32) -> bool {
    let sum: u128 = codes.iter().map(|&code| u128::from(code.unsigned_abs()).pow(2)).sum();
    sum <= u128::from(radius).pow(2)
}

/// What became of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoded<'a> {
    /// Its row, in the order of [`Geometry::terms`].
    Row(&'a [i32]),
    /// A cell is missing and the plan says `skip`: it contributes nothing, or a row of zeros, which is the same in a sum.
    Skipped,
}

/// Maps records to rows. It keeps nothing of one record for the next.
#[derive(Clone, Debug)]
pub struct Encoder {
    columns: Vec<Reader>,
    /// Cells that count as missing, without outer white space.
    na: Vec<String>,
    /// Those of them that are numbers: any other is missing for a number without being looked up.
    na_numbers: Vec<String>,
    decimal: u8,
    missing: Missing,
    radius: u32,
    reach: f64,
    longest: f64,
    /// c in the first place, if there is a constant.
    row: Vec<i32>,
    /// Place of the first code after the constant.
    first: usize,
    /// v, the weighted values.
    values: Vec<f64>,
}

/// How one column is read.
#[derive(Clone, Debug)]
struct Reader {
    field: usize,
    weight: f64,
    kind: Cell,
}

#[derive(Clone, Debug)]
enum Cell {
    Number {
        centre: f64,
        half_width: f64,
    },
    Category {
        /// Levels without outer white space, sorted, with the dummy of each; the reference has none.
        levels: Vec<(String, Option<usize>)>,
        /// Where values outside the list go: the dummy of `other`, if the plan lists it.
        other: Option<Option<usize>>,
        dummies: usize,
    },
}

impl Encoder {
    /// An encoder for the records of a plan, on its grid.
    #[must_use]
    pub fn new(plan: &BoundPlan) -> Self {
        let geometry = Geometry::new(plan);
        let weights = |index: usize| {
            geometry.terms.iter().find(|term| term.column == Some(index)).map_or(0.0, |term| term.weight)
        };
        let columns = plan
            .columns
            .iter()
            .enumerate()
            .map(|(index, column)| Reader {
                field: column.field,
                weight: weights(index),
                kind: Cell::new(&column.kind),
            })
            .collect();
        let na: Vec<String> = plan.csv.na.iter().map(|token| token.trim().to_owned()).collect();
        let na_numbers =
            na.iter().filter(|token| number::parse(token, plan.csv.decimal).is_some()).cloned().collect();
        let first = geometry.first();
        let mut row = vec![0; geometry.row_width(plan.guard)];
        if let (Some(place), true) = (row.first_mut(), geometry.constant > 0) {
            *place = i32::try_from(geometry.constant).unwrap_or(0);
        }
        Self {
            columns,
            na,
            na_numbers,
            decimal: plan.csv.decimal,
            missing: plan.missing,
            radius: geometry.radius,
            reach: f64::from(geometry.reach),
            longest: geometry.longest,
            values: vec![0.0; geometry.terms.len() - first],
            row,
            first,
        }
    }

    /// The row of one record.
    pub fn encode(&mut self, record: &Record<'_>) -> Encoded<'_> {
        if !self.read(record) {
            return Encoded::Skipped;
        }
        self.quantise();
        Encoded::Row(&self.row)
    }

    /// Steps 1 and 2: cells to weighted values; false where the record is to be skipped.
    fn read(&mut self, record: &Record<'_>) -> bool {
        let mut place = 0;
        for column in &self.columns {
            let field = record.field(column.field).trim();
            match &column.kind {
                Cell::Number { centre, half_width } => {
                    let number = number::parse(field, self.decimal)
                        .filter(|_| !self.na_numbers.iter().any(|token| token == field));
                    let value = match (number, self.missing) {
                        (Some(number), _) => unit((number - centre) / half_width),
                        (None, Missing::Midpoint) => 0.0,
                        (None, Missing::Skip) => return false,
                    };
                    self.values[place] = column.weight * value;
                    place += 1;
                }
                Cell::Category { levels, other, dummies } => {
                    let known = match levels.binary_search_by(|(level, _)| level.as_str().cmp(field)) {
                        _ if self.na.iter().any(|token| token == field) => None,
                        Ok(index) => Some(levels[index].1),
                        Err(_) => *other,
                    };
                    let dummy = match (known, self.missing) {
                        (Some(dummy), _) => dummy,
                        (None, Missing::Midpoint) => None,
                        (None, Missing::Skip) => return false,
                    };
                    self.values[place..place + dummies].fill(0.0);
                    if let Some(dummy) = dummy {
                        self.values[place + dummy] = column.weight;
                    }
                    place += dummies;
                }
            }
        }
        true
    }

    /// Steps 3 to 5: shorten a long record as a whole, round to the grid, check in integers.
    fn quantise(&mut self) {
        let norm = self.values.iter().map(|value| value * value).sum::<f64>().sqrt();
        let unclipped = planted(Mutant::NoClip) || planted(Mutant::ColumnClampOnly);
        let shorten = if norm > self.longest && !unclipped { self.longest / norm } else { 1.0 };
        let step = shorten * (self.reach / self.longest);
        let (codes, digits) = self.row[self.first..].split_at_mut(self.values.len());
        for (code, value) in codes.iter_mut().zip(&self.values) {
            *code = nearest(value * step);
        }
        let passed = planted(Mutant::NanUnmapped) && norm.is_nan();
        if !within(codes, self.radius) && !unclipped && !passed {
            codes.fill(0);
        }
        let digit = libm::ldexp(1.0, GUARD_BITS.cast_signed());
        for ((digit_of, code), value) in digits.iter_mut().zip(codes).zip(&self.values) {
            *digit_of = nearest((value * step - f64::from(*code)) * digit);
        }
    }
}

impl Cell {
    fn new(kind: &Kind) -> Self {
        match kind {
            Kind::Number { lower, upper } => {
                let (centre, half_width) = middle(*lower, *upper);
                Self::Number { centre, half_width }
            }
            Kind::Category { levels, reference, other } => {
                let dummy = |level: usize| match level.cmp(reference) {
                    std::cmp::Ordering::Less => Some(level),
                    std::cmp::Ordering::Equal => None,
                    std::cmp::Ordering::Greater => Some(level - 1),
                };
                let mut sorted: Vec<_> = levels
                    .iter()
                    .enumerate()
                    .map(|(level, name)| (name.trim().to_owned(), dummy(level)))
                    .collect();
                sorted.sort();
                Self::Category {
                    levels: sorted,
                    other: other.map(dummy),
                    dummies: levels.len().saturating_sub(1),
                }
            }
        }
    }
}

/// Clamps to −1..=1; what is no number becomes 0.
fn unit(value: f64) -> f64 {
    if planted(Mutant::NoClip) {
        value
    } else if value.is_nan() && !planted(Mutant::NanUnmapped) {
        0.0
    } else {
        value.clamp(-1.0, 1.0)
    }
}

/// The nearest integer, ties to even.
#[expect(clippy::cast_possible_truncation, reason = "`as` saturates, and the integer check follows")]
fn nearest(value: f64) -> i32 {
    value.round_ties_even() as i32
}
