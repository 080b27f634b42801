//! Rehearsals: releases of synthetic records, drawn as the plan describes the columns, with noise from a fixed seed.
//!
//! A mechanism of several rounds finds its own coordinates, shortens long records and holds terms that do not stand out of the
//! noise. No formula gives its result for one coefficient, so a forecast runs its rounds (theory/inference 5.1).

use std::cell::OnceCell;
use std::mem;

use super::prepare::Prepared;
use crate::data::encode::Term;
use crate::data::{EncodedRows, Exact, RowSink, Sums};
use crate::inference::assumptions::{Assumption, LOGISTIC_SPREAD, USUAL};
use crate::inference::newton::Link;
use crate::inference::noiseless::standard_errors;
use crate::inference::preview::TermPreview;
use crate::inference::synthetic::{Synthetic, moments};
use crate::math::median;
use crate::math::round::{nearest, real};
use crate::model::{Coefficient, INTERCEPT, Interval, Role};
use crate::noise::entropy::DemoRng;
use crate::plan::bound::{BoundColumn, BoundPlan, Kind, Source};
use crate::plan::expression::Leaf;
use crate::release::document::Coefficients;

/// The fewest rehearsals, and the number of rehearsals if a record has few terms.
const RUNS: u64 = 5;
const MOST_RUNS: u64 = 40;
/// The number of synthetic records: with numbers alone, with levels, which may be rare, and with pairs of levels, which are
/// rarer. Each record stands for several of the stated rows.
const RECORDS: usize = 1_024;
const RECORDS_OF_LEVELS: usize = 2_048;
const RECORDS_OF_PAIRS: usize = 4_096;
/// About how many products of two terms all rehearsals together compute. The time of a round is proportional to them.
const PRODUCTS: usize = 5 << 20;
/// The most terms of a record that is rehearsed. More would take too long.
const MOST_TERMS: usize = 60;
/// The factors by which the spread of numbers is reduced, to find the largest one at which intervals are still expected.
const CLOSER: [f64; 7] = [1.5, 2.5, 4.0, 6.0, 10.0, 16.0, 32.0];
/// The most terms of a record for which that factor is sought.
const TERMS_CLOSER: usize = 25;
/// All coefficients are expected to have intervals if they have in at least this share of the rehearsals.
pub(super) const EXPECTED: f64 = 0.8;
/// A coefficient is not expected to have an interval if fewer than this share of the runs gave it one. Below the second share it
/// will probably have none. The shares differ because the runs are few.
pub(super) const UNEXPECTED: f64 = 0.5;
pub(super) const LOST: f64 = 0.3;
/// The spread of a level that half of the rows have.
const HALF_OF_ROWS: f64 = 0.5;
const SEED: u64 = 0x7265_6865_6172_7365;

/// The results of the rehearsals for one coefficient.
#[derive(Clone, Debug, PartialEq)]
pub struct RehearsedTerm {
    /// Its uncertainty, the median of the runs in which it had an interval; 0 if it had none.
    pub term: TermPreview,
    /// Share of the runs in which it had one.
    pub given: f64,
    /// Share of the runs in which it had one that was marked approximate.
    pub approximate: f64,
    /// The width of its interval over the width without privacy.
    pub widening: f64,
}

/// The results of the rehearsals.
#[derive(Clone, Debug, PartialEq)]
pub struct Rehearsed {
    /// All coefficients but the intercepts.
    pub terms: Vec<RehearsedTerm>,
    /// Share of the runs in which all of them had intervals.
    pub full: f64,
    /// Share of the runs in which none of them had one.
    pub none: f64,
}

impl Rehearsed {
    /// Returns the median widening of the intervals that are shown. `None` if those of most coefficients are not expected.
    pub fn usual(&self) -> Option<f64> {
        let unexpected = self.terms.iter().filter(|term| term.given < UNEXPECTED).count();
        let usual = median(self.terms.iter().filter(|term| term.given >= LOST).map(|term| term.widening));
        usual.filter(|_| 2 * unexpected <= self.terms.len())
    }
}

/// The rounds of a plan's mechanism, and the synthetic table on which they run.
pub struct Rehearsal<'a> {
    prepared: &'a Prepared,
    link: Link,
    rows: i128,
    table: Table,
    /// The sums of the first round, which no noise precedes, so that all rehearsals have the same.
    first: OnceCell<Option<Vec<i128>>>,
}

