//! Describes many columns at once: those that are ticked, all that the filter shows, or those of a pattern or a range.

use leptos::prelude::*;

use super::cells::USUAL_LEVELS_LIST;
use crate::model::Role;
use crate::plan::document::ColumnType;
use crate::ui::draft::ColumnDraft;
use crate::ui::draft::patterns::{Change, Chosen};
use crate::ui::parts::{Choice, Field};
use crate::ui::presets::Preset;
use crate::ui::state::{App, StateStoreFields};
use crate::ui::table::PAGE;
use crate::ui::text;
use crate::words;

/// Writes a public range and its source into a column.
pub fn fill(column: &mut ColumnDraft, preset: &Preset) {
    column.kind = Some(ColumnType::Number);
    column.lower = preset.lower.to_string();
    column.upper = preset.upper.to_string();
    column.typical_mean = preset.typical.mean.map_or_else(String::new, text::number);
    column.typical_sd = text::number(preset.typical.sd);
    column.unit = preset.unit.to_owned();
    column.note = preset.note();
}

/// Uses a public range for every ticked column.
pub fn use_preset(app: App, preset: &Preset) {
    app.state.columns().update(|columns| {
        for column in columns.iter_mut().filter(|column| column.selected) {
            fill(column, preset);
        }
    });
    app.say(words::columns::range_used(preset.name));
}

/// Draws the controls that select columns by a filter and change all of them.
#[component]
pub fn Many(rows: Memo<Vec<usize>>) -> impl IntoView {
    let app = App::here();
    let selected = Memo::new(move |_| app.state.columns().with(|c| c.iter().filter(|c| c.selected).count()));
    let choose = move |on: bool| {
        let rows = rows.get_untracked();
        app.state.columns().update(|columns| {
            for index in rows {
                if let Some(column) = columns.get_mut(index) {
                    column.selected = on;
                }
            }
        });
    };
    let found = move || text::whole(rows.with(Vec::len));
    view! {
        <div class="many">
            <button type="button" class="quiet" on:click=move |_| choose(true)>{move || words::columns::select_shown(found())}</button>
            {move || (selected.get() > 0).then(|| view! {
                <button type="button" class="quiet" on:click=move |_| choose(false)>{words::columns::select_none()}</button>
                <Apply selected/>
            })}
        </div>
    }
}

#[component]
fn Apply(selected: Memo<usize>) -> impl IntoView {
    let app = App::here();
    let change = RwSignal::new(Change::default());
    let apply = move |_| {
        let change = change.get_untracked();
        app.state.columns().update(|columns| {
            columns.iter_mut().filter(|column| column.selected).for_each(|column| change.apply(column));
        });
        app.state
            .said()
            .set(words::columns::applied(selected.get_untracked(), text::whole(selected.get_untracked())));
    };
    view! {
        <div class="apply" role="group" aria-label=words::columns::apply_to_the_selected_columns()>
            <strong class="tabular">{move || words::columns::selected(text::whole(selected.get()))}</strong>
            <ChangeFields change whom=words::columns::the_selected_columns()/>
            <button type="button" on:click=apply>{words::columns::apply()}</button>
        </div>
    }
}

/// Draws the fields of a change. An empty field leaves the columns as they are.
#[component]
fn ChangeFields(change: RwSignal<Change>, whom: &'static str) -> impl IntoView {
    let roles = [Role::Feature, Role::Outcome, Role::Ignored];
    let kinds = [Some(ColumnType::Number), Some(ColumnType::Category)];
    let role_options = roles.map(|role| view! { <option value=text::role(role)>{text::role(role)}</option> });
    let kind_options = kinds.map(|kind| view! { <option value=text::kind(kind)>{text::kind(kind)}</option> });
    let set_role = move |event| {
        let value = event_target_value(&event);
        change.update(|change| change.role = roles.into_iter().find(|role| text::role(*role) == value));
    };
    let set_kind = move |event| {
        let value = event_target_value(&event);
        change.update(|change| {
            change.kind = kinds.into_iter().flatten().find(|k| text::kind(Some(*k)) == value)
        });
    };
    let input = move |label: &'static str,
                      field: fn(&mut Change) -> &mut String,
                      list: Option<&'static str>| {
        let value = move || change.with(|change| field(&mut change.clone()).clone());
        view! {
            <input type="text" class="small" class:wide=list.is_some() list=list autocomplete="off" aria-label=words::columns::label_for(label, whom) placeholder=label
                prop:value=value on:input=move |event| change.update(|change| *field(change) = event_target_value(&event))/>
        }
    };
    let is_category = Memo::new(move |_| change.with(|change| change.kind == Some(ColumnType::Category)));
    let fields = move || {
        if is_category.get() {
            input(words::columns::levels(), |change| &mut change.levels, Some(USUAL_LEVELS_LIST)).into_any()
        } else {
            view! {
                {input(words::columns::lowest(), |change| &mut change.lower, None)}
                {input(words::columns::highest(), |change| &mut change.upper, None)}
                {input(words::columns::unit(), |change| &mut change.unit, None)}
            }
            .into_any()
        }
    };
    view! {
        <select aria-label=words::columns::label_for(words::columns::role(), whom) on:change=set_role>
            <option value="">{words::columns::role_as_it_is()}</option>{role_options}</select>
        <select aria-label=words::columns::label_for(words::columns::kind(), whom) on:change=set_kind>
            <option value="">{words::columns::type_as_it_is()}</option>{kind_options}</select>
        {fields}
    }
}

