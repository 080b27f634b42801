//! The golden numbers of `tests/vectors/*.csv`, and of any folder that `DISCREET_VECTORS` names.
//!
//! An answer x passes when `expected - tol_below <= x <= expected + tol_above`; an expectation that is no number must be
//! equal as text (noise-and-accounting, E). What is not built yet is named and skipped aloud.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use dashu_int::UBig;
use discreet::audit::estimate::{Count, Level, cp_lower, cp_upper, eps_lower, mu_lower, one_run_p};
use discreet::math::special::{ln_phi_cdf, mills, one_minus_x_mills};
use discreet::noise::law;
use discreet::privacy::adjacency::Adjacency;
use discreet::privacy::calibrate::{
    NoiseScale, gaussian_charge, noise_scale_for, rho_charge_units, sensitivity_squared,
    total_variation_bound,
};
use discreet::privacy::compose::{Pair, delta_total, mu_b};
use discreet::privacy::convert::{
    classical_gaussian_true_delta, gaussian_sigma, gdp_compose, gdp_delta, gdp_epsilon, gdp_ln_delta, gdp_mu,
    mu_from_pure, rho_from_pure, zcdp_delta, zcdp_epsilon, zcdp_ln_delta, zcdp_rho,
};
use discreet::privacy::ledger::admit;
use discreet::privacy::measure::{Delta, Epsilon, Mu, Rho};
use discreet::privacy::units::Units;

/// Files whose functions do not exist yet. A file that is skipped and not named here fails the test, and so does one
/// that is named here and answered.
const NOT_BUILT: [&str; 6] =
    ["composition_pure.csv", "jl_wishart.csv", "mix_delta.csv", "pmt.json", "primo.json", "subsampling.csv"];

struct Row {
    name: String,
    inputs: BTreeMap<String, String>,
    expected: String,
    below: String,
    above: String,
}

enum Answer {
    Number(f64),
    /// ln of an answer that may be too small for a number.
    Ln(f64),
    Text(String),
}

use Answer::{Ln, Number, Text};

impl Row {
    fn text(&self, key: &str) -> &str {
        self.inputs.get(key).unwrap_or_else(|| panic!("{} has no input {key}", self.name))
    }

    fn read<T: std::str::FromStr>(&self, key: &str) -> T {
        self.text(key).parse().unwrap_or_else(|_| panic!("{}: {key} cannot be read", self.name))
    }

    fn list<T: std::str::FromStr>(&self, key: &str) -> Vec<T> {
        let items = self.text(key).split('|').filter(|item| !item.is_empty());
        items.map(|item| item.parse().unwrap_or_else(|_| panic!("{}: {item}", self.name))).collect()
    }

    fn epsilon(&self, key: &str) -> Epsilon {
        Epsilon::try_new(self.read(key)).unwrap()
    }

    fn delta(&self, key: &str) -> Delta {
        Delta::try_new(self.read(key)).unwrap()
    }

    fn mu(&self, key: &str) -> Mu {
        Mu::try_new(self.read(key)).unwrap()
    }

    fn rho(&self) -> Rho {
        Rho::try_new(self.read("rho")).unwrap()
    }

    fn count(&self, key: &str) -> Count {
        Count::try_new(self.read(key), self.read("n")).unwrap()
    }

    fn level(&self) -> Level {
        Level::try_new(self.read("alpha")).unwrap()
    }

    fn variance(&self) -> law::Gaussian {
        law::Gaussian::new(self.read::<f64>("sigma2_num") / self.read::<f64>("sigma2_den"))
    }

    /// The function: as the row says, else as the file says, else as the row's name begins.
    fn function(&self, file: &str) -> String {
        if let Some(function) = self.inputs.get("fn") {
            let discrete_laplace = function == "pmf" && self.inputs.contains_key("scale");
            return if discrete_laplace { "laplace_pmf".to_owned() } else { function.clone() };
        }
        if self.inputs.contains_key("out") {
            return "standard_errors".to_owned();
        }
        let stem = file.trim_end_matches(".csv");
        if PREFIXES.iter().any(|(_, function)| *function == stem) {
            return stem.to_owned();
        }
        let prefix = self.name.split('_').next().unwrap_or_default();
        let found = PREFIXES.iter().find(|(known, _)| *known == prefix);
        found.map_or_else(|| stem.to_owned(), |(_, function)| (*function).to_owned())
    }
}

