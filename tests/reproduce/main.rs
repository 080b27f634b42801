//! `make reproduce-sheffet`: the tables of a paper once more, through the project's own mechanisms.
//!
//! Writes the document that its argument names and fails where a cell leaves its tolerance for no reason that sampling
//! gives. `FULL=1` goes to 2²⁵ rows.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a reproduction fails by panicking"
)]

mod sheffet;

use std::process::ExitCode;

use sheffet::Size;

/// What the document in the repository has.
const USUAL: Size = Size { log_rows: 22, several_log_rows: 20, repetitions: 15, whole: true };
/// The paper's longest table as well.
const FULL: Size = Size { log_rows: 25, ..USUAL };

fn main() -> ExitCode {
    let Some(path) = std::env::args().nth(1).filter(|argument| argument.ends_with(".md")) else {
        eprintln!("name the document to write, for instance docs/reproduce-sheffet.md");
        return ExitCode::FAILURE;
    };
    let full = std::env::var_os("FULL").is_some_and(|value| value == "1");
    let page = sheffet::run(if full { &FULL } else { &USUAL });
    std::fs::write(&path, page.text()).expect("the document can be written");
    for failure in page.failures() {
        eprintln!("{failure}");
    }
    println!("{}: {}", path, page.verdict());
    if page.failures().is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
