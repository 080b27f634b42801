//! Finds the formats that numbers of the first rows can be written in.

use crate::data::number;
use crate::plan::bound::CsvRules;
use crate::plan::number_format::{NumberFormat, Thousands};

/// Returns the formats in which columns without numbers would be read as numbers: those that read all such columns of these rows,
/// or if there are none, those that read the first such column.
pub fn other_formats(rows: &[Vec<String>], fields: usize, rules: &CsvRules) -> Vec<NumberFormat> {
    let of_column = |field: usize| {
        let cells = rows.iter().filter_map(|row| row.get(field)).map(|cell| cell.trim());
        let cells: Vec<&str> = cells.filter(|cell| !rules.is_missing(cell)).collect();
        let unread = cells.iter().filter(|cell| number::parse(cell, rules.numbers).is_none()).count();
        // A few cells such as `1,2` may be lists of codes.
        let same_mark = unread * 2 <= cells.len();
        let mut found = formats(&cells, rules);
        found.retain(|format| {
            format.decimal != rules.delimiter && (!same_mark || format.decimal == rules.numbers.decimal)
        });
        (cells, found)
    };
    let columns = (0..fields).map(of_column).filter(|(_, found)| !found.is_empty());
    let (cells, mut found): (Vec<Vec<&str>>, Vec<Vec<NumberFormat>>) = columns.unzip();
    if found.len() > 1 {
        found.insert(0, formats(&cells.concat(), rules));
    }
    let mut found =
        found.into_iter().find(|found| !found.is_empty() && *found != [rules.numbers]).unwrap_or_default();
    found.retain(|format| !breaks(rows, 0..fields, rules, *format));
    found
}

/// Returns whether another format would make cells of one of these fields, all numbers now, unreadable. Then the format belongs
/// to a column and not to the table.
pub fn breaks(
    rows: &[Vec<String>],
    mut fields: impl Iterator<Item = usize>,
    rules: &CsvRules,
    format: NumberFormat,
) -> bool {
    fields.any(|field| {
        let cells = rows.iter().filter_map(|row| row.get(field)).map(|cell| cell.trim());
        let cells: Vec<&str> = cells.filter(|cell| !rules.is_missing(cell)).collect();
        let all = |format| cells.iter().all(|cell| number::parse(cell, format).is_some());
        all(rules.numbers) && !all(format)
    })
}

/// Returns whether at least nine in ten cells are numbers in one format.
pub fn are_numbers_somehow(cells: &[&str], rules: &CsvRules) -> bool {
    let reads = |format: NumberFormat| {
        let numbers = cells.iter().filter(|cell| number::parse(cell, format).is_some()).count();
        numbers * 10 >= cells.len() * 9
    };
    !cells.is_empty() && candidates(rules.numbers).any(reads)
}

/// Returns the formats that read all cells as numbers, with the fewest changes to that of the rules. Cells such as `1,234` alone have
/// two.
pub(super) fn formats(cells: &[&str], rules: &CsvRules) -> Vec<NumberFormat> {
    let now = rules.numbers;
    let changes = |format: &NumberFormat| {
        let thousands = if format.thousands.is_some() { 2 } else { 1 };
        2 * usize::from(format.decimal != now.decimal)
            + 2 * usize::from(format.percent != now.percent)
            + thousands * usize::from(format.thousands != now.thousands)
    };
    let reads = |format: &NumberFormat| cells.iter().all(|cell| number::parse(cell, *format).is_some());
    let mut found: Vec<NumberFormat> = candidates(now).filter(reads).collect();
    let least = found.iter().map(changes).min();
    found.retain(|format| Some(changes(format)) == least);
    found
}

/// Returns all formats, but none that no longer reads the percent signs which it reads now.
pub(super) fn candidates(now: NumberFormat) -> impl Iterator<Item = NumberFormat> {
    let separators = || std::iter::once(None).chain(Thousands::ALL.map(Some));
    let of_mark = move |decimal: u8| {
        let fits = move |thousands: &Option<Thousands>| {
            thousands.is_none_or(|thousands| !thousands.is(char::from(decimal)))
        };
        separators().filter(fits).flat_map(move |thousands| {
            let percents = [false, true].into_iter().filter(move |percent| *percent || !now.percent);
            percents.map(move |percent| NumberFormat { thousands, percent, ..NumberFormat::plain(decimal) })
        })
    };
    [b'.', b','].into_iter().flat_map(of_mark)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{rules, texts};
    use super::*;

    #[test]
    fn another_format_is_recognised_before_a_column_is_described() {
        let rows = |cells: &[&str]| {
            cells.iter().map(|cell| vec!["x".to_owned(), (*cell).to_owned()]).collect::<Vec<_>>()
        };
        let found = |cells: &[&str], delimiter| other_formats(&rows(cells), 2, &rules(delimiter, b'.'));
        let comma = NumberFormat::plain(b',');
        let by_comma = NumberFormat { thousands: Some(Thousands::Comma), ..NumberFormat::default() };
        assert_eq!(found(&["20,3", "21,75", "NA"], b';'), [comma]);
        assert_eq!(found(&["20,3", "21,75"], b','), []);
        assert_eq!(found(&["1,234", "12,500"], b';'), [by_comma, comma], "it can be read in two ways");
        assert_eq!(found(&["1,234", "950", "12"], b';'), [by_comma]);
        assert_eq!(found(&["1,2", "1", "2"], b';'), [], "this may be a list of codes");
        assert_eq!(found(&["20.3", "21"], b';'), []);
        let german = [["1", "20,3", "4 %"], ["2", "950", "12,5 %"], ["3", "1.250,5", "NA"]];
        let german = german.map(|row| texts(&row));
        let all = NumberFormat { thousands: Some(Thousands::Point), percent: true, ..comma };
        assert_eq!(other_formats(&german, 3, &rules(b';', b'.')), [all], "one format reads all columns");
        let mixed = [["1.5", "20,3"], ["2", "21,75"]].map(|row| texts(&row));
        assert_eq!(other_formats(&mixed, 2, &rules(b';', b'.')), [], "the other column would not be read");
        assert!(breaks(&mixed, [0].into_iter(), &rules(b';', b'.'), comma));
        assert!(!breaks(&mixed, [1].into_iter(), &rules(b';', b'.'), comma));
    }
}
