//! `pmt-ridge` and `dp-ridge`: ridge regression from one joint release of noisy moments (theory/public-moments 2).
//!
//! **Guarantee.** The released integers are those of a μ-GDP mechanism up to the slack that the ledger charges beside it, with μ² =
//! Δ²/S² as the exact rational that the ledger charges.
//!
//! **Statistic.** A record is integers (x | y), ‖x‖ <= B_x, ‖y‖ <= B_y. For `pmt-ridge` x is the record whitened by public
//! moments, M^(-1/2) (1, v), and longer than the public radius R_x it is shortened, together with y (`truncation: row`), which keeps
//! the regression unbiased where rare levels make long records (theory/public-moments 1.4). For `dp-ridge` it is the record on the plan's own grid.
//! Released are X'X and X'Y, and the outcomes' squares, so that intervals cover sampling and noise.
//!
//! **Sensitivity.** [`augmented_sensitivity_squared`]. B_y² = B_x²/2, which gives X'Y the variance σ² R_x² R_y² where the diagonal of
//! X'X has σ² R_x⁴: under replace-one μ = √4.5/σ, the joint release of 2.3 and 2.6, and the squares are free. Under add-remove μ = 1.5/σ,
//! and √2/σ without them.
//!
//! **As the paper prints it.** `"calibration": "paper"`: noise alike on and above the diagonal, σ = 2 √2/μ for a budget of μ, no squares,
//! a range of y around 0, features shortened alone, no floor, the intercept penalised. It claims μ and costs 0.75 μ (theory/public-moments 2.3).
//!
//! **After the noise.** The penalty λ weighs on the mean second moment in the columns' own units: n λ M⁻¹ on whitened sums, n the
//! public number of rows. `floor`: eigenvalues of what is inverted are raised to 2 sd √d, the noise's own (theory/public-moments 3.5).

use super::gaussian::Noise;
use super::info::{Info, LINEAR, PUBLIC_MOMENTS};
use super::public_moments::{
    ETA, FLOOR, Grid, LAMBDA, PENALISE_INTERCEPT, Penalty, RADIUS_RULE, Sided, TRUNCATION,
};
use super::rounds::{Configured, Encoding, PostProcessing, Resolved};
use super::second_moments::SecondMoments;
use super::shared::{
    INTERCEPT_WEIGHT, NoiseError, OUTCOME_NORM, RADIUS, ROW_NORM, paper_replaces, printed_scale,
    require_intercept, stated_rows,
};
use crate::inference::options::MeanPenalty;
use crate::inference::preflight::Family;
use crate::model::{Layout, Shape};
use crate::plan::bound::{BoundPlan, GridParams};
use crate::plan::document::Calibration;
use crate::plan::params::{Params, Place};
use crate::plan::{CheckedPlan, PlanError};
use crate::privacy::calibrate::{Budget, Split, budget_parts, noise_scale};
use crate::privacy::profile::paper::pmt;
use crate::privacy::sensitivity::{augmented_sensitivity_squared, joint_sensitivity_squared};

/// Name, guarantee and parameters of `pmt-ridge`.
pub static WITH_PUBLIC_MOMENTS: Info = Info {
    name: "pmt-ridge",
    title: "Ridge regression with public moments",
    group: Some(&PUBLIC_MOMENTS),
    summary: "Truncates records by public moments, then fits a ridge regression.",
    prefer: "Prefer it where means, spreads and correlations of other people's data are known: the noise then has the shape of the columns.",
    source: "Cao, Bi and Zhang 2026, algorithms 1 and 2; theory/public-moments 2.1",
    public_moments: true,
    parameters: &[
        LAMBDA.place(Place::First),
        ETA,
        RADIUS_RULE,
        TRUNCATION,
        PENALISE_INTERCEPT,
        FLOOR,
        RADIUS,
    ],
    ..Info::GAUSSIAN
};

