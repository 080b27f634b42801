//! Starts, times out, cancels and terminates workers, on the page.
//!
//! Each request has its own workers, which end with it, because linear memory does not shrink and a worker that trapped must not
//! be used again. Those of the next request are started ahead. The workers' text and module are the page's own, loaded before its
//! policy blocked all connections, so nothing is fetched here.

use std::cell::RefCell;
use std::iter;
use std::rc::Rc;

use js_sys::{Array, Promise};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{
    Blob, BlobPropertyBag, ErrorEvent, Event, MessageChannel, MessageEvent, MessagePort, Url, Window, Worker,
};

use super::channel::{Attachments, Mailbox, Received, pack, unpack};
use super::context::StartContext;
use super::delay;
use super::files::Files;
use super::protocol::{
    CHUNK, Failure, FirstReading, Inspected, Look, Looked, Progress, PublicRequest, Reason, ReleaseRequest,
    Request, Response, SharedRows,
};
use crate::audit::check::Finding;
use crate::data::FileRole;
use crate::noise::entropy::random_id;
use crate::plan::Plan;
use crate::plan::public::PublicTable;
use crate::release::Release;
use crate::release::document::Coefficients;
use crate::store::document::{self, Made};
use crate::store::{self, Lock};
use crate::text::hexadecimal;
use crate::words;

/// The last part of a worker's script, after the glue code. It starts the module in the first message, and keeps the translation
/// and the port to the page's memory from the same message. It reports failures that the module cannot report, such as exhausted
/// memory. The worker holds a lock until it ends, so that the page notices its end. If the browser has no locks, the page notices
/// only an error of the worker.
const BOOTSTRAP: &str = r#"
{
    const stopped = () => self.postMessage({ stopped: true });
    self.addEventListener("error", stopped);
    self.addEventListener("unhandledrejection", stopped);
    self.onmessage = ({ data: [module, words, life, memory] }) => {
        self.onmessage = null;
        Object.assign(self, { words, memory });
        const live = (end) => {
            self.end = end;
            wasm_bindgen({ module_or_path: module }).then(() => wasm_bindgen.work()).catch(stopped);
        };
        if (life) navigator.locks.request(life, () => new Promise(live)).catch(stopped);
        else live();
    };
}
"#;

/// The longest time until a worker must be ready, and between two findings of the check.
const LATE_MILLISECONDS: i32 = 30_000;

/// How long a release has waited for its click when the workers of another request are started.
const PAUSE_MILLISECONDS: i32 = 300;

/// Scanning workers that wait for the next request, at least.
const WAITING: usize = 2;

/// Most scanning workers; more gain little and phones have little memory.
const MAX_SCANNERS: u64 = 8;

/// Starts an engine worker and its scanning workers for each request, and ends them with it. Clones share one run: a new request
/// ends the previous one.
#[derive(Clone)]
pub struct Pool {
    pub(super) context: Rc<StartContext>,
    current: Rc<RefCell<Option<Mailbox<Happening>>>>,
    /// Workers that wait for the next request. No request knows them yet.
    ahead: Rc<RefCell<Option<Run>>>,
    /// A release whose files are read before it is asked for.
    read_ahead: Rc<RefCell<Option<Awaiting>>>,
}

/// A release that waits for the click before it charges.
struct Awaiting {
    request: ReleaseRequest,
    run: Run,
    click: MessagePort,
}

impl Awaiting {
    /// Starts to read the files of a release.
    fn start(run: Run, request: ReleaseRequest, files: &Files) -> Result<Self, Failure> {
        let channel = MessageChannel::new().map_err(no_worker)?;
        run.ask(&Request::Release(Box::new(request.clone())), files, Some(channel.port1()))?;
        Ok(Self { request, run, click: channel.port2() })
    }

    /// Returns whether what is read for this release probably serves another one of the same table. How bounds are estimated
    /// depends on the budget.
    fn serves(&self, other: &ReleaseRequest) -> bool {
        let is_budgeted = self.request.plan.estimates() && self.request.plan != other.plan;
        self.request.table == other.table && self.request.reads_as(other) && !is_budgeted
    }
}

