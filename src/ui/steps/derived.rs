//! Terms that are made from columns: logarithms, squares, interactions, splines, merged levels.

use leptos::ev::MouseEvent;
use leptos::prelude::*;

use crate::model::Role;
use crate::plan::derived::name_of;
use crate::plan::document::{Derived, Transform};
use crate::ui::dom;
use crate::ui::draft::{self, ColumnDraft, Gap, Place, TermDraft, put_term};
use crate::ui::parts::gloss::{Glossed, entries};
use crate::ui::parts::{Choice, Field, Quoted};
use crate::ui::state::{App, StateStoreFields};
use crate::words;

/// The field of the columns step where a fault of a term is shown.
pub const FIELD: &str = "terms";

/// The form for a term, and the place of the term that it changes.
#[derive(Clone, Copy)]
struct Form {
    draft: RwSignal<TermDraft>,
    place: RwSignal<Option<usize>>,
    wrong: RwSignal<Vec<String>>,
}

impl Form {
    fn show(self, draft: TermDraft, place: Option<usize>) {
        self.draft.set(draft);
        self.place.set(place);
        self.wrong.set(Vec::new());
    }
}

/// The terms of the plan, each with ways to change and to remove it, and a form for another.
#[component]
pub fn Terms() -> impl IntoView {
    let app = App::here();
    let terms = Memo::new(move |_| app.state.setup().with(|setup| setup.derived.clone()));
    let form = Form {
        draft: RwSignal::new(TermDraft::default()),
        place: RwSignal::new(None),
        wrong: RwSignal::new(Vec::new()),
    };
    let faults = problems(app, FIELD);
    let row = move |(index, term): (usize, Derived)| {
        let name = name_of(&term);
        let (label, change_label) = (words::terms::remove(&name), words::terms::change(&name));
        let remove = move |event: MouseEvent| {
            dom::focus_after_key(&event, "#columns-terms");
            form.show(TermDraft::default(), None);
            let removed = app
                .state
                .setup()
                .try_update(|setup| (index < setup.derived.len()).then(|| setup.derived.remove(index)));
            if let Some(term) = removed.flatten().filter(|term| term.transform == Transform::Merged) {
                put_back(app, &term);
            }
        };
        let heading = title(term.transform);
        let itself = draft::replaced(&term).cloned().map(|column| view! { <Itself column/> });
        let change = move |_| {
            form.show(TermDraft::of(&term), Some(index));
            dom::focus_soon("term-from");
        };
        view! {
            <li>
                <code class="code">{name}</code> " " {heading} " "
                <button type="button" class="quiet" aria-label=change_label on:click=change>{words::terms::change_word()}</button> " "
                <button type="button" class="quiet" aria-label=label on:click=remove>{words::terms::remove_word()}</button>
                {itself}
            </li>
        }
    };
    let listed = move || terms.get().into_iter().enumerate().map(row).collect_view();
    let wrong = move || faults.get().into_iter().map(problem).collect_view();
    view! {
        <section class="block terms" id="columns-terms" tabindex="-1" aria-labelledby="terms-title">
            <h2 id="terms-title">{words::terms::title()}</h2>
            <p class="hint">{words::terms::lead()}</p>
            <ul class="terms-list">{listed}</ul>
            {wrong}
            <Typed form/>
        </section>
    }
}

/// Gives the column of joined levels the role that the term in its place had.
fn put_back(app: App, term: &Derived) {
    let is_replaced = |column: &ColumnDraft| term.from.contains(&column.name) && column.role == Role::Ignored;
    let place = app.state.columns().with_untracked(|columns| columns.iter().position(is_replaced));
    if let Some(place) = place {
        app.edit(place, |column| column.role = term.role.unwrap_or(Role::Feature));
    }
}

/// Says that a column is in the model beside the term in its place, with a way to leave it out.
#[component]
fn Itself(column: String) -> impl IntoView {
    let app = App::here();
    let name = column.clone();
    let place = Memo::new(move |_| {
        let used = |own: &ColumnDraft| own.name == name && own.role != Role::Ignored;
        app.state.columns().with(|columns| columns.iter().position(used))
    });
    let leave = move |_| {
        if let Some(place) = place.get_untracked() {
            app.edit(place, |column| column.role = Role::Ignored);
        }
    };
    let is_outcome = move |place: usize| {
        app.state.columns().with(|columns| columns.get(place).is_some_and(|own| own.role == Role::Outcome))
    };
    let act = words::terms::leave_out(&column);
    move || {
        place.get().map(|place| view! {
            <p class="hint">{if is_outcome(place) { words::terms::itself_outcome(&column) } else { words::terms::itself(&column) }} " " <button type="button" class="link" on:click=leave>{act.clone()}</button></p>
        })
    }
}

/// What is wrong with the plan at a field of the columns step.
pub fn problems(app: App, field: &'static str) -> Memo<Vec<String>> {
    let of = move |gaps: &Vec<Gap>| {
        let here = Place::columns(field);
        gaps.iter().filter(|gap| gap.place == here).map(|gap| gap.text.clone()).collect()
    };
    Memo::new(move |_| app.plan.with(|plan| plan.as_ref().err().map(of).unwrap_or_default()))
}

pub fn problem(text: String) -> impl IntoView {
    view! { <p class="notice problem" role="alert"><span><Quoted words=text/></span></p> }
}

