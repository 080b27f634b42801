//! Divides one file into slices for several readers.
//!
//! The bytes after the header are cut at equal distances. A reader that begins in the middle assumes that the first line end at or
//! after its cut ends a record. That is wrong if the line end is quoted. So a slice is accepted only after the slice before it has
//! reported where its last record ended. If the two positions differ, the slice is read again from the reported position. By
//! induction every accepted record began in the parser's start state, so one reader and many read the same records of every file.
//!
//! A slice `from..=to` owns the records that start in `from + 1..=to`. A slice that begins at the known start of a record owns
//! those in `from..=to`. A record starts at its first byte that is neither CR nor LF, so the result does not depend on whether a
//! cut is between CR and LF or among blank lines. In a table of one column it starts just after the line end before it, CRLF being one.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::cells::Cells;
use super::csv::{CsvError, Fault, Feed, Parser, Record, line_ends};
use super::encode::Encoder;
use super::header::Header;
use super::moments::MomentsError;
use super::person::Persons;
use super::sink::{Merge, RowSink};
use crate::plan::bound::{BoundCondition, BoundPlan, CsvRules, Encoding};

/// One slice to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// Number of the slice, in the file's order.
    pub slice: usize,
    /// Offset of the first byte to feed.
    pub from: u64,
    /// Last offset at which a record of this slice may start. That record is read to its end.
    pub to: u64,
    /// Whether a record, or a blank line, is known to begin at `from`.
    pub known: bool,
    /// Whether the file begins with a byte order mark, so that it is read as UTF-8 whatever the plan says.
    pub marked: bool,
}

/// A reader's report on its slice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SliceReport<S> {
    /// The slice.
    pub job: Job,
    /// The content, valid if the slice began at the start of a record.
    pub outcome: Outcome<S>,
}

/// The content of a slice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome<S> {
    /// No record starts here.
    Nothing,
    /// Records.
    Read {
        /// Offset where the first record started.
        start: u64,
        /// The sums over its records.
        part: Part<S>,
    },
    /// A malformed record; its line is counted from 1 at `start`.
    Failed {
        /// Offset where the first record started.
        start: u64,
        /// The error.
        error: CsvError,
    },
}

/// The records from one offset to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part<S> {
    /// Offset where the next record starts, or of the file's end.
    pub end: u64,
    /// Line ends in between.
    pub lines: u64,
    /// Records in between, including skipped ones.
    pub records: u64,
    /// Distinct persons, if the plan names their column.
    pub persons: Option<u64>,
    /// Their rows.
    pub sink: S,
}

/// The result of reading a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scan<S> {
    /// The rows, or their moments.
    pub sink: S,
    /// Records, including skipped ones. Private, unless the plan states the number of rows.
    pub records: u64,
    /// Distinct persons, if the plan names their column. Private in the same way.
    pub persons: Option<u64>,
}

impl<S> Scan<S> {
    /// Returns this scan with another sink.
    pub fn map<T>(self, sink: impl FnOnce(S) -> T) -> Scan<T> {
        Scan { sink: sink(self.sink), records: self.records, persons: self.persons }
    }
}

impl<S> Outcome<S> {
    /// Returns this content with another sink. Workers exchange bytes.
    ///
    /// # Errors
    /// As `sink`.
    pub fn try_map<T, E>(self, sink: impl FnOnce(S) -> Result<T, E>) -> Result<Outcome<T>, E> {
        Ok(match self {
            Self::Nothing => Outcome::Nothing,
            Self::Failed { start, error } => Outcome::Failed { start, error },
            Self::Read { start, part: Part { end, lines, records, persons, sink: rows } } => {
                Outcome::Read { start, part: Part { end, lines, records, persons, sink: sink(rows)? } }
            }
        })
    }
}

/// Reads one slice. The caller feeds the file's bytes from [`Job::from`] on, in pieces of any size, until the slice is done or the
/// file ends.
pub struct SliceScanner<S> {
    job: Job,
    state: State,
    fields: usize,
    rules: CsvRules,
    records: RecordReader<S>,
}

enum State {
    /// Before the first record.
    Seek(Seek),
    /// In the records, of which the first started at this offset.
    Parse(u64, Box<Parser>),
    /// No record starts here.
    Nothing,
    /// A malformed record, and where the first record started.
    Failed(u64, CsvError),
}

