//! What an attacker sees of one step at the worst pairs of records (T1), and whether two steps have noise of their own (T6).

use discreet::audit::bench::Side;
use discreet::audit::signal::{Reading, Signal};
use discreet::math::round::real as float;
use discreet::noise::entropy::DemoRng;
use discreet::privacy::adjacency::Adjacency;

use super::cells;
use super::sensitivity::{errors_at, long, packed, setting, step, worst_error};

const SEED: u64 = 20_261_123;
/// Runs a side.
const RUNS: u64 = 4_000;
/// μ of the last step.
const MU: f64 = 1.0;

/// The units of μ² that give the last of three steps μ = 1: its share is 0.69.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range")]
fn units() -> u128 {
    ((1_u64 << 40) as f64 * MU * MU / 0.69) as u128
}

/// The distance between the means of the likelihood ratio, in standard deviations: at the claim where a pair is the worst, never above.
pub fn check() -> Result<String, String> {
    let (add, replace) = (Adjacency::AddRemove, Adjacency::ReplaceOne);
    let seen = [
        one(add, [1.0 - 1e-15, 0.5])?,
        one(add, [worst_error(add), 0.5])?,
        one(replace, [1.0 - 1e-15, worst_error(replace)])?,
    ];
    Ok(seen.join(", "))
}

/// A record with the first error, added, or replaced by one with the opposite features and the second error.
fn one(adjacency: Adjacency, [first, second]: [f64; 2]) -> Result<String, String> {
    let setting = setting(adjacency, 1, 1, units());
    let map = step(&setting, long(1), 1_000.0, errors_at(first, second));
    let other = match adjacency {
        Adjacency::AddRemove => Vec::new(),
        Adjacency::ReplaceOne => vec![vec![-1.0, 0.0, 0.0, 1.0]],
    };
    let [without, with] = [other, vec![vec![1.0, 0.0, 0.0, 1.0]]].map(|rows| cells(&map, &rows));
    let weights: Vec<u32> = [packed(4), vec![1; 4]].concat();
    let weights: Vec<f64> = without
        .iter()
        .zip(&with)
        .zip(weights)
        .map(|((without, with), weight)| float(with - without) * f64::from(weight))
        .collect();
    let mut signal = Signal::new(MU);
    for run in 0..RUNS {
        for side in Side::BOTH {
            let noise = setting.rounds.steps[2].draw(&mut DemoRng::new(SEED, run << 1 | side.index() as u64));
            let exact = if side.index() == 0 { &without } else { &with };
            let cells = exact.iter().zip(&noise).zip(&without);
            let score = cells
                .zip(&weights)
                .map(|(((exact, noise), known), weight)| float(exact + noise - known) * weight);
            signal.feed(side, score.sum());
        }
    }
    let found = signal.estimate().unwrap();
    let seen = format!("mu-hat {:.2} against {}, z {:.1}", found.mu, found.claim, found.excess);
    if found.reading() == Reading::At { Ok(seen) } else { Err(seen) }
}

/// The noise of two steps is uncorrelated: of n cells, n r² is chi-square with one degree of freedom, and 25 has a chance of 6e-7.
pub fn own_noise() -> Result<String, String> {
    let setting = setting(Adjacency::AddRemove, 2, 1, units());
    let (mut products, mut squares) = (0.0, [0.0, 0.0]);
    let mut count = 0_u32;
    for run in 0..200 {
        let mut rng = DemoRng::new(SEED, run);
        let drawn = [1, 2].map(|step| setting.rounds.steps[step].draw(&mut rng));
        for (one, other) in drawn[0].iter().zip(&drawn[1]) {
            let (one, other) = (float(*one), float(*other));
            products += one * other;
            squares[0] += one * one;
            squares[1] += other * other;
            count += 1;
        }
    }
    let r = products / (squares[0] * squares[1]).sqrt();
    let seen = format!("correlation {r:.4} of {count} cells");
    if f64::from(count) * r * r < 25.0 { Ok(seen) } else { Err(seen) }
}
