//! Discrete Gaussian noise of any rational variance, drawn exactly with integers of any size.
//!
//! The law and the method are those of [`super::discrete`]; only the numbers are larger. There is no floating-point
//! number in this file.

#![deny(clippy::arithmetic_side_effects)]

use dashu_int::UBig;
use dashu_int::ops::{BitTest, SquareRoot};

use super::discrete::{bernoulli, bernoulli_exp, laplace_candidate};
use super::entropy::Entropy;

/// Discrete Gaussian noise of variance parameter a / b: Pr(y) is proportional to exp(−y² b / (2 a)).
///
/// A Laplace candidate Y of scale t = ⌊√(a/b)⌋ + 1 is accepted with probability exp(−(|Y| t b − a)² / (2 a b t²))
/// (noise-and-accounting, A7). A candidate beyond 128 bits is rejected. b = 0 counts as 1, and scales of 2^120 and more
/// are cut to it: no caller has either.
pub fn gaussian<E: Entropy + ?Sized>(rng: &mut E, a: &UBig, b: &UBig) -> i128 {
    let b = if b.is_zero() { UBig::ONE } else { b.clone() };
    if a.is_zero() {
        return 0;
    }
    let t = u128::try_from((a / &b).sqrt() + UBig::ONE).unwrap_or(1 << 120).min(1 << 120);
    let big_t = UBig::from(t);
    let tb = &big_t * &b;
    let denominator = UBig::from(2_u8) * a * &big_t * &tb;
    loop {
        let Some(y) = laplace_candidate(rng, t) else { continue };
        let size = UBig::from(y.unsigned_abs()) * &tb;
        let distance = if size > *a { size - a } else { a - size };
        if bernoulli_exp_of(rng, &distance * &distance, &denominator) {
            return y;
        }
    }
}

/// True with probability exp(−p / q), for q >= 1.
fn bernoulli_exp_of<E: Entropy + ?Sized>(rng: &mut E, p: UBig, q: &UBig) -> bool {
    let mut rest = p;
    while rest > *q {
        if !bernoulli_exp(rng, 1, 1) {
            return false;
        }
        rest -= q;
    }
    let mut count: u128 = 1;
    while bernoulli_of(rng, &rest, q) && bernoulli(rng, 1, count) {
        count = count.saturating_add(1);
    }
    count % 2 == 1
}

/// True with probability p / q; true when p >= q.
fn bernoulli_of<E: Entropy + ?Sized>(rng: &mut E, p: &UBig, q: &UBig) -> bool {
    if p.is_zero() {
        return false;
    }
    p >= q || uniform_below_of(rng, q) < *p
}

/// A number below `m`, each with the same probability.
fn uniform_below_of<E: Entropy + ?Sized>(rng: &mut E, m: &UBig) -> UBig {
    if *m <= UBig::ONE {
        return UBig::ZERO;
    }
    let bits = (m - UBig::ONE).bit_len();
    let mut bytes = vec![0; bits.div_ceil(8)];
    let surplus = bits.next_multiple_of(8).abs_diff(bits);
    loop {
        rng.fill(&mut bytes);
        if let Some(last) = bytes.last_mut() {
            *last &= u8::MAX >> surplus;
        }
        let candidate = UBig::from_le_bytes(&bytes);
        if candidate < *m {
            return candidate;
        }
    }
}
