//! How wide intervals are with other budgets than the present one.

use std::time::Duration;

use leptos::leptos_dom::helpers::TimeoutHandle;
use leptos::prelude::*;

use crate::engine::foresee::Precision;
use crate::model::note::widening;
use crate::ui::draft::Setup;
use crate::ui::forecasts::Made;
use crate::ui::state::{App, StateStoreFields};
use crate::ui::view_model;
use crate::words;

/// How long nothing is changed before other budgets are rehearsed.
const PAUSE: Duration = Duration::from_millis(300);

/// Columns above which only the present budget is foreseen.
const MANY: usize = 60;

/// Widths with other setups, which differ from the present one in their budget alone.
#[derive(Clone, Copy)]
pub struct Widths {
    app: App,
    /// The present one's, with the size of its μ.
    here: Memo<Option<(f64, Precision)>>,
    /// Those of others.
    rehearsed: RwSignal<Vec<(f64, Precision)>>,
    /// The others that are still to be rehearsed. `None` until nothing has been changed for a while.
    left: RwSignal<Option<Vec<Setup>>>,
}

impl Widths {
    /// Rehearses the setups that `others` makes of the present one, one after another, whenever nothing has been changed for a while.
    pub fn new(app: App, others: impl Fn(&Setup) -> Vec<Setup> + Send + Sync + 'static) -> Self {
        let here = Memo::new(move |_| app.state.setup().with(|setup| size(app, setup)).zip(present(app)));
        let left = RwSignal::new(None);
        let widths = Self { app, here, rehearsed: RwSignal::default(), left };
        // None of them has the present budget, so that its choice alone rehearses nothing again.
        let others = Memo::new(move |_| app.state.setup().with(&others));
        let waiting = StoredValue::new_local(None::<TimeoutHandle>);
        let stop = move || {
            if let Some(handle) = waiting.get_value() {
                handle.clear();
            }
        };
        Effect::new(move |_| {
            stop();
            widths.rehearsed.set(Vec::new());
            left.set(None);
            app.state.columns().track();
            app.state.ledger().track();
            let many = app.state.table().with(|table| table.as_ref().is_none_or(|t| t.names.len() > MANY));
            let others = others.get();
            let asked = move || left.set(Some(if many { Vec::new() } else { others }));
            waiting.set_value(set_timeout_with_handle(asked, PAUSE).ok());
        });
        // Runs again when a setup is done, and when the forecast of the next one is made.
        Effect::new(move |_| {
            let Some(there) = left.with(|left| left.as_ref()?.last().cloned()) else { return };
            let Some(found) = precision(app, &there) else { return };
            if let Some((found, size)) = found.zip(untrack(|| size(app, &there))) {
                widths.rehearsed.update(|rehearsed| rehearsed.push((size, found)));
            }
            left.update(|left| drop(left.as_mut().and_then(Vec::pop)));
        });
        on_cleanup(stop);
        widths
    }

    /// Returns whether other budgets are still to be rehearsed.
    pub fn is_busy(self) -> bool {
        self.left.with(|left| left.as_ref().is_none_or(|left| !left.is_empty()))
    }

    /// Returns how wide intervals are with another setup. `None` if that cannot be told.
    pub fn at(self, there: &Setup) -> Option<Precision> {
        let mut known = self.rehearsed.get();
        known.extend(self.here.get());
        known.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        Precision::between(&known, size(self.app, there)?)
    }
}

/// Returns the μ of a setup's next release, up to a common factor: a share of a chosen budget, or of what is left in a fixed one.
fn size(app: App, setup: &Setup) -> Option<f64> {
    let is_fixed = app.state.ledger().with(Option::is_some);
    let whole = if is_fixed { 1.0 } else { view_model::worth(setup)?.mu };
    (setup.share > 0).then(|| whole * f64::from(setup.share).sqrt())
}

/// Returns how wide intervals are with the present budget.
fn present(app: App) -> Option<Precision> {
    let falls_back = app.recommended.with(|found| found.too_few);
    let by_hand = app.state.setup().with(|setup| setup.mechanism.is_some());
    match app.forecast.get() {
        Ok(_) if falls_back && !by_hand => Some(Precision::NOTHING),
        Ok(forecast) => forecast.precision,
        Err(_) => app.state.setup().with(|setup| precision(app, setup)).flatten(),
    }
}

fn precision(app: App, there: &Setup) -> Made<Precision> {
    let (table, ledger) = (app.state.table().get().unwrap_or_default(), app.state.ledger().get());
    app.state
        .columns()
        .with(|columns| view_model::precision_with(columns, there, ledger.as_ref(), &table, app.forecasts))
}

/// Says by how much intervals are wider than without privacy.
pub fn width_in_words(precision: Precision) -> String {
    match precision.at(1.0).map(widening) {
        None if precision.is_nothing() => words::method::penalised_at_best().to_owned(),
        None => words::privacy::level_withheld().to_owned(),
        Some(times) if precision.is_full() => words::privacy::level_width(times),
        Some(times) => words::privacy::level_doubtful(times),
    }
}
