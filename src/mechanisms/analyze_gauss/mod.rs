//! `analyze-gauss`: the second moments of the bounded integer records, with exact discrete Gaussian noise.
//!
//! **Guarantee.** For any two neighbouring tables, the released integers are those of a μ-GDP mechanism up to the slack
//! that the ledger charges beside it, with μ² = Δ²/S² as the exact rational that the ledger charges
//! (theory/accounting 3.2).
//!
//! **Sensitivity.** G = Σ z z' over records z = (c, q), ‖q‖ ≤ W. Adding a record moves G by z z', whose Frobenius norm
//! is ‖z‖² ≤ R² = c² + W². Replacing z by z̃ moves it by ‖z z' − z̃ z̃'‖² = ‖z‖⁴ + ‖z̃‖⁴ − 2 (z·z̃)² ≤ 2 R⁴. A person
//! with k rows multiplies Δ by k, because ‖A − B‖² ≤ ‖A‖² + ‖B‖² for positive semidefinite A and B. (theory/encoding 3;
//! [`sensitivity_squared`].)
//!
//! **Noise.** Independent on and above the diagonal: `goe` has variance S² on the diagonal and S²/2 off it, so the loss
//! Σ z_j⁴/S² + Σ z_j² z_k²/(S²/2) is exactly ‖z‖⁴/S² (theory/noise 1.2). `iid` has S² everywhere, which loses no more and is noisier:
//! it is there for comparison. The paper's calibration has the paper's scale, which is meant for add-remove and
//! small ε; the charge is that of the true sensitivity. All noise is drawn before the first sum is read. S is the least integer that the plan's
//! units pay for.
//!
//! **Event.** One Gaussian, with Δ², S and the cells of each variance; one charge, whatever is computed from the
//! release.
//!
//! **Defaults.** `radius` 2^24: the finest grid whose sums stay exact; 2^20 where μ < 2^-6 keeps S within the sampler's
//! range. `intercept_weight` 0.5: the count is noised less than a feature and leaves four fifths of the squared norm to
//! the columns. `feature_share` 0.6: between the optima 1/2 for weak and 2/3 for strong effects (theory/encoding 2.4). `row_norm` 1: no
//! record within its bounds is shortened. `ridge` none and `repair` shift: the estimate targets the unpenalised
//! regression wherever the noise allows it.
//!
//! **Standard errors.** [`crate::inference`], from the released moments and the plan alone (theory/inference 2).

use super::gaussian::Noise;
use super::info::{Info, LINEAR};
use super::rounds::{Configured, Encoding, PostProcessing, Resolved};
use super::second_moments::SecondMoments;
use super::shared::{
    FEATURE_SHARE, INTERCEPT_WEIGHT, NoiseError, RADIUS, REPAIR, RIDGE, ROW_NORM, grid, no_scale,
    paper_budget, post_processing, printed_scale,
};
use crate::model::{Layout, Shape};
use crate::plan::bound::{BoundPlan, GridParams};
use crate::plan::params::{Parameter, Params, Usual, Values, names};
use crate::plan::{CheckedPlan, PlanError};
use crate::privacy::calibrate::{Budget, Split, budget_parts, noise_scale};
use crate::privacy::measure::{Delta, Epsilon};
use crate::privacy::profile::paper::analyze_gauss_sigma;
use crate::privacy::sensitivity::sensitivity_squared;

/// Name, guarantee and parameters of `analyze-gauss`.
pub static INFO: Info = Info {
    name: "analyze-gauss",
    title: "Noisy sums of products",
    group: Some(&LINEAR),
    summary: "Adds exact discrete Gaussian noise to the second moments; any regression follows from them.",
    prefer: "Prefer it with few rows, or to compute every regression among the columns from one release.",
    source: "theory/encoding 3; theory/noise 1",
    from_sums: true,
    parameters: &[SHAPE, RIDGE, REPAIR, FEATURE_SHARE, INTERCEPT_WEIGHT, ROW_NORM, RADIUS],
    ..Info::GAUSSIAN
};

const SHAPES: [(&str, Shape); 2] = [("goe", Shape::Goe), ("iid", Shape::Iid)];
const SHAPE_NAMES: [&str; 2] = names(&SHAPES);
const SHAPE: Parameter = Parameter::new("shape", "Shape of the noise", Values::Choice(&SHAPE_NAMES))
    .usual(Usual::Paper("goe", "iid"));

impl Configured for Parameters {
    fn grid(&self) -> GridParams {
        self.grid
    }

    fn resolve(&self, plan: &CheckedPlan, bound: BoundPlan) -> Result<Resolved, NoiseError> {
        let encoding = Encoding::try_new(bound, plan.budget.is_none(), |d, l| Layout::whole(d + l))?;
        let noise = plan.budget.map(|budget| self.noise(plan, &encoding, &budget)).transpose()?;
        Ok(SecondMoments::new(&encoding, noise, self.post_processing).resolved(encoding))
    }
}

/// The parameters, defaults filled in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// How a record becomes integers.
    pub grid: GridParams,
    /// How the variance is spread over the cells.
    pub shape: Shape,
    /// ε and δ of the paper's own scale, where it is asked for.
    pub paper: Option<(Epsilon, Delta)>,
    /// What is done with the released moments.
    pub post_processing: PostProcessing,
}

impl Parameters {
    /// Reads the plan's parameters.
    ///
    /// # Errors
    /// [`PlanError`] for a value out of range.
    pub fn read(plan: &CheckedPlan, params: &mut Params<'_>) -> Result<Self, PlanError> {
        let grid = grid(params, plan)?;
        let shape = params.choice(&SHAPE, &SHAPES)?;
        Ok(Self { grid, shape, paper: paper_budget(plan)?, post_processing: post_processing(params)? })
    }
}

impl Parameters {
    /// Returns the noise that a budget buys, or that of the paper's own scale for (ε, δ): S = ⌈R² σ⌉ with σ = √(2 ln(2/δ))/ε, on
    /// every cell alike (theory/wishart 2.6), where it is `iid`. What that costs follows from S and the true sensitivity.
    fn noise(&self, plan: &CheckedPlan, encoding: &Encoding, budget: &Budget) -> Result<Noise, NoiseError> {
        let sensitivity_squared = sensitivity_squared(
            u64::from(encoding.geometry.constant),
            u64::from(encoding.geometry.radius),
            plan.adjacency,
            plan.max_rows_per_person,
            plan.constant_is_public(),
        );
        let scale = if let Some((epsilon, delta)) = self.paper {
            let sigma = analyze_gauss_sigma(epsilon, delta).map_err(|error| no_scale(&error))?;
            printed_scale(sigma, encoding.geometry.squared_norm())?
        } else {
            let units = budget_parts(budget, &Split::Gaussian)?.capacity.gaussian;
            noise_scale(&sensitivity_squared, units)?
        };
        let layout = Layout::whole(encoding.geometry.terms.len());
        Ok(Noise { sensitivity_squared, scale, shape: self.shape, layout, public_features: false })
    }
}
