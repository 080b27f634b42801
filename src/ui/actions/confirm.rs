//! Asks a person before something is done.

use leptos::prelude::*;

use crate::model::Role;
use crate::ui::state::{App, Question, StateStoreFields};
use crate::words;

/// Does what replaces the description of the open table: at once where nobody has described it, else if the person agrees.
pub fn guard(app: App, question: Question, act: impl FnOnce() + 'static) {
    let sample = app.state.table().with_untracked(|table| table.as_ref().is_none_or(|table| table.sample));
    let described = app
        .state
        .columns()
        .with_untracked(|columns| columns.iter().any(|column| column.role != Role::Ignored));
    if sample || !described { act() } else { ask(app, question, act) }
}

/// Does something if the person agrees.
pub fn ask(app: App, question: Question, act: impl FnOnce() + 'static) {
    app.handles.with_value(|handles| handles.agreed.replace(Some(Box::new(act))));
    app.state.question().set(Some(question));
}

/// Takes the person's answer.
pub fn answer(app: App, agreed: bool) {
    let act = app.handles.with_value(|handles| handles.agreed.take());
    app.state.question().set(None);
    match act.filter(|_| agreed) {
        Some(act) => act(),
        // What was said last is that a file is being opened.
        None => app.say(words::page::unchanged()),
    }
}
