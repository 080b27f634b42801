//! The mechanisms in their groups, to choose one.

use leptos::prelude::*;

use crate::mechanisms::Info;
use crate::mechanisms::info::{GROUPS, Group};
use crate::ui::parts::Quoted;
use crate::ui::state::{App, StateStoreFields};
use crate::ui::{dom, groups, text, view_model};
use crate::words;

/// Why a mechanism does not run under the plan as it stands, and whether nothing but other columns would change that.
type Unfit = Memo<Option<(String, bool)>>;

/// Draws all groups of methods. Each is its own Tab stop; arrows move inside it.
#[component]
pub fn Chooser() -> impl IntoView {
    let app = App::here();
    let setup = app.state.setup();
    let current = Memo::new(move |_| app.mechanism());
    let capacity = Memo::new(move |_| match app.state.ledger().get() {
        Some(ledger) => Some((ledger.capacity(), true)),
        None => setup.with(view_model::worth).map(|worth| (worth.units, false)),
    });
    let families = GROUPS.iter().enumerate().map(|(place, group)| {
        let unfit = move |info: &'static Info| {
            Memo::new(move |_| {
                let outcome = app.state.columns().with(|columns| view_model::not_yes_or_no(info, columns));
                outcome.map(|why| (why, true)).or_else(|| {
                    let capacity = capacity.get();
                    let units = capacity.as_ref().map(|(units, _)| units);
                    let fixed = capacity.as_ref().is_some_and(|(_, fixed)| *fixed);
                    let why = setup.with(|setup| view_model::ineligibility(info, setup, units, fixed));
                    why.map(|why| (format!("{why}."), false))
                })
            })
        };
        let members = groups::members(group).map(|info| (info, unfit(info))).collect();
        view! { <Family group=*group place members current/> }
    });
    view! {
        <details class="more">
            <summary>{words::method::all_methods()}</summary>
            <fieldset class="block" id="method-name" tabindex="-1">
                <legend>{words::method::mechanism()}</legend>
                <div class="families">{families.collect_view()}</div>
            </fieldset>
        </details>
    }
}

/// Draws one group. It is open where it suits the columns, has the chosen mechanism, or was opened by the person.
#[component]
fn Family(
    group: &'static Group,
    place: usize,
    members: Vec<(&'static Info, Unfit)>,
    current: Memo<String>,
) -> impl IntoView {
    let app = App::here();
    let chosen = Memo::new(move |_| {
        Some(current.get()).filter(|name| groups::members(group).any(|info| info.name == name))
    });
    // An open group stays open until the person closes it, so that nothing moves under the pointer.
    let usual = Memo::new(move |before: Option<&bool>| {
        before == Some(&true)
            || chosen.with(Option::is_some)
            || app.state.columns().with(|columns| groups::is_usual(group, columns))
    });
    let word = Memo::new(move |_| app.state.families().with(|families| families.get(group.title).copied()));
    let open = Memo::new(move |_| word.get().unwrap_or_else(|| usual.get()));
    let toggled = move |event| {
        let now = dom::is_open(&event);
        if now != open.get_untracked() {
            app.state.families().update(|families| {
                families.insert(group.title, now);
            });
        }
    };
    let reasons: Vec<Unfit> = members.iter().map(|(_, unfit)| *unfit).collect();
    let none = {
        let reasons = reasons.clone();
        Memo::new(move |_| reasons.iter().all(|unfit| unfit.with(Option::is_some)))
    };
    // A reason that all mechanisms share is shown once.
    let shared = Memo::new(move |_| {
        let first = reasons.first()?.get()?;
        reasons.iter().all(|unfit| unfit.with(|unfit| unfit.as_ref() == Some(&first))).then_some(first.0)
    });
    let why = format!("family-{place}-why");
    let described = why.clone();
    let rows = members.into_iter().map(|(info, unfit)| view! { <Member info unfit shared place current/> });
    view! {
        <details class="family" prop:open=move || open.get() on:toggle=toggled>
            <summary>
                <span class="family-title" id=format!("family-{place}")>{words::of_mechanism(group.title)}</span>
                {move || chosen.get().map(|name| view! { <span class="tag when-closed">{words::method::chosen(name)}</span> })}
                {move || none.get().then(|| view! { <span class="tag">{words::method::not_now()}</span> })}
                <span class="hint">{words::of_mechanism(group.when)}</span>
            </summary>
            <p class="hint why-not" id=why>{move || shared.get()}</p>
            <div class="choices column" role="radiogroup" aria-labelledby=format!("family-{place}") aria-describedby=described>
                {rows.collect_view()}
            </div>
        </details>
    }
}

#[component]
fn Member(
    info: &'static Info,
    unfit: Unfit,
    shared: Memo<Option<String>>,
    place: usize,
    current: Memo<String>,
) -> impl IntoView {
    let app = App::here();
    let setup = app.state.setup();
    let id = format!("mechanism-{}", info.name);
    let (target, name, about) = (id.clone(), format!("{id}-name"), format!("{id}-about"));
    let (named, described) = (name.clone(), about.clone());
    let off = move || unfit.with(|unfit| unfit.as_ref().is_some_and(|(_, off)| *off));
    let own = move || unfit.get().filter(|_| shared.with(Option::is_none));
    let advised = Memo::new(move |_| app.recommended.with(|recommended| recommended.name == info.name));
    let default = move || {
        advised.get().then(|| view! { <span class="tag advised">{words::method::recommended()}</span> })
    };
    let tags = info
        .public_moments
        .then_some(words::method::needs_public())
        .into_iter()
        .chain(text::scope(info.scope));
    let tags = tags.map(|tag| view! { <span class="tag">{tag}</span> }).collect_view();
    view! {
        <label class="choice" class:off=off for=target>
            <input id=id type="radio" name=format!("mechanism-{place}") value=info.name disabled=off aria-labelledby=named
                aria-describedby=described prop:checked=move || current.get() == info.name
                on:change=move |_| setup.update(|setup| setup.choose(Some(info.name)))/>
            <span>
                <strong>{words::of_mechanism(info.title)}</strong> " " <span class="code" id=name>{info.name}</span>
                <span id=about>
                    {default} {tags}
                    <span class="what">{words::of_mechanism(info.summary)}</span>
                    <span class="hint"><Quoted words=words::of_mechanism(info.prefer)/> " " {words::method::source(info.source)}</span>
                    {move || own().map(|(why, _)| view! { <span class="hint why-not">{why}</span> })}
                </span>
            </span>
        </label>
    }
}
