//! What a round costs, and the integer units in which rounds are tried (theory/adaptive 2.1).

use dashu_int::UBig;

use crate::privacy::calibrate::{CalibrationError, NoiseScale, noise_scale};
use crate::privacy::event::Event;

/// N of the margins, the code of 1: the usual one, and a coarser one where the noise would be beyond the sampler's range.
pub const LEVELS: [u32; 2] = [1 << 22, 1 << 18];
/// W of the moments, the longest record, likewise.
pub const RECORDS: [u32; 2] = [1 << 24, 1 << 20];
/// U of the histograms, one count, likewise.
pub const COUNTS: [u64; 2] = [1 << 42, 1 << 38];

/// Bins of the histogram of ‖w‖.
pub const FEATURE_BINS: usize = 13;
/// Bins of the histogram of each |e|.
pub const OUTCOME_BINS: usize = 14;

/// What one round costs, and its noise.
#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    /// Δ², in units of S where some cells have more noise.
    pub sensitivity_squared: UBig,
    /// S.
    pub scale: NoiseScale,
    /// Cells with the variance S² at least.
    pub full: u64,
    /// Cells with the variance S²/2 at least.
    pub half: u64,
}

impl Round {
    /// What the ledger is charged for.
    #[must_use]
    pub fn event(&self) -> Event {
        Event::Gaussian {
            sensitivity_squared: self.sensitivity_squared.clone(),
            scale: self.scale,
            cells_diagonal: self.full,
            cells_off_diagonal: self.half,
        }
    }

    /// S as a number.
    #[must_use]
    pub fn s(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "to nearest")]
        let s = self.scale.get().get() as f64;
        s
    }
}

/// The finest of two units whose noise the sampler can draw, with Δ² and S.
///
/// # Errors
/// [`CalibrationError`] where neither noise scale is within 2^40 to 2^55.
pub fn calibrated<T: Copy>(
    [fine, coarse]: [T; 2],
    units: u128,
    sensitivity_squared: impl Fn(T) -> UBig,
) -> Result<(T, (UBig, NoiseScale)), CalibrationError> {
    let of = |unit| {
        let squared = sensitivity_squared(unit);
        noise_scale(&squared, units).map(|scale| (unit, (squared, scale)))
    };
    match of(fine) {
        Err(CalibrationError::ScaleTooLarge(_)) => of(coarse),
        found => found,
    }
}
