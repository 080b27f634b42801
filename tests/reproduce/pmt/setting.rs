//! The designs of the notes, synthetic rows, and what all methods share.

use discreet::inference::pseudo::Pseudo;
use discreet::math::linalg::{Cholesky, Eigen};
use discreet::privacy::adjacency::Adjacency::ReplaceOne;
use discreet::privacy::profile::paper::pmt;
use discreet::privacy::sensitivity::{augmented_sensitivity_squared, logistic_gradient};
use nalgebra::{DMatrix, DVector};

/// The seed of everything.
pub const SEED: u64 = 23;

/// The coefficients where they are fixed, cut to the number of columns.
const FIXED: [f64; 10] = [0.50, -0.14, 0.65, 1.52, -0.23, -0.23, 1.58, 0.77, -0.47, 0.54];

/// A law of rows: normal, with a mean and a covariance.
pub struct Design {
    mean: DVector<f64>,
    factor: DMatrix<f64>,
    /// Σ, the second moment about zero.
    pub second: DMatrix<f64>,
}

impl Design {
    /// `iso`, `ar`, `ill` or `mv5` of d columns (theory/public-moments 7).
    pub fn new(name: &str, d: usize) -> Self {
        let power = |base: f64| DMatrix::from_fn(d, d, |i, j| libm::pow(base, i.abs_diff(j) as f64));
        let (mean, covariance) = match name {
            "iso" => (DVector::zeros(d), DMatrix::identity(d, d)),
            "ar" => (DVector::from_element(d, 1.0), power(0.5)),
            "ill" => (DVector::zeros(d), ill_conditioned(d)),
            "mv5" => (DVector::from_fn(d, |j, _| 5.0 * (j + 1) as f64 / d as f64), power(0.9)),
            _ => panic!("no such design"),
        };
        let second = &covariance + &mean * mean.transpose();
        let factor = Cholesky::try_new(&covariance).unwrap().lower().clone();
        Self { mean, factor, second }
    }

    pub fn columns(&self) -> usize {
        self.mean.len()
    }

    /// n rows, one after the other.
    pub fn rows(&self, rng: &mut Pseudo, n: usize) -> Vec<DVector<f64>> {
        let row = |_| {
            let z = DVector::from_fn(self.columns(), |_, _| rng.normal());
            &self.mean + &self.factor * z
        };
        (0..n).map(row).collect()
    }
}

/// C' diag(10^1 … 10^-1) C with C the orthonormal discrete cosine transform.
fn ill_conditioned(d: usize) -> DMatrix<f64> {
    let n = d as f64;
    let cosines = DMatrix::from_fn(d, d, |k, j| {
        let size = if k == 0 { (1.0 / n).sqrt() } else { (2.0 / n).sqrt() };
        size * libm::cos(std::f64::consts::PI * (2 * j + 1) as f64 * k as f64 / (2.0 * n))
    });
    let values = DVector::from_fn(d, |k, _| libm::pow(10.0, 1.0 - 2.0 * k as f64 / (n - 1.0)));
    cosines.transpose() * DMatrix::from_diagonal(&values) * cosines
}

/// The coefficients of a run.
pub fn coefficients(rng: &mut Pseudo, d: usize, fixed: bool) -> DVector<f64> {
    if fixed { DVector::from_column_slice(&FIXED[..d]) } else { DVector::from_fn(d, |_, _| rng.normal()) }
}

/// x'β + sd z for each row.
pub fn responses(rng: &mut Pseudo, rows: &[DVector<f64>], beta: &DVector<f64>, sd: f64) -> Vec<f64> {
    rows.iter().map(|row| row.dot(beta) + sd * rng.normal()).collect()
}

/// 0 and 1 with the odds e^(x'β).
pub fn labels(rng: &mut Pseudo, rows: &[DVector<f64>], beta: &DVector<f64>) -> Vec<f64> {
    let label = |row: &DVector<f64>| {
        // A uniform number from a normal one, so that one generator serves all.
        let uniform = discreet::math::special::phi_cdf(rng.normal());
        f64::from(u8::from(uniform < 1.0 / (1.0 + libm::exp(-row.dot(beta)))))
    };
    rows.iter().map(label).collect()
}

/// X'X/n and X'y/n of rows that are mapped and clipped first.
pub fn means(
    rows: &[DVector<f64>],
    y: &[f64],
    map: impl Fn(&DVector<f64>) -> DVector<f64>,
    outcome: impl Fn(f64) -> f64,
) -> (DMatrix<f64>, DVector<f64>) {
    let d = rows[0].len();
    let (mut second, mut cross) = (DMatrix::zeros(d, d), DVector::zeros(d));
    for (row, y) in rows.iter().zip(y) {
        let row = map(row);
        second.ger(1.0, &row, &row, 1.0);
        cross.axpy(outcome(*y), &row, 1.0);
    }
    let n = rows.len() as f64;
    (second / n, cross / n)
}

/// A row cut to a length.
pub fn cut(row: DVector<f64>, radius: f64) -> DVector<f64> {
    let length = row.norm();
    if length > radius { row * (radius / length) } else { row }
}

/// What public rows say.
pub struct Public {
    pub moment: DMatrix<f64>,
    pub inverse: DMatrix<f64>,
    pub inverse_root: DMatrix<f64>,
    pub cross: DVector<f64>,
    /// The mean square of the response.
    pub square: f64,
    pub rows: usize,
}

impl Public {
    pub fn new(rows: &[DVector<f64>], y: &[f64]) -> Self {
        let (moment, cross) = means(rows, y, Clone::clone, |y| y);
        let eigen = Eigen::try_new(&moment).unwrap();
        Self {
            inverse: eigen.map(|value| 1.0 / value),
            inverse_root: eigen.map(|value| 1.0 / value.sqrt()),
            square: y.iter().map(|y| y * y).sum::<f64>() / y.len() as f64,
            moment,
            cross,
            rows: rows.len(),
        }
    }
}

/// R² of the paper and the tight one (theory/public-moments 1.3).
pub fn squared_radius(d: usize, n: usize, eta: f64, tight: bool) -> f64 {
    discreet::plan::public::squared_radius(d, n as f64, eta, tight)
}

/// Noise of a matrix, by its deviations on the diagonal and off it.
pub fn matrix_noise(rng: &mut Pseudo, d: usize, diagonal: f64, off: f64) -> DMatrix<f64> {
    let mut noise = DMatrix::zeros(d, d);
    for i in 0..d {
        for j in i..d {
            let cell = rng.normal() * if i == j { diagonal } else { off };
            noise[(i, j)] = cell;
            noise[(j, i)] = cell;
        }
    }
    noise
}

pub fn vector_noise(rng: &mut Pseudo, d: usize, deviation: f64) -> DVector<f64> {
    DVector::from_fn(d, |_, _| deviation * rng.normal())
}

/// The deviation of a ridge regression's matrix on sums, in R², of one release that costs μ: √4.5/μ.
pub fn ridge_exact(mu: f64) -> f64 {
    let (x, y) = (1_u64 << 40, 1_u64 << 39);
    augmented_sensitivity_squared(x, y, ReplaceOne, 1).to_f64().value().sqrt() / x as f64 / mu
}

/// The paper's, for parts of μ₀ each: 2/μ₀.
pub fn ridge_printed(mu: f64) -> f64 {
    pmt::ridge_matrix(mu * std::f64::consts::SQRT_2)
}

/// κ of a logistic step.
pub fn kappa() -> f64 {
    let curvature = 1_u64 << 50;
    4.0 * logistic_gradient(curvature, ReplaceOne) as f64 / curvature as f64
}
