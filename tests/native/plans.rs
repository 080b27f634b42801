//! What a plan may say, and what it is told when it may not.

use discreet::engine::{EngineError, prepare};
use discreet::model::Role;
use discreet::plan::bind::bind;
use discreet::plan::bound::{GridParams, Kind, Norms};
use discreet::plan::{CheckedPlan, Plan, PlanError, Purpose};
use discreet::privacy::calibrate::slack_capacity;
use discreet::privacy::measure::{Delta, Epsilon};
use serde_json::{Value, json};

use crate::support;

const GRID: GridParams = GridParams {
    radius: 1 << 24,
    intercept_weight: 0.5,
    norms: Norms::Record { feature_share: 0.6, row_norm: 1.0 },
};

fn example() -> Value {
    json!({
        "schema": "discreet.plan/1",
        "adjacency": "add-remove",
        "columns": [
            {"name": "age", "role": "feature", "type": "number", "lower": 0, "upper": 120},
            {"name": "sex", "role": "feature", "type": "category", "levels": ["F", "M"]},
            {"name": "sbp", "role": "outcome", "type": "number", "lower": 60, "upper": 260}
        ],
        "mechanism": {"name": "analyze-gauss"},
        "budget": {"epsilon": 1.0, "delta": 1e-6}
    })
}

fn check(plan: &Value) -> Result<CheckedPlan, PlanError> {
    CheckedPlan::new(Plan::parse(&plan.to_string())?, Purpose::Release)
}

/// The example with the value at a JSON pointer replaced, and `null` standing for removal.
fn with(changes: &[(&str, Value)]) -> Value {
    let mut plan = example();
    for (pointer, value) in changes {
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        match plan.pointer_mut(parent).unwrap() {
            Value::Object(map) if value.is_null() => {
                map.remove(key);
            }
            Value::Object(map) => {
                map.insert(key.to_owned(), value.clone());
            }
            Value::Array(list) if value.is_null() => {
                list.remove(key.parse().unwrap());
            }
            other => panic!("{other} has no {key}"),
        }
    }
    plan
}

fn refusal(changes: &[(&str, Value)]) -> PlanError {
    check(&with(changes)).unwrap_err()
}

#[test]
fn a_plan_asks_the_same_for_another_budget_and_by_another_mechanism() {
    let parsed = |changes: &[(&str, Value)]| Plan::parse(&with(changes).to_string()).unwrap();
    let asked = parsed(&[]);
    for (same, change) in [
        (true, ("/budget", json!({"mu": 1}))),
        (true, ("/mechanism", json!({"name": "adaptive-gauss"}))),
        (true, ("/stated_rows", json!(500))),
        (true, ("/columns/0/typical", json!({"sd": 15}))),
        (true, ("/columns/0/unit", json!("years"))),
        (true, ("/columns/1/labels", json!({"F": "female"}))),
        (false, ("/columns/0/upper", json!(100))),
        (false, ("/columns/1/role", json!("ignored"))),
        (false, ("/derived", json!([{"transform": "square", "from": ["age"]}]))),
        (false, ("/missing", json!("midpoint"))),
        (false, ("/person", json!("id"))),
    ] {
        let other = parsed(std::slice::from_ref(&change));
        assert_eq!(asked.asks_the_same(&other), same, "{change:?}");
    }
}

#[test]
fn the_contract_s_example_is_checked_and_filled_in() {
    let checked = check(&example()).unwrap();
    let filled = serde_json::to_value(&checked.plan).unwrap();
    assert_eq!(filled["intercept"], json!(true));
    assert_eq!(filled["missing"], json!("skip"));
    assert_eq!(filled["confidence"], json!(0.95));
    assert_eq!(filled["protect"], json!("rows"));
    assert_eq!(filled["max_rows_per_person"], json!(1));
    assert_eq!(filled["columns"][1]["reference"], json!("F"));
    assert_eq!(filled["csv"]["na"], json!(["", "NA", "N/A", "NaN", "null", "."]));
    let again = check(&filled).unwrap();
    assert_eq!(again, checked, "a filled plan runs unchanged");
}

