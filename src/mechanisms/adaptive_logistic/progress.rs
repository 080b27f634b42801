//! A release between two rounds: what the next round sums, and what follows from the noisy answers so far.

use std::sync::Arc;

use super::estimate::{Judged, Stepped, Sums};
use super::start::{mean_variance, rates, start};
use super::step::{self, Grid};
use super::units::Rounds;
use crate::math::round::real;
use crate::math::triangle;
use crate::mechanisms::adaptive::bits::bits26;
use crate::mechanisms::adaptive::early::EarlyMap;
use crate::mechanisms::adaptive::guide::Guide;
use crate::mechanisms::adaptive::margins::Margins;
use crate::mechanisms::adaptive::radius::FeatureRadius;
use crate::mechanisms::adaptive::rough::Standardiser;
use crate::mechanisms::adaptive::tails::{Counts, Edges};
use crate::mechanisms::adaptive::terms::Terms;
use crate::mechanisms::rounds::Rounds as _;
use crate::privacy::adjacency::Adjacency;
use crate::privacy::mutants::{Mutant, is_active};
use crate::release::moments::CodedTerm;

/// Rounds before the first step.
pub const EARLY: u32 = 3;

/// What is fixed before a record is read: public.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// The coded terms: features, then labels.
    pub terms: Terms,
    /// Integer units and noise.
    pub rounds: Rounds,
    /// The adjacency: which tables are neighbours.
    pub adjacency: Adjacency,
    /// μ of the last step for one row of a person: √(u_T 2^-40) / p.
    pub mu_last: f64,
    /// λ, the penalty on whitened slopes.
    pub lambda: f64,
    /// The columns' own units of each term.
    pub coded: Vec<CodedTerm>,
    /// The coded value of one step of the encoder's grid, of each feature.
    pub steps: Vec<f64>,
}

/// Returns a: how much more a replaced record changes the sums of a step than an added one.
pub const fn replaced(adjacency: Adjacency) -> f64 {
    match adjacency {
        Adjacency::AddRemove => 1.0,
        Adjacency::ReplaceOne => 2.0,
    }
}

impl Setting {
    /// Returns the number of integers of one label in a step.
    pub fn label_cells(&self) -> usize {
        let k = self.terms.coefficients();
        triangle::len(k) + k
    }

    /// Returns R_x with J at each candidate, from the counts and the labels' shares of yes.
    pub fn radius(&self, counts: &Counts, rates: &[f64]) -> (f64, Vec<f64>) {
        let a = replaced(self.adjacency);
        let noise = a * a * real(self.terms.outcomes());
        let information = self.mu_last * self.mu_last * mean_variance(rates);
        let FeatureRadius { radius, costs, .. } =
            FeatureRadius::choose(&self.terms, counts, noise, information);
        (bits26(radius), costs)
    }
}

/// What one record with its coded values adds to the integers of one round. Given the earlier answers it is a public function of this
/// record alone.
#[derive(Clone, Debug)]
pub enum RoundMap {
    /// The map of one of the first three rounds.
    Early(Arc<Setting>, EarlyMap),
    /// Curvature and gradient at these coefficients.
    Step(Arc<Setting>, Arc<Guide>, Grid, Vec<Vec<f64>>),
}

impl RoundMap {
    /// Returns the setting.
    pub fn setting(&self) -> &Setting {
        match self {
            Self::Early(setting, _) | Self::Step(setting, ..) => setting,
        }
    }

    /// Adds a record with these coded values; `reals` and `codes` are working memory.
    pub fn add_values(&self, values: &[f64], reals: &mut Vec<f64>, codes: &mut Vec<i32>, cells: &mut [i64]) {
        match self {
            Self::Early(setting, map) => map.add(&setting.terms, values, reals, codes, cells),
            Self::Step(_, guide, grid, b) => step::add(guide, grid, b, values, reals, codes, cells),
        }
    }
}

/// The results of the early rounds.
#[derive(Clone, Debug)]
struct Early {
    guide: Arc<Guide>,
    rates: Vec<f64>,
    start: Vec<Vec<f64>>,
}

