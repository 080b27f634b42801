//! The assumed joint distribution of the features of a plan with derived terms, for forecasts (theory/inference 5.1).
//!
//! The columns that the terms are made from are drawn from a fixed seed, and the terms are computed from them as they are from a record. So
//! a forecast knows how closely a number, its square and its logarithm go together.

use nalgebra::DMatrix;

use super::assumptions::{Assumption, USUAL};
use super::pseudo::Pseudo;
use super::synthetic::{
    Drawn, Number, Parent, SEED, drawn_columns, indicator, level_at, level_codes, moments, parents, value,
};
use crate::math::round::real;
use crate::model::Role;
use crate::plan::bound::{BoundColumn, BoundPlan, Kind};
use crate::plan::expression::LevelCodes;

/// Records that are drawn.
const RECORDS: usize = 2_048;
/// Most terms of features whose joint distribution is looked at.
const MOST_TERMS: usize = 200;
/// Share of its variance that rounding leaves of a term that follows from others.
const NOTHING_LEFT: f64 = 1e-11;

/// One term of a feature.
struct Term {
    /// The place of its column among the plan's, and of its level in the column's list.
    column: usize,
    level: Option<usize>,
    /// Whether it is derived.
    derived: bool,
    /// The draws; 0 or 1 for a level.
    values: Vec<f64>,
}

/// Draws of all terms of features, in the order of a row: of a category all levels but the reference.
pub(super) struct Joint {
    terms: Vec<Term>,
}

impl Joint {
    /// Draws the features. `None` if none is derived, if public moments state their correlations, or if there are too many.
    pub(super) fn new(bound: &BoundPlan, assumed: Assumption) -> Option<Self> {
        let (mut rng, correlation) = (Pseudo::new(SEED, &[]), assumed.stated(bound).correlation);
        // Each second record mirrors the one before, so that a number and its square are exactly uncorrelated if it lies around 0.
        let mut before: Vec<f64> = Vec::new();
        Self::drawn(bound, assumed, RECORDS, |parents| {
            let mirrored = !before.is_empty();
            let common = rng.normal();
            let record = parents.iter().enumerate().map(|(place, parent)| match &parent.kind {
                Drawn::Number(number) => {
                    let z = if mirrored {
                        -before.get(place).copied().unwrap_or(0.0)
                    } else {
                        correlation.sqrt() * common + (1.0 - correlation).sqrt() * rng.normal()
                    };
                    (z, number.at(z))
                }
                Drawn::Level(shares) => {
                    let own = if mirrored {
                        before.get(place).copied().unwrap_or(0.0)
                    } else {
                        0.5 + 0.5 * rng.symmetric()
                    };
                    (own, level_at(shares, own))
                }
            });
            let (own, record): (Vec<f64>, Vec<f64>) = record.unzip();
            before = if mirrored { Vec::new() } else { own };
            record
        })
    }

    fn drawn(
        bound: &BoundPlan,
        assumed: Assumption,
        records: usize,
        mut draw: impl FnMut(&[Parent]) -> Vec<f64>,
    ) -> Option<Self> {
        let all = drawn_columns(bound);
        let features = || all.iter().enumerate().filter(|(_, column)| column.role == Role::Feature);
        let derived = |column: &BoundColumn| column.source.field().is_none();
        if bound.whitening.is_some() || !features().any(|(_, column)| derived(column)) {
            return None;
        }
        let own: Vec<&BoundColumn> = features().map(|(_, column)| column).collect();
        let parents = parents(own.iter().copied(), assumed);
        let mut terms: Vec<Term> = Vec::new();
        for (place, column) in features() {
            let term = |level| Term {
                column: place,
                level,
                derived: derived(column),
                values: Vec::with_capacity(records),
            };
            match &column.kind {
                Kind::Number { .. } => terms.push(term(None)),
                Kind::Category { levels, reference, .. } => {
                    let others = (0..levels.len()).filter(|level| level != reference);
                    terms.extend(others.map(|level| term(Some(level))));
                }
            }
            if terms.len() > MOST_TERMS {
                return None;
            }
        }
        let codes: Vec<Option<LevelCodes>> = all.iter().map(level_codes).collect();
        for _ in 0..records {
            let record = draw(&parents);
            let of = |field: usize| {
                let place = parents.iter().position(|parent| parent.field == field)?;
                record.get(place).copied()
            };
            let mut last: Option<(usize, f64)> = None;
            for term in &mut terms {
                let value = match last {
                    Some((column, value)) if column == term.column => value,
                    _ => value(bound.columns.get(term.column)?, codes.get(term.column)?.as_ref(), &of)?,
                };
                last = Some((term.column, value));
                term.values.push(match term.level {
                    None => value,
                    Some(level) => indicator(value, level),
                });
            }
        }
        Some(Self { terms })
    }

