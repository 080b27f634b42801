//! `additive-wishart`: the second moments of the bounded integer records and of random rows together.
//!
//! **Guarantee.** (ε, δ)-differential privacy under both adjacencies, for one row per person (theory/wishart 3.2
//! and 3.3). It is neither pure nor Rényi differential privacy: with a small probability, which is inside
//! δ, the release could not have come from the neighbouring table. So it is charged to the (ε, δ) budget.
//!
//! **Sensitivity.** One person moves G by v v' with ‖v‖² ≤ B² = c² + W². Rotated so that v lies on the first axis, the noise's
//! Schur complement there is s² χ²_ν with ν = k − d + 1, independent of everything else, and v v' shifts it alone, by at
//! most B². Under replace-one the two changes are taken one after the other: a bound, and the bound is charged.
//! ([`additive_wishart_degrees`].)
//!
//! **Noise.** W(s² I, k), s² = B² / `scale_ratio` rounded up to an integer, k the fewest degrees of freedom that keep
//! within (ε, δ). `BOUNDED`: the k rows are drawn on a grid of 2⁻⁹⁰ codes, summed exactly, added to the exact moments, and
//! the sum is rounded to a public power of two near 2⁻²⁰ standard deviations. This differs from the ideal with
//! probability at most η ([`grid_distance`]), and (1 + e^ε) η is inside the δ that is charged. Above
//! [`MOST_DRAWS`] numbers the noise is drawn by Bartlett's factor in 128-bit floating point instead, `IDEALISED`.
//!
//! **Event.** [`crate::privacy::event::Event::Approximate`].
//!
//! **Defaults.** `scale_ratio` 3 (1 with the paper's calibration): at 3 and ε = 1 the debiased noise is half as much again
//! as that of `analyze-gauss`; a larger ratio comes nearer, to √2 times it under replace-one, for many more degrees of
//! freedom. `output` debiased: the mean k s² is taken off again where what is left is positive definite; `raw` keeps it, as
//! a ridge.
//!
//! **Standard errors.** [`crate::inference`]: about its mean the noise has the covariance of GOE noise with the variance
//! k s⁴ off the diagonal (theory/wishart 5.2, first order).

use dashu_int::IBig;

use super::{Lower, bartlett, check_terms, packed, perturbed};
use crate::data::{Exact, Geometry, Moments};
use crate::mechanisms::info::{Info, WHOLE_MATRIX};
use crate::mechanisms::rounds::{Answer, Charge, Configured, Encoding, PostProcessing, Resolved, RoundNoise};
use crate::mechanisms::second_moments::{SecondMoments, answer};
use crate::mechanisms::shared::{
    ApproximateCost, FEATURE_SHARE, FINE_RADIUS, INTERCEPT_WEIGHT, NoiseError, REPAIR, RIDGE, ROW_NORM, grid,
    neighbours, no_scale, post_processing, rounding_step, squared_codes,
};
use crate::model::{Assurance, Layout, NoiseLaw, Wallet};
use crate::noise::entropy::Entropy;
use crate::noise::wishart::{random_moments, round_sum};
use crate::plan::bound::{BoundPlan, GridParams};
use crate::plan::document::Calibration;
use crate::plan::params::{Parameter, Params, Range, Usual, Values, names};
use crate::plan::{CheckedPlan, PlanError};
use crate::privacy::calibrate::Budget;
use crate::privacy::measure::Delta;
use crate::privacy::mutants::{Mutant, is_active};
use crate::privacy::profile::{
    GRID_BITS, GridWishart, WishartNoise, additive_wishart_degrees, additive_wishart_epsilon, grid_distance,
    paper,
};

/// Name, guarantee and parameters of `additive-wishart`.
pub static INFO: Info = Info {
    name: "additive-wishart",
    title: "Sums of the records and of random rows",
    group: Some(&WHOLE_MATRIX),
    summary: "Adds random extra rows to the table.",
    prefer: "Prefer it where the moments must be positive definite, whatever the noise does, and the arithmetic bounded.",
    guarantee: "(ε, δ)-differential privacy; how far the arithmetic is covered depends on the number of random rows.",
    source: "Sheffet 2015, algorithm 3; theory/wishart 2.3",
    wallet: Wallet::Other,
    assurance: Assurance::Idealised,
    parameters: &[SCALE_RATIO, OUTPUT, RIDGE, REPAIR, FEATURE_SHARE, INTERCEPT_WEIGHT, ROW_NORM, FINE_RADIUS],
    ..Info::GAUSSIAN
};

const SCALE_RATIO: Parameter = Parameter::new(
    "scale_ratio",
    "Largest squared row over the scale of a random row",
    Values::Number(Range::closed(0.1, 10.0)),
)
.help("More means more random rows, each smaller")
.usual(Usual::Paper("3", "1"));
const OUTPUTS: [(&str, ()); 2] = [("debiased", ()), ("raw", ())];
const OUTPUT_NAMES: [&str; 2] = names(&OUTPUTS);
const OUTPUT: Parameter =
    Parameter::new("output", "What is done with the mean of the noise", Values::Choice(&OUTPUT_NAMES))
        .help(
            "debiased takes it off where that leaves the moments positive definite; raw keeps it, as a ridge",
        )
        .usual(Usual::Is("debiased"));

impl Configured for Parameters {
    fn grid(&self) -> GridParams {
        self.grid
    }

    fn resolve(&self, plan: &CheckedPlan, bound: BoundPlan) -> Result<Resolved, NoiseError> {
        let encoding = Encoding::try_new(bound, plan.budget.is_none(), |d, l| Layout::whole(d + l))?;
        let noise = plan.budget.map(|budget| Noise::calibrate(plan, &encoding.geometry, self, &budget));
        let noise = noise.transpose()?;
        Ok(SecondMoments::new(&encoding, noise, self.post_processing).resolved(encoding))
    }
}

