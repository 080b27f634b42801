//! The audits that a person can start on the page: samplers against their distributions, the measured loss of every worst-case
//! pair against the claim, and two wrong formulas that must be caught.
//!
//! [`Check`] works in slices of some ten milliseconds and reports its findings after each. An item has a verdict after all its
//! runs, because only then its false-alarm rate is known: below 1e-5 for the whole list ([`FALSE_ALARM`]).

use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};

use super::bench::{Bench, Score, Side};
use super::chain::{self, Chain, Coins, chain_pairs};
use super::controls::{wrong_classical_gaussian, wrong_diagonal_without_noise};
use super::error::AuditError;
use super::estimate::Level;
use super::fit::{self, Bin, Fit, Sampler};
use super::one_run::{self, Guesses, OneRun};
use super::pairs::{MU, pairs};
use super::signal::{Estimate, Reading, Signal};
use super::threshold::HeldOut;
use crate::model::Shape;
use crate::noise::entropy::DemoRng;

/// Bound on the probability that a correct build fails any item: 4 samplers at 1e-6 each; 16 pairs whose loss equals the claim at
/// 3.4e-7 each, the exact tail of μ̂ at five standard errors and 5,000 runs or more; three thresholds and two lists of guesses at 1e-7
/// each.
pub const FALSE_ALARM: f64 = 1e-5;

/// Draws of each sampler.
const DRAWS: u32 = 500_000;
/// Runs of each table of a pair, and of each for thresholds.
const RUNS: u32 = 20_000;
/// Runs of each table of a pair where a release has several rounds.
const CHAIN_RUNS: u32 = 5_000;
/// Level of a threshold's bound.
const LEVEL: f64 = 1e-7;
/// The work of one step: draws of a sampler, runs of each table of a pair, releases with coins.
const STEP: [u32; 3] = [25_000, 1_000, 50];
/// Runs of each table, or coins, where a release has several rounds.
const CHAIN_STEP: u32 = 200;

/// What is audited, in the order of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Task {
    Sampler(Sampler),
    Signal(&'static str),
    Threshold(&'static str),
    OneRun,
    Coins,
    ClassicalGaussian,
    DiagonalWithoutNoise,
}

/// One line of the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// What is audited.
    pub title: String,
    /// What a failure would show.
    pub purpose: String,
    /// The kind of audit.
    pub kind: Kind,
}

/// The kinds of audits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A sampler against its distribution (T5).
    Sampler,
    /// A pair by the optimal statistic (T1).
    Signal,
    /// A pair by a threshold (T2).
    Threshold,
    /// Coins guessed from releases (T3).
    OneRun,
    /// A wrong formula, which must be caught.
    Control,
}

/// The finding of an item so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Place of the item in the list.
    pub item: usize,
    /// Work done.
    pub done: u32,
    /// Work in total.
    pub planned: u32,
    /// The measurement and the claim.
    pub measured: Measured,
    /// The verdict.
    pub verdict: Verdict,
}

/// A measurement and the claim with which it is compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measured {
    /// No measurement yet.
    Nothing,
    /// The two tables have equal sums, so no release can distinguish them: μ is 0.
    Equal {
        /// The claimed μ.
        claim: f64,
    },
    /// A histogram and its expected counts.
    Histogram {
        /// The bars.
        bins: Vec<Bin>,
        /// p-value of the fit, once there are enough draws.
        p: Option<f64>,
        /// The p-value below which the item fails.
        limit: f64,
    },
    /// μ̂ of the optimal statistic.
    Mu(Estimate),
    /// The largest μ that an attacker without a model disproved.
    Disproved {
        /// The claimed μ.
        claim: f64,
        /// A lower bound on the true μ.
        mu: f64,
        /// 1 − confidence of the bound.
        alpha: f64,
    },
    /// Guesses of coins.
    Guesses {
        /// Right ones.
        right: u32,
        /// Guesses.
        guesses: u32,
        /// ε of the claim.
        epsilon: f64,
        /// δ of the claim.
        delta: f64,
        /// Probability of at least as many right guesses if the claim is true.
        p: f64,
        /// The p-value below which the item fails.
        limit: f64,
    },
}

/// The verdict of an item on the build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Not all runs are done.
    Running,
    /// The measured loss is at most the claim.
    Holds,
    /// The measured loss is above the claim: a bug.
    Broken,
    /// The wrong formula was detected.
    Caught,
    /// The wrong formula was not detected: the audit itself is broken.
    Missed,
}

