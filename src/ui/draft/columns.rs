//! One column as it is described so far, and what is done with many of them.

use std::collections::BTreeMap;

use super::dialect::format;
use super::place::Cell;
use super::typed::{in_percent, level, list, number, share, typed_level, unlist};
use crate::data::dates::years;
use crate::data::mismatch::Contradiction;
use crate::model::Role;
use crate::plan::document::{Bound, Column, ColumnType, TypicalValues, Written};
use crate::plan::number_format::NumberFormat;
use crate::plan::search::Search;

/// A way to round a number.
type Rounding = fn(f64) -> f64;

/// One column as it is described so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ColumnDraft {
    /// The header's name.
    pub name: String,
    /// What it means, as a codebook says.
    pub label: String,
    /// Feature, outcome or ignored.
    pub role: Role,
    /// Number or category; unset until the file or the person says.
    pub kind: Option<ColumnType>,
    /// Lower bound as typed.
    pub lower: String,
    /// Upper bound as typed.
    pub upper: String,
    /// Whether a bound that is left empty is to be estimated.
    pub estimate: bool,
    /// Typical mean as typed; forecasts use it.
    pub typical_mean: String,
    /// Typical standard deviation as typed; forecasts use it.
    pub typical_sd: String,
    /// Typical share of the rows with a level, in per cent as typed; forecasts use it.
    pub typical_shares: BTreeMap<String, String>,
    /// Whether values are always whole; unset where nobody has said.
    pub integer: Option<bool>,
    /// How its numbers are written, where not as the file's.
    pub written: Option<NumberFormat>,
    /// Cells that count as missing in this column alone, separated by commas.
    pub na: String,
    /// Unit as typed.
    pub unit: String,
    /// Levels as typed, separated by commas.
    pub levels: String,
    /// Reference level; empty for the first.
    pub reference: String,
    /// What levels mean, as a codebook says.
    pub labels: BTreeMap<String, String>,
    /// Where the range comes from.
    pub note: String,
    /// Whether the row is ticked for "apply to many".
    pub selected: bool,
}

/// Returns what a confirmation is for. Once the description changes, it has to be confirmed again; that each person has one row does not depend on
/// it. Conditions on other columns change nothing about it.
pub fn confirmation(
    place: usize,
    column: &ColumnDraft,
    kind: Contradiction,
) -> (usize, Contradiction, String) {
    let ColumnDraft { kind: of, lower, upper, levels, .. } = column;
    let description = match kind {
        Contradiction::Persons => String::new(),
        _ => format!("{of:?} {lower} {upper} {levels}"),
    };
    (place, kind.answered(), description)
}

impl ColumnDraft {
    /// Returns whether a bound of the column is to be estimated.
    pub fn is_estimated(&self) -> bool {
        let missing = |typed: &str| typed.trim().is_empty();
        self.role != Role::Ignored
            && self.kind == Some(ColumnType::Number)
            && self.estimate
            && (missing(&self.lower) || missing(&self.upper))
    }

    /// Returns whether the cells are dates, which count as years.
    pub fn is_of_dates(&self) -> bool {
        self.written.is_some_and(|written| written.date.is_some())
    }

    /// Puts years in the place of dates that were typed as bounds of a column of dates: with four decimals, to the side on which the day
    /// itself lies within.
    pub fn bounds_of_dates(&mut self) {
        let Some(order) = self.written.and_then(|written| written.date) else { return };
        let within: [(&mut String, Rounding); 2] =
            [(&mut self.lower, libm::floor), (&mut self.upper, libm::ceil)];
        for (bound, round) in within {
            if let Some(years) = years(bound, order) {
                *bound = (round(years * 1e4) / 1e4).to_string();
            }
        }
    }
}

/// Returns whether a column has a type, and its bounds or levels.
pub fn is_described(column: &ColumnDraft) -> bool {
    match column.kind {
        Some(ColumnType::Number) => number(&column.lower).is_some() && number(&column.upper).is_some(),
        Some(ColumnType::Category) => list(&column.levels).len() > 1,
        None => false,
    }
}

/// Returns whether a wide table lists a column among the described ones: it has a role, or its description is complete.
pub fn is_in_use(column: &ColumnDraft) -> bool {
    column.role != Role::Ignored || is_described(column)
}

/// Returns whether a wide table offers this name to make a term from: a described column, or another term.
pub fn is_choice_of_many(name: &str, columns: &[ColumnDraft]) -> bool {
    columns.iter().find(|column| column.name == name).is_none_or(is_in_use)
}

