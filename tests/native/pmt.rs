//! Public-moment-guided truncation: golden values (theory/public-moments 8), identities and limits.

mod golden;
mod identities;
mod statistics;

use std::f64::consts::SQRT_2;
use std::sync::Arc;

use discreet::data::{EncodedRows, Moments, RecordMap, Statistic, Sums};
use discreet::engine::{EngineError, Prepared, demonstrate, demonstrate_with, prepare_with};
use discreet::mechanisms::Answer;
use discreet::mechanisms::descent::Walk;
use discreet::mechanisms::newton::Steps;
use discreet::noise::entropy::DemoRng;
use discreet::plan::public::{PublicTable, document::PublicTerm};
use discreet::plan::{Plan, Purpose};
use discreet::release::document::Release;
use nalgebra::DVector;
use serde_json::{Value, json};

use crate::support::{column, list, scan, software};

/// What the grid leaves of the golden values, which were computed in real numbers.
const GRID: f64 = 2e-6;

/// The specification's private rows: three features, a response, a binary response.
fn private_rows() -> Vec<[f64; 5]> {
    let rows = (1..=12).map(|i| {
        let i = f64::from(i);
        let x = [libm::sin(i), 0.5 * libm::cos(2.0 * i) + 0.25, 1.0 + 0.1 * i];
        let y = x[0] - 2.0 * x[1] + 0.5 * x[2] + 0.1 * libm::sin(7.0 * i);
        [x[0], x[1], x[2], y, f64::from(u8::from(libm::sin(3.0 * i) > 0.0))]
    });
    rows.collect()
}

/// Its public rows.
fn public_rows() -> Vec<[f64; 4]> {
    let rows = (1..=8).map(|j| {
        let j = f64::from(j);
        let x = [libm::cos(1.5 * j), 0.5 * libm::sin(2.5 * j) + 0.2, 1.2 + 0.05 * j];
        [x[0], x[1], x[2], x[0] - 2.0 * x[1] + 0.5 * x[2]]
    });
    rows.collect()
}

fn csv(names: &str, rows: &[impl AsRef<[f64]>]) -> String {
    let line = |row: &[f64]| row.iter().map(|cell| format!("{cell:e}")).collect::<Vec<_>>().join(",");
    std::iter::once(names.to_owned())
        .chain(rows.iter().map(|row| line(row.as_ref())))
        .collect::<Vec<_>>()
        .join("\n")
}

fn private_table() -> String {
    csv("a,b,c,y,k", &private_rows())
}

/// The means, deviations and correlations of rows, said of so many that nothing is mixed with the identity.
fn table_of(names: &[&str], rows: &[impl AsRef<[f64]>]) -> PublicTable {
    let n = rows.len() as f64;
    let said = 1e6;
    let mean = |at: usize| rows.iter().map(|row| row.as_ref()[at]).sum::<f64>() / n;
    let covariance = |a: usize, b: usize| {
        let (first, second) = (mean(a), mean(b));
        rows.iter().map(|row| (row.as_ref()[a] - first) * (row.as_ref()[b] - second)).sum::<f64>() / n
    };
    let spread = |at: usize| covariance(at, at).sqrt();
    let all = 0..names.len();
    PublicTable {
        schema: "discreet.public/1".to_owned(),
        source: "made up".to_owned(),
        rows: 1_000_000,
        terms: all
            .clone()
            .map(|at| PublicTerm {
                term: names[at].to_owned(),
                mean: mean(at),
                sd: Some(spread(at) * (said / (said - 1.0_f64)).sqrt()),
            })
            .collect(),
        correlation: all
            .clone()
            .map(|a| {
                let cell = |b| if a == b { 1.0 } else { covariance(a, b) / spread(a) / spread(b) };
                all.clone().map(cell).collect()
            })
            .collect(),
    }
}

fn golden_public() -> PublicTable {
    table_of(&["a", "b", "c", "y"], &public_rows())
}

