//! Keeps the store's data in the page's memory, for a browser that keeps nothing for this page: it blocks site data, or it has no locks.
//!
//! The data end with the page, so a person's file is the durable ledger. The page holds the data and the locks. Each engine worker has a
//! port to the page. It collects the requests of a transaction and sends all of them at its end; the page applies them in one task, so
//! a transaction is applied as a whole or not at all. A charge is applied when the person saves the ledger that has it as `reserved`,
//! and the worker receives the answer when the person confirms the file (theory/accounting 5.5).
//!
//! Only one page has these data, but it and its worker take turns at every await. So locks are needed here, too: without one, an
//! import during a release would burn the entry that the release has reserved.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::{Rc, Weak};

use js_sys::{Array, Function, Promise};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{MessageChannel, MessageEvent, MessagePort};

use super::failure::{Failure, Reason};
use super::promise::{call, deferred, refused};
use crate::text::json;
use crate::words;

/// Where the data of this page or worker are.
#[derive(Clone)]
pub enum Place {
    /// In the browser's storage.
    Browser,
    /// In the memory of this page.
    Memory(Rc<Keeper>),
    /// In the memory of the page at the other end.
    Page(MessagePort),
}

thread_local! {
    static PLACE: RefCell<Place> = const { RefCell::new(Place::Browser) };
}

/// Returns where the data are.
pub fn place() -> Place {
    PLACE.with_borrow(Clone::clone)
}

/// Keeps the data in the browser's storage.
pub fn keep_in_browser() {
    PLACE.replace(Place::Browser);
}

/// Keeps the data in the memory of this page. `ask` shows a person what has to be saved.
pub fn keep_in_memory(ask: impl Fn(Saving) + 'static) {
    let keeper = Keeper { stores: RefCell::default(), locks: RefCell::default(), ask: Box::new(ask) };
    PLACE.replace(Place::Memory(Rc::new(keeper)));
}

/// Returns whether the browser keeps the data.
pub fn keeps() -> bool {
    matches!(place(), Place::Browser)
}

/// Returns a port for a worker of this page, and the connection that serves it; `None` where the worker can use the browser's storage.
///
/// # Errors
/// [`Failure`] if the browser gives no port.
pub fn connect() -> Result<Option<(MessagePort, Connection)>, Failure> {
    match place() {
        Place::Memory(keeper) => keeper.connect().map(Some),
        Place::Browser | Place::Page(_) => Ok(None),
    }
}

/// Lets this worker use the data of the page that gave it the port.
pub fn reach(port: MessagePort) {
    PLACE.replace(Place::Page(port));
}

/// A charge that waits until a person has saved the ledger. If it is dropped before [`Self::save`], nothing is charged. If it is dropped
/// after it, the charge stays, and the worker that asked for it receives no answer.
pub struct Saving {
    document: String,
    decide: Function,
    release: Function,
}

impl Saving {
    /// Returns the ledger's document, in which the charge is reserved.
    pub fn document(&self) -> &str {
        &self.document
    }

    /// Applies the charge, because the document is in the person's hands.
    pub fn save(&self) {
        settle(&self.decide, true);
    }

    /// Answers the worker, which then draws the noise.
    pub fn release(self) {
        call(&self.release);
    }
}

impl Drop for Saving {
    fn drop(&mut self) {
        // Without effect after `save`.
        settle(&self.decide, false);
    }
}

fn settle(decide: &Function, saved: bool) {
    // The resolving function of a promise does not throw.
    let _ = decide.call1(&JsValue::UNDEFINED, &JsValue::from_bool(saved));
}

/// The data and the locks of a page.
pub struct Keeper {
    /// The name of a store to its values by their keys.
    stores: RefCell<BTreeMap<String, BTreeMap<String, JsValue>>>,
    /// The locks that are held, with those who wait for each.
    locks: RefCell<BTreeMap<String, VecDeque<Function>>>,
    ask: Box<dyn Fn(Saving)>,
}

