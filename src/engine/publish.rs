//! From noisy integers to the document. Nothing here sees a table or its moments: what is published is a function of the
//! plan and of [`Evaluated`].

use nalgebra::DMatrix;

use super::error::EngineError;
use super::evaluate::{Evaluated, Outcomes, UNSETTLED};
use super::prepare::Prepared;
use crate::inference::moments::NoisyMoments;
use crate::inference::newton::{Link, NewtonStep, Setting, report as newton_report};
use crate::inference::options::{Options, Ridge};
use crate::inference::refit::public_rows;
use crate::inference::report::RegressionTerms;
use crate::inference::report::report;
use crate::inference::shrinkage::Rule;
use crate::inference::weights;
use crate::math::linalg::LinalgError;
use crate::math::projection::{Directions, feature_ball, feature_ball_of_many_outcomes, nuclear_ball};
use crate::mechanisms::newton::{self, Fitted};
use crate::mechanisms::shared::Afterwards;
use crate::mechanisms::{Mechanism, ols, reuse_cov};
use crate::model::Assurance;
use crate::plan::document::Calibration;
use crate::release::document::{
    Claimed, Coefficients, Demo, Diagnostics, LedgerReference, Privacy, Release, SCHEMA, Software,
};
use crate::release::moments::Term;
use crate::release::moments::{Blocks, Decimals, FeatureMap, Integers, ReleasedMoments, Shaping};
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
    let (mut coefficients, mut diagnostics) = regressions(prepared, evaluated)?;
    // The document says in words what its reader would otherwise have to read out of its fields.
    if let Evaluated::Moments { map, law: Some(_), .. } = evaluated {
        diagnostics.notes.extend(shaping(prepared, map.as_ref()).map(str::to_owned));
    }
    diagnostics.notes.extend(relaxation(prepared.checked.protect));
    diagnostics.notes.extend(prepared.guide().into_iter().flat_map(|guide| guide.notes.iter().cloned()));
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
        moments: released(prepared, evaluated),
        ledger,
        diagnostics,
        public: prepared.public().cloned(),
        demo,
        software,
    })
}

fn regressions(
    prepared: &Prepared,
    evaluated: &Evaluated,
) -> Result<(Coefficients, Diagnostics), EngineError> {
    let layout = RegressionTerms::new(&prepared.bound, &prepared.geometry);
    match evaluated {
        Evaluated::Moments { moments, ridge, outcomes, .. } => {
            from_moments(prepared, moments, *ridge, outcomes.as_ref(), &layout)
        }
        Evaluated::Each(all) => each_by_itself(prepared, all, &layout),
        Evaluated::Coefficients(weights) => {
            let map = prepared.geometry.map(&prepared.bound);
            Ok(weights::report(&prepared.geometry, &layout, &map, weights))
        }
        Evaluated::Fitted(fits, noise) => Ok(fitted(prepared, fits, noise, &layout)),
    }
}

fn options(prepared: &Prepared, moments: &NoisyMoments) -> Options {
    let Afterwards { ridge, repair } = prepared.mechanism.afterwards();
    Options {
        confidence: prepared.checked.confidence,
        rows: public_rows(&prepared.plan, moments),
        seed: moments.seed(),
        ridge,
        repair,
        penalty: match &prepared.mechanism {
            Mechanism::Ridge(parameters) => parameters.mean_penalty(),
            _ => None,
        },
        floor: matches!(&prepared.mechanism, Mechanism::Ridge(parameters) if parameters.floor()),
        ..Options::default()
    }
}

/// What all outcomes of Newton steps share.
pub(super) fn setting<'a>(prepared: &Prepared, noise: &'a newton::Noise) -> Setting<'a> {
    Setting {
        map: &noise.map,
        penalty: &noise.penalty,
        deviations: noise.deviations(),
        norm: noise.spectral_norm(),
        outcome_codes: noise.outcome_codes(),
        link: match noise.family {
            newton::Family::Logistic => Link::Logit,
            newton::Family::Gaussian => Link::Identity,
        },
        confidence: prepared.checked.confidence,
    }
}

