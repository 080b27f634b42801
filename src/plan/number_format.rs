//! How numbers are written in the cells of a table.

use serde::{Deserialize, Serialize};

/// How numbers are written: a public fact of the plan, never guessed from the records (theory/encoding 1.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NumberFormat {
    /// The decimal mark, `.` or `,`.
    pub decimal: u8,
    /// What separates groups of three digits before it.
    pub thousands: Option<Thousands>,
    /// Whether a percent sign after a number is its unit: `12 %` is 12.
    pub percent: bool,
    /// In which order a date is written, where cells are dates and count as years: `2019-07-02` is 2019.4986.
    pub date: Option<DateOrder>,
}

impl NumberFormat {
    /// Returns plain numbers with this decimal mark.
    pub const fn plain(decimal: u8) -> Self {
        Self { decimal, thousands: None, percent: false, date: None }
    }

    /// Returns dates in this order, which count as years.
    pub const fn years(order: DateOrder) -> Self {
        Self { date: Some(order), ..Self::plain(b'.') }
    }
}

impl Default for NumberFormat {
    fn default() -> Self {
        Self::plain(b'.')
    }
}

/// The order in which a date is written, as a plan writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DateOrder {
    /// `2019-03-12`
    YearMonthDay,
    /// `12.03.2019`
    DayMonthYear,
    /// `03/12/2019`
    MonthDayYear,
}

impl DateOrder {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::YearMonthDay, Self::DayMonthYear, Self::MonthDayYear];
}

/// A separator of thousands, as a plan writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Thousands {
    /// `,`
    #[serde(rename = ",")]
    Comma,
    /// `.`
    #[serde(rename = ".")]
    Point,
    /// A space, also a no-break, thin or narrow no-break one.
    #[serde(rename = " ")]
    Space,
    /// `'` or `’`.
    #[serde(rename = "'")]
    Apostrophe,
}

impl Thousands {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Comma, Self::Point, Self::Space, Self::Apostrophe];

    /// Returns its usual character, by which a plan names it.
    pub const fn mark(self) -> char {
        match self {
            Self::Comma => ',',
            Self::Point => '.',
            Self::Space => ' ',
            Self::Apostrophe => '\'',
        }
    }

    /// Returns whether a character is this separator.
    pub const fn is(self, character: char) -> bool {
        match self {
            Self::Space => matches!(character, ' ' | '\u{a0}' | '\u{2009}' | '\u{202f}'),
            Self::Apostrophe => matches!(character, '\'' | '’'),
            Self::Comma | Self::Point => character == self.mark(),
        }
    }
}
