//! The second moments of random rows on a fine grid: exact sums of discrete Gaussians (theory/noise 4.3).
//!
//! Trusted: there is no floating-point number in this file.

#![deny(clippy::arithmetic_side_effects)]

use dashu_int::{IBig, UBig};

use super::entropy::Entropy;
use super::rational;
use crate::math::triangle;
use crate::privacy::mutants::{Mutant, is_active};

/// Draws the packed upper triangle of Σ g g' over `rows` rows g of `terms` discrete Gaussians with the variance `scale` in
/// squared codes, drawn in steps of 2^−`bits`; the sums are in steps of its square and exact.
pub fn random_moments<E: Entropy + ?Sized>(
    rng: &mut E,
    rows: u64,
    terms: usize,
    scale: u64,
    bits: u32,
) -> Vec<IBig> {
    let variance = UBig::from(scale) << (bits as usize).saturating_mul(2);
    let halved = if is_active(Mutant::SigmaHalved) { UBig::from(4_u8) } else { UBig::ONE };
    let mut sums = vec![IBig::ZERO; triangle::len(terms)];
    for _ in u64::from(is_active(Mutant::RandomRowFewer))..rows {
        let row: Vec<IBig> =
            (0..terms).map(|_| IBig::from(rational::gaussian(rng, &variance, &halved))).collect();
        let pairs =
            row.iter().enumerate().flat_map(|(at, left)| row.iter().skip(at).map(move |right| (left, right)));
        for (sum, (left, right)) in sums.iter_mut().zip(pairs) {
            #[expect(clippy::arithmetic_side_effects, reason = "integers of any size")]
            {
                *sum += left * right;
            }
        }
    }
    sums
}

/// Adds an exact sum in squared codes and one of random rows, and rounds to a multiple of 2^`step`, a half upwards.
/// Nothing beyond 128 bits, which the noise reaches with probability 0 in practice.
pub fn round_sum(moments: i128, noise: &IBig, bits: u32, step: usize) -> Option<i128> {
    let point = (bits as usize).saturating_mul(2);
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "integers of any size; the shifts are a few hundred bits"
    )]
    let rounded = {
        let whole = (IBig::from(moments) << point) + noise;
        let half = IBig::ONE << point.saturating_add(step).saturating_sub(1);
        ((whole + half) >> point.saturating_add(step)) << step
    };
    i128::try_from(rounded).ok()
}
