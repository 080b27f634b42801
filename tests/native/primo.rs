//! PRIMO: one set of features, many outcomes. Sensitivities by brute force, limits without noise, what is released.

use discreet::data::{EncodedRows, Moments, RowSink};
use discreet::engine::Prepared;
use discreet::inference::pseudo::Pseudo;
use discreet::inference::{Refit, RefitError, Repair, Ridge, refit};
use discreet::mechanisms::reuse_cov::feature_shaped::{Choice, feature_map, mapped};
use discreet::model::{Coefficient, Layout};
use discreet::privacy::adjacency::Adjacency;
use discreet::privacy::sensitivity::{
    augmented_sensitivity_squared, cross_sensitivity_squared, joint_sensitivity_squared,
};
use discreet::release::document::{Coefficients, Release};
use discreet::release::moments::Shaping;
use serde_json::{Value, json};

use crate::mechanisms::least_squares;
use crate::support::{column, list, prepared, scan, simulation};

/// What two records do to a statistic, as coordinates whose length is its sensitivity.
type Statistic = dyn Fn(&[f64], &[f64]) -> Vec<f64>;

/// svec(x x'), then w x y'.
fn joint(w: f64) -> Box<Statistic> {
    Box::new(move |x, y| {
        let mut cells = svec(x);
        cells.extend(x.iter().flat_map(|x| y.iter().map(move |y| w * x * y)));
        cells
    })
}

