//! Native tests, one binary.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod account;
mod accuracy;
mod adaptive;
#[path = "../audit/adaptive/mod.rs"]
mod adaptive_checks;
mod adaptive_logistic;
#[path = "../audit/adaptive_logistic/mod.rs"]
mod adaptive_logistic_checks;
mod altered;
mod architecture;
mod assurance;
mod audit;
mod citations;
mod cli;
mod containers;
mod coverage;
mod derived;
mod estimated_bounds;
#[path = "../audit/estimated_bounds/mod.rs"]
mod estimated_bounds_checks;
mod forecasts;
mod foresee;
mod formats;
mod fuzz;
mod genotypes;
mod hostile;
mod inference;
mod inspection;
mod intervals;
mod journal;
#[cfg(feature = "audit-mutants")]
mod killed;
mod leaks;
#[cfg(unix)]
mod ledger;
#[cfg(feature = "audit-mutants")]
#[path = "../audit/ledger_attacks.rs"]
mod ledger_attacks;
#[path = "../audit/ledger_model.rs"]
mod ledger_model;
mod levels;
mod mechanisms;
#[cfg(feature = "audit-mutants")]
#[path = "../audit/mutants.rs"]
mod mutants;
mod only;
mod page;
mod passes;
mod pivots;
mod plans;
mod pmt;
mod primo;
mod primo_intervals;
mod profiles;
mod projections;
mod public;
mod records;
mod reproduce;
#[path = "../reproduce/accuracy/mod.rs"]
mod reproduce_accuracy;
#[path = "../reproduce/common.rs"]
mod reproduce_common;
#[path = "../reproduce/pmt/mod.rs"]
mod reproduce_pmt;
#[path = "../reproduce/primo/mod.rs"]
mod reproduce_primo;
#[path = "../reproduce/sheffet/mod.rs"]
mod reproduce_sheffet;
mod schema;
mod sheffet;
mod slices;
mod support;
mod vectors;
#[path = "../vectors/harness.rs"]
mod vectors_harness;
#[path = "../vectors/primo.rs"]
mod vectors_primo;
#[path = "../web/golden.rs"]
mod web_golden;
#[path = "../web/pld.rs"]
mod web_pld;
mod words;

use audit::audits;
