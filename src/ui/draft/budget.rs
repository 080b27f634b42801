//! The budget as typed, and the share of it that a release asks for.

use super::place::{Gap, Place};
use super::setup::{BudgetKind, Setup};
use super::typed::{count, number};
use crate::plan::document::BudgetForm;
use crate::privacy::calibrate::{mu_of_part, part};
use crate::words;

/// Returns the N of the δ = 1/N that is proposed for a stated number of rows: ten times as many, rounded up to one digit.
pub fn proposed_one_in(rows: u64) -> u64 {
    let target = rows.max(1).saturating_mul(10);
    let mut power = 1_u64;
    while power.saturating_mul(10) <= target {
        power = power.saturating_mul(10);
    }
    target.div_ceil(power).saturating_mul(power)
}

/// Returns the δ that the person states, or that follows from the stated rows.
pub fn delta(setup: &Setup) -> Option<f64> {
    let one_in = if setup.one_in.trim().is_empty() {
        count(&setup.rows).map(proposed_one_in)
    } else {
        count(&setup.one_in)
    };
    one_in.map(|n| 1.0 / n as f64)
}

/// Returns the whole table's budget as a plan writes it.
///
/// # Errors
/// The field that is missing or no number.
pub fn budget(setup: &Setup) -> Result<BudgetForm, Gap> {
    let positive = |text: &str, field: &'static str, what: &str| {
        number(text).filter(|value| *value > 0.0).ok_or_else(|| {
            let empty = text.trim().is_empty();
            let words = if empty { words::gap::to_choose(what) } else { words::gap::above_zero(what) };
            Gap::new(Place::privacy(field), words)
        })
    };
    let delta = delta(setup).ok_or_else(|| {
        if setup.one_in.trim().is_empty() {
            setup.lacks_rows()
        } else {
            Gap::new(Place::privacy("delta"), words::gap::delta())
        }
    })?;
    let mut form = BudgetForm { delta: Some(delta), ..BudgetForm::default() };
    match setup.form {
        BudgetKind::EpsilonDelta => {
            form.epsilon = Some(positive(&setup.epsilon, "epsilon", words::gap::epsilon())?)
        }
        BudgetKind::Rho => form.rho = Some(positive(&setup.rho, "rho", words::gap::rho())?),
        BudgetKind::Mu => form.mu = Some(positive(&setup.mu, "mu", words::gap::mu())?),
    }
    Ok(form)
}

/// Returns the budget of a release that takes `share` percent of what is `left` of a Gaussian ledger, in units of 2^-40 of μ².
pub fn ask(left: u128, share: u8, delta: f64) -> BudgetForm {
    BudgetForm { mu: mu_of_part(left, share), delta: Some(delta), ..BudgetForm::default() }
}

/// Returns the budget of a release that takes `share` percent of what is left of the (ε, δ) budget.
pub fn ask_other(epsilon: f64, delta: f64, share: u8) -> BudgetForm {
    BudgetForm { epsilon: part(epsilon, share), delta: part(delta, share), ..BudgetForm::default() }
}
