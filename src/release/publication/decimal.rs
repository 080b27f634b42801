//! The decimal mark of the numbers in tables and figures.

use std::str::FromStr;

use super::Table;

/// A decimal mark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DecimalMark {
    /// `0.5`.
    #[default]
    Point,
    /// `0,5`.
    Comma,
}

impl FromStr for DecimalMark {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        [Self::Point, Self::Comma].into_iter().find(|mark| mark.name() == text).ok_or(())
    }
}

impl DecimalMark {
    /// Returns its name, also on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Point => "point",
            Self::Comma => "comma",
        }
    }

    /// Returns written numbers with this mark: each point between two digits becomes it.
    pub fn of_numbers(self, text: impl Into<String>) -> String {
        let text = text.into();
        if self == Self::Point {
            return text;
        }
        let mark =
            |(place, letter)| if letter == '.' && is_between_digits(&text, place) { ',' } else { letter };
        text.char_indices().map(mark).collect()
    }

    /// Returns a table whose numbers have this mark; its sentences stay as they are.
    pub fn of_table(self, mut table: Table) -> Table {
        for row in &mut table.rows {
            for (cell, _) in row.iter_mut().zip(&table.heads).filter(|(_, head)| head.numeric) {
                *cell = self.of_numbers(std::mem::take(cell));
            }
        }
        table
    }

    /// Returns a piece of a CSV with this mark, as a spreadsheet reads it: with semicolons between its cells where the mark is a comma.
    pub fn of_csv(self, piece: String) -> String {
        if self == Self::Point {
            return piece;
        }
        let cell = |cell: &str| {
            let plain = cell.trim_end_matches([',', '\r', '\n']);
            let end = if cell.ends_with(',') { ";" } else { cell.get(plain.len()..).unwrap_or_default() };
            let number = plain.parse::<f64>().is_ok();
            if number { plain.replace('.', ",") + end } else { plain.to_owned() + end }
        };
        let parts = piece.split('"').enumerate().map(|(place, part)| match place % 2 {
            0 => part.split_inclusive([',', '\n']).map(cell).collect::<String>(),
            _ => part.to_owned(),
        });
        parts.collect::<Vec<_>>().join("\"")
    }
}

/// Returns whether the ASCII letter at a place of a text stands between two digits.
pub fn is_between_digits(text: &str, place: usize) -> bool {
    let is_digit = |place: Option<usize>| {
        place.and_then(|place| text.as_bytes().get(place)).is_some_and(u8::is_ascii_digit)
    };
    is_digit(place.checked_sub(1)) && is_digit(place.checked_add(1))
}

#[cfg(test)]
mod tests {
    use super::super::Head;
    use super::*;

    #[test]
    fn numbers_have_decimal_commas_and_names_and_sentences_have_none() {
        let head = |numeric| Head { text: "a 1.5".to_owned(), numeric, beside: String::new() };
        let row = ["age - 60.5", "−0.25 to 1.75", "<0.001", "1.", "12"].map(str::to_owned).to_vec();
        let table = Table {
            heads: vec![head(false), head(true), head(true), head(true), head(true)],
            rows: vec![row],
            notes: vec!["At 0.5.".to_owned()],
            ..Table::default()
        };
        let with = DecimalMark::Comma.of_table(table.clone());
        assert_eq!(with.rows[0], ["age - 60.5", "−0,25 to 1,75", "<0,001", "1.", "12"]);
        assert_eq!((&with.heads, &with.notes), (&table.heads, &table.notes));
        assert_eq!(DecimalMark::Point.of_table(table.clone()), table);
    }
}
