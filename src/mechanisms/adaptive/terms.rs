//! The coded terms of a record: public.

use std::ops::Range;

use crate::plan::{CheckedPlan, PlanError};
use crate::privacy::adjacency::Protect;

/// A term: a number, or one level of a category.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// Index of its column.
    pub column: usize,
    /// Whether it is the dummy of a category's level, coded 0 or 1; a number is coded from −1 to 1.
    pub dummy: bool,
}

/// The terms of a record in their order: P features, then l outcomes. The terms of one column are neighbours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    terms: Vec<Term>,
    features: usize,
}

impl Terms {
    /// Terms of which the first `features` are features.
    pub fn new(terms: Vec<Term>, features: usize) -> Self {
        let features = features.min(terms.len());
        Self { terms, features }
    }

    /// Returns P, the number of feature terms.
    pub const fn features(&self) -> usize {
        self.features
    }

    /// Returns whether at least three of four features are levels of categories.
    pub fn are_mostly_levels(&self) -> bool {
        let levels = self.terms.iter().take(self.features).filter(|term| term.dummy).count();
        4 * levels >= 3 * self.features
    }

    /// Returns l, the number of outcome terms.
    pub fn outcomes(&self) -> usize {
        self.terms.len() - self.features
    }

    /// Returns D = P + l.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Returns k = P + 1, the number of coefficients of an outcome.
    pub const fn coefficients(&self) -> usize {
        self.features + 1
    }

    /// Returns C, the number of columns, a category being one.
    pub fn columns(&self) -> usize {
        self.groups().count()
    }

    /// Returns whether a term is a dummy.
    pub fn is_dummy(&self, term: usize) -> bool {
        self.terms.get(term).is_some_and(|term| term.dummy)
    }

    /// Returns the places of each column's terms.
    pub fn groups(&self) -> impl Iterator<Item = Range<usize>> {
        let mut start = 0;
        self.terms.chunk_by(|a, b| a.column == b.column).map(move |group| {
            let range = start..start + group.len();
            start = range.end;
            range
        })
    }
}

/// Most terms of features: the eigenvalues are computed by rotations of pairs.
pub const MOST_FEATURES: usize = 256;

/// Refuses a plan for `mechanism` that protects less than whole rows.
///
/// # Errors
/// [`PlanError`] that says so.
pub fn require_rows(plan: &CheckedPlan, mechanism: &str) -> Result<(), PlanError> {
    if plan.protect == Protect::Rows {
        return Ok(());
    }
    Err(PlanError::at(
        "protect",
        format!("`{mechanism}` protects whole rows alone"),
        "set `protect` to \"rows\", or take another mechanism",
    ))
}

/// Refuses no features, and more than `mechanism` can do with. `other` is a mechanism that takes them.
///
/// # Errors
/// [`PlanError`] that says how many.
pub fn check_features(terms: &Terms, mechanism: &str, other: &str) -> Result<(), PlanError> {
    let features = terms.features();
    let (what, advice) = match features {
        0 => (format!("`{mechanism}` needs a feature"), "give a column the role \"feature\""),
        1..=MOST_FEATURES => return Ok(()),
        _ => (
            format!("the features make {features} terms, and {MOST_FEATURES} is the most for `{mechanism}`"),
            "choose fewer features or levels",
        ),
    };
    Err(PlanError::at("columns", what, format!("{advice}, or take `{other}`")))
}
