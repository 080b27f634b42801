//! Decompresses bytes that may be compressed with gzip or bgzip.

use super::error::{GenotypeError, GenotypeFault, SourceFile};
use crate::data::container::{ContainerError, Form, PACKED_BYTES, Unpacker};

/// The empty block at the end of a bgzip file (SAM specification, 4.1.2). A file without it is cut off, even if its last block is
/// complete.
const BGZIP_END: [u8; 28] = [
    0x1f, 0x8b, 0x08, 0x04, 0, 0, 0, 0, 0, 0xff, 0x06, 0, 0x42, 0x43, 0x02, 0, 0x1b, 0, 0x03, 0, 0, 0, 0, 0,
    0, 0, 0, 0,
];

/// The number of bytes that decide the format: a gzip header with the field of bgzip.
const HEAD_BYTES: usize = 18;

/// A push decompressor.
pub(super) struct Unpack {
    head: Vec<u8>,
    /// The last bytes, where the file is bgzip's.
    tail: Option<Vec<u8>>,
    body: Option<Body>,
    /// The decompressed bytes of a piece.
    text: Vec<u8>,
}

enum Body {
    Plain,
    Gzip(Unpacker),
}

impl Unpack {
    pub const fn new() -> Self {
        Self { head: Vec::new(), tail: None, body: None, text: Vec::new() }
    }

    /// Takes the next bytes of the file and visits the decompressed bytes.
    pub fn feed(
        &mut self,
        bytes: &[u8],
        mut visit: impl FnMut(&[u8]) -> Result<(), GenotypeError>,
    ) -> Result<(), GenotypeError> {
        if self.body.is_some() {
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
        if self.body.is_none() {
            self.begin(&mut visit)?;
        }
        if self.tail.is_some_and(|tail| tail != BGZIP_END) {
            return Err(failed(GenotypeFault::CutOff));
        }
        match self.body {
            Some(Body::Gzip(unpacker)) => {
                unpacker.finish(&mut self.text).map_err(damaged)?;
                visit(&self.text)
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
        let is_gzip = Form::of(&head) == Ok(Some(Form::Gzip));
        let unpacker = Unpacker::new(Form::Gzip).filter(|_| is_gzip);
        self.body = Some(unpacker.map_or(Body::Plain, Body::Gzip));
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
        let Some(Body::Gzip(unpacker)) = &mut self.body else { return visit(bytes) };
        if let Some(tail) = &mut self.tail {
            tail.extend_from_slice(&bytes[bytes.len().saturating_sub(BGZIP_END.len())..]);
            tail.drain(..tail.len().saturating_sub(BGZIP_END.len()));
        }
        for piece in bytes.chunks(PACKED_BYTES) {
            unpacker.feed(piece, &mut self.text).map_err(damaged)?;
            visit(&self.text)?;
            self.text.clear();
        }
        Ok(())
    }
}

fn failed(fault: GenotypeFault) -> GenotypeError {
    GenotypeError::of(SourceFile::Vcf, fault)
}

fn damaged(_: ContainerError) -> GenotypeError {
    failed(GenotypeFault::Damaged)
}
