//! `docs/accounting.md` is complete and true, and `discreet account` gives the product's own answers.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::vectors_harness::{Answer, FILES, Row, answer, rows};

const PAGE: &str = include_str!("../../docs/accounting.md");

struct Line {
    path: String,
    rounding: String,
    /// The command with its inputs in braces, `None` where the page says why there is none.
    command: Option<String>,
}

/// The table of the page, by the vectors' names.
fn table() -> BTreeMap<String, Line> {
    let mut table = BTreeMap::new();
    for line in PAGE.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [name, path, source, rounding, command] = cells[..] else { panic!("five cells: {line}") };
        assert!(!source.is_empty(), "{line}");
        let command = command.strip_prefix('`').map(|command| command.trim_end_matches('`').to_owned());
        let entry = Line { path: path.trim_matches('`').to_owned(), rounding: rounding.to_owned(), command };
        assert!(table.insert(name.trim_matches('`').to_owned(), entry).is_none(), "{name} is there twice");
    }
    table
}

/// Every row, with its function.
fn golden() -> impl Iterator<Item = (String, Row)> {
    FILES
        .into_iter()
        .flat_map(|(file, text)| rows(text).into_iter().map(move |row| (row.function(file), row)))
}

/// The file of a path such as `privacy::profile::jl_delta`, and the last word.
fn found_in_source(path: &str) -> bool {
    let parts: Vec<&str> = path.split("::").collect();
    let (function, modules) = parts.split_last().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    if modules == ["harness"] {
        return holds(&root.join("tests/vectors/harness.rs"), function);
    }
    (1..=modules.len()).rev().any(|depth| {
        let module = modules[..depth].iter().fold(root.join("src"), |path, part| path.join(part));
        let mut files = vec![module.with_extension("rs")];
        if let Ok(entries) = fs::read_dir(&module) {
            files.extend(entries.map(|entry| entry.unwrap().path()));
        }
        let types = &modules[depth..];
        files.iter().any(|file| holds(file, function) && types.iter().all(|name| implements(file, name)))
    })
}

fn text_of(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_default()
}

fn holds(file: &Path, function: &str) -> bool {
    text_of(file).contains(&format!("fn {function}("))
}

fn implements(file: &Path, name: &str) -> bool {
    text_of(file).contains(&format!("impl {name} "))
}

#[test]
fn every_function_of_the_golden_numbers_is_on_the_page() {
    let table = table();
    let named: BTreeSet<String> = golden().map(|(function, _)| function).collect();
    let listed: BTreeSet<String> = table.keys().cloned().collect();
    assert_eq!(listed, named);
    for (name, line) in &table {
        assert!(found_in_source(&line.path), "{name}: `{}` is not in the source", line.path);
        assert!(["up", "down", "to nearest", "exact"].contains(&line.rounding.as_str()), "{name}");
    }
    for planted in ["privacy::convert::not_there", "privacy::subsampling::FixedSize::gaussian", "nowhere::f"]
    {
        assert!(!found_in_source(planted), "{planted}");
    }
    assert!(found_in_source("privacy::subsampling::Poisson::amplify"));
}

/// The command with a row's inputs in place of the braces.
fn arguments(command: &str, row: &Row) -> Vec<String> {
    command
        .split(' ')
        .map(|word| {
            let mut word = word.to_owned();
            while let Some((before, rest)) = word.split_once('{') {
                let (key, after) = rest.split_once('}').unwrap();
                word = format!("{before}{}{after}", input(row, key));
            }
            word
        })
        .collect()
}

fn input(row: &Row, key: &str) -> String {
    match (row.inputs.get(key), row.inputs.get("m").map(String::as_str)) {
        (Some(value), _) if key == "adjacency" => value.replace('_', "-"),
        (Some(value), _) => value.clone(),
        // calibration.csv writes 1 for add-remove and 2 for replace-one.
        (None, Some("1")) if key == "adjacency" => "add-remove".to_owned(),
        (None, Some("2")) if key == "adjacency" => "replace-one".to_owned(),
        // The profiles of theory/wishart 3 are those of add-remove.
        (None, None) if key == "adjacency" => "add-remove".to_owned(),
        _ => panic!("{} has no {key}", row.name),
    }
}

fn program() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_discreet"))
}

#[test]
fn the_command_line_gives_the_product_s_answers() {
    let table = table();
    let (mut asked, mut functions) = (0, BTreeSet::new());
    for (function, row) in golden() {
        let Some(command) = &table[&function].command else { continue };
        let arguments = arguments(command, &row);
        let output = Command::new(program()).arg("account").args(&arguments).output().unwrap();
        let said = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        assert!(output.status.success(), "{}: {arguments:?}: {}", row.name, said(&output.stderr));
        let line = said(&output.stdout);
        let line = line.strip_suffix('\n').unwrap();
        let number = || line.parse::<f64>().unwrap_or_else(|_| panic!("{}: {line}", row.name));
        match answer(&function, &row).unwrap() {
            Answer::Text(text) => assert_eq!(line, text, "{}", row.name),
            Answer::Number(x) => {
                assert_eq!(number().to_bits(), x.to_bits(), "{}: {line} is not {x}", row.name)
            }
            // Too small for a number: the least one that is no lie.
            Answer::Ln(ln) => {
                assert!(number() > 0.0 && libm::log(number()) >= ln.max(-746.0), "{}", row.name)
            }
        }
        asked += 1;
        functions.insert(function);
    }
    let reachable = table.values().filter(|line| line.command.is_some()).count();
    assert_eq!(functions.len(), reachable);
    println!("{asked} rows of {reachable} functions");
}

