//! T1 and T6 of noise-and-accounting, D2: on worst-case pairs of tables, read through the public path, an attacker who
//! knows everything but which table it was sees no more than μ = 1; and the noise has the covariance that is claimed.
//!
//! T1: from N runs a side, μ̂ is the difference of the means of the optimal statistic over its pooled standard deviation,
//! se = √(2/N + μ²/(4N)), and (μ̂ − μ)/se > 5 fails: a false alarm of 3e-7 a pair at μ = 1. Seeds are fixed.

use discreet::data::Moments;
use discreet::engine::{Prepared, release};
use discreet::mechanisms::analyze_gauss::perturb;
use discreet::noise::entropy::{DemoRng, PrivateRng};
use serde_json::{Value, json};

use crate::support::{column, plan, prepared, scan, software};

/// Runs a side.
const N: u32 = 4_000;
/// The claim.
const MU: f64 = 1.0;
/// Standard errors above the claim that fail.
const Z: f64 = 5.0;
/// The pairs.
pub const PAIRS: [&str; 11] = ["P1", "P2", "P3", "P4", "P5", "P6", "P7", "P8", "P9", "P10", "P11"];

/// Two neighbouring tables and their plan, all with three terms.
struct Pair {
    plan: Value,
    tables: [String; 2],
}

/// Constant, one feature, one outcome. With `row_norm` 1/2 a record along one axis is as long as a record can be.
fn with_constant(shape: &str) -> Value {
    let mut plan =
        plan(&[column("x", "feature", -1.0, 1.0), column("y", "outcome", -1.0, 1.0)], json!({"mu": MU}));
    plan["mechanism"]["params"] = json!({"shape": shape, "row_norm": 0.5});
    plan
}

/// Two features and one outcome without a constant, one row.
fn without_constant(shape: &str) -> Value {
    let columns = [
        column("x", "feature", -1.0, 1.0),
        column("w", "feature", -1.0, 1.0),
        column("y", "outcome", -1.0, 1.0),
    ];
    let mut plan = plan(&columns, json!({"mu": MU}));
    plan["adjacency"] = json!("replace-one");
    plan["rows"] = json!(1);
    plan["intercept"] = json!(false);
    plan["mechanism"]["params"] = json!({"shape": shape, "row_norm": 0.5, "intercept_weight": 0});
    plan
}

fn pairs(name: &str, shape: &str) -> Vec<Pair> {
    let plain = |row: &str| Pair {
        plan: with_constant(shape),
        tables: ["x,y\n".to_owned(), format!("x,y\n{row}\n")],
    };
    let replaced = |missing: &str, rows: [&str; 2]| {
        let mut plan = with_constant(shape);
        plan["adjacency"] = json!("replace-one");
        plan["rows"] = json!(1);
        plan["missing"] = json!(missing);
        Pair { plan, tables: rows.map(|row| format!("x,y\n{row}\n")) }
    };
    let persons = |max_rows: u32, rows: [&[&str]; 2]| {
        let mut plan = with_constant(shape);
        plan["person"] = json!("id");
        plan["max_rows_per_person"] = json!(max_rows);
        Pair { plan, tables: rows.map(|rows| format!("id,x,y\n{}\n", rows.join("\n"))) }
    };
    match name {
        "P1" => vec![plain("0,1")],
        "P2" => vec![plain("0.8165,1")],
        "P3" => vec![Pair {
            plan: without_constant(shape),
            tables: ["x,w,y\n1,0,0\n".to_owned(), "x,w,y\n0,1,0\n".to_owned()],
        }],
        "P4" => vec![plain("1000,0")],
        "P5" => vec![plain("1,1")],
        "P6" => vec![plain("0.3,-0.7")],
        "P7" => ["nan,1", "inf,-inf", "1e308,-1e308", "1e999,0", ",", "9223372036854775808,1", "-nan,0x1p3"]
            .into_iter()
            .flat_map(|row| {
                ["skip", "midpoint"].map(|missing| {
                    let mut pair = plain(row);
                    pair.plan["missing"] = json!(missing);
                    pair.plan["csv"] = json!({"na": []});
                    pair
                })
            })
            .collect(),
        "P8" => vec![persons(2, [&[], &["a,0,1", "a,0,1", "a,0,1", "a,0,1", "a,0,1"]])],
        // The cosine of the variable parts is −c²/W² = −1/4.
        "P9" => vec![replaced("midpoint", ["0,1", "0.75,-0.2372"])],
        "P10" => vec![persons(1, [&[",0,1"], &[",1,0", ",0,1"]])],
        "P11" => vec![replaced("skip", ["0,1", ",1"])],
        _ => panic!("no such pair"),
    }
}

fn moments(prepared: &Prepared, table: &str) -> Moments {
    scan(prepared, table, Moments::new).sink
}

