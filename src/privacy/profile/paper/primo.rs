//! The scales as PRIMO prints them (Neel, PRIMO: private regression in multiple outcomes, arXiv 2303.04195), to repeat what it
//! did. Each is to nearest.
//!
//! X has rows of length up to Bx and Y rows of length up to By; the paper's By is √l times the bound on one entry, or the
//! longest row of a public Y. Scales are standard deviations on the sums X′X and X′Y, in units of Bx² and Bx By: the paper's, which are on
//! means, times n.

use super::super::super::measure::{Delta, Epsilon};
use super::{PaperError, above_zero};

/// c(ε, δ) = √(2 (1/ε + ln(1/δ)/ε²)), noise over sensitivity (Lemma 1). It suffices for every ε, and is 20 to 60 % more than
/// [`gaussian_sigma`](super::super::super::convert::gaussian_sigma) needs.
///
/// # Errors
/// When ε is 0, or δ is 0 or 1 or more.
pub fn constant(epsilon: Epsilon, delta: Delta) -> Result<f64, PaperError> {
    let (e, d) = (above_zero(epsilon)?, delta.get());
    if d > 0.0 && d < 1.0 {
        Ok(libm::sqrt(2.0 * (1.0 / e - libm::log(d) / (e * e))))
    } else {
        Err(PaperError::Delta { range: "above 0 and below 1", given: d })
    }
}
