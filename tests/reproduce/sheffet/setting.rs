//! Made-up tables on the integer grid, and the project's plans and noises for them.

use std::sync::Arc;

use discreet::data::Moments;
use discreet::engine::{Prepared, prepare};
use discreet::inference::moments::NoisyMoments;
use discreet::inference::pseudo::Pseudo;
use discreet::math::linalg::{Cholesky, Eigen};
use discreet::mechanisms::RoundNoise;
use discreet::mechanisms::wishart::additive;
use discreet::model::NoiseLaw;
use discreet::noise::entropy::DemoRng;
use discreet::plan::{Plan, Purpose};
use discreet::privacy::measure::{Delta, Epsilon};
use discreet::privacy::profile::{WishartNoise, additive_wishart_orthogonal_delta};
use nalgebra::{DMatrix, DVector};
use serde_json::{Value, json};

use super::page::Far;

/// The seed of everything.
pub const SEED: u64 = 20;

/// Codes in B. On the mechanisms' finest grid, 2²⁴, the ridge of Algorithm 5 for many rows at ε = 0.1 is beyond 64 bits.
const RADIUS: u32 = 1 << 20;

/// A table's columns, the bound on its rows, and what it costs to look at it.
#[derive(Clone, Copy)]
pub struct Setting {
    pub features: usize,
    pub outcomes: usize,
    /// B, the norm that a row is shrunk to, its constant and its outcomes included.
    pub bound: f64,
    pub delta: f64,
}

impl Setting {
    /// d: the constant, the features and the outcomes.
    pub const fn terms(&self) -> usize {
        1 + self.features + self.outcomes
    }

    fn columns(&self) -> Vec<(String, &'static str)> {
        let features = (1..=self.features).map(|at| (format!("x{at}"), "feature"));
        features.chain((1..=self.outcomes).map(|at| (format!("y{at}"), "outcome"))).collect()
    }

    /// A plan of this setting. Its bounds on the columns do not matter: no record is encoded by it.
    pub fn prepare(&self, rows: u64, epsilon: f64, mut mechanism: Value) -> Prepared {
        mechanism["params"]["radius"] = json!(RADIUS);
        let columns = self.columns();
        let document = json!({
            "schema": "discreet.plan/1",
            "adjacency": "replace-one",
            "rows": rows,
            "columns": columns.iter().map(|(name, role)| {
                json!({"name": name, "role": role, "type": "number", "lower": -1.0, "upper": 1.0})
            }).collect::<Vec<_>>(),
            "mechanism": mechanism,
            "budget": {"epsilon": epsilon, "delta": self.delta},
        });
        let names: Vec<String> = columns.into_iter().map(|(name, _)| name).collect();
        let plan = Plan::parse(&document.to_string()).unwrap();
        prepare(plan, &names, b',', Purpose::Simulate).unwrap_or_else(|error| panic!("{document}: {error}"))
    }

    /// Codes in one unit of a row, so that B is the largest norm that the plans' geometry allows. It is the same for every plan.
    pub fn unit(&self) -> f64 {
        let prepared = self.prepare(1_000, 1.0, json!({"name": "analyze-gauss"}));
        let square = |code: u32| f64::from(code) * f64::from(code);
        let geometry = prepared.geometry();
        (square(geometry.constant) + square(geometry.radius)).sqrt() * (1.0 - 1e-12) / self.bound
    }

    /// Adds a row, shrunk to B. Codes are cut off towards 0, so no norm grows.
    pub fn add(&self, unit: f64, row: &[f64], codes: &mut [i32], moments: &mut Moments) {
        let norm = row.iter().map(|x| x * x).sum::<f64>().sqrt();
        let factor = if norm > self.bound { unit * self.bound / norm } else { unit };
        for (code, x) in codes.iter_mut().zip(row) {
            #[expect(clippy::cast_possible_truncation, reason = "towards 0 on purpose, and below 2^24")]
            {
                *code = (x * factor) as i32;
            }
        }
        moments.add(codes);
    }
}

/// Coefficients uniform in −1 to 1, the constant's first, scaled to a norm.
pub fn coefficients(rng: &mut Pseudo, predictors: usize, norm: f64) -> DVector<f64> {
    let uniform = DVector::from_fn(predictors, |_, _| libm::erf(rng.normal() / std::f64::consts::SQRT_2));
    uniform.normalize() * norm
}

/// A table of independent standard normal features and outcomes with that much normal noise; what `see` is shown are the
/// moments of its first 2^k rows for each k from `first` to `last`.
pub fn grow(
    setting: &Setting,
    rng: &mut Pseudo,
    coefficients: &[DVector<f64>],
    noise: f64,
    (first, last): (u32, u32),
    mut see: impl FnMut(u32, &Moments),
) {
    let unit = setting.unit();
    let mut row = vec![1.0; setting.terms()];
    let mut codes = vec![0; setting.terms()];
    let mut moments = Moments::new(setting.terms());
    for log in first..=last {
        while moments.rows() < 1 << log {
            let (predictors, outcomes) = row.split_at_mut(setting.features + 1);
            predictors.iter_mut().skip(1).for_each(|x| *x = rng.normal());
            for (outcome, beta) in outcomes.iter_mut().zip(coefficients) {
                let mean: f64 = beta.iter().zip(predictors.iter()).map(|(b, x)| b * x).sum();
                *outcome = mean + noise * rng.normal();
            }
            setting.add(unit, &row, &mut codes, &mut moments);
        }
        see(log, &moments);
    }
}

