//! Sums products of integer rows exactly. Trusted core: integers only, and no sum can overflow.
//!
//! The absolute value of a coordinate is at most 2^24, so that of a product is at most 2^48. A block of 2^14 rows stays within
//! 2^62 in `i64`. Blocks are added to `i128` totals, where 2^64 rows stay within 2^112 (theory/encoding 2.6). So the sums do not
//! depend on the order of the rows or on their division into parts.

#![deny(clippy::arithmetic_side_effects)]

use zeroize::Zeroize;

use crate::math::triangle;
use crate::model::Layout;
use crate::privacy::mutants::{Mutant, is_active};

/// The most terms of a plan that needs the products of all terms; their sums take 50 MB.
pub const MAX_TERMS: usize = 2048;

/// The most cells: 24 bytes each, for every reader of a table.
pub const MAX_CELLS: usize = 1 << 22;

/// Rows in a block of `i64` sums.
const BLOCK_ROWS: u32 = 1 << 14;

/// The number of rows in a batch, whose products are added together, and of outcomes that are added at a time. The sums of thousands
/// of terms do not fit into a processor's cache, so each is fetched once for a batch.
const BATCH_ROWS: usize = 32;
const TILE: usize = 256;

/// The coordinates of one term in the rows of a batch; 0 where the batch has no row yet.
type Column = [i32; BATCH_ROWS];

/// Largest absolute value of a coordinate.
const COORDINATE: u32 = 1 << 24;

/// Largest absolute value of a product.
const PRODUCT: u128 = 1 << 48;

/// Sums of different plans, or malformed bytes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MomentsError {
    /// Another number of terms.
    #[error("{}", crate::words::error::sums_terms(theirs, ours))]
    Terms {
        /// Terms of the sums that should grow.
        ours: usize,
        /// Terms of the sums to add.
        theirs: usize,
    },
    /// More than 2^64 rows.
    #[error("{}", crate::words::error::sums_rows())]
    Rows,
    /// Bytes that are no sums.
    #[error("{}", crate::words::error::sums_malformed())]
    Malformed,
}

/// Z'Z for the rows z so far, for the cells of a layout, and the number of rows.
#[derive(Clone, Debug)]
pub struct Moments {
    layout: Layout,
    rows: u64,
    block: Vec<i64>,
    block_rows: u32,
    total: Vec<i128>,
    /// The features of rows whose products with each other were not added yet, by term, and the number of these rows.
    columns: Vec<Column>,
    column_rows: usize,
    /// The batch: rows whose products with the outcomes were not added yet.
    batch: Vec<i32>,
    /// Places and values of the coordinates of one row that are not zero.
    places: Vec<(usize, i64)>,
}

impl Moments {
    /// Creates sums of no rows, with all products of this many terms.
    pub fn new(terms: usize) -> Self {
        Self::of(Layout::whole(terms))
    }

    /// Creates sums of no rows, in a layout.
    pub fn of(layout: Layout) -> Self {
        Self {
            layout,
            rows: 0,
            block: vec![0; layout.cells()],
            block_rows: 0,
            total: vec![0; layout.cells()],
            columns: vec![[0; BATCH_ROWS]; layout.features()],
            column_rows: 0,
            batch: Vec::new(),
            places: Vec::new(),
        }
    }

    /// Returns the layout: which products are kept.
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// Returns the number of terms in a row.
    pub fn terms(&self) -> usize {
        self.layout.terms()
    }

    /// Returns the number of rows added; rows that the plan skips are not among them.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Adds z z'. A row of another length, or with a coordinate beyond 2^24, contributes nothing. No encoder returns such a row;
    /// the rule keeps the sums bounded for every input.
    #[inline(never)]
    pub fn add(&mut self, row: &[i32]) {
        if !self.count(row) {
            return;
        }
        let features = &row[..self.layout.features()];
        let filled = features.iter().filter(|&&code| code != 0).count();
        if filled.saturating_mul(4) < features.len() {
            self.add_sparse(features);
        } else {
            self.add_dense(features);
        }
        self.wait(row);
    }

    /// Adds z z' without the products of features with each other.
    pub fn add_cross(&mut self, row: &[i32]) {
        if self.count(row) {
            self.wait(row);
        }
    }

