//! What several mechanisms take: parameters of the grid and of the regression, and the ε and δ of the (ε, δ) budget.

use serde_json::{Map, Value};

use crate::inference::options::{MeanPenalty, Repair, Ridge};
use crate::math::round::{real, to_integer};
use crate::model::Assurance;
use crate::plan::bound::{Clipping, GridParams, Norms, Sides};
use crate::plan::document::Calibration;
use crate::plan::params::{Parameter, Params, Range, Usual, Values, names};
use crate::plan::{CheckedPlan, PlanError};
use crate::privacy::adjacency::Adjacency;
use crate::privacy::calibrate::{
    Budget, CalibrationError, NoiseScale, Split, budget_parts, delta_of_units, epsilon_of_units,
};
use crate::privacy::event::Event;
use crate::privacy::measure::{Delta, Epsilon};
use crate::privacy::mutants::{Mutant, is_active};

/// R.
pub const RADIUS: Parameter =
    Parameter::new("radius", "Radius of the grid", Values::PowerOfTwo(1 << 16, 1 << 24))
        .usual(Usual::From("16777216; 1048576 for a small budget"));

/// R of noise that needs no coarser grid for a small budget.
pub const FINE_RADIUS: Parameter = RADIUS.usual(Usual::Is("16777216"));

/// c / W.
pub const INTERCEPT_WEIGHT: Parameter =
    Parameter::new("intercept_weight", "Weight of the constant", Values::Number(Range::above(0.0, 1.0)))
        .help("and 0 under replace-one without an intercept")
        .usual(Usual::Is("0.5"));

/// The share of the squared length for the features.
pub const FEATURE_SHARE: Parameter = Parameter::new(
    "feature_share",
    "Share of the length for the features",
    Values::Number(Range::closed(0.1, 0.9)),
)
.usual(Usual::Is("0.6"));

/// The longest record.
pub const ROW_NORM: Parameter =
    Parameter::new("row_norm", "Longest row kept, as a share", Values::Number(Range::above(0.0, 1.0)))
        .help("A longer row is shortened as a whole")
        .usual(Usual::Is("1"));

/// The longest features.
pub const FEATURE_NORM: Parameter = Parameter::new(
    "feature_norm",
    "Longest features kept, as a share",
    Values::Number(Range::above(0.0, 1.0)),
)
.help("of what the bounds allow. A longer row is shortened")
.usual(Usual::Is("1"));

/// The longest outcomes.
pub const OUTCOME_NORM: Parameter =
    Parameter::new("outcome_norm", "Longest outcomes kept, as a share", Values::Number(Range::above(0.0, 1.0)))
        .help(
            "of what the bounds allow. With many outcomes no person is at all bounds at once: a smaller share means less noise",
        )
        .usual(Usual::Is("1"));

/// The penalty after the noise.
pub const RIDGE: Parameter = Parameter::new(
    "ridge",
    "Ridge penalty",
    Values::WordOrNumber(&["none", "auto"], Range::closed(0.0, f64::MAX)),
)
.help("With a penalty the intervals are for the penalised coefficients")
.usual(Usual::Is("none"));

/// The penalty after the noise, of mechanisms for many outcomes.
pub const AUTO_RIDGE: Parameter = RIDGE.usual(Usual::Is("auto"));

const REPAIRS: [&str; 3] = names(&Repair::CHOICES);

/// What happens to noisy moments that are not positive definite.
pub const REPAIR: Parameter =
    Parameter::new("repair", "If the noisy moments are not positive definite", Values::Choice(&REPAIRS))
        .usual(Usual::Is("shift"));

/// The same, of mechanisms for many outcomes.
pub const FLOOR_REPAIR: Parameter = REPAIR.usual(Usual::Is("floor"));

/// Below this μ the grid is coarser, so that S stays within the sampler's range.
const SMALL_MU: f64 = 1.0 / 64.0;

/// Returns R where neither a plan nor a schema says it: 2^24, and 2^20 for a small budget.
fn usual_radius(plan: &CheckedPlan) -> u32 {
    // A budget that cannot be used is refused by the calibration.
    let mu =
        |budget| budget_parts(budget, &Split::Gaussian).map_or(f64::INFINITY, |parts| parts.pair.mu.get());
    let small = plan.budget.as_ref().is_some_and(|budget| mu(budget) < SMALL_MU);
    if small { 1 << 20 } else { 1 << 24 }
}

