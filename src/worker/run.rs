//! The engine worker: reads the table through its scanning workers, charges the ledger, releases. Private values end here.

use std::cell::Cell;

use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Blob, MessageEvent, MessagePort};
use zeroize::Zeroizing;

use super::channel::{Mailbox, Received, Riders, pack, unpack};
use super::protocol::{
    CHUNK, Failure, Progress, Reason, ReleaseRequest, Response, ScanRequest, ScanResponse, SliceAnswer,
};
use super::read::{Pieces, length};
use crate::data::header::read_header;
use crate::data::slices::{Combiner, Job, Outcome, Part, Scan, SliceReport, slice_bytes};
use crate::data::{Gathered, Header, HeaderRead, HeaderRules, RowSink, Sketch};
use crate::engine::{self, Prepared};
use crate::noise::entropy::PrivateRng;
use crate::plan::bound::Encoding;
use crate::plan::{CheckedPlan, Plan, Purpose};
use crate::privacy::ledger::Ledger;
use crate::release::document::Software;
use crate::store;

thread_local! {
    /// Whether this worker's request has stored its charge. From then on every failure has the same words.
    static CHARGED: Cell<bool> = const { Cell::new(false) };
}

/// Whether the charge is stored.
pub fn charged() -> bool {
    CHARGED.get()
}

/// Recognises the table, and keeps its sketch.
pub async fn identify(file: Blob, ports: Vec<MessagePort>, post: impl Fn(&Response)) -> Response {
    match try_identify(Table::new(file, ports, post, 1)).await {
        Ok(table) => Response::Identified { table },
        Err(failure) => Response::Failed(failure),
    }
}

async fn try_identify<P: Fn(&Response)>(mut table: Table<P>) -> Result<String, Failure> {
    // A name of any bytes will do here. A file without a header that can be read is sketched as if all of it were records;
    // nothing can be released from it as it stands.
    let rules = HeaderRules { delimiter: None, encoding: Encoding::Latin1 };
    let header = match table.header(rules).await {
        Err(Failure { reason: Reason::Table, .. }) => {
            Header { names: Vec::new(), delimiter: b',', body_offset: 0, lines: 0 }
        }
        header => header?,
    };
    let (key, sketch) = table.recognise(Some(&header)).await?;
    store::keep_sketch(&key, &sketch).await?;
    Ok(key)
}

/// Reads the table, charges, releases. The release's document rides beside the answer.
pub async fn release(
    request: ReleaseRequest,
    file: Blob,
    ports: Vec<MessagePort>,
    post: impl Fn(&Response),
) -> (Response, Riders) {
    let failed = |failure| (Response::Failed(failure), Riders::default());
    match try_release(request, file, ports, post).await {
        Ok((ledger, document)) => (
            Response::Released { ledger: Box::new(ledger) },
            Riders { file: Some(document), ..Riders::default() },
        ),
        Err(_) if charged() => failed(Failure::after_charge(Reason::Internal)),
        Err(failure) => failed(failure),
    }
}

async fn try_release(
    request: ReleaseRequest,
    file: Blob,
    ports: Vec<MessagePort>,
    post: impl Fn(&Response),
) -> Result<(Ledger, Blob), Failure> {
    let ReleaseRequest { plan, table: key, name, build } = request;
    let mut table = Table::new(file, ports, &post, 2);
    let checked = CheckedPlan::new(plan.clone(), Purpose::Release)
        .map_err(|error| Failure::new(Reason::Plan, error.to_string()))?;
    let rules = HeaderRules { delimiter: checked.delimiter, encoding: checked.encoding };
    let header = table.header(rules).await?;
    let prepared = engine::prepare(plan.clone(), &header.names, header.delimiter, Purpose::Release)
        .map_err(|error| Failure::new(Reason::Plan, error.to_string()))?;
    // A refusal depends on public numbers alone, so it need not wait for the table.
    store::check(&key, &prepared.request()).await?;
    if table.recognise(None).await?.0 != key {
        return Err(Failure::new(
            Reason::File,
            "The file is not the one that was recognised: it has changed since. Nothing was charged. Choose it again.",
        ));
    }
    let scan = table.scan(plan, &header, &prepared).await?;
    engine::check_table(&prepared, scan.records, scan.persons)
        .map_err(|error| Failure::new(Reason::Table, error.to_string()))?;

    // From the operating system before the charge, for it may refuse; no byte is drawn from it before the charge.
    let rng = PrivateRng::from_os().map_err(|error| Failure::new(Reason::Internal, error.to_string()))?;
    let charge = store::charge(&key, &name, &prepared.request()).await?;
    CHARGED.set(true);
    post(&Response::Charged);

    let release = engine::release(&prepared, &scan.sink, rng, charge.reference(), Software::new(build))
        .map_err(|_| Failure::after_charge(Reason::Internal))?;
    charge.settle(&release).await
}

