//! Step 2: what each column means.

use leptos::ev::{ClipboardEvent, KeyboardEvent};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, HtmlInputElement, HtmlSelectElement};

use super::Status;
use super::cells::{Row, USUAL_LEVELS_LIST};
use super::derived::Terms;
use super::estimates::Estimates;
use super::many::{Many, Rules};
use super::only::RowsThatCount;
use super::roles::Roles;
use super::variants::Variants;
use super::whole_file::WholeFile;
use crate::model::{Missing, Role};
use crate::ui::draft::{self, Cell, Gap};
use crate::ui::parts::gloss::{Glossed, entries};
use crate::ui::parts::{Choice, Field, Icon, Pager, Soon};
use crate::ui::presets::{PRESETS, USUAL_LEVELS};
use crate::ui::state::{App, StateStoreFields};
use crate::ui::table::{PAGE, Table};
use crate::ui::{actions, dom, text, view_model};
use crate::words;

/// The cells of a row, in the order of the arrows.
const CELLS: [Cell; 7] =
    [Cell::Role, Cell::Kind, Cell::Lower, Cell::Levels, Cell::Upper, Cell::Unit, Cell::Reference];

/// Tables of more columns have tools to find columns and to describe them by a pattern.
const FEW: usize = 24;

/// Endings of codebooks.
const CODEBOOKS: &str = ".csv,.tsv,.txt,.json,.xlsx,.gz,text/csv,application/json";

/// Counts the described columns and those that still lack something.
pub fn status(app: App) -> Status {
    let in_use = app
        .state
        .columns()
        .with(|columns| columns.iter().filter(|column| column.role != Role::Ignored).count())
        + app.state.setup().with(|setup| setup.derived.len());
    let open = app.plan.with(|plan| plan.as_ref().err().map_or(0, |gaps| open_rows(gaps)));
    Status { words: text::columns_line(in_use.saturating_sub(open), in_use, open), open: open > 0 }
}

/// Counts the columns with something missing.
fn open_rows(gaps: &[Gap]) -> usize {
    let mut rows: Vec<usize> = gaps.iter().filter_map(|gap| gap.place.row()).collect();
    rows.sort_unstable();
    rows.dedup();
    rows.len()
}

/// Draws the columns step: asks what each column means.
#[component]
pub fn Columns() -> impl IntoView {
    let app = App::here();
    let rows = Memo::new(move |_| {
        let described = app.state.described().get();
        app.state
            .columns()
            .with(|columns| app.state.filter().with(|filter| draft::filtered(columns, filter, described)))
    });
    let empty = move || app.state.table().with(Option::is_none);
    let genotypes = Memo::new(move |_| app.has_genotypes());
    let many = Memo::new(move |_| genotypes.get() || app.state.columns().with(|columns| columns.len() > FEW));
    let has_units = Memo::new(move |_| {
        let of =
            |table: &Table| app.state.setup().with(|setup| view_model::has_units_below_header(table, setup));
        app.state.table().with(|table| table.as_deref().is_some_and(of))
    });
    let unnamed = Memo::new(move |_| {
        let of = |table: &Table| app.state.columns().with(|columns| view_model::unnamed(table, columns));
        app.state.table().with(|table| table.as_deref().map_or(0, of))
    });
    view! {
        <p class="lead">{words::columns::suggested_by_file()}</p>
        {move || empty().then(|| {
            let kept = app.state.last_table().get().map(words::columns::is_kept);
            view! { <p class="notice"><span>{words::columns::choose_a_table_first()} " " {kept}</span></p> }
        })}
        {move || has_units.get().then(|| view! { <p class="notice" id="units-line"><Icon name="lock"/><span>{words::columns::line_of_units()}</span></p> })}
        {move || (unnamed.get() > 0).then(|| view! { <p class="notice" id="unnamed"><Icon name="lock"/><span>{words::columns::unnamed(unnamed.get(), unnamed.get())}</span></p> })}
        {move || (!empty()).then(|| view! { <Roles/> })}
        {move || (!empty()).then(|| view! { <Codebook/> })}
        {move || genotypes.get().then(|| view! { <Variants/> })}
        {move || many.get().then(|| view! { <Rules/> <Filter/> })}
        <div class="sheet-tools"><Many rows/><Undo/></div>
        <Sheet rows/>
        <Pager label=words::columns::pages_of_columns() page=app.state.page() count=Signal::derive(move || rows.with(Vec::len))
            turn=Callback::new(move |page| app.state.page().set(page)) place=words::columns::page/>
        <p class="hint by-mouse">{words::columns::keys()}</p>
        <MissingChoice/>
        {move || (!empty() && !genotypes.get()).then(|| view! { <WholeFile/> })}
        <Soon>
        {move || (!empty()).then(|| view! { <RowsThatCount/> <Terms/> })}
        <Estimates/>
        <Ranges/>
        <Glossed of=[entries::OUTCOME, entries::FEATURE, entries::CATEGORY, entries::REFERENCE, entries::BOUNDS, entries::ESTIMATED_BOUNDS, entries::PERSON, entries::PUBLIC]/>
        </Soon>
    }
    .into_any()
}

