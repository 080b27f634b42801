//! The mechanisms' parameters as fields: the few that matter first, the rest under a fold.

use leptos::prelude::*;

use crate::mechanisms::{self, adaptive_gauss::ROBUST_SHARE};
use crate::plan::params::{Parameter, Place, Usual};
use crate::ui::draft::{self, as_typed};
use crate::ui::parts::{Choice, Field};
use crate::ui::state::{App, StateStoreFields};
use crate::ui::{actions, text};
use crate::words;

/// Lists the parameters of a mechanism that are shown in a place.
fn shown(mechanism: &str, place: Place) -> impl Iterator<Item = &'static Parameter> {
    let parameters = mechanisms::find(mechanism).map_or(&[][..], |info| info.parameters);
    parameters.iter().filter(move |parameter| parameter.place == place)
}

/// Returns the parameters as typed, or those of the recommendation where no mechanism was chosen.
fn given(app: App) -> Vec<(String, String)> {
    app.state.setup().with(|setup| match setup.mechanism {
        Some(_) => setup.params.clone(),
        None => app.recommended.with(|recommended| as_typed(&recommended.params)),
    })
}

/// Follows a parameter as typed.
fn typed(name: &'static str) -> Signal<String> {
    let app = App::here();
    Signal::derive(move || {
        given(app).into_iter().find(|(key, _)| key == name).map(|(_, value)| value).unwrap_or_default()
    })
}

/// Returns the line below the field of a parameter.
fn hint(parameter: &Parameter) -> String {
    let explained = words::of_mechanism(&parameter.explained()).to_owned();
    match parameter.default {
        Usual::Given => explained,
        default => words::parameters::hint(explained, default),
    }
}

fn field(parameter: &'static Parameter) -> AnyView {
    let (name, label, hint) = (parameter.name, words::of_mechanism(parameter.label), hint(parameter));
    let id = format!("method-{name}");
    let app = App::here();
    let setup = app.state.setup();
    let value = typed(name);
    let set = Callback::new(move |value: String| {
        // A parameter belongs to a mechanism, so the mechanism stays too.
        let (mechanism, params) = untrack(|| (app.mechanism(), given(app)));
        setup.update(|setup| {
            setup.mechanism = Some(mechanism);
            setup.params = params;
            setup.params.retain(|(key, _)| key != name);
            setup.params.push((name.to_owned(), value));
        });
    });
    let values = parameter.choices();
    if values.is_empty() {
        return view! { <Field id label value set hint/> }.into_any();
    }
    let empty = match parameter.default {
        Usual::Given => words::parameters::choose(),
        _ => words::parameters::default(),
    };
    let options = std::iter::once((String::new(), empty.to_owned()))
        .chain(values.iter().map(|value| ((*value).to_owned(), (*value).to_owned())));
    view! { <Choice id label options=options.collect() value set hint/> }.into_any()
}

/// Draws a link to the share for robust standard errors, where the method of the next release has one.
#[component]
pub fn ToRobust() -> impl IntoView {
    let app = App::here();
    let has_field = Memo::new(move |_| {
        let is_robust = |parameter: &Parameter| parameter.name == ROBUST_SHARE.name;
        let info = mechanisms::find(&app.mechanism());
        app.state.table().with(Option::is_some)
            && info.is_some_and(|info| info.parameters.iter().any(is_robust))
    });
    let go = move |_| actions::go_to_place(app, &draft::Place::method(ROBUST_SHARE.name));
    move || {
        has_field.get().then(
            || view! { <button type="button" class="link" on:click=go>{words::method::to_robust()}</button> },
        )
    }
}

/// Draws the parameters that a person should look at first, where the mechanism has any.
#[component]
pub fn First() -> impl IntoView {
    let app = App::here();
    let mechanism = Memo::new(move |_| app.mechanism());
    move || {
        let first: Vec<_> = shown(&mechanism.get(), Place::First).map(field).collect();
        (!first.is_empty()).then(|| {
            view! {
                <section class="block settings" aria-labelledby="settings-title">
                    <h2 id="settings-title">{words::parameters::settings()}</h2>
                    <div class="fields">{first}</div>
                </section>
            }
        })
    }
}

/// Says how often the rows are read, where that is more than once.
#[component]
pub fn Passes() -> impl IntoView {
    let app = App::here();
    let passes = Memo::new(move |_| {
        app.forecast.with(|forecast| forecast.as_ref().ok().and_then(|forecast| forecast.passes))
    });
    move || passes.get().map(|(count, kept)| view! { <p class="hint">{text::passes(count, kept)}</p> })
}

/// Draws the fields that most people leave as they are, under a fold.
#[component]
pub fn Advanced() -> impl IntoView {
    let app = App::here();
    let setup = app.state.setup();
    let mechanism = Memo::new(move |_| app.mechanism());
    let fields = move || shown(&mechanism.get(), Place::Advanced).map(field).collect_view();
    view! {
        <details class="more">
            <summary>{words::parameters::advanced()}</summary>
            <div class="fields">
                <Field id="method-confidence" label=words::parameters::level() unit="%" numeric=true
                    value=Signal::derive(move || setup.get().confidence)
                    set=Callback::new(move |value| setup.update(|setup| setup.confidence = value))/>
                <div class="field">
                    <label class="choice"><input type="checkbox" prop:checked=move || setup.with(|setup| setup.intercept)
                        on:change=move |event| setup.update(|setup| setup.intercept = event_target_checked(&event))/>
                        <span>{words::parameters::intercept()}</span></label>
                </div>
                {fields}
                <div class="field">
                    <label class="choice"><input type="checkbox" prop:checked=move || setup.with(|setup| setup.paper)
                        on:change=move |event| setup.update(|setup| setup.paper = event_target_checked(&event))/>
                        <span>{words::parameters::paper()}</span></label>
                </div>
            </div>
        </details>
    }
}
