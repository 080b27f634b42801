//! The cells of a codebook.

use csv_core::{ReadFieldResult, ReaderBuilder};

use crate::data::container::{Form, Unpacker};
use crate::data::header::DELIMITERS;
use crate::data::latin1;

/// Most lines that are read.
const MOST_LINES: usize = 400_000;

/// Returns the text of a file: UTF-8, UTF-16 with a byte order mark, else Latin-1. `None` if it is no text.
pub fn text(bytes: &[u8]) -> Option<String> {
    let text = match Form::of(bytes) {
        Ok(Some(form @ (Form::Utf16Little | Form::Utf16Big))) => {
            let mut text = Vec::new();
            Unpacker::new(form)?.feed(bytes, &mut text).ok()?;
            String::from_utf8(text).ok()?
        }
        _ => match std::str::from_utf8(bytes) {
            Ok(text) => text.trim_start_matches('\u{feff}').to_owned(),
            Err(_) => latin1::text(bytes),
        },
    };
    (!text.contains('\0')).then_some(text)
}

/// Returns the cells of each line, by the delimiter that is most frequent in the first lines.
pub fn rows(text: &str) -> Vec<Vec<String>> {
    let mut reader = ReaderBuilder::new().delimiter(delimiter(text)).build();
    let mut rows = vec![Vec::new()];
    let (mut cell, mut piece, mut rest) = (Vec::new(), vec![0; 1 << 12], text.as_bytes());
    while rows.len() <= MOST_LINES {
        let (result, read, written) = reader.read_field(rest, &mut piece);
        cell.extend_from_slice(piece.get(..written).unwrap_or_default());
        rest = rest.get(read..).unwrap_or_default();
        match result {
            // Once more with no bytes ends the last cell.
            ReadFieldResult::InputEmpty | ReadFieldResult::OutputFull => {}
            ReadFieldResult::Field { record_end } => {
                let text = String::from_utf8_lossy(&std::mem::take(&mut cell)).into_owned();
                if let Some(row) = rows.last_mut() {
                    row.push(text);
                }
                if record_end {
                    rows.push(Vec::new());
                }
            }
            ReadFieldResult::End => break,
        }
    }
    rows.retain(|row: &Vec<String>| row.iter().any(|cell| !cell.trim().is_empty()));
    rows
}

fn delimiter(text: &str) -> u8 {
    let mut best = (0, DELIMITERS[0]);
    for line in text.lines().take(10) {
        for delimiter in DELIMITERS {
            let mut quoted = false;
            let outside = line.bytes().filter(|byte| {
                quoted ^= *byte == b'"';
                !quoted && *byte == delimiter
            });
            let count = outside.count();
            if count > best.0 {
                best = (count, delimiter);
            }
        }
        if best.0 > 1 {
            break;
        }
    }
    best.1
}
