//! Compares the cells that are on the screen with what a person says of their column.
//!
//! What is found follows from cells, so it is as private as they are: it is shown on this machine only, is never stored and stands in no
//! document. A repair changes what the person says of the column, if the person takes it.

use std::collections::BTreeSet;

use super::dates::is_date;
use super::number;
use super::spelling::respell;
use crate::plan::bound::CsvRules;

/// Most cells that are quoted of one kind.
const QUOTED: usize = 4;

/// Most levels that a repair lists.
const MOST_LEVELS: usize = 12;

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
    /// A category.
    Category {
        /// Its levels; fewer than two are not compared.
        levels: &'a [String],
    },
}

/// How cells contradict a description.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Contradiction {
    /// They are none of the levels.
    Levels,
    /// They have another decimal mark.
    DecimalMark,
    /// They have separators of thousands.
    Thousands,
    /// They have percent signs.
    Percent,
    /// They are dates.
    Date,
    /// They are words in place of numbers.
    Words,
    /// They look like a code for a missing value, such as -99.
    Code,
    /// They are beyond the bounds.
    Outside,
}

/// A change of what is stated that resolves a contradiction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Repair {
    /// These levels.
    Levels(Vec<String>),
    /// This decimal mark.
    DecimalMark(u8),
    /// These cells count as missing.
    Missing(Vec<String>),
    /// The column is a category.
    Category,
    /// The column is left out.
    LeaveOut,
}

/// A contradiction between cells and description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// What kind.
    pub kind: Contradiction,
    /// The first different cells of the kind, as they are.
    pub cells: Vec<String>,
    /// What would resolve it, where that is known.
    pub repair: Option<Repair>,
}

/// Returns the contradictions between the cells of a column and what is stated of it, at most one of each kind.
#[must_use]
pub fn mismatches<'a>(
    cells: impl Iterator<Item = &'a str>,
    stated: Stated<'_>,
    rules: &CsvRules,
) -> Vec<Mismatch> {
    let is_missing = |cell: &&str| cell.is_empty() || rules.na.iter().any(|mark| mark.trim() == *cell);
    let present: Vec<&str> = cells.map(str::trim).filter(|cell| !is_missing(cell)).collect();
    match stated {
        Stated::Number { lower, upper } => of_number(&present, lower, upper, rules),
        Stated::Category { levels } if levels.len() >= 2 => of_category(&present, levels),
        Stated::Category { .. } => Vec::new(),
    }
}

/// Returns the decimal mark that would make numbers of a column which are none now, if there is such a column among these rows.
#[must_use]
pub fn other_decimal_mark(rows: &[Vec<String>], fields: usize, rules: &CsvRules) -> Option<u8> {
    let other = other_mark(rules)?;
    let is_written_so = |field: usize| {
        let cells = rows.iter().filter_map(|row| row.get(field)).map(|cell| cell.trim());
        let is_missing = |cell: &&str| cell.is_empty() || rules.na.iter().any(|mark| mark.trim() == *cell);
        let present: Vec<&str> = cells.filter(|cell| !is_missing(cell)).collect();
        let fractions = present.iter().filter(|cell| cell.contains(char::from(other))).count();
        fractions * 2 > present.len()
            && present.iter().all(|cell| number::parse(cell, other).is_some())
            && !present.iter().all(|cell| groups_of_thousands(cell, rules.decimal))
    };
    (0..fields).any(is_written_so).then_some(other)
}

/// Returns the decimal mark that the rules do not have, unless it separates fields.
fn other_mark(rules: &CsvRules) -> Option<u8> {
    let other = if rules.decimal == b'.' { b',' } else { b'.' };
    (other != rules.delimiter).then_some(other)
}

fn of_number(present: &[&str], lower: Option<f64>, upper: Option<f64>, rules: &CsvRules) -> Vec<Mismatch> {
    let values: Vec<Option<f64>> = present.iter().map(|cell| number::parse(cell, rules.decimal)).collect();
    let numbers = values.iter().flatten().count();
    // Of cells such as 1,234 the other ones decide whether the comma marks a fraction.
    let other = if rules.decimal == b'.' { b',' } else { b'.' };
    let has_fractions = present.iter().any(|cell| {
        number::parse(cell, rules.decimal).is_none()
            && number::parse(cell, other).is_some()
            && !groups_of_thousands(cell, rules.decimal)
    });
    let negatives_are_codes = lower.is_none()
        && values.iter().flatten().all(|value| *value >= 0.0 || is_code(*value))
        && values.iter().flatten().any(|value| *value >= 0.0);
    let kind = |cell: &str, value: Option<f64>| match value {
        Some(value) => {
            let outside =
                lower.is_some_and(|lower| value < lower) || upper.is_some_and(|upper| value > upper);
            match is_code(value) {
                true if outside || (value < 0.0 && negatives_are_codes) => Some(Contradiction::Code),
                _ => outside.then_some(Contradiction::Outside),
            }
        }
        None if is_date(cell) => Some(Contradiction::Date),
        None if cell.strip_suffix('%').is_some_and(is_number_somehow) => Some(Contradiction::Percent),
        None if groups_of_thousands(cell, rules.decimal) && !has_fractions => Some(Contradiction::Thousands),
        None if number::parse(cell, other).is_some() => Some(Contradiction::DecimalMark),
        None => Some(Contradiction::Words),
    };
    let found: Vec<(Contradiction, &str)> =
        present.iter().zip(values).filter_map(|(cell, value)| Some((kind(cell, value)?, *cell))).collect();
    let kinds: BTreeSet<Contradiction> = found.iter().map(|(kind, _)| *kind).collect();
    let one = |kind: Contradiction| {
        let cells = distinct(found.iter().filter(|(found, _)| *found == kind).map(|(_, cell)| *cell));
        let repair = match kind {
            Contradiction::DecimalMark => other_mark(rules).map(Repair::DecimalMark),
            Contradiction::Date => Some(Repair::LeaveOut),
            Contradiction::Code => Some(Repair::Missing(cells.clone())),
            Contradiction::Words => (numbers == 0).then_some(Repair::Category),
            Contradiction::Levels
            | Contradiction::Thousands
            | Contradiction::Percent
            | Contradiction::Outside => None,
        };
        mismatch(kind, cells, repair)
    };
    kinds.into_iter().map(one).collect()
}

