//! From noisy integers to the document. Nothing here sees a table or its moments: what is published is a function of the
//! plan and of [`Evaluated`].

use super::error::EngineError;
use super::evaluate::{Evaluated, UNSETTLED};
use super::prepare::Prepared;
use crate::inference::moments::NoisyMoments;
use crate::inference::options::Options;
use crate::inference::refit::public_rows;
use crate::inference::report::{Layout, report};
use crate::mechanisms::shared::Afterwards;
use crate::mechanisms::{Mechanism, ols};
use crate::release::document::{
    Assurance, Claimed, Coefficients, Demo, Diagnostics, LedgerReference, Privacy, Release, ReleasedMoments,
    SCHEMA, Software, Term,
};
use crate::release::statement::{HARDENED, WELL_FORMED, relaxation};

/// What the document says of its noise.
pub(super) enum Mark {
    /// It is the operating system's, and this charge paid for it.
    Charged(LedgerReference),
    /// It is anybody's.
    Demo(Demo),
}

/// Writes the document.
pub(super) fn publish(
    prepared: &Prepared,
    evaluated: &Evaluated,
    mark: Mark,
    software: Software,
) -> Result<Release, EngineError> {
    let (mut coefficients, mut diagnostics) = regressions(prepared, &evaluated.moments)?;
    // The document says in words what its reader would otherwise have to read out of its fields.
    diagnostics.notes.extend(relaxation(prepared.checked.protect));
    if prepared.assurance() == Assurance::Idealised {
        coefficients.round();
        diagnostics.round();
        diagnostics.notes.push(HARDENED.to_owned());
    }
    let (ledger, demo, assurance) = match mark {
        Mark::Charged(charge) => {
            diagnostics.notes.push(WELL_FORMED.to_owned());
            (Some(charge), None, prepared.assurance())
        }
        Mark::Demo(demo) => (None, Some(demo), Assurance::Demo),
    };
    Ok(Release {
        schema: SCHEMA.to_owned(),
        plan: prepared.plan.clone(),
        privacy: privacy(prepared, assurance),
        coefficients,
        moments: Some(released(prepared, evaluated)),
        ledger,
        diagnostics,
        public: None,
        demo,
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
        Mechanism::Ols(parameters) if parameters.lambda > 0.0 => {
            ols::report(moments, &layout, intercept, options, *parameters)
        }
        mechanism => {
            let Afterwards { ridge, repair } = mechanism.afterwards();
            options.ridge = ridge;
            options.repair = repair;
            report(moments, &layout, intercept, options)
        }
    };
    answer.map_err(|_| UNSETTLED)
}

fn privacy(prepared: &Prepared, assurance: Assurance) -> Privacy {
    let cost = prepared.cost.as_ref();
    let promise = cost.and_then(|cost| cost.promise);
    Privacy {
        adjacency: prepared.checked.adjacency,
        protect: prepared.checked.protect,
        max_rows_per_person: prepared.checked.max_rows_per_person,
        person: prepared.person(),
        epsilon: promise.map(|(epsilon, _)| epsilon.get()),
        delta: promise.map(|(_, delta)| delta.get()),
        mu: cost.and_then(|cost| cost.mu),
        rho: cost.and_then(|cost| cost.rho),
        claimed: cost
            .and_then(|cost| cost.claimed)
            .map(|(epsilon, delta)| Claimed { epsilon: epsilon.get(), delta: delta.get() }),
        assurance,
    }
}

fn released(prepared: &Prepared, evaluated: &Evaluated) -> ReleasedMoments {
    let cells = &evaluated.cells;
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
        noise: evaluated.law.clone(),
    }
}
