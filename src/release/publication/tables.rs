//! The tables of a release: coefficients with tests, whole categories, adjusted p-values, and the description of the columns.

use super::super::Release;
use super::super::document::Coefficients;
use super::super::effect::PartialEffect;
use super::super::figure::{self, Line, Scale};
use super::super::format::{self, percent, short, significant};
use super::super::odds;
use super::super::reduced::column_of;
use super::super::remarks::of_rows;
use super::super::row_count::RowCount;
use super::super::shared::Shared;
use super::super::significance::{Absent, Test, Tests, benjamini_hochberg, holm, is_noise_alone};
use super::super::supplement::{
    ComparedLevels, Correlations, DescribedTerm, Description, Difference, LevelPair, Noisy, RESOLVED,
    Supplement,
};
use super::measure::width;
use super::stated;
use super::{DecimalMark, Head, Labels, MOST_OUTCOMES, Table};
use crate::model::note::quoted;
use crate::model::{Estimate, INTERCEPT, Interval, Missing, level_of};
use crate::plan::Plan;
use crate::plan::derived::{logarithm, name_of};
use crate::plan::document::{Column, Derived, Transform};
use crate::words;

/// Noise on R² above which it is left out.
const MOST_R_SQUARED_NOISE: f64 = 0.1;

/// Width of the report's text on A4, its size of numbers, the space between its columns, and most of the width of names, in pixels.
const REPORT_WIDTH: f64 = 640.0;
const REPORT_SIZE: f64 = 12.0;
const REPORT_GAP: f64 = 8.0;
const MOST_OF_NAMES: f64 = 226.0;

/// Most rows of a table of adjusted p-values.
const MOST_ADJUSTED: usize = 1_000;

/// Returns all tables of a release.
pub fn all(release: &Release, supplement: &Supplement, labels: &Labels) -> Vec<Table> {
    let (per, decimal) = (labels.scale(), labels.decimal);
    let mut tables: Vec<Table> = Vec::new();
    if !release.coefficients.is_undetermined() {
        let outcomes = figure::outcomes(release);
        tables.extend(
            outcomes
                .iter()
                .take(MOST_OUTCOMES)
                .map(|outcome| coefficients(release, supplement, outcome, labels)),
        );
        if let Some(last) = tables.last_mut()
            && outcomes.len() > MOST_OUTCOMES
        {
            last.notes.push(words::report::more_outcomes(outcomes.len() - MOST_OUTCOMES));
        }
        let logarithms = outcomes.iter().take(MOST_OUTCOMES);
        tables.extend(logarithms.filter_map(|outcome| factors(release, outcome, per)));
        let all = outcomes.iter().take(MOST_OUTCOMES);
        tables.extend(all.filter_map(|outcome| differences(release, supplement, outcome, per)));
        tables.extend(levels(release, supplement));
        tables.extend(categories(release, supplement));
        tables.extend(adjusted(release));
    }
    if let Some(description) = &supplement.description {
        tables.extend(columns(release, supplement, description));
        tables.extend(correlations(description));
    }
    tables.push(stated::columns(release, supplement.log_odds, decimal));
    tables.into_iter().map(|table| decimal.of_table(table)).collect()
}

/// Returns the tables of a regression that was computed from a release.
pub(super) fn regression(
    release: &Release,
    supplement: &Supplement,
    outcome: &str,
    labels: &Labels,
) -> Vec<Table> {
    let per = labels.scale();
    let coefficients = coefficients(release, supplement, outcome, labels);
    let factors = factors(release, outcome, per).into_iter();
    let others =
        factors.chain(differences(release, supplement, outcome, per)).chain(categories(release, supplement));
    std::iter::once(coefficients).chain(others).chain(levels(release, supplement)).collect()
}

pub(super) fn head(text: impl Into<String>) -> Head {
    let text = text.into();
    Head { beside: text.clone(), text, numeric: false }
}

