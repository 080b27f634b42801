//! Numbers for the page, each from the module that owns it: no mathematics here.

use serde_json::Map;

use super::draft::{self, ColumnDraft, Gap, Kept, Place, Setup};
use super::groups;
use super::known::Term;
use super::state::Table;
use super::text::public::Outlook;
use crate::engine::guided::Guided;
use crate::engine::public::{prepare_table, term_names};
use crate::engine::{EngineError, Prepared, preflight, prepare_guided, standard_errors};
use crate::inference::Options;
use crate::inference::forecast::TermForecast;
use crate::inference::preview::{Expected, Preview, preview};
use crate::mechanisms::info::{GROUPS, Group};
use crate::mechanisms::{Info, Scope, Wallet, find};
use crate::plan::document::{self, BudgetForm, Calibration, ColumnType};
use crate::plan::{Plan, Purpose};
use crate::privacy::adjacency::Adjacency;
use crate::privacy::calibrate::{Budget, Split, delta_of_units, epsilon_of_units, wallets};
use crate::privacy::convert::gdp_epsilon;
use crate::privacy::event::Assurance;
use crate::privacy::ledger::{Ledger, Opening, Terms};
use crate::privacy::measure::{Delta, Epsilon, Mu, Rho};
use crate::privacy::units::Units;
use crate::release::figure::column;
use crate::release::format::short;
use crate::release::statement::guessing_accuracy;

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
    /// What to expect of it; absent without a stated number of rows.
    pub preview: Option<Preview>,
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

/// A budget in all its forms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Worth {
    /// ε.
    pub epsilon: f64,
    /// δ.
    pub delta: f64,
    /// μ.
    pub mu: f64,
    /// How often a guess is right at most, 0.5 to 1.
    pub accuracy: f64,
    /// The wallets.
    pub units: Units,
}

/// What the setup's budget is worth, for the whole table.
pub fn worth(setup: &Setup) -> Option<Worth> {
    let wallets = wallets(&as_budget(&draft::budget(setup).ok()?)?, &split(setup)).ok()?;
    worth_of(wallets.promise?, wallets.pair.mu, wallets.capacity)
}

/// What a ledger was opened with.
pub fn ledger_worth(ledger: &Ledger) -> Option<Worth> {
    worth_of(ledger.promise(), ledger.pair().mu, ledger.capacity())
}

fn worth_of((epsilon, delta): (Epsilon, Delta), mu: Mu, units: Units) -> Option<Worth> {
    let (epsilon, delta, mu) = (epsilon.get(), delta.get(), mu.get());
    // Beside another wallet μ is not the whole loss.
    let gaussian = (units.epsilon == 0 && units.delta == 0).then_some(mu);
    let accuracy = guessing_accuracy(gaussian, Some((epsilon, delta)))?;
    Some(Worth { epsilon, delta, mu, accuracy, units })
}

/// How a new budget is divided.
fn split(setup: &Setup) -> Split {
    match setup.split {
        Kept::Gaussian => Split::Gaussian,
        Kept::Other => Split::Other,
        Kept::Both => Split::Both,
    }
}

/// Which part of a ledger the chosen mechanism charges.
pub fn wallet(setup: &Setup) -> Wallet {
    find(&setup.mechanism).map_or(Wallet::Gaussian, |info| info.wallet)
}

/// Share of a ledger's wallet that is left, 0 to 1; of the Other one the scarcer of ε and δ.
pub fn left(ledger: &Ledger, wallet: Wallet) -> f64 {
    let (left, all) = (ledger.remaining(), ledger.capacity());
    match wallet {
        Wallet::Other => ratio(left.epsilon, all.epsilon).min(ratio(left.delta, all.delta)),
        Wallet::Gaussian | Wallet::None => ratio(left.gaussian, all.gaussian),
    }
}

/// What a ledger keeps for which kind of mechanism, in words; alone there is nothing to tell apart.
pub fn purses(units: &Units) -> Vec<(Option<&'static str>, Wallet)> {
    match (units.gaussian > 0, units.epsilon > 0) {
        (true, true) => vec![
            (Some(super::text::GAUSSIAN_WALLET), Wallet::Gaussian),
            (Some(super::text::OTHERS_WALLET), Wallet::Other),
        ],
        (false, true) => vec![(None, Wallet::Other)],
        (_, false) => vec![(None, Wallet::Gaussian)],
    }
}

