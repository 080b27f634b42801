//! A release between two rounds: what the next round sums, and what follows from the noisy answers so far.

use std::sync::Arc;

use nalgebra::DMatrix;

use super::estimate::Moments;
use super::gate::{Gate, Penalty};
use super::last::{self, Grid};
use super::radii::{Choice, Radii};
use super::scores::{ReleasedScores, ScoreMap, ScoreProducts};
use super::units::{Codes, Rounds, Shares};
use crate::math::linalg::LinalgError;
use crate::math::round::real;
use crate::math::triangle;
use crate::mechanisms::adaptive::early::EarlyMap;
use crate::mechanisms::adaptive::guide::Guide;
use crate::mechanisms::adaptive::margins::Margins;
use crate::mechanisms::adaptive::rough::Standardiser;
use crate::mechanisms::adaptive::tails::{Counts, Edges};
use crate::mechanisms::adaptive::terms::Terms;
use crate::privacy::adjacency::Adjacency;
use crate::privacy::calibrate::NoiseScale;
use crate::privacy::mutants::{Mutant, is_active};
use crate::release::moments::CodedTerm;

/// What is fixed before a record is read: public.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// The coded terms.
    pub terms: Terms,
    /// The rounds' shares of μ².
    pub shares: Shares,
    /// Integer units and noise.
    pub rounds: Rounds,
    /// The adjacency: which tables are neighbours.
    pub adjacency: Adjacency,
    /// p: at most so many rows of a person count.
    pub max_rows_per_person: u32,
    /// μ of the final round for one row of a person: √(u_4 2^-40) / p.
    pub mu_last: f64,
    /// R_y, if the plan states it.
    pub outcome_radius: Option<f64>,
    /// The columns' own units of each term.
    pub coded: Vec<CodedTerm>,
    /// The coded value of one step of the encoder's grid, of each term.
    pub steps: Vec<f64>,
}

impl Setting {
    /// Returns whether the scores of each person are summed before their products.
    pub fn sums_persons(&self) -> bool {
        self.max_rows_per_person > 1 && !is_active(Mutant::ScoresOfRows)
    }

    /// Returns how many rows a person is taken to have: half-way between one and the most.
    fn rows_of_a_person(&self) -> f64 {
        if self.sums_persons() { (1.0 + f64::from(self.max_rows_per_person)) / 2.0 } else { 1.0 }
    }
}

/// What one record with its coded values adds to the integers of one round. Given the earlier answers it is a public function of this
/// record alone.
#[derive(Clone, Debug)]
pub enum RoundMap {
    /// The map of one of the first three rounds.
    Early(Arc<Setting>, EarlyMap),
    /// Products of whitened features and residuals.
    Last(Arc<Setting>, Arc<Guide>, Radii, Grid),
    /// Products of scores.
    Scores(Arc<Setting>, Arc<Guide>, Radii, Grid, ScoreMap),
}

impl RoundMap {
    /// Returns the setting.
    pub fn setting(&self) -> &Setting {
        match self {
            Self::Early(setting, _) | Self::Last(setting, ..) | Self::Scores(setting, ..) => setting,
        }
    }

    /// Adds a record with these coded values; `reals`, `codes` and `scores` are working memory.
    pub fn add_values(
        &self,
        values: &[f64],
        reals: &mut Vec<f64>,
        codes: &mut Vec<i32>,
        scores: &mut Vec<i32>,
        cells: &mut [i64],
    ) {
        match self {
            Self::Early(setting, map) => map.add(&setting.terms, values, reals, codes, cells),
            Self::Last(setting, guide, radii, grid) => {
                last::codes(guide, grid, setting.rounds.codes, radii, values, reals, codes);
                triangle::add_outer(codes, 1, cells);
            }
            Self::Scores(setting, guide, radii, grid, map) => {
                last::codes(guide, grid, setting.rounds.codes, radii, values, reals, codes);
                if setting.sums_persons() {
                    map.add_to_person(grid, codes, reals, cells);
                } else {
                    map.add(grid, codes, reals, scores, cells);
                }
            }
        }
    }
}

/// The state of a release between two rounds: public.
#[derive(Clone, Debug)]
pub struct Progress {
    pub(super) setting: Arc<Setting>,
    /// The noisy integers of the rounds so far.
    answers: Vec<Vec<i128>>,
    margins: Option<Margins>,
    standardiser: Option<Standardiser>,
    guide: Option<Arc<Guide>>,
    counts: Option<Counts>,
    radii: Option<Radii>,
    scores: Option<ScoreMap>,
}

impl Progress {
    /// Starts before the first round.
    pub fn new(setting: Arc<Setting>) -> Self {
        Self {
            setting,
            answers: Vec::new(),
            margins: None,
            standardiser: None,
            guide: None,
            counts: None,
            radii: None,
            scores: None,
        }
    }

    /// Returns the number of the next round, from 0.
    pub fn number(&self) -> u32 {
        u32::try_from(self.answers.len()).unwrap_or(u32::MAX)
    }

    /// Returns what the next round sums. `None` after the last round, or if the guide could not be computed.
    pub fn map(&self) -> Option<RoundMap> {
        let setting = Arc::clone(&self.setting);
        let guide = || self.guide.as_ref().map(Arc::clone);
        let codes = setting.rounds.codes;
        let early = match self.number() {
            0 => EarlyMap::Margins(codes.level),
            1 => EarlyMap::Moments(self.standardiser.clone()?),
            2 => EarlyMap::Tails(guide()?, Edges::new(&setting.terms), codes.count),
            number => {
                let radii = self.radii.clone()?;
                let grid = Grid::new(&setting.terms, codes, &radii);
                return match number {
                    3 => Some(RoundMap::Last(setting, guide()?, radii, grid)),
                    4 => Some(RoundMap::Scores(setting, guide()?, radii, grid, self.scores.clone()?)),
                    _ => None,
                };
            }
        };
        Some(RoundMap::Early(setting, early))
    }

