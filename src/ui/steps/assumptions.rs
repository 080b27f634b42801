//! What a forecast assumes of each column, and where a person knows better.

use leptos::prelude::*;

use crate::model::Role;
use crate::plan::document::{ColumnType, Derived, Group};
use crate::release::format::significant;
use crate::ui::draft::{self, ColumnDraft, TypicalFault};
use crate::ui::parts::Field;
use crate::ui::state::{App, StateStoreFields};
use crate::words;

/// Columns that are listed.
const SHOWN: usize = 40;

/// What is asked of a column.
#[derive(Clone, PartialEq)]
enum Asked {
    /// Typical mean and standard deviation of a number.
    Spread,
    /// Typical share of a level, or of levels that are joined.
    Share(Group),
}

/// Lists what is asked about a column that is in the model, or from which a term is made.
fn asked(column: &ColumnDraft, terms: &[Derived]) -> Vec<Asked> {
    let serves = || terms.iter().any(|term| term.from.contains(&column.name));
    match column.kind.filter(|_| column.role != Role::Ignored || serves()) {
        Some(ColumnType::Number) => vec![Asked::Spread],
        Some(ColumnType::Category) => {
            let alone = |level: String| Group { name: level.clone(), levels: vec![level] };
            let each = || draft::levels_of_share(column).into_iter().map(alone).collect();
            draft::joined_levels(column, terms).unwrap_or_else(each).into_iter().map(Asked::Share).collect()
        }
        None => Vec::new(),
    }
}

/// Asks what is typical of each column. A preset or the person may have stated it.
#[component]
pub fn Assumptions() -> impl IntoView {
    let app = App::here();
    let listed = Memo::new(move |_| {
        let terms = app.state.setup().with(|setup| setup.derived.clone());
        app.state.columns().with(|columns| {
            let listed = columns.iter().enumerate().flat_map(|(index, column)| {
                asked(column, &terms).into_iter().map(move |asked| (index, column.name.clone(), asked))
            });
            listed.take(SHOWN).collect::<Vec<_>>()
        })
    });
    let correlation = Memo::new(move |_| app.state.setup().with(|setup| setup.typical_correlation.clone()));
    let set = Callback::new(move |value| app.state.setup().update(|setup| setup.typical_correlation = value));
    move || {
        let listed = listed.get();
        (!listed.is_empty()).then(|| {
            let rows = listed.into_iter().map(|(index, name, asked)| match asked {
                Asked::Spread => view! { <Spread index name/> }.into_any(),
                Asked::Share(group) => view! { <Share index name group/> }.into_any(),
            });
            view! {
                <details class="more">
                    <summary>{words::method::assumptions()}</summary>
                    <p class="hint">{words::method::assumptions_hint()}</p>
                    <div class="scroll" tabindex="0" role="group" aria-label=words::method::assumptions()>
                        <table class="plain assumptions">
                            <thead><tr>
                                <th scope="col">{words::columns::column()}</th>
                                <th scope="col">{words::method::typical_mean()}</th>
                                <th scope="col">{words::method::typical_sd()}</th>
                            </tr></thead>
                            <tbody>{rows.collect_view()}</tbody>
                        </table>
                    </div>
                    <Field id="method-typical_correlation" label=words::method::typical_correlation() value=correlation set numeric=true
                        hint=Signal::derive(|| words::method::typical_correlation_hint().to_owned())/>
                </details>
            }
        })
    }
}

#[component]
fn Spread(index: usize, name: String) -> impl IntoView {
    view! {
        <tr data-column=index>
            <th scope="row">{name.clone()}</th>
            <td><Typed index label=words::method::typical_mean_of(&name) what=Value::Mean/></td>
            <td><Typed index label=words::method::typical_sd_of(&name) what=Value::Spread/></td>
        </tr>
    }
}

#[component]
fn Share(index: usize, name: String, group: Group) -> impl IntoView {
    let app = App::here();
    let Group { name: level, levels } = group;
    let label = app.state.columns().with_untracked(|columns| columns.get(index)?.labels.get(&level).cloned());
    let called = label.unwrap_or(level);
    view! {
        <tr data-column=index>
            <th scope="row">{words::method::typical_share(&name, &called)}</th>
            <td colspan="2"><Typed index label=words::method::typical_share_of(&called, &name) what=Value::Share(levels) unit=" %"/></td>
        </tr>
    }
}

