//! A table of a publication.

use leptos::prelude::*;

use super::Quoted;
use crate::release::publication::Table;

/// Draws a table as it is printed, with its notes. On a phone each row is a block, with the head of a cell beside it.
#[component]
pub fn PrintedTable(table: Table) -> impl IntoView {
    let heads = table
        .heads
        .iter()
        .map(|head| view! { <th scope="col" class:numeric=head.numeric>{head.text.clone()}</th> });
    let rows = table.rows.into_iter().map(|row| {
        let mut cells = row.into_iter().zip(&table.heads);
        let first = cells.next().map(|(cell, _)| view! { <th scope="row">{cell}</th> });
        let rest = cells
            .map(|(cell, head)| view! { <td class:numeric=head.numeric data-label=head.beside.clone()>{cell}</td> })
            .collect_view();
        view! { <tr>{first}{rest}</tr> }
    });
    let (label, caption, notes) = (table.caption.clone(), table.caption, table.notes.join(" "));
    view! {
        <div class="scroll" tabindex="0" role="group" aria-label=label>
            <table class="plain printed">
                <caption>{caption}</caption>
                <thead><tr>{heads.collect_view()}</tr></thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        </div>
        {(!notes.is_empty()).then(|| view! { <p class="hint"><Quoted words=notes/></p> })}
    }
}
