//! Derived terms: a plan that derives its columns gives what a table gives that has these columns.

use std::fmt::Write as _;

use discreet::data::csv::Record;
use discreet::data::encode::{Encoded, Encoder};
use discreet::engine::foresee::{dependence, foresee};
use discreet::engine::prepare;
use discreet::inference::noise_forecast::Advice;
use discreet::plan::bound::Kind;
use discreet::plan::derived::{all_columns, terms_of};
use discreet::plan::{CheckedPlan, Plan, Purpose, faults};
use discreet::release::figure;
use serde_json::{Value, json};

use crate::cli::Bench;
use crate::records::Numbers;

const OLD: [&str; 4] = ["never", "former", "light", "heavy"];

/// The columns of the table without derived ones; `y` and `died` are its outcomes.
fn columns(outcome: &str) -> Value {
    let outcome = if outcome == "died" {
        json!({"name": "died", "role": "outcome", "type": "number", "lower": 0, "upper": 1, "integer": true})
    } else {
        json!({"name": outcome, "role": "outcome", "type": "number", "lower": -50, "upper": 150})
    };
    json!([
        {"name": "age", "role": "feature", "type": "number", "lower": 18, "upper": 95, "typical": {"mean": 60, "sd": 12}},
        {"name": "sex", "role": "feature", "type": "category", "levels": ["F", "M"]},
        outcome,
        {"name": "smoking", "role": "ignored", "type": "category", "levels": OLD},
        {"name": "crp", "role": "ignored", "type": "number", "lower": 0, "upper": 300},
    ])
}

/// One term of each transform, and terms of terms.
fn derived() -> Value {
    json!([
        {"transform": "log", "from": ["crp"], "offset": 0.5},
        {"transform": "square", "from": ["age"]},
        {"transform": "centred", "from": ["age"], "at": 60},
        {"transform": "product", "from": ["age - 60", "sex"]},
        {"transform": "spline", "from": ["age"], "knots": [40, 55, 65, 80]},
        {"transform": "merged", "from": ["smoking"], "name": "smoker", "groups": [{"name": "ever", "levels": ["former", "light", "heavy"]}]},
        {"transform": "product", "from": ["sex", "smoker", "log(crp + 0.5)"]},
        {"transform": "difference", "from": ["crp", "age"]},
        {"transform": "difference", "from": ["crp", "age"], "factor": 0.5, "lower": -20, "upper": 40.5},
        {"transform": "square", "from": ["0.5 * (crp - age)"]},
    ])
}

/// The names of the columns that [`derived`] stands for.
const NAMES: [&str; 11] = [
    "log(crp + 0.5)", "age^2", "age - 60", "(age - 60):sex[M]", "rcs(age; 40 55 65 80)[1]",
    "rcs(age; 40 55 65 80)[2]", "smoker", "sex:smoker:log(crp + 0.5)[M:ever]", "crp - age",
    "0.5 * (crp - age)", "(0.5 * (crp - age))^2",
];

fn plan(mechanism: &str, outcome: &str) -> Value {
    json!({
        "schema": "discreet.plan/1", "adjacency": "add-remove", "stated_rows": 400, "columns": columns(outcome), "derived": derived(),
        "mechanism": {"name": mechanism}, "budget": {"mu": 2.0, "delta": 1e-5},
    })
}

fn parsed(plan: &Value) -> Plan {
    Plan::parse(&plan.to_string()).unwrap()
}

/// The plan of the table that has the derived columns already.
fn premade(plan: &Value) -> Value {
    let mut all = serde_json::to_value(all_columns(&parsed(plan))).unwrap();
    all.as_array_mut().unwrap().retain(|column| column["role"] != "ignored");
    let mut plan = plan.clone();
    plan["columns"] = all;
    plan.as_object_mut().unwrap().remove("derived");
    plan
}

/// The basis of Harrell (2015, section 2.4.5), as it is printed.
fn restricted_cubic(x: f64, knots: &[f64], j: usize) -> f64 {
    let k = knots.len();
    let cube = |t: f64| (x - t).max(0.0).powi(3);
    let (last, before) = (knots[k - 1], knots[k - 2]);
    (cube(knots[j]) - cube(before) * (last - knots[j]) / (last - before)
        + cube(last) * (before - knots[j]) / (last - before))
        / (last - knots[0]).powi(2)
}