fn of_category(present: &[&str], levels: &[String]) -> Vec<Mismatch> {
    // Whatever is no level counts as this one.
    if levels.iter().any(|level| level == "other") {
        return Vec::new();
    }
    let cells = distinct(present.iter().copied());
    let unmatched: Vec<String> = cells.iter().filter(|cell| !levels.contains(cell)).cloned().collect();
    let is_code = |cell: &String| number::parse(cell, b'.').is_some_and(is_code);
    // In a column of codes 1, 2, 9 the nine may be a level, so only a longer code or a negative one is offered as missing.
    let (codes, others): (Vec<String>, Vec<String>) =
        unmatched.into_iter().partition(|cell| is_code(cell) && cell.len() > 1);
    let mut found = Vec::new();
    if !others.is_empty() {
        let dates = others.iter().all(|cell| is_date(cell));
        let repair = if dates { Some(Repair::LeaveOut) } else { levels_for(levels, &cells, &others) };
        let kind = if dates { Contradiction::Date } else { Contradiction::Levels };
        found.push(mismatch(kind, others, repair));
    }
    if !codes.is_empty() {
        let repair = Repair::Missing(codes.clone());
        found.push(mismatch(Contradiction::Code, codes, Some(repair)));
    }
    found
}

/// Returns levels that the cells match: the stated ones as the cells spell them, or the stated ones that occur with the others.
fn levels_for(levels: &[String], cells: &[String], unmatched: &[String]) -> Option<Repair> {
    if let Some(respelt) = respell(levels, cells) {
        return Some(Repair::Levels(respelt));
    }
    // Sorted, so that the order of the levels does not depend on the order of the rows.
    let mut others: Vec<String> = unmatched.to_vec();
    others.sort_by(|a, b| by_number_then_text(a, b));
    let matched = levels.iter().any(|level| cells.contains(level));
    let all: Vec<String> = if matched { levels.iter().cloned().chain(others).collect() } else { others };
    (2..=MOST_LEVELS).contains(&all.len()).then_some(Repair::Levels(all))
}

fn by_number_then_text(left: &str, right: &str) -> std::cmp::Ordering {
    match (number::parse(left, b'.'), number::parse(right, b'.')) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        _ => left.cmp(right),
    }
}

fn mismatch(kind: Contradiction, mut cells: Vec<String>, repair: Option<Repair>) -> Mismatch {
    cells.truncate(QUOTED);
    Mismatch { kind, cells, repair }
}

/// Returns the different cells in the order in which they first occur.
fn distinct<'a>(cells: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    cells.filter(|cell| seen.insert(*cell)).map(str::to_owned).collect()
}

/// Returns whether a number is a usual code for a missing value: -1, or sevens, eights or nines alone, such as -9, 99 or -888.
fn is_code(value: f64) -> bool {
    let text = value.abs().to_string();
    let repeated = |digit: char| text.chars().all(|other| other == digit);
    let alone = ['7', '8', '9'].into_iter().any(repeated);
    alone && (value < 0.0 || text.len() > 1) || value.to_bits() == (-1.0_f64).to_bits()
}

/// Returns whether a text is a whole number in groups of three digits, with a fraction after `decimal` if there is one.
fn groups_of_thousands(text: &str, decimal: u8) -> bool {
    let text = text.strip_prefix(['-', '+']).unwrap_or(text);
    let whole = text.split(char::from(decimal)).next().unwrap_or_default();
    let marks = [',', '.', ' ', '\u{a0}', '\u{202f}', '\'', '’'];
    let grouped = |mark: char| {
        let mut groups = whole.split(mark);
        let digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
        let first = groups.next().is_some_and(|first| (1..=3).contains(&first.len()) && digits(first));
        let rest: Vec<&str> = groups.collect();
        first && !rest.is_empty() && rest.iter().all(|group| group.len() == 3 && digits(group))
    };
    marks.into_iter().filter(|mark| *mark != char::from(decimal)).any(grouped)
}

