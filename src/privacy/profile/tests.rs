use std::num::NonZeroU32;

use super::*;
pub(super) use crate::math::of_tests::close;
use crate::privacy::adjacency::Adjacency::{self, AddRemove, ReplaceOne};
pub(super) use crate::privacy::measure::of_tests::{delta, epsilon};

const BOTH: [Adjacency; 2] = [AddRemove, ReplaceOne];

pub(super) fn rows(count: u32) -> NonZeroU32 {
    NonZeroU32::new(count).unwrap()
}

/// Asserts that `x` is as printed: equal after rounding to the last digit that is given.
pub(super) fn printed(x: f64, text: &str) {
    let digits = text.split_once('.').map_or(0, |(_, digits)| digits.len());
    assert_eq!(format!("{x:.digits$}").trim_start_matches('0'), text.trim_start_matches('0'), "{x}");
}

#[test]
fn calibrations_are_tight_and_on_the_safe_side() {
    for (e, d) in [(0.1, 1e-5), (1.0, 1e-6), (4.0, 1e-9), (30.0, 1e-12)] {
        let (epsilon, delta) = (epsilon(e), delta(d));
        for adjacency in BOTH {
            for r in [1, 11, 200, 1_000_000, 1_000_000_000] {
                let scale = sketch_ridge(epsilon, delta, rows(r), adjacency).unwrap();
                let at = |leverage| sketch_delta(epsilon, leverage, rows(r), adjacency).unwrap();
                assert!(at(1.0 / scale) <= delta, "{e} {d} {r} {adjacency}");
                assert!(at((1.0 + 1e-6) / scale) > delta, "{e} {d} {r} {adjacency}");
                let back = sketch_epsilon(delta, scale, rows(r), adjacency).unwrap();
                close(back.get(), e, 1e-6);
            }
            for (k, p) in [(13, 11), (51, 11), (650, 11), (1_000_000, 50)] {
                let noise = WishartNoise::try_new(k, p).unwrap();
                let scale = aw_w2_over_r2(epsilon, delta, noise, adjacency).unwrap();
                let at = |change| additive_wishart_delta(epsilon, change, noise, adjacency).unwrap();
                assert!(at(1.0 / scale) <= delta, "{e} {d} {k} {adjacency}");
                assert!(at((1.0 + 1e-6) / scale) > delta, "{e} {d} {k} {adjacency}");
                let back = additive_wishart_epsilon(delta, 1.0 / scale, noise, adjacency).unwrap();
                assert!(back <= epsilon);
                let below = Epsilon::try_new(back.get() * (1.0 - 1e-6)).unwrap();
                assert!(additive_wishart_delta(below, 1.0 / scale, noise, adjacency).unwrap() > delta);
            }
        }
    }
}

#[test]
fn curves_grow_with_the_change_and_shrink_with_epsilon() {
    let noise = WishartNoise::try_new(40, 6).unwrap();
    let mut before: Option<[Delta; 4]> = None;
    for step in -40..=40 {
        let change = libm::exp(f64::from(step) / 4.0);
        let at = |e: f64| {
            let of = |adjacency| {
                [
                    sketch_delta(epsilon(e), change, rows(20), adjacency).unwrap(),
                    additive_wishart_delta(epsilon(e), change, noise, adjacency).unwrap(),
                ]
            };
            let ([a, b], [c, d]) = (of(AddRemove), of(ReplaceOne));
            assert!(a <= c && b <= d, "replacing costs more");
            [a, b, c, d]
        };
        let (now, later) = (at(0.5), at(0.6));
        // Where both are nearly 1 they may be equal.
        assert!(now.iter().zip(&later).all(|(now, later)| later <= now));
        assert!(before.is_none_or(|before| before.iter().zip(&now).all(|(before, now)| before <= now)));
        before = Some(now);
    }
}

