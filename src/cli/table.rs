//! Reads a table from a disk or from standard input, with several threads.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::bytes::{PIECE, Stamp, read_some};
use super::packed::{Packed, PackedError};
use crate::data::csv::Feed;
use crate::data::genotypes::{GenotypeError, SourceFile};
use crate::data::header::{Header, HeaderError, HeaderRead, HeaderRules, read_header};
use crate::data::sink::RowSink;
use crate::data::slices::{Combiner, Job, Scan, ScanError, SliceReport, SliceScanner, slice_bytes};
use crate::plan::bound::BoundPlan;

/// A table that cannot be read. No message quotes a cell.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// The file cannot be opened or read.
    #[error("{}", crate::words::error::table_io(.0))]
    Io(#[from] io::Error),
    /// The file is no table.
    #[error("{}", crate::words::error::table_header(.0))]
    Header(#[from] HeaderError),
    /// The file is of another form, and its table cannot be read.
    #[error(transparent)]
    Packed(PackedError),
    /// A record is malformed.
    #[error("{}", crate::words::error::table_header(.0))]
    Scan(#[from] ScanError),
    /// One of the files of a genotype source cannot be opened or read.
    #[error("{}", crate::words::error::table_file(source_file, path.display(), error))]
    File {
        /// Which of them.
        source_file: SourceFile,
        /// Where it was looked for.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A genotype source is malformed.
    #[error(transparent)]
    Genotypes(#[from] GenotypeError),
    /// Another program wrote to the file.
    #[error("{}", crate::words::error::table_changed())]
    Changed,
    /// The plan was bound to another header.
    #[error("{}", crate::words::error::table_other_header(bound, found))]
    OtherHeader {
        /// Columns that the plan knows.
        bound: usize,
        /// Columns of the table.
        found: usize,
    },
    /// A thread stopped without a result.
    #[error("{}", crate::words::error::table_stopped())]
    Stopped,
}

impl From<PackedError> for TableError {
    fn from(error: PackedError) -> Self {
        match error {
            PackedError::Io(error) => Self::Io(error),
            error => Self::Packed(error),
        }
    }
}

/// A table whose header was read.
pub struct Table {
    header: Header,
    source: Source,
}

enum Source {
    /// A file, which several threads can read at once.
    File { path: PathBuf, stamp: Stamp, head: Vec<u8> },
    /// A file in another form, with the unpacked bytes of the header.
    Packed { packed: Packed, head: Vec<u8> },
    /// A stream, with the bytes that came with the header.
    Stream { head: Vec<u8>, reader: Box<dyn Read> },
}

impl Table {
    /// Opens a file, or standard input for `-`, and reads the header.
    ///
    /// # Errors
    /// [`TableError`] if it cannot be read, or does not begin as a table does.
    pub fn open(path: &Path, rules: HeaderRules) -> Result<Self, TableError> {
        if path == Path::new("-") {
            return Self::stream(io::stdin(), rules);
        }
        if let Some(packed) = Packed::of(path)? {
            let (header, head) = first_bytes(&mut packed.reader()?, rules)?;
            return Ok(Self { header, source: Source::Packed { packed, head } });
        }
        let mut file = File::open(path)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            // A pipe: it has no length and no second reader. A directory fails at its first read.
            return Self::stream(file, rules);
        }
        let (header, head) = first_bytes(&mut file, rules)?;
        let stamp = Stamp::of(&metadata);
        Ok(Self { header, source: Source::File { path: path.to_owned(), stamp, head } })
    }

    /// Reads the header of a stream.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn stream(mut reader: impl Read + 'static, rules: HeaderRules) -> Result<Self, TableError> {
        let (header, head) = first_bytes(&mut reader, rules)?;
        Ok(Self { header, source: Source::Stream { head, reader: Box::new(reader) } })
    }

    /// Returns the file to read it again; that fails if it was written to after it was opened. `None` for a stream, which can be
    /// read only once.
    pub fn again(&self) -> Option<Self> {
        let source = match &self.source {
            Source::File { path, stamp, head } => {
                Source::File { path: path.clone(), stamp: *stamp, head: head.clone() }
            }
            Source::Packed { packed, head } => Source::Packed { packed: packed.clone(), head: head.clone() },
            Source::Stream { .. } => return None,
        };
        Some(Self { header: self.header.clone(), source })
    }

    /// Returns the table with an observer of the bytes after the header, if it is a stream; a file is returned as it is.
    #[must_use]
    pub fn observed(mut self, mut observer: impl FnMut(&[u8]) + 'static) -> Self {
        if let Source::Stream { head, reader } = self.source {
            let body = usize::try_from(self.header.body_offset).unwrap_or(usize::MAX);
            observer(head.get(body..).unwrap_or_default());
            self.source = Source::Stream { head, reader: Box::new(Observed { reader, observer }) };
        }
        self
    }

    /// Returns the header, to which a plan is bound.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the first bytes, which contain the header and records after it, and whether they are all of a file.
    pub fn first_bytes(&self) -> (&[u8], bool) {
        match &self.source {
            Source::File { head, stamp, .. } => (head, head.len() as u64 == stamp.length()),
            Source::Packed { head, .. } | Source::Stream { head, .. } => (head, false),
        }
    }

    /// Returns the last bytes of a file beyond its header, at most `count`; none of a stream, of a packed file or of one that is gone.
    pub fn last_bytes(&self, count: u64) -> Vec<u8> {
        let Source::File { path, stamp, .. } = &self.source else { return Vec::new() };
        let from = self.header.body_offset.max(stamp.length().saturating_sub(count));
        let mut bytes = Vec::new();
        let read = File::open(path).and_then(|mut file| {
            file.seek(SeekFrom::Start(from))?;
            file.take(count).read_to_end(&mut bytes)
        });
        if read.is_ok() { bytes } else { Vec::new() }
    }

    /// Reads all records. `sink` returns an empty sink for a part of the table. The result does not depend on the number of workers.
    ///
    /// # Errors
    /// [`TableError`] for the first malformed record, if the file cannot be read, or if it changes.
    pub fn scan<S: RowSink + Send>(
        self,
        plan: &BoundPlan,
        sink: impl Fn() -> S + Sync,
        workers: usize,
    ) -> Result<Scan<S>, TableError> {
        if plan.fields != self.header.names.len() {
            return Err(TableError::OtherHeader { bound: plan.fields, found: self.header.names.len() });
        }
        match self.source {
            Source::Stream { head, reader } => scan_stream(&self.header, head, reader, plan, sink()),
            Source::Packed { packed, head } => {
                let mut reader = packed.reader()?;
                io::copy(&mut reader.by_ref().take(head.len() as u64), &mut io::sink())?;
                let scan = scan_stream(&self.header, head, reader, plan, sink())?;
                if packed.is_changed()? { Err(TableError::Changed) } else { Ok(scan) }
            }
            Source::File { path, stamp, head: _ } => {
                let workers = workers.max(1);
                let step = slice_bytes(stamp.length(), sink().least_bytes(), workers);
                let pool = ScanPool {
                    path: &path,
                    length: stamp.length(),
                    plan,
                    state: Mutex::new(State {
                        combiner: Combiner::new(&self.header, stamp.length(), plan, step, workers),
                        error: None,
                    }),
                    news: Condvar::new(),
                    stop: AtomicBool::new(false),
                };
                std::thread::scope(|scope| {
                    for _ in 1..workers {
                        scope.spawn(|| pool.work(&sink));
                    }
                    pool.work(&sink);
                });
                let state = pool.state.into_inner().unwrap_or_else(PoisonError::into_inner);
                if Stamp::of(&std::fs::metadata(&path)?) != stamp {
                    return Err(TableError::Changed);
                }
                match state.error {
                    Some(error) => Err(error),
                    None => state.combiner.finish().ok_or(TableError::Stopped),
                }
            }
        }
    }
}

/// A reader whose bytes an observer sees, too.
struct Observed<F> {
    reader: Box<dyn Read>,
    observer: F,
}

impl<F: FnMut(&[u8])> Read for Observed<F> {
    fn read(&mut self, piece: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(piece)?;
        (self.observer)(&piece[..count]);
        Ok(count)
    }
}

/// Reads the header; returns it with all bytes that were read.
fn first_bytes(reader: &mut impl Read, rules: HeaderRules) -> Result<(Header, Vec<u8>), TableError> {
    let mut bytes = Vec::new();
    // Doubling keeps the work on a very long header within a small multiple of its length.
    let mut wanted = 1_u64 << 16;
    loop {
        let missing = wanted - bytes.len() as u64;
        let at_end = (reader.by_ref().take(missing).read_to_end(&mut bytes)? as u64) < missing;
        match read_header(&bytes, at_end, rules)? {
            HeaderRead::Header(header) => return Ok((header, bytes)),
            HeaderRead::NeedMore => wanted *= 2,
        }
    }
}

fn scan_stream<S: RowSink>(
    header: &Header,
    head: Vec<u8>,
    mut reader: Box<dyn Read>,
    plan: &BoundPlan,
    sink: S,
) -> Result<Scan<S>, TableError> {
    let mut combiner = Combiner::new(header, u64::MAX, plan, u64::MAX, 1);
    let job = combiner.next_job().ok_or(TableError::Stopped)?;
    let mut scanner = SliceScanner::new(job, plan, sink);
    let body = usize::try_from(header.body_offset).unwrap_or(usize::MAX);
    let mut feed = scanner.feed(head.get(body..).unwrap_or_default());
    drop(head);
    let mut piece = vec![0; PIECE];
    while feed == Feed::More {
        let count = read_some(&mut reader, &mut piece)?;
        if count == 0 {
            break;
        }
        feed = scanner.feed(&piece[..count]);
    }
    combiner.offer(scanner.finish())?;
    combiner.finish().ok_or(TableError::Stopped)
}

/// The state that the threads share.
struct ScanPool<'a, S> {
    path: &'a Path,
    length: u64,
    plan: &'a BoundPlan,
    state: Mutex<State<S>>,
    /// Signals a report, or the end.
    news: Condvar,
    stop: AtomicBool,
}

struct State<S> {
    combiner: Combiner<S>,
    error: Option<TableError>,
}

impl<S: RowSink> ScanPool<'_, S> {
    fn lock(&self) -> MutexGuard<'_, State<S>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads slices until there are no more, or until one thread meets an error.
    fn work(&self, sink: &impl Fn() -> S) {
        let mut file = None;
        let mut piece = vec![0; PIECE];
        let mut state = self.lock();
        while state.error.is_none() && !state.combiner.is_done() {
            let Some(job) = state.combiner.next_job() else {
                state = self.news.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            drop(state);
            let report = self.read(&mut file, &mut piece, job, sink());
            state = self.lock();
            let outcome = match report {
                Ok(Some(report)) => state.combiner.offer(report).map_err(TableError::from),
                Ok(None) => break,
                Err(error) => Err(error),
            };
            if let Err(error) = outcome {
                state.error.get_or_insert(error);
                self.stop.store(true, Ordering::Relaxed);
            }
            self.news.notify_all();
        }
    }

    /// Reads one slice; `None` if the scan was stopped meanwhile.
    fn read(
        &self,
        file: &mut Option<File>,
        piece: &mut [u8],
        job: Job,
        sink: S,
    ) -> Result<Option<SliceReport<S>>, TableError> {
        let file = match file {
            Some(file) => file,
            None => file.insert(File::open(self.path)?),
        };
        file.seek(SeekFrom::Start(job.from))?;
        let mut scanner = SliceScanner::new(job, self.plan, sink);
        let mut offset = job.from;
        while offset < self.length {
            if self.stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let left = usize::try_from(self.length - offset).unwrap_or(usize::MAX).min(piece.len());
            // Near the end of the slice a whole piece would mostly belong to the next one.
            let slice_left = usize::try_from(job.to.saturating_sub(offset)).unwrap_or(usize::MAX);
            let wanted = left.min(slice_left.saturating_add(1 << 16));
            let count = read_some(file, &mut piece[..wanted])?;
            if count == 0 {
                return Err(TableError::Changed);
            }
            offset += count as u64;
            if scanner.feed(&piece[..count]) == Feed::Done {
                break;
            }
        }
        Ok(Some(scanner.finish()))
    }
}