    /// Takes the noisy integers of the round.
    pub fn take_cells(&mut self, cells: Vec<i128>) {
        let Setting { terms, rounds, adjacency, mu_last, outcome_radius, .. } = &*self.setting;
        match self.number() {
            0 => {
                let margins = Margins::new(terms, rounds.codes.level, &rounds.margins, &cells);
                self.standardiser = Some(Standardiser::new(terms, rounds.codes.record, &margins));
                self.margins = Some(margins);
            }
            1 => {
                if let (Some(margins), Some(standardiser)) = (&self.margins, &self.standardiser) {
                    self.guide =
                        Guide::new(terms, &rounds.moments, margins, standardiser, &cells).ok().map(Arc::new);
                }
            }
            2 => {
                let counts = Counts::new(rounds.codes.count, &rounds.tails, &cells);
                let rows = self.margins.as_ref().map_or(1.0, |margins| margins.rows);
                let chosen = Choice::new(terms, rounds, *adjacency, *mu_last, rows, &counts).radii;
                let features = chosen.features;
                let within = match &self.guide {
                    Some(guide) => chosen.within(|outcome| guide.reach(outcome, features)),
                    None => chosen,
                };
                self.radii = Some(within.stated(*outcome_radius));
                self.counts = Some(counts);
            }
            _ => {}
        }
        self.answers.push(cells);
        if self.number() == 4 {
            let setting = Arc::clone(&self.setting);
            let map = |round| {
                let released = self.released()?;
                let solved = released.solve(&[], None).ok()?;
                Some(ScoreMap::of(&released, &solved, round, setting.rows_of_a_person()))
            };
            self.scores = setting.rounds.scores.as_ref().and_then(map);
        }
    }

    /// Returns what was released, after the fourth round and after the last.
    pub fn released(&self) -> Option<Released> {
        let [margins, moments, tails, last, ..] = self.answers.as_slice() else { return None };
        let [margins, moments, tails, last] = [margins, moments, tails, last].map(Vec::clone);
        let Setting { terms, rounds, .. } = &*self.setting;
        let scores = self.answers.get(4).zip(self.scores.as_ref()).zip(rounds.scores.as_ref());
        let scores = scores.map(|((cells, map), round)| ReleasedScores {
            record: round.record,
            scale: round.round.scale,
            radii: map.radii.clone(),
            of_persons: self.setting.sums_persons(),
            cells: cells.clone(),
        });
        Some(Released {
            terms: terms.clone(),
            codes: rounds.codes,
            scales: [&rounds.margins, &rounds.moments, &rounds.tails, &rounds.last].map(|round| round.scale),
            weight: rounds.weight,
            guide: Arc::clone(self.guide.as_ref()?),
            radii: self.radii.clone()?,
            counts: self.counts.clone()?,
            margins,
            moments,
            tails,
            last,
            scores,
        })
    }
}

/// The noisy integers of all rounds, the guide and the radii: all that is published follows from them.
#[derive(Clone, Debug, PartialEq)]
pub struct Released {
    /// The coded terms.
    pub terms: Terms,
    /// The integer units.
    pub codes: Codes,
    /// S of each round.
    pub scales: [NoiseScale; 4],
    /// q.
    pub weight: u32,
    /// The guide.
    pub guide: Arc<Guide>,
    /// The radii.
    pub radii: Radii,
    /// The tail counts.
    pub counts: Counts,
    /// Noisy integers of round 1.
    pub margins: Vec<i128>,
    /// Noisy integers of round 2.
    pub moments: Vec<i128>,
    /// Noisy integers of round 3.
    pub tails: Vec<i128>,
    /// Noisy integers of round 4.
    pub last: Vec<i128>,
    /// The result of round 5. `None` if the plan has no such round.
    pub scores: Option<ReleasedScores>,
}

/// The final moments, and which coefficients they determine.
#[derive(Clone, Debug)]
pub struct Solved {
    /// The moments in real units.
    pub moments: Moments,
    /// H.
    pub map: DMatrix<f64>,
    /// The terms that are held.
    pub gate: Gate,
    /// The products of scores of each outcome. Empty for another regression than that of the scores.
    pub scores: Vec<ScoreProducts>,
}

impl Released {
    /// Solves the final moments for all outcomes at once, without the coefficients in `excluded` and with a penalty on the others.
    ///
    /// # Errors
    /// [`LinalgError`] where the eigenvalues do not settle.
    pub fn solve(&self, excluded: &[usize], penalty: Option<Penalty>) -> Result<Solved, LinalgError> {
        let grid = Grid::new(&self.terms, self.codes, &self.radii);
        let s = self.scales[3].real();
        let moments = Moments::new(s, self.weight, &grid, self.terms.coefficients(), &self.last);
        let map = self.guide.map();
        // The scores are those of the regression on all features without a penalty.
        let own = excluded.is_empty() && penalty.is_none();
        let scores = self.scores.as_ref().filter(|_| own);
        let scores = scores.map(|scores| scores.products(self.terms.coefficients())).unwrap_or_default();
        let gate = Gate::new(&moments, &map, excluded, penalty)?;
        Ok(Solved { moments, map, gate, scores })
    }

    /// Returns the number of rows as round 1 counted them, and the standard deviation of its noise.
    pub fn rows(&self) -> (f64, f64) {
        let level = f64::from(self.codes.level);
        let s = self.scales[0].real();
        (self.margins.first().copied().map_or(0.0, real) / (level * level), s / (level * level))
    }
}