/// The state of a release between two rounds: public.
#[derive(Clone, Debug)]
pub struct Progress {
    pub(super) setting: Arc<Setting>,
    /// The noisy integers of the rounds so far.
    answers: Vec<Vec<i128>>,
    margins: Option<(Margins, Standardiser)>,
    early: Option<Early>,
    counts: Option<Counts>,
    grid: Option<Grid>,
    /// Each label after the step, of every step so far.
    steps: Vec<Vec<Stepped>>,
}

impl Progress {
    /// Starts before the first round.
    pub const fn new(setting: Arc<Setting>) -> Self {
        Self {
            setting,
            answers: Vec::new(),
            margins: None,
            early: None,
            counts: None,
            grid: None,
            steps: Vec::new(),
        }
    }

    /// Returns the number of the next round, from 0.
    pub fn number(&self) -> u32 {
        u32::try_from(self.answers.len()).unwrap_or(u32::MAX)
    }

    /// Returns the coefficients of the next step.
    fn coefficients(&self) -> Option<Vec<Vec<f64>>> {
        let early = self.early.as_ref()?;
        Some(
            self.steps
                .last()
                .map_or_else(|| early.start.clone(), |step| step.iter().map(|one| one.b.clone()).collect()),
        )
    }

    /// Returns what the next round sums. `None` after the last, or where arithmetic failed.
    pub fn map(&self) -> Option<RoundMap> {
        let setting = Arc::clone(&self.setting);
        let guide = || self.early.as_ref().map(|early| Arc::clone(&early.guide));
        let early = match self.number() {
            0 => EarlyMap::Margins(setting.rounds.codes.level),
            1 => EarlyMap::Moments(self.margins.as_ref()?.1.clone()),
            2 => EarlyMap::Tails(guide()?, Edges::new(&setting.terms), setting.rounds.codes.count),
            round if round < setting.count() => {
                let whole = self.steps.len() == (round - EARLY) as usize;
                let coefficients = whole.then(|| self.coefficients()).flatten()?;
                return Some(RoundMap::Step(setting, guide()?, self.grid?, coefficients));
            }
            _ => return None,
        };
        Some(RoundMap::Early(setting, early))
    }

    /// Takes the noisy integers of the round.
    pub fn take_cells(&mut self, cells: Vec<i128>) {
        match self.number() {
            0 => self.take_margins(&cells),
            1 => self.take_moments(&cells),
            2 => self.take_tails(&cells),
            round => self.take_step((round - EARLY) as usize, &cells),
        }
        self.answers.push(cells);
    }

    fn take_margins(&mut self, cells: &[i128]) {
        let Setting { terms, rounds, .. } = &*self.setting;
        let margins = Margins::new(terms, rounds.codes.level, &rounds.margins, cells);
        let standardiser = Standardiser::new(terms, rounds.codes.record, &unstandardised(terms, &margins));
        self.margins = Some((margins, standardiser));
    }

    fn take_moments(&mut self, cells: &[i128]) {
        let Setting { terms, rounds, .. } = &*self.setting;
        let Some((margins, standardiser)) = &self.margins else { return };
        let raw = unstandardised(terms, margins);
        let Ok(guide) = Guide::new(terms, &rounds.moments, &raw, standardiser, cells) else { return };
        let rates = rates(terms, rounds.codes.level, &rounds.margins, margins);
        let rows = standardiser.moments(cells)[(0, 0)].max(1.0);
        let start = start(&guide, &rates, standardiser.noise(&rounds.moments, rows));
        self.early = Some(Early { guide: Arc::new(guide), rates, start });
    }

    fn take_tails(&mut self, cells: &[i128]) {
        let Setting { terms, rounds, .. } = &*self.setting;
        let Some(early) = &self.early else { return };
        let counts = Counts::new(rounds.codes.count, &rounds.tails, cells);
        let (radius, _) = self.setting.radius(&counts, &early.rates);
        self.grid = Some(Grid::new(terms.coefficients(), rounds.codes, radius));
        self.counts = Some(counts);
    }

