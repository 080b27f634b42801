//! The first question about columns: which one is the outcome, and what explains it.

use leptos::prelude::*;

use crate::model::Role;
use crate::ui::draft::{ColumnDraft, is_described};
use crate::ui::parts::Choice;
use crate::ui::state::{App, StateStoreFields};
use crate::ui::text;
use crate::words;

/// Most columns that are offered in one list.
const MOST: usize = 500;

/// Chooses an outcome, and takes all other described columns as features.
#[component]
pub fn Roles() -> impl IntoView {
    let app = App::here();
    let columns = app.state.columns();
    let names = Memo::new(move |_| {
        columns.with(|columns| columns.iter().map(|column| column.name.clone()).collect::<Vec<_>>())
    });
    // Several outcomes are chosen in the table.
    let outcome = Memo::new(move |_| {
        columns.with(|columns| {
            let mut outcomes = columns.iter().filter(|column| column.role == Role::Outcome);
            match (outcomes.next(), outcomes.next()) {
                (None, _) => Some(String::new()),
                (Some(only), None) => Some(only.name.clone()),
                _ => None,
            }
        })
    });
    let choose = Callback::new(move |name: String| {
        columns.update(|columns| {
            for column in columns.iter_mut() {
                if column.name == name {
                    column.role = Role::Outcome;
                } else if column.role == Role::Outcome {
                    column.role = Role::Ignored;
                }
            }
        });
    });
    let others = move |columns: &[ColumnDraft]| {
        let person = app.state.setup().with(|setup| setup.person.clone());
        let free = columns.iter().enumerate().filter(|(_, column)| {
            column.role == Role::Ignored && is_described(column) && column.name != person
        });
        free.map(|(place, _)| place).collect::<Vec<_>>()
    };
    let count = Memo::new(move |_| columns.with(|columns| others(columns).len()));
    let take = move |_| {
        // The store is read before it is changed: both at once would stop the page.
        let places = untrack(|| columns.with(|columns| others(columns)));
        columns.update(|columns| {
            for place in places {
                if let Some(column) = columns.get_mut(place) {
                    column.role = Role::Feature;
                }
            }
        });
    };
    let chooser = move || {
        let names = names.get();
        outcome.with(Option::is_some).then(|| {
            let none = (String::new(), words::roles::none().to_owned());
            let options = std::iter::once(none).chain(names.into_iter().map(|name| (name.clone(), name)));
            view! {
                <Choice id="outcome-column" label=words::roles::outcome() options=options.collect()
                    value=Signal::derive(move || outcome.get().unwrap_or_default()) set=choose/>
            }
        })
    };
    let button = move || {
        let count = count.get();
        (count > 0).then(|| {
            view! { <button type="button" id="take-others" on:click=take>{words::roles::take(count, text::whole(count))}</button> }
        })
    };
    move || {
        names.with(|names| (2..=MOST).contains(&names.len())).then(|| {
            view! { <div class="column-tools roles">{chooser}{button}</div> }
        })
    }
}
