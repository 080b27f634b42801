//! Reads a codebook: a table that describes the columns of another table. It is public and contains no record.
//!
//! Two forms are read. A REDCap data dictionary has the columns that REDCap gives it. A plain dictionary has a column of names and any
//! of label, type, unit, values, lowest and highest, in any order and case.

mod choices;
mod grid;
mod layout;

pub use choices::Level;
pub use layout::{are_headings, word};

use std::collections::{BTreeMap, BTreeSet};

use layout::{Field, Layout};

use crate::data::dates::years;
use crate::data::number::parse_either;
use crate::plan::document::ColumnType;
use crate::plan::number_format::DateOrder;

/// The longest codebook in bytes.
pub const LONGEST: usize = 32 << 20;

/// A codebook's entry for one column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    /// The name of the column.
    pub name: String,
    /// Its description.
    pub label: String,
    /// The unit.
    pub unit: String,
    /// The type. `None` for dates and free text.
    pub kind: Option<ColumnType>,
    /// Whether it is a date.
    pub date: bool,
    /// The smallest value; of a date in years.
    pub lower: Option<f64>,
    /// The largest value.
    pub upper: Option<f64>,
    /// Whether values are always whole.
    pub integer: bool,
    /// The values of a category.
    pub levels: Vec<Level>,
    /// Of a checkbox: the choice that is ticked.
    pub choice: Option<String>,
    /// Codes that stand for a missing value.
    pub missing: Vec<String>,
}

impl Entry {
    /// Returns the values in the form that the cells of a column have: labels if more of the different cells are labels than
    /// codes, otherwise codes. A raw export has codes, a labelled export has labels.
    pub fn levels_as_in<'a>(&self, cells: impl Iterator<Item = &'a str>) -> Vec<String> {
        let cells: BTreeSet<&str> = cells.map(str::trim).collect();
        let count = |text: fn(&Level) -> &str| {
            cells.iter().filter(|cell| self.levels.iter().any(|level| text(level) == **cell)).count()
        };
        let labelled = count(|level| &level.label) > count(|level| &level.code);
        let mut levels: Vec<String> = Vec::new();
        for level in &self.levels {
            let text = if labelled { &level.label } else { &level.code };
            if !levels.iter().any(|known| known == text) {
                levels.push(text.clone());
            }
        }
        levels
    }

    /// Returns the labels of those levels whose text does not explain them: codes, and the two levels of a checkbox.
    pub fn labels_of(&self, levels: &[String]) -> BTreeMap<String, String> {
        let said = |level: &Level| match &self.choice {
            Some(choice) if level.code == "1" => choice.clone(),
            Some(choice) => crate::words::codebook::not_chosen(choice),
            None => level.label.clone(),
        };
        let is = |own: &String, level: &Level| level.code == *own || level.label == *own;
        let named = |own: &String| {
            let label = said(self.levels.iter().find(|level| is(own, level))?);
            (label != *own).then(|| (own.clone(), label))
        };
        levels.iter().filter_map(named).collect()
    }
}

/// A file that is no codebook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CodebookError {
    /// It is longer than [`LONGEST`].
    #[error("{}", crate::words::codebook::too_long())]
    TooLong,
    /// It has zero bytes: a workbook, an archive, or another file that is no text.
    #[error("{}", crate::words::codebook::no_text())]
    NoText,
    /// None of its first lines names a column of names and another one that is understood.
    #[error("{}", crate::words::codebook::no_header())]
    NoHeader,
    /// No line below the header names a column.
    #[error("{}", crate::words::codebook::empty())]
    Empty,
}

/// Reads a codebook. If a name occurs twice, the first line counts.
///
/// # Errors
/// [`CodebookError`] if the file is no codebook.
pub fn read(bytes: &[u8]) -> Result<Vec<Entry>, CodebookError> {
    if bytes.len() > LONGEST {
        return Err(CodebookError::TooLong);
    }
    let text = grid::text(bytes).ok_or(CodebookError::NoText)?;
    let rows = grid::rows(&text);
    let (head, layout) = layout::find(&rows).ok_or(CodebookError::NoHeader)?;
    let mut entries: Vec<Entry> = Vec::new();
    let mut seen = BTreeSet::new();
    for row in rows.iter().skip(head + 1) {
        let name = layout.cell(row, Field::Name).trim().to_owned();
        if name.is_empty() {
            // In some dictionaries each further value has a line of its own.
            let more = choices::parse(layout.cell(row, Field::Levels));
            if let Some(last) = entries.last_mut().filter(|last| last.kind == Some(ColumnType::Category)) {
                last.levels.extend(more);
            }
            continue;
        }
        if seen.insert(name.clone()) {
            entries.extend(layout.entries(row, name));
        }
    }
    if entries.is_empty() { Err(CodebookError::Empty) } else { Ok(entries) }
}

/// Finds the entry of a column: by its exact name, else by the only name that differs in case alone, else by the only label that the
/// column is called by, as in a labelled export of REDCap.
pub fn find<'a>(entries: &'a [Entry], name: &str) -> Option<&'a Entry> {
    let lower = name.to_lowercase();
    let label = label_of(&lower);
    let only = |is: &dyn Fn(&Entry) -> bool| {
        let mut alike = entries.iter().filter(|entry| is(entry));
        alike.next().filter(|_| alike.next().is_none())
    };
    entries
        .iter()
        .find(|entry| entry.name == name)
        .or_else(|| only(&|entry| entry.name.to_lowercase() == lower))
        .or_else(|| only(&|entry| !label.is_empty() && entry.label.to_lowercase() == label))
}

