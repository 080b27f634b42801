//! Reads the first line of a table: names, delimiter, and the offset of the records. All of it is public.

use csv_core::ReadRecordResult;
use serde::{Deserialize, Serialize};

use super::container::{ContainerError, Form};
use super::csv::{LineCount, is_line_end};
use super::latin1;
use crate::plan::CheckedPlan;
use crate::plan::bound::Encoding;

/// Most columns that a header may have.
pub const MAX_COLUMNS: usize = 200_000;

/// Longest header in bytes.
pub const HEADER_LIMIT: usize = 16 << 20;

/// The number of first bytes by which files that are no table are recognised. They are examined together, so that the result does
/// not depend on the length of the first piece.
const MARK_BYTES: usize = 64;

/// The delimiters, in the order that decides a tie.
pub const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

const BOM: &[u8] = b"\xef\xbb\xbf";

/// The plan's rules for the first line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeaderRules {
    /// The plan's delimiter. `None` if the header line decides.
    pub delimiter: Option<u8>,
    /// How bytes become text, unless a byte order mark says it.
    pub encoding: Encoding,
    /// The line of the file that is the header, from 1; 0 if the file has none. Blank lines from there on are skipped.
    pub line: u32,
}

impl Default for HeaderRules {
    fn default() -> Self {
        Self { delimiter: None, encoding: Encoding::Utf8, line: 1 }
    }
}

impl HeaderRules {
    /// Returns the rules of a plan.
    pub const fn of(plan: &CheckedPlan) -> Self {
        Self { delimiter: plan.delimiter, encoding: plan.encoding, line: plan.header }
    }
}

/// A table's header.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// The columns' names in order, without a BOM and outer spaces; names may be empty or doubled.
    pub names: Vec<String>,
    /// The delimiter, as the plan says or as the header line decides.
    pub delimiter: u8,
    /// Offset of the first byte after the header line.
    pub body_offset: u64,
    /// Line ends before that offset.
    pub lines: u64,
    /// Whether the file begins with a byte order mark, which says that it is UTF-8.
    pub marked: bool,
}

impl Header {
    /// Returns how the bytes of the file become text, where `stated` is what the plan says: a byte order mark decides.
    pub fn encoding(&self, stated: Encoding) -> Encoding {
        if self.marked { Encoding::Utf8 } else { stated }
    }
}

/// The header, if the bytes so far contain all of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeaderRead {
    /// The header line goes on beyond these bytes; call again with more from the start of the file.
    NeedMore,
    /// The header.
    Header(Header),
}

/// A file that does not begin like a table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[non_exhaustive]
pub enum HeaderError {
    /// No bytes, or only blank lines.
    #[error("{}", crate::words::error::header_empty())]
    Empty,
    /// UTF-16 or UTF-32.
    #[error("{}", crate::words::error::header_utf16())]
    Utf16,
    /// A picture or a PDF.
    #[error("{}", crate::words::error::header_picture())]
    Picture,
    /// An Excel workbook, or another archive.
    #[error("{}", crate::words::error::header_workbook())]
    Workbook,
    /// A compressed file.
    #[error("{}", crate::words::error::header_gzip())]
    Gzip,
    /// Zero bytes.
    #[error("{}", crate::words::error::header_nul())]
    Nul,
    /// A name that is not UTF-8.
    #[error("{}", crate::words::error::header_not_utf8(column))]
    NotUtf8 {
        /// The name's column.
        column: usize,
    },
    /// One line without an end.
    #[error("{}", crate::words::error::header_no_line_end())]
    NoLineEnd,
    /// A quote in the header that is never closed.
    #[error("{}", crate::words::error::header_open_quote())]
    OpenQuote,
    /// A header without end.
    #[error("{}", crate::words::error::header_too_long())]
    TooLong,
    /// Too many columns.
    #[error("{}", crate::words::error::header_too_many_columns())]
    TooManyColumns,
    /// Excel's own first line.
    #[error("{}", crate::words::error::header_separator_line())]
    SeparatorLine,
}

