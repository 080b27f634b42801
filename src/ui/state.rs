//! The page's state: one store of plain data, owned by the root.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;

use leptos::prelude::*;
use reactive_stores::Store;
use web_sys::Blob;

use super::draft::{self, ColumnDraft, Gap, History, KeptDraft, Setup, TermForm};
use super::files::Part;
use super::forecasts::Forecasts;
use super::public_form::{self, PublicForm, Term};
use super::step::Step;
use super::table::Table;
use super::view_model::{self, Contradictions, Forecast, Inspection};
use crate::audit::check::Finding;
use crate::data::inspection::Misfits;
use crate::engine::public_moments::PublicMoments;
use crate::engine::recommend::{Recommendation, recommend};
use crate::inference::Refit;
use crate::plan::Plan;
use crate::privacy::ledger::Ledger;
use crate::privacy::units::Units;
use crate::release::Release;
use crate::release::publication::DecimalMark;
use crate::release::publication::comparison::Regression;
use crate::store::Saving;
use crate::store::people::{Different, Shared};
use crate::words;
use crate::worker::files::Files;
use crate::worker::pool::Pool;

/// Files with what each is.
pub type Held = Vec<(Part, Blob)>;

/// What becomes of what is running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Something to be shown.
    Looking,
    /// A release.
    Releasing,
    /// Nothing: the person cancelled it.
    Cancelling,
}

/// What is running.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// What for, in words.
    pub task: &'static str,
    /// What becomes of it.
    pub phase: Phase,
    /// Bytes read.
    pub done: f64,
    /// Bytes in all.
    pub total: f64,
    /// Seconds left, by the clock of this machine; shown here alone.
    pub seconds_left: Option<f64>,
    /// Which of how many passes over the rows.
    pub pass: Option<(u32, u32)>,
}

impl Run {
    /// Creates the progress of a task before anything is known of how far it is.
    pub const fn new(task: &'static str, total: f64) -> Self {
        Self { task, phase: Phase::Looking, done: 0.0, total, seconds_left: None, pass: None }
    }

    /// Returns whether the whole file is being checked.
    pub fn is_check(&self) -> bool {
        self.task == words::whole::reading()
    }

    /// Returns the share of the current reading that is done, from 0 to 1.
    pub fn share(&self) -> f64 {
        if self.total > 0.0 { (self.done / self.total).clamp(0.0, 1.0) } else { 0.0 }
    }

    /// Returns the share of all passes that is done, from 0 to 1.
    pub fn share_of_all(&self) -> f64 {
        match self.pass {
            Some((number, of)) => (f64::from(number.saturating_sub(1)) + self.share()) / f64::from(of.max(1)),
            None => self.share(),
        }
    }
}

/// Something that went wrong, where it happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// The step that shows it.
    pub step: Step,
    /// What, where, what to do.
    pub text: String,
    /// Whether the budget was charged.
    pub charged: bool,
    /// Whether the file is read as UTF-8, and is none.
    pub offers_encodings: bool,
}

/// The release that the result step shows. Its document is in [`Handles::document`].
#[derive(Clone, Debug)]
pub struct Shown {
    /// The release, shared: one of many outcomes has a hundred megabytes.
    pub release: Arc<Release>,
    /// Where it came from.
    pub origin: Origin,
}

/// A release beside the ledger. Its document is in [`Handles::kept`].
#[derive(Clone, Debug)]
pub struct Kept {
    /// The ledger's entry that paid for it.
    pub entry: u64,
    /// The release; a large one is read when it is opened.
    pub release: Option<Arc<Release>>,
}

/// Where a release came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Made just now.
    Made,
    /// Kept beside the ledger.
    Kept,
    /// A file that was opened.
    File,
}

/// A charge that waits until its ledger is saved. [`Handles::saving`] replies to the worker.
#[derive(Clone, Debug)]
pub struct Reserved {
    /// The ledger, in which the charge is reserved.
    pub ledger: Ledger,
    /// The name of the file, once it was given to the person.
    pub saved: Option<String>,
}

/// What this browser can do.
#[derive(Clone, Debug, Default, PartialEq, Store)]
pub struct Host {
    /// Whether storage and locks exist at all.
    pub secure: bool,
    /// Whether the browser keeps nothing for this page, so that the ledger is the file that a person saves.
    pub forgets: bool,
    /// Whether the browser promises to keep the ledger; unknown until asked.
    pub durable: Option<bool>,
    /// Why the program cannot run, if it cannot.
    pub fault: Option<String>,
    /// The build's content hash.
    pub build: String,
}

