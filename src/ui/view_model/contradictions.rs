//! Where the cells on the screen contradict what is said of their columns. What is found here is for this machine alone.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::data::first_line::{Doubt, without_units};
use crate::data::genotypes::none_joined;
use crate::data::inspection::{Misfits, are_many};
use crate::data::mismatch::{
    Contradiction, Mismatch, Repair, Stated, breaks, codes, could_be_persons, meeting, mismatches,
    names_persons, other_capitals, persons, spelt_twice, survey_weight, turned_round, two_values, unmet,
};
use crate::mechanisms::find;
use crate::model::Role;
use crate::plan::bound::{BoundCondition, CsvRules, FieldRules};
use crate::plan::document::{ColumnType, Derived, Transform};
use crate::plan::number_format::NumberFormat;
use crate::ui::draft::{Cell, ColumnDraft, Gap, Place, Setup, confirmation, csv_rules, list, number};
use crate::ui::sentence::sentence;
use crate::ui::table::Table;
use crate::ui::view_model::Inspection;
use crate::words;

/// The end of the identifier of what is said where few samples have a row in the phenotypes.
const PHENOTYPES: &str = "phenotypes";

/// The contradictions of each column that has some, by its place.
pub type Contradictions = BTreeMap<usize, Vec<Mismatch>>;

/// The first rows of a table, as they are compared with what is said of their columns.
struct FirstRows<'a> {
    table: &'a Table,
    /// Those that count, without a line of units.
    rows: Cow<'a, [Vec<String>]>,
    /// The conditions that none of them meets, each with its column.
    unmet: Vec<(usize, Mismatch)>,
    rules: CsvRules,
    /// The columns of numbers that are written as the file's.
    numbers: Vec<usize>,
}

impl<'a> FirstRows<'a> {
    fn new(table: &'a Table, columns: &[ColumnDraft], setup: &Setup) -> Self {
        let numbers = columns
            .iter()
            .enumerate()
            .filter(|(_, column)| column.kind == Some(ColumnType::Number) && column.written.is_none())
            .map(|(place, _)| place)
            .collect();
        let rules = csv_rules(setup, table.delimiter);
        let own = columns
            .iter()
            .enumerate()
            .filter(|(_, column)| column.written.is_some() || !column.na.is_empty());
        let own = own.map(|(place, column)| {
            let numbers = column.written.unwrap_or(rules.numbers);
            (place, FieldRules { numbers, na: list(&column.na) })
        });
        let read = CsvRules { by_field: own.collect(), ..rules.clone() };
        let bound = setup.only.iter().filter_map(|condition| {
            let field = columns.iter().position(|column| column.name == condition.column)?;
            Some(BoundCondition::of(condition, field))
        });
        let only: Vec<BoundCondition> = bound.collect();
        let rows = without_units(&table.rows, &rules);
        let unmet = unmet(rows, &only, &read);
        Self { table, rows: meeting(rows, &only, &read), unmet, rules, numbers }
    }

    /// Compares the cells of a column, and a further one of the file, with what is said of it.
    fn compare(&self, place: usize, column: &ColumnDraft, further: Option<&str>) -> Vec<Mismatch> {
        let rules = &self.rules;
        let first = || self.rows.iter().filter_map(|row| row.get(place)).map(String::as_str);
        let levels = list(&column.levels);
        let stated = match column.kind {
            Some(ColumnType::Number) => {
                Stated::Number { lower: number(&column.lower), upper: number(&column.upper) }
            }
            Some(ColumnType::Category) => Stated::Category { levels: &levels },
            None => Stated::Category { levels: &[] },
        };
        let na = rules.na.iter().cloned().chain(list(&column.na)).collect();
        let read = CsvRules { numbers: column.written.unwrap_or(rules.numbers), na, ..rules.clone() };
        let mut found = mismatches(&column.name, first().chain(further), stated, &read);
        if column.role == Role::Feature {
            found.extend(survey_weight(&column.name, first(), &read));
            if column.kind == Some(ColumnType::Number) {
                found.extend(codes(&column.name, first(), &read));
            }
        } else if column.role == Role::Outcome && column.kind == Some(ColumnType::Category) {
            found.extend(turned_round(&levels, &column.reference));
        }
        if column.role != Role::Ignored && column.kind == Some(ColumnType::Category) {
            found.extend(spelt_twice(&levels));
        }
        for repair in found.iter_mut().flat_map(|mismatch| &mut mismatch.repairs) {
            if let Repair::Format(format) = *repair
                && self.is_own(column, format)
            {
                *repair = Repair::OwnFormat(format);
            }
        }
        found
    }

