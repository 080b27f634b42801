//! A CSV in the engine worker: its slices are read by the scanning workers, once or once for each round.

use std::cell::Cell;

use web_sys::{Blob, MessagePort};
use zeroize::Zeroizing;

use super::files::Files;
use super::protocol::{Failure, Reason, Response, ScanRequest, ScanResponse, SliceAnswer, Taken};
use super::read::{Pieces, length};
use super::scan_pool::{ScanPool, confused, outcome};
use crate::data::header::read_header;
use crate::data::moments::MomentsError;
use crate::data::slices::{Combiner, Job, Scan, SliceReport, slice_bytes};
use crate::data::{FileRole, Header, HeaderRead, HeaderRules, Merge, RowSink, Statistic, Sums};
use crate::engine::{Answer, Prepared};

/// A CSV and the workers that read it.
pub struct Table<P> {
    pub pool: ScanPool<P>,
    file: Blob,
    length: u64,
}

/// Where later rounds find the rows.
pub enum Rows {
    /// In the scanning workers, encoded: the slices that count, by worker.
    Kept(Vec<Vec<usize>>),
    /// In the file, which had so many records.
    InFile {
        /// Records.
        records: u64,
    },
}

/// Slices that count, each with the worker that keeps its rows.
struct Places(Vec<(usize, usize)>);

impl Merge for Places {
    fn append(&mut self, mut later: Self) -> Result<(), MomentsError> {
        self.0.append(&mut later.0);
        Ok(())
    }
}

impl<P: Fn(&Response)> Table<P> {
    /// Returns the table among these files, for so many passes over them.
    pub fn new(files: Files, ports: Vec<MessagePort>, post: P, passes: u64) -> Result<Self, Failure> {
        let file = files.get(FileRole::Table).cloned().ok_or_else(confused)?;
        Ok(Self { length: length(&file), file, pool: ScanPool::new(files, ports, post, passes) })
    }

