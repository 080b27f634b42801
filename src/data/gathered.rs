//! What of a table a release is made from.

use super::moments::{Moments, MomentsError};
use super::sink::{Append, EncodedRows, RowSink};
use crate::model::Layout;

/// What a release reads.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// Exact sums.
    Moments(&'a Moments),
    /// Rows that count.
    Rows(&'a EncodedRows),
}

/// What is gathered while a table is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gathered {
    /// Exact sums.
    Moments(Moments),
    /// Rows that count.
    Rows(EncodedRows),
}

impl Gathered {
    /// Nothing yet.
    #[must_use]
    pub fn new(rows: bool, layout: Layout) -> Self {
        if rows { Self::Rows(EncodedRows::new(layout.terms())) } else { Self::Moments(Moments::of(layout)) }
    }

    /// The bytes of [`Moments::to_bytes`] or [`EncodedRows::to_bytes`], to cross to another thread.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::Moments(moments) => moments.to_bytes(),
            Self::Rows(rows) => rows.to_bytes(),
        }
    }

    /// Reads what [`Self::to_bytes`] wrote for the same release.
    ///
    /// # Errors
    /// [`MomentsError::Malformed`] for other bytes.
    pub fn from_bytes(rows: bool, layout: Layout, bytes: &[u8]) -> Result<Self, MomentsError> {
        if rows {
            EncodedRows::from_bytes(layout.terms(), bytes).map(Self::Rows)
        } else {
            let moments = Moments::from_bytes(bytes)?;
            if moments.layout() == layout { Ok(Self::Moments(moments)) } else { Err(MomentsError::Malformed) }
        }
    }
}

impl RowSink for Gathered {
    fn row(&mut self, row: &[i32]) {
        match self {
            Self::Moments(moments) => moments.row(row),
            Self::Rows(rows) => rows.row(row),
        }
    }

    fn least_bytes(&self) -> usize {
        match self {
            Self::Moments(moments) => moments.least_bytes(),
            Self::Rows(rows) => rows.least_bytes(),
        }
    }
}

impl Append for Gathered {
    fn append(&mut self, later: Self) -> Result<(), MomentsError> {
        match (self, later) {
            (Self::Moments(moments), Self::Moments(later)) => moments.append(later),
            (Self::Rows(rows), Self::Rows(later)) => rows.append(later),
            _ => Err(MomentsError::Malformed),
        }
    }
}

impl<'a> From<&'a Moments> for Input<'a> {
    fn from(moments: &'a Moments) -> Self {
        Self::Moments(moments)
    }
}

impl<'a> From<&'a EncodedRows> for Input<'a> {
    fn from(rows: &'a EncodedRows) -> Self {
        Self::Rows(rows)
    }
}

impl<'a> From<&'a Gathered> for Input<'a> {
    fn from(gathered: &'a Gathered) -> Self {
        match gathered {
            Gathered::Moments(moments) => Self::Moments(moments),
            Gathered::Rows(rows) => Self::Rows(rows),
        }
    }
}