/// The check of this build.
#[derive(Clone, Debug, Default, Store)]
pub struct BuildCheck {
    /// Whether its screen stands in place of the step.
    pub open: bool,
    /// The seed as typed.
    pub seed: String,
    /// The seed of the findings.
    pub under: u64,
    /// What each item has found; empty before the first check.
    pub findings: Vec<Option<Finding>>,
    /// Whether it runs.
    pub running: bool,
    /// Why it ended before its time.
    pub failure: Option<String>,
}

/// Everything.
#[derive(Clone, Debug, Default, Store)]
pub struct State {
    /// The step that is open.
    pub step: Step,
    /// The table.
    pub table: Option<Arc<Table>>,
    /// The table's key in the store.
    pub key: Option<String>,
    /// Its columns as described so far.
    pub columns: Vec<ColumnDraft>,
    /// Everything else of the plan.
    pub setup: Setup,
    /// The form for a term.
    pub term: TermForm,
    /// What was counted over the whole file. It is as private as the file and is kept nowhere else.
    pub inspection: Option<Inspection>,
    /// What is publicly known of the columns, for a mechanism that is guided by it.
    pub public: PublicForm,
    /// Names of the files of a set that is not whole.
    pub waiting: Vec<String>,
    /// Names of the files that it lacks.
    pub missing: Vec<String>,
    /// The names of the sheets of a workbook, where it has several.
    pub sheets: Vec<String>,
    /// Whether the table is a sheet of a workbook.
    pub workbook: bool,
    /// The place of the sheet that is open.
    pub sheet: usize,
    /// What is asked in a dialog.
    pub question: Option<Question>,
    /// Whether the last change of the draft can be undone.
    pub undoable: bool,
    /// What a codebook has filled, in words.
    pub filled: Option<String>,
    /// That the plan was saved at the open step, and what it lacks.
    pub saved: Option<String>,
    /// The name of the table that was open last, before the page was opened.
    pub last_table: Option<String>,
    /// The languages of the encoding that the browser decoded the file from.
    pub decoded: Option<&'static str>,
    /// Whether the description of the table is one that was kept.
    pub restored: bool,
    /// A plan that waits for its table.
    pub pending: Option<Plan>,
    /// The table's ledger.
    pub ledger: Option<Ledger>,
    /// Whether it is another table's, with which this one shares people.
    pub joined: bool,
    /// Further ledgers with people of this table.
    pub shared: Vec<Shared>,
    /// Ledgers of tables with the columns of this one, which is about people that no ledger knows: their columns may have been changed since.
    pub alike: Vec<Shared>,
    /// The person's word that this table's people are different ones.
    pub different: Option<Different>,
    /// The tip of the ledger that was downloaded or imported last.
    pub exported: Option<String>,
    /// Whether the person confirmed that nothing was released about these people before. It is asked where the browser keeps nothing.
    pub nothing_before: bool,
    /// The charge that waits until its ledger is saved.
    pub reserved: Option<Reserved>,
    /// The releases kept beside it.
    pub releases: Vec<Kept>,
    /// Why the next release would be of no use, where the person was asked whether to make it all the same.
    pub asked: Option<String>,
    /// What is running.
    pub run: Option<Run>,
    /// What went wrong last.
    pub problem: Option<Problem>,
    /// The release that is shown.
    pub shown: Option<Shown>,
    /// The release that was opened from a file last, to be compared with others, and the file's name.
    pub opened: Option<(String, Arc<Release>)>,
    /// The outcome of it that is shown.
    pub outcome: Option<String>,
    /// The decimal mark of the tables and figures that are handed out.
    pub decimal: DecimalMark,
    /// A refit of it.
    pub refit: Option<Result<Refit, String>>,
    /// Refits of this table's releases since the page was opened.
    pub refits: Vec<Regression>,
    /// What the column table is filtered by.
    pub filter: String,
    /// Whether it shows only columns that are described.
    pub described: bool,
    /// The page of the column table.
    pub page: usize,
    /// Groups of mechanisms that the person opened or closed, by their titles.
    pub families: BTreeMap<&'static str, bool>,
    /// What was said last to who cannot see.
    pub said: String,
    /// Whether all see it: it says what became of a copy or a download, which show nothing by themselves.
    pub handed: bool,
    /// What this browser can do.
    #[store]
    pub host: Host,
    /// The check of this build.
    #[store]
    pub check: BuildCheck,
}

