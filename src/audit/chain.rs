//! A release of several rounds on two neighbouring tables, again and again (theory/audit 3.10).
//!
//! The attacker knows both tables and sees the answers of all rounds. What a round sums follows from the earlier answers, so in each run
//! the attacker computes how far the two tables are apart in each round. The noise of the rounds is independent, so the log-likelihood
//! ratios add up.

use serde_json::{Value, json};

use super::bench::{PILOT, PILOT_RUNS, Side, scan};
use super::error::AuditError;
use super::one_run::{Guesses, MU};
use super::pairs::column;
use crate::data::{EncodedRows, Exact, Statistic, Sums};
use crate::engine::{EngineError, Prepared};
use crate::math::round::real;
use crate::mechanisms::Info;
use crate::mechanisms::adaptive_gauss;
use crate::mechanisms::adaptive_logistic;
use crate::noise::discrete::bernoulli;
use crate::noise::entropy::DemoRng;

/// Releases of the coins, one coin each.
pub const COINS: u32 = 3_000;

/// How often each common row stands in both tables: so many that the early rounds' answers hardly vary.
const TIMES: u32 = 1 << 16;

/// Two neighbouring tables, their plan, and the rows that both have 65,536 times.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainPair {
    /// The name.
    pub name: &'static str,
    /// The bug that this pair detects, in one sentence.
    pub catches: &'static str,
    /// The plan, a `discreet.plan/1`.
    pub plan: Value,
    /// The common rows, as CSV with a header.
    pub common: String,
    /// The rows that one of the tables has beside them; empty where it has none.
    pub own: [&'static str; 2],
    /// μ that the plan claims.
    pub mu: f64,
}

/// Returns the pairs whose releases have several rounds.
///
/// The common rows have x at −1, 0 and 1, so that a row at the bounds is nearly as long as the radius R_x, 1.2 √2. A row at the bounds then
/// moves every round by its Δ: where outcomes hardly vary, because every other outcome is clipped; where five in eight at x = −1 and three in
/// eight at x = 1 say yes, because a yes at x = 1 has the error 0.62 at which curvature and gradient together move most. That row is a little
/// shorter than the longest in the second round of the latter, whose whole μ is 0.99. A row that is replaced moves no round of P19 but the
/// first, the fourth and the fifth, which is why its μ is 0.83.
pub fn chain_pairs() -> Vec<ChainPair> {
    let pair = |name, catches, info, adjacency, own| ChainPair {
        name,
        catches,
        plan: plan(info, adjacency, 1.0),
        common: common(info),
        own,
        mu: 1.0,
    };
    vec![
        pair(
            "P18",
            "One record through all rounds of `adaptive-gauss`: a round that is paid for too little, or an earlier one without noise.",
            &adaptive_gauss::INFO,
            "add-remove",
            ["", "1,-1"],
        ),
        pair(
            "P19",
            "One record replaced in all rounds of `adaptive-gauss` by one with the opposite x: a sensitivity that is √2 too small.",
            &adaptive_gauss::INFO,
            "replace-one",
            ["1,1", "-1,1"],
        ),
        pair(
            "P20",
            "One record through all rounds and steps of `adaptive-logistic`: one that is paid for too little, or has no noise.",
            &adaptive_logistic::INFO,
            "add-remove",
            ["", "1,1"],
        ),
    ]
}

fn plan(info: &Info, adjacency: &str, mu: f64) -> Value {
    let mut outcome = column("y", "outcome");
    if info.labels {
        outcome["lower"] = json!(0);
    }
    // So that all its rounds are looked at.
    let params =
        if info.name == adaptive_gauss::INFO.name { json!({"robust_share": 0.1}) } else { json!({}) };
    let mut plan = json!({
        "schema": "discreet.plan/1",
        "adjacency": adjacency,
        "columns": [column("x", "feature"), outcome],
        "mechanism": {"name": info.name, "params": params},
        "budget": {"mu": mu},
    });
    if adjacency == "replace-one" {
        plan["rows"] = json!(1 + 15 * u64::from(TIMES));
    }
    plan
}

fn common(info: &Info) -> String {
    let rows: Vec<String> = if info.labels {
        // Of 8, 14 and 8 rows 5, 7 and 3 say yes.
        let groups = [(-1, 8, 5), (0, 14, 7), (1, 8, 3)];
        groups
            .iter()
            .flat_map(|(x, rows, yes)| (0..*rows).map(move |row| format!("{x},{}", u8::from(row < *yes))))
            .collect()
    } else {
        let x = [-1, -1, -1, -1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0];
        let one = |(row, x)| match row {
            14 => format!("{x},0"),
            _ => format!("{x},{}0.01", if row % 2 == 0 { "" } else { "-" }),
        };
        x.iter().enumerate().map(one).collect()
    };
    format!("x,y\n{}\n", rows.join("\n"))
}

/// What one round gave: the released integers, and the exact sums of both tables, which the attacker computes.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// The released integers.
    pub cells: Vec<i128>,
    /// The exact sums of the first and of the second table.
    pub exact: [Vec<i128>; 2],
}

/// Two tables that are ready to be released any number of times.
#[derive(Debug)]
pub struct Chain {
    prepared: Prepared,
    common: EncodedRows,
    own: [EncodedRows; 2],
    /// The inverse of each cell's variance, round by round, as measured in [`PILOT`] runs.
    weights: Vec<Vec<f64>>,
    seed: u64,
    lane: u32,
}