/// The request of a release.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The plan.
    pub plan: Plan,
    /// How many of the table's columns the plan has.
    pub columns: usize,
    /// The public moments of the columns, if the mechanism uses them.
    pub public: Option<PublicTable>,
    /// The hash of the last entry of the ledger that the page shows.
    pub seen: Option<String>,
}

/// An event that a run waits for.
enum Happening {
    /// A worker's message; worker 0 is the engine.
    Message(usize, Result<Received<Response>, Failure>),
    /// A worker stopped without a message.
    Stopped,
    /// A worker did not answer in time.
    Late,
    /// The person cancelled.
    Cancelled,
}

impl Pool {
    /// Creates a pool that starts its workers from what the page loaded.
    pub fn new(context: StartContext) -> Self {
        Self::of(Rc::new(context))
    }

    /// Returns a pool of the same program whose requests do not end those of this pool.
    pub fn apart(&self) -> Self {
        Self::of(Rc::clone(&self.context))
    }

    fn of(context: Rc<StartContext>) -> Self {
        Self { context, current: Rc::default(), ahead: Rc::default(), read_ahead: Rc::default() }
    }

    /// Returns what the page loaded: the build's hash and the samples.
    pub fn context(&self) -> &StartContext {
        &self.context
    }

    /// Starts one worker and ends it, to check that the browser runs the program, and that a worker
    /// computes the known answers. The page calls it once, before any budget can be spent.
    ///
    /// # Errors
    /// [`Reason::Program`].
    pub async fn check(&self) -> Result<(), Failure> {
        let mut run = self.begin(1)?;
        run.ready().await
    }

    /// Recognises the table: its key in [`crate::store`], on this device alone.
    ///
    /// # Errors
    /// [`Failure`] if the file cannot be read, the storage refuses, a worker does not run, or the person cancels.
    pub async fn identify(
        &self,
        files: &Files,
        on_progress: impl Fn(Progress) + 'static,
    ) -> Result<String, Failure> {
        let request = Request::Identify { files: files.roles() };
        match self.request(&request, files, scanners(files, false), &on_progress).await?.body {
            Response::Identified { table } => {
                self.start_ahead(files);
                Ok(table)
            }
            _ => Err(Failure::protocol()),
        }
    }

    /// Reads what the page shows of genotypes before they are described.
    ///
    /// # Errors
    /// [`Failure`] if a file cannot be read or is malformed, a worker does not run, or the person cancels.
    pub async fn look(
        &self,
        files: &Files,
        request: Look,
        on_progress: impl Fn(Progress) + 'static,
    ) -> Result<Looked, Failure> {
        match self.request(&Request::Look(request), files, 0, &on_progress).await?.body {
            Response::Looked(looked) => Ok(*looked),
            _ => Err(Failure::protocol()),
        }
    }

    /// Unpacks a table that is compressed, in UTF-16, or the sheet of a workbook at place `sheet`, by itself the largest. Returns the names of
    /// the sheets, the place of the one that was taken, and the CSV.
    ///
    /// # Errors
    /// [`Failure`] if the file cannot be read or its table is too large, a worker does not run, or the person cancels.
    pub async fn unpack(
        &self,
        file: Blob,
        sheet: Option<usize>,
        on_progress: impl Fn(Progress) + 'static,
    ) -> Result<(Vec<String>, usize, Blob), Failure> {
        match self.request(&Request::Unpack { sheet }, &Files::table(file), 0, &on_progress).await? {
            Received { body: Response::Unpacked { sheets, sheet }, mut attachments } => {
                attachments.files.pop().map(|csv| (sheets, sheet, csv)).ok_or_else(Failure::protocol)
            }
            _ => Err(Failure::protocol()),
        }
    }

    /// Reads a public table for a plan, and compares its records with those of the private table if that is a CSV. `table` is the private
    /// table's key; a public file with the same key is refused.
    ///
    /// # Errors
    /// [`Failure`] if it is the private table, does not fit the plan or cannot be read, if a worker does not run, or if the person
    /// cancels.
    pub async fn public(
        &self,
        file: Blob,
        private: Option<Blob>,
        plan: Plan,
        table: String,
        on_progress: impl Fn(Progress) + 'static,
    ) -> Result<(PublicTable, Option<SharedRows>), Failure> {
        let scanners = scanners(&Files::table(file.clone()), false);
        let files = iter::once(file).chain(private).map(|file| (FileRole::Table, file));
        let (request, files) = (PublicRequest { plan, table }, Files::new(files.collect()));
        match self.request(&Request::Public(Box::new(request)), &files, scanners, &on_progress).await?.body {
            Response::Public { table, shared } => Ok((*table, shared)),
            _ => Err(Failure::protocol()),
        }
    }

