//! The rounds as the engine runs them.

use std::sync::Arc;

use super::forecast::Forecast;
use super::progress::{EARLY, Progress, RoundMap, Setting};
use super::{document, report};
use crate::data::statistics::{RecordMap, Scratch};
use crate::data::{Exact, Statistic};
use crate::inference::assumptions::chance;
use crate::inference::noise_forecast::NoiseForecast;
use crate::math::triangle;
use crate::mechanisms::adaptive::noise::is_unnoised;
use crate::mechanisms::rounds::{Answer, Noise, Output, Round, Rounds, Run, Task, Unsettled};
use crate::model::Role;
use crate::noise::entropy::Entropy;
use crate::privacy::mutants::{Mutant, is_active};

impl Rounds for Setting {
    /// Returns the number of rounds: three, and one for each step.
    fn count(&self) -> u32 {
        EARLY + u32::try_from(self.rounds.steps.len()).unwrap_or(0)
    }

    fn start(self: Arc<Self>) -> Box<dyn Run> {
        Box::new(Progress::new(self))
    }

    fn noise_forecast(&self, task: &Task, rows: f64, mu: f64) -> Option<NoiseForecast> {
        let Self { terms, adjacency, .. } = self;
        let people = task.checked.max_rows_per_person;
        let outcomes = task.encoding.bound.columns.iter().filter(|column| column.role == Role::Outcome);
        let chances: Vec<f64> = outcomes.map(chance).collect();
        Some(Forecast::new(terms, *adjacency, people, rows, mu, &chances).said(terms))
    }
}

impl Run for Progress {
    fn round(&self) -> Option<Round> {
        let noise = Drawn { setting: Arc::clone(&self.setting), round: self.number() };
        Some(Round { statistic: Statistic::Map(Arc::new(self.map()?)), noise: Arc::new(noise) })
    }

    fn take(&mut self, answer: Answer) {
        self.take_cells(answer.cells);
    }

    fn finish(self: Box<Self>, task: &Task) -> Result<Output, Unsettled> {
        let released = self.released().ok_or(Unsettled)?;
        let (coefficients, diagnostics) = report::report(task, &released);
        let steps = document::steps(&released);
        Ok(Output { coefficients, diagnostics, moments: None, steps: Some(steps) })
    }
}

impl RecordMap for RoundMap {
    fn cells(&self) -> usize {
        self.setting().cells(match self {
            Self::Margins(_) => 0,
            Self::Moments(..) => 1,
            Self::Tails(..) => 2,
            Self::Step(..) => EARLY,
        })
    }

    /// Returns how many records can be added in 64 bits: a record adds less than 2^55 to a cell.
    fn block(&self) -> u32 {
        1 << 7
    }

    /// Adds a record of the encoder's grid.
    fn add(&self, row: &[i32], scratch: &mut Scratch, cells: &mut [i64]) {
        let Scratch { reals, values, codes, .. } = scratch;
        let steps = &self.setting().steps;
        let (features, labels) = row.split_at(steps.len().min(row.len()));
        values.clear();
        values.extend(features.iter().zip(steps).map(|(code, step)| f64::from(*code) * step));
        // A label is its sign, whatever its code.
        values.extend(labels.iter().map(|code| f64::from(code.signum())));
        self.add_values(values, reals, codes, cells);
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
