//! One row of the column table.

use leptos::ev::MouseEvent;
use leptos::prelude::*;

use super::contradictions::{Contradictions, contradictions_of, own_format_label};
use super::derived::MOST_LISTED;

use crate::mechanisms::find;
use crate::model::{Missing, Role};
use crate::plan::check::DEFAULT_ESTIMATE_SHARE;
use crate::plan::document::{ColumnType, Derived};
use crate::ui::draft::{self, Cell, ColumnDraft, Gap, Place};
use crate::ui::parts::WhichNumber;
use crate::ui::presets::{self, PRESETS, Preset};
use crate::ui::state::{App, StateStoreFields};
use crate::ui::{dom, text};
use crate::words;

/// Columns above which a cell is read when it is left.
const WIDE: usize = 2_000;

/// The list of levels that are offered.
pub const USUAL_LEVELS_LIST: &str = "usual-levels";

/// Lists of levels that are offered at once.
const MOST_LISTS: usize = 3;

/// Sample cells that a row shows.
const SAMPLES: usize = 4;
/// Characters of levels that their field shows at once.
const LEVELS_IN_FIELD: usize = 24;

/// Reads a field of one column, and writes it.
#[derive(Clone, Copy)]
struct Column {
    app: App,
    index: usize,
    /// The first thing that is missing or wrong.
    gap: Memo<Option<Gap>>,
}

impl Column {
    fn read<T: Default>(self, get: impl Fn(&ColumnDraft) -> T) -> T {
        self.app.state.columns().with(|columns| columns.get(self.index).map(get).unwrap_or_default())
    }

    fn write(self, edit: impl FnOnce(&mut ColumnDraft)) {
        self.app.edit(self.index, edit);
    }

    /// Returns whether a cell is the first that is wrong. Where bounds are swapped, both are.
    fn is_wrong(self, cell: Cell) -> bool {
        let is_bound = |cell| matches!(cell, Cell::Lower | Cell::Upper);
        let are_swapped = |c: &ColumnDraft| {
            draft::number(&c.lower).zip(draft::number(&c.upper)).is_some_and(|(lower, upper)| lower >= upper)
        };
        self.gap.with(|gap| {
            gap.as_ref().is_some_and(|gap| match gap.place {
                Place::Cell(index, wrong) if index == self.index => {
                    wrong == cell || is_bound(wrong) && is_bound(cell) && self.read(are_swapped)
                }
                _ => false,
            })
        })
    }

    /// Says what is wrong with a cell, unless its row asks about it or shows its contradictions.
    fn said(self) -> Option<String> {
        let gap = self.gap.get()?;
        let is_asked = self.read(|c| match gap.place {
            Place::Cell(_, Cell::Lower) => c.lower.trim().is_empty(),
            Place::Cell(_, Cell::Upper) => c.upper.trim().is_empty(),
            Place::Cell(_, Cell::Levels) => lacks_levels(c),
            _ => false,
        });
        let of_name = self.read(|c| [words::gap::contradicted(&c.name), words::gap::asked(&c.name)]);
        (!is_asked && !of_name.contains(&gap.text)).then_some(gap.text)
    }

    /// Returns the identifier of the sentence about a wrong cell.
    fn described(self, cell: Cell) -> Option<String> {
        let of_row = || match self.said() {
            Some(_) => Some(format!("wrong-{}", self.index)),
            None => contradictions_of(self.app, self.index),
        };
        self.is_wrong(cell).then(of_row).flatten()
    }
}

