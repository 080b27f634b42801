//! Other tables with people of this one: whose ledger pays, and a person's word that they are different people.

use leptos::prelude::*;

use crate::store::people::Shared;
use crate::ui::parts::{PrivateZone, TypedWords};
use crate::ui::state::{App, StateStoreFields};
use crate::ui::{actions, text};
use crate::words;

/// Says to whose ledger this table is charged. `None` for a table of new people.
pub fn sentence(app: App) -> Option<String> {
    let names = |shared: &[Shared]| shared.iter().map(Shared::name).collect::<Vec<_>>();
    if let Some(word) = app.state.different().get() {
        return Some(words::people::said_different(text::list(&names(word.shared()), 3)));
    }
    let alike = app.state.alike().with(|alike| names(alike));
    if !alike.is_empty() {
        return Some(words::people::alike(text::list(&alike, 3)));
    }
    let others = app.state.shared().with(|shared| names(shared));
    let joined = app.state.joined().get();
    app.state.ledger().with(|ledger| {
        let own = Shared::of(ledger.as_ref()?);
        match (joined, others.as_slice()) {
            (true, others) => Some(text::shares_people(&own.name(), others)),
            (false, []) => None,
            (false, others) => Some(text::also_shares(others)),
        }
    })
}

/// Says which rows of a person count under a ledger, where one person may have several or a column of the open table tells persons apart.
pub fn sets(app: App, most: u32, person: Option<&str>) -> Option<String> {
    let names = app.names();
    let person = person.filter(|person| names.iter().any(|name| name == person))?;
    Some(match most {
        1 => words::people::sets_one_row(person),
        most => words::people::sets_rows(person, most, most),
    })
}

/// Says to whose ledger this table is charged, and lets the person say that the people are different ones.
#[component]
pub fn People() -> impl IntoView {
    let app = App::here();
    let told = Memo::new(move |_| sentence(app));
    let joined = Memo::new(move |_| app.state.joined().get() && app.state.different().with(Option::is_none));
    let different = Memo::new(move |_| app.state.different().with(Option::is_some));
    move || {
        told.get().map(|told| {
            view! {
                <PrivateZone title=words::people::the_same_people_in_other_tables()>
                    <p>{told}</p>
                    {move || joined.get().then(|| view! {
                        <details class="more"><summary>{words::page::different()}</summary><Words/></details>
                    })}
                    <Alike/>
                    {move || different.get().then(|| view! {
                        <p><button type="button" class="quiet" on:click=move |_| actions::take_back(app)>{words::people::take_back()}</button></p>
                    })}
                </PrivateZone>
            }
        })
    }
}

/// Asks for the words that confirm that the people are different ones.
#[component]
fn Words() -> impl IntoView {
    let app = App::here();
    view! {
        <p class="hint">{words::people::different_why()}</p>
        <TypedWords id="privacy-different" label=words::people::different_label() wrong=words::people::different_words()
            button=words::people::different_do() act=move |typed| actions::differ(app, typed)/>
    }
}

/// Asks whether tables with the same columns are about the same people.
#[component]
fn Alike() -> impl IntoView {
    let app = App::here();
    let alike = Memo::new(move |_| app.state.alike().get());
    move || {
        let alike = alike.get();
        (!alike.is_empty()).then(|| {
            let buttons = alike.into_iter().map(|shared| {
                let label = words::people::join(shared.name());
                let sets = sets(app, shared.max_rows, shared.person.as_deref());
                let ledger = shared.ledger;
                view! { <p><button type="button" on:click=move |_| actions::join(app, ledger.clone())>{label}</button> " " {sets}</p> }
            });
            view! { {buttons.collect_view()} <Words/> }
        })
    }
}
