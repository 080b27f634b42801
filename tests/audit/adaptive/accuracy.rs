//! How accurate the whole chain is on generated tables, in coded units: errors, and how often intervals cover.

use std::sync::Arc;

use discreet::data::statistics::RecordMap as _;
use discreet::math::special::normal_quantile;
use discreet::mechanisms::adaptive::terms::Terms;
use discreet::mechanisms::adaptive_gauss::gate::{Evidence, Far, Judged, Units};
use discreet::mechanisms::adaptive_gauss::progress::{Progress, Setting};
use discreet::mechanisms::adaptive_gauss::units::{Rounds, Shares};
use discreet::model::Interval;
use discreet::noise::entropy::DemoRng;
use discreet::privacy::adjacency::Adjacency;
use discreet::privacy::calibrate::{Budget, Split, budget_parts};
use discreet::privacy::measure::{Delta, Epsilon};
use nalgebra::{Cholesky, DMatrix, DVector};

use super::{Column, Draws, terms};

/// δ of all studies.
const DELTA: f64 = 1e-6;

/// One release of rows in coded units with this share for the scores in ten-thousandths, and what it says of each outcome; nothing for an
/// outcome whose coefficients are all withheld.
pub fn released(
    terms: &Terms,
    adjacency: Adjacency,
    epsilon: f64,
    scores: u32,
    rows: &[Vec<f64>],
    seed: u64,
) -> Vec<Option<Judged>> {
    let budget = Budget::EpsilonDelta {
        epsilon: Epsilon::try_new(epsilon).unwrap(),
        delta: Delta::try_new(DELTA).unwrap(),
    };
    let units = budget_parts(&budget, &Split::Gaussian).unwrap().capacity.gaussian;
    let shares = Shares { scores, ..Shares::default() };
    let rounds = Rounds::new(terms, adjacency, 1, shares, units).unwrap();
    let mu_last = (shares.split(units)[3] as f64 / (1_u64 << 40) as f64).sqrt();
    let setting = Arc::new(Setting {
        outcome_radius: None,
        terms: terms.clone(),
        shares,
        rounds,
        adjacency,
        max_rows_per_person: 1,
        mu_last,
        coded: Vec::new(),
        steps: Vec::new(),
    });
    let mut progress = Progress::new(Arc::clone(&setting));
    let mut rng = DemoRng::new(seed, 1);
    let (mut reals, mut codes, mut products) = (Vec::new(), Vec::new(), Vec::new());
    while let Some(map) = progress.map() {
        let mut sums = setting.rounds.in_order().nth(progress.number() as usize).unwrap().draw(&mut rng);
        for block in rows.chunks(map.block() as usize) {
            let mut cells = vec![0; map.cells()];
            for row in block {
                map.add_values(row, &mut reals, &mut codes, &mut products, &mut cells);
            }
            for (sum, cell) in sums.iter_mut().zip(cells) {
                *sum += i128::from(cell);
            }
        }
        progress.take_cells(sums);
    }
    let released = progress.released().unwrap();
    let solved = released.solve(&[], None).unwrap();
    let evidence = Evidence {
        terms,
        guide: &released.guide,
        map: &solved.map,
        moments: &solved.moments,
        scores: &solved.scores,
    };
    let of_outcome = |(outcome, radius): (usize, &f64)| {
        let far = Far { radius: *radius, unseen: released.radii.unseen };
        solved.gate.judge(evidence, outcome, far, &Units::coded(terms.coefficients()))
    };
    released.radii.outcomes.iter().enumerate().map(of_outcome).collect()
}

/// A standard normal number.
pub fn normal(draws: &mut Draws) -> f64 {
    normal_quantile((f64::midpoint(draws.next(), 1.0)).clamp(1e-12, 1.0 - 1e-12))
}

/// How the errors of a coverage table are distributed.
#[derive(Clone, Copy, Debug)]
pub enum Errors {
    /// Normal.
    Normal,
    /// Exponential less its mean.
    Skewed,
    /// Student's t with 3 degrees of freedom.
    Heavy,
    /// Normal, and the wider the farther the first feature is from its mean.
    Unequal,
}

/// The slopes of [`people`] in coded units.
const SLOPES: [f64; 5] = [0.2, 0.03, 0.1, 0.05, 0.04];

