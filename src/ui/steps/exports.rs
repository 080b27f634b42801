//! Everything that can leave, in one place: the release in the format that a person needs.

use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::release::document::LONG_FORM_OUTCOMES;
use crate::release::publication::format::pieces;
use crate::release::publication::{DecimalMark, Format, Labels, Publication, html, markdown};
use crate::release::supplement::Supplement;
use crate::release::{Release, figure};
use crate::ui::draft::number;
use crate::ui::parts::{Choice, Field, Icon, PrintedTable, Quoted};
use crate::ui::state::{App, StateStoreFields};
use crate::ui::{actions, dom};
use crate::words;

/// Asks for the format and the labels, and offers to copy and download.
#[component]
pub fn Exports(release: Arc<Release>, supplement: Arc<Supplement>, per: RwSignal<String>) -> impl IntoView {
    let app = App::here();
    let format = RwSignal::new(Format::Word);
    let (title, date) = (RwSignal::new(String::new()), RwSignal::new(String::new()));
    let labels = move || Labels {
        title: title.get(),
        date: date.get(),
        per: number(&per.get()).unwrap_or(1.0),
        decimal: app.state.decimal().get(),
        file: actions::named(app, "discreet-release.json"),
    };
    let text = {
        let (release, supplement) = (Arc::clone(&release), Arc::clone(&supplement));
        move || {
            let outcome = app.state.outcome().get();
            format.get().write(&release, &supplement, &labels(), outcome.as_deref())
        }
    };
    let nothing = {
        let text = text.clone();
        Memo::new(move |_| format.get() == Format::Svg && text().is_none())
    };
    let download = {
        let (release, supplement, text) = (Arc::clone(&release), Arc::clone(&supplement), text.clone());
        move |_| {
            let (name, kind) = format.get_untracked().file();
            // A long table is written piece by piece.
            if nothing.get_untracked() {
                return app.say(words::export::nothing_to_draw().to_owned());
            }
            let chosen = format.get_untracked();
            let saved = if chosen == Format::Csv {
                let pieces = pieces(&release, &supplement, &untrack(labels));
                dom::download_pieces(&actions::named(app, name), kind, pieces)
            } else {
                untrack(&text).and_then(|text| dom::download(&actions::named(app, name), kind, &text))
            };
            actions::say_saved(app, saved);
        }
    };
    let for_preview = (Arc::clone(&release), Arc::clone(&supplement));
    let copy = {
        let (release, supplement, text) = (Arc::clone(&release), supplement, text.clone());
        move |_| {
            // Where tables cannot be pasted, their text is.
            let copied = if format.get_untracked() == Format::Word {
                let rich = Publication::new(&release, &supplement, &untrack(labels));
                dom::copy(&markdown::document(&rich), Some(&html::fragment(&rich)))
            } else {
                untrack(&text).is_some_and(|text| dom::copy(&text, None))
            };
            actions::say_copied(app, copied);
        }
    };
    let for_png = text.clone();
    let png = move |_| {
        let Some(svg) = untrack(&for_png) else {
            return app.say(words::export::nothing_to_draw().to_owned());
        };
        spawn_local(async move {
            let saved = dom::download_png(&actions::named(app, "discreet-figure.png"), &svg).await;
            actions::say_saved(app, saved);
        });
    };
    let for_plan = Arc::clone(&release);
    let save_plan = move |_| {
        let name = actions::named(app, "discreet-plan.json");
        actions::say_saved(app, dom::download_json(&name, &for_plan.plan));
    };
    let many = figure::outcomes(&release).len() > LONG_FORM_OUTCOMES;
    let shown = RwSignal::new(false);
    let preview = move || {
        let text = text.clone();
        shown.get().then(|| match format.get() {
            Format::Word => {
                let publication = Publication::new(&for_preview.0, &for_preview.1, &labels());
                view! { <Preview publication/> }.into_any()
            }
            Format::Svg => view! { <div class="drawn" inner_html=move || text().unwrap_or_default()></div> }.into_any(),
            Format::Report => view! { <p>{words::export::report_is_a_page()}</p> }.into_any(),
            _ => view! {
                <textarea class="preview" readonly=true rows="16" spellcheck="false" aria-label=words::export::preview()
                    prop:value=move || text().unwrap_or_else(|| words::export::nothing_to_draw().to_owned())></textarea>
            }
            .into_any(),
        })
    };
    let options =
        Format::ALL.iter().map(|(name, format)| ((*name).to_owned(), described(*format).to_owned()));
    let marks = [
        (DecimalMark::Point, words::export::decimal_point()),
        (DecimalMark::Comma, words::export::decimal_comma()),
    ];
    let marks = marks.map(|(mark, words)| (mark.name().to_owned(), words.to_owned()));
    let due = move || app.export_due();
    // A release that was opened from a file may be of another ledger than the open table's.
    let own = release.ledger.as_ref().map(|charge| charge.id.clone());
    let has_ledger = move || {
        app.state
            .ledger()
            .with(|ledger| ledger.as_ref().is_some_and(|ledger| own.as_deref() == Some(ledger.id())))
    };
    view! {
        <section class="downloads" aria-label=words::result::downloads()>
            <h2>{words::export::copy_or_download()}</h2>
            <div class="fields">
                <Choice id="export-format" label=words::export::format() options=options.collect()
                    value=Signal::derive(move || format.get().name().to_owned())
                    set=Callback::new(move |name: String| if let Some(chosen) = Format::named(&name) { format.set(chosen) })/>
                <Field id="export-title" label=words::export::title() value=title set=Callback::new(move |value| title.set(value))/>
                <div>
                    <Field id="export-date" label=words::export::date() value=date set=Callback::new(move |value| date.set(value))/>
                    <button type="button" class="quiet" on:click=move |_| date.set(dom::today())>{words::export::use_today()}</button>
                </div>
                <Choice id="export-decimal" label=words::export::decimal() options=marks.into()
                    value=Signal::derive(move || app.state.decimal().get().name().to_owned())
                    set=Callback::new(move |name: String| app.state.decimal().set(name.parse().unwrap_or_default()))
                    hint=words::export::decimal_hint()/>
            </div>
            <div class="buttons">
                <button type="button" id="export-copy" disabled=many on:click=copy>{words::export::copy()}</button>
                <button type="button" id="export-download" on:click=download>{words::export::download()}</button>
                {move || (format.get() == Format::Svg).then(|| view! {
                    <button type="button" id="export-png" on:click=png.clone()>{words::export::png()}</button>
                })}
            </div>
            {move || nothing.get().then(|| view! { <p class="notice"><Icon name="note"/><span>{words::export::nothing_to_draw()}</span></p> })}
            {(!many).then(|| view! {
                <details class="more" on:toggle=move |event| shown.set(dom::is_open(&event))>
                    <summary>{words::export::preview()}</summary>{preview}
                </details>
            })}
            <h3>{words::export::records()}</h3>
            <div class="buttons">
                <button type="button" on:click=move |_| actions::save_release(app)>{words::result::release_json()}</button>
                <button type="button" on:click=save_plan>{words::result::plan_json()}</button>
                {move || has_ledger().then(|| view! {
                    <button type="button" class:due=due on:click=move |_| actions::save_ledger(app)>{words::result::ledger_json()}</button>
                })}
            </div>
            {move || due().then(|| view! { <p class="hint">{words::page::export_first()}</p> })}
        </section>
    }
}

