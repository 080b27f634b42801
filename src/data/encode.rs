//! Encodes each record, independently of all others, as a bounded row of integers (theory/encoding 2.2).
//!
//! [`Geometry`] is the public map from the columns' units to the integer grid and back. It needs no data. [`Encoder`] applies
//! it. [`within`] then decides in integers whether a row may be summed. The privacy proof depends on that test alone, not on the
//! floating-point arithmetic before it.

use std::cmp::Ordering;

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use super::cells::{Cells, Usual};
use super::csv::Record;
use crate::math::round::{nearest, real};
use crate::model::{Contrast, INTERCEPT, Missing, Role};
use crate::plan::bound::{
    BoundColumn, BoundPlan, Clipping, GridParams, Kind, Norms, Sides, Source, Whitening,
};
use crate::plan::expression::LevelCodes;
use crate::privacy::mutants::{Mutant, is_active};

/// Bits of a guard digit: the remainder that rounding to the grid leaves of a code, in units of 2⁻²² of a step.
pub const GUARD_BITS: u32 = 22;

/// One coordinate of a row. For a record that was not shortened, value = centre + scale · code; where the levels of a category have a
/// [`Contrast`], the code is that along the level's direction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Term {
    /// `(Intercept)`, the column's name, or `column[level]`.
    pub name: String,
    /// Index in [`BoundPlan::columns`]; the constant has none.
    pub column: Option<usize>,
    /// Index of the level in the column's list; only a category's dummy has one.
    pub level: Option<usize>,
    /// m, the middle of the column's bounds; of a level's indicator the centre of its coding; 0 for the constant.
    pub centre: f64,
    /// Units of the column in one step of the grid.
    pub scale: f64,
    /// w, the column's weight; 0 for the constant.
    pub weight: f64,
}

/// The grid of a plan: public, known before any data are.
#[derive(Clone, Debug, PartialEq)]
pub struct Geometry {
    /// c, the constant's code in a row that is not shortened; 0 if there is no constant.
    pub constant: u32,
    /// W, the largest norm of a row without the constant; of its features without the constant if the outcomes have their own
    /// bound.
    pub radius: u32,
    /// K, the norm of the longest record after clipping and before rounding.
    pub reach: u32,
    /// Norm to which such a record is clipped, in weighted units: a share of the longest that the bounds allow.
    pub longest: f64,
    /// The outcomes' own bound, if they have one.
    pub outcomes: Option<OutcomeSide>,
    /// The terms in the order of a row: the constant if c > 0, features, outcomes.
    pub terms: Vec<Term>,
    /// The codes of categories whose levels are the corners of a simplex, each with the place of its first term.
    pub contrasts: Vec<(usize, Contrast)>,
}

/// A separate bound on a record's outcomes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OutcomeSide {
    /// Place of the first outcome among the terms.
    pub first: usize,
    /// Largest norm of a row's outcomes; of each outcome if each is bounded alone.
    pub radius: u32,
    /// The norm after clipping and before rounding.
    pub reach: u32,
    /// Norm to which they are clipped, in weighted units.
    pub longest: f64,
    /// How a long record is clipped.
    pub clipping: Clipping,
}

impl Geometry {
    /// Returns the grid of a plan.
    ///
    /// For the record as a whole W = ⌊R / √(1 + ω²)⌋ and c = ⌊ω W⌋ with ω = `intercept_weight`, lowered until c² + W² ≤ R² in
    /// integers; K = W − ⌈√p / 2⌉ − 1 with p the number of terms (theory/encoding 2.2). A feature column's weight is w = √(u /
    /// features), an outcome's √((1 − u) / outcomes). A code is K w (x − m) / (h τ), with h half the column's width and τ the
    /// norm to which records are clipped. So one step is h τ / (w K). Rounding: to nearest; the integer test in [`within`] bounds
    /// a row.
    ///
    /// With two sides B_x² (1 + ratio) ≤ R², where B_x² = c² + W² is the features' and B_y = ⌊√ratio B_x⌋ the outcomes'; each
    /// side has its own weights, K and τ, and its weights' squares sum to 1 (theory/many-outcomes 1.2). Features that are whitened
    /// have no weights: τ is R_x, a code is K z / R_x with z a whitened coordinate, and its term has the name of the column to
    /// whose row of the map it belongs.
    pub fn new(plan: &BoundPlan) -> Self {
        match plan.grid.norms {
            Norms::Record { feature_share, row_norm } => Self::whole(plan, feature_share, row_norm),
            Norms::Sides(sides) => Self::sides(plan, &sides),
            Norms::Doubles => Self::doubles(plan),
        }
    }

