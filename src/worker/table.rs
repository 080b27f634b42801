//! A CSV in the engine worker: its slices are read by the scanning workers, once or once for each round.

use std::cell::Cell;

use web_sys::{Blob, MessagePort};
use zeroize::Zeroizing;

use super::files::Files;
use super::protocol::{CHUNK, Failure, Fate, Reason, Response, ScanRequest, Taken};
use super::read::{Pieces, length};
use super::scan_pool::{Found, Hashing, ScanPool};
use crate::data::header::read_header;
use crate::data::inspection::Counts;
use crate::data::moments::MomentsError;
use crate::data::slices::{Combiner, Scan, slice_bytes};
use crate::data::{
    FileRole, Header, HeaderRead, HeaderRules, Merge, MinHash, Nothing, RowSink, Statistic, Sums,
};
use crate::engine::Prepared;
use crate::plan::bound::BoundPlan;

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

/// What is read of the same bytes beside the rows. The workers were told how.
#[derive(Clone, Copy, Default)]
pub struct Also {
    /// The table's key.
    pub key: bool,
    /// The MinHash of its records.
    pub minhash: bool,
    /// The counts of its cells that do not fit.
    pub counts: bool,
}

/// What was read beside the rows, where it was asked for. A table without records has neither MinHash nor counts.
#[derive(Default)]
pub struct Beside {
    pub key: Option<String>,
    pub minhash: Option<MinHash>,
    pub counts: Option<Counts>,
}

impl Merge for Beside {
    fn append(&mut self, later: Self) -> Result<(), MomentsError> {
        self.minhash.append(later.minhash)?;
        self.counts.append(later.counts)
    }
}

/// Slices that count, each with the worker that keeps its rows.
struct Places(Vec<(usize, usize)>);

impl Merge for Places {
    fn append(&mut self, mut later: Self) -> Result<(), MomentsError> {
        self.0.append(&mut later.0);
        Ok(())
    }
}

/// Returns the first line of a CSV.
pub async fn header_of(file: &Blob, rules: HeaderRules) -> Result<Header, Failure> {
    let mut pieces = Pieces::new(file, 0, 0)?;
    let mut bytes = Zeroizing::new(Vec::new());
    loop {
        let at_end = match pieces.next().await? {
            Some(piece) => {
                bytes.extend_from_slice(piece.bytes);
                bytes.len() as u64 >= length(file)
            }
            None => true,
        };
        match read_header(&bytes, at_end, rules) {
            Ok(HeaderRead::Header(header)) => return Ok(header),
            Ok(HeaderRead::NeedMore) if !at_end => {}
            Ok(HeaderRead::NeedMore) => return Err(Failure::protocol()),
            Err(error) => return Err(Failure::new(Reason::Table, error.to_string())),
        }
    }
}

impl<P: Fn(&Response)> Table<P> {
    /// Returns the table among these files, for so many passes over them.
    pub fn new(files: Files, ports: Vec<MessagePort>, post: P, passes: u64) -> Result<Self, Failure> {
        let file = files.get(FileRole::Table).cloned().ok_or_else(Failure::protocol)?;
        Ok(Self { length: length(&file), file, pool: ScanPool::new(files, ports, post, passes) })
    }

    /// Returns the first line.
    pub async fn header(&self, rules: HeaderRules) -> Result<Header, Failure> {
        header_of(&self.file, rules).await
    }

    /// Sums all records for the open round, once the workers were told how to read them.
    pub async fn sums(
        &mut self,
        header: &Header,
        prepared: &Prepared,
        also: Also,
        statistic: &Statistic,
    ) -> Result<(Scan<Sums>, Beside), Failure> {
        let least = statistic.empty().least_bytes();
        let sums = |found: &Found| statistic.from_bytes(found.sums).map_err(|_| Failure::protocol());
        let fate = |_| Some(Fate::Summed);
        let (scan, beside) = self.read(header, prepared.bound(), also, least, fate, sums).await?;
        Ok((scan.unwrap_or_else(|| nothing(statistic.empty())), beside))
    }

