//! All outcomes on all features, in the release's form.

use super::design::{Design, FitError};
use super::moments::NoisyMoments;
use super::notes::notes;
use super::options::Options;
use super::regression::Fit;
use crate::data::encode::Geometry;
use crate::plan::bound::{BoundPlan, Role};
use crate::release::document::{
    Coefficient, CoefficientTable, Coefficients, Diagnostics, Entry, LONG_FORM_OUTCOMES, OutcomeDiagnostics,
};

/// Which coordinates of the moments are predictors and which are outcomes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Coordinates of the predictors, without the constant.
    pub predictors: Vec<usize>,
    /// The outcomes: the column's name, and its coordinate.
    pub outcomes: Vec<(String, usize)>,
}

impl Layout {
    /// The roles that a plan gives its columns.
    #[must_use]
    pub fn new(bound: &BoundPlan, geometry: &Geometry) -> Self {
        let mut layout = Self::default();
        for (index, term) in geometry.terms.iter().enumerate() {
            let Some(column) = term.column.and_then(|column| bound.columns.get(column)) else { continue };
            match column.role {
                Role::Feature => layout.predictors.push(index),
                Role::Outcome => layout.outcomes.push((column.name.clone(), index)),
            }
        }
        layout
    }
}

/// Every outcome of `layout` regressed on all its predictors.
///
/// # Errors
/// [`FitError`] when the layout does not fit the moments, or on moments beyond all bounds.
pub fn report(
    moments: &NoisyMoments,
    layout: &Layout,
    intercept: bool,
    options: Options,
) -> Result<(Coefficients, Diagnostics), FitError> {
    let outcomes: Vec<usize> = layout.outcomes.iter().map(|(_, index)| *index).collect();
    let design = Design::try_new(moments, &layout.predictors, &outcomes, intercept, options)?;
    let fits = design.fit_all(&outcomes)?;
    let names: Vec<&str> = layout.outcomes.iter().map(|(name, _)| name.as_str()).collect();
    let coefficients = if outcomes.len() > LONG_FORM_OUTCOMES {
        Coefficients::Table(table(design.names(), &names, &fits))
    } else {
        Coefficients::List(list(design.names(), &names, &fits))
    };
    Ok((coefficients, diagnostics(&design, &names, &fits)))
}

fn list(terms: &[String], outcomes: &[&str], fits: &[Fit]) -> Vec<Coefficient> {
    let mut entries = Vec::with_capacity(terms.len() * fits.len());
    for (outcome, fit) in outcomes.iter().zip(fits) {
        let uncertainty = fit.uncertainty.as_ref();
        for (index, term) in terms.iter().enumerate() {
            let at = |values: Option<&Vec<f64>>| values.and_then(|values| values.get(index)).copied();
            entries.push(Coefficient {
                outcome: (*outcome).to_owned(),
                term: term.clone(),
                estimate: at(fit.estimate.as_ref()),
                std_error: at(uncertainty.map(|u| &u.std_error)),
                lower: at(uncertainty.map(|u| &u.lower)),
                upper: at(uncertainty.map(|u| &u.upper)),
                noise_share: at(uncertainty.map(|u| &u.noise_share)),
                interval: fit.interval,
            });
        }
    }
    entries
}

fn table(terms: &[String], outcomes: &[&str], fits: &[Fit]) -> CoefficientTable {
    let names = outcomes.iter().map(|name| (*name).to_owned()).collect();
    let mut table = CoefficientTable::new(names, terms.to_vec());
    for (row, fit) in fits.iter().enumerate() {
        let uncertainty = fit.uncertainty.as_ref();
        for column in 0..terms.len() {
            let at = |values: Option<&Vec<f64>>| values.and_then(|values| values.get(column)).copied();
            let entry = Entry {
                estimate: at(fit.estimate.as_ref()),
                std_error: at(uncertainty.map(|u| &u.std_error)),
                lower: at(uncertainty.map(|u| &u.lower)),
                upper: at(uncertainty.map(|u| &u.upper)),
                noise_share: at(uncertainty.map(|u| &u.noise_share)),
                interval: fit.interval,
            };
            table.set(row, column, entry);
        }
    }
    table
}

fn diagnostics(design: &Design<'_>, names: &[&str], fits: &[Fit]) -> Diagnostics {
    let rows = design.rows();
    let unresolved: Vec<String> = names
        .iter()
        .zip(fits)
        .filter(|(_, fit)| fit.uncertainty.is_some() && !fit.residual_resolved)
        .map(|(name, _)| (*name).to_owned())
        .collect();
    let outcomes = if fits.len() > LONG_FORM_OUTCOMES {
        Vec::new()
    } else {
        let each = names.iter().zip(fits).map(|(name, fit)| OutcomeDiagnostics {
            outcome: (*name).to_owned(),
            residual_sd: fit.residual_sd,
            residual_resolved: fit.residual_resolved,
        });
        each.collect()
    };
    Diagnostics {
        rows: rows.map(|(rows, _)| rows),
        rows_std_error: rows.map(|(_, sd)| sd),
        signal_to_noise: design.signal_to_noise(),
        ridge: design.ridge(),
        repair: design.repair().map(|repair| repair.name().to_owned()),
        outcomes,
        notes: notes(design, fits, &unresolved),
    }
}
