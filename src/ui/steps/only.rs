//! Which rows count: conditions on columns.

use leptos::ev::MouseEvent;
use leptos::prelude::*;

use super::derived::{problem, problems};
use crate::plan::document::{ColumnType, Condition};
use crate::release::remarks::{condition, unlabelled};
use crate::ui::dom;
use crate::ui::draft::{ColumnDraft, ConditionDraft, choose_rows, count_all_rows, differences};
use crate::ui::parts::{Choice, Field};
use crate::ui::state::{App, StateStoreFields};
use crate::words;

/// The field of the columns step where a fault of a condition is shown.
const FIELD: &str = "only";

/// Draws the conditions of the plan, each with a way to remove it, and a form for another.
#[component]
pub fn RowsThatCount() -> impl IntoView {
    let app = App::here();
    let conditions = Memo::new(move |_| app.state.setup().with(|setup| setup.only.clone()));
    let faults = problems(app, FIELD);
    let row = move |entry: Condition| {
        let (name, told) = (entry.column.clone(), condition(&entry, &unlabelled));
        let label = words::only::remove(&name);
        let remove = move |event: MouseEvent| {
            app.state.setup().update(|setup| count_all_rows(setup, &name));
            dom::focus_after_key(&event, "#columns-only");
        };
        view! {
            <li>
                <code class="code">{told}</code> " "
                <button type="button" class="quiet" aria-label=label on:click=remove>{words::terms::remove_word()}</button>
            </li>
        }
    };
    view! {
        <section class="block terms" id="columns-only" tabindex="-1" aria-labelledby="only-title">
            <h2 id="only-title">{words::only::title()}</h2>
            <p class="hint">{words::only::lead()}</p>
            <ul class="terms-list">{move || conditions.get().into_iter().map(row).collect_view()}</ul>
            {move || faults.get().into_iter().map(problem).collect_view()}
            <Typed/>
        </section>
    }
}

/// A part of a condition that is typed.
type Part = fn(&mut ConditionDraft) -> &mut String;

/// Columns above which one is typed, not chosen from a list.
const MANY: usize = 200;

/// Draws the form for a condition.
#[component]
fn Typed() -> impl IntoView {
    let app = App::here();
    let draft = RwSignal::new(ConditionDraft::default());
    let wrong = RwSignal::new(Vec::new());
    let names = Memo::new(move |_| {
        let differences = app.state.setup().with(differences);
        app.names().into_iter().chain(differences).collect::<Vec<_>>()
    });
    let add = move |_| {
        let columns = app.state.columns().get_untracked();
        let mut setup = app.state.setup().get_untracked();
        match draft.with_untracked(|draft| choose_rows(&columns, &mut setup, draft)) {
            Err(faults) => wrong.set(faults),
            Ok(entry) => {
                let said = words::only::added(condition(&entry, &unlabelled));
                let is_asked = setup.rows.is_empty();
                app.state.setup().set(setup);
                app.say(if is_asked { format!("{said} {}", words::only::restate()) } else { said });
                wrong.set(Vec::new());
                draft.set(ConditionDraft::default());
            }
        }
    };
    let value = move |part: Part| Signal::derive(move || part(&mut draft.get()).clone());
    let set = move |part: Part| Callback::new(move |typed| draft.update(|draft| *part(draft) = typed));
    let field = move |id, label, hint: &'static str, part: Part| {
        let hint = Signal::derive(move || hint.to_owned());
        view! { <Field id label value=value(part) set=set(part) hint/> }
    };
    let column = move || {
        let (label, part): (_, Part) = (words::only::column(), |draft| &mut draft.column);
        let names = names.get();
        if names.len() > MANY {
            return view! { <Field id="only-column" label value=value(part) set=set(part)/> }.into_any();
        }
        let set =
            Callback::new(move |column| draft.set(ConditionDraft { column, ..ConditionDraft::default() }));
        let options = std::iter::once(String::new()).chain(names).map(|name| (name.clone(), name)).collect();
        view! { <Choice id="only-column" label options value=value(part) set/> }.into_any()
    };
    // A column whose type nobody has said may be asked for its levels, whatever they are.
    let kind = Memo::new(move |_| {
        let name = draft.with(|draft| draft.column.clone());
        let of = |columns: &Vec<ColumnDraft>| columns.iter().find(|column| column.name == name)?.kind;
        let is_difference = app.state.setup().with(|setup| differences(setup).contains(&name));
        let kind = if is_difference { Some(ColumnType::Number) } else { app.state.columns().with(of) };
        kind.unwrap_or(ColumnType::Category)
    });
    view! {
        <details class="more">
            <summary>{words::only::add()}</summary>
            {column}
            {move || (kind.get() == ColumnType::Number).then(|| view! {
                {field("only-from", words::only::from(), words::only::from_hint(), |draft| &mut draft.lower)}
                {field("only-to", words::only::to(), words::only::to_hint(), |draft| &mut draft.upper)}
            })}
            {move || (kind.get() == ColumnType::Category).then(||
                field("only-levels", words::only::levels(), words::only::levels_hint(), |draft| &mut draft.levels))}
            {move || wrong.get().into_iter().map(problem).collect_view()}
            <button type="button" id="only-add" on:click=add>{words::only::add()}</button>
        </details>
    }
}