impl Verdict {
    /// Returns whether the item passed. `None` while runs are missing.
    pub const fn good(self) -> Option<bool> {
        match self {
            Self::Running => None,
            Self::Holds | Self::Caught => Some(true),
            Self::Broken | Self::Missed => Some(false),
        }
    }
}

/// The whole list under one seed, run step by step.
pub struct Check {
    seed: u64,
    tasks: Vec<Task>,
    item: usize,
    work: Option<Work>,
}

/// An item that has begun.
#[allow(clippy::large_enum_variant, reason = "one item has begun at a time; how large depends on the target")]
enum Work {
    Sampler { rng: DemoRng, sampler: Sampler, fit: Fit },
    Signal { cases: Vec<(Case, Signal)>, claim: f64, control: bool },
    Threshold { case: Case, claim: f64, scores: HeldOut },
    OneRun(Box<OneRun>),
    Coins(Box<Coins>),
}

/// A pair with the statistic that distinguishes its tables, and the runs made.
struct Case {
    source: Source,
    runs: u32,
    planned: u32,
}

/// What a pair's runs are.
enum Source {
    Sums(Box<Bench>, Score),
    Rounds(Box<Chain>),
}

impl Check {
    /// Creates a check under a seed. The same seed gives the same findings on every computer.
    pub fn new(seed: u64) -> Self {
        Self { seed, tasks: tasks(), item: 0, work: None }
    }

    /// Returns the list.
    pub fn items() -> Vec<Item> {
        let pairs: Vec<(&str, &str)> = pairs(Shape::Goe)
            .iter()
            .map(|pair| (pair.name, pair.catches))
            .chain(chain_pairs().iter().map(|pair| (pair.name, pair.catches)))
            .collect();
        tasks().into_iter().map(|task| task.item(&pairs)).collect()
    }

    /// Does the next slice of work and returns what the current item has found so far; `None` when all is done.
    ///
    /// # Errors
    /// [`AuditError`] if the build refuses the audit's tables. Then the build is broken.
    pub fn step(&mut self) -> Result<Option<Finding>, AuditError> {
        let Some(&task) = self.tasks.get(self.item) else { return Ok(None) };
        let mut work = match self.work.take() {
            Some(work) => work,
            None => Work::begin(task, self.seed, u32::try_from(self.item).unwrap_or(0))?,
        };
        work.step()?;
        let finding = work.finding(self.item)?;
        if finding.verdict == Verdict::Running {
            self.work = Some(work);
        } else {
            self.item += 1;
        }
        Ok(Some(finding))
    }
}

fn tasks() -> Vec<Task> {
    let scale = |s: u64| NonZeroU64::MIN.saturating_add(s - 1);
    let samplers = [
        Sampler::Laplace(scale(3)),
        Sampler::Diagonal(scale(1)),
        Sampler::Diagonal(scale(10)),
        Sampler::OffDiagonal(scale(2)),
    ];
    let mut names: Vec<&'static str> = pairs(Shape::Goe).into_iter().map(|pair| pair.name).collect();
    names.dedup();
    let mut tasks: Vec<Task> = samplers.map(Task::Sampler).into();
    tasks.extend(names.into_iter().map(Task::Signal));
    tasks.extend(chain_pairs().into_iter().map(|pair| Task::Signal(pair.name)));
    tasks.extend(["P1", "P3", "P18"].map(Task::Threshold));
    tasks.extend([Task::OneRun, Task::Coins, Task::ClassicalGaussian, Task::DiagonalWithoutNoise]);
    tasks
}

