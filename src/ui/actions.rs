//! What the page does when a person asks for it: read, recognise, release, open, import. Each writes its outcome into
//! the store and nothing else; no signal is captured by a worker.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;
use serde::Deserialize;
use web_sys::Blob;

use super::draft::{self, ColumnDraft, Gap, Place};
use super::files::Part;
use super::genotypes::Described;
use super::known::Known;
use super::state::{App, Held, Host, Kept, Origin, Problem, Run, Shown, StateStoreFields, Step, Table};
use super::{check, dom, facts, genotypes, samples, text};
use crate::data::Role;
use crate::data::genotypes::Choice;
use crate::data::header::{Header, HeaderRead, HeaderRules, read_header};
use crate::data::preview::{Suggestion, preview};
use crate::plan::bound::{CsvRules, Encoding};
use crate::plan::check::DEFAULT_NA;
use crate::plan::document::{ColumnType, Plan};
use crate::privacy::adjacency::Protect;
use crate::privacy::ledger::Ledger;
use crate::release::Release;
use crate::store::document::{Bytes, Made};
use crate::store::people::{Different, Shared};
use crate::store::{self, LedgerRecord, StoredRelease};
use crate::worker::files::Files;
use crate::worker::pool::{Asked, Pool, delay_from};
use crate::worker::protocol::{Failure, Progress, Reason};

/// Rows that the preview shows.
const PREVIEW_ROWS: usize = 8;

/// Bytes that are read for the header and the preview; more where the header is longer.
const FIRST_BYTES: f64 = 1_048_576.0;

/// From this length of the header on more is read for the rows.
const CROWDED: u64 = 524_288;

/// The longest header in bytes, and a little for the rows.
const MOST_BYTES: f64 = 18_874_368.0;

/// Finds out what this browser can do, then opens the first sample.
pub fn begin(app: App) {
    let secure = web_sys::window().is_some_and(|window| window.is_secure_context());
    let build = pool(app).context().build.clone();
    app.state.host().set(Host { secure, durable: None, fault: None, build });
    let samples: Vec<String> = pool(app).context().samples.iter().map(|sample| sample.name.clone()).collect();
    let first = samples.iter().find(|name| *name == samples::FIRST).or_else(|| samples.first()).cloned();
    spawn_local(async move {
        if let Err(failure) = pool(app).check().await {
            app.state.host().update(|host| host.fault = Some(failure.message));
        }
        if secure {
            let durable = store::persist().await;
            app.state.host().update(|host| host.durable = Some(durable));
        }
        if app.state.table().with_untracked(Option::is_none)
            && let Some(name) = first
        {
            open_sample(app, &name).await;
        }
    });
}

/// The table's workers.
pub fn pool(app: App) -> Pool {
    app.handles.with_value(|handles| handles.pool.clone())
}

/// Names of the samples that came with the page.
pub fn sample_names(app: App) -> Vec<String> {
    pool(app).context().samples.iter().map(|sample| sample.name.clone()).collect()
}

/// Opens a sample, with the plan that belongs to it.
pub fn choose_sample(app: App, name: String) {
    spawn_local(async move { open_sample(app, &name).await });
}

async fn open_sample(app: App, name: &str) {
    let blob = pool(app).context().samples.iter().find(|sample| sample.name == name).map(|s| s.blob.clone());
    if let Some(blob) = blob {
        let part = Part { role: Role::Table, name: name.to_owned() };
        open_table(app, vec![(part, blob.clone())], Files::table(blob), true, None).await;
    }
}

/// Opens whatever files a person chose: a table, genotypes, or a saved document. `added` files join those that are open.
pub fn choose_files(app: App, files: Vec<web_sys::File>, added: bool) {
    check::run::close(app);
    let document = |file: &web_sys::File| file.name().to_lowercase().ends_with(".json");
    match files.as_slice() {
        [] => {}
        [file] if document(file) => choose_document(app, file.clone()),
        files if files.iter().any(document) => fail(app, Step::Data, text::DOCUMENT_ALONE, false),
        _ => {
            let described = added.then(|| genotypes::described(app));
            if let Some((held, files)) = genotypes::take(app, files, added) {
                spawn_local(async move { open_table(app, held, files, false, described).await });
            }
        }
    }
}

