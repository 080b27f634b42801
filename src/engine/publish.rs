//! From noisy integers to the document. Nothing here sees a table or its moments: what is published is a function of the
//! plan and of [`Evaluated`].

use super::error::EngineError;
use super::evaluate::{Evaluated, UNSETTLED};
use super::prepare::Prepared;
use crate::inference::moments::NoisyMoments;
use crate::inference::options::Options;
use crate::inference::refit::public_rows;
use crate::inference::report::{Layout, report};
use crate::inference::shrinkage::Rule;
use crate::math::projection::nuclear_ball;
use crate::mechanisms::shared::Afterwards;
use crate::mechanisms::{Mechanism, ols, reuse_cov};
use crate::release::document::{
    Assurance, Claimed, Coefficients, Demo, Diagnostics, LedgerReference, Privacy, Release, SCHEMA, Software,
    Term,
};
use crate::release::moments::{Blocks, Decimals, Integers, ReleasedMoments};
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
    let projected;
    let moments = match &prepared.mechanism {
        Mechanism::ReuseCov(parameters) => {
            projected = many_outcomes(prepared, parameters, moments, &mut options)?;
            projected.as_ref().unwrap_or(moments)
        }
        _ => moments,
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

/// What is done with the moments of one set of features and many outcomes before they are solved. Answers the moments with
/// projected cross moments, where the projection moved them.
fn many_outcomes(
    prepared: &Prepared,
    parameters: &reuse_cov::Parameters,
    moments: &NoisyMoments,
    options: &mut Options,
) -> Result<Option<NoisyMoments>, EngineError> {
    let geometry = &prepared.geometry;
    let radius = f64::from(prepared.bound.grid.radius);
    #[expect(clippy::cast_precision_loss, reason = "at most 2^49, so exact")]
    let norm = |square: u64| (square as f64).sqrt() / radius;
    let (features, outcomes) = (norm(geometry.feature_square()), norm(geometry.outcome_square()));
    #[expect(clippy::cast_precision_loss, reason = "at most 2^30 rows")]
    let rows = match prepared.checked.rows {
        Some(rows) => Some(rows as f64),
        None => moments.noisy_rows().map(|(rows, _)| rows).filter(|rows| *rows > 0.0),
    };
    options.trace = rows.map(|rows| rows * features * features);
    if parameters.kind == reuse_cov::Kind::ProjectedOnFeatures {
        options.rule = prepared.checked.rows.map(|rows| Rule {
            shrink: parameters.shrink,
            ball: parameters.ball,
            rows,
            bound: outcomes,
        });
    }
    let Some(rows) = rows.filter(|_| parameters.nuclear && moments.cross().ncols() > 0) else {
        return Ok(None);
    };
    let inside = nuclear_ball(moments.cross(), rows * features * outcomes).map_err(|_| UNSETTLED)?;
    if inside == *moments.cross() {
        return Ok(None);
    }
    options.projected = true;
    moments.with_cross(inside).ok_or(UNSETTLED).map(Some)
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
    let (cells, layout) = (&evaluated.cells, prepared.layout);
    let cell =
        |row, column| layout.place(row, column).and_then(|place| cells.get(place)).copied().unwrap_or(0);
    let p = layout.features();
    let square = || (0..p).flat_map(|row| (0..p).map(move |column| (row, column)));
    let (matrix, blocks) = if layout.outcomes() == 0 {
        let row = |row| (0..p).map(|column| cell(row, column).to_string()).collect();
        (Some((0..p).map(row).collect()), None)
    } else {
        let rest = cells.get(p * (p + 1) / 2..).unwrap_or_default();
        let (cross, squares) = rest.split_at(rest.len().min(p * layout.outcomes()));
        let blocks = Blocks {
            xx: Integers::new(p, square().map(|(row, column)| cell(row, column)).collect()),
            xy: Integers::new(p, cross.to_vec()),
            yy_diagonal: layout.squares().then(|| Decimals(squares.to_vec())),
        };
        (None, Some(blocks))
    };
    ReleasedMoments {
        terms: prepared
            .geometry
            .terms
            .iter()
            .map(|term| Term { term: term.name.clone(), centre: term.centre, scale: term.scale })
            .collect(),
        matrix,
        blocks,
        noise: evaluated.law.clone(),
    }
}
