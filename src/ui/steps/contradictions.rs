//! What the cells on the screen say against the description of their column, below its row, with one-click repairs. It is for this
//! machine alone.

use leptos::prelude::*;

use super::many::fill;
use super::whole_file;
use crate::data::inspection::{Misfits, QUOTED};
use crate::data::mismatch::{Contradiction, Mismatch, Repair};
use crate::model::{Missing, Role};
use crate::plan::derived::name_of;
use crate::plan::document::{ColumnType, Derived, Group, Transform};
use crate::plan::number_format::{DateOrder, NumberFormat};
use crate::ui::draft::{self, ColumnDraft, Setup};
use crate::ui::parts::Icon;
use crate::ui::presets::{self, PRESETS, Preset};
use crate::ui::state::{App, StateStoreFields};
use crate::ui::{actions, dom, text, view_model};
use crate::words;

/// Most groups of joined levels that are said.
const MOST_SAID: usize = 5;

/// Columns of the column table.
const ALL: &str = "9";

/// Draws a row of the column table below that of column `index`, where its cells contradict it.
#[component]
pub fn Contradictions(index: usize) -> impl IntoView {
    let app = App::here();
    let found =
        Memo::new(move |_| app.contradictions.with(|all| all.get(&index).cloned().unwrap_or_default()));
    let counted = Memo::new(move |_| {
        let misfits = app.misfits.with(|all| all.get(&index).cloned()).filter(|of| !of.fit())?;
        let is_category = |columns: &Vec<ColumnDraft>| {
            columns.get(index).is_some_and(|column| column.kind == Some(ColumnType::Category))
        };
        let of_some = app.state.setup().with(|setup| !setup.only.is_empty() || !setup.person.is_empty());
        let mut told = whole_file::sentence(&misfits, app.state.columns().with(is_category), of_some);
        let own_name = name(app, index);
        if misfits.cells.iter().any(|(cell, _)| *cell == own_name) {
            told = format!("{told} {}", words::whole::header_again());
        }
        Some((told, further(app, index, &misfits)))
    });
    let again = move || {
        app.is_checked_again.get().then(|| view! { <p class="hint">{words::whole::checked_again()}</p> })
    };
    move || {
        let (found, counted) = (found.get(), counted.get());
        (!found.is_empty() || counted.is_some()).then(|| {
            let found = each_once(found);
            let offered: Vec<String> =
                found.iter().flat_map(|mismatch| &mismatch.repairs).map(label).collect();
            let counted = counted.map(|(told, repairs)| {
                let repairs: Vec<Repair> =
                    repairs.into_iter().filter(|repair| !offered.contains(&label(repair))).collect();
                let buttons = (!repairs.is_empty()).then(|| {
                    let offers = repairs.into_iter().map(|repair| view! { <Offer index repair/> });
                    view! { <div class="buttons">{offers.collect_view()}</div> }
                });
                view! { <p class="whole-file">{told}</p> {buttons} }
            });
            let one = |(place, mismatch)| view! { <One index id=id(index, place) mismatch/> };
            let all = found.into_iter().enumerate().map(one).collect_view();
            view! {
                <tr class="contradicts">
                    <td colspan=ALL>
                        <div class="contradictions" role="group" aria-label=move || words::contradiction::of(name(app, index))>
                            <p class="zone-mark"><Icon name="lock"/>{words::page::private()}</p>
                            {again}
                            {counted}
                            {all}
                        </div>
                    </td>
                </tr>
            }
        })
    }
}

/// Leaves out a repair that stands already under what was said before of the same column.
fn each_once(mut found: Vec<Mismatch>) -> Vec<Mismatch> {
    let mut offered: Vec<String> = Vec::new();
    for mismatch in &mut found {
        mismatch.repairs.retain(|repair| {
            let own = label(repair);
            let is_new = !offered.contains(&own);
            offered.push(own);
            is_new
        });
    }
    found
}

/// Returns the identifier of the `place`-th sentence that contradicts column `index`.
fn id(index: usize, place: usize) -> String {
    format!("contradicts-{index}-{place}")
}

