//! `pmt-logistic`, `pmt-glm`, `dp-logistic` and `logistic`: noisy Newton steps (theory/public-moments 3).
//!
//! **Guarantee.** T adaptive releases, each μ-GDP with μ² = Δ²/S²; together T Δ²/S², the exact rational that the ledger is
//! charged, up to the slack beside it. With several outcomes each has steps of its own, and T counts all.
//!
//! **Statistic.** A record is integers u, ‖u‖ <= B, and an outcome's code: whitened by public moments (`pmt-*`) or on the plan's
//! own grid (`dp-logistic`). With b the coefficients of a step, public by then, its fitted value is θ = b′u/f, f in 0 to 1 being what it
//! was shortened by. A logistic record has the error q = |p(θ) − y| as an integer q̂ in 0 to E and gives
//!
//! - to the curvature ŵ u u′, with ŵ = ⌊q̂ (E − q̂) 2^m/E²⌋, so that ŵ/2^m <= q (1 − q);
//! - to the gradient ± ⌊f q̂⌋ u.
//!
//! Both are integers, whatever floating point made q̂; so the map from a record and b to integers is the same for every table, the
//! sums are exact, the noise is the exact discrete Gaussian, and the release is `EXACT`. The weights f² are those of a weighted
//! regression whose weights depend on the features alone (theory/public-moments 1.4). A Gaussian record (`pmt-glm`) gives u u′ and ⌊E e/M⌋ u with the
//! residual e within ± M, cut off there: M = Y + R_β R_x, with Y the longest way from the public mean to an end of the range.
//!
//! **Sensitivity.** In units of one curvature cell, with h = 2^m B² and G = E B: [`logistic_sensitivity_squared`]; E is the least
//! with G >= κ h/4, which makes the curvature free. Gaussian: [`joint_sensitivity_squared`] of B² and E². Noise is S on the diagonal of
//! the curvature and on the gradient, S/√2 off the diagonal.
//!
//! **Steps.** b ← b − (H + Λ)⁺ (g + Λ b) from b = 0, or from the public mean, exactly T times, Λ being the penalty. Eigenvalues
//! of the noisy H + Λ below 2 sd √d are raised to that (`floor`): noise alone has such eigenvalues, and without it the steps
//! diverge (theory/public-moments 3.5). With `coefficient_radius` b is shortened to R_β before each pass and after the last. For
//! a Gaussian family R_β is in public standard deviations of the outcome and b is what differs from the public mean, where the
//! steps start: whitened features have second moment I, so ‖b‖ is then the standard deviation of what the features explain, at
//! most one of the outcome's where the public moments are right.
//!
//! **As the paper prints it.** `"calibration": "paper"` draws the printed scales ([`pmt`]), alike on and above the diagonal, at μ_total/√2,
//! without a floor; what it costs is less than is claimed. T steps, not the T + 1 of the listing. For `pmt-glm` b is kept within
//! R_β all the same, though the listing leaves that out: nothing else bounds a gaussian record's residual. For `dp-logistic` R is what
//! the bounds allow, where the paper takes it from the private table itself.
//!
//! **Why no Poisson.** Its curvature is unbounded but for e^(R_β R_x), and noise of that size drowns every table: with eight
//! features and ten thousand rows the factor is 4·10⁴ (theory/public-moments 3.2).

mod fit;

use std::ops::RangeInclusive;
use std::sync::Arc;

use dashu_int::UBig;
use nalgebra::{DMatrix, DVector};
use serde_json::Value;

