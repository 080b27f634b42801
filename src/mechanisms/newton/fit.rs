//! The steps themselves: a pass adds up integers, and what follows is arithmetic on released sums.

use std::sync::Arc;

use nalgebra::{DMatrix, DVector};

use super::{Ball, Family, Noise, report};
use crate::data::{Exact, RecordMap, Scratch, Statistic};
use crate::inference::newton::NewtonStep;
use crate::math::linalg::Eigen;
use crate::math::round::real;
use crate::math::{linalg, triangle};
use crate::mechanisms::rounds::{Answer, Output, Round, RoundNoise, Run, Task, Unsettled};
use crate::mechanisms::shared::{integer, logistic_weights};
use crate::model::Shape;
use crate::noise::discrete::{gaussian_diagonal, gaussian_off_diagonal};
use crate::noise::entropy::Entropy;
use crate::privacy::mutants::{Mutant, is_active};

/// Rows whose products are added in 64 bits before they go to 128: one is below 2^57.
const BLOCK: u32 = 32;

/// Where the reference stops: no coefficient moved by more, in whitened units.
const SETTLED: f64 = 1e-12;

/// Noisy Newton steps of one release, between two of them.
#[derive(Clone, Debug)]
pub struct Steps {
    noise: Arc<Noise>,
    fits: Vec<NewtonStep>,
    done: u32,
}

/// What records add to the curvatures and the gradients at some coefficients, which are public.
#[derive(Clone, Debug)]
pub struct Expansion {
    noise: Arc<Noise>,
    /// b of each outcome.
    coefficients: Vec<DVector<f64>>,
}

impl Noise {
    /// Cells of one outcome's sums: the upper triangle of the curvature, then the gradient.
    const fn cells(&self) -> usize {
        self.size.0 * (self.size.0 + 1) / 2 + self.size.0
    }

    /// Returns the integers q̂ and ŵ of a record at θ f and its outcome's code: what its u and u u′ are multiplied by. `None` for
    /// a record without an outcome.
    pub fn weights(&self, fitted: f64, label: i32) -> Option<(i64, i64)> {
        match self.family {
            Family::Logistic => self.logistic(fitted, label),
            Family::Gaussian => Some((self.gaussian(fitted, label), 1)),
        }
    }

    fn logistic(&self, fitted: f64, label: i32) -> Option<(i64, i64)> {
        if label == 0 {
            return None;
        }
        let kept = (f64::from(label.unsigned_abs()) / self.label).min(1.0);
        let (pull, weight) = logistic_weights(self.levels, self.bits, fitted / kept, label > 0, kept);
        Some((-pull, weight))
    }

    fn gaussian(&self, fitted: f64, label: i32) -> i64 {
        let levels = real(self.levels);
        let error = (fitted - f64::from(label) / self.label) / self.residual;
        let error = if is_active(Mutant::ResidualUnclipped) { error } else { error.clamp(-1.0, 1.0) };
        let size = integer(error.abs() * levels);
        let size =
            if is_active(Mutant::ResidualUnclipped) { size } else { size.min(self.levels) }.cast_signed();
        if error < 0.0 { -size } else { size }
    }

    /// Takes one step: b ← b − (H + Λ)⁺ (g + Λ b).
    fn advance(&self, fit: &mut NewtonStep, ball: Ball, cells: &[i128]) {
        let (d, _) = self.size;
        let unit = self.unit * self.unit * libm::ldexp(1.0, -self.bits.cast_signed());
        let curvature = &self.penalty + linalg::from_triangle(d, cells, |_, _| unit);
        let gradient = DVector::from_iterator(
            d,
            cells.iter().skip(triangle::len(d)).take(d).map(|cell| *cell as f64 * self.gradient_unit()),
        ) + &self.penalty * &fit.coefficients;
        let Ok(eigen) = Eigen::try_new(&curvature) else {
            fit.coefficients.fill(f64::NAN);
            return;
        };
        let least = if self.floor { self.spectral_norm() } else { f64::NEG_INFINITY };
        let moved = -(eigen.map(|value| 1.0 / value.max(least)) * gradient);
        fit.least = eigen.smallest();
        fit.curvature = eigen.map(|value| value.max(least));
        let before = fit.coefficients.clone();
        fit.coefficients += moved;
        let middle = &self.constant * ball.level;
        let away = &fit.coefficients - &middle;
        fit.shortened = away.norm() > ball.radius;
        if fit.shortened {
            fit.coefficients = middle + &away * (ball.radius / away.norm());
        }
        fit.moved = &fit.coefficients - before;
    }
}

