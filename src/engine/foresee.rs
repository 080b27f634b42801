//! What to expect of a prepared plan, from public numbers alone, and what would help where it is little.

use super::prepare::Prepared;
use crate::inference::Options;
use crate::inference::noise_forecast::{Advice, NoiseForecast};
use crate::inference::preview::{self, Expected, Preview, TermPreview, Verdict};
use crate::math::search::first_true;
use crate::mechanisms::Task;
use crate::model::Role;
use crate::model::note::{factor, two_digits};
use crate::privacy::convert::gdp_epsilon;
use crate::privacy::measure::Mu;
use crate::words;

/// Most times the rows or the budget's μ that are looked at for what would help.
const MOST: f64 = 1e6;

/// What a mechanism that measures its own coordinates foresees of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Foreseen {
    /// The noise, in units of sampling errors.
    pub forecast: NoiseForecast,
    /// The stated rows.
    pub rows: u64,
    /// The uncertainty of each coefficient but the intercepts, in its own unit and under the usual assumptions.
    pub terms: Vec<TermPreview>,
    /// Whether a feature is a category.
    pub has_levels: bool,
    /// What would give full intervals; nothing where they are expected.
    pub needed: Option<Needed>,
}

/// What would give full intervals, each alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Needed {
    /// Rows at this budget.
    pub rows: Option<f64>,
    /// ε at these rows and the plan's δ.
    pub epsilon: Option<f64>,
    /// μ at these rows.
    pub mu: Option<f64>,
    /// How many of the plan's feature columns, in their order; 0 where no number will do.
    pub features: usize,
}

/// Returns what a plan's mechanism foresees; nothing for a mechanism that foresees nothing, without a budget of Gaussian noise, or without
/// a number of rows. Columns whose bounds are estimated have no unit before, so their coefficients are left out.
#[must_use]
pub fn foresee(prepared: &Prepared) -> Option<Foreseen> {
    let stage = prepared;
    let prepared = stage.fit();
    let rows = prepared.stated_rows()?;
    let mu = prepared.cost()?.mu?;
    #[expect(clippy::cast_precision_loss, reason = "a count in a forecast")]
    let stated = rows as f64;
    let task = prepared.task();
    let at = |rows: f64, mu: f64| prepared.all_rounds().noise_forecast(task, rows, mu);
    let forecast = at(stated, mu)?;
    let advised = |forecast: Option<NoiseForecast>| {
        forecast.is_some_and(|forecast| forecast.advice == Advice::Recommended)
    };
    let least = |holds: &dyn Fn(f64) -> bool| holds(MOST).then(|| first_true(1.0, MOST, holds));
    let needed = (forecast.advice != Advice::Recommended).then(|| {
        let rows = least(&|times| advised(at(stated * times, mu))).map(|times| stated * times);
        let mu = least(&|times| advised(at(stated, mu * times))).map(|times| mu * times);
        let delta = prepared.cost().and_then(|cost| cost.promise).map(|(_, delta)| delta);
        let epsilon = mu.zip(delta).and_then(|(mu, delta)| gdp_epsilon(Mu::try_new(mu).ok()?, delta).ok());
        let epsilon = epsilon.map(|epsilon| epsilon.get());
        Needed { rows, epsilon, mu, features: features_that_fit(prepared, stated) }
    });
    let has_levels = prepared.geometry().terms.iter().any(|term| {
        let column = term.column.and_then(|column| prepared.bound().columns.get(column));
        term.level.is_some() && column.is_some_and(|column| column.role == Role::Feature)
    });
    let mut terms = forecast.terms(prepared.geometry(), prepared.bound(), rows);
    retain_stated(&mut terms, stage);
    Some(Foreseen { forecast, rows, terms, has_levels, needed })
}

/// Keeps the coefficients between columns whose bounds are stated.
fn retain_stated(terms: &mut Vec<TermPreview>, stage: &Prepared) {
    if stage.estimates_bounds() {
        let sought = &stage.bound().columns;
        let is_sought = |name: &str| sought.iter().any(|column| column.name == name);
        terms.retain(|term| !is_sought(&term.outcome) && !is_sought(&term.term));
    }
}

