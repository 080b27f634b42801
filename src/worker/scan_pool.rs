//! The pool of scanning workers that the engine worker directs, and the recognition of a table.

use js_sys::Uint8Array;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{MessageEvent, MessagePort};

use super::channel::{Attachments, Mailbox, Received, pack, unpack};
use super::files::Files;
use super::protocol::{
    CHUNK, Failure, Progress, Reason, Response, RoundNumber, ScanRequest, ScanResponse, SliceAnswer,
};
use super::read::length;
use crate::data::slices::{Combiner, Job, Outcome, Part, SliceReport};
use crate::data::{Header, MinHash};
use crate::store;
use crate::store::identity::Hashed;
use crate::words;

/// The files of one table and the workers that read them.
pub struct ScanPool<P> {
    pub files: Files,
    pub scanners: Vec<Scanner>,
    answers: Mailbox<(usize, Result<Received<ScanResponse>, Failure>)>,
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
        Self { files, scanners, answers, post, progress }
    }

    /// Returns the table's key on this device, and the MinHash of its records if `header` is given, which only a CSV has
    /// (theory/accounting 5.6). Each chunk is read once for both. The positions at which records begin are verified as for a
    /// release.
    pub async fn recognise(&mut self, header: Option<&Header>) -> Result<(String, MinHash), Failure> {
        let lengths: Vec<u64> = self.files.handles().iter().map(length).collect();
        let mut hashing = Hashing::new(&lengths)?;
        // A CSV is one file, so all chunks are its chunks.
        let table = lengths.first().copied().unwrap_or_default();
        let mut combiner = header.map(|header| Combiner::<MinHash>::of_chunks(header, table, CHUNK));
        if let Some(header) = header {
            let setup =
                ScanRequest::StartMinHash { key: store::minhash_key().await?, delimiter: header.delimiter };
            self.scanners.iter().try_for_each(|scanner| scanner.ask(&setup))?;
        }
        let mut works: Vec<Option<Work>> = vec![None; self.scanners.len()];
        while !hashing.is_done()
            || combiner.as_ref().is_some_and(|combiner| !combiner.is_done())
            || works.iter().any(Option::is_some)
        {
            for (scanner, work) in self.scanners.iter().zip(&mut works) {
                if work.is_none() {
                    *work = hashing.next(combiner.as_mut().and_then(Combiner::next_job));
                    if let Some(work) = work {
                        scanner.ask(&work.request())?;
                    }
                }
            }
            let (scanner, answer) = self.answer().await?;
            let work = works.get_mut(scanner).and_then(Option::take).ok_or_else(confused)?;
            let bytes = answer.attachments.bytes.ok_or_else(confused)?.to_vec();
            let (answer, rest) = match (answer.body, work.chunk) {
                (ScanResponse::Hashed { slice }, Some(chunk)) => {
                    let (digest, rest) = bytes.split_first_chunk().ok_or_else(confused)?;
                    hashing.take(chunk, *digest);
                    (slice, rest)
                }
                (ScanResponse::MinHashed(slice), None) => (Some(slice), bytes.as_slice()),
                _ => return Err(confused()),
            };
            if let (Some(combiner), Some(job), Some(answer)) = (&mut combiner, work.job, answer) {
                let outcome = outcome(answer, || MinHash::from_bytes(rest).ok_or_else(confused))?;
                combiner.offer(SliceReport { job, outcome }).map_err(|_| confused())?;
            }
        }
        let minhash = combiner.and_then(Combiner::into_sink).unwrap_or_default();
        let digests = hashing.digests.into_iter();
        let hashed = self.files.roles().into_iter().zip(&lengths).zip(digests);
        let hashed = hashed.map(|((role, &length), digests)| Hashed { role, digests, length });
        Ok((store::fingerprint(hashed.collect()).await?, minhash))
    }

    /// Returns the next answer that is not progress.
    pub async fn answer(&mut self) -> Result<(usize, Received<ScanResponse>), Failure> {
        loop {
            let (scanner, answer) = self.answers.next().await;
            let answer = answer?;
            match answer.body {
                ScanResponse::Read { bytes } => self.advance(bytes),
                ScanResponse::Failed(failure) => return Err(failure),
                ScanResponse::Hashed { .. }
                | ScanResponse::MinHashed(_)
                | ScanResponse::Sliced(_)
                | ScanResponse::Summed => return Ok((scanner, answer)),
            }
        }
    }

    /// Tells the page that a round begins.
    pub fn begin(&mut self, round: RoundNumber) {
        self.progress = Progress { done: 0, total: self.files.length(), round: Some(round) };
        (self.post)(&Response::Progress(self.progress));
    }

    /// Counts bytes and reports progress to the page, about a hundred times in total. The total is never exceeded, also if a slice is
    /// read twice.
    pub fn advance(&mut self, bytes: u64) {
        let Progress { done, total, .. } = self.progress;
        self.progress.done = done.saturating_add(bytes).min(total);
        let step = (total / 100).max(1);
        if self.progress.done / step != done / step {
            (self.post)(&Response::Progress(self.progress));
        }
    }
}

