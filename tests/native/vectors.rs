//! The golden numbers natively: those of `tests/vectors`, and those of any folder that `DISCREET_VECTORS` names.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::vectors_harness::{Answer, FILES, Row, all_pass, judge, run};
use crate::vectors_primo;

/// Golden numbers in another form, which the tests of their mechanisms read.
const DOCUMENTS: [&str; 6] = [
    "adaptive.json", "adaptive_gate.json", "adaptive_logistic.json", "estimated_bounds.json", "pmt.json",
    "primo.json",
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors")
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn golden_numbers() {
    all_pass();
}

#[test]
fn golden_numbers_of_primo() {
    vectors_primo::all_pass();
}

#[test]
fn no_file_is_forgotten() {
    let known = FILES
        .iter()
        .map(|(name, _)| *name)
        .chain(DOCUMENTS)
        .chain(["README.md", "adaptive.rs", "harness.rs", "primo.rs"]);
    let mut known: Vec<String> = known.map(str::to_owned).collect();
    known.sort();
    assert_eq!(names_in(&folder()), known);
}

#[test]
fn golden_numbers_of_a_named_folder() {
    let Some(folder) = std::env::var_os("DISCREET_VECTORS") else { return };
    let folder = Path::new(&folder);
    let mut wrong = Vec::new();
    for name in names_in(folder).into_iter().filter(|name| name.ends_with(".csv")) {
        let outcome = run(&name, &fs::read_to_string(folder.join(&name)).unwrap());
        println!("{name}: {} passed", outcome.passed);
        if !outcome.unknown.is_empty() {
            println!("{name}: not built yet: {:?}", outcome.unknown);
        }
        wrong.extend(outcome.wrong);
    }
    assert!(wrong.is_empty(), "{} failed:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_wrong_answer_fails() {
    use Answer::{Ln, Number, Text};
    let row = |expected: &str, below: &str, above: &str| Row {
        name: String::new(),
        inputs: BTreeMap::new(),
        expected: expected.to_owned(),
        below: below.to_owned(),
        above: above.to_owned(),
    };
    let number = row("2.0", "0.25", "0.5");
    for (x, passes) in [(1.75, true), (2.5, true), (1.74, false), (2.51, false), (f64::NAN, false)] {
        assert_eq!(judge(&number, &Number(x)), passes, "{x}");
    }
    let ln = row("1e-1000", "1e-1003", "1e-1001");
    let exact = -1000.0 * std::f64::consts::LN_10;
    for (difference, passes) in [(0.0, true), (0.09, true), (0.1, false), (-0.000_9, true), (-0.002, false)] {
        assert_eq!(judge(&ln, &Ln(exact + difference)), passes, "{difference}");
    }
    assert!(judge(&row("12", "0", "0"), &Text("12".to_owned())));
    assert!(!judge(&row("12", "0", "0"), &Text("12.0".to_owned())));
}

#[test]
fn a_row_that_nobody_answers_is_seen() {
    let text = "name,inputs,expected,tol_below,tol_above\nnew,fn=not_a_function;x=1,1,0,0\n";
    assert_eq!(run("new.csv", text).unknown.into_iter().collect::<Vec<_>>(), ["not_a_function"]);
    let text = "name,inputs,expected,tol_below,tol_above\nwrong,fn=basic_eps;k=2;eps=1,3,0,0\n";
    assert_eq!(run("new.csv", text).wrong.len(), 1);
}
