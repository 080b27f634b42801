//! `dp-gd` and `pmt-gd`: full-batch gradient descent on least squares with noise on each gradient (theory/many-outcomes 5.4,
//! theory/public-moments 4.1, 4.2): the baseline that needs no matrix, and the same among records that are whitened by public
//! moments, where it needs few steps.
//!
//! **Guarantee.** T adaptive releases, each μ-GDP with μ² = Δ²/S²; together T Δ²/S², the exact rational that the ledger is
//! charged, up to the slack beside it.
//!
//! **Sensitivity.** With W the coefficients of a step, which are public by then, a record (x, y) has the gradient x (W'x − y)'.
//! It is shortened to the length C, the matrix as a whole (`joint`) or each outcome's column (`per-outcome`), and rounded towards
//! 0 to integers of step 2^−m; C is taken down to the grid first. A record whose integers are longer than C 2^m, which is decided
//! in integers, counts as 0. The sum over records is exact. So Δ = C 2^m under add-remove and 2 C 2^m under replace-one, times √l
//! for `per-outcome`, and the map from a record and W to integers is the same for every table: `EXACT`. m is 40, or what brings
//! the budget's noise into the samplers' range.
//!
//! **Units.** For `dp-gd` those of the bounds, ‖x‖ <= 1 and ‖y‖ <= 1. For `pmt-gd` x is whitened and y in public standard deviations
//! from the middle of its range, so that the curvature lies between public bounds L and U with high probability.
//!
//! **Steps.** W ← (I + η λ A P A')⁻¹ (W − η (sum + noise)/(n 2^m)), n the stated number of rows; from W = 0. The penalty on the mean second
//! moment in own units is taken by its proximal map, which is stable for every η (theory/public-moments 4.2); A takes own units to those of the
//! steps. Under add-remove n is a guess that only scales η.
//!
//! **Not here.** Nothing but W follows from the release: there are no moments, no standard errors, no refits.
//!
//! **Defaults.** `dp-gd`: `steps` 100, `step_size` 1 (1/B_x² in units where B_x is 1), `clip` 1/4 (B_x B_y/4): a start, to be
//! tuned on synthetic data. `pmt-gd`, with q = min(√(d/n_B), 0.75), U = (1 − q)⁻², L = (1 + q)⁻²: `steps` 20 + ⌈5 U/L⌉,
//! `step_size` 1/U, `clip` 1. `clip_scope` `joint`.

use std::ops::RangeInclusive;
use std::sync::Arc;

use dashu_int::UBig;
use nalgebra::{DMatrix, DVector};
use serde_json::{Map, Value};

use super::info::{DESCENT, Info};
use super::public_moments::{
    ETA, Grid, LAMBDA, PENALISE_INTERCEPT, Penalty, RADIUS_RULE, Sided, TRUNCATION, feature_unit,
};
use super::rounds::{
    Answer, Charge, Configured, Encoding, Output, Resolved, Round, RoundNoise, Rounds, Run, Task, Unsettled,
};
use super::shared::{
    INTERCEPT_WEIGHT, NoiseError, OUTCOME_NORM, RADIUS, ROW_NORM, require_intercept_or_zero_weight,
    stated_rows,
};
use crate::data::{Exact, RecordMap, Scratch, Statistic};
use crate::inference::report::RegressionTerms;
use crate::inference::weights;
use crate::math::linalg::Cholesky;
use crate::math::round::real;
use crate::model::Layout;
use crate::noise::discrete::gaussian_diagonal;
use crate::noise::entropy::Entropy;
use crate::plan::bound::{BoundPlan, GridParams};
use crate::plan::params::{Parameter, Params, Range, Usual, Values, names};
use crate::plan::{CheckedPlan, PlanError};
use crate::privacy::calibrate::{Budget, CalibrationError, NoiseScale, Split, budget_parts, noise_scale};
use crate::privacy::event::Event;
use crate::privacy::mutants::{Mutant, is_active};
use crate::privacy::sensitivity::gradient_sensitivity_squared;

