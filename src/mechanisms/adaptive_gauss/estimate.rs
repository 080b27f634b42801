//! Coefficients and their covariance from the moments of the final round (theory/adaptive 2.6, 5.1).

use nalgebra::{DMatrix, DVector};

use super::last::Grid;
use crate::math::jacobi_eigen::product;
use crate::math::linalg::from_triangle;
use crate::math::round::real;
use crate::mechanisms::adaptive::guide::Guide;
use crate::privacy::mutants::{Mutant, is_active};

/// The noisy moments of the final round in real units, and the variances of their noise.
#[derive(Clone, Debug, PartialEq)]
pub struct Moments {
    /// A_4 = M_ww, k × k.
    pub features: DMatrix<f64>,
    /// M_wo, one column for each outcome.
    pub cross: DMatrix<f64>,
    /// M_oo of each outcome.
    pub squares: Vec<f64>,
    /// v_x, the variance of a cell of M_ww off the diagonal; it is twice that on it.
    pub feature_noise: f64,
    /// v_c, the variance of a cell of M_wo, of each outcome.
    pub cross_noise: Vec<f64>,
    /// v_y, the variance of M_oo, of each outcome.
    pub square_noise: Vec<f64>,
    /// φ_4, the spectral norm of the noise on M_ww.
    pub floor: f64,
}

impl Moments {
    /// Returns the moments that the noisy upper triangle of round 4 holds, to which noise of scale `s` was added; `weight` is q.
    pub fn new(s: f64, weight: u32, grid: &Grid, coefficients: usize, cells: &[i128]) -> Self {
        let size = coefficients + grid.outcomes.len();
        let unit = |i: usize| grid.unit(i, coefficients);
        let matrix = from_triangle(size, cells, |i, j| unit(i) * unit(j));
        Self::of(&matrix, s, f64::from(weight), grid, coefficients)
    }

    /// Returns the moments of a matrix in real units, to which noise of scale `s` was added.
    pub fn of(matrix: &DMatrix<f64>, s: f64, weight: f64, grid: &Grid, coefficients: usize) -> Self {
        let k = coefficients;
        let outcomes = grid.outcomes.len();
        let heavy = weight * s;
        let f = grid.features;
        Self {
            features: matrix.view((0, 0), (k, k)).into_owned(),
            cross: matrix.view((0, k), (k, outcomes)).into_owned(),
            squares: (0..outcomes).map(|o| matrix[(k + o, k + o)]).collect(),
            feature_noise: heavy * heavy / (2.0 * (f * f * (f * f))),
            cross_noise: grid.outcomes.iter().map(|o| s * s / (2.0 * (f * f) * (o * o))).collect(),
            square_noise: grid.outcomes.iter().map(|o| heavy * heavy / (o * o * (o * o))).collect(),
            floor: std::f64::consts::SQRT_2 * heavy * real(k).sqrt() / (f * f),
        }
    }

    /// Returns k.
    pub fn coefficients(&self) -> usize {
        self.features.nrows()
    }
}

/// One outcome's estimate in whitened units.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// θ.
    pub theta: DVector<f64>,
    /// RSS, the sum of the squared residuals after θ, raised where noise hides it.
    pub residual: f64,
    /// σ, the residual standard deviation in units of the outcome's spread.
    pub sigma: f64,
    /// The standard deviation of the noise on σ, as a share of σ.
    pub sigma_noise: f64,
    /// Whether RSS was below two standard deviations of its noise.
    pub residual_hidden: bool,
    /// The part of V, the covariance of θ, that is sampling.
    pub sampling: DMatrix<f64>,
    /// The part of V that is privacy noise.
    pub noise: DMatrix<f64>,
}

/// What stands for A_4⁻¹: Z (Z′ A_4 Z)⁻¹ Z′ in a subspace, also with a penalty on A_4.
#[derive(Clone, Debug, PartialEq)]
pub struct Inverse {
    /// The matrix.
    pub matrix: DMatrix<f64>,
    /// Whether a penalty is in it, so that it is no inverse of A_4 in any subspace.
    pub penalised: bool,
}