impl<S: RowSink> SliceScanner<S> {
    /// Creates a scanner for one slice, putting rows into an empty sink.
    pub fn new(job: Job, plan: &BoundPlan, sink: S) -> Self {
        let mut rules = plan.csv.clone();
        if job.marked {
            rules.encoding = Encoding::Utf8;
        }
        let state = if job.known {
            State::Parse(job.from, Box::new(Parser::new(plan.fields, &rules, job.from, job.to)))
        } else {
            State::Seek(Seek::new(&job, plan.fields == 1))
        };
        let records = RecordReader::new(plan, sink);
        Self { job, state, fields: plan.fields, rules, records }
    }

    /// Reads the next bytes; [`Feed::Done`] when the slice needs no more.
    #[inline(never)]
    pub fn feed(&mut self, bytes: &[u8]) -> Feed {
        let mut rest = bytes;
        loop {
            match &mut self.state {
                State::Seek(seek) => match seek.feed(rest) {
                    Sought::More => return Feed::More,
                    Sought::Nothing => self.state = State::Nothing,
                    Sought::Record { at, start } => {
                        rest = &rest[at..];
                        let parser = Parser::new(self.fields, &self.rules, start, self.job.to);
                        self.state = State::Parse(start, Box::new(parser));
                    }
                },
                State::Parse(start, parser) => {
                    let records = &mut self.records;
                    match parser.feed(rest, |record| records.read(&record)) {
                        Ok(feed) => return feed,
                        Err(error) => self.state = State::Failed(*start, error),
                    }
                }
                State::Nothing | State::Failed(..) => return Feed::Done,
            }
        }
    }

    /// Ends the slice, when it is done or the file has ended.
    pub fn finish(self) -> SliceReport<S> {
        let Self { job, state, mut records, .. } = self;
        let outcome = match state {
            State::Seek(_) | State::Nothing => Outcome::Nothing,
            State::Failed(start, error) => Outcome::Failed { start, error },
            State::Parse(start, mut parser) => match parser.finish(|record| records.read(&record)) {
                Err(error) => Outcome::Failed { start, error },
                Ok(()) => Outcome::Read {
                    start,
                    part: Part {
                        end: parser.offset(),
                        lines: parser.lines(),
                        records: records.count,
                        persons: records.persons.map(|(_, persons)| persons.count()),
                        sink: records.sink,
                    },
                },
            },
        };
        SliceReport { job, outcome }
    }
}

/// Finds the first record of a slice that begins in the middle: the one after the first line end at or after the cut.
pub(super) struct Seek {
    /// Offset of the next byte.
    offset: u64,
    /// Last offset at which that record may start.
    to: u64,
    /// Whether a line end was found: then only further line ends may come before the record.
    ended: bool,
    /// Whether a blank line is a record.
    single: bool,
    /// Whether the line end that was found is a CR, so that an LF that comes next belongs to it.
    after_cr: bool,
}

/// The state of [`Seek`].
pub(super) enum Sought {
    /// Feed the next bytes.
    More,
    /// No record starts in this slice.
    Nothing,
    /// The record starts at this place of the bytes, which is this offset of the file.
    Record { at: usize, start: u64 },
}

impl Seek {
    /// Creates it for one slice; `single` says that a blank line is a record.
    pub(super) fn new(job: &Job, single: bool) -> Self {
        Self { offset: job.from, to: job.to, ended: false, single, after_cr: false }
    }

    pub(super) fn feed(&mut self, bytes: &[u8]) -> Sought {
        let mut at = 0;
        if !self.ended {
            // Bytes before the offset `to`, where a line end can still lead to a record of this slice.
            let room = usize::try_from(self.to.saturating_sub(self.offset)).unwrap_or(usize::MAX);
            match memchr::memchr2(b'\r', b'\n', &bytes[..bytes.len().min(room)]) {
                Some(found) => {
                    at = found + 1;
                    self.ended = true;
                    self.after_cr = bytes[found] == b'\r';
                }
                None if bytes.len() >= room => return Sought::Nothing,
                None => at = bytes.len(),
            }
        }
        if self.ended {
            at += line_ends(&bytes[at..], self.single, &mut self.after_cr);
        }
        let start = self.offset + at as u64;
        if self.ended && start > self.to {
            return Sought::Nothing;
        }
        if at < bytes.len() {
            return Sought::Record { at, start };
        }
        self.offset = start;
        Sought::More
    }
}

