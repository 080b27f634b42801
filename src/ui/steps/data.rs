//! Step 1: the table.

use std::sync::Arc;

use leptos::prelude::*;

use super::contradictions::{format_label, read_format};
use super::{Status, people};
use crate::data::FileRole;
use crate::data::codebook::are_headings;
use crate::data::first_line::{Doubt, LINES};
use crate::plan::number_format::{NumberFormat, Thousands};
use crate::release::format::bytes;
use crate::ui::draft::{self, Setup};
use crate::ui::parts::gloss::{Glossed, entries};
use crate::ui::parts::{Choice, Field, Icon, PrivateZone, Quoted};
use crate::ui::state::{App, HostStoreFields, StateStoreFields};
use crate::ui::step::Step;
use crate::ui::table::Table;
use crate::ui::{actions, check, dom, samples, text, view_model};
use crate::words;

/// Most columns of the preview: more do not help to recognise a table.
const SHOWN_COLUMNS: usize = 30;

/// The field into which cells are pasted.
const PASTE: &str = "paste-table";

/// Endings of files that hold a table.
const ACCEPTED: &str = ".csv,.xlsx,.tsv,.txt,.pheno,.phe,.bed,.bim,.fam,.vcf,.gz,.bgz,text/csv";

/// Names the open table.
pub fn status(app: App) -> Status {
    let line = |table: &Option<Arc<Table>>| table.as_ref().map(|table| table.line());
    app.state.table().with(line).unwrap_or_else(|| words::data::no_table_yet().to_owned()).into()
}

/// Draws the data step: asks for a table, and shows its first rows.
#[component]
pub fn Data() -> impl IntoView {
    let app = App::here();
    // As one text, as it is while the page loads: another one of the same size would count as drawn later.
    let promise = [words::data::promise(), words::data::check(), words::check::offer(), ""].join(" ");
    view! {
        <p class="lead">{words::data::what()}</p>
        <LastTable/>
        <Offers/>
        <p class="promise"><Icon name="lock"/> <span>{promise}<a href=check::run::ADDRESS>{words::check::title()}</a> "."</span></p>
        <NothingKept/>
        <Missing/>
        <Waiting/>
        {move || app.state.table().with(Option::is_some).then(|| view! { <Preview/> })}
        <Glossed of=[entries::DIFFERENTIAL_PRIVACY, entries::RELEASE, entries::RECORD, entries::PERSON, entries::PLAN, entries::LEDGER]/>
    }
    .into_any()
}

/// Names the table that was open last, until one is opened.
#[component]
fn LastTable() -> impl IntoView {
    let app = App::here();
    let name = move || app.state.last_table().get().filter(|_| app.state.table().with(Option::is_none));
    let forget = move |_| actions::forget_last_table(app);
    move || {
        name().map(|name| {
            view! {
                <div class="notice question" id="last-table"><Icon name="note"/>
                    <div>
                        <p>{words::data::last_table(&name)}</p>
                        <div class="buttons">
                            <label class="button" for="choose-csv">{words::data::choose_again(&name)}</label>
                            <button type="button" class="quiet" on:click=forget>{words::data::forget_last()}</button>
                        </div>
                    </div>
                </div>
            }
        })
    }
}

#[component]
fn Offers() -> impl IntoView {
    let app = App::here();
    let chosen = move |event: web_sys::Event| actions::choose_files(app, dom::chosen(&event), false);
    // Until a person's own table is open, to choose one comes first.
    let first = move || app.state.table().with(|table| table.as_ref().is_none_or(|table| table.sample));
    let samples = actions::sample_names(app).into_iter().map(|name| {
        let label = samples::describe(&name);
        let (short, about) = label.split_once(": ").unwrap_or((label, ""));
        view! {
            <button type="button" class="quiet" title=about aria-label=words::data::try_sample(short)
                on:click=move |_| actions::choose_sample(app, name.clone())>{short}</button>
        }
    });
    view! {
        <div class="offers">
            <div class="offer-file">
                <label class="button" class:filled=first for="choose-csv">{words::data::choose()}</label>
                <input id="choose-csv" class="file" type="file" multiple accept=ACCEPTED on:change=chosen aria-describedby="choose-forms"/>
                <span class="hint by-mouse">{words::data::drop()}</span>
                <PasteTable/>
                <p class="hint forms" id="choose-forms">{words::data::forms()}</p>
            </div>
            <div class="offer-samples" role="group" aria-label=words::data::sample()>
                <span>{words::data::sample()}": "</span> {samples.collect_view()}
            </div>
            <div class="offer-file">
                <label class="link" for="open-saved">{words::data::open()}</label>
                <input id="open-saved" class="file" type="file" accept=".json,application/json" on:change=chosen/>
            </div>
        </div>
    }
}

