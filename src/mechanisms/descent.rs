//! `dp-gd`: full-batch gradient descent on least squares with noise on each gradient (primo 1.12, pmt 1.8): the baseline that
//! needs no matrix, for many predictors.
//!
//! **Guarantee.** T adaptive releases, each μ-GDP with μ² = Δ²/S²; together T Δ²/S², the exact rational that the ledger is
//! charged, up to the slack beside it.
//!
//! **Sensitivity.** With W the coefficients of a step, which are public by then, a record (x, y) in units of its bounds, ‖x‖ <= 1
//! and ‖y‖ <= 1, has the gradient x (W'x − y)'. It is shortened to the length C, the matrix as a whole (`joint`) or each
//! outcome's column (`per-outcome`), and rounded towards 0 to integers of step 2⁻⁴⁰; a record whose integers are longer than
//! C 2⁴⁰, which is decided in integers, counts as 0. The sum over records is exact. So Δ = C 2⁴⁰ under add-remove and
//! 2 C 2⁴⁰ under replace-one, times √l for `per-outcome`, and the map from a record and W to integers is the same for every
//! table: `EXACT`.
//!
//! **Steps.** W ← W − η (sum + noise)/(n 2⁴⁰), n the stated number of rows; from W = 0. Under add-remove n is a guess that
//! only scales η.
//!
//! **Not here.** Nothing but W follows from the release: there are no moments, no standard errors, no refits.
//!
//! **Defaults.** `steps` 100, `step_size` 1 (1/B_x² in units where B_x is 1), `clip` 1/4 (B_x B_y/4): a start, to be settled on
//! made-up data. `clip_scope` `joint`.

use dashu_int::UBig;
use nalgebra::DMatrix;
use serde_json::{Map, Value};

use super::shared::{NoiseError, no_constant, scale, two_sides, usual_radius};
use crate::data::{EncodedRows, Geometry};
use crate::noise::discrete::gaussian_diagonal;
use crate::noise::entropy::Entropy;
use crate::plan::bound::GridParams;
use crate::plan::params::Params;
use crate::plan::{CheckedPlan, PlanError};
use crate::privacy::calibrate::{
    Budget, NoiseScale, Split, gradient_sensitivity_squared, noise_scale, wallets,
};
use crate::privacy::event::Event;
use crate::privacy::mutants::{Mutant, planted};

/// The mechanism's version in a ledger's entries.
pub const VERSION: &str = "1";

/// Bits after the point of a gradient.
const BITS: u32 = 40;

/// Most steps: each reads every row again.
const MOST_STEPS: u64 = 10_000;

/// The parameters, defaults filled in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    radius: u32,
    intercept_weight: f64,
    row_norm: f64,
    outcome_norm: f64,
    /// T.
    steps: u32,
    /// η, in units where B_x is 1.
    step_size: f64,
    /// C, in units where B_x and B_y are 1.
    clip: f64,
    per_outcome: bool,
    /// n, stated.
    rows: u64,
}

impl Parameters {
    /// Reads the plan's parameters; also answers them as they stand in a filled plan.
    ///
    /// # Errors
    /// [`PlanError`] for a value out of range, for a parameter that the mechanism does not have, and without a number of rows.
    pub fn from_plan(plan: &CheckedPlan) -> Result<(Self, Map<String, Value>), PlanError> {
        let mut params = Params::new("dp-gd", &plan.plan.mechanism.params);
        let (radius, intercept_weight) = scale(&mut params, plan, usual_radius(plan))?;
        no_constant(plan, intercept_weight, "the descent would give the constant a coefficient")?;
        let rows = plan.rows.or(plan.plan.stated_rows).filter(|rows| *rows > 0).ok_or_else(|| {
            PlanError::at(
                "stated_rows",
                "a step is divided by the number of rows",
                "state about how many there are",
            )
        })?;
        let steps = params.value("steps", Value::from(100), "a whole number from 1 to 10000", |value| {
            let steps = value.as_u64().filter(|steps| (1..=MOST_STEPS).contains(steps))?;
            u32::try_from(steps).ok()
        })?;
        let read = Self {
            radius,
            intercept_weight,
            row_norm: params.number("row_norm", 1.0, 0.0..=1.0, Some(0.0))?,
            outcome_norm: params.number("outcome_norm", 1.0, 0.0..=1.0, Some(0.0))?,
            steps,
            step_size: params.number("step_size", 1.0, 0.0..=1e6, Some(0.0))?,
            // Beyond 2^15 a gradient in steps of 2^-40 leaves the samplers' range.
            clip: params.number("clip", 0.25, 1e-6..=100.0, None)?,
            per_outcome: params.choice("clip_scope", "joint", &[("joint", false), ("per-outcome", true)])?,
            rows,
        };
        Ok((read, params.finish()?))
    }

    /// The grid: both sides alike, since the fit works in units of their bounds.
    #[must_use]
    pub const fn grid(&self) -> GridParams {
        two_sides(self.radius, self.intercept_weight, self.row_norm, self.outcome_norm)
    }