/// One table and the workers that read it.
struct Table<P> {
    file: Blob,
    length: u64,
    scanners: Vec<Scanner>,
    answers: Mailbox<(usize, Result<Received<ScanResponse>, Failure>)>,
    post: P,
    progress: Progress,
}

/// The engine worker's end of a port, and the handler that listens to it.
struct Scanner {
    port: MessagePort,
    _handler: Closure<dyn FnMut(MessageEvent)>,
}

impl Scanner {
    fn ask(&self, request: &ScanRequest) -> Result<(), Failure> {
        let (message, _) = pack(request, &Riders::default())?;
        self.port
            .post_message(&message)
            .map_err(|_| Failure::new(Reason::Internal, "A worker cannot be reached."))
    }
}

impl<P: Fn(&Response)> Table<P> {
    fn new(file: Blob, ports: Vec<MessagePort>, post: P, passes: u64) -> Self {
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
        let length = length(&file);
        let progress = Progress { done: 0, total: length.saturating_mul(passes) };
        Self { file, length, scanners, answers, post, progress }
    }

    /// The table's key on this device, and its sketch if its header is given (noise-and-accounting, B11). Each chunk is read
    /// once for both, and the workers' guesses of where records begin are verified as those of a release are.
    async fn recognise(&mut self, header: Option<&Header>) -> Result<(String, Sketch), Failure> {
        let chunks = usize::try_from(self.length.div_ceil(CHUNK))
            .map_err(|_| Failure::new(Reason::Table, "The file is too large for this browser."))?;
        let mut combiner = header.map(|header| Combiner::<Sketch>::of_chunks(header, self.length, CHUNK));
        if let Some(header) = header {
            let setup =
                ScanRequest::Sketching { key: store::sketch_key().await?, delimiter: header.delimiter };
            self.scanners.iter().try_for_each(|scanner| scanner.ask(&setup))?;
        }
        let mut digests = vec![[0; 32]; chunks];
        let mut hashing = Hashing { asked: vec![false; chunks], next: 0 };
        let mut works: Vec<Option<Work>> = vec![None; self.scanners.len()];
        let mut hashed = 0;
        while hashed < chunks || combiner.as_ref().is_some_and(|combiner| !combiner.is_done()) {
            for (scanner, work) in self.scanners.iter().zip(&mut works) {
                if work.is_none() {
                    *work = hashing.next(combiner.as_mut().and_then(Combiner::next_job));
                    if let Some(work) = work {
                        scanner.ask(&work.request(self.length))?;
                    }
                }
            }
            let (scanner, answer) = self.answer().await?;
            let work = works.get_mut(scanner).and_then(Option::take).ok_or_else(confused)?;
            let bytes = answer.riders.bytes.ok_or_else(confused)?.to_vec();
            let (answer, rest) = match (answer.body, work.chunk) {
                (ScanResponse::Hashed { sketched }, Some(chunk)) => {
                    let (digest, rest) = bytes.split_first_chunk().ok_or_else(confused)?;
                    *digests.get_mut(chunk).ok_or_else(confused)? = *digest;
                    hashed += 1;
                    (sketched, rest)
                }
                (ScanResponse::Sketched(sketched), None) => (Some(sketched), bytes.as_slice()),
                _ => return Err(confused()),
            };
            if let (Some(combiner), Some(job), Some(answer)) = (&mut combiner, work.job, answer) {
                let outcome = outcome(answer, || Sketch::from_bytes(rest).ok_or_else(confused))?;
                combiner.offer(SliceReport { job, outcome }).map_err(|_| confused())?;
            }
        }
        let sketch = combiner.and_then(Combiner::into_sink).unwrap_or_default();
        Ok((store::fingerprint(&digests, self.length).await?, sketch))
    }

    /// The first line.
    async fn header(&self, rules: HeaderRules) -> Result<Header, Failure> {
        let mut pieces = Pieces::new(&self.file, 0, 0);
        let mut bytes = Zeroizing::new(Vec::new());
        loop {
            let at_end = match pieces.next().await? {
                Some(piece) => {
                    bytes.extend_from_slice(piece);
                    bytes.len() as u64 >= self.length
                }
                None => true,
            };
            match read_header(&bytes, at_end, rules) {
                Ok(HeaderRead::Header(header)) => return Ok(header),
                Ok(HeaderRead::NeedMore) if !at_end => {}
                Ok(HeaderRead::NeedMore) => return Err(confused()),
                Err(error) => return Err(Failure::new(Reason::Table, error.to_string())),
            }
        }
    }

