//! The first questions about columns: which one is the outcome, and what explains it.

use leptos::ev::MouseEvent;
use leptos::prelude::*;

use crate::model::Role;
use crate::plan::derived::name_of;
use crate::plan::document::{ColumnType, Derived};
use crate::ui::draft::{self, ColumnDraft, Setup, is_described};
use crate::ui::parts::{Choice, Field, Icon};
use crate::ui::state::{App, StateStoreFields};
use crate::ui::{dom, text, view_model};
use crate::words;

/// Most columns that are offered in one list.
const MOST: usize = 500;

/// Columns above which those that are offered as what explains it can be searched, in a box that scrolls.
const MANY_TICKS: usize = 24;

/// Ticked columns that are named below the box.
const SHOWN_TICKED: usize = 5;

/// Chooses an outcome, and takes all other described columns as features.
#[component]
pub fn Roles() -> impl IntoView {
    let app = App::here();
    let columns = app.state.columns();
    // A column is chosen by its place: two can have one name.
    let names = Memo::new(move |_| {
        let named = |columns: &Vec<ColumnDraft>| {
            let all = columns.iter().enumerate().filter(|(_, column)| !column.name.is_empty());
            all.map(|(place, column)| (place.to_string(), column.name.clone())).collect::<Vec<_>>()
        };
        columns.with(named)
    });
    let made = Memo::new(move |_| {
        app.state.setup().with(|setup| outcomes_made(setup).map(name_of).collect::<Vec<_>>())
    });
    // Several outcomes are chosen in the table, and one that is made from columns among the terms.
    let outcome = Memo::new(move |_| {
        if made.with(|made| !made.is_empty()) {
            return None;
        }
        columns.with(|columns| {
            let mut outcomes = columns.iter().enumerate().filter(|(_, column)| column.role == Role::Outcome);
            match (outcomes.next(), outcomes.next()) {
                (None, _) => Some(String::new()),
                (Some((place, _)), None) => Some(place.to_string()),
                _ => None,
            }
        })
    });
    let choose = Callback::new(move |chosen: String| {
        let before = outcome.get_untracked().unwrap_or_default();
        // The method was chosen for another outcome.
        if !before.is_empty() && before != chosen {
            app.state.setup().update(|setup| setup.choose(None));
        }
        columns.update(|columns| {
            for (place, column) in columns.iter_mut().enumerate() {
                if place.to_string() == chosen {
                    column.role = Role::Outcome;
                } else if column.role == Role::Outcome {
                    column.role = Role::Ignored;
                }
            }
        });
    });
    let others = move |columns: &[ColumnDraft]| {
        app.state.setup().with(|setup| {
            let free = columns.iter().enumerate().filter(|(_, column)| {
                column.role == Role::Ignored
                    && is_described(column)
                    && may_explain(column, setup)
                    && !is_replaced(column, setup)
            });
            free.map(|(place, _)| place).collect::<Vec<_>>()
        })
    };
    let count = Memo::new(move |_| columns.with(|columns| others(columns).len()));
    let take = move |_| {
        // The store is read before it is changed: both at once would stop the page.
        let places = untrack(|| columns.with(|columns| others(columns)));
        columns.update(|columns| {
            for place in places {
                if let Some(column) = columns.get_mut(place) {
                    column.role = Role::Feature;
                }
            }
        });
    };
    let made_line = move || {
        let names = made.get();
        let beside = columns.with(|columns| {
            let outcomes = columns.iter().filter(|column| column.role == Role::Outcome);
            outcomes.map(|column| column.name.clone()).collect::<Vec<_>>()
        });
        let beside = (!beside.is_empty()).then(|| words::roles::beside_made(text::list(&beside, 3)));
        (!names.is_empty()).then(|| {
            view! { <p id="outcome-made">{words::roles::made(text::list(&names, 3))} " " {beside}</p> }
        })
    };
    let has_outcome = move || {
        made.with(|made| !made.is_empty())
            || outcome.with(|outcome| outcome.as_ref().is_some_and(|place| !place.is_empty()))
    };
    let chooser = move || {
        let names = names.get();
        outcome.with(Option::is_some).then(|| {
            let none = (String::new(), words::roles::none().to_owned());
            let options = std::iter::once(none).chain(names);
            view! {
                <Choice id="outcome-column" label=words::roles::outcome() options=options.collect()
                    value=Signal::derive(move || outcome.get().unwrap_or_default()) set=choose/>
            }
        })
    };
    let button = move || {
        let count = count.get();
        (count > 0).then(|| {
            view! { <button type="button" id="take-others" on:click=take>{words::roles::take(count, text::whole(count))}</button> }
        })
    };
    move || {
        names.with(|names| (2..=MOST).contains(&names.len())).then(|| {
            view! {
                <div class="column-tools roles">{made_line}{chooser}{button}</div>
                <YesOrNo/>
                {move || has_outcome().then(|| view! { <Explains/> })}
            }
        })
    }
}

/// Lists the terms that are outcomes.
fn outcomes_made(setup: &Setup) -> impl Iterator<Item = &Derived> {
    setup.derived.iter().filter(|term| term.role == Some(Role::Outcome))
}

/// Returns whether a column can be a feature: it names no persons, and no outcome is made from it.
fn may_explain(column: &ColumnDraft, setup: &Setup) -> bool {
    column.name != setup.person && !outcomes_made(setup).any(|term| term.from.contains(&column.name))
}

