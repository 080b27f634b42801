//! Bounds that a part of the budget estimates: what it costs, and what to expect with the stated rows.

use leptos::prelude::*;

use crate::engine::BoundsOutlook;
use crate::mechanisms::estimated_bounds::forecast::Prospect;
use crate::plan::check::DEFAULT_ESTIMATE_SHARE;
use crate::ui::draft::ColumnDraft;
use crate::ui::parts::{Field, Icon};
use crate::ui::state::{App, StateStoreFields};
use crate::ui::{text, view_model};
use crate::words;

/// Most columns that are named.
const NAMED: usize = 6;

/// Shows the share of the budget for estimating bounds, where bounds are estimated or a share is set aside.
#[component]
pub fn Estimates() -> impl IntoView {
    let app = App::here();
    let names = Memo::new(move |_| {
        let name = |column: &ColumnDraft| column.is_estimated().then(|| column.name.clone());
        app.state.columns().with(|columns| columns.iter().filter_map(name).collect::<Vec<_>>())
    });
    let share = Memo::new(move |_| app.state.setup().with(|setup| setup.estimate_share.clone()));
    let shown =
        Memo::new(move |_| names.with(|names| !names.is_empty()) || share.with(|share| !share.is_empty()));
    let set = Callback::new(move |value| app.state.setup().update(|setup| setup.estimate_share = value));
    let hint = Signal::derive(|| words::estimates::share_hint(text::number(100.0 * DEFAULT_ESTIMATE_SHARE)));
    let what = move || {
        names.with(|names| match names.as_slice() {
            [] => words::estimates::set_aside().to_owned(),
            names => words::estimates::what(names.len(), text::list(names, NAMED)),
        })
    };
    move || {
        shown.get().then(|| {
            view! {
                <section class="block estimates" aria-labelledby="estimates-title">
                    <h2 id="estimates-title">{words::estimates::title()}</h2>
                    <p>{what}</p>
                    <Field id="columns-estimate_share" label=words::estimates::share() value=share set unit="%" numeric=true hint/>
                    {move || names.with(|names| !names.is_empty()).then(|| view! { <Outlook/> })}
                </section>
            }
        })
    }
}

/// Says what the stated rows mean for estimated bounds, and asks for consent where the bounds are doubtful.
#[component]
fn Outlook() -> impl IntoView {
    let app = App::here();
    let outlook = Memo::new(move |_| {
        let table = app.state.table().get().unwrap_or_default();
        app.plan.with(|plan| plan.as_ref().ok().and_then(|plan| view_model::bounds_of(plan, &table.names)))
    });
    let doubtful =
        Memo::new(move |_| outlook.with(|outlook| outlook.is_some_and(|o| o.prospect == Prospect::Doubtful)));
    let setup = app.state.setup();
    let consent = move || {
        doubtful.get().then(|| {
            view! {
                <label class="choice" for="columns-uncertain-bounds">
                    <input type="checkbox" id="columns-uncertain-bounds" prop:checked=move || setup.with(|setup| setup.uncertain_bounds)
                        on:change=move |event| setup.update(|setup| setup.uncertain_bounds = event_target_checked(&event))/>
                    <span>{words::estimates::consent()}</span>
                </label>
            }
        })
    };
    view! {
        <p class="notice" class:problem=move || outlook.with(|o| o.is_some_and(|o| o.prospect == Prospect::Refused))>
            <Icon name="note"/><span>{move || outlook.with(|outlook| told(outlook.as_ref()))}</span></p>
        {consent}
        <p class="hint">{words::estimates::may_miss()}</p>
    }
}

fn told(outlook: Option<&BoundsOutlook>) -> String {
    let Some(outlook) = outlook else { return words::estimates::unknown().to_owned() };
    let [rows, any, good] = [outlook.rows, outlook.rows_for_any, outlook.rows_for_good]
        .map(|rows| text::whole(usize::try_from(rows).unwrap_or(usize::MAX)));
    match outlook.prospect {
        Prospect::Refused => words::estimates::refused(rows, any, good),
        Prospect::Doubtful => words::estimates::doubtful(rows, good),
        Prospect::Warned => words::estimates::warned(rows, good),
        Prospect::Good => words::estimates::good(rows),
    }
}
