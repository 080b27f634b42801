//! Forecasts the result of a prepared plan from public numbers alone, and computes what would improve it.

use std::ops::Range;

use super::preflight::{outlook, standard_errors};
use super::prepare::Prepared;
use super::rehearse::{EXPECTED, LOST, Rehearsal, Rehearsed, RehearsedTerm, UNEXPECTED, in_the_middle};
use super::spread::AssumedSpread;
use crate::inference::Options;
use crate::inference::design::{NORMAL_FROM, WITHHELD_BELOW};
use crate::inference::forecast::{self, TermForecast};
use crate::inference::joint::dependent;
use crate::inference::newton::Link;
use crate::inference::noise_forecast::{Advice, NoiseForecast};
use crate::inference::preview::{self, Expected, Preview, TermPreview, Verdict, narrowest};
use crate::math::round::real;
use crate::math::search::first_true;
use crate::mechanisms::Task;
use crate::mechanisms::info::are_log_odds;
use crate::model::note::{in_groups, quoted, two_digits, widening};
use crate::model::{Role, Typical};
use crate::plan::Plan;
use crate::plan::bound::{BoundColumn, BoundPlan, Kind, Source};
use crate::plan::derived::{far_centre, logarithm, name_of, named_with};
use crate::plan::document::{Column, ColumnType, Derived, Transform};
use crate::privacy::convert::gdp_epsilon;
use crate::privacy::measure::Mu;
use crate::privacy::promise::MOST_EPSILON;
use crate::release::figure::{per, unit};
use crate::release::format::{at_most, significant};
use crate::text::grouped;
use crate::words;

/// The smallest factor on the budget at which a forecast may differ from the present one.
const NEXT_ABOVE: f64 = 1.001;

/// The largest factor on the rows or on the budget's μ that is tried.
const MOST: f64 = 1e6;

/// The forecast of a mechanism that finds its own coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct Foreseen {
    /// The noise, in units of sampling errors.
    pub forecast: NoiseForecast,
    /// The stated rows.
    pub rows: u64,
    /// The uncertainty of each coefficient that may have an interval, without the intercepts, in its own unit and under the usual
    /// assumptions. Empty if there are too many coefficients to rehearse.
    pub terms: Vec<TermPreview>,
    /// The names of coefficients that will probably be withheld.
    pub lost: Vec<String>,
    /// Why some of them are withheld for any number of rows: some features are determined by others.
    pub dependence: Option<String>,
    /// Whether these are more than half of all coefficients.
    pub loses_most: bool,
    /// The names of those that may or may not be withheld.
    pub at_risk: Vec<String>,
    /// The median widening of intervals in the rehearsals: the width divided by the width without privacy. `None` without
    /// rehearsals.
    pub usual: Option<f64>,
    /// The names of coefficients whose intervals are widened much more than the others', and the largest widening.
    pub widest: Option<(Vec<String>, f64)>,
    /// The columns far from 0 whose squares are also features. One of the two may be withheld.
    pub far_from_zero: Vec<String>,
    /// Whether no rehearsed coefficient is expected to have an interval.
    pub loses_all: bool,
    /// Whether most coefficients will have intervals.
    pub keeps_most: bool,
    /// Whether most of these will be marked approximate.
    pub is_approximate: bool,
    /// Share of the rehearsals in which no coefficient had an interval.
    pub nothing: f64,
    /// Whether a feature is a category.
    pub has_levels: bool,
    /// Whether the plan states the shares of the levels of all of them.
    pub states_shares: bool,
    /// The numbers among the features of which no typical standard deviation is stated.
    pub assumed: Vec<String>,
    /// The smallest standard deviation of these, as a share of the range of the bounds, at which all coefficients are expected to
    /// have intervals. `None` if that is not rehearsed.
    pub least_spread: Option<f64>,
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

