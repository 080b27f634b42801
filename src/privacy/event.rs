//! The events of a release: the noise that a ledger charges for, as data.

use dashu_int::UBig;

use super::calibrate::{
    CalibrationError, NoiseScale, delta_charge, epsilon_charge, gaussian_charge, slack_charge,
};
use super::measure::{Delta, Epsilon};
use super::units::Units;

/// One part of a release. A release with several parts costs their sum; outputs that share noise are one part.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// Discrete Gaussian noise of a variance of at least S² on some cells and S²/2 on others, on integers whose changes d between
    /// neighbouring tables satisfy Σ d²/S² over the first plus Σ 2 d²/S² over the others <= Δ²/S².
    Gaussian {
        /// Δ².
        sensitivity_squared: UBig,
        /// S.
        scale: NoiseScale,
        /// Number of cells with a variance of at least S².
        cells_diagonal: u64,
        /// Number of the others.
        cells_off_diagonal: u64,
    },
    /// Pure ε-differential privacy.
    Pure {
        /// ε.
        epsilon: Epsilon,
    },
    /// (ε, δ)-differential privacy.
    Approximate {
        /// ε.
        epsilon: Epsilon,
        /// δ.
        delta: Delta,
    },
}

impl Event {
    /// Returns discrete Gaussian noise on so many cells of variance S², and of variance S²/2.
    pub fn gaussian(sensitivity_squared: &UBig, scale: NoiseScale, cells: (u64, u64)) -> Self {
        let (cells_diagonal, cells_off_diagonal) = cells;
        let sensitivity_squared = sensitivity_squared.clone();
        Self::Gaussian { sensitivity_squared, scale, cells_diagonal, cells_off_diagonal }
    }

    /// Returns the event's charge in a ledger that promises ε*, rounded up (theory/accounting 5.3).
    ///
    /// # Errors
    /// [`CalibrationError::TooLarge`] beyond 128 bits.
    pub fn charge(&self, promise: Epsilon) -> Result<Units, CalibrationError> {
        match self {
            Self::Gaussian { sensitivity_squared, scale, cells_diagonal, cells_off_diagonal } => Ok(Units {
                gaussian: gaussian_charge(sensitivity_squared, *scale)?,
                slack: slack_charge(promise, *cells_diagonal, *cells_off_diagonal, *scale),
                ..Units::ZERO
            }),
            Self::Pure { epsilon } => Ok(Units { epsilon: epsilon_charge(*epsilon)?, ..Units::ZERO }),
            Self::Approximate { epsilon, delta } => {
                Ok(Units { epsilon: epsilon_charge(*epsilon)?, delta: delta_charge(*delta)?, ..Units::ZERO })
            }
        }
    }
}

/// Returns the charge of a release with these parts in a ledger that promises ε*.
///
/// # Errors
/// [`CalibrationError::TooLarge`] beyond 128 bits.
pub fn charge(events: &[Event], promise: Epsilon) -> Result<Units, CalibrationError> {
    events.iter().try_fold(Units::ZERO, |sum, event| {
        sum.checked_add(&event.charge(promise)?).ok_or(CalibrationError::TooLarge)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_costs_the_sum_of_its_parts() {
        let gaussian = Event::Gaussian {
            sensitivity_squared: UBig::ONE << 96,
            scale: NoiseScale::try_new(1 << 48).unwrap(),
            cells_diagonal: 3,
            cells_off_diagonal: 3,
        };
        let pure = Event::Pure { epsilon: Epsilon::try_new(0.5).unwrap() };
        let approximate = Event::Approximate {
            epsilon: Epsilon::try_new(0.25).unwrap(),
            delta: Delta::try_new(0.125).unwrap(),
        };
        let promise = Epsilon::try_new(1.0).unwrap();
        let total = charge(&[gaussian.clone(), gaussian.clone(), pure, approximate], promise).unwrap();
        assert_eq!(total.gaussian, 2 << 40);
        assert_eq!(total.epsilon, 3 << 38);
        assert_eq!(total.delta, 1 << 97);
        assert_eq!(total.slack, 2 * gaussian.charge(promise).unwrap().slack);
        assert!(total.slack > 0);
    }
}
