//! The line of an outcome over one column, which `inference::partial_effect` computes.

use super::figure;
use super::format;
use super::odds;
use super::table::of_numbers;
use crate::model::note::quoted;
use crate::plan::Plan;
use crate::words;

/// One point of the line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The column's value.
    pub at: f64,
    /// The outcome, or its probability.
    pub value: f64,
    /// The interval of the outcome's mean here, at the release's level.
    pub span: Option<(f64, f64)>,
}

/// The line over the stated range of a column.
#[derive(Clone, Debug, PartialEq)]
pub struct PartialEffect {
    /// The column.
    pub column: String,
    /// The points in the column's order.
    pub points: Vec<Point>,
    /// Whether the points are probabilities.
    pub is_probability: bool,
    /// Whether released means are known.
    pub at_means: bool,
    /// The other numbers of which none is known, which are in the middle of their bounds.
    pub at_middle: Vec<String>,
    /// Whether intervals of the coefficients are approximate.
    pub is_approximate: bool,
}

impl PartialEffect {
    /// Returns whether it is known how uncertain the line is. Without a band it says nothing.
    pub fn has_band(&self) -> bool {
        self.points.iter().any(|point| point.span.is_some())
    }

    /// Returns what the line shows: an outcome with its unit, or the probability of its answer.
    pub fn shown(&self, plan: &Plan, outcome: &str) -> String {
        match odds::answers(plan, outcome, self.is_probability) {
            Some(answers) if self.is_probability => words::effect::probability_of(outcome, &answers.modelled),
            Some(answers) => words::result::of_answers(outcome, answers.words()),
            None => figure::with_unit(outcome, &figure::unit(plan, outcome)),
        }
    }

    /// Returns the values of the column that are marked on its axis.
    pub fn ticks(&self) -> Vec<f64> {
        self.places(figure::ticks)
    }

    /// Returns the values of the column that a table lists.
    pub fn listed(&self) -> Vec<f64> {
        self.places(figure::listed)
    }

    fn places(&self, between: impl Fn(f64, f64) -> Vec<f64>) -> Vec<f64> {
        let ends = (self.points.first(), self.points.last());
        if let (Some(first), Some(last)) = ends { between(first.at, last.at) } else { Vec::new() }
    }

    /// Writes its points as CSV.
    pub fn csv(&self) -> String {
        let record = |Point { at, value, span }: &Point| {
            let (lower, upper) = span.unzip();
            (at.to_string().into(), vec![Some(*value), lower, upper])
        };
        of_numbers("at,estimate,lower,upper", self.points.iter().map(record))
    }

    /// Returns what a reader of the plot has to know.
    pub fn note(&self, plan: &Plan) -> String {
        let level = format::level(plan);
        let band = if self.is_probability {
            words::effect::band_of_probability(level)
        } else {
            words::effect::band(level)
        };
        let held = if self.at_means { words::effect::at_means() } else { words::effect::at_middle() };
        let middle = (self.at_means && !self.at_middle.is_empty())
            .then(|| words::effect::some_at_middle(quoted(&self.at_middle)));
        let approximate = self.is_approximate.then(|| words::effect::approximate().to_owned());
        let sentences = [Some(held.to_owned()), middle, Some(band), approximate];
        sentences.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }
}
