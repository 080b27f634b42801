//! Opens a plan: the columns and the setup that it stands for.

use serde_json::{Map, Value};

use super::columns::{ColumnDraft, describe};
use super::dialect::dialect;
use super::patterns::claims;
use super::setup::{BudgetKind, Setup};
use super::typed::in_percent;
use crate::mechanisms::find;
use crate::model::Wallet;
use crate::plan::derived::name_of;
use crate::plan::document::{BudgetForm, Calibration, Confirm, Plan};
use crate::privacy::calibrate::Split;

/// Returns the columns and the setup that a plan stands for, in a table with these columns. Where the table's ledger fixes the budget, the plan's is
/// left out. Also returns the plan's names and patterns that fit no column of the table.
pub fn open(plan: &Plan, names: &[String]) -> (Vec<ColumnDraft>, Setup, Vec<String>) {
    let mut columns: Vec<ColumnDraft> =
        names.iter().map(|name| ColumnDraft { name: name.clone(), ..ColumnDraft::default() }).collect();
    let person = plan.person.as_deref().unwrap_or_default();
    let has_person = names.iter().any(|name| name == person);
    let mut lacking: Vec<String> = plan.person.iter().filter(|_| !has_person).cloned().collect();
    // A condition on an entry of the plan, or on a term of such entries, lacks nothing that they do not lack.
    let is_known = |name: &String| {
        plan.columns.iter().any(|column| column.name.as_ref() == Some(name))
            || plan.derived.iter().any(|term| name_of(term) == *name)
    };
    let chosen_by = plan.only.iter().map(|condition| &condition.column);
    lacking.extend(chosen_by.filter(|name| !names.contains(name) && !is_known(name)).cloned());
    for (entry, rows) in plan.columns.iter().zip(claims(&plan.columns, names, person)) {
        if rows.is_empty() {
            lacking.extend(entry.name.as_ref().or(entry.pattern.as_ref()).cloned());
        }
        for row in rows {
            if let Some(draft) = columns.get_mut(row) {
                describe(draft, entry);
            }
        }
    }
    let defaults = Setup::default();
    let written =
        |value: Option<f64>, default: &str| value.map_or_else(|| default.to_owned(), |v| v.to_string());
    let rows = plan.rows.or(plan.stated_rows);
    let setup = Setup {
        person: plan.person.clone().filter(|_| has_person).unwrap_or_default(),
        // A plan that was saved before it was stated has 0.
        max_rows: match plan.max_rows_per_person.unwrap_or(1) {
            0 => String::new(),
            most => most.to_string(),
        },
        missing: plan.missing.unwrap_or_default(),
        adjacency: plan.adjacency,
        // A confirmation that another person typed has to be typed again.
        protect: plan.protect.unwrap_or_default(),
        protect_confirmed: false,
        rows: rows.map_or_else(String::new, |rows| rows.to_string()),
        intercept: plan.intercept.unwrap_or(true),
        mechanism: Some(plan.mechanism.name.clone()),
        paper: plan.mechanism.calibration == Some(Calibration::Paper),
        idealised: plan.confirm.contains(&Confirm::Idealised),
        params: as_typed(&plan.mechanism.params),
        confidence: plan.confidence.map_or(defaults.confidence, in_percent),
        form: match plan.budget {
            BudgetForm { rho: Some(_), .. } => BudgetKind::Rho,
            BudgetForm { mu: Some(_), .. } => BudgetKind::Mu,
            _ => BudgetKind::EpsilonDelta,
        },
        // Without noise there is nothing to release, so a budget has to be chosen.
        epsilon: written(
            plan.budget.epsilon,
            if plan.budget.none.is_some() { "" } else { &defaults.epsilon },
        ),
        one_in: plan.budget.delta.map_or_else(String::new, |delta| format!("{:.0}", 1.0 / delta)),
        rho: written(plan.budget.rho, &defaults.rho),
        mu: written(plan.budget.mu, &defaults.mu),
        split: match find(&plan.mechanism.name) {
            Some(info) if info.wallet == Wallet::Other => Split::Other,
            _ => Split::Gaussian,
        },
        share: defaults.share,
        patterns: plan.columns.iter().filter_map(|column| column.pattern.clone()).collect(),
        derived: plan.derived.clone(),
        only: plan.only.clone(),
        estimate_share: plan.estimate_share.map_or_else(String::new, in_percent),
        typical_correlation: plan.typical_correlation.map_or_else(String::new, |of| of.to_string()),
        other_persons: false,
        uncertain_bounds: plan.confirm.contains(&Confirm::UncertainBounds),
        ..dialect(plan)
    };
    (columns, setup, lacking)
}

/// Writes parameters as they would be typed.
pub fn as_typed(params: &Map<String, Value>) -> Vec<(String, String)> {
    params.iter().map(|(name, value)| (name.clone(), plain(value))).collect()
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
