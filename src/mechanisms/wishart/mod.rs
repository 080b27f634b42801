//! Matrices drawn whole from a law over the reals, in floating point of 128 bits (theory/noise 4.2,
//! `IDEALISED`).
//!
//! All of theory/noise 4.2 is done here: the input is the exact integer matrix; standard normals come from the exact
//! sampler on a grid of 2⁻⁵²; factors and products are computed with 128 bits; what leaves is one symmetric matrix of
//! integers, rounded to a public power of two; and whatever fails is one and the same answer.

pub mod additive;
mod matrix;
pub mod scaled;
mod variates;

pub use matrix::{Lower, perturbed, posterior, projection};
pub use variates::bartlett;

use super::shared::NoiseError;
use crate::data::{Geometry, Moments};
use crate::math::triangle;
use crate::plan::PlanError;
use dashu_float::FBig;
use dashu_float::round::mode::HalfEven;

/// A real number to [`PRECISION`] bits.
pub type Real = FBig<HalfEven, 2>;

/// Bits of a [`Real`]; double the 53 of a double, and some.
pub const PRECISION: usize = 128;

/// Most terms of a matrix that is drawn whole: its factor takes a time that grows with their cube.
const MOST_TERMS: usize = 512;

/// Refuses more terms than a matrix that is drawn whole may have.
fn check_terms(geometry: &Geometry, name: &str) -> Result<(), NoiseError> {
    if geometry.terms.len() <= MOST_TERMS {
        return Ok(());
    }
    Err(NoiseError::Plan(PlanError::at(
        "columns",
        format!(
            "the columns make {} terms, and `{name}` works with {MOST_TERMS} at most",
            geometry.terms.len()
        ),
        "choose fewer columns, or take `analyze-gauss`",
    )))
}

/// Returns the exact sums as a packed upper triangle.
fn packed(moments: &Moments, terms: usize) -> Vec<i128> {
    triangle::pairs(terms).map(|(row, column)| moments.get(row, column)).collect()
}

/// Returns the nearest real to an integer.
fn real(integer: impl Into<dashu_int::IBig>) -> Real {
    Real::from(integer.into()).with_precision(PRECISION).value()
}
