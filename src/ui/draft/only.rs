//! A condition on the rows that count, as it is typed.

use super::columns::ColumnDraft;
use super::setup::Setup;
use super::terms::wrong_at;
use super::typed::{list, number};
use crate::plan::derived::name_of;
use crate::plan::document::{Condition, Transform};
use crate::words;

/// A condition as it is typed: a range, or levels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConditionDraft {
    /// The column.
    pub column: String,
    /// The smallest number; empty for none.
    pub lower: String,
    /// The largest number; empty for none.
    pub upper: String,
    /// Levels, separated by commas.
    pub levels: String,
}

impl ConditionDraft {
    /// Returns it as a plan has it. `None` if a number cannot be read.
    fn entry(&self) -> Option<Condition> {
        let bound = |typed: &str| match typed.trim() {
            "" => Some(None),
            typed => number(typed).map(Some),
        };
        let levels = Some(list(&self.levels)).filter(|levels| !levels.is_empty());
        Some(Condition {
            column: self.column.clone(),
            lower: bound(&self.lower)?,
            upper: bound(&self.upper)?,
            levels,
        })
    }
}

/// Lists the names of the differences by which rows can be chosen.
pub fn differences(setup: &Setup) -> Vec<String> {
    let all = setup.derived.iter().filter(|term| term.transform == Transform::Difference);
    all.map(name_of).collect()
}

/// Adds a condition to the setup, in place of one on the same column, and returns it.
///
/// # Errors
/// What is wrong with it in a table that is described so; the setup is then as it was.
pub fn choose_rows(
    columns: &[ColumnDraft],
    setup: &mut Setup,
    typed: &ConditionDraft,
) -> Result<Condition, Vec<String>> {
    let entry = typed
        .entry()
        .filter(|entry| *entry != Condition { column: entry.column.clone(), ..Condition::default() });
    let entry = entry.ok_or_else(|| vec![words::only::unread().to_owned()])?;
    let mut with = setup.clone();
    with.only.retain(|condition| condition.column != entry.column);
    with.only.push(entry.clone());
    let wrong = wrong_at(columns, &with, &format!("only[{}]", with.only.len() - 1));
    if !wrong.is_empty() {
        return Err(wrong);
    }
    with.restate_rows(setup.counted());
    *setup = with;
    Ok(entry)
}

/// Removes the condition on a column.
pub fn count_all_rows(setup: &mut Setup, column: &str) {
    let counted = setup.counted();
    setup.only.retain(|condition| condition.column != column);
    setup.restate_rows(counted);
}
