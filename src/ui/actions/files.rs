//! Opens files as a table, and reads the first rows again.

use std::collections::BTreeSet;
use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::Blob;

use super::close::forget;
use super::confirm::{ask, guard};
use super::documents::{apply, choose_document};
use super::genotypes::{self, Described};
use super::ledger::{find_alike, recognise};
use super::run::pool;
use super::say::{fail, fail_to_read};
use super::unpack::open_packed;
use crate::data::FileRole;
use crate::data::csv::Fault;
use crate::data::first_line::doubt;
use crate::data::genotypes::Choice;
use crate::data::header::{Header, HeaderError, HeaderRead, read_header};
use crate::data::last_line::{LAST_BYTES, totals};
use crate::data::mismatch::other_formats;
use crate::data::preview::{ROWS, preview};
use crate::plan::Plan;
use crate::store;
use crate::ui::draft::{self, KeptDraft, LATIN_1, Setup};
use crate::ui::files::Part;
use crate::ui::sentence::sentence;
use crate::ui::state::{App, Held, Host, Question, StateStoreFields};
use crate::ui::step::Step;
use crate::ui::table::Table;
use crate::ui::{check, dom, samples, view_model};
use crate::words;
use crate::worker::files::Files;
use crate::worker::protocol::{Failure, Reason};

/// The setting that keeps the name of the table that was open last.
const LAST_TABLE: &str = "last-table";

/// The setting that keeps the name of the sample that was open last.
const LAST_SAMPLE: &str = "last-sample";

/// Bytes that are read for the header and the preview; more where the header is longer.
const FIRST_BYTES: f64 = 1_048_576.0;

/// From this length of the header on more is read for the rows.
const CROWDED: u64 = 524_288;

/// The longest header in bytes, and a little for the rows.
const MOST_BYTES: f64 = 18_874_368.0;

/// Finds out what this browser can do, then opens the first sample.
pub fn begin(app: App, forgets: bool) {
    super::draft::keep(app);
    super::draft::undo_on_key(app);
    super::ledger::recall_on_return(app);
    let secure = web_sys::window().is_some_and(|window| window.is_secure_context());
    let build = pool(app).context().build.clone();
    app.state.host().set(Host { secure, forgets, durable: forgets.then_some(false), fault: None, build });
    let samples = sample_names(app);
    if secure && !forgets {
        // Firefox asks the person, who may never answer.
        spawn_local(async move {
            let durable = store::persist().await;
            app.state.host().update(|host| host.durable = Some(durable));
        });
    }
    spawn_local(async move {
        // A table that is chosen meanwhile ends the check, and shows itself whether the program runs.
        if let Err(failure) = pool(app).check().await
            && failure.reason != Reason::Cancelled
        {
            app.state.host().update(|host| host.fault = Some(failure.message));
        }
        // A person who has worked on a table looks for it, and not for a sample.
        let last = store::setting(LAST_TABLE).await.ok().flatten().filter(|name| !name.is_empty());
        let last_sample = store::setting(LAST_SAMPLE).await.ok().flatten().unwrap_or_default();
        let place = |sought: &str| samples.iter().position(|name| name == sought);
        let first = place(&last_sample).or_else(|| place(samples::FIRST)).unwrap_or_default();
        let chosen =
            app.handles.with_value(|handles| handles.chosen.get() || handles.files.borrow().is_some());
        let opens_sample =
            last.is_none() && !chosen && !app.busy() && app.state.table().with_untracked(Option::is_none);
        app.state.last_table().set(last);
        if let Some(name) = samples.get(first).filter(|_| opens_sample) {
            open_sample(app, name).await;
        }
    });
}

/// Forgets which table was open last.
pub fn forget_last_table(app: App) {
    app.state.last_table().set(None);
    spawn_local(async { drop(store::set_setting(LAST_TABLE, "").await) });
}

/// Lists the names of the samples that came with the page.
pub fn sample_names(app: App) -> Vec<String> {
    pool(app).context().samples.iter().map(|sample| sample.name.clone()).collect()
}

/// Opens a sample, with the plan that belongs to it.
pub fn choose_sample(app: App, name: String) {
    let question = Question::other_table(words::confirm::sample());
    guard(app, question, move || spawn_local(async move { open_sample(app, &name).await }));
}