/// Reads the header from the first bytes of a file; `at_end` says that there are no more.
///
/// Without a delimiter in the rules it is the one that occurs most often in the header line outside quotes, the earlier
/// of `,` `;` tab `|` on a tie. Here, where the delimiter is not known yet, a quote opens at the start of the line or
/// after any of the four. A file that begins with a byte order mark is UTF-8, whatever the rules say. Blank lines before the header do not count as its line. Without a header the names are V1, V2, …, as many as
/// the first line has fields, and that line is the first record.
///
/// # Errors
/// [`HeaderError`] for files that are no table: empty, UTF-16, a workbook, compressed, without a line end, or with a
/// header too long or too wide.
pub fn read_header(bytes: &[u8], at_end: bool, rules: HeaderRules) -> Result<HeaderRead, HeaderError> {
    if bytes.len() < MARK_BYTES && !at_end {
        return Ok(HeaderRead::NeedMore);
    }
    recognise(bytes)?;
    let mark = if bytes.starts_with(BOM) { BOM.len() } else { 0 };
    let Some(from) = skip_lines(bytes, mark, rules.line.saturating_sub(1), at_end) else {
        return if at_end { Err(HeaderError::Empty) } else { too_long(bytes) };
    };
    let start = from + bytes[from..].iter().take_while(|&&byte| is_line_end(byte)).count();
    let text = &bytes[start..];
    if text.is_empty() {
        return if at_end { Err(HeaderError::Empty) } else { too_long(bytes) };
    }
    let candidates = match &rules.delimiter {
        Some(delimiter) => std::slice::from_ref(delimiter),
        None => &DELIMITERS[..],
    };
    let line = survey(text, candidates);
    if line.counts.iter().any(|&count| count >= MAX_COLUMNS) {
        return Err(HeaderError::TooManyColumns);
    }
    if !line.complete && !at_end {
        return too_long(bytes);
    }
    let delimiter = line.delimiter(candidates);
    // Without a header the bytes are a record's, whose encoding is checked with all others.
    let encoding = match rules.line {
        0 => Encoding::Latin1,
        _ if mark > 0 => Encoding::Utf8,
        _ => rules.encoding,
    };
    let Some((names, length)) = names(text, delimiter, encoding)? else {
        return match (at_end, line.complete) {
            (false, _) => too_long(bytes),
            (true, true) => Err(HeaderError::OpenQuote),
            (true, false) if line.quoted => Err(HeaderError::OpenQuote),
            (true, false) => Err(HeaderError::NoLineEnd),
        };
    };
    if names.len() == 1 && names[0].starts_with("sep=") || names.len() == 2 && names[0] == "sep=" {
        return Err(HeaderError::SeparatorLine);
    }
    if rules.line == 0 {
        let names = (1..=names.len()).map(|column| format!("V{column}")).collect();
        return Ok(HeaderRead::Header(header(names, delimiter, bytes, start)));
    }
    let mut body = start + length;
    if text[length - 1] == b'\r' {
        match bytes.get(body) {
            Some(b'\n') => body += 1,
            None if !at_end => return Ok(HeaderRead::NeedMore),
            _ => {}
        }
    }
    Ok(HeaderRead::Header(header(names, delimiter, bytes, body)))
}

fn header(names: Vec<String>, delimiter: u8, bytes: &[u8], body: usize) -> Header {
    let mut lines = LineCount::default();
    lines.add(&bytes[..body]);
    Header { names, delimiter, body_offset: body as u64, lines: lines.ends, marked: bytes.starts_with(BOM) }
}

/// Returns the offset after `count` lines from `from` on. `None` if their ends are not all there yet.
fn skip_lines(bytes: &[u8], from: usize, count: u32, at_end: bool) -> Option<usize> {
    let mut at = from;
    for _ in 0..count {
        at += bytes[at..].iter().position(|&byte| is_line_end(byte))? + 1;
        if bytes[at - 1] == b'\r' {
            match bytes.get(at) {
                Some(b'\n') => at += 1,
                None if !at_end => return None,
                _ => {}
            }
        }
    }
    Some(at)
}

/// The first bytes of a JPEG, a PNG, a GIF and a PDF.
const PICTURES: [&[u8]; 4] = [b"\xff\xd8\xff", b"\x89PNG", b"GIF8", b"%PDF-"];

