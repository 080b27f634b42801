//! T3 (theory/audit 3.3): fair coins decide for many persons whether they are in the table; the attacker guesses the coins from
//! one release (Steinke, Nasr and Jagielski 2023).
//!
//! A regression on p terms has room for about p canaries that do not hide each other, and with so few of them even perfect guesses
//! prove little. So K independent releases count as one audit with K m coins, each of which affects one release. It detects only
//! large errors: noise that is missing or many times too small. It needs no second table and no model of the noise.

use serde_json::{Value, json};

use super::bench::{PILOT, PILOT_RUNS, noise, read};
use super::error::AuditError;
use super::estimate::one_run_p;
use super::pairs::column;
use crate::data::Moments;
use crate::engine::Prepared;
use crate::math::round::real;
use crate::math::triangle;
use crate::mechanisms::analyze_gauss;
use crate::mechanisms::gaussian::{Noise, perturb};
use crate::noise::discrete::bernoulli;
use crate::noise::entropy::DemoRng;
use crate::privacy::convert::gdp_epsilon;
use crate::privacy::measure::{Delta, Epsilon, Mu};

/// The number of releases, K; K m is 12,000.
pub const RUNS: u32 = 600;
/// The p-value below which the result is a bug.
pub const ALARM: f64 = 1e-7;

/// Coins of one release: one for each feature and one for the outcome.
const CANARIES: usize = 20;
/// The number of coins that are guessed: those with the clearest scores.
const GUESSES: usize = 300;
/// μ of each release. It is small, so that many right guesses contradict the claim.
pub(super) const MU: f64 = 0.3;
/// δ at which the claim is tested. The p-value has a part 2 K m δ.
const DELTA: f64 = 1e-10;

/// Guesses of coins from releases with μ = 0.3, at δ = 10⁻¹⁰.
#[derive(Clone, Debug)]
pub struct Guesses {
    /// ε of that μ at δ.
    epsilon: Epsilon,
    delta: Delta,
    /// How clear each coin was, and whether the better guess is right.
    coins: Vec<(f64, bool)>,
}

impl Guesses {
    /// Creates a test without guesses.
    ///
    /// # Errors
    /// [`AuditError`] if the claim has no ε.
    pub(super) fn new() -> Result<Self, AuditError> {
        let delta = Delta::try_new(DELTA)?;
        Ok(Self { epsilon: gdp_epsilon(Mu::try_new(MU)?, delta)?, delta, coins: Vec::new() })
    }

    /// Adds a coin: how clear it was, and whether the better guess is right.
    pub fn add(&mut self, clear: f64, right: bool) {
        self.coins.push((clear, right));
    }

    /// Returns the number of coins.
    pub fn coins(&self) -> u64 {
        self.coins.len() as u64
    }

    /// Returns the number of right guesses among the clearest, and their number.
    pub fn right(&self) -> (u32, u32) {
        let mut guesses = self.coins.clone();
        guesses.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        guesses.truncate(GUESSES);
        let count = |guesses: usize| u32::try_from(guesses).unwrap_or(u32::MAX);
        (count(guesses.iter().filter(|(_, right)| *right).count()), count(guesses.len()))
    }

    /// Returns ε of the claim, at δ.
    pub const fn claim(&self) -> (Epsilon, Delta) {
        (self.epsilon, self.delta)
    }

    /// Returns the probability of at least as many right guesses if the claim is true; at most 1.
    ///
    /// # Errors
    /// [`AuditError`] for more coins than can be counted.
    pub fn p_value(&self) -> Result<f64, AuditError> {
        let (right, guesses) = self.right();
        let coins = u32::try_from(self.coins.len()).unwrap_or(u32::MAX);
        Ok(one_run_p(coins, guesses, right, self.epsilon, self.delta)?)
    }
}

/// A test that is under way.
#[derive(Debug)]
pub struct OneRun {
    seed: u64,
    lane: u32,
    plan: Value,
    noise: Noise,
    /// The released cell of each canary.
    traces: Vec<Trace>,
    runs: u32,
    guesses: Guesses,
}