/// Files with one function each, and how the names of their rows begin.
const PREFIXES: [(&str, &str); 14] = [
    ("sigma", "gaussian_sigma"),
    ("delta", "gdp_delta"),
    ("lndelta", "gdp_ln_delta"),
    ("eps", "gdp_eps"),
    ("mu", "gdp_mu"),
    ("compose", "gdp_compose"),
    ("classical", "classical_gaussian_true_delta"),
    ("zd", "zcdp_delta"),
    ("ze", "zcdp_eps"),
    ("zr", "zcdp_rho"),
    ("bexp", "bernoulli_exp"),
    ("dlpmf", "discrete_laplace"),
    ("dgdelta", "discrete_gaussian_delta_1d"),
    ("ledger", "ledger_scenarios"),
];

/// The product's answer, or `None` for a function that does not exist yet.
fn answer(function: &str, row: &Row) -> Option<Answer> {
    let result = match function {
        "gaussian_sigma" => {
            gaussian_sigma(row.epsilon("eps"), row.delta("delta"), row.read("sensitivity")).ok()
        }
        "gdp_delta" => {
            let (epsilon, mu) = (row.epsilon("eps"), row.mu("mu"));
            return Some(small(gdp_delta(epsilon, mu).get(), gdp_ln_delta(epsilon.get(), mu.get())));
        }
        "gdp_ln_delta" => Some(gdp_ln_delta(row.read("eps"), row.read("mu"))),
        "gdp_eps" => gdp_epsilon(row.mu("mu"), row.delta("delta")).ok().map(Epsilon::get),
        "gdp_mu" => gdp_mu(row.epsilon("eps"), row.delta("delta")).ok().map(Mu::get),
        "gdp_compose" => {
            let mus: Vec<Mu> = row.list("mus").into_iter().map(|mu| Mu::try_new(mu).unwrap()).collect();
            gdp_compose(&mus).and_then(|mu| gdp_epsilon(mu, row.delta("delta"))).ok().map(Epsilon::get)
        }
        "classical_gaussian_true_delta" => {
            classical_gaussian_true_delta(row.epsilon("eps"), row.delta("delta")).ok()
        }
        "zcdp_delta" => {
            let (rho, epsilon) = (row.rho(), row.epsilon("eps"));
            return Some(small(zcdp_delta(rho, epsilon).get(), zcdp_ln_delta(rho.get(), epsilon.get())));
        }
        "zcdp_eps" => zcdp_epsilon(row.rho(), row.delta("delta")).ok().map(Epsilon::get),
        "zcdp_rho" => zcdp_rho(row.epsilon("eps"), row.delta("delta")).ok().map(Rho::get),
        "standard_errors" => crate::inference::standard_errors(&row.inputs),
        "rho_from_pure" => Some(rho_from_pure(row.epsilon("eps")).get()),
        "mu_from_pure" => mu_from_pure(row.epsilon("eps")).ok().map(Mu::get),
        "ln_phi_cdf" => Some(ln_phi_cdf(row.read("x"))),
        "mills" => Some(mills(row.read("x"))),
        "one_minus_x_mills" => Some(one_minus_x_mills(row.read("x"))),
        "pmf" => Some(row.variance().pmf(row.read("k"))),
        "tail_ge" => Some(row.variance().tail(row.read("k"))),
        "variance" => Some(row.variance().variance()),
        "laplace_pmf" | "discrete_laplace" => Some(law::laplace_pmf(row.read("scale"), row.read("k"))),
        "bernoulli_exp" => Some(law::bernoulli_exp(row.read("p"), row.read("q"))),
        "discrete_gaussian_delta_1d" => Some(row.variance().delta(row.read("sensitivity"), row.read("eps"))),
        "tv_discrete_vs_rounded" => Some(law::Gaussian::new(row.read("sigma2")).distance_from_rounded()),
        "tv_bound" => Some(total_variation_bound(row.read("sigma2"))),
        "mu_B" => {
            let delta = row.read("delta");
            let mu = mu_b(row.epsilon("eps"), delta, row.epsilon("eps_O"), row.delta("delta_O"));
            Some(mu.get()).filter(|_| row.expected != "INFEASIBLE" || !mu.is_zero())
        }
        "delta_total" => {
            let pair =
                Pair { mu: row.mu("mu_B"), epsilon: row.epsilon("eps_O"), delta: row.delta("delta_O") };
            Some(delta_total(row.epsilon("eps"), &pair).get())
        }
        "cp_lower" => Some(cp_lower(row.count("k"), row.level())),
        "cp_upper" => Some(cp_upper(row.count("k"), row.level())),
        "eps_lower" => {
            Some(eps_lower(row.count("tp"), row.count("fp"), row.delta("delta"), row.level()).get())
        }
        "mu_lower" => Some(mu_lower(row.count("tp"), row.count("fp"), row.level()).get()),
        "one_run_p" => {
            let [canaries, guesses, right] = ["m", "r", "v"].map(|key| row.read(key));
            one_run_p(canaries, guesses, right, row.epsilon("eps"), row.delta("delta")).ok()
        }
        "pld_delta" | "pld_eps" => crate::web_pld::answer(function, &row.inputs),
        _ => return whole_number(function, row),
    };
    Some(result.map_or_else(|| Text("INFEASIBLE".to_owned()), Number))
}

