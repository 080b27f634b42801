//! Converts a budget to integer units and units to the scale of exact Gaussian noise. Other noise is calibrated in [`super::profile`].
//!
//! A ledger's capacity and a plan's units come from the same function ([`budget_parts`]), so a plan that asks for all of a
//! ledger fits exactly. Arithmetic on units is integer arithmetic. The floating-point numbers before it are moved by [`MARGIN`]
//! to the safe side (theory/encoding 3, theory/noise 1, theory/accounting 3 and 5).

use std::num::NonZeroU64;

use dashu_int::UBig;
use dashu_int::ops::SquareRoot;
use serde::{Deserialize, Serialize};

use super::adjacency::Adjacency;
use super::compose::{Pair, fits, mu_b};
use super::measure::{Delta, Epsilon, Mu, Rho};
use super::mutants::{Mutant, is_active};
use super::units::Units;
use crate::math::round::{MARGIN, ceil_scaled, floor_scaled, floor_square_scaled, raise, sqrt_down};
use crate::math::search::first_true;

/// Fractional bits of μ² and of ε: a unit is 2^-40.
pub const UNIT_BITS: usize = 40;
/// Fractional bits of δ: a unit is 2^-100.
pub const DELTA_BITS: usize = 100;
/// Smallest noise scale S at which discrete Gaussian noise is charged by μ (theory/accounting 3.2).
pub const LEAST_SCALE: u64 = 1 << 40;
/// Largest noise scale S of a plan (theory/noise 1.3).
pub const GREATEST_SCALE: u64 = 1 << 55;
/// Smallest δ of a ledger, 2^-40.
pub const LEAST_DELTA: f64 = 9.094_947_017_729_282e-13;

/// A budget that cannot be used, or noise that cannot be drawn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CalibrationError {
    /// δ is out of range for a ledger.
    #[error("{}", crate::words::error::calibration_delta(.0))]
    Delta(String),
    /// The ledger needs δ beside μ or ρ.
    #[error("{}", crate::words::error::calibration_no_delta())]
    NoDelta,
    /// A budget of μ or ρ cannot be split.
    #[error("{}", crate::words::error::calibration_split_needs_epsilon())]
    SplitNeedsEpsilon,
    /// The (ε, δ) part exceeds the budget.
    #[error("{}", crate::words::error::calibration_split(epsilon, delta))]
    Split {
        /// ε_O as asked for.
        epsilon: String,
        /// δ_O as asked for.
        delta: String,
    },
    /// The budget is less than one unit.
    #[error("{}", crate::words::error::calibration_nothing())]
    Nothing,
    /// More than 128 bits of units.
    #[error("{}", crate::words::error::calibration_too_large())]
    TooLarge,
    /// The noise is too small for the fine grid.
    #[error("{}", crate::words::error::calibration_scale_too_small(.0))]
    ScaleTooSmall(String),
    /// The noise is too large for the samplers.
    #[error("{}", crate::words::error::calibration_scale_too_large(.0))]
    ScaleTooLarge(String),
    /// Stored numbers do not keep the promise.
    #[error("{}", crate::words::error::calibration_unsound())]
    Unsound,
}

/// The most that a plan or a ledger may cost, in one of three forms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Budget {
    /// (ε, δ)-differential privacy.
    EpsilonDelta {
        /// ε*.
        epsilon: Epsilon,
        /// δ*.
        delta: Delta,
    },
    /// Zero-concentrated differential privacy; ε is stated at δ.
    Rho {
        /// ρ.
        rho: Rho,
        /// δ, if given.
        delta: Option<Delta>,
    },
    /// Gaussian differential privacy; ε is stated at δ.
    Mu {
        /// μ.
        mu: Mu,
        /// δ, if given.
        delta: Option<Delta>,
    },
}

/// The division of a budget into the Gaussian budget and the (ε, δ) budget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Split {
    /// All for Gaussian releases.
    #[default]
    Gaussian,
    /// All for mechanisms whose guarantee is known as (ε, δ) alone.
    Other,
    /// Half of ε and a tenth of δ for the (ε, δ) budget, the rest Gaussian.
    Both,
    /// An (ε, δ) budget as stated, the rest Gaussian. No draft of a plan has one.
    #[serde(skip)]
    Explicit {
        /// ε_O.
        epsilon: Epsilon,
        /// δ_O.
        delta: Delta,
    },
}

/// A budget, divided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BudgetParts {
    /// ε* and δ* of the whole budget; `None` for μ or ρ without δ.
    pub promise: Option<(Epsilon, Delta)>,
    /// μ_B, ε_O and δ_O.
    pub pair: Pair,
    /// The same in integer units, with δ_res as slack.
    pub capacity: Units,
}

/// Divides a budget: of a ledger when it is opened, of a plan before it runs.
///
/// μ_B is the largest with δ_tot(ε*) <= δ* − δ_res, δ_res = max(2^-50, δ* 2^-20), rounded down. If the budget is μ or ρ,
/// μ_B is μ or √(2ρ) and ε* = ε(δ* − δ_res; μ), rounded up. Capacities are rounded down (theory/accounting 5.2).
///
/// # Errors
/// [`CalibrationError`] if δ is out of range, the split exceeds the budget, or the units are 0 or beyond 128 bits.
pub fn budget_parts(budget: &Budget, split: &Split) -> Result<BudgetParts, CalibrationError> {
    let (promise, pair) = match *budget {
        Budget::EpsilonDelta { epsilon, delta } => (Some((epsilon, delta)), divide(epsilon, delta, split)?),
        Budget::Rho { rho, delta } => gaussian_only(mu_of_rho(rho)?, delta, split)?,
        Budget::Mu { mu, delta } => gaussian_only(mu, delta, split)?,
    };
    let capacity = capacity(&pair, promise.map(|(_, delta)| delta))?;
    if capacity.is_free() {
        return Err(CalibrationError::Nothing);
    }
    Ok(BudgetParts { promise, pair, capacity })
}

/// Recomputes the capacity from a ledger's stored inputs, after checking that `pair` keeps within (`epsilon`, `delta`).
///
/// # Errors
/// [`CalibrationError::Unsound`] if it does not, and other variants for inputs out of range.
pub fn verified_capacity(epsilon: Epsilon, delta: Delta, pair: &Pair) -> Result<Units, CalibrationError> {
    // Half of the margin at opening, so that a valid ledger passes in a build that rounds the last bit differently.
    if fits(epsilon, pair, spendable(delta)?, MARGIN / 2.0) {
        capacity(pair, Some(delta))
    } else {
        Err(CalibrationError::Unsound)
    }
}

