//! Estimates whether two tables share people, from a small MinHash of each (theory/accounting 5.6).
//!
//! A MinHash is the [`SIZE`] smallest distinct values of a table's records. The value of a record is the sum, modulo 2^64, of
//! SipHash-2-4 over its cells that are not empty, each as it stands in the file, without quotes. So the order of the columns, the
//! delimiter and the quotes do not matter. The header is no record. A record that occurs twice counts once. The order of records and
//! slices does not matter. A record without a letter, a digit or a byte beyond ASCII identifies nobody and is omitted, so two tables
//! whose only common records are empty share no people. A table of fewer distinct records than [`SIZE`] is represented completely.
//! A caller that has both headers can restrict the cells to the columns that both tables have ([`MinHashScanner::to_compare`]).
//!
//! For genotypes, ids are hashed instead of records. So the same people are recognised with other variants and other phenotypes,
//! although these change every record.
//!
//! The key is derived from the device key. Without the key a MinHash reveals nothing; with it, it is as private as the table.
//!
//! # What is compared
//!
//! Take the smaller of the two largest values. Up to it, each MinHash holds all values of its table, so these values are a random
//! sample of the table. Let a and b be the sizes of the two samples, and c the number of common values. The overlap is
//! c / min(a, b): the share of the **smaller** table's records that are also in the other table. (The share of all records that
//! both have, the Jaccard index, would fall with the size of the larger table.) Two tables share people if the overlap is above
//! one in [`ONE_IN`].
//!
//! Where both tables are read at once ([`MinHashScanner::overlap`]), each record of the one is also looked up among the values of the
//! other's MinHash. So a few records out of a large table are found, of which none may be in the sample: the overlap is the larger of the two.
//!
//! # How exact it is
//!
//! A common value is a common record, except with probability 2^-48. So an overlap of 0 is not overestimated, except for equal
//! records of different people, which occur in tables of few columns. With m = min(a, b) the overlap p has a standard error of
//! about sqrt(p (1 - p) / m). Tables of fewer than [`SIZE`] records are compared exactly. For larger tables of equal size m is
//! nearly 256: at p = 5 % the error is 1.4 percentage points, an overlap of 10 % is missed about once in 500 times, and one of
//! 2.5 % is estimated as more than 5 % about once in 80. A part of a table that is the share f of its records has about 256 f
//! values in the sample. It has none, and is then missed, with probability about e^(-256 f): 3 in a million at f = 5 %, 8 % at 1
//! %, 77 % at 0.1 %.

use std::collections::HashSet;
use std::hash::Hasher;

use serde::{Deserialize, Serialize};
use siphasher::sip::SipHasher24;
use wide::u8x16;

use super::csv::Feed;
use super::header::Header;
use super::marks::{BLOCK, marks};
use super::moments::MomentsError;
use super::raw::{Piece, RawParser};
use super::sink::Merge;
use super::slices::{Job, Outcome, Part, Seek, SliceReport, Sought};
use crate::words;

/// The most values of a MinHash.
pub const SIZE: usize = 256;

/// Two tables share people if more than one in this many of the smaller table's records is in the other.
pub const ONE_IN: usize = 20;

/// The words that a person types to state that two tables with common records are about different people.
pub const DIFFERENT: &str = "different people";

const QUOTE: u8 = b'"';

/// The key of the hash.
pub type MinHashKey = [u8; 16];

/// The smallest values of a table's records, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MinHash(Vec<u64>);

/// Returns which of `names` are among those of another table, too.
pub fn common_columns(names: &[String], others: &[String]) -> Vec<bool> {
    let others: HashSet<&String> = others.iter().collect();
    names.iter().map(|name| others.contains(name)).collect()
}

/// The overlap of two tables, from their samples; see the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overlap {
    /// Records in both samples.
    pub common: usize,
    /// Records of the smaller sample.
    pub of: usize,
}

impl Overlap {
    /// Returns whether the tables share people.
    pub fn shares_people(&self) -> bool {
        self.common.saturating_mul(ONE_IN) > self.of
    }

