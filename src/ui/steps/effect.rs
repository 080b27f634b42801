//! The line of the outcome over one column, the others held, with its band.

use std::sync::Arc;

use leptos::prelude::*;

use crate::engine::covariance;
use crate::inference::partial_effect::{columns, difference, partial_effect, range};
use crate::release::Release;
use crate::release::figure;
use crate::release::format::short;
use crate::release::publication::{DecimalMark, Format, drawing, tables};
use crate::release::supplement::Supplement;
use crate::ui::draft::number;
use crate::ui::parts::{Choice, Field, PrintedTable};
use crate::ui::state::{App, StateStoreFields};
use crate::ui::steps::save::Saved;
use crate::ui::{dom, names};
use crate::words;

/// Draws the line of a column's effect, and asks for the column.
#[component]
pub fn Effect(release: Arc<Release>, supplement: Arc<Supplement>) -> impl IntoView {
    let app = App::here();
    let own = columns(&release.plan);
    let Some(first) = own.first().cloned() else { return ().into_any() };
    let column = RwSignal::new(first);
    let opened = RwSignal::new(false);
    let typed = [RwSignal::new(String::new()), RwSignal::new(String::new())];
    let choose = Callback::new(move |name| {
        typed.iter().for_each(|value| value.set(String::new()));
        column.set(name);
    });
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
        let range = column.with(|column| range(&release.plan, column)).unwrap_or_default();
        let (own, of, log_odds) = (Arc::clone(&release), outcome.clone(), supplement.log_odds);
        let description = supplement.description.clone();
        let told = move |values: [f64; 2]| {
            let (plan, covariance) = (&own.plan, covariance.as_ref()?);
            let column = column.get();
            let found = difference(plan, &lines, covariance, description.as_ref(), &column, values)?;
            Some(tables::step(plan, &of, log_odds, &column, values, &found))
        };
        let between = view! { <Between column=column.get() range typed told/> };
        let release = Arc::clone(&release);
        let write = Callback::new(move |(format, decimal): (Format, DecimalMark)| {
            format.effect(&release.plan, &outcome, &effect, decimal)
        });
        Some(
            view! {
                <div class="drawn" inner_html=svg></div>
                {between}
                <PrintedTable table/>
                <Saved name write/>
            }
            .into_any(),
        )
    };
    view! {
        <details class="more" id="effect" on:toggle=move |event| opened.set(dom::is_open(&event))>
            <summary>{words::effect::title()}</summary>
            <Choice id="effect-column" label=words::columns::column() options value=column set=choose/>
            {drawn}
        </details>
    }
    .into_any()
}

/// Asks for two values of the column, and says by how much the outcome differs between them. The values are kept nowhere else.
#[component]
fn Between(
    column: String,
    range: (f64, f64),
    typed: [RwSignal<String>; 2],
    told: impl Fn([f64; 2]) -> Option<String> + Send + 'static,
) -> impl IntoView {
    let [from, to] = typed;
    let (lower, upper) = range;
    let found = move || {
        let [from, to] = [from, to].map(|value| value.with(|value| number(value)));
        told([from?, to?])
    };
    let field = |id, label, value: RwSignal<String>| {
        view! { <Field id label value numeric=true set=Callback::new(move |text| value.set(text))/> }
    };
    view! {
        <fieldset class="plainset between">
            <legend>{words::effect::two_values(column)}</legend>
            <p class="hint">{words::effect::two_values_hint(short(lower, 6), short(upper, 6))}</p>
            <div class="fields">
                {field("effect-from", words::effect::from(), from)}
                {field("effect-to", words::effect::to(), to)}
            </div>
            <p role="status"><strong>{found}</strong></p>
        </fieldset>
    }
}