fn divide(epsilon: Epsilon, delta: Delta, split: &Split) -> Result<Pair, CalibrationError> {
    let spendable = spendable(delta)?;
    let part = |share: f64| Delta::try_new(share).map_err(|_| CalibrationError::Delta(delta.to_string()));
    let (other_epsilon, other_delta) = match *split {
        Split::Gaussian => (Epsilon::ZERO, Delta::ZERO),
        Split::Other => (epsilon, part(spendable)?),
        Split::Both => {
            (Epsilon::try_new(epsilon.get() / 2.0).unwrap_or(Epsilon::ZERO), part(delta.get() / 10.0)?)
        }
        Split::Explicit { epsilon, delta } => (epsilon, delta),
    };
    let mu = match split {
        Split::Other => Mu::ZERO,
        _ => mu_b(epsilon, spendable, other_epsilon, other_delta),
    };
    let pair = Pair { mu, epsilon: other_epsilon, delta: other_delta };
    if fits(epsilon, &pair, spendable, MARGIN) {
        Ok(pair)
    } else {
        Err(CalibrationError::Split { epsilon: other_epsilon.to_string(), delta: other_delta.to_string() })
    }
}

type Promised = (Option<(Epsilon, Delta)>, Pair);

fn gaussian_only(mu: Mu, delta: Option<Delta>, split: &Split) -> Result<Promised, CalibrationError> {
    if *split != Split::Gaussian {
        return Err(CalibrationError::SplitNeedsEpsilon);
    }
    let pair = Pair { mu, epsilon: Epsilon::ZERO, delta: Delta::ZERO };
    let Some(delta) = delta else { return Ok((None, pair)) };
    let spendable = spendable(delta)?;
    let m = mu.get();
    let bound = m * m / 2.0 + m * libm::sqrt(-2.0 * libm::log(spendable) + 1.0);
    let found = first_true(0.0, bound, |epsilon| {
        Epsilon::try_new(epsilon).is_ok_and(|epsilon| fits(epsilon, &pair, spendable, MARGIN))
    });
    let epsilon = if found > 0.0 { raise(found, MARGIN) } else { 0.0 };
    Ok((Some((Epsilon::try_new(epsilon).map_err(|_| CalibrationError::TooLarge)?, delta)), pair))
}

/// Returns √(2ρ), rounded down.
fn mu_of_rho(rho: Rho) -> Result<Mu, CalibrationError> {
    Mu::try_new(sqrt_down(2.0 * rho.get())).map_err(|_| CalibrationError::TooLarge)
}

/// Returns δ_res = max(2^-50, δ* 2^-20), the part of δ* that is reserved for the discreteness of the noise.
fn reserved(delta: Delta) -> f64 {
    (LEAST_DELTA / 1024.0).max(delta.get() / 1_048_576.0)
}

/// Returns δ* − δ_res, rounded down.
fn spendable(delta: Delta) -> Result<f64, CalibrationError> {
    if (LEAST_DELTA..1.0).contains(&delta.get()) {
        Ok((delta.get() - reserved(delta)).next_down())
    } else {
        Err(CalibrationError::Delta(delta.to_string()))
    }
}

fn capacity(pair: &Pair, delta: Option<Delta>) -> Result<Units, CalibrationError> {
    let units = |value: Option<UBig>| {
        value.and_then(|value| u128::try_from(value).ok()).ok_or(CalibrationError::TooLarge)
    };
    Ok(Units {
        gaussian: units(floor_square_scaled(pair.mu.get(), UNIT_BITS))?,
        epsilon: units(floor_scaled(pair.epsilon.get(), UNIT_BITS))?,
        delta: units(floor_scaled(pair.delta.get(), DELTA_BITS))?,
        slack: units(floor_scaled(delta.map_or(0.0, reserved), DELTA_BITS))?,
    })
}

/// The parts of a whole share of a budget.
pub const WHOLE_SHARE: u32 = 10_000;

/// Returns ⌊share u⌋ of u `units`, share = `parts` / 10,000.
pub fn part_of(units: u128, parts: u32) -> u128 {
    let (whole, parts) = (u128::from(WHOLE_SHARE), u128::from(parts.min(WHOLE_SHARE)));
    // Whole and rest apart, so that nothing overflows.
    units / whole * parts + units % whole * parts / whole
}

/// Divides a Gaussian budget: ⌊share μ²⌋ in units is set aside, share = `parts` / 10,000, and the rest is a budget of its own, as μ, at
/// the same δ (theory/estimated-bounds 1.1). Both together are never above the whole.
///
/// # Errors
/// [`CalibrationError`] as [`budget_parts`], and where nothing is left for either.
pub fn set_aside(budget: &Budget, parts: u32) -> Result<(u128, Budget), CalibrationError> {
    let whole = budget_parts(budget, &Split::Gaussian)?.capacity.gaussian;
    let aside = part_of(whole, parts);
    let root = sqrt_down(scaled_down(whole - aside, 1.0 / UNITS_OF_ONE));
    let mu = Mu::try_new(root).map_err(|_| CalibrationError::TooLarge)?;
    if aside == 0 || root <= 0.0 {
        return Err(CalibrationError::Nothing);
    }
    let delta = match *budget {
        Budget::EpsilonDelta { delta, .. } => Some(delta),
        Budget::Rho { delta, .. } | Budget::Mu { delta, .. } => delta,
    };
    Ok((aside, Budget::Mu { mu, delta }))
}

/// Returns the μ² of this many units, to nearest. For forecasts.
pub fn mu_squared_of_units(units: u128) -> f64 {
    let units = units as f64;
    units / UNITS_OF_ONE
}

/// Returns the μ of `percent` of this many units, rounded down to six digits so that it fits and can be read out; nothing for 0.
pub fn mu_of_part(units: u128, percent: u8) -> Option<f64> {
    six_digits_down((mu_squared_of_units(units) * f64::from(percent.min(100)) / 100.0).sqrt())
}

/// Returns how many percent of this many units a μ takes, rounded up; nothing where it takes more than all.
pub fn percent_of(units: u128, mu: f64) -> Option<u8> {
    let percent = libm::ceil(100.0 * mu * mu / mu_squared_of_units(units));
    (1..=100).find(|whole| percent <= f64::from(*whole))
}

/// Returns `percent` of an ε or a δ, rounded down to six digits likewise.
pub fn part(amount: f64, percent: u8) -> Option<f64> {
    six_digits_down(amount * f64::from(percent.min(100)) / 100.0)
}

