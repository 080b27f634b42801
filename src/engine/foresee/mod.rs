//! Forecasts the result of a prepared plan from public numbers alone, and computes what would improve it.

mod moments;
mod precision;
mod sentences;
mod stated;

use std::ops::Range;

use serde::{Deserialize, Serialize};

pub use self::moments::expected;
pub use self::precision::{Precision, precision};
pub use self::sentences::half_widths;
pub use self::stated::rows_of_one_person;
use self::stated::{
    assumed, assumed_features, categories, far_from_zero, far_zeros, of_logarithms, rare_references,
    retain_stated, with_rare_answers,
};
use super::preflight::{outlook, standard_errors};
use super::prepare::Prepared;
use super::rehearse::{EXPECTED, LOST, Rehearsal, Rehearsed, RehearsedTerm, UNEXPECTED};
use super::spread::AssumedSpread;
use crate::inference::design::NORMAL_FROM;
use crate::inference::forecast::{self, TermForecast};
use crate::inference::joint::dependent;
use crate::inference::newton::Link;
use crate::inference::noise_forecast::{Advice, NoiseForecast};
use crate::inference::preview::{Preview, TermPreview, Verdict};
use crate::math::median;
use crate::math::round::real;
use crate::math::search::first_true;
use crate::mechanisms::Task;
use crate::model::note::quoted;
use crate::plan::bound::BoundPlan;
use crate::privacy::convert::gdp_epsilon;
use crate::privacy::measure::Mu;
use crate::words;

/// The largest factor on the rows or on the budget's μ that is tried.
const MOST: f64 = 1e6;

/// The forecast of a mechanism that finds its own coordinates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Foreseen {
    /// The noise, in units of sampling errors.
    pub forecast: NoiseForecast,
    /// The stated rows.
    pub rows: u64,
    /// What rehearsals give. Empty if there are too many coefficients to rehearse.
    pub rehearsals: Rehearsals,
    /// Why some coefficients are withheld for any number of rows: some features are determined by others.
    pub dependence: Option<String>,
    /// Whether a feature is a category.
    pub has_levels: bool,
    /// Whether the plan states the shares of the levels of all of them.
    pub states_shares: bool,
    /// The numbers among the features of which no typical standard deviation is stated.
    pub assumed: Vec<String>,
    /// The smallest standard deviation of these, as a share of the range of the bounds, at which all coefficients are expected to
    /// have intervals. `None` if that is not rehearsed.
    pub least_spread: Option<f64>,
    /// The features among the assumed numbers whose standard deviation is taken to be a sixth of the range of their bounds.
    pub assumed_features: Vec<String>,
    /// What is assumed of the outcomes of which no typical standard deviation is stated.
    pub of_outcome: Option<AssumedSpread>,
    /// The categories among the features whose reference is stated to be rare.
    pub rare_references: Vec<String>,
    /// Whether each outcome is a logarithm.
    pub of_logarithms: bool,
    /// The effect of several rows of one person on intervals. `None` if one row of each person counts.
    pub rows_of_one_person: Option<String>,
    /// Whether standard errors allow for rows of one person that are alike.
    pub takes_rows_together: bool,
    /// Columns that can be 0 and whose logarithm has an offset that is small compared with their other values.
    pub far_zeros: Vec<String>,
    /// The forecast if one row in ten says yes. `None` unless half of the rows are assumed to say yes.
    pub rarely: Option<NoiseForecast>,
    /// The share of the rehearsals in which no coefficient had an interval if one row in ten says yes; 0 if intervals are
    /// expected for all then.
    pub rarely_nothing: f64,
    /// What would give full intervals. `None` if they are expected.
    pub needed: Option<Needed>,
    /// The factor on the budget's μ below which all coefficients are withheld.
    pub withheld_below: f64,
}

/// What the rehearsals of a plan give.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rehearsals {
    /// The uncertainty of each coefficient that may have an interval, without the intercepts, in its own unit and under the usual
    /// assumptions.
    pub terms: Vec<TermPreview>,
    /// The names of coefficients that will probably be withheld.
    pub lost: Vec<String>,
    /// The names of those that may or may not be withheld.
    pub at_risk: Vec<String>,
    /// Whether more than half of all coefficients will probably be withheld.
    pub loses_most: bool,
    /// Whether no coefficient is expected to have an interval.
    pub loses_all: bool,
    /// Whether most coefficients will have intervals.
    pub keeps_most: bool,
    /// The median widening of intervals: the width divided by the width without privacy. `None` without rehearsals.
    pub usual: Option<f64>,
    /// The names of coefficients whose intervals are widened much more than the others', and the largest widening.
    pub widest: Option<(Vec<String>, f64)>,
    /// Whether most intervals will be marked approximate.
    pub is_approximate: bool,
    /// Share of the rehearsals in which no coefficient had an interval.
    pub nothing: f64,
    /// The columns far from 0 whose squares are also features. One of the two may be withheld.
    pub far_from_zero: Vec<String>,
}

