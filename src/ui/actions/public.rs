//! What the page does with a public file: a CSV goes to the workers, which tell it apart from the private table; a document is read
//! here, for it holds no rows.

use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::File;

use super::run::{on_progress, pool, run};
use crate::data::FileRole;
use crate::data::genotypes::Form;
use crate::data::minhash::DIFFERENT;
use crate::engine::public::table_of_release;
use crate::plan::public::PublicTable;
use crate::plan::public::document::{HEAD, MOST_BYTES, MOST_RELEASE_BYTES, SCHEMA};
use crate::release::Release;
use crate::release::document::SCHEMA as RELEASE;
use crate::store::document;
use crate::text::json;
use crate::ui::dom;
use crate::ui::public_form::{self, Opened, PublicForm, Way};
use crate::ui::sentence::sentence;
use crate::ui::state::{App, StateStoreFields};
use crate::words;
use crate::worker::protocol::{Failure, Reason};

/// Reads the file that a person chose as public.
pub fn choose(app: App, files: Vec<File>) {
    let Some(file) = files.into_iter().next() else { return };
    if app.busy() {
        return refuse(app, words::public::wait());
    }
    app.state.public().update(|form| form.problem = None);
    spawn_local(async move {
        match read(app, &file).await {
            Ok(opened) => {
                app.state.public().update(|form| form.opened = Some(opened));
                app.say(words::public::read());
            }
            Err(Failure { reason: Reason::Cancelled, .. }) => {}
            Err(failure) => refuse(app, failure.message),
        }
    });
}

/// Chooses how public moments are given; what was given in another way stays.
pub fn choose_way(app: App, way: Way) {
    app.state.public().update(|form| {
        form.way = way;
        form.problem = None;
    });
}

/// Takes a person's word that the open file is about other people than the table; whether these were the words.
pub fn differ(app: App, typed: &str) -> bool {
    let right = typed.trim() == DIFFERENT;
    if right {
        app.state.public().update(|form| {
            if let Some(opened) = &mut form.opened {
                opened.shared = None;
            }
        });
    }
    right
}

/// Says where the numbers of a file are from.
pub fn name_source(app: App, source: String) {
    app.state.public().update(|form| {
        if let PublicForm { opened: Some(opened), .. } = form {
            Arc::make_mut(&mut opened.table).source = source;
        }
    });
}

/// Gives the person the numbers as a file that can be opened again.
pub fn save(table: &PublicTable) {
    let _ = dom::download_json("discreet-public.json", table);
}

fn refuse(app: App, problem: impl Into<String>) {
    let problem = sentence(&problem.into());
    app.state.public().update(|form| form.problem = Some(problem));
    dom::focus_soon("public-problem");
}

fn refused(problem: impl Into<String>) -> Failure {
    Failure::new(Reason::Plan, problem)
}

async fn read(app: App, file: &File) -> Result<Opened, Failure> {
    let (head, _) = dom::first_bytes(file, HEAD as f64).await.map_err(refused)?;
    if json::begins(&head) {
        return of_document(app, file).await;
    }
    if Form::of(&file.name()).is_some() {
        return Err(refused(words::public::genotypes()));
    }
    let plan = app.plan.get_untracked().map_err(|_| refused(words::public::describe_first()))?;
    let key = app.state.key().get_untracked().ok_or_else(|| refused(words::public::wait()))?;
    let task = words::public::reading();
    let columns = Some(plan.columns.clone());
    let files = app.files();
    let private = files.and_then(|files| files.get(FileRole::Table).cloned());
    let pool = pool(app);
    let found = pool.public(file.clone().into(), private, plan, key, on_progress(app, task));
    let (mut table, shared) = run(app, task, file.size(), found).await?;
    table.source = String::new();
    Ok(Opened { table: Arc::new(table), columns, shared })
}

async fn of_document(app: App, file: &File) -> Result<Opened, Failure> {
    if file.size() > MOST_RELEASE_BYTES as f64 {
        return Err(refused(words::public::not_public()));
    }
    let text = document::text(file).await.map_err(|_| refused(words::page::unreadable()))?;
    let text = text.unwrap_or_default();
    let table = match json::schema(&text).as_deref().unwrap_or_default() {
        SCHEMA if file.size() <= MOST_BYTES as f64 => {
            PublicTable::parse(&text).map_err(|error| refused(error.to_string()))?
        }
        RELEASE => {
            let release: Release = serde_json::from_str(&text)
                .map_err(|error| refused(words::public::release_unreadable(error)))?;
            let asked = app.terms.with_untracked(|terms| public_form::moment_terms(terms, true));
            table_of_release(&release, &asked.features, &asked.outcomes)
                .map_err(|error| refused(error.to_string()))?
        }
        _ => return Err(refused(words::public::not_public())),
    };
    Ok(Opened { table: Arc::new(table), columns: None, shared: None })
}
