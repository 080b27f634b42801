//! Twins: without noise each mechanism equals its closed form, computed here another way.

use discreet::data::Moments;
use discreet::engine::{EngineError, Prepared, Simulation, simulate::Source};
use discreet::model::Coefficient;
use discreet::plan::Purpose;
use discreet::release::document::Release;
use serde_json::{Value, json};

use crate::coverage::ten_features;
use crate::support::{
    BREAST_CANCER, DIABETES, column, list, plan, prepared, scan, small_diabetes_plan, software,
};

/// A column of numbers clipped to bounds.
fn values(table: &str, name: &str, lower: f64, upper: f64) -> Vec<f64> {
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let place = reader.headers().unwrap().iter().position(|other| other == name).unwrap();
    reader.records().map(|row| row.unwrap()[place].parse::<f64>().unwrap().clamp(lower, upper)).collect()
}

/// Least squares by Householder's triangularisation of the table itself: no moments are formed.
pub fn least_squares(columns: &[Vec<f64>], outcome: &[f64]) -> Vec<f64> {
    let (rows, width) = (outcome.len(), columns.len());
    let mut a: Vec<Vec<f64>> = columns.to_vec();
    let mut y = outcome.to_vec();
    let mut diagonal = vec![0.0; width];
    for k in 0..width {
        let norm = a[k][k..].iter().map(|v| v * v).sum::<f64>().sqrt();
        let alpha = if a[k][k] > 0.0 { -norm } else { norm };
        let mut v: Vec<f64> = a[k][k..].to_vec();
        v[0] -= alpha;
        let square: f64 = v.iter().map(|x| x * x).sum();
        let reflect = |target: &mut Vec<f64>| {
            let product: f64 = v.iter().zip(&target[k..]).map(|(p, q)| p * q).sum();
            for (cell, part) in target[k..].iter_mut().zip(&v) {
                *cell -= 2.0 * product / square * part;
            }
        };
        for column in a.iter_mut().skip(k) {
            reflect(column);
        }
        reflect(&mut y);
        diagonal[k] = a[k][k];
    }
    assert!(rows > width);
    let mut beta = vec![0.0; width];
    for k in (0..width).rev() {
        let rest: f64 = (k + 1..width).map(|j| a[j][k] * beta[j]).sum();
        beta[k] = (y[k] - rest) / diagonal[k];
    }
    beta
}

pub fn run(plan: &Value, table: &str) -> Release {
    let prepared = prepared(plan, table).unwrap();
    let moments = scan(&prepared, table, Moments::new).sink;
    Simulation::new(prepared, Source::Once(discreet::data::Sums::Moments(moments)), 1, software())
        .run(1)
        .unwrap()
        .document()
        .clone()
}

/// The plan's columns as a design with a constant, and the outcome.
pub fn design(plan: &Value, table: &str, intercept: bool) -> (Vec<Vec<f64>>, Vec<f64>) {
    let read = |column: &Value| {
        let number = |name: &str| column[name].as_f64().unwrap();
        values(table, column["name"].as_str().unwrap(), number("lower"), number("upper"))
    };
    let columns = plan["columns"].as_array().unwrap();
    let outcome = read(columns.last().unwrap());
    let constant = intercept.then(|| vec![1.0; outcome.len()]);
    (constant.into_iter().chain(columns[..columns.len() - 1].iter().map(read)).collect(), outcome)
}

pub fn assert_close(found: &[Coefficient], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        let estimate = found.estimate.unwrap();
        let error = (estimate / expected - 1.0).abs();
        assert!(error < tolerance, "{}: {estimate} is not {expected}; relative error {error:e}", found.term);
    }
}

fn cancer_plan() -> Value {
    plan(
        &[
            column("mean radius", "feature", 5.0, 30.0),
            column("mean texture", "feature", 5.0, 40.0),
            column("mean smoothness", "feature", 0.0, 0.2),
            column("mean symmetry", "feature", 0.0, 0.4),
            column("mean fractal dimension", "feature", 0.0, 0.1),
            column("worst area", "outcome", 100.0, 4500.0),
        ],
        json!({"none": true}),
    )
}

