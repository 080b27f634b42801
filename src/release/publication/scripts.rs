//! Programs in R and Python that read a release and print its tables.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::super::Release;
use super::super::figure;
use super::super::odds;
use super::super::remarks::remarks;
use super::super::shared::Shared;
use super::super::significance::Tests;
use super::super::supplement::{Description, Supplement};
use super::{Labels, tables};
use crate::plan::derived::logarithm;

const PYTHON: &str = include_str!("coefficients.py");
const R: &str = include_str!("coefficients.R");

/// Returns a Python program; it needs the standard library alone.
pub fn python(release: &Release, supplement: &Supplement, labels: &Labels) -> String {
    filled(PYTHON, release, supplement, labels, |on| if on { "True" } else { "False" })
}

/// Returns an R program; it needs the package `jsonlite`.
pub fn r(release: &Release, supplement: &Supplement, labels: &Labels) -> String {
    filled(R, release, supplement, labels, |on| if on { "TRUE" } else { "FALSE" })
}

fn filled(
    program: &str,
    release: &Release,
    supplement: &Supplement,
    labels: &Labels,
    flag: impl Fn(bool) -> &'static str,
) -> String {
    // JSON within a JSON string is a string of both languages.
    let facts = Value::String(facts(release, supplement, labels.scale()).to_string()).to_string();
    // A line end in a name would end the comment.
    let plain = |remark: String| remark.replace(char::is_control, " ");
    let remarks: String =
        remarks(release).into_iter().map(|remark| format!("# {}\n", plain(remark))).collect();
    program
        .replace("@REMARKS@\n", &remarks)
        .replace("@PER@", &format!("{:?}", labels.scale()))
        .replace("@FILE@", &Value::String(labels.file.clone()).to_string())
        .replace("@LOG_ODDS@", flag(supplement.log_odds))
        .replace("@TESTED@", flag(Tests::of(release).absent().is_none()))
        .replace("@FACTS@", &facts)
}

/// Returns what the coefficients of a release do not say by themselves: which are not for a number of units, and what follows from the released sums.
fn facts(release: &Release, supplement: &Supplement, per: f64) -> Value {
    let outcomes = figure::outcomes(release);
    let lines = outcomes.first().map(|first| figure::lines(&release.plan, &release.coefficients, first));
    let lines = lines.unwrap_or_default();
    let fixed: Vec<&str> = lines
        .iter()
        .filter(|line| !figure::is_scaled(&release.plan, &line.term, per))
        .map(|line| line.term.as_str())
        .collect();
    let spreads: BTreeMap<&str, f64> = lines
        .iter()
        .filter_map(|line| Some((line.term.as_str(), tables::spread(supplement, &line.term)?)))
        .collect();
    let of_outcomes: BTreeMap<&str, f64> = outcomes
        .iter()
        .filter_map(|name| Some((name.as_str(), tables::outcome_spread(release, supplement, name)?)))
        .collect();
    let contrasts: BTreeMap<&str, String> = lines
        .iter()
        .map(|line| (line.term.as_str(), figure::per_units(&release.plan, &line.term, per)))
        .collect();
    let compared: BTreeMap<&str, [String; 2]> = outcomes
        .iter()
        .map(|name| {
            let unit = if supplement.log_odds { String::new() } else { figure::unit(&release.plan, name) };
            let answers = odds::answers(&release.plan, name, supplement.log_odds);
            (name.as_str(), [unit, answers.map(|answers| answers.compared()).unwrap_or_default()])
        })
        .collect();
    let logarithms: Vec<&String> =
        outcomes.iter().filter(|name| logarithm(&release.plan, name).is_some()).collect();
    let shared = Shared::of(release);
    let together: Vec<&str> = lines
        .iter()
        .filter(|line| shared.move_term(&release.plan, &line.term))
        .map(|line| line.term.as_str())
        .collect();
    let fits: Vec<Value> = outcomes
        .iter()
        .map(|name| {
            let share = tables::r_squared(release, supplement, name);
            let share =
                share.map(|(share, noise)| if noise.is_some() { share } else { share.clamp(0.0, 1.0) });
            let known = release.diagnostics.outcomes.iter().find(|known| known.outcome == *name);
            json!([name, release.diagnostics.rows, share, known.and_then(|known| known.residual_sd)])
        })
        .collect();
    let categories: Vec<Value> = supplement
        .categories
        .iter()
        .map(|test| json!([test.outcome, test.label(), test.statistic, test.degrees]))
        .collect();
    let described = supplement.description.as_ref();
    let columns: Vec<Value> = described
        .iter()
        .flat_map(|description| &description.terms)
        .map(|term| {
            let sd = tables::sd_of(release, supplement, term);
            let mean = tables::mean_of(term).map(|mean| mean.value);
            json!([term.term, mean, term.mean.std_error, sd.map(|sd| sd.value), sd.map(|sd| sd.std_error)])
        })
        .collect();
    let correlations: Vec<Value> =
        described.map(Description::pairs).unwrap_or_default().into_iter().map(|pair| json!(pair)).collect();
    let covariances: BTreeMap<&str, &Vec<Vec<f64>>> =
        supplement.covariances.iter().map(|(outcome, rows)| (outcome.as_str(), rows)).collect();
    json!({
        "covariance": covariances, "columns": columns, "correlations": correlations, "of": release.ledger, "per": contrasts, "compared": compared, "fixed": fixed, "term_sd": spreads, "outcome_sd": of_outcomes, "fit": fits, "categories": categories,
        "logarithms": logarithms, "together": together,
    })
}