    /// Returns two terms without a unit for each column.
    fn doubles(plan: &BoundPlan) -> Self {
        let term = |index, name: &str| Term {
            name: name.to_owned(),
            column: Some(index),
            level: None,
            centre: 0.0,
            scale: 1.0,
            weight: 0.0,
        };
        let columns = plan.columns.iter().enumerate();
        let terms =
            columns.flat_map(|(index, column)| [term(index, &column.name), term(index, &column.name)]);
        let terms = terms.collect();
        Self { constant: 0, radius: 0, reach: 0, longest: 1.0, outcomes: None, terms, contrasts: Vec::new() }
    }

    fn whole(plan: &BoundPlan, share: f64, row_norm: f64) -> Self {
        let (radius, constant) = radii(f64::from(plan.grid.radius), &plan.grid);
        let coordinates = coordinates(plan, Role::Feature) + coordinates(plan, Role::Outcome);
        let reach = radius.saturating_sub(rounding_room(coordinates + usize::from(constant > 0)));
        let (features, outcomes) = (columns(plan, Role::Feature), columns(plan, Role::Outcome));
        // With both roles the weights' squares sum to 1 except for rounding errors, which would make τ inexact.
        let bound = match (features, outcomes) {
            (0, _) => (1.0 - share).sqrt(),
            (_, 0) => share.sqrt(),
            _ => 1.0,
        };
        let longest = row_norm * bound;
        let mut terms = Vec::new();
        push_constant(&mut terms, constant);
        let weight = (share / real(features)).sqrt();
        let contrasts = push_terms(&mut terms, plan, Role::Feature, weight, longest, reach);
        push_terms(&mut terms, plan, Role::Outcome, ((1.0 - share) / real(outcomes)).sqrt(), longest, reach);
        Self { constant, radius, reach, longest, outcomes: None, terms, contrasts }
    }

    fn sides(plan: &BoundPlan, sides: &Sides) -> Self {
        let (mut radius, mut constant) =
            radii(f64::from(plan.grid.radius) / (1.0 + sides.ratio).sqrt(), &plan.grid);
        let mut outcome_radius = outcome_radius(constant, radius, sides.ratio);
        let longest_record = u64::from(plan.grid.radius).pow(2);
        while feature_square(constant, radius) + u64::from(outcome_radius).pow(2) > longest_record
            && radius > 0
        {
            radius -= 1;
            constant = constant.min(radius.max(1));
            outcome_radius = self::outcome_radius(constant, radius, sides.ratio);
        }
        let features = feature_codes(plan) + usize::from(constant > 0);
        let reach = radius.saturating_sub(rounding_room(features));
        let (outcome_weight, rounded) = match sides.clipping {
            Clipping::EachOutcome => (1.0, 1),
            Clipping::Together | Clipping::Apart | Clipping::Unlinked => {
                ((1.0 / real(columns(plan, Role::Outcome))).sqrt(), coordinates(plan, Role::Outcome))
            }
        };
        let outcome_reach = outcome_radius.saturating_sub(rounding_room(rounded));
        let mut terms = Vec::new();
        push_constant(&mut terms, constant);
        let (longest, contrasts) = if let Some(whitening) = &plan.whitening {
            push_whitened(&mut terms, plan, whitening, reach);
            (whitening.radius, Vec::new())
        } else {
            let weight = (1.0 / real(columns(plan, Role::Feature))).sqrt();
            let norm = sides.feature_norm;
            (norm, push_terms(&mut terms, plan, Role::Feature, weight, norm, reach))
        };
        let first = terms.len();
        push_terms(&mut terms, plan, Role::Outcome, outcome_weight, sides.outcome_norm, outcome_reach);
        let outcomes = OutcomeSide {
            first,
            radius: outcome_radius,
            reach: outcome_reach,
            longest: sides.outcome_norm,
            clipping: sides.clipping,
        };
        Self { constant, radius, reach, longest, outcomes: Some(outcomes), terms, contrasts }
    }

