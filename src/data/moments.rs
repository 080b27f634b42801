//! Exact sums of products of integer rows. Trusted core: integers only, and no sum can wrap.
//!
//! A coordinate is at most 2^24 in size, so a product is at most 2^48. A block of 2^14 rows stays
//! within 2^62 in `i64`; blocks are then added to `i128` totals, where 2^64 rows stay within 2^112
//! (noise-and-accounting, A4). So the sums do not depend on the order of the rows or on how they were split.

#![deny(clippy::arithmetic_side_effects)]

use zeroize::Zeroize;

use crate::privacy::mutants::{Mutant, planted};

/// Most terms that a plan may have; the sums of 2,048 terms take 50 MB.
pub const MAX_TERMS: usize = 2048;

/// Rows in a block of `i64` sums.
const BLOCK_ROWS: u32 = 1 << 14;

/// Largest size of a coordinate.
const COORDINATE: u32 = 1 << 24;

/// Largest size of a product.
const PRODUCT: u128 = 1 << 48;

/// Sums that do not belong together, or bytes that hold none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MomentsError {
    /// Another number of terms.
    #[error("sums of {theirs} terms cannot join sums of {ours}; read the whole table with one plan")]
    Terms {
        /// Terms of the sums that should grow.
        ours: usize,
        /// Terms of the sums to add.
        theirs: usize,
    },
    /// More than 2^64 rows.
    #[error("the number of rows is beyond 2^64; the table cannot be summed")]
    Rows,
    /// Bytes that are no sums.
    #[error("these bytes hold no sums; read the table again")]
    Malformed,
}

/// Z'Z for the rows z so far, as a packed upper triangle, and their number.
#[derive(Clone, Debug)]
pub struct Moments {
    terms: usize,
    rows: u64,
    block: Vec<i64>,
    block_rows: u32,
    total: Vec<i128>,
    /// Places and values of one row's coordinates that are not zero.
    places: Vec<(usize, i64)>,
}

impl Moments {
    /// No rows yet, of so many terms.
    #[must_use]
    pub fn new(terms: usize) -> Self {
        let cells = packed_len(terms);
        Self {
            terms,
            rows: 0,
            block: vec![0; cells],
            block_rows: 0,
            total: vec![0; cells],
            places: Vec::new(),
        }
    }

    /// Number of terms in a row.
    #[must_use]
    pub fn terms(&self) -> usize {
        self.terms
    }

    /// Number of rows added; rows that the plan skips are not among them.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Adds z z'. A row of another length, or with a coordinate beyond 2^24, contributes nothing: no encoder makes one,
    /// and a rule for each row alone keeps the sums bounded whatever comes.
    pub fn add(&mut self, row: &[i32]) {
        // A planted encoder's rows have to arrive for the audit to see them.
        let unclipped = planted(Mutant::NoClip) || planted(Mutant::ColumnClampOnly);
        let too_large = |code: &i32| code.unsigned_abs() > COORDINATE;
        if row.len() != self.terms || (!unclipped && row.iter().any(too_large)) {
            return;
        }
        let Some(rows) = self.rows.checked_add(1) else { return };
        self.rows = rows;
        let block = if planted(Mutant::BlockOf2To16) { 1 << 16 } else { BLOCK_ROWS };
        if self.block_rows == block {
            self.flush();
        }
        self.block_rows = self.block_rows.saturating_add(1);
        let filled = row.iter().filter(|&&code| code != 0).count();
        if filled.saturating_mul(4) < self.terms { self.add_sparse(row) } else { self.add_dense(row) }
    }

    fn add_dense(&mut self, row: &[i32]) {
        let mut rest = self.block.as_mut_slice();
        for (place, &left) in row.iter().enumerate() {
            let (cells, after) = rest.split_at_mut(self.terms.wrapping_sub(place));
            rest = after;
            if left != 0 {
                for (cell, &right) in cells.iter_mut().zip(&row[place..]) {
                    add_product(cell, i64::from(left), i64::from(right));
                }
            }
        }
    }

    /// The same for a row that is mostly zeros, as the levels of large categories make it.
    fn add_sparse(&mut self, row: &[i32]) {
        self.places.clear();
        self.places.extend(
            row.iter()
                .enumerate()
                .filter(|&(_, &code)| code != 0)
                .map(|(place, &code)| (place, i64::from(code))),
        );
        for (number, &(place, left)) in self.places.iter().enumerate() {
            let cells = &mut self.block[packed_index(self.terms, place, place)..];
            for &(other, right) in &self.places[number..] {
                add_product(&mut cells[other.wrapping_sub(place)], left, right);
            }
        }
    }