/// Takes cells that were copied from a spreadsheet: in its field, or anywhere on this step where nothing else is typed in.
#[component]
fn PasteTable() -> impl IntoView {
    let app = App::here();
    let handle = window_event_listener(leptos::ev::paste, move |event| {
        let own = dom::is_of(event.target(), PASTE);
        if own || !dom::is_typed_in(event.target()) {
            let text = event.clipboard_data().and_then(|data| data.get_data("text").ok()).unwrap_or_default();
            let opened = actions::paste_table(app, &text);
            if opened || own {
                event.prevent_default();
            }
            if own && !opened {
                app.say(words::data::paste_more().to_owned());
            }
        }
    });
    on_cleanup(move || handle.remove());
    view! { <input type="text" id=PASTE class="paste" autocomplete="off" aria-label=words::data::paste_cells() placeholder=words::data::paste_cells()/> }
}

/// Says that the browser keeps nothing, and asks what was released before, where the page cannot know it.
#[component]
fn NothingKept() -> impl IntoView {
    let app = App::here();
    let asks = Memo::new(move |_| {
        app.state.host().forgets().get()
            && app.state.key().with(Option::is_some)
            && app.state.ledger().with(Option::is_none)
    });
    let open = move |event: web_sys::Event| {
        if let Some(file) = dom::chosen(&event).into_iter().next() {
            actions::choose_document(app, file);
        }
    };
    let none = move |event| app.state.nothing_before().set(event_target_checked(&event));
    move || {
        app.state.host().forgets().get().then(|| {
            view! {
                <div class="notice question" role="group" aria-labelledby="nothing-kept-title"><Icon name="note"/>
                    <div>
                        <p><strong id="nothing-kept-title">{words::nothing_kept::title()}</strong></p>
                        <p>{words::nothing_kept::why()} " " {words::nothing_kept::means()} " " {words::nothing_kept::copies()}</p>
                        {move || asks.get().then(|| view! {
                            <p>{words::nothing_kept::before()}</p>
                            <div class="offer-file">
                                <label class="button" for="open-ledger">{words::nothing_kept::open()}</label>
                                <input id="open-ledger" class="file" type="file" accept=".json,application/json" on:change=open/>
                            </div>
                            <label class="choice"><input type="checkbox" prop:checked=move || app.state.nothing_before().get() on:change=none/>
                                {words::nothing_kept::none()}</label>
                        })}
                    </div>
                </div>
            }
        })
    }
}

/// Says which files of a set are missing.
#[component]
fn Missing() -> impl IntoView {
    let app = App::here();
    let chosen = move |event: web_sys::Event| actions::choose_files(app, dom::chosen(&event), false);
    move || {
        let missing = app.state.missing().get();
        (!missing.is_empty()).then(|| {
            let told = text::genotypes::waits(&app.state.waiting().get(), &missing);
            view! {
                <div class="notice missing-files" role="group" aria-label=words::data::missing_files()><Icon name="note"/>
                    <p>{told}</p>
                    <div class="offer-file">
                        <label class="button" for="choose-missing">{words::genotypes::choose_missing()}</label>
                        <input id="choose-missing" class="file" type="file" multiple accept=ACCEPTED on:change=chosen/>
                    </div>
                    <button type="button" class="quiet" on:click=move |_| actions::give_up(app)>{words::genotypes::give_up()}</button>
                </div>
            }
        })
    }
}

/// Says that a plan waits for its table.
#[component]
fn Waiting() -> impl IntoView {
    let app = App::here();
    let forget = move |_| app.state.pending().set(None);
    move || {
        app.state.pending().get().map(|plan| {
            let names: Vec<String> =
                plan.columns.iter().filter_map(|c| c.name.clone().or_else(|| c.pattern.clone())).collect();
            view! {
                <div class="notice"><Icon name="note"/>
                    <p>{words::data::plan_waits(text::list(&names, 8))}</p>
                    <button type="button" class="quiet" on:click=forget>{words::data::forget_the_plan()}</button>
                </div>
            }
        })
    }
}

