//! The pool of scanning workers that the engine worker directs, and the recognition of a table.

use std::collections::VecDeque;

use js_sys::Uint8Array;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{MessageEvent, MessagePort};
use zeroize::Zeroizing;

use super::channel::{Attachments, Mailbox, Received, pack, unpack};
use super::files::Files;
use super::protocol::{
    CHUNK, Failure, Progress, Reason, Response, RoundNumber, ScanRequest, ScanResponse, Span, Taken,
};
use super::read::length;
use crate::data::inspection::Counts;
use crate::data::slices::{Combiner, Job, Outcome, ScanError, SliceReport};
use crate::data::{Header, Merge, MinHash, Statistic, Sums};
use crate::engine::Answer;
use crate::store;
use crate::store::identity::{Digest, Hashed};
use crate::words;

/// Spans and slices that a worker is asked for at once: while it works on one, the bytes of the next one come.
const AT_ONCE: usize = 2;

/// The files of one table and the workers that read them.
pub struct ScanPool<P> {
    pub files: Files,
    pub scanners: Vec<Scanner>,
    answers: Mailbox<(usize, Result<Received<ScanResponse>, Failure>)>,
    /// Requests that were not answered.
    open: usize,
    post: P,
    progress: Progress,
}

/// The engine worker's end of a port, and the handler that listens to it.
pub struct Scanner {
    port: MessagePort,
    _handler: Closure<dyn FnMut(MessageEvent)>,
}

impl Scanner {
    pub fn ask(&self, request: &ScanRequest) -> Result<(), Failure> {
        self.post(request, &Attachments::default())
    }

    /// Sends a request with bytes beside it.
    pub fn ask_with(&self, request: &ScanRequest, bytes: &[u8]) -> Result<(), Failure> {
        self.post(request, &Attachments { bytes: Some(Uint8Array::from(bytes)), ..Attachments::default() })
    }

    fn post(&self, request: &ScanRequest, attachments: &Attachments) -> Result<(), Failure> {
        let (message, transfer) = pack(request, attachments)?;
        self.port
            .post_message_with_transferable(&message, &transfer)
            .map_err(|_| Failure::new(Reason::Internal, words::failure::unreachable()))
    }
}