/// Opens a saved plan, release or ledger.
pub fn choose_document(app: App, file: web_sys::File) {
    spawn_local(async move { open_document(app, &file).await });
}

pub fn fail(app: App, step: Step, text: impl Into<String>, charged: bool) {
    let text = facts::sentence(&text.into());
    app.state.run().set(None);
    app.state.problem().set(Some(Problem { step, text, charged }));
    app.state.step().set(step);
    check::run::close(app);
    dom::focus_soon("problem");
}

pub fn say(app: App, text: impl Into<String>) {
    app.state.said().set(text.into());
}

/// Opens files as a table. `described` is what stays of the one before, where they are mostly the same files.
async fn open_table(app: App, held: Held, files: Files, sample: bool, described: Option<Described>) {
    let name = held.first().map(|(part, _)| part.name.clone()).unwrap_or_default();
    forget(app);
    app.handles.with_value(|handles| {
        handles.held.replace(held);
        handles.files.replace(Some(files.clone()));
    });
    // A new table starts anew; a saved plan that waits for it brings its own setup.
    let plan = if sample { samples::plan(&name) } else { app.state.pending().get_untracked() };
    let rules = plan.as_ref().map(draft::dialect);
    let Described { setup, columns, choices } = described.unwrap_or_default();
    let rules = rules.unwrap_or(setup);
    app.state.setup().set(rules.clone());
    match read(app, &files, &rules, &name, sample, choices).await {
        Ok(table) => {
            app.state.columns().set(columns_of(columns, &table));
            say(app, table.line());
            app.state.table().set(Some(Arc::new(table)));
            if let Some(plan) = plan {
                apply(app, plan).await;
            }
            recognise(app, &files).await;
        }
        Err(Failure { reason: Reason::Cancelled, .. }) => {}
        Err(failure) => {
            // Its name stays, so that the person can say how the file is written.
            let size = size(&files);
            app.state.table().set(Some(Arc::new(Table { name, size, sample, ..Table::default() })));
            fail(app, Step::Data, failure.message, false);
        }
    }
}

/// Closes the table, and what runs on it.
pub fn forget(app: App) {
    pool(app).cancel();
    app.state.problem().set(None);
    app.state.run().set(None);
    app.handles.with_value(|handles| handles.files.take());
    genotypes::give_up(app);
    forget_table(app);
}

fn forget_table(app: App) {
    app.state.table().set(None);
    app.state.columns().set(Vec::new());
    app.state.key().set(None);
    app.state.exported().set(None);
    forget_ledger(app);
    app.state.shown().set(None);
    app.handles.with_value(|handles| handles.document.take());
    app.state.refit().set(None);
    app.state.filter().set(String::new());
    app.state.page().set(0);
    // It was told apart from this table alone.
    app.state.public().set(Known::default());
}

fn forget_ledger(app: App) {
    app.state.ledger().set(None);
    app.state.joined().set(false);
    app.state.shared().set(Vec::new());
    app.state.different().set(None);
    app.state.releases().set(Vec::new());
    app.handles.with_value(|handles| handles.kept.take());
}