fn six_digits_down(number: f64) -> Option<f64> {
    let place = libm::pow(10.0, libm::floor(libm::log10(number)) - 5.0);
    let rounded = libm::floor(number / place) * place;
    // Six digits are written, so that the plan contains 0.167348 and not the nearest double.
    let written = format!("{rounded:.5e}").parse().unwrap_or(rounded);
    Some(written).filter(|number: &f64| number.is_finite())
}

/// Returns the ε of this many units, rounded down. Mechanisms that are charged to the (ε, δ) budget are calibrated to it.
pub fn epsilon_of_units(units: u128) -> Epsilon {
    Epsilon::try_new(scaled_down(units, 1.0 / UNITS_OF_ONE)).unwrap_or(Epsilon::ZERO)
}

/// Returns the δ of this many units, rounded down.
pub fn delta_of_units(units: u128) -> Delta {
    Delta::try_new(scaled_down(units, DELTA_UNIT)).unwrap_or(Delta::ZERO)
}

/// The units of 1: 2^40.
pub const UNITS_OF_ONE: f64 = (1_u64 << UNIT_BITS) as f64;
/// 2^-100.
const DELTA_UNIT: f64 = 1.0 / (UNITS_OF_ONE * UNITS_OF_ONE * 1_048_576.0);

/// Returns `units` times `power`, a power of two, rounded down.
fn scaled_down(units: u128, power: f64) -> f64 {
    // Keeping the leading 53 bits cuts towards 0, and what is kept converts exactly.
    let surplus = (u128::BITS - units.leading_zeros()).saturating_sub(53);
    let kept = ((units >> surplus) << surplus) as f64;
    kept * power
}

/// S, the scale of discrete Gaussian noise: an integer from 2^40 to 2^55.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NoiseScale(NonZeroU64);

impl NoiseScale {
    /// Returns the scale S.
    ///
    /// # Errors
    /// If it is outside 2^40 to 2^55.
    pub fn try_new(s: u64) -> Result<Self, CalibrationError> {
        Self::from_exact(&UBig::from(s))
    }

    fn from_exact(s: &UBig) -> Result<Self, CalibrationError> {
        let fit = u64::try_from(s.clone()).ok().filter(|s| *s <= GREATEST_SCALE);
        match fit.and_then(NonZeroU64::new) {
            Some(s) if s.get() >= LEAST_SCALE || is_active(Mutant::CoarseGaussian) => Ok(Self(s)),
            None if *s > UBig::ONE => Err(CalibrationError::ScaleTooLarge(s.to_string())),
            _ => Err(CalibrationError::ScaleTooSmall(s.to_string())),
        }
    }

    /// Returns the integer S.
    pub const fn get(self) -> NonZeroU64 {
        self.0
    }

    /// Returns S as a number, to nearest.
    pub const fn real(self) -> f64 {
        self.0.get() as f64
    }

    fn square(self) -> UBig {
        UBig::from(self.0.get()) * UBig::from(self.0.get())
    }
}

/// Returns Δ², the squared sensitivity of the second moments, exactly (theory/encoding 3).
///
/// A record is (c, q) with ‖q‖ <= W, and R² = c² + W². Δ² is R⁴ under add-remove and 2 R⁴ under replace-one, times k² for k
/// rows per person. Under replace-one with c > W it is 8 c² W² if each person has k rows and each row contains the constant.
/// Otherwise it is the larger of 8 c² W² and R⁴, because a person's row may become zero.
pub fn sensitivity_squared(
    constant: u64,
    norm_bound: u64,
    adjacency: Adjacency,
    max_rows_per_person: u32,
    every_record_has_constant: bool,
) -> UBig {
    let (c, w) = (UBig::from(constant), UBig::from(norm_bound));
    let (c2, w2) = (&c * &c, &w * &w);
    let r2 = &c2 + &w2;
    let r4 = &r2 * &r2;
    let one_row = match adjacency {
        Adjacency::ReplaceOne if is_active(Mutant::AddRemoveDeltaUnderReplaceOne) => r4,
        Adjacency::AddRemove => r4,
        Adjacency::ReplaceOne if c <= w => r4 * UBig::from(2_u8),
        Adjacency::ReplaceOne => {
            let swing = UBig::from(8_u8) * c2 * w2;
            if every_record_has_constant { swing } else { swing.max(r4) }
        }
    };
    let k = UBig::from(max_rows_per_person);
    one_row * &k * k
}

/// Returns Δ², the squared sensitivity of the features' moments X'X together with the cross moments X'Y, exactly
/// (theory/many-outcomes 2.1).
///
/// A record has features of squared norm at most `features` = B_x² and outcomes of squared norm at most B_y². `cross` is
/// w² B_y², where w² is the variance of the noise on the diagonal of X'X divided by that on X'Y, so κ = `cross` / B_x². In
/// coordinates in which all noise has the same variance, the record (x, y) is svec(x x') with w x y'. Adding a record moves the
/// sums by ‖x‖² √(‖x‖² + w² ‖y‖²) <= B_x² √(1 + κ). Replacing one moves them by at most √2 B_x² (1 + κ/2) if κ <= 2, reached
/// where the cosine of the angle between x and x̃ is κ/2, and by at most 2 √κ B_x² if κ > 2, reached at x̃ = ±x. In integers:
///
/// - add-remove: B_x⁴ + B_x² `cross`;
/// - replace-one: (2 B_x² + `cross`)² / 2, rounded up, where `cross` <= 2 B_x², else 4 B_x² `cross`.
///
/// k rows of one person multiply Δ by k. The same Δ holds if outcomes are public and B_y is the largest norm among them.
pub fn joint_sensitivity_squared(
    features: u64,
    cross: u64,
    adjacency: Adjacency,
    max_rows_per_person: u32,
) -> UBig {
    let a = UBig::from(features);
    let b = if is_active(Mutant::CrossMomentsUncounted) { UBig::ZERO } else { UBig::from(cross) };
    let twice = &a * UBig::from(2_u8);
    let one_row = match adjacency {
        Adjacency::AddRemove => &a * (&a + b),
        Adjacency::ReplaceOne if b <= twice => {
            let sum = twice + b;
            (&sum * &sum + UBig::ONE) / UBig::from(2_u8)
        }
        Adjacency::ReplaceOne => a * b * UBig::from(4_u8),
    };
    let k = UBig::from(max_rows_per_person);
    one_row * &k * k
}

