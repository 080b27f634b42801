//! The loop of every release: for each round it draws the noise, receives the sums and returns the noisy answer.

use super::error::EngineError;
use super::prepare::Prepared;
use super::publish::{Finished, Mark, publish};
use crate::data::{Exact, Statistic};
use crate::mechanisms::{Answer, Round, Run, Unsettled};
use crate::noise::entropy::{Entropy, PrivateRng};
use crate::release::Release;
use crate::release::document::{LedgerReference, Software};

/// The text is constant, because the error may occur after the charge.
const UNSETTLED: EngineError = EngineError::Internal("the released moments could not be evaluated");

impl From<Unsettled> for EngineError {
    fn from(_: Unsettled) -> Self {
        UNSETTLED
    }
}

/// A release between two rounds. Its caller sums the table; all noise is drawn here.
pub struct Computation<'a, E: Entropy> {
    prepared: &'a Prepared,
    run: Box<dyn Run>,
    rng: E,
    /// The round whose noise is drawn.
    open: Option<(Round, Vec<i128>)>,
    number: u32,
}

impl<'a, E: Entropy> Computation<'a, E> {
    /// Returns a release before its first round. Where it is charged, the ledger has been charged before.
    pub fn new(prepared: &'a Prepared, rng: E) -> Self {
        Self { prepared, run: prepared.start(), rng, open: None, number: 0 }
    }

    /// Opens the next round: draws its noise and says what is to be summed over all records. `None` after the last.
    pub fn next_statistic(&mut self) -> Option<Statistic> {
        let round = self.run.round()?;
        let drawn = round.noise.draw(&mut self.rng);
        self.number += 1;
        let statistic = round.statistic.clone();
        self.open = Some((round, drawn));
        Some(statistic)
    }

    /// Returns the number of the open round, from 1.
    pub const fn number(&self) -> u32 {
        self.number
    }

    /// Closes the round with the exact sums of all records. Returns its answer, which other threads have to know for the next one.
    ///
    /// # Errors
    /// [`EngineError::Internal`] for sums of another statistic and for arithmetic that does not settle. Its text says nothing of the
    /// table.
    pub fn answer<'b>(&mut self, sums: impl Into<Exact<'b>>) -> Result<Answer, EngineError> {
        let (round, drawn) = self.open.take().ok_or(EngineError::Internal("no round is open"))?;
        let answer = round.noise.answer(drawn, &sums.into(), &mut self.rng).ok_or(UNSETTLED)?;
        self.run.take(answer.clone());
        Ok(answer)
    }

    /// Computes what is published, after the last round.
    pub(super) fn finish(self) -> Result<Finished, EngineError> {
        if self.run.round().is_some() {
            return Err(EngineError::Internal("a release was to be made before its last round"));
        }
        let bounds = self.run.bounds();
        Ok(Finished { bounds, output: self.run.finish(&self.prepared.task)? })
    }
}

impl Computation<'_, PrivateRng> {
    /// Writes the release, after the last round. `charge` says where the ledger was charged.
    ///
    /// # Errors
    /// [`EngineError::Internal`] before the last round, for a plan without noise, and for arithmetic that does not settle. Its text says
    /// nothing of the table.
    ///
    /// # Examples
    /// ```
    /// # use discreet::{engine::Computation, noise::entropy::PrivateRng};
    /// # use discreet::release::document::{LedgerReference, Software};
    /// fn charged(computation: Computation<'_, PrivateRng>, charge: LedgerReference, software: Software) {
    ///     let _ = computation.release(charge, software);
    /// }
    /// ```
    /// Without a charge, or with noise from a seed, it does not compile:
    /// ```compile_fail
    /// # use discreet::{engine::Computation, noise::entropy::PrivateRng, release::document::Software};
    /// fn uncharged(computation: Computation<'_, PrivateRng>, software: Software) {
    ///     let _ = computation.release(None, software);
    /// }
    /// ```
    /// ```compile_fail
    /// # use discreet::{engine::Computation, noise::entropy::DemoRng};
    /// # use discreet::release::document::{LedgerReference, Software};
    /// fn seeded(computation: Computation<'_, DemoRng>, charge: LedgerReference, software: Software) {
    ///     let _ = computation.release(charge, software);
    /// }
    /// ```
    pub fn release(self, charge: LedgerReference, software: Software) -> Result<Release, EngineError> {
        let prepared = self.prepared;
        if prepared.cost.is_none() {
            return Err(EngineError::Internal("a release without noise was asked for"));
        }
        publish(prepared, self.finish()?, Mark::Charged(charge), software)
    }
}

/// Runs every round over the result of one reading: the sums of the only round, or the rows for all rounds.
pub(super) fn over(
    prepared: &Prepared,
    input: &Exact<'_>,
    rng: impl Entropy,
) -> Result<Finished, EngineError> {
    belong(prepared, input)?;
    let mut computation = Computation::new(prepared, rng);
    while let Some(statistic) = computation.next_statistic() {
        match (&statistic, input) {
            (Statistic::Map(_), Exact::Rows(rows)) => computation.answer(&statistic.of(rows))?,
            _ => computation.answer(input.clone())?,
        };
    }
    computation.finish()
}

/// Refuses sums of another plan.
pub(super) fn belong(prepared: &Prepared, input: &Exact<'_>) -> Result<(), EngineError> {
    let fits = match (prepared.statistic(), input) {
        (Statistic::Moments(layout), Exact::Moments(moments)) => moments.layout() == layout,
        (Statistic::Rows(terms), Exact::Rows(rows)) => rows.terms() == terms,
        (Statistic::Map(map), Exact::Cells(cells)) => cells.len() == map.cells(),
        _ => false,
    };
    if fits { Ok(()) } else { Err(EngineError::Internal("the moments belong to another plan")) }
}
