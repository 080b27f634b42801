//! The public second moment that records are whitened by, repaired where it cannot be inverted (theory/public-moments 1.5).

use std::collections::HashMap;

use nalgebra::{DMatrix, DVector};

use super::super::error::{MOST_LISTED, PlanError};
use super::document::PublicTable;
use crate::math::jacobi_svd::JacobiSvd;
use crate::math::linalg::{Cholesky, Eigen};
use crate::model::INTERCEPT;
use crate::text::listing;
use crate::words;

/// Most terms of a whitener, the constant included: its roots take a time that grows with their cube.
pub const MOST_GUIDED_TERMS: usize = 512;

/// Rows for each term below which correlations are mixed with the identity.
const ROWS_PER_TERM: u64 = 5;

/// α, the share of the identity in that mixture.
const MIXED: f64 = 0.1;

/// The smallest eigenvalue that the correlations may have, as a share of the largest.
const LEAST_EIGENVALUE: f64 = 1e-10;

/// Condition number, in units in which every term has the second moment 1, above which a note warns.
const NEARLY_SINGULAR: f64 = 1e12;

/// How near to 1 the correlation of two terms is that say the same.
const COPY: f64 = 1.0 - 1e-12;

/// The public moments of a plan's columns, in the columns' own units, with the roots of their second moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Whitener {
    /// The constant where there is one, then the features in the plan's order.
    pub terms: Vec<String>,
    /// Public rows.
    pub rows: u64,
    /// M, the second moment about zero of the terms, repaired: d by d, positive definite.
    pub moment: DMatrix<f64>,
    /// M^(1/2), symmetric.
    pub root: DMatrix<f64>,
    /// M^(-1/2), symmetric.
    pub inverse_root: DMatrix<f64>,
    /// M⁻¹.
    pub inverse: DMatrix<f64>,
    /// The outcomes in the plan's order; `None` for one that the public data do not have.
    pub outcomes: Vec<Option<PublicOutcome>>,
    /// What was repaired, and warnings.
    pub notes: Vec<String>,
}

/// The public moments of an outcome, in its own unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PublicOutcome {
    /// Its mean.
    pub mean: f64,
    /// The mean of its square: mean² + (rows − 1)/rows sd².
    pub second: f64,
}

impl PublicOutcome {
    /// Returns its standard deviation with the divisor rows.
    pub fn spread(&self) -> f64 {
        (self.second - self.mean * self.mean).max(0.0).sqrt()
    }
}

impl Whitener {
    /// Computes the moments of `features`, with the constant first if `intercept`, and of `outcomes`.
    ///
    /// M = m m′ + D C D, where D has the standard deviations with the divisor rows and C is the correlation; the constant has the mean
    /// 1 and no deviation. With fewer than 5 rows for each term C is mixed with the identity, α = 0.1; then its eigenvalues are
    /// raised to 1e-10 of the largest. Both are done to C and not to M, so that neither the units of the columns nor how far
    /// their means are from zero changes what is repaired. Every field holds the repaired M.
    ///
    /// # Errors
    /// [`PlanError`] for a table that fails its check, for a feature that it lacks, for two features that are copies of each other,
    /// and for more than 512 terms.
    pub fn new(
        table: &PublicTable,
        features: &[String],
        outcomes: &[String],
        intercept: bool,
    ) -> Result<Self, PlanError> {
        table.check()?;
        let places = Places::new(table);
        let found = places.features(features)?;
        let d = features.len() + usize::from(intercept);
        if d == 0 || d > MOST_GUIDED_TERMS {
            return Err(PlanError::at(
                "columns",
                words::public_table::terms_many(d),
                words::public_table::terms_many_advice(MOST_GUIDED_TERMS),
            ));
        }
        refuse_copies(table, &found)?;
        let mut notes = Vec::new();
        let correlation = conditioned(table, &found, d, &mut notes)?;
        let terms =
            intercept.then(|| INTERCEPT.to_owned()).into_iter().chain(features.iter().cloned()).collect();
        let factor = factor(table, &found, &correlation, intercept)?;
        let svd = JacobiSvd::try_new(factor).map_err(|_| singular())?;
        let whitener = Self {
            terms,
            rows: table.rows,
            moment: second_moment(table, &found, &correlation, intercept),
            root: svd.power(0.5),
            inverse_root: svd.power(-0.5),
            inverse: svd.power(-1.0),
            outcomes: outcomes.iter().map(|name| places.outcome(name)).collect(),
            notes,
        };
        whitener.settle()
    }

