//! T9 on real patients: intervals cover the full table's coefficients at their level, sampling and privacy noise together.

use discreet::engine::Simulation;
use discreet::model::Interval;
use discreet::release::document::Release;
use serde_json::{Value, json};

use crate::support::{self, DIABETES, column, list, plan, prepared, small_diabetes_plan};

/// Runs of the acceptance.
const RUNS: u64 = 500;

fn simulation(plan: &Value, resample: bool) -> Simulation {
    let prepared = prepared(plan, DIABETES).unwrap();
    if resample {
        support::resampling(prepared, DIABETES, 1)
    } else {
        support::simulation(prepared, DIABETES, 1)
    }
}

/// The coefficients of the full table, clipped to the same bounds.
fn truth(plan: &Value) -> Vec<f64> {
    let mut plan = plan.clone();
    plan["budget"] = json!({"none": true});
    let release = simulation(&plan, false).run(1).unwrap();
    list(release.document()).iter().map(|coefficient| coefficient.estimate.unwrap()).collect()
}

/// The share of intervals that cover the truth, over all coefficients, and the share of runs with an interval.
fn coverage(plan: &Value) -> (f64, f64) {
    let truth = truth(plan);
    let simulation = simulation(plan, true);
    let (mut covered, mut intervals) = (0_u32, 0_u32);
    for run in 1..=RUNS {
        let release = simulation.run(run).unwrap();
        for (coefficient, target) in list(release.document()).iter().zip(&truth) {
            if let (Some(lower), Some(upper)) = (coefficient.lower, coefficient.upper) {
                intervals += 1;
                covered += u32::from((lower..=upper).contains(target));
            }
        }
    }
    let asked = 500.0 * f64::from(u32::try_from(truth.len()).unwrap());
    (f64::from(covered) / f64::from(intervals), f64::from(intervals) / asked)
}

#[test]
fn intervals_cover_at_their_level() {
    for epsilon in [8, 20] {
        let plan = small_diabetes_plan(json!({"epsilon": epsilon, "delta": 1e-5}));
        let (covered, given) = coverage(&plan);
        assert!((0.93..=0.97).contains(&covered), "epsilon {epsilon}: {covered}");
        assert!(given > 0.99, "epsilon {epsilon}: intervals in {given} of the runs");
    }
}

#[test]
fn with_ten_related_predictors_intervals_are_withheld() {
    let mut columns = ten_features();
    columns.push(column("target", "outcome", 0.0, 350.0));
    for epsilon in [8, 20] {
        let plan = plan(&columns, json!({"epsilon": epsilon, "delta": 1e-5}));
        let simulation = simulation(&plan, true);
        for run in 1..=20 {
            let release: Release = simulation.run(run).unwrap().document().clone();
            assert!(list(&release).iter().all(|coefficient| {
                coefficient.interval == Interval::Withheld
                    && coefficient.lower.is_none()
                    && coefficient.upper.is_none()
            }));
            assert!(!release.diagnostics.notes.is_empty(), "the release says why");
        }
    }
}

/// All predictors of the table with bounds that a clinician could state.
pub fn ten_features() -> Vec<Value> {
    [
        ("age", 0.0, 120.0),
        ("sex", 1.0, 2.0),
        ("bmi", 15.0, 50.0),
        ("bp", 50.0, 150.0),
        ("s1", 80.0, 320.0),
        ("s2", 30.0, 250.0),
        ("s3", 15.0, 110.0),
        ("s4", 1.0, 10.0),
        ("s5", 3.0, 7.0),
        ("s6", 50.0, 130.0),
    ]
    .map(|(name, lower, upper)| column(name, "feature", lower, upper))
    .to_vec()
}