/// A table as that of the sample: three numbers and two categories of two levels, of which one is rarer, and an outcome whose true slopes
/// are [`SLOPES`].
fn people(rows: usize, errors: Errors, draws: &mut Draws) -> Vec<Vec<f64>> {
    let one = |draws: &mut Draws| {
        let age = (0.1 + 0.35 * normal(draws)).clamp(-1.0, 1.0);
        let sex = f64::from(draws.next() > 0.0);
        let bmi = (-0.4 + 0.2 * normal(draws) + 0.1 * age).clamp(-1.0, 1.0);
        let smoker = f64::from(draws.next() > 0.6);
        let salt = (-0.3 + 0.2 * normal(draws)).clamp(-1.0, 1.0);
        let error = match errors {
            Errors::Normal => normal(draws),
            Errors::Skewed => -libm::log(f64::midpoint(draws.next(), 1.0).max(1e-12)) - 1.0,
            Errors::Heavy => {
                let square: f64 = (0..3).map(|_| normal(draws).powi(2)).sum();
                normal(draws) / square.sqrt()
            }
            Errors::Unequal => normal(draws) * (0.2 + ((age - 0.1) / 0.35).abs()),
        };
        let fitted =
            SLOPES.iter().zip([age, sex, bmi, smoker, salt]).map(|(slope, x)| slope * x).sum::<f64>();
        vec![age, sex, bmi, smoker, salt, fitted - 0.1 + 0.08 * error]
    };
    (0..rows).map(|_| one(draws)).collect()
}

/// How often 95 % intervals cover the true slopes where rows are drawn again in each run, and the share of slopes that are withheld. Of
/// unequal errors the first slope alone is looked at.
pub fn coverage(
    adjacency: Adjacency,
    epsilon: f64,
    scores: u32,
    rows: usize,
    errors: Errors,
    runs: u64,
) -> (f64, f64) {
    let number = || Column::Number(-1.0, 1.0);
    let features = [number(), Column::Category(2), number(), Column::Category(2), number()];
    let terms = terms(&features, &[number()]);
    let looked_at = if matches!(errors, Errors::Unequal) { 1 } else { SLOPES.len() };
    let (mut covered, mut shown) = (0_u32, 0_u32);
    for run in 1..=runs {
        let table = people(rows, errors, &mut Draws(run.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        let judged = released(&terms, adjacency, epsilon, scores, &table, run).remove(0);
        let Some(judged) = judged else { continue };
        for (place, slope) in SLOPES.iter().enumerate().take(looked_at) {
            if judged.intervals[place + 1] != Interval::Withheld {
                shown += 1;
                let apart = (judged.estimates[place + 1] - slope).abs();
                covered += u32::from(apart <= 1.959_964 * judged.errors[place + 1]);
            }
        }
    }
    let all = (looked_at as u64 * runs) as f64;
    (f64::from(covered) / f64::from(shown.max(1)), 1.0 - f64::from(shown) / all)
}

/// The median error of the slopes in standard errors of the exact fit, of a table with 59 normal features of unequal slopes; nothing where one
/// is withheld.
pub fn wide_error(epsilon: f64, rows: usize, runs: u64) -> Option<f64> {
    const FEATURES: usize = 59;
    let mut draws = Draws(59);
    let table: Vec<Vec<f64>> = (0..rows)
        .map(|_| {
            let mut row: Vec<f64> =
                (0..FEATURES).map(|_| (normal(&mut draws) / 6.0).clamp(-1.0, 1.0)).collect();
            let fitted: f64 =
                row.iter().enumerate().map(|(j, x)| 0.1 * f64::from(u8::from(j % 3 == 0)) * x).sum();
            row.push((fitted + 0.14 * normal(&mut draws)).clamp(-1.0, 1.0));
            row
        })
        .collect();
    let columns: Vec<Column> = (0..FEATURES).map(|_| Column::Number(-1.0, 1.0)).collect();
    let terms = terms(&columns, &[Column::Number(-1.0, 1.0)]);
    let (exact, errors) = fitted(&table, FEATURES + 1);
    let mut found = Vec::new();
    for run in 1..=runs {
        let judged = released(&terms, Adjacency::AddRemove, epsilon, 0, &table, run).remove(0)?;
        if judged.intervals.contains(&Interval::Withheld) {
            return None;
        }
        found.extend((1..=FEATURES).map(|j| (judged.estimates[j] - exact[j]).abs() / errors[j]));
    }
    found.sort_by(f64::total_cmp);
    Some(found[found.len() / 2])
}

/// Coefficients of least squares and their standard errors.
fn fitted(rows: &[Vec<f64>], k: usize) -> (Vec<f64>, Vec<f64>) {
    let mut square = DMatrix::<f64>::zeros(k, k);
    let mut cross = DVector::<f64>::zeros(k);
    let mut outcomes = 0.0;
    for row in rows {
        let x = |j: usize| if j == 0 { 1.0 } else { row[j - 1] };
        let y = row[k - 1];
        outcomes += y * y;
        for i in 0..k {
            cross[i] += x(i) * y;
            for j in 0..=i {
                square[(i, j)] += x(i) * x(j);
            }
        }
    }
    for i in 0..k {
        for j in 0..i {
            square[(j, i)] = square[(i, j)];
        }
    }
    let inverse = Cholesky::new(square).unwrap().inverse();
    let beta = &inverse * &cross;
    let variance: f64 = (outcomes - cross.dot(&beta)) / (rows.len() - k) as f64;
    let errors = (0..k).map(|j| (variance * inverse[(j, j)]).sqrt()).collect();
    (beta.iter().copied().collect(), errors)
}
