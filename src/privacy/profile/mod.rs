//! Privacy profiles δ(ε) of matrix mechanisms that reduce to chi-square variables (theory/wishart 3).
//!
//! They hold for one row per person and for real-number arithmetic (assurance `IDEALISED`, or `BOUNDED` if the error of the
//! arithmetic is bounded). All are exact except one, which is a bound: additive Wishart noise under `replace-one`. They calibrate
//! the charge of such a mechanism to the (ε, δ) budget, and they are used in displays.

mod grid;
mod orthogonal;
pub mod paper;
mod sketch;
mod wishart;

pub use grid::{GRID_BITS, GridWishart, grid_distance};
pub use orthogonal::additive_wishart_orthogonal_delta;
pub use sketch::{MOST_ROWS, sketch_delta, sketch_epsilon, sketch_ridge, sketch_rows};
pub use wishart::{
    WishartNoise, additive_wishart_degrees, additive_wishart_delta, additive_wishart_epsilon, aw_w2_over_r2,
};

use super::convert::{ConversionError, epsilon_up, largest, ln_target, ln_target_below_one};
use super::measure::{Delta, Epsilon};
use crate::math::gamma::{ln_chi_square_cdf, ln_chi_square_sf};
use crate::math::round::{MARGIN, raise};
use crate::math::search::first_true;

/// Parameters for which there is no profile.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ProfileError {
    /// A parameter that has to be above 0.
    #[error("{}", crate::words::error::profile_not_positive(name, given))]
    NotPositive {
        /// The name of the parameter.
        name: &'static str,
        /// The given value.
        given: f64,
    },
    /// Too few degrees of freedom.
    #[error("{}", crate::words::error::profile_degrees(degrees, dimension))]
    Degrees {
        /// The given k.
        degrees: u32,
        /// p as given.
        dimension: u32,
    },
    /// No scale is known to suffice.
    #[error("{}", crate::words::error::profile_no_scale())]
    NoScale,
    /// No number of degrees of freedom is known to suffice.
    #[error("{}", crate::words::error::profile_no_degrees())]
    NoDegrees,
    /// No ε holds at this δ.
    #[error("{}", crate::words::error::profile_no_epsilon())]
    NoEpsilon,
    /// A number that cannot be converted.
    #[error(transparent)]
    Conversion(#[from] ConversionError),
}

/// The logarithm of a tail probability, and a bound on its absolute error.
#[derive(Clone, Copy)]
struct Tail {
    ln: f64,
    error: f64,
}

impl Tail {
    /// Returns P[χ² <= x].
    fn below(degrees: f64, x: f64) -> Self {
        Self::new(degrees, x, ln_chi_square_cdf(degrees, x))
    }

    /// Returns P[χ² >= x].
    fn above(degrees: f64, x: f64) -> Self {
        Self::new(degrees, x, ln_chi_square_sf(degrees, x))
    }

    /// Returns the error of the formulas (`math::gamma`) and of a few roundings of x.
    fn new(degrees: f64, x: f64, ln: f64) -> Self {
        let error = 2e-15 * (4.0 + ln.abs() + (x - degrees).abs() + libm::sqrt(degrees));
        Self { ln, error: if ln == f64::NEG_INFINITY { 0.0 } else { error } }
    }

    /// Returns self − e^ε other for two tails whose difference is not negative, rounded up by their errors. If the terms cancel,
    /// the uncertainty is added.
    fn exceeds(self, epsilon: f64, other: Self) -> f64 {
        if self.ln == f64::NEG_INFINITY {
            return 0.0;
        }
        let first = libm::exp(self.ln) * (1.0 + self.error);
        let second = libm::exp(epsilon + other.ln) * (1.0 - other.error);
        (first - second).max(f64::MIN_POSITIVE)
    }
}

/// Returns the least w²/R² at which a profile keeps within δ: inverts a profile that grows in R²/w² and raises the result by 1e-9
/// (theory/accounting 2.1).
fn least_scale(delta: Delta, profile: impl Fn(f64) -> Delta) -> Result<f64, ProfileError> {
    ln_target_below_one(delta)?;
    let change = largest(|change| profile(change) <= delta);
    let scale = raise(1.0 / change, MARGIN);
    let holds = change > 0.0 && scale.is_finite() && profile(1.0 / scale) <= delta;
    if holds { Ok(scale) } else { Err(ProfileError::NoScale) }
}

/// Returns the least ε at which a profile keeps within δ: inverts a profile that falls in ε and raises the result by 1e-9
/// (theory/accounting 2.1).
fn least_epsilon(delta: Delta, profile: impl Fn(f64) -> Delta) -> Result<Epsilon, ProfileError> {
    /// The largest ε of the search. A larger one protects nothing.
    const MOST: f64 = 1e6;
    ln_target(delta)?;
    let holds = |epsilon: f64| profile(epsilon) <= delta;
    let mut high = 1.0;
    while !holds(high) {
        high *= 2.0;
        if high > MOST {
            return Err(ProfileError::NoEpsilon);
        }
    }
    let epsilon = epsilon_up(first_true(0.0, high, holds))?;
    if holds(epsilon.get()) { Ok(epsilon) } else { Err(ProfileError::NoEpsilon) }
}

fn positive(name: &'static str, given: f64) -> Result<f64, ProfileError> {
    if given > 0.0 && given.is_finite() { Ok(given) } else { Err(ProfileError::NotPositive { name, given }) }
}

#[cfg(test)]
mod tests;