/// The diagnosis on all thirty measurements, which say nearly the same many times over. Bounds off the table are for a test
/// of arithmetic alone.
fn full_cancer_plan() -> Value {
    let header = BREAST_CANCER.lines().next().unwrap();
    let mut columns: Vec<Value> = header
        .split(',')
        .filter(|name| *name != "target")
        .map(|name| {
            let largest = values(BREAST_CANCER, name, 0.0, 1e9).into_iter().fold(0.0, f64::max);
            column(name, "feature", 0.0, 1.5 * largest)
        })
        .collect();
    columns.push(column("target", "outcome", 0.0, 1.0));
    plan(&columns, json!({"none": true}))
}

fn diabetes_plan() -> Value {
    let mut columns = ten_features();
    columns.push(column("target", "outcome", 0.0, 350.0));
    plan(&columns, json!({"none": true}))
}

#[test]
fn without_noise_analyze_gauss_is_least_squares() {
    for (table, plan) in [
        (DIABETES, small_diabetes_plan(json!({"none": true}))),
        (DIABETES, diabetes_plan()),
        (BREAST_CANCER, cancer_plan()),
        (BREAST_CANCER, full_cancer_plan()),
    ] {
        let (columns, outcome) = design(&plan, table, true);
        let expected = least_squares(&columns, &outcome);
        let release = run(&plan, table);
        assert_close(list(&release), &expected, 1e-6);
        assert_eq!(release.moments.as_ref().unwrap().noise, None);
        let privacy = &release.privacy;
        assert_eq!((privacy.epsilon, privacy.delta, privacy.mu, privacy.rho), (None, None, None, None));

        let mut ols = plan.clone();
        ols["mechanism"] = json!({"name": "ols"});
        assert_close(list(&run(&ols, table)), &expected, 1e-6);
    }
}

#[test]
fn without_an_intercept_the_model_passes_through_the_origin() {
    let mut plan = cancer_plan();
    plan["intercept"] = json!(false);
    let (columns, outcome) = design(&plan, BREAST_CANCER, false);
    let expected = least_squares(&columns, &outcome);
    assert_close(list(&run(&plan, BREAST_CANCER)), &expected, 1e-6);
    plan["mechanism"] = json!({"name": "ols", "params": {"lambda": 1e-12}});
    assert_close(list(&run(&plan, BREAST_CANCER)), &expected, 1e-5);
}

#[test]
fn a_penalty_is_in_the_columns_own_units() {
    // √(λ n) more rows, one per penalised coefficient, make a ridge regression out of least squares.
    for (penalise_intercept, lambda) in [(false, 0.5), (true, 0.5), (true, 20.0)] {
        let mut plan = small_diabetes_plan(json!({"none": true}));
        plan["mechanism"] =
            json!({"name": "ols", "params": {"lambda": lambda, "penalise_intercept": penalise_intercept}});
        let (mut columns, mut outcome) = design(&plan, DIABETES, true);
        let weight = (lambda * f64::from(u32::try_from(outcome.len()).unwrap())).sqrt();
        for penalised in usize::from(!penalise_intercept)..columns.len() {
            for (place, column) in columns.iter_mut().enumerate() {
                column.push(if place == penalised { weight } else { 0.0 });
            }
            outcome.push(0.0);
        }
        let release = run(&plan, DIABETES);
        assert_close(list(&release), &least_squares(&columns, &outcome), 1e-6);
        assert!(release.diagnostics.notes.iter().any(|note| note.starts_with("Not private")));
    }
}