pub use self::fit::{Expansion, Steps};
use super::info::{FAMILY as FAMILY_NAME, Info, LOGISTIC, PUBLIC_MOMENTS, YES_OR_NO};
use super::public_moments::{
    ETA, FLOOR, LAMBDA, PENALISE_INTERCEPT, Penalty, RADIUS_RULE, Radii, Standard, TRUNCATION, feature_unit,
};
use super::rounds::{Charge, Configured, Encoding, Output, Resolved, Rounds, Run, Task};
use super::shared::{
    INTERCEPT_WEIGHT, NoiseError, OUTCOME_NORM, ROW_NORM, finest, paper_replaces, printed_scale,
    require_intercept, stated_rows,
};
use crate::data::Geometry;
use crate::inference::forecast::{self, TermForecast, forecast};
use crate::inference::newton::{Link, NewtonStep, Setting, report as newton_report};
use crate::inference::preflight;
use crate::inference::report::RegressionTerms;
use crate::math::round::real;
use crate::model::{Assurance, Layout, Role, Shape, Wallet};
use crate::plan::bound::{BoundPlan, Clipping, GridParams, Kind as ColumnKind, Norms, Sides};
use crate::plan::document::Calibration;
use crate::plan::params::{Parameter, Params, Place, Range, Usual, Values};
use crate::plan::{CheckedPlan, PlanError};
use crate::privacy::calibrate::{Budget, NoiseScale, Split, budget_parts, noise_scale};
use crate::privacy::event::Event;
use crate::privacy::profile::paper::pmt;
use crate::privacy::sensitivity::{
    joint_sensitivity_squared, logistic_gradient, logistic_sensitivity_squared,
};
use crate::words;

/// R of the grid, with noise and without: a record's curvature has twice as many bits and those of its weight, and the sampler a
/// range. The Gaussian family's curvature has no weight.
const LOGISTIC_RADIUS: u32 = 1 << 18;
const EXACT_RADIUS: u32 = 1 << 20;
const GAUSSIAN_RADIUS: u32 = 1 << 22;

/// Most and fewest bits after the point of a curvature's weight.
const BITS: RangeInclusive<u32> = 4..=20;

/// Largest R_β: what bounds nothing buys nothing, and a residual's bound has to stay a number.
const MOST_RADIUS: f64 = 1e6;

/// Steps of the reference without privacy, which stops where it no longer moves.
const REFERENCE_STEPS: u32 = 100;

/// The form of the mechanism.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `pmt-logistic`.
    PublicMoments,
    /// `pmt-glm`.
    PublicFamily,
    /// `dp-logistic`.
    Bounds,
    /// `logistic`.
    Reference,
}

/// The distribution of an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// 0 or 1, with the logit link.
    Logistic,
    /// Normal, with the identity.
    Gaussian,
}

/// The parameters, defaults filled in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// The form of the mechanism.
    pub kind: Kind,
    /// The distribution of an outcome.
    pub family: Family,
    radii: Option<Radii>,
    intercept_weight: f64,
    row_norm: f64,
    penalty: Penalty,
    floor: bool,
    /// T.
    steps: u32,
    /// R_β: in public standard deviations of the outcome, or in log-odds.
    coefficient_radius: Option<f64>,
    /// n; 0 where nothing needs it.
    rows: u64,
    noisy: bool,
}

const LOGISTIC_LAMBDA: Parameter = LAMBDA
    .help("on the mean second moment in the columns' own units")
    .usual(Usual::Is("0.001"))
    .place(Place::First);
const STEPS: Parameter = Parameter::new("steps", "Noisy Newton steps", Values::Whole(1, 20))
    .help("They share the budget, so more steps mean more noise in each")
    .usual(Usual::Is("6"))
    .place(Place::First);
const FAMILY: Parameter =
    Parameter::new(FAMILY_NAME, "Family of the outcome", Values::Choice(&["gaussian", LOGISTIC]))
        .help("gaussian for numbers, logistic for yes or no")
        .place(Place::First);
const COEFFICIENT_RADIUS: Parameter = Parameter::new(
    "coefficient_radius",
    "Longest coefficients",
    Values::Number(Range::above(0.0, MOST_RADIUS)),
)
.help(
    "for example 2. For gaussian, which needs it, in public standard deviations of the outcome: 1 holds every fit where the \
     public numbers are right",
)
.place(Place::First);
/// A label has no length.
const LABEL_NORM: Parameter = Parameter { values: Values::Number(Range::closed(1.0, 1.0)), ..OUTCOME_NORM }
    .help("")
    .place(Place::Hidden);

/// Name, guarantee and parameters of `pmt-logistic`.
pub static WITH_PUBLIC_MOMENTS: Info = Info {
    name: "pmt-logistic",
    title: "Logistic regression with public moments",
    group: Some(&YES_OR_NO),
    summary: "Truncates records by public moments, then fits a logistic regression.",
    prefer: "Prefer it for yes or no outcomes where the columns' moments are known from other people's data.",
    source: "Cao, Bi and Zhang 2026, algorithms 1 and 3; theory/public-moments 3.1",
    public_moments: true,
    labels: true,
    parameters: &[LOGISTIC_LAMBDA, STEPS, ETA, RADIUS_RULE, TRUNCATION, PENALISE_INTERCEPT, FLOOR],
    ..Info::GAUSSIAN
};

