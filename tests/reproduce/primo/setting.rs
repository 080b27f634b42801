//! Made-up tables, the noises on them, and what a regression is worth.

use discreet::inference::pseudo::Pseudo;
use discreet::math::beta::beta_cdf;
use discreet::math::linalg::Cholesky;
use discreet::math::projection::Directions;
use discreet::math::search::first_true;
use discreet::math::special::{normal_quantile, phi_cdf};
use discreet::privacy::adjacency::Adjacency::ReplaceOne;
use discreet::privacy::convert::gdp_mu;
use discreet::privacy::measure::{Delta, Epsilon};
use discreet::privacy::profile::paper::primo::Scales;
use nalgebra::DMatrix;

/// The seed of everything.
pub const SEED: u64 = 21;

/// Rows that are made at a time: l may be 10⁵.
const BLOCK: usize = 64;

/// ε and δ.
#[derive(Clone, Copy)]
pub struct Budget {
    pub epsilon: Epsilon,
    pub delta: Delta,
}

impl Budget {
    pub fn new(epsilon: f64, delta: f64) -> Self {
        Self { epsilon: Epsilon::try_new(epsilon).unwrap(), delta: Delta::try_new(delta).unwrap() }
    }

    /// The paper's δ = 1/n².
    pub fn of_rows(epsilon: f64, rows: usize) -> Self {
        Self::new(epsilon, 1.0 / (rows as f64 * rows as f64))
    }

    pub fn half(self) -> Self {
        Self::new(self.epsilon.get() / 2.0, self.delta.get() / 2.0)
    }

    pub fn mu(self) -> f64 {
        gdp_mu(self.epsilon, self.delta).unwrap().get()
    }

    /// One release of both parts at the least cost for coefficients of which ‖w‖² Bx²/By² is guessed to be `s`: κ = (√(1 + 8s) − 1)/(2s)
    /// (theory/many-outcomes 2.1).
    pub fn joint(self, s: f64) -> Scales {
        joint_at(self.mu(), s)
    }
}

/// The same for a μ.
pub fn joint_at(mu: f64, s: f64) -> Scales {
    let kappa = ((1.0 + 8.0 * s).sqrt() - 1.0) / (2.0 * s);
    let unit = Scales { covariance: 1.0, association: 1.0 / kappa.sqrt() };
    let sigma = unit.mu(ReplaceOne).unwrap().get() / mu;
    Scales { covariance: sigma, association: sigma * unit.association }
}

/// What a table tells.
pub struct Data {
    pub rows: f64,
    /// X′X/n.
    pub covariance: DMatrix<f64>,
    pub directions: Directions,
    /// X′Y/n.
    pub association: DMatrix<f64>,
    /// Σ y²/(n l), and the same about the columns' means.
    pub square: f64,
    pub spread: f64,
    /// The longest row of X and of Y, and the largest entry of Y.
    pub longest_x: f64,
    pub longest_y: f64,
    pub largest_y: f64,
    /// Y, where it was to be kept.
    pub outcomes: Option<DMatrix<f64>>,
}

impl Data {
    /// The table of features `x` and outcomes `mean`(rows of x) + N(0, 1).
    pub fn new(
        rng: &mut Pseudo,
        x: &DMatrix<f64>,
        outcomes: usize,
        keep: bool,
        mean: impl Fn(&DMatrix<f64>) -> DMatrix<f64>,
    ) -> Self {
        let (rows, features) = (x.nrows(), x.ncols());
        let mut association = DMatrix::zeros(features, outcomes);
        let mut sums = vec![0.0; outcomes];
        let (mut square, mut longest_y, mut largest_y) = (0.0, 0.0_f64, 0.0_f64);
        let mut kept = keep.then(|| DMatrix::zeros(rows, outcomes));
        for start in (0..rows).step_by(BLOCK) {
            let block = x.rows(start, BLOCK.min(rows - start)).into_owned();
            let mut y = mean(&block);
            y.iter_mut().for_each(|entry| *entry += rng.normal());
            association.gemm_tr(1.0, &block, &y, 1.0);
            let mut lengths = vec![0.0; y.nrows()];
            for (column, sum) in y.column_iter().zip(&mut sums) {
                for (entry, length) in column.iter().zip(&mut lengths) {
                    *sum += entry;
                    *length += entry * entry;
                    largest_y = largest_y.max(entry.abs());
                }
            }
            square += lengths.iter().sum::<f64>();
            longest_y = lengths.iter().fold(longest_y, |longest, length| longest.max(length.sqrt()));
            if let Some(kept) = &mut kept {
                kept.rows_mut(start, y.nrows()).copy_from(&y);
            }
        }
        let n = rows as f64;
        let cells = n * outcomes as f64;
        let between = sums.iter().map(|sum| sum * sum / n).sum::<f64>();
        let covariance = x.tr_mul(x) / n;
        Self {
            rows: n,
            directions: Directions::try_new(&covariance, rows as u64).unwrap(),
            covariance,
            association: association / n,
            square: square / cells,
            spread: (square - between) / cells,
            longest_x: x.row_iter().map(|row| row.norm()).fold(0.0, f64::max),
            longest_y,
            largest_y,
            outcomes: kept,
        }
    }