/// A question with its two answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// What is asked.
    pub text: String,
    /// The answer by which nothing happens.
    pub stay: &'static str,
    /// The other answer.
    pub go_on: &'static str,
}

impl Question {
    /// Asks whether another table is opened, in the place of one that is described.
    pub fn other_table(text: &str) -> Self {
        Self { text: text.to_owned(), stay: words::confirm::stay(), go_on: words::confirm::open_other() }
    }
}

/// What the browser gave and only it can hold.
pub struct Handles {
    /// The workers.
    pub pool: Pool,
    /// The worker of the check, which no request of the table ends.
    pub check: Pool,
    /// Whether a document was chosen since the page was opened.
    pub chosen: Cell<bool>,
    /// The table's files.
    pub files: RefCell<Option<Files>>,
    /// The same with their names; also those of a set that is not whole.
    pub held: RefCell<Held>,
    /// The files of a workbook with several sheets, as they were chosen.
    pub packed: RefCell<Option<Held>>,
    /// What is done if the person agrees to what is asked.
    pub agreed: RefCell<Option<Box<dyn FnOnce()>>>,
    /// Answers the worker whose charge waits until the ledger is saved.
    pub saving: RefCell<Option<Saving>>,
    /// Earlier states of the draft.
    pub history: RefCell<History>,
    /// How the open sample is described by its own plan.
    pub sample: RefCell<Option<KeptDraft>>,
    /// The document of the release that is shown.
    pub document: RefCell<Option<Blob>>,
    /// The file that was decoded, as it was chosen.
    pub undecoded: RefCell<Option<Blob>>,
    /// The documents of the releases beside the ledger, by entry.
    pub kept: RefCell<BTreeMap<u64, Blob>>,
}

/// Public moments that were given, or everything that they still lack.
pub type Public = Result<Option<Arc<PublicMoments>>, Vec<Gap>>;

/// The state with what follows from it.
#[derive(Clone, Copy)]
pub struct App {
    /// The state.
    pub state: Store<State>,
    /// Handles.
    pub handles: StoredValue<Handles, LocalStorage>,
    /// What the engine recommends for the columns and the budget, whatever was chosen.
    pub recommended: Memo<Recommendation>,
    /// Where the cells on the screen contradict what is said of their columns.
    pub contradictions: Memo<Contradictions>,
    /// Whether the whole file was checked and is being checked again.
    pub is_checked_again: Memo<bool>,
    /// The cells that do not fit in the whole file, by the places of columns, where they were counted as the columns are described now.
    pub misfits: Memo<BTreeMap<usize, Misfits>>,
    /// The plan of the next release, or everything that it still lacks.
    pub plan: Memo<Result<Plan, Vec<Gap>>>,
    /// What public moments the plan's columns need; nothing where the mechanism takes none or the columns are not described.
    pub terms: Memo<Vec<Term>>,
    /// Those that were given, with the whitener that they make; nothing where the mechanism takes none.
    pub public: Memo<Public>,
    /// The forecasts that rest on rehearsals.
    pub forecasts: Forecasts,
    /// What the plan costs and gives, from public numbers.
    pub forecast: Memo<Result<Forecast, Vec<Gap>>>,
}

/// Returns a plan, or what it lacks together with the questions that have to be answered, in the order of the steps.
fn with_questions(plan: Result<Plan, Vec<Gap>>, questions: Vec<Gap>) -> Result<Plan, Vec<Gap>> {
    if questions.is_empty() {
        return plan;
    }
    let mut gaps = plan.err().unwrap_or_default();
    gaps.extend(questions);
    // A term that is typed may be all that is missing.
    let open = view_model::open_term();
    gaps.sort_by_key(|gap| (gap.place.step(), *gap != open));
    Err(gaps)
}