    /// Returns A with z = A v, d by d: z are the feature codes of a record that was not clipped, the constant's first if there is
    /// one, and v the features in the columns' own units with the constant 1.
    pub fn map(&self, plan: &BoundPlan) -> DMatrix<f64> {
        let d = self.first_outcome(plan);
        if let Some(whitening) = &plan.whitening {
            let codes = f64::from(self.reach) / whitening.radius;
            return DMatrix::from_row_slice(d, d, &whitening.matrix) * codes;
        }
        let mut map = DMatrix::zeros(d, d);
        for (row, term) in self.terms.iter().take(d).enumerate() {
            map[(row, row)] = 1.0 / term.scale;
            if row > 0 && self.constant > 0 {
                map[(row, 0)] = -term.centre / term.scale;
            }
        }
        for (first, contrast) in &self.contrasts {
            let m = contrast.coordinates();
            for coordinate in 0..m {
                let reference = f64::from(contrast.code(m, coordinate));
                map[(first + coordinate, 0)] = reference;
                for level in 0..m {
                    let code = f64::from(contrast.code(level, coordinate));
                    map[(first + coordinate, first + level)] = code - reference;
                }
            }
        }
        map
    }

    /// Returns the number of integers in a row: one for each term and, with guard digits, one more for each but the constant.
    pub fn row_width(&self, guard: bool) -> usize {
        self.terms.len() + if guard { self.terms.len() - self.first() } else { 0 }
    }

    /// Returns the place of the guard digit of a term; the constant has none.
    pub fn guard_of(&self, term: usize) -> Option<usize> {
        term.checked_sub(self.first()).map(|place| self.terms.len() + place)
    }

    /// Returns the place of the first term after the constant.
    fn first(&self) -> usize {
        usize::from(self.constant > 0)
    }

    /// Returns the largest squared norm of a row's features with the constant; of the whole row, c² + W², if the outcomes do not
    /// have their own bound.
    pub fn feature_square(&self) -> u64 {
        feature_square(self.constant, self.radius)
    }

    /// Returns the largest squared norm of a row's outcomes, of each outcome if each is bounded alone, and 0 if they do not have
    /// their own bound.
    pub fn outcome_square(&self) -> u64 {
        self.outcomes.map_or(0, |side| u64::from(side.radius).pow(2))
    }

    /// Returns the largest squared norm of a row, from which sensitivities are computed.
    pub fn squared_norm(&self) -> u64 {
        self.feature_square() + self.outcome_square()
    }

    /// Returns the place of the first outcome among the terms.
    pub fn first_outcome(&self, plan: &BoundPlan) -> usize {
        self.first() + feature_codes(plan)
    }
}

/// Returns the number of codes of a row's features, without the grid's constant. A whitened row has one more if its map has a
/// constant.
fn feature_codes(plan: &BoundPlan) -> usize {
    let constant = plan.whitening.as_ref().is_some_and(|whitening| whitening.constant);
    coordinates(plan, Role::Feature) + usize::from(constant)
}

fn feature_square(constant: u32, radius: u32) -> u64 {
    u64::from(constant).pow(2) + u64::from(radius).pow(2)
}

/// Returns ⌊√(ratio (c² + W²))⌋, at least 1.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "at most 2^49, so exact; `as` saturates, and the integers are checked against R"
)]
fn outcome_radius(constant: u32, radius: u32, ratio: f64) -> u32 {
    ((ratio * feature_square(constant, radius) as f64).sqrt().floor() as u32).max(1)
}

fn columns(plan: &BoundPlan, role: Role) -> usize {
    plan.columns.iter().filter(|column| column.role == role).count()
}

/// Returns the number of terms of the columns of a role.
fn coordinates(plan: &BoundPlan, role: Role) -> usize {
    let of_role = plan.columns.iter().filter(|column| column.role == role);
    of_role
        .map(|column| match &column.kind {
            Kind::Number { .. } => 1,
            Kind::Category { levels, .. } => levels.len().saturating_sub(1),
        })
        .sum()
}

fn push_constant(terms: &mut Vec<Term>, constant: u32) {
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
}

/// Appends the terms of whitened features, in whitened units.
fn push_whitened(terms: &mut Vec<Term>, plan: &BoundPlan, whitening: &Whitening, reach: u32) {
    let scale = whitening.radius / f64::from(reach);
    if whitening.constant {
        terms.push(Term {
            name: INTERCEPT.to_owned(),
            column: None,
            level: None,
            centre: 0.0,
            scale,
            weight: 0.0,
        });
    }
    let first = terms.len();
    push_terms(terms, plan, Role::Feature, 1.0, 1.0, reach);
    for term in terms.iter_mut().skip(first) {
        (term.centre, term.scale) = (0.0, scale);
    }
}

