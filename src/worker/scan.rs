//! A scanning worker: hashes chunks, turns slices into partial sums, and answers the engine worker alone.

use js_sys::{Reflect, Uint8Array};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Blob, Crypto, MessageEvent, MessagePort};
use zeroize::Zeroizing;

use super::channel::{Mailbox, Received, Riders, pack, unpack};
use super::protocol::{Failure, Reason, ScanRequest, ScanResponse, SliceAnswer};
use super::read::{Pieces, whole};
use crate::data::Moments;
use crate::data::csv::Feed;
use crate::data::slices::{Job, Outcome, SliceScanner};
use crate::engine::{self, Prepared};
use crate::plan::Purpose;

/// Serves the engine worker at the other end of `port` until this worker is terminated.
pub fn serve(port: MessagePort, file: Blob) {
    let inbox = Mailbox::<Result<Received<ScanRequest>, Failure>>::new();
    let handler = {
        let inbox = inbox.clone();
        Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| inbox.push(unpack(&event.data())))
    };
    port.set_onmessage(Some(handler.as_ref().unchecked_ref()));
    spawn_local(async move {
        // The handler lives as long as this task, which is as long as the worker.
        let _handler = handler;
        let mut scanner = Scanner { port, file, prepared: None };
        loop {
            let request = inbox.next().await;
            scanner.answer(request).await;
        }
    });
}

struct Scanner {
    port: MessagePort,
    file: Blob,
    prepared: Option<Prepared>,
}

impl Scanner {
    async fn answer(&mut self, request: Result<Received<ScanRequest>, Failure>) {
        let answer = match request {
            Ok(received) => self.serve(received.body).await,
            Err(failure) => Err(failure),
        };
        match answer {
            Ok(Some((body, bytes))) => self.post(&body, bytes),
            Ok(None) => {}
            Err(failure) => self.post(&ScanResponse::Failed(failure), None),
        }
    }

    async fn serve(
        &mut self,
        request: ScanRequest,
    ) -> Result<Option<(ScanResponse, Option<Uint8Array>)>, Failure> {
        match request {
            ScanRequest::Hash { from, to } => {
                let bytes = whole(&self.file, from, to).await?;
                let digest = sha256(&bytes).await?;
                self.post(&ScanResponse::Read { bytes: to - from }, None);
                Ok(Some((ScanResponse::Hashed, Some(digest))))
            }
            ScanRequest::Plan { plan, names, delimiter } => {
                let prepared = engine::prepare(*plan, &names, delimiter, Purpose::Release)
                    .map_err(|error| Failure::new(Reason::Plan, error.to_string()))?;
                self.prepared = Some(prepared);
                Ok(None)
            }
            ScanRequest::Slice { job } => self.slice(job).await.map(Some),
        }
    }

    async fn slice(&self, job: Job) -> Result<(ScanResponse, Option<Uint8Array>), Failure> {
        let prepared = self.prepared.as_ref().ok_or_else(|| {
            Failure::new(Reason::Program, "A worker was asked to read before it had the plan.")
        })?;
        let terms = prepared.geometry().terms.len();
        let mut scanner = SliceScanner::new(job, prepared.bound(), Moments::new(terms));
        let mut pieces = Pieces::new(&self.file, job.from, job.to);
        while let Some(bytes) = pieces.next().await? {
            let read = bytes.len() as u64;
            let feed = scanner.feed(bytes);
            self.post(&ScanResponse::Read { bytes: read }, None);
            if feed == Feed::Done {
                break;
            }
        }
        Ok(match scanner.finish().outcome {
            Outcome::Nothing => (ScanResponse::Sliced(SliceAnswer::Nothing), None),
            Outcome::Failed { start, error } => {
                (ScanResponse::Sliced(SliceAnswer::Malformed { start, error }), None)
            }
            Outcome::Read { start, part } => {
                let bytes = Zeroizing::new(part.sink.to_bytes());
                let answer = SliceAnswer::Read {
                    start,
                    end: part.end,
                    lines: part.lines,
                    records: part.records,
                    persons: part.persons,
                };
                (ScanResponse::Sliced(answer), Some(Uint8Array::from(bytes.as_slice())))
            }
        })
    }

    fn post(&self, body: &ScanResponse, bytes: Option<Uint8Array>) {
        let riders = Riders { bytes, ..Riders::default() };
        if let Ok((message, transfer)) = pack(body, &riders) {
            // A port whose other end is gone takes messages silently.
            let _ = self.port.post_message_with_transferable(&message, &transfer);
        }
    }
}

/// SHA-256 by the browser, which is several times as fast as a module's own.
async fn sha256(bytes: &js_sys::ArrayBuffer) -> Result<Uint8Array, Failure> {
    let refused = |_: JsValue| Failure::new(Reason::Program, "The browser could not hash the file.");
    let crypto = Reflect::get(&js_sys::global(), &JsValue::from_str("crypto")).map_err(refused)?;
    let digest =
        crypto.unchecked_into::<Crypto>().subtle().digest_with_str_and_buffer_source("SHA-256", bytes);
    let digest = JsFuture::from(digest.map_err(refused)?).await.map_err(refused)?;
    Ok(Uint8Array::new(&digest))
}
