//! The dialog that asks before a description is replaced.

use leptos::html::Dialog;
use leptos::prelude::*;

use crate::ui::actions;
use crate::ui::state::{App, StateStoreFields};
use crate::words;

/// Asks, where there is a question.
#[component]
pub fn Question() -> impl IntoView {
    let app = App::here();
    let dialog = NodeRef::<Dialog>::new();
    Effect::new(move |_| {
        let asks = app.state.question().with(Option::is_some);
        let Some(dialog) = dialog.get() else { return };
        if asks && !dialog.open() {
            // Where the browser cannot show it, nothing is replaced.
            let _ = dialog.show_modal();
        } else if !asks && dialog.open() {
            dialog.close();
        }
    });
    view! {
        <dialog class="question" node_ref=dialog aria-labelledby="question-text" on:cancel=move |_: web_sys::Event| actions::answer(app, false)>
            <p id="question-text">{move || app.state.question().get()}</p>
            <div class="buttons">
                <button type="button" autofocus on:click=move |_| actions::answer(app, false)>{words::confirm::keep()}</button>
                <button type="button" class="quiet" on:click=move |_| actions::answer(app, true)>{words::confirm::replace()}</button>
            </div>
        </dialog>
    }
}
