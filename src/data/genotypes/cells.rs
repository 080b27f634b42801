//! Texts of persons, row by row, in one string.

use serde::{Deserialize, Serialize};
use zeroize::Zeroize;

/// Rows of equally many cells. As private as the table, and wiped when dropped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Cells {
    width: usize,
    text: String,
    ends: Vec<usize>,
}

impl Cells {
    /// Creates a table without rows.
    pub const fn new(width: usize) -> Self {
        Self { width, text: String::new(), ends: Vec::new() }
    }

    /// Adds one cell; rows fill from the left.
    pub fn push(&mut self, cell: &str) {
        self.text.push_str(cell);
        self.ends.push(self.text.len());
    }

    /// Returns the number of complete rows.
    pub fn len(&self) -> usize {
        self.ends.len().checked_div(self.width).unwrap_or(0)
    }

    /// Returns the number of cells in a row.
    pub const fn width(&self) -> usize {
        self.width
    }

    /// Returns one cell; one that does not exist is empty.
    pub fn get(&self, row: usize, column: usize) -> &str {
        if column >= self.width {
            return "";
        }
        let index = row * self.width + column;
        let start = index.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        let end = self.ends.get(index).copied().unwrap_or(start);
        self.text.get(start..end).unwrap_or_default()
    }
}

impl Drop for Cells {
    fn drop(&mut self) {
        self.text.zeroize();
        self.ends.zeroize();
    }
}
