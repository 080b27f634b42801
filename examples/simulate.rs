//! What a budget does to a coefficient: seeded demonstrations on a table that may be seen. They protect nobody.
//!
//! `cargo run --example simulate`

use std::error::Error;
use std::io::Cursor;

use discreet::cli::table::Table;
use discreet::data::HeaderRules;
use discreet::engine::simulate::Source;
use discreet::engine::{Simulation, prepare};
use discreet::plan::{Plan, Purpose};
use discreet::release::document::{Coefficients, Software};
use serde_json::json;

fn main() -> Result<(), Box<dyn Error>> {
    // A synthetic table: y is 2 x and a little more.
    let rows = (0..5_000).map(|row| {
        let x = f64::from(row % 101) / 100.0;
        format!("{x},{}\n", 2.0 * x + f64::from(row % 7) / 10.0)
    });
    let table: String = std::iter::once("x,y\n".to_owned()).chain(rows).collect();
    for epsilon in [0.5, 1.0, 2.0, 4.0] {
        let plan = json!({
            "schema": "discreet.plan/1",
            "adjacency": "add-remove",
            "columns": [
                {"name": "x", "role": "feature", "type": "number", "lower": 0, "upper": 1},
                {"name": "y", "role": "outcome", "type": "number", "lower": 0, "upper": 3},
            ],
            "mechanism": {"name": "analyze-gauss"},
            "budget": {"epsilon": epsilon, "delta": 1e-5},
        });
        let reading = Table::stream(Cursor::new(table.clone().into_bytes()), HeaderRules::default())?;
        let header = reading.header().clone();
        let prepared =
            prepare(Plan::parse(&plan.to_string())?, &header.names, header.delimiter, Purpose::Simulate)?;
        let sums = reading.scan(prepared.bound(), || prepared.sums(), 1)?.sink;
        let simulation =
            Simulation::new(prepared, Source::Once(sums), 1, Software::new("example".to_owned()));
        let slopes = (1..=5).map(|run| {
            let demonstration = simulation.run(run)?;
            let Coefficients::List(list) = &demonstration.document().coefficients else {
                return Ok(f64::NAN);
            };
            Ok(list
                .iter()
                .find(|entry| entry.term == "x")
                .and_then(|entry| entry.estimate)
                .unwrap_or(f64::NAN))
        });
        let slopes = slopes.collect::<Result<Vec<f64>, Box<dyn Error>>>()?;
        println!("epsilon {epsilon}: {slopes:.3?}");
    }
    Ok(())
}