#[test]
fn the_ends() {
    let (one, row) = (epsilon(1.0), NonZeroU32::MIN);
    let noise = WishartNoise::try_new(13, 11).unwrap();
    for adjacency in BOTH {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let wrong = |error| matches!(error, ProfileError::NotPositive { .. });
            assert!(wrong(sketch_delta(one, bad, row, adjacency).unwrap_err()));
            assert!(wrong(additive_wishart_delta(one, bad, noise, adjacency).unwrap_err()));
            assert!(wrong(sketch_rows(one, delta(1e-6), bad, adjacency).unwrap_err()));
            assert!(wrong(sketch_epsilon(delta(1e-6), bad, row, adjacency).unwrap_err()));
            assert!(wrong(additive_wishart_epsilon(delta(1e-6), bad, noise, adjacency).unwrap_err()));
            assert!(wrong(additive_wishart_degrees(one, delta(1e-6), 3, bad, adjacency).unwrap_err()));
        }
        for tiny in [1e-9, 1e-40, 1e-150] {
            assert!(
                sketch_delta(one, tiny, row, adjacency).unwrap() > Delta::ZERO,
                "an underflow is no zero"
            );
        }
        for r in [row, MOST_ROWS] {
            assert!(sketch_delta(one, 1e150, r, adjacency).unwrap().get() > 0.999);
        }
        assert!(additive_wishart_delta(one, 1e9, noise, adjacency).unwrap().get() > 0.999);
        assert_eq!(sketch_ridge(one, Delta::ZERO, row, adjacency), Err(ConversionError::DeltaZero.into()));
        assert_eq!(sketch_epsilon(Delta::ZERO, 1.0, row, adjacency), Err(ConversionError::DeltaZero.into()));
        let degrees = |d| additive_wishart_degrees(one, delta(d), 11, 1.0, adjacency);
        assert_eq!(degrees(0.0), Err(ConversionError::DeltaZero.into()));
        assert_eq!(degrees(1.0), Err(ConversionError::DeltaOne.into()));
        assert_eq!(degrees(0.999_999).map(WishartNoise::degrees), Ok(13));
    }
    assert!(WishartNoise::try_new(12, 11).is_err() && WishartNoise::try_new(13, 11).is_ok());
    assert!(WishartNoise::try_new(u32::MAX, u32::MAX).is_err() && WishartNoise::try_new(2, 0).is_err());
    // At ε = 0 two terms cancel, and what is uncertain of them is above such a δ.
    let tiny = delta(1e-15);
    assert_eq!(sketch_ridge(Epsilon::ZERO, tiny, row, AddRemove), Err(ProfileError::NoScale));
    assert!(
        sketch_ridge(Epsilon::ZERO, tiny, row, ReplaceOne).is_ok(),
        "one integral has no terms that cancel"
    );
    assert_eq!(
        additive_wishart_degrees(Epsilon::ZERO, tiny, 3, 1.0, ReplaceOne),
        Err(ProfileError::NoDegrees)
    );
    assert!(additive_wishart_degrees(one, delta(1e-6), 0, 1.0, AddRemove).is_err());
    // Two degrees beyond the dimension: one release in thirty lies where the other table has none (theory/wishart 3.3).
    assert_eq!(additive_wishart_epsilon(delta(1e-6), 1.0, noise, AddRemove), Err(ProfileError::NoEpsilon));
}

#[test]
fn golden_numbers_of_replacing() {
    let at =
        |e, r, leverage, adjacency| sketch_delta(epsilon(e), leverage, rows(r), adjacency).unwrap().get();
    close(at(1.0, 40, 1.0 / 28.65, ReplaceOne), 9.996_098_785_577_268e-7, 1e-11);
    close(at(1.0, 40, 1.0 / 28.65, AddRemove), 7.244_94e-8, 1e-6);
    close(at(0.5, 1010, 0.004, ReplaceOne), 1.606_361_488_007_758_9e-6, 1e-11);
    close(at(0.1, 20, 0.1, ReplaceOne), 0.127_827_930_466_927_5, 1e-11);
    // Two rows are exponential variables, and δ is l e^(−ε/l)/(2 + l).
    for (e, l) in [(0.0, 0.5), (1.0, 0.05), (4.0, 0.05), (0.1, 30.0), (3.0, 1e-2)] {
        close(at(e, 2, l, ReplaceOne), libm::exp(-e / l) * l / (2.0 + l), 1e-11);
    }
    // Monte Carlo of whole matrices, theory/wishart 3.1.
    for (e, replace, remove) in
        [(0.25, "0.10143", "0.0616"), (0.5, "0.04801", "0.0251"), (1.0, "0.00774", "0.00320")]
    {
        printed(at(e, 12, 0.15, ReplaceOne), replace);
        printed(at(e, 12, 0.15, AddRemove), remove);
    }
}

