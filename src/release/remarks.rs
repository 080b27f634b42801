//! What a reader of the coefficients alone has to know beside them: that they are of a demonstration, which levels were merged, and that
//! standard errors are robust.

use super::Release;
use crate::plan::Plan;
use crate::plan::derived::name_of;
use crate::plan::document::{Derived, Group, Transform};
use crate::words;

/// Returns which levels a plan merges, in a sentence for each term.
#[must_use]
pub fn merged(plan: &Plan) -> Vec<String> {
    let of_group = |group: &Group| words::journal::group(&group.name, group.levels.join(", "));
    let of_term = |term: &Derived| {
        let groups: Vec<String> = term.groups.iter().flatten().map(of_group).collect();
        words::journal::merged(name_of(term), term.from.join(", "), groups.join("; "))
    };
    plan.derived.iter().filter(|term| term.transform == Transform::Merged).map(of_term).collect()
}

/// Returns the remarks that a file of numbers or a drawing carries with it.
#[must_use]
pub fn remarks(release: &Release) -> Vec<String> {
    let notes = &release.diagnostics.notes;
    let robust = notes.iter().filter(|note| note.starts_with(words::note::robust())).cloned();
    let demo = release.demo.as_ref().map(|_| words::journal::not_private().to_owned());
    demo.into_iter().chain(merged(&release.plan)).chain(robust).collect()
}