#[component]
fn Preview() -> impl IntoView {
    let app = App::here();
    let table = move || app.state.table().get().unwrap_or_default();
    let size = move || {
        let table = table();
        // The size of a sheet is that of its text, which nobody has seen.
        if app.state.sheets().with(Vec::is_empty) {
            format!("{}, {}", table.line(), bytes(table.size))
        } else {
            table.line()
        }
    };
    let is_genotypes = Memo::new(move |_| app.has_genotypes());
    view! {
        <PrivateZone title=words::data::the_first_rows()>
            <p class="file-line">
                <strong>{size}</strong>
                {move || table().sample.then(|| view! { " " <span>{samples::describe(&table().name)} ". " {words::data::sample_to_try()}</span> })}
            </p>
            {move || people::sentence(app).map(|told| view! {
                <p class="notice"><Icon name="note"/><span>{told} " "
                    <button type="button" class="link" on:click=move |_| actions::go(app, Step::Privacy)>{words::data::see_privacy()}</button></span></p>
            })}
            {move || app.state.restored().get().then(|| view! {
                <p class="notice"><Icon name="note"/><span>{words::data::draft_restored()} " "
                    <button type="button" class="link" on:click=move |_| actions::forget_draft(app)>{words::data::forget_draft()}</button></span></p>
            })}
            {move || app.state.decoded().get().map(|language| view! { <Letters label=words::letters::read_as(language)/> })}
            {move || are_headings(&table().names).then(|| view! { <p class="notice"><Icon name="note"/><span>{words::data::is_codebook()}</span></p> })}
            <SheetChoice/>
            <HeaderQuestion/>
            <FormatOffer/>
            {move || table().fault.clone().filter(|_| !matches!(doubt_of_header(app), Some(Doubt::Title(_)))).map(|fault| view! {
                <div class="notice problem" role="alert"><Icon name="stop"/><p><Quoted words=fault/> {table().not_utf8.then(|| view! { <OtherEncodings/> })}</p></div>
            })}
            {move || view! { <Rows table=table()/> }}
            {move || is_genotypes.get().then(|| view! { <Phenotypes/> })}
            <Dialect is_genotypes/>
        </PrivateZone>
    }
}

/// Reads a file that is no UTF-8 in another encoding: as Latin-1, the most likely one, or as one in which its letters are right.
#[component]
pub fn OtherEncodings() -> impl IntoView {
    let app = App::here();
    view! {
        <button type="button" on:click=move |_| actions::read_as_latin_1(app)>{words::data::read_as_latin_1()}</button>
        <Letters label=words::letters::label().to_owned()/>
    }
}

/// Offers encodings, each with a line of the file as it reads in that encoding.
#[component]
fn Letters(label: String) -> impl IntoView {
    let app = App::here();
    let readings = LocalResource::new(move || actions::readings(app));
    let choose = move |event: web_sys::Event| {
        let encoding = event_target_value(&event);
        if !encoding.is_empty() {
            actions::read_in(app, encoding);
        }
    };
    let options = move || {
        let option = |actions::Reading { encoding, languages, line }| {
            view! { <option value=encoding>{words::letters::option(languages, line)}</option> }
        };
        readings.get().unwrap_or_default().into_iter().map(option).collect_view()
    };
    view! {
        <label class="other-letters">{label} " "
            <select on:change=choose>
                <option value="">{words::letters::choose()}</option>
                {options}
            </select>
        </label>
    }
}

/// Offers the sheets of a workbook, where it has several.
#[component]
fn SheetChoice() -> impl IntoView {
    let app = App::here();
    let options = move || {
        let sheets = app.state.sheets().get().into_iter().enumerate();
        sheets.map(|(place, name)| (place.to_string(), name)).collect::<Vec<_>>()
    };
    let set = Callback::new(move |value: String| {
        if let Ok(place) = value.parse() {
            actions::choose_sheet(app, place);
        }
    });
    let value = Signal::derive(move || app.state.sheet().get().to_string());
    move || {
        let options = options();
        (!options.is_empty())
            .then(|| view! { <Choice id="sheet" label=words::data::sheet() options value set/> })
    }
}

