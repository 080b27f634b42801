//! The rounds as the engine runs them.

use std::sync::Arc;

use super::forecast::Forecast;
use super::progress::{Progress, RoundMap, Setting};
use super::report::Asked;
use super::{document, report};
use crate::data::statistics::{RecordMap, Scratch};
use crate::data::{Exact, Statistic};
use crate::inference::RegressionTerms;
use crate::inference::noise_forecast::{NoiseForecast, assumed_spreads};
use crate::mechanisms::adaptive::noise::is_unnoised;
use crate::mechanisms::rounds::{Answer, Noise, Output, Round, Rounds, Run, Task, Unsettled};
use crate::noise::entropy::Entropy;
use crate::privacy::mutants::{Mutant, is_active};

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
        Some(forecast.clipped_at(*outcome_radius).said(terms, &spreads))
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
        let setting = self.setting();
        match self {
            Self::Margins(_) => setting.cells(0),
            Self::Tails(..) => setting.cells(2),
            Self::Moments(..) | Self::Last(..) => setting.cells(1),
            Self::Scores(..) => setting.cells(4),
        }
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
        if is_unnoised(self.round) || (self.round == 4 && is_active(Mutant::ScoresUnnoised)) {
            drawn.fill(0);
        }
        Answer::noisy(drawn, sums)
    }
}

#[cfg(feature = "audit-mutants")]
impl Drawn {
    /// Returns the second round's noise in the fourth round.
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
