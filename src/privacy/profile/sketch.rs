//! Privacy profile of the Gaussian sketch (Johnson and Lindenstrauss) and of the Wishart posterior with fixed degrees of freedom.

use std::num::NonZeroU32;

use super::super::adjacency::Adjacency;
use super::super::convert::{DELTA_MARGIN, raised_delta};
use super::super::measure::{Delta, Epsilon};
use super::{ProfileError, Tail, least_epsilon, least_scale, ln_target_below_one, positive};
use crate::math::round::{MARGIN, lower};
use crate::math::saddle_point::{ln_1p, through_saddle};
use crate::math::search::last_true;

/// The most rows that [`sketch_rows`] returns, more than any noise needs.
pub const MOST_ROWS: NonZeroU32 = NonZeroU32::new(1_000_000_000).unwrap();

/// Returns δ at ε of r rows drawn from N(0, A), A = G + w² I, or of their second moments, rounded up, when one person's row v has
/// the leverage l = v' A⁻¹ v, at most R²/w². It also holds for a matrix drawn from the inverse Wishart distribution with r degrees
/// of freedom around A. One row per person. δ grows in l, in r, and from `add-remove` to `replace-one`.
///
/// `add-remove`: a change by v v' becomes, after whitening, a change of one variance from 1 to 1 + l. The loss is s/τ − Λ of s ~
/// χ²_r or (1 + l) χ²_r, with Λ = (r/2) ln(1 + l) and τ = 2(1 + l)/l, so δ is the larger of
/// P[(1 + l) χ² >= τ(ε + Λ)] − e^ε P[χ² >= τ(ε + Λ)] and
/// P[χ² <= τ(Λ − ε)] − e^ε P[(1 + l) χ² <= τ(Λ − ε)]. It grows in l, because adding noise to the rows turns a
/// larger l into a smaller one (theory/wishart 3.1).
///
/// `replace-one`: a change by v v' − u u' has at most one direction where the variance grows and one where it shrinks, by
/// 1 + l at most; the worst pair has both, and the loss is (l/2) U − l/(2(1 + l)) U', U and U' independent, χ²_r.
/// theory/wishart 3.1.
///
/// # Errors
/// [`ProfileError`] if the leverage is not above 0.
pub fn sketch_delta(
    epsilon: Epsilon,
    leverage: f64,
    rows: NonZeroU32,
    adjacency: Adjacency,
) -> Result<Delta, ProfileError> {
    Ok(profile(epsilon.get(), positive("leverage", leverage)?, rows, adjacency))
}

/// Returns the smallest w²/R² at which a sketch of r rows keeps within (ε, δ) for every person of norm at most R; rounded up by 1e-9.
/// [`sketch_delta`] at l = R²/w².
///
/// # Errors
/// If δ is 0 or 1, or so small (under `add-remove`, below 1e-13 at ε = 0) that no w² is known to suffice.
pub fn sketch_ridge(
    epsilon: Epsilon,
    delta: Delta,
    rows: NonZeroU32,
    adjacency: Adjacency,
) -> Result<f64, ProfileError> {
    least_scale(delta, |leverage| profile(epsilon.get(), leverage, rows, adjacency))
}