/// Changes of the plan, each of which alone would give full intervals.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Needed {
    /// Rows at this budget.
    pub rows: Option<f64>,
    /// ε of the release at the plan's δ: as it is, and at these rows.
    pub epsilon: Option<(f64, f64)>,
    /// μ at these rows.
    pub mu: Option<f64>,
    /// The number of leading feature columns of the plan with which intervals are full; 0 if no number suffices.
    pub features: usize,
}

/// Returns the forecast of a plan's mechanism for each coefficient. `None` if the mechanism has no forecast, if the budget is not
/// for Gaussian noise, or if no number of rows is stated. Columns whose bounds are estimated have no unit yet, so their
/// coefficients are left out.
pub fn foresee(prepared: &Prepared) -> Option<Foreseen> {
    let mut foreseen = Foreseen { dependence: dependence(prepared), ..foresee_noise(prepared)? };
    let Some(rehearsal) = Rehearsal::new(prepared, foreseen.forecast.link) else { return Some(foreseen) };
    if let Some(rehearsed) = rehearsal.all() {
        let full = rehearsed.full;
        foreseen.forecast.advice = advised(foreseen.forecast.advice, &rehearsed);
        foreseen.rehearsals = Rehearsals::new(rehearsed, prepared, foreseen.forecast.widening());
        if full >= EXPECTED && !foreseen.assumed.is_empty() {
            foreseen.least_spread = rehearsal.least_spread();
        }
        if foreseen.forecast.advice != Advice::TooFew {
            let link = foreseen.forecast.link;
            foreseen.of_outcome = foreseen.of_outcome.map(|of| of.rehearsed(prepared, link));
        }
    }
    if foreseen.forecast.advice != Advice::Recommended {
        foreseen.needed = rehearsed_ways(prepared, &rehearsal, &foreseen);
    }
    if foreseen.rarely.is_some_and(|rarely| !gives_all(rarely.advice)) && !foreseen.is_asked_about() {
        let rare = with_rare_answers(prepared.fit().task());
        let rehearsal = rare
            .and_then(|rare| Rehearsal::of_columns(prepared, &rare.encoding.bound, foreseen.forecast.link));
        foreseen.rarely_nothing = rehearsal.and_then(|rehearsal| Some(rehearsal.all()?.none)).unwrap_or(0.0);
    }
    Some(foreseen)
}

/// Returns whether [`foresee`] rehearses a plan, or takes about as long: hundreds of milliseconds.
pub fn is_rehearsed(prepared: &Prepared) -> bool {
    let fit = prepared.fit();
    let Some((rows, mu)) = fit.stated_rows().zip(fit.cost().and_then(|cost| cost.mu)) else { return false };
    fit.all_rounds().noise_forecast(fit.task(), real(rows), mu).is_some()
}

/// Returns whether intervals are expected for all coefficients.
const fn gives_all(advice: Advice) -> bool {
    matches!(advice, Advice::Recommended | Advice::Approximate)
}

/// The factors on the rows, or on the budget's μ, that are rehearsed if the formula's factor is too small.
const TIMES: [f64; 20] = [
    1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0, 15.0, 20.0, 25.0, 30.0, 40.0, 50.0, 60.0, 80.0,
    100.0,
];

/// Returns what would give full intervals: the formula's numbers, or larger ones if the rehearsals do not confirm them.
fn rehearsed_ways(prepared: &Prepared, rehearsal: &Rehearsal<'_>, foreseen: &Foreseen) -> Option<Needed> {
    let prepared = prepared.fit();
    let mu = prepared.cost()?.mu?;
    let rows = real(foreseen.rows);
    let names_none = foreseen.rehearsals.lost.is_empty() && foreseen.rehearsals.at_risk.is_empty();
    let of_formula =
        foreseen.needed.unwrap_or(Needed { rows: Some(rows), epsilon: None, mu: Some(mu), features: 0 });
    let features = if names_none { of_formula.features } else { 0 };
    let least = of_formula.rows? / rows;
    if least > 1.0 && rehearsal.is_enough(least) {
        return Some(Needed { features, ..of_formula });
    }
    let enough = TIMES.partition_point(|times| *times <= least || !rehearsal.is_enough(*times));
    let Some(times) = TIMES.get(enough) else { return foreseen.needed };
    let mu = Some((mu * times).max(of_formula.mu.unwrap_or_default()));
    Some(Needed { rows: Some(rows * times), epsilon: of_release(prepared, mu), mu, features })
}

