//! The golden values of tests/vectors/adaptive.json and adaptive_gate.json.

use dashu_int::UBig;
use discreet::math::jacobi_eigen::Jacobi;
use discreet::math::linalg::Cholesky;
use discreet::mechanisms::adaptive::guide::Guide;
use discreet::mechanisms::adaptive::margins::Margins;
use discreet::mechanisms::adaptive::rough::Standardiser;
use discreet::mechanisms::adaptive::tails::Counts;
use discreet::mechanisms::adaptive_gauss::estimate::{Coded, Fit, Inverse, Moments};
use discreet::mechanisms::adaptive_gauss::gate::{Evidence, Far, Gate, Units};
use discreet::mechanisms::adaptive_gauss::last::Grid;
use discreet::mechanisms::adaptive_gauss::radii::Choice;
use discreet::mechanisms::adaptive_gauss::units::{Rounds, Shares};
use discreet::privacy::adjacency::Adjacency;
use discreet::privacy::calibrate::{Budget, Split, budget_parts};
use discreet::privacy::measure::Mu;
use discreet::privacy::sensitivity::cross_weight;
use nalgebra::{DMatrix, DVector};
use serde_json::Value;

use crate::adaptive_checks::golden::{by_rows, close, columns, integers, numbers, own_units};
use crate::adaptive_checks::{last_cells, margin_cells, rough_cells, tail_cells, terms};

fn adjacency(case: &Value) -> Adjacency {
    match case["adjacency"].as_str().unwrap() {
        "add-remove" => Adjacency::AddRemove,
        _ => Adjacency::ReplaceOne,
    }
}

fn add(cells: Vec<i128>, noise: &Value) -> Vec<i128> {
    let noise = integers(noise);
    assert_eq!(cells.len(), noise.len());
    cells.iter().zip(noise).map(|(cell, noise)| cell + noise).collect()
}

/// Every round gives the golden values of adaptive.json.
pub fn every_round() {
    let file: Value = serde_json::from_str(include_str!("adaptive.json")).unwrap();
    for case in file["cases"].as_array().unwrap() {
        check(&file["tables"], case);
    }
}

