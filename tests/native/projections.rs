//! The laws of `math::projection`, against the problems written out in full.

use discreet::inference::pseudo::Pseudo;
use discreet::math::linalg::{Cholesky, Eigen};
use discreet::math::projection::{
    Directions, FeatureProjection, feature_ball, feature_ball_of_many_outcomes, james_stein, nuclear_ball,
    outcome_ball, outcome_balls, positive_trace, sure_ridge,
};
use nalgebra::{DMatrix, DVector};

/// n, d, l: usual ones, fewer rows than features, fewer rows than outcomes, one of each.
const SHAPES: [(usize, usize, usize); 6] = [(9, 3, 2), (8, 2, 5), (3, 4, 2), (3, 2, 5), (6, 1, 1), (5, 3, 3)];

struct Problem {
    x: DMatrix<f64>,
    y: DMatrix<f64>,
    /// X′Y/n.
    truth: DMatrix<f64>,
    noisy: DMatrix<f64>,
}

fn normal(rng: &mut Pseudo, rows: usize, columns: usize) -> DMatrix<f64> {
    DMatrix::from_fn(rows, columns, |_, _| rng.normal())
}

/// A longest row has length 1 on both sides.
fn problem(shape: (usize, usize, usize), noise: f64, stream: u64) -> Problem {
    let (n, d, l) = shape;
    let mut rng = Pseudo::new(5, &[stream, n as u64, d as u64, l as u64]);
    let (mut x, mut y) = (normal(&mut rng, n, d), normal(&mut rng, n, l));
    for side in [&mut x, &mut y] {
        let longest = side.row_iter().map(|row| row.norm()).fold(0.0, f64::max);
        *side /= longest;
    }
    let truth = x.tr_mul(&y) / n as f64;
    let noisy = &truth + normal(&mut rng, d, l) * noise;
    Problem { x, y, truth, noisy }
}

impl Problem {
    fn n(&self) -> f64 {
        self.x.nrows() as f64
    }

    /// Σ.
    fn gram(&self) -> DMatrix<f64> {
        self.x.tr_mul(&self.x) / self.n()
    }

    fn features(&self) -> Directions {
        directions(&self.x.tr_mul(&self.x), self.x.nrows())
    }

    fn outcomes(&self) -> Directions {
        directions(&self.y.tr_mul(&self.y), self.x.nrows())
    }

    /// The projection for known outcomes, by either Gram matrix.
    fn feature_balls(&self, noisy: &DMatrix<f64>, bound: f64) -> [FeatureProjection; 2] {
        let rows = directions(&(&self.y * self.y.transpose()), self.x.nrows());
        [
            feature_ball(&self.outcomes(), noisy, bound).unwrap(),
            feature_ball_of_many_outcomes(&rows, &self.y, noisy, bound).unwrap(),
        ]
    }
}

fn directions(sums: &DMatrix<f64>, rows: usize) -> Directions {
    Directions::try_new(&(sums / rows as f64), rows as u64).unwrap()
}

fn near(a: &DMatrix<f64>, b: &DMatrix<f64>, tolerance: f64) {
    assert!((a - b).amax() <= tolerance, "{:e} apart", (a - b).amax());
}

/// C = I ⊗ Z′/n, which takes the columns of U, one below the other, to those of Z′U/n.
fn kronecker(z: &DMatrix<f64>, columns: usize) -> DMatrix<f64> {
    DMatrix::identity(columns, columns).kronecker(&(z.transpose() / z.nrows() as f64))
}

/// Z′U/n nearest to `target` with ‖U‖_F <= R, by the eigenvalues of C′C and bisection on the multiplier (Hager 2001). Where it
/// is `on_the_sphere`, ‖U‖_F = R, and the multiplier may be negative.
fn hager(z: &DMatrix<f64>, target: &DMatrix<f64>, radius: f64, on_the_sphere: bool) -> DMatrix<f64> {
    let c = kronecker(z, target.ncols());
    let right = c.tr_mul(&DVector::from_column_slice(target.as_slice()));
    let eigen = Eigen::try_new(&c.tr_mul(&c)).unwrap();
    let turned = eigen.vectors.tr_mul(&right);
    let most = eigen.largest();
    let solution = |mu: f64| {
        let entry = |(value, b): (&f64, &f64)| if *value > 1e-12 * most { b / (value + mu) } else { 0.0 };
        DVector::from_iterator(turned.len(), eigen.values.iter().zip(turned.iter()).map(entry))
    };
    let mut mu = 0.0;
    if on_the_sphere || solution(0.0).norm() > radius {
        let mut low = if on_the_sphere { -eigen.smallest() * (1.0 - 1e-12) } else { 0.0 };
        let mut high = 1.0 + turned.norm() / radius;
        for _ in 0..200 {
            mu = f64::midpoint(low, high);
            if solution(mu).norm() > radius { low = mu } else { high = mu }
        }
    }
    let image = c * (&eigen.vectors * solution(mu));
    DMatrix::from_column_slice(target.nrows(), target.ncols(), image.as_slice())
}