    /// Counts the cells of a table that do not fit the columns as a plan describes them.
    ///
    /// # Errors
    /// [`Failure`] if the file cannot be read or does not fit the plan, a worker does not run, or the person cancels.
    pub async fn inspect(
        &self,
        files: &Files,
        plan: Plan,
        on_progress: impl Fn(Progress) + 'static,
    ) -> Result<Inspected, Failure> {
        let scanners = scanners(files, plan.person.is_some());
        let request = Request::Inspect { plan: Box::new(plan) };
        let answer = self.request(&request, files, scanners, &on_progress).await?;
        self.start_ahead(files);
        match answer.body {
            Response::Inspected(found) => Ok(found),
            _ => Err(Failure::protocol()),
        }
    }

    /// Reads the files of a release that may be asked for next, and keeps what was read in its workers. Any other request ends them.
    ///
    /// # Errors
    /// [`Failure`] if a worker does not run, or another request came before all were ready.
    pub async fn read_ahead(&self, files: &Files, asked: Asked, table: &str) -> Result<(), Failure> {
        let request = self.release_request(files, asked, Some(table.to_owned()))?;
        if self.read_ahead.borrow().as_ref().is_some_and(|awaiting| awaiting.serves(&request)) {
            return Ok(());
        }
        let run = self.ready(files, &request).await?;
        self.keep_waiting(Awaiting::start(run, request, files)?, files);
        Ok(())
    }

    /// Reads a CSV as [`Self::read_ahead`], once for all: recognises the table if it has no key yet, and counts the cells that do not fit by
    /// the plan `inspect`.
    ///
    /// # Errors
    /// As for [`Self::identify`]; also where the file cannot be released as it is described, or one reading cannot do all of this.
    pub async fn read_once(
        &self,
        files: &Files,
        asked: Asked,
        table: Option<String>,
        inspect: Plan,
        on_progress: impl Fn(Progress) + 'static,
    ) -> Result<FirstReading, Failure> {
        let request = ReleaseRequest { inspect: Some(inspect), ..self.release_request(files, asked, table)? };
        let run = self.ready(files, &request).await?;
        let mut awaiting = Awaiting::start(run, request, files)?;
        let Response::Read(read) = awaiting.run.answer(&on_progress).await?.body else {
            return Err(Failure::protocol());
        };
        let known = read?;
        awaiting.request.table = Some(known.table.clone());
        self.keep_waiting(awaiting, files);
        Ok(known)
    }

    /// Reads the table, charges its ledger and releases. `table` is the key that [`Self::identify`] returned for these files. What was
    /// read ahead is not read again. The page shows the result only after [`delay_from`].
    ///
    /// # Errors
    /// As for [`Self::identify`]; also if the plan cannot be run or too little of the budget is left. The failure says whether the
    /// charge was made.
    pub async fn release(
        &self,
        files: &Files,
        asked: Asked,
        table: String,
        on_progress: impl Fn(Progress) + 'static,
    ) -> Result<Made, Failure> {
        let request = self.release_request(files, asked, Some(table.clone()))?;
        let ahead = self.read_ahead.take().filter(|awaiting| awaiting.serves(&request));
        let name = request.name.clone();
        let result = self.try_release(ahead, files, request, &on_progress).await;
        // The workers and their locks are gone, so the storage is the source for what was charged.
        let charged = store::take_charge(&table, &name).await;
        self.start_ahead(files);
        match (result, charged) {
            // The workers and their memory are gone before the document is read.
            (Ok(store::Settled { ledger, document, kept }), _) => {
                let unread = || Failure::after_charge(Reason::Program);
                let release = self.read_release(&document).await.ok().flatten().ok_or_else(unread)?;
                Ok(Made { release, document, ledger, kept })
            }
            (Err(failure), charged) if charged.as_ref().map_or(failure.charged, |charged| *charged) => {
                Err(Failure::after_charge(failure.reason))
            }
            // The engine was terminated and the storage cannot be read, so the charge is unknown.
            (Err(Failure { reason: Reason::Cancelled | Reason::Internal, .. }), Err(_)) => {
                Err(Failure::new(Reason::Storage, words::failure::unknown_charge()))
            }
            (Err(failure), _) => Err(Failure { charged: false, ..failure }),
        }
    }

