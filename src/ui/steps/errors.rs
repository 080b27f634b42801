//! The standard errors that a fit in noisy steps will have at least, before anything is spent.

use leptos::prelude::*;

use crate::inference::forecast::TermForecast;
use crate::release::format::{NONE, significant, with_error};
use crate::ui::text;
use crate::words;

/// Terms that are listed.
const SHOWN: usize = 60;

/// Draws the smallest expected error of each coefficient, one line each.
#[component]
pub fn LeastErrors(errors: Vec<TermForecast>) -> impl IntoView {
    let one = errors.iter().all(|term| errors.first().is_some_and(|first| first.outcome == term.outcome));
    let odds = errors.iter().any(|term| term.sampling_std_error.is_some());
    let more = errors.len().saturating_sub(SHOWN);
    let rows =
        errors.into_iter().take(SHOWN).map(move |term| view! { <Least term one odds/> }).collect_view();
    let sampled = odds.then(|| {
        view! {
            <th scope="col" class="numeric">{words::method::with_sampling()}</th>
            <th scope="col" class="numeric">{words::method::odds_ratio_factor()}</th>
        }
    });
    view! {
        <section class="block" aria-label=words::method::what_to_expect()>
            <div class="scroll" tabindex="0" role="group" aria-label=words::method::expected_errors()>
                <table class="plain">
                    <caption>{words::method::expected_errors()}</caption>
                    <thead><tr>
                        <th scope="col">{words::method::coefficient()}</th>
                        <th scope="col" class="numeric">{words::method::noise()}</th>
                        {sampled}
                    </tr></thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
            {(more > 0).then(|| view! { <p class="hint">{words::method::more(text::whole(more))}</p> })}
            <p class="hint">{words::method::expected_errors_note()} {odds.then_some(words::method::least_odds_note())}</p>
        </section>
    }
}

#[component]
fn Least(term: TermForecast, one: bool, odds: bool) -> impl IntoView {
    let name = if one { term.term.clone() } else { format!("{}: {}", term.outcome, term.term) };
    let half = term.half().map_or_else(|| NONE.to_owned(), |half| significant(half, 2));
    // The distance from 1 is written with two digits.
    let factor = term.odds_factor();
    let factor = with_error(factor, factor.map(|factor| factor - 1.0)).estimate;
    let sampled = odds.then(|| {
        view! { <td class="numeric">{half}</td> <td class="numeric">{factor}</td> }
    });
    view! {
        <tr>
            <th scope="row">{name}</th>
            <td class="numeric">{significant(term.noise_half(), 2)}</td>
            {sampled}
        </tr>
    }
}