impl Task {
    fn item(self, pairs: &[(&str, &str)]) -> Item {
        let catches = |name| {
            let found = pairs.iter().find(|(pair, _)| *pair == name);
            found.map_or_else(String::new, |(_, catches)| (*catches).to_owned())
        };
        let (title, purpose, kind) = match self {
            Self::Sampler(sampler) => (
                match sampler {
                    Sampler::Diagonal(s) => {
                        format!("Noise on the diagonal, discrete Gaussian of variance {}", s.get().pow(2))
                    }
                    // The list has only even scales.
                    Sampler::OffDiagonal(s) => {
                        format!(
                            "Noise off the diagonal, discrete Gaussian of variance {}",
                            s.get().pow(2) / 2
                        )
                    }
                    Sampler::Laplace(t) => format!("Discrete Laplace noise of scale {t}"),
                },
                "Draws beside their exact law: a sampler that is wrong.".to_owned(),
                Kind::Sampler,
            ),
            Self::Signal(name) => (name.to_owned(), catches(name), Kind::Signal),
            Self::Threshold(name) => (name.to_owned(), catches(name), Kind::Threshold),
            Self::OneRun => (
                "Coins guessed from releases".to_owned(),
                "Persons in or out by a coin: noise that is missing.".to_owned(),
                Kind::OneRun,
            ),
            Self::Coins => (
                "Coins guessed from releases of four rounds".to_owned(),
                "One person in or out by a coin: noise that is missing in a round.".to_owned(),
                Kind::OneRun,
            ),
            Self::ClassicalGaussian => (
                "Wrong on purpose: the classical Gaussian formula at epsilon 20".to_owned(),
                "A published formula, used where it is not proved. The audit must catch it.".to_owned(),
                Kind::Control,
            ),
            Self::DiagonalWithoutNoise => (
                "Wrong on purpose: second moments whose diagonal has no noise".to_owned(),
                "A bug of a published library. The audit must catch it.".to_owned(),
                Kind::Control,
            ),
        };
        Item { title, purpose, kind }
    }
}

impl Work {
    fn begin(task: Task, seed: u64, item: u32) -> Result<Self, AuditError> {
        // Each case of an item has its own lane.
        let lane = item << 8;
        let all = || pairs(Shape::Goe).into_iter();
        let of_name = |name: &'static str| all().filter(move |pair| pair.name == name);
        let chained = |name: &'static str| chain_pairs().into_iter().find(|pair| pair.name == name);
        let control = |bench: Bench, claim: f64| Self::Signal {
            cases: Case::new(bench).map(|case| (case, Signal::new(claim))).into_iter().collect(),
            claim,
            control: true,
        };
        Ok(match task {
            Task::Sampler(sampler) => Self::Sampler {
                rng: DemoRng::new(seed, u64::from(lane) << 32),
                sampler,
                fit: sampler.histogram(DRAWS),
            },
            Task::Signal(name) => {
                let mut cases = Vec::new();
                if let Some(pair) = chained(name) {
                    cases.push((Case::chained(Chain::new(&pair, seed, lane)?), Signal::new(pair.mu)));
                }
                for (pair, lane) in of_name(name).zip(lane..) {
                    let bench = Bench::new(&pair, seed, lane)?;
                    cases.extend(Case::new(bench).map(|case| (case, Signal::new(pair.mu))));
                }
                Self::Signal { cases, claim: MU, control: false }
            }
            Task::Threshold(name) => {
                if let Some(pair) = chained(name) {
                    let case = Case::chained(Chain::new(&pair, seed, lane)?);
                    return Ok(Self::Threshold { case, claim: pair.mu, scores: HeldOut::default() });
                }
                let pair = of_name(name).next().ok_or(AuditError::Unfinished)?;
                let case = Case::new(Bench::new(&pair, seed, lane)?).ok_or(AuditError::Unfinished)?;
                Self::Threshold { case, claim: pair.mu, scores: HeldOut::default() }
            }
            Task::OneRun => Self::OneRun(Box::new(OneRun::new(seed, lane)?)),
            Task::Coins => Self::Coins(Box::new(Coins::new("P18", seed, lane)?)),
            Task::ClassicalGaussian => {
                let pair = all().next().ok_or(AuditError::Unfinished)?;
                let (bench, claim) = wrong_classical_gaussian(&pair, seed, lane)?;
                control(bench, claim)
            }
            Task::DiagonalWithoutNoise => {
                let pair = all().next().ok_or(AuditError::Unfinished)?;
                control(wrong_diagonal_without_noise(&pair, seed, lane)?, pair.mu)
            }
        })
    }

