//! Opens saved plans, releases and ledgers.

use std::collections::VecDeque;
use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::{Blob, File};

use super::close::forget;
use super::confirm::{ask, guard};
use super::files::{dialect_here, read, recognise_if_new};
use super::genotypes;
use super::ledger::{has_file, lock_setup, recall};
use super::navigation::go;
use super::release::show;
use super::run::pool;
use super::say::fail;
use crate::data::first_line::Doubt;
use crate::engine::recommend::recommend;
use crate::engine::{contradiction, prepare};
use crate::model::{Role, Wallet};
use crate::plan::document::{BudgetForm, Mechanism};
use crate::plan::{Plan, Purpose};
use crate::privacy::ledger::Ledger;
use crate::release::bounds::EstimatedBounds;
use crate::release::format::percent;
use crate::store;
use crate::store::document;
use crate::text::json;
use crate::ui::draft::{self, BudgetKind, ColumnDraft, Place, Setup};
use crate::ui::state::{App, Origin, Question, StateStoreFields};
use crate::ui::step::Step;
use crate::ui::table::Table;
use crate::ui::{dom, names, text, view_model};
use crate::words;
use crate::worker::protocol::Failure;

/// Opens a saved plan, release or ledger.
pub fn choose_document(app: App, file: File) {
    app.handles.with_value(|handles| handles.chosen.set(true));
    spawn_local(async move { open_document(app, &file).await });
}

/// Largest document that is opened.
const MOST_DOCUMENT: f64 = 1_073_741_824.0;

/// Largest plan or ledger, which the page's thread reads.
const MOST_PLAN: f64 = 67_108_864.0;

async fn open_document(app: App, file: &File) {
    if file.size() > MOST_DOCUMENT {
        return fail(app, Step::Data, words::data::not_json(), false);
    }
    app.say(words::page::opening());
    match pool(app).read_release(file).await {
        Ok(Some(release)) => match contradiction(&release) {
            None => {
                close_unused_sample(app);
                let release = Arc::new(release);
                app.state.opened().set(Some((file.name(), Arc::clone(&release))));
                return show(app, release, Blob::clone(file), Origin::File);
            }
            Some(fault) => return fail(app, Step::Data, fault, false),
        },
        Ok(None) => {}
        Err(failure) => return fail(app, Step::Data, failure.message, false),
    }
    if file.size() > MOST_PLAN {
        return fail(app, Step::Data, words::data::not_json(), false);
    }
    let Ok(content) = document::text(file).await else {
        return fail(app, Step::Data, words::page::unreadable(), false);
    };
    let content = content.unwrap_or_default();
    match json::schema(&content).as_deref().unwrap_or_default() {
        crate::plan::document::SCHEMA => match Plan::parse(&content) {
            Ok(plan) => {
                let question = Question {
                    text: words::confirm::plan().to_owned(),
                    stay: words::confirm::keep(),
                    go_on: words::confirm::replace(),
                };
                guard(app, question, move || {
                    spawn_local(async move {
                        apply(app, plan).await;
                        recognise_if_new(app).await;
                    });
                });
            }
            Err(error) => fail(app, Step::Data, error.to_string(), false),
        },
        crate::privacy::ledger::SCHEMA => import(app, &content).await,
        other => {
            let version = known_version(other).map(|known| words::data::other_version(other, known));
            fail(app, Step::Data, version.unwrap_or_else(|| words::data::not_json().to_owned()), false);
        }
    }
}

/// Closes the sample that the page opened by itself, whose name and budget would stand beside another table's release.
fn close_unused_sample(app: App) {
    let is_sample =
        app.state.table().with_untracked(|table| table.as_ref().is_some_and(|table| table.sample));
    if is_sample && app.state.ledger().with_untracked(Option::is_none) {
        forget(app);
    }
}

/// Returns the version of a document that is read, where one of another version was chosen.
fn known_version(schema: &str) -> Option<&'static str> {
    let (kind, _) = schema.rsplit_once('/')?;
    let known =
        [crate::plan::document::SCHEMA, crate::release::document::SCHEMA, crate::privacy::ledger::SCHEMA];
    known.into_iter().find(|known| known.rsplit_once('/').is_some_and(|(own, _)| own == kind))
}