/// Returns the identifiers of all sentences that contradict a column, for the field that they are about.
pub fn contradictions_of(app: App, index: usize) -> Option<String> {
    let count = app.contradictions.with(|all| all.get(&index).map(Vec::len))?;
    Some((0..count).map(|place| id(index, place)).collect::<Vec<_>>().join(" "))
}

/// Returns the repairs that follow from the most frequent cell of the whole file that does not fit. A cell that was cut for display is not used.
fn further(app: App, index: usize, misfits: &Misfits) -> Vec<Repair> {
    let cells = misfits.usual_cells();
    let whole = cells.first().filter(|cell| cell.chars().count() < QUOTED);
    let table = app.state.table().get().unwrap_or_default();
    let of_cell = |cell: &&str| {
        app.state.columns().with(|columns| {
            app.state.setup().with(|setup| view_model::repairs_of(&table, columns, setup, index, cell))
        })
    };
    whole.map(of_cell).unwrap_or_default()
}

/// Draws a button that repairs.
#[component]
fn Offer(index: usize, repair: Repair) -> impl IntoView {
    let app = App::here();
    let label = label(&repair);
    view! { <button type="button" on:click=move |_| take(app, index, &repair)>{label}</button> }
}

fn name(app: App, index: usize) -> String {
    app.state
        .columns()
        .with(|columns| columns.get(index).map(|column| column.name.clone()).unwrap_or_default())
}

#[component]
fn One(index: usize, id: String, mismatch: Mismatch) -> impl IntoView {
    let app = App::here();
    let kind = mismatch.kind;
    let key = move || {
        let of = |columns: &Vec<ColumnDraft>| {
            columns.get(index).map(|column| draft::confirmation(index, column, kind))
        };
        app.state.columns().with(of)
    };
    let confirmed = Memo::new(move |_| {
        key().is_some_and(|key| app.state.setup().with(|setup| setup.confirmed.contains(&key)))
    });
    let confirm = move |_| {
        if let Some(key) = untrack(key) {
            app.state.setup().update(|setup| {
                if !setup.confirmed.remove(&key) {
                    setup.confirmed.insert(key);
                }
            });
        }
    };
    let is_left_out = move || {
        app.state
            .columns()
            .with(|columns| columns.get(index).is_some_and(|column| column.role == Role::Ignored))
    };
    let (told, repairs) = (mismatch.clone(), mismatch.repairs);
    let told = move || {
        let rule = app.state.setup().with(|setup| setup.missing);
        let of = |columns: &Vec<ColumnDraft>| columns.get(index).map(|column| sentence(&told, column, rule));
        let of_persons = app.state.setup().with(|setup| !setup.person.is_empty());
        let later = of_persons && matches!(kind, Contradiction::Missing { .. });
        let later = later.then(words::contradiction::filled_later);
        app.state.columns().with(of).into_iter().chain(later.map(str::to_owned)).collect::<Vec<_>>().join(" ")
    };
    let names_persons = repairs.contains(&Repair::Person);
    let stay = move || {
        (names_persons && !confirmed.get())
            .then(|| view! { <p class="hint">{words::contradiction::rows_stay_rows()}</p> })
    };
    let ranges =
        if kind == Contradiction::Outside { ranges(app, index, &mismatch.cells) } else { Vec::new() };
    let offer = move || {
        let button = |repair: Repair| view! { <Offer index repair/> };
        let range = |range: &Preset| {
            let preset = *range;
            let told = words::columns::use_range(
                text::number(preset.lower),
                text::number(preset.upper),
                preset.unit,
            );
            view! { <button type="button" title=preset.source.cite on:click=move |_| app.edit(index, |column| fill(column, &preset))>{told}</button> }
        };
        (!confirmed.get()).then(|| {
            // A column that only serves a term is left out already.
            let repairs = repairs.iter().filter(|repair| **repair != Repair::LeaveOut || !is_left_out());
            view! { {repairs.cloned().map(button).collect_view()}{ranges.iter().map(range).collect_view()} }
        })
    };
    view! {
        <div class="contradiction" class:confirmed=move || confirmed.get()>
            <p id=id>{told}</p>
            <div class="buttons">
                {offer}
                <label class="cell-check"><input type="checkbox" prop:checked=move || confirmed.get() on:change=confirm/>{allowed(kind)}</label>
            </div>
            {stay}
        </div>
    }
}

