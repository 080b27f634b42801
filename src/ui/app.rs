//! The frame: navigation, the open step, release bar.

mod navigation;
mod question;
mod release_bar;
mod save_first;

use std::cell::RefCell;
use std::rc::Rc;

use leptos::ev::DragEvent;
use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

use navigation::Navigation;
use question::Question;
use release_bar::ReleaseBar;
use save_first::SaveFirst;

use super::parts::{Icon, Quoted};
use super::state::{App, BuildCheckStoreFields, Problem, StateStoreFields};
use super::step::Step;
use super::steps::{OtherEncodings, StepInfo, of_address};
use super::{actions, check, dom};
use crate::model::Role;
use crate::store;
use crate::words::{self, Catalogue, Misfit};
use crate::worker::context::StartContext;
use crate::worker::pool::Pool;

/// Puts the page into the document's body, in the language that its address asked for.
///
/// # Errors
/// [`Misfit`] if the translation does not fit the messages of this build.
pub fn start(context: StartContext) -> Result<(), Misfit> {
    if let Some(texts) = &context.words {
        words::choose(Catalogue::parse(texts)?);
    }
    std::panic::set_hook(Box::new(|panic| {
        // Only the place is logged: the text of a panic may quote cells of the preview.
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        leptos::logging::error!("{}", words::page::stopped(place));
    }));
    let pool = Pool::new(context);
    spawn_local(async move {
        // Where the data are is known before anything asks for them. Leptos runs tasks only after the page is mounted.
        let saving = Rc::new(RefCell::new(None));
        let ask = Rc::clone(&saving);
        let forgets = !store::start(move |charge| actions::ask_to_save(*ask.borrow(), charge)).await;
        leptos::mount::mount_to_body(move || {
            let app = App::new(pool.clone());
            saving.replace(Some(app));
            provide_context(app);
            actions::begin(app, forgets);
            actions::follow_address(app, of_address);
            actions::inspect_on_the_way(app);
            actions::read_ahead_on_the_way(app);
            view! { <Frame/> }
        });
        dom::remove("boot");
    });
    Ok(())
}

#[component]
fn Frame() -> impl IntoView {
    let app = App::here();
    let over = RwSignal::new(false);
    let hover = move |event: DragEvent| {
        event.prevent_default();
        over.set(true);
    };
    let drop = move |event: DragEvent| {
        event.prevent_default();
        over.set(false);
        let files = event.data_transfer().map(|dropped| dom::files(dropped.files())).unwrap_or_default();
        actions::choose_files(app, files, false);
    };
    let checking = Memo::new(move |_| app.state.check().open().get());
    let step_name = Signal::derive(move || (StepInfo::of(app.state.step().get()).name)());
    let work = move || match app.state.step().get() {
        _ if checking.get() => view! { <check::CheckScreen from=step_name/> }.into_any(),
        step => view! { {(StepInfo::of(step).view)()} <Onward step/> }.into_any(),
    };
    let title = move || {
        if checking.get() { words::check::title() } else { (StepInfo::of(app.state.step().get()).title)() }
    };
    // The chapter opens in another tab, so that the page keeps what was typed.
    let chapter = move || {
        let (place, words) = StepInfo::of(app.state.step().get()).chapter;
        (!checking.get()).then(|| {
            view! { <a class="chapter" href=place target="_blank" rel="noopener">{words()}</a> }
        })
    };
    // The address belongs to the check, so the link moves the focus and does not change the address.
    let skip = move |event: leptos::ev::MouseEvent| {
        event.prevent_default();
        dom::focus("work");
    };
    let foot = move || {
        if checking.get() {
            view! { <check::bar::CheckBar/> }.into_any()
        } else {
            view! { <ReleaseBar/> }.into_any()
        }
    };
    view! {
        <a class="skip" href="#work" on:click=skip>{words::page::skip()}</a>
        <div class="frame" class:dropping=move || over.get() on:dragover=hover on:drop=drop
            on:dragleave=move |_| over.set(false)>
            <Navigation/>
            <main id="work" tabindex="-1">
                <Warnings/>
                <header class="step-head">
                    <h1 id="step-title" tabindex="-1">{title}</h1>
                    {chapter}
                </header>
                <Trouble/>
                {work}
            </main>
            {foot}
        </div>
        <Question/>
        <SaveFirst/>
        <p class="said" class:handed=move || app.state.handed().get() role="status">{move || app.state.said().get()}</p>
    }
}

/// Draws the way to the next step, and offers the plan so far as a file.
#[component]
fn Onward(step: Step) -> impl IntoView {
    let app = App::here();
    let open = move || app.state.table().with(Option::is_some) && step != Step::Result;
    let undescribed =
        move || app.state.columns().with(|columns| columns.iter().all(|column| column.role == Role::Ignored));
    let next = move || {
        let next = StepInfo::next(step)?;
        let go = move |_| actions::go(app, next.step);
        // On the step on which a release is asked for, the filled button is that of the release, and beside a sample that which chooses a table.
        let of_sample = app.state.table().with(|table| table.as_ref().is_some_and(|table| table.sample));
        let filled = step < Step::Method && !(step == Step::Data && of_sample);
        Some(
            view! { <button type="button" class:filled=filled on:click=go>{words::page::next((next.name)())}</button> },
        )
    };
    app.state.saved().set(None);
    let saved = move || app.state.saved().get().map(|told| view! { <p class="hint">{told}</p> });
    move || {
        open().then(|| {
            view! {
                <p class="next">
                    {next()}
                    " " <button type="button" class="quiet" id="save-plan" disabled=undescribed on:click=move |_| actions::save_plan(app)>{words::columns::save_plan()}</button>
                </p>
                {saved}
            }
        })
    }
}

/// Warns of what this browser cannot do.
#[component]
fn Warnings() -> impl IntoView {
    let app = App::here();
    // The warning about storage is shown where the budget is fixed and where the ledger is downloaded.
    let ledger_step = move || matches!(app.state.step().get(), Step::Privacy | Step::Result);
    let warning = move || {
        app.state.host().with(|host| match host {
            host if host.build.is_empty() => None,
            host if !host.secure => Some(words::page::insecure().to_owned()),
            host if host.fault.is_some() => host.fault.clone(),
            // The step Data says it.
            host if host.forgets => None,
            host if host.durable == Some(false) && ledger_step() => {
                Some(words::page::not_durable().to_owned())
            }
            _ => None,
        })
    };
    move || warning().map(|warning| view! { <p class="notice warning"><Icon name="note"/>{warning}</p> })
}

/// Shows what went wrong on the step where it happened. The focus is moved here.
#[component]
fn Trouble() -> impl IntoView {
    let app = App::here();
    let here = move || {
        let shown =
            |problem: &Problem| problem.step == app.state.step().get() && !app.state.check().open().get();
        app.state.problem().get().filter(shown)
    };
    let close = move |_| app.state.problem().set(None);
    move || {
        here().map(|problem| {
            let charged = problem.charged.then_some(words::page::charged());
            let encodings = problem.offers_encodings.then(|| view! { " " <OtherEncodings/> });
            view! {
                <div id="problem" class="notice problem" role="alert" tabindex="-1">
                    <Icon name="stop"/>
                    <p><Quoted words=problem.text/> {charged.map(|charged| view! { " " <strong>{charged}</strong> })} {encodings}</p>
                    <button type="button" class="quiet" on:click=close>{words::page::close()}</button>
                </div>
            }
        })
    }
}
