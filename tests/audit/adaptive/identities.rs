//! What the estimate is without noise, what it is with shortened records, and how the noise reaches it.

use discreet::math::linalg::{Cholesky, from_triangle};
use discreet::mechanisms::adaptive::bits::bits26;
use discreet::mechanisms::adaptive::guide::Guide;
use discreet::mechanisms::adaptive::terms::Terms;
use discreet::mechanisms::adaptive_gauss::estimate::{Coded, Fit, Inverse, Moments};
use discreet::mechanisms::adaptive_gauss::gate::{Evidence, Far, Gate, Penalty, Units};
use discreet::mechanisms::adaptive_gauss::last::Grid;
use discreet::mechanisms::adaptive_gauss::radii::Radii;
use discreet::mechanisms::adaptive_gauss::units::{Rounds, Shares};
use discreet::privacy::adjacency::Adjacency;
use discreet::privacy::measure::Epsilon;
use nalgebra::{DMatrix, DVector};

use super::{Column, Draws, last_cells, terms};

/// Slopes of least squares in coded units, the intercept first.
pub fn least_squares(terms: &Terms, rows: &[Vec<f64>], outcome: usize) -> DVector<f64> {
    let k = terms.coefficients();
    let design = DMatrix::from_fn(rows.len(), k, |i, j| if j == 0 { 1.0 } else { rows[i][j - 1] });
    let y = DVector::from_fn(rows.len(), |i, _| rows[i][k - 1 + outcome]);
    (design.transpose() * &design).lu().solve(&(design.transpose() * y)).unwrap()
}

fn inverse_of(moments: &Moments) -> Inverse {
    Inverse { matrix: Cholesky::try_new(&moments.features).unwrap().inverse(), penalised: false }
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

/// The same in the test's own arithmetic, with whitened features and standardised residuals rounded to the grid.
fn of_codes(terms: &Terms, guide: &Guide, grid: &Grid, rows: &[Vec<f64>], outcome: usize) -> DVector<f64> {
    let k = terms.coefficients();
    let map = guide.map();
    let rounded = |value: f64, place: usize| {
        let unit = grid.unit(place, k);
        (value / unit).round_ties_even() * unit
    };
    let (slopes, spread) = (guide.slopes.column(outcome), guide.spreads[outcome]);
    let (mut design, mut residuals) = (DMatrix::zeros(rows.len(), k), DVector::zeros(rows.len()));
    for (index, row) in rows.iter().enumerate() {
        let coded = DVector::from_fn(k, |place, _| if place == 0 { 1.0 } else { row[place - 1] });
        let w = &map * coded;
        for place in 0..k {
            design[(index, place)] = rounded(w[place], place);
        }
        let explained: f64 =
            slopes.iter().zip(row).zip(&guide.mean).map(|((slope, t), mean)| slope * (t - mean)).sum();
        let residual = (row[k - 1 + outcome] - guide.mean[k - 1 + outcome] - explained) / spread;
        residuals[index] = rounded(residual, k + outcome);
    }
    let theta = (design.transpose() * &design).lu().solve(&(design.transpose() * residuals)).unwrap();
    let mut found = map.transpose() * theta * spread;
    for (place, slope) in slopes.iter().enumerate() {
        found[place + 1] += slope;
        found[0] -= slope * guide.mean[place];
    }
    found[0] += guide.mean[k - 1 + outcome];
    found
}

/// Without noise and clipping the estimate is least squares, whatever the guide: of the records as they are rounded to 1e-9, of the records as
/// they are within their rounding.
pub fn is_least_squares() {
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
        let moments = Moments::new(rounds.last.s(), rounds.weight, &grid, terms.coefficients(), &cells);
        let inverse = inverse_of(&moments);
        for outcome in 0..2 {
            let fit = Fit::new(&moments, outcome, &inverse, &DVector::zeros(terms.coefficients()));
            let found = Coded::new(&guide, &guide.map(), outcome, &fit).coefficients;
            let expected = of_codes(&terms, &guide, &grid, &rows, outcome);
            let largest = expected.amax();
            for (found, expected) in found.iter().zip(expected.iter()) {
                assert!((found - expected).abs() <= 1e-9 * largest, "{found} {expected}");
            }
            let expected = least_squares(&terms, &rows, outcome);
            for (found, expected) in found.iter().zip(expected.iter()) {
                // Codes are rounded to 20 / 2^23.
                assert!((found - expected).abs() < 1e-6, "{found} {expected}");
            }
        }
    }
}

