//! Compares the cells that are on the screen with what a person says of their column.
//!
//! The result follows from cells, so it is as private as they are. It is shown on this machine only, is never stored, and is in
//! no document. A repair changes the person's description of the column, if the person accepts it.

mod chosen;
mod codes;
mod formats;
mod persons;
mod twins;
mod weights;

use std::collections::BTreeSet;

use strsim::levenshtein;

use super::dates::{is_date, orders};
use super::latin1;
use super::number::{self, CURRENCIES};
use super::spelling::respell;
use crate::plan::bound::CsvRules;
use crate::plan::number_format::{DateOrder, NumberFormat, Thousands};

pub use self::chosen::{meeting, unmet};
pub use self::codes::{codes, turned_round};
pub use self::formats::{are_numbers_somehow, breaks, other_formats};
use self::formats::{candidates, formats};
use self::persons::identifies;
pub use self::persons::{could_be_persons, names_persons, persons};
use self::twins::{in_any_capitals, is_level};
pub use self::twins::{other_capitals, spelt_twice};
pub use self::weights::survey_weight;

/// Most cells that are quoted of one kind.
const QUOTED: usize = 4;

/// Fewest first rows by which a column is called mostly empty, or an outcome one of two values.
const ENOUGH: usize = 6;

/// Most lines of a cell that is a note, an address or the like.
const MOST_LINES: usize = 30;

/// Fewest first rows from which a column is recognised as an identifier.
const MANY: usize = 12;

/// What a person says of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stated<'a> {
    /// A number, with the bounds that are stated.
    Number {
        /// Lower bound.
        lower: Option<f64>,
        /// Upper bound.
        upper: Option<f64>,
    },
    /// A category, or a column without a type.
    Category {
        /// Its levels. Fewer than two are not stated yet.
        levels: &'a [String],
    },
}

/// How cells contradict a description.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Contradiction {
    /// They are none of the levels.
    Levels,
    /// They are none of the levels, and one level is written in capital and in small letters.
    Spelling,
    /// They are none of the levels, and one is a level in UTF-8 that is read as Latin-1.
    Encoding,
    /// They are numbers in another format: another decimal mark, separators of thousands, percent signs.
    Format,
    /// They can be read as decimals, and look like whole numbers with a separator of thousands.
    Thousands,
    /// They are dates.
    Date,
    /// They are numbers with a unit or a sign such as `<`, and no levels are stated.
    Unit,
    /// They are words in place of numbers.
    Words,
    /// They look like a code for a missing value, such as -99.
    Code,
    /// They are beyond the bounds.
    Outside,
    /// Of the whole file more than a few are beyond a bound.
    Beyond {
        /// Whether that is mostly the upper one.
        above: bool,
    },
    /// In the whole file a bound that is no round number is exactly the largest or the smallest of them.
    AtEnd {
        /// Whether that is the upper one.
        upper: bool,
    },
    /// They lie between 0 and 1, and percentages are stated.
    Shares,
    /// They are the weights of a survey, to judge by the column's name.
    Weight,
    /// They are codes of groups, to judge by the column's name, and a number is stated.
    Codes,
    /// Stated levels differ by capitals, accents or spaces alone.
    SpeltTwice,
    /// The reference of the outcome is yes, so the regression would explain no.
    TurnedRound,
    /// More of them are missing than not.
    Missing {
        /// How many of the first cells are missing.
        missing: usize,
        /// How many first cells there are.
        of: usize,
    },
    /// Each row has another one: they number the rows, or no level occurs twice.
    Identifier,
    /// They name persons, to judge by the column's name or by their form, and one of them occurs in several rows.
    SeveralRows,
    /// One cell spans many lines of the file: two stray quotes far apart turn everything between them into one cell.
    Lines {
        /// Over how many.
        lines: usize,
    },
    /// The last row is one of totals, to judge by a word in this column.
    Totals,
    /// No row meets the condition by which rows are chosen.
    Unmet,
    /// They identify persons, to judge by the column's name. The first rows do not show whether a person has several rows.
    Persons,
}

impl Contradiction {
    /// Returns the one that stands for all that a confirmation of it answers. Which rows count, and how many were read, decides
    /// whether cells are found among the first rows or in the whole file, how many are missing, and whether some of the cells that
    /// are none of the levels differ by capitals alone.
    #[must_use]
    pub const fn answered(self) -> Self {
        match self {
            Self::Spelling | Self::Encoding => Self::Levels,
            Self::Beyond { .. } => Self::Outside,
            Self::Missing { .. } => Self::Missing { missing: 0, of: 0 },
            other => other,
        }
    }
}

/// A change of what is stated that resolves a contradiction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Repair {
    /// These levels.
    Levels(Vec<String>),
    /// Numbers are written so.
    Format(NumberFormat),
    /// Numbers of this column are written so, and those of others are not.
    OwnFormat(NumberFormat),
    /// These cells count as missing.
    Missing(Vec<String>),
    /// The column is a category.
    Category,
    /// The cells are dates in this order, and count as years.
    Years(DateOrder),
    /// The column is left out.
    LeaveOut,
    /// The column names the persons.
    Person,
    /// The levels of each list are one.
    Merge(Vec<Vec<String>>),
}

/// A contradiction between cells and description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// What kind.
    pub kind: Contradiction,
    /// The first different cells of the kind, as they are.
    pub cells: Vec<String>,
    /// What would resolve it: more than one where the cells can be read in two ways.
    pub repairs: Vec<Repair>,
}

