//! The line of an outcome over one column, the others held, from a regression that was released (theory/inference 6.8).

use nalgebra::{DMatrix, DVector};

use super::differences::estimate;
use super::record::{Moved, Record, derived_columns, errors_to_a_side, expression};
use crate::model::{Estimate, Interval, Role};
use crate::plan::Plan;
use crate::plan::document::{Column, ColumnType, Transform};
use crate::release::effect::{PartialEffect, Point};
use crate::release::figure::{self, Line};
use crate::release::supplement::Description;

/// Steps of a line from one end of the bounds to the other, and as many on a logarithmic scale where the column's logarithm is taken.
const STEPS: u32 = 80;

/// Returns the columns over which a line can be drawn: numbers with stated bounds that are features, or of which a feature is made.
pub fn columns(plan: &Plan) -> Vec<String> {
    let derived = derived_columns(plan);
    let is_part = |place: usize| {
        let mut features = derived.iter().filter(|column| column.role == Role::Feature);
        features.any(|column| {
            expression(column).is_some_and(|of| of.leaves().iter().any(|leaf| leaf.column() == place))
        })
    };
    let fits = |(place, column): &(usize, &Column)| {
        column.kind == Some(ColumnType::Number)
            && column.stated_bounds().is_some()
            && (column.role == Role::Feature || is_part(*place))
    };
    plan.columns.iter().enumerate().filter(fits).filter_map(|(_, column)| column.name.clone()).collect()
}

/// Computes the line of a regression over a column, with its band where the covariance of the coefficients is given, in their order.
///
/// Other numbers are at their released means, those that count through a logarithm where that is at its mean, or else in the middle of their
/// stated bounds; categories are at their reference level.
pub fn partial_effect(
    plan: &Plan,
    lines: &[Line],
    log_odds: bool,
    covariance: Option<&DMatrix<f64>>,
    description: Option<&Description>,
    column: &str,
) -> Option<PartialEffect> {
    let (lower, upper) = range(plan, column)?;
    let record = Record::new(plan, description);
    // A level without a coefficient stays out of the record, as all levels but the reference do.
    let stays_out = |line: &&Line| {
        [lower, upper].into_iter().all(|at| record.term(&line.term, &Moved::number(column, at)) == Some(0.0))
    };
    let is_at_middle = |name: &String| {
        let bounds = figure::column(plan, name).and_then(|column| column.stated_bounds());
        name != column && bounds.is_some_and(|bounds| record.held(name, bounds).is_none())
    };
    let known = |line: &Line| line.entry.estimate.or_else(|| Some(line).filter(stays_out).map(|_| 0.0));
    let coefficients: Option<Vec<f64>> = lines.iter().map(known).collect();
    let coefficients = DVector::from_vec(coefficients?);
    let covariance = covariance.filter(|covariance| covariance.nrows() == lines.len());
    let band = covariance.zip(quantile(lines));
    let shown = |value: f64| if log_odds { 1.0 / (1.0 + libm::exp(-value)) } else { value };
    let point = |at: f64| {
        let values = record.terms(lines, &Moved::number(column, at))?;
        let value = values.dot(&coefficients);
        let span = band.map(|(covariance, quantile)| {
            let half = quantile * values.dot(&(covariance * &values)).max(0.0).sqrt();
            (shown(value - half), shown(value + half))
        });
        let finite = |value: f64| value.is_finite();
        let sound = finite(value) && span.is_none_or(|(low, high)| finite(low) && finite(high));
        sound.then(|| Point { at, value: shown(value), span })
    };
    Some(PartialEffect {
        column: column.to_owned(),
        points: places(plan, column, (lower, upper)).into_iter().map(point).collect::<Option<_>>()?,
        is_probability: log_odds,
        at_means: description.is_some(),
        at_middle: columns(plan).into_iter().filter(is_at_middle).collect(),
        is_approximate: lines.iter().any(|line| line.entry.interval == Interval::Approximate),
    })
}

