//! Answers that must be the same bits natively and in the browser.
//!
//! The web tests and the native tests include this file. To set [`EXPECTED`] anew, run the native test, read what changed
//! and why, and write the new value down.

use std::fmt::Write as _;
use std::num::NonZeroU64;

use discreet::audit::check::Check;
use discreet::data::header::read_header;
use discreet::data::slices::{Outcome, SliceScanner};
use discreet::data::{Header, HeaderRead, HeaderRules, Job, Moments, RowSink, Sums};
use discreet::engine::{Prepared, demonstrate, prepare_with};
use discreet::math::{beta, gamma, special};
use discreet::noise::discrete;
use discreet::noise::entropy::DemoRng;
use discreet::plan::public::PublicTable;
use discreet::plan::{Plan, Purpose};
use discreet::release::document::{Coefficients, Release, Software};
use sha2::{Digest as _, Sha256};

use crate::vectors_harness::{Answer, FILES, answer, rows};

/// SHA-256 of all bits of [`digest`].
pub const EXPECTED: &str = "e225796a79144e9b4f3386d42e60bcfb0cef30eb4c78fe5fa75e8ffda1f8793d";

/// SHA-256 of what [`check`] finds.
pub const CHECK: &str = "43098e6f69e06cd99eae0c96b02b917b0ef398466372715fa66fa338990f3059";

/// SHA-256 of all bits of [`fits`].
pub const FITS: &str = "a4dc91e91eb7086f83c7d2815deff777762d5c439dc3c18f668b5c5e41e29dcf";

/// SHA-256 of all bits of [`adaptive`].
pub const ADAPTIVE: &str = "155c16d298c81a1282378640f0d7420413dc944e904832f48aefa5636cd8e58b";

/// SHA-256 of all bits of [`steps`].
pub const STEPS: &str = "6e1250c6deb5f7465d6757096e09a1e5e92628e8e5a684ae230abfcec2b7e3d7";

/// A plan on the sample table.
pub const PLAN: &str = r#"{
  "schema": "discreet.plan/1", "adjacency": "add-remove",
  "columns": [
    {"name": "age", "role": "feature", "type": "number", "lower": 18, "upper": 100},
    {"name": "sex", "role": "feature", "type": "category", "levels": ["F", "M"]},
    {"name": "sbp", "role": "outcome", "type": "number", "lower": 60, "upper": 260}
  ],
  "mechanism": {"name": "analyze-gauss"}, "budget": {"epsilon": 1, "delta": 1e-6}
}"#;

/// What is publicly known of its columns.
const PUBLIC: &str = r#"{
  "schema": "discreet.public/1", "source": "made up", "rows": 1200,
  "terms": [{"term": "age", "mean": 52, "sd": 16}, {"term": "sex[M]", "mean": 0.49}, {"term": "sbp", "mean": 130, "sd": 18}],
  "correlation": [[1, 0.02, 0.31], [0.02, 1, 0.08], [0.31, 0.08, 1]]
}"#;

/// The sample table.
pub const TABLE: &[u8] = include_bytes!("../../www/samples/blood-pressure.csv");

/// The vectors of accounting whose answers are hashed, bit by bit.
const ANSWERED: [&str; 5] =
    ["auditing.csv", "composition_pure.csv", "jl_wishart.csv", "mix_delta.csv", "subsampling.csv"];