/// Returns the contradictions between the cells of a column of this name and what is stated of it, at most one of each kind.
pub fn mismatches<'a>(
    name: &str,
    cells: impl Iterator<Item = &'a str>,
    stated: Stated<'_>,
    rules: &CsvRules,
) -> Vec<Mismatch> {
    let cells: Vec<&str> = cells.map(str::trim).collect();
    let has_blank = matches!(stated, Stated::Category { levels } if levels.iter().any(String::is_empty));
    let is_present = |cell: &&str| has_blank && cell.is_empty() || !rules.is_missing(cell);
    let lines = cells.iter().map(|cell| 1 + cell.matches('\n').count()).max().unwrap_or_default();
    if lines > MOST_LINES {
        return vec![mismatch(Contradiction::Lines { lines }, Vec::new(), Vec::new())];
    }
    let present: Vec<&str> = cells.iter().copied().filter(is_present).collect();
    let mut found = match stated {
        Stated::Number { lower, upper } => of_number(&present, lower, upper, rules),
        Stated::Category { levels } if levels.len() >= 2 => of_category(&present, levels),
        Stated::Category { .. } => before_levels(&present),
    };
    let (missing, of) = (cells.len() - present.len(), cells.len());
    if of >= ENOUGH && missing * 2 > of {
        let repairs = blank_in_place(stated, &present).into_iter().chain([Repair::LeaveOut]).collect();
        found.push(mismatch(Contradiction::Missing { missing, of }, Vec::new(), repairs));
    }
    if found.is_empty() && is_identifier(&present, stated, rules) {
        let cells = distinct(present.iter().copied());
        found.push(mismatch(Contradiction::Identifier, cells, vec![Repair::LeaveOut]));
    } else {
        found.extend(identifies(name, &present));
    }
    found
}

/// Returns whether there are cells enough, and none is a number or a level as stated.
pub fn none_counts<'a>(cells: impl Iterator<Item = &'a str>, stated: Stated<'_>, rules: &CsvRules) -> bool {
    let cells: Vec<&str> = cells.map(str::trim).collect();
    let counts = |cell: &&str| match stated {
        Stated::Number { .. } => !rules.is_missing(cell) && number::parse(cell, rules.numbers).is_some(),
        Stated::Category { levels } => levels.iter().any(|level| level.trim() == *cell),
    };
    cells.len() >= ENOUGH && !cells.iter().any(counts)
}

/// Returns the two stated levels with that which no cell has as empty cells: in a column that is only ticked these mean no.
fn blank_in_place(stated: Stated<'_>, present: &[&str]) -> Option<Repair> {
    let Stated::Category { levels } = stated else { return None };
    let is_read = |level: &&String| present.contains(&level.as_str());
    let is_ticked = levels.len() == 2 && levels.iter().filter(is_read).count() == 1;
    let place = |level: &String| if is_read(&level) { level.clone() } else { String::new() };
    is_ticked.then(|| Repair::Levels(levels.iter().map(place).collect()))
}

/// Returns whether cells number or name their rows.
fn is_identifier(present: &[&str], stated: Stated<'_>, rules: &CsvRules) -> bool {
    present.len() >= MANY
        && match stated {
            Stated::Number { .. } => counts_rows(present, rules),
            Stated::Category { levels } => {
                levels.len() < 2 && distinct(present.iter().copied()).len() == present.len()
            }
        }
}

/// Returns whether all cells are numbers that count their rows.
fn counts_rows(present: &[&str], rules: &CsvRules) -> bool {
    let values: Option<Vec<f64>> = present.iter().map(|cell| number::parse(cell, rules.numbers)).collect();
    values.is_some_and(|values| numbers_rows(&values))
}

/// Returns whether numbers rise from row to row as numbers of rows or records do: one by one from 0 or 1 or from beyond most measurements,
/// but not through years, or by any whole step once they have five digits.
fn numbers_rows(values: &[f64]) -> bool {
    let (Some(first), Some(last)) = (values.first(), values.last()) else { return false };
    let by =
        |fits: fn(f64) -> bool| values.windows(2).all(|pair| matches!(pair, [one, next] if fits(next - one)));
    let are_years = *first >= 1800.0 && *last <= 2200.0;
    let from_anywhere = *first >= 100.0 && !are_years;
    let one_by_one = by(|step| (step - 1.0).abs() < f64::EPSILON);
    one_by_one && ((0.0..=1.0).contains(first) || from_anywhere)
        || *first >= 10_000.0 && by(|step| step >= 1.0 && step.fract() == 0.0)
}

/// Returns the only two values of a column, the smaller one first, where they are whole numbers of one digit, as codes are: an outcome that
/// has no others among its first cells may be yes or no.
pub fn two_values<'a>(cells: impl Iterator<Item = &'a str>, rules: &CsvRules) -> Option<[String; 2]> {
    let present: Vec<&str> = cells.map(str::trim).filter(|cell| !rules.is_missing(cell)).collect();
    let mut values = distinct(present.iter().copied());
    values.sort();
    let are_codes =
        values.iter().all(|value| value.len() == 1 && value.chars().all(|digit| digit.is_ascii_digit()));
    <[String; 2]>::try_from(values).ok().filter(|_| are_codes && present.len() >= ENOUGH)
}

