//! `adaptive-logistic` from a plan to a release: through the engine and on the command line.

use discreet::engine::{covariance, supplement};
use discreet::inference::partial_effect::partial_effect;
use discreet::math::median;
use discreet::mechanisms::info::are_log_odds;
use discreet::model::Interval;
use discreet::privacy::calibrate::{Split, budget_parts};
use discreet::release::document::Release;
use discreet::release::effect::Point;
use discreet::release::figure;
use discreet::release::odds::ratio;
use nalgebra::DMatrix;
use serde_json::{Value, json};

use crate::cli::Bench;
use crate::support::{
    column, is_refused_at, list, plan, prepared, resampling, runs, says_that_rows_count_less,
};

const SAMPLE: &str = include_str!("../../../www/samples/blood-pressure.csv");

/// Numbers from 0 to 1 that look random.
fn uniform(row: u32, salt: u64) -> f64 {
    let hash = (8 * u64::from(row) + salt).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let hash = (hash ^ (hash >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let hash = (hash ^ (hash >> 32)).wrapping_mul(0x94d0_49bb_1331_11eb);
    f64::from(u32::try_from(hash >> 32).unwrap()) / f64::from(u32::MAX)
}

/// About a standard normal number.
fn normal(row: u32, salt: u64) -> f64 {
    let far = (-2.0 * libm::log(1.0 - uniform(row, salt).min(0.999_999_999))).sqrt();
    far * libm::cos(std::f64::consts::TAU * uniform(row, salt + 400_000_007))
}

/// The sample with a column that says whether the systolic pressure is above 140.
fn hypertension() -> String {
    let mut lines = SAMPLE.lines();
    let header = lines.next().unwrap();
    let place = header.split(',').position(|name| name == "sbp").unwrap();
    let mut table = format!("{header},high\n");
    for line in lines {
        let pressure: Option<f64> = line.split(',').nth(place).unwrap().parse().ok();
        let high = pressure.map_or(String::new(), |pressure| u8::from(pressure > 140.0).to_string());
        table.push_str(&format!("{line},{high}\n"));
    }
    table
}

fn category(name: &str, role: &str, levels: [&str; 2]) -> Value {
    json!({"name": name, "role": role, "type": "category", "levels": levels, "reference": levels[0]})
}

/// High pressure on five features, with bounds that a physician would state.
fn sample_plan(mechanism: &str, budget: Value) -> Value {
    let columns = [
        column("age", "feature", 18.0, 100.0),
        category("sex", "feature", ["F", "M"]),
        column("bmi", "feature", 15.0, 60.0),
        category("smoker", "feature", ["no", "yes"]),
        column("salt", "feature", 0.0, 25.0),
        column("high", "outcome", 0.0, 1.0),
    ];
    with(mechanism, plan(&columns, budget))
}

/// Features x0, x1, .. within ±6 and a label y.
fn numbers_plan(mechanism: &str, features: usize, budget: Value) -> Value {
    let mut columns: Vec<Value> =
        (0..features).map(|index| column(&format!("x{index}"), "feature", -6.0, 6.0)).collect();
    columns.push(column("y", "outcome", 0.0, 1.0));
    with(mechanism, plan(&columns, budget))
}

fn with(mechanism: &str, mut plan: Value) -> Value {
    plan["mechanism"] = json!({"name": mechanism});
    plan["stated_rows"] = json!(12_000);
    plan
}

fn budget(epsilon: f64) -> Value {
    json!({"epsilon": epsilon, "delta": 1e-6})
}

/// Normal features with these slopes and this intercept.
fn table(rows: u32, slopes: &[f64], intercept: f64) -> String {
    let names: Vec<String> = (0..slopes.len()).map(|index| format!("x{index}")).collect();
    let mut table = format!("{},y\n", names.join(","));
    for row in 0..rows {
        let x: Vec<f64> = (0..slopes.len() as u64).map(|salt| normal(row, 3 + 2 * salt)).collect();
        let eta = x.iter().zip(slopes).fold(intercept, |sum, (x, slope)| sum + x * slope);
        let y = u8::from(uniform(row, 1) < 1.0 / (1.0 + libm::exp(-eta)));
        let cells: Vec<String> = x.iter().map(|x| format!("{x:.4}")).collect();
        table.push_str(&format!("{},{y}\n", cells.join(",")));
    }
    table
}

/// The median error of the slopes in standard errors of the exact fit, over the slopes that are shown, and the share of those withheld.
pub fn accuracy(
    plan: impl Fn(&str, Value) -> Value,
    mechanism: &str,
    epsilon: f64,
    table: &str,
    count: u64,
) -> (f64, f64) {
    let exact = runs(&plan("logistic", json!({"none": true})), table, 1).remove(0);
    let (mut errors, mut withheld, mut all) = (Vec::new(), 0, 0);
    for release in runs(&plan(mechanism, budget(epsilon)), table, count) {
        for (found, exact) in list(&release).iter().zip(list(&exact)).skip(1) {
            all += 1;
            withheld += u32::from(found.interval == Interval::Withheld);
            if let Some(estimate) = found.estimate {
                errors.push((estimate - exact.estimate.unwrap()).abs() / exact.std_error.unwrap());
            }
        }
    }
    (median(errors).unwrap(), f64::from(withheld) / f64::from(all))
}

/// theory/adaptive-logistic 6: medians of 0.17, 0.34 and 0.21 at epsilon 2.
#[test]
fn it_is_as_accurate_as_measured() {
    let (error, withheld) = accuracy(sample_plan, "adaptive-logistic", 2.0, &hypertension(), 40);
    assert!(error <= 0.22 && withheld < 1e-9, "{error} {withheld}");
    let rare = table(20_000, &[0.5, -0.3, 0.4, 0.2, 0.0], -4.4);
    let (error, withheld) =
        accuracy(|name, budget| numbers_plan(name, 5, budget), "adaptive-logistic", 2.0, &rare, 12);
    assert!(error <= 0.45 && withheld <= 0.25, "{error} {withheld}");
    let slope = 3.0 / 6_f64.sqrt();
    let strong = table(20_000, &[slope, -slope, slope, slope, -slope, slope], 0.0);
    let (error, withheld) =
        accuracy(|name, budget| numbers_plan(name, 6, budget), "adaptive-logistic", 2.0, &strong, 12);
    assert!(error <= 0.28 && withheld <= 0.25, "{error} {withheld}");
}

/// A rare ward, mostly of those with a high x0: single coefficients and whole outcomes are approximate, and a note says why.
#[test]
fn an_approximate_coefficient_has_its_reason() {
    let (mut whole, mut single) = (0, 0);
    for (every, epsilon) in [(40, 1.0), (80, 2.0)] {
        let ward = |row: u32| match row {
            row if row % every == 0 || normal(row, 3) > 2.0 && row % 3 == 0 => "C",
            row if row % 2 == 0 => "A",
            _ => "B",
        };
        let numbers = table(4_000, &[0.5, -0.3], -0.5);
        let (header, lines) = numbers.split_once('\n').unwrap();
        let lines = (0..).zip(lines.lines()).map(|(row, line)| format!("{line},{}\n", ward(row)));
        let table = format!("{header},ward\n{}", lines.collect::<String>());
        let mut plan = numbers_plan("adaptive-logistic", 2, budget(epsilon));
        let levels =
            json!({"name": "ward", "role": "feature", "type": "category", "levels": ["A", "B", "C"]});
        plan["columns"].as_array_mut().unwrap().push(levels);
        for release in runs(&plan, &table, 20) {
            let notes = &release.diagnostics.notes;
            for coefficient in list(&release).iter().filter(|one| one.interval == Interval::Approximate) {
                let term = format!("`{}`", coefficient.term);
                let reasons: Vec<&String> =
                    notes.iter().filter(|note| note.starts_with("Approximate, because")).collect();
                let of_all = reasons.iter().any(|note| note.contains("the rarer answer is rare"));
                assert!(of_all || reasons.iter().any(|note| note.contains(&term)), "{term}: {notes:?}");
                *(if of_all { &mut whole } else { &mut single }) += 1;
            }
        }
    }
    assert!(whole > 0 && single > 0, "{whole} {single}");
}

/// theory/adaptive-logistic 6: 0.30 at epsilon 1, where `dp-logistic` has 1.33 and withholds most.
#[test]
fn its_error_is_several_times_smaller_than_that_of_steps_in_the_box() {
    let table = hypertension();
    let (error, withheld) = accuracy(sample_plan, "adaptive-logistic", 1.0, &table, 12);
    let (other, _) = accuracy(sample_plan, "dp-logistic", 1.0, &table, 12);
    assert!(withheld < 1e-9 && other > 2.5 * error, "{error} {other}");
}

/// Rows drawn again with replacement: of 5 slopes in 60 runs, 95 % would be 285; 3 points are 9, and 5 standard errors of slopes that
/// err together would be more.
#[test]
fn intervals_cover_the_fit_of_all_rows() {
    let table = hypertension();
    let exact = runs(&sample_plan("logistic", json!({"none": true})), &table, 1).remove(0);
    let prepared = prepared(&sample_plan("adaptive-logistic", budget(1.0)), &table).unwrap();
    let simulation = resampling(prepared, &table, 1);
    let (mut covered, mut all) = (0, 0);
    for run in 1..=60 {
        let release = simulation.run(run).unwrap();
        for (found, exact) in list(release.document()).iter().zip(list(&exact)).skip(1) {
            if let Some((lower, upper)) = found.lower.zip(found.upper) {
                all += 1;
                covered += u32::from((lower..=upper).contains(&exact.estimate.unwrap()));
            }
        }
    }
    let share = f64::from(covered) / f64::from(all);
    assert!(all >= 295 && (0.91..=0.99).contains(&share), "{share} of {all}");
}

/// The band of the line over x0, whose mean is 2, covers the probability of the model that made the rows. Over 120 tables a coverage of 95 %
/// has a standard error of 2 points; the bounds are three of them below, and above all three places together.
#[test]
fn the_band_of_the_line_covers_the_probability() {
    const TABLES: u32 = 120;
    const PLACES: [usize; 3] = [0, 40, 53];
    let (slopes, intercept) = ([0.6, -0.4], -1.0);
    let columns = [
        column("x0", "feature", -2.0, 4.0),
        column("x1", "feature", -6.0, 6.0),
        column("y", "outcome", 0.0, 1.0),
    ];
    let plan = with("adaptive-logistic", plan(&columns, budget(8.0)));
    let mut covered = [0; 3];
    let (mut shown, mut narrower) = (0, Vec::new());
    for number in 0..TABLES {
        let mut rows = "x0,x1,y\n".to_owned();
        for row in 4_000 * number..4_000 * (number + 1) {
            let (x0, x1) = (2.0 + 0.6 * normal(row, 3), normal(row, 5));
            let eta = intercept + slopes[0] * x0 + slopes[1] * x1;
            let y = u8::from(uniform(row, 1) < 1.0 / (1.0 + libm::exp(-eta)));
            rows.push_str(&format!("{x0:.4},{x1:.4},{y}\n"));
        }
        let release = runs(&plan, &rows, 1).remove(0);
        let lines = figure::lines(&release.plan, &release.coefficients, "y");
        let Some(covariance) = covariance(&release, "y") else { continue };
        shown += 1;
        let line = |covariance: &DMatrix<f64>| {
            partial_effect(&release.plan, &lines, true, Some(covariance), None, "x0").unwrap().points
        };
        let (points, apart) = (line(&covariance), line(&DMatrix::from_diagonal(&covariance.diagonal())));
        for (covered, place) in covered.iter_mut().zip(PLACES) {
            let point = points[place];
            // x1 is in the middle of its bounds, which is 0.
            let truth = 1.0 / (1.0 + libm::exp(-(intercept + slopes[0] * point.at)));
            let (low, high) = point.span.unwrap();
            *covered += u32::from((low..=high).contains(&truth));
        }
        let width = |point: &Point| point.span.map(|(low, high)| high - low).unwrap();
        narrower.push(width(&points[53]) / width(&apart[53]));
    }
    assert!(shown > TABLES / 10 * 9, "{shown} of {TABLES} have a covariance");
    let least = 0.95 - 3.0 * 0.02;
    assert!(
        covered.iter().all(|count| f64::from(*count) > least * f64::from(shown)),
        "{covered:?} of {shown}"
    );
    assert!(covered.iter().sum::<u32>() < 3 * shown, "the bands are too wide: {covered:?} of {shown}");
    // Where most rows are, intercept and slope err against each other: without that the band is several times too wide.
    assert!(median(narrower).unwrap() < 0.5);

    // Coefficients alone have no band.
    let steps = runs(&numbers_plan("dp-logistic", 1, budget(8.0)), &table(4_000, &[0.5], 0.0), 1);
    assert!(covariance(&steps[0], "y").is_none());
}

/// The test of a category of three levels. Without an effect it rejects at 5 % about 8 of 160 tables; 4.5 standard errors are 12, and
/// variances half as large would make it 36. An effect of 0.5 of one level is found.
#[test]
fn the_test_of_a_category_has_its_size() {
    const TABLES: u32 = 160;
    let mut columns = vec![column("x0", "feature", -6.0, 6.0), column("y", "outcome", 0.0, 1.0)];
    columns.insert(1, json!({"name": "k", "role": "feature", "type": "category", "levels": ["a", "b", "c"]}));
    let mut plan = with("adaptive-logistic", plan(&columns, budget(2.0)));
    plan["stated_rows"] = json!(4_000);
    let p = |number: u32, effect: f64| {
        let mut rows = "x0,k,y\n".to_owned();
        for row in 4_000 * number..4_000 * (number + 1) {
            let (x0, u) = (normal(row, 3), uniform(row, 11));
            let level = if u < 0.5 {
                "a"
            } else if u < 0.8 {
                "b"
            } else {
                "c"
            };
            let eta = 0.5 * x0 - 0.5 + if level == "b" { effect } else { 0.0 };
            let y = u8::from(uniform(row, 1) < 1.0 / (1.0 + libm::exp(-eta)));
            rows.push_str(&format!("{x0:.4},{level},{y}\n"));
        }
        let found = supplement(&runs(&plan, &rows, 1)[0]).categories;
        let [test] = found.as_slice() else { return None };
        assert_eq!((test.column.as_str(), test.degrees), ("k", 2));
        Some(test.p)
    };
    let without: Vec<f64> = (0..TABLES).filter_map(|number| p(number, 0.0)).collect();
    assert!(without.len() >= 150, "{} of {TABLES} are tested", without.len());
    let rejected = without.iter().filter(|p| **p < 0.05).count();
    assert!((1..=20).contains(&rejected), "{rejected} of {}", without.len());
    let found = (TABLES..TABLES + 10).filter_map(|number| p(number, 0.5)).filter(|p| *p < 0.05).count();
    assert!(found >= 8, "{found} of 10 effects are found");
}

#[test]
fn without_noise_it_is_the_regression_without_privacy() {
    let table = hypertension();
    let [found, expected] = ["adaptive-logistic", "logistic"]
        .map(|name| runs(&sample_plan(name, json!({"none": true})), &table, 1).remove(0));
    assert_eq!(list(&found), list(&expected));
    assert!(found.steps.is_none());
}

/// Where rows are replaced, with several rows of a person, with missing cells, with a label that is a category, with two labels.
#[test]
fn it_runs_where_rows_are_replaced_and_where_people_have_several() {
    let table = hypertension();
    let mut replaced = sample_plan("adaptive-logistic", budget(4.0));
    replaced["adjacency"] = json!("replace-one");
    replaced["rows"] = json!(table.lines().count() - 1);
    replaced.as_object_mut().unwrap().remove("stated_rows");
    replaced["missing"] = json!("midpoint");
    let mut several = sample_plan("adaptive-logistic", budget(8.0));
    several["person"] = json!("patient");
    several["max_rows_per_person"] = json!(2);
    let exact = runs(&sample_plan("logistic", json!({"none": true})), &table, 1).remove(0);
    let age = list(&exact)[1].estimate.unwrap();
    for plan in [replaced, several] {
        let release = runs(&plan, &table, 1).remove(0);
        let found = &list(&release)[1];
        assert!((found.estimate.unwrap() - age).abs() < 0.012, "{found:?} {age}");
        assert_eq!(release.steps.unwrap().steps.len(), 3);
    }
    let mut labels = sample_plan("adaptive-logistic", budget(4.0));
    labels["columns"][3] = category("smoker", "outcome", ["no", "yes"]);
    let release = runs(&labels, &table, 1).remove(0);
    assert_eq!(list(&release).len(), 10);
    assert!(list(&release).iter().all(|coefficient| coefficient.interval == Interval::Normal));
    let mut alone = sample_plan("logistic", json!({"none": true}));
    alone["columns"][3] = category("smoker", "outcome", ["no", "yes"]);
    let alone = runs(&alone, &table, 1).remove(0);
    for (found, exact) in list(&release).iter().zip(list(&alone)) {
        let apart = (found.estimate.unwrap() - exact.estimate.unwrap()).abs();
        assert!(apart < 3.0 * found.std_error.unwrap(), "{found:?} {exact:?}");
    }
}

/// A label that is missing is neither yes nor no, also where it is a category and missing cells become midpoints.
#[test]
fn a_missing_label_is_neither_yes_nor_no() {
    let table = |label: &str| {
        let rows = (0..2_000_u32).map(|row| {
            let x = normal(row, 3);
            let yes = uniform(row, 1) < 1.0 / (1.0 + libm::exp(-x));
            let label = if row % 4 == 0 {
                label
            } else if yes {
                "yes"
            } else {
                "no"
            };
            format!("{x:.3},{label}\n")
        });
        format!("x,y\n{}", rows.collect::<String>())
    };
    let mut plan = plan(
        &[column("x", "feature", -6.0, 6.0), category("y", "outcome", ["no", "yes"])],
        json!({"none": true}),
    );
    plan["missing"] = json!("midpoint");
    plan["mechanism"]["name"] = json!("logistic");
    let [missing, no] = ["", "no"].map(|label| list(&runs(&plan, &table(label), 1)[0])[0].estimate.unwrap());
    assert!(no < missing - 0.3, "{no} {missing}");
}

#[test]
fn one_charge_is_the_budget_and_never_above_it() {
    let table = hypertension();
    for (adjacency, people) in [("add-remove", 1), ("add-remove", 3), ("replace-one", 1)] {
        let mut plan = sample_plan("adaptive-logistic", budget(1.0));
        plan["adjacency"] = json!(adjacency);
        plan["max_rows_per_person"] = json!(people);
        if people > 1 {
            plan["person"] = json!("patient");
        }
        if adjacency == "replace-one" {
            plan.as_object_mut().unwrap().remove("stated_rows");
            plan["rows"] = json!(12_000);
        }
        let prepared = prepared(&plan, &table).unwrap();
        let units = budget_parts(&prepared.checked().budget.unwrap(), &Split::Gaussian).unwrap();
        let units = units.capacity.gaussian;
        let (epsilon, _) = prepared.cost().unwrap().promise.unwrap();
        let charge = prepared.charge(epsilon).unwrap();
        assert!(charge.gaussian <= units && charge.slack > 0, "{charge:?} {units}");
        assert!((units - charge.gaussian) as f64 / (units as f64) < 1e-9, "{charge:?} {units}");
    }
}

/// Few rows for the budget have two steps, others three.
#[test]
fn the_steps_follow_from_the_stated_rows() {
    let table = hypertension();
    for (rows, given, steps) in [(12_000, None, 3), (300, None, 2), (300, Some(3), 3)] {
        let mut plan = sample_plan("adaptive-logistic", budget(1.0));
        plan["stated_rows"] = json!(rows);
        if let Some(given) = given {
            plan["mechanism"]["params"] = json!({"steps": given});
        }
        let prepared = prepared(&plan, &table).unwrap();
        assert_eq!(prepared.plan().mechanism.params["steps"], json!(steps), "{rows}");
    }
}

#[test]
fn plans_that_it_cannot_run_are_refused_before_anything_is_read() {
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut plan = numbers_plan("adaptive-logistic", 2, budget(1.0));
        change(&mut plan);
        plan
    };
    let labels = |plan: &mut Value| {
        plan["adjacency"] = json!("replace-one");
        plan["rows"] = json!(10);
        plan.as_object_mut().unwrap().remove("stated_rows");
        plan["protect"] = json!("labels");
        plan["confirm"] = json!(["protect-labels"]);
    };
    for (plan, path) in [
        (changed(&|plan| plan["intercept"] = json!(false)), "intercept"),
        (changed(&labels), "protect"),
        (changed(&|plan| plan["columns"][2] = column("y", "outcome", 0.0, 2.0)), "columns"),
        (changed(&|plan| plan["mechanism"]["params"] = json!({"steps": 4})), "mechanism.params.steps"),
        (changed(&|plan| plan["mechanism"]["params"] = json!({"lambda": -1})), "mechanism.params.lambda"),
        (changed(&|plan| plan["mechanism"]["params"] = json!({"shares": [0.1]})), "mechanism.params.shares"),
        (changed(&|plan| plan["mechanism"]["calibration"] = json!("paper")), "mechanism.calibration"),
        (numbers_plan("adaptive-logistic", 0, budget(1.0)), "columns"),
        (numbers_plan("adaptive-logistic", 257, budget(1.0)), "columns"),
    ] {
        is_refused_at(&plan, path);
    }
    // A budget of next to nothing buys no noise that can be drawn.
    let tiny = numbers_plan("adaptive-logistic", 2, json!({"mu": 1e-6, "delta": 1e-6}));
    assert!(prepared(&tiny, "x0,x1,y\n").is_err());
}

/// Features that tell yes from no have no fit: withheld, and a note says what to do. With a penalty there is one.
#[test]
fn where_no_fit_exists_a_penalty_gives_one() {
    let rows = (0..4_000_u32).map(|row| {
        let x = normal(row, 3);
        format!("{x:.3},{:.3},{}\n", normal(row, 5), u8::from(x > 0.1))
    });
    let table = format!("x0,x1,y\n{}", rows.collect::<String>());
    let mut plan = numbers_plan("adaptive-logistic", 2, budget(4.0));
    let release = runs(&plan, &table, 1).remove(0);
    assert!(list(&release).iter().all(|coefficient| coefficient.estimate.is_none()));
    let notes = release.diagnostics.notes.join(" ");
    assert!(notes.contains("a penalty (`lambda`)"), "{notes}");
    plan["mechanism"]["params"] = json!({"lambda": 100});
    let release = runs(&plan, &table, 1).remove(0);
    assert!(list(&release)[1].estimate.unwrap() > 1.0, "{:?}", list(&release));
    assert!(release.diagnostics.notes.iter().any(|note| note.contains("normal prior")));
}

/// A ledger pays once for all rounds, a refit is refused, and the coefficients are log-odds.
#[test]
fn the_command_line_charges_once() {
    let bench = Bench::new();
    bench.write("table.csv", hypertension());
    bench.open_ledger("4");
    bench.plan(&sample_plan("adaptive-logistic", budget(2.0)));
    let line = "release --plan plan.json --ledger ledger.json table.csv --workers 2";
    let printed = bench.ok(line);
    let release: Release = serde_json::from_str(&printed).unwrap();
    assert!(list(&release).iter().all(|coefficient| coefficient.interval == Interval::Normal));
    assert_eq!(bench.ledger().entries().len(), 1);
    assert!(are_log_odds(&release.plan));
    let age = &list(&release)[1];
    let entry = discreet::model::Estimate {
        estimate: age.estimate,
        std_error: age.std_error,
        lower: age.lower,
        upper: age.upper,
        ..discreet::model::Estimate::WITHHELD
    };
    let odds = ratio(&age.term, &entry).unwrap();
    assert!(odds.lower.unwrap() > 1.0 && odds.upper.unwrap() < 1.2, "{odds:?}");
    assert!(says_that_rows_count_less(&release));
    bench.write("release.json", printed);
    let said = bench.fails("refit --release release.json --outcome high --features age", 2);
    assert!(said.contains("holds no moments"), "{said}");
    // The table is read again for each round where its rows are too many to be kept.
    let mut again = sample_plan("adaptive-logistic", budget(1.0));
    again["stated_rows"] = json!(100_000_000);
    bench.plan(&again);
    let again: Release = serde_json::from_str(&bench.ok(line)).unwrap();
    assert!((list(&again)[1].estimate.unwrap() - age.estimate.unwrap()).abs() < 0.02);
    assert_eq!(bench.ledger().entries().len(), 2);
}

/// A category of three levels, of which one has this share of the rows, and three normal features; the fit on the other columns is the same
/// at any share.
fn rare_level(rows: u32, share: f64) -> String {
    let mut table = "x0,x1,x2,k,y\n".to_owned();
    for row in 0..rows {
        let x = [3, 5, 7].map(|salt| normal(row, salt));
        let level = match uniform(row, 11) {
            u if u < share => "rare",
            u if u < 0.5 => "b",
            _ => "a",
        };
        let eta = 0.6 * x[0] - 0.4 * x[1] + if level == "b" { 0.5 } else { 0.0 };
        let y = u8::from(uniform(row, 1) < 1.0 / (1.0 + libm::exp(-eta)));
        table.push_str(&format!("{:.3},{:.3},{:.3},{level},{y}\n", x[0], x[1], x[2]));
    }
    table
}

fn rare_plan(mechanism: &str, budget: Value) -> Value {
    let mut plan = numbers_plan(mechanism, 3, budget);
    let levels = json!({"name": "k", "role": "feature", "type": "category", "levels": ["a", "b", "rare"]});
    plan["columns"].as_array_mut().unwrap().insert(3, levels);
    plan
}

/// theory/adaptive-logistic 4.4: the others are shown, and hold the slopes of the exact fit; a level without rows has no exact slope.
#[test]
fn a_rare_level_withholds_itself_alone() {
    for (share, epsilon) in [(0.004, 1.0), (0.0, 1.0), (0.004, 0.5)] {
        let table = rare_level(10_000, share);
        let exact = runs(&rare_plan("logistic", json!({"none": true})), &table, 1).remove(0);
        let found = runs(&rare_plan("adaptive-logistic", budget(epsilon)), &table, 30);
        let (mut rare, mut others, mut held, mut noted) = (0, 0, 0, 0);
        for release in &found {
            let (list, exact) = (list(release), list(&exact));
            rare += usize::from(list[5].interval == Interval::Withheld);
            for (found, exact) in list.iter().zip(exact).take(5) {
                let bounds = found.lower.zip(found.upper);
                let exact = exact.estimate.unwrap_or_default();
                others += usize::from(bounds.is_none());
                held += usize::from(
                    bounds.is_some_and(|(lower, upper)| share <= 0.0 || (lower..=upper).contains(&exact)),
                );
            }
            noted += usize::from(release.diagnostics.notes.iter().any(|note| note.contains("`k[rare]`")));
        }
        assert!(rare >= 20 && noted == rare, "{share} {epsilon}: {rare} {noted}");
        assert!(others <= 15, "{share} {epsilon}: {others} of 150 others are withheld");
        assert!(held as f64 >= 0.95 * (150 - others) as f64, "{share} {epsilon}: {held}");
    }
}

/// theory/adaptive-logistic 4.4: a level that is determined, and whose coefficient moves far in the last step, takes no other with it.
#[test]
fn a_level_that_is_not_at_rest_withholds_itself_alone() {
    let table = rare_level(10_000, 0.01);
    let exact = runs(&rare_plan("logistic", json!({"none": true})), &table, 1).remove(0);
    let found = runs(&rare_plan("adaptive-logistic", budget(0.75)), &table, 100);
    let (mut alone, mut covered, mut shown) = (0, 0, 0);
    for release in &found {
        let list = list(release);
        if list[5].interval != Interval::Withheld {
            continue;
        }
        alone += 1;
        for (found, exact) in list.iter().zip(self::list(&exact)).take(5) {
            let (lower, upper) =
                found.lower.zip(found.upper).expect("the level takes another coefficient with it");
            shown += 1;
            covered += usize::from((lower..=upper).contains(&exact.estimate.unwrap_or_default()));
        }
    }
    assert!(alone >= 20, "{alone} of 100 withhold the level");
    assert!(covered as f64 >= 0.95 * shown as f64, "{covered} of {shown}");
}

/// theory/adaptive-logistic 8: on no table is the error above 1.1 times that of steps in the box, whose coefficients count whether they are
/// shown or not. Its own are compared where it shows them.
#[test]
fn its_error_is_nowhere_above_that_of_steps_in_the_box() {
    let slope = 3.0 / 6_f64.sqrt();
    let tables = [
        (6, 20_000, 0.5, table(20_000, &[slope, -slope, slope, slope, -slope, slope], 0.0)),
        (3, 2_000, 2.0, table(2_000, &[0.5, -0.5, 0.2], 0.0)),
        (3, 20_000, 1.0, table(20_000, &[0.5, -0.3, 0.4], -4.4)),
    ];
    for (features, rows, epsilon, table) in tables {
        let plan = |name: &str, budget: Value| {
            let mut plan = numbers_plan(name, features, budget);
            plan["stated_rows"] = json!(rows);
            plan
        };
        let (error, withheld) = accuracy(plan, "adaptive-logistic", epsilon, &table, 8);
        let (other, none) = accuracy(plan, "dp-logistic", epsilon, &table, 8);
        assert!(withheld < 0.6 && withheld <= none, "{rows}: {withheld} {none}");
        assert!(other.is_nan() || error <= 1.1 * other, "{rows}: {error} {other}");
    }
}

/// Tables on which a fit hardly exists give coefficients or a sentence, at any budget.
#[test]
fn hard_tables_give_a_result_or_a_sentence() {
    let separated = "x0,x1,y\n".to_owned()
        + &(0..3_000_u32)
            .map(|row| {
                let x = normal(row, 3);
                format!("{x:.3},{:.3},{}\n", normal(row, 5), u8::from(x > 0.0))
            })
            .collect::<String>();
    let header = "x0,x1,y\n".to_owned();
    let one = "x0,x1,y\n0.5,0.5,1\n".to_owned();
    let constant = header.clone() + &"1,1,1\n".repeat(500);
    let missing = header.clone() + &",,\n".repeat(500);
    let outside = header.clone() + &"9e99,-9e99,1\n9e99,9e99,0\n".repeat(300);
    let rare = table(3_000, &[0.5, -0.3], -6.5);
    for (name, table) in [
        ("separated", separated),
        ("empty", header),
        ("one", one),
        ("constant", constant),
        ("missing", missing),
        ("outside", outside),
        ("rare", rare),
    ] {
        for epsilon in [0.01, 0.5, 8.0] {
            for params in [json!({}), json!({"lambda": 1.0}), json!({"steps": 2})] {
                let mut plan = numbers_plan("adaptive-logistic", 2, budget(epsilon));
                plan["mechanism"]["params"] = params;
                for release in runs(&plan, &table, 3) {
                    for coefficient in list(&release) {
                        let shown = [coefficient.estimate, coefficient.std_error, coefficient.lower];
                        let withheld = coefficient.interval == Interval::Withheld;
                        assert!(shown.iter().all(|number| number.is_none() == withheld), "{name} {epsilon}");
                        assert!(shown.iter().flatten().all(|number| number.is_finite()), "{name} {epsilon}");
                    }
                    let notes = release.diagnostics.notes.join(" ");
                    let some = list(&release).iter().any(|one| one.interval != Interval::Withheld);
                    assert!(some || notes.contains("Withheld, because"), "{name} {epsilon}: {notes}");
                }
            }
        }
    }
}
