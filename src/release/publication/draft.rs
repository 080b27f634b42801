//! Drafts of the paragraphs on methods and results: what the release says, and no more.

use std::collections::BTreeSet;

use super::super::Release;
use super::super::document::Software;
use super::super::figure;
use super::super::format::{self, at_most, row, short};
use super::super::odds::{self, Answers};
use super::super::remarks::{are_of_persons, chosen_rows, made_in, robust};
use super::super::row_count::RowCount;
use super::super::significance::{Absent, CategoryTest, Tests};
use super::super::statement::{Statement, promised};
use super::super::supplement::Supplement;
use super::references::{chapter, references};
use super::tables::{self, name};
use super::{DecimalMark, one_of_several};
use crate::model::note::{Kind, enumerated};
use crate::model::{INTERCEPT, Interval, Missing, Role};
use crate::plan::Plan;
use crate::plan::derived::{DerivedTerm, name_of, terms_of};
use crate::plan::document::{Column, ColumnType};
use crate::plan::kinds::DEFAULT_NA;
use crate::privacy::adjacency::Adjacency;
use crate::words;

/// Outcomes whose results are written out.
const MOST_OUTCOMES: usize = 20;

/// Terms of an outcome that are written out.
const MOST_TERMS: usize = 60;

/// Most coefficients of a category, or of a spline, that are written out. For more, the text states the joint test.
const MOST_LEVELS: usize = 4;

/// Columns whose bounds are written out.
const MOST_COLUMNS: usize = 60;

/// Returns what was fitted, of which outcomes and on which features, in a sentence.
fn fitted(release: &Release, supplement: &Supplement) -> String {
    let plan = &release.plan;
    let columns = figure::columns(release);
    let terms = terms_of(plan);
    let of_role = |role: Role| {
        let named = columns.iter().filter(|column| column.role == role);
        let name = |column: &Column| match several(&terms, column) {
            // The first column of a term stands for all of it.
            Some(term) => {
                let is_first = term.columns.first().map(|own| &own.name) == column.name.as_ref();
                is_first.then(|| whole(plan, term))
            }
            None => described(column, supplement.log_odds),
        };
        enumerated(&named.filter_map(name).take(MOST_COLUMNS).collect::<Vec<_>>())
    };
    let (outcomes, features) = (of_role(Role::Outcome), of_role(Role::Feature));
    if supplement.log_odds {
        words::journal::fitted_logistic(outcomes, features)
    } else if Tests::of(release).absent() == Some(Absent::Penalised) {
        words::journal::fitted_ridge(outcomes, features)
    } else {
        words::journal::fitted_linear(outcomes, features)
    }
}

/// Returns what the results keep, and what all releases under their budget keep together. `None` for a demonstration.
fn kept(release: &Release) -> Option<Vec<String>> {
    let number = |name: &str, value: Option<f64>| value.map(|value| format!("{name} = {}", at_most(value)));
    let (epsilon, delta) = promised(release).unzip();
    let mu = release.privacy.mu.map(|mu| words::journal::mu(at_most(mu)));
    let budget = [number("epsilon", epsilon), number("delta", delta), mu];
    let budget: Vec<String> = budget.into_iter().flatten().collect();
    let is_private = release.demo.is_none() && !budget.is_empty();
    is_private.then(|| {
        let private = words::journal::private(budget.join(", "));
        std::iter::once(private).chain(one_of_several(release)).collect()
    })
}

/// Returns which program and which mechanism were used, in a sentence.
fn program(release: &Release) -> String {
    let software = &release.software;
    words::journal::program(&software.name, &software.version, &release.plan.mechanism.name)
}

/// Returns the methods in a few sentences, as an abstract has room for: the model, about how many rows counted, the promise and the program.
pub fn short_methods(release: &Release, supplement: &Supplement) -> String {
    let mut sentences = vec![fitted(release, supplement)];
    sentences.extend(RowCount::of(release).map(|count| count.printed()));
    match kept(release) {
        None => sentences.push(words::journal::not_private().to_owned()),
        Some(kept) => {
            sentences.extend(kept);
            sentences.extend(Statement::new(release).relaxation);
        }
    }
    sentences.push(program(release));
    sentences.join(" ").replace('`', "")
}

