//! Estimated bounds: golden values, neighbours, the signal test, columns that hold nothing, hard shapes.

use discreet::privacy::adjacency::Adjacency;

use crate::estimated_bounds_checks::{self as checks, Draws, run, setting};

#[test]
fn estimated_bounds_are_the_golden_ones() {
    checks::golden();
}

#[test]
fn no_neighbour_moves_the_counts_for_bounds_by_more_than_their_sensitivity() {
    checks::neighbours();
}

#[test]
fn equal_noisy_counts_give_equal_bounds() {
    checks::same_integers();
}

#[test]
fn every_cell_of_the_counts_for_bounds_has_noise_of_its_own() {
    checks::noise();
}

#[test]
fn the_counts_for_bounds_separate_neighbours_by_what_is_charged() {
    checks::signal(2_000);
}

/// μ² of a twentieth of ε 1 at δ 1e-6, in units of 2^-40, for each of ten columns.
const UNITS: u128 = 3_080_000_000;

/// A column without a value is found at most 25 times in 20,000 (0.0006 each, the rest is four standard deviations).
#[test]
fn empty_columns_are_hardly_ever_found() {
    let columns = 100;
    let setting = setting(columns, Adjacency::AddRemove, 1, UNITS * 10);
    let rows = vec![vec![f64::NAN; columns]];
    let found: usize = (0..200)
        .map(|seed| {
            run(&setting, &rows, seed).columns.iter().filter(|column| column.range().is_some()).count()
        })
        .sum();
    println!("{found} finds in 20,000 empty columns");
    assert!(found <= 25, "{found}");
}

fn inside(values: &[f64], range: Option<(f64, f64)>) -> f64 {
    let Some((low, high)) = range else { return 0.0 };
    values.iter().filter(|value| (low..=high).contains(*value)).count() as f64 / values.len() as f64
}

/// At 20,000 rows at least 99 % of the values of hard shapes are inside.
#[test]
fn hard_shapes_are_inside_their_bounds() {
    let mut draws = Draws(31);
    let rows = 20_000;
    let mut shape =
        |value: &dyn Fn(&mut Draws) -> f64| (0..rows).map(|_| value(&mut draws)).collect::<Vec<f64>>();
    let columns = [
        shape(&|d| if d.next() < 0.5 { 1.0 + d.next() } else { 2_f64.powi(20) * (1.0 + d.next()) }),
        shape(&|d| if d.next() < 0.1 { -999.0 } else { 5.0 + 20.0 * d.next() }),
        shape(&|d| if d.next() < 0.5 { 0.0 } else { 100.0 * d.next() }),
        shape(&|d| -(1_950.0 + 70.0 * d.next()).floor()),
    ];
    let setting = setting(columns.len(), Adjacency::AddRemove, 1, UNITS);
    let table: Vec<Vec<f64>> =
        (0..rows).map(|row| columns.iter().map(|column| column[row]).collect()).collect();
    for seed in 0..5 {
        let found = run(&setting, &table, seed);
        for (values, column) in columns.iter().zip(&found.columns) {
            let share = inside(values, column.range());
            println!("{} {:?} {:?} {share:.4}", column.column, column.state, column.range());
            assert!(share >= 0.99, "{}: {:?} holds {share}", column.column, column.range());
        }
    }
}
