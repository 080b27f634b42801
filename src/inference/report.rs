//! Regressions of all outcomes on all features, in the release's form.

use super::design::{Design, FitError};
use super::fits::Fit;
use super::moments::NoisyMoments;
use super::notes::{Summary, notes};
use super::options::Options;
use crate::data::encode::Geometry;
use crate::model::{Estimate, Role};
use crate::plan::bound::BoundPlan;
use crate::release::document::{Coefficients, Diagnostics, LONG_FORM_OUTCOMES, OutcomeDiagnostics};
use crate::release::long::CoefficientTable;

/// Which coordinates of the moments are predictors and which are outcomes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegressionTerms {
    /// Coordinates of the predictors, without the constant.
    pub predictors: Vec<usize>,
    /// The outcomes: the column's name, and its coordinate.
    pub outcomes: Vec<(String, usize)>,
}

impl RegressionTerms {
    /// Returns the roles that a plan gives its columns.
    pub fn new(bound: &BoundPlan, geometry: &Geometry) -> Self {
        let mut terms = Self::default();
        for (index, coordinate) in geometry.terms.iter().enumerate() {
            let Some(column) = coordinate.column.and_then(|column| bound.columns.get(column)) else {
                continue;
            };
            match column.role {
                Role::Feature => terms.predictors.push(index),
                Role::Outcome => terms.outcomes.push((column.name.clone(), index)),
                Role::Ignored => {}
            }
        }
        terms
    }
}

/// Regresses every outcome of `layout` on all its predictors.
///
/// # Errors
/// [`FitError`] when the layout does not fit the moments, or on moments beyond all bounds.
pub fn report(
    moments: &NoisyMoments,
    layout: &RegressionTerms,
    intercept: bool,
    options: Options,
) -> Result<(Coefficients, Diagnostics), FitError> {
    let outcomes: Vec<usize> = layout.outcomes.iter().map(|(_, index)| *index).collect();
    let design = Design::try_new(moments, &layout.predictors, &outcomes, intercept, options)?;
    let names: Vec<&str> = layout.outcomes.iter().map(|(name, _)| name.as_str()).collect();
    if outcomes.len() <= LONG_FORM_OUTCOMES {
        let fits = design.fit_all(&outcomes)?;
        let mut summary = Summary::default();
        summary.add(&names, &fits);
        let owned = names.iter().map(|name| (*name).to_owned()).collect();
        let of_fit = |fit| (0..design.names().len()).map(|term| entry(fit, term)).collect();
        let entries: Vec<Vec<Estimate>> = fits.iter().map(of_fit).collect();
        let coefficients = Coefficients::of(owned, design.names().to_vec(), &entries);
        return Ok((coefficients, diagnostics(&design, &names, &fits, &summary)));
    }
    // Piece by piece: what stands in the document is all that is kept of so many fits.
    let owned = names.iter().map(|name| (*name).to_owned()).collect();
    let mut table = CoefficientTable::new(owned, design.names().to_vec());
    let mut summary = Summary::default();
    let pieces = outcomes.chunks(LONG_FORM_OUTCOMES).zip(names.chunks(LONG_FORM_OUTCOMES));
    for (piece, (outcomes, names)) in pieces.enumerate() {
        let fits = design.fit_many(outcomes)?;
        summary.add(names, &fits);
        write(&mut table, piece * LONG_FORM_OUTCOMES, &fits);
    }
    Ok((Coefficients::Table(table), diagnostics(&design, &[], &[], &summary)))
}

/// Writes fits into a table, from the row `first` on.
fn write(table: &mut CoefficientTable, first: usize, fits: &[Fit]) {
    for (row, fit) in (first..).zip(fits) {
        for column in 0..table.terms().len() {
            table.set(row, column, entry(fit, column));
        }
    }
}

/// Returns the numbers of one term of a fit.
fn entry(fit: &Fit, term: usize) -> Estimate {
    let at = |values: Option<&Vec<f64>>| values.and_then(|values| values.get(term)).copied();
    let uncertainty = fit.uncertainty.as_ref();
    Estimate {
        estimate: at(fit.estimate.as_ref()),
        std_error: at(uncertainty.map(|u| &u.std_error)),
        lower: at(uncertainty.map(|u| &u.lower)),
        upper: at(uncertainty.map(|u| &u.upper)),
        noise_share: at(uncertainty.map(|u| &u.noise_share)),
        interval: fit.interval,
    }
}

fn diagnostics(design: &Design<'_>, names: &[&str], fits: &[Fit], summary: &Summary) -> Diagnostics {
    let rows = design.rows();
    let outcomes = names.iter().zip(fits).map(|(name, fit)| OutcomeDiagnostics {
        outcome: (*name).to_owned(),
        residual_sd: fit.residual_sd,
        residual_resolved: fit.residual_resolved,
        r_squared: fit.r_squared,
    });
    Diagnostics {
        rows: rows.map(|(rows, _)| rows),
        rows_std_error: rows.map(|(_, sd)| sd),
        signal_to_noise: design.signal_to_noise(),
        ridge: design.ridge(),
        repair: design.repair().map(|repair| repair.name().to_owned()),
        outcomes: outcomes.collect(),
        notes: notes(design, summary),
    }
}
