//! `adaptive-gauss`: second moments in coordinates that the budget itself has bought (theory/adaptive).
//!
//! Four or five rounds share one budget. The first three are those of [`super::adaptive`]:
//! - margins ([`margins`](super::adaptive::margins));
//! - rough second moments ([`rough`](super::adaptive::rough)), from which the guide is computed
//!   ([`guide`](super::adaptive::guide));
//! - tail counts ([`tails`](super::adaptive::tails)), from which the radii are computed ([`radii`]);
//! - with most of the budget, the second moments of whitened features and standardised residuals ([`last`]), from which every
//!   estimate is computed ([`estimate`], [`gate`]);
//! - if the plan pays for them, products of scores ([`scores`]), which give robust standard errors.
//!
//! [`progress`] holds the state of a release between two rounds. All integer units and noise scales ([`units`]) are computed from
//! public numbers, so the charge is stored before any noise is drawn.
//!
//! **Guarantee.** For any two neighbouring tables, the released integers of all rounds together are those of a μ-GDP mechanism up
//! to the slack that the ledger charges beside it, with μ² = Σ Δ_r²/S_r² over the rounds (theory/adaptive 3).
//!
//! **Sensitivity.** Each round maps a record alone to integers, whose lengths are checked in integers; the earlier answers only
//! change what an integer unit means. Floating point is inside that map: it can cost accuracy, never privacy (theory/adaptive
//! 3.1).
//!
//! **Event.** One Gaussian for each round, all in one charge, before the first noise is drawn.

pub mod beside;
mod document;
pub mod estimate;
pub mod forecast;
pub mod gate;
pub mod last;
mod notes;
pub mod progress;
pub mod radii;
pub mod refit;
pub mod report;
mod run;
pub mod scores;
pub mod units;

use std::sync::Arc;

use serde_json::Value;

use self::progress::Setting;
use self::radii::OUTCOME_RADII;
use self::units::{Rounds, Shares};
use super::adaptive::coded::{steps_of, terms_of};
use super::adaptive::terms::{Terms, check_features, require_rows};
use super::gaussian;
use super::info::{Info, LINEAR};
use super::rounds::{Configured, Encoding, PostProcessing, Resolved};
use super::second_moments::SecondMoments;
use super::shared::{Charge, NoiseError, require_intercept};
use crate::model::Layout;
use crate::plan::bound::{BoundPlan, GridParams, Levels, Norms};
use crate::plan::params::{Parameter, Params, Range, Usual, Values};
use crate::plan::{CheckedPlan, PlanError};
use crate::privacy::calibrate::{Split, WHOLE_SHARE, budget_parts, mu_squared_of_units};

/// Name, guarantee and parameters of `adaptive-gauss`.
pub static INFO: Info = Info {
    name: "adaptive-gauss",
    title: "Noisy sums in coordinates that fit",
    group: Some(&LINEAR),
    summary: "Spends a part of the budget on where the values lie, and the rest on sums of products in coordinates that fit them.",
    prefer: "Prefer it from some thousand rows on: for the same budget it has several times less noise than `analyze-gauss`.",
    guarantee: "The released integers of all rounds together are μ-GDP, exactly as they are computed.",
    source: "theory/adaptive 2",
    no_paper_scale: Some("`adaptive-gauss` has no scale of a paper's own"),
    adapts: true,
    foresees: true,
    from_sums: true,
    parameters: &[SHARES, ROBUST_SHARE, OUTCOME_RADIUS],
    ..Info::GAUSSIAN
};

const SHARES: Parameter = Parameter::new(
    "shares",
    "Shares of the first three rounds",
    Values::Shares(&["margins", "moments", "tails"], Range::closed(0.01, 0.5), 0.6, false),
)
.usual(Usual::Is("[0.06, 0.14, 0.08]"));

/// What robust standard errors take of the budget.
pub const ROBUST_SHARE: Parameter = Parameter::new(
    "robust_share",
    "Share for robust standard errors",
    Values::Number(Range::closed(0.0, 0.3)),
)
.usual(Usual::From("0.1 where several rows of a person count, else 0"))
.help("Of the budget, of μ². It buys standard errors that hold also where residuals do not spread equally or the rows of a person are alike");

/// [`ROBUST_SHARE`] where several rows of a person count: without it intervals would take them for independent.
const SHARE_OF_PERSONS: f64 = 0.1;

const OUTCOME_RADIUS: Parameter = Parameter::new(
    "outcome_radius",
    "Residuals are clipped at",
    Values::Number(Range::closed(OUTCOME_RADII[0], OUTCOME_RADII[1])),
)
.usual(Usual::From("chosen from noisy counts, mostly 3 to 5"))
.help("In standard deviations of the residuals. Where these are about normal, 3 makes intervals narrower");

/// Most outcomes: each makes the noise of the others larger.
const MOST_OUTCOMES: usize = 500;

/// The grid on which a record is read before a round maps it: so fine that no round sees it. The weights' squares sum to 1, so no
/// record within its bounds is shortened.
const FINE: GridParams = GridParams {
    radius: 1 << 30,
    intercept_weight: 0.0,
    norms: Norms::Record { feature_share: 0.5, row_norm: 1.0 },
};

/// The grid of a demonstration without noise: that of `analyze-gauss`.
const WITHOUT_NOISE: GridParams = GridParams {
    radius: 1 << 24,
    intercept_weight: 0.5,
    norms: Norms::Record { feature_share: 0.6, row_norm: 1.0 },
};

