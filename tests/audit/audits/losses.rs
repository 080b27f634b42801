//! What an attacker sees of the worst-case pairs (T1 to T4), and the noise of a release as a whole (T6).

use std::collections::BTreeSet;

use discreet::audit::bench::{Bench, Side};
use discreet::audit::covariance::{self, Covariance};
use discreet::audit::direct::delta_lower;
use discreet::audit::estimate::Level;
use discreet::audit::fit::Fit;
use discreet::audit::one_run::{self, OneRun};
use discreet::audit::pairs::{MU, Pair, many_outcomes, pairs, with_constant};
use discreet::audit::signal::{CERTAIN, Reading, Signal};
use discreet::audit::threshold::HeldOut;
use discreet::data::Moments;
use discreet::model::Shape;
use discreet::privacy::convert::{gdp_delta, gdp_epsilon};
use discreet::privacy::measure::{Delta, Epsilon, Mu};

use super::{Audit, Saw, audit, fits_with, judged};

const SEED: u64 = 20_261_121;
/// Runs a side of T1.
const SIGNAL_RUNS: u32 = 4_000;
/// Runs a side of T2 and T4.
const THRESHOLD_RUNS: u32 = 20_000;
/// 1 − confidence of T2 and T4 (theory/audit 3).
const ALPHA: f64 = 1e-3;
/// Pairs that attain the sensitivity: far below the claim would be wasted accuracy.
const TIGHT: [&str; 12] = ["P1", "P2", "P3", "P4", "P5", "P8", "P9", "P12", "P13", "P14", "P16", "P17"];

pub fn audits() -> Vec<Audit> {
    let names: BTreeSet<(usize, &str)> =
        pairs(Shape::Goe).iter().map(|pair| (pair.name.len(), pair.name)).collect();
    let mut all = Vec::new();
    for (suffix, shape) in [("", Shape::Goe), (" iid", Shape::Iid)] {
        for &(_, name) in &names {
            all.push(audit(format!("T1 {name}{suffix}"), move || signal(name, shape)));
        }
    }
    for Pair { name, .. } in many_outcomes() {
        all.push(audit(format!("T1 {name}"), move || signal(name, Shape::Goe)));
    }
    for name in ["P1", "P3", "P5"] {
        all.push(audit(format!("T2 {name}"), move || threshold(name)));
    }
    all.push(audit("T3", guesses));
    for name in ["P1", "P3"] {
        all.push(audit(format!("T4 {name}"), move || direct(name)));
    }
    all
}

/// T6.
pub fn covariances() -> Vec<Audit> {
    vec![
        audit("T6 goe", || covariance(Shape::Goe)),
        audit("T6 iid", || covariance(Shape::Iid)),
        audit("T6 repeats", no_two_releases_are_equal),
        audit("T6 low bits", low_bits_are_noise),
    ]
}

fn of_name(name: &str, shape: Shape) -> Vec<Pair> {
    pairs(shape).into_iter().chain(many_outcomes()).filter(|pair| pair.name == name).collect()
}

fn bench(name: &str) -> Bench {
    Bench::new(&of_name(name, Shape::Goe)[0], SEED, 0).unwrap()
}

fn signal(name: &str, shape: Shape) -> Saw {
    let mut worst = None;
    for (lane, pair) in (0..).zip(of_name(name, shape)) {
        let bench = Bench::new(&pair, SEED, lane).unwrap();
        let Some(score) = bench.score() else { continue };
        let mut signal = Signal::new(pair.mu);
        for run in 0..SIGNAL_RUNS {
            for side in Side::BOTH {
                signal.feed(side, score.of(&bench.release(side, run.into())));
            }
        }
        let found = signal.estimate().unwrap();
        if worst.is_none_or(|(_, excess)| found.excess > excess) {
            worst = Some((found, found.excess));
        }
    }
    let Some((found, _)) = worst else { return Ok("both tables have the same sums".to_owned()) };
    let wasted = shape == Shape::Goe && TIGHT.contains(&name) && found.reading() == Reading::Below;
    let seen = if found.mu < CERTAIN / 2.0 {
        format!("mu-hat {:.2} against {}, z {:.1}", found.mu, found.claim, found.excess)
    } else {
        "told apart with certainty".to_owned()
    };
    judged(found.reading() != Reading::Above && !wasted, seen)
}