/// Returns the forecast of the formula for all coefficients together, without rehearsals.
pub fn foresee_noise(prepared: &Prepared) -> Option<Foreseen> {
    let prepared = prepared.fit();
    let rows = prepared.stated_rows()?;
    let mu = prepared.cost()?.mu?;
    let stated = real(rows);
    let task = prepared.task();
    let of_task = |task: &Task, rows: f64, mu: f64| prepared.all_rounds().noise_forecast(task, rows, mu);
    let at = |rows: f64, mu: f64| of_task(task, rows, mu);
    let forecast = at(stated, mu)?;
    let full = |forecast: Option<NoiseForecast>| {
        forecast.is_some_and(|forecast| forecast.advice == Advice::Recommended)
    };
    let least = |holds: &dyn Fn(f64) -> bool| holds(MOST).then(|| first_true(1.0, MOST, holds));
    let shown = |times: f64| at(stated, mu * times).is_some_and(|forecast| forecast.advice != Advice::TooFew);
    let withheld_below = if shown(MOST) { first_true(1.0 / MOST, MOST, shown) } else { f64::INFINITY };
    let needed = (forecast.advice != Advice::Recommended).then(|| {
        let rows = least(&|times| full(at(stated * times, mu))).map(|times| stated * times);
        let mu = least(&|times| full(at(stated, mu * times))).map(|times| mu * times);
        let epsilon = of_release(prepared, mu);
        Needed { rows, epsilon, mu, features: features_that_fit(prepared, stated) }
    });
    let has_levels = categories(prepared.bound()).next().is_some();
    let rarely = with_rare_answers(task).filter(|_| forecast.link == Link::Logit);
    let rarely = rarely.and_then(|task| of_task(&task, stated, mu));
    let states_shares = categories(prepared.bound()).all(|column| column.shares.is_some());
    Some(Foreseen {
        forecast,
        rows,
        rehearsals: Rehearsals::default(),
        dependence: None,
        has_levels,
        states_shares,
        rare_references: rare_references(prepared.bound()),
        of_logarithms: of_logarithms(prepared.plan()),
        rows_of_one_person: rows_of_one_person(prepared),
        takes_rows_together: prepared.fit().all_rounds().takes_rows_together(),
        far_zeros: far_zeros(prepared.plan()),
        assumed: assumed(prepared.plan(), prepared.bound()),
        assumed_features: assumed_features(prepared.plan(), prepared.bound()),
        least_spread: None,
        of_outcome: AssumedSpread::of(prepared).filter(|_| forecast.link == Link::Identity),
        rarely,
        rarely_nothing: 0.0,
        needed,
        withheld_below,
    })
}

/// If at least this share of the runs has no interval at all, none is expected.
const NONE_FROM: f64 = 0.9;

/// Returns the formula's advice, or a weaker one if the rehearsals have fewer intervals. If the formula expects none and the rehearsals
/// have some, the advice is `Uncertain`.
fn advised(formula: Advice, rehearsed: &Rehearsed) -> Advice {
    let Rehearsed { terms, full, none } = rehearsed;
    if *none >= NONE_FROM || terms.iter().all(|term| term.given <= 0.0) {
        Advice::TooFew
    } else if *full < EXPECTED || formula == Advice::TooFew {
        Advice::Uncertain
    } else {
        formula
    }
}

