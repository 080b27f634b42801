//! The packed upper triangle of a symmetric matrix, row by row: (0,0), (0,1), …, (1,1), …

#![deny(clippy::arithmetic_side_effects)]

/// Returns the number of cells in the triangle of a matrix of `size` rows; the largest `usize` where it is beyond that.
#[must_use]
pub const fn len(size: usize) -> usize {
    size.saturating_mul(size.saturating_add(1)) / 2
}

/// Returns the place of the cell (row, column), for row <= column < size.
#[must_use]
#[expect(
    clippy::arithmetic_side_effects,
    reason = "row <= column < size, and a triangle of that size is in memory"
)]
pub const fn index(size: usize, row: usize, column: usize) -> usize {
    row * (2 * size + 1 - row) / 2 + (column - row)
}

/// Returns row and column of each cell, in the cells' order.
pub fn pairs(size: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..size).flat_map(move |row| (row..size).map(move |column| (row, column)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pair_has_its_place() {
        for size in 0..6 {
            let places: Vec<usize> = pairs(size).map(|(row, column)| index(size, row, column)).collect();
            assert_eq!(places, (0..len(size)).collect::<Vec<_>>());
        }
        assert_eq!(len(usize::MAX), usize::MAX / 2);
    }
}
