//! One method on one table: seeded runs at each budget, and what they are like.

use std::cell::RefCell;

use discreet::data::EncodedRows;
use discreet::engine::Prepared;
use discreet::engine::foresee::foresee;
use discreet::inference::noise_forecast::Advice;
use discreet::inference::pseudo::{Pseudo, mix};
use discreet::mechanisms::info::{self, Info, Scope};
use discreet::model::{Coefficient, INTERCEPT, Wallet};
use discreet::plan::bound::BoundPlan;
use discreet::privacy::convert::gdp_mu;
use discreet::privacy::measure::{Delta, Epsilon};
use nalgebra::DVector;
use serde_json::json;

use super::Size;
use super::published::{Coded, ada_ssp, boosted};
use super::road::{Input, Reference, encoded, prepared, resampled, run};
use super::tables::Table;

/// δ of every run.
pub const DELTA: f64 = 1e-6;

/// Beyond so many numbers no rows are drawn again: it is not cheap.
const MOST_RESAMPLED: usize = 500_000;

/// A way to fit a table privately.
#[derive(Clone, Copy)]
pub enum Method {
    /// A mechanism of the registry with its own defaults; under replace-one where it has no other adjacency.
    Registered { info: &'static Info, replaced: bool },
    /// `AdaSSP` as published.
    AdaSsp,
    /// Boosted `AdaSSP` as published, with so many rounds.
    Boosted(u32),
}

impl Method {
    pub fn name(self) -> String {
        match self {
            Self::Registered { info, replaced } => {
                let with = match (replaced, info.public_moments) {
                    (true, _) => " (replace-one)",
                    (_, true) => " (public moments)",
                    _ => "",
                };
                format!("`{}`{with}", info.name)
            }
            Self::AdaSsp => "AdaSSP, as published".to_owned(),
            Self::Boosted(rounds) => format!("boosted AdaSSP, as published, {rounds} rounds"),
        }
    }

    /// Whether it is told something of the table that the others have to buy.
    pub fn knows_more(self) -> bool {
        matches!(self, Self::Registered { info, .. } if info.public_moments)
    }