    fn step(&mut self) -> Result<(), AuditError> {
        let [draws, _, releases] = STEP;
        match self {
            Self::Sampler { rng, sampler, fit } => {
                for _ in 0..draws {
                    fit.add(sampler.draw(rng));
                }
            }
            Self::Signal { cases, .. } => {
                if let Some((case, signal)) = cases.iter_mut().find(|(case, _)| case.runs < case.planned) {
                    case.step(|side, _, score| signal.feed(side, score))?;
                }
            }
            Self::Threshold { case, scores, .. } => {
                case.step(|side, run, score| scores.feed(side, run, score))?;
            }
            Self::OneRun(audit) => {
                for _ in 0..releases {
                    audit.run()?;
                }
            }
            Self::Coins(audit) => {
                for _ in 0..CHAIN_STEP {
                    audit.run()?;
                }
            }
        }
        Ok(())
    }

    fn finding(&self, item: usize) -> Result<Finding, AuditError> {
        let (done, planned, measured, good) = match self {
            Self::Sampler { fit, .. } => {
                let p = fit.p_value();
                let measured = Measured::Histogram { bins: fit.bins(), p, limit: fit::ALARM };
                (fit.draws(), DRAWS, measured, p.is_some_and(|p| p >= fit::ALARM))
            }
            Self::Signal { cases, claim, .. } => {
                let done = cases.iter().map(|(case, _)| case.runs).sum();
                let planned = cases.iter().map(|(case, _)| case.planned).sum();
                let estimates = cases.iter().filter_map(|(_, signal)| signal.estimate());
                let worst = estimates.max_by(|one, other| one.excess.total_cmp(&other.excess));
                let measured = worst.map_or(Measured::Equal { claim: *claim }, Measured::Mu);
                (done, planned, measured, worst.is_none_or(|worst| worst.reading() != Reading::Above))
            }
            Self::Threshold { case, claim, scores } => {
                let mu = scores.mu_lower(Level::try_new(LEVEL)?).get();
                let measured = Measured::Disproved { claim: *claim, mu, alpha: LEVEL };
                (case.runs, case.planned, measured, mu <= *claim)
            }
            Self::OneRun(audit) => {
                let (measured, good) = guessed(audit.guesses())?;
                (audit.runs(), one_run::RUNS, measured, good)
            }
            Self::Coins(audit) => {
                let (measured, good) = guessed(audit.guesses())?;
                let done = u32::try_from(audit.guesses().coins()).unwrap_or(u32::MAX);
                (done, chain::COINS, measured, good)
            }
        };
        let control = matches!(self, Self::Signal { control: true, .. });
        let verdict = match (control, good) {
            _ if done < planned => Verdict::Running,
            (false, true) => Verdict::Holds,
            (false, false) => Verdict::Broken,
            (true, false) => Verdict::Caught,
            (true, true) => Verdict::Missed,
        };
        Ok(Finding { item, done, planned, measured, verdict })
    }
}

fn guessed(guesses: &Guesses) -> Result<(Measured, bool), AuditError> {
    let (p, (right, count), (epsilon, delta)) = (guesses.p_value()?, guesses.right(), guesses.claim());
    let (epsilon, delta, limit) = (epsilon.get(), delta.get(), one_run::ALARM);
    Ok((Measured::Guesses { right, guesses: count, epsilon, delta, p, limit }, p >= limit))
}

impl Case {
    /// Prepares a check. `None` if the two tables have equal sums.
    fn new(bench: Bench) -> Option<Self> {
        let score = bench.score()?;
        Some(Self { source: Source::Sums(Box::new(bench), score), runs: 0, planned: RUNS })
    }

    /// Prepares a check of releases of several rounds.
    fn chained(chain: Chain) -> Self {
        Self { source: Source::Rounds(Box::new(chain)), runs: 0, planned: CHAIN_RUNS }
    }

    fn score(&self, side: Side, run: u64) -> Result<f64, AuditError> {
        match &self.source {
            Source::Sums(bench, score) => Ok(score.of(&bench.release(side, run))),
            Source::Rounds(chain) => Ok(chain.score(&chain.release(side, run)?).0),
        }
    }

    /// Makes further runs of both tables.
    fn step(&mut self, mut take: impl FnMut(Side, u64, f64)) -> Result<(), AuditError> {
        let [_, runs, _] = STEP;
        let runs = if matches!(self.source, Source::Rounds(_)) { CHAIN_STEP } else { runs };
        for run in self.runs..self.runs + runs {
            for side in Side::BOTH {
                let run = u64::from(run);
                take(side, run, self.score(side, run)?);
            }
        }
        self.runs += runs;
        Ok(())
    }
}
