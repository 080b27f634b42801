//! The regressions of a release, and what a reader has to know of them.

use super::bits::real;
use super::forecast::Forecast;
use super::gate::{Far, Judged, Known, State, Units};
use super::progress::{Released, Solved};
use crate::inference::report::RegressionTerms;
use crate::math::special::normal_quantile_central;
use crate::mechanisms::rounds::Task;
use crate::model::note::NAMED;
use crate::model::{Estimate, INTERCEPT, Interval, Note};
use crate::privacy::calibrate::{Split, budget_parts};
use crate::privacy::convert::gdp_epsilon;
use crate::privacy::measure::Mu;
use crate::release::document::{Coefficients, Diagnostics, OutcomeDiagnostics};
use crate::release::moments::CodedTerm;

/// Returns the regressions of all outcomes on all features in the columns' own units.
#[must_use]
pub fn report(
    task: &Task,
    released: &Released,
    solved: &Solved,
    coded: &[CodedTerm],
) -> (Coefficients, Diagnostics) {
    let Released { setting, guide, radii, .. } = released;
    let Solved { moments, map, gate } = solved;
    let k = setting.terms.coefficients();
    let bounds: Vec<(f64, f64)> = coded.iter().map(|term| (term.centre, term.half_width)).collect();
    let (features, outcomes) = bounds.split_at(k - 1);
    let names: Vec<String> = RegressionTerms::new(&task.encoding.bound, &task.encoding.geometry)
        .outcomes
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    let quantile = normal_quantile_central(task.checked.confidence / 2.0);
    let known = Known { terms: &setting.terms, guide, map, moments };
    let mut entries = Vec::with_capacity(names.len());
    let mut summaries = Vec::with_capacity(names.len());
    for (outcome, ((name, bounds), radius)) in names.iter().zip(outcomes).zip(&radii.outcomes).enumerate() {
        let far = Far { radius: *radius, unseen: radii.unseen };
        let judged = gate.judge(known, outcome, far, &Units::columns(features, *bounds));
        entries.push((0..k).map(|place| entry(judged.as_ref(), place, quantile)).collect());
        summaries.push(OutcomeDiagnostics {
            outcome: name.clone(),
            residual_sd: judged.as_ref().map(|judged| judged.fit.sigma * guide.spreads[outcome] * bounds.1),
            residual_resolved: judged.as_ref().is_some_and(|judged| !judged.fit.residual_hidden),
            r_squared: None,
        });
    }
    let level = f64::from(setting.rounds.codes.level);
    let rows = released.margins.first().copied().map_or(0.0, real) / (level * level);
    let diagnostics = Diagnostics {
        rows: Some(rows),
        rows_std_error: Some(setting.rounds.margins.s() / (level * level)),
        signal_to_noise: Some(gate.condition),
        ridge: 0.0,
        repair: None,
        notes: notes(task, released, solved, coded, &names, rows).into_iter().map(String::from).collect(),
        outcomes: summaries,
    };
    let terms = coded.iter().take(k - 1).map(|term| term.term.clone());
    let terms = std::iter::once(INTERCEPT.to_owned()).chain(terms).collect();
    (Coefficients::of(names, terms, &entries), diagnostics)
}

/// Returns the numbers of one coefficient.
fn entry(judged: Option<&Judged>, place: usize, quantile: f64) -> Estimate {
    let Some(judged) = judged else { return Estimate::WITHHELD };
    let interval = match judged.states[place] {
        State::Normal => Interval::Normal,
        State::Approximate => Interval::Approximate,
        State::Withheld => return Estimate::WITHHELD,
    };
    let (estimate, error) = (judged.estimates[place], judged.errors[place]);
    Estimate {
        estimate: Some(estimate),
        std_error: Some(error),
        lower: Some(estimate - quantile * error),
        upper: Some(estimate + quantile * error),
        noise_share: Some(judged.noise_shares[place]),
        interval,
    }
}

fn notes(
    task: &Task,
    released: &Released,
    solved: &Solved,
    coded: &[CodedTerm],
    names: &[String],
    rows: f64,
) -> Vec<Note> {
    let Released { setting, radii, counts, .. } = released;
    let gate = &solved.gate;
    let features = setting.terms.features();
    let mut notes = Vec::new();
    if gate.inverse.is_none() || gate.held.len() == features {
        notes.push(undetermined(task, released, rows));
    } else if !gate.held.is_empty() {
        let held = gate.held.iter().filter_map(|place| coded.get(place.checked_sub(1)?));
        let first = held.take(NAMED).map(|term| term.term.clone()).collect();
        notes.push(Note::Held((first, gate.held.len())));
    }
    let shortened = counts.shortened(&setting.terms, radii.features);
    notes.push(Note::FarRows {
        shortened: shortened.map(|beyond| (beyond.rows, beyond.deviation)),
        rows: rows.max(0.0),
    });
    let clipped = names.iter().zip(&radii.outcomes).enumerate().filter_map(|(outcome, (name, radius))| {
        let beyond = counts.clipped(outcome, *radius)?;
        Some((name.clone(), beyond.rows, beyond.deviation, *radius))
    });
    let clipped: Vec<_> = clipped.take(NAMED).collect();
    if !clipped.is_empty() {
        notes.push(Note::ClippedResiduals(clipped));
    }
    if radii.unseen {
        notes.push(Note::UnseenTail);
    }
    notes.extend([Note::BothErrors, Note::Clipped, Note::EqualSpread, Note::BoundsFixed]);
    notes
}

/// What would determine the coefficients: by the forecast, whose numbers grow as rows and as μ.
fn undetermined(task: &Task, released: &Released, rows: f64) -> Note {
    let setting = &released.setting;
    let parts = task.checked.budget.and_then(|budget| budget_parts(&budget, &Split::Gaussian).ok());
    let mu = parts.as_ref().map_or(0.0, |parts| parts.pair.mu.get());
    let rows = rows.max(1.0);
    let people = task.checked.max_rows_per_person;
    let foreseen = Forecast::new(&setting.terms, setting.adjacency, people, rows, mu);
    let factor = (2.0 / foreseen.condition).max(3.0 * foreseen.guide_noise).max(1.0);
    let promise = parts.and_then(|parts| parts.promise);
    let epsilon = promise.and_then(|(_, delta)| gdp_epsilon(Mu::try_new(mu * factor).ok()?, delta).ok());
    Note::Undetermined { rows: rows * factor, epsilon: epsilon.map(|epsilon| epsilon.get()), mu: mu * factor }
}