    /// Whether this is the mechanism of the registry with this name.
    pub fn is(self, name: &str) -> bool {
        matches!(self, Self::Registered { info, .. } if info.name == name)
    }
}

/// Returns the methods for a kind of outcome, and the mechanisms of the registry that are left out, each with the reason.
pub fn methods(yes_or_no: bool) -> (Vec<Method>, Vec<(&'static str, String)>) {
    let (mut taken, mut left_out) = (Vec::new(), Vec::new());
    // A build for tests has one mechanism more, which is there for them alone.
    let private =
        |info: &&Info| info.wallet != Wallet::None && info.labels == yes_or_no && info.name != "noisy-means";
    for info in info::all().filter(private) {
        match info.scope {
            Scope::Relaxed(protect) => {
                left_out.push((info.name, format!("only the {protect} are protected")))
            }
            scope => taken.push(Method::Registered { info, replaced: scope == Scope::ReplaceOne }),
        }
    }
    if !yes_or_no {
        taken.extend([Method::AdaSsp, Method::Boosted(10), Method::Boosted(100)]);
    }
    (taken, left_out)
}

/// What one method is like on one table at one budget.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    pub runs: usize,
    /// Median of |slope error| in standard errors of the exact fit. A slope that is not shown counts as infinitely far.
    pub error: f64,
    /// Its standard error over runs, infinite where a slope is not shown in enough of them.
    pub spread: f64,
    /// Share of slopes without an interval; nothing for a method that has none.
    pub withheld: Option<f64>,
    /// Share of 95 % intervals that hold the exact slope of this table.
    pub fixed: Option<f64>,
    /// Share of 95 % intervals that hold the exact slope of the table from which the rows were drawn again.
    pub resampled: Option<f64>,
    /// Number of intervals behind `resampled`.
    pub intervals: usize,
    /// Median R² of predictions for held-out records. A run that does not show every coefficient counts as the worst.
    pub r_squared: f64,
    /// What the method's own forecast says, where it has one: its advice and the median error that it foresees.
    pub forecast: Option<(Advice, f64)>,
}

/// A table with its exact fit.
pub struct Subject {
    pub table: Table,
    pub reference: Reference,
}

impl Subject {
    /// Returns the error of a method that says 0 for every slope, whatever the table.
    pub fn idle(&self) -> f64 {
        let Reference { estimates, errors, .. } = &self.reference;
        median(estimates.iter().skip(1).zip(errors).map(|(exact, error)| exact.abs() / error).collect())
    }
}

/// The runs of a method at every budget, or why the plan is refused.
pub fn measure(subject: &Subject, method: Method, size: &Size) -> Result<Vec<Cell>, String> {
    match method {
        Method::Registered { info, replaced } => registered(subject, info, replaced, size),
        Method::AdaSsp | Method::Boosted(_) => Ok(published(subject, method, size)),
    }
}

/// About as many runs as give `size.slopes` slopes, fewer where one takes long.
fn runs(subject: &Subject, passes: u32, size: &Size) -> usize {
    let d = subject.reference.terms.len();
    let terms = d as f64 + 2.0;
    let work = subject.reference.train.len() as f64 * f64::from(passes) * (terms * terms / 2.0 + 20.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
    let affordable = (size.work / work) as usize;
    (size.slopes / d).clamp(size.least_runs, size.most_runs).min(affordable.max(size.least_runs))
}

/// The same grid of records, encoded once for all budgets.
struct Rows(RefCell<Option<(BoundPlan, EncodedRows)>>);

impl Rows {
    fn with<T>(&self, prepared: &Prepared, text: &str, then: impl FnOnce(&EncodedRows) -> T) -> T {
        let mut kept = self.0.borrow_mut();
        if kept.as_ref().is_none_or(|(bound, _)| bound != prepared.bound()) {
            *kept = Some((prepared.bound().clone(), encoded(prepared, text)));
        }
        then(&kept.as_ref().unwrap().1)
    }
}

fn registered(subject: &Subject, info: &Info, replaced: bool, size: &Size) -> Result<Vec<Cell>, String> {
    let kept = Rows(RefCell::new(None));
    let public = info.public_moments.then(|| subject.reference.public(&subject.table));
    let mut cells = Vec::new();
    for epsilon in size.epsilons {
        let budget = json!({"epsilon": epsilon, "delta": DELTA});
        let prepared = prepared(&subject.table, info.name, &budget, replaced, public.as_ref())
            .map_err(|error| error.to_string())?;
        let runs = runs(subject, prepared.rounds(), size);
        let cell = kept.with(&prepared, &subject.table.train, |rows| {
            let mut tally = Tally::new(subject, info.standard_errors);
            let input = Input::new(&prepared, rows);
            for number in 1..=runs {
                tally.add(&run(&prepared, &input, number as u64).map_err(|error| error.to_string())?);
            }
            let cheap = rows.len() * rows.terms() <= MOST_RESAMPLED;
            for number in 1..=if cheap && info.standard_errors { runs } else { 0 } {
                let number = number as u64;
                let drawn = resampled(rows, number);
                let input = Input::new(&prepared, &drawn);
                tally.cover(&run(&prepared, &input, number << 32).map_err(|error| error.to_string())?);
            }
            Ok::<_, String>(tally.cell())
        })?;
        let forecast = foresee(&prepared).map(|seen| (seen.forecast.advice, seen.forecast.median_error()));
        cells.push(Cell { forecast, ..cell });
    }
    Ok(cells)
}

fn published(subject: &Subject, method: Method, size: &Size) -> Vec<Cell> {
    let Reference { train, units, columns, .. } = &subject.reference;
    let (last, features) = units.split_last().unwrap();
    let coded = |value: f64, (middle, half): (f64, f64)| (value - middle) / half;
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for (row, outcome) in train.rows() {
        x.push(1.0);
        x.extend(row.iter().zip(features).map(|(value, unit)| coded(*value, *unit)));
        y.push(coded(outcome, *last));
    }
    let records = Coded::new(x, y, 1.0 + *columns as f64);
    let own_units = |theta: &DVector<f64>| {
        let slopes = theta.iter().skip(1).zip(features);
        let slopes: Vec<f64> = slopes.map(|(theta, (_, half))| last.1 * theta / half).collect();
        let shift: f64 = slopes.iter().zip(features).map(|(slope, (middle, _))| slope * middle).sum();
        [&[last.0 + last.1 * theta[0] - shift], slopes.as_slice()].concat()
    };
    let one = |epsilon: f64| {
        let passes = if let Method::Boosted(rounds) = method { rounds } else { 1 };
        let mu = gdp_mu(Epsilon::try_new(epsilon).unwrap(), Delta::try_new(DELTA).unwrap()).unwrap().get();
        let mut tally = Tally::new(subject, false);
        for number in 1..=runs(subject, passes, size) {
            let mut rng = Pseudo::new(11, &[u64::from(passes), number as u64]);
            let mut normal = || rng.normal();
            let theta = match method {
                Method::Boosted(rounds) => boosted(&records, mu, rounds, &mut normal),
                _ => ada_ssp(&records, epsilon, DELTA, &mut normal),
            };
            tally.add_estimates(&own_units(&theta).into_iter().map(Some).collect::<Vec<_>>());
        }
        tally.cell()
    };
    size.epsilons.iter().copied().map(one).collect()
}

/// What runs were like so far.
pub struct Tally<'a> {
    subject: &'a Subject,
    intervals: bool,
    runs: usize,
    errors: Vec<f64>,
    scores: Vec<f64>,
    given: usize,
    covered: usize,
    given_again: usize,
    covered_again: usize,
}

impl<'a> Tally<'a> {
    pub fn new(subject: &'a Subject, intervals: bool) -> Self {
        Self {
            subject,
            intervals,
            runs: 0,
            errors: Vec::new(),
            scores: Vec::new(),
            given: 0,
            covered: 0,
            given_again: 0,
            covered_again: 0,
        }
    }

