//! Privacy-loss distributions: composes many releases numerically (theory/accounting 4.3).
//!
//! For display alone. The result holds for a plan that was fixed in advance. Stopping where such a curve crosses a budget is no
//! valid filter (theory/accounting 5.1). So the ledger must not use this module; the test of the architecture enforces that.
//!
//! The loss ln(P/Q) of one release is discretised by connecting the dots of its privacy profile (Doroshenko, Ghazi, Kamath, Kumar
//! and Manurangsi 2022), which never understates δ. Composition is a power and a product of Fourier transforms. Every result is
//! rounded up, by the mass that was cut off and by [`ROUNDING`] for the error of the transform.

mod distribution;
mod mechanism;

pub use mechanism::{Mechanism, Repeated};

use distribution::{Distribution, Window};

use crate::math::round::{MARGIN, raise};
use crate::privacy::measure::{Delta, Epsilon};
use crate::privacy::subsampling::Direction;

/// The amount added to every δ, for each started thousand of releases: a bound on the rounding error of the transform, which is
/// about 1e-16 of the mass for each release (theory/accounting 4.3).
pub const ROUNDING: f64 = 1e-12;
/// The least ratio of a requested δ to the amount added.
const LEAST_OVER_ROUNDING: f64 = 100.0;
/// The most releases in total.
const MOST_RELEASES: u32 = 100_000;
/// The finest step. A finer one would exceed the accuracy of the tail probabilities.
const FINEST_STEP: f64 = 1.0 / (1_u64 << 34) as f64;
/// The usual step, 2^-14, about 6e-5. Steps are powers of two, so that every point of the grid is exact.
const USUAL_STEP: f64 = 1.0 / (1_u64 << 14) as f64;
/// The least and the largest number of steps of a grid, as far as [`USUAL_STEP`] and [`FINEST_STEP`] allow.
const FEWEST_STEPS: f64 = (1_u64 << 17) as f64;
const MOST_STEPS: f64 = (1_u64 << 20) as f64;
/// The number of steps of the coarse grid that determines the range of the composed loss.
const ROUGH_STEPS: f64 = (1_u64 << 11) as f64;