/// The same by accelerated projected gradient on U itself.
fn projected_gradient(z: &DMatrix<f64>, target: &DMatrix<f64>, radius: f64) -> DMatrix<f64> {
    let n = z.nrows() as f64;
    let image = |u: &DMatrix<f64>| z.tr_mul(u) / n;
    let lipschitz = Eigen::try_new(&(z * z.transpose())).unwrap().largest() / (n * n);
    let mut u = DMatrix::zeros(z.nrows(), target.ncols());
    let (mut ahead, mut momentum) = (u.clone(), 1.0_f64);
    for _ in 0..20_000 {
        let mut next: DMatrix<f64> = &ahead - (z * (image(&ahead) - target) / n) / lipschitz;
        let length = next.norm();
        if length > radius {
            next *= radius / length;
        }
        let larger = f64::midpoint(1.0, (1.0 + 4.0 * momentum * momentum).sqrt());
        ahead = &next + (&next - &u) * ((momentum - 1.0) / larger);
        // Where the step turns back, the momentum is lost (O'Donoghue, Candès 2015).
        momentum = if (&ahead - &next).dot(&(&next - &u)) < 0.0 { 1.0 } else { larger };
        u = next;
    }
    image(&u)
}

#[test]
fn both_projections_solve_the_problem_written_out() {
    for shape in SHAPES {
        for (noise, bound) in [(1.0, 0.5), (0.2, 1.0), (30.0, 1.0), (0.001, 1.0)] {
            let problem = problem(shape, noise, 1);
            let radius = problem.n().sqrt() * bound;
            let label = outcome_ball(&problem.features(), &problem.noisy, bound).unwrap();
            let found = problem.gram() * label.coefficients;
            near(&found, &hager(&problem.x, &problem.noisy, radius, false), 1e-12);
            near(&found, &projected_gradient(&problem.x, &problem.noisy, radius), 1e-7);
            let turned = problem.noisy.transpose();
            let [narrow, wide] = problem.feature_balls(&problem.noisy, bound);
            near(&narrow.association, &hager(&problem.y, &turned, radius, false).transpose(), 1e-12);
            near(&narrow.association, &projected_gradient(&problem.y, &turned, radius).transpose(), 1e-7);
            near(&narrow.association, &wide.association, 1e-12);
            assert!((narrow.ridge - wide.ridge).abs() <= 1e-9 * narrow.ridge.max(1e-3));
        }
    }
}

#[test]
fn the_projection_for_known_features_is_ridge_regression() {
    let mut active = 0;
    for (stream, noise) in [0.01, 0.1, 0.3, 1.0, 10.0].into_iter().enumerate() {
        let problem = problem((40, 4, 6), noise, stream as u64);
        let gram = problem.gram();
        let label = outcome_ball(&problem.features(), &problem.noisy, 1.0).unwrap();
        let penalised = &gram + DMatrix::identity(4, 4) * label.ridge;
        let ridge = Cholesky::try_new(&penalised).unwrap().inverse() * &problem.noisy;
        near(&label.coefficients, &ridge, 1e-11 * ridge.amax());
        let fitted = (&problem.x * &label.coefficients).norm();
        if label.ridge > 0.0 {
            active += 1;
            assert!((fitted - problem.n().sqrt()).abs() < 1e-12 * fitted);
        } else {
            assert!(fitted <= problem.n().sqrt());
            near(&(&gram * &label.coefficients), &problem.noisy, 1e-14);
        }
    }
    assert!((1..5).contains(&active), "{active}");
}