/// Returns Δ², the squared sensitivity of all second moments of records whose features have the squared norm B_x² <= `features`
/// and whose outcomes have B_y² <= `outcomes` (theory/many-outcomes 2.3). With R² = B_x² + B_y² it is R⁴, or 2 R⁴ under
/// replace-one. It also holds if only the diagonal of Y'Y is released, because omitted cells cannot raise it.
pub fn augmented_sensitivity_squared(
    features: u64,
    outcomes: u64,
    adjacency: Adjacency,
    max_rows_per_person: u32,
) -> UBig {
    let square = UBig::from(features) + UBig::from(outcomes);
    let one_row = match adjacency {
        Adjacency::AddRemove => &square * &square,
        Adjacency::ReplaceOne => &square * &square * UBig::from(2_u8),
    };
    let k = UBig::from(max_rows_per_person);
    one_row * &k * k
}

/// Returns Δ², the squared sensitivity of the second moments of so many `blocks` of each person, each of the squared norm W² <= `square`
/// (theory/adaptive 3.2): `blocks` times that of one record.
pub fn blocks_sensitivity_squared(square: u64, blocks: u64, adjacency: Adjacency) -> UBig {
    augmented_sensitivity_squared(square, 0, adjacency, 1) * UBig::from(blocks)
}

/// Returns Δ², the squared sensitivity of X'Y alone under replace-one: ‖x y' − x̃ ỹ'‖² <= (2 B_x B_y)², reached when only the
/// outcomes are replaced, by their negatives (theory/many-outcomes 6.2).
///
/// If features are public, x may be any integers t that follow from the features of all rows and from nothing else. Replacing y
/// moves the sum of t y' by ‖t‖ ‖y − ỹ‖, so the bound holds if ‖t‖ <= B_x. The caller checks that in integers. `outcomes` is
/// B_y² times the weight of a cell's noise, as in [`joint_sensitivity_squared`].
pub fn cross_sensitivity_squared(features: u64, outcomes: u64, max_rows_per_person: u32) -> UBig {
    let k = UBig::from(max_rows_per_person);
    UBig::from(features) * UBig::from(outcomes) * UBig::from(4_u8) * &k * k
}

/// Returns Δ², the squared sensitivity of T = `steps` sums of gradients together (theory/many-outcomes 5.4). A record adds
/// `columns` integer vectors of norm at most C = `clip` to each sum: Δ² is T `columns` C² under add-remove and four times that
/// under replace-one.
pub fn gradient_sensitivity_squared(
    clip: u64,
    adjacency: Adjacency,
    max_rows_per_person: u32,
    columns: u64,
    steps: u32,
) -> UBig {
    let (clip, k) = (UBig::from(clip), UBig::from(max_rows_per_person));
    let one = match adjacency {
        Adjacency::AddRemove => &clip * &clip,
        Adjacency::ReplaceOne => &clip * &clip * UBig::from(4_u8),
    };
    one * &k * k * UBig::from(columns) * composed(u64::from(steps))
}

/// κ of a logistic step, in units of 10⁻¹³ and rounded up. Under replace-one: the root of the maximum of
/// 16 q² (1 − q) / (3 + q), at q = √7 − 2. Under add-remove: of 16 q² (1 − q) / (1 + q), at q = (√5 − 1)/2
/// (theory/public-moments 3.3).
const LOGISTIC_KAPPA: [u64; 2] = [8_051_668_637_422, 12_011_324_240_032];

/// 2 H² of [`logistic_sensitivity_squared`] at g = 1/8, in units of 10⁻¹³ and rounded up.
const RIGHT_ANGLE: u64 = 1_332_038_819_191;

/// Growth of 2 H² divided by that of g² between g = 1/8 and g = 1/6, where 2 H² is 0.1402002943971, in units of 10⁻¹³ and
/// rounded up.
const RIGHT_ANGLE_SLOPE: u64 = 5_757_047_981_953;

/// Returns the least norm G of a record's gradient at which the curvature does not raise the sensitivity: the least integer
/// G >= κ `curvature` / 4 (theory/public-moments 3.3). The norm of a record's curvature is w `curvature`, w <= 1/4.
pub fn logistic_gradient(curvature: u64, adjacency: Adjacency) -> u64 {
    let kappa = match adjacency {
        Adjacency::AddRemove if !is_active(Mutant::KappaOfReplaceOne) => LOGISTIC_KAPPA[1],
        _ => LOGISTIC_KAPPA[0],
    };
    if is_active(Mutant::CurvatureUncounted) {
        return curvature / 40;
    }
    let least = ceil_div(&(UBig::from(curvature) * UBig::from(kappa)), &UBig::from(40_000_000_000_000_u64));
    u64::try_from(least).unwrap_or(u64::MAX)
}

/// κ with seven places, rounded up, in units of 10⁻⁷: under replace-one and under add-remove.
const LOGISTIC_ERROR_KAPPA: [u64; 2] = [8_051_669, 12_011_325];

/// Returns κ of a logistic step: the noise of a curvature whose weights are multiplied by 4, in units of that of a gradient.
pub fn logistic_curvature_share(adjacency: Adjacency) -> f64 {
    let [replaced, added] = LOGISTIC_ERROR_KAPPA;
    let kappa = if adjacency == Adjacency::AddRemove { added } else { replaced };
    let kappa = kappa as f64;
    kappa / 1e7
}

/// Returns E = ⌈κ 2^m B / 4⌉, how many levels an error has where the curvature's weights have m = `bits` bits after the point and a
/// record's longest features the norm B = `length`: the gradient's norm E B is then at least κ/4 times the curvature's 2^m B², so that
/// the curvature does not raise the sensitivity (theory/public-moments 3.3, theory/adaptive-logistic 3.2).
pub fn logistic_errors(length: u64, bits: u32, adjacency: Adjacency) -> u64 {
    let kappa = match adjacency {
        Adjacency::AddRemove if !is_active(Mutant::KappaOfReplaceOne) => LOGISTIC_ERROR_KAPPA[1],
        _ => LOGISTIC_ERROR_KAPPA[0],
    };
    let curvature = UBig::from(length) << usize::try_from(bits).unwrap_or(0);
    if is_active(Mutant::CurvatureUncounted) {
        return u64::try_from(curvature / UBig::from(40_u8)).unwrap_or(u64::MAX);
    }
    u64::try_from(ceil_div(&(curvature * UBig::from(kappa)), &UBig::from(40_000_000_u64))).unwrap_or(u64::MAX)
}

