//! `analyze-gauss`: the second moments of the bounded integer records, with exact discrete Gaussian noise.
//!
//! **Guarantee.** For any two neighbouring tables, the released integers are those of a μ-GDP mechanism up to the slack
//! that the ledger charges beside it, with μ² = Δ²/S² as the exact rational that the ledger charges
//! (noise-and-accounting, A8 c).
//!
//! **Sensitivity.** G = Σ z z' over records z = (c, q), ‖q‖ ≤ W. Adding a record moves G by z z', whose Frobenius norm
//! is ‖z‖² ≤ R² = c² + W². Replacing z by z̃ moves it by ‖z z' − z̃ z̃'‖² = ‖z‖⁴ + ‖z̃‖⁴ − 2 (z·z̃)² ≤ 2 R⁴. A person
//! with k rows multiplies Δ by k, because ‖A − B‖² ≤ ‖A‖² + ‖B‖² for positive semidefinite A and B. (A5;
//! [`sensitivity_squared`].)
//!
//! **Noise.** Independent on and above the diagonal: `goe` has variance S² on the diagonal and S²/2 off it, so the loss
//! Σ z_j⁴/S² + Σ z_j² z_k²/(S²/2) is exactly ‖z‖⁴/S² (A6). `iid` has S² everywhere, which loses no more and is noisier:
//! it is there for comparison. The paper's calibration has the paper's scale, which is meant for add-remove and
//! small ε; the charge is that of the true sensitivity. All noise is drawn before the first sum is read. S is the least integer that the plan's
//! units pay for.
//!
//! **Event.** [`Event::Gaussian`] with Δ², S and the cells of each variance; one charge, whatever is computed from the
//! release.
//!
//! **Defaults.** `radius` 2^24: the finest grid whose sums stay exact; 2^20 where μ < 2^-6 keeps S within the sampler's
//! range. `intercept_weight` 0.5: the count is noised less than a feature and leaves four fifths of the squared norm to
//! the columns. `feature_share` 0.6: between the optima 1/2 for weak and 2/3 for strong effects (A3). `row_norm` 1: no
//! record within its bounds is shortened. `ridge` none and `repair` shift: the estimate targets the unpenalised
//! regression wherever the noise allows it.
//!
//! **Standard errors.** [`crate::inference`], from the released moments and the plan alone (C1).

use std::num::NonZeroU64;

use dashu_int::UBig;
use serde_json::{Map, Value};

use super::shared::{Afterwards, NoiseError, grid, no_scale, squared_codes};
use crate::data::{Geometry, Moments};
use crate::noise::discrete::{gaussian_diagonal, gaussian_off_diagonal};
use crate::noise::entropy::Entropy;
use crate::plan::bound::GridParams;
use crate::plan::document::Calibration;
use crate::plan::params::Params;
use crate::plan::{CheckedPlan, PlanError};
use crate::privacy::calibrate::{
    Budget, CalibrationError, NoiseScale, Split, noise_scale, sensitivity_squared, wallets,
};
use crate::privacy::event::Event;
use crate::privacy::measure::{Delta, Epsilon};
use crate::privacy::mutants::{Mutant, planted};
use crate::privacy::profile::paper::analyze_gauss_sigma;
use crate::release::document::{NoiseLaw, Shape};

/// The mechanism's version in a ledger's entries.
pub const VERSION: &str = "1";

/// Below this μ the grid is coarser, so that S stays within the sampler's range.
const SMALL_MU: f64 = 1.0 / 64.0;

/// The parameters, defaults filled in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// How a record becomes integers.
    pub grid: GridParams,
    /// How the variance is spread over the cells.
    pub shape: Shape,
    /// What is done with the released moments.
    pub afterwards: Afterwards,
}

impl Parameters {
    /// Reads the plan's parameters; also answers them as they stand in a filled plan.
    ///
    /// # Errors
    /// [`PlanError`] for a value out of range and for a parameter that the mechanism does not have.
    pub fn from_plan(plan: &CheckedPlan) -> Result<(Self, Map<String, Value>), PlanError> {
        let mut params = Params::new("analyze-gauss", &plan.plan.mechanism.params);
        let small = plan.budget.as_ref().is_some_and(|budget| mu_of(budget) < SMALL_MU);
        let grid = grid(&mut params, plan, if small { 1 << 20 } else { 1 << 24 })?;
        let usual = if plan.calibration == Calibration::Paper { "iid" } else { "goe" };
        let shape = params.choice("shape", usual, &[("goe", Shape::Goe), ("iid", Shape::Iid)])?;
        let afterwards = Afterwards::take(&mut params)?;
        Ok((Self { grid, shape, afterwards }, params.finish()?))
    }
}

impl Parameters {
    /// The noise that a budget buys.
    ///
    /// # Errors
    /// [`NoiseError`] where it buys none, or the paper's scale has no answer.
    pub fn noise(
        &self,
        plan: &CheckedPlan,
        geometry: &Geometry,
        budget: &Budget,
    ) -> Result<Noise, NoiseError> {
        match (plan.calibration, *budget) {
            (Calibration::Exact, _) => {
                let units = wallets(budget, &Split::Gaussian)?.capacity.gaussian;
                Ok(Noise::calibrate(plan, geometry, self.shape, units)?)
            }
            (Calibration::Paper, Budget::EpsilonDelta { epsilon, delta }) => {
                Noise::of_the_paper(plan, geometry, self.shape, epsilon, delta)
            }
            (Calibration::Paper, Budget::Mu { .. } | Budget::Rho { .. }) => {
                Err(NoiseError::Plan(PlanError::at(
                    "budget",
                    "the paper's scale is for an epsilon and a delta",
                    "give {\"epsilon\", \"delta\"}",
                )))
            }
        }
    }
}

