//! What a level or a unit of one column does at each level of another, where a product lets it differ (theory/inference 6.11).

use nalgebra::{DMatrix, DVector};

use super::record::{Moved, Record, errors_to_a_side};
use crate::model::{Estimate, Interval, Role};
use crate::plan::Plan;
use crate::plan::derived::{name_of, roots};
use crate::plan::document::{Column, ColumnType, Derived, Transform};
use crate::release::figure::{self, Line};
use crate::release::supplement::{Description, Difference};

/// Returns the differences of an outcome's regression, given its coefficients with their covariance, in their order.
pub fn differences(
    plan: &Plan,
    outcome: &str,
    lines: &[Line],
    covariance: &DMatrix<f64>,
    description: Option<&Description>,
) -> Vec<Difference> {
    let Some(reach) = errors_to_a_side(lines).filter(|_| covariance.nrows() == lines.len()) else {
        return Vec::new();
    };
    let record = Record::new(plan, description);
    let mut found = Vec::new();
    for (own, other) in pairs(plan) {
        if ![own, other].iter().all(|column| has_all_terms(plan, lines, column)) {
            continue;
        }
        for Step { term, from, to, units, per } in steps(plan, own) {
            for level in other.levels.iter().flatten() {
                let at = |end: &Moved<'_>| {
                    let mut moved = end.clone();
                    moved.levels.extend(other.name.as_deref().map(|name| (name, level.as_str())));
                    record.terms(lines, &moved)
                };
                let (Some(from), Some(to)) = (at(&from), at(&to)) else { continue };
                let Some(entry) = estimate(&((to - from) / units), lines, covariance, reach) else {
                    continue;
                };
                found.push(Difference {
                    outcome: outcome.to_owned(),
                    term: term.clone(),
                    per: per.clone(),
                    column: other.name.clone().unwrap_or_default(),
                    level: level.clone(),
                    entry,
                });
            }
        }
    }
    found
}

/// Returns whether a plan has such differences at all.
pub fn any(plan: &Plan) -> bool {
    !pairs(plan).is_empty()
}

/// Returns the pairs of columns whose product is a feature, the second of each a category. A number moves through products and terms less
/// a constant alone: along a square, say, a unit is not the same everywhere.
fn pairs(plan: &Plan) -> Vec<(&Column, &Column)> {
    let features = || plan.derived_with(Role::Feature);
    let column = |name: &String| {
        let centred = |entry: &&Derived| entry.transform == Transform::Centred && name_of(entry) == *name;
        let name = plan.derived.iter().find(centred).and_then(|entry| entry.from.first()).unwrap_or(name);
        plan.columns.iter().find(|column| column.name.as_ref() == Some(name))
    };
    let fits = |own: &Column| {
        let name = own.name.clone().unwrap_or_default();
        let moved = || features().filter(|entry| roots(plan, &name_of(entry)).contains(&name));
        let is_category = own.kind == Some(ColumnType::Category);
        moved().all(|entry| match entry.transform {
            Transform::Product => entry.from.len() == 2,
            Transform::Centred => !is_category,
            _ => false,
        })
    };
    let is_category = |column: &Column| column.kind == Some(ColumnType::Category);
    let mut pairs = Vec::new();
    for product in features().filter(|entry| entry.transform == Transform::Product) {
        let [one, other] = product.from.as_slice() else { continue };
        let (Some(one), Some(other)) = (column(one), column(other)) else { continue };
        let both = [(one, other), (other, one)];
        pairs.extend(both.into_iter().filter(|(own, other)| fits(own) && fits(other) && is_category(other)));
    }
    pairs
}