/// Returns whether a term in the model says all that the column does.
fn is_replaced(column: &ColumnDraft, setup: &Setup) -> bool {
    let in_model = |term: &&Derived| term.role != Some(Role::Ignored);
    setup.derived.iter().filter(in_model).any(|term| draft::replaced(term) == Some(&column.name))
}

/// Asks which columns explain the outcome.
#[component]
fn Explains() -> impl IntoView {
    let app = App::here();
    let columns = app.state.columns();
    let offered = Memo::new(move |_| {
        columns.with(|columns| {
            app.state.setup().with(|setup| {
                let free = columns.iter().enumerate().filter(|(_, column)| {
                    column.role != Role::Outcome && !column.name.is_empty() && may_explain(column, setup)
                });
                free.map(|(place, column)| (place, column.name.clone())).collect::<Vec<_>>()
            })
        })
    });
    let made = move || {
        let names = app.state.setup().with(|setup| {
            let features =
                setup.derived.iter().filter(|term| term.role.is_none_or(|role| role == Role::Feature));
            features.map(name_of).collect::<Vec<_>>()
        });
        (!names.is_empty()).then(|| words::roles::explains_made(text::list(&names, names.len())))
    };
    let tick = move |(place, name): (usize, String)| {
        let role = move || columns.with(|columns| columns.get(place).map(|column| column.role));
        let set = move |event| {
            let role = if event_target_checked(&event) { Role::Feature } else { Role::Ignored };
            app.edit(place, |column| column.role = role);
        };
        view! {
            <label class="cell-check"><input type="checkbox" prop:checked=move || role() == Some(Role::Feature) on:change=set/>{name}</label>
        }
    };
    // What is typed to find a column draws no other part of the page again.
    let sought = RwSignal::new(String::new());
    let many = Memo::new(move |_| offered.with(|offered| offered.len() > MANY_TICKS));
    let found = move || {
        let search = sought.get().trim().to_lowercase();
        let mut offered = offered.get();
        offered.retain(|(_, name)| name.to_lowercase().contains(&search));
        offered
    };
    let ticks = move || {
        let found = found();
        if found.is_empty() {
            return view! { <p class="hint">{words::roles::none_found()}</p> }.into_any();
        }
        found.into_iter().map(tick).collect_view().into_any()
    };
    let ticked = move || {
        let is_ticked = |(place, _): &(usize, String)| {
            columns.with(|columns| columns.get(*place).is_some_and(|column| column.role == Role::Feature))
        };
        let ticked: Vec<String> = offered.get().into_iter().filter(is_ticked).map(|(_, name)| name).collect();
        let told = match ticked.len() {
            0 => words::roles::none_ticked().to_owned(),
            count => words::roles::ticked(text::whole(count), text::list(&ticked, SHOWN_TICKED)),
        };
        many.get().then(|| view! { <p id="explaining-ticked">{told}</p> })
    };
    let search = move || {
        many.get().then(|| view! {
            <Field id="explaining-filter" label=words::columns::filter() value=sought set=Callback::new(move |text| sought.set(text))/>
        })
    };
    let is_shown = Memo::new(move |_| offered.with(|offered| !offered.is_empty()));
    move || {
        is_shown.get().then(|| {
            view! {
                <fieldset class="explains" id="explaining-columns" aria-describedby="explaining-hint">
                    <legend>{words::roles::explains()}</legend>
                    {search}
                    <div class="ticks" class:many=many>{ticks}</div>
                    {ticked}
                    <p class="hint" id="explaining-hint">{words::roles::explains_hint()} " " {made}</p>
                </fieldset>
            }
        })
    }
}

/// Asks about an outcome that has two values among the cells on the screen and is described as a number. It is for this machine alone.
#[component]
fn YesOrNo() -> impl IntoView {
    let app = App::here();
    let found = Memo::new(move |_| {
        let table = app.state.table().get().unwrap_or_default();
        let setup = app.state.setup();
        app.state
            .columns()
            .with(|columns| setup.with(|setup| view_model::may_be_yes_or_no(&table, columns, setup)))
    });
    let say = move |place: usize, no: &str, yes: &str| {
        let levels = draft::unlist(&[no.to_owned(), yes.to_owned()]);
        let label = words::roles::odds(yes, no);
        let set = move |event: MouseEvent| {
            dom::focus_after_key(&event, format!("[data-row='{place}'][data-cell='Levels']"));
            app.edit(place, |column| {
                column.kind = Some(ColumnType::Category);
                column.levels.clone_from(&levels);
                column.reference.clear();
            });
            // A method for numbers is none for this outcome.
            app.state.setup().update(|setup| setup.choose(None));
            app.say(words::contradiction::repaired().to_owned());
        };
        view! { <button type="button" on:click=set>{label}</button> }
    };
    move || {
        found.get().map(|(place, [low, high])| {
            // 1 against 0 is the only order that is meant; of other codes either may be yes.
            let both = !(low == "0" && high == "1");
            view! {
                <div class="contradictions two-values" role="group" aria-labelledby="two-values">
                    <p class="zone-mark"><Icon name="lock"/>{words::page::private()}</p>
                    <p id="two-values">{words::roles::two_values(&low, &high)}</p>
                    <div class="buttons">
                        {say(place, &low, &high)}
                        {both.then(|| say(place, &high, &low))}
                    </div>
                </div>
            }
        })
    }
}
