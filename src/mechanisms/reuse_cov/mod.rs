//! `reuse-cov-gauss`, `reuse-cov-proj-x`, `reuse-cov-proj-y`: one set of features, many outcomes (PRIMO, Algorithms 1 to 3).
//!
//! **Guarantee.** For any two neighbouring tables the released integers are those of a μ-GDP mechanism up to the slack that the
//! ledger charges beside it, with μ² = Δ²/S² as the exact rational that the ledger charges (theory/accounting 3.2).
//! Neighbours differ in one record; under `protect: features` in the features of one record, its outcomes being public and the
//! same, and under `protect: labels` the other way round.
//!
//! **Statistic.** X'X and X'Y of integer records (c, u | y), ‖(c, u)‖ <= B_x, ‖y‖ <= B_y, in one joint release (theory/many-outcomes 2.1).
//! The noise is that of [`super::gaussian`] on features by features, features by outcomes and, where they are asked for, the
//! outcomes' squares. Its off-diagonal variance is half that of the diagonal, so that the cross moments have the weight
//! w = √2 and κ = 2 B_y²/B_x²; the encoder's grid makes κ what the plan asks for.
//!
//! **Sensitivity.** Of X'X and X'Y [`joint_sensitivity_squared`]: under replace-one √2 B_x² (1 + κ/2) for κ <= 2 and 2 √κ B_x²
//! beyond, under add-remove B_x² √(1 + κ). With outcomes' squares, or all their products, that of the augmented release,
//! [`augmented_sensitivity_squared`]: the same under replace-one for κ <= 2, so that residual variances are free there, B_x² (1 +
//! κ/2) under add-remove. Where features are public, X'X is released as it is and X'Y has 2 B_x B_y
//! ([`cross_sensitivity_squared`]); no budget goes to X'X (theory/many-outcomes 3.1; 6.2, row N10). There the noise on X'Y may be
//! shaped by the features ([`feature_shaped`]).
//!
//! **Why not as printed.** Algorithm 1 claims (ε, δ) for two releases with the scale of one, and half of the sensitivity of a
//! replacement: at "(5, 1/n²)" it costs ε = 6.9 (theory/many-outcomes 6.3). `"calibration": "paper"` draws that noise, for comparison, and is
//! charged what it costs: μ from the joint sensitivity at the weight that the two printed scales have.
//!
//! **Clipping.** Under full protection a long record is shortened as a whole, constant included. Where one side is public each
//! side is shortened by itself, and a missing cell under `skip` empties its own side alone: else the public side would show
//! something of the private one.
//!
//! **After the noise.** `reuse-cov-gauss`: the projection of X'Y on the nuclear-norm ball n B_x B_y, the convex hull of what n
//! records can give (theory/many-outcomes 4.1), a ridge from public numbers (4.2). `reuse-cov-proj-x`: the smallest ridge that keeps the noisy
//! fitted values within the outcomes' bound, or SURE, or James-Stein (3.1, 4.3). `reuse-cov-proj-y`: the projection
//! on what outcomes as they are can give (3.2).
//!
//! **Defaults.** `kappa`: the minimiser of Δ² (s/2 + 1/κ) with s = 1/l. `feature_norm`, `outcome_norm` 1: no record within
//! its bounds is shortened. `outcome_moments` `diagonal`. `ridge` `auto`, but `none` for `reuse-cov-proj-x`, whose
//! projection is a ridge already. `noise` `auto`. `repair` `floor`.

pub mod feature_shaped;
pub mod per_outcome;
mod projection;

use std::sync::Arc;

use dashu_int::UBig;
use dashu_int::ops::SquareRoot;
use serde_json::Value;