/// Reads how records become integers: `radius`, `intercept_weight`, `feature_share` and `row_norm` (docs/methods.md).
///
/// # Errors
/// [`PlanError`] for a value out of range.
pub fn grid(params: &mut Params<'_>, plan: &CheckedPlan) -> Result<GridParams, PlanError> {
    let (radius, intercept_weight) = scale(params, plan)?;
    let norms =
        Norms::Record { feature_share: params.number(&FEATURE_SHARE)?, row_norm: params.number(&ROW_NORM)? };
    Ok(GridParams { radius, intercept_weight, norms })
}

/// Returns a grid whose records have two sides, shortened together, with norms as shares of what the bounds allow. Both sides
/// have the same length, until a mechanism gives the outcomes another.
pub const fn two_sides(
    radius: u32,
    intercept_weight: f64,
    feature_norm: f64,
    outcome_norm: f64,
) -> GridParams {
    let sides = Sides { ratio: 1.0, feature_norm, outcome_norm, clipping: Clipping::Together };
    GridParams { radius, intercept_weight, norms: Norms::Sides(sides) }
}

/// Reads `radius` and `intercept_weight`, which every grid has.
///
/// # Errors
/// [`PlanError`] for a value out of range.
pub fn scale(params: &mut Params<'_>, plan: &CheckedPlan) -> Result<(u32, f64), PlanError> {
    let radius = radius(params, plan)?;
    let may_drop_constant = plan.adjacency == Adjacency::ReplaceOne && !plan.intercept;
    let intercept_weight = params.value(&INTERCEPT_WEIGHT, |own, value| {
        let zero = value.as_f64().filter(|weight| *weight == 0.0 && may_drop_constant);
        own.number(value).or(zero)
    })?;
    Ok((radius, intercept_weight))
}

/// Reads `radius`.
///
/// # Errors
/// [`PlanError`] for a value out of range.
pub fn radius(params: &mut Params<'_>, plan: &CheckedPlan) -> Result<u32, PlanError> {
    params.whole_or(&RADIUS, usual_radius(plan))
}

/// Returns the public number of rows.
///
/// # Errors
/// [`PlanError`] where the plan states none, with the reason `why` it is needed.
pub fn stated_rows(plan: &CheckedPlan, why: &str) -> Result<u64, PlanError> {
    plan.public_rows().filter(|rows| *rows > 0).ok_or_else(|| {
        PlanError::at("stated_rows", why, "state about how many rows there are, from public knowledge")
    })
}

/// Refuses a plan without an intercept, for a mechanism that fits on the plan's own grid. There values are measured from the
/// middles of their bounds, and only the constant can convert them to the columns' own units.
///
/// # Errors
/// [`PlanError`] where `intercept` is false.
pub fn require_intercept(plan: &CheckedPlan) -> Result<(), PlanError> {
    if plan.intercept {
        return Ok(());
    }
    Err(PlanError::at(
        "intercept",
        "it measures fitted values from the middles of the columns' bounds, and needs the constant for that",
        "leave `intercept` true",
    ))
}

/// Refuses a plan without an intercept whose records nevertheless have a constant, for a mechanism that would fit it.
///
/// # Errors
/// [`PlanError`] with the `reason` where `intercept` is false and `intercept_weight` above 0.
pub fn require_intercept_or_zero_weight(
    plan: &CheckedPlan,
    intercept_weight: f64,
    reason: &str,
) -> Result<(), PlanError> {
    if plan.intercept || intercept_weight <= 0.0 {
        return Ok(());
    }
    Err(PlanError::at(
        "intercept",
        reason,
        "leave `intercept` true, or set `intercept_weight` to 0, which needs replace-one",
    ))
}

/// Refuses the scale of a paper under add-remove, because the paper has replace-one alone.
///
/// # Errors
/// [`PlanError`] under add-remove.
pub fn paper_replaces(plan: &CheckedPlan) -> Result<(), PlanError> {
    if plan.calibration == Calibration::Exact || plan.adjacency == Adjacency::ReplaceOne {
        return Ok(());
    }
    Err(PlanError::at(
        "mechanism.calibration",
        "the paper has replace-one alone",
        "set `adjacency` to \"replace-one\", or `calibration` to \"exact\"",
    ))
}