    /// Adds a run on the table itself.
    pub fn add(&mut self, list: &[Coefficient]) {
        let (given, covered) = self.intervals_of(list);
        self.given += given;
        self.covered += covered;
        let terms = std::iter::once(INTERCEPT).chain(self.subject.reference.terms.iter().map(String::as_str));
        let estimate = |term: &str| list.iter().find(|found| found.term == term)?.estimate;
        self.add_estimates(&terms.map(estimate).collect::<Vec<_>>());
    }

    /// Adds the constant and the slopes of a run.
    pub fn add_estimates(&mut self, estimates: &[Option<f64>]) {
        let Reference { estimates: exact, errors, .. } = &self.subject.reference;
        self.runs += 1;
        for ((found, exact), error) in estimates.iter().zip(exact).skip(1).zip(errors) {
            let far = found.map_or(f64::INFINITY, |found| (found - exact).abs() / error);
            self.errors.push(if far.is_nan() { f64::INFINITY } else { far });
        }
        let all: Option<Vec<f64>> = estimates.iter().copied().collect();
        let score = all.map(|all| self.subject.reference.r_squared(self.subject.table.yes_or_no, &all));
        self.scores.push(score.filter(|score| !score.is_nan()).unwrap_or(f64::NEG_INFINITY));
    }

    /// Adds a run on rows that were drawn again.
    pub fn cover(&mut self, list: &[Coefficient]) {
        let (given, covered) = self.intervals_of(list);
        self.given_again += given;
        self.covered_again += covered;
    }

    /// How many intervals of slopes there are, and how many hold the exact slope.
    fn intervals_of(&self, list: &[Coefficient]) -> (usize, usize) {
        let Reference { terms, estimates, .. } = &self.subject.reference;
        let (mut given, mut covered) = (0, 0);
        for (term, exact) in terms.iter().zip(&estimates[1..]) {
            let found = list.iter().find(|found| found.term == *term);
            if let Some((lower, upper)) = found.and_then(|found| found.lower.zip(found.upper)) {
                given += 1;
                covered += usize::from((lower..=upper).contains(exact));
            }
        }
        (given, covered)
    }

    pub fn cell(self) -> Cell {
        let share = |part: usize, whole: usize| (whole > 0).then(|| part as f64 / whole as f64);
        let asked = self.errors.len();
        Cell {
            runs: self.runs,
            spread: spread(&self.errors, self.runs),
            error: median(self.errors),
            withheld: self.intervals.then(|| 1.0 - self.given as f64 / asked as f64),
            fixed: share(self.covered, self.given),
            resampled: share(self.covered_again, self.given_again),
            intervals: self.given_again,
            r_squared: median(self.scores),
            forecast: None,
        }
    }
}

/// The standard deviation of the median over 200 samples of the runs, drawn with replacement; the errors of a run stand together.
fn spread(errors: &[f64], runs: usize) -> f64 {
    const DRAWS: u64 = 200;
    let each = errors.len() / runs.max(1);
    let drawn = (0..DRAWS).map(|draw| {
        let mut sample = Vec::with_capacity(errors.len());
        for place in 0..runs as u64 {
            let run = usize::try_from(mix(mix(17 ^ draw << 32) ^ place) % runs as u64).unwrap();
            sample.extend(&errors[run * each..(run + 1) * each]);
        }
        median(sample)
    });
    let medians: Vec<f64> = drawn.collect();
    if medians.iter().any(|median| median.is_infinite()) {
        return f64::INFINITY;
    }
    let count = medians.len() as f64;
    let mean = medians.iter().sum::<f64>() / count;
    (medians.iter().map(|median| (median - mean).powi(2)).sum::<f64>() / (count - 1.0)).sqrt()
}

/// The median of numbers that may be infinite: of an even count the worse of the middle two where one is.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let [below, above] = [values[(values.len() - 1) / 2], values[values.len() / 2]];
    if below.is_finite() && above.is_finite() {
        f64::midpoint(below, above)
    } else if below.is_finite() {
        above
    } else {
        below
    }
}
