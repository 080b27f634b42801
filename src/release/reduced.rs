//! Proposes predictors for another regression from a release: those without a withheld coefficient.

use std::collections::{BTreeMap, BTreeSet};

use super::Release;
use super::figure::lines;
use crate::model::note::quoted;
use crate::model::{INTERCEPT, Interval, level_of};
use crate::plan::Plan;
use crate::plan::derived::{Uncentred, name_of};
use crate::plan::document::{Derived, Transform};
use crate::words;

/// A regression without some columns of a release.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reduced {
    /// The terms that are kept, in their order.
    pub kept: Vec<String>,
    /// The columns, or terms made from columns, that are left out, and single levels that join the reference.
    pub left_out: Vec<String>,
}

impl Reduced {
    /// Leaves out products and squares with a withheld coefficient, or made from a column with one. If there are none, leaves out all columns with
    /// a withheld coefficient.
    /// Of a category with less than half of its coefficients withheld these levels alone are left out: they join the reference.
    /// If `held` names the terms that are not determined, these alone count as withheld: the others are withheld because of them.
    pub fn of(release: &Release, outcome: &str, held: &[String]) -> Self {
        let lines = lines(&release.plan, &release.coefficients, outcome).into_iter();
        let terms = lines.map(|line| {
            let withheld = match held {
                [] => line.entry.interval == Interval::Withheld,
                held => held.contains(&line.term),
            };
            (line.term, withheld)
        });
        Self::new(&release.plan, &terms.filter(|(term, _)| term != INTERCEPT).collect::<Vec<_>>())
    }

    /// Reduces a regression. `terms` has each term with whether its coefficient is withheld.
    fn new(plan: &Plan, terms: &[(String, bool)]) -> Self {
        let is_listed = |name: &str| plan.column(name).is_some();
        let owners: Vec<String> = terms.iter().map(|(term, _)| column_of(plan, term)).collect();
        // Of each column how many coefficients are shown, less those that are withheld.
        let mut surplus: BTreeMap<&str, i64> = BTreeMap::new();
        for (owner, (_, withheld)) in owners.iter().zip(terms) {
            *surplus.entry(owner).or_default() += if *withheld { -1 } else { 1 };
        }
        let withheld = owners.iter().zip(terms).filter(|(_, (_, withheld))| *withheld);
        let mut left_out: Vec<String> = withheld
            .map(
                |(owner, (term, _))| {
                    if is_listed(owner) && surplus[owner.as_str()] > 0 { term } else { owner }
                },
            )
            .cloned()
            .collect();
        left_out.dedup();
        let higher = higher_terms(plan, &left_out, &owners);
        if !higher.is_empty() {
            left_out = higher;
        }
        let left: BTreeSet<&String> = left_out.iter().collect();
        let is_kept =
            |(owner, (term, _)): &(&String, &(String, bool))| !left.contains(term) && !left.contains(owner);
        let kept = owners.iter().zip(terms).filter(is_kept).map(|(_, (term, _))| term.clone()).collect();
        Self { kept, left_out }
    }

    /// Returns how a product that is left out can be kept, where its factors are not centred.
    pub fn to_centre(&self, plan: &Plan) -> Option<String> {
        let uncentred = Uncentred::of(plan).into_iter().find(|one| self.left_out.contains(&one.product));
        uncentred.map(|one| words::refit::centre(quoted(&[one.product])))
    }
}

/// Returns the products and squares among the `owners` that are left out themselves, or made from what is left out. Without its own effects
/// such a term would count them as its own.
fn higher_terms(plan: &Plan, left_out: &[String], owners: &[String]) -> Vec<String> {
    let left: BTreeSet<String> =
        left_out.iter().flat_map(|term| [term.clone(), column_of(plan, term)]).collect();
    let is_higher = |term: &&Derived| matches!(term.transform, Transform::Product | Transform::Square);
    let higher = plan.derived.iter().filter(is_higher).map(|term| (name_of(term), term));
    let higher = higher.filter(|(name, term)| {
        owners.contains(name) && (left.contains(name) || term.from.iter().any(|from| left.contains(from)))
    });
    higher.map(|(name, _)| name).collect()
}

