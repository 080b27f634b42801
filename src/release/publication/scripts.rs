//! Programs in R and Python that read a release and print its tables.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::super::Release;
use super::super::figure;
use super::super::odds;
use super::super::remarks::remarks;
use super::super::shared::Shared;
use super::super::significance::{CategoryTest, Tests};
use super::super::supplement::{
    ComparedLevels, Description, Difference, LevelMean, LevelPair, Supplement, Weights,
};
use super::{Labels, tables};
use crate::plan::Plan;
use crate::plan::derived::logarithm;
use crate::words;

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
            let (share, noise) = tables::r_squared(release, supplement, name).unzip();
            let noise = noise.flatten();
            let share = share.map(|share| if noise.is_some() { share } else { share.clamp(0.0, 1.0) });
            let known = release.diagnostics.outcome(name);
            let known = known.filter(|_| !tables::is_withheld(release, name));
            let sd = known.and_then(|known| known.residual_sd);
            let resolved = sd.filter(|_| known.is_some_and(|known| known.residual_resolved));
            let sd_noise = resolved.zip(tables::residual_noise(release, supplement, name));
            let sd_noise = sd_noise.map(|(sd, share)| sd * share);
            let diagnostics = &release.diagnostics;
            json!([name, diagnostics.rows, diagnostics.rows_std_error, share, noise, sd, sd_noise])
        })
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
        "covariance": covariances, "columns": columns, "correlations": correlations, "of": release.ledger, "per": contrasts, "compared": compared, "fixed": fixed, "term_sd": spreads, "outcome_sd": of_outcomes, "fit": fits,
        "categories": categories(supplement), "differences": differences(&release.plan, supplement, per),
        "levels": levels(&release.plan, supplement), "pairs": pairs(&release.plan, supplement),
        "held": held(supplement), "logarithms": logarithms, "together": together,
    })
}

/// Returns whether a program has the covariance of an outcome's coefficients.
fn has_covariance(supplement: &Supplement, outcome: &str) -> bool {
    supplement.covariances.iter().any(|(own, _)| own == outcome)
}

/// Returns the tests of several coefficients: outcome, label, the terms, and the statistic where the program cannot compute it.
fn categories(supplement: &Supplement) -> Vec<Value> {
    let test = |test: &CategoryTest| {
        let statistic = (!has_covariance(supplement, &test.outcome)).then_some(test.statistic);
        json!([test.outcome, test.label(), test.terms, statistic])
    };
    supplement.categories.iter().map(test).collect()
}

/// Returns what a column does at each level or some values of another: outcome, term, where, and what each coefficient is multiplied by for `per` units.
fn differences(plan: &Plan, supplement: &Supplement, per: f64) -> Vec<Value> {
    let difference = |one: &Difference| {
        let scale = if figure::is_scaled(plan, &one.term, per) { per } else { 1.0 };
        let weights: Weights =
            one.weights.iter().map(|(term, weight)| (term.clone(), scale * weight)).collect();
        let at = words::journal::at_its_level(&one.column, figure::level_name(plan, &one.column, &one.level));
        let term = tables::labelled(&one.term, &figure::per_units(plan, &one.term, per));
        json!([one.outcome, term, at, weights])
    };
    let known = supplement.differences.iter().filter(|one| has_covariance(supplement, &one.outcome));
    known.map(difference).collect()
}

fn compared(supplement: &Supplement) -> impl Iterator<Item = &ComparedLevels> {
    supplement.levels.iter().filter(|found| has_covariance(supplement, &found.outcome))
}

/// Returns the outcome at each level: outcome, column, level, and what each coefficient is multiplied by.
fn levels(plan: &Plan, supplement: &Supplement) -> Vec<Value> {
    let mean = |ComparedLevels { outcome, column, means, .. }: &ComparedLevels| {
        let name = |level: &str| figure::level_name(plan, column, level);
        let row = |mean: &LevelMean| json!([outcome, column, name(&mean.level), mean.weights]);
        means.iter().map(row).collect::<Vec<_>>()
    };
    compared(supplement).flat_map(mean).collect()
}

/// Returns the differences of each two levels: outcome, column, levels, and what each coefficient is multiplied by.
fn pairs(plan: &Plan, supplement: &Supplement) -> Vec<Value> {
    let of_column = |ComparedLevels { outcome, column, pairs, .. }: &ComparedLevels| {
        let name = |level: &str| figure::level_name(plan, column, level);
        let row = |pair: &LevelPair| {
            let levels = words::result::against(name(&pair.level), name(&pair.against));
            json!([outcome, column, levels, pair.weights])
        };
        pairs.iter().map(row).collect::<Vec<_>>()
    };
    compared(supplement).flat_map(of_column).collect()
}

/// Returns where numbers are held while levels are compared: outcome, column, value.
fn held(supplement: &Supplement) -> Vec<Value> {
    let mut found: Vec<Value> = Vec::new();
    for ComparedLevels { outcome, held, .. } in compared(supplement) {
        let rows = held.iter().map(|(column, at)| json!([outcome, column, at]));
        found.extend(rows.filter(|row| !found.contains(row)).collect::<Vec<_>>());
    }
    found
}