const SCOPES: [(&str, bool); 2] = [("joint", false), ("per-outcome", true)];
const SCOPE_NAMES: [&str; 2] = names(&SCOPES);

const STEPS: Parameter =
    Parameter::new("steps", "Steps", Values::Whole(1, MOST_STEPS)).usual(Usual::Is("100"));
const STEP_SIZE: Parameter =
    Parameter::new("step_size", "Size of a step", Values::Number(Range::above(0.0, 1e6)))
        .help("where a record has length 1")
        .usual(Usual::Is("1"));
const CLIP: Parameter =
    Parameter::new("clip", "Longest gradient of a record", Values::Number(Range::closed(1e-6, 100.0)))
        .help("where a record has length 1")
        .usual(Usual::Is("0.25"));
const CLIP_SCOPE: Parameter = Parameter::new("clip_scope", "The clip is for", Values::Choice(&SCOPE_NAMES))
    .help("joint is all outcomes together")
    .usual(Usual::Is("joint"));
const GUIDED_STEPS: Parameter = STEPS.usual(Usual::From("from the number of public rows, 25 to 266"));
const GUIDED_STEP_SIZE: Parameter = STEP_SIZE.help("").usual(Usual::From("from the number of public rows"));
const GUIDED_CLIP: Parameter =
    CLIP.help("where features are whitened and outcomes in public standard deviations").usual(Usual::Is("1"));
const PLAIN_INTERCEPT: Parameter = PENALISE_INTERCEPT.usual(Usual::Is("false"));

/// Name, guarantee and parameters of `pmt-gd`.
pub static WITH_PUBLIC_MOMENTS: Info = Info {
    name: "pmt-gd",
    title: "Gradient descent with public moments",
    group: Some(&DESCENT),
    summary: "Truncates records by public moments, then descends along noisy gradients.",
    prefer: "Prefer it to `pmt-ridge` for estimates alone: it has less noise for many features, and gives no intervals.",
    source: "Cao, Bi and Zhang 2026, algorithm 1; theory/public-moments 4.2",
    public_moments: true,
    standard_errors: false,
    no_paper_scale: Some(
        "no paper prints a scale for `pmt-gd`: the one on public moments mentions descent and has no listing of it",
    ),
    parameters: &[
        GUIDED_STEPS,
        GUIDED_STEP_SIZE,
        GUIDED_CLIP,
        CLIP_SCOPE,
        LAMBDA,
        PLAIN_INTERCEPT,
        ETA,
        RADIUS_RULE,
        TRUNCATION.usual(Usual::Is("row")),
        RADIUS,
    ],
    ..Info::GAUSSIAN
};

/// Name, guarantee and parameters of `dp-gd`.
pub static WITH_BOUNDS: Info = Info {
    name: "dp-gd",
    title: "Gradient descent",
    group: Some(&DESCENT),
    summary: "Descends along noisy gradients without public data.",
    prefer: "Prefer it where there are too many features for second moments; it gives no intervals.",
    source: "Cao, Bi and Zhang 2026, baseline; theory/public-moments 4.1; theory/many-outcomes 5.4",
    standard_errors: false,
    no_paper_scale: Some(
        "no paper prints another scale for `dp-gd`: the usual one, √T times 2 C over μ, is the exact one",
    ),
    parameters: &[
        STEPS, STEP_SIZE, CLIP, CLIP_SCOPE, OUTCOME_NORM, LAMBDA, PLAIN_INTERCEPT, INTERCEPT_WEIGHT,
        ROW_NORM, RADIUS,
    ],
    ..Info::GAUSSIAN
};

impl Configured for Parameters {
    fn grid(&self) -> GridParams {
        self.sided.grid(1.0)
    }

