//! Two regressions beside each other: releases of this table, the one that was opened from a file last, and refits, as the person chooses.

use std::sync::Arc;

use leptos::prelude::*;

use crate::mechanisms::info::are_log_odds;
use crate::model::INTERCEPT;
use crate::release::figure::{self, Figure, Line, Mark};
use crate::release::publication::comparison::{Comparison, Pair, Regression};
use crate::release::publication::{DecimalMark, Format};
use crate::release::{Release, format};
use crate::ui::names;
use crate::ui::parts::Choice;
use crate::ui::parts::plot::{Axis, IntervalCell};
use crate::ui::state::{App, StateStoreFields};
use crate::ui::steps::save::Saved;
use crate::ui::steps::table::{Spread, TermName};
use crate::words;

/// Most outcomes of one release that are offered.
const MOST_OUTCOMES: usize = 50;

/// Lists everything that can be compared, in the order in which it was made, and returns the place of the shown release in it.
fn regressions(app: App) -> (Vec<Regression>, usize) {
    let shown = app.state.shown().get().map(|shown| shown.release);
    let shown_charge = shown.as_ref().map(|release| release.ledger.clone());
    let kept: Vec<Arc<Release>> =
        app.state.releases().with(|all| all.iter().filter_map(|kept| kept.release.clone()).collect());
    let opened =
        app.state.opened().get().filter(|(_, opened)| kept.iter().all(|own| own.ledger != opened.ledger));
    let mut releases: Vec<Arc<Release>> = Vec::new();
    for release in shown.into_iter().chain(kept).chain(opened.clone().map(|(_, opened)| opened)) {
        if !releases.iter().any(|own| own.ledger == release.ledger) {
            releases.push(release);
        }
    }
    releases.sort_by_key(|release| release.ledger.as_ref().map(|charge| charge.entry));
    // Releases of two ledgers may have one number.
    let named = |release: &Arc<Release>, regression: Regression| match &opened {
        Some((file, opened)) if opened.ledger == release.ledger => {
            Regression { name: words::compared::from_file(file, &regression.name), ..regression }
        }
        _ => regression,
    };
    let of_release = |release: &Arc<Release>| {
        let log_odds = are_log_odds(&release.plan);
        let fitted = !release.coefficients.is_undetermined();
        let outcomes = figure::outcomes(release).into_iter().take(if fitted { MOST_OUTCOMES } else { 0 });
        let regression =
            |outcome: String| named(release, Regression::of_release(release, &outcome, log_odds));
        outcomes.map(regression).collect::<Vec<_>>()
    };
    let is_before = |release: &&Arc<Release>| Some(&release.ledger) != shown_charge.as_ref();
    let place = releases.iter().take_while(is_before).map(|release| of_release(release).len()).sum();
    let all = releases.iter().flat_map(of_release).chain(app.state.refits().get()).collect();
    (all, place)
}

/// Asks which two regressions to compare, once there are two.
#[component]
pub fn SideBySide() -> impl IntoView {
    let app = App::here();
    let all = Memo::new(move |_| regressions(app));
    let count = Memo::new(move |_| all.with(|(all, _)| all.len()));
    // What was added last is beside what is shown, or beside what came before it.
    let chosen = RwSignal::new([None::<usize>; 2]);
    let place = move |side: usize| {
        let last = count.get().saturating_sub(1);
        let shown = all.with(|(_, shown)| *shown);
        let usual = if side == 1 { last } else { shown.min(last.saturating_sub(1)) };
        chosen.get()[side].filter(|place| *place < count.get()).unwrap_or(usual)
    };
    let chooser = move |side: usize, id: &'static str, label: &'static str| {
        move || {
            let names = all.with(|(all, _)| all.iter().map(|one| one.name.clone()).collect::<Vec<_>>());
            let options = names.into_iter().enumerate().map(|(place, name)| (place.to_string(), name));
            let set =
                Callback::new(move |value: String| chosen.update(|chosen| chosen[side] = value.parse().ok()));
            view! {
                <Choice id label options=options.collect() value=Signal::derive(move || place(side).to_string()) set/>
            }
        }
    };
    let compared = Memo::new(move |_| {
        all.with(|(all, _)| Some(Comparison::new(all.get(place(0))?.clone(), all.get(place(1))?.clone())))
    });
    let body = move || compared.get().map(|comparison| view! { <Compared comparison/> });
    move || {
        (count.get() > 1).then(|| {
            view! {
                <details class="more" id="side-by-side">
                    <summary>{words::compared::title()}</summary>
                    <div class="fields">
                        {chooser(0, "compare-first", words::compared::first())}
                        {chooser(1, "compare-second", words::compared::second())}
                    </div>
                    {body}
                </details>
            }
        })
    }
}