/// A row's cells as they are typed, and the cells of the derived columns, computed here.
fn row(numbers: &mut Numbers) -> (Vec<String>, Vec<String>) {
    let number =
        |numbers: &mut Numbers, lower: f64, width: u64| lower + numbers.below(width * 8) as f64 / 8.0;
    let missing = |numbers: &mut Numbers| numbers.below(20) == 0;
    // Some values are beyond their bounds.
    let age = (!missing(numbers)).then(|| number(numbers, 10.0, 100));
    let sex = (!missing(numbers)).then(|| if numbers.below(2) == 0 { "F" } else { "M" });
    let smoking = (!missing(numbers)).then(|| OLD[usize::try_from(numbers.below(4)).unwrap()]);
    let crp = (!missing(numbers)).then(|| number(numbers, -2.0, 400));
    let noise = numbers.below(40) as f64;
    let y = age.unwrap_or(60.0) / 2.0 + noise;
    let died = numbers.below(3) == 0;
    let person = numbers.below(150);
    let text = |value: Option<f64>| value.map_or_else(|| "NA".to_owned(), |value| value.to_string());
    let word = |value: Option<&str>| value.unwrap_or("NA").to_owned();
    let cells = vec![
        text(age),
        word(sex),
        text(Some(y)),
        u8::from(died).to_string(),
        word(smoking),
        text(crp),
        format!("p{person}"),
    ];
    let age = age.map(|age| age.clamp(18.0, 95.0));
    let log = crp.map(|crp| libm::log(crp.clamp(0.0, 300.0) + 0.5));
    let male = sex.map(|sex| f64::from(u8::from(sex == "M")));
    let ever = smoking.map(|level| f64::from(u8::from(level != "never")));
    let centred = age.map(|age| age - 60.0);
    let spline = |j| age.map(|age| restricted_cubic(age, &[40.0, 55.0, 65.0, 80.0], j));
    let product = |factors: [Option<f64>; 2]| Some(factors[0]? * factors[1]?);
    let less = crp.zip(age).map(|(crp, age)| crp.clamp(0.0, 300.0) - age);
    let half = less.map(|less| (less * 0.5).clamp(-20.0, 40.5));
    let made = vec![
        text(log),
        text(age.map(|age| age * age)),
        text(centred),
        text(product([centred, male])),
        text(spline(0)),
        text(spline(1)),
        word(ever.map(|ever| if ever > 0.0 { "ever" } else { "never" })),
        text(product([product([male, ever]), log])),
        text(less),
        text(half),
        text(half.map(|half| half * half)),
    ];
    (cells, made)
}

/// A table, and the same with the derived columns. The basis of a spline is that of the program in both, as its last digits differ
/// with the order of its operations; the other columns are computed here.
fn tables(rows: usize, plan: &Value) -> (String, String) {
    let mut numbers = Numbers(11);
    let names = ["age", "sex", "y", "died", "smoking", "crp", "person"];
    let mut table = names.join(",") + "\n";
    let mut wide = table.trim_end().to_owned();
    for name in NAMES {
        write!(wide, ",\"{name}\"").unwrap();
    }
    wide.push('\n');
    let terms = terms_of(&parsed(plan));
    let spline: Vec<(f64, f64)> = terms[4].columns.iter().map(|column| bounds(&column.kind)).collect();
    for _ in 0..rows {
        let (cells, mut made) = row(&mut numbers);
        for (column, (lower, upper)) in spline.iter().enumerate() {
            let Ok(value) = made[4 + column].parse::<f64>() else { continue };
            assert!((lower - 1e-9..=upper + 1e-9).contains(&value), "{value} in {lower} to {upper}");
            made[4 + column] = own_spline(cells[0].parse().unwrap(), column).to_string();
            let own: f64 = made[4 + column].parse().unwrap();
            assert!((own - value).abs() <= 1e-9 * upper, "{own} is {value}");
        }
        writeln!(table, "{}", cells.join(",")).unwrap();
        writeln!(wide, "{},{}", cells.join(","), made.join(",")).unwrap();
    }
    (table, wide)
}

fn bounds(kind: &Kind) -> (f64, f64) {
    match kind {
        Kind::Number { lower, upper } => (*lower, *upper),
        Kind::Category { .. } => panic!("a number"),
    }
}