    /// Returns whether a format belongs to the column alone, since the rest of the table is not written in it.
    fn is_own(&self, column: &ColumnDraft, format: NumberFormat) -> bool {
        let of_table = column.written.is_none() && format.decimal != self.table.delimiter;
        !of_table || breaks(&self.rows, self.numbers.iter().copied(), &self.rules, format)
    }
}

/// Returns the repairs of a column that a further cell of the file asks for, beside those from its first rows. Levels are not respelt by it, since
/// the cell may be of one person alone.
pub fn repairs_of(
    table: &Table,
    columns: &[ColumnDraft],
    setup: &Setup,
    place: usize,
    further: &str,
) -> Vec<Repair> {
    let Some(column) = columns.get(place) else { return Vec::new() };
    let first = FirstRows::new(table, columns, setup);
    let repairs =
        |further| first.compare(place, column, further).into_iter().flat_map(|mismatch| mismatch.repairs);
    let known: Vec<Repair> = repairs(None).collect();
    let is_new = |repair: &Repair| !known.contains(repair) && !matches!(repair, Repair::Levels(_));
    repairs(Some(further)).filter(is_new).collect()
}

/// Compares the cells of all columns with a role, and of those that serve a term, with what is said of them. `whole` is
/// the check of the whole file, and `misfits` the cells that do not fit by it.
pub fn contradictions(
    table: &Table,
    columns: &[ColumnDraft],
    setup: &Setup,
    whole: Option<&Inspection>,
    misfits: &BTreeMap<usize, Misfits>,
) -> Contradictions {
    let several_rows = whole.and_then(|whole| whole.persons.as_ref()).filter(|of| of.several == Some(true));
    let in_whole = whole.map_or(0, |whole| whole.found.rows);
    let first = FirstRows::new(table, columns, setup);
    let rules = &first.rules;
    // Conditions make gaps in a number of rows, which is then no longer seen to be one.
    let rows = without_units(&table.rows, rules);
    let of_column = |(place, column): (usize, &ColumnDraft)| {
        let mut found = first.compare(place, column, None);
        // The table of phenotypes is what to ask about, and not each of its columns.
        if table.lacks_rows(place) {
            found.retain(|mismatch| !matches!(mismatch.kind, Contradiction::Missing { .. }));
        }
        let is_joined =
            |term: &Derived| term.transform == Transform::Merged && term.from.contains(&column.name);
        if setup.derived.iter().any(is_joined) {
            found.retain(|mismatch| mismatch.kind != Contradiction::SpeltTwice);
        }
        if let Some(misfits) = misfits.get(&place) {
            add_codes(&mut found, misfits);
            add_spellings(&mut found, misfits, column);
            add_further(&mut found, misfits, column, in_whole);
            add_ends(&mut found, misfits);
        }
        (!found.is_empty()).then_some((place, found))
    };
    let of_ignored = |(place, column): (usize, &ColumnDraft)| {
        let cells = rows.iter().filter_map(|row| row.get(place)).map(String::as_str);
        let in_file = || Mismatch {
            kind: Contradiction::SeveralRows,
            cells: Vec::new(),
            repairs: vec![Repair::Person],
        };
        let found = match persons(&column.name, cells, rules) {
            Some(found) if found.kind == Contradiction::SeveralRows => Some(found),
            _ if several_rows.is_some_and(|of| of.column == column.name) => Some(in_file()),
            found => found,
        };
        Some((place, vec![found.filter(|_| setup.person.is_empty())?]))
    };
    let serves = |column: &ColumnDraft| setup.derived.iter().any(|term| term.from.contains(&column.name));
    let of_any = |(place, column): (usize, &ColumnDraft)| match column.role {
        Role::Ignored if !serves(column) => of_ignored((place, column)),
        _ => of_column((place, column)),
    };
    let mut found: Contradictions = columns.iter().enumerate().filter_map(of_any).collect();
    for (place, unmet) in first.unmet.iter().filter(|(place, _)| !table.lacks_rows(*place)) {
        found.entry(*place).or_default().push(unmet.clone());
    }
    if let Some((place, cell)) = &table.totals {
        let totals = Mismatch { kind: Contradiction::Totals, cells: vec![cell.clone()], repairs: Vec::new() };
        found.entry(*place).or_default().push(totals);
    }
    found
}