impl Chain {
    /// Reads both tables. Each `lane` under one seed has noise of its own.
    ///
    /// # Errors
    /// [`AuditError`] where the build does not take its own tables.
    pub fn new(pair: &ChainPair, seed: u64, lane: u32) -> Result<Self, AuditError> {
        let mut chain = Self::unweighted(pair, seed, lane)?;
        for run in 0..PILOT {
            let seen = chain.release(Side::Without, PILOT_RUNS + u64::from(run))?;
            chain.weights.resize(seen.len(), Vec::new());
            for (weights, seen) in chain.weights.iter_mut().zip(&seen) {
                weights.resize(seen.cells.len(), 0.0);
                for (weight, (cell, exact)) in weights.iter_mut().zip(seen.cells.iter().zip(&seen.exact[0])) {
                    *weight += real(cell - exact).powi(2) / f64::from(PILOT);
                }
            }
        }
        for weight in chain.weights.iter_mut().flatten() {
            *weight = 1.0 / weight.max(1.0);
        }
        Ok(chain)
    }

    /// Reads both tables for a release, without the variances that [`Self::score`] needs.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn unweighted(pair: &ChainPair, seed: u64, lane: u32) -> Result<Self, AuditError> {
        let rows = |text: &str| scan(&pair.plan, text, |prepared| EncodedRows::new(prepared.row_width()));
        let header = pair.common.lines().next().unwrap_or_default();
        let own = |own: &str| rows(&format!("{header}\n{own}{}", if own.is_empty() { "" } else { "\n" }));
        let (prepared, common) = rows(&pair.common)?;
        let [first, second] = pair.own;
        let (common, own) = (common.sink, [own(first)?.1.sink, own(second)?.1.sink]);
        Ok(Self { prepared, common, own, weights: Vec::new(), seed, lane })
    }

    /// Returns what each round of one run gives.
    ///
    /// # Errors
    /// [`AuditError`] where the build does not run its own plan.
    pub fn release(&self, side: Side, run: u64) -> Result<Vec<Seen>, AuditError> {
        let stream = u64::from(self.lane) << 32 | run << 1 | side.index() as u64;
        self.played(side, &mut DemoRng::new(self.seed, stream))
    }

    fn played(&self, side: Side, rng: &mut DemoRng) -> Result<Vec<Seen>, AuditError> {
        const OTHER: AuditError = AuditError::Engine(EngineError::Internal("the audit's plan sums no maps"));
        let mut run = self.prepared.start();
        let mut rounds = Vec::new();
        while let Some(round) = run.round() {
            let drawn = round.noise.draw(rng);
            let exact = self.exact(&round.statistic).ok_or(OTHER)?;
            let sums = Exact::Cells(exact[side.index()].clone());
            let answer = round.noise.answer(drawn, &sums, rng).ok_or(OTHER)?;
            rounds.push(Seen { cells: answer.cells.clone(), exact });
            run.take(answer);
        }
        Ok(rounds)
    }

    fn exact(&self, statistic: &Statistic) -> Option<[Vec<i128>; 2]> {
        let sums = |rows: &EncodedRows| match statistic.of(rows) {
            Sums::Cells(sums) => Some(sums.cells()),
            Sums::Moments(_) | Sums::Rows(_) => None,
        };
        let common = sums(&self.common)?;
        let table = |own: &EncodedRows| {
            let own = sums(own)?;
            Some(common.iter().zip(own).map(|(common, own)| common * i128::from(TIMES) + own).collect())
        };
        Some([table(&self.own[0])?, table(&self.own[1])?])
    }

    /// Returns Σ Δ_j / s_j (M_j − E_j) over the cells of all rounds, and the log-likelihood ratio, which is less by ½ Σ Δ_j² /
    /// s_j. M is the release, E the exact sums of the first table, Δ those of the second less E, and s the measured variances.
    pub fn score(&self, seen: &[Seen]) -> (f64, f64) {
        let (mut score, mut half) = (0.0, 0.0);
        for (seen, weights) in seen.iter().zip(&self.weights) {
            let [first, second] = &seen.exact;
            for (((cell, first), second), weight) in seen.cells.iter().zip(first).zip(second).zip(weights) {
                let change = real(second - first);
                score += change * weight * real(cell - first);
                half += change * weight * change / 2.0;
            }
        }
        (score, score - half)
    }
}

/// T3 for releases of several rounds: a coin of each release says which of the two tables it is of.
#[derive(Debug)]
pub struct Coins {
    chain: Chain,
    guesses: Guesses,
}

impl Coins {
    /// Creates a test of the pair of this name without releases.
    ///
    /// # Errors
    /// [`AuditError`] where the build does not take its own tables.
    pub fn new(name: &str, seed: u64, lane: u32) -> Result<Self, AuditError> {
        let mut pairs = chain_pairs().into_iter();
        let mut pair = pairs.find(|pair| pair.name == name).ok_or(AuditError::Unfinished)?;
        pair.plan["budget"] = json!({"mu": MU});
        pair.mu = MU;
        Ok(Self { chain: Chain::new(&pair, seed, lane)?, guesses: Guesses::new()? })
    }

    /// Draws the coin of one release, makes the release, and guesses the coin.
    ///
    /// # Errors
    /// [`AuditError`] where the build does not run its own plan.
    pub fn run(&mut self) -> Result<(), AuditError> {
        let stream = u64::from(self.chain.lane) << 32 | self.guesses.coins();
        let mut rng = DemoRng::new(self.chain.seed, stream);
        let coin = bernoulli(&mut rng, 1, 2);
        let seen = self.chain.played(if coin { Side::With } else { Side::Without }, &mut rng)?;
        let (_, ratio) = self.chain.score(&seen);
        self.guesses.add(ratio.abs(), (ratio > 0.0) == coin);
        Ok(())
    }

    /// Returns the guesses so far.
    pub const fn guesses(&self) -> &Guesses {
        &self.guesses
    }
}
