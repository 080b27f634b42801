//! The ledger: a bar that only shrinks, and what each release told and cost.

use leptos::prelude::*;

use crate::model::Role;
use crate::privacy::ledger::{Entry, Ledger};
use crate::privacy::units::Units;
use crate::release::figure;
use crate::release::format::{at_most, percent};
use crate::release::remarks::of_rows;
use crate::ui::parts::{Meter, TypedWords};
use crate::ui::state::{App, Kept, StateStoreFields};
use crate::ui::{actions, dom, text, view_model};
use crate::words;

/// Shows what is spent, what is left, and each release so far.
#[component]
pub fn LedgerPanel() -> impl IntoView {
    let app = App::here();
    let body = move || match app.state.ledger().get() {
        Some(ledger) => view! { <Account ledger/> }.into_any(),
        None if app.state.table().with(Option::is_none) => ().into_any(),
        None => view! { <p class="hint">{words::ledger::none()}</p> }.into_any(),
    };
    let is_sample = move || app.state.table().with(|table| table.as_ref().is_some_and(|table| table.sample));
    let again = move || {
        (is_sample() && app.state.ledger().with(Option::is_some)).then(|| {
            view! {
                <p class="hint">{words::ledger::sample_is_public()} " "
                    <button type="button" class="link" on:click=move |_| actions::begin_again(app)>{words::ledger::begin_again()}</button>
                </p>
            }
        })
    };
    let import = move |event: web_sys::Event| {
        if let Some(file) = dom::chosen(&event).into_iter().next() {
            actions::choose_document(app, file);
        }
    };
    view! {
        <section class="block ledger" aria-labelledby="ledger-title">
            <h2 id="ledger-title">{words::ledger::ledger_of_this_table()}</h2>
            {body}
            {again}
            <p class="ledger-import">
                <label class="link" for="import-ledger">{words::ledger::import_a_ledger()}</label>
                <input id="import-ledger" class="file" type="file" accept=".json,application/json" on:change=import/>
                <span class="hint">{words::ledger::import_hint()}</span>
            </p>
            <Erase/>
        </section>
    }
}

/// Erases all that this browser keeps, after a typed word.
#[component]
fn Erase() -> impl IntoView {
    let app = App::here();
    view! {
        <details class="more">
            <summary>{words::erase::title()}</summary>
            <p class="hint">{words::erase::what()}</p>
            <TypedWords id="ledger-erase" label=words::erase::label() wrong=words::erase::other_word() button=words::erase::act()
                act=move |typed| actions::erase(app, typed)/>
        </details>
    }
}

#[component]
fn Account(ledger: Ledger) -> impl IntoView {
    let capacity = ledger.capacity();
    let parts = view_model::budget_parts(&capacity).into_iter().map(|(label, wallet)| {
        let left = view_model::left(&ledger, wallet);
        let spent = view_model::taken(&ledger.charged(), &capacity, wallet);
        view! {
            <p class="tabular">{label.map(words::ledger::of_part)}<strong>{text::left_line(left)}</strong> {words::ledger::charged(percent(spent))}</p>
            <Meter share=Signal::derive(move || left) ask=Signal::derive(|| 0.0)/>
        }
    });
    let parts = parts.collect_view();
    let several = ledger.entries().len() > 1;
    let rows = ledger.entries().to_vec().into_iter().map(move |entry| view! { <EntryRow entry capacity/> });
    view! {
        {parts}
        <div class="scroll" tabindex="0" role="group" aria-label=words::ledger::releases_charged_to_this_ledger()>
            <table class="plain">
                <caption class="hidden">{words::ledger::releases_charged_to_this_ledger()}</caption>
                <thead><tr>
                    <th scope="col">{words::ledger::no()}</th><th scope="col">{words::ledger::result()}</th><th scope="col" class="numeric">{words::ledger::cost()}</th>
                    <th scope="col"><span class="hidden">{words::ledger::open()}</span></th>
                </tr></thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        </div>
        {several.then(|| view! { <p class="hint">{words::ledger::not_added()}</p> })}
        <p class="hint">{words::ledger::limits()}</p>
    }
}

#[component]
fn EntryRow(entry: Entry, capacity: Units) -> impl IntoView {
    let app = App::here();
    let number: u64 = entry.seq.parse().unwrap_or(0);
    let kept =
        app.state.releases().with_untracked(|all| all.iter().find(|kept| kept.entry == number).cloned());
    let told = match &kept {
        None => entry.disjoint_from().map_or_else(|| entry.mechanism.clone(), text::different_from),
        Some(Kept { release: None, .. }) => {
            words::ledger::outcomes_by_mechanism(words::ledger::many_outcomes(), &entry.mechanism)
        }
        Some(Kept { release: Some(release), .. }) => {
            let outcomes = figure::outcomes(release);
            let features: Vec<String> = figure::columns(release)
                .into_iter()
                .filter(|column| column.role == Role::Feature)
                .filter_map(|column| column.name)
                .collect();
            match (outcomes.is_empty(), release.privacy.epsilon) {
                (false, Some(epsilon)) => words::ledger::regression(
                    of_rows(&release.plan, text::list(&outcomes, 2)),
                    text::list(&features, 3),
                    &entry.mechanism,
                    at_most(epsilon),
                ),
                (false, None) => {
                    words::ledger::outcomes_by_mechanism(text::list(&outcomes, 2), &entry.mechanism)
                }
                // Where bounds were not found, nothing was fitted.
                (true, _) => words::ledger::outcomes_by_mechanism(words::ledger::bounds(), &entry.mechanism),
            }
        }
    };
    let cost = view_model::entry_share(&entry, &capacity);
    let state = if entry.disjoint_from().is_some() {
        words::ledger::asserted()
    } else {
        text::entry_state(entry.state)
    };
    let label = words::ledger::open_release(&entry.seq);
    let open = kept.map(|kept| {
        view! { <button type="button" class="quiet" aria-label=label on:click=move |_| actions::show_kept(app, kept.entry)>{words::ledger::open()}</button> }
    });
    view! {
        <tr>
            <td>{entry.seq}</td>
            <td>{told}<p class="hint">{state}</p></td>
            <td class="numeric">{percent(cost)}</td>
            <td>{open}</td>
        </tr>
    }
}