/// Where Newton steps ended, with what their noise did.
fn fitted(
    prepared: &Prepared,
    fits: &[Fitted],
    noise: &newton::Noise,
    layout: &RegressionTerms,
) -> (Coefficients, Diagnostics) {
    let steps = fits.iter().map(|fit| NewtonStep {
        coefficients: &fit.coefficients,
        moved: &fit.moved,
        curvature: &fit.curvature,
        least: fit.least,
        shortened: fit.shortened,
    });
    let (coefficients, mut diagnostics) =
        newton_report(&prepared.geometry, layout, &setting(prepared, noise), &steps.collect::<Vec<_>>());
    if prepared.checked.calibration == Calibration::Paper && noise.is_kept_within() {
        diagnostics.notes.push(
            "Before each step the coefficients were shortened to `coefficient_radius`. The paper states that bound and its listing leaves \
             the step out, without which nothing bounds a residual, nor what the noise of the gaussian family costs."
                .to_owned(),
        );
    }
    (coefficients, diagnostics)
}

fn from_moments(
    prepared: &Prepared,
    moments: &NoisyMoments,
    ridge: f64,
    outcomes: Option<&Outcomes>,
    layout: &RegressionTerms,
) -> Result<(Coefficients, Diagnostics), EngineError> {
    let intercept = prepared.checked.intercept;
    let mut options = options(prepared, moments);
    if ridge > 0.0 {
        options.ridge = Ridge::Fixed(ridge);
    }
    let projected;
    let moments = if prepared.geometry.outcomes.is_some() {
        projected = many_outcomes(prepared, moments, outcomes, &mut options)?;
        projected.as_ref().unwrap_or(moments)
    } else {
        moments
    };
    let answer = match &prepared.mechanism {
        Mechanism::Ols(parameters) if parameters.lambda > 0.0 => {
            options.ridge = Ridge::None;
            ols::report(moments, layout, intercept, options, *parameters)
        }
        _ => report(moments, layout, intercept, options),
    };
    answer.map_err(|_| UNSETTLED)
}

/// Each outcome from moments of its own.
fn each_by_itself(
    prepared: &Prepared,
    all: &[NoisyMoments],
    layout: &RegressionTerms,
) -> Result<(Coefficients, Diagnostics), EngineError> {
    let mut together: Option<(Coefficients, Diagnostics)> = None;
    for (moments, (name, _)) in all.iter().zip(&layout.outcomes) {
        let own = RegressionTerms {
            predictors: layout.predictors.clone(),
            outcomes: vec![(name.clone(), moments.matrix().nrows())],
        };
        let mut options = options(prepared, moments);
        options.trace = most_trace(prepared, moments).map(|(trace, ..)| trace);
        let (coefficients, diagnostics) =
            report(moments, &own, prepared.checked.intercept, options).map_err(|_| UNSETTLED)?;
        match &mut together {
            None => together = Some((coefficients, diagnostics)),
            Some((first, notes)) => {
                first.append(coefficients);
                notes.join(diagnostics);
            }
        }
    }
    let (coefficients, mut diagnostics) = together.ok_or(UNSETTLED)?;
    diagnostics.notes.push(
        "Each outcome had noisy moments of its own, which are not in this document: nothing can be refitted from it.".to_owned(),
    );
    Ok((coefficients, diagnostics))
}

/// The largest trace that the features' moments can have, in units of R², with B_x/R and B_y/R.
fn most_trace(prepared: &Prepared, moments: &NoisyMoments) -> Option<(f64, f64, f64, f64)> {
    let radius = f64::from(prepared.bound.grid.radius);
    #[expect(clippy::cast_precision_loss, reason = "at most 2^49, so exact")]
    let norm = |square: u64| (square as f64).sqrt() / radius;
    let (features, outcomes) =
        (norm(prepared.geometry.feature_square()), norm(prepared.geometry.outcome_square()));
    #[expect(clippy::cast_precision_loss, reason = "at most 2^30 rows")]
    let rows = match prepared.checked.rows {
        Some(rows) => Some(rows as f64),
        None => moments.noisy_rows().map(|(rows, _)| rows).filter(|rows| *rows > 0.0),
    };
    rows.map(|rows| (rows * features * features, rows, features, outcomes))
}

