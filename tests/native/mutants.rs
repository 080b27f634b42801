//! Planted bugs that the tests of the samplers and of the ledger's rounding must catch (noise-and-accounting, D3).

use dashu_int::UBig;
use discreet::privacy::adjacency::Adjacency;
use discreet::privacy::calibrate::{NoiseScale, gaussian_charge, noise_scale, sensitivity_squared};
use discreet::privacy::mutants::{Mutant, with_planted};

use crate::samplers::{coin_score, diagonal_score, fine_score, laplace_score, off_diagonal_score};

/// Fewer draws than the tests proper: each of these bugs is far from subtle.
const N: u32 = 100_000;
/// The samplers' threshold.
const Z: f64 = 4.892;

#[test]
fn t5_catches_the_samplers_bugs() {
    let caught = |mutant, score: fn() -> f64| {
        let sound = score();
        assert!(sound < Z, "{mutant:?} is not planted, and yet {sound}");
        let planted = with_planted(mutant, score);
        assert!(planted > Z, "{mutant:?} went unnoticed: {planted}");
    };
    caught(Mutant::SigmaHalved, || diagonal_score(N, 10));
    caught(Mutant::SigmaHalved, || fine_score(N, 1 << 48, true));
    caught(Mutant::SigmaOverSqrt2, || fine_score(N, 1 << 48, false));
    caught(Mutant::OffDiagonalQuarter, || off_diagonal_score(N, 10));
    caught(Mutant::DiagonalHalf, || diagonal_score(N, 10));
    caught(Mutant::ZeroTwiceInLaplace, || laplace_score(N, 1));
    caught(Mutant::ZeroTwiceInLaplace, || diagonal_score(N, 1));
    caught(Mutant::BernExpParity, || coin_score(N));
}

/// Whether every charge covers its release and every noise scale its charge.
fn rounding_is_sound() -> bool {
    (0..200_u32).all(|step| {
        let delta_squared = (UBig::ONE << 96) - UBig::from(step) * UBig::from(1_000_003_u32);
        let units = u128::from(step) * 7_919 + (1 << 30);
        let Ok(scale) = noise_scale(&delta_squared, units) else { return false };
        let Ok(charge) = gaussian_charge(&delta_squared, scale) else { return false };
        let square = UBig::from(scale.get().get()).pow(2);
        charge <= units && UBig::from(charge) * square >= delta_squared << 40
    })
}

#[test]
fn the_ledger_s_tests_catch_its_bugs() {
    assert!(rounding_is_sound());
    assert!(!with_planted(Mutant::ChargeRoundedDown, rounding_is_sound));
    let coarse = || NoiseScale::try_new((1 << 40) - 1).is_ok();
    assert!(!coarse());
    assert!(with_planted(Mutant::CoarseGaussian, coarse));
    let swapped = || sensitivity_squared(1, 1, Adjacency::ReplaceOne, 1, true) == UBig::from(8_u8);
    assert!(swapped());
    assert!(!with_planted(Mutant::AddRemoveDeltaUnderReplaceOne, swapped));
}

#[test]
fn a_planted_bug_goes_with_its_scope() {
    let coarse = || NoiseScale::try_new(1).is_ok();
    let panicked = std::panic::catch_unwind(|| with_planted(Mutant::CoarseGaussian, || panic!("on purpose")));
    assert!(panicked.is_err() && !coarse());
}
