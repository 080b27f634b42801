//! `adaptive-logistic`: Newton steps of a logistic regression in coordinates that the budget itself has bought (theory/adaptive-logistic).
//!
//! The first rounds are those of [`super::adaptive`]: margins, rough second moments with the guide computed from them, and tail
//! counts. Linear discriminant analysis of these answers ([`start`]) gives the first coefficients. Two or three noisy Newton
//! steps follow ([`step`], [`estimate`]); the last has most of the budget. [`progress`] holds the state of a release between two
//! rounds. All integer units and noise scales ([`units`]) are computed from public numbers, so the charge is stored before any
//! noise is drawn.
//!
//! **Guarantee.** For any two neighbouring tables, the released integers of all rounds together are those of a μ-GDP mechanism up to the
//! slack that the ledger charges beside it, with μ² = Σ Δ_r²/S_r² over the rounds (theory/adaptive-logistic 3).
//!
//! **Sensitivity.** Each round maps a record alone to integers, whose sizes are checked in integers; the earlier answers only change what
//! an integer unit means. Floating point and the exponential are inside that map: they can cost accuracy, never privacy.
//!
//! **Event.** One Gaussian for each round, all in one charge, before the first noise is drawn.

mod document;
pub mod estimate;
pub mod forecast;
pub mod progress;
pub mod report;
mod run;
pub mod start;
pub mod step;
pub mod units;

use std::sync::Arc;

use serde_json::{Map, Value};

use self::progress::{Setting, replaced};
use self::units::Rounds;
use super::adaptive::coded::{steps_of, terms_of};
use super::adaptive::terms::{Terms, check_features, require_rows};
use super::info::{Info, YES_OR_NO};
use super::newton;
use super::rounds::{Configured, Encoding, Resolved};
use super::shared::{Charge, NoiseError, require_intercept};
use crate::data::MAX_CELLS;
use crate::math::round::real;
use crate::model::Layout;
use crate::plan::bound::{BoundPlan, Clipping, GridParams, Levels, Norms, Sides};
use crate::plan::params::{Parameter, Params, Range, Usual, Values};
use crate::plan::{CheckedPlan, PlanError};
use crate::privacy::calibrate::{Split, budget_parts, mu_squared_of_units};

/// Name, guarantee and parameters of `adaptive-logistic`.
pub static INFO: Info = Info {
    name: "adaptive-logistic",
    title: "Logistic regression in coordinates that fit",
    group: Some(&YES_OR_NO),
    summary: "Spends a part of the budget on where the values lie, and the rest on two or three steps of a logistic regression in coordinates that fit them.",
    prefer: "Prefer it from about a thousand rows on: for the same budget it has several times less noise than `dp-logistic`.",
    guarantee: "The released integers of all rounds together are μ-GDP, exactly as they are computed.",
    source: "theory/adaptive-logistic 2",
    labels: true,
    no_paper_scale: Some("`adaptive-logistic` has no scale of a paper's own"),
    adapts: true,
    foresees: true,
    parameters: &[STEPS, LAMBDA],
    ..Info::GAUSSIAN
};

const STEPS: Parameter = Parameter::new("steps", "Steps", Values::Whole(2, 3))
    .help("A third step repairs a poor start and costs up to 13 % in accuracy")
    .usual(Usual::From("2 where the stated rows are few for the budget, else 3"));

const LAMBDA: Parameter = Parameter::new("lambda", "Penalty", Values::Number(Range::closed(0.0, 1e6)))
    .help("On slopes in units of the features' spread: a normal prior of variance 1/lambda. Where the features tell yes from no without error, about a hundredth of the rows gives intervals")
    .usual(Usual::Is("0"));

/// Most labels: each makes the noise of the others larger.
const MOST_LABELS: usize = 100;

/// The grid on which a record is read before a round maps it: so fine that no round sees it. The weights' squares sum to 1, so no record
/// within its bounds is shortened.
const FINE: GridParams = GridParams {
    radius: 1 << 30,
    intercept_weight: 0.0,
    norms: Norms::Sides(Sides {
        ratio: 1.0,
        feature_norm: 1.0,
        outcome_norm: 1.0,
        clipping: Clipping::EachOutcome,
    }),
};

/// The parameters, defaults filled in where they do not follow from the header.
#[derive(Debug)]
pub struct Parameters {
    steps: Option<u32>,
    lambda: f64,
    /// Without noise: the regression without privacy.
    reference: Option<Box<dyn Configured>>,
}