/// Opens the open sample once more, with a whole budget.
pub fn begin_again(app: App) {
    let sample = app.state.table().get_untracked().filter(|table| table.sample);
    let Some((table, key)) = sample.zip(app.state.key().get_untracked()) else { return };
    let question = Question {
        text: words::confirm::sample_again().to_owned(),
        stay: words::confirm::keep_releases(),
        go_on: words::ledger::begin_again(),
    };
    let again = move || {
        spawn_local(async move {
            match store::forget_sample(&key).await {
                Ok(()) => open_sample(app, &table.name).await,
                Err(failure) => fail(app, Step::Data, failure.message, false),
            }
        });
    };
    if app.state.releases().with_untracked(Vec::is_empty) { again() } else { ask(app, question, again) }
}

async fn open_sample(app: App, name: &str) {
    let blob = pool(app).context().samples.iter().find(|sample| sample.name == name).map(|s| s.blob.clone());
    if let Some(blob) = blob {
        let part = Part { role: FileRole::Table, name: name.to_owned() };
        app.state.sheets().set(Vec::new());
        app.state.workbook().set(false);
        open_table(app, vec![(part, blob.clone())], Files::table(blob), true, None).await;
        // If the storage refuses, the page begins with the first sample the next time.
        drop(store::set_setting(LAST_SAMPLE, name).await);
    }
}

/// Opens whatever files a person chose: a table, genotypes, or a saved document. `added` files join those that are open.
pub fn choose_files(app: App, files: Vec<web_sys::File>, added: bool) {
    check::run::close(app);
    let document = |file: &web_sys::File| file.name().to_lowercase().ends_with(".json");
    match files.as_slice() {
        [] => {}
        [file] if document(file) => choose_document(app, file.clone()),
        _ if files.iter().any(document) => fail(app, Step::Data, words::data::document_alone(), false),
        _ => {
            let described = added.then(|| genotypes::described(app));
            let open = move || {
                if let Some(held) = genotypes::take(app, files, added) {
                    spawn_local(async move { open_packed(app, held, None, described).await });
                }
            };
            // Files that are added to genotypes keep their description.
            if added {
                open()
            } else {
                guard(app, Question::other_table(&words::confirm::table(app.table_name())), open)
            }
        }
    }
}

/// Opens files as a table. `described` is what stays of the one before, where they are mostly the same files.
pub(super) async fn open_table(
    app: App,
    held: Held,
    files: Files,
    sample: bool,
    described: Option<Described>,
) {
    let name = held.first().map(|(part, _)| part.name.clone()).unwrap_or_default();
    let before = super::draft::described(app).filter(|_| !sample && described.is_none());
    // What was said of the table before is kept, however soon another one is chosen.
    super::draft::write(app);
    forget(app);
    app.handles.with_value(|handles| {
        handles.held.replace(held);
        handles.files.replace(Some(files.clone()));
    });
    // A new table has no setup yet; a saved plan that waits for it brings its own setup.
    let plan = if sample { samples::plan(&name) } else { app.state.pending().get_untracked() };
    let rules = plan.as_ref().map(|plan| dialect_here(app, plan));
    let Described { setup, columns, choices } = described.unwrap_or_default();
    let before = match before.filter(|_| plan.is_none()) {
        Some(before) if has_columns_of(app, &files, &before).await => Some(before),
        _ => None,
    };
    let as_before = before.as_ref().map(|before| dialect_here(app, before.plan()));
    let rules = rules.or(as_before).unwrap_or(setup);
    let rules = Setup { confirmed: BTreeSet::new(), few_confirmed: None, ..rules };
    app.state.setup().set(rules.clone());
    match read(app, &files, &rules, &name, sample, choices).await {
        Ok(table) => {
            app.state.columns().set(table.columns(columns));
            app.say(table.line());
            let asks = view_model::header_question(&table, &rules).is_some();
            app.state.table().set(Some(Arc::new(table)));
            // What is asked, and what was read, stand below the first part of the page.
            if asks && app.state.step().get_untracked() == Step::Data {
                dom::focus_selector_soon("#data-header".to_owned());
            } else if !sample {
                dom::show_soon(".file-line".to_owned());
            }
            if let Some(plan) = plan {
                apply(app, plan).await;
            }
            if sample {
                app.state.setup().update(|setup| {
                    setup.mechanism = None;
                    setup.share = Setup::default().share;
                });
                super::draft::restore_sample(app, &files).await;
            }
            recognise_and_remember(app, &files, before).await;
        }
        Err(Failure { reason: Reason::Cancelled, .. }) => {}
        Err(failure) => {
            // The file's name stays, so that the person can say how the file is written.
            let size = files.length() as f64;
            app.state.table().set(Some(Arc::new(Table { name, size, sample, ..Table::default() })));
            let by_encoding = failure.reason == Reason::Encoding;
            fail_to_read(app, failure);
            if by_encoding {
                reopen(app, &files).await;
            }
        }
    }
}

