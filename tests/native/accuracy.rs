//! `make compare-accuracy` in small, and the pieces of it that can be wrong, each against a computation by hand.

use nalgebra::DVector;
use serde_json::json;

use crate::reproduce_accuracy::measure::{Subject, Tally, median};
use crate::reproduce_accuracy::published::{Coded, ada_ssp, boosted};
use crate::reproduce_accuracy::road::Reference;
use crate::reproduce_accuracy::tables::Table;
use crate::reproduce_accuracy::{Size, run};

/// Small enough for the native tests: a table of each kind of outcome, few rows, one budget.
const SMALL: Size = Size {
    epsilons: &[1.0, 8.0],
    shrunk: 50,
    tables: Some(&["normal, 350 rows", "rare levels", "labels, 1,000 rows"]),
    slopes: 4,
    least_runs: 2,
    most_runs: 2,
    work: 1e9,
};

#[test]
fn the_comparison_works() {
    let document = run(&SMALL);
    for expected in [
        "## Summary",
        "### rare levels",
        "| 8 | `adaptive-gauss` |",
        "| 1 | AdaSSP, as published |",
        "| 8 | boosted AdaSSP, as published, 100 rounds |",
        "| 1 | `dp-logistic` |",
        "| 1 | `pmt-ridge` (public moments) |",
        "| 8 | `pmt-logistic` (public moments) |",
        "age 18 to 100; score 0 to 100; site 5 levels",
    ] {
        assert!(document.text.contains(expected), "{expected} in {}", document.text);
    }
    assert!(!document.text.contains("noisy-means"), "a mechanism that is there for tests");
    // In the summary the rivals are those that are told no more.
    let (summary, _) = document.text.split_once("## How it is measured").unwrap();
    assert!(!summary.contains("(public moments) |") && !summary.contains("; `pmt-"), "{summary}");
    assert!(document.verdicts.len() >= 3);
    let again = Size { tables: Some(&["normal, 350 rows"]), epsilons: &[2.0], ..SMALL };
    assert_eq!(run(&again).text, run(&again).text, "the same program gives the same bytes");
}

fn number(name: &str, role: &str, upper: u32) -> serde_json::Value {
    json!({"name": name, "role": role, "type": "number", "lower": 0, "upper": upper})
}

fn small(rows: &str, test: &str, yes_or_no: bool) -> Subject {
    let most = if yes_or_no { 1 } else { 10 };
    let table = Table {
        name: "small",
        about: "",
        columns: vec![number("x", "feature", 10), number("y", "outcome", most)],
        yes_or_no,
        light: true,
        train: format!("x,y\n{rows}"),
        test: format!("x,y\n{test}"),
    };
    let reference = Reference::new(&table);
    Subject { table, reference }
}

/// By hand: x̄ = 3, ȳ = 4, Sxx = 10, Sxy = 6, so slope 0.6 and constant 2.2; residuals -0.8, 0.6, 1, -0.6, -0.2 with squares 2.4; s² =
/// 2.4/3 and the slope's standard error √(0.8/10).
#[test]
fn the_exact_fit_has_the_standard_errors_of_the_textbook() {
    let subject = small("1,2\n2,4\n3,5\n4,4\n5,5\n", "1,3\n3,5\n", false);
    let reference = &subject.reference;
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-6, "{a} {b}");
    close(reference.estimates[0], 2.2);
    close(reference.estimates[1], 0.6);
    close(reference.errors[0], 0.08_f64.sqrt());
    // Of the records that are held out: predictions 2.8 and 4, squares of residuals 0.04 and 1, total 2.
    close(reference.r_squared(false, &reference.estimates), 1.0 - 1.04 / 2.0);
    assert_eq!((reference.train.len(), reference.test.len(), reference.columns), (5, 2, 1));
}

/// By hand: two groups of 4 with 1 and 3 yes have log odds that differ by 2 ln 3. Those of one group have the variance 1/(4 · 1/4 · 3/4) =
/// 4/3, so the difference has 8/3.
#[test]
fn the_exact_fit_of_labels_is_maximum_likelihood() {
    let rows = "0,0\n0,0\n0,0\n0,1\n1,1\n1,1\n1,1\n1,0\n";
    let reference = small(rows, "0,0\n1,1\n", true).reference;
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-4, "{a} {b}");
    close(reference.estimates[1], 2.0 * libm::log(3.0));
    close(reference.errors[0], (8.0_f64 / 3.0).sqrt());
    // Predictions 1/4 and 3/4: 1 - (1/16 + 1/16)/(1/2).
    close(reference.r_squared(true, &reference.estimates), 0.75);
}