/// Reads each record into the sink.
pub(super) struct RecordReader<S> {
    encoder: Encoder,
    cells: Cells,
    /// What a record meets to count.
    only: Vec<BoundCondition>,
    /// The person column's field, and the count of each person's rows.
    persons: Option<(usize, Persons)>,
    count: u64,
    sink: S,
}

impl<S: RowSink> RecordReader<S> {
    pub(super) fn new(plan: &BoundPlan, sink: S) -> Self {
        let persons =
            plan.person.as_ref().map(|person| (person.field, Persons::new(person.max_rows, &plan.csv.na)));
        let (cells, only) = (Cells::new(&plan.csv), plan.only.clone());
        Self { encoder: Encoder::new(plan), cells, only, persons, count: 0, sink }
    }

    /// Returns what was read.
    pub(super) fn finish(self) -> Scan<S> {
        let persons = self.persons.map(|(_, persons)| persons.count());
        Scan { sink: self.sink, records: self.count, persons }
    }

    #[inline(never)]
    pub(super) fn read(&mut self, record: &Record<'_>) {
        self.count += 1;
        let meets = self.only.iter().all(|condition| self.cells.meet(record, condition));
        if let Some((field, persons)) = &mut self.persons {
            let Some(person) = persons.keep(record.field(*field), meets) else { return };
            self.sink.person(person);
        } else if !meets {
            return;
        }
        self.sink.record(record, &mut self.encoder);
    }
}

/// Returns a size of slices: a few slices for each worker, so that all workers end at about the same time, but each much larger
/// than its sums.
pub fn slice_bytes(length: u64, least_bytes: usize, workers: usize) -> u64 {
    let least = (least_bytes as u64).saturating_mul(2).max(1 << 20);
    (length / (workers.max(1) as u64).saturating_mul(8)).clamp(least, least.max(16 << 20))
}

