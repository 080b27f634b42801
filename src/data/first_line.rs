//! Asks whether the line that was read as the header is one: names that look like values, and a title above the header. Also whether the
//! line below it holds units.
//!
//! The result reveals nothing about the records except that a name resembles them. It is for the person at this machine.

use super::dates::is_date;
use super::header::{Header, HeaderRead, HeaderRules, read_header};
use super::mismatch::are_numbers_somehow;
use super::number;
use crate::plan::bound::{CsvRules, Encoding};

/// Lines in which the header below a title is looked for.
pub const LINES: u32 = 12;

/// Why the line that was read as the header may not be it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// Its names look like values.
    Values,
    /// It has fewer cells than the header, which may be this line, or only one that is filled.
    Title(u32),
}

/// Returns why the header that `rules` have found may not be the header, from the first bytes of the file and the `rows` below it.
pub fn doubt(header: &Header, rules: HeaderRules, bytes: &[u8], rows: &[Vec<String>]) -> Option<Doubt> {
    let filled = header.names.iter().filter(|name| !name.is_empty()).count();
    // A title may hold a delimiter, but not as many as the header.
    let cells = if filled <= 1 { 1 } else { header.names.len() };
    if let Some(line) = header_below(header.delimiter, rules, bytes, cells) {
        return Some(Doubt::Title(line));
    }
    if is_header_above_header(&header.names, rows) {
        return Some(Doubt::Title(rules.line + 1));
    }
    looks_like_values(&header.names, without_questions(rows)).then_some(Doubt::Values)
}

/// Returns whether the names belong to groups of columns: some name cells are empty where the row below has words, all cells of
/// that row are words, and one of its columns has numbers below.
fn is_header_above_header(names: &[String], rows: &[Vec<String>]) -> bool {
    let Some((first, others)) = rows.split_first() else { return false };
    let fills = names.iter().zip(first).any(|(name, cell)| name.is_empty() && !cell.trim().is_empty());
    let is_value = |cell: &str| number::parse_either(cell).is_some() || is_date(cell);
    let are_words = !first.iter().any(|cell| is_value(cell.trim()));
    let is_of_numbers = |(place, cell): (usize, &String)| {
        let below = || others.iter().filter_map(|row| row.get(place)).map(|cell| cell.trim());
        !cell.trim().is_empty()
            && below().any(is_value)
            && below().filter(|cell| !cell.is_empty()).count() > 1
    };
    fills && are_words && first.iter().enumerate().any(is_of_numbers)
}

/// Returns the cells without the empty ones at the end of the line: a spreadsheet writes columns that were once used.
fn named(names: &[String]) -> &[String] {
    let end = names.iter().rposition(|name| !name.is_empty()).map_or(0, |last| last + 1);
    names.get(..end).unwrap_or(names)
}

/// Returns the header below a title: the first further line with more than `cells` cells that are all filled, but for empty ones at
/// its end, do not look like values, and are followed by as many cells: a comma in a title makes no header of it. A line that the
/// title's `delimiter` cuts into `cells` cells is a record below a header: decimal commas may cut it into more.
fn header_below(delimiter: u8, rules: HeaderRules, bytes: &[u8], cells: usize) -> Option<u32> {
    // In Latin-1 every byte is a character, so a line that is not UTF-8 is seen too.
    let rules = HeaderRules { encoding: Encoding::Latin1, ..rules };
    let read = |rules| match read_header(bytes, true, rules) {
        Ok(HeaderRead::Header(header)) => Some(header),
        _ => None,
    };
    let is_record = |line| {
        let found = read(HeaderRules { line, delimiter: Some(delimiter), ..rules });
        cells > 1 && found.is_some_and(|found| found.names.len() == cells)
    };
    let is_followed = |line: u32, above: &Header| {
        let below = read(HeaderRules { line: line + 1, delimiter: Some(above.delimiter), ..rules });
        below.is_none_or(|below| below.names.len() == above.names.len())
    };
    let is_header = |line| {
        read(HeaderRules { line, ..rules }).is_some_and(|found| {
            let names = named(&found.names);
            names.len() > cells
                && names.iter().all(|name| !name.is_empty())
                && !looks_like_values(names, &[])
                && is_followed(line, &found)
        })
    };
    (rules.line + 1..=LINES).find(|&line| is_header(line) && !is_record(line))
}