/// Appends the terms of the columns of one role, which are clipped to the norm `longest` in weighted units and `reach` in codes. Returns
/// the codes of its categories whose levels are the corners of a simplex.
fn push_terms(
    terms: &mut Vec<Term>,
    plan: &BoundPlan,
    role: Role,
    weight: f64,
    longest: f64,
    reach: u32,
) -> Vec<(usize, Contrast)> {
    let step = longest / (weight * f64::from(reach));
    let mut contrasts = Vec::new();
    let term = |name, index, level, centre, half_width: f64| Term {
        name,
        column: Some(index),
        level,
        centre,
        scale: half_width * step,
        weight,
    };
    for (index, column) in plan.columns.iter().enumerate().filter(|(_, column)| column.role == role) {
        match &column.kind {
            Kind::Number { lower, upper } => {
                let (centre, half_width) = middle(*lower, *upper);
                terms.push(term(column.name.clone(), index, None, centre, half_width));
            }
            Kind::Category { levels, reference, .. } => {
                let (centre, half_width) = plan.level_units(role, levels.len());
                let first = terms.len();
                for (level, name) in levels.iter().enumerate().filter(|(level, _)| level != reference) {
                    let name = format!("{}[{name}]", column.name);
                    terms.push(term(name, index, Some(level), centre, half_width));
                }
                if plan.has_contrast(role, levels.len()) {
                    let own = terms.get_mut(first..).unwrap_or_default();
                    let name = own.first().map(|term| term.name.clone()).unwrap_or_default();
                    let contrast = Contrast::new(name, levels.len(), 1.0 / step);
                    for (term, indicator) in own.iter_mut().zip(contrast.indicators()) {
                        (term.centre, term.scale) = (indicator.centre, indicator.scale);
                    }
                    contrasts.push((first, contrast));
                }
            }
        }
    }
    contrasts
}

/// Returns the largest W and c within a norm.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "both lie in 0..=R; `as` saturates"
)]
fn radii(norm: f64, grid: &GridParams) -> (u32, u32) {
    let weight = grid.intercept_weight;
    if weight <= 0.0 {
        return (norm.floor() as u32, 0);
    }
    let mut radius = (norm / (1.0 + weight * weight).sqrt()).floor() as u32;
    loop {
        let constant = ((weight * f64::from(radius)).floor() as u32).max(1);
        if feature_square(constant, radius) <= u64::from(grid.radius).pow(2) || radius == 0 {
            return (radius, constant);
        }
        radius -= 1;
    }
}

/// Returns ⌈√p / 2⌉ + 1. Rounding moves a row of p coordinates by at most √p / 2, floating-point errors by far less than 1.
fn rounding_room(coordinates: usize) -> u32 {
    let room = coordinates.isqrt();
    // ⌈√p / 2⌉ is the least r with 4 r² ≥ p.
    let half = room.div_ceil(2);
    let half = if half.saturating_mul(half).saturating_mul(4) < coordinates { half + 1 } else { half };
    u32::try_from(half).unwrap_or(u32::MAX).saturating_add(1)
}

/// Returns the middle and the half width of the bounds, without overflow.
pub fn middle(lower: f64, upper: f64) -> (f64, f64) {
    (lower / 2.0 + upper / 2.0, upper / 2.0 - lower / 2.0)
}

/// Returns whether the squares of the codes sum to at most W². Trusted core: integer arithmetic, in which an overflow counts as
/// too long.
#[deny(clippy::arithmetic_side_effects)]
pub fn within(codes: &[i32], radius: u32) -> bool {
    // A square is at most 2^62. A sum that saturates is above every square of 32 bits.
    let square = |code: u32| u64::from(code).pow(2);
    codes.iter().fold(0_u64, |sum, code| sum.saturating_add(square(code.unsigned_abs()))) <= square(radius)
}

/// The result of encoding a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoded<'a> {
    /// Its row, in the order of [`Geometry::terms`].
    Row(&'a [i32]),
    /// A cell is missing and the plan says `skip`: the record contributes nothing, which is the same as a row of zeros.
    Skipped,
}