/// A δ, by its logarithm where a number cannot hold it.
fn small(delta: f64, ln_delta: f64) -> Answer {
    if ln_delta < -690.0 { Ln(ln_delta) } else { Number(delta) }
}

fn whole_number(function: &str, row: &Row) -> Option<Answer> {
    let fourth_power = || {
        let adjacency = if row.text("m") == "2" { Adjacency::ReplaceOne } else { Adjacency::AddRemove };
        sensitivity_squared(0, row.read("R"), adjacency, 1, true)
    };
    let scale = || NoiseScale::try_new(row.read("S")).ok();
    let result = match function {
        "noise_scale_S" => {
            let (numerator, denominator): (UBig, UBig) = (row.read("mu_num"), row.read("mu_den"));
            let square = |number: UBig| &number * &number;
            let scale = noise_scale_for(&fourth_power(), &square(numerator), &square(denominator));
            scale.ok().map(|scale| scale.get().to_string())
        }
        "mu2_charge_units" => scale()
            .and_then(|scale| gaussian_charge(&fourth_power(), scale).ok())
            .map(|units| units.to_string()),
        "rho_charge_units" => scale()
            .and_then(|scale| rho_charge_units(&fourth_power(), scale).ok())
            .map(|units| units.to_string()),
        "gram_sens_sq" => {
            let adjacency = if row.text("adjacency") == "replace_one" {
                Adjacency::ReplaceOne
            } else {
                Adjacency::AddRemove
            };
            let k = row.inputs.get("k_max").map_or(1, |k| k.parse().unwrap());
            Some(
                sensitivity_squared(row.read("const"), row.read("norm_bound"), adjacency, k, true)
                    .to_string(),
            )
        }
        "outer_fro_sq" => Some(change(&row.list("q"), &[], 2)),
        "outer_vech_sq" => Some(change(&row.list("q"), &[], 1)),
        "replace_fro_sq" => Some(change(&row.list("q"), &row.list("q2"), 2)),
        "ledger_scenarios" => Some(scenario(row)),
        _ => return None,
    };
    Some(Text(result.unwrap_or_else(|| "INFEASIBLE".to_owned())))
}

/// Σ (change of each cell of the upper triangle)², those off the diagonal counted `off_diagonal` times: what the
/// sensitivity bounds.
fn change(q: &[i128], q2: &[i128], off_diagonal: u8) -> String {
    let mut sum = UBig::ZERO;
    for j in 0..q.len() {
        for k in j..q.len() {
            let before = q[j] * q[k];
            let after = if q2.is_empty() { 0 } else { q2[j] * q2[k] };
            let square = UBig::from((before - after).unsigned_abs()).pow(2);
            sum += square * UBig::from(if j == k { 1 } else { off_diagonal });
        }
    }
    sum.to_string()
}

fn scenario(row: &Row) -> String {
    let capacity =
        Units { gaussian: row.read("G_cap"), epsilon: row.read("E_cap"), delta: row.read("D_cap"), slack: 0 };
    let mut left = capacity;
    let mut answers = String::new();
    for asked in row.text("requests").split('|') {
        let answer = charge(asked).and_then(|charge| admit(&left, &charge, &capacity).ok());
        answers.push(if answer.is_some() { 'A' } else { 'R' });
        left = answer.unwrap_or(left);
    }
    format!("{answers};G_left={};E_left={};D_left={}", left.gaussian, left.epsilon, left.delta)
}

