//! A scanning worker: hashes chunks and their records, turns slices into partial sums, and replies to the engine worker alone.

use std::collections::BTreeMap;
use std::convert::Infallible;

use js_sys::Uint8Array;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Blob, MessageEvent, MessagePort};
use zeroize::Zeroizing;

use super::channel::{Attachments, Mailbox, Received, pack, unpack};
use super::protocol::{CHUNK, Failure, Fate, FileKey, ScanRequest, ScanResponse, Span, Taken};
use super::read::{Piece, Pieces};
use crate::data::csv::Feed;
use crate::data::genotypes::SamplePart;
use crate::data::inspection::{Inspected, Inspection};
use crate::data::minhash::MinHashScanner;
use crate::data::slices::{Job, Outcome, SliceReport, SliceScanner};
use crate::data::{EncodedRows, FewRows, MinHashKey, Nothing, RowSink, Statistic, Sums};
use crate::engine::{self, Answer, EngineError, Prepared, Run};
use crate::plan::Purpose;
use crate::plan::bound::BoundPlan;
use crate::store::identity::{ChunkHasher, Digest};

/// Serves the engine worker at the other end of `port` until this worker is terminated.
pub fn serve(port: MessagePort, files: Vec<Blob>) {
    let inbox = Mailbox::<Result<(Received<ScanRequest>, Option<Bytes>), Failure>>::new();
    let handler = {
        let inbox = inbox.clone();
        // A request may come while another one is served. Its bytes are on their way from now on.
        Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            inbox.push(unpack(&event.data()).and_then(|received| begun(received, &files)));
        })
    };
    port.set_onmessage(Some(handler.as_ref().unchecked_ref()));
    spawn_local(async move {
        // The handler lives as long as this task, which is as long as the worker.
        let _handler = handler;
        let mut scanner = Scanner {
            port,
            prepared: None,
            inspected: None,
            file_key: None,
            minhash_key: None,
            kept: BTreeMap::new(),
            parts: Vec::new(),
            run: None,
        };
        loop {
            let request = inbox.next().await;
            scanner.answer(request).await;
        }
    });
}

struct Scanner {
    port: MessagePort,
    prepared: Option<Prepared>,
    /// The columns whose cells are counted.
    inspected: Option<BoundPlan>,
    file_key: Option<FileKey>,
    minhash_key: Option<(MinHashKey, u8)>,
    /// Encoded rows by their slice, and how many bytes of the file they were.
    kept: BTreeMap<usize, (EncodedRows, u64)>,
    /// Records of genotypes.
    parts: Vec<SamplePart>,
    /// Where the release stands.
    run: Option<Box<dyn Run>>,
}

