//! A draft as it is kept on this machine, so that it survives a reload: the plan as far as it was described, without a cell.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::budget::budget;
use super::columns::{ColumnDraft, confirmation, describe, to_entry};
use super::from_plan::open;
use super::setup::{BudgetKind, Setup};
use super::to_plan::draft_plan;
use crate::data::mismatch::Contradiction;
use crate::model::Role;
use crate::plan::Plan;
use crate::plan::document::Column;
use crate::privacy::calibrate::Split;

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
    /// For what kinds of release the budget is kept.
    #[serde(default)]
    split: Split,
    /// What is said of columns without a role.
    #[serde(default)]
    ignored: Vec<Column>,
    /// What columns mean, by name.
    #[serde(default)]
    labels: Vec<(String, String)>,
    /// The columns that seem to name persons, of which the person said that each has one row.
    #[serde(default)]
    one_row_each: Vec<String>,
    /// The name of the file.
    #[serde(default)]
    pub file: String,
}

impl KeptDraft {
    /// Returns what is kept of a draft. `None` if no column has a role.
    pub fn of(columns: &[ColumnDraft], setup: &Setup) -> Option<Self> {
        let is_empty = |column: &&ColumnDraft| {
            let named = ColumnDraft { name: column.name.clone(), ..ColumnDraft::default() };
            ColumnDraft { kind: None, selected: false, ..(*column).clone() } == named
        };
        let unnamed = |column: &ColumnDraft| ColumnDraft { label: String::new(), ..column.clone() };
        let ignored: Vec<Column> = columns
            .iter()
            .filter(|column| column.role == Role::Ignored && !is_empty(column))
            .map(|column| to_entry(&unnamed(column)))
            .collect();
        if ignored.is_empty() && columns.iter().all(|column| column.role == Role::Ignored) {
            return None;
        }
        let labelled = columns.iter().filter(|column| !column.label.is_empty());
        let labels = labelled.map(|column| (column.name.clone(), column.label.clone())).collect();
        let said = |(place, kind, _): &(usize, Contradiction, String)| {
            columns.get(*place).filter(|_| *kind == Contradiction::Persons).map(|column| column.name.clone())
        };
        let one_row_each = setup.confirmed.iter().filter_map(said).collect();
        let columns: Vec<ColumnDraft> = columns.iter().map(unnamed).collect();
        let split = match setup.split {
            Split::Explicit { .. } => Split::Gaussian,
            split => split,
        };
        let (plan, _) = draft_plan(&columns, setup, budget(setup));
        let Setup { epsilon, one_in, rho, mu, .. } = setup;
        let budget = [epsilon, one_in, rho, mu].map(Clone::clone);
        Some(Self {
            plan,
            chosen: setup.mechanism.is_some(),
            share: setup.share,
            form: setup.form,
            budget,
            split,
            ignored,
            labels,
            one_row_each,
            file: String::new(),
        })
    }

    /// Returns how the table was read.
    pub const fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Returns whether a table of these names has the columns that are described here, or all but one, by their names or by what a codebook calls
    /// them: an export has the one or the other. Whose row is whose need not stand in it.
    pub fn is_alike(&self, names: &[String]) -> bool {
        let described: Vec<&String> =
            self.plan.columns.iter().filter_map(|column| column.name.as_ref()).collect();
        let label = |name: &String| self.labels.iter().find(|(own, _)| own == name).map(|(_, label)| label);
        let is_present =
            |name: &String| names.contains(name) || label(name).is_some_and(|label| names.contains(label));
        let present = described.iter().filter(|name| is_present(name)).count();
        present >= 2 && present + 1 >= described.len() || self.open(names).is_some()
    }

    /// Returns columns and setup in a table of these names. `None` if it lacks a column.
    pub fn open(&self, names: &[String]) -> Option<(Vec<ColumnDraft>, Setup)> {
        let (mut columns, mut setup, lacking) = open(&self.plan, names);
        if !lacking.is_empty() {
            return None;
        }
        let ignored = self.ignored.iter().filter_map(|entry| Some((entry.name.as_deref()?, entry)));
        let ignored: HashMap<&str, &Column> = ignored.collect();
        let labels: HashMap<&str, &str> =
            self.labels.iter().map(|(name, label)| (name.as_str(), label.as_str())).collect();
        for column in &mut columns {
            if let Some(entry) = ignored.get(column.name.as_str()).filter(|_| column.role == Role::Ignored) {
                describe(column, entry);
            }
            column.label = labels.get(column.name.as_str()).copied().unwrap_or_default().to_owned();
        }
        if !self.chosen {
            setup.mechanism = None;
        }
        let said = |(_, column): &(usize, &ColumnDraft)| self.one_row_each.contains(&column.name);
        let said = columns.iter().enumerate().filter(said);
        setup.confirmed =
            said.map(|(place, column)| confirmation(place, column, Contradiction::Persons)).collect();
        setup.share = self.share.min(100);
        setup.form = self.form;
        setup.split = self.split;
        [setup.epsilon, setup.one_in, setup.rho, setup.mu] = self.budget.clone();
        Some((columns, setup))
    }
}
