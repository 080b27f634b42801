//! `docs/schemas` and `docs/formats.md`: documents of the program fit their schemas, a schema has exactly the fields that the program
//! reads, and the tables of the page are those of the schemas.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use discreet::inference::refit::Refit;
use discreet::model::{Contrast, Estimate};
use discreet::plan::Plan;
use discreet::plan::public::PublicTable;
use discreet::privacy::ledger::Ledger;
use discreet::release::Release;
use discreet::release::bounds::{CellLayout, EstimatedBounds, EstimatedColumn, State};
use discreet::release::document::{Coefficients, LedgerReference};
use discreet::release::long::CoefficientTable;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::cli::Bench;
use crate::support::{column, plan, small_diabetes_plan};

/// The documents in the order of the page.
const NAMES: [&str; 5] = ["plan", "public", "ledger", "release", "refit"];

/// A field that no document has.
const UNKNOWN: &str = "no such field";

fn docs(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs").join(name)
}

fn schema(name: &str) -> Value {
    let text = fs::read_to_string(docs(&format!("schemas/{name}.schema.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Documents as the program writes them, with the name of their schema.
fn documents() -> Vec<(&'static str, Value)> {
    let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let bench = Bench::new();
    bench.open_ledger("1");
    let release = read(&bench.ok("release --plan plan.json --ledger ledger.json table.csv"));
    bench.write("release.json", release.to_string());
    let refit = bench.ok("refit --release release.json --outcome bmi --features bp");
    let mut all = vec![
        ("release", release.clone()),
        ("refit", read(&refit)),
        ("ledger", read(&bench.read("ledger.json"))),
        ("public", public_table()),
        ("plan", full_plan()),
        ("plan", read(&bench.read("plan.json"))),
    ];
    for (mechanism, arguments) in [
        ("adaptive-gauss", ""),
        ("adaptive-logistic", ""),
        ("reuse-cov-gauss", ""),
        ("reuse-cov-proj-x", ""),
        ("additive-wishart", ""),
        ("inverse-wishart", ""),
        ("jl-ridge", ""),
        ("pmt-ridge", " --public public.json"),
    ] {
        let mut plan = small_diabetes_plan(json!({"epsilon": 8, "delta": 1e-4}));
        plan["mechanism"]["name"] = json!(mechanism);
        plan["confirm"] = json!(["idealised"]);
        plan["stated_rows"] = json!(442);
        if mechanism == "adaptive-gauss" {
            plan["mechanism"]["params"] = json!({"robust_share": 0.1});
        }
        if mechanism == "adaptive-logistic" {
            plan["columns"][2] = column("target", "outcome", 0.0, 1.0);
        }
        if mechanism == "reuse-cov-proj-x" {
            plan["adjacency"] = json!("replace-one");
            plan["protect"] = json!("labels");
            plan["confirm"] = json!(["protect-labels"]);
            plan["rows"] = plan.as_object_mut().unwrap().remove("stated_rows").unwrap();
        }
        bench.plan(&plan);
        bench.write("public.json", public_table().to_string());
        all.push(("release", read(&bench.ok(&format!("simulate --plan plan.json table.csv{arguments}")))));
    }
    let mut long: Release = serde_json::from_value(release).unwrap();
    let names = |list: &[&str]| list.iter().map(|&name| name.to_owned()).collect();
    let mut table = CoefficientTable::new(names(&["y1", "y2"]), names(&["(Intercept)"]));
    table.set(0, 0, Estimate { estimate: Some(1.0), ..Estimate::WITHHELD });
    long.coefficients = Coefficients::Table(table);
    long.moments.as_mut().unwrap().contrasts = vec![Contrast::new("site[b]".to_owned(), 3, 100.0)];
    long.estimated_bounds = Some(estimated_bounds());
    long.plan.derived = serde_json::from_value(derived()).unwrap();
    long.plan.only = serde_json::from_value(only()).unwrap();
    all.push(("release", serde_json::to_value(&long).unwrap()));
    all
}

/// Bounds of two columns, with fewer counts than there are.
fn estimated_bounds() -> EstimatedBounds {
    let column = |name: &str, state, range: Option<(f64, f64)>, layout| EstimatedColumn {
        column: name.to_owned(),
        state,
        lower: range.map(|(lower, _)| lower),
        upper: range.map(|(_, upper)| upper),
        layout,
        first: vec!["-12".to_owned(), "0".to_owned()],
        second: vec!["7".to_owned()],
    };
    EstimatedBounds {
        share: 0.05,
        charge: "3080224569".to_owned(),
        ledger: Some(LedgerReference { id: "ab".repeat(16), entry: 1, idealised: false, promise: None }),
        unit: "4398046511104".to_owned(),
        noise: ["1".to_owned(), "2".to_owned()],
        columns: vec![
            column("x", State::Fine, Some((1.5, 2.0)), CellLayout::Narrow { from: 0.5, step: 0.25 }),
            column("y", State::NotFound, None, CellLayout::Octaves),
        ],
    }
}

/// Conditions with every field that one of them can have.
fn only() -> Value {
    json!([{"column": "age", "lower": 18, "upper": 60}, {"column": "ward", "levels": ["A"]}])
}

/// A derived term with every field that one of them can have.
fn derived() -> Value {
    json!([{
        "name": "a", "role": "feature", "transform": "merged", "from": ["z"], "offset": 1.5, "at": 2.5, "knots": [1.5, 2.5, 3.5],
        "groups": [{"name": "b", "levels": ["c", "d"]}], "reference": "b",
    }])
}

/// A plan with every field that a plan can have at once.
fn full_plan() -> Value {
    let mut all = plan(&[column("y", "outcome", 0.0, 1.0)], json!({"mu": 1, "delta": 1e-6}));
    let columns = all["columns"].as_array_mut().unwrap();
    columns[0]["unit"] = json!("kg");
    columns[0]["integer"] = json!(true);
    columns[0]["upper"] = json!("estimate");
    columns[0]["label"] = json!("a label");
    columns[0]["note"] = json!("a note");
    columns.push(json!({"match": "snp_*", "role": "feature", "type": "category", "levels": ["a", "b"], "reference": "b"}));
    columns.push(json!({"name": "z", "role": "ignored"}));
    all["derived"] = derived();
    all["only"] = only();
    let more = json!({
        "rows": 10, "protect": "rows", "person": "id", "max_rows_per_person": 2, "confirm": ["idealised"], "intercept": true,
        "missing": "midpoint", "csv": {"delimiter": "\t", "decimal": ",", "thousands": "'", "percent": true, "encoding": "latin-1", "na": ["-"], "header": 2}, "confidence": 0.9,
        "estimate_share": 0.1,
        "typical_correlation": 0.4,
    });
    all["adjacency"] = json!("replace-one");
    all["mechanism"]["calibration"] = json!("paper");
    all["mechanism"]["params"] = json!({"ridge": "none"});
    all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    all
}

fn public_table() -> Value {
    json!({
        "schema": "discreet.public/1", "source": "a paper", "rows": 1000,
        "terms": [
            {"term": "bmi", "mean": 26, "sd": 4}, {"term": "bp", "mean": 95, "sd": 13}, {"term": "target", "mean": 150, "sd": 80}
        ],
        "correlation": [[1, 0.2, 0.3], [0.2, 1, 0.3], [0.3, 0.3, 1]],
    })
}

/// The schema that a reference stands for.
fn resolved<'a>(root: &'a Value, node: &'a Value) -> &'a Value {
    match node["$ref"].as_str() {
        Some(reference) => &root["$defs"][reference.strip_prefix("#/$defs/").unwrap()],
        None => node,
    }
}

fn matches(pattern: &str, text: &str) -> bool {
    let hexadecimal =
        |length| text.len() == length && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    match pattern {
        "^[0-9a-f]{64}$" => hexadecimal(64),
        "^[0-9a-f]{32}$" => hexadecimal(32),
        "^[0-9]+$" => !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()),
        "^-?(0|[1-9][0-9]*)$" => text.parse::<i128>().is_ok_and(|number| number.to_string() == text),
        other => panic!("the pattern {other} is new; teach it to this test"),
    }
}

fn has_type(name: &str, value: &Value) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        other => panic!("the type {other} is new"),
    }
}

/// Where and how a value does not fit; nothing where it fits. Knows the keywords that the schemas use, and no others.
fn misfit(root: &Value, node: &Value, value: &Value, path: &str) -> Option<String> {
    let wrong = |why: &str| Some(format!("{path}: {why}: {value}"));
    let compared =
        |limit: &Value| value.as_f64().zip(limit.as_f64()).map(|(value, limit)| value.total_cmp(&limit));
    for (keyword, rule) in node.as_object().unwrap() {
        let found = match keyword.as_str() {
            "$schema" | "title" | "description" | "$defs" => None,
            "$ref" => misfit(root, resolved(root, node), value, path),
            "const" => {
                if value == rule {
                    None
                } else {
                    wrong("another constant")
                }
            }
            "enum" => {
                if rule.as_array().unwrap().contains(value) {
                    None
                } else {
                    wrong("none of the values")
                }
            }
            "type" => {
                let types = rule.as_array().cloned().unwrap_or_else(|| vec![rule.clone()]);
                if types.iter().any(|name| has_type(name.as_str().unwrap(), value)) {
                    None
                } else {
                    wrong("another type")
                }
            }
            "pattern" => match value.as_str() {
                Some(text) if !matches(rule.as_str().unwrap(), text) => wrong("another form"),
                _ => None,
            },
            "minItems" | "minLength" => {
                let length = value.as_array().map_or_else(|| value.as_str().map_or(1, str::len), Vec::len);
                if length as u64 >= rule.as_u64().unwrap() { None } else { wrong("too short") }
            }
            "minimum" => compared(rule).filter(|order| order.is_lt()).and_then(|_| wrong("too small")),
            "maximum" => compared(rule).filter(|order| order.is_gt()).and_then(|_| wrong("too large")),
            "exclusiveMinimum" => {
                compared(rule).filter(|order| order.is_le()).and_then(|_| wrong("too small"))
            }
            "exclusiveMaximum" => {
                compared(rule).filter(|order| order.is_ge()).and_then(|_| wrong("too large"))
            }
            "items" => {
                let mut items = value.as_array().into_iter().flatten().enumerate();
                items.find_map(|(index, item)| misfit(root, rule, item, &format!("{path}[{index}]")))
            }
            "properties" => value.as_object().into_iter().flatten().find_map(|(key, value)| {
                rule.get(key).and_then(|node| misfit(root, node, value, &format!("{path}.{key}")))
            }),
            "additionalProperties" => {
                let known = node["properties"].as_object().unwrap();
                let mut keys = value.as_object().into_iter().flatten().map(|(key, _)| key);
                keys.find(|key| !known.contains_key(*key))
                    .and_then(|key| wrong(&format!("the field {key} is not in the schema")))
            }
            "required" => {
                let mut missing = rule
                    .as_array()
                    .unwrap()
                    .iter()
                    .filter(|name| value.get(name.as_str().unwrap()).is_none());
                missing.next().and_then(|name| wrong(&format!("lacks {name}")))
            }
            "anyOf" | "oneOf" => {
                let faults: Vec<Option<String>> =
                    rule.as_array().unwrap().iter().map(|node| misfit(root, node, value, path)).collect();
                let fits = faults.iter().filter(|fault| fault.is_none()).count();
                if fits == 1 { None } else { wrong(&format!("fits {fits} of the forms: {faults:?}")) }
            }
            other => panic!("the keyword {other} is new; teach it to this test"),
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

#[test]
fn documents_fit_their_schemas() {
    for (name, document) in documents() {
        let schema = schema(name);
        assert_eq!(misfit(&schema, &schema, &document, name), None);
        let mut more = document.clone();
        more[UNKNOWN] = json!(1);
        assert!(misfit(&schema, &schema, &more, name).is_some(), "{name} takes any field");
    }
}

/// A release holds its plan, and a refit what a release holds.
#[test]
fn what_two_schemas_define_is_the_same() {
    for (one, two) in [("plan", "release"), ("release", "refit")] {
        let (one, two) = (schema(one), schema(two));
        for (name, definition) in one["$defs"].as_object().unwrap() {
            let other = two["$defs"].get(name).unwrap_or(definition);
            assert_eq!(definition, other, "{name}");
        }
    }
}

/// The fields that a type says it knows, when it is given one that it does not.
fn known_fields<T: DeserializeOwned>(document: Value) -> BTreeSet<String> {
    let Err(error) = serde_json::from_value::<T>(document) else { panic!("an unknown field was read") };
    let message = error.to_string();
    let (_, list) = message.split_once(", expected ").unwrap_or_else(|| panic!("{message}"));
    list.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Every object of a document with its schema, and a way to it.
fn objects<'a>(
    root: &'a Value,
    node: &'a Value,
    value: &Value,
    way: &str,
    found: &mut Vec<(String, &'a Map<String, Value>)>,
) {
    let node = resolved(root, node);
    if let Some(forms) = node.get("anyOf").or_else(|| node.get("oneOf")) {
        let form =
            forms.as_array().unwrap().iter().find(|form| misfit(root, form, value, way).is_none()).unwrap();
        return objects(root, form, value, way, found);
    }
    if let Some(properties) = node["properties"].as_object() {
        found.push((way.to_owned(), properties));
        for (key, value) in value.as_object().unwrap() {
            objects(root, &properties[key], value, &format!("{way}/{key}"), found);
        }
    } else if let Some(items) = node.get("items") {
        for (index, item) in value.as_array().into_iter().flatten().enumerate() {
            objects(root, items, item, &format!("{way}/{index}"), found);
        }
    }
}

#[test]
fn a_schema_has_every_field_that_the_program_reads() {
    let mut seen = BTreeSet::new();
    for (name, document) in documents() {
        let schema = schema(name);
        let mut found = Vec::new();
        objects(&schema, &schema, &document, "", &mut found);
        for (way, properties) in found {
            let mut altered = document.clone();
            altered.pointer_mut(&way).unwrap()[UNKNOWN] = json!(1);
            let mut fields = match name {
                "plan" => known_fields::<Plan>(altered),
                "public" => known_fields::<PublicTable>(altered),
                "ledger" => known_fields::<Ledger>(altered),
                "release" => known_fields::<Release>(altered),
                _ => known_fields::<Refit>(altered),
            };
            // The field that tells the forms of the noise apart is read before the others.
            fields.extend(properties.contains_key("law").then(|| "law".to_owned()));
            // The name of a variant is no field.
            fields.extend(properties.contains_key("narrow").then(|| "narrow".to_owned()));
            assert_eq!(fields, properties.keys().cloned().collect(), "{name}{way}");
            seen.insert(properties.keys().cloned().collect::<Vec<_>>());
        }
    }
    for name in NAMES {
        let schema = schema(name);
        for (definition, node) in schema["$defs"].as_object().unwrap() {
            if let Some(properties) = node["properties"].as_object() {
                let fields: Vec<String> = properties.keys().cloned().collect();
                let excused = ["claimed", "demo"].contains(&definition.as_str());
                assert!(excused || seen.contains(&fields), "no document of this test has {definition}");
            }
        }
    }
}

/// What a field holds, in a word or two.
fn kind(node: &Value) -> String {
    if let Some(reference) = node["$ref"].as_str() {
        return match reference.strip_prefix("#/$defs/").unwrap() {
            "public" => "[public moments](#public-moments)".to_owned(),
            name => format!("[{name}](#{name})"),
        };
    }
    if let Some(forms) = node["anyOf"].as_array() {
        return forms.iter().map(kind).collect::<Vec<_>>().join(" or ");
    }
    if let Some(constant) = node["const"].as_str() {
        return format!("`{constant}`");
    }
    if node.get("enum").is_some() {
        return "one word".to_owned();
    }
    if let Some(items) = node.get("items") {
        return format!("list of {}", kind(items));
    }
    match &node["type"] {
        Value::String(name) if name == "boolean" => "true or false".to_owned(),
        Value::String(name) if name == "array" => "list".to_owned(),
        Value::String(name) => name.clone(),
        Value::Array(names) => {
            names.iter().map(|name| name.as_str().unwrap()).collect::<Vec<_>>().join(" or ")
        }
        _ => "object".to_owned(),
    }
}

/// The fields that are always there in the order of the schema, then the others.
fn fields(node: &Value, text: &mut String) {
    let properties = node["properties"].as_object().unwrap();
    let required: Vec<&str> =
        node["required"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    let optional = properties.keys().map(String::as_str).filter(|name| !required.contains(name));
    text.push_str("| field | holds | meaning |\n| --- | --- | --- |\n");
    for name in required.iter().copied().chain(optional) {
        let field = &properties[name];
        let often = if required.contains(&name) { "" } else { ", optional" };
        let meaning = field["description"].as_str().unwrap().replace('|', "\\|");
        writeln!(text, "| `{name}` | {}{often} | {meaning} |", kind(field)).unwrap();
    }
}

/// The tables of one document: its own fields, then those of each object that no earlier document has.
fn tables(schema: &Value, told: &mut BTreeSet<String>) -> String {
    let mut text = String::new();
    fields(schema, &mut text);
    for (name, node) in schema["$defs"].as_object().unwrap() {
        if NAMES.contains(&name.as_str()) || !told.insert(name.clone()) {
            continue;
        }
        write!(text, "\n### {name}\n\n{}\n\n", node["description"].as_str().unwrap()).unwrap();
        match node["oneOf"].as_array() {
            None => fields(node, &mut text),
            Some(forms) => {
                for (index, form) in forms.iter().enumerate() {
                    let law = form["properties"]["law"]["const"].as_str().unwrap();
                    let gap = if index == 0 { "" } else { "\n" };
                    write!(text, "{gap}`{law}`: {}\n\n", form["description"].as_str().unwrap()).unwrap();
                    fields(form, &mut text);
                }
            }
        }
    }
    text
}

/// `WRITE=1 cargo test --test native formats` writes the tables in place of comparing them.
#[test]
fn the_page_has_the_fields_of_the_schemas() {
    let page = fs::read_to_string(docs("formats.md")).unwrap();
    let mut due = String::new();
    let mut told = BTreeSet::new();
    let mut parts = page.split("<!-- fields of ");
    due.push_str(parts.next().unwrap());
    for (part, name) in parts.zip(NAMES) {
        let (named, rest) = part.split_once(" -->\n").unwrap();
        assert_eq!(named, name);
        let (_, after) = rest.split_once("<!-- end of fields -->").unwrap();
        write!(
            due,
            "<!-- fields of {name} -->\n\n{}\n<!-- end of fields -->{after}",
            tables(&schema(name), &mut told)
        )
        .unwrap();
    }
    if std::env::var_os("WRITE").is_some() {
        fs::write(docs("formats.md"), &due).unwrap();
    }
    assert!(
        due == page || std::env::var_os("WRITE").is_some(),
        "docs/formats.md is not what the schemas say: run this test with WRITE=1"
    );
}
