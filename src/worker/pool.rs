//! The page's side of its workers: start, time out, cancel, terminate.
//!
//! Each request has workers of its own, which end with it: linear memory does not shrink, and a worker that has trapped
//! must not be used again. The workers' text and module are those that the page loaded before its policy closed, so
//! nothing is fetched here.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, Promise};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Blob, BlobPropertyBag, ErrorEvent, Event, MessageChannel, MessageEvent, MessagePort, Url, Window, Worker,
};

use super::channel::{Attachments, Mailbox, Received, pack, unpack};
use super::context::StartContext;
use super::delay;
use super::files::Files;
use super::protocol::{
    CHUNK, Failure, Look, Looked, Progress, PublicRequest, Reason, ReleaseRequest, Request, Response,
    build_id,
};
use crate::audit::check::Finding;
use crate::noise::entropy::random_id;
use crate::plan::Plan;
use crate::plan::public::PublicTable;
use crate::privacy::ledger::Ledger;
use crate::store;
use crate::store::document::{Made, read_release};

/// What follows the glue in a worker's text: it starts the module that the first message brings, and tells of what
/// the module itself cannot tell, such as memory that has run out.
const BOOTSTRAP: &str = r#"
{
    const stopped = () => self.postMessage({ stopped: true });
    self.addEventListener("error", stopped);
    self.addEventListener("unhandledrejection", stopped);
    self.onmessage = ({ data }) => {
        self.onmessage = null;
        wasm_bindgen({ module_or_path: data }).catch(stopped);
    };
}
"#;

/// How long a worker may take until it says that it is there, and the check's from one finding to the next.
const LATE_MILLISECONDS: i32 = 30_000;

/// Most scanning workers; more gain little and phones have little memory.
const MAX_SCANNERS: u64 = 8;

/// What is said where nobody knows whether the charge was stored.
const UNTOLD: &str = "The browser's storage refuses to say whether the charge was made. Reload the page and look at the \
    ledger: if the charge is there, it counts.";

/// Starts an engine worker and its scanning workers for each request, and ends them with it. Clones share one run: a
/// request ends the one before it.
#[derive(Clone)]
pub struct Pool {
    context: Rc<StartContext>,
    current: Rc<RefCell<Option<Mailbox<Happening>>>>,
}

/// What a release is asked for.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The plan.
    pub plan: Plan,
    /// How many of the table's columns the plan has.
    pub columns: usize,
    /// What is publicly known of the columns, where the mechanism is guided by it.
    pub public: Option<PublicTable>,
}

/// What a run waits for.
enum Happening {
    /// A worker's message; worker 0 is the engine.
    Message(usize, Result<Received<Response>, Failure>),
    /// A worker stopped without a word.
    Stopped,
    /// A worker did not answer in time.
    Late,
    /// The person does not want to wait any longer.
    Cancelled,
}

impl Pool {
    /// A pool that starts its workers from what the page loaded.
    #[must_use]
    pub fn new(context: StartContext) -> Self {
        Self { context: Rc::new(context), current: Rc::default() }
    }

    /// The same program, with requests of its own that end none of this pool's.
    #[must_use]
    pub fn apart(&self) -> Self {
        Self { context: Rc::clone(&self.context), current: Rc::default() }
    }

    /// What the page loaded: the build's hash and the samples.
    #[must_use]
    pub fn context(&self) -> &StartContext {
        &self.context
    }

    /// Starts one worker and ends it: whether the browser runs the program, whether it is the page's build, and
    /// whether it computes the known answers. To be called once, before any budget can be spent.
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
    /// Where the file cannot be read, the storage refuses, a worker does not run, or the person cancels.
    pub async fn identify(
        &self,
        files: &Files,
        on_progress: impl Fn(Progress) + 'static,
    ) -> Result<String, Failure> {
        let mut run = self.begin(1 + scanners(files, false))?;
        run.ready().await?;
        run.ask(&Request::Identify { files: files.roles() }, files)?;
        match run.answer(&on_progress).await? {
            Received { body: Response::Identified { table }, .. } => Ok(table),
            _ => Err(confused()),
        }
    }

    /// What a person sees of genotypes before they are described.
    ///
    /// # Errors
    /// Where a file cannot be read or is not well formed, a worker does not run, or the person cancels.
    pub async fn look(
        &self,
        files: &Files,
        request: Look,
        on_progress: impl Fn(Progress) + 'static,
    ) -> Result<Looked, Failure> {
        let mut run = self.begin(1)?;
        run.ready().await?;
        run.ask(&Request::Look(request), files)?;
        match run.answer(&on_progress).await?.body {
            Response::Looked(looked) => Ok(*looked),
            _ => Err(confused()),
        }
    }