/// Share of a wallet that a charge takes.
pub fn taken(charge: &Units, of: &Units, wallet: Wallet) -> f64 {
    match wallet {
        Wallet::Other => ratio(charge.epsilon, of.epsilon).max(ratio(charge.delta, of.delta)),
        Wallet::Gaussian | Wallet::None => ratio(charge.gaussian, of.gaussian),
    }
}

/// `part` over `whole`.
fn ratio(part: u128, whole: u128) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "for a bar on the screen")]
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// What the next release asks for: a share of what is left, or all of a new budget in its own form.
///
/// # Errors
/// Where the budget is not stated yet.
pub fn ask(setup: &Setup, ledger: Option<&Ledger>) -> Result<BudgetForm, Gap> {
    let wallet = wallet(setup);
    let (left, delta) = match ledger {
        Some(ledger) => (ledger.remaining(), ledger.promise().1.get()),
        None => {
            let form = draft::budget(setup)?;
            let whole = setup.share >= 100 && setup.split == Kept::Gaussian;
            if whole && wallet == Wallet::Gaussian && !(setup.paper && form.epsilon.is_none()) {
                return Ok(form);
            }
            let unusable =
                || Gap { place: Place::Privacy("epsilon"), text: "This budget cannot be used".to_owned() };
            let worth = worth(setup).ok_or_else(unusable)?;
            (worth.units, worth.delta)
        }
    };
    let capacity = ledger.map_or(left, |ledger| ledger.capacity());
    let spent = match wallet {
        Wallet::Other => left.epsilon == 0 || left.delta == 0,
        Wallet::Gaussian | Wallet::None => left.gaussian == 0,
    };
    let gap = |field, text: &str| Err(Gap { place: Place::Privacy(field), text: text.to_owned() });
    match (!keeps(&capacity, wallet), spent, ledger.is_some()) {
        (true, _, true) => gap("split", super::text::OTHER_WALLET),
        (true, _, false) => gap("split", super::text::KEEP_WALLET),
        (false, true, _) => {
            gap("share", "This table's budget is spent. Nothing more can be released from it")
        }
        (false, false, _) if wallet == Wallet::Other => {
            let (epsilon, delta) = (epsilon_of_units(left.epsilon), delta_of_units(left.delta));
            Ok(draft::ask_other(epsilon.get(), delta.get(), setup.share))
        }
        (false, false, _) => {
            let asked = draft::ask(left.gaussian, setup.share, delta);
            Ok(if setup.paper { in_epsilon(&asked).unwrap_or(asked) } else { asked })
        }
    }
}

/// The same budget as ε and δ, which a paper's scale is for.
fn in_epsilon(form: &BudgetForm) -> Option<BudgetForm> {
    let (mu, delta) = (Mu::try_new(form.mu?).ok()?, Delta::try_new(form.delta?).ok()?);
    let epsilon = gdp_epsilon(mu, delta).ok()?.get();
    Some(BudgetForm { epsilon: Some(epsilon), delta: form.delta, ..BudgetForm::default() })
}

/// What a plan costs and what to expect of it, before anything is spent.
///
/// # Errors
/// The path inside the plan and what is wrong there.
///
/// `whole` is a new budget in units, for a table that has no ledger yet.
pub fn forecast(
    plan: &Plan,
    public: Option<&Guided>,
    table: &Table,
    ledger: Option<&Ledger>,
    whole: &Units,
) -> Result<Forecast, (String, String)> {
    let prepared = prepare_guided(plan.clone(), public, &table.names, table.delimiter, Purpose::Release)
        .map_err(|error| match error {
            EngineError::Plan(error) => {
                (error.path.clone(), format!("{}: {}", sentence(&error.what), error.advice))
            }
            EngineError::Budget(error) => ("budget".to_owned(), error.to_string()),
            error => (String::new(), error.to_string()),
        })?;
    let cost = prepared.cost().ok_or_else(|| ("budget".to_owned(), "A release needs a budget".to_owned()))?;
    let epsilon = match ledger {
        Some(ledger) => ledger.promise().0,
        None => cost.promise.map_or(Epsilon::ZERO, |(epsilon, _)| epsilon),
    };
    let charge = prepared.charge(epsilon).map_err(|error| ("budget".to_owned(), error.to_string()))?;
    let (all, left) = match ledger {
        Some(ledger) => (ledger.capacity(), ledger.remaining()),
        None => (*whole, *whole),
    };
    let refusal =
        ledger.and_then(|ledger| ledger.check(&prepared.request()).err()).map(|error| error.to_string());
    let wallet = prepared.info().wallet;
    let price = match (cost.mu, cost.promise) {
        (Some(mu), _) => format!("Mu {}", short(mu, 4)),
        (None, Some((epsilon, delta))) => {
            format!("Epsilon {} and delta {}", short(epsilon.get(), 4), super::text::one_in(delta.get()))
        }
        (None, None) => String::new(),
    };
    Ok(Forecast {
        plan: prepared.plan().clone(),
        columns: prepared.bound().columns.len(),
        price,
        of_all: taken(&charge, &all, wallet),
        of_left: taken(&charge, &left, wallet),
        preview: expected(&prepared),
        outlook: outlook(&prepared),
        errors: standard_errors(&prepared),
        notes: prepared.guide().map(|guide| guide.notes.clone()).unwrap_or_default(),
        passes: prepared.repeats().then(|| (prepared.rounds(), kept(&prepared, table))),
        has_errors: prepared.info().standard_errors,
        refusal,
    })
}