/// Draws the row of a column: its name, its cells and its meaning.
#[component]
pub fn Row(index: usize) -> impl IntoView {
    let app = App::here();
    let gap = Memo::new(move |_| {
        let here = |gap: &&Gap| gap.place.row() == Some(index);
        app.plan.with(|plan| plan.as_ref().err().and_then(|gaps| gaps.iter().find(here).cloned()))
    });
    let column = Column { app, index, gap };
    let name = Memo::new(move |_| column.read(|c| c.name.clone()));
    let kind = Memo::new(move |_| column.read(|c| c.kind));
    let ignored = Memo::new(move |_| column.read(|c| c.role) == Role::Ignored);
    let tail = move || match kind.get() {
        Some(ColumnType::Category) => view! { <CategoryCells column name/> }.into_any(),
        _ => view! { <NumberCells column name/> }.into_any(),
    };
    let label = move || {
        let label = column.read(|c| c.label.clone());
        (!label.is_empty()).then(|| view! { <span class="meaning">{label}</span> })
    };
    view! {
        <tr aria-label=move || name.get() class:ignored=move || ignored.get() class:gap=move || gap.with(Option::is_some)>
            <td class="tick">
                <input type="checkbox" aria-label=move || words::columns::select(name.get())
                    prop:checked=move || column.read(|c| c.selected)
                    on:change=move |event| { let on = event_target_checked(&event); column.write(|c| c.selected = on); }/>
            </td>
            <th scope="row" class="name"><span class="column-name" title=move || name.get()>{move || name.get()}</span>{label}</th>
            <td class="private-cell" data-label=words::columns::first_cells()>{move || samples(app, index)}</td>
            <td data-label=words::columns::role()><RoleCell column name/></td>
            <td data-label=words::columns::kind()><KindCell column name/></td>
            {tail}
            <td class="if-missing" data-label=words::columns::if_missing()>{move || if_missing(column)}</td>
        </tr>
        <Asked column name kind/>
        <Contradictions index/>
    }
}

fn samples(app: App, index: usize) -> String {
    app.state.table().with(|table| {
        let rows = table.iter().flat_map(|table| table.rows.iter());
        let cells = rows.filter_map(|row| row.get(index)).filter(|cell| !cell.is_empty()).take(SAMPLES);
        cells.cloned().collect::<Vec<_>>().join("  ")
    })
}

/// Says what a missing cell of this column counts as, unless its row is left out.
fn if_missing(column: Column) -> String {
    let skips = column.app.state.setup().with(|setup| setup.missing == Missing::Skip);
    if skips || column.read(|c| c.role) == Role::Ignored {
        return String::new();
    }
    column.read(|c| match c.kind {
        Some(ColumnType::Category) => {
            let first = draft::list(&c.levels).into_iter().next();
            Some(c.reference.clone())
                .filter(|r| !r.is_empty())
                .or(first)
                .map_or_else(String::new, words::columns::counts_as)
        }
        _ => match (draft::number(&c.lower), draft::number(&c.upper)) {
            (Some(lower), Some(upper)) => words::columns::counts_as(text::number(lower.midpoint(upper))),
            _ => String::new(),
        },
    })
}

#[component]
fn RoleCell(column: Column, name: Memo<String>) -> impl IntoView {
    let roles = [Role::Ignored, Role::Feature, Role::Outcome];
    let current = Memo::new(move |_| column.read(|c| c.role));
    let options = roles.into_iter().map(|role| {
        view! { <option value=text::role(role) selected=move || current.get() == role>{text::role(role)}</option> }
    });
    let set = move |event| {
        let value = event_target_value(&event);
        if let Some(role) = roles.into_iter().find(|role| text::role(*role) == value) {
            column.write(|c| c.role = role);
        }
    };
    view! {
        <select class="cell" data-row=column.index data-cell="Role" aria-invalid=move || column.is_wrong(Cell::Role).then_some("true")
            aria-describedby=move || column.described(Cell::Role) aria-label=move || words::columns::role_of(name.get())
            prop:value=move || text::role(current.get()) on:change=set>{options.collect_view()}</select>
    }
}

#[component]
fn KindCell(column: Column, name: Memo<String>) -> impl IntoView {
    let current = Memo::new(move |_| column.read(|c| c.kind));
    let kinds = [None, Some(ColumnType::Number), Some(ColumnType::Category)];
    let options = kinds.into_iter().map(|kind| {
        view! { <option value=text::kind(kind) selected=move || current.get() == kind>{text::kind(kind)}</option> }
    });
    let set = move |event| {
        let value = event_target_value(&event);
        if let Some(kind) = kinds.into_iter().find(|kind| text::kind(*kind) == value) {
            column.write(|c| c.kind = kind);
        }
    };
    view! {
        <select class="cell" data-row=column.index data-cell="Kind" aria-invalid=move || column.is_wrong(Cell::Kind).then_some("true")
            aria-describedby=move || column.described(Cell::Kind) aria-label=move || words::columns::type_of(name.get())
            prop:value=move || text::kind(current.get()) on:change=set>{options.collect_view()}</select>
    }
}

