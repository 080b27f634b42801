//! `ols`: least squares without any privacy, in `simulate` alone, as the limit that private releases are compared with.
//!
//! It minimises the mean squared error plus λ‖β‖², with β in the columns' own units: `lambda` is a penalty on the mean
//! second moment. There is no noise, no sensitivity and no charge.

use std::sync::Arc;

use nalgebra::{DMatrix, DVector};

use super::gaussian;
use super::info::Info;
use super::public_moments::{self, PENALISE_INTERCEPT};
use super::rounds::{Configured, Encoding, PostProcessing, Resolved, Task, Unsettled};
use super::second_moments::{Analysis, SecondMoments};
use super::shared::NoiseError;
use crate::inference::design::FitError;
use crate::inference::moments::NoisyMoments;
use crate::inference::options::{Options, Ridge};
use crate::inference::report::{RegressionTerms, report as unpenalised};
use crate::math::linalg::Cholesky;
use crate::math::special::normal_quantile;
use crate::model::{Assurance, Estimate, Interval, Layout, Wallet};
use crate::plan::bound::{BoundPlan, GridParams, Norms};
use crate::plan::params::{Parameter, Params, Range, Usual, Values};
use crate::plan::public::Whitener;
use crate::plan::{CheckedPlan, PlanError};
use crate::release::document::{Coefficients, Diagnostics};
use crate::words;

/// What `ols` is.
pub static INFO: Info = Info {
    name: "ols",
    title: "Least squares without privacy",
    group: None,
    summary: "Ordinary least squares without any privacy, for comparison.",
    prefer: "Prefer it never for anything that is published: it shows what the private ones aim at.",
    guarantee: "None.",
    source: "closed form",
    wallet: Wallet::None,
    assurance: Assurance::Demo,
    no_paper_scale: Some("`ols` has no noise, so no paper has a scale for it"),
    parameters: &[LAMBDA, PENALISE_INTERCEPT.usual(Usual::Is("false"))],
    ..Info::GAUSSIAN
};

/// λ of a reference may be as large as a number can be.
const LAMBDA: Parameter =
    Parameter { values: Values::Number(Range::closed(0.0, f64::MAX)), ..public_moments::LAMBDA };

impl Configured for Parameters {
    fn grid(&self) -> GridParams {
        GRID
    }

    fn resolve(
        &self,
        _: &CheckedPlan,
        bound: BoundPlan,
        _: Option<&Whitener>,
    ) -> Result<Resolved, NoiseError> {
        let encoding = Encoding::new(bound, true, |d, l| Layout::whole(d + l));
        encoding.check(None)?;
        let rounds = SecondMoments::new(&encoding, None::<gaussian::Noise>, PostProcessing::default());
        let rounds = SecondMoments { analysis: Arc::new(*self), ..rounds };
        Ok(Resolved::new(encoding, None, Arc::new(rounds)))
    }
}

impl Analysis for Parameters {
    fn report(
        &self,
        task: &Task,
        moments: &NoisyMoments,
        layout: &RegressionTerms,
        options: Options,
    ) -> Result<(Coefficients, Diagnostics), Unsettled> {
        let intercept = task.checked.intercept;
        let solved = if self.lambda > 0.0 {
            report(moments, layout, intercept, Options { ridge: Ridge::None, ..options }, *self)
        } else {
            unpenalised(moments, layout, intercept, options)
        };
        solved.map_err(|_| Unsettled)
    }
}

/// The finest grid; no record within its bounds is shortened. Without noise the constant needs little of a record's
/// length, and the features, whose rounding adds up, most of the rest.
pub const GRID: GridParams = GridParams {
    radius: 1 << 24,
    intercept_weight: 0.0625,
    norms: Norms::Record { feature_share: 0.8, row_norm: 1.0 },
};

/// The parameters, defaults filled in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// λ.
    pub lambda: f64,
    /// Whether λ weighs on the intercept too.
    pub penalise_intercept: bool,
}