/// Returns Δ², the squared sensitivity of `steps` sums of gradients and curvatures of a logistic regression together
/// (theory/public-moments 3.3).
///
/// A record whose error has the absolute value q, 0 <= q <= 1, adds q G x to the gradient and w h x x' to the curvature, with
/// ‖x‖ <= 1, w <= q (1 − q), G = `gradient` and h = `curvature`. A large error so implies a small curvature. Replacing a record
/// moves both sums, squared, by at most h² (w² + w̃² − 2 w w̃ c²) + G² (q² + q̃² + 2 q q̃ c), where c is the cosine between x
/// and x̃. If G >= κ h / 4 ([`logistic_gradient`]), the maximum is at c = 1, q̃ = 1 and w̃ = 0: h² q² (1 − q)² + G² (1 + q)²,
/// which is at most 4 G². Adding a record then moves them by h² q² (1 − q)² + G² q², at most G². k rows of one person multiply Δ
/// by k. A weight below 1 on the error alone lowers it.
///
/// For smaller gradients, with g = G/h from 1/8 to 1/6 (the values that the paper of `pmt-glm` prints), the maximum F of a
/// replacement divided by h² is at equal errors and nearly a right angle. F is convex in w and in w̃, so each is either 0 or its
/// largest value.
///
/// - Both largest, errors up to 9/10: for every c, −2 w w̃ c² + 2 g² q q̃ c <= g⁴ q q̃ / (2 (1 − q) (1 − q̃)), which is at most half
///   of the sum of both squares of g² q / (1 − q) / √2. So F <= H(q)² + H(q̃)² with H(q) = q (1 − q) + g² q / (2 (1 − q)). Its
///   maximum up to 9/10 is where 1 − 2 u = g² / (2 u²), u = 1 − q near 1/2. At q = q̃ and c = g² / (2 u²), F is 2 H(q)².
/// - One of them 0, or an error above 9/10: F <= q² (1 − q)² + g² (1 + q)² + (9/100)², which is smaller for every such g.
///
/// F is a maximum of functions that are linear in g², so it is convex in g² and below its chord: `RIGHT_ANGLE` at g = 1/8, rising
/// by `RIGHT_ANGLE_SLOPE` times the increase of g² up to g = 1/6. For other g the gradient and the curvature are bounded separately.
pub fn logistic_sensitivity_squared(
    gradient: u64,
    curvature: u64,
    adjacency: Adjacency,
    max_rows_per_person: u32,
    steps: u64,
) -> UBig {
    let square = UBig::from(gradient) * UBig::from(gradient);
    let apart = UBig::from(curvature) * UBig::from(curvature);
    let paid = gradient >= logistic_gradient(curvature, adjacency) || is_active(Mutant::CurvatureUncounted);
    let [eighths, sixths] = [64_u8, 36].map(|times| &square * UBig::from(times));
    let one_row = match (adjacency, paid) {
        (Adjacency::AddRemove, true) => square,
        (Adjacency::AddRemove, false) => square + ceil_div(&apart, &UBig::from(16_u8)),
        (Adjacency::ReplaceOne, true) if is_active(Mutant::AddRemoveDeltaUnderReplaceOne) => square,
        (Adjacency::ReplaceOne, true) => square * UBig::from(4_u8),
        (Adjacency::ReplaceOne, false) if eighths >= apart && sixths <= apart => {
            let more = (eighths - &apart) * UBig::from(RIGHT_ANGLE_SLOPE);
            let parts = apart * UBig::from(RIGHT_ANGLE) + ceil_div(&more, &UBig::from(64_u8));
            ceil_div(&parts, &UBig::from(10_000_000_000_000_u64))
        }
        (Adjacency::ReplaceOne, false) => square * UBig::from(4_u8) + ceil_div(&apart, &UBig::from(8_u8)),
    };
    let k = UBig::from(max_rows_per_person);
    one_row * &k * k * composed(steps)
}

/// Δ², the squared sensitivity of the margins together: the count, the sum and the sum of squares of each of `columns` columns, whose
/// codes are at most `level` = N, where every one is multiplied by N so that a count is N² (theory/adaptive 3.2).
///
/// A record adds N² to the count, at most N² to a sum and at most N² to a sum of squares; a category has one dummy that is not 0, so it
/// counts as one column: N⁴ (1 + 2 C) under add-remove. Replacing moves the count by nothing and a number's two sums, in units of N²,
/// by (t − t̃)² + (t² − t̃²)² = a² (1 + (t + t̃)²) with a = |t − t̃|; |t + t̃| <= 2 − a and a² (1 + (2 − a)²) increases to 4 at a = 2. A
/// category moves by 4, from one dummy to another. So 4 C N⁴; against the zero row of a skipped record it is 1 + 2 C, and that is at
/// most 4 C. k rows of one person are k such moves, one after the other.
pub fn margins_sensitivity_squared(
    level: u64,
    columns: u64,
    adjacency: Adjacency,
    max_rows_per_person: u32,
) -> UBig {
    let square = UBig::from(level) * UBig::from(level);
    let columns = UBig::from(columns);
    let moved = match adjacency {
        Adjacency::ReplaceOne if !is_active(Mutant::AddRemoveDeltaUnderReplaceOne) => {
            columns * UBig::from(4_u8)
        }
        _ => columns * UBig::from(2_u8) + UBig::ONE,
    };
    let k = UBig::from(max_rows_per_person);
    &square * &square * moved * &k * k
}

/// Δ², the squared sensitivity of `histograms` histograms together, in each of which a record is `unit` in one bin: U² for each under
/// add-remove, 2 U² under replace-one, where it leaves one bin for another (theory/adaptive 3.2).
pub fn histograms_sensitivity_squared(
    unit: u64,
    histograms: u64,
    adjacency: Adjacency,
    max_rows_per_person: u32,
) -> UBig {
    let histograms = if is_active(Mutant::HistogramsCountedOnce) { 1 } else { histograms };
    let moved = match adjacency {
        Adjacency::ReplaceOne if !is_active(Mutant::AddRemoveDeltaUnderReplaceOne) => 2_u8,
        _ => 1,
    };
    let k = UBig::from(max_rows_per_person);
    UBig::from(unit) * UBig::from(unit) * UBig::from(histograms) * UBig::from(moved) * &k * k
}

/// q, by how much the noise on squares and on products of one side is larger than that on the products of features with outcomes, in
/// [`weighted_sensitivity_squared`] (theory/adaptive 6.1). Under replace-one a larger one buys nothing.
pub const fn cross_weight(adjacency: Adjacency) -> u32 {
    match adjacency {
        Adjacency::AddRemove => 2,
        Adjacency::ReplaceOne => 1,
    }
}