/// Fills a pasted block into the rows `targets`, its first cell into `first`.
pub fn paste(columns: &mut [ColumnDraft], targets: &[usize], first: Cell, block: &[Vec<String>]) {
    const ORDER: [Cell; 3] = [Cell::Lower, Cell::Upper, Cell::Unit];
    let start = ORDER.iter().position(|cell| *cell == first);
    for (row, index) in block.iter().zip(targets) {
        let Some(column) = columns.get_mut(*index) else { continue };
        for (offset, value) in row.iter().enumerate() {
            let cell = match start {
                Some(start) => ORDER.get(start + offset).copied(),
                None => Some(first).filter(|_| offset == 0),
            };
            match cell {
                Some(Cell::Lower) => column.lower.clone_from(value),
                Some(Cell::Upper) => column.upper.clone_from(value),
                Some(Cell::Unit) => column.unit.clone_from(value),
                Some(Cell::Levels) => column.levels.clone_from(value),
                _ => {}
            }
            column.note.clear();
        }
    }
}

/// Finds the rows whose names fit the filter: a part of the name, or a pattern with stars. With `described`, only described columns count. Columns
/// without a name are left out, since a plan cannot name them: spreadsheets write such a column where each line ends with a delimiter.
pub fn filtered(columns: &[ColumnDraft], filter: &str, described: bool) -> Vec<usize> {
    let search = Search::new(filter);
    let found = columns
        .iter()
        .enumerate()
        .filter(|(_, column)| !column.name.is_empty() && search.finds(&column.name))
        .filter(|(_, column)| !described || is_in_use(column));
    found.map(|(index, _)| index).collect()
}

/// Writes one column as a plan names it.
pub(super) fn to_entry(draft: &ColumnDraft) -> Column {
    let text = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    let number_column = draft.kind == Some(ColumnType::Number);
    let category = draft.kind == Some(ColumnType::Category);
    let bound = |typed: &str| {
        let estimated = draft.estimate && typed.trim().is_empty();
        number(typed).map(Bound::from).or(estimated.then_some(Bound::Estimate))
    };
    Column {
        name: Some(draft.name.clone()),
        pattern: None,
        role: draft.role,
        kind: draft.kind,
        lower: bound(&draft.lower).filter(|_| number_column),
        upper: bound(&draft.upper).filter(|_| number_column),
        typical: typical(draft),
        integer: draft.integer.filter(|_| number_column),
        written: draft.written.filter(|_| number_column).map(Written::from),
        na: Some(list(&draft.na)).filter(|na| !na.is_empty()),
        levels: Some(list(&draft.levels)).filter(|_| category),
        reference: text(&draft.reference).filter(|_| category).map(|reference| level(&reference)),
        labels: labels(draft).filter(|_| category),
        unit: text(&draft.unit).filter(|_| number_column),
        label: text(&draft.label),
        note: text(&draft.note),
    }
}

/// Returns what the levels mean. Labels of levels that were taken out are dropped; `None` if none is left.
fn labels(draft: &ColumnDraft) -> Option<BTreeMap<String, String>> {
    let levels = list(&draft.levels);
    let mut labels = draft.labels.clone();
    labels.retain(|level, _| levels.contains(level));
    (!labels.is_empty()).then_some(labels)
}

/// Which typical value of a number does not fit its bounds, so that it is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypicalFault {
    /// The mean lies outside.
    Mean,
    /// The standard deviation is above half of the range.
    Spread,
}

/// Returns what does not fit. `None` if a bound is not stated.
pub fn typical_fault(draft: &ColumnDraft) -> Option<TypicalFault> {
    let (lower, upper) = (number(&draft.lower)?, number(&draft.upper)?);
    if number(&draft.typical_mean).is_some_and(|mean| mean < lower || mean > upper) {
        return Some(TypicalFault::Mean);
    }
    number(&draft.typical_sd).is_some_and(|sd| sd > (upper - lower) / 2.0).then_some(TypicalFault::Spread)
}