/// Returns the column or the derived term that a coefficient's term is of.
pub fn column_of(plan: &Plan, term: &str) -> String {
    let listed = plan.columns.iter().filter_map(|column| column.name.clone());
    let all = listed.chain(plan.derived.iter().map(name_of));
    let is_own = |name: &String| name == term || level_of(term, name).is_some();
    all.filter(is_own).max_by_key(String::len).unwrap_or_else(|| term.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn reduced(terms: &[(&str, bool)]) -> Reduced {
        let plan = json!({
            "schema": "discreet.plan/1", "adjacency": "add-remove",
            "columns": [
                {"name": "age", "role": "feature", "type": "number", "lower": 18, "upper": 95},
                {"name": "sex", "role": "feature", "type": "category", "levels": ["F", "M"]},
                {"name": "stage", "role": "feature", "type": "category", "levels": ["I", "II", "III"]},
                {"name": "sbp", "role": "outcome", "type": "number", "lower": 40, "upper": 240},
            ],
            "derived": [{"transform": "product", "from": ["sex", "stage"]}],
            "mechanism": {"name": "adaptive-gauss"}, "budget": {"epsilon": 1, "delta": 1e-6},
        });
        let terms = terms.iter().map(|(term, withheld)| ((*term).to_owned(), *withheld));
        Reduced::new(&Plan::parse(&plan.to_string()).unwrap(), &terms.collect::<Vec<_>>())
    }

    #[test]
    fn an_interaction_is_left_out_before_what_it_is_made_from() {
        let terms = [("age", false), ("sex[M]", true), ("stage[II]", false)];
        let pairs = [("stage[III]", true), ("sex:stage[M:II]", false), ("sex:stage[M:III]", true)];
        let found = reduced(&[terms.as_slice(), pairs.as_slice()].concat());
        assert_eq!(found.left_out, ["sex:stage"]);
        assert_eq!(found.kept, ["age", "sex[M]", "stage[II]", "stage[III]"]);
    }

    #[test]
    fn an_interaction_is_left_out_where_what_it_is_made_from_is_withheld() {
        let terms = [("age", false), ("sex[M]", true), ("stage[II]", false), ("stage[III]", false)];
        let pairs = [("sex:stage[M:II]", false), ("sex:stage[M:III]", false)];
        let found = reduced(&[terms.as_slice(), pairs.as_slice()].concat());
        assert_eq!(found.left_out, ["sex:stage"]);
        assert_eq!(found.kept, ["age", "sex[M]", "stage[II]", "stage[III]"]);
        // Of three levels one alone is withheld.
        let terms = [("age", false), ("sex[M]", false), ("stage[II]", true), ("stage[III]", false)];
        assert_eq!(reduced(&[terms.as_slice(), pairs.as_slice()].concat()).left_out, ["sex:stage"]);
        assert_eq!(reduced(&[("age", true), ("sex[M]", false), pairs[0], pairs[1]]).left_out, ["age"]);
    }

    #[test]
    fn a_product_that_is_left_out_is_kept_by_centring_its_factors() {
        let plan = |lower: f64| {
            let number = |name: &str, role: &str, lower: f64, upper: f64| json!({"name": name, "role": role, "type": "number", "lower": lower, "upper": upper});
            let plan = json!({
                "schema": "discreet.plan/1", "adjacency": "add-remove",
                "columns": [number("age", "feature", lower, 95.0), number("change", "feature", -40.0, 40.0),
                    number("sbp", "outcome", 40.0, 240.0)],
                "derived": [{"transform": "product", "from": ["age", "change"]}],
                "mechanism": {"name": "adaptive-gauss"}, "budget": {"epsilon": 1, "delta": 1e-6},
            });
            Plan::parse(&plan.to_string()).unwrap()
        };
        let without = |names: &[&str]| Reduced {
            kept: Vec::new(),
            left_out: names.iter().map(ToString::to_string).collect(),
        };
        let told = without(&["age:change"]).to_centre(&plan(18.0));
        assert_eq!(told, Some(words::refit::centre("`age:change`")));
        assert_eq!(without(&["change"]).to_centre(&plan(18.0)), None, "the product is kept");
        assert_eq!(without(&["age:change"]).to_centre(&plan(-95.0)), None, "its factors lie around 0");
    }

    #[test]
    fn a_withheld_level_of_many_joins_the_reference() {
        let levels = [("stage[II]", false), ("stage[III]", true), ("stage[IV]", false)];
        let found = reduced(&[("age", false), levels[0], levels[1], levels[2]]);
        assert_eq!(found.left_out, ["stage[III]"]);
        assert_eq!(found.kept, ["age", "stage[II]", "stage[IV]"]);
    }

    #[test]
    fn a_category_with_half_of_its_coefficients_withheld_is_left_out_whole() {
        let found = reduced(&[("age", false), ("sex[M]", false), ("stage[II]", false), ("stage[III]", true)]);
        assert_eq!(found.left_out, ["stage"]);
        assert_eq!(found.kept, ["age", "sex[M]"]);
    }
}