/// A way from exact moments to a released matrix: a plan of the project, its noise, and what is done where the matrix is not
/// positive definite.
pub struct Method {
    prepared: Prepared,
    noise: Arc<dyn RoundNoise>,
    /// Added to the diagonal of a matrix that is not positive definite, in the unit of its moments.
    lift: f64,
    /// Methods with the same number share their noise.
    stream: u64,
}

impl Method {
    pub fn new(setting: &Setting, rows: u64, epsilon: f64, stream: u64, mechanism: Value) -> Self {
        let prepared = setting.prepare(rows, epsilon, mechanism);
        let noise: Arc<dyn RoundNoise> = match prepared.noise::<additive::Noise>() {
            // Bartlett's factor: the same law but with probability η, in less time.
            Some(noise) => Arc::new(additive::Noise { on_grid: false, ..noise.clone() }),
            None => prepared.start().round().expect("there is one round").noise,
        };
        Self { prepared, noise, lift: 0.0, stream }
    }

    /// Adds the constant times the standard deviation of the cells' noise where the matrix is not positive definite.
    pub fn lifted(mut self, deviations: f64) -> Self {
        let moments = |cells: &[i128]| {
            let law = self.gaussian_law();
            NoisyMoments::from_law(
                self.prepared.geometry(),
                self.prepared.layout(),
                cells,
                &law,
                self.prepared.plan(),
            )
            .unwrap()
        };
        let terms = self.prepared.geometry().terms.len();
        self.lift = deviations * moments(&vec![0; terms * (terms + 1) / 2]).noise().off_diagonal_sd();
        self
    }

    fn gaussian_law(&self) -> NoiseLaw {
        self.noise.gaussian().expect("only such a matrix is lifted").law()
    }

    /// Additive Wishart noise with other degrees of freedom than those that the project charges for.
    pub fn with_degrees(mut self, degrees: u32) -> Self {
        let noise = self.prepared.noise::<additive::Noise>().expect("Wishart noise");
        self.noise = Arc::new(additive::Noise { degrees, on_grid: false, ..noise.clone() });
        self
    }

    /// A released matrix as numbers, whatever was added to it taken off as the plan says; and its law.
    pub fn draw(&self, moments: &Moments, run: u64) -> (DMatrix<f64>, NoiseLaw) {
        let mut rng = DemoRng::new(SEED, run << 8 | self.stream);
        let drawn = self.noise.release(&moments.into(), &mut rng).expect("no step of a drawn matrix fails");
        let plan = self.prepared.plan();
        let noisy = NoisyMoments::from_law(
            self.prepared.geometry(),
            self.prepared.layout(),
            &drawn.cells,
            drawn.law.as_ref().expect("moments have a law"),
            plan,
        )
        .unwrap();
        let mut matrix = noisy.matrix().clone();
        if self.lift > 0.0 && Cholesky::try_new(&matrix).is_err() {
            matrix += DMatrix::identity(matrix.nrows(), matrix.nrows()) * self.lift;
        }
        (matrix, drawn.law.expect("moments have a law"))
    }
}

/// The exact moments as numbers.
pub fn exact(moments: &Moments) -> DMatrix<f64> {
    DMatrix::from_fn(moments.terms(), moments.terms(), |row, column| moments.get(row, column) as f64)
}

/// ‖b − β‖ for the regression of a column on some others: b = M_xx⁻¹ M_xy.
pub fn far(matrix: &DMatrix<f64>, predictors: &[usize], outcome: usize, truth: &DVector<f64>) -> Far {
    let xx = matrix.select_rows(predictors).select_columns(predictors);
    let xy = DVector::from_iterator(predictors.len(), predictors.iter().map(|&at| matrix[(at, outcome)]));
    let definite = Cholesky::try_new(&xx).is_ok();
    let error = xx.lu().solve(&xy).map_or(f64::INFINITY, |b| (b - truth).norm());
    Far { error, definite }
}

/// E‖E‖ for a symmetric matrix of normals with variance 1 off the diagonal and `diagonal` on it, from 200 of them.
pub fn spectral_norm(size: usize, diagonal: f64) -> f64 {
    let mut rng = Pseudo::new(SEED, &[1, size as u64, diagonal.to_bits()]);
    let mut norm = || {
        let mut matrix = DMatrix::from_fn(size, size, |row, column| {
            if row == column { diagonal.sqrt() * rng.normal() } else { rng.normal() }
        });
        matrix.fill_upper_triangle_with_lower_triangle();
        let eigen = Eigen::try_new(&matrix).unwrap();
        eigen.largest().max(-eigen.smallest())
    };
    (0..200).map(|_| norm()).sum::<f64>() / 200.0
}

/// Fewest degrees of freedom of additive Wishart noise for the pairs of tables that are thought to be the worst. The project does
/// not charge by it, for that they are is not proved.
pub fn unproved_degrees(epsilon: f64, delta: f64, dimension: usize, ratio: f64) -> u32 {
    let dimension = u32::try_from(dimension).unwrap();
    let holds = |degrees: u32| {
        let noise = WishartNoise::try_new(degrees, dimension).unwrap();
        additive_wishart_orthogonal_delta(Epsilon::try_new(epsilon).unwrap(), ratio, noise).unwrap()
            <= Delta::try_new(delta).unwrap().get()
    };
    let (mut bad, mut good) = (dimension + 1, dimension + 2);
    while !holds(good) {
        bad = good;
        good = dimension + 2 * (good - dimension);
    }
    while good - bad > 1 {
        let middle = u32::midpoint(bad, good);
        if holds(middle) { good = middle } else { bad = middle }
    }
    good
}
