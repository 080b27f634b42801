//! What several tests of the engine share: plans, tables read through the public path, data sets.

use std::io::Cursor;
use std::path::PathBuf;

use discreet::cli::table::Table;
use discreet::data::{EncodedRows, Exact, HeaderRules, RowSink, Scan};
use discreet::engine::simulate::Source;
use discreet::engine::{Computation, EngineError, Prepared, Simulation, prepare};
use discreet::model::Coefficient;
use discreet::noise::entropy::PrivateRng;
use discreet::plan::{Plan, Purpose};
use discreet::release::document::{Coefficients, LedgerReference, Release, Software};
use serde_json::{Value, json};

/// 442 patients (Efron et al. 2004).
pub const DIABETES: &str = include_str!("../../www/samples/diabetes.csv");
/// 569 tumours (Wolberg et al. 1995).
pub const BREAST_CANCER: &str = include_str!("../data/breast_cancer.csv");

/// The project's folder.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// A number column of a plan.
pub fn column(name: &str, role: &str, lower: f64, upper: f64) -> Value {
    json!({"name": name, "role": role, "type": "number", "lower": lower, "upper": upper})
}

/// An add-remove plan of `columns` for `analyze-gauss`.
pub fn plan(columns: &[Value], budget: Value) -> Value {
    json!({
        "schema": "discreet.plan/1",
        "adjacency": "add-remove",
        "columns": columns,
        "mechanism": {"name": "analyze-gauss"},
        "budget": budget,
    })
}

/// The plan of the example: the disease's progression on bmi and bp.
pub fn small_diabetes_plan(budget: Value) -> Value {
    plan(
        &[
            column("bmi", "feature", 18.0, 42.0),
            column("bp", "feature", 60.0, 140.0),
            column("target", "outcome", 0.0, 350.0),
        ],
        budget,
    )
}

/// Prepares a plan for a demonstration on a table's header.
pub fn prepared(plan: &Value, table: &str) -> Result<Prepared, EngineError> {
    let header = open(table).header().clone();
    prepare(Plan::parse(&plan.to_string()).unwrap(), &header.names, header.delimiter, Purpose::Simulate)
}

/// Checks that a plan of a table with exactly its columns is refused at a path.
pub fn is_refused_at(plan: &Value, path: &str) {
    let columns = plan["columns"].as_array().unwrap().iter();
    let names: Vec<&str> = columns.map(|column| column["name"].as_str().unwrap()).collect();
    match prepared(plan, &format!("{}\n", names.join(","))) {
        Err(EngineError::Plan(error)) => assert_eq!(error.path, path, "{error}"),
        other => panic!("{path}: {other:?}"),
    }
}

/// Reads a table through the public path.
pub fn scan<S: RowSink + Send>(
    prepared: &Prepared,
    table: &str,
    sink: impl Fn(usize) -> S + Sync,
) -> Scan<S> {
    let terms = prepared.row_width();
    open(table).scan(prepared.bound(), || sink(terms), 1).unwrap()
}

/// Returns a simulation on the rows of a table.
pub fn simulation(prepared: Prepared, table: &str, seed: u64) -> Simulation {
    let sums = scan(&prepared, table, |_| prepared.sums()).sink;
    Simulation::new(prepared, Source::Once(sums), seed, software())
}

/// Returns a simulation on rows resampled from those of a table.
pub fn resampling(prepared: Prepared, table: &str, seed: u64) -> Simulation {
    let Scan { sink: rows, records, .. } = scan(&prepared, table, EncodedRows::new);
    Simulation::new(prepared, Source::Resample { rows, records }, seed, software())
}

/// Returns the first releases of a plan on a table.
pub fn runs(plan: &Value, table: &str, runs: u64) -> Vec<Release> {
    let simulation = simulation(prepared(plan, table).unwrap(), table, 1);
    (1..=runs).map(|run| simulation.run(run).unwrap().document().clone()).collect()
}

fn open(table: &str) -> Table {
    Table::stream(Cursor::new(table.as_bytes().to_vec()), HeaderRules::default()).unwrap()
}

/// Makes a release after the charge, of sums that answer each round.
pub fn release<'a>(
    prepared: &Prepared,
    sums: impl Into<Exact<'a>>,
    charge: LedgerReference,
) -> Result<Release, EngineError> {
    let sums = sums.into();
    let mut computation = Computation::new(prepared, PrivateRng::from_os().unwrap());
    while computation.next_statistic().is_some() {
        computation.answer(sums.clone())?;
    }
    computation.release(charge, software())
}

/// Returns the program that the tests' releases name.
pub fn software() -> Software {
    Software::new("test".to_owned())
}

/// Returns whether a release says that rows far out count less, with their number where it stands out of its noise.
pub fn says_that_rows_count_less(release: &Release) -> bool {
    let says = |note: &String| note.contains("have less weight") || note.contains("Rows far out count less");
    release.diagnostics.notes.iter().any(says)
}

/// The coefficients as a list.
pub fn list(release: &Release) -> &[Coefficient] {
    match &release.coefficients {
        Coefficients::List(list) => list,
        Coefficients::Table(_) => panic!("few outcomes make a list"),
    }
}
