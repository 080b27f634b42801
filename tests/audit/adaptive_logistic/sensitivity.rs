//! No pair of neighbours moves a round by more than its Δ, and some pair moves it by Δ, under both adjacencies, with one and two labels,
//! with one and three rows of a person.

use std::sync::Arc;

use dashu_int::UBig;
use discreet::mechanisms::adaptive::early::EarlyMap;
use discreet::mechanisms::adaptive::guide::Guide;
use discreet::mechanisms::adaptive::margins::Margins;
use discreet::mechanisms::adaptive::rough::Standardiser;
use discreet::mechanisms::adaptive::tails::Edges;
use discreet::mechanisms::adaptive_logistic::progress::{RoundMap, Setting};
use discreet::mechanisms::adaptive_logistic::step::Grid;
use discreet::mechanisms::adaptive_logistic::units::{Codes, FEATURES, Rounds};
use discreet::privacy::adjacency::Adjacency;
use discreet::privacy::sensitivity::logistic_errors;
use nalgebra::DMatrix;

use super::{cells, terms};
use crate::adaptive_checks::identities::some_guide;
use crate::adaptive_checks::{Column, Draws};

/// Records of one person, or of two that replace one another.
pub type Pair = (Vec<Vec<f64>>, Vec<Vec<f64>>);

/// A budget for so many steps and terms.
pub fn setting(adjacency: Adjacency, labels: usize, persons: u32, units: u128) -> Arc<Setting> {
    let terms = terms(&[Column::Number(-1.0, 1.0), Column::Category(3)], labels);
    let rounds = Rounds::new(&terms, adjacency, persons, 3, units).unwrap();
    Arc::new(Setting {
        terms,
        rounds,
        adjacency,
        mu_last: 1.0,
        lambda: 0.0,
        coded: Vec::new(),
        steps: Vec::new(),
    })
}

/// The map of a step at these coefficients.
pub fn step(setting: &Arc<Setting>, guide: Guide, radius: f64, b: Vec<f64>) -> RoundMap {
    let grid = Grid::new(setting.terms.coefficients(), setting.rounds.codes, radius);
    let b = vec![b; setting.terms.outcomes()];
    RoundMap::Step(Arc::clone(setting), Arc::new(guide), grid, b)
}

/// The squared move of a round over its Δ², cells with half of the variance counting twice.
fn moved(setting: &Setting, round: usize, map: &RoundMap, pair: &Pair) -> f64 {
    let [before, after] = [&pair.0, &pair.1].map(|rows| cells(map, rows));
    let k = setting.terms.coefficients();
    let weights: Vec<u32> = match round {
        1 => packed(setting.terms.len() + 1),
        0 | 2 => vec![1; before.len()],
        _ => [packed(k), vec![1; k]].concat().repeat(setting.terms.outcomes()),
    };
    assert_eq!(weights.len(), before.len());
    let mut sum = UBig::ZERO;
    for ((one, other), weight) in before.iter().zip(&after).zip(weights) {
        let apart = (one - other).unsigned_abs();
        sum += UBig::from(apart) * UBig::from(apart) * UBig::from(weight);
    }
    let allowed = &setting.rounds.in_order().nth(round).unwrap().sensitivity_squared;
    sum.to_f64().value() / allowed.to_f64().value()
}

/// What a cell of a packed triangle counts: twice off the diagonal.
pub fn packed(side: usize) -> Vec<u32> {
    (0..side).flat_map(|row| (row..side).map(move |column| if row == column { 1 } else { 2 })).collect()
}

/// A record within the columns' bounds, with one dummy at most; now and then not so.
fn record(setting: &Setting, draws: &mut Draws) -> Vec<f64> {
    let level = draws.next();
    let mut row =
        vec![(3.0 * draws.next()).clamp(-1.0, 1.0), f64::from(level < -0.3), f64::from(level > 0.3)];
    row.extend((0..setting.terms.outcomes()).map(|_| (2.0 * draws.next()).round().clamp(-1.0, 1.0)));
    if draws.next() > 0.95 {
        row[2] = f64::NAN;
    }
    if draws.next() > 0.95 {
        row[0] = 1e9;
    }
    row
}

