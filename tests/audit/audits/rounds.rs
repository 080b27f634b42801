//! Releases of several rounds: what an attacker sees of all rounds together (T1 to T3), and their noise (T6).

use discreet::audit::bench::Side;
use discreet::audit::chain::{COINS, Chain, ChainPair, Coins, chain_pairs};
use discreet::audit::estimate::Level;
use discreet::audit::one_run;
use discreet::audit::signal::{CERTAIN, Reading, Signal};
use discreet::audit::threshold::HeldOut;
use discreet::math::round::real as float;
use discreet::privacy::adjacency::Adjacency;
use serde_json::json;

use super::{Audit, Depth, Saw, audit, judged};
use crate::adaptive_checks::accuracy::{self, Errors};
use crate::adaptive_checks::identities;

const SEED: u64 = 20_261_126;
/// Runs a side of T1 and T2, and runs of T6.
const RUNS: u32 = 4_000;
/// 1 − confidence of T2.
const ALPHA: f64 = 1e-3;

pub fn audits(depth: Depth) -> Vec<Audit> {
    let runs = if depth == Depth::Full { 5 * RUNS } else { RUNS };
    let mut all = vec![
        audit("T1 P18", move || signal(&pair("P18"), runs, 1.0)),
        audit("T1 P18 rows of a person", move || signal(&of_a_person(pair("P18")), runs, 1.0)),
        audit("T1 P19", move || signal(&pair("P19"), runs, 0.828)),
        audit("T1 P20", move || signal(&pair("P20"), runs, 0.99)),
        audit("T1 P20 rows of a person", move || signal(&of_a_person(pair("P20")), runs, 0.99)),
        audit("T2 P18", move || threshold("P18", runs)),
        audit("T2 P19", move || threshold("P19", runs)),
        audit("T2 P20", move || threshold("P20", runs)),
        audit("T3 rounds", || guesses("P18")),
        audit("T3 logistic rounds", || guesses("P20")),
        audit("T6 rounds", move || independent("P18", runs)),
        audit("T6 logistic rounds", move || independent("P20", runs)),
        audit("T8 adaptive charges", || {
            identities::charges_are_the_budget();
            Ok("charges are the budget".to_owned())
        }),
    ];
    if depth == Depth::Full {
        // theory/adaptive 5.3 and 9.
        let (add, replace) = (Adjacency::AddRemove, Adjacency::ReplaceOne);
        for (name, adjacency, epsilon, errors, least) in [
            ("epsilon 0.5", add, 0.5, Errors::Normal, 0.925),
            ("epsilon 2", add, 2.0, Errors::Normal, 0.925),
            ("epsilon 8", add, 8.0, Errors::Normal, 0.925),
            ("replace-one", replace, 2.0, Errors::Normal, 0.925),
            ("skewed errors", add, 2.0, Errors::Skewed, 0.915),
            ("heavy tails", add, 2.0, Errors::Heavy, 0.9),
        ] {
            all.push(audit(format!("T9 adaptive {name}"), move || {
                let (covered, withheld) = accuracy::coverage(adjacency, epsilon, 0, 8_000, errors, 500);
                judged(
                    covered >= least && covered <= 0.985,
                    format!("{covered:.3} covered, {withheld:.3} withheld"),
                )
            }));
        }
        all.push(audit("T9 adaptive 59 features", || {
            let error = accuracy::wide_error(2.0, 40_000, 8).unwrap_or(f64::INFINITY);
            judged(error <= 0.6, format!("median error {error:.2} standard errors"))
        }));
    }
    all
}

fn pair(name: &str) -> ChainPair {
    chain_pairs().into_iter().find(|pair| pair.name == name).unwrap()
}

