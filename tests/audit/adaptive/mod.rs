//! What has to hold of `adaptive-gauss` (theory/adaptive), for the native tests and for the audit's mutants; a check fails by panicking.

pub mod accuracy;
pub mod golden;
pub mod identities;
pub mod sensitivity;

use discreet::math::triangle;
use discreet::mechanisms::adaptive::guide::Guide;
use discreet::mechanisms::adaptive::margins;
use discreet::mechanisms::adaptive::rough::Standardiser;
use discreet::mechanisms::adaptive::tails::{self, Edges};
use discreet::mechanisms::adaptive::terms::{Term, Terms};
use discreet::mechanisms::adaptive_gauss::last::{self, Grid};
use discreet::mechanisms::adaptive_gauss::radii::Radii;
use discreet::mechanisms::adaptive_gauss::scores::ScoreMap;
use discreet::mechanisms::adaptive_gauss::units::Rounds;

/// A column as the vectors write it: `["number", lower, upper]` or `["category", levels]`.
pub enum Column {
    Number(f64, f64),
    Category(usize),
}

impl Column {
    fn terms(&self) -> usize {
        match self {
            Self::Number(..) => 1,
            Self::Category(levels) => levels - 1,
        }
    }
}

/// The terms of these columns.
pub fn terms(features: &[Column], outcomes: &[Column]) -> Terms {
    let mut terms = Vec::new();
    for (index, column) in features.iter().chain(outcomes).enumerate() {
        let dummy = matches!(column, Column::Category(_));
        terms.extend((0..column.terms()).map(|_| Term { column: index, dummy }));
    }
    Terms::new(terms, features.iter().map(Column::terms).sum())
}

/// The exact sums of round 1.
pub fn margin_cells(terms: &Terms, rounds: &Rounds, rows: &[Vec<f64>]) -> Vec<i128> {
    let mut cells = vec![0; margins::cells(terms)];
    let mut codes = Vec::new();
    for row in rows {
        margins::add(terms, rounds.codes.level, row, &mut codes, &mut cells);
    }
    wide(&cells)
}

/// The exact sums of round 2.
pub fn rough_cells(standardiser: &Standardiser, rows: &[Vec<f64>]) -> Vec<i128> {
    let mut cells = vec![0; triangle::len(rows[0].len() + 1)];
    let mut codes = Vec::new();
    for row in rows {
        standardiser.codes(row, &mut codes);
        triangle::add_outer(&codes, 1, &mut cells);
    }
    wide(&cells)
}

/// The exact counts of round 3.
pub fn tail_cells(terms: &Terms, rounds: &Rounds, guide: &Guide, rows: &[Vec<f64>]) -> Vec<i128> {
    let mut cells = vec![0; tails::cells(terms.outcomes())];
    let (edges, mut reals) = (Edges::new(terms), Vec::new());
    for row in rows {
        edges.add(guide, rounds.codes.count, row, &mut reals, &mut cells);
    }
    wide(&cells)
}

/// The exact sums of round 4.
pub fn last_cells(
    rounds: &Rounds,
    guide: &Guide,
    grid: &Grid,
    radii: &Radii,
    rows: &[Vec<f64>],
) -> Vec<i128> {
    let mut cells = vec![0; triangle::len(rows[0].len() + 1)];
    let (mut reals, mut codes) = (Vec::new(), Vec::new());
    for row in rows {
        last::codes(guide, grid, rounds.codes, radii, row, &mut reals, &mut codes);
        triangle::add_outer(&codes, 1, &mut cells);
    }
    wide(&cells)
}

/// The exact sums of round 5 over the rows of one person.
pub fn score_cells(
    rounds: &Rounds,
    guide: &Guide,
    grid: &Grid,
    radii: &Radii,
    map: &ScoreMap,
    rows: &[Vec<f64>],
) -> Vec<i128> {
    let outcomes = radii.outcomes.len();
    let k = rows[0].len() + 1 - outcomes;
    let (mut cells, mut sums) = (vec![0; outcomes * triangle::len(k)], vec![0; outcomes * k]);
    let (mut reals, mut codes, mut scores) = (Vec::new(), Vec::new(), Vec::new());
    for row in rows {
        last::codes(guide, grid, rounds.codes, radii, row, &mut reals, &mut codes);
        if rows.len() > 1 {
            map.add_to_person(grid, &codes, &mut reals, &mut sums);
        } else {
            map.add(grid, &codes, &mut reals, &mut scores, &mut cells);
        }
    }
    map.add_person(&sums, &mut reals, &mut scores, &mut cells);
    wide(&cells)
}

fn wide(cells: &[i64]) -> Vec<i128> {
    cells.iter().map(|cell| i128::from(*cell)).collect()
}

/// Numbers in -1 to 1 that look random.
pub struct Draws(pub u64);

impl Draws {
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}
