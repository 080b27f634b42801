//! The four rounds as the engine runs them.

use std::any::Any;
use std::sync::Arc;

use super::forecast::Forecast;
use super::progress::{Progress, ROUNDS, RoundMap, Setting};
use super::report::Asked;
use super::{document, report};
use crate::data::statistics::{RecordMap, Scratch};
use crate::data::{Exact, Statistic};
use crate::inference::RegressionTerms;
use crate::inference::noise_forecast::{NoiseForecast, assumed_spreads};
use crate::mechanisms::adaptive::noise::is_unnoised;
use crate::mechanisms::rounds::{Answer, Encoding, Noise, Output, Round, Rounds, Run, Task, Unsettled};
use crate::noise::entropy::Entropy;
#[cfg(feature = "audit-mutants")]
use crate::privacy::mutants::{Mutant, is_active};
use crate::release::moments::CodedTerm;

/// The rounds of one plan: public, and fixed before a record is read.
#[derive(Debug)]
pub struct Adaptive {
    setting: Arc<Setting>,
    coded: Vec<CodedTerm>,
    /// The coded value of one step of the encoder's grid, of each term.
    steps: Arc<[f64]>,
}

impl Adaptive {
    /// Returns the rounds for terms with these units.
    #[must_use]
    pub fn new(setting: Arc<Setting>, coded: Vec<CodedTerm>, encoding: &Encoding) -> Self {
        let terms = encoding.geometry.terms.iter().zip(&coded);
        let steps = terms.map(|(term, coded)| term.scale / coded.half_width).collect();
        Self { setting, coded, steps }
    }
}

impl Rounds for Adaptive {
    fn count(&self) -> u32 {
        ROUNDS
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
        let spreads = assumed_spreads(&task.encoding.bound);
        Some(Forecast::new(terms, *adjacency, people, rows, mu).said(terms, &spreads))
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
        let solved = released.solve(&[], None).map_err(|_| Unsettled)?;
        let names = RegressionTerms::new(&task.encoding.bound, &task.encoding.geometry).outcomes;
        let asked = Asked {
            checked: &task.checked,
            confidence: task.checked.confidence,
            outcomes: names.into_iter().enumerate().map(|(place, (name, _))| (name, place)).collect(),
            features: (0..released.terms.features()).collect(),
        };
        let (coefficients, diagnostics) = report::report(&asked, &released, &solved, &rounds.coded);
        let moments = document::moments(&released, rounds.coded.clone());
        Ok(Output { coefficients, diagnostics, moments: Some(moments), steps: None })
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
        values.clear();
        values.extend(row.iter().zip(self.steps.iter()).map(|(code, step)| f64::from(*code) * step));
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
        #[cfg(feature = "audit-mutants")]
        if is_active(Mutant::RoundNoiseReused) {
            return self.reused(rng);
        }
        self.setting.noise(self.round, rng)
    }

    fn answer(&self, mut drawn: Vec<i128>, sums: &Exact<'_>, _: &mut dyn Entropy) -> Option<Answer> {
        if is_unnoised(self.round) {
            drawn.fill(0);
        }
        Answer::noisy(drawn, sums)
    }
}

#[cfg(feature = "audit-mutants")]
impl Drawn {
    /// Returns the second round's noise in the final round.
    fn reused(&self, rng: &mut dyn Entropy) -> Vec<i128> {
        thread_local! {
            static DRAWN: std::cell::RefCell<Vec<i128>> = const { std::cell::RefCell::new(Vec::new()) };
        }
        if self.round == 3 {
            return DRAWN.take();
        }
        let drawn = self.setting.noise(self.round, rng);
        if self.round == 1 {
            DRAWN.set(drawn.clone());
        }
        drawn
    }
}
