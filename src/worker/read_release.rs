//! Reads a long release for the page, which receives it in pieces: a document of 160 megabytes would hold up the page's thread for seconds.

use js_sys::Uint8Array;
use web_sys::Blob;

use super::channel::Attachments;
use super::protocol::{Failure, Reason, Response};
use crate::engine;
use crate::release::document::Coefficients;
use crate::store::document::{read_release, write_release};
use crate::words;

/// The bytes of a piece. The page takes one in a few milliseconds.
const PIECE: usize = 1 << 20;

/// Reads a release and posts it: first the document without the cells of its table of coefficients, then the outcomes in pieces.
pub async fn read(document: &Blob, post: impl Fn(&Response, &Attachments)) -> Result<(), Failure> {
    let Some(mut release) = read_release(document).await? else {
        post(&Response::ReleaseRead { outcomes: 0 }, &Attachments::default());
        return Ok(());
    };
    engine::remove_unused_moments(&mut release);
    let mut pieces = None;
    let mut outcomes = 0;
    if let Coefficients::Table(table) = &mut release.coefficients {
        outcomes = table.outcomes().len();
        pieces = Some(table.take_pieces(PIECE));
    }
    let rest =
        write_release(&release).map_err(|_| Failure::new(Reason::Internal, words::failure::no_document()))?;
    post(&Response::ReleaseRead { outcomes }, &Attachments { files: vec![rest], ..Attachments::default() });
    for (outcomes, cells) in pieces.into_iter().flatten() {
        let bytes = Some(Uint8Array::from(cells.as_slice()));
        post(&Response::Outcomes { outcomes }, &Attachments { bytes, ..Attachments::default() });
    }
    Ok(())
}