    /// Reads a public table for a plan; `table` is the private one's key, whose bytes are refused. Answers also whether some of its
    /// records are in the private table as well.
    ///
    /// # Errors
    /// Where it is the private table, does not fit the plan, cannot be read, a worker does not run, or the person cancels.
    pub async fn public(
        &self,
        file: Blob,
        plan: Plan,
        table: String,
        on_progress: impl Fn(Progress) + 'static,
    ) -> Result<(PublicTable, bool), Failure> {
        let file = Files::table(file);
        let mut run = self.begin(1 + scanners(&file, false))?;
        run.ready().await?;
        run.ask(&Request::Public(Box::new(PublicRequest { plan, table })), &file)?;
        match run.answer(&on_progress).await?.body {
            Response::Public { table, shared } => Ok((*table, shared)),
            _ => Err(confused()),
        }
    }

    /// Reads the table, charges its ledger and releases. `table` is what [`Self::identify`] answered for these files. What follows
    /// from the charge is shown after [`delay_from`] and not before.
    ///
    /// # Errors
    /// As for [`Self::identify`], and where the plan cannot be run or the budget does not allow it. The failure says
    /// whether the charge was made.
    pub async fn release(
        &self,
        files: &Files,
        asked: Asked,
        table: String,
        on_progress: impl Fn(Progress) + 'static,
    ) -> Result<Made, Failure> {
        let name = random_name()?;
        let result = self.try_release(files, asked, &table, &name, &on_progress).await;
        // The workers are gone and their locks with them, so the storage itself says what was charged.
        let charged = store::take_charge(&table, &name).await;
        match (result, charged) {
            // The workers and what they held are gone before the document is read.
            (Ok((ledger, document)), _) => {
                let unread = || Failure::after_charge(Reason::Program);
                let release = read_release(&document, unread).await?;
                Ok(Made { release, document, ledger })
            }
            (Err(failure), charged) if charged.as_ref().map_or(failure.charged, |charged| *charged) => {
                Err(Failure::after_charge(failure.reason))
            }
            // The engine was ended, so it could not say, and the storage does not.
            (Err(Failure { reason: Reason::Cancelled | Reason::Internal, .. }), Err(_)) => {
                Err(Failure::new(Reason::Storage, UNTOLD))
            }
            (Err(failure), _) => Err(Failure { charged: false, ..failure }),
        }
    }

    async fn try_release(
        &self,
        files: &Files,
        Asked { plan, columns, public }: Asked,
        table: &str,
        name: &str,
        on_progress: &dyn Fn(Progress),
    ) -> Result<(Ledger, Blob), Failure> {
        let mut run = self.begin(1 + scanners(files, plan.person.is_some()))?;
        run.ready().await?;
        let request = ReleaseRequest {
            files: files.roles(),
            columns,
            plan,
            table: table.to_owned(),
            name: name.to_owned(),
            build: self.context.build.clone(),
            public,
        };
        run.ask(&Request::Release(Box::new(request)), files)?;
        match run.answer(on_progress).await? {
            Received { body: Response::Released { ledger }, mut attachments } => {
                attachments.files.pop().map(|document| (*ledger, document)).ok_or_else(confused)
            }
            _ => Err(confused()),
        }
    }

    /// Checks this build under a seed, in a worker of its own that has no file. Findings arrive as they are made.
    ///
    /// # Errors
    /// Where the worker does not run, the build does not take the check's own tables, or the person cancels.
    pub async fn audit(&self, seed: u64, on_finding: impl Fn(Finding)) -> Result<(), Failure> {
        let mut run = self.begin(1)?;
        run.ready().await?;
        let engine = run.workers.first().ok_or_else(confused)?;
        engine.post(&Request::Audit { seed }, Attachments::default())?;
        loop {
            // A sampler that is broken may never end.
            run.late = Some(Timer::start(LATE_MILLISECONDS, &run.events)?);
            match run.response().await?.1.body {
                Response::Found(finding) => on_finding(finding),
                Response::Audited => return Ok(()),
                _ => return Err(confused()),
            }
        }
    }

    /// Ends the request that is running, if there is one, and its workers. That request fails with
    /// [`Reason::Cancelled`]; a charge that had been stored stays.
    pub fn cancel(&self) {
        if let Some(events) = self.current.take() {
            events.push(Happening::Cancelled);
        }
    }

    /// Starts workers; their modules load side by side.
    fn begin(&self, workers: usize) -> Result<Run, Failure> {
        self.cancel();
        let events = Mailbox::new();
        let text = Address::of(&[&self.context.glue, BOOTSTRAP])?;
        let workers = (0..workers)
            .map(|index| Handle::start(index, &text, &self.context, &events))
            .collect::<Result<Vec<_>, _>>()?;
        let late = Timer::start(LATE_MILLISECONDS, &events)?;
        self.current.replace(Some(events.clone()));
        Ok(Run { workers, events, charged: false, late: Some(late), _text: text })
    }
}

/// The workers of one request. They end when it is dropped.
struct Run {
    workers: Vec<Handle>,
    events: Mailbox<Happening>,
    charged: bool,
    late: Option<Timer>,
    _text: Address,
}

impl Run {
    /// Waits until every worker is there and of this build.
    async fn ready(&mut self) -> Result<(), Failure> {
        let mut missing = self.workers.len();
        while missing > 0 {
            match self.response().await?.1.body {
                Response::Ready { build } if build == build_id() => missing -= 1,
                Response::Ready { .. } => {
                    return Err(Failure::new(
                        Reason::Program,
                        "The page and its workers are of different versions. Reload the page; if it stays so, empty the \
                         browser's cache for this site.",
                    ));
                }
                _ => return Err(confused()),
            }
        }
        self.late = None;
        Ok(())
    }

