//! A Newton step from noisy sums, and the result of the last step: coefficients, their covariance, and whether they are shown
//! (theory/adaptive-logistic 2.6, 4).

use nalgebra::DMatrix;

use super::start::{cut, norm, shorten};
use super::step::Grid;
use crate::math::jacobi_eigen::{Jacobi, product};
use crate::math::linalg::{Cholesky, LinalgError};
use crate::math::round::real;
use crate::math::{linalg, triangle};
use crate::mechanisms::adaptive::holding::Holding;
use crate::privacy::mutants::{Mutant, is_active};
use crate::release::moments::CodedTerm;

/// Largest norm of a step.
const LONGEST_STEP: f64 = 2.0;
/// The error that remains after a Newton step, in units of the step's squared length.
pub const REMAINDER: f64 = 0.2;
/// The error that remains in the log-odds of a very rare level, in units of the square of their last change.
const LEVEL_REMAINDER: f64 = 0.5;
/// The smallest κ at which intervals are normal.
pub const CLEAR: f64 = 3.0;
/// The number of standard errors by which the true slopes may be longer than the estimates.
const FAR: f64 = 2.0;

/// The noisy sums of one label in whitened units.
#[derive(Clone, Debug, PartialEq)]
pub struct Sums {
    /// H.
    pub curvature: DMatrix<f64>,
    /// g.
    pub gradient: Vec<f64>,
    /// φ, the spectral norm of the noise on H.
    pub floor: f64,
    /// σ_g, the standard deviation of the noise on a cell of g.
    pub gradient_noise: f64,
    /// v_H, the variance of the noise on a cell of H off the diagonal.
    pub curvature_variance: f64,
}

impl Sums {
    /// Reads one label's cells, whose noise has the scale `s`.
    pub fn new(s: f64, grid: &Grid, coefficients: usize, cells: &[i128]) -> Self {
        let (curvature, gradient) = cells.split_at(triangle::len(coefficients).min(cells.len()));
        let (unit, pull) = (grid.curvature_unit(), grid.gradient_unit());
        Self {
            curvature: linalg::from_triangle(coefficients, curvature, |_, _| unit),
            gradient: gradient.iter().map(|cell| real(*cell) * pull).collect(),
            floor: std::f64::consts::SQRT_2 * s * real(coefficients).sqrt() * unit,
            gradient_noise: s * pull,
            curvature_variance: (s * unit) * (s * unit) / 2.0,
        }
    }
}

/// One label after a step, in whitened units.
#[derive(Clone, Debug, PartialEq)]
pub struct Stepped {
    /// b after the step, 26 leading bits each.
    pub b: Vec<f64>,
    /// The change of b in the step.
    pub change: Vec<f64>,
    /// ‖d‖ before it was shortened.
    pub length: f64,
    /// Whether b was cut after the step.
    pub cut: bool,
    /// The sums of the step.
    pub sums: Sums,
    /// H with eigenvalues raised to φ.
    pub raised: DMatrix<f64>,
    /// F = (H_φ + Λ)⁻¹.
    pub inverse: DMatrix<f64>,
    /// κ_H = λ_min(H)/φ.
    pub condition: f64,
}

impl Stepped {
    /// Takes a step from `b` with the penalty `lambda` on whitened slopes: d = (H_φ + Λ)⁻¹ (g − Λ b).
    ///
    /// # Errors
    /// [`LinalgError`] where the eigenvalues do not settle.
    pub fn new(b: &[f64], sums: Sums, lambda: f64) -> Result<Self, LinalgError> {
        let k = b.len();
        let eigen = Jacobi::try_new(&sums.curvature)?;
        let floor = if is_active(Mutant::CurvatureUnraised) { f64::MIN_POSITIVE } else { sums.floor };
        let raised = eigen.map(|value| value.max(floor));
        let mut penalised = raised.clone();
        for i in 1..k {
            penalised[(i, i)] += lambda;
        }
        let inverse = Cholesky::try_new(&penalised)?.inverse();
        let pull = DMatrix::from_fn(k, 1, |i, _| {
            let gradient = sums.gradient.get(i).copied().unwrap_or(0.0);
            if i == 0 { gradient } else { gradient - lambda * b[i] }
        });
        let condition = eigen.smallest() / sums.floor;
        Ok(Self::moved(b, &pull, sums, raised, inverse, condition))
    }