#[test]
fn each_outcome_alone_is_a_table_of_one_outcome() {
    let problem = problem((30, 4, 7), 0.5, 3);
    let bounds: Vec<f64> = (0..7).map(|j| 0.1 * f64::from(j)).collect();
    let all = outcome_balls(&problem.features(), &problem.noisy, &bounds).unwrap();
    for (j, bound) in bounds.iter().enumerate() {
        let column = problem.noisy.columns(j, 1).into_owned();
        let one = outcome_ball(&problem.features(), &column, *bound).unwrap();
        assert_eq!(one.ridge.is_infinite(), j == 0);
        assert!(j == 0 || (one.ridge - all.ridges[j]).abs() <= 1e-14 * one.ridge);
        near(&all.coefficients.columns(j, 1).into_owned(), &one.coefficients, 1e-12);
    }
    assert!(all.coefficients.columns(0, 1).amax() <= 0.0 && all.ridges[0].is_infinite());
    assert!(outcome_balls(&problem.features(), &problem.noisy, &bounds[1..]).is_err());
}

type Projection<'a> = Box<dyn Fn(&DMatrix<f64>) -> DMatrix<f64> + 'a>;

/// Every projection of a problem, as a function of the noisy matrix.
fn all_projections(problem: &Problem) -> Vec<Projection<'_>> {
    vec![
        Box::new(|noisy| {
            problem.gram() * outcome_ball(&problem.features(), noisy, 1.0).unwrap().coefficients
        }),
        Box::new(|noisy| {
            // Bounds that hold for each column of Y by itself.
            let n = problem.n().sqrt();
            let bounds: Vec<f64> = problem.y.column_iter().map(|column| column.norm() / n * 1.01).collect();
            problem.gram() * outcome_balls(&problem.features(), noisy, &bounds).unwrap().coefficients
        }),
        Box::new(|noisy| problem.feature_balls(noisy, 1.0)[0].association.clone()),
        Box::new(|noisy| problem.feature_balls(noisy, 1.0)[1].association.clone()),
        Box::new(|noisy| nuclear_ball(noisy, 1.0).unwrap()),
    ]
}

#[test]
fn a_projection_never_leads_away_from_the_truth() {
    for shape in SHAPES {
        for (stream, noise) in [0.0, 0.05, 0.5, 5.0, 500.0].into_iter().enumerate() {
            let problem = problem(shape, noise, 10 + stream as u64);
            let other = problem_with_the_same_table(&problem, noise);
            for project in all_projections(&problem) {
                let (found, second) = (project(&problem.noisy), project(&other));
                let slack = 1e-12 * (1.0 + problem.noisy.norm());
                assert!((&found - &problem.truth).norm() <= (&problem.noisy - &problem.truth).norm() + slack);
                // Two points do not move apart, and a second projection changes nothing.
                assert!((&found - second).norm() <= (&problem.noisy - &other).norm() + slack);
                near(&project(&found), &found, slack);
            }
        }
    }
}

fn problem_with_the_same_table(problem: &Problem, noise: f64) -> DMatrix<f64> {
    let (d, l) = problem.truth.shape();
    &problem.truth + normal(&mut Pseudo::new(6, &[d as u64, l as u64]), d, l) * noise
}

#[test]
fn a_sphere_in_place_of_the_ball_spoils_what_was_right() {
    // As many rows as features: C′C has an inverse, and all of U that gives G is known.
    let problem = problem((3, 4, 2), 0.0, 4);
    let radius = 8.0 * problem.n().sqrt();
    let ball = outcome_ball(&problem.features(), &problem.truth, 8.0).unwrap();
    assert!(ball.ridge <= 0.0);
    near(&(problem.gram() * ball.coefficients), &problem.truth, 1e-14);
    let sphere = hager(&problem.x, &problem.truth, radius, true);
    assert!((sphere - &problem.truth).norm() > 0.1);
}

