//! What follows from a release beside its coefficients.

use nalgebra::DMatrix;

use crate::inference::{category, description};
use crate::mechanisms::adaptive::description::{Rounds, describe};
use crate::mechanisms::adaptive_gauss::report as adaptive_gauss;
use crate::mechanisms::adaptive_logistic::report as adaptive_logistic;
use crate::mechanisms::info::are_log_odds;
use crate::release::Release;
use crate::release::figure::outcomes;
use crate::release::supplement::Supplement;

/// Returns the covariance of the coefficients of one outcome, in their order; nothing where it does not follow from the release.
#[must_use]
pub fn covariance(release: &Release, outcome: &str) -> Option<DMatrix<f64>> {
    if release.moments.as_ref().is_some_and(|moments| moments.adaptive.is_some()) {
        let place = outcomes(release).iter().position(|name| name == outcome)?;
        return adaptive_gauss::covariances(release).into_iter().nth(place)?;
    }
    if release.steps.is_some() {
        return adaptive_logistic::covariance(release, outcome);
    }
    (!are_log_odds(&release.plan)).then(|| category::released_covariance(release, outcome))?
}

/// Computes the description of a release's columns and the tests of its categories: post-processing, which costs nothing.
#[must_use]
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
        Some(rounds) => describe(&release.plan, rounds),
        None => description::describe(release),
    };
    let categories = match (adaptive, log_odds) {
        (Some(_), _) => adaptive_gauss::category_tests(release),
        (None, false) => category::category_tests(release),
        (None, true) => Vec::new(),
    };
    Supplement { log_odds, description, categories }
}