use self::feature_shaped::Choice;
use self::per_outcome::PerOutcome;
use self::projection::PublicOutcomes;
use super::gaussian::Noise;
use super::info::{COMPARISON, Info, MANY_OUTCOMES, Scope};
use super::rounds::{Configured, Encoding, PostProcessing, Resolved, RoundNoise, Rounds};
use super::second_moments::{Noiseless, SecondMoments};
use super::shared::{
    AUTO_RIDGE, FEATURE_NORM, FLOOR_REPAIR, INTERCEPT_WEIGHT, NoiseError, OUTCOME_NORM, RADIUS, RIDGE,
    no_scale, paper_budget, post_processing, printed_scale, require_intercept_or_zero_weight, scale,
    two_sides,
};
use crate::data::{Geometry, MAX_TERMS, Statistic};
use crate::inference::options::{Ball, Shrink};
use crate::math::round::real;
use crate::model::{Layout, Role, Shape};
use crate::plan::bound::{BoundPlan, Clipping, GridParams, Norms, Sides};
use crate::plan::document::Calibration;
use crate::plan::params::{Parameter, Params, Range, Usual, Values, names};
use crate::plan::{CheckedPlan, PlanError};
use crate::privacy::adjacency::{Adjacency, Protect};
use crate::privacy::calibrate::{Budget, Split, budget_parts, noise_scale};
use crate::privacy::measure::{Delta, Epsilon};
use crate::privacy::profile::paper::primo;
use crate::privacy::sensitivity::{
    augmented_sensitivity_squared, cross_sensitivity_squared, joint_sensitivity_squared,
};
use crate::release::document::LONG_FORM_OUTCOMES;

/// Most outcomes whose products with each other are released.
const MOST_FULL: usize = 500;

/// The form of the mechanism.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Full protection.
    Gauss,
    /// Features are public.
    ProjectedOnFeatures,
    /// Outcomes are public.
    ProjectedOnOutcomes,
    /// Full protection, each outcome by itself ([`per_outcome`]).
    EachOutcome,
}

/// What is released of Y'Y.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutcomeMoments {
    /// Nothing.
    None,
    /// The squares.
    Diagonal,
    /// All of it.
    Full,
}

/// The parameters, defaults filled in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// The form of the mechanism.
    pub kind: Kind,
    /// R.
    radius: u32,
    /// c / W.
    intercept_weight: f64,
    /// κ, where the plan gives it.
    kappa: Option<f64>,
    feature_norm: f64,
    outcome_norm: f64,
    outcome_moments: OutcomeMoments,
    shape: Shape,
    /// Whether X'Y is projected on the nuclear-norm ball.
    pub nuclear: bool,
    /// The shrinkage, for public features.
    pub shrink: Shrink,
    /// Whose fitted values the projection bounds.
    pub ball: Ball,
    /// How the noise is shaped by public features.
    pub shaping: Choice,
    /// ε and δ of the paper's own scale, where it is asked for.
    paper: Option<(Epsilon, Delta)>,
    /// What is done with the released moments.
    pub post_processing: PostProcessing,
}

const RELEASED: [(&str, OutcomeMoments); 3] =
    [("none", OutcomeMoments::None), ("diagonal", OutcomeMoments::Diagonal), ("full", OutcomeMoments::Full)];
const RELEASED_NAMES: [&str; 3] = names(&RELEASED);
const SHRINK_NAMES: [&str; 4] = names(&Shrink::CHOICES);
const BALL_NAMES: [&str; 2] = names(&Ball::CHOICES);
const NOISE_NAMES: [&str; 3] = names(&Choice::CHOICES);

const KAPPA: Parameter =
    Parameter::new("kappa", "Weight of the cross moments", Values::Number(Range::above(0.0, f64::MAX)))
        .usual(Usual::From("from the number of outcomes, near 1 to 2"));
const OUTCOME_MOMENTS: Parameter = Parameter::new(
    "outcome_moments",
    "What is released of the outcomes' own moments",
    Values::Choice(&RELEASED_NAMES),
)
.help("Without any, intervals cover the privacy noise alone")
.usual(Usual::Paper("diagonal", "none"));
const NUCLEAR: Parameter = Parameter::new("nuclear", "Project the cross moments", Values::Switch)
    .help("on what any table within the bounds can have")
    .usual(Usual::Is("true"));
const SHRINK: Parameter = Parameter::new("shrink", "What takes noise off", Values::Choice(&SHRINK_NAMES))
    .usual(Usual::Is("projection"));
const BALL: Parameter = Parameter::new("ball", "The projection bounds", Values::Choice(&BALL_NAMES))
    .help("matrix is all outcomes of a person together")
    .usual(Usual::Is("matrix"));