/// Returns the largest number of leading feature columns for which full intervals are expected, by bisection.
fn features_that_fit(prepared: &Prepared, rows: f64) -> usize {
    let fits = |features: usize| with_features(prepared, features, rows) == Some(Advice::Recommended);
    let columns = &prepared.bound().columns;
    let (mut good, mut bad) = (0, columns.iter().filter(|column| column.role == Role::Feature).count());
    while bad - good > 1 {
        let middle = good.midpoint(bad);
        if fits(middle) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    good
}

/// Returns the advice with only the first `features` feature columns.
fn with_features(prepared: &Prepared, features: usize, rows: f64) -> Option<Advice> {
    let mut bound = prepared.bound().clone();
    let mut left = features;
    bound.columns.retain(|column| {
        let kept = column.role != Role::Feature || left > 0;
        left -= usize::from(kept && column.role == Role::Feature);
        kept
    });
    let resolved = prepared.configured.resolve(prepared.checked(), bound, None).ok()?;
    let task = Task { checked: prepared.checked().clone(), encoding: resolved.encoding, public: None };
    resolved.rounds.noise_forecast(&task, rows, prepared.cost()?.mu?).map(|forecast| forecast.advice)
}

impl Foreseen {
    /// Returns the verdict in one sentence.
    #[must_use]
    pub fn verdict(&self) -> &'static str {
        match self.forecast.advice {
            Advice::Recommended => words::forecast::verdict_recommended(),
            Advice::Approximate => words::forecast::verdict_approximate(),
            Advice::Uncertain => words::forecast::verdict_uncertain(),
            Advice::TooFew => words::forecast::verdict_too_few(),
        }
    }

    /// Returns what follows for the result, and what would help, in sentences with numbers.
    #[must_use]
    pub fn advice(&self) -> String {
        let mut sentences = Vec::new();
        if self.forecast.advice != Advice::TooFew {
            sentences.push(words::forecast::widening(factor(self.forecast.widening())));
            if self.has_levels && self.forecast.least_share >= LEAST_SHARE_NAMED {
                sentences.push(words::forecast::least_level(two_digits(
                    100.0 * self.forecast.least_share.min(1.0),
                )));
            }
        }
        sentences.extend(self.needed.map(|needed| needed.ways(self.rows)));
        sentences.push(words::forecast::long_tails().to_owned());
        sentences.join(" ")
    }
}

/// Least share of a level that is worth a sentence.
const LEAST_SHARE_NAMED: f64 = 0.001;

impl Needed {
    /// Returns what would give intervals, in terms that the person set.
    #[must_use]
    pub fn ways(&self, rows: u64) -> String {
        let rows = self.rows.map(|needed| words::forecast::way_rows(two_digits(needed), rows));
        let budget = match (self.epsilon, self.mu) {
            (Some(epsilon), _) => Some(words::forecast::way_epsilon(two_digits(epsilon))),
            (None, Some(mu)) => Some(words::forecast::way_mu(two_digits(mu))),
            (None, None) => None,
        };
        let columns = match self.features {
            0 => None,
            columns => Some(words::forecast::way_columns(columns, columns)),
        };
        let ways: Vec<String> = [rows, budget, columns].into_iter().flatten().collect();
        match ways.as_slice() {
            [] => words::forecast::no_way().to_owned(),
            ways => words::forecast::full_intervals(ways.join(", or ")),
        }
    }
}

/// Returns the expected uncertainty of a release of moments on its stated rows; nothing without their number or a law of the noise.
#[must_use]
pub fn expected(prepared: &Prepared) -> Option<Preview> {
    let stage = prepared;
    let prepared = stage.fit();
    let rows = prepared.stated_rows()?;
    let post_processing = prepared.post_processing();
    let options = Options {
        ridge: post_processing.ridge,
        repair: post_processing.repair,
        confidence: prepared.checked().confidence,
        ..Options::default()
    };
    let expected =
        Expected::of(prepared.law()?, prepared.plan(), prepared.geometry(), prepared.layout()).ok()?;
    let intercept = prepared.checked().intercept;
    let mut preview =
        preview::preview(prepared.geometry(), prepared.bound(), expected, rows, intercept, options).ok()?;
    retain_stated(&mut preview.terms, stage);
    Some(preview)
}

/// Returns why a release would be of no use, and what would help, by what is foreseen or expected of it; nothing where it may be of use.
#[must_use]
pub fn hopeless(foreseen: Option<&Foreseen>, expected: Option<&Preview>) -> Option<String> {
    if let Some(foreseen) = foreseen {
        let lost = foreseen.forecast.advice == Advice::TooFew;
        return lost.then(|| format!("{} {}", foreseen.verdict(), foreseen.advice()));
    }
    expected.filter(|preview| preview.verdict == Verdict::Withheld).map(|preview| preview.advice.clone())
}