fn golden_plan(mechanism: &str, outcome: &str, params: &Value, budget: &Value) -> Value {
    let outcome =
        if outcome == "k" { column("k", "outcome", 0.0, 1.0) } else { column("y", "outcome", -40.0, 40.0) };
    json!({
        "schema": "discreet.plan/1",
        "adjacency": "replace-one",
        "rows": 12,
        "intercept": false,
        "columns": [
            column("a", "feature", -40.0, 40.0),
            column("b", "feature", -40.0, 40.0),
            column("c", "feature", -40.0, 40.0),
            outcome,
        ],
        "mechanism": {"name": mechanism, "params": params},
        "budget": budget,
    })
}

fn prepared(plan: &Value, public: Option<&PublicTable>, table: &str) -> Result<Prepared, EngineError> {
    let names: Vec<String> = table.lines().next().unwrap().split(',').map(str::to_owned).collect();
    prepare_with(Plan::parse(&plan.to_string()).unwrap(), public, &names, b',', Purpose::Simulate)
}

fn gathered(prepared: &Prepared, table: &str) -> Sums {
    scan(prepared, table, |_| prepared.sums()).sink
}

fn moments(prepared: &Prepared, table: &str) -> Moments {
    match gathered(prepared, table) {
        Sums::Moments(moments) => moments,
        _ => panic!("sums are enough"),
    }
}

/// The exact sums of a map over rows, with this noise.
fn noisy(map: impl RecordMap + 'static, rows: &EncodedRows, noise: Vec<i128>) -> Vec<i128> {
    let sums = Statistic::Map(Arc::new(map)).of(rows);
    Answer::noisy(noise, &(&sums).into()).unwrap().cells
}

fn rows(prepared: &Prepared, table: &str) -> EncodedRows {
    match gathered(prepared, table) {
        Sums::Rows(rows) => rows,
        _ => panic!("rows are kept"),
    }
}

/// The specification's stand-ins for normal numbers.
fn stand_in(k: usize, wave: f64) -> f64 {
    libm::cos(wave * k as f64)
}

fn matrix_stand_in(k: usize) -> f64 {
    stand_in(k, 0.7)
}

fn vector_stand_in(k: usize) -> f64 {
    libm::sin(1.3 * k as f64)
}

#[expect(clippy::cast_possible_truncation, reason = "far below 2^127")]
fn whole(number: f64) -> i128 {
    number.round() as i128
}

/// Noise of scale S in the order of a triangle and a vector, off the diagonal by so much smaller.
fn golden_noise(s: f64, off: f64, step: usize) -> Vec<i128> {
    let diagonal = [true, false, false, true, false, true];
    let matrix = diagonal.iter().enumerate().map(|(k, diagonal)| {
        let factor = if *diagonal { 1.0 } else { off };
        s * factor * matrix_stand_in(6 * step + k + 1)
    });
    matrix.map(whole).collect()
}

fn golden_vector(s: f64, step: usize) -> impl Iterator<Item = i128> {
    (1..=3).map(move |k| whole(s * vector_stand_in(3 * step + k)))
}

fn vectors() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vectors/pmt.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

fn estimates(release: &Release) -> Vec<f64> {
    list(release).iter().map(|entry| entry.estimate.unwrap()).collect()
}

fn close(found: &[f64], wanted: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), wanted.len(), "{what}");
    for (found, wanted) in found.iter().zip(wanted) {
        assert!((found - wanted).abs() <= tolerance * wanted.abs().max(1.0), "{what}: {found} for {wanted}");
    }
}

/// The release of a ridge regression with the specification's noise.
fn ridge(plan: &Value) -> Release {
    let (table, public) = (private_table(), golden_public());
    let prepared = prepared(plan, Some(&public), &table).unwrap();
    let Some(gaussian) = prepared.gaussian() else { panic!("noise in cells") };
    let s = gaussian.scale.get().get() as f64;
    let paper = gaussian.cells() == 9;
    let off = if paper { 1.0 } else { 0.5_f64.sqrt() };
    let mut noise = golden_noise(s, off, 0);
    noise.extend(golden_vector(s * off, 0));
    noise.resize(gaussian.cells(), 0);
    demonstrate_with(&prepared, &moments(&prepared, &table), noise, software()).unwrap().document().clone()
}