/// Returns a draft of the paragraph on methods.
pub fn methods(release: &Release, supplement: &Supplement) -> String {
    let plan = &release.plan;
    let estimated = release.estimated_bounds.iter().flat_map(|estimated| &estimated.columns);
    let estimated: BTreeSet<&str> = estimated.map(|column| column.column.as_str()).collect();
    let is_estimated = |column: &Column| column.name.as_deref().is_some_and(|name| estimated.contains(name));
    // A term has no bounds of its own: they follow from those of the columns that it is made from.
    let bounds: Vec<String> = figure::stated_columns(release)
        .iter()
        .filter(|column| !is_estimated(column))
        .take(MOST_COLUMNS)
        .filter_map(|column| {
            let (lower, upper) = column.stated_bounds()?;
            let unit = column.unit.as_deref().unwrap_or_default();
            let range = words::page::from_to(in_prose(lower), in_prose(upper));
            Some(format!("{} {range} {unit}", column.name.as_deref()?).trim_end().to_owned())
        })
        .collect();
    let notes = super::notes(release);
    let mut sentences = vec![fitted(release, supplement)];
    sentences.extend(plan.derived.iter().map(|term| made_in(plan, term)));
    sentences.extend(errors(&notes).map(str::to_owned));
    let rounds = match &release.steps {
        Some(_) => Some(words::journal::rounds_logistic()),
        None => release.is_adaptive().then(words::journal::rounds_linear),
    };
    if rounds.is_some() {
        let level = format::level(plan);
        sentences.push(words::journal::errors_include(level));
    }
    let lines: Vec<figure::Line> = figure::outcomes(release)
        .iter()
        .take(MOST_OUTCOMES)
        .flat_map(|outcome| figure::lines(plan, &release.coefficients, outcome))
        .collect();
    sentences.extend(tables::test_notes(release, &lines));
    match kept(release) {
        None => sentences.push(words::journal::not_private().to_owned()),
        Some(kept) => {
            sentences.extend(kept);
            let neighbours = match plan.adjacency {
                Adjacency::AddRemove => words::journal::add_remove(),
                Adjacency::ReplaceOne => words::journal::replace_one(),
            };
            sentences.push(neighbours.to_owned());
            let statement = Statement::new(release);
            sentences.push(statement.unit);
            sentences.extend(statement.relaxation);
        }
    }
    sentences.push(program(release));
    sentences.extend(sources(supplement.source, &release.software));
    sentences.extend(rounds.map(str::to_owned));
    sentences.extend(chosen_rows(plan));
    if !bounds.is_empty() {
        sentences.push(words::journal::clipped(bounds.join("; ")));
    }
    let mut clipped: Vec<String> =
        notes.into_iter().filter(|note| Kind::of(note) == Kind::Clipping).collect();
    // What is said of the bounds stands beside them.
    clipped.sort_by_key(|note| note != words::note::clipped());
    sentences.extend(clipped);
    sentences.extend(missing(plan));
    sentences.extend(RowCount::of(release).map(|count| count.printed()));
    // A name is set as code on the page, which prose does not do.
    let methods = sentences.join(" ").replace('`', "");
    let papers = references(release, supplement.source);
    if papers.is_empty() {
        methods
    } else {
        format!("{methods}\n\n{}\n{}", words::journal::references(), papers.join("\n"))
    }
}

/// Returns what standard errors assume of the residuals, where the notes say it.
fn errors(notes: &[String]) -> Option<&'static str> {
    if are_of_persons(notes) {
        Some(words::journal::errors_of_persons())
    } else if robust(notes).is_some() {
        Some(words::journal::errors_robust())
    } else {
        let is_assumed = notes.iter().any(|note| Kind::of(note) == Kind::EqualSpread);
        is_assumed.then(words::journal::errors_equal)
    }
}

/// Returns where a mechanism comes from, in sentences: the papers that its `source` names, and the chapters of the documentation.
fn sources(source: &str, software: &Software) -> Vec<String> {
    let (chapters, papers): (Vec<&str>, Vec<&str>) =
        source.split("; ").partition(|part| part.starts_with("theory/"));
    let chapters: Vec<String> = chapters.into_iter().filter_map(chapter).collect();
    if chapters.is_empty() {
        return Vec::new();
    }
    let derived = words::journal::derived_in(&software.name, &software.version, chapters.join("; "));
    papers.into_iter().map(words::journal::follows).chain([derived]).collect()
}

