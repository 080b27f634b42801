//! Writes the release document from noisy integers. Nothing here sees a table or its sums: the document is a function of the plan
//! and the noisy answers.

use super::error::EngineError;
use super::prepare::{Prepared, Stage};
use crate::mechanisms::Output;
use crate::mechanisms::info::are_log_odds;
use crate::model::Assurance;
use crate::model::note::{quoted, two_digits};
use crate::plan::Plan;
use crate::plan::derived::outcomes;
use crate::release::bounds::EstimatedBounds;
use crate::release::document::{
    Claimed, Coefficients, Demo, Diagnostics, LedgerReference, Privacy, Release, SCHEMA, Software,
};
use crate::release::remarks::are_of_persons;
use crate::release::statement::relaxation;
use crate::words;

/// The noisy answers of all rounds.
pub(super) struct Finished {
    /// What is published of a mechanism's answers.
    pub(super) output: Output,
    /// The bounds that a stage before it has found.
    pub(super) bounds: Option<EstimatedBounds>,
}

/// The source of the noise, as the document states it.
pub(super) enum Mark {
    /// Randomness of the operating system, paid for by this charge.
    Charged(LedgerReference),
    /// A seed, or noise that was given.
    Demo(Demo),
}

/// Writes the document.
pub(super) fn publish(
    prepared: &Prepared,
    finished: Finished,
    mark: Mark,
    software: Software,
) -> Result<Release, EngineError> {
    let Finished { output: Output { mut coefficients, mut diagnostics, moments, steps }, mut bounds } =
        finished;
    if let Stage::Found(found) = &prepared.stage {
        bounds = Some(found.bounds.clone());
        diagnostics.notes.extend(found.notes.iter().cloned());
    }
    if !matches!(prepared.stage, Stage::Bounds(_)) {
        mark_rows_of_one_person(prepared.checked().max_rows_per_person, &mut coefficients, &mut diagnostics);
        diagnostics.notes.extend(linear_probability(prepared.plan()));
    }
    diagnostics.notes.extend(relaxation(prepared.checked().protect).map(String::from));
    diagnostics
        .notes
        .extend(prepared.whitener().into_iter().flat_map(|whitener| whitener.notes.iter().cloned()));
    if prepared.assurance() == Assurance::Idealised {
        coefficients.round();
        diagnostics.round();
        diagnostics.notes.push(words::note::hardened().into());
    }
    let (ledger, demo, assurance) = match mark {
        Mark::Charged(charge) => {
            diagnostics.notes.push(words::note::well_formed().into());
            (Some(charge), None, prepared.assurance())
        }
        Mark::Demo(demo) => (None, Some(demo), Assurance::Demo),
    };
    if let (Stage::Bounds(_), Some(bounds)) = (&prepared.stage, &mut bounds) {
        bounds.ledger.clone_from(&ledger);
    }
    Ok(Release {
        schema: SCHEMA.to_owned(),
        plan: prepared.plan().clone(),
        privacy: privacy(prepared, assurance),
        coefficients,
        moments,
        estimated_bounds: bounds,
        steps,
        ledger,
        diagnostics,
        public: prepared.public().cloned(),
        demo,
        software,
    })
}

/// Adds the note that intervals assume independent rows, if a person may have several (theory/inference 2.2).
pub(super) fn mark_rows_of_one_person(
    most: u32,
    coefficients: &mut Coefficients,
    diagnostics: &mut Diagnostics,
) {
    if most > 1 && !are_of_persons(&diagnostics.notes) && coefficients.label_approximate() {
        diagnostics.notes.push(words::note::rows_of_one_person(most, two_digits(f64::from(most).sqrt())));
    }
}

/// Returns the note on a linear regression of outcomes that are declared as yes or no.
fn linear_probability(plan: &Plan) -> Option<String> {
    if are_log_odds(plan) {
        return None;
    }
    let outcomes = outcomes(plan).filter(|column| column.is_yes_or_no());
    let names: Vec<String> = outcomes.filter_map(|column| column.name.or(column.pattern)).collect();
    (!names.is_empty()).then(|| words::note::linear_probability(quoted(&names)))
}

fn privacy(prepared: &Prepared, assurance: Assurance) -> Privacy {
    let cost = prepared.cost.as_ref();
    let promise = cost.and_then(|cost| cost.promise);
    Privacy {
        adjacency: prepared.checked().adjacency,
        protect: prepared.checked().protect,
        max_rows_per_person: prepared.checked().max_rows_per_person,
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
