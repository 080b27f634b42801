//! `ada-ssp`: sufficient statistics with noise, and a ridge that is no larger than a private look at the least eigenvalue asks for
//! (Wang 2018; theory/many-outcomes 5.3).
//!
//! **Guarantee.** Three parts: the least eigenvalue of X'X, X'X, X'Y. The eigenvalue has a share of μ² of its own; the two
//! moments are one joint release, as in [`super::reuse_cov`], with what is left. Each is μ-GDP up to the slack that the ledger
//! charges beside it, and their μ² add up.
//!
//! **Sensitivity.** Of the least eigenvalue B_x², under both adjacencies (Weyl: x x' − z z' has one eigenvalue up to B_x² and one
//! down to −B_x²). What is released is not the eigenvalue but the largest multiple g of a step for which S − g I is positive
//! definite. That is decided in integers ([`crate::math::sylvester`]), and one step of rounding at most is added:
//! ⌈B_x²/step⌉ steps. Floating point only says where to look. Of the moments: [`joint_sensitivity_squared`].
//!
//! **Shares.** The weight of the cross moments is the one at which two separate releases of X'X and X'Y would cost the plan's
//! shares for matrix and vector; released jointly they cost less than that, which goes into a smaller S.
//!
//! **Ridge.** Λ = max(0, t − λ̃). t bounds the spectral norm of the noise on X'X except with a third of the probability
//! `failure`. λ̃ = max(0, g + noise − σ √(2 ln(6/`failure`))) bounds the eigenvalue from below except with another third
//! (theory/many-outcomes 5.3). Both are post-processing.
//!
//! **Event.** Two Gaussian ones.
//!
//! **Defaults.** `split` thirds, `failure` 0.05, `row_norm` 1, `intercept_weight` 0.5, `repair` floor.

use dashu_int::{IBig, UBig};
use nalgebra::DMatrix;

use super::gaussian;
use super::info::{Info, LINEAR};
use super::rounds::{Answer, Charge, Configured, Encoding, PostProcessing, Resolved, RoundNoise};
use super::second_moments::{SecondMoments, answer};
use super::shared::{FLOOR_REPAIR, INTERCEPT_WEIGHT, NoiseError, RADIUS, REPAIR, ROW_NORM, scale, two_sides};
use crate::data::{Exact, Moments};
use crate::inference::options::Repair;
use crate::math::linalg::Eigen;
use crate::math::round::real;
use crate::math::sylvester::is_positive_definite;
use crate::model::{Layout, NoiseLaw, Shape};
use crate::noise::discrete::gaussian_diagonal;
use crate::noise::entropy::Entropy;
use crate::plan::bound::{BoundPlan, GridParams, Norms};
use crate::plan::params::{Parameter, Params, Range, Usual, Values};
use crate::plan::{CheckedPlan, PlanError};
use crate::privacy::adjacency::Adjacency;
use crate::privacy::calibrate::{Budget, NoiseScale, Split, budget_parts, noise_scale};
use crate::privacy::event::Event;
use crate::privacy::sensitivity::joint_sensitivity_squared;

/// Name, guarantee and parameters of `ada-ssp`.
pub static INFO: Info = Info {
    name: "ada-ssp",
    title: "Noisy sums with an adaptive ridge",
    group: Some(&LINEAR),
    summary: "Perturbs the moments and chooses the ridge from a private eigenvalue.",
    prefer: "Prefer it where a table may be large enough to need no ridge, and a fixed one would shrink too much.",
    source: "Wang 2018; theory/many-outcomes 5.3",
    no_paper_scale: Some("the paper's own scale for `ada-ssp` is not built yet"),
    parameters: &[SPLIT, FAILURE, FLOOR_REPAIR, INTERCEPT_WEIGHT, ROW_NORM, RADIUS],
    ..Info::GAUSSIAN
};

const SPLIT: Parameter = Parameter::new(
    "split",
    "Shares of the budget",
    Values::Shares(&["eigenvalue", "matrix", "vector"], Range::between(0.0, 1.0), 1.0, true),
)
.usual(Usual::From("thirds"));
const FAILURE: Parameter = Parameter::new(
    "failure",
    "Probability that the ridge is too small",
    Values::Number(Range::closed(1e-6, 0.5)),
)
.usual(Usual::Is("0.05"));

impl Configured for Parameters {
    fn grid(&self) -> GridParams {
        two_sides(self.radius, self.intercept_weight, self.row_norm, self.row_norm)
    }

