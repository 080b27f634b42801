//! Reads the first rows of a table, for the private part of the screen. They must not leave the computer.

use std::collections::HashSet;

use super::csv::{CsvError, Feed, Parser};
use super::header::Header;
use super::mismatch::are_numbers_somehow;
use crate::plan::bound::CsvRules;

/// Rows that are shown of a file.
pub const ROWS: usize = 24;

/// The most cells of a preview.
const MAX_CELLS: usize = 400_000;

/// A suggested type of a column. Bounds and levels are never suggested, because they must not depend on the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suggestion {
    /// At least nine in ten of the cells that are not missing are numbers, if only in a format in which the file is not read now.
    Number,
    /// Fewer are numbers.
    Category {
        /// The number of different values in these rows, without outer white space.
        distinct: usize,
    },
    /// Every cell is missing, or there is no cell.
    Unknown,
}

/// The first rows of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preview {
    /// The rows, each with one text for every column of the header.
    pub rows: Vec<Vec<String>>,
    /// A type for each column, from these rows.
    pub suggestions: Vec<Suggestion>,
    /// The error of the first malformed record, if it is among these rows.
    pub error: Option<CsvError>,
}

/// Returns at most `max_rows` first rows from the bytes that follow the header; `at_end` says that the file has no more bytes.
/// An incomplete last record is omitted.
pub fn preview(header: &Header, rules: &CsvRules, body: &[u8], at_end: bool, max_rows: usize) -> Preview {
    let fields = header.names.len();
    let max_rows = max_rows.min(MAX_CELLS / fields.max(1)).max(1);
    let mut rows = Vec::new();
    let read_by = CsvRules { encoding: header.encoding(rules.encoding), ..rules.clone() };
    let mut parser = Parser::new(fields, &read_by, header.body_offset, u64::MAX);
    let mut take = |record: super::csv::Record<'_>| {
        if rows.len() < max_rows {
            rows.push((0..fields).map(|field| record.field(field).to_owned()).collect::<Vec<String>>());
        }
    };
    // Small pieces, so that reading stops soon after the last row that is shown.
    let mut result = Ok(Feed::More);
    let mut seen = 0;
    for piece in body.chunks(1 << 14) {
        result = parser.feed(piece, |record| {
            seen += 1;
            take(record);
        });
        if result.is_err() || seen >= max_rows {
            break;
        }
    }
    if at_end && result.is_ok() && seen < max_rows {
        result = parser.finish(&mut take).map(|()| Feed::Done);
    }
    // An error after these rows is reported when the whole table is read.
    let error =
        result.err().filter(|_| seen < max_rows).map(|error| error.located(header.lines, &header.names));
    let suggestions = suggestions(&rows, fields, rules);
    Preview { rows, suggestions, error }
}

/// Returns a suggested type for each of `fields` columns, from the first rows.
pub fn suggestions(rows: &[Vec<String>], fields: usize, rules: &CsvRules) -> Vec<Suggestion> {
    let cells = |field: usize| rows.iter().filter_map(move |row| row.get(field).map(String::as_str));
    (0..fields).map(|field| suggest(cells(field), rules)).collect()
}

fn suggest<'a>(cells: impl Iterator<Item = &'a str>, rules: &CsvRules) -> Suggestion {
    let present: Vec<&str> = cells.map(str::trim).filter(|cell| !rules.is_missing(cell)).collect();
    if present.is_empty() {
        Suggestion::Unknown
    } else if are_numbers_somehow(&present, rules) {
        Suggestion::Number
    } else {
        Suggestion::Category { distinct: present.into_iter().collect::<HashSet<_>>().len() }
    }
}
