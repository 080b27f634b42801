//! Codes for missing values within the bounds of a column, as 99 is among the ages of children.
//!
//! A usual code counts as a code if at least three cells have it and no other number comes near. Near a positive code are numbers
//! of at least four fifths of it; near a negative code are all negative numbers. So 99 is a value among ages up to 95, and a
//! single 99 is a value, too.

use serde::{Deserialize, Serialize};

use super::mismatch::is_code;

/// Fewest cells with a code.
const FEWEST: u64 = 3;

/// Most different codes that are counted.
const MOST: usize = 6;

/// The least positive code, and the negative one that is next to 0.
const LEAST: f64 = 77.0;
const NEGATIVE: f64 = -7.0;

/// Most digits of a code.
const DIGITS: usize = 9;

/// The codes that the bounds of a column leave room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Room {
    /// The largest positive one.
    largest: Option<i64>,
    /// Whether there are negative ones.
    negative: bool,
}

impl Room {
    /// Returns which codes are possible within bounds. `None` if none are.
    pub(super) fn within(lower: f64, upper: f64) -> Option<Self> {
        let codes = (2..=DIGITS).flat_map(|digits| {
            let ends = ["7", "8", "9"];
            ends.map(|end| end.repeat(digits)).into_iter().chain(ends.map(|end| "9".repeat(digits - 1) + end))
        });
        let fits = |code: &i64| (lower..=upper).contains(&(*code as f64)) && is_code(*code as f64);
        let largest = codes.filter_map(|code| code.parse().ok()).filter(fits).max();
        let negative = lower <= NEGATIVE;
        (largest.is_some() || negative).then_some(Self { largest, negative })
    }

    /// Returns whether other numbers up to this one leave a code alone.
    fn is_above(self, most: Option<i64>) -> bool {
        self.largest.is_some_and(|code| most.is_none_or(|most| is_alone(code, most)))
    }
}

/// Returns whether a number stays below four fifths of a code.
const fn is_alone(code: i64, most: i64) -> bool {
    most.saturating_mul(5) < code.saturating_mul(4)
}

/// What was seen of a column, as far as it matters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HiddenCodes {
    /// The largest number that is no code, rounded up; the largest of all where it leaves no positive code alone.
    most: Option<i64>,
    /// Whether another number is negative, or there is no room for a negative code.
    negative: bool,
    /// The codes as they are written, with their value and how often each occurs.
    codes: Vec<(String, i64, u64)>,
}

impl HiddenCodes {
    /// Returns whether the cells of the column may still matter. In most columns a few of the first ones settle it.
    pub(super) fn is_open(&self, room: Room) -> bool {
        room.is_above(self.most) || room.negative && !self.negative
    }

    /// Returns whether a number adds no information: it is below all codes, and a number at least as large was seen.
    pub(super) fn is_known(&self, number: f64) -> bool {
        (0.0..LEAST).contains(&number) && self.most.is_some_and(|most| number <= most as f64)
    }

    /// Adds a number and the cell that it stands in.
    #[expect(clippy::cast_possible_truncation, reason = "`as` saturates, and a code is a small whole number")]
    pub(super) fn add(&mut self, room: Room, number: f64, cell: &str) {
        let may_be_code = number.fract() == 0.0 && (number >= LEAST || number <= NEGATIVE) && is_code(number);
        let value = number.ceil() as i64;
        // Beside 99 these are codes, too.
        let is_beside_a_code = number.fract() == 0.0 && (97..=98).contains(&value);
        if may_be_code {
            self.add_code(cell, value, 1);
        } else if !is_beside_a_code {
            self.negative |= value < 0;
            self.most = self.most.max(Some(value));
        }
        if self.most.is_some() && !room.is_above(self.most) {
            self.most = Some(i64::MAX);
        }
        self.negative |= !room.negative;
        self.settle();
    }

    fn add_code(&mut self, cell: &str, value: i64, times: u64) {
        if let Some((.., counted)) = self.codes.iter_mut().find(|(known, ..)| known == cell) {
            *counted += times;
        } else if self.codes.len() < MOST {
            self.codes.push((cell.to_owned(), value, times));
        }
    }

    /// Forgets codes that other numbers come near to.
    fn settle(&mut self) {
        let (most, negative) = (self.most, self.negative);
        let is_open = |value: i64| {
            if value < 0 { !negative } else { most.is_none_or(|most| is_alone(value, most)) }
        };
        self.codes.retain(|(_, value, _)| is_open(*value));
    }

    /// Adds what was seen of later cells.
    pub(super) fn append(&mut self, later: Self) {
        self.most = self.most.max(later.most);
        self.negative |= later.negative;
        later.codes.into_iter().for_each(|(cell, value, times)| self.add_code(&cell, value, times));
        self.settle();
    }

    /// Returns the codes.
    pub fn found(&self) -> Vec<String> {
        let has_others = self.most.is_some();
        let is_often = |of: &&(String, i64, u64)| has_others && of.2 >= FEWEST;
        self.codes.iter().filter(is_often).map(|(cell, ..)| cell.clone()).collect()
    }
}
