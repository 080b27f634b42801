//! The sufficient statistics of one round: what is summed of a table, and the sums.
//!
//! A [`Statistic`] is public. It says what the records are added to: the exact second moments in a layout, integers that a
//! [`RecordMap`] makes of each record, or the encoded rows where sums are not enough. [`Sums`] are as private as the table.

use crate::model::Layout;
use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

use super::moments::{Moments, MomentsError};
use super::sink::{EncodedRows, Merge, RowSink};

/// A map of one encoded record to integers. Their length is bounded, whatever the record is; the map checks that in integers.
pub trait RecordMap: Debug + Send + Sync {
    /// Returns the number of integers.
    fn cells(&self) -> usize;

    /// Returns how many records can be added in 64 bits.
    fn block(&self) -> u32;

    /// Adds the integers of one record to `cells`.
    fn add(&self, row: &[i32], scratch: &mut Scratch, cells: &mut [i64]);
}

/// Memory that a map may use for one record. Its contents mean nothing to the next record.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// Reals.
    pub reals: Vec<f64>,
    /// Integers.
    pub integers: Vec<i64>,
    /// The record in other units.
    pub values: Vec<f64>,
    /// Codes of one record.
    pub codes: Vec<i32>,
    /// Codes that follow from them: scores.
    pub scores: Vec<i32>,
}

/// What one round sums: public.
#[derive(Clone, Debug)]
pub enum Statistic {
    /// Second moments.
    Moments(Layout),
    /// The rows that count, of so many integers.
    Rows(usize),
    /// The integers of a map.
    Map(Arc<dyn RecordMap>),
}

/// The sums of one round, or of a part of the table: private.
#[derive(Debug)]
pub enum Sums {
    /// Second moments.
    Moments(Moments),
    /// The rows that count.
    Rows(EncodedRows),
    /// The integers of a map.
    Cells(CellSums),
}

/// The sums of one round as its noise meets them: private.
#[derive(Clone, Debug)]
pub enum Exact<'a> {
    /// Second moments.
    Moments(&'a Moments),
    /// The rows that count.
    Rows(&'a EncodedRows),
    /// The integers of a map.
    Cells(Vec<i128>),
}

/// Exact sums of a map's integers.
#[derive(Clone, Debug)]
pub struct CellSums {
    map: Arc<dyn RecordMap>,
    cells: Vec<i128>,
    block: Vec<i64>,
    rows: u32,
    scratch: Scratch,
}

impl Statistic {
    /// Returns the sums of no record.
    #[must_use]
    pub fn empty(&self) -> Sums {
        match self {
            Self::Moments(layout) => Sums::Moments(Moments::of(*layout)),
            Self::Rows(terms) => Sums::Rows(EncodedRows::new(*terms)),
            Self::Map(map) => Sums::Cells(CellSums::new(Arc::clone(map))),
        }
    }

    /// Computes the sums of rows that were kept.
    #[must_use]
    pub fn of(&self, rows: &EncodedRows) -> Sums {
        self.of_part(rows, 0..rows.len())
    }

    /// Computes the sums of the rows with these numbers.
    #[must_use]
    pub fn of_part(&self, rows: &EncodedRows, part: Range<usize>) -> Sums {
        let mut sums = self.empty();
        part.filter_map(|index| rows.get(index)).for_each(|row| sums.row(row));
        sums
    }

    /// Reads what [`Sums::into_bytes`] wrote for the same statistic.
    ///
    /// # Errors
    /// [`MomentsError::Malformed`] for other bytes.
    pub fn from_bytes(&self, bytes: &[u8]) -> Result<Sums, MomentsError> {
        match self {
            Self::Moments(layout) => {
                let moments = Moments::from_bytes(bytes)?;
                let fits = moments.layout() == *layout;
                if fits { Ok(Sums::Moments(moments)) } else { Err(MomentsError::Malformed) }
            }
            Self::Rows(terms) => EncodedRows::from_bytes(*terms, bytes).map(Sums::Rows),
            Self::Map(map) => {
                let (cells, rest) = bytes.as_chunks::<16>();
                if !rest.is_empty() || cells.len() != map.cells() {
                    return Err(MomentsError::Malformed);
                }
                let cells = cells.iter().map(|cell| i128::from_le_bytes(*cell)).collect();
                Ok(Sums::Cells(CellSums { cells, ..CellSums::new(Arc::clone(map)) }))
            }
        }
    }
}

impl Sums {
    /// Adds all rows.
    pub fn add_all(&mut self, rows: &EncodedRows) {
        rows.iter().for_each(|row| self.row(row));
    }

    /// Returns the bytes in which the sums cross to another thread: those of [`Moments::to_bytes`] or
    /// [`EncodedRows::to_bytes`], or 16 bytes for each integer, little-endian.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        match self {
            Self::Moments(moments) => moments.to_bytes(),
            Self::Rows(rows) => rows.to_bytes(),
            Self::Cells(sums) => sums.into_cells().into_iter().flat_map(i128::to_le_bytes).collect(),
        }
    }
}

