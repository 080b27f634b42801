//! The same from a seed, or from noise that somebody wrote down: no privacy.

use serde::Serialize;

use super::error::EngineError;
use super::prepare::Prepared;
use super::publish::{Finished, Mark, publish};
use super::release::{belong, over};
use crate::data::{Exact, Moments};
use crate::mechanisms::Answer;
use crate::noise::entropy::DemoRng;
use crate::release::Release;
use crate::release::document::{Demo, Software};

/// A release that protects nobody. Its document says so three times over: it has seed and run, no ledger, and the
/// assurance `DEMO`. What asks for a charged release does not take this type.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Demonstration(Release);

impl Demonstration {
    /// The document.
    #[must_use]
    pub const fn document(&self) -> &Release {
        &self.0
    }
}

/// What [`super::release`] does, with noise from a seed; without noise where the plan has no budget.
///
/// # Errors
/// [`EngineError::Internal`] as [`super::release`].
pub fn demonstrate<'a>(
    prepared: &Prepared,
    input: impl Into<Exact<'a>>,
    rng: DemoRng,
    software: Software,
) -> Result<Demonstration, EngineError> {
    let demo = Demo { seed: rng.seed(), run: rng.run() };
    demonstrate_as(prepared, input, rng, demo, software)
}

/// The same, marked as this run.
pub(super) fn demonstrate_as<'a>(
    prepared: &Prepared,
    input: impl Into<Exact<'a>>,
    rng: DemoRng,
    demo: Demo,
    software: Software,
) -> Result<Demonstration, EngineError> {
    let output = over(prepared, &input.into(), rng)?;
    publish(prepared, output, Mark::Demo(demo), software).map(Demonstration)
}

/// What [`super::release`] does, with the noise of each cell given, in the layout's order. Runs count from
/// 1; this is marked as run 0 of seed 0.
///
/// For tests: noise can be chosen so that two tables have the same noisy integers, and then nothing may tell their
/// documents apart.
///
/// # Errors
/// [`EngineError::Internal`] as [`super::release`], for a plan without noise in its cells, and for another number of cells.
pub fn demonstrate_with(
    prepared: &Prepared,
    moments: &Moments,
    noise: Vec<i128>,
    software: Software,
) -> Result<Demonstration, EngineError> {
    let gaussian = prepared.gaussian().ok_or(EngineError::Internal("the plan adds no noise to cells"))?;
    if noise.len() != gaussian.cells() {
        return Err(EngineError::Internal("the noise has another number of cells"));
    }
    belong(prepared, &moments.into())?;
    let mut run = prepared.start();
    run.take(Answer { law: Some(gaussian.law()), ..Answer::of(gaussian.add(noise, moments)) });
    let finished = Finished { output: run.finish(prepared.task())?, bounds: None };
    publish(prepared, finished, Mark::Demo(Demo { seed: 0, run: 0 }), software).map(Demonstration)
}