#[test]
fn the_nuclear_ball_and_the_trace_hold_their_bounds() {
    for stream in 0..20 {
        let mut rng = Pseudo::new(7, &[stream]);
        let scale = libm::pow(10.0, rng.normal());
        for (d, l) in [(3, 8), (8, 3), (5, 5), (1, 4)] {
            let noisy = normal(&mut rng, d, l) * scale;
            let found = nuclear_ball(&noisy, 1.0).unwrap();
            let nuclear = |m: &DMatrix<f64>| m.clone().singular_values().sum();
            assert!(nuclear(&found) <= 1.0 + 1e-12);
            if nuclear(&noisy) < 1.0 {
                near(&found, &noisy, 0.0);
            }
            // No other point of the ball lies on the noisy matrix's side of the nearest one.
            let other = normal(&mut rng, d, l);
            let other = &other / nuclear(&other);
            assert!((&noisy - &found).dot(&(other - &found)) <= 1e-10 * (1.0 + noisy.norm()));
        }
        let half = normal(&mut rng, 5, 5) * scale;
        let noisy = &half + half.transpose();
        let found = positive_trace(&noisy, 1.5).unwrap();
        assert!(found.trace() <= 1.5 + 1e-12 && Eigen::try_new(&found).unwrap().smallest() >= -1e-14);
        near(&positive_trace(&found, 1.5).unwrap(), &found, 1e-13);
        let other = normal(&mut rng, 5, 5);
        let other = &other * other.transpose();
        let other = &other * (1.5 / other.trace());
        assert!((&noisy - &found).dot(&(other - &found)) <= 1e-10 * (1.0 + noisy.norm()));
        let truth = DMatrix::identity(5, 5) * 0.3;
        assert!((&found - &truth).norm() <= (&noisy - &truth).norm() + 1e-12);
    }
}

#[test]
fn directions_without_eigenvalue_vanish() {
    let mut problem = problem((20, 3, 4), 1.0, 8);
    let first = problem.x.column(0).into_owned();
    problem.x.set_column(2, &first);
    let bound = 1e6;
    let label = outcome_ball(&problem.features(), &problem.noisy, bound).unwrap();
    assert!(label.ridge <= 0.0);
    // The two equal features get equal coefficients.
    let found = &label.coefficients;
    assert!((found.row(0) - found.row(2)).amax() < 1e-10 && found.iter().all(|x| x.is_finite()));
    for shrunk in [
        sure_ridge(&problem.features(), &problem.noisy, &[0.1; 3]).unwrap().shrunk,
        james_stein(&problem.features(), &problem.noisy, &[0.1; 3]).unwrap(),
    ] {
        assert_eq!(shrunk.factors.iter().filter(|factor| **factor <= 0.0).count(), 1);
        assert!(shrunk.coefficients.iter().all(|x| x.is_finite()));
    }
    let zero = DMatrix::zeros(3, 3);
    let none = outcome_ball(&Directions::try_new(&zero, 20).unwrap(), &problem.noisy, 1.0).unwrap();
    assert!(none.coefficients.amax() <= 0.0);
}

#[test]
fn stein_s_estimate_is_minimised() {
    for (stream, noise) in [0.0, 0.02, 0.1, 0.5, 5.0].into_iter().enumerate() {
        let problem = problem((60, 5, 30), noise, 20 + stream as u64);
        let features = problem.features();
        let found = sure_ridge(&features, &problem.noisy, &[noise; 5]).unwrap();
        let turned = features.vectors().tr_mul(&problem.noisy);
        let risk = |nu: f64| -> f64 {
            let values = features.values().iter().enumerate();
            values
                .map(|(k, value)| {
                    let f = value / (value + nu);
                    let energy = turned.row(k).norm_squared();
                    ((1.0 - f) * (1.0 - f) * energy + (2.0 * f - 1.0) * 30.0 * noise * noise) / value
                })
                .sum()
        };
        let least = (-6000..6000).map(|at| risk(libm::exp(f64::from(at) / 400.0))).fold(risk(0.0), f64::min);
        assert!(risk(found.ridge) <= least + 1e-12 * least.abs(), "{noise}: {}", found.ridge);
        let excess = |w: &DMatrix<f64>| (&problem.x * (w - &exact(&problem))).norm();
        assert!(
            excess(&found.shrunk.coefficients) <= excess(&(exact_with(&problem, &problem.noisy))) + 1e-12
        );
    }
    // Nothing but noise: no ridge is large enough.
    let problem = problem((60, 5, 400), 0.0, 30);
    let noise = normal(&mut Pseudo::new(8, &[]), 5, 400);
    let found = sure_ridge(&problem.features(), &noise, &[1.1; 5]).unwrap();
    assert!(found.ridge.is_infinite() && found.shrunk.coefficients.amax() <= 0.0);
}

fn exact(problem: &Problem) -> DMatrix<f64> {
    exact_with(problem, &problem.truth)
}

/// Least squares from an association.
fn exact_with(problem: &Problem, association: &DMatrix<f64>) -> DMatrix<f64> {
    Cholesky::try_new(&problem.gram()).unwrap().inverse() * association
}