    fn resolve(&self, plan: &CheckedPlan, mut bound: BoundPlan) -> Result<Resolved, NoiseError> {
        let mut own = *self;
        let parameters = own.encode(plan, &mut bound)?;
        let encoding = Encoding::try_new(bound, plan.budget.is_none(), |d, l| Layout::sides(d, l, false))?;
        let noise = own.descent(plan, &encoding, plan.budget.as_ref())?;
        let charge = noise.event().zip(noise.scale).map(|(event, scale)| Charge::of_scale(event, scale));
        Ok(Resolved { parameters, ..Resolved::new(encoding, charge, Arc::new(noise)) })
    }
}

/// Bits after the point of a gradient, unless the noise is out of the samplers' range with so many.
const BITS: u32 = 40;

/// Longest gradients in integers, C 2^m, between which m is looked for.
const LONGEST: RangeInclusive<i64> = 1 << 16..=1 << 58;

/// More than the relative rounding error of the length of a gradient with up to 2^19 entries.
const ROUNDING: f64 = 1.0 / (1_u64 << 32) as f64;

/// Rows whose gradients are added in 64 bits before they go to 128: an entry is below 2^59.
const BLOCK: u32 = 8;

/// Most steps: each reads every row again.
const MOST_STEPS: u32 = 10_000;

/// The parameters, defaults filled in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    sided: Sided,
    /// T; 0 until they are resolved.
    steps: u32,
    /// η; 0 until they are resolved.
    step_size: f64,
    /// C.
    clip: f64,
    per_outcome: bool,
    penalty: Penalty,
    /// n, stated.
    rows: u64,
}

impl Parameters {
    /// Reads the plan's parameters. Also returns them as a filled plan states them; there the steps are open until the public
    /// moments are known (`encode`).
    ///
    /// # Errors
    /// [`PlanError`] for a value out of range, for a parameter that the mechanism does not have, and without a number of rows.
    pub fn read(grid: Grid, plan: &CheckedPlan, params: &mut Params<'_>) -> Result<Self, PlanError> {
        let rows = stated_rows(plan, "a step is divided by the number of rows")?;
        let clip = params.number(&CLIP)?;
        let per_outcome = params.choice(&CLIP_SCOPE, &SCOPES)?;
        let penalty = Penalty::take(params)?;
        let sided = Sided::take(grid, params, plan)?;
        let (steps, step_size) = if grid == Grid::PublicMoments {
            (params.optional_whole(&STEPS)?.unwrap_or(0), params.optional(&STEP_SIZE)?.unwrap_or(0.0))
        } else {
            require_intercept_or_zero_weight(
                plan,
                sided.intercept_weight,
                "the descent would give the constant a coefficient",
            )?;
            (params.whole(&STEPS)?, params.verbatim(&STEP_SIZE)?)
        };
        Ok(Self { sided, steps, step_size, clip, per_outcome, penalty, rows })
    }

