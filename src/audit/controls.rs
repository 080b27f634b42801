//! Negative controls: published formulas that are wrong. An audit must detect them.
//!
//! No mechanism uses them, and no function outside the audit can call them.

use super::bench::Bench;
use super::error::AuditError;
use super::pairs::Pair;
use crate::data::Moments;
use crate::math::triangle;
use crate::mechanisms::gaussian::{Noise, perturb};
use crate::noise::entropy::DemoRng;
use crate::privacy::calibrate::NoiseScale;
use crate::privacy::convert::gdp_mu;
use crate::privacy::measure::{Delta, Epsilon};

/// ε of the claim that the classical formula violates.
pub const CLASSICAL_EPSILON: f64 = 20.0;
/// Its δ.
pub const CLASSICAL_DELTA: f64 = 1e-6;

/// Returns a pair under noise of σ = Δ √(2 ln(1.25/δ)) / ε with ε = 20 and δ = 1e-6, and the largest μ that this claim allows.
///
/// The formula is proved for ε up to 1 only (Dwork and Roth 2014, Theorem A.1), but is used for larger ε. Here its true δ is
/// 1.6e-4 (theory/accounting 2.4): its noise has μ = ε / √(2 ln(1.25/δ)) = 3.77, and (20, 1e-6) allows 3.24. With 20,000 runs of
/// each table the standard error of μ̂ is 0.015.
///
/// # Errors
/// [`AuditError`] if the build refuses the audit's table.
pub fn wrong_classical_gaussian(pair: &Pair, seed: u64, lane: u32) -> Result<(Bench, f64), AuditError> {
    let bench = Bench::new(pair, seed, lane)?;
    let (epsilon, delta) = (Epsilon::try_new(CLASSICAL_EPSILON)?, Delta::try_new(CLASSICAL_DELTA)?);
    let noise = Noise { scale: wrong_classical_scale(&bench.noise)?, ..bench.noise.clone() };
    Ok((bench.with_mechanism(perturb::<DemoRng>, noise), gdp_mu(epsilon, delta)?.get()))
}

fn wrong_classical_scale(noise: &Noise) -> Result<NoiseScale, AuditError> {
    let sensitivity = noise.sensitivity_squared.to_f64().value().sqrt();
    let sigma = sensitivity * libm::sqrt(2.0 * libm::log(1.25 / CLASSICAL_DELTA)) / CLASSICAL_EPSILON;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "about 2^46")]
    let scale = sigma.ceil() as u64;
    Ok(NoiseScale::try_new(scale)?)
}

/// Returns a pair with correct noise, except that the diagonal has no noise.
///
/// diffprivlib 0.6.6 computes the sensitivity of Σ x² for features between 0 and 1 from the lower bound alone, which gives 0 (its
/// issues 104 and 105; theory/encoding 4.2).
///
/// # Errors
/// [`AuditError`] if the build refuses the audit's table.
pub fn wrong_diagonal_without_noise(pair: &Pair, seed: u64, lane: u32) -> Result<Bench, AuditError> {
    let bench = Bench::new(pair, seed, lane)?;
    let noise = bench.noise.clone();
    Ok(bench.with_mechanism(perturb_off_the_diagonal_alone, noise))
}

fn perturb_off_the_diagonal_alone(moments: &Moments, noise: &Noise, rng: &mut DemoRng) -> Vec<i128> {
    let mut cells = perturb(moments, noise, rng).into_iter();
    triangle::pairs(moments.terms())
        .zip(&mut cells)
        .map(|((row, column), cell)| if row == column { moments.get(row, row) } else { cell })
        .collect()
}