impl CellSums {
    /// Returns the sums of no record.
    #[must_use]
    pub fn new(map: Arc<dyn RecordMap>) -> Self {
        let count = map.cells();
        Self { map, cells: vec![0; count], block: vec![0; count], rows: 0, scratch: Scratch::default() }
    }

    /// Returns the sums. A sum that would leave 128 bits saturates; bounded integers of at most 2^30 records stay below 2^94.
    #[must_use]
    pub fn into_cells(mut self) -> Vec<i128> {
        self.flush();
        self.cells
    }

    /// Returns the sums as they stand.
    #[must_use]
    pub fn cells(&self) -> Vec<i128> {
        let parts = self.cells.iter().zip(&self.block);
        parts.map(|(cell, block)| cell.saturating_add(i128::from(*block))).collect()
    }

    fn flush(&mut self) {
        for (cell, block) in self.cells.iter_mut().zip(&mut self.block) {
            *cell = cell.saturating_add(i128::from(*block));
            *block = 0;
        }
        self.rows = 0;
    }
}

impl RowSink for CellSums {
    fn row(&mut self, row: &[i32]) {
        self.map.add(row, &mut self.scratch, &mut self.block);
        self.rows += 1;
        if self.rows >= self.map.block() {
            self.flush();
        }
    }

    fn least_bytes(&self) -> usize {
        self.cells.len().saturating_mul(24)
    }
}

impl Merge for CellSums {
    fn append(&mut self, later: Self) -> Result<(), MomentsError> {
        let later = later.into_cells();
        if later.len() != self.cells.len() {
            return Err(MomentsError::Malformed);
        }
        for (cell, more) in self.cells.iter_mut().zip(later) {
            *cell = cell.saturating_add(more);
        }
        Ok(())
    }
}

impl RowSink for Sums {
    fn row(&mut self, row: &[i32]) {
        match self {
            Self::Moments(moments) => moments.row(row),
            Self::Rows(rows) => rows.row(row),
            Self::Cells(sums) => sums.row(row),
        }
    }

    fn least_bytes(&self) -> usize {
        match self {
            Self::Moments(moments) => moments.least_bytes(),
            Self::Rows(rows) => rows.least_bytes(),
            Self::Cells(sums) => sums.least_bytes(),
        }
    }
}

impl Merge for Sums {
    fn append(&mut self, later: Self) -> Result<(), MomentsError> {
        match (self, later) {
            (Self::Moments(moments), Self::Moments(later)) => moments.append(later),
            (Self::Rows(rows), Self::Rows(later)) => rows.append(later),
            (Self::Cells(sums), Self::Cells(later)) => sums.append(later),
            _ => Err(MomentsError::Malformed),
        }
    }
}

impl<'a> From<&'a Moments> for Exact<'a> {
    fn from(moments: &'a Moments) -> Self {
        Self::Moments(moments)
    }
}

impl<'a> From<&'a EncodedRows> for Exact<'a> {
    fn from(rows: &'a EncodedRows) -> Self {
        Self::Rows(rows)
    }
}

impl<'a> From<&'a Sums> for Exact<'a> {
    fn from(sums: &'a Sums) -> Self {
        match sums {
            Sums::Moments(moments) => Self::Moments(moments),
            Sums::Rows(rows) => Self::Rows(rows),
            Sums::Cells(sums) => Self::Cells(sums.cells()),
        }
    }
}