/// The charges of all rounds together are the budget within 1e-9, and never above.
pub fn charges_are_the_budget() {
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

/// A shortened record is one with a smaller weight, which its features alone decide: the slopes are those of least squares with the
/// weights min(1, R_x/‖w‖)², though the errors are skewed.
pub fn shortening_is_a_weight() {
    let mut draws = Draws(3);
    let terms = terms(&[Column::Number(-1.0, 1.0)], &[Column::Number(-1.0, 1.0)]);
    let rows: Vec<Vec<f64>> = (0..2_000)
        .map(|_| {
            let (x, e) = (draws.next(), draws.next().abs());
            vec![x * x * x, (0.2 * x * x * x + 0.4 * e * e * e * e - 0.3).clamp(-1.0, 1.0)]
        })
        .collect();
    let rounds = Rounds::new(&terms, Adjacency::AddRemove, 1, Shares::default(), 1 << 46).unwrap();
    let guide = Guide {
        mean: vec![0.0, -0.2],
        whitening: DMatrix::from_element(1, 1, 2.5),
        slopes: DMatrix::zeros(1, 1),
        spreads: vec![0.1],
    };
    let radii = Radii { features: 1.5, outcomes: vec![20.0], unseen: false };
    let grid = Grid::new(&terms, rounds.codes, &radii);
    let cells = last_cells(&rounds, &guide, &grid, &radii, &rows);
    let moments = Moments::new(rounds.last.s(), rounds.weight, &grid, 2, &cells);
    let fit = Fit::new(&moments, 0, &inverse_of(&moments), &DVector::zeros(moments.coefficients()));
    let found = Coded::new(&guide, &guide.map(), 0, &fit).coefficients[1];

    let weight = |x: f64| (2.25 / (1.0 + 6.25 * x * x)).min(1.0);
    let mut sums = [0.0; 5];
    for row in &rows {
        let (x, y, c) = (row[0], row[1], weight(row[0]));
        for (sum, term) in sums.iter_mut().zip([c, c * x, c * y, c * x * x, c * x * y]) {
            *sum += term;
        }
    }
    let [n, x, y, xx, xy] = sums;
    let expected = (n * xy - x * y) / (n * xx - x * x);
    assert!((found - expected).abs() < 1e-6, "{found} {expected}");
}

/// The covariance that is said of the noise is that of the first-order effect of each cell's noise on the coefficients.
pub fn noise_reaches_the_coefficients() {
    let mut draws = Draws(5);
    let number = || Column::Number(-1.0, 1.0);
    let terms = terms(&[number(), number()], &[number()]);
    let rows: Vec<Vec<f64>> = (0..500)
        .map(|_| {
            let (a, b) = (draws.next() / 4.0, draws.next() / 2.0);
            vec![a, b, 0.5 * a - 0.3 * b + 0.1 * draws.next()]
        })
        .collect();
    let rounds = Rounds::new(&terms, Adjacency::AddRemove, 1, Shares::default(), 1 << 42).unwrap();
    let guide = some_guide(&terms, &mut draws);
    let radii = Radii { features: 3.0, outcomes: vec![4.0], unseen: false };
    let grid = Grid::new(&terms, rounds.codes, &radii);
    let cells = last_cells(&rounds, &guide, &grid, &radii, &rows);
    let k = 3;
    let coded = |cells: &[i128]| {
        let moments = Moments::new(rounds.last.s(), rounds.weight, &grid, k, cells);
        let fit = Fit::new(&moments, 0, &inverse_of(&moments), &DVector::zeros(moments.coefficients()));
        Coded::new(&guide, &guide.map(), 0, &fit)
    };
    let here = coded(&cells);
    let s = rounds.last.s();
    let mut variances = vec![0.0; k];
    let mut place = 0;
    for i in 0..4 {
        for j in i..4 {
            let same_side = i == 3 || j < 3;
            let sd = s * if same_side { 2.0 } else { 1.0 } / if i == j { 1.0 } else { 2.0_f64.sqrt() };
            #[expect(clippy::cast_possible_truncation, reason = "far below 2^63")]
            let step = (sd * 1e-3) as i128;
            let mut moved = cells.clone();
            moved[place] += step;
            place += 1;
            let there = coded(&moved).coefficients;
            for (variance, (there, here)) in variances.iter_mut().zip(there.iter().zip(&here.coefficients)) {
                let effect = (there - here) / step as f64 * sd;
                *variance += effect * effect;
            }
        }
    }
    for (term, variance) in variances.iter().enumerate() {
        let said = here.noise_covariance[(term, term)];
        assert!((said / variance - 1.0).abs() < 0.02, "{term}: {said} for {variance}");
        assert!(here.covariance[(term, term)] > said, "{term}");
    }
}

/// A regression on some of the features is least squares on these, for every guide.
pub fn excluded_features_have_the_slope_0() {
    let mut draws = Draws(9);
    let number = || Column::Number(-1.0, 1.0);
    let terms = terms(&[number(), number(), number()], &[number(), number()]);
    let rows: Vec<Vec<f64>> = (0..300)
        .map(|_| {
            let (a, b) = (draws.next(), draws.next());
            let c = 0.5 * a + 0.5 * draws.next();
            vec![a, b, c, 0.3 * a - 0.2 * b + 0.2 * c + 0.1 * draws.next(), 0.4 * draws.next() + 0.3 * c]
        })
        .collect();
    let rounds = Rounds::new(&terms, Adjacency::AddRemove, 1, Shares::default(), 1 << 46).unwrap();
    let guide = some_guide(&terms, &mut draws);
    let radii = Radii { features: 20.0, outcomes: vec![20.0, 20.0], unseen: false };
    let grid = Grid::new(&terms, rounds.codes, &radii);
    let cells = last_cells(&rounds, &guide, &grid, &radii, &rows);
    let moments =
        Moments::of(&from_triangle(6, &cells, |i, j| grid.unit(i, 4) * grid.unit(j, 4)), 1.0, 2.0, &grid, 4);
    let map = guide.map();
    let gate = Gate::new(&moments, &map, &[2], None).unwrap();
    let evidence = Evidence { terms: &terms, guide: &guide, map: &map, moments: &moments, scores: &[] };
    let far = Far { radius: 4.0, unseen: false };
    let fewer = super::terms(&[number(), number()], &[number()]);
    for outcome in 0..2 {
        let judged = gate.judge(evidence, outcome, far, &Units::coded(4)).unwrap();
        let rows: Vec<Vec<f64>> = rows.iter().map(|row| vec![row[0], row[2], row[3 + outcome]]).collect();
        let expected = least_squares(&fewer, &rows, 0);
        for (place, expected) in [(0, expected[0]), (1, expected[1]), (2, 0.0), (3, expected[2])] {
            assert!(
                (judged.estimates[place] - expected).abs() < 1e-5,
                "{place}: {:?} {expected}",
                judged.estimates
            );
        }
    }
}

/// A regression on some of the features with a penalty is the ridge regression of coded values, and its noise is what is said of it.
pub fn a_penalty_is_a_ridge_on_coded_slopes() {
    let mut draws = Draws(13);
    let number = || Column::Number(-1.0, 1.0);
    let terms = terms(&[number(), number(), number()], &[number()]);
    let rows: Vec<Vec<f64>> = (0..500)
        .map(|_| {
            let (a, b) = (draws.next() / 2.0, draws.next() / 2.0);
            let c = 0.5 * a + 0.5 * draws.next();
            vec![a, b, c, 0.5 * a - 0.3 * b + 0.2 * c + 0.1 * draws.next()]
        })
        .collect();
    let rounds = Rounds::new(&terms, Adjacency::AddRemove, 1, Shares::default(), 1 << 44).unwrap();
    let guide = some_guide(&terms, &mut draws);
    let radii = Radii { features: 20.0, outcomes: vec![20.0], unseen: false };
    let grid = Grid::new(&terms, rounds.codes, &radii);
    let cells = last_cells(&rounds, &guide, &grid, &radii, &rows);
    let map = guide.map();
    let weights = vec![0.0, 30.0, 5.0, 80.0];
    let far = Far { radius: 4.0, unseen: false };
    for excluded in [&[][..], &[2]] {
        let judged = |s: f64, cells: &[i128]| {
            let moments = Moments::new(s, rounds.weight, &grid, 4, cells);
            let penalty = Some(Penalty { weights: weights.clone() });
            let gate = Gate::new(&moments, &map, excluded, penalty).unwrap();
            assert!(gate.held.is_empty());
            let evidence =
                Evidence { terms: &terms, guide: &guide, map: &map, moments: &moments, scores: &[] };
            gate.judge(evidence, 0, far, &Units::coded(4)).unwrap()
        };
        let kept: Vec<usize> = (0..4).filter(|place| !excluded.contains(place)).collect();
        let value = |i: usize, place: usize| if place == 0 { 1.0 } else { rows[i][place - 1] };
        let design = DMatrix::from_fn(rows.len(), kept.len(), |i, j| value(i, kept[j]));
        let y = DVector::from_fn(rows.len(), |i, _| rows[i][3]);
        let ridge =
            DMatrix::from_fn(kept.len(), kept.len(), |i, j| if i == j { weights[kept[i]] } else { 0.0 });
        let expected = (design.transpose() * &design + ridge).lu().solve(&(design.transpose() * y)).unwrap();
        let found = judged(1.0, &cells);
        for (place, expected) in kept.iter().zip(expected.iter()) {
            assert!((found.estimates[*place] - expected).abs() < 1e-5, "{:?} {expected}", found.estimates);
        }
        // Each cell's noise to first order.
        let s = rounds.last.s();
        let here = judged(s / 1e3, &cells);
        let mut variances = [0.0; 4];
        let pairs = (0..5).flat_map(|i| (i..5).map(move |j| (i, j)));
        for (place, (i, j)) in pairs.enumerate() {
            let same_side = i == 4 || j < 4;
            let sd = s / 1e3 * if same_side { 2.0 } else { 1.0 } / if i == j { 1.0 } else { 2.0_f64.sqrt() };
            #[expect(clippy::cast_possible_truncation, reason = "far below 2^63")]
            let step = sd as i128;
            let mut moved = cells.clone();
            moved[place] += step;
            let there = judged(s / 1e3, &moved).estimates;
            for (variance, (there, here)) in variances.iter_mut().zip(there.iter().zip(&here.estimates)) {
                *variance += (there - here) * (there - here);
            }
        }
        for place in kept {
            let said = here.noise_shares[place] * here.errors[place] * here.errors[place];
            let ratio = said / variances[place];
            assert!((ratio - 1.0).abs() < 0.03, "{excluded:?} {place}: {ratio}");
        }
    }
}