    /// Replaces the terms of a category, from the place `first` on, by functions of its level: the place of the level among its terms, of
    /// the reference their number.
    pub(super) fn recode(&mut self, first: usize, terms: usize, code: impl Fn(usize, usize) -> f64) {
        let Some(own) = self.terms.get_mut(first..first.saturating_add(terms)) else { return };
        let records = own.first().map_or(0, |term| term.values.len());
        for record in 0..records {
            let is_level = |term: &Term| term.values.get(record).is_some_and(|value| *value > 0.5);
            let level = own.iter().position(is_level).unwrap_or(terms);
            for (coordinate, term) in own.iter_mut().enumerate() {
                if let Some(value) = term.values.get_mut(record) {
                    *value = code(level, coordinate);
                }
            }
        }
    }

    /// Returns whether each term is derived, with its mean and standard deviation.
    pub(super) fn spreads(&self) -> Vec<(bool, f64, f64)> {
        let spread = |term: &Term| {
            let (mean, square) = moments(&term.values);
            (term.derived, mean, square.sqrt())
        };
        self.terms.iter().map(spread).collect()
    }

    /// Returns the correlations of the terms.
    pub(super) fn correlation(&self) -> DMatrix<f64> {
        let standard: Vec<Vec<f64>> = self.terms.iter().map(|term| standardised(&term.values)).collect();
        let size = standard.len();
        let mut correlation = DMatrix::identity(size, size);
        for i in 0..size {
            for j in 0..i {
                let sum: f64 = standard[i].iter().zip(&standard[j]).map(|(a, b)| a * b).sum();
                correlation[(i, j)] = sum;
                correlation[(j, i)] = sum;
            }
        }
        correlation
    }
}

/// Returns the names of features that follow exactly from the features before them, whatever the records are: a number and the same less a
/// constant, or a category and its merged form. With an intercept a constant stands before all. Listed columns stand before derived ones.
pub fn dependent(bound: &BoundPlan, intercept: bool) -> Vec<String> {
    let mut rng = Pseudo::new(SEED, &[1]);
    let terms = bound
        .columns
        .iter()
        .filter(|column| column.role == Role::Feature)
        .map(|column| if let Kind::Category { levels, .. } = &column.kind { levels.len() } else { 1 });
    let records = 64 + 4 * terms.sum::<usize>().min(2 * MOST_TERMS);
    let assumed = USUAL;
    let joint = Joint::drawn(bound, assumed, records, |parents| {
        let wide = rng.symmetric() > 0.0;
        let value = |parent: &Parent| match &parent.kind {
            Drawn::Number(Number { lower, upper, .. }) if wide => {
                lower + (upper - lower) * (0.5 + 0.5 * rng.symmetric())
            }
            Drawn::Number(number) => number.at(rng.normal()),
            Drawn::Level(shares) => ((0.5 + 0.5 * rng.symmetric()) * real(shares.len())).floor(),
        };
        parents.iter().map(value).collect()
    });
    let Some(joint) = joint else { return Vec::new() };
    // An orthonormal basis of the terms before.
    let mut before: Vec<Vec<f64>> = Vec::new();
    if intercept {
        before.push(vec![real(records).sqrt().recip(); records]);
    }
    let mut found: Vec<String> = Vec::new();
    for term in &joint.terms {
        let mut left = if intercept { standardised(&term.values) } else { scaled(&term.values) };
        // Twice, because the first time leaves rounding errors.
        for _ in 0..2 {
            for direction in &before {
                let along: f64 = left.iter().zip(direction).map(|(a, b)| a * b).sum();
                left.iter_mut().zip(direction).for_each(|(value, step)| *value -= along * step);
            }
        }
        let rest = left.iter().map(|value| value * value).sum::<f64>();
        if rest > NOTHING_LEFT {
            before.push(scaled(&left));
        } else if let Some(column) = bound.columns.get(term.column)
            && term.derived
            && !found.contains(&column.name)
        {
            found.push(column.name.clone());
        }
    }
    found
}

/// Returns values less their mean, of length 1; zeros where they do not vary.
fn standardised(values: &[f64]) -> Vec<f64> {
    let (mean, _) = moments(values);
    scaled(&values.iter().map(|value| value - mean).collect::<Vec<_>>())
}

/// Returns values of length 1; zeros of zeros.
fn scaled(values: &[f64]) -> Vec<f64> {
    let length = values.iter().map(|value| value * value).sum::<f64>().sqrt();
    values.iter().map(|value| if length > 0.0 { value / length } else { 0.0 }).collect()
}
