//! `naive-composition`: one private regression per outcome, each with noise of its own on the features' moments too (PRIMO's
//! baseline; theory/many-outcomes 5.1). It is there to be compared with: sharing one covariance costs less.
//!
//! **Guarantee, sensitivity.** As [`super`], with the outcomes' bound that of one outcome, for each of the l releases
//! of X'X and X'y. Composed, their squared sensitivities add up: l Δ² at the same S, which is what the ledger is charged;
//! μ/√l is left for each.
//!
//! **Defaults.** `kappa`: as for one outcome.

use std::sync::Arc;

use crate::data::{Exact, Moments};
use crate::inference::moments::{CellNoise, NoisyMoments};
use crate::inference::report::{RegressionTerms, report};
use crate::mechanisms::gaussian;
use crate::mechanisms::rounds::{
    Answer, Charge, Encoding, Output, PostProcessing, Round, RoundNoise, Rounds, Run, Task, Unsettled,
};
use crate::mechanisms::second_moments::{answer, extent, options};
use crate::model::Layout;
use crate::noise::entropy::Entropy;
use crate::privacy::event::Event;
use crate::release::document::{Coefficients, Diagnostics};
use crate::words;

/// The round of all regressions.
#[derive(Debug)]
pub struct PerOutcome {
    encoding: Encoding,
    noise: Arc<Noise>,
    post_processing: PostProcessing,
}

/// The noise of all regressions together.
#[derive(Clone, Debug, PartialEq)]
pub struct Noise {
    /// The noise of one regression, with the squared sensitivity of all. `None` without noise.
    pub each: Option<gaussian::Noise>,
    /// The moments of one outcome.
    own: Layout,
    /// Number of outcomes.
    pub outcomes: usize,
}

impl PerOutcome {
    /// Returns the round. `each` is the noise of one regression.
    pub fn new(encoding: &Encoding, each: Option<gaussian::Noise>, post_processing: PostProcessing) -> Self {
        let layout = encoding.layout;
        let own = Layout::sides(layout.features(), 1, false);
        let noise = Arc::new(Noise { each, own, outcomes: layout.outcomes() });
        Self { encoding: encoding.clone(), noise, post_processing }
    }

    /// Returns the charge.
    pub fn charge(&self) -> Option<Charge> {
        let each = self.noise.each.as_ref()?;
        let parameters = [("S", each.scale.get().to_string()), ("times", self.noise.outcomes.to_string())];
        Some(Charge::gaussian(vec![self.noise.event(each)], parameters))
    }
}

impl Noise {
    /// Returns what the ledger is charged for.
    fn event(&self, each: &gaussian::Noise) -> Event {
        let times = self.outcomes as u64;
        match each.event() {
            Event::Gaussian { sensitivity_squared, scale, cells_diagonal, cells_off_diagonal } => {
                Event::Gaussian {
                    sensitivity_squared,
                    scale,
                    cells_diagonal: cells_diagonal.saturating_mul(times),
                    cells_off_diagonal: cells_off_diagonal.saturating_mul(times),
                }
            }
            other => other,
        }
    }

    /// Returns the exact sums, outcome by outcome, each in the order of its own layout.
    fn exact(&self, moments: &Moments) -> impl Iterator<Item = i128> {
        let (features, own) = (self.own.features(), self.own);
        (0..self.outcomes).flat_map(move |outcome| {
            let place =
                move |term: usize| if term < features { term } else { features.saturating_add(outcome) };
            own.pairs().map(move |(row, column)| moments.get(place(row), place(column)))
        })
    }
}

impl RoundNoise for Noise {
    fn draw(&self, rng: &mut dyn Entropy) -> Vec<i128> {
        self.each
            .iter()
            .flat_map(|each| (0..self.outcomes).map(move |_| each))
            .flat_map(|each| each.draw(rng))
            .collect()
    }

