//! What has to hold of `adaptive-logistic` (theory/adaptive-logistic), for the native tests and for the audit's mutants; a check fails by
//! panicking.

pub mod golden;
pub mod identities;
pub mod sensitivity;
pub mod signal;

use discreet::data::statistics::RecordMap as _;
use discreet::mechanisms::adaptive_logistic::progress::{Progress, RoundMap};

use crate::adaptive_checks::Column;
use discreet::mechanisms::adaptive::terms::{Term, Terms};

/// The terms of these features and so many labels.
pub fn terms(features: &[Column], labels: usize) -> Terms {
    let mut terms = Vec::new();
    for (column, feature) in features.iter().enumerate() {
        let dummy = matches!(feature, Column::Category(_));
        let count = if let Column::Category(levels) = feature { levels - 1 } else { 1 };
        terms.extend((0..count).map(|_| Term { column, dummy }));
    }
    let count = terms.len();
    terms.extend((0..labels).map(|label| Term { column: features.len() + label, dummy: false }));
    Terms::new(terms, count)
}

/// The exact sums of a round over coded rows.
pub fn cells(map: &RoundMap, rows: &[Vec<f64>]) -> Vec<i128> {
    let mut sums = vec![0_i128; map.cells()];
    let (mut reals, mut codes) = (Vec::new(), Vec::new());
    for rows in rows.chunks(map.block() as usize) {
        let mut block = vec![0; map.cells()];
        for row in rows {
            map.add_values(row, &mut reals, &mut codes, &mut block);
        }
        for (sum, cell) in sums.iter_mut().zip(block) {
            *sum += i128::from(cell);
        }
    }
    sums
}

/// Runs every round, with this noise on each.
pub fn run(progress: &mut Progress, rows: &[Vec<f64>], mut noise: impl FnMut(u32, usize) -> Vec<i128>) {
    while let Some(map) = progress.map() {
        let sums = cells(&map, rows);
        let noise = noise(progress.number(), sums.len());
        assert_eq!(sums.len(), noise.len());
        progress.take_cells(sums.iter().zip(noise).map(|(sum, noise)| sum + noise).collect());
    }
}
