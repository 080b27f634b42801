//! Round 1: a private count, and a private centre and scale of each term (theory/adaptive 2.2).

use super::bits::bits26;
use super::terms::Terms;
use super::units::Round;
use crate::math::round::{nearest, real};
use crate::privacy::mutants::{Mutant, is_active};

/// Returns the number of cells: the count, a sum and a sum of squares of each term.
pub fn cells(terms: &Terms) -> usize {
    1 + 2 * terms.len()
}

/// Adds what a record with these coded values contributes: N², N τ_j and τ_j² with τ_j = round(t_j N). A record whose codes fail
/// the integer check contributes nothing.
pub fn add(terms: &Terms, level: u32, values: &[f64], codes: &mut Vec<i32>, cells: &mut [i64]) {
    codes.clear();
    codes.extend(values.iter().map(|value| nearest(value * f64::from(level))));
    if !admits(terms, level, codes) && !is_active(Mutant::RoundChecksOmitted) {
        return;
    }
    let unit = i64::from(level);
    let Some((count, rest)) = cells.split_first_mut() else { return };
    let (sums, squares) = rest.split_at_mut(codes.len().min(rest.len()));
    *count += unit * unit;
    for ((sum, square), code) in sums.iter_mut().zip(squares).zip(codes.iter()) {
        let code = i64::from(*code);
        *sum += unit * code;
        *square += code * code;
    }
}

/// Returns whether every code is at most N in size and no category has two dummies that are not 0. Trusted core: the sensitivity
/// of the margins is proved from this alone.
fn admits(terms: &Terms, level: u32, codes: &[i32]) -> bool {
    codes.len() == terms.len()
        && codes.iter().all(|code| code.unsigned_abs() <= level)
        && terms
            .groups()
            .all(|group| group.len() == 1 || codes[group].iter().filter(|code| **code != 0).count() <= 1)
}

/// Number of records, centres and scales from the noisy margins: public.
#[derive(Clone, Debug, PartialEq)]
pub struct Margins {
    /// n_1, the noisy number of complete records, 1 at least.
    pub rows: f64,
    /// m, the centre of each term in coded units.
    pub centres: Vec<f64>,
    /// s, the scale of each term in coded units.
    pub scales: Vec<f64>,
}

impl Margins {
    /// Reads the noisy cells, in which 1 has the code `level`. Scales have a floor of √(2τ), with τ the noise of a mean.
    pub fn new(terms: &Terms, level: u32, round: &Round, cells: &[i128]) -> Self {
        let unit = f64::from(level) * f64::from(level);
        let cell = |index: usize| cells.get(index).copied().map_or(0.0, real);
        let rows = (cell(0) / unit).max(1.0);
        let noise = round.s() / (unit * rows);
        let mut centres = Vec::with_capacity(terms.len());
        let mut scales = Vec::with_capacity(terms.len());
        for term in 0..terms.len() {
            let least = if terms.is_dummy(term) { 0.0 } else { -1.0 };
            let centre = (cell(1 + term) / (unit * rows)).clamp(least, 1.0);
            let square = cell(1 + terms.len() + term) / (unit * rows) - centre * centre;
            centres.push(bits26(centre));
            scales.push(bits26(square.max(2.0 * noise).min(1.0).sqrt()));
        }
        Self { rows, centres, scales }
    }
}
