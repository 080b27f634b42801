//! What the check's screen does when a person asks for it: open, start, stop, save.

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::audit::check::{Check, Finding};
use crate::audit::report::{Report, Tally};
use crate::noise::entropy::random_id;
use crate::release::document::Software;
use crate::ui::dom;
use crate::ui::sentence::sentence;
use crate::ui::state::{App, BuildCheckStoreFields, HostStoreFields, StateStoreFields};
use crate::words;
use crate::worker::pool::Pool;
use crate::worker::protocol::{Failure, Reason};

/// The address of the screen, so that the browser's own way back leads back from it.
pub const ADDRESS: &str = "#check";

/// Opens and closes the screen as the address says.
pub fn follow(app: App, address: &str) {
    let wanted = address == ADDRESS;
    let open = app.state.check().open().get_untracked();
    if wanted && !open {
        if app.state.check().seed().with_untracked(String::is_empty) {
            another_seed(app);
        }
        app.state.check().open().set(true);
        dom::top_soon("step-title");
    } else if open && !wanted {
        back(app);
    }
}

/// Closes the screen, if it is open, for the step beneath it.
pub fn close(app: App) {
    if app.state.check().open().get_untracked() {
        app.state.check().open().set(false);
        if dom::hash() == ADDRESS {
            dom::replace_hash(&app.state.step().get_untracked().address());
        }
    }
}

/// Goes back to the step beneath. A check that runs goes on.
pub fn back(app: App) {
    close(app);
    dom::top_soon("step-title");
}

fn pool(app: App) -> Pool {
    app.handles.with_value(|handles| handles.check.clone())
}

/// Draws a seed from the operating system, short enough to be typed again.
pub fn another_seed(app: App) {
    let seed = random_id().map(|[a, b, c, d, ..]| u32::from_le_bytes([a, b, c, d]));
    match seed {
        Ok(seed) => app.state.check().seed().set(seed.to_string()),
        Err(error) => fail(app, &error.to_string()),
    }
}

fn fail(app: App, text: &str) {
    app.state.check().running().set(false);
    app.state.check().failure().set(Some(sentence(text)));
    dom::focus_soon("check-problem");
}

/// Starts all items under the seed that is typed.
pub fn start(app: App) {
    let check = app.state.check();
    let Ok(seed) = check.seed().with_untracked(|seed| seed.trim().parse::<u64>()) else {
        return fail(app, words::check::seed_wrong());
    };
    check.failure().set(None);
    check.under().set(seed);
    check.findings().set(vec![None; Check::items().len()]);
    check.running().set(true);
    app.say(words::check::started().to_owned());
    spawn_local(async move {
        let store = move |finding: Finding| {
            app.state.check().findings().update(|findings| {
                if let Some(place) = findings.get_mut(finding.item) {
                    *place = Some(finding);
                }
            });
        };
        match pool(app).audit(seed, store).await {
            Ok(()) => app.state.check().running().set(false),
            // The person stopped it, and the page says so already.
            Err(Failure { reason: Reason::Cancelled, .. }) => {}
            Err(failure) => fail(app, &failure.message),
        }
    });
}

/// Ends the check; what was found so far stays in sight.
pub fn stop(app: App) {
    app.state.check().running().set(false);
    pool(app).cancel();
}

/// Counts the items by verdict, and all items once a check was started.
pub fn tally(app: App) -> (Tally, usize) {
    app.state.check().findings().with(|findings| (Tally::of(findings.iter().flatten()), findings.len()))
}

/// Gives the person the findings of a whole check.
pub fn save(app: App) {
    let check = app.state.check();
    let findings: Vec<Finding> = check.findings().get_untracked().into_iter().flatten().collect();
    let software = Software::new(app.state.host().build().get_untracked());
    let report = Report::new(software, check.under().get_untracked(), Check::items(), findings);
    if dom::download_json("discreet-check.json", &report).is_some() {
        app.say(words::check::saved().to_owned());
    }
}
