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

    /// Adds the integers of one record to `cells`, or to those of its person where there are such.
    fn add(&self, row: &[i32], scratch: &mut Scratch, cells: &mut [i64]);

    /// Returns how many integers of a person's records are summed before they are mapped; 0 where each record is mapped alone.
    fn of_person(&self) -> usize {
        0
    }

    /// Maps the sums of one person's records to integers and adds them to `cells`. Their length is bounded, whatever the sums
    /// are.
    fn add_person(&self, _sums: &[i64], _scratch: &mut Scratch, _cells: &mut [i64]) {}
}

/// Memory that a map may use for one record. Its contents do not carry over to the next record.
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

/// The sums of one round, to which noise will be added: private.
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
    /// The sums of each person's records, one person after the other, where the map sums them first.
    persons: Vec<i64>,
    /// The number of the person of the next row. The reader sets it before each row that counts.
    person: usize,
}

impl Statistic {
    /// Returns the sums of no record.
    pub fn empty(&self) -> Sums {
        match self {
            Self::Moments(layout) => Sums::Moments(Moments::of(*layout)),
            Self::Rows(terms) => Sums::Rows(EncodedRows::new(*terms)),
            Self::Map(map) => Sums::Cells(CellSums::new(Arc::clone(map))),
        }
    }

    /// Computes the sums of rows that were kept.
    pub fn of(&self, rows: &EncodedRows) -> Sums {
        self.of_part(rows, 0..rows.len())
    }

    /// Computes the sums of the rows with these numbers.
    pub fn of_part(&self, rows: &EncodedRows, part: Range<usize>) -> Sums {
        let mut sums = self.empty();
        sums.add_part(rows, part);
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
                let length = map.cells().checked_mul(16).ok_or(MomentsError::Malformed)?;
                let (cells, persons) = bytes.split_at_checked(length).ok_or(MomentsError::Malformed)?;
                let (cells, (persons, rest)) = (cells.as_chunks::<16>().0, persons.as_chunks::<8>());
                if !rest.is_empty() || persons.len().checked_rem(map.of_person()).unwrap_or(persons.len()) > 0
                {
                    return Err(MomentsError::Malformed);
                }
                let cells = cells.iter().map(|cell| i128::from_le_bytes(*cell)).collect();
                let persons = persons.iter().map(|sum| i64::from_le_bytes(*sum)).collect();
                Ok(Sums::Cells(CellSums { cells, persons, ..CellSums::new(Arc::clone(map)) }))
            }
        }
    }
}

impl Sums {
    /// Adds all rows.
    pub fn add_all(&mut self, rows: &EncodedRows) {
        self.add_part(rows, 0..rows.len());
    }

    fn add_part(&mut self, rows: &EncodedRows, part: Range<usize>) {
        for index in part {
            if let Some(person) = rows.person_of(index) {
                self.person(person);
            }
            if let Some(row) = rows.get(index) {
                self.row(row);
            }
        }
    }

    /// Returns the bytes in which the sums cross to another thread: those of [`Moments::to_bytes`] or
    /// [`EncodedRows::to_bytes`], or 16 bytes for each integer and then 8 for each sum of a person's records, little-endian.
    pub fn into_bytes(self) -> Vec<u8> {
        match self {
            Self::Moments(moments) => moments.to_bytes(),
            Self::Rows(rows) => rows.to_bytes(),
            Self::Cells(mut sums) => {
                sums.flush();
                let cells = sums.cells.iter().flat_map(|cell| cell.to_le_bytes());
                cells.chain(sums.persons.iter().flat_map(|sum| sum.to_le_bytes())).collect()
            }
        }
    }
}

impl CellSums {
    /// Returns the sums of no record.
    pub fn new(map: Arc<dyn RecordMap>) -> Self {
        let count = map.cells();
        Self {
            map,
            cells: vec![0; count],
            block: vec![0; count],
            rows: 0,
            scratch: Scratch::default(),
            persons: Vec::new(),
            person: 0,
        }
    }

    /// Returns the sums. A sum that would leave 128 bits saturates; bounded integers of 2^30 records, the most that a plan states, stay below 2^94.
    pub fn cells(&self) -> Vec<i128> {
        let (cells, block) = (self.cells.clone(), self.block.clone());
        let mut whole = Self { cells, block, rows: self.rows, ..Self::new(Arc::clone(&self.map)) };
        for sums in self.persons.chunks_exact(self.map.of_person().max(1)) {
            self.map.add_person(sums, &mut whole.scratch, &mut whole.block);
            whole.count_row();
        }
        whole.flush();
        whole.cells
    }

    fn count_row(&mut self) {
        self.rows += 1;
        if self.rows >= self.map.block() {
            self.flush();
        }
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
        let width = self.map.of_person();
        if width == 0 {
            self.map.add(row, &mut self.scratch, &mut self.block);
            return self.count_row();
        }
        let place = self.person * width..(self.person + 1) * width;
        if self.persons.len() < place.end {
            self.persons.resize(place.end, 0);
        }
        self.map.add(row, &mut self.scratch, &mut self.persons[place]);
    }

    fn person(&mut self, number: u32) {
        self.person = number as usize;
    }

    fn least_bytes(&self) -> usize {
        self.cells.len().saturating_mul(24)
    }
}

impl Merge for CellSums {
    fn append(&mut self, mut later: Self) -> Result<(), MomentsError> {
        later.flush();
        if later.cells.len() != self.cells.len() {
            return Err(MomentsError::Malformed);
        }
        for (cell, more) in self.cells.iter_mut().zip(later.cells) {
            *cell = cell.saturating_add(more);
        }
        self.persons.resize(self.persons.len().max(later.persons.len()), 0);
        for (sum, more) in self.persons.iter_mut().zip(later.persons) {
            *sum = sum.saturating_add(more);
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

    fn person(&mut self, number: u32) {
        match self {
            Self::Moments(_) => {}
            Self::Rows(rows) => rows.person(number),
            Self::Cells(sums) => sums.person(number),
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