/// Returns which cells counted as missing, and what became of their rows, in sentences.
pub fn missing(plan: &Plan) -> impl Iterator<Item = String> {
    let rule = match plan.missing.unwrap_or_default() {
        Missing::Skip => words::journal::missing_skipped(),
        Missing::Midpoint => words::journal::missing_midpoint(),
    };
    missing_codes(plan).into_iter().chain([rule.to_owned()])
}

/// Returns which cells counted as missing, beside empty ones and the usual words.
fn missing_codes(plan: &Plan) -> Option<String> {
    let of_table = plan.csv.iter().flat_map(|csv| csv.na.iter().flatten());
    let of_table =
        of_table.filter(|code| !DEFAULT_NA.contains(&code.as_str())).map(words::journal::missing_code);
    let of_columns = plan
        .columns
        .iter()
        .filter_map(|column| Some((column.na.as_ref()?, column.name.as_ref().or(column.pattern.as_ref())?)));
    let of_columns = of_columns
        .flat_map(|(na, name)| na.iter().map(move |code| words::journal::missing_code_of(code, name)));
    let codes: Vec<String> = of_table.chain(of_columns).collect();
    (!codes.is_empty()).then(|| words::journal::missing_codes(codes.join(", ")))
}

/// Returns a bound for prose: with all digits before the point, and at least four in all. The plan has the exact one.
fn in_prose(bound: f64) -> String {
    let digits = (4..=9).find(|digits| bound.abs() < 10.0_f64.powi(*digits)).unwrap_or(4);
    short(bound, u8::try_from(digits).unwrap_or(4))
}

/// Returns the term that a column is a part of, where it has columns of other names: a spline, or a product with levels.
fn several<'a>(terms: &'a [DerivedTerm], column: &Column) -> Option<&'a DerivedTerm> {
    let has = |term: &&DerivedTerm| term.columns.iter().any(|own| Some(&own.name) == column.name.as_ref());
    terms.iter().find(has).filter(|term| term.columns.iter().any(|own| own.name != term.name))
}

/// Returns what such a term is called.
fn whole(plan: &Plan, term: &DerivedTerm) -> String {
    let entry = plan.derived.iter().find(|entry| name_of(entry) == term.name);
    match entry.and_then(|entry| entry.knots.as_ref()) {
        Some(knots) => words::journal::spline(&term.name, knots.len()),
        None => term.name.clone(),
    }
}

/// Returns a column with what its coefficients, or those of its regression, compare.
fn described(column: &Column, log_odds: bool) -> Option<String> {
    let name = column.name.clone()?;
    if column.role == Role::Outcome {
        let answers = Answers::of(column, log_odds);
        return Some(match answers {
            Some(answers) => words::journal::of_answers(name, answers.words()),
            None => name,
        });
    }
    if column.kind != Some(ColumnType::Category) {
        return Some(name);
    }
    let reference = column.reference_level().map(|level| column.level_name(level)).unwrap_or_default();
    Some(words::journal::category_against(name, reference))
}

/// Returns a draft of the paragraph on results, with the notes of the release that the methods do not have behind it.
pub fn results(release: &Release, supplement: &Supplement, per: f64) -> String {
    let mut sentences = Vec::new();
    if release.coefficients.is_undetermined() {
        sentences.push(words::journal::undetermined().to_owned());
    } else {
        let outcomes = figure::outcomes(release);
        for outcome in outcomes.iter().take(MOST_OUTCOMES) {
            sentences.push(of_outcome(release, supplement, outcome, per));
        }
        if outcomes.len() > MOST_OUTCOMES {
            sentences.push(words::report::more_outcomes(outcomes.len() - MOST_OUTCOMES));
        }
        if outcomes.len() > 1 && Tests::of(release).absent().is_none() {
            sentences.push(words::journal::not_adjusted(outcomes.len()));
        }
    }
    // Odds ratios are printed here, and no log-odds. What was clipped stands in the methods.
    let mut notes = super::notes(release);
    notes.retain(|note| !matches!(Kind::of(note), Kind::LogOdds | Kind::Clipping));
    if !notes.is_empty() {
        sentences.push(words::journal::to_be_reported(notes.join(" ").replace('`', "")));
    }
    sentences.join("\n\n")
}

fn with_p(p: f64, kind: Interval) -> String {
    let p = tables::p_value(p, kind);
    // "< 0.001" and "≈ 0.901" bring their own sign.
    let has_sign = !p.starts_with(|c: char| c.is_ascii_digit());
    if has_sign { words::journal::with_p_sign(p) } else { words::journal::with_p(p) }
}

