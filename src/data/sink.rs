//! Sinks, which receive encoded rows, and the merging of the parts of a table.

use zeroize::Zeroize;

use super::csv::Record;
use super::encode::{Encoded, Encoder};
use super::moments::{Moments, MomentsError};

/// Data read from one part of a table, which can be merged with data from a later part.
pub trait Merge {
    /// Adds the data of a later part of the table.
    ///
    /// # Errors
    /// [`MomentsError`] if the other part was read with another plan.
    fn append(&mut self, later: Self) -> Result<(), MomentsError>
    where
        Self: Sized;
}

impl<T: Merge> Merge for Option<T> {
    fn append(&mut self, later: Self) -> Result<(), MomentsError> {
        match (self, later) {
            (Some(own), Some(later)) => own.append(later),
            (own, later) => {
                *own = own.take().or(later);
                Ok(())
            }
        }
    }
}

impl<A: Merge, B: Merge> Merge for (A, B) {
    fn append(&mut self, (first, second): Self) -> Result<(), MomentsError> {
        self.0.append(first)?;
        self.1.append(second)
    }
}

/// A receiver of integer rows in the file's order.
pub trait RowSink: Merge {
    /// Adds one row.
    fn row(&mut self, row: &[i32]);

    /// Takes the number of the person whose rows the next ones are, where a column names persons.
    fn person(&mut self, _: u32) {}

    /// Adds the row of a record that counts, unless it is skipped.
    fn record(&mut self, record: &Record<'_>, encoder: &mut Encoder) {
        if let Encoded::Row(row) = encoder.encode(record) {
            self.row(row);
        }
    }

    /// Returns the number of bytes of a part of a table that does not depend on the number of its rows.
    fn least_bytes(&self) -> usize {
        0
    }
}

/// Keeps nothing. For a scan that only counts records and checks that they are well formed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nothing;

impl RowSink for Nothing {
    fn row(&mut self, _: &[i32]) {}
}

impl Merge for Nothing {
    fn append(&mut self, _: Self) -> Result<(), MomentsError> {
        Ok(())
    }
}

impl RowSink for Moments {
    fn row(&mut self, row: &[i32]) {
        self.add(row);
    }

    fn least_bytes(&self) -> usize {
        self.layout().cells().saturating_mul(24)
    }
}

impl Merge for Moments {
    fn append(&mut self, later: Self) -> Result<(), MomentsError> {
        self.merge(&later)
    }
}

/// The rows themselves, for mechanisms that read rows and for `simulate --resample`. Skipped records, which count as rows of
/// zeros, are not included; [`super::Scan::records`] is the number of all records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodedRows {
    terms: usize,
    codes: Vec<i32>,
    /// The number of each row's person; none where no column names persons.
    persons: Vec<u32>,
    /// The number of the person of the next row.
    person: Option<u32>,
}

impl EncodedRows {
    /// Creates an empty sink for rows of this many terms.
    pub fn new(terms: usize) -> Self {
        Self { terms, codes: Vec::new(), persons: Vec::new(), person: None }
    }

    /// Returns the number of terms in a row.
    pub fn terms(&self) -> usize {
        self.terms
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.codes.len().checked_div(self.terms).unwrap_or(0)
    }

