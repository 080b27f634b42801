//! The properties that `make fuzz` tries on inputs of its own making, here on all that it has kept: seeds, what reached
//! further, and each input that once broke something.

use std::fs;
use std::path::Path;

#[path = "../fuzz/properties/mod.rs"]
mod properties;

/// Runs a property on each file of its corpus, in the order of their names, and on its first half.
fn holds_on_corpus(target: &str, holds: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus").join(target);
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() > 4, "the corpus of {target} was not found");
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let bytes = fs::read(&file).unwrap();
        let told = std::panic::catch_unwind(|| {
            holds(&bytes);
            holds(&bytes[..bytes.len() / 2]);
        });
        if let Err(panic) = told {
            eprintln!("tests/fuzz/corpus/{target}/{name} breaks the property `{target}`");
            std::panic::resume_unwind(panic);
        }
    }
}

#[test]
fn any_bytes_as_csv() {
    holds_on_corpus("csv", properties::csv::holds);
}

#[test]
fn any_bytes_as_a_number() {
    holds_on_corpus("number", properties::number::holds);
}

#[test]
fn any_bytes_as_a_header() {
    holds_on_corpus("header", properties::header::holds);
}

#[test]
fn any_bytes_as_a_plan() {
    holds_on_corpus("plan", properties::plan::holds);
}

#[test]
fn any_bytes_as_a_ledger() {
    holds_on_corpus("ledger", properties::ledger::holds);
}

#[test]
fn any_bytes_as_a_release() {
    holds_on_corpus("release", properties::release::holds);
}

#[test]
fn any_bytes_as_requests() {
    holds_on_corpus("requests", properties::requests::holds);
}

#[test]
fn any_bytes_as_cells() {
    holds_on_corpus("encode", properties::encode::holds);
}

#[test]
fn any_bytes_as_genotypes() {
    holds_on_corpus("genotypes", properties::genotypes::holds);
}