#[test]
fn every_refusal_names_its_place() {
    let cases = [
        (vec![("/adjacency", json!("add_remove"))], "adjacency"),
        (vec![("/budgets", json!({}))], "budgets"),
        (vec![("/columns/0/low", json!(1))], "columns[0].low"),
        (vec![("/schema", json!("discreet.plan/2"))], "schema"),
        (vec![("/adjacency", json!("replace-one"))], "rows"),
        (vec![("/rows", json!(100))], "rows"),
        (vec![("/adjacency", json!("replace-one")), ("/rows", json!(0))], "rows"),
        (vec![("/protect", json!("labels"))], "protect"),
        (
            vec![("/protect", json!("labels")), ("/adjacency", json!("replace-one")), ("/rows", json!(9))],
            "confirm",
        ),
        (vec![("/max_rows_per_person", json!(2))], "max_rows_per_person"),
        (vec![("/person", json!("age"))], "columns[0]"),
        (vec![("/columns/0/lower", json!(120))], "columns[0].upper"),
        (vec![("/columns/0/upper", Value::Null)], "columns[0].upper"),
        (vec![("/columns/0/levels", json!(["a", "b"]))], "columns[0]"),
        (vec![("/columns/0/type", Value::Null)], "columns[0].type"),
        (vec![("/columns/0/match", json!("a*"))], "columns[0]"),
        (vec![("/columns/0/name", json!("sex"))], "columns[1]"),
        (vec![("/columns/1/levels", json!(["F"]))], "columns[1].levels"),
        (vec![("/columns/1/levels", json!(["F", "F"]))], "columns[1].levels"),
        (vec![("/columns/1/levels", json!(["F", "NA"]))], "columns[1].levels"),
        (vec![("/columns/1/levels", json!(["F", " M"]))], "columns[1].levels"),
        (vec![("/columns/1/reference", json!("X"))], "columns[1].reference"),
        (
            vec![("/columns/1/role", json!("outcome")), ("/columns/1/levels", json!(["a", "b", "c"]))],
            "columns[1].levels",
        ),
        (vec![("/columns/2/role", json!("ignored"))], "columns"),
        (vec![("/budget", json!({"epsilon": 1}))], "budget.delta"),
        (vec![("/budget", json!({"epsilon": 1, "delta": 0}))], "budget.delta"),
        (vec![("/budget", json!({"epsilon": 0, "delta": 1e-6}))], "budget.epsilon"),
        (vec![("/budget", json!({"epsilon": 1, "delta": 1e-6, "rho": 1}))], "budget"),
        (vec![("/budget", json!({}))], "budget"),
        (vec![("/budget", json!({"none": true}))], "budget.none"),
        (vec![("/budget", json!({"mu": -1}))], "budget.mu"),
        (vec![("/confidence", json!(1.0))], "confidence"),
        (vec![("/csv", json!({"delimiter": ":"}))], "csv.delimiter"),
        (vec![("/csv", json!({"delimiter": ",", "decimal": ","}))], "csv.decimal"),
        (vec![("/csv", json!({"thousands": "."}))], "csv.thousands"),
        (
            vec![("/columns/0/written", json!({"date": "day-month-year", "decimal": ","}))],
            "columns[0].written.date",
        ),
        (vec![("/csv", json!({"decimal": ",", "thousands": ","}))], "csv.thousands"),
        (vec![("/csv", json!({"encoding": "utf8"}))], "csv.encoding"),
    ];
    for (changes, path) in cases {
        let error = refusal(&changes);
        assert_eq!(error.path, path, "{changes:?}: {error}");
        assert!(!error.advice.is_empty() && !error.to_string().contains('\n'), "{error}");
    }
}

#[test]
fn doubled_keys_do_not_pass_silently() {
    let text = example().to_string();
    let doubled = text.replacen("\"adjacency\"", "\"adjacency\":\"replace-one\",\"adjacency\"", 1);
    assert!(Plan::parse(&doubled).unwrap_err().what.contains("is there twice"));
    let params = text.replace(
        "{\"name\":\"analyze-gauss\"}",
        "{\"name\":\"analyze-gauss\",\"params\":{\"ridge\":1,\"ridge\":2}}",
    );
    assert_ne!(params, text);
    let error = Plan::parse(&params).unwrap_err();
    assert!(error.what.contains("`ridge` is there twice"), "{error}");
    assert!(Plan::parse(&format!("{text} x")).is_err(), "trailing text");
}

