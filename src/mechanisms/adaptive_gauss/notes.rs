//! What a reader of the coefficients has to know.

use std::collections::BTreeSet;

use super::forecast::Forecast;
use super::gate::LONG_TAIL;
use super::progress::{Released, Solved};
use super::units::Shares;
use crate::inference::notes::approximate;
use crate::math::round::real;
use crate::mechanisms::adaptive::tails::Beyond;
use crate::model::note::{
    NAMED, clipped_outcome, enumerated, far_rows, hardly_any_rows, listing, long_tail, quoted, two_digits,
};
use crate::model::{Estimate, INTERCEPT, Interval};
use crate::plan::CheckedPlan;
use crate::plan::derived::logarithm;
use crate::privacy::calibrate::{Split, budget_parts};
use crate::privacy::convert::gdp_epsilon;
use crate::privacy::measure::Mu;
use crate::release::moments::CodedTerm;
use crate::words;

/// Why intervals are approximate.
#[derive(Default)]
pub struct Doubts {
    /// The coefficients that are shown and whose robust standard errors have much noise, each with its outcome.
    pub rough: BTreeSet<(usize, String)>,
    /// The coefficients that a held one could move.
    pub moved: BTreeSet<usize>,
    /// The outcomes whose residuals are not larger than the noise.
    pub hidden: Vec<String>,
    /// The outcomes of which a stated radius clips many residuals.
    pub clipped: Vec<String>,
}

/// The coefficients that are shown.
pub struct Shown {
    /// Whether at least one is shown.
    pub any: bool,
    /// The coefficients that at least one outcome does not show.
    pub without: Vec<usize>,
}

impl Shown {
    /// Returns which of the coefficients at these places are shown.
    pub fn new(entries: &[Vec<Estimate>], places: &[usize]) -> Self {
        let is_withheld = |entry: &Estimate| entry.interval == Interval::Withheld;
        let without = places
            .iter()
            .enumerate()
            .filter(|(at, _)| entries.iter().any(|entries| is_withheld(&entries[*at])));
        Self {
            any: !entries.iter().flatten().all(is_withheld),
            without: without.map(|(_, place)| *place).collect(),
        }
    }
}

/// The facts on which the notes depend.
pub struct Notes<'a> {
    /// The plan.
    pub checked: &'a CheckedPlan,
    /// The outcomes that are reported: a name, and the place among the outcomes.
    pub outcomes: &'a [(String, usize)],
    /// What was released.
    pub released: &'a Released,
    /// What it determines.
    pub solved: &'a Solved,
    /// The columns' own units of each term.
    pub coded: &'a [CodedTerm],
    /// Whether all standard errors are robust.
    pub is_robust: bool,
    /// Why intervals are approximate.
    pub doubts: Doubts,
    /// The coefficients that are shown.
    pub shown: Shown,
}