async fn import(app: App, content: &str) {
    let Some(key) = app.state.key().get_untracked() else {
        return fail(app, Step::Data, words::data::choose_the_table_first_then_import(), false);
    };
    let ledger = match Ledger::parse(content) {
        Ok(ledger) => ledger,
        Err(error) => return fail(app, app.state.step().get_untracked(), error.to_string(), false),
    };
    // Which people a ledger is about cannot be read from it. Where the browser keeps nothing, the person was asked for it.
    let first = app.state.ledger().with_untracked(Option::is_none);
    if !first || app.state.host().with_untracked(|host| host.forgets) {
        return attach(app, &key, ledger).await;
    }
    let capacity = ledger.capacity();
    let wallet = if capacity.gaussian > 0 { Wallet::Gaussian } else { Wallet::Other };
    let charged = percent(view_model::taken(&ledger.charged(), &capacity, wallet));
    let table = app.state.table().with_untracked(|table| table.as_ref().map(|table| table.name.clone()));
    let question = Question {
        text: words::confirm::ledger(ledger.created(), charged, table.unwrap_or_default()),
        stay: words::confirm::not_its_ledger(),
        go_on: words::confirm::its_ledger(),
    };
    ask(app, question, move || spawn_local(async move { attach(app, &key, ledger).await }));
}

async fn attach(app: App, key: &str, ledger: Ledger) {
    // What is stored may have charges that the file lacks.
    let in_file = ledger.clone();
    // An opened plan takes all of a new budget, and of this one no more than that.
    let asked = app.state.setup().with_untracked(|setup| {
        let is_whole = setup.share == 100 && app.state.ledger().with_untracked(Option::is_none);
        view_model::ask(setup, None).ok().filter(|_| is_whole)
    });
    match store::import_ledger(key, ledger).await {
        Ok(_) => {
            recall(app, key).await;
            if let Some(asked) = asked {
                take_share(app, &asked);
            }
            has_file(app, &in_file);
            app.state.problem().set(None);
            app.say(words::data::the_ledger_is_imported());
        }
        Err(failure) => fail(app, app.state.step().get_untracked(), failure.message, false),
    }
}

/// States the bounds that a release has estimated in the columns of their names. They are public now.
pub fn use_bounds(app: App, bounds: &EstimatedBounds) {
    let mut stated = 0;
    app.state.columns().update(|columns| {
        for found in &bounds.columns {
            let Some((lower, upper)) = found.range() else { continue };
            for column in columns.iter_mut().filter(|column| column.name == found.column) {
                (column.lower, column.upper) = (lower.to_string(), upper.to_string());
                column.estimate = false;
                column.note = words::found::note().to_owned();
                stated += 1;
            }
        }
    });
    // The next plan estimates nothing, so its fit has the whole budget, unless bounds are still missing.
    let open = app.state.columns().with_untracked(|columns| columns.iter().any(ColumnDraft::is_estimated));
    if !open {
        app.state.setup().update(|setup| setup.estimate_share.clear());
    }
    app.say(words::found::used(stated, text::whole(stated)));
    go(app, Step::Columns);
}

/// Returns whether a plan has the mechanism that is recommended for it, with defaults left out or filled in.
fn is_as_recommended(plan: &Plan, table: &Table) -> bool {
    let found = recommend(plan, &table.names, table.delimiter);
    let own = Mechanism { name: found.name.to_owned(), params: found.params, calibration: None };
    let same = own == plan.mechanism;
    let bare = Plan { mechanism: own, ..plan.clone() };
    let filled = prepare(bare, &table.names, table.delimiter, Purpose::Release);
    same || filled.is_ok_and(|filled| filled.plan().mechanism == plan.mechanism)
}