/// Adds the codes for missing values that the whole file has to those of the first rows.
fn add_codes(found: &mut Vec<Mismatch>, misfits: &Misfits) {
    let place = found.iter().position(|mismatch| mismatch.kind == Contradiction::Code);
    let mut codes = place.map(|place| found.remove(place).cells).unwrap_or_default();
    for code in misfits.likely_codes() {
        if !codes.contains(code) {
            codes.push(code.clone());
        }
    }
    if !codes.is_empty() {
        let repairs = vec![Repair::Missing(codes.clone())];
        found.push(Mismatch { kind: Contradiction::Code, cells: codes, repairs });
    }
}

/// Adds the cells of the whole file that are a level but for capital letters.
fn add_spellings(found: &mut Vec<Mismatch>, misfits: &Misfits, column: &ColumnDraft) {
    let is_asked = |one: &Mismatch| matches!(one.kind.answered(), Contradiction::Levels);
    if column.kind == Some(ColumnType::Category) && !found.iter().any(is_asked) {
        let cells = misfits.cells.iter().map(|(cell, _)| cell.as_str());
        found.extend(other_capitals(&list(&column.levels), cells));
    }
}

/// Adds what the whole file has often and its first rows have not.
fn add_further(found: &mut Vec<Mismatch>, misfits: &Misfits, column: &ColumnDraft, rows: u64) {
    if !found.is_empty() {
        return;
    }
    let mut add = |kind, cells| found.push(Mismatch { kind, cells, repairs: Vec::new() });
    if are_many(misfits.unread, rows) {
        let kind = if column.kind == Some(ColumnType::Category) {
            Contradiction::Levels
        } else {
            Contradiction::Words
        };
        add(kind, misfits.usual_cells().into_iter().map(str::to_owned).collect());
    } else if are_many(misfits.outside, rows) {
        add(Contradiction::Beyond { above: 2 * misfits.above > misfits.outside }, Vec::new());
    }
}

/// Adds that a bound is exactly the end of what the column has.
fn add_ends(found: &mut Vec<Mismatch>, misfits: &Misfits) {
    let [lower, upper] = misfits.ends();
    let ends = [(lower, false), (upper, true)].into_iter().filter(|(is_end, _)| *is_end);
    let ends = ends.map(|(_, upper)| Contradiction::AtEnd { upper });
    found.extend(ends.map(|kind| Mismatch { kind, cells: Vec::new(), repairs: Vec::new() }));
}

/// Lists what holds a release back until it is repaired or confirmed. No text here quotes a cell.
pub fn open_questions(
    table: &Table,
    columns: &[ColumnDraft],
    setup: &Setup,
    found: &Contradictions,
) -> Vec<Gap> {
    let header = header_question(table, setup).map(|_| Gap::new(Place::data("header"), words::gap::header()));
    let joined = samples_question(table, setup).map(|text| Gap::new(Place::data(PHENOTYPES), text));
    let of_column = |(place, found): (&usize, &Vec<Mismatch>)| {
        let column = columns.get(*place)?;
        let open =
            found.iter().find(|one| !setup.confirmed.contains(&confirmation(*place, column, one.kind)))?;
        let name = &column.name;
        let text = match open.kind {
            Contradiction::SeveralRows | Contradiction::Persons => words::gap::persons(name),
            Contradiction::Totals => words::gap::totals(name),
            Contradiction::TurnedRound
            | Contradiction::SpeltTwice
            | Contradiction::Codes
            | Contradiction::Thousands
            | Contradiction::AtEnd { .. }
            | Contradiction::Weight => words::gap::asked(name),
            _ => words::gap::contradicted(name),
        };
        Some(Gap::new(Place::Cell(*place, cell(open, column)), text))
    };
    header.into_iter().chain(joined).chain(found.iter().filter_map(of_column)).collect()
}