/// Maps records to rows. A row depends on its record alone.
#[derive(Clone, Debug)]
pub struct Encoder {
    columns: Vec<Cell>,
    cells: Cells,
    missing: Missing,
    constant: i32,
    /// The bound of the features, or of the record as a whole.
    features: Bound,
    /// The outcomes' own bound, if they have one, and how a long record is clipped.
    outcomes: Option<(Bound, Clipping)>,
    /// c in the first place, if there is a constant.
    row: Vec<i32>,
    /// Place of the first code after the constant.
    first: usize,
    /// The number of values that belong to features; all values if the record is bounded as a whole.
    split: usize,
    /// v, the weighted values, and how each comes from what was read.
    values: Vec<f64>,
    units: Vec<Unit>,
    /// The map that whitens the features.
    whitening: Option<Map>,
    /// Whether outcomes are labels.
    labels: bool,
    /// Whether a row is the numbers themselves.
    doubles: bool,
    /// Whether each column is a field of the table.
    are_fields: bool,
    /// Whether the last record had a value in each column, all within their bounds.
    fits: bool,
}

/// The affine map from values within −1 to 1 to whitened coordinates.
#[derive(Clone, Debug)]
struct Map {
    /// The image of a record of zeros.
    offset: Vec<f64>,
    /// One row for each coordinate.
    linear: Vec<Vec<f64>>,
    /// The last record's coordinates.
    mapped: Vec<f64>,
}

impl Map {
    /// Returns W (1, m + h t) = (W (1, m)) + (W h) t, with m the middles of the columns' bounds and h half their widths.
    fn new(plan: &BoundPlan, whitening: &Whitening) -> Self {
        let features = plan.columns.iter().filter(|column| column.role == Role::Feature);
        let units: Vec<(f64, f64)> = features
            .flat_map(|column| match &column.kind {
                Kind::Number { lower, upper } => vec![middle(*lower, *upper)],
                Kind::Category { levels, .. } => {
                    let units = plan.level_units(Role::Feature, levels.len());
                    vec![units; levels.len().saturating_sub(1)]
                }
            })
            .collect();
        let constant = usize::from(whitening.constant);
        let rows = whitening.matrix.chunks_exact((units.len() + constant).max(1));
        let offset = rows.clone().map(|row| {
            let centres = row.iter().skip(constant).zip(&units).map(|(weight, (centre, _))| weight * centre);
            row.iter().take(constant).sum::<f64>() + centres.sum::<f64>()
        });
        let linear = rows.clone().map(|row| {
            row.iter().skip(constant).zip(&units).map(|(weight, (_, half))| weight * half).collect()
        });
        let (offset, linear): (Vec<f64>, Vec<Vec<f64>>) = (offset.collect(), linear.collect());
        Self { mapped: vec![0.0; offset.len()], offset, linear }
    }

    fn apply(&mut self, values: &[f64]) {
        for ((mapped, offset), row) in self.mapped.iter_mut().zip(&self.offset).zip(&self.linear) {
            *mapped = offset + row.iter().zip(values).map(|(weight, value)| weight * value).sum::<f64>();
        }
    }
}

/// A bound on a part of a record.
#[derive(Clone, Copy, Debug)]
struct Bound {
    radius: u32,
    reach: f64,
    longest: f64,
}

impl Bound {
    /// Returns the factor, at most 1, that clips these values to the largest norm that is kept.
    fn clipping(&self, values: &[f64]) -> f64 {
        let norm = values.iter().map(|value| value * value).sum::<f64>().sqrt();
        if norm > self.longest && !unclipped() { self.longest / norm } else { 1.0 }
    }

    /// Rounds values in weighted units to the nearest codes.
    fn codes(&self, codes: &mut [i32], values: &[f64], shorten: f64) {
        let step = shorten * (self.reach / self.longest);
        for (code, value) in codes.iter_mut().zip(values) {
            *code = nearest(value * step);
        }
    }
}

/// Whether each side of a record has all its cells.
struct Complete {
    features: bool,
    outcomes: bool,
}

/// How a number becomes a value: weight · (number − centre) / half width, clipped to the limit. A number that is already a value
/// stays as it is.
#[derive(Clone, Copy, Debug)]
struct Unit {
    centre: f64,
    half_width: f64,
    limit: f64,
    weight: f64,
}