/// Δ², the squared sensitivity of all second moments of records (x, y) whose features have a squared norm of at most `features` = B²
/// and whose outcomes one of at most `outcomes`, rounded up, where the noise has the variance S²/2 on x y′ and, with q =
/// [`cross_weight`], q² S² on the squares and q² S²/2 on the other products (theory/adaptive 3.2).
///
/// In units of q S a record is ‖x‖⁴ + 2 q² ‖x‖² ‖y‖² + ‖y‖⁴, largest where both are longest; in units of S that is divided by q². Under
/// replace-one q is 1 and this is ‖z z′ − z̃ z̃′‖² for z = (x, y), at most 2 (B² + ‖y‖²)².
pub fn weighted_sensitivity_squared(
    features: u64,
    outcomes: u64,
    adjacency: Adjacency,
    max_rows_per_person: u32,
) -> UBig {
    let (x, y) = (UBig::from(features), UBig::from(outcomes));
    let y = if is_active(Mutant::CrossMomentsUncounted) { UBig::ZERO } else { y };
    let q = UBig::from(cross_weight(adjacency));
    let q2 = &q * &q;
    let sum = &x + &y;
    let one_row = match adjacency {
        Adjacency::ReplaceOne if !is_active(Mutant::AddRemoveDeltaUnderReplaceOne) => {
            &sum * &sum * UBig::from(2_u8)
        }
        _ => &x * &x + &x * &y * &q2 * UBig::from(2_u8) + &y * &y,
    };
    let k = UBig::from(max_rows_per_person);
    ceil_div(&(one_row * &k * k), &q2)
}

/// Returns the factor by which composition of `steps` releases multiplies Δ².
fn composed(steps: u64) -> UBig {
    if is_active(Mutant::StepsUncounted) { UBig::ONE } else { UBig::from(steps) }
}

/// Returns the noise scale S of a release of squared sensitivity Δ² that may cost `units` of the Gaussian budget: the least
/// integer with Δ² 2^40 <= units S².
///
/// # Errors
/// [`CalibrationError`] if `units` is 0 or S is out of range.
pub fn noise_scale(delta_squared: &UBig, units: u128) -> Result<NoiseScale, CalibrationError> {
    noise_scale_for(delta_squared, &UBig::from(units), &(UBig::ONE << UNIT_BITS))
}

/// Returns the noise scale S of a release of squared sensitivity Δ² at μ² = `numerator` / `denominator`: the least integer
/// with Δ² denominator <= numerator S².
///
/// # Errors
/// [`CalibrationError`] if μ is 0 or S is out of range.
pub fn noise_scale_for(
    delta_squared: &UBig,
    numerator: &UBig,
    denominator: &UBig,
) -> Result<NoiseScale, CalibrationError> {
    if numerator.is_zero() {
        return Err(CalibrationError::Nothing);
    }
    let square = ceil_div(&(delta_squared * denominator), numerator);
    let root = square.sqrt();
    let s = if &root * &root < square { root + UBig::ONE } else { root };
    NoiseScale::from_exact(&s)
}

/// Returns the charge of discrete Gaussian noise of scale S to the Gaussian budget, in units: ⌈Δ² 2^40 / S²⌉.
///
/// # Errors
/// [`CalibrationError::TooLarge`] beyond 128 bits.
pub fn gaussian_charge(delta_squared: &UBig, scale: NoiseScale) -> Result<u128, CalibrationError> {
    charge(delta_squared << UNIT_BITS, &scale.square())
}

/// Returns ρ = Δ² / (2 S²) in units of 2^-40, rounded up. For display beside a charge.
///
/// # Errors
/// [`CalibrationError::TooLarge`] beyond 128 bits.
pub fn rho_charge_units(delta_squared: &UBig, scale: NoiseScale) -> Result<u128, CalibrationError> {
    charge(delta_squared << UNIT_BITS, &(scale.square() * UBig::from(2_u8)))
}

fn charge(numerator: UBig, denominator: &UBig) -> Result<u128, CalibrationError> {
    let units = if is_active(Mutant::ChargeRoundedDown) {
        numerator / denominator
    } else {
        ceil_div(&numerator, denominator)
    };
    u128::try_from(units).map_err(|_| CalibrationError::TooLarge)
}

/// Returns the charge of ε to the (ε, δ) budget, in units: ⌈ε 2^40⌉.
///
/// # Errors
/// [`CalibrationError::TooLarge`] beyond 128 bits.
pub fn epsilon_charge(epsilon: Epsilon) -> Result<u128, CalibrationError> {
    units_up(epsilon.get(), UNIT_BITS)
}

/// Returns the charge of δ to the (ε, δ) budget, in units: ⌈δ 2^100⌉.
///
/// # Errors
/// [`CalibrationError::TooLarge`] beyond 128 bits.
pub fn delta_charge(delta: Delta) -> Result<u128, CalibrationError> {
    units_up(delta.get(), DELTA_BITS)
}

fn units_up(value: f64, bits: usize) -> Result<u128, CalibrationError> {
    ceil_scaled(value, bits).and_then(|units| u128::try_from(units).ok()).ok_or(CalibrationError::TooLarge)
}

/// Returns the charge for the discreteness of the noise, in units of δ, rounded up: ⌈(1 + e^ε*) η 2^100⌉.
///
/// η is the sum over the cells of the total variation distance between discrete and rounded continuous noise of variance s, at
/// most 0.0202/s + 0.0316/s^1.5; s is S² for the diagonal cells and S²/2 for the others (theory/accounting 3.2).
/// Beyond 128 bits the charge saturates, and no ledger admits it.
pub fn slack_charge(
    promise: Epsilon,
    cells_diagonal: u64,
    cells_off_diagonal: u64,
    scale: NoiseScale,
) -> u128 {
    let [diagonal, off_diagonal, s] =
        [cells_diagonal, cells_off_diagonal, scale.get().get()].map(|n| n as f64);
    let eta = diagonal * total_variation_bound(s * s) + off_diagonal * total_variation_bound(s * s / 2.0);
    let slack = raise((1.0 + libm::exp(promise.get())) * eta, MARGIN);
    units_up(slack, DELTA_BITS).unwrap_or(u128::MAX)
}

/// Returns a bound on the total variation distance between discrete Gaussian noise of variance s >= 1 and rounded continuous
/// noise, rounded to nearest (theory/noise 3.2).
pub fn total_variation_bound(variance: f64) -> f64 {
    0.0202 / variance + 0.0316 / (variance * libm::sqrt(variance))
}

fn ceil_div(numerator: &UBig, denominator: &UBig) -> UBig {
    (numerator + denominator - UBig::ONE) / denominator
}

