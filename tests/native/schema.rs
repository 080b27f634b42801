//! What mechanisms say of their parameters is what they accept, and what the documentation says.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use discreet::engine::{EngineError, prepare_with};
use discreet::mechanisms::Info;
use discreet::mechanisms::info::{Scope, all};
use discreet::plan::params::{Parameter, Place, Usual, Values};
use discreet::plan::public::PublicTable;
use discreet::plan::{Plan, PlanError, Purpose};
use serde_json::{Map, Value, json};

use crate::cli::Bench;
use crate::support::column;

fn public() -> PublicTable {
    serde_json::from_value(json!({
        "schema": "discreet.public/1",
        "source": "other people",
        "rows": 1_000_000,
        "terms": [
            {"term": "a", "mean": 0.0, "sd": 10.0},
            {"term": "b", "mean": 0.0, "sd": 10.0},
            {"term": "k", "mean": 0.5, "sd": 0.5},
        ],
        "correlation": [[1.0, 0.1, 0.1], [0.1, 1.0, 0.1], [0.1, 0.1, 1.0]],
    }))
    .unwrap()
}

/// A plan's parameters, defaults filled in. Without noise no budget refuses them.
fn filled(info: &Info, params: &Value, paper: bool) -> Result<Map<String, Value>, PlanError> {
    let mut plan = json!({
        "schema": "discreet.plan/1",
        "adjacency": "replace-one",
        "rows": 100_000,
        "columns": [
            column("a", "feature", -40.0, 40.0),
            column("b", "feature", -40.0, 40.0),
            column("k", "outcome", 0.0, 1.0),
        ],
        "mechanism": {"name": info.name, "params": params},
        "budget": {"none": true},
    });
    if paper {
        plan["mechanism"]["calibration"] = json!("paper");
    }
    if let Scope::Relaxed(protect) = info.scope {
        plan["protect"] = json!(protect.to_string());
    }
    let public = info.public_moments.then(public);
    let names = ["a", "b", "k"].map(str::to_owned);
    match prepare_with(
        Plan::parse(&plan.to_string()).unwrap(),
        public.as_ref(),
        &names,
        b',',
        Purpose::Simulate,
    ) {
        Ok(prepared) => Ok(prepared.plan().mechanism.params.clone()),
        Err(EngineError::Plan(error)) => Err(error),
        Err(error) => panic!("{}: {error}", info.name),
    }
}

/// Parameters that a plan has to give, with values that are taken.
fn given(info: &Info) -> Value {
    let name = |parameter: &&Parameter| parameter.default == Usual::Given && parameter.place != Place::Hidden;
    let value = |parameter: &Parameter| match parameter.values {
        Values::Choice(choices) => json!(choices[0]),
        _ => json!(2),
    };
    info.parameters
        .iter()
        .filter(name)
        .map(|one| (one.name.to_owned(), value(one)))
        .collect::<Map<_, _>>()
        .into()
}

/// Whether the reader takes a value, whatever the rest of the plan says to it; nothing where it knows no such parameter.
fn taken(info: &Info, name: &str, value: &Value) -> Option<bool> {
    let mut params = given(info);
    params[name] = value.clone();
    match filled(info, &params, false) {
        Err(error) if error.path == format!("mechanism.params.{name}") => {
            if error.what.ends_with("has no such parameter") {
                return None;
            }
            Some(!error.what.ends_with("does not take this value"))
        }
        _ => Some(true),
    }
}

#[test]
fn the_reader_knows_the_parameters_that_are_listed() {
    let names: BTreeSet<&str> = all().flat_map(|info| info.parameters).map(|one| one.name).collect();
    for info in all() {
        let own: BTreeSet<&str> = info.parameters.iter().map(|one| one.name).collect();
        assert_eq!(own.len(), info.parameters.len(), "{}", info.name);
        for name in &names {
            let found = taken(info, name, &json!({}));
            assert_eq!(found, own.contains(name).then_some(false), "{} {name}", info.name);
        }
        let filled = filled(info, &given(info), false).unwrap();
        assert!(filled.keys().all(|name| own.contains(name.as_str())), "{} {filled:?}", info.name);
    }
}