/// Returns the ε and δ of a paper's own scale, where the plan asks for it and has noise.
///
/// # Errors
/// [`PlanError`] for a budget of another form.
pub fn paper_budget(plan: &CheckedPlan) -> Result<Option<(Epsilon, Delta)>, PlanError> {
    match (plan.calibration, plan.budget) {
        (Calibration::Exact, _) | (Calibration::Paper, None) => Ok(None),
        (Calibration::Paper, Some(Budget::EpsilonDelta { epsilon, delta })) => Ok(Some((epsilon, delta))),
        (Calibration::Paper, Some(Budget::Mu { .. } | Budget::Rho { .. })) => Err(PlanError::at(
            "budget",
            "the paper's scale is for an epsilon and a delta",
            "give {\"epsilon\", \"delta\"}",
        )),
    }
}

/// Reads `ridge` and `repair` (docs/methods.md).
///
/// # Errors
/// [`PlanError`] for a value that is none of the choices.
pub fn post_processing(params: &mut Params<'_>) -> Result<PostProcessing, PlanError> {
    Ok(PostProcessing {
        ridge: params.value(&RIDGE, |_, value| Ridge::from_value(value))?,
        repair: params.choice(&REPAIR, &Repair::CHOICES)?,
        ..PostProcessing::default()
    })
}

/// The cost of a release that is charged to the (ε, δ) budget.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ApproximateCost {
    /// ε as charged.
    pub epsilon: Epsilon,
    /// δ as charged.
    pub delta: Delta,
}

impl ApproximateCost {
    /// Returns the ε and δ that a budget buys of the (ε, δ) budget, in whole units, so that a plan that asks for all of one fits.
    ///
    /// # Errors
    /// [`CalibrationError`] for a budget of another form or out of range.
    pub fn of(budget: &Budget) -> Result<Self, CalibrationError> {
        let capacity = budget_parts(budget, &Split::Other)?.capacity;
        let (epsilon, delta) = (epsilon_of_units(capacity.epsilon), delta_of_units(capacity.delta));
        if epsilon == Epsilon::ZERO || delta == Delta::ZERO {
            return Err(CalibrationError::Nothing);
        }
        Ok(Self { epsilon, delta })
    }
}

/// What the ledger is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Charge {
    /// What is charged.
    pub events: Vec<Event>,
    /// What the proof covers.
    pub assurance: Assurance,
    /// The (ε, δ) that it costs, where it is charged to the (ε, δ) budget.
    pub cost: Option<ApproximateCost>,
    /// What a ledger's entry says about it beside the plan's own parameters.
    pub parameters: Map<String, Value>,
}

/// What is done with released moments before they are solved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PostProcessing {
    /// The penalty after the noise.
    pub ridge: Ridge,
    /// What happens if the noisy moments are not positive definite.
    pub repair: Repair,
    /// A penalty on the mean second moment in the columns' own units.
    pub penalty: Option<MeanPenalty>,
    /// Whether eigenvalues that noise alone could give are raised.
    pub floor: bool,
}

