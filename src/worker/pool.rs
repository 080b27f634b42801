//! The page's side of its workers: start, time out, cancel, terminate.

use super::context::StartContext;
use super::protocol::{Failure, Progress, Reason};
use crate::plan::Plan;
use crate::privacy::ledger::Ledger;
use crate::release::Release;

/// Starts an engine worker and its scanning workers for each request, and ends them with it. Clones share one run.
#[derive(Clone)]
pub struct Pool {
    context: StartContext,
}

impl Pool {
    /// A pool that starts its workers from what the page loaded.
    #[must_use]
    pub fn new(context: StartContext) -> Self {
        Self { context }
    }

    /// Starts one worker and ends it: whether the browser runs the program, whether it is the page's build, and
    /// whether it computes the known answers. To be called once, before any budget can be spent.
    ///
    /// # Errors
    /// [`Reason::Program`].
    pub async fn check(&self) -> Result<(), Failure> {
        Err(Failure::new(Reason::Internal, self.context.build.clone()))
    }

    /// Recognises the table: its key in [`crate::store`], on this device alone.
    ///
    /// # Errors
    /// Where the file cannot be read, the storage refuses, a worker does not run, or the person cancels.
    pub async fn identify(
        &self,
        file: &web_sys::Blob,
        on_progress: impl Fn(Progress) + 'static,
    ) -> Result<String, Failure> {
        let _ = (file, on_progress);
        Err(Failure::new(Reason::Internal, "not built yet"))
    }

    /// Reads the table, charges its ledger and releases. `table` is what [`Self::identify`] answered for this file.
    ///
    /// # Errors
    /// As for [`Self::identify`], and where the plan cannot be run or the budget does not allow it. The failure says
    /// whether the charge was made.
    pub async fn release(
        &self,
        file: &web_sys::Blob,
        plan: Plan,
        table: String,
        on_progress: impl Fn(Progress) + 'static,
    ) -> Result<(Release, Ledger), Failure> {
        let _ = (file, plan, table, on_progress);
        Err(Failure::new(Reason::Internal, "not built yet"))
    }

    /// Ends the request that is running, if there is one, and its workers. That request fails with
    /// [`Reason::Cancelled`]; a charge that had been stored stays.
    pub fn cancel(&self) {}
}