#[test]
fn names_are_refused_in_words() {
    let refused = |change: &dyn Fn(&mut Value), purpose: Purpose| {
        let mut plan = small_diabetes_plan(json!({"epsilon": 1, "delta": 1e-5}));
        change(&mut plan);
        let names = ["bmi", "bp", "target"].map(str::to_owned);
        let plan = discreet::plan::Plan::parse(&plan.to_string()).unwrap();
        match discreet::engine::prepare(plan, &names, b',', purpose) {
            Err(error @ (EngineError::Plan(_) | EngineError::Budget(_))) => error.to_string(),
            other => panic!("{other:?}"),
        }
    };
    let named = |name: &'static str| move |plan: &mut Value| plan["mechanism"] = json!({"name": name});
    for (change, purpose, expected) in [
        (&named("pmt-ridge") as &dyn Fn(&mut Value), Purpose::Release, "public"),
        (&named("analyse-gauss"), Purpose::Release, "did you mean `analyze-gauss`?"),
        (&named("regression"), Purpose::Release, "give one of adaptive-gauss, analyze-gauss, ada-ssp"),
        (&named("ols"), Purpose::Release, "`simulate` alone"),
        (
            &named("logistic"),
            Purpose::Simulate,
            "the outcome `target` of a logistic regression is not yes or no",
        ),
        (&named("logistic"), Purpose::Release, "`simulate` alone"),
        (
            &|plan| plan["mechanism"] = json!({"name": "ols", "calibration": "paper"}),
            Purpose::Simulate,
            "`ols` has no noise, so no paper has a scale for it",
        ),
        (
            &|plan| plan["mechanism"] = json!({"name": "dp-gd", "calibration": "paper"}),
            Purpose::Release,
            "the usual one, √T times 2 C over μ, is the exact one",
        ),
        (
            &|plan| plan["mechanism"] = json!({"name": "pmt-gd", "calibration": "paper"}),
            Purpose::Release,
            "no paper prints a scale for `pmt-gd`",
        ),
        (
            &|plan| plan["mechanism"] = json!({"name": "ada-ssp", "calibration": "paper"}),
            Purpose::Release,
            "the paper's own scale for `ada-ssp` is not built yet",
        ),
        (
            &|plan| {
                plan["mechanism"]["name"] = json!("additive-wishart");
                plan["budget"] = json!({"mu": 1});
            },
            Purpose::Release,
            "give {\"epsilon\", \"delta\"}",
        ),
        (
            &|plan| {
                plan["mechanism"]["name"] = json!("jl-ridge");
                plan["person"] = json!("target");
                plan["max_rows_per_person"] = json!(2);
                plan["columns"][2]["name"] = json!("other");
            },
            Purpose::Release,
            "one row per person",
        ),
        (&|plan| plan["mechanism"]["params"] = json!({"radius": 100_000}), Purpose::Release, "power of two"),
        (&|plan| plan["mechanism"]["params"] = json!({"intercept_weight": 0}), Purpose::Release, "above 0"),
        (&|plan| plan["mechanism"]["params"] = json!({"sigma": 1}), Purpose::Release, "no such parameter"),
        (&|plan| plan["budget"] = json!({"mu": 1e5}), Purpose::Release, "below 2^40"),
    ] {
        let text = refused(change, purpose);
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn a_filled_plan_runs_unchanged() {
    for budget in
        [json!({"epsilon": 1, "delta": 1e-5}), json!({"rho": 1e-5}), json!({"mu": 0.01, "delta": 1e-6})]
    {
        let plan = small_diabetes_plan(budget);
        let first = run(&plan, DIABETES);
        let again = run(&serde_json::to_value(&first.plan).unwrap(), DIABETES);
        assert_eq!(first, again);
    }
}

#[test]
fn a_small_budget_takes_the_coarser_grid() {
    let radius = |mu: f64| {
        let prepared = prepared(&small_diabetes_plan(json!({"mu": mu})), DIABETES).unwrap();
        prepared.bound().grid.radius
    };
    assert_eq!((radius(0.015), radius(0.016)), (1 << 20, 1 << 24));
}

#[test]
fn what_is_charged_is_what_is_stated() {
    let prepared = prepared(&small_diabetes_plan(json!({"epsilon": 1, "delta": 1e-6})), DIABETES).unwrap();
    let cost = prepared.cost().unwrap();
    let (epsilon, _) = cost.promise.unwrap();
    let units = prepared.charge(epsilon).unwrap();
    let (mu, rho, unit) = (cost.mu.unwrap(), cost.rho.unwrap(), 2.0_f64.powi(-40));
    assert!(mu * mu >= f64::from(u32::try_from(units.gaussian >> 16).unwrap()) * 65536.0 * unit);
    assert!((mu - 0.2367).abs() < 1e-4 && (rho - mu * mu / 2.0).abs() < 1e-12, "{cost:?}");
}

/// A mechanism of one folder and one line of the registry: what is listed, read, released and audited needs nothing else.
/// A refit takes the ridge of the release's own regressions unless it is told another, so the same regression gives the same coefficients;
/// and where the release is a demonstration it says that it is one, too.
#[test]
fn a_refit_has_the_ridge_of_its_release_and_says_what_it_is_of() {
    let bench = crate::cli::Bench::new();
    bench.write("table.csv", DIABETES);
    for (name, params, ridge) in [
        ("analyze-gauss", json!({}), false),
        ("analyze-gauss", json!({"ridge": "auto"}), true),
        ("reuse-cov-gauss", json!({}), true),
        ("ada-ssp", json!({}), true),
        ("jl-ridge", json!({}), false),
    ] {
        let mut plan = small_diabetes_plan(json!({"epsilon": 2, "delta": 1e-5}));
        plan["mechanism"] = json!({"name": name, "params": params});
        bench.plan(&plan);
        let line = bench.ok("simulate --plan plan.json --runs 1 --seed 3 table.csv");
        bench.write("release.json", &line);
        let release: Release = serde_json::from_str(&line).unwrap();
        let refit = bench.ok("refit --release release.json --outcome target --features bmi,bp");
        let refit: Value = serde_json::from_str(&refit).unwrap();
        assert_eq!(refit["ridge"] != "none", ridge, "{name}: {}", refit["ridge"]);
        // A release of an idealised mechanism has six digits.
        for (own, again) in list(&release).iter().zip(refit["coefficients"].as_array().unwrap()) {
            let (own, again) = (own.estimate.unwrap(), again["estimate"].as_f64().unwrap());
            assert!((own - again).abs() <= 1e-5 * own.abs(), "{name}: {own} {again}");
        }
        let notes = refit["diagnostics"]["notes"].to_string();
        assert!(notes.contains("demonstration"), "{name}: {notes}");
    }
}

#[cfg(feature = "audit-mutants")]
#[test]
fn a_mechanism_is_one_folder_and_one_line() {
    use discreet::audit::bench;
    use discreet::audit::pairs::pairs;
    use discreet::mechanisms::info::{GROUPS, LINEAR, all, find};

    let info = find("noisy-means").unwrap();
    assert!(info.group == Some(&LINEAR) && GROUPS.contains(&&LINEAR));
    assert_eq!(all().filter(|other| other.name == info.name).count(), 1);
    // The mean of the clipped outcome, exactly.
    let mut plan = small_diabetes_plan(json!({"none": true}));
    plan["mechanism"] = json!({"name": info.name});
    let target = values(DIABETES, "target", 0.0, 350.0);
    let released = run(&plan, DIABETES);
    let listed = list(&released);
    let mean = target.iter().sum::<f64>() / target.len() as f64;
    assert_eq!(listed.len(), 1);
    assert!((listed[0].estimate.unwrap() - mean).abs() < 1e-6, "{:?} {mean}", listed[0].estimate);
    // Neighbouring tables of the audit are read, and the noise is that of the claim: μ² = Δ²/S².
    for mut pair in pairs(discreet::model::Shape::Goe).into_iter().filter(|pair| pair.name == "P1") {
        pair.plan["mechanism"] = json!({"name": info.name});
        for table in &pair.tables {
            let (prepared, _) = bench::read(&pair.plan, table, Prepared::moments).unwrap();
            assert!(prepared.cost().unwrap().mu.unwrap() <= pair.mu && prepared.gaussian().is_some());
        }
    }
}
