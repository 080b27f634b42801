//! Closes a table, and all that belongs to it alone.

use leptos::prelude::*;

use super::run::pool;
use crate::ui::draft::TermForm;
use crate::ui::public_form::PublicForm;
use crate::ui::state::{App, StateStoreFields};

/// Closes the table, and what runs on it.
pub fn forget(app: App) {
    pool(app).cancel();
    app.state.problem().set(None);
    app.state.run().set(None);
    app.handles.with_value(|handles| handles.files.take());
    give_up(app);
    forget_table(app);
}

fn forget_table(app: App) {
    app.state.table().set(None);
    app.state.columns().set(Vec::new());
    app.state.key().set(None);
    app.state.restored().set(false);
    app.state.decoded().set(None);
    app.state.filled().set(None);
    app.state.term().set(TermForm::default());
    app.state.inspection().set(None);
    app.state.exported().set(None);
    app.state.nothing_before().set(false);
    forget_ledger(app);
    app.state.shown().set(None);
    app.handles
        .with_value(|handles| (handles.document.take(), handles.undecoded.take(), handles.sample.take()));
    app.state.refit().set(None);
    app.state.filter().set(String::new());
    app.state.described().set(false);
    app.state.page().set(0);
    // The public file was compared with this table only.
    app.state.public().set(PublicForm::default());
}

/// Closes its ledger and the releases beside it.
pub fn forget_ledger(app: App) {
    app.state.ledger().set(None);
    app.state.joined().set(false);
    app.state.shared().set(Vec::new());
    app.state.alike().set(Vec::new());
    app.state.different().set(None);
    app.state.releases().set(Vec::new());
    app.state.refits().set(Vec::new());
    app.handles.with_value(|handles| handles.kept.take());
}

/// Gives up files that wait for others.
pub fn give_up(app: App) {
    app.handles.with_value(|handles| handles.held.take());
    app.state.waiting().set(Vec::new());
    app.state.missing().set(Vec::new());
}
