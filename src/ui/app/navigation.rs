//! The step navigation: each step with its status in one line, and the budget that is left.

use leptos::prelude::*;

use crate::release::format::percent;
use crate::ui::parts::{Icon, Meter};
use crate::ui::state::{App, BuildCheckStoreFields, StateStoreFields};
use crate::ui::step::Step;
use crate::ui::steps::{STEPS, StepInfo};
use crate::ui::{actions, check, dom, text, view_model};
use crate::words;

/// Draws the navigation: at the left, or as a bar at the top on phones.
#[component]
pub fn Navigation() -> impl IntoView {
    view! {
        <div class="navigation">
            <header class="brand">
                <p class="wordmark">{words::page::name()}</p>
                <p class="tagline">{words::page::tagline()}</p>
            </header>
            <nav aria-label=words::page::steps()>
                <ol class="steps">{STEPS.iter().map(|info| view! { <StepEntry info/> }).collect_view()}</ol>
            </nav>
            <section class="navigation-foot" aria-label=words::page::budget_check_and_appearance()>
                <BudgetMeter/>
                <CheckEntry/>
                <Appearance/>
            </section>
        </div>
    }
}

#[component]
fn StepEntry(info: &'static StepInfo) -> impl IntoView {
    let app = App::here();
    let checking = move || app.state.check().open().get();
    let step = info.step;
    let current = move || (app.state.step().get() == step && !checking()).then_some("step");
    let status = Memo::new(move |_| (info.status)(app));
    let open = move || status.with(|status| status.open);
    view! {
        <li>
            <button type="button" class="step" class:open=open aria-current=current on:click=move |_| actions::go(app, step)>
                <span class="step-name">{(info.name)()}</span>
                <span class="step-state">
                    // What it says of the table is for this machine alone.
                    {(step == Step::Data).then(|| view! { <Icon name="lock"/> })}
                    {move || status.get().words}
                </span>
            </button>
        </li>
    }
}

#[component]
fn CheckEntry() -> impl IntoView {
    let app = App::here();
    let current = move || app.state.check().open().get().then_some("page");
    let state = Memo::new(move |_| {
        let (tally, items) = check::run::tally(app);
        text::check::line(app.state.check().running().get(), tally, items.max(1))
    });
    view! {
        <p class="check-entry">
            <a href=check::run::ADDRESS aria-current=current>{words::check::title()}</a>
            <span class="quietly">{state}</span>
        </p>
    }
}

#[component]
fn BudgetMeter() -> impl IntoView {
    let app = App::here();
    let left = Signal::derive(move || {
        let wallet = app.state.setup().with(view_model::wallet);
        app.state
            .ledger()
            .with(|ledger| ledger.as_ref().map_or(0.0, |ledger| view_model::left(ledger, wallet)))
    });
    let ask = Signal::derive(move || {
        app.forecast.with(|forecast| forecast.as_ref().map_or(0.0, |f| f.of_all.min(1.0)))
    });
    let words = move || {
        let fixed = app.state.ledger().with(Option::is_some);
        let left = left.get();
        if fixed { text::left_line(left) } else { words::page::not_fixed_yet().to_owned() }
    };
    let next = move || {
        let ask = ask.get();
        (ask > 0.0).then(|| words::page::next_release(percent(ask)))
    };
    view! {
        <div class="budget">
            <p class="budget-line"><span>{words::page::budget()}</span> <strong class="tabular">{words}</strong></p>
            <Meter share=left ask/>
            <p class="budget-next tabular">{next}</p>
        </div>
    }
}

#[component]
fn Appearance() -> impl IntoView {
    let (colours, large) = dom::look_again();
    let is = |choice: &str| colours.as_deref() == Some(choice);
    let choose = move |event| dom::colours(&event_target_value(&event));
    let present = move |event| dom::presentation(event_target_checked(&event));
    view! {
        <div class="appearance">
            <label for="appearance">{words::page::appearance()}</label>
            <select id="appearance" on:change=choose>
                <option value="system">{words::page::as_the_system()}</option>
                <option value="light" selected=is("light")>{words::page::light()}</option>
                <option value="dark" selected=is("dark")>{words::page::dark()}</option>
            </select>
            <label class="presentation"><input type="checkbox" prop:checked=large on:change=present/>{words::page::large()}</label>
        </div>
    }
}
