//! Unpacks the table of a file that is compressed, in UTF-16, or a workbook, into a file that is read like any CSV.

use std::io::Write;

use js_sys::Uint8Array;
use web_sys::Blob;
use zeroize::Zeroizing;

use super::protocol::{Failure, Progress, Reason, Response};
use super::read::{self, Piece, length, whole};
use crate::data::container::{ContainerError, Form, HEAD_BYTES, PACKED_BYTES, Unpacker, Workbook};
use crate::store::document::Pieces;
use crate::words;

/// The largest workbook in bytes.
const MOST_BYTES: u64 = 1 << 29;

/// Unpacks a file. `sheet` is the place of the workbook's sheet, by itself the largest. Returns the names of the sheets, none for other files,
/// the place of the one that was taken, and the CSV.
pub async fn unpack(
    file: &Blob,
    sheet: Option<usize>,
    post: impl Fn(&Response),
) -> Result<(Vec<String>, usize, Blob), Failure> {
    let total = length(file);
    let head = whole(file, 0, total.min(HEAD_BYTES as u64)).await?;
    let head = Uint8Array::new(&head).to_vec();
    let form = Form::of(&head).map_err(refused)?.ok_or_else(|| refused(ContainerError::Archive))?;
    let mut unpacker = Unpacker::new(form);
    let (mut out, mut packed) = (Pieces::default(), Zeroizing::new(Vec::new()));
    let mut text = Vec::new();
    if unpacker.is_none() {
        let room = usize::try_from(total).ok().filter(|_| total <= MOST_BYTES).ok_or_else(memory)?;
        packed.reserve_exact(room);
    }
    let (mut pieces, mut done) = (read::Pieces::new(file, 0, total)?, 0);
    while let Some(Piece { bytes, .. }) = pieces.next().await? {
        match &mut unpacker {
            Some(unpacker) => {
                for piece in bytes.chunks(PACKED_BYTES) {
                    unpacker.feed(piece, &mut text).map_err(refused)?;
                    out.write_all(&text).map_err(|_| memory())?;
                    text.clear();
                }
            }
            None => packed.extend_from_slice(bytes),
        }
        done += bytes.len() as u64;
        post(&Response::Progress(Progress { done, total, round: None }));
    }
    let (mut sheets, mut taken) = (Vec::new(), 0);
    match unpacker {
        Some(unpacker) => unpacker.finish(&mut text).map_err(refused)?,
        None => {
            let book = Workbook::open(&packed).map_err(refused)?;
            sheets = book.sheets();
            taken = sheet.unwrap_or_else(|| book.largest());
            text = book.csv(sheets.get(taken).map(String::as_str)).map_err(refused)?;
        }
    }
    out.write_all(&text).map_err(|_| memory())?;
    Ok((sheets, taken, out.finish("").map_err(|_| memory())?))
}

fn refused(error: ContainerError) -> Failure {
    Failure::new(Reason::Table, words::container::refused(error))
}

fn memory() -> Failure {
    refused(ContainerError::TooLarge)
}