#[test]
fn ridges_as_printed() {
    // Sheffet, table 4.2: rows, then replace-one and add-remove at ε = 0.1, 0.5, 1, 2. One is rounded down there, from
    // 11481.5487 (to 40 digits, δ at 11481.548 is above 1e-6).
    let table = [
        (10, ["139.6", "31.7", "16.7", "8.8"], ["127.6", "29.2", "15.4", "8.1"]),
        (40, ["244.7", "54.7", "28.6", "15.0"], ["207.6", "46.9", "24.7", "13.0"]),
        (100, ["373.1", "83.0", "43.4", "22.8"], ["301.4", "67.7", "35.5", "18.7"]),
        (1_005, ["1153.9", "255.9", "134.0", "70.5"], [""; 4]),
        (1_020, ["1162.4", "257.8", "135.0", "71.1"], [""; 4]),
        (1_050, ["1179.3", "261.5", "136.9", "72.1"], [""; 4]),
        (10_020, ["3634.7", "806.4", "422.6", "222.9"], [""; 4]),
        (100_020, ["11482", "2547.9", "1335.7", "704.9"], [""; 4]),
    ];
    for (r, replace, remove) in table {
        for (adjacency, texts) in [(ReplaceOne, replace), (AddRemove, remove)] {
            for (e, text) in [0.1, 0.5, 1.0, 2.0].into_iter().zip(texts) {
                if !text.is_empty() {
                    printed(sketch_ridge(epsilon(e), delta(1e-6), rows(r), adjacency).unwrap(), text);
                }
            }
        }
    }
}

#[test]
fn the_most_rows_for_a_ridge() {
    for adjacency in BOTH {
        for ridge in [8.0, 28.7, 700.0, 2e4] {
            let ridge_of = |r| sketch_ridge(epsilon(1.0), delta(1e-6), r, adjacency).unwrap();
            let most = sketch_rows(epsilon(1.0), delta(1e-6), ridge, adjacency).unwrap();
            let Some(most) = most else {
                assert!(ridge_of(NonZeroU32::MIN) > ridge);
                continue;
            };
            let more = most.checked_add(1 + most.get() / 100_000_000).unwrap();
            assert!(ridge_of(most) <= ridge && ridge_of(more) > ridge);
        }
        assert_eq!(sketch_rows(epsilon(1.0), delta(1e-6), 1e9, adjacency), Ok(Some(MOST_ROWS)));
    }
    assert_eq!(sketch_rows(epsilon(1.0), delta(1e-6), 28.65, ReplaceOne), Ok(NonZeroU32::new(40)));
}

#[test]
fn degrees_of_freedom_as_printed() {
    // theory/wishart 4.3: add-remove and the bound for replace-one at p = 5, 20, 50. The bounds there were not the fewest at
    // ε = 0.1 (2667) and 2 (35): to 30 digits, δ is 9.996e-7 at 2661 with e₁ = 0.047, and 9.57e-7 at 34 with e₁ = 0.32.
    for (e, remove, bound) in [
        (0.1, [848, 863, 893], [2661, 2676, 2706]),
        (0.5, [90, 105, 135], [158, 173, 203]),
        (1.0, [47, 62, 92], [63, 78, 108]),
        (2.0, [31, 46, 76], [34, 49, 79]),
    ] {
        for (adjacency, expected) in [(AddRemove, remove), (ReplaceOne, bound)] {
            for (p, k) in [5, 20, 50].into_iter().zip(expected) {
                let noise = additive_wishart_degrees(epsilon(e), delta(1e-6), p, 1.0, adjacency).unwrap();
                assert_eq!(noise.degrees(), k, "{e} {p} {adjacency}");
            }
        }
    }
}