/// Name, guarantee and parameters of `pmt-glm`.
pub static PUBLIC_FAMILY: Info = Info {
    name: "pmt-glm",
    title: "Generalised linear model with public moments",
    group: Some(&PUBLIC_MOMENTS),
    summary: "Truncates records by public moments, then fits a generalised linear model.",
    prefer: "Prefer it to `pmt-logistic` only where a bound on the coefficients is known, or to compare the two families.",
    source: "Cao, Bi and Zhang 2026, algorithms 1 and 4; theory/public-moments 3.2",
    public_moments: true,
    parameters: &[
        FAMILY, COEFFICIENT_RADIUS, LOGISTIC_LAMBDA, STEPS, ETA, RADIUS_RULE, TRUNCATION, PENALISE_INTERCEPT,
        FLOOR,
    ],
    ..Info::GAUSSIAN
};

/// Name, guarantee and parameters of `dp-logistic`.
pub static WITH_BOUNDS: Info = Info {
    name: "dp-logistic",
    title: "Logistic regression",
    group: Some(&YES_OR_NO),
    summary: "Fits a logistic regression without public data.",
    prefer: "Prefer it for yes or no outcomes where no public moments are known.",
    source: "Cao, Bi and Zhang 2026, algorithm 5; theory/public-moments 3.6",
    labels: true,
    parameters: &[
        LOGISTIC_LAMBDA,
        STEPS,
        PENALISE_INTERCEPT,
        FLOOR,
        INTERCEPT_WEIGHT.help(""),
        ROW_NORM,
        LABEL_NORM,
    ],
    ..Info::GAUSSIAN
};

/// Name, guarantee and parameters of `logistic`.
pub static REFERENCE: Info = Info {
    name: "logistic",
    title: "Logistic regression without privacy",
    group: None,
    summary: "Logistic regression without any privacy, for comparison.",
    prefer: "Prefer it never for anything that is published: it shows what the private ones aim at.",
    guarantee: "None.",
    source: "maximum likelihood",
    wallet: Wallet::None,
    assurance: Assurance::Demo,
    no_paper_scale: Some("`logistic` has no noise, so no paper has a scale for it"),
    parameters: &[LAMBDA, PENALISE_INTERCEPT.usual(Usual::Is("false"))],
    ..Info::GAUSSIAN
};

impl Configured for Parameters {
    fn grid(&self) -> GridParams {
        let clipping = Radii::clipping(self.radii.as_ref(), Clipping::EachOutcome);
        let sides = Sides { ratio: 1.0, feature_norm: self.row_norm, outcome_norm: 1.0, clipping };
        let radius = match (self.family, self.noisy) {
            (Family::Gaussian, _) => GAUSSIAN_RADIUS,
            (Family::Logistic, true) => LOGISTIC_RADIUS,
            (Family::Logistic, false) => EXACT_RADIUS,
        };
        let intercept_weight = if self.kind.takes_public_moments() { 0.0 } else { self.intercept_weight };
        GridParams { radius, intercept_weight, norms: Norms::Sides(sides) }
    }

    fn resolve(&self, plan: &CheckedPlan, mut bound: BoundPlan) -> Result<Resolved, NoiseError> {
        self.encode(plan, &mut bound)?;
        let encoding = Encoding::try_new(bound, plan.budget.is_none(), |d, l| Layout::sides(d, l, false))?;
        let noise = self.newton(plan, &encoding, plan.budget.as_ref())?;
        let charge = noise.event().zip(noise.scale).map(|(event, scale)| Charge::of_scale(event, scale));
        Ok(Resolved::new(encoding, charge, Arc::new(noise)))
    }
}

impl Kind {
    const fn takes_public_moments(self) -> bool {
        matches!(self, Self::PublicMoments | Self::PublicFamily)
    }
}