impl Rehearsals {
    /// Summarises rehearsals. The formula expects intervals to be widened `widening` times.
    fn new(rehearsed: Rehearsed, prepared: &Prepared, widening: f64) -> Self {
        let Rehearsed { terms, full, none } = rehearsed;
        let of = |range: Range<f64>| terms.iter().filter(move |term| range.contains(&term.given));
        let total = |of: &dyn Fn(&RehearsedTerm) -> f64| terms.iter().map(of).sum::<f64>();
        let lost = names(of(0.0..LOST));
        let at_risk = if full < EXPECTED { names(of(LOST..1.0)) } else { Vec::new() };
        let usual = median(of(LOST..f64::INFINITY).map(|term| term.widening));
        let mut shown = of(LOST..f64::INFINITY).map(|rehearsed| rehearsed.term.clone()).collect();
        retain_stated(&mut shown, prepared);
        Self {
            terms: shown,
            loses_most: 2 * of(0.0..UNEXPECTED).count() > terms.len(),
            loses_all: !terms.is_empty() && terms.iter().all(|term| term.given < LOST),
            keeps_most: 2 * of(0.0..EXPECTED).count() <= terms.len(),
            usual,
            widest: widest(&terms, usual.unwrap_or(widening)),
            is_approximate: 2.0 * total(&|term| term.approximate) > total(&|term| term.given),
            nothing: none,
            far_from_zero: far_from_zero(prepared.plan(), &[&lost[..], &at_risk].concat()),
            lost,
            at_risk,
        }
    }
}

/// Returns the names of coefficients, each once.
fn names<'a>(terms: impl Iterator<Item = &'a RehearsedTerm>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for RehearsedTerm { term, .. } in terms {
        if !names.contains(&term.term) {
            names.push(term.term.clone());
        }
    }
    names
}

/// A coefficient is named if its widening is more than so many times the usual one.
const MUCH_WIDER: f64 = 1.5;

/// Returns the coefficients whose intervals are widened much more than `usual`, and the largest widening.
fn widest(terms: &[RehearsedTerm], usual: f64) -> Option<(Vec<String>, f64)> {
    let wide = || terms.iter().filter(|term| term.given >= LOST && term.widening > MUCH_WIDER * usual);
    let most = wide().map(|term| term.widening).reduce(f64::max)?;
    Some((names(wide()), most))
}

/// Returns ε of a release at the plan's δ, as it is and at another μ.
fn of_release(prepared: &Prepared, needed: Option<f64>) -> Option<(f64, f64)> {
    let cost = prepared.cost()?;
    let (_, delta) = cost.promise?;
    let at = |mu: f64| gdp_epsilon(Mu::try_new(mu).ok()?, delta).ok().map(|epsilon| epsilon.get());
    Some((at(cost.mu?)?, at(needed?)?))
}

/// Returns the largest number of leading feature columns for which full intervals are expected.
fn features_that_fit(prepared: &Prepared, rows: f64) -> usize {
    prepared.bound().most_features(|bound| advice_for(prepared, bound, rows) == Some(Advice::Recommended))
}

/// Returns the advice with fewer feature columns.
fn advice_for(prepared: &Prepared, bound: BoundPlan, rows: f64) -> Option<Advice> {
    let resolved = prepared.configured.resolve(prepared.checked(), bound).ok()?;
    let task = Task { checked: prepared.checked().clone(), encoding: resolved.encoding };
    resolved.rounds.noise_forecast(&task, rows, prepared.cost()?.mu?).map(|forecast| forecast.advice)
}

/// A standard deviation, as a share of the range of the bounds, that many columns have.
const OFTEN: f64 = 0.05;

/// The page asks before a release if at least this share of the rehearsals has no interval at all.
const NOTHING_ASKED: f64 = 0.1;

/// The condition above which few coefficients are withheld.
const LOSES_MANY: f64 = 1.6;

/// The smallest share of a level that a sentence names.
const LEAST_SHARE_NAMED: f64 = 0.001;

impl Foreseen {
    /// Returns whether a level can be so rare that its coefficient is withheld.
    fn loses_rare_levels(&self) -> bool {
        self.has_levels && !self.states_shares && self.forecast.least_share >= LEAST_SHARE_NAMED
    }

    /// Returns whether many coefficients will be withheld: more than half of the rehearsed ones. Without rehearsals a measured
    /// threshold decides, for linear regressions (theory/adaptive 6.2).
    pub fn loses_many(&self) -> bool {
        let NoiseForecast { advice, link, condition, .. } = self.forecast;
        let measured = self.rehearsals.usual.is_none() && link == Link::Identity && condition < LOSES_MANY;
        advice == Advice::Uncertain && (self.rehearsals.loses_most || measured)
    }

    /// Returns whether some coefficients may be withheld while most are expected to have intervals.
    pub const fn loses_some_alone(&self) -> bool {
        !(self.rehearsals.lost.is_empty() && self.rehearsals.at_risk.is_empty()) && self.rehearsals.keeps_most
    }

    /// Returns whether all intervals are expected to have their stated coverage.
    pub fn is_clear(&self) -> bool {
        self.forecast.advice == Advice::Recommended
            && self.rows_of_one_person.is_none()
            && !self.rests_on_even()
            && !self.rests_on_spread()
    }