/// Whether rows stay in memory from one pass to the next, by their stated number; calls of genotypes always do.
fn kept(prepared: &Prepared, table: &Table) -> Option<bool> {
    let rows = prepared.plan().rows.or(prepared.plan().stated_rows);
    if table.genotypes.is_some() { Some(true) } else { rows.map(|_| !prepared.rereads()) }
}

/// Whether the chosen mechanism is guided by public moments.
pub fn is_guided(setup: &Setup) -> bool {
    find(&setup.mechanism).is_some_and(|info| info.public_moments)
}

/// Whether a guided fit can work.
fn outlook(prepared: &Prepared) -> Option<Outlook> {
    let preflight = preflight(prepared)?;
    let cost = prepared.cost()?;
    let delta = cost.promise.map(|(_, delta)| delta);
    let needed = Mu::try_new(preflight.mu_needed).ok().zip(delta);
    let promise = needed.and_then(|(mu, delta)| Some((gdp_epsilon(mu, delta).ok()?.get(), delta.get())));
    let rows = prepared.checked().rows.or(prepared.plan().stated_rows)?;
    Some(Outlook { preflight, rows, mu: cost.mu?, promise })
}

/// What public moments a plan's columns need, with what was stated of each; nothing where the columns do not fit.
pub fn public_terms(plan: &Plan, table: &Table) -> Vec<Term> {
    let Ok(prepared) = prepare_table(plan, &table.names, table.delimiter) else { return Vec::new() };
    let (features, outcomes) = term_names(&prepared);
    let named = |name: String, outcome: bool| {
        let stated = column(plan, &name).filter(|column| column.kind == Some(ColumnType::Number));
        Term {
            outcome,
            bounds: stated.and_then(|column| column.lower.zip(column.upper)),
            unit: stated.and_then(|column| column.unit.clone()).unwrap_or_default(),
            name,
        }
    };
    let features = features.into_iter().map(|name| named(name, false));
    features.chain(outcomes.into_iter().map(|name| named(name, true))).collect()
}

/// Why a mechanism cannot take these columns, where its outcomes have to be yes or no.
pub fn not_yes_or_no(info: &Info, columns: &[ColumnDraft]) -> Option<String> {
    groups::not_yes_or_no(info, columns).map(|column| super::text::not_yes_or_no(&column.name))
}

/// What a mechanism needs of the Privacy step that is not so: its promise, or a part of the budget, whose wallets hold `capacity` and
/// are `fixed` once there is a ledger.
pub fn hindrance(info: &Info, setup: &Setup, capacity: Option<&Units>, fixed: bool) -> Option<&'static str> {
    let replaces = setup.adjacency == Adjacency::ReplaceOne;
    let promised = match info.scope {
        Scope::Both => true,
        Scope::ReplaceOne => replaces,
        Scope::Relaxed(protect) => replaces && setup.protect == protect,
    };
    if !promised {
        return super::text::needs_promise(info.scope);
    }
    let lacks = capacity.is_some_and(|capacity| !keeps(capacity, info.wallet));
    lacks.then_some(if fixed { super::text::OTHER_WALLET } else { super::text::KEEP_WALLET })
}

/// Whether a budget keeps anything for a kind of mechanism.
fn keeps(capacity: &Units, wallet: Wallet) -> bool {
    match wallet {
        Wallet::Other => capacity.epsilon > 0,
        Wallet::Gaussian | Wallet::None => capacity.gaussian > 0,
    }
}

