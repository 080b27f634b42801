//! Privacy profile of the additive Wishart mechanism: second moments plus the moments of random rows.

use std::num::NonZeroU32;

use super::super::adjacency::Adjacency;
use super::super::convert::{DELTA_MARGIN, raised_delta};
use super::super::measure::{Delta, Epsilon};
use super::sketch::between;
use super::{ProfileError, Tail, least_epsilon, least_scale, positive};

/// The most degrees of freedom that [`additive_wishart_degrees`] returns.
const MOST_DEGREES: NonZeroU32 = NonZeroU32::new(1_000_000_000).unwrap();

/// The shape of W_p(w² I, k): k >= p + 2 degrees of freedom in p dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WishartNoise {
    degrees: u32,
    dimension: u32,
}

impl WishartNoise {
    /// Returns k degrees of freedom for matrices of p rows and columns.
    ///
    /// # Errors
    /// If k < p + 2 or p = 0.
    pub fn try_new(degrees: u32, dimension: u32) -> Result<Self, ProfileError> {
        if dimension == 0 || degrees.checked_sub(dimension).is_none_or(|beyond| beyond < 2) {
            return Err(ProfileError::Degrees { degrees, dimension });
        }
        Ok(Self { degrees, dimension })
    }

    /// Returns k.
    pub const fn degrees(self) -> u32 {
        self.degrees
    }

    /// Returns ν = k − p + 1, at least 3: the degrees of freedom of the Schur complement.
    pub(super) fn beyond(self) -> f64 {
        f64::from(self.degrees - self.dimension) + 1.0
    }

    fn profile(self, e: f64, b: f64, adjacency: Adjacency) -> Delta {
        let delta = match adjacency {
            Adjacency::AddRemove => self.with(e, b).max(self.without(e, b)),
            Adjacency::ReplaceOne => self.through_the_removed_row(e, b),
        };
        raised_delta(delta, DELTA_MARGIN)
    }

    /// Returns δ at ε of the presence of a person, b = ‖v‖²/w², against the absence.
    pub(super) fn with(self, e: f64, b: f64) -> f64 {
        let nu = self.beyond();
        let rate = (b - 2.0 * e) / (nu - 2.0);
        // The density is larger from x = b/(1 − θ') on; ln θ' = −rate.
        if rate > 0.0 {
            Tail::above(nu, b / libm::expm1(rate)).exceeds(e, Tail::above(nu, -b / libm::expm1(-rate)))
        } else {
            0.0
        }
    }

    /// Returns δ at ε of the absence against the presence.
    pub(super) fn without(self, e: f64, b: f64) -> f64 {
        let nu = self.beyond();
        let rate = (2.0 * e + b) / (nu - 2.0);
        // The density is larger up to x = b/(1 − θ), where x − b = bθ/(1 − θ); ln θ = −rate.
        Tail::below(nu, -b / libm::expm1(-rate)).exceeds(e, Tail::below(nu, b / libm::expm1(rate)))
    }

    /// Returns the least over e₁ in [0, ε] of δ_with(e₁) + e^e₁ δ_without(ε − e₁): each is a bound, so the search need not be exact.
    fn through_the_removed_row(self, e: f64, b: f64) -> f64 {
        const PARTS: u32 = 16;
        const GOLDEN: f64 = 0.618_033_988_749_894_8;
        let bound = |share: f64| {
            let first = e * share;
            self.with(first, b) + libm::exp(first) * self.without(e - first, b)
        };
        let at = |part: u32| f64::from(part) / f64::from(PARTS);
        let grid = (0..=PARTS).map(|part| (bound(at(part)), at(part)));
        let (mut least, best) = grid.fold((f64::INFINITY, 0.0), |a, b| if b.0 < a.0 { b } else { a });
        let (mut low, mut high) = ((best - at(1)).max(0.0), (best + at(1)).min(1.0));
        let (mut left, mut right) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
        let (mut at_left, mut at_right) = (bound(left), bound(right));
        for _ in 0..24 {
            least = least.min(at_left).min(at_right);
            if at_left < at_right {
                (high, right, at_right) = (right, left, at_left);
                left = high - GOLDEN * (high - low);
                at_left = bound(left);
            } else {
                (low, left, at_left) = (left, right, at_right);
                right = low + GOLDEN * (high - low);
                at_right = bound(right);
            }
        }
        least.min(1.0)
    }
}