#[expect(clippy::cast_precision_loss, reason = "53 bits are enough for a statistic")]
fn draw(prepared: &Prepared, moments: &Moments, seed: u64, run: u32) -> Vec<f64> {
    let noise = &prepared.cost().unwrap().noise;
    let mut rng = DemoRng::new(seed, run.into());
    perturb(moments, noise, &mut rng).into_iter().map(|cell| cell as f64).collect()
}

fn mean_and_variance(values: &[f64]) -> (f64, f64) {
    let count = f64::from(u32::try_from(values.len()).unwrap());
    let mean = values.iter().sum::<f64>() / count;
    (mean, values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0))
}

/// How many standard errors μ̂ lies above the claim; where the tables give equal moments, nothing can be seen.
fn excess(pair: &Pair) -> f64 {
    let prepared = prepared(&pair.plan, &pair.tables[0]).unwrap();
    let [without, with] = [0, 1].map(|side| moments(&prepared, &pair.tables[side]));
    let direction: Vec<f64> = (0..3)
        .flat_map(|row| (row..3).map(move |column| (row, column)))
        .map(|(row, column)| {
            #[expect(clippy::cast_precision_loss, reason = "53 bits are enough for a direction")]
            let change = (with.get(row, column) - without.get(row, column)) as f64;
            change
        })
        .collect();
    if direction.iter().all(|change| *change == 0.0) {
        return f64::NEG_INFINITY;
    }
    let sides = [(without, 11), (with, 12)]
        .map(|(moments, seed)| (0..N).map(|run| draw(&prepared, &moments, seed, run)).collect::<Vec<_>>());
    // The weights are those of the noise as it is, so that a cell with less noise than claimed is used to the full.
    let weights: Vec<f64> = direction
        .iter()
        .enumerate()
        .map(|(cell, change)| {
            let (_, variance) = mean_and_variance(&sides[0].iter().map(|run| run[cell]).collect::<Vec<_>>());
            change / variance.max(1.0)
        })
        .collect();
    let score = |side: &[Vec<f64>]| {
        let scores: Vec<f64> = side
            .iter()
            .map(|run| run.iter().zip(&weights).map(|(cell, weight)| cell * weight).sum())
            .collect();
        mean_and_variance(&scores)
    };
    let ((mean_without, variance_without), (mean_with, variance_with)) = (score(&sides[0]), score(&sides[1]));
    let deviation = f64::midpoint(variance_without, variance_with).sqrt();
    let found = (mean_with - mean_without) / deviation;
    let found = if found.is_finite() { found } else { f64::INFINITY };
    (found - MU) / (2.0 / f64::from(N) + MU * MU / (4.0 * f64::from(N))).sqrt()
}

/// The largest excess over the tables of one pair.
pub fn worst(name: &str, shape: &str) -> f64 {
    pairs(name, shape).iter().map(excess).fold(f64::NEG_INFINITY, f64::max)
}

#[test]
fn t1_no_pair_is_told_apart_better_than_claimed() {
    for name in PAIRS {
        for shape in ["goe", "iid"] {
            let excess = worst(name, shape);
            assert!(excess < Z, "{name} {shape}: {excess} standard errors above the claim");
        }
    }
}

#[test]
fn t1_the_claim_is_used_up() {
    // Far below the claim would be wasted accuracy: these pairs attain the sensitivity.
    for name in ["P1", "P2", "P3", "P4", "P5", "P8", "P9"] {
        let excess = worst(name, "goe");
        assert!(excess > -Z, "{name}: {excess} standard errors below the claim");
    }
}

/// Largest deviation of the noise's covariance from the claim over N = 20,000 releases of one table, in standard
/// errors: variances against S² and S²/2 (se √(2/N)), correlations against 0 (se 1/√N).
pub fn covariance_score(shape: &str) -> f64 {
    const RUNS: u32 = 20_000;
    let prepared = prepared(&with_constant(shape), "x,y\n").unwrap();
    let moments = moments(&prepared, "x,y\n0.2,0.4\n-0.7,0.1\n");
    let runs: Vec<Vec<f64>> = (0..RUNS).map(|run| draw(&prepared, &moments, 13, run)).collect();
    let scale = prepared.cost().unwrap().noise.scale.get().get();
    #[expect(clippy::cast_precision_loss, reason = "53 bits are enough for a variance")]
    let s = scale as f64;
    let columns: Vec<Vec<f64>> = (0..6).map(|cell| runs.iter().map(|run| run[cell]).collect()).collect();
    let stats: Vec<(f64, f64)> = columns.iter().map(|column| mean_and_variance(column)).collect();
    let mut worst = 0.0_f64;
    for (cell, (_, variance)) in stats.iter().enumerate() {
        // Packed upper triangle of three terms: 0, 3 and 5 are the diagonal.
        let claimed = if shape == "iid" || [0, 3, 5].contains(&cell) { s * s } else { s * s / 2.0 };
        worst = worst.max((variance / claimed - 1.0).abs() / (2.0 / f64::from(RUNS)).sqrt());
        for other in 0..cell {
            let products: f64 = columns[cell]
                .iter()
                .zip(&columns[other])
                .map(|(a, b)| (a - stats[cell].0) * (b - stats[other].0))
                .sum();
            let correlation = products / f64::from(RUNS) / (variance * stats[other].1).sqrt();
            worst = worst
                .max(if correlation.is_finite() { correlation.abs() } else { 1.0 } * f64::from(RUNS).sqrt());
        }
    }
    worst
}