/// Special functions on a grid, answers of the golden numbers, 400 draws of each sampler, and the moments of the sample
/// table.
pub fn digest() -> String {
    let mut hash = Sha256::new();
    for shape in [0.5, 1.0, 5.5, 145.0, 5e4] {
        for step in -30..=30 {
            let x = shape * libm::exp(f64::from(step) / 10.0);
            for value in [gamma::ln_gamma_cdf(shape, x), gamma::ln_gamma_sf(shape, x)] {
                hash.update(value.to_bits().to_le_bytes());
            }
        }
    }
    for (a, b) in [(1.0, 1.0), (3.0, 40.0), (950.0, 51.0), (10.0, 1e6)] {
        for step in 1..40 {
            let x = f64::from(step) / 40.0;
            for value in [beta::beta_cdf(a, b, x), beta::beta_sf(a, b, x), special::normal_quantile(x)] {
                hash.update(value.to_bits().to_le_bytes());
            }
        }
    }
    for (file, text) in FILES.into_iter().filter(|(file, _)| ANSWERED.contains(file)) {
        for row in rows(text) {
            if let Some(Answer::Number(x)) = answer(&row.function(file), &row) {
                hash.update(x.to_bits().to_le_bytes());
            }
        }
    }
    for step in -400..=400 {
        let x = f64::from(step) / 20.0;
        for value in [
            special::phi_cdf(x),
            special::ln_phi_cdf(x),
            special::phi_density(x),
            libm::exp(x),
            libm::erfc(x),
        ] {
            hash.update(value.to_bits().to_le_bytes());
        }
    }
    let scale = |bits: u32| NonZeroU64::MIN.saturating_add((1 << bits) - 1);
    let mut rng = DemoRng::new(7, 3);
    for _ in 0..400 {
        hash.update(discrete::laplace(&mut rng, scale(5)).to_le_bytes());
        hash.update(discrete::gaussian_diagonal(&mut rng, scale(48)).to_le_bytes());
        hash.update(discrete::gaussian_off_diagonal(&mut rng, scale(41)).to_le_bytes());
    }
    let mut sums = moments(TABLE);
    for number in [sums.terms() as u64, sums.rows()] {
        hash.update(number.to_le_bytes());
    }
    for cell in sums.cells() {
        hash.update(cell.to_le_bytes());
    }
    hex(hash)
}

/// What the check of the build finds under seed 11, step by step, until the first pair of tables is done.
pub fn check() -> String {
    let mut hash = Sha256::new();
    let mut check = Check::new(11);
    while let Some(finding) = check.step().unwrap()
        && finding.item <= 4
    {
        hash.update(serde_json::to_string(&finding).unwrap());
    }
    hex(hash)
}

fn hex(hash: Sha256) -> String {
    hash.finalize().iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}

/// The exact moments of a table under [`PLAN`], read in one piece.
pub fn moments(table: &[u8]) -> Moments {
    let (prepared, header) = prepared(PLAN, None, table, Purpose::Release);
    scanned(&prepared, &header, table, prepared.moments())
}