/// Draws a text cell of the sheet.
#[component]
fn TextCell(
    column: Column,
    cell: Cell,
    #[prop(into)] label: Signal<String>,
    get: fn(&ColumnDraft) -> String,
    set: fn(&mut ColumnDraft, String),
    #[prop(optional)] numeric: bool,
    #[prop(optional)] suggestions: Option<&'static str>,
    #[prop(optional, into)] empty: Option<Signal<&'static str>>,
) -> impl IntoView {
    // In a very wide table the plan is made when the person leaves a cell, not after each letter.
    let wide = column.app.state.columns().with_untracked(|columns| columns.len() > WIDE);
    let write = move |event| {
        let value = event_target_value(&event);
        column.write(|c| {
            set(c, value);
            // A mean and a standard deviation that came with another range need not fit this one.
            if matches!(cell, Cell::Lower | Cell::Upper) && !c.note.is_empty() {
                c.note.clear();
                c.typical_mean.clear();
                c.typical_sd.clear();
            }
        });
    };
    let choose = Callback::new(move |value| column.write(|c| set(c, value)));
    let left = move |event| {
        if wide {
            write(event);
        }
        if matches!(cell, Cell::Lower | Cell::Upper) && column.read(ColumnDraft::is_of_dates) {
            column.write(ColumnDraft::bounds_of_dates);
        }
    };
    view! {
        <input type="text" class="cell" class:numeric=numeric data-row=column.index data-cell=format!("{cell:?}")
            // The keys of a phone for decimals have no minus, which a lower bound may need.
            inputmode=(numeric && cell == Cell::Upper).then_some("decimal") autocapitalize="none" autocomplete="off" spellcheck="false" list=suggestions aria-label=move || label.get() aria-invalid=move || column.is_wrong(cell).then_some("true")
            aria-describedby=move || column.described(cell)
            placeholder=move || empty.map(|empty| empty.get()) prop:value=move || column.read(get)
            on:input=move |event| if !wide { write(event) } on:change=left/>
        {numeric.then(|| view! { <WhichNumber typed=Signal::derive(move || column.read(get)) set=choose/> })}
    }
}

#[component]
fn NumberCells(column: Column, name: Memo<String>) -> impl IntoView {
    let named = |label: fn(String) -> String| Signal::derive(move || label(name.get()));
    let estimated = Memo::new(move |_| column.read(ColumnDraft::is_estimated));
    let empty = Signal::derive(move || if estimated.get() { words::columns::estimated_cell() } else { "" });
    view! {
        <td class="numeric" data-label=words::columns::lowest()><TextCell column cell=Cell::Lower label=named(words::columns::lowest_of) numeric=true
            get=|c| c.lower.clone() set=|c, value| c.lower = value empty/></td>
        <td class="numeric" data-label=words::columns::highest()><TextCell column cell=Cell::Upper label=named(words::columns::highest_of) numeric=true
            get=|c| c.upper.clone() set=|c, value| c.upper = value empty/></td>
        <td class="wide" data-label=words::columns::unit()><TextCell column cell=Cell::Unit label=named(words::columns::unit_of) get=|c| c.unit.clone() set=|c, value| c.unit = value/></td>
    }
}

/// Returns the share of the budget for estimating bounds as typed, in percent.
fn share_typed(app: App) -> String {
    let typed = app.state.setup().with(|setup| setup.estimate_share.trim().to_owned());
    if typed.is_empty() { text::number(100.0 * DEFAULT_ESTIMATE_SHARE) } else { typed }
}

