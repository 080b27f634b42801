//! All outcomes for one term, as a table to search, sort, filter, page through and download.

use std::sync::Arc;

use leptos::prelude::*;

use super::table::{Spread, Uncertainty};
use crate::mechanisms::info::are_log_odds;
use crate::model::Estimate;
use crate::plan::search::Search;
use crate::release::Release;
use crate::release::browse::{Browser, Only, Order, Query, ratio};
use crate::release::figure;
use crate::release::format;
use crate::release::publication::tables;
use crate::ui::parts::{Choice, Field, Pager};
use crate::ui::state::{App, StateStoreFields};
use crate::ui::table::PAGE;
use crate::ui::{actions, dom, text};
use crate::words;

/// What can be sorted by, in the order of the list.
const ORDERS: [Order; 7] = [
    Order::Released,
    Order::Name,
    Order::Estimate,
    Order::Size,
    Order::Ratio,
    Order::StdError,
    Order::NoiseShare,
];

const ONLY: [Only; 3] = [Only::All, Only::Intervals, Only::ExcludesZero];

/// What is asked for and what it finds.
#[derive(Clone, Copy)]
struct Found {
    app: App,
    query: RwSignal<Query>,
    typed: RwSignal<String>,
    page: RwSignal<usize>,
    rows: Memo<Vec<usize>>,
}

impl Found {
    fn new(browser: &Arc<Browser>) -> Self {
        let query = RwSignal::new(Query { term: browser.first_term(), ..Query::default() });
        let browser = Arc::clone(browser);
        let rows = Memo::new(move |_| query.with(|query| browser.rows(query)));
        Self { app: App::here(), query, typed: RwSignal::new(String::new()), page: RwSignal::new(0), rows }
    }

    fn ask(self, change: impl FnOnce(&mut Query)) {
        self.page.set(0);
        self.query.update(change);
        let count = self.rows.with_untracked(Vec::len);
        self.app.say(words::outcomes::found(count, text::whole(count)));
    }
}

/// Draws the panel of all outcomes.
#[component]
pub fn Outcomes(release: Arc<Release>) -> impl IntoView {
    let log_odds = are_log_odds(&release.plan);
    let browser = Arc::new(Browser::new(Arc::clone(&release)));
    let found = Found::new(&browser);
    view! {
        <section class="outcomes" aria-label=words::outcomes::all_outcomes()>
            <Controls browser=Arc::clone(&browser) found/>
            <ChanceNote browser=Arc::clone(&browser) found release=Arc::clone(&release)/>
            <Page browser=Arc::clone(&browser) found release/>
            <div class="outcomes-foot">
                <Pager label=words::outcomes::pages_of_outcomes() page=found.page count=Signal::derive(move || found.rows.with(Vec::len))
                    turn=Callback::new(move |page| found.page.set(page)) place=words::outcomes::page/>
                <Save browser found log_odds/>
            </div>
        </section>
    }
}

#[component]
fn Controls(browser: Arc<Browser>, found: Found) -> impl IntoView {
    let terms = browser.terms().iter().enumerate();
    let terms = terms.map(|(index, term)| (index.to_string(), tables::name(term).to_owned())).collect();
    let orders = ORDERS.map(|order| (text::order(order).to_owned(), text::order(order).to_owned())).to_vec();
    let only = ONLY.map(|only| (text::only(only).to_owned(), text::only(only).to_owned())).to_vec();
    let query = found.query;
    let set_name = Callback::new(move |typed: String| {
        found.ask(|query| query.search = Search::new(&typed));
        found.typed.set(typed);
    });
    let set_term =
        Callback::new(move |key: String| found.ask(|query| query.term = key.parse().unwrap_or_default()));
    let set_only = Callback::new(move |name: String| {
        let only = ONLY.into_iter().find(|only| text::only(*only) == name).unwrap_or_default();
        found.ask(|query| query.only = only);
    });
    let set_order = Callback::new(move |name: String| {
        let order = ORDERS.into_iter().find(|order| text::order(*order) == name).unwrap_or_default();
        found.ask(|query| {
            query.order = order;
            query.descending = !matches!(order, Order::Released | Order::Name);
        });
    });
    let turn = move |_| found.ask(|query| query.descending = !query.descending);
    let label = move || query.with(|query| text::direction(query.order, query.descending));
    view! {
        <div class="outcome-tools">
            <Field id="outcome-search" label=words::outcomes::find_outcome() value=found.typed set=set_name
                hint=words::outcomes::find_hint()/>
            <Choice id="outcome-term" label=words::result::term() options=terms
                value=Signal::derive(move || query.with(|query| query.term.to_string())) set=set_term/>
            <Choice id="outcome-only" label=words::outcomes::show() options=only
                value=Signal::derive(move || query.with(|query| text::only(query.only).to_owned())) set=set_only/>
            <div class="outcome-order">
                <Choice id="outcome-order" label=words::outcomes::sort_by() options=orders
                    value=Signal::derive(move || query.with(|query| text::order(query.order).to_owned())) set=set_order/>
                <button type="button" class="quiet" aria-label=move || words::outcomes::turn_round(label())
                    on:click=turn>{label}</button>
            </div>
        </div>
    }
}

