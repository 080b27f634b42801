//! The screen on which a sceptic checks this build: the audits of `audit::check`, started and watched in the page. It is
//! no step of the work and touches neither table nor ledger.

pub mod bar;
pub mod run;

use leptos::prelude::*;

use super::drawing;
use super::parts::{Field, Icon, Quoted, shape};
use super::state::{App, BuildCheckStoreFields, HostStoreFields, StateStoreFields};
use super::text;
use crate::audit::check::{Check, Finding, Item, Kind, Measured, Verdict};
use crate::audit::figure;
use crate::words;

/// The groups in the order of the list.
const GROUPS: [Kind; 5] = [Kind::Sampler, Kind::Signal, Kind::Threshold, Kind::OneRun, Kind::Control];

/// Draws the check: what it is, its seed, and every item.
#[component]
pub fn CheckScreen(
    /// The name of the step to which the link back leads.
    from: Signal<&'static str>,
) -> impl IntoView {
    let app = App::here();
    let items: Vec<(usize, Item)> = Check::items().into_iter().enumerate().collect();
    let groups = GROUPS.map(|kind| {
        let items = items.iter().filter(|(_, item)| item.kind == kind).cloned().collect();
        group(app, kind, items)
    });
    let back = move |_| run::back(app);
    let step = move || words::check::back_to(from.get());
    let failure = move || app.state.check().failure().get();
    view! {
        <p><button type="button" class="link" on:click=back>{step}</button></p>
        <div id="check-problem" class="notice problem" role="alert" tabindex="-1" hidden=move || failure().is_none()>
            <Icon name="stop"/><p>{failure}</p>
        </div>
        <p class="lead">{words::check::lead()}</p>
        <ul class="notes">
            <li>{words::check::touches_nothing()}</li>
            <li>{words::check::finds_bugs()} " " {text::check::false_alarm()}</li>
        </ul>
        <Identity/>
        {groups.collect_view()}
    }
    .into_any()
}

/// Shows the seed and the build. Two checks with the same seed and build give the same findings.
#[component]
fn Identity() -> impl IntoView {
    let app = App::here();
    let running = Signal::derive(move || app.state.check().running().get());
    view! {
        <div class="check-identity">
            <Field id="check-seed" label=words::check::seed() numeric=true counts=true disabled=running
                value=Signal::derive(move || app.state.check().seed().get())
                set=Callback::new(move |seed| app.state.check().seed().set(seed))
                hint=words::check::seed_hint()/>
            <button type="button" disabled=move || running.get() on:click=move |_| run::another_seed(app)>{words::check::another_seed()}</button>
            <dl><dt>{words::check::build()}</dt><dd class="code">{move || app.state.host().build().get()}</dd></dl>
            <p class="hint">
                <a href="licences.txt" target="_blank" rel="noopener">{words::check::licences()}</a> " · "
                <a href="bill-of-materials.cdx.json" target="_blank" rel="noopener">{words::check::materials()}</a>
            </p>
        </div>
    }
}

fn group(app: App, kind: Kind, items: Vec<(usize, Item)>) -> AnyView {
    let id = format!("check-{kind:?}").to_lowercase();
    let (title, note) = text::check::group(kind);
    let body = if kind == Kind::Sampler {
        let figures = items.into_iter().map(|(index, item)| sampler(finding(app, index), item));
        view! {
            <p class="check-legend" aria-hidden="true">
                <span class="key drawn"></span>{words::check::observed()} <span class="key law"></span>{words::check::law()}
            </p>
            <div class="check-figures">{figures.collect_view()}</div>
        }
        .into_any()
    } else {
        let rows = items.into_iter().map(|(index, item)| row(finding(app, index), item));
        view! {
            <div class="check-row check-axis" aria-hidden="true">{axis(text::check::scale(kind).map(str::to_owned))}</div>
            <ol class="check-list">{rows.collect_view()}</ol>
        }
        .into_any()
    };
    view! {
        <section class="block check-group" class:controls=kind == Kind::Control aria-labelledby=id.clone()>
            <h2 id=id.clone()>{title}</h2>
            <p class="hint">{note}</p>
            {body}
        </section>
    }
    .into_any()
}

/// Follows what an item has found so far.
fn finding(app: App, index: usize) -> Memo<Option<Finding>> {
    Memo::new(move |_| {
        app.state.check().findings().with(|findings| findings.get(index).and_then(Clone::clone))
    })
}

/// Draws the words at the left end, the middle and the right end of a scale.
fn axis(labels: [String; 3]) -> AnyView {
    let labels = labels.map(|label| view! { <span>{label}</span> });
    view! { <p class="check-scale" aria-hidden="true">{labels.collect_view()}</p> }.into_any()
}

fn sampler(found: Memo<Option<Finding>>, item: Item) -> AnyView {
    let bins = move || {
        found.with(|finding| match finding {
            Some(Finding { measured: Measured::Histogram { bins, .. }, .. }) => drawing::histogram(bins),
            _ => drawing::histogram(&[]),
        })
    };
    view! {
        <figure class="check-figure">
            <figcaption><strong>{item.title}</strong></figcaption>
            <svg class="check-histogram" aria-hidden="true" inner_html=bins></svg>
            {said(found)}
        </figure>
    }
    .into_any()
}

fn row(found: Memo<Option<Finding>>, item: Item) -> AnyView {
    let control = item.kind == Kind::Control;
    let mark = move || {
        let mark = found.with(|finding| finding.as_ref().and_then(|finding| figure::mark(&finding.measured)));
        drawing::scale(mark, control)
    };
    view! {
        <li class="check-row">
            <p class="check-what"><strong>{item.title}</strong> " " <span class="quietly"><Quoted words=item.purpose/></span></p>
            <svg class="check-mark" class:control=control aria-hidden="true" inner_html=mark></svg>
            {said(found)}
        </li>
    }
    .into_any()
}

/// Draws the numbers and the verdict: a word, then a shape, then a colour.
fn said(found: Memo<Option<Finding>>) -> AnyView {
    let numbers = move || {
        found.with(|finding| {
            finding.as_ref().map(|finding| text::check::measured(&finding.measured)).unwrap_or_default()
        })
    };
    let verdict = Memo::new(move |_| found.with(|finding| finding.as_ref().map(|finding| finding.verdict)));
    let look = move || match verdict.get() {
        None => ("check-word waits", ""),
        Some(Verdict::Running) => ("check-word runs", shape("runs")),
        Some(Verdict::Holds) => ("check-word good", shape("holds")),
        Some(Verdict::Caught) => ("check-word good", shape("caught")),
        Some(Verdict::Broken | Verdict::Missed) => ("check-word bad", shape("stop")),
    };
    let word = move || verdict.get().map_or(words::check::waits(), text::check::verdict);
    view! {
        <p class="check-numbers tabular">{numbers}</p>
        <p class=move || look().0>
            <svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d=move || look().1 fill-rule="evenodd"/></svg>
            <span>{word}</span>
        </p>
    }
    .into_any()
}