    /// Reads a release from its document. Returns `None` if it is another document. A long one is read by a worker of its own; the
    /// page takes it in pieces, each in a task of its own, so that its thread is free in between. A request that runs is not ended.
    ///
    /// # Errors
    /// [`Failure`] if the file cannot be read, this version cannot read the release, or the worker does not run.
    pub async fn read_release(&self, document: &Blob) -> Result<Option<Release>, Failure> {
        if document.size() <= document::READ_AT_ONCE {
            return document::read_release(document).await;
        }
        let mut run = Run::start(&self.context, 1)?;
        run.ready().await?;
        run.ask(&Request::ReadRelease, &Files::table(document.clone()), None)?;
        let Received { body: Response::ReleaseRead { outcomes }, mut attachments } = run.response().await?.1
        else {
            return Err(Failure::protocol());
        };
        let Some(rest) = attachments.files.pop() else { return Ok(None) };
        let mut release = document::read_release(&rest).await?.ok_or_else(Failure::protocol)?;
        if let Coefficients::Table(table) = &mut release.coefficients {
            table.reserve(outcomes);
            while table.outcomes().len() < outcomes {
                let Received { body: Response::Outcomes { outcomes: names }, attachments } =
                    run.response().await?.1
                else {
                    return Err(Failure::protocol());
                };
                let cells = attachments.bytes.ok_or_else(Failure::protocol)?.to_vec();
                if names.is_empty() || !table.append_piece(names, &cells) {
                    return Err(Failure::protocol());
                }
            }
        }
        Ok(Some(release))
    }

    fn release_request(
        &self,
        files: &Files,
        Asked { plan, columns, public, seen }: Asked,
        table: Option<String>,
    ) -> Result<ReleaseRequest, Failure> {
        Ok(ReleaseRequest {
            files: files.roles(),
            columns,
            plan,
            table,
            inspect: None,
            seen,
            name: random_name()?,
            build: self.context.build.clone(),
            public,
        })
    }

    /// Returns the workers of a release, once all are ready.
    async fn ready(&self, files: &Files, request: &ReleaseRequest) -> Result<Run, Failure> {
        let mut run = self.begin(1 + scanners(files, request.plan.person.is_some()))?;
        run.ready().await?;
        Ok(run)
    }

    async fn try_release(
        &self,
        ahead: Option<Awaiting>,
        files: &Files,
        request: ReleaseRequest,
        on_progress: &dyn Fn(Progress),
    ) -> Result<store::Settled, Failure> {
        let Awaiting { mut run, click, .. } = match ahead {
            Some(ahead) => ahead,
            None => Awaiting::start(self.ready(files, &request).await?, request.clone(), files)?,
        };
        self.current.replace(Some(run.events.clone()));
        let (message, _) = pack(&request, &Attachments::default())?;
        click.post_message(&message).map_err(no_worker)?;
        let answer = loop {
            match run.answer(on_progress).await? {
                Received { body: Response::Read(_), .. } => {}
                answer => break answer,
            }
        };
        match answer {
            Received { body: Response::Released { ledger, kept }, mut attachments } => {
                let document = attachments.files.pop().ok_or_else(Failure::protocol)?;
                Ok(store::Settled { ledger: *ledger, document, kept })
            }
            _ => Err(Failure::protocol()),
        }
    }

    /// Checks this build under a seed, in a separate worker without files. Findings are reported as they are made.
    ///
    /// # Errors
    /// [`Failure`] if the worker does not run, the build refuses the check's tables, or the person cancels.
    pub async fn audit(&self, seed: u64, on_finding: impl Fn(Finding)) -> Result<(), Failure> {
        let mut run = self.begin(1)?;
        run.ready().await?;
        run.tell(&Request::Audit { seed })?;
        loop {
            // A broken sampler may never end.
            run.late = Some(Timer::start(LATE_MILLISECONDS, &run.events)?);
            match run.response().await?.1.body {
                Response::Found(finding) => on_finding(finding),
                Response::Audited => return Ok(()),
                _ => return Err(Failure::protocol()),
            }
        }
    }

