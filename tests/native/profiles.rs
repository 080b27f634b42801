//! The profiles of theory/wishart 3 against simulation of the whole matrices.
//!
//! An attacker who knows everything but one person's presence compares densities: the chance that the loss exceeds ε with the
//! person, less e^ε times the chance without, is δ in one direction. The densities are those of matrices, so the reduction
//! to one chi-square variable is on trial, too. 100,000 draws a side; a sound profile is accused when the larger
//! direction is 5 standard errors away, with a chance below 6e-7 each; seeds are fixed. The tests see that they
//! would notice one degree of freedom more or less.

use std::num::NonZeroU32;

use discreet::inference::pseudo::Pseudo;
use discreet::privacy::adjacency::Adjacency::AddRemove;
use discreet::privacy::measure::Epsilon;
use discreet::privacy::profile::{WishartNoise, additive_wishart_delta, sketch_delta};
use nalgebra::{Cholesky, DMatrix, DVector};

const DRAWS: u32 = 100_000;

/// The larger direction's δ and its standard error, from losses of the person's presence drawn with and without.
fn simulated(epsilon: f64, mut with: impl FnMut() -> f64, mut without: impl FnMut() -> f64) -> (f64, f64) {
    // For each side: losses above ε, and below −ε.
    let mut counts = [[0_u32; 2]; 2];
    for _ in 0..DRAWS {
        for (side, loss) in [with(), without()].into_iter().enumerate() {
            counts[side][0] += u32::from(loss > epsilon);
            counts[side][1] += u32::from(-loss > epsilon);
        }
    }
    let n = f64::from(DRAWS);
    let share = |count: u32| f64::from(count) / n;
    let factor = libm::exp(epsilon);
    let delta = |more: u32, fewer: u32| {
        let (p, q) = (share(more), share(fewer));
        let variance = (p * (1.0 - p) + factor * factor * q * (1.0 - q)) / n;
        (p - factor * q, variance.sqrt())
    };
    let presence = delta(counts[0][0], counts[1][0]);
    let absence = delta(counts[1][1], counts[0][1]);
    if presence.0 > absence.0 { presence } else { absence }
}

/// A vector of independent standard normals.
fn normals(rng: &mut Pseudo, size: usize) -> DVector<f64> {
    DVector::from_fn(size, |_, _| rng.normal())
}

/// Second moments of `count` rows from N(0, root root').
fn wishart(rng: &mut Pseudo, root: &DMatrix<f64>, count: u32) -> DMatrix<f64> {
    let mut sum = DMatrix::zeros(root.nrows(), root.nrows());
    for _ in 0..count {
        let row = root * normals(rng, root.ncols());
        sum += &row * row.transpose();
    }
    sum
}

fn ln_det(root: &DMatrix<f64>) -> f64 {
    2.0 * root.diagonal().iter().map(|x| libm::log(*x)).sum::<f64>()
}

fn lower_root(matrix: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    Cholesky::new(matrix.clone()).map(|factor| factor.l())
}

/// Some matrix of second moments, and a person's row of that norm.
fn table(rng: &mut Pseudo, size: usize, norm: f64) -> (DMatrix<f64>, DVector<f64>) {
    let rows = DMatrix::from_fn(7, size, |_, _| rng.normal());
    let v = normals(rng, size);
    (rows.transpose() * rows, v.normalize() * norm)
}

#[test]
fn the_sketch() {
    for (case, (e, r, norm)) in
        [(0.1, 5, 2.0), (1.0, 20, 2.5), (0.5, 11, 2.5), (0.1, 1, 4.0)].into_iter().enumerate()
    {
        let mut rng = Pseudo::new(91, &[case as u64]);
        let (g, v) = table(&mut rng, 3, norm);
        let without = g + DMatrix::identity(3, 3);
        let with = &without + &v * v.transpose();
        let [root, root_with] = [&without, &with].map(|matrix| lower_root(matrix).unwrap());
        let change = without.clone().try_inverse().unwrap() - with.clone().try_inverse().unwrap();
        let log = f64::from(r) / 2.0 * (ln_det(&root_with) - ln_det(&root));
        let loss = |moments: &DMatrix<f64>| (moments * &change).trace() / 2.0 - log;
        let [mut one, mut other] = [Pseudo::new(92, &[case as u64]), Pseudo::new(93, &[case as u64])];
        let (delta, error) =
            simulated(e, || loss(&wishart(&mut one, &root_with, r)), || loss(&wishart(&mut other, &root, r)));
        let leverage = (without.try_inverse().unwrap() * &v).dot(&v);
        let claim = |rows: u32| {
            let rows = NonZeroU32::new(rows).unwrap();
            sketch_delta(Epsilon::try_new(e).unwrap(), leverage, rows, AddRemove).unwrap().get()
        };
        println!(
            "sketch {e} {r}: {delta} against {}, {} standard errors",
            claim(r),
            (delta - claim(r)) / error
        );
        assert!((delta - claim(r)).abs() < 5.0 * error, "{e} {r}: {delta} against {}", claim(r));
        assert!((delta - claim(r + 1)).abs() > 5.0 * error, "{e} {r}: one row more would pass");
    }
}

#[test]
fn additive_wishart_noise() {
    for (case, (e, k, norm)) in [(0.1, 6, 1.4), (0.3, 8, 1.0), (1.0, 5, 1.5)].into_iter().enumerate() {
        let size = 3;
        let mut rng = Pseudo::new(95, &[case as u64]);
        let (g, v) = table(&mut rng, size, norm);
        let person = &v * v.transpose();
        let power = (f64::from(k) - 4.0) / 2.0;
        // Noise W(I, k): the loss of a release is that of what is left when G is taken off.
        let loss = |release: DMatrix<f64>| {
            let left = release - &g;
            let ln =
                |matrix: &DMatrix<f64>| lower_root(matrix).map_or(f64::NEG_INFINITY, |root| ln_det(&root));
            power * (ln(&(&left - &person)) - ln(&left)) + v.norm_squared() / 2.0
        };
        let identity = DMatrix::identity(size, size);
        let [mut one, mut other] = [Pseudo::new(96, &[case as u64]), Pseudo::new(97, &[case as u64])];
        let (delta, error) = simulated(
            e,
            || loss(&g + &person + wishart(&mut one, &identity, k)),
            || loss(&g + wishart(&mut other, &identity, k)),
        );
        let claim = |k: u32| {
            let noise = WishartNoise::try_new(k, 3).unwrap();
            let epsilon = Epsilon::try_new(e).unwrap();
            additive_wishart_delta(epsilon, v.norm_squared(), noise, AddRemove).unwrap().get()
        };
        println!(
            "Wishart {e} {k}: {delta} against {}, {} standard errors",
            claim(k),
            (delta - claim(k)) / error
        );
        assert!((delta - claim(k)).abs() < 5.0 * error, "{e} {k}: {delta} against {}", claim(k));
        assert!((delta - claim(k + 1)).abs() > 5.0 * error, "{e} {k}: one degree of freedom more would pass");
    }
}
