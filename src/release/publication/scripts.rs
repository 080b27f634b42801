//! Programs in R and Python that read a release and print its table of coefficients.

use super::super::Release;
use super::super::significance::Tests;
use super::Labels;

const PYTHON: &str = include_str!("coefficients.py");
const R: &str = include_str!("coefficients.R");

/// Returns a Python program; it needs the standard library alone.
#[must_use]
pub fn python(release: &Release, log_odds: bool, labels: &Labels) -> String {
    let flag = |on: bool| if on { "True" } else { "False" };
    filled(PYTHON, labels, flag(log_odds), flag(Tests::of(release).absent().is_none()))
}

/// Returns an R program; it needs the package `jsonlite`.
#[must_use]
pub fn r(release: &Release, log_odds: bool, labels: &Labels) -> String {
    let flag = |on: bool| if on { "TRUE" } else { "FALSE" };
    filled(R, labels, flag(log_odds), flag(Tests::of(release).absent().is_none()))
}

fn filled(program: &str, labels: &Labels, log_odds: &str, tested: &str) -> String {
    program
        .replace("@PER@", &format!("{:?}", labels.scale()))
        .replace("@LOG_ODDS@", log_odds)
        .replace("@TESTED@", tested)
}
