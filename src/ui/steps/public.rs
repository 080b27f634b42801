//! What is publicly known of the columns, for a mechanism that is guided by it: read from a file, or typed.

use leptos::prelude::*;

use crate::engine::public_moments::PublicKnowledge as _;
use crate::plan::public::document::PublicTerm;
use crate::release::format::{NONE, short};
use crate::release::known::correlations;
use crate::ui::actions::public;
use crate::ui::draft::number;
use crate::ui::parts::{Field, Icon, PrivateZone, TypedWords};
use crate::ui::public_form::{MOST_TYPED, Term, Way};
use crate::ui::state::{App, StateStoreFields};
use crate::ui::{dom, text, view_model};
use crate::words;
use crate::worker::protocol::SharedRows;

/// Terms of a file that are listed.
const SHOWN: usize = 100;

/// Endings of public files.
const ACCEPTED: &str = ".csv,.tsv,.txt,.json,text/csv,application/json";

/// Draws the panel of public moments, where the mechanism needs them.
#[component]
pub fn PublicMoments() -> impl IntoView {
    let app = App::here();
    let guided = Memo::new(move |_| app.state.setup().with(view_model::takes_public_moments));
    move || guided.get().then(|| view! { <Panel/> })
}

#[component]
fn Panel() -> impl IntoView {
    let app = App::here();
    let way = Memo::new(move |_| app.state.public().with(|form| form.way));
    let ways = Way::ALL.map(|own| {
        let (name, hint) = text::public::way(own);
        view! {
            <label class="choice">
                <input type="radio" name="public-way" prop:checked=move || way.get() == own
                    on:change=move |_| public::choose_way(app, own)/>
                <span><strong>{name}</strong> <span class="hint">{hint}</span></span>
            </label>
        }
    });
    let form = move || match way.get() {
        Way::Typed => view! { <Typed/> }.into_any(),
        own => view! { <File own/> }.into_any(),
    };
    view! {
        <section class="block public-form" id="method-public" tabindex="-1" aria-labelledby="public-title">
            <h2 id="public-title">{words::public::title()}</h2>
            <p>{words::public::why()}</p>
            <p class="notice"><Icon name="stop"/><span>{words::public::never()}</span></p>
            <div class="choices" role="radiogroup" aria-labelledby="public-title">{ways.collect_view()}</div>
            {form}
            <Outcome/>
        </section>
    }
}

/// Says what was repaired, and offers the numbers as a file.
#[component]
fn Outcome() -> impl IntoView {
    let app = App::here();
    let notes = Memo::new(move |_| {
        app.forecast.with(|forecast| forecast.as_ref().map(|f| f.notes.clone()).unwrap_or_default())
    });
    let listed = move || {
        let notes = notes.get();
        let items = notes.iter().map(|note| view! { <li>{note.clone()}</li> }).collect_view();
        (!notes.is_empty()).then(|| view! { <ul class="notes">{items}</ul> })
    };
    let given = Memo::new(move |_| app.public.get().ok().flatten());
    let save = move || {
        given.get().map(|moments| view! {
            <button type="button" class="quiet" on:click=move |_| public::save(moments.table())>{words::public::save()}</button>
        })
    };
    view! { {listed} {save} }
}

#[component]
fn Source() -> impl IntoView {
    let app = App::here();
    let value = Signal::derive(move || {
        app.state.public().with(|form| match (form.way, &form.opened) {
            (Way::Typed, _) => form.typed.source.clone(),
            (_, opened) => opened.as_ref().map(|opened| opened.table.source.clone()).unwrap_or_default(),
        })
    });
    let set = Callback::new(move |value: String| {
        if app.state.public().with_untracked(|form| form.way == Way::Typed) {
            app.state.public().update(|form| form.typed.source = value);
        } else {
            public::name_source(app, value);
        }
    });
    view! {
        <Field id="method-public-source" label=words::public::source() value set
            hint=words::public::source_hint()/>
    }
}

#[component]
fn File(own: Way) -> impl IntoView {
    let app = App::here();
    let chosen = move |event: web_sys::Event| public::choose(app, dom::chosen(&event));
    let (label, hint) = match own {
        Way::Document => (words::public::open(), words::public::document_hint()),
        Way::Csv | Way::Typed => (words::public::choose(), words::public::csv_hint()),
    };
    let problem = move || {
        let problem = app.state.public().with(|form| form.problem.clone());
        problem.map(|problem| view! {
            <div id="public-problem" class="notice problem" role="alert" tabindex="-1"><Icon name="stop"/><p>{problem}</p></div>
        })
    };
    view! {
        <div class="offer-file">
            <label class="button" for="choose-public">{label}</label>
            <input id="choose-public" class="file" type="file" accept=ACCEPTED on:change=chosen aria-describedby="choose-public-hint"/>
            <p class="hint" id="choose-public-hint">{hint}</p>
        </div>
        {problem}
        <Opened/>
    }
}