/// A slope at 1 and 3 standard errors, one that is not shown, and one at 0.
#[test]
fn errors_are_in_standard_errors_and_a_slope_that_is_not_shown_is_infinitely_far() {
    let subject = small("1,2\n2,4\n3,5\n4,4\n5,5\n", "1,3\n3,5\n", false);
    let error = subject.reference.errors[0];
    let mut tally = Tally::new(&subject, true);
    for slope in [Some(0.6 + error), Some(0.6 - 3.0 * error), None] {
        tally.add_estimates(&[Some(2.2), slope]);
    }
    let cell = tally.cell();
    assert!((cell.error - 3.0).abs() < 1e-6, "{}", cell.error);
    assert!(cell.r_squared.is_finite());
    assert!(median(vec![1.0, f64::INFINITY]).is_infinite());
    assert!(median(vec![f64::NEG_INFINITY, 0.5]).is_infinite());
    assert!((median(vec![1.0, 4.0, 2.0, 3.0]) - 2.5).abs() < 1e-15);
}

fn one(records: &[(f64, f64)], square: f64) -> Coded {
    let (x, y): (Vec<f64>, Vec<f64>) = records.iter().copied().unzip();
    Coded::new(x, y, square)
}

/// By hand, with ε/3 = 1 and ln(6/δ) = 4, so that the noise has a standard deviation of 2, and every draw 1. X'X = 1000, X'y = 300: the
/// eigenvalue's bound is 1000 + 2 - 4 = 998, above √(4 ln 40) = 3.84, so the ridge is 0 and θ = 302/1002. X'X = 1, X'y = 0.3: the bound is
/// max(0, 1 + 2 - 4) = 0, and θ = 2.3/(3 + √(4 ln 40)).
#[test]
fn ada_ssp_as_published_is_that_of_a_hand_computation() {
    let delta = 6.0 / libm::exp(4.0);
    let mut ones = || 1.0;
    let many = one(&vec![(1.0, 0.3); 1_000], 1.0);
    assert!((ada_ssp(&many, 3.0, delta, &mut ones)[0] - 302.0 / 1002.0).abs() < 1e-12);
    let few = one(&[(1.0, 0.3)], 1.0);
    let expected = 2.3 / (3.0 + (4.0 * libm::log(40.0)).sqrt());
    assert!((ada_ssp(&few, 3.0, delta, &mut ones)[0] - expected).abs() < 1e-12);
    // Records twice as long: the noise of X'X is 4 times as large, that of X'y twice.
    let long = one(&[(2.0, 0.3)], 4.0);
    let expected = (0.6 + 4.0) / (4.0 + 8.0 + 4.0 * (4.0 * libm::log(40.0)).sqrt());
    assert!((ada_ssp(&long, 3.0, delta, &mut ones)[0] - expected).abs() < 1e-12);
}

/// By hand, at μ = √3, so that the noise of a part has standard deviation 1, and every draw 0: the eigenvalue's bound is 2 - 1.96 = 0.04, the
/// ridge 1.96 - 0.04 = 1.92. The first step is 1.4/3.92, the second adds (1.4 - 2 · 1.4/3.92)/3.92. An outcome of 5 counts as 1.
#[test]
fn boosted_ada_ssp_as_published_is_that_of_a_hand_computation() {
    let mu = 3.0_f64.sqrt();
    let mut zeros = || 0.0;
    let records = one(&[(1.0, 0.5), (1.0, 0.9)], 1.0);
    let first = 1.4 / 3.92;
    let second = first + (1.4 - 2.0 * first) / 3.92;
    let found: Vec<f64> = [1, 2].map(|rounds| boosted(&records, mu, rounds, &mut zeros)[0]).to_vec();
    assert!((found[0] - first).abs() < 1e-12 && (found[1] - second).abs() < 1e-12, "{found:?}");
    let clipped = one(&[(1.0, 0.5), (1.0, 5.0)], 1.0);
    assert!((boosted(&clipped, mu, 1, &mut zeros)[0] - 1.5 / 3.92).abs() < 1e-12);
    // Noise of a gradient is √rounds times as large, since the rounds share a third of μ².
    let mut ones = || 1.0;
    let noisy: DVector<f64> = boosted(&one(&[(1.0, 0.0)], 1.0), mu, 4, &mut ones);
    let (matrix, ridge) = (2.0, (1.96_f64 - 0.04).max(0.0));
    let step = |theta: f64| ((-theta).max(-1.0) + 2.0) / (matrix + ridge);
    let expected = (0..4).fold(0.0, |theta, _| theta + step(theta));
    assert!((noisy[0] - expected).abs() < 1e-12, "{} {expected}", noisy[0]);
}