/// Says that among very many intervals some exclude 0 by chance.
#[component]
fn ChanceNote(browser: Arc<Browser>, found: Found, release: Arc<Release>) -> impl IntoView {
    let level = format::level(&release.plan);
    let term = Memo::new(move |_| found.query.with(|query| query.term));
    move || {
        let chance = browser.chance(term.get());
        view! { <p class="hint">{text::chance(&chance, &level)}</p> }
    }
}

#[component]
fn Page(browser: Arc<Browser>, found: Found, release: Arc<Release>) -> impl IntoView {
    let level = format::level(&release.plan);
    let heading = {
        let browser = Arc::clone(&browser);
        move || {
            let term = found.query.with(|query| query.term);
            let term = browser.terms().get(term).cloned().unwrap_or_default();
            let per = figure::per(&release.plan, &term);
            let count = found.rows.with(Vec::len);
            let (term, count) =
                (tables::name(&term).to_owned(), words::outcomes::count(count, text::whole(count)));
            view! { <span class="term">{term}</span> " " <span class="per">{per}</span> ": " {count} }
        }
    };
    // One memo has everything that the rows depend on.
    let drawn = Memo::new(move |_| {
        let from = found.page.get() * PAGE;
        let rows = found.rows.with(|rows| rows.iter().copied().skip(from).take(PAGE).collect::<Vec<_>>());
        (found.query.with(|query| query.term), rows)
    });
    let rows = move || {
        let (term, rows) = drawn.get();
        let row = |row: usize| {
            let entry = browser.entry(row, term)?;
            let name = browser.outcomes().get(row)?.clone();
            Some(view! { <OutcomeRow name entry/> })
        };
        rows.into_iter().filter_map(row).collect_view()
    };
    let none = move || found.rows.with(Vec::is_empty);
    view! {
        <div class="scroll" tabindex="0" role="group" aria-label=words::outcomes::all_outcomes()>
            <table class="journal outcome-table">
                <caption>{heading}</caption>
                <thead><tr>
                    <th scope="col">{words::columns::outcome()}</th>
                    <th scope="col" class="numeric">{words::result::estimate()}</th>
                    <th scope="col" class="numeric">{words::result::interval(level)}</th>
                    <th scope="col" class="numeric">{words::outcomes::estimate_standard_error()}</th>
                    <th scope="col" class="share-head">{words::result::of_uncertainty()}</th>
                </tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
        {move || none().then(|| view! { <p class="notice">{words::outcomes::none_found()}</p> })}
    }
}

#[component]
fn OutcomeRow(name: String, entry: Estimate) -> impl IntoView {
    let app = App::here();
    let written = format::row(&entry);
    let ratio = ratio(&entry).map_or_else(|| format::NONE.to_owned(), |ratio| format::significant(ratio, 3));
    let share = entry.noise_share.map(|share| view! { <Uncertainty share/> });
    let (label, own, key) = (words::outcomes::open(&name), name.clone(), name.clone());
    let current = move || app.state.outcome().with(|open| open.as_deref() == Some(own.as_str()));
    let open = move |_| {
        app.state.outcome().set(Some(key.clone()));
        dom::focus_soon("regression");
    };
    view! {
        <tr class:current=current>
            <th scope="row"><button type="button" class="link" aria-label=label on:click=open>{name}</button></th>
            <td class="numeric">{written.estimate}</td>
            <td class="numeric interval"><Spread written=written.interval kind=entry.interval/></td>
            <td class="numeric">{ratio}</td>
            <td class="share-cell">{share}</td>
        </tr>
    }
}

/// Offers the found outcomes as a file, in the order shown.
#[component]
fn Save(browser: Arc<Browser>, found: Found, log_odds: bool) -> impl IntoView {
    let save = move |_| {
        let decimal = found.app.state.decimal().get_untracked();
        let term = found.query.with_untracked(|query| query.term);
        let saved = found.rows.with_untracked(|rows| {
            dom::download_pieces(
                &actions::named(found.app, "discreet-outcomes.csv"),
                "text/csv",
                browser.csv(rows, term, log_odds).map(move |piece| decimal.of_csv(piece)),
            )
        });
        actions::say_saved(found.app, saved);
    };
    view! {
        <button type="button" on:click=save>{move || words::outcomes::download(text::whole(found.rows.with(Vec::len)))}</button>
    }
}
