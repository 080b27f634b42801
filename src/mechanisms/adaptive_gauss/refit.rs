//! Another regression from a release: any of its outcomes on any of its features, with or without a penalty (theory/adaptive 5.5).

use super::document;
use super::gate::Penalty;
use super::progress::Released;
use super::report::{self, Asked};
use crate::inference::moments::MomentsError;
use crate::inference::refit::{Refit, RefitError, Request};
use crate::inference::ridge_path::{Solved, grid, path};
use crate::inference::{Repair, Ridge};
use crate::model::note::quoted;
use crate::model::{INTERCEPT, level_of};
use crate::plan::{CheckedPlan, Purpose};
use crate::release::Release;
use crate::release::document::Coefficients;
use crate::release::moments::{CodedTerm, ReleasedMoments};
use crate::release::publication::ridge_path::RidgePath;
use crate::words;

/// Regresses an outcome of the release on some of its features: least squares with the weights c² of the final round, where a feature that
/// is left out has the slope 0. With a ridge Λ the penalty Λ Σ b_j² on the slopes in the columns' own units is added to the weighted
/// sum of squares. On all features without a ridge this is the regression of the release, bit by bit.
///
/// # Errors
/// [`RefitError`] for a damaged release, for columns that are not an outcome and features of the release, and for an automatic ridge.
pub fn refit(release: &Release, request: &Request<'_>) -> Result<Refit, RefitError> {
    let Request { outcome, features, ridge, confidence, .. } = *request;
    let damaged = RefitError::Moments(MomentsError::Shape);
    let moments = release.moments.as_ref().ok_or(RefitError::NoMoments)?;
    let released = document::read(moments).ok_or_else(|| damaged.clone())?;
    let coded = moments.coded_terms();
    let checked = CheckedPlan::new(release.plan.clone(), Purpose::Simulate).map_err(|_| damaged.clone())?;
    let (own_features, own_outcomes) = coded.split_at(released.terms.features());

    let places = |name: &str, terms: &[CodedTerm]| {
        let whole: Vec<usize> = (0..terms.len()).filter(|place| terms[*place].term == name).collect();
        let derived = release.plan.derived.iter().any(|entry| entry.name.as_deref() == Some(name));
        let levels = (0..terms.len()).filter(|place| {
            (terms[*place].level || derived) && level_of(&terms[*place].term, name).is_some()
        });
        if whole.is_empty() { levels.collect() } else { whole }
    };
    let named = |terms: &[CodedTerm]| terms.iter().map(|term| term.term.clone()).collect::<Vec<String>>();
    let unknown = |name: &str| {
        let known = named(coded).iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        RefitError::UnknownColumn { name: name.to_owned(), known }
    };
    let target = match places(outcome, own_outcomes)[..] {
        [target] => target,
        [] if places(outcome, own_features).is_empty() => return Err(unknown(outcome)),
        _ => {
            return Err(RefitError::FeatureAsOutcome {
                name: outcome.to_owned(),
                outcomes: named(own_outcomes),
            });
        }
    };
    let mut chosen = Vec::new();
    for feature in features {
        let found = places(feature, own_features);
        if found.is_empty() {
            return Err(match &places(feature, own_outcomes)[..] {
                [] => unknown(feature),
                [place] if *place == target => RefitError::OutcomeAmongFeatures(outcome.to_owned()),
                _ => RefitError::OutcomeAsFeature(feature.clone()),
            });
        }
        for place in found {
            if chosen.contains(&place) {
                return Err(RefitError::RepeatedFeature(feature.clone()));
            }
            chosen.push(place);
        }
    }
    if chosen.is_empty() {
        return Err(RefitError::NoFeatures);
    }

    let penalty = match ridge {
        Ridge::None => None,
        Ridge::Auto => return Err(RefitError::AutomaticRidge),
        Ridge::Fixed(weight) => (weight > 0.0).then(|| penalty(weight, own_features)),
    };
    let excluded: Vec<usize> =
        (0..own_features.len()).filter(|place| !chosen.contains(place)).map(|place| place + 1).collect();
    let asked = Asked {
        checked: &checked,
        confidence,
        outcomes: vec![(outcome.to_owned(), target)],
        features: chosen,
    };
    let solved = Released::solve(&released, &excluded, penalty).map_err(|_| damaged)?;
    let (mut coefficients, mut diagnostics) = report::report(&asked, &released, &solved, coded);
    if !excluded.is_empty() {
        // The weights c² follow from all features of the release (theory/adaptive 5.5).
        coefficients.label_approximate();
        let left_out: Vec<String> =
            excluded.iter().filter_map(|place| Some(own_features.get(place - 1)?.term.clone())).collect();
        diagnostics.notes.push(words::note::refit_of_weighted_rows(quoted(&left_out)));
    }
    if let Ridge::Fixed(weight) = ridge {
        diagnostics.ridge = weight;
    }
    // Eigenvalues are not repaired: what the moments do not determine is withheld.
    Ok(Refit::new(release, &Request { repair: Repair::None, ..*request }, true, (coefficients, diagnostics)))
}

/// Computes how the coefficients change with the ridge. The grid spans what the squares of the slopes weigh in the sum of squares: for
/// each feature the released number of rows times a tenth of the squared half of its range.
///
/// # Errors
/// As [`refit`].
pub fn ridge_path(release: &Release, request: &Request<'_>) -> Result<RidgePath, RefitError> {
    let own = refit(release, request)?;
    let coded = release.moments.as_ref().map_or(&[][..], ReleasedMoments::coded_terms);
    let rows = own.diagnostics.rows.unwrap_or(1.0);
    let weight = |term: &str| {
        let found = coded.iter().find(|coded| coded.term == term)?;
        Some(rows * found.half_width * found.half_width / 10.0)
    };
    let chosen = match request.ridge {
        Ridge::Fixed(ridge) => ridge,
        Ridge::None | Ridge::Auto => 0.0,
    };
    let solve = |ridge: f64| {
        let found = refit(release, &Request { ridge: Ridge::Fixed(ridge), ..*request })?;
        let Coefficients::List(list) = found.coefficients else { return Ok(Solved::default()) };
        let (terms, estimates) = list.into_iter().map(|entry| (entry.term, entry.estimate)).unzip();
        Ok(Solved { terms, estimates, repaired: false })
    };
    let terms = solve(chosen)?.terms;
    let weights: Vec<f64> =
        terms.iter().filter(|term| *term != INTERCEPT).filter_map(|term| weight(term)).collect();
    path(&release.plan, request.outcome, &grid(&weights), chosen, solve)
}

/// Returns a ridge in the columns' own units, on coded coefficients: a slope is 1/`half_width` coded slopes in units of the
/// outcome. The intercept is free.
fn penalty(weight: f64, features: &[CodedTerm]) -> Penalty {
    let slopes = features.iter().map(|term| weight / (term.half_width * term.half_width));
    Penalty { weights: std::iter::once(0.0).chain(slopes).collect() }
}
