//! Forecasts that rest on rehearsals. A worker makes them, so that the page's thread is free, and the page keeps them.

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::engine::Prepared;
use crate::engine::foresee::{Foreseen, foresee, is_rehearsed};
use crate::plan::Plan;
use crate::ui::table::Table;
use crate::worker::foresee::Forecaster;
use crate::worker::pool::Pool;
use crate::worker::protocol::Question;

/// Forecasts that are kept. No view needs as many at once.
const KEPT: usize = 40;
/// Questions that wait. Older ones are about a plan that has been changed since.
const WAITING: usize = 16;

/// What a plan gives. `None` while it is being made, and `Some(None)` where it cannot be told.
pub type Made<T> = Option<Option<T>>;

/// All forecasts that were made of late, and the worker that makes further ones.
#[derive(Clone, Copy)]
pub struct Forecasts {
    made: RwSignal<Vec<(Question, Option<Foreseen>)>>,
    desk: StoredValue<Desk, LocalStorage>,
}

/// The worker and what it is asked.
struct Desk {
    /// `None` while it works, and after it has failed.
    forecaster: Option<Forecaster>,
    asked: Option<Question>,
    waiting: Vec<Question>,
    has_failed: bool,
}

impl Forecasts {
    /// Creates an empty list. The worker is started by the first question.
    pub fn new(pool: &Pool) -> Self {
        let forecaster = Some(Forecaster::new(pool));
        let desk = Desk { forecaster, asked: None, waiting: Vec::new(), has_failed: false };
        Self { made: RwSignal::default(), desk: StoredValue::new_local(desk) }
    }

    /// Returns the forecast of a prepared plan. A memo or a view that asks runs again when the forecast is made.
    pub fn of(self, plan: &Plan, prepared: &Prepared, table: &Table) -> Made<Foreseen> {
        if !is_rehearsed(prepared) {
            return Some(None);
        }
        let (names, delimiter) = (table.names.clone(), table.delimiter);
        let question = Question { plan: plan.clone(), names, delimiter };
        let is_it = |(asked, _): &&(Question, Option<Foreseen>)| *asked == question;
        let known = self.made.with(|made| made.iter().find(is_it).map(|(_, found)| found.clone()));
        if known.is_some() {
            return known;
        }
        // Without a worker nothing can be released either, and a forecast may take its time.
        if self.desk.with_value(|desk| desk.has_failed) {
            return Some(foresee(prepared));
        }
        self.ask(question);
        None
    }

    fn ask(self, question: Question) {
        let idle = self.desk.try_update_value(|desk| {
            if desk.asked.as_ref() != Some(&question) {
                desk.waiting.retain(|other| *other != question);
                desk.waiting.push(question);
            }
            if desk.waiting.len() > WAITING {
                desk.waiting.remove(0);
            }
            desk.forecaster.take()
        });
        if let Some(forecaster) = idle.flatten() {
            spawn_local(self.work(forecaster));
        }
    }

    /// Answers all questions that wait, the newest first.
    async fn work(self, mut forecaster: Forecaster) {
        let next = |desk: &mut Desk| {
            desk.asked = desk.waiting.pop();
            desk.asked.clone()
        };
        while let Some(question) = self.desk.try_update_value(next).flatten() {
            let Ok(found) = forecaster.ask(&question).await else {
                self.desk.try_update_value(|desk| desk.has_failed = true);
                return self.made.notify();
            };
            self.made.update(|made| {
                made.push((question, found));
                if made.len() > KEPT {
                    made.remove(0);
                }
            });
        }
        self.desk.try_update_value(|desk| desk.forecaster = Some(forecaster));
    }
}