const NOISE: Parameter =
    Parameter::new("noise", "How public features shape the noise", Values::Choice(&NOISE_NAMES))
        .help("auto takes the one with less noise")
        .usual(Usual::Is("auto"));

/// Name, guarantee and parameters of `reuse-cov-gauss`.
pub static GAUSS: Info = Info {
    name: "reuse-cov-gauss",
    title: "Many outcomes, one covariance",
    group: Some(&MANY_OUTCOMES),
    summary: "Shares one noisy covariance among all outcomes. Its automatic ridge biases the coefficients towards 0, often by more than the noise that it takes off; a refit without ridge costs nothing.",
    prefer: "Prefer it for many outcomes on the same features: all outcomes share one charge for the features.",
    source: "Neel 2023, algorithm 1; theory/many-outcomes 2.1",
    parameters: &[
        KAPPA, FEATURE_NORM, OUTCOME_NORM, OUTCOME_MOMENTS, NUCLEAR, AUTO_RIDGE, FLOOR_REPAIR,
        INTERCEPT_WEIGHT, RADIUS,
    ],
    ..Info::GAUSSIAN
};

/// Name, guarantee and parameters of `reuse-cov-proj-x`.
pub static PROJECTED_ON_FEATURES: Info = Info {
    name: "reuse-cov-proj-x",
    title: "Many outcomes, public features",
    group: Some(&MANY_OUTCOMES),
    summary: "Projects the outcomes on the features; protects the labels alone.",
    prefer: "Prefer it where the features may be published: they are not protected, and the whole budget goes to the outcomes.",
    source: "Neel 2023, algorithm 2; theory/many-outcomes 3.1",
    scope: Scope::Relaxed(Protect::Labels),
    parameters: &[SHRINK, BALL, NOISE, OUTCOME_NORM, RIDGE, FLOOR_REPAIR, INTERCEPT_WEIGHT, RADIUS],
    ..Info::GAUSSIAN
};

/// Name, guarantee and parameters of `reuse-cov-proj-y`.
pub static PROJECTED_ON_OUTCOMES: Info = Info {
    name: "reuse-cov-proj-y",
    title: "Many public outcomes",
    group: Some(&MANY_OUTCOMES),
    summary: "Projects the features on the outcomes; protects the features alone.",
    prefer: "Prefer it for very many outcomes that may be published: they are not protected, and they take noise off.",
    source: "Neel 2023, algorithm 3; theory/many-outcomes 3.2",
    scope: Scope::Relaxed(Protect::Features),
    parameters: &[KAPPA, FEATURE_NORM, OUTCOME_NORM, AUTO_RIDGE, FLOOR_REPAIR, INTERCEPT_WEIGHT, RADIUS],
    ..Info::GAUSSIAN
};

/// Name, guarantee and parameters of `naive-composition`.
pub static EACH_OUTCOME: Info = Info {
    name: "naive-composition",
    title: "One regression after the other",
    group: Some(&COMPARISON),
    summary: "Runs one private regression per outcome and divides the budget among them.",
    prefer: "Prefer it never for a release: it shows what sharing one covariance saves.",
    source: "Neel 2023, baseline; theory/many-outcomes 5.1",
    no_paper_scale: Some("the paper's own scale for `naive-composition` is not built yet"),
    parameters: &[KAPPA, FEATURE_NORM, OUTCOME_NORM, AUTO_RIDGE, FLOOR_REPAIR, INTERCEPT_WEIGHT, RADIUS],
    ..Info::GAUSSIAN
};

impl Configured for Parameters {
    fn grid(&self) -> GridParams {
        two_sides(self.radius, self.intercept_weight, self.feature_norm, self.outcome_norm)
    }