    /// Returns the codes as bytes, for another thread: 4 each, little-endian. They are as private as the table. The numbers of
    /// the persons are not included.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.codes.iter().flat_map(|code| code.to_le_bytes()).collect()
    }

    /// Reads what [`Self::to_bytes`] wrote, as rows of `terms` terms.
    ///
    /// # Errors
    /// [`MomentsError::Malformed`] if the bytes are not a whole number of rows.
    pub fn from_bytes(terms: usize, bytes: &[u8]) -> Result<Self, MomentsError> {
        let (codes, rest) = bytes.as_chunks::<4>();
        if !rest.is_empty() || codes.len().checked_rem(terms).is_none_or(|rest| rest > 0) {
            return Err(MomentsError::Malformed);
        }
        let mut rows = Self::new(terms);
        rows.codes.extend(codes.iter().map(|code| i32::from_le_bytes(*code)));
        Ok(rows)
    }

    /// Returns whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// Returns the row with this number, if it exists.
    pub fn get(&self, row: usize) -> Option<&[i32]> {
        let start = row.checked_mul(self.terms)?;
        self.codes.get(start..start.checked_add(self.terms)?)
    }

    /// Returns the number of the person whose row this is, where a column names persons.
    pub fn person_of(&self, row: usize) -> Option<u32> {
        self.persons.get(row).copied()
    }

    /// Returns the numbers of each person's rows, where a column names persons.
    pub fn by_person(&self) -> Vec<Vec<usize>> {
        let mut rows: Vec<Vec<usize>> = Vec::new();
        for (row, person) in self.persons.iter().enumerate() {
            let person = *person as usize;
            rows.resize_with(rows.len().max(person + 1), Vec::new);
            rows[person].push(row);
        }
        rows
    }

    /// Returns the rows in their order.
    pub fn iter(&self) -> impl Iterator<Item = &[i32]> {
        self.codes.chunks_exact(self.terms.max(1))
    }
}

impl RowSink for EncodedRows {
    fn row(&mut self, row: &[i32]) {
        if row.len() == self.terms {
            self.codes.extend_from_slice(row);
            self.persons.extend(self.person);
        }
    }

    fn person(&mut self, number: u32) {
        self.person = Some(number);
    }
}

impl Merge for EncodedRows {
    fn append(&mut self, mut later: Self) -> Result<(), MomentsError> {
        if later.terms != self.terms {
            return Err(MomentsError::Terms { ours: self.terms, theirs: later.terms });
        }
        self.codes.append(&mut later.codes);
        self.persons.append(&mut later.persons);
        Ok(())
    }
}

impl Drop for EncodedRows {
    fn drop(&mut self) {
        self.codes.zeroize();
    }
}

/// Keeps rows up to a limit. Beyond it, all rows are dropped.
#[derive(Debug)]
pub struct FewRows {
    rows: Option<EncodedRows>,
    terms: usize,
    most: u64,
}

impl FewRows {
    /// Creates an empty sink for rows of this many terms; at most `most` rows are kept.
    pub fn new(terms: usize, most: u64) -> Self {
        Self { rows: Some(EncodedRows::new(terms)), terms, most }
    }

    /// Returns the rows, unless they were too many.
    pub fn into_rows(self) -> Option<EncodedRows> {
        self.rows
    }

    fn check(&mut self) {
        if self.rows.as_ref().is_some_and(|rows| rows.len() as u64 > self.most) {
            self.rows = None;
        }
    }
}

impl RowSink for FewRows {
    fn row(&mut self, row: &[i32]) {
        if let Some(rows) = &mut self.rows {
            rows.row(row);
            self.check();
        }
    }

    fn person(&mut self, number: u32) {
        if let Some(rows) = &mut self.rows {
            rows.person(number);
        }
    }
}

impl Merge for FewRows {
    fn append(&mut self, later: Self) -> Result<(), MomentsError> {
        if later.terms != self.terms {
            return Err(MomentsError::Terms { ours: self.terms, theirs: later.terms });
        }
        match (&mut self.rows, later.rows) {
            (Some(rows), Some(later)) => rows.append(later)?,
            _ => self.rows = None,
        }
        self.check();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn few(rows: i32) -> FewRows {
        let mut sink = FewRows::new(2, 3);
        (0..rows).for_each(|row| sink.row(&[row, 7]));
        sink
    }

    #[test]
    fn rows_are_kept_up_to_their_most_and_not_beyond() {
        assert_eq!(few(3).into_rows().map(|rows| rows.len()), Some(3));
        assert!(few(4).into_rows().is_none() && few(9).into_rows().is_none());
        let joined = |first: i32, second: i32| {
            let mut sink = few(first);
            sink.append(few(second)).unwrap();
            sink.into_rows().map(|rows| rows.len())
        };
        assert_eq!([joined(1, 2), joined(2, 2), joined(4, 0), joined(0, 4)], [Some(3), None, None, None]);
        assert!(few(1).append(FewRows::new(3, 3)).is_err());
    }
}