    /// Returns of 100 of the smaller table's records how many are in the other table, as an estimate in words, rounded down to tens.
    pub fn of_100(&self) -> String {
        match self.common * 10 / self.of.max(1) * 10 {
            0 => words::people::more_than_five().to_owned(),
            100 => words::people::all().to_owned(),
            tens => words::people::at_least(tens),
        }
    }

    /// Returns whether this overlap is larger than another one.
    pub fn exceeds(&self, other: &Self) -> bool {
        // a/b > c/d; the overlap of empty samples is 0.
        self.common * other.of.max(1) > other.common * self.of.max(1)
    }
}

impl MinHash {
    fn add(&mut self, value: u64) {
        if self.0.len() == SIZE && self.0.last().is_some_and(|&largest| value >= largest) {
            return;
        }
        if let Err(place) = self.0.binary_search(&value) {
            self.0.insert(place, value);
            self.0.truncate(SIZE);
        }
    }

    /// Returns the MinHash of people with a family and an id; the family may be empty. The two are separated by a NUL, which
    /// neither can contain.
    pub fn of_people<'a>(key: &MinHashKey, people: impl IntoIterator<Item = [&'a str; 2]>) -> Self {
        let mut hasher = MinHasher::new(0, key);
        for [family, id] in people {
            if !family.is_empty() {
                hasher.add(family.as_bytes());
                hasher.add(b"\0");
            }
            hasher.add(id.as_bytes());
            hasher.end_record();
        }
        hasher.minhash
    }

    /// Adds the values of another part of the same table. The order of the parts does not matter.
    pub fn merge(&mut self, other: &Self) {
        other.0.iter().for_each(|&value| self.add(value));
    }

    /// Estimates the overlap of two tables. Both MinHashes need the same key.
    pub fn overlap(&self, other: &Self) -> Overlap {
        let whole = |minhash: &Self| match minhash.0.last() {
            Some(&largest) if minhash.0.len() == SIZE => largest,
            _ => u64::MAX,
        };
        let limit = whole(self).min(whole(other));
        let within = |minhash: &Self| minhash.0.partition_point(|&value| value <= limit);
        let common =
            self.0[..within(self)].iter().filter(|value| other.0.binary_search(value).is_ok()).count();
        Overlap { common, of: within(self).min(within(other)) }
    }

    /// Returns its values, 8 bytes each, little-endian.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.0.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    /// Reads what [`Self::to_bytes`] wrote. `None` for other bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (values, rest) = bytes.as_chunks::<8>();
        let values: Vec<u64> = values.iter().map(|value| u64::from_le_bytes(*value)).collect();
        let ascending = values.is_sorted_by(|a, b| a < b);
        (rest.is_empty() && values.len() <= SIZE && ascending).then_some(Self(values))
    }
}

impl Merge for MinHash {
    fn append(&mut self, later: Self) -> Result<(), MomentsError> {
        self.merge(&later);
        Ok(())
    }
}

/// Computes the MinHash of records.
struct MinHasher {
    delimiter: u8,
    /// Whether the cells of each column count. `None` if all do.
    columns: Option<Vec<bool>>,
    empty: SipHasher24,
    /// The current cell.
    cell: SipHasher24,
    /// Whether the current cell has a byte.
    filled: bool,
    quotes: Quotes,
    /// The current cell's column.
    column: usize,
    /// The sum over the current record's cells.
    record: u64,
    /// Whether the current record can identify a person.
    telling: bool,
    minhash: MinHash,
    /// The values of another table, ascending, each with whether it was met.
    sought: Vec<(u64, bool)>,
}

/// The place in a cell.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quotes {
    /// At its start, where a quote opens it.
    Start,
    /// In a cell without quotes, or after closed ones.
    Outside,
    /// Inside quotes.
    Inside,
    /// After a quote inside quotes: it closes them, or it is the first of two.
    Closing,
}

