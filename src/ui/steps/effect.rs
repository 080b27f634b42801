//! The line of the outcome over one column, the others held, with its band.

use std::sync::Arc;

use leptos::prelude::*;

use crate::engine::covariance;
use crate::inference::partial_effect::{columns, partial_effect};
use crate::release::Release;
use crate::release::figure;
use crate::release::publication::{DecimalMark, Format, drawing, tables};
use crate::release::supplement::Supplement;
use crate::ui::parts::{Choice, PrintedTable};
use crate::ui::state::{App, StateStoreFields};
use crate::ui::steps::save::Saved;
use crate::ui::{dom, names};
use crate::words;

/// The choice of a column, and its line.
#[component]
pub fn Effect(release: Arc<Release>, supplement: Arc<Supplement>) -> impl IntoView {
    let app = App::here();
    let own = columns(&release.plan);
    let Some(first) = own.first().cloned() else { return ().into_any() };
    let column = RwSignal::new(first);
    let opened = RwSignal::new(false);
    let options: Vec<(String, String)> = own.into_iter().map(|name| (name.clone(), name)).collect();
    let outcomes = figure::outcomes(&release);
    let drawn = move || {
        if !opened.get() {
            return None;
        }
        let chosen = app.state.outcome().get().filter(|chosen| outcomes.contains(chosen));
        let outcome = chosen.or_else(|| outcomes.first().cloned()).unwrap_or_default();
        let lines = figure::lines(&release.plan, &release.coefficients, &outcome);
        let covariance = covariance(&release, &outcome);
        let description = supplement.description.as_ref();
        let effect = column.with(|column| {
            partial_effect(
                &release.plan,
                &lines,
                supplement.log_odds,
                covariance.as_ref(),
                description,
                column,
            )
        });
        let Some(effect) = effect else {
            return Some(view! { <p class="hint">{words::effect::none()}</p> }.into_any());
        };
        if !effect.has_band() {
            return Some(view! { <p class="hint">{words::effect::no_band()}</p> }.into_any());
        }
        let svg = drawing::effect(&release.plan, &outcome, &effect, "", DecimalMark::default());
        let table = tables::effect(&release.plan, &outcome, &effect);
        let name = format!("discreet-effect-{}", column.with(|name| names::plain(name)));
        let release = Arc::clone(&release);
        let write = Callback::new(move |(format, decimal): (Format, DecimalMark)| {
            format.effect(&release.plan, &outcome, &effect, decimal)
        });
        Some(
            view! {
                <div class="drawn" inner_html=svg></div>
                <PrintedTable table/>
                <Saved name write/>
            }
            .into_any(),
        )
    };
    view! {
        <details class="more" id="effect" on:toggle=move |event| opened.set(dom::is_open(&event))>
            <summary>{words::effect::title()}</summary>
            <Choice id="effect-column" label=words::columns::column() options value=column set=Callback::new(move |name| column.set(name))/>
            {drawn}
        </details>
    }
    .into_any()
}