    fn resolve(&self, plan: &CheckedPlan, mut bound: BoundPlan) -> Result<Resolved, NoiseError> {
        self.weigh_outcomes(plan, &mut bound);
        let encoding = Encoding::try_new(bound, plan.budget.is_none(), |d, l| Layout::sides(d, l, false))?;
        let noise = plan.budget.map(|budget| self.noise(plan, &encoding, &budget)).transpose()?;
        // The mechanism chooses its own ridge.
        let post_processing = PostProcessing { repair: self.repair, ..PostProcessing::default() };
        Ok(SecondMoments::new(&encoding, noise, post_processing).resolved(encoding))
    }
}

/// Most terms: the integers of a definiteness test grow with their number.
pub const MOST_TERMS: usize = 100;

/// Bits of a step of the eigenvalue.
const STEP_BITS: usize = 20;

/// The parameters, defaults filled in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    radius: u32,
    intercept_weight: f64,
    row_norm: f64,
    /// Shares of μ²: eigenvalue, matrix, vector.
    split: [f64; 3],
    /// Probability that the ridge is too small.
    pub failure: f64,
    /// What happens if the moments are not positive definite all the same.
    pub repair: Repair,
}

impl Parameters {
    /// Reads the plan's parameters.
    ///
    /// # Errors
    /// [`PlanError`] for a value out of range.
    pub fn read(plan: &CheckedPlan, params: &mut Params<'_>) -> Result<Self, PlanError> {
        let (radius, intercept_weight) = scale(params, plan)?;
        Ok(Self {
            radius,
            intercept_weight,
            row_norm: params.number(&ROW_NORM)?,
            split: params.shares_or(&SPLIT, [1.0 / 3.0; 3])?,
            failure: params.number(&FAILURE)?,
            repair: params.choice(&REPAIR, &Repair::CHOICES)?,
        })
    }

    /// Gives the outcomes the weight that the shares ask for. Separate releases cost μ² of 2 B_x⁴/S² and 2 κ·2 B_x⁴/S² under
    /// replace-one, B_x⁴/S² and κ B_x⁴/S² under add-remove, and κ = 2 B_y²/B_x².
    fn weigh_outcomes(&self, plan: &CheckedPlan, bound: &mut BoundPlan) {
        let [_, matrix, vector] = self.split;
        let kappa = match plan.adjacency {
            Adjacency::ReplaceOne => vector / (2.0 * matrix),
            Adjacency::AddRemove => vector / matrix,
        };
        if let Norms::Sides(sides) = &mut bound.grid.norms {
            sides.ratio = kappa / 2.0;
        }
    }

    /// Returns the noise that a budget buys.
    fn noise(&self, plan: &CheckedPlan, encoding: &Encoding, budget: &Budget) -> Result<Noise, NoiseError> {
        let (geometry, layout) = (&encoding.geometry, encoding.layout);
        if layout.features() > MOST_TERMS {
            return Err(NoiseError::Plan(PlanError::at(
                "columns",
                format!(
                    "the features make {} terms, and `ada-ssp` decides about {MOST_TERMS} at most",
                    layout.features()
                ),
                "choose fewer features, or take `reuse-cov-gauss`",
            )));
        }
        let units = budget_parts(budget, &Split::Gaussian)?.capacity.gaussian;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share of units; what is not spent is not charged"
        )]
        let first = ((units as f64 * self.split[0]) as u128).min(units);
        let steps = geometry.feature_square().div_ceil(1 << STEP_BITS);
        let k = UBig::from(plan.max_rows_per_person);
        let reach = (UBig::from(steps) << STEP_BITS) * k;
        let eigenvalue_squared = &reach * &reach;
        let moments_squared = joint_sensitivity_squared(
            geometry.feature_square(),
            2 * geometry.outcome_square(),
            plan.adjacency,
            plan.max_rows_per_person,
        );
        let moments = gaussian::Noise {
            scale: noise_scale(&moments_squared, units - first)?,
            sensitivity_squared: moments_squared,
            shape: Shape::Goe,
            layout,
            public_features: false,
        };
        let eigenvalue = noise_scale(&eigenvalue_squared, first)?;
        Ok(Noise { moments, eigenvalue, eigenvalue_squared, failure: self.failure })
    }
}

/// The noise of one release.
#[derive(Clone, Debug, PartialEq)]
pub struct Noise {
    /// On the moments.
    pub moments: gaussian::Noise,
    /// S of the eigenvalue, in squared codes.
    pub eigenvalue: NoiseScale,
    /// Δ² of the eigenvalue.
    eigenvalue_squared: UBig,
    /// Probability that the ridge is too small.
    failure: f64,
}

