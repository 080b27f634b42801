//! Numbers for the page, each from the module that owns it: no mathematics here.

use super::draft::{self, Gap, Place, Setup};
use super::state::Table;
use crate::engine::{EngineError, prepare};
use crate::inference::Options;
use crate::inference::preview::{Preview, preview};
use crate::mechanisms::Mechanism;
use crate::plan::document::BudgetForm;
use crate::plan::{Plan, Purpose};
use crate::privacy::calibrate::{Budget, Split, wallets};
use crate::privacy::ledger::{Ledger, Opening, Terms};
use crate::privacy::measure::{Delta, Epsilon, Mu, Rho};
use crate::release::statement::guessing_accuracy;

/// What a plan costs and what to expect of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Forecast {
    /// The plan with its defaults filled in.
    pub plan: Plan,
    /// μ of the release.
    pub mu: f64,
    /// Share of the whole budget that it takes, 0 to 1.
    pub of_all: f64,
    /// Share of what is left that it takes, 0 to 1.
    pub of_left: f64,
    /// What to expect of it; absent without a stated number of rows.
    pub preview: Option<Preview>,
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
    /// Gaussian units.
    pub units: u128,
}

/// What the setup's budget is worth, for the whole table.
pub fn worth(form: &BudgetForm) -> Option<Worth> {
    let wallets = wallets(&as_budget(form)?, &Split::Gaussian).ok()?;
    let (epsilon, delta) = wallets.promise?;
    let (epsilon, delta, mu) = (epsilon.get(), delta.get(), wallets.pair.mu.get());
    let accuracy = guessing_accuracy(Some(mu), Some((epsilon, delta)))?;
    Some(Worth { epsilon, delta, mu, accuracy, units: wallets.capacity.gaussian })
}

/// What a ledger was opened with.
pub fn ledger_worth(ledger: &Ledger) -> Option<Worth> {
    let (epsilon, delta) = ledger.promise();
    let (epsilon, delta, mu) = (epsilon.get(), delta.get(), ledger.pair().mu.get());
    let accuracy = guessing_accuracy(Some(mu), Some((epsilon, delta)))?;
    Some(Worth { epsilon, delta, mu, accuracy, units: ledger.capacity().gaussian })
}

/// Share of a ledger's budget that is left, 0 to 1.
pub fn left(ledger: &Ledger) -> f64 {
    ratio(ledger.remaining().gaussian, ledger.capacity().gaussian)
}

/// `part` over `whole`.
pub fn ratio(part: u128, whole: u128) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "for a bar on the screen")]
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// What the next release asks for: a share of what is left, or all of a new budget in its own form.
///
/// # Errors
/// Where the budget is not stated yet.
pub fn ask(setup: &Setup, ledger: Option<&Ledger>) -> Result<BudgetForm, Gap> {
    let (left, delta) = match ledger {
        Some(ledger) => (ledger.remaining().gaussian, ledger.promise().1.get()),
        None => {
            let form = draft::budget(setup)?;
            if setup.share >= 100 {
                return Ok(form);
            }
            let unusable =
                || Gap { place: Place::Privacy("epsilon"), text: "This budget cannot be used".to_owned() };
            let worth = worth(&form).ok_or_else(unusable)?;
            (worth.units, worth.delta)
        }
    };
    if left == 0 {
        return Err(Gap {
            place: Place::Privacy("share"),
            text: "This table's budget is spent. Nothing more can be released from it".to_owned(),
        });
    }
    Ok(draft::ask(left, setup.share, delta))
}

/// What a plan costs and what to expect of it, before anything is spent.
///
/// # Errors
/// The path inside the plan and what is wrong there.
///
/// `whole` is a new budget in units, for a table that has no ledger yet.
pub fn forecast(
    plan: &Plan,
    table: &Table,
    ledger: Option<&Ledger>,
    whole: u128,
) -> Result<Forecast, (String, String)> {
    let prepared = prepare(plan.clone(), &table.names, table.delimiter, Purpose::Release).map_err(
        |error| match error {
            EngineError::Plan(error) => {
                (error.path.clone(), format!("{}: {}", sentence(&error.what), error.advice))
            }
            EngineError::Budget(error) => ("budget".to_owned(), error.to_string()),
            error => (String::new(), error.to_string()),
        },
    )?;
    let cost = prepared.cost().ok_or_else(|| ("budget".to_owned(), "A release needs a budget".to_owned()))?;
    let epsilon = match ledger {
        Some(ledger) => ledger.promise().0,
        None => cost.promise.map_or(Epsilon::ZERO, |(epsilon, _)| epsilon),
    };
    let charge = prepared.charge(epsilon).map_err(|error| ("budget".to_owned(), error.to_string()))?;
    let (all, left) = match ledger {
        Some(ledger) => (ledger.capacity().gaussian, ledger.remaining().gaussian),
        None => (whole, whole),
    };
    let refusal =
        ledger.and_then(|ledger| ledger.check(&prepared.request()).err()).map(|error| error.to_string());
    let checked = prepared.checked();
    let rows = plan.rows.or(plan.stated_rows);
    let expected = match (prepared.mechanism(), rows) {
        (Mechanism::AnalyzeGauss(parameters), Some(rows)) => {
            let options = Options {
                ridge: parameters.ridge,
                repair: parameters.repair,
                confidence: checked.confidence,
                ..Options::default()
            };
            preview(
                prepared.geometry(),
                prepared.bound(),
                u128::from(cost.noise.scale.get().get()),
                cost.noise.shape,
                rows,
                checked.intercept,
                options,
            )
            .ok()
        }
        _ => None,
    };
    Ok(Forecast {
        plan: prepared.plan().clone(),
        mu: cost.mu,
        of_all: ratio(charge.gaussian, all),
        of_left: ratio(charge.gaussian, left),
        preview: expected,
        refusal,
    })
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
    Ledger::open(&Opening { id, created: today, terms, budget, split: Split::Gaussian })
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
