//! Small parts that several steps share.

pub mod gloss;
pub mod plot;
mod printed_table;

use std::time::Duration;

use leptos::prelude::*;

pub use printed_table::PrintedTable;

use crate::ui::draft::{self, Gap};
use crate::ui::state::App;
use crate::ui::table::PAGE;
use crate::ui::{dom, text};
use crate::words;

/// Returns the outline of a drawing of 16 by 16 that stands beside words, never in their place.
pub fn shape(name: &str) -> &'static str {
    match name {
        "lock" => "M4 7V5a4 4 0 0 1 8 0v2h1v7H3V7h1zm2 0h4V5a2 2 0 0 0-4 0v2z",
        "seal" => {
            "M8 1l2 1.6 2.5-.1.6 2.4L15 6.500l-1 2.300.600 2.400-2.200 1.200-1.200 2.200-2.400-.600L6.500 15l-1.600-1.900-2.400-.600.100-2.500L1 8l1.600-2-.100-2.500 2.400-.600L6.500 1zM7 10.500L11.200 6l-1-1L7 8.400 5.800 7.200l-1 1z"
        }
        "holds" => {
            "M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1zM7 11.600l5-5.400-1.300-1.200L7 9.100 5.200 7.300 4 8.500z"
        }
        "caught" => {
            "M6.500 1a5.500 5.500 0 1 0 3.200 10l3.700 3.700 1.500-1.500L11.200 9.500A5.500 5.500 0 0 0 6.500 1zm0 2a3.500 3.500 0 1 1 0 7 3.500 3.500 0 0 1 0-7z"
        }
        "runs" => "M8 3a5 5 0 1 1 0 10A5 5 0 0 1 8 3zm0 2a3 3 0 1 0 0 6 3 3 0 0 0 0-6z",
        "stop" => "M5 1h6l4 4v6l-4 4H5l-4-4V5zm2 3v5h2V4zm0 6v2h2v-2z",
        _ => "M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1zM7 7v5h2V7zm0-3v2h2V4z",
    }
}

/// Draws the shape of that name, hidden from screen readers.
#[component]
pub fn Icon(name: &'static str) -> impl IntoView {
    view! { <svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d=shape(name) fill-rule="evenodd"/></svg> }
}

/// Draws a sentence in which names stand between backticks.
#[component]
pub fn Quoted(#[prop(into)] words: String) -> impl IntoView {
    let parts = words.split('`').enumerate().map(|(place, part)| {
        let part = part.to_owned();
        if place % 2 == 1 { view! { <code class="code">{part}</code> }.into_any() } else { part.into_any() }
    });
    parts.collect_view()
}

/// Draws its content in a task of its own, so that what stands before it is seen, and the page answers, in between.
#[component]
pub fn Soon(children: Children) -> impl IntoView {
    let due = RwSignal::new(false);
    let draw = move || {
        // The step may have been left.
        let _ = due.try_set(true);
    };
    set_timeout(draw, Duration::ZERO);
    let children = StoredValue::new_local(Some(children));
    move || {
        let content = || children.try_update_value(Option::take).flatten();
        due.get().then(|| content().map(|content| content()))
    }
}

/// Draws the frame around what only the person at this machine sees. No export control is ever inside.
#[component]
pub fn PrivateZone(title: &'static str, children: Children) -> impl IntoView {
    view! {
        <section class="zone private" aria-label=title>
            <header class="zone-head">
                <h2>{title}</h2>
                <p class="zone-mark"><Icon name="lock"/>{words::page::private()}</p>
            </header>
            {children()}
        </section>
    }
}

/// Asks which number is meant where what was typed can be read as two.
#[component]
pub fn WhichNumber(#[prop(into)] typed: Signal<String>, set: Callback<String>) -> impl IntoView {
    let two = Memo::new(move |_| typed.with(|typed| draft::two_numbers(typed)));
    let button = move |value: f64| {
        let written = value.to_string();
        let label = draft::shown(value);
        let choose = move |event: web_sys::MouseEvent| {
            // The button goes away with the question.
            dom::focus_field_of(&event);
            set.run(written.clone());
        };
        view! { <button type="button" on:click=choose>{label}</button> }
    };
    move || {
        two.get().map(|two| {
            view! { <p class="which-number" role="group" aria-label=words::page::two_numbers()>{words::page::two_numbers()} {two.map(button)}</p> }
        })
    }
}

/// Says what is missing or wrong at the field `id`.
fn wrong_at(id: &str) -> Memo<Option<String>> {
    let (app, id) = (App::here(), id.to_owned());
    Memo::new(move |_| {
        let here = |gap: &&Gap| gap.place.id().as_deref() == Some(&id);
        let said = |gaps: &Vec<Gap>| gaps.iter().find(here).map(|gap| gap.text.clone());
        app.forecast.with(|forecast| forecast.as_ref().err().and_then(said))
    })
}