    /// Outcomes θ′x + N(0, 1) with θ ~ N(0, I/√d).
    pub fn linear(rng: &mut Pseudo, x: &DMatrix<f64>, outcomes: usize, keep: bool) -> Self {
        let d = x.ncols();
        let theta = normal(rng, d, outcomes) * libm::pow(d as f64, -0.25);
        Self::new(rng, x, outcomes, keep, |rows| rows * &theta)
    }

    pub fn features(&self) -> usize {
        self.covariance.nrows()
    }

    pub fn outcomes(&self) -> usize {
        self.association.ncols()
    }

    /// The mean squared error of coefficients W.
    pub fn error(&self, w: &DMatrix<f64>) -> f64 {
        let l = self.outcomes() as f64;
        self.square + ((&self.covariance * w).dot(w) - 2.0 * w.dot(&self.association)) / l
    }

    /// R², pooled over the outcomes, about the columns' means.
    pub fn r_squared(&self, w: &DMatrix<f64>) -> f64 {
        1.0 - self.error(w) / self.spread
    }

    pub fn least_squares(&self) -> DMatrix<f64> {
        solve(&self.covariance, &self.association)
    }

    /// (σ₁, σ₂) of scales on the means, with By as given.
    pub fn deviations(&self, scales: Scales, longest_y: f64) -> (f64, f64) {
        let unit = self.longest_x / self.rows;
        (scales.covariance * self.longest_x * unit, scales.association * longest_y * unit)
    }

    /// By as the paper has it for Algorithm 1: √l times the largest entry.
    pub fn entrywise(&self) -> f64 {
        (self.outcomes() as f64).sqrt() * self.largest_y
    }
}

/// Standard normals.
pub fn normal(rng: &mut Pseudo, rows: usize, columns: usize) -> DMatrix<f64> {
    DMatrix::from_fn(rows, columns, |_, _| rng.normal())
}

/// A symmetric matrix of standard normals on the diagonal and `beside` times as much off it: 1 as the paper draws it, √½ as this
/// project does.
pub fn symmetric(rng: &mut Pseudo, size: usize, beside: f64) -> DMatrix<f64> {
    let mut matrix =
        DMatrix::from_fn(size, size, |row, column| rng.normal() * if row == column { 1.0 } else { beside });
    matrix.fill_upper_triangle_with_lower_triangle();
    matrix
}

/// A⁻¹ B for a symmetric A that need not be positive, as the paper solves it; NaN where it has no inverse.
pub fn solve(a: &DMatrix<f64>, b: &DMatrix<f64>) -> DMatrix<f64> {
    a.clone().lu().solve(b).unwrap_or_else(|| b.map(|_| f64::NAN))
}

/// (A + λI)⁻¹ B.
pub fn solve_penalised(a: &DMatrix<f64>, ridge: f64, b: &DMatrix<f64>) -> DMatrix<f64> {
    let penalised = a + DMatrix::identity(a.nrows(), a.nrows()) * ridge;
    match Cholesky::try_new(&penalised) {
        Ok(factor) => factor.inverse() * b,
        Err(_) => solve(&penalised, b),
    }
}

/// The data-independent ridge: the larger of the bound on ‖E₁‖ that fails with chance 0.05, and √(d (σ₁²/2 + σ₂²/w₀²)) (theory/many-outcomes 4.2).
pub fn ridge(features: usize, covariance: f64, association: f64, guess: f64) -> f64 {
    let d = features as f64;
    let balance = (d * (covariance * covariance / 2.0 + association * association / (guess * guess))).sqrt();
    balance.max(norm_bound(features, covariance))
}

/// σ₁ (√(2d) + √(2 ln 40)).
pub fn norm_bound(features: usize, covariance: f64) -> f64 {
    covariance * ((2.0 * features as f64).sqrt() + (2.0 * libm::log(40.0)).sqrt())
}

/// Haplotypes of five populations of nearly one size, each feature centred.
pub fn haplotypes(rng: &mut Pseudo, rows: usize, features: usize) -> DMatrix<f64> {
    const APART: f64 = 0.1;
    let mut x = DMatrix::zeros(rows, features);
    for mut column in x.column_iter_mut() {
        let ancestral = 0.05 + 0.9 * uniform(rng);
        let shape = (1.0 - APART) / APART;
        let thresholds: [f64; 5] = std::array::from_fn(|_| {
            let share = uniform(rng);
            let (a, b) = (ancestral * shape, (1.0 - ancestral) * shape);
            normal_quantile(first_true(0.0, 1.0, |x| beta_cdf(a, b, x) >= share))
        });
        for (row, entry) in column.iter_mut().enumerate() {
            *entry = if rng.normal() < thresholds[row % 5] { 1.0 } else { 0.0 };
        }
        let mean = column.mean();
        column.add_scalar_mut(-mean);
    }
    x
}

fn uniform(rng: &mut Pseudo) -> f64 {
    phi_cdf(rng.normal())
}
