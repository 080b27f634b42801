//! Noise, then everything that follows from it.

use super::error::EngineError;
use super::guard;
use super::prepare::{Cost, Prepared};
use crate::data::Moments;
use crate::data::encode::GUARD_BITS;
use crate::inference::moments::{CellNoise, NoisyMoments};
use crate::inference::options::Options;
use crate::inference::refit::public_rows;
use crate::inference::report::{Layout, report};
use crate::mechanisms::analyze_gauss::{self, perturb};
use crate::mechanisms::{Mechanism, ols};
use crate::noise::entropy::Entropy;
use crate::release::document::{
    Assurance, Coefficients, Diagnostics, LedgerReference, NoiseLaw, Privacy, Release, ReleasedMoments,
    SCHEMA, Software, Term,
};
use crate::release::statement::{WELL_FORMED, relaxation};

/// Draws the noise and writes the release. The ledger has been charged before, and `ledger` says where.
///
/// The assurance is `DEMO` where the randomness comes from a seed: the type of `rng` decides. All noise is drawn before
/// the moments are read; after that everything is a function of the noisy integers and of the plan.
///
/// # Errors
/// [`EngineError::Internal`] for moments of another plan, before any noise is drawn, and for arithmetic that does not
/// settle. Its text says nothing of the table.
pub fn release<E: Entropy>(
    prepared: &Prepared,
    moments: &Moments,
    mut rng: E,
    ledger: Option<LedgerReference>,
    software: Software,
) -> Result<Release, EngineError> {
    if moments.terms() != prepared.row_width() {
        return Err(EngineError::Internal("the moments belong to another plan"));
    }
    if prepared.cost.is_none() && !E::DEMO {
        return Err(EngineError::Internal("a release without noise was asked for"));
    }
    let radius = prepared.bound.grid.radius;
    let failed = |_| EngineError::Internal("the released moments could not be evaluated");
    let (cells, evaluated) = match &prepared.cost {
        Some(Cost { noise, .. }) => {
            let cells = perturb(moments, noise, &mut rng);
            let noise = CellNoise::new(noise.shape, u128::from(noise.scale.get().get()), radius);
            let evaluated = NoisyMoments::from_cells(&prepared.geometry, radius, &cells, noise);
            (cells, evaluated.map_err(failed)?)
        }
        None => {
            let fine = guard::fine_cells(moments, &prepared.geometry);
            let evaluated = NoisyMoments::from_fine_cells(&prepared.geometry, radius, &fine, 2 * GUARD_BITS);
            (guard::cells(moments, &prepared.geometry), evaluated.map_err(failed)?)
        }
    };
    drop(rng);
    let (coefficients, mut diagnostics) = regressions(prepared, &evaluated)?;
    // The document says in words what its reader would otherwise have to read out of its fields.
    diagnostics.notes.extend(relaxation(prepared.checked.protect));
    if !E::DEMO {
        diagnostics.notes.push(WELL_FORMED.to_owned());
    }
    Ok(Release {
        schema: SCHEMA.to_owned(),
        plan: prepared.plan.clone(),
        privacy: privacy(prepared, E::DEMO),
        coefficients,
        moments: Some(released(prepared, &cells)),
        ledger,
        diagnostics,
        public: None,
        demo: None,
        software,
    })
}

fn regressions(
    prepared: &Prepared,
    moments: &NoisyMoments,
) -> Result<(Coefficients, Diagnostics), EngineError> {
    let layout = Layout::new(&prepared.bound, &prepared.geometry);
    let intercept = prepared.checked.intercept;
    let mut options = Options {
        confidence: prepared.checked.confidence,
        rows: public_rows(&prepared.plan, moments),
        seed: moments.seed(),
        ..Options::default()
    };
    let answer = match &prepared.mechanism {
        Mechanism::AnalyzeGauss(analyze_gauss::Parameters { ridge, repair, .. }) => {
            options.ridge = *ridge;
            options.repair = *repair;
            report(moments, &layout, intercept, options)
        }
        Mechanism::Ols(parameters) if parameters.lambda > 0.0 => {
            ols::report(moments, &layout, intercept, options, *parameters)
        }
        Mechanism::Ols(_) => report(moments, &layout, intercept, options),
    };
    answer.map_err(|_| EngineError::Internal("the released moments could not be evaluated"))
}

fn privacy(prepared: &Prepared, demo: bool) -> Privacy {
    let cost = prepared.cost.as_ref();
    let promise = cost.and_then(|cost| cost.promise);
    Privacy {
        adjacency: prepared.checked.adjacency,
        protect: prepared.checked.protect,
        max_rows_per_person: prepared.checked.max_rows_per_person,
        person: prepared.person(),
        epsilon: promise.map(|(epsilon, _)| epsilon.get()),
        delta: promise.map(|(_, delta)| delta.get()),
        mu: cost.map(|cost| cost.mu),
        rho: cost.map(|cost| cost.rho),
        claimed: None,
        assurance: if demo { Assurance::Demo } else { prepared.assurance() },
    }
}

fn released(prepared: &Prepared, cells: &[i128]) -> ReleasedMoments {
    let terms = prepared.geometry.terms.len();
    let cell = |row: usize, column: usize| {
        let (row, column) = (row.min(column), row.max(column));
        cells.get(row * (2 * terms + 1 - row) / 2 + (column - row)).map_or_else(String::new, i128::to_string)
    };
    let matrix = (0..terms).map(|row| (0..terms).map(|column| cell(row, column)).collect()).collect();
    ReleasedMoments {
        terms: prepared
            .geometry
            .terms
            .iter()
            .map(|term| Term { term: term.name.clone(), centre: term.centre, scale: term.scale })
            .collect(),
        matrix,
        noise: prepared.cost.as_ref().map(|cost| NoiseLaw::DiscreteGaussian {
            shape: cost.noise.shape,
            s: cost.noise.scale.get().to_string(),
        }),
    }
}
