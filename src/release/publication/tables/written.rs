//! How terms, intervals and p-values are written, and the lines of an outcome.

use super::fit::spread;
use crate::model::{Estimate, INTERCEPT, Interval};
use crate::plan::Plan;
use crate::plan::derived::logarithm;
use crate::plan::document::Derived;
use crate::release::Release;
use crate::release::figure::{self, Line, Scale};
use crate::release::format::{self, short, significant};
use crate::release::odds;
use crate::release::publication::{Head, Labels};
use crate::release::significance::{Absent, Test, Tests};
use crate::release::supplement::{Noisy, Supplement};
use crate::words;

pub fn head(text: impl Into<String>) -> Head {
    let text = text.into();
    Head { beside: text.clone(), text, numeric: false }
}

pub fn number(text: impl Into<String>) -> Head {
    Head { numeric: true, ..head(text) }
}

/// Returns the lines of an outcome, coefficients of numbers for `per` units each.
pub fn lines(release: &Release, outcome: &str, per: f64) -> Vec<Line> {
    let lines = figure::lines(&release.plan, &release.coefficients, outcome);
    lines.into_iter().map(|line| figure::scaled(&release.plan, line, per)).collect()
}

/// Returns the lines of an outcome as a plot draws them: numbers for one released standard deviation, where each has one, or else over the
/// stated range of each.
pub fn drawn(release: &Release, supplement: &Supplement, outcome: &str, per: f64) -> (Vec<Line>, Scale) {
    let lines = lines(release, outcome, per);
    let plan = &release.plan;
    let own = |line: &Line| {
        if line.reach.is_none() || !figure::is_number(plan, &line.term) {
            return Some(line.clone());
        }
        let reach = spread(supplement, &line.term)? / units(plan, line, per);
        Some(Line { reach: Some(reach), ..line.clone() })
    };
    match lines.iter().map(own).collect::<Option<Vec<Line>>>() {
        Some(own) => (own, Scale::Deviations),
        None => (lines, Scale::Ranges),
    }
}

/// Returns what a plot calls a number that it draws for one standard deviation: `age per SD, 12.3 years`.
pub fn per_deviation(plan: &Plan, line: &Line, labels: &Labels) -> Option<String> {
    let sd = line.reach.filter(|_| figure::is_number(plan, &line.term))? * units(plan, line, labels.scale());
    let sd = format!("{} {}", labels.decimal.of_numbers(short(sd, 3)), figure::unit(plan, &line.term));
    Some(words::result::over_deviation(&line.term, sd.trim_end()))
}

/// Returns for how many units the coefficient of a line is.
pub fn units(plan: &Plan, line: &Line, per: f64) -> f64 {
    if figure::is_scaled(plan, &line.term, per) { per } else { 1.0 }
}

/// Returns the name of a term for a reader.
pub fn name(term: &str) -> &str {
    if term == INTERCEPT { words::result::intercept() } else { term }
}

/// Returns what a line's coefficient is for: `age per year`, `sex: M against F`.
pub fn label(line: &Line) -> String {
    labelled(&line.term, &line.per)
}

/// Returns the name of a line's term, of a level with the one that it is compared with: `age`, `sex: M against F`.
pub fn compared(line: &Line) -> String {
    labelled(&line.term, if line.per.contains(" against ") { &line.per } else { "" })
}

/// Returns a term with its contrast for a reader: `age per year`.
pub fn labelled(term: &str, per: &str) -> String {
    if per.is_empty() {
        return name(term).to_owned();
    }
    match term.split_once('[').filter(|_| per.contains(" against ")) {
        Some((column, _)) => format!("{column}: {per}"),
        None => format!("{term} {per}"),
    }
}

/// Returns the words of an interval: its ends and its kind.
pub fn interval(written: String, kind: Interval) -> String {
    match kind {
        Interval::Normal => written,
        Interval::Approximate => words::report::approximate(written),
        Interval::Withheld => words::result::interval_withheld().to_owned(),
    }
}

/// Returns a p-value with three decimals, marked where its interval is approximate. What is below 0.001 is rough without a mark.
pub fn p_value(p: f64, kind: Interval) -> String {
    let text = format!("{p:.3}");
    match kind {
        _ if p < 0.001 => words::journal::p_below().to_owned(),
        Interval::Approximate => words::journal::p_approximate(text),
        _ => text,
    }
}

/// Returns z with two decimals.
pub fn z_value(z: f64) -> String {
    let text = format!("{:.2}", z.abs());
    if z < 0.0 && text != "0.00" { format!("−{text}") } else { text }
}

pub fn tested(test: Option<Test>, kind: Interval) -> [String; 2] {
    test.map_or_else(
        || [format::NONE.to_owned(), format::NONE.to_owned()],
        |test| [z_value(test.z), p_value(test.p, kind)],
    )
}

/// Returns the exponential of a line's coefficient with its interval, where it has one: an odds ratio, or a factor.
pub fn ratio(line: &Line) -> String {
    let written = ratio_of(&line.term, &line.entry);
    let is_rough = line.entry.interval == Interval::Approximate && !written.is_empty();
    if is_rough { words::report::approximate(written) } else { written }
}

pub fn ratio_of(term: &str, entry: &Estimate) -> String {
    let Some(ratio) = odds::ratio(term, entry) else { return String::new() };
    let written = format::ratio(&ratio);
    match entry.interval {
        Interval::Withheld => written.estimate,
        Interval::Normal | Interval::Approximate => format!("{} ({})", written.estimate, written.interval),
    }
}

/// Returns what the column of intervals is called.
pub fn interval_head(log_odds: bool, tests: Tests, level: &str) -> String {
    match (log_odds, tests.absent()) {
        (true, _) => words::result::interval_log_odds(level),
        (false, Some(Absent::Penalised)) => words::result::interval_penalised(level),
        (false, _) => words::result::interval(level),
    }
}

/// Returns what a table of coefficients is called.
pub fn title(outcome: &str, log_odds: bool, tests: Tests) -> String {
    match (log_odds, tests.absent()) {
        (true, _) => words::result::logistic_of(outcome),
        (false, Some(Absent::Penalised)) => words::result::ridge_of(outcome),
        (false, _) => words::result::linear_of(outcome),
    }
}

/// Returns what a logarithm is of: a column, with the constant that is added to it.
pub fn raised(logarithm: &Derived) -> String {
    let from = logarithm.from.join(", ");
    match logarithm.offset.filter(|offset| *offset != 0.0) {
        Some(offset) => words::journal::with_offset(from, offset),
        None => from,
    }
}

/// Returns the heading of what takes the place of a logarithm: of log-odds, and of an outcome whose logarithm was fitted. `None`
/// for others.
pub fn ratio_head(release: &Release, supplement: &Supplement, outcome: &str) -> Option<String> {
    let level = format::level(&release.plan);
    if supplement.log_odds {
        return Some(words::result::odds_ratio(level));
    }
    logarithm(&release.plan, outcome).map(|_| words::journal::factor(level))
}

pub fn two_digits(value: Option<f64>) -> String {
    value.map_or_else(|| format::NONE.to_owned(), |value| significant(value, 2))
}

/// Writes a number to the place that its noise leaves.
pub fn noisy(value: Noisy) -> [String; 2] {
    let Noisy { value, std_error } = value;
    let written = format::with_error(Some(value), Some(std_error));
    let error = if std_error > 0.0 { significant(std_error, 2) } else { "0".to_owned() };
    let text = if std_error > 0.0 { written.estimate } else { significant(value, 4) };
    [text, error]
}
