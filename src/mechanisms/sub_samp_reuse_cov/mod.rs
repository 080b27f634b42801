//! `sub-samp-reuse-cov`: the features' moments of a secret sample of the rows, the cross moments of all (PRIMO, Algorithm 4;
//! theory/many-outcomes 5.2). A saving of time where X'X is the work; it never pays in accuracy.
//!
//! **Guarantee.** (ε, δ) under replace-one, by basic composition of two parts. X'X of s rows, drawn without replacement by this
//! program's own randomness after the charge and kept secret: an (ε₀, δ₀) Gaussian release on the sample is
//! (ln(1 + γ (e^ε₀ − 1)), γ δ₀) on the table, γ = s/n ([`FixedSize`]; Balle, Barthe, Gaboardi 2018). The paper's linear rule
//! ε₀ = ε/γ is always too hopeful, and its scale divides by n where the sum is over s rows (theory/many-outcomes 6.2, row N8). X'Y of all rows is
//! the other Gaussian release.
//!
//! **Sensitivity.** X'X of the sample: √2 B_x². X'Y: 2 B_x B_y. The encoder gives the outcomes the bound at which both need the
//! same S, off the diagonal S/√2, so that one law stands on the release; readers multiply `xx` by n/s.
//!
//! **Discreteness.** The Gaussians are discrete; what that costs is taken off δ before the calibration: 2⁻²⁰ of it is kept, and
//! the noise is refused where that should not be enough.
//!
//! **As printed.** `"calibration": "paper"` draws the noise of Algorithm 4, alike on and above the diagonal, and is charged what is
//! proved for it: the amplified ε₀ of the sample's part, which the paper's scale puts in the hundreds for a tenth of the rows, and
//! that of the other. So it is for `simulate` alone, and the release states claim and cost.
//!
//! **Not here.** Intervals, unless the sample is the whole table: its error depends on fourth moments of the records, which are not
//! released (theory/many-outcomes 5.2).
//!
//! **Event.** [`Event::Approximate`] of the whole: a subsampled Gaussian has no μ.
//!
//! **Defaults.** `sample_rows` a tenth of the rows, `covariance_share` 0.5.

use std::collections::BTreeSet;

use serde_json::Value;

use super::gaussian;
use super::info::{COMPARISON, Info, Scope};
use super::rounds::{Answer, Charge, Configured, Encoding, PostProcessing, Resolved, RoundNoise, moments_of};
use super::second_moments::{SecondMoments, answer};
use super::shared::{
    AUTO_RIDGE, ApproximateCost, FLOOR_REPAIR, INTERCEPT_WEIGHT, NoiseError, RADIUS, ROW_NORM, no_scale,
    post_processing, printed_scale, scale, two_sides,
};
use crate::data::{Exact, Geometry};
use crate::math::round::{MARGIN, lower, raise, real};
use crate::model::{Assurance, Layout, NoiseLaw, Shape, Wallet};
use crate::noise::discrete::uniform_below;
use crate::noise::entropy::Entropy;
use crate::plan::bound::{BoundPlan, GridParams, Norms};
use crate::plan::document::Calibration;
use crate::plan::params::{Parameter, Params, Range, Usual, Values};
use crate::plan::{CheckedPlan, PlanError};
use crate::privacy::adjacency::Adjacency;
use crate::privacy::calibrate::{Budget, CalibrationError, NoiseScale, slack_charge};
use crate::privacy::event::Event;
use crate::privacy::measure::{Delta, Epsilon};
use crate::privacy::mutants::{Mutant, is_active};
use crate::privacy::profile::paper::primo::{Scales, subsampled_reuse_cov, subsampled_reuse_cov_epsilon};
use crate::privacy::sensitivity::{cross_sensitivity_squared, joint_sensitivity_squared};
use crate::privacy::subsampling::{FixedSize, Parts};

