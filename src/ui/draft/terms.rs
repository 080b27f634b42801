//! A derived term as it is typed.

use super::typed::{list, number};
use crate::model::Role;
use crate::plan::document::{Derived, Group, Transform};

/// A derived term as it is typed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TermDraft {
    /// The function.
    pub transform: Transform,
    /// The columns that it is made from, separated by commas.
    pub from: String,
    /// Its public numbers or groups: `0.5`, `40 60 75`, `ever = former, light; rare = a, b`.
    pub value: String,
    /// Whether it is an outcome.
    pub outcome: bool,
}

impl TermDraft {
    /// Returns it as an entry of a plan for a table with these columns; nothing where its value cannot be read.
    #[must_use]
    pub fn entry(&self, columns: &[String]) -> Option<Derived> {
        let typed = self.value.trim();
        let mut entry = Derived {
            transform: self.transform,
            from: named(&self.from, columns),
            role: self.outcome.then_some(Role::Outcome),
            ..Derived::default()
        };
        match self.transform {
            Transform::Log if typed.is_empty() => {}
            Transform::Log => entry.offset = Some(number(typed)?),
            Transform::Centred => entry.at = Some(number(typed)?),
            Transform::Spline => {
                entry.knots = Some(typed.split_whitespace().map(number).collect::<Option<_>>()?);
            }
            Transform::Merged => entry.groups = Some(typed.split(';').map(group).collect::<Option<_>>()?),
            Transform::Square | Transform::Product => {}
        }
        Some(entry)
    }
}

/// Reads names of columns, which may have commas of their own: the most parts that make the name of a column belong together, and what
/// stands in double quotes does.
fn named(text: &str, columns: &[String]) -> Vec<String> {
    if text.contains('"') {
        return list(text);
    }
    let parts: Vec<&str> = text.split(',').collect();
    let mut names = Vec::new();
    let mut start = 0;
    while start < parts.len() {
        let whole = |end: &usize| columns.iter().find(|name| **name == parts[start..*end].join(",").trim());
        let end = (start + 1..=parts.len()).rev().find(|end| whole(end).is_some()).unwrap_or(start + 1);
        names.push(parts[start..end].join(",").trim().to_owned());
        start = end;
    }
    names.retain(|name| !name.is_empty());
    names
}

/// Reads `name = level, level`.
fn group(text: &str) -> Option<Group> {
    let (name, levels) = text.split_once('=')?;
    Some(Group { name: name.trim().to_owned(), levels: list(levels) })
}
