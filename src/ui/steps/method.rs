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
    move || {
        match app.forecast.get() {
        Err(gaps) => {
            let items = gaps.into_iter().take(12).map(|gap| {
                let words = gap.text.clone();
                view! { <li><button type="button" class="link" on:click=move |_| actions::go_to(app, &gap)>{words}</button></li> }
            });
            view! {
                <section class="block" aria-label="Still needed">
                    <p class="lead">"What to expect is shown once the plan is complete. Still needed:"</p>
                    <ul class="gaps">{items.collect_view()}</ul>
                </section>
            }
            .into_any()
        }
        Ok(forecast) => match forecast.preview {
            Some(preview) => {
                let (ample, short) = match forecast.outlook {
                    Some(outlook) if outlook.preflight.is_ample() => (Some(text::public::outlook(&outlook)), None),
                    outlook => (None, outlook.map(|outlook| view! { <Prospect outlook/> })),
                };
                view! { {short} <Expected preview/> {ample.map(|words| view! { <p class="lead">{words}</p> })} }.into_any()
            }
            None if forecast.outlook.is_some() || forecast.errors.is_some() => {
                let prospect = forecast.outlook.map(|outlook| view! { <Prospect outlook/> });
                let errors = forecast.errors.map(|errors| view! { <LeastErrors errors/> });
                view! { {prospect} {errors} }.into_any()
            }
            None if forecast.has_errors && forecast.plan.rows.or(forecast.plan.stated_rows).is_some() => view! {
                <p class="notice">{text::NO_NOISE_PREVIEW}</p>
            }
            .into_any(),
            None if forecast.plan.rows.or(forecast.plan.stated_rows).is_some() => view! {
                <p class="notice">{text::NO_PREVIEW}</p>
            }
            .into_any(),
            None => view! {
                <p class="notice">"State about how many rows the table has on the Privacy step to see how large the noise will be."</p>
            }
            .into_any(),
        },
    }
    }
}

/// Whether a guided fit can work.
#[component]
fn Prospect(outlook: Outlook) -> impl IntoView {
    let (stable, ample) = (outlook.preflight.is_stable(), outlook.preflight.is_ample());
    let main = match (stable, ample) {
        (true, true) => text::public::AMPLE,
        (true, false) => text::public::JUST,
        (false, _) => text::public::TOO_FEW,
    };
    view! {
        <section class="block" aria-label="Whether the fit can work">
            <div class="verdict" class:clear=ample class:withheld=!stable role="status">
                <p class="verdict-main">{main}</p>
                <p>{text::public::outlook(&outlook)}</p>
                <p class="hint">{text::public::OUTLOOK_NOTE}</p>
            </div>
        </section>
    }
}

#[component]
fn Expected(preview: Preview) -> impl IntoView {
    let clear = preview.verdict == Verdict::Clear;
    let withheld = preview.verdict == Verdict::Withheld;
    // A matrix that is drawn whole gives intervals always, for a regression that is shrunk: that has to be said.
    let help = (!clear || preview.signal_to_noise.is_infinite()).then(|| {
        let advice = preview.advice.clone();
        view! { <p>{advice}</p> <p class="hint">"The numbers come from the plan alone; no row was read."</p> }
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
        <section class="block" aria-label="What to expect">
            <div class="verdict" class:clear=clear class:withheld=withheld role="status">
                <p class="verdict-main">{text::verdict(preview.verdict)}</p>
                {help}
            </div>
            <div class="scroll" tabindex="0" role="group" aria-label="Noise beside plausible effects">
                <table class="plain expect">
                    <caption>"Noise beside an effect of plausible size, from public numbers alone"</caption>
                    <thead><tr>
                        <th scope="col">"Coefficient"</th>
                        <th scope="col" class="numeric">"Plausible size"</th>
                        <th scope="col" class="numeric">"± noise"</th>
                        <th scope="col" class="numeric">"± with sampling"</th>
                        <th scope="col" class="plot-head">"Size and band"</th>
                        <th scope="col">"Uncertainty from noise"</th>
                    </tr></thead>
                    <tbody>{rows.collect_view()}</tbody>
                </table>
            </div>
            {(more > 0).then(|| view! { <p class="hint">"and " {text::whole(more)} " more"</p> })}
            <p class="hint">"Bar: an effect of plausible size. Band around its end: 95 % of the noise. Line: noise and sampling together. Assumed: values spread over a third of the half width of their bounds, unrelated predictors, each moving the \
                outcome by 0.3 of its spread. Real tables differ; related predictors make it worse."</p>
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
    // Asked for, or given already: then it can be taken back.
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
                    <span>{text::IDEALISED}</span></label>
            </div>
        })
    }
}
