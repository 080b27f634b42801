//! What one record adds to a step: curvature and gradient of each label (theory/adaptive-logistic 2.5).

use super::units::Codes;
use crate::data::encode::within;
use crate::math::round::nearest;
use crate::math::triangle;
use crate::mechanisms::adaptive::guide::Guide;
use crate::mechanisms::adaptive::map;
use crate::mechanisms::adaptive::rough::rounding_room;
use crate::mechanisms::shared::logistic_weights;
use crate::privacy::mutants::{Mutant, is_active};

/// The integer grid of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// R_x, to which whitened features are shortened.
    pub radius: f64,
    /// f, codes of one unit of whitened features.
    pub unit: f64,
    /// B, E and m.
    pub codes: Codes,
}

impl Grid {
    /// Returns the grid of this radius for so many coefficients.
    pub fn new(coefficients: usize, codes: Codes, radius: f64) -> Self {
        let reach = f64::from(codes.features) - rounding_room(coefficients);
        Self { radius, unit: reach / radius, codes }
    }

    /// Returns one integer of the curvature in whitened units, 1/(f² 2^m).
    pub fn curvature_unit(&self) -> f64 {
        libm::ldexp(1.0, -self.codes.bits.cast_signed()) / (self.unit * self.unit)
    }

    /// Returns one integer of the gradient in whitened units, 1/(f E).
    pub fn gradient_unit(&self) -> f64 {
        1.0 / (self.unit * self.errors())
    }

    /// Returns E as a number.
    const fn errors(&self) -> f64 {
        self.codes.error as f64
    }

    /// Returns [`logistic_weights`] of a record at the fitted value θ, with a label of this sign, shortened by `kept`.
    pub fn weights(&self, fitted: f64, yes: bool, kept: f64) -> (i64, i64) {
        logistic_weights(self.codes.error, self.codes.bits, fitted, yes, kept)
    }
}

/// Adds what a record with these coded values gives to a step at these coefficients, one label's cells after the other's: the upper
/// triangle of the curvature, row by row, then the gradient. Features come first in `values`, then labels of −1, 1, or 0 where the label
/// is missing. A record whose codes fail the integer check contributes nothing.
pub fn add(
    guide: &Guide,
    grid: &Grid,
    coefficients: &[Vec<f64>],
    values: &[f64],
    reals: &mut Vec<f64>,
    codes: &mut Vec<i32>,
    cells: &mut [i64],
) {
    let labels = values.get(guide.whitening.nrows()..).unwrap_or_default();
    let mapped = map::apply(guide, values, reals);
    let open = is_active(Mutant::LabelsShorten) && labels.iter().all(|label| *label < 0.0);
    let kept = if mapped.norm > grid.radius && !open { grid.radius / mapped.norm } else { 1.0 };
    let factor = grid.unit * kept;
    codes.clear();
    codes.extend(mapped.features.iter().map(|w| nearest(w * factor)));
    if !within(codes, grid.codes.features) && !is_active(Mutant::LengthUnchecked) {
        return;
    }
    let size = codes.len() * (codes.len() + 3) / 2;
    let seen = if is_active(Mutant::FittedShortened) { kept } else { 1.0 };
    for ((b, label), block) in coefficients.iter().zip(labels).zip(cells.chunks_exact_mut(size.max(1))) {
        if label.abs() < 0.5 {
            continue;
        }
        let fitted = mapped.features.iter().zip(b).fold(0.0, |sum, (w, b)| sum + b * (w * seen));
        let (pull, weight) = grid.weights(fitted, *label > 0.0, kept);
        let gradient = triangle::add_outer(codes, weight, block);
        triangle::add_scaled(codes, pull, gradient);
    }
}