    /// Returns whether intervals are expected only because half of the rows are assumed to say yes.
    pub fn rests_on_even(&self) -> bool {
        gives_all(self.forecast.advice) && self.rarely.is_some_and(|rarely| !gives_all(rarely.advice))
    }

    /// Returns whether all intervals are expected only because of the assumed spread of numbers.
    pub fn rests_on_spread(&self) -> bool {
        gives_all(self.forecast.advice) && self.least_spread.is_some_and(|least| least > OFTEN)
    }

    /// Returns whether no coefficient is expected to have an interval.
    pub fn gives_nothing(&self) -> bool {
        self.forecast.advice == Advice::TooFew || self.rehearsals.loses_all
    }

    /// Returns whether a person is asked before such a release: it is expected to give nothing, or to withhold most coefficients, or gave
    /// nothing in some rehearsals.
    pub fn is_asked_about(&self) -> bool {
        self.withholds_most() || self.rehearsals.nothing >= NOTHING_ASKED || self.needs_share()
    }

    /// Returns whether the release may have no interval if few rows say yes, and the plan does not state their share.
    pub fn needs_share(&self) -> bool {
        self.rarely_nothing >= NOTHING_ASKED
    }

    fn withholds_most(&self) -> bool {
        self.gives_nothing() || self.loses_many()
    }

    /// Returns the widening of intervals by privacy, and the widening if one row in ten says yes where the share is not stated.
    pub fn widening(&self) -> (f64, Option<f64>) {
        let rarely = self.rarely.filter(|rarely| rarely.advice != Advice::TooFew);
        (
            self.rehearsals.usual.unwrap_or_else(|| self.forecast.widening()),
            rarely.map(|rarely| rarely.widening()),
        )
    }
}

/// Returns what would give intervals if noisy steps will give none for any outcome. `None` if they may give some. The curvature
/// grows with the rows, and its noise falls with μ.
fn drowned(prepared: &Prepared, errors: &[TermForecast]) -> Option<String> {
    let (_, told) = forecast::verdict(errors).filter(|(verdict, _)| *verdict == Verdict::Withheld)?;
    let (rows, mu) = (prepared.stated_rows()?, prepared.cost()?.mu?);
    let least = errors.iter().map(|term| term.signal_to_noise).reduce(f64::min)?;
    let times = NORMAL_FROM / least;
    let epsilon = of_release(prepared, Some(mu * times));
    let needed = Needed { rows: Some(real(rows) * times), epsilon, mu: Some(mu * times), features: 0 };
    let ways = needed.ways(rows);
    let bounds = prepared.whitener().is_none().then(words::forecast::narrower_bounds);
    Some([Some(told), Some(ways.as_str()), bounds].into_iter().flatten().collect::<Vec<_>>().join(" "))
}

/// Returns a sentence on features that are determined by others, and what to do. `None` if there are none.
pub fn dependence(prepared: &Prepared) -> Option<String> {
    let names = dependent(prepared.bound(), prepared.checked().intercept);
    (!names.is_empty()).then(|| words::forecast::dependent(quoted(&names)))
}

/// Returns what to expect of a release in a sentence, unless all intervals are expected to have their stated coverage.
pub fn risk(foreseen: Option<&Foreseen>, expected: Option<&Preview>) -> Option<String> {
    if let Some(foreseen) = foreseen {
        return (!foreseen.is_clear()).then(|| foreseen.verdict().to_owned());
    }
    expected.filter(|preview| preview.verdict != Verdict::Clear).map(|preview| preview.advice.clone())
}

/// Returns why a release would be useless, and what would help, from a forecast or a preview. `None` if it may be useful.
pub fn hopeless(
    prepared: &Prepared,
    foreseen: Option<&Foreseen>,
    expected: Option<&Preview>,
) -> Option<String> {
    if let Some(outlook) = outlook(prepared.fit()).filter(|outlook| !outlook.preflight.is_stable()) {
        return Some(outlook.sentences());
    }
    if let Some(why) = dependence(prepared) {
        return Some(why);
    }
    if let Some(foreseen) = foreseen {
        return foreseen.is_asked_about().then(|| foreseen.why_asked());
    }
    if let Some(preview) = expected {
        let is_useless = matches!(preview.verdict, Verdict::Withheld | Verdict::TooWide(_));
        return is_useless.then(|| preview.advice.clone());
    }
    drowned(prepared.fit(), &standard_errors(prepared.fit())?)
}
