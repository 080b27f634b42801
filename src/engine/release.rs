//! A charged release: noise from the operating system, then everything that follows from the noisy integers.

use super::error::EngineError;
use super::evaluate::Evaluated;
use super::prepare::Prepared;
use super::publish::{Mark, publish};
use crate::data::Input;
use crate::mechanisms::Noise;
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

/// A charged release of a mechanism that reads the rows several times, between two passes.
pub struct Fit<'a> {
    prepared: &'a Prepared,
    noise: &'a Noise,
    passes: Passes<'a>,
    /// The noise of the pass that is being made.
    drawn: Vec<i128>,
    rng: PrivateRng,
}

impl<'a> Fit<'a> {
    /// Before the first pass. The ledger has been charged before.
    ///
    /// # Errors
    /// [`EngineError::Internal`] for a mechanism that reads once or has no noise.
    pub fn new(prepared: &'a Prepared, rng: PrivateRng) -> Result<Self, EngineError> {
        let noise = prepared.cost.as_ref().map(|cost| &cost.noise);
        let (noise, passes) = noise
            .and_then(|noise| Some((noise, Passes::new(noise)?)))
            .ok_or(EngineError::Internal("passes of a mechanism that makes none were asked for"))?;
        Ok(Self { prepared, noise, passes, drawn: Vec::new(), rng })
    }

    /// The next pass, to which all rows of the table are to be added; nothing after the last. Its noise is drawn here.
    pub fn pass(&mut self) -> Option<Pass<'a>> {
        if self.passes.is_done() {
            return None;
        }
        self.drawn = self.passes.noise(&mut self.rng);
        Some(self.passes.pass())
    }

    /// The number of the pass that is being made, from 1.
    #[must_use]
    pub const fn number(&self) -> u32 {
        self.passes.done() + 1
    }

    /// Takes a pass over all rows.
    pub fn advance(&mut self, pass: Pass<'a>) {
        self.passes.advance(std::mem::take(&mut self.drawn), pass);
    }

    /// Writes the release, after the last pass. `charge` says where the ledger was charged.
    ///
    /// # Errors
    /// [`EngineError::Internal`] before the last pass and for arithmetic that does not settle. Its text says nothing of the table.
    pub fn release(self, charge: LedgerReference, software: Software) -> Result<Release, EngineError> {
        if !self.passes.is_done() {
            return Err(EngineError::Internal("a fit was to be released before its last pass"));
        }
        let evaluated = Evaluated::of_draw(self.noise, self.passes.finish())?;
        publish(self.prepared, &evaluated, Mark::Charged(charge), software)
    }
}
