//! The line of an outcome over one column, the others held, from a regression that was released (theory/inference 6.8).

use nalgebra::{DMatrix, DVector};

use crate::model::{INTERCEPT, Interval, Role};
use crate::plan::Plan;
use crate::plan::bound::Source;
use crate::plan::derived::{DerivedColumn, terms_of};
use crate::plan::document::{Column, ColumnType};
use crate::plan::expression::{Expression, Leaf};
use crate::release::effect::{PartialEffect, Point};
use crate::release::figure::{self, Line};
use crate::release::supplement::Description;

/// Points of a line.
const POINTS: u32 = 80;

/// Returns the columns over which a line can be drawn: numbers with stated bounds that are features, or of which a feature is made.
#[must_use]
pub fn columns(plan: &Plan) -> Vec<String> {
    let derived = derived(plan);
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
/// Other numbers are at their released means, or in the middle of their stated bounds; categories are at their reference level.
#[must_use]
pub fn partial_effect(
    plan: &Plan,
    lines: &[Line],
    log_odds: bool,
    covariance: Option<&DMatrix<f64>>,
    description: Option<&Description>,
    column: &str,
) -> Option<PartialEffect> {
    let (lower, upper) = figure::column(plan, column)?.stated_bounds()?;
    let record = Record { plan, derived: derived(plan), description };
    // A level without a coefficient stays out of the record, as all levels but the reference do.
    let stays_out = |line: &&Line| {
        [lower, upper].into_iter().all(|at| record.term(&line.term, (column, at)) == Some(0.0))
    };
    let known = |line: &Line| line.entry.estimate.or_else(|| Some(line).filter(stays_out).map(|_| 0.0));
    let coefficients: Option<Vec<f64>> = lines.iter().map(known).collect();
    let coefficients = DVector::from_vec(coefficients?);
    let covariance = covariance.filter(|covariance| covariance.nrows() == lines.len());
    let band = covariance.zip(quantile(lines));
    let shown = |value: f64| if log_odds { 1.0 / (1.0 + libm::exp(-value)) } else { value };
    let point = |step: u32| {
        let at = lower + (upper - lower) * f64::from(step) / f64::from(POINTS);
        let values: Option<Vec<f64>> =
            lines.iter().map(|line| record.term(&line.term, (column, at))).collect();
        let values = DVector::from_vec(values?);
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
        points: (0..=POINTS).map(point).collect::<Option<_>>()?,
        is_probability: log_odds,
        at_means: description.is_some(),
    })
}

/// Returns how many standard errors the intervals reach to either side; nothing where one is withheld.
fn quantile(lines: &[Line]) -> Option<f64> {
    if lines.iter().any(|line| line.entry.interval == Interval::Withheld) {
        return None;
    }
    let widest = |line: &Line| Some((line.entry.upper? - line.entry.lower?, line.entry.std_error?));
    let (width, error) = lines.iter().find_map(widest).filter(|(_, error)| *error > 0.0)?;
    Some(width / (2.0 * error))
}

fn derived(plan: &Plan) -> Vec<DerivedColumn> {
    terms_of(plan).into_iter().flat_map(|term| term.columns).collect()
}

fn expression(column: &DerivedColumn) -> Option<Expression> {
    match column.source(|place| place) {
        Source::Computed(expression) => Some((*expression).clone()),
        Source::Field(_) | Source::Merged(_) => None,
    }
}

/// A record with one value that moves, the others held.
struct Record<'a> {
    plan: &'a Plan,
    derived: Vec<DerivedColumn>,
    description: Option<&'a Description>,
}

impl Record<'_> {
    /// Returns the value of a term; a level is 0 but for the reference level, which has no term.
    fn term(&self, term: &str, moved: (&str, f64)) -> Option<f64> {
        if term == INTERCEPT {
            return Some(1.0);
        }
        if let Some(column) = self.derived.iter().find(|column| column.name == term) {
            return expression(column)?.value(&|leaf| match leaf {
                Leaf::Number { column, lower, upper, .. } => {
                    let name = self.plan.columns.get(*column)?.name.as_deref()?;
                    Some(self.number(name, (*lower, *upper), moved).clamp(*lower, *upper))
                }
                Leaf::Level { .. } => Some(0.0),
            });
        }
        match figure::column(self.plan, term).filter(|found| found.kind == Some(ColumnType::Number)) {
            Some(found) => Some(self.number(term, found.stated_bounds()?, moved)),
            None => Some(0.0),
        }
    }

    fn number(&self, name: &str, (lower, upper): (f64, f64), (moved, at): (&str, f64)) -> f64 {
        if name == moved {
            return at;
        }
        let described = self.description.and_then(|all| all.terms.iter().find(|term| term.term == name));
        described.map_or(f64::midpoint(lower, upper), |term| term.mean.value.clamp(lower, upper))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Estimate;

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
            entry: Estimate {
                estimate: Some(estimate),
                std_error: Some(0.5),
                lower: Some(estimate - 1.0),
                upper: Some(estimate + 1.0),
                noise_share: None,
                interval: Interval::Normal,
            },
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
