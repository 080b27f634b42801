//! No pair of neighbours moves a round by more than its Δ, and some pair moves it by Δ, under both adjacencies, with one and three
//! outcomes, with one and three rows of a person.

use dashu_int::UBig;
use discreet::mechanisms::adaptive::guide::Guide;
use discreet::mechanisms::adaptive::margins::Margins;
use discreet::mechanisms::adaptive::rough::Standardiser;
use discreet::mechanisms::adaptive::terms::Terms;
use discreet::mechanisms::adaptive::units::Round;
use discreet::mechanisms::adaptive_gauss::last::Grid;
use discreet::mechanisms::adaptive_gauss::radii::Radii;
use discreet::mechanisms::adaptive_gauss::scores::ScoreMap;
use discreet::mechanisms::adaptive_gauss::units::{Rounds, Shares};
use discreet::privacy::adjacency::Adjacency;
use nalgebra::DMatrix;

use super::identities::some_guide;
use super::{Column, Draws, last_cells, margin_cells, rough_cells, score_cells, tail_cells, terms};

/// With a round of scores.
const SHARES: Shares = Shares { margins: 600, moments: 1_400, tails: 800, scores: 1_000 };

/// Records of one person, or of two that replace one another.
type Pair = (Vec<Vec<f64>>, Vec<Vec<f64>>);

struct Setting {
    terms: Terms,
    rounds: Rounds,
    adjacency: Adjacency,
    persons: usize,
    standardiser: Standardiser,
    guide: Guide,
    radii: Radii,
    grid: Grid,
    scores: ScoreMap,
}

impl Setting {
    fn new(adjacency: Adjacency, outcomes: usize, persons: usize, draws: &mut Draws) -> Self {
        let number = || Column::Number(-1.0, 1.0);
        let all: Vec<Column> = (0..outcomes).map(|_| number()).collect();
        let terms = terms(&[number(), Column::Category(3)], &all);
        let units = 1_u128 << 44;
        let rounds = Rounds::new(&terms, adjacency, u32::try_from(persons).unwrap(), SHARES, units).unwrap();
        let margins =
            Margins { rows: 100.0, centres: vec![0.0; terms.len()], scales: vec![0.05; terms.len()] };
        let standardiser = Standardiser::new(&terms, rounds.codes.record, &margins);
        let guide = some_guide(&terms, draws);
        let radii = Radii { features: 1.3, outcomes: vec![0.2; outcomes], unseen: false };
        let grid = Grid::new(&terms, rounds.codes, &radii);
        let slopes = (0..outcomes).map(|_| (0..terms.coefficients()).map(|_| draws.next()).collect());
        let record = rounds.scores.as_ref().unwrap().record;
        let scores = ScoreMap::new(slopes.collect(), vec![0.3; outcomes], record);
        Self { terms, rounds, adjacency, persons, standardiser, guide, radii, grid, scores }
    }

    /// The squared move of each round, cells with less noise counting for more, over its Δ².
    fn moved(&self, pair: &Pair) -> [f64; 5] {
        let of = |rows: &[Vec<f64>]| {
            let rows = if rows.is_empty() { vec![vec![f64::NAN; self.terms.len()]] } else { rows.to_vec() };
            [
                margin_cells(&self.terms, &self.rounds, &rows),
                rough_cells(&self.standardiser, &rows),
                tail_cells(&self.terms, &self.rounds, &self.guide, &rows),
                last_cells(&self.rounds, &self.guide, &self.grid, &self.radii, &rows),
                score_cells(&self.rounds, &self.guide, &self.grid, &self.radii, &self.scores, &rows),
            ]
        };
        let zero = |rows: &[Vec<f64>], cells: [Vec<i128>; 5]| {
            if rows.is_empty() { cells.map(|cells| vec![0; cells.len()]) } else { cells }
        };
        let (before, after) = (zero(&pair.0, of(&pair.0)), zero(&pair.1, of(&pair.1)));
        let rounds: Vec<&Round> = self.rounds.in_order().collect();
        std::array::from_fn(|round| {
            let change = before[round].iter().zip(&after[round]).map(|(a, b)| b - a);
            let squares = change.map(|d| UBig::from(d.unsigned_abs()) * UBig::from(d.unsigned_abs()));
            share(&self.weighted(round, squares.collect()), rounds[round])
        })
    }

    /// Σ d² / variance in units of S⁻², times q² in the fourth round.
    fn weighted(&self, round: usize, squares: Vec<UBig>) -> UBig {
        let size = match round {
            1 | 3 => 1 + self.terms.len(),
            4 => {
                let k = self.terms.coefficients();
                let blocks = squares.chunks(k * (k + 1) / 2);
                return blocks.fold(UBig::ZERO, |sum, block| sum + triangle(k, block));
            }
            _ => return squares.into_iter().fold(UBig::ZERO, |sum, square| sum + square),
        };
        let k = self.terms.coefficients();
        let q = self.rounds.weight;
        let mut sum = UBig::ZERO;
        let mut cells = squares.into_iter();
        for i in 0..size {
            for j in i..size {
                let cross = round == 3 && i < k && j >= k;
                let more = if i == j { 1_u32 } else { 2 };
                sum += cells.next().unwrap() * UBig::from(if cross { more * q * q } else { more });
            }
        }
        if round == 3 { sum / UBig::from(q * q) } else { sum }
    }
}