/// Shows the numbers of an opened file beside the stated columns.
#[component]
fn Opened() -> impl IntoView {
    let app = App::here();
    // The source is typed below, so it is not part of what is drawn again.
    let said = Memo::new(move |_| {
        app.state.public().with(|form| {
            let table = &form.opened.as_ref()?.table;
            Some((table.rows, table.terms.clone(), correlations(table)))
        })
    });
    let shared = Memo::new(move |_| {
        app.state.public().with(|form| form.opened.as_ref().and_then(|opened| opened.shared))
    });
    let stale = Memo::new(move |_| {
        let read =
            app.state.public().with(|form| form.opened.as_ref().and_then(|opened| opened.columns.clone()));
        let now = app.plan.with(|plan| plan.as_ref().ok().map(|plan| plan.columns.clone()));
        read.zip(now).is_some_and(|(read, now)| read != now)
    });
    move || {
        said.get().map(|(rows, known, related)| {
            let terms = app.terms.get();
            let unused = known.iter().filter(|known| !terms.iter().any(|term| term.name == known.term)).count();
            let listed = terms.into_iter().take(SHOWN).map(move |term| {
                let found = known.iter().find(|known| known.term == term.name).cloned();
                view! { <Said term found/> }
            });
            view! {
                <TermTable caption=text::public::read(rows)>{listed.collect_view()}</TermTable>
                <p class="hint">{related} {(unused > 0).then(|| " ".to_owned() + &words::public::unused(unused, text::whole(unused)))}</p>
                {move || shared.get().map(|shared| view! { <SharedPeople shared/> })}
                {move || stale.get().then(|| view! { <p class="notice"><Icon name="note"/>{words::public::stale()}</p> })}
                <div class="fields"><Source/></div>
            }
        })
    }
}

/// Warns of records that the file shares with the table, and lets the person say that they are of different people.
#[component]
fn SharedPeople(shared: SharedRows) -> impl IntoView {
    let app = App::here();
    view! {
        <PrivateZone title=words::public::shared_title()>
            <p>{words::public::shared(shared.columns, shared.overlap.of_100(), shared.columns)}</p>
            <TypedWords id="method-public-different" label=words::people::different_label() wrong=words::people::different_words()
                button=words::public::shared_do() act=move |typed| public::differ(app, typed)/>
        </PrivateZone>
    }
}

#[component]
fn Said(term: Term, found: Option<PublicTerm>) -> impl IntoView {
    let (mean, sd) = (found.as_ref().map(|found| found.mean), found.as_ref().and_then(|found| found.sd));
    let written = |value: Option<f64>| value.map_or_else(|| NONE.to_owned(), |value| short(value, 4));
    let note = match &found {
        None if term.outcome => Some(words::public::unknown_outcome()),
        None => Some(words::public::lacking()),
        Some(_) => term.doubt(mean, sd.filter(|_| !term.is_level())),
    };
    view! {
        <tr>
            <th scope="row">{term.name.clone()} <span class="per">{text::public::bounds(&term)}</span></th>
            <td class="numeric">{written(mean)}</td>
            <td class="numeric">{written(sd)}</td>
        </tr>
        <tr class="doubt"><td colspan="3" class="cell-note ask">{note}</td></tr>
    }
}

/// Draws two rows for each term: its public numbers beside its stated bounds, and what seems wrong with them.
#[component]
fn TermTable(#[prop(into)] caption: String, children: Children) -> impl IntoView {
    view! {
        <div class="scroll" tabindex="0" role="group" aria-label=words::public::table()>
            <table class="plain public-terms">
                <caption>{caption}</caption>
                <thead><tr>
                    <th scope="col">{words::public::term()}</th>
                    <th scope="col" class="numeric">{words::public::public_mean()}</th>
                    <th scope="col" class="numeric">{words::public::public_standard_deviation()}</th>
                </tr></thead>
                <tbody>{children()}</tbody>
            </table>
        </div>
    }
}

