//! A draft as it is kept on this machine, so that it survives a reload: the plan as far as it was described, without a cell.

use serde::{Deserialize, Serialize};

use super::budget::budget;
use super::columns::ColumnDraft;
use super::from_plan::open;
use super::setup::{BudgetKind, Setup};
use super::to_plan::draft_plan;
use crate::model::Role;
use crate::plan::Plan;

/// A kept draft.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptDraft {
    /// What was described of the columns, and the setup.
    plan: Plan,
    /// Whether the person chose the mechanism.
    chosen: bool,
    /// Share of what is left in the budget that the next release asks for, in percent.
    share: u8,
    /// How the budget is written.
    form: BudgetKind,
    /// The budget as typed: ε, N of δ = 1/N, ρ, μ.
    budget: [String; 4],
}

impl KeptDraft {
    /// Returns what is kept of a draft; nothing where no column has a role.
    #[must_use]
    pub fn of(columns: &[ColumnDraft], setup: &Setup) -> Option<Self> {
        if columns.iter().all(|column| column.role == Role::Ignored) {
            return None;
        }
        let (plan, _) = draft_plan(columns, setup, budget(setup));
        let Setup { epsilon, one_in, rho, mu, .. } = setup;
        let budget = [epsilon, one_in, rho, mu].map(Clone::clone);
        Some(Self { plan, chosen: setup.mechanism.is_some(), share: setup.share, form: setup.form, budget })
    }

    /// Returns how the table was read.
    #[must_use]
    pub const fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Returns columns and setup in a table of these names; nothing where it lacks a column.
    #[must_use]
    pub fn open(&self, names: &[String]) -> Option<(Vec<ColumnDraft>, Setup)> {
        let (columns, mut setup) = open(&self.plan, names).ok()?;
        if !self.chosen {
            setup.mechanism = None;
        }
        setup.share = self.share.min(100);
        setup.form = self.form;
        [setup.epsilon, setup.one_in, setup.rho, setup.mu] = self.budget.clone();
        Some((columns, setup))
    }
}