impl MinHasher {
    fn new(delimiter: u8, key: &MinHashKey) -> Self {
        let empty = SipHasher24::new_with_key(key);
        Self {
            delimiter,
            columns: None,
            empty,
            cell: empty,
            filled: false,
            quotes: Quotes::Start,
            column: 0,
            record: 0,
            telling: false,
            minhash: MinHash::default(),
            sought: Vec::new(),
        }
    }

    #[inline(never)]
    fn take(&mut self, piece: Piece<'_>) {
        let Piece::Bytes(bytes) = piece else { return self.end_record() };
        let (delimiter, quote) = (u8x16::splat(self.delimiter), u8x16::splat(QUOTE));
        let mut from = 0;
        for start in (0..bytes.len()).step_by(BLOCK) {
            let mut marks = marks(&bytes[start..], |bytes| bytes.simd_eq(delimiter) | bytes.simd_eq(quote));
            while marks != 0 {
                let at = start + marks.trailing_zeros() as usize;
                marks &= marks - 1;
                self.stop(&bytes[from..at], bytes[at] == QUOTE);
                from = at + 1;
            }
        }
        self.add(&bytes[from..]);
    }

    /// Takes a delimiter or a quote, and the bytes before it.
    #[inline]
    fn stop(&mut self, before: &[u8], quote: bool) {
        if !quote && self.quotes == Quotes::Start {
            return self.add_cell(before);
        }
        self.add(before);
        match (quote, self.quotes) {
            (true, Quotes::Start | Quotes::Closing) => self.quotes = Quotes::Inside,
            (true, Quotes::Inside) => self.quotes = Quotes::Closing,
            (true, Quotes::Outside) => {}
            (false, Quotes::Inside) => self.add(&[self.delimiter]),
            (false, _) => self.end_cell(),
        }
    }

    /// Adds bytes to the current cell.
    fn add(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        if self.quotes != Quotes::Inside {
            self.quotes = Quotes::Outside;
        }
        if self.counts(bytes) {
            self.filled = true;
            self.cell.write(bytes);
        }
    }

    /// Adds a complete cell without quotes, the usual case.
    #[inline(never)]
    fn add_cell(&mut self, bytes: &[u8]) {
        if !bytes.is_empty() && self.counts(bytes) {
            self.record = self.record.wrapping_add(self.empty.hash(bytes));
        }
        self.column += 1;
    }

    /// Returns whether the cells of this column count, and notes whether these bytes of one can identify a person.
    #[inline(always)]
    fn counts(&mut self, bytes: &[u8]) -> bool {
        let counts = self.columns.as_ref().is_none_or(|columns| columns.get(self.column) == Some(&true));
        if counts && !self.telling {
            self.telling = bytes.iter().any(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii());
        }
        counts
    }

    fn end_cell(&mut self) {
        if self.filled {
            self.record = self.record.wrapping_add(self.cell.finish());
            self.cell = self.empty;
            self.filled = false;
        }
        self.quotes = Quotes::Start;
        self.column += 1;
    }

    #[inline(never)]
    fn end_record(&mut self) {
        self.end_cell();
        if self.telling {
            self.minhash.add(self.record);
            if let Ok(place) = self.sought.binary_search_by_key(&self.record, |(value, _)| *value) {
                self.sought[place].1 = true;
            }
        }
        self.record = 0;
        self.telling = false;
        self.column = 0;
    }
}

/// Computes the MinHash of one slice. The caller feeds the file's bytes from [`Job::from`] on, in pieces of any size, until it is
/// done or the file ends. No file is refused: malformed records are cut as in [`super::raw`].
pub struct MinHashScanner {
    job: Job,
    delimiter: u8,
    state: State,
    hasher: MinHasher,
}

enum State {
    Seek(Seek),
    /// In the records, of which the first started at this offset.
    Parse(u64, RawParser),
    Nothing,
}

impl MinHashScanner {
    /// Creates a scanner for one slice of a table whose fields end with `delimiter`.
    pub fn new(job: Job, delimiter: u8, key: &MinHashKey) -> Self {
        let state = if job.known {
            State::Parse(job.from, RawParser::new(delimiter, job.from, job.to))
        } else {
            State::Seek(Seek::new(&job, false))
        };
        Self { job, delimiter, state, hasher: MinHasher::new(delimiter, key) }
    }

