//! What a forecast assumes of each number among the columns, and where a person knows better.

use leptos::prelude::*;

use crate::model::Role;
use crate::plan::document::ColumnType;
use crate::ui::draft::ColumnDraft;
use crate::ui::state::{App, StateStoreFields};
use crate::words;

/// Columns that are listed.
const SHOWN: usize = 40;

/// Typical mean and standard deviation of each number: stated with a preset, or typed.
#[component]
pub fn Assumptions() -> impl IntoView {
    let app = App::here();
    let numbers = Memo::new(move |_| {
        app.state.columns().with(|columns| {
            let counted = |column: &ColumnDraft| {
                column.role != Role::Ignored && column.kind == Some(ColumnType::Number)
            };
            let listed = columns.iter().enumerate().filter(|(_, column)| counted(column));
            listed.map(|(index, column)| (index, column.name.clone())).take(SHOWN).collect::<Vec<_>>()
        })
    });
    move || {
        let numbers = numbers.get();
        (!numbers.is_empty()).then(|| {
            let rows = numbers.into_iter().map(|(index, name)| view! { <Assumption index name/> });
            view! {
                <details class="more">
                    <summary>{words::method::assumptions()}</summary>
                    <p class="hint">{words::method::assumptions_hint()}</p>
                    <div class="scroll" tabindex="0" role="group" aria-label=words::method::assumptions()>
                        <table class="plain assumptions">
                            <thead><tr>
                                <th scope="col">{words::method::assumptions_column()}</th>
                                <th scope="col">{words::method::typical_mean()}</th>
                                <th scope="col">{words::method::typical_sd()}</th>
                            </tr></thead>
                            <tbody>{rows.collect_view()}</tbody>
                        </table>
                    </div>
                </details>
            }
        })
    }
}

#[component]
fn Assumption(index: usize, name: String) -> impl IntoView {
    let app = App::here();
    let cell = move |label: String, get: fn(&ColumnDraft) -> &String, set: fn(&mut ColumnDraft, String)| {
        let value = Memo::new(move |_| {
            app.state.columns().with(|columns| columns.get(index).map(get).cloned().unwrap_or_default())
        });
        let typed = move |event: web_sys::Event| {
            let text = event_target_value(&event);
            app.state.columns().update(|columns| {
                if let Some(column) = columns.get_mut(index) {
                    set(column, text);
                }
            });
        };
        view! {
            <td><input type="text" class="numeric" inputmode="decimal" autocomplete="off" aria-label=label
                prop:value=move || value.get() on:input=typed/></td>
        }
    };
    view! {
        <tr>
            <th scope="row">{name.clone()}</th>
            {cell(words::method::typical_mean_of(&name), |column| &column.typical_mean, |column, text| column.typical_mean = text)}
            {cell(words::method::typical_sd_of(&name), |column| &column.typical_sd, |column, text| column.typical_sd = text)}
        </tr>
    }
}
