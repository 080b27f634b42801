//! The regressions of a release.

use super::OUTCOME_RADIUS;
use super::gate::{Evidence, Far, Judged, Units};
use super::notes::{Doubts, Notes, Shown};
use super::progress::{Released, Solved};
use crate::math::special::normal_quantile_central;
use crate::model::{Estimate, INTERCEPT, Interval};
use crate::plan::CheckedPlan;
use crate::release::document::{Coefficients, Diagnostics, OutcomeDiagnostics};
use crate::release::moments::CodedTerm;

/// The regressions that are reported.
#[derive(Clone, Debug)]
pub struct Asked<'a> {
    /// The plan.
    pub checked: &'a CheckedPlan,
    /// Level of the intervals.
    pub confidence: f64,
    /// The outcomes: a name, and the place among the outcomes.
    pub outcomes: Vec<(String, usize)>,
    /// The places of the features among the features, in their order.
    pub features: Vec<usize>,
}

/// Returns the regressions of some outcomes on some features in the columns' own units.
pub fn report(
    asked: &Asked<'_>,
    released: &Released,
    solved: &Solved,
    coded: &[CodedTerm],
) -> (Coefficients, Diagnostics) {
    let mut entries = Vec::with_capacity(asked.outcomes.len());
    let mut summaries = Vec::with_capacity(asked.outcomes.len());
    let (mut robust, mut doubts) = (true, Doubts::default());
    let quantile = normal_quantile_central(asked.confidence / 2.0);
    let places: Vec<usize> =
        std::iter::once(0).chain(asked.features.iter().map(|feature| feature + 1)).collect();
    for (name, outcome) in &asked.outcomes {
        let judged = judge(released, solved, coded, *outcome);
        robust &= judged.as_ref().is_some_and(|judged| judged.is_robust);
        if let Some(judged) = &judged {
            doubts.moved.extend(&judged.moved);
            doubts.hidden.extend(judged.fit.residual_hidden.then(|| name.clone()));
        }
        let mut found: Vec<Estimate> =
            places.iter().map(|place| entry(judged.as_ref(), *place, quantile)).collect();
        if clips_many(asked, released, *outcome) {
            doubts.clipped.push(name.clone());
            Interval::label_approximate(found.iter_mut().map(|entry| &mut entry.interval));
        }
        let shows = |place: &usize| {
            let own = places.iter().zip(&found).find(|(own, _)| *own == place);
            own.is_some_and(|(_, entry)| entry.interval != Interval::Withheld)
        };
        let rough = judged.iter().flat_map(|judged| &judged.rough_errors).filter(|place| shows(place));
        doubts.rough.extend(rough.map(|place| (*place, name.clone())));
        entries.push(found);
        let half_width = coded.get(released.terms.features() + outcome).map_or(1.0, |term| term.half_width);
        let spread = released.guide.spreads.get(*outcome).map_or(f64::NAN, |spread| spread * half_width);
        summaries.push(OutcomeDiagnostics {
            outcome: name.clone(),
            residual_sd: judged.as_ref().map(|judged| judged.fit.sigma * spread).filter(|sd| sd.is_finite()),
            residual_resolved: judged.as_ref().is_some_and(|judged| !judged.fit.residual_hidden),
            r_squared: None,
        });
    }
    let notes = Notes {
        checked: asked.checked,
        outcomes: &asked.outcomes,
        released,
        solved,
        coded,
        is_robust: robust,
        doubts,
        shown: Shown::new(&entries, &places),
    };
    let (rows, rows_std_error) = released.rows();
    let diagnostics = Diagnostics {
        rows: Some(rows),
        rows_std_error: Some(rows_std_error),
        signal_to_noise: Some(solved.gate.condition).filter(|condition| condition.is_finite()),
        ridge: 0.0,
        repair: None,
        notes: notes.all(),
        outcomes: summaries,
    };
    let names = asked.outcomes.iter().map(|(name, _)| name.clone()).collect();
    let terms = asked.features.iter().map(|feature| coded[*feature].term.clone());
    let terms = std::iter::once(INTERCEPT.to_owned()).chain(terms).collect();
    (Coefficients::of(names, terms, &entries), diagnostics)
}

/// If a stated radius clips more than this share of the residuals, that is many. Of normal residuals 0.27 % are beyond 3, the
/// smallest radius that is advised.
const MOST_CLIPPED: f64 = 0.005;

/// Returns whether a stated radius clips clearly more residuals of an outcome than of normal ones.
fn clips_many(asked: &Asked<'_>, released: &Released, outcome: usize) -> bool {
    let is_stated = asked.checked.plan.mechanism.params.contains_key(OUTCOME_RADIUS.name);
    let radius = released.radii.outcomes.get(outcome).filter(|_| is_stated);
    let beyond = radius.and_then(|radius| released.counts.clipped(outcome, *radius));
    beyond.is_some_and(|beyond| beyond.rows - 2.0 * beyond.deviation > MOST_CLIPPED * released.rows().0)
}

/// Returns an outcome's coefficients in own units, with what is known of their errors.
pub fn judge(released: &Released, solved: &Solved, coded: &[CodedTerm], outcome: usize) -> Option<Judged> {
    let Released { terms, guide, radii, .. } = released;
    let Solved { moments, map, gate, scores } = solved;
    let bounds: Vec<(f64, f64)> = coded.iter().map(|term| (term.centre, term.half_width)).collect();
    let (features, outcomes) = bounds.split_at_checked(terms.features())?;
    let far = Far { radius: *radii.outcomes.get(outcome)?, unseen: radii.unseen };
    let units = Units::columns(features, *outcomes.get(outcome)?);
    gate.judge(Evidence { terms, guide, map, moments, scores }, outcome, far, &units)
}

/// Returns the numbers of one coefficient.
fn entry(judged: Option<&Judged>, place: usize, quantile: f64) -> Estimate {
    let Some(judged) = judged else { return Estimate::WITHHELD };
    let interval = judged.intervals[place];
    let (estimate, error) = (judged.estimates[place], judged.errors[place]);
    if interval == Interval::Withheld || !(estimate.is_finite() && (quantile * error).is_finite()) {
        return Estimate::WITHHELD;
    }
    Estimate {
        noise_share: Some(judged.noise_shares[place]),
        interval,
        ..Estimate::around(estimate, error, quantile * error)
    }
}