/// Twice the squares off the diagonal, once those on it.
fn triangle(size: usize, squares: &[UBig]) -> UBig {
    let places = (0..size).flat_map(|i| (i..size).map(move |j| if i == j { 1_u32 } else { 2 }));
    places.zip(squares).fold(UBig::ZERO, |sum, (times, square)| sum + square * UBig::from(times))
}

fn share(moved: &UBig, round: &Round) -> f64 {
    moved.to_f64().value() / round.sensitivity_squared.to_f64().value()
}

/// A record, within the columns' bounds, with one dummy at most; now and then not so.
fn record(setting: &Setting, draws: &mut Draws) -> Vec<f64> {
    let level = draws.next();
    let mut row: Vec<f64> = (0..setting.terms.len()).map(|_| (3.0 * draws.next()).clamp(-1.0, 1.0)).collect();
    row[1] = f64::from(level < -0.3);
    row[2] = f64::from(level > 0.3);
    if draws.next() > 0.97 {
        row[2] = f64::NAN;
    }
    if draws.next() > 0.97 {
        row[0] = 1e9;
    }
    row
}

fn pair(setting: &Setting, draws: &mut Draws, rows: impl Fn(&Setting, &mut Draws) -> Vec<f64>) -> Pair {
    let one: Vec<Vec<f64>> = (0..setting.persons).map(|_| rows(setting, draws)).collect();
    let other = match setting.adjacency {
        Adjacency::AddRemove => Vec::new(),
        Adjacency::ReplaceOne => (0..setting.persons).map(|_| rows(setting, draws)).collect(),
    };
    (one, other)
}

/// No neighbour moves a round by more than its sensitivity, and some by all of it.
pub fn check() {
    let mut draws = Draws(11);
    for adjacency in [Adjacency::AddRemove, Adjacency::ReplaceOne] {
        for outcomes in [1, 3] {
            for persons in [1, 3] {
                let setting = Setting::new(adjacency, outcomes, persons, &mut draws);
                let mut most = [0.0_f64; 5];
                for _ in 0..2_000 {
                    let pair = pair(&setting, &mut draws, record);
                    for (most, moved) in most.iter_mut().zip(setting.moved(&pair)) {
                        assert!(moved <= 1.0, "{adjacency:?} {outcomes} {persons}: {moved}");
                        *most = most.max(moved);
                    }
                }
                for (most, moved) in most.iter_mut().zip(worst(&setting)) {
                    assert!(moved <= 1.0, "{adjacency:?} {outcomes} {persons}: {moved}");
                    *most = most.max(moved);
                }
                for (round, most) in most.iter().enumerate() {
                    assert!(*most > 0.999, "{adjacency:?} {outcomes} {persons}, round {round}: {most}");
                }
            }
        }
    }
}

/// The pairs of theory/adaptive 3.2 that move a round most, one after the other in one array.
fn worst(setting: &Setting) -> [f64; 5] {
    let outcomes = setting.terms.outcomes();
    let row = |feature: f64, level: usize, outcome: f64| {
        let mut row = vec![outcome; 3 + outcomes];
        row[0] = feature;
        row[1] = f64::from(level == 1);
        row[2] = f64::from(level == 2);
        row
    };
    // Margins: the end of each range, and a category's dummy; for a replacement the other end and the other dummy.
    let first = vec![row(1.0, 1, 1.0); setting.persons];
    let second = match setting.adjacency {
        Adjacency::AddRemove => Vec::new(),
        Adjacency::ReplaceOne => vec![row(-1.0, 2, -1.0); setting.persons],
    };
    let mut most = setting.moved(&(first, second));
    // Products: features as long as they may be without being shortened, for that would shorten the residuals, too, and residuals as
    // long as they may be; for a replacement the opposite features, so that the two records are orthogonal.
    let radii = Radii { features: 1_000.0, ..setting.radii.clone() };
    let centres = vec![0.0; setting.terms.len()];
    let far = Setting {
        standardiser: Standardiser::new(
            &setting.terms,
            setting.rounds.codes.record,
            &Margins { rows: 1.0, centres, scales: vec![1e-6; setting.terms.len()] },
        ),
        guide: Guide {
            mean: vec![0.0; setting.terms.len()],
            whitening: DMatrix::from_diagonal_element(3, 3, 999.999),
            slopes: DMatrix::zeros(3, outcomes),
            spreads: vec![1e-3; outcomes],
        },
        terms: setting.terms.clone(),
        rounds: setting.rounds.clone(),
        grid: Grid::new(&setting.terms, setting.rounds.codes, &radii),
        radii,
        scores: ScoreMap::new(
            vec![vec![0.0; setting.terms.coefficients()]; outcomes],
            vec![0.3; outcomes],
            setting.rounds.scores.as_ref().unwrap().record,
        ),
        ..*setting
    };
    let pairs = [
        (row(1.0, 0, 1.0), row(-1.0, 0, 1.0)),
        (row(1.0, 0, 1.0), row(0.0, 0, 0.0)),
        (row(1.0, 0, 1.0), row(0.0, 1, 1.0)),
        (row(1.0, 0, 0.0), row(0.0, 1, 0.0)),
    ];
    for (one, other) in pairs {
        let other = match setting.adjacency {
            Adjacency::AddRemove => Vec::new(),
            Adjacency::ReplaceOne => vec![other; setting.persons],
        };
        for (most, moved) in most.iter_mut().zip(far.moved(&(vec![one; setting.persons], other))) {
            assert!(moved <= 1.0, "{moved}");
            *most = most.max(moved);
        }
    }
    most
}
