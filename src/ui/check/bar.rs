//! The foot of the check's screen: how far it is, what it says, and one button.

use leptos::prelude::*;

use super::run;
use crate::audit::check::{Check, Finding};
use crate::audit::report::Outcome;
use crate::ui::parts::shape;
use crate::ui::state::{App, BuildCheckStoreFields, StateStoreFields};
use crate::ui::text;
use crate::words;

/// Draws the bar at the foot of the check.
#[component]
pub fn CheckBar() -> impl IntoView {
    let app = App::here();
    let running = Memo::new(move |_| app.state.check().running().get());
    let tally = Memo::new(move |_| run::tally(app));
    let over = move || !running.get() && tally.get().1 > 0;
    let whole = move || over() && tally.with(|(tally, items)| tally.done() == *items);
    let said = Memo::new(move |_| {
        let (tally, items) = tally.get();
        over().then(|| (tally.outcome(items), text::check::outcome(tally, items)))
    });
    let look = move || match said.with(|said| said.as_ref().map(|(outcome, _)| *outcome)) {
        None => ("", ""),
        Some(Outcome::Sound) => ("check-outcome", shape("holds")),
        Some(Outcome::Unfinished) => ("check-outcome", shape("note")),
        Some(Outcome::Broken | Outcome::Blind) => ("check-outcome bad", shape("stop")),
    };
    let main = move || said.with(|said| said.as_ref().map(|(_, (main, _))| main.clone()).unwrap_or_default());
    let more = move || said.with(|said| said.as_ref().map(|(_, (_, more))| more.clone()).unwrap_or_default());
    let far = move || {
        let (tally, items) = tally.get();
        if running.get() {
            words::check::done(text::whole(tally.done()), text::whole(items))
        } else {
            words::check::ready(text::whole(Check::items().len()))
        }
    };
    let press = move |_| if running.get_untracked() { run::stop(app) } else { run::start(app) };
    let label = move || if running.get() { words::check::stop() } else { words::check::start() };
    view! {
        <section class="release-bar check-bar" aria-label=words::check::region()>
            <div class="check-said" role="status">
                <p class=move || look().0>
                    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d=move || look().1 fill-rule="evenodd"/></svg>
                    <strong>{main}</strong>
                </p>
                <p class="hint">{more}</p>
            </div>
            <p class="tabular" hidden=over>{far}</p>
            <progress max="1" prop:value=move || share(app) hidden=move || !running.get() aria-label=words::check::progress()></progress>
            <div class="buttons">
                <button type="button" hidden=move || !whole() on:click=move |_| run::save(app)>{words::check::save()}</button>
                <button type="button" class:release=move || !running.get() on:click=press>{label}</button>
            </div>
        </section>
    }
    .into_any()
}

/// Returns the share of the check that is done, from 0 to 1.
fn share(app: App) -> f64 {
    app.state.check().findings().with(|findings| {
        let share = |finding: &Finding| f64::from(finding.done) / f64::from(finding.planned.max(1));
        let items = findings.len().max(1) as f64;
        findings.iter().flatten().map(share).sum::<f64>() / items
    })
}
