//! Public moments: the vectors of theory/public-moments 8, and the ways to give them against each other.

use std::fmt::Write as _;
use std::io::Cursor;

use discreet::cli::table::Table;
use discreet::data::{HeaderRules, Sums};
use discreet::engine::public::{plan_for, prepare_table, table_of, table_of_release, term_names};
use discreet::engine::{self, ConfiguredPlan, EngineError, prepare_with};
use discreet::math::jacobi_svd::JacobiSvd;
use discreet::math::linalg::Eigen;
use discreet::noise::entropy::DemoRng;
use discreet::plan::public::Whitener;
use discreet::plan::public::document::{PublicTable, PublicTerm, SCHEMA};
use discreet::plan::public::whitener::unconditioned;
use discreet::plan::{Plan, PlanError, Purpose};
use discreet::release::Release;
use discreet::release::document::LedgerReference;
use nalgebra::{Cholesky, DMatrix};
use serde_json::{Value, json};

use crate::cli::{Bench, failed};
use crate::support::{self, DIABETES, column};

const VECTORS: &str = include_str!("../vectors/pmt.json");

/// B of the head of pmt.md with y_B as a last column.
fn public_rows() -> Vec<Vec<f64>> {
    (1..=8)
        .map(f64::from)
        .map(|j| {
            let x = [libm::cos(1.5 * j), 0.5 * libm::sin(2.5 * j) + 0.2, 1.2 + 0.05 * j];
            vec![x[0], x[1], x[2], x[0] - 2.0 * x[1] + 0.5 * x[2]]
        })
        .collect()
}

