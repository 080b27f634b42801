//! A push parser: the caller feeds bytes and receives records. Every error has a position.
//!
//! The grammar is that of csv-core:
//! - a quote opens a field only at its start, and a doubled quote inside is one quote;
//! - text after a closing quote belongs to the field;
//! - CR, LF and CRLF each end a record, and the line end that ends the file begins none;
//! - a blank line is no record, except in a table of one column, where its cell is empty.
//!
//! The parser refuses what csv-core accepts and a table must not have:
//! - a number of fields other than the header's;
//! - an open quote at the end, a byte that the encoding does not allow, a NUL;
//! - a record of [`RECORD_LIMIT`] bytes or more;
//! - a cell of several lines one of which looks like a record. If the program that wrote the file does not double the quotes in its
//!   cells, one quote can combine the records of other people into such a cell.
//!
//! A plain record (`data::plain`) does not pass through csv-core; its fields are the same.
//!
//! Memory is that of the longest record and does not depend on the file's size.

use std::fmt;

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};
use serde::{Deserialize, Serialize};

use super::latin1;
use super::number;
use super::plain::{self, Plain};
use crate::plan::bound::{CsvRules, Encoding};
use crate::plan::number_format::NumberFormat;
use crate::words;

/// Longest content of one record in bytes. A longer one most likely has a quote that is never closed.
pub const RECORD_LIMIT: usize = 64 << 20;

/// A position in a table. Lines and columns count from 1; a record's line is the one on which it begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// Line of the file.
    pub line: u64,
    /// Number of the field, if one field is wrong.
    pub column: Option<usize>,
    /// Name of that field in the header, if known.
    pub name: Option<String>,
}

impl fmt::Display for Position {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name.as_ref().map(|name| name.escape_debug());
        formatter.write_str(&match (self.column, name) {
            (None, _) => words::error::line(self.line),
            (Some(column), None) => words::error::line_column(self.line, column),
            (Some(column), Some(name)) => words::error::line_column_name(self.line, column, name),
        })
    }
}

/// A table that is malformed. No message quotes a cell.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error("{position}: {fault}")]
pub struct CsvError {
    /// The position.
    pub position: Position,
    /// The fault, with advice.
    pub fault: Fault,
}

/// A fault of a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Fault {
    /// Fewer fields than the header.
    #[error("{}", crate::words::error::csv_too_few_fields(found, expected))]
    TooFewFields {
        /// Fields of the record.
        found: usize,
        /// Fields of the header.
        expected: usize,
    },
    /// More fields than the header.
    #[error("{}", crate::words::error::csv_too_many_fields(expected))]
    TooManyFields {
        /// Fields of the header.
        expected: usize,
    },
    /// The file ends inside quotes.
    #[error("{}", crate::words::error::csv_open_quote())]
    OpenQuote,
    /// A byte sequence that is not UTF-8.
    #[error("{}", crate::words::error::csv_not_utf8())]
    NotUtf8,
    /// A zero byte.
    #[error("{}", crate::words::error::csv_nul())]
    Nul,
    /// A record without end.
    #[error("{}", crate::words::error::csv_too_long())]
    TooLong,
    /// A cell one of whose lines looks like a record.
    #[error("{}", crate::words::error::csv_record_in_cell())]
    RecordInCell,
}

impl CsvError {
    /// Returns the same error with the field's name from the header, and its line counted from the start of the file.
    #[must_use]
    pub fn located(mut self, lines_before: u64, names: &[String]) -> Self {
        self.position.line = self.position.line.saturating_add(lines_before);
        self.position.name = self
            .position
            .column
            .and_then(|column| names.get(column.checked_sub(1)?))
            .filter(|n| !n.is_empty())
            .cloned();
        self
    }
}

/// One record: its fields as text, unquoted and decoded, outer spaces kept.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// UTF-8.
    text: &'a [u8],
    ends: &'a [usize],
    /// Bytes between two fields.
    gap: usize,
}

impl<'a> Record<'a> {
    /// Creates a record from text and the positions where its fields end; each must be a character boundary.
    pub fn new(text: &'a str, ends: &'a [usize]) -> Self {
        Self { text: text.as_bytes(), ends, gap: 0 }
    }