/// Returns by how much an outcome, or its log-odds, differs between two values of a column, with the interval of this sum of coefficients, all
/// else held as along the line. Nothing where a value is outside the [`range`], both are the same, or a coefficient of the sum is withheld.
pub fn difference(
    plan: &Plan,
    lines: &[Line],
    covariance: &DMatrix<f64>,
    description: Option<&Description>,
    column: &str,
    values: [f64; 2],
) -> Option<Estimate> {
    let (lower, upper) = range(plan, column)?;
    if covariance.nrows() != lines.len() || !values.iter().all(|at| (lower..=upper).contains(at)) {
        return None;
    }
    let record = Record::new(plan, description);
    let [from, to] = values.map(|value| record.terms(lines, &Moved::number(column, value)));
    estimate(&(to? - from?), lines, covariance, errors_to_a_side(lines)?)
}

/// Returns the stated bounds of a column, without what lies outside the rows that count.
pub fn range(plan: &Plan, column: &str) -> Option<(f64, f64)> {
    let stated = figure::column(plan, column)?.stated_bounds()?;
    let conditions = plan.only.iter().filter(|condition| condition.column == column);
    let (lower, upper) = conditions.fold(stated, |(lower, upper), condition| {
        (
            condition.lower.map_or(lower, |own| own.max(lower)),
            condition.upper.map_or(upper, |own| own.min(upper)),
        )
    });
    Some(if lower < upper { (lower, upper) } else { stated })
}

/// Returns the values of a column at which its line is computed, rising: among them those that are marked on its axis or
/// listed.
fn places(plan: &Plan, column: &str, (lower, upper): (f64, f64)) -> Vec<f64> {
    let share = |step: u32| f64::from(step) / f64::from(STEPS);
    let mut places: Vec<f64> = (0..=STEPS).map(|step| lower + (upper - lower) * share(step)).collect();
    let logarithms = plan.derived.iter().filter(|term| term.transform == Transform::Log);
    if let Some(term) = logarithms.into_iter().find(|term| term.from.iter().any(|from| from == column)) {
        let offset = term.offset.unwrap_or_default();
        let (low, high) = (libm::log(lower + offset), libm::log(upper + offset));
        places.extend((1..STEPS).map(|step| libm::exp(low + (high - low) * share(step)) - offset));
        places.retain(|place| (lower..=upper).contains(place));
    }
    places.extend(figure::ticks(lower, upper));
    places.extend(figure::listed(lower, upper));
    places.sort_by(f64::total_cmp);
    places.dedup();
    places
}