impl Parameters {
    /// Reads the plan's parameters.
    ///
    /// # Errors
    /// [`PlanError`] for a value out of range, and without a number of rows where one is needed.
    pub fn read(kind: Kind, plan: &CheckedPlan, params: &mut Params<'_>) -> Result<Self, PlanError> {
        let reference = kind == Kind::Reference;
        let mut read = Self {
            kind,
            family: Family::Logistic,
            radii: None,
            intercept_weight: 0.5,
            row_norm: 1.0,
            penalty: Penalty::take(params)?,
            floor: false,
            steps: REFERENCE_STEPS,
            coefficient_radius: None,
            rows: 0,
            noisy: plan.budget.is_some() && !reference,
        };
        paper_replaces(plan)?;
        if kind.takes_public_moments() {
            read.radii = Some(Radii::take(params, plan)?);
        } else {
            require_intercept(plan)?;
        }
        if kind == Kind::Bounds {
            read.intercept_weight = params.number(&INTERCEPT_WEIGHT)?;
            read.row_norm = params.number(&ROW_NORM)?;
            // A label has no length.
            params.number(&LABEL_NORM)?;
        }
        if !reference {
            read.floor = params.switch(&FLOOR)?;
            read.steps = params.whole(&STEPS)?;
        }
        if kind == Kind::PublicFamily {
            read.family = family(params)?;
            read.coefficient_radius = params.optional(&COEFFICIENT_RADIUS)?;
            if read.coefficient_radius.is_none() && read.family == Family::Gaussian {
                return Err(PlanError::at(
                    "mechanism.params.coefficient_radius",
                    "the residuals of this family are bounded by it alone",
                    "give one in public standard deviations of the outcome, for example 2",
                ));
            }
        }
        check_outcomes(plan, read.family)?;
        if !reference || read.penalty.lambda > 0.0 {
            read.rows = stated_rows(plan, "the penalty is weighed by the number of rows")?;
        }
        Ok(read)
    }

    /// Has the features whitened and the outcomes read as labels or clipped.
    ///
    /// # Errors
    /// [`PlanError`] for outcomes that the family does not take.
    fn encode(&self, plan: &CheckedPlan, bound: &mut BoundPlan) -> Result<(), PlanError> {
        bound.labels = self.family == Family::Logistic;
        let outcomes = bound.columns.iter().filter(|column| column.role == Role::Outcome).count();
        if self.radii.is_some_and(|radii| !radii.by_row()) && outcomes > 1 {
            return Err(PlanError::at(
                "mechanism.params.truncation",
                "the paper's clipping is for one outcome",
                "set it to \"row\", or choose one outcome",
            ));
        }
        if let (Some(radii), Some(public)) = (&self.radii, bound.public.clone()) {
            if self.family == Family::Gaussian {
                radii.clip_outcomes(bound, &public, self.penalty.around_mean(plan), false)?;
            }
            radii.whiten(bound, &public)?;
        }
        Ok(())
    }

    /// Returns the steps that a budget buys; without noise where there is none.
    ///
    /// # Errors
    /// [`NoiseError`] where the budget buys none.
    pub fn newton(
        &self,
        plan: &CheckedPlan,
        encoding: &Encoding,
        budget: Option<&Budget>,
    ) -> Result<Noise, NoiseError> {
        let Encoding { bound, geometry, layout } = encoding;
        let shape = (layout.features(), layout.outcomes());
        let longest = geometry.feature_square();
        let length = longest.isqrt() + 1;
        let releases = u64::from(self.steps) * shape.1 as u64;
        let paper = plan.calibration == Calibration::Paper;
        let of = |bits: u32| -> Result<Noise, NoiseError> {
            let curvature = longest << bits;
            let levels = match (self.family, paper) {
                (Family::Logistic, false) => logistic_gradient(curvature, plan.adjacency).div_ceil(length),
                (Family::Logistic, true) if self.kind == Kind::PublicFamily => {
                    let reach = self.coefficient_radius.zip(bound.whitening.as_ref());
                    printed_levels(curvature, length, reach.map(|(most, whitening)| most * whitening.radius))
                }
                // κ = 1.
                (Family::Logistic, true) => curvature.div_ceil(4 * length),
                (Family::Gaussian, _) => length,
            };
            let (k, steps) = (plan.max_rows_per_person, releases);
            let sensitivity_squared = match self.family {
                Family::Logistic => {
                    logistic_sensitivity_squared(levels * length, curvature, plan.adjacency, k, steps)
                }
                Family::Gaussian => {
                    joint_sensitivity_squared(longest, levels * levels, plan.adjacency, k) * UBig::from(steps)
                }
            };
            let scale = match budget {
                None => None,
                Some(budget) if paper => {
                    let mu = budget_parts(budget, &Split::Gaussian)?.pair.mu.get();
                    let most = if self.family == Family::Logistic { 0.25 } else { 1.0 };
                    Some(printed_scale(pmt::curvature(mu, releases, most), curvature)?)
                }
                Some(budget) => {
                    let units = budget_parts(budget, &Split::Gaussian)?.capacity.gaussian;
                    Some(noise_scale(&sensitivity_squared, units)?)
                }
            };
            Ok(self.with(plan, bound, geometry, shape, Found { bits, levels, sensitivity_squared, scale })?)
        };
        if self.family == Family::Gaussian {
            return of(0);
        }
        finest(BITS.rev(), of)
    }