/// What a paper would print of rows.
fn printed(names: &[&str], rows: &[Vec<f64>]) -> PublicTable {
    let count = rows.len() as f64;
    let mean = |column: usize| rows.iter().map(|row| row[column]).sum::<f64>() / count;
    let means: Vec<f64> = (0..names.len()).map(mean).collect();
    let covariance = |a: usize, b: usize| {
        rows.iter().map(|row| (row[a] - means[a]) * (row[b] - means[b])).sum::<f64>() / (count - 1.0)
    };
    PublicTable {
        schema: SCHEMA.to_owned(),
        source: "a test".to_owned(),
        rows: rows.len() as u64,
        terms: names
            .iter()
            .enumerate()
            .map(|(index, name)| PublicTerm {
                term: (*name).to_owned(),
                mean: means[index],
                sd: Some(covariance(index, index).sqrt()),
            })
            .collect(),
        correlation: (0..names.len())
            .map(|a| {
                let entry = |b: usize| covariance(a, b) / (covariance(a, a) * covariance(b, b)).sqrt();
                (0..names.len()).map(|b| if a == b { 1.0 } else { entry(b) }).collect()
            })
            .collect(),
    }
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn the_typed_table_gives_the_vectors_of_the_specification() {
    let vectors: Value = serde_json::from_str(VECTORS).unwrap();
    let expected =
        |name: &str| DMatrix::from_fn(3, 3, |row, column| vectors[name][row][column].as_f64().unwrap());
    let table = printed(&["a", "b", "c", "y"], &public_rows());
    let moment = unconditioned(&table, &names(&["a", "b", "c"]), false).unwrap();
    assert!((&moment - expected("M")).amax() < 1e-10);
    let factor = Cholesky::new(moment).unwrap().l().transpose();
    let roots = JacobiSvd::try_new(factor).unwrap();
    assert!((roots.power(-0.5) - expected("Minvsqrt")).amax() < 1e-10);
    let second = unconditioned(&table, &names(&["y"]), false).unwrap()[(0, 0)];
    assert!((second - vectors["s2B"].as_f64().unwrap()).abs() < 1e-10);
}

fn parse(plan: &Value) -> Plan {
    Plan::parse(&plan.to_string()).unwrap()
}

fn open(table: &str) -> Table {
    Table::stream(Cursor::new(table.as_bytes().to_vec()), HeaderRules::default()).unwrap()
}

/// A CSV through the road of a public file.
fn from_csv(plan: &Value, table: &str) -> Result<PublicTable, EngineError> {
    let table = open(table);
    let header = table.header();
    let prepared = prepare_table(&parse(plan), &header.names, header.delimiter)?;
    let scan = table.scan(prepared.bound(), || prepared.sums(), 1).unwrap();
    table_of(&prepared, &scan.sink)
}

fn refusal(result: Result<PublicTable, EngineError>) -> PlanError {
    match result {
        Err(EngineError::Plan(error)) => error,
        other => panic!("{other:?}"),
    }
}

/// A plan over ages, years far from zero, a rare level and a pressure.
fn clinic() -> Value {
    let mut plan = support::plan(
        &[
            column("age", "feature", 0.0, 120.0),
            column("when", "feature", 1.6e9, 1.8e9),
            json!({"name": "arm", "role": "feature", "type": "category", "levels": ["none", "old", "new"]}),
            column("sbp", "outcome", 60.0, 260.0),
        ],
        json!({"mu": 1.0}),
    );
    plan["mechanism"]["name"] = json!("analyze-gauss");
    plan
}

/// People of [`clinic`], as the terms' values.
fn people(count: u32) -> Vec<Vec<f64>> {
    (0..count)
        .map(f64::from)
        .map(|i| {
            let age = 50.0 + 20.0 * libm::sin(i);
            let when = 1.7e9 + 3e4 * libm::cos(1.7 * i);
            let arm = i % 50.0;
            let [old, new] = [arm < 20.0, arm >= 49.0].map(|is| if is { 1.0 } else { 0.0 });
            vec![age, when, old, new, 90.0 + age - 7.0 * old + 9.0 * libm::sin(3.1 * i)]
        })
        .collect()
}

fn clinic_csv(people: &[Vec<f64>]) -> String {
    let mut csv = "sbp,id,arm,when,age\n".to_owned();
    for (id, person) in people.iter().enumerate() {
        let arm = match (person[2] > 0.5, person[3] > 0.5) {
            (false, false) => "none",
            (true, _) => "old",
            (false, true) => "new",
        };
        writeln!(csv, "{},{id},{arm},{},{}", person[4], person[1], person[0]).unwrap();
    }
    csv
}

const TERMS: [&str; 5] = ["age", "when", "arm[old]", "arm[new]", "sbp"];

/// Row 2 of the specification: rows read as a CSV and the same rows as a paper prints them give the same moments, relative to the
/// sizes of the terms, and the same standard deviations, relative to what is left of a clock's digits.
#[test]
fn a_csv_and_a_typed_table_give_the_same_moments() {
    let people = people(400);
    let typed = printed(&TERMS, &people);
    let read = from_csv(&clinic(), &clinic_csv(&people)).unwrap();
    assert_eq!(read.rows, 400);
    let order: Vec<&str> = read.terms.iter().map(|term| term.term.as_str()).collect();
    assert_eq!(order, TERMS);
    for intercept in [true, false] {
        let guides = [&typed, &read]
            .map(|table| Whitener::new(table, &names(&TERMS[..4]), &names(&["sbp"]), intercept).unwrap());
        let [typed, read] = &guides;
        for (row, column) in (0..typed.moment.nrows()).flat_map(|row| (0..=row).map(move |c| (row, c))) {
            let size = (typed.moment[(row, row)] * typed.moment[(column, column)]).sqrt();
            let gap = (typed.moment[(row, column)] - read.moment[(row, column)]).abs() / size;
            assert!(gap < 1e-12, "{row} {column}: {gap}");
        }
        let (a, b) = (typed.outcomes[0].unwrap(), read.outcomes[0].unwrap());
        assert!((a.second - b.second).abs() < 1e-12 * a.second);
        assert!((a.mean - b.mean).abs() < 1e-12 * a.mean);
    }
    // The sums of deviations from a mean of 1.7e9 in doubles have lost digits, not the integers.
    for (a, b) in typed.terms.iter().zip(&read.terms) {
        assert!((a.sd.unwrap() / b.sd.unwrap() - 1.0).abs() < 1e-9, "{a:?} {b:?}");
    }
}

/// The levels' standard deviations may be left out.
#[test]
fn a_share_says_the_deviation_of_a_level() {
    let mut table = from_csv(&clinic(), &clinic_csv(&people(400))).unwrap();
    let full = unconditioned(&table, &names(&TERMS), true).unwrap();
    table.terms[2].sd = None;
    table.terms[3].sd = None;
    assert!((unconditioned(&table, &names(&TERMS), true).unwrap() - full).amax() < 1e-9);
}

/// Where records are skipped or clipped in the private table they are so in the public one.
#[test]
fn a_public_csv_is_read_by_the_rules_of_the_plan() {
    let plan = clinic();
    let csv = "age,when,arm,sbp\n20,1700000000,old,100\n500,1700000010,new,110\n30,1700000020,none,120\nNA,1,old,90\n\
               40,1700000030,other,90\n";
    let table = from_csv(&plan, csv).unwrap();
    assert_eq!(table.rows, 3);
    assert!((table.terms[0].mean - (20.0 + 120.0 + 30.0) / 3.0).abs() < 1e-10);
    let mut midpoint = plan;
    midpoint["missing"] = json!("midpoint");
    assert_eq!(from_csv(&midpoint, csv).unwrap().rows, 5);
}

#[test]
fn the_outcome_may_be_missing_and_patterns_and_ids_are_kept_apart() {
    let mut plan = clinic();
    plan["columns"][0] =
        json!({"match": "a*e", "role": "feature", "type": "number", "lower": 0, "upper": 120});
    plan["person"] = json!("apple");
    plan["adjacency"] = json!("replace-one");
    plan["rows"] = json!(12);
    let csv = "apple,age,when,arm\nx,20,1700000000,old\nx,60,1700000010,new\ny,30,1700000020,none\n";
    let table = from_csv(&plan, csv).unwrap();
    let terms: Vec<&str> = table.terms.iter().map(|term| term.term.as_str()).collect();
    assert_eq!(terms, ["age", "when", "arm[old]", "arm[new]"]);
    assert_eq!(table.rows, 3, "all rows of a public person count");
}

#[test]
fn what_a_public_csv_cannot_say_is_refused_by_name() {
    let plan = clinic();
    let people = people(400);
    let without = |level: usize| {
        let mut rest = people.clone();
        rest.retain(|person| person[level] < 0.5);
        rest
    };
    let error = refusal(from_csv(&plan, &clinic_csv(&without(3))));
    assert!(error.what.contains("no row") && error.what.contains("`arm[new]`"), "{error}");
    let all: Vec<Vec<f64>> = people.iter().filter(|person| person[2] > 0.5).cloned().collect();
    let error = refusal(from_csv(&plan, &clinic_csv(&all)));
    assert!(error.what.contains("every row") && error.what.contains("`arm[old]`"), "{error}");
    let constant = "age,when,arm,sbp\n20,1700000000,old,1\n20,1700000010,new,2\n20,1700000020,none,3\n";
    assert!(refusal(from_csv(&plan, constant)).what.contains("`age` is the same"));
    let one = "age,when,arm,sbp\n20,1700000000,old,1\n";
    assert!(refusal(from_csv(&plan, one)).what.contains("1 rows"));
    assert!(refusal(from_csv(&plan, "age,when,arm,sbp\n")).what.contains("0 rows"));
    let error = refusal(from_csv(&plan, "age,arm,sbp\n1,old,3\n"));
    assert!(error.what.contains("no column `when`"), "{error}");
    // An outcome that does not vary is no reason: only its own moments are missing.
    let still = "age,when,arm,sbp\n20,1700000000,old,100\n21,1700000010,new,100\n23,1700000020,none,100\n";
    assert!(from_csv(&plan, still).unwrap().terms.iter().all(|term| term.term != "sbp"));
}

/// A charged release of the diabetes table, which is public anyway.
fn released(plan: &Value) -> Release {
    let table = open(DIABETES);
    let header = table.header();
    let prepared = engine::prepare(parse(plan), &header.names, header.delimiter, Purpose::Release).unwrap();
    let scan = table.scan(prepared.bound(), || prepared.sums(), 1).unwrap();
    let charge = LedgerReference { id: "0".repeat(32), entry: 1, idealised: false, promise: None };
    let gathered: Sums = scan.sink;
    support::release(&prepared, &gathered, charge).unwrap()
}

fn diabetes_plan(mechanism: &str, budget: Value) -> Value {
    let mut plan = support::plan(
        &[
            column("age", "feature", 18.0, 90.0),
            column("bmi", "feature", 16.0, 45.0),
            column("bp", "feature", 50.0, 150.0),
            column("target", "outcome", 0.0, 400.0),
        ],
        budget,
    );
    plan["mechanism"]["name"] = json!(mechanism);
    plan
}

const FEATURES: [&str; 3] = ["age", "bmi", "bp"];

/// With hardly any noise a release says what the rows do, as a whole matrix and as blocks.
#[test]
fn an_earlier_release_gives_the_moments_of_its_rows() {
    for mechanism in ["analyze-gauss", "reuse-cov-gauss"] {
        let plan = diabetes_plan(mechanism, json!({"mu": 100.0}));
        let rows = from_csv(&plan, DIABETES).unwrap();
        let release = released(&plan);
        let read = table_of_release(&release, &names(&FEATURES), &names(&["target", "other"])).unwrap();
        assert!(read.rows.abs_diff(442) <= 1, "{}", read.rows);
        let guides = [&rows, &read]
            .map(|table| Whitener::new(table, &names(&FEATURES), &names(&["target"]), true).unwrap());
        let [truth, guide] = &guides;
        let whitened = &truth.inverse_root * &guide.moment * &truth.inverse_root;
        let gap = (whitened - DMatrix::identity(4, 4)).amax();
        assert!(gap < 0.02, "{mechanism}: {gap}");
        let (a, b) = (truth.outcomes[0].unwrap(), guide.outcomes[0].unwrap());
        assert!((a.second / b.second - 1.0).abs() < 0.01, "{mechanism}");
    }
}

/// Noise makes of covariances what no table has; what comes of it is positive definite, or a refusal.
#[test]
fn a_noisy_release_is_repaired_or_refused() {
    let mut repaired = 0;
    for mu in [0.02, 0.1, 0.3, 1.0] {
        for _ in 0..5 {
            let release = released(&diabetes_plan("analyze-gauss", json!({"mu": mu})));
            match table_of_release(&release, &names(&FEATURES), &names(&["target"])) {
                Ok(table) => {
                    let guide = Whitener::new(&table, &names(&FEATURES), &names(&["target"]), true).unwrap();
                    assert!(Eigen::try_new(&guide.moment).unwrap().smallest() > 0.0);
                    assert!(guide.inverse_root.iter().all(|entry| entry.is_finite()));
                    repaired += 1;
                }
                Err(error) => assert!(error.to_string().contains("noise"), "{error}"),
            }
        }
    }
    assert!(repaired > 5, "{repaired}");
}

#[test]
fn releases_that_say_nothing_public_are_refused() {
    let features = names(&FEATURES);
    let plan = diabetes_plan("analyze-gauss", json!({"mu": 10.0}));
    let release = released(&plan);
    let error = refusal(table_of_release(&release, &names(&["age", "s5"]), &[]));
    assert!(error.what.contains("no moments of `s5`"), "{error}");

    let prepared = support::prepared(&plan, DIABETES).unwrap();
    let scan = support::scan(&prepared, DIABETES, |_| prepared.sums());
    let demo = engine::demonstrate(&prepared, &scan.sink, DemoRng::new(1, 1), support::software()).unwrap();
    let error = refusal(table_of_release(demo.document(), &features, &[]));
    assert!(error.what.contains("demonstration"), "{error}");
    let mut disguised = demo.document().clone();
    disguised.demo = None;
    assert!(refusal(table_of_release(&disguised, &features, &[])).what.contains("demonstration"));

    let mut bare = release.clone();
    bare.moments = None;
    assert!(refusal(table_of_release(&bare, &features, &[])).what.contains("only coefficients"));
    let mut other = release.clone();
    other.schema = "discreet.release/2".to_owned();
    assert!(table_of_release(&other, &features, &[]).is_err());
    let mut damaged = release.clone();
    if let Some(moments) = &mut damaged.moments {
        moments.terms[1].scale = f64::NAN;
    }
    assert!(table_of_release(&damaged, &features, &[]).is_err());
    let mut headless = release;
    if let Some(moments) = &mut headless.moments {
        moments.terms[0].term = "constant".to_owned();
    }
    assert!(refusal(table_of_release(&headless, &features, &[])).what.contains("how many rows"));
}

/// Every mechanism that is built so far does without, and says so before any file is read.
#[test]
fn a_mechanism_that_takes_none_refuses_public_input() {
    let plan = diabetes_plan("analyze-gauss", json!({"mu": 1.0}));
    let table = from_csv(&plan, DIABETES).unwrap();
    let header = open(DIABETES).header().clone();
    let error = prepare_with(parse(&plan), Some(&table), &header.names, header.delimiter, Purpose::Simulate)
        .unwrap_err();
    assert!(error.to_string().contains("`analyze-gauss` takes no public input"), "{error}");
    let prepared = engine::prepare(parse(&plan), &header.names, header.delimiter, Purpose::Simulate).unwrap();
    assert_eq!(prepared.public(), None);
    assert!(ConfiguredPlan::new(parse(&plan), false, Purpose::Simulate).is_ok());
    assert!(ConfiguredPlan::new(parse(&plan), true, Purpose::Simulate).is_err());
    let derived = plan_for(&parse(&plan), &header.names);
    assert_eq!(derived.mechanism.name, "ols");
    let (features, outcomes) =
        term_names(&prepare_table(&parse(&plan), &header.names, header.delimiter).unwrap());
    assert_eq!((features, outcomes), (names(&FEATURES), names(&["target"])));
}

/// Nothing that can be typed makes a panic or a number that is none.
#[test]
fn hostile_tables_are_repaired_or_refused() {
    let extremes = [1e100, -1e100, 1e-100, 1.0, 0.0, -0.0, 1e308, f64::NAN, f64::INFINITY];
    let mut settled = 0;
    for (&mean, &sd) in extremes.iter().flat_map(|mean| extremes.iter().map(move |sd| (mean, sd))) {
        for r in [0.0, 0.999_999_999, -1.0, 1.0, f64::NAN] {
            let term = |name: &str, mean, sd| PublicTerm { term: name.to_owned(), mean, sd: Some(sd) };
            let table = PublicTable {
                schema: SCHEMA.to_owned(),
                source: "anywhere".to_owned(),
                rows: 30,
                terms: vec![term("a", mean, sd), term("b", 1.0, 1.0), term("c", sd, 1e-50)],
                correlation: vec![vec![1.0, r, r], vec![r, 1.0, r], vec![r, r, 1.0]],
            };
            for intercept in [true, false] {
                let Ok(guide) = Whitener::new(&table, &names(&["a", "b", "c"]), &[], intercept) else {
                    continue;
                };
                let all = [&guide.moment, &guide.root, &guide.inverse_root, &guide.inverse];
                assert!(all.iter().all(|matrix| matrix.iter().all(|entry| entry.is_finite())));
                settled += 1;
            }
        }
    }
    assert!(settled > 20, "{settled}");
    let wide: Vec<String> = (0..2000).map(|index| format!("x{index}")).collect();
    let table = PublicTable {
        schema: SCHEMA.to_owned(),
        source: "anywhere".to_owned(),
        rows: 30,
        terms: wide.iter().map(|name| PublicTerm { term: name.clone(), mean: 0.0, sd: Some(1.0) }).collect(),
        correlation: (0..2000)
            .map(|row| (0..2000).map(|column| f64::from(u8::from(row == column))).collect())
            .collect(),
    };
    assert!(table.check().is_ok());
    assert_eq!(Whitener::new(&table, &wide, &[], true).unwrap_err().path, "columns");
    let guide = Whitener::new(&table, &wide[..60], &names(&["x1999"]), true).unwrap();
    assert_eq!(guide.moment.nrows(), 61);
}

/// A bench with 292 patients as the private table and 150 others as the public one.
fn guided_bench() -> Bench {
    let bench = Bench::new();
    let mut lines = DIABETES.lines();
    let header = lines.next().unwrap();
    let rows: Vec<&str> = lines.collect();
    let csv = |rows: &[&str]| format!("{header}\n{}\n", rows.join("\n"));
    bench.write("public.csv", csv(&rows[..150]));
    bench.write("table.csv", csv(&rows[150..]));
    let mut plan = diabetes_plan("pmt-ridge", json!({"epsilon": 4, "delta": 1e-5}));
    plan["stated_rows"] = json!(300);
    bench.plan(&plan);
    bench.open_ledger("8");
    bench
}

const GUIDED: &str = "release --plan plan.json --ledger ledger.json table.csv --public";

#[test]
fn a_guided_release_repeats_what_was_public() {
    let bench = guided_bench();
    let from_csv: Release = serde_json::from_str(&bench.ok(&format!("{GUIDED} public.csv"))).unwrap();
    let table = from_csv.public.unwrap();
    assert_eq!((table.rows, table.terms.len()), (150, 4));
    assert!(!table.source.contains("public.csv"));
    // What the release repeats gives the same again.
    bench.write("typed.json", serde_json::to_string(&table).unwrap());
    let line = |public: &str| format!("simulate --plan plan.json --seed 3 table.csv --public {public}");
    let [csv, typed] = [bench.ok(&line("public.csv")), bench.ok(&line("typed.json"))];
    assert_eq!(csv, typed);

    let mut plan: Value = serde_json::from_str(&bench.read("plan.json")).unwrap();
    let guided = plan.clone();
    plan["mechanism"] = json!({"name": "analyze-gauss"});
    plan["budget"] = json!({"mu": 3.0});
    plan.as_object_mut().unwrap().remove("stated_rows");
    bench.plan(&plan);
    bench.ok("ledger new other.json --mu 3 --delta 1e-5 --adjacency add-remove");
    let earlier = bench.ok("release --plan plan.json --ledger other.json public.csv");
    bench.write("earlier.json", earlier);
    bench.plan(&guided);
    let by_release: Release = serde_json::from_str(&bench.ok(&line("earlier.json"))).unwrap();
    let table = by_release.public.unwrap();
    assert!(table.rows.abs_diff(150) < 20 && table.source.contains("analyze-gauss"), "{table:?}");
    // What was repaired of the public moments stands in the release.
    let mut few = serde_json::from_str::<Value>(&bench.read("typed.json")).unwrap();
    few["rows"] = json!(12);
    bench.write("few.json", few.to_string());
    let said: Release = serde_json::from_str(&bench.ok(&line("few.json"))).unwrap();
    assert!(said.diagnostics.notes.iter().any(|note| note.contains("12 rows for 4 terms")));
    bench.write("demo.json", csv);
    assert!(bench.fails(&format!("{GUIDED} demo.json"), 2).contains("demonstration"));
}

#[test]
fn the_private_table_is_not_public_and_nothing_is_charged() {
    let bench = guided_bench();
    let before = bench.read("ledger.json");
    let private = bench.read("table.csv");
    bench.write("copy.csv", &private);
    bench.write("longer.csv", format!("{private}\n"));
    let turned = |line: &str| line.split(',').rev().collect::<Vec<_>>().join(";");
    bench.write("turned.csv", private.lines().map(turned).collect::<Vec<_>>().join("\n"));
    for name in ["table.csv", "./table.csv", "copy.csv", "longer.csv", "turned.csv"] {
        let error = bench.fails(&format!("{GUIDED} {name}"), 2);
        assert!(error.contains("all of 100 rows"), "{error}");
        let error = bench.fails(&format!("{GUIDED} {name} --confirm-public yes"), 2);
        assert!(error.contains("needs the words"), "{error}");
    }
    // Standard input is compared while it is read.
    let line = "release --plan plan.json --ledger ledger.json - --public";
    let error = failed(&bench.piped(&format!("{line} copy.csv"), "table.csv"), 2, "standard input");
    assert!(error.contains("all of 100 rows"), "{error}");
    assert_eq!(bench.read("ledger.json"), before);

    assert!(
        bench
            .fails("release --plan plan.json --ledger ledger.json table.csv", 2)
            .contains("needs public input")
    );
    assert!(bench.fails(&format!("{GUIDED} nothing.csv"), 2).contains("the public file nothing.csv"));
    bench.write("short.csv", "age,bmi\n1,2\n");
    assert!(bench.fails(&format!("{GUIDED} short.csv"), 2).contains("no column `bp`"));
    bench.write("broken.json", "{\"schema\": \"discreet.public/1\", \"rows\": 2");
    bench.fails(&format!("{GUIDED} broken.json"), 2);
    assert_eq!(bench.read("ledger.json"), before);
    let output = bench.piped(&format!("{line} public.csv"), "table.csv");
    assert!(output.status.success(), "{}", crate::cli::text(&output.stderr));
}

#[test]
fn a_person_can_state_that_equal_rows_are_other_people() {
    let bench = guided_bench();
    bench.write("copy.csv", format!("{}\n", bench.read("table.csv")));
    let mut command = bench.command(GUIDED);
    let output = command.args(["copy.csv", "--confirm-public", "different people"]).output().unwrap();
    assert!(output.status.success(), "{}", crate::cli::text(&output.stderr));
}
