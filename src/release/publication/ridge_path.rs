//! How the coefficients of a regression change with the ridge, which `inference::ridge_path` computes.

use super::super::figure;
use super::super::format::{NONE, short, significant};
use super::super::table::{name, of_numbers};
use super::tables::{self, head, number};
use super::{DecimalMark, Table};
use crate::plan::Plan;
use crate::words;

/// Most terms of the plot.
pub const MOST_DRAWN: usize = 6;

/// Digits of a coefficient.
const DIGITS: u8 = 3;

/// One coefficient along the ridges.
#[derive(Clone, Debug, PartialEq)]
pub struct TermPath {
    /// The term.
    pub term: String,
    /// What its coefficient is the difference for; see [`figure::Line::per`].
    pub per: String,
    /// What it is multiplied by in the plot; see [`figure::Line::reach`].
    pub reach: Option<f64>,
    /// One for each ridge, in the columns' own units; nothing where it is withheld.
    pub estimates: Vec<Option<f64>>,
}

impl TermPath {
    /// Returns the path of a term of a regression under `plan`.
    pub fn new(plan: &Plan, term: &str, estimates: Vec<Option<f64>>) -> Self {
        let (per, reach) = figure::meaning(plan, term);
        Self { term: term.to_owned(), per, reach, estimates }
    }

    /// Returns the contrast for a reader: `age per year`.
    pub fn label(&self) -> String {
        tables::labelled(&self.term, &self.per)
    }

    /// Returns what the plot calls it: over the stated range of its column where it is drawn so.
    pub fn drawn_label(&self) -> String {
        match self.reach {
            Some(reach) if figure::is_range(reach) => words::result::over_range(&self.term),
            _ => self.label(),
        }
    }

    /// Returns what is drawn of it: differences in the outcome's unit. Nothing of the intercept, which is no difference.
    pub fn drawn(&self) -> Vec<Option<f64>> {
        let drawn = |estimate: &Option<f64>| {
            estimate
                .zip(self.reach)
                .map(|(estimate, reach)| estimate * reach)
                .filter(|value| value.is_finite())
        };
        self.estimates.iter().map(drawn).collect()
    }
}

/// The coefficients of one regression at several ridges.
#[derive(Clone, Debug, PartialEq)]
pub struct RidgePath {
    /// The outcome.
    pub outcome: String,
    /// The outcome's unit, or nothing.
    pub unit: String,
    /// The public grid: 0 and powers of ten, ascending, in the unit of the regression's own ridge.
    pub grid: Vec<f64>,
    /// The grid with the chosen ridge.
    pub ridges: Vec<f64>,
    /// The place of the one that the regression has.
    pub chosen: usize,
    /// Its terms.
    pub paths: Vec<TermPath>,
    /// The ridges at which the moments had to be repaired.
    pub repaired: Vec<f64>,
}

impl RidgePath {
    /// Returns the terms that are longest in the plot, at most `most` of them, in their order.
    pub fn longest(&self, most: usize) -> Vec<&TermPath> {
        let length = |path: &TermPath| path.drawn().into_iter().flatten().map(f64::abs).fold(0.0, f64::max);
        let mut found: Vec<(usize, &TermPath)> = self.paths.iter().enumerate().collect();
        found.retain(|(_, path)| path.drawn().iter().any(Option::is_some));
        found.sort_by(|(_, a), (_, b)| length(b).total_cmp(&length(a)));
        found.truncate(most);
        found.sort_by_key(|(place, _)| *place);
        found.into_iter().map(|(_, path)| path).collect()
    }

    /// Returns what it shows, as a caption.
    pub fn caption(&self) -> String {
        words::path::of(&self.outcome)
    }

    /// Returns what a reader has to know of it.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = vec![words::path::meaning().to_owned(), words::path::free().to_owned()];
        let drawn = self.longest(MOST_DRAWN).len();
        if self.paths.iter().filter(|path| path.reach.is_some()).count() > drawn {
            notes.push(words::path::longest(drawn));
        }
        if !self.repaired.is_empty() {
            let ridges: Vec<String> = self.repaired.iter().map(|ridge| short(*ridge, 3)).collect();
            notes.push(words::path::repaired(ridges.join(", ")));
        }
        notes
    }

    /// Returns it as a table to be printed: a row for each term, a column for each ridge, which its head names with this mark.
    pub fn table(&self, decimal: DecimalMark) -> Table {
        let mut heads = vec![head(words::result::term())];
        heads.extend(self.ridges.iter().enumerate().map(|(place, &ridge)| {
            let ridge = decimal.of_numbers(short(ridge, DIGITS));
            number(if place == self.chosen { words::path::chosen(ridge) } else { words::path::ridge(ridge) })
        }));
        let row = |path: &TermPath| {
            let written = |value: &Option<f64>| {
                value.map_or_else(|| NONE.to_owned(), |value| significant(value, DIGITS))
            };
            std::iter::once(path.label()).chain(path.estimates.iter().map(written)).collect()
        };
        Table {
            caption: self.caption(),
            heads,
            rows: self.paths.iter().map(row).collect(),
            notes: self.notes(),
        }
    }

    /// Writes it as CSV, one record for each term and ridge.
    pub fn csv(&self) -> String {
        let records = self.paths.iter().flat_map(|path| {
            let each = self.ridges.iter().zip(&path.estimates);
            each.map(|(ridge, estimate)| (name(&path.term), vec![Some(*ridge), *estimate]))
        });
        of_numbers("term,ridge,estimate", records)
    }
}
