//! Step 5: what was released.

use std::sync::Arc;

use leptos::prelude::*;

use super::Status;
use super::bounds::FoundBounds;
use super::ledger::LedgerPanel;
use super::outcomes::Outcomes;
use super::refit::Refit;
use super::table::CoefficientTable;
use crate::inference::design::is_drowned;
use crate::mechanisms::info::are_log_odds;
use crate::release::document::LONG_FORM_OUTCOMES;
use crate::release::figure;
use crate::release::report;
use crate::release::statement::Statement;
use crate::release::{Release, known, table};
use crate::ui::parts::Icon;
use crate::ui::state::{App, Origin, StateStoreFields};
use crate::ui::{actions, dom, text};
use crate::words;

/// How many releases there are.
pub fn status(app: App) -> Status {
    let made = app.state.releases().with(Vec::len);
    let words = match (app.state.shown().with(Option::is_some), made) {
        (false, 0) => words::result::nothing_released_yet().to_owned(),
        (true, 0) => words::result::a_saved_release().to_owned(),
        (_, made) => words::result::releases(made, text::whole(made)),
    };
    words.into()
}

/// Coefficients, guarantee, ledger, downloads.
#[component]
pub fn ResultStep() -> impl IntoView {
    let app = App::here();
    let body = move || match app.state.shown().get() {
        Some(shown) => view! { <Released release=shown.release origin=shown.origin/> }.into_any(),
        None => view! {
            <p class="lead">{words::result::none_yet()}</p>
            <LedgerPanel/>
        }
        .into_any(),
    };
    view! { {body} }.into_any()
}

#[component]
fn Released(release: Arc<Release>, origin: Origin) -> impl IntoView {
    let app = App::here();
    let statement = Statement::new(&release);
    let names = figure::outcomes(&release);
    let origin = match origin {
        Origin::Made => words::result::made_just_now(),
        Origin::Kept => words::result::kept_on_this_machine(),
        Origin::File => words::result::opened_from_a_file(),
    };
    // Where bounds were not found, nothing was fitted, and their table says so.
    let fitted = release.estimated_bounds.as_ref().is_none_or(|bounds| bounds.missing().next().is_none());
    let undetermined = release.coefficients.is_undetermined();
    let mut notes = release.diagnostics.notes.clone();
    let why = (undetermined && fitted && !notes.is_empty()).then(|| notes.remove(0));
    // What the intervals do not cover stands beside them.
    let beside = (!undetermined && !notes.is_empty() && is_adaptive(&release)).then(|| notes.remove(0));
    let beside = beside.map(|note| view! { <p class="caveat">{note}</p> });
    let notes = notes.into_iter().map(|note| view! { <li>{note}</li> }).collect_view();
    let count = names.len();
    let many = count > LONG_FORM_OUTCOMES;
    // Thousands of outcomes are searched in a table.
    let chooser =
        (count > 1 && !many && !undetermined).then(|| view! { <OutcomeChoice names=names.clone()/> });
    let all =
        (count > 1 && !undetermined).then(|| view! { <AllOutcomes release=Arc::clone(&release) many/> });
    let (before, after) = if many { (all, None) } else { (None, all) };
    let first = names.into_iter().next().unwrap_or_default();
    let for_table = Arc::clone(&release);
    let table = move || {
        if !fitted {
            return ().into_any();
        }
        if undetermined {
            return view! {
                <div class="verdict withheld">
                    <p class="verdict-main">{words::result::undetermined()}</p>
                    <p>{why.clone()}</p>
                </div>
            }
            .into_any();
        }
        let outcome = app.state.outcome().get().unwrap_or_else(|| first.clone());
        let lines = figure::lines(&for_table.plan, &for_table.coefficients, &outcome);
        let unit = figure::unit(&for_table.plan, &outcome);
        let log_odds = are_log_odds(&for_table.plan);
        let drowned = is_drowned(&for_table.diagnostics);
        let confidence = for_table.plan.confidence.unwrap_or(0.95);
        view! { <CoefficientTable lines outcome unit log_odds drowned confidence/> }.into_any()
    };
    let public = release.public.as_ref().map(|table| {
        let words = format!("{} {}", known::origin(table), known::correlations(table));
        view! { <p class="public-origin">{words}</p> }
    });
    let for_refit = Arc::clone(&release);
    let for_bounds = Arc::clone(&release);
    view! {
        <section class="zone released" aria-label=words::result::released()>
            <div class="seal">
                <Icon name="seal"/>
                <div><p class="seal-main">{statement.headline.clone()}</p> <p class="hint">{origin}</p></div>
            </div>
            {before}
            {chooser}
            <div id="regression" tabindex="-1">{table}</div>
            {beside}
            {after}
            <FoundBounds release=for_bounds/>
            {public}
            <ul class="notes">{notes}</ul>
            <Downloads release/>
        </section>
        <Guarantee statement/>
        <Refit release=for_refit/>
        <LedgerPanel/>
    }
}

