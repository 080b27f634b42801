//! The golden numbers of `primo.json` (primo, appendix A), natively and inside the browser: five people, three features, two
//! outcomes, and noise that is given.

use discreet::math::linalg::Cholesky;
use discreet::math::projection::{
    Directions, feature_ball, feature_ball_of_many_outcomes, nuclear_ball, outcome_ball, positive_trace,
};
use discreet::math::secular_equation::solve_secular;
use discreet::privacy::adjacency::Adjacency;
use discreet::privacy::convert::{gdp_epsilon, gdp_ln_delta, gdp_mu};
use discreet::privacy::measure::{Delta, Epsilon, Mu};
use discreet::privacy::profile::paper::primo::{Scales, constant};
use nalgebra::DMatrix;
use serde_json::Value;

struct Golden(Value);

impl Golden {
    fn numbers(&self, path: &str) -> Vec<f64> {
        let found = self.0.pointer(path).unwrap_or_else(|| panic!("{path}"));
        serde_json::from_value(found.clone()).unwrap()
    }

    fn number(&self, path: &str) -> f64 {
        self.0.pointer(path).and_then(Value::as_f64).unwrap_or_else(|| panic!("{path}"))
    }

    fn rows(&self, path: &str) -> Vec<Vec<f64>> {
        let found = self.0.pointer(path).unwrap_or_else(|| panic!("{path}"));
        serde_json::from_value(found.clone()).unwrap()
    }

    fn matrix(&self, path: &str) -> DMatrix<f64> {
        let rows = self.rows(path);
        DMatrix::from_row_iterator(rows.len(), rows[0].len(), rows.into_iter().flatten())
    }

    /// Whether a matrix is the one at `path`, to twelve digits of its largest entry.
    fn equals(&self, path: &str, found: &DMatrix<f64>) {
        let expected = self.matrix(path);
        assert!((found - &expected).amax() <= 1e-12 * expected.amax(), "{path}: {found}, not {expected}");
    }
}

/// `expected - below |expected| <= found <= expected + above |expected|`.
fn within(name: &str, found: f64, expected: f64, below: f64, above: f64) {
    let distance = (found - expected) / expected.abs();
    assert!((-below..=above).contains(&distance), "{name}: {found:e}, not {expected:e}");
}

/// Draws in the order of the upper triangle, row by row, as a symmetric matrix with `off_diagonal` times the draw beside the
/// diagonal.
fn symmetric(draws: &[f64], size: usize, off_diagonal: f64) -> DMatrix<f64> {
    let mut draws = draws.iter();
    let mut noise = DMatrix::zeros(size, size);
    for i in 0..size {
        for j in i..size {
            let draw = draws.next().unwrap() * if i == j { 1.0 } else { off_diagonal };
            noise[(i, j)] = draw;
            noise[(j, i)] = draw;
        }
    }
    noise
}

/// All of it.
pub fn all_pass() {
    let golden = Golden(serde_json::from_str(include_str!("primo.json")).unwrap());
    accounting(&golden);
    releases(&golden);
    projections(&golden);
    let known = [
        "mu_from_eps_delta", "eps_from_mu_delta", "delta_gdp", "c_paper", "data", "reuse_cov_goe",
        "reuse_cov_upper", "proj_label", "proj_feature", "proj_nuclear", "secular", "psd_trace",
        "joint_release", "sens_joint_replace",
    ];
    for name in golden.0.as_object().unwrap().keys().map(String::as_str) {
        assert!(known.contains(&name), "nobody answers {name}");
    }
}

