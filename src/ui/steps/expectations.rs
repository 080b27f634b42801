//! The uncertainty to expect of each coefficient, before anything is spent.

use leptos::prelude::*;

use super::parameters::ToRobust;
use super::table::Uncertainty;
use crate::engine::foresee::{Foreseen, Rehearsals, half_widths};
use crate::inference::preview::TermPreview;
use crate::mechanisms::info::are_log_odds;
use crate::plan::Plan;
use crate::release::figure::{per, unit};
use crate::release::format::significant;
use crate::ui::parts::Quoted;
use crate::ui::parts::plot::NoiseCell;
use crate::ui::sentence::sentence;
use crate::ui::text;
use crate::words;

/// Terms that are listed.
const SHOWN: usize = 60;

/// Shows what to expect of a mechanism that has a forecast of its own.
#[component]
pub fn Foresight(foreseen: Foreseen, plan: Plan) -> impl IntoView {
    let withheld = foreseen.gives_nothing();
    let Rehearsals { terms, lost, .. } = foreseen.rehearsals.clone();
    let halves = half_widths(&plan, &terms).filter(|_| !withheld);
    let units = units(&plan, &terms);
    // Where all coefficients are withheld there are no intervals to show.
    let table = (!withheld).then(|| {
        if terms.is_empty() {
            view! { <p class="hint">{words::method::not_rehearsed()}</p> }.into_any()
        } else {
            view! { <Expectations terms units lost note=words::method::foreseen_note()/> }.into_any()
        }
    });
    view! {
        <section class="block" aria-label=words::method::what_to_expect()>
            <div class="verdict" class:clear=foreseen.is_clear() class:withheld=withheld role="status">
                <p class="verdict-main">{foreseen.verdict()}</p>
                {foreseen.assumption().map(|assumed| view! { <p><Quoted words=sentence(&assumed)/></p> })}
                {halves.map(|halves| view! { <p><Quoted words=halves/></p> })}
                <Foretold sentences=foreseen.sentences()/>
                <p class="hint">{words::method::from_plan_alone()}</p>
            </div>
            {table}
        </section>
    }
}

/// Sentences that are shown at once; and where there are more, those that are.
const AT_ONCE: usize = 5;
const FIRST: usize = 4;

/// Lists what follows for the result and what would help. Less important lines are folded.
#[component]
pub fn Foretold(mut sentences: Vec<String>) -> impl IntoView {
    let line = |told: &String| {
        let offers_robust = told.contains(words::forecast::unequal_spread());
        let to_robust = offers_robust.then(|| view! { " " <ToRobust/> });
        view! { <li><Quoted words=sentence(told)/> {to_robust}</li> }
    };
    let further = if sentences.len() > AT_ONCE { sentences.split_off(FIRST) } else { Vec::new() };
    let list =
        |told: &[String]| view! { <ul class="verdict-list">{told.iter().map(line).collect_view()}</ul> };
    let folded = (!further.is_empty()).then(|| {
        view! {
            <details class="more">
                <summary>{words::method::further(text::whole(further.len()))}</summary>
                {list(&further)}
            </details>
        }
    });
    view! { {list(&sentences)} {folded} }
}

/// Returns the unit of each coefficient: of the outcome or its log-odds, for one unit of a number.
pub fn units(plan: &Plan, terms: &[TermPreview]) -> Vec<String> {
    let log_odds = are_log_odds(plan);
    let each = terms.iter().map(|term| {
        let of_outcome =
            if log_odds { words::method::log_odds().to_owned() } else { unit(plan, &term.outcome) };
        let mut parts = vec![of_outcome, per(plan, &term.term)];
        parts.retain(|part| !part.is_empty());
        parts.join(", ")
    });
    each.collect()
}

/// Draws the noise beside an effect of plausible size for each coefficient, and says what is assumed. Coefficients that are `lost` stand last.
#[component]
pub fn Expectations(
    terms: Vec<TermPreview>,
    #[prop(optional)] units: Vec<String>,
    #[prop(optional)] lost: Vec<String>,
    note: &'static str,
) -> impl IntoView {
    let one = terms.iter().all(|term| terms.first().is_some_and(|first| first.outcome == term.outcome));
    let units = units.into_iter().chain(std::iter::repeat(String::new()));
    let terms: Vec<(TermPreview, String)> =
        terms.into_iter().zip(units).filter(|(term, _)| term.is_told()).collect();
    let more = terms.len().saturating_sub(SHOWN);
    let is_empty = terms.is_empty();
    let rows = terms.into_iter().take(SHOWN).map(|(term, unit)| view! { <Expect term unit one/> });
    let lost = lost.into_iter().take(SHOWN).map(|name| {
        view! { <tr><th scope="row">{name}</th><td colspan="5">{words::method::probably_withheld()}</td></tr> }
    });
    (!is_empty).then(|| view! {
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
                <tbody>{rows.collect_view()}{lost.collect_view()}</tbody>
            </table>
        </div>
        {(more > 0).then(|| view! { <p class="hint">{words::method::more(text::whole(more))}</p> })}
        <p class="hint">{note}</p>
    })
}

#[component]
fn Expect(term: TermPreview, unit: String, one: bool) -> impl IntoView {
    let name = if one { term.term.clone() } else { format!("{}: {}", term.outcome, term.term) };
    let effect = term.plausible_effect.abs();
    let (noise, total) = (term.noise_half(), term.half());
    let most = (effect + total).max(effect * 1.35);
    let unit = (!unit.is_empty()).then(|| view! { " " <span class="unit">{unit}</span> });
    view! {
        <tr>
            <th scope="row">{name} {unit}</th>
            <td class="numeric" data-label=words::method::plausible_size()>{significant(effect, 2)}</td>
            <td class="numeric" data-label=words::method::noise()>{significant(noise, 2)}</td>
            <td class="numeric" data-label=words::method::with_sampling()>{significant(total, 2)}</td>
            <td class="plot"><NoiseCell effect noise total most/></td>
            <td class="share-cell"><Uncertainty share=term.noise_share/></td>
        </tr>
    }
}