/// Most grid numbers that a release draws one by one: some ten seconds in a browser.
pub const MOST_DRAWS: u64 = 1 << 20;

/// The parameters, defaults filled in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// How a record becomes integers.
    pub grid: GridParams,
    /// c = B²/s².
    pub scale_ratio: f64,
    /// What is done with the released moments. Whether the mean is taken off again stands in the plan.
    pub post_processing: PostProcessing,
}

impl Parameters {
    /// Reads the plan's parameters.
    ///
    /// # Errors
    /// [`PlanError`] for a value out of range.
    pub fn read(plan: &CheckedPlan, params: &mut Params<'_>) -> Result<Self, PlanError> {
        let grid = grid(params, plan)?;
        let scale_ratio = params.number(&SCALE_RATIO)?;
        params.choice(&OUTPUT, &OUTPUTS)?;
        Ok(Self { grid, scale_ratio, post_processing: post_processing(params)? })
    }
}

/// The noise of one release: public, and known before any data are.
#[derive(Clone, Debug, PartialEq)]
pub struct Noise {
    /// k.
    pub degrees: u32,
    /// s², in squared codes.
    pub scale: u64,
    /// Number of terms.
    pub terms: usize,
    /// The exponent of the power of two that the release is rounded to.
    pub step: usize,
    /// Whether the rows are drawn on the grid.
    pub on_grid: bool,
    /// What it costs.
    pub cost: ApproximateCost,
}

impl Noise {
    /// Returns the noise that a budget buys.
    ///
    /// # Errors
    /// [`NoiseError`] where the budget buys none, or the paper's scale is not defined.
    pub fn calibrate(
        plan: &CheckedPlan,
        geometry: &Geometry,
        parameters: &Parameters,
        budget: &Budget,
    ) -> Result<Self, NoiseError> {
        check_terms(geometry, INFO.name)?;
        let mut cost = ApproximateCost::of(budget)?;
        let square = geometry.squared_norm();
        let terms = geometry.terms.len();
        let columns = u32::try_from(terms).map_err(|error| no_scale(&error))?;
        let too_wide = "the scale is out of range";
        let scale = squared_codes(1.0 / parameters.scale_ratio, square).ok_or_else(|| no_scale(&too_wide))?;
        let ratio = (square as f64 / scale as f64).next_up();
        let reserved = if is_active(Mutant::GridSlackUnreserved) { 0.0 } else { GRID_SHARE };
        let left = cost.delta.get() * (1.0 - reserved);
        let ideal = Delta::try_new(left.next_down()).map_err(|error| no_scale(&error))?;
        let degrees = match plan.calibration {
            Calibration::Exact => {
                additive_wishart_degrees(cost.epsilon, ideal, columns, ratio, neighbours(plan))
                    .map_err(|error| no_scale(&error))?
                    .degrees()
            }
            Calibration::Paper => {
                let degrees =
                    paper::degrees(cost.epsilon, cost.delta, columns).map_err(|error| no_scale(&error))?;
                let noise = WishartNoise::try_new(degrees, columns).map_err(|error| no_scale(&error))?;
                cost.epsilon = additive_wishart_epsilon(ideal, ratio, noise, neighbours(plan))
                    .map_err(|error| no_scale(&error))?;
                degrees
            }
        };
        let k = f64::from(degrees);
        let step = rounding_step(scale as f64 * k.sqrt());
        let draws = u64::from(degrees) * u64::from(columns);
        let law = GridWishart { degrees, columns, scale, step };
        let slack = grid_distance(&law, cost.epsilon);
        let on_grid = draws <= MOST_DRAWS && slack <= cost.delta.get() * GRID_SHARE;
        Ok(Self { degrees, scale, terms, step, on_grid, cost })
    }

    /// Returns what the proof covers.
    pub const fn assurance(&self) -> Assurance {
        if self.on_grid { Assurance::Bounded } else { Assurance::Idealised }
    }

    /// Returns the released integers, as a packed upper triangle: all noise is drawn first, then the exact sums are read. `None`
    /// if a step fails.
    pub fn release<E: Entropy + ?Sized>(&self, moments: &Moments, rng: &mut E) -> Option<Vec<i128>> {
        if self.on_grid {
            let noise = random_moments(rng, u64::from(self.degrees), self.terms, self.scale, GRID_BITS);
            let cells = packed(moments, self.terms).into_iter().zip(&noise);
            cells.map(|(cell, noise)| round_sum(cell, noise, GRID_BITS, self.step)).collect()
        } else {
            let factor: Lower = bartlett(rng, u64::from(self.degrees), self.terms);
            let cells: Vec<IBig> = packed(moments, self.terms).into_iter().map(IBig::from).collect();
            perturbed(&cells, &factor, self.scale, self.step)
        }
    }
}

impl RoundNoise for Noise {
    fn answer(&self, _: Vec<i128>, sums: &Exact<'_>, rng: &mut dyn Entropy) -> Option<Answer> {
        let Exact::Moments(moments) = sums else { return None };
        Some(answer(self.release(moments, rng)?, self.law()?))
    }

    fn charge(&self) -> Option<Charge> {
        let parameters = [("degrees", self.degrees.to_string()), ("scale", self.scale.to_string())];
        Some(Charge::approximate(self.cost, self.assurance(), parameters))
    }

    fn law(&self) -> Option<NoiseLaw> {
        Some(NoiseLaw::Wishart { dof: u64::from(self.degrees), scale: self.scale.to_string() })
    }
}

/// The share of δ that is kept for the grid.
const GRID_SHARE: f64 = 1.0 / 1_048_576.0;