/// Returns whether a regression has all terms that change with a column. One on some of a release's features may have left some out.
fn has_all_terms(plan: &Plan, lines: &[Line], column: &Column) -> bool {
    let own = column.name.clone().unwrap_or_default();
    let derived = plan.derived_with(Role::Feature).map(name_of);
    let changed = derived.filter(|name| roots(plan, name).contains(&own));
    let direct = (column.role == Role::Feature).then(|| own.clone());
    let has_all = |name: String| {
        let levels = plan
            .columns
            .iter()
            .filter(|column| roots(plan, &name).iter().any(|root| column.name.as_ref() == Some(root)));
        let terms: usize = levels
            .map(|column| column.levels.as_ref().map_or(1, |levels| levels.len().saturating_sub(1)))
            .product();
        let of_level = format!("{name}[");
        lines.iter().filter(|line| line.term == name || line.term.starts_with(&of_level)).count() == terms
    };
    changed.chain(direct).all(has_all)
}

/// A change of one column.
struct Step<'a> {
    /// The term of its coefficient: the column, or `column[level]`.
    term: String,
    from: Moved<'a>,
    to: Moved<'a>,
    /// The length of the step in units of the number; 1 for a level.
    units: f64,
    /// What it is, in words.
    per: String,
}

/// Returns the steps of a column: each level against the reference, or a number over its stated range.
fn steps<'a>(plan: &Plan, own: &'a Column) -> Vec<Step<'a>> {
    let Some(name) = own.name.as_deref() else { return Vec::new() };
    if own.kind == Some(ColumnType::Number) {
        let Some((lower, upper)) = own.stated_bounds() else { return Vec::new() };
        let per = figure::per_units(plan, name, 1.0);
        let [from, to] = [lower, upper].map(|at| Moved::number(name, at));
        return vec![Step { term: name.to_owned(), from, to, units: upper - lower, per }];
    }
    let levels = own.levels.as_deref().unwrap_or_default();
    let Some(reference) = own.reference_level() else { return Vec::new() };
    let set = |level: &'a String| Moved { numbers: Vec::new(), levels: vec![(name, level.as_str())] };
    let others = levels.iter().filter(|level| *level != reference);
    let step = |level| {
        let term = format!("{name}[{level}]");
        let per = figure::per_units(plan, &term, 1.0);
        Step { term, from: set(reference), to: set(level), units: 1.0, per }
    };
    others.map(step).collect()
}