/// The same basis in the program's order of operations: beyond the last knot a line.
fn own_spline(age: f64, j: usize) -> f64 {
    let (x, knots) = (age.clamp(18.0, 95.0), [40.0, 55.0, 65.0, 80.0_f64]);
    let cube = |t: f64| {
        let u = (x.min(80.0) - t).max(0.0);
        u * u * u
    };
    let square = 40.0 * 40.0;
    let curved = (cube(knots[j]) - cube(65.0) * ((80.0 - knots[j]) / 15.0)) / square;
    curved + (x - 80.0).max(0.0) * (3.0 * (80.0 - knots[j]) * (65.0 - knots[j]) / square)
}

/// What two runs have to agree in.
fn comparable(line: &str) -> Vec<Value> {
    let release: Value = serde_json::from_str(line).unwrap();
    ["coefficients", "moments", "diagnostics"].iter().map(|part| release[*part].clone()).collect()
}

#[test]
fn every_mechanism_reads_derived_terms_as_columns_of_a_table() {
    let bench = Bench::new();
    for (mechanism, outcome, arguments) in [
        ("analyze-gauss", "y", ""),
        ("adaptive-gauss", "y", ""),
        ("adaptive-logistic", "died", ""),
        ("dp-logistic", "died", ""),
        ("dp-gd", "y", ""),
        ("dp-ridge", "y", ""),
        ("ada-ssp", "y", ""),
        ("reuse-cov-gauss", "y", ""),
        ("pmt-ridge", "y", " --public public.csv"),
    ] {
        for (missing, person) in [("skip", false), ("midpoint", true)] {
            let mut plan = plan(mechanism, outcome);
            plan["missing"] = json!(missing);
            if person {
                plan["person"] = json!("person");
                plan["max_rows_per_person"] = json!(2);
            }
            if !arguments.is_empty() {
                // With public moments a number and the same less a constant are refused.
                plan["columns"][0]["role"] = json!("ignored");
            }
            let (table, wide) = tables(400, &plan);
            let public = |text: &str| {
                let (head, body) = text.split_once('\n').unwrap();
                let rest: Vec<&str> = body.lines().rev().take(300).collect();
                format!("{head}\n{}\n", rest.join("\n"))
            };
            let line = format!("simulate --plan plan.json --runs 1 --seed 5 table.csv{arguments}");
            let run = |plan: &Value, table: &str| {
                bench.plan(plan);
                // Other rows than the private ones, or they would be refused.
                bench.write("table.csv", table.lines().take(250).collect::<Vec<_>>().join("\n") + "\n");
                bench.write(
                    "public.csv",
                    public(table).lines().take(140).collect::<Vec<_>>().join("\n") + "\n",
                );
                bench.ok(&line)
            };
            let derived = run(&plan, &table);
            let made = run(&premade(&plan), &wide);
            assert_eq!(comparable(&derived), comparable(&made), "{mechanism} {missing}");
            assert!(derived.contains("sex:smoker:log(crp + 0.5)[M:ever]"), "{derived}");
        }
    }
}

#[test]
fn a_plan_is_filled_in_with_names_and_refits_take_them() {
    let bench = Bench::new();
    let mut plan = plan("analyze-gauss", "y");
    plan["budget"] = json!({"epsilon": 8, "delta": 1e-5});
    let (table, _) = tables(400, &plan);
    bench.plan(&plan);
    bench.write("table.csv", &table);
    for mechanism in ["analyze-gauss", "adaptive-gauss"] {
        plan["mechanism"]["name"] = json!(mechanism);
        bench.plan(&plan);
        let line = bench.ok("simulate --plan plan.json --runs 1 --seed 5 table.csv");
        let release: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(release["plan"]["derived"][3]["name"], json!("(age - 60):sex"));
        assert_eq!(release["plan"]["derived"][3]["role"], json!("feature"));
        bench.write("release.json", &line);
        let mut command = bench.command("refit --release release.json --outcome y --features");
        let output = command.arg("age,rcs(age; 40 55 65 80),smoker").output().unwrap();
        let refit: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
        let terms: Vec<&str> = refit["coefficients"]
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| entry["term"].as_str().unwrap())
            .collect();
        let expected = ["(Intercept)", "age", NAMES[4], NAMES[5], "smoker[ever]"];
        assert_eq!(terms, expected, "{mechanism}");
    }
}