/// Returns whether half of the names are numbers, or one of them is a date, a fraction, or the same as a cell below it.
fn looks_like_values(names: &[String], rows: &[Vec<String>]) -> bool {
    let is_number = |name: &str| number::parse_either(name).is_some();
    let is_fraction = |name: &str| is_number(name) && name.contains(['.', ',']);
    let numbers = names.iter().filter(|name| is_number(name)).count();
    let repeated = |place: usize, name: &String| {
        !name.is_empty()
            && rows.iter().filter_map(|row| row.get(place)).any(|cell| cell.trim() == name.as_str())
    };
    let marked = names.iter().enumerate();
    numbers * 2 >= names.len() && numbers > 0
        || marked.clone().any(|(_, name)| is_date(name) || is_fraction(name))
        || marked.clone().any(|(place, name)| repeated(place, name))
}

/// Returns the rows without the lines that a survey program writes below the header: the questions, and its own ids.
fn without_questions(rows: &[Vec<String>]) -> &[Vec<String>] {
    let has_id = |row: &Vec<String>| row.iter().any(|cell| cell.trim_start().starts_with("{\"ImportId\""));
    let ids = rows.iter().take(2).position(has_id);
    rows.get(ids.map_or(0, |place| place + 1)..).unwrap_or_default()
}

/// Fewest rows below the header, and fewest of its columns, from which a line of units is recognised.
const FEWEST: usize = 3;

