//! Computes known answers whenever a worker starts. Some browser versions computed wrongly, and no budget must be spent on one of
//! them.

use std::num::NonZeroU64;

use crate::audit::bench::Side;
use crate::audit::chain::{Chain, chain_pairs};
use crate::data::Moments;
use crate::noise::discrete;
use crate::noise::entropy::DemoRng;
use crate::words;

/// A computation with a wrong result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", crate::words::error::self_check(.0))]
pub struct SelfCheckError(&'static str);

/// Computes known answers.
///
/// # Errors
/// [`SelfCheckError`] with the first wrong one.
pub fn run() -> Result<(), SelfCheckError> {
    let check = |holds: bool, what| if holds { Ok(()) } else { Err(SelfCheckError(what)) };
    let bits = [0.5_f64, -1.25, -8.0, 3.0].map(|x| libm::erfc(x).to_bits());
    check(bits == ERFC, words::failure::check_error_function())?;
    check(
        libm::exp(-0.7).to_bits() == EXP && libm::log(1e-6).to_bits() == LOG,
        words::failure::check_exponentials(),
    )?;
    check(draws() == DRAWS, words::failure::check_noise())?;
    check(sums() == SUMS, words::failure::check_sums())?;
    check(last_round() == Some(LAST), words::failure::check_coordinates())
}

/// erfc at 0.5, −1.25, −8 and 3.
const ERFC: [u64; 4] = [
    4_602_309_526_204_327_004, 4_611_338_791_473_733_376, 4_611_686_018_427_387_904,
    4_537_141_189_048_222_249,
];
/// exp(−0.7).
const EXP: u64 = 4_602_617_305_474_356_546;
/// ln(10^−6).
const LOG: u64 = 13_847_339_095_934_631_840;
/// Draws from the stream of seed 1, run 1.
const DRAWS: [i128; 4] = [2, 58_305_482_639_957, -21_948_987_935_353, 16_137_647_835_170];
/// Cells of the sums below.
const SUMS: [i128; 3] = [4_785_074_604_081_152_000, 1_594_029_162_996_170_752, 4_780_227_911_391_993_500];

/// The last cells of a release of five rounds.
const LAST: [i128; 3] = [2_326_159_995_963_937_957, -67_876_200_545_202, 2_492_897_005_768_080_521];

fn draws() -> [i128; 4] {
    let mut rng = DemoRng::new(1, 1);
    let small = NonZeroU64::MIN.saturating_add(6);
    let large = NonZeroU64::MIN.saturating_add((1 << 46) - 1);
    [
        discrete::laplace(&mut rng, small),
        discrete::gaussian_diagonal(&mut rng, large),
        discrete::gaussian_off_diagonal(&mut rng, large),
        discrete::gaussian_diagonal(&mut rng, large),
    ]
}

/// Sums more rows than one block holds, at the largest coordinates, so that carries occur.
fn sums() -> [i128; 3] {
    let mut moments = Moments::new(2);
    for row in 0..17_000 {
        let sign = if row % 3 == 0 { -1 } else { 1 };
        moments.add(&[1 << 24, sign * ((1 << 24) - row)]);
    }
    [moments.get(0, 0), moments.get(0, 1), moments.get(1, 1)]
}

/// Releases five rounds, of which each maps records by the answers of those before it.
fn last_round() -> Option<[i128; 3]> {
    let pair = chain_pairs().into_iter().next()?;
    let rounds = Chain::unweighted(&pair, 1, 1).ok()?.release(Side::With, 0).ok()?;
    <[i128; 3]>::try_from(rounds.last()?.cells.as_slice()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_answers_hold() {
        assert_eq!(run(), Ok(()));
    }
}
