//! Forecasts a release of moments, from the law of its noise.

use super::stated::retain_stated;
use super::{Needed, TIMES, of_release};
use crate::engine::prepare::Prepared;
use crate::inference::Options;
use crate::inference::preview::{self, Expected, Preview, Verdict, narrowest};
use crate::math::round::real;
use crate::model::note::{in_groups, two_digits};
use crate::text::grouped;
use crate::words;

/// Returns the expected uncertainty of a release of moments with its stated rows. `None` without that number, or without a law of
/// the noise.
pub fn expected(prepared: &Prepared) -> Option<Preview> {
    let stage = prepared;
    let prepared = stage.fit();
    let rows = prepared.stated_rows()?;
    let mut preview = on_rows(prepared, rows)?;
    preview.advice = advice(prepared, &preview, rows);
    retain_stated(&mut preview.terms, stage);
    Some(preview)
}

/// Returns the expected uncertainty with `rows` rows, without advice.
fn on_rows(prepared: &Prepared, rows: u64) -> Option<Preview> {
    let post_processing = prepared.post_processing();
    let options = Options {
        ridge: post_processing.ridge,
        repair: post_processing.repair,
        confidence: prepared.checked().confidence,
        ..Options::default()
    };
    let expected =
        Expected::of(prepared.law()?, prepared.plan(), prepared.geometry(), prepared.layout()).ok()?;
    let intercept = prepared.checked().intercept;
    let mut preview =
        preview::preview(prepared.geometry(), prepared.bound(), expected, rows, intercept, options).ok()?;
    let part = prepared.all_rounds().projection(prepared.task(), real(rows), expected.noise);
    if let Some(part) = part {
        preview.project(part, rows);
    }
    Some(preview)
}

/// Returns a sentence that every interval will be too wide to be useful, and what would help.
fn too_wide(prepared: &Prepared, half: f64, rows: u64) -> String {
    let is_narrow = |times: &f64| {
        let preview = on_rows(prepared, whole(real(rows) * times));
        preview.is_some_and(|preview| narrowest(&preview.terms).is_some_and(|narrowest| narrowest <= 1.0))
    };
    let enough = TIMES.get(TIMES.partition_point(|times| !is_narrow(times)));
    let mut told = vec![words::forecast::too_wide(two_digits(half))];
    told.push(match enough {
        Some(times) => words::forecast::narrow_enough(in_groups(real(rows) * times), grouped(real(rows))),
        None => words::forecast::never_narrow().to_owned(),
    });
    // Narrower bounds do not help if public moments whiten the records.
    if prepared.whitener().is_none() {
        told.push(words::forecast::narrower_bounds().to_owned());
    }
    told.join(" ")
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a forecast; `as` saturates")]
fn whole(rows: f64) -> u64 {
    rows.round() as u64
}

/// The smallest shrinkage of a coefficient that a sentence names.
const SHRUNK: f64 = 0.05;

/// Returns the verdict of a preview as a sentence, and what would give full intervals.
fn advice(prepared: &Prepared, preview: &Preview, rows: u64) -> String {
    let factor = Some(preview.budget_factor).filter(|factor| factor.is_finite());
    let mu = prepared.cost().and_then(|cost| cost.mu).zip(factor).map(|(mu, factor)| mu * factor);
    let needed = Needed {
        rows: factor.map(|_| preview.rows_needed as f64),
        epsilon: of_release(prepared, mu),
        mu,
        features: if preview.projected { 0 } else { preview.features_that_fit },
    };
    let ways = needed.ways(rows);
    if preview.projected {
        return words::forecast::projected(ways);
    }
    let most = preview.terms.iter().map(|term| term.shrinkage).fold(0.0, f64::max);
    let shrunk = most >= SHRUNK;
    // The recommendation of the ridge already says what an ordinary regression would need.
    let is_ordinary = preview.budget_factor <= 1.0;
    let ways = match (shrunk, is_ordinary) {
        (true, true) => words::forecast::full_already().to_owned(),
        (true, false) => words::forecast::ordinary_later().to_owned(),
        (false, _) => ways,
    };
    let percent = format!("{:.0}", 100.0 * most);
    let cautious = format!("{:.1}", preview.cautious_signal_to_noise);
    let best = format!("{:.1}", preview.signal_to_noise);
    match preview.verdict {
        Verdict::Clear if preview.signal_to_noise.is_infinite() => {
            if preview.terms.iter().any(|term| term.noise_std_error > 0.0) {
                words::forecast::penalised(percent)
            } else {
                words::forecast::no_noise().to_owned()
            }
        }
        Verdict::Clear if shrunk => {
            let penalised = if is_ordinary {
                words::forecast::penalised(percent)
            } else {
                words::forecast::penalised_at_best(percent)
            };
            format!("{penalised} {ways}")
        }
        Verdict::Clear => words::forecast::clear(cautious, best),
        Verdict::Approximate if shrunk => {
            let told = words::forecast::approximate(cautious, best, ways);
            format!("{told} {}", words::forecast::shrunk(percent))
        }
        Verdict::Approximate => words::forecast::approximate(cautious, best, ways),
        Verdict::TooWide(half) => too_wide(prepared, half, rows),
        Verdict::Withheld => words::forecast::withheld(cautious, best, ways),
    }
}
