//! What a plan costs and what to expect of it, before anything is spent.

use std::collections::HashMap;

use super::budget::{ask, taken};
use super::estimates::{bounds_of, needs_consent};
use crate::engine::foresee::{Foreseen, Precision, dependence, expected, foresee_noise, hopeless, precision};
use crate::engine::public::{prepare_table, term_names};
use crate::engine::public_moments::PublicMoments;
use crate::engine::recommend::recommend;
use crate::engine::spread::AssumedSpread;
use crate::engine::{EngineError, Outlook, Prepared, outlook, prepare, prepare_with, standard_errors};
use crate::inference::forecast::TermForecast;
use crate::inference::preview::Preview;
use crate::mechanisms::find;
use crate::model::Role;
use crate::plan::bound::Kind;
use crate::plan::document::{Bound, BudgetForm, ColumnType, Confirm};
use crate::plan::{Plan, Purpose};
use crate::privacy::calibrate::percent_of;
use crate::privacy::ledger::Ledger;
use crate::privacy::measure::Epsilon;
use crate::privacy::units::Units;
use crate::release::figure::unit;
use crate::release::format::at_most;
use crate::ui::draft::{self, ColumnDraft, Setup, UNCERTAIN_BOUNDS, draft_plan};
use crate::ui::forecasts::{Forecasts, Made};
use crate::ui::public_form::Term;
use crate::ui::sentence::{fault, sentence};
use crate::ui::table::Table;
use crate::ui::text;
use crate::words;

/// What a plan costs and what to expect of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Forecast {
    /// The plan with its defaults filled in.
    pub plan: Plan,
    /// How many of the table's columns it has.
    pub columns: usize,
    /// What the release costs, in words.
    pub price: String,
    /// Share of the whole budget that it takes, 0 to 1.
    pub of_all: f64,
    /// Share of what is left that it takes, 0 to 1.
    pub of_left: f64,
    /// Whether a worker still rehearses it. What to expect of it is absent until then.
    pub is_awaited: bool,
    /// What a mechanism that measures its own coordinates foresees; absent for others and without a stated number of rows.
    pub foreseen: Option<Foreseen>,
    /// Why a release would be of no use and what would help; absent where it may be of use.
    pub hopeless: Option<String>,
    /// Which features follow from others, whatever the rows are; absent where none does.
    pub dependence: Option<String>,
    /// What to expect of it; absent without a stated number of rows.
    pub preview: Option<Preview>,
    /// How wide intervals are against the budget, where a stated number of rows says it.
    pub precision: Option<Precision>,
    /// What the widths assume of the outcomes of which no typical standard deviation is stated.
    pub of_outcome: Option<AssumedSpread>,
    /// Whether a guided fit can work; absent for other mechanisms and without a stated number of rows.
    pub outlook: Option<Outlook>,
    /// The least standard errors of a fit in noisy steps; absent for other mechanisms and without a stated number of rows.
    pub errors: Option<Vec<TermForecast>>,
    /// What was repaired in the public moments, and what to watch.
    pub notes: Vec<String>,
    /// How often a fit reads the rows, and whether they stay in memory meanwhile, where a stated number of rows says it.
    pub passes: Option<(u32, Option<bool>)>,
    /// Whether the release will have standard errors.
    pub has_errors: bool,
    /// Why the ledger refuses it, if it does.
    pub refusal: Option<String>,
}

