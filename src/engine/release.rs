//! A charged release: noise from the operating system, then everything that follows from the noisy integers.

use super::error::EngineError;
use super::evaluate::Evaluated;
use super::prepare::Prepared;
use super::publish::{Mark, publish};
use crate::data::Input;
use crate::mechanisms::passes::{Pass, Passes};
use crate::noise::entropy::PrivateRng;
use crate::release::Release;
use crate::release::document::{LedgerReference, Software};

/// Draws the noise and writes the release. The ledger has been charged before, and `charge` says where.
///
/// All noise is drawn before the moments are read; after that everything is a function of the noisy integers and of the
/// plan.
///
/// # Errors
/// [`EngineError::Internal`] for moments of another plan or a plan without noise, before any noise is drawn, and for
/// arithmetic that does not settle. Its text says nothing of the table.
pub fn release<'a>(
    prepared: &Prepared,
    input: impl Into<Input<'a>>,
    mut rng: PrivateRng,
    charge: LedgerReference,
    software: Software,
) -> Result<Release, EngineError> {
    let cost =
        prepared.cost.as_ref().ok_or(EngineError::Internal("a release without noise was asked for"))?;
    let input = input.into();
    let evaluated = Evaluated::noisy(prepared, cost, input, |noise| noise.release(input, &mut rng))?;
    drop(rng);
    publish(prepared, &evaluated, Mark::Charged(charge), software)
}

/// [`release`] of a mechanism that reads the rows several times, where they are too many to be kept: `read` adds all rows of the
/// table to a pass.
///
/// # Errors
/// As [`release`], and whatever `read` fails with.
pub fn release_in_passes<'a, E: From<EngineError>>(
    prepared: &'a Prepared,
    mut rng: PrivateRng,
    charge: LedgerReference,
    software: Software,
    mut read: impl FnMut(Pass<'a>) -> Result<Pass<'a>, E>,
) -> Result<Release, E> {
    let noise = prepared.cost.as_ref().map(|cost| &cost.noise);
    let (noise, mut passes) = noise
        .and_then(|noise| Some((noise, Passes::new(noise)?)))
        .ok_or(EngineError::Internal("passes of a mechanism that makes none were asked for"))?;
    while !passes.is_done() {
        let drawn = passes.noise(&mut rng);
        let pass = read(passes.pass())?;
        passes.advance(drawn, pass);
    }
    drop(rng);
    let evaluated = Evaluated::of_draw(noise, passes.finish())?;
    Ok(publish(prepared, &evaluated, Mark::Charged(charge), software)?)
}