#[test]
fn james_and_stein_do_better_than_least_squares() {
    let (mut shrunk, mut plain) = (0.0, 0.0);
    for stream in 0..40 {
        let noise = 0.05;
        let problem = problem((60, 4, 25), noise, 40 + stream);
        let found = james_stein(&problem.features(), &problem.noisy, &[noise; 4]).unwrap();
        shrunk += (&problem.x * (&found.coefficients - exact(&problem))).norm_squared();
        plain += (&problem.x * (exact_with(&problem, &problem.noisy) - exact(&problem))).norm_squared();
        let turned = problem.features().vectors().tr_mul(&problem.noisy);
        for (row, factor) in turned.row_iter().zip(&found.factors) {
            let expected = (1.0 - 23.0 * noise * noise / row.norm_squared()).max(0.0);
            assert!((factor - expected).abs() < 1e-12, "{factor} {expected}");
        }
    }
    assert!(shrunk < 0.9 * plain, "{shrunk} {plain}");
    let few = problem((20, 3, 2), 1.0, 50);
    let found = james_stein(&few.features(), &few.noisy, &[1.0; 3]).unwrap();
    near(&(few.gram() * found.coefficients), &few.noisy, 1e-14);
}

#[test]
fn a_hundred_thousand_outcomes_are_no_trouble() {
    let (n, d, l) = (60_usize, 26, 100_000);
    let mut rng = Pseudo::new(9, &[]);
    let x = normal(&mut rng, n, d);
    let noisy = normal(&mut rng, d, l);
    let features = directions(&x.tr_mul(&x), n);
    let bounds = vec![1.0; l];
    let one = outcome_ball(&features, &noisy, (l as f64).sqrt()).unwrap();
    let each = outcome_balls(&features, &noisy, &bounds).unwrap();
    let fitted = &x * each.coefficients;
    assert!(fitted.column_iter().all(|column| column.norm() <= (n as f64).sqrt() * (1.0 + 1e-10)));
    assert!(one.ridge > 0.0 && each.ridges.iter().any(|ridge| *ridge > one.ridge));
    let found = nuclear_ball(&noisy, 10.0).unwrap();
    let gram = Eigen::try_new(&(&found * found.transpose())).unwrap();
    let sum: f64 = gram.values.iter().map(|value| value.max(0.0).sqrt()).sum();
    assert!((sum - 10.0).abs() < 1e-5);
    assert!(sure_ridge(&features, &noisy, &[1.0; 26]).unwrap().ridge > 0.0);
    assert_eq!(james_stein(&features, &noisy, &[1.0; 26]).unwrap().coefficients.shape(), (d, l));
}

#[test]
fn hostile_matrices_are_errors() {
    let problem = problem((9, 3, 2), 1.0, 1);
    let (features, outcomes) = (problem.features(), problem.outcomes());
    let mut bad = problem.noisy.clone();
    for entry in [f64::NAN, f64::INFINITY] {
        bad[(1, 1)] = entry;
        assert!(outcome_ball(&features, &bad, 1.0).is_err());
        assert!(outcome_balls(&features, &bad, &[1.0, 1.0]).is_err());
        assert!(feature_ball(&outcomes, &bad, 1.0).is_err());
        assert!(nuclear_ball(&bad, 1.0).is_err());
        assert!(sure_ridge(&features, &bad, &[1.0; 3]).is_err());
        assert!(james_stein(&features, &bad, &[1.0; 3]).is_err());
    }
    let good = &problem.noisy;
    for bound in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(outcome_ball(&features, good, bound).is_err());
        assert!(outcome_balls(&features, good, &[1.0, bound]).is_err());
        assert!(feature_ball(&outcomes, good, bound).is_err());
        assert!(nuclear_ball(good, bound).is_err());
        assert!(positive_trace(&DMatrix::identity(2, 2), bound).is_err());
        assert!(sure_ridge(&features, good, &[bound; 3]).is_err());
    }
    // Sides that do not belong together.
    assert!(
        sure_ridge(&features, good, &[1.0; 2]).is_err() && james_stein(&features, good, &[1.0; 4]).is_err()
    );
    assert!(outcome_ball(&outcomes, good, 1.0).is_err() && feature_ball(&features, good, 1.0).is_err());
    assert!(feature_ball_of_many_outcomes(&outcomes, &problem.y, good, 1.0).is_err());
    assert!(feature_ball_of_many_outcomes(&features, &problem.x, good, 1.0).is_err());
    assert!(positive_trace(&DMatrix::zeros(2, 3), 1.0).is_err());
    assert!(nuclear_ball(&DMatrix::zeros(0, 3), 1.0).is_err());
}