impl OneRun {
    /// Creates a test without releases. Each `lane` under one seed has its own coins and noise.
    ///
    /// # Errors
    /// [`AuditError`] if the build refuses the audit's table.
    pub fn new(seed: u64, lane: u32) -> Result<Self, AuditError> {
        let plan = plan();
        let (prepared, moments) = read(&plan, &table(&[true; CANARIES]), Prepared::moments)?;
        let noise = noise(&prepared)?;
        let (_, empty) = read(&plan, &table(&[false; CANARIES]), Prepared::moments)?;
        let mut traces: Vec<Trace> = (1..=CANARIES)
            .flat_map(|term| [(0, term), (term, term)])
            .map(|(row, column)| Trace::new(row, column, &moments))
            .collect();
        for run in 0..PILOT {
            let stream = (u64::from(lane) << 32) | (PILOT_RUNS + u64::from(run));
            let mut rng = DemoRng::new(seed, stream);
            let cells = perturb(&empty, &noise, &mut rng);
            for trace in &mut traces {
                trace.variance += real(cells[trace.cell]).powi(2) / f64::from(PILOT);
            }
        }
        Ok(Self { seed, lane, plan, noise, traces, runs: 0, guesses: Guesses::new()? })
    }

    /// Draws the coins of one release, makes the release by the public functions, and guesses the coins.
    ///
    /// # Errors
    /// [`AuditError`] if the build refuses the audit's table.
    pub fn run(&mut self) -> Result<(), AuditError> {
        let mut rng = DemoRng::new(self.seed, u64::from(self.lane) << 32 | u64::from(self.runs));
        self.runs += 1;
        let coins = [(); CANARIES].map(|()| bernoulli(&mut rng, 1, 2));
        let (_, moments) = read(&self.plan, &table(&coins), Prepared::moments)?;
        let cells = perturb(&moments, &self.noise, &mut rng);
        for (coin, [cross, square]) in coins.into_iter().zip(self.traces.as_chunks().0) {
            let score = cross.score(&cells) + square.score(&cells);
            self.guesses.add(score.abs(), (score > 0.0) == coin);
        }
        Ok(())
    }

    /// Releases so far.
    pub const fn runs(&self) -> u32 {
        self.runs
    }

    /// Returns the guesses so far.
    pub const fn guesses(&self) -> &Guesses {
        &self.guesses
    }
}

/// The released cell that a canary changes: the product with the constant, or its square. No other canary changes it.
#[derive(Clone, Copy, Debug)]
struct Trace {
    cell: usize,
    change: f64,
    /// The measured variance of the noise, so that a cell with less noise than claimed gets its full weight.
    variance: f64,
}

impl Trace {
    fn new(row: usize, column: usize, moments: &Moments) -> Self {
        let cell = triangle::index(moments.terms(), row, column);
        Self { cell, change: real(moments.get(row, column)), variance: 0.0 }
    }

    /// Returns the log-likelihood ratio of the cell with the canary against without it.
    fn score(&self, cells: &[i128]) -> f64 {
        let seen = cells.get(self.cell).map_or(0.0, |cell| real(*cell));
        self.change * (seen - self.change / 2.0) / self.variance.max(1.0)
    }
}

/// Returns the plan. Its constant has a very small weight, so that records along different axes are nearly orthogonal.
fn plan() -> Value {
    let columns: Vec<Value> = (0..CANARIES)
        .map(|place| column(&name(place), if place + 1 < CANARIES { "feature" } else { "outcome" }))
        .collect();
    json!({
        "schema": "discreet.plan/1",
        "adjacency": "add-remove",
        "columns": columns,
        "mechanism": {"name": analyze_gauss::INFO.name, "params": {"row_norm": 0.1, "intercept_weight": 0.01}},
        "budget": {"mu": MU},
    })
}

fn name(place: usize) -> String {
    format!("c{place}")
}

/// Returns one record along each axis whose coin says so.
fn table(coins: &[bool]) -> String {
    let line = |cell: &dyn Fn(usize) -> String| (0..CANARIES).map(cell).collect::<Vec<_>>().join(",") + "\n";
    let mut text = line(&name);
    for (canary, _) in coins.iter().enumerate().filter(|(_, included)| **included) {
        text += &line(&|place| u8::from(place == canary).to_string());
    }
    text
}
