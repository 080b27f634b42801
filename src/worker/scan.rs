//! A scanning worker: hashes and sketches chunks, turns slices into partial sums, and answers the engine worker alone.

use js_sys::{Promise, Reflect, Uint8Array};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Blob, Crypto, MessageEvent, MessagePort};
use zeroize::Zeroizing;

use super::channel::{Mailbox, Received, Riders, pack, unpack};
use super::protocol::{Failure, Reason, ScanRequest, ScanResponse, SliceAnswer};
use super::read::{Pieces, whole};
use crate::data::csv::Feed;
use crate::data::sketch::SketchScanner;
use crate::data::slices::{Job, Outcome, SliceReport, SliceScanner};
use crate::data::{Sketch, SketchKey};
use crate::engine::{self, EngineError, Prepared};
use crate::plan::Purpose;

/// Serves the engine worker at the other end of `port` until this worker is terminated.
pub fn serve(port: MessagePort, files: Vec<Blob>) {
    let inbox = Mailbox::<Result<Received<ScanRequest>, Failure>>::new();
    let handler = {
        let inbox = inbox.clone();
        Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| inbox.push(unpack(&event.data())))
    };
    port.set_onmessage(Some(handler.as_ref().unchecked_ref()));
    spawn_local(async move {
        // The handler lives as long as this task, which is as long as the worker.
        let _handler = handler;
        let mut scanner = Scanner { port, files, prepared: None, sketching: None };
        loop {
            let request = inbox.next().await;
            scanner.answer(request).await;
        }
    });
}

struct Scanner {
    port: MessagePort,
    files: Vec<Blob>,
    prepared: Option<Prepared>,
    sketching: Option<(SketchKey, u8)>,
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
            ScanRequest::Sketching { key, delimiter } => {
                self.sketching = Some((key, delimiter));
                Ok(None)
            }
            ScanRequest::Hash { file, from, to, sketch } => self.hash(file, from, to, sketch).await.map(Some),
            ScanRequest::Sketch { job } => {
                let mut scanner = self.sketcher(job)?;
                self.sketch_from(&mut scanner, job.from, job.to).await?;
                let (answer, sketch) = sketched(scanner.finish());
                Ok(Some((ScanResponse::Sketched(answer), Some(Uint8Array::from(sketch.as_slice())))))
            }
            ScanRequest::Plan { plan, names, delimiter, public } => {
                let public = public.as_deref();
                let prepared = engine::prepare_with(*plan, public, &names, delimiter, Purpose::Release);
                self.keep(prepared)
            }
            ScanRequest::Public { plan, names, delimiter } => {
                self.keep(engine::public::prepare_table(&plan, &names, delimiter))
            }
            ScanRequest::Slice { job } => self.slice(job).await.map(Some),
        }
    }

    /// Slices will be read under this plan.
    fn keep(
        &mut self,
        prepared: Result<Prepared, EngineError>,
    ) -> Result<Option<(ScanResponse, Option<Uint8Array>)>, Failure> {
        self.prepared = Some(prepared.map_err(|error| Failure::new(Reason::Plan, error.to_string()))?);
        Ok(None)
    }

    /// Hashes a chunk. The browser hashes beside this thread, which sketches meanwhile.
    async fn hash(
        &self,
        file: usize,
        from: u64,
        to: u64,
        job: Option<Job>,
    ) -> Result<(ScanResponse, Option<Uint8Array>), Failure> {
        let chunk = whole(self.file(file)?, from, to).await?;
        let digest = sha256(&chunk)?;
        let mut sketch = None;
        if let Some(job) = job {
            let mut scanner = self.sketcher(job)?;
            let bytes = Zeroizing::new(Uint8Array::new(&chunk).to_vec());
            let start = usize::try_from(job.from.saturating_sub(from)).unwrap_or(usize::MAX);
            // The last record goes on in the next chunk, unless the file ends here.
            if scanner.feed(bytes.get(start..).unwrap_or_default()) == Feed::More {
                self.sketch_from(&mut scanner, to, to).await?;
            }
            sketch = Some(sketched(scanner.finish()));
        }
        let digest = JsFuture::from(digest).await.map_err(unhashed)?;
        self.post(&ScanResponse::Read { bytes: to - from }, None);
        let (sketched, sketch) = sketch.unzip();
        let mut bytes = Uint8Array::new(&digest).to_vec();
        bytes.extend(sketch.unwrap_or_default());
        Ok((ScanResponse::Hashed { sketched }, Some(Uint8Array::from(bytes.as_slice()))))
    }

    /// One of the files; a CSV is the only one.
    fn file(&self, place: usize) -> Result<&Blob, Failure> {
        self.files.get(place).ok_or_else(|| {
            Failure::new(Reason::Program, "A worker was asked for a file that it does not have.")
        })
    }

    fn sketcher(&self, job: Job) -> Result<SketchScanner, Failure> {
        let (key, delimiter) = self.sketching.ok_or_else(|| {
            Failure::new(Reason::Program, "A worker was asked to sketch before it had the key.")
        })?;
        Ok(SketchScanner::new(job, delimiter, &key))
    }

    /// Feeds a scanner from an offset on, surely up to `needed`.
    async fn sketch_from(&self, scanner: &mut SketchScanner, from: u64, needed: u64) -> Result<(), Failure> {
        let mut pieces = Pieces::new(self.file(0)?, from, needed);
        while let Some(bytes) = pieces.next().await? {
            if scanner.feed(bytes) == Feed::Done {
                break;
            }
        }
        Ok(())
    }

    async fn slice(&self, job: Job) -> Result<(ScanResponse, Option<Uint8Array>), Failure> {
        let prepared = self.prepared.as_ref().ok_or_else(|| {
            Failure::new(Reason::Program, "A worker was asked to read before it had the plan.")
        })?;
        let mut scanner = SliceScanner::new(job, prepared.bound(), prepared.gather());
        let mut pieces = Pieces::new(self.file(0)?, job.from, job.to);
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

/// What the engine worker is told of a sketch, and its bytes.
fn sketched(report: SliceReport<Sketch>) -> (SliceAnswer, Vec<u8>) {
    match report.outcome {
        Outcome::Nothing => (SliceAnswer::Nothing, Vec::new()),
        Outcome::Failed { start, error } => (SliceAnswer::Malformed { start, error }, Vec::new()),
        Outcome::Read { start, part } => {
            let (end, lines, records, persons) = (part.end, part.lines, part.records, part.persons);
            (SliceAnswer::Read { start, end, lines, records, persons }, part.sink.to_bytes())
        }
    }
}

/// SHA-256 by the browser, which is several times as fast as a module's own.
fn sha256(bytes: &js_sys::ArrayBuffer) -> Result<Promise, Failure> {
    let crypto = Reflect::get(&js_sys::global(), &JsValue::from_str("crypto")).map_err(unhashed)?;
    let subtle = crypto.unchecked_into::<Crypto>().subtle();
    subtle.digest_with_str_and_buffer_source("SHA-256", bytes).map_err(unhashed)
}

fn unhashed(_: JsValue) -> Failure {
    Failure::new(Reason::Program, "The browser could not hash the file.")
}
