//! A record with some values that are set, the others held: what the terms of a regression are in it (theory/inference 6.8).

use std::collections::BTreeSet;

use nalgebra::DVector;

use crate::math::search::first_true;
use crate::model::{INTERCEPT, level_of};
use crate::plan::Plan;
use crate::plan::bound::Source;
use crate::plan::derived::{DerivedColumn, roots, terms_of};
use crate::plan::document::ColumnType;
use crate::plan::expression::{Expression, Leaf};
use crate::release::figure::{self, Line};
use crate::release::reduced::column_of;
use crate::release::supplement::Description;

/// The values that are set.
#[derive(Clone, Debug, Default)]
pub(super) struct Moved<'a> {
    /// The values of numbers.
    pub numbers: Vec<(&'a str, f64)>,
    /// The levels of categories.
    pub levels: Vec<(&'a str, &'a str)>,
}

impl<'a> Moved<'a> {
    /// Returns one number that is set.
    pub fn number(column: &'a str, at: f64) -> Self {
        Self { numbers: vec![(column, at)], levels: Vec::new() }
    }
}

/// A record. Other numbers are at their released means, those that count through a logarithm where that is at its mean, or else in the middle of
/// their stated bounds; other categories are at their reference.
pub(super) struct Record<'a> {
    plan: &'a Plan,
    derived: Vec<DerivedColumn>,
    description: Option<&'a Description>,
    /// Where numbers are held by the means of terms that are made of them, by name.
    through: Vec<(String, f64)>,
}

impl<'a> Record<'a> {
    /// Returns the record of a plan's columns.
    pub fn new(plan: &'a Plan, description: Option<&'a Description>) -> Self {
        let mut record = Self { plan, derived: derived_columns(plan), description, through: Vec::new() };
        let numbers = plan.columns.iter().enumerate().filter_map(|(place, column)| {
            Some((column.name.clone()?, record.through(place, column.stated_bounds()?)?))
        });
        record.through = numbers.collect();
        record
    }

    /// Returns the value of a term.
    pub fn term(&self, term: &str, moved: &Moved<'_>) -> Option<f64> {
        if term == INTERCEPT {
            return Some(1.0);
        }
        let name = |place: usize| self.plan.columns.get(place)?.name.as_deref();
        if let Some(column) = self.derived.iter().find(|column| column.name == term) {
            return expression(column)?.value(&|leaf| match leaf {
                Leaf::Number { column, lower, upper, .. } => {
                    Some(self.number(name(*column)?, (*lower, *upper), moved).clamp(*lower, *upper))
                }
                Leaf::Level { codes, level, .. } => {
                    let own = moved.levels.iter().find(|(column, _)| Some(*column) == name(codes.column));
                    Some(f64::from(own.and_then(|(_, own)| codes.number(own)) == Some(*level)))
                }
            });
        }
        match figure::column(self.plan, term).filter(|found| found.kind == Some(ColumnType::Number)) {
            Some(found) => Some(self.number(term, found.stated_bounds()?, moved)),
            None => {
                let is_set = |(column, level): &(&str, &str)| level_of(term, column) == Some(*level);
                Some(f64::from(moved.levels.iter().any(is_set)))
            }
        }
    }

    /// Returns the values of a regression's terms, in the order of its lines.
    pub fn terms(&self, lines: &[Line], moved: &Moved<'_>) -> Option<DVector<f64>> {
        let values: Option<Vec<f64>> = lines.iter().map(|line| self.term(&line.term, moved)).collect();
        values.map(DVector::from_vec)
    }

    /// Returns the value of each number that these terms are, or are made from.
    pub fn values<'b>(&self, terms: impl Iterator<Item = &'b str>) -> Vec<(String, f64)> {
        let roots: BTreeSet<String> =
            terms.flat_map(|term| roots(self.plan, &column_of(self.plan, term))).collect();
        let numbers = self.plan.columns.iter().filter_map(|column| {
            let name = column.name.clone().filter(|name| roots.contains(name))?;
            let bounds = column.stated_bounds().filter(|_| column.kind == Some(ColumnType::Number))?;
            let at = self.number(&name, bounds, &Moved::default());
            Some((name, at))
        });
        numbers.collect()
    }

    fn number(&self, name: &str, (lower, upper): (f64, f64), moved: &Moved<'_>) -> f64 {
        if let Some((_, at)) = moved.numbers.iter().find(|(column, _)| *column == name) {
            return *at;
        }
        self.held(name, (lower, upper)).unwrap_or_else(|| f64::midpoint(lower, upper))
    }

    /// Returns where a number is held by released means: at its own, or where its logarithm, or it less a number, is at its mean.
    /// `None` if no such mean is released.
    pub fn held(&self, name: &str, (lower, upper): (f64, f64)) -> Option<f64> {
        let own = self.mean(name).map(|mean| mean.clamp(lower, upper));
        own.or_else(|| self.through.iter().find(|(own, _)| own == name).map(|(_, at)| *at))
    }

    /// Returns where the number in this place of the plan is held by the mean of a term that rises with it alone.
    fn through(&self, place: usize, (lower, upper): (f64, f64)) -> Option<f64> {
        self.derived.iter().find_map(|column| {
            let (mean, of) = (self.mean(&column.name)?, expression(column)?);
            let at = |value: f64| {
                of.value(&|leaf| {
                    matches!(leaf, Leaf::Number { column, .. } if *column == place).then_some(value)
                })
            };
            (rises(&of) && at(upper).is_some())
                .then(|| first_true(lower, upper, |value| at(value).is_some_and(|found| found >= mean)))
        })
    }

    fn mean(&self, term: &str) -> Option<f64> {
        let described = self.description?.terms.iter().find(|described| described.term == term)?;
        Some(described.mean.value)
    }
}

/// Returns the columns that a plan derives.
pub(super) fn derived_columns(plan: &Plan) -> Vec<DerivedColumn> {
    terms_of(plan).into_iter().flat_map(|term| term.columns).collect()
}

/// Returns how a derived column is computed. `None` for merged levels.
pub(super) fn expression(column: &DerivedColumn) -> Option<Expression> {
    match column.source(|place| place) {
        Source::Computed(expression) => Some((*expression).clone()),
        Source::Field(_) | Source::Merged(_) => None,
    }
}

/// Returns whether an expression is a number, or its logarithm or difference from a constant: these rise with it.
fn rises(of: &Expression) -> bool {
    match of {
        Expression::Leaf(Leaf::Number { .. }) => true,
        Expression::Log { of, .. } | Expression::Centred { of, .. } => rises(of),
        _ => false,
    }
}

/// Returns how many standard errors the intervals of a regression reach to either side.
pub(super) fn errors_to_a_side(lines: &[Line]) -> Option<f64> {
    let widest = |line: &Line| Some((line.entry.upper? - line.entry.lower?, line.entry.std_error?));
    let (width, error) = lines.iter().find_map(widest).filter(|(_, error)| *error > 0.0)?;
    Some(width / (2.0 * error))
}
