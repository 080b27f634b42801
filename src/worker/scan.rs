//! A scanning worker: hashes chunks and their records, turns slices into partial sums, and replies to the engine worker alone.

use std::collections::BTreeMap;

use js_sys::{Promise, Reflect, Uint8Array};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Blob, Crypto, MessageEvent, MessagePort};
use zeroize::Zeroizing;

use super::channel::{Attachments, Mailbox, Received, pack, unpack};
use super::protocol::{Failure, Reason, ScanRequest, ScanResponse, SliceAnswer, Taken};
use super::read::{Pieces, whole};
use crate::data::csv::Feed;
use crate::data::minhash::MinHashScanner;
use crate::data::slices::{Job, Outcome, Part, SliceReport, SliceScanner};
use crate::data::{EncodedRows, FewRows, MinHash, MinHashKey, Nothing, RowSink, Statistic, Sums};
use crate::engine::{self, Answer, EngineError, Prepared, Run};
use crate::words;

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
        let mut scanner =
            Scanner { port, files, prepared: None, minhash_key: None, kept: BTreeMap::new(), run: None };
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
    minhash_key: Option<(MinHashKey, u8)>,
    /// Encoded rows by their slice, and how many bytes of the file they were.
    kept: BTreeMap<usize, (EncodedRows, u64)>,
    /// Where the release stands.
    run: Option<Box<dyn Run>>,
}

