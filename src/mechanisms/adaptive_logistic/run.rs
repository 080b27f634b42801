//! The rounds as the engine runs them.

use std::sync::Arc;

use super::forecast::Forecast;
use super::progress::{EARLY, Progress, RoundMap, Setting};
use super::{document, report};
use crate::data::statistics::{RecordMap, Scratch};
use crate::inference::assumptions::chance;
use crate::inference::noise_forecast::NoiseForecast;
use crate::mechanisms::adaptive::noise::numbered_round;
use crate::mechanisms::rounds::{Answer, Output, Round, Rounds, Run, Task, Unsettled};
use crate::model::Role;

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
        Some(Forecast::new(terms, *adjacency, people, rows, mu, &chances).noise_forecast(terms))
    }
}

impl Run for Progress {
    fn round(&self) -> Option<Round> {
        numbered_round(self.map()?, self.number(), self.setting.rounds.in_order())
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
        let rounds = &self.setting().rounds;
        let round = match self {
            Self::Early(_, map) => rounds.in_order().nth(map.number()),
            Self::Step(..) => rounds.steps.first(),
        };
        round.map_or(0, |round| round.shape.cells())
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