/// Draws the form that describes all columns of a pattern or of a range, without ticking them.
#[component]
pub fn Rules() -> impl IntoView {
    let app = App::here();
    let by_pattern = RwSignal::new(true);
    let typed = [RwSignal::new(String::new()), RwSignal::new(String::new()), RwSignal::new(String::new())];
    let [pattern, first, last] = typed;
    let change = RwSignal::new(Change::default());
    let chosen = move || {
        if by_pattern.get() { Chosen::Pattern(pattern.get()) } else { Chosen::Range(first.get(), last.get()) }
    };
    // The number and the names are shown before anything is changed.
    let found = Memo::new(move |_| {
        let chosen = chosen();
        app.state.columns().with(|columns| {
            let rows = chosen.rows(columns)?;
            let name = |row: Option<&usize>| row.and_then(|row| columns.get(*row)).map(|c| c.name.clone());
            let ends = name(rows.first()).zip(name(rows.last())).unwrap_or_default();
            Ok::<_, String>((rows.len(), ends))
        })
    });
    let words = move || match found.get() {
        Ok((1, (only, _))) => words::columns::one_fits(only),
        Ok((count, (from, to))) => words::columns::fit(text::whole(count), from, to),
        Err(why) => why,
    };
    let nothing = move || found.with(Result::is_err) || change.with(Change::is_empty);
    let apply = move |_| {
        let (chosen, change) = (untrack(chosen), change.get_untracked());
        let Ok(rows) = app.state.columns().with_untracked(|columns| chosen.rows(columns)) else { return };
        let kept = app.state.columns().with_untracked(|columns| chosen.pattern(columns, &rows));
        // The pattern is set first, so that the plan is made once.
        // With genotypes a pattern may fit variants that were not chosen.
        let genotypes = untrack(|| app.has_genotypes());
        if let Some(kept) = kept.filter(|_| !genotypes) {
            app.state.setup().update(|setup| {
                setup.patterns.retain(|pattern| *pattern != kept);
                setup.patterns.push(kept);
            });
        }
        app.state.columns().update(|columns| {
            for row in &rows {
                if let Some(column) = columns.get_mut(*row) {
                    change.apply(column);
                }
            }
        });
        app.say(words::columns::described(rows.len(), text::whole(rows.len())));
    };
    let set = |signal: RwSignal<String>| Callback::new(move |value| signal.set(value));
    let options = vec![
        ("pattern".to_owned(), words::columns::a_pattern().to_owned()),
        ("range".to_owned(), words::columns::a_range_of_the_header().to_owned()),
    ];
    let which = move || {
        if by_pattern.get() {
            view! {
                <Field id="rule-pattern" label=words::columns::pattern() value=pattern set=set(pattern)
                    hint=words::columns::pattern_hint()/>
            }
            .into_any()
        } else {
            view! {
                <Field id="rule-first" label=words::columns::first_column() value=first set=set(first)/>
                <Field id="rule-last" label=words::columns::last_column() value=last set=set(last)/>
            }
            .into_any()
        }
    };
    let many = app.state.columns().with_untracked(|columns| columns.len() > PAGE);
    view! {
        <details class="more rules" open=many>
            <summary>{words::columns::rules()}</summary>
            <div class="rule-fields" role="group" aria-label=words::columns::rules()>
                <Choice id="rule-by" label=words::columns::which_columns() options
                    value=Signal::derive(move || if by_pattern.get() { "pattern" } else { "range" }.to_owned())
                    set=Callback::new(move |value: String| by_pattern.set(value == "pattern"))/>
                {which}
            </div>
            <p class="tabular rule-count" role="status">{words}</p>
            <div class="apply" role="group" aria-label=words::columns::what_they_are()>
                <ChangeFields change whom=words::columns::these_columns()/>
                <button type="button" disabled=nothing on:click=apply>
                    {move || match found.get() {
                        Ok((count, _)) => words::columns::describe(count, text::whole(count)),
                        Err(_) => words::columns::describe_none().to_owned(),
                    }}
                </button>
            </div>
            <p class="hint">{words::columns::rules_hint()}</p>
        </details>
    }
}