    /// Returns the radii of the coefficients in the steps' units. For an outcome it is half of its range, around the middle.
    fn balls(&self, plan: &CheckedPlan, bound: &BoundPlan, outcomes: usize) -> Vec<Ball> {
        let most = self.coefficient_radius.unwrap_or(f64::INFINITY);
        match (self.family, &self.radii) {
            (Family::Gaussian, Some(radii)) => {
                let standards = radii.standards(bound, self.penalty.around_mean(plan)).into_iter();
                standards.map(|Standard { level, spread }| Ball { level, radius: most * spread }).collect()
            }
            _ => vec![Ball { level: 0.0, radius: most }; outcomes],
        }
    }

    fn with(
        &self,
        plan: &CheckedPlan,
        bound: &BoundPlan,
        geometry: &Geometry,
        shape: (usize, usize),
        found: Found,
    ) -> Result<Noise, PlanError> {
        let unit = feature_unit(bound, geometry);
        let map = geometry.map(bound) * unit;
        let penalty = self.penalty.matrix(&map, plan.intercept, real(self.rows))?;
        let label = geometry.outcomes.map_or(1.0, |side| f64::from(side.reach));
        let longest = bound.whitening.as_ref().map_or(1.0, |whitening| whitening.radius);
        let balls = self.balls(plan, bound, shape.1);
        let residual = match self.family {
            Family::Logistic => 1.0,
            // Outcomes are within ± 1 of the middle of their range, in units of half of it.
            Family::Gaussian => {
                balls.iter().map(|ball| 1.0 + ball.level.abs() + ball.radius * longest).fold(0.0, f64::max)
            }
        };
        let first = DVector::from_fn(shape.0, |row, _| if row == 0 && plan.intercept { 1.0 } else { 0.0 });
        let constant = map.transpose().lu().solve(&first).unwrap_or_else(|| DVector::zeros(shape.0));
        Ok(Noise {
            family: self.family,
            steps: self.steps,
            floor: self.floor,
            balls,
            constant,
            shape: if plan.calibration == Calibration::Paper { Shape::Iid } else { Shape::Goe },
            size: shape,
            sensitivity_squared: found.sensitivity_squared,
            scale: found.scale,
            bits: found.bits,
            levels: found.levels,
            unit,
            map,
            penalty,
            label,
            residual,
            reference: self.kind == Kind::Reference,
        })
    }
}

/// Where an outcome's coefficients are kept: within `radius` of those of the constant `level`, from which the steps start.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Ball {
    level: f64,
    radius: f64,
}

/// E for which the gradient's noise is to the curvature's as Algorithm 4 prints them for a logistic model: 4 (1 + M′) G = h, and never
/// below.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "h has 37 bits that are not 0, and E is below h"
)]
fn printed_levels(curvature: u64, length: u64, reach: Option<f64>) -> u64 {
    let each = 4.0 * (1.0 + pmt::logistic_slope(reach)) * length as f64;
    (curvature as f64 / each).next_up().ceil() as u64
}

/// The grid of weights and errors, its sensitivity and its noise, as the budget allows them.
struct Found {
    bits: u32,
    levels: u64,
    sensitivity_squared: UBig,
    scale: Option<NoiseScale>,
}

