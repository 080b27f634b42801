//! T9: the table of theory/inference 2.5: nominal 95 % intervals cover 93 to 97 % where kappa is 2 or more.

use discreet::inference::moments::MomentTerm;
use discreet::inference::pseudo::Pseudo;
use discreet::inference::{CellNoise, Fit, NoisyMoments, Options, fit};
use discreet::model::Interval;

use super::{Audit, Depth, Saw, audit, judged};

/// Rows, predictors, noise off the diagonal in units of R², residual standard deviation: noise large beside the
/// sampling error, and small.
const TABLE: [(u32, usize, f64, f64); 7] = [
    (1_000, 5, 4.22, 0.15),
    (2_000, 5, 4.22, 0.15),
    (5_000, 5, 4.22, 0.15),
    (5_000, 10, 4.22, 0.1),
    (2_000, 5, 1.19, 0.07),
    (20_000, 5, 4.22, 0.15),
    (20_000, 5, 36.3, 0.15),
];

/// The true slopes.
pub const SLOPES: [f64; 10] = [0.4, -0.3, 0.2, 0.0, 0.1, -0.2, 0.3, 0.0, 0.1, -0.1];

pub fn audits(depth: Depth) -> Vec<Audit> {
    let row = |(n, d, sigma, residual)| {
        audit(format!("T9 n {n} d {d} sigma {sigma}"), move || covers(depth, n, d, sigma, residual))
    };
    let most_rows = if depth == Depth::Full { u32::MAX } else { 5_000 };
    TABLE.into_iter().filter(|(n, ..)| *n <= most_rows).map(row).collect()
}

/// For each slope, in how many of the trials its interval held it.
///
/// Two points are four standard errors of 2,000 trials: of each slope in a full run, of all together in a quick one.
fn covers(depth: Depth, n: u32, d: usize, sigma: f64, residual: f64) -> Saw {
    let trials = if depth == Depth::Full { 2_000 } else { 2_000 / u32::try_from(d).unwrap() };
    let noise = CellNoise::Goe { s: sigma * sigma / 2.0 };
    let mut inside = vec![0_u32; d];
    for trial in 0..trials {
        let mut rng = Pseudo::new(11, &[n.into(), d as u64, trial.into()]);
        let mut cells = sphere_cells(n, &SLOPES[..d], residual, &mut rng);
        add_noise(&mut cells, d + 1, noise, &mut rng);
        let fit = fit_slopes(n, d, &cells, noise);
        if fit.interval != Interval::Normal {
            return Err(format!("an interval is {:?} where kappa should be 2 or more", fit.interval));
        }
        let uncertainty = fit.uncertainty.unwrap();
        for (count, (slope, (lower, upper))) in
            inside.iter_mut().zip(SLOPES.iter().zip(uncertainty.lower.iter().zip(&uncertainty.upper)))
        {
            *count += u32::from((lower..=upper).contains(&slope));
        }
    }
    let share = |count: u32, trials: u32| f64::from(count) / f64::from(trials);
    let all = share(inside.iter().sum(), trials * u32::try_from(d).unwrap());
    let each: Vec<f64> = inside.iter().map(|count| share(*count, trials)).collect();
    let (least, most) =
        each.iter().fold((1.0_f64, 0.0_f64), |(least, most), one| (least.min(*one), most.max(*one)));
    let range = 0.93..=0.97;
    let sound = if depth == Depth::Full {
        range.contains(&least) && range.contains(&most)
    } else {
        range.contains(&all)
    };
    let [all, least, most] = [all, least, most].map(|share| 100.0 * share);
    judged(sound, format!("{all:.1} % of the intervals hold their slope, {least:.1} to {most:.1} % by slope"))
}

fn fit_slopes(n: u32, d: usize, cells: &[f64], noise: CellNoise) -> Fit {
    let moments = NoisyMoments::try_new(coded_terms(d + 1), cells, noise).unwrap();
    let options = Options { rows: Some(n.into()), ..Options::default() };
    fit(&moments, d, &(0..d).collect::<Vec<_>>(), false, options).unwrap()
}

/// Terms whose own unit is R: no constant, centre 0.
pub fn coded_terms(count: usize) -> Vec<MomentTerm> {
    (0..count).map(|i| MomentTerm { name: format!("z{i}"), centre: 0.0, scale: 1.0, reach: 0.5 }).collect()
}

/// Moments of n rows: predictors on a sphere of squared norm 0.6, the outcome a linear function plus noise.
pub fn sphere_cells(n: u32, slopes: &[f64], sigma: f64, rng: &mut Pseudo) -> Vec<f64> {
    let d = slopes.len();
    let mut cells = vec![0.0; (d + 1) * (d + 2) / 2];
    let mut row = vec![0.0; d + 1];
    for _ in 0..n {
        row[..d].fill_with(|| rng.normal());
        let scale = (0.6 / row[..d].iter().map(|x| x * x).sum::<f64>()).sqrt();
        row[..d].iter_mut().for_each(|x| *x *= scale);
        row[d] = row.iter().zip(slopes).map(|(x, slope)| x * slope).sum::<f64>() + sigma * rng.normal();
        add_products(&mut cells, &row);
    }
    cells
}

/// Adds a row's products to a packed upper triangle.
pub fn add_products(cells: &mut [f64], row: &[f64]) {
    let mut cells = cells.iter_mut();
    for (i, left) in row.iter().enumerate() {
        for (right, cell) in row[i..].iter().zip(&mut cells) {
            *cell += left * right;
        }
    }
}

/// Adds noise to a packed upper triangle.
pub fn add_noise(cells: &mut [f64], size: usize, noise: CellNoise, rng: &mut Pseudo) {
    let mut cells = cells.iter_mut();
    for i in 0..size {
        for (j, cell) in (i..size).zip(&mut cells) {
            let sd = if i == j { noise.diagonal_sd(0.0) } else { noise.off_diagonal_sd() };
            *cell += sd * rng.normal();
        }
    }
}
