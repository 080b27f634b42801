//! What a reader of coefficients has to know, in sentences (noise-and-accounting, C3). All of it follows from public
//! numbers and from what was released.

use super::design::{Design, NORMAL_FROM, WITHHELD_BELOW};
use super::moments::CellNoise;
use super::options::Repair;
use super::report::Summary;
use super::shrinkage::{Filter, Strength};
use crate::model::Interval;
use crate::release::document::LONG_FORM_OUTCOMES;

/// The notes on a set of regressions.
pub(super) fn notes(design: &Design<'_>, summary: &Summary) -> Vec<String> {
    let mut notes = Vec::new();
    let noise = design.moments.noise();
    if !design.solved() {
        notes.push(if noise == CellNoise::None {
            "The coefficients are withheld: some features are exact combinations of others. Remove one of them."
                .to_owned()
        } else {
            "The coefficients are withheld: the noise is larger than the signal, and the moments are not positive \
             definite. Use fewer or less related features, more rows or a larger budget."
                .to_owned()
        });
    }
    if design.solved() {
        match design.repair() {
            Some(Repair::Shift) => notes.push(
                "The noisy moments were not positive definite. A constant was added to their diagonal, which shrinks \
                 the coefficients; read them as a rough sign at most."
                    .to_owned(),
            ),
            Some(Repair::Floor) => notes.push(
                "The noisy moments were not positive definite. Their smallest eigenvalues were raised, which shrinks \
                 the coefficients; read them as a rough sign at most."
                    .to_owned(),
            ),
            Some(Repair::None) | None => {}
        }
    }
    if design.solved() && design.moments.stepped() {
        notes.push(
            "The mean of the noise could not be taken off whole: the moments would not have been positive definite. The \
             coefficients are shrunk towards 0, and there are no intervals; read them as a rough sign at most."
                .to_owned(),
        );
    }
    gate(design, &mut notes);
    if let Some(filter) = &design.filter {
        notes.extend(filtered(filter));
    }
    if design.solved() && design.options.projected {
        notes.push(
            "The noisy cross moments were outside of what any table within the bounds can have, and were projected back. That \
             takes noise off and shrinks; how far the estimates still are from the truth is not known, so there are no \
             intervals. Without the projection there are, and more noise."
                .to_owned(),
        );
    }
    if design.solved() && design.noise_alone() {
        notes.push(
            "Nothing was released of the outcomes' own variances, so the intervals cover the privacy noise alone, not the \
             sampling error."
                .to_owned(),
        );
    } else if design.solved() && design.degrees_of_freedom().is_none() {
        notes.push(if noise.is_drawn() {
            "The intervals cover the privacy noise alone: the number of rows does not stand out of the noise, so the \
             sampling error is not known."
                .to_owned()
        } else if design.rows().is_some() {
            "There are no intervals: the number of rows does not stand out of the noise.".to_owned()
        } else {
            "There are no intervals: the number of rows is not known.".to_owned()
        });
    }
    if summary.overflowed {
        notes.push(
            "Coefficients and intervals beyond the largest number that can be written are withheld: the release is \
             damaged, or its bounds are too far out."
                .to_owned(),
        );
    }
    if design.interval() != Interval::Withheld && summary.unsolved {
        notes.push(
            "Intervals are withheld where too many of the simulated repetitions had no solution.".to_owned(),
        );
    }
    if let Some(unresolved) = listing(&summary.unresolved).filter(|_| !design.noise_alone()) {
        notes.push(format!(
            "The residual variance is not resolved for {unresolved}: it is smaller than the noise on it, and an upper \
             bound stands in its place, so these intervals are wider than they need be."
        ));
    }
    if design.ridge() > 0.0 {
        notes.push(format!(
            "A ridge of {:.4} (units of R squared) was added. The coefficients and their intervals are those of the \
             penalised regression, which is shrunk towards 0; they are no intervals for the regression without a ridge.",
            design.ridge()
        ));
    }
    if design.options.penalty.is_some_and(|penalty| penalty.weight > 0.0) {
        notes.push(
            "A penalty on the coefficients in the columns' own units shrinks them towards 0. The intervals are for the penalised \
             coefficients."
                .to_owned(),
        );
    }
    if design.asked_ridge() > 0.0 && !noise.is_drawn() {
        notes.push(if summary.fits > LONG_FORM_OUTCOMES || design.noise_alone() {
            "The intervals of the penalised regression cover the privacy noise alone.".to_owned()
        } else {
            "The intervals of the penalised regression come from 2,000 simulated repetitions.".to_owned()
        });
    }
    if !design.intercept {
        notes.push(if design.through_origin || design.moments.whitening().is_some() {
            "The regressions have no intercept: they pass through 0 of every column's own unit.".to_owned()
        } else {
            "The regressions have no intercept and the moments no constant: they pass through the middle of every \
             column's bounds, and slopes belong to the columns measured from there. Skipped rows count as rows, so \
             if many were skipped, the intervals are too narrow."
                .to_owned()
        });
    }
    let shown = summary.shown;
    if design.solved() {
        if noise == CellNoise::None {
            notes.push(if design.ridge() > 0.0 {
                "There is no privacy noise: these are the penalised regressions of the clipped values, and they \
                 protect nobody."
                    .to_owned()
            } else {
                "There is no privacy noise: these are ordinary least squares of the clipped values, and they protect \
                 nobody."
                    .to_owned()
            });
        } else if shown && !design.noise_alone() && design.degrees_of_freedom().is_some() {
            notes.push("Intervals count sampling error and privacy noise together.".to_owned());
        }
        notes.push(
            "The regressions describe the values after clipping to the stated bounds. If many values lie outside, the \
             coefficients differ from those of the raw values; how many do is private."
                .to_owned(),
        );
        if shown {
            notes.push(
                "The intervals assume a linear model whose residuals spread equally everywhere. They hold only if the \
                 bounds were not chosen by looking at the table."
                    .to_owned(),
            );
        }
    }
    notes
}