/// Returns whether a table, read as the one before it, has all columns of its description. So a person who mended a file can choose it again.
async fn has_columns_of(app: App, files: &Files, before: &KeptDraft) -> bool {
    if files.get(FileRole::Table).is_none() {
        return false;
    }
    let rules = dialect_here(app, before.plan());
    let table = read(app, files, &rules, "", false, Vec::new()).await;
    table.is_ok_and(|table| before.open(&table.names).is_some())
}

/// Returns whether these files are still the open ones.
pub(super) fn are_open(app: App, files: &Files) -> bool {
    app.handles.with_value(|handles| handles.files.borrow().as_ref() == Some(files))
}

/// Reads a file whose encoding is not known as it was read last, where its description was kept.
async fn reopen(app: App, files: &Files) {
    if !app.state.host().with_untracked(|host| host.secure) {
        return;
    }
    let Ok(key) = pool(app).identify(files, |_| {}).await else { return };
    app.state.key().set(Some(key.clone()));
    super::draft::restore(app, files).await;
    // Without the header the records could not be compared with known tables, so this is done again, now or once the table can be
    // read.
    app.state.key().set(None);
    recognise_if_new(app).await;
}

/// Returns how a plan says that the open table is written. Excel workbooks are written in one way, whatever a plan says of a CSV.
pub(super) fn dialect_here(app: App, plan: &Plan) -> Setup {
    let dialect = draft::dialect(plan);
    if !app.state.workbook().get_untracked() {
        return dialect;
    }
    let Setup { delimiter, numbers, encoding, .. } = Setup::default();
    Setup { delimiter, numbers, encoding, ..dialect }
}

/// Recognises the table, where it could not be read before. Where it was, other columns may be those of a known table.
pub(super) async fn recognise_if_new(app: App) {
    let is_read =
        app.state.table().with_untracked(|table| table.as_ref().is_some_and(|table| !table.names.is_empty()));
    let is_new =
        app.state.key().with_untracked(Option::is_none) && app.state.run().with_untracked(Option::is_none);
    let files = app.files();
    if let Some(files) = files.filter(|_| is_read && is_new) {
        recognise_and_remember(app, &files, None).await;
    } else if let Some(key) = app.state.key().get_untracked() {
        find_alike(app, &key).await;
    }
}

/// Reads the first rows again after the dialect was changed.
pub fn reread(app: App) {
    let Some(files) = app.files() else { return };
    let Some(old) = app.state.table().get_untracked() else { return };
    let setup = app.state.setup().get_untracked();
    spawn_local(async move {
        let choices = old.genotypes.as_ref().map(|genotypes| genotypes.choices.clone()).unwrap_or_default();
        match read(app, &files, &setup, &old.name, old.sample, choices).await {
            Ok(table) => {
                if table.names.len() == old.names.len() {
                    app.state.columns().update(|columns| table.suggest_again(&old, columns));
                    app.state.setup().update(|setup| table.name_again(&old, setup));
                } else {
                    app.state.columns().set(table.columns(Vec::new()));
                }
                app.state.problem().set(None);
                let fits = |plan: &Plan| draft::open(plan, &table.names).2.is_empty();
                let waiting = app.state.pending().get_untracked().filter(fits);
                app.state.table().set(Some(Arc::new(table)));
                if let Some(plan) = waiting {
                    apply(app, plan).await;
                }
                recognise_if_new(app).await;
            }
            Err(Failure { reason: Reason::Cancelled, .. }) => {}
            Err(failure) => fail_to_read(app, failure),
        }
    });
}