#[test]
fn bounds_follow_from_the_stated_ones() {
    let terms = terms_of(&parsed(&plan("analyze-gauss", "y")));
    let columns: Vec<_> = terms.iter().flat_map(|term| &term.columns).collect();
    assert_eq!(columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>(), NAMES);
    let near = |column: usize, lower: f64, upper: f64| {
        let (own_lower, own_upper) = bounds(&columns[column].kind);
        assert!(
            (own_lower - lower).abs() < 1e-9 && (own_upper - upper).abs() < 1e-9,
            "{own_lower} {own_upper}"
        );
    };
    near(0, libm::log(0.5), libm::log(300.5));
    near(1, 324.0, 9025.0);
    near(2, -42.0, 35.0);
    near(3, -42.0, 35.0);
    near(4, 0.0, restricted_cubic(95.0, &[40.0, 55.0, 65.0, 80.0], 0));
    near(7, libm::log(0.5), libm::log(300.5));
    let Kind::Category { levels, reference, .. } = &columns[6].kind else { panic!("a category") };
    assert_eq!((levels.concat(), *reference), ("neverever".to_owned(), 0));
    // Of numbers around 0 a square is not below 0.
    let mut around = plan("analyze-gauss", "y");
    around["derived"] = json!([{"transform": "square", "from": ["age - 60"]}]);
    around["derived"]
        .as_array_mut()
        .unwrap()
        .insert(0, json!({"transform": "centred", "from": ["age"], "at": 60}));
    let terms = terms_of(&parsed(&around));
    assert_eq!((terms[1].name.as_str(), bounds(&terms[1].columns[0].kind)), ("(age - 60)^2", (0.0, 1764.0)));
    near(8, -95.0, 282.0);
    near(9, -20.0, 40.5);
    near(10, 0.0, 40.5 * 40.5);
}

/// What lies between two dates does not follow from what is known of each: it is drawn from its own range, as narrow as it is stated.
#[test]
fn a_difference_is_foreseen_by_its_own_range() {
    let width = |more: Value| {
        let date = |name: &str| json!({"name": name, "role": "ignored", "type": "number", "lower": 2010, "upper": 2024});
        let mut plan = plan("adaptive-gauss", "y");
        plan["stated_rows"] = json!(6000);
        plan["columns"] = json!([date("in"), date("out"), plan["columns"][2]]);
        plan["derived"] = json!([{"transform": "difference", "from": ["out", "in"], "name": "stay", "factor": 365.25, "lower": 0, "upper": 60}]);
        plan["derived"][0].as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let names = ["in", "out", "y"].map(str::to_owned);
        let prepared = prepare(parsed(&plan), &names, b',', Purpose::Release).unwrap();
        let found = foresee(&prepared).unwrap();
        let is_known = more.get("typical").is_some();
        assert_eq!(found.assumed.contains(&"stay".to_owned()), !is_known, "{:?}", found.assumed);
        assert!(!found.assumed.contains(&"in".to_owned()), "what is known of a date says nothing of a stay");
        found.rehearsals.terms.iter().find(|term| term.term == "stay").unwrap().half()
    };
    let (assumed, known) = (width(json!({})), width(json!({"typical": {"mean": 6, "sd": 5}})));
    assert!(1.5 * assumed < known && known < 3.0 * assumed, "{assumed} {known}");
}

#[test]
fn a_multiple_of_a_difference_has_no_unit_but_its_own() {
    let per = |more: Value| {
        let mut plan = plan("analyze-gauss", "y");
        for place in [0, 4] {
            plan["columns"][place]["unit"] = json!("years");
        }
        plan["derived"] = json!([{"transform": "difference", "from": ["crp", "age"], "name": "stay"}]);
        plan["derived"][0].as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        figure::per(&parsed(&plan), "stay")
    };
    assert_eq!(per(json!({})), "per year");
    assert_eq!(per(json!({"factor": 365.25})), "per unit");
    assert_eq!(per(json!({"factor": 365.25, "unit": "days"})), "per day");
}

