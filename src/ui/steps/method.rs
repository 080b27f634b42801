//! Step 4: the mechanism, and what to expect of it before anything is spent.

use leptos::prelude::*;

use super::Status;
use super::assumptions::Assumptions;
use super::chooser::Chooser;
use super::comparison::Comparison;
use super::derived::Uncentred;
use super::errors::LeastErrors;
use super::expectations::{Expectations, Foresight, units};
use super::parameters::{Advanced, First, Passes};
use super::public::PublicMoments;
use crate::engine::Outlook;
use crate::engine::foresee::half_widths;
use crate::inference::forecast;
use crate::inference::preview::{Preview, Verdict};
use crate::mechanisms::find;
use crate::mechanisms::info::are_log_odds;
use crate::model::Role;
use crate::plan::Plan;
use crate::plan::derived::named_with;
use crate::release::odds;
use crate::ui::draft::{Gap, Place, as_typed};
use crate::ui::parts::Quoted;
use crate::ui::parts::gloss::{Glossed, entries};
use crate::ui::state::{App, StateStoreFields};
use crate::ui::view_model::Forecast;
use crate::ui::{actions, groups, text};
use crate::words;

/// Names what is fitted.
pub fn status(app: App) -> Status {
    kind(&app.mechanism()).into()
}

/// Returns the name of a mechanism's group, or its own name if it has no group.
fn kind(name: &str) -> String {
    let group = find(name).and_then(|info| info.group);
    group.map_or_else(|| name.to_owned(), |group| words::of_mechanism(group.title).to_owned())
}

/// Draws the method step: what is fitted, and what to expect.
#[component]
pub fn Method() -> impl IntoView {
    view! { <Chosen/> <Expectation/> <Uncentred/> <Passes/>
        <Glossed of=[entries::MECHANISM, entries::NOISE, entries::NOISE_SHARE, entries::SAMPLING_ERROR, entries::CONFIDENCE_INTERVAL, entries::APPROXIMATE, entries::WITHHELD, entries::RIDGE]/>
        <Assumptions/> <Chooser/> <PublicMoments/> <First/> <Comparison/> <Accept/> <Advanced/> }
        .into_any()
}

/// Says what will be fitted, and why.
#[component]
fn Chosen() -> impl IntoView {
    let app = App::here();
    let setup = app.state.setup();
    let by_hand = Memo::new(move |_| setup.with(|setup| setup.mechanism.is_some()));
    let follow = move |_| setup.update(|setup| setup.choose(None));
    let name = Memo::new(move |_| app.mechanism());
    let title = move || name.with(|name| find(name).map(|info| words::of_mechanism(info.title)));
    let why = move || {
        let recommended = app.recommended.get();
        // A saved plan names what was recommended for it.
        let own = setup.with(|setup| setup.params != as_typed(&recommended.params));
        if !by_hand.get() || name.get() == recommended.name && !own {
            return view! { <p>{words::method::recommended_because(recommended.reason)}</p> }.into_any();
        }
        let is_other = name.get() != recommended.name;
        let chosen = if is_other { words::method::chosen_by_hand() } else { words::method::own_parameters() };
        let other = is_other.then(|| {
            let words =
                words::method::other_recommended(format!("`{}`", recommended.name), recommended.reason);
            view! { <Quoted words/> " " }
        });
        view! {
            <p>{chosen} " " {other}
                <button type="button" class="link" on:click=follow>{words::method::follow_recommendation()}</button></p>
        }
        .into_any()
    };
    // Which answer the odds are of cannot be turned after the charge, and nothing else can be fitted then.
    let odds = move || {
        app.plan.with(|plan| {
            let plan = plan.as_ref().ok().filter(|plan| are_log_odds(plan))?;
            let outcomes: Vec<String> =
                named_with(plan, Role::Outcome).iter().map(|outcome| odds::named(plan, outcome, true)).collect();
            let (outcomes, once) = (text::list(&outcomes, 2), words::method::no_refit());
            Some(view! { <p id="method-odds">{words::method::computes(outcomes)}</p> <p class="hint">{once}</p> })
        })
    };
    view! {
        <section class="block chosen" aria-label=words::method::chosen_method()>
            <h2>{move || name.with(|name| kind(name))}</h2>
            {why}
            {odds}
            <p class="hint">{title} " " <code class="code">{move || name.get()}</code></p>
            <Change/>
        </section>
    }
}

