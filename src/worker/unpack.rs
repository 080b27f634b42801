//! Unpacks the table of a file that is compressed, in UTF-16, or a workbook, into a file that is read like any CSV.

use js_sys::{Array, Uint8Array};
use web_sys::Blob;
use zeroize::Zeroizing;

use super::protocol::{CHUNK, Failure, Progress, Reason, Response};
use super::read::{Piece, Pieces, length};
use crate::data::container::{ContainerError, Form, HEAD_BYTES, Unpacker, Workbook};
use crate::words;

/// The largest workbook in bytes.
const MOST_BYTES: u64 = 1 << 29;

/// Unpacks a file. `sheet` is the place of the workbook's sheet. Returns the names of the sheets, none for other files, and the CSV.
pub async fn unpack(
    file: &Blob,
    sheet: usize,
    post: impl Fn(&Response),
) -> Result<(Vec<String>, Blob), Failure> {
    let total = length(file);
    let mut pieces = Pieces::new(file, 0)?;
    let (mut out, mut packed) = (Parts::new(), Zeroizing::new(Vec::new()));
    let mut unpacker = None;
    let (mut done, mut form) = (0, None);
    while let Some(Piece { bytes: piece, .. }) = pieces.next().await? {
        if form.is_none() {
            let head = piece.get(..HEAD_BYTES).unwrap_or(piece);
            let found = Form::of(head).map_err(refused)?.ok_or_else(|| refused(ContainerError::Archive))?;
            form = Some(found);
            unpacker = Unpacker::new(found);
        }
        done += piece.len() as u64;
        match &mut unpacker {
            Some(unpacker) => {
                unpacker.feed(piece, &mut out.bytes).map_err(refused)?;
                out.flush(CHUNK)?;
            }
            None if total > MOST_BYTES => return Err(refused(ContainerError::TooLarge)),
            None => packed.extend_from_slice(piece),
        }
        post(&Response::Progress(Progress { done, total, round: None }));
    }
    let mut sheets = Vec::new();
    match unpacker {
        Some(unpacker) => unpacker.finish(&mut out.bytes).map_err(refused)?,
        None => {
            let book = Workbook::open(&packed).map_err(refused)?;
            sheets = book.sheets();
            out.bytes = book.csv(sheets.get(sheet).map(String::as_str)).map_err(refused)?;
        }
    }
    Ok((sheets, out.finish()?))
}

/// The parts of a file that is being written. The browser may keep them on a disk.
struct Parts {
    bytes: Vec<u8>,
    parts: Array,
}

impl Parts {
    fn new() -> Self {
        Self { bytes: Vec::new(), parts: Array::new() }
    }

    /// Hands the bytes over if there are at least so many.
    fn flush(&mut self, least: u64) -> Result<(), Failure> {
        if !self.bytes.is_empty() && self.bytes.len() as u64 >= least {
            let bytes = Array::of1(&Uint8Array::from(self.bytes.as_slice()));
            let part = Blob::new_with_u8_array_sequence(&bytes).map_err(|_| memory())?;
            self.parts.push(&part);
            self.bytes.clear();
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Blob, Failure> {
        self.flush(0)?;
        Blob::new_with_blob_sequence(&self.parts).map_err(|_| memory())
    }
}

fn refused(error: ContainerError) -> Failure {
    Failure::new(Reason::Table, words::container::refused(error))
}

fn memory() -> Failure {
    refused(ContainerError::TooLarge)
}