impl Noise {
    /// Returns what the ledger is charged for.
    pub fn events(&self) -> Vec<Event> {
        let eigenvalue = Event::gaussian(&self.eigenvalue_squared, self.eigenvalue, (1, 0));
        vec![eigenvalue, self.moments.event()]
    }

    /// Returns the ridge that follows from the noisy eigenvalue, in squared codes.
    fn ridge(&self, noisy: i128) -> f64 {
        let (seen, sd, scale) = (real(noisy), self.eigenvalue.real(), self.moments.scale.real());
        let d = real(self.moments.layout.features());
        let safely = (seen - sd * libm::sqrt(2.0 * libm::log(6.0 / self.failure))).max(0.0);
        let norm = scale * ((2.0 * d).sqrt() + libm::sqrt(2.0 * libm::log(6.0 / self.failure)));
        (norm - safely).max(0.0)
    }
}

impl RoundNoise for Noise {
    /// Draws the eigenvalue's noise, then that of the cells.
    fn draw(&self, rng: &mut dyn Entropy) -> Vec<i128> {
        let mut drawn = vec![gaussian_diagonal(rng, self.eigenvalue.get())];
        drawn.extend(self.moments.draw(rng));
        drawn
    }

    fn answer(&self, mut drawn: Vec<i128>, sums: &Exact<'_>, _: &mut dyn Entropy) -> Option<Answer> {
        let (Exact::Moments(moments), false) = (sums, drawn.is_empty()) else { return None };
        let noise = drawn.remove(0);
        let cells = self.moments.add(drawn, moments);
        let least = least_eigenvalue(moments, self.moments.layout.features());
        Some(Answer { ridge: self.ridge(least.saturating_add(noise)), ..answer(cells, self.moments.law()) })
    }

    fn charge(&self) -> Option<Charge> {
        let parameters = [
            ("S", self.moments.scale.get().to_string()),
            ("S_eigenvalue", self.eigenvalue.get().to_string()),
        ];
        Some(Charge::gaussian(self.events(), parameters))
    }

    fn law(&self) -> Option<NoiseLaw> {
        Some(self.moments.law())
    }
}

/// Returns the largest multiple of the step that is below every eigenvalue of the first terms' exact moments.
fn least_eigenvalue(moments: &Moments, features: usize) -> i128 {
    let above = |steps: i128| {
        let entry = |row: usize, column: usize| {
            let cell = IBig::from(moments.get(row, column));
            if row == column { cell - (IBig::from(steps) << STEP_BITS) } else { cell }
        };
        is_positive_definite(
            (0..features).map(|row| (0..features).map(|column| entry(row, column)).collect()).collect(),
        )
    };
    let approximate = DMatrix::from_fn(features, features, |row, column| moments.get(row, column) as f64);
    let found = Eigen::try_new(&approximate).map_or(0.0, |eigen| eigen.smallest());
    #[expect(clippy::cast_possible_truncation, reason = "`as` saturates, and the integers decide")]
    let guess = (found / libm::ldexp(1.0, 20)).floor() as i128;
    // From the guess outward in doubling strides, then between the last two.
    let is_above = above(guess);
    let (mut near, mut stride) = (guess, 1_i128);
    let far = loop {
        let far = if is_above { near.saturating_add(stride) } else { near.saturating_sub(stride) };
        if above(far) != is_above {
            break far;
        }
        near = far;
        stride = stride.saturating_mul(2);
    };
    let (mut low, mut high) = if is_above { (near, far) } else { (far, near) };
    while high.saturating_sub(low) > 1 {
        let middle = low.midpoint(high);
        if above(middle) { low = middle } else { high = middle }
    }
    low.saturating_mul(1 << STEP_BITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_eigenvalue_is_rounded_down_to_a_step() {
        let mut moments = Moments::new(2);
        moments.add(&[3_000_000, 1_000_000]);
        moments.add(&[-500_000, 2_000_000]);
        // [[9.25e12, 2e12], [2e12, 5e12]]: (14.25 − √(4.25² + 16)) / 2 · 10^12.
        let exact = (14.25 - (4.25_f64 * 4.25 + 16.0).sqrt()) / 2.0 * 1e12;
        let found = least_eigenvalue(&moments, 2) as f64;
        assert!(found < exact && exact - found <= libm::ldexp(1.0, 20) + 1.0, "{found} {exact}");
        // Nothing at all, and one direction alone: below 0 by a step.
        assert_eq!(least_eigenvalue(&Moments::new(2), 2), -(1 << STEP_BITS));
        let mut one = Moments::new(2);
        one.add(&[1_000, 2_000]);
        assert_eq!(least_eigenvalue(&one, 2), -(1 << STEP_BITS));
    }
}