    fn resolve(&self, plan: &CheckedPlan, mut bound: BoundPlan) -> Result<Resolved, NoiseError> {
        let kappa = self.weigh_outcomes(plan, &mut bound)?;
        let parameters = kappa.into_iter().map(|kappa| (KAPPA.name.to_owned(), Value::from(kappa))).collect();
        let encoding = Encoding::new(bound, plan.budget.is_none(), |d, l| self.layout(d, l));
        let statistic = self.statistic(&encoding, plan.public_rows())?;
        encoding.check(if let Statistic::Moments(summed) = &statistic { Some(*summed) } else { None })?;
        let noise = plan.budget.map(|budget| self.noise(plan, &encoding, &budget)).transpose()?;
        let law = noise.as_ref().map(Noise::law);
        let (charge, rounds): (_, Arc<dyn Rounds>) = if self.kind == Kind::EachOutcome {
            let rounds = PerOutcome::new(&encoding, noise, self.post_processing);
            (rounds.charge(), Arc::new(rounds))
        } else {
            let charge = noise.as_ref().and_then(RoundNoise::charge);
            (charge, Arc::new(self.together(&encoding, statistic, noise)))
        };
        Ok(Resolved { parameters, charge, law, post_processing: self.post_processing, rounds, encoding })
    }
}

impl Parameters {
    /// Reads the plan's parameters. The default of `kappa` waits for the number of outcomes.
    ///
    /// # Errors
    /// [`PlanError`] for a value out of range.
    pub fn read(kind: Kind, plan: &CheckedPlan, params: &mut Params<'_>) -> Result<Self, PlanError> {
        let (radius, intercept_weight) = scale(params, plan)?;
        let mut read = Self {
            kind,
            radius,
            intercept_weight,
            kappa: None,
            feature_norm: 1.0,
            outcome_norm: params.number(&OUTCOME_NORM)?,
            outcome_moments: OutcomeMoments::None,
            shape: if plan.calibration == Calibration::Paper { Shape::Iid } else { Shape::Goe },
            nuclear: false,
            shrink: Shrink::None,
            ball: Ball::Matrix,
            shaping: Choice::Auto,
            paper: paper_budget(plan)?,
            post_processing: PostProcessing::default(),
        };
        if kind == Kind::ProjectedOnFeatures {
            read.shape = Shape::Iid;
            read.shrink = params.choice(&SHRINK, &Shrink::CHOICES)?;
            read.ball = params.choice(&BALL, &Ball::CHOICES)?;
            read.shaping = params.choice(&NOISE, &Choice::CHOICES)?;
            require_intercept_or_zero_weight(
                plan,
                intercept_weight,
                "the projection bounds fitted values that are measured from the middle of an outcome's bounds",
            )?;
        } else {
            read.kappa = params.optional(&KAPPA)?;
            read.feature_norm = params.number(&FEATURE_NORM)?;
        }
        if kind == Kind::Gauss {
            read.outcome_moments = params.choice(&OUTCOME_MOMENTS, &RELEASED)?;
            if plan.calibration == Calibration::Paper && read.outcome_moments != OutcomeMoments::None {
                return Err(PlanError::at(
                    "mechanism.params.outcome_moments",
                    "the paper releases nothing of the outcomes' own moments",
                    "set it to \"none\", or `calibration` to \"exact\"",
                ));
            }
            read.nuclear = params.switch(&NUCLEAR)?;
        }
        read.post_processing = post_processing(params)?;
        Ok(read)
    }