impl Unit {
    const OF_VALUES: Self = Self { centre: 0.0, half_width: 1.0, limit: f64::INFINITY, weight: 1.0 };

    /// Returns the value, and whether the number was within the limit.
    fn value(&self, number: f64) -> (f64, bool) {
        let value = (number - self.centre) / self.half_width;
        let unclamped = is_active(Mutant::NoClip) || is_active(Mutant::DerivedUnclipped);
        let clamped = if value.is_nan() && !unclamped && !is_active(Mutant::NanUnmapped) {
            0.0
        } else if value > self.limit && !unclamped {
            self.limit
        } else if value < -self.limit && !unclamped {
            -self.limit
        } else {
            value
        };
        (self.weight * clamped, value.abs() <= self.limit)
    }
}

/// Reads one column.
#[derive(Clone, Debug)]
enum Cell {
    Number {
        source: Source,
        usual: Option<Usual>,
        unit: Unit,
    },
    Category {
        codes: LevelCodes,
        /// The level without a term.
        reference: usize,
        /// The weighted values of each term in a record of an earlier level, of its own, and of a later one, which the reference is.
        values: Vec<[f64; 3]>,
    },
}

impl Encoder {
    /// Creates an encoder for the records of a plan, on its grid.
    pub fn new(plan: &BoundPlan) -> Self {
        let geometry = Geometry::new(plan);
        // A column without terms, a category of one level, needs no weight.
        let mut weights = vec![0.0; plan.columns.len()];
        for term in &geometry.terms {
            if let Some(weight) = term.column.and_then(|index| weights.get_mut(index)) {
                *weight = term.weight;
            }
        }
        let cells = Cells::new(&plan.csv);
        let columns = plan.columns.iter().zip(weights).enumerate();
        let columns: Vec<Cell> = columns
            .map(|(index, (column, weight))| {
                let mut kind = Cell::new(plan, &cells, column, weight);
                let of_column = |first: &usize| geometry.terms.get(*first).and_then(|term| term.column);
                let contrast = geometry.contrasts.iter().find(|(first, _)| of_column(first) == Some(index));
                if let (Cell::Category { values, .. }, Some((_, contrast))) = (&mut kind, contrast) {
                    let step = geometry.longest / f64::from(geometry.reach);
                    let code = |code: &i32| f64::from(*code) * step;
                    let pairs = contrast.own.iter().zip(&contrast.later);
                    *values = pairs.map(|(own, later)| [0.0, code(own), code(later)]).collect();
                }
                kind
            })
            .collect();
        let first = geometry.first();
        let constant = i32::try_from(geometry.constant).unwrap_or(0);
        let mut row = vec![0; geometry.row_width(plan.guard)];
        if let (Some(place), true) = (row.first_mut(), geometry.constant > 0) {
            *place = constant;
        }
        let bound = |radius, reach: u32, longest| Bound { radius, reach: f64::from(reach), longest };
        let features = coordinates(plan, Role::Feature);
        let units: Vec<Unit> = columns
            .iter()
            .flat_map(|column| match column {
                Cell::Number { unit, .. } => vec![*unit],
                Cell::Category { values, .. } => vec![Unit::OF_VALUES; values.len()],
            })
            .collect();
        let values = vec![0.0; units.len()];
        Self {
            columns,
            cells,
            missing: plan.missing,
            constant,
            features: bound(geometry.radius, geometry.reach, geometry.longest),
            outcomes: geometry
                .outcomes
                .map(|side| (bound(side.radius, side.reach, side.longest), side.clipping)),
            split: geometry.outcomes.map_or(values.len(), |_| features),
            values,
            units,
            row,
            first,
            whitening: plan.whitening.as_ref().map(|whitening| Map::new(plan, whitening)),
            labels: plan.labels,
            doubles: matches!(plan.grid.norms, Norms::Doubles),
            are_fields: plan.columns.iter().all(|column| matches!(column.source, Source::Field(_))),
            fits: false,
        }
    }

    /// Returns whether the last record had a value in each column, each a field of the table, and all within their bounds, but
    /// for the rounding of a value. `false` is not a statement.
    pub const fn fits(&self) -> bool {
        self.fits
    }

