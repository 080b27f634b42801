//! The fit as a whole: rows, R² and the residual standard deviation, and what an outcome varies by.

use crate::model::Interval;
use crate::plan::document::Column;
use crate::release::Release;
use crate::release::figure;
use crate::release::format::significant;
use crate::release::publication::DecimalMark;
use crate::release::row_count::RowCount;
use crate::release::supplement::{Noisy, Supplement};
use crate::words;

/// Noise on R² above which it is left out.
const MOST_R_SQUARED_NOISE: f64 = 0.1;

/// Returns the standard deviation of an outcome: as its residuals and coefficients give it, or else its own.
pub fn outcome_spread(release: &Release, supplement: &Supplement, outcome: &str) -> Option<f64> {
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
pub fn spread(supplement: &Supplement, term: &str) -> Option<f64> {
    if is_level(supplement, term) {
        return Some(1.0);
    }
    Some(supplement.description.as_ref()?.sd(term)?.value)
}

/// Returns whether the noise is as large as the signal in all coefficients of an outcome. They then say nothing of the fit either.
pub fn is_withheld(release: &Release, outcome: &str) -> bool {
    let lines = figure::lines(&release.plan, &release.coefficients, outcome);
    !lines.is_empty() && lines.iter().all(|line| line.entry.interval == Interval::Withheld)
}

/// Returns R², and the standard deviation of its noise where it is only about that: of the release, or where that has none from what
/// residuals and coefficients give (theory/inference 6.6). `None` where all coefficients are withheld.
pub fn r_squared(release: &Release, supplement: &Supplement, outcome: &str) -> Option<(f64, Option<f64>)> {
    let known = release.diagnostics.outcome(outcome).filter(|_| !is_withheld(release, outcome))?;
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
pub fn sd_of_parts(release: &Release, supplement: &Supplement, outcome: &str) -> Option<Noisy> {
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
    let known = release.diagnostics.outcome(outcome)?;
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
    if is_withheld(release, outcome) {
        return (fit, below);
    }
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
    let known = release.diagnostics.outcome(outcome);
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
            let bounds = release.plan.column(outcome).and_then(Column::stated_bounds);
            if bounds.is_none_or(|(lower, upper)| value < (upper - lower) / 2.0) {
                fit.push(words::journal::residual_sd_at_most(sd));
            }
            below.push(words::journal::residual_sd_unresolved().to_owned());
        }
    }
    (fit, below)
}

/// Returns the fit as a whole in sentences.
pub fn fit_in_sentences(
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
pub fn residual_noise(release: &Release, supplement: &Supplement, outcome: &str) -> Option<f64> {
    let place = release.diagnostics.outcomes.iter().position(|known| known.outcome == outcome)?;
    *supplement.residual_noise.get(place)?
}

/// Returns a number from −1 to 1 and the noise on it, as they are printed.
pub fn of_one(value: f64, noise: f64) -> [String; 2] {
    let decimals = if noise < 0.005 { 3 } else { 2 };
    let written = format!("{:.decimals$}", value.abs());
    let is_zero = written.chars().all(|digit| matches!(digit, '0' | '.'));
    let sign = if value < 0.0 && !is_zero { "−" } else { "" };
    [format!("{sign}{written}"), format!("{noise:.decimals$}")]
}
