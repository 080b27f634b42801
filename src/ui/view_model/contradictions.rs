//! Where the cells on the screen contradict what is said of their columns. What is found here is for this machine alone.

use std::collections::{BTreeMap, BTreeSet};

use crate::data::first_line::Doubt;
use crate::data::mismatch::{Contradiction, Mismatch, Stated, mismatches};
use crate::model::Role;
use crate::plan::document::ColumnType;
use crate::ui::draft::{Cell, ColumnDraft, Gap, Place, Setup, csv_rules, list, number};
use crate::ui::table::Table;
use crate::words;

/// The contradictions of each column that has some, by its place.
pub type Contradictions = BTreeMap<usize, Vec<Mismatch>>;

/// A contradiction that the person has confirmed: the column, the kind, and the description that it was confirmed for.
pub type Confirmed = BTreeSet<(usize, Contradiction, String)>;

/// Compares the cells of all columns with a role with what is said of them.
pub fn contradictions(table: &Table, columns: &[ColumnDraft], setup: &Setup) -> Contradictions {
    let rules = csv_rules(setup, table.delimiter);
    let of_column = |(place, column): (usize, &ColumnDraft)| {
        let cells = table.rows.iter().filter_map(|row| row.get(place)).map(String::as_str);
        let levels = list(&column.levels);
        let stated = match column.kind? {
            ColumnType::Number => {
                Stated::Number { lower: number(&column.lower), upper: number(&column.upper) }
            }
            ColumnType::Category => Stated::Category { levels: &levels },
        };
        let found = mismatches(cells, stated, &rules);
        (!found.is_empty()).then_some((place, found))
    };
    let in_use = columns.iter().enumerate().filter(|(_, column)| column.role != Role::Ignored);
    in_use.filter_map(of_column).collect()
}

/// What a confirmation is for; another description has to be confirmed again.
pub fn confirmation(
    place: usize,
    column: &ColumnDraft,
    kind: Contradiction,
) -> (usize, Contradiction, String) {
    let ColumnDraft { kind: of, lower, upper, levels, .. } = column;
    (place, kind, format!("{of:?} {lower} {upper} {levels}"))
}

/// What holds a release back until it is repaired or confirmed. No text here quotes a cell.
pub fn open_questions(
    table: &Table,
    columns: &[ColumnDraft],
    setup: &Setup,
    found: &Contradictions,
    confirmed: &Confirmed,
) -> Vec<Gap> {
    let header = header_question(table, setup).map(|_| Gap::new(Place::data("header"), words::gap::header()));
    let of_column = |(place, found): (&usize, &Vec<Mismatch>)| {
        let column = columns.get(*place)?;
        let open = found.iter().find(|one| !confirmed.contains(&confirmation(*place, column, one.kind)))?;
        let text = words::gap::contradicted(&column.name);
        Some(Gap::new(Place::Cell(*place, cell(open, column)), text))
    };
    header.into_iter().chain(found.iter().filter_map(of_column)).collect()
}

/// Why the first line may not be the header, until the person has said.
pub fn header_question(table: &Table, setup: &Setup) -> Option<Doubt> {
    table.doubt.filter(|_| setup.header.is_none())
}

/// The cell of the column table that is contradicted.
fn cell(mismatch: &Mismatch, column: &ColumnDraft) -> Cell {
    let is_above =
        |cell: &String| number(cell).zip(number(&column.upper)).is_some_and(|(value, upper)| value > upper);
    match mismatch.kind {
        _ if column.kind == Some(ColumnType::Category) => Cell::Levels,
        Contradiction::Outside if mismatch.cells.iter().any(is_above) => Cell::Upper,
        Contradiction::Outside => Cell::Lower,
        _ => Cell::Kind,
    }
}