/// Describes the open table as a plan does, or lets the plan wait for its table.
pub async fn apply(app: App, plan: Plan) {
    let Some(mut table) = app.state.table().get_untracked() else {
        app.state.pending().set(Some(plan));
        return;
    };
    let mut dialect = dialect_here(app, &plan);
    let lacks = |table: &Table| !draft::open(&plan, &table.names).2.is_empty();
    // How a file is written belongs to it and not to a plan: where the names are there, what they were found with stays. Of the encoding that
    // is so where it was chosen, or where letters of the names show it; cells may not, as it stands in the released plan.
    if !lacks(&table) {
        let is_shown = table.names.iter().any(|name| !name.is_ascii());
        app.state.setup().with_untracked(|setup| {
            dialect.header = setup.header;
            dialect.delimiter.clone_from(&setup.delimiter);
            if setup.encoding != Setup::default().encoding || is_shown {
                dialect.encoding.clone_from(&setup.encoding);
            }
        });
    }
    let rules = |setup: &Setup| (draft::header_rules(setup), draft::csv_rules(setup, b','));
    let reads_alike = app.state.setup().with_untracked(|now| rules(now) == rules(&dialect));
    if table.genotypes.is_some() || lacks(&table) || !reads_alike {
        match read_by(app, &plan, &table, dialect).await {
            Ok((found, read)) => (dialect, table) = (found, Arc::new(read)),
            Err(failure) => return fail(app, Step::Data, failure.message, false),
        }
    }
    let (mut columns, mut setup, lacking) = draft::open(&plan, &table.names);
    let Setup { delimiter, numbers, encoding, header, .. } = dialect;
    setup = Setup { delimiter, numbers, encoding, header, ..setup };
    // What is recommended for the plan goes on to follow it.
    if is_as_recommended(&plan, &table) && !setup.idealised {
        setup.choose(None);
    }
    if let Some(first) = lacking.first()
        && (table.sample || columns.iter().all(|column| column.role == Role::Ignored))
    {
        let told = words::data::wrong_table(first);
        app.state.pending().set(Some(plan));
        app.say(told.clone());
        return fail(app, Step::Data, told, false);
    }
    for (column, suggested) in columns.iter_mut().zip(table.columns(Vec::new())) {
        if column.kind.is_none() {
            // For a variant that the plan leaves out, the form starts with what the format says of it.
            *column = ColumnDraft { role: column.role, ..suggested };
        }
    }
    if lacking.is_empty() {
        return describe(app, &plan, table, columns, setup, &lacking);
    }
    // Without a column the plan asks another question.
    let question = Question {
        text: words::confirm::lacks(text::list(&lacking, 12)),
        stay: words::confirm::leave_plan(),
        go_on: words::confirm::open_without(),
    };
    ask(app, question, move || describe(app, &plan, table, columns, setup, &lacking));
}

/// Reads the open files so that a plan's columns are found: as the plan's own file was written, by another delimiter or encoding, with a
/// title above the header, or as they are read now. Where none of these has all, as most are found.
async fn read_by(app: App, plan: &Plan, table: &Table, dialect: Setup) -> Result<(Setup, Table), Failure> {
    let Some(files) = app.files() else { return Err(Failure::protocol()) };
    let any_delimiter = Setup { delimiter: String::new(), ..dialect.clone() };
    let any_encoding = Setup { encoding: Setup::default().encoding, ..any_delimiter.clone() };
    let now = app.state.setup().with_untracked(|now| Setup {
        delimiter: now.delimiter.clone(),
        encoding: now.encoding.clone(),
        header: now.header,
        ..dialect.clone()
    });
    let mut readings = VecDeque::from([dialect, any_delimiter, any_encoding, now]);
    if table.genotypes.is_some() {
        readings.truncate(1);
    }
    let lacks = |table: &Table| draft::open(plan, &table.names).2.len();
    let mut best: Result<(Setup, Table), Failure> = Err(Failure::protocol());
    while let Some(reading) = readings.pop_front() {
        let choices = genotypes::of_plan(plan);
        let read = read(app, &files, &reading, &table.name, table.sample, choices).await;
        if let Ok(Table { doubt: Some(Doubt::Title(line)), .. }) = read
            && reading.header.is_none()
        {
            readings.push_front(Setup { header: Some(line), ..reading.clone() });
        }
        best = match (best, read) {
            (Ok(best), Ok(read)) if lacks(&read) >= lacks(&best.1) => Ok(best),
            (Ok(best), Err(_)) => Ok(best),
            (_, read) => read.map(|table| (reading, table)),
        };
        if best.as_ref().is_ok_and(|(_, table)| lacks(table) == 0) {
            break;
        }
    }
    best
}