/// Returns how many standard errors the intervals reach to either side. `None` if one is withheld.
fn quantile(lines: &[Line]) -> Option<f64> {
    let is_withheld = lines.iter().any(|line| line.entry.interval == Interval::Withheld);
    if is_withheld { None } else { errors_to_a_side(lines) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::INTERCEPT;
    use crate::plan::derived::{name_of, terms_of};
    use crate::plan::document::Condition;
    use crate::release::publication::tables;
    use crate::release::supplement::{Correlations, DescribedTerm, Noisy};

    fn plan() -> Plan {
        Plan::parse(
            r#"{"schema": "discreet.plan/1", "adjacency": "add-remove", "stated_rows": 100,
            "columns": [
                {"name": "x", "role": "feature", "type": "number", "lower": 0, "upper": 4},
                {"name": "z", "role": "feature", "type": "number", "lower": 10, "upper": 20},
                {"name": "sex", "role": "feature", "type": "category", "levels": ["F", "M"]},
                {"name": "y", "role": "outcome", "type": "number", "lower": 0, "upper": 9}],
            "derived": [{"transform": "square", "from": ["x"]}, {"transform": "product", "from": ["x", "z"]}],
            "mechanism": {"name": "analyze-gauss"}, "budget": {"epsilon": 1, "delta": 1e-6}}"#,
        )
        .unwrap()
    }

    fn lines() -> Vec<Line> {
        let plan = plan();
        let names = terms_of(&plan).into_iter().flat_map(|term| term.columns).map(|column| column.name);
        let terms = [INTERCEPT, "x", "z", "sex[M]"].map(str::to_owned).into_iter().chain(names);
        let line = |(term, estimate): (String, f64)| Line {
            term,
            per: String::new(),
            entry: Estimate::around(estimate, 0.5, 1.0),
            reach: None,
        };
        terms.zip([1.0, 2.0, 0.5, 7.0, -0.25, 0.1]).map(line).collect()
    }

    #[test]
    fn a_line_bends_with_the_terms_that_are_made_from_its_column() {
        let found = partial_effect(&plan(), &lines(), false, None, None, "x").unwrap();
        for Point { at, value, span } in &found.points {
            // z is in the middle of its bounds, and sex at its reference level.
            let expected = 1.0 + 2.0 * at + 0.5 * 15.0 - 0.25 * at * at + 0.1 * at * 15.0;
            assert!((value - expected).abs() < 1e-12 && span.is_none(), "{at}: {value}");
        }
        assert_eq!((found.points[0].at, found.points.last().unwrap().at), (0.0, 4.0));
        assert_eq!(columns(&plan()), ["x", "z"]);
    }

    /// Where a column counts through its logarithm alone, the logarithm's mean says where it is held, and its own line has points where it bends.
    #[test]
    fn a_column_is_held_where_its_logarithm_is_at_its_mean() {
        let plan = Plan::parse(
            r#"{"schema": "discreet.plan/1", "adjacency": "add-remove", "stated_rows": 100,
            "columns": [
                {"name": "x", "role": "feature", "type": "number", "lower": 0, "upper": 4},
                {"name": "dose", "role": "ignored", "type": "number", "lower": 0, "upper": 1000},
                {"name": "z", "role": "feature", "type": "number", "lower": 10, "upper": 20},
                {"name": "y", "role": "outcome", "type": "number", "lower": 0, "upper": 9}],
            "derived": [{"transform": "log", "from": ["dose"], "offset": 1}],
            "mechanism": {"name": "analyze-gauss"}, "budget": {"epsilon": 1, "delta": 1e-6}}"#,
        )
        .unwrap();
        let log = name_of(&plan.derived[0]);
        let line = |(term, estimate): (&str, f64)| Line {
            term: term.to_owned(),
            per: String::new(),
            entry: Estimate::around(estimate, 0.5, 1.0),
            reach: None,
        };
        let lines: Vec<Line> =
            [(INTERCEPT, 1.0), ("x", 2.0), ("z", 0.5), (log.as_str(), 3.0)].map(line).into();
        let known = |term: &str, mean: f64| DescribedTerm {
            term: term.to_owned(),
            mean: Noisy { value: mean, std_error: 0.1 },
            sd: None,
            level: None,
        };
        let description = Description {
            terms: vec![known("x", 1.0), known(&log, 2.5)],
            correlated: Vec::new(),
            correlations: Vec::new(),
            source: Correlations::Rows,
        };
        let found = partial_effect(&plan, &lines, false, None, Some(&description), "x").unwrap();
        let expected = 1.0 + 0.5 * 15.0 + 3.0 * 2.5;
        assert!((found.points[0].value - expected).abs() < 1e-9, "{}", found.points[0].value);
        assert_eq!(found.at_middle, ["z"], "no mean of z is released");
        assert!(found.note(&plan).contains("No mean of `z`"), "{}", found.note(&plan));
        let own = partial_effect(&plan, &lines, false, None, Some(&description), "dose").unwrap();
        assert!(own.points.is_sorted_by(|a, b| a.at <= b.at));
        assert_eq!(own.points.iter().filter(|point| point.at > 0.0 && point.at < 10.0).count(), 27);
    }

    /// Of x, x² and x·z, with z in the middle of its bounds, a step from 1 to 3 is 2, 8 and 30 units.
    #[test]
    fn a_step_between_two_values_has_the_interval_of_its_sum() {
        let mut covariance = DMatrix::identity(6, 6) * 0.25;
        (covariance[(1, 4)], covariance[(4, 1)]) = (-0.2, -0.2);
        let step = |lines: &[Line], values| difference(&plan(), lines, &covariance, None, "x", values);
        let found = step(&lines(), [1.0, 3.0]).unwrap();
        let close = |found: Option<f64>, expected: f64| (found.unwrap() - expected).abs() < 1e-12;
        assert!(close(found.estimate, 2.0 * 2.0 - 0.25 * 8.0 + 0.1 * 30.0), "{found:?}");
        let error = (0.25_f64 * (4.0 + 64.0 + 900.0) - 2.0 * 0.2 * 2.0 * 8.0).sqrt();
        assert!(close(found.std_error, error) && close(found.upper, 5.0 + 2.0 * error), "{found:?}");
        let back = step(&lines(), [3.0, 1.0]).unwrap();
        assert!(close(back.estimate, -5.0) && close(back.lower, -5.0 - 2.0 * error), "{back:?}");
        // It is what the line rises by.
        let line = partial_effect(&plan(), &lines(), false, None, None, "x").unwrap();
        let at =
            |place: f64| line.points.iter().find(|point| (point.at - place).abs() < 1e-12).unwrap().value;
        assert!(close(found.estimate, at(3.0) - at(1.0)));
        for outside in [[1.0, 4.5], [-1.0, 2.0], [2.0, 2.0], [f64::NAN, 1.0]] {
            assert_eq!(step(&lines(), outside), None, "{outside:?}");
        }
        let mut withheld = lines();
        withheld[4].entry.interval = Interval::Withheld;
        assert_eq!(step(&withheld, [1.0, 3.0]), None);
        withheld[4].entry.interval = Interval::Approximate;
        assert_eq!(step(&withheld, [1.0, 3.0]).unwrap().interval, Interval::Approximate);
    }

    #[test]
    fn the_band_has_the_variance_of_the_sum_of_all_coefficients() {
        let mut covariance = DMatrix::identity(6, 6) * 0.25;
        (covariance[(0, 1)], covariance[(1, 0)]) = (-0.1, -0.1);
        let found = partial_effect(&plan(), &lines(), false, Some(&covariance), None, "x").unwrap();
        for Point { at, value, span } in &found.points {
            let squares = 1.0 + at.powi(2) + 15.0_f64.powi(2) + at.powi(4) + (15.0 * at).powi(2);
            let half = 2.0 * (0.25 * squares - 0.2 * at).sqrt();
            let (low, high) = span.unwrap();
            assert!((low - (value - half)).abs() < 1e-9 && (high - (value + half)).abs() < 1e-9, "{at}");
        }
        // At 2 the line is 1 + 4 + 7.5 − 1 + 3, and its band reaches 33.8 to either side.
        let table = tables::effect(&plan(), "y", &found);
        assert_eq!(
            table.rows.iter().map(|row| row[0].as_str()).collect::<Vec<_>>(),
            ["0", "0.5", "1", "1.5", "2", "2.5", "3", "3.5", "4"]
        );
        assert_eq!(table.rows[4], ["2", "14", "−19 to 48"]);
        let csv = found.csv();
        let records: Vec<&str> = csv.lines().collect();
        assert_eq!((records.len(), records[0]), (found.points.len() + 1, "\u{feff}at,estimate,lower,upper"));
        assert!(records[1].starts_with("0,8.5,"), "{}", records[1]);
        let mut few = plan();
        few.only = vec![Condition { column: "x".to_owned(), lower: Some(1.5), ..Condition::default() }];
        let listed = |column: &str| {
            let found = partial_effect(&plan(), &lines(), false, Some(&covariance), None, column).unwrap();
            let rows = tables::effect(&plan(), "y", &found).rows;
            rows.into_iter().map(|row| row[0].clone()).collect::<Vec<_>>()
        };
        assert_eq!(listed("z"), ["10", "12", "14", "16", "18", "20"]);
        let of_few = partial_effect(&few, &lines(), false, Some(&covariance), None, "x").unwrap();
        let from = (of_few.points[0].at - 1.5).abs() < 1e-12;
        assert!(from && of_few.points.len() < found.points.len() + 1, "the line is of the rows that count");
        let odds = partial_effect(&plan(), &lines(), true, Some(&covariance), None, "z").unwrap();
        assert!(odds.points.iter().all(|point| (0.0..=1.0).contains(&point.value)), "probabilities");
        let mut rare = lines();
        rare[3].entry.estimate = None;
        assert!(partial_effect(&plan(), &rare, false, None, None, "x").is_some(), "a level that stays out");
        rare[2].entry.estimate = None;
        assert!(partial_effect(&plan(), &rare, false, None, None, "x").is_none(), "a number does not");
        let mut withheld = lines();
        withheld[2].entry.interval = Interval::Withheld;
        let found = partial_effect(&plan(), &withheld, false, Some(&covariance), None, "x").unwrap();
        assert!(
            found.points.iter().all(|point| point.span.is_none()),
            "no band where an interval is withheld"
        );
    }
}