/// Draws a labelled text field with a line under it, and a sentence where something is missing or wrong.
#[component]
pub fn Field(
    #[prop(into)] id: String,
    label: &'static str,
    #[prop(into)] value: Signal<String>,
    set: Callback<String>,
    #[prop(optional, into)] hint: Option<Signal<String>>,
    #[prop(optional, into)] disabled: Option<Signal<bool>>,
    #[prop(optional)] unit: &'static str,
    #[prop(optional)] numeric: bool,
    /// Whether its number counts something, so that separators in it can be those of thousands alone.
    #[prop(optional)]
    counts: bool,
) -> impl IntoView {
    let (hint_id, wrong_id) = (format!("{id}-hint"), format!("{id}-wrong"));
    let wrong = wrong_at(&id);
    let described = {
        let (hint, wrong_id) = (hint.map(|_| hint_id.clone()), wrong_id.clone());
        move || {
            let wrong = wrong.with(|wrong| wrong.as_ref().map(|_| wrong_id.clone()));
            let ids: Vec<String> = wrong.into_iter().chain(hint.clone()).collect();
            (!ids.is_empty()).then(|| ids.join(" "))
        }
    };
    // What is only missing is asked for without alarm.
    let is_typed = Memo::new(move |_| value.with(|value| !value.trim().is_empty()));
    let said = move || {
        wrong.get().map(|said| view! { <p class="asked" class:wrong=is_typed id=wrong_id.clone()>{said}</p> })
    };
    view! {
        <div class="field">
            <label for=id.clone()>{label}</label>
            <span class="field-line">
                <input id=id type="text" class:numeric=numeric inputmode=numeric.then_some("decimal") autocomplete="off"
                    spellcheck="false" aria-describedby=described aria-invalid=move || (is_typed.get() && wrong.with(Option::is_some)).then_some("true")
                    prop:value=move || value.get()
                    disabled=move || disabled.is_some_and(|disabled| disabled.get())
                    on:input=move |event| set.run(event_target_value(&event))/>
                {(!unit.is_empty()).then(|| view! { <span class="unit">{unit}</span> })}
            </span>
            {(numeric && !counts).then(|| view! { <WhichNumber typed=value set/> })}
            {said}
            {hint.map(|hint| view! { <p class="hint" id=hint_id>{move || hint.get()}</p> })}
        </div>
    }
}

/// Draws a choice from a short list.
#[component]
pub fn Choice(
    #[prop(into)] id: String,
    label: &'static str,
    options: Vec<(String, String)>,
    #[prop(into)] value: Signal<String>,
    set: Callback<String>,
    #[prop(optional, into)] disabled: Option<Signal<bool>>,
    #[prop(optional, into)] hint: String,
) -> impl IntoView {
    let hint_id = format!("{id}-hint");
    let described = (!hint.is_empty()).then(|| hint_id.clone());
    let options = options.into_iter().map(|(key, name)| {
        let own = key.clone();
        view! { <option value=key selected=move || value.get() == own>{name}</option> }
    });
    view! {
        <div class="field">
            <label for=id.clone()>{label}</label>
            <select id=id prop:value=move || value.get() aria-describedby=described
                disabled=move || disabled.is_some_and(|disabled| disabled.get())
                on:change=move |event| set.run(event_target_value(&event))>
                {options.collect_view()}
            </select>
            {(!hint.is_empty()).then(|| view! { <p class="hint" id=hint_id>{hint}</p> })}
        </div>
    }
}

/// Draws a field for the words that confirm a permanent step, and the button of that step. `act` returns whether the words are right; `wrong` is
/// shown where they are not.
#[component]
pub fn TypedWords(
    id: &'static str,
    label: &'static str,
    wrong: &'static str,
    button: &'static str,
    act: impl Fn(&str) -> bool + 'static,
) -> impl IntoView {
    let typed = RwSignal::new(String::new());
    let refused = RwSignal::new(false);
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let right = act(&typed.get_untracked());
        refused.set(!right);
        if right {
            typed.set(String::new());
        }
    };
    view! {
        <form class="words" on:submit=submit>
            <div class="fields">
                <Field id label value=typed set=Callback::new(move |value| typed.set(value))/>
            </div>
            {move || refused.get().then(|| view! { <p class="notice problem" role="alert">{wrong}</p> })}
            <p><button type="submit">{button}</button></p>
        </form>
    }
}

/// Draws the way to the other pages of a long list, and says which entries are shown. Draws nothing where all fit on one page.
#[component]
pub fn Pager(
    label: &'static str,
    #[prop(into)] page: Signal<usize>,
    count: Signal<usize>,
    turn: Callback<usize>,
    /// Says from which entry to which of how many.
    place: fn(String, String, String) -> String,
) -> impl IntoView {
    let shown = Memo::new(move |_| (page.get(), count.get()));
    move || {
        let (at, count) = shown.get();
        let (from, to) = (at * PAGE, ((at + 1) * PAGE).min(count));
        (count > PAGE).then(|| {
            view! {
                <nav class="pages" aria-label=label>
                    <button type="button" disabled=at == 0 on:click=move |_| turn.run(at.saturating_sub(1))>{words::page::previous_page()}</button>
                    <span class="tabular">{place(text::whole(from + 1), text::whole(to), text::whole(count))}</span>
                    <button type="button" disabled=to == count on:click=move |_| turn.run(at + 1)>{words::page::next_page()}</button>
                </nav>
            }
        })
    }
}

/// Draws a bar of which `share` is full. Of that, `ask` is marked as what the next release takes.
#[component]
pub fn Meter(#[prop(into)] share: Signal<f64>, #[prop(into)] ask: Signal<f64>) -> impl IntoView {
    let percent = |share: f64| format!("{:.2}%", 100.0 * share.clamp(0.0, 1.0));
    let kept = move || percent(share.get() - ask.get());
    view! {
        <svg class="meter" aria-hidden="true">
            <rect class="meter-ground" width="100%" height="100%"/>
            <rect class="meter-ask" width=move || percent(share.get()) height="100%"/>
            <rect class="meter-left" width=kept height="100%"/>
        </svg>
    }
}