/// One of the values that are typed.
enum Value {
    Mean,
    Spread,
    Share(Vec<String>),
}

impl Value {
    fn typed(&self, column: &ColumnDraft) -> String {
        match self {
            Self::Mean => column.typical_mean.clone(),
            Self::Spread => column.typical_sd.clone(),
            Self::Share(levels) => draft::typed_share(column, levels),
        }
    }

    fn set(&self, column: &mut ColumnDraft, text: String) {
        match self {
            Self::Mean => column.typical_mean = text,
            Self::Spread => column.typical_sd = text,
            Self::Share(levels) => draft::set_share(column, levels, text),
        }
    }

    fn doubt(&self, column: &ColumnDraft, terms: &[Derived]) -> Option<Doubt> {
        match self {
            Self::Mean => doubt_mean(column),
            Self::Spread => doubt_sd(column),
            Self::Share(_) => doubt_share(&self.typed(column), &draft::with_divided_shares(column, terms)),
        }
    }
}

/// What is said beside a typical value that is typed.
enum Doubt {
    /// It is not used.
    Wrong(&'static str),
    /// It is used, and may be meant otherwise.
    Odd(String),
}

fn doubt_mean(column: &ColumnDraft) -> Option<Doubt> {
    if draft::number(&column.typical_mean).is_none() {
        return Some(Doubt::Wrong(words::method::typical_unread()));
    }
    if draft::typical_fault(column) == Some(TypicalFault::Mean) {
        return Some(Doubt::Wrong(words::method::typical_outside()));
    }
    let alone = column.typical_sd.trim().is_empty();
    alone.then(|| Doubt::Odd(words::method::typical_alone().to_owned()))
}

fn doubt_sd(column: &ColumnDraft) -> Option<Doubt> {
    if draft::number(&column.typical_sd).is_none_or(|sd| sd <= 0.0) {
        return Some(Doubt::Wrong(words::method::typical_unread()));
    }
    let wide = draft::typical_fault(column) == Some(TypicalFault::Spread);
    wide.then(|| Doubt::Wrong(words::method::typical_wide()))
}

fn doubt_share(typed: &str, column: &ColumnDraft) -> Option<Doubt> {
    let Some(share) = draft::share(typed) else {
        return Some(Doubt::Wrong(words::method::typical_unread()));
    };
    if draft::have_impossible_shares(column) {
        return Some(Doubt::Wrong(words::method::typical_impossible()));
    }
    // A share was typed where a percentage is asked for.
    let meant = 1e4 * share;
    (share < 0.01).then(|| {
        Doubt::Odd(words::method::typical_below_one(significant(100.0 * share, 2), significant(meant, 2)))
    })
}

/// Draws a field for one typical value of a column. A text that cannot be read is marked as wrong.
#[component]
fn Typed(index: usize, label: String, what: Value, #[prop(optional)] unit: &'static str) -> impl IntoView {
    let app = App::here();
    let what = StoredValue::new(what);
    let value = Memo::new(move |_| {
        let typed = |column: &ColumnDraft| what.with_value(|what| what.typed(column));
        app.state.columns().with(|columns| columns.get(index).map(typed).unwrap_or_default())
    });
    let typed = move |event: web_sys::Event| {
        let text = event_target_value(&event);
        app.edit(index, |column| what.with_value(|what| what.set(column, text)));
    };
    let said = move || {
        let typed = value.with(|text| !text.trim().is_empty());
        let terms = app.state.setup().with(|setup| setup.derived.clone());
        app.state.columns().with(|columns| {
            let column = columns.get(index).filter(|_| typed)?;
            what.with_value(|what| what.doubt(column, &terms))
        })
    };
    let is_wrong = move || matches!(said(), Some(Doubt::Wrong(_)));
    view! {
        <input type="text" class="numeric" inputmode="decimal" autocomplete="off" aria-label=label
            aria-invalid=move || is_wrong().then_some("true") prop:value=move || value.get() on:input=typed/>
        {unit} " "
        {move || said().map(|doubt| {
            let words = match doubt {
                Doubt::Wrong(words) => words.to_owned(),
                Doubt::Odd(words) => words,
            };
            view! { <span class="hint" role="alert">{words}</span> }
        })}
    }
}