impl Parameters {
    /// Reads the parameters.
    ///
    /// # Errors
    /// [`PlanError`] for a value out of range.
    pub fn read(params: &mut Params<'_>) -> Result<Self, PlanError> {
        Ok(Self { lambda: params.number(&LAMBDA)?, penalise_intercept: params.switch(&PENALISE_INTERCEPT)? })
    }
}

/// Every outcome of `layout` regressed on all its predictors, with the penalty.
///
/// Predictors in own units over their scale are u = T z for coded records z, the outcome over its scale σ is t'z + y.
/// With A = Σ u u' / n, own-unit coefficients b = σ M γ and D = diag(λ), 0 for an intercept that is not penalised, γ
/// solves (A + M'D M) γ = Σ u (t'z + y) / n − M'D m, m holding the outcome's centre over σ at the intercept. The
/// intervals are for these penalised coefficients: their covariance is σ² s² M (A + M'D M)⁻¹ A (A + M'D M)⁻¹ M' / n,
/// s² = RSS / (n − d). Rounded to nearest.
///
/// # Errors
/// [`FitError`] where the moments cannot be solved.
pub fn report(
    moments: &NoisyMoments,
    layout: &RegressionTerms,
    intercept: bool,
    options: Options,
    parameters: Parameters,
) -> Result<(Coefficients, Diagnostics), FitError> {
    // The form of the answer, with names and in the right order; every number in it is replaced.
    let (mut coefficients, mut diagnostics) = unpenalised(moments, layout, intercept, options)?;
    let design = Penalised::new(moments, &layout.predictors, intercept, parameters)?;
    let quantile = normal_quantile(f64::midpoint(1.0, options.confidence));
    for (position, (_, outcome)) in layout.outcomes.iter().enumerate() {
        let fit = design.fit(*outcome);
        for (term, (&estimate, &error)) in fit.estimate.iter().zip(&fit.std_error).enumerate() {
            let numbers = [estimate, error, estimate - quantile * error, estimate + quantile * error, 0.0];
            write(&mut coefficients, position, design.terms() * position + term, term, numbers);
        }
        if let Some(entry) = diagnostics.outcomes.get_mut(position) {
            entry.residual_sd = Some(fit.residual_sd);
            entry.residual_resolved = true;
            entry.r_squared = None;
        }
    }
    diagnostics.repair = None;
    diagnostics.notes = vec![words::note::not_private(parameters.lambda)];
    Ok((coefficients, diagnostics))
}

/// Replaces the numbers of one coefficient: estimate, standard error, both ends, share of noise.
fn write(coefficients: &mut Coefficients, outcome: usize, entry: usize, term: usize, numbers: [f64; 5]) {
    let [estimate, std_error, lower, upper, noise_share] = numbers.map(Some);
    match coefficients {
        Coefficients::List(list) => {
            if let Some(entry) = list.get_mut(entry) {
                entry.estimate = estimate;
                entry.std_error = std_error;
                entry.lower = lower;
                entry.upper = upper;
                entry.noise_share = noise_share;
                entry.interval = Interval::Normal;
            }
        }
        Coefficients::Table(table) => {
            let interval = Interval::Normal;
            let entry = Estimate { estimate, std_error, lower, upper, noise_share, interval };
            table.set(outcome, term, entry);
        }
    }
}

/// What all outcomes share.
struct Penalised<'a> {
    moments: &'a NoisyMoments,
    /// Rows that count.
    rows: f64,
    /// Coordinates of z that the predictors use, the constant first.
    support: Vec<usize>,
    /// T.
    transform: DMatrix<f64>,
    /// M.
    unscale: DMatrix<f64>,
    /// A.
    mean: DMatrix<f64>,
    /// Factor of A + M'D M.
    factor: Cholesky,
    /// D's diagonal at the intercept.
    on_intercept: f64,
    intercept: bool,
}