/// The parameters, defaults filled in.
#[derive(Clone, Copy, Debug)]
pub struct Parameters {
    shares: Shares,
    outcome_radius: Option<f64>,
    grid: GridParams,
}

impl Parameters {
    /// Reads the parameters, and refuses what does not fit the plan.
    ///
    /// # Errors
    /// [`PlanError`] for a value out of range, and where the plan does not fit.
    pub fn read(plan: &CheckedPlan, params: &mut Params<'_>) -> Result<Self, PlanError> {
        let (shares, outcome_radius) = (shares(plan, params)?, params.optional(&OUTCOME_RADIUS)?);
        require_intercept(plan)?;
        require_rows(plan, INFO.name)?;
        let grid = if plan.budget.is_some() { FINE } else { WITHOUT_NOISE };
        Ok(Self { shares, outcome_radius, grid })
    }
}

impl Configured for Parameters {
    fn grid(&self) -> GridParams {
        self.grid
    }

    fn levels(&self) -> Levels {
        Levels::ZeroOne
    }

    fn resolve(&self, plan: &CheckedPlan, bound: BoundPlan) -> Result<Resolved, NoiseError> {
        let shares = self.shares;
        let encoding = Encoding::new(bound, plan.budget.is_none(), |d, l| Layout::whole(d + l));
        let (terms, coded) = terms_of(&encoding);
        check_size(&terms)?;
        encoding.check(None)?;
        let Some(budget) = plan.budget else {
            // Without noise there is nothing to adapt to, and all rounds but the last say nothing.
            let none = PostProcessing::default();
            let rounds = SecondMoments::new(&encoding, None::<gaussian::Noise>, none);
            return Ok(Resolved::new(encoding, None, Arc::new(rounds)));
        };
        if plan.max_rows_per_person > 1 && shares.scores > 0 {
            check_persons(&terms, plan.public_rows().unwrap_or_default())?;
        }
        let units = budget_parts(&budget, &Split::Gaussian)?.capacity.gaussian;
        let rounds = Rounds::new(&terms, plan.adjacency, plan.max_rows_per_person, shares, units)?;
        let parameters = ["S_margins", "S_moments", "S_tails", "S_last", "S_scores"].into_iter();
        let parameters = parameters.zip(rounds.in_order().map(|round| round.scale.get().to_string()));
        let charge = Charge::gaussian(rounds.events(), parameters);
        let [_, _, _, last, _] = shares.split(units);
        let mu_last = mu_squared_of_units(last).sqrt() / f64::from(plan.max_rows_per_person.max(1));
        let steps = steps_of(&encoding, &coded);
        let setting = Setting {
            terms,
            shares,
            rounds,
            adjacency: plan.adjacency,
            max_rows_per_person: plan.max_rows_per_person,
            mu_last,
            outcome_radius: self.outcome_radius,
            coded,
            steps,
        };
        // What the noise does to a coefficient depends on the transform, so no forecast goes by the last round's law.
        Ok(Resolved::new(encoding, Some(charge), Arc::new(setting)))
    }
}

/// Reads `shares`, the parts of μ² that the first three rounds have: each 0.01 to 0.5, 0.6 at most together; and `robust_share`,
/// that of the scores: 0 to 0.3.
fn shares(plan: &CheckedPlan, params: &mut Params<'_>) -> Result<Shares, PlanError> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most half of the whole")]
    let parts = |share: f64| (share * f64::from(WHOLE_SHARE)).round() as u32;
    let [margins, moments, tails] = params.shares(&SHARES)?.map(parts);
    let scores = if plan.max_rows_per_person > 1 {
        params.value_or(&ROBUST_SHARE, Value::from(SHARE_OF_PERSONS), Parameter::number)?
    } else {
        params.optional(&ROBUST_SHARE)?.unwrap_or_default()
    };
    let scores = parts(scores);
    Ok(Shares { margins, moments, tails, scores })
}

/// Most integers that the scores of all persons may be: a gibibyte.
const MOST_SUMS: u64 = 1 << 27;

/// Refuses scores that would not fit in memory: those of each person are kept, of whom there are as many as `rows` at most. A
/// statement of fewer than 65,536, or none, is not relied on, for it may be a guess.
fn check_persons(terms: &Terms, rows: u64) -> Result<(), PlanError> {
    let of_person = terms.coefficients().saturating_mul(terms.outcomes()) as u64;
    if of_person.saturating_mul(rows.max(1 << 16)) <= MOST_SUMS {
        return Ok(());
    }
    Err(PlanError::at(
        "mechanism.params.robust_share",
        "robust standard errors of persons need more memory than there is for so many rows, features and outcomes",
        "choose fewer outcomes, or give `robust_share` 0",
    ))
}

fn check_size(terms: &Terms) -> Result<(), PlanError> {
    check_features(terms, INFO.name, "analyze-gauss")?;
    let outcomes = terms.outcomes();
    if outcomes <= MOST_OUTCOMES {
        return Ok(());
    }
    Err(PlanError::at(
        "columns",
        format!("there are {outcomes} outcomes, and {MOST_OUTCOMES} is the most for `adaptive-gauss`"),
        "choose fewer outcomes, or take `reuse-cov-gauss`",
    ))
}