fn neighbours(adjacency: Adjacency, persons: usize, mut one: impl FnMut() -> Vec<f64>) -> Pair {
    let mut rows = || -> Vec<Vec<f64>> { (0..persons).map(|_| one()).collect() };
    let first = rows();
    let second = if adjacency == Adjacency::AddRemove { Vec::new() } else { rows() };
    (first, second)
}

/// No neighbour moves a round by more than its sensitivity, and some by all of it.
pub fn check() {
    let mut draws = Draws(17);
    for adjacency in [Adjacency::AddRemove, Adjacency::ReplaceOne] {
        for labels in [1, 2] {
            for persons in [1, 3] {
                let setting = setting(adjacency, labels, persons, 1 << 44);
                let guide = some_guide(&setting.terms, &mut draws);
                let mut most = [0.0_f64; 4];
                let mut see = |round: usize, map: &RoundMap, pair: &Pair| {
                    let share = moved(&setting, round, map, pair);
                    assert!(share <= 1.0, "{adjacency:?} {labels} {persons}, round {round}: {share}");
                    most[round] = most[round].max(share);
                };
                for trial in 0..1_500 {
                    let steep = libm::exp10(f64::from(trial % 5) - 1.0);
                    let b = (0..4).map(|_| steep * draws.next()).collect();
                    let maps = maps(&setting, guide.clone(), 0.05, 1.3, b);
                    let pair = neighbours(adjacency, persons as usize, || record(&setting, &mut draws));
                    for (round, map) in maps.iter().enumerate() {
                        see(round, map, &pair);
                    }
                }
                for (pair, b) in worst(adjacency, labels) {
                    let all = |rows: Vec<Vec<f64>>| vec![rows; persons as usize].concat();
                    let pair = (all(pair.0), all(pair.1));
                    for (round, map) in maps(&setting, long(labels), 1e-6, 1_000.0, b).iter().enumerate() {
                        see(round, map, &pair);
                    }
                }
                for (round, most) in most.iter().enumerate() {
                    assert!(*most > 0.999, "{adjacency:?} {labels} {persons}, round {round}: {most}");
                }
            }
        }
    }
    unshortened();
    coarse();
}

/// A record that is longer than B adds nothing, whatever arithmetic has shortened it to: this grid shortens none, so that the integer
/// check alone is left.
fn unshortened() {
    let mut draws = Draws(23);
    let setting = setting(Adjacency::AddRemove, 1, 1, 1 << 44);
    let guide = some_guide(&setting.terms, &mut draws);
    let grid = Grid { radius: f64::INFINITY, ..Grid::new(4, setting.rounds.codes, 1.3) };
    let map = RoundMap::Step(Arc::clone(&setting), Arc::new(guide), grid, vec![vec![0.0; 4]]);
    let mut dropped = 0;
    for _ in 0..500 {
        let one = record(&setting, &mut draws);
        dropped += usize::from(
            one[3].abs() > 0.5 && cells(&map, std::slice::from_ref(&one)).iter().all(|cell| *cell == 0),
        );
        let share = moved(&setting, 3, &map, &(vec![one], Vec::new()));
        assert!(share <= 1.0, "{share}");
    }
    assert!(dropped > 50, "{dropped} of 500 records are too long");
}

fn maps(setting: &Arc<Setting>, guide: Guide, scale: f64, radius: f64, b: Vec<f64>) -> [RoundMap; 4] {
    let terms = &setting.terms;
    let margins = Margins { rows: 100.0, centres: vec![0.0; terms.len()], scales: vec![scale; terms.len()] };
    let codes = setting.rounds.codes;
    let standardiser = Standardiser::new(terms, codes.record, &margins);
    let early = |map| RoundMap::Early(Arc::clone(setting), map);
    [
        early(EarlyMap::Margins(codes.level)),
        early(EarlyMap::Moments(standardiser)),
        early(EarlyMap::Tails(Arc::new(guide.clone()), Edges::new(terms), codes.count)),
        step(setting, guide, radius, b),
    ]
}

