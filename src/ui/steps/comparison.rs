//! All mechanisms beside each other, once somebody wants to see them.

use leptos::prelude::*;

use super::privacy::worth;
use crate::release::format::percent;
use crate::ui::parts::Quoted;
use crate::ui::state::{App, StateStoreFields};
use crate::ui::view_model::{self, Row};
use crate::ui::{dom, text};
use crate::words;

/// Draws the comparison of methods under a fold. It is computed once opened.
#[component]
pub fn Comparison() -> impl IntoView {
    let app = App::here();
    let asked = RwSignal::new(false);
    let compared = Memo::new(move |_| {
        if !asked.get() {
            return None;
        }
        let plan = app.plan.get().ok()?;
        let table = app.state.table().get()?;
        let worth = worth(app)?;
        let public = app.public.get().ok().flatten();
        Some(view_model::compare(&plan, public.as_deref(), &table, worth.epsilon, worth.delta, app.forecasts))
    });
    let table = move || {
        let Some(compared) = compared.get() else {
            return view! { <p class="hint">{words::method::state_the_budget_and_describe_the()}</p> }
                .into_any();
        };
        let groups = compared.into_iter().map(|(group, rows)| {
            let rows = rows.into_iter().map(|row| view! { <Line row/> });
            view! {
                <tbody>
                    <tr class="group"><th scope="rowgroup" colspan="4">{words::of_mechanism(group.title)}</th></tr>
                    {rows.collect_view()}
                </tbody>
            }
        });
        view! {
            <div class="scroll" tabindex="0" role="group" aria-label=words::method::compare()>
                <table class="plain compare">
                    <caption class="hidden">{words::method::compare()}</caption>
                    <thead><tr>
                        <th scope="col">{words::method::mechanism()}</th>
                        <th scope="col" class="numeric">{words::method::noise_of_a_plausible_effect()}</th>
                        <th scope="col" class="numeric">{words::method::shrinks_by()}</th>
                        <th scope="col">{words::method::its_proof_covers()}</th>
                    </tr></thead>
                    {groups.collect_view()}
                </table>
            </div>
            <p class="hint">{words::method::compare_note()}</p>
        }
        .into_any()
    };
    view! {
        <details class="more" on:toggle=move |event| asked.set(dom::is_open(&event))>
            <summary>{words::method::compare()}</summary>
            {table}
        </details>
    }
}

#[component]
fn Line(row: Row) -> impl IntoView {
    let (info, found) = row;
    let name = view! { <th scope="row" class="code">{info.name}</th> };
    match found {
        Ok(found) => view! {
            <tr>
                {name}
                <td class="numeric">{text::span(found.noise)}</td>
                <td class="numeric">{percent(found.shrinkage)}</td>
                <td>{text::assurance(found.assurance)}</td>
            </tr>
        }
        .into_any(),
        Err(why) => {
            view! { <tr>{name}<td colspan="3" class="quietly"><span class="why"><Quoted words=why/></span></td></tr> }
                .into_any()
        }
    }
}