    /// Ends the request that is running, if there is one, and its workers. That request fails with
    /// [`Reason::Cancelled`]; a charge that had been stored stays. What was read ahead is dropped.
    pub fn cancel(&self) {
        self.read_ahead.take();
        if let Some(events) = self.current.take() {
            events.push(Happening::Cancelled);
        }
    }

    /// Ends the previous request and returns the answer to this one. Its workers have ended by then: two sets of workers at once would take
    /// twice the memory.
    async fn request(
        &self,
        request: &Request,
        files: &Files,
        scanners: usize,
        on_progress: &dyn Fn(Progress),
    ) -> Result<Received<Response>, Failure> {
        let mut run = self.begin(1 + scanners)?;
        run.ready().await?;
        run.ask(request, files, None)?;
        run.answer(on_progress).await
    }

    /// Ends the previous request and returns so many workers for a new one.
    fn begin(&self, workers: usize) -> Result<Run, Failure> {
        self.cancel();
        let run = match self.ahead.take() {
            Some(mut run) => {
                run.staff(&self.context, workers)?;
                run
            }
            None => Run::start(&self.context, workers)?,
        };
        self.current.replace(Some(run.events.clone()));
        Ok(run)
    }

    /// Starts the workers of a release of these files, which is what comes next, or of another file, which may be longer. Those that wait already
    /// are kept. If they do not start, the next request says so.
    fn start_ahead(&self, files: &Files) {
        let workers = 1 + scanners(files, false).max(WAITING);
        let mut ahead = self.ahead.borrow_mut();
        if ahead.as_ref().is_none_or(|run| run.workers.len() < workers) {
            *ahead = Run::start(&self.context, workers).ok();
        }
    }

    /// Keeps a release that waits for its click, and starts the workers of another request that may come first, but not while a click that comes
    /// at once is served.
    fn keep_waiting(&self, awaiting: Awaiting, files: &Files) {
        self.read_ahead.replace(Some(awaiting));
        let (pool, files) = (self.clone(), files.clone());
        spawn_local(async move {
            let is_over = wait(PAUSE_MILLISECONDS).await.is_ok();
            if is_over && pool.read_ahead.borrow().is_some() {
                pool.start_ahead(&files);
            }
        });
    }
}

/// The workers of one request. They end when it is dropped.
pub(super) struct Run {
    workers: Vec<Handle>,
    events: Mailbox<Happening>,
    charged: bool,
    late: Option<Timer>,
    text: Address,
}

impl Run {
    /// Starts so many workers.
    pub(super) fn start(context: &StartContext, workers: usize) -> Result<Self, Failure> {
        let text = Address::of(&[&context.glue, BOOTSTRAP])?;
        let mut run = Self { workers: Vec::new(), events: Mailbox::new(), charged: false, late: None, text };
        run.staff(context, workers)?;
        Ok(run)
    }

    /// Starts or ends workers, until there are so many; they load in parallel.
    fn staff(&mut self, context: &StartContext, workers: usize) -> Result<(), Failure> {
        self.workers.truncate(workers);
        for index in self.workers.len()..workers {
            self.workers.push(Handle::start(index, &self.text, context, &self.events)?);
        }
        Ok(())
    }

    /// Waits until every worker is ready.
    pub(super) async fn ready(&mut self) -> Result<(), Failure> {
        self.late = Some(Timer::start(LATE_MILLISECONDS, &self.events)?);
        let mut missing = self.workers.len();
        while missing > 0 {
            let (worker, received) = self.response().await?;
            match received.body {
                Response::Ready => {
                    missing -= 1;
                    self.workers.get(worker).ok_or_else(Failure::protocol)?.watch(&self.events);
                }
                _ => return Err(Failure::protocol()),
            }
        }
        self.late = None;
        Ok(())
    }

    /// Connects the scanning workers to the engine worker and sends it the request, with one more port beside it for a release.
    fn ask(&self, request: &Request, files: &Files, click: Option<MessagePort>) -> Result<(), Failure> {
        let Some((engine, scanners)) = self.workers.split_first() else { return Err(Failure::protocol()) };
        let mut ports = Vec::new();
        for scanner in scanners {
            let channel = MessageChannel::new().map_err(no_worker)?;
            scanner.post(&Request::Scan, attachments(files, vec![channel.port1()]))?;
            ports.push(channel.port2());
        }
        ports.extend(click);
        engine.post(request, attachments(files, ports))
    }