    /// Returns the number of fields.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether there is no field.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns one field, counted from 0; one that does not exist is empty.
    pub fn field(&self, index: usize) -> &'a str {
        let (text, start) = self.until(index);
        std::str::from_utf8(text.get(start..).unwrap_or_default()).unwrap_or_default()
    }

    /// Returns the record's bytes up to the end of a field, and where the field starts in them: faster than its text, where a
    /// number is usual.
    #[inline]
    pub(super) fn until(&self, index: usize) -> (&'a [u8], usize) {
        let start = match index.checked_sub(1) {
            Some(before) => self.ends.get(before).map_or(self.text.len(), |end| end + self.gap),
            None => 0,
        };
        let end = self.ends.get(index).copied().unwrap_or(start);
        (self.text.get(..end).unwrap_or_default(), start)
    }
}

/// Whether a parser wants more bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feed {
    /// Feed the next bytes, or finish at the end of the file.
    More,
    /// Every record that starts at or before the last offset is read.
    Done,
}

/// The push parser. It begins where a record begins.
pub struct Parser {
    core: Reader,
    fields: usize,
    delimiter: u8,
    numbers: NumberFormat,
    encoding: Encoding,
    /// Records that start beyond this offset are not read.
    last_start: u64,
    /// Content of the current record so far, `filled` bytes of it.
    content: Vec<u8>,
    filled: usize,
    /// Ends of the current record's fields, `ended` of them; one more than the header has, to see a surplus.
    ends: Vec<usize>,
    ended: usize,
    decoded: Decoded,
    /// Offset of the next byte.
    offset: u64,
    in_record: bool,
    /// Whether the last line end was a CR, so that an LF that comes next belongs to it.
    after_cr: bool,
    done: bool,
    lines: LineCount,
    /// Line ends before the current record, if it began in an earlier piece.
    record_line: u64,
}

impl Parser {
    /// Creates a parser for records that start in `offset..=last_start`, fed from `offset` on.
    pub fn new(fields: usize, rules: &CsvRules, offset: u64, last_start: u64) -> Self {
        let mut core = ReaderBuilder::new().delimiter(rules.delimiter).build();
        // csv-core drops a BOM from the first bytes that it sees. Only the header may have one, so a blank line, which
        // is no record, goes first: then a slice of the file reads as the whole file does.
        core.read_record(b"\n", &mut [0], &mut [0]);
        Self {
            core,
            fields,
            delimiter: rules.delimiter,
            numbers: rules.numbers,
            encoding: rules.encoding,
            last_start,
            content: vec![0; 1 << 12],
            filled: 0,
            ends: vec![0; fields.saturating_add(1)],
            ended: 0,
            decoded: Decoded::default(),
            offset,
            in_record: false,
            after_cr: false,
            done: false,
            lines: LineCount::default(),
            record_line: 0,
        }
    }

    /// Returns the offset just after the last record and the line ends that follow it, once the parser is done or finished.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the number of line ends from the first offset to [`Self::offset`].
    pub fn lines(&self) -> u64 {
        self.lines.ends
    }

