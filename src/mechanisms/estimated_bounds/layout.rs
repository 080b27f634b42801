//! The cells of a column's second round, which its noisy octaves decide (theory/estimated-bounds 1.3).

use super::cells::{LEAST_EXPONENT, NARROW};
use super::octaves::{Heaps, Sides};
use crate::math::round::real;

/// The cells of a column in the second round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Layout {
    /// The octaves again.
    Wide,
    /// Cells of equal width over one octave, or two neighbours, of one sign.
    Narrow(Narrow),
}

/// A range of one sign that is cut into cells of equal width.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Narrow {
    /// e of the lowest octave.
    pub bottom: i32,
    /// e of the highest octave, at most one above.
    pub top: i32,
    /// Whether the numbers are negative.
    pub negative: bool,
}

impl Layout {
    /// Returns the narrow layout of these octaves.
    pub const fn narrow(bottom: i32, top: i32, negative: bool) -> Self {
        Self::Narrow(Narrow { bottom, top, negative })
    }

    /// Chooses the layout by the sides that noisy octaves show.
    pub fn choose(heaps: &Heaps) -> Self {
        let Heaps::Sides(sides) = heaps else { return Self::Wide };
        let (side, negative) = match sides {
            Sides { negative: Some(side), positive: None, zeros: false, .. } => (side, true),
            Sides { negative: None, positive: Some(side), zeros: false, .. } => (side, false),
            _ => return Self::Wide,
        };
        if side.top - side.bottom > 1 {
            return Self::Wide;
        }
        Self::narrow(exponent(side.bottom), exponent(side.top), negative)
    }
}

/// Returns e of the octave with this place among those of its sign.
pub fn exponent(place: usize) -> i32 {
    LEAST_EXPONENT + i32::try_from(place).unwrap_or(0)
}

impl Narrow {
    /// Returns the size of the numbers at the end near zero, 2^bottom / 2.
    pub fn inner(&self) -> f64 {
        libm::ldexp(1.0, self.bottom - 1)
    }

    /// Returns the size of the numbers at the end away from zero, 1.5 × 2^(top + 1).
    fn outer(&self) -> f64 {
        libm::ldexp(1.5, self.top + 1)
    }

    /// Returns a, where the first cell between the open ones begins.
    pub fn start(&self) -> f64 {
        if self.negative { -self.outer() } else { self.inner() }
    }

    /// Returns the width of a cell.
    pub fn step(&self) -> f64 {
        let cells = real(NARROW);
        (self.outer() - self.inner()) / cells
    }
}
