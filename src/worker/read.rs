//! Reads the bytes of a file piece by piece, in one buffer.

use js_sys::{ArrayBuffer, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::Blob;
use zeroize::Zeroize;

use super::protocol::{CHUNK, Failure, Reason};
use crate::words;

/// Length of the first piece beyond the requested end. Each further piece is twice as long.
const BEYOND: u64 = 64 << 10;

/// Reads a file from one offset to its end. Up to an offset that will certainly be needed, the next piece is requested while the
/// caller still works on the current one.
pub struct Pieces {
    file: Blob,
    length: u64,
    at: u64,
    needed: u64,
    beyond: u64,
    ahead: Option<(u64, js_sys::Promise)>,
    buffer: Vec<u8>,
}

/// A piece of a file.
pub struct Piece<'a> {
    /// Offset of its first byte.
    pub from: u64,
    /// Its bytes.
    pub bytes: &'a [u8],
    /// The same bytes as an object of the browser.
    pub object: ArrayBuffer,
}

impl Pieces {
    /// Creates a reader from `from` on. It will certainly be read up to `needed`.
    pub fn new(file: &Blob, from: u64, needed: u64) -> Self {
        let length = length(file);
        let mut pieces = Self {
            file: file.clone(),
            length,
            at: from,
            needed: needed.min(length),
            beyond: BEYOND,
            ahead: None,
            buffer: Vec::new(),
        };
        pieces.look_ahead();
        pieces
    }

    /// Returns the next piece; `None` at the file's end. Pieces before `needed` have [`CHUNK`] bytes, but for the last one.
    pub async fn next(&mut self) -> Result<Option<Piece<'_>>, Failure> {
        let (end, promise) = match self.ahead.take() {
            Some(ahead) => ahead,
            None if self.at >= self.length => return Ok(None),
            None => {
                let end = self.at.saturating_add(self.beyond).min(self.length);
                self.beyond = self.beyond.saturating_mul(2).min(CHUNK);
                (end, part(&self.file, self.at, end)?.array_buffer())
            }
        };
        let object: ArrayBuffer = JsFuture::from(promise).await.map_err(|_| unreadable())?.unchecked_into();
        let bytes = Uint8Array::new(&object);
        if u64::from(bytes.length()) != end - self.at {
            return Err(unreadable());
        }
        let from = std::mem::replace(&mut self.at, end);
        self.look_ahead();
        self.buffer.resize(usize::try_from(bytes.length()).map_err(|_| unreadable())?, 0);
        bytes.copy_to(&mut self.buffer);
        Ok(Some(Piece { from, bytes: &self.buffer, object }))
    }

    fn look_ahead(&mut self) {
        if self.at < self.needed {
            let end = self.at.saturating_add(CHUNK).min(self.needed);
            self.ahead = part(&self.file, self.at, end).ok().map(|part| (end, part.array_buffer()));
        }
    }
}

impl Drop for Pieces {
    fn drop(&mut self) {
        self.buffer.zeroize();
    }
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