/// Draws the notes of a column whose bounds are estimated.
#[component]
fn Estimated(column: Column, name: Memo<String>) -> impl IntoView {
    let state = move |_| column.write(|c| c.estimate = false);
    let whole = move |event| {
        let on = event_target_checked(&event);
        column.write(|c| c.integer = on.then_some(true));
    };
    view! {
        <p class="cell-note">{move || words::columns::estimated(share_typed(column.app))}</p>
        <label class="cell-note cell-check"><input type="checkbox" aria-label=move || words::columns::whole_numbers_of(name.get())
            prop:checked=move || column.read(|c| c.integer == Some(true)) on:change=whole/>{words::columns::whole_numbers()}</label>
        <p class="cell-note"><button type="button" class="link" aria-label=move || words::columns::state_bounds_of(name.get()) on:click=state>
            {words::columns::state_bounds()}</button></p>
    }
}

#[component]
fn CategoryCells(column: Column, name: Memo<String>) -> impl IntoView {
    let levels = Memo::new(move |_| column.read(|c| draft::list(&c.levels)));
    let joined = Memo::new(move |_| {
        let setup = column.app.state.setup();
        let of = name.get();
        let many = |term: &&Derived| term.from.contains(&of) && draft::spellings(term) > MOST_LISTED;
        setup.with(|setup| setup.derived.iter().find(many).cloned())
    });
    let reference = Memo::new(move |_| column.read(|c| c.reference.clone()));
    let options = move || {
        // Of levels that are joined each group has its name.
        let is_other = |level: &String| {
            joined.with(|term| term.as_ref().is_some_and(|term| draft::is_other_spelling(term, level)))
        };
        let levels = levels.get().into_iter().filter(|level| !is_other(level));
        let all: Vec<String> = levels.map(|level| draft::typed_level(&level)).collect();
        let first =
            all.first().map_or_else(|| words::columns::first_level().to_owned(), words::columns::against);
        let rest = all.into_iter().skip(1).map(|level| {
            let own = level.clone();
            view! { <option value=level.clone() selected=move || reference.get() == own>{words::columns::against(&level)}</option> }
        });
        view! { <option value="">{first}</option>{rest.collect_view()} }
    };
    // The field has no room for many of them, and a name that is cut cannot be compared with a codebook.
    let labels = Memo::new(move |_| column.read(|c| c.labels.clone()));
    let whole = move || {
        let named = |level: String| match labels.with(|labels| labels.get(&level).cloned()) {
            Some(label) => words::report::level_with_label(level, label),
            None => draft::typed_level(&level),
        };
        let all = levels.get().into_iter().map(named).collect::<Vec<_>>().join(" · ");
        let is_labelled = labels.with(|labels| !labels.is_empty());
        (is_labelled || all.chars().count() > LEVELS_IN_FIELD)
            .then(|| match joined.with(|term| term.as_ref().map(draft::spellings)) {
                Some(many) => view! {
                    <details class="cell-note all-levels"><summary>{words::terms::spellings_joined(text::whole(many))}</summary>{all}</details>
                }
                .into_any(),
                None => view! { <p class="cell-note all-levels" aria-hidden="true">{all}</p> }.into_any(),
            })
    };
    view! {
        <td colspan="2" class="wide" data-label=words::columns::levels()><TextCell column cell=Cell::Levels label=Signal::derive(move || words::columns::levels_of(name.get())) suggestions=USUAL_LEVELS_LIST
            get=|c| c.levels.clone() set=draft::retype_levels/>{whole}</td>
        <td class="wide" data-label=words::columns::reference()><select class="cell" data-row=column.index data-cell="Reference" aria-invalid=move || column.is_wrong(Cell::Reference).then_some("true")
            aria-describedby=move || column.described(Cell::Reference)
            aria-label=move || words::columns::reference_of(name.get())
            on:change=move |event| { let value = event_target_value(&event); column.write(|c| c.reference = value); }>
            {options}</select></td>
    }
}