impl Keeper {
    /// Applies the requests of a transaction and returns their results. If `charged` is given, it is the document of a ledger with a
    /// new charge: then a person saves it first, and the results are returned after a person has confirmed that.
    async fn commit(&self, requests: &Array, charged: Option<String>) -> Result<Array, Failure> {
        let Some(document) = charged else { return self.apply(requests) };
        let ((saved, decide), (confirmed, release)) = (deferred()?, deferred()?);
        (self.ask)(Saving { document, decide, release });
        if !JsFuture::from(saved).await.is_ok_and(|saved| saved.is_truthy()) {
            return Err(Failure::new(Reason::Cancelled, words::page::cancelled()));
        }
        let answers = self.apply(requests)?;
        JsFuture::from(confirmed).await.map_err(refused)?;
        Ok(answers)
    }

    fn apply(&self, requests: &Array) -> Result<Array, Failure> {
        // The values themselves are not copied.
        let mut stores = self.stores.borrow().clone();
        let answers = Array::new();
        for request in requests.iter() {
            let request: Array = request.dyn_into().map_err(refused)?;
            let text = |at| request.get(at).as_string().unwrap_or_default();
            let (store, key) = (stores.entry(text(1)).or_default(), text(2));
            let answer = match text(0).as_str() {
                GET => store.get(&key).cloned().unwrap_or(JsValue::UNDEFINED),
                ALL => store.values().collect::<Array>().into(),
                KEYS => store.keys().map(|key| JsValue::from_str(key)).collect::<Array>().into(),
                ADD if store.contains_key(&key) => return Err(refused(JsValue::UNDEFINED)),
                ADD | PUT => {
                    store.insert(key, request.get(3)).map_or(JsValue::UNDEFINED, |_| JsValue::UNDEFINED)
                }
                DELETE => store.remove(&key).map_or(JsValue::UNDEFINED, |_| JsValue::UNDEFINED),
                _ => return Err(refused(JsValue::UNDEFINED)),
            };
            answers.push(&answer);
        }
        self.stores.replace(stores);
        Ok(answers)
    }

    /// Erases all data.
    pub fn erase(&self) {
        self.stores.take();
    }

    /// Waits for the lock `name`.
    pub async fn lock(self: &Rc<Self>, name: &str) -> Result<HeldLock, Failure> {
        let (granted, grant) = deferred()?;
        let free = {
            let mut locks = self.locks.borrow_mut();
            let free = !locks.contains_key(name);
            let waiting = locks.entry(name.to_owned()).or_default();
            if !free {
                waiting.push_back(grant);
            }
            free
        };
        if !free {
            JsFuture::from(granted).await.map_err(refused)?;
        }
        Ok(HeldLock { keeper: Rc::clone(self), name: name.to_owned() })
    }

    fn connect(self: &Rc<Self>) -> Result<(MessagePort, Connection), Failure> {
        let channel = MessageChannel::new().map_err(refused)?;
        let locks = Rc::new(RefCell::new(Vec::new()));
        let hear = {
            let (keeper, locks) = (Rc::clone(self), Rc::downgrade(&locks));
            Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
                let Ok(message) = event.data().dyn_into::<Array>() else { return };
                spawn_local(serve(Rc::clone(&keeper), message, locks.clone()));
            })
        };
        let port = channel.port1();
        port.set_onmessage(Some(hear.as_ref().unchecked_ref()));
        Ok((channel.port2(), Connection { port, _locks: locks, _hear: hear }))
    }
}

/// A lock of a page's memory, until it is dropped.
pub struct HeldLock {
    keeper: Rc<Keeper>,
    name: String,
}

impl Drop for HeldLock {
    fn drop(&mut self) {
        let next = {
            let mut locks = self.keeper.locks.borrow_mut();
            let next = locks.get_mut(&self.name).and_then(VecDeque::pop_front);
            if next.is_none() {
                locks.remove(&self.name);
            }
            next
        };
        if let Some(next) = next {
            call(&next);
        }
    }
}

/// A lock of a worker, which the worker gives back by a message.
type WorkersLock = Rc<RefCell<Option<HeldLock>>>;

/// Serves one worker until it is dropped. Then the worker's locks are free.
pub struct Connection {
    port: MessagePort,
    _locks: Rc<RefCell<Vec<WorkersLock>>>,
    _hear: Closure<dyn FnMut(MessageEvent)>,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.port.set_onmessage(None);
        self.port.close();
    }
}

