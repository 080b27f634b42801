//! Intervals of a penalised regression by the parametric bootstrap (theory/inference 3.2).
//!
//! It redraws the noise and the sampling error around what was released and refits by the same estimator. It costs no
//! budget. Its random numbers follow from the release and are no privacy noise.

use nalgebra::{DMatrix, DVector};

use super::cell_noise::CellNoise;
use super::design::Design;
use super::fits::{Coded, Fit};
use super::pseudo::Pseudo;
use crate::math::linalg::{Cholesky, Eigen};
use crate::math::round::real;

/// B, the number of refits.
const DRAWS: usize = 2_000;

/// Fewest refits that an interval is read from: where more than a tenth of the draws have no fit, there is none.
const LEAST: usize = DRAWS / 10 * 9;

/// Most numbers kept at a time; outcomes are worked through in blocks of that size.
const KEPT: usize = 4_000_000;

/// Puts percentile intervals in place of the closed form's.
///
/// A* = A + T E* T′, b* = b + √σ² A^½ g + T E* t, refitted as (A* + Λ)⁻¹ b*; the centre is b and not A β, which a ridge
/// has shrunk already. Eigenvalues of A are raised to sd before its root is taken. A draw whose moments are not positive
/// definite has no fit and is left out; where many are, the intervals are withheld.
pub(super) fn replace_intervals(design: &Design<'_>, coded: &[Coded], fits: &mut [Fit]) {
    let sd = design.moments.noise().off_diagonal_sd();
    let eigen = design.basis.whiten(&design.predictors).and_then(|whitened| Eigen::try_new(&whitened));
    let Ok(eigen) = eigen else {
        fits.iter_mut().for_each(Fit::withhold_interval);
        return;
    };
    let root = design.basis.lower() * eigen.map(|value| value.max(sd).max(0.0).sqrt());
    let block = (KEPT / (DRAWS * design.names.len().max(1))).max(1);
    for (coded, fits) in coded.chunks(block).zip(fits.chunks_mut(block)) {
        let mut samples: Vec<Vec<Vec<f64>>> =
            coded.iter().map(|_| vec![Vec::with_capacity(DRAWS); design.names.len()]).collect();
        for draw in 0..DRAWS as u64 {
            let Some((noise, factor)) = redraw(design, draw) else { continue };
            for (coded, samples) in coded.iter().zip(&mut samples) {
                let mut rng = Pseudo::new(design.options.seed, &[draw, coded.outcome as u64 + 1]);
                let sampling = DVector::from_fn(design.names.len(), |_, _| rng.normal());
                let fresh = DVector::from_fn(design.support.len(), |_, _| sd * rng.normal());
                let mut cross_noise = fresh;
                if design.through_origin {
                    cross_noise += noise.column(0) * coded.shift;
                }
                let cross = &coded.cross
                    + &root * sampling * coded.sigma2.max(0.0).sqrt()
                    + &design.transform * cross_noise;
                let own = design.own_units(coded.outcome, &factor.solve(&cross));
                for (sample, value) in samples.iter_mut().zip(own) {
                    sample.push(value);
                }
            }
        }
        let tail = (1.0 - design.options.confidence) / 2.0;
        for (fit, samples) in fits.iter_mut().zip(&mut samples) {
            let Some(uncertainty) = &mut fit.uncertainty else { continue };
            for (term, sample) in samples.iter_mut().enumerate() {
                sample.sort_by(f64::total_cmp);
                if let (Some(lower), Some(upper)) = (quantile(sample, tail), quantile(sample, 1.0 - tail)) {
                    uncertainty.lower[term] = lower;
                    uncertainty.upper[term] = upper;
                }
            }
            if samples.iter().any(|sample| sample.len() < LEAST) {
                fit.withhold_interval();
            }
        }
    }
}

/// Draws fresh noise on the support's cells and factors A* + Λ.
fn redraw(design: &Design<'_>, draw: u64) -> Option<(DMatrix<f64>, Cholesky)> {
    let q = design.support.len();
    let mut rng = Pseudo::new(design.options.seed, &[draw, 0]);
    let law = design.moments.noise();
    let mut noise = DMatrix::zeros(q, q);
    if law != CellNoise::None {
        for i in 0..q {
            noise[(i, i)] = law.diagonal_sd(0.0) * rng.normal();
            for j in i + 1..q {
                let cell = law.off_diagonal_sd() * rng.normal();
                noise[(i, j)] = cell;
                noise[(j, i)] = cell;
            }
        }
    }
    let mut penalised = &design.predictors + &design.transform * &noise * design.transform.transpose();
    for index in 0..penalised.nrows() {
        penalised[(index, index)] += design.ridge;
    }
    Cholesky::try_new(&penalised).ok().map(|factor| (noise, factor))
}

/// The quantile of a sorted sample, linear between order statistics; `None` of an empty one.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between 0 and the sample's length"
)]
fn quantile(sorted: &[f64], level: f64) -> Option<f64> {
    let place = level * real(sorted.len().checked_sub(1)?);
    let below = place.floor() as usize;
    let left = *sorted.get(below)?;
    let right = *sorted.get(below + 1).unwrap_or(&left);
    Some(left + (right - left) * (place - place.floor()))
}
