//! Shows what `plan::check` finds wrong with a plan at the fields that it was made from.

use super::columns::ColumnDraft;
use super::patterns::claims;
use super::place::{Cell, Gap, Place};
use super::typed::{list, number, two_numbers};
use crate::model::Role;
use crate::plan::{Plan, PlanError};
use crate::ui::sentence::fault;
use crate::ui::step::Step;
use crate::words;

/// Lists everything that is wrong with a plan, at the fields of the page. An entry that stands for several columns gives a gap in each.
pub(super) fn gaps(errors: &[PlanError], plan: &Plan, columns: &[ColumnDraft]) -> Vec<Gap> {
    let rows = rows(plan, columns);
    let mut gaps = Vec::new();
    let has_outcome = columns.iter().any(|column| column.role == Role::Outcome);
    for error in errors {
        let Some((entry, cell)) = cell(&error.path) else {
            // If there is an outcome, a feature is missing, and the page asks for one in any case.
            if error.path != "columns" || !has_outcome {
                gaps.push(at_field(error));
            }
            continue;
        };
        for row in rows.get(entry).into_iter().flatten() {
            if let Some(draft) = columns.get(*row) {
                let made = plan.derived_with(Role::Outcome).any(|term| term.from.contains(&draft.name));
                let text = format!("{}: {}", draft.name, cell_words(error, cell, draft, made));
                gaps.push(Gap::new(Place::Cell(*row, cell), text));
            }
        }
    }
    gaps
}

/// Finds where on the page a path of the plan is edited.
pub fn place(path: &str, plan: &Plan, columns: &[ColumnDraft]) -> Place {
    if let Some((entry, cell)) = cell(path) {
        let row = rows(plan, columns).get(entry).and_then(|rows| rows.first().copied());
        return row.map_or(Place::Whole(Step::Columns), |row| Place::Cell(row, cell));
    }
    field(path)
}

/// Returns the rows of the column table that each entry of the plan stands for.
fn rows(plan: &Plan, columns: &[ColumnDraft]) -> Vec<Vec<usize>> {
    let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
    claims(&plan.columns, &names, plan.person.as_deref().unwrap_or_default())
}

/// Returns the entry of the plan's columns that a path names.
pub(super) fn entry(path: &str) -> Option<usize> {
    cell(path).map(|(entry, _)| entry)
}

/// Returns the entry of the plan's columns that a path names, and the cell where it is typed.
fn cell(path: &str) -> Option<(usize, Cell)> {
    let rest = path.strip_prefix("columns[")?;
    let entry = rest.split(']').next().and_then(|text| text.parse().ok()).unwrap_or(0);
    let cell = match rest.rsplit('.').next() {
        Some("lower") => Cell::Lower,
        Some("upper") => Cell::Upper,
        Some("levels") => Cell::Levels,
        Some("reference") => Cell::Reference,
        Some("type") => Cell::Kind,
        _ => Cell::Role,
    };
    Some((entry, cell))
}

/// The consent that a plan needs whose bounds may not be found.
pub const UNCERTAIN_BOUNDS: &str = "uncertain-bounds";

/// Returns the field of a path that belongs to no column.
fn field(path: &str) -> Place {
    match path {
        "budget" => Place::privacy("epsilon"),
        "rows" | "stated_rows" => Place::privacy("rows"),
        "max_rows_per_person" => Place::privacy("max-rows"),
        "person" | "adjacency" | "protect" => Place::privacy(path),
        "estimate_share" | UNCERTAIN_BOUNDS => Place::columns(path),
        path if path.starts_with("derived") => Place::columns("terms"),
        path if path.starts_with("only") => Place::columns("only"),
        path if path.starts_with("budget.") => Place::privacy(path.trim_start_matches("budget.")),
        path if path.starts_with("csv") => Place::Whole(Step::Data),
        path if path.starts_with("public") => Place::method("public"),
        path if path.starts_with("columns") => Place::Whole(Step::Columns),
        path => Place::method(path.rsplit('.').next().unwrap_or_default()),
    }
}

/// Words an error for the page, at its field. The plan's own words speak of the document.
fn at_field(error: &PlanError) -> Gap {
    let (place, text) = match error.path.as_str() {
        "rows" => (Place::privacy("rows"), words::gap::rows_exact()),
        "protect" => (Place::privacy("adjacency"), words::gap::adjacency()),
        "confirm" => (Place::privacy("protect"), words::gap::protect()),
        "columns" => (Place::Whole(Step::Columns), words::gap::outcome()),
        "confidence" => (Place::method("confidence"), words::gap::confidence()),
        "max_rows_per_person" => (Place::privacy("max-rows"), words::gap::max_rows()),
        path => return Gap::new(field(path), fault(error)),
    };
    Gap::new(place, text)
}

/// Says what is wrong with a cell. `made` is whether an outcome is made from its column.
fn cell_words(error: &PlanError, cell: Cell, draft: &ColumnDraft, made: bool) -> String {
    let bound = |typed: &str, missing: &'static str| match number(typed) {
        // Where it is estimated, the fault is another one.
        None if typed.trim().is_empty() => Some(missing).filter(|_| !draft.is_estimated()),
        None if two_numbers(typed).is_some() => Some(words::gap::two_numbers()),
        None => Some(words::gap::not_a_number()),
        Some(_) => None,
    };
    if error.what == words::plan::levels_few() {
        return list(&draft.levels)
            .first()
            .map_or_else(|| words::gap::levels().to_owned(), words::gap::one_level);
    }
    let words = match cell {
        Cell::Kind => Some(words::gap::kind()),
        _ if error.what == words::plan::outcome_levels() && made => Some(words::gap::merged_already()),
        _ if error.what == words::plan::outcome_levels() => Some(words::gap::outcome_levels()),
        _ if error.what == words::plan::bounds_order() => Some(words::gap::bounds_order()),
        Cell::Lower => bound(&draft.lower, words::gap::lower()),
        Cell::Upper => bound(&draft.upper, words::gap::upper()),
        _ => None,
    };
    words.map_or_else(|| fault(error), str::to_owned)
}
