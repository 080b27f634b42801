//! What a level or a unit of one column does at each level or some values of another, where a product lets it differ (theory/inference 6.11).

use nalgebra::{DMatrix, DVector};

use super::record::{Moved, Record, errors_to_a_side};
use crate::model::{Estimate, Interval, Role};
use crate::plan::Plan;
use crate::plan::derived::{name_of, roots};
use crate::plan::document::{Column, ColumnType, Derived, Transform};
use crate::release::figure::{self, Line};
use crate::release::format::short;
use crate::release::supplement::{Description, Difference, Weights};

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
            for (level, other_at) in places(plan, other, &record, description) {
                let at = |end: &Moved<'_>| {
                    let mut moved = end.clone();
                    moved.levels.extend(&other_at.levels);
                    moved.numbers.extend(&other_at.numbers);
                    record.terms(lines, &moved)
                };
                let (Some(from), Some(to)) = (at(&from), at(&to)) else { continue };
                let values = (to - from) / units;
                let Some(entry) = estimate(&values, lines, covariance, reach) else { continue };
                found.push(Difference {
                    outcome: outcome.to_owned(),
                    term: term.clone(),
                    per: per.clone(),
                    column: other.name.clone().unwrap_or_default(),
                    level,
                    entry,
                    weights: weights(&values, lines),
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

/// Returns where the other column of a pair is, each place with its name: a category at each level; a number at its released mean and one
/// released standard deviation to either side, or else in the middle of its stated bounds. The numbers are rounded as they are named.
fn places<'a>(
    plan: &Plan,
    other: &'a Column,
    record: &Record<'_>,
    description: Option<&Description>,
) -> Vec<(String, Moved<'a>)> {
    let Some(name) = other.name.as_deref() else { return Vec::new() };
    if other.kind == Some(ColumnType::Category) {
        let levels = other.levels.iter().flatten();
        let at = |level: &'a String| Moved { numbers: Vec::new(), levels: vec![(name, level.as_str())] };
        return levels.map(|level| (level.clone(), at(level))).collect();
    }
    let Some((lower, upper)) = other.stated_bounds() else { return Vec::new() };
    let mean = record.held(name, (lower, upper));
    // Less a constant it has the same standard deviation.
    let less = plan.derived.iter().filter(|entry| entry.transform == Transform::Centred);
    let less = less.filter(|entry| entry.from.first().is_some_and(|from| from == name)).map(name_of);
    let mut sds = std::iter::once(name.to_owned()).chain(less);
    let sd = description.and_then(|description| sds.find_map(|term| description.sd(&term)));
    let sd = sd.filter(|sd| mean.is_some() && sd.value > 0.0).map(|sd| sd.value);
    let unit = libm::exp10(libm::floor(libm::log10(sd.unwrap_or(upper - lower))) - 1.0);
    let middle = mean.unwrap_or_else(|| f64::midpoint(lower, upper));
    let away: &[f64] = if sd.is_some() { &[-1.0, 0.0, 1.0] } else { &[0.0] };
    let mut values: Vec<f64> = away.iter().map(|sds| middle + sds * sd.unwrap_or(0.0)).collect();
    values.iter_mut().for_each(|value| *value = (libm::round(*value / unit) * unit).clamp(lower, upper));
    values.dedup();
    let own_unit = other.unit.as_deref().unwrap_or_default();
    let named = |value: f64| format!("{} {own_unit}", short(value, 6)).trim_end().to_owned();
    values.into_iter().map(|value| (named(value), Moved::number(name, value))).collect()
}

/// Returns the pairs of columns whose product is a feature, the second of each a category, or a number if the first is a category or is 0 or 1. A
/// number moves through products and terms less a constant alone: along a square, say, a unit is not the same everywhere.
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
    let is_yes_or_no = |column: &Column| column.stated_bounds() == Some((0.0, 1.0));
    let fits = |own: &Column, other: &Column| {
        fits(own) && if is_category(other) { fits(other) } else { is_category(own) || is_yes_or_no(own) }
    };
    let mut pairs = Vec::new();
    for product in features().filter(|entry| entry.transform == Transform::Product) {
        let [one, other] = product.from.as_slice() else { continue };
        let (Some(one), Some(other)) = (column(one), column(other)) else { continue };
        let both = [(one, other), (other, one)];
        pairs.extend(both.into_iter().filter(|(own, other)| fits(own, other)));
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

/// Returns what each coefficient of a sum is multiplied by.
pub(super) fn weights(values: &DVector<f64>, lines: &[Line]) -> Weights {
    let used = lines.iter().zip(values.iter()).filter(|(_, value)| **value != 0.0);
    used.map(|(line, value)| (line.term.clone(), *value)).collect()
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
    use crate::release::supplement::{Correlations, DescribedTerm, Noisy};

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
        // Without a mean a number is in the middle of its bounds.
        close(of("sex F against M", "age=50 years"), -2.0, 0.25);
        assert_eq!(found.iter().filter(|(_, at, ..)| at.starts_with("age=")).count(), 1);
    }

    #[test]
    fn a_number_with_a_known_mean_is_there_and_one_standard_deviation_away() {
        let known = |term: &str, mean: f64, sd: f64| DescribedTerm {
            term: term.to_owned(),
            mean: Noisy { value: mean, std_error: 0.1 },
            sd: Some(Noisy { value: sd, std_error: 0.1 }),
            level: None,
        };
        let values = |terms: Vec<DescribedTerm>| {
            let of = Description {
                terms,
                correlated: Vec::new(),
                correlations: Vec::new(),
                source: Correlations::Rows,
            };
            let found = differences(&plan(), "y", &lines(), &DMatrix::identity(8, 8), Some(&of));
            let at_age = found.into_iter().filter(|one| one.term == "sex[F]" && one.column == "age");
            at_age.map(|one| (one.level, one.entry.estimate.unwrap())).collect::<Vec<_>>()
        };
        let close = |found: &[(String, f64)], expected: &[(&str, f64)]| {
            assert_eq!(found.len(), expected.len(), "{found:?}");
            for ((name, value), (expected_name, expected)) in found.iter().zip(expected) {
                assert!(name == expected_name && (value - expected).abs() < 1e-9, "{found:?}");
            }
        };
        // The effect is −2 at 50 and grows by 0.1 per year.
        let of_age = values(vec![known("age", 61.234, 9.876)]);
        close(&of_age, &[("51.4 years", -1.86), ("61.2 years", -0.88), ("71.1 years", 0.11)]);
        let of_less = values(vec![known("age - 50", 11.234, 9.876)]);
        close(&of_less, &[("51.4 years", -1.86), ("61.2 years", -0.88), ("71.1 years", 0.11)]);
        // Beyond the bounds nothing is known.
        close(&values(vec![known("age", 75.0, 9.0)])[2..], &[("80 years", 1.0)]);
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