/// Serves one message of a worker: `[kind, port for the answer, ...]`.
async fn serve(keeper: Rc<Keeper>, message: Array, locks: Weak<RefCell<Vec<WorkersLock>>>) {
    let Ok(port) = message.get(1).dyn_into::<MessagePort>() else { return };
    if message.get(0) == JsValue::from_str(LOCK) {
        let name = message.get(2).as_string().unwrap_or_default();
        let Ok(lock) = keeper.lock(&name).await else { return };
        // If the worker ended while it waited, the lock is free again.
        let Some(locks) = locks.upgrade() else { return };
        let lock = Rc::new(RefCell::new(Some(lock)));
        let held = Rc::downgrade(&lock);
        let free = Closure::once_into_js(move |_: JsValue| drop(held.upgrade().map(|held| held.take())));
        port.set_onmessage(Some(free.unchecked_ref()));
        locks.borrow_mut().push(lock);
        answer(&port, &JsValue::TRUE);
        return;
    }
    let Ok(requests) = message.get(2).dyn_into::<Array>() else { return };
    match keeper.commit(&requests, message.get(3).as_string()).await {
        Ok(answers) => answer(&port, &answers),
        Err(failure) => {
            answer(&port, &JsValue::from_str(&json::to_text(&failure, false).unwrap_or_default()))
        }
    }
}

fn answer(port: &MessagePort, what: &JsValue) {
    // If the page has ended the worker, nobody waits for the message.
    let _ = port.post_message(what);
}

/// Waits for the lock `name` of the page. A message to the port that is returned gives it back.
pub async fn lock_of_page(page: &MessagePort, name: &str) -> Result<MessagePort, Failure> {
    Ok(ask(page, LOCK, &[JsValue::from_str(name)]).await?.1)
}

/// Sends a message to the page and returns the page's answer, and the port that it came through.
async fn ask(page: &MessagePort, kind: &str, what: &[JsValue]) -> Result<(JsValue, MessagePort), Failure> {
    let channel = MessageChannel::new().map_err(refused)?;
    let (own, other) = (channel.port1(), channel.port2());
    let heard = Promise::new(&mut |resolve, _| own.set_onmessage(Some(&resolve)));
    let message = Array::of2(&JsValue::from_str(kind), &other);
    for part in what {
        message.push(part);
    }
    page.post_message_with_transferable(&message, &Array::of1(&other)).map_err(refused)?;
    let event: MessageEvent = JsFuture::from(heard).await.and_then(JsCast::dyn_into).map_err(refused)?;
    Ok((event.data(), own))
}

/// Kinds of a worker's messages.
const LOCK: &str = "lock";
const WRITE: &str = "write";

/// Kinds of requests: each is `[kind, store, key, value]`.
pub const GET: &str = "get";
pub const ALL: &str = "all";
pub const KEYS: &str = "keys";
pub const PUT: &str = "put";
pub const ADD: &str = "add";
pub const DELETE: &str = "delete";

/// The requests of a transaction.
#[derive(Clone, Default)]
pub struct Requests {
    requests: Array,
    answers: Rc<RefCell<Array>>,
}

impl Requests {
    /// Adds a request and returns its place.
    pub fn push(&self, kind: &str, store: &str, key: &JsValue, value: &JsValue) -> u32 {
        let (kind, store) = (JsValue::from_str(kind), JsValue::from_str(store));
        self.requests.push(&Array::of4(&kind, &store, key, value)) - 1
    }

    /// Returns the result of a request, after the transaction's end.
    pub fn answer(&self, place: u32) -> JsValue {
        self.answers.borrow().get(place)
    }

    /// Ends the transaction.
    pub async fn end(&self, charged: Option<String>) -> Result<(), Failure> {
        let answers = match place() {
            Place::Memory(keeper) => keeper.commit(&self.requests, charged).await?,
            Place::Page(page) => {
                let what = [self.requests.clone().into(), JsValue::from(charged)];
                match ask(&page, WRITE, &what).await?.0.dyn_into::<Array>() {
                    Ok(answers) => answers,
                    Err(failure) => return Err(read(&failure)),
                }
            }
            Place::Browser => return Err(refused(JsValue::UNDEFINED)),
        };
        self.answers.replace(answers);
        Ok(())
    }
}

fn read(failure: &JsValue) -> Failure {
    let text = failure.as_string().unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_else(|_| refused(JsValue::UNDEFINED))
}