/// Returns why the first line may not be the header, until the person has answered.
fn doubt_of_header(app: App) -> Option<Doubt> {
    let table = app.state.table().get().unwrap_or_default();
    app.state.setup().with(|setup| view_model::header_question(&table, setup))
}

/// Names of a line that are quoted.
const NAMES_SHOWN: usize = 5;

/// Returns the cells of a line of the file that are not empty, where the first one is read as the header.
fn names_in(app: App, line: u32) -> Vec<String> {
    let place = (line as usize).saturating_sub(2);
    let row = app.state.table().with(|table| table.as_ref().and_then(|table| table.rows.get(place).cloned()));
    row.unwrap_or_default().into_iter().filter(|cell| !cell.trim().is_empty()).collect()
}

/// Asks which line is the header, where the first may not be it.
#[component]
fn HeaderQuestion() -> impl IntoView {
    let app = App::here();
    let question = Memo::new(move |_| doubt_of_header(app));
    let choose = move |line: u32| {
        app.state.setup().update(|setup| setup.header = Some(line));
        actions::reread(app);
    };
    let other = move |event| {
        if let Ok(line) = event_target_value(&event).parse() {
            choose(line);
        }
    };
    move || {
        question.get().map(|doubt| {
            let (why, below) = match doubt {
                Doubt::Values => (words::data::header_values().to_owned(), None),
                Doubt::Title(line) => {
                    let names = names_in(app, line);
                    let told = words::data::header_title(line, text::list(&names, NAMES_SHOWN));
                    (told, Some(line))
                }
            };
            let below = below.map(|line| {
                view! { <button type="button" on:click=move |_| choose(line)>{words::data::header_is_line(line)}</button> }
            });
            view! {
                <div class="notice question" id="data-header" tabindex="-1" role="group" aria-labelledby="data-header-title"><Icon name="note"/>
                    <div>
                        <p><strong id="data-header-title">{words::data::header_question()}</strong> " " {why}</p>
                        <div class="buttons">
                            {below}
                            <button type="button" on:click=move |_| choose(0)>{words::data::no_header()}</button>
                            <button type="button" on:click=move |_| choose(1)>{words::data::this_is_the_header()}</button>
                            <select aria-label=words::data::other_line() on:change=other>
                                <option value="">{words::data::other_line()}</option>
                                {(2..=LINES).map(|line| view! { <option value=line.to_string()>{words::data::line_number(line)}</option> }).collect_view()}
                            </select>
                        </div>
                    </div>
                </div>
            }
        })
    }
}

/// Offers the formats that would make numbers of a column.
#[component]
fn FormatOffer() -> impl IntoView {
    let app = App::here();
    let others = Memo::new(move |_| {
        app.state
            .table()
            .with(|table| table.as_ref().map(|table| table.other_formats.clone()).unwrap_or_default())
    });
    let button = move |format| {
        view! { <button type="button" on:click=move |_| read_format(app, format)>{format_label(format)}</button> }
    };
    move || {
        let others = others.get();
        (!others.is_empty()).then(|| {
            view! {
                <div class="notice question"><Icon name="note"/>
                    <div>
                        <p>{words::data::formats_seen()}</p>
                        <div class="buttons">{others.into_iter().map(button).collect_view()}</div>
                    </div>
                </div>
            }
        })
    }
}