#[test]
fn what_cannot_be_derived_is_refused_with_what_to_do() {
    let with = |entry: Value| {
        let mut plan = plan("analyze-gauss", "y");
        plan["derived"] = json!([entry]);
        plan
    };
    for (entry, path, part) in [
        (json!({"transform": "log", "from": ["crp"]}), "derived[0].offset", "log(crp + offset)"),
        (json!({"transform": "log", "from": ["crp"], "offset": 0}), "derived[0].offset", "above 0"),
        (json!({"transform": "log", "from": ["sex"]}), "derived[0].from", "one number"),
        (json!({"transform": "log", "from": []}), "derived[0].from", "one number"),
        (json!({"transform": "square", "from": ["bmi"]}), "derived[0].from", "no column `bmi`"),
        (json!({"transform": "square", "from": ["agee"]}), "derived[0].from", "did you mean `age`?"),
        (json!({"transform": "square", "from": ["y"]}), "derived[0].from", "outcome"),
        (json!({"transform": "square", "from": ["age"], "role": "outcome"}), "derived[0].from", "outcome"),
        (json!({"transform": "square", "from": ["age"], "knots": [1, 2, 3]}), "derived[0].knots", "spline"),
        (json!({"transform": "centred", "from": ["age"]}), "derived[0].at", "`at`"),
        (json!({"transform": "product", "from": ["age"]}), "derived[0].from", "two columns"),
        (json!({"transform": "difference", "from": ["age"]}), "derived[0].from", "two numbers"),
        (json!({"transform": "difference", "from": ["age", "sex"]}), "derived[0].from", "two numbers"),
        (
            json!({"transform": "difference", "from": ["crp", "age"], "factor": 0}),
            "derived[0].factor",
            "above 0",
        ),
        (
            json!({"transform": "difference", "from": ["crp", "age"], "lower": 0}),
            "derived[0].lower",
            "-95 to 282",
        ),
        (
            json!({"transform": "difference", "from": ["crp", "age"], "factor": 2, "lower": 600, "upper": 700}),
            "derived[0].lower",
            "-190 to 564",
        ),
        (
            json!({"transform": "difference", "from": ["crp", "age"], "typical": {"sd": 3}}),
            "derived[0].lower",
            "-95 to 282",
        ),
        (
            json!({"transform": "difference", "from": ["crp", "age"], "lower": 0, "upper": 9, "typical": {"sd": 5}}),
            "derived[0].typical",
            "half of the range",
        ),
        (
            json!({"transform": "square", "from": ["age"], "lower": 0, "upper": 60}),
            "derived[0].lower",
            "difference",
        ),
        (json!({"transform": "spline", "from": ["age"], "knots": [40, 60]}), "derived[0].knots", "3 to 10"),
        (
            json!({"transform": "spline", "from": ["age"], "knots": [40, 60, 60]}),
            "derived[0].knots",
            "increasing",
        ),
        (
            json!({"transform": "spline", "from": ["age"], "knots": [18, 60, 70]}),
            "derived[0].knots",
            "18 and 95",
        ),
        (json!({"transform": "merged", "from": ["smoking"]}), "derived[0].groups", "groups"),
        (
            json!({"transform": "merged", "from": ["smoking"], "groups": [{"name": "never", "levels": ["heavy"]}]}),
            "derived[0].groups",
            "no level outside",
        ),
        (
            json!({"transform": "merged", "from": ["smoking"], "groups": [{"name": "any", "levels": OLD}]}),
            "derived[0].groups",
            "two levels",
        ),
        (json!({"transform": "square", "from": ["age"], "name": "sex[M]"}), "derived[0].name", "taken"),
        (
            json!({"transform": "product", "from": ["crp", "sex"], "role": "outcome"}),
            "derived[0].from",
            "outcome",
        ),
        (
            json!({"transform": "product", "from": ["crp", "smoking"], "role": "outcome"}),
            "derived[0].role",
            "one number or one category",
        ),
    ] {
        let error = CheckedPlan::new(parsed(&with(entry.clone())), Purpose::Simulate).unwrap_err();
        assert_eq!(error.path, path, "{entry}");
        assert!(error.to_string().contains(part), "{entry}: {error}");
        assert_eq!(faults(&parsed(&with(entry)), Purpose::Simulate)[0], error);
    }
    for (entry, part) in [
        (json!({"transform": "cube", "from": ["age"]}), "`cube` is not known"),
        (json!({"transform": "square", "from": ["age"], "power": 2}), "`power` is not known"),
        (json!(["a", "feature", "log", ["crp"], null, null, null, null, null]), "list"),
    ] {
        let error = Plan::parse(&with(entry).to_string()).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
    }
    // Both sides from one column, bounds that are to be estimated, and a name of the header that a pattern finds.
    let mut both = with(json!({"transform": "square", "from": ["crp"]}));
    both["derived"]
        .as_array_mut()
        .unwrap()
        .push(json!({"transform": "centred", "from": ["crp"], "at": 1, "role": "outcome"}));
    assert_eq!(CheckedPlan::new(parsed(&both), Purpose::Simulate).unwrap_err().path, "derived[1].from");
    let mut estimated = with(json!({"transform": "square", "from": ["age"]}));
    estimated["columns"][0]["upper"] = json!("estimate");
    estimated["columns"][0].as_object_mut().unwrap().remove("typical");
    assert_eq!(CheckedPlan::new(parsed(&estimated), Purpose::Simulate).unwrap_err().path, "derived[0].from");
    let mut pattern = with(json!({"transform": "square", "from": ["age"], "name": "gene_1"}));
    let more = json!({"match": "gene_*", "role": "feature", "type": "number", "lower": 0, "upper": 2});
    pattern["columns"].as_array_mut().unwrap().push(more);
    let names = ["age", "sex", "y", "smoking", "crp", "gene_1"].map(str::to_owned);
    let error = prepare(parsed(&pattern), &names, b',', Purpose::Simulate).unwrap_err();
    assert!(error.to_string().contains("`gene_1` is taken"), "{error}");
}