    /// Hashes a whole table, to compare it with another one in the columns for which `columns` has `true`. Nothing of it is kept, so the
    /// key is no secret.
    pub fn to_compare(header: &Header, columns: Vec<bool>) -> Self {
        let job =
            Job { slice: 0, from: header.body_offset, to: u64::MAX, known: true, marked: header.marked };
        Self::new(job, header.delimiter, &[0; 16]).of_columns(columns)
    }

    /// Looks each record up among those of another table.
    #[must_use]
    pub fn seeking(mut self, other: &MinHash) -> Self {
        self.hasher.sought = other.0.iter().map(|value| (*value, false)).collect();
        self
    }

    /// Omits the cells of columns for which `columns` has no `true`.
    fn of_columns(mut self, columns: Vec<bool>) -> Self {
        self.hasher.columns = Some(columns);
        self
    }

    /// Returns the MinHash of a whole table, once all bytes were read.
    pub fn of_table(self) -> MinHash {
        match self.finish().outcome {
            Outcome::Read { part, .. } => part.sink,
            Outcome::Nothing | Outcome::Failed { .. } => MinHash::default(),
        }
    }

    /// Estimates the overlap of a whole table with the one that was looked for, once all bytes were read.
    pub fn overlap(mut self) -> Overlap {
        if let State::Parse(_, parser) = &mut self.state {
            parser.finish(|piece| self.hasher.take(piece));
        }
        let MinHasher { sought, minhash, .. } = self.hasher;
        let met = Overlap { common: sought.iter().filter(|(_, met)| *met).count(), of: sought.len() };
        let sampled = MinHash(sought.into_iter().map(|(value, _)| value).collect()).overlap(&minhash);
        if sampled.exceeds(&met) { sampled } else { met }
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
                        self.state = State::Parse(start, RawParser::new(self.delimiter, start, self.job.to));
                    }
                },
                State::Parse(_, parser) => return parser.feed(rest, |piece| self.hasher.take(piece)),
                State::Nothing => return Feed::Done,
            }
        }
    }

    /// Ends the slice, when it is done or the file has ended. Counts that a MinHash does not have are 0 in the report.
    pub fn finish(mut self) -> SliceReport<MinHash> {
        let outcome = match self.state {
            State::Seek(_) | State::Nothing => Outcome::Nothing,
            State::Parse(start, mut parser) => {
                parser.finish(|piece| self.hasher.take(piece));
                let part = Part {
                    end: parser.offset(),
                    lines: 0,
                    records: 0,
                    persons: None,
                    sink: self.hasher.minhash,
                };
                Outcome::Read { start, part }
            }
        };
        SliceReport { job: self.job, outcome }
    }
}

#[cfg(test)]
mod tests {
    use super::super::header::Header;
    use super::super::slices::Combiner;
    use super::*;

    const KEY: MinHashKey = [7; 16];

