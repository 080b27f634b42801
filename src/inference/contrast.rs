//! Categories whose levels are the corners of a simplex: from their coordinates to levels and back (theory/encoding 2.3).

use nalgebra::{DMatrix, DVector};

use crate::model::Contrast;

/// The coordinates of one category, in units of R.
#[derive(Clone, Debug, PartialEq)]
pub struct Corners {
    /// The first of its coordinates, which is that of its first term.
    pub first: usize,
    /// One row for each term: the direction of length 1 along which the indicator of the level grows.
    pub directions: DMatrix<f64>,
    /// Coefficients of coordinates to those of the indicators, per unit of the outcome.
    pub effects: DMatrix<f64>,
}

impl Corners {
    /// Returns the coordinates of a category on the grid of radius R.
    pub(super) fn new(first: usize, contrast: &Contrast, radius: u32) -> Self {
        let m = contrast.coordinates();
        let code = |level, coordinate| f64::from(contrast.code(level, coordinate)) / f64::from(radius);
        let rows: Vec<f64> =
            contrast.indicators().into_iter().flat_map(|indicator| indicator.direction).collect();
        Self {
            first,
            directions: DMatrix::from_row_slice(m, m, &rows),
            effects: DMatrix::from_fn(m, m, |level, coordinate| {
                code(level, coordinate) - code(m, coordinate)
            }),
        }
    }

    /// Returns the terms that it has.
    pub fn terms(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.directions.nrows()
    }

    /// Returns the direction of a term, if it is one of these.
    pub fn direction(&self, term: usize) -> Option<DVector<f64>> {
        let row = term.checked_sub(self.first).filter(|row| *row < self.directions.nrows())?;
        Some(self.directions.row(row).transpose())
    }
}