    /// Returns how records become integers, once the columns are found, and κ as a filled plan states it: κ may follow from the
    /// number of outcomes.
    ///
    /// # Errors
    /// [`PlanError`] for more outcomes than the parameters allow.
    fn weigh_outcomes(&self, plan: &CheckedPlan, bound: &mut BoundPlan) -> Result<Option<f64>, PlanError> {
        let outcomes = bound.columns.iter().filter(|column| column.role == Role::Outcome).count();
        if self.outcome_moments == OutcomeMoments::Full && outcomes > MOST_FULL {
            return Err(PlanError::at(
                "mechanism.params.outcome_moments",
                format!(
                    "there are {outcomes} outcomes, and all their moments are released for {MOST_FULL} at most"
                ),
                "set it to \"diagonal\"",
            ));
        }
        if self.kind == Kind::EachOutcome && outcomes > LONG_FORM_OUTCOMES {
            return Err(PlanError::at(
                "mechanism.name",
                format!(
                    "there are {outcomes} outcomes, and `naive-composition` repeats itself {LONG_FORM_OUTCOMES} times at most"
                ),
                "choose fewer outcomes, or take `reuse-cov-gauss`",
            ));
        }
        let alike = if self.kind == Kind::EachOutcome { 1 } else { outcomes };
        let kappa = match (self.kind, plan.calibration) {
            (Kind::ProjectedOnFeatures, _) => None,
            (_, Calibration::Paper) => Some(paper_kappa(self.paper, self.outcome_norm)?),
            (_, Calibration::Exact) => {
                Some(self.kappa.unwrap_or_else(|| usual_kappa(plan, alike, self.outcome_moments)))
            }
        };
        // In a Gaussian orthogonal ensemble the cross moments have the weight √2; where noise is alike everywhere, 1.
        let ratio = match (kappa, self.shape) {
            (None, _) => 1.0,
            (Some(kappa), Shape::Goe) => kappa / 2.0,
            (Some(kappa), Shape::Iid) => kappa,
        };
        bound.grid.norms = Norms::Sides(Sides {
            ratio,
            feature_norm: self.feature_norm,
            outcome_norm: self.outcome_norm,
            clipping: match (self.kind, plan.protect) {
                (Kind::EachOutcome, _) => Clipping::EachOutcome,
                (_, Protect::Rows) => Clipping::Together,
                (_, Protect::Features | Protect::Labels) => Clipping::Apart,
            },
        });
        Ok(kappa)
    }

    /// Returns what is summed. If outcomes are public these are more products than are released, or the rows themselves.
    fn statistic(&self, encoding: &Encoding, rows: Option<u64>) -> Result<Statistic, PlanError> {
        let layout = encoding.layout;
        match self.kind {
            Kind::ProjectedOnOutcomes => public_outcomes(encoding, rows),
            Kind::ProjectedOnFeatures => {
                // Too many rows are summed, and their noise is shaped by the bound on them alone.
                let codes = rows.unwrap_or(0).saturating_mul(layout.terms() as u64);
                let kept = codes <= feature_shaped::MOST_CODES || self.shaping == Choice::WHITENED;
                if kept { encoding.rows(rows) } else { Ok(encoding.moments(layout)) }
            }
            Kind::Gauss | Kind::EachOutcome => Ok(encoding.moments(layout)),
        }
    }

    /// Returns the one round of all outcomes together.
    fn together(&self, encoding: &Encoding, statistic: Statistic, noise: Option<Noise>) -> SecondMoments {
        let exact = || Noiseless::of(&statistic, encoding);
        let noise: Arc<dyn RoundNoise> = match (self.kind, noise) {
            (Kind::ProjectedOnFeatures, Some(gaussian)) => Arc::new(feature_shaped::Noise {
                gaussian,
                choice: self.shaping,
                bound: encoding.geometry.feature_square(),
            }),
            (Kind::ProjectedOnOutcomes, noise) => {
                Arc::new(PublicOutcomes::new(noise.map_or_else(exact, |noise| Arc::new(noise)), encoding))
            }
            (_, noise) => noise.map_or_else(exact, |noise| Arc::new(noise)),
        };
        SecondMoments {
            statistic,
            noise,
            post_processing: self.post_processing,
            analysis: Arc::new(*self),
            family: None,
        }
    }

    /// Returns which moments are released.
    fn layout(&self, features: usize, outcomes: usize) -> Layout {
        match self.outcome_moments {
            OutcomeMoments::None => Layout::sides(features, outcomes, false),
            OutcomeMoments::Diagonal => Layout::sides(features, outcomes, true),
            OutcomeMoments::Full => Layout::whole(features + outcomes),
        }
    }

    /// Returns the noise that a budget buys; of one outcome by itself, with the squared sensitivity of all, where each has its
    /// own.
    fn noise(&self, plan: &CheckedPlan, encoding: &Encoding, budget: &Budget) -> Result<Noise, NoiseError> {
        let (geometry, layout) = (&encoding.geometry, encoding.layout);
        let (times, layout) = match self.kind {
            Kind::EachOutcome => (layout.outcomes(), Layout::sides(layout.features(), 1, false)),
            _ => (1, layout),
        };
        let sensitivity_squared = self.sensitivity_squared(plan, geometry) * UBig::from(times);
        let scale = match self.paper {
            None => {
                noise_scale(&sensitivity_squared, budget_parts(budget, &Split::Gaussian)?.capacity.gaussian)?
            }
            Some((epsilon, delta)) => {
                let sigma = primo::constant(epsilon, delta).map_err(|error| no_scale(&error))?;
                let square = match self.kind {
                    Kind::ProjectedOnFeatures => {
                        geometric(geometry.feature_square(), geometry.outcome_square())
                    }
                    _ => geometry.feature_square(),
                };
                printed_scale(sigma, square)?
            }
        };
        let public_features = self.kind == Kind::ProjectedOnFeatures;
        Ok(Noise { sensitivity_squared, scale, shape: self.shape, layout, public_features })
    }