impl App {
    /// Creates the state of a page that has just started.
    pub fn new(pool: Pool) -> Self {
        let state = Store::new(State::default());
        let (check, forecasts) = (pool.apart(), Forecasts::new(&pool));
        let (files, held) = (RefCell::default(), RefCell::default());
        let (document, kept, undecoded) = (RefCell::default(), RefCell::default(), RefCell::default());
        let (packed, agreed, history) = (RefCell::default(), RefCell::default(), RefCell::default());
        let sample = RefCell::default();
        let (saving, chosen) = (RefCell::default(), Cell::default());
        let handles = Handles {
            pool,
            check,
            chosen,
            files,
            held,
            packed,
            agreed,
            saving,
            history,
            sample,
            document,
            undecoded,
            kept,
        };
        let handles = StoredValue::new_local(handles);
        let described = Memo::new(move |_| {
            state.columns().with(|columns| {
                state.setup().with(|setup| {
                    let budget = state.ledger().with(|ledger| view_model::ask(setup, ledger.as_ref()));
                    draft::plan(columns, setup, budget)
                })
            })
        });
        let recommended = Memo::new(move |_| match described.get() {
            Ok(plan) => state.table().with(|table| {
                let (names, delimiter) =
                    table.as_ref().map(|t| (&t.names[..], t.delimiter)).unwrap_or_default();
                recommend(&plan, names, delimiter)
            }),
            Err(_) => state.columns().with(|columns| {
                let plan =
                    state.setup().with(|setup| draft::draft_plan(columns, setup, draft::budget(setup)).0);
                Recommendation::before_a_plan(&plan)
            }),
        });
        let is_checked_again = Memo::new(move |_| {
            let is_check = state.run().with(|run| run.as_ref().is_some_and(Run::is_check));
            is_check && state.inspection().with(Option::is_some)
        });
        let misfits = Memo::new(move |_| {
            state.inspection().with(|inspection| {
                let again = is_checked_again.get();
                let found = |inspection: &Inspection| {
                    state.columns().with(|columns| {
                        state.setup().with(|setup| view_model::misfits(inspection, columns, setup, again))
                    })
                };
                inspection.as_ref().map(found).unwrap_or_default()
            })
        });
        let contradictions = Memo::new(move |_| {
            let table = state.table().get().unwrap_or_default();
            state.columns().with(|columns| {
                state.setup().with(|setup| {
                    let found = |whole: &Option<Inspection>| {
                        misfits.with(|misfits| {
                            view_model::contradictions(&table, columns, setup, whole.as_ref(), misfits)
                        })
                    };
                    state.inspection().with(found)
                })
            })
        });
        let questions = Memo::new(move |_| {
            let table = state.table().get().unwrap_or_default();
            state.columns().with(|columns| {
                state.setup().with(|setup| {
                    let mut open = contradictions
                        .with(|found| view_model::open_questions(&table, columns, setup, found));
                    // A column that is contradicted may be why.
                    open.extend(state.inspection().with(|inspection| {
                        inspection.as_ref().and_then(|found| view_model::few_rows_left(found, columns, setup))
                    }));
                    open.extend(state.inspection().with(|inspection| {
                        inspection
                            .as_ref()
                            .and_then(|found| view_model::far_difference(found, columns, setup))
                    }));
                    open.extend(state.inspection().with(|inspection| {
                        view_model::rows_of_persons(&table, columns, setup, inspection.as_ref())
                    }));
                    let is_open = state.term().with(|form| form.is_open(&setup.derived));
                    open.extend(is_open.then(view_model::open_term));
                    let asked = state.different().with(Option::is_none)
                        && state.alike().with(|alike| !alike.is_empty());
                    open.extend(asked.then(view_model::same_people));
                    open
                })
            })
        });
        let plan = Memo::new(move |_| {
            let plan: Plan = with_questions(described.get(), questions.get())?;
            let chosen = state.setup().with(|setup| setup.mechanism.is_some());
            Ok(if chosen { plan } else { recommended.get().into_plan(plan) })
        });
        let guided = Memo::new(move |_| state.setup().with(view_model::takes_public_moments));
        let terms = Memo::new(move |_| {
            let table = state.table().get().unwrap_or_default();
            let plan = plan.get().ok().filter(|_| guided.get());
            plan.map(|plan| view_model::public_terms(&plan, &table)).unwrap_or_default()
        });
        let intercept = Memo::new(move |_| state.setup().with(|setup| setup.intercept));
        let public = Memo::new(move |before: Option<&Public>| {
            if !guided.get() {
                return Ok(None);
            }
            let table = state.public().with(|given| terms.with(|terms| public_form::table(given, terms)))?;
            let asked = terms.with(|terms| public_form::moment_terms(terms, intercept.get()));
            let before = before.and_then(|before| before.as_ref().ok()?.as_deref());
            Ok(Some(Arc::new(PublicMoments::new(table, asked, before))))
        });
        let forecast = Memo::new(move |_| {
            let plan = plan.get()?;
            let public = public.get()?;
            let table = state.table().get().unwrap_or_default();
            let ledger = state.ledger().get();
            let whole = state.setup().with(view_model::worth).map_or(Units::ZERO, |worth| worth.units);
            view_model::forecast(&plan, public.as_deref(), &table, ledger.as_ref(), &whole, forecasts)
                .map_err(|(path, text)| {
                    state.columns().with(|c| vec![Gap::new(draft::place(&path, &plan, c), text)])
                })
        });
        Self {
            state,
            handles,
            recommended,
            contradictions,
            is_checked_again,
            misfits,
            plan,
            terms,
            public,
            forecasts,
            forecast,
        }
    }

