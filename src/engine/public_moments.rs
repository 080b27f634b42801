//! Public moments with their whitener, which is reused while several plans with the same columns are prepared.

use std::sync::Arc;

use crate::data::Geometry;
use crate::plan::bound::BoundPlan;
use crate::plan::public::{PublicTable, Whitener};
use crate::plan::{CheckedPlan, PlanError};

/// What is publicly known of a plan's columns.
pub trait PublicKnowledge {
    /// Returns the table.
    fn table(&self) -> &PublicTable;

    /// Computes the whitener of a plan's terms.
    ///
    /// # Errors
    /// [`PlanError`] where it does not fit them.
    fn whitener(&self, terms: &MomentTerms) -> Result<Whitener, PlanError>;
}

impl PublicKnowledge for PublicTable {
    fn table(&self) -> &PublicTable {
        self
    }

    fn whitener(&self, terms: &MomentTerms) -> Result<Whitener, PlanError> {
        terms.whitener(self)
    }
}

/// A public table with the whitener of a plan's terms. Computing a whitener takes a time that grows with the cube of the terms; it does not
/// depend on the budget.
#[derive(Clone, Debug, PartialEq)]
pub struct PublicMoments {
    table: PublicTable,
    terms: MomentTerms,
    whitener: Arc<Result<Whitener, PlanError>>,
}

/// The terms that a whitener is for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MomentTerms {
    /// The moments of the features, without the constant.
    pub features: Vec<String>,
    /// The moments of the outcomes.
    pub outcomes: Vec<String>,
    /// Whether there is a constant.
    pub intercept: bool,
}

impl MomentTerms {
    /// Returns the terms of a plan.
    pub(super) fn of(checked: &CheckedPlan, bound: &BoundPlan) -> Self {
        let geometry = Geometry::new(bound);
        let mut features: Vec<String> = geometry.terms.iter().map(|term| term.name.clone()).collect();
        let outcomes = features.split_off(geometry.first_outcome(bound).min(features.len()));
        Self { features, outcomes, intercept: checked.intercept }
    }

    /// Computes the whitener of these terms from a table.
    pub(super) fn whitener(&self, table: &PublicTable) -> Result<Whitener, PlanError> {
        Whitener::new(table, &self.features, &self.outcomes, self.intercept)
    }
}

impl PublicMoments {
    /// Computes the whitener of these terms from a table. If `before` has the same terms and the same numbers, its whitener is
    /// reused, so a change of the source's name costs no time.
    pub fn new(table: PublicTable, terms: MomentTerms, before: Option<&Self>) -> Self {
        let same = before.filter(|before| {
            let (old, new) = (&before.table, &table);
            before.whitener.is_ok()
                && before.terms == terms
                && (old.rows, &old.terms, &old.correlation) == (new.rows, &new.terms, &new.correlation)
        });
        let whitener =
            same.map_or_else(|| Arc::new(terms.whitener(&table)), |before| Arc::clone(&before.whitener));
        Self { table, terms, whitener }
    }
}

impl PublicKnowledge for PublicMoments {
    fn table(&self) -> &PublicTable {
        &self.table
    }

    fn whitener(&self, terms: &MomentTerms) -> Result<Whitener, PlanError> {
        if *terms == self.terms { (*self.whitener).clone() } else { terms.whitener(&self.table) }
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

    fn terms(features: &[&str]) -> MomentTerms {
        let features = features.iter().map(|name| (*name).to_owned()).collect();
        MomentTerms { features, outcomes: vec!["sbp".to_owned()], intercept: true }
    }

    #[test]
    fn a_whitener_is_made_again_only_where_it_would_be_another() {
        let first = PublicMoments::new(table(), terms(&["age", "bmi"]), None);
        let again = |table: PublicTable, terms: MomentTerms| {
            let made = PublicMoments::new(table.clone(), terms.clone(), Some(&first));
            assert_eq!(*made.whitener, terms.whitener(&table), "whatever was before");
            Arc::ptr_eq(&made.whitener, &first.whitener)
        };
        let same = terms(&["age", "bmi"]);
        assert!(again(table(), same.clone()));
        assert!(again(PublicTable { source: "Jones 2021".to_owned(), ..table() }, same.clone()));
        assert!(!again(table(), terms(&["bmi"])));
        assert!(!again(table(), MomentTerms { intercept: false, ..same.clone() }));
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
        let refused = PublicMoments::new(nameless, terms(&["age"]), None);
        assert!(refused.whitener.is_err());
        assert!(PublicMoments::new(table(), terms(&["age"]), Some(&refused)).whitener.is_ok());
    }

    #[test]
    fn other_terms_than_it_was_made_for_get_their_own() {
        let moments = PublicMoments::new(table(), terms(&["age", "bmi"]), None);
        let other = terms(&["bmi"]);
        assert_eq!(moments.whitener(&other), other.whitener(&table()));
        assert_ne!(moments.whitener(&other), moments.whitener(&terms(&["age", "bmi"])));
    }
}