#[test]
fn what_cannot_be_computed_gets_one_line_and_status_2() {
    for (line, expected) in [
        ("mix_delta --mus 0.1", "--epsilon"),
        ("mix_delta --epsilon 1 --pure 0.1;0.2", "0.1,0.2"),
        ("mix_delta --epsilon 1 --approximate 0.5", "0.5:1e-6"),
        (
            "mix_delta --epsilon 1 --pure .01,.02,.03,.04,.05,.06,.07,.08,.09,.1,.11,.12,.13,.14,.15,.16,.17",
            "at most 16",
        ),
        ("optimal_pure_eps --count 4000000000 --epsilon 0.1 --delta 1e-6", "too many"),
        ("optimal_pure_eps --count -1 --epsilon 0.1 --delta 1e-6", "a whole number"),
        ("optimal_pure_het_eps --delta 1e-6", "--pure"),
        ("advanced_drv_eps --count 3 --epsilon 1 --delta 0", "delta is 0"),
        ("amplified_eps --epsilon 1", "--rate"),
        ("amplified_eps --epsilon 1 --rate 0.1 --sample 3 --rows 9", "--rate"),
        ("amplified_eps --epsilon 1 --rate 1.5", "from 0 to 1"),
        ("amplified_eps --epsilon 1 --sample 10 --rows 9", "at most as many"),
        ("poisson_gaussian_delta --epsilon 1 --rate 0.1", "--sigma"),
        ("poisson_gaussian_delta --epsilon 1 --rate 0.1 --mu 1 --direction both", "remove or add"),
        ("jl_delta --epsilon 1 --leverage 0 --sketch-rows 3", "above 0"),
        ("jl_delta --epsilon 1 --leverage 0.1 --sketch-rows 0", "from 1"),
        ("jl_w2_over_R2 --epsilon 1 --delta 1 --sketch-rows 5", "delta is 1"),
        ("additive_wishart_delta --epsilon 1 --change 0.1 --dof 12 --dimension 11", "+ 2 or more"),
        ("cp_lower --hits 3 --trials 2 --alpha 0.05", "no count"),
        ("cp_upper --hits 1 --trials 2 --alpha 0", "alpha"),
        ("one_run_p --canaries 10 --guesses 5 --right 6 --epsilon 1 --delta 0", "cannot be"),
        ("gram_sens_sq --norm-bound 10", "--adjacency"),
        ("gram_sens_sq --norm-bound 10 --adjacency both", "add-remove or replace-one"),
        ("noise_scale_S --norm-bound 16777216 --adjacency add-remove --mu-ratio 0.25", "N/D"),
        ("noise_scale_S --norm-bound 16777216 --adjacency add-remove --mu-ratio 1/0", "N/D"),
        ("mu2_charge_units --norm-bound 16777216 --adjacency add-remove --scale 5", "2^40"),
        ("tv_bound --variance 0.5", "--variance from 1"),
        ("gdp_eps --mu 1 --delta 1e-6 --rho 1", "--rho"),
        ("gdp_eps --mu 1 --mu 1 --delta 1e-6", "twice"),
        ("nonsense", "no conversion"),
    ] {
        let output = Command::new(program()).arg("account").args(line.split(' ')).output().unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{line}: {errors}");
        assert!(output.stdout.is_empty() && errors.lines().count() == 1, "{line}: {errors}");
        assert!(errors.contains(expected), "{line}: {errors}");
    }
}

#[test]
fn help_shows_every_conversion_and_each_its_own() {
    let help = |arguments: &[&str]| {
        let output = Command::new(program()).arg("account").args(arguments).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    let all = help(&["--help"]);
    for (name, _) in table().into_iter().filter(|(_, line)| line.command.is_some()) {
        assert!(all.contains(&format!("  {name} --")), "{name}");
        assert!(help(&[&name, "--help"]).starts_with(&format!("discreet account {name} --")), "{name}");
    }
}

#[test]
fn the_two_kinds_of_sample_and_both_directions() {
    let number = |line: &str| {
        let output = Command::new(program()).arg("account").args(line.split(' ')).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().parse::<f64>().unwrap()
    };
    let poisson = number("amplified_eps --epsilon 1 --rate 0.25");
    let fixed = number("amplified_eps --epsilon 1 --sample 25 --rows 100");
    assert_eq!(poisson.to_bits(), fixed.to_bits());
    let delta = |direction: &str| {
        number(&format!("poisson_gaussian_delta --epsilon 0.1 --rate 0.2 --mu 0.25{direction}"))
    };
    assert_eq!(delta("").to_bits(), delta(" --direction remove").to_bits());
    assert!(delta(" --direction add") < delta(""));
}