pub(super) fn number(text: impl Into<String>) -> Head {
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
pub(super) fn per_deviation(plan: &Plan, line: &Line, labels: &Labels) -> Option<String> {
    let sd = line.reach.filter(|_| figure::is_number(plan, &line.term))? * units(plan, line, labels.scale());
    let sd = format!("{} {}", labels.decimal.of_numbers(short(sd, 3)), figure::unit(plan, &line.term));
    Some(words::result::over_deviation(&line.term, sd.trim_end()))
}

/// Returns for how many units the coefficient of a line is.
fn units(plan: &Plan, line: &Line, per: f64) -> f64 {
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
fn compared(line: &Line) -> String {
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

fn tested(test: Option<Test>, kind: Interval) -> [String; 2] {
    test.map_or_else(
        || [format::NONE.to_owned(), format::NONE.to_owned()],
        |test| [z_value(test.z), p_value(test.p, kind)],
    )
}

/// Returns the coefficients of one outcome.
pub fn coefficients(release: &Release, supplement: &Supplement, outcome: &str, labels: &Labels) -> Table {
    let per = labels.scale();
    let lines = lines(release, outcome, per);
    let tests = Tests::of(release);
    let level = short(100.0 * release.plan.confidence.unwrap_or(0.95), 3);
    let log_odds = supplement.log_odds;
    let named = odds::named(&release.plan, outcome, log_odds);
    let named = figure::with_unit(&named, &figure::unit(&release.plan, outcome));
    let standard: Vec<Option<f64>> =
        lines.iter().map(|line| standardised(release, supplement, line, outcome, per)).collect();
    let any_standard = standard.iter().any(Option::is_some);
    let mut heads = vec![head(words::result::term())];
    if log_odds {
        heads.push(number(words::result::odds_ratio(&level)));
    }
    heads.push(number(if log_odds { words::result::log_odds() } else { words::result::estimate() }));
    heads.extend([number(words::journal::std_error()), number(interval_head(log_odds, tests, &level))]);
    let least = is_least_share(release, outcome);
    let share = |share| if least { words::result::at_least(percent(share)) } else { percent(share) };
    let any_test = has_test(tests, &lines);
    if any_test {
        heads.extend([number(words::journal::z()), number(words::journal::p())]);
    }
    if any_standard {
        heads.push(number(words::journal::standardised()));
    }
    heads.push(number(words::method::uncertainty_from_privacy_noise()));
    let rows = lines.iter().zip(standard).map(|(line, standard)| {
        let written = format::row(&line.entry);
        let mut row = vec![label(line)];
        if log_odds {
            row.push(ratio(line));
        }
        row.extend([written.estimate, written.std_error, interval(written.interval, line.entry.interval)]);
        if any_test {
            row.extend(tested(tests.test(&line.entry), line.entry.interval));
        }
        if any_standard {
            row.push(two_digits(standard));
        }
        row.push(line.entry.noise_share.map_or_else(|| format::NONE.to_owned(), share));
        row
    });
    let rows = rows.collect();
    let caption = title(&of_rows(&release.plan, named), log_odds, tests);
    let mut notes = fit_in_sentences(release, supplement, outcome, labels.decimal);
    notes.extend(test_notes(release, &lines));
    if any_standard {
        notes.push(words::journal::standardised_note().to_owned());
    }
    notes.push(words::journal::share_note().to_owned());
    Table { caption, heads, rows, notes }
}

/// Returns whether the shares of privacy noise are the least that they can be: where the residual variance does not stand out of its noise, a
/// larger value stands in its place, and sampling looks larger.
pub fn is_least_share(release: &Release, outcome: &str) -> bool {
    let known = release.diagnostics.outcomes.iter().find(|known| known.outcome == outcome);
    known.is_some_and(|known| known.residual_sd.is_some() && !known.residual_resolved)
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

/// Returns the exponential of a line's coefficient with its interval, where it has one: an odds ratio, or a factor.
pub fn ratio(line: &Line) -> String {
    let written = ratio_of(&line.term, &line.entry);
    let is_rough = line.entry.interval == Interval::Approximate && !written.is_empty();
    if is_rough { words::report::approximate(written) } else { written }
}

fn ratio_of(term: &str, entry: &Estimate) -> String {
    let Some(ratio) = odds::ratio(term, entry) else { return String::new() };
    let written = format::ratio(&ratio);
    match entry.interval {
        Interval::Withheld => written.estimate,
        Interval::Normal | Interval::Approximate => format!("{} ({})", written.estimate, written.interval),
    }
}

/// Returns by what each term multiplies an outcome whose logarithm was fitted (theory/inference 6.10). `None` for another
/// outcome.
pub fn factors(release: &Release, outcome: &str, per: f64) -> Option<Table> {
    let raised = raised(logarithm(&release.plan, outcome)?);
    let shared = Shared::of(release);
    let lines = lines(release, outcome, per).into_iter().filter(|line| line.term != INTERCEPT);
    let lines = lines.filter(|line| !shared.move_term(&release.plan, &line.term));
    let rows: Vec<Vec<String>> = lines.map(|line| vec![label(&line), ratio(&line)]).collect();
    let mut notes = vec![words::journal::factors_note(raised.clone())];
    if !shared.0.is_empty() {
        let columns = shared.0.into_iter().collect::<Vec<_>>();
        notes.push(words::journal::factors_shared(quoted(&columns)));
    }
    let level = short(100.0 * release.plan.confidence.unwrap_or(0.95), 3);
    (!rows.is_empty()).then(|| Table {
        caption: words::journal::factors_of(&raised),
        heads: vec![head(words::result::term()), number(words::journal::factor(level))],
        rows,
        notes,
    })
}

/// Returns what a logarithm is of: a column, with the constant that is added to it.
fn raised(logarithm: &Derived) -> String {
    let from = logarithm.from.join(", ");
    match logarithm.offset.filter(|offset| *offset != 0.0) {
        Some(offset) => words::journal::with_offset(from, offset),
        None => from,
    }
}

/// Returns the heading of what takes the place of a logarithm: of log-odds, and of an outcome whose logarithm was fitted. `None`
/// for others.
pub(super) fn ratio_head(release: &Release, supplement: &Supplement, outcome: &str) -> Option<String> {
    let level = short(100.0 * release.plan.confidence.unwrap_or(0.95), 3);
    if supplement.log_odds {
        return Some(words::result::odds_ratio(level));
    }
    logarithm(&release.plan, outcome).map(|_| words::journal::factor(level))
}

/// Returns what columns with a product do at each level of the other one (theory/inference 6.11). `None` without such columns.
pub fn differences(release: &Release, supplement: &Supplement, outcome: &str, per: f64) -> Option<Table> {
    let found: Vec<&Difference> =
        supplement.differences.iter().filter(|one| one.outcome == outcome).collect();
    if found.is_empty() {
        return None;
    }
    let level = short(100.0 * release.plan.confidence.unwrap_or(0.95), 3);
    let tests = Tests::of(release);
    let ratio = ratio_head(release, supplement, outcome);
    let mut heads = vec![head(words::result::term()), head(words::journal::at_level())];
    match &ratio {
        Some(ratio) => heads.push(number(ratio)),
        None => heads
            .extend([words::result::estimate().to_owned(), interval_head(false, tests, &level)].map(number)),
    }
    let has_tests = tests.absent().is_none();
    heads.extend(has_tests.then(|| number(words::journal::p())));
    let row = |one: &&Difference| {
        let is_scaled = figure::is_scaled(&release.plan, &one.term, per) && (per - 1.0).abs() > 0.0;
        let entry = one.entry.times(if is_scaled { per } else { 1.0 });
        let units =
            if is_scaled { figure::per_units(&release.plan, &one.term, per) } else { one.per.clone() };
        let (written, kind) = (format::row(&entry), entry.interval);
        let level = figure::level_name(&release.plan, &one.column, &one.level);
        let at = words::journal::at_its_level(&one.column, level);
        let mut row = vec![labelled(&one.term, &units), at];
        match &ratio {
            Some(_) => row.push(interval(ratio_of(&one.term, &entry), kind)),
            None => row.extend([written.estimate, interval(written.interval, kind)]),
        }
        if has_tests {
            row.push(tests.test(&entry).map_or_else(String::new, |test| p_value(test.p, kind)));
        }
        row
    };
    Some(Table {
        caption: words::journal::differences(odds::named(&release.plan, outcome, supplement.log_odds)),
        rows: found.iter().take(MOST_ADJUSTED).map(row).collect(),
        heads,
        notes: vec![words::journal::differences_note().to_owned()],
    })
}

/// Returns the outcome at each level of each category, all else held (theory/inference 6.12): its mean, its probability, or the geometric mean where
/// its logarithm was fitted. `None` if none is known.
pub fn level_means(release: &Release, supplement: &Supplement, outcome: &str) -> Option<Table> {
    let plan = &release.plan;
    let level = short(100.0 * plan.confidence.unwrap_or(0.95), 3);
    let made = logarithm(plan, outcome);
    let shown = |value: Option<f64>| match (supplement.log_odds, made) {
        (true, _) => value.map(|log_odds| 1.0 / (1.0 + libm::exp(-log_odds))),
        (false, Some(_)) => value.map(libm::exp),
        (false, None) => value,
    };
    let found: Vec<&ComparedLevels> =
        supplement.levels.iter().filter(|found| found.outcome == outcome).collect();
    let mut rows = Vec::new();
    for ComparedLevels { column, means, .. } in &found {
        for (own, entry) in means {
            let [estimate, lower, upper] = [entry.estimate, entry.lower, entry.upper].map(shown);
            let error = lower.zip(upper).map(|(lower, upper)| (upper - lower) / 4.0);
            let written = format::row(&Estimate { estimate, lower, upper, std_error: error, ..*entry });
            let at = words::journal::at_its_level(column, figure::level_name(plan, column, own));
            rows.push(vec![at, written.estimate, interval(written.interval, entry.interval)]);
        }
    }
    let named = match odds::answers(plan, outcome, true).filter(|_| supplement.log_odds) {
        Some(answers) => words::effect::probability_of(outcome, &answers.modelled),
        None => figure::with_unit(&odds::named(plan, outcome, false), &figure::unit(plan, outcome)),
    };
    let shown = match made {
        Some(made) => words::journal::geometric_mean(raised(made)),
        None if supplement.log_odds => words::journal::adjusted_probability().to_owned(),
        None => words::journal::adjusted_mean().to_owned(),
    };
    let held = found.first()?.held.iter();
    let held: Vec<String> =
        held.map(|(name, at)| words::journal::held_at(name, format::short(*at, 4))).collect();
    let held = if held.is_empty() { words::journal::held_nothing().to_owned() } else { held.join(", ") };
    (!rows.is_empty()).then(|| Table {
        caption: words::journal::at_each_level(named),
        heads: vec![head(words::journal::at_level()), number(shown), number(words::result::interval(level))],
        rows,
        notes: vec![words::journal::at_each_level_note(held)],
    })
}

/// Returns the differences of each two levels of a category (theory/inference 6.12), with p-values that allow for all of them. `None` if no category
/// has more than two levels.
pub fn level_pairs(release: &Release, supplement: &Supplement, outcome: &str) -> Option<Table> {
    let level = short(100.0 * release.plan.confidence.unwrap_or(0.95), 3);
    let tests = Tests::of(release);
    let ratio = ratio_head(release, supplement, outcome);
    let mut heads = vec![head(words::journal::compared_levels())];
    match &ratio {
        Some(ratio) => heads.push(number(ratio)),
        None => heads
            .extend([words::result::estimate().to_owned(), interval_head(false, tests, &level)].map(number)),
    }
    let has_tests = tests.absent().is_none();
    heads.extend([words::journal::p(), words::journal::holm()].map(number).into_iter().filter(|_| has_tests));
    let mut rows = Vec::new();
    for found in supplement.levels.iter().filter(|found| found.outcome == outcome) {
        let named = |level: &str| figure::level_name(&release.plan, &found.column, level);
        let tested: Vec<Option<Test>> = found.pairs.iter().map(|pair| tests.test(&pair.entry)).collect();
        let p: Vec<f64> = tested.iter().flatten().map(|test| test.p).collect();
        let mut all = holm(&p).into_iter();
        for (LevelPair { level, against, entry }, test) in found.pairs.iter().zip(tested) {
            let (written, kind) = (format::row(entry), entry.interval);
            let mut row = vec![words::journal::level_against(&found.column, named(level), named(against))];
            match &ratio {
                Some(_) => row.push(interval(ratio_of(&found.column, entry), kind)),
                None => row.extend([written.estimate, interval(written.interval, kind)]),
            }
            if has_tests {
                let p = test.map(|test| test.p);
                let adjusted = p.and_then(|_| all.next());
                row.extend([p, adjusted].map(|p| p.map_or_else(String::new, |p| p_value(p, kind))));
            }
            rows.push(row);
        }
    }
    (!rows.is_empty()).then(|| Table {
        caption: words::journal::level_pairs(odds::named(&release.plan, outcome, supplement.log_odds)),
        heads,
        rows,
        notes: vec![words::journal::level_pairs_note().to_owned()],
    })
}

/// Returns the tables that compare the levels of categories, of the first outcomes.
pub fn levels(release: &Release, supplement: &Supplement) -> Vec<Table> {
    let outcomes = figure::outcomes(release).into_iter().take(MOST_OUTCOMES);
    let of = |outcome: String| {
        let means = level_means(release, supplement, &outcome);
        means.into_iter().chain(level_pairs(release, supplement, &outcome))
    };
    outcomes.flat_map(of).collect()
}

/// Returns the line of an outcome over a column at the values that are marked on its axis.
pub fn effect(plan: &Plan, outcome: &str, effect: &PartialEffect) -> Table {
    let shown = effect.shown(plan, outcome);
    let level = short(100.0 * plan.confidence.unwrap_or(0.95), 3);
    let kind = if effect.is_approximate { Interval::Approximate } else { Interval::Normal };
    let row = |at: f64| {
        let point = effect.points.iter().find(|point| point.at.total_cmp(&at).is_eq())?;
        let (lower, upper) = point.span?;
        let error = Some((upper - lower) / 4.0);
        let entry = Estimate { estimate: Some(point.value), std_error: error, ..Estimate::WITHHELD };
        let written = format::row(&Estimate { lower: Some(lower), upper: Some(upper), ..entry });
        Some(vec![short(at, 4), written.estimate, interval(written.interval, kind)])
    };
    Table {
        caption: words::effect::of(&shown, &effect.column),
        heads: vec![
            head(figure::with_unit(&effect.column, &figure::unit(plan, &effect.column))),
            number(shown),
            number(words::result::interval(level)),
        ],
        rows: effect.listed().into_iter().filter_map(row).collect(),
        notes: vec![effect.note(plan)],
    }
}

/// Returns by how much an outcome differs between two values of a column, in a sentence: a number by a difference, log-odds by an odds ratio.
pub fn step(
    plan: &Plan,
    outcome: &str,
    log_odds: bool,
    column: &str,
    values: [f64; 2],
    entry: &Estimate,
) -> String {
    let level = short(100.0 * plan.confidence.unwrap_or(0.95), 3);
    let unit = figure::unit(plan, column);
    let [from, to] = values.map(|value| short(value, 6));
    let to = format!("{to} {unit}");
    let step = words::effect::step(column, from, to.trim_end());
    let told = |written: String| interval(written, entry.interval);
    match odds::ratio(column, entry).filter(|_| log_odds) {
        Some(ratio) => {
            let named = odds::answers(plan, outcome, true).map_or_else(
                || outcome.to_owned(),
                |answers| words::journal::of_answers(outcome, answers.compared()),
            );
            let written = format::ratio(&ratio);
            words::effect::step_ratio(step, written.estimate, level, told(written.interval), named)
        }
        None => {
            let written = format::row(entry);
            let unit = figure::unit(plan, outcome);
            let estimate = format!("{} {unit}", written.estimate);
            words::effect::step_difference(step, outcome, estimate.trim_end(), level, told(written.interval))
        }
    }
}

/// Returns the standardised coefficients of an outcome. `None` if none is known.
pub fn standardised_coefficients(release: &Release, supplement: &Supplement, outcome: &str) -> Option<Table> {
    let lines = lines(release, outcome, 1.0).into_iter().filter(|line| line.term != INTERCEPT);
    let found = |line: &Line| standardised(release, supplement, line, outcome, 1.0);
    let lines: Vec<(Line, Option<f64>)> = lines.map(|line| (line.clone(), found(&line))).collect();
    lines.iter().any(|(_, found)| found.is_some()).then(|| Table {
        caption: words::journal::standardised_of(outcome),
        heads: vec![head(words::result::term()), number(words::journal::standardised())],
        rows: lines.iter().map(|(line, found)| vec![compared(line), two_digits(*found)]).collect(),
        notes: vec![words::journal::standardised_note().to_owned()],
    })
}

fn two_digits(value: Option<f64>) -> String {
    value.map_or_else(|| format::NONE.to_owned(), |value| significant(value, 2))
}

/// Returns what one standard deviation of a feature, or a level, does to the outcome in standard deviations of it (theory/inference 6.6).
fn standardised(
    release: &Release,
    supplement: &Supplement,
    line: &Line,
    outcome: &str,
    per: f64,
) -> Option<f64> {
    if supplement.log_odds || line.term == INTERCEPT || line.entry.interval == Interval::Withheld {
        return None;
    }
    let of = outcome_spread(release, supplement, outcome)?;
    let own = spread(supplement, &line.term)? / units(&release.plan, line, per);
    Some(line.entry.estimate? * own / of)
}

/// Returns the standard deviation of an outcome: as its residuals and coefficients give it, or else its own.
pub(super) fn outcome_spread(release: &Release, supplement: &Supplement, outcome: &str) -> Option<f64> {
    match Parts::of(release, supplement, outcome).map(|parts| parts.whole()).filter(|whole| *whole > 0.0) {
        Some(variance) => Some(variance.sqrt()),
        None => Some(supplement.description.as_ref()?.sd(outcome)?.value),
    }
}

/// The variance of an outcome in two parts, without the noise of its own (theory/inference 6.6).
struct Parts {
    /// Of the residuals, over the rows.
    residual: f64,
    /// Of what the coefficients explain.
    explained: Noisy,
}

impl Parts {
    /// Returns what is known of a resolved regression.
    fn of(release: &Release, supplement: &Supplement, outcome: &str) -> Option<Self> {
        let place = release.diagnostics.outcomes.iter().position(|known| known.outcome == outcome)?;
        let known = release.diagnostics.outcomes.get(place).filter(|known| known.residual_resolved)?;
        let rows = release.diagnostics.rows?;
        let terms = figure::lines(&release.plan, &release.coefficients, outcome).len();
        let terms = f64::from(u32::try_from(terms).ok()?);
        let residual = known.residual_sd?.powi(2) * (rows - terms) / rows;
        (rows > terms).then_some(Self { residual, explained: (*supplement.explained.get(place)?)? })
    }

    fn whole(&self) -> f64 {
        self.residual + self.explained.value
    }
}

fn is_level(supplement: &Supplement, term: &str) -> bool {
    let terms = supplement.description.iter().flat_map(|description| &description.terms);
    terms.into_iter().any(|described| described.term == term && described.level.is_some())
}

/// Returns by how much a term changes for a standardised coefficient: the standard deviation of a number, 1 for a level.
pub(super) fn spread(supplement: &Supplement, term: &str) -> Option<f64> {
    if is_level(supplement, term) {
        return Some(1.0);
    }
    Some(supplement.description.as_ref()?.sd(term)?.value)
}

/// Returns R², and the standard deviation of its noise where it is only about that: of the release, or where that has none from what
/// residuals and coefficients give (theory/inference 6.6).
pub fn r_squared(release: &Release, supplement: &Supplement, outcome: &str) -> Option<(f64, Option<f64>)> {
    let known = release.diagnostics.outcomes.iter().find(|known| known.outcome == outcome)?;
    if let Some(share) = known.r_squared {
        return Some((share, None));
    }
    let found = r_squared_of_parts(release, supplement, outcome)?;
    (found.std_error <= MOST_R_SQUARED_NOISE).then_some((found.value, Some(found.std_error)))
}

/// Returns R² from what residuals and coefficients give, however large its noise is.
fn r_squared_of_parts(release: &Release, supplement: &Supplement, outcome: &str) -> Option<Noisy> {
    let parts = Parts::of(release, supplement, outcome)?;
    let whole = parts.whole();
    let of_residual = 2.0 * parts.explained.value * residual_noise(release, supplement, outcome)?;
    let std_error = parts.residual / whole.powi(2) * parts.explained.std_error.hypot(of_residual);
    (whole > 0.0).then_some(Noisy { value: parts.explained.value / whole, std_error })
}

/// Returns the standard deviation of an outcome from what residuals and coefficients give.
fn sd_of_parts(release: &Release, supplement: &Supplement, outcome: &str) -> Option<Noisy> {
    let parts = Parts::of(release, supplement, outcome)?;
    let of_residual = 2.0 * parts.residual * residual_noise(release, supplement, outcome)?;
    let value = parts.whole().sqrt();
    let std_error = parts.explained.std_error.hypot(of_residual) / (2.0 * value);
    (value > 0.0).then_some(Noisy { value, std_error })
}

/// Returns why R² is left out of a linear regression. `None` if it is shown, and if a method never has it.
fn without_r_squared(
    release: &Release,
    supplement: &Supplement,
    outcome: &str,
    mark: DecimalMark,
) -> Option<String> {
    if supplement.log_odds || r_squared(release, supplement, outcome).is_some() {
        return None;
    }
    let noise = r_squared_of_parts(release, supplement, outcome).map(|found| found.std_error);
    if let Some(noise) = noise.filter(|noise| *noise > MOST_R_SQUARED_NOISE) {
        return Some(words::journal::r_squared_noisy(mark.of_numbers(significant(noise, 2))));
    }
    let known = release.diagnostics.outcomes.iter().find(|known| known.outcome == outcome)?;
    (known.residual_sd.is_some()
        && (release.is_adaptive() && !supplement.explained.is_empty() || !known.residual_resolved))
        .then(|| words::journal::r_squared_left_out().to_owned())
}

/// Returns the fit as a whole: rows, R² and the residual standard deviation, and in sentences what a reader has to know of them.
pub fn fit(release: &Release, supplement: &Supplement, outcome: &str) -> (Vec<String>, Vec<String>) {
    fit_with(DecimalMark::Point, release, supplement, outcome)
}

/// Returns the fit as a whole with this mark in its numbers; a unit such as m²/1.73 stays as it is.
fn fit_with(
    mark: DecimalMark,
    release: &Release,
    supplement: &Supplement,
    outcome: &str,
) -> (Vec<String>, Vec<String>) {
    let significant = |value, digits| mark.of_numbers(significant(value, digits));
    let unit = figure::unit(&release.plan, outcome);
    let (mut fit, mut below) = (Vec::new(), Vec::new());
    fit.extend(RowCount::of(release).map(|count| {
        if count.std_error > 0.0 {
            words::journal::n_about(count.about())
        } else {
            words::journal::n(count.about())
        }
    }));
    if let Some((share, noise)) = r_squared(release, supplement, outcome) {
        let (short, long) = match noise {
            Some(noise) => {
                let [share, noise] = of_one(share, noise).map(|text| mark.of_numbers(text));
                (words::journal::r_squared_about(share, noise), words::journal::r_squared_from_coefficients())
            }
            None => {
                below.extend((share < 0.0).then(|| words::journal::r_squared_below().to_owned()));
                let share = significant(share.clamp(0.0, 1.0), 2);
                (words::journal::r_squared(share), words::journal::r_squared_from_moments())
            }
        };
        fit.push(short);
        below.push(long.to_owned());
    }
    below.extend(without_r_squared(release, supplement, outcome, mark));
    let known = release.diagnostics.outcomes.iter().find(|known| known.outcome == outcome);
    if let Some((known, value)) = known.and_then(|known| Some((known, known.residual_sd?))) {
        let sd = format!("{} {unit}", significant(value, 3));
        let sd = sd.trim_end();
        if known.residual_resolved {
            fit.push(words::journal::residual_sd(sd));
            let noise =
                residual_noise(release, supplement, outcome).map(|noise| significant(noise * value, 1));
            below.extend(noise.map(words::journal::residual_sd_noise));
        } else {
            // No standard deviation is larger than half of the range.
            let column = release.plan.columns.iter().find(|column| column.name.as_deref() == Some(outcome));
            let bounds = column.and_then(Column::stated_bounds);
            if bounds.is_none_or(|(lower, upper)| value < (upper - lower) / 2.0) {
                fit.push(words::journal::residual_sd_at_most(sd));
            }
            below.push(words::journal::residual_sd_unresolved().to_owned());
        }
    }
    (fit, below)
}

/// Returns the fit as a whole in sentences.
pub(super) fn fit_in_sentences(
    release: &Release,
    supplement: &Supplement,
    outcome: &str,
    mark: DecimalMark,
) -> Vec<String> {
    let (fit, below) = fit_with(mark, release, supplement, outcome);
    let fit = Some(fit.join(", ")).filter(|fit| !fit.is_empty());
    fit.map(|fit| format!("{fit}.")).into_iter().chain(below).collect()
}

/// Returns the standard deviation of the noise on an outcome's residual standard deviation, as a share of it.
fn residual_noise(release: &Release, supplement: &Supplement, outcome: &str) -> Option<f64> {
    let place = release.diagnostics.outcomes.iter().position(|known| known.outcome == outcome)?;
    *supplement.residual_noise.get(place)?
}

/// Returns whether one of these lines has a p-value.
pub fn has_test(tests: Tests, lines: &[Line]) -> bool {
    lines.iter().any(|line| tests.test(&line.entry).is_some())
}

/// Returns what a reader has to know of the p-values of these lines, or why there are none.
pub fn test_notes(release: &Release, lines: &[Line]) -> Vec<String> {
    let tests = Tests::of(release);
    let has = |wanted: &dyn Fn(&Line) -> bool| lines.iter().any(wanted);
    let shown = has_test(tests, lines);
    let interval = |line: &Line| line.entry.interval != Interval::Withheld;
    let mut notes = Vec::new();
    if shown {
        notes.push(words::journal::p_note());
        if has(&|line| line.entry.interval == Interval::Approximate) {
            notes.push(words::journal::p_approximate_note());
        }
    } else if has(&interval) {
        notes.push(match tests.absent() {
            Some(Absent::Penalised) => words::journal::p_penalised(),
            Some(Absent::Drawn) => words::journal::p_drawn(),
            None => words::journal::p_noise_alone(),
        });
    }
    if shown && has(&|line| interval(line) && is_noise_alone(&line.entry)) {
        notes.push(words::journal::p_noise_alone());
    }
    let mut notes: Vec<String> = notes.into_iter().map(str::to_owned).collect();
    let columns = figure::columns(release).into_iter();
    let categories = columns.filter(|column| column.levels.as_ref().is_some_and(|levels| levels.len() > 2));
    let mut names: Vec<String> = categories.filter_map(|column| column.name).collect();
    let is_of = |line: &Line, name: &String| level_of(&line.term, name).is_some();
    names.retain(|name| has(&|line| is_of(line, name)));
    if shown && !names.is_empty() && !has(&|line| !interval(line)) {
        return notes;
    }
    // What is withheld of an adaptive release leaves none of its coefficients a known covariance.
    if release.is_adaptive() {
        notes.extend((shown && !names.is_empty()).then(|| words::journal::no_categories().to_owned()));
        return notes;
    }
    names.retain(|name| has(&|line| !interval(line) && is_of(line, name)));
    notes.extend((shown && !names.is_empty()).then(|| words::journal::untested_categories(names.join(", "))));
    notes
}

/// Returns the tests of whole categories, terms and columns. `None` if none has several coefficients.
pub fn categories(release: &Release, supplement: &Supplement) -> Option<Table> {
    if supplement.categories.is_empty() {
        return None;
    }
    let many = figure::outcomes(release).len() > 1;
    let mut heads: Vec<Head> = many.then(|| head(words::columns::outcome())).into_iter().collect();
    heads.push(head(words::journal::category()));
    heads.extend([words::journal::wald(), words::journal::degrees(), words::journal::p()].map(number));
    let rows = supplement.categories.iter().take(MOST_ADJUSTED).map(|test| {
        let kind = if test.approximate { Interval::Approximate } else { Interval::Normal };
        let mut row: Vec<String> = many.then(|| test.outcome.clone()).into_iter().collect();
        row.extend([test.label(), short(test.statistic, 3), test.degrees.to_string()]);
        row.push(p_value(test.p, kind));
        row
    });
    let mut products = release.plan.derived.iter().filter(|term| term.transform == Transform::Product);
    let tested = |name: &String| {
        supplement.categories.iter().any(|test| test.column == *name && test.together.is_empty())
    };
    let mut notes = vec![words::journal::categories_note().to_owned()];
    let terms = figure::terms(release);
    // A further regression may be without it.
    let is_in = |product: &Derived| {
        let name = name_of(product);
        terms
            .iter()
            .any(|term| term.strip_prefix(&name).is_some_and(|rest| rest.is_empty() || rest.starts_with('[')))
    };
    if supplement.categories.iter().any(|test| !test.together.is_empty()) {
        notes.push(words::journal::together_note().to_owned());
    }
    if products.any(|product| is_in(product) && product.from.iter().any(tested)) {
        notes.push(words::journal::categories_in_products().to_owned());
    }
    Some(Table { caption: words::journal::categories().to_owned(), heads, rows: rows.collect(), notes })
}

/// Returns each term's p-values over all outcomes, adjusted. `None` for one outcome, or if no p-value is known.
pub fn adjusted(release: &Release) -> Option<Table> {
    let Coefficients::List(list) = &release.coefficients else { return None };
    let tests = Tests::of(release);
    let mut terms: Vec<&str> = Vec::new();
    for entry in list.iter().filter(|entry| entry.term != INTERCEPT) {
        if !terms.contains(&entry.term.as_str()) {
            terms.push(&entry.term);
        }
    }
    let (mut rows, mut untested) = (Vec::new(), 0);
    for term in terms {
        let found: Vec<_> = list
            .iter()
            .filter(|entry| entry.term == term)
            .filter_map(|entry| Some((entry, tests.test(&entry.entry())?)))
            .collect();
        if found.len() < 2 {
            continue;
        }
        untested += list.iter().filter(|entry| entry.term == term).count() - found.len();
        let p: Vec<f64> = found.iter().map(|(_, test)| test.p).collect();
        for (((entry, test), holm), rate) in found.iter().zip(holm(&p)).zip(benjamini_hochberg(&p)) {
            let p = |p: f64| p_value(p, entry.interval);
            rows.push(vec![term.to_owned(), entry.outcome.clone(), p(test.p), p(holm), p(rate)]);
        }
    }
    if rows.is_empty() {
        return None;
    }
    let more = rows.len().saturating_sub(MOST_ADJUSTED);
    rows.truncate(MOST_ADJUSTED);
    let mut notes = vec![words::journal::adjusted_note().to_owned()];
    if more > 0 {
        notes.push(words::report::more_rows(more));
    }
    if untested > 0 {
        notes.push(words::journal::adjusted_without(untested, untested));
    }
    Some(Table {
        caption: words::journal::adjusted().to_owned(),
        heads: vec![
            head(words::result::term()),
            head(words::columns::outcome()),
            number(words::journal::p()),
            number(words::journal::holm()),
            number(words::journal::benjamini_hochberg()),
        ],
        rows,
        notes,
    })
}

/// Writes a number to the place that its noise leaves.
fn noisy(value: Noisy) -> [String; 2] {
    let Noisy { value, std_error } = value;
    let written = format::with_error(Some(value), Some(std_error));
    let error = if std_error > 0.0 { significant(std_error, 2) } else { "0".to_owned() };
    let text = if std_error > 0.0 { written.estimate } else { significant(value, 4) };
    [text, error]
}

/// Returns a number from −1 to 1 and the noise on it, as they are printed.
fn of_one(value: f64, noise: f64) -> [String; 2] {
    let decimals = if noise < 0.005 { 3 } else { 2 };
    let written = format!("{:.decimals$}", value.abs());
    let is_zero = written.chars().all(|digit| matches!(digit, '0' | '.'));
    let sign = if value < 0.0 && !is_zero { "−" } else { "" };
    [format!("{sign}{written}"), format!("{noise:.decimals$}")]
}

/// Returns the mean of a number, or the share of a level where it stands out of its noise.
pub(super) fn mean_of(term: &DescribedTerm) -> Option<Noisy> {
    (term.level.is_none() || term.mean.value > term.mean.std_error).then_some(term.mean)
}

/// Returns the standard deviation of a column: of an outcome what residuals and coefficients give (theory/inference 6.6), where that stands out
/// of its noise and has less than the description.
pub(super) fn sd_of(release: &Release, supplement: &Supplement, term: &DescribedTerm) -> Option<Noisy> {
    let is_number = term.level.is_none();
    let of_parts = is_number.then(|| sd_of_parts(release, supplement, &term.term)).flatten();
    let of_parts = of_parts.filter(|found| found.stands_out(2.0 * RESOLVED));
    match (of_parts, term.sd) {
        (Some(parts), Some(own)) => Some(if own.std_error < parts.std_error { own } else { parts }),
        (parts, own) => parts.or(own),
    }
}

/// Returns the table that describes the columns, Table 1, and one of the terms that are made from columns; neither without a row. Merged
/// levels are those of a column.
pub fn columns(release: &Release, supplement: &Supplement, description: &Description) -> Vec<Table> {
    let derived = release.plan.derived.iter().filter(|entry| entry.transform != Transform::Merged);
    let derived: Vec<String> = derived.map(name_of).collect();
    let is_made = |term: &&DescribedTerm| derived.contains(&column_of(&release.plan, &term.term));
    let (made, own): (Vec<&DescribedTerm>, Vec<&DescribedTerm>) =
        description.terms.iter().take(MOST_ADJUSTED).partition(is_made);
    let mut notes = vec![words::journal::columns_note().to_owned()];
    if release.plan.missing == Some(Missing::Midpoint) {
        notes.push(words::journal::columns_midpoint().to_owned());
    }
    if description.source == Correlations::ShortenedRows {
        notes.push(words::journal::columns_shortened().to_owned());
    }
    let most = release.plan.max_rows_per_person.filter(|most| *most > 1);
    notes.extend(most.map(words::journal::columns_of_rows));
    let parts = [
        (words::journal::columns(), words::columns::column(), own),
        (words::journal::made_columns(), words::result::term(), made),
    ];
    let parts = parts.into_iter().filter(|(.., terms)| !terms.is_empty());
    let table = |(caption, first, terms): (&'static str, &'static str, Vec<&DescribedTerm>)| Table {
        caption: caption.to_owned(),
        heads: vec![
            head(first),
            number(words::journal::mean_or_share()),
            number(words::journal::its_noise()),
            number(words::report::standard_deviation()),
            number(words::journal::its_noise()),
        ],
        rows: terms.into_iter().map(|term| described(release, supplement, term)).collect(),
        notes: std::mem::take(&mut notes),
    };
    parts.map(table).collect()
}

/// Returns the row of a term in a table that describes columns.
fn described(release: &Release, supplement: &Supplement, term: &DescribedTerm) -> Vec<String> {
    let none = || format::NONE.to_owned();
    if let Some((column, level)) = &term.level {
        let share = |value: f64| format!("{value:.1} %");
        let mean = Noisy { value: 100.0 * term.mean.value, std_error: 100.0 * term.mean.std_error };
        let small = mean.std_error > 0.0 && mean.std_error < 0.05;
        let error =
            if small { format!("{} %", significant(mean.std_error, 1)) } else { share(mean.std_error) };
        return vec![
            format!(
                "{}: {}",
                figure::column_name(&release.plan, column),
                figure::level_name(&release.plan, column, level)
            ),
            if mean_of(term).is_none() { none() } else { share(mean.value.min(100.0)) },
            error,
            // A share has no standard deviation of its own.
            String::new(),
            String::new(),
        ];
    }
    let named = figure::column_name(&release.plan, &term.term);
    let named = figure::with_unit(named, &figure::unit(&release.plan, &term.term));
    let [mean, mean_error] = noisy(term.mean);
    let sd = sd_of(release, supplement, term);
    let [sd, sd_error] = sd.map_or_else(|| [none(), none()], noisy);
    vec![named, mean, mean_error, sd, sd_error]
}

/// Returns the lower triangle of the correlations, each with its noise; nothing where none is known. Rows and columns have numbers, as
/// journals print them, and there are as many tables as are needed for each to be no wider than a page of A4.
pub fn correlations(description: &Description) -> Vec<Table> {
    let known = description
        .correlations
        .iter()
        .enumerate()
        .any(|(row, cells)| cells.iter().take(row).any(Option::is_some));
    if !known {
        return Vec::new();
    }
    let names = description.correlated.iter().enumerate();
    let names: Vec<String> = names.map(|(place, name)| format!("{}. {name}", place + 1)).collect();
    let cell = |(column, cell): (usize, &Option<Noisy>), row: usize| match cell {
        _ if column > row => String::new(),
        _ if column == row => "1".to_owned(),
        Some(Noisy { value, std_error }) if *std_error > 0.0 => of_one(*value, *std_error).join(" ± "),
        Some(Noisy { value, .. }) => format!("{value:.3}"),
        None => format::NONE.to_owned(),
    };
    let cells = description.correlations.iter().enumerate();
    let cells: Vec<Vec<String>> = cells
        .map(|(row, cells)| cells.iter().enumerate().map(|column| cell(column, row)).collect())
        .collect();
    let widest = |texts: &mut dyn Iterator<Item = &str>| {
        texts.map(|text| width(text, REPORT_SIZE)).fold(0.0, f64::max) + REPORT_GAP
    };
    let name =
        widest(&mut names.iter().flat_map(|name| name.split(' '))).clamp(MOST_OF_NAMES / 2.0, MOST_OF_NAMES);
    let column = widest(&mut cells.iter().flatten().map(String::as_str));
    let fitting = ((REPORT_WIDTH - name) / column).clamp(1.0, 100.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 1 to 100")]
    let fitting = fitting as usize;
    let note = match description.source {
        Correlations::Rows => words::journal::correlations_note(),
        Correlations::ShortenedRows => words::journal::correlations_shortened(),
    };
    // The last column would hold a 1 alone.
    let count = names.len().saturating_sub(1).max(1);
    let each = count.div_ceil(count.div_ceil(fitting));
    let block = |from: usize| {
        let to = (from + each).min(count);
        let mut heads = vec![head(words::columns::column())];
        let of = |(column, name): (usize, &String)| Head {
            beside: name.clone(),
            ..number((column + 1).to_string())
        };
        heads.extend(names.iter().enumerate().take(to).skip(from).map(of));
        let rows = names.iter().zip(&cells).skip(from).map(|(name, cells)| {
            std::iter::once(name).chain(cells.iter().take(to).skip(from)).cloned().collect()
        });
        let caption = words::journal::correlations();
        Table {
            caption: if from == 0 { caption.to_owned() } else { words::journal::continued(caption) },
            heads,
            rows: rows.collect(),
            notes: (to == count).then(|| note.to_owned()).into_iter().collect(),
        }
    };
    (0..count).step_by(each).map(block).collect()
}
