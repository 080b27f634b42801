//! The additive Wishart mechanism: second moments plus the moments of random rows.

use super::super::convert::{DELTA_MARGIN, raised_delta};
use super::super::measure::{Delta, Epsilon};
use super::{ProfileError, Tail, least_scale, positive};

/// The shape of W_p(w² I, k): k >= p + 2 degrees of freedom in p dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WishartNoise {
    degrees: u32,
    dimension: u32,
}

impl WishartNoise {
    /// k degrees of freedom for matrices of p rows and columns.
    ///
    /// # Errors
    /// When k < p + 2 or p = 0.
    pub fn try_new(degrees: u32, dimension: u32) -> Result<Self, ProfileError> {
        if dimension == 0 || degrees.checked_sub(dimension).is_none_or(|beyond| beyond < 2) {
            return Err(ProfileError::Degrees { degrees, dimension });
        }
        Ok(Self { degrees, dimension })
    }

    /// δ at ε when one person changes the second moments by v v', b = ‖v‖²/w², rounded up.
    fn profile(self, e: f64, b: f64) -> Delta {
        let nu = f64::from(self.degrees - self.dimension) + 1.0;
        let power = nu - 2.0;
        // Without the person the density is larger up to x = b/(1 − θ), where x − b = bθ/(1 − θ); ln θ = −rate.
        let rate = (2.0 * e + b) / power;
        let without =
            Tail::below(nu, -b / libm::expm1(-rate)).exceeds(e, Tail::below(nu, b / libm::expm1(rate)));
        let rate = (b - 2.0 * e) / power;
        let with = if rate > 0.0 {
            // With the person, from x = b/(1 − θ') on; ln θ' = −rate.
            Tail::above(nu, b / libm::expm1(rate)).exceeds(e, Tail::above(nu, -b / libm::expm1(-rate)))
        } else {
            0.0
        };
        raised_delta(with.max(without), DELTA_MARGIN)
    }
}

/// δ at ε of second moments plus W_p(w² I, k), rounded up, for a person whose row v has ‖v‖²/w² = b, at most R²/w². Under
/// `add-remove`, one row per person.
///
/// Rotated so that v lies on the first axis, the Schur complement of the first cell of the noise is w² χ²_ν,
/// ν = k − p + 1, independent of all other cells, and v v' shifts it alone: so δ is that of χ²_ν noise on a number that
/// changes by b. With m = ν − 2, without against with the person: θ = exp(−(2ε + b)/m) and
/// δ = F(b/(1 − θ)) − e^ε F(bθ/(1 − θ)); with against without, if 2ε < b: θ' = exp((2ε − b)/m) and
/// δ = S(bθ'/(1 − θ')) − e^ε S(b/(1 − θ')), S = 1 − F. It grows in b, because the density is log-concave.
/// Noise-and-accounting, B9.
///
/// # Errors
/// When b is not above 0.
pub fn additive_wishart_delta(
    epsilon: Epsilon,
    change: f64,
    noise: WishartNoise,
) -> Result<Delta, ProfileError> {
    Ok(noise.profile(epsilon.get(), positive("change", change)?))
}

/// Smallest w²/R² at which that noise keeps within (ε, δ) for every person of norm at most R; rounded up by 1e-9.
/// [`additive_wishart_delta`] at b = R²/w².
///
/// # Errors
/// When δ is 0 or 1, or so small (below 1e-13 at ε = 0) that no w² is known to suffice.
pub fn aw_w2_over_r2(epsilon: Epsilon, delta: Delta, noise: WishartNoise) -> Result<f64, ProfileError> {
    least_scale(delta, |change| noise.profile(epsilon.get(), change))
}