    fn answer(&self, drawn: Vec<i128>, sums: &Exact<'_>, _: &mut dyn Entropy) -> Option<Answer> {
        let Exact::Moments(moments) = sums else { return None };
        let exact = self.exact(moments);
        Some(match &self.each {
            None => Answer::of(exact.collect()),
            Some(each) => {
                let cells = drawn.into_iter().zip(exact).map(|(noise, exact)| noise.saturating_add(exact));
                answer(cells.collect(), each.law())
            }
        })
    }
}

impl Rounds for PerOutcome {
    fn start(self: Arc<Self>) -> Box<dyn Run> {
        Box::new(Released { rounds: self, answer: None })
    }
}

struct Released {
    rounds: Arc<PerOutcome>,
    answer: Option<Answer>,
}

impl Run for Released {
    fn round(&self) -> Option<Round> {
        let PerOutcome { encoding, noise, .. } = &*self.rounds;
        let statistic = encoding.moments(encoding.layout);
        self.answer.is_none().then(|| Round { statistic, noise: Arc::clone(noise) as Arc<dyn RoundNoise> })
    }

    fn take(&mut self, answer: Answer) {
        self.answer = Some(answer);
    }

    fn finish(self: Box<Self>, task: &Task) -> Result<Output, Unsettled> {
        let all = self.rounds.moments(task, &self.answer.ok_or(Unsettled)?)?;
        let layout = RegressionTerms::new(&task.encoding.bound, &task.encoding.geometry);
        let (coefficients, diagnostics) = self.rounds.regressions(task, &all, &layout)?;
        Ok(Output { coefficients, diagnostics, moments: None, steps: None })
    }
}

impl PerOutcome {
    /// Returns the moments of each outcome with its own copy of the features'.
    fn moments(&self, task: &Task, answer: &Answer) -> Result<Vec<NoisyMoments>, Unsettled> {
        let Encoding { bound, geometry, layout } = &task.encoding;
        let (features, own) = (layout.features(), self.noise.own);
        let mut all = Vec::with_capacity(self.noise.outcomes);
        for (outcome, cells) in answer.cells.chunks_exact(own.cells().max(1)).enumerate() {
            let mut geometry = geometry.clone();
            let term = geometry.terms.get(features + outcome).cloned();
            geometry.terms.truncate(features);
            geometry.terms.extend(term);
            let moments = match &answer.law {
                Some(law) => NoisyMoments::from_law(&geometry, own, cells, law, &task.checked.plan),
                None => {
                    NoisyMoments::from_cells(&geometry, bound.grid.radius, own, cells, 0, CellNoise::None)
                }
            };
            all.push(moments.map_err(|_| Unsettled)?);
        }
        Ok(all)
    }

    /// Regresses each outcome from moments of its own.
    fn regressions(
        &self,
        task: &Task,
        all: &[NoisyMoments],
        layout: &RegressionTerms,
    ) -> Result<(Coefficients, Diagnostics), Unsettled> {
        let mut together: Option<(Coefficients, Diagnostics)> = None;
        for (moments, (name, _)) in all.iter().zip(&layout.outcomes) {
            let own = RegressionTerms {
                predictors: layout.predictors.clone(),
                outcomes: vec![(name.clone(), moments.matrix().nrows())],
            };
            let mut options = options(task, self.post_processing, moments);
            options.trace = extent(task, moments).map(|extent| extent.trace);
            let (coefficients, diagnostics) =
                report(moments, &own, task.checked.intercept, options).map_err(|_| Unsettled)?;
            match &mut together {
                None => together = Some((coefficients, diagnostics)),
                Some((first, notes)) => {
                    first.append(coefficients);
                    notes.join(diagnostics);
                }
            }
        }
        let (coefficients, mut diagnostics) = together.ok_or(Unsettled)?;
        diagnostics.notes.push(words::note::own_moments().into());
        Ok((coefficients, diagnostics))
    }
}
