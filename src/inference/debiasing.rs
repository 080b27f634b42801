//! Removes what a law of noise adds on average to a released matrix (theory/wishart 2.4 and 5).

use super::cell_noise::{CellNoise, MomentsError, unit};
use crate::math::round::real;
use crate::model::NoiseLaw;
use crate::plan::Plan;
use crate::privacy::measure::Delta;
use crate::privacy::profile::paper::debiasing;

/// What turns released cells into an estimate of the moments: factors, then a shift of the diagonal.
pub(super) struct Debiasing {
    /// What each cell is multiplied by.
    pub factor: f64,
    /// What the features' cells are multiplied by beside that: n/s where they are those of a sample.
    pub features: f64,
    /// The noise on what comes of it.
    pub noise: CellNoise,
    /// What the mechanism added to the diagonal on average, in units of R².
    pub ridge: f64,
    /// What may be taken off the diagonal again, the first choice first.
    pub shifts: Vec<f64>,
}

impl Debiasing {
    /// Returns what is done with a matrix of `size` rows under a law, on the grid of radius R, released under `plan`.
    ///
    /// # Errors
    /// [`MomentsError::NoiseScale`] where the law has a number that no release has.
    ///
    /// - Noise in cells is centred already.
    /// - W(s² I, k) has the mean k s², and about it the covariance of GOE noise with the variance k s⁴ off the diagonal.
    ///   `debiased` takes off the mean where that leaves the matrix positive definite, else
    ///   s² (√k − √d − √(2 ln(4/δ)))₊², else nothing (theory/wishart 2.4); `raw` takes off nothing.
    /// - A projection is (1/r) W(G + Λ I, r) already; a posterior draw times ν − d − 1 has the mean G + Λ I. Nothing is
    ///   taken off, for their pivots belong to G + Λ I (theory/wishart 5.1).
    pub fn new(law: &NoiseLaw, size: usize, radius: u32, plan: &Plan) -> Result<Self, MomentsError> {
        let d = real(size);
        let sampled = sampling(plan);
        let unit = unit(radius);
        Ok(match law {
            NoiseLaw::DiscreteGaussian { shape, s } => {
                let scale: u128 = s.parse().map_err(|_| MomentsError::NoiseScale)?;
                if scale == 0 {
                    return Err(MomentsError::NoiseScale);
                }
                // Fitted values are shrunk by a rule of the plan only where features are public.
                let public_features = plan.mechanism.params.contains_key("shrink");
                let noise = match CellNoise::new(*shape, scale, radius) {
                    CellNoise::Goe { s: cross } | CellNoise::Iid { v: cross } if sampled > 1.0 => {
                        CellNoise::Sides { shape: *shape, features: sampled * sampled * cross, cross }
                    }
                    // What is public has no noise, and the rest has the same everywhere.
                    CellNoise::Iid { v } if public_features => CellNoise::Cross { v },
                    noise => noise,
                };
                Self { factor: 1.0, features: sampled, noise, ridge: 0.0, shifts: vec![0.0] }
            }
            NoiseLaw::WeightedDiscreteGaussian { .. } => return Err(MomentsError::Adaptive),
            NoiseLaw::Wishart { dof, scale } => {
                let (k, s2) = (degrees(*dof)?, integer(scale)? / unit);
                if s2 <= 0.0 {
                    return Err(MomentsError::NoiseScale);
                }
                let mean = k * s2;
                let raw = plan.mechanism.params.get("output").is_some_and(|output| output == "raw");
                let delta = plan.budget.delta.and_then(|delta| Delta::try_new(delta).ok());
                let shifts = match (raw, delta) {
                    (true, _) => vec![0.0],
                    (false, None) => vec![mean, 0.0],
                    (false, Some(delta)) => vec![mean, cautious(*dof, size, delta)? * s2, 0.0],
                };
                Self {
                    factor: 1.0,
                    features: 1.0,
                    noise: CellNoise::Goe { s: k * s2 * s2 },
                    ridge: mean,
                    shifts,
                }
            }
            NoiseLaw::Projection { rows, ridge } => Self {
                factor: 1.0,
                features: 1.0,
                noise: CellNoise::Projection { rows: degrees(*rows)? },
                ridge: integer(ridge)? / unit,
                shifts: vec![0.0],
            },
            NoiseLaw::InverseWishart { dof, ridge } => {
                let dof = degrees(*dof)?;
                let factor = dof - d - 1.0;
                if factor <= 0.0 {
                    return Err(MomentsError::NoiseScale);
                }
                Self {
                    factor,
                    features: 1.0,
                    noise: CellNoise::Posterior { dof, size: d },
                    ridge: integer(ridge)? / unit,
                    shifts: vec![0.0],
                }
            }
        })
    }
}

/// Returns n/s for a plan whose features' moments come from s of its n rows; else 1.
fn sampling(plan: &Plan) -> f64 {
    let sample = plan.mechanism.params.get("sample_rows").and_then(serde_json::Value::as_u64);
    let sample = sample.filter(|sample| *sample > 0);
    match (plan.rows, sample) {
        (Some(rows), Some(sample)) => (real(rows) / real(sample)).max(1.0),
        _ => 1.0,
    }
}

/// Returns the shift that leaves the matrix positive definite except with probability δ/2, in units of s² (theory/wishart 2.4).
fn cautious(dof: u64, size: usize, delta: Delta) -> Result<f64, MomentsError> {
    let small = |number: u64| u32::try_from(number).map_err(|_| MomentsError::NoiseScale);
    let shift = debiasing(small(dof)?, small(size as u64)?, delta).map_err(|_| MomentsError::NoiseScale)?;
    Ok(shift.cautious)
}

/// Degrees of freedom, exact as a double.
fn degrees(number: u64) -> Result<f64, MomentsError> {
    if (1..1 << 53).contains(&number) { Ok(real(number)) } else { Err(MomentsError::NoiseScale) }
}

/// Reads a decimal integer from 0 as the nearest double.
fn integer(text: &str) -> Result<f64, MomentsError> {
    let number: u128 = text.parse().map_err(|_| MomentsError::NoiseScale)?;
    Ok(real(number))
}
