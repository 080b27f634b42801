//! Without noise and clipping the estimate is least squares, whatever the guide; forecasts are those of theory/adaptive 7.

use discreet::mechanisms::adaptive_gauss::bits::bits26;
use discreet::mechanisms::adaptive_gauss::estimate::{Coded, Fit, Inverse, Moments};
use discreet::mechanisms::adaptive_gauss::forecast::{Advice, Forecast};
use discreet::mechanisms::adaptive_gauss::guide::Guide;
use discreet::mechanisms::adaptive_gauss::last::Grid;
use discreet::mechanisms::adaptive_gauss::radii::Radii;
use discreet::mechanisms::adaptive_gauss::terms::Terms;
use discreet::mechanisms::adaptive_gauss::units::{Rounds, Shares};
use discreet::privacy::adjacency::Adjacency;
use discreet::privacy::calibrate::{Budget, Split, wallets};
use discreet::privacy::measure::{Delta, Epsilon};
use nalgebra::{DMatrix, DVector};

use super::{Column, Draws, last_cells, terms};

/// Slopes of least squares in coded units, the intercept first.
pub fn least_squares(terms: &Terms, rows: &[Vec<f64>], outcome: usize) -> DVector<f64> {
    let k = terms.coefficients();
    let design = DMatrix::from_fn(rows.len(), k, |i, j| if j == 0 { 1.0 } else { rows[i][j - 1] });
    let y = DVector::from_fn(rows.len(), |i, _| rows[i][k - 1 + outcome]);
    (design.transpose() * &design).lu().solve(&(design.transpose() * y)).unwrap()
}

/// A guide that fits nothing in particular.
pub fn some_guide(terms: &Terms, draws: &mut Draws) -> Guide {
    let p = terms.features();
    Guide {
        mean: (0..terms.len()).map(|_| bits26(draws.next() / 2.0)).collect(),
        whitening: DMatrix::from_fn(p, p, |i, j| {
            let entry = draws.next();
            if i == j {
                bits26(1.5 + entry)
            } else if i > j {
                bits26(entry / 2.0)
            } else {
                0.0
            }
        }),
        slopes: DMatrix::from_fn(p, terms.outcomes(), |_, _| bits26(draws.next())),
        spreads: (0..terms.outcomes()).map(|_| bits26(1.0 + draws.next() / 2.0)).collect(),
    }
}

#[test]
fn without_noise_and_clipping_it_is_least_squares_for_every_guide() {
    let mut draws = Draws(7);
    let number = || Column::Number(-1.0, 1.0);
    let terms = terms(&[number(), number(), Column::Category(3)], &[number(), number()]);
    let rows: Vec<Vec<f64>> = (0..400)
        .map(|_| {
            let (a, b, level) = (draws.next(), draws.next() / 3.0, draws.next());
            let (first, second) = (f64::from(level < -0.5), f64::from(level > 0.4));
            let y = 0.3 * a - 0.2 * b + 0.1 * second + 0.1 * draws.next();
            vec![a, b, first, second, y, draws.next() * 0.5]
        })
        .collect();
    let units = 1_u128 << 46;
    let rounds = Rounds::new(&terms, Adjacency::AddRemove, 1, Shares::default(), units).unwrap();
    for _ in 0..5 {
        let guide = some_guide(&terms, &mut draws);
        let radii = Radii { features: 20.0, outcomes: vec![20.0, 20.0], unseen: false };
        let grid = Grid::new(&terms, rounds.codes, &radii);
        let cells = last_cells(&rounds, &guide, &grid, &radii, &rows);
        let moments = Moments::new(&rounds.last, rounds.weight, &grid, terms.coefficients(), &cells);
        let inverse = Inverse::whole(&moments, 0.0).unwrap();
        for outcome in 0..2 {
            let fit = Fit::new(&moments, outcome, &inverse);
            let found = Coded::new(&guide, &guide.map(), outcome, &fit).coefficients;
            let expected = least_squares(&terms, &rows, outcome);
            for (found, expected) in found.iter().zip(expected.iter()) {
                // Codes are rounded to 20 / 2^23.
                assert!((found - expected).abs() < 1e-6, "{found} {expected}");
            }
        }
    }
}

#[test]
fn all_charges_together_are_the_budget_and_never_above() {
    let number = || Column::Number(-1.0, 1.0);
    let terms = terms(&[number(), Column::Category(4)], &[number(), number(), number()]);
    let promise = Epsilon::try_new(1.0).unwrap();
    for units in [200_000_u128, 1 << 36, 158_329_674_399_744, 1 << 50] {
        for adjacency in [Adjacency::AddRemove, Adjacency::ReplaceOne] {
            for persons in [1, 3] {
                let Ok(rounds) = Rounds::new(&terms, adjacency, persons, Shares::default(), units) else {
                    continue;
                };
                let events = rounds.events();
                let charge = discreet::privacy::event::charge(&events, promise).unwrap();
                assert!(charge.gaussian <= units, "{} above {units}", charge.gaussian);
                let lost = (units - charge.gaussian) as f64 / units as f64;
                assert!(lost < 1e-9, "{lost} of {units} {adjacency:?} {persons}");
                assert!(charge.slack > 0);
            }
        }
    }
}

#[test]
fn a_budget_below_the_coarse_units_is_refused() {
    let number = || Column::Number(-1.0, 1.0);
    let terms = terms(&[number()], &[number()]);
    for units in [0, 1_000, 1 << 80] {
        assert!(Rounds::new(&terms, Adjacency::AddRemove, 1, Shares::default(), units).is_err(), "{units}");
    }
}

#[test]
fn the_forecast_of_the_sample() {
    // theory/adaptive 7: blood pressure, 11,830 complete rows, k = 6: 0.97, 0.51, 0.27 and 0.08 at epsilon 0.5, 1, 2 and 8, delta 1e-6.
    let number = || Column::Number(0.0, 1.0);
    let terms = terms(&[number(), number(), number(), Column::Category(2), number()], &[number()]);
    for (epsilon, error) in [(0.5, 0.97), (1.0, 0.51), (2.0, 0.27), (8.0, 0.08)] {
        let budget = Budget::EpsilonDelta {
            epsilon: Epsilon::try_new(epsilon).unwrap(),
            delta: Delta::try_new(1e-6).unwrap(),
        };
        let mu = wallets(&budget, &Split::Gaussian).unwrap().pair.mu.get();
        let forecast = Forecast::new(&terms, Adjacency::AddRemove, 1, 11_830.0, mu);
        assert!((forecast.median_error() - error).abs() < 0.01, "{}", forecast.median_error());
        assert_eq!(forecast.advice(), Advice::Recommended);
        let few = Forecast::new(&terms, Adjacency::AddRemove, 1, 100.0, mu);
        assert_eq!(few.advice() == Advice::TooFew, epsilon < 3.0, "{few:?}");
    }
}