impl<'a> Rehearsal<'a> {
    /// Draws the table. `None` for a mechanism that does not sum maps of records, without a stated number of rows, and with too
    /// many terms.
    pub fn new(stage: &'a Prepared, link: Link) -> Option<Self> {
        Self::assuming(stage, stage.fit().bound(), link, USUAL)
    }

    /// Draws the table with columns of which other shares are known.
    pub fn of_columns(stage: &'a Prepared, columns: &BoundPlan, link: Link) -> Option<Self> {
        Self::assuming(stage, columns, link, USUAL)
    }

    fn assuming(stage: &'a Prepared, columns: &BoundPlan, link: Link, assumed: Assumption) -> Option<Self> {
        let prepared = stage.fit();
        let rows = i128::from(prepared.stated_rows()?);
        let table = Table::new(prepared, columns, link, assumed)?;
        Some(Self { prepared, link, rows, table, first: OnceCell::new() })
    }

    /// Rehearses all rounds several times.
    pub fn all(&self) -> Option<Rehearsed> {
        let products = self.table.rows.len() * self.table.terms.len().pow(2);
        let affordable = (PRODUCTS / products.max(1)) as u64;
        self.times(affordable.clamp(RUNS, MOST_RUNS))
    }

    /// Rehearses all rounds a few times. `None` also if the terms are too many for a second table.
    pub fn few(&self) -> Option<Rehearsed> {
        if self.table.terms.len() > TERMS_CLOSER { None } else { self.times(RUNS) }
    }

    /// Rehearses all rounds `runs` times.
    fn times(&self, runs: u64) -> Option<Rehearsed> {
        let runs: Option<Vec<Vec<Coefficient>>> = (1..=runs).map(|run| self.run(1.0, run)).collect();
        let runs = runs?;
        let full = share(runs.iter().map(|run| is_shown(run)));
        let none = share(runs.iter().map(|run| run.iter().all(|entry| entry.lower.is_none())));
        let first = runs.first()?;
        let mut terms = Vec::new();
        for of_outcome in first.chunk_by(|a, b| a.outcome == b.outcome) {
            let exact = self.exact_errors(of_outcome);
            for entry in of_outcome.iter().filter(|entry| entry.term != INTERCEPT) {
                let own = |run: &Vec<Coefficient>| {
                    let is_own =
                        |other: &&Coefficient| other.outcome == entry.outcome && other.term == entry.term;
                    run.iter().find(is_own).cloned()
                };
                let all: Vec<Coefficient> = runs.iter().filter_map(own).collect();
                let exact = exact.iter().find(|(term, _)| *term == entry.term).map(|(_, error)| *error);
                terms.push(self.rehearsed(&all, entry, exact));
            }
        }
        Some(Rehearsed { terms, full, none })
    }

    /// Returns the smallest standard deviation, as a share of the range of the bounds, at which most rehearsals give all
    /// coefficients intervals, for numbers whose spread the plan does not state. `None` with too many terms.
    pub fn least_spread(&self) -> Option<f64> {
        if self.table.terms.len() > TERMS_CLOSER {
            return None;
        }
        let is_full = |times: f64| {
            let bound = self.prepared.bound();
            let closer = Self::assuming(self.prepared, bound, self.link, USUAL.closer(times));
            closer.is_some_and(|closer| closer.full_share() >= EXPECTED)
        };
        let full = CLOSER.partition_point(|times| is_full(*times));
        let most = full.checked_sub(1).and_then(|last| CLOSER.get(last));
        Some(USUAL.closer(most.copied().unwrap_or(1.0)).of_range())
    }

    /// Returns the share of a few runs in which all coefficients have intervals.
    fn full_share(&self) -> f64 {
        let runs: Vec<u64> = (1..=RUNS).collect();
        share(runs.iter().map(|run| self.run(1.0, *run).is_some_and(|run| is_shown(&run))))
    }

    /// Returns whether all coefficients have intervals with `times` as many rows, or `times` the budget's μ. Both reduce the
    /// relative noise by the same factor.
    pub fn is_enough(&self, times: f64) -> bool {
        (1..=RUNS).all(|run| self.run(times, run).is_some_and(|run| is_shown(&run)))
    }

    /// Returns the name of an outcome's term, which of a yes-or-no category is that of its level.
    fn outcome_term(&self, outcome: &str) -> Option<&str> {
        let column = self.prepared.bound().columns.iter().position(|column| column.name == outcome)?;
        let term = self.prepared.geometry().terms.iter().find(|term| term.column == Some(column))?;
        Some(&term.name)
    }

