//! Which variants of genotypes are columns.

use leptos::prelude::*;

use crate::data::genotypes;
use crate::ui::actions::genotypes::choose;
use crate::ui::parts::{Choice, Field};
use crate::ui::state::{App, StateStoreFields};
use crate::ui::{text, variants};
use crate::words;

/// Asks for variants by name, by pattern or by a range of the file.
#[component]
pub fn Variants() -> impl IntoView {
    let app = App::here();
    let by_name = RwSignal::new(true);
    let typed = [RwSignal::new(String::new()), RwSignal::new(String::new()), RwSignal::new(String::new())];
    let [names, first, last] = typed;
    let known = Memo::new(move |_| {
        let table = app.state.table().get();
        table.as_ref().and_then(|table| table.genotypes.clone()).unwrap_or_default()
    });
    let in_use = move || app.state.table().with(|table| table.as_ref().map_or(0, |table| table.names.len()));
    let count = move || text::genotypes::count(known.get().total, in_use().saturating_sub(known.get().first));
    let wanted = Memo::new(move |_| {
        if by_name.get() {
            return variants::typed(&names.get());
        }
        let (first, last) = (first.get().trim().to_owned(), last.get().trim().to_owned());
        let whole = !first.is_empty() && !last.is_empty();
        whole.then_some(genotypes::Choice::Range(first, last)).into_iter().collect()
    });
    let add = move |_| {
        let more = wanted.get_untracked();
        choose(app, variants::both(&known.get_untracked().choices, more.clone()), more);
        typed.iter().for_each(|field| field.set(String::new()));
    };
    let set = |signal: RwSignal<String>| Callback::new(move |value| signal.set(value));
    let fields = move || {
        if by_name.get() {
            view! {
                <Field id="variant-names" label=words::genotypes::names() value=names set=set(names)
                    hint=words::genotypes::names_hint()/>
            }
            .into_any()
        } else {
            view! {
                <Field id="variant-first" label=words::genotypes::first() value=first set=set(first)
                    hint=words::genotypes::range_hint()/>
                <Field id="variant-last" label=words::genotypes::last() value=last set=set(last)/>
            }
            .into_any()
        }
    };
    let options = vec![
        ("names".to_owned(), words::genotypes::names().to_owned()),
        ("range".to_owned(), words::variants::a_range_of_the_file().to_owned()),
    ];
    let chosen = move || {
        let choices = known.get().choices;
        let entries = choices.iter().map(|choice| {
            let words = variants::words(choice);
            let rest: Vec<genotypes::Choice> = choices.iter().filter(|other| *other != choice).cloned().collect();
            view! {
                <li><span class="code">{words.clone()}</span>
                    <button type="button" class="quiet" aria-label=words::variants::remove_one(&words) disabled=move || app.busy()
                        on:click=move |_| choose(app, rest.clone(), Vec::new())>{words::terms::remove_word()}</button></li>
            }
        });
        let entries = entries.collect_view();
        (!choices.is_empty())
            .then(|| view! { <ul class="chosen-variants" aria-label=words::variants::chosen_variants()>{entries}</ul> })
    };
    view! {
        <section class="variants" aria-label=words::genotypes::variants()>
            <h2>{words::genotypes::variants()}</h2>
            <p class="tabular" role="status">{count}</p>
            <div class="variant-fields">
                <Choice id="variant-by" label=words::variants::choose_by() options
                    value=Signal::derive(move || if by_name.get() { "names" } else { "range" }.to_owned())
                    set=Callback::new(move |value: String| by_name.set(value == "names"))/>
                {fields}
                <button type="button" disabled=move || app.busy() || wanted.with(Vec::is_empty) on:click=add>
                    {words::genotypes::add()}</button>
            </div>
            {chosen}
            <p class="hint">{words::genotypes::bounds()}</p>
            <p class="hint">{words::genotypes::missing_calls()}</p>
        </section>
    }
}
