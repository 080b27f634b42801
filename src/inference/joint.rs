//! The assumed joint distribution of the features of a plan with derived terms, for forecasts (theory/inference 5.1).
//!
//! The columns that the terms are made from are drawn from a fixed seed, and the terms are computed from them as they are from a record. So
//! a forecast knows how closely a number, its square and its logarithm go together.

use nalgebra::DMatrix;

use super::cell_noise::count;
use super::pseudo::Pseudo;
use crate::math::linalg::Eigen;
use crate::model::{Role, Typical};
use crate::plan::bound::{BoundColumn, BoundPlan, Kind, Source};
use crate::plan::expression::{Leaf, LevelCodes};

/// What is assumed of numbers among the columns.
#[derive(Clone, Copy)]
pub(super) struct Assumption {
    /// Standard deviation, in half widths of the bounds.
    pub(super) spread: f64,
    /// Correlation between any two predictors.
    pub(super) correlation: f64,
}

pub(super) const USUAL: Assumption = Assumption { spread: 1.0 / 3.0, correlation: 0.3 };

/// Records that are drawn.
const RECORDS: usize = 2_048;
/// Most terms of features whose joint distribution is looked at.
const MOST_TERMS: usize = 200;
const SEED: u64 = 0x6469_7363;
/// Share of its variance that rounding leaves of a term that follows from others.
const NOTHING_LEFT: f64 = 1e-11;

/// A column from which features are computed.
struct Parent {
    /// Its field.
    field: usize,
    kind: Drawn,
}

/// How a column is drawn.
enum Drawn {
    Number {
        lower: f64,
        upper: f64,
        mean: f64,
        sd: f64,
    },
    /// A category: the shares of its levels, in the order of their texts.
    Level(Vec<f64>),
}

/// One term of a feature.
struct Term {
    /// The place of its column among the plan's, and of its level in the column's list.
    column: usize,
    level: Option<usize>,
    /// Whether it is derived.
    derived: bool,
    /// Its draws; of a level 0 or 1.
    values: Vec<f64>,
}

/// Draws of all terms of features, in the order of a row: of a category all levels but the reference.
pub(super) struct Joint {
    terms: Vec<Term>,
}