fn gate(design: &Design<'_>, notes: &mut Vec<String>) {
    let Some(ratio) = design.signal_to_noise().filter(|_| design.solved()) else { return };
    let needed = NORMAL_FROM / ratio;
    if ratio < WITHHELD_BELOW || design.repair().is_some() {
        let how_much = if ratio > 0.05 {
            format!(
                "About {} times the rows or {} times the budget mu would do",
                round(needed),
                round(needed)
            )
        } else {
            "Far more rows or a far larger budget would be needed".to_owned()
        };
        notes.push(format!(
            "There are no intervals: the noise is as large as the signal (signal to noise {ratio:.2}; from 1 on there \
             are intervals, from 2 on full ones). {how_much}; fewer or less related features help too."
        ));
    } else if ratio < NORMAL_FROM {
        notes.push(approximate(ratio));
    }
}

/// Why intervals are approximate at this ratio of signal to noise.
pub(super) fn approximate(ratio: f64) -> String {
    format!(
        "Intervals are approximate: the noise is close to the signal (signal to noise {ratio:.2}; from 2 on intervals are full ones), \
         and with few features they can miss more often than their level says. About {} times the rows or the budget mu would reach \
         full ones.",
        round(NORMAL_FROM / ratio)
    )
}

/// Up to two digits, rounded up.
pub(super) fn round(factor: f64) -> String {
    if factor < 10.0 {
        format!("{:.1}", (factor * 10.0).ceil() / 10.0)
    } else {
        format!("{:.0}", factor.ceil())
    }
}

/// Of estimates under a rule for public features.
const SHRUNK: &str = "They are shrunk towards 0. Their intervals take the rule's factors as given and leave out how far the estimates \
     are shrunk, so they hold the coefficients of least squares less often than their level says: after `sure` and `james-stein` \
     far less often.";

/// What a rule for public features did.
fn filtered(filter: &Filter) -> Option<String> {
    match filter.strength {
        Strength::Idle => None,
        Strength::Ridge(ridge) if ridge.is_finite() => Some(format!(
            "The features are public, and what is known of them took noise off the estimates: they are those of a ridge \
             regression with a penalty of {ridge:.3e} on the mean second moments (units of R squared). {SHRUNK}"
        )),
        Strength::Ridge(_) => Some(
            "The features are public, and beside the noise nothing is left of the cross moments: the estimates are 0, without intervals."
                .to_owned(),
        ),
        Strength::Share(share) => Some(format!(
            "The features are public, and what is known of them took noise off the estimates: on average {:.0} % of a direction. \
             {SHRUNK}",
            100.0 * share
        )),
    }
}

fn listing((first, all): &(Vec<String>, usize)) -> Option<String> {
    let quoted: Vec<String> = first.iter().map(|name| format!("`{name}`")).collect();
    let (last, rest) = quoted.split_last()?;
    let more = all.saturating_sub(first.len());
    Some(match (more, rest.is_empty()) {
        (0, true) => last.clone(),
        (0, false) => format!("{} and {last}", rest.join(", ")),
        _ => format!("{} and {more} more", quoted.join(", ")),
    })
}
