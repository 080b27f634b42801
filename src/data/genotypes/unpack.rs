//! Decompresses bytes that may be compressed with gzip or bgzip.

use std::io::{self, Write};

use flate2::write::MultiGzDecoder;

use super::error::{GenotypeError, GenotypeFault, SourceFile};

/// First bytes of a gzip member.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The empty block at the end of a bgzip file (SAM specification, 4.1.2). A file without it is cut off, even if its last block is
/// complete.
const BGZIP_END: [u8; 28] = [
    0x1f, 0x8b, 0x08, 0x04, 0, 0, 0, 0, 0, 0xff, 0x06, 0, 0x42, 0x43, 0x02, 0, 0x1b, 0, 0x03, 0, 0, 0, 0, 0,
    0, 0, 0, 0,
];

/// The number of bytes that decide the format: a gzip header with the field of bgzip.
const HEAD_BYTES: usize = 18;

/// The number of compressed bytes that are decompressed at a time. The result, at most a thousand times as long, is in memory.
const PIECE: usize = 1 << 14;

/// A push decompressor.
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

    /// Takes the next bytes of the file and visits the decompressed bytes.
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

    /// Decides the format of the file.
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
        // A bgzip block has its length in the extra field `BC`.
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
