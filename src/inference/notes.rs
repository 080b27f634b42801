//! What a reader of coefficients has to know (theory/inference 1.2). All of it follows from public numbers and from what was released.

use super::cell_noise::CellNoise;
use super::design::{Design, NORMAL_FROM, WITHHELD_BELOW};
use super::fits::Fit;
use super::options::Repair;
use super::shrinkage::{Filter, Strength};
use crate::model::Interval;
use crate::model::note::{Listing, NAMED, factor, listing, three_digits};
use crate::release::document::LONG_FORM_OUTCOMES;
use crate::words;

/// The facts about all fits on which the notes depend.
#[derive(Clone, Debug, Default)]
pub(super) struct Summary {
    /// How many there are.
    pub fits: usize,
    /// Whether one has an interval.
    pub shown: bool,
    /// Whether intervals leave out the sampling error.
    pub noise_alone: bool,
    /// Whether one has none although it did not overflow.
    pub unsolved: bool,
    /// Whether something was beyond the largest double.
    pub overflowed: bool,
    /// Outcomes whose residual variance does not stand out of the noise: the first of them, and how many there are.
    pub unresolved: Listing,
}

impl Summary {
    pub(super) fn add(&mut self, names: &[&str], fits: &[Fit]) {
        self.fits += fits.len();
        for (name, fit) in names.iter().zip(fits) {
            let withheld = fit.interval == Interval::Withheld;
            self.shown |= !withheld;
            self.noise_alone |= fit.noise_alone;
            self.unsolved |= withheld && !fit.overflowed;
            self.overflowed |= fit.overflowed;
            if fit.uncertainty.is_some() && !fit.residual_resolved {
                self.unresolved.1 += 1;
                if self.unresolved.0.len() < NAMED {
                    self.unresolved.0.push((*name).to_owned());
                }
            }
        }
    }
}

/// Returns the notes on a set of regressions.
pub(super) fn notes(design: &Design<'_>, summary: &Summary) -> Vec<String> {
    let mut notes = of_solution(design);
    notes.extend(gate(design, summary.shown));
    notes.extend(design.filter.as_ref().and_then(filtered));
    if design.solved() {
        notes.extend(of_coverage(design));
    }
    notes.extend(of_outcomes(design, summary));
    notes.extend(of_penalty(design, summary));
    if !design.intercept {
        let origin = design.through_origin || design.moments.whitening().is_some();
        notes.push(if origin {
            words::note::through_origin().into()
        } else {
            words::note::through_centres().into()
        });
    }
    if design.solved() {
        notes.extend(of_errors(design, summary).into_iter().map(String::from));
    }
    notes
}

/// Returns whether the moments can be solved, and what was done to them.
fn of_solution(design: &Design<'_>) -> Vec<String> {
    if !design.solved() {
        let is_noiseless = design.moments.noise() == CellNoise::None;
        let why = if is_noiseless { words::note::collinear() } else { words::note::not_positive_definite() };
        return vec![why.into()];
    }
    let repaired = match design.repair() {
        Some(Repair::Shift) => Some(words::note::shifted()),
        Some(Repair::Floor) => Some(words::note::raised()),
        Some(Repair::None) | None => None,
    };
    let stepped = design.moments.stepped().then(words::note::not_debiased);
    repaired.into_iter().chain(stepped).map(String::from).collect()
}

/// Returns what intervals do not cover.
fn of_coverage(design: &Design<'_>) -> Vec<String> {
    let projected = design.options.projected.then(words::note::projected);
    let without_sampling = if design.moments.sampled() {
        Some(words::note::secret_sample())
    } else if design.noise_alone() {
        Some(words::note::noise_alone())
    } else if design.degrees_of_freedom().is_none() {
        Some(match design.rows() {
            _ if design.moments.noise().is_drawn() => words::note::noise_alone_by_rows(),
            Some(_) => words::note::rows_not_resolved(),
            None => words::note::rows_unknown(),
        })
    } else {
        None
    };
    projected.into_iter().chain(without_sampling).map(String::from).collect()
}

/// Returns what is wrong with some outcomes.
fn of_outcomes(design: &Design<'_>, summary: &Summary) -> Vec<String> {
    let is_unsolved = design.interval() != Interval::Withheld && summary.unsolved;
    let is_unresolved = summary.unresolved.1 > 0 && !design.noise_alone();
    let notes = [
        summary.overflowed.then(|| words::note::overflowed().into()),
        is_unsolved.then(|| words::note::repetitions_unsolved().into()),
        is_unresolved.then(|| words::note::residual_not_resolved(listing(&summary.unresolved))),
    ];
    notes.into_iter().flatten().collect()
}

