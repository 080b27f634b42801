//! Exact privacy profiles δ(ε) of matrix mechanisms that reduce to one chi-square variable (noise-and-accounting, B9).
//!
//! They hold under `add-remove`, for one row per person, and for real-number arithmetic (label `IDEALISED`, or `BOUNDED`
//! where the arithmetic is bounded). They calibrate what such a mechanism charges to the Other wallet, and inform
//! displays.

mod sketch;
mod wishart;

pub use sketch::{jl_delta, jl_w2_over_r2};
pub use wishart::{WishartNoise, additive_wishart_delta, aw_w2_over_r2};

use super::convert::{ConversionError, largest, ln_target_below_one};
use super::measure::Delta;
use crate::math::gamma::{ln_chi_square_cdf, ln_chi_square_sf};
use crate::math::round::{MARGIN, raise};

/// Numbers that no profile takes.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ProfileError {
    /// A number that has to be above 0.
    #[error("the {name} is {given}; give a finite number above 0")]
    NotPositive {
        /// What it is.
        name: &'static str,
        /// As given.
        given: f64,
    },
    /// Too few degrees of freedom.
    #[error(
        "{degrees} degrees of freedom are too few for a matrix of {dimension} rows; give {dimension} + 2 or more"
    )]
    Degrees {
        /// k as given.
        degrees: u32,
        /// p as given.
        dimension: u32,
    },
    /// No scale is known to suffice.
    #[error("no w is known to keep so small an epsilon and delta; give a larger one of them")]
    NoScale,
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
    /// P[χ² <= x].
    fn below(degrees: f64, x: f64) -> Self {
        Self::new(degrees, x, ln_chi_square_cdf(degrees, x))
    }

    /// P[χ² >= x].
    fn above(degrees: f64, x: f64) -> Self {
        Self::new(degrees, x, ln_chi_square_sf(degrees, x))
    }

    /// The error of the formulas (`math::gamma`) and of a few roundings of x.
    fn new(degrees: f64, x: f64, ln: f64) -> Self {
        let error = 2e-15 * (4.0 + ln.abs() + (x - degrees).abs() + libm::sqrt(degrees));
        Self { ln, error: if ln == f64::NEG_INFINITY { 0.0 } else { error } }
    }

    /// self − e^ε other for two tails whose difference is not negative, rounded up by their errors: where the terms
    /// cancel, what is uncertain is added.
    fn exceeds(self, epsilon: f64, other: Self) -> f64 {
        if self.ln == f64::NEG_INFINITY {
            return 0.0;
        }
        let first = libm::exp(self.ln) * (1.0 + self.error);
        let second = libm::exp(epsilon + other.ln) * (1.0 - other.error);
        (first - second).max(f64::MIN_POSITIVE)
    }
}

/// w²/R² for the largest change at which a profile keeps within δ: a profile that grows in R²/w² is inverted and the
/// answer raised by 1e-9 (noise-and-accounting, B10).
fn least_scale(delta: Delta, profile: impl Fn(f64) -> Delta) -> Result<f64, ProfileError> {
    ln_target_below_one(delta)?;
    let change = largest(|change| profile(change) <= delta);
    let scale = raise(1.0 / change, MARGIN);
    if change > 0.0 && scale.is_finite() { Ok(scale) } else { Err(ProfileError::NoScale) }
}

fn positive(name: &'static str, given: f64) -> Result<f64, ProfileError> {
    if given > 0.0 && given.is_finite() { Ok(given) } else { Err(ProfileError::NotPositive { name, given }) }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::super::measure::Epsilon;
    use super::*;

    #[test]
    fn calibrations_are_tight_and_on_the_safe_side() {
        for (e, d) in [(0.1, 1e-5), (1.0, 1e-6), (4.0, 1e-9), (30.0, 1e-12)] {
            let (epsilon, delta) = (Epsilon::try_new(e).unwrap(), Delta::try_new(d).unwrap());
            for rows in [1, 11, 200, 1_000_000] {
                let rows = NonZeroU32::new(rows).unwrap();
                let scale = jl_w2_over_r2(epsilon, delta, rows).unwrap();
                assert!(jl_delta(epsilon, 1.0 / scale, rows).unwrap() <= delta, "{e} {d} {rows}");
                assert!(jl_delta(epsilon, (1.0 + 1e-6) / scale, rows).unwrap() > delta, "{e} {d} {rows}");
            }
            for (k, p) in [(13, 11), (51, 11), (650, 11), (1_000_000, 50)] {
                let noise = WishartNoise::try_new(k, p).unwrap();
                let scale = aw_w2_over_r2(epsilon, delta, noise).unwrap();
                assert!(additive_wishart_delta(epsilon, 1.0 / scale, noise).unwrap() <= delta, "{e} {d} {k}");
                assert!(
                    additive_wishart_delta(epsilon, (1.0 + 1e-6) / scale, noise).unwrap() > delta,
                    "{e} {d} {k}"
                );
            }
        }
    }

    #[test]
    fn both_grow_with_the_change_and_shrink_with_epsilon() {
        let rows = NonZeroU32::new(20).unwrap();
        let noise = WishartNoise::try_new(40, 6).unwrap();
        let mut before: Option<[Delta; 2]> = None;
        for step in -40..=40 {
            let change = libm::exp(f64::from(step) / 4.0);
            let at = |e: f64| {
                let epsilon = Epsilon::try_new(e).unwrap();
                [
                    jl_delta(epsilon, change, rows).unwrap(),
                    additive_wishart_delta(epsilon, change, noise).unwrap(),
                ]
            };
            let (now, later) = (at(0.5), at(0.6));
            // Where both are nearly 1 they may be equal.
            assert!(now.iter().zip(&later).all(|(now, later)| later <= now));
            assert!(before.is_none_or(|before| before.iter().zip(&now).all(|(before, now)| before <= now)));
            before = Some(now);
        }
    }

    #[test]
    fn the_ends() {
        let (one, rows) = (Epsilon::try_new(1.0).unwrap(), NonZeroU32::MIN);
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(jl_delta(one, bad, rows), Err(ProfileError::NotPositive { .. })));
        }
        assert!(WishartNoise::try_new(12, 11).is_err() && WishartNoise::try_new(13, 11).is_ok());
        assert!(WishartNoise::try_new(u32::MAX, u32::MAX).is_err() && WishartNoise::try_new(2, 0).is_err());
        assert!(jl_delta(one, 1e-9, rows).unwrap() > Delta::ZERO, "an underflow is no zero");
        assert!(jl_delta(one, 1e150, rows).unwrap().get() > 0.999);
        let noise = WishartNoise::try_new(13, 11).unwrap();
        assert!(additive_wishart_delta(one, 1e9, noise).unwrap().get() > 0.999);
        assert_eq!(jl_w2_over_r2(one, Delta::ZERO, rows), Err(ConversionError::DeltaZero.into()));
        // At ε = 0 two terms cancel, and what is uncertain of them is above such a δ.
        let tiny = Delta::try_new(1e-15).unwrap();
        assert_eq!(jl_w2_over_r2(Epsilon::ZERO, tiny, rows), Err(ProfileError::NoScale));
    }
}
