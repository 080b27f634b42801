//! Discrete Laplace and Gaussian noise, drawn exactly by integer arithmetic (noise-and-accounting, A7).
//!
//! Trusted: there is no floating-point number in this file. The laws are those of Canonne, Kamath and Steinke (2020).
//! A candidate whose acceptance test would leave 128 bits is rejected; at scales up to 2^55 this happens with
//! probability below e^-255, and only to candidates whose acceptance probability is below 2^-2700.

#![deny(clippy::arithmetic_side_effects)]

use std::num::NonZeroU64;

use dashu_int::UBig;

use super::entropy::Entropy;
use super::rational;
use crate::privacy::mutants::{Mutant, is_active};

/// Largest scale of the 128-bit path; larger ones go through [`rational::gaussian`].
const FAST_LIMIT: u64 = 1 << 55;

/// A number below `m`, each with the same probability. 0 and 1 answer 0 without drawing.
pub fn uniform_below<E: Entropy + ?Sized>(rng: &mut E, m: u128) -> u128 {
    if m <= 1 {
        return 0;
    }
    let zeros = m.saturating_sub(1).leading_zeros();
    let length = u128::BITS.saturating_sub(zeros).div_ceil(8) as usize;
    let mask = u128::MAX.unbounded_shr(zeros);
    loop {
        let mut bytes = [0; 16];
        rng.fill(&mut bytes[..length]);
        let candidate = u128::from_le_bytes(bytes) & mask;
        if candidate < m {
            return candidate;
        }
    }
}

/// True with probability p / q; true when p >= q.
pub fn bernoulli<E: Entropy + ?Sized>(rng: &mut E, p: u128, q: u128) -> bool {
    if p == 0 {
        return false;
    }
    p >= q || uniform_below(rng, q) < p
}

/// True with probability exp(−p / q), for q >= 1.
pub fn bernoulli_exp<E: Entropy + ?Sized>(rng: &mut E, p: u128, q: u128) -> bool {
    let mut rest = p;
    while rest > q && !is_active(Mutant::ExpLoopDropped) {
        if !bernoulli_exp_of_fraction(rng, 1, 1) {
            return false;
        }
        rest = rest.saturating_sub(q);
    }
    bernoulli_exp_of_fraction(rng, rest, q)
}

/// True with probability exp(−p / q), for p <= q.
///
/// The loop survives k rounds with probability (p/q)^k / k!, so it ends at an odd count with probability
/// 1 − p/q + (p/q)²/2! − … . Two draws in place of one with probability p / (q k) keep the numbers within 128 bits.
fn bernoulli_exp_of_fraction<E: Entropy + ?Sized>(rng: &mut E, p: u128, q: u128) -> bool {
    let mut count: u128 = 1;
    while bernoulli(rng, p, q) && bernoulli(rng, 1, count) {
        count = count.saturating_add(1);
    }
    (count % 2 == 1) != is_active(Mutant::BernExpParity)
}

/// Noise with Pr(y) proportional to exp(−|y| / t).
pub fn laplace<E: Entropy + ?Sized>(rng: &mut E, t: NonZeroU64) -> i128 {
    loop {
        if let Some(y) = laplace_candidate(rng, u128::from(t.get())) {
            return y;
        }
    }
}

/// One draw with Pr(y) proportional to exp(−|y| / t), or `None` if it does not fit into 128 bits.
pub(super) fn laplace_candidate<E: Entropy + ?Sized>(rng: &mut E, t: u128) -> Option<i128> {
    loop {
        let low = uniform_below(rng, t);
        if !bernoulli_exp_of_fraction(rng, low, t) {
            continue;
        }
        let mut high: u128 = 0;
        while bernoulli_exp_of_fraction(rng, 1, 1) {
            high = high.saturating_add(1);
        }
        let negative = bernoulli(rng, 1, 2);
        let size = t.checked_mul(high).and_then(|product| product.checked_add(low));
        // 0 has two signs and must be counted once.
        if negative && size == Some(0) && !is_active(Mutant::ZeroTwiceInLaplace) {
            continue;
        }
        let size = i128::try_from(size?).ok()?;
        return Some(if negative { size.saturating_neg() } else { size });
    }
}

/// Discrete Gaussian noise of variance parameter S²: Pr(y) is proportional to exp(−y² / (2 S²)). For cells on the
/// diagonal.
pub fn gaussian_diagonal<E: Entropy + ?Sized>(rng: &mut E, s: NonZeroU64) -> i128 {
    let s = scale(s);
    if is_active(Mutant::DiagonalHalf) { gaussian(rng, s, 2) } else { gaussian(rng, s, 1) }
}

/// Discrete Gaussian noise of variance parameter S²/2: Pr(y) is proportional to exp(−y² / S²). For cells off the
/// diagonal of a symmetric matrix.
pub fn gaussian_off_diagonal<E: Entropy + ?Sized>(rng: &mut E, s: NonZeroU64) -> i128 {
    let s = scale(s);
    if is_active(Mutant::OffDiagonalQuarter) { gaussian(rng, s / 2, 1) } else { gaussian(rng, s, 2) }
}

/// S itself, unless a bug is planted.
fn scale(s: NonZeroU64) -> u64 {
    if is_active(Mutant::SigmaHalved) {
        s.get() / 2
    } else if is_active(Mutant::SigmaOverSqrt2) {
        (s.get() / 1000).saturating_mul(707)
    } else {
        s.get()
    }
}

/// Discrete Gaussian noise of variance parameter S²/v, for v = 1 or 2.
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