/// A guide in which a record with features of 1 or −1 is almost as long as 1,000.
pub fn long(labels: usize) -> Guide {
    Guide {
        mean: vec![0.0; 3 + labels],
        whitening: DMatrix::from_diagonal_element(3, 3, 999.999),
        slopes: DMatrix::zeros(3, labels),
        spreads: vec![1.0; labels],
    }
}

/// The error of the worst record: beside one of size 1 where it replaces that, and alone (theory/public-moments 3.3).
pub fn worst_error(adjacency: Adjacency) -> f64 {
    match adjacency {
        Adjacency::ReplaceOne => 7_f64.sqrt() - 2.0,
        Adjacency::AddRemove => (5_f64.sqrt() - 1.0) / 2.0,
    }
}

/// θ at which a label of yes has the error q.
pub fn fitted_at(q: f64) -> f64 {
    libm::log((1.0 - q) / q)
}

/// The coefficients at which a record with the feature 1 and a yes has the first error, one with the feature −1 the second.
pub fn errors_at(first: f64, second: f64) -> Vec<f64> {
    let (one, other) = (fitted_at(first), fitted_at(second));
    vec![f64::midpoint(one, other), (one - other) / 2.0 / 999.999, 0.0, 0.0]
}

/// The pairs that move some round most, with coefficients that make it so for the step.
fn worst(adjacency: Adjacency, labels: usize) -> Vec<(Pair, Vec<f64>)> {
    let row = |feature: f64, level: usize, label: f64| {
        let mut row = vec![feature, f64::from(level == 1), f64::from(level == 2)];
        row.resize(3 + labels, label);
        row
    };
    let q = worst_error(adjacency);
    match adjacency {
        Adjacency::AddRemove => vec![
            ((vec![row(1.0, 0, 1.0)], Vec::new()), errors_at(q, q)),
            ((vec![row(1.0, 0, 1.0)], Vec::new()), errors_at(1.0 - 1e-15, 0.5)),
            ((vec![row(1.0, 1, 1.0)], Vec::new()), errors_at(q, q)),
        ],
        Adjacency::ReplaceOne => vec![
            // The errors pull alike, because the features are opposite.
            ((vec![row(1.0, 0, 1.0)], vec![row(-1.0, 0, 1.0)]), errors_at(1.0 - 1e-15, q)),
            ((vec![row(1.0, 1, 1.0)], vec![row(-1.0, 2, -1.0)]), errors_at(0.5, 0.5)),
            ((vec![row(1.0, 0, 0.0)], vec![row(0.0, 1, 0.0)]), errors_at(0.5, 0.5)),
        ],
    }
}

/// With the coarsest weights of a curvature no error moves a longest record further than Γ, nor further than 2 Γ beside one of size 1.
fn coarse() {
    for adjacency in [Adjacency::AddRemove, Adjacency::ReplaceOne] {
        for bits in [4, 20] {
            let length = u64::from(FEATURES);
            let error = logistic_errors(length, bits, adjacency);
            let codes = Codes { level: 1, record: 1, count: 1, features: FEATURES, error, bits };
            let grid = Grid::new(4, codes, 1.0);
            for place in -4_000..4_000 {
                let (pull, weight) = grid.weights(f64::from(place) / 500.0, true, 1.0);
                let (pull, error) = (i128::from(pull), i128::from(error));
                let curvature = i128::from(weight) * i128::from(length);
                let (pulled, most) = match adjacency {
                    Adjacency::AddRemove => (pull, error),
                    Adjacency::ReplaceOne => (pull + error, 2 * error),
                };
                assert!(
                    curvature * curvature + pulled * pulled <= most * most,
                    "{adjacency:?} {bits}: {weight} {pull} of {error}"
                );
            }
        }
    }
}