impl Charge {
    /// Returns the charge of Gaussian noise.
    pub fn gaussian(
        events: Vec<Event>,
        parameters: impl IntoIterator<Item = (&'static str, String)>,
    ) -> Self {
        Self { events, assurance: Assurance::Exact, cost: None, parameters: to_map(parameters) }
    }

    /// Returns the charge of Gaussian noise of one scale.
    pub fn of_scale(event: Event, scale: NoiseScale) -> Self {
        Self::gaussian(vec![event], [("S", scale.get().to_string())])
    }

    /// Returns the charge of noise that costs ε and δ.
    pub fn approximate(
        cost: ApproximateCost,
        assurance: Assurance,
        parameters: impl IntoIterator<Item = (&'static str, String)>,
    ) -> Self {
        let event = Event::Approximate { epsilon: cost.epsilon, delta: cost.delta };
        Self { events: vec![event], assurance, cost: Some(cost), parameters: to_map(parameters) }
    }
}

fn to_map(parameters: impl IntoIterator<Item = (&'static str, String)>) -> Map<String, Value> {
    parameters.into_iter().map(|(name, value)| (name.to_owned(), Value::from(value))).collect()
}

/// Why a mechanism has no noise for a plan.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NoiseError {
    /// The plan does not fit the mechanism.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The budget buys nothing.
    #[error(transparent)]
    Budget(#[from] CalibrationError),
}

/// Returns what the first of the integer units gives whose noise the sampler can draw; the finest comes first.
///
/// # Errors
/// [`NoiseError`] where none of them has such noise, or for another reason.
pub fn finest<U, T>(
    units: impl IntoIterator<Item = U>,
    mut of: impl FnMut(U) -> Result<T, NoiseError>,
) -> Result<T, NoiseError> {
    let mut found = Err(CalibrationError::Nothing.into());
    for unit in units {
        found = of(unit);
        if !matches!(found, Err(NoiseError::Budget(CalibrationError::ScaleTooLarge(_)))) {
            break;
        }
    }
    found
}

/// Returns the adjacency for which the noise is calibrated: the plan's.
pub fn neighbours(plan: &CheckedPlan) -> Adjacency {
    if is_active(Mutant::AddRemoveCurveUnderReplaceOne) { Adjacency::AddRemove } else { plan.adjacency }
}

/// Returns the error for a budget at which a public formula has no scale.
pub fn no_scale(error: &impl std::fmt::Display) -> NoiseError {
    NoiseError::Plan(PlanError::at(
        "budget",
        format!("this budget has no noise: {error}"),
        "give a larger epsilon or delta, or take `analyze-gauss`",
    ))
}

/// Returns S as a paper prints it: the least integer that is not below `ratio` times `square`, in squared codes.
///
/// # Errors
/// [`NoiseError`] where it is out of the sampler's range.
pub fn printed_scale(ratio: f64, square: u64) -> Result<NoiseScale, NoiseError> {
    let codes = squared_codes(ratio, square).ok_or_else(|| no_scale(&"the scale is out of range"))?;
    Ok(NoiseScale::try_new(codes)?)
}

/// Returns an integer, so many squared codes, that is not below `ratio` times `square`.
pub fn squared_codes(ratio: f64, square: u64) -> Option<u64> {
    let codes = (ratio * real(square)).next_up().ceil();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range")]
    (1.0..9e18).contains(&codes).then_some(codes as u64)
}

/// Returns the largest power of two that is at most `noise` / 2²⁰, as its exponent: what a matrix with noise of that standard
/// deviation in codes is rounded to (theory/noise 4.2). At least 0.
pub fn rounding_step(noise: f64) -> usize {
    if noise > 1.0 { usize::try_from(libm::ilogb(noise) - 20).unwrap_or(0) } else { 0 }
}

/// Returns the integers of a record in a step of a logistic regression, at the log-odds θ, with a label of yes or no, shortened by `kept`:
/// what u is multiplied by in the gradient, y min(q̂, ⌊q̂ c⌋) with y = ±1, and what u u′ is multiplied by in the curvature, ŵ. An error of 1 has the
/// code `levels`, E, and a weight `bits` after the point, m. Whatever floating point makes of θ and of the exponential, 0 <= q̂ <= E and
/// ŵ <= 2^m s (1 − s) with s = q̂/E.
pub fn logistic_weights(levels: u64, bits: u32, theta: f64, yes: bool, kept: f64) -> (i64, i64) {
    // 1 − p(θ) for yes, p(θ) for no: without cancellation for either sign.
    let error = 1.0 / (1.0 + libm::exp(if yes { theta } else { -theta }));
    let size = integer(to_integer(error * real(levels))).min(levels);
    let product = (u128::from(size) * u128::from(levels - size)) << bits;
    let whole = (u128::from(levels) * u128::from(levels)).max(1);
    let weight =
        if is_active(Mutant::CurvatureRoundedUp) { product.div_ceil(whole) } else { product / whole };
    let pulled = if is_active(Mutant::WeightNotSquared) { 1.0 } else { kept };
    let pull = integer(real(size) * pulled).min(size).cast_signed();
    (if yes { pull } else { -pull }, i64::try_from(weight).unwrap_or(0))
}

/// Rounds towards 0; NaN becomes 0.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` saturates; callers bound it"
)]
pub fn integer(value: f64) -> u64 {
    value as u64
}