    fn sensitivity_squared(&self, plan: &CheckedPlan, geometry: &Geometry) -> UBig {
        let (features, outcomes) = (geometry.feature_square(), geometry.outcome_square());
        let k = plan.max_rows_per_person;
        match (self.kind, self.outcome_moments) {
            (Kind::ProjectedOnFeatures, _) => cross_sensitivity_squared(features, outcomes, k),
            (_, OutcomeMoments::None) => {
                let weight = if self.shape == Shape::Goe { 2 } else { 1 };
                joint_sensitivity_squared(features, weight * outcomes, plan.adjacency, k)
            }
            (_, OutcomeMoments::Diagonal | OutcomeMoments::Full) => {
                augmented_sensitivity_squared(features, outcomes, plan.adjacency, k)
            }
        }
    }
}

/// Returns what is summed if outcomes are public: all products of terms if there are fewer outcomes than rows, else the rows; the
/// projection works on the smaller side.
fn public_outcomes(encoding: &Encoding, rows: Option<u64>) -> Result<Statistic, PlanError> {
    let layout = encoding.layout;
    let known = rows.unwrap_or(u64::MAX);
    let whole = Layout::whole(layout.terms());
    if layout.outcomes() as u64 <= known && whole.features() <= MAX_TERMS {
        return Ok(encoding.moments(whole));
    }
    if known <= MAX_TERMS as u64 {
        return encoding.rows(rows);
    }
    Err(PlanError::at(
        "columns",
        format!(
            "the projection works on the smaller of {} outcomes and {known} rows, and {MAX_TERMS} is the most",
            layout.outcomes()
        ),
        "choose fewer outcomes, or take `reuse-cov-gauss`",
    ))
}

/// Returns κ at which Δ² (s/2 + 1/κ) is least, s = 1/l (theory/many-outcomes 2.2): (−1 + √(1 + 8s)) / (2s), and √(2/s) where Δ²
/// is proportional to 1 + κ.
fn usual_kappa(plan: &CheckedPlan, outcomes: usize, moments: OutcomeMoments) -> f64 {
    let s = 1.0 / real(outcomes.max(1));
    if plan.adjacency == Adjacency::AddRemove && moments == OutcomeMoments::None {
        (2.0 / s).sqrt()
    } else {
        // The same without a difference of numbers that are nearly equal.
        4.0 / (1.0 + (1.0 + 8.0 * s).sqrt())
    }
}

/// Returns κ that the two scales of Algorithm 1 as printed have: w = σ₁/σ₂ with σ₁ = c(ε, δ) B_x² and σ₂ = c(ε/2, δ/2) √l B_x
/// M_y, so that κ = w² B_y²/B_x² = (c(ε, δ) / c(ε/2, δ/2))² B_y² / (l M_y²).
fn paper_kappa(paper: Option<(Epsilon, Delta)>, outcome_norm: f64) -> Result<f64, PlanError> {
    let Some((epsilon, delta)) = paper else { return Ok(1.0) };
    let scales = primo::reuse_cov(epsilon, delta).map_err(|error| {
        PlanError::at("budget", format!("the paper has no scale for this budget: {error}"), "give another")
    })?;
    Ok((scales.covariance / scales.association * outcome_norm).powi(2))
}

/// Returns √(a b) as an integer that is not below it.
fn geometric(a: u64, b: u64) -> u64 {
    let product = UBig::from(a) * UBig::from(b);
    let root = product.sqrt();
    let root = if &root * &root < product { root + UBig::ONE } else { root };
    u64::try_from(root).unwrap_or(u64::MAX)
}