#[test]
fn an_outcome_may_be_derived() {
    let mut plan = plan("adaptive-gauss", "y");
    plan["columns"].as_array_mut().unwrap().remove(2);
    plan["derived"] = json!([
        {"transform": "log", "from": ["crp"], "offset": 1, "role": "outcome"},
        {"transform": "square", "from": ["age"]},
    ]);
    let names = ["age", "sex", "smoking", "crp"].map(str::to_owned);
    let prepared = prepare(parsed(&plan), &names, b',', Purpose::Simulate).unwrap();
    let columns: Vec<&str> = prepared.bound().columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(columns, ["age", "sex", "age^2", "log(crp + 1)"]);
    let mut encoder = Encoder::new(prepared.bound());
    let missing = |text: &str, ends: &[usize], encoder: &mut Encoder| {
        matches!(encoder.encode(&Record::new(text, ends)), Encoded::Skipped)
    };
    assert!(!missing("50Mnever3", &[2, 3, 8, 9], &mut encoder));
    assert!(missing("50Mnever", &[2, 3, 8, 8], &mut encoder), "a term of a missing cell is missing");
    // Typical values of a derived column come from those of its numbers.
    let typical = prepared.bound().columns[2].typical.unwrap();
    let (mean, sd) = (typical.mean.unwrap(), typical.sd);
    assert!((mean - 3744.0).abs() < 40.0 && (sd - 1455.0).abs() < 100.0, "{mean} {sd}");
    assert_eq!(prepared.bound().columns[3].typical, None);
    // A merged category of two levels is an outcome of a logistic regression.
    plan["mechanism"]["name"] = json!("adaptive-logistic");
    plan["derived"] = json!([{
        "transform": "merged", "from": ["smoking"], "role": "outcome", "groups": [{"name": "ever", "levels": ["former", "light", "heavy"]}],
    }]);
    assert!(prepare(parsed(&plan), &names, b',', Purpose::Simulate).is_ok());
}

/// The plan that docs/spreadsheet.md shows.
fn documented() -> Value {
    let text = include_str!("../../docs/spreadsheet.md");
    let block = text.split("```json\n").find(|block| block.starts_with("\"columns\"")).unwrap();
    let mut plan: Value =
        serde_json::from_str(&format!("{{{}}}", block.split("```").next().unwrap())).unwrap();
    plan["schema"] = json!("discreet.plan/1");
    plan["adjacency"] = json!("add-remove");
    plan["stated_rows"] = json!(12_000);
    plan["mechanism"] = json!({"name": "adaptive-gauss"});
    plan["budget"] = json!({"epsilon": 2, "delta": 1e-6});
    plan
}

