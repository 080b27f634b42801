//! The budget in all its forms, its parts, and what the next release asks for.

use crate::mechanisms::find;
use crate::model::Wallet;
use crate::plan::Plan;
use crate::plan::document::BudgetForm;
use crate::privacy::calibrate::{self, Budget, BudgetParts, Split, delta_of_units, epsilon_of_units};
use crate::privacy::convert::gdp_epsilon;
use crate::privacy::ledger::{Entry, Ledger, Opening, Terms};
use crate::privacy::measure::{Delta, Epsilon, Mu, Rho};
use crate::privacy::promise::{MOST_EPSILON, can_pay, doubt, is_confirmed};
use crate::privacy::units::Units;
use crate::release::statement::guessing_accuracy;
use crate::ui::draft::{self, Gap, Place, Setup};
use crate::words;

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

/// Returns what the setup's budget is worth, for the whole table.
pub fn worth(setup: &Setup) -> Option<Worth> {
    let parts = parts(setup)?;
    worth_of(parts.promise?, parts.pair.mu, parts.capacity)
}

/// Returns the setup's budget, divided into its parts. `None` if it is not stated.
fn parts(setup: &Setup) -> Option<BudgetParts> {
    calibrate::budget_parts(&as_budget(&draft::budget(setup).ok()?)?, &setup.split).ok()
}

/// Says why the setup's budget promises next to nothing, for the whole table. `None` if it does not.
pub fn weak(setup: &Setup) -> Option<String> {
    let (epsilon, delta) = parts(setup)?.promise?;
    doubt(epsilon, delta, draft::count(&setup.rows))
}

/// Returns what a ledger's budget was worth when it was opened.
pub fn ledger_worth(ledger: &Ledger) -> Option<Worth> {
    worth_of(ledger.promise(), ledger.pair().mu, ledger.capacity())
}

fn worth_of((epsilon, delta): (Epsilon, Delta), mu: Mu, units: Units) -> Option<Worth> {
    let (epsilon, delta, mu) = (epsilon.get(), delta.get(), mu.get());
    // With an (ε, δ) budget beside it, μ is not the whole privacy loss.
    let gaussian = (units.epsilon == 0 && units.delta == 0).then_some(mu);
    let accuracy = guessing_accuracy(gaussian, Some((epsilon, delta)))?;
    Some(Worth { epsilon, delta, mu, accuracy, units })
}

/// Returns which part of a ledger the chosen mechanism charges. Recommended mechanisms charge the Gaussian budget.
pub fn wallet(setup: &Setup) -> Wallet {
    setup.mechanism.as_deref().and_then(find).map_or(Wallet::Gaussian, |info| info.wallet)
}

/// Returns the share of a ledger's wallet that is left, from 0 to 1: of the (ε, δ) budget the scarcer of ε and δ.
pub fn left(ledger: &Ledger, wallet: Wallet) -> f64 {
    let (left, all) = (ledger.remaining(), ledger.capacity());
    match wallet {
        Wallet::Other => ratio(left.epsilon, all.epsilon).min(ratio(left.delta, all.delta)),
        Wallet::Gaussian | Wallet::None => ratio(left.gaussian, all.gaussian),
    }
}

/// Lists what a ledger keeps for which kind of mechanism, with a name for each part. A single part has no name.
pub fn budget_parts(units: &Units) -> Vec<(Option<&'static str>, Wallet)> {
    match (units.gaussian > 0, units.epsilon > 0) {
        (true, true) => {
            vec![
                (Some(words::gap::gaussian_wallet()), Wallet::Gaussian),
                (Some(words::gap::others_wallet()), Wallet::Other),
            ]
        }
        (false, true) => vec![(None, Wallet::Other)],
        (_, false) => vec![(None, Wallet::Gaussian)],
    }
}

/// Returns the share of a wallet that a charge takes.
pub fn taken(charge: &Units, of: &Units, wallet: Wallet) -> f64 {
    match wallet {
        Wallet::Other => ratio(charge.epsilon, of.epsilon).max(ratio(charge.delta, of.delta)),
        Wallet::Gaussian | Wallet::None => ratio(charge.gaussian, of.gaussian),
    }
}

/// Returns the share of a ledger's wallet that an entry takes.
pub fn entry_share(entry: &Entry, capacity: &Units) -> f64 {
    let wallet = if entry.charge.gaussian > 0 { Wallet::Gaussian } else { Wallet::Other };
    taken(&entry.charge, capacity, wallet)
}

/// Of this many parts of a budget the last one is no more than what rounding leaves: it is spent.
const LEAST_PART: u128 = 1_000;

/// Returns `part` over `whole`, and 0 where `whole` is 0.
fn ratio(part: u128, whole: u128) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

fn is_spent(left: &Units, capacity: &Units, wallet: Wallet) -> bool {
    match wallet {
        Wallet::Other => {
            left.epsilon <= capacity.epsilon / LEAST_PART || left.delta <= capacity.delta / LEAST_PART
        }
        Wallet::Gaussian | Wallet::None => left.gaussian <= capacity.gaussian / LEAST_PART,
    }
}