/// Returns δ at ε of second moments plus W_p(w² I, k), rounded up, for rows of norm ‖v‖²/w² = b, at most R²/w². One row per person.
///
/// `add-remove`, exact: rotate so that v lies on the first axis. The Schur complement of the first cell of the noise is then w²
/// χ²_ν, ν = k − p + 1. It is independent of all other cells, and v v' shifts it alone. So δ is that of χ²_ν noise on a number
/// that changes by b. With m = ν − 2, without against with the person: θ = exp(−(2ε + b)/m) and δ = F(b/(1 − θ)) − e^ε F(bθ/(1 −
/// θ)); with against without, if 2ε < b: θ' = exp((2ε − b)/m) and δ = S(bθ'/(1 − θ')) − e^ε S(b/(1 − θ')), S = 1 − F. It grows in
/// b, because the density is log-concave. theory/wishart 3.2.
///
/// `replace-one`, a bound: from the table with one row to the table without it and on to the table with the other. If
/// P <= e^e₁ R + δ₁ and R <= e^(ε − e₁) Q + δ₂ for every set, then P <= e^ε Q + δ₁ + e^e₁ δ₂, for every e₁ in [0, ε]; the
/// least is taken. theory/wishart 3.3.
///
/// # Errors
/// If b is not above 0.
pub fn additive_wishart_delta(
    epsilon: Epsilon,
    change: f64,
    noise: WishartNoise,
    adjacency: Adjacency,
) -> Result<Delta, ProfileError> {
    Ok(noise.profile(epsilon.get(), positive("change", change)?, adjacency))
}

/// Returns the smallest w²/R² at which that noise keeps within (ε, δ) for every person of norm at most R; rounded up by 1e-9.
/// [`additive_wishart_delta`] at b = R²/w².
///
/// # Errors
/// If δ is 0 or 1, or so small (below 1e-13 at ε = 0) that no w² is known to suffice.
pub fn aw_w2_over_r2(
    epsilon: Epsilon,
    delta: Delta,
    noise: WishartNoise,
    adjacency: Adjacency,
) -> Result<f64, ProfileError> {
    least_scale(delta, |change| noise.profile(epsilon.get(), change, adjacency))
}

/// Returns the fewest degrees of freedom k >= p + 2 at which second moments of p columns plus W_p(w² I, k) keep within (ε, δ), for
/// R²/w² = `scale_ratio`. [`additive_wishart_delta`] at k is at most δ, and at k − 1 it is not.
///
/// # Errors
/// If p is 0, the ratio is not above 0, δ is 0 or 1, or a thousand million degrees of freedom are too few.
pub fn additive_wishart_degrees(
    epsilon: Epsilon,
    delta: Delta,
    dimension: u32,
    scale_ratio: f64,
    adjacency: Adjacency,
) -> Result<WishartNoise, ProfileError> {
    super::ln_target_below_one(delta)?;
    positive("ratio R^2/w^2", scale_ratio)?;
    let noise = |beyond: NonZeroU32| {
        WishartNoise::try_new(dimension.saturating_add(beyond.get()).saturating_add(1), dimension)
    };
    let suffices = |beyond: NonZeroU32| {
        Ok::<bool, ProfileError>(noise(beyond)?.profile(epsilon.get(), scale_ratio, adjacency) <= delta)
    };
    let mut good = NonZeroU32::MIN;
    let mut bad = None;
    while !suffices(good)? {
        bad = Some(good);
        good = good
            .checked_add(good.get())
            .filter(|next| *next < MOST_DEGREES)
            .ok_or(ProfileError::NoDegrees)?;
    }
    if let Some(mut bad) = bad {
        while let Some(middle) = between(bad, good) {
            if suffices(middle)? {
                good = middle;
            } else {
                bad = middle;
            }
        }
    }
    noise(good)
}

/// Returns the smallest ε at which that noise, with R²/w² = `scale_ratio`, keeps within (ε, δ), rounded up by 1e-9: the actual cost
/// of given degrees of freedom.
///
/// # Errors
/// [`ProfileError`] if the ratio is not above 0, or δ is 0 or smaller than the probability of releases that are impossible with the
/// other table. Then no ε exists.
pub fn additive_wishart_epsilon(
    delta: Delta,
    scale_ratio: f64,
    noise: WishartNoise,
    adjacency: Adjacency,
) -> Result<Epsilon, ProfileError> {
    positive("ratio R^2/w^2", scale_ratio)?;
    least_epsilon(delta, |e| noise.profile(e, scale_ratio, adjacency))
}