struct PenalisedFit {
    estimate: Vec<f64>,
    std_error: Vec<f64>,
    residual_sd: f64,
}

impl<'a> Penalised<'a> {
    fn new(
        moments: &'a NoisyMoments,
        predictors: &[usize],
        intercept: bool,
        parameters: Parameters,
    ) -> Result<Self, FitError> {
        let constant = moments.constant().ok_or(FitError::NoConstant)?;
        let terms = moments.terms();
        let support: Vec<usize> = std::iter::once(0).chain(predictors.iter().copied()).collect();
        let first = usize::from(!intercept);
        let d = support.len() - first;
        let mut transform = DMatrix::zeros(d, support.len());
        let mut unscale = DMatrix::zeros(d, d);
        for row in 0..d {
            let term = &terms[support[row + first]];
            transform[(row, row + first)] = 1.0;
            unscale[(row, row)] = 1.0 / term.scale;
            if !intercept {
                transform[(row, 0)] = term.centre / (term.scale * constant);
            } else if row > 0 {
                unscale[(0, row)] = -term.centre / term.scale;
            }
        }
        let g = moments.matrix();
        let rows = g[(0, 0)] / (constant * constant);
        let coded = DMatrix::from_fn(support.len(), support.len(), |i, j| g[(support[i], support[j])] / rows);
        let mean = &transform * coded * transform.transpose();
        let on_intercept = if intercept && !parameters.penalise_intercept { 0.0 } else { parameters.lambda };
        let mut penalty = DVector::from_element(d, parameters.lambda);
        if intercept && d > 0 {
            penalty[0] = on_intercept;
        }
        let whole = &mean + unscale.transpose() * DMatrix::from_diagonal(&penalty) * &unscale;
        let factor = Cholesky::try_new(&whole)?;
        Ok(Self { moments, rows, support, transform, unscale, mean, factor, on_intercept, intercept })
    }

    fn terms(&self) -> usize {
        self.mean.nrows()
    }

    fn fit(&self, outcome: usize) -> PenalisedFit {
        let g = self.moments.matrix();
        let term = &self.moments.terms()[outcome];
        let centre = term.centre / term.scale;
        // t: through the origin of own units the outcome's centre moves to the constant's coordinate.
        let shift = if self.intercept { 0.0 } else { centre / self.moments.constant().unwrap_or(1.0) };
        let cross = DVector::from_fn(self.support.len(), |i, _| {
            (g[(self.support[i], outcome)] + shift * g[(self.support[i], 0)]) / self.rows
        });
        let cross = &self.transform * cross;
        let mut target = cross.clone();
        if self.intercept {
            // M' e_0 times the penalty on the intercept's part that the outcome's centre is.
            target -= self.unscale.row(0).transpose() * (self.on_intercept * centre);
        }
        let gamma = self.factor.solve(&target);
        let square =
            (g[(outcome, outcome)] + 2.0 * shift * g[(outcome, 0)] + shift * shift * g[(0, 0)]) / self.rows;
        let residual = (square - 2.0 * gamma.dot(&cross) + gamma.dot(&(&self.mean * &gamma))).max(0.0);
        let d = f64::from(u32::try_from(self.terms()).unwrap_or(u32::MAX));
        let variance = residual * self.rows / (self.rows - d).max(1.0);
        let turned = &self.unscale * self.factor.inverse();
        let covariance = &turned * &self.mean * turned.transpose() * (variance / self.rows);
        let mut estimate = &self.unscale * gamma * term.scale;
        if self.intercept && !estimate.is_empty() {
            estimate[0] += term.centre;
        }
        PenalisedFit {
            estimate: estimate.iter().copied().collect(),
            std_error: covariance.diagonal().iter().map(|cell| cell.max(0.0).sqrt() * term.scale).collect(),
            residual_sd: variance.sqrt() * term.scale,
        }
    }
}