/// Returns the rows without the questions of a survey, or without a line of units: a first one whose cells are words, or empty, wherever the
/// others are numbers.
pub fn without_units<'a>(rows: &'a [Vec<String>], rules: &CsvRules) -> &'a [Vec<String>] {
    let rows = without_questions(rows);
    let Some((first, others)) = rows.split_first().filter(|_| rows.len() >= FEWEST) else { return rows };
    let is_value = |cell: &str| are_numbers_somehow(&[cell], rules) || is_date(cell);
    let kinds = first.iter().enumerate().filter(|(_, cell)| !rules.is_missing(cell.trim()));
    let (values, words): (Vec<_>, Vec<_>) = kinds.partition(|(_, cell)| is_value(cell.trim()));
    // Nearly every table ends here, before all of its cells are looked at.
    if words.len() < FEWEST {
        return rows;
    }
    let of_column = |field: usize| {
        let cells = others.iter().filter_map(|row| row.get(field)).map(|cell| cell.trim());
        let cells: Vec<&str> = cells.filter(|cell| !rules.is_missing(cell)).collect();
        are_numbers_somehow(&cells, rules)
    };
    let over_numbers = words.iter().filter(|(field, _)| of_column(*field)).count();
    if over_numbers >= FEWEST && !values.iter().any(|(field, _)| of_column(*field)) { others } else { rows }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::kinds::DEFAULT_NA;
    use crate::plan::number_format::NumberFormat;

    #[test]
    fn questions_and_ids_of_a_survey_are_no_rows() {
        let survey = "Status,Q1,Age\nStatus,How much?,Age\n{\"ImportId\":\"status\"},{\"ImportId\":\"Q1\"},{\"ImportId\":\"Q2\"}\nIP,5,34\nIP,7,51\n";
        assert_eq!(doubted(survey), None);
        let row = |cells: [&str; 2]| cells.map(str::to_owned).to_vec();
        let rows = [
            row(["Trust?", "Age"]),
            row(["{\"ImportId\":\"QID1\"}", "{\"ImportId\":\"QID2\"}"]),
            row(["5", "34"]),
        ];
        assert_eq!(without_questions(&rows), &rows[2..]);
        assert_eq!(without_questions(&rows[2..]), &rows[2..]);
    }

    fn doubted(text: &str) -> Option<Doubt> {
        doubted_bytes(text, text.as_bytes())
    }

    fn doubted_bytes(text: &str, bytes: &[u8]) -> Option<Doubt> {
        let rules = HeaderRules::default();
        let Ok(HeaderRead::Header(header)) = read_header(bytes, true, rules) else { panic!("{text:?}") };
        let rows = text
            .lines()
            .skip(1)
            .map(|line| line.split(char::from(header.delimiter)).map(str::to_owned).collect::<Vec<_>>());
        doubt(&header, rules, bytes, &rows.collect::<Vec<_>>())
    }

    #[test]
    fn names_are_not_doubted() {
        for text in [
            "age,sex,sbp\n61,F,140\n",
            "id,2019,2020,note,age\n1,3,4,x,61\n",
            "alone\n1\n2\n",
            "a,,b\n1,2,3\n",
            "name,class,mark,,\nAnn,7b,B,ill,\n",
            "id,name,,,\n1,Ann,x,,\n",
            "Score\nScore 1\n",
            "bmi;cost;fat\n20,1;910,5;7,5 %\n21,2;920,5;8,5 %\n",
        ] {
            assert_eq!(doubted(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_first_patient_is_no_header() {
        for text in [
            "61,F,140\n58,M,133\n",
            "F,no,Ward 7,61.5\nM,yes,Ward 2,58\n",
            "F,smoker\nM,no\nF,no\n",
            "P01,12.03.2019,x\nP02,13.03.2019,y\n",
        ] {
            assert_eq!(doubted(text), Some(Doubt::Values), "{text:?}");
        }
    }

    #[test]
    fn a_title_is_no_header() {
        for (text, line) in [
            ("Study 12, export of May,,\nage,sex,sbp\n61,F,140\n", None),
            ("Study 12,,\nage,sex,sbp\n61,F,140\n", Some(2)),
            ("Study 12\n\nage;sex;sbp\n61;F;140\n", Some(2)),
            ("Study 12,,\nexported on,,\nage,sex,sbp\n61,F,140\n", Some(3)),
            ("Study 12\nWard 3, Ward 4\nall of May\nage;sex;sbp\n61;F;140,5\n", Some(4)),
            ("Study 12, export of May\nage;sex;sbp\n61;F;140\n", Some(2)),
            ("Study 12;;;;;\nas of 3.2.24;;;;;\nno;age;sex;sbp;;\n1;61;F;140;;\n", Some(3)),
            ("Study 12;;;;\nno;age;sex;sbp;;\n1;61;F;140;;\n", Some(2)),
        ] {
            assert_eq!(doubted(text), line.map(Doubt::Title), "{text:?}");
        }
        let text = "Studie 12\nAlter;Gr\u{f6}\u{df}e;RR\n61;1,72;140\n";
        let latin_1: Vec<u8> = text.chars().filter_map(|letter| u8::try_from(letter).ok()).collect();
        assert_eq!(doubted_bytes(text, &latin_1), Some(Doubt::Title(2)));
    }

    #[test]
    fn names_of_groups_of_columns_are_no_header() {
        let text = "ID,Demographics,,Week 12,\nsubject,age,arm,SBP,note\n1,61,A,140,x\n2,58,B,133,\n";
        assert_eq!(doubted(text), Some(Doubt::Title(2)));
        let all_words = "ID,Group,\nsubject,age,arm\nx,old,A\ny,young,B\n";
        assert_eq!(doubted(all_words), None, "any row could be the header");
    }

    #[test]
    fn a_line_of_units_is_told_from_records() {
        let rules = CsvRules {
            delimiter: b';',
            numbers: NumberFormat::default(),
            by_field: Vec::new(),
            encoding: Encoding::Utf8,
            na: DEFAULT_NA.iter().map(|mark| (*mark).to_owned()).collect(),
        };
        let below = |first: &str| {
            let table = [first, "1;61.5;F;27,1;140", "2;58.0;M;24,9;133", "3;NA;F;31,0;128"];
            let rows = table.map(|row| row.split(';').map(str::to_owned).collect::<Vec<_>>());
            without_units(&rows, &rules).len()
        };
        for units in [";years;;kg/m²;mmHg", "no.;Jahre;m/f;kg;[mmHg]"] {
            assert_eq!(below(units), 3, "{units}");
        }
        for record in ["1;60.5;F;22,0;n.d.", "1;n.d.;F;n.d.;n.d.", ";;F;kg/m²;mmHg", "a;b"] {
            assert_eq!(below(record), 4, "{record}");
        }
        let few = [vec!["kg".to_owned(); 3], vec!["1".to_owned(); 3]];
        assert_eq!(without_units(&few, &rules).len(), 2, "too few rows to tell");
    }
}
