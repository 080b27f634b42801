//! Where the steps settle without noise, what tables without a fit give, and what the rounds are charged.

use std::sync::Arc;

use discreet::mechanisms::adaptive::units::Round;
use discreet::mechanisms::adaptive_logistic::estimate::{State, Stepped, Sums};
use discreet::mechanisms::adaptive_logistic::progress::{Progress, Released, Setting};
use discreet::mechanisms::adaptive_logistic::step::Grid;
use discreet::mechanisms::adaptive_logistic::units::Rounds;
use discreet::noise::entropy::DemoRng;
use discreet::privacy::adjacency::Adjacency;
use discreet::privacy::calibrate::{NoiseScale, UNIT_BITS};
use discreet::privacy::measure::Epsilon;
use nalgebra::{DMatrix, DVector};

use super::sensitivity::step;
use super::{cells, run, terms};
use crate::adaptive_checks::identities::some_guide;
use crate::adaptive_checks::{Column, Draws};

fn setting(labels: usize, units: u128, lambda: f64) -> Arc<Setting> {
    let terms = terms(&[Column::Number(-1.0, 1.0), Column::Category(3)], labels);
    let rounds = Rounds::new(&terms, Adjacency::AddRemove, 1, 3, units).unwrap();
    let mu_last = (0.69 * units as f64 * libm::ldexp(1.0, -i32::try_from(UNIT_BITS).unwrap())).sqrt();
    Arc::new(Setting {
        terms,
        rounds,
        adjacency: Adjacency::AddRemove,
        mu_last,
        lambda,
        coded: Vec::new(),
        steps: Vec::new(),
    })
}

/// A number, two levels and a label that they explain.
fn table(rows: usize, draws: &mut Draws, label: impl Fn(f64, &mut Draws) -> f64) -> Vec<Vec<f64>> {
    let one = |_| {
        let (x, level) = (draws.next(), draws.next());
        let (first, second) = (f64::from(level < -0.5), f64::from(level > 0.3));
        vec![x, first, second, label(1.5 * x + first - 0.7 * second, draws)]
    };
    (0..rows).map(one).collect()
}

fn drawn(eta: f64, draws: &mut Draws) -> f64 {
    if f64::midpoint(draws.next(), 1.0) < 1.0 / (1.0 + libm::exp(-eta)) { 1.0 } else { -1.0 }
}

/// Without noise the steps settle, for every guide and every radius, where the fit of maximum likelihood is whose weights are min(1,
/// R_x/‖w‖)².
pub fn settles_at_the_weighted_fit() {
    let mut draws = Draws(5);
    let rows = table(800, &mut draws, drawn);
    let setting = setting(1, 1 << 44, 0.0);
    // Noise so small that it raises no eigenvalue.
    let round = Round { scale: NoiseScale::try_new(1 << 40).unwrap(), ..setting.rounds.steps[2].clone() };
    for radius in [1.5, 2.5, 40.0] {
        let guide = some_guide(&setting.terms, &mut draws);
        let grid = Grid::new(4, setting.rounds.codes, radius);
        let mut b = vec![0.0; 4];
        let mut found = Vec::new();
        for _ in 0..25 {
            let map = step(&setting, guide.clone(), radius, b.clone());
            let sums = Sums::new(round.s(), &grid, 4, &cells(&map, &rows));
            let gradient = DVector::from_vec(sums.gradient.clone());
            let stepped = Stepped::new(&b, sums, 0.0).unwrap();
            // Before the coefficients are rounded to 26 bits.
            let d = &stepped.inverse * gradient;
            found = b.iter().zip(d.iter()).map(|(b, d)| b + d).collect();
            b = stepped.b;
        }
        // In the test's own arithmetic, with records rounded to the same grid.
        let map = guide.map();
        let records: Vec<(DVector<f64>, DVector<f64>, f64, f64)> = rows
            .iter()
            .map(|row| {
                let t = DVector::from_vec(vec![1.0, row[0], row[1], row[2]]);
                let w = &map * t;
                let kept = (radius / w.norm()).min(1.0);
                let u = w.map(|w| (w * kept * grid.unit).round_ties_even() / grid.unit);
                (w, u, kept, row[3])
            })
            .collect();
        let mut fit = DVector::zeros(4);
        for _ in 0..60 {
            let (mut h, mut g) = (DMatrix::zeros(4, 4), DVector::zeros(4));
            for (w, u, kept, y) in &records {
                let q = 1.0 / (1.0 + libm::exp(y * w.dot(&fit)));
                g += u * (y * q * kept);
                h += u * u.transpose() * (q * (1.0 - q));
            }
            fit += h.lu().solve(&g).unwrap();
        }
        let largest = fit.amax();
        for (found, fit) in found.iter().zip(fit.iter()) {
            assert!((found - fit).abs() <= 1e-9 * largest, "{radius}: {found} for {fit}");
        }
    }
}

