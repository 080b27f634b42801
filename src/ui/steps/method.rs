//! Step 4: the mechanism, and what to expect of it before anything is spent.

use leptos::prelude::*;

use super::Status;
use super::chooser::Chooser;
use super::comparison::Comparison;
use super::errors::LeastErrors;
use super::parameters::{Advanced, First};
use super::public::PublicMoments;
use crate::inference::preview::{Preview, TermPreview, Verdict};
use crate::release::format::{percent, significant};
use crate::ui::draft::Place;
use crate::ui::parts::plot::{NoiseCell, ShareBar};
use crate::ui::state::{App, StateStoreFields};
use crate::ui::text::public::Outlook;
use crate::ui::{actions, text};
use crate::words;

/// Terms that the preview lists.
const SHOWN: usize = 60;

/// The mechanism.
pub fn status(app: App) -> Status {
    app.state.setup().with(|setup| setup.mechanism.clone()).into()
}

/// Choose how; see what it will give.
#[component]
pub fn Method() -> impl IntoView {
    view! { <Expectation/> <Chooser/> <PublicMoments/> <First/> <Comparison/> <Accept/> <Advanced/> }
        .into_any()
}

#[component]
fn Expectation() -> impl IntoView {
    let app = App::here();
    move || match app.forecast.get() {
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
        Ok(forecast) => match forecast.preview {
            Some(preview) => {
                let (ample, short) = match forecast.outlook {
                    Some(outlook) if outlook.preflight.is_ample() => {
                        (Some(text::public::outlook(&outlook)), None)
                    }
                    outlook => (None, outlook.map(|outlook| view! { <Prospect outlook/> })),
                };
                view! { {short} <Expected preview/> {ample.map(|words| view! { <p class="lead">{words}</p> })} }.into_any()
            }
            None if forecast.outlook.is_some() || forecast.errors.is_some() => {
                let prospect = forecast.outlook.map(|outlook| view! { <Prospect outlook/> });
                let errors = forecast.errors.map(|errors| view! { <LeastErrors errors/> });
                view! { {prospect} {errors} }.into_any()
            }
            None if forecast.has_errors && forecast.plan.rows.or(forecast.plan.stated_rows).is_some() => {
                view! {
                    <p class="notice">{words::method::no_noise_preview()}</p>
                }
                .into_any()
            }
            None if forecast.plan.rows.or(forecast.plan.stated_rows).is_some() => view! {
                <p class="notice">{words::method::no_preview()}</p>
            }
            .into_any(),
            None => view! {
                <p class="notice">{words::method::rows_needed()}</p>
            }
            .into_any(),
        },
    }
}

/// Whether a guided fit can work.
#[component]
fn Prospect(outlook: Outlook) -> impl IntoView {
    let (stable, ample) = (outlook.preflight.is_stable(), outlook.preflight.is_ample());
    let main = match (stable, ample) {
        (true, true) => words::public::can_work(),
        (true, false) => words::public::just(),
        (false, _) => words::public::cannot_work(),
    };
    view! {
        <section class="block" aria-label=words::method::whether_the_fit_can_work()>
            <div class="verdict" class:clear=ample class:withheld=!stable role="status">
                <p class="verdict-main">{main}</p>
                <p>{text::public::outlook(&outlook)}</p>
                <p class="hint">{words::public::outlook_note()}</p>
            </div>
        </section>
    }
}

#[component]
fn Expected(preview: Preview) -> impl IntoView {
    let clear = preview.verdict == Verdict::Clear;
    let withheld = preview.verdict == Verdict::Withheld;
    // A Wishart release always gives intervals, but for a penalised regression, and the page has to say so.
    let help = (!clear || preview.signal_to_noise.is_infinite()).then(|| {
        let advice = preview.advice.clone();
        view! { <p>{advice}</p> <p class="hint">{words::method::from_plan_alone()}</p> }
    });
    let outcomes: Vec<String> = preview.terms.iter().fold(Vec::new(), |mut seen, term| {
        if seen.last() != Some(&term.outcome) {
            seen.push(term.outcome.clone());
        }
        seen
    });
    let one = outcomes.len() == 1;
    let terms: Vec<TermPreview> =
        preview.terms.into_iter().filter(|term| term.plausible_effect.abs() > 0.0).collect();
    let more = terms.len().saturating_sub(SHOWN);
    let rows = terms.into_iter().take(SHOWN).map(|term| view! { <Expect term one/> });
    view! {
        <section class="block" aria-label=words::method::what_to_expect()>
            <div class="verdict" class:clear=clear class:withheld=withheld role="status">
                <p class="verdict-main">{text::verdict(preview.verdict)}</p>
                {help}
            </div>
            <div class="scroll" tabindex="0" role="group" aria-label=words::method::noise_beside_plausible_effects()>
                <table class="plain expect">
                    <caption>{words::method::noise_beside_an_effect_of_plausible()}</caption>
                    <thead><tr>
                        <th scope="col">{words::method::coefficient()}</th>
                        <th scope="col" class="numeric">{words::method::plausible_size()}</th>
                        <th scope="col" class="numeric">{words::method::noise()}</th>
                        <th scope="col" class="numeric">{words::method::with_sampling()}</th>
                        <th scope="col" class="plot-head">{words::method::size_and_band()}</th>
                        <th scope="col">{words::method::uncertainty_from_privacy_noise()}</th>
                    </tr></thead>
                    <tbody>{rows.collect_view()}</tbody>
                </table>
            </div>
            {(more > 0).then(|| view! { <p class="hint">{words::method::more(text::whole(more))}</p> })}
            <p class="hint">{words::method::expect_note()}</p>
        </section>
    }
}

#[component]
fn Expect(term: TermPreview, one: bool) -> impl IntoView {
    let name = if one { term.term.clone() } else { format!("{}: {}", term.outcome, term.term) };
    let effect = term.plausible_effect.abs();
    let (noise, total) = (term.noise_half(), term.half());
    let most = (effect + total).max(effect * 1.35);
    view! {
        <tr>
            <th scope="row">{name}</th>
            <td class="numeric">{significant(effect, 2)}</td>
            <td class="numeric">{significant(noise, 2)}</td>
            <td class="numeric">{significant(total, 2)}</td>
            <td class="plot"><NoiseCell effect noise total most/></td>
            <td class="share-cell"><span class="tabular">{percent(term.noise_share)}</span> <ShareBar share=term.noise_share/></td>
        </tr>
    }
}

/// The person's word for a proof that assumes real numbers, where the mechanism has no other.
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