/// Returns the test of a whole category in prose.
fn whole_category(test: &CategoryTest) -> String {
    let kind = if test.approximate { Interval::Approximate } else { Interval::Normal };
    let p = with_p(test.p, kind);
    words::journal::category_told(test.label(), short(test.statistic, 3), test.degrees, p)
}

fn of_outcome(release: &Release, supplement: &Supplement, outcome: &str, per: f64) -> String {
    let tests = Tests::of(release);
    let level = format::level(&release.plan);
    let lines = tables::lines(release, outcome, per);
    let whole: Vec<&CategoryTest> =
        supplement.categories.iter().filter(|test| test.outcome == outcome).take(MOST_TERMS).collect();
    let large: Vec<String> = whole
        .iter()
        .filter(|test| test.degrees > MOST_LEVELS && test.together.is_empty())
        .map(|test| test.column.clone())
        .collect();
    let is_of_large = |line: &figure::Line| {
        line.term.split_once('[').is_some_and(|(column, _)| large.iter().any(|name| name == column))
    };
    let mut withheld = Vec::new();
    let mut told = Vec::new();
    for line in lines.iter().filter(|line| line.term != INTERCEPT).take(MOST_TERMS) {
        if line.entry.interval == Interval::Withheld {
            withheld.push(name(&line.term).to_owned());
            continue;
        }
        if is_of_large(line) {
            continue;
        }
        let ratio = supplement.log_odds.then(|| odds::ratio(&line.term, &line.entry)).flatten();
        let written = ratio.as_ref().map_or_else(|| row(&line.entry), format::ratio);
        let interval = match line.entry.interval {
            Interval::Approximate => words::journal::noted(written.interval, words::result::approximate()),
            Interval::Normal | Interval::Withheld => written.interval,
        };
        let test = tests.test(&line.entry).map(|test| with_p(test.p, line.entry.interval));
        told.push(words::journal::told(
            tables::label(line),
            written.estimate,
            &level,
            interval,
            test.unwrap_or_default(),
        ));
    }
    let mut text = tables::fit_in_sentences(release, supplement, outcome, DecimalMark::Point).join(" ");
    if !told.is_empty() {
        let unit = figure::unit(&release.plan, outcome);
        let told = told.join("; ");
        let named = odds::answers(&release.plan, outcome, supplement.log_odds).map_or_else(
            || outcome.to_owned(),
            |answers| words::journal::of_answers(outcome, answers.compared()),
        );
        let told = match (supplement.log_odds, unit.as_str()) {
            (true, _) => words::journal::odds_ratios_of(named, told),
            (false, "") => words::journal::coefficients_of(named, told),
            (false, unit) => words::journal::coefficients_of_unit(named, unit, told),
        };
        text = format!("{text} {told}");
    }
    if !whole.is_empty() {
        let tests: Vec<String> = whole.into_iter().map(whole_category).collect();
        text = format!("{text} {}", words::journal::categories_told(tests.join("; ")));
    }
    if !large.is_empty() {
        text = format!("{text} {}", words::journal::levels_in_the_table(enumerated(&large)));
    }
    if let Some(factors) = tables::factors(release, outcome, per) {
        let left_out: Vec<String> =
            lines.iter().filter(|line| is_of_large(line)).map(tables::label).collect();
        let told = factors.rows.iter().filter(|row| row.first().is_none_or(|term| !left_out.contains(term)));
        let told: Vec<String> = told.take(MOST_TERMS).map(|row| row.join(" ")).collect();
        if !told.is_empty() {
            text = format!("{text} {}", words::journal::factors_told(factors.caption, told.join("; ")));
        }
    }
    if let Some(found) = tables::differences(release, supplement, outcome, per) {
        let is_ratio = tables::ratio_head(release, supplement, outcome).is_some();
        let told = |row: &Vec<String>| match row.as_slice() {
            [term, at, ratio, ..] if is_ratio => words::journal::difference_told(term, at, ratio),
            [term, at, estimate, interval, ..] => {
                words::journal::difference_told(term, at, words::journal::noted(estimate, interval))
            }
            _ => row.join(" "),
        };
        let told: Vec<String> = found.rows.iter().take(MOST_TERMS).map(told).collect();
        text = format!("{text} {}", words::journal::differences_told(told.join("; ")));
    }
    if !withheld.is_empty() {
        text = format!("{text} {}", words::journal::not_determined(withheld.join(", ")));
    }
    text.trim().to_owned()
}
