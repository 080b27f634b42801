//! Another regression from any release that holds moments.

use crate::inference::refit::{Refit, RefitError, Request, refit as from_moments};
use crate::mechanisms::adaptive_gauss::refit::refit as from_adaptive;
use crate::release::Release;

/// Computes another regression from a release: post-processing, which costs nothing.
///
/// # Errors
/// [`RefitError`] for a release without moments, an unknown name, or names that do not make a regression that the release holds.
pub fn refit(release: &Release, request: &Request<'_>) -> Result<Refit, RefitError> {
    if !(0.5..=0.999).contains(&request.confidence) {
        return Err(RefitError::Confidence(request.confidence));
    }
    if release.moments.as_ref().is_some_and(|moments| moments.adaptive.is_some()) {
        return from_adaptive(release, request);
    }
    let Request { outcome, features, ridge, repair, confidence } = *request;
    from_moments(release, outcome, features, ridge, repair, confidence)
}