/// Reads the first rows again after the dialect was changed.
pub fn reread(app: App) {
    let Some(files) = app.handles.with_value(|handles| handles.files.borrow().clone()) else { return };
    let Some(old) = app.state.table().get_untracked() else { return };
    let setup = app.state.setup().get_untracked();
    spawn_local(async move {
        let choices = old.genotypes.as_ref().map(|genotypes| genotypes.choices.clone()).unwrap_or_default();
        match read(app, &files, &setup, &old.name, old.sample, choices).await {
            Ok(table) => {
                if table.names != old.names {
                    app.state.columns().set(columns_of(Vec::new(), &table));
                }
                app.state.problem().set(None);
                app.state.table().set(Some(Arc::new(table)));
                if app.state.key().with_untracked(Option::is_none)
                    && !app.state.run().with_untracked(Option::is_some)
                {
                    recognise(app, &files).await;
                }
            }
            Err(Failure { reason: Reason::Cancelled, .. }) => {}
            Err(failure) => fail(app, Step::Data, failure.message, false),
        }
    });
}

fn columns_of(described: Vec<ColumnDraft>, table: &Table) -> Vec<ColumnDraft> {
    if table.genotypes.is_some() {
        return genotypes::columns_of(described, table);
    }
    let kind = |suggestion: &Suggestion| match suggestion {
        Suggestion::Number => Some(ColumnType::Number),
        Suggestion::Category { .. } => Some(ColumnType::Category),
        Suggestion::Unknown => None,
    };
    let kinds = table.suggestions.iter().map(kind).chain(std::iter::repeat(None));
    let named = table.names.iter().zip(kinds);
    named.map(|(name, kind)| ColumnDraft { name: name.clone(), kind, ..ColumnDraft::default() }).collect()
}

/// The table that files are: a CSV's first rows, or what a worker says of genotypes and of the variants that were chosen.
async fn read(
    app: App,
    files: &Files,
    setup: &draft::Setup,
    name: &str,
    sample: bool,
    choices: Vec<Choice>,
) -> Result<Table, Failure> {
    match files.get(Role::Table) {
        Some(blob) => {
            let read = read_csv(blob, setup, name, sample).await;
            read.map_err(|problem| Failure::new(Reason::Table, problem))
        }
        None => genotypes::look(app, files, setup, choices).await,
    }
}

/// How cells are read, where fields end with `delimiter`.
pub fn csv_rules(setup: &draft::Setup, delimiter: u8) -> CsvRules {
    let na = match &setup.na {
        None => DEFAULT_NA.iter().map(|mark| (*mark).to_owned()).collect(),
        Some(text) => std::iter::once(String::new()).chain(draft::list(text)).collect(),
    };
    let encoding = if setup.encoding == "latin-1" { Encoding::Latin1 } else { Encoding::Utf8 };
    let decimal = setup.decimal.bytes().next().unwrap_or(b'.');
    CsvRules { delimiter, decimal, encoding, na }
}

async fn read_csv(blob: &Blob, setup: &draft::Setup, name: &str, sample: bool) -> Result<Table, String> {
    let encoding = if setup.encoding == "latin-1" { Encoding::Latin1 } else { Encoding::Utf8 };
    let rules = HeaderRules { delimiter: setup.delimiter.bytes().next(), encoding };
    let (mut bytes, mut at_end) = dom::first_bytes(blob, FIRST_BYTES).await?;
    let mut found =
        read_header(&bytes, at_end, rules).map_err(|error| facts::sentence(&error.to_string()))?;
    // A header as long as that leaves no room for rows.
    let crowded = matches!(&found, HeaderRead::Header(header) if header.body_offset > CROWDED);
    if !at_end && (found == HeaderRead::NeedMore || crowded) {
        (bytes, at_end) = dom::first_bytes(blob, MOST_BYTES).await?;
        found = read_header(&bytes, at_end, rules).map_err(|error| facts::sentence(&error.to_string()))?;
    }
    let HeaderRead::Header(header) = found else {
        return Err("Line 1: the header is too long. Is this a CSV with one line for each record?".to_owned());
    };
    let rules = csv_rules(setup, header.delimiter);
    let start = usize::try_from(header.body_offset).unwrap_or(usize::MAX).min(bytes.len());
    let shown = preview(&header, &rules, bytes.get(start..).unwrap_or_default(), at_end, PREVIEW_ROWS);
    let Header { names, delimiter, .. } = header;
    Ok(Table {
        name: name.to_owned(),
        size: blob.size(),
        sample,
        delimiter,
        names,
        rows: shown.rows,
        suggestions: shown.suggestions,
        fault: shown.error.map(|error| facts::sentence(&error.to_string())),
        genotypes: None,
    })
}

