//! The five steps, each with its state in one line, and the budget that is left.

use leptos::prelude::*;

use super::{Icon, Meter};
use crate::model::Role;
use crate::release::format::{percent, short};
use crate::ui::state::{App, BuildCheckStoreFields, StateStoreFields, Step};
use crate::ui::{actions, check, dom, draft, facts, text};

/// The rail; a bar at the top on phones.
#[component]
pub fn Rail() -> impl IntoView {
    view! {
        <div class="rail">
            <header class="brand">
                <p class="wordmark">{text::NAME}</p>
                <p class="tagline">{text::TAGLINE}</p>
            </header>
            <nav aria-label=text::STEPS>
                <ol class="steps">{Step::ALL.into_iter().map(|step| view! { <StepEntry step/> }).collect_view()}</ol>
            </nav>
            <section class="rail-foot" aria-label="Budget, check and appearance">
                <BudgetMeter/>
                <CheckEntry/>
                <Appearance/>
            </section>
        </div>
    }
}

#[component]
fn StepEntry(step: Step) -> impl IntoView {
    let app = App::here();
    let checking = move || app.state.check().open().get();
    let current = move || (app.state.step().get() == step && !checking()).then_some("step");
    let state = Memo::new(move |_| line(app, step));
    let private = step == Step::Data;
    let open = move || matches!(step, Step::Columns) && state.get().contains("need");
    view! {
        <li>
            <button type="button" class="step" class:open=open aria-current=current on:click=move |_| actions::go(app, step)>
                <span class="step-name">{text::step(step)}</span>
                <span class="step-state">
                    {private.then(|| view! { <Icon name="lock"/> })}
                    {move || state.get()}
                </span>
            </button>
        </li>
    }
}

/// The state of a step in one line.
fn line(app: App, step: Step) -> String {
    match step {
        Step::Data => app
            .state
            .table()
            .with(|table| table.as_ref().map_or_else(|| "No table yet".to_owned(), |t| t.line())),
        Step::Columns => app.state.columns().with(|columns| {
            let in_use = columns.iter().filter(|column| column.role != Role::Ignored).count();
            let open = columns.iter().filter(|column| draft::lack(column).is_some()).count();
            text::columns_line(in_use - open.min(in_use), in_use, open)
        }),
        Step::Privacy => {
            let worth = app.state.ledger().with(|ledger| match ledger {
                Some(ledger) => facts::ledger_worth(ledger),
                None => app.state.setup().with(facts::worth),
            });
            worth.map_or_else(
                || "No budget yet".to_owned(),
                |worth| format!("Epsilon {}, delta {}", short(worth.epsilon, 3), text::one_in(worth.delta)),
            )
        }
        Step::Method => app.state.setup().with(|setup| setup.mechanism.clone()),
        Step::Result => {
            let made = app.state.releases().with(Vec::len);
            match (app.state.shown().with(Option::is_some), made) {
                (false, 0) => "Nothing released yet".to_owned(),
                (true, 0) => "A saved release".to_owned(),
                (_, 1) => "1 release".to_owned(),
                (_, made) => format!("{} releases", text::whole(made)),
            }
        }
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
            <a href=check::run::ADDRESS aria-current=current>{text::check::TITLE}</a>
            <span class="quietly">{state}</span>
        </p>
    }
}

#[component]
fn BudgetMeter() -> impl IntoView {
    let app = App::here();
    let left = Signal::derive(move || {
        let wallet = app.state.setup().with(facts::wallet);
        app.state.ledger().with(|ledger| ledger.as_ref().map_or(1.0, |ledger| facts::left(ledger, wallet)))
    });
    let ask = Signal::derive(move || {
        app.forecast.with(|forecast| forecast.as_ref().map_or(0.0, |f| f.of_all.min(1.0)))
    });
    let words = move || {
        let fixed = app.state.ledger().with(Option::is_some);
        let left = left.get();
        if fixed { text::left_line(left) } else { "not fixed yet".to_owned() }
    };
    let next = move || {
        let ask = ask.get();
        (ask > 0.0).then(|| format!("next release: {} of it all", percent(ask)))
    };
    view! {
        <div class="budget">
            <p class="budget-line"><span>"Budget"</span> <strong class="tabular">{words}</strong></p>
            <Meter share=left ask/>
            <p class="budget-next tabular">{next}</p>
        </div>
    }
}

#[component]
fn Appearance() -> impl IntoView {
    let choose = move |event| dom::appearance(&event_target_value(&event));
    view! {
        <div class="appearance">
            <label for="appearance">{text::APPEARANCE}</label>
            <select id="appearance" on:change=choose>
                <option value="system">"As the system"</option>
                <option value="light">"Light"</option>
                <option value="dark">"Dark"</option>
            </select>
        </div>
    }
}