/// Refuses an outcome of another kind than the family's.
///
/// # Errors
/// [`PlanError`] that names the first.
pub fn check_outcomes(plan: &CheckedPlan, family: Family) -> Result<(), PlanError> {
    let stated = plan.plan.columns.iter().zip(&plan.kinds).filter_map(|(column, kind)| {
        let name = column.name.as_ref().or(column.pattern.as_ref()).map_or("", String::as_str);
        Some((name, column.role, kind.as_ref()?))
    });
    let derived = plan.derived.iter().flat_map(|term| &term.columns);
    let derived = derived.map(|column| (column.name.as_str(), column.role, &column.kind));
    for (name, _, kind) in stated.chain(derived).filter(|(_, role, _)| *role == Role::Outcome) {
        let binary = match kind {
            ColumnKind::Number { lower, upper } => {
                (lower.to_bits(), upper.to_bits()) == (0.0_f64.to_bits(), 1.0_f64.to_bits())
            }
            ColumnKind::Category { .. } => true,
        };
        if family == Family::Logistic && !binary {
            return Err(PlanError::at(
                "columns",
                format!("the outcome `{name}` of a logistic regression is not yes or no"),
                "make it a category of two levels, or a number with bounds 0 and 1, which holds 0 and 1 alone",
            ));
        }
        if family == Family::Gaussian && matches!(kind, ColumnKind::Category { .. }) {
            return Err(PlanError::at(
                "columns",
                format!("the outcome `{name}` is a category, and this family takes numbers"),
                "take the family `logistic`, or an outcome that is a number",
            ));
        }
    }
    Ok(())
}

fn family(params: &mut Params<'_>) -> Result<Family, PlanError> {
    let expected = "\"gaussian\" or \"logistic\"";
    let read = params.value_or(&FAMILY, Value::Null, |_, value| match value {
        Value::Null => Some(None),
        Value::String(name) => match name.as_str() {
            LOGISTIC => Some(Some(Ok(Family::Logistic))),
            "gaussian" => Some(Some(Ok(Family::Gaussian))),
            "poisson" => Some(Some(Err(PlanError::at(
                "mechanism.params.family",
                "the curvature of a Poisson regression is bounded by an exponential alone, and its noise would drown every table",
                "take \"logistic\" for whether an event happened, or \"gaussian\" for a rate",
            )))),
            _ => None,
        },
        _ => None,
    })?;
    read.unwrap_or_else(|| {
        Err(PlanError::at("mechanism.params.family", "`pmt-glm` needs a family", format!("give {expected}")))
    })
}

/// The noise of one release, and the steps that it is for.
#[derive(Clone, Debug, PartialEq)]
pub struct Noise {
    /// The distribution of an outcome.
    pub family: Family,
    /// T.
    pub steps: u32,
    floor: bool,
    /// The ball of each outcome.
    balls: Vec<Ball>,
    /// b of the constant 1; 0 without an intercept.
    constant: DVector<f64>,
    /// How the variance is spread over the curvature.
    shape: Shape,
    /// d, l.
    size: (usize, usize),
    /// Δ² of all steps together.
    sensitivity_squared: UBig,
    /// S; none in a demonstration without noise.
    pub scale: Option<NoiseScale>,
    /// m.
    bits: u32,
    /// E.
    levels: u64,
    /// A code in the units in which the steps are taken: whitened ones, or shares of the longest record.
    pub unit: f64,
    /// A with x = A v, x in those units and v in the columns' own with the constant.
    pub map: DMatrix<f64>,
    /// Λ, in those units.
    pub penalty: DMatrix<f64>,
    /// The code of an outcome that was not shortened: of a label, or of the end of a range.
    label: f64,
    /// M, the largest residual.
    residual: f64,
    reference: bool,
}

impl Noise {
    /// Returns what the ledger is charged for. `None` without noise.
    pub fn event(&self) -> Option<Event> {
        let releases = u64::from(self.steps) * self.size.1 as u64;
        let d = self.size.0 as u64;
        let pairs = d.saturating_mul(d.saturating_sub(1)) / 2;
        let (full, half) = match self.shape {
            Shape::Goe => (2 * d, pairs),
            Shape::Iid => (2 * d + pairs, 0),
        };
        let cells = (full.saturating_mul(releases), half.saturating_mul(releases));
        self.scale.map(|scale| Event::gaussian(&self.sensitivity_squared, scale, cells))
    }