/// Returns the public ranges of the quantity that a column's name suggests which hold these cells.
fn ranges(app: App, index: usize, cells: &[String]) -> Vec<Preset> {
    let values: Vec<f64> = cells.iter().filter_map(|cell| draft::number(cell)).collect();
    let named = presets::suggested(&name(app, index)).and_then(|place| PRESETS.get(place));
    let alike = PRESETS.iter().filter(|preset| named.is_some_and(|named| named.name == preset.name));
    let all = alike.flat_map(|wide| wide.tight().into_iter().chain([*wide]));
    all.filter(|range| values.iter().all(|value| (range.lower..=range.upper).contains(value))).collect()
}

/// Says what the cells show, and what follows.
fn sentence(mismatch: &Mismatch, column: &ColumnDraft, rule: Missing) -> String {
    let cells = text::list(&mismatch.cells, mismatch.cells.len());
    match mismatch.kind {
        Contradiction::Levels => words::contradiction::levels(cells, &column.levels),
        Contradiction::Encoding => words::contradiction::encoding(cells, &column.levels),
        Contradiction::Spelling => words::contradiction::spelling(cells, &column.levels),
        Contradiction::Format if mismatch.repairs.is_empty() => words::contradiction::format_clash(cells),
        Contradiction::Format => words::contradiction::format(cells),
        Contradiction::Thousands => words::contradiction::thousands(cells),
        Contradiction::Date => words::contradiction::date(cells),
        Contradiction::Unit => words::contradiction::unit(cells),
        Contradiction::Missing { missing, of } => {
            let said = if rule == Missing::Skip {
                words::contradiction::missing
            } else {
                words::contradiction::missing_filled
            };
            said(missing, of, words::columns::blank())
        }
        Contradiction::Words => words::contradiction::words(cells),
        Contradiction::Identifier if mismatch.cells.is_empty() => {
            words::contradiction::identifies_persons().to_owned()
        }
        Contradiction::Identifier => words::contradiction::identifier(cells),
        Contradiction::SeveralRows if mismatch.cells.is_empty() => {
            words::contradiction::several_rows_in_file().to_owned()
        }
        Contradiction::SeveralRows => words::contradiction::several_rows(cells),
        Contradiction::Persons => words::contradiction::persons().to_owned(),
        Contradiction::Unmet => words::contradiction::unmet(&column.name, cells),
        Contradiction::Lines { lines } => words::contradiction::lines(text::whole(lines)),
        Contradiction::Totals => words::contradiction::totals(cells),
        Contradiction::Code => words::contradiction::code(cells),
        Contradiction::Shares => words::contradiction::shares(cells),
        Contradiction::Weight => words::contradiction::survey_weight().to_owned(),
        Contradiction::Codes => words::contradiction::codes(cells),
        Contradiction::SpeltTwice => words::contradiction::spelt_twice(cells),
        Contradiction::TurnedRound => words::contradiction::turned_round(cells),
        Contradiction::Beyond { above: true } => words::contradiction::above_in_file(&column.upper),
        Contradiction::Beyond { above: false } => words::contradiction::below_in_file(&column.lower),
        Contradiction::AtEnd { upper: true } => words::contradiction::largest_in_file().to_owned(),
        Contradiction::AtEnd { upper: false } => words::contradiction::smallest_in_file().to_owned(),
        Contradiction::Outside => {
            let stated = match (column.lower.trim(), column.upper.trim()) {
                ("", upper) => words::contradiction::above(cells, upper),
                (lower, "") => words::contradiction::below(cells, lower),
                (lower, upper) => words::contradiction::outside(cells, lower, upper),
            };
            let years = column.is_of_dates().then(words::columns::years_of_dates);
            [stated.as_str()]
                .into_iter()
                .chain(years)
                .chain([words::contradiction::clipped()])
                .collect::<Vec<_>>()
                .join(" ")
        }
    }
}