fn check(tables: &Value, case: &Value) {
    let (expected, noise) = (&case["expected"], &case["noise"]);
    println!("{}", case["name"]);
    let (features, outcomes) = (columns(&case["features"]), columns(&case["outcomes"]));
    let terms = terms(&features, &outcomes);
    let adjacency = adjacency(case);
    let persons = u32::try_from(case["rows_per_person"].as_u64().unwrap()).unwrap();
    let mu = Mu::try_new(case["mu"].as_f64().unwrap()).unwrap();
    let units = budget_parts(&Budget::Mu { mu, delta: None }, &Split::Gaussian).unwrap().capacity.gaussian;
    let parts = Shares::default().split(units);
    assert_eq!(parts[..4].iter().map(|part| *part as i128).collect::<Vec<_>>(), integers(&expected["units"]));
    let rounds = Rounds::new(&terms, adjacency, persons, Shares::default(), units).unwrap();

    let q = rounds.weight;
    assert_eq!(u64::from(q), expected["q"].as_u64().unwrap());
    let four = [&rounds.margins, &rounds.moments, &rounds.tails, &rounds.last];
    let squares = expected["delta2"].as_array().unwrap();
    for (index, (round, square)) in four.iter().zip(squares).enumerate() {
        let mut square: UBig = square.as_str().unwrap().parse().unwrap();
        if index == 3 {
            square = (square + UBig::from(q * q - 1)) / UBig::from(q * q);
        }
        assert_eq!(round.sensitivity_squared, square, "round {index}");
    }
    let scales_of_noise: Vec<i128> = four.iter().map(|round| i128::from(round.scale.get().get())).collect();
    assert_eq!(scales_of_noise, integers(&expected["S"]));
    let codes = rounds.codes;
    let codes = [
        u64::from(codes.level),
        u64::from(codes.record),
        codes.count,
        codes.features.into(),
        codes.outcome.into(),
    ];
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let written: Vec<String> = expected["codes"].as_array().unwrap().iter().map(text).collect();
    assert_eq!(codes.map(|code| code.to_string()).to_vec(), written);

    let places: Vec<usize> = serde_json::from_value(case["table_columns"].clone()).unwrap();
    let units_of: Vec<(f64, f64)> = own_units(&features).into_iter().chain(own_units(&outcomes)).collect();
    let table = tables[case["table"].as_str().unwrap()].as_array().unwrap();
    let coded = |row: &Value| {
        let cells = places.iter().zip(&units_of);
        let value = |(place, (centre, half)): (&usize, &(f64, f64))| {
            row[*place].as_f64().map_or(0.0, |value| ((value - centre) / half).clamp(-1.0, 1.0))
        };
        cells.map(value).collect::<Vec<f64>>()
    };
    let rows: Vec<Vec<f64>> = table.iter().map(coded).collect();

    let cells = add(margin_cells(&terms, &rounds, &rows), &noise["margins"]);
    let margins = Margins::new(&terms, rounds.codes.level, &rounds.margins, &cells);
    close("n_1", &[margins.rows], &expected["margins"]["n"], 1e-9);
    close("m", &margins.centres, &expected["margins"]["mean"], 1e-9);
    close("s", &margins.scales, &expected["margins"]["sd"], 1e-9);

    let standardiser = Standardiser::new(&terms, rounds.codes.record, &margins);
    let cells = add(rough_cells(&standardiser, &rows), &noise["moments"]);
    close("moments", &by_rows(&standardiser.moments(&cells)), &expected["moments"], 1e-9);
    let guide = Guide::new(&terms, &rounds.moments, &margins, &standardiser, &cells).unwrap();
    close("mean", &guide.mean, &expected["guide"]["mean"], 1e-9);
    close("A", &by_rows(&guide.whitening), &expected["guide"]["A"], 1e-9);
    close("B", &by_rows(&guide.slopes), &expected["guide"]["B"], 1e-9);
    close("sigma", &guide.spreads, &expected["guide"]["sig"], 1e-9);

    let cells = add(tail_cells(&terms, &rounds, &guide, &rows), &noise["tails"]);
    let counts = Counts::new(rounds.codes.count, &rounds.tails, &cells);
    close("counts", &counts.features, &expected["counts_x"], 1e-9);
    let mu_last = (parts[3] as f64 / (1_u64 << 40) as f64).sqrt() / f64::from(persons);
    let choice = Choice::new(&terms, &rounds, adjacency, mu_last, margins.rows, &counts);
    close("J", &choice.costs, &expected["J"], 1e-9);
    close("R_x", &[choice.radii.features], &expected["Rx"], 1e-9);
    close("K_y", &[choice.clipped], &expected["Ky"], 1e-9);
    close("R_y", &choice.radii.outcomes, &expected["Ry"], 1e-9);

    let grid = Grid::new(&terms, rounds.codes, &choice.radii);
    let cells = add(last_cells(&rounds, &guide, &grid, &choice.radii, &rows), &noise["final"]);
    let moments = Moments::new(rounds.last.s(), q, &grid, terms.coefficients(), &cells);
    let k = terms.coefficients();
    let own = by_rows(&moments.features);
    let written = &expected["final"];
    close("M_ww", &own, &block(written, 0..k, 0..k), 1e-9);
    close("M_we", &by_rows(&moments.cross), &block(written, 0..k, k..k + terms.outcomes()), 1e-9);
    let condition = Jacobi::try_new(&moments.features).unwrap().smallest() / moments.floor;
    close("kappa", &[condition], &expected["kappa"], 1e-9);

    // Of all coefficients together, with a ridge where the moments drown: what the gate for each coefficient came in place of.
    let ridge = if condition < 1.0 { moments.floor } else { 0.0 };
    let features = &moments.features + DMatrix::identity(k, k) * ridge;
    let inverse = Inverse { matrix: Cholesky::try_new(&features).unwrap().inverse(), penalised: false };
    let raised = Moments { features, ..moments.clone() };
    let map = guide.map();
    let mut coefficients = vec![Vec::new(); 5];
    for outcome in 0..terms.outcomes() {
        let mut fit = Fit::new(&raised, outcome, &inverse, &DVector::zeros(k));
        if ridge > 0.0 {
            fit.sampling = &inverse.matrix * &moments.features * &inverse.matrix * fit.sigma.powi(2);
        }
        let coded = Coded::new(&guide, &map, outcome, &fit);
        let far = choice.radii.outcomes[outcome] > 6.0 || choice.radii.unseen;
        let state = match condition {
            c if c < 1.0 => "withheld",
            c if c < 2.0 || fit.residual_hidden || far => "approximate",
            _ => "normal",
        };
        assert_eq!(expected["state"][outcome], state);
        let error = |v: &DMatrix<f64>| (0..k).map(|j| v[(j, j)].sqrt()).collect::<Vec<f64>>();
        coefficients[0].push(coded.coefficients.clone());
        coefficients[1].push(error(&coded.covariance));
        coefficients[2].push(error(&coded.noise_covariance));
        let (middle, half) = units_of[terms.features() + outcome];
        let own = |j: usize| half / units_of[j - 1].1;
        let mut values: Vec<f64> = (1..k).map(|j| coded.coefficients[j] * own(j)).collect();
        let origin = (1..k).fold(0.0, |sum, j| sum + values[j - 1] * units_of[j - 1].0);
        values.insert(0, middle + half * coded.coefficients[0] - origin);
        coefficients[3].push(values);
        coefficients[4].push((1..k).map(|j| coded.covariance[(j, j)].sqrt() * own(j)).collect());
    }
    let names = ["box_beta", "box_se", "box_noise_se", "coefficients", "std_error_slopes"];
    for (name, columns) in names.iter().zip(&coefficients) {
        let found: Vec<f64> =
            (0..columns[0].len()).flat_map(|row| columns.iter().map(move |column| column[row])).collect();
        close(name, &found, &expected[name], 1e-9);
    }
}