fn of_number(present: &[&str], lower: Option<f64>, upper: Option<f64>, rules: &CsvRules) -> Vec<Mismatch> {
    // Swapped bounds are reported elsewhere.
    let swapped = lower.zip(upper).is_some_and(|(lower, upper)| lower > upper);
    let (lower, upper) = if swapped { (None, None) } else { (lower, upper) };
    let values: Vec<Option<f64>> = present.iter().map(|cell| number::parse(cell, rules.numbers)).collect();
    let has_numbers = values.iter().any(Option::is_some);
    let is_number_somehow =
        |cell: &str| candidates(rules.numbers).any(|format| number::parse(cell, format).is_some());
    let all = || values.iter().flatten().copied();
    let is_outside =
        |value: f64| lower.is_some_and(|lower| value < lower) || upper.is_some_and(|upper| value > upper);
    let negatives_are_codes = lower.is_none()
        && all().all(|value| value >= 0.0 || is_code(value))
        && all().any(|value| value >= 0.0);
    // Among other values above the bound, a number such as 88 is a value, too.
    let values_lie_above = all().any(|value| !is_code(value) && upper.is_some_and(|upper| value > upper));
    // If all other cells have decimals, a number of nines without decimals is a code.
    let has_decimals = |cell: &&str| cell.contains(char::from(rules.numbers.decimal));
    let is_nines = |cell: &&str| cell.len() > 2 && cell.bytes().all(|digit| digit == b'9');
    let nines_are_codes = present.iter().filter(|cell| has_decimals(cell)).count() >= ENOUGH
        && present.iter().all(|cell| has_decimals(cell) || is_nines(cell));
    let is_meant_as_code = |cell: &str, value: f64| {
        is_code(value)
            && (nines_are_codes && is_nines(&cell)
                || is_outside(value) && (value < 0.0 || !values_lie_above)
                || value < 0.0 && negatives_are_codes)
    };
    let kind = |cell: &str, value: Option<f64>| match value {
        Some(value) if is_meant_as_code(cell, value) => Some(Contradiction::Code),
        Some(value) => is_outside(value).then_some(Contradiction::Outside),
        None if is_date(cell) => Some(Contradiction::Date),
        None if is_number_somehow(cell) => Some(Contradiction::Format),
        None => Some(Contradiction::Words),
    };
    let found: Vec<(Contradiction, &str)> =
        present.iter().zip(&values).filter_map(|(cell, value)| Some((kind(cell, *value)?, *cell))).collect();
    let kinds: BTreeSet<Contradiction> = found.iter().map(|(kind, _)| *kind).collect();
    let one = |kind: Contradiction| {
        let cells = distinct(found.iter().filter(|(found, _)| *found == kind).map(|(_, cell)| *cell));
        let repairs = match kind {
            Contradiction::Format => {
                let written: Vec<&str> = present
                    .iter()
                    .copied()
                    .filter(|cell| !is_date(cell) && is_number_somehow(cell))
                    .collect();
                formats(&written, rules).into_iter().map(Repair::Format).collect()
            }
            Contradiction::Date if has_numbers => vec![Repair::LeaveOut],
            Contradiction::Date => of_dates(present),
            Contradiction::Code => vec![Repair::Missing(cells.clone())],
            Contradiction::Words if has_numbers => no_answers(&cells).into_iter().collect(),
            Contradiction::Words => vec![Repair::Category],
            _ => Vec::new(),
        };
        mismatch(kind, cells, repairs)
    };
    let mut found: Vec<Mismatch> = kinds.into_iter().map(one).collect();
    if (lower, upper) == (Some(0.0), Some(100.0)) && are_shares(present, rules) {
        found.push(mismatch(Contradiction::Shares, distinct(present.iter().copied()), Vec::new()));
    }
    if upper.is_none_or(|upper| upper >= 1000.0) && could_have_thousands(present, rules) {
        let cells = distinct(present.iter().copied().filter(|cell| cell.contains('.')));
        found.push(mismatch(Contradiction::Thousands, cells, vec![Repair::Format(POINTS_BETWEEN_THOUSANDS)]));
    }
    found
}

/// How numbers are written where the comma is the decimal mark: `9.029,5`.
const POINTS_BETWEEN_THOUSANDS: NumberFormat =
    NumberFormat { thousands: Some(Thousands::Point), ..NumberFormat::plain(b',') };

/// Returns whether all numbers of a file that has no commas between its cells, as where the comma is the decimal mark, are whole
/// ones or have three digits behind their point: `9.029` may be 9029.
fn could_have_thousands(present: &[&str], rules: &CsvRules) -> bool {
    let value = |cell: &str| number::parse(cell, rules.numbers).map(f64::abs);
    let has_group = |cell: &str| {
        let is_decimal = cell.contains('.') && value(cell).is_some_and(|number| number >= 1.0);
        is_decimal && number::parse(cell, POINTS_BETWEEN_THOUSANDS).is_some()
    };
    let is_small = |cell: &str| !cell.contains('.') && value(cell).is_some_and(|number| number < 1000.0);
    rules.delimiter != b','
        && rules.numbers == NumberFormat::plain(b'.')
        && present.iter().filter(|cell| has_group(cell)).count() >= ENOUGH
        && present.iter().all(|cell| has_group(cell) || is_small(cell))
}

/// Returns whether all cells are numbers from 0 to 1, and not all of them 0: a workbook holds 80 % as 0.8.
fn are_shares(present: &[&str], rules: &CsvRules) -> bool {
    let values: Option<Vec<f64>> = present.iter().map(|cell| number::parse(cell, rules.numbers)).collect();
    present.len() >= ENOUGH
        && values.is_some_and(|values| {
            values.iter().all(|value| (0.0..=1.0).contains(value)) && values.iter().any(|value| *value > 0.0)
        })
}