/// Returns the most rows, up to [`MOST_ROWS`], whose [`sketch_ridge`] is at most `ridge`, which is w²/R² and lowered by 2e-9 first; `None`
/// where one row already needs more.
///
/// # Errors
/// If the ridge is not above 0, or δ is 0 or 1.
pub fn sketch_rows(
    epsilon: Epsilon,
    delta: Delta,
    ridge: f64,
    adjacency: Adjacency,
) -> Result<Option<NonZeroU32>, ProfileError> {
    ln_target_below_one(delta)?;
    let leverage = 1.0 / lower(positive("ridge", ridge)?, 2.0 * MARGIN);
    positive("ridge", leverage)?;
    let suffices = |rows| profile(epsilon.get(), leverage, rows, adjacency) <= delta;
    if !suffices(NonZeroU32::MIN) {
        return Ok(None);
    }
    if suffices(MOST_ROWS) {
        return Ok(Some(MOST_ROWS));
    }
    let (mut good, mut bad) = (NonZeroU32::MIN, MOST_ROWS);
    while let Some(middle) = between(good, bad) {
        if suffices(middle) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    Ok(Some(good))
}

/// Returns the smallest ε at which a sketch of r rows with w²/R² = `ridge` keeps within (ε, δ), rounded up by 1e-9: the actual cost
/// of a given ridge.
///
/// # Errors
/// If the ridge is not above 0 or δ is 0.
pub fn sketch_epsilon(
    delta: Delta,
    ridge: f64,
    rows: NonZeroU32,
    adjacency: Adjacency,
) -> Result<Epsilon, ProfileError> {
    let leverage = (1.0 / positive("ridge", ridge)?).next_up();
    positive("ridge", leverage)?;
    least_epsilon(delta, |e| profile(e, leverage, rows, adjacency))
}

/// Returns a number between the two, or `None` where they are neighbours.
pub(super) fn between(low: NonZeroU32, high: NonZeroU32) -> Option<NonZeroU32> {
    let middle = low.checked_add(high.get().saturating_sub(low.get()) / 2)?;
    (middle > low).then_some(middle)
}

fn profile(e: f64, l: f64, rows: NonZeroU32, adjacency: Adjacency) -> Delta {
    let r = f64::from(rows.get());
    match adjacency {
        Adjacency::AddRemove => add_remove(e, l, r),
        Adjacency::ReplaceOne => replace_one(e, l, r),
    }
}

fn add_remove(e: f64, l: f64, r: f64) -> Delta {
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

/// Returns δ = E[(1 − e^(ε − L))₊] = (1/2πi) ∫ M(z) e^(−zε) / (z (z + 1)) dz, where M(z) = E e^(zL) = (1 − q z (z + 1))^(−r/2) and
/// q = l²/(1 + l), along a line between 0 and the branch point 1/l.
fn replace_one(e: f64, l: f64, r: f64) -> Delta {
    // δ grows in l, so a limit on l is safe. It prevents overflow of the squares.
    if l > 1e100 {
        return raised_delta(1.0, DELTA_MARGIN);
    }
    let l = l.max(1e-100);
    let (a, shrunk, end) = (r / 2.0, l / (1.0 + l), 1.0 / l);
    let q = l * shrunk;
    let rest = |c: f64| (1.0 - l * c) * (1.0 + shrunk * c);
    // The derivative of the integrand's logarithm, increasing from −∞ to ∞.
    let slope = |c: f64| (2.0 * c + 1.0) * (a * q / rest(c) - 1.0 / (c * (c + 1.0))) - e;
    let c = last_true(0.0, end, |c| slope(c) <= 0.0);
    let (rest, divisor) = (rest(c), c * (c + 1.0));
    let curvature = a * (square(l / (1.0 - l * c)) + square(shrunk / (1.0 + shrunk * c)))
        + square(1.0 / c)
        + square(1.0 / (1.0 + c));
    let integral = through_saddle(1.0 / libm::sqrt(curvature), |z| {
        let change = z * (z + (2.0 * c + 1.0));
        -a * ln_1p(change * (-q / rest)) - ln_1p(change / divisor) - z * e
    });
    let power = -a * if q * divisor < 0.5 { libm::log1p(-q * divisor) } else { libm::log(rest) };
    let delta = libm::exp(power - c * e) * integral / divisor;
    // Of the exponent, and of the integrand far from c.
    let error = 1e-13 + 1e-15 * (power.abs() + c * e + libm::sqrt(r));
    raised_delta(
        if delta.is_finite() { (delta * (1.0 + error)).max(f64::MIN_POSITIVE) } else { 1.0 },
        DELTA_MARGIN,
    )
}

fn square(x: f64) -> f64 {
    x * x
}