/// Name, guarantee and parameters of `dp-ridge`.
pub static WITH_BOUNDS: Info = Info {
    name: "dp-ridge",
    title: "Ridge regression with a fixed penalty",
    group: Some(&LINEAR),
    summary: "Fits a ridge regression without public data.",
    prefer: "Prefer it for a ridge regression with a fixed penalty where no public moments are known.",
    source: "Cao, Bi and Zhang 2026, baseline; theory/public-moments 2.6",
    parameters: &[
        LAMBDA.place(Place::First),
        OUTCOME_NORM,
        PENALISE_INTERCEPT,
        FLOOR,
        INTERCEPT_WEIGHT.help(""),
        ROW_NORM,
        RADIUS,
    ],
    ..Info::GAUSSIAN
};

impl Configured for Parameters {
    fn grid(&self) -> GridParams {
        self.sided.grid(if self.paper { 1.0 } else { 0.5 })
    }

    fn resolve(&self, plan: &CheckedPlan, mut bound: BoundPlan) -> Result<Resolved, NoiseError> {
        self.encode(plan, &mut bound)?;
        let encoding =
            Encoding::try_new(bound, plan.budget.is_none(), |d, l| Layout::sides(d, l, !self.paper))?;
        let noise = plan.budget.map(|budget| self.noise(plan, &encoding, &budget)).transpose()?;
        let moments = SecondMoments::new(&encoding, noise, self.post_processing());
        Ok(SecondMoments { family: Some(Family::Ridge), ..moments }.resolved(encoding))
    }
}

/// The parameters, defaults filled in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    sided: Sided,
    penalty: Penalty,
    floor: bool,
    /// n, where the penalty needs it.
    rows: Option<u64>,
    paper: bool,
}

impl Parameters {
    /// Reads the plan's parameters.
    ///
    /// # Errors
    /// [`PlanError`] for a value out of range, and without a number of rows where one is needed.
    pub fn read(grid: Grid, plan: &CheckedPlan, params: &mut Params<'_>) -> Result<Self, PlanError> {
        let paper = plan.calibration == Calibration::Paper;
        paper_replaces(plan)?;
        if grid == Grid::Bounds {
            require_intercept(plan)?;
        }
        let sided = Sided::take(grid, params, plan)?;
        let penalty = Penalty::take(params)?;
        let rows = (penalty.lambda > 0.0)
            .then(|| stated_rows(plan, "the penalty is weighed by the number of rows"))
            .transpose()?;
        let floor = params.switch(&FLOOR)?;
        Ok(Self { sided, penalty, floor, rows, paper })
    }

    /// Has the features whitened and the outcomes clipped.
    ///
    /// # Errors
    /// [`PlanError`] where the public moments do not fit the plan.
    fn encode(&self, plan: &CheckedPlan, bound: &mut BoundPlan) -> Result<(), PlanError> {
        let (Some(radii), Some(public)) = (&self.sided.radii, bound.public.clone()) else { return Ok(()) };
        radii.clip_outcomes(bound, &public, self.penalty.around_mean(plan), self.paper)?;
        radii.whiten(bound, &public)
    }

    /// Returns the penalty of the regressions, and whether small eigenvalues are raised to the norm of the noise.
    fn post_processing(&self) -> PostProcessing {
        let penalty = self.rows.map(|rows| MeanPenalty {
            weight: self.penalty.lambda * rows as f64,
            on_intercept: self.penalty.on_intercept,
        });
        PostProcessing { penalty, floor: self.floor, ..PostProcessing::default() }
    }

    /// Returns the noise that a budget buys.
    fn noise(&self, plan: &CheckedPlan, encoding: &Encoding, budget: &Budget) -> Result<Noise, NoiseError> {
        let (geometry, layout) = (&encoding.geometry, encoding.layout);
        let (features, outcomes) = (geometry.feature_square(), geometry.outcome_square());
        let k = plan.max_rows_per_person;
        let (shape, sensitivity_squared) = if self.paper {
            (Shape::Iid, joint_sensitivity_squared(features, outcomes, plan.adjacency, k))
        } else {
            (Shape::Goe, augmented_sensitivity_squared(features, outcomes, plan.adjacency, k))
        };
        let parts = budget_parts(budget, &Split::Gaussian)?;
        let scale = if self.paper {
            printed_scale(pmt::ridge_matrix(parts.pair.mu.get()), features)?
        } else {
            noise_scale(&sensitivity_squared, parts.capacity.gaussian)?
        };
        Ok(Noise { sensitivity_squared, scale, shape, layout, public_features: false })
    }
}
