//! Tests in integers whether a symmetric matrix of integers is positive definite.

use dashu_int::IBig;

/// Returns whether all leading principal minors of the symmetric matrix with these rows are above 0 (Sylvester's criterion).
///
/// Uses fraction-free elimination (Bareiss 1968): every intermediate entry is a minor, so every division is exact. The integers grow
/// to the length of the determinant. The work grows with the cube of the size and the square of that length.
pub fn is_positive_definite(mut rows: Vec<Vec<IBig>>) -> bool {
    let size = rows.len();
    let mut previous = IBig::ONE;
    for step in 0..size {
        let pivot = rows[step][step].clone();
        if pivot <= IBig::ZERO {
            return false;
        }
        for row in step + 1..size {
            for column in row..size {
                // The matrix stays symmetric, so only the upper triangle is updated.
                let product = &pivot * &rows[row][column] - &rows[step][row] * &rows[step][column];
                rows[row][column] = product / &previous;
            }
        }
        previous = pivot;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(entries: &[&[i64]]) -> Vec<Vec<IBig>> {
        entries.iter().map(|row| row.iter().map(|&entry| IBig::from(entry)).collect()).collect()
    }

    #[test]
    fn the_sign_is_exact() {
        assert!(is_positive_definite(matrix(&[&[2, 1], &[1, 1]])));
        assert!(!is_positive_definite(matrix(&[&[1, 1], &[1, 1]])), "singular");
        assert!(!is_positive_definite(matrix(&[&[0]])) && !is_positive_definite(matrix(&[&[1, 2], &[2, 3]])));
        // Its least eigenvalue is 1 of 10^36 and more, far below what a double tells from 0.
        let large = 1_000_000_000_000_000_003_i64;
        let nearly = |corner: i64| {
            let square = IBig::from(large) * IBig::from(large) + IBig::from(corner);
            vec![vec![IBig::ONE, IBig::from(large)], vec![IBig::from(large), square]]
        };
        assert!(is_positive_definite(nearly(1)));
        assert!(!is_positive_definite(nearly(0)) && !is_positive_definite(nearly(-1)));
    }

    #[test]
    fn a_larger_matrix_turns_at_its_least_eigenvalue() {
        // The second difference on n points has the least eigenvalue 2 − 2 cos(π/(n + 1)); in units of 2^-40.
        let n = 12_i64;
        let scale = 1_i64 << 40;
        let least = 2.0 - 2.0 * libm::cos(std::f64::consts::PI / 13.0);
        #[expect(clippy::cast_possible_truncation, reason = "below 2^40")]
        let least = (least * libm::ldexp(1.0, 40)) as i64;
        let shifted = |shift: i64| -> Vec<Vec<IBig>> {
            let entry = |row: i64, column: i64| match (row - column).abs() {
                0 => IBig::from(2 * scale - shift),
                1 => IBig::from(-scale),
                _ => IBig::ZERO,
            };
            (0..n).map(|row| (0..n).map(|column| entry(row, column)).collect()).collect()
        };
        assert!(is_positive_definite(shifted(least - 1)));
        assert!(!is_positive_definite(shifted(least + 2)));
    }
}
