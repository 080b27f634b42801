//! Terms that are made from columns: logarithms, squares, interactions, splines, merged levels.

use leptos::ev::MouseEvent;
use leptos::prelude::*;

use crate::model::Role;
use crate::plan::derived::{self, name_of};
use crate::plan::document::{Derived, Transform};
use crate::release::remarks::{made, unlabelled};
use crate::ui::draft::{self, ColumnDraft, Gap, Place, TermDraft, TermForm, put_term};
use crate::ui::parts::gloss::{Glossed, entries};
use crate::ui::parts::{Choice, Field, Icon, Quoted};
use crate::ui::state::{App, StateStoreFields};
use crate::ui::{actions, dom, text, view_model};
use crate::words;

/// The field of the columns step where a fault of a term is shown.
pub const FIELD: &str = "terms";

/// Columns above which only those that are described have a button.
const MOST_CHOICES: usize = 24;

/// The most columns that have a button.
const MOST_DESCRIBED: usize = 300;

/// The form for a term, with what is wrong with it.
#[derive(Clone, Copy)]
struct Form {
    app: App,
    wrong: RwSignal<Vec<String>>,
}

impl Form {
    fn show(self, draft: TermDraft, place: Option<usize>) {
        self.app.state.term().set(TermForm { draft, place });
        self.wrong.set(Vec::new());
    }

    fn read<T>(self, get: impl FnOnce(&TermDraft) -> T) -> T {
        self.app.state.term().with(|form| get(&form.draft))
    }

    fn write(self, edit: impl FnOnce(&mut TermDraft)) {
        self.app.state.term().update(|form| edit(&mut form.draft));
    }

    /// Lists the terms of the plan except the one that is being changed.
    fn others(self) -> Vec<Derived> {
        let changed = self.app.state.term().with(|form| form.place);
        self.app.state.setup().with(|setup| {
            let others = setup.derived.iter().enumerate().filter(|(place, _)| Some(*place) != changed);
            others.map(|(_, term)| term.clone()).collect()
        })
    }

    /// Lists the levels that can be joined: those of the column or term that is merged.
    fn levels(self) -> Vec<String> {
        let others = self.others();
        self.app.state.columns().with(|columns| {
            let first = self.read(|draft| draft.parts(columns).into_iter().next());
            first.map(|name| draft::levels_of(&name, columns, &others)).unwrap_or_default()
        })
    }

    /// Returns the text of a field, and the callback that writes it.
    fn typed(self, of: fn(&mut TermDraft) -> &mut String) -> (Signal<String>, Callback<String>) {
        let value = Signal::derive(move || self.read(|draft| of(&mut draft.clone()).clone()));
        (value, Callback::new(move |text| self.write(|draft| *of(draft) = text)))
    }
}

/// Most levels of a term of joined levels that are listed without being asked for.
pub const MOST_LISTED: usize = 12;

/// Draws the terms of the plan, each with ways to change and to remove it, and a form for another.
#[component]
pub fn Terms() -> impl IntoView {
    let app = App::here();
    let terms = Memo::new(move |_| app.state.setup().with(|setup| setup.derived.clone()));
    let form = Form { app, wrong: RwSignal::new(Vec::new()) };
    let back = RwSignal::new(None::<(usize, String)>);
    let faults = problems(app, FIELD);
    let row = move |(index, term): (usize, Derived)| {
        let name = name_of(&term);
        let (label, change_label) = (words::terms::remove(&name), words::terms::change(&name));
        let remove = move |event: MouseEvent| {
            dom::focus_after_key(&event, "#columns-terms");
            form.show(TermDraft::default(), None);
            let removed = app.state.setup().try_update(|setup| draft::take_term(setup, index));
            let merged = removed.flatten().filter(|term| term.transform == Transform::Merged);
            back.set(merged.and_then(|term| put_back(app, &term)));
        };
        let heading = title(term.transform);
        // A name of its own hides how a term is made, and that of a difference is easily turned round.
        let is_told = term.name.is_some() || term.transform == Transform::Difference;
        let told = is_told.then(|| {
            let made = made(&term, &unlabelled);
            match draft::spellings(&term) {
                0..=MOST_LISTED => view! { <p class="hint">{made}</p> }.into_any(),
                many => view! {
                    <details class="hint"><summary>{words::terms::spellings_joined(text::whole(many))}</summary>{made}</details>
                }
                .into_any(),
            }
        });
        let counted = view! { <Outside name=name.clone()/> };
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
                {told}
                {counted}
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
            <Back back/>
            {wrong}
            <Uncentred/>
            <Typed form/>
        </section>
    }
}

