//! The samplers against their laws (noise-and-accounting, D2, T5).
//!
//! Seeds are fixed, so a run is the same everywhere. Each statistic fails below p = 1e-6; about 20 are looked at, so a
//! sampler that is right would fail for one seed in 50,000. The tails of chi-square are Wilson and Hilferty's, close
//! enough at this level.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::num::NonZeroU64;

use discreet::math::special::{normal_quantile, phi_cdf};
use discreet::noise::discrete::{bernoulli_exp, gaussian_diagonal, gaussian_off_diagonal, laplace};
use discreet::noise::entropy::DemoRng;
use discreet::noise::{law, rational};

/// Draws per law.
const N: u32 = 1_000_000;
/// Two-sided normal quantile for p = 1e-6.
const Z: f64 = 4.892;

fn scale(s: u64) -> NonZeroU64 {
    NonZeroU64::new(s).unwrap()
}

/// Standard score of a chi-square statistic; large means a bad fit.
fn chi_square_score(statistic: f64, degrees: usize) -> f64 {
    let spread = 2.0 / (9.0 * degrees as f64);
    (libm::cbrt(statistic / degrees as f64) - (1.0 - spread)) / libm::sqrt(spread)
}

/// Score of a sample against a law, over the cells that expect at least 20 and the two tails beyond them.
fn fit(samples: &[i128], pmf: impl Fn(i32) -> f64) -> f64 {
    let n = samples.len() as f64;
    let edge = (0..).find(|k| n * pmf(*k) < 20.0).unwrap() - 1;
    let mut counts = vec![0_u32; usize::try_from(2 * edge + 3).unwrap()];
    for sample in samples {
        let cell = (*sample).clamp(i128::from(-edge - 1), i128::from(edge + 1)) + i128::from(edge + 1);
        counts[usize::try_from(cell).unwrap()] += 1;
    }
    let inside: f64 = (-edge..=edge).map(&pmf).sum();
    let tail = (1.0 - inside) / 2.0;
    let expected = std::iter::once(tail).chain((-edge..=edge).map(pmf)).chain([tail]);
    // A tail that expects less than 20 is too thin for the statistic.
    let cells: Vec<(f64, u32)> = expected.zip(counts).filter(|(p, _)| n * p >= 20.0).collect();
    let statistic = cells.iter().map(|(p, count)| (f64::from(*count) - n * p).powi(2) / (n * p)).sum();
    chi_square_score(statistic, cells.len() - 1)
}

fn draws(n: u32, seed: u64, draw: impl Fn(&mut DemoRng) -> i128) -> Vec<i128> {
    let mut rng = DemoRng::new(seed, 0);
    (0..n).map(|_| draw(&mut rng)).collect()
}

/// Score of `gaussian_diagonal(s)`, variance s².
pub fn diagonal_score(n: u32, s: u64) -> f64 {
    let law = law::Gaussian::new((s * s) as f64);
    fit(&draws(n, 100 + s, |rng| gaussian_diagonal(rng, scale(s))), |k| law.pmf(k))
}

/// Score of `gaussian_off_diagonal(s)`, variance s²/2.
pub fn off_diagonal_score(n: u32, s: u64) -> f64 {
    let law = law::Gaussian::new((s * s) as f64 / 2.0);
    fit(&draws(n, 200 + s, |rng| gaussian_off_diagonal(rng, scale(s))), |k| law.pmf(k))
}

/// Score of `laplace(t)`.
pub fn laplace_score(n: u32, t: u64) -> f64 {
    fit(&draws(n, 300 + t, |rng| laplace(rng, scale(t))), |k| law::laplace_pmf(t as f64, f64::from(k)))
}

/// Largest score of the exponential coin at the rates of `bernoulli_exp.csv`.
pub fn coin_score(n: u32) -> f64 {
    let rates = [(1, 1), (1, 2), (3, 7), (10, 3), (25, 4), (1, 1_000_000_007), (123_456_789, 987_654_321)];
    let mut rng = DemoRng::new(400, 0);
    let mut worst: f64 = 0.0;
    for (p, q) in rates {
        let hits = (0..n).filter(|_| bernoulli_exp(&mut rng, p, q)).count() as f64;
        let probability = law::bernoulli_exp(p, q);
        let sd = libm::sqrt(f64::from(n) * probability * (1.0 - probability)).max(1.0);
        worst = worst.max((hits - f64::from(n) * probability).abs() / sd);
    }
    worst
}

