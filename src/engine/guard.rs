//! Moments of rows with guard digits, for demonstrations without noise.
//!
//! A row has a code q for each term and, for each but the constant, the digit e that rounding left: the unrounded code
//! is q + 2⁻²² e. Without noise nothing but rounding depends on the grid, and collinear predictors magnify it; with the
//! digits such a run equals least squares to far more digits than the grid has.

use crate::data::Moments;
use crate::data::encode::{GUARD_BITS, Geometry};

/// The sums of (q + 2⁻²² e)(q + 2⁻²² e)', in steps of 2⁻⁴⁴. With 2^30 rows they stay below 2^123.
#[must_use]
pub fn fine_cells(moments: &Moments, geometry: &Geometry) -> Vec<i128> {
    let sum = |row: Option<usize>, column: Option<usize>| match (row, column) {
        (Some(row), Some(column)) => moments.get(row, column),
        _ => 0,
    };
    triangle(geometry, |row, column| {
        let (row_digit, column_digit) = (geometry.guard_of(row), geometry.guard_of(column));
        let crossed = sum(Some(row), column_digit) + sum(row_digit, Some(column));
        (moments.get(row, column) << (2 * GUARD_BITS))
            + (crossed << GUARD_BITS)
            + sum(row_digit, column_digit)
    })
}

fn triangle(geometry: &Geometry, cell: impl Fn(usize, usize) -> i128) -> Vec<i128> {
    let terms = geometry.terms.len();
    (0..terms)
        .flat_map(|row| (row..terms).map(move |column| (row, column)))
        .map(|(r, c)| cell(r, c))
        .collect()
}