impl Scanner {
    async fn answer(&mut self, request: Result<Received<ScanRequest>, Failure>) {
        let answer = match request {
            Ok(received) => self.serve(received.body, received.attachments).await,
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
        attachments: Attachments,
    ) -> Result<Option<(ScanResponse, Option<Uint8Array>)>, Failure> {
        match request {
            ScanRequest::StartMinHash { key, delimiter } => {
                self.minhash_key = Some((key, delimiter));
                Ok(None)
            }
            ScanRequest::Hash { file, from, to, minhash } => {
                self.hash(file, from, to, minhash).await.map(Some)
            }
            ScanRequest::MinHash { job } => {
                let mut scanner = self.hasher(job)?;
                self.hash_from(&mut scanner, job.from, job.to).await?;
                let (answer, minhash) = minhash_of(scanner.finish());
                Ok(Some((ScanResponse::MinHashed(answer), Some(Uint8Array::from(minhash.as_slice())))))
            }
            ScanRequest::Plan { plan, names, delimiter, public } => {
                let public = public.as_deref();
                let prepared = engine::prepare_with(*plan, public, &names, delimiter, Purpose::Release);
                self.keep(prepared)
            }
            ScanRequest::Public { plan, names, delimiter } => {
                self.keep(engine::public::prepare_table(&plan, &names, delimiter))
            }
            ScanRequest::Slice { job, taken } => self.slice(job, taken).await.map(Some),
            ScanRequest::Forget => {
                self.kept.clear();
                Ok(None)
            }
            ScanRequest::Answer => {
                let bytes = attachments.bytes.ok_or_else(early)?.to_vec();
                let answer = Answer::from_bytes(&bytes).map_err(|_| early())?;
                self.run.as_mut().ok_or_else(early)?.take(answer);
                Ok(None)
            }
            ScanRequest::Sum { slices } => self.sum(&slices).map(Some),
        }
    }

    /// Stores the plan under which slices will be read.
    fn keep(
        &mut self,
        prepared: Result<Prepared, EngineError>,
    ) -> Result<Option<(ScanResponse, Option<Uint8Array>)>, Failure> {
        let prepared = prepared.map_err(|error| Failure::new(Reason::Plan, error.to_string()))?;
        self.run = Some(prepared.start());
        self.prepared = Some(prepared);
        Ok(None)
    }

    /// Hashes a chunk. The browser hashes beside this thread, which hashes the records meanwhile.
    async fn hash(
        &self,
        file: usize,
        from: u64,
        to: u64,
        job: Option<Job>,
    ) -> Result<(ScanResponse, Option<Uint8Array>), Failure> {
        let chunk = whole(self.file(file)?, from, to).await?;
        let digest = sha256(&chunk)?;
        let mut minhash = None;
        if let Some(job) = job {
            let mut scanner = self.hasher(job)?;
            let bytes = Zeroizing::new(Uint8Array::new(&chunk).to_vec());
            let start = usize::try_from(job.from.saturating_sub(from)).unwrap_or(usize::MAX);
            // The last record goes on in the next chunk, unless the file ends here.
            if scanner.feed(bytes.get(start..).unwrap_or_default()) == Feed::More {
                self.hash_from(&mut scanner, to, to).await?;
            }
            minhash = Some(minhash_of(scanner.finish()));
        }
        let digest = JsFuture::from(digest).await.map_err(unhashed)?;
        self.post(&ScanResponse::Read { bytes: to - from }, None);
        let (slice, minhash) = minhash.unzip();
        let mut bytes = Uint8Array::new(&digest).to_vec();
        bytes.extend(minhash.unwrap_or_default());
        Ok((ScanResponse::Hashed { slice }, Some(Uint8Array::from(bytes.as_slice()))))
    }

    /// Returns one of the files; a CSV is the only one.
    fn file(&self, place: usize) -> Result<&Blob, Failure> {
        self.files.get(place).ok_or_else(|| Failure::new(Reason::Program, words::failure::worker_file()))
    }

    fn hasher(&self, job: Job) -> Result<MinHashScanner, Failure> {
        let (key, delimiter) =
            self.minhash_key.ok_or_else(|| Failure::new(Reason::Program, words::failure::worker_key()))?;
        Ok(MinHashScanner::new(job, delimiter, &key))
    }

    /// Feeds a scanner from an offset on, surely up to `needed`.
    async fn hash_from(&self, scanner: &mut MinHashScanner, from: u64, needed: u64) -> Result<(), Failure> {
        let mut pieces = Pieces::new(self.file(0)?, from, needed);
        while let Some(bytes) = pieces.next().await? {
            if scanner.feed(bytes) == Feed::Done {
                break;
            }
        }
        Ok(())
    }

    async fn slice(&mut self, job: Job, taken: Taken) -> Result<(ScanResponse, Option<Uint8Array>), Failure> {
        let prepared = self.prepared()?;
        let (answer, bytes) = match taken {
            Taken::Counted => (self.read(job, prepared, Nothing).await?.0, None),
            Taken::Summed => {
                let (answer, sums) = self.read(job, prepared, self.statistic()?.empty()).await?;
                (answer, sums.map(Sums::into_bytes))
            }
            Taken::Kept => {
                let few = FewRows::new(prepared.row_width(), prepared.most_rows());
                let (answer, few) = self.read(job, prepared, few).await?;
                if let (SliceAnswer::Read { start, end, .. }, Some(rows)) =
                    (&answer, few.and_then(FewRows::into_rows))
                {
                    self.kept.insert(job.slice, (rows, end - start));
                }
                (answer, None)
            }
        };
        let bytes = bytes.map(Zeroizing::new);
        Ok((ScanResponse::Sliced(answer), bytes.map(|bytes| Uint8Array::from(bytes.as_slice()))))
    }

    /// Reads a slice into a sink.
    async fn read<S: RowSink>(
        &self,
        job: Job,
        prepared: &Prepared,
        sink: S,
    ) -> Result<(SliceAnswer, Option<S>), Failure> {
        let mut scanner = SliceScanner::new(job, prepared.bound(), sink);
        let mut pieces = Pieces::new(self.file(0)?, job.from, job.to);
        while let Some(bytes) = pieces.next().await? {
            let read = bytes.len() as u64;
            let feed = scanner.feed(bytes);
            self.post(&ScanResponse::Read { bytes: read }, None);
            if feed == Feed::Done {
                break;
            }
        }
        Ok(split(scanner.finish()))
    }

    /// Adds up the round over rows that were kept; those of other slices do not count and are dropped.
    fn sum(&mut self, slices: &[usize]) -> Result<(ScanResponse, Option<Uint8Array>), Failure> {
        self.kept.retain(|slice, _| slices.contains(slice));
        let mut sums = self.statistic()?.empty();
        for (rows, bytes) in self.kept.values() {
            sums.add_all(rows);
            self.post(&ScanResponse::Read { bytes: *bytes }, None);
        }
        let sums = Zeroizing::new(sums.into_bytes());
        Ok((ScanResponse::Summed, Some(Uint8Array::from(sums.as_slice()))))
    }

    fn prepared(&self) -> Result<&Prepared, Failure> {
        self.prepared.as_ref().ok_or_else(early)
    }

    /// Returns the statistic of the open round.
    fn statistic(&self) -> Result<Statistic, Failure> {
        let round = self.run.as_ref().and_then(|run| run.round());
        round.map(|round| round.statistic).ok_or_else(early)
    }

    fn post(&self, body: &ScanResponse, bytes: Option<Uint8Array>) {
        let attachments = Attachments { bytes, ..Attachments::default() };
        if let Ok((message, transfer)) = pack(body, &attachments) {
            // A port whose other end is gone takes messages silently.
            let _ = self.port.post_message_with_transferable(&message, &transfer);
        }
    }
}

fn early() -> Failure {
    Failure::new(Reason::Program, words::failure::worker_plan())
}

/// Splits a report into the message to the engine worker and the data that travel beside it.
fn split<S>(report: SliceReport<S>) -> (SliceAnswer, Option<S>) {
    match report.outcome {
        Outcome::Nothing => (SliceAnswer::Nothing, None),
        Outcome::Failed { start, error } => (SliceAnswer::Malformed { start, error }, None),
        Outcome::Read { start, part: Part { end, lines, records, persons, sink } } => {
            (SliceAnswer::Read { start, end, lines, records, persons }, Some(sink))
        }
    }
}

/// Returns the same of a MinHash, as bytes.
fn minhash_of(report: SliceReport<MinHash>) -> (SliceAnswer, Vec<u8>) {
    let (answer, minhash) = split(report);
    (answer, minhash.map_or_else(Vec::new, |minhash| minhash.to_bytes()))
}

/// Starts SHA-256 in the browser, which is several times as fast as a module's own.
fn sha256(bytes: &js_sys::ArrayBuffer) -> Result<Promise, Failure> {
    let crypto = Reflect::get(&js_sys::global(), &JsValue::from_str("crypto")).map_err(unhashed)?;
    let subtle = crypto.unchecked_into::<Crypto>().subtle();
    subtle.digest_with_str_and_buffer_source("SHA-256", bytes).map_err(unhashed)
}

fn unhashed(_: JsValue) -> Failure {
    Failure::new(Reason::Program, words::failure::hash())
}
