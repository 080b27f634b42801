//! What the page does with genotypes: it puts their files together, shows their first samples and takes the variants that a
//! person chooses. All is read in a worker.

use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::Blob;

use super::close::forget;
use super::run::{on_progress, pool, run};
use super::say::{fail, fail_with};
use crate::data::FileRole;
use crate::data::genotypes::{Choice, DELIMITER, Shared};
use crate::data::preview::suggestions;
use crate::plan::Plan;
use crate::plan::bound::CsvRules;
use crate::ui::draft::{self, ColumnDraft, Setup};
use crate::ui::files::{Gathered, Part, Place, gather};
use crate::ui::state::{App, Held, StateStoreFields};
use crate::ui::step::Step;
use crate::ui::table::{Genotypes, Table};
use crate::ui::{text, variants};
use crate::words;
use crate::worker::files::Files;
use crate::worker::protocol::{Failure, Look, Looked};

/// What was described of a table.
#[derive(Default)]
pub struct Described {
    /// Everything but the columns.
    pub setup: Setup,
    /// The columns.
    pub columns: Vec<ColumnDraft>,
    /// The variants that were chosen.
    pub choices: Vec<Choice>,
}

/// Returns what is described of the open table.
pub fn described(app: App) -> Described {
    let table = app.state.table().get_untracked();
    let choices =
        table.as_ref().and_then(|table| table.genotypes.as_ref()).map(|known| known.choices.clone());
    Described {
        setup: app.state.setup().get_untracked(),
        columns: app.state.columns().get_untracked(),
        choices: choices.unwrap_or_default(),
    }
}

/// Joins chosen files with those that wait, or with the open ones if they are `added` to them. Returns the files of a whole
/// table. `None` if files are missing; the page then shows which.
pub fn take(app: App, files: Vec<web_sys::File>, added: bool) -> Option<Held> {
    let names: Vec<String> = files.iter().map(web_sys::File::name).collect();
    let waits = app.state.missing().with_untracked(|missing| !missing.is_empty());
    let held = app.handles.with_value(|handles| handles.held.borrow().clone());
    let held = if added || waits { held } else { Held::default() };
    let known: Vec<Part> = held.iter().map(|(part, _)| part.clone()).collect();
    let Gathered { parts, missing } = match gather(&known, &names) {
        Ok(gathered) => gathered,
        Err(problem) => {
            fail(app, Step::Data, problem, false);
            return None;
        }
    };
    let file = |(role, place): (FileRole, Place)| match place {
        Place::Held(place) => held.get(place).cloned(),
        Place::Chosen(place) => {
            let (file, name) = (files.get(place)?, names.get(place)?.clone());
            Some((Part { role, name }, Blob::from(file.clone())))
        }
    };
    let held: Held = parts.into_iter().filter_map(file).collect();
    if missing.is_empty() {
        return Some(held);
    }
    forget(app);
    let here: Vec<String> = held.iter().map(|(part, _)| part.name.clone()).collect();
    app.say(text::genotypes::waits(&here, &missing));
    app.handles.with_value(|handles| handles.held.replace(held));
    app.state.setup().set(Setup::default());
    app.state.waiting().set(here);
    app.state.missing().set(missing);
    app.state.step().set(Step::Data);
    None
}

/// Reads genotypes with the chosen variants. Also returns the patterns that choose nothing because several variants have the identifier.
///
/// # Errors
/// What is wrong with them, or that the person cancelled.
pub async fn look(
    app: App,
    files: &Files,
    setup: &Setup,
    choices: Vec<Choice>,
) -> Result<(Table, Vec<Shared>), Failure> {
    let rules = draft::csv_rules(setup, DELIMITER);
    let CsvRules { numbers, encoding, .. } = rules;
    let task = words::genotypes::looking();
    let request = Look { files: files.roles(), variants: choices.clone(), encoding, numbers };
    let looked = run(app, task, 1.0, pool(app).look(files, request, on_progress(app, task))).await?;
    let parts: Vec<Part> = app
        .handles
        .with_value(|handles| handles.held.borrow().iter().map(|(part, _)| part.clone()).collect());
    let suggestions = suggestions(&looked.rows, looked.names.len(), &rules);
    let name = parts.first().map(|part| part.name.clone()).unwrap_or_default();
    let first = looked.names.len();
    let kept = choices.into_iter().filter(|choice| variants::finds(choice, &looked.variants)).collect();
    let Looked { own, matches, .. } = looked;
    let genotypes = Genotypes { parts, choices: kept, total: looked.total, own, first, matches };
    let table = Table {
        name,
        size: files.length() as f64,
        delimiter: setup.delimiter.bytes().next().unwrap_or(DELIMITER),
        names: looked.names.into_iter().chain(looked.variants).collect(),
        rows: looked.rows,
        suggestions,
        genotypes: Some(genotypes),
        ..Table::default()
    };
    Ok((table, looked.shared))
}

/// Lists the variants that a plan names, for the open genotypes.
pub fn of_plan(plan: &Plan) -> Vec<Choice> {
    let named = plan.columns.iter().filter_map(|column| column.name.as_deref().or(column.pattern.as_deref()));
    named.map(Choice::of).collect()
}

/// Takes other variants in place of those that were chosen; what was described stays so. `added` are those that are new.
pub fn choose(app: App, choices: Vec<Choice>, added: Vec<Choice>) {
    if app.busy() {
        return;
    }
    let Some(files) = app.files() else { return };
    let setup = app.state.setup().get_untracked();
    app.state.problem().set(None);
    spawn_local(async move {
        match look(app, &files, &setup, choices).await {
            Ok((table, shared)) => {
                let Some(genotypes) = &table.genotypes else { return };
                let lost: Vec<Choice> =
                    added.into_iter().filter(|choice| !genotypes.choices.contains(choice)).collect();
                let count = table.names.len().saturating_sub(genotypes.first);
                // The patterns are set first, so that the plan is made once.
                let patterns = variants::patterns(&genotypes.choices);
                app.state.setup().update(|setup| setup.patterns = patterns);
                put(app, table);
                app.say(words::genotypes::in_use(count, text::whole(count)));
                if let Some(told) = text::genotypes::lost(&lost, &shared) {
                    fail(app, Step::Columns, told, false);
                }
            }
            Err(failure) => fail_with(app, Step::Columns, failure),
        }
    });
}

/// Shows a table that was looked at again, with its columns.
fn put(app: App, table: Table) {
    let described = app.state.columns().get_untracked();
    app.state.columns().set(table.columns(described));
    app.state.table().set(Some(Arc::new(table)));
}