/// Returns what contradicts the type of a column whose levels are not stated yet: dates are no levels, and numbers with units
/// were meant as numbers. A few other cells, such as a line of units below the header, do not change that.
fn before_levels(present: &[&str]) -> Vec<Mismatch> {
    let most = |is: fn(&str) -> bool| {
        !present.is_empty() && present.iter().filter(|cell| is(cell)).count() * 10 >= present.len() * 9
    };
    let kind = if most(is_date) {
        Contradiction::Date
    } else if most(|cell| has_unit(cell) || number::parse_either(cell).is_some())
        && present.iter().any(|cell| has_unit(cell))
    {
        Contradiction::Unit
    } else {
        return Vec::new();
    };
    let repairs = if kind == Contradiction::Date { of_dates(present) } else { Vec::new() };
    let told = present.iter().copied().filter(|cell| kind != Contradiction::Unit || has_unit(cell));
    vec![mismatch(kind, distinct(told), repairs)]
}

/// Returns what can become of dates: years, where all of them are dates in one order, or nothing.
fn of_dates(cells: &[&str]) -> Vec<Repair> {
    orders(cells.iter().copied()).into_iter().map(Repair::Years).chain([Repair::LeaveOut]).collect()
}

/// Returns whether a cell is a number with a unit after it, or with a sign such as `<` or one of money before it.
fn has_unit(cell: &str) -> bool {
    let is_sign =
        |letter: char| matches!(letter, '<' | '>' | '≤' | '≥' | '~' | '=') || CURRENCIES.contains(&letter);
    let bare = cell.trim_start_matches(is_sign).trim_start();
    let end = bare.find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | ',' | '-' | '+'));
    let (value, unit) = bare.split_at(end.unwrap_or(bare.len()));
    let is_unit =
        unit.is_empty() || unit.starts_with(' ') || unit.starts_with(CURRENCIES) || unit.chars().count() > 1;
    let is_number = candidates(NumberFormat::default()).any(|format| number::parse(value, format).is_some());
    // 20:34 is a time of the day.
    is_number && is_unit && !unit.starts_with(':') && (bare.len() < cell.len() || !unit.is_empty())
}

/// What people write where there is no answer: letters and digits alone, in small letters.
const NO_ANSWER: [&str; 28] = [
    "na", "notapplicable", "nichtbestimmt", "nichterhoben", "ka", "keineangabe", "unbekannt", "unknown",
    "notknown", "missing", "refused", "notavailable", "notrecorded", "dontknow", "null", "ni", "saknas",
    "okänd", "ukendt", "ukjent", "mangler", "desconocido", "naoinformado", "nãoinformado", "未測定", "欠測",
    "不明", "未知",
];

/// Returns whether a cell is the error of a spreadsheet's formula, in whatever language: `#N/A`, `#NV`, `#DIV/0!`, `#WERT!`.
fn is_formula_error(cell: &str) -> bool {
    let is_of_error = |letter: char| letter.is_uppercase() || matches!(letter, '/' | '0' | '!' | '?');
    cell.strip_prefix('#').is_some_and(|rest| rest.chars().count() > 1 && rest.chars().all(is_of_error))
}

/// Returns whether a cell is one of Stata's extended missing values: `.a` to `.z`.
fn is_extended_missing(cell: &str) -> bool {
    cell.strip_prefix('.')
        .is_some_and(|rest| rest.len() == 1 && rest.chars().all(|letter| letter.is_ascii_lowercase()))
}

/// Returns the offer to count as missing what says that there is no answer, where some of the cells do. A mark such as `?` or `-` says so
/// too, but beside a plus it is a finding.
fn no_answers(cells: &[String]) -> Option<Repair> {
    let findings = cells.iter().any(|cell| cell.contains('+'));
    let says_nothing = |cell: &&String| {
        let plain: String = cell.chars().filter(|letter| letter.is_alphanumeric()).collect();
        NO_ANSWER.contains(&plain.to_lowercase().as_str())
            || (plain.is_empty() && !findings)
            || is_formula_error(cell)
            || is_extended_missing(cell)
    };
    let found: Vec<String> = cells.iter().filter(says_nothing).cloned().collect();
    (!found.is_empty()).then_some(Repair::Missing(found))
}

fn of_category(present: &[&str], levels: &[String]) -> Vec<Mismatch> {
    // With the level `other` there are no cells without a level.
    if levels.iter().any(|level| level == "other") {
        return Vec::new();
    }
    let cells = distinct(present.iter().copied());
    let unmatched: Vec<String> = cells.iter().filter(|cell| !levels.contains(cell)).cloned().collect();
    let is_code = |cell: &String| number::parse(cell, NumberFormat::default()).is_some_and(is_code);
    // In a column of codes 1, 2, 9 the nine may be a level, so only a longer code or a negative one is offered as missing.
    let (codes, others): (Vec<String>, Vec<String>) =
        unmatched.into_iter().partition(|cell| is_code(cell) && cell.len() > 1);
    let mut found = Vec::new();
    if !others.is_empty() {
        let dates = others.iter().all(|cell| is_date(cell));
        // A level is never added from the cells: the plan is published, and would reveal that somebody has this level.
        let respelt = respell(levels, &cells).map(Repair::Levels).or_else(|| joined(levels, &others));
        if others.iter().any(|cell| is_misread(levels, cell)) {
            return vec![mismatch(Contradiction::Encoding, others, Vec::new())];
        }
        let repair = if dates { Some(Repair::LeaveOut) } else { respelt };
        let kind = match repair {
            _ if dates => Contradiction::Date,
            None if is_spelt_in_two_ways(levels, &others) => Contradiction::Spelling,
            _ => Contradiction::Levels,
        };
        let missing = no_answers(&others);
        let by_capitals = kind == Contradiction::Spelling && others.iter().any(|cell| is_level(levels, cell));
        let capitals = by_capitals.then(|| in_any_capitals(levels));
        let mended = misspelt(levels, &cells, &others).filter(|mended| Some(mended) != repair.as_ref());
        found.push(mismatch(
            kind,
            others,
            missing.into_iter().chain(capitals).chain(mended).chain(repair).collect(),
        ));
    }
    if !codes.is_empty() {
        let repair = Repair::Missing(codes.clone());
        found.push(mismatch(Contradiction::Code, codes, vec![repair]));
    }
    found
}