/// A composition that cannot be computed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PldError {
    /// There is no release.
    #[error("{}", crate::words::error::pld_nothing())]
    Nothing,
    /// A parameter out of range.
    #[error("{}", crate::words::error::pld_parameter(name, mechanism, given, expected))]
    Parameter {
        /// The mechanism, in words.
        mechanism: &'static str,
        /// Which of its numbers.
        name: &'static str,
        /// As given.
        given: f64,
        /// What it may be.
        expected: &'static str,
    },
    /// One release alone reveals nearly everything.
    #[error("{}", crate::words::error::pld_loss(.0, mechanism::LARGEST_LOSS))]
    Loss(&'static str),
    /// More releases than the transform keeps apart from its own error.
    #[error("{}", crate::words::error::pld_too_many(.0, MOST_RELEASES))]
    TooMany(u64),
    /// δ is at the size of the numerical error.
    #[error("{}", crate::words::error::pld_delta_too_small(given, format_args!("{:e}", least)))]
    DeltaTooSmall {
        /// As asked.
        given: Delta,
        /// The smallest δ that is possible for this number of releases.
        least: f64,
    },
    /// No ε reaches δ.
    #[error("{}", crate::words::error::pld_unreachable(given, format_args!("{:e}", lost)))]
    Unreachable {
        /// As asked.
        given: Delta,
        /// The probability of an infinite loss, as bounded.
        lost: f64,
    },
    /// A bug.
    #[error("{}", crate::words::error::engine_internal(.0))]
    Internal(&'static str),
}

/// Returns δ(ε) of all the releases together, rounded up. The relative error of the grid is about 1e-3 or less, plus [`ROUNDING`].
///
/// # Errors
/// [`PldError`] for no release, too many releases, or a loss that is too large.
pub fn pld_delta(releases: &[Repeated], epsilon: Epsilon) -> Result<Delta, PldError> {
    let rounding = rounding(releases)?;
    let mut worst = 0.0_f64;
    for composed in both_directions(releases)? {
        worst = worst.max(composed.delta(epsilon.get()));
    }
    let delta = raise(worst, MARGIN) + rounding;
    Delta::try_new(delta.min(1.0)).map_err(|_| PldError::Internal("the composition gave no probability"))
}

/// Returns the smallest ε with δ(ε) at most `delta` for all the releases together, rounded up; [`pld_delta`].
///
/// # Errors
/// [`PldError`] as [`pld_delta`]; also for a δ below a hundred times [`ROUNDING`], and if no ε reaches δ.
pub fn pld_eps(releases: &[Repeated], delta: Delta) -> Result<Epsilon, PldError> {
    let rounding = rounding(releases)?;
    let least = LEAST_OVER_ROUNDING * rounding;
    if delta.get() < least {
        return Err(PldError::DeltaTooSmall { given: delta, least });
    }
    let target = delta.get() - rounding;
    let mut worst = 0.0_f64;
    for composed in both_directions(releases)? {
        let unreachable = PldError::Unreachable { given: delta, lost: composed.infinite() };
        worst = worst.max(composed.epsilon(target).ok_or(unreachable)?);
    }
    let epsilon = if worst > 0.0 { raise(worst, MARGIN) } else { 0.0 };
    Epsilon::try_new(epsilon).map_err(|_| PldError::Internal("the composition gave no epsilon"))
}

/// Returns what is added to δ for the rounding errors of that many releases.
fn rounding(releases: &[Repeated]) -> Result<f64, PldError> {
    let count: u64 = releases.iter().map(|release| u64::from(release.count())).sum();
    match u32::try_from(count) {
        Ok(0) => Err(PldError::Nothing),
        Ok(count) if count <= MOST_RELEASES => Ok(ROUNDING * f64::from(count.div_ceil(1000))),
        _ => Err(PldError::TooMany(count)),
    }
}

/// Returns the composition in the direction [`Direction::Remove`] and, if it differs, in [`Direction::Add`].
fn both_directions(releases: &[Repeated]) -> Result<Vec<Distribution>, PldError> {
    let symmetric = releases.iter().all(|release| release.mechanism().is_symmetric());
    let directions: &[Direction] =
        if symmetric { &[Direction::Remove] } else { &[Direction::Remove, Direction::Add] };
    directions.iter().map(|direction| composed(releases, *direction, None)).collect()
}

/// Returns the composition in one direction, on a grid of `step`, or of a step that is chosen for the losses.
fn composed(
    releases: &[Repeated],
    direction: Direction,
    step: Option<f64>,
) -> Result<Distribution, PldError> {
    let on_grid = |step: &dyn Fn(&Mechanism) -> f64| -> Vec<(Distribution, u32)> {
        let losses = |release: &Repeated| {
            let mechanism = release.mechanism();
            (mechanism.losses(direction, step(mechanism)), release.count())
        };
        releases.iter().map(losses).collect()
    };
    let rough = |mechanism: &Mechanism| {
        let (low, high) = mechanism.reach(direction);
        power_of_two((high - low) / ROUGH_STEPS).clamp(FINEST_STEP, 1.0)
    };
    let window = Window::around(&on_grid(&rough));
    let width = window.width();
    let step = step.unwrap_or_else(|| {
        let suits = USUAL_STEP.min(power_of_two(width / FEWEST_STEPS));
        suits.max(2.0 * power_of_two(width / MOST_STEPS)).max(FINEST_STEP)
    });
    Distribution::compose(&on_grid(&|_| step), &window)
}

/// Returns the largest power of two that is not above `x`; 0 for 0.
fn power_of_two(x: f64) -> f64 {
    let (_, exponent) = libm::frexp(x);
    if x > 0.0 { libm::ldexp(1.0, exponent - 1) } else { 0.0 }
}

#[cfg(test)]
mod tests;
