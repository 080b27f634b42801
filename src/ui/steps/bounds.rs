//! The bounds that a release has estimated: found, zero or not found, and what a range may miss.

use std::sync::Arc;

use leptos::prelude::*;

use crate::model::note::two_digits;
use crate::release::Release;
use crate::release::bounds::{EstimatedBounds, EstimatedColumn, State};
use crate::release::figure;
use crate::release::format::{percent, short};
use crate::ui::state::App;
use crate::ui::step::Step;
use crate::ui::{actions, text};
use crate::words;

/// Most columns that are listed.
const MOST: usize = 300;

/// Shows the bounds that were found for each column, and what to do where some were not found.
#[component]
pub fn FoundBounds(release: Arc<Release>) -> impl IntoView {
    let bounds = release.estimated_bounds.as_ref()?;
    let missing: Vec<String> = bounds.missing().map(|column| column.column.clone()).collect();
    let verdict = (!missing.is_empty()).then(|| view! { <Failed missing/> });
    let rows = bounds.columns.iter().take(MOST).map(|column| row(&release, column)).collect_view();
    let unseen = words::found::unseen(two_digits(bounds.unseen_rows()));
    let share = percent(bounds.share);
    let used = use_again(&release, bounds);
    Some(view! {
        <section class="found-bounds" aria-labelledby="found-bounds-title">
            {verdict}
            <h2 id="found-bounds-title">{words::estimates::title()}</h2>
            <div class="scroll" tabindex="0" role="group" aria-label=words::estimates::title()>
                <table class="plain">
                    <thead><tr>
                        <th scope="col">{words::columns::column()}</th><th scope="col">{words::found::found()}</th>
                        <th scope="col" class="numeric">{words::columns::lowest()}</th><th scope="col" class="numeric">{words::columns::highest()}</th>
                        <th scope="col">{words::columns::unit()}</th>
                    </tr></thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
            <p class="hint">{words::found::paid(share)} " " {unseen}</p>
            {used}
        </section>
    })
}

fn row(release: &Release, column: &EstimatedColumn) -> impl IntoView + use<> {
    let bound = |bound: Option<f64>| bound.map_or_else(|| "–".to_owned(), |bound| short(bound, 6));
    let told = match (column.range(), column.state) {
        (Some(_), State::Fine) => words::found::fine(),
        (Some(_), State::Coarse | State::Octaves) => words::found::coarse(),
        (Some(_), State::Zero | State::NotFound) | (None, State::NotFound) => words::found::not_found(),
        (None, State::Zero) => words::found::zero(),
        (None, State::Fine | State::Coarse | State::Octaves) => words::found::contradicted(),
    };
    view! {
        <tr class:missing=column.range().is_none()>
            <th scope="row">{column.column.clone()}</th><td>{told}</td>
            <td class="numeric">{bound(column.lower)}</td><td class="numeric">{bound(column.upper)}</td>
            <td>{figure::unit(&release.plan, &column.column)}</td>
        </tr>
    }
}

/// Says that nothing was fitted, and leads to what would help.
#[component]
fn Failed(missing: Vec<String>) -> impl IntoView {
    let app = App::here();
    let what = words::found::nothing_fitted(text::list(&missing, 6));
    view! {
        <div class="verdict withheld">
            <p class="verdict-main">{words::found::no_bounds()}</p>
            <p>{what}</p>
            <p><button type="button" on:click=move |_| actions::go(app, Step::Columns)>{words::found::change_columns()}</button></p>
        </div>
    }
}

/// Offers the ranges, which are public now, for the next release.
fn use_again(release: &Arc<Release>, bounds: &EstimatedBounds) -> Option<impl IntoView + use<>> {
    let app = App::here();
    if bounds.columns.iter().all(|column| column.range().is_none()) {
        return None;
    }
    let release = Arc::clone(release);
    let fill = move |_| {
        if let Some(bounds) = &release.estimated_bounds {
            actions::use_bounds(app, bounds);
        }
    };
    Some(
        view! { <p><button type="button" class="quiet" on:click=fill>{words::found::use_again()}</button></p> },
    )
}