    /// Introduces the scanning workers to the engine worker, and asks it.
    fn ask(&self, request: &Request, files: &Files) -> Result<(), Failure> {
        let Some((engine, scanners)) = self.workers.split_first() else { return Err(confused()) };
        let mut ports = Vec::new();
        for scanner in scanners {
            let channel = MessageChannel::new().map_err(no_worker)?;
            scanner.post(&Request::Scan, attachments(files, vec![channel.port1()]))?;
            ports.push(channel.port2());
        }
        engine.post(request, attachments(files, ports))
    }

    /// Waits for the engine's answer.
    async fn answer(&mut self, on_progress: &dyn Fn(Progress)) -> Result<Received<Response>, Failure> {
        loop {
            let (worker, received) = self.response().await?;
            match received.body {
                _ if worker != 0 => return Err(confused()),
                Response::Progress(progress) => on_progress(progress),
                Response::Charged => self.charged = true,
                _ => return Ok(received),
            }
        }
    }

    /// The next message of a worker; everything that ends a run is an error.
    async fn response(&mut self) -> Result<(usize, Received<Response>), Failure> {
        let failure = match self.events.next().await {
            Happening::Message(_, Ok(Received { body: Response::Failed(failure), .. })) => failure,
            Happening::Message(worker, Ok(received)) => return Ok((worker, received)),
            Happening::Message(_, Err(failure)) => failure,
            Happening::Stopped => Failure::new(
                Reason::Internal,
                "A part of the program stopped. Close other tabs to free memory, then try again.",
            ),
            Happening::Late => Failure::new(
                Reason::Program,
                "A part of the program did not answer in time. Close other tabs, then try again.",
            ),
            Happening::Cancelled => Failure::new(Reason::Cancelled, "Cancelled. Nothing was charged."),
        };
        Err(if self.charged { Failure::after_charge(failure.reason) } else { failure })
    }
}

/// A worker and what listens to it.
struct Handle {
    worker: Worker,
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
                // The browser would write a worker's error on the console; it is told here instead.
                if event.is_instance_of::<ErrorEvent>() {
                    event.prevent_default();
                }
                events.push(Happening::Stopped);
            })
        };
        worker.set_onmessage(Some(message.as_ref().unchecked_ref()));
        worker.set_onmessageerror(Some(error.as_ref().unchecked_ref()));
        worker.set_onerror(Some(error.as_ref().unchecked_ref()));
        worker.post_message(&context.module).map_err(no_worker)?;
        Ok(Self { worker, _message: message, _error: error })
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

/// A `blob:` address; the page's policy holds for what is started from it.
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
        // Revoking an address of ours cannot fail.
        let _ = Url::revoke_object_url(&self.0);
    }
}

/// Pushes [`Happening::Late`] after a time, unless it is dropped before.
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
    Attachments { files: files.handles(), ports, bytes: None }
}

/// How many workers read files side by side: one where they are small, or where the order of rows matters.
fn scanners(files: &Files, ordered: bool) -> usize {
    let cores = window().map_or(1.0, |window| window.navigator().hardware_concurrency());
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small whole numbers")]
    let (cores, pieces) = (cores as u64, files.length().div_ceil(2 * CHUNK));
    let most = if ordered { 1 } else { MAX_SCANNERS };
    usize::try_from(cores.min(pieces).clamp(1, most)).unwrap_or(1)
}

/// A name that no other request has.
fn random_name() -> Result<String, Failure> {
    let id = random_id().map_err(|error| Failure::new(Reason::Internal, error.to_string()))?;
    Ok(id.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn now() -> f64 {
    window().ok().and_then(|window| window.performance()).map_or(0.0, |performance| performance.now())
}

/// Waits until a result that is complete now may be shown: `clicked` is the page's clock in milliseconds at the click
/// that asked for it.
pub async fn delay_from(clicked: f64) {
    let due = clicked + delay::due(now() - clicked);
    // A timer may be a little early.
    while now() < due {
        let Ok(window) = window() else { return };
        #[expect(clippy::cast_possible_truncation, reason = "at most half a second")]
        let wait = (due - now()).ceil() as i32;
        let waited = Promise::new(&mut |resolve, reject| {
            // A window that gives no timer gives the result at once.
            if window.set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, wait).is_err() {
                let _ = reject.call0(&JsValue::UNDEFINED);
            }
        });
        if JsFuture::from(waited).await.is_err() {
            return;
        }
    }
}

fn window() -> Result<Window, Failure> {
    web_sys::window().ok_or_else(|| Failure::new(Reason::Program, "There is no page here."))
}

fn no_worker(_: JsValue) -> Failure {
    Failure::new(
        Reason::Program,
        "The browser does not let this page start a worker. Allow scripts for this site, or use a newer browser.",
    )
}

fn confused() -> Failure {
    Failure::new(Reason::Program, "A worker answered out of turn. Reload the page.")
}
