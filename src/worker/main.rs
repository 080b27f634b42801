//! Starts a worker: it reports that it is ready, then serves one request.

use js_sys::Reflect;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use wasm_bindgen_futures::spawn_local;
use web_sys::MessageEvent;

use super::channel::{Attachments, Received, pack, scope, unpack};
use super::files::Files;
use super::protocol::{Failure, Reason, Request, Response};
use super::{audit, inspect, public, read_release, run, scan, selfcheck};
use crate::data::FileRole;
use crate::store;
use crate::words::{self, Catalogue};

/// Starts this worker.
pub fn start() {
    std::panic::set_hook(Box::new(|panic| {
        // The text of the panic is dropped, because it may quote private data.
        let place =
            panic.location().map(|place| format!("{}:{}", place.file(), place.line())).unwrap_or_default();
        post(&Response::Failed(if run::charged() {
            Failure::after_charge(Reason::Internal)
        } else {
            Failure::new(Reason::Internal, words::failure::stopped_at(place))
        }));
    }));
    let texts = Reflect::get(&scope(), &"words".into()).ok().and_then(|texts| texts.as_string());
    // The page has checked the translation before it started this worker.
    if let Some(translation) = texts.and_then(|texts| Catalogue::parse(&texts).ok()) {
        words::choose(translation);
    }
    if let Ok(port) = Reflect::get(&scope(), &"memory".into()).and_then(JsCast::dyn_into) {
        store::reach(port);
    }
    let handler = Closure::once_into_js(|event: MessageEvent| match unpack(&event.data()) {
        Ok(received) => spawn_local(serve(received)),
        Err(failure) => post(&Response::Failed(failure)),
    });
    scope().set_onmessage(Some(handler.unchecked_ref()));
    post(&match selfcheck::run() {
        Ok(()) => Response::Ready,
        Err(error) => Response::Failed(Failure::new(Reason::Program, error.to_string())),
    });
}

async fn serve(received: Received<Request>) {
    let Received { body, attachments: Attachments { files: mut handles, mut ports, .. } } = received;
    let incomplete = || {
        let failure = Failure::new(Reason::Program, words::failure::no_file());
        post(&Response::Failed(failure));
    };
    match body {
        Request::Audit { seed } => audit::serve(seed, post).await,
        Request::ReadRelease => match handles.pop() {
            Some(document) => read_release::serve(&document, post_with).await,
            None => incomplete(),
        },
        Request::Scan => match ports.pop() {
            Some(port) if !handles.is_empty() => scan::serve(port, handles),
            _ => incomplete(),
        },
        Request::Identify { files } => match Files::matched(&files, handles) {
            Some(files) => post(&run::identify(files, ports, post).await),
            None => incomplete(),
        },
        Request::Look(request) => match Files::matched(&request.files, handles) {
            Some(files) => post(&run::look(&request, files, post).await),
            None => incomplete(),
        },
        Request::Unpack { sheet } => match Files::matched(&[FileRole::Table], handles) {
            Some(files) => {
                let (response, attachments) = run::unpack(&files, sheet, post).await;
                post_with(&response, &attachments);
            }
            None => incomplete(),
        },
        Request::Inspect { plan } => match Files::matched(&[FileRole::Table], handles) {
            Some(file) => post(&inspect::inspect(*plan, file, ports, post).await),
            None => incomplete(),
        },
        Request::Public(request) => {
            let mut handles = handles.into_iter();
            match handles.next() {
                Some(file) => post(&public::read(*request, file, handles.next(), ports, post).await),
                None => incomplete(),
            }
        }
        Request::Release(request) => match Files::matched(&request.files, handles) {
            Some(files) => {
                let (response, attachments) = run::release(*request, files, ports, post).await;
                post_with(&response, &attachments);
            }
            None => incomplete(),
        },
    }
}

fn post(response: &Response) {
    post_with(response, &Attachments::default());
}

fn post_with(response: &Response, attachments: &Attachments) {
    if let Ok((message, transfer)) = pack(response, attachments) {
        // If the page has ended this worker, nobody waits for the message.
        let _ = scope().post_message_with_transfer(&message, &transfer);
    }
}