/// Runs a release on these rows with noise of this seed.
fn released(setting: &Arc<Setting>, rows: &[Vec<f64>], seed: u64) -> Released {
    let mut progress = Progress::new(Arc::clone(setting));
    let mut rng = DemoRng::new(29, seed);
    run(&mut progress, rows, |round, _| {
        setting.rounds.in_order().nth(round as usize).unwrap().draw(&mut rng)
    });
    progress.released().unwrap()
}

/// Rates, counts, curvatures and coefficients go by noisy answers: other noise changes each of them.
pub fn other_noise_changes_everything() {
    let rows = table(500, &mut Draws(2), drawn);
    let setting = setting(1, 1 << 43, 0.0);
    let [one, other] = [1, 2].map(|seed| released(&setting, &rows, seed));
    assert_ne!(one.rates, other.rates);
    assert_ne!(one.counts.features, other.counts.features);
    assert_ne!(one.guide, other.guide);
    assert_ne!(one.start, other.start);
    assert_ne!(one.steps[0][0].sums, other.steps[0][0].sums);
    assert_ne!(one.steps[2][0].b, other.steps[2][0].b);
}

/// Tables without a fit: the label is a function of the features, the same for everybody, missing for everybody, or there are no rows.
/// Nothing is no number, and nearly nothing is shown.
pub fn tables_without_a_fit_are_withheld() {
    let mut draws = Draws(8);
    let separated = table(3_000, &mut draws, |eta, _| if eta > 0.2 { 1.0 } else { -1.0 });
    let yes = table(500, &mut draws, |_, _| 1.0);
    let missing = table(500, &mut draws, |_, _| 0.0);
    let one = table(1, &mut draws, drawn);
    // μ of about 2.6, and of about 0.6.
    for units in [7_u128 << 40, 1 << 39] {
        let setting = setting(1, units, 0.0);
        for (name, rows) in [
            ("separated", &separated),
            ("yes", &yes),
            ("missing", &missing),
            ("one", &one),
            ("none", &Vec::new()),
        ] {
            let shown = (0..40).filter(|seed| {
                let released = released(&setting, rows, *seed);
                let (b, judged) = released.judged().remove(0);
                assert!(b.iter().all(|b| b.is_finite()), "{name}");
                assert!(
                    judged.remainder.is_finite() && judged.covariance.iter().all(|v| v.is_finite()),
                    "{name}"
                );
                !matches!(judged.state, State::Withheld(_))
            });
            let shown = shown.count();
            assert!(shown <= 2, "{name} at {units}: {shown} of 40 are shown");
        }
    }
}

/// The ledger is charged what the budget has, within 1e-9 of it and never above.
pub fn charges_are_the_budget() {
    let terms = terms(&[Column::Number(-1.0, 1.0), Column::Category(4)], 2);
    let promise = Epsilon::try_new(1.0).unwrap();
    let mut tried = 0;
    for units in [200_000_u128, 1 << 36, 158_329_674_399_744, 1 << 50] {
        for adjacency in [Adjacency::AddRemove, Adjacency::ReplaceOne] {
            for (persons, steps) in [(1, 2), (3, 3)] {
                let Ok(rounds) = Rounds::new(&terms, adjacency, persons, steps, units) else { continue };
                let charge = discreet::privacy::event::charge(&rounds.events(), promise).unwrap();
                assert!(charge.gaussian <= units, "{} above {units}", charge.gaussian);
                let lost = (units - charge.gaussian) as f64 / units as f64;
                assert!(lost < 1e-9, "{lost} of {units} {adjacency:?} {persons}");
                assert!(charge.slack > 0);
                tried += 1;
            }
        }
    }
    assert!(tried >= 12, "{tried}");
}