    /// Says how near to singular M is, and refuses numbers that are none.
    fn settle(mut self) -> Result<Self, PlanError> {
        let all = [&self.moment, &self.root, &self.inverse_root, &self.inverse];
        if all.iter().any(|matrix| matrix.iter().any(|entry| !entry.is_finite())) {
            return Err(singular());
        }
        let scaled = DMatrix::from_fn(self.moment.nrows(), self.moment.ncols(), |row, column| {
            self.moment[(row, column)] / self.moment[(row, row)].sqrt() / self.moment[(column, column)].sqrt()
        });
        let eigen = Eigen::try_new(&scaled).map_err(|_| singular())?;
        if eigen.smallest() * NEARLY_SINGULAR < eigen.largest() {
            self.notes.push(words::note::nearly_singular().into());
        }
        Ok(self)
    }
}

/// Where the terms of a public table are.
struct Places<'a> {
    table: &'a PublicTable,
    by_name: HashMap<&'a str, usize>,
}

impl<'a> Places<'a> {
    fn new(table: &'a PublicTable) -> Self {
        let by_name =
            table.terms.iter().enumerate().map(|(place, term)| (term.term.as_str(), place)).collect();
        Self { table, by_name }
    }

    fn features(&self, names: &[String]) -> Result<Vec<usize>, PlanError> {
        let place = |name: &String| {
            self.by_name.get(name.as_str()).copied().ok_or_else(|| {
                let has = self.table.terms.iter().map(|term| term.term.as_str());
                PlanError::at(
                    "public.terms",
                    words::public_table::missing(name),
                    words::public_table::missing_advice(listing(has, MOST_LISTED)),
                )
            })
        };
        names.iter().map(place).collect()
    }

    fn outcome(&self, name: &str) -> Option<PublicOutcome> {
        let term = self.table.terms.get(*self.by_name.get(name)?)?;
        let spread = self.table.spread(term);
        Some(PublicOutcome { mean: term.mean, second: term.mean * term.mean + spread * spread })
    }
}

fn refuse_copies(table: &PublicTable, places: &[usize]) -> Result<(), PlanError> {
    for (at, &row) in places.iter().enumerate() {
        for &column in places.iter().take(at) {
            if table.correlation[row][column].abs() >= COPY {
                return Err(PlanError::at(
                    format!("public.correlation[{row}][{column}]"),
                    words::public_table::copies(&table.terms[column].term, &table.terms[row].term),
                    words::public_table::copies_advice(),
                ));
            }
        }
    }
    Ok(())
}

/// Returns the correlations of the features as they are given.
fn correlation(table: &PublicTable, places: &[usize]) -> DMatrix<f64> {
    DMatrix::from_fn(places.len(), places.len(), |row, column| {
        let (row, column) = (row.max(column), row.min(column));
        if row == column { 1.0 } else { table.correlation[places[row]][places[column]].clamp(-1.0, 1.0) }
    })
}

/// Returns the correlations as they are used: positive definite.
fn conditioned(
    table: &PublicTable,
    places: &[usize],
    d: usize,
    notes: &mut Vec<String>,
) -> Result<DMatrix<f64>, PlanError> {
    let mut matrix = correlation(table, places);
    if matrix.is_empty() {
        return Ok(matrix);
    }
    if table.rows < ROWS_PER_TERM * d as u64 {
        matrix *= 1.0 - MIXED;
        matrix.fill_diagonal(1.0);
        notes.push(words::note::few_public_rows(table.rows, d, ROWS_PER_TERM));
    }
    let eigen = Eigen::try_new(&matrix).map_err(|_| singular())?;
    let least = LEAST_EIGENVALUE * eigen.largest();
    if eigen.smallest() < least {
        let raised = eigen.values.iter().filter(|value| **value < least).count();
        matrix = eigen.map(|value| value.max(least));
        notes.push(words::note::correlations_raised(raised, raised));
    }
    Ok(matrix)
}

