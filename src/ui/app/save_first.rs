//! The dialog that asks for the ledger to be saved before a release, where the browser keeps nothing.

use leptos::html::Dialog;
use leptos::prelude::*;

use crate::release::format::percent;
use crate::ui::state::{App, Reserved, StateStoreFields};
use crate::ui::{actions, view_model};
use crate::words;

/// Asks the person to save the ledger while a reserved charge waits for it.
#[component]
pub fn SaveFirst() -> impl IntoView {
    let app = App::here();
    let dialog = NodeRef::<Dialog>::new();
    let waits = Memo::new(move |_| app.state.reserved().with(Option::is_some));
    Effect::new(move |_| {
        let waits = waits.get();
        let Some(dialog) = dialog.get() else { return };
        if waits && !dialog.open() && dialog.show_modal().is_err() {
            // Where the browser cannot show it, nothing is charged.
            actions::refuse_to_save(app);
        } else if !waits && dialog.open() {
            dialog.close();
        }
    });
    let charge = move || {
        app.state.reserved().with(|reserved| {
            let ledger = &reserved.as_ref()?.ledger;
            let entry = ledger.entries().last()?;
            let share = view_model::entry_share(entry, &ledger.capacity());
            Some(words::nothing_kept::charge(percent(share), &entry.seq))
        })
    };
    let saved = move || {
        let name = |reserved: &Option<Reserved>| reserved.as_ref()?.saved.clone();
        app.state.reserved().with(name)
    };
    let if_cancelled = move || match saved() {
        Some(name) => words::nothing_kept::cancel_saved(name),
        None => words::nothing_kept::cancel_unsaved().to_owned(),
    };
    // A browser closes a dialog on Escape. Once the charge is saved, only the button cancels it.
    let closed = move |_: web_sys::Event| match (untrack(saved), dialog.get_untracked()) {
        (_, Some(dialog)) if dialog.open() => {}
        (Some(_), Some(dialog)) if dialog.show_modal().is_ok() => {}
        _ => actions::refuse_to_save(app),
    };
    view! {
        <dialog class="question" node_ref=dialog aria-labelledby="save-first-title" aria-describedby="save-first-charge" on:close=closed>
            <h2 id="save-first-title">{words::nothing_kept::save_first()}</h2>
            <p id="save-first-charge">{charge}</p>
            <p role="status">{if_cancelled}</p>
            <div class="buttons">
                <button type="button" autofocus on:click=move |_| actions::save_reserved(app)>{words::nothing_kept::save()}</button>
                <button type="button" disabled=move || saved().is_none() on:click=move |_| actions::release_saved(app)>{words::nothing_kept::release()}</button>
                <button type="button" class="quiet" on:click=move |_| actions::refuse_to_save(app)>{words::release_bar::cancel()}</button>
            </div>
        </dialog>
    }
}
