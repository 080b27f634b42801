//! The cells of a sheet as lines of a CSV.

use std::io::Read;

use super::dates::Formats;
use super::xml::{Event, Xml, append, attribute};
use super::{ContainerError, MOST_BYTES, unescape};

/// Most columns of a sheet.
const MOST_COLUMNS: usize = 1 << 14;

/// A cell as it is read.
#[derive(Default)]
struct Cell {
    column: usize,
    kind: String,
    style: usize,
    value: String,
}

/// Returns the CSV of a sheet.
///
/// # Errors
/// [`ContainerError`] if the sheet is damaged, empty or too large.
pub fn csv(
    reader: impl Read,
    texts: &[String],
    formats: &Formats,
    since_1904: bool,
) -> Result<Vec<u8>, ContainerError> {
    let mut xml = Xml::new(reader);
    let mut table = Lines::default();
    let (mut cell, mut next) = (Cell::default(), 0);
    let (mut in_value, mut hint) = (false, false);
    while let Some(event) = xml.next()? {
        match event {
            Event::Open("row", _) | Event::Close("row") => {
                table.end_line();
                next = 0;
            }
            Event::Open("c", attributes) => {
                let column = attribute(attributes, "r").and_then(|place| column(&place)).unwrap_or(next);
                if column < next || column >= MOST_COLUMNS {
                    return Err(ContainerError::Damaged);
                }
                next = column + 1;
                cell.value.clear();
                cell.column = column;
                cell.kind = attribute(attributes, "t").unwrap_or_default();
                cell.style = attribute(attributes, "s").and_then(|style| style.parse().ok()).unwrap_or(0);
            }
            Event::Close("c") => {
                let written = written(&cell, texts, formats, since_1904)?;
                table.put(cell.column, &written)?;
            }
            Event::Open("rPh", _) => hint = true,
            Event::Close("rPh") => hint = false,
            Event::Open("v" | "t", _) => in_value = true,
            Event::Close("v" | "t") => in_value = false,
            Event::Text(text) if in_value && !hint => append(&mut cell.value, text)?,
            // What follows the rows has texts of its own.
            Event::Close("sheetData") => break,
            _ => {}
        }
    }
    table.finish()
}

/// Returns the column of a place such as `AB12`, from 0.
fn column(place: &str) -> Option<usize> {
    // Four letters are beyond the last column, XFD.
    let letters = place.bytes().take_while(u8::is_ascii_alphabetic).take(4);
    letters
        .fold(0_usize, |sum, letter| sum * 26 + usize::from(letter.to_ascii_uppercase() - b'A') + 1)
        .checked_sub(1)
}

/// Returns the text of a cell; empty for an error such as #N/A.
fn written(
    cell: &Cell,
    texts: &[String],
    formats: &Formats,
    since_1904: bool,
) -> Result<String, ContainerError> {
    let value = cell.value.trim();
    Ok(match cell.kind.as_str() {
        "s" => {
            let text = value.parse().ok().and_then(|place: usize| texts.get(place));
            text.ok_or(ContainerError::Damaged)?.clone()
        }
        "str" | "inlineStr" => unescape(&cell.value),
        "b" => if value == "1" { "TRUE" } else { "FALSE" }.to_owned(),
        "e" => String::new(),
        "d" => value.to_owned(),
        _ if value.is_empty() => String::new(),
        _ => match value.parse::<f64>().ok().filter(|number| number.is_finite()) {
            Some(number) => formats.date(cell.style, number, since_1904).unwrap_or_else(|| shortest(number)),
            None => return Err(ContainerError::Damaged),
        },
    })
}

/// Writes a number with the fewest digits that read back as the same number.
fn shortest(number: f64) -> String {
    let size = number.abs();
    if size > 0.0 && !(1e-5..1e16).contains(&size) {
        format!("{number:e}")
    } else {
        format!("{}", number + 0.0)
    }
}

/// The lines of the CSV so far. A line has as many cells as its last one that is not empty asks for.
#[derive(Default)]
struct Lines {
    bytes: Vec<u8>,
    /// End and number of cells of each line.
    lines: Vec<(usize, usize)>,
    cells: usize,
}

impl Lines {
    fn put(&mut self, column: usize, text: &str) -> Result<(), ContainerError> {
        if text.is_empty() {
            return Ok(());
        }
        // Many cells may share one long text, so each one is counted.
        if self.bytes.len() + text.len() + size_of_val(self.lines.as_slice()) > MOST_BYTES {
            return Err(ContainerError::TooLarge);
        }
        let commas = column - self.cells.saturating_sub(1).min(column);
        self.bytes.extend(std::iter::repeat_n(b',', commas));
        self.cells = column + 1;
        let marks = [',', ';', '\t', '|', '"', '\n', '\r'];
        if text.contains(marks) {
            self.bytes.push(b'"');
            self.bytes.extend_from_slice(text.replace('"', "\"\"").as_bytes());
            self.bytes.push(b'"');
        } else {
            self.bytes.extend_from_slice(text.as_bytes());
        }
        Ok(())
    }

    fn end_line(&mut self) {
        let cells = std::mem::take(&mut self.cells);
        if cells > 0 {
            self.lines.push((self.bytes.len(), cells));
        }
    }

    fn finish(self) -> Result<Vec<u8>, ContainerError> {
        let Self { bytes, lines, .. } = self;
        let width = lines.iter().map(|(_, cells)| *cells).max().ok_or(ContainerError::Empty)?;
        let missing = lines.iter().fold(0_usize, |sum, (_, cells)| sum.saturating_add(width - cells));
        let length = bytes.len().saturating_add(missing).saturating_add(lines.len());
        if length > 2 * MOST_BYTES {
            return Err(ContainerError::TooLarge);
        }
        let mut out = Vec::with_capacity(length);
        let mut from = 0;
        for (end, cells) in lines {
            out.extend_from_slice(bytes.get(from..end).unwrap_or_default());
            out.extend(std::iter::repeat_n(b',', width - cells));
            out.push(b'\n');
            from = end;
        }
        Ok(out)
    }
}
