//! Columns that several terms of a regression are made from.

use std::collections::BTreeSet;

use super::Release;
use super::figure::terms;
use super::reduced::column_of;
use crate::model::INTERCEPT;
use crate::plan::Plan;
use crate::plan::derived::{roots, shared_roots};

/// The columns that change several terms of a regression together. A single one of these terms has no factor of its own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shared(pub BTreeSet<String>);

impl Shared {
    /// Returns those of a release's regression, or of one that was fitted from it.
    pub fn of(release: &Release) -> Self {
        let terms = terms(release).into_iter().filter(|term| term != INTERCEPT);
        Self(shared_roots(&release.plan, &terms.map(|term| column_of(&release.plan, &term)).collect()))
    }

    /// Returns whether a term is made from one of them.
    pub fn move_term(&self, plan: &Plan, term: &str) -> bool {
        !self.0.is_empty() && !roots(plan, &column_of(plan, term)).is_disjoint(&self.0)
    }
}