    /// Moves `b` by F times the pull, shortened, and cuts what is too far.
    fn moved(
        b: &[f64],
        pull: &DMatrix<f64>,
        sums: Sums,
        raised: DMatrix<f64>,
        inverse: DMatrix<f64>,
        condition: f64,
    ) -> Self {
        let mut d: Vec<f64> = product(&inverse, pull).iter().copied().collect();
        let length = norm(&d);
        shorten(&mut d, LONGEST_STEP);
        let mut after: Vec<f64> = b.iter().zip(&d).map(|(b, d)| b + d).collect();
        let cut = cut(&mut after);
        let change = after.iter().zip(b).map(|(after, before)| after - before).collect();
        Self { b: after, change, length, cut, sums, raised, inverse, condition }
    }

    /// Takes this step from `b` again, without a penalty, with terms held until κ is `least`; nothing where all would be. `map` is H_w, from
    /// coded units.
    ///
    /// # Errors
    /// [`LinalgError`] where the eigenvalues do not settle.
    pub fn holding(
        &self,
        b: &[f64],
        map: &DMatrix<f64>,
        least: f64,
    ) -> Result<Option<(Self, Holding)>, LinalgError> {
        let sums = self.sums.clone();
        let holding = Holding::new(&sums.curvature, sums.floor, map, &[], least)?;
        let Some(solved) = holding.solved.as_ref().filter(|_| holding.held.len() + 1 < b.len()) else {
            return Ok(None);
        };
        let pull = DMatrix::from_column_slice(sums.gradient.len(), 1, &sums.gradient);
        let (curvature, inverse) = (sums.curvature.clone(), solved.inverse.clone());
        let stepped = Self::moved(b, &pull, sums, curvature, inverse, holding.condition);
        Ok(Some((stepped, holding)))
    }

    /// Judges the last step: the covariance of b, and whether the coefficients are shown.
    pub fn judge(&self, lambda: f64) -> Judged {
        let k = self.b.len();
        let f = &self.inverse;
        let square = norm(&self.change) * norm(&self.change);
        let own = self.sums.gradient_noise * self.sums.gradient_noise;
        let v = self.sums.curvature_variance;
        let inner = DMatrix::from_fn(k, k, |i, j| {
            let alike = if i == j { own + v * square } else { 0.0 };
            alike + v * self.change[i] * self.change[j]
        });
        let noise = if is_active(Mutant::NaiveStandardError) {
            DMatrix::zeros(k, k)
        } else {
            product(&product(f, &inner), f)
        };
        let sampling = product(&product(f, &self.raised), f);
        let remainder = REMAINDER * square;
        let slopes = (1..k).fold(0.0, |sum, j| sum + (sampling[(j, j)] + noise[(j, j)]));
        let ratio = remainder / (slopes / real(k.saturating_sub(1)).max(1.0)).sqrt();
        let covariance = DMatrix::from_fn(k, k, |i, j| {
            let left = if i == j { remainder * remainder } else { 0.0 };
            sampling[(i, j)] + noise[(i, j)] + left
        });
        let state = self.state(lambda, ratio, &covariance);
        Judged { covariance, noise, remainder: ratio, state }
    }

    fn state(&self, lambda: f64, remainder: f64, covariance: &DMatrix<f64>) -> State {
        let slopes = self.b.get(1..).unwrap_or_default();
        let z = norm(slopes);
        let mut along = 0.0;
        for (i, left) in slopes.iter().enumerate() {
            for (j, right) in slopes.iter().enumerate() {
                along += left * covariance[(i + 1, j + 1)] * right;
            }
        }
        let reach = if z > 0.0 { z + FAR * along.max(0.0).sqrt() / z } else { 0.0 };
        let k = real(self.b.len());
        let rows = self.sums.curvature[(0, 0)];
        let finite = remainder.is_finite() && covariance.iter().all(|entry| entry.is_finite());
        let far = lambda <= 0.0 && (z > 3.5 || reach > 5.0);
        if !finite || self.condition < 1.0 {
            State::Withheld(Why::Drowned)
        } else if self.cut || self.length > 1.0 || remainder > 1.0 || far {
            State::Withheld(Why::Unsettled)
        } else if self.condition < CLEAR || remainder > 0.5 || rows < 10.0 * k {
            State::Approximate
        } else {
            State::Normal
        }
    }
}