#[test]
fn lists_do_not_pass_for_objects() {
    for (pointer, list, path) in [
        ("/budget", json!([1.0, 1e-6]), "budget"),
        ("/mechanism", json!(["analyze-gauss"]), "mechanism"),
        ("/csv", json!([";"]), "csv"),
        (
            "/columns",
            json!([{"name": "y", "role": "ignored"}, ["age", null, "feature", "number"]]),
            "columns[1]",
        ),
        ("/columns/0/typical", json!([50, 10, null, null]), "columns[0].typical"),
        (
            "/derived",
            json!([{"transform": "merged", "from": ["sex"], "groups": [{"name": "a", "levels": []}, ["b", []]]}]),
            "derived[0].groups[1]",
        ),
    ] {
        let refused = Plan::parse(&with(&[(pointer, list)]).to_string()).unwrap_err();
        assert_eq!(refused.path, path, "{refused}");
    }
}

/// A pattern that stands for a hundred thousand columns costs one pass over the header.
#[test]
fn a_pattern_over_a_very_wide_header_is_not_quadratic() {
    let plan = with(&[(
        "/columns",
        json!([
            {"name": "y", "role": "outcome", "type": "number", "lower": 0, "upper": 1},
            {"match": "c*", "role": "feature", "type": "number", "lower": 0, "upper": 2}
        ]),
    )]);
    let plan = check(&plan).unwrap();
    let mut names: Vec<String> = (0..100_000).map(|column| format!("c{column}")).collect();
    names.push("y".to_owned());
    assert_eq!(bind(&plan, &names, b',', GRID).unwrap().columns.len(), 100_001);
    names.push("c77".to_owned());
    let error = bind(&plan, &names, b',', GRID).unwrap_err();
    assert!(error.what.contains("`c77` twice"), "{error}");
}

#[test]
fn simulate_alone_runs_without_a_budget_and_without_confirmation() {
    let plan = with(&[
        ("/budget", json!({"none": true})),
        ("/adjacency", json!("replace-one")),
        ("/rows", json!(10)),
        ("/protect", json!("features")),
    ]);
    assert!(check(&plan).is_err());
    let checked = CheckedPlan::new(Plan::parse(&plan.to_string()).unwrap(), Purpose::Simulate).unwrap();
    assert_eq!(checked.budget, None);
}

