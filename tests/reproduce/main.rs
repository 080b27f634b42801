//! `make reproduce-sheffet`, `make reproduce-primo` and `make reproduce-pmt`: papers' experiments once more. `make compare-accuracy`: how
//! accurate each method is.
//!
//! Writes the document that its argument names and fails where a cell leaves its tolerance for no reason that sampling
//! gives. `FULL=1` runs what takes long as well; `REAL=DIR` names the folder of real tables that a person has.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a reproduction fails by panicking"
)]

mod accuracy;
mod pmt;
mod primo;
#[path = "common.rs"]
mod reproduce_common;
mod sheffet;

use std::path::Path;
use std::process::ExitCode;

/// What the documents in the repository have.
const SHEFFET: sheffet::Size =
    sheffet::Size { log_rows: 22, several_log_rows: 20, repetitions: 15, whole: true };
const PRIMO: primo::Size = primo::Size { rows: 5008, runs: 10, outcomes: 100_000, whole: true, full: false };
const PMT: pmt::Size = pmt::Size { runs: 300, descents: 30, fits: 100, shrunk: 1 };
/// Sheffet's longest table, and PRIMO's most known outcomes, as well.
const FULL_SHEFFET: sheffet::Size = sheffet::Size { log_rows: 25, ..SHEFFET };
const FULL_PRIMO: primo::Size = primo::Size { full: true, ..PRIMO };

const ACCURACY: accuracy::Size = accuracy::Size {
    epsilons: &[0.5, 1.0, 2.0, 8.0],
    shrunk: 1,
    tables: None,
    slopes: 200,
    least_runs: 4,
    most_runs: 30,
    work: 6e8,
};
/// Four times as many runs.
const FULL_ACCURACY: accuracy::Size =
    accuracy::Size { slopes: 800, least_runs: 10, most_runs: 120, work: 1e10, ..ACCURACY };

fn main() -> ExitCode {
    let full = std::env::var_os("FULL").is_some_and(|value| value == "1");
    let path = std::env::args().nth(1).unwrap_or_default();
    let (text, verdict, failures) = if path.ends_with("sheffet.md") {
        let page = sheffet::run(if full { &FULL_SHEFFET } else { &SHEFFET });
        (page.text(), page.verdict(), page.failures().to_vec())
    } else if path.ends_with("primo.md") {
        let page = primo::run(if full { &FULL_PRIMO } else { &PRIMO });
        (page.text(), page.verdict(), page.failures().to_vec())
    } else if path.ends_with("pmt.md") {
        let real = std::env::var_os("REAL").filter(|folder| !folder.is_empty());
        let page = pmt::run(&PMT, real.as_deref().map(Path::new));
        (page.text(), page.verdict(), page.failures().to_vec())
    } else if path.ends_with("accuracy.md") {
        let document = accuracy::run(if full { &FULL_ACCURACY } else { &ACCURACY });
        // What is not reached is said in the document; it is a finding, not a failure of this program.
        (document.text, document.verdicts.join("\n"), Vec::new())
    } else {
        eprintln!(
            "name the document to write: reproduce-sheffet.md, reproduce-primo.md, reproduce-pmt.md or accuracy.md, in docs/evidence"
        );
        return ExitCode::FAILURE;
    };
    std::fs::write(&path, text).expect("the document can be written");
    for failure in &failures {
        eprintln!("{failure}");
    }
    println!("{path}: {verdict}");
    if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
