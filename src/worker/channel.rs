//! Messages as JavaScript objects, and a queue to await them.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};

use js_sys::{Array, Object, Reflect, Uint8Array};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, DedicatedWorkerGlobalScope, MessagePort};

use super::protocol::Failure;
use crate::text::json;

/// Returns this worker's global scope.
pub fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

/// Objects that travel beside a message.
#[derive(Debug, Default)]
pub struct Attachments {
    /// Handles of files, or a document.
    pub files: Vec<Blob>,
    /// Ports, which are transferred to the receiver.
    pub ports: Vec<MessagePort>,
    /// Bytes, whose memory is transferred to the receiver.
    pub bytes: Option<Uint8Array>,
    /// A value that JSON cannot express.
    pub value: Option<JsValue>,
}

/// A message and its attachments.
#[derive(Debug)]
pub struct Received<T> {
    /// The message.
    pub body: T,
    /// Its attachments.
    pub attachments: Attachments,
}

/// Returns a message as an object, and the list of objects to transfer with it.
///
/// # Errors
/// [`Failure`] if the message cannot be written as JSON, which does not happen with this program's messages.
pub fn pack<T: Serialize>(body: &T, attachments: &Attachments) -> Result<(Object, Array), Failure> {
    let text = json::to_text(body, false).map_err(|_| Failure::protocol())?;
    let (message, transfer) = (Object::new(), Array::new());
    set(&message, "body", &JsValue::from_str(&text));
    if !attachments.files.is_empty() {
        let files: Array = attachments.files.iter().collect();
        set(&message, "files", &files);
    }
    if !attachments.ports.is_empty() {
        let ports: Array = attachments.ports.iter().collect();
        set(&message, "ports", &ports);
        for port in &attachments.ports {
            transfer.push(port);
        }
    }
    if let Some(bytes) = &attachments.bytes {
        set(&message, "bytes", bytes);
        transfer.push(&bytes.buffer());
    }
    if let Some(value) = &attachments.value {
        set(&message, "value", value);
    }
    Ok((message, transfer))
}

/// Reads what [`pack`] wrote.
///
/// # Errors
/// [`Failure`] if the object is no message of this build. It does not quote the message, which may be private.
pub fn unpack<T: DeserializeOwned>(data: &JsValue) -> Result<Received<T>, Failure> {
    let get = |name: &str| Reflect::get(data, &JsValue::from_str(name)).unwrap_or(JsValue::UNDEFINED);
    let text = get("body").as_string().ok_or_else(Failure::protocol)?;
    let body = serde_json::from_str(&text).map_err(|_| Failure::protocol())?;
    let list = |name| {
        get(name).dyn_into::<Array>().map_or_else(|_| Vec::new(), |list| list.iter().collect::<Vec<_>>())
    };
    let attachments = Attachments {
        files: list("files").into_iter().filter_map(|file| file.dyn_into().ok()).collect(),
        ports: list("ports").into_iter().filter_map(|port| port.dyn_into().ok()).collect(),
        bytes: get("bytes").dyn_into().ok(),
        value: Some(get("value")).filter(|value| !value.is_undefined()),
    };
    Ok(Received { body, attachments })
}

fn set(object: &Object, name: &str, value: &JsValue) {
    // Setting a property of this plain object cannot fail.
    let _ = Reflect::set(object, &JsValue::from_str(name), value);
}

/// A queue between an event's handler and a task that awaits it.
pub struct Mailbox<T>(Rc<RefCell<Queue<T>>>);

struct Queue<T> {
    waiting: VecDeque<T>,
    waker: Option<Waker>,
}

impl<T> Mailbox<T> {
    /// Creates an empty queue.
    pub fn new() -> Self {
        Self(Rc::new(RefCell::new(Queue { waiting: VecDeque::new(), waker: None })))
    }

    /// Puts a value at the end.
    pub fn push(&self, value: T) {
        let waker = {
            let mut queue = self.0.borrow_mut();
            queue.waiting.push_back(value);
            queue.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Takes the first value, once there is one.
    pub async fn next(&self) -> T {
        poll_fn(|context| {
            let mut queue = self.0.borrow_mut();
            match queue.waiting.pop_front() {
                Some(value) => Poll::Ready(value),
                None => {
                    queue.waker = Some(context.waker().clone());
                    Poll::Pending
                }
            }
        })
        .await
    }
}

impl<T> Default for Mailbox<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Clone for Mailbox<T> {
    fn clone(&self) -> Self {
        Self(Rc::clone(&self.0))
    }
}