/// Bytes of all files, for a bar.
fn size(files: &Files) -> f64 {
    files.length() as f64
}

/// Finds the table's ledger by its keyed fingerprint.
async fn recognise(app: App, files: &Files) {
    if !app.state.host().with_untracked(|host| host.secure) {
        return;
    }
    app.state.run().set(Some(Run::new(text::READING, size(files))));
    let found = pool(app).identify(files, on_progress(app, text::READING)).await;
    match found {
        Ok(key) => match store::open_table(&key).await {
            Ok(record) => {
                app.state.run().set(None);
                app.state.key().set(Some(key));
                remember(app, Ok(record));
            }
            Err(failure) => fail(app, Step::Data, failure.message, false),
        },
        // Another file was chosen meanwhile, or the person cancelled.
        Err(Failure { reason: Reason::Cancelled, .. }) => {
            if cancelling(app) {
                say(app, text::CANCELLED);
            }
            app.state.run().set(None);
        }
        Err(failure) => fail(app, Step::Data, failure.message, failure.charged),
    }
}

/// Shows a table's ledger and releases as they are stored.
async fn recall(app: App, key: &str) {
    remember(app, store::open_table(key).await);
}

fn remember(app: App, record: Result<Option<LedgerRecord>, Failure>) {
    match record {
        Ok(Some(record)) => {
            lock_setup(app, &record.ledger);
            app.state.different().set(None);
            app.state.joined().set(record.joined);
            app.state.shared().set(record.shared);
            let (mut kept, mut documents) = (Vec::new(), BTreeMap::new());
            for StoredRelease { entry, document, release } in record.releases {
                kept.push(Kept { entry, release: release.map(Arc::new) });
                documents.insert(entry, document);
            }
            app.handles.with_value(|handles| handles.kept.replace(documents));
            app.state.releases().set(kept);
            app.state.ledger().set(Some(record.ledger));
        }
        Ok(None) => forget_ledger(app),
        Err(failure) => say(app, failure.message),
    }
}

/// Takes a person's word that the open table is about different people than those with which it seems to share some;
/// `false` where other words were typed.
pub fn differ(app: App, typed: &str) -> bool {
    let own = app.state.ledger().with_untracked(|ledger| ledger.as_ref().map(Shared::of));
    let shared = own.into_iter().chain(app.state.shared().get_untracked()).collect();
    let Some(word) = Different::typed(typed, shared) else { return false };
    forget_ledger(app);
    app.state.exported().set(None);
    app.state.different().set(Some(word));
    say(app, text::DIFFERENT);
    true
}

/// Takes that word back, before it stands in any ledger.
pub fn take_back(app: App) {
    let Some(key) = app.state.key().get_untracked() else { return };
    spawn_local(async move { recall(app, &key).await });
}

/// Takes the words by which one side of each row is no longer protected; `false` where other words were typed. A ledger of full
/// protection is turned for good.
pub fn relax(app: App, protect: Protect, typed: &str) -> bool {
    if !text::is_relax_phrase(protect, typed) {
        return false;
    }
    app.state.setup().update(|setup| setup.protect_confirmed = true);
    say(app, text::CONFIRMED);
    let full = app.state.ledger().with_untracked(|ledger| {
        ledger.as_ref().is_some_and(|ledger| ledger.terms().protect == Protect::Rows)
    });
    if let Some(key) = app.state.key().get_untracked().filter(|_| full) {
        spawn_local(async move {
            match store::relax(&key, protect).await {
                Ok(ledger) => {
                    lock_setup(app, &ledger);
                    app.state.ledger().set(Some(ledger));
                }
                Err(failure) => {
                    app.state.setup().update(|setup| setup.protect_confirmed = false);
                    fail(app, Step::Privacy, failure.to_string(), false);
                }
            }
        });
    }
    true
}

