//! Public moments with the guide that they make, for who prepares one plan after another of the same columns.

use std::sync::Arc;

use crate::data::Geometry;
use crate::plan::bound::BoundPlan;
use crate::plan::public::{Guide, PublicTable};
use crate::plan::{CheckedPlan, PlanError};

/// A public table with the guide of a plan's terms. To make a guide takes a time that grows with the cube of the terms; it does not
/// depend on the budget.
#[derive(Clone, Debug, PartialEq)]
pub struct Guided {
    table: PublicTable,
    terms: Terms,
    guide: Arc<Result<Guide, PlanError>>,
}

/// The terms that a guide is for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// Those of the features, without the constant.
    pub features: Vec<String>,
    /// Those of the outcomes.
    pub outcomes: Vec<String>,
    /// Whether there is a constant.
    pub intercept: bool,
}

impl Terms {
    /// Those of a plan.
    pub(super) fn of(checked: &CheckedPlan, bound: &BoundPlan) -> Self {
        let geometry = Geometry::new(bound);
        let mut features: Vec<String> = geometry.terms.iter().map(|term| term.name.clone()).collect();
        let outcomes = features.split_off(geometry.first_outcome(bound).min(features.len()));
        Self { features, outcomes, intercept: checked.intercept }
    }

    /// What a table says of them.
    pub(super) fn guide(&self, table: &PublicTable) -> Result<Guide, PlanError> {
        Guide::new(table, &self.features, &self.outcomes, self.intercept)
    }
}

impl Guided {
    /// What a table says of these terms, with the guide of `before` where that says the same of the same terms: then another source
    /// costs nothing.
    #[must_use]
    pub fn new(table: PublicTable, terms: Terms, before: Option<&Self>) -> Self {
        let same = before.filter(|before| {
            let (old, new) = (&before.table, &table);
            before.guide.is_ok()
                && before.terms == terms
                && (old.rows, &old.terms, &old.correlation) == (new.rows, &new.terms, &new.correlation)
        });
        let guide = same.map_or_else(|| Arc::new(terms.guide(&table)), |before| Arc::clone(&before.guide));
        Self { table, terms, guide }
    }

    /// The table.
    #[must_use]
    pub const fn table(&self) -> &PublicTable {
        &self.table
    }

    /// What it says of the terms of a plan, which may be others.
    pub(super) fn guide(&self, terms: &Terms) -> Result<Guide, PlanError> {
        if *terms == self.terms { (*self.guide).clone() } else { terms.guide(&self.table) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::public::document::{PublicTerm, SCHEMA};

    fn table() -> PublicTable {
        let term = |name: &str, mean| PublicTerm { term: name.to_owned(), mean, sd: Some(2.0) };
        PublicTable {
            schema: SCHEMA.to_owned(),
            source: "Smith 2020, Table 1".to_owned(),
            rows: 1200,
            terms: vec![term("age", 50.0), term("bmi", 27.0)],
            correlation: vec![vec![1.0, 0.3], vec![0.3, 1.0]],
        }
    }

    fn terms(features: &[&str]) -> Terms {
        let features = features.iter().map(|name| (*name).to_owned()).collect();
        Terms { features, outcomes: vec!["sbp".to_owned()], intercept: true }
    }

    #[test]
    fn a_guide_is_made_again_only_where_it_would_be_another() {
        let first = Guided::new(table(), terms(&["age", "bmi"]), None);
        let again = |table: PublicTable, terms: Terms| {
            let made = Guided::new(table.clone(), terms.clone(), Some(&first));
            assert_eq!(*made.guide, terms.guide(&table), "whatever was before");
            Arc::ptr_eq(&made.guide, &first.guide)
        };
        let same = terms(&["age", "bmi"]);
        assert!(again(table(), same.clone()));
        assert!(again(PublicTable { source: "Jones 2021".to_owned(), ..table() }, same.clone()));
        assert!(!again(table(), terms(&["bmi"])));
        assert!(!again(table(), Terms { intercept: false, ..same.clone() }));
        assert!(!again(PublicTable { rows: 9, ..table() }, same.clone()));
        let mut moved = table();
        moved.terms[0].mean = 51.0;
        assert!(!again(moved, same.clone()));
        let mut related = table();
        (related.correlation[0][1], related.correlation[1][0]) = (0.4, 0.4);
        assert!(!again(related, same));
    }

    #[test]
    fn what_was_refused_is_asked_again() {
        let nameless = PublicTable { source: String::new(), ..table() };
        let refused = Guided::new(nameless, terms(&["age"]), None);
        assert!(refused.guide.is_err());
        assert!(Guided::new(table(), terms(&["age"]), Some(&refused)).guide.is_ok());
    }

    #[test]
    fn other_terms_than_it_was_made_for_get_their_own() {
        let guided = Guided::new(table(), terms(&["age", "bmi"]), None);
        let other = terms(&["bmi"]);
        assert_eq!(guided.guide(&other), other.guide(&table()));
        assert_ne!(guided.guide(&other), guided.guide(&terms(&["age", "bmi"])));
    }
}