fn is_number_somehow(text: &str) -> bool {
    let text = text.trim();
    number::parse(text, b'.').or_else(|| number::parse(text, b',')).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::bound::Encoding;
    use crate::plan::kinds::DEFAULT_NA;

    fn rules(delimiter: u8, decimal: u8) -> CsvRules {
        let na = DEFAULT_NA.iter().map(|mark| (*mark).to_owned()).collect();
        CsvRules { delimiter, decimal, encoding: Encoding::Utf8, na }
    }

    fn texts(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    fn number(cells: &[&str], lower: Option<f64>, upper: Option<f64>) -> Vec<Mismatch> {
        mismatches(cells.iter().copied(), Stated::Number { lower, upper }, &rules(b';', b'.'))
    }

    fn category(cells: &[&str], levels: &[&str]) -> Vec<Mismatch> {
        let levels = texts(levels);
        mismatches(cells.iter().copied(), Stated::Category { levels: &levels }, &rules(b',', b'.'))
    }

    fn one(kind: Contradiction, cells: &[&str], repair: Option<Repair>) -> Vec<Mismatch> {
        vec![Mismatch { kind, cells: texts(cells), repair }]
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
        assert_eq!(category(&["x", "y"], &["F", "other"]), []);
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
            (&["2", "10", "1"], &["low", "high"], &["1", "2", "10"]),
            (&["never", "former"], &["never", "current"], &["never", "current", "former"]),
        ] {
            let found = category(cells, stated);
            assert_eq!(
                found.first().and_then(|found| found.repair.clone()),
                repaired(levels),
                "{cells:?} {stated:?}"
            );
        }
        let found = category(&["red"], &["F", "M"]);
        assert_eq!(found, one(Contradiction::Levels, &["red"], None), "one value is no list of levels");
    }

    #[test]
    fn number_formats_are_recognised() {
        let comma = Some(Repair::DecimalMark(b','));
        assert_eq!(
            number(&["20,3", "21"], None, None),
            one(Contradiction::DecimalMark, &["20,3"], comma.clone())
        );
        assert_eq!(
            number(&["1,250", "20,3"], None, None),
            one(Contradiction::DecimalMark, &["1,250", "20,3"], comma)
        );
        for cell in ["1,234", "1,234,567", "1 234", "1'234.5"] {
            assert_eq!(number(&[cell], None, None), one(Contradiction::Thousands, &[cell], None));
        }
        assert_eq!(
            number(&["12 %", "7.5%"], None, None),
            one(Contradiction::Percent, &["12 %", "7.5%"], None)
        );
        let leave = Some(Repair::LeaveOut);
        assert_eq!(number(&["2019-03-12"], None, None), one(Contradiction::Date, &["2019-03-12"], leave));
        assert_eq!(number(&["12", "n.d."], None, None), one(Contradiction::Words, &["n.d."], None));
        assert_eq!(
            number(&["low", "high"], None, None),
            one(Contradiction::Words, &["low", "high"], Some(Repair::Category))
        );
        let commas =
            mismatches(["20,3"].into_iter(), Stated::Number { lower: None, upper: None }, &rules(b',', b'.'));
        assert_eq!(commas, one(Contradiction::DecimalMark, &["20,3"], None), "the comma separates fields");
    }

    #[test]
    fn codes_are_told_from_values_beyond_a_bound() {
        let missing = |cells: &[&str]| Some(Repair::Missing(texts(cells)));
        for (cells, lower, upper, expected) in [
            (&["61", "-99"][..], None, None, one(Contradiction::Code, &["-99"], missing(&["-99"]))),
            (&["61", "999"], Some(0.0), Some(120.0), one(Contradiction::Code, &["999"], missing(&["999"]))),
            (&["61", "-1"], Some(0.0), Some(120.0), one(Contradiction::Code, &["-1"], missing(&["-1"]))),
            (&["310", "140"], Some(40.0), Some(270.0), one(Contradiction::Outside, &["310"], None)),
            (&["1.78", "1.6"], Some(60.0), None, one(Contradiction::Outside, &["1.78", "1.6"], None)),
        ] {
            assert_eq!(number(cells, lower, upper), expected, "{cells:?}");
        }
        assert_eq!(
            category(&["F", "-99"], &["F", "M"]),
            one(Contradiction::Code, &["-99"], missing(&["-99"]))
        );
    }

    #[test]
    fn a_decimal_comma_is_recognised_before_a_column_is_described() {
        let rows = |cells: &[&str]| {
            cells.iter().map(|cell| vec!["x".to_owned(), (*cell).to_owned()]).collect::<Vec<_>>()
        };
        let found = |cells: &[&str], delimiter| other_decimal_mark(&rows(cells), 2, &rules(delimiter, b'.'));
        assert_eq!(found(&["20,3", "21,75", "NA"], b';'), Some(b','));
        assert_eq!(found(&["20,3", "21,75"], b','), None);
        assert_eq!(found(&["1,234", "12,500"], b';'), None);
        assert_eq!(found(&["20.3", "21"], b';'), None);
    }
}