    /// Reads the next bytes and visits every record that ends in them.
    ///
    /// # Errors
    /// [`CsvError`] for the first malformed record, its line counted from 1 where the parser began. The
    /// parser must not be fed after that.
    #[inline(never)]
    pub fn feed(&mut self, bytes: &[u8], mut visit: impl FnMut(Record<'_>)) -> Result<Feed, CsvError> {
        if self.done {
            return Ok(Feed::Done);
        }
        let mut at = 0;
        let mut record_at = None;
        loop {
            if !self.in_record {
                at += line_ends(&bytes[at..], self.fields == 1, &mut self.after_cr);
                if at == bytes.len() {
                    break;
                }
                if self.offset + at as u64 > self.last_start {
                    self.done = true;
                    break;
                }
                if is_line_end(bytes[at]) {
                    visit(Record::new("", &[0]));
                    self.after_cr = bytes[at] == b'\r';
                    at += 1;
                    continue;
                }
                if let Some(length) = self.plain(&bytes[at..], &mut visit) {
                    at += length;
                    continue;
                }
                self.in_record = true;
                record_at = Some(at);
            }
            if at == bytes.len() {
                break;
            }
            let step = self.step(&bytes[at..]);
            at += step.read;
            let fault = match step.result {
                Ok(false) => continue,
                Ok(true) => {
                    self.after_cr = bytes[at - 1] == b'\r';
                    self.record(&mut visit).err()
                }
                Err(fault) => Some((fault, None)),
            };
            if let Some((fault, column)) = fault {
                let before = match record_at {
                    Some(start) => self.lines.with(&bytes[..start]),
                    None => self.record_line,
                };
                return Err(error_at(before, column, fault));
            }
        }
        if let (true, Some(start)) = (self.in_record, record_at) {
            self.record_line = self.lines.with(&bytes[..start]);
        }
        self.lines.add(&bytes[..at]);
        self.offset += at as u64;
        Ok(if self.done { Feed::Done } else { Feed::More })
    }

    /// Ends the input: a last record without a line end is still one.
    ///
    /// # Errors
    /// [`CsvError`] for that record, or for a quote that is open.
    pub fn finish(&mut self, mut visit: impl FnMut(Record<'_>)) -> Result<(), CsvError> {
        while self.in_record && !self.done {
            // A line end closes the record unless a quote is open: then it becomes content.
            let filled = self.filled;
            let fault = match self.step(b"\n").result {
                Ok(true) => self.record(&mut visit).err(),
                Ok(false) if self.filled > filled => Some((Fault::OpenQuote, Some(self.ended + 1))),
                Ok(false) => None,
                Err(fault) => Some((fault, None)),
            };
            if let Some((fault, column)) = fault {
                return Err(error_at(self.record_line, column, fault));
            }
        }
        self.done = true;
        Ok(())
    }

    /// Visits the record at the start of `bytes` without csv-core, if it is plain and well formed; returns its length. In a table
    /// of one column line ends mean more, so csv-core reads it.
    fn plain(&mut self, bytes: &[u8], visit: &mut impl FnMut(Record<'_>)) -> Option<usize> {
        let ends = self.ends.get_mut(..self.fields).filter(|ends| ends.len() > 1)?;
        let Plain { length, ascii } = plain::cut(bytes, self.delimiter, ends)?;
        let text = &bytes[..length];
        let is_text = ascii
            || match self.encoding {
                Encoding::Utf8 => std::str::from_utf8(text).is_ok(),
                Encoding::Latin1 => text.is_ascii(),
            };
        (is_text && length < RECORD_LIMIT).then(|| visit(Record { text, ends, gap: 1 }))?;
        Some(length)
    }

    /// Passes bytes to csv-core; returns `Ok(true)` at the end of a record.
    #[inline(never)]
    fn step(&mut self, bytes: &[u8]) -> Step {
        let (result, read, written, ended) =
            self.core.read_record(bytes, &mut self.content[self.filled..], &mut self.ends[self.ended..]);
        self.filled += written;
        self.ended += ended;
        let result = match result {
            ReadRecordResult::Record if self.ended > self.fields => {
                Err(Fault::TooManyFields { expected: self.fields })
            }
            ReadRecordResult::Record => Ok(true),
            ReadRecordResult::OutputEndsFull => Err(Fault::TooManyFields { expected: self.fields }),
            ReadRecordResult::OutputFull if self.content.len() >= RECORD_LIMIT => Err(Fault::TooLong),
            ReadRecordResult::OutputFull => {
                self.content.resize((self.content.len() * 4).min(RECORD_LIMIT), 0);
                Ok(false)
            }
            ReadRecordResult::InputEmpty | ReadRecordResult::End => Ok(false),
        };
        Step { result, read }
    }

    /// Checks a complete record and passes it to `visit`.
    #[inline(never)]
    fn record(&mut self, visit: &mut impl FnMut(Record<'_>)) -> Result<(), (Fault, Option<usize>)> {
        let content = &self.content[..self.filled];
        let ends = &self.ends[..self.ended];
        if ends.len() < self.fields {
            return Err((Fault::TooFewFields { found: ends.len(), expected: self.fields }, None));
        }
        let column = |at: usize| Some(ends.partition_point(|&end| end <= at) + 1);
        if let Some(at) = memchr::memchr(0, content) {
            return Err((Fault::Nul, column(at)));
        }
        let has_lines = memchr::memchr2(b'\n', b'\r', content).is_some();
        let record = match self.encoding {
            Encoding::Utf8 => {
                let text = std::str::from_utf8(content)
                    .map_err(|error| (Fault::NotUtf8, column(error.valid_up_to())))?;
                // Fields lie side by side here: half a character at the end of one and half at the start of the
                // next must not pass as one.
                if !text.is_ascii()
                    && let Some(split) = ends.iter().position(|&end| !text.is_char_boundary(end))
                {
                    return Err((Fault::NotUtf8, Some(split + 1)));
                }
                Record::new(text, ends)
            }
            Encoding::Latin1 => self.decoded.latin1(content, ends),
        };
        if has_lines {
            let looks =
                |field: &usize| holds_record(record.field(*field), self.fields, self.delimiter, self.numbers);
            if let Some(field) = (0..ends.len()).find(looks) {
                return Err((Fault::RecordInCell, Some(field + 1)));
            }
        }
        visit(record);
        self.filled = 0;
        self.ended = 0;
        self.in_record = false;
        Ok(())
    }
}

/// Returns whether a line of a cell, but for its first, looks like a record: it has as many fields, and one of them is a number.
fn holds_record(cell: &str, fields: usize, delimiter: u8, numbers: NumberFormat) -> bool {
    let looks_like_one = |line: &str| {
        let cells = || line.split(char::from(delimiter));
        cells().count() == fields && cells().any(|cell| number::parse(cell, numbers).is_some())
    };
    fields > 1 && cell.split(['\n', '\r']).skip(1).any(looks_like_one)
}

struct Step {
    result: Result<bool, Fault>,
    read: usize,
}

/// Text of a record whose bytes are not UTF-8.
#[derive(Default)]
struct Decoded {
    text: String,
    ends: Vec<usize>,
}

impl Decoded {
    /// Decodes [Latin-1](super::latin1).
    fn latin1(&mut self, content: &[u8], ends: &[usize]) -> Record<'_> {
        self.text.clear();
        self.ends.clear();
        let mut start = 0;
        for &end in ends {
            self.text.extend(latin1::characters(&content[start..end]));
            self.ends.push(self.text.len());
            start = end;
        }
        Record::new(&self.text, &self.ends)
    }
}

/// Counts line ends over pieces. CR, LF and CRLF are one each, also if a piece ends between CR and LF.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LineCount {
    pub(crate) ends: u64,
    after_cr: bool,
}

impl LineCount {
    /// Returns the count if `bytes` came next.
    pub(crate) fn with(&self, bytes: &[u8]) -> u64 {
        let feeds = memchr::memchr_iter(b'\n', bytes).count() as u64;
        let joined = u64::from(self.after_cr && bytes.first() == Some(&b'\n'));
        let returns: u64 =
            memchr::memchr_iter(b'\r', bytes).map(|at| u64::from(bytes.get(at + 1) != Some(&b'\n'))).sum();
        // A CR at the very end counts now; the LF that may follow is then `joined`.
        self.ends + feeds + returns - joined
    }

    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.ends = self.with(bytes);
        if let Some(&last) = bytes.last() {
            self.after_cr = last == b'\r';
        }
    }
}

/// Returns how many of the first bytes are line ends that begin no record: all, or with `single` columns at most the LF of the CR
/// before it, as a blank line is a record there.
pub(super) fn line_ends(bytes: &[u8], single: bool, after_cr: &mut bool) -> usize {
    if !single {
        return bytes.iter().take_while(|&&byte| is_line_end(byte)).count();
    }
    if bytes.is_empty() {
        return 0;
    }
    let joined = std::mem::take(after_cr) && bytes[0] == b'\n';
    usize::from(joined)
}

pub(crate) fn is_line_end(byte: u8) -> bool {
    byte == b'\n' || byte == b'\r'
}

fn error_at(lines_before: u64, column: Option<usize>, fault: Fault) -> CsvError {
    // The first field that is missing, or the first that is too many.
    let column = column.or(match fault {
        Fault::TooFewFields { found, .. } => Some(found + 1),
        Fault::TooManyFields { expected } => Some(expected + 1),
        _ => None,
    });
    CsvError { position: Position { line: lines_before + 1, column, name: None }, fault }
}