    /// Moves the block's sums to the totals.
    fn flush(&mut self) {
        for (total, cell) in self.total.iter_mut().zip(&mut self.block) {
            *total = sum(*total, *cell);
            *cell = 0;
        }
        self.block_rows = 0;
    }

    /// Adds the rows of `other`, in whatever order.
    ///
    /// # Errors
    /// [`MomentsError`] where the terms differ in number; nothing is added then.
    pub fn merge(&mut self, other: &Self) -> Result<(), MomentsError> {
        if other.terms != self.terms {
            return Err(MomentsError::Terms { ours: self.terms, theirs: other.terms });
        }
        self.rows = self.rows.checked_add(other.rows).ok_or(MomentsError::Rows)?;
        for (total, theirs) in self.total.iter_mut().zip(other.sums()) {
            *total = total.saturating_add(theirs);
        }
        Ok(())
    }

    /// The sum of products of two terms; 0 for a term that does not exist.
    #[must_use]
    pub fn get(&self, first: usize, second: usize) -> i128 {
        if first.max(second) >= self.terms {
            return 0;
        }
        let index = packed_index(self.terms, first.min(second), first.max(second));
        sum(self.total[index], self.block[index])
    }

    fn sums(&self) -> impl Iterator<Item = i128> + '_ {
        self.total.iter().zip(&self.block).map(|(total, block)| sum(*total, *block))
    }

    /// The packed upper triangle, row by row: (0,0), (0,1), …, (1,1), ….
    pub fn upper(&mut self) -> &[i128] {
        self.flush();
        &self.total
    }

    /// The sums as bytes, to cross to another thread: terms and rows as 8 bytes each, then 16 bytes a cell, all
    /// little-endian. They are as private as the table.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.total.len().saturating_add(1).saturating_mul(16));
        bytes.extend_from_slice(&(self.terms as u64).to_le_bytes());
        bytes.extend_from_slice(&self.rows.to_le_bytes());
        self.sums().for_each(|sum| bytes.extend_from_slice(&sum.to_le_bytes()));
        bytes
    }

    /// Reads what [`Self::to_bytes`] wrote.
    ///
    /// # Errors
    /// [`MomentsError::Malformed`] for other bytes, also for sums larger than so many rows can have.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, MomentsError> {
        let (terms, bytes) = bytes.split_first_chunk::<8>().ok_or(MomentsError::Malformed)?;
        let (rows, cells) = bytes.split_first_chunk::<8>().ok_or(MomentsError::Malformed)?;
        let terms = usize::try_from(u64::from_le_bytes(*terms)).map_err(|_| MomentsError::Malformed)?;
        let rows = u64::from_le_bytes(*rows);
        let (cells, rest) = cells.as_chunks::<16>();
        if terms > MAX_TERMS || cells.len() != packed_len(terms) || !rest.is_empty() {
            return Err(MomentsError::Malformed);
        }
        let total: Vec<i128> = cells.iter().map(|cell| i128::from_le_bytes(*cell)).collect();
        let bound = u128::from(rows) * PRODUCT;
        if total.iter().any(|cell| cell.unsigned_abs() > bound) {
            return Err(MomentsError::Malformed);
        }
        Ok(Self { terms, rows, block: vec![0; total.len()], block_rows: 0, total, places: Vec::new() })
    }
}

impl PartialEq for Moments {
    fn eq(&self, other: &Self) -> bool {
        self.terms == other.terms && self.rows == other.rows && self.sums().eq(other.sums())
    }
}

impl Eq for Moments {}

impl Drop for Moments {
    fn drop(&mut self) {
        self.block.zeroize();
        self.total.zeroize();
        self.places.zeroize();
        self.rows.zeroize();
    }
}

/// Adds a product to a cell of the block.
#[expect(clippy::arithmetic_side_effects, reason = "2^14 products of at most 2^48 are at most 2^62")]
fn add_product(cell: &mut i64, left: i64, right: i64) {
    *cell += left * right;
}

/// A total with what the block adds to it: at most 2^112 for 2^64 rows, so the end of `i128` is never reached.
fn sum(total: i128, block: i64) -> i128 {
    total.saturating_add(i128::from(block))
}

fn packed_len(terms: usize) -> usize {
    terms.saturating_mul(terms.saturating_add(1)) / 2
}

/// Place of (row, column) with row ≤ column < terms.
#[expect(
    clippy::arithmetic_side_effects,
    reason = "row <= column < terms, and a triangle of that side is in memory"
)]
fn packed_index(terms: usize, row: usize, column: usize) -> usize {
    row * (2 * terms + 1 - row) / 2 + (column - row)
}
