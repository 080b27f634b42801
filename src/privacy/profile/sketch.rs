//! The Gaussian sketch (Johnson and Lindenstrauss), and inverse Wishart sampling with fixed degrees of freedom.

use std::num::NonZeroU32;

use super::super::convert::{DELTA_MARGIN, raised_delta};
use super::super::measure::{Delta, Epsilon};
use super::{ProfileError, Tail, least_scale, positive};

/// δ at ε of r rows drawn from N(0, A), A = G + w² I, or of their second moments, rounded up, when one person's row v has
/// the leverage l = v' A⁻¹ v, at most R²/w²: also of a precision matrix drawn from the inverse Wishart law with r degrees
/// of freedom. Under `add-remove`, one row per person.
///
/// A change by v v' becomes, after whitening, a change of one variance from 1 to 1 + l. The loss is
/// s/τ − Λ of s ~ χ²_r or (1 + l) χ²_r, with Λ = (r/2) ln(1 + l) and τ = 2(1 + l)/l, so δ is the larger of
/// P[(1 + l) χ² >= τ(ε + Λ)] − e^ε P[χ² >= τ(ε + Λ)] and P[χ² <= τ(Λ − ε)] − e^ε P[(1 + l) χ² <= τ(Λ − ε)]. It grows
/// in l, because adding noise to the rows turns a larger l into a smaller one. Noise-and-accounting, B9.
///
/// # Errors
/// When the leverage is not above 0.
pub fn jl_delta(epsilon: Epsilon, leverage: f64, rows: NonZeroU32) -> Result<Delta, ProfileError> {
    Ok(profile(epsilon.get(), positive("leverage", leverage)?, f64::from(rows.get())))
}

/// Smallest w²/R² at which a sketch of r rows keeps within (ε, δ) for every person of norm at most R; rounded up by 1e-9.
/// [`jl_delta`] at l = R²/w².
///
/// # Errors
/// When δ is 0 or 1, or so small (below 1e-13 at ε = 0) that no w² is known to suffice.
pub fn jl_w2_over_r2(epsilon: Epsilon, delta: Delta, rows: NonZeroU32) -> Result<f64, ProfileError> {
    least_scale(delta, |leverage| profile(epsilon.get(), leverage, f64::from(rows.get())))
}

fn profile(e: f64, l: f64, r: f64) -> Delta {
    let log = r / 2.0 * libm::log1p(l);
    let tau = 2.0 * (1.0 + l) / l;
    let high = tau * (log + e);
    let with = Tail::above(r, high / (1.0 + l)).exceeds(e, Tail::above(r, high));
    let without = if log > e {
        let low = tau * (log - e);
        Tail::below(r, low).exceeds(e, Tail::below(r, low / (1.0 + l)))
    } else {
        0.0
    };
    raised_delta(with.max(without), DELTA_MARGIN)
}
