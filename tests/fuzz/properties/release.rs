//! A release document is refused, or all that is made of it can be shown: no panic, no number that is none.

use discreet::engine::{refit, supplement};
use discreet::inference::options::{Repair, Ridge};
use discreet::inference::refit::Request;
use discreet::mechanisms::info::are_log_odds;
use discreet::model::{Coefficient, Interval};
use discreet::release::document::{Coefficients, Release};
use discreet::release::publication::{Format, Labels, report};
use discreet::release::statement::Statement;
use discreet::release::table::{self, Meaning};
use discreet::release::{figure, format};

use super::common::assert_one_line;

/// Most terms that are refitted: the time is that of their cube.
const MOST_TERMS: usize = 12;

pub fn holds(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(release) = serde_json::from_str::<Release>(text) else { return };
    let written = serde_json::to_string(&release).unwrap();
    assert_eq!(serde_json::from_str::<Release>(&written).unwrap(), release);

    shown(&release);
    let statement = Statement::new(&release);
    assert!(statement.sentences().into_iter().all(|sentence| !sentence.is_empty()));
    refitted(&release);
}

/// The report, the table and the figure.
fn shown(release: &Release) {
    let log_odds = are_log_odds(&release.plan);
    let supplement = supplement(release);
    let labels =
        Labels { title: "A title".to_owned(), date: "today".to_owned(), per: 10.0, ..Labels::default() };
    let page = report::html(release, &supplement, &labels);
    for (name, format) in Format::ALL {
        let Some(text) = format.write(release, &supplement, &labels, None) else { continue };
        let marked = matches!(format, Format::Report | Format::Word | Format::Svg | Format::Markdown);
        assert!(!marked || !text.contains("<script"), "{name}: {text}");
    }
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    // A name may hold anything, but no mark of its own.
    assert!(!page.contains("<script") && page.matches("<main>").count() == 1);
    let csv = table::csv(&release.coefficients, Meaning::of(release, log_odds, 1.0));
    assert!(csv.ends_with("\r\n"));
    for outcome in figure::outcomes(release).iter().take(4) {
        let lines = figure::lines(&release.plan, &release.coefficients, outcome);
        for line in &lines {
            let row = format::row(&line.entry);
            let text = format!("{} {} {}", row.estimate, row.std_error, row.interval);
            assert!(!text.contains("inf") && !text.contains("NaN"), "{text}");
            if line.entry.lower.is_none() || line.entry.upper.is_none() {
                assert_eq!(row.interval, format::NONE);
            }
        }
        let Some(figure) = figure::figure(&lines) else { continue };
        let share = |place: f64| (0.0..=1.0).contains(&place);
        assert_eq!(figure.marks.len(), lines.len());
        assert!(
            share(figure.zero)
                && figure.marks.iter().all(|mark| {
                    mark.estimate.is_none_or(share)
                        && mark.span.is_none_or(|(low, high)| share(low) && share(high))
                })
        );
        assert!(
            figure.ticks.len() <= 64
                && figure.ticks.iter().all(|tick| share(tick.at) && tick.value.is_finite())
        );
    }
}

fn refitted(release: &Release) {
    let Some(moments) = release.moments.as_ref().filter(|moments| moments.terms.len() <= MOST_TERMS) else {
        return;
    };
    let names: Vec<String> = moments.terms.iter().map(|term| term.term.clone()).collect();
    let names: Vec<String> = names.into_iter().filter(|name| name != discreet::model::INTERCEPT).collect();
    let Some((outcome, features)) = names.split_last() else { return };
    let confidence = release.plan.confidence.unwrap_or(0.95);
    // The bootstrap behind a ridge is two thousand fits: of small regressions alone.
    let ridges = [Ridge::None, Ridge::Auto];
    let ridges = if features.len() <= 2 { &ridges[..] } else { &ridges[..1] };
    for &ridge in ridges {
        for (_, repair) in Repair::CHOICES {
            match refit(release, &Request { outcome, features, ridge, repair, confidence }) {
                Err(error) => assert_one_line(&error),
                Ok(refit) => {
                    let Coefficients::List(list) = &refit.coefficients else {
                        panic!("one outcome is a list")
                    };
                    list.iter().for_each(sound);
                    let numbers = &refit.diagnostics;
                    let mut numbers: Vec<Option<f64>> = vec![
                        numbers.rows,
                        numbers.rows_std_error,
                        numbers.signal_to_noise,
                        Some(numbers.ridge),
                    ];
                    numbers.extend(refit.diagnostics.outcomes.iter().map(|outcome| outcome.residual_sd));
                    assert!(numbers.into_iter().flatten().all(f64::is_finite), "{:?}", refit.diagnostics);
                    refit.diagnostics.notes.iter().for_each(assert_one_line);
                }
            }
        }
    }
}

/// What is shown is a number, and an interval is shown whole or withheld.
fn sound(entry: &Coefficient) {
    let Coefficient { estimate, std_error, lower, upper, noise_share, interval, .. } = entry;
    for number in [estimate, std_error, lower, upper, noise_share].into_iter().flatten() {
        assert!(number.is_finite(), "{entry:?}");
    }
    match (interval, lower, upper) {
        (Interval::Withheld, None, None) => {}
        (Interval::Normal | Interval::Approximate, Some(lower), Some(upper)) => {
            assert!(lower <= upper, "{entry:?}")
        }
        _ => panic!("{entry:?}"),
    }
    assert!(std_error.is_none_or(|error| error >= 0.0), "{entry:?}");
    assert!(noise_share.is_none_or(|share| (0.0..=1.0).contains(&share)), "{entry:?}");
}