/// Draws a row below that of a column: asks about its range or its levels, and offers what can be used for them.
#[component]
fn Asked(column: Column, name: Memo<String>, kind: Memo<Option<ColumnType>>) -> impl IntoView {
    let is_category = move || kind.get() == Some(ColumnType::Category);
    let said = Memo::new(move |_| column.said());
    // How many rows of a person count, in the column that names the persons.
    let rows_of_each = Memo::new(move |_| {
        column.app.state.setup().with(|setup| {
            let is_own = name.with(|name| !setup.person.is_empty() && setup.person == *name);
            is_own.then(|| setup.max_rows.clone())
        })
    });
    let has_any = Memo::new(move |_| {
        let is_wrong = said.with(Option::is_some) || rows_of_each.with(Option::is_some);
        column.read(|c| {
            let is_used = c.role != Role::Ignored;
            is_wrong
                || !c.na.is_empty()
                || match c.kind {
                    Some(ColumnType::Category) => is_used && lacks_levels(c),
                    _ => {
                        is_used && lacks_bounds(c)
                            || c.is_estimated()
                            || !c.note.is_empty()
                            || c.written.is_some()
                    }
                }
        })
    });
    move || {
        has_any.get().then(|| {
            let wrong = move || {
                let id = format!("wrong-{}", column.index);
                said.get().map(|said| view! { <p class="cell-note wrong" id=id>{said}</p> })
            };
            let own_missing = move || {
                let cells = column.read(|c| draft::list(&c.na));
                let forget = move |_| column.write(|c| c.na.clear());
                let label = words::columns::no_own_missing_for(name.get());
                (!cells.is_empty()).then(|| view! {
                    <p class="cell-note">{words::columns::own_missing(text::list(&cells, cells.len()))} " "
                        <button type="button" class="link" aria-label=label on:click=forget>{words::columns::no_own_missing()}</button></p>
                })
            };
            let of_persons = move || {
                let rows = rows_of_each.get()?;
                let rows = match draft::count(&rows) {
                    Some(1) => words::columns::one_row_counts().to_owned(),
                    Some(_) => words::columns::rows_count(rows),
                    None => words::columns::rows_asked().to_owned(),
                };
                Some(view! { <p class="cell-note">{words::columns::names_the_persons(rows)}</p> })
            };
            let is_used = column.read(|c| c.role != Role::Ignored);
            let asked = if is_category() {
                is_used.then(|| view! { <AskedOfCategory column name/> }).into_any()
            } else {
                view! { <AskedOfNumber column name/> }.into_any()
            };
            view! {
                <tr class="asked">
                    <td colspan="2"></td><td class="private-cell"></td>
                    <td colspan="6"><div class="asked-lines" role="group" aria-label=move || words::columns::asked_of(name.get())>{of_persons}{wrong}{asked}{own_missing}</div></td>
                </tr>
            }
        })
    }
}

fn lacks_bounds(column: &ColumnDraft) -> bool {
    column.lower.trim().is_empty() || column.upper.trim().is_empty()
}

fn lacks_levels(column: &ColumnDraft) -> bool {
    draft::list(&column.levels).len() < 2
}

