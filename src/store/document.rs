//! Documents as `Blob`s, which take no memory of the program. They are written piece by piece, because a release of 100,000 outcomes
//! has about 160 megabytes; one so long is read by a worker, whose memory ends with it.

use std::io::{self, Write};

use js_sys::{Array, Uint8Array};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, BlobPropertyBag};

use super::failure::{Failure, Reason};
use crate::privacy::ledger::Ledger;
use crate::release::Release;
use crate::release::document::SCHEMA;
use crate::text::{BYTE_ORDER_MARK, json};
use crate::words;

/// The number of bytes that are passed to the browser at a time.
const PIECE: usize = 4 << 20;

/// The largest document, in bytes, that is read in the page's thread. Reading it takes a few hundredths of a second.
pub const READ_AT_ONCE: f64 = 1_048_576.0;

/// A release with its document and the ledger that was charged.
#[derive(Debug)]
pub struct Made {
    /// The release, read from the document.
    pub release: Release,
    /// The document as it is stored and downloaded.
    pub document: Blob,
    /// The ledger after the charge.
    pub ledger: Ledger,
    /// Whether the release is stored.
    pub kept: bool,
}

/// Writes a release's document.
///
/// # Errors
/// [`io::Error`] if the browser has no room for it.
pub fn write_release(release: &Release) -> io::Result<Blob> {
    let mut pieces = Pieces::default();
    release.write(&mut pieces)?;
    pieces.finish("application/json")
}

/// Returns a text as a document.
///
/// # Errors
/// [`io::Error`] if the browser has no room for it.
pub fn from_text(pieces: impl IntoIterator<Item = impl AsRef<[u8]>>, kind: &str) -> io::Result<Blob> {
    let mut parts = Pieces::default();
    for piece in pieces {
        parts.write_all(piece.as_ref())?;
    }
    parts.finish(kind)
}

/// A writer that passes its bytes to the browser piece by piece, which may keep them on a disk.
#[derive(Default)]
pub struct Pieces {
    pending: Vec<u8>,
    parts: Array,
}

impl Pieces {
    /// Returns what was written, as a document of this media type.
    ///
    /// # Errors
    /// [`io::Error`] if the browser has no room for it.
    pub fn finish(mut self, kind: &str) -> io::Result<Blob> {
        self.flush()?;
        let options = BlobPropertyBag::new();
        options.set_type(kind);
        Blob::new_with_blob_sequence_and_options(&self.parts, &options).map_err(refused)
    }
}

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(PIECE);
        if self.pending.len() + taken > PIECE {
            self.flush()?;
        }
        self.pending.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        if !self.pending.is_empty() {
            let bytes = Array::of1(&Uint8Array::from(self.pending.as_slice()));
            let part = Blob::new_with_u8_array_sequence(&bytes).map_err(refused)?;
            self.parts.push(&part);
            self.pending.clear();
        }
        Ok(())
    }
}

/// Returns a document as text, without its byte-order mark; `None` if it is not UTF-8.
///
/// # Errors
/// [`io::Error`] if the file is gone or the browser has no room for it.
pub async fn text(document: &Blob) -> io::Result<Option<String>> {
    let buffer = JsFuture::from(document.array_buffer()).await.map_err(refused)?;
    let mut text = String::from_utf8(Uint8Array::new(&buffer).to_vec()).ok();
    if let Some(text) = text.as_mut().filter(|text| text.starts_with(BYTE_ORDER_MARK)) {
        text.remove(0);
    }
    Ok(text)
}

/// Reads a release from its document. Returns `None` if it is another document.
///
/// # Errors
/// [`Failure`] if the file cannot be read, or this version cannot read the release.
pub async fn read_release(document: &Blob) -> Result<Option<Release>, Failure> {
    let refused = |message: String| Failure::new(Reason::File, message);
    let text = text(document).await.map_err(|_| refused(words::page::unreadable().to_owned()))?;
    let Some(text) = text else { return Ok(None) };
    match serde_json::from_str::<Release>(&text) {
        Ok(release) => Ok((release.schema == SCHEMA).then_some(release)),
        Err(error) if json::schema(&text).as_deref() == Some(SCHEMA) => {
            Err(refused(words::page::release_unreadable(error)))
        }
        Err(_) => Ok(None),
    }
}

fn refused(_: JsValue) -> io::Error {
    io::Error::other(words::failure::no_document())
}