/// Returns the label that a heading of a labelled export stands for. Each choice of a checkbox is headed `Symptoms (choice=Cough)`.
fn label_of(heading: &str) -> String {
    let heading = plain(heading);
    let choice = heading.strip_suffix(')').and_then(|heading| heading.split_once("(choice="));
    choice.map_or_else(|| heading.clone(), |(label, choice)| [label.trim(), choice.trim()].join(": "))
}

/// Returns whether a column is called as REDCap calls one choice of a checkbox, `name___code`: its cells are 0 and 1, or labels.
pub fn is_checkbox(name: &str) -> bool {
    name.split_once("___").is_some_and(|(field, code)| !field.is_empty() && !code.is_empty())
        || (name.ends_with(')') && name.contains("(choice="))
}

impl Layout {
    /// Returns the entries of a line: one, or one for each choice of a checkbox.
    fn entries(&self, row: &[String], name: String) -> Vec<Entry> {
        let cell = |field| self.cell(row, field).trim();
        let (stated, validation) = (layout::word(cell(Field::Type)), layout::word(cell(Field::Validation)));
        let label = plain(cell(Field::Label));
        let listed = || choices::parse(cell(Field::Levels));
        if stated == "checkbox" {
            let choices = choices::of_checkbox(cell(Field::Levels));
            return choices.iter().map(|level| checkbox(&name, &label, level)).collect();
        }
        let levels = match stated.as_str() {
            "yesno" => choices::parse("0, No | 1, Yes"),
            "truefalse" => choices::parse("0, False | 1, True"),
            // A slider has three words, and a computed field a formula.
            "slider" | "calc" => Vec::new(),
            _ => listed(),
        };
        let span = choices::range(cell(Field::Range)).or_else(|| choices::range(cell(Field::Levels)));
        let ends = span.or((stated == "slider").then_some((0.0, 100.0)));
        let date = [&stated, &validation].iter().any(|word| word.starts_with("date"));
        // REDCap gives ends of dates in this order, however they are typed into its forms.
        let end = |field| {
            if date { years(cell(field), DateOrder::YearMonthDay) } else { parse_either(cell(field)) }
        };
        let lower = end(Field::Lower).or(ends.map(|(lower, _)| lower));
        let upper = end(Field::Upper).or(ends.map(|(_, upper)| upper));
        let kind = layout::kind(&stated, &validation, &levels, lower.is_some() || upper.is_some());
        let (number, category) = (kind == Some(ColumnType::Number), kind == Some(ColumnType::Category));
        let unit = Some(cell(Field::Unit).to_owned()).filter(|unit| !unit.is_empty());
        let unit = unit.or_else(|| unit_in(&label)).filter(|_| number).unwrap_or_default();
        vec![Entry {
            name,
            unit,
            label,
            kind,
            date,
            lower: lower.filter(|_| number || date),
            upper: upper.filter(|_| number || date),
            integer: number
                && [stated.as_str(), validation.as_str()].iter().any(|word| word.starts_with("int")),
            levels: if category { levels } else { Vec::new() },
            choice: None,
            missing: choices::parse(cell(Field::Missing)).into_iter().map(|level| level.code).collect(),
        }]
    }
}

/// Returns the entry for one choice of a checkbox, which REDCap exports as a column `name___code` that is 0 or 1.
fn checkbox(name: &str, label: &str, level: &Level) -> Entry {
    let code: String = level
        .code
        .chars()
        .map(|letter| if letter.is_alphanumeric() { letter.to_ascii_lowercase() } else { '_' })
        .collect();
    Entry {
        name: format!("{name}___{code}"),
        label: [label, &level.label].join(": "),
        kind: Some(ColumnType::Category),
        levels: choices::parse("0, Unchecked | 1, Checked"),
        choice: Some(level.label.clone()),
        ..Entry::default()
    }
}

/// Returns a text without the marks of HTML, which labels of REDCap may have, on one line.
fn plain(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        let is_mark = after.starts_with(|next: char| next.is_ascii_alphabetic() || next == '/');
        if is_mark {
            // A mark without an end leaves the rest as it is.
            let Some((_, after)) = after.split_once('>') else { break };
            kept.push_str(before);
            kept.push(' ');
            rest = after;
        } else {
            kept.push_str(before);
            kept.push('<');
            rest = after;
        }
    }
    kept.push_str(rest);
    kept.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the unit in brackets at the end of a label, as in "Weight (kg)".
fn unit_in(label: &str) -> Option<String> {
    let (_, unit) = label.strip_suffix(')').or_else(|| label.strip_suffix(']'))?.rsplit_once(['(', '['])?;
    let is_unit = unit.chars().count() <= 12
        && unit.split_whitespace().count() == 1
        && !unit.starts_with(|first: char| first.is_ascii_digit())
        && !unit.contains(['-', ',', ';', '=']);
    is_unit.then(|| unit.to_owned())
}

#[cfg(test)]
mod tests;
