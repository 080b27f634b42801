//! What a plan states of its columns, and what it leaves to assumptions.

use crate::engine::prepare::Prepared;
use crate::inference::assumptions::are_codes;
use crate::inference::preview::TermPreview;
use crate::mechanisms::Task;
use crate::model::note::two_digits;
use crate::model::{Role, Typical};
use crate::plan::Plan;
use crate::plan::bound::{BoundColumn, BoundPlan, Kind, Source};
use crate::plan::derived::{far_centre, logarithm, name_of, named_with};
use crate::plan::document::{Column, ColumnType, Derived, Transform};
use crate::words;

/// Returns the columns far from 0 whose squares are features, too, if the column or its square is `doubtful`.
pub(super) fn far_from_zero(plan: &Plan, doubtful: &[String]) -> Vec<String> {
    let is_far = |name: &String| {
        plan.column(name).is_some_and(|column| column.role == Role::Feature && far_centre(column).is_some())
    };
    let squares = plan.derived.iter().filter(|entry| entry.transform == Transform::Square);
    let of = |entry: &Derived| {
        let name = entry.from.first().filter(|name| is_far(name))?;
        (doubtful.contains(name) || doubtful.contains(&name_of(entry))).then(|| name.clone())
    };
    squares.filter_map(of).collect()
}

/// The share of yes that is tried where a half is assumed.
const RARE: f64 = 0.1;

/// Returns the task with [`RARE`] as the share of yes of each outcome whose share is not stated. `None` if all are.
pub(super) fn with_rare_answers(task: &Task) -> Option<Task> {
    let mut task = task.clone();
    let unstated = |column: &&mut BoundColumn| {
        let is_stated = column.shares.is_some() || column.typical.is_some_and(|known| known.mean.is_some());
        column.role == Role::Outcome && !is_stated
    };
    let mut found = false;
    for column in task.encoding.bound.columns.iter_mut().filter(unstated) {
        match &column.kind {
            Kind::Number { lower, upper } => {
                let mean = lower + RARE * (upper - lower);
                column.typical = Some(Typical { mean: Some(mean), sd: (RARE * (1.0 - RARE)).sqrt() });
            }
            Kind::Category { levels, reference, .. } => {
                let share = |level| if level == *reference { 1.0 - RARE } else { RARE };
                column.shares = Some((0..levels.len()).map(share).collect());
            }
        }
        found = true;
    }
    found.then_some(task)
}

pub(super) fn categories(bound: &BoundPlan) -> impl Iterator<Item = &BoundColumn> {
    let of_features = bound.columns.iter().filter(|column| column.role == Role::Feature);
    of_features.filter(|column| matches!(column.kind, Kind::Category { .. }))
}

/// Returns the numbers of the model of which no typical standard deviation is stated. Bounds that are to be estimated have no range yet.
pub(super) fn assumed(plan: &Plan, bound: &BoundPlan) -> Vec<String> {
    let is_assumed = |of: &&BoundColumn| {
        let has_own_spread = match &of.source {
            Source::Field(_) => true,
            Source::Computed(of) => of.without_own_bounds().is_some(),
            Source::Merged(_) => false,
        };
        let is_number = matches!(of.kind, Kind::Number { .. }) && has_own_spread;
        let has_range = plan.column(&of.name).is_none_or(|column| !column.is_estimated());
        of.role != Role::Ignored && is_number && has_range && of.typical.is_none()
    };
    let own = bound.columns.iter().filter(is_assumed).map(|column| column.name.clone());
    let mut names: Vec<String> = own.collect();
    // A column that only serves a term is not in the model. Its spread determines the term's, unless the term has its own range.
    for name in plan.derived.iter().filter(|entry| entry.lower.is_none()).flat_map(|entry| &entry.from) {
        let serves = plan.column(name).is_some_and(|column| {
            column.role == Role::Ignored
                && column.kind == Some(ColumnType::Number)
                && column.typical.is_none()
                && !column.is_estimated()
        });
        if serves && !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

/// Returns those of the [`assumed`] numbers that are features, or that a feature is made from, and are no codes of two values.
pub(super) fn assumed_features(plan: &Plan, bound: &BoundPlan) -> Vec<String> {
    let is_feature =
        |name: &str| bound.columns.iter().any(|column| column.name == name && column.role == Role::Feature);
    let serves = |name: &String| {
        plan.derived.iter().any(|entry| entry.from.contains(name) && is_feature(&name_of(entry)))
    };
    let has_codes = |name: &String| {
        let bounds = plan.column(name).and_then(Column::stated_bounds);
        bounds.is_some_and(|(lower, upper)| are_codes(lower, upper))
    };
    let mut names = assumed(plan, bound);
    names.retain(|name| (is_feature(name) || serves(name)) && !has_codes(name));
    names
}

/// The share below which a reference is called rare.
const RARE_REFERENCE: f64 = 0.1;

pub(super) fn rare_references(bound: &BoundPlan) -> Vec<String> {
    let is_rare = |column: &&BoundColumn| match (&column.kind, &column.shares) {
        (Kind::Category { levels, reference, .. }, Some(_)) => {
            levels.len() > 2 && column.share(*reference) < RARE_REFERENCE
        }
        _ => false,
    };
    categories(bound).filter(is_rare).map(|column| column.name.clone()).collect()
}

/// Keeps the coefficients between columns whose bounds are stated.
pub(super) fn retain_stated(terms: &mut Vec<TermPreview>, stage: &Prepared) {
    if stage.estimates_bounds() {
        let sought = &stage.bound().columns;
        let is_sought = |name: &str| sought.iter().any(|column| column.name == name);
        terms.retain(|term| !is_sought(&term.outcome) && !is_sought(&term.term));
    }
}

/// Returns the effect of several rows of one person on the intervals. `None` if one row of each person counts.
pub fn rows_of_one_person(prepared: &Prepared) -> Option<String> {
    let most = prepared.checked().max_rows_per_person;
    let counts = most > 1 && !prepared.fit().all_rounds().takes_rows_together();
    counts.then(|| words::forecast::rows_of_one_person(most, two_digits(f64::from(most).sqrt())))
}

pub(super) fn of_logarithms(plan: &Plan) -> bool {
    named_with(plan, Role::Outcome).iter().all(|name| logarithm(plan, name).is_some())
}

/// The largest value over the smallest, both with the offset, above which the logarithm of 0 lies far from the other logarithms.
const FAR: f64 = 1_000.0;

pub(super) fn far_zeros(plan: &Plan) -> Vec<String> {
    let of = |term: &Derived| {
        let (name, offset) = (term.from.first()?, term.offset.unwrap_or_default());
        let (lower, upper) = plan.column(name)?.stated_bounds()?;
        (lower <= 0.0 && upper + offset > FAR * (lower + offset)).then(|| name.clone())
    };
    plan.derived.iter().filter(|term| term.transform == Transform::Log).filter_map(of).collect()
}