/// Returns the stated levels with those joined that a comma parted, where no cell is left over then: `Finance, insurance` is one level.
fn joined(levels: &[String], unmatched: &[String]) -> Option<Repair> {
    let mut mended = levels.to_vec();
    for cell in unmatched {
        let parts: Vec<&str> = cell.split(',').map(str::trim).collect();
        let place =
            mended.windows(parts.len()).position(|window| window == parts).filter(|_| parts.len() > 1)?;
        mended.splice(place..place + parts.len(), [cell.clone()]);
    }
    Some(Repair::Levels(mended))
}

/// Returns the stated levels with those that the cells do not have spelt as the closest cells, where no cell is left over then. What is not
/// letters has to be the same: `Type 1` is not a slip for `Type 2`.
fn misspelt(levels: &[String], cells: &[String], unmatched: &[String]) -> Option<Repair> {
    let (mut mended, mut left) = (levels.to_vec(), unmatched.to_vec());
    for level in mended.iter_mut().filter(|level| !cells.contains(level)) {
        let letters = level.chars().count();
        let alike = left.iter().filter(|cell| without_letters(cell) == without_letters(level));
        let near = alike.map(|cell| (levenshtein(level, cell), cell));
        if let Some((_, meant)) = near.min().filter(|(distance, _)| 3 * distance <= letters) {
            *level = meant.clone();
            left.retain(|cell| cell != level);
        }
    }
    left.is_empty().then_some(Repair::Levels(mended))
}

fn without_letters(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_alphabetic()).collect()
}

/// Returns whether two of these differ in capital letters alone.
fn is_spelt_in_two_ways(levels: &[String], others: &[String]) -> bool {
    let mut seen = BTreeSet::new();
    !levels.iter().chain(others).all(|level| seen.insert(level.to_lowercase()))
}

fn mismatch(kind: Contradiction, mut cells: Vec<String>, repairs: Vec<Repair>) -> Mismatch {
    cells.truncate(QUOTED);
    Mismatch { kind, cells, repairs }
}

/// Returns the different cells in the order in which they first occur.
/// Returns whether a cell is what a level in UTF-8 becomes when it is read as Latin-1: `UmeÃ¥` is Umeå.
fn is_misread(levels: &[String], cell: &str) -> bool {
    levels.iter().any(|level| !level.is_ascii() && latin1::text(level.as_bytes()).trim() == cell)
}

fn distinct<'a>(cells: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    cells.filter(|cell| seen.insert(*cell)).map(str::to_owned).collect()
}

