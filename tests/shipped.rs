//! The program as it is handed out: a build without the feature `audit-mutants` knows no mutant, no place to stop at and no
//! mechanism that is there for tests.

#![cfg(not(feature = "audit-mutants"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use std::fs;
use std::process::{Command, Output};

const PROGRAM: &str = env!("CARGO_BIN_EXE_discreet");

const PLAN: &str = r#"{"schema": "discreet.plan/1", "adjacency": "add-remove", "columns": [
    {"name": "x", "role": "feature", "type": "number", "lower": 0, "upper": 1},
    {"name": "y", "role": "outcome", "type": "number", "lower": 0, "upper": 1}],
    "mechanism": {"name": "analyze-gauss"}, "budget": {"epsilon": 1, "delta": 1e-5}}"#;

#[test]
fn a_program_that_is_handed_out_cannot_be_stopped_or_spoiled_by_a_variable() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("plan.json"), PLAN).unwrap();
    fs::write(folder.path().join("table.csv"), "x,y\n0.25,0.5\n0.75,1\n").unwrap();
    let run = |line: &str| -> Output {
        let mut command = Command::new(PROGRAM);
        command.args(line.split(' ')).current_dir(folder.path());
        command.env("DISCREET_HALT", "1").env("DISCREET_MUTANT", "DoubleSpend").output().unwrap()
    };
    for line in [
        "ledger new ledger.json --epsilon 1 --delta 1e-5 --adjacency add-remove",
        "release --plan plan.json --ledger ledger.json table.csv",
    ] {
        let output = run(line);
        let said = String::from_utf8(output.stderr).unwrap();
        let silent = said.lines().all(|said| said.contains(" rows counted"));
        assert!(output.status.code() == Some(0) && silent, "{line}: {said}");
    }
}

#[test]
fn a_program_that_is_handed_out_has_nothing_that_is_for_tests() {
    let program = fs::read(PROGRAM).unwrap();
    for name in ["DISCREET_HALT", "DISCREET_MUTANT", "noisy-means"] {
        assert_eq!(memchr::memmem::find(&program, name.as_bytes()), None, "{name}");
    }
}