impl Fit {
    /// Returns the estimate of one outcome: θ = A⁻¹ g, in a subspace from `start` on, the residual sum of squares, and V = σ²
    /// A⁻¹ + A⁻¹ [(v_c + v_x |θ|²) I + v_x θθ′] A⁻¹. With a penalty the first term of V is σ² A⁻¹ A_4 A⁻¹.
    pub fn new(moments: &Moments, outcome: usize, inverse: &Inverse, start: &DVector<f64>) -> Self {
        let k = moments.coefficients();
        let a = &inverse.matrix;
        let g = DMatrix::from_fn(k, 1, |i, _| moments.cross[(i, outcome)]);
        // `start` has been moved along the subspace already, so that A⁻¹ times what A_4 makes of it is 0.
        let theta = DMatrix::from_fn(k, 1, |i, _| start[i]) + product(a, &g);
        let fitted = product(&moments.features, &theta);
        let mut length = 0.0;
        let mut explained = 0.0;
        let mut quadratic = 0.0;
        for i in 0..k {
            length += theta[(i, 0)] * theta[(i, 0)];
            explained += theta[(i, 0)] * g[(i, 0)];
            quadratic += theta[(i, 0)] * fitted[(i, 0)];
        }
        let (v_x, v_c) = (moments.feature_noise, moments.cross_noise[outcome]);
        let sd = (moments.square_noise[outcome] + 4.0 * length * v_c + 2.0 * (length * length) * v_x).sqrt();
        let residual = moments.squares[outcome] - 2.0 * explained + quadratic;
        let residual_hidden = residual < 2.0 * sd;
        let residual = if residual_hidden { (residual + 1.645 * sd).max(0.0) } else { residual };
        let rows = moments.features[(0, 0)];
        let sigma_squared = residual / (rows - real(k)).max(1.0);
        let inner = DMatrix::from_fn(k, k, |i, j| {
            let own = if i == j { v_c + v_x * length } else { 0.0 };
            own + v_x * theta[(i, 0)] * theta[(j, 0)]
        });
        let noise = if is_active(Mutant::NaiveStandardError) {
            DMatrix::zeros(k, k)
        } else {
            product(&product(a, &inner), a)
        };
        let sampling = if inverse.penalised {
            product(&product(a, &moments.features), a) * sigma_squared
        } else {
            a * sigma_squared
        };
        Self {
            theta: DVector::from_fn(k, |i, _| theta[(i, 0)]),
            residual,
            sigma: sigma_squared.sqrt(),
            sigma_noise: (sd / residual).hypot(v_x.sqrt() / rows) / 2.0,
            residual_hidden,
            sampling,
            noise,
        }
    }
}

/// Coefficients of one outcome in coded units, the intercept first, with the covariance that the released moments give them.
#[derive(Clone, Debug, PartialEq)]
pub struct Coded {
    /// Intercept and slopes.
    pub coefficients: Vec<f64>,
    /// Their covariance.
    pub covariance: DMatrix<f64>,
    /// The part of it that is privacy noise.
    pub noise_covariance: DMatrix<f64>,
}

impl Coded {
    /// Undoes whitening and guide: slopes are σ (H′θ)_j + B_j, the intercept σ (H′θ)_0 + mean_o − mean_x′ B_o.
    pub fn new(guide: &Guide, map: &DMatrix<f64>, outcome: usize, fit: &Fit) -> Self {
        let k = map.nrows();
        let spread = guide.spreads[outcome];
        let turned = map.transpose();
        let theta = DMatrix::from_fn(k, 1, |i, _| fit.theta[i]);
        let moved = product(&turned, &theta);
        let mut intercept = spread * moved[(0, 0)] + guide.mean[k - 1 + outcome];
        let mut coefficients = Vec::with_capacity(k);
        coefficients.push(0.0);
        for j in 1..k {
            let slope = guide.slopes[(j - 1, outcome)];
            intercept -= guide.mean[j - 1] * slope;
            coefficients.push(spread * moved[(j, 0)] + slope);
        }
        coefficients[0] = intercept;
        let carried = |v: &DMatrix<f64>| Self::carried(guide, map, outcome, v);
        let noise_covariance = if is_active(Mutant::NoiseNotCarried) {
            &fit.noise * (spread * spread)
        } else {
            carried(&fit.noise)
        };
        let sampling = carried(&fit.sampling);
        let covariance = DMatrix::from_fn(k, k, |i, j| sampling[(i, j)] + noise_covariance[(i, j)]);
        Self { coefficients, covariance, noise_covariance }
    }

    /// Returns a covariance in whitened units, of coefficients in coded units: σ² H′ V H.
    pub fn carried(guide: &Guide, map: &DMatrix<f64>, outcome: usize, v: &DMatrix<f64>) -> DMatrix<f64> {
        let spread = guide.spreads[outcome];
        product(&product(&map.transpose(), v), map) * (spread * spread)
    }
}
