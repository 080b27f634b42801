//! Exact sums to noisy integers: the only place where the two meet.

use super::error::EngineError;
use super::guard;
use super::prepare::{Cost, Prepared};
use crate::data::Moments;
use crate::data::encode::GUARD_BITS;
use crate::inference::moments::{CellNoise, NoisyMoments};
use crate::mechanisms::analyze_gauss::{Noise, add};

/// The text is constant, for it may come after the charge.
pub(super) const UNSETTLED: EngineError =
    EngineError::Internal("the released moments could not be evaluated");

/// The integers that are published, and the same as numbers. They are noisy, or exact in a demonstration without noise.
pub(super) struct Evaluated {
    pub(super) cells: Vec<i128>,
    pub(super) moments: NoisyMoments,
}

impl Evaluated {
    /// Adds the noise that `draw` gives to the exact sums.
    pub(super) fn noisy(
        prepared: &Prepared,
        cost: &Cost,
        moments: &Moments,
        draw: impl FnOnce(&Noise) -> Vec<i128>,
    ) -> Result<Self, EngineError> {
        belong(prepared, moments)?;
        let noise = &cost.noise;
        let cells = add(draw(noise), moments);
        let radius = prepared.bound.grid.radius;
        let law = CellNoise::new(noise.shape, u128::from(noise.scale.get().get()), radius);
        let evaluated = NoisyMoments::from_cells(&prepared.geometry, radius, &cells, law);
        Ok(Self { moments: evaluated.map_err(|_| UNSETTLED)?, cells })
    }

    /// Exact sums with their guard digits, for a demonstration without noise.
    pub(super) fn exact(prepared: &Prepared, moments: &Moments) -> Result<Self, EngineError> {
        belong(prepared, moments)?;
        let fine = guard::fine_cells(moments, &prepared.geometry);
        let radius = prepared.bound.grid.radius;
        let evaluated = NoisyMoments::from_fine_cells(&prepared.geometry, radius, &fine, 2 * GUARD_BITS);
        let cells = guard::cells(moments, &prepared.geometry);
        Ok(Self { moments: evaluated.map_err(|_| UNSETTLED)?, cells })
    }
}

fn belong(prepared: &Prepared, moments: &Moments) -> Result<(), EngineError> {
    let fits = moments.terms() == prepared.row_width();
    if fits { Ok(()) } else { Err(EngineError::Internal("the moments belong to another plan")) }
}
