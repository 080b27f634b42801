//! `AdaSSP` (Wang 2018, algorithm 2) and boosted `AdaSSP` (Tang et al. 2023, algorithm 1), each with the noise and the accounting that its
//! authors give. Noise is continuous and seeded: both are here to be compared with, and protect nobody.
//!
//! Records are those of the plan's bounds: x = (1, t), the numbers among t between -1 and 1, and y between -1 and 1. So ‖x‖² is at most
//! 1 + the number of columns, since at most one dummy of a category is 1.

use nalgebra::{DMatrix, DVector, SymmetricEigen};

/// Probability that the ridge is too small, in both papers.
const FAILURE: f64 = 0.05;

/// Standard deviations by which the program of Tang et al. moves the least eigenvalue down and the ridge up.
const MARGIN: f64 = 1.96;

/// Coded records.
pub struct Coded {
    /// x, row by row.
    pub x: Vec<f64>,
    pub y: Vec<f64>,
    /// Largest ‖x‖² that the bounds allow.
    pub square: f64,
    gram: DMatrix<f64>,
    cross: DVector<f64>,
}

impl Coded {
    pub fn new(x: Vec<f64>, y: Vec<f64>, square: f64) -> Self {
        let d = x.len() / y.len();
        let (mut gram, mut cross) = (DMatrix::zeros(d, d), DVector::zeros(d));
        for (x, y) in x.chunks_exact(d).zip(&y) {
            for row in 0..d {
                cross[row] += x[row] * y;
                for column in row..d {
                    gram[(row, column)] += x[row] * x[column];
                }
            }
        }
        gram.fill_lower_triangle_with_upper_triangle();
        Self { x, y, square, gram, cross }
    }

    fn least_eigenvalue(&self) -> f64 {
        SymmetricEigen::new(self.gram.clone()).eigenvalues.min()
    }
}

/// `AdaSSP`: the least eigenvalue, X'X and X'y, each with noise of √ln(6/δ)/(ε/3) in units of what one record can change.
pub fn ada_ssp(coded: &Coded, epsilon: f64, delta: f64, normal: &mut dyn FnMut() -> f64) -> DVector<f64> {
    let d = coded.cross.len() as f64;
    let logarithm = libm::log(6.0 / delta);
    let (sd, third) = (logarithm.sqrt() / (epsilon / 3.0), coded.square / (epsilon / 3.0));
    let least = coded.least_eigenvalue() + sd * coded.square * normal() - logarithm * third;
    let norm = (d * logarithm * libm::log(2.0 * d * d / FAILURE)).sqrt() * third;
    let ridge = (norm - least.max(0.0)).max(0.0);
    let gram = perturbed(&coded.gram, sd * coded.square, normal);
    let cross = noisy(&coded.cross, sd * coded.square.sqrt(), normal);
    solved(gram, ridge, &cross)
}

/// Boosted `AdaSSP`: one noisy matrix with a ridge, then `rounds` fits to residuals that are clipped at 1. The whole is μ-GDP; matrix,
/// eigenvalue and all gradients have a third of μ² each.
pub fn boosted(coded: &Coded, mu: f64, rounds: u32, normal: &mut dyn FnMut() -> f64) -> DVector<f64> {
    let d = coded.cross.len();
    let sd = 3.0_f64.sqrt() / mu;
    let gram = perturbed(&coded.gram, sd * coded.square, normal);
    let least = coded.least_eigenvalue() + sd * coded.square * (normal() - MARGIN);
    let ridge = (MARGIN * (d as f64).sqrt() * sd * coded.square - least.max(0.0)).max(0.0);
    let step_sd = sd * f64::from(rounds).sqrt() * coded.square.sqrt();
    let inverse = (gram + DMatrix::identity(d, d) * ridge).lu();
    let mut theta = DVector::zeros(d);
    for _ in 0..rounds {
        let mut gradient = DVector::zeros(d);
        for (x, y) in coded.x.chunks_exact(d).zip(&coded.y) {
            let fitted: f64 = x.iter().zip(&theta).map(|(x, theta)| x * theta).sum();
            let residual = (y - fitted).clamp(-1.0, 1.0);
            gradient.iter_mut().zip(x).for_each(|(sum, x)| *sum += residual * x);
        }
        let Some(step) = inverse.solve(&noisy(&gradient, step_sd, normal)) else { break };
        theta += step;
    }
    theta
}

/// The same noise above the diagonal and below it.
fn perturbed(matrix: &DMatrix<f64>, sd: f64, normal: &mut dyn FnMut() -> f64) -> DMatrix<f64> {
    let mut noisy = matrix.clone();
    for row in 0..matrix.nrows() {
        for column in row..matrix.ncols() {
            noisy[(row, column)] += sd * normal();
        }
    }
    noisy.fill_lower_triangle_with_upper_triangle();
    noisy
}

fn noisy(vector: &DVector<f64>, sd: f64, normal: &mut dyn FnMut() -> f64) -> DVector<f64> {
    vector.map(|entry| entry + sd * normal())
}

fn solved(gram: DMatrix<f64>, ridge: f64, cross: &DVector<f64>) -> DVector<f64> {
    let d = cross.len();
    let penalised = gram + DMatrix::identity(d, d) * ridge;
    penalised.lu().solve(cross).unwrap_or_else(|| DVector::from_element(d, f64::NAN))
}