/// Changes of the plan, each of which alone would give full intervals.
#[derive(Clone, Copy, Debug, PartialEq)]
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
    let advice = foreseen.forecast.advice;
    let Some(rehearsal) = Rehearsal::new(prepared, foreseen.forecast.link) else { return Some(foreseen) };
    if let Some(Rehearsed { terms, full, none }) = rehearsal.all() {
        foreseen.forecast.advice = advised(advice, &terms, full, none);
        let of = |range: Range<f64>| terms.iter().filter(move |term| range.contains(&term.given));
        foreseen.lost = names(of(0.0..LOST));
        foreseen.at_risk = if full < EXPECTED { names(of(LOST..1.0)) } else { Vec::new() };
        foreseen.usual = in_the_middle(of(LOST..f64::INFINITY).map(|term| term.widening));
        foreseen.widest = widest(&terms, foreseen.widening().0);
        foreseen.far_from_zero =
            far_from_zero(prepared.plan(), &[&foreseen.lost[..], &foreseen.at_risk].concat());
        foreseen.loses_most = 2 * of(0.0..UNEXPECTED).count() > terms.len();
        foreseen.loses_all = !terms.is_empty() && terms.iter().all(|term| term.given < LOST);
        foreseen.keeps_most = 2 * of(0.0..EXPECTED).count() <= terms.len();
        let total = |of: &dyn Fn(&RehearsedTerm) -> f64| terms.iter().map(of).sum::<f64>();
        foreseen.nothing = none;
        foreseen.is_approximate = 2.0 * total(&|term| term.approximate) > total(&|term| term.given);
        let shown = terms.into_iter().filter(|rehearsed| rehearsed.given >= LOST);
        foreseen.terms = shown.map(|rehearsed| rehearsed.term).collect();
        retain_stated(&mut foreseen.terms, prepared);
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
    let names_none = foreseen.lost.is_empty() && foreseen.at_risk.is_empty();
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
        terms: Vec::new(),
        lost: Vec::new(),
        dependence: None,
        loses_most: false,
        at_risk: Vec::new(),
        usual: None,
        widest: None,
        far_from_zero: Vec::new(),
        loses_all: false,
        keeps_most: true,
        is_approximate: false,
        nothing: 0.0,
        has_levels,
        states_shares,
        rare_references: rare_references(prepared.bound()),
        of_logarithms: of_logarithms(prepared.plan()),
        rows_of_one_person: rows_of_one_person(prepared),
        takes_rows_together: prepared.fit().all_rounds().takes_rows_together(),
        far_zeros: far_zeros(prepared.plan()),
        assumed: assumed(prepared.plan(), prepared.bound()),
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

/// Returns the formula's advice, or a weaker one if the rehearsals have fewer intervals. `full` is the share of rehearsals with
/// all intervals, `none` the share without any. If the formula expects none and the rehearsals have some, the advice is
/// `Uncertain`.
fn advised(formula: Advice, terms: &[RehearsedTerm], full: f64, none: f64) -> Advice {
    if none >= NONE_FROM || terms.iter().all(|term| term.given <= 0.0) {
        Advice::TooFew
    } else if full < EXPECTED || formula == Advice::TooFew {
        Advice::Uncertain
    } else {
        formula
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

fn column<'a>(plan: &'a Plan, name: &str) -> Option<&'a Column> {
    plan.columns.iter().find(|column| column.name.as_deref() == Some(name))
}

/// Returns the columns far from 0 whose squares are features, too, if the column or its square is `doubtful`.
fn far_from_zero(plan: &Plan, doubtful: &[String]) -> Vec<String> {
    let is_far = |name: &String| {
        column(plan, name).is_some_and(|column| column.role == Role::Feature && far_centre(column).is_some())
    };
    let squares = plan.derived.iter().filter(|entry| entry.transform == Transform::Square);
    let of = |entry: &Derived| {
        let name = entry.from.first().filter(|name| is_far(name))?;
        (doubtful.contains(name) || doubtful.contains(&name_of(entry))).then(|| name.clone())
    };
    squares.filter_map(of).collect()
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

/// The share of yes that is tried where a half is assumed.
const RARE: f64 = 0.1;

/// Returns the task with [`RARE`] as the share of yes of each outcome whose share is not stated. `None` if all are.
fn with_rare_answers(task: &Task) -> Option<Task> {
    let mut task = task.clone();
    let unstated = |column: &&mut BoundColumn| {
        let is_stated = column.shares.is_some() || column.typical.is_some_and(|known| known.mean.is_some());
        column.role == Role::Outcome && !is_stated
    };
    let mut found = false;
    for column in task.encoding.bound.columns.iter_mut().filter(unstated) {
        match &column.kind {
            Kind::Number { lower, upper } => {
                let mean = lower + RARE * (upper - lower);
                column.typical = Some(Typical { mean: Some(mean), sd: (RARE * (1.0 - RARE)).sqrt() });
            }
            Kind::Category { levels, reference, .. } => {
                let share = |level| if level == *reference { 1.0 - RARE } else { RARE };
                column.shares = Some((0..levels.len()).map(share).collect());
            }
        }
        found = true;
    }
    found.then_some(task)
}

fn categories(bound: &BoundPlan) -> impl Iterator<Item = &BoundColumn> {
    let of_features = bound.columns.iter().filter(|column| column.role == Role::Feature);
    of_features.filter(|column| matches!(column.kind, Kind::Category { .. }))
}

/// Returns the numbers of the model of which no typical standard deviation is stated. Bounds that are to be estimated have no range yet.
fn assumed(plan: &Plan, bound: &BoundPlan) -> Vec<String> {
    let is_assumed = |of: &&BoundColumn| {
        let has_own_spread = match &of.source {
            Source::Field(_) => true,
            Source::Computed(of) => of.without_own_bounds().is_some(),
            Source::Merged(_) => false,
        };
        let is_number = matches!(of.kind, Kind::Number { .. }) && has_own_spread;
        let has_range = column(plan, &of.name).is_none_or(|column| !column.is_estimated());
        of.role != Role::Ignored && is_number && has_range && of.typical.is_none()
    };
    let own = bound.columns.iter().filter(is_assumed).map(|column| column.name.clone());
    let mut names: Vec<String> = own.collect();
    // A column that only serves a term is not in the model. Its spread determines the term's, unless the term has its own range.
    for name in plan.derived.iter().filter(|entry| entry.lower.is_none()).flat_map(|entry| &entry.from) {
        let serves = column(plan, name).is_some_and(|column| {
            column.role == Role::Ignored
                && column.kind == Some(ColumnType::Number)
                && column.typical.is_none()
                && !column.is_estimated()
        });
        if serves && !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

/// A standard deviation, as a share of the range of the bounds, that many columns have.
const OFTEN: f64 = 0.05;

/// The share below which a reference is called rare.
const RARE_REFERENCE: f64 = 0.1;

fn rare_references(bound: &BoundPlan) -> Vec<String> {
    let is_rare = |column: &&BoundColumn| match (&column.kind, &column.shares) {
        (Kind::Category { levels, reference, .. }, Some(_)) => {
            levels.len() > 2 && column.share(*reference) < RARE_REFERENCE
        }
        _ => false,
    };
    categories(bound).filter(is_rare).map(|column| column.name.clone()).collect()
}

/// Keeps the coefficients between columns whose bounds are stated.
fn retain_stated(terms: &mut Vec<TermPreview>, stage: &Prepared) {
    if stage.estimates_bounds() {
        let sought = &stage.bound().columns;
        let is_sought = |name: &str| sought.iter().any(|column| column.name == name);
        terms.retain(|term| !is_sought(&term.outcome) && !is_sought(&term.term));
    }
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

impl Foreseen {
    /// Returns the verdict in one sentence.
    pub fn verdict(&self) -> &'static str {
        match self.forecast.advice {
            _ if self.loses_all && self.dependence.is_none() && self.forecast.advice != Advice::TooFew => {
                words::forecast::verdict_none()
            }
            _ if self.rests_on_even() => words::forecast::verdict_even(),
            _ if self.rests_on_spread() => words::forecast::verdict_spread(),
            Advice::Recommended | Advice::Approximate if self.rows_of_one_person.is_some() => {
                words::forecast::verdict_of_persons()
            }
            Advice::Recommended if self.loses_rare_levels() => words::forecast::verdict_but_rare(),
            Advice::Recommended => words::forecast::verdict_recommended(),
            Advice::Approximate if self.loses_rare_levels() => {
                words::forecast::verdict_approximate_but_rare()
            }
            Advice::Approximate => words::forecast::verdict_approximate(),
            Advice::Uncertain | Advice::TooFew if self.dependence.is_some() => {
                words::forecast::verdict_dependent()
            }
            Advice::Uncertain if self.loses_some_alone() => words::forecast::verdict_but_some(),
            Advice::Uncertain if self.loses_many() => words::forecast::verdict_many(),
            Advice::Uncertain => words::forecast::verdict_uncertain(),
            Advice::TooFew => words::forecast::verdict_too_few(),
        }
    }

    /// Returns whether a level can be so rare that its coefficient is withheld.
    fn loses_rare_levels(&self) -> bool {
        self.has_levels && !self.states_shares && self.forecast.least_share >= LEAST_SHARE_NAMED
    }

    /// Returns whether many coefficients will be withheld: more than half of the rehearsed ones. Without rehearsals a measured
    /// threshold decides, for linear regressions (theory/adaptive 6.2).
    pub fn loses_many(&self) -> bool {
        let NoiseForecast { advice, link, condition, .. } = self.forecast;
        let measured = self.usual.is_none() && link == Link::Identity && condition < LOSES_MANY;
        advice == Advice::Uncertain && (self.loses_most || measured)
    }

    /// Returns whether some coefficients may be withheld while most are expected to have intervals.
    pub const fn loses_some_alone(&self) -> bool {
        !(self.lost.is_empty() && self.at_risk.is_empty()) && self.keeps_most
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

    /// Returns the smallest factor on the budget's μ at which no interval is expected to be withheld; 0 if none is at the present
    /// budget.
    fn full_from(&self, prepared: &Prepared) -> f64 {
        if gives_all(self.forecast.advice) && !self.rests_on_even() && !self.rests_on_spread() {
            return 0.0;
        }
        let mu = prepared.fit().cost().and_then(|cost| cost.mu);
        let needed = self.needed.and_then(|needed| needed.mu).zip(mu).map(|(needed, mu)| needed / mu);
        needed.unwrap_or(f64::INFINITY).max(NEXT_ABOVE)
    }

    /// Returns whether no coefficient is expected to have an interval.
    pub fn gives_nothing(&self) -> bool {
        self.forecast.advice == Advice::TooFew || self.loses_all
    }

    /// Returns whether a person is asked before such a release: it is expected to give nothing, or to withhold most coefficients, or gave
    /// nothing in some rehearsals.
    pub fn is_asked_about(&self) -> bool {
        self.withholds_most() || self.nothing >= NOTHING_ASKED || self.needs_share()
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
        (self.usual.unwrap_or_else(|| self.forecast.widening()), rarely.map(|rarely| rarely.widening()))
    }

    /// Returns which coefficients will be withheld, and why.
    fn lost_in_words(&self) -> Option<String> {
        let has_levels = self.lost.iter().any(|term| term.contains('['));
        let in_words = if has_levels { words::forecast::lost_levels } else { words::forecast::lost };
        let lost = || in_words(quoted(&self.lost));
        self.dependence.clone().or_else(|| (!self.lost.is_empty()).then(lost))
    }

    /// Returns how often no coefficient has an interval if one row in ten says yes.
    fn rarely_in_words(&self) -> Option<String> {
        let share = self.rarely_nothing;
        (share > 0.0).then(|| words::forecast::rarely_nothing(in_twentieths(share)))
    }

    /// Returns why a person is asked, and what would help.
    fn why_asked(&self) -> String {
        let lost = self.lost_in_words().filter(|_| self.dependence.is_some() || !self.loses_all);
        let ways = self.help();
        let nothing =
            (self.nothing > 0.0).then(|| words::forecast::perhaps_nothing(in_twentieths(self.nothing)));
        let rarely = self.rarely_in_words();
        let share = self.needs_share().then(|| words::forecast::state_share().to_owned());
        [Some(self.verdict().to_owned()), lost, nothing, rarely, share, ways]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Returns what would give full intervals.
    pub fn help(&self) -> Option<String> {
        // More rows or budget do not make rows of one person independent, nor features that determine each other.
        let approximate = self.forecast.advice == Advice::Approximate && self.rows_of_one_person.is_some();
        Some(self.needed.filter(|_| !approximate && self.dependence.is_none())?.ways(self.rows))
    }

    /// Returns sentences with numbers: the consequences for the result, and what would help. What matters most for this plan
    /// comes first, general remarks last.
    pub fn sentences(&self) -> Vec<String> {
        let (spreads, rare) = (self.spreads_in_words(), self.rare_answers_in_words());
        let (deciding, others): (Vec<_>, Vec<_>) =
            [(self.rests_on_spread(), spreads), (self.rests_on_even(), rare)]
                .into_iter()
                .partition(|of| of.0);
        let in_order = |groups: Vec<(bool, Vec<String>)>| groups.into_iter().flat_map(|(_, told)| told);
        let mut sentences = self.losses_in_words();
        sentences.extend(self.help());
        sentences.extend(in_order(deciding));
        sentences.extend(self.widths_in_words());
        sentences.extend(self.levels_in_words());
        sentences.extend(in_order(others));
        sentences.extend(self.errors_in_words());
        if !self.far_zeros.is_empty() {
            sentences.push(words::forecast::far_zeros(quoted(&self.far_zeros)));
        }
        sentences.push(words::forecast::long_tails().to_owned());
        sentences
    }

    /// Returns which coefficients will or may have no interval, and why.
    fn losses_in_words(&self) -> Vec<String> {
        if self.forecast.advice == Advice::TooFew {
            return self.dependence.clone().into_iter().collect();
        }
        let at_risk = || words::forecast::at_risk(quoted(&self.at_risk));
        let far = || words::forecast::far_from_zero(quoted(&self.far_from_zero));
        let nothing = || words::forecast::perhaps_nothing(in_twentieths(self.nothing));
        let all = [
            self.lost_in_words().filter(|_| self.dependence.is_some() || !self.loses_all),
            (!self.at_risk.is_empty()).then(at_risk),
            (!self.far_from_zero.is_empty()).then(far),
            (self.nothing > 0.0).then(nothing),
        ];
        all.into_iter().flatten().collect()
    }

    /// Returns how wide intervals are, and whether they have their stated coverage.
    fn widths_in_words(&self) -> Vec<String> {
        let advice = self.forecast.advice;
        if self.gives_nothing() {
            return Vec::new();
        }
        let times = self.widening().0;
        let usual = || match &self.of_outcome {
            Some(assumed) => assumed.sentences(times).join(" "),
            None => words::forecast::widening(widening(times)),
        };
        let widest = self.widest.as_ref();
        let widest =
            widest.map(|(names, most)| words::forecast::widest(names.len(), quoted(names), widening(*most)));
        let is_said = advice == Advice::Approximate || self.rows_of_one_person.is_some();
        let approximate = (self.is_approximate && !is_said).then(words::forecast::mostly_approximate);
        let all = [Some(usual()), widest, self.rows_of_one_person.clone(), approximate.map(str::to_owned)];
        all.into_iter().flatten().collect()
    }

    /// Returns what happens to rare levels.
    fn levels_in_words(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        if self.gives_nothing() {
            return sentences;
        }
        if self.loses_rare_levels() {
            sentences.push(words::forecast::least_level(in_percent(hardly_withheld(&self.forecast))));
            sentences.push(words::forecast::state_shares().to_owned());
        }
        if !self.rare_references.is_empty() {
            sentences.push(words::forecast::rare_reference(self.rare_references.join(", ")));
        }
        sentences
    }

    /// Returns which spread is assumed of numbers for which the plan states none.
    fn spreads_in_words(&self) -> Vec<String> {
        if self.assumed.is_empty() || self.gives_nothing() {
            return Vec::new();
        }
        let least = self.least_spread.map(in_percent).map(words::forecast::least_spread);
        [words::forecast::assumed_spreads(quoted(&self.assumed))].into_iter().chain(least).collect()
    }

    /// Returns what follows if few rows say yes, where half of them are assumed to.
    fn rare_answers_in_words(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        let Some(rarely) = self.rarely else { return sentences };
        if rarely.advice != Advice::TooFew {
            sentences.push(words::forecast::rare_odds(widening(rarely.widening())));
            if self.has_levels && rarely.least_share >= LEAST_SHARE_NAMED {
                sentences.push(words::forecast::rare_level(in_percent(hardly_withheld(&rarely))));
            }
        }
        sentences.extend(self.rarely_in_words());
        sentences.push(words::forecast::even_odds().to_owned());
        sentences
    }

    /// Returns what the standard errors assume of the residuals.
    fn errors_in_words(&self) -> Option<String> {
        let NoiseForecast { robust, link, advice, .. } = self.forecast;
        let told = match (robust, self.takes_rows_together, self.of_logarithms) {
            (true, true, _) => words::forecast::robust_of_persons(),
            (true, false, _) => words::forecast::robust(),
            (false, ..) if link != Link::Identity || advice == Advice::TooFew => return None,
            (false, _, true) => words::forecast::skewed_logarithm(),
            (false, _, false) => words::forecast::skewed(),
        };
        Some(told.to_owned())
    }
}

/// Returns the smallest and largest half width of an outcome's 95 % intervals, each in its own unit. `None` for several outcomes,
/// because their units differ.
pub fn half_widths(plan: &Plan, terms: &[TermPreview]) -> Option<String> {
    let told = || terms.iter().filter(|term| term.is_told());
    let by_half = |a: &&TermPreview, b: &&TermPreview| a.half().total_cmp(&b.half());
    let (least, most) = (told().min_by(by_half)?, told().max_by(by_half)?);
    if told().any(|term| term.outcome != least.outcome) {
        return None;
    }
    let unit =
        if are_log_odds(plan) { words::method::log_odds().to_owned() } else { unit(plan, &least.outcome) };
    let after =
        |mark: &str, part: &str| if part.is_empty() { String::new() } else { format!("{mark}{part}") };
    let of = |own: &TermPreview| {
        let term = &own.term;
        let (unit, per) = (after(" ", &unit), after(", ", &per(plan, term)));
        format!("± {}{unit} (`{term}`{per})", significant(own.half(), 2))
    };
    Some(match least == most {
        true => words::forecast::half_width(of(least)),
        false => words::forecast::half_widths(of(least), of(most)),
    })
}

/// Returns the effect of several rows of one person on the intervals. `None` if one row of each person counts.
pub fn rows_of_one_person(prepared: &Prepared) -> Option<String> {
    let most = prepared.checked().max_rows_per_person;
    let counts = most > 1 && !prepared.fit().all_rounds().takes_rows_together();
    counts.then(|| words::forecast::rows_of_one_person(most, two_digits(f64::from(most).sqrt())))
}

fn of_logarithms(plan: &Plan) -> bool {
    named_with(plan, Role::Outcome).iter().all(|name| logarithm(plan, name).is_some())
}

/// The largest value over the smallest, both with the offset, above which the logarithm of 0 lies far from the other logarithms.
const FAR: f64 = 1_000.0;

fn far_zeros(plan: &Plan) -> Vec<String> {
    let of = |term: &Derived| {
        let (name, offset) = (term.from.first()?, term.offset.unwrap_or_default());
        let (lower, upper) = column(plan, name)?.stated_bounds()?;
        (lower <= 0.0 && upper + offset > FAR * (lower + offset)).then(|| name.clone())
    };
    plan.derived.iter().filter(|term| term.transform == Transform::Log).filter_map(of).collect()
}

/// Returns the smallest share of a level at which it is hardly ever withheld.
fn hardly_withheld(forecast: &NoiseForecast) -> f64 {
    HARDLY_WITHHELD * forecast.least_share
}

fn in_percent(share: f64) -> String {
    two_digits(100.0 * share.min(1.0))
}

/// Returns a share of the rehearsals as a percentage, rounded to 5 % and at least 5 %: the rehearsals are few.
fn in_twentieths(share: f64) -> String {
    in_percent((20.0 * share).round().max(1.0) / 20.0)
}

/// The page asks before a release if at least this share of the rehearsals has no interval at all.
const NOTHING_ASKED: f64 = 0.1;

/// The condition above which few coefficients are withheld.
const LOSES_MANY: f64 = 1.6;

/// If the moments of a level are as large as their noise, the level is withheld about half of the time. At this multiple of that
/// share it is hardly ever withheld.
const HARDLY_WITHHELD: f64 = 1.5;

/// The smallest share of a level that a sentence names.
const LEAST_SHARE_NAMED: f64 = 0.001;

impl Needed {
    /// Returns what would give intervals, as a sentence about rows, budget and columns.
    pub fn ways(&self, rows: u64) -> String {
        let rows = self.rows.map(|needed| words::forecast::way_rows(in_groups(needed), grouped(rows as f64)));
        let is_beyond = self.epsilon.is_some_and(|(_, epsilon)| epsilon > MOST_EPSILON);
        let budget = match (self.epsilon, self.mu) {
            _ if is_beyond => None,
            (Some((now, epsilon)), _) => {
                Some(words::forecast::way_epsilon(two_digits(epsilon), at_most(now)))
            }
            (None, Some(mu)) => Some(words::forecast::way_mu(two_digits(mu))),
            (None, None) => None,
        };
        let columns = match self.features {
            0 => None,
            columns => Some(words::forecast::way_columns(columns, columns)),
        };
        let ways: Vec<String> = [rows, budget, columns].into_iter().flatten().collect();
        match ways.as_slice() {
            [] if is_beyond => words::forecast::beyond_budgets().to_owned(),
            [] => words::forecast::no_way().to_owned(),
            ways => words::forecast::full_intervals(ways.join(", or ")),
        }
    }
}

/// Returns the expected uncertainty of a release of moments with its stated rows. `None` without that number, or without a law of
/// the noise.
pub fn expected(prepared: &Prepared) -> Option<Preview> {
    let stage = prepared;
    let prepared = stage.fit();
    let rows = prepared.stated_rows()?;
    let mut preview = on_rows(prepared, rows)?;
    preview.advice = advice(prepared, &preview, rows);
    retain_stated(&mut preview.terms, stage);
    Some(preview)
}

/// Returns the expected uncertainty with `rows` rows, without advice.
fn on_rows(prepared: &Prepared, rows: u64) -> Option<Preview> {
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
    let part = prepared.all_rounds().projection(prepared.task(), real(rows), expected.noise);
    if let Some(part) = part {
        preview.project(part, rows);
    }
    Some(preview)
}

/// Returns a sentence that every interval will be too wide to be useful, and what would help.
fn too_wide(prepared: &Prepared, half: f64, rows: u64) -> String {
    let is_narrow = |times: &f64| {
        let preview = on_rows(prepared, whole(real(rows) * times));
        preview.is_some_and(|preview| narrowest(&preview.terms).is_some_and(|narrowest| narrowest <= 1.0))
    };
    let enough = TIMES.get(TIMES.partition_point(|times| !is_narrow(times)));
    let mut told = vec![words::forecast::too_wide(two_digits(half))];
    told.push(match enough {
        Some(times) => words::forecast::narrow_enough(in_groups(real(rows) * times), grouped(real(rows))),
        None => words::forecast::never_narrow().to_owned(),
    });
    // Narrower bounds do not help if public moments whiten the records.
    if prepared.whitener().is_none() {
        told.push(words::forecast::narrower_bounds().to_owned());
    }
    told.join(" ")
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a forecast; `as` saturates")]
fn whole(rows: f64) -> u64 {
    rows.round() as u64
}

/// The smallest shrinkage of a coefficient that a sentence names.
const SHRUNK: f64 = 0.05;

/// Returns the verdict of a preview as a sentence, and what would give full intervals.
fn advice(prepared: &Prepared, preview: &Preview, rows: u64) -> String {
    let factor = Some(preview.budget_factor).filter(|factor| factor.is_finite());
    let mu = prepared.cost().and_then(|cost| cost.mu).zip(factor).map(|(mu, factor)| mu * factor);
    let needed = Needed {
        rows: factor.map(|_| preview.rows_needed as f64),
        epsilon: of_release(prepared, mu),
        mu,
        features: if preview.projected { 0 } else { preview.features_that_fit },
    };
    let ways = needed.ways(rows);
    if preview.projected {
        return words::forecast::projected(ways);
    }
    let most = preview.terms.iter().map(|term| term.shrinkage).fold(0.0, f64::max);
    let shrunk = most >= SHRUNK;
    // The recommendation of the ridge already says what an ordinary regression would need.
    let is_ordinary = preview.budget_factor <= 1.0;
    let penalised = |percent: &str| match is_ordinary {
        true => words::forecast::penalised(percent),
        false => words::forecast::penalised_at_best(percent),
    };
    let ways = match shrunk {
        true if is_ordinary => words::forecast::full_already().to_owned(),
        true => words::forecast::ordinary_later().to_owned(),
        false => ways,
    };
    let percent = format!("{:.0}", 100.0 * most);
    let cautious = format!("{:.1}", preview.cautious_signal_to_noise);
    let best = format!("{:.1}", preview.signal_to_noise);
    match preview.verdict {
        Verdict::Clear if preview.signal_to_noise.is_infinite() => {
            match preview.terms.iter().any(|term| term.noise_std_error > 0.0) {
                false => words::forecast::no_noise().to_owned(),
                true => words::forecast::penalised(percent),
            }
        }
        Verdict::Clear if shrunk => format!("{} {ways}", penalised(&percent)),
        Verdict::Clear => words::forecast::clear(cautious, best),
        Verdict::Approximate if shrunk => {
            let told = words::forecast::approximate(cautious, best, ways);
            format!("{told} {}", words::forecast::shrunk(percent))
        }
        Verdict::Approximate => words::forecast::approximate(cautious, best, ways),
        Verdict::TooWide(half) => too_wide(prepared, half, rows),
        Verdict::Withheld => words::forecast::withheld(cautious, best, ways),
    }
}

/// The width of intervals as a function of the budget.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precision {
    /// The median over the coefficients of the standard deviation of the privacy noise, in units of the sampling error.
    noise: f64,
    /// The factor on the budget's μ below which all intervals are withheld.
    withheld_below: f64,
    /// The factor above which no interval is expected to be withheld.
    full_from: f64,
}

impl Precision {
    /// No budget gives an interval. Used if the rows are too few for an ordinary regression: a ridge's intervals cannot be
    /// compared with its intervals.
    pub const NOTHING: Self = Self { noise: 0.0, withheld_below: f64::INFINITY, full_from: f64::INFINITY };

    /// Returns whether it is [`NOTHING`](Self::NOTHING).
    pub fn is_nothing(&self) -> bool {
        *self == Self::NOTHING
    }

    /// Returns the width of an interval over its width without privacy, at `times` the budget's μ. `None` if all are withheld.
    pub fn at(&self, times: f64) -> Option<f64> {
        (times >= self.withheld_below).then(|| (self.noise / times).hypot(1.0))
    }

    /// Returns whether no interval is expected to be withheld with this budget.
    pub fn is_full(&self) -> bool {
        self.full_from <= 1.0
    }

    /// Returns the precision at a budget of μ, interpolated from those that are `known` at other budgets, in ascending order of
    /// μ. `None` if none is known. The logarithm of the noise is interpolated linearly in the logarithm of μ. Outside the known
    /// budgets the noise is proportional to 1/μ.
    pub fn between(known: &[(f64, Self)], mu: f64) -> Option<Self> {
        let carried = |(own, found): &(f64, Self)| Self {
            noise: found.noise * own / mu,
            withheld_below: found.withheld_below * own / mu,
            full_from: found.full_from * own / mu,
        };
        let after = known.partition_point(|(own, _)| *own <= mu);
        let (below, above) = (after.checked_sub(1).and_then(|last| known.get(last)), known.get(after));
        let (Some(below), Some(above)) = (below, above) else { return below.or(above).map(carried) };
        let weight = libm::log(mu / below.0) / libm::log(above.0 / below.0);
        let (least, most) = (carried(below), carried(above));
        // A budget that gives no intervals has no width to interpolate from.
        let noise = if least.noise > 0.0 {
            libm::pow(least.noise, 1.0 - weight) * libm::pow(most.noise, weight)
        } else {
            most.noise
        };
        let nearer = if weight < 0.5 { least } else { most };
        if nearer.is_nothing() {
            return Some(nearer);
        }
        Some(Self { noise, ..nearer })
    }
}

/// Returns the width of intervals as a function of the budget, from a forecast or a preview. `None` if neither has a sampling
/// error.
pub fn precision(
    prepared: &Prepared,
    foreseen: Option<&Foreseen>,
    expected: Option<&Preview>,
) -> Option<Precision> {
    if let Some(foreseen) = foreseen {
        // What shortening costs counts as noise.
        let noise = (foreseen.widening().0.powi(2) - 1.0).max(0.0).sqrt();
        // If intervals are withheld at this budget, they are withheld at a smaller one.
        let least = if foreseen.withholds_most() { NEXT_ABOVE } else { 0.0 };
        let withheld_below = foreseen.withheld_below.max(least);
        return Some(Precision { noise, withheld_below, full_from: foreseen.full_from(prepared) });
    }
    let (errors, signal): (Vec<(f64, f64)>, f64) = if let Some(preview) = expected {
        let slopes = preview.terms.iter().filter(|term| term.plausible_effect.abs() > 0.0);
        let errors = slopes.map(|term| (term.noise_std_error, term.sampling_std_error));
        (errors.collect(), preview.cautious_signal_to_noise)
    } else {
        let terms = standard_errors(prepared.fit())?;
        let signal = terms.iter().map(|term| term.signal_to_noise).fold(0.0, f64::max);
        let errors = terms.iter().filter_map(|term| Some((term.noise_std_error, term.sampling_std_error?)));
        (errors.collect(), signal)
    };
    let ratios = errors.into_iter().map(|(noise, sampling)| noise / sampling);
    let noise = in_the_middle(ratios.filter(|ratio| ratio.is_finite()))?;
    let withheld_below = WITHHELD_BELOW / signal;
    Some(Precision { noise, withheld_below, full_from: withheld_below })
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
        return Some(format!("{}. {}", outlook.verdict(), outlook.advice()));
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