    /// Returns the standard errors of an outcome's coefficients without noise, with the stated rows. `None` if they are not
    /// determined.
    fn exact_errors<'b>(&self, entries: &'b [Coefficient]) -> Vec<(&'b str, f64)> {
        let features: Option<Vec<&[f64]>> =
            entries.iter().map(|entry| self.table.values(&entry.term)).collect();
        let outcome = entries.first().and_then(|entry| self.table.values(self.outcome_term(&entry.outcome)?));
        let errors = features
            .zip(outcome)
            .and_then(|(features, outcome)| standard_errors(&features, outcome, self.link));
        let scale = (real(self.table.rows.len()) / real(self.rows)).sqrt();
        let errors = errors.unwrap_or_default().into_iter().map(|error| error * scale);
        entries.iter().map(|entry| entry.term.as_str()).zip(errors).collect()
    }

    /// Summarises the rehearsals of one coefficient. `exact` is its standard error without privacy.
    fn rehearsed(&self, runs: &[Coefficient], entry: &Coefficient, exact: Option<f64>) -> RehearsedTerm {
        let shown = runs.iter().filter(|entry| entry.lower.is_some());
        let middle =
            |of: &dyn Fn(&Coefficient) -> Option<f64>| median(shown.clone().filter_map(of)).unwrap_or(0.0);
        let error = middle(&|entry| entry.std_error);
        // A mechanism computes the sampling error from noisy moments. With few rows this error is too large.
        let sampling = error * (1.0 - middle(&|entry| entry.noise_share)).max(0.0).sqrt();
        let sampling = exact.map_or(sampling, |exact| exact.min(sampling));
        let noise = (error * error - sampling * sampling).max(0.0).sqrt();
        let outcome = match self.link {
            Link::Identity => self.outcome_term(&entry.outcome).and_then(|term| self.table.spread(term)),
            Link::Logit => Some(LOGISTIC_SPREAD),
        };
        // The effect of a level is assumed not to depend on its frequency.
        let geometry = self.prepared.geometry();
        let is_level = geometry.terms.iter().any(|term| term.name == entry.term && term.level.is_some());
        let spread = if is_level { Some(HALF_OF_ROWS) } else { self.table.spread(&entry.term) };
        let feature = spread.filter(|spread| *spread > 0.0);
        RehearsedTerm {
            term: TermPreview {
                outcome: entry.outcome.clone(),
                term: entry.term.clone(),
                noise_std_error: noise,
                sampling_std_error: sampling,
                plausible_effect: outcome
                    .zip(feature)
                    .map_or(0.0, |(outcome, feature)| self.table.effect * outcome / feature),
                noise_share: if error > 0.0 { (noise / error).powi(2) } else { 0.0 },
                shrinkage: 0.0,
            },
            given: share(runs.iter().map(|entry| entry.lower.is_some())),
            approximate: share(runs.iter().map(|entry| entry.interval == Interval::Approximate)),
            widening: if sampling > 0.0 { error / sampling } else { 1.0 },
        }
    }

    /// Runs all rounds once with `times` as many rows; each record stands for correspondingly more rows.
    fn run(&self, times: f64, run: u64) -> Option<Vec<Coefficient>> {
        #[expect(clippy::cast_possible_truncation, reason = "a count in a forecast")]
        let rows = (self.rows as f64 * times) as i128;
        let records = i128::try_from(self.table.rows.len()).ok()?;
        let (mut release, mut rng) = (self.prepared.start(), DemoRng::new(SEED, run));
        let mut is_first = true;
        while let Some(round) = release.round() {
            let own = || match round.statistic.of(&self.table.rows) {
                Sums::Cells(sums) => Some(sums.cells()),
                Sums::Moments(_) | Sums::Rows(_) => None,
            };
            let sums = if mem::take(&mut is_first) { self.first.get_or_init(own).clone() } else { own() }?;
            let cells = sums.into_iter().map(|cell| cell.saturating_mul(rows) / records);
            release.take(round.noise.release(&Exact::Cells(cells.collect()), &mut rng)?);
        }
        match release.finish(self.prepared.task()).ok()?.coefficients {
            Coefficients::List(list) => Some(list),
            Coefficients::Table(_) => None,
        }
    }
}