/// Returns the only two values of an outcome that is described as a number, while no method for a yes-or-no outcome is chosen.
pub fn may_be_yes_or_no(
    table: &Table,
    columns: &[ColumnDraft],
    setup: &Setup,
) -> Option<(usize, [String; 2])> {
    let is_number =
        |column: &ColumnDraft| column.role == Role::Outcome && column.kind == Some(ColumnType::Number);
    let (place, _) = columns.iter().enumerate().find(|(_, column)| is_number(column))?;
    if setup.mechanism.as_deref().and_then(find).is_some_and(|info| info.labels) {
        return None;
    }
    let rules = csv_rules(setup, table.delimiter);
    let rows = without_units(&table.rows, &rules);
    let cells = || rows.iter().filter_map(|row| row.get(place)).map(String::as_str);
    // A rare answer may not be among the first rows.
    let bounds = columns.get(place).and_then(|column| number(&column.lower).zip(number(&column.upper)));
    let coded =
        bounds.filter(|(lower, upper)| (upper - lower - 1.0).abs() < f64::EPSILON).map(|(lower, upper)| {
            // As a whole number is written.
            [lower, upper].map(|bound| bound.to_string())
        });
    let has = |pair: &[String; 2]| {
        cells().all(|cell| rules.is_missing(cell) || pair.iter().any(|value| value == cell.trim()))
    };
    Some((place, two_values(cells(), &rules).or_else(|| coded.filter(has))?))
}

/// Returns whether each row counts as one person while a column could tell persons apart.
pub fn persons_may_repeat(table: &Table, columns: &[ColumnDraft], setup: &Setup) -> bool {
    let rules = csv_rules(setup, table.delimiter);
    let rows = without_units(&table.rows, &rules);
    let could_be = |(place, column): (usize, &ColumnDraft)| {
        let cells = rows.iter().filter_map(|row| row.get(place)).map(String::as_str);
        names_persons(&column.name) && column.role != Role::Ignored
            || column.role != Role::Outcome && could_be_persons(cells, &rules)
    };
    setup.person.is_empty() && columns.iter().enumerate().any(could_be)
}

/// Returns whether the line below the header holds units. False until it is known which line is the header.
pub fn has_units_below_header(table: &Table, setup: &Setup) -> bool {
    header_question(table, setup).is_none()
        && without_units(&table.rows, &csv_rules(setup, table.delimiter)).len() < table.rows.len()
}

/// Counts the columns that have cells but no name. A plan cannot name them.
pub fn unnamed(table: &Table, columns: &[ColumnDraft]) -> usize {
    let has_cells = |place: usize| {
        table.rows.iter().any(|row| row.get(place).is_some_and(|cell| !cell.trim().is_empty()))
    };
    columns.iter().enumerate().filter(|(place, column)| column.name.is_empty() && has_cells(*place)).count()
}

/// Returns why the first line may not be the header, until the person has answered.
pub fn header_question(table: &Table, setup: &Setup) -> Option<Doubt> {
    table.doubt.filter(|_| setup.header.is_none())
}

/// Says that no sample has a row in the phenotypes, where that is so. A release is refused then.
pub fn no_sample(table: &Table) -> Option<String> {
    table.few_matches().filter(|matches| matches.are_none()).map(|_| sentence(&none_joined().to_string()))
}

/// Says what to do about phenotypes that few samples have, until the person has confirmed it. Where no sample has a row, nothing can be confirmed.
/// The text has no count.
fn samples_question(table: &Table, setup: &Setup) -> Option<String> {
    let few = table.few_matches()?;
    let told = || words::gap::few_samples().to_owned();
    no_sample(table).or_else(|| (setup.few_confirmed != Some(few)).then(told))
}

/// Returns the cell of the column table that is contradicted.
fn cell(mismatch: &Mismatch, column: &ColumnDraft) -> Cell {
    let is_above =
        |cell: &String| number(cell).zip(number(&column.upper)).is_some_and(|(value, upper)| value > upper);
    match mismatch.kind {
        Contradiction::SeveralRows
        | Contradiction::Persons
        | Contradiction::Totals
        | Contradiction::Unmet
        | Contradiction::Weight => Cell::Role,
        _ if column.kind == Some(ColumnType::Category) => Cell::Levels,
        Contradiction::Shares
        | Contradiction::Beyond { above: true }
        | Contradiction::AtEnd { upper: true } => Cell::Upper,
        Contradiction::Outside if mismatch.cells.iter().any(is_above) => Cell::Upper,
        Contradiction::Outside
        | Contradiction::Beyond { above: false }
        | Contradiction::AtEnd { upper: false } => Cell::Lower,
        _ => Cell::Kind,
    }
}