#[component]
fn Compared(comparison: Comparison) -> impl IntoView {
    let figure = comparison.figure();
    let table = comparison.table();
    let heads: Vec<String> = table.heads.iter().map(|head| head.text.clone()).collect();
    let marks: Vec<Vec<Mark>> = figure
        .as_ref()
        .map(|figure| figure.marks.chunks(2).map(<[Mark]>::to_vec).collect())
        .unwrap_or_default();
    let rows = comparison.pairs.iter().enumerate().map(|(place, pair)| {
        let cell = figure.clone().zip(marks.get(place).cloned());
        view! { <PairRow pair=pair.clone() cell heads=heads.clone()/> }
    });
    let rows = rows.collect_view();
    let axis = comparison.axis();
    let keys = comparison.sides.iter().zip([("1", ""), ("2", "second")]).map(|(side, (place, class))| {
        view! { <span class=format!("key {class}")>{format!("{place}: {}", side.name)}</span> }
    });
    let keys = keys.collect_view();
    let numeric = heads.iter().enumerate().skip(1).map(|(place, head)| {
        // After the term: an estimate and an interval of each side, and the difference.
        let is_interval = place == 2 || place == 4;
        view! { <th scope="col" class="numeric" class:interval=is_interval>{head.clone()}</th> }
    });
    let drawn = figure.is_some();
    let [first, second] = comparison.sides.each_ref().map(|side| names::plain(&side.name));
    let write =
        Callback::new(move |(format, decimal): (Format, DecimalMark)| format.compared(&comparison, decimal));
    view! {
        <div class="scroll" tabindex="0" role="group" aria-label=table.caption>
            <table class="journal paired">
                <caption>{keys}</caption>
                <thead><tr>
                    <th scope="col">{words::result::term()}</th>
                    {numeric.collect_view()}
                    {drawn.then(|| view! { <th scope="col" class="plot-head">{axis}</th> })}
                </tr></thead>
                <tbody>{rows}</tbody>
                {figure.map(|figure| view! {
                    <tfoot><tr>
                        <td colspan="2"></td><td class="interval"></td><td></td><td class="interval"></td><td></td>
                        <td class="plot"><Axis figure/></td>
                    </tr></tfoot>
                })}
            </table>
        </div>
        <p class="hint">{table.notes.join(" ")}</p>
        <Saved name=format!("discreet-{first}-and-{second}") write/>
    }
}

#[component]
fn PairRow(pair: Pair, cell: Option<(Figure, Vec<Mark>)>, heads: Vec<String>) -> impl IntoView {
    let sides = pair.sides.iter().zip(heads.get(1..).unwrap_or_default().chunks(2)).map(|(side, heads)| {
        let label = |place: usize| heads.get(place).cloned().unwrap_or_default();
        match side.clone() {
            None => view! {
                <td class="numeric quietly" data-label=label(0)>{words::compared::without()}</td>
                <td class="interval"></td>
            }
            .into_any(),
            Some(Line { entry, .. }) => {
                let written = format::row(&entry);
                view! {
                    <td class="numeric" data-label=label(0)>{written.estimate}</td>
                    <td class="numeric interval" data-label=label(1)><Spread written=written.interval kind=entry.interval/></td>
                }
                .into_any()
            }
        }
    });
    let per = pair.per();
    let constant = pair.term == INTERCEPT;
    let plot = cell.map(|(figure, marks)| {
        let drawn = (!constant).then(|| view! { <IntervalCell marks zero=figure.zero ticks=figure.ticks/> });
        view! { <td class="plot">{drawn}</td> }
    });
    // After the term and two of each side.
    let difference = heads.get(5).cloned();
    view! {
        <tr tabindex="0">
            <th scope="row"><TermName term=pair.term.clone()/> <span class="per">{per}</span></th>
            {sides.collect_view()}
            {difference.map(|head| view! { <td class="numeric" data-label=head>{pair.written()}</td> })}
            {plot}
        </tr>
    }
}