/// Says how many rows of the whole file lie outside the own range of a term, for this machine alone.
#[component]
fn Outside(name: String) -> impl IntoView {
    let app = App::here();
    let outside = Memo::new(move |_| {
        let columns = app.state.columns().get();
        let setup = app.state.setup().get();
        app.state.inspection().with(|found| {
            let found = found.as_ref()?;
            view_model::misfits_of_term(found, &columns, &setup, &name).map(|misfits| misfits.outside)
        })
    });
    move || {
        let rows = outside.get().and_then(|rows| usize::try_from(rows).ok()).filter(|rows| *rows > 0)?;
        Some(view! {
            <p class="whole-file"><Icon name="lock"/>{words::page::private()} ": " {words::terms::outside(rows, text::whole(rows))}</p>
        })
    }
}

/// Gives the column of joined levels the role that the term in its place had, says so, and returns its place and the sentence.
fn put_back(app: App, term: &Derived) -> Option<(usize, String)> {
    let is_replaced = |column: &ColumnDraft| term.from.contains(&column.name) && column.role == Role::Ignored;
    let place = app.state.columns().with_untracked(|columns| columns.iter().position(is_replaced))?;
    let role = term.role.unwrap_or(Role::Feature);
    let said = match role {
        Role::Feature => words::terms::feature_again,
        Role::Outcome => words::terms::outcome_again,
        Role::Ignored => return None,
    };
    app.edit(place, |column| column.role = role);
    let name = term.from.first()?;
    let said = said(name);
    app.say(said.clone());
    Some((place, said))
}