    /// Sends the first worker a request that needs no file.
    pub(super) fn tell(&self, request: &Request) -> Result<(), Failure> {
        let engine = self.workers.first().ok_or_else(Failure::protocol)?;
        engine.post(request, Attachments::default())
    }

    /// Waits for the engine's answer.
    pub(super) async fn answer(
        &mut self,
        on_progress: &dyn Fn(Progress),
    ) -> Result<Received<Response>, Failure> {
        loop {
            let (worker, received) = self.response().await?;
            match received.body {
                _ if worker != 0 => return Err(Failure::protocol()),
                Response::Progress(progress) => on_progress(progress),
                Response::Charged => self.charged = true,
                _ => return Ok(received),
            }
        }
    }

    /// Returns the next message of a worker. All events that end a run are errors.
    async fn response(&mut self) -> Result<(usize, Received<Response>), Failure> {
        let happening = loop {
            match self.events.next().await {
                // This worker was ready but had not been needed.
                Happening::Message(worker, _) if worker >= self.workers.len() => {}
                happening => break happening,
            }
        };
        let failure = match happening {
            Happening::Message(_, Ok(Received { body: Response::Failed(failure), .. })) => failure,
            Happening::Message(worker, Ok(received)) => return Ok((worker, received)),
            Happening::Message(_, Err(failure)) => failure,
            Happening::Stopped => Failure::new(Reason::Internal, words::failure::part_stopped()),
            Happening::Late => Failure::new(Reason::Program, words::failure::part_late()),
            Happening::Cancelled => Failure::new(Reason::Cancelled, words::page::cancelled()),
        };
        Err(if self.charged { Failure::after_charge(failure.reason) } else { failure })
    }
}

/// A worker and its event handlers.
struct Handle {
    worker: Worker,
    /// The name of the lock that it holds, where the browser gives locks.
    life: Option<String>,
    /// Its port to the page's memory, if the browser stores nothing. Only the engine uses the store.
    _memory: Option<store::Connection>,
    _message: Closure<dyn FnMut(MessageEvent)>,
    _error: Closure<dyn FnMut(Event)>,
}