/// Whether the release has measured coordinates, whose notes begin with what its intervals do not cover.
fn is_adaptive(release: &Release) -> bool {
    release.moments.as_ref().is_some_and(|moments| moments.adaptive.is_some())
}

#[component]
fn OutcomeChoice(names: Vec<String>) -> impl IntoView {
    let app = App::here();
    let count = names.len();
    let set = move |event| app.state.outcome().set(Some(event_target_value(&event)));
    let options = names.into_iter().map(|name| {
        let (own, value) = (name.clone(), name.clone());
        let selected = move || app.state.outcome().get().as_deref() == Some(own.as_str());
        view! { <option value=value selected=selected>{name}</option> }
    });
    view! {
        <div class="field"><label for="outcome">{words::result::outcome_of(text::whole(count))}</label>
            <select id="outcome" on:change=set>{options.collect_view()}</select></div>
    }
}

/// All outcomes for one term: in front where they are many, else behind a fold.
#[component]
fn AllOutcomes(release: Arc<Release>, many: bool) -> impl IntoView {
    if many {
        return view! { <Outcomes release/> }.into_any();
    }
    let opened = RwSignal::new(false);
    let panel = move || opened.get().then(|| view! { <Outcomes release=Arc::clone(&release)/> });
    view! {
        <details class="more" on:toggle=move |event| opened.set(dom::is_open(&event))>
            <summary>{words::result::side_by_side()}</summary>{panel}
        </details>
    }
    .into_any()
}

/// The guarantee in full, from the one place that writes it.
#[component]
fn Guarantee(statement: Statement) -> impl IntoView {
    let first = statement.promise.clone();
    let middle =
        [Some(statement.unit), statement.guessing, statement.budget, statement.relaxation, statement.claim];
    let middle = middle.into_iter().flatten().map(|sentence| view! { <p>{sentence}</p> });
    let conditions = statement.conditions.into_iter().map(|condition| view! { <li>{condition}</li> });
    view! {
        <section class="block" aria-labelledby="guarantee-title">
            <h2 id="guarantee-title">{words::result::what_is_promised()}</h2>
            <p>{first}</p>
            {middle.collect_view()}
            <p>{statement.assurance}</p>
            <details class="more"><summary>{words::result::what_the_promise_rests_on()}</summary><ul class="notes">{conditions.collect_view()}</ul></details>
        </section>
    }
}

/// Everything that can leave, in one place.
#[component]
fn Downloads(release: Arc<Release>) -> impl IntoView {
    let app = App::here();
    let (for_csv, for_html, for_plan) = (Arc::clone(&release), Arc::clone(&release), release);
    let save_table = move |_| {
        let pieces = table::pieces(&for_csv.coefficients, are_log_odds(&for_csv.plan));
        let saved = dom::download_pieces("discreet-coefficients.csv", "text/csv", pieces);
        app.state
            .said()
            .set(if saved.is_some() { words::page::saved() } else { words::page::no_room() }.to_owned());
    };
    let save_report = move |_| {
        let _ = dom::download(
            "discreet-report.html",
            "text/html",
            &report::html(&for_html, are_log_odds(&for_html.plan)),
        );
    };
    let save_plan = move |_| {
        if let Ok(text) = serde_json::to_string_pretty(&for_plan.plan) {
            let _ = dom::download("discreet-plan.json", "application/json", &(text + "\n"));
        }
    };
    let save_ledger = move |_| actions::save_ledger(app);
    let due = move || app.export_due();
    view! {
        <section class="downloads" aria-label=words::result::downloads()>
            <h2>{words::result::download()}</h2>
            <div class="buttons">
                <button type="button" on:click=save_report>{words::result::report_html()}</button>
                <button type="button" on:click=save_table>{words::result::coefficients_csv()}</button>
                <button type="button" on:click=move |_| actions::save_release(app)>{words::result::release_json()}</button>
                <button type="button" on:click=save_plan>{words::result::plan_json()}</button>
                <button type="button" class:due=due disabled=move || app.state.ledger().with(Option::is_none) on:click=save_ledger>{words::result::ledger_json()}</button>
            </div>
            {move || due().then(|| view! { <p class="hint">{words::page::export_first()}</p> })}
        </section>
    }
}