/// The form for one more term, or for one that is changed.
#[component]
fn Typed(form: Form) -> impl IntoView {
    let app = App::here();
    let Form { draft, place, wrong } = form;
    let options = Transform::ALL
        .into_iter()
        .map(|transform| (transform.name().to_owned(), title(transform).to_owned()));
    let set_transform = Callback::new(move |name: String| {
        if let Some(transform) = Transform::ALL.into_iter().find(|transform| transform.name() == name) {
            draft.update(|draft| draft.transform = transform);
        }
    });
    let roles = [("feature", words::columns::feature()), ("outcome", words::columns::outcome())];
    let put = move |event: MouseEvent| {
        let names = untrack(|| app.names());
        let Some(entry) = draft.with_untracked(|draft| draft.entry(&names)) else {
            return wrong.set(vec![words::terms::unread().to_owned()]);
        };
        let name = name_of(&entry);
        let replaced = draft::replaced(&entry).filter(|_| entry.role == Some(Role::Outcome)).cloned();
        let columns = app.state.columns().get_untracked();
        let mut setup = app.state.setup().get_untracked();
        let changes = place.get_untracked();
        if let Err(faults) = put_term(&columns, &mut setup, entry, changes) {
            return wrong.set(faults);
        }
        app.state.setup().set(setup);
        let is_replaced =
            |own: &ColumnDraft| own.role == Role::Outcome && replaced.as_ref() == Some(&own.name);
        let said = match (changes, columns.iter().position(is_replaced)) {
            (Some(_), _) => words::terms::changed(&name),
            (None, Some(place)) => {
                app.edit(place, |column| column.role = Role::Ignored);
                words::terms::in_place(&name, &columns[place].name)
            }
            (None, None) => words::terms::added(&name),
        };
        app.say(said);
        dom::focus_after_key(&event, "#columns-terms");
        let kind = draft.with_untracked(|draft| draft.transform);
        form.show(TermDraft { transform: kind, ..TermDraft::default() }, None);
    };
    let value = move || {
        let set = Callback::new(move |value| draft.update(|draft| draft.value = value));
        let own = Signal::derive(move || draft.with(|draft| draft.value.clone()));
        let (label, hint) = match draft.with(|draft| draft.transform) {
            Transform::Square | Transform::Product => return None,
            Transform::Difference => (words::terms::within(), words::terms::within_hint()),
            Transform::Log => (words::terms::offset(), words::terms::offset_hint()),
            Transform::Centred => (words::terms::at(), words::terms::public_hint()),
            Transform::Spline => (words::terms::knots(), words::terms::knots_hint()),
            Transform::Merged => (words::terms::groups(), words::terms::groups_hint()),
        };
        let hint = Signal::derive(move || hint.to_owned());
        Some(view! { <Field id="term-value" label value=own set hint/> })
    };
    let factor = move || {
        (draft.with(|draft| draft.transform) == Transform::Difference).then(|| {
            view! {
                <Field id="term-factor" label=words::terms::factor()
                    value=Signal::derive(move || draft.with(|draft| draft.factor.clone()))
                    set=Callback::new(move |factor| draft.update(|draft| draft.factor = factor))
                    hint=Signal::derive(|| words::terms::factor_hint().to_owned())/>
            }
        })
    };
    let from_hint = move || match draft.with(|draft| draft.transform) {
        Transform::Square => words::terms::square_hint(),
        Transform::Difference => words::terms::difference_hint(),
        _ => words::terms::from_hint(),
    };
    let act = move || if place.get().is_some() { words::terms::keep_change() } else { words::terms::add() };
    view! {
        <details class="more" prop:open=move || place.get().is_some()>
            <summary>{act}</summary>
            <Choice id="term-transform" label=words::terms::transform() options=options.collect()
                value=Signal::derive(move || draft.with(|draft| draft.transform.name().to_owned())) set=set_transform/>
            <Field id="term-from" label=words::terms::from()
                value=Signal::derive(move || draft.with(|draft| draft.from.clone()))
                set=Callback::new(move |from| app.state.columns().with_untracked(|columns| draft.update(|draft| draft.make_from(from, columns))))
                hint=Signal::derive(move || from_hint().to_owned())/>
            {factor}
            {value}
            <Field id="term-name" label=words::terms::name()
                value=Signal::derive(move || draft.with(|draft| draft.name.clone()))
                set=Callback::new(move |name| draft.update(|draft| draft.name = name))/>
            <Choice id="term-role" label=words::columns::role()
                options=roles.into_iter().map(|(key, name)| (key.to_owned(), name.to_owned())).collect()
                value=Signal::derive(move || if draft.with(|draft| draft.outcome) { "outcome" } else { "feature" }.to_owned())
                set=Callback::new(move |role: String| draft.update(|draft| draft.outcome = role == "outcome"))/>
            {move || wrong.get().into_iter().map(problem).collect_view()}
            <button type="button" id="term-add" on:click=put>{act}</button>
            <Glossed of=[entries::INTERACTION, entries::CENTRED, entries::SPLINE]/>
        </details>
    }
}

/// What a transform is called on the page.
fn title(transform: Transform) -> &'static str {
    match transform {
        Transform::Log => words::terms::log(),
        Transform::Square => words::terms::square(),
        Transform::Product => words::terms::product(),
        Transform::Difference => words::terms::difference(),
        Transform::Centred => words::terms::centred(),
        Transform::Spline => words::terms::spline(),
        Transform::Merged => words::terms::merged(),
    }
}