/// Returns whether there is a penalty in own units.
fn has_own_unit_penalty(design: &Design<'_>) -> bool {
    design.options.penalty.is_some_and(|penalty| penalty.weight > 0.0)
}

/// Returns what a ridge or a penalty does.
fn of_penalty(design: &Design<'_>, summary: &Summary) -> Vec<String> {
    let mut notes = Vec::new();
    if design.ridge() > 0.0 {
        let ridge = three_digits(design.ridge());
        notes.push(if summary.shown {
            words::note::ridge(ridge)
        } else {
            words::note::ridge_withheld(ridge)
        });
    }
    if has_own_unit_penalty(design) {
        notes.push(words::note::own_unit_penalty().into());
    }
    if summary.shown && design.asked_ridge() > 0.0 && !design.moments.noise().is_drawn() {
        let many = summary.fits > LONG_FORM_OUTCOMES || design.noise_alone();
        notes.push(if many {
            words::note::penalised_noise_alone().into()
        } else {
            words::note::penalised_bootstrap().into()
        });
    }
    notes
}

/// Returns what the errors cover and assume.
fn of_errors(design: &Design<'_>, summary: &Summary) -> Vec<&'static str> {
    let mut notes = Vec::new();
    if design.moments.noise() == CellNoise::None {
        notes.push(if has_own_unit_penalty(design) || design.ridge() > 0.0 {
            words::note::no_noise_penalised()
        } else {
            words::note::no_noise()
        });
    } else if summary.shown && !summary.noise_alone {
        notes.push(words::note::both_errors());
    }
    notes.push(if design.moments.whitening().is_some() {
        words::note::clipped_by_public_moments()
    } else {
        words::note::clipped()
    });
    if summary.shown {
        if !summary.noise_alone {
            notes.push(words::note::equal_spread());
        }
        notes.push(words::note::bounds_fixed());
    }
    notes
}

/// Returns what the ratio of signal to noise does to the intervals, where there would be `any`.
fn gate(design: &Design<'_>, any: bool) -> Option<String> {
    let ratio = design.signal_to_noise().filter(|_| design.solved())?;
    if ratio < WITHHELD_BELOW || design.repair().is_some() {
        Some(drowned(ratio))
    } else {
        approximate(ratio, design.asked_ridge() > 0.0).filter(|_| any)
    }
}

/// Returns the note on approximate intervals at this ratio of signal to noise. `None` if they are full. What is said to make them
/// full ones would do so for a fit without a ridge.
pub fn approximate(ratio: f64, penalised: bool) -> Option<String> {
    let note = (ratio < NORMAL_FROM).then(|| words::note::approximate(format_args!("{ratio:.2}")))?;
    let full = (!penalised).then(|| words::note::full_ones(factor(NORMAL_FROM / ratio)));
    Some([note].into_iter().chain(full).collect::<Vec<_>>().join(" "))
}

/// Returns the note on noise that is as large as the signal.
fn drowned(ratio: f64) -> String {
    // Noise can leave less than nothing of the signal.
    let written = format_args!("{:.2}", ratio.max(0.0));
    if ratio > 0.05 {
        words::note::drowned(written, factor(NORMAL_FROM / ratio))
    } else {
        words::note::drowned_far(written)
    }
}

/// Returns the note on a rule for public features.
fn filtered(filter: &Filter) -> Option<String> {
    match filter.strength {
        Strength::Idle => None,
        Strength::Ridge(ridge) if ridge.is_finite() => {
            Some(words::note::filtered_by_ridge(format_args!("{ridge:.3e}")))
        }
        Strength::Ridge(_) => Some(words::note::filtered_whole().to_owned()),
        Strength::Share(share) => Some(words::note::filtered_by_share(format_args!("{:.0}", 100.0 * share))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_do_is_rounded_up() {
        assert!(
            drowned(0.5)
                .contains("About 4.0 times the rows or 4.0 times the budget mu would give full intervals.")
        );
        assert!(drowned(0.05).contains("Far more rows or a far larger budget would be needed."));
        assert!(
            !approximate(1.9, true).unwrap().contains("About"),
            "of a ridge more rows make no ordinary regression"
        );
        let close = approximate(1.9, false).unwrap();
        assert!(close.contains("signal to noise 1.90;") && close.contains("About 1.1 times the rows"));
        assert_eq!(approximate(NORMAL_FROM, false), None);
    }
}