    /// Counts the cells that do not fit, once the workers were told how to read them.
    pub async fn counts(&mut self, header: &Header, bound: &BoundPlan) -> Result<Scan<Counts>, Failure> {
        let also = Also { counts: true, ..Also::default() };
        let (scan, beside) = self.read(header, bound, also, 0, |_| None, |_| Ok(Nothing)).await?;
        let counts = beside.counts.unwrap_or_else(|| Counts::new(bound.columns.len()));
        Ok(scan.unwrap_or_else(|| nothing(Nothing)).map(|_| counts))
    }

    /// Leaves the encoded rows in the workers for all rounds; where they are too many, counts them.
    pub async fn keep(
        &mut self,
        header: &Header,
        prepared: &Prepared,
        also: Also,
    ) -> Result<(Scan<Rows>, Beside), Failure> {
        let all_kept = Cell::new(!prepared.rereads());
        let fate = |records| {
            if records > prepared.most_rows() {
                all_kept.set(false);
            }
            Some(if all_kept.get() { Fate::Kept } else { Fate::Counted })
        };
        let place = |found: &Found| Ok(Places(vec![(found.worker, found.slice)]));
        let (scan, beside) = self.read(header, prepared.bound(), also, 0, fate, place).await?;
        let scan = scan.unwrap_or_else(|| nothing(Places(Vec::new())));
        // A slice may have grown beyond the most by itself, and its rows are dropped then.
        if !all_kept.get() || scan.records > prepared.most_rows() {
            self.pool.tell(&ScanRequest::Forget)?;
            let records = scan.records;
            return Ok((scan.map(|_| Rows::InFile { records }), beside));
        }
        let mut slices = vec![Vec::new(); self.pool.scanners.len()];
        for (worker, slice) in &scan.sink.0 {
            slices.get_mut(*worker).ok_or_else(Failure::protocol)?.push(*slice);
        }
        Ok((scan.map(|_| Rows::Kept(slices)), beside))
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
                let (scan, _) = self.sums(header, prepared, Also::default(), statistic).await?;
                return if scan.records == *records { Ok(scan.sink) } else { Err(Failure::protocol()) };
            }
        };
        self.pool.sum(statistic, slices).await
    }

    /// Reads all slices once. `fate` says what becomes of the rows of the next one after so many records were read, and `sink`
    /// what came of them in a slice that holds some. `None` if none does.
    async fn read<S: Merge>(
        &mut self,
        header: &Header,
        bound: &BoundPlan,
        also: Also,
        least_bytes: usize,
        fate: impl Fn(u64) -> Option<Fate>,
        sink: impl Fn(&Found) -> Result<S, Failure>,
    ) -> Result<(Option<Scan<S>>, Beside), Failure> {
        let workers = self.pool.scanners.len();
        let step = slice_bytes(self.length, least_bytes, workers);
        let (hashing, mut combiner) = if also.key {
            // With a person column the order of rows matters, so there is one slice.
            let ordered = bound.person.is_some();
            let chunks = if ordered { self.length.div_ceil(CHUNK) } else { step / CHUNK }.max(1);
            let span = chunks.saturating_mul(CHUNK);
            let combiner = Combiner::of_spans(header, self.length, span, workers * 2);
            (Some(Hashing::new(&self.pool.files, span)?), combiner)
        } else {
            (None, Combiner::new(header, self.length, bound, step, workers))
        };
        let taken = |records| Taken { hashed: also.minhash, inspected: also.counts, rows: fate(records) };
        let both = |found: Found| {
            let minhash = also.minhash.then(|| found.minhash()).transpose()?;
            let counts = also.counts.then(|| found.counts()).transpose()?;
            Ok((sink(&found)?, Beside { key: None, minhash, counts }))
        };
        let key = self.pool.pass(hashing, Some(&mut combiner), taken, both).await?;
        let Some(scan) = combiner.finish() else { return Ok((None, Beside { key, ..Beside::default() })) };
        let mut beside = Beside::default();
        let scan = scan.map(|(rows, found)| {
            beside = Beside { key, ..found };
            rows
        });
        Ok((Some(scan), beside))
    }
}

/// Returns the result of reading a table without records.
fn nothing<S>(sink: S) -> Scan<S> {
    Scan { sink, records: 0, persons: None }
}
