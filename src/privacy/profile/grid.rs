//! The distance between Wishart noise that is drawn on a grid and ideal Wishart noise (theory/noise 4.3).

use super::super::calibrate::total_variation_bound;
use super::super::measure::Epsilon;
use crate::math::round::{MARGIN, raise};

/// Fractional bits of the grid, in codes.
pub const GRID_BITS: u32 = 90;

/// A bound on the entries of a random row, in standard deviations. The probability that an entry exceeds it is counted.
const REACH: f64 = 20.0;

/// 2 Φ(−20) < 5.6e-89.
const BEYOND_REACH: f64 = 5.6e-89;

/// W_d(s² I, k) as it is drawn and released: on a grid of 2⁻⁹⁰ codes, the sum rounded to multiples of 2^`step`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridWishart {
    /// k, at least 2.
    pub degrees: u32,
    /// d.
    pub columns: u32,
    /// s² in squared codes, at least 1.
    pub scale: u64,
    /// The exponent of the power of two that the release is rounded to.
    pub step: usize,
}

/// Returns what drawing on the grid adds to δ at ε of the ideal noise: (1 + e^ε) η, rounded up (theory/noise 4.3).
///
/// η bounds the total variation distance between the release and the ideal sums after the same rounding. Ideal rows, each entry
/// rounded to the grid, differ from discrete Gaussian rows by the sum of [`total_variation_bound`] over the k d entries. The
/// probability that any entry exceeds 20 s is at most k d 2Φ(−20). Otherwise rounding the entries moves each sum of k products by
/// at most e = k (20 s 2⁻⁹⁰ + 2⁻¹⁸²). A sum is released differently only if it lies within e of a boundary of the rounding. Its
/// density is unimodal and at most 1/(2 s²) for k >= 2 (χ²_k, or a sum of k products of two normals, whose density is highest for
/// k = 2), so that probability is at most 2e/2^step + 4e/(2 s²) for each of the d(d + 1)/2 sums.
pub fn grid_distance(noise: &GridWishart, epsilon: Epsilon) -> f64 {
    let (k, d) = (f64::from(noise.degrees), f64::from(noise.columns));
    let variance = noise.scale as f64;
    let grid = libm::ldexp(1.0, -GRID_BITS.cast_signed());
    let steps = variance / (grid * grid);
    let entries = k * d * (total_variation_bound(steps) + BEYOND_REACH);
    let error = k * (REACH * libm::sqrt(variance) * grid + grid * grid / 4.0);
    let rounding = libm::ldexp(1.0, -i32::try_from(noise.step).unwrap_or(0));
    let sums = d * (d + 1.0) / 2.0 * error * (2.0 * rounding + 2.0 / variance);
    raise((1.0 + libm::exp(epsilon.get())) * (entries + sums), MARGIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: k = 219, d = 20, s² = 2⁴⁸/3, step 30: e = 219 · 20 · √(2⁴⁸/3) · 2⁻⁹⁰ = 2^(−55.7), and 210 · 2e/2³⁰ leads.
    #[test]
    fn the_rounding_of_the_sums_leads() {
        let noise = GridWishart { degrees: 219, columns: 20, scale: (1 << 48) / 3, step: 30 };
        let found = grid_distance(&noise, Epsilon::try_new(1.0).unwrap());
        let error = 219.0 * 20.0 * libm::sqrt(libm::ldexp(1.0, 48) / 3.0) * libm::ldexp(1.0, -90);
        let expected = (1.0 + std::f64::consts::E) * 210.0 * error * (2.0 / libm::ldexp(1.0, 30));
        assert!((found / expected - 1.0).abs() < 1e-3, "{found} {expected}");
        assert!(found < 1e-15);
        let finer = GridWishart { step: 29, ..noise };
        assert!(grid_distance(&finer, Epsilon::ZERO) > grid_distance(&noise, Epsilon::ZERO));
    }
}