impl Parameters {
    /// Reads the parameters, and refuses what does not fit the plan.
    ///
    /// # Errors
    /// [`PlanError`] for a value out of range, and where the plan does not fit.
    pub fn read(plan: &CheckedPlan, params: &mut Params<'_>) -> Result<Self, PlanError> {
        let steps = params.optional_whole(&STEPS)?;
        let lambda = params.verbatim(&LAMBDA)?;
        require_intercept(plan)?;
        newton::check_outcomes(plan, newton::Family::Logistic)?;
        require_rows(plan, INFO.name)?;
        let reference = if plan.budget.is_none() { Some(without_noise(plan, lambda)?) } else { None };
        Ok(Self { steps, lambda, reference })
    }
}

impl Configured for Parameters {
    fn grid(&self) -> GridParams {
        self.reference.as_ref().map_or(FINE, |reference| reference.grid())
    }

    fn levels(&self) -> Levels {
        self.reference.as_ref().map_or(Levels::ZeroOne, |reference| reference.levels())
    }

    fn resolve(&self, plan: &CheckedPlan, bound: BoundPlan) -> Result<Resolved, NoiseError> {
        let fine = BoundPlan { grid: FINE, labels: true, ..bound.clone() };
        let encoding = Encoding::new(fine, false, |d, l| Layout::sides(d, l, false));
        let (terms, coded) = terms_of(&encoding);
        check_size(&terms)?;
        encoding.check(None)?;
        let parts = plan.budget.map(|budget| budget_parts(&budget, &Split::Gaussian)).transpose()?;
        let units = parts.map_or(0, |parts| parts.capacity.gaussian);
        let steps = self.steps.unwrap_or_else(|| usual_steps(plan, &terms, units));
        let parameters = Map::from_iter([(STEPS.name.to_owned(), Value::from(steps))]);
        if let Some(reference) = &self.reference {
            return Ok(Resolved { parameters, ..reference.resolve(plan, bound)? });
        }
        let people = plan.max_rows_per_person;
        let rounds = Rounds::new(&terms, plan.adjacency, people, steps, units)?;
        let charge = Charge::gaussian(rounds.events(), scales(&rounds));
        let last = units::split(steps, units).last().copied().unwrap_or(0);
        let mu_last = mu_squared_of_units(last).sqrt() / f64::from(people.max(1));
        let steps = steps_of(&encoding, &coded[..terms.features()]);
        let (adjacency, lambda) = (plan.adjacency, self.lambda);
        let setting = Setting { terms, rounds, adjacency, mu_last, lambda, coded, steps };
        Ok(Resolved { parameters, ..Resolved::new(encoding, Some(charge), Arc::new(setting)) })
    }
}

/// Returns the regression without privacy: without noise there is nothing to adapt to.
fn without_noise(plan: &CheckedPlan, lambda: f64) -> Result<Box<dyn Configured>, PlanError> {
    if lambda > 0.0 {
        return Err(PlanError::at(
            "mechanism.params.lambda",
            "the penalty is in units that the noisy rounds give, and without noise there are none",
            "set it to 0, or give a budget",
        ));
    }
    let none = Map::new();
    let Info { name, parameters, .. } = newton::REFERENCE;
    let mut params = Params::new(name, parameters, &none, false);
    Ok(Box::new(newton::Parameters::read(newton::Kind::Reference, plan, &mut params)?))
}

/// Returns the noise scales that a ledger's entry says.
fn scales(rounds: &Rounds) -> Vec<(&'static str, String)> {
    const NAMES: [&str; 6] = ["S_margins", "S_moments", "S_tails", "S_step_1", "S_step_2", "S_step_3"];
    NAMES.into_iter().zip(rounds.in_order().map(|round| round.scale.get().to_string())).collect()
}

/// Returns T: two steps where the stated rows are few for the budget, for then a third costs more than it repairs
/// (theory/adaptive-logistic 2.2).
fn usual_steps(plan: &CheckedPlan, terms: &Terms, units: u128) -> u32 {
    let Some(rows) = plan.public_rows() else { return 3 };
    let a = replaced(plan.adjacency) * f64::from(plan.max_rows_per_person);
    let rows = real(rows);
    let noise = a * a * real(terms.outcomes()) * (7.2 * real(terms.coefficients()));
    if noise > 0.112 * mu_squared_of_units(units) * rows { 2 } else { 3 }
}

fn check_size(terms: &Terms) -> Result<(), PlanError> {
    check_features(terms, INFO.name, "dp-logistic")?;
    let (k, labels) = (terms.coefficients(), terms.outcomes());
    if labels <= MOST_LABELS && labels * k * (k + 3) / 2 <= MAX_CELLS {
        return Ok(());
    }
    Err(PlanError::at(
        "columns",
        format!("there are {labels} outcomes, and {MOST_LABELS} is the most for `adaptive-logistic`"),
        "choose fewer outcomes or fewer features",
    ))
}