#[test]
fn degrees_of_freedom_suffice_and_one_less_does_not() {
    for adjacency in BOTH {
        for (e, d) in [(0.1, 1e-6), (1.0, 1e-9), (3.0, 1e-5)] {
            for ratio in [0.1, 1.0, 10.0] {
                let noise = additive_wishart_degrees(epsilon(e), delta(d), 6, ratio, adjacency).unwrap();
                let at = |noise| additive_wishart_delta(epsilon(e), ratio, noise, adjacency).unwrap();
                assert!(at(noise) <= delta(d));
                if let Ok(less) = WishartNoise::try_new(noise.degrees() - 1, 6) {
                    assert!(at(less) > delta(d), "{e} {d} {ratio} {adjacency}");
                }
            }
        }
    }
}

#[test]
fn golden_numbers_of_additive_noise() {
    let noise = WishartNoise::try_new(37, 1).unwrap();
    assert!((noise.beyond() - 37.0).abs() < 1e-12);
    close(noise.with(0.25, 1.0), 1.141_351_5e-5, 1e-7);
    close(noise.without(0.25, 1.0), 4.135_046_3e-3, 1e-7);
    let noise = WishartNoise::try_new(45, 1).unwrap();
    close(noise.without(1.0, 1.0), 5.855_53e-7, 1e-6);
    // Monte Carlo of whole matrices, theory/wishart 3.3, d = 4, k = 40.
    let noise = WishartNoise::try_new(40, 4).unwrap();
    let at = |e, adjacency| additive_wishart_delta(epsilon(e), 1.0, noise, adjacency).unwrap().get();
    for (e, remove, bound) in
        [(0.1, "0.01870", "0.0558"), (0.25, "0.00414", "0.0215"), (0.5, "0.00034", "0.0032")]
    {
        printed(at(e, AddRemove), remove);
        printed(at(e, ReplaceOne), bound);
    }
}

/// Returns the Rényi divergence of the sketch under `replace-one`, for (α − 1) l < 1 (theory/wishart 3.1).
fn renyi(alpha: f64, r: f64, l: f64) -> f64 {
    let sum = libm::log1p(l) - libm::log1p(-(alpha - 1.0) * l) - libm::log1p(alpha * l);
    r / (2.0 * (alpha - 1.0)) * sum
}

#[test]
fn no_ridge_is_above_that_of_the_renyi_divergence() {
    for (alpha, expected) in [(2.0, 0.034_982_032_0), (3.0, 0.052_565_097_2), (10.0, 0.182_011_739_1)] {
        close(renyi(alpha, 40.0, 0.03), expected, 2e-9);
    }
    // ε at δ by the best order, a valid bound at each.
    let bound = |r: f64, l: f64, d: f64| {
        (1..4000)
            .map(|step| 1.0 + f64::from(step) / 4000.0 / l)
            .map(|alpha| {
                renyi(alpha, r, l) + libm::log1p(-1.0 / alpha)
                    - (libm::log(d) + libm::log(alpha)) / (alpha - 1.0)
            })
            .fold(f64::INFINITY, f64::min)
    };
    close(bound(40.0, 0.03, 1e-6), 0.942_76, 1e-5);
    for r in [1, 10, 40, 1_000, 1_000_000_000] {
        for e in [0.1, 1.0, 4.0] {
            for d in [1e-5, 1e-9] {
                let ridge = sketch_ridge(epsilon(e), delta(d), rows(r), ReplaceOne).unwrap();
                let at = |factor: f64| bound(f64::from(r), 1.0 / (ridge * factor), d);
                assert!(at(1.0) > e && at(2.0) < e, "{r} {e} {d}: {} {}", at(1.0), at(2.0));
            }
        }
    }
}