impl<P: Fn(&Response)> ScanPool<P> {
    /// Creates a pool of the workers at these ports, for `passes` passes over the files.
    pub fn new(files: Files, ports: Vec<MessagePort>, post: P, passes: u64) -> Self {
        let answers = Mailbox::new();
        let scanners = ports
            .into_iter()
            .enumerate()
            .map(|(index, port)| {
                let inbox: Mailbox<_> = answers.clone();
                let handler = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
                    inbox.push((index, unpack(&event.data())));
                });
                port.set_onmessage(Some(handler.as_ref().unchecked_ref()));
                Scanner { port, _handler: handler }
            })
            .collect();
        let progress = Progress { done: 0, total: files.length().saturating_mul(passes), round: None };
        Self { files, scanners, answers, open: 0, post, progress }
    }

    /// Tells every worker.
    pub fn tell(&self, request: &ScanRequest) -> Result<(), Failure> {
        self.scanners.iter().try_for_each(|scanner| scanner.ask(request))
    }

    /// Tells every worker the answer of the round that was made.
    pub fn tell_answer(&self, answer: &Answer) -> Result<(), Failure> {
        let bytes = answer.to_bytes();
        self.scanners.iter().try_for_each(|scanner| scanner.ask_with(&ScanRequest::Answer, &bytes))
    }

    /// Sums the records of genotypes that the workers keep, for the open round.
    pub async fn sum_all(&mut self, statistic: &Statistic) -> Result<Sums, Failure> {
        let none = vec![Vec::new(); self.scanners.len()];
        self.sum(statistic, &none).await
    }

    /// Sums what the workers keep for the open round; of each worker these slices and all records of genotypes.
    pub async fn sum(&mut self, statistic: &Statistic, slices: &[Vec<usize>]) -> Result<Sums, Failure> {
        for (scanner, slices) in self.scanners.iter().zip(slices) {
            scanner.ask(&ScanRequest::Sum { slices: slices.clone() })?;
            self.open += 1;
        }
        let mut whole = statistic.empty();
        for _ in slices {
            let (_, answer) = self.answer().await?;
            let (ScanResponse::Summed, Some(bytes)) = (answer.body, answer.attachments.bytes) else {
                return Err(Failure::protocol());
            };
            let part =
                statistic.from_bytes(&Zeroizing::new(bytes.to_vec())).map_err(|_| Failure::protocol())?;
            whole.append(part).map_err(|_| Failure::protocol())?;
        }
        Ok(whole)
    }

    /// Returns the table's key on this device, and the MinHash of its records if `header` is given, which only a CSV has
    /// (theory/accounting 5.6). Each chunk is read once for both. The positions at which records begin are verified as for a
    /// release.
    pub async fn recognise(&mut self, header: Option<&Header>) -> Result<(String, MinHash), Failure> {
        let hashing = Hashing::new(&self.files, CHUNK)?;
        // A CSV is one file, so all chunks are its chunks.
        let mut combiner =
            header.map(|header| Combiner::of_spans(header, self.files.length(), CHUNK, usize::MAX));
        if let Some(header) = header {
            self.hash_records(header.delimiter).await?;
        }
        let taken = Taken { hashed: true, ..Taken::default() };
        let sink = |found: Found| found.minhash();
        let key = self.pass(Some(hashing), combiner.as_mut(), |_| taken, sink).await?;
        let minhash = combiner.and_then(Combiner::finish).map(|scan| scan.sink).unwrap_or_default();
        Ok((key.unwrap_or_default(), minhash))
    }

    /// Tells the workers how records are hashed for a MinHash.
    pub async fn hash_records(&self, delimiter: u8) -> Result<(), Failure> {
        self.tell(&ScanRequest::StartMinHash { key: store::minhash_key().await?, delimiter })
    }

    /// Reads files once: hashes their chunks, reads the slices of a table, or both from the same bytes. Returns the table's key if
    /// the chunks were hashed. `taken` says what becomes of the records of the next slice after so many records were read, and `sink`
    /// what came of a slice that holds some.
    pub async fn pass<S: Merge>(
        &mut self,
        mut hashing: Option<Hashing>,
        mut combiner: Option<&mut Combiner<S>>,
        taken: impl Fn(u64) -> Taken,
        sink: impl Fn(Found) -> Result<S, Failure>,
    ) -> Result<Option<String>, Failure> {
        if hashing.is_some() {
            let setup = ScanRequest::StartHash { key: store::file_key().await? };
            self.tell(&setup)?;
        }
        let mut works = vec![VecDeque::new(); self.scanners.len()];
        let mut records = 0_u64;
        // A worker may still be reading a slice that a long record has covered. Its answer belongs to no later request.
        while hashing.as_ref().is_some_and(|hashing| !hashing.is_done())
            || combiner.as_ref().is_some_and(|combiner| !combiner.is_done())
            || works.iter().any(|works| !works.is_empty())
        {
            for asked in 0..AT_ONCE {
                for (scanner, works) in self.scanners.iter().zip(&mut works) {
                    if works.len() == asked
                        && let Some(work) = next_work(hashing.as_mut(), combiner.as_deref_mut())
                    {
                        let slice = work.job.map(|job| (job, taken(records)));
                        scanner.ask(&ScanRequest::Read { span: work.span, slice })?;
                        self.open += 1;
                        works.push_back(work);
                    }
                }
            }
            let (worker, answer) = self.answer().await?;
            let work = works.get_mut(worker).and_then(VecDeque::pop_front).ok_or_else(Failure::protocol)?;
            let ScanResponse::Done { slice, chunks, minhash, counts } = answer.body else {
                return Err(Failure::protocol());
            };
            let bytes = Zeroizing::new(answer.attachments.bytes.ok_or_else(Failure::protocol)?.to_vec());
            let (digests, rest) =
                bytes.split_at_checked(chunks * size_of::<Digest>()).ok_or_else(Failure::protocol)?;
            if let (Some(hashing), Some(span)) = (&mut hashing, work.span) {
                hashing.take(span, digests.as_chunks().0)?;
            }
            if let (Some(combiner), Some(job), Some(slice)) = (&mut combiner, work.job, slice) {
                if let Outcome::Read { part, .. } = &slice {
                    records = records.saturating_add(part.records);
                }
                let (minhash, rest) = rest.split_at_checked(minhash).ok_or_else(Failure::protocol)?;
                let (counts, sums) = rest.split_at_checked(counts).ok_or_else(Failure::protocol)?;
                let found = Found { worker, slice: job.slice, minhash, counts, sums };
                let report = SliceReport { job, outcome: slice.try_map(|()| sink(found))? };
                let failed = |error: ScanError| {
                    let reason = if error.is_of_encoding() { Reason::Encoding } else { Reason::Table };
                    Failure::new(reason, error.to_string())
                };
                combiner.offer(report).map_err(failed)?;
            }
        }
        let Some(hashing) = hashing else { return Ok(None) };
        Ok(Some(store::fingerprint(hashing.files).await?))
    }

    /// Returns the next answer that is not progress.
    pub async fn answer(&mut self) -> Result<(usize, Received<ScanResponse>), Failure> {
        loop {
            let (scanner, answer) = self.answers.next().await;
            if let Ok(Received { body: ScanResponse::Read { bytes }, .. }) = answer {
                self.advance(bytes);
                continue;
            }
            self.open = self.open.saturating_sub(1);
            let answer = answer?;
            return match answer.body {
                ScanResponse::Failed(failure) => Err(failure),
                _ => Ok((scanner, answer)),
            };
        }
    }

    /// Lets the workers drop what they keep, before the files are read again. What they still read for a pass that has failed is no answer to
    /// another one.
    pub async fn begin_again(&mut self) -> Result<(), Failure> {
        while self.open > 0 {
            drop(self.answer().await);
        }
        self.progress.done = 0;
        self.tell(&ScanRequest::Forget)
    }

    /// Tells the page that a round begins.
    pub fn begin(&mut self, round: RoundNumber) {
        self.progress = Progress { done: 0, total: self.files.length(), round: Some(round) };
        (self.post)(&Response::Progress(self.progress));
    }

    /// Adds bytes to those that will be read.
    pub fn expect(&mut self, bytes: u64) {
        self.progress.total = self.progress.total.saturating_add(bytes);
    }

    /// Counts bytes and reports progress to the page, about a hundred times in total and not more often than every few megabytes. The
    /// total is never exceeded, also if a slice is read twice.
    pub fn advance(&mut self, bytes: u64) {
        let Progress { done, total, .. } = self.progress;
        self.progress.done = done.saturating_add(bytes).min(total);
        let step = (total / 100).max(CHUNK);
        if self.progress.done / step != done / step {
            (self.post)(&Response::Progress(self.progress));
        }
    }
}