impl Scanner {
    async fn answer(&mut self, request: Result<(Received<ScanRequest>, Option<Bytes>), Failure>) {
        let answer = match request {
            Ok((received, bytes)) => self.serve(received.body, received.attachments, bytes).await,
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
        bytes: Option<Bytes>,
    ) -> Result<Option<(ScanResponse, Option<Uint8Array>)>, Failure> {
        match request {
            ScanRequest::Read { slice, .. } => {
                return self.read(bytes.ok_or_else(Failure::protocol)?, slice).await.map(Some);
            }
            ScanRequest::Sum { slices } => return self.sum(&slices).map(Some),
            ScanRequest::StartHash { key } => self.file_key = Some(key),
            ScanRequest::StartMinHash { key, delimiter } => self.minhash_key = Some((key, delimiter)),
            ScanRequest::Plan { plan, names, delimiter, public } => {
                let public = public.as_deref();
                self.keep(engine::prepare_with(*plan, public, &names, delimiter, Purpose::Release))?;
            }
            ScanRequest::Public { plan, names, delimiter } => {
                self.keep(engine::public::prepare_table(&plan, &names, delimiter))?;
            }
            ScanRequest::Inspect { plan, names, delimiter } => {
                let bound = engine::bind_described(*plan, &names, delimiter);
                self.inspected = Some(bound.map_err(Failure::plan)?);
            }
            ScanRequest::Keep { part } => {
                let calls = attachments.bytes.ok_or_else(Failure::protocol)?.to_vec();
                self.parts.push(part.with_calls(calls).ok_or_else(Failure::protocol)?);
            }
            ScanRequest::Forget => {
                self.kept.clear();
                self.parts.clear();
            }
            ScanRequest::Answer => {
                let bytes = attachments.bytes.ok_or_else(Failure::protocol)?.to_vec();
                let answer = Answer::from_bytes(&bytes).map_err(|_| Failure::protocol())?;
                self.run.as_mut().ok_or_else(Failure::protocol)?.take(answer);
            }
        }
        Ok(None)
    }

    /// Stores the plan under which slices will be read.
    fn keep(&mut self, prepared: Result<Prepared, EngineError>) -> Result<(), Failure> {
        let prepared = prepared.map_err(Failure::plan)?;
        self.run = Some(prepared.start());
        self.prepared = Some(prepared);
        Ok(())
    }

    /// Reads a span, a slice, or both from the same bytes.
    async fn read(
        &mut self,
        bytes: Bytes,
        slice: Option<(Job, Taken)>,
    ) -> Result<(ScanResponse, Option<Uint8Array>), Failure> {
        let mut read = Read::default();
        match slice {
            None => read.digests = self.pass(bytes, |_| Feed::Done).await?,
            Some((job, taken)) => match taken.rows {
                None if taken.inspected => {
                    let (bound, taken) = (self.described()?, Taken { inspected: false, ..taken });
                    let found =
                        self.slice(bound, bytes, (job, taken), Inspection::new(bound), &mut read).await?;
                    read.counts = found.map(|found| found.into_counts().to_bytes());
                }
                None => {
                    let mut hasher = self.hasher(job)?;
                    read.digests = self.pass(bytes, |bytes| hasher.feed(bytes)).await?;
                    let (report, minhash) = split(hasher.finish());
                    read.slice = Some(report);
                    read.minhash = minhash.map(|minhash| minhash.to_bytes());
                }
                Some(Fate::Counted) => {
                    let bound = self.prepared()?.bound();
                    self.slice(bound, bytes, (job, taken), Nothing, &mut read).await?;
                }
                Some(Fate::Summed) => {
                    let (bound, empty) = (self.prepared()?.bound(), self.statistic()?.empty());
                    let sums = self.slice(bound, bytes, (job, taken), empty, &mut read).await?;
                    read.sums = sums.map(Sums::into_bytes);
                }
                Some(Fate::Kept) => {
                    let prepared = self.prepared()?;
                    let few = FewRows::new(prepared.row_width(), prepared.most_rows());
                    let few = self.slice(prepared.bound(), bytes, (job, taken), few, &mut read).await?;
                    if let (Some(Outcome::Read { start, part }), Some(rows)) =
                        (&read.slice, few.and_then(FewRows::into_rows))
                    {
                        self.kept.insert(job.slice, (rows, part.end - start));
                    }
                }
            },
        }
        Ok(read.into_answer())
    }

    /// Reads a slice into a sink, which is returned where the slice holds records. Their bytes are hashed and their cells are counted as
    /// they are `taken`, and the chunks of the span are hashed.
    async fn slice<S: RowSink>(
        &self,
        bound: &BoundPlan,
        bytes: Bytes,
        (job, taken): (Job, Taken),
        sink: S,
        read: &mut Read,
    ) -> Result<Option<S>, Failure> {
        let mut hasher = taken.hashed.then(|| self.hasher(job)).transpose()?;
        let inspection = taken.inspected.then(|| self.described().map(Inspection::new)).transpose()?;
        let mut scanner = SliceScanner::new(job, bound, Inspected { rows: sink, inspection });
        let feed = |bytes: &[u8]| {
            if let Some(hasher) = &mut hasher {
                hasher.feed(bytes);
            }
            scanner.feed(bytes)
        };
        read.digests = self.pass(bytes, feed).await?;
        let (report, found) = split(scanner.finish());
        if let (Some(hasher), Outcome::Read { start, part }) = (hasher, &report) {
            let Outcome::Read { start: from, part: hashed } = hasher.finish().outcome else {
                return Err(Failure::protocol());
            };
            // Both parsers cut the same records out of a slice that is well formed.
            if (from, hashed.end) != (*start, part.end) {
                return Err(Failure::protocol());
            }
            read.minhash = Some(hashed.sink.to_bytes());
        }
        read.slice = Some(report);
        Ok(found.map(|Inspected { rows, inspection }| {
            read.counts = inspection.map(|inspection| inspection.into_counts().to_bytes());
            rows
        }))
    }

    /// Hashes the chunks of a span, and feeds the bytes of a slice until no more are wanted.
    async fn pass(
        &self,
        Bytes { mut pieces, from, to, start }: Bytes,
        mut feed: impl FnMut(&[u8]) -> Feed,
    ) -> Result<Vec<Digest>, Failure> {
        // Where there is no span, nothing is hashed.
        let key = if from < to { self.file_key.ok_or_else(Failure::protocol)? } else { FileKey::default() };
        let mut hasher = ChunkHasher::new(&key);
        let (mut at, mut told, mut wanted) = (from, from, Feed::More);
        while (at < to || wanted == Feed::More)
            && let Some(Piece { from, bytes }) = pieces.next().await?
        {
            at = from + bytes.len() as u64;
            let place = |offset: u64| usize::try_from(offset.saturating_sub(from)).unwrap_or(usize::MAX);
            hasher.add(bytes.get(..place(to)).unwrap_or(bytes));
            if wanted == Feed::More {
                wanted = feed(bytes.get(place(start)..).unwrap_or_default());
            }
            if at - told >= CHUNK {
                self.post(&ScanResponse::Read { bytes: at - told }, None);
                told = at;
            }
        }
        if at > told {
            self.post(&ScanResponse::Read { bytes: at - told }, None);
        }
        Ok(hasher.finish())
    }

    fn hasher(&self, job: Job) -> Result<MinHashScanner, Failure> {
        let (key, delimiter) = self.minhash_key.ok_or_else(Failure::protocol)?;
        Ok(MinHashScanner::new(job, delimiter, &key))
    }

    /// Adds up the round over rows and records that were kept; those of other slices do not count and are dropped.
    fn sum(&mut self, slices: &[usize]) -> Result<(ScanResponse, Option<Uint8Array>), Failure> {
        self.kept.retain(|slice, _| slices.contains(slice));
        let mut sums = self.statistic()?.empty();
        for (rows, bytes) in self.kept.values() {
            sums.add_all(rows);
            self.post(&ScanResponse::Read { bytes: *bytes }, None);
        }
        for part in &self.parts {
            sums = part.scan(self.prepared()?.bound(), sums).sink;
            self.post(&ScanResponse::Read { bytes: part.bytes() }, None);
        }
        let sums = Zeroizing::new(sums.into_bytes());
        Ok((ScanResponse::Summed, Some(Uint8Array::from(sums.as_slice()))))
    }

    /// Returns the plan that describes the columns whose cells are counted.
    fn described(&self) -> Result<&BoundPlan, Failure> {
        self.inspected.as_ref().ok_or_else(Failure::protocol)
    }

    fn prepared(&self) -> Result<&Prepared, Failure> {
        self.prepared.as_ref().ok_or_else(Failure::protocol)
    }

    /// Returns the statistic of the open round.
    fn statistic(&self) -> Result<Statistic, Failure> {
        let round = self.run.as_ref().and_then(|run| run.round());
        round.map(|round| round.statistic).ok_or_else(Failure::protocol)
    }

    fn post(&self, body: &ScanResponse, bytes: Option<Uint8Array>) {
        let attachments = Attachments { bytes, ..Attachments::default() };
        if let Ok((message, transfer)) = pack(body, &attachments) {
            // A port whose other end is gone takes messages silently.
            let _ = self.port.post_message_with_transferable(&message, &transfer);
        }
    }
}

/// The bytes of a request to read.
struct Bytes {
    pieces: Pieces,
    /// Where the chunks begin that are hashed, and where they end.
    from: u64,
    to: u64,
    /// Where the slice begins.
    start: u64,
}

/// Returns a request with the bytes that it reads, if it reads some, of one of the files; a CSV is the only one.
fn begun(
    received: Received<ScanRequest>,
    files: &[Blob],
) -> Result<(Received<ScanRequest>, Option<Bytes>), Failure> {
    let ScanRequest::Read { span, slice } = received.body else { return Ok((received, None)) };
    let (start, last) = slice.map_or((0, 0), |(job, _)| (job.from, job.to));
    let Span { file, from, to } = span.unwrap_or(Span { file: 0, from: start, to: start });
    let pieces = Pieces::new(files.get(file).ok_or_else(Failure::protocol)?, from, to.max(last))?;
    Ok((received, Some(Bytes { pieces, from, to, start })))
}

/// What came of a span and a slice, for the engine worker. Each part is there if it was asked for and the slice holds records.
#[derive(Default)]
struct Read {
    slice: Option<Outcome<()>>,
    digests: Vec<Digest>,
    minhash: Option<Vec<u8>>,
    counts: Option<Vec<u8>>,
    sums: Option<Vec<u8>>,
}

impl Read {
    fn into_answer(self) -> (ScanResponse, Option<Uint8Array>) {
        let Self { slice, digests, .. } = self;
        let [minhash, counts, sums] =
            [self.minhash, self.counts, self.sums].map(|bytes| Zeroizing::new(bytes.unwrap_or_default()));
        let bytes = Zeroizing::new([digests.as_flattened(), &minhash, &counts, &sums].concat());
        let (chunks, minhash, counts) = (digests.len(), minhash.len(), counts.len());
        (ScanResponse::Done { slice, chunks, minhash, counts }, Some(Uint8Array::from(bytes.as_slice())))
    }
}

/// Splits a report into the message to the engine worker and the data that travel beside it.
fn split<S>(report: SliceReport<S>) -> (Outcome<()>, Option<S>) {
    let mut rows = None;
    let Ok(outcome) = report.outcome.try_map(|sink| {
        rows = Some(sink);
        Ok::<_, Infallible>(())
    });
    (outcome, rows)
}