fn held_out(name: &str) -> HeldOut {
    let bench = bench(name);
    let score = bench.score().unwrap();
    let mut runs = HeldOut::default();
    for run in 0..THRESHOLD_RUNS {
        for side in Side::BOTH {
            runs.feed(side, run.into(), score.of(&bench.release(side, run.into())));
        }
    }
    runs
}

/// δ at which T2 looks at ε.
const DELTA: f64 = 1e-5;

fn threshold(name: &str) -> Saw {
    let runs = held_out(name);
    let level = Level::try_new(ALPHA).unwrap();
    let delta = Delta::try_new(DELTA).unwrap();
    let mu = runs.mu_lower(level).get();
    let epsilon = runs.epsilon_lower(delta, level);
    let claim = gdp_epsilon(Mu::try_new(MU).unwrap(), delta).unwrap();
    let seen = format!(
        "mu above {mu:.2} against {MU}, epsilon above {:.2} against {:.2}",
        epsilon.get(),
        claim.get()
    );
    judged(mu <= MU && epsilon <= claim, seen)
}

fn guesses() -> Saw {
    let mut audit = OneRun::new(SEED, 0).unwrap();
    for _ in 0..one_run::RUNS {
        audit.run().unwrap();
    }
    let ((right, guesses), p) = (audit.guesses().right(), audit.guesses().p_value().unwrap());
    judged(p >= one_run::ALARM, format!("{right} of {guesses} guesses right, p {p:.1e}"))
}

fn direct(name: &str) -> Saw {
    let epsilon = Epsilon::try_new(1.0).unwrap();
    let claim = gdp_delta(epsilon, Mu::try_new(MU).unwrap()).get();
    let delta = delta_lower(&held_out(name), epsilon, Level::try_new(ALPHA / 2.0).unwrap());
    judged(delta <= claim, format!("delta at epsilon 1 above {delta:.3} against {claim:.3}"))
}

/// A table that is no worst case, so that every cell has a sum.
fn ordinary(shape: Shape, lane: u32) -> Bench {
    let table = "x,y\n0.2,0.4\n-0.7,0.1\n".to_owned();
    let pair =
        Pair { name: "", catches: "", plan: with_constant(shape), tables: [table.clone(), table], mu: MU };
    Bench::new(&pair, SEED, lane).unwrap()
}

fn covariance(shape: Shape) -> Saw {
    let bench = ordinary(shape, 0);
    let mut noise = Covariance::new(&bench);
    for run in 0..20_000 {
        noise.feed(&bench.release(Side::Without, run));
    }
    let score = noise.score();
    judged(score < covariance::ALARM, format!("{score:.1} standard errors from the claimed covariance"))
}

/// Neither two releases of one session nor two sessions.
fn no_two_releases_are_equal() -> Saw {
    let sessions = [ordinary(Shape::Goe, 1), ordinary(Shape::Goe, 2)];
    let all: BTreeSet<Vec<i128>> = sessions
        .iter()
        .flat_map(|bench| (0..1_000).flat_map(|run| Side::BOTH.map(|side| bench.release(side, run))))
        .collect();
    judged(all.len() == 4_000, format!("{} different releases of 4,000", all.len()))
}

/// The sums of two million of the longest rows reach 2^69, beyond the 53 bits of a floating-point number. Their released low
/// bytes must be as random as those of the noise, which are uniform (Haney et al. 2022 read tables off such bits).
fn low_bits_are_noise() -> Saw {
    let mut bench = ordinary(Shape::Goe, 3);
    let mut large = Moments::new(3);
    for _ in 0..1 << 21 {
        large.add(&[7_502_999, 15_005_990, -15_005_990]);
    }
    bench.moments[0] = large;
    let mut bytes = Fit::of_equal_cells(256);
    for run in 0..4_000 {
        for cell in bench.release(Side::Without, run) {
            bytes.add(cell & 0xff);
        }
    }
    fits_with(bytes.p_value().unwrap())
}
