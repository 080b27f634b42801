//! Levels that a term joins in place of their column, and their typical shares.
//!
//! The share of joined levels is typed once and belongs to the first of them. A plan states shares of the levels as they are spelled, so it
//! is divided evenly among them there.

use super::columns::ColumnDraft;
use super::typed::{in_percent, level, list, share};
use crate::model::Role;
use crate::plan::derived::name_of;
use crate::plan::document::{ColumnType, Derived, Group, Transform};
use crate::release::format::short;

/// Returns the levels of a category or of a term of merged levels, in their order; `terms` are those before which it stands.
pub fn levels_of(name: &str, columns: &[ColumnDraft], terms: &[Derived]) -> Vec<String> {
    let merged = |term: &Derived| term.transform == Transform::Merged && name_of(term) == name;
    if let Some(place) = terms.iter().position(merged) {
        let (term, before) = (&terms[place], &terms[..place]);
        let from = term.from.first().map(|from| levels_of(from, columns, before)).unwrap_or_default();
        let groups = grouped(&from, term.groups.as_deref().unwrap_or_default());
        return groups.into_iter().map(|group| group.name).collect();
    }
    let is_own = |column: &&ColumnDraft| column.name == name && column.kind == Some(ColumnType::Category);
    columns.iter().find(is_own).map(|column| list(&column.levels)).unwrap_or_default()
}

/// Returns levels as groups: those that are joined as one, each other alone.
fn grouped(levels: &[String], groups: &[Group]) -> Vec<Group> {
    let mut all: Vec<Group> = Vec::new();
    for level in levels {
        let joined = groups.iter().find(|group| group.levels.contains(level));
        let name = joined.map_or(level, |group| &group.name);
        match all.iter_mut().find(|own| own.name == *name) {
            Some(own) => own.levels.push(level.clone()),
            None => all.push(Group { name: name.clone(), levels: vec![level.clone()] }),
        }
    }
    all
}

/// Returns the levels of a column that one term joins in its place. `None` if the column itself is used, or by another term too.
fn joined(column: &ColumnDraft, terms: &[Derived]) -> Option<(Vec<Group>, String)> {
    let mut serves = terms.iter().filter(|term| term.from.contains(&column.name));
    let (term, None) = (serves.next()?, serves.next()) else { return None };
    let in_place = term.transform == Transform::Merged && column.role == Role::Ignored;
    let groups = grouped(&list(&column.levels), term.groups.as_deref().filter(|_| in_place)?);
    let own = level(column.reference.trim());
    let of_column = groups.iter().find(|group| group.levels.contains(&own)).or(groups.first())?;
    let reference = term.reference.clone().unwrap_or_else(|| of_column.name.clone());
    Some((groups, reference))
}

/// Returns the joined levels whose typical shares are asked for: of two the one that is not the reference, of more all. `None` if
/// none are joined in place of the column.
pub fn joined_levels(column: &ColumnDraft, terms: &[Derived]) -> Option<Vec<Group>> {
    let (mut groups, reference) = joined(column, terms)?;
    if groups.len() == 2 {
        groups.retain(|group| group.name != reference);
    }
    Some(groups)
}

/// Returns the share of levels together as it was typed; a sum where a plan states that of each.
pub fn typed_share(column: &ColumnDraft, levels: &[String]) -> String {
    let typed = levels.iter().filter_map(|level| column.typical_shares.get(level));
    match typed.filter(|text| !text.trim().is_empty()).collect::<Vec<_>>().as_slice() {
        [] => String::new(),
        [one] => (*one).clone(),
        several => short(100.0 * several.iter().filter_map(|text| share(text)).sum::<f64>(), 8),
    }
}

/// Keeps the share of levels together as it is typed.
pub fn set_share(column: &mut ColumnDraft, levels: &[String], text: String) {
    column.typical_shares.retain(|level, _| !levels.contains(level));
    column.typical_shares.extend(levels.first().map(|first| (first.clone(), text)));
}

/// Returns the column with the share of joined levels divided among them.
pub fn with_divided_shares(column: &ColumnDraft, terms: &[Derived]) -> ColumnDraft {
    let mut column = column.clone();
    for Group { levels, .. } in joined(&column, terms).map(|(groups, _)| groups).unwrap_or_default() {
        if let Some(whole) = share(&typed_share(&column, &levels)) {
            let each = in_percent(whole / f64::from(u32::try_from(levels.len()).unwrap_or(1)));
            column.typical_shares.extend(levels.into_iter().map(|level| (level, each.clone())));
        }
    }
    column
}