fn block(matrix: &Value, rows: std::ops::Range<usize>, columns: std::ops::Range<usize>) -> Value {
    rows.map(|row| columns.clone().map(|column| matrix[row][column].clone()).collect::<Value>()).collect()
}

/// Every coefficient has the golden gate of adaptive_gate.json.
pub fn every_gate() {
    let file: Value = serde_json::from_str(include_str!("adaptive_gate.json")).unwrap();
    for case in file["cases"].as_array().unwrap() {
        println!("{}", case["name"]);
        let expected = &case["expected"];
        let (features, outcomes) = (columns(&case["features"]), columns(&case["outcomes"]));
        let terms = terms(&features, &outcomes);
        let k = terms.coefficients();
        let given = &case["guide"];
        let square = |value: &Value, rows: usize, columns: usize| {
            DMatrix::from_row_slice(rows, columns, &numbers(value))
        };
        let guide = Guide {
            mean: numbers(&given["mean"]),
            whitening: square(&given["A"], k - 1, k - 1),
            slopes: square(&given["B"], k - 1, terms.outcomes()),
            spreads: numbers(&given["sig"]),
        };
        let unit = numbers(&case["unit"]);
        let grid =
            Grid { features: 1.0 / unit[0], outcomes: unit[k..].iter().map(|unit| 1.0 / unit).collect() };
        let s: f64 = case["S_final"].as_str().unwrap().parse().unwrap();
        let matrix = square(&case["M"], k + terms.outcomes(), k + terms.outcomes());
        let moments = Moments::of(&matrix, s, f64::from(cross_weight(adjacency(case))), &grid, k);
        let map = guide.map();
        let gate = Gate::new(&moments, &map, &[], None).unwrap();
        let held: Vec<u64> = gate.held.iter().map(|term| *term as u64).collect();
        assert_eq!(serde_json::to_value(held).unwrap(), expected["held"]);
        close("kappa", &[gate.condition], &expected["kappa"], 1e-8);
        let evidence = Evidence { terms: &terms, guide: &guide, map: &map, moments: &moments, scores: &[] };
        let mut found = [Vec::new(), Vec::new()];
        for outcome in 0..terms.outcomes() {
            let far =
                Far { radius: numbers(&case["Ry"])[outcome], unseen: case["unseen"].as_bool().unwrap() };
            let judged = gate.judge(evidence, outcome, far, &Units::coded(k)).unwrap();
            assert_eq!(serde_json::to_value(judged.intervals).unwrap(), expected["states"][outcome]);
            found[0].push(judged.estimates);
            found[1].push(judged.errors);
        }
        for (name, columns) in ["box_beta", "box_se"].iter().zip(&found) {
            let found: Vec<f64> =
                (0..k).flat_map(|row| columns.iter().map(move |column| column[row])).collect();
            close(name, &found, &expected[name], 1e-8);
        }
    }
}
