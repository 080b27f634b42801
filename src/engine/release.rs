//! A charged release: noise from the operating system, then everything that follows from the noisy integers.

use super::error::EngineError;
use super::evaluate::Evaluated;
use super::prepare::Prepared;
use super::publish::{Mark, publish};
use crate::data::Input;
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