/// Name, guarantee and parameters of `sub-samp-reuse-cov`.
pub static INFO: Info = Info {
    name: "sub-samp-reuse-cov",
    title: "Noisy sums of a secret sample",
    group: Some(&COMPARISON),
    summary: "Shares a covariance that was computed on a secret subsample.",
    prefer: "Prefer it never for accuracy: the sample saves time where there are many features, and costs noise.",
    guarantee: "(ε, δ)-differential privacy under replace-one, exactly as it is computed.",
    source: "Neel 2023, algorithm 4; theory/many-outcomes 5.2",
    wallet: Wallet::Other,
    scope: Scope::ReplaceOne,
    standard_errors: false,
    parameters: &[
        SAMPLE_ROWS, COVARIANCE_SHARE, AUTO_RIDGE, FLOOR_REPAIR, INTERCEPT_WEIGHT, ROW_NORM, RADIUS,
    ],
    ..Info::GAUSSIAN
};

const SAMPLE_ROWS: Parameter = Parameter::new(
    "sample_rows",
    "Rows of the sample",
    Values::Free("a whole number from the number of terms to that of rows"),
)
.usual(Usual::From("a tenth"));
const COVARIANCE_SHARE: Parameter = Parameter::new(
    "covariance_share",
    "Share of epsilon and delta for the covariance",
    Values::Number(Range::closed(0.001, 0.999)),
)
.usual(Usual::Is("0.5"));

impl Configured for Parameters {
    fn grid(&self) -> GridParams {
        two_sides(self.radius, self.intercept_weight, self.row_norm, self.row_norm)
    }

    fn resolve(&self, plan: &CheckedPlan, mut bound: BoundPlan) -> Result<Resolved, NoiseError> {
        self.weigh_outcomes(plan, &mut bound)?;
        let encoding = Encoding::new(bound, plan.budget.is_none(), |d, l| Layout::sides(d, l, false));
        let statistic = encoding.rows(plan.public_rows())?;
        encoding.check(None)?;
        let noise = plan.budget.map(|budget| self.noise(plan, &encoding, &budget)).transpose()?;
        let moments = SecondMoments::new(&encoding, noise, self.post_processing);
        Ok(SecondMoments { statistic, ..moments }.resolved(encoding))
    }
}

/// The parameters, defaults filled in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    radius: u32,
    intercept_weight: f64,
    row_norm: f64,
    /// s.
    pub sample: u32,
    rows: u32,
    covariance_share: f64,
    /// What is done with the released moments.
    pub post_processing: PostProcessing,
}

impl Parameters {
    /// Reads the plan's parameters.
    ///
    /// # Errors
    /// [`PlanError`] for a value out of range.
    pub fn read(plan: &CheckedPlan, params: &mut Params<'_>) -> Result<Self, PlanError> {
        let (radius, intercept_weight) = scale(params, plan)?;
        let rows = plan.rows.and_then(|rows| u32::try_from(rows).ok()).unwrap_or(0);
        let sample = params.value_or(&SAMPLE_ROWS, Value::from((rows / 10).max(1)), |_, value| {
            let sample = value.as_u64().and_then(|sample| u32::try_from(sample).ok());
            sample.filter(|sample| (1..=rows).contains(sample))
        })?;
        let covariance_share = params.number(&COVARIANCE_SHARE)?;
        if plan.calibration == Calibration::Paper && (covariance_share - 0.5).abs() > 0.0 {
            return Err(PlanError::at(
                "mechanism.params.covariance_share",
                "the paper halves the budget",
                "set it to 0.5, or `calibration` to \"exact\"",
            ));
        }
        let row_norm = params.number(&ROW_NORM)?;
        let post_processing = post_processing(params)?;
        Ok(Self { radius, intercept_weight, row_norm, sample, rows, covariance_share, post_processing })
    }