/// Offers the recommended method and plain alternatives.
#[component]
fn Change() -> impl IntoView {
    let app = App::here();
    let setup = app.state.setup();
    let current = Memo::new(move |_| setup.with(|setup| setup.mechanism.clone()));
    let option = move |name: Option<&'static str>, title: String, when: String| {
        view! {
            <label class="choice">
                <input type="radio" name="alternative" prop:checked=move || current.with(|current| current.as_deref() == name)
                    on:change=move |_| setup.update(|setup| setup.choose(name))/>
                <span><strong>{title}</strong> <span class="hint">{when}</span></span>
            </label>
        }
    };
    let others = Memo::new(move |_| {
        let found = app.state.columns().with(|columns| groups::alternatives(columns).collect::<Vec<_>>());
        found.into_iter().map(|(info, group)| (info.name, group.title, group.when)).collect::<Vec<_>>()
    });
    view! {
        <details class="more">
            <summary>{words::method::change()}</summary>
            <div class="choices column" role="radiogroup" aria-label=words::method::change()>
                {option(None, words::method::alternative_recommended().to_owned(), words::method::alternative_recommended_when().to_owned())}
                {move || others.get().into_iter().map(|(name, title, when)| {
                    option(Some(name), words::of_mechanism(title).to_owned(), words::of_mechanism(when).to_owned())
                }).collect_view()}
            </div>
        </details>
    }
}

#[component]
fn Expectation() -> impl IntoView {
    let app = App::here();
    // What was said of the same mechanism stays until the next forecast is made, so that nothing jumps.
    let told = Memo::new(move |before: Option<&Result<Forecast, Vec<Gap>>>| {
        let forecast = app.forecast.get();
        let stays = |before: &Result<Forecast, Vec<Gap>>| match (before, &forecast) {
            (Ok(before), Ok(now)) => now.is_awaited && before.plan.mechanism.name == now.plan.mechanism.name,
            _ => false,
        };
        before.cloned().filter(stays).unwrap_or(forecast)
    });
    move || match told.get() {
        Ok(forecast) if forecast.is_awaited => {
            view! { <p class="notice" role="status">{words::method::rehearsing()}</p> }.into_any()
        }
        Err(_) if app.is_spent() => view! { <p class="lead">{words::gap::spent()} "."</p> }.into_any(),
        Err(gaps) => {
            let items = gaps.into_iter().take(12).map(|gap| {
                let words = gap.text.clone();
                view! { <li><button type="button" class="link" on:click=move |_| actions::go_to(app, &gap)>{words}</button></li> }
            });
            view! {
                <section class="block" aria-label=words::method::still_needed()>
                    <p class="lead">{words::method::incomplete()}</p>
                    <ul class="gaps">{items.collect_view()}</ul>
                </section>
            }
            .into_any()
        }
        Ok(Forecast { foreseen: Some(foreseen), plan, .. }) => {
            view! { <Foresight foreseen plan/> }.into_any()
        }
        Ok(forecast) => match forecast.preview {
            Some(preview) => {
                let (ample, short) = match forecast.outlook {
                    Some(outlook) if outlook.preflight.is_ample() => (Some(outlook.advice()), None),
                    outlook => (None, outlook.map(|outlook| view! { <Prospect outlook/> })),
                };
                let dependent = forecast.dependence.map(|why| {
                    view! { <div class="verdict withheld" role="status"><p class="verdict-main">{why}</p></div> }
                });
                view! { {dependent} {short} <Expected preview plan=forecast.plan/> {ample.map(|words| view! { <p class="lead">{words}</p> })} }.into_any()
            }
            None if forecast.outlook.is_some() || forecast.errors.is_some() => {
                let of_steps = || forecast::verdict(forecast.errors.as_ref()?);
                let told = match (&forecast.outlook, forecast.hopeless) {
                    (Some(_), _) => None,
                    (None, Some(why)) => Some((Verdict::Withheld, why)),
                    (None, None) => of_steps().map(|(verdict, told)| (verdict, told.to_owned())),
                };
                let told = told.map(|(verdict, told)| {
                    let (clear, withheld) = (verdict == Verdict::Clear, verdict == Verdict::Withheld);
                    view! { <div class="verdict" class:clear=clear class:withheld=withheld role="status"><p class="verdict-main">{told}</p></div> }
                });
                let prospect = forecast.outlook.map(|outlook| view! { <Prospect outlook/> });
                let errors = forecast.errors.map(|errors| view! { <LeastErrors errors/> });
                view! { {told} {prospect} {errors} }.into_any()
            }
            None => {
                let has_rows = forecast.plan.rows.or(forecast.plan.stated_rows).is_some();
                let why = match (has_rows, forecast.has_errors) {
                    (false, _) => words::method::rows_needed(),
                    (true, true) => words::method::no_noise_preview(),
                    (true, false) => words::method::no_preview(),
                };
                view! { <p class="notice">{why}</p> }.into_any()
            }
        },
    }
}

