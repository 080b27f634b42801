//! The levels of a category compared: the outcome at each of them with all else held, and the difference between each two (theory/inference
//! 6.12).

use nalgebra::{DMatrix, DVector};

use super::differences::{estimate, weights};
use super::record::{Moved, Record, errors_to_a_side};
use crate::model::{Role, level_of};
use crate::plan::Plan;
use crate::plan::derived::{all_columns, name_of, roots};
use crate::plan::document::{Column, ColumnType, Transform};
use crate::release::figure::Line;
use crate::release::supplement::{ComparedLevels, Description, LevelMean, LevelPair};

/// Most levels of a category that are compared.
const MOST_LEVELS: usize = 12;

/// Returns the categories of an outcome's regression, given its coefficients with their covariance, in their order. One that is part of a
/// product is left out, because its differences depend on another column (theory/inference 6.11), and so is one without all its coefficients.
pub fn compared(
    plan: &Plan,
    outcome: &str,
    lines: &[Line],
    covariance: &DMatrix<f64>,
    description: Option<&Description>,
) -> Vec<ComparedLevels> {
    let Some(reach) = errors_to_a_side(lines).filter(|_| covariance.nrows() == lines.len()) else {
        return Vec::new();
    };
    let record = Record::new(plan, description);
    let held = record.values(lines.iter().map(|line| line.term.as_str()));
    let compared =
        all_columns(plan).into_iter().filter(|column| is_alone(plan, lines, column)).filter_map(|column| {
            let reference = column.reference_level()?.clone();
            let (name, levels) = (column.name?, column.levels?);
            let has_line = |level: &String| {
                let term = format!("{name}[{level}]");
                *level == reference || lines.iter().any(|line| line.term == term)
            };
            if levels.len() > MOST_LEVELS || !levels.iter().all(has_line) {
                return None;
            }
            let at = |level: &String| {
                let moved = Moved { levels: vec![(&name, level)], ..Moved::default() };
                record.terms(lines, &moved)
            };
            let records: Vec<DVector<f64>> = levels.iter().map(at).collect::<Option<_>>()?;
            let of = |values: &DVector<f64>| estimate(values, lines, covariance, reach);
            let means = levels.iter().cloned().zip(&records).filter_map(|(level, own)| {
                Some(LevelMean { level, entry: of(own)?, weights: weights(own, lines) })
            });
            let places = (0..levels.len())
                .flat_map(|against| (against + 1..levels.len()).map(move |own| (own, against)));
            let pairs = places.filter(|_| levels.len() > 2).filter_map(|(own, against)| {
                let values = &records[own] - &records[against];
                let [level, against] = [own, against].map(|place| levels[place].clone());
                Some(LevelPair { level, against, entry: of(&values)?, weights: weights(&values, lines) })
            });
            let (means, pairs) = (means.collect(), pairs.collect());
            Some(ComparedLevels {
                outcome: outcome.to_owned(),
                column: name,
                held: held.clone(),
                means,
                pairs,
            })
        });
    compared.filter(|found| !found.means.is_empty()).collect()
}

/// Returns whether a column is a category among the features, and in no product of the regression.
fn is_alone(plan: &Plan, lines: &[Line], column: &Column) -> bool {
    let has = |name: &str| lines.iter().any(|line| line.term == name || level_of(&line.term, name).is_some());
    let is_part = |name: &String| {
        let mut products =
            plan.derived_with(Role::Feature).filter(|term| term.transform == Transform::Product);
        products.any(|product| {
            let product_name = name_of(product);
            has(&product_name) && (roots(plan, &product_name).contains(name) || product.from.contains(name))
        })
    };
    column.role == Role::Feature
        && column.kind == Some(ColumnType::Category)
        && column.name.as_ref().is_some_and(|name| !is_part(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Estimate, INTERCEPT, Interval};

    fn plan(derived: &str) -> Plan {
        Plan::parse(&format!(
            r#"{{"schema": "discreet.plan/1", "adjacency": "add-remove", "stated_rows": 100,
            "columns": [
                {{"name": "age", "role": "feature", "type": "number", "lower": 20, "upper": 80}},
                {{"name": "arm", "role": "feature", "type": "category", "levels": ["none", "app", "face"]}},
                {{"name": "y", "role": "outcome", "type": "number", "lower": 0, "upper": 9}}],
            "derived": [{derived}],
            "mechanism": {{"name": "analyze-gauss"}}, "budget": {{"epsilon": 1, "delta": 1e-6}}}}"#
        ))
        .unwrap()
    }

    fn lines(more: &[(&str, f64)]) -> Vec<Line> {
        let line = |(term, estimate): &(&str, f64)| Line {
            term: (*term).to_owned(),
            per: String::new(),
            entry: Estimate::around(*estimate, 0.5, 1.0),
            reach: None,
        };
        let own = [(INTERCEPT, 1.0), ("age", 0.1), ("arm[app]", -2.0), ("arm[face]", -3.0)];
        own.iter().chain(more).map(line).collect()
    }

    #[test]
    fn each_two_levels_differ_by_their_coefficients_and_each_has_its_mean() {
        let mut covariance = DMatrix::identity(4, 4) * 0.25;
        (covariance[(2, 3)], covariance[(3, 2)]) = (0.1, 0.1);
        let found = compared(&plan(""), "y", &lines(&[]), &covariance, None);
        let [arm] = found.as_slice() else { panic!("{found:?}") };
        let close = |found: Option<f64>, expected: f64| (found.unwrap() - expected).abs() < 1e-12;
        // Age is in the middle of its bounds.
        assert_eq!(arm.held, [("age".to_owned(), 50.0)]);
        let means: Vec<&str> = arm.means.iter().map(|mean| mean.level.as_str()).collect();
        assert_eq!(means, ["none", "app", "face"]);
        assert!(close(arm.means[2].entry.estimate, 1.0 + 5.0 - 3.0));
        assert!(close(arm.means[2].entry.std_error, (0.25_f64 * (1.0 + 2_500.0 + 1.0)).sqrt()));
        let pairs: Vec<(&str, &str)> =
            arm.pairs.iter().map(|pair| (pair.level.as_str(), pair.against.as_str())).collect();
        assert_eq!(pairs, [("app", "none"), ("face", "none"), ("face", "app")]);
        let [.., third] = arm.pairs.as_slice() else { panic!("{arm:?}") };
        let error = (0.25_f64 + 0.25 - 2.0 * 0.1).sqrt();
        assert!(close(third.entry.estimate, -1.0) && close(third.entry.std_error, error));
        assert!(close(third.entry.upper, -1.0 + 2.0 * error), "{third:?}");
    }

    #[test]
    fn a_level_that_is_withheld_or_left_out_or_in_a_product_is_not_compared() {
        let covariance = DMatrix::identity(4, 4) * 0.25;
        let mut withheld = lines(&[]);
        withheld[3].entry.interval = Interval::Withheld;
        let found = compared(&plan(""), "y", &withheld, &covariance, None);
        assert_eq!((found[0].means.len(), found[0].pairs.len()), (2, 1), "{found:?}");
        let fewer = lines(&[]).into_iter().take(3).collect::<Vec<_>>();
        assert!(compared(&plan(""), "y", &fewer, &DMatrix::identity(3, 3), None).is_empty());
        let product = plan(r#"{"transform": "product", "from": ["age", "arm"]}"#);
        let all = lines(&[("age:arm[app]", 0.1), ("age:arm[face]", 0.1)]);
        assert!(compared(&product, "y", &all, &DMatrix::identity(6, 6), None).is_empty());
    }
}
