use super::*;
use crate::noise::entropy::DemoRng;
use crate::noise::entropy::scripted::Scripted;

fn scale(s: u64) -> NonZeroU64 {
    NonZeroU64::new(s).unwrap()
}

#[test]
fn uniform_rejects_what_is_not_below() {
    // 3 bits are kept of each byte; 7 and 6 are rejected, the surplus bits of 0xf5 are dropped.
    let mut script = Scripted(&[7, 6, 0xf5, 1]);
    assert_eq!(uniform_below(&mut script, 6), 5);
    assert_eq!(script.0, [1]);
    assert_eq!(uniform_below(&mut Scripted(&[]), 1), 0, "one choice needs no bytes");
    // 257 needs two bytes, the low one first.
    assert_eq!(uniform_below(&mut Scripted(&[0x00, 0x01]), 257), 256);
}

#[test]
fn certain_coins_draw_nothing() {
    assert!(!bernoulli(&mut Scripted(&[]), 0, 5));
    assert!(bernoulli(&mut Scripted(&[]), 5, 5));
    assert!(bernoulli_exp(&mut Scripted(&[]), 0, 5), "exp(0) is 1");
}

/// With p = q the loop goes on by the second coin alone: at count 2 a set bit ends it (even, so false); a clear bit
/// goes on to count 3, where 1 ends it (odd, so true).
const FAIL: [u8; 1] = [1];
const SUCCEED: [u8; 2] = [0, 1];

#[test]
fn the_exponential_coin_takes_each_branch() {
    assert!(!bernoulli_exp(&mut Scripted(&FAIL), 1, 1));
    assert!(bernoulli_exp(&mut Scripted(&SUCCEED), 1, 1));
    // p > q: whole rounds come first, and the first failure ends it.
    let mut script = Scripted(&[1, 9]);
    assert!(!bernoulli_exp(&mut script, 5, 2));
    assert_eq!(script.0, [9]);
    // 5/2: two whole rounds succeed, then 1/2 is drawn: 1 is not below 1, so the count stays 1, which is odd.
    assert!(bernoulli_exp(&mut Scripted(&[0, 1, 0, 1, 1]), 5, 2));
}

#[test]
fn laplace_takes_each_branch() {
    // t = 2, uniform 1, refused by exp(-1/2) (0 < 1 goes on to count 2, then 1 ends it, even); again uniform 0, which is
    // accepted at once; no success for the high part; negative zero is refused; uniform 0, high part 1, positive: 2.
    let script = [[1, 0, 1].as_slice(), &[0, 1, 0], &[0, 0, 1, 1, 1]].concat();
    let mut script = Scripted(&script);
    assert_eq!(laplace(&mut script, scale(2)), 2);
    assert!(script.0.is_empty());
    // The same with a set sign: bernoulli(1, 2) is true when the byte is 0.
    assert_eq!(laplace(&mut Scripted(&[0, 0, 1, 1, 0]), scale(2)), -2);
}

#[test]
fn a_candidate_that_leaves_128_bits_is_rejected() {
    // At S = 2^55 the candidate's high part is 1023, so |Y| is about 2^65 and its square does not fit: rejected without
    // a draw. The next candidate is S itself, at distance 0, and accepted at once.
    let zero = [0; 7];
    let far = [zero.to_vec(), SUCCEED.repeat(1023), FAIL.to_vec(), vec![1]].concat();
    let near = [zero.to_vec(), SUCCEED.to_vec(), FAIL.to_vec(), vec![1]].concat();
    let both = [far, near].concat();
    let mut script = Scripted(&both);
    assert_eq!(gaussian_diagonal(&mut script, scale(1 << 55)), 1 << 55);
    assert!(script.0.is_empty());
}

#[test]
fn a_large_scale_takes_the_wide_path() {
    let mut rng = DemoRng::new(1, 0);
    let draws: Vec<i128> = (0..50).map(|_| gaussian_off_diagonal(&mut rng, scale(u64::MAX))).collect();
    let size = draws.iter().map(|y| y.unsigned_abs()).max().unwrap();
    assert!(size > 1 << 62 && size < 1 << 68, "{size}");
}

/// The first outputs for a fixed seed. The browser must give the same, bit for bit.
#[test]
fn golden_stream() {
    let mut rng = DemoRng::new(20_261_120, 7);
    let lines = include_str!("golden.txt").lines().skip(1);
    for line in lines {
        let expected: Vec<i128> = line.split(' ').map(|number| number.parse().unwrap()).collect();
        let seen = [
            gaussian_diagonal(&mut rng, scale(1 << 48)),
            gaussian_off_diagonal(&mut rng, scale(1 << 48)),
            laplace(&mut rng, scale(1000)),
            gaussian_diagonal(&mut rng, scale(1)),
        ];
        assert_eq!(seen.as_slice(), expected);
    }
}