/// Refuses files that are clearly no CSV, by their first bytes.
fn recognise(bytes: &[u8]) -> Result<(), HeaderError> {
    let first = &bytes[..bytes.len().min(MARK_BYTES)];
    if PICTURES.iter().any(|mark| first.starts_with(mark)) {
        return Err(HeaderError::Picture);
    }
    match Form::of(first) {
        Ok(Some(Form::Workbook)) | Err(ContainerError::OldWorkbook) => return Err(HeaderError::Workbook),
        Ok(Some(Form::Gzip)) => return Err(HeaderError::Gzip),
        Ok(Some(Form::Utf16Little | Form::Utf16Big)) => return Err(HeaderError::Utf16),
        _ => {}
    }
    // In UTF-16 without a BOM every second byte of plain letters is zero.
    let zeros = first.iter().filter(|&&byte| byte == 0).count();
    if zeros == first.len() && zeros > 0 {
        return Err(HeaderError::Nul);
    }
    if zeros * 3 >= first.len() && zeros > 0 { Err(HeaderError::Utf16) } else { Ok(()) }
}

fn too_long(bytes: &[u8]) -> Result<HeaderRead, HeaderError> {
    if bytes.len() >= HEADER_LIMIT { Err(HeaderError::TooLong) } else { Ok(HeaderRead::NeedMore) }
}

/// The properties of the header line before its delimiter is known.
struct Line {
    /// How often each candidate occurs outside quotes.
    counts: [usize; DELIMITERS.len()],
    /// Whether the line's end is there.
    complete: bool,
    /// Whether a quote is open where the bytes end.
    quoted: bool,
}

impl Line {
    fn delimiter(&self, candidates: &[u8]) -> u8 {
        let mut best = 0;
        for (index, &count) in self.counts.iter().enumerate() {
            if count > self.counts[best] {
                best = index;
            }
        }
        candidates.get(best).copied().unwrap_or(b',')
    }
}

fn survey(text: &[u8], candidates: &[u8]) -> Line {
    let mut counts = [0; DELIMITERS.len()];
    let mut field_start = true;
    let mut quoted = false;
    for &byte in text {
        if quoted {
            // A doubled quote closes here and opens again with the next byte: the second has `field_start` set.
            quoted = byte != b'"';
            field_start = !quoted;
            continue;
        }
        if byte == b'"' && field_start {
            quoted = true;
            continue;
        }
        if is_line_end(byte) {
            return Line { counts, complete: true, quoted };
        }
        let found = candidates.iter().position(|&candidate| candidate == byte);
        if let Some(index) = found {
            counts[index] += 1;
            if counts[index] >= MAX_COLUMNS {
                break;
            }
        }
        field_start = found.is_some();
    }
    Line { counts, complete: false, quoted }
}

/// Returns the names and the length of the header line; `None` if the line has no end yet. The grammar is csv-core's, as it is
/// for the records.
fn names(
    text: &[u8],
    delimiter: u8,
    encoding: Encoding,
) -> Result<Option<(Vec<String>, usize)>, HeaderError> {
    let mut reader = csv_core::ReaderBuilder::new().delimiter(delimiter).build();
    let mut content = vec![0; text.len().min(HEADER_LIMIT)];
    let mut ends = vec![0; text.len().min(MAX_COLUMNS) + 1];
    let (result, length, _, ended) = reader.read_record(text, &mut content, &mut ends);
    match result {
        ReadRecordResult::Record if ended <= MAX_COLUMNS => {}
        ReadRecordResult::Record | ReadRecordResult::OutputEndsFull => {
            return Err(HeaderError::TooManyColumns);
        }
        ReadRecordResult::OutputFull => return Err(HeaderError::TooLong),
        ReadRecordResult::InputEmpty | ReadRecordResult::End => return Ok(None),
    }
    let mut names = Vec::with_capacity(ended);
    let mut start = 0;
    for (index, &end) in ends[..ended].iter().enumerate() {
        let name = &content[start..end];
        start = end;
        if name.contains(&0) {
            return Err(HeaderError::Nul);
        }
        let name = match encoding {
            Encoding::Utf8 => std::str::from_utf8(name)
                .map_err(|_| HeaderError::NotUtf8 { column: index + 1 })?
                .trim()
                .to_owned(),
            Encoding::Latin1 => latin1::text(name).trim().to_owned(),
        };
        names.push(name);
    }
    Ok(Some((names, length)))
}

