//! The longest whitened record that is kept, from public numbers (theory/public-moments 1.3).

use crate::math::round::real;

/// Returns R² for `terms` terms with the constant and `rows` rows: d (1 + ln(2 n/η)). All rows of a normal table lie below it,
/// except with a probability far below η. If `tight` and if it is smaller, R² is d + 2 √(d t) + 2 t with t = ln(n/η), below which
/// they lie except with probability η (Laurent, Massart 2000, and a union bound). R_y² is that of one term.
pub fn squared_radius(terms: usize, rows: f64, eta: f64, tight: bool) -> f64 {
    let d = real(terms);
    let paper = d * (1.0 + libm::log(2.0 * rows / eta));
    let t = libm::log(rows / eta);
    let close = d + 2.0 * (d * t).sqrt() + 2.0 * t;
    if tight { paper.min(close) } else { paper }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_radii_of_the_specification() {
        for (terms, paper, tight) in [
            (1, 3.728165745523, 5.692063188929),
            (5, 8.336432038375, 6.710926297625),
            (10, 11.789495250472, 7.517204570609),
        ] {
            let found = |tight| squared_radius(terms, 1e4, 0.05, tight).sqrt();
            assert!((found(false) - paper).abs() < 1e-11, "{terms}");
            assert!((found(true) - f64::min(tight, paper)).abs() < 1e-11, "{terms}");
        }
    }
}