/// Computes what a plan costs and what to expect of it, before anything is spent.
///
/// # Errors
/// The path inside the plan and what is wrong there.
///
/// `whole` is a new budget in units, for a table that has no ledger yet.
pub fn forecast(
    plan: &Plan,
    public: Option<&PublicMoments>,
    table: &Table,
    ledger: Option<&Ledger>,
    whole: &Units,
    forecasts: Forecasts,
) -> Result<Forecast, (String, String)> {
    if needs_consent(plan, bounds_of(plan, &table.names).as_ref()) {
        return Err((UNCERTAIN_BOUNDS.to_owned(), words::gap::uncertain_bounds().to_owned()));
    }
    if let Some(before) = ledger.and_then(|ledger| ledger.other_persons(plan.person.as_deref()))
        && !plan.confirm.contains(&Confirm::OtherPersons)
    {
        let gap = before.map_or_else(|| words::gap::rows_before().to_owned(), words::gap::other_persons);
        return Err(("person".to_owned(), gap));
    }
    let prepared = prepare_with(plan.clone(), public, &table.names, table.delimiter, Purpose::Release)
        .map_err(|error| match error {
            EngineError::Plan(error) => (error.path.clone(), sentence(&fault(&error))),
            EngineError::Budget(error) => ("budget".to_owned(), error.to_string()),
            error => (String::new(), error.to_string()),
        })?;
    let fit = prepared.fit();
    let cost = fit.cost().ok_or_else(|| ("budget".to_owned(), words::gap::no_budget().to_owned()))?;
    let epsilon = match ledger {
        Some(ledger) => ledger.promise().0,
        None => cost.promise.map_or(Epsilon::ZERO, |(epsilon, _)| epsilon),
    };
    let charge = prepared.charge(epsilon).map_err(|error| ("budget".to_owned(), error.to_string()))?;
    let (all, left) = match ledger {
        Some(ledger) => (ledger.capacity(), ledger.remaining()),
        None => (*whole, *whole),
    };
    let refusal = ledger
        .and_then(|ledger| ledger.check(&prepared.whole_request()).err())
        .map(|error| error.to_string());
    let wallet = fit.info().wallet;
    let price = match (prepared.whole_mu(), cost.promise) {
        (Some(mu), Some((epsilon, _))) if !prepared.estimates_bounds() => {
            words::privacy::price_gaussian(at_most(epsilon.get()), at_most(mu))
        }
        (Some(mu), _) => words::privacy::price_mu(at_most(mu)),
        (None, Some((epsilon, delta))) => {
            words::privacy::price(at_most(epsilon.get()), text::one_in(delta.get()))
        }
        (None, None) => String::new(),
    };
    let made = forecasts.of(plan, &prepared, table);
    let is_awaited = made.is_none();
    let (foreseen, preview) = (made.flatten(), expected(&prepared));
    let of_left = taken(&charge, &left, wallet);
    let needed = foreseen.as_ref().and_then(|foreseen| foreseen.needed?.mu);
    let share = needed.and_then(|mu| percent_of(left.gaussian, mu));
    let as_share = share.filter(|share| f64::from(*share) > 100.0 * of_left).map(words::forecast::as_share);
    let hopeless = hopeless(&prepared, foreseen.as_ref(), preview.as_ref()).filter(|_| !is_awaited);
    Ok(Forecast {
        plan: prepared.plan().clone(),
        columns: fit.bound().columns.len(),
        price,
        of_all: taken(&charge, &all, wallet),
        of_left,
        hopeless: hopeless.map(|why| [why].into_iter().chain(as_share).collect::<Vec<_>>().join(" ")),
        dependence: dependence(&prepared),
        precision: precision(&prepared, foreseen.as_ref(), preview.as_ref()).filter(|_| !is_awaited),
        of_outcome: match &foreseen {
            Some(foreseen) => foreseen.of_outcome.clone(),
            None => AssumedSpread::of(&prepared),
        },
        is_awaited,
        foreseen,
        preview,
        outlook: outlook(fit),
        errors: standard_errors(fit).filter(|_| !prepared.estimates_bounds()),
        notes: fit
            .whitener()
            .map(|whitener| whitener.notes.iter().map(ToString::to_string).collect())
            .unwrap_or_default(),
        passes: prepared.repeats().then(|| (passes(&prepared), kept(&prepared, table))),
        has_errors: fit.info().standard_errors,
        refusal,
    })
}

/// Computes how wide intervals are with a setup's budget: from a rehearsal where its plan is complete, else roughly.
pub fn precision_with(
    columns: &[ColumnDraft],
    setup: &Setup,
    ledger: Option<&Ledger>,
    table: &Table,
    forecasts: Forecasts,
) -> Made<Precision> {
    let budget = ask(setup, ledger);
    match (draft::plan(columns, setup, budget.clone()), budget) {
        (Ok(plan), _) => {
            precision_of(plan, setup, table, |plan, prepared| forecasts.of(plan, prepared, table))
        }
        (Err(_), Ok(budget)) => {
            let plan = completed(columns, setup, budget);
            precision_of(plan, setup, table, |_, prepared| Some(foresee_noise(prepared)))
        }
        (Err(_), Err(_)) => Some(None),
    }
}