/// What to expect of a plan; nothing without a stated number of rows.
fn expected(prepared: &Prepared) -> Option<Preview> {
    let plan = prepared.plan();
    let rows = plan.rows.or(plan.stated_rows)?;
    let post_processing = prepared.post_processing();
    let options = Options {
        ridge: post_processing.ridge,
        repair: post_processing.repair,
        confidence: prepared.checked().confidence,
        ..Options::default()
    };
    let law = prepared.law()?;
    let expected = Expected::of(law, plan, prepared.geometry(), prepared.layout()).ok()?;
    let intercept = prepared.checked().intercept;
    preview(prepared.geometry(), prepared.bound(), expected, rows, intercept, options).ok()
}

/// One mechanism beside others, for the same plan and the same ε and δ.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// How far its proof covers what is executed.
    pub assurance: Assurance,
    /// Least and most of the noise's standard error, as a share of an effect of plausible size.
    pub noise: (f64, f64),
    /// Most that a coefficient is shrunk, 0 to 1.
    pub shrinkage: f64,
}

/// One mechanism of a comparison, with the reason where it does not run under the plan.
pub type Row = (&'static Info, Result<Compared, String>);

/// All private mechanisms by their groups, each with its own defaults and all of ε and δ: from public numbers alone.
pub fn compare(
    plan: &Plan,
    public: Option<&Guided>,
    table: &Table,
    epsilon: f64,
    delta: f64,
) -> Vec<(&'static Group, Vec<Row>)> {
    let row = |info: &'static Info| {
        let mut plan = plan.clone();
        plan.budget = BudgetForm { epsilon: Some(epsilon), delta: Some(delta), ..BudgetForm::default() };
        plan.mechanism = document::Mechanism {
            name: info.name.to_owned(),
            params: Map::new(),
            calibration: Some(Calibration::Exact),
        };
        let public = public.filter(|_| info.public_moments);
        (info, compared(plan, public, table))
    };
    let rows = |group: &'static Group| groups::members(group).map(row).collect();
    GROUPS.iter().map(|group| (*group, rows(group))).collect()
}

fn compared(plan: Plan, public: Option<&Guided>, table: &Table) -> Result<Compared, String> {
    let prepared =
        prepare_guided(plan, public, &table.names, table.delimiter, Purpose::Simulate).map_err(|error| {
            match error {
                EngineError::Plan(error) => sentence(&error.what),
                error => sentence(&error.to_string()),
            }
        })?;
    if prepared.cost().is_some() && prepared.law().is_none() {
        return Err("How large its noise will be cannot be told from the plan alone".to_owned());
    }
    let preview = expected(&prepared).ok_or("State the number of rows first")?;
    let effects = preview.terms.iter().filter(|term| term.plausible_effect.abs() > 0.0);
    let ratios: Vec<f64> =
        effects.clone().map(|term| term.noise_std_error / term.plausible_effect.abs()).collect();
    let shrinkage = effects.map(|term| term.shrinkage).fold(0.0, f64::max);
    let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    let most = ratios.iter().copied().fold(0.0, f64::max);
    Ok(Compared { assurance: prepared.assurance(), noise: (least, most), shrinkage })
}

/// Opens the ledger that a first release needs.
///
/// # Errors
/// In words, where the budget cannot be used.
pub fn open_ledger(setup: &Setup, plan: &Plan, today: &str) -> Result<Ledger, String> {
    let form = draft::budget(setup).map_err(|gap| gap.text)?;
    let budget = as_budget(&form).ok_or("This budget cannot be used")?;
    let terms = Terms {
        adjacency: plan.adjacency,
        protect: plan.protect.unwrap_or_default(),
        max_rows_per_person: plan.max_rows_per_person.unwrap_or(1),
    };
    let id = crate::noise::entropy::random_id().map_err(|error| error.to_string())?;
    Ledger::open(&Opening { id, created: today, terms, budget, split: split(setup) })
        .map_err(|error| error.to_string())
}

fn as_budget(form: &BudgetForm) -> Option<Budget> {
    let delta = form.delta.and_then(|delta| Delta::try_new(delta).ok());
    match (form.epsilon, form.rho, form.mu) {
        (Some(epsilon), None, None) => {
            Some(Budget::EpsilonDelta { epsilon: Epsilon::try_new(epsilon).ok()?, delta: delta? })
        }
        (None, Some(rho), None) => Some(Budget::Rho { rho: Rho::try_new(rho).ok()?, delta }),
        (None, None, Some(mu)) => Some(Budget::Mu { mu: Mu::try_new(mu).ok()?, delta }),
        _ => None,
    }
}

/// With a capital letter in front.
pub fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().collect::<String>() + chars.as_str())
}