/// Largest score at a production scale: moments, 64 cells of equal probability, low byte, correlation of neighbours.
pub fn fine_score(n: u32, s: u64, off_diagonal: bool) -> f64 {
    let sigma = if off_diagonal { s as f64 * std::f64::consts::FRAC_1_SQRT_2 } else { s as f64 };
    let samples = draws(n, 500 + u64::from(off_diagonal), |rng| {
        if off_diagonal { gaussian_off_diagonal(rng, scale(s)) } else { gaussian_diagonal(rng, scale(s)) }
    });
    let count = samples.len() as f64;
    let standard: Vec<f64> = samples.iter().map(|sample| *sample as f64 / sigma).collect();
    let moment = |power: i32| standard.iter().map(|x| x.powi(power)).sum::<f64>() / count;
    let lag: f64 = standard.windows(2).map(|two| two[0] * two[1]).sum::<f64>() / count;
    let root = libm::sqrt(count);
    // Standard errors under the normal law: 1, √2, √96 over √n for the mean, the second and the fourth moment.
    let mut scores = vec![
        moment(1).abs() * root,
        (moment(2) - 1.0).abs() * root / std::f64::consts::SQRT_2,
        (moment(4) - 3.0).abs() * root / libm::sqrt(96.0),
        lag.abs() * root,
    ];
    let mut cells = [0_u32; 64];
    let mut bytes = [0_u32; 256];
    for (x, sample) in standard.iter().zip(&samples) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 64")]
        let cell = (phi_cdf(*x) * 64.0) as usize;
        cells[cell.min(63)] += 1;
        bytes[usize::from(sample.to_le_bytes()[0])] += 1;
    }
    for counts in [&cells[..], &bytes[..]] {
        let expected = count / counts.len() as f64;
        let statistic = counts.iter().map(|seen| (f64::from(*seen) - expected).powi(2) / expected).sum();
        scores.push(chi_square_score(statistic, counts.len() - 1));
    }
    scores.into_iter().fold(0.0, f64::max)
}

#[test]
fn coarse_gaussians_have_their_law() {
    for s in [1, 10] {
        let score = diagonal_score(N, s);
        assert!(score < Z, "variance {}: {score}", s * s);
    }
    for s in [1, 2, 5] {
        let score = off_diagonal_score(N, s);
        assert!(score < Z, "variance {}/2: {score}", s * s);
    }
}

#[test]
fn laplace_has_its_law() {
    for t in [1, 3, 50] {
        let score = laplace_score(N, t);
        assert!(score < Z, "scale {t}: {score}");
    }
}

#[test]
fn the_exponential_coin_has_its_law() {
    let score = coin_score(N / 4);
    assert!(score < Z, "{score}");
}

#[test]
fn fine_gaussians_look_normal() {
    for off_diagonal in [false, true] {
        let score = fine_score(N, 1 << 48, off_diagonal);
        assert!(score < Z, "off the diagonal {off_diagonal}: {score}");
    }
}

#[test]
fn rational_gaussians_have_their_law() {
    for (a, b) in [(1_u8, 2_u8), (25, 2), (7, 3)] {
        let law = law::Gaussian::new(f64::from(a) / f64::from(b));
        let samples = draws(N / 10, 600 + u64::from(a), |rng| rational::gaussian(rng, &a.into(), &b.into()));
        let score = fit(&samples, |k| law.pmf(k));
        assert!(score < Z, "variance {a}/{b}: {score}");
    }
}

#[test]
fn the_scores_notice_a_wrong_law() {
    // The least error of the variance that the many cells of this statistic surely show is 2 %.
    let law = law::Gaussian::new(102.0);
    let samples = draws(N, 700, |rng| gaussian_diagonal(rng, scale(10)));
    assert!(fit(&samples, |k| law.pmf(k)) > Z);
    assert!((chi_square_score(30.0, 10) - 3.13).abs() < 0.1, "p of 30 at 10 degrees is 0.00086");
    assert!((normal_quantile(1.0 - 5e-7) - Z).abs() < 1e-3);
}