#[cfg(test)]
mod tests {
    use super::*;

    fn epsilon_delta(epsilon: f64, delta: f64) -> Budget {
        Budget::EpsilonDelta {
            epsilon: Epsilon::try_new(epsilon).unwrap(),
            delta: Delta::try_new(delta).unwrap(),
        }
    }

    #[test]
    fn a_share_of_units_pays_for_its_mu() {
        for (mu, percent) in [
            (1.0, Some(100)),
            (0.5, Some(25)),
            (0.501, Some(26)),
            (0.0, Some(1)),
            (1.01, None),
            (f64::NAN, None),
        ] {
            assert_eq!(percent_of(1 << UNIT_BITS, mu), percent, "{mu}");
        }
        assert_eq!((percent_of(0, 0.1), mu_of_part(0, 100)), (None, None));
        assert_eq!((mu_of_part(1 << UNIT_BITS, 25), part(0.3, 50)), (Some(0.5), Some(0.15)));
    }

    #[test]
    fn a_plan_for_all_of_a_ledger_fits_exactly() {
        for (epsilon, delta) in [(0.1, 1e-5), (1.0, 1e-6), (4.0, 1e-9)] {
            let ledger = budget_parts(&epsilon_delta(epsilon, delta), &Split::Gaussian).unwrap();
            for delta_squared in
                [UBig::ONE << 96, UBig::from(2_u8) << 96, (UBig::ONE << 96) - UBig::from(12345_u16)]
            {
                let scale = noise_scale(&delta_squared, ledger.capacity.gaussian).unwrap();
                assert!(gaussian_charge(&delta_squared, scale).unwrap() <= ledger.capacity.gaussian);
                assert!(slack_charge(ledger.promise.unwrap().0, 102, 5151, scale) <= ledger.capacity.slack);
            }
            let other = budget_parts(&epsilon_delta(epsilon, delta), &Split::Other).unwrap();
            let (e, d) = (epsilon_of_units(other.capacity.epsilon), delta_of_units(other.capacity.delta));
            assert_eq!(epsilon_charge(e), Ok(other.capacity.epsilon));
            assert_eq!(delta_charge(d), Ok(other.capacity.delta));
        }
    }

    #[test]
    fn the_three_forms_agree() {
        let mu = Mu::try_new(0.5).unwrap();
        let delta = Delta::try_new(1e-6).unwrap();
        let by_mu = budget_parts(&Budget::Mu { mu, delta: Some(delta) }, &Split::Gaussian).unwrap();
        let rho = Rho::try_new(0.125).unwrap();
        let by_rho = budget_parts(&Budget::Rho { rho, delta: Some(delta) }, &Split::Gaussian).unwrap();
        assert_eq!(by_mu, by_rho);
        assert_eq!(by_mu.capacity.gaussian, 1 << 38);
        let (epsilon, delta) = by_mu.promise.unwrap();
        assert_eq!(verified_capacity(epsilon, delta, &by_mu.pair), Ok(by_mu.capacity));
        let back = budget_parts(&Budget::EpsilonDelta { epsilon, delta }, &Split::Gaussian).unwrap();
        assert!((back.pair.mu.get() - 0.5).abs() < 1e-6, "{}", back.pair.mu);
        let bare = budget_parts(&Budget::Mu { mu, delta: None }, &Split::Gaussian).unwrap();
        assert_eq!((bare.promise, bare.capacity.gaussian, bare.capacity.slack), (None, 1 << 38, 0));
    }

    #[test]
    fn what_is_set_aside_and_the_rest_are_the_whole_but_for_a_few_units() {
        for budget in [epsilon_delta(1.0, 1e-6), epsilon_delta(8.0, 1e-9), epsilon_delta(0.01, 1e-5)] {
            let whole = budget_parts(&budget, &Split::Gaussian).unwrap().capacity.gaussian;
            for parts in [1, 500, 5_000, 9_999] {
                let (aside, rest) = set_aside(&budget, parts).unwrap();
                assert_eq!(aside, whole * u128::from(parts) / 10_000);
                let rest = budget_parts(&rest, &Split::Gaussian).unwrap().capacity.gaussian;
                let lost = whole.checked_sub(aside + rest).unwrap();
                assert!(lost <= 2 + (whole >> 50), "{lost} of {whole}");
            }
        }
        assert_eq!(set_aside(&epsilon_delta(1.0, 1e-6), 0), Err(CalibrationError::Nothing));
        assert_eq!(set_aside(&epsilon_delta(1.0, 1e-6), 10_000), Err(CalibrationError::Nothing));
    }

    #[test]
    fn a_split_that_does_not_keep_the_promise_is_refused() {
        let explicit = |epsilon: f64, delta: f64| Split::Explicit {
            epsilon: Epsilon::try_new(epsilon).unwrap(),
            delta: Delta::try_new(delta).unwrap(),
        };
        let budget = epsilon_delta(1.0, 1e-6);
        assert!(matches!(budget_parts(&budget, &explicit(3.0, 0.0)), Err(CalibrationError::Split { .. })));
        assert!(matches!(budget_parts(&budget, &explicit(0.5, 2e-6)), Err(CalibrationError::Split { .. })));
        assert!(budget_parts(&budget, &explicit(0.5, 1e-7)).is_ok());
        let both = budget_parts(&budget, &Split::Both).unwrap();
        assert_eq!(both.capacity.epsilon, 1 << 39);
        assert!(both.capacity.gaussian > 0 && both.capacity.delta > 0);
        let mu = Budget::Mu { mu: Mu::try_new(1.0).unwrap(), delta: None };
        assert_eq!(budget_parts(&mu, &Split::Both), Err(CalibrationError::SplitNeedsEpsilon));
    }

    #[test]
    fn budgets_out_of_range_are_refused_in_words() {
        for delta in [0.0, 1e-13, 1.0] {
            let error = budget_parts(&epsilon_delta(1.0, delta), &Split::Gaussian).unwrap_err();
            assert!(matches!(error, CalibrationError::Delta(_)), "{error}");
        }
        let huge = Budget::Mu { mu: Mu::try_new(1e20).unwrap(), delta: None };
        assert_eq!(budget_parts(&huge, &Split::Gaussian), Err(CalibrationError::TooLarge));
        let tiny = Budget::Mu { mu: Mu::try_new(1e-9).unwrap(), delta: None };
        assert_eq!(budget_parts(&tiny, &Split::Gaussian), Err(CalibrationError::Nothing));
        let square = UBig::ONE << 96;
        assert!(matches!(noise_scale(&square, 1), Err(CalibrationError::ScaleTooLarge(_))));
        assert!(matches!(noise_scale(&square, 1 << 60), Err(CalibrationError::ScaleTooSmall(_))));
        assert_eq!(noise_scale(&square, 0), Err(CalibrationError::Nothing));
        assert!(NoiseScale::try_new(0).is_err() && NoiseScale::try_new((1 << 40) - 1).is_err());
        assert!(NoiseScale::try_new(1 << 40).is_ok() && NoiseScale::try_new(1 << 55).is_ok());
        assert!(matches!(NoiseScale::try_new((1 << 55) + 1), Err(CalibrationError::ScaleTooLarge(_))));
    }