impl Handle {
    fn start(
        index: usize,
        text: &Address,
        context: &StartContext,
        events: &Mailbox<Happening>,
    ) -> Result<Self, Failure> {
        let worker = Worker::new(&text.0).map_err(no_worker)?;
        let message = {
            let events = events.clone();
            Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
                let data = event.data();
                let stopped = js_sys::Reflect::has(&data, &"stopped".into()).unwrap_or(false);
                events.push(if stopped {
                    Happening::Stopped
                } else {
                    Happening::Message(index, unpack(&data))
                });
            })
        };
        let error = {
            let events = events.clone();
            Closure::<dyn FnMut(Event)>::new(move |event: Event| {
                // The browser would write a worker's error to the console; it is reported here instead.
                if event.is_instance_of::<ErrorEvent>() {
                    event.prevent_default();
                }
                events.push(Happening::Stopped);
            })
        };
        worker.set_onmessage(Some(message.as_ref().unchecked_ref()));
        worker.set_onmessageerror(Some(error.as_ref().unchecked_ref()));
        worker.set_onerror(Some(error.as_ref().unchecked_ref()));
        let words = JsValue::from(context.words.as_deref());
        let life = if store::keeps() { Some(format!("discreet-worker:{}", random_name()?)) } else { None };
        let (port, memory) = if index == 0 { store::connect()? } else { None }.unzip();
        let ports: Array = port.iter().collect();
        let start =
            Array::of4(&context.module, &words, &JsValue::from(life.as_deref()), &JsValue::from(port));
        worker.post_message_with_transfer(&start, &ports).map_err(no_worker)?;
        Ok(Self { worker, life, _memory: memory, _message: message, _error: error })
    }

    /// Reports [`Happening::Stopped`] when the worker is gone, for whatever reason: then the browser grants its lock. After the run has
    /// ended nobody reads the report.
    fn watch(&self, events: &Mailbox<Happening>) {
        let (Some(life), events) = (self.life.clone(), events.clone()) else { return };
        spawn_local(async move {
            if Lock::take(&life).await.is_ok() {
                events.push(Happening::Stopped);
            }
        });
    }

    fn post(&self, request: &Request, attachments: Attachments) -> Result<(), Failure> {
        let (message, transfer) = pack(request, &attachments)?;
        self.worker.post_message_with_transfer(&message, &transfer).map_err(no_worker)
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onmessageerror(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

/// A `blob:` address. The page's policy applies to workers started from it.
struct Address(String);

impl Address {
    fn of(parts: &[&str]) -> Result<Self, Failure> {
        let parts: Array = parts.iter().map(|part| JsValue::from_str(part)).collect();
        let kind = BlobPropertyBag::new();
        kind.set_type("text/javascript");
        let blob = Blob::new_with_str_sequence_and_options(&parts, &kind).map_err(no_worker)?;
        Url::create_object_url_with_blob(&blob).map(Self).map_err(no_worker)
    }
}

impl Drop for Address {
    fn drop(&mut self) {
        // Revoking this address cannot fail.
        let _ = Url::revoke_object_url(&self.0);
    }
}

/// Pushes [`Happening::Late`] after some time, unless it is dropped before.
struct Timer {
    id: i32,
    _fire: Closure<dyn FnMut()>,
}

impl Timer {
    fn start(milliseconds: i32, events: &Mailbox<Happening>) -> Result<Self, Failure> {
        let events = events.clone();
        let fire = Closure::<dyn FnMut()>::new(move || events.push(Happening::Late));
        let id = window()?
            .set_timeout_with_callback_and_timeout_and_arguments_0(
                fire.as_ref().unchecked_ref(),
                milliseconds,
            )
            .map_err(no_worker)?;
        Ok(Self { id, _fire: fire })
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        if let Ok(window) = window() {
            window.clear_timeout_with_handle(self.id);
        }
    }
}

fn attachments(files: &Files, ports: Vec<MessagePort>) -> Attachments {
    Attachments { files: files.handles(), ports, ..Attachments::default() }
}

/// Returns the number of scanning workers: one if the files are small, or if the order of rows matters.
fn scanners(files: &Files, ordered: bool) -> usize {
    let cores = window().map_or(1.0, |window| window.navigator().hardware_concurrency());
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small whole numbers")]
    let (cores, pieces) = (cores as u64, files.length().div_ceil(2 * CHUNK));
    let most = if ordered { 1 } else { MAX_SCANNERS };
    usize::try_from(cores.min(pieces).clamp(1, most)).unwrap_or(1)
}

/// Returns a random name for a request.
fn random_name() -> Result<String, Failure> {
    let id = random_id().map_err(|error| Failure::new(Reason::Internal, error.to_string()))?;
    Ok(hexadecimal(&id))
}

/// Returns the milliseconds since the page started, for what is shown here alone.
pub fn clock() -> f64 {
    window().ok().and_then(|window| window.performance()).map_or(0.0, |performance| performance.now())
}

/// Waits until a result that is complete now may be shown. `clicked` is the page's clock in milliseconds at the click.
pub async fn delay_from(clicked: f64) {
    let due = clicked + delay::due(clock() - clicked);
    // A timer may be a little early.
    while clock() < due {
        #[expect(clippy::cast_possible_truncation, reason = "at most half a second")]
        let left = (due - clock()).ceil() as i32;
        // Without a timer the result is shown at once.
        if wait(left).await.is_err() {
            return;
        }
    }
}

/// Waits so many milliseconds. An error means that there is no timer.
async fn wait(milliseconds: i32) -> Result<(), Failure> {
    let window = window()?;
    let waited = Promise::new(&mut |resolve, reject| {
        let timer = window.set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, milliseconds);
        if timer.is_err() {
            let _ = reject.call0(&JsValue::UNDEFINED);
        }
    });
    JsFuture::from(waited).await.map(drop).map_err(no_worker)
}

fn window() -> Result<Window, Failure> {
    web_sys::window().ok_or_else(|| Failure::new(Reason::Program, words::failure::no_page()))
}

fn no_worker(_: JsValue) -> Failure {
    Failure::new(Reason::Program, words::failure::no_worker())
}