/// Returns what is typical of a column: of a number where its standard deviation was typed, of levels where a share was.
fn typical(draft: &ColumnDraft) -> Option<TypicalValues> {
    match draft.kind? {
        ColumnType::Number => {
            let mean = number(&draft.typical_mean);
            // The mean of zeros and ones is a share, which says how they spread.
            let is_zero_or_one = (number(&draft.lower), number(&draft.upper)) == (Some(0.0), Some(1.0));
            let of_share = mean.filter(|_| is_zero_or_one).map(|share| (share * (1.0 - share)).sqrt());
            let sd = number(&draft.typical_sd).or(of_share.filter(|sd| *sd > 0.0))?;
            if typical_fault(draft).is_some() {
                return None;
            }
            Some(TypicalValues { mean, sd: Some(sd), ..TypicalValues::default() })
        }
        ColumnType::Category => {
            let levels = list(&draft.levels);
            let stated = levels_of_share(draft).into_iter().filter_map(|level| {
                Some((draft.typical_shares.get(&level).and_then(|typed| share(typed))?, level))
            });
            let stated: BTreeMap<String, f64> = stated.map(|(share, level)| (level, share)).collect();
            let known = match other_level(&levels, &draft.reference) {
                Some(other) => {
                    let (level, share) = stated.into_iter().next()?;
                    TypicalValues {
                        share: Some(if level == other { share } else { 1.0 - share }),
                        ..TypicalValues::default()
                    }
                }
                None => TypicalValues {
                    shares: Some(stated).filter(|stated| !stated.is_empty()),
                    ..TypicalValues::default()
                },
            };
            known.shares(&levels, 0).is_ok().then_some(known)
        }
    }
}

/// Returns whether shares were typed of levels that cannot be all of them, so that none is used.
pub fn have_impossible_shares(draft: &ColumnDraft) -> bool {
    let is_typed =
        |level: &String| draft.typical_shares.get(level).is_some_and(|typed| share(typed).is_some());
    levels_of_share(draft).iter().any(is_typed) && typical(draft).is_none()
}

/// Writes the levels of a column. A reference that is none of them any more becomes the one that is written alike but for capitals, else
/// the first.
pub fn retype_levels(draft: &mut ColumnDraft, typed: String) {
    let levels = list(&typed);
    if !levels.contains(&level(&draft.reference)) {
        let lower = draft.reference.to_lowercase();
        let alike = levels.iter().find(|level| level.to_lowercase() == lower);
        draft.reference = alike.cloned().unwrap_or_default();
    }
    draft.levels = typed;
}

/// Returns the levels whose typical shares a column has, or may have: of two the one that it was stated for, else the one that is not the
/// reference; of more all.
pub fn levels_of_share(draft: &ColumnDraft) -> Vec<String> {
    let levels = list(&draft.levels);
    let Some(other) = other_level(&levels, &draft.reference) else {
        return if levels.len() > 2 { levels } else { Vec::new() };
    };
    let is_stated = |level: &&String| draft.typical_shares.get(*level).is_some_and(|typed| !typed.is_empty());
    vec![levels.iter().find(is_stated).cloned().unwrap_or(other)]
}

/// Returns that of two levels which is not the reference.
fn other_level(levels: &[String], reference: &str) -> Option<String> {
    let [first, second] = levels else { return None };
    let is_second = !reference.is_empty() && level(reference.trim()) == *second;
    Some(if is_second { first.clone() } else { second.clone() })
}

/// Describes a column as an entry of a plan does.
pub(super) fn describe(draft: &mut ColumnDraft, entry: &Column) {
    let written = |bound: Option<Bound>| {
        bound.and_then(Bound::stated).map_or_else(String::new, |value| value.to_string())
    };
    draft.label = entry.label.clone().unwrap_or_default();
    draft.role = entry.role;
    draft.kind = entry.kind;
    draft.lower = written(entry.lower);
    draft.upper = written(entry.upper);
    let TypicalValues { mean, sd, share, shares } = entry.typical.clone().unwrap_or_default();
    let typed = |known: Option<f64>| known.map_or_else(String::new, |known| known.to_string());
    draft.typical_mean = typed(mean);
    draft.typical_sd = typed(sd);
    let levels = entry.levels.as_deref().unwrap_or_default();
    let reference = entry.reference.as_deref().map(typed_level).unwrap_or_default();
    let other = other_level(levels, &reference);
    let stated = other.zip(share).into_iter().chain(shares.into_iter().flatten());
    draft.typical_shares = stated.map(|(level, share)| (level, in_percent(share))).collect();
    draft.estimate = [entry.lower, entry.upper].contains(&Some(Bound::Estimate));
    draft.integer = entry.integer;
    draft.written = entry.written.as_ref().map(format);
    draft.na = entry.na.as_deref().map(unlist).unwrap_or_default();
    draft.unit = entry.unit.clone().unwrap_or_default();
    draft.levels = entry.levels.as_deref().map(unlist).unwrap_or_default();
    draft.reference = reference;
    draft.labels = entry.labels.clone().unwrap_or_default();
    draft.note = entry.note.clone().unwrap_or_default();
}