    /// Returns the row of one record.
    #[inline(never)]
    pub fn encode(&mut self, record: &Record<'_>) -> Encoded<'_> {
        self.fits = false;
        if self.doubles {
            return self.numbers(record);
        }
        let Some(sides) = self.read(record) else { return Encoded::Skipped };
        self.quantise();
        // A missing cell on one side must not change the other side, because that side may be public.
        let codes = self.whitening.as_ref().map_or(self.split, |map| map.offset.len());
        let (features, outcomes) = self.row.split_at_mut(self.first + codes);
        if !sides.features {
            features.fill(0);
        }
        if !sides.outcomes {
            outcomes.fill(0);
        }
        Encoded::Row(&self.row)
    }

    /// Returns the numbers of a record as [`halves`].
    fn numbers(&mut self, record: &Record<'_>) -> Encoded<'_> {
        for (column, place) in self.columns.iter().zip(self.row.chunks_exact_mut(2)) {
            let number = match column {
                Cell::Number { source, .. } => self.cells.number(record, source),
                Cell::Category { .. } => None,
            };
            let number = number.unwrap_or(f64::NAN);
            place.copy_from_slice(&halves(number));
        }
        Encoded::Row(&self.row)
    }

    /// Converts cells to weighted values and returns which sides are complete. `None` if the record is skipped (theory/encoding
    /// 2.2, steps 1 and 2).
    fn read(&mut self, record: &Record<'_>) -> Option<Complete> {
        let apart = self.outcomes.is_some_and(|(_, clipping)| clipping == Clipping::Apart);
        let mut sides = Complete { features: true, outcomes: true };
        let mut fits = self.are_fields;
        let mut place = 0;
        for column in &self.columns {
            let mut miss = || {
                fits = false;
                match (self.missing, apart) {
                    (Missing::Midpoint, _) => true,
                    (Missing::Skip, false) => false,
                    (Missing::Skip, true) => {
                        *(if place < self.split { &mut sides.features } else { &mut sides.outcomes }) = false;
                        true
                    }
                }
            };
            match column {
                Cell::Number { source, usual, unit } => {
                    let label = self.labels && place >= self.split;
                    let number = match usual {
                        Some(usual) => self.cells.usual_cell(record, *usual),
                        None => self.cells.number(record, source),
                    };
                    self.values[place] = match number.filter(|number| !label || [0.0, 1.0].contains(number)) {
                        Some(number) => number,
                        None if miss() => unit.centre,
                        None => return None,
                    };
                    place += 1;
                }
                Cell::Category { codes, reference, values } => {
                    let known = self.cells.level(record, codes);
                    let term = match known {
                        Some(level) => term_of(level, *reference).unwrap_or(values.len()),
                        None if miss() => values.len(),
                        None => return None,
                    };
                    // The reference is −1, the other level 1; a missing label is 0.
                    let missing_label = known.is_none() && self.labels && place >= self.split;
                    for (at, [earlier, own, later]) in values.iter().enumerate() {
                        self.values[place + at] = match at.cmp(&term) {
                            _ if missing_label => 0.0,
                            Ordering::Less => *later,
                            Ordering::Equal => *own,
                            Ordering::Greater => *earlier,
                        };
                    }
                    place += values.len();
                }
            }
        }
        for (value, unit) in self.values.iter_mut().zip(&self.units) {
            let (weighted, is_within) = unit.value(*value);
            *value = weighted;
            fits &= is_within;
        }
        self.fits = fits;
        Some(sides)
    }

    /// Clips a long record, rounds it to the grid and checks it in integers (theory/encoding 2.2, steps 3 to 5).
    fn quantise(&mut self) {
        match self.outcomes {
            None => self.quantise_whole(),
            Some((outcomes, clipping)) => self.quantise_sides(&outcomes, clipping),
        }
    }

    fn quantise_whole(&mut self) {
        let shorten = self.features.clipping(&self.values);
        let (codes, digits) = self.row[self.first..].split_at_mut(self.values.len());
        self.features.codes(codes, &self.values, shorten);
        let passed = is_active(Mutant::NanUnmapped) && self.values.iter().any(|value| value.is_nan());
        if !within(codes, self.features.radius) && !unclipped() && !passed {
            codes.fill(0);
        }
        if digits.is_empty() {
            return;
        }
        let digit = libm::ldexp(1.0, GUARD_BITS.cast_signed());
        let step = shorten * (self.features.reach / self.features.longest);
        for ((digit_of, code), value) in digits.iter_mut().zip(codes).zip(&self.values) {
            *digit_of = nearest((value * step - f64::from(*code)) * digit);
        }
    }

    fn quantise_sides(&mut self, outcome_bound: &Bound, clipping: Clipping) {
        let (values, outcomes) = self.values.split_at(self.split);
        let features = match &mut self.whitening {
            None => values,
            Some(map) => {
                map.apply(values);
                map.mapped.as_slice()
            }
        };
        let own = self.features.clipping(features);
        let (whole, left, right) = match clipping {
            Clipping::Together => {
                let factor = own.min(outcome_bound.clipping(outcomes));
                (factor, factor, factor)
            }
            Clipping::Apart | Clipping::Unlinked => (1.0, own, outcome_bound.clipping(outcomes)),
            Clipping::EachOutcome => (own, own, own),
        };
        let right = if is_active(Mutant::OutcomesUnclipped) { 1.0 } else { right };
        let (head, codes) = self.row.split_at_mut(self.first);
        if let Some(constant) = head.first_mut() {
            *constant = nearest(f64::from(self.constant) * whole).min(self.constant);
        }
        let (left_codes, rest) = codes.split_at_mut(features.len());
        let right_codes = &mut rest[..outcomes.len()];
        self.features.codes(left_codes, features, left);
        if !within(left_codes, self.features.radius) && !unclipped() {
            left_codes.fill(0);
        }
        if clipping == Clipping::EachOutcome {
            for (code, value) in right_codes.iter_mut().zip(outcomes) {
                let value = (value * right).clamp(-outcome_bound.longest, outcome_bound.longest);
                outcome_bound.codes(std::slice::from_mut(code), &[value], 1.0);
                if !within(std::slice::from_ref(code), outcome_bound.radius) {
                    *code = 0;
                }
            }
        } else {
            outcome_bound.codes(right_codes, outcomes, right);
            if !within(right_codes, outcome_bound.radius) && !is_active(Mutant::OutcomesUnclipped) {
                right_codes.fill(0);
            }
        }
    }
}

/// Returns whether a mutant omits the clipping.
fn unclipped() -> bool {
    is_active(Mutant::NoClip) || is_active(Mutant::ColumnClampOnly) || is_active(Mutant::DerivedUnclipped)
}

impl Cell {
    fn new(plan: &BoundPlan, cells: &Cells, column: &BoundColumn, weight: f64) -> Self {
        match &column.kind {
            Kind::Number { lower, upper } => {
                let (centre, half_width) = middle(*lower, *upper);
                let usual = cells.usual(&column.source);
                let unit = Unit { centre, half_width, limit: 1.0, weight };
                Self::Number { source: column.source.clone(), usual, unit }
            }
            Kind::Category { levels, reference, other } => {
                let codes = match &column.source {
                    Source::Merged(codes) => (**codes).clone(),
                    Source::Field(field) => LevelCodes::of(*field, levels, *other),
                    Source::Computed(_) => LevelCodes::of(usize::MAX, levels, *other),
                };
                let (centre, half_width) = plan.level_units(column.role, levels.len());
                let (absent, present) = ((0.0 - centre) / half_width, (1.0 - centre) / half_width);
                let values = [weight * absent, weight * present, weight * absent];
                Self::Category {
                    codes,
                    reference: *reference,
                    values: vec![values; levels.len().saturating_sub(1)],
                }
            }
        }
    }
}

/// Returns the term of a level; the reference has none.
fn term_of(level: usize, reference: usize) -> Option<usize> {
    match level.cmp(&reference) {
        Ordering::Less => Some(level),
        Ordering::Equal => None,
        Ordering::Greater => Some(level - 1),
    }
}

/// Returns a number as two integers: the higher and the lower half of its bits.
pub const fn halves(value: f64) -> [i32; 2] {
    let [a, b, c, d, e, f, g, h] = value.to_bits().to_be_bytes();
    [i32::from_be_bytes([a, b, c, d]), i32::from_be_bytes([e, f, g, h])]
}

/// Returns the number of these [`halves`].
pub const fn of_halves([high, low]: [i32; 2]) -> f64 {
    let ([a, b, c, d], [e, f, g, h]) = (high.to_be_bytes(), low.to_be_bytes());
    f64::from_bits(u64::from_be_bytes([a, b, c, d, e, f, g, h]))
}
