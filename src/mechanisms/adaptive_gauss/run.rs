//! The rounds as the engine runs them.

use std::sync::Arc;

use super::forecast::Forecast;
use super::progress::{Progress, RoundMap, Setting};
use super::report::Asked;
use super::{document, report};
use crate::data::statistics::{RecordMap, Scratch};
use crate::inference::RegressionTerms;
use crate::inference::noise_forecast::{NoiseForecast, assumed_spreads};
use crate::mechanisms::adaptive::noise::numbered_round;
use crate::mechanisms::rounds::{Answer, Output, Round, Rounds, Run, Task, Unsettled};

impl Rounds for Setting {
    fn count(&self) -> u32 {
        if self.rounds.scores.is_some() { 5 } else { 4 }
    }

    fn start(self: Arc<Self>) -> Box<dyn Run> {
        Box::new(Progress::new(self))
    }

    fn takes_rows_together(&self) -> bool {
        self.rounds.scores.is_some() && self.sums_persons()
    }

    fn noise_forecast(&self, task: &Task, rows: f64, mu: f64) -> Option<NoiseForecast> {
        let Self { terms, adjacency, shares, outcome_radius, .. } = self;
        let people = task.checked.max_rows_per_person;
        let spreads = assumed_spreads(&task.encoding.bound);
        let forecast = Forecast::new(terms, *adjacency, people, rows, mu, *shares);
        Some(forecast.clipped_at(*outcome_radius).noise_forecast(terms, &spreads))
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
        let setting = Arc::clone(&self.setting);
        let released = self.released().ok_or(Unsettled)?;
        let solved = released.solve(&[], None).map_err(|_| Unsettled)?;
        let names = RegressionTerms::new(&task.encoding.bound, &task.encoding.geometry).outcomes;
        let asked = Asked {
            checked: &task.checked,
            confidence: task.checked.confidence,
            outcomes: names.into_iter().enumerate().map(|(place, (name, _))| (name, place)).collect(),
            features: (0..released.terms.features()).collect(),
        };
        let (coefficients, diagnostics) = report::report(&asked, &released, &solved, &setting.coded);
        let moments = document::moments(&released, setting.coded.clone());
        Ok(Output { coefficients, diagnostics, moments: Some(moments), steps: None })
    }
}

impl RecordMap for RoundMap {
    fn cells(&self) -> usize {
        let number = match self {
            Self::Early(_, map) => map.number(),
            Self::Last(..) => 3,
            Self::Scores(..) => 4,
        };
        self.setting().rounds.in_order().nth(number).map_or(0, |round| round.shape.cells())
    }

    /// Returns how many records can be added in 64 bits: a record adds at most W² = 2^48 to a cell.
    fn block(&self) -> u32 {
        1 << 14
    }

    /// Adds a record of the encoder's grid.
    fn add(&self, row: &[i32], scratch: &mut Scratch, cells: &mut [i64]) {
        let Scratch { reals, values, codes, scores, .. } = scratch;
        values.clear();
        values.extend(row.iter().zip(&self.setting().steps).map(|(code, step)| f64::from(*code) * step));
        self.add_values(values, reals, codes, scores, cells);
    }

    fn of_person(&self) -> usize {
        match self {
            Self::Scores(setting, .., map) if setting.sums_persons() => {
                map.outcomes() * setting.terms.coefficients()
            }
            _ => 0,
        }
    }

    fn add_person(&self, sums: &[i64], scratch: &mut Scratch, cells: &mut [i64]) {
        if let Self::Scores(.., map) = self {
            map.add_person(sums, &mut scratch.reals, &mut scratch.scores, cells);
        }
    }
}
