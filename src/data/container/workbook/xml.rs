//! Reads XML as it comes: tags with their attributes, and texts. Namespaces, comments and processing instructions are left out.

use std::io::{Read, Take};

use memchr::{memchr, memmem};

use super::super::ContainerError;

/// Bytes that are read at a time.
const PIECE: usize = 1 << 16;

/// The longest tag or text in bytes; a cell has at most 32,767 letters.
const LONGEST: usize = 1 << 22;

/// Most bytes of a part that lists relations, sheets or styles.
const MOST_BYTES: u64 = 1 << 26;

/// The longest reference to a character, without its `&`.
const REFERENCE: usize = 16;

/// What comes next.
#[derive(Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// A tag opens: its name without a prefix, and its attributes as written.
    Open(&'a str, &'a str),
    /// A tag closes; one without content opens and closes.
    Close(&'a str),
    /// Text, not decoded.
    Text(&'a str),
}

/// A stream of XML.
pub struct Xml<R> {
    reader: R,
    buffer: Vec<u8>,
    at: usize,
    ended: bool,
    /// The number of tags that are open.
    depth: usize,
    /// The name of an empty tag that closes next.
    closes: Option<(usize, usize)>,
}

impl<R: Read> Xml<Take<R>> {
    /// Reads a part that is short in every workbook.
    pub fn short(reader: R) -> Self {
        Self::new(reader.take(MOST_BYTES))
    }
}

impl<R: Read> Xml<R> {
    /// Reads from the beginning.
    pub const fn new(reader: R) -> Self {
        Self { reader, buffer: Vec::new(), at: 0, ended: false, depth: 0, closes: None }
    }

    /// Returns the next event; `None` at the end.
    ///
    /// # Errors
    /// [`ContainerError::Damaged`] if the archive is damaged or the XML is cut off.
    pub fn next(&mut self) -> Result<Option<Event<'_>>, ContainerError> {
        if let Some((from, to)) = self.closes.take() {
            self.depth -= 1;
            return Ok(Some(Event::Close(text(self.buffer.get(from..to))?)));
        }
        loop {
            if self.peek(1)?.is_empty() {
                return if self.depth == 0 { Ok(None) } else { Err(ContainerError::Damaged) };
            }
            if self.peek(1)? != b"<" {
                let length = self.find(|rest| memchr(b'<', rest), true)?;
                return Ok(Some(Event::Text(self.take(length)?)));
            }
            if self.peek(4)? == b"<!--" {
                let length = self.find(|rest| Some(memmem::find(rest, b"-->")? + 3), false)?;
                self.at += length;
            } else if self.peek(9)? == b"<![CDATA[" {
                let length = self.find(|rest| Some(memmem::find(rest, b"]]>")? + 3), false)?;
                let whole = self.take(length)?;
                return Ok(Some(Event::Text(whole.get(9..length - 3).unwrap_or_default())));
            } else {
                let length = self.find(tag_end, false)?;
                if matches!(self.peek(2)?, b"<?" | b"<!") {
                    self.at += length;
                } else {
                    return self.tag(length).map(Some);
                }
            }
        }
    }

    /// Returns the tag of so many bytes.
    fn tag(&mut self, length: usize) -> Result<Event<'_>, ContainerError> {
        let start = self.at;
        self.at += length;
        let inner = |from: usize, to: usize| text(self.buffer.get(from..to));
        if self.buffer.get(start + 1) == Some(&b'/') {
            self.depth = self.depth.checked_sub(1).ok_or(ContainerError::Damaged)?;
            return Ok(Event::Close(local(inner(start + 2, start + length - 1)?.trim())));
        }
        let empty = self.buffer.get(start + length - 2) == Some(&b'/');
        let whole = inner(start + 1, start + length - 1 - usize::from(empty))?;
        let (name, attributes) =
            whole.split_once(|letter: char| letter.is_ascii_whitespace()).unwrap_or((whole, ""));
        let own = local(name);
        if empty {
            let from = start + 1 + name.len() - own.len();
            self.closes = Some((from, from + own.len()));
        }
        self.depth += 1;
        Ok(Event::Open(own, attributes))
    }

    fn take(&mut self, length: usize) -> Result<&str, ContainerError> {
        let from = self.at;
        self.at += length;
        text(self.buffer.get(from..from + length))
    }

    /// Returns at most so many of the next bytes.
    fn peek(&mut self, count: usize) -> Result<&[u8], ContainerError> {
        while self.buffer.len() - self.at < count && !self.ended {
            self.more()?;
        }
        let end = self.buffer.len().min(self.at + count);
        Ok(self.buffer.get(self.at..end).unwrap_or_default())
    }

    /// Returns the length up to where `find` says; at the end of the file all of it, where that is allowed.
    fn find(&mut self, find: impl Fn(&[u8]) -> Option<usize>, to_end: bool) -> Result<usize, ContainerError> {
        loop {
            let rest = self.buffer.get(self.at..).unwrap_or_default();
            match find(rest) {
                Some(length) => return Ok(length),
                None if self.ended && to_end => return Ok(rest.len()),
                None if self.ended || rest.len() > LONGEST => return Err(ContainerError::Damaged),
                None => self.more()?,
            }
        }
    }

    fn more(&mut self) -> Result<(), ContainerError> {
        self.buffer.drain(..self.at);
        self.at = 0;
        let from = self.buffer.len();
        self.buffer.resize(from + PIECE, 0);
        let piece = self.buffer.get_mut(from..).unwrap_or_default();
        let count = self.reader.read(piece).map_err(|_| ContainerError::Damaged)?;
        self.buffer.truncate(from + count);
        self.ended = count == 0;
        Ok(())
    }
}

/// Returns the value of an attribute, by its name or by its name after a prefix.
pub fn attribute(attributes: &str, name: &str) -> Option<String> {
    let mut rest = attributes;
    while let Some((own, after)) = rest.split_once('=') {
        let after = after.trim_start();
        let quote = after.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        let (value, next) = after.get(1..)?.split_once(quote)?;
        if local(own.trim()) == name {
            return Some(decode(value));
        }
        rest = next;
    }
    None
}

/// Appends a text that was not decoded. A cell may have several, between comments.
///
/// # Errors
/// [`ContainerError::TooLarge`] if `out` is then longer than a cell can be.
pub fn append(out: &mut String, text: &str) -> Result<(), ContainerError> {
    out.push_str(&decode(text));
    if out.len() > LONGEST { Err(ContainerError::TooLarge) } else { Ok(()) }
}

/// Replaces references to characters.
fn decode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        let end = after.bytes().take(REFERENCE).position(|byte| byte == b';');
        match end.and_then(|end| named(after.get(..end)?).zip(after.get(end + 1..))) {
            Some((letter, next)) => {
                out.push(letter);
                rest = next;
            }
            None => {
                out.push('&');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

fn named(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16),
                None => number.parse(),
            };
            code.ok().and_then(char::from_u32)
        }
    }
}

fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

fn text(bytes: Option<&[u8]>) -> Result<&str, ContainerError> {
    std::str::from_utf8(bytes.unwrap_or_default()).map_err(|_| ContainerError::Damaged)
}

/// Returns the length of a tag; a `>` inside quotes does not end it.
fn tag_end(bytes: &[u8]) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in bytes.iter().enumerate() {
        match (quote, byte) {
            (None, b'"' | b'\'') => quote = Some(*byte),
            (Some(open), byte) if open == *byte => quote = None,
            (None, b'>') => return Some(at + 1),
            _ => {}
        }
    }
    None
}
