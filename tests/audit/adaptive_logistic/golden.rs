//! The golden values of tests/vectors/adaptive_logistic.json: integers exactly, all else to 1e-9 of an array's largest entry.

use std::sync::Arc;

use dashu_int::UBig;
use discreet::mechanisms::adaptive_logistic::estimate::{State, Turned};
use discreet::mechanisms::adaptive_logistic::progress::{Progress, Setting};
use discreet::mechanisms::adaptive_logistic::units::{self, Rounds};
use discreet::privacy::adjacency::Adjacency;
use discreet::privacy::calibrate::{Budget, Split, budget_parts};
use discreet::privacy::measure::Mu;
use nalgebra::DMatrix;
use serde_json::Value;

use super::{run, terms};
use crate::adaptive_checks::golden::{by_rows, close, columns, integers, own_units, text};

const FILE: &str = include_str!("../../vectors/adaptive_logistic.json");

/// Every case.
pub fn check() {
    let file: Value = serde_json::from_str(FILE).unwrap();
    for case in file["cases"].as_array().unwrap() {
        one(&file["tables"], case);
    }
}

fn one(tables: &Value, case: &Value) {
    println!("{}", case["name"]);
    let (expected, noise) = (&case["expected"], &case["noise"]);
    let features = columns(&case["features"]);
    let labels = usize::try_from(case["labels"].as_u64().unwrap()).unwrap();
    let terms = terms(&features, labels);
    let adjacency = match case["adjacency"].as_str().unwrap() {
        "add-remove" => Adjacency::AddRemove,
        _ => Adjacency::ReplaceOne,
    };
    let people = u32::try_from(case["rows_per_person"].as_u64().unwrap()).unwrap();
    let mu = Mu::try_new(case["mu"].as_f64().unwrap()).unwrap();
    let units = budget_parts(&Budget::Mu { mu, delta: None }, &Split::Gaussian).unwrap().capacity.gaussian;
    let steps = u32::try_from(expected["T"].as_u64().unwrap()).unwrap();
    let parts = units::split(steps, units);
    assert_eq!(parts.iter().map(|part| *part as i128).collect::<Vec<_>>(), integers(&expected["units"]));
    let rounds = Rounds::new(&terms, adjacency, people, steps, units).unwrap();
    let squares: Vec<String> = expected["delta2"].as_array().unwrap().iter().map(text).collect();
    for (round, square) in rounds.in_order().zip(&squares) {
        assert_eq!(round.sensitivity_squared, square.parse::<UBig>().unwrap());
    }
    let scales: Vec<i128> = rounds.in_order().map(|round| i128::from(round.scale.get().get())).collect();
    assert_eq!(scales, integers(&expected["S"]));
    let codes = rounds.codes;
    let codes = [
        i128::from(codes.level),
        codes.record.into(),
        codes.count.into(),
        codes.features.into(),
        codes.error.into(),
        codes.bits.into(),
    ];
    assert_eq!(codes.to_vec(), integers(&expected["codes"]));

    let units_of = own_units(&features);
    let places: Vec<usize> = serde_json::from_value(case["table_columns"].clone()).unwrap();
    let table = tables[case["table"].as_str().unwrap()].as_array().unwrap();
    let coded = |row: &Value| {
        let units = units_of.iter().copied().chain(std::iter::repeat((0.5, 0.5)));
        let value = |(place, (centre, half)): (&usize, (f64, f64))| {
            row[*place].as_f64().map_or(0.0, |value| ((value - centre) / half).clamp(-1.0, 1.0))
        };
        places.iter().zip(units).map(value).collect::<Vec<f64>>()
    };
    let rows: Vec<Vec<f64>> = table.iter().map(coded).collect();

    let lambda = case["ridge"].as_f64().unwrap();
    let mu_last = (*parts.last().unwrap() as f64 / (1_u64 << 40) as f64).sqrt() / f64::from(people);
    let setting =
        Arc::new(Setting { terms, rounds, adjacency, mu_last, lambda, coded: Vec::new(), steps: Vec::new() });
    let mut progress = Progress::new(Arc::clone(&setting));
    let names = ["margins", "moments", "tails", "step1", "step2", "step3"];
    run(&mut progress, &rows, |round, _| integers(&noise[names[round as usize]]));
    let released = progress.released().unwrap();

    let guide = &released.guide;
    close("mean", &guide.mean, &expected["guide"]["mean"], 1e-9);
    close("A", &by_rows(&guide.whitening), &expected["guide"]["A"], 1e-9);
    close("B", &by_rows(&guide.slopes), &expected["guide"]["B"], 1e-9);
    close("p", &released.rates, &expected["p"], 1e-9);
    close("counts", &released.counts.features, &expected["counts"], 1e-9);
    let (radius, costs) = setting.radius(&released.counts, &released.rates);
    close("J", &costs, &expected["J"], 1e-9);
    close("R_x", &[radius], &expected["Rx"], 1e-9);
    let after = released.steps.iter().map(|step| step.iter().map(|label| label.b.clone()).collect());
    let path: Vec<Vec<Vec<f64>>> = std::iter::once(released.start.clone()).chain(after).collect();
    close("path", &path.concat().concat(), &expected["path"], 1e-9);
    let all = || released.steps.iter().flatten();
    close(
        "curvature",
        &all().flat_map(|label| by_rows(&label.sums.curvature)).collect::<Vec<_>>(),
        &expected["curvature"],
        1e-9,
    );
    close(
        "gradient",
        &all().flat_map(|label| label.sums.gradient.clone()).collect::<Vec<_>>(),
        &expected["gradient"],
        1e-9,
    );
    close("moves", &all().map(|label| label.length).collect::<Vec<_>>(), &expected["moves"], 1e-9);
    let last = released.steps.last().unwrap();
    close("kappa", &last.iter().map(|label| label.condition).collect::<Vec<_>>(), &expected["kappa"], 1e-9);

    let judged = released.judged();
    close(
        "remainder",
        &judged.iter().map(|(_, judged)| judged.remainder).collect::<Vec<_>>(),
        &expected["remainder"],
        1e-9,
    );
    let k = setting.terms.coefficients();
    let mut found = vec![Vec::new(); 5];
    let map = guide.map();
    for (label, (b, judged)) in judged.iter().enumerate() {
        let state = match judged.state {
            State::Normal => "normal",
            State::Approximate => "approximate",
            State::Withheld(_) => "withheld",
        };
        assert_eq!(expected["state"][label], state);
        let turned = Turned::new(&map, b, judged);
        let errors = |v: &DMatrix<f64>| (0..k).map(|j| v[(j, j)].sqrt()).collect::<Vec<f64>>();
        let error = errors(&turned.covariance);
        let mut own: Vec<f64> = (1..k).map(|j| turned.coefficients[j] / units_of[j - 1].1).collect();
        let origin = (1..k).fold(0.0, |sum, j| sum + own[j - 1] * units_of[j - 1].0);
        own.insert(0, turned.coefficients[0] - origin);
        found[0].push(turned.coefficients);
        found[2].push(errors(&turned.noise));
        found[3].push(own);
        found[4].push((1..k).map(|j| error[j] / units_of[j - 1].1).collect());
        found[1].push(error);
    }
    let names = ["box_beta", "box_se", "box_noise_se", "coefficients", "std_error_slopes"];
    for (name, columns) in names.iter().zip(&found) {
        let found: Vec<f64> =
            (0..columns[0].len()).flat_map(|row| columns.iter().map(move |column| column[row])).collect();
        close(name, &found, &expected[name], 1e-9);
    }
}
