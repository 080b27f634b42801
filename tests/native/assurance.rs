//! `docs/assurance.md` names tests and mutants; both have to exist, and no mutant may be missing there.

use std::fs;
use std::path::Path;

use crate::support::root;

fn rust_below(folder: &Path, text: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_below(&path, text);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            text.push_str(&fs::read_to_string(path).unwrap());
        }
    }
}

/// What stands between backquotes.
fn names(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

#[test]
fn what_the_page_names_exists_and_no_mutant_is_missing() {
    let page = fs::read_to_string(root().join("docs/assurance.md")).unwrap();
    let mut source = String::new();
    for folder in ["src", "tests/native", "tests/web", "tests/audit"] {
        rust_below(&root().join(folder), &mut source);
    }
    let mutants = fs::read_to_string(root().join("src/privacy/mutants.rs")).unwrap();
    let rows: Vec<Vec<&str>> = page
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| ---"))
        .map(|line| line.trim_matches('|').split('|').collect())
        .collect();
    assert!(rows.len() > 15, "the tables were not found");
    let mut planted = Vec::new();
    for row in &rows {
        let [_, _, tests, bugs] = row.as_slice() else { panic!("{row:?} has not four cells") };
        for test in names(tests).filter(|name| !name.contains('/')) {
            assert!(source.contains(&format!("fn {test}(")), "no test is called {test}");
        }
        for bug in names(bugs) {
            assert!(mutants.contains(&format!("    {bug},\n")), "no bug is called {bug}");
            planted.push(bug);
        }
    }
    let variants = mutants.lines().filter_map(|line| line.strip_prefix("    ")?.strip_suffix(','));
    for bug in variants.filter(|name| name.chars().all(char::is_alphanumeric)) {
        assert!(
            bug.is_empty() || planted.contains(&bug) || !bug.starts_with(char::is_uppercase),
            "{bug} is not on the page"
        );
    }
}