/// Names the files of genotypes, and offers to choose another table of phenotypes.
#[component]
fn Phenotypes() -> impl IntoView {
    let app = App::here();
    let parts = Memo::new(move |_| {
        let table = app.state.table().get().unwrap_or_default();
        table.genotypes.as_ref().map(|genotypes| genotypes.parts.clone()).unwrap_or_default()
    });
    let names = move || text::list(&parts.get().iter().map(|part| part.name.clone()).collect::<Vec<_>>(), 4);
    let label = move || {
        let has = parts.get().iter().any(|part| part.role == FileRole::Phenotypes);
        if has { words::genotypes::other_phenotypes() } else { words::genotypes::add_phenotypes() }
    };
    let chosen = move |event: web_sys::Event| actions::choose_files(app, dom::chosen(&event), true);
    view! {
        <p>{words::genotypes::only_people()} " "
            <button type="button" class="link" on:click=move |_| actions::go(app, Step::Columns)>
                {words::genotypes::choose_variants()}</button></p>
        <div class="phenotypes">
            <p>{move || words::data::read_from(names())}</p>
            <Matched/>
            <div class="offer-file">
                <label class="button quiet" for="choose-phenotypes">{label}</label>
                <input id="choose-phenotypes" class="file" type="file" accept=".txt,.pheno,.phe,.csv,.tsv,text/plain,text/csv"
                    aria-describedby="phenotypes-hint" on:change=chosen/>
                <span class="hint" id="phenotypes-hint">{words::genotypes::phenotypes_hint()}</span>
            </div>
        </div>
    }
}

/// Says how many samples have a row in the phenotypes, for this machine alone, and asks where these are few.
#[component]
fn Matched() -> impl IntoView {
    let app = App::here();
    let table = move || app.state.table().get().unwrap_or_default();
    let counted = Memo::new(move |_| table().genotypes.as_ref().and_then(|genotypes| genotypes.matches));
    let few = Memo::new(move |_| table().few_matches());
    let confirmed =
        move || app.state.setup().with(|setup| few.get().is_some() && setup.few_confirmed == few.get());
    let confirm = move |event| {
        let checked = event_target_checked(&event);
        app.state.setup().update(|setup| setup.few_confirmed = few.get_untracked().filter(|_| checked));
    };
    let question = move || {
        few.get().map(|_| match view_model::no_sample(&table()) {
            Some(told) => view! {
                <div class="notice problem" id="data-phenotypes" tabindex="-1" role="alert"><Icon name="stop"/><p><Quoted words=told/></p></div>
            }
            .into_any(),
            None => view! {
                <div class="notice question" id="data-phenotypes" tabindex="-1" role="group" aria-labelledby="data-phenotypes-why"><Icon name="note"/>
                    <div class="contradiction" class:confirmed=confirmed>
                        <p id="data-phenotypes-why"><Quoted words=words::genotypes::few()/></p>
                        <label class="cell-check"><input type="checkbox" prop:checked=confirmed on:change=confirm/>{words::genotypes::few_right()}</label>
                    </div>
                </div>
            }
            .into_any(),
        })
    };
    view! {
        {move || counted.get().map(|found| view! {
            <p class="whole-file"><Icon name="lock"/>{words::page::private()} ": " {text::genotypes::matches(found)}</p>
        })}
        {question}
    }
}

#[component]
fn Rows(table: Arc<Table>) -> impl IntoView {
    // The first rows of genotypes do not contain the variants.
    let columns = table.genotypes.as_ref().map_or(table.names.len(), |genotypes| genotypes.first);
    let more = columns.saturating_sub(SHOWN_COLUMNS);
    let head = table.names.iter().take(columns.min(SHOWN_COLUMNS)).map(|name| match name.trim() {
        "" => view! { <th scope="col" class="empty">{words::data::empty()}</th> }.into_any(),
        _ => view! { <th scope="col">{name.clone()}</th> }.into_any(),
    });
    let rows = table.rows.iter().map(|row| {
        let cells = row.iter().take(SHOWN_COLUMNS).map(|cell| {
            if cell.is_empty() {
                view! { <td class="empty">{words::data::empty()}</td> }.into_any()
            } else {
                view! { <td>{cell.clone()}</td> }.into_any()
            }
        });
        view! { <tr>{cells.collect_view()}</tr> }
    });
    view! {
        <div class="scroll first-rows" tabindex="0" role="group" aria-label=words::data::first_rows_of_the_table()>
            <table class="grid-table">
                <caption class="hidden">{words::data::first_rows_caption()}</caption>
                <thead><tr>{head.collect_view()}</tr></thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        </div>
        {(more > 0).then(|| view! { <p class="hint">{words::data::more_columns(more, text::whole(more))}</p> })}
    }
}

fn set_decimal(setup: &mut Setup, mark: String) {
    let NumberFormat { decimal, thousands, .. } = &mut setup.numbers;
    *decimal = mark.bytes().next().unwrap_or(b'.');
    *thousands = thousands.filter(|thousands| !thousands.is(char::from(*decimal)));
}

