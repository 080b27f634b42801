//! Converts a budget to integer units, and units to the scale of exact Gaussian noise for a sensitivity ([`super::sensitivity`]). Other noise
//! is calibrated in [`super::profile`].
//!
//! A ledger's capacity and a plan's units come from the same function ([`budget_parts`]), so a plan that asks for all of a
//! ledger fits exactly. Arithmetic on units is integer arithmetic. The floating-point numbers before it are moved by [`MARGIN`]
//! to the safe side (theory/encoding 3, theory/noise 1, theory/accounting 3 and 5).

use std::num::NonZeroU64;

use dashu_int::UBig;
use dashu_int::ops::SquareRoot;
use serde::{Deserialize, Serialize};

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
    /// ε* and δ* of the whole budget. `None` for μ or ρ without δ.
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
        slack: delta.map_or(Ok(0), slack_capacity)?,
    })
}

/// Returns what a budget of δ* reserves for the discreteness of the noise, in units of δ, rounded down.
///
/// # Errors
/// [`CalibrationError::TooLarge`] beyond 128 bits.
pub fn slack_capacity(delta: Delta) -> Result<u128, CalibrationError> {
    let units = floor_scaled(reserved(delta), DELTA_BITS).and_then(|value| u128::try_from(value).ok());
    units.ok_or(CalibrationError::TooLarge)
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

/// Returns the μ of `percent` of this many units, rounded down to six digits so that it fits and can be read out. `None` for 0.
pub fn mu_of_part(units: u128, percent: u8) -> Option<f64> {
    six_digits_down((mu_squared_of_units(units) * f64::from(percent.min(100)) / 100.0).sqrt())
}

/// Returns how many percent of this many units a μ takes, rounded up. `None` if it takes more than all.
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

/// Returns a quotient, rounded up.
pub(super) fn ceil_div(numerator: &UBig, denominator: &UBig) -> UBig {
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
    fn the_slack_of_an_example() {
        // p = 102 and S = 2^46: eta <= 2^-84, so at a small epsilon the charge is below (1 + e) 2^16.
        let scale = NoiseScale::try_new(1 << 46).unwrap();
        let slack = slack_charge(Epsilon::ZERO, 102, 5151, scale);
        assert!(slack > 1 && slack <= 2 << 16, "{slack}");
        assert_eq!(slack_charge(Epsilon::try_new(1e4).unwrap(), 1, 0, scale), u128::MAX);
    }
}
