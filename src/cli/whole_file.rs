//! Warnings from all rows of a file before a charge: what the first rows do not show. Like those of the first rows they name a column and a
//! kind, never a cell or a count.

use std::io::{self, Write};

use super::error::CliError;
use super::job::Job;
use super::warnings::{FIRST, LATER, Warned, told_of, told_of_rows};
use crate::data::inspection::{Column, Counts, Inspection, Misfits, are_many};
use crate::data::mismatch::{Contradiction, Stated, mismatches};
use crate::model::Missing;
use crate::plan::bound::CsvRules;
use crate::words;

/// What to do about a difference that is the other way round.
const MOST_OUTSIDE: &str =
    "most rows lie outside its own range, and are clipped to it; is it the first column less the second?";

/// Reads a file to its end, writes what only its later rows show, and adds it to what was warned of. A stream is not read: it can be read
/// only once. Nor are genotypes, and a file of which no row can count by its first rows.
///
/// # Errors
/// [`CliError`] if the file cannot be read or is malformed.
pub fn warn(job: &Job, warned: &mut Warned) -> Result<(), CliError> {
    if warned.stop.is_some() {
        return Ok(());
    }
    let columns = Column::all(job.prepared.fit().bound());
    let Some(scan) = job.read_ahead(|bound| Inspection::of(bound, columns.clone()))? else { return Ok(()) };
    if scan.records == 0 {
        // The run ends with this error.
        return Ok(());
    }
    let counts = scan.sink.into_counts();
    let mut found = of_columns(job, &columns, &counts);
    found.retain(|warning| !warned.said.contains(&warning.at_first));
    let mut said: Vec<String> = found.into_iter().map(|warning| warning.text).collect();
    said.extend(of_rows(job, &columns, &counts));
    if counts.used == 0 {
        warned.stop = Some(words::error::cli_no_row().to_owned());
    }
    let mut errors = io::stderr().lock();
    for warning in &said {
        // A failure to write a warning is ignored: the release is what was asked for.
        let _ = writeln!(errors, "discreet: warning: {warning}");
    }
    warned.said.extend(said);
    Ok(())
}

/// A warning, with what the first rows would have been warned of.
struct Warning {
    text: String,
    at_first: String,
}

fn of_columns(job: &Job, columns: &[Column], counts: &Counts) -> Vec<Warning> {
    let rows = counts.chosen;
    let rules = &job.prepared.fit().bound().csv;
    let of_column = |(column, misfits): (&Column, &Misfits)| match column {
        Column::Difference { name, .. } if 2 * misfits.outside > rows => {
            vec![Warning { text: told_of(name, MOST_OUTSIDE), at_first: String::new() }]
        }
        _ => {
            let name = column.field().map(|field| job.name_of(field)).unwrap_or_default();
            let warning = |kind| {
                let told = |rows| told_of_rows(name, kind, rows);
                Warning { text: told(LATER), at_first: told(FIRST) }
            };
            kinds(column, misfits, rows, rules).into_iter().map(warning).collect()
        }
    };
    columns.iter().zip(&counts.columns).flat_map(of_column).collect()
}

/// Returns how many cells of a column contradict the plan.
fn kinds(column: &Column, misfits: &Misfits, rows: u64, rules: &CsvRules) -> Vec<Contradiction> {
    let mut kinds = Vec::new();
    if are_many(misfits.unread, rows) {
        kinds.extend(unread(column, &misfits.usual_cells(), rules));
    }
    let mut outside = misfits.outside;
    if misfits.likely_codes().next().is_some() {
        kinds.push(Contradiction::Code);
        outside -= misfits.coded;
    }
    if are_many(outside, rows) {
        kinds.push(Contradiction::Outside);
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
                | Contradiction::Format
                | Contradiction::Date
                | Contradiction::Words
                | Contradiction::Code
        )
    };
    let kinds: Vec<Contradiction> = found.filter(of_cells).collect();
    if kinds.is_empty() { vec![usual] } else { kinds }
}

/// Returns that most rows are left out, and by which columns.
fn of_rows(job: &Job, columns: &[Column], counts: &Counts) -> Option<String> {
    if counts.chosen == 0 {
        return Some("no row meets all conditions of `only`, and other rows do not count".to_owned());
    }
    if job.prepared.fit().bound().missing != Missing::Skip || 2 * counts.used >= counts.chosen {
        return None;
    }
    let lacks = |misfits: &Misfits| 2 * (misfits.missing + misfits.unread) > counts.chosen;
    let lacking = columns.iter().zip(&counts.columns).filter(|(_, misfits)| lacks(misfits));
    let names: Vec<String> = lacking
        .filter_map(|(column, _)| column.field())
        .map(|field| format!("`{}`", job.name_of(field)))
        .collect();
    let why = if names.is_empty() {
        "each of the others has a cell that is missing or not what the plan says of its column".to_owned()
    } else {
        format!("most cells of {} are missing or not what the plan says", names.join(", "))
    };
    let how = if counts.used == 0 { "no row would count" } else { "most rows would not count" };
    Some(format!("{how}: {why}; see `levels`, `csv` and `missing` of the plan"))
}