/// Sets what separates thousands; it and the decimal mark cannot be the same.
fn set_thousands(setup: &mut Setup, mark: String) {
    let NumberFormat { decimal, thousands, .. } = &mut setup.numbers;
    *thousands = Thousands::ALL.into_iter().find(|thousands| mark.starts_with(thousands.mark()));
    if mark.starts_with(char::from(*decimal)) {
        *decimal = if *decimal == b',' { b'.' } else { b',' };
    }
}

/// Asks how the file is written.
#[component]
fn Dialect(is_genotypes: Memo<bool>) -> impl IntoView {
    let app = App::here();
    let setup = app.state.setup();
    let change = move |edit: fn(&mut Setup, String)| {
        Callback::new(move |value: String| {
            setup.update(|setup| edit(setup, value));
            actions::reread(app);
        })
    };
    let pair = |key: &str, name: &str| (key.to_owned(), name.to_owned());
    let delimiters = move || {
        vec![
            pair("", words::data::as_the_header_line_shows()),
            pair(",", words::data::comma()),
            pair(";", words::data::semicolon()),
            pair("\t", words::data::tab()),
            pair("|", words::data::bar()),
        ]
    };
    let separators = || {
        vec![
            pair("", words::data::thousands_none()),
            pair(",", words::data::thousands_comma()),
            pair(".", words::data::thousands_point()),
            pair(" ", words::data::thousands_space()),
            pair("'", words::data::thousands_apostrophe()),
        ]
    };
    let header_lines = || {
        let line = |line: u32| (line.to_string(), words::data::line_number(line));
        let none = ("0".to_owned(), words::data::no_header().to_owned());
        (1..=LINES).map(line).chain(std::iter::once(none)).collect::<Vec<_>>()
    };
    let is_text = move || !is_genotypes.get() && !app.state.workbook().get();
    view! {
        <details class="more">
            <summary>{words::data::how_the_file_is_written()}</summary>
            <div class="fields">
                {move || is_text().then(|| view! {
                    <Choice id="csv-delimiter" label=words::data::delimiter() options=delimiters()
                        value=Signal::derive(move || setup.get().delimiter) set=change(|setup, value| setup.delimiter = value)/>
                })}
                {move || (!is_genotypes.get()).then(|| view! {
                    <Choice id="csv-header" label=words::data::header_line() options=header_lines()
                        value=Signal::derive(move || setup.get().header.unwrap_or(1).to_string())
                        set=change(|setup, value| setup.header = value.parse().ok())/>
                })}
                <Choice id="csv-decimal" label=words::data::decimal_mark()
                    options=vec![pair(".", words::data::point_1_5()), pair(",", words::data::comma_1_5())]
                    value=Signal::derive(move || char::from(setup.get().numbers.decimal).to_string()) set=change(set_decimal)/>
                <Choice id="csv-thousands" label=words::data::thousands() options=separators()
                    value=Signal::derive(move || setup.get().numbers.thousands.map(Thousands::mark).map(String::from).unwrap_or_default())
                    set=change(set_thousands)/>
                <Choice id="csv-percent" label=words::data::percent_signs()
                    options=vec![pair("", words::data::percent_missing()), pair("unit", words::data::percent_unit())]
                    value=Signal::derive(move || if setup.get().numbers.percent { "unit" } else { "" }.to_owned())
                    set=change(|setup, value| setup.numbers.percent = !value.is_empty())/>
                {move || (!app.state.workbook().get()).then(|| view! {
                    <Choice id="csv-encoding" label=words::data::file_encoding()
                        options=vec![pair("utf-8", words::data::utf_8()), pair("latin-1", words::data::latin_1_older_windows_files())]
                        value=Signal::derive(move || setup.get().encoding) set=change(|setup, value| setup.encoding = value)/>
                })}
                <Field id="csv-na" label=words::data::missing_cells_hold()
                    value=Signal::derive(move || setup.get().na.unwrap_or_else(|| draft::unlist(&draft::missing_marks(&Setup::default()))))
                    set=change(|setup, value| setup.na = Some(value))
                    hint=words::data::missing_hint()/>
            </div>
        </details>
    }
}