impl Steps {
    /// Starts before the first step.
    pub fn new(noise: Arc<Noise>) -> Self {
        let (d, _) = noise.size;
        let fits = noise.balls.iter().map(|ball| NewtonStep {
            coefficients: &noise.constant * ball.level,
            moved: DVector::zeros(d),
            curvature: DMatrix::zeros(d, d),
            least: 0.0,
            shortened: false,
        });
        let fits = fits.collect();
        Self { noise, fits, done: 0 }
    }

    /// Returns whether the last step was taken.
    pub fn is_done(&self) -> bool {
        let settled = self.noise.reference
            && self.done > 0
            && self.fits.iter().all(|fit| fit.moved.amax() <= SETTLED * fit.coefficients.amax().max(1.0));
        self.done >= self.noise.steps || settled
    }

    /// Steps taken so far.
    pub const fn done(&self) -> u32 {
        self.done
    }

    /// Returns the map of a record to curvature and gradient at the coefficients of the next step.
    pub fn expansion(&self) -> Expansion {
        let coefficients = self.fits.iter().map(|fit| fit.coefficients.clone()).collect();
        Expansion { noise: Arc::clone(&self.noise), coefficients }
    }

    /// Takes the step that noisy sums give.
    pub fn advance(&mut self, cells: &[i128]) {
        self.done += 1;
        let noise = &*self.noise;
        let parts = cells.chunks_exact(noise.cells().max(1));
        for ((fit, ball), cells) in self.fits.iter_mut().zip(&noise.balls).zip(parts) {
            noise.advance(fit, *ball, cells);
        }
    }

    /// Returns the coefficients.
    pub fn into_fits(self) -> Vec<NewtonStep> {
        self.fits
    }
}

impl Expansion {
    /// Returns the coefficients, one outcome's after the other's.
    pub fn coefficients(&self) -> impl Iterator<Item = f64> {
        self.coefficients.iter().flat_map(|b| b.iter().copied())
    }
}

impl RecordMap for Expansion {
    fn cells(&self) -> usize {
        self.noise.cells() * self.noise.size.1
    }

    fn block(&self) -> u32 {
        BLOCK
    }

    fn add(&self, row: &[i32], _: &mut Scratch, cells: &mut [i64]) {
        let (d, _) = self.noise.size;
        let (u, labels) = row.split_at(d.min(row.len()));
        for ((b, label), block) in
            self.coefficients.iter().zip(labels).zip(cells.chunks_exact_mut(self.noise.cells().max(1)))
        {
            let inner: f64 = u.iter().zip(b.iter()).map(|(code, b)| f64::from(*code) * b).sum();
            let Some((pull, weight)) = self.noise.weights(inner * self.noise.unit, *label) else { continue };
            let gradient = triangle::add_outer(u, weight, block);
            triangle::add_scaled(u, pull, gradient);
        }
    }
}

impl RoundNoise for Noise {
    /// Draws for each outcome on the upper triangle of the curvature, then on the gradient.
    fn draw(&self, rng: &mut dyn Entropy) -> Vec<i128> {
        let (d, l) = self.size;
        let mut cells = Vec::with_capacity(self.cells() * l);
        for _ in 0..l {
            for (row, column) in triangle::pairs(d) {
                cells.push(match self.scale {
                    None => 0,
                    Some(scale) if row != column && self.shape == Shape::Goe => {
                        gaussian_off_diagonal(rng, scale.get())
                    }
                    Some(scale) => gaussian_diagonal(rng, scale.get()),
                });
            }
            for _ in 0..d {
                cells.push(self.scale.map_or(0, |scale| gaussian_diagonal(rng, scale.get())));
            }
        }
        cells
    }

    fn answer(&self, drawn: Vec<i128>, sums: &Exact<'_>, _: &mut dyn Entropy) -> Option<Answer> {
        Answer::noisy(drawn, sums)
    }
}

impl Run for Steps {
    fn round(&self) -> Option<Round> {
        (!self.is_done()).then(|| Round {
            statistic: Statistic::Map(Arc::new(self.expansion())),
            noise: Arc::clone(&self.noise) as Arc<dyn RoundNoise>,
        })
    }

    fn take(&mut self, answer: Answer) {
        self.advance(&answer.cells);
    }

    fn finish(self: Box<Self>, task: &Task) -> Result<Output, Unsettled> {
        Ok(report(task, &self.noise, &self.fits))
    }
}
