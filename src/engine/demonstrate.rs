//! The same from a seed, or from noise that somebody wrote down: no privacy.

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

/// What [`super::Computation::release`] does, with noise from a seed; without noise where the plan has no budget.
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

/// What [`super::Computation::release`] does, with the noise of each cell given, in the layout's order. Runs count from
/// 1; this is marked as run 0 of seed 0.
///
/// For tests: noise can be chosen so that two tables have the same noisy integers, and then nothing may tell their
/// documents apart.
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

/// [`demonstrate_with`] for a plan of several rounds over these rows: `noise` gives that of each round, from what draws it and from the exact
/// sums.
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