#[test]
fn t6_the_noise_has_the_claimed_covariance() {
    // 21 comparisons at 5 standard errors for each shape: a false alarm of 2e-5 in all.
    for shape in ["goe", "iid"] {
        let score = covariance_score(shape);
        assert!(score < 5.0, "{shape}: {score} standard errors");
    }
}

#[test]
fn no_two_releases_are_equal() {
    let prepared = prepared(&with_constant("goe"), "x,y\n").unwrap();
    let moments = moments(&prepared, "x,y\n0.2,0.4\n");
    let matrix = || {
        let rng = PrivateRng::from_os().unwrap();
        release(&prepared, &moments, rng, None, software()).unwrap().moments.unwrap().matrix
    };
    assert_ne!(matrix(), matrix());
    assert_ne!(draw(&prepared, &moments, 1, 1), draw(&prepared, &moments, 1, 2));
    assert_ne!(draw(&prepared, &moments, 1, 1), draw(&prepared, &moments, 2, 1));
}

#[test]
fn a_release_shows_these_integers_and_no_others() {
    let prepared = prepared(&with_constant("goe"), "x,y\n").unwrap();
    let moments = moments(&prepared, "x,y\n0.2,0.4\n");
    let cells = perturb(&moments, &prepared.cost().unwrap().noise, &mut DemoRng::new(5, 1));
    let released = release(&prepared, &moments, DemoRng::new(5, 1), None, software()).unwrap();
    let matrix = released.moments.unwrap().matrix;
    let upper: Vec<&String> = (0..3).flat_map(|row| &matrix[row][row..]).collect();
    assert_eq!(upper, cells.iter().map(i128::to_string).collect::<Vec<_>>().iter().collect::<Vec<_>>());
}

#[cfg(feature = "audit-mutants")]
mod planted {
    use discreet::privacy::mutants::{Mutant, with_planted};

    use super::*;

    #[test]
    fn t1_and_t6_catch_every_bug() {
        let pair = |name: &'static str, shape: &'static str| move || worst(name, shape);
        let caught = |mutant: Mutant, score: &dyn Fn() -> f64| {
            let found = with_planted(mutant, score);
            assert!(found > Z, "{mutant:?} went unnoticed: {found}");
        };
        for shape in ["goe", "iid"] {
            caught(Mutant::SigmaHalved, &pair("P1", shape));
            caught(Mutant::SigmaOverSqrt2, &pair("P6", shape));
            caught(Mutant::AddRemoveDeltaUnderReplaceOne, &pair("P3", shape));
            caught(Mutant::DiagonalHalf, &pair("P3", shape));
            caught(Mutant::DiagonalCellUnnoised, &pair("P1", shape));
            caught(Mutant::SameNoiseEverywhere, &pair("P3", shape));
            caught(Mutant::InterceptUnnoisedUnderSkip, &pair("P11", shape));
            let covariance = move || covariance_score(shape);
            caught(Mutant::SameNoiseEverywhere, &covariance);
            caught(Mutant::DiagonalCellUnnoised, &covariance);
            caught(Mutant::InterceptUnnoisedUnderSkip, &covariance);
        }
        // `iid` has no noise of half the variance to go wrong.
        for name in ["P2", "P5", "P6"] {
            caught(Mutant::OffDiagonalQuarter, &pair(name, "goe"));
        }
    }

    /// Bugs of reading and encoding. A field that is no number and gets through (`NanUnmapped`) is harmless here: the cast
    /// to an integer makes it 0, and the integer test follows.
    #[test]
    fn t1_catches_the_bugs_of_reading() {
        for (mutant, name) in [
            (Mutant::NoClip, "P4"),
            (Mutant::NoClip, "P5"),
            (Mutant::ColumnClampOnly, "P5"),
            (Mutant::KeepAllRowsOfPerson, "P8"),
            (Mutant::EmptyIdsPooled, "P10"),
        ] {
            let found = with_planted(mutant, || worst(name, "goe"));
            assert!(found > Z, "{mutant:?} went unnoticed by {name}: {found}");
        }
    }
}