fn header(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn columns_are_found_by_name_and_patterns_take_what_is_left() {
    let plan = with(&[(
        "/columns",
        json!([
            {"name": "y", "role": "outcome", "type": "number", "lower": 0, "upper": 1},
            {"match": "snp_*", "role": "feature", "type": "number", "lower": 0, "upper": 2},
            {"name": "snp_bad", "role": "ignored"}
        ]),
    )]);
    let plan = check(&plan).unwrap();
    let bound = bind(&plan, &header(&["id", "snp_2", "snp_bad", "y", "snp_1"]), b',', GRID).unwrap();
    let columns: Vec<_> =
        bound.columns.iter().map(|c| (c.name.as_str(), c.source.field().unwrap(), c.role)).collect();
    assert_eq!(columns, [("snp_2", 1, Role::Feature), ("snp_1", 4, Role::Feature), ("y", 3, Role::Outcome)]);
    assert_eq!(bound.columns[0].kind, Kind::Number { lower: 0.0, upper: 2.0 });
    for names in [
        &["id", "y"][..],
        &["y", "snp_1"],
        &["y", "y", "snp_1", "snp_bad"],
        &["y", "snp_1", "snp_1", "snp_bad"],
    ] {
        let error = bind(&plan, &header(names), b',', GRID).unwrap_err();
        assert!(error.path.starts_with("columns["), "{error}");
    }
}

#[test]
fn the_person_column_is_found_and_is_no_feature() {
    let plan = check(&with(&[("/person", json!("id")), ("/max_rows_per_person", json!(3))])).unwrap();
    let bound = bind(&plan, &header(&["sbp", "id", "age", "sex"]), b';', GRID).unwrap();
    let person = bound.person.unwrap();
    assert_eq!((person.field, person.max_rows), (1, 3));
    assert_eq!(bound.csv.delimiter, b';');
    let error = bind(&plan, &header(&["sbp", "age", "sex"]), b';', GRID).unwrap_err();
    assert_eq!(error.path, "person");
}

/// A column that is ticked or left empty: the empty cells are a level where the plan lists one for them, under either rule for missing cells.
#[test]
fn an_empty_cell_is_a_level_where_one_stands_for_it() {
    let rows = |no: &str| {
        let cells = ["x", no, no, "x", no, "x", "x", no].into_iter().enumerate();
        let rows: String = cells.map(|(row, cell)| format!("{},{cell},{}\n", row % 3, 3 * row)).collect();
        format!("age,diabetes,y\n{rows}")
    };
    let released = |no: &str, missing: &str, table: &str| {
        let category = |levels: [&str; 2]| json!({"name": "diabetes", "role": "feature", "type": "category", "levels": levels});
        let columns = [
            support::column("age", "feature", 0.0, 3.0),
            category([no, "x"]),
            support::column("y", "outcome", 0.0, 30.0),
        ];
        let mut plan = support::plan(&columns, json!({"none": true}));
        plan["missing"] = json!(missing);
        let release = support::runs(&plan, table, 1).remove(0);
        let estimates: Vec<Option<f64>> =
            support::list(&release).iter().map(|entry| entry.estimate).collect();
        (release.diagnostics.rows, estimates)
    };
    let expected = released("no", "skip", &rows("no"));
    assert_eq!(expected.0, Some(8.0));
    for missing in ["skip", "midpoint"] {
        assert_eq!(released("", missing, &rows("")), expected, "{missing}");
        assert_eq!(released("", missing, &rows(" ")), expected, "{missing}");
    }
    assert_eq!(released("no", "skip", &rows("")).0, Some(4.0), "otherwise it is missing");
}

/// With so much epsilon the noise is small in whole numbers, and its distance from the proof's law has to fit into the plan's own delta, whatever
/// the ledger could pay.
#[test]
fn noise_that_is_too_coarse_for_the_plans_delta_is_refused() {
    let names = ["age", "ward", "sbp"].map(str::to_owned);
    let prepared = |levels: usize, epsilon: f64, delta: f64| {
        let levels: Vec<String> = (0..levels).map(|level| format!("w{level}")).collect();
        let ward = json!({"name": "ward", "role": "feature", "type": "category", "levels": levels});
        let mut plan = example();
        plan["columns"][1] = ward;
        plan["budget"] = json!({"epsilon": epsilon, "delta": delta});
        plan["mechanism"]["params"] = json!({"radius": 1 << 21});
        prepare(Plan::parse(&plan.to_string()).unwrap(), &names, b',', Purpose::Release)
    };
    assert!(prepared(500, 1.0, 1e-12).is_ok() && prepared(500, 20.0, 1e-5).is_ok());
    match prepared(500, 20.0, 1e-12) {
        Err(EngineError::Plan(error)) => assert_eq!(error.path, "budget", "{error}"),
        other => panic!("{:?}", other.map(|_| ())),
    }
}

/// The noise for the bounds and the noise for the fit share the delta of the plan, so their slacks are counted together.
#[test]
fn the_slacks_of_estimated_bounds_and_of_the_fit_are_counted_together() {
    let names = ["age", "sex", "sbp"].map(str::to_owned);
    let delta = Delta::try_new(1e-12).unwrap();
    let capacity = slack_capacity(delta).unwrap();
    let mut plan = example();
    (plan["columns"][0]["lower"], plan["columns"][0]["upper"]) = (json!("estimate"), json!("estimate"));
    plan["stated_rows"] = json!(100_000);
    plan["mechanism"]["params"] = json!({"radius": 1 << 21});
    let mut accepted = [0, 0];
    for tenths in 100..400 {
        let epsilon = Epsilon::try_new(f64::from(tenths) / 10.0).unwrap();
        plan["budget"] = json!({"epsilon": epsilon.get(), "delta": delta.get()});
        let prepared = |purpose| prepare(Plan::parse(&plan.to_string()).unwrap(), &names, b',', purpose);
        let Ok(simulated) = prepared(Purpose::Simulate) else { break };
        let slack = simulated.charge(epsilon).unwrap().slack;
        let is_accepted = prepared(Purpose::Release).is_ok();
        assert_eq!(is_accepted, slack <= capacity, "at epsilon {epsilon}");
        accepted[usize::from(is_accepted)] += 1;
    }
    assert!(accepted.iter().all(|&plans| plans > 0), "{accepted:?}");
}