#[component]
fn Typed() -> impl IntoView {
    let app = App::here();
    let rows = Signal::derive(move || app.state.public().with(|form| form.typed.rows.clone()));
    let set_rows = Callback::new(move |value| app.state.public().update(|form| form.typed.rows = value));
    let table = move || {
        let terms = app.terms.get();
        if terms.is_empty() {
            return view! { <p class="hint">{words::public::describe_first()}</p> }.into_any();
        }
        if terms.len() > MOST_TYPED {
            return view! { <p class="hint">{words::public::too_many(text::whole(terms.len()))}</p> }
                .into_any();
        }
        let lines = terms.iter().cloned().enumerate().map(|(place, term)| view! { <Line term place/> });
        let lines = lines.collect_view();
        view! {
            <TermTable caption=words::public::as_printed()>{lines}</TermTable>
            <p class="hint">{words::public::typed_hint()}</p>
            <Correlations terms/>
        }
        .into_any()
    };
    view! {
        {table}
        <div class="fields">
            <Field id="method-public-rows" label=words::public::rows() numeric=true counts=true value=rows set=set_rows
                hint=words::public::rows_hint()/>
            <Source/>
        </div>
    }
}

#[component]
fn Line(term: Term, place: usize) -> impl IntoView {
    let app = App::here();
    let name = term.name.clone();
    let value = move |name: &str, which: usize| {
        app.state
            .public()
            .with(|form| form.typed.moments.get(name).map(|pair| pair[which].clone()).unwrap_or_default())
    };
    let cell = |which: usize, label: String, kind: &'static str| {
        let (own, target) = (name.clone(), name.clone());
        let set = move |event| {
            let value = event_target_value(&event);
            app.state
                .public()
                .update(|form| form.typed.moments.entry(target.clone()).or_default()[which] = value);
        };
        view! {
            <input id=format!("method-public-{kind}-{place}") class="cell numeric" type="text" inputmode="decimal" autocomplete="off"
                spellcheck="false" aria-label=label aria-describedby=format!("public-doubt-{place}")
                prop:value=move || value(&own, which) on:input=set/>
        }
    };
    let label = if term.is_level() { words::public::share_of(&name) } else { words::public::mean_of(&name) };
    let mean = cell(0, label, "mean");
    let sd = if term.is_level() {
        view! { <span class="quietly">{words::public::from_share()}</span> }.into_any()
    } else {
        cell(1, words::public::sd_of(&name), "sd").into_any()
    };
    let (bounds, level) = (text::public::bounds(&term), term.is_level());
    let (heading, outcome) = (name.clone(), term.outcome);
    let doubt = move || {
        let sd = number(&value(&name, 1)).filter(|_| !level);
        term.doubt(number(&value(&name, 0)), sd)
    };
    view! {
        <tr>
            <th scope="row">{heading} <span class="per">{bounds} {outcome.then_some(words::public::optional())}</span></th>
            <td class="numeric">{mean}</td>
            <td class="numeric">{sd}</td>
        </tr>
        <tr class="doubt"><td colspan="3" class="cell-note ask" id=format!("public-doubt-{place}")>{doubt}</td></tr>
    }
}

/// Draws a triangle of fields for correlations, which start at 0.
#[component]
fn Correlations(terms: Vec<Term>) -> impl IntoView {
    let app = App::here();
    if terms.len() < 2 {
        return ().into_any();
    }
    let names: Vec<String> = terms.into_iter().map(|term| term.name).collect();
    let heads = names
        .iter()
        .take(names.len() - 1)
        .map(|name| view! { <th scope="col" class="numeric">{name.clone()}</th> });
    let heads = heads.collect_view();
    let rows = names.iter().enumerate().skip(1).map(|(row, own)| {
        let cells = names.iter().take(row).enumerate().map(|(column, other)| {
            let pair = (other.clone(), own.clone());
            let asked = pair.clone();
            let value = move || {
                app.state.public().with(|form| form.typed.correlations.get(&asked).cloned().unwrap_or_default())
            };
            let set = move |event| {
                let value = event_target_value(&event);
                app.state.public().update(|form| drop(form.typed.correlations.insert(pair.clone(), value)));
            };
            view! {
                <td class="numeric"><input id=format!("method-public-correlation-{row}-{column}") class="cell numeric" type="text"
                    inputmode="decimal" autocomplete="off" placeholder="0" aria-label=words::public::correlation_of(other, own)
                    prop:value=value on:input=set/></td>
            }
        });
        view! { <tr><th scope="row">{own.clone()}</th>{cells.collect_view()}</tr> }
    });
    let rows = rows.collect_view();
    view! {
        <details class="more">
            <summary>{words::public::correlations()}</summary>
            <div class="scroll" tabindex="0" role="group" aria-label=words::public::correlations()>
                <table class="plain public-terms triangle">
                    <thead><tr><td></td>{heads}</tr></thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        </details>
    }
    .into_any()
}
