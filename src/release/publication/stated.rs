//! What was stated before a release was made, and how it was made: public, and needed to read the numbers.

use super::super::Release;
use super::super::figure;
use super::super::format::{at_most, short};
use super::super::odds::Answers;
use super::super::remarks::{chosen_rows, made_in};
use super::draft;
use super::tables::head;
use super::{DecimalMark, MOST_OUTCOMES, Table};
use crate::model::Role;
use crate::plan::document::{Column, ColumnType, Transform};
use crate::privacy::adjacency::Adjacency;
use crate::words;

/// Returns the columns with their bounds or levels. The notes say which rows counted, what was made of columns, and what a missing cell is.
pub fn columns(release: &Release, log_odds: bool, decimal: DecimalMark) -> Table {
    let row = |column: &Column| {
        let role = match column.role {
            Role::Outcome => words::columns::outcome(),
            Role::Feature => words::columns::feature(),
            Role::Ignored => words::report::in_a_term(),
        };
        let name = column.name.clone().unwrap_or_default();
        vec![name, role.to_owned(), noted(column, stated(column, log_odds, decimal))]
    };
    // Which levels are merged stands among the notes of a release.
    let derived = release.plan.derived.iter().filter(|term| term.transform != Transform::Merged);
    let made = derived.map(|term| made_in(&release.plan, term));
    Table {
        caption: words::report::columns().to_owned(),
        heads: [words::columns::column(), words::columns::role(), words::report::stated()].map(head).to_vec(),
        rows: figure::stated_columns(release).iter().take(MOST_OUTCOMES).map(row).collect(),
        notes: chosen_rows(&release.plan)
            .into_iter()
            .chain(made)
            .chain(draft::missing(&release.plan))
            .collect(),
    }
}

/// Returns what is stated of a column, and behind it what the plan calls it and notes of it.
fn noted(column: &Column, stated: String) -> String {
    [Some(stated), column.label.clone(), column.note.clone()]
        .into_iter()
        .flatten()
        .filter(|text| !text.is_empty())
        .collect::<Vec<_>>()
        .join(". ")
}

fn stated(column: &Column, log_odds: bool, decimal: DecimalMark) -> String {
    let answers = Answers::of(column, log_odds).filter(|_| column.role == Role::Outcome);
    if column.kind == Some(ColumnType::Category) {
        let named = |level: &String| match column.level_name(level) {
            own if own == level => level.clone(),
            label => words::report::level_with_label(level, label),
        };
        let levels: Vec<String> = column.levels.iter().flatten().map(named).collect();
        let reference = column.reference_level().map(named).unwrap_or_default();
        let levels = levels.join(", ");
        return match answers {
            Some(answers) => words::report::range_of_answers(levels, answers.words()),
            None => words::report::levels(levels, reference),
        };
    }
    let Some((lower, upper)) = column.stated_bounds() else { return String::new() };
    let range = decimal.of_numbers(words::page::from_to(short(lower, 6), short(upper, 6)));
    let range = column.unit.as_ref().map_or(range.clone(), |unit| format!("{range} {unit}"));
    match answers {
        Some(answers) => words::report::range_of_answers(range, answers.words()),
        None => range,
    }
}

/// Returns the mechanism, which tables are neighbours, what was charged, and the program.
pub fn setting(release: &Release) -> Vec<String> {
    let (plan, privacy, software) = (&release.plan, &release.privacy, &release.software);
    let rows = match plan.adjacency {
        Adjacency::AddRemove => words::report::add_remove().to_owned(),
        Adjacency::ReplaceOne => {
            plan.rows.map_or_else(|| words::report::replace_one().to_owned(), words::report::replace_one_rows)
        }
    };
    let number = |name: &str, value: Option<f64>| value.map(|value| format!("{name} {}", at_most(value)));
    let numbers = [
        number("epsilon", privacy.epsilon),
        number("delta", privacy.delta),
        number("mu", privacy.mu),
        number("rho", privacy.rho),
    ];
    let numbers: Vec<String> = numbers.into_iter().flatten().collect();
    let charged = match release.ledger {
        Some(_) => words::report::charged(numbers.join(", ")),
        None => words::report::no_ledger().to_owned(),
    };
    let program = words::report::software(&software.name, &software.version, &software.build);
    vec![words::report::mechanism(&plan.mechanism.name), rows, charged, program]
}