/// The same pair where one person has the row, five times, of which three count.
fn of_a_person(mut pair: ChainPair) -> ChainPair {
    pair.plan["person"] = json!("id");
    pair.plan["max_rows_per_person"] = json!(3);
    let rows = pair.common.lines().skip(1).enumerate();
    let rows: String = rows.map(|(id, row)| format!("{id},{row}\n")).collect();
    pair.common = format!("id,x,y\n{rows}");
    pair.own[1] = match pair.own[1] {
        "1,-1" => "a,1,-1\na,1,-1\na,1,-1\na,1,-1\na,1,-1",
        _ => "a,1,1\na,1,1\na,1,1\na,1,1\na,1,1",
    };
    pair
}

fn chain(pair: &ChainPair) -> Chain {
    Chain::new(pair, SEED, 0).unwrap()
}

/// Not above the claim, and not five standard errors below the μ that these tables have.
fn signal(pair: &ChainPair, runs: u32, mu: f64) -> Saw {
    let chain = chain(pair);
    let mut signal = Signal::new(pair.mu);
    for run in 0..runs {
        for side in Side::BOTH {
            signal.feed(side, chain.score(&chain.release(side, run.into()).unwrap()).0);
        }
    }
    let found = signal.estimate().unwrap();
    let seen = if found.mu < CERTAIN / 2.0 {
        format!("mu-hat {:.2} against {}, z {:.1}", found.mu, found.claim, found.excess)
    } else {
        "told apart with certainty".to_owned()
    };
    let error = ((2.0 + mu * mu / 4.0) / f64::from(runs)).sqrt();
    judged(found.reading() != Reading::Above && found.mu > mu - 5.0 * error, seen)
}

fn threshold(name: &str, runs: u32) -> Saw {
    let chain = chain(&pair(name));
    let mut scores = HeldOut::default();
    for run in 0..runs {
        for side in Side::BOTH {
            scores.feed(side, run.into(), chain.score(&chain.release(side, run.into()).unwrap()).0);
        }
    }
    let mu = scores.mu_lower(Level::try_new(ALPHA).unwrap()).get();
    judged(mu <= 1.0, format!("mu above {mu:.2} against 1"))
}

fn guesses(name: &str) -> Saw {
    let mut coins = Coins::new(name, SEED, 0).unwrap();
    for _ in 0..COINS {
        coins.run().unwrap();
    }
    let ((right, guesses), p) = (coins.guesses().right(), coins.guesses().p_value().unwrap());
    judged(p >= one_run::ALARM, format!("{right} of {guesses} guesses right, p {p:.1e}"))
}

/// The noise of each cell of a round is uncorrelated with that of each cell of every other round: of all pairs none is 5.5 standard errors off.
fn independent(name: &str, runs: u32) -> Saw {
    let chain = chain(&pair(name));
    let mut rounds: Vec<Vec<Vec<f64>>> = Vec::new();
    for run in 0..runs {
        let seen = chain.release(Side::Without, run.into()).unwrap();
        rounds.resize(seen.len(), Vec::new());
        for (round, seen) in rounds.iter_mut().zip(&seen) {
            round.resize(seen.cells.len(), Vec::new());
            for (noise, (cell, exact)) in round.iter_mut().zip(seen.cells.iter().zip(&seen.exact[0])) {
                noise.push(float(cell - exact));
            }
        }
    }
    for noise in rounds.iter_mut().flatten() {
        let length = noise.iter().map(|x| x * x).sum::<f64>().sqrt();
        noise.iter_mut().for_each(|x| *x /= length);
    }
    let mut worst = 0.0_f64;
    for (index, one) in rounds.iter().enumerate() {
        for (first, second) in one
            .iter()
            .flat_map(|first| rounds[index + 1..].iter().flatten().map(move |second| (first, second)))
        {
            let product: f64 = first.iter().zip(second).map(|(a, b)| a * b).sum();
            worst = worst.max(product.abs());
        }
    }
    let score = worst * f64::from(runs).sqrt();
    judged(score < 5.5, format!("{score:.1} standard errors from no correlation between rounds"))
}
