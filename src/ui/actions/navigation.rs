//! Goes to a step, and keeps the address at it.

use leptos::prelude::*;

use crate::ui::draft::{Gap, Place};
use crate::ui::state::{App, StateStoreFields};
use crate::ui::step::Step;
use crate::ui::table::PAGE;
use crate::ui::{check, dom};

/// Follows the address from now on, and writes into it which step is open. `of_address` knows the steps' addresses.
pub fn follow_address(app: App, of_address: fn(&str) -> Option<Step>) {
    let arrive = move || {
        let address = dom::hash();
        check::run::follow(app, &address);
        let step = app.state.step();
        if let Some(asked) = of_address(&address).filter(|asked| *asked != step.get_untracked()) {
            step.set(asked);
            dom::top_soon("step-title");
        }
    };
    arrive();
    // The listener lives as long as the page.
    let _ = window_event_listener(leptos::ev::hashchange, move |_| arrive());
    Effect::new(move |before: Option<Step>| {
        let step = app.state.step().get();
        if before.is_some_and(|before| before != step) {
            dom::set_hash(&step.address());
        }
        step
    });
}

/// Goes to a step.
pub fn go(app: App, step: Step) {
    check::run::close(app);
    app.state.step().set(step);
    dom::top_soon("step-title");
}

/// Goes to where something is missing.
pub fn go_to(app: App, gap: &Gap) {
    go_to_place(app, &gap.place);
}

/// Goes to a place.
pub fn go_to_place(app: App, place: &Place) {
    app.state.step().set(place.step());
    match place {
        Place::Cell(row, cell) => {
            app.state.filter().set(String::new());
            app.state.described().set(false);
            app.state.page().set(row / PAGE);
            dom::focus_selector_soon(format!("[data-row='{row}'][data-cell='{cell:?}']"));
        }
        place => dom::focus_selector_soon(format!("#{}", place.id().as_deref().unwrap_or("step-title"))),
    }
}

/// Goes to what is typical of a column.
pub fn go_to_typical(app: App, column: usize) {
    app.state.step().set(Step::Method);
    dom::focus_selector_soon(format!(".assumptions [data-column='{column}'] input"));
}