/// Returns the label of the button that leaves things as they are.
fn allowed(kind: Contradiction) -> &'static str {
    match kind {
        Contradiction::Outside | Contradiction::Beyond { .. } => words::contradiction::right_to_be_clipped(),
        Contradiction::Thousands => words::contradiction::right_as_decimals(),
        Contradiction::AtEnd { .. } => words::contradiction::right_as_public(),
        Contradiction::Code => words::contradiction::right_as_values(),
        Contradiction::Shares => words::contradiction::right_as_percentages(),
        Contradiction::Weight => words::contradiction::right_as_measurement(),
        Contradiction::Codes => words::contradiction::right_as_amounts(),
        Contradiction::TurnedRound => words::contradiction::right_as_question(),
        Contradiction::Unit | Contradiction::SpeltTwice => words::contradiction::right_as_levels(),
        Contradiction::SeveralRows => words::contradiction::right_as_rows(),
        Contradiction::Persons => words::contradiction::one_row_each(),
        Contradiction::Totals => words::contradiction::no_totals(),
        Contradiction::Unmet => words::contradiction::right_as_rare(),
        Contradiction::Missing { .. } | Contradiction::Identifier => {
            words::contradiction::right_to_be_empty()
        }
        _ => words::contradiction::right_as_missing(),
    }
}

fn label(repair: &Repair) -> String {
    match repair {
        Repair::Levels(levels) => words::contradiction::use_levels(draft::unlist(levels)),
        Repair::Format(format) => format_label(*format),
        Repair::OwnFormat(format) => own_format_label(*format),
        Repair::Missing(cells) => words::contradiction::count_as_missing(text::list(cells, cells.len())),
        Repair::Category => words::contradiction::make_category().to_owned(),
        Repair::Years(order) => years_label(*order),
        Repair::LeaveOut => words::contradiction::leave_out().to_owned(),
        Repair::Person => words::contradiction::names_persons().to_owned(),
        Repair::Merge(_) => words::contradiction::merge().to_owned(),
    }
}

/// Returns the label of the offer to read a column in a format of its own.
pub fn own_format_label(format: NumberFormat) -> String {
    format.date.map_or_else(|| words::contradiction::own_format(format_label(format)), years_label)
}

/// Returns the label of the offer to count dates as years, with an example.
fn years_label(order: DateOrder) -> String {
    words::contradiction::as_years(match order {
        DateOrder::YearMonthDay => "2019-07-02",
        DateOrder::DayMonthYear => "02.07.2019",
        DateOrder::MonthDayYear => "07/02/2019",
    })
}

/// Returns the label of the offer to read numbers in a format, with an example.
pub fn format_label(format: NumberFormat) -> String {
    let mark = char::from(format.decimal);
    let (whole, read) = match format.thousands {
        Some(thousands) => (format!("1{}234", thousands.mark()), "1234.5"),
        None => ("1".to_owned(), "1.5"),
    };
    words::contradiction::read_as(format!("{whole}{mark}5{}", if format.percent { " %" } else { "" }), read)
}