    /// Returns the first line.
    pub async fn header(&self, rules: HeaderRules) -> Result<Header, Failure> {
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

    /// Tells every worker.
    pub fn tell(&self, request: &ScanRequest) -> Result<(), Failure> {
        self.pool.scanners.iter().try_for_each(|scanner| scanner.ask(request))
    }

    /// Sums all records for the open round, once the workers were told how to read them.
    pub async fn sums(
        &mut self,
        header: &Header,
        prepared: &Prepared,
        statistic: &Statistic,
    ) -> Result<Scan<Sums>, Failure> {
        let least = statistic.empty().least_bytes();
        let sums =
            |found: Found| statistic.from_bytes(&Zeroizing::new(found.bytes()?)).map_err(|_| confused());
        let scan = self.read(header, prepared, least, |_| Taken::Summed, sums).await?;
        Ok(scan.unwrap_or_else(|| Scan { sink: statistic.empty(), records: 0, persons: None }))
    }

    /// Tells every worker the answer of the round that was made.
    pub fn tell_answer(&self, answer: &Answer) -> Result<(), Failure> {
        let bytes = answer.to_bytes();
        self.pool.scanners.iter().try_for_each(|scanner| scanner.ask_with(&ScanRequest::Answer, &bytes))
    }

    /// Leaves the encoded rows in the workers for all rounds; where they are too many, counts them.
    pub async fn keep(&mut self, header: &Header, prepared: &Prepared) -> Result<Scan<Rows>, Failure> {
        let all_kept = Cell::new(!prepared.rereads());
        let taken = |records| {
            if records > prepared.most_rows() {
                all_kept.set(false);
            }
            if all_kept.get() { Taken::Kept } else { Taken::Counted }
        };
        let place = |found: Found| Ok(Places(vec![(found.worker, found.slice)]));
        let scan = self.read(header, prepared, 0, taken, place).await?;
        let scan = scan.unwrap_or_else(|| Scan { sink: Places(Vec::new()), records: 0, persons: None });
        // A slice may have grown beyond the most by itself, and its rows are dropped then.
        if !all_kept.get() || scan.records > prepared.most_rows() {
            self.tell(&ScanRequest::Forget)?;
            let records = scan.records;
            return Ok(scan.map(|_| Rows::InFile { records }));
        }
        let mut slices = vec![Vec::new(); self.pool.scanners.len()];
        for (worker, slice) in &scan.sink.0 {
            slices.get_mut(*worker).ok_or_else(confused)?.push(*slice);
        }
        Ok(scan.map(|_| Rows::Kept(slices)))
    }

    /// Sums the rows for the open round of several.
    pub async fn round(
        &mut self,
        header: &Header,
        prepared: &Prepared,
        rows: &Rows,
        statistic: &Statistic,
    ) -> Result<Sums, Failure> {
        let slices = match rows {
            Rows::Kept(slices) => slices,
            Rows::InFile { records } => {
                let scan = self.sums(header, prepared, statistic).await?;
                return if scan.records == *records { Ok(scan.sink) } else { Err(confused()) };
            }
        };
        for (scanner, slices) in self.pool.scanners.iter().zip(slices) {
            scanner.ask(&ScanRequest::Sum { slices: slices.clone() })?;
        }
        let mut whole = statistic.empty();
        for _ in slices {
            let (_, answer) = self.pool.answer().await?;
            let (ScanResponse::Summed, Some(bytes)) = (answer.body, answer.attachments.bytes) else {
                return Err(confused());
            };
            let part = statistic.from_bytes(&Zeroizing::new(bytes.to_vec())).map_err(|_| confused())?;
            whole.append(part).map_err(|_| confused())?;
        }
        Ok(whole)
    }

    /// Reads all slices; `taken` says what becomes of the rows of the next one after so many records were read, and `sink` what
    /// came of a slice that holds some. Nothing where none does.
    async fn read<S: Merge>(
        &mut self,
        header: &Header,
        prepared: &Prepared,
        least_bytes: usize,
        taken: impl Fn(u64) -> Taken,
        sink: impl Fn(Found) -> Result<S, Failure>,
    ) -> Result<Option<Scan<S>>, Failure> {
        let workers = self.pool.scanners.len();
        let step = slice_bytes(self.length, least_bytes, workers);
        let mut combiner = Combiner::<S>::new(header, self.length, prepared.bound(), step, workers);
        let mut jobs: Vec<Option<Job>> = vec![None; workers];
        let mut records = 0_u64;
        // A slice that a long record has covered may still be with a worker, whose answer fits no later question.
        while !combiner.is_done() || jobs.iter().any(Option::is_some) {
            for (scanner, job) in self.pool.scanners.iter().zip(&mut jobs) {
                if job.is_none()
                    && let Some(next) = combiner.next_job()
                {
                    scanner.ask(&ScanRequest::Slice { job: next, taken: taken(records) })?;
                    *job = Some(next);
                }
            }
            let (worker, answer) = self.pool.answer().await?;
            let ScanResponse::Sliced(sliced) = answer.body else { return Err(confused()) };
            let job = jobs.get_mut(worker).and_then(Option::take).ok_or_else(confused)?;
            if let SliceAnswer::Read { records: more, .. } = &sliced {
                records = records.saturating_add(*more);
            }
            let found = Found { worker, slice: job.slice, bytes: answer.attachments.bytes };
            let report = SliceReport { job, outcome: outcome(sliced, || sink(found))? };
            combiner.offer(report).map_err(|error| Failure::new(Reason::Table, error.to_string()))?;
        }
        Ok(combiner.finish())
    }
}

/// What a worker has of a slice that holds records.
struct Found {
    worker: usize,
    slice: usize,
    bytes: Option<js_sys::Uint8Array>,
}

impl Found {
    fn bytes(&self) -> Result<Vec<u8>, Failure> {
        self.bytes.as_ref().map(js_sys::Uint8Array::to_vec).ok_or_else(confused)
    }
}