/// Returns whether all coefficients but the intercepts have intervals.
fn is_shown(run: &[Coefficient]) -> bool {
    run.iter().all(|entry| entry.term == INTERCEPT || entry.lower.is_some())
}

fn share(given: impl ExactSizeIterator<Item = bool>) -> f64 {
    let all = real(given.len());
    given.map(|given| f64::from(u8::from(given))).sum::<f64>() / all
}

/// A synthetic table, drawn as the plan describes it.
struct Table {
    rows: EncodedRows,
    effect: f64,
    /// Each term in its own unit, record by record.
    terms: Vec<(String, Vec<f64>)>,
}

impl Table {
    fn new(prepared: &Prepared, columns: &BoundPlan, link: Link, assumed: Assumption) -> Option<Self> {
        let geometry = prepared.geometry();
        let size = geometry.terms.len();
        if size > MOST_TERMS || !geometry.contrasts.is_empty() {
            return None;
        }
        let records = records(prepared);
        let synthetic = Synthetic::new(columns, link, records, assumed)?;
        let values = |term: &Term| {
            let own = match term.column {
                None => vec![1.0; records],
                Some(column) => synthetic.values(column, term.level)?,
            };
            Some((term.name.clone(), own))
        };
        let terms: Option<Vec<(String, Vec<f64>)>> = geometry.terms.iter().map(values).collect();
        let mut terms = terms?;
        let mut rows = EncodedRows::new(prepared.row_width());
        for record in 0..records {
            let codes =
                geometry.terms.iter().zip(&terms).map(|(term, (_, values))| code(term, values[record]));
            rows.person(u32::try_from(record).ok()?);
            rows.row(&codes.collect::<Vec<i32>>());
        }
        // The encoding may have no code for the constant, because the mechanism counts rows by other sums.
        if terms.iter().all(|(name, _)| name != INTERCEPT) {
            terms.push((INTERCEPT.to_owned(), vec![1.0; records]));
        }
        Some(Self { rows, effect: synthetic.effect, terms })
    }

    fn values(&self, term: &str) -> Option<&[f64]> {
        self.terms.iter().find(|(name, _)| name == term).map(|(_, values)| values.as_slice())
    }

    /// Returns the standard deviation of a term.
    fn spread(&self, term: &str) -> Option<f64> {
        self.values(term).map(|values| moments(values).1.sqrt())
    }
}

fn records(prepared: &Prepared) -> usize {
    let features = || prepared.bound().columns.iter().filter(|column| column.role == Role::Feature);
    let is_pair = |column: &BoundColumn| match &column.source {
        Source::Computed(expression) => {
            expression.leaves().iter().any(|leaf| matches!(leaf, Leaf::Level { .. }))
        }
        Source::Field(_) | Source::Merged(_) => false,
    };
    if features().any(is_pair) {
        RECORDS_OF_PAIRS
    } else if features().any(|column| matches!(column.kind, Kind::Category { .. })) {
        RECORDS_OF_LEVELS
    } else {
        RECORDS
    }
}

/// Returns the code of a term's value on the grid.
fn code(term: &Term, value: f64) -> i32 {
    nearest((value - term.centre) / term.scale)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::prepare;
    use crate::plan::{Plan, Purpose};

    #[test]
    fn a_rehearsal_does_not_depend_on_those_before_it() {
        let plan = r#"{"schema": "discreet.plan/1", "adjacency": "add-remove", "stated_rows": 20000,
            "mechanism": {"name": "adaptive-gauss"},
            "columns": [{"name": "x", "role": "feature", "type": "number", "lower": 0, "upper": 1},
                {"name": "y", "role": "outcome", "type": "number", "lower": 0, "upper": 1}],
            "budget": {"epsilon": 1, "delta": 1e-6}}"#;
        let names = ["x", "y"].map(str::to_owned);
        let prepared = prepare(Plan::parse(plan).unwrap(), &names, b',', Purpose::Simulate).unwrap();
        let rehearsal = || Rehearsal::new(&prepared, Link::Identity).unwrap();
        let several = rehearsal();
        let runs: Vec<_> = (1..4).map(|run| several.run(1.0, run).unwrap()).collect();
        for (run, found) in (1..).zip(&runs) {
            assert_eq!(rehearsal().run(1.0, run).as_ref(), Some(found), "{run}");
        }
        assert_ne!(runs[0], runs[1]);
        assert_ne!(several.run(4.0, 1), Some(runs[0].clone()), "more rows have other sums");
    }
}