/// Why a label's coefficients are withheld.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The noise on the curvature is as large as the signal.
    Drowned,
    /// The last step still moved far, or led to coefficients so large that the features may tell yes from no without error.
    Unsettled,
}

/// Whether a label's coefficients are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// They are shown with intervals.
    Normal,
    /// They are shown with intervals that may be too narrow.
    Approximate,
    /// They are withheld.
    Withheld(Why),
}

/// What the last step says of b, in whitened units.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// V, the covariance of b.
    pub covariance: DMatrix<f64>,
    /// The part of it that is privacy noise.
    pub noise: DMatrix<f64>,
    /// ρ, what the step leaves over in units of the mean standard error of a slope.
    pub remainder: f64,
    /// Whether the coefficients are shown.
    pub state: State,
}

/// Coefficients with their covariance in other coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct Turned {
    /// Intercept and slopes.
    pub coefficients: Vec<f64>,
    /// Their covariance.
    pub covariance: DMatrix<f64>,
    /// The part of it that is privacy noise.
    pub noise: DMatrix<f64>,
    /// The part of each variance that stands for what the last step leaves over of a level.
    pub left_over: Vec<f64>,
}

impl Turned {
    /// Turns b and its covariance by `map`, whose product with the new coordinates of a record, the constant 1 first, is (1, w).
    pub fn new(map: &DMatrix<f64>, b: &[f64], judged: &Judged) -> Self {
        let turned = map.transpose();
        let whitened = DMatrix::from_fn(b.len(), 1, |i, _| b[i]);
        let carried = |v: &DMatrix<f64>| product(&product(&turned, v), map);
        let noise =
            if is_active(Mutant::NoiseNotCarried) { judged.noise.clone() } else { carried(&judged.noise) };
        Self {
            coefficients: product(&turned, &whitened).iter().copied().collect(),
            covariance: carried(&judged.covariance),
            noise,
            left_over: vec![0.0; b.len()],
        }
    }

    /// Adds the error that remains in the log-odds of each level after the last step. For a rare level it is larger than the
    /// remaining error of b (theory/adaptive-logistic 4.1). `mean` has the mean of each term; the mean of a level is its share.
    #[must_use]
    pub fn leaving(mut self, map: &DMatrix<f64>, last: &Stepped, terms: &[CodedTerm], mean: &[f64]) -> Self {
        let change = DMatrix::from_column_slice(last.change.len(), 1, &last.change);
        let moved = product(&map.transpose(), &change);
        for (place, (_, share)) in (1..).zip(terms.iter().zip(mean)).filter(|(_, (term, _))| term.level) {
            let uneven = (1.0 - 2.0 * share.clamp(0.0, 1.0)).abs();
            let left = LEVEL_REMAINDER * uneven * moved[(place, 0)] * moved[(place, 0)];
            self.covariance[(place, place)] += left * left;
            self.left_over[place] = left * left;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_pays_for_what_the_last_step_leaves_over() {
        let sums = Sums {
            curvature: DMatrix::identity(3, 3) * 100.0,
            gradient: vec![0.0, 50.0, 50.0],
            floor: 1.0,
            gradient_noise: 1.0,
            curvature_variance: 0.0,
        };
        let stepped = Stepped::new(&[0.0; 3], sums, 0.0).unwrap();
        let term = |level| CodedTerm { term: "x".to_owned(), centre: 0.0, half_width: 1.0, level };
        // In whitened units a level that few rows have is a small part of a coordinate.
        let map = DMatrix::from_diagonal(&nalgebra::DVector::from_vec(vec![1.0, 1.0, 4.0]));
        let before = Turned::new(&map, &stepped.b, &stepped.judge(0.0));
        let after = before.clone().leaving(&map, &stepped, &[term(false), term(true)], &[0.5, 0.25]);
        let added = &after.covariance - &before.covariance;
        // The step changed the level by 2 log-odds, so 2 may be left over of one that nobody has, and 1 of one that a quarter has.
        assert!(
            added.iter().enumerate().all(|(at, of)| (of - if at == 8 { 1.0 } else { 0.0 }).abs() < 1e-12)
        );
        assert_eq!(after.left_over, [0.0, 0.0, 1.0]);
    }
}
