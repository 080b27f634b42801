//! Differences at the levels of other columns, comparisons of levels, and the line over a column.

use super::MOST_ADJUSTED;
use super::written::{
    head, interval, interval_head, labelled, number, p_value, raised, ratio_head, ratio_of,
};
use crate::model::{Estimate, Interval};
use crate::plan::Plan;
use crate::plan::derived::logarithm;
use crate::release::Release;
use crate::release::effect::PartialEffect;
use crate::release::figure;
use crate::release::format::{self, short};
use crate::release::odds;
use crate::release::publication::{MOST_OUTCOMES, Table};
use crate::release::significance::{Test, Tests, holm};
use crate::release::supplement::{ComparedLevels, Difference, LevelMean, LevelPair, Supplement};
use crate::words;

/// Returns what columns with a product do at each level or some values of the other one (theory/inference 6.11). `None` without such columns.
pub fn differences(release: &Release, supplement: &Supplement, outcome: &str, per: f64) -> Option<Table> {
    let found: Vec<&Difference> =
        supplement.differences.iter().filter(|one| one.outcome == outcome).collect();
    if found.is_empty() {
        return None;
    }
    let level = format::level(&release.plan);
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
    let level = format::level(plan);
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
        for LevelMean { level: own, entry, .. } in means {
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
    let level = format::level(&release.plan);
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
        for (LevelPair { level, against, entry, .. }, test) in found.pairs.iter().zip(tested) {
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
    let level = format::level(plan);
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
    let level = format::level(plan);
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