/// Shows the columns whose names fit.
#[component]
fn Filter() -> impl IntoView {
    let app = App::here();
    let set = Callback::new(move |value| {
        app.state.page().set(0);
        app.state.filter().set(value);
    });
    let choose = move |event| {
        app.state.page().set(0);
        app.state.described().set(event_target_checked(&event));
    };
    view! {
        <Field id="column-filter" label=words::columns::filter() value=app.state.filter() set
            hint=words::columns::filter_hint()/>
        <label class="cell-check"><input type="checkbox" id="described-only" prop:checked=move || app.state.described().get()
            on:change=choose/>{words::columns::described_only()}</label>
    }
}

/// Offers to fill the table from a codebook, and says what was filled.
#[component]
fn Codebook() -> impl IntoView {
    let app = App::here();
    let chosen = move |event: web_sys::Event| actions::choose_codebook(app, dom::chosen(&event));
    let filled = move || {
        app.state.filled().get().map(|told| {
            view! { <p class="notice" id="codebook-filled"><Icon name="note"/><span>{told}</span></p> }
        })
    };
    view! {
        <div class="codebook">
            <strong>{words::codebook::offer()}</strong>
            <span class="offer-file">
                <label class="button quiet" for="choose-codebook">{words::codebook::open()}</label>
                <input id="choose-codebook" class="file" type="file" accept=CODEBOOKS aria-describedby="codebook-about" on:change=chosen/>
            </span>
            <p class="hint" id="codebook-about">{words::codebook::about()}</p>
            {filled}
        </div>
    }
}

#[component]
fn Undo() -> impl IntoView {
    let app = App::here();
    let nothing = move || !app.state.undoable().get();
    view! {
        <p class="undo"><button type="button" class="quiet" disabled=nothing title=words::columns::undo_key() on:click=move |_| actions::undo(app)>
            {words::columns::undo()}</button></p>
    }
}

#[component]
fn MissingChoice() -> impl IntoView {
    let setup = App::here().state.setup();
    let options = [Missing::Skip, Missing::Midpoint];
    let key = |rule: Missing| if rule == Missing::Skip { "skip" } else { "midpoint" };
    let set = Callback::new(move |value: String| {
        setup.update(|setup| {
            setup.missing = if value == "skip" { Missing::Skip } else { Missing::Midpoint };
        });
    });
    view! {
        <Choice id="missing" label=words::columns::where_a_cell_is_missing()
            options=options.into_iter().map(|rule| (key(rule).to_owned(), text::missing(rule).to_owned())).collect()
            value=Signal::derive(move || key(setup.get().missing).to_owned()) set/>
    }
}

/// Draws the column table, a page at a time.
#[component]
fn Sheet(rows: Memo<Vec<usize>>) -> impl IntoView {
    let app = App::here();
    let skips = move || app.state.setup().with(|setup| setup.missing == Missing::Skip);
    let shown = move || {
        let from = app.state.page().get() * PAGE;
        rows.with(|rows| rows.iter().copied().skip(from).take(PAGE).collect::<Vec<_>>())
    };
    view! {
        <div class="scroll" on:keydown=move |event| move_about(&event, rows) on:paste=move |event| paste(app, &event, rows)>
            <datalist id=USUAL_LEVELS_LIST>{USUAL_LEVELS.map(|levels| view! { <option value=levels></option> })}</datalist>
            <table class="sheet" class:skips=skips>
                <caption class="hidden">{words::columns::columns_of_the_table_and_what()}</caption>
                <thead><tr>
                    <th scope="col" class="tick"><span class="hidden">{words::columns::select_2()}</span></th>
                    <th scope="col">{words::columns::column()}</th>
                    <th scope="col" class="private-cell">{words::columns::first_cells()}</th>
                    <th scope="col">{words::columns::role()}</th>
                    <th scope="col">{words::columns::kind()}</th>
                    <th scope="col" class="numeric">{words::columns::lowest()}</th>
                    <th scope="col" class="numeric">{words::columns::highest()}</th>
                    <th scope="col">{words::columns::unit_or_reference()}</th>
                    <th scope="col" class="if-missing">{words::columns::if_missing()}</th>
                </tr></thead>
                <tbody>
                    <For each=shown key=|row| *row let:row><Row index=row/></For>
                </tbody>
            </table>
        </div>
    }
}

/// Returns the row and the cell of an element of the column table.
fn position(target: &HtmlElement) -> Option<(usize, Cell)> {
    let row = target.get_attribute("data-row")?.parse().ok()?;
    let name = target.get_attribute("data-cell")?;
    let cell = CELLS.into_iter().find(|cell| format!("{cell:?}") == name)?;
    Some((row, cell))
}

fn focus_cell(row: usize, cell: Cell) -> bool {
    dom::focus_selector(&format!("[data-row='{row}'][data-cell='{cell:?}']"))
}