    /// The descent that a budget buys; without noise where there is none.
    ///
    /// # Errors
    /// [`NoiseError`] where the budget buys none.
    pub fn descent(
        &self,
        plan: &CheckedPlan,
        geometry: &Geometry,
        shape: (usize, usize),
        budget: Option<&Budget>,
    ) -> Result<Noise, NoiseError> {
        let cap = integer(self.clip * libm::ldexp(1.0, BITS.cast_signed()));
        let columns = if self.per_outcome { shape.1 as u64 } else { 1 };
        let sensitivity_squared = gradient_sensitivity_squared(
            cap.unsigned_abs(),
            plan.adjacency,
            plan.max_rows_per_person,
            columns,
            self.steps,
        );
        let scale = match budget {
            None => None,
            Some(budget) => {
                let units = wallets(budget, &Split::Gaussian)?.capacity.gaussian;
                Some(noise_scale(&sensitivity_squared, units)?)
            }
        };
        #[expect(clippy::cast_precision_loss, reason = "at most 2^49, so exact")]
        let norms =
            [geometry.feature_square(), geometry.outcome_square()].map(|square| (square as f64).sqrt());
        Ok(Noise { parameters: *self, sensitivity_squared, scale, shape, norms, cap })
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
    /// B_x and B_y, in codes.
    norms: [f64; 2],
    /// C 2⁴⁰.
    cap: i64,
}

impl Noise {
    /// What the ledger is charged for; nothing without noise.
    #[must_use]
    pub fn event(&self) -> Option<Event> {
        let cells = self.shape.0.saturating_mul(self.shape.1) as u64;
        self.scale.map(|scale| Event::Gaussian {
            sensitivity_squared: self.sensitivity_squared.clone(),
            scale,
            cells_diagonal: cells.saturating_mul(u64::from(self.parameters.steps)),
            cells_off_diagonal: 0,
        })
    }

    /// What one record adds to a gradient at W, in steps of 2⁻⁴⁰: the integers whose length is bounded.
    #[must_use]
    pub fn gradient(&self, row: &[i32], weights: &DMatrix<f64>) -> Vec<i64> {
        Gradient::new(self).of(row, weights).to_vec()
    }

    /// C 2⁴⁰, the largest length of what one record adds.
    #[must_use]
    pub const fn most(&self) -> i64 {
        self.cap
    }

    /// W after the last step, in codes of an outcome per code of a predictor: one column for each outcome.
    pub fn release<E: Entropy>(&self, rows: &EncodedRows, rng: &mut E) -> DMatrix<f64> {
        let (d, l) = self.shape;
        let mut weights = DMatrix::<f64>::zeros(d, l);
        #[expect(clippy::cast_precision_loss, reason = "at most 2^53 rows matter")]
        let step =
            self.parameters.step_size / (self.parameters.rows as f64 * libm::ldexp(1.0, BITS.cast_signed()));
        let mut gradient = Gradient::new(self);
        for _ in 0..self.parameters.steps {
            let mut sums: Vec<i128> = match self.scale {
                Some(scale) => (0..d * l).map(|_| gaussian_diagonal(rng, scale.get())).collect(),
                None => vec![0; d * l],
            };
            for index in 0..rows.len() {
                let Some(row) = rows.get(index) else { break };
                for (sum, entry) in sums.iter_mut().zip(gradient.of(row, &weights)) {
                    *sum = sum.saturating_add(i128::from(*entry));
                }
            }
            for (weight, sum) in weights.iter_mut().zip(&sums) {
                #[expect(clippy::cast_precision_loss, reason = "post-processing")]
                let sum = *sum as f64;
                *weight -= step * sum;
            }
        }
        weights * (self.norms[1] / self.norms[0])
    }
}

/// One record's gradient, in integers.
struct Gradient<'a> {
    noise: &'a Noise,
    x: Vec<f64>,
    residual: Vec<f64>,
    entries: Vec<i64>,
}

impl<'a> Gradient<'a> {
    fn new(noise: &'a Noise) -> Self {
        let (d, l) = noise.shape;
        Self { noise, x: vec![0.0; d], residual: vec![0.0; l], entries: vec![0; d * l] }
    }

    /// The integers of a row at W, column by column; 0 where they are too long.
    fn of(&mut self, row: &[i32], weights: &DMatrix<f64>) -> &[i64] {
        let [bx, by] = self.noise.norms;
        let (d, _) = self.noise.shape;
        for (x, code) in self.x.iter_mut().zip(row) {
            *x = f64::from(*code) / bx;
        }
        for ((residual, code), column) in
            self.residual.iter_mut().zip(row.get(d..).unwrap_or_default()).zip(weights.column_iter())
        {
            let fitted: f64 = self.x.iter().zip(column.iter()).map(|(x, w)| x * w).sum();
            *residual = fitted - f64::from(*code) / by;
        }
        let Parameters { clip, per_outcome, .. } = self.noise.parameters;
        let square = |values: &[f64]| values.iter().map(|value| value * value).sum::<f64>();
        let norm = square(&self.x).sqrt();
        let shorten = |length: f64| {
            if length > clip && !planted(Mutant::GradientUnclipped) { clip / length } else { 1.0 }
        };
        let together = shorten(norm * square(&self.residual).sqrt());
        let one = libm::ldexp(1.0, BITS.cast_signed());
        for (residual, column) in self.residual.iter().zip(self.entries.chunks_exact_mut(d.max(1))) {
            let factor = if per_outcome { shorten(norm * residual.abs()) } else { together };
            for (entry, x) in column.iter_mut().zip(&self.x) {
                *entry = integer(x * residual * factor * one);
            }
        }
        let limit = u128::from(self.noise.cap.unsigned_abs()).pow(2);
        let within = |entries: &[i64]| {
            planted(Mutant::GradientUnclipped)
                || entries.iter().map(|entry| u128::from(entry.unsigned_abs()).pow(2)).sum::<u128>() <= limit
        };
        let scope = if per_outcome { d.max(1) } else { self.entries.len().max(1) };
        for entries in self.entries.chunks_exact_mut(scope) {
            if !within(entries) {
                entries.fill(0);
            }
        }
        &self.entries
    }
}

/// Towards 0; what is no number becomes 0.
#[expect(clippy::cast_possible_truncation, reason = "`as` saturates, and the integers are checked")]
fn integer(value: f64) -> i64 {
    value as i64
}
