//! Bytes that may be compressed with gzip or bgzip, as the bytes that they stand for.

use std::io::{self, Write};

use flate2::write::MultiGzDecoder;

use super::error::{GenotypeError, GenotypeFault, SourceFile};

/// First bytes of a gzip member.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The empty block at the end of a file that bgzip wrote (SAM specification, 4.1.2): without it the file is cut off, though
/// each block by itself is whole.
const BGZIP_END: [u8; 28] = [
    0x1f, 0x8b, 0x08, 0x04, 0, 0, 0, 0, 0, 0xff, 0x06, 0, 0x42, 0x43, 0x02, 0, 0x1b, 0, 0x03, 0, 0, 0, 0, 0,
    0, 0, 0, 0,
];

/// Bytes by which it is known what the file is: a gzip header with bgzip's own field.
const HEAD_BYTES: usize = 18;

/// Compressed bytes that are unpacked at a time: what comes of them, a thousand times as many at worst, is in memory.
const PIECE: usize = 1 << 14;

/// A push unpacker.
pub(super) struct Unpack {
    head: Vec<u8>,
    /// The last bytes, where the file is bgzip's.
    tail: Option<Vec<u8>>,
    form: Option<Form>,
}

enum Form {
    Plain,
    Gzip(Box<MultiGzDecoder<Vec<u8>>>),
}

impl Unpack {
    pub const fn new() -> Self {
        Self { head: Vec::new(), tail: None, form: None }
    }

    /// Takes the next bytes of the file and visits what they stand for.
    pub fn feed(
        &mut self,
        bytes: &[u8],
        mut visit: impl FnMut(&[u8]) -> Result<(), GenotypeError>,
    ) -> Result<(), GenotypeError> {
        if self.form.is_some() {
            return self.pass(bytes, &mut visit);
        }
        self.head.extend_from_slice(bytes);
        if self.head.len() < HEAD_BYTES { Ok(()) } else { self.begin(&mut visit) }
    }

    /// Ends the file.
    pub fn finish(
        mut self,
        mut visit: impl FnMut(&[u8]) -> Result<(), GenotypeError>,
    ) -> Result<(), GenotypeError> {
        if self.form.is_none() {
            self.begin(&mut visit)?;
        }
        if self.tail.is_some_and(|tail| tail != BGZIP_END) {
            return Err(failed(GenotypeFault::CutOff));
        }
        match self.form {
            Some(Form::Gzip(mut decoder)) => {
                decoder.try_finish().map_err(damaged)?;
                visit(decoder.get_ref())
            }
            _ => Ok(()),
        }
    }

    /// Decides what the file is.
    fn begin(
        &mut self,
        visit: &mut impl FnMut(&[u8]) -> Result<(), GenotypeError>,
    ) -> Result<(), GenotypeError> {
        let head = std::mem::take(&mut self.head);
        self.form = Some(if head.starts_with(&GZIP) {
            Form::Gzip(Box::new(MultiGzDecoder::new(Vec::new())))
        } else {
            Form::Plain
        });
        // A bgzip block says its length in a field of its own, `BC`.
        let bgzip = head.starts_with(&BGZIP_END[..4]) && head.get(12..14) == Some(&BGZIP_END[12..14]);
        self.tail = bgzip.then(Vec::new);
        self.pass(&head, visit)
    }

    fn pass(
        &mut self,
        bytes: &[u8],
        visit: &mut impl FnMut(&[u8]) -> Result<(), GenotypeError>,
    ) -> Result<(), GenotypeError> {
        let Some(Form::Gzip(decoder)) = &mut self.form else { return visit(bytes) };
        if let Some(tail) = &mut self.tail {
            tail.extend_from_slice(&bytes[bytes.len().saturating_sub(BGZIP_END.len())..]);
            tail.drain(..tail.len().saturating_sub(BGZIP_END.len()));
        }
        for piece in bytes.chunks(PIECE) {
            decoder.write_all(piece).map_err(damaged)?;
            visit(decoder.get_ref())?;
            decoder.get_mut().clear();
        }
        Ok(())
    }
}

fn failed(fault: GenotypeFault) -> GenotypeError {
    GenotypeError::of(SourceFile::Vcf, fault)
}

/// Returns the error for a damaged archive. The text of the library is dropped, because it says nothing more.
fn damaged(_: io::Error) -> GenotypeError {
    failed(GenotypeFault::Damaged)
}
