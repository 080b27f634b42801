//! Numbers only: special functions, directed rounding, linear algebra, root finding, days of the calendar.

pub mod beta;
pub mod calendar;
pub mod gamma;
pub mod jacobi_eigen;
pub mod jacobi_svd;
pub mod linalg;
pub mod projection;
pub mod round;
pub mod saddle_point;
pub mod search;
pub mod secular_equation;
pub mod special;
pub mod student;
pub mod sylvester;
pub mod triangle;

/// Returns the median; of an even number of values the upper one of the two in the middle. `None` without any.
pub fn median(numbers: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut numbers: Vec<f64> = numbers.into_iter().collect();
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied()
}

/// What tests of numbers ask.
#[cfg(test)]
pub(crate) mod of_tests {
    pub(crate) fn close(x: f64, expected: f64, relative: f64) {
        assert!((x - expected).abs() <= relative * expected.abs(), "{x:e} is not {expected:e}");
    }
}
