//! Acceptance test 8 of theory/adaptive 9: tables that are made to spoil the rounds that learn.

use std::fmt::Write as _;

use discreet::math::median;
use discreet::release::document::Release;
use serde_json::{Value, json};

use super::released::with;
use crate::adaptive_checks::Draws;
use crate::adaptive_checks::accuracy::normal;
use crate::support::runs;
use crate::support::{column, list, plan};

const ROWS: u32 = 5_000;
const RUNS: u64 = 9;

/// Bounds of features and outcome, and a row.
type Table = ([f64; 2], [f64; 2], fn(&mut Draws, u32) -> [f64; 3]);

/// Two features and an outcome each. In every table the second feature has another spread than the first.
const TABLES: [(&str, Table); 8] = [
    (
        "tight",
        ([-1.0, 1.0], [-1.0, 1.0], |draws, _| {
            let (a, b) = (0.03 * normal(draws), 0.02 * normal(draws));
            [a, b, 0.5 * a - 0.5 * b + 0.02 * normal(draws)]
        }),
    ),
    (
        "zero-inflated",
        ([0.0, 20.0], [0.0, 20.0], |draws, _| {
            let rare = |draws: &mut Draws| if draws.next() > 0.8 { 5.0 + 4.0 * draws.next() } else { 0.0 };
            let (a, b) = (rare(draws), rare(draws));
            [a, b, 2.0 + 0.4 * a + 0.2 * b + draws.next()]
        }),
    ),
    (
        "Cauchy",
        ([-50.0, 50.0], [-100.0, 100.0], |draws, _| {
            let (a, b) = (normal(draws), 2.0 * normal(draws));
            let cauchy = normal(draws) / normal(draws);
            [a, b, (a - b + cauchy).clamp(-100.0, 100.0)]
        }),
    ),
    (
        "collinear",
        ([-5.0, 5.0], [-10.0, 10.0], |draws, _| {
            let a = normal(draws);
            let b = a + 0.05 * normal(draws);
            [a, b, a + b + normal(draws)]
        }),
    ),
    (
        "clustered",
        ([-10.0, 10.0], [-20.0, 20.0], |draws, row| {
            let far = if row % 33 == 0 { 8.0 } else { 0.0 };
            let (a, b) = (far + 0.3 * normal(draws), -far + 0.3 * normal(draws));
            [a, b, a - 0.5 * b + 0.5 * normal(draws)]
        }),
    ),
    (
        "exact line",
        ([-3.0, 3.0], [-5.0, 5.0], |draws, _| {
            let (a, b) = (draws.next(), 2.0 * draws.next());
            [a, b, a - b]
        }),
    ),
    (
        "off-centre",
        ([0.0, 100.0], [0.0, 100.0], |draws, _| {
            let (a, b) = (92.0 + 2.0 * normal(draws), 6.0 + normal(draws));
            [a, b, (40.0 + 0.5 * a - 2.0 * b + 3.0 * normal(draws)).clamp(0.0, 100.0)]
        }),
    ),
    (
        "300 times too wide",
        ([-900.0, 900.0], [-900.0, 900.0], |draws, _| {
            let (a, b) = (normal(draws), 0.5 * normal(draws));
            [a, b, a + b + normal(draws)]
        }),
    ),
];

/// Wherever coefficients are shown, their median error is at most 1.1 times that of `analyze-gauss`.
#[test]
fn no_table_makes_it_worse_than_noise_in_the_corners_of_the_bounds() {
    for (name, (features, outcome, row)) in TABLES {
        let mut draws = Draws(23);
        let mut text = "a,b,y\n".to_owned();
        for index in 0..ROWS {
            let [a, b, y] = row(&mut draws, index);
            writeln!(text, "{a},{b},{y}").unwrap();
        }
        let columns = [
            column("a", "feature", features[0], features[1]),
            column("b", "feature", features[0], features[1]),
            column("y", "outcome", outcome[0], outcome[1]),
        ];
        let of = |mechanism: &str, budget: Value, count: u64| {
            runs(&with(mechanism, plan(&columns, budget)), &text, count)
        };
        let exact = of("ols", json!({"none": true}), 1).remove(0);
        let budget = || json!({"epsilon": 2, "delta": 1e-6});
        let (ours, shown) = errors(&exact, &of("adaptive-gauss", budget(), RUNS));
        let (theirs, _) = errors(&exact, &of("analyze-gauss", budget(), RUNS));
        println!("{name}: {ours:.3e} against {theirs:.3e}, {shown} of {} shown", 2 * RUNS);
        if shown > 0 {
            assert!(ours <= 1.1 * theirs, "{name}: {ours} against {theirs}");
        }
    }
}

/// The median error of the slopes that are shown, in standard errors of the exact fit, and how many are.
fn errors(exact: &Release, releases: &[Release]) -> (f64, usize) {
    let mut errors: Vec<f64> = Vec::new();
    for release in releases {
        for (found, exact) in list(release).iter().zip(list(exact)).skip(1) {
            if let Some(estimate) = found.estimate {
                let unit = exact.std_error.unwrap().max(1e-9);
                errors.push((estimate - exact.estimate.unwrap()).abs() / unit);
            }
        }
    }
    let count = errors.len();
    (median(errors).unwrap_or(f64::NAN), count)
}