impl Joint {
    /// Draws the features; nothing where none is derived, where public moments say how they go together, and where they are too many.
    pub(super) fn new(bound: &BoundPlan, assumed: Assumption) -> Option<Self> {
        let (mut rng, correlation) = (Pseudo::new(SEED, &[]), assumed.correlation);
        // Each second record mirrors the one before, so that a number and its square are exactly uncorrelated if it lies around 0.
        let mut before: Vec<f64> = Vec::new();
        Self::drawn(bound, assumed, RECORDS, |parents| {
            let mirrored = !before.is_empty();
            let common = rng.normal();
            let record = parents.iter().enumerate().map(|(place, parent)| match &parent.kind {
                &Drawn::Number { lower, upper, mean, sd } => {
                    let z = if mirrored {
                        -before.get(place).copied().unwrap_or(0.0)
                    } else {
                        correlation.sqrt() * common + (1.0 - correlation).sqrt() * rng.normal()
                    };
                    (z, (mean + sd * z).clamp(lower, upper))
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
        let features = || bound.columns.iter().enumerate().filter(|(_, column)| column.role == Role::Feature);
        let derived = |column: &BoundColumn| column.source.field().is_none();
        if bound.whitening.is_some() || !features().any(|(_, column)| derived(column)) {
            return None;
        }
        let parents = parents(features().map(|(_, column)| column), assumed);
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
        let codes: Vec<Option<LevelCodes>> = bound.columns.iter().map(level_codes).collect();
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
                    Some(level) => f64::from(u8::from((value - count(level)).abs() < 0.5)),
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
#[must_use]
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
            Drawn::Number { lower, upper, .. } if wide => {
                lower + (upper - lower) * (0.5 + 0.5 * rng.symmetric())
            }
            &Drawn::Number { lower, upper, mean, sd } => (mean + sd * rng.normal()).clamp(lower, upper),
            Drawn::Level(shares) => ((0.5 + 0.5 * rng.symmetric()) * count(shares.len())).floor(),
        };
        parents.iter().map(value).collect()
    });
    let Some(joint) = joint else { return Vec::new() };
    // The terms before, as directions of length 1 at right angles.
    let mut before: Vec<Vec<f64>> = Vec::new();
    if intercept {
        before.push(vec![count(records).sqrt().recip(); records]);
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

/// Returns the mean of values and their variance.
fn moments(values: &[f64]) -> (f64, f64) {
    let size = count(values.len()).max(1.0);
    let mean = values.iter().sum::<f64>() / size;
    (mean, values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / size)
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

/// Returns the place of the level at a point between 0 and 1 of the line that the shares divide.
fn level_at(shares: &[f64], point: f64) -> f64 {
    let mut end = 0.0;
    let is_before = |share: &&f64| {
        end += **share;
        end <= point
    };
    count(shares.iter().take_while(is_before).count().min(shares.len().saturating_sub(1)))
}

/// Returns the columns from which features are computed, each once.
fn parents<'a>(features: impl Iterator<Item = &'a BoundColumn>, assumed: Assumption) -> Vec<Parent> {
    let mut parents: Vec<Parent> = Vec::new();
    let mut add = |field: usize, kind: Drawn| {
        if parents.iter().all(|parent| parent.field != field) {
            parents.push(Parent { field, kind });
        }
    };
    let number = |lower: f64, upper: f64, typical: Option<Typical>| {
        let middle = lower / 2.0 + upper / 2.0;
        let usual = Typical { mean: None, sd: assumed.spread * (upper / 2.0 - lower / 2.0) };
        let Typical { mean, sd } = typical.unwrap_or(usual);
        Drawn::Number { lower, upper, mean: mean.unwrap_or(middle), sd }
    };
    let even = |codes: &LevelCodes| Drawn::Level(vec![1.0 / count(codes.codes.len()); codes.codes.len()]);
    for column in features {
        match (&column.source, &column.kind) {
            (Source::Field(field), Kind::Number { lower, upper }) => {
                add(*field, number(*lower, *upper, column.typical));
            }
            (Source::Field(field), Kind::Category { levels, .. }) => {
                let mut by_text: Vec<(&String, f64)> =
                    levels.iter().enumerate().map(|(level, text)| (text, column.share(level))).collect();
                by_text.sort_by_key(|(text, _)| *text);
                add(*field, Drawn::Level(by_text.into_iter().map(|(_, share)| share).collect()));
            }
            // What is known of merged levels is divided evenly among those that are one.
            (Source::Merged(codes), _) => {
                let alike = |number: usize| codes.codes.iter().filter(|(_, own)| *own == number).count();
                let share = |(_, number): &(String, usize)| column.share(*number) / count(alike(*number));
                let shares = column.shares.as_ref().map(|_| codes.codes.iter().map(share).collect());
                add(codes.column, shares.map_or_else(|| even(codes), Drawn::Level));
            }
            (Source::Computed(expression), _) => {
                for leaf in expression.leaves() {
                    add(
                        leaf.column(),
                        match leaf {
                            Leaf::Number { lower, upper, typical, .. } => number(*lower, *upper, *typical),
                            Leaf::Level { codes, .. } => even(codes),
                        },
                    );
                }
            }
        }
    }
    parents
}

/// Returns the numbers of a category's levels in the order of their texts, as the column has them.
fn level_codes(column: &BoundColumn) -> Option<LevelCodes> {
    match (&column.source, &column.kind) {
        (Source::Merged(codes), _) => Some((**codes).clone()),
        (Source::Field(field), Kind::Category { levels, .. }) => Some(LevelCodes::of(*field, levels, None)),
        _ => None,
    }
}

/// Returns a column's value, or the number of its level, in a record of which `of` gives a field's: a number, or the place of a level in
/// the order of the texts.
fn value(column: &BoundColumn, codes: Option<&LevelCodes>, of: &dyn Fn(usize) -> Option<f64>) -> Option<f64> {
    let level = |codes: &LevelCodes, place: f64| {
        let of_place = |(at, _): &(usize, &(String, usize))| (count(*at) - place).abs() < 0.5;
        codes.codes.iter().enumerate().find(of_place).map(|(_, (_, number))| *number)
    };
    match (&column.source, codes) {
        (Source::Computed(expression), _) => expression.value(&|leaf| match leaf {
            Leaf::Number { column, .. } => of(*column),
            Leaf::Level { codes, level: own, .. } => {
                Some(f64::from(u8::from(level(codes, of(codes.column)?)? == *own)))
            }
        }),
        (_, Some(codes)) => Some(count(level(codes, of(codes.column)?)?)),
        (Source::Field(field), None) => of(*field),
        (Source::Merged(_), None) => None,
    }
}

/// How the sampling variance and the noise of each term's coefficient grow over those of a term that is alone, with what is resolved of the
/// direction of the least.
pub(super) struct Inflation {
    /// 1/(1 − R²) of each term by the others.
    pub(super) sampling: Vec<f64>,
    /// The same of the noise, in directions below `floor` more.
    pub(super) noise: Vec<f64>,
    /// The least eigenvalue over the floor, at most 1.
    pub(super) least: f64,
}

impl Inflation {
    /// Computes it for standardised terms with these correlations, of which the first rounds see those that vary by `resolved` of their
    /// variance, and directions above `floor`.
    pub(super) fn of(correlation: &DMatrix<f64>, resolved: &[f64], floor: f64) -> Option<Self> {
        let size = correlation.nrows();
        let seen = |i: usize| resolved.get(i).copied().unwrap_or(1.0).sqrt();
        let moments = DMatrix::from_fn(size, size, |i, j| correlation[(i, j)] * seen(i) * seen(j));
        let eigen = Eigen::try_new(&moments).ok()?;
        let own = |value: f64| value.max(f64::EPSILON);
        let sampling = eigen.map(|value| 1.0 / own(value));
        // A direction below the floor is made wider by the transform, and its noise with it (theory/adaptive 8.2).
        let noise = eigen.map(|value| own(value).max(floor) / own(value).powi(2));
        let scaled = |matrix: &DMatrix<f64>| (0..size).map(|i| matrix[(i, i)] * seen(i) * seen(i)).collect();
        Some(Self {
            sampling: scaled(&sampling),
            noise: scaled(&noise),
            least: if floor > 0.0 { (own(eigen.smallest()) / floor).min(1.0) } else { 1.0 },
        })
    }
}