/// What a ledger fixes for every plan of its table.
fn lock_setup(app: App, ledger: &Ledger) {
    let terms = ledger.terms();
    app.state.setup().update(|setup| {
        if terms.protect != Protect::Rows {
            // The words stand in the ledger.
            setup.protect = terms.protect;
            setup.protect_confirmed = true;
        }
        setup.adjacency = terms.adjacency;
        setup.max_rows = terms.max_rows_per_person.to_string();
    });
}

/// Shows how far a task is.
pub fn on_progress(app: App, task: &'static str) -> impl Fn(Progress) + 'static {
    let (started, fitting) = (dom::clock(), Cell::new(None));
    move |progress| {
        let task = match progress.round {
            None => task,
            Some(pass) if pass.kept => text::FITTING,
            Some(_) => text::FITTING_AGAIN,
        };
        #[expect(clippy::cast_precision_loss, reason = "bytes of a file, for a bar")]
        let mut run = Run { done: progress.done as f64, ..Run::new(task, progress.total as f64) };
        run.pass = progress.round.map(|pass| (pass.number, pass.of));
        if run.pass.is_some() && fitting.get().is_none() {
            fitting.set(Some(dom::clock()));
        }
        let (elapsed, share) =
            ((dom::clock() - fitting.get().unwrap_or(started)) / 1_000.0, run.share_of_all());
        let known = elapsed > 1.0 && share > 0.0;
        run.seconds_left = known.then(|| elapsed * (1.0 - share) / share);
        app.state.run().set(Some(run));
    }
}

/// Cancels what runs. What came of it is said by what ran, which alone knows whether it was charged.
pub fn cancel(app: App) {
    app.state.run().update(|run| {
        if let Some(run) = run {
            run.task = text::CANCELLING;
        }
    });
    pool(app).cancel();
}

/// Whether the person cancelled what still runs.
pub fn cancelling(app: App) -> bool {
    app.state.run().with_untracked(|run| run.as_ref().is_some_and(|run| run.task == text::CANCELLING))
}

/// Goes to a step.
pub fn go(app: App, step: Step) {
    check::run::close(app);
    app.state.step().set(step);
    dom::top_soon("step-title");
}

/// Goes to where something is missing.
pub fn go_to(app: App, gap: &Gap) {
    app.state.step().set(Step::of(&gap.place));
    match &gap.place {
        Place::Cell(row, cell) => {
            app.state.filter().set(String::new());
            app.state.page().set(row / super::steps::PAGE);
            dom::focus_selector_soon(format!("[data-row='{row}'][data-cell='{cell:?}']"));
        }
        Place::Privacy(field) => dom::focus_selector_soon(format!("#privacy-{field}")),
        Place::Method(field) => dom::focus_selector_soon(format!("#method-{field}")),
        Place::Columns | Place::Data => dom::focus_soon("step-title"),
    }
}

/// Makes the release: opens the ledger if the table has none, then reads, charges and computes.
pub fn release(app: App) {
    if app.busy() {
        return;
    }
    let clicked = dom::clock();
    let forecast = match app.forecast.get_untracked() {
        Ok(forecast) => forecast,
        Err(gaps) => {
            if let Some(gap) = gaps.first() {
                say(app, gap.text.clone());
                go_to(app, gap);
            }
            return;
        }
    };
    let Some(key) = app.state.key().get_untracked() else { return };
    let Some(files) = app.handles.with_value(|handles| handles.files.borrow().clone()) else { return };
    let (Ok(plan), Ok(public)) = (app.plan.get_untracked(), app.public.get_untracked()) else { return };
    let asked =
        Asked { plan, columns: forecast.columns, public: public.map(|guided| guided.table().clone()) };
    app.state.problem().set(None);
    app.state.run().set(Some(Run::new(text::RELEASING, size(&files))));
    say(app, text::RELEASING);
    spawn_local(async move {
        let first = app.state.ledger().with_untracked(Option::is_none);
        if first {
            let setup = app.state.setup().get_untracked();
            let opened = match facts::open_ledger(&setup, &forecast.plan, &dom::today()) {
                Ok(ledger) => {
                    let different = app.state.different().get_untracked();
                    store::create_ledger(&key, ledger, different.as_ref()).await
                }
                Err(problem) => return fail(app, Step::Privacy, problem, false),
            };
            match opened {
                Ok(ledger) => {
                    app.state.different().set(None);
                    app.state.ledger().set(Some(ledger));
                }
                Err(failure) => {
                    recall(app, &key).await;
                    return fail(app, Step::Privacy, failure.message, false);
                }
            }
        }
        let released = if cancelling(app) {
            Err(Failure::new(Reason::Cancelled, text::CANCELLED))
        } else {
            pool(app).release(&files, asked, key.clone(), on_progress(app, text::RELEASING)).await
        };
        match released {
            Ok(Made { release, document, ledger }) => {
                // Everything that the click leads to is fetched before the delay and shown after it, at once.
                let stored = store::open_table(&key).await;
                delay_from(clicked).await;
                app.state.run().set(None);
                match stored {
                    Ok(Some(record)) => remember(app, Ok(Some(record))),
                    _ => app.state.ledger().set(Some(ledger)),
                }
                show(app, Arc::new(release), document, Origin::Made);
            }
            Err(failure) => {
                if first
                    && !failure.charged
                    && let Err(storage) = store::forget_unused(&key).await
                {
                    say(app, storage.message);
                }
                let stored = store::open_table(&key).await;
                delay_from(clicked).await;
                app.state.run().set(None);
                remember(app, stored);
                if failure.reason == Reason::Cancelled && !failure.charged {
                    say(app, text::CANCELLED);
                } else {
                    let step = match failure.reason {
                        Reason::Table | Reason::File => Step::Data,
                        Reason::Budget => Step::Privacy,
                        _ => Step::Method,
                    };
                    fail(app, step, failure.message, failure.charged);
                }
            }
        }
    });
}

/// Gives the person the ledger, which then counts as kept.
pub fn save_ledger(app: App) {
    let Some(ledger) = app.state.ledger().get_untracked() else { return };
    if let Ok(text) = ledger.to_json()
        && dom::download("discreet-ledger.json", "application/json", &text).is_some()
    {
        app.state.exported().set(Some(ledger.tip().to_owned()));
        say(app, "The ledger is downloaded");
    }
}

/// Shows a release that is kept beside the ledger.
pub fn show_kept(app: App, entry: u64) {
    let Some(document) = app.handles.with_value(|handles| handles.kept.borrow().get(&entry).cloned()) else {
        return;
    };
    let known = |all: &Vec<Kept>| all.iter().find(|kept| kept.entry == entry)?.release.clone();
    if let Some(release) = app.state.releases().with_untracked(known) {
        return show(app, release, document, Origin::Kept);
    }
    say(app, text::OPENING);
    spawn_local(async move {
        match store::stored_release(&document, entry).await {
            Ok(release) => show(app, Arc::new(release), document, Origin::Kept),
            Err(failure) => fail(app, Step::Result, failure.message, false),
        }
    });
}

/// Gives the person the release's document as it is, without writing it again.
pub fn save_release(app: App) {
    let document = app.handles.with_value(|handles| handles.document.borrow().clone());
    if let Some(document) = document {
        let _ = dom::save("discreet-release.json", &document);
    }
}

/// Shows a release on the result step.
fn show(app: App, release: Arc<Release>, document: Blob, origin: Origin) {
    app.handles.with_value(|handles| handles.document.replace(Some(document)));
    app.state.outcome().set(crate::release::figure::outcomes(&release).first().cloned());
    app.state.refit().set(None);
    app.state.shown().set(Some(Shown { release, origin }));
    app.state.problem().set(None);
    say(app, text::RELEASED);
    go(app, Step::Result);
}

/// Largest document that is opened.
const MOST_DOCUMENT: f64 = 1_073_741_824.0;

/// What every document says first of itself.
#[derive(Deserialize)]
struct Named {
    #[serde(default)]
    schema: String,
}

async fn open_document(app: App, file: &Blob) {
    if file.size() > MOST_DOCUMENT {
        return fail(app, Step::Data, text::NOT_JSON, false);
    }
    say(app, text::OPENING);
    let Ok(bytes) = Bytes::of(file).await else { return fail(app, Step::Data, text::UNREADABLE, false) };
    let schema = bytes.parse::<Named>().map(|named| named.schema).unwrap_or_default();
    if schema == crate::release::document::SCHEMA {
        return match bytes.parse::<Release>() {
            Ok(release) => show(app, Arc::new(release), file.clone(), Origin::File),
            Err(error) => fail(
                app,
                Step::Data,
                format!("This release cannot be read: {error}. Download it again"),
                false,
            ),
        };
    }
    let content = bytes.text().unwrap_or_default();
    match schema.as_str() {
        crate::plan::document::SCHEMA => match Plan::parse(&content) {
            Ok(plan) => apply(app, plan).await,
            Err(error) => fail(app, Step::Data, facts::sentence(&error.to_string()), false),
        },
        crate::privacy::ledger::SCHEMA => import(app, &content).await,
        _ => fail(app, Step::Data, text::NOT_JSON, false),
    }
}

async fn import(app: App, content: &str) {
    let Some(key) = app.state.key().get_untracked() else {
        return fail(app, Step::Data, "Choose the table first; then import its ledger", false);
    };
    let imported = match Ledger::parse(content) {
        Ok(ledger) => {
            let tip = ledger.tip().to_owned();
            store::import_ledger(&key, ledger).await.map(|_| tip).map_err(|failure| failure.message)
        }
        Err(error) => Err(error.to_string()),
    };
    match imported {
        Ok(tip) => {
            recall(app, &key).await;
            app.state.exported().set(Some(tip));
            say(app, "The ledger is imported");
        }
        Err(problem) => {
            let step = app.state.step().get_untracked();
            fail(app, step, problem, false);
        }
    }
}

/// Describes the open table as a plan does, or lets the plan wait for its table.
async fn apply(app: App, plan: Plan) {
    let Some(mut table) = app.state.table().get_untracked() else {
        app.state.pending().set(Some(plan));
        return;
    };
    if table.genotypes.is_some() {
        let Some(files) = app.handles.with_value(|handles| handles.files.borrow().clone()) else { return };
        match genotypes::look(app, &files, &draft::dialect(&plan), genotypes::of_plan(&plan)).await {
            Ok(looked) => {
                table = Arc::new(looked);
                app.state.table().set(Some(Arc::clone(&table)));
            }
            Err(failure) => return fail(app, Step::Data, failure.message, false),
        }
    }
    match draft::open(&plan, &table.names) {
        Ok((mut columns, setup)) => {
            for (column, suggested) in columns.iter_mut().zip(columns_of(Vec::new(), &table)) {
                if column.kind.is_none() {
                    // What the format says of a variant that the plan leaves out stands ready.
                    *column = ColumnDraft { role: column.role, ..suggested };
                }
            }
            app.state.columns().set(columns);
            app.state.setup().set(setup);
            app.state.pending().set(None);
            if let Some(ledger) = app.state.ledger().get_untracked() {
                lock_setup(app, &ledger);
            }
            say(app, "The plan is open");
        }
        Err(missing) => {
            app.state.pending().set(Some(plan));
            fail(app, Step::Data, text::wrong_table(&missing), false);
        }
    }
}