    /// Sets up whitening of the features and clipping of the outcomes, and finds the number of steps and their size from the
    /// number of public rows. Returns both as a filled plan states them.
    ///
    /// # Errors
    /// [`PlanError`] where the public moments do not fit the plan.
    fn encode(&mut self, plan: &CheckedPlan, bound: &mut BoundPlan) -> Result<Map<String, Value>, PlanError> {
        let (Some(radii), Some(public)) = (&self.sided.radii, bound.public.clone()) else {
            return Ok(Map::new());
        };
        radii.clip_outcomes(bound, &public, self.penalty.around_mean(plan), false)?;
        radii.whiten(bound, &public)?;
        let q = (real(public.terms.len()) / real(public.rows)).sqrt().min(0.75);
        let (upper, lower) = ((1.0 - q).powi(-2), (1.0 + q).powi(-2));
        if self.steps == 0 {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 246")]
            let wanted = (5.0 * upper / lower).ceil() as u32;
            self.steps = 20 + wanted;
        }
        if self.step_size == 0.0 {
            self.step_size = 1.0 / upper;
        }
        let settled = [("steps", Value::from(self.steps)), ("step_size", Value::from(self.step_size))];
        Ok(settled.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// Returns the descent that a budget buys; without noise where there is none.
    ///
    /// # Errors
    /// [`NoiseError`] where the budget buys none.
    pub fn descent(
        &self,
        plan: &CheckedPlan,
        encoding: &Encoding,
        budget: Option<&Budget>,
    ) -> Result<Noise, NoiseError> {
        let Encoding { bound, geometry, layout } = encoding;
        let shape = (layout.features(), layout.outcomes());
        let columns = if self.per_outcome { shape.1 as u64 } else { 1 };
        let units = budget.map(|budget| budget_parts(budget, &Split::Gaussian)).transpose()?;
        // The samplers' range is 2^15 wide, so no step jumps over it.
        let mut bits = BITS;
        let (cap, scale, sensitivity_squared) = loop {
            let cap = integer(self.clip * libm::ldexp(1.0, bits.cast_signed()));
            let (adjacency, k) = (plan.adjacency, plan.max_rows_per_person);
            let square = gradient_sensitivity_squared(cap.unsigned_abs(), adjacency, k, columns, self.steps);
            let scale = units.as_ref().map(|parts| noise_scale(&square, parts.capacity.gaussian));
            bits = match scale.transpose() {
                Ok(scale) => break (cap, scale, square),
                Err(CalibrationError::ScaleTooLarge(_)) if cap > *LONGEST.start() => bits - 1,
                Err(CalibrationError::ScaleTooSmall(_)) if cap < *LONGEST.end() => bits + 1,
                Err(error) => return Err(error.into()),
            };
        };
        let outcome_units = match (&self.sided.radii, geometry.outcomes) {
            (Some(radii), Some(outcomes)) => {
                let standards = radii.standards(bound, self.penalty.around_mean(plan)).into_iter();
                standards.map(|standard| (standard.spread * f64::from(outcomes.reach)).recip()).collect()
            }
            _ => vec![1.0 / (geometry.outcome_square() as f64).sqrt(); shape.1],
        };
        let unit = feature_unit(bound, geometry);
        let map = geometry.map(bound) * unit;
        let penalty = self.penalty.matrix(&map, plan.intercept, self.step_size)?;
        let shrink = if self.penalty.lambda > 0.0 {
            let whole = penalty + DMatrix::identity(shape.0, shape.0);
            Some(Cholesky::try_new(&whole).map_err(|error| super::shared::no_scale(&error))?)
        } else {
            None
        };
        Ok(Noise {
            parameters: *self,
            sensitivity_squared,
            scale,
            shape,
            unit,
            outcome_units,
            bits,
            cap,
            shrink,
        })
    }
}

/// The noise of one release, and the descent that it is for.
#[derive(Clone, Debug, PartialEq)]
pub struct Noise {
    parameters: Parameters,
    /// Δ² of all steps together.
    sensitivity_squared: UBig,
    /// S of each entry of each gradient; none in a demonstration without noise.
    pub scale: Option<NoiseScale>,
    /// Predictors with the constant, outcomes.
    shape: (usize, usize),
    /// A code of a feature in the units of the steps.
    unit: f64,
    /// A code of each outcome.
    outcome_units: Vec<f64>,
    /// m.
    bits: u32,
    /// C 2^m.
    cap: i64,
    /// Factor of what a step is shrunk by.
    shrink: Option<Cholesky>,
}

impl Noise {
    /// Returns what the ledger is charged for. `None` without noise.
    pub fn event(&self) -> Option<Event> {
        let cells = self.shape.0.saturating_mul(self.shape.1) as u64;
        let cells = cells.saturating_mul(u64::from(self.parameters.steps));
        self.scale.map(|scale| Event::gaussian(&self.sensitivity_squared, scale, (cells, 0)))
    }

    /// Returns the part of one record in the gradient at W, in steps of 2^−m. The length of these integers is bounded.
    pub fn gradient(&self, row: &[i32], weights: &DMatrix<f64>) -> Vec<i64> {
        let gradient = Gradient { noise: Arc::new(self.clone()), weights: weights.clone() };
        let mut cells = vec![0; gradient.cells()];
        gradient.add(row, &mut Scratch::default(), &mut cells);
        cells
    }

    /// Returns C 2^m, the largest length of what one record adds.
    pub const fn most(&self) -> i64 {
        self.cap
    }

    /// Returns the length to which a longer gradient is shortened, in the steps' units: so little below C 2^m that rounding cannot lead
    /// beyond it. Shortened to C itself, gradients of a clip that is no multiple of 2^−m would be too long and count as 0.
    fn longest(&self) -> f64 {
        self.cap as f64 * (1.0 - ROUNDING) * libm::ldexp(1.0, -self.bits.cast_signed())
    }
}

/// Noisy steps of one release, between two of them.
#[derive(Clone, Debug)]
pub struct Walk {
    noise: Arc<Noise>,
    weights: DMatrix<f64>,
    done: u32,
}

impl Walk {
    /// Starts before the first step.
    pub fn new(noise: Arc<Noise>) -> Self {
        let (d, l) = noise.shape;
        Self { noise, weights: DMatrix::zeros(d, l), done: 0 }
    }

    /// Returns whether the last step was taken.
    pub fn is_done(&self) -> bool {
        self.done >= self.noise.parameters.steps
    }

    /// Steps taken so far.
    pub const fn done(&self) -> u32 {
        self.done
    }

    /// Returns the map of a record to its part of the gradient at W.
    pub fn gradient(&self) -> Gradient {
        Gradient { noise: Arc::clone(&self.noise), weights: self.weights.clone() }
    }

    /// Takes the step that noisy sums give.
    pub fn advance(&mut self, cells: &[i128]) {
        self.done += 1;
        let Noise { parameters, bits, shrink, .. } = &*self.noise;
        let step = parameters.step_size / (real(parameters.rows) * libm::ldexp(1.0, bits.cast_signed()));
        for (weight, cell) in self.weights.iter_mut().zip(cells) {
            let noisy = real(*cell);
            *weight -= step * noisy;
        }
        if let Some(factor) = shrink {
            for mut column in self.weights.column_iter_mut() {
                let shrunk = factor.solve(&DVector::from(column.clone_owned()));
                column.copy_from(&shrunk);
            }
        }
    }

    /// Returns W in codes of an outcome per code of a predictor.
    pub fn into_coefficients(self) -> DMatrix<f64> {
        let mut own = self.weights;
        for (mut column, outcome) in own.column_iter_mut().zip(&self.noise.outcome_units) {
            column *= self.noise.unit / outcome;
        }
        own
    }
}

/// One record's gradient at some W, in integers.
#[derive(Clone, Debug)]
pub struct Gradient {
    noise: Arc<Noise>,
    weights: DMatrix<f64>,
}

impl Gradient {
    /// Returns the integers of a row, column by column; 0 where they are too long.
    fn fill(&self, row: &[i32], reals: &mut Vec<f64>, entries: &mut Vec<i64>) {
        let (d, l) = self.noise.shape;
        reals.clear();
        reals.resize(d + l, 0.0);
        entries.clear();
        entries.resize(d * l, 0);
        let (x, residuals) = reals.split_at_mut(d);
        for (x, code) in x.iter_mut().zip(row) {
            *x = f64::from(*code) * self.noise.unit;
        }
        let codes = row.get(d..).unwrap_or_default().iter().zip(&self.noise.outcome_units);
        for ((residual, (code, outcome)), column) in
            residuals.iter_mut().zip(codes).zip(self.weights.column_iter())
        {
            let fitted: f64 = x.iter().zip(column.iter()).map(|(x, w)| x * w).sum();
            *residual = fitted - f64::from(*code) * outcome;
        }
        let per_outcome = self.noise.parameters.per_outcome;
        let clip = self.noise.longest();
        let square = |values: &[f64]| values.iter().map(|value| value * value).sum::<f64>();
        let norm = square(x).sqrt();
        let shorten = |length: f64| {
            if length > clip && !is_active(Mutant::GradientUnclipped) { clip / length } else { 1.0 }
        };
        let together = shorten(norm * square(residuals).sqrt());
        let one = libm::ldexp(1.0, self.noise.bits.cast_signed());
        for (residual, column) in residuals.iter().zip(entries.chunks_exact_mut(d.max(1))) {
            let factor = if per_outcome { shorten(norm * residual.abs()) } else { together };
            for (entry, x) in column.iter_mut().zip(&*x) {
                *entry = integer(x * residual * factor * one);
            }
        }
        let limit = u128::from(self.noise.cap.unsigned_abs()).pow(2);
        let within = |entries: &[i64]| {
            is_active(Mutant::GradientUnclipped) || squares(entries).is_some_and(|sum| sum <= limit)
        };
        let scope = if per_outcome { d.max(1) } else { entries.len().max(1) };
        for entries in entries.chunks_exact_mut(scope) {
            if !within(entries) {
                entries.fill(0);
            }
        }
    }
}

/// Returns the sum of the squares, or `None` beyond 128 bits, where a saturated entry has come.
fn squares(entries: &[i64]) -> Option<u128> {
    entries.iter().try_fold(0_u128, |sum, entry| sum.checked_add(u128::from(entry.unsigned_abs()).pow(2)))
}

impl RecordMap for Gradient {
    fn cells(&self) -> usize {
        self.weights.len()
    }

    fn block(&self) -> u32 {
        BLOCK
    }

    fn add(&self, row: &[i32], scratch: &mut Scratch, cells: &mut [i64]) {
        self.fill(row, &mut scratch.reals, &mut scratch.integers);
        for (cell, entry) in cells.iter_mut().zip(&scratch.integers) {
            *cell = cell.saturating_add(*entry);
        }
    }
}

impl RoundNoise for Noise {
    /// Draws one entry after the other of W's columns.
    fn draw(&self, rng: &mut dyn Entropy) -> Vec<i128> {
        let entry = |_| self.scale.map_or(0, |scale| gaussian_diagonal(rng, scale.get()));
        (0..self.shape.0 * self.shape.1).map(entry).collect()
    }

    fn answer(&self, drawn: Vec<i128>, sums: &Exact<'_>, _: &mut dyn Entropy) -> Option<Answer> {
        Answer::noisy(drawn, sums)
    }
}

impl Rounds for Noise {
    fn count(&self) -> u32 {
        self.parameters.steps
    }

    fn start(self: Arc<Self>) -> Box<dyn Run> {
        Box::new(Walk::new(self))
    }
}

impl Run for Walk {
    fn round(&self) -> Option<Round> {
        (!self.is_done()).then(|| Round {
            statistic: Statistic::Map(Arc::new(self.gradient())),
            noise: Arc::clone(&self.noise) as Arc<dyn RoundNoise>,
        })
    }

    fn take(&mut self, answer: Answer) {
        self.advance(&answer.cells);
    }

    fn finish(self: Box<Self>, task: &Task) -> Result<Output, Unsettled> {
        let Encoding { bound, geometry, .. } = &task.encoding;
        let layout = RegressionTerms::new(bound, geometry);
        let (coefficients, diagnostics) =
            weights::report(geometry, &layout, &geometry.map(bound), &self.into_coefficients());
        Ok(Output { coefficients, diagnostics, moments: None, steps: None })
    }
}

/// Towards 0; what is no number becomes 0.
#[expect(clippy::cast_possible_truncation, reason = "`as` saturates, and the integers are checked")]
fn integer(value: f64) -> i64 {
    value as i64
}