/// A table that could not be read to its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScanError {
    /// The first malformed record of the file.
    #[error(transparent)]
    Csv(#[from] CsvError),
    /// Parts of different plans.
    #[error(transparent)]
    Moments(#[from] MomentsError),
}

impl ScanError {
    /// Returns whether bytes of the table are not in the encoding that it is read in.
    pub fn is_of_encoding(&self) -> bool {
        matches!(self, Self::Csv(CsvError { fault: Fault::NotUtf8, .. }))
    }
}

/// Distributes slices and accepts their reports in the file's order.
pub struct Combiner<S> {
    body: u64,
    length: u64,
    step: u64,
    slices: usize,
    /// How many slices may be read beyond the first that is not accepted yet. This bounds the number of waiting reports.
    ahead: usize,
    names: Vec<String>,
    marked: bool,
    /// The next slice that was not distributed yet.
    next: usize,
    /// A slice that has to be read again, because it did not begin where its predecessor ended.
    again: Option<Job>,
    waiting: BTreeMap<usize, SliceReport<S>>,
    /// The number of accepted slices.
    accepted: usize,
    end: u64,
    lines: u64,
    records: u64,
    persons: Option<u64>,
    sink: Option<S>,
}

impl<S: Merge> Combiner<S> {
    /// Creates a combiner for a file of `length` bytes (`u64::MAX` if unknown) in slices of `slice_bytes`, read by `workers`
    /// workers. With a person column there is one slice, because the order of rows matters.
    pub fn new(header: &Header, length: u64, plan: &BoundPlan, slice_bytes: u64, workers: usize) -> Self {
        let whole = length.saturating_sub(header.body_offset).max(1);
        let step =
            if plan.person.is_some() || length == u64::MAX { whole } else { slice_bytes.clamp(1, whole) };
        Self {
            body: header.body_offset,
            step,
            slices: usize::try_from(whole.div_ceil(step)).unwrap_or(usize::MAX),
            ahead: workers.saturating_mul(2).max(1),
            ..Self::empty(header, length)
        }
    }

    /// Creates a combiner for slices that are the spans of a file of `length` bytes: slice i begins at `span` times i, counted from
    /// the start of the file. At most `ahead` slices are read beyond the first that is not accepted yet.
    pub fn of_spans(header: &Header, length: u64, span: u64, ahead: usize) -> Self {
        let step = span.max(1);
        let slices = usize::try_from(length.div_ceil(step)).unwrap_or(usize::MAX);
        let mut combiner = Self { step, slices, ahead, ..Self::empty(header, length) };
        // Spans within the header hold no record.
        while combiner.accepted < combiner.slices && combiner.end > combiner.last_start(combiner.accepted) {
            combiner.accept();
        }
        combiner
    }

    /// Creates a combiner without slices.
    fn empty(header: &Header, length: u64) -> Self {
        Self {
            body: 0,
            length,
            step: 1,
            slices: 0,
            ahead: 0,
            names: header.names.clone(),
            marked: header.marked,
            next: 0,
            again: None,
            waiting: BTreeMap::new(),
            accepted: 0,
            end: header.body_offset,
            lines: header.lines,
            records: 0,
            persons: None,
            sink: None,
        }
    }

    /// Returns the next slice to read. `None` if a report has to come first, or if all slices are done.
    pub fn next_job(&mut self) -> Option<Job> {
        if let Some(job) = self.again.take() {
            return Some(job);
        }
        if self.next >= self.slices || self.next >= self.accepted.saturating_add(self.ahead) {
            return None;
        }
        let slice = self.next;
        self.next += 1;
        Some(if slice == self.accepted {
            self.verified(slice)
        } else {
            let from = self.body + self.step.saturating_mul(slice as u64);
            Job { slice, from, to: self.last_start(slice), known: false, marked: self.marked }
        })
    }

    /// Takes a report. Reports may come in any order.
    ///
    /// # Errors
    /// The file's first error, once all slices before it are accepted. The scan ends then.
    pub fn offer(&mut self, report: SliceReport<S>) -> Result<(), ScanError> {
        if report.job.slice >= self.accepted {
            self.waiting.insert(report.job.slice, report);
        }
        while self.accepted < self.slices {
            let slice = self.accepted;
            if self.end > self.last_start(slice) {
                // A record of an earlier slice ends after this one.
                self.waiting.remove(&slice);
                self.accept();
                continue;
            }
            let Some(report) = self.waiting.remove(&slice) else { break };
            match report.outcome {
                Outcome::Read { start, part } if start == self.end => {
                    self.add(part)?;
                    self.accept();
                }
                Outcome::Failed { start, error } if start == self.end => {
                    return Err(error.located(self.lines, &self.names).into());
                }
                _ => {
                    self.again = Some(self.verified(slice));
                    break;
                }
            }
        }
        Ok(())
    }

    /// Returns whether every slice is accepted.
    pub fn is_done(&self) -> bool {
        self.accepted == self.slices
    }

    /// Returns the offset up to which all slices are accepted, for progress. It is public.
    pub fn settled(&self) -> u64 {
        self.end
    }

    /// Returns the result, once all slices are accepted. `None` also if no slice held a record.
    pub fn finish(self) -> Option<Scan<S>> {
        if !self.is_done() {
            return None;
        }
        Some(Scan { sink: self.sink?, records: self.records, persons: self.persons })
    }

    fn add(&mut self, part: Part<S>) -> Result<(), MomentsError> {
        match &mut self.sink {
            Some(sink) => sink.append(part.sink)?,
            None => self.sink = Some(part.sink),
        }
        self.end = part.end;
        self.lines += part.lines;
        self.records += part.records;
        self.persons = part.persons;
        Ok(())
    }

    fn accept(&mut self) {
        self.accepted += 1;
        self.next = self.next.max(self.accepted);
    }

    /// Returns the job of reading a slice from the end of the records before it.
    fn verified(&self, slice: usize) -> Job {
        Job { slice, from: self.end, to: self.last_start(slice), known: true, marked: self.marked }
    }

    fn last_start(&self, slice: usize) -> u64 {
        let after = self.step.saturating_mul(slice as u64 + 1);
        self.body.saturating_add(after).min(self.length)
    }
}