/// Moves between cells with arrows and Enter, as in a spreadsheet.
fn move_about(event: &KeyboardEvent, rows: Memo<Vec<usize>>) {
    let Some(target) = event.target().and_then(|target| target.dyn_into::<HtmlElement>().ok()) else {
        return;
    };
    let Some((row, cell)) = position(&target) else { return };
    // While letters are composed, as of Japanese, the keys choose among candidates.
    if event.alt_key() || event.ctrl_key() || event.meta_key() || event.is_composing() {
        return;
    }
    // Up and down choose in a list.
    let chooses = target.is_instance_of::<HtmlSelectElement>();
    let down = match event.key().as_str() {
        "ArrowDown" if !chooses => Some(true),
        "ArrowUp" if !chooses => Some(false),
        "Enter" => Some(!event.shift_key()),
        _ => None,
    };
    if let Some(down) = down {
        event.prevent_default();
        let next = rows.with_untracked(|rows| {
            let at = rows.iter().position(|index| *index == row)?;
            if down {
                rows.get(at + 1).copied()
            } else {
                at.checked_sub(1).and_then(|at| rows.get(at).copied())
            }
        });
        if let Some(next) = next {
            // A category has levels where a number has bounds.
            let same = focus_cell(next, cell);
            let other = match cell {
                Cell::Lower | Cell::Upper => Cell::Levels,
                Cell::Levels => Cell::Lower,
                Cell::Unit => Cell::Reference,
                Cell::Reference => Cell::Unit,
                cell => cell,
            };
            let _ = same || focus_cell(next, other);
        }
        return;
    }
    let right = match event.key().as_str() {
        "ArrowRight" => true,
        "ArrowLeft" => false,
        _ => return,
    };
    // Inside a text the arrow keys move the caret until it reaches the end.
    if let Some(input) = target.dyn_ref::<HtmlInputElement>() {
        let length = u32::try_from(input.value().chars().count()).unwrap_or(u32::MAX);
        let (start, end) = (
            input.selection_start().ok().flatten().unwrap_or(0),
            input.selection_end().ok().flatten().unwrap_or(0),
        );
        let all = start == 0 && end >= length;
        if !all && ((right && end < length) || (!right && start > 0)) {
            return;
        }
    }
    let Some(at) = CELLS.iter().position(|candidate| *candidate == cell) else { return };
    event.prevent_default();
    let takes_focus = |cell: &Cell| focus_cell(row, *cell);
    let _ = if right {
        CELLS.iter().skip(at + 1).any(takes_focus)
    } else {
        CELLS.iter().take(at).rev().any(takes_focus)
    };
}

/// Pastes a block of bounds from a spreadsheet, into the rows from here on.
fn paste(app: App, event: &ClipboardEvent, rows: Memo<Vec<usize>>) {
    let Some(target) = event.target().and_then(|target| target.dyn_into::<HtmlElement>().ok()) else {
        return;
    };
    let Some((row, cell)) = position(&target) else { return };
    let text = event.clipboard_data().and_then(|data| data.get_data("text").ok()).unwrap_or_default();
    if !draft::is_block(&text) {
        return;
    }
    event.prevent_default();
    let block = draft::block(&text);
    let targets: Vec<usize> =
        rows.with_untracked(|rows| rows.iter().copied().skip_while(|index| *index != row).collect());
    app.state.columns().update(|columns| draft::paste(columns, &targets, cell, &block));
    let pasted = block.len().min(targets.len());
    app.say(words::columns::pasted(pasted, text::whole(pasted)));
}

/// Lists the public ranges with their sources.
#[component]
fn Ranges() -> impl IntoView {
    let app = App::here();
    let selected = move || app.state.columns().with(|columns| columns.iter().filter(|c| c.selected).count());
    let ranges = PRESETS.iter().flat_map(|preset| preset.tight().into_iter().chain([*preset]));
    let rows = ranges.map(move |preset| {
        let range = words::page::from_to(text::number(preset.lower), text::number(preset.upper));
        let label = words::columns::use_range_for_selected(preset.name, preset.unit);
        view! {
            <tr>
                <th scope="row">{preset.name}</th>
                <td class="numeric">{range}</td>
                <td>{preset.unit}</td>
                <td class="source">{preset.source.cite} <br/> <span class="quietly">{preset.source.place}</span></td>
                <td>
                    <button type="button" class="quiet" aria-label=label disabled=move || selected() == 0
                        on:click=move |_| super::many::use_preset(app, &preset)>{words::columns::use_word()}</button>
                </td>
            </tr>
        }
    });
    view! {
        <details class="more">
            <summary>{words::columns::ranges()}</summary>
            <p class="hint">{words::columns::ranges_note()}</p>
            <div class="scroll" tabindex="0" role="group" aria-label=words::columns::ranges()>
                <table class="plain">
                    <thead><tr>
                        <th scope="col">{words::columns::quantity()}</th><th scope="col" class="numeric">{words::columns::range()}</th><th scope="col">{words::columns::unit()}</th>
                        <th scope="col">{words::columns::source()}</th><th scope="col"><span class="hidden">{words::columns::use_word()}</span></th>
                    </tr></thead>
                    <tbody>{rows.collect_view()}</tbody>
                </table>
            </div>
        </details>
    }
}
