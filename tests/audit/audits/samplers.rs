//! T5: the samplers against their laws. Each statistic fails below p = 1e-6.

use std::num::NonZeroU64;

use discreet::audit::fit::{Fit, Sampler};
use discreet::math::special::phi_cdf;
use discreet::noise::discrete::bernoulli_exp;
use discreet::noise::entropy::DemoRng;
use discreet::noise::{law, rational};

use super::{Audit, Depth, Saw, audit, fits_with};

pub fn audits(depth: Depth) -> Vec<Audit> {
    // Draws per law.
    let n = if depth == Depth::Full { 1_000_000 } else { 250_000 };
    let scale = |s| NonZeroU64::new(s).unwrap();
    let mut all = Vec::new();
    // Variances 1, 100; 1/2, 2, 25/2.
    for s in [1, 10] {
        all.push(audit(format!("T5 diagonal {s}"), move || coarse(Sampler::Diagonal(scale(s)), n, 100 + s)));
    }
    for s in [1, 2, 5] {
        all.push(audit(format!("T5 off diagonal {s}"), move || {
            coarse(Sampler::OffDiagonal(scale(s)), n, 200 + s)
        }));
    }
    for t in [1, 3, 50] {
        all.push(audit(format!("T5 Laplace {t}"), move || coarse(Sampler::Laplace(scale(t)), n, 300 + t)));
    }
    all.push(audit("T5 coin", move || coin(n / 4)));
    for (name, sampler) in [
        ("T5 fine diagonal", Sampler::Diagonal(scale(1 << 48))),
        ("T5 fine off diagonal", Sampler::OffDiagonal(scale(1 << 48))),
    ] {
        all.push(audit(name, move || fine(sampler, n)));
    }
    for (a, b) in [(1_u8, 2_u8), (25, 2), (7, 3)] {
        all.push(audit(format!("T5 rational {a}/{b}"), move || {
            let law = law::Gaussian::new(f64::from(a) / f64::from(b));
            let fit = Fit::of_integers(|k| law.pmf(k), n / 10);
            fits(fit, n / 10, 600 + u64::from(a), |rng| rational::gaussian(rng, &a.into(), &b.into()))
        }));
    }
    all
}

fn fits(mut fit: Fit, draws: u32, seed: u64, mut draw: impl FnMut(&mut DemoRng) -> i128) -> Saw {
    let mut rng = DemoRng::new(seed, 0);
    for _ in 0..draws {
        fit.add(draw(&mut rng));
    }
    fits_with(fit.p_value().unwrap())
}

fn coarse(sampler: Sampler, draws: u32, seed: u64) -> Saw {
    fits(sampler.histogram(draws), draws, seed, |rng| sampler.draw(rng))
}

/// Two-sided probability of a standard score.
fn two_sided(score: f64) -> f64 {
    2.0 * phi_cdf(-score.abs())
}

/// The exponential coin at the rates of `bernoulli_exp.csv`.
fn coin(tosses: u32) -> Saw {
    let rates = [(1, 1), (1, 2), (3, 7), (10, 3), (25, 4), (1, 1_000_000_007), (123_456_789, 987_654_321)];
    let mut rng = DemoRng::new(400, 0);
    let scores = rates.map(|(p, q)| {
        let heads = f64::from((0..tosses).map(|_| u32::from(bernoulli_exp(&mut rng, p, q))).sum::<u32>());
        let (n, chance) = (f64::from(tosses), law::bernoulli_exp(p, q));
        (heads - n * chance) / (n * chance * (1.0 - chance)).sqrt().max(1.0)
    });
    fits_with(scores.map(two_sided).into_iter().fold(1.0, f64::min))
}

/// At a production scale: moments, 64 cells of equal probability, the low byte, the correlation of neighbours.
fn fine(sampler: Sampler, draws: u32) -> Saw {
    let (sigma, seed) = match sampler {
        Sampler::OffDiagonal(s) => (s.get() as f64 * std::f64::consts::FRAC_1_SQRT_2, 501),
        Sampler::Diagonal(s) | Sampler::Laplace(s) => (s.get() as f64, 500),
    };
    let mut rng = DemoRng::new(seed, 0);
    let (mut cells, mut bytes) = (Fit::of_equal_cells(64), Fit::of_equal_cells(256));
    let [mut first, mut second, mut fourth, mut lag, mut before] = [0.0; 5];
    for _ in 0..draws {
        let draw = sampler.draw(&mut rng);
        let x = draw as f64 / sigma;
        first += x;
        second += x * x;
        fourth += x.powi(4);
        lag += x * before;
        before = x;
        #[expect(clippy::cast_possible_truncation, reason = "from 0 to 64")]
        cells.add((phi_cdf(x) * 64.0) as i128);
        bytes.add(draw & 0xff);
    }
    let (n, root) = (f64::from(draws), f64::from(draws).sqrt());
    // Standard errors under the normal law: 1, √2, √96 over √n for the mean, the second and the fourth moment.
    let scores = [
        first / root,
        (second / n - 1.0) * root / std::f64::consts::SQRT_2,
        (fourth / n - 3.0) * root / 96.0_f64.sqrt(),
        lag / root,
    ];
    let fits = [cells.p_value().unwrap(), bytes.p_value().unwrap()];
    fits_with(scores.map(two_sided).into_iter().chain(fits).fold(1.0, f64::min))
}