/// Returns whether a number is a usual code for a missing value: -1, sevens, eights or nines alone, such as -9, 99 or -888, or nines
/// before a seven or an eight, such as -98 or 997. 98 may be a value.
pub fn is_code(value: f64) -> bool {
    let text = value.abs().to_string();
    let alone = |text: &str, digit| !text.is_empty() && text.chars().all(|other| other == digit);
    let before = text.strip_suffix(['7', '8']).filter(|_| value < 0.0 || text.len() > 2).unwrap_or_default();
    let is_code = ['7', '8', '9'].into_iter().any(|digit| alone(&text, digit)) || alone(before, '9');
    is_code && (value < 0.0 || text.len() > 1) || value.to_bits() == (-1.0_f64).to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::bound::Encoding;
    use crate::plan::kinds::DEFAULT_NA;
    use crate::plan::number_format::Thousands;

    pub(super) fn rules(delimiter: u8, decimal: u8) -> CsvRules {
        let na = DEFAULT_NA.iter().map(|mark| (*mark).to_owned()).collect();
        let numbers = NumberFormat::plain(decimal);
        CsvRules { delimiter, numbers, by_field: Vec::new(), encoding: Encoding::Utf8, na }
    }

    pub(super) fn texts(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    fn number(cells: &[&str], lower: Option<f64>, upper: Option<f64>) -> Vec<Mismatch> {
        mismatches("", cells.iter().copied(), Stated::Number { lower, upper }, &rules(b';', b'.'))
    }

    fn category(cells: &[&str], levels: &[&str]) -> Vec<Mismatch> {
        let levels = texts(levels);
        mismatches("", cells.iter().copied(), Stated::Category { levels: &levels }, &rules(b',', b'.'))
    }

    /// Rows that are left out by another column change the kind of what is found, and not what was confirmed.
    #[test]
    fn a_confirmation_answers_what_other_rows_show_of_the_same() {
        let answered = |cells: &[&str]| {
            let found = category(cells, &["Female", "Male"]);
            found.into_iter().map(|one| (one.kind, one.kind.answered())).collect::<Vec<_>>()
        };
        let all = answered(&["Female", "Male", "Nonbinary", "female", "Male"]);
        let some = answered(&["Female", "Male", "Nonbinary", "Male"]);
        assert_eq!(all, [(Contradiction::Spelling, Contradiction::Levels)]);
        assert_eq!(some, [(Contradiction::Levels, Contradiction::Levels)]);
        let missing = |missing, of| Contradiction::Missing { missing, of }.answered();
        assert_eq!(missing(8, 12), missing(6, 10));
        let beyond = Contradiction::Beyond { above: true }.answered();
        assert_eq!(beyond, Contradiction::Outside.answered());
        assert_ne!(beyond, missing(8, 12));
    }

    fn one(kind: Contradiction, cells: &[&str], repair: impl IntoIterator<Item = Repair>) -> Vec<Mismatch> {
        vec![Mismatch { kind, cells: texts(cells), repairs: repair.into_iter().collect() }]
    }

    /// A column that is only ticked: more than half of its cells are empty.
    #[test]
    fn a_level_for_empty_cells_takes_the_place_of_that_which_no_cell_has() {
        let cells = ["x", "", "", "", "x", ""];
        let repairs = [Repair::Levels(texts(&["", "x"])), Repair::LeaveOut];
        assert_eq!(
            category(&cells, &["nein", "x"]),
            one(Contradiction::Missing { missing: 4, of: 6 }, &[], repairs)
        );
        assert_eq!(category(&cells, &["", "x"]), []);
        assert_eq!(
            category(&["x", "", "y"], &["", "x"]).first().map(|found| found.kind),
            Some(Contradiction::Levels)
        );
    }

    #[test]
    fn what_fits_is_not_mentioned() {
        assert_eq!(number(&["1", "2.5", "NA", "", " 7 "], Some(0.0), Some(10.0)), []);
        assert_eq!(number(&["-4", "-2.5"], None, None), []);
        assert_eq!(
            number(&["-99", "5"], Some(-100.0), Some(100.0)),
            [],
            "a bound that allows it is the person's word"
        );
        assert_eq!(category(&["F", "M", "NA"], &["F", "M"]), []);
        assert_eq!(category(&["F", "M"], &["F"]), [], "levels are not stated yet");
        assert_eq!(category(&["1a", "2b", "3"], &[]), [], "these may be levels");
        assert_eq!(number(&["", "", "", "1", "2", "3"], None, None), [], "half of the cells are there");
        assert_eq!(category(&["x", "y"], &["F", "other"]), []);
    }

    #[test]
    fn dates_and_units_are_seen_before_levels_are_stated() {
        let [year_first, day_first, month_first] = DateOrder::ALL.map(Repair::Years);
        for (dates, orders) in [
            (["12.03.2019", "13.03.2019"], vec![day_first.clone()]),
            (["3/12/2019", "1/2/2019"], vec![day_first, month_first]),
            (["2019-03-12", "2019-13-12"], vec![]),
            (["2019-03-12 10:30", "2020-02-29"], vec![year_first]),
            (["12.03.19", "13.03.19"], vec![]),
        ] {
            let repairs = orders.into_iter().chain([Repair::LeaveOut]).collect();
            assert_eq!(category(&dates, &[]), [mismatch(Contradiction::Date, texts(&dates), repairs)]);
        }
        for cells in [
            &["12 mmHg", "13 mmHg"][..],
            &["71kg", "80kg"],
            &["12 %", "8 %"],
            &["$2,803.41", "$0.00"],
            &["12€", "8 €"],
        ] {
            assert_eq!(category(cells, &["x".to_owned().as_str()]), one(Contradiction::Unit, cells, None));
        }
        let told = one(Contradiction::Unit, &["<5"], None);
        assert_eq!(category(&["7.5", "<5", "9"], &[]), told, "a plain number is none of them");
    }

    #[test]
    fn a_line_of_units_below_the_header_hides_no_units() {
        let mut cells = vec!["kg"];
        cells.extend(["71.5 kg", "80", "76", "91", "68", "77", "74", "59", "83"]);
        assert_eq!(category(&cells, &[]).first().map(|found| found.kind), Some(Contradiction::Unit));
    }

    #[test]
    fn numbers_and_names_of_rows_are_told() {
        let counted =
            |from: usize, rows: usize| (from..from + rows).map(|n| n.to_string()).collect::<Vec<_>>();
        let leave = || Some(Repair::LeaveOut);
        let of = |cells: &[String], is_number: bool| {
            let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
            if is_number { number(&cells, Some(0.0), None) } else { category(&cells, &[]) }
        };
        assert_eq!(of(&counted(1, 24), true), one(Contradiction::Identifier, &["1", "2", "3", "4"], leave()));
        assert_eq!(of(&counted(30, 24), true), [], "ages can be in order");
        assert_eq!(of(&counted(1, 11), true), [], "too few rows to tell");
        let told_of = |cells: &[&str]| one(Contradiction::Identifier, cells, leave());
        assert_eq!(of(&counted(1001, 12), true), told_of(&["1001", "1002", "1003", "1004"]));
        assert_eq!(of(&counted(1990, 24), true), [], "years can be in order");
        let rising = |first: usize| (0..12).map(|row| (first + 37 * row).to_string()).collect::<Vec<_>>();
        assert_eq!(of(&rising(48_200), true), told_of(&["48200", "48237", "48274", "48311"]));
        assert_eq!(of(&rising(48), true), [], "measurements can be in order");
        let names: Vec<String> = counted(1, 12).iter().map(|n| format!("P-{n}")).collect();
        let told = one(Contradiction::Identifier, &["P-1", "P-2", "P-3", "P-4"], leave());
        assert_eq!(of(&names, false), told);
        let repeated: Vec<String> = names.iter().take(11).chain(names.first()).cloned().collect();
        assert_eq!(of(&repeated, false), []);
    }

    #[test]
    fn cells_that_say_that_there_is_no_answer_are_offered_as_missing() {
        let missing = Repair::Missing(texts(&["k.A."]));
        let found = category(&["ja", "nein", "k.A."], &["ja", "nein"]);
        assert_eq!(found[0].repairs, std::slice::from_ref(&missing));
        assert_eq!(number(&["61", "k.A."], None, None)[0].repairs, [missing]);
        let errors = number(&["61", "#NV", "#DIV/0!", "#WERT!"], None, None);
        assert_eq!(errors[0].repairs, [Repair::Missing(texts(&["#NV", "#DIV/0!", "#WERT!"]))]);
        assert!(!["#1", "#", "#Station"].into_iter().any(is_formula_error));
        let mark = category(&["ja", "nein", "?"], &["ja", "nein"]);
        assert_eq!(mark[0].repairs.first(), Some(&Repair::Missing(texts(&["?"]))));
        let findings = category(&["+", "-", "+"], &["positive", "negative"]);
        assert!(
            findings[0].repairs.iter().all(|repair| !matches!(repair, Repair::Missing(_))),
            "{findings:?}"
        );
    }

    #[test]
    fn a_number_is_no_code_where_others_lie_above_the_bound() {
        let outside = |cells: &[&str]| one(Contradiction::Outside, cells, None);
        assert_eq!(number(&["31", "60", "88"], Some(18.0), Some(50.0)), outside(&["60", "88"]));
    }

    #[test]
    fn a_column_that_is_mostly_empty_is_told() {
        let cells = ["", "NA", "", "", "4", "5"];
        let kind = Contradiction::Missing { missing: 4, of: 6 };
        let told = one(kind, &[], Some(Repair::LeaveOut));
        assert_eq!((number(&cells, None, None), category(&cells, &[])), (told.clone(), told));
        assert_eq!(number(&cells[..5], None, None), [], "too few rows to tell");
    }

    #[test]
    fn two_values_are_the_only_ones() {
        let values = |cells: &[&str]| two_values(cells.iter().copied(), &rules(b',', b'.'));
        assert_eq!(values(&["2", "1", "1", "NA", "2", "1", "2"]), Some(["1".to_owned(), "2".to_owned()]));
        assert_eq!(values(&["0", "1", "0", "1", "1"]), None, "too few rows to tell");
        assert_eq!(values(&["0", "1", "2", "0", "1", "1", "0"]), None);
    }

    #[test]
    fn levels_that_the_cells_spell_otherwise_are_respelt() {
        let repaired = |levels: &[&str]| Some(Repair::Levels(texts(levels)));
        for (cells, stated, levels) in [
            (&["F", "M", "F"][..], &["Male", "Female"][..], &["M", "F"][..]),
            (&["F", "F"], &["Male", "Female"], &["M", "F"]),
            (&["female", "male"], &["F", "M"], &["female", "male"]),
            (&["YES", "NO"], &["yes", "no"], &["YES", "NO"]),
            (&["Y", "N"], &["no", "yes"], &["N", "Y"]),
            (&["0", "1"], &["no", "yes"], &["0", "1"]),
            (
                &["Finance, insurance", "Mining"],
                &["Finance", "insurance", "Mining"],
                &["Finance, insurance", "Mining"],
            ),
            (&["Herz", "Gefäße"], &["Herz", "Lunge", "Gefässe"], &["Herz", "Lunge", "Gefäße"]),
        ] {
            let found = category(cells, stated);
            assert_eq!(
                found.first().and_then(|found| found.repairs.first().cloned()),
                repaired(levels),
                "{cells:?} {stated:?}"
            );
        }
        let any = Repair::Merge(vec![texts(&["no", "No", "NO"]), texts(&["yes", "Yes", "YES"])]);
        for (cells, stated, repair) in [
            (&["yes", "No", "YES"][..], &["no", "yes"][..], Some(any)),
            (&["low", "Low", "mid"], &["a", "b"], None),
        ] {
            let unmatched: Vec<&str> = cells.iter().copied().filter(|cell| !stated.contains(cell)).collect();
            assert_eq!(category(cells, stated), one(Contradiction::Spelling, &unmatched, repair));
        }
        for (cells, stated) in [
            (&["red"][..], &["F", "M"][..]),
            (&["2", "10", "1"], &["low", "high"]),
            (&["former"], &["never", "current"]),
            (&["HIV+", "HIV-"], &["HIV-", "none"]),
            (&["Type 2"], &["none", "Type 1"]),
        ] {
            let unmatched: Vec<&str> = cells.iter().copied().filter(|cell| !stated.contains(cell)).collect();
            let told = one(Contradiction::Levels, &unmatched, None);
            assert_eq!(category(cells, stated), told, "no level is taken from the cells");
        }
    }

    #[test]
    fn levels_that_are_read_in_another_encoding_are_told_without_an_offer_to_state_them_so() {
        let told = one(Contradiction::Encoding, &["UmeÃ¥", "LuleÃ¥"], None);
        assert_eq!(category(&["Lund", "UmeÃ¥", "LuleÃ¥"], &["Lund", "Umeå", "Luleå"]), told);
        let told = category(&["Lund", "Umea"], &["Lund", "Umeå"]);
        assert!(told.iter().all(|found| found.kind != Contradiction::Encoding), "{told:?}");
    }

    #[test]
    fn number_formats_are_recognised() {
        let format = |decimal, thousands, percent| {
            Repair::Format(NumberFormat { thousands, percent, ..NumberFormat::plain(decimal) })
        };
        let comma = format(b',', None, false);
        let by_comma = format(b'.', Some(Thousands::Comma), false);
        for (cells, repairs) in [
            (&["20,3"][..], vec![comma.clone()]),
            (&["1,250", "20,3"], vec![comma.clone()]),
            (&["1,234", "950"], vec![by_comma.clone(), comma]),
            (&["1,234,567"], vec![by_comma]),
            (&["1.234,5", "950"], vec![format(b',', Some(Thousands::Point), false)]),
            (&["1 234"], vec![format(b'.', Some(Thousands::Space), false)]),
            (&["1\u{202f}234,5"], vec![format(b',', Some(Thousands::Space), false)]),
            (&["1'234.5"], vec![format(b'.', Some(Thousands::Apostrophe), false)]),
            (&["12 %", "7.5%"], vec![format(b'.', None, true)]),
            (&["12,5 %", "n.d."], vec![format(b',', None, true)]),
            (&["1,5", "2.5"], vec![]),
        ] {
            let found = number(cells, None, None);
            let found = found.iter().find(|found| found.kind == Contradiction::Format);
            assert_eq!(found.map(|found| &found.repairs), Some(&repairs), "{cells:?}");
        }
        let found = number(&["2019-03-12"], None, None).remove(0);
        let repairs = vec![Repair::Years(DateOrder::YearMonthDay), Repair::LeaveOut];
        assert_eq!(found, mismatch(Contradiction::Date, texts(&["2019-03-12"]), repairs));
        assert_eq!(number(&["2019-03-12", "7"], None, None).remove(0).repairs, [Repair::LeaveOut]);
        assert_eq!(number(&["12", "n.d."], None, None), one(Contradiction::Words, &["n.d."], None));
        assert_eq!(
            number(&["low", "high"], None, None),
            one(Contradiction::Words, &["low", "high"], Some(Repair::Category))
        );
    }

    #[test]
    fn a_cell_that_swallows_lines_is_told_as_one() {
        let swallowed = "50,F,120\n".repeat(40);
        let told = number(&["120", &swallowed, "130"], None, None);
        assert_eq!(told, one(Contradiction::Lines { lines: 40 }, &[], None));
        assert_eq!(number(&["120", "a\nb"], None, None), one(Contradiction::Words, &["a\nb"], None));
    }

    #[test]
    fn thousands_are_told_from_decimals() {
        let found = |cells: &[&str], upper: Option<f64>| {
            number(cells, Some(0.0), upper).into_iter().find(|found| found.kind == Contradiction::Thousands)
        };
        let incomes = ["9.029", "3.115", "1.204", "950", "2.500", "4.118", "7.031"];
        let format = NumberFormat { thousands: Some(Thousands::Point), ..NumberFormat::plain(b',') };
        for upper in [None, Some(10_000.0)] {
            assert_eq!(found(&incomes, upper).unwrap().repairs, [Repair::Format(format)]);
        }
        assert_eq!(found(&incomes, Some(10.0)), None, "numbers below 10, as is stated");
        for other in ["0.204", "1.25", "1250", "n.d.", "1.204.500"] {
            let cells: Vec<&str> = incomes.into_iter().chain([other]).collect();
            assert_eq!(found(&cells, None), None, "{other}");
        }
        let stated = Stated::Number { lower: None, upper: None };
        let english = mismatches("", incomes.into_iter(), stated, &rules(b',', b'.'));
        assert!(english.iter().all(|found| found.kind != Contradiction::Thousands), "{english:?}");
    }

    #[test]
    fn shares_are_told_from_percentages() {
        let found = |cells: &[&str], upper: f64| {
            number(cells, Some(0.0), Some(upper)).iter().any(|found| found.kind == Contradiction::Shares)
        };
        let shares = ["1", "0.8", "1", "0.5", "1", "1"];
        assert!(found(&shares, 100.0));
        assert!(!found(&shares, 50.0), "only percentages are stated so");
        assert!(!found(&["1", "0.8", "1", "0.5", "1", "80"], 100.0));
        assert!(!found(&["0"; 8], 100.0), "nothing says in which unit it is 0");
        assert!(!found(&shares[..3], 100.0), "too few to say");
    }

    #[test]
    fn codes_are_told_from_values_beyond_a_bound() {
        let missing = |cells: &[&str]| Some(Repair::Missing(texts(cells)));
        for (cells, lower, upper, expected) in [
            (&["61", "-99"][..], None, None, one(Contradiction::Code, &["-99"], missing(&["-99"]))),
            (&["61", "999"], Some(0.0), Some(120.0), one(Contradiction::Code, &["999"], missing(&["999"]))),
            (&["61", "-1"], Some(0.0), Some(120.0), one(Contradiction::Code, &["-1"], missing(&["-1"]))),
            (
                &["61", "-98", "-99"],
                None,
                None,
                one(Contradiction::Code, &["-98", "-99"], missing(&["-98", "-99"])),
            ),
            (&["61", "997"], Some(0.0), Some(120.0), one(Contradiction::Code, &["997"], missing(&["997"]))),
            (&["61", ".a"], Some(0.0), None, one(Contradiction::Words, &[".a"], missing(&[".a"]))),
            (&["61", "98"], Some(0.0), Some(90.0), one(Contradiction::Outside, &["98"], None)),
            (&["310", "140"], Some(40.0), Some(270.0), one(Contradiction::Outside, &["310"], None)),
            (&["49", "61"], Some(90.0), Some(20.0), Vec::new()),
            (&["1.78", "1.6"], Some(60.0), None, one(Contradiction::Outside, &["1.78", "1.6"], None)),
            (
                &["310.50", "92.10", "9999", "88.20", "140.00", "210.75", "99.90"],
                Some(0.0),
                Some(60_000.0),
                one(Contradiction::Code, &["9999"], missing(&["9999"])),
            ),
            (
                &["310", "92.10", "9999", "88.20", "140.00", "210.75", "99.90"],
                None,
                Some(60_000.0),
                Vec::new(),
            ),
        ] {
            assert_eq!(number(cells, lower, upper), expected, "{cells:?}");
        }
        assert_eq!(
            category(&["F", "-99"], &["F", "M"]),
            one(Contradiction::Code, &["-99"], missing(&["-99"]))
        );
    }
}