/// Returns whether nothing more can be released because the wallet that the mechanism charges is spent.
pub fn has_nothing_left(setup: &Setup, ledger: &Ledger) -> bool {
    let (capacity, wallet) = (ledger.capacity(), wallet(setup));
    keeps(&capacity, wallet) && is_spent(&ledger.remaining(), &capacity, wallet)
}

/// Returns the budget of the next release: a share of what is left, or all of a new budget in its own form.
///
/// # Errors
/// Where the budget is not stated yet.
pub fn ask(setup: &Setup, ledger: Option<&Ledger>) -> Result<BudgetForm, Gap> {
    let wallet = wallet(setup);
    let (left, delta) = match ledger {
        Some(ledger) => (ledger.remaining(), ledger.promise().1.get()),
        None => {
            let form = draft::budget(setup)?;
            if let Some(why) = opening_fault(setup) {
                return Err(Gap::new(Place::privacy("epsilon"), why));
            }
            let whole = setup.share >= 100 && setup.split == Split::Gaussian;
            if whole && wallet == Wallet::Gaussian && !(setup.paper && form.epsilon.is_none()) {
                return Ok(form);
            }
            let unusable = || Gap::new(Place::privacy("epsilon"), words::gap::budget());
            let worth = worth(setup).ok_or_else(unusable)?;
            (worth.units, worth.delta)
        }
    };
    let capacity = ledger.map_or(left, |ledger| ledger.capacity());
    let spent = is_spent(&left, &capacity, wallet);
    let gap = |field, text: &str| Err(Gap::new(Place::privacy(field), text));
    match (!keeps(&capacity, wallet), spent, ledger.is_some()) {
        (true, _, true) => gap("split", words::page::other_wallet()),
        (true, _, false) => gap("split", words::page::keep_wallet()),
        (false, true, _) => gap("share", words::gap::spent()),
        (false, false, _) if setup.share == 0 => gap("share", words::gap::share()),
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

/// Returns the whole percentage of what is left in a ledger that takes no more than a plan asks for. `None` if that is below 1 or above 100, or if
/// the plan states no budget of the kind that its mechanism charges.
pub fn share_of(asked: &BudgetForm, wallet: Wallet, ledger: &Ledger) -> Option<u8> {
    let split = if wallet == Wallet::Other { Split::Other } else { Split::Gaussian };
    let asked = calibrate::budget_parts(&as_budget(asked)?, &split).ok()?.capacity;
    let percent = 100.0 * taken(&asked, &ledger.remaining(), wallet);
    // A plan that this page wrote for all that is left asks for as much, but for rounding.
    (1..=100).rev().find(|whole| f64::from(*whole) <= percent).filter(|_| percent <= 100.001)
}

/// Returns the same budget as ε and δ, which a paper's noise scale is computed from.
fn in_epsilon(form: &BudgetForm) -> Option<BudgetForm> {
    let (mu, delta) = (Mu::try_new(form.mu?).ok()?, Delta::try_new(form.delta?).ok()?);
    let epsilon = gdp_epsilon(mu, delta).ok()?.get();
    Some(BudgetForm { epsilon: Some(epsilon), delta: form.delta, ..BudgetForm::default() })
}

/// Returns whether a budget keeps anything for a kind of mechanism.
pub(super) fn keeps(capacity: &Units, wallet: Wallet) -> bool {
    match wallet {
        Wallet::Other => capacity.epsilon > 0,
        Wallet::Gaussian | Wallet::None => capacity.gaussian > 0,
    }
}

/// Says why no ledger can be opened with the setup's budget: it promises next to nothing and the person has not confirmed it, or it could pay for no
/// release. `None` if it can be opened, or if the budget is not stated.
fn opening_fault(setup: &Setup) -> Option<String> {
    if let Some(why) = weak(setup).filter(|_| !is_confirmed(&setup.weak)) {
        return Some(words::promise::unconfirmed(why));
    }
    (!can_pay(&parts(setup)?)).then(|| words::gap::never_pays(MOST_EPSILON))
}

/// Opens the ledger that a first release needs.
///
/// # Errors
/// In words, where the budget cannot be used.
pub fn open_ledger(setup: &Setup, plan: &Plan, today: &str) -> Result<Ledger, String> {
    let form = draft::budget(setup).map_err(|gap| gap.text)?;
    let budget = as_budget(&form).ok_or(words::gap::budget())?;
    if let Some(why) = opening_fault(setup) {
        return Err(why);
    }
    let terms = Terms {
        adjacency: plan.adjacency,
        protect: plan.protect.unwrap_or_default(),
        max_rows_per_person: plan.max_rows_per_person.unwrap_or(1),
    };
    let id = crate::noise::entropy::random_id().map_err(|error| error.to_string())?;
    Ledger::open(&Opening { id, created: today, terms, budget, split: setup.split })
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
