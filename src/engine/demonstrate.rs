//! The same from a seed, or from noise that somebody wrote down: no privacy.

use serde::Serialize;

use super::error::EngineError;
use super::evaluate::Evaluated;
use super::prepare::Prepared;
use super::publish::{Mark, publish};
use crate::data::{Input, Moments};
use crate::mechanisms::{Draw, Drawn};
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
    input: impl Into<Input<'a>>,
    mut rng: DemoRng,
    software: Software,
) -> Result<Demonstration, EngineError> {
    let demo = Demo { seed: rng.seed(), run: rng.run() };
    let input = input.into();
    let evaluated = match &prepared.cost {
        Some(cost) => Evaluated::noisy(prepared, cost, input, |noise| noise.release(input, &mut rng))?,
        None => Evaluated::exact(prepared, input, &mut rng)?,
    };
    publish(prepared, &evaluated, Mark::Demo(demo), software).map(Demonstration)
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
    let cost = prepared.cost.as_ref().ok_or(EngineError::Internal("the plan has no noise"))?;
    let gaussian = cost.noise.gaussian().ok_or(EngineError::Internal("the plan adds no noise to cells"))?;
    if noise.len() != gaussian.cells() {
        return Err(EngineError::Internal("the noise has another number of cells"));
    }
    let cells = gaussian.add(noise, moments);
    let drawn = Draw::Moments(Drawn { cells, law: gaussian.law(), ridge: 0.0, map: None });
    let evaluated = Evaluated::noisy(prepared, cost, moments.into(), |_| Some(drawn))?;
    publish(prepared, &evaluated, Mark::Demo(Demo { seed: 0, run: 0 }), software).map(Demonstration)
}