/// Changes what is said of the column, or how the file is read.
fn take(app: App, index: usize, repair: &Repair) {
    app.say(words::contradiction::repaired().to_owned());
    match repair {
        Repair::Levels(levels) => app.edit(index, |column| {
            column.levels = draft::unlist(levels);
            if !levels.contains(&column.reference) {
                column.reference.clear();
            }
        }),
        Repair::Category => app.edit(index, |column| column.kind = Some(ColumnType::Category)),
        Repair::Years(order) => app.edit(index, |column| {
            column.kind = Some(ColumnType::Number);
            column.written = Some(NumberFormat::years(*order));
            if column.unit.trim().is_empty() {
                words::contradiction::year().clone_into(&mut column.unit);
            }
        }),
        Repair::LeaveOut => app.edit(index, |column| column.role = Role::Ignored),
        Repair::Person => {
            let name = untrack(|| name(app, index));
            // How many of a person's rows count is asked, unless a ledger says so already.
            let fixed = app.state.ledger().with_untracked(Option::is_some);
            app.state.setup().update(|setup| {
                let max_rows = if fixed { setup.max_rows.clone() } else { String::new() };
                setup.identify(name, max_rows);
            });
        }
        Repair::Format(format) => read_format(app, *format),
        Repair::OwnFormat(format) => app.edit(index, |column| column.written = Some(*format)),
        Repair::Merge(groups) => merge(app, index, groups),
        // A negative code or a word is no value of any column; another number may be one, such as an age of 99.
        Repair::Missing(cells)
            if cells.iter().all(|cell| draft::number(cell).is_none_or(|code| code < 0.0)) =>
        {
            app.state.setup().update(|setup| count_as_missing(setup, cells));
            app.state.columns().update(|columns| {
                columns.iter_mut().for_each(|column| leave_levels_out(column, cells));
            });
            actions::reread(app);
        }
        Repair::Missing(cells) => app.edit(index, |column| {
            let known = draft::list(&column.na);
            column.na = draft::unlist(&known.into_iter().chain(cells.iter().cloned()).collect::<Vec<_>>());
            leave_levels_out(column, cells);
        }),
    }
    // The button is gone.
    dom::focus_selector_soon(format!("[data-row='{index}'][data-cell='Role']"));
    // What the whole file holds beside is found by the new description alone.
    if app.state.inspection().with_untracked(Option::is_some) {
        actions::inspect(app);
    }
}

/// Puts the column with these levels joined in its place.
fn merge(app: App, index: usize, groups: &[Vec<String>]) {
    let Some(column) = app.state.columns().with_untracked(|columns| columns.get(index).cloned()) else {
        return;
    };
    let group = |levels: &Vec<String>| Some(Group { name: levels.first()?.clone(), levels: levels.clone() });
    let groups: Vec<Group> = groups.iter().filter_map(group).collect();
    let joined = |level: &String| {
        let own = groups.iter().find(|group| group.levels.contains(level));
        own.map_or(level, |group| &group.name).clone()
    };
    let entry = Derived {
        name: Some(words::terms::joined_of(&column.name)),
        transform: Transform::Merged,
        from: vec![column.name.clone()],
        role: (column.role == Role::Outcome).then_some(Role::Outcome),
        reference: Some(joined(&column.reference)).filter(|reference| !reference.is_empty()),
        groups: Some(groups.clone()),
        ..Derived::default()
    };
    let all: Vec<String> = groups.iter().map(|group| group.levels.join(" = ")).collect();
    let told = words::contradiction::merged(text::list(&all, MOST_SAID), name_of(&entry), &column.name);
    app.say(told);
    app.state.setup().update(|setup| setup.derived.push(entry));
    app.edit(index, |column| {
        let mut levels = draft::list(&column.levels);
        for level in groups.into_iter().flat_map(|group| group.levels) {
            if !levels.contains(&level) {
                levels.push(level);
            }
        }
        column.levels = draft::unlist(&levels);
        column.role = Role::Ignored;
    });
}

/// Reads the file's numbers in another format.
pub fn read_format(app: App, format: NumberFormat) {
    app.state.setup().update(|setup| setup.numbers = format);
    actions::reread(app);
}

/// Leaves out levels that count as missing: a codebook may list its codes among them.
fn leave_levels_out(column: &mut ColumnDraft, cells: &[String]) {
    let mut levels = draft::list(&column.levels);
    if levels.iter().any(|level| cells.contains(level)) {
        levels.retain(|level| !cells.contains(level));
        column.levels = draft::unlist(&levels);
    }
}

fn count_as_missing(setup: &mut Setup, cells: &[String]) {
    let mut marks = draft::missing_marks(setup);
    marks.extend(cells.iter().filter(|cell| !marks.contains(cell)).cloned().collect::<Vec<_>>());
    setup.na = Some(draft::unlist(&marks));
}