fn spreads(table: &PublicTable, places: &[usize]) -> (DVector<f64>, DVector<f64>) {
    let terms = || places.iter().map(|&place| &table.terms[place]);
    (
        DVector::from_iterator(places.len(), terms().map(|term| term.mean)),
        DVector::from_iterator(places.len(), terms().map(|term| table.spread(term))),
    )
}

/// Returns M = m m′ + D C D with the constant first, for correlations C of the terms at `places`.
fn second_moment(
    table: &PublicTable,
    places: &[usize],
    correlation: &DMatrix<f64>,
    intercept: bool,
) -> DMatrix<f64> {
    let (means, spreads) = spreads(table, places);
    let first = usize::from(intercept);
    let size = places.len() + first;
    let mean = |term: usize| if term < first { 1.0 } else { means[term - first] };
    DMatrix::from_fn(size, size, |row, column| {
        let varies = if row < first || column < first {
            0.0
        } else {
            let (row, column) = (row - first, column - first);
            spreads[row] * correlation[(row, column)] * spreads[column]
        };
        mean(row) * mean(column) + varies
    })
}

/// Returns H with M = H′H: the means, and below them L′D for C = L L′. So no mean is subtracted from a second moment.
fn factor(
    table: &PublicTable,
    places: &[usize],
    correlation: &DMatrix<f64>,
    intercept: bool,
) -> Result<DMatrix<f64>, PlanError> {
    let (means, spreads) = spreads(table, places);
    let first = usize::from(intercept);
    let mut h = DMatrix::zeros(places.len() + 1, places.len() + first);
    if intercept {
        h[(0, 0)] = 1.0;
    }
    for (column, &mean) in means.iter().enumerate() {
        h[(0, column + first)] = mean;
    }
    if places.is_empty() {
        return Ok(h);
    }
    let cholesky = Cholesky::try_new(correlation).map_err(|_| singular())?;
    for (row, lower) in cholesky.lower().row_iter().enumerate() {
        for (column, entry) in lower.iter().enumerate().take(row + 1) {
            h[(column + 1, row + first)] = entry * spreads[row];
        }
    }
    Ok(h)
}

fn singular() -> PlanError {
    PlanError::at(
        "public.correlation",
        words::public_table::singular(),
        words::public_table::singular_advice(),
    )
}

/// Returns M of `features` as the table gives it, without any repair.
///
/// # Errors
/// [`PlanError`] for a feature that the table lacks.
pub fn unconditioned(
    table: &PublicTable,
    features: &[String],
    intercept: bool,
) -> Result<DMatrix<f64>, PlanError> {
    table.check()?;
    let found = Places::new(table).features(features)?;
    Ok(second_moment(table, &found, &correlation(table, &found), intercept))
}

#[cfg(test)]
mod tests {
    use super::super::document::{PublicTerm, SCHEMA};
    use super::*;

    fn table(rows: u64, terms: &[(&str, f64, f64)], correlation: &[&[f64]]) -> PublicTable {
        PublicTable {
            schema: SCHEMA.to_owned(),
            source: "a test".to_owned(),
            rows,
            terms: terms
                .iter()
                .map(|&(term, mean, sd)| PublicTerm { term: term.to_owned(), mean, sd: Some(sd) })
                .collect(),
            correlation: correlation.iter().map(|row| row.to_vec()).collect(),
        }
    }

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn near_identity(matrix: &DMatrix<f64>) -> f64 {
        (matrix - DMatrix::identity(matrix.nrows(), matrix.ncols())).amax()
    }