impl Notes<'_> {
    /// Returns all notes.
    pub fn all(&self) -> Vec<String> {
        let mut notes = if self.has_any() { self.of_determined() } else { vec![self.undetermined()] };
        notes.extend(self.of_far_rows());
        if self.solved.gate.is_penalised() {
            notes.push(words::note::own_unit_penalty().into());
        }
        notes.extend(self.of_long_tails());
        notes.extend([words::note::both_errors(), words::note::clipped()].map(String::from));
        notes.extend(self.of_errors());
        notes.push(words::note::bounds_fixed().into());
        notes
    }

    /// Returns whether at least one coefficient is determined and shown.
    const fn has_any(&self) -> bool {
        self.solved.gate.inverse.is_some() && self.shown.any
    }

    /// Returns the number of rows with the deviation of its noise. `None` if it does not stand out of its noise, because no sentence
    /// can compare with it then.
    fn rows(&self) -> Option<(f64, f64)> {
        Some(self.released.rows()).filter(|(rows, deviation)| *rows > 2.0 * deviation)
    }

    fn name(&self, place: usize) -> String {
        let term = place.checked_sub(1).and_then(|place| self.coded.get(place));
        term.map_or(INTERCEPT, |term| &term.term).to_owned()
    }

    fn listed<'b>(&self, places: impl ExactSizeIterator<Item = &'b usize>) -> String {
        let all = places.len();
        listing(&(places.take(NAMED).map(|place| self.name(*place)).collect(), all))
    }

    /// Returns which coefficients are held, and why intervals of others are withheld or approximate.
    fn of_determined(&self) -> Vec<String> {
        let Self { released, doubts, .. } = self;
        let gate = &self.solved.gate;
        let mut notes = Vec::new();
        if !gate.held.is_empty() {
            notes.push(words::note::held(self.listed(gate.held.iter())));
            let moved: Vec<&usize> =
                self.shown.without.iter().filter(|place| !gate.held.contains(place)).collect();
            if !moved.is_empty() {
                let without = words::note::moved_by_held(self.listed(moved.into_iter()));
                notes.push(format!("{without} {}", words::note::held_offer()));
            }
            if !doubts.moved.is_empty() {
                notes.push(words::note::moved_little(self.listed(doubts.moved.iter())));
            }
        }
        // Where a tail is unseen more rows alone do not give full intervals.
        notes.extend(approximate(gate.condition, false).filter(|_| !released.radii.unseen));
        if !doubts.hidden.is_empty() {
            notes.push(words::note::residual_hidden(quoted(&doubts.hidden)));
        }
        notes
    }

    /// Returns how many rows lie far out, and how many residuals are clipped.
    fn of_far_rows(&self) -> Vec<String> {
        let Released { radii, counts, terms, .. } = self.released;
        let rows = self.rows();
        let mut notes = vec![far_rows(counts.shortened_said(terms, radii.features), rows)];
        let clipped = self.outcomes.iter().filter_map(|(name, outcome)| {
            let radius = *radii.outcomes.get(*outcome)?;
            let beyond = counts.clipped(*outcome, radius)?;
            Some(clipped_outcome(name, beyond.rows, beyond.deviation, radius))
        });
        let clipped: Vec<String> = clipped.collect();
        if rows.is_some() && !clipped.is_empty() {
            let (named, more) = clipped.split_at(clipped.len().min(NAMED));
            let named = named.join(", ");
            let named = if more.is_empty() { named } else { words::note::list_more(named, more.len()) };
            notes.push(words::note::clipped_residuals(named));
        }
        if radii.unseen && self.has_any() {
            notes.push(words::note::unseen_tail().into());
        }
        if !self.doubts.clipped.is_empty() {
            notes.push(words::note::radius_clips_many(quoted(&self.doubts.clipped)));
        }
        notes
    }

    /// Returns which outcomes have a long tail, how many rows are in those that stand out of the noise, and what a tail does to the
    /// coefficients.
    fn of_long_tails(&self) -> Option<String> {
        let has_tail = |(_, outcome): &&(String, usize)| {
            self.released.radii.outcomes.get(*outcome).is_some_and(|radius| *radius > LONG_TAIL)
        };
        let (mut counted, mut hidden) = (Vec::new(), Vec::new());
        for (name, outcome) in self.outcomes.iter().filter(has_tail) {
            let tail = self.released.counts.clipped(*outcome, LONG_TAIL);
            match tail.filter(|tail| tail.rows > 3.0 * tail.deviation) {
                Some(tail) => counted.push((name, tail)),
                None => hidden.push(name.clone()),
            }
        }
        if !self.has_any() || (counted.is_empty() && hidden.is_empty()) {
            return None;
        }
        let of = |(name, tail): &(&String, Beyond)| long_tail(name, tail.rows, tail.deviation, tail.from);
        let named: Vec<String> = counted.iter().take(NAMED).map(of).collect();
        let named = match counted.len() - named.len() {
            0 => enumerated(&named),
            more => words::note::list_more(named.join(", "), more),
        };
        let is_logarithm = |(name, _): &(String, usize)| logarithm(&self.checked.plan, name).is_some();
        let offers = !self.outcomes.iter().filter(has_tail).all(is_logarithm);
        let sentences = [
            (!counted.is_empty()).then(|| words::note::long_tail_counted(named)),
            (!hidden.is_empty()).then(|| words::note::long_tail(quoted(&hidden))),
            Some(words::note::long_tail_bias().to_owned()),
            offers.then(|| words::note::long_tail_offer().to_owned()),
        ];
        Some(sentences.into_iter().flatten().collect::<Vec<String>>().join(" "))
    }

    /// Returns what standard errors assume of the residuals. `None` if no coefficient is determined in a release with scores.
    fn of_errors(&self) -> Option<String> {
        match &self.released.scores {
            _ if self.is_robust => Some(self.of_robust_errors()),
            Some(_) if self.solved.scores.is_empty() => Some(words::note::robust_of_others().to_owned()),
            Some(_) => None,
            None => Some(format!("{} {}", words::note::equal_spread(), words::note::robust_offer())),
        }
    }

    /// Returns how far robust standard errors can be trusted.
    fn of_robust_errors(&self) -> String {
        let noisy = self.doubts.rough.iter().map(|(place, outcome)| match self.outcomes {
            [_] => format!("`{}`", self.name(*place)),
            _ => words::note::robust_of_outcome(format_args!("`{}`", self.name(*place)), outcome),
        });
        let noisy: Vec<String> = noisy.collect();
        let named = match noisy.get(..NAMED) {
            Some(first) if noisy.len() > NAMED => {
                words::note::list_more(first.join(", "), noisy.len() - NAMED)
            }
            _ => enumerated(&noisy),
        };
        let of_persons = self.released.scores.as_ref().is_some_and(|scores| scores.of_persons);
        let sentences = [
            Some(words::note::robust().to_owned()),
            of_persons.then(|| words::note::robust_of_persons().to_owned()),
            Some(words::note::robust_shortened().to_owned()),
            (!noisy.is_empty()).then(|| words::note::robust_rough(named)),
        ];
        sentences.into_iter().flatten().collect::<Vec<String>>().join(" ")
    }

    /// Returns the sentence on what would determine the coefficients: rows or budget by the forecast, whose κ̂ grows in proportion to
    /// rows and to μ. The rows are those that counted if they exceed their noise, and the stated ones otherwise.
    fn undetermined(&self) -> String {
        let checked = self.checked;
        let (counted, deviation) = self.released.rows();
        let stated = checked.public_rows().map(real);
        if let Some(stated) = stated.filter(|stated| counted + 3.0 * deviation < stated / 4.0) {
            return hardly_any_rows(stated);
        }
        let counted = Some(counted).filter(|_| self.rows().is_some());
        let Some(rows) = counted.or(stated) else { return words::note::undetermined().to_owned() };
        let parts = checked.budget.and_then(|budget| budget_parts(&budget, &Split::Gaussian).ok());
        let mu = parts.as_ref().map_or(0.0, |parts| parts.pair.mu.get());
        let rows = rows.max(1.0);
        let foreseen = Forecast::new(
            &self.released.terms,
            checked.adjacency,
            checked.max_rows_per_person,
            rows,
            mu,
            Shares::default(),
        );
        let factor = (2.0 / foreseen.condition).max(3.0 * foreseen.guide_noise);
        if factor <= 1.0 {
            // The forecast expects coefficients of so many rows, so it is no guide here, or they did not count.
            let why = match counted {
                Some(_) => words::note::undetermined_all_the_same(),
                None => words::note::undetermined(),
            };
            return why.to_owned();
        }
        let promise = parts.and_then(|parts| parts.promise);
        let epsilon = promise.and_then(|(_, delta)| gdp_epsilon(Mu::try_new(mu * factor).ok()?, delta).ok());
        let needed = two_digits(rows * factor);
        match epsilon {
            Some(epsilon) => words::note::undetermined_epsilon(needed, two_digits(epsilon.get())),
            None => words::note::undetermined_mu(needed, two_digits(mu * factor)),
        }
    }
}