    /// Gives the outcomes the bound at which both parts need the same S: √2 B_x²/μ₁ = √2 · 2 B_x B_y/μ₂, so
    /// B_y/B_x = μ₂/(2 μ₁).
    ///
    /// # Errors
    /// [`PlanError`] for a sample that is smaller than the number of terms, or a budget that buys nothing.
    fn weigh_outcomes(&self, plan: &CheckedPlan, bound: &mut BoundPlan) -> Result<(), PlanError> {
        let features = Geometry::new(bound).first_outcome(bound);
        if (self.sample as usize) < features {
            return Err(PlanError::at(
                "mechanism.params.sample_rows",
                format!(
                    "a sample of {} rows has fewer rows than there are predictors, {features}",
                    self.sample
                ),
                "give more",
            ));
        }
        if let (Some(budget), Norms::Sides(sides)) = (&plan.budget, &mut bound.grid.norms) {
            let ratio = match plan.calibration {
                Calibration::Exact => {
                    self.parts(budget).map(|parts| parts.whole.get() / (2.0 * parts.sample.get()))
                }
                // σ₁ B_x² = σ₂ B_x √l M_y, where B_y is that share of the paper's bound.
                Calibration::Paper => {
                    self.printed(budget).map(|scales| scales.covariance / scales.association * self.row_norm)
                }
            };
            let ratio = ratio.map_err(|error| match error {
                NoiseError::Plan(error) => error,
                NoiseError::Budget(error) => PlanError::at("budget", error.to_string(), "give another"),
            })?;
            sides.ratio = ratio.powi(2);
        }
        Ok(())
    }

    fn sampling(&self) -> Result<FixedSize, NoiseError> {
        FixedSize::try_new(self.sample, self.rows).map_err(|error| no_scale(&error))
    }

    /// Returns the paper's scales.
    fn printed(&self, budget: &Budget) -> Result<Scales, NoiseError> {
        let Budget::EpsilonDelta { epsilon, delta } = *budget else {
            return Err(NoiseError::Budget(CalibrationError::Nothing));
        };
        subsampled_reuse_cov(epsilon, delta, self.sampling()?).map_err(|error| no_scale(&error))
    }

    fn parts(&self, budget: &Budget) -> Result<Parts, NoiseError> {
        let cost = ApproximateCost::of(budget)?;
        self.sampling()?
            .gaussian_parts(cost.epsilon, cost.delta, self.covariance_share)
            .map_err(|error| no_scale(&error))
    }

    /// Returns the noise that a budget buys.
    fn noise(&self, plan: &CheckedPlan, encoding: &Encoding, budget: &Budget) -> Result<Noise, NoiseError> {
        let (geometry, layout) = (&encoding.geometry, encoding.layout);
        let (features, outcomes) = (geometry.feature_square(), geometry.outcome_square());
        let matrix = joint_sensitivity_squared(features, 0, Adjacency::ReplaceOne, 1);
        let asked = ApproximateCost::of(budget)?;
        let (shape, weight, scale, cost) = match plan.calibration {
            Calibration::Exact => {
                let vector = cross_sensitivity_squared(features, 2 * outcomes, 1);
                (Shape::Goe, 2, self.parts(budget)?.scale(&matrix, &vector)?, asked)
            }
            Calibration::Paper => {
                let scale = printed_scale(self.printed(budget)?.covariance, features)?;
                let epsilon = self.real_epsilon(scale, features, outcomes, asked.delta)?;
                (Shape::Iid, 1, scale, ApproximateCost { epsilon, ..asked })
            }
        };
        let vector = cross_sensitivity_squared(features, weight * outcomes, 1);
        let gaussian = gaussian::Noise {
            sensitivity_squared: matrix + vector,
            scale,
            shape,
            layout,
            public_features: false,
        };
        // What costs more than it claims is refused elsewhere, and a demonstration of it pays for nothing.
        if cost.epsilon <= asked.epsilon {
            let alone = match plan.calibration {
                Calibration::Exact => self.parts(budget)?.sample_epsilon,
                // ε₀ = ln(1 + (e^ε − 1)/γ) <= ε + ln(1/γ).
                Calibration::Paper => {
                    let most = cost.epsilon.get() + libm::log(f64::from(self.rows) / f64::from(self.sample));
                    Epsilon::try_new(raise(most, MARGIN)).map_err(|error| no_scale(&error))?
                }
            };
            if !within_reserve(&gaussian, alone, cost.delta, scale) {
                return Err(NoiseError::Budget(CalibrationError::Nothing));
            }
        }
        Ok(Noise { gaussian, cost, sample: self.sample, rows: self.rows })
    }