    /// All records, as exact sums.
    async fn scan(
        &mut self,
        plan: Plan,
        header: &Header,
        prepared: &Prepared,
    ) -> Result<Scan<Gathered>, Failure> {
        let setup = ScanRequest::Plan {
            plan: Box::new(plan),
            names: header.names.clone(),
            delimiter: header.delimiter,
        };
        for scanner in &self.scanners {
            scanner.ask(&setup)?;
        }
        let workers = self.scanners.len();
        let step = slice_bytes(self.length, prepared.gather().least_bytes(), workers);
        let mut combiner = Combiner::<Gathered>::new(header, self.length, prepared.bound(), step, workers);
        let mut jobs: Vec<Option<Job>> = vec![None; workers];
        while !combiner.is_done() {
            for (scanner, job) in self.scanners.iter().zip(&mut jobs) {
                if job.is_none()
                    && let Some(next) = combiner.next_job()
                {
                    scanner.ask(&ScanRequest::Slice { job: next })?;
                    *job = Some(next);
                }
            }
            let (scanner, answer) = self.answer().await?;
            let ScanResponse::Sliced(sliced) = answer.body else { return Err(confused()) };
            let job = jobs.get_mut(scanner).and_then(Option::take).ok_or_else(confused)?;
            let moments = || {
                let bytes = answer.riders.bytes.as_ref().ok_or_else(confused)?;
                prepared.gathered(&Zeroizing::new(bytes.to_vec())).map_err(|_| confused())
            };
            let report = SliceReport { job, outcome: outcome(sliced, moments)? };
            combiner.offer(report).map_err(|error| Failure::new(Reason::Table, error.to_string()))?;
        }
        match combiner.finish() {
            Some(scan) => Ok(scan),
            None => Ok(Scan { sink: prepared.gather(), records: 0, persons: None }),
        }
    }

    /// The next answer that is not progress.
    async fn answer(&mut self) -> Result<(usize, Received<ScanResponse>), Failure> {
        loop {
            let (scanner, answer) = self.answers.next().await;
            let answer = answer?;
            match answer.body {
                ScanResponse::Read { bytes } => self.advance(bytes),
                ScanResponse::Failed(failure) => return Err(failure),
                ScanResponse::Hashed { .. } | ScanResponse::Sketched(_) | ScanResponse::Sliced(_) => {
                    return Ok((scanner, answer));
                }
            }
        }
    }

    /// Tells the page, a hundred times in all. A slice that is read twice does not go beyond the end.
    fn advance(&mut self, bytes: u64) {
        let Progress { done, total } = self.progress;
        self.progress.done = done.saturating_add(bytes).min(total);
        let step = (total / 100).max(1);
        if self.progress.done / step != done / step {
            (self.post)(&Response::Progress(self.progress));
        }
    }
}

/// Chunks that are still to be hashed.
struct Hashing {
    asked: Vec<bool>,
    /// No chunk before this one is left.
    next: usize,
}

/// What one scanning worker does: a chunk to hash, a slice to sketch, or both from the same bytes.
#[derive(Clone, Copy)]
struct Work {
    chunk: Option<usize>,
    job: Option<Job>,
}

impl Hashing {
    /// The next work, with a slice to sketch if there is one.
    fn next(&mut self, job: Option<Job>) -> Option<Work> {
        let chunk = match job {
            Some(job) => Some(job.slice).filter(|&slice| self.asked.get(slice) == Some(&false)),
            // A record that goes on beyond a chunk leaves nothing to sketch there.
            None => {
                self.next += self.asked.iter().skip(self.next).take_while(|&&asked| asked).count();
                Some(self.next).filter(|&chunk| chunk < self.asked.len())
            }
        };
        if let Some(asked) = chunk.and_then(|chunk| self.asked.get_mut(chunk)) {
            *asked = true;
        }
        (chunk.is_some() || job.is_some()).then_some(Work { chunk, job })
    }
}

impl Work {
    fn request(self, length: u64) -> ScanRequest {
        match (self.chunk, self.job) {
            (None, Some(job)) => ScanRequest::Sketch { job },
            (chunk, job) => {
                let from = CHUNK.saturating_mul(chunk.unwrap_or_default() as u64);
                ScanRequest::Hash { from, to: (from + CHUNK).min(length), sketch: job }
            }
        }
    }
}

/// What a scanning worker found, with its sums or its sketch.
fn outcome<S>(answer: SliceAnswer, sink: impl FnOnce() -> Result<S, Failure>) -> Result<Outcome<S>, Failure> {
    Ok(match answer {
        SliceAnswer::Nothing => Outcome::Nothing,
        SliceAnswer::Malformed { start, error } => Outcome::Failed { start, error },
        SliceAnswer::Read { start, end, lines, records, persons } => {
            Outcome::Read { start, part: Part { end, lines, records, persons, sink: sink()? } }
        }
    })
}

fn confused() -> Failure {
    Failure::new(
        Reason::Internal,
        "A worker gave an answer that was not asked for. Nothing was charged. Try again.",
    )
}