/// μ of a budget as asked for, or infinity where it cannot be used, which calibration then refuses.
fn mu_of(budget: &Budget) -> f64 {
    wallets(budget, &Split::Gaussian).map_or(f64::INFINITY, |wallets| wallets.pair.mu.get())
}

/// The noise of one release: public, and known before any data are.
#[derive(Clone, Debug, PartialEq)]
pub struct Noise {
    /// Δ².
    pub sensitivity_squared: UBig,
    /// S.
    pub scale: NoiseScale,
    /// How the variance is spread.
    pub shape: Shape,
    /// Number of terms.
    pub terms: usize,
}

impl Noise {
    /// The noise that `units` of the Gaussian wallet pay for.
    ///
    /// # Errors
    /// [`CalibrationError`] where S is out of the sampler's range.
    pub fn calibrate(
        plan: &CheckedPlan,
        geometry: &Geometry,
        shape: Shape,
        units: u128,
    ) -> Result<Self, CalibrationError> {
        let sensitivity_squared = sensitivity(plan, geometry);
        let scale = noise_scale(&sensitivity_squared, units)?;
        Ok(Self { sensitivity_squared, scale, shape, terms: geometry.terms.len() })
    }

    /// The noise of the paper's own scale for (ε, δ): S = ⌈R² σ⌉ with σ = √(2 ln(2/δ))/ε, on every cell alike
    /// (sheffet 2.7), where it is `iid`. What it costs follows from S and the true sensitivity.
    ///
    /// # Errors
    /// [`NoiseError`] where the formula has no answer or S is out of the sampler's range.
    pub fn of_the_paper(
        plan: &CheckedPlan,
        geometry: &Geometry,
        shape: Shape,
        epsilon: Epsilon,
        delta: Delta,
    ) -> Result<Self, NoiseError> {
        let sigma = analyze_gauss_sigma(epsilon, delta).map_err(|error| no_scale(&error))?;
        let scale = squared_codes(sigma, geometry.squared_norm())
            .ok_or_else(|| no_scale(&"the scale is out of range"))?;
        let sensitivity_squared = sensitivity(plan, geometry);
        let scale = NoiseScale::try_new(scale)?;
        Ok(Self { sensitivity_squared, scale, shape, terms: geometry.terms.len() })
    }

    /// The law that the release names.
    #[must_use]
    pub fn law(&self) -> NoiseLaw {
        NoiseLaw::DiscreteGaussian { shape: self.shape, s: self.scale.get().to_string() }
    }

    /// What the ledger is charged for.
    #[must_use]
    pub fn event(&self) -> Event {
        let p = self.terms as u64;
        let above = p * p.saturating_sub(1) / 2;
        let (cells_diagonal, cells_off_diagonal) = match self.shape {
            Shape::Goe => (p, above),
            Shape::Iid => (p + above, 0),
        };
        Event::Gaussian {
            sensitivity_squared: self.sensitivity_squared.clone(),
            scale: self.scale,
            cells_diagonal,
            cells_off_diagonal,
        }
    }

    /// Cells of the packed upper triangle.
    #[must_use]
    pub const fn cells(&self) -> usize {
        self.terms * (self.terms + 1) / 2
    }

    /// Noise for the packed upper triangle, row by row.
    pub fn draw<E: Entropy>(&self, rng: &mut E) -> Vec<i128> {
        let s: NonZeroU64 = self.scale.get();
        let mut cells = Vec::with_capacity(self.cells());
        for row in 0..self.terms {
            for column in row..self.terms {
                cells.push(match self.shape {
                    Shape::Goe if row != column => gaussian_off_diagonal(rng, s),
                    Shape::Goe | Shape::Iid => gaussian_diagonal(rng, s),
                });
            }
        }
        if planted(Mutant::SameNoiseEverywhere) {
            let first = cells.first().copied().unwrap_or(0);
            cells.fill(first);
        }
        if planted(Mutant::DiagonalCellUnnoised)
            && let Some(last) = cells.last_mut()
        {
            *last = 0;
        }
        if planted(Mutant::InterceptUnnoisedUnderSkip)
            && let Some(first) = cells.first_mut()
        {
            *first = 0;
        }
        cells
    }
}

/// Δ² on a grid.
fn sensitivity(plan: &CheckedPlan, geometry: &Geometry) -> UBig {
    sensitivity_squared(
        u64::from(geometry.constant),
        u64::from(geometry.radius),
        plan.adjacency,
        plan.max_rows_per_person,
        plan.constant_is_public(),
    )
}

/// The released integers, as a packed upper triangle: all noise is drawn first, then the exact sums are added.
pub fn perturb<E: Entropy>(moments: &Moments, noise: &Noise, rng: &mut E) -> Vec<i128> {
    add(noise.draw(rng), moments)
}

/// The noise with the exact sums added to it, as a packed upper triangle.
///
/// No sum can wrap: exact sums stay below 2^112 and noise below 2^62 but with probability 0 in practice, and a sum that
/// would leave 128 bits saturates.
#[must_use]
pub fn add(noise: Vec<i128>, moments: &Moments) -> Vec<i128> {
    let terms = moments.terms();
    let mut cells = noise;
    let mut rest = cells.iter_mut();
    for row in 0..terms {
        for (column, cell) in (row..terms).zip(&mut rest) {
            let exact = moments.get(row, column);
            *cell = if planted(Mutant::NoiseInFloat) {
                in_float(exact, *cell)
            } else {
                cell.saturating_add(exact)
            };
        }
    }
    cells
}

/// What [`Mutant::NoiseInFloat`] releases: the low bits of a large sum show through the noise (Haney et al. 2022).
#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "that is the bug")]
fn in_float(exact: i128, noise: i128) -> i128 {
    (exact as f64 + noise as f64) as i128
}