/// Draws the tables as a word processor shows them, with their notes.
#[component]
fn Preview(publication: Publication) -> impl IntoView {
    let lists = publication.lists().map(|(title, items)| {
        let items =
            items.into_iter().map(|words| view! { <li><Quoted words=words.clone()/></li> }).collect_view();
        view! { <p><strong>{title}</strong></p><ul>{items}</ul> }
    });
    let lists = lists.collect_view();
    let Publication { title, date, tables, .. } = publication;
    view! {
        <div class="previewed scroll" tabindex="0" role="group" aria-label=words::export::preview()>
            <h3>{title}</h3>
            {(!date.is_empty()).then(|| view! { <p>{date}</p> })}
            {tables.into_iter().map(|table| view! { <PrintedTable table/> }).collect_view()}
            {lists}
        </div>
    }
}

fn described(format: Format) -> &'static str {
    match format {
        Format::Report => words::result::report_html(),
        Format::Word => words::export::word(),
        Format::Markdown => words::export::markdown(),
        Format::Latex => words::export::latex(),
        Format::Csv => words::result::coefficients_csv(),
        Format::R => words::export::r(),
        Format::Python => words::export::python(),
        Format::Svg => words::export::svg(),
        Format::Text => words::export::text(),
        Format::Short => words::export::short(),
    }
}
