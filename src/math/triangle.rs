//! The packed upper triangle of a symmetric matrix, row by row: (0,0), (0,1), …, (1,1), …

#![deny(clippy::arithmetic_side_effects)]

/// Returns the number of cells in the triangle of a matrix of `size` rows; the largest `usize` where it is beyond that.
pub const fn len(size: usize) -> usize {
    size.saturating_mul(size.saturating_add(1)) / 2
}

/// Returns the place of the cell (row, column), for row <= column < size.
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

/// Adds weight · z z′ for the integers z to a triangle at the start of `cells`. Returns the cells after the triangle.
#[inline]
pub fn add_outer<'a>(z: &[i32], weight: i64, cells: &'a mut [i64]) -> &'a mut [i64] {
    let mut rest = cells;
    for (place, left) in z.iter().enumerate() {
        let right = z.get(place..).unwrap_or_default();
        let (row, after) = rest.split_at_mut(right.len().min(rest.len()));
        add_scaled(right, weight.wrapping_mul(i64::from(*left)), row);
        rest = after;
    }
    rest
}

/// Adds factor · z to `cells`.
#[inline]
pub fn add_scaled(z: &[i32], factor: i64, cells: &mut [i64]) {
    for (cell, code) in cells.iter_mut().zip(z) {
        *cell = cell.wrapping_add(factor.wrapping_mul(i64::from(*code)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outer_products_fill_the_triangle_and_leave_the_rest() {
        let mut cells = [1; 8];
        let rest = add_outer(&[2, -3, 5], 10, &mut cells);
        add_scaled(&[7], -1, rest);
        assert_eq!(cells, [41, -59, 101, 91, -149, 251, -6, 1]);
        assert!(add_outer(&[1, 1], 1, &mut [0]).is_empty());
    }

    #[test]
    fn each_pair_has_its_place() {
        for size in 0..6 {
            let places: Vec<usize> = pairs(size).map(|(row, column)| index(size, row, column)).collect();
            assert_eq!(places, (0..len(size)).collect::<Vec<_>>());
        }
        assert_eq!(len(usize::MAX), usize::MAX / 2);
    }
}