/// Returns the estimate of a sum of coefficients. `None` if one of them is withheld.
pub(super) fn estimate(
    values: &DVector<f64>,
    lines: &[Line],
    covariance: &DMatrix<f64>,
    reach: f64,
) -> Option<Estimate> {
    let used = || lines.iter().zip(values.iter()).filter(|(_, value)| **value != 0.0);
    if used().any(|(line, _)| line.entry.interval == Interval::Withheld) || used().next().is_none() {
        return None;
    }
    let terms: Option<Vec<f64>> = used().map(|(line, value)| Some(line.entry.estimate? * value)).collect();
    let estimate: f64 = terms?.iter().sum();
    let error = values.dot(&(covariance * values)).max(0.0).sqrt();
    let approximate = used().any(|(line, _)| line.entry.interval == Interval::Approximate);
    Some(Estimate {
        interval: if approximate { Interval::Approximate } else { Interval::Normal },
        ..Estimate::around(estimate, error, reach * error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::INTERCEPT;

    fn plan() -> Plan {
        Plan::parse(
            r#"{"schema": "discreet.plan/1", "adjacency": "add-remove", "stated_rows": 100,
            "columns": [
                {"name": "age", "role": "feature", "type": "number", "lower": 20, "upper": 80, "unit": "years"},
                {"name": "sex", "role": "feature", "type": "category", "levels": ["M", "F"]},
                {"name": "grade", "role": "feature", "type": "category", "levels": ["A", "B", "C"], "reference": "B"},
                {"name": "y", "role": "outcome", "type": "number", "lower": 0, "upper": 9}],
            "derived": [{"transform": "product", "from": ["sex", "grade"]},
                {"transform": "centred", "from": ["age"], "at": 50, "role": "ignored"},
                {"transform": "product", "from": ["age - 50", "sex"]}],
            "mechanism": {"name": "analyze-gauss"}, "budget": {"epsilon": 1, "delta": 1e-6}}"#,
        )
        .unwrap()
    }

    const TERMS: [(&str, f64); 8] = [
        (INTERCEPT, 1.0),
        ("age", 0.5),
        ("sex[F]", -2.0),
        ("grade[A]", 3.0),
        ("grade[C]", 4.0),
        ("sex:grade[F:A]", 0.25),
        ("sex:grade[F:C]", 0.75),
        ("(age - 50):sex[F]", 0.1),
    ];

    fn lines() -> Vec<Line> {
        let line = |(term, estimate): (&str, f64)| Line {
            term: term.to_owned(),
            per: String::new(),
            entry: Estimate::around(estimate, 0.5, 1.0),
            reach: None,
        };
        TERMS.map(line).into()
    }

    fn found(lines: &[Line]) -> Vec<(String, String, f64, f64)> {
        let mut covariance = DMatrix::identity(8, 8) * 0.25;
        (covariance[(2, 5)], covariance[(5, 2)]) = (-0.1, -0.1);
        differences(&plan(), "y", lines, &covariance, None)
            .into_iter()
            .map(|one| {
                let Estimate { estimate, std_error, upper, .. } = one.entry;
                let (estimate, error) = (estimate.unwrap(), std_error.unwrap());
                assert!((upper.unwrap() - estimate - 2.0 * error).abs() < 1e-12);
                (
                    format!("{} {}", one.term.split('[').next().unwrap(), one.per),
                    format!("{}={}", one.column, one.level),
                    estimate,
                    error,
                )
            })
            .collect()
    }

    #[test]
    fn each_level_has_the_difference_that_the_coefficients_add_up_to() {
        let found = found(&lines());
        let of = |own: &str, at: &str| {
            let one = found.iter().find(|(name, level, ..)| name.starts_with(own) && level == at);
            let (.., estimate, error) = one.unwrap_or_else(|| panic!("{own} {at}: {found:?}"));
            (*estimate, *error)
        };
        // At the reference of the other column it is the coefficient itself; age is in the middle of its bounds, at 50.
        let close = |(estimate, error): (f64, f64), expected: f64, variance: f64| {
            assert!((estimate - expected).abs() < 1e-12, "{estimate} for {expected}");
            assert!((error - variance.sqrt()).abs() < 1e-12, "{error} for {variance}");
        };
        close(of("sex F against M", "grade=B"), -2.0, 0.25);
        close(of("sex F against M", "grade=A"), -1.75, 0.5 - 0.2);
        close(of("sex F against M", "grade=C"), -1.25, 0.5);
        close(of("grade A against B", "sex=M"), 3.0, 0.25);
        close(of("grade C against B", "sex=F"), 4.75, 0.5);
        close(of("age per year", "sex=M"), 0.5, 0.25);
        close(of("age per year", "sex=F"), 0.6, 0.5);
    }

    #[test]
    fn a_regression_without_the_product_has_no_differences() {
        for left_out in ["sex:grade[F:C]", "sex[F]"] {
            let lines: Vec<Line> = lines().into_iter().filter(|line| line.term != left_out).collect();
            let covariance = DMatrix::identity(7, 7);
            let found = differences(&plan(), "y", &lines, &covariance, None);
            assert!(
                found.iter().all(|one| one.column == "sex" && one.term == "age" && left_out != "sex[F]"),
                "{found:?}"
            );
        }
    }

    #[test]
    fn what_is_withheld_gives_no_difference() {
        let mut lines = lines();
        lines[5].entry.interval = Interval::Withheld;
        let found = found(&lines);
        assert!(
            found.iter().all(|(name, at, ..)| !(name.starts_with("sex") && at == "grade=A")),
            "{found:?}"
        );
        assert!(found.iter().any(|(_, at, ..)| at == "grade=C"), "{found:?}");
    }
}
