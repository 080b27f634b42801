//! Demonstrations: releases with noise from a seed, or with given noise. They have no privacy.

use serde::Serialize;

use super::error::EngineError;
use super::prepare::Prepared;
use super::publish::{Finished, Mark, publish};
use super::release::{belong, over};
use crate::data::{EncodedRows, Exact, Moments, Sums};
use crate::mechanisms::{Answer, RoundNoise};
use crate::noise::entropy::DemoRng;
use crate::release::Release;
use crate::release::document::{Demo, Software};

/// A release that protects nobody. Its document says so three times over: it has seed and run, no ledger, and the
/// assurance `DEMO`. What asks for a charged release does not take this type:
///
/// ```
/// # use discreet::release::{Release, publication::{Labels, report}, supplement::Supplement};
/// fn printed(release: &Release) -> String {
///     report::html(release, &Supplement::default(), &Labels::default())
/// }
/// ```
/// ```compile_fail
/// # use discreet::{engine::Demonstration, release::{publication::{Labels, report}, supplement::Supplement}};
/// fn printed(release: &Demonstration) -> String {
///     report::html(release, &Supplement::default(), &Labels::default())
/// }
/// ```
/// A release cannot be relabelled as one:
/// ```compile_fail
/// fn relabelled(release: discreet::release::Release) -> discreet::engine::Demonstration {
///     discreet::engine::Demonstration(release)
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Demonstration(Release);

#[cfg(test)]
static_assertions::assert_not_impl_any!(Demonstration: Into<Release>);
#[cfg(test)]
static_assertions::assert_not_impl_any!(Release: Into<Demonstration>);

impl Demonstration {
    /// Returns the document.
    pub const fn document(&self) -> &Release {
        &self.0
    }
}

/// Makes a release as [`super::Computation::release`] does, with noise from a seed. Without a budget in the plan there is no
/// noise.
///
/// # Errors
/// [`EngineError::Internal`] as [`super::Computation::release`].
pub fn demonstrate<'a>(
    prepared: &Prepared,
    input: impl Into<Exact<'a>>,
    rng: DemoRng,
    software: Software,
) -> Result<Demonstration, EngineError> {
    let demo = Demo { seed: rng.seed(), run: rng.run() };
    demonstrate_as(prepared, input, rng, demo, software)
}

/// Makes a demonstration as [`demonstrate`] does, and marks it with this number of a run.
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

/// Makes a release as [`super::Computation::release`] does, with given noise for each cell, in the layout's order. It is marked
/// as run 0 of seed 0; other runs count from 1.
///
/// For tests: a test chooses noise with which two tables have the same noisy integers. Their documents must then be equal.
///
/// # Errors
/// [`EngineError::Internal`] as [`super::Computation::release`], for a plan without noise in its cells, and for another number of cells.
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

/// Makes a release of several rounds over these rows with given noise, as [`demonstrate_with`] does for one round. `noise`
/// receives the sampler and the exact sums of a round and returns the round's noise.
///
/// # Errors
/// [`EngineError::Internal`] as [`super::Computation::release`], and for a plan whose rounds have no cells.
pub fn demonstrate_rounds_with(
    prepared: &Prepared,
    rows: &EncodedRows,
    mut noise: impl FnMut(&dyn RoundNoise, &[i128]) -> Vec<i128>,
    software: Software,
) -> Result<Demonstration, EngineError> {
    const OTHER: EngineError = EngineError::Internal("the plan adds no noise to cells");
    let mut run = prepared.start();
    let mut rng = DemoRng::new(0, 0);
    while let Some(round) = run.round() {
        let Sums::Cells(cells) = round.statistic.of(rows) else { return Err(OTHER) };
        let exact = cells.cells();
        let drawn = noise(&*round.noise, &exact);
        run.take(round.noise.answer(drawn, &Exact::Cells(exact), &mut rng).ok_or(OTHER)?);
    }
    let finished = Finished { output: run.finish(prepared.task())?, bounds: None };
    publish(prepared, finished, Mark::Demo(Demo { seed: 0, run: 0 }), software).map(Demonstration)
}
