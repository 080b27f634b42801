//! `ols`: least squares without any privacy, in `simulate` alone, as the limit that private releases are compared with.
//!
//! It minimises the mean squared error plus λ‖β‖², with β in the columns' own units: `lambda` is a penalty on the mean
//! second moment. There is no noise, no sensitivity and no charge.

use std::sync::Arc;

use super::gaussian;
use super::info::Info;
use super::public_moments::{self, PENALISE_INTERCEPT, Penalty};
use super::rounds::{Configured, Encoding, Outcomes, PostProcessing, Resolved, Task, Unsettled};
use super::second_moments::{Analysis, Extent, SecondMoments};
use super::shared::NoiseError;
use crate::inference::moments::NoisyMoments;
use crate::inference::options::{MeanPenalty, Options};
use crate::model::{Assurance, Layout, Wallet};
use crate::plan::bound::{BoundPlan, GridParams, Levels, Norms};
use crate::plan::params::{Parameter, Params, Range, Usual, Values};
use crate::plan::{CheckedPlan, PlanError};

/// Name, guarantee and parameters of `ols`.
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

    fn levels(&self) -> Levels {
        Levels::ZeroOne
    }

    fn resolve(&self, _: &CheckedPlan, bound: BoundPlan) -> Result<Resolved, NoiseError> {
        let encoding = Encoding::try_new(bound, true, |d, l| Layout::whole(d + l))?;
        let rounds = SecondMoments::new(&encoding, None::<gaussian::Noise>, PostProcessing::default());
        let rounds = SecondMoments { analysis: Arc::new(*self), ..rounds };
        Ok(Resolved::new(encoding, None, Arc::new(rounds)))
    }
}

impl Analysis for Parameters {
    fn adjust(
        &self,
        _: &Task,
        moments: NoisyMoments,
        _: Option<&Outcomes>,
        _: Option<Extent>,
        options: &mut Options,
    ) -> Result<NoisyMoments, Unsettled> {
        let Penalty { lambda, on_intercept } = self.0;
        options.penalty = moments
            .noisy_rows()
            .filter(|_| lambda > 0.0)
            .map(|(rows, _)| MeanPenalty { weight: lambda * rows, on_intercept });
        Ok(moments)
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
pub struct Parameters(Penalty);

impl Parameters {
    /// Reads the parameters.
    ///
    /// # Errors
    /// [`PlanError`] for a value out of range.
    pub fn read(_: &CheckedPlan, params: &mut Params<'_>) -> Result<Self, PlanError> {
        Ok(Self(Penalty::take(params)?))
    }
}
