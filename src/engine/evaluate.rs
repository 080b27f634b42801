//! Exact sums to noisy integers: the only place where the two meet.

use super::error::EngineError;
use super::guard;
use super::prepare::{Cost, Prepared};
use crate::data::Moments;
use crate::data::encode::GUARD_BITS;
use crate::inference::moments::NoisyMoments;
use crate::mechanisms::{Drawn, Noise};
use crate::release::document::NoiseLaw;

/// The text is constant, for it may come after the charge.
pub(super) const UNSETTLED: EngineError =
    EngineError::Internal("the released moments could not be evaluated");

/// The integers that are published, and the same as numbers. They are noisy, or exact in a demonstration without noise.
pub(super) struct Evaluated {
    pub(super) cells: Vec<i128>,
    pub(super) law: Option<NoiseLaw>,
    pub(super) moments: NoisyMoments,
}

impl Evaluated {
    /// The matrix that `draw` makes of the exact sums.
    pub(super) fn noisy(
        prepared: &Prepared,
        cost: &Cost,
        moments: &Moments,
        draw: impl FnOnce(&Noise) -> Option<Drawn>,
    ) -> Result<Self, EngineError> {
        belong(prepared, moments)?;
        let Drawn { cells, law } = draw(&cost.noise).ok_or(UNSETTLED)?;
        let evaluated =
            NoisyMoments::from_law(&prepared.geometry, prepared.layout, &cells, &law, &prepared.plan);
        Ok(Self { moments: evaluated.map_err(|_| UNSETTLED)?, cells, law: Some(law) })
    }

    /// Exact sums with their guard digits, for a demonstration without noise.
    pub(super) fn exact(prepared: &Prepared, moments: &Moments) -> Result<Self, EngineError> {
        belong(prepared, moments)?;
        let (geometry, layout, radius) = (&prepared.geometry, prepared.layout, prepared.bound.grid.radius);
        let cells: Vec<i128> = layout.pairs().map(|(row, column)| moments.get(row, column)).collect();
        let evaluated = if prepared.bound.guard {
            let fine = guard::fine_cells(moments, geometry);
            NoisyMoments::from_exact_cells(geometry, radius, layout, &fine, 2 * GUARD_BITS)
        } else {
            NoisyMoments::from_exact_cells(geometry, radius, layout, &cells, 0)
        };
        Ok(Self { moments: evaluated.map_err(|_| UNSETTLED)?, cells, law: None })
    }
}

fn belong(prepared: &Prepared, moments: &Moments) -> Result<(), EngineError> {
    let fits = moments.layout() == prepared.moments_layout();
    if fits { Ok(()) } else { Err(EngineError::Internal("the moments belong to another plan")) }
}
