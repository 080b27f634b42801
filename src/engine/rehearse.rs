//! A release rehearsed on a table that nobody has: records as the plan says that they are, and noise from a fixed seed.
//!
//! A mechanism of several rounds finds its own coordinates, shortens long records and holds what it cannot tell from the noise. What it
//! gives of one coefficient follows from no formula, so its own rounds are run instead (theory/inference 5.1).

use super::prepare::Prepared;
use crate::data::encode::Term;
use crate::data::{EncodedRows, Exact, RowSink, Sums};
use crate::inference::assumptions::LOGISTIC_SPREAD;
use crate::inference::newton::Link;
use crate::inference::preview::TermPreview;
use crate::inference::synthetic::Synthetic;
use crate::math::round::to_integer;
use crate::model::{Coefficient, INTERCEPT};
use crate::noise::entropy::DemoRng;
use crate::release::document::Coefficients;

/// Times that the noise is drawn.
const RUNS: u64 = 5;
/// Most and least records of the table. They stand for as many as are stated.
const MOST_RECORDS: usize = 4_096;
const LEAST_RECORDS: usize = 1_024;
/// Products of two terms in all records, about: the time of a round goes with them.
const PRODUCTS: usize = 1 << 21;
/// Most terms of a record: with more a person would wait.
const MOST_TERMS: usize = 60;
const SEED: u64 = 0x7265_6865_6172_7365;

/// What the rehearsals gave of one coefficient.
#[derive(Clone, Debug, PartialEq)]
pub struct Rehearsed {
    /// Its uncertainty, in the middle of the runs in which it had an interval; 0 where it had none.
    pub term: TermPreview,
    /// Share of the runs in which it had one.
    pub given: f64,
}

/// Rehearses the rounds of the plan's own mechanism, for all coefficients but the intercepts. Nothing for a mechanism that sums no maps of
/// records, without a number of rows, and with too many terms.
#[must_use]
pub fn rehearse(stage: &Prepared, link: Link) -> Option<Vec<Rehearsed>> {
    let prepared = stage.fit();
    let rows = i128::from(prepared.stated_rows()?);
    let table = Table::new(prepared, link)?;
    let runs: Option<Vec<Vec<Coefficient>>> = (1..=RUNS).map(|run| table.run(prepared, rows, run)).collect();
    let runs = runs?;
    let terms = runs.first()?.iter().enumerate().filter(|(_, entry)| entry.term != INTERCEPT);
    let each = terms.map(|(place, entry)| {
        let mut rehearsed = of_runs(&runs, place, entry);
        let outcome = match link {
            Link::Identity => table.spread(&entry.outcome),
            Link::Logit => Some(LOGISTIC_SPREAD),
        };
        let feature = table.spread(&entry.term).filter(|spread| *spread > 0.0);
        rehearsed.term.plausible_effect =
            outcome.zip(feature).map_or(0.0, |(outcome, feature)| table.effect * outcome / feature);
        rehearsed
    });
    Some(each.collect())
}

/// Returns what the runs gave of the coefficient at a place.
fn of_runs(runs: &[Vec<Coefficient>], place: usize, entry: &Coefficient) -> Rehearsed {
    let all = runs.iter().filter_map(|run| run.get(place));
    let shown: Vec<&Coefficient> = all.filter(|entry| entry.lower.is_some()).collect();
    let middle = |of: &dyn Fn(&Coefficient) -> Option<f64>| {
        let mut numbers: Vec<f64> = shown.iter().filter_map(|entry| of(entry)).collect();
        numbers.sort_by(f64::total_cmp);
        numbers.get(numbers.len() / 2).copied().unwrap_or(0.0)
    };
    let (error, noise_share) = (middle(&|entry| entry.std_error), middle(&|entry| entry.noise_share));
    #[expect(clippy::cast_precision_loss, reason = "a few runs")]
    let given = shown.len() as f64 / runs.len() as f64;
    Rehearsed {
        term: TermPreview {
            outcome: entry.outcome.clone(),
            term: entry.term.clone(),
            noise_std_error: error * noise_share.sqrt(),
            sampling_std_error: error * (1.0 - noise_share).max(0.0).sqrt(),
            plausible_effect: 0.0,
            noise_share,
            shrinkage: 0.0,
        },
        given,
    }
}

/// A table as the plan says that it is.
struct Table {
    rows: EncodedRows,
    effect: f64,
    /// The standard deviation of each term in its own unit.
    spreads: Vec<(String, f64)>,
}

impl Table {
    fn new(prepared: &Prepared, link: Link) -> Option<Self> {
        let geometry = prepared.geometry();
        let size = geometry.terms.len();
        if size > MOST_TERMS || !geometry.contrasts.is_empty() {
            return None;
        }
        let records = (PRODUCTS / (size * size).max(1)).clamp(LEAST_RECORDS, MOST_RECORDS);
        let synthetic = Synthetic::new(prepared.bound(), link, records)?;
        let values = |term: &Term| (0..records).map(|record| value(&synthetic, term, record)).collect();
        let values: Option<Vec<Vec<f64>>> = geometry.terms.iter().map(values).collect();
        let values = values?;
        let mut rows = EncodedRows::new(prepared.row_width());
        for record in 0..records {
            let codes = geometry.terms.iter().zip(&values).map(|(term, values)| code(term, values[record]));
            rows.row(&codes.collect::<Vec<i32>>());
        }
        let spreads =
            geometry.terms.iter().zip(&values).map(|(term, values)| (term.name.clone(), spread(values)));
        Some(Self { rows, effect: synthetic.effect, spreads: spreads.collect() })
    }

    fn spread(&self, term: &str) -> Option<f64> {
        self.spreads.iter().find(|(name, _)| name == term).map(|(_, spread)| *spread)
    }

    /// Runs all rounds, each record standing for as many as make `rows`.
    fn run(&self, prepared: &Prepared, rows: i128, run: u64) -> Option<Vec<Coefficient>> {
        let records = i128::try_from(self.rows.len()).ok()?;
        let (mut release, mut rng) = (prepared.start(), DemoRng::new(SEED, run));
        while let Some(round) = release.round() {
            let Sums::Cells(sums) = round.statistic.of(&self.rows) else { return None };
            let cells = sums.into_cells().into_iter().map(|cell| cell.saturating_mul(rows) / records);
            release.take(round.noise.release(&Exact::Cells(cells.collect()), &mut rng)?);
        }
        match release.finish(prepared.task()).ok()?.coefficients {
            Coefficients::List(list) => Some(list),
            Coefficients::Table(_) => None,
        }
    }
}

/// Returns a term of a record in its own unit.
fn value(table: &Synthetic, term: &Term, record: usize) -> Option<f64> {
    let Some(column) = term.column else { return Some(1.0) };
    let own = table.value(column, record)?;
    #[expect(clippy::cast_precision_loss, reason = "a number of a level")]
    Some(term.level.map_or(own, |level| f64::from(u8::from((own - level as f64).abs() < 0.5))))
}

/// Returns its code on the grid.
#[expect(clippy::cast_possible_truncation, reason = "bounded values have codes of 32 bits; `as` saturates")]
fn code(term: &Term, value: f64) -> i32 {
    to_integer((value - term.centre) / term.scale) as i32
}

fn spread(values: &[f64]) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a count of records")]
    let records = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / records;
    (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / records).sqrt()
}