    /// Returns the actual cost ε of the paper's noise at δ, on the actual grid.
    fn real_epsilon(
        &self,
        scale: NoiseScale,
        features: u64,
        outcomes: u64,
        delta: Delta,
    ) -> Result<Epsilon, NoiseError> {
        let [codes, features, outcomes] = [scale.get().get(), features, outcomes].map(real);
        let scales = Scales {
            covariance: lower(codes / features, MARGIN),
            association: lower(codes / (features * outcomes).sqrt(), MARGIN),
        };
        let usable = lower(delta.get() * (1.0 - libm::ldexp(1.0, -20)), MARGIN);
        let usable = Delta::try_new(usable).map_err(|error| no_scale(&error))?;
        subsampled_reuse_cov_epsilon(scales, usable, self.sampling()?).map_err(|error| no_scale(&error))
    }
}

/// Returns whether 2⁻²⁰ of δ pays for the discreteness of the noise.
fn within_reserve(noise: &gaussian::Noise, epsilon: Epsilon, delta: Delta, scale: NoiseScale) -> bool {
    let Event::Gaussian { cells_diagonal, cells_off_diagonal, .. } = noise.event() else { return false };
    let units = slack_charge(epsilon, cells_diagonal, cells_off_diagonal, scale);
    let slack = real(units) * libm::ldexp(1.0, -100);
    slack <= delta.get() * libm::ldexp(1.0, -21)
}

/// The noise of one release.
#[derive(Clone, Debug, PartialEq)]
pub struct Noise {
    /// On the cells.
    pub gaussian: gaussian::Noise,
    /// ε and δ as charged.
    pub cost: ApproximateCost,
    sample: u32,
    rows: u32,
}

impl RoundNoise for Noise {
    fn draw(&self, rng: &mut dyn Entropy) -> Vec<i128> {
        self.gaussian.draw(rng)
    }

    /// Draws the sample and sums it. A number beyond the rows that count stands for a skipped record, which is a row of zeros.
    fn answer(&self, drawn: Vec<i128>, sums: &Exact<'_>, rng: &mut dyn Entropy) -> Option<Answer> {
        let Exact::Rows(rows) = sums else { return None };
        let chosen = sample(self.sample, self.rows, rng);
        let taken = |index| u32::try_from(index).is_ok_and(|index| chosen.contains(&index));
        let cells = self.gaussian.add(drawn, &moments_of(rows, self.gaussian.layout, taken));
        Some(answer(cells, self.gaussian.law()))
    }

    fn charge(&self) -> Option<Charge> {
        let scale = self.gaussian.scale.get().to_string();
        Some(Charge::approximate(self.cost, Assurance::Exact, [("S", scale)]))
    }

    fn law(&self) -> Option<NoiseLaw> {
        Some(self.gaussian.law())
    }
}

/// Draws s of n numbers; each set of s numbers has the same probability (Floyd).
fn sample<E: Entropy + ?Sized>(size: u32, rows: u32, rng: &mut E) -> BTreeSet<u32> {
    if is_active(Mutant::SampleKnown) {
        return (0..size).collect();
    }
    let mut chosen = BTreeSet::new();
    for last in rows - size..rows {
        let drawn = u32::try_from(uniform_below(rng, u128::from(last) + 1)).unwrap_or(last);
        if !chosen.insert(drawn) {
            chosen.insert(last);
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::entropy::DemoRng;

    #[test]
    fn every_set_is_drawn_alike() {
        let mut counts = std::collections::BTreeMap::<Vec<u32>, u32>::new();
        let mut rng = DemoRng::new(41, 0);
        for _ in 0..10_000 {
            *counts.entry(sample(2, 5, &mut rng).into_iter().collect()).or_default() += 1;
        }
        // Ten sets at 1,000 each; chi-squared of nine degrees of freedom is above 33.7 for 1e-4.
        let statistic: f64 =
            counts.values().map(|&count| (f64::from(count) - 1_000.0).powi(2) / 1_000.0).sum();
        assert_eq!(counts.len(), 10);
        assert!(statistic < 33.7, "{statistic}");
        assert_eq!(sample(5, 5, &mut rng).len(), 5);
    }
}