fn accounting(golden: &Golden) {
    let (epsilon, delta) = (|x| Epsilon::try_new(x).unwrap(), |x| Delta::try_new(x).unwrap());
    // Budgets are rounded down and costs up, by 1e-9.
    for row in golden.rows("/mu_from_eps_delta") {
        within("mu", gdp_mu(epsilon(row[0]), delta(row[1])).unwrap().get(), row[2], 2e-9, 1e-12);
    }
    for row in golden.rows("/eps_from_mu_delta") {
        let found = gdp_epsilon(Mu::try_new(row[0]).unwrap(), delta(row[1])).unwrap();
        within("epsilon", found.get(), row[2], 1e-12, 2e-9);
    }
    // (0.1, 3) was 4.6e-10 too small in the first form of the file (appendix A); 260 digits gave the entry it has now.
    for row in golden.rows("/delta_gdp") {
        within("delta", libm::exp(gdp_ln_delta(row[1], row[0])), row[2], 2e-12, 2e-12);
    }
    // (X′X, w X′Y) with noise of deviation 1.
    for row in golden.rows("/sens_joint_replace") {
        let [x, y, w, expected] = row[..] else { panic!("four numbers") };
        let scales = Scales { covariance: 1.0 / (x * x), association: 1.0 / (w * x * y) };
        within("joint", scales.mu(Adjacency::ReplaceOne).unwrap().get(), expected, 0.0, 2e-9);
    }
    for row in golden.rows("/c_paper") {
        within("c", constant(epsilon(row[0]), delta(row[1])).unwrap(), row[2], 1e-14, 1e-14);
    }
}

fn releases(golden: &Golden) {
    let (x, y, z2) = (golden.matrix("/data/X"), golden.matrix("/data/Y"), golden.matrix("/data/z2"));
    let draws = golden.numbers("/data/z1");
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let (gram, cross) = (x.tr_mul(&x), x.tr_mul(&y));
    // Algorithm 1 with both kinds of symmetric noise.
    for (path, off_diagonal) in [("/reuse_cov_goe", half), ("/reuse_cov_upper", 1.0)] {
        let penalised =
            &gram / 5.0 + symmetric(&draws, 3, off_diagonal) * 0.05 + DMatrix::identity(3, 3) * 0.1;
        let factor = Cholesky::try_new(&penalised).unwrap();
        let noisy = &cross / 5.0 + &z2 * 0.2;
        let solved: Vec<_> = noisy.column_iter().map(|column| factor.solve(&column.into())).collect();
        golden.equals(path, &DMatrix::from_columns(&solved));
    }
    let sigma = golden.number("/joint_release/sigma");
    golden.equals("/joint_release/S", &(gram + symmetric(&draws, 3, half) * sigma));
    golden.equals("/joint_release/C", &(cross + z2 * (sigma / golden.number("/joint_release/w"))));
}

fn projections(golden: &Golden) {
    let (x, y, z2) = (golden.matrix("/data/X"), golden.matrix("/data/Y"), golden.matrix("/data/z2"));
    let noisy = |scale| x.tr_mul(&y) / 5.0 + &z2 * scale;
    let directions = |gram: DMatrix<f64>| Directions::try_new(&(gram / 5.0), 5).unwrap();

    let association = noisy(golden.number("/proj_label/scale"));
    let label = outcome_ball(&directions(x.tr_mul(&x)), &association, golden.number("/proj_label/By"));
    let label = label.unwrap();
    within("nu of the outcomes", label.ridge, golden.number("/proj_label/nu"), 1e-13, 1e-13);
    golden.equals("/proj_label/G", &(x.tr_mul(&x) / 5.0 * &label.coefficients));
    golden.equals("/proj_label/W", &label.coefficients);

    let (association, bound) =
        (noisy(golden.number("/proj_feature/scale")), golden.number("/proj_feature/Bx"));
    let narrow = feature_ball(&directions(y.tr_mul(&y)), &association, bound).unwrap();
    let wide = directions(&y * y.transpose());
    let wide = feature_ball_of_many_outcomes(&wide, &y, &association, bound).unwrap();
    for feature in [narrow, wide] {
        within("nu of the features", feature.ridge, golden.number("/proj_feature/nu"), 1e-13, 1e-13);
        golden.equals("/proj_feature/G", &feature.association);
    }

    let bound = golden.number("/proj_nuclear/R");
    golden.equals("/proj_nuclear/G", &nuclear_ball(&noisy(1.5), bound).unwrap());
    let bound = golden.number("/psd_trace/R");
    golden.equals("/psd_trace/out", &positive_trace(&golden.matrix("/psd_trace/S"), bound).unwrap());

    let (values, energies) = (golden.numbers("/secular/lam"), golden.numbers("/secular/h2"));
    let nu = solve_secular(&values, &energies, golden.number("/secular/B2")).unwrap();
    within("secular", nu, golden.number("/secular/nu"), 1e-15, 1e-15);
}
