//! Another regression from any release that holds moments.

use super::publish::mark_rows_of_one_person;
use crate::inference::refit::{Refit, RefitError, Request, refit as from_moments};
use crate::inference::ridge_path::of_moments;
use crate::mechanisms::adaptive_gauss::refit::{refit as from_adaptive, ridge_path as path_of_adaptive};
use crate::release::Release;
use crate::release::publication::ridge_path::RidgePath;

/// Computes another regression from a release: post-processing, which costs nothing.
///
/// # Errors
/// [`RefitError`] for a release without moments, an unknown name, or names that do not make a regression that the release holds.
pub fn refit(release: &Release, request: &Request<'_>) -> Result<Refit, RefitError> {
    if !(0.5..=0.999).contains(&request.confidence) {
        return Err(RefitError::Confidence(request.confidence));
    }
    let mut refit = if release.is_adaptive() {
        from_adaptive(release, request)?
    } else {
        let Request { outcome, features, ridge, repair, confidence } = *request;
        from_moments(release, outcome, features, ridge, repair, confidence)?
    };
    let most = release.privacy.max_rows_per_person;
    mark_rows_of_one_person(most, &mut refit.coefficients, &mut refit.diagnostics);
    Ok(refit)
}

/// Computes how the coefficients of a regression change with its ridge: post-processing, which costs nothing.
///
/// # Errors
/// As [`refit`].
pub fn ridge_path(release: &Release, request: &Request<'_>) -> Result<RidgePath, RefitError> {
    if release.is_adaptive() {
        return path_of_adaptive(release, request);
    }
    of_moments(release, request)
}
