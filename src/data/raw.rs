//! Cuts bytes into the bytes of records, for callers that need no cells.
//!
//! The grammar is that of [`super::csv`]: a quote opens a field only at its start, CR, LF and CRLF each end a record outside
//! quotes, and blank lines are no records. Nothing is refused: a record may have any number of fields and any bytes, and an open
//! quote makes the rest of the file one record.

use memchr::{memchr, memchr3};

use super::csv::{Feed, is_line_end};

const QUOTE: u8 = b'"';

/// A part of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// The next bytes of the current record; the whole record, unless it continues in the next bytes that are fed.
    Bytes(&'a [u8]),
    /// The end of the record. Its line end is in no piece.
    End,
}

/// Cuts bytes into records. It begins where a record begins.
#[derive(Clone, Debug)]
pub struct RawParser {
    delimiter: u8,
    /// Records that start beyond this offset are not cut out.
    last_start: u64,
    /// Offset of the next byte.
    offset: u64,
    state: State,
    done: bool,
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// Before a record.
    Between,
    /// In a record and outside quotes; whether a quote that comes next would open a field.
    Plain(bool),
    /// Inside quotes.
    Quoted,
    /// After a quote inside quotes: it closes them, or it is the first of two.
    Closing,
}

impl RawParser {
    /// Creates a parser for records that start in `offset..=last_start`, fed from `offset` on.
    pub fn new(delimiter: u8, offset: u64, last_start: u64) -> Self {
        Self { delimiter, last_start, offset, state: State::Between, done: false }
    }

    /// Returns the offset just after the last record and the line ends that follow it, once the parser is done or finished.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Reads the next bytes and visits the records in them, piece by piece.
    #[inline(never)]
    pub fn feed(&mut self, bytes: &[u8], mut visit: impl FnMut(Piece<'_>)) -> Feed {
        // The start of the part of the current record that was not visited yet.
        let mut from = 0;
        let mut at = 0;
        while at < bytes.len() && !self.done {
            let rest = &bytes[at..];
            match self.state {
                State::Between => {
                    at += rest.iter().take_while(|&&byte| is_line_end(byte)).count();
                    from = at;
                    if at < bytes.len() {
                        self.done = self.offset + at as u64 > self.last_start;
                        self.state = if self.done { State::Between } else { State::Plain(true) };
                    }
                }
                State::Plain(opens) => match memchr3(b'\n', b'\r', QUOTE, rest) {
                    Some(found) if rest[found] == QUOTE => {
                        let opens = if found == 0 { opens } else { rest[found - 1] == self.delimiter };
                        self.state = if opens { State::Quoted } else { State::Plain(false) };
                        at += found + 1;
                    }
                    Some(found) => {
                        at += found;
                        visit(Piece::Bytes(&bytes[from..at]));
                        visit(Piece::End);
                        self.state = State::Between;
                    }
                    None => {
                        self.state = State::Plain(rest.last() == Some(&self.delimiter));
                        at = bytes.len();
                    }
                },
                State::Quoted => match memchr(QUOTE, rest) {
                    Some(found) => {
                        self.state = State::Closing;
                        at += found + 1;
                    }
                    None => at = bytes.len(),
                },
                State::Closing if rest[0] == QUOTE => {
                    self.state = State::Quoted;
                    at += 1;
                }
                State::Closing => self.state = State::Plain(false),
            }
        }
        if !matches!(self.state, State::Between) {
            visit(Piece::Bytes(&bytes[from..at]));
        }
        self.offset += at as u64;
        if self.done { Feed::Done } else { Feed::More }
    }

    /// Ends the input. A last record without a line end counts, also if a quote is open.
    pub fn finish(&mut self, mut visit: impl FnMut(Piece<'_>)) {
        if !matches!(self.state, State::Between) {
            visit(Piece::End);
            self.state = State::Between;
        }
        self.done = true;
    }
}

// proptest is a native dependency.
#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use csv_core::{ReadRecordResult, ReaderBuilder};
    use proptest::prelude::*;

    use super::*;

    /// Returns the records as they stand in the bytes, fed in pieces of so many.
    fn cut(bytes: &[u8], delimiter: u8, piece: usize) -> Vec<Vec<u8>> {
        let (mut records, mut current) = (Vec::new(), Vec::new());
        let mut visit = |piece: Piece<'_>| match piece {
            Piece::Bytes(bytes) => current.extend_from_slice(bytes),
            Piece::End => records.push(std::mem::take(&mut current)),
        };
        let mut parser = RawParser::new(delimiter, 0, u64::MAX);
        for part in bytes.chunks(piece.max(1)) {
            assert_eq!(parser.feed(part, &mut visit), Feed::More);
        }
        parser.finish(&mut visit);
        assert_eq!(parser.offset(), bytes.len() as u64);
        assert!(current.is_empty());
        records
    }