/// Returns what the widths of a setup with an incomplete plan assume of the outcomes, as far as they are described.
pub fn spread_with(columns: &[ColumnDraft], setup: &Setup, table: &Table) -> Option<AssumedSpread> {
    let plan = completed(columns, setup, ask(setup, None).ok()?);
    let plan = match setup.mechanism {
        Some(_) => plan,
        None => recommend(&plan, &table.names, table.delimiter).into_plan(plan),
    };
    AssumedSpread::of(&prepare(plan, &table.names, table.delimiter, Purpose::Release).ok()?)
}

/// Completes a plan for a forecast that hardly depends on what it lacks. Numbers without bounds count as 0 to 1, and categories without levels as two
/// levels.
fn completed(columns: &[ColumnDraft], setup: &Setup, budget: BudgetForm) -> Plan {
    let (mut plan, _) = draft_plan(columns, setup, Ok(budget));
    plan.derived.clear();
    plan.columns.retain(|column| column.role != Role::Ignored);
    for column in &mut plan.columns {
        let kind = *column.kind.get_or_insert(ColumnType::Number);
        let bounded = column.stated_bounds().is_some_and(|(lower, upper)| lower < upper);
        if kind == ColumnType::Number && !bounded {
            (column.lower, column.upper) = (Some(Bound::Stated(0.0)), Some(Bound::Stated(1.0)));
            column.typical = None;
        }
        if kind == ColumnType::Category && column.levels.as_ref().is_none_or(|levels| levels.len() < 2) {
            column.levels = Some(vec!["0".to_owned(), "1".to_owned()]);
            column.reference = None;
        }
    }
    plan
}

/// Computes how wide intervals are with the setup's mechanism or the recommended one.
fn precision_of(
    plan: Plan,
    setup: &Setup,
    table: &Table,
    foresee: impl Fn(&Plan, &Prepared) -> Made<Foreseen>,
) -> Made<Precision> {
    let plan = match setup.mechanism {
        Some(_) => plan,
        None => {
            let found = recommend(&plan, &table.names, table.delimiter);
            if found.too_few {
                return Some(Some(Precision::NOTHING));
            }
            found.into_plan(plan)
        }
    };
    let prepared = prepare(plan.clone(), &table.names, table.delimiter, Purpose::Release);
    let Ok(prepared) = prepared else { return Some(None) };
    let foreseen = foresee(&plan, &prepared)?;
    Some(precision(&prepared, foreseen.as_ref(), expected(&prepared).as_ref()))
}

/// Counts the passes over the rows, for the bounds and for the fit.
fn passes(prepared: &Prepared) -> u32 {
    let before = if prepared.estimates_bounds() { prepared.rounds() } else { 0 };
    before + prepared.fit().rounds()
}

/// Returns whether rows stay in memory from one pass to the next, by their stated number. Calls of genotypes always do. `None` if no number is
/// stated.
fn kept(prepared: &Prepared, table: &Table) -> Option<bool> {
    let rows = prepared.stated_rows();
    let rereads = prepared.rereads() || prepared.fit().rereads();
    if table.genotypes.is_some() { Some(true) } else { rows.map(|_| !rereads) }
}

/// Returns whether the chosen mechanism takes public moments.
pub fn takes_public_moments(setup: &Setup) -> bool {
    setup.mechanism.as_deref().and_then(find).is_some_and(|info| info.public_moments)
}

/// Lists the public moments that a plan's columns need, with what was stated of each. Empty where the plan does not fit the table.
pub fn public_terms(plan: &Plan, table: &Table) -> Vec<Term> {
    let Ok(prepared) = prepare_table(plan, &table.names, table.delimiter) else { return Vec::new() };
    let (features, outcomes) = term_names(&prepared);
    let numbers: HashMap<&str, (f64, f64)> = prepared
        .bound()
        .columns
        .iter()
        .filter_map(|column| match column.kind {
            Kind::Number { lower, upper } => Some((column.name.as_str(), (lower, upper))),
            Kind::Category { .. } => None,
        })
        .collect();
    let named = |name: String, outcome: bool| {
        let bounds = numbers.get(name.as_str()).copied();
        let unit = bounds.map(|_| unit(plan, &name)).unwrap_or_default();
        Term { outcome, bounds, unit, name }
    };
    let features = features.into_iter().map(|name| named(name, false));
    features.chain(outcomes.into_iter().map(|name| named(name, true))).collect()
}
