//! Discrete Laplace noise, drawn exactly by integer arithmetic (theory/noise 2.3). Trusted: there is no floating-point number in this
//! file.

#![deny(clippy::arithmetic_side_effects)]

use std::num::NonZeroU64;

use super::coins::{bernoulli, bernoulli_exp_of_fraction, uniform_below};
use super::entropy::Entropy;
use crate::privacy::mutants::{Mutant, is_active};

/// Draws noise with Pr(y) proportional to exp(−|y| / t).
pub fn laplace<E: Entropy + ?Sized>(rng: &mut E, t: NonZeroU64) -> i128 {
    loop {
        if let Some(y) = laplace_candidate(rng, u128::from(t.get())) {
            return y;
        }
    }
}

/// Draws once with Pr(y) proportional to exp(−|y| / t). `None` if the number does not fit into 128 bits.
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