    /// Returns the same by csv-core: where it ends a record, and what it has read for it without the line ends around it.
    fn by_csv_core(bytes: &[u8], delimiter: u8) -> Vec<Vec<u8>> {
        let mut reader = ReaderBuilder::new().delimiter(delimiter).build();
        // It would drop a BOM from the first bytes that it sees.
        reader.read_record(b"\n", &mut [0], &mut [0]);
        let (mut content, mut ends) = (vec![0; bytes.len() + 1], vec![0; bytes.len() + 1]);
        let (mut records, mut at) = (Vec::new(), 0);
        loop {
            let from = at + bytes[at..].iter().take_while(|&&byte| is_line_end(byte)).count();
            let (result, read, ..) = reader.read_record(&bytes[from..], &mut content, &mut ends);
            at = from + read;
            match result {
                ReadRecordResult::Record => {
                    let ended = bytes[at - 1] == b'\n' || bytes[at - 1] == b'\r';
                    records.push(bytes[from..at - usize::from(ended)].to_vec());
                }
                ReadRecordResult::InputEmpty | ReadRecordResult::End => {
                    if from < bytes.len() {
                        records.push(bytes[from..].to_vec());
                    }
                    return records;
                }
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn a_record_is_cut_out_as_it_stands() {
        let bytes = b"\r\n\na,\"b\r\nc\"\"\n\",d\r\n\n  \n\"\"\rx\"y\nz,\"\"w\n\"open\n,";
        let records = cut(bytes, b',', usize::MAX);
        let expected: [&[u8]; 6] =
            [b"a,\"b\r\nc\"\"\n\",d", b"  ", b"\"\"", b"x\"y", b"z,\"\"w", b"\"open\n,"];
        assert_eq!(records, expected);
        assert!(cut(b"", b',', 1).is_empty() && cut(b"\r\n\r\n", b',', 1).is_empty());
    }

    #[test]
    fn a_record_beyond_the_last_start_is_left_alone() {
        for last in 0..8 {
            let mut parser = RawParser::new(b',', 0, last);
            let mut records = 0;
            let feed = parser.feed(b"ab\n\ncd\nef\n", |piece| records += u64::from(piece == Piece::End));
            let expected = match last {
                0..=3 => (1, 4, Feed::Done),
                4..=6 => (2, 7, Feed::Done),
                _ => (3, 10, Feed::More),
            };
            assert_eq!((records, parser.offset(), feed), expected, "{last}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: if cfg!(miri) { 10 } else { 4_000 },
            rng_seed: proptest::test_runner::RngSeed::Fixed(20_261_122),
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn records_end_where_csv_core_ends_them(
            bytes in prop::collection::vec(prop::sample::select(b",;\"\"\r\nab \xff".to_vec()), 0..40),
            delimiter in prop::sample::select(vec![b',', b';']),
        ) {
            let expected = by_csv_core(&bytes, delimiter);
            for piece in [1, 2, 3, usize::MAX] {
                prop_assert_eq!(&cut(&bytes, delimiter, piece), &expected, "{}", bytes.escape_ascii());
            }
        }
    }
}