/// The coordinates in which the length of x x' is its Frobenius norm.
fn svec(x: &[f64]) -> Vec<f64> {
    let mut cells = Vec::new();
    for (i, first) in x.iter().enumerate() {
        for (j, second) in x.iter().enumerate().skip(i) {
            cells.push(if i == j { first * second } else { std::f64::consts::SQRT_2 * first * second });
        }
    }
    cells
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

fn at_most(vector: &mut [f64], bound: f64) {
    let norm = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
    if norm > bound {
        vector.iter_mut().for_each(|x| *x *= bound / norm);
    }
}

/// A point of a search: the two neighbouring records, features and outcomes.
type Records = [Vec<f64>; 4];

/// The largest change of a statistic that a random search with shrinking steps finds, from many starts.
fn largest(
    statistic: &Statistic,
    bounds: (f64, f64),
    d: usize,
    l: usize,
    tie: fn(&mut Records),
    seed: u64,
) -> f64 {
    let mut best = 0.0_f64;
    for start in 0..24 {
        let mut rng = Pseudo::new(seed, &[start]);
        let mut at: Records = [d, l, d, l].map(|size| (0..size).map(|_| rng.normal()).collect());
        let clip = |records: &mut Records| {
            tie(records);
            for (place, side) in records.iter_mut().enumerate() {
                at_most(side, if place % 2 == 0 { bounds.0 } else { bounds.1 });
            }
        };
        let change = |records: &Records| {
            distance(&statistic(&records[0], &records[1]), &statistic(&records[2], &records[3]))
        };
        at.iter_mut().flatten().for_each(|x| *x *= 9.0);
        clip(&mut at);
        let mut found = change(&at);
        let mut step = 1.0;
        for _ in 0..4_000 {
            let mut next = at.clone();
            next.iter_mut().flatten().for_each(|x| *x += step * rng.normal());
            clip(&mut next);
            let value = change(&next);
            if value > found {
                (at, found) = (next, value);
            } else {
                step = f64::max(step * 0.995, 1e-3);
            }
        }
        best = best.max(found);
    }
    best
}

/// A formula in integers, at norms of 2^20 in units of which the search's are.
fn formula(square: &dashu_int::UBig) -> f64 {
    square.to_f64().value().sqrt() / 2.0_f64.powi(40)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small and positive")]
fn codes(square: f64) -> u64 {
    (square * 2.0_f64.powi(40)).round() as u64
}

/// Every formula is reached to 98.5 % by some pair of records and passed by none (primo, row 2).
#[test]
fn no_pair_of_records_passes_a_sensitivity_and_some_pair_reaches_it() {
    let replace: fn(&mut Records) = |_| {};
    let remove: fn(&mut Records) = |records| {
        records[2].fill(0.0);
        records[3].fill(0.0);
    };
    let same_outcomes: fn(&mut Records) = |records| records[3] = records[1].clone();
    let same_features: fn(&mut Records) = |records| records[2] = records[0].clone();
    let mut worst = f64::INFINITY;
    for (seed, (d, l, bx, by)) in
        (1..).zip([(2, 1, 1.0, 1.0), (3, 2, 1.0, 0.5), (2, 3, 1.0, 1.7), (4, 2, 0.6, 0.9)])
    {
        for w2 in [1_u64, 2] {
            let (a, b) = (codes(bx * bx), w2 * codes(by * by));
            let w = (w2 as f64).sqrt();
            let mut check = |claim: f64, statistic: &Statistic, tie| {
                let found = largest(statistic, (bx, by), d, l, tie, seed);
                assert!(found <= claim * (1.0 + 1e-9), "{found} passes {claim} at d {d}, l {l}, w2 {w2}");
                assert!(found >= 0.985 * claim, "{found} of {claim} at d {d}, l {l}, w2 {w2}");
                worst = f64::min(worst, found / claim);
            };
            let joined = |adjacency| formula(&joint_sensitivity_squared(a, b, adjacency, 1));
            check(joined(Adjacency::ReplaceOne), &joint(w), replace);
            check(joined(Adjacency::AddRemove), &joint(w), remove);
            check(joined(Adjacency::ReplaceOne), &joint(w), same_outcomes);
        }
        let (a, b) = (codes(bx * bx), codes(by * by));
        let whole: Box<Statistic> = Box::new(|x, y| svec(&[x, y].concat()));
        for (adjacency, tie) in [(Adjacency::ReplaceOne, replace), (Adjacency::AddRemove, remove)] {
            let claim = formula(&augmented_sensitivity_squared(a, b, adjacency, 1));
            let found = largest(&whole, (bx, by), d, l, tie, seed);
            assert!((0.985 * claim..=claim * (1.0 + 1e-9)).contains(&found), "{found} of {claim}");
        }
        let cross: Box<Statistic> =
            Box::new(|x, y| x.iter().flat_map(|x| y.iter().map(move |y| x * y)).collect());
        let claim = formula(&cross_sensitivity_squared(a, b, 1));
        let found = largest(&cross, (bx, by), d, l, same_features, seed);
        assert!((0.985 * claim..=claim * (1.0 + 1e-9)).contains(&found), "{found} of {claim}");
    }
    println!("least share reached: {worst:.4}");
}

/// The specification's numbers, and k rows of a person.
#[test]
fn sensitivities_have_the_specified_values() {
    let of = |bx: f64, by: f64, w: f64| {
        let square =
            joint_sensitivity_squared(codes(bx * bx), codes(w * w * by * by), Adjacency::ReplaceOne, 1);
        formula(&square)
    };
    for ((bx, by, w), expected) in [
        ((1.0, 1.0, 1.0), 2.121_320_343_559_643),
        ((2.0, 3.0, 0.5), 7.247_844_507_162_113),
        ((1.0, 1.0, 2.0), 4.0),
    ] {
        assert!((of(bx, by, w) / expected - 1.0).abs() < 1e-11, "{}", of(bx, by, w));
    }
    let rows = |k| joint_sensitivity_squared(1 << 40, 1 << 40, Adjacency::AddRemove, k);
    assert_eq!(rows(3), rows(1) * dashu_int::UBig::from(9_u8));
    // Under replace-one the outcomes' squares are free where κ <= 2: w² = 2 makes κ/2 the ratio of the squared norms.
    let (a, b) = (1_000_003, 700_001);
    assert_eq!(
        joint_sensitivity_squared(a, 2 * b, Adjacency::ReplaceOne, 1),
        augmented_sensitivity_squared(a, b, Adjacency::ReplaceOne, 1)
    );
}

/// A made-up table: three features, two outcomes, `rows` rows.
fn table(rows: u64, seed: u64) -> String {
    let mut text = "a,b,c,y,z\n".to_owned();
    for row in 0..rows {
        let mut rng = Pseudo::new(seed, &[row]);
        let x: [f64; 3] = std::array::from_fn(|_| (rng.normal() / 3.0).clamp(-1.0, 1.0));
        let y = 0.4 * x[0] - 0.3 * x[1] + 0.1 * rng.normal();
        let z = 0.2 + 0.5 * x[2] + 0.1 * rng.normal();
        text += &format!("{},{},{},{y},{z}\n", x[0], x[1], x[2]);
    }
    text
}

fn plan(name: &str, rows: Option<u64>, params: Value, budget: Value) -> Value {
    let mut plan = json!({
        "schema": "discreet.plan/1",
        "adjacency": if rows.is_some() { "replace-one" } else { "add-remove" },
        "columns": [
            column("a", "feature", -1.0, 1.0), column("b", "feature", -1.0, 1.0), column("c", "feature", -1.0, 1.0),
            column("y", "outcome", -2.0, 2.0), column("z", "outcome", -2.0, 2.0),
        ],
        "mechanism": {"name": name, "params": params},
        "budget": budget,
    });
    if let Some(rows) = rows {
        plan["rows"] = json!(rows);
    }
    match name {
        "reuse-cov-proj-x" => plan["protect"] = json!("labels"),
        "reuse-cov-proj-y" => plan["protect"] = json!("features"),
        _ => {}
    }
    plan
}

fn run(plan: &Value, table: &str) -> Release {
    let prepared = prepared(plan, table).unwrap();
    simulation(prepared, table, 1).run(1).unwrap().document().clone()
}

fn read(plan: &Value, table: &str) -> (Prepared, Moments) {
    let prepared = prepared(plan, table).unwrap();
    let moments = scan(&prepared, table, |_| Moments::of(prepared.layout())).sink;
    (prepared, moments)
}

/// Least squares from the table itself.
fn reference(table: &str) -> Vec<f64> {
    let rows: Vec<Vec<f64>> = table
        .lines()
        .skip(1)
        .map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect())
        .collect();
    let column = |place: usize| rows.iter().map(|row| row[place]).collect::<Vec<f64>>();
    let x: Vec<Vec<f64>> = std::iter::once(vec![1.0; rows.len()]).chain((0..3).map(column)).collect();
    [3, 4].into_iter().flat_map(|outcome| least_squares(&x, &column(outcome))).collect()
}

fn furthest(release: &Release, expected: &[f64]) -> f64 {
    let found: Vec<f64> = list(release).iter().map(|entry| entry.estimate.unwrap()).collect();
    found.iter().zip(expected).map(|(found, expected)| (found - expected).abs()).fold(0.0, f64::max)
}

/// Without noise every form is least squares of the table, up to the grid (primo, rows 5, 8, 9 and 11).
#[test]
fn without_noise_it_is_least_squares() {
    let (text, none) = (table(400, 3), json!({"none": true}));
    let expected = reference(&text);
    for moments in ["none", "diagonal", "full"] {
        let params = json!({"outcome_moments": moments, "ridge": "none"});
        for rows in [None, Some(400)] {
            let release = run(&plan("reuse-cov-gauss", rows, params.clone(), none.clone()), &text);
            assert!(furthest(&release, &expected) < 1e-6, "{moments}: {}", furthest(&release, &expected));
            assert_eq!(release.moments.unwrap().blocks.is_some(), moments != "full");
        }
    }
    for shrink in ["projection", "sure", "james-stein", "none"] {
        for ball in ["matrix", "per-outcome"] {
            let params = json!({"shrink": shrink, "ball": ball});
            let release = run(&plan("reuse-cov-proj-x", Some(400), params, none.clone()), &text);
            assert!(furthest(&release, &expected) < 1e-6, "{shrink}: {}", furthest(&release, &expected));
        }
    }
}

/// Noise stays in proportion: a large budget is near least squares and its intervals say how near.
#[test]
fn a_large_budget_is_near_least_squares() {
    let text = table(4_000, 5);
    let expected = reference(&text);
    for (name, params) in [("reuse-cov-gauss", json!({"ridge": "none"})), ("reuse-cov-proj-x", json!({}))] {
        let release = run(&plan(name, Some(4_000), params, json!({"mu": 8.0})), &text);
        for (entry, expected) in list(&release).iter().zip(&expected) {
            let error = (entry.estimate.unwrap() - expected).abs();
            assert!(error < 5.0 * entry.std_error.unwrap(), "{name} {}: {error}", entry.term);
            assert!(entry.std_error.unwrap() < 0.05, "{name} {entry:?}");
        }
    }
}

/// The noise of each cell has the variance that the release states, and public moments none.
#[test]
fn public_features_are_released_as_they_are() {
    let text = table(50, 7);
    let plan = plan("reuse-cov-proj-x", Some(50), json!({}), json!({"mu": 1.0}));
    let (_, moments) = read(&plan, &text);
    let released = run(&plan, &text).moments.unwrap().blocks.unwrap();
    for row in 0..4 {
        for column in 0..4 {
            assert_eq!(released.xx.get(row, column), Some(moments.get(row, column)));
        }
        assert!((0..2).all(|outcome| released.xy.get(row, outcome) != Some(moments.get(row, 4 + outcome))));
    }
    assert_eq!(released.yy_diagonal, None);
}

/// Only where the mechanism takes the features for public are their moments read as exact.
#[test]
fn full_noise_is_read_as_such_whatever_is_protected() {
    let text = table(400, 7);
    for protect in ["rows", "labels"] {
        let mut plan = plan("analyze-gauss", Some(400), json!({"shape": "iid"}), json!({"mu": 1.0}));
        plan["protect"] = json!(protect);
        let release = run(&plan, &text);
        assert!(release.diagnostics.signal_to_noise.is_some(), "{protect}");
    }
}

/// What is private on one side must not show in the other, which is released exactly.
#[test]
fn labels_do_not_show_in_the_public_features() {
    let header = "a,b,c,y,z\n";
    let rest = "0.1,0.2,0.3,0.5,0.5\n";
    for (params, labels) in [
        (json!({"outcome_norm": 0.1}), ["1,1", "0,0", "NA,1", "-99,99", ","]),
        (json!({}), ["1,1", "0,0", "NA,1", "-99,99", ","]),
    ] {
        let plan = plan("reuse-cov-proj-x", Some(2), params, json!({"mu": 1.0}));
        let features: Vec<Vec<i128>> = labels
            .iter()
            .map(|labels| {
                let (_, moments) = read(&plan, &format!("{header}0.7,-0.2,0.9,{labels}\n{rest}"));
                Layout::whole(4).pairs().map(|(row, column)| moments.get(row, column)).collect()
            })
            .collect();
        assert!(features.windows(2).all(|pair| pair[0] == pair[1]), "{features:?}");
    }
}

/// κ follows from public numbers, and the plan as run says it.
#[test]
fn kappa_is_filled_in() {
    let text = table(10, 9);
    let kappa = |rows, params| {
        let prepared = prepared(&plan("reuse-cov-gauss", rows, params, json!({"mu": 1.0})), &text).unwrap();
        prepared.plan().mechanism.params["kappa"].as_f64().unwrap()
    };
    // s = 1/2: (−1 + √5).
    let usual = 5.0_f64.sqrt() - 1.0;
    assert!((kappa(Some(10), json!({})) - usual).abs() < 1e-12);
    assert!((kappa(None, json!({})) - usual).abs() < 1e-12);
    assert!((kappa(None, json!({"outcome_moments": "none"})) - 2.0).abs() < 1e-12);
    assert!((kappa(None, json!({"kappa": 0.7})) - 0.7).abs() < 1e-15);
}

/// The sums of many outcomes do not depend on how the rows are batched, split or merged.
#[test]
fn sums_of_two_sides_are_exact_in_every_order() {
    let layout = Layout::sides(3, 700, true);
    let row = |index: u64| -> Vec<i32> {
        let mut rng = Pseudo::new(11, &[index]);
        #[expect(clippy::cast_possible_truncation, reason = "within 2^24")]
        (0..703).map(|_| ((rng.normal() * 4e6).clamp(-1.6e7, 1.6e7)) as i32).collect()
    };
    let rows: Vec<Vec<i32>> = (0..100).map(row).collect();
    let mut whole = Moments::of(layout);
    rows.iter().for_each(|row| whole.add(row));
    let mut merged = Moments::of(layout);
    for part in rows.chunks(37).rev() {
        let mut moments = Moments::of(layout);
        part.iter().rev().for_each(|row| moments.add(row));
        merged.merge(&Moments::from_bytes(&moments.to_bytes()).unwrap()).unwrap();
    }
    assert_eq!(whole, merged);
    for (first, second) in [(0, 0), (1, 2), (2, 3), (0, 702), (702, 702), (350, 350)] {
        let exact: i128 = rows.iter().map(|row| i128::from(row[first]) * i128::from(row[second])).sum();
        assert_eq!(whole.get(first, second), exact);
        assert_eq!(whole.get(second, first), exact);
    }
    assert_eq!(whole.get(3, 4), 0, "not kept");
    assert_eq!(whole.cells().len(), layout.cells());
    assert!(merged.merge(&Moments::of(Layout::sides(3, 700, false))).is_err());
}

/// Above 1,000 outcomes the answer is a table, and every form of the release can be read again.
#[test]
fn thousands_of_outcomes_make_a_table() {
    let outcomes = 1_500;
    let mut text = "a".to_owned();
    (0..outcomes).for_each(|outcome| text += &format!(",gene_{outcome}"));
    for row in 0..40_u64 {
        let mut rng = Pseudo::new(13, &[row]);
        text += &format!("\n{}", rng.normal().clamp(-1.0, 1.0));
        (0..outcomes).for_each(|_| text += &format!(",{:.3}", rng.normal().clamp(-3.0, 3.0)));
    }
    text += "\n";
    let plan = json!({
        "schema": "discreet.plan/1",
        "adjacency": "replace-one", "rows": 40,
        "columns": [
            column("a", "feature", -1.0, 1.0),
            {"match": "gene_*", "role": "outcome", "type": "number", "lower": -3, "upper": 3},
        ],
        "mechanism": {"name": "reuse-cov-gauss"},
        "budget": {"mu": 2.0},
    });
    let release = run(&plan, &text);
    let Coefficients::Table(coefficients) = &release.coefficients else { panic!("a table was due") };
    assert_eq!((coefficients.outcomes().len(), coefficients.terms().len()), (outcomes, 2));
    let written = serde_json::to_string(&release).unwrap();
    assert_eq!(serde_json::from_str::<Release>(&written).unwrap(), release);
    let refitted = further(&release, "gene_7", &["a"], Ridge::Auto, Repair::Floor).unwrap();
    assert!(matches!(refitted.coefficients, Coefficients::List(list) if list.len() == 2));
    let impossible = further(&release, "gene_7", &["gene_8"], Ridge::None, Repair::None);
    assert!(impossible.unwrap_err().to_string().contains("were not released"));
}

/// A further regression from the same release.
fn further(
    release: &Release,
    outcome: &str,
    features: &[&str],
    ridge: Ridge,
    repair: Repair,
) -> Result<Refit, RefitError> {
    let features: Vec<String> = features.iter().map(ToString::to_string).collect();
    refit(release, outcome, &features, ridge, repair, 0.95)
}

fn one(name: &str, plan: &Value) -> Prepared {
    let mut plan = plan.clone();
    plan["mechanism"]["name"] = json!(name);
    prepared(&plan, "a,b,c,y,z\n").unwrap()
}

/// Every other mechanism of the family tends to least squares without noise (primo, rows 6, 10, 14, 17 and 18).
#[test]
fn without_noise_the_others_are_least_squares_too() {
    let (text, none) = (table(400, 3), json!({"none": true}));
    let expected = reference(&text);
    let descent = json!({"steps": 4_000, "step_size": 1.5, "clip": 4.0});
    for (name, rows, params, tolerance) in [
        ("naive-composition", None, json!({"ridge": "none"}), 1e-6),
        ("naive-composition", Some(400), json!({"ridge": "none"}), 1e-6),
        ("ada-ssp", None, json!({}), 1e-6),
        ("reuse-cov-proj-y", Some(400), json!({"ridge": "none"}), 1e-6),
        ("sub-samp-reuse-cov", Some(400), json!({"ridge": "none", "sample_rows": 100}), 1e-6),
        ("dp-gd", Some(400), descent.clone(), 1e-6),
    ] {
        let release = run(&plan(name, rows, params, none.clone()), &text);
        assert!(furthest(&release, &expected) < tolerance, "{name}: {}", furthest(&release, &expected));
    }
    let mut stated = plan("dp-gd", None, descent, none);
    assert!(prepared(&stated, &text).unwrap_err().to_string().contains("stated_rows"));
    stated["stated_rows"] = json!(390);
    assert!(furthest(&run(&stated, &text), &expected) < 1e-6);
}

/// With a large budget each of them is near least squares; what has intervals says how near.
#[test]
fn with_a_large_budget_the_others_are_near() {
    let text = table(4_000, 5);
    let expected = reference(&text);
    let epsilon = json!({"epsilon": 30.0, "delta": 1e-6});
    for (name, params, budget) in [
        ("naive-composition", json!({"ridge": "none"}), json!({"mu": 8.0})),
        ("ada-ssp", json!({}), json!({"mu": 8.0})),
        ("reuse-cov-proj-y", json!({"ridge": "none"}), json!({"mu": 8.0})),
        ("sub-samp-reuse-cov", json!({"ridge": "none", "sample_rows": 2_000}), epsilon),
        ("dp-gd", json!({"steps": 200, "clip": 0.5}), json!({"mu": 8.0})),
    ] {
        let release = run(&plan(name, Some(4_000), params, budget), &text);
        assert!(furthest(&release, &expected) < 0.3, "{name}: {}", furthest(&release, &expected));
        let blocks = release.moments.is_some_and(|moments| moments.blocks.is_some());
        assert_eq!(blocks, !["naive-composition", "dp-gd"].contains(&name), "{name}");
    }
}

/// What is charged is what was asked for, however it is divided (primo, rows 6 and 18).
#[test]
fn parts_add_up_to_the_budget() {
    let asked = json!({"mu": 0.5});
    let base = plan("reuse-cov-gauss", Some(1_000), json!({}), asked);
    for name in ["reuse-cov-gauss", "naive-composition", "ada-ssp", "dp-gd"] {
        let mu = one(name, &base).cost().unwrap().mu.unwrap();
        assert!(mu <= 0.5 && mu > 0.5 * (1.0 - 1e-9), "{name}: {mu}");
    }
    // One outcome by itself is the shared release of one outcome.
    let mut single = base.clone();
    single["columns"].as_array_mut().unwrap().pop();
    single["mechanism"]["params"] = json!({"kappa": 1.0});
    let scale = |name: &str, moments: Option<&str>| {
        let mut plan = single.clone();
        if let Some(moments) = moments {
            plan["mechanism"]["params"]["outcome_moments"] = json!(moments);
        }
        let prepared = one(name, &plan);
        prepared.cost().unwrap().charge.parameters.clone()["S"].clone()
    };
    assert_eq!(scale("naive-composition", None), scale("reuse-cov-gauss", Some("none")));
    let two = one("naive-composition", &base).cost().unwrap().charge.parameters.clone();
    assert_eq!(two["times"], json!("2"));
}

/// The printed scale really costs what the review says (primo, row 7): 6.85 at (5, 1/5008²).
#[test]
fn the_printed_scale_is_charged_what_it_costs() {
    let delta = 1.0 / 5008.0_f64.powi(2);
    let mut printed =
        plan("reuse-cov-gauss", Some(5_008), json!({}), json!({"epsilon": 5.0, "delta": delta}));
    printed["mechanism"]["calibration"] = json!("paper");
    let cost = prepared(&printed, "a,b,c,y,z\n").unwrap().cost().unwrap().clone();
    let (real, claimed) = (cost.promise.unwrap().0.get(), cost.claimed.unwrap().0.get());
    assert!((real - 6.85).abs() < 0.005, "{real}");
    assert!((claimed - 5.0).abs() < 1e-12);
    let names: Vec<String> = ["a", "b", "c", "y", "z"].map(str::to_owned).into();
    let plan = discreet::plan::Plan::parse(&printed.to_string()).unwrap();
    let refused = discreet::engine::prepare(plan, &names, b',', discreet::plan::Purpose::Release);
    assert!(refused.unwrap_err().to_string().contains("really costs"));
}

/// More outcomes than rows: the projection works on the rows' side, and both sides give the same (primo, row 10).
#[test]
fn public_outcomes_take_noise_off_on_either_side() {
    let outcomes = 12;
    let text = |rows: u64| {
        let mut text = "a,b".to_owned();
        (0..outcomes).for_each(|outcome| text += &format!(",y{outcome}"));
        for row in 0..rows {
            let mut rng = Pseudo::new(17, &[row]);
            let x: [f64; 2] = std::array::from_fn(|_| (rng.normal() / 3.0).clamp(-1.0, 1.0));
            text += &format!("\n{},{}", x[0], x[1]);
            (0..outcomes).for_each(|outcome| {
                text += &format!(",{}", 0.5 * x[outcome % 2] + 0.2 * rng.normal());
            });
        }
        text + "\n"
    };
    for rows in [6, 40] {
        let plan = json!({
            "schema": "discreet.plan/1", "adjacency": "replace-one", "rows": rows, "protect": "features",
            "columns": [
                column("a", "feature", -1.0, 1.0), column("b", "feature", -1.0, 1.0),
                {"match": "y*", "role": "outcome", "type": "number", "lower": -2, "upper": 2},
            ],
            "mechanism": {"name": "reuse-cov-proj-y"},
            "budget": {"mu": 0.2},
        });
        let release = run(&plan, &text(rows));
        let said = release.diagnostics.notes.iter().any(|note| note.contains("projected back"));
        assert!(said, "{:?}", release.diagnostics.notes);
        assert!(list(&release).iter().all(|entry| entry.estimate.unwrap().abs() < 20.0));
    }
}

/// Subsampling: the exact amplification and its inverse (primo, row 14), and what is refused.
#[test]
fn a_sample_is_amplified_exactly() {
    use discreet::privacy::measure::{Delta, Epsilon};
    use discreet::privacy::subsampling::{FixedSize, ReplaceOneDp};
    let guarantee = |epsilon, delta| (Epsilon::try_new(epsilon).unwrap(), Delta::try_new(delta).unwrap());
    let (epsilon, delta) = guarantee(5.0, 1e-6);
    let parts = FixedSize::try_new(100, 1_000).unwrap().gaussian_parts(epsilon, delta, 0.5).unwrap();
    assert!((parts.sample_epsilon.get() - 4.726).abs() < 5e-4, "{}", parts.sample_epsilon);
    let base = ReplaceOneDp { epsilon: parts.sample_epsilon, delta: guarantee(1.0, 5e-6).1 };
    let amplified = FixedSize::try_new(100, 1_000).unwrap().amplify(base);
    assert!(amplified.epsilon.get() <= 2.5 && amplified.epsilon.get() > 2.5 - 1e-6);
    let all = FixedSize::try_new(1_000, 1_000).unwrap().gaussian_parts(epsilon, delta, 0.5).unwrap();
    assert!((all.sample.get() - all.whole.get()).abs() < 1e-9);
    let base = plan("sub-samp-reuse-cov", Some(1_000), json!({}), json!({"epsilon": 5.0, "delta": 1e-6}));
    let prepared_plan = one("sub-samp-reuse-cov", &base);
    assert_eq!(prepared_plan.plan().mechanism.params["sample_rows"], json!(100));
    let cost = prepared_plan.cost().unwrap();
    assert!(cost.mu.is_none() && cost.promise.unwrap().0.get() <= 5.0);
    let mut few = base.clone();
    few["mechanism"]["params"] = json!({"sample_rows": 3});
    assert!(prepared(&few, "a,b,c,y,z\n").unwrap_err().to_string().contains("fewer rows than"));
    let mut mu = base;
    mu["budget"] = json!({"mu": 1.0});
    assert!(prepared(&mu, "a,b,c,y,z\n").unwrap_err().to_string().contains("epsilon and delta"));
}

/// What was read of a table before the click serves another budget where that says nothing of the rows.
#[test]
fn one_reading_serves_plans_that_read_alike() {
    let epsilon = |name, epsilon: f64, params| {
        plan(name, Some(1_000), params, json!({"epsilon": epsilon, "delta": 1e-6}))
    };
    let bounds = |mut plan: Value| {
        plan["columns"][0]["upper"] = json!(2.0);
        plan
    };
    for (name, params, serves) in [
        ("analyze-gauss", json!({}), true),
        ("dp-gd", json!({"steps": 3}), true),
        ("dp-gd", json!({"steps": 1}), false),
        ("sub-samp-reuse-cov", json!({"sample_rows": 100}), false),
    ] {
        let of = |plan: &Value| one(name, plan);
        let first = epsilon(name, 5.0, params.clone());
        let other = epsilon(name, 2.0, params);
        assert_eq!(of(&first).reads_as(&of(&other)), serves, "{name}");
        assert!(!of(&first).reads_as(&of(&bounds(first.clone()))), "{name}: other bounds");
    }
    let gauss = |params| one("analyze-gauss", &epsilon("analyze-gauss", 5.0, params));
    let steps = |steps: u32| one("dp-gd", &epsilon("dp-gd", 5.0, json!({"steps": steps})));
    assert!(!gauss(json!({})).reads_as(&steps(3)), "sums and rows");
}

/// A descent has coefficients for all that a record has; so without an intercept the record has no constant.
#[test]
fn a_constant_that_nobody_asked_for_is_refused() {
    for name in ["dp-gd", "reuse-cov-proj-x"] {
        let mut without = plan(name, Some(400), json!({}), json!({"mu": 1.0}));
        without["intercept"] = json!(false);
        let refused = prepared(&without, "a,b,c,y,z\n").unwrap_err().to_string();
        assert!(refused.contains("`intercept_weight` to 0"), "{name}: {refused}");
        without["mechanism"]["params"] = json!({"intercept_weight": 0});
        let release = run(&without, &table(400, 3));
        assert!(list(&release).iter().all(|entry| entry.term != "(Intercept)"), "{name}");
    }
}

fn list_of(coefficients: &Coefficients) -> &[Coefficient] {
    let Coefficients::List(list) = coefficients else { panic!("a list was due") };
    list
}

/// Rows of public features, long in the first direction and short in the last, with one row of a large leverage.
fn uneven_rows(rows: u64, d: usize, l: usize, seed: u64) -> EncodedRows {
    let mut all = EncodedRows::new(d + l);
    for index in 0..rows {
        let mut rng = Pseudo::new(seed, &[index]);
        let mut row: Vec<i32> = (0..d)
            .map(|place| {
                let size = 4e5 * libm::pow(0.125, place as f64) * if index == 0 { 2.5 } else { 1.0 };
                code((rng.normal() * size).clamp(-2e6, 2e6))
            })
            .collect();
        row.extend((0..l).map(|_| code(rng.normal() * 1e5)));
        all.row(&row);
    }
    all
}

#[expect(clippy::cast_possible_truncation, reason = "within 2^24")]
fn code(value: f64) -> i32 {
    value as i32
}

fn with_labels(rows: &EncodedRows, at: usize, labels: &[f64]) -> EncodedRows {
    let mut changed = EncodedRows::new(rows.terms());
    for index in 0..rows.len() {
        let mut row = rows.get(index).unwrap().to_vec();
        if index == at {
            let first = row.len() - labels.len();
            row[first..].copy_from_slice(&labels.iter().map(|label| code(*label)).collect::<Vec<_>>());
        }
        changed.row(&row);
    }
    changed
}

/// With shaped noise one person's labels move the sums by at most what is charged, and some person's by nearly as much: the
/// search draws a row and two rows of labels, and climbs.
#[test]
fn labels_move_mapped_sums_by_at_most_the_sensitivity() {
    let (d, l) = (4, 3);
    let bounds = (u64::from(5_000_000_u32).pow(2), u64::from(3_000_000_u32).pow(2));
    let claim = cross_sensitivity_squared(bounds.0, bounds.1, 1).to_f64().value().sqrt();
    let layout = Layout::sides(d, l, false);
    let longest = (bounds.1 as f64).sqrt() - 2.0;
    for (seed, choice) in (60..).zip([Choice::Only(Shaping::Isotropic), Choice::WHITENED, Choice::Auto]) {
        let table = uneven_rows(40, d, l, seed);
        let map = |rows: &EncodedRows| {
            let mut own = Moments::new(d);
            (0..rows.len()).for_each(|row| own.add(&rows.get(row).unwrap()[..d]));
            feature_map(rows, &own, choice, bounds.0).unwrap()
        };
        let public = map(&table);
        assert!(choice == Choice::Auto || Choice::Only(public.noise) == choice);
        let change = |at: usize, first: &[f64], second: &[f64]| -> f64 {
            let tables = [first, second].map(|labels| with_labels(&table, at, labels));
            let sums = tables.map(|table| mapped(&table, layout, Some(&public), bounds.0));
            let cells = layout.pairs().filter(|(_, column)| *column >= d);
            let square = |(row, column)| (sums[0].get(row, column) - sums[1].get(row, column)) as f64;
            cells.map(|pair| square(pair).powi(2)).sum::<f64>().sqrt()
        };
        let mut best = 0.0_f64;
        let mut rng = Pseudo::new(seed, &[1_000]);
        for at in 0..table.len() {
            let mut pair: [Vec<f64>; 2] = [0, 1].map(|_| (0..l).map(|_| rng.normal() * 1e7).collect());
            pair.iter_mut().for_each(|labels| at_most(labels, longest));
            assert_eq!(map(&with_labels(&table, at, &pair[0])), public, "labels show in the map");
            let mut found = change(at, &pair[0], &pair[1]);
            for step in 0..300 {
                let mut next = pair.clone();
                for labels in &mut next {
                    let size = 1.2e6 / (1.0 + f64::from(step) / 40.0);
                    labels.iter_mut().for_each(|label| *label += rng.normal() * size);
                    at_most(labels, longest);
                }
                let value = change(at, &next[0], &next[1]);
                if value > found {
                    (pair, found) = (next, value);
                }
            }
            best = best.max(found);
        }
        assert!(best <= claim, "{choice:?}: {best} passes {claim}");
        assert!(best >= 0.98 * claim, "{choice:?}: {best} of {claim}");
    }
}

/// Features of very different spread, whose noise is far smaller once it is whitened.
fn uneven_table(rows: u64, seed: u64) -> String {
    let mut text = "a,b,c,y,z\n".to_owned();
    for row in 0..rows {
        let mut rng = Pseudo::new(seed, &[row]);
        let a = (rng.normal() / 3.0).clamp(-1.0, 1.0);
        let b = (a + 0.05 * rng.normal()).clamp(-1.0, 1.0);
        let c = (0.02 * rng.normal()).clamp(-1.0, 1.0);
        text += &format!("{a},{b},{c},{},{}\n", 0.4 * a + 0.1 * rng.normal(), 0.2 + c + 0.1 * rng.normal());
    }
    text
}

/// `auto` takes the better shape, the release says which, and every reader undoes it in the same way.
#[test]
fn public_features_shape_the_noise() {
    let text = uneven_table(400, 21);
    let expected = reference(&text);
    let released = |noise: &str, mu: f64| {
        run(
            &plan(
                "reuse-cov-proj-x",
                Some(400),
                json!({"noise": noise, "shrink": "none"}),
                json!({"mu": mu}),
            ),
            &text,
        )
    };
    let shape = |release: &Release| release.moments.clone().unwrap().blocks.unwrap().map.unwrap().noise;
    let spread = |release: &Release| {
        list(release)
            .iter()
            .filter(|entry| entry.term == "c")
            .map(|entry| entry.std_error.unwrap())
            .sum::<f64>()
    };
    let [auto, isotropic, whitened] = ["auto", "isotropic", "whitened"].map(|noise| released(noise, 4.0));
    assert_eq!(
        [&auto, &isotropic, &whitened].map(shape),
        [Shaping::Whitened, Shaping::Isotropic, Shaping::Whitened]
    );
    assert_eq!(list(&auto), list(&whitened));
    assert!(spread(&whitened) < 0.5 * spread(&isotropic), "{} {}", spread(&whitened), spread(&isotropic));
    assert!(whitened.diagnostics.notes.iter().any(|note| note.contains("whitened")));
    assert!(isotropic.diagnostics.notes.iter().any(|note| note.contains("longest row")));
    for release in [&isotropic, &whitened] {
        for (entry, expected) in list(release).iter().zip(&expected) {
            let error = (entry.estimate.unwrap() - expected).abs();
            assert!(error < 5.0 * entry.std_error.unwrap(), "{} {error} {:?}", entry.term, entry.std_error);
        }
        let written = serde_json::to_string(release).unwrap();
        let read = serde_json::from_str::<Release>(&written).unwrap();
        assert_eq!(&read, release);
        let refitted = further(&read, "y", &["a", "b", "c"], Ridge::None, Repair::None);
        for (refitted, entry) in list_of(&refitted.unwrap().coefficients).iter().zip(list(release)) {
            assert!((refitted.estimate.unwrap() - entry.estimate.unwrap()).abs() < 1e-7, "{}", entry.term);
            let ratio = refitted.std_error.unwrap() / entry.std_error.unwrap();
            assert!((ratio - 1.0).abs() < 1e-7, "{} {ratio}", entry.term);
        }
    }
    // Equal columns have no leverage to scale by.
    let singular = text.lines().skip(1).fold("a,b,c,y,z\n".to_owned(), |text, line| {
        let cells: Vec<&str> = line.split(',').collect();
        text + &format!("{0},{0},{1},{2},{3}\n", cells[0], cells[2], cells[3], cells[4])
    });
    let asked = plan("reuse-cov-proj-x", Some(400), json!({"noise": "whitened"}), json!({"mu": 4.0}));
    assert_eq!(shape(&run(&asked, &singular)), Shaping::Isotropic);
}

/// A map that has no inverse, or is one of other features, is a damaged release.
#[test]
fn a_damaged_map_is_refused() {
    let text = uneven_table(60, 3);
    let release = run(&plan("reuse-cov-proj-x", Some(60), json!({}), json!({"mu": 4.0})), &text);
    let document = serde_json::to_value(&release).unwrap();
    for (path, value) in [
        ("/moments/blocks/map/rows/0/0", json!("0")),
        ("/moments/blocks/map/rows", json!([["1"]])),
        ("/moments/blocks/map/bits", json!(4_000_000_000_u32)),
    ] {
        let mut damaged = document.clone();
        *damaged.pointer_mut(path).unwrap() = value;
        let read: Release = serde_json::from_value(damaged).unwrap();
        let refitted = further(&read, "y", &["a"], Ridge::None, Repair::None);
        assert!(refitted.unwrap_err().to_string().contains("damaged"), "{path}");
    }
}

/// Algorithm 4 as printed: its sample costs hundreds of epsilon, which the release states beside the claim; nobody can release it.
#[test]
fn the_printed_sample_is_charged_what_it_costs() {
    let delta = 1.0 / 5008.0_f64.powi(2);
    let budget = json!({"epsilon": 5.0, "delta": delta});
    let mut printed = plan("sub-samp-reuse-cov", Some(400), json!({"sample_rows": 40}), budget);
    printed["mechanism"]["calibration"] = json!("paper");
    let cost = prepared(&printed, "a,b,c,y,z\n").unwrap().cost().unwrap().clone();
    assert!((cost.claimed.unwrap().0.get() - 5.0).abs() < 1e-12);
    assert!(cost.promise.unwrap().0.get() > 500.0, "{:?}", cost.promise);
    let names: Vec<String> = ["a", "b", "c", "y", "z"].map(str::to_owned).into();
    let refuse = |plan: &Value| {
        let plan = discreet::plan::Plan::parse(&plan.to_string()).unwrap();
        let refused = discreet::engine::prepare(plan, &names, b',', discreet::plan::Purpose::Release);
        refused.unwrap_err().to_string()
    };
    assert!(refuse(&printed).contains("really costs"), "{}", refuse(&printed));
    let release = run(&printed, &table(400, 3));
    let claimed = release.privacy.claimed.unwrap();
    assert!((claimed.epsilon - 5.0).abs() < 1e-12 && release.privacy.epsilon.unwrap() > 500.0);
    assert!(release.moments.unwrap().blocks.is_some());
    // The whole table is the only sample that the scale is near for, and it costs more than it claims even so.
    for (sample, epsilon) in [(400, 5.0), (200, 5.0), (400, 1.0), (200, 0.5)] {
        let mut other = printed.clone();
        other["mechanism"]["params"]["sample_rows"] = json!(sample);
        other["budget"]["epsilon"] = json!(epsilon);
        let cost = prepared(&other, "a,b,c,y,z\n").unwrap().cost().unwrap().clone();
        let (real, claim) = (cost.promise.unwrap().0, cost.claimed.unwrap().0);
        assert!(real > claim, "{sample} {epsilon}: {real}");
        assert!(refuse(&other).contains("really costs"), "{sample} {epsilon}");
    }
    printed["mechanism"]["params"]["covariance_share"] = json!(0.4);
    assert!(prepared(&printed, "a,b,c,y,z\n").unwrap_err().to_string().contains("halves the budget"));
}

/// R² of the released moments is that of the table, where residual variances are released and stand out of the noise.
#[test]
fn r_squared_follows_from_the_released_moments() {
    let text = table(4_000, 5);
    let mut all = plan("reuse-cov-gauss", Some(4_000), json!({"ridge": "none"}), json!({"none": true}));
    let exact: Vec<f64> =
        run(&all, &text).diagnostics.outcomes.iter().map(|one| one.r_squared.unwrap()).collect();
    // y = 0.4 a − 0.3 b + 0.1 e with features of variance 1/9, but for those beyond their bounds.
    let share = 0.25 / 9.0 / (0.25 / 9.0 + 0.01);
    assert!((exact[0] - share).abs() < 0.02 && (exact[1] - share).abs() < 0.02, "{exact:?}");
    all["budget"] = json!({"mu": 20.0});
    for (found, exact) in run(&all, &text).diagnostics.outcomes.iter().zip(&exact) {
        assert!((found.r_squared.unwrap() - exact).abs() < 0.1, "{found:?} {exact}");
    }
    all["mechanism"]["params"]["outcome_moments"] = json!("none");
    assert!(run(&all, &text).diagnostics.outcomes.iter().all(|one| one.r_squared.is_none()));
}