/// Says whether a fit with public moments can work.
#[component]
fn Prospect(outlook: Outlook) -> impl IntoView {
    let (stable, ample) = (outlook.preflight.is_stable(), outlook.preflight.is_ample());
    view! {
        <section class="block" aria-label=words::method::whether_the_fit_can_work()>
            <div class="verdict" class:clear=ample class:withheld=!stable role="status">
                <p class="verdict-main">{outlook.verdict()}</p>
                <p>{outlook.advice()}</p>
                <p class="hint">{words::public::outlook_note()}</p>
            </div>
        </section>
    }
}

#[component]
fn Expected(preview: Preview, plan: Plan) -> impl IntoView {
    let units = units(&plan, &preview.terms);
    let halves = half_widths(&plan, &preview.terms);
    let app = App::here();
    let too_few = untrack(|| app.falls_back(&plan));
    let clear = preview.verdict == Verdict::Clear && !too_few;
    let withheld = preview.verdict == Verdict::Withheld;
    let verdict =
        if too_few && !withheld { words::method::penalised_at_best() } else { text::verdict(&preview) };
    // A Wishart release always gives intervals, but for a penalised regression, and the page has to say so.
    let help = (!clear || preview.signal_to_noise.is_infinite()).then(|| {
        let advice = preview.advice.clone();
        view! { <p>{advice}</p> <p class="hint">{words::method::from_plan_alone()}</p> }
    });
    view! {
        <section class="block" aria-label=words::method::what_to_expect()>
            <div class="verdict" class:clear=clear class:withheld=withheld role="status">
                <p class="verdict-main">{verdict}</p>
                {halves.map(|halves| view! { <p><Quoted words=halves/></p> })}
                {help}
            </div>
            <Expectations terms=preview.terms units note=words::method::expect_note()/>
        </section>
    }
}

/// Asks the person to accept a proof that assumes real numbers, where the mechanism has no other.
#[component]
fn Accept() -> impl IntoView {
    let app = App::here();
    let setup = app.state.setup();
    // The field is shown if it is needed, or if it was given and can be removed.
    let needed = Memo::new(move |_| {
        let asked = Place::method("confirm");
        setup.with(|setup| setup.idealised)
            || app.forecast.with(|forecast| {
                forecast.as_ref().is_err_and(|gaps| gaps.iter().any(|gap| gap.place == asked))
            })
    });
    move || {
        needed.get().then(|| view! {
            <div class="field" id="method-confirm" tabindex="-1">
                <label class="choice"><input type="checkbox" prop:checked=move || setup.with(|setup| setup.idealised)
                    on:change=move |event| setup.update(|setup| setup.idealised = event_target_checked(&event))/>
                    <span>{words::method::idealised()}</span></label>
            </div>
        })
    }
}
