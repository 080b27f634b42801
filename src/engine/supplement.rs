//! What follows from a release beside its coefficients.

use nalgebra::DMatrix;

use crate::inference::description::MOST_DESCRIBED;
use crate::inference::{category, compared_levels, description, differences};
use crate::mechanisms::adaptive::description::{Rounds, describe};
use crate::mechanisms::adaptive_gauss::beside::{Beside, beside, spreads};
use crate::mechanisms::adaptive_logistic::report as adaptive_logistic;
use crate::mechanisms::info::{are_log_odds, find};
use crate::release::Release;
use crate::release::figure::{self, outcomes};
use crate::release::moments::ReleasedMoments;
use crate::release::publication::MOST_OUTCOMES;
use crate::release::significance::CategoryTest;
use crate::release::supplement::{ComparedLevels, Description, Difference, Supplement};

/// Returns the covariance of the coefficients of one outcome, in their order. `None` if it does not follow from the release.
pub fn covariance(release: &Release, outcome: &str) -> Option<DMatrix<f64>> {
    let place = outcomes(release).iter().position(|name| name == outcome)?;
    covariances(release, beside(release)).nth(place)?
}

/// Returns the covariances of the outcomes' coefficients, given what `adaptive-gauss` says beside them.
fn covariances(
    release: &Release,
    adaptive: Vec<Option<Beside>>,
) -> Box<dyn Iterator<Item = Option<DMatrix<f64>>> + '_> {
    if release.is_adaptive() {
        Box::new(adaptive.into_iter().map(|outcome| outcome?.covariance))
    } else if release.steps.is_some() {
        Box::new(adaptive_logistic::covariances(release).into_iter())
    } else if are_log_odds(&release.plan) {
        Box::new(std::iter::empty())
    } else {
        Box::new(category::covariances(release))
    }
}

/// Computes the description of a release's columns and the tests of its categories: post-processing, which costs nothing.
pub fn supplement(release: &Release) -> Supplement {
    let log_odds = are_log_odds(&release.plan);
    let adaptive = release.moments.as_ref().and_then(|moments| moments.adaptive.as_ref());
    let rounds = match (adaptive, &release.steps) {
        (Some(adaptive), _) => Some(Rounds {
            terms: &adaptive.terms,
            level: &adaptive.units.level,
            scales: &adaptive.units.scales,
            margins: &adaptive.margins,
            moments: &adaptive.moments,
        }),
        (None, Some(steps)) => Some(Rounds {
            terms: &steps.terms,
            level: &steps.units.level,
            scales: &steps.units.scales,
            margins: &steps.margins,
            moments: &steps.moments,
        }),
        (None, None) => None,
    };
    let description = match rounds {
        Some(rounds) => describe(&release.plan, rounds, &spreads(release)),
        None => description::describe(release),
    };
    let beside = beside(release);
    let residual_noise = beside.iter().map(|outcome| Some(outcome.as_ref()?.residual_noise)).collect();
    let explained = beside.iter().map(|outcome| outcome.as_ref()?.explained).collect();
    let Combined { categories, differences, levels, covariances } =
        combined(release, beside, description.as_ref());
    let source = find(&release.plan.mechanism.name).map_or("", |info| info.source);
    Supplement {
        source,
        log_odds,
        description,
        categories,
        differences,
        levels,
        covariances,
        residual_noise,
        explained,
    }
}

/// Most outcomes whose covariances are kept, and most coefficients of one.
const MOST_KEPT: (usize, usize) = (20, 60);

/// The results that need the covariance of the coefficients.
#[derive(Default)]
struct Combined {
    categories: Vec<CategoryTest>,
    differences: Vec<Difference>,
    levels: Vec<ComparedLevels>,
    covariances: Vec<(String, Vec<Vec<f64>>)>,
}

/// Returns the tests of categories, the differences and the covariances that are kept. Each covariance is computed once.
fn combined(release: &Release, beside: Vec<Option<Beside>>, description: Option<&Description>) -> Combined {
    let (plan, groups) = (&release.plan, category::groups(release));
    let crossed = differences::any(plan);
    let mut found = Combined::default();
    let most = match (groups.is_empty(), crossed) {
        (true, false) => MOST_KEPT.0,
        (true, true) => MOST_OUTCOMES,
        (false, _) => usize::MAX,
    };
    let mut entries = release.coefficients.by_outcome();
    let all = outcomes(release).into_iter().zip(covariances(release, beside)).take(most);
    for (place, (outcome, covariance)) in all.enumerate() {
        let own = entries.next().unwrap_or_default();
        let Some(covariance) = covariance else { continue };
        found.categories.extend(category::tests(&groups, own, &covariance));
        if place < MOST_OUTCOMES {
            let lines = figure::lines(plan, &release.coefficients, &outcome);
            let differences = || differences::differences(plan, &outcome, &lines, &covariance, description);
            found.differences.extend(crossed.then(differences).into_iter().flatten());
            found.levels.extend(compared_levels::compared(plan, &outcome, &lines, &covariance, description));
        }
        if place < MOST_KEPT.0 && own.len() <= MOST_KEPT.1 {
            let rows = covariance.row_iter().map(|row| row.iter().copied().collect()).collect();
            found.covariances.push((outcome, rows));
        }
    }
    found
}

/// Removes the moments of a release if they have too many terms to be described or refitted. The terms stay, and show that there
/// were too many.
pub fn remove_unused_moments(release: &mut Release) {
    let unused =
        |moments: &&mut ReleasedMoments| moments.terms.len() > MOST_DESCRIBED && moments.adaptive.is_none();
    if let Some(moments) = release.moments.as_mut().filter(unused) {
        moments.terms.truncate(MOST_DESCRIBED + 1);
        moments.matrix = None;
        moments.blocks = None;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::release::document::of_tests::release;

    fn released(terms: usize) -> Release {
        let term = |place| json!({"term": format!("x{place}"), "centre": 0.0, "scale": 1.0});
        let moments =
            json!({"terms": (0..terms).map(term).collect::<Vec<_>>(), "matrix": [["1"]], "noise": null});
        let plan = json!({"schema": "discreet.plan/1", "adjacency": "add-remove", "columns": [],
            "mechanism": {"name": "analyze-gauss"}, "budget": {"mu": 1.0}});
        Release { moments: serde_json::from_value(moments).unwrap(), ..release(&plan) }
    }

    #[test]
    fn moments_that_nothing_is_computed_from_are_removed() {
        for terms in [1, MOST_DESCRIBED, MOST_DESCRIBED + 1, MOST_DESCRIBED + 9] {
            let mut release = released(terms);
            remove_unused_moments(&mut release);
            let moments = release.moments.as_ref().unwrap();
            let described = terms <= MOST_DESCRIBED;
            assert_eq!(moments.matrix.is_some(), described);
            assert_eq!(moments.terms.len(), terms.min(MOST_DESCRIBED + 1));
            assert_eq!(release == released(terms), described);
        }
    }
}