    fn take_step(&mut self, step: usize, cells: &[i128]) {
        let setting = Arc::clone(&self.setting);
        let k = setting.terms.coefficients();
        let (Some(round), Some(grid)) = (setting.rounds.steps.get(step), &self.grid) else { return };
        let Some(coefficients) = self.coefficients() else { return };
        let labels = cells.chunks_exact(setting.label_cells()).zip(&coefficients);
        let stepped =
            labels.map(|(cells, b)| Stepped::new(b, Sums::new(round.s(), grid, k, cells), setting.lambda));
        if let Ok(stepped) = stepped.collect::<Result<Vec<_>, _>>() {
            self.steps.push(stepped);
        }
    }

    /// Returns what was released, after the last round. `None` if arithmetic failed.
    pub fn released(self) -> Option<Released> {
        let complete = self.steps.len() == self.setting.rounds.steps.len();
        let early = self.early.filter(|_| complete)?;
        let mut answers = self.answers.into_iter();
        Some(Released {
            margins: answers.next()?,
            moments: answers.next()?,
            tails: answers.next()?,
            answers: answers.collect(),
            setting: self.setting,
            guide: early.guide,
            rates: early.rates,
            start: early.start,
            counts: self.counts?,
            grid: self.grid?,
            steps: self.steps,
        })
    }
}

/// Returns the margins by which round 2 standardises. Labels are not standardised, because rare events would make long records.
fn unstandardised(terms: &Terms, margins: &Margins) -> Margins {
    let mut margins = margins.clone();
    margins.centres.iter_mut().skip(terms.features()).for_each(|centre| *centre = 0.0);
    margins.scales.iter_mut().skip(terms.features()).for_each(|scale| *scale = 1.0);
    margins
}

/// The noisy integers of all rounds, and what they give: all that is published follows from it.
#[derive(Clone, Debug)]
pub struct Released {
    /// The setting, fixed before a record is read.
    pub setting: Arc<Setting>,
    /// The guide.
    pub guide: Arc<Guide>,
    /// The share of yes of each label.
    pub rates: Vec<f64>,
    /// b of each label before the first step.
    pub start: Vec<Vec<f64>>,
    /// The tail counts.
    pub counts: Counts,
    /// The grid of the steps, with R_x.
    pub grid: Grid,
    /// Each label after each step.
    pub steps: Vec<Vec<Stepped>>,
    /// Noisy integers of round 1.
    pub margins: Vec<i128>,
    /// Noisy integers of round 2.
    pub moments: Vec<i128>,
    /// Noisy integers of round 3.
    pub tails: Vec<i128>,
    /// Noisy integers of each step.
    pub answers: Vec<Vec<i128>>,
}

impl Released {
    /// Returns b of each label after the last step, and what that step says of it.
    pub fn judged(&self) -> Vec<(Vec<f64>, Judged)> {
        let Some((last, first)) = self.steps.last().zip(self.steps.first()) else { return Vec::new() };
        let labels = last.iter().zip(first);
        labels
            .map(|(last, first)| {
                let lambda = self.setting.lambda;
                let judged = if is_active(Mutant::FirstCurvature) {
                    let Stepped { inverse, raised, .. } = first.clone();
                    Stepped { inverse, raised, ..last.clone() }.judge(lambda)
                } else {
                    last.judge(lambda)
                };
                (last.b.clone(), judged)
            })
            .collect()
    }

    /// Returns the terms of the features.
    pub fn features(&self) -> &[CodedTerm] {
        self.setting.coded.get(..self.setting.terms.features()).unwrap_or_default()
    }

    /// Returns b of a label before the last step.
    pub fn before(&self, label: usize) -> Option<&[f64]> {
        let steps = self.steps.len().checked_sub(2).and_then(|last| self.steps.get(last));
        match steps {
            Some(step) => Some(&step.get(label)?.b),
            None => self.start.get(label).map(Vec::as_slice),
        }
    }
}
