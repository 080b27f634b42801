//! `noisy-means`: the mean of each outcome, from noisy sums. It shows how little a mechanism needs: this folder and one entry of
//! [`super::REGISTRY`]. It is built for tests alone, under the feature `audit-mutants`.
//!
//! **Guarantee.** The released integers are those of a μ-GDP mechanism up to the slack that the ledger charges beside it, with
//! μ² = Δ²/S² (theory/accounting 3.2).
//!
//! **Statistic.** Features are not read. A record is a bounded vector z = (c, q) of the constant and the outcomes. The second moments
//! Σ z z' hold the count, the sums of the outcomes and their squares.
//!
//! **Sensitivity.** [`sensitivity_squared`] of these records (theory/encoding 3).
//!
//! **Noise.** One discrete Gaussian for each cell (theory/noise 1.2).

use super::gaussian::Noise;
use super::info::{Info, LINEAR};
use super::rounds::{Configured, Encoding, PostProcessing, Resolved};
use super::second_moments::SecondMoments;
use super::shared::{FINE_RADIUS, INTERCEPT_WEIGHT, NoiseError, ROW_NORM, require_intercept, scale};
use crate::model::{Layout, Role, Shape};
use crate::plan::bound::{BoundPlan, GridParams, Norms};
use crate::plan::params::Params;
use crate::plan::{CheckedPlan, PlanError};
use crate::privacy::calibrate::{Split, budget_parts, noise_scale};
use crate::privacy::sensitivity::sensitivity_squared;

/// Step 1: what it is, and the schema of its parameters. The page, the command line and the documentation show what stands here.
pub static INFO: Info = Info {
    name: "noisy-means",
    title: "Noisy means",
    group: Some(&LINEAR),
    summary: "Releases the mean of each outcome.",
    prefer: "Prefer it never: it is there for tests.",
    source: "theory/encoding 3; theory/noise 1",
    no_paper_scale: Some("`noisy-means` has no paper"),
    parameters: &[INTERCEPT_WEIGHT.help(""), ROW_NORM, FINE_RADIUS],
    ..Info::GAUSSIAN
};

/// Step 2: its parameters, with all defaults. The reader takes defaults and ranges from the schema.
#[derive(Clone, Copy, Debug)]
pub struct Parameters {
    grid: GridParams,
}

impl Parameters {
    /// Reads the parameters, and refuses what does not fit the plan.
    ///
    /// # Errors
    /// [`PlanError`] for a value out of range, and where the plan does not fit.
    pub fn read(plan: &CheckedPlan, params: &mut Params<'_>) -> Result<Self, PlanError> {
        require_intercept(plan)?;
        let (radius, intercept_weight) = scale(params, plan)?;
        let norms = Norms::Record { feature_share: 0.0, row_norm: params.number(&ROW_NORM)? };
        Ok(Self { grid: GridParams { radius, intercept_weight, norms } })
    }
}

impl Configured for Parameters {
    fn grid(&self) -> GridParams {
        self.grid
    }

    /// Fixes the encoding of a record, the noise for the budget, the charge, and the rounds (step 3).
    fn resolve(&self, plan: &CheckedPlan, mut bound: BoundPlan) -> Result<Resolved, NoiseError> {
        bound.columns.retain(|column| column.role == Role::Outcome);
        let encoding = Encoding::try_new(bound, plan.budget.is_none(), |d, l| Layout::whole(d + l))?;
        let noise = |budget| {
            let sensitivity_squared = sensitivity_squared(
                u64::from(encoding.geometry.constant),
                u64::from(encoding.geometry.radius),
                plan.adjacency,
                plan.max_rows_per_person,
                plan.constant_is_public(),
            );
            let scale = noise_scale(
                &sensitivity_squared,
                budget_parts(&budget, &Split::Gaussian)?.capacity.gaussian,
            )?;
            let (shape, layout) = (Shape::Goe, encoding.layout);
            Ok::<_, NoiseError>(Noise { sensitivity_squared, scale, shape, layout, public_features: false })
        };
        let noise = plan.budget.map(noise).transpose()?;
        Ok(SecondMoments::new(&encoding, noise, PostProcessing::default()).resolved(encoding))
    }
}