/// Recognises the table, and keeps its name for the next visit. One that was never described is described as the one `before` it, or as
/// another one that has its columns.
async fn recognise_and_remember(app: App, files: &Files, before: Option<KeptDraft>) {
    recognise(app, files).await;
    match before {
        Some(before) if are_open(app, files) => super::draft::describe_as_before(app, &before),
        Some(_) => {}
        None => super::draft::describe_as_another(app, files).await,
    }
    let table = app.state.table().get_untracked().filter(|table| !table.sample);
    if let Some(table) = table
        && app.state.key().with_untracked(Option::is_some)
    {
        // If the storage refuses, the page begins with a sample the next time.
        drop(store::set_setting(LAST_TABLE, &table.name).await);
    }
}

/// Reads the file as Latin-1 from now on.
pub fn read_as_latin_1(app: App) {
    app.state.setup().update(|setup| setup.encoding = LATIN_1.to_owned());
    reread(app);
}

/// Reads a table: from the first rows of a CSV, or from what a worker says of genotypes and of the chosen variants.
pub(super) async fn read(
    app: App,
    files: &Files,
    setup: &Setup,
    name: &str,
    sample: bool,
    choices: Vec<Choice>,
) -> Result<Table, Failure> {
    match files.get(FileRole::Table) {
        Some(blob) => read_csv(blob, setup, name, sample).await,
        None => genotypes::look(app, files, setup, choices).await.map(|(table, _)| table),
    }
}

async fn read_csv(blob: &Blob, setup: &Setup, name: &str, sample: bool) -> Result<Table, Failure> {
    let read_by = draft::header_rules(setup);
    let refused = |problem: String| Failure::new(Reason::Table, problem);
    let no_header = |error: HeaderError| {
        let latin_1 = matches!(error, HeaderError::NotUtf8 { .. });
        let reason = if latin_1 { Reason::Encoding } else { Reason::Table };
        Failure::new(reason, sentence(&error.to_string()))
    };
    let (mut bytes, mut at_end) = dom::first_bytes(blob, FIRST_BYTES).await.map_err(refused)?;
    let mut found = read_header(&bytes, at_end, read_by).map_err(no_header)?;
    // A header of this length leaves no room for rows.
    let crowded = matches!(&found, HeaderRead::Header(header) if header.body_offset > CROWDED);
    if !at_end && (found == HeaderRead::NeedMore || crowded) {
        (bytes, at_end) = dom::first_bytes(blob, MOST_BYTES).await.map_err(refused)?;
        found = read_header(&bytes, at_end, read_by).map_err(no_header)?;
    }
    let HeaderRead::Header(header) = found else {
        return Err(refused(words::data::header_too_long().to_owned()));
    };
    let rules = draft::csv_rules(setup, header.delimiter);
    let start = usize::try_from(header.body_offset).unwrap_or(usize::MAX).min(bytes.len());
    let shown = preview(&header, &rules, bytes.get(start..).unwrap_or_default(), at_end, ROWS);
    if at_end && shown.rows.is_empty() && shown.error.is_none() {
        return Err(refused(words::data::no_rows().to_owned()));
    }
    let doubt = doubt(&header, read_by, &bytes, &shown.rows);
    let last = dom::last_bytes(blob, header.body_offset as f64, LAST_BYTES as f64).await.map_err(refused)?;
    let totals = totals(&last, &header, &shown.rows, &rules);
    let other_formats = other_formats(&shown.rows, header.names.len(), &rules);
    let Header { names, delimiter, .. } = header;
    Ok(Table {
        name: name.to_owned(),
        size: blob.size(),
        sample,
        delimiter,
        names,
        rows: shown.rows,
        suggestions: shown.suggestions,
        not_utf8: shown.error.as_ref().is_some_and(|error| error.fault == Fault::NotUtf8),
        fault: shown.error.map(|error| sentence(&error.to_string())),
        doubt,
        totals,
        other_formats,
        genotypes: None,
    })
}
