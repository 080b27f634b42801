//! Describes many columns at once: those that are ticked, or all that the filter shows.

use leptos::prelude::*;

use crate::plan::document::{ColumnRole, ColumnType};
use crate::ui::draft::ColumnDraft;
use crate::ui::presets::{PRESETS, Preset};
use crate::ui::state::{App, StateStoreFields};
use crate::ui::text;

/// Writes a public range and its source into a column.
pub fn fill(column: &mut ColumnDraft, preset: &Preset) {
    column.kind = Some(ColumnType::Number);
    column.lower = preset.lower.to_string();
    column.upper = preset.upper.to_string();
    column.unit = preset.unit.to_owned();
    column.note = preset.note();
}

/// Uses a public range for every ticked column.
pub fn use_preset(app: App, index: usize) {
    let Some(preset) = PRESETS.get(index) else { return };
    app.state.columns().update(|columns| {
        for column in columns.iter_mut().filter(|column| column.selected) {
            fill(column, preset);
        }
    });
    app.state.said().set(format!("The range of {} is used", preset.name));
}

/// What is applied.
#[derive(Clone, Default)]
struct Change {
    role: Option<ColumnRole>,
    kind: Option<ColumnType>,
    lower: String,
    upper: String,
    unit: String,
}

impl Change {
    fn apply(&self, column: &mut ColumnDraft) {
        let text = |from: &String, to: &mut String| {
            if !from.trim().is_empty() {
                to.clone_from(from);
            }
        };
        column.role = self.role.unwrap_or(column.role);
        column.kind = self.kind.or(column.kind);
        if column.kind != Some(ColumnType::Category) {
            text(&self.lower, &mut column.lower);
            text(&self.upper, &mut column.upper);
            text(&self.unit, &mut column.unit);
        }
    }
}

/// Select by filter, then apply.
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
            <button type="button" class="quiet" on:click=move |_| choose(true)>"Select " {found} " shown"</button>
            {move || (selected.get() > 0).then(|| view! {
                <button type="button" class="quiet" on:click=move |_| choose(false)>"Select none"</button>
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
        app.state.said().set(format!("Applied to {} columns", text::whole(selected.get_untracked())));
    };
    let roles = [ColumnRole::Feature, ColumnRole::Outcome, ColumnRole::Ignored];
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
    let input = move |label: &'static str, set: fn(&mut Change, String)| {
        view! {
            <input type="text" class="small" aria-label=format!("{label} for the selected columns") placeholder=label
                on:input=move |event| change.update(|change| set(change, event_target_value(&event)))/>
        }
    };
    view! {
        <div class="apply" role="group" aria-label="Apply to the selected columns">
            <strong class="tabular">{move || format!("{} selected", text::whole(selected.get()))}</strong>
            <select aria-label="Role for the selected columns" on:change=set_role>
                <option value="">"Role as it is"</option>{role_options}</select>
            <select aria-label="Type for the selected columns" on:change=set_kind>
                <option value="">"Type as it is"</option>{kind_options}</select>
            {input("Lowest", |change, value| change.lower = value)}
            {input("Highest", |change, value| change.upper = value)}
            {input("Unit", |change, value| change.unit = value)}
            <button type="button" on:click=apply>"Apply"</button>
        </div>
    }
}
