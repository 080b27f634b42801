//! Round 4: second moments of whitened features and standardised residuals (theory/adaptive 2.5).

use super::radii::Radii;
use super::units::Codes;
use crate::data::encode::within;
use crate::math::round::nearest;
use crate::mechanisms::adaptive::guide::Guide;
use crate::mechanisms::adaptive::map;
use crate::mechanisms::adaptive::rough::rounding_room;
use crate::mechanisms::adaptive::terms::Terms;
use crate::privacy::mutants::{Mutant, is_active};

/// Codes of one unit of whitened features and of residuals.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// f_x.
    pub features: f64,
    /// f_o, of each outcome.
    pub outcomes: Vec<f64>,
}

impl Grid {
    /// Returns the grid of these radii.
    pub fn new(terms: &Terms, codes: Codes, radii: &Radii) -> Self {
        let reach = f64::from(codes.features) - rounding_room(terms.coefficients());
        let outcome = f64::from(codes.outcome) - 1.0;
        Self {
            features: reach / radii.features,
            outcomes: radii.outcomes.iter().map(|radius| outcome / radius).collect(),
        }
    }

    /// Returns the unit of a coordinate's code: its index counts the constant, the features, the outcomes.
    pub fn unit(&self, coordinate: usize, coefficients: usize) -> f64 {
        match coordinate.checked_sub(coefficients) {
            None => 1.0 / self.features,
            Some(outcome) => self.outcomes.get(outcome).map_or(0.0, |codes| 1.0 / codes),
        }
    }
}

/// Writes the codes of a record with these coded values: whitened features with the constant, then residuals. A record is shortened by
/// its features alone, for a clipping that looks at the outcome would bend the slopes; a residual is clipped first and shortened
/// with its record then. Zeros where an integer check fails: Σ code_w² <= B² and |code_o| <= b are all that the sensitivity is proved
/// from.
pub fn codes(
    guide: &Guide,
    grid: &Grid,
    limits: Codes,
    radii: &Radii,
    values: &[f64],
    reals: &mut Vec<f64>,
    codes: &mut Vec<i32>,
) {
    let mapped = map::apply(guide, values, reals);
    let norm = if is_active(Mutant::ResidualsShorten) {
        mapped.residuals.iter().fold(mapped.norm * mapped.norm, |sum, e| sum + e * e).sqrt()
    } else {
        mapped.norm
    };
    let unbounded = is_active(Mutant::NoClip);
    let factor = if norm > radii.features && !unbounded { radii.features / norm } else { 1.0 };
    codes.clear();
    codes.extend(mapped.features.iter().map(|w| nearest(w * (factor * grid.features))));
    let with = if is_active(Mutant::ResidualsNotShortened) { 1.0 } else { factor };
    let unclipped = is_active(Mutant::ResidualUnclipped) || unbounded;
    for ((residual, radius), unit) in mapped.residuals.iter().zip(&radii.outcomes).zip(&grid.outcomes) {
        let clipped = if unclipped { *residual } else { residual.clamp(-radius, *radius) };
        codes.push(nearest(clipped * (with * unit)));
    }
    let (features, outcomes) = codes.split_at(mapped.features.len());
    let admitted = within(features, limits.features)
        && outcomes.iter().all(|code| code.unsigned_abs() <= limits.outcome);
    if !admitted && !unclipped && !is_active(Mutant::RoundChecksOmitted) {
        codes.fill(0);
    }
}