    /// Returns the app that a component belongs to.
    pub fn here() -> Self {
        expect_context()
    }

    /// Returns the name of the open table's file.
    pub fn table_name(self) -> String {
        self.state
            .table()
            .with_untracked(|table| table.as_ref().map(|table| table.name.clone()))
            .unwrap_or_default()
    }

    /// Returns whether a plan has the ridge that is recommended where the rows are too few for an ordinary regression.
    pub fn falls_back(self, plan: &Plan) -> bool {
        self.recommended.with(|found| found.too_few && found.name == plan.mechanism.name)
    }

    /// Returns whether the open table is one of genotypes.
    pub fn has_genotypes(self) -> bool {
        self.state.table().with(|table| table.as_ref().is_some_and(|table| table.genotypes.is_some()))
    }

    /// Returns the names of the open table's columns.
    pub fn names(self) -> Vec<String> {
        self.state.table().with(|table| table.as_ref().map(|table| table.names.clone()).unwrap_or_default())
    }

    /// Returns whether the ledger has to be downloaded before the next release: the browser may forget it, and the last download lacks a charge.
    /// Samples are public, so their ledger may be forgotten.
    pub fn export_due(self) -> bool {
        let is_sample = self.state.table().with(|table| table.as_ref().is_some_and(|table| table.sample));
        let at_risk = self.state.host().with(|host| host.durable == Some(false))
            && (!is_sample || self.state.host().forgets().get());
        let kept = self.state.exported().get();
        at_risk
            && self.state.ledger().with(|ledger| {
                ledger.as_ref().is_some_and(|ledger| {
                    !ledger.entries().is_empty() && kept.as_deref() != Some(ledger.tip())
                })
            })
    }

    /// Returns whether it is unknown what was released about the table's people before: the browser keeps nothing, and the person has neither opened
    /// a ledger nor confirmed that there is none.
    pub fn past_unknown(self) -> bool {
        self.state.host().forgets().get()
            && self.state.table().with(Option::is_some)
            && self.state.ledger().with(Option::is_none)
            && !self.state.nothing_before().get()
    }

    /// Says beside a budget that the promise assumes one row for each person. `each_row`: whether the present plan assumes it; an earlier release may
    /// have.
    pub fn assumed(self, each_row: bool) -> Option<&'static str> {
        let assumes =
            |kept: &Kept| kept.release.as_ref().is_some_and(|release| release.plan.person.is_none());
        let before = || self.state.releases().with(|all| all.iter().any(assumes));
        if each_row {
            Some(words::guarantee::unit_assumed())
        } else {
            before().then(words::guarantee::unit_assumed_before)
        }
    }

    /// Returns the name of the next release's mechanism: the chosen one, or the recommended one.
    pub fn mechanism(self) -> String {
        let chosen = self.state.setup().with(|setup| setup.mechanism.clone());
        chosen.unwrap_or_else(|| self.recommended.with(|recommended| recommended.name.to_owned()))
    }

    /// Changes the description of a column.
    pub fn edit(self, index: usize, change: impl FnOnce(&mut ColumnDraft)) {
        self.state.columns().update(|columns| {
            if let Some(column) = columns.get_mut(index) {
                change(column);
            }
        });
    }

    /// Says a sentence to a screen reader.
    pub fn say(self, text: impl Into<String>) {
        let mut text = text.into();
        // What is said again, as it stands, would not be spoken.
        if self.state.said().with_untracked(|said| *said == text) {
            text.push('\u{a0}');
        }
        self.state.said().set(text);
    }

    /// Returns whether something runs.
    pub fn busy(self) -> bool {
        self.state.run().with(Option::is_some)
    }

    /// Returns the open table's files.
    pub fn files(self) -> Option<Files> {
        self.handles.with_value(|handles| handles.files.borrow().clone())
    }

    /// Returns whether nothing more can be released because the table's budget is spent.
    pub fn is_spent(self) -> bool {
        let setup = self.state.setup();
        self.state.ledger().with(|ledger| {
            ledger
                .as_ref()
                .is_some_and(|ledger| setup.with(|setup| view_model::has_nothing_left(setup, ledger)))
        })
    }
}
