//! How long each part of the road from bytes to a release takes: `cargo bench`.

#![allow(clippy::expect_used, reason = "a bench that cannot be set up stops")]

use discreet::data::Sums;
use discreet::data::csv::Parser;
use discreet::data::encode::{Encoded, Encoder};
use discreet::data::moments::Moments;
use discreet::engine::simulate::Source;
use discreet::engine::{Prepared, Simulation, prepare};
use discreet::inference::options::{Repair, Ridge};
use discreet::inference::refit::refit;
use discreet::noise::discrete::gaussian_diagonal;
use discreet::noise::entropy::DemoRng;
use discreet::plan::{Plan, Purpose};
use discreet::privacy::convert::gdp_mu;
use discreet::privacy::measure::{Delta, Epsilon};
use discreet::release::Release;
use discreet::release::document::Software;
use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use serde_json::json;

const ROWS: usize = 10_000;
const FEATURES: usize = 10;

fn main() {
    divan::main();
}

/// A synthetic table without its header: features and an outcome between 0 and 100.
fn table() -> String {
    let cell = |row: usize, column: usize| (row * 7919 + column * 104_729) % 1_000;
    let line = |row: usize| {
        let cells: Vec<String> = (0..=FEATURES)
            .map(|column| format!("{}.{}", cell(row, column) / 10, cell(row, column) % 10))
            .collect();
        cells.join(",") + "\n"
    };
    (0..ROWS).map(line).collect()
}

fn prepared() -> Prepared {
    let names: Vec<String> = (0..=FEATURES).map(|column| format!("c{column}")).collect();
    let columns: Vec<_> = names
        .iter()
        .enumerate()
        .map(|(index, name)| {
            let role = if index == FEATURES { "outcome" } else { "feature" };
            json!({"name": name, "role": role, "type": "number", "lower": 0, "upper": 100})
        })
        .collect();
    let plan = json!({
        "schema": "discreet.plan/1", "adjacency": "add-remove", "columns": columns,
        "mechanism": {"name": "analyze-gauss"}, "budget": {"epsilon": 8, "delta": 1e-6},
    });
    prepare(Plan::parse(&plan.to_string()).expect("a plan"), &names, b',', Purpose::Simulate)
        .expect("it can be run")
}

/// Every record of the table, encoded.
fn encoded(prepared: &Prepared, table: &str, mut visit: impl FnMut(&[i32])) {
    let mut encoder = Encoder::new(prepared.bound());
    let mut parser = Parser::new(FEATURES + 1, &prepared.bound().csv, 0, u64::MAX);
    parser
        .feed(table.as_bytes(), |record| {
            if let Encoded::Row(row) = encoder.encode(&record) {
                visit(row);
            }
        })
        .expect("a table");
}

fn moments(prepared: &Prepared) -> Moments {
    let mut moments = prepared.moments();
    encoded(prepared, &table(), |row| moments.add(row));
    moments
}

#[divan::bench]
fn reader(bencher: Bencher) {
    let (prepared, table) = (prepared(), table());
    bencher.counter(BytesCount::of_str(&table)).bench(|| {
        let mut records = 0_u32;
        let mut parser = Parser::new(FEATURES + 1, &prepared.bound().csv, 0, u64::MAX);
        parser.feed(black_box(table.as_bytes()), |_| records += 1).expect("a table");
        records
    });
}

#[divan::bench]
fn reader_and_encoder(bencher: Bencher) {
    let (prepared, table) = (prepared(), table());
    bencher.counter(ItemsCount::new(ROWS)).bench(|| {
        let mut sum = 0_i64;
        encoded(&prepared, black_box(&table), |row| sum += i64::from(row[0]));
        sum
    });
}

#[divan::bench]
fn exact_moments(bencher: Bencher) {
    let prepared = prepared();
    let mut rows: Vec<Vec<i32>> = Vec::new();
    encoded(&prepared, &table(), |row| rows.push(row.to_vec()));
    bencher.counter(ItemsCount::new(ROWS)).bench(|| {
        let mut moments = prepared.moments();
        rows.iter().for_each(|row| moments.add(black_box(row)));
        moments
    });
}

#[divan::bench]
fn discrete_gaussian_sampler(bencher: Bencher) {
    let mut rng = DemoRng::new(1, 1);
    let scale = std::num::NonZeroU64::new(1 << 49).expect("not 0");
    bencher.counter(ItemsCount::new(1_u32)).bench_local(|| gaussian_diagonal(&mut rng, black_box(scale)));
}

#[divan::bench]
fn calibration(bencher: Bencher) {
    let (epsilon, delta) =
        (Epsilon::try_new(1.0).expect("above 0"), Delta::try_new(1e-6).expect("a probability"));
    bencher.bench(|| gdp_mu(black_box(epsilon), black_box(delta)));
}

#[divan::bench]
fn plan_to_noise(bencher: Bencher) {
    bencher.bench(prepared);
}

/// Noise, fit and intervals: all that follows the reading.
#[divan::bench]
fn release(bencher: Bencher) {
    let prepared = prepared();
    let sums = moments(&prepared);
    let simulation =
        Simulation::new(prepared, Source::Once(Sums::Moments(sums)), 1, Software::new("bench".to_owned()));
    bencher.bench(|| simulation.run(black_box(1)));
}

#[divan::bench]
fn refit_from_a_release(bencher: Bencher) {
    let prepared = prepared();
    let sums = moments(&prepared);
    let simulation =
        Simulation::new(prepared, Source::Once(Sums::Moments(sums)), 1, Software::new("bench".to_owned()));
    let release: Release = simulation.run(1).expect("a demonstration").document().clone();
    let features = ["c0".to_owned(), "c1".to_owned()];
    bencher.bench(|| refit(black_box(&release), "c10", &features, Ridge::default(), Repair::default(), 0.95));
}
