//! The dialog with a question and its two answers.

use leptos::html::Dialog;
use leptos::prelude::*;

use crate::ui::actions;
use crate::ui::state::{App, StateStoreFields};

/// Asks the open question in a dialog.
#[component]
pub fn Question() -> impl IntoView {
    let app = App::here();
    let dialog = NodeRef::<Dialog>::new();
    Effect::new(move |_| {
        let asks = app.state.question().with(Option::is_some);
        let Some(dialog) = dialog.get() else { return };
        if asks && !dialog.open() {
            // Where the browser cannot show it, nothing is done.
            let _ = dialog.show_modal();
        } else if !asks && dialog.open() {
            dialog.close();
        }
    });
    let asked = move || app.state.question().get();
    view! {
        <dialog class="question" node_ref=dialog aria-labelledby="question-text" on:cancel=move |_: web_sys::Event| actions::answer(app, false)>
            <p id="question-text">{move || asked().map(|question| question.text)}</p>
            <div class="buttons">
                <button type="button" autofocus on:click=move |_| actions::answer(app, false)>{move || asked().map(|question| question.stay)}</button>
                <button type="button" class="quiet" on:click=move |_| actions::answer(app, true)>{move || asked().map(|question| question.go_on)}</button>
            </div>
        </dialog>
    }
}