    /// Returns whether a row counts, after making room for its products.
    fn count(&mut self, row: &[i32]) -> bool {
        // The rows of a mutant of the encoder must be summed, so that the audit can detect it.
        let unclipped = is_active(Mutant::NoClip)
            || is_active(Mutant::ColumnClampOnly)
            || is_active(Mutant::DerivedUnclipped);
        let too_large = |code: &i32| code.unsigned_abs() > COORDINATE;
        if row.len() != self.terms() || (!unclipped && row.iter().any(too_large)) {
            return false;
        }
        let Some(rows) = self.rows.checked_add(1) else { return false };
        self.rows = rows;
        let block = if is_active(Mutant::BlockOf2To16) { 1 << 16 } else { BLOCK_ROWS };
        if self.block_rows == block {
            self.flush();
        }
        self.block_rows = self.block_rows.saturating_add(1);
        true
    }

    /// Adds a row to the batch.
    fn wait(&mut self, row: &[i32]) {
        if self.layout.outcomes() > 0 {
            self.batch.extend_from_slice(row);
            if self.batch.len() >= self.terms().saturating_mul(BATCH_ROWS) {
                self.add_batch();
            }
        }
    }

    /// Adds the features of a row to the columns.
    fn add_dense(&mut self, features: &[i32]) {
        for (column, &code) in self.columns.iter_mut().zip(features) {
            column[self.column_rows] = code;
        }
        self.column_rows = self.column_rows.saturating_add(1);
        if self.column_rows == BATCH_ROWS {
            self.add_columns();
        }
    }

    /// Adds the products of all features in the columns.
    #[inline(never)]
    fn add_columns(&mut self) {
        if self.column_rows == 0 {
            return;
        }
        let mut rest = self.block.as_mut_slice();
        for (place, left) in self.columns.iter().enumerate() {
            let (cells, after) = rest.split_at_mut(self.layout.features().wrapping_sub(place));
            rest = after;
            for (cell, right) in cells.iter_mut().zip(&self.columns[place..]) {
                add_products(cell, left, right);
            }
        }
        self.columns.as_flattened_mut().zeroize();
        self.column_rows = 0;
    }

    /// Adds a row that is mostly zeros, as rows with large categories are.
    fn add_sparse(&mut self, row: &[i32]) {
        self.places.clear();
        self.places.extend(
            row.iter()
                .enumerate()
                .filter(|&(_, &code)| code != 0)
                .map(|(place, &code)| (place, i64::from(code))),
        );
        for (number, &(place, left)) in self.places.iter().enumerate() {
            let cells = &mut self.block[triangle::index(self.layout.features(), place, place)..];
            for &(other, right) in &self.places[number..] {
                add_product(&mut cells[other.wrapping_sub(place)], left, right);
            }
        }
    }

    /// Adds the products of the batch's rows with their outcomes, and the squares of the outcomes.
    fn add_batch(&mut self) {
        let (features, outcomes, squares) =
            (self.layout.features(), self.layout.outcomes(), self.layout.squares());
        let (cross, squared) =
            self.block[triangle::len(features)..].split_at_mut(features.saturating_mul(outcomes));
        for from in (0..outcomes).step_by(TILE) {
            let to = from.saturating_add(TILE).min(outcomes);
            for row in self.batch.chunks_exact(features.saturating_add(outcomes)) {
                let (left, right) = row.split_at(features);
                let tile = &right[from..to];
                for (&code, cells) in left.iter().zip(cross.chunks_exact_mut(outcomes)) {
                    if code != 0 {
                        for (cell, &other) in cells[from..to].iter_mut().zip(tile) {
                            add_product(cell, i64::from(code), i64::from(other));
                        }
                    }
                }
                if squares {
                    for (cell, &code) in squared[from..to].iter_mut().zip(tile) {
                        add_product(cell, i64::from(code), i64::from(code));
                    }
                }
            }
        }
        self.batch.zeroize();
    }

    /// Moves the block's sums to the totals.
    #[inline(never)]
    fn flush(&mut self) {
        self.add_columns();
        self.add_batch();
        for (total, cell) in self.total.iter_mut().zip(&mut self.block) {
            *total = sum(*total, *cell);
            *cell = 0;
        }
        self.block_rows = 0;
    }

    /// Adds the rows of `other`. The order does not matter.
    ///
    /// # Errors
    /// [`MomentsError`] if the numbers of terms differ; nothing is added then.
    pub fn merge(&mut self, other: &Self) -> Result<(), MomentsError> {
        if other.layout != self.layout {
            return Err(MomentsError::Terms { ours: self.terms(), theirs: other.terms() });
        }
        self.rows = self.rows.checked_add(other.rows).ok_or(MomentsError::Rows)?;
        for (total, theirs) in self.total.iter_mut().zip(other.sums()) {
            *total = total.saturating_add(theirs);
        }
        Ok(())
    }

