//! Uniform integers and coins, drawn exactly by integer arithmetic (theory/noise 2.1 and 2.2). Trusted: there is no floating-point
//! number in this file.

#![deny(clippy::arithmetic_side_effects)]

use super::entropy::Entropy;
use crate::privacy::mutants::{Mutant, is_active};

/// Draws a number below `m`, each with the same probability. For `m` of 0 or 1 it is 0, without a draw.
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

/// Returns true with probability p / q, and always where p >= q.
pub fn bernoulli<E: Entropy + ?Sized>(rng: &mut E, p: u128, q: u128) -> bool {
    if p == 0 {
        return false;
    }
    p >= q || uniform_below(rng, q) < p
}

/// Returns true with probability exp(−p / q), for q >= 1.
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

/// Returns true with probability exp(−p / q), for p <= q.
///
/// The loop survives k rounds with probability (p/q)^k / k!, so it ends at an odd count with probability
/// 1 − p/q + (p/q)²/2! − … . Two draws in place of one with probability p / (q k) keep the numbers within 128 bits.
pub(super) fn bernoulli_exp_of_fraction<E: Entropy + ?Sized>(rng: &mut E, p: u128, q: u128) -> bool {
    let mut count: u128 = 1;
    while bernoulli(rng, p, q) && bernoulli(rng, 1, count) {
        count = count.saturating_add(1);
    }
    (count % 2 == 1) != is_active(Mutant::BernExpParity)
}
