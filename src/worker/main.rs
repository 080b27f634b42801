//! Starts a worker: it reports that it is ready, then serves one request, or one forecast after another.

use js_sys::Reflect;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use wasm_bindgen_futures::spawn_local;
use web_sys::MessageEvent;

use super::channel::{self, Attachments, Received, pack, scope};
use super::files::Files;
use super::protocol::{Failure, Reason, Request, Response};
use super::{audit, foresee, inspect, public, read_release, run, scan, selfcheck, unpack};
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
    let handler =
        Closure::<dyn Fn(MessageEvent)>::new(|event: MessageEvent| match channel::unpack(&event.data()) {
            Ok(received) => spawn_local(serve(received)),
            Err(failure) => post(&Response::Failed(failure)),
        });
    scope().set_onmessage(Some(handler.into_js_value().unchecked_ref()));
    post(&match selfcheck::run() {
        Ok(()) => Response::Ready,
        Err(error) => Response::Failed(Failure::new(Reason::Program, error.to_string())),
    });
}

async fn serve(received: Received<Request>) {
    match answer(received).await {
        Ok(Some((response, attachments))) => post_with(&response, &attachments),
        Ok(None) => {}
        Err(_) if run::charged() => post(&Response::Failed(Failure::after_charge(Reason::Internal))),
        Err(failure) => post(&Response::Failed(failure)),
    }
}

/// Returns the last answer to a request. `None` if all were posted, here or by a scanning worker over its port.
async fn answer(received: Received<Request>) -> Result<Option<(Response, Attachments)>, Failure> {
    let Received { body, attachments: Attachments { files: mut handles, mut ports, .. } } = received;
    let (mut document, mut value) = (None, None);
    let response = match body {
        Request::Foresee(question) => {
            value = Some(foresee::answer(*question)?);
            Response::Foreseen
        }
        Request::Audit { seed } => {
            audit::run(seed, post).await?;
            Response::Audited
        }
        Request::ReadRelease => {
            let release = handles.pop().ok_or_else(Failure::protocol)?;
            read_release::read(&release, post_with).await?;
            return Ok(None);
        }
        Request::Scan => {
            let port = ports.pop().filter(|_| !handles.is_empty()).ok_or_else(Failure::protocol)?;
            scan::serve(port, handles);
            return Ok(None);
        }
        Request::Identify { files } => {
            let files = Files::matched(&files, handles)?;
            Response::Identified { table: run::identify(files, ports, post).await? }
        }
        Request::Look(request) => {
            let files = Files::matched(&request.files, handles)?;
            Response::Looked(Box::new(run::look(&request, files, post).await?))
        }
        Request::Unpack { sheet } => {
            let file = handles.pop().ok_or_else(Failure::protocol)?;
            let (sheets, sheet, csv) = unpack::unpack(&file, sheet, post).await?;
            document = Some(csv);
            Response::Unpacked { sheets, sheet }
        }
        Request::Inspect { plan } => {
            let file = Files::matched(&[FileRole::Table], handles)?;
            Response::Inspected(inspect::inspect(*plan, file, ports, post).await?)
        }
        Request::Public(request) => {
            let mut handles = handles.into_iter();
            let file = handles.next().ok_or_else(Failure::protocol)?;
            let (table, shared) = public::read(*request, file, handles.next(), ports, post).await?;
            Response::Public { table: Box::new(table), shared }
        }
        Request::Release(request) => {
            let files = Files::matched(&request.files, handles)?;
            let click = ports.pop().ok_or_else(Failure::protocol)?;
            let settled = run::release(*request, files, ports, click, post).await?;
            document = Some(settled.document);
            Response::Released { ledger: Box::new(settled.ledger), kept: settled.kept }
        }
    };
    Ok(Some((
        response,
        Attachments { files: document.into_iter().collect(), value, ..Attachments::default() },
    )))
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