/// What is done with the moments of one set of features and many outcomes before they are solved. Answers the moments with
/// projected cross moments, where the projection moved them.
fn many_outcomes(
    prepared: &Prepared,
    moments: &NoisyMoments,
    public: Option<&Outcomes>,
    options: &mut Options,
) -> Result<Option<NoisyMoments>, EngineError> {
    let Some((trace, rows, features, outcomes)) = most_trace(prepared, moments) else { return Ok(None) };
    options.trace = Some(trace);
    let Mechanism::ReuseCov(parameters) = &prepared.mechanism else { return Ok(None) };
    if parameters.kind == reuse_cov::Kind::ProjectedOnFeatures {
        options.rule = prepared.checked.rows.map(|rows| Rule {
            shrink: parameters.shrink,
            ball: parameters.ball,
            rows,
            bound: outcomes,
        });
    }
    let inside = match public {
        Some(public) => Some(projected_on(public, moments, rows, features).map_err(|_| UNSETTLED)?),
        None if parameters.nuclear && moments.cross().ncols() > 0 => {
            Some(nuclear_ball(moments.cross(), rows * features * outcomes).map_err(|_| UNSETTLED)?)
        }
        None => None,
    };
    let Some(inside) = inside.filter(|inside| inside != moments.cross()) else { return Ok(None) };
    options.projected = true;
    moments.with_cross(inside).ok_or(UNSETTLED).map(Some)
}

/// Which noise public features were given, in words.
fn shaping(prepared: &Prepared, map: Option<&FeatureMap>) -> Option<&'static str> {
    let Mechanism::ReuseCov(parameters) = &prepared.mechanism else { return None };
    if parameters.kind != reuse_cov::Kind::ProjectedOnFeatures {
        return None;
    }
    Some(match map.map(|map| map.noise) {
        Some(Shaping::Whitened) => {
            "The noise was whitened: it is alike in all directions of the features, and scaled by the largest leverage of a row.              Features are public, so this costs nothing. `xy` has the features after `map`."
        }
        Some(Shaping::Isotropic) => {
            "The noise was isotropic, and scaled by the longest row of features in place of its bound. Features are public, so this              costs nothing. `xy` has the features after `map`."
        }
        None => "The noise was isotropic, and scaled by the bound on a row of features.",
    })
}

/// The noisy cross moments put back among those that some features within their bound have with the public outcomes (primo 1.6).
fn projected_on(
    outcomes: &Outcomes,
    moments: &NoisyMoments,
    rows: f64,
    features: f64,
) -> Result<DMatrix<f64>, LinalgError> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 2^30")]
    let count = rows as u64;
    let noisy = moments.cross() / rows;
    let found = match outcomes {
        Outcomes::Gram(gram) => feature_ball(&Directions::try_new(&(gram / rows), count)?, &noisy, features)?,
        Outcomes::Rows(outcomes) => {
            // Rows that were skipped are zeros, and change neither the Gram matrix's directions nor the sums.
            let gram = outcomes * outcomes.transpose() / rows;
            let scaled =
                outcomes * (f64::from(u32::try_from(outcomes.nrows()).unwrap_or(u32::MAX)) / rows).sqrt();
            feature_ball_of_many_outcomes(&Directions::try_new(&gram, count)?, &scaled, &noisy, features)?
        }
    };
    // Inside the set nothing moves, not even by rounding.
    if found.ridge > 0.0 { Ok(found.association * rows) } else { Ok(moments.cross().clone()) }
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

fn released(prepared: &Prepared, evaluated: &Evaluated) -> Option<ReleasedMoments> {
    let Evaluated::Moments { cells, law, map, .. } = evaluated else { return None };
    let layout = prepared.layout;
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
            map: map.clone(),
            yy_diagonal: layout.squares().then(|| Decimals(squares.to_vec())),
        };
        (None, Some(blocks))
    };
    Some(ReleasedMoments {
        terms: prepared
            .geometry
            .terms
            .iter()
            .map(|term| Term { term: term.name.clone(), centre: term.centre, scale: term.scale })
            .collect(),
        whitening: prepared
            .bound
            .whitening
            .as_ref()
            .map(|whitening| whitening.matrix.chunks_exact(p).map(<[f64]>::to_vec).collect()),
        matrix,
        blocks,
        noise: law.clone(),
    })
}
