//! p-values: what a reader has to know of them, tests of whole categories, and p-values adjusted for many outcomes.

use super::MOST_ADJUSTED;
use super::written::{head, number, p_value};
use crate::model::{INTERCEPT, Interval, level_of};
use crate::plan::derived::name_of;
use crate::plan::document::{Derived, Transform};
use crate::release::Release;
use crate::release::document::Coefficients;
use crate::release::figure::{self, Line};
use crate::release::format::short;
use crate::release::publication::{Head, Table};
use crate::release::remarks::robust;
use crate::release::significance::{Absent, Tests, benjamini_hochberg, holm, is_noise_alone};
use crate::release::supplement::Supplement;
use crate::words;

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
    let note = match robust(&release.diagnostics.notes) {
        Some(_) => words::journal::categories_robust(),
        None => words::journal::categories_note(),
    };
    let mut notes = vec![note.to_owned()];
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