#[cfg(test)]
mod tests {
    use super::{Header, HeaderError, HeaderRead, HeaderRules, MAX_COLUMNS, read_header};
    use crate::plan::bound::Encoding;

    /// Bytes from one cut to the next; under Miri each reading takes a second.
    const STEP: usize = if cfg!(miri) { 23 } else { 1 };

    fn read(text: &str) -> Header {
        match read_header(text.as_bytes(), true, HeaderRules::default()) {
            Ok(HeaderRead::Header(header)) => header,
            other => panic!("{text:?}: {other:?}"),
        }
    }

    fn refused(bytes: &[u8]) -> HeaderError {
        match read_header(bytes, true, HeaderRules::default()) {
            Err(error) => error,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_most_frequent_delimiter_wins_and_the_earlier_on_a_tie() {
        for (line, delimiter) in [
            ("a,b;c", b','),
            ("a;b;c,d", b';'),
            ("a\tb", b'\t'),
            ("a|b|c;d;e", b';'),
            ("a|b|c;d", b'|'),
            ("alone", b','),
            ("\"a,b,c\";\"d,e,f\"", b';'),
            ("\"say \"\"a,b,c\"\"\";x", b';'),
            ("height 5\" tall;a;b", b';'),
        ] {
            assert_eq!(read(&format!("{line}\n")).delimiter, delimiter, "{line}");
        }
        let rules = HeaderRules { delimiter: Some(b'|'), ..HeaderRules::default() };
        let read = read_header(b"a,b,c|d\n", true, rules);
        assert!(matches!(read, Ok(HeaderRead::Header(header)) if header.names == ["a,b,c", "d"]));
    }

    #[test]
    fn names_lose_a_bom_and_outer_spaces_only() {
        let header = read("\u{feff}\"age, in\nyears\",sex ,\u{a0}x y\r\n1,2,3");
        assert_eq!(header.names, ["age, in\nyears", "sex", "x y"]);
        assert_eq!((header.body_offset, header.lines), (31, 2));
    }

    #[test]
    fn line_ends_of_all_kinds_and_leading_blank_lines() {
        for (text, body, lines) in [
            ("a,b\n1", 4, 1),
            ("a,b\r\n1", 5, 1),
            ("a,b\r1", 4, 1),
            ("\r\n\na,b\n1", 7, 3),
            ("a,b\n\n1", 4, 1),
        ] {
            let header = read(text);
            assert_eq!((header.body_offset, header.lines), (body, lines), "{text:?}");
        }
    }

    #[test]
    fn asks_for_more_until_the_line_is_whole_wherever_it_is_cut() {
        let text = format!("\u{feff}\"a\r\nb\",{}\r\n1,2\r\n", "c".repeat(80));
        let text = text.as_bytes();
        let whole = read_header(text, false, HeaderRules::default());
        for cut in (0..text.len()).step_by(STEP) {
            let part = read_header(&text[..cut], false, HeaderRules::default());
            assert!(part == Ok(HeaderRead::NeedMore) || part == whole, "{cut}: {part:?}");
        }
    }

    #[test]
    fn a_short_first_piece_decides_nothing() {
        // Zeros near the start are UTF-16 in a short piece, and zero bytes in the whole.
        let text = format!("a\0,\0b\0{}\n1,2\n", "c".repeat(80));
        let whole = read_header(text.as_bytes(), true, HeaderRules::default());
        assert_eq!(whole, Err(HeaderError::Nul));
        for cut in (0..text.len()).step_by(STEP) {
            let part = read_header(&text.as_bytes()[..cut], false, HeaderRules::default());
            assert!(part == Ok(HeaderRead::NeedMore) || part == whole, "{cut}: {part:?}");
        }
    }

    #[test]
    fn refuses_what_is_no_table() {
        let utf16: Vec<u8> = "a,b\n1,2\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(refused(&utf16), HeaderError::Utf16);
        assert_eq!(refused(b"\xff\xfea\0,\0"), HeaderError::Utf16);
        assert_eq!(refused(&[0; 64]), HeaderError::Nul);
        assert_eq!(refused(b"PK\x03\x04rest"), HeaderError::Workbook);
        assert_eq!(refused(b"\xd0\xcf\x11\xe0rest"), HeaderError::Workbook);
        assert_eq!(refused(b"\x1f\x8b\x08"), HeaderError::Gzip);
        assert_eq!(refused(b"\xff\xd8\xff\xe0\0\x10JFIF\0"), HeaderError::Picture);
        assert_eq!(refused(b"%PDF-1.7\n"), HeaderError::Picture);
        assert_eq!(refused(b""), HeaderError::Empty);
        assert_eq!(refused(b"\xef\xbb\xbf\r\n\n"), HeaderError::Empty);
        assert_eq!(refused(b"a,b"), HeaderError::NoLineEnd);
        assert_eq!(refused(b"a,\"b\n1,2\n"), HeaderError::OpenQuote);
        assert_eq!(refused(b"age,sex,height\0\n"), HeaderError::Nul);
        assert_eq!(refused(b"a,\xe9t\xe9\n"), HeaderError::NotUtf8 { column: 2 });
        assert_eq!(refused(b"sep=;\na;b\n"), HeaderError::SeparatorLine);
    }

    #[test]
    fn the_header_may_be_another_line_or_none() {
        let at = |text: &str, line: u32| {
            read_header(text.as_bytes(), true, HeaderRules { line, ..HeaderRules::default() })
        };
        let text = "\u{feff}Ward 7\r\n\r\nage;sex\r\n61;F\r\n";
        for line in [2, 3] {
            let Ok(HeaderRead::Header(header)) = at(text, line) else { panic!("line {line}") };
            assert_eq!((header.names, header.delimiter), (vec!["age".to_owned(), "sex".to_owned()], b';'));
            assert_eq!((header.body_offset, header.lines), (22, 3));
        }
        assert_eq!(at(text, 5), Err(HeaderError::Empty));
        let Ok(HeaderRead::Header(header)) = at("\n61,F,\"a\nb\"\n58,M,c\n", 0) else { panic!("no header") };
        assert_eq!(header.names, ["V1", "V2", "V3"]);
        assert_eq!((header.body_offset, header.lines), (1, 1));
    }

    #[test]
    fn another_line_is_found_wherever_the_bytes_are_cut() {
        let text = format!("title\r\n\r\n{},b\r\n1,2\r\n", "c".repeat(80));
        let rules = HeaderRules { line: 2, ..HeaderRules::default() };
        let whole = read_header(text.as_bytes(), false, rules);
        assert!(matches!(&whole, Ok(HeaderRead::Header(header)) if header.names.len() == 2));
        for cut in (0..text.len()).step_by(STEP) {
            let part = read_header(&text.as_bytes()[..cut], false, rules);
            assert!(part == Ok(HeaderRead::NeedMore) || part == whole, "{cut}: {part:?}");
        }
    }

    #[test]
    fn latin_1_names_are_decoded() {
        let rules = HeaderRules { encoding: Encoding::Latin1, ..HeaderRules::default() };
        let read = read_header(b"\xe9t\xe9,b\n", true, rules);
        assert!(matches!(read, Ok(HeaderRead::Header(header)) if header.names[0] == "été"));
    }

    #[test]
    fn a_byte_order_mark_says_utf_8_whatever_the_rules_say() {
        let rules = HeaderRules { encoding: Encoding::Latin1, ..HeaderRules::default() };
        for (text, name, encoding) in [
            ("\u{feff}stad Umeå,b\n", "stad Umeå", Encoding::Utf8),
            ("stad Umeå,b\n", "stad UmeÃ¥", Encoding::Latin1),
        ] {
            let Ok(HeaderRead::Header(header)) = read_header(text.as_bytes(), true, rules) else {
                panic!("{text}")
            };
            assert_eq!((header.names[0].as_str(), header.encoding(rules.encoding)), (name, encoding));
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "reads megabytes")]
    fn refuses_columns_beyond_the_limit_before_the_line_ends() {
        let wide = "x,".repeat(MAX_COLUMNS);
        assert_eq!(
            read_header(wide.as_bytes(), false, HeaderRules::default()),
            Err(HeaderError::TooManyColumns)
        );
        let just = format!("{}x\n", "x,".repeat(MAX_COLUMNS - 1));
        assert_eq!(read(&just).names.len(), MAX_COLUMNS);
    }
}