    #[test]
    fn the_large_constant_under_replacement() {
        let square = |constant, all| sensitivity_squared(constant, 1000, Adjacency::ReplaceOne, 1, all);
        assert_eq!(square(3000, true), UBig::from(8_u64 * 9_000_000 * 1_000_000));
        assert_eq!(square(3000, false), UBig::from(10_000_000_u64 * 10_000_000));
        assert_eq!(square(1001, false), square(1001, true));
        assert_eq!(square(500, true), square(500, false));
        let rows = |k| sensitivity_squared(500, 1000, Adjacency::AddRemove, k, true);
        assert_eq!(rows(3), rows(1) * UBig::from(9_u8));
    }

    #[test]
    fn a_logistic_step_is_never_longer_than_its_sensitivity_and_can_be_as_long() {
        let curvature = 1_u64 << 46;
        let h = curvature as f64;
        for adjacency in [Adjacency::ReplaceOne, Adjacency::AddRemove] {
            let gradient = logistic_gradient(curvature, adjacency);
            let g = gradient as f64;
            let bound = logistic_sensitivity_squared(gradient, curvature, adjacency, 1, 1).to_f64().value();
            let mut largest: f64 = 0.0;
            let grid = |steps: u32| (0..=steps).map(move |step| f64::from(step) / f64::from(steps));
            for q in grid(1_000) {
                let w = q * (1.0 - q);
                if adjacency == Adjacency::AddRemove {
                    largest = largest.max(h * h * w * w + g * g * q * q);
                    continue;
                }
                for (p, c) in grid(100).flat_map(|p| grid(20).map(move |c| (p, c))) {
                    let v = p * (1.0 - p);
                    let cross = g * g * (q * q + p * p + 2.0 * q * p * c);
                    largest = largest.max(h * h * (w * w + v * v - 2.0 * w * v * c * c) + cross);
                }
            }
            assert!(largest <= bound * (1.0 + 1e-12), "{adjacency:?}: {largest} above {bound}");
            // With the curvature left out the bound would be what the gradient alone reaches, at q = 1.
            let inner = |q: f64| match adjacency {
                Adjacency::ReplaceOne => h * h * (q * (1.0 - q)).powi(2) + g * g * (1.0 + q).powi(2),
                Adjacency::AddRemove => h * h * (q * (1.0 - q)).powi(2) + g * g * q * q,
            };
            let worst = match adjacency {
                Adjacency::ReplaceOne => 7_f64.sqrt() - 2.0,
                Adjacency::AddRemove => (5_f64.sqrt() - 1.0) / 2.0,
            };
            assert!((inner(worst) / bound - 1.0).abs() < 1e-9, "{adjacency:?}: {}", inner(worst) / bound);
        }
        let rows = |k, steps| logistic_sensitivity_squared(1 << 20, 1 << 20, Adjacency::AddRemove, k, steps);
        assert_eq!(rows(3, 4), rows(1, 1) * UBig::from(36_u8));
    }

    /// Returns F over h², of errors, curvatures up to what they allow, and a cosine.
    fn moved(g: f64, [q, p]: [f64; 2], [w, v]: [f64; 2], c: f64) -> f64 {
        w * w + v * v - 2.0 * w * v * c * c + g * g * (q * q + p * p + 2.0 * q * p * c)
    }

    #[test]
    fn short_gradients_move_a_logistic_step_by_the_right_angle_and_no_more() {
        let curvature = 1_u64 << 46;
        let h = curvature as f64;
        let bound_at = |gradient| {
            let squared = logistic_sensitivity_squared(gradient, curvature, Adjacency::ReplaceOne, 1, 1);
            squared.to_f64().value() / h / h
        };
        let grid = |steps: u32| (0..=steps).map(move |step| f64::from(step) / f64::from(steps));
        for (tenths, most) in [(80, 1e-9), (75, 1e-3), (70, 1e-3), (65, 1e-3), (60, 1e-9)] {
            let gradient = curvature * 10 / tenths;
            let (bound, g) = (bound_at(gradient), gradient as f64 / h);
            let mut largest: f64 = 0.0;
            for (q, p, c) in
                grid(200).flat_map(|q| grid(200).flat_map(move |p| grid(50).map(move |c| (q, p, c))))
            {
                let full = [q * (1.0 - q), p * (1.0 - p)];
                for w in [full, [full[0], 0.0], [full[0], full[1] / 2.0]] {
                    largest = largest.max(moved(g, [q, p], w, c));
                }
            }
            assert!(largest <= bound * (1.0 + 1e-12), "h 10/{tenths}: {largest} above {bound}");
            // The angle and the errors of the worst pair, where the chord touches: at both its ends.
            let mut u: f64 = 0.5;
            for _ in 0..50 {
                u = (1.0 - g * g / (2.0 * u * u)) / 2.0;
            }
            let worst = moved(g, [1.0 - u; 2], [u * (1.0 - u); 2], g * g / (2.0 * u * u));
            assert!((0.0..most).contains(&(bound / worst - 1.0)), "h 10/{tenths}: {worst} and {bound}");
        }
        // Larger values are tested one by one.
        for gradient in [curvature / 8 - 1, curvature / 6 + 1] {
            let apart = 4.0 * (gradient as f64 / h).powi(2) + 0.125;
            assert!((bound_at(gradient) / apart - 1.0).abs() < 1e-9, "{gradient}");
        }
    }

    #[test]
    fn the_slack_of_an_example() {
        // p = 102 and S = 2^46: eta <= 2^-84, so at a small epsilon the charge is below (1 + e) 2^16.
        let scale = NoiseScale::try_new(1 << 46).unwrap();
        let slack = slack_charge(Epsilon::ZERO, 102, 5151, scale);
        assert!(slack > 1 && slack <= 2 << 16, "{slack}");
        assert_eq!(slack_charge(Epsilon::try_new(1e4).unwrap(), 1, 0, scale), u128::MAX);
    }
}