fn told(plan: &Value) -> Option<String> {
    let names = ["age", "sex", "crp", "smoking", "sbp"].map(str::to_owned);
    dependence(&prepare(parsed(plan), &names, b',', Purpose::Release).unwrap())
}

#[test]
fn features_that_follow_from_others_are_told_before_the_charge() {
    let plan = documented();
    assert_eq!(told(&plan), None);
    let names = ["age", "sex", "crp", "smoking", "sbp"].map(str::to_owned);
    let prepared = prepare(parsed(&plan), &names, b',', Purpose::Release).unwrap();
    let columns: Vec<&str> = prepared.bound().columns.iter().map(|column| column.name.as_str()).collect();
    let expected =
        ["age", "sex", "log(crp + 0.5)", "(age - 60):sex[M]", "rcs(age; 40 60 75)[1]", "smoker", "sbp"];
    assert_eq!(columns, expected, "a term that only serves others is no feature");
    let mut both = plan.clone();
    both["derived"][1]["role"] = json!("feature");
    let why = told(&both).unwrap();
    assert!(why.contains("`age - 60`") && why.contains("`ignored`") && !why.contains("rcs"), "{why}");
    let foreseen = foresee(&prepare(parsed(&both), &names, b',', Purpose::Release).unwrap()).unwrap();
    assert!(foreseen.verdict().contains("some features say exactly the same"), "{}", foreseen.verdict());
    assert!(foreseen.sentences().contains(&why), "{:?}", foreseen.sentences());
    // Few rows are not the reason, and more would not help.
    both["stated_rows"] = json!(200);
    let foreseen = foresee(&prepare(parsed(&both), &names, b',', Purpose::Release).unwrap()).unwrap();
    assert_eq!(foreseen.forecast.advice, Advice::TooFew);
    assert!(foreseen.verdict().contains("some features say exactly the same"), "{}", foreseen.verdict());
    assert_eq!((foreseen.sentences().contains(&why), foreseen.help()), (true, None));
    // Through the origin a number and the same less a constant are two columns.
    both["intercept"] = json!(false);
    both["mechanism"]["name"] = json!("analyze-gauss");
    assert_eq!(told(&both), None);
    // A category beside its merged form, a product beside its factors' other products, and a square that is no combination.
    let mut merged = plan.clone();
    merged["columns"][3]["role"] = json!("feature");
    assert!(told(&merged).unwrap().contains("`smoker`"));
    for (derived, found) in [
        (json!([{"transform": "square", "from": ["age"]}]), None),
        (json!([{"transform": "log", "from": ["age"]}, {"transform": "square", "from": ["log(age)"]}]), None),
        (
            json!([{"transform": "product", "from": ["age", "sex"]}, {"transform": "square", "from": ["crp"]}]),
            None,
        ),
        (
            json!([
                {"transform": "product", "from": ["age", "sex"]},
                {"transform": "centred", "from": ["age"], "at": 60, "role": "ignored"},
                {"transform": "product", "from": ["age - 60", "sex"]},
            ]),
            Some("(age - 60):sex[M]"),
        ),
    ] {
        let mut plan = plan.clone();
        plan["derived"] = derived.clone();
        let why = told(&plan);
        assert_eq!(why.is_some(), found.is_some(), "{derived} {why:?}");
        assert!(found.is_none_or(|name| why.unwrap().contains(name)), "{derived}");
    }
}

#[test]
fn a_term_that_serves_others_takes_their_side() {
    let with = |derived: Value| {
        let mut plan = documented();
        plan["derived"] = derived;
        CheckedPlan::new(parsed(&plan), Purpose::Simulate)
    };
    let log = json!({"transform": "log", "from": ["crp"], "offset": 1, "role": "ignored"});
    let square = json!({"transform": "square", "from": ["log(crp + 1)"]});
    assert!(with(json!([log, square])).is_ok());
    // Not a feature and an outcome from one column, also not through such terms.
    let mut outcome = square.clone();
    outcome["role"] = json!("outcome");
    outcome["name"] = json!("other");
    assert_eq!(with(json!([log, square, outcome])).unwrap_err().path, "derived[2].from");
    let hidden = json!({"transform": "square", "from": ["sbp"], "name": "hidden", "role": "ignored"});
    let product = json!({"transform": "product", "from": ["age", "hidden"]});
    assert_eq!(with(json!([hidden, product])).unwrap_err().path, "derived[1].from");
}
