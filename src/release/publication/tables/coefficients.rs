//! The coefficients of an outcome: for a unit, as factors, and standardised.

use super::fit::{fit_in_sentences, outcome_spread, spread};
use super::p_values::{has_test, test_notes};
use super::written::{
    compared, head, interval, interval_head, label, lines, number, raised, ratio, tested, title, two_digits,
    units,
};
use crate::model::note::quoted;
use crate::model::{INTERCEPT, Interval};
use crate::plan::derived::logarithm;
use crate::release::Release;
use crate::release::figure::{self, Line};
use crate::release::format::{self, percent};
use crate::release::odds;
use crate::release::publication::{Labels, Table};
use crate::release::remarks::of_rows;
use crate::release::shared::Shared;
use crate::release::significance::Tests;
use crate::release::supplement::Supplement;
use crate::words;

/// Returns the coefficients of one outcome.
pub fn coefficients(release: &Release, supplement: &Supplement, outcome: &str, labels: &Labels) -> Table {
    let per = labels.scale();
    let lines = lines(release, outcome, per);
    let tests = Tests::of(release);
    let level = format::level(&release.plan);
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
    let known = release.diagnostics.outcome(outcome);
    known.is_some_and(|known| known.residual_sd.is_some() && !known.residual_resolved)
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
    let level = format::level(&release.plan);
    (!rows.is_empty()).then(|| Table {
        caption: words::journal::factors_of(&raised),
        heads: vec![head(words::result::term()), number(words::journal::factor(level))],
        rows,
        notes,
    })
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
