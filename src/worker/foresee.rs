//! Forecasts of plans in a worker: their rehearsals take hundreds of milliseconds, in which a person goes on typing.

use std::rc::Rc;

use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::JsValue;

use super::channel::Received;
use super::context::StartContext;
use super::pool::{Pool, Run};
use super::protocol::{Failure, Question, Request, Response};
use crate::engine::foresee::{Foreseen, foresee};
use crate::engine::prepare;
use crate::plan::Purpose;

/// Forecasts a plan. What it costs is told elsewhere, so it needs none of a release's confirmations.
pub(super) fn answer(question: Question) -> Result<JsValue, Failure> {
    let Question { plan, names, delimiter } = question;
    let prepared = prepare(plan, &names, delimiter, Purpose::Simulate).map_err(Failure::plan)?;
    let found = foresee(&prepared).serialize(&Serializer::new().serialize_missing_as_null(true));
    found.map_err(|_| Failure::protocol())
}

/// The page's end of a worker that answers one question after another.
pub struct Forecaster {
    context: Rc<StartContext>,
    run: Option<Run>,
}

impl Forecaster {
    /// Creates the page's end. The worker runs the pool's program, and is started when it is first asked.
    pub fn new(pool: &Pool) -> Self {
        Self { context: Rc::clone(&pool.context), run: None }
    }

    /// Forecasts a plan, as [`foresee`] does.
    ///
    /// # Errors
    /// [`Failure`] if the plan cannot be run, or if the worker does not.
    pub async fn ask(&mut self, question: &Question) -> Result<Option<Foreseen>, Failure> {
        let run = match &mut self.run {
            Some(run) => run,
            None => {
                let mut run = Run::start(&self.context, 1)?;
                run.ready().await?;
                self.run.insert(run)
            }
        };
        run.tell(&Request::Foresee(Box::new(question.clone())))?;
        let Received { body: Response::Foreseen, attachments } = run.answer(&|_| ()).await? else {
            return Err(Failure::protocol());
        };
        let found = attachments.value.ok_or_else(Failure::protocol)?;
        serde_wasm_bindgen::from_value(found).map_err(|_| Failure::protocol())
    }
}
