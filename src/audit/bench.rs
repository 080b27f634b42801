//! One pair of tables, read through the public path and released again and again.

use serde_json::Value;

use super::error::AuditError;
use super::pairs::Pair;
use crate::data::csv::Feed;
use crate::data::header::read_header;
use crate::data::{Combiner, HeaderRead, HeaderRules, Moments, RowSink, Scan, SliceScanner};
use crate::engine::{EngineError, Prepared, check_table, prepare};
use crate::math::round::real;
use crate::mechanisms::gaussian::{Noise, perturb};
use crate::noise::entropy::DemoRng;
use crate::plan::{Plan, Purpose};

/// Runs that a score learns the noise from.
pub const PILOT: u32 = 256;

/// The first of the pilot's runs, apart from all others.
pub(super) const PILOT_RUNS: u64 = 1 << 30;

/// Which of the two tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The first.
    Without,
    /// The second.
    With,
}

impl Side {
    /// Both, in their order.
    pub const BOTH: [Self; 2] = [Self::Without, Self::With];

    /// Returns 0 or 1.
    pub const fn index(self) -> usize {
        match self {
            Self::Without => 0,
            Self::With => 1,
        }
    }
}

/// What makes the released integers of moments: [`perturb`], or a formula that is wrong on purpose.
pub type Mechanism = fn(&Moments, &Noise, &mut DemoRng) -> Vec<i128>;

/// Two tables that are ready to be released any number of times.
#[derive(Debug)]
pub struct Bench {
    /// The exact sums of both tables.
    pub moments: [Moments; 2],
    /// The noise of their plan.
    pub noise: Noise,
    mechanism: Mechanism,
    seed: u64,
    lane: u32,
}

impl Bench {
    /// Reads both tables. Each `lane` under one seed has noise of its own.
    ///
    /// # Errors
    /// [`AuditError`] where the build does not take its own tables.
    pub fn new(pair: &Pair, seed: u64, lane: u32) -> Result<Self, AuditError> {
        let (prepared, first) = read(&pair.plan, &pair.tables[0], Prepared::moments)?;
        let (_, second) = read(&pair.plan, &pair.tables[1], Prepared::moments)?;
        let noise = noise(&prepared)?;
        Ok(Self { moments: [first, second], noise, mechanism: perturb::<DemoRng>, seed, lane })
    }

    /// Returns the same tables under another mechanism and noise.
    #[must_use]
    pub fn with_mechanism(self, mechanism: Mechanism, noise: Noise) -> Self {
        Self { mechanism, noise, ..self }
    }

    /// Returns the released integers of one run, in the layout's order.
    pub fn release(&self, side: Side, run: u64) -> Vec<i128> {
        let stream = u64::from(self.lane) << 32 | run << 1 | side.index() as u64;
        (self.mechanism)(&self.moments[side.index()], &self.noise, &mut DemoRng::new(self.seed, stream))
    }

    /// Returns the statistic that tells the tables apart, or nothing where their sums are equal: then no release can differ.
    ///
    /// Σ Δ_j / s_j M_j over the cells, with Δ the difference of the exact sums: the likelihood ratio of Gaussian noise of
    /// variances s. They are those of the noise as it is, from [`PILOT`] runs, so that a cell with less noise than
    /// claimed is used to the full.
    pub fn score(&self) -> Option<Score> {
        let [origin, with] = [0, 1].map(|side| exact(&self.moments[side], &self.noise));
        let change: Vec<f64> = with.iter().zip(&origin).map(|(with, without)| real(with - without)).collect();
        if change.iter().all(|change| change.abs() <= 0.0) {
            return None;
        }
        let mut squares = vec![0.0; origin.len()];
        for run in 0..PILOT {
            let cells = self.release(Side::Without, PILOT_RUNS + u64::from(run));
            for ((square, cell), exact) in squares.iter_mut().zip(&cells).zip(&origin) {
                *square += real(cell - exact).powi(2) / f64::from(PILOT);
            }
        }
        // Noise on a cell of integers that is there at all has a variance of 1 or more, but for tiny scales.
        let weights = change.iter().zip(&squares).map(|(change, square)| change / square.max(1.0)).collect();
        Some(Score { weights, origin })
    }
}

/// A weighted sum of released cells.
#[derive(Clone, Debug)]
pub struct Score {
    weights: Vec<f64>,
    origin: Vec<i128>,
}

impl Score {
    /// Returns the score of one release.
    pub fn of(&self, cells: &[i128]) -> f64 {
        let centred = cells.iter().zip(&self.origin).map(|(cell, origin)| real(cell - origin));
        centred.zip(&self.weights).map(|(cell, weight)| cell * weight).sum()
    }
}

/// Prepares a plan for a demonstration and reads a table into `sink`, both through the public path.
///
/// # Errors
/// [`AuditError`] where one of them is refused.
pub fn read<S: RowSink>(
    plan: &Value,
    table: &str,
    sink: fn(&Prepared) -> S,
) -> Result<(Prepared, S), AuditError> {
    let (prepared, scan) = scan(plan, table, sink)?;
    check_table(&prepared, scan.records, scan.persons)?;
    Ok((prepared, scan.sink))
}

/// Returns the same of a part of a table, whose number of rows is not the plan's.
///
/// # Errors
/// As [`read`].
pub(super) fn scan<S: RowSink>(
    plan: &Value,
    table: &str,
    sink: fn(&Prepared) -> S,
) -> Result<(Prepared, Scan<S>), AuditError> {
    let HeaderRead::Header(header) = read_header(table.as_bytes(), true, HeaderRules::default())? else {
        return Err(AuditError::Unfinished);
    };
    let plan = Plan::parse(&plan.to_string())?;
    let prepared = prepare(plan, &header.names, header.delimiter, Purpose::Simulate)?;
    let length = table.len() as u64;
    let mut combiner = Combiner::new(&header, length, prepared.bound(), length, 1);
    while let Some(job) = combiner.next_job() {
        let mut scanner = SliceScanner::new(job, prepared.bound(), sink(&prepared));
        let from = usize::try_from(job.from).unwrap_or(usize::MAX);
        let mut rest = table.as_bytes().get(from..).unwrap_or_default();
        while !rest.is_empty() && scanner.feed(rest) == Feed::More {
            rest = &[];
        }
        combiner.offer(scanner.finish())?;
    }
    let scan = combiner.finish().ok_or(AuditError::Unfinished)?;
    Ok((prepared, scan))
}

/// Returns the noise of a plan.
///
/// # Errors
/// [`AuditError`] for a plan without noise.
pub fn noise(prepared: &Prepared) -> Result<Noise, AuditError> {
    let noise = prepared.gaussian();
    Ok(noise.ok_or(EngineError::Internal("the audit's plan adds no noise to cells"))?.clone())
}

/// Returns the exact sums, as [`perturb`] releases them.
pub fn exact(moments: &Moments, noise: &Noise) -> Vec<i128> {
    noise.layout.pairs().map(|(row, column)| moments.get(row, column)).collect()
}