    /// Numbers from a seed (Knuth's linear congruential generator, its upper half).
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, end: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(self.0 >> 33).unwrap() % end
        }
    }

    /// What the records of one table are in another, both read at once.
    fn compared(rows: std::ops::Range<usize>, of: std::ops::Range<usize>) -> Overlap {
        let table = |rows: std::ops::Range<usize>| {
            rows.fold("id\n".to_owned(), |text, row| text + &format!("{row}\n")).into_bytes()
        };
        let header =
            Header { names: vec!["id".to_owned()], delimiter: b',', body_offset: 3, lines: 1, marked: false };
        let scan = |rows, sought: &MinHash| {
            let mut scanner = MinHashScanner::to_compare(&header, vec![true]).seeking(sought);
            scanner.feed(&table(rows)[3..]);
            scanner
        };
        let public = scan(rows, &MinHash::default()).of_table();
        scan(of, &public).overlap()
    }

    /// The sample of the four thousand has two of thirty records on average, and often none.
    #[test]
    fn a_few_records_out_of_a_large_table_are_found() {
        for first in (0..3_960).step_by(30) {
            assert_eq!(compared(first..first + 30, 0..4_000), Overlap { common: 30, of: 30 }, "{first}");
        }
        assert!(!compared(3_999..4_020, 0..4_000).shares_people(), "one in twenty-one");
        assert!(compared(3_998..4_020, 0..4_000).shares_people(), "two in twenty-two");
        assert!(compared(0..4_000, 0..30).shares_people(), "the other way round");
    }

    fn of<'a>(key: &MinHashKey, records: impl IntoIterator<Item = &'a [u8]>) -> MinHash {
        let mut hasher = MinHasher::new(b',', key);
        for record in records {
            hasher.take(Piece::Bytes(record));
            hasher.take(Piece::End);
        }
        hasher.minhash
    }

    /// Returns a table of the people with these numbers.
    fn people(key: &MinHashKey, numbers: impl IntoIterator<Item = usize>) -> MinHash {
        let records: Vec<String> = numbers.into_iter().map(|n| format!("{n},{},\"x\"", n % 90)).collect();
        of(key, records.iter().map(String::as_bytes))
    }

    /// Returns the MinHash of a file with a header, in chunks of `chunk` bytes that are read in random order.
    fn in_chunks(file: &[u8], body: usize, chunk: usize, piece: usize, numbers: &mut Numbers) -> MinHash {
        let header =
            Header { names: Vec::new(), delimiter: b',', body_offset: body as u64, lines: 1, marked: false };
        let mut combiner = Combiner::of_spans(&header, file.len() as u64, chunk as u64, usize::MAX);
        let mut jobs = Vec::new();
        let mut read = 0;
        while !combiner.is_done() {
            jobs.extend(std::iter::from_fn(|| combiner.next_job()));
            let job = jobs.swap_remove(numbers.below(jobs.len()));
            let mut scanner = MinHashScanner::new(job, b',', &KEY);
            for part in file[usize::try_from(job.from).unwrap()..].chunks(piece) {
                if scanner.feed(part) == Feed::Done {
                    break;
                }
            }
            combiner.offer(scanner.finish()).unwrap();
            read += 1;
            assert!(read <= 2 * file.len() + 2, "chunks are read again without end");
        }
        combiner.finish().map(|scan| scan.sink).unwrap_or_default()
    }

    #[test]
    fn the_hash_is_siphash_2_4() {
        // Appendix A of Aumasson and Bernstein (2012): the key 00 to 0f, the bytes 00 to 0e.
        let key: MinHashKey = std::array::from_fn(|at| u8::try_from(at).unwrap());
        let mut hasher = MinHasher::new(b',', &key);
        let bytes: Vec<u8> = (0..15).collect();
        for part in bytes.chunks(4) {
            hasher.take(Piece::Bytes(part));
        }
        hasher.telling = true;
        hasher.take(Piece::End);
        assert_eq!(hasher.minhash.0, [0xa129_ca61_49be_45e5]);
    }

    #[test]
    fn the_order_of_columns_delimiter_and_quotes_do_not_matter() {
        let hash = |file: &[u8], delimiter: u8, columns: Option<Vec<bool>>| {
            let job = Job { slice: 0, from: 0, to: u64::MAX, known: true, marked: false };
            let scanner = MinHashScanner::new(job, delimiter, &KEY);
            let mut scanner = match columns {
                Some(columns) => scanner.of_columns(columns),
                None => scanner,
            };
            file.chunks(3).for_each(|part| assert_eq!(scanner.feed(part), Feed::More));
            match scanner.finish().outcome {
                Outcome::Read { part, .. } => part.sink,
                other => panic!("{other:?}"),
            }
        };
        let table = hash(b"1,\"a, \"\"b\"\"\",,60\n2,c,x,61\n", b',', None);
        for (other, delimiter) in [
            (&b"60;1;;\"a, \"\"b\"\"\"\n61;2;x;c\n"[..], b';'),
            (b"\"2\"\tc\tx\t61\t\n\n\"1\"\ta, b\t60\n", b'\t'),
        ] {
            assert_eq!(hash(other, delimiter, None), table);
        }
        assert_eq!(table.0.len(), 2);
        assert_ne!(hash(b"1,\"a, b\",,60\n2,c,x,62\n", b',', None), table);
        let masked = hash(b"9,60,1\n8,61,2\n", b',', Some(vec![false, true, true]));
        assert_eq!(masked, hash(b"1,\"a,b\",60\n2,c,61\n", b',', Some(vec![true, false, true, true])));
    }

    #[test]
    #[cfg_attr(miri, ignore = "reads a file some hundred times")]
    fn any_number_of_chunks_in_any_order_gives_the_same_minhash() {
        let mut file = b"id,text\r\n".to_vec();
        let body = file.len();
        let mut records = Vec::new();
        for n in 0..600 {
            let text =
                ["plain", "\"with, delimiter\"", "\"two\r\nlines\"", "\"a \"\"quoted\"\"\n\n one\""][n % 4];
            let record = format!("{},{text}", n % 400);
            file.extend_from_slice(record.as_bytes());
            file.extend_from_slice(["\n", "\r\n", "\r", "\n\n"][n % 3].as_bytes());
            records.push(record);
        }
        file.truncate(file.len() - 1);
        let expected = of(&KEY, records.iter().map(String::as_bytes));
        assert_eq!(expected.0.len(), SIZE);
        let mut numbers = Numbers(1);
        for chunk in [1, 2, 7, 64, 1_000, 100_000] {
            for piece in [1, 13, usize::MAX] {
                assert_eq!(in_chunks(&file, body, chunk, piece, &mut numbers), expected, "{chunk}, {piece}");
            }
        }
    }

    #[test]
    fn a_table_that_is_not_well_formed_has_a_minhash() {
        // Records of different lengths, an open quote at the end, bytes that are no text, and no record.
        let file = b"a,b\n1,2,3\n4\n\xff\xfe,5\n6,\"open\n7,8\n";
        let mut numbers = Numbers(2);
        let expected = of(&KEY, [&b"1,2,3"[..], b"4", b"\xff\xfe,5", b"6,\"open\n7,8\n"]);
        for chunk in 1..=file.len() {
            assert_eq!(in_chunks(file, 4, chunk, 3, &mut numbers), expected, "{chunk}");
        }
        assert_eq!(in_chunks(b"a,b\n", 4, 2, 1, &mut numbers), MinHash::default());
        assert_eq!(in_chunks(b"", 0, 2, 1, &mut numbers), MinHash::default());
    }

    #[test]
    #[cfg_attr(miri, ignore = "hashes thousands of records")]
    fn parts_come_together_in_any_order_and_a_record_counts_once() {
        let whole = people(&KEY, 0..5_000);
        let mut numbers = Numbers(3);
        for parts in [2, 3, 17] {
            let mut minhashes: Vec<MinHash> =
                (0..parts).map(|part| people(&KEY, (0..5_000).filter(|n| n % parts == part))).collect();
            minhashes.push(people(&KEY, 100..300));
            let mut merged = MinHash::default();
            while !minhashes.is_empty() {
                merged.merge(&minhashes.swap_remove(numbers.below(minhashes.len())));
            }
            assert_eq!(merged, whole);
        }
        assert_eq!(people(&KEY, (0..5_000).rev().chain(0..5_000)), whole);
        assert_ne!(people(&[8; 16], 0..5_000), whole, "another device's minhash is another");
    }

    #[test]
    fn bytes_come_back_and_others_are_refused() {
        let minhash = people(&KEY, 0..400);
        let bytes = minhash.to_bytes();
        assert_eq!(MinHash::from_bytes(&bytes), Some(minhash));
        assert_eq!(MinHash::from_bytes(&[]), Some(MinHash::default()));
        assert_eq!(MinHash::from_bytes(&bytes[1..]), None);
        assert_eq!(MinHash::from_bytes(&[&bytes[8..], &bytes[..8]].concat()), None, "not ascending");
        assert_eq!(MinHash::from_bytes(&[&bytes[..8], &bytes[..8]].concat()), None, "twice the same");
        let longer = [&bytes[..], &u64::MAX.to_le_bytes()].concat();
        assert_eq!(MinHash::from_bytes(&longer), None);
    }

    #[test]
    fn small_tables_are_compared_exactly() {
        let (a, b) = (people(&KEY, 0..200), people(&KEY, 190..255));
        assert_eq!(a.overlap(&b), Overlap { common: 10, of: 65 });
        assert_eq!(b.overlap(&a), a.overlap(&b));
        assert!(a.overlap(&b).shares_people());
        assert!(people(&KEY, 0..1).overlap(&people(&KEY, 0..3)).shares_people(), "one person");
        // One in twenty is not above one in twenty.
        assert!(!people(&KEY, 0..20).overlap(&people(&KEY, 19..100)).shares_people());
        assert!(people(&KEY, 0..19).overlap(&people(&KEY, 18..100)).shares_people());
        assert!(!people(&KEY, 0..0).overlap(&people(&KEY, 0..3)).shares_people(), "nobody");
    }

    #[test]
    fn empty_records_are_nobody() {
        let empty: [&[u8]; 4] = [b",,,", b"  ", b"\"\",\"\"", b"; .-"];
        assert_eq!(of(&KEY, empty), MinHash::default());
        let with = |record: &'static [u8]| of(&KEY, empty.into_iter().chain([record]));
        assert!(!with(b"1,2,3").overlap(&with(b"4,5,6")).shares_people());
        assert_eq!(with(b"1,2,3").overlap(&with(b"1,2,3")), Overlap { common: 1, of: 1 });
        assert_eq!(with("é".as_bytes()).0.len(), 1);
    }

    /// Returns how many of so many pairs of tables of these sizes, with so many records in common, are said to share people. Each
    /// pair is hashed under another key.
    fn found(pairs: u8, sizes: (usize, usize), common: usize) -> usize {
        let shares = |pair: u8| {
            let key = [pair; 16];
            let (a, b) =
                (people(&key, 0..sizes.0), people(&key, sizes.0 - common..sizes.0 - common + sizes.1));
            a.overlap(&b).shares_people()
        };
        (1..=pairs).filter(|&pair| shares(pair)).count()
    }

    /// Each bound is broken by a correct MinHash with a probability below 10^-6 (binomial, at the probabilities that the
    /// module states).
    #[test]
    #[cfg_attr(miri, ignore = "hashes millions of records")]
    fn overlaps_are_found_as_often_as_stated() {
        // 10 % of equal tables: missed once in 500, and 9 of 200 are too many even at once in 200.
        assert!(found(200, (3_000, 3_000), 300) >= 192);
        // 2.5 %: estimated as more than 5 % once in 80; 18 of 200 are too many.
        assert!(found(200, (3_000, 3_000), 75) <= 17);
        // Nothing in common: never.
        assert_eq!(found(200, (3_000, 2_000), 0), 0);
        // All of a table that is a twentieth of the other: missed 3 times in a million.
        assert!(found(200, (10_000, 500), 500) >= 199);
        // A hundredth: missed in 8 of 100; 43 of 200 are too many.
        assert!(found(200, (10_000, 100), 100) >= 158);
        // Half of a table that is half as large: never missed.
        assert_eq!(found(200, (2_000, 1_000), 500), 200);
    }

    #[test]
    fn the_larger_overlap_is_the_larger_share() {
        let overlap = |common, of| Overlap { common, of };
        assert!(overlap(2, 3).exceeds(&overlap(100, 256)));
        assert!(!overlap(1, 2).exceeds(&overlap(128, 256)));
        assert!(overlap(1, 256).exceeds(&overlap(0, 0)) && !overlap(0, 0).exceeds(&overlap(0, 0)));
    }
}