#[test]
fn ridge_regression_gives_the_golden_values() {
    let golden = vectors();
    let paper = json!({"lambda": 0.01});
    let mut plan = golden_plan("pmt-ridge", "y", &paper, &json!({"mu": 50.0 * SQRT_2}));
    plan["mechanism"]["calibration"] = json!("paper");
    close(&estimates(&ridge(&plan)), &numbers(&golden["ridge_paper_mu50"]["beta"]), GRID, "as printed");
    let exact = json!({"lambda": 0.01, "floor": false, "penalise_intercept": true});
    let plan = golden_plan("pmt-ridge", "y", &exact, &json!({"mu": 50.0}));
    close(&estimates(&ridge(&plan)), &numbers(&golden["ridge_joint_mu50"]["beta"]), GRID, "joint");
    let plan = golden_plan("pmt-ridge", "y", &exact, &json!({"none": true}));
    let (table, public) = (private_table(), golden_public());
    let prepared = prepared(&plan, Some(&public), &table).unwrap();
    let free = demonstrate(&prepared, &gathered(&prepared, &table), DemoRng::new(1, 1), software()).unwrap();
    let plain = numbers(&golden["ridge_noiseless_equals_plain"][0]);
    close(&estimates(free.document()), &plain, GRID, "no noise");
}

/// The steps of a fit with the specification's noise, in whitened units.
fn newton(prepared: &Prepared, table: &str, off: f64) -> Vec<DVector<f64>> {
    let Some(noise) = prepared.noise::<discreet::mechanisms::newton::Noise>() else { panic!("Newton steps") };
    let s = noise.scale.unwrap().get().get() as f64;
    let rows = rows(prepared, table);
    let mut steps = Steps::new(std::sync::Arc::new(noise.clone()));
    let mut path = Vec::new();
    while !steps.is_done() {
        let step = steps.done() as usize;
        let mut cells = golden_noise(s, off, step);
        cells.extend(golden_vector(s, step));
        steps.advance(&noisy(steps.expansion(), &rows, cells));
        path.push(noise.map.transpose() * &steps.clone().into_fits()[0].coefficients);
    }
    path
}

#[test]
fn logistic_regression_gives_the_golden_paths() {
    let golden = vectors();
    let (table, public) = (private_table(), golden_public());
    let params = json!({"lambda": 0.1, "steps": 3, "floor": false, "penalise_intercept": true});
    for (name, off, mu, paper) in [
        ("logistic_joint_mu50_T3_lam0.1_path", 0.5_f64.sqrt(), 50.0, false),
        ("logistic_paper_mu50_T3_lam0.1_path", 1.0, 50.0 * SQRT_2, true),
    ] {
        let mut plan = golden_plan("pmt-logistic", "k", &params, &json!({"mu": mu}));
        if paper {
            plan["mechanism"]["calibration"] = json!("paper");
        }
        let prepared = prepared(&plan, Some(&public), &table).unwrap();
        let path = newton(&prepared, &table, off);
        for (step, found) in path.iter().enumerate() {
            close(found.as_slice(), &numbers(&golden[name][step + 1]), 1e-4, name);
        }
    }
}

#[test]
fn descent_among_whitened_records_gives_the_golden_value() {
    let golden = vectors();
    let (table, public) = (private_table(), golden_public());
    let params =
        json!({"lambda": 0.01, "steps": 3, "step_size": 0.5, "clip": 1.0, "penalise_intercept": true});
    // Noise for 50 would leave the grid too coarse to be counted; it is given here, and the plan's own is not drawn.
    let plan = golden_plan("pmt-gd", "y", &params, &json!({"mu": 2.0}));
    let prepared = prepared(&plan, Some(&public), &table).unwrap();
    let Some(noise) = prepared.noise::<discreet::mechanisms::descent::Noise>() else { panic!("a descent") };
    let s = noise.scale.unwrap().get().get() as f64 * 2.0 / 50.0;
    let rows = rows(&prepared, &table);
    let mut walk = Walk::new(std::sync::Arc::new(noise.clone()));
    for step in 0..3 {
        let noise: Vec<i128> = golden_vector(s, step).collect();
        walk.advance(&noisy(walk.gradient(), &rows, noise));
    }
    let weights = walk.into_coefficients();
    let geometry = prepared.geometry();
    let own = geometry.map(prepared.bound()).transpose() * weights * geometry.terms[3].scale;
    close(own.as_slice(), &numbers(&golden["pmt_gd_c1_lr0.5_lam0.01_mutotal50_T3"]), 1e-5, "descent");
}
