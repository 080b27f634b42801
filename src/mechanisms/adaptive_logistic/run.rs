//! The rounds as the engine runs them.

use std::any::Any;
use std::sync::Arc;

use super::forecast::Forecast;
use super::progress::{EARLY, Progress, RoundMap, Setting};
use super::{document, report};
use crate::data::statistics::{RecordMap, Scratch};
use crate::data::{Exact, Statistic};
use crate::inference::noise_forecast::NoiseForecast;
use crate::math::triangle;
use crate::mechanisms::adaptive::noise::is_unnoised;
use crate::mechanisms::rounds::{Answer, Encoding, Noise, Output, Round, Rounds, Run, Task, Unsettled};
use crate::noise::entropy::Entropy;
use crate::privacy::mutants::{Mutant, is_active};
use crate::release::moments::CodedTerm;

/// The rounds of one plan: public, and fixed before a record is read.
#[derive(Debug)]
pub struct Adaptive {
    setting: Arc<Setting>,
    coded: Vec<CodedTerm>,
    /// The coded value of one step of the encoder's grid, of each feature.
    steps: Arc<[f64]>,
}

impl Adaptive {
    /// Returns the rounds for terms with these units.
    #[must_use]
    pub fn new(setting: Arc<Setting>, coded: Vec<CodedTerm>, encoding: &Encoding) -> Self {
        let terms = encoding.geometry.terms.iter().zip(&coded).take(setting.terms.features());
        let steps = terms.map(|(term, coded)| term.scale / coded.half_width).collect();
        Self { setting, coded, steps }
    }
}

impl Rounds for Adaptive {
    fn count(&self) -> u32 {
        self.setting.count()
    }

    fn start(self: Arc<Self>) -> Box<dyn Run> {
        let progress = Progress::new(Arc::clone(&self.setting));
        Box::new(Standing { rounds: self, progress })
    }

    fn noise(&self) -> &dyn Any {
        &*self.setting
    }

    fn noise_forecast(&self, task: &Task, rows: f64, mu: f64) -> Option<NoiseForecast> {
        let Setting { terms, adjacency, .. } = &*self.setting;
        let people = task.checked.max_rows_per_person;
        Some(Forecast::new(terms, *adjacency, people, rows, mu).said(terms))
    }
}

/// Where a release stands.
struct Standing {
    rounds: Arc<Adaptive>,
    progress: Progress,
}

impl Run for Standing {
    fn round(&self) -> Option<Round> {
        let map = self.progress.map()?;
        let Adaptive { setting, steps, .. } = &*self.rounds;
        Some(Round {
            statistic: Statistic::Map(Arc::new(Sum { map, steps: Arc::clone(steps) })),
            noise: Arc::new(Drawn { setting: Arc::clone(setting), round: self.progress.round() }),
        })
    }

    fn take(&mut self, answer: Answer) {
        self.progress.take(answer.cells);
    }

    fn finish(self: Box<Self>, task: &Task) -> Result<Output, Unsettled> {
        let Self { rounds, progress } = *self;
        let released = progress.finish().ok_or(Unsettled)?;
        let (coefficients, diagnostics) = report::report(task, &released, &rounds.coded);
        let steps = document::steps(&released, rounds.coded.clone());
        Ok(Output { coefficients, diagnostics, moments: None, steps: Some(steps) })
    }
}

/// What one record of the encoder's grid adds to a round.
#[derive(Debug)]
struct Sum {
    map: RoundMap,
    steps: Arc<[f64]>,
}

impl RecordMap for Sum {
    fn cells(&self) -> usize {
        self.map.cells()
    }

    fn block(&self) -> u32 {
        RoundMap::BLOCK
    }

    fn add(&self, row: &[i32], scratch: &mut Scratch, cells: &mut [i64]) {
        let Scratch { reals, values, codes, .. } = scratch;
        let (features, labels) = row.split_at(self.steps.len().min(row.len()));
        values.clear();
        values.extend(features.iter().zip(self.steps.iter()).map(|(code, step)| f64::from(*code) * step));
        // A label is its sign, whatever its code.
        values.extend(labels.iter().map(|code| f64::from(code.signum())));
        self.map.add(values, reals, codes, cells);
    }
}

/// The noise of one round.
#[derive(Debug)]
struct Drawn {
    setting: Arc<Setting>,
    round: u32,
}

impl Noise for Drawn {
    fn draw(&self, rng: &mut dyn Entropy) -> Vec<i128> {
        self.setting.noise(self.round, rng)
    }

    fn answer(&self, mut drawn: Vec<i128>, sums: &Exact<'_>, _: &mut dyn Entropy) -> Option<Answer> {
        if is_unnoised(self.round) {
            drawn.fill(0);
        }
        if self.round >= EARLY && is_active(Mutant::CurvatureUnnoised) {
            let curvature = triangle::len(self.setting.terms.coefficients());
            let labels = drawn.chunks_mut(self.setting.label_cells());
            labels.for_each(|cells| cells.iter_mut().take(curvature).for_each(|cell| *cell = 0));
        }
        Answer::noisy(drawn, sums)
    }
}