    #[test]
    fn the_constant_comes_first_and_terms_are_found_by_name() {
        let table = table(
            100,
            &[("y", 7.0, 2.0), ("b", -3.0, 1.0), ("a", 50.0, 10.0)],
            &[&[1.0, 0.1, 0.2], &[0.1, 1.0, 0.5], &[0.2, 0.5, 1.0]],
        );
        let whitener = Whitener::new(&table, &names(&["a", "b"]), &names(&["y", "z"]), true).unwrap();
        assert_eq!(whitener.terms, names(&[INTERCEPT, "a", "b"]));
        let share: f64 = 0.99;
        let expected = DMatrix::from_row_slice(
            3,
            3,
            &[
                1.0,
                50.0,
                -3.0,
                50.0,
                2500.0 + 100.0 * share,
                -150.0 + 5.0 * share,
                -3.0,
                -150.0 + 5.0 * share,
                9.0 + share,
            ],
        );
        assert!((&whitener.moment - expected).amax() < 1e-12);
        let y = whitener.outcomes[0].unwrap();
        assert!((y.second - (49.0 + 4.0 * share)).abs() < 1e-12 && (y.mean - 7.0).abs() < 1e-15);
        assert_eq!(whitener.outcomes[1], None);
        assert!(whitener.notes.is_empty());
        assert!(near_identity(&(&whitener.inverse_root * &whitener.moment * &whitener.inverse_root)) < 1e-10);
        assert!((&whitener.root * &whitener.root - &whitener.moment).amax() < 1e-10);
        assert!(near_identity(&(&whitener.inverse * &whitener.moment)) < 1e-9);
        let without = Whitener::new(&table, &names(&["a", "b"]), &[], false).unwrap();
        assert!((without.moment - whitener.moment.view((1, 1), (2, 2))).amax() < 1e-12);
        let constant = Whitener::new(&table, &[], &[], true).unwrap();
        assert_eq!(constant.moment, DMatrix::identity(1, 1));
    }

    #[test]
    fn few_rows_and_impossible_correlations_are_repaired_and_said() {
        let terms = [("a", 1e6, 3.0), ("b", 0.0, 1e-6), ("c", -2.0, 40.0)];
        let possible: [&[f64]; 3] = [&[1.0, 0.5, 0.2], &[0.5, 1.0, 0.1], &[0.2, 0.1, 1.0]];
        let features = names(&["a", "b", "c"]);
        let few = Whitener::new(&table(19, &terms, &possible), &features, &[], true).unwrap();
        assert_eq!(few.notes.len(), 1, "{:?}", few.notes);
        // The mean of a, far from zero for how little it varies, stays what it is: only the relation of a and c is weaker.
        let share = 18.0 / 19.0;
        assert!((few.moment[(0, 1)] - 1e6).abs() < 1e-6);
        assert!((few.moment[(1, 3)] - (-2e6 + 0.9 * 0.2 * 120.0 * share)).abs() < 1e-8);
        assert!((few.moment[(3, 3)] - (4.0 + 1600.0 * share)).abs() < 1e-10);
        let enough = Whitener::new(&table(20, &terms, &possible), &features, &[], true).unwrap();
        assert!(enough.notes.is_empty(), "{:?}", enough.notes);

        let impossible: [&[f64]; 3] = [&[1.0, 0.9, 0.9], &[0.9, 1.0, -0.9], &[0.9, -0.9, 1.0]];
        let repaired = Whitener::new(&table(1000, &terms, &impossible), &features, &[], true).unwrap();
        assert_eq!(repaired.notes.first(), Some(&words::note::correlations_raised(1, 1)));
        let whitened = &repaired.inverse_root * &repaired.moment * &repaired.inverse_root;
        assert!(whitened.iter().all(|entry| entry.is_finite()));
        assert!(Eigen::try_new(&repaired.inverse).unwrap().smallest() > 0.0);
    }

    #[test]
    fn copies_and_missing_terms_are_refused_by_name() {
        let copies = table(1000, &[("kg", 70.0, 9.0), ("lb", 154.0, 20.0)], &[&[1.0, 1.0], &[1.0, 1.0]]);
        let error = Whitener::new(&copies, &names(&["kg", "lb"]), &[], true).unwrap_err();
        assert!(error.what.contains("`kg` and `lb`"), "{error}");
        assert!(
            Whitener::new(&copies, &names(&["kg"]), &names(&["lb"]), true).is_ok(),
            "an outcome may be one"
        );
        let error = Whitener::new(&copies, &names(&["kg", "st"]), &[], true).unwrap_err();
        assert!(error.what.contains("`st`") && error.advice.contains("`lb`"), "{error}");
        assert!(Whitener::new(&copies, &[], &[], false).is_err());
    }

    #[test]
    fn a_mean_far_from_zero_is_said() {
        let far = table(1000, &[("when", 1.7e9, 1e3)], &[&[1.0]]);
        let whitener = Whitener::new(&far, &names(&["when"]), &[], true).unwrap();
        assert_eq!(whitener.notes.len(), 1, "{:?}", whitener.notes);
        assert!(whitener.notes == [words::note::nearly_singular()]);
    }
}
