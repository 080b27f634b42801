//! A CSV in the engine worker: its slices are read by the scanning workers, once or once for each round.

use std::cell::Cell;

use web_sys::{Blob, MessagePort};
use zeroize::Zeroizing;

use super::files::Files;
use super::protocol::{CHUNK, Failure, Reason, Response, ScanRequest, Taken};
use super::read::{Pieces, length};
use super::scan_pool::{Found, Hashing, ScanPool};
use crate::data::header::read_header;
use crate::data::inspection::Counts;
use crate::data::moments::MomentsError;
use crate::data::slices::{Combiner, Scan, slice_bytes};
use crate::data::{FileRole, Header, HeaderRead, HeaderRules, Merge, RowSink, Statistic, Sums};
use crate::engine::Prepared;
use crate::plan::bound::BoundPlan;
use crate::words;

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

    /// Sums all records for the open round, once the workers were told how to read them. If `key` is given, another table than the
    /// key's is refused.
    pub async fn sums(
        &mut self,
        header: &Header,
        prepared: &Prepared,
        key: Option<&str>,
        statistic: &Statistic,
    ) -> Result<Scan<Sums>, Failure> {
        let least = statistic.empty().least_bytes();
        let sums = |found: Found| statistic.from_bytes(found.bytes).map_err(|_| Failure::protocol());
        let scan = self.read(header, prepared.bound(), key, least, |_| Taken::Summed, sums).await?;
        Ok(scan.unwrap_or_else(|| Scan { sink: statistic.empty(), records: 0, persons: None }))
    }

    /// Counts the cells that do not fit, once the workers were told how to read them.
    pub async fn counts(&mut self, header: &Header, bound: &BoundPlan) -> Result<Scan<Counts>, Failure> {
        let counts = |found: Found| Counts::from_bytes(found.bytes).ok_or_else(Failure::protocol);
        let scan = self.read(header, bound, None, 0, |_| Taken::Inspected, counts).await?;
        let none = || Scan { sink: Counts::new(bound.columns.len()), records: 0, persons: None };
        Ok(scan.unwrap_or_else(none))
    }

    /// Leaves the encoded rows in the workers for all rounds; where they are too many, counts them. If `key` is given, another table
    /// than the key's is refused.
    pub async fn keep(
        &mut self,
        header: &Header,
        prepared: &Prepared,
        key: Option<&str>,
    ) -> Result<Scan<Rows>, Failure> {
        let all_kept = Cell::new(!prepared.rereads());
        let taken = |records| {
            if records > prepared.most_rows() {
                all_kept.set(false);
            }
            if all_kept.get() { Taken::Kept } else { Taken::Counted }
        };
        let place = |found: Found| Ok(Places(vec![(found.worker, found.slice)]));
        let scan = self.read(header, prepared.bound(), key, 0, taken, place).await?;
        let scan = scan.unwrap_or_else(|| Scan { sink: Places(Vec::new()), records: 0, persons: None });
        // A slice may have grown beyond the most by itself, and its rows are dropped then.
        if !all_kept.get() || scan.records > prepared.most_rows() {
            self.pool.tell(&ScanRequest::Forget)?;
            let records = scan.records;
            return Ok(scan.map(|_| Rows::InFile { records }));
        }
        let mut slices = vec![Vec::new(); self.pool.scanners.len()];
        for (worker, slice) in &scan.sink.0 {
            slices.get_mut(*worker).ok_or_else(Failure::protocol)?.push(*slice);
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
                let scan = self.sums(header, prepared, None, statistic).await?;
                return if scan.records == *records { Ok(scan.sink) } else { Err(Failure::protocol()) };
            }
        };
        self.pool.sum(statistic, slices).await
    }

    /// Reads all slices once. `taken` says what becomes of the rows of the next one after so many records were read, and `sink` what
    /// came of a slice that holds some. Nothing where none does. If `key` is given, the same bytes are hashed, and another table
    /// than the key's is refused.
    async fn read<S: Merge>(
        &mut self,
        header: &Header,
        bound: &BoundPlan,
        key: Option<&str>,
        least_bytes: usize,
        taken: impl Fn(u64) -> Taken,
        sink: impl Fn(Found) -> Result<S, Failure>,
    ) -> Result<Option<Scan<S>>, Failure> {
        let workers = self.pool.scanners.len();
        let step = slice_bytes(self.length, least_bytes, workers);
        let Some(key) = key else {
            let mut combiner = Combiner::<S>::new(header, self.length, bound, step, workers);
            self.pool.pass(None, Some(&mut combiner), taken, sink).await?;
            return Ok(combiner.finish());
        };
        // With a person column the order of rows matters, so there is one slice.
        let ordered = bound.person.is_some();
        let chunks = if ordered { self.length.div_ceil(CHUNK) } else { step / CHUNK }.max(1);
        let span = chunks.saturating_mul(CHUNK);
        let mut combiner = Combiner::<S>::of_spans(header, self.length, span, workers * 2);
        let hashing = Hashing::new(&self.pool.files, span)?;
        let found = self.pool.pass(Some(hashing), Some(&mut combiner), taken, sink).await?;
        if found.as_deref() != Some(key) {
            return Err(Failure::new(Reason::File, words::failure::other_file()));
        }
        Ok(combiner.finish())
    }
}
