//! Reads the bytes of a file as they come from the browser.

use std::cell::RefCell;

use js_sys::{ArrayBuffer, Promise, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Blob, ReadableStreamByobReader, ReadableStreamGetReaderOptions, ReadableStreamReaderMode};
use zeroize::Zeroize;

use super::protocol::{CHUNK, Failure, Reason};
use crate::words;

/// The most bytes that are asked for at once. Chromium gives at most half as many.
const MOST: u32 = 1 << 20;

/// The most bytes that a stream gives beyond the place where its caller probably stops: the end of a record. A browser reads a
/// stream ahead, which is lost work where the caller stops sooner.
const BEYOND: u64 = 64 << 10;

thread_local! {
    /// Memory that the browser may write the next bytes into. A buffer for each stream would wait for the collection of garbage, which comes only
    /// after many megabytes.
    static SPARE: RefCell<Vec<ArrayBuffer>> = const { RefCell::new(Vec::new()) };
}

/// Reads a file from one offset to its end. While the caller works on some bytes, the next ones are on their way.
pub struct Pieces {
    file: Blob,
    length: u64,
    /// Offset of the next byte.
    at: u64,
    /// Offset of the end of the stream.
    end: u64,
    /// `None` in a browser whose files are no streams of bytes.
    reader: Option<ReadableStreamByobReader>,
    /// The next bytes, which were asked for.
    ahead: Option<Promise>,
    bytes: Vec<u8>,
}

/// A piece of a file.
pub struct Piece<'a> {
    /// Offset of its first byte.
    pub from: u64,
    /// Its bytes.
    pub bytes: &'a [u8],
}

impl Pieces {
    /// Creates a reader from `from` on, for a caller that probably stops soon after `to`.
    ///
    /// # Errors
    /// [`Failure`] if the browser refuses the file.
    pub fn new(file: &Blob, from: u64, to: u64) -> Result<Self, Failure> {
        let length = length(file);
        let end = length.min(to.saturating_add(BEYOND));
        let reader = reader(&part(file, from, end)?);
        let mut pieces =
            Self { file: file.clone(), length, at: from, end, reader, ahead: None, bytes: Vec::new() };
        if from < end {
            pieces.look_ahead()?;
        }
        Ok(pieces)
    }

    /// Returns the next piece; `None` at the file's end.
    ///
    /// # Errors
    /// [`Failure`] if the file cannot be read or has changed.
    pub async fn next(&mut self) -> Result<Option<Piece<'_>>, Failure> {
        if self.at == self.length {
            return Ok(None);
        }
        // The caller goes on beyond the place where it probably stopped.
        if self.ahead.is_none() {
            self.end = self.length.min(self.at.saturating_add(CHUNK));
            self.reader = reader(&part(&self.file, self.at, self.end)?);
            self.look_ahead()?;
        }
        let Some(ahead) = self.ahead.take() else { return Ok(None) };
        let found = JsFuture::from(ahead).await.map_err(|_| unreadable())?;
        let bytes = if self.reader.is_some() { value(&found) } else { Some(Uint8Array::new(&found)) };
        let bytes = bytes.filter(|bytes| bytes.length() > 0).ok_or_else(unreadable)?;
        let from = self.at;
        self.at += u64::from(bytes.length());
        self.bytes.resize(bytes.length() as usize, 0);
        bytes.copy_to(&mut self.bytes);
        if self.reader.is_some() {
            SPARE.with_borrow_mut(|spare| spare.push(bytes.buffer()));
        }
        if self.at < self.end {
            self.look_ahead()?;
        }
        Ok(Some(Piece { from, bytes: &self.bytes }))
    }

    /// Asks for the next bytes before `end`.
    fn look_ahead(&mut self) -> Result<(), Failure> {
        let most = u32::try_from(self.end - self.at).unwrap_or(MOST).min(MOST);
        self.ahead = Some(match &self.reader {
            Some(reader) => {
                let memory = SPARE.with_borrow_mut(Vec::pop).unwrap_or_else(|| ArrayBuffer::new(MOST));
                let view = Uint8Array::new_with_byte_offset_and_length(&memory, 0, most);
                reader.read_with_array_buffer_view(&view)
            }
            None => part(&self.file, self.at, self.at + u64::from(most))?.array_buffer(),
        });
        Ok(())
    }
}

impl Drop for Pieces {
    fn drop(&mut self) {
        self.bytes.zeroize();
        // The rest of the file is not needed. A promise that fails unheard would stop the worker.
        let (ahead, reader) = (self.ahead.take(), self.reader.take());
        spawn_local(async move {
            if let Some(ahead) = ahead
                && let Ok(found) = JsFuture::from(ahead).await
                && reader.is_some()
                && let Some(bytes) = value(&found)
            {
                SPARE.with_borrow_mut(|spare| spare.push(bytes.buffer()));
            }
            if let Some(reader) = reader {
                let _ = JsFuture::from(reader.cancel()).await;
            }
        });
    }
}

/// Returns the bytes of what a stream has given.
fn value(found: &JsValue) -> Option<Uint8Array> {
    Reflect::get(found, &"value".into()).ok().and_then(|value| value.dyn_into().ok())
}

/// Returns a reader of a file as a stream of bytes, if the browser has such streams.
fn reader(file: &Blob) -> Option<ReadableStreamByobReader> {
    let options = ReadableStreamGetReaderOptions::new();
    options.set_mode(ReadableStreamReaderMode::Byob);
    file.stream().get_reader_with_options(&options).dyn_into().ok()
}

/// Returns the bytes of a part of the file as an object of the browser.
pub async fn whole(file: &Blob, from: u64, to: u64) -> Result<ArrayBuffer, Failure> {
    let bytes = JsFuture::from(part(file, from, to)?.array_buffer()).await.map_err(|_| unreadable())?;
    Ok(bytes.unchecked_into())
}

/// Returns the length of a file in bytes.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a length in bytes is a whole number"
)]
pub fn length(file: &Blob) -> u64 {
    file.size() as u64
}

fn part(file: &Blob, from: u64, to: u64) -> Result<Blob, Failure> {
    file.slice_with_f64_and_f64(from as f64, to as f64).map_err(|_: JsValue| unreadable())
}

/// Returns the failure for a file that was edited, moved or unplugged since it was chosen.
fn unreadable() -> Failure {
    Failure::new(Reason::File, words::failure::file_changed())
}
