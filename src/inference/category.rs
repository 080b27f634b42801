//! Tests of several coefficients together, of a category, a term or all terms of a column, from these with their covariance (theory/inference
//! 6.3).

use std::cell::LazyCell;

use nalgebra::{DMatrix, DVector};

use super::design::Design;
use super::moments::NoisyMoments;
use super::options::{Options, Ridge};
use super::refit::public_rows;
use crate::math::linalg::Cholesky;
use crate::model::{Coefficient, INTERCEPT, Interval, Role};
use crate::plan::derived::{all_columns, roots, terms_of};
use crate::plan::document::{Column, ColumnType};
use crate::release::document::Coefficients;
use crate::release::reduced::column_of;
use crate::release::significance::{CategoryTest, Tests};
use crate::release::{Release, figure};

/// Returns the tests of one outcome's groups of terms, given the covariance of its coefficients in their order; nothing for a group with a
/// coefficient without an interval.
pub fn tests(groups: &[Group], entries: &[Coefficient], covariance: &DMatrix<f64>) -> Vec<CategoryTest> {
    let tests = groups.iter().filter_map(|Group { column, together, terms }| {
        let places: Vec<usize> =
            (0..entries.len()).filter(|place| terms.contains(&entries[*place].term)).collect();
        let entry = |place: &usize| entries[*place].entry();
        let known = places.iter().all(|place| {
            let entry = entry(place);
            entry.interval != Interval::Withheld && entry.noise_share.is_some_and(|share| share < 1.0)
        });
        if places.len() < 2 || !known || covariance.nrows() != entries.len() {
            return None;
        }
        let b: Option<Vec<f64>> = places.iter().map(|place| entry(place).estimate).collect();
        let b = DVector::from_vec(b?);
        let v = DMatrix::from_fn(places.len(), places.len(), |i, j| covariance[(places[i], places[j])]);
        let statistic = Cholesky::try_new(&v).ok()?.solve_lower(&b).norm_squared();
        Some(CategoryTest {
            outcome: entries.first()?.outcome.clone(),
            column: column.clone(),
            together: together.clone(),
            terms: places.iter().map(|place| entries[*place].term.clone()).collect(),
            statistic,
            degrees: places.len(),
            p: CategoryTest::tail(statistic, places.len()),
            approximate: places.iter().any(|place| entry(place).interval == Interval::Approximate),
        })
    });
    tests.collect()
}

/// What is tested together.
pub struct Group {
    /// A category, a term made from columns, or a column.
    column: String,
    /// Of a column the features that are it or made from it; nothing for a category or a term.
    together: Vec<String>,
    /// The terms of its coefficients.
    terms: Vec<String>,
}

/// Returns what has several coefficients in a release: categories, terms made from columns, and columns that several features are, or are made
/// from. None where nothing is tested.
pub fn groups(release: &Release) -> Vec<Group> {
    if matches!(release.coefficients, Coefficients::Table(_)) || Tests::of(release).absent().is_some() {
        return Vec::new();
    }
    let plan = &release.plan;
    let columns = all_columns(plan).into_iter().filter(|column| column.role == Role::Feature);
    let of_category = |column: Column| {
        let (name, levels) = (column.name?, column.levels?);
        let terms = levels.iter().map(|level| format!("{name}[{level}]")).collect();
        let several = column.kind == Some(ColumnType::Category) && levels.len() > 2;
        several.then_some(Group { column: name, together: Vec::new(), terms })
    };
    let made = terms_of(plan).into_iter().filter(|term| term.columns.len() > 1).map(|term| {
        let terms = term.columns.into_iter().map(|column| column.name).collect();
        Group { column: term.name, together: Vec::new(), terms }
    });
    columns.filter_map(of_category).chain(made).chain(of_columns(release)).collect()
}

/// Returns the columns that several features of a regression are, or are made from. One on some of a release's features has those alone.
fn of_columns(release: &Release) -> Vec<Group> {
    let plan = &release.plan;
    let mut found: Vec<Group> = Vec::new();
    if plan.derived.is_empty() {
        return found;
    }
    for term in figure::terms(release).into_iter().filter(|term| term != INTERCEPT) {
        let feature = column_of(plan, &term);
        for root in roots(plan, &feature) {
            let place = found.iter().position(|group| group.column == root).unwrap_or_else(|| {
                found.push(Group { column: root, together: Vec::new(), terms: Vec::new() });
                found.len() - 1
            });
            if let Some(group) = found.get_mut(place) {
                if !group.together.contains(&feature) {
                    group.together.push(feature.clone());
                }
                group.terms.push(term.clone());
            }
        }
    }
    found.retain(|group| group.together.len() > 1);
    found
}

/// Returns the covariance of each outcome's coefficients of a release of second moments, in their order; nothing where it is not known.
pub fn covariances(release: &Release) -> impl Iterator<Item = Option<DMatrix<f64>>> {
    let moments = LazyCell::new(|| unwhitened(release));
    release.coefficients.by_outcome().map(move |entries| covariance(release, moments.as_ref()?, entries))
}

/// Returns the moments of a release whose rows were not whitened.
fn unwhitened(release: &Release) -> Option<NoisyMoments> {
    let moments = NoisyMoments::from_released(release.moments.as_ref()?, &release.plan).ok()?;
    moments.whitening().is_none().then_some(moments)
}

fn covariance(release: &Release, moments: &NoisyMoments, entries: &[Coefficient]) -> Option<DMatrix<f64>> {
    let intercept = release.plan.intercept.unwrap_or(true);
    let outcome = moments.index(&entries.first()?.outcome)?;
    let predictors: Option<Vec<usize>> =
        entries.iter().skip(usize::from(intercept)).map(|entry| moments.index(&entry.term)).collect();
    let options = Options {
        ridge: Ridge::None,
        confidence: release.plan.interval_level(),
        rows: public_rows(&release.plan, moments),
        ..Options::default()
    };
    let design = Design::try_new(moments, &predictors?, &[outcome], intercept, options).ok()?;
    let covariance = design.covariance(outcome)?;
    has_errors(&covariance, entries).then_some(covariance)
}

/// Returns whether a covariance is that of released coefficients: its diagonal has to be their squared standard errors.
pub fn has_errors(covariance: &DMatrix<f64>, entries: &[Coefficient]) -> bool {
    covariance.nrows() == entries.len()
        && entries.iter().zip(covariance.diagonal().iter()).all(|(entry, variance)| {
            entry.std_error.is_some_and(|error| (error * error - variance).abs() <= 1e-4 * variance)
        })
}