    /// Returns what all outcomes share.
    fn setting(&self, task: &Task) -> Setting<'_> {
        Setting {
            map: &self.map,
            penalty: &self.penalty,
            deviations: self.deviations(),
            norm: self.spectral_norm(),
            outcome_codes: self.outcome_codes(),
            link: match self.family {
                Family::Logistic => Link::Logit,
                Family::Gaussian => Link::Identity,
            },
            confidence: task.checked.confidence,
            guided: task.encoding.bound.whitening.is_some(),
        }
    }

    /// Returns the standard deviations of the noise in the steps' units: on the diagonal of the curvature, off it, and on the
    /// gradient.
    pub fn deviations(&self) -> [f64; 3] {
        let s = self.scale.map_or(0.0, NoiseScale::real);
        let curvature = s * self.unit * self.unit * libm::ldexp(1.0, -self.bits.cast_signed());
        let off = if self.shape == Shape::Goe { curvature / std::f64::consts::SQRT_2 } else { curvature };
        [curvature, off, s * self.gradient_unit()]
    }

    /// Returns one integer of a gradient in the steps' units.
    fn gradient_unit(&self) -> f64 {
        self.unit * self.residual / self.levels as f64
    }

    /// Codes of an outcome in one unit of the steps.
    pub const fn outcome_codes(&self) -> f64 {
        self.label
    }

    /// Returns whether the coefficients are kept within a radius.
    pub fn is_kept_within(&self) -> bool {
        self.balls.iter().any(|ball| ball.radius.is_finite())
    }

    /// Returns 2 sd √d, the spectral norm of the noise on the curvature.
    pub fn spectral_norm(&self) -> f64 {
        2.0 * self.deviations()[1] * real(self.size.0).sqrt()
    }
}

impl Rounds for Noise {
    fn count(&self) -> u32 {
        self.steps
    }

    fn start(self: Arc<Self>) -> Box<dyn Run> {
        Box::new(Steps::new(self))
    }

    fn family(&self, task: &Task) -> Option<preflight::Family> {
        let public = task.encoding.bound.public.as_ref()?;
        let each = u64::from(self.steps);
        let steps = u32::try_from(each.saturating_mul(task.encoding.layout.outcomes() as u64)).ok()?;
        Some(match self.family {
            Family::Gaussian => preflight::Family::Gaussian { steps },
            Family::Logistic => {
                let chances = public.outcomes.iter().flatten().map(|outcome| outcome.mean);
                // The rarest, or the most frequent, needs most rows.
                let chance = chances.min_by(|a, b| (a * (1.0 - a)).total_cmp(&(b * (1.0 - b))));
                preflight::Family::Logistic { steps, chance }
            }
        })
    }

    fn standard_errors(&self, task: &Task, rows: u64) -> Option<Vec<TermForecast>> {
        let Encoding { bound, geometry, .. } = &task.encoding;
        let outcomes = bound.public.as_ref().map(|public| public.outcomes.as_slice()).unwrap_or_default();
        let chances: Vec<Option<f64>> =
            outcomes.iter().map(|outcome| outcome.as_ref().map(|outcome| outcome.mean)).collect();
        let radius = self.unit * f64::from(bound.grid.radius);
        let rows = forecast::Rows { count: rows, chances: &chances, radius };
        forecast(geometry, bound, &self.setting(task), rows)
    }
}

/// Reports the coefficients after the last Newton step, with the errors that the noise causes.
fn report(task: &Task, noise: &Noise, fits: &[NewtonStep]) -> Output {
    let Encoding { bound, geometry, .. } = &task.encoding;
    let layout = RegressionTerms::new(bound, geometry);
    let (coefficients, mut diagnostics) = newton_report(geometry, &layout, &noise.setting(task), fits);
    if task.checked.calibration == Calibration::Paper && noise.is_kept_within() {
        diagnostics.notes.push(words::note::radius_of_paper().into());
    }
    Output { coefficients, diagnostics, moments: None, steps: None }
}