/// `G:units`, `P:epsilon` or `A:epsilon:delta`; no charge can hold a negative number.
fn charge(asked: &str) -> Option<Units> {
    let (kind, numbers) = asked.split_once(':')?;
    let numbers = numbers.split(':').map(|number| number.parse().ok()).collect::<Option<Vec<u128>>>()?;
    match (kind, numbers.as_slice()) {
        ("G", [gaussian]) => Some(Units { gaussian: *gaussian, ..Units::ZERO }),
        ("P", [epsilon]) => Some(Units { epsilon: *epsilon, ..Units::ZERO }),
        ("A", [epsilon, delta]) => Some(Units { epsilon: *epsilon, delta: *delta, ..Units::ZERO }),
        _ => panic!("{asked} is no request"),
    }
}

/// Whether the answer passes.
fn judge(row: &Row, answer: &Answer) -> bool {
    match answer {
        Text(text) => *text == row.expected,
        Number(x) => {
            let numbers = [&row.expected, &row.below, &row.above].map(|text| text.parse::<f64>());
            let [Ok(expected), Ok(below), Ok(above)] = numbers else { return false };
            expected - below <= *x && *x <= expected + above
        }
        Ln(ln_x) => {
            let numbers = [&row.expected, &row.below, &row.above].map(|text| ln_of_decimal(text));
            let [Some(expected), Some(below), Some(above)] = numbers else { return false };
            // A logarithm of this size has only so many digits.
            let resolution = 4.0 * f64::EPSILON * expected.abs();
            let low = expected + libm::log1p(-libm::exp(below - expected)) - resolution;
            let high = expected + libm::log1p(libm::exp(above - expected)) + resolution;
            low <= *ln_x && *ln_x <= high
        }
    }
}

/// ln of a positive decimal that may be too small for a number.
fn ln_of_decimal(text: &str) -> Option<f64> {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let (mantissa, exponent): (f64, f64) = (mantissa.parse().ok()?, exponent.parse().ok()?);
    Some(libm::log(mantissa) + exponent * std::f64::consts::LN_10)
}

fn rows(path: &Path) -> Vec<Row> {
    let mut reader = csv::ReaderBuilder::new().from_path(path).unwrap();
    let records = reader.records().map(|record| record.unwrap());
    records
        .map(|record| {
            let field = |at: usize| record.get(at).unwrap_or_default().to_owned();
            let inputs = field(1);
            let pairs = inputs.split(';').filter_map(|pair| pair.split_once('='));
            Row {
                name: field(0),
                inputs: pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).collect(),
                expected: field(2),
                below: field(3),
                above: field(4),
            }
        })
        .collect()
}

/// Runs a folder: the names of the files that were skipped in whole or in part.
fn run(folder: &Path) -> BTreeSet<String> {
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let (mut skipped, mut wrong, mut passed) = (BTreeSet::new(), Vec::new(), 0);
    for path in files {
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        if file.ends_with(".json") {
            println!("skipped: {file} is not built yet");
            skipped.insert(file);
            continue;
        }
        if !file.ends_with(".csv") {
            continue;
        }
        for row in rows(&path) {
            let function = row.function(&file);
            match answer(&function, &row) {
                Some(answer) if judge(&row, &answer) => passed += 1,
                Some(answer) => {
                    let answer = match answer {
                        Number(x) => format!("{x:e}"),
                        Ln(ln_x) => format!("exp({ln_x})"),
                        Text(text) => text,
                    };
                    wrong.push(format!("{file} {}: {answer}, expected {}", row.name, row.expected));
                }
                None if skipped.insert(file.clone()) => {
                    println!("skipped: {file}, as `{function}` is not built yet");
                }
                None => (),
            }
        }
    }
    assert!(wrong.is_empty(), "{} vectors passed, {} failed:\n{}", passed, wrong.len(), wrong.join("\n"));
    println!("{passed} vectors passed in {}", folder.display());
    skipped
}

#[test]
fn golden_numbers() {
    let skipped = run(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vectors")));
    assert_eq!(skipped, NOT_BUILT.map(str::to_owned).into());
}

#[test]
fn golden_numbers_of_a_named_folder() {
    if let Some(folder) = std::env::var_os("DISCREET_VECTORS") {
        run(Path::new(&folder));
    }
}

#[test]
fn a_wrong_answer_fails() {
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