/// Demonstrations of what is guided by public moments or fitted in steps, under a seed: every estimate and standard error, and the
/// first whitened rows.
pub fn fits() -> String {
    let mut hash = Sha256::new();
    for (name, outcome, params) in [
        ("pmt-ridge", SBP, "{}"),
        ("pmt-logistic", SMOKER, "{}"),
        ("pmt-glm", SBP, r#"{"family": "gaussian", "coefficient_radius": 2}"#),
        ("pmt-gd", SBP, r#"{"steps": 5}"#),
        ("dp-ridge", SBP, "{}"),
        ("dp-logistic", SMOKER, "{}"),
        ("dp-gd", SBP, r#"{"steps": 5}"#),
    ] {
        fitted(name, outcome, params, &mut hash);
    }
    hex(hash)
}

/// Releases of four rounds, each of which maps records by the answers of those before it: every number of the document.
pub fn adaptive() -> String {
    let mut hash = Sha256::new();
    for adjacency in ["add-remove", "replace-one"] {
        let rows = if adjacency == "replace-one" { r#""rows": 12000, "# } else { "" };
        let plan = format!(
            r#"{{"schema": "discreet.plan/1", "adjacency": "{adjacency}", {rows}"columns": [
              {{"name": "age", "role": "feature", "type": "number", "lower": 18, "upper": 100}},
              {{"name": "sex", "role": "feature", "type": "category", "levels": ["F", "M"]}},
              {{"name": "smoker", "role": "feature", "type": "category", "levels": ["no", "yes"]}},
              {{"name": "bmi", "role": "outcome", "type": "number", "lower": 15, "upper": 60}},
              {{"name": "sbp", "role": "outcome", "type": "number", "lower": 60, "upper": 260}}],
              "mechanism": {{"name": "adaptive-gauss"}}, "budget": {{"epsilon": 2, "delta": 1e-6}}}}"#
        );
        let (prepared, header) = prepared(&plan, None, TABLE, Purpose::Simulate);
        let gathered = scanned(&prepared, &header, TABLE, prepared.sums());
        let software = Software::new("golden".to_owned());
        let release = demonstrate(&prepared, &gathered, DemoRng::new(7, 1), software).unwrap();
        let Coefficients::List(list) = &release.document().coefficients else { panic!("two outcomes") };
        for entry in list {
            for number in [entry.estimate.unwrap(), entry.std_error.unwrap()] {
                hash.update(number.to_bits().to_le_bytes());
            }
        }
        // Guide, radii and all noisy integers; a number is written so that it is read again with the same bits.
        hash.update(serde_json::to_string(&release.document().moments).unwrap());
    }
    hex(hash)
}

/// A demonstration of steps in coordinates of their own, under a seed: every integer, the transform, the coefficients of each step, every
/// estimate and standard error.
pub fn steps() -> String {
    let mut hash = Sha256::new();
    let release = fitted("adaptive-logistic", SMOKER, "{}", &mut hash);
    let steps = release.steps.unwrap();
    hash.update(serde_json::to_string(&steps).unwrap());
    let numbers = steps
        .mean
        .iter()
        .chain(steps.whitening.iter().flatten())
        .chain(steps.path.iter().flatten().flatten());
    for number in numbers {
        hash.update(number.to_bits().to_le_bytes());
    }
    hex(hash)
}

const SBP: &str = r#"{"name": "sbp", "role": "outcome", "type": "number", "lower": 60, "upper": 260}"#;
const SMOKER: &str = r#"{"name": "smoker", "role": "outcome", "type": "category", "levels": ["no", "yes"]}"#;

/// Hashes a demonstration of a mechanism on the sample, and returns it.
fn fitted(name: &str, outcome: &str, params: &str, hash: &mut Sha256) -> Release {
    let public = PublicTable::parse(PUBLIC).unwrap();
    let plan = format!(
        r#"{{"schema": "discreet.plan/1", "adjacency": "add-remove", "stated_rows": 12000, "columns": [
          {{"name": "age", "role": "feature", "type": "number", "lower": 18, "upper": 100}},
          {{"name": "sex", "role": "feature", "type": "category", "levels": ["F", "M"]}}, {outcome}],
          "mechanism": {{"name": "{name}", "params": {params}}}, "budget": {{"epsilon": 4, "delta": 1e-6}}}}"#
    );
    let guided = name.starts_with("pmt").then_some(&public);
    let (prepared, header) = prepared(&plan, guided, TABLE, Purpose::Simulate);
    let gathered = scanned(&prepared, &header, TABLE, prepared.sums());
    if let Sums::Rows(rows) = &gathered {
        let first = (0..100).filter_map(|at| rows.get(at)).flatten();
        first.for_each(|code| hash.update(code.to_le_bytes()));
    }
    let software = Software::new("golden".to_owned());
    let release = demonstrate(&prepared, &gathered, DemoRng::new(7, 1), software).unwrap();
    let Coefficients::List(list) = &release.document().coefficients else { panic!("one outcome") };
    for entry in list {
        for number in [entry.estimate, entry.std_error].into_iter().flatten() {
            assert!(number.is_finite(), "{name}");
            hash.update(number.to_bits().to_le_bytes());
        }
    }
    release.document().clone()
}

fn prepared(plan: &str, public: Option<&PublicTable>, table: &[u8], purpose: Purpose) -> (Prepared, Header) {
    let Ok(HeaderRead::Header(header)) = read_header(table, true, HeaderRules::default()) else {
        panic!("the sample has a header")
    };
    let plan = Plan::parse(plan).unwrap();
    let prepared = prepare_with(plan, public, &header.names, header.delimiter, purpose).unwrap();
    (prepared, header)
}

/// What a sink has of a table that is read in one piece.
fn scanned<S: RowSink>(prepared: &Prepared, header: &Header, table: &[u8], sink: S) -> S {
    let job = Job {
        slice: 0,
        from: header.body_offset,
        to: table.len() as u64,
        known: true,
        marked: header.marked,
    };
    let mut scanner = SliceScanner::new(job, prepared.bound(), sink);
    scanner.feed(&table[usize::try_from(header.body_offset).unwrap()..]);
    match scanner.finish().outcome {
        Outcome::Read { part, .. } => part.sink,
        _ => panic!("the sample is well formed"),
    }
}

#[cfg(not(target_arch = "wasm32"))]
#[test]
fn the_bits_are_those_written_down() {
    let found = [digest(), fits(), steps(), adaptive(), check()];
    assert_eq!(found.each_ref().map(String::as_str), [EXPECTED, FITS, STEPS, ADAPTIVE, CHECK]);
}