    /// Returns the sum of products of two terms; 0 for one that is not kept.
    pub fn get(&self, first: usize, second: usize) -> i128 {
        let Some(place) = self.layout.place(first, second) else { return 0 };
        sum(self.total[place], self.block[place]).saturating_add(self.waiting(first, second))
    }

    /// Returns the sum of the rows in a cell that were not added yet.
    fn waiting(&self, first: usize, second: usize) -> i128 {
        if let (Some(left), Some(right)) = (self.columns.get(first), self.columns.get(second)) {
            let mut cell = 0;
            add_products(&mut cell, left, right);
            return i128::from(cell);
        }
        if self.batch.is_empty() {
            return 0;
        }
        let rows = self.batch.chunks_exact(self.terms());
        rows.map(|row| i128::from(row[first]).saturating_mul(i128::from(row[second]))).sum()
    }

    fn sums(&self) -> impl Iterator<Item = i128> + '_ {
        let cells = self.total.iter().zip(&self.block).zip(self.layout.pairs());
        cells.map(|((total, block), (first, second))| {
            sum(*total, *block).saturating_add(self.waiting(first, second))
        })
    }

    /// Returns the cells in the layout's order.
    pub fn cells(&mut self) -> &[i128] {
        self.flush();
        &self.total
    }

    /// Returns the sums as bytes, for another thread: three numbers of the layout and the number of rows, 8 bytes each, then 16
    /// bytes for each cell, all little-endian. They are as private as the table.
    pub fn to_bytes(&self) -> Vec<u8> {
        let (features, outcomes, squares) =
            (self.layout.features(), self.layout.outcomes(), self.layout.squares());
        let mut bytes = Vec::with_capacity(self.total.len().saturating_add(2).saturating_mul(16));
        for number in [features as u64, outcomes as u64, u64::from(squares), self.rows] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        self.sums().for_each(|sum| bytes.extend_from_slice(&sum.to_le_bytes()));
        bytes
    }

    /// Reads what [`Self::to_bytes`] wrote.
    ///
    /// # Errors
    /// [`MomentsError::Malformed`] for other bytes, also for sums that are too large for the number of rows.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, MomentsError> {
        let mut numbers = [0; 4];
        let mut rest = bytes;
        for number in &mut numbers {
            let (bytes, after) = rest.split_first_chunk::<8>().ok_or(MomentsError::Malformed)?;
            (*number, rest) = (u64::from_le_bytes(*bytes), after);
        }
        let [features, outcomes, squares, rows] = numbers;
        let size = |number: u64| usize::try_from(number).ok().filter(|number| *number <= MAX_CELLS);
        let layout = match (size(features), size(outcomes), squares) {
            (Some(features), Some(outcomes), 0 | 1) => Layout::sides(features, outcomes, squares == 1),
            _ => return Err(MomentsError::Malformed),
        };
        let (cells, rest) = rest.as_chunks::<16>();
        if features > MAX_TERMS as u64 || cells.len() != layout.cells() || !rest.is_empty() {
            return Err(MomentsError::Malformed);
        }
        let total: Vec<i128> = cells.iter().map(|cell| i128::from_le_bytes(*cell)).collect();
        let bound = u128::from(rows) * PRODUCT;
        if total.iter().any(|cell| cell.unsigned_abs() > bound) {
            return Err(MomentsError::Malformed);
        }
        let mut moments = Self::of(layout);
        moments.rows = rows;
        moments.total = total;
        Ok(moments)
    }
}

impl PartialEq for Moments {
    fn eq(&self, other: &Self) -> bool {
        self.layout == other.layout && self.rows == other.rows && self.sums().eq(other.sums())
    }
}

impl Eq for Moments {}

impl Drop for Moments {
    fn drop(&mut self) {
        self.block.zeroize();
        self.total.zeroize();
        self.columns.as_flattened_mut().zeroize();
        self.batch.zeroize();
        self.places.zeroize();
        self.rows.zeroize();
    }
}

/// Adds a product to a cell of the block.
#[expect(clippy::arithmetic_side_effects, reason = "2^14 products of at most 2^48 are at most 2^62")]
fn add_product(cell: &mut i64, left: i64, right: i64) {
    *cell += left * right;
}

/// Adds the products of two terms in the rows of a batch to a cell of the block.
fn add_products(cell: &mut i64, left: &Column, right: &Column) {
    for (&left, &right) in left.iter().zip(right) {
        add_product(cell, i64::from(left), i64::from(right));
    }
}

/// Returns the sum of a total and a block's sum: at most 2^112 for 2^64 rows, so `i128` cannot overflow.
fn sum(total: i128, block: i64) -> i128 {
    total.saturating_add(i128::from(block))
}
