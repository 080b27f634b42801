//! Discrete Gaussian noise, drawn exactly by integer arithmetic (theory/noise 2.4), beside coins and discrete Laplace noise.
//!
//! Trusted: there is no floating-point number in this file. The laws are those of Canonne, Kamath and Steinke (2020).
//! A candidate whose acceptance test would leave 128 bits is rejected; at scales up to 2^55 this happens with
//! probability below e^-255, and only to candidates whose acceptance probability is below 2^-2700.

#![deny(clippy::arithmetic_side_effects)]

use std::num::NonZeroU64;

use dashu_int::UBig;

pub use super::coins::{bernoulli, bernoulli_exp, uniform_below};
use super::entropy::Entropy;
pub use super::laplace::laplace;
use super::laplace::laplace_candidate;
use super::rational;
use crate::privacy::mutants::{Mutant, is_active};

/// Largest scale of the 128-bit path; larger ones go through [`rational::gaussian`].
const FAST_LIMIT: u64 = 1 << 55;

/// Draws discrete Gaussian noise of variance parameter S²: Pr(y) is proportional to exp(−y² / (2 S²)). For cells on the
/// diagonal.
pub fn gaussian_diagonal<E: Entropy + ?Sized>(rng: &mut E, s: NonZeroU64) -> i128 {
    let s = scale(s);
    if is_active(Mutant::DiagonalHalf) { gaussian(rng, s, 2) } else { gaussian(rng, s, 1) }
}

/// Draws discrete Gaussian noise of variance parameter S²/2: Pr(y) is proportional to exp(−y² / S²). For cells off the
/// diagonal of a symmetric matrix.
pub fn gaussian_off_diagonal<E: Entropy + ?Sized>(rng: &mut E, s: NonZeroU64) -> i128 {
    let s = scale(s);
    if is_active(Mutant::OffDiagonalQuarter) { gaussian(rng, s / 2, 1) } else { gaussian(rng, s, 2) }
}

/// Returns S itself, unless a mutant is active.
fn scale(s: NonZeroU64) -> u64 {
    if is_active(Mutant::SigmaHalved) {
        s.get() / 2
    } else if is_active(Mutant::SigmaOverSqrt2) {
        (s.get() / 1000).saturating_mul(707)
    } else {
        s.get()
    }
}

/// Draws discrete Gaussian noise of variance parameter S²/v, for v = 1 or 2.
///
/// A Laplace candidate Y of scale S is accepted with probability exp(−(|Y| − S/v)² / (2 S²/v)), which is
/// exp(−(v|Y| − S)² / (2 v S²)).
fn gaussian<E: Entropy + ?Sized>(rng: &mut E, s: u64, v: u128) -> i128 {
    if s > FAST_LIMIT {
        return rational::gaussian(rng, &(UBig::from(s) * UBig::from(s)), &UBig::from(v));
    }
    let s = u128::from(s);
    // At most 4 2^110.
    let denominator = s.saturating_mul(s).saturating_mul(v).saturating_mul(2);
    loop {
        let Some(y) = laplace_candidate(rng, s) else { continue };
        let square = y.unsigned_abs().checked_mul(v).and_then(|size| {
            let distance = size.abs_diff(s);
            distance.checked_mul(distance)
        });
        if square.is_some_and(|square| bernoulli_exp(rng, square, denominator)) {
            return y;
        }
    }
}

#[cfg(test)]
mod tests;