/// Describes a table as an opened plan does, without the columns that it lacks.
fn describe(
    app: App,
    plan: &Plan,
    table: Arc<Table>,
    columns: Vec<ColumnDraft>,
    mut setup: Setup,
    lacking: &[String],
) {
    // A plan is for one release, so a new budget is that of the release, all of it, but where this page wrote what a part of a budget is worth.
    // Of a budget that stands it takes what the plan asks for.
    let is_new = app.state.ledger().with_untracked(Option::is_none);
    let is_part = setup.form == BudgetKind::Mu && plan.budget.delta.is_some();
    if is_new && is_part {
        setup.form = BudgetKind::EpsilonDelta;
        setup.epsilon.clear();
    } else if is_new {
        setup.share = 100;
    }
    let is_sample = table.sample;
    app.state.problem().set(None);
    app.state.table().set(Some(table));
    app.state.columns().set(columns);
    app.state.setup().set(setup);
    app.state.pending().set(None);
    lock_setup(app);
    if !is_new {
        take_share(app, &plan.budget);
    }
    if lacking.is_empty() {
        if is_new && !is_sample {
            let told = if is_part { words::data::plan_takes_part() } else { words::data::plan_takes_all() };
            app.state.filled().set(Some(told.to_owned()));
        }
        return app.say(words::data::the_plan_is_open());
    }
    let told = words::data::plan_lacks(text::list(lacking, 12));
    app.state.filled().set(Some(told.clone()));
    app.say(told);
    go(app, Step::Columns);
}

/// Takes of the open ledger no more than was asked for before it was there, and says so.
fn take_share(app: App, asked: &BudgetForm) {
    let wallet = app.state.setup().with_untracked(view_model::wallet);
    let share = app.state.ledger().with_untracked(|ledger| {
        ledger.as_ref().and_then(|ledger| view_model::share_of(asked, wallet, ledger))
    });
    // What the plan asks for is not replaced by a guess: the person chooses.
    app.state.setup().update(|setup| setup.share = share.unwrap_or(0));
    let told = match share {
        Some(share) => words::data::plan_takes_share(format!("{share} %")),
        None => words::data::plan_takes_another().to_owned(),
    };
    app.state.filled().set(Some(told));
}

/// Gives the person the plan as far as it was described, as a file that can be opened again.
pub fn save_plan(app: App) {
    let columns = app.state.columns().get_untracked();
    let (plan, lacks) = match app.plan.get_untracked() {
        Ok(plan) => (plan, None),
        Err(gaps) => {
            let setup = app.state.setup().get_untracked();
            let (mut plan, _) = draft::draft_plan(&columns, &setup, draft::budget(&setup));
            if setup.mechanism.is_none() {
                plan = app.recommended.get_untracked().into_plan(plan);
            }
            // That this table's budget is spent is no fault of the plan.
            let lacking = |gap: &draft::Gap| gap.place != Place::privacy("share");
            (plan, gaps.into_iter().find(lacking).map(|gap| gap.text))
        }
    };
    let table = app.state.table().get_untracked();
    let name = names::download("discreet-plan.json", table.as_ref().map(|table| table.name.as_str()), None);
    if dom::download_json(&name, &plan).is_none() {
        return app.say(words::page::no_room());
    }
    let told = lacks.map_or_else(|| words::data::plan_saved().to_owned(), words::data::plan_saved_incomplete);
    app.state.saved().set(Some(told.clone()));
    app.say(told);
}
