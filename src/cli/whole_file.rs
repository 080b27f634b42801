//! Warnings from all rows before a charge: what the first rows do not show. Like those of the first rows they name a column and a
//! kind, never a cell or a count.

use std::io::{self, Write};

use super::job::Job;
use super::warnings::{FIRST, LATER, Warned, told_of, told_of_rows};
use crate::data::inspection::{Column, Counts, Misfits, are_many};
use crate::data::mismatch::{Contradiction, Stated, mismatches, other_capitals};
use crate::model::Missing;
use crate::plan::bound::CsvRules;
use crate::words;

/// What to do about a difference that is the other way round.
const MOST_OUTSIDE: &str =
    "most rows lie outside its own range, and are clipped to it; is it the first column less the second?";

/// What is counted of all rows.
pub struct WholeFile {
    /// The columns whose cells are counted.
    pub columns: Vec<Column>,
    /// The name of each one's field.
    names: Vec<String>,
    csv: CsvRules,
    missing: Missing,
}

impl WholeFile {
    /// Returns what is counted for a plan.
    pub fn of(job: &Job) -> Self {
        let bound = job.prepared.fit().bound();
        let columns = Column::all(bound);
        let name = |column: &Column| column.field().map(|field| job.name_of(field)).unwrap_or_default();
        let names = columns.iter().map(|column| name(column).to_owned()).collect();
        Self { columns, names, csv: bound.csv.clone(), missing: bound.missing }
    }

    /// Writes what the later rows show alone, and adds it to what was warned of; nothing where no row can count by the first ones.
    pub fn warn(&self, counts: &Counts, warned: &mut Warned) {
        if warned.stop.is_some() {
            return;
        }
        let mut found = self.of_columns(counts);
        found.retain(|warning| !warned.said.contains(&warning.at_first));
        let mut said: Vec<String> = found.into_iter().map(|warning| warning.text).collect();
        said.extend(self.of_rows(counts));
        if counts.used == 0 {
            warned.stop = Some(words::error::cli_no_row().to_owned());
        }
        let mut errors = io::stderr().lock();
        for warning in &said {
            // A failure to write a warning is ignored: the release is what was asked for.
            let _ = writeln!(errors, "discreet: warning: {warning}");
        }
        warned.said.extend(said);
    }

    fn of_columns(&self, counts: &Counts) -> Vec<Warning> {
        let rows = counts.chosen;
        let of_column = |((column, name), misfits): ((&Column, &String), &Misfits)| match column {
            Column::Difference { name, .. } if 2 * misfits.outside > rows => {
                vec![Warning { text: told_of(name, MOST_OUTSIDE), at_first: String::new() }]
            }
            _ => {
                let warning = |kind| {
                    let told = |rows| told_of_rows(name, kind, rows);
                    Warning { text: told(LATER), at_first: told(FIRST) }
                };
                kinds(column, misfits, rows, &self.csv).into_iter().map(warning).collect()
            }
        };
        let counted = counts.clone().into_columns();
        self.columns.iter().zip(&self.names).zip(&counted).flat_map(of_column).collect()
    }

    /// Returns that most rows are left out, and by which columns.
    fn of_rows(&self, counts: &Counts) -> Option<String> {
        if counts.chosen == 0 {
            return Some("no row meets all conditions of `only`, and other rows do not count".to_owned());
        }
        if self.missing != Missing::Skip || 2 * counts.used >= counts.chosen {
            return None;
        }
        let lacks = |misfits: &Misfits| 2 * (misfits.missing + misfits.unread) > counts.chosen;
        let lacking = self.names.iter().zip(&counts.columns).filter(|(_, misfits)| lacks(misfits));
        let names: Vec<String> = lacking.map(|(name, _)| format!("`{name}`")).collect();
        let why = if names.is_empty() {
            "each of the others has a cell that is missing or not what the plan says of its column".to_owned()
        } else {
            format!("most cells of {} are missing or not what the plan says", names.join(", "))
        };
        let how = if counts.used == 0 { "no row would count" } else { "most rows would not count" };
        Some(format!("{how}: {why}; see `levels`, `csv` and `missing` of the plan"))
    }
}

/// A warning, with what the first rows would have been warned of.
struct Warning {
    text: String,
    at_first: String,
}

/// Returns how many cells of a column contradict the plan.
fn kinds(column: &Column, misfits: &Misfits, rows: u64, rules: &CsvRules) -> Vec<Contradiction> {
    let mut kinds = Vec::new();
    if are_many(misfits.unread, rows) {
        kinds.extend(unread(column, &misfits.usual_cells(), rules));
    } else {
        let cells = misfits.cells.iter().map(|(cell, _)| cell.as_str());
        kinds.extend(other_capitals(&column.levels(), cells).map(|found| found.kind));
    }
    let mut outside = misfits.outside;
    if misfits.likely_codes().next().is_some() {
        kinds.push(Contradiction::Code);
        outside -= misfits.coded;
    }
    if are_many(outside, rows) {
        kinds.push(Contradiction::Outside);
    }
    let [lower, upper] = misfits.ends();
    if lower || upper {
        kinds.push(Contradiction::AtEnd { upper });
    }
    kinds
}

/// Returns what cells are that are no number or no level.
fn unread(column: &Column, cells: &[&str], rules: &CsvRules) -> Vec<Contradiction> {
    let levels = column.levels();
    let (stated, usual) = match column {
        Column::Category(_) => (Stated::Category { levels: &levels }, Contradiction::Levels),
        _ => (Stated::Number { lower: None, upper: None }, Contradiction::Words),
    };
    let rules = column.field().map_or_else(|| rules.clone(), |field| rules.of_field(field));
    // No name says what the cells are.
    let found = mismatches("", cells.iter().copied(), stated, &rules).into_iter().map(|found| found.kind);
    let of_cells = |kind: &Contradiction| {
        matches!(
            kind,
            Contradiction::Levels
                | Contradiction::Spelling
                | Contradiction::Encoding
                | Contradiction::Format
                | Contradiction::Date
                | Contradiction::Words
                | Contradiction::Code
        )
    };
    let kinds: Vec<Contradiction> = found.filter(of_cells).collect();
    if kinds.is_empty() { vec![usual] } else { kinds }
}
