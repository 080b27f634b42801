//! Values as a person types them: numbers, counts, lists, and blocks that were copied from a spreadsheet.

use crate::data::number::parse;
use crate::plan::number_format::{NumberFormat, Thousands};
use crate::text::grouped;
use crate::words;

/// Reads a number as a person types it: separators of thousands, a real minus sign and a decimal comma are understood. `None` if
/// two numbers can be meant ([`two_numbers`]).
pub fn number(text: &str) -> Option<f64> {
    match readings(text) {
        (Some(by_point), Some(_)) if is_program_s_own(text) => Some(by_point),
        (one, None) | (None, one) => one,
        _ => None,
    }
}

/// Returns the two numbers that can be meant by a text such as `50,000`: fifty thousand, or fifty.
pub fn two_numbers(text: &str) -> Option<[f64; 2]> {
    match readings(text) {
        (Some(by_point), Some(by_comma)) if !is_program_s_own(text) => Some([by_point, by_comma]),
        _ => None,
    }
}

/// Writes a number in full as the page shows numbers.
pub fn shown(value: f64) -> String {
    if value.fract() == 0.0 { grouped(value) } else { value.to_string().replace('-', "−") }
}

/// Reads a whole number that is at least 1. Nobody counts in thousandths, so `50,000` and `50.000` are fifty thousand.
pub fn count(text: &str) -> Option<u64> {
    let (by_point, by_comma) = readings(text);
    let is_count = |value: &f64| value.fract() == 0.0 && (1.0..9e15).contains(value);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole, and below 2^53")]
    let whole = |value: f64| value as u64;
    by_point.into_iter().chain(by_comma).filter(is_count).map(whole).max()
}

/// Reads a percentage above 0 and below 100 as a share.
pub fn share(text: &str) -> Option<f64> {
    let percent = number(text.trim().trim_end_matches('%'))?;
    (percent > 0.0 && percent < 100.0).then_some(percent / 100.0)
}

/// Writes a share as a person types a percentage.
pub fn in_percent(share: f64) -> String {
    // Without what the binary fraction adds at the end.
    format!("{:.10}", 100.0 * share).trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Reads a whole percentage from 1 to 100; decimals are dropped, so `33,3 %` is 33.
pub fn percent(text: &str) -> Option<u8> {
    let share = number(text.trim().trim_end_matches('%'))
        .filter(|share| (1.0..=100.0).contains(share) && share.fract() == 0.0)?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 1 to 100")]
    let whole = share as u8;
    Some(whole)
}

/// Reads a text as a number with a decimal point, and with a decimal comma where that gives another number.
fn readings(text: &str) -> (Option<f64>, Option<f64>) {
    let text: String = text
        .trim()
        .chars()
        .map(|c| match c {
            '−' => '-',
            '_' => ' ',
            c => c,
        })
        .collect();
    let with_zero = text.trim_start_matches(['-', '+']).starts_with('0');
    let read = |decimal: u8, other: Thousands| {
        let groups = [Some(other), Some(Thousands::Space), Some(Thousands::Apostrophe)];
        // No group of thousands begins with a zero: 0,500 is a half.
        let groups = groups.into_iter().filter(|_| !with_zero).chain([None]);
        let formats = groups.map(|thousands| NumberFormat { thousands, ..NumberFormat::plain(decimal) });
        formats.filter_map(|format| parse(&text, format)).next()
    };
    let (by_point, by_comma) = (read(b'.', Thousands::Comma), read(b',', Thousands::Point));
    (by_point, by_comma.filter(|value| Some(*value) != by_point))
}

/// Returns whether a number has a decimal point and no zero at its end, as the program writes numbers: 1.025 is not one thousand.
fn is_program_s_own(text: &str) -> bool {
    text.contains('.') && !text.trim_end().ends_with('0')
}

/// What separates the entries of a list: commas, also those of Chinese and Japanese.
const COMMAS: [char; 3] = [',', '，', '、'];
/// The same where no comma stands.
const SEMICOLONS: [char; 2] = [';', '；'];

/// Reads one level as it is typed: a word in parentheses stands for empty cells.
pub fn level(typed: &str) -> String {
    if typed == words::columns::blank() { String::new() } else { typed.to_owned() }
}

/// Writes one level as it is typed.
pub fn typed_level(level: &str) -> String {
    if level.is_empty() { words::columns::blank().to_owned() } else { level.to_owned() }
}

/// Reads a list separated by commas, or by semicolons where no comma stands; an entry that holds either stands in double quotes, and two of them
/// alone are an empty cell, as in a plan.
pub fn list(text: &str) -> Vec<String> {
    let has_comma = text.split('"').step_by(2).any(|unquoted| unquoted.contains(COMMAS));
    let separators: &[char] = if has_comma { &COMMAS } else { &SEMICOLONS };
    let mut entries = Vec::new();
    let (mut entry, mut quoted) = (String::new(), false);
    for c in text.chars() {
        match c {
            '"' => {
                if quoted && entry.trim().is_empty() {
                    words::columns::blank().clone_into(&mut entry);
                }
                quoted = !quoted;
            }
            c if separators.contains(&c) && !quoted => entries.push(std::mem::take(&mut entry)),
            c => entry.push(c),
        }
    }
    entries.push(entry);
    entries.iter().map(|entry| entry.trim()).filter(|entry| !entry.is_empty()).map(level).collect()
}

/// Writes entries as a text that [`list`] reads back.
pub fn unlist(entries: &[String]) -> String {
    let separates = |entry: &String| entry.contains(COMMAS) || entry.contains(SEMICOLONS);
    let write = |entry: &String| if separates(entry) { format!("\"{entry}\"") } else { typed_level(entry) };
    entries.iter().map(write).collect::<Vec<_>>().join(", ")
}

/// Reads a block that was copied from a spreadsheet: rows by line, cells by tab.
pub fn block(text: &str) -> Vec<Vec<String>> {
    let lines = text.trim_end_matches(['\r', '\n']).lines();
    lines.map(|line| line.split('\t').map(|cell| cell.trim().to_owned()).collect()).collect()
}

/// Returns whether a pasted text is a block rather than a value.
pub fn is_block(text: &str) -> bool {
    let text = text.trim_end_matches(['\r', '\n']);
    text.contains('\t') || text.contains('\n')
}