#[test]
fn the_reader_takes_the_ends_of_a_range_and_the_choices() {
    for info in all() {
        for parameter in info.parameters {
            let takes = |value: Value, expected: bool| {
                assert_eq!(
                    taken(info, parameter.name, &value),
                    Some(expected),
                    "{} {} {value}",
                    info.name,
                    parameter.name
                );
            };
            match parameter.values {
                // What the constant may weigh depends on the plan, too.
                Values::Number(range) if parameter.name != "intercept_weight" => {
                    takes(json!(range.least), range.has_least);
                    takes(json!(range.least.next_down()), false);
                    takes(json!(range.most), range.has_most);
                    if range.most < f64::MAX {
                        takes(json!(range.most.next_up()), false);
                    }
                }
                Values::Whole(least, most) => {
                    takes(json!(least), true);
                    takes(json!(i64::from(least) - 1), false);
                    takes(json!(most), true);
                    takes(json!(most + 1), false);
                    takes(json!(1.5), false);
                }
                Values::Choice(choices) => {
                    choices.iter().for_each(|choice| takes(json!(choice), true));
                    takes(json!("another"), false);
                }
                Values::Switch => {
                    takes(json!(true), true);
                    takes(json!("true"), false);
                }
                Values::WordOrNumber(words, range) => {
                    words.iter().for_each(|word| takes(json!(word), true));
                    takes(json!("another"), false);
                    takes(json!(range.least), range.has_least);
                    takes(json!(range.least - 1.0), false);
                }
                Values::WordOrWhole(words, least, most) => {
                    words.iter().for_each(|word| takes(json!(word), true));
                    takes(json!("another"), false);
                    takes(json!(least - 1), false);
                    takes(json!(most), true);
                    takes(json!(most + 1), false);
                }
                Values::PowerOfTwo(least, most) => {
                    takes(json!(least), true);
                    takes(json!(least / 2), false);
                    takes(json!(least + 1), false);
                    takes(json!(most), true);
                    takes(json!(most * 2), false);
                }
                Values::Shares(parts, range, most, _) => {
                    let all = |share: f64| json!(vec![share; parts.len()]);
                    takes(all(most / parts.len() as f64), true);
                    takes(all(range.least.next_down()), false);
                    takes(json!([most]), false);
                }
                Values::Number(_) | Values::Free(_) => {}
            }
        }
    }
}

#[test]
fn every_default_is_taken() {
    for info in all() {
        for paper in [false, true] {
            if paper && info.no_paper_scale.is_some() {
                continue;
            }
            let filled = filled(info, &given(info), paper).unwrap();
            let listed = |one: &&Parameter| matches!(one.default, Usual::Is(_) | Usual::Paper(..));
            for parameter in info.parameters.iter().filter(listed) {
                assert!(filled.contains_key(parameter.name), "{} never reads {}", info.name, parameter.name);
            }
        }
    }
}

#[test]
fn the_documentation_has_the_tables_of_the_program() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/methods-parameters.md");
    let bench = Bench::new();
    // What is built for tests alone is documented as the others are, but not in the documentation.
    let printed = bench.ok("mechs --markdown").replace(&bench.ok("mechs noisy-means --markdown"), "");
    let written = fs::read_to_string(path).unwrap();
    assert!(
        printed == written,
        "write what `discreet mechs --markdown` prints to docs/methods-parameters.md"
    );
}

#[test]
fn the_command_line_lists_and_explains_mechanisms() {
    let bench = Bench::new();
    let (list, _) = (bench.ok("mechs"), bench.ok("mechs --help"));
    for info in all() {
        assert!(list.contains(info.name) && list.contains(info.title), "{}", info.name);
        let entry = bench.ok(&format!("mechs {}", info.name));
        for text in [info.title, info.summary, info.guarantee, info.source] {
            assert!(entry.contains(text), "{}", info.name);
        }
        assert!(info.parameters.iter().all(|one| entry.contains(one.name)), "{}", info.name);
    }
    assert_eq!(bench.run("mechs another").status.code(), Some(2));
}