/// Asks about a missing bound. The range that the name suggests is offered, never filled in.
#[component]
fn AskedOfNumber(column: Column, name: Memo<String>) -> impl IntoView {
    let suggested = Memo::new(move |_| presets::suggested(&name.get()));
    let bare = Memo::new(move |_| column.read(|c| c.role != Role::Ignored && lacks_bounds(c)));
    let estimated = Memo::new(move |_| column.read(ColumnDraft::is_estimated));
    let under = move || {
        let note = column.read(|c| c.note.clone());
        if estimated.get() {
            view! { <Estimated column name/> }.into_any()
        } else if bare.get() {
            view! { <p class="cell-note ask">{words::columns::empty_bound()}</p> }.into_any()
        } else if !note.is_empty() {
            view! { <p class="cell-note">{note}</p> }.into_any()
        } else {
            ().into_any()
        }
    };
    let own_format = move || {
        let format = column.read(|c| c.written)?;
        let told = own_format_label(format);
        let years = format.date.map(|_| [". ", words::columns::years_of_dates(), " "].concat());
        let label = words::columns::as_the_file_for(name.get());
        let forget = move |_| column.write(|c| c.written = None);
        Some(view! {
            <p class="cell-note">{told} {years} " "
                <button type="button" class="link" aria-label=label on:click=forget>{words::columns::as_the_file()}</button></p>
        })
    };
    let offer = move || {
        let index = suggested.get().filter(|_| bare.get() && !estimated.get())?;
        let named = PRESETS.get(index)?;
        let one = move |preset: Preset| {
            let (lower, upper) = (text::number(preset.lower), text::number(preset.upper));
            let offer = words::columns::use_range(lower, upper, preset.unit);
            let label = words::columns::use_range_for(&offer, name.get(), preset.name, preset.source.cite);
            let fill = move |event: MouseEvent| {
                column.write(|c| super::many::fill(c, &preset));
                dom::focus_after_key(&event, format!("[data-row='{}'][data-cell='Lower']", column.index));
            };
            view! {
                <p class="cell-note"><button type="button" class="link" aria-label=label on:click=fill>{offer}</button> " " {preset.source.cite}</p>
            }
        };
        // A quantity may be measured in several units.
        let ranges = PRESETS.iter().filter(|preset| preset.name == named.name).map(|wide| {
            let narrow = wide.tight();
            let cost = narrow.map(|narrow| {
                let times = format!("{:.1}", wide.times_as_wide_as(&narrow));
                let adapts = find(&column.app.mechanism()).is_some_and(|info| info.adapts);
                let told = if adapts {
                    words::columns::wide_adapts(times)
                } else {
                    words::columns::wide_costs(&times, &times)
                };
                view! { <p class="cell-note">{told}</p> }
            });
            view! { {narrow.map(one)}{one(*wide)}{cost} }
        });
        Some(ranges.collect_view())
    };
    // A range that is known is the better choice, so estimating is offered where none is.
    let estimate = move || {
        let unknown = bare.get() && !estimated.get() && suggested.get().is_none();
        unknown.then(|| {
            let share = share_typed(column.app);
            let label = words::columns::estimate_for(&share, name.get());
            let choose = move |_| column.write(|c| c.estimate = true);
            view! { <p class="cell-note"><button type="button" class="link" aria-label=label on:click=choose>{words::columns::estimate(share)}</button></p> }
        })
    };
    let of_codes = move || {
        let unknown = bare.get() && !estimated.get() && suggested.get().is_none();
        let is_feature = column.read(|c| c.role == Role::Feature && c.kind == Some(ColumnType::Number));
        (unknown && is_feature).then(|| view! { <UsualLevels column name/> })
    };
    view! { {under}{offer}{of_codes}{estimate}{own_format} }
}

/// Offers the levels in the column's name, or usual lists, that have all of its cells on the screen. What is a number so far becomes a category.
#[component]
fn UsualLevels(column: Column, name: Memo<String>) -> impl IntoView {
    let is_number = column.read(|c| c.kind == Some(ColumnType::Number));
    move || {
        // What has a unit is an amount.
        if is_number && column.read(|c| !c.unit.trim().is_empty()) {
            return Vec::new().collect_view();
        }
        let lists = column.app.state.table().with(|table| {
            let table = table.as_deref()?;
            let marks = column.app.state.setup().with(draft::missing_marks);
            let cells = table.rows.iter().filter_map(|row| row.get(column.index)).map(|cell| cell.trim());
            let cells: Vec<&str> = cells.filter(|cell| !marks.iter().any(|mark| mark == cell)).collect();
            Some(name.with(|name| presets::usual_levels(name, &cells)))
        });
        let button = move |list: String| {
            let (told, label) = if is_number {
                (words::columns::as_category(&list), words::columns::as_category_for(&list, name.get()))
            } else {
                (words::contradiction::use_levels(&list), words::columns::use_levels_for(&list, name.get()))
            };
            let fill = move |event: MouseEvent| {
                column.write(|c| {
                    c.kind = Some(ColumnType::Category);
                    c.levels.clone_from(&list);
                });
                dom::focus_after_key(&event, format!("[data-row='{}'][data-cell='Levels']", column.index));
            };
            view! { <p class="cell-note"><button type="button" class="link" aria-label=label on:click=fill>{told}</button></p> }
        };
        lists.unwrap_or_default().into_iter().take(MOST_LISTS).map(button).collect_view()
    }
}

/// Asks for levels.
#[component]
fn AskedOfCategory(column: Column, name: Memo<String>) -> impl IntoView {
    let lacks = Memo::new(move |_| column.read(lacks_levels));
    move || {
        lacks.get().then(|| {
            view! { <p class="cell-note ask">{words::columns::which_levels_can_it_have_list()}</p> <UsualLevels column name/> }
        })
    }
}
