//! What a reader of the coefficients alone has to know beside them: that they are of a demonstration, which rows counted, which levels were
//! merged, and that standard errors are robust.

use super::Release;
use super::figure::{column, level_name};
use crate::model::Role;
use crate::model::note::{Kind, enumerated};
use crate::plan::Plan;
use crate::plan::derived::{name_of, named_with};
use crate::plan::document::{Condition, Derived, Group, Transform};
use crate::words;

/// A function that returns what a level of a column is called.
pub type Named<'a> = &'a dyn Fn(&str, &str) -> String;

/// Returns a level as it is in the table.
pub fn unlabelled(_: &str, level: &str) -> String {
    level.to_owned()
}

/// Returns which rows counted and which levels a plan merges, in sentences.
pub fn of_plan(plan: &Plan) -> impl Iterator<Item = String> {
    let merged = plan.derived.iter().filter(|term| term.transform == Transform::Merged);
    chosen_rows(plan).into_iter().chain(merged.map(|term| made_in(plan, term)))
}

/// Returns how a term of a plan is made, in a sentence with the labels of levels.
pub fn made_in(plan: &Plan, term: &Derived) -> String {
    made(term, &|name, level| level_name(plan, name, level))
}

/// Returns how a term is made, in a sentence.
pub fn made(term: &Derived, named: Named<'_>) -> String {
    let (name, from) = (name_of(term), enumerated(&term.from));
    match term.transform {
        Transform::Log => match term.offset.filter(|offset| *offset != 0.0) {
            Some(offset) => words::journal::made_log_offset(name, from, offset),
            None => words::journal::made_log(name, from),
        },
        Transform::Square => words::journal::made_square(name, from),
        Transform::Product => words::journal::made_product(name, from),
        Transform::Difference => {
            let [first, second] = [0, 1].map(|place| term.from.get(place).map_or("", String::as_str));
            let difference = match term.factor {
                Some(factor) => words::journal::less_times(factor, first, second),
                None => words::journal::less(first, second),
            };
            match (term.lower, term.upper) {
                (Some(lower), Some(upper)) => {
                    words::journal::made_difference_within(name, difference, lower, upper)
                }
                _ => words::journal::made_difference(name, difference),
            }
        }
        Transform::Centred => words::journal::made_centred(name, from, term.at.unwrap_or(0.0)),
        Transform::Spline => {
            let knots: Vec<String> = term.knots.iter().flatten().map(f64::to_string).collect();
            words::journal::made_spline(name, from, enumerated(&knots))
        }
        Transform::Merged => {
            let column = term.from.first().map_or("", String::as_str);
            let of_group = |group: &Group| {
                let levels: Vec<String> = group.levels.iter().map(|level| named(column, level)).collect();
                words::journal::group(&group.name, levels.join(", "))
            };
            let groups: Vec<String> = term.groups.iter().flatten().map(of_group).collect();
            words::journal::merged(name, from, groups.join("; "))
        }
    }
}

/// Returns a condition on the rows that count, as it is named in a sentence.
pub fn condition(condition: &Condition, named: Named<'_>) -> String {
    let column = &condition.column;
    match (condition.lower, condition.upper) {
        (Some(lower), Some(upper)) if lower.total_cmp(&upper).is_eq() => {
            words::journal::only_exact(column, lower)
        }
        (Some(lower), Some(upper)) => words::journal::only_range(column, lower, upper),
        (Some(lower), None) => words::journal::only_from(column, lower),
        (None, Some(upper)) => words::journal::only_up_to(column, upper),
        (None, None) => {
            let levels: Vec<String> =
                condition.levels.iter().flatten().map(|level| named(column, level)).collect();
            let levels = match levels.as_slice() {
                [before @ .., last] if !before.is_empty() => words::journal::only_or(before.join(", "), last),
                levels => levels.concat(),
            };
            words::journal::only_levels(column, levels)
        }
    }
}

/// Returns the conditions on the rows of a plan that count.
pub fn conditions(plan: &Plan) -> Vec<String> {
    plan.only.iter().map(|own| condition(own, &|name, level| level_name(plan, name, level))).collect()
}

/// Returns which rows counted, in a sentence, where they were chosen.
pub fn chosen_rows(plan: &Plan) -> Option<String> {
    let all = conditions(plan);
    let told = (!all.is_empty()).then(|| words::journal::only(all.join(", ")))?;
    let outcomes = named_with(plan, Role::Outcome);
    let narrows = |own: &&Condition| outcomes.contains(&own.column) && !holds_all(plan, own);
    let by_outcome = plan.only.iter().any(|own| narrows(&own));
    Some(if by_outcome { format!("{told} {}", words::journal::only_by_outcome()) } else { told })
}

/// Returns what a regression is called, with the rows that counted where the plan chooses them.
pub fn of_rows(plan: &Plan, named: String) -> String {
    let all = conditions(plan);
    if all.is_empty() { named } else { words::journal::of_rows(named, all.join(", ")) }
}

/// Returns whether all that is stated of a column meets a condition on it, so that it leaves out what is missing and what cannot be.
fn holds_all(plan: &Plan, condition: &Condition) -> bool {
    let Some(column) = column(plan, &condition.column) else { return false };
    match (&condition.levels, column.stated_bounds()) {
        (Some(chosen), _) => column.levels.iter().flatten().all(|level| chosen.contains(level)),
        (None, Some((lower, upper))) => {
            condition.lower.is_none_or(|from| from <= lower) && condition.upper.is_none_or(|to| to >= upper)
        }
        (None, None) => false,
    }
}

/// Returns the note on robust standard errors, where they are robust.
pub fn robust(notes: &[String]) -> Option<&String> {
    notes.iter().find(|note| matches!(Kind::of(note), Kind::Robust | Kind::RobustOfPersons))
}

/// Returns whether standard errors take the rows of each person together.
pub fn are_of_persons(notes: &[String]) -> bool {
    notes.iter().any(|note| Kind::of(note) == Kind::RobustOfPersons)
}

/// Returns the remarks that a file of numbers or a drawing carries with it.
pub fn remarks(release: &Release) -> Vec<String> {
    let notes = &release.diagnostics.notes;
    let robust = robust(notes).cloned();
    let demo = release.demo.as_ref().map(|_| words::journal::not_private().to_owned());
    demo.into_iter().chain(of_plan(&release.plan)).chain(robust).collect()
}