/// A worker's result for a slice that holds records.
pub struct Found<'a> {
    pub worker: usize,
    pub slice: usize,
    minhash: &'a [u8],
    counts: &'a [u8],
    /// The bytes of the sums.
    pub sums: &'a [u8],
}

impl Found<'_> {
    /// Returns the MinHash of the slice's records.
    pub fn minhash(&self) -> Result<MinHash, Failure> {
        MinHash::from_bytes(self.minhash).ok_or_else(Failure::protocol)
    }

    /// Returns the counts of the slice's cells that do not fit.
    pub fn counts(&self) -> Result<Counts, Failure> {
        Counts::from_bytes(self.counts).ok_or_else(Failure::protocol)
    }
}

/// The spans of files and the digests of their chunks so far.
pub struct Hashing {
    spans: Vec<Span>,
    asked: Vec<bool>,
    /// All spans before this one were requested.
    next: usize,
    files: Vec<Hashed>,
    missing: usize,
}

/// The work of one scanning worker: a span to hash, a slice to read, or both from the same bytes.
#[derive(Clone, Copy)]
struct Work {
    span: Option<Span>,
    job: Option<Job>,
}

/// Returns the next work; a slice is read with the span of the same number, unless that was hashed before.
fn next_work<S: Merge>(hashing: Option<&mut Hashing>, combiner: Option<&mut Combiner<S>>) -> Option<Work> {
    let Some(combiner) = combiner else {
        return Some(Work { span: Some(hashing?.rest()?), job: None });
    };
    if let Some(job) = combiner.next_job() {
        return Some(Work { span: hashing.and_then(|hashing| hashing.of_slice(job.slice)), job: Some(job) });
    }
    // A slice may hold no record to read, as one record can be longer than its span.
    let span = if combiner.is_done() { hashing?.rest()? } else { return None };
    Some(Work { span: Some(span), job: None })
}

impl Hashing {
    /// Divides files into spans of `step` bytes, a multiple of [`CHUNK`].
    pub fn new(files: &Files, step: u64) -> Result<Self, Failure> {
        let (mut spans, mut hashed) = (Vec::new(), Vec::new());
        let count = |length: u64, step| {
            usize::try_from(length.div_ceil(step))
                .map_err(|_| Failure::new(Reason::Table, words::failure::too_large()))
        };
        for (file, (role, handle)) in files.roles().into_iter().zip(files.handles()).enumerate() {
            let length = length(&handle);
            let starts = (0_u64..).map(|place| step.saturating_mul(place)).take(count(length, step)?);
            spans.extend(starts.map(|from| Span { file, from, to: from.saturating_add(step).min(length) }));
            hashed.push(Hashed { role, digests: vec![Digest::default(); count(length, CHUNK)?], length });
        }
        Ok(Self { asked: vec![false; spans.len()], next: 0, missing: spans.len(), spans, files: hashed })
    }

    /// Returns the span of a slice, if it was not requested before.
    fn of_slice(&mut self, slice: usize) -> Option<Span> {
        let asked = self.asked.get_mut(slice).filter(|asked| !**asked)?;
        *asked = true;
        self.spans.get(slice).copied()
    }

    /// Returns the next span that was not requested.
    fn rest(&mut self) -> Option<Span> {
        self.next += self.asked.iter().skip(self.next).take_while(|&&asked| asked).count();
        self.of_slice(self.next)
    }

    fn take(&mut self, span: Span, digests: &[Digest]) -> Result<(), Failure> {
        let first = usize::try_from(span.from / CHUNK).map_err(|_| Failure::protocol())?;
        let file = self.files.get_mut(span.file).ok_or_else(Failure::protocol)?;
        let places = file.digests.get_mut(first..first + digests.len()).ok_or_else(Failure::protocol)?;
        if (span.to - span.from).div_ceil(CHUNK) != digests.len() as u64 {
            return Err(Failure::protocol());
        }
        places.copy_from_slice(digests);
        self.missing = self.missing.saturating_sub(1);
        Ok(())
    }

    const fn is_done(&self) -> bool {
        self.missing == 0
    }
}
