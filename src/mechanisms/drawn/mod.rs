//! Matrices drawn whole from a law over the reals, in floating point of 128 bits (noise-and-accounting, A10,
//! `IDEALISED`).
//!
//! What A10 asks for is done here, all of it: the input is the exact integer matrix; standard normals come from the exact
//! sampler on a grid of 2⁻⁵²; factors and products are computed with 128 bits; what leaves is one symmetric matrix of
//! integers, rounded to a public power of two; and whatever fails is one and the same answer.

mod matrix;
mod variates;

pub use matrix::{Lower, perturbed, posterior, projection};
pub use variates::bartlett;

use dashu_float::FBig;
use dashu_float::round::mode::HalfEven;

/// A real number to [`PRECISION`] bits.
pub type Real = FBig<HalfEven, 2>;

/// Bits of a [`Real`]; double the 53 of a double, and some.
pub const PRECISION: usize = 128;

/// The nearest real to an integer.
fn real(integer: impl Into<dashu_int::IBig>) -> Real {
    Real::from(integer.into()).with_precision(PRECISION).value()
}
