//! A release by the library: a plan and a table become a charged release, on standard output.
//!
//! `cargo run --example release -- www/samples/diabetes.csv`
//!
//! The ledger is kept in memory here. A program that releases from a real table writes it to the disk between `reserve` and the release,
//! as the command line does: a charge has to survive a crash.

use std::error::Error;
use std::path::Path;

use discreet::cli::table::Table;
use discreet::data::HeaderRules;
use discreet::engine::{Computation, check_table, prepare};
use discreet::noise::entropy::{PrivateRng, random_id};
use discreet::plan::{Plan, Purpose};
use discreet::privacy::adjacency::{Adjacency, Protect};
use discreet::privacy::calibrate::{Budget, Split};
use discreet::privacy::ledger::{Ledger, Opening, Terms};
use discreet::privacy::measure::{Delta, Epsilon};
use discreet::release::document::{LedgerReference, Software};

/// Bounds are public: they come from what is known of the quantities, not from the table.
const PLAN: &str = r#"{
  "schema": "discreet.plan/1",
  "adjacency": "add-remove",
  "columns": [
    {"name": "bmi", "role": "feature", "type": "number", "lower": 18, "upper": 42, "unit": "kg/m²"},
    {"name": "bp", "role": "feature", "type": "number", "lower": 60, "upper": 140, "unit": "mmHg"},
    {"name": "target", "role": "outcome", "type": "number", "lower": 0, "upper": 400}
  ],
  "mechanism": {"name": "analyze-gauss"},
  "budget": {"epsilon": 2, "delta": 2e-4}
}"#;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "www/samples/diabetes.csv".to_owned());

    // The budget of the table, fixed once: four times what the plan asks for.
    let terms = Terms { adjacency: Adjacency::AddRemove, protect: Protect::Rows, max_rows_per_person: 1 };
    let mut ledger = Ledger::open(&Opening {
        id: random_id()?,
        created: "2026-11-23",
        terms,
        budget: Budget::EpsilonDelta { epsilon: Epsilon::try_new(8.0)?, delta: Delta::try_new(2e-4)? },
        split: Split::Gaussian,
    })?;

    // Everything that is public: the grid, the noise and the cost. No row is read for it.
    let table = Table::open(Path::new(&path), HeaderRules::default())?;
    let header = table.header().clone();
    let prepared = prepare(Plan::parse(PLAN)?, &header.names, header.delimiter, Purpose::Release)?;

    // The exact sums. They stay here; nothing prints them.
    let scan = table.scan(prepared.bound(), || prepared.sums(), 2)?;
    check_table(&prepared, scan.records, scan.persons)?;

    // Charge, then draw the noise of the one round, then add it to the sums and write.
    let entry = ledger.reserve(&prepared.request())?;
    let charge = LedgerReference::new(&ledger, entry);
    let software = Software::new("example".to_owned());
    let mut computation = Computation::new(&prepared, PrivateRng::from_os()?);
    while computation.next_statistic().is_some() {
        computation.answer(&scan.sink)?;
    }
    let released = computation.release(charge, software)?;
    ledger.release(entry)?;
    released.write(std::io::stdout())?;
    Ok(())
}
