//! What a reader of coefficients has to know (theory/inference 1.2). All of it follows from public numbers and from what was released.

use super::cell_noise::CellNoise;
use super::design::{Design, NORMAL_FROM, WITHHELD_BELOW};
use super::fits::Fit;
use super::options::Repair;
use super::shrinkage::{Filter, Strength};
use crate::model::note::{Listing, NAMED};
use crate::model::{Interval, Note};
use crate::release::document::LONG_FORM_OUTCOMES;

/// What the notes have to know of all fits.
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
pub(super) fn notes(design: &Design<'_>, summary: &Summary) -> Vec<Note> {
    let mut notes = Vec::new();
    let noise = design.moments.noise();
    let noiseless = noise == CellNoise::None;
    if design.solved() {
        match design.repair() {
            Some(Repair::Shift) => notes.push(Note::Shifted),
            Some(Repair::Floor) => notes.push(Note::Raised),
            Some(Repair::None) | None => {}
        }
        if design.moments.stepped() {
            notes.push(Note::NotDebiased);
        }
    } else {
        notes.push(if noiseless { Note::Collinear } else { Note::NotPositiveDefinite });
    }
    notes.extend(gate(design));
    notes.extend(design.filter.as_ref().and_then(filtered));
    if design.solved() && design.options.projected {
        notes.push(Note::Projected);
    }
    if design.solved() && design.moments.sampled() {
        notes.push(Note::SecretSample);
    } else if design.solved() && design.noise_alone() {
        notes.push(Note::NoiseAlone);
    } else if design.solved() && design.degrees_of_freedom().is_none() {
        notes.push(match design.rows() {
            _ if noise.is_drawn() => Note::NoiseAloneByRows,
            Some(_) => Note::RowsNotResolved,
            None => Note::RowsUnknown,
        });
    }
    if summary.overflowed {
        notes.push(Note::Overflowed);
    }
    if design.interval() != Interval::Withheld && summary.unsolved {
        notes.push(Note::RepetitionsUnsolved);
    }
    if summary.unresolved.1 > 0 && !design.noise_alone() {
        notes.push(Note::ResidualNotResolved(summary.unresolved.clone()));
    }
    if design.ridge() > 0.0 {
        notes.push(Note::Ridge(design.ridge()));
    }
    if design.options.penalty.is_some_and(|penalty| penalty.weight > 0.0) {
        notes.push(Note::OwnUnitPenalty);
    }
    if design.asked_ridge() > 0.0 && !noise.is_drawn() {
        let many = summary.fits > LONG_FORM_OUTCOMES || design.noise_alone();
        notes.push(if many { Note::PenalisedNoiseAlone } else { Note::PenalisedBootstrap });
    }
    if !design.intercept {
        let origin = design.through_origin || design.moments.whitening().is_some();
        notes.push(if origin { Note::ThroughOrigin } else { Note::ThroughCentres });
    }
    if design.solved() {
        if noiseless {
            notes.push(if design.ridge() > 0.0 { Note::NoNoisePenalised } else { Note::NoNoise });
        } else if summary.shown && !summary.noise_alone {
            notes.push(Note::BothErrors);
        }
        notes.push(if design.moments.whitening().is_some() {
            Note::ClippedByPublicMoments
        } else {
            Note::Clipped
        });
        if summary.shown {
            if !summary.noise_alone {
                notes.push(Note::EqualSpread);
            }
            notes.push(Note::BoundsFixed);
        }
    }
    notes
}

fn gate(design: &Design<'_>) -> Option<Note> {
    let ratio = design.signal_to_noise().filter(|_| design.solved())?;
    if ratio < WITHHELD_BELOW || design.repair().is_some() {
        Some(Note::Drowned { ratio, needed: NORMAL_FROM / ratio })
    } else {
        approximate(ratio)
    }
}

/// Returns the note on approximate intervals at this ratio of signal to noise; nothing where they are full.
pub(super) fn approximate(ratio: f64) -> Option<Note> {
    (ratio < NORMAL_FROM).then(|| Note::Approximate { ratio, needed: NORMAL_FROM / ratio })
}

/// Returns the note on a rule for public features.
fn filtered(filter: &Filter) -> Option<Note> {
    match filter.strength {
        Strength::Idle => None,
        Strength::Ridge(ridge) if ridge.is_finite() => Some(Note::FilteredByRidge(ridge)),
        Strength::Ridge(_) => Some(Note::FilteredWhole),
        Strength::Share(share) => Some(Note::FilteredByShare(share)),
    }
}