/// Says that a column counts again as its term is removed, with a way to undo that, as long as it does.
#[component]
fn Back(back: RwSignal<Option<(usize, String)>>) -> impl IntoView {
    let app = App::here();
    let told = Memo::new(move |_| {
        back.get().filter(|(place, _)| {
            app.state
                .columns()
                .with(|columns| columns.get(*place).is_some_and(|column| column.role != Role::Ignored))
        })
    });
    let undo = move |event: MouseEvent| {
        dom::focus_after_key(&event, "#columns-terms");
        back.set(None);
        actions::undo(app);
    };
    move || {
        told.get().map(|(_, told)| view! {
            <p class="notice" id="term-removed"><span>{told} " " <button type="button" class="link" on:click=undo>{words::columns::undo()}</button></span></p>
        })
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

/// Lists the products that are nearly collinear with their factors, each with a button that centres the factors.
#[component]
pub fn Uncentred() -> impl IntoView {
    let app = App::here();
    let found = Memo::new(move |_| {
        app.state.columns().with(|columns| app.state.setup().with(|setup| draft::uncentred(columns, setup)))
    });
    let one = move |uncentred: derived::Uncentred| {
        let told = uncentred.sentence();
        let names: Vec<String> = uncentred.far.iter().map(|(name, at)| format!("{name} ({at})")).collect();
        let centre = move |event: MouseEvent| {
            dom::focus_after_key(&event, "#uncentred");
            let (mut columns, mut setup) =
                (app.state.columns().get_untracked(), app.state.setup().get_untracked());
            draft::centre(&mut columns, &mut setup, &uncentred);
            app.state.columns().set(columns);
            app.state.setup().set(setup);
            app.say(words::terms::centred_factors());
        };
        view! {
            <p class="notice"><span><Quoted words=told/> " "
                <button type="button" class="link" on:click=centre>{words::terms::centre_at(text::list(&names, 4))}</button></span></p>
        }
    };
    view! { <div id="uncentred" tabindex="-1">{move || found.get().into_iter().map(one).collect_view()}</div> }
}

/// Lists what is wrong with the plan at a field of the columns step.
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

/// Draws the form for one more term, or for one that is changed.
#[component]
fn Typed(form: Form) -> impl IntoView {
    let app = App::here();
    // What is typed opens and closes nothing.
    let place = Memo::new(move |_| app.state.term().with(|form| form.place));
    let options = Transform::ALL
        .into_iter()
        .map(|transform| (transform.name().to_owned(), title(transform).to_owned()));
    let set_transform = Callback::new(move |name: String| {
        if let Some(transform) = Transform::ALL.into_iter().find(|transform| transform.name() == name) {
            form.write(|draft| draft.transform = transform);
        }
    });
    let roles = [
        (Role::Feature, words::columns::feature()),
        (Role::Outcome, words::columns::outcome()),
        (Role::Ignored, words::terms::serves()),
    ];
    let role_options = roles.map(|(role, name)| (text::role(role).to_owned(), name.to_owned()));
    let set_role = Callback::new(move |name: String| {
        let chosen = roles.into_iter().map(|(role, _)| role).find(|role| text::role(*role) == name);
        form.write(|draft| draft.role = chosen.filter(|role| *role != Role::Feature));
    });
    let role = move || form.read(|draft| text::role(draft.role.unwrap_or(Role::Feature)).to_owned());
    let transform = Memo::new(move |_| form.read(|draft| draft.transform));
    let put = move |event: MouseEvent| {
        let names = untrack(|| app.names());
        let kind = transform.get_untracked();
        // Those of another column may have been typed before.
        let levels = untrack(|| form.levels());
        form.write(|draft| draft.joined.retain(|(level, _)| levels.contains(level)));
        let Some(entry) = untrack(|| form.read(|draft| draft.entry(&names))) else {
            return form.wrong.set(vec![match kind {
                Transform::Difference => words::terms::unread_difference().to_owned(),
                _ => words::terms::unread().to_owned(),
            }]);
        };
        let name = name_of(&entry);
        let replaced = draft::replaced(&entry).filter(|_| entry.role == Some(Role::Outcome)).cloned();
        let columns = app.state.columns().get_untracked();
        let mut setup = app.state.setup().get_untracked();
        let changes = place.get_untracked();
        if let Err(faults) = put_term(&columns, &mut setup, entry, changes) {
            return form.wrong.set(faults);
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
        form.show(TermDraft { transform: kind, ..TermDraft::default() }, None);
    };
    let value = move || {
        let (label, hint) = match transform.get() {
            Transform::Square | Transform::Product => return None,
            Transform::Merged => return Some(view! { <Joined form/> }.into_any()),
            Transform::Difference => (words::terms::within(), words::terms::within_hint()),
            Transform::Log => (words::terms::offset(), words::terms::offset_hint()),
            Transform::Centred => (words::terms::at(), words::terms::public_hint()),
            Transform::Spline => (words::terms::knots(), words::terms::knots_hint()),
        };
        let (value, set) = form.typed(|draft| &mut draft.value);
        let hint = Signal::stored(hint.to_owned());
        Some(view! { <Field id="term-value" label value set hint/> }.into_any())
    };
    let of_difference = move || {
        (transform.get() == Transform::Difference).then(|| {
            let (factor, set_factor) = form.typed(|draft| &mut draft.factor);
            let (unit, set_unit) = form.typed(|draft| &mut draft.unit);
            let hint = Signal::stored(words::terms::factor_hint().to_owned());
            view! {
                <Field id="term-factor" label=words::terms::factor() value=factor set=set_factor hint/>
                <Field id="term-unit" label=words::terms::unit() value=unit set=set_unit/>
            }
        })
    };
    let typical = move || {
        (transform.get() == Transform::Difference).then(|| {
            let (value, set) = form.typed(|draft| &mut draft.typical);
            let hint = Signal::stored(words::terms::typical_hint().to_owned());
            view! { <Field id="term-typical" label=words::terms::typical() value set hint/> }
        })
    };
    let (name, set_name) = form.typed(|draft| &mut draft.name);
    let is_open =
        move || app.state.term().with(|form| app.state.setup().with(|setup| form.is_open(&setup.derived)));
    let was_open = untrack(is_open);
    let discard = move || {
        let discard = move |_| form.show(TermDraft::default(), None);
        (is_open() || place.get().is_some()).then(|| view! { " " <button type="button" class="quiet" on:click=discard>{words::terms::discard()}</button> })
    };
    let from_hint = move || match transform.get() {
        Transform::Square => words::terms::square_hint(),
        Transform::Difference => words::terms::difference_hint(),
        _ => words::terms::from_hint(),
    };
    let act = move || if place.get().is_some() { words::terms::keep_change() } else { words::terms::add() };
    view! {
        <details class="more" id="columns-term-form" tabindex="-1" prop:open=move || was_open || place.get().is_some()>
            <summary>{act}</summary>
            <Choice id="term-transform" label=words::terms::transform() options=options.collect()
                value=Signal::derive(move || transform.get().name().to_owned()) set=set_transform/>
            <Field id="term-from" label=words::terms::from()
                value=Signal::derive(move || form.read(|draft| draft.from.clone()))
                set=Callback::new(move |from| {
                    let columns = app.state.columns().get_untracked();
                    form.write(|draft| draft.make_from(from, &columns));
                })
                hint=Signal::derive(move || from_hint().to_owned())/>
            <Choices form/>
            {of_difference}
            {value}
            {typical}
            <Field id="term-name" label=words::terms::name() value=name set=set_name/>
            <Choice id="term-role" label=words::columns::role()
                options=role_options.to_vec() value=Signal::derive(role) set=set_role/>
            {move || form.wrong.get().into_iter().map(problem).collect_view()}
            <button type="button" id="term-add" on:click=put>{act}</button>
            {discard}
            <Glossed of=[entries::INTERACTION, entries::CENTRED, entries::SPLINE]/>
        </details>
    }
}

/// Draws the levels of a category, one in each line, with a field for the name that each then has.
#[component]
fn Joined(form: Form) -> impl IntoView {
    let levels = Memo::new(move |_| form.levels());
    let row = move |level: String| {
        let (own, joins) = (level.clone(), level.clone());
        let label = words::terms::joined_name_of(&level);
        view! {
            <tr>
                <th scope="row">{level}</th>
                <td><input type="text" autocomplete="off" aria-label=label
                    prop:value=move || form.read(|draft| draft.joined_name(&own))
                    on:input=move |event| form.write(|draft| draft.join(&joins, event_target_value(&event)))/></td>
            </tr>
        }
    };
    move || {
        let levels = levels.get();
        if levels.is_empty() {
            return view! { <p class="hint">{words::terms::no_levels()}</p> }.into_any();
        }
        view! {
            <table class="plain joined" aria-describedby="joined-hint">
                <caption>{words::terms::groups()}</caption>
                <thead><tr><th scope="col">{words::terms::level()}</th><th scope="col">{words::terms::joined_name()}</th></tr></thead>
                <tbody>{levels.into_iter().map(row).collect_view()}</tbody>
            </table>
            <p class="hint" id="joined-hint">{words::terms::joined_hint()}</p>
        }
        .into_any()
    }
}

/// Draws a button for each column and term that a term can be made from. Of a wide table only described columns are offered.
#[component]
fn Choices(form: Form) -> impl IntoView {
    let choices = Memo::new(move |_| {
        let others = form.others();
        form.read(|draft| {
            form.app.state.columns().with(|columns| {
                let mut choices = draft.choices(columns, &others);
                if choices.len() > MOST_CHOICES {
                    choices.retain(|name| draft::is_choice_of_many(name, columns));
                }
                choices
            })
        })
    });
    let chosen =
        Memo::new(move |_| form.read(|draft| form.app.state.columns().with(|columns| draft.parts(columns))));
    let one = move |name: String| {
        let (own, put) = (name.clone(), name.clone());
        let is_chosen = move || chosen.with(|chosen| chosen.contains(&own)).to_string();
        let choose = move |_| {
            let columns = form.app.state.columns().get_untracked();
            form.write(|draft| draft.choose(&put, &columns));
        };
        view! { <button type="button" aria-pressed=is_chosen on:click=choose>{name}</button> }
    };
    move || {
        let choices = choices.get();
        (1..=MOST_DESCRIBED).contains(&choices.len()).then(|| view! {
            <div class="buttons choices-of-columns" role="group" aria-label=words::terms::choices()>{choices.into_iter().map(one).collect_view()}</div>
        })
    }
}

/// Returns the page's name of a transform.
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