/// The chunks of files and their digests so far.
struct Hashing {
    chunks: Vec<Chunk>,
    asked: Vec<bool>,
    /// All chunks before this one were requested.
    next: usize,
    /// The digests by file, then by chunk.
    digests: Vec<Vec<[u8; 32]>>,
    missing: usize,
}

/// A piece of a file.
#[derive(Clone, Copy)]
struct Chunk {
    file: usize,
    place: usize,
    from: u64,
    to: u64,
}

/// The work of one scanning worker: a chunk to hash, a slice whose records to hash, or both from the same bytes.
#[derive(Clone, Copy)]
struct Work {
    chunk: Option<Chunk>,
    job: Option<Job>,
}

impl Hashing {
    fn new(lengths: &[u64]) -> Result<Self, Failure> {
        let (mut chunks, mut digests) = (Vec::new(), Vec::new());
        for (file, &length) in lengths.iter().enumerate() {
            let count = usize::try_from(length.div_ceil(CHUNK))
                .map_err(|_| Failure::new(Reason::Table, words::failure::too_large()))?;
            let starts = (0..count).zip((0_u64..).map(|place| CHUNK.saturating_mul(place)));
            let cut =
                |(place, from): (usize, u64)| Chunk { file, place, from, to: (from + CHUNK).min(length) };
            chunks.extend(starts.map(cut));
            digests.push(vec![[0; 32]; count]);
        }
        Ok(Self { asked: vec![false; chunks.len()], next: 0, digests, missing: chunks.len(), chunks })
    }

    /// Returns the next work, with a slice whose records to hash if there is one.
    fn next(&mut self, job: Option<Job>) -> Option<Work> {
        let place = match job {
            Some(job) => Some(job.slice).filter(|&slice| self.asked.get(slice) == Some(&false)),
            // A record that goes on beyond a chunk leaves no record to hash there.
            None => {
                self.next += self.asked.iter().skip(self.next).take_while(|&&asked| asked).count();
                Some(self.next).filter(|&place| place < self.asked.len())
            }
        };
        if let Some(asked) = place.and_then(|place| self.asked.get_mut(place)) {
            *asked = true;
        }
        let chunk = place.and_then(|place| self.chunks.get(place).copied());
        (chunk.is_some() || job.is_some()).then_some(Work { chunk, job })
    }

    fn take(&mut self, chunk: Chunk, digest: [u8; 32]) {
        let place = self.digests.get_mut(chunk.file).and_then(|digests| digests.get_mut(chunk.place));
        if let Some(place) = place {
            *place = digest;
            self.missing = self.missing.saturating_sub(1);
        }
    }

    const fn is_done(&self) -> bool {
        self.missing == 0
    }
}

impl Work {
    fn request(self) -> ScanRequest {
        match (self.chunk, self.job) {
            (Some(Chunk { file, from, to, .. }), job) => ScanRequest::Hash { file, from, to, minhash: job },
            (None, Some(job)) => ScanRequest::MinHash { job },
            (None, None) => ScanRequest::Hash { file: 0, from: 0, to: 0, minhash: None },
        }
    }
}

/// Converts a scanning worker's answer, with its sums or its MinHash.
pub fn outcome<S>(
    answer: SliceAnswer,
    sink: impl FnOnce() -> Result<S, Failure>,
) -> Result<Outcome<S>, Failure> {
    Ok(match answer {
        SliceAnswer::Nothing => Outcome::Nothing,
        SliceAnswer::Malformed { start, error } => Outcome::Failed { start, error },
        SliceAnswer::Read { start, end, lines, records, persons } => {
            Outcome::Read { start, part: Part { end, lines, records, persons, sink: sink()? } }
        }
    })
}

/// Returns the failure for an answer that was not asked for.
pub fn confused() -> Failure {
    Failure::new(Reason::Internal, words::failure::unasked())
}
