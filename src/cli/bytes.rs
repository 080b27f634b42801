//! Reads the bytes of a file in pieces, and notices whether the file has changed.

use std::fs::Metadata;
use std::io::{self, Read};
use std::time::SystemTime;

/// Bytes read at a time.
pub const PIECE: usize = 1 << 20;

/// The properties of a file that change when it is written to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    length: u64,
    modified: Option<SystemTime>,
}

impl Stamp {
    /// Returns those of a file.
    pub fn of(metadata: &Metadata) -> Self {
        Self { length: metadata.len(), modified: metadata.modified().ok() }
    }

    /// Returns the length in bytes.
    pub const fn length(&self) -> u64 {
        self.length
    }
}

/// Reads to the end and passes each piece to `take`; `failed` converts an error of the reader.
pub fn read_all<E>(
    reader: &mut impl Read,
    failed: impl Fn(io::Error) -> E,
    mut take: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let mut piece = vec![0; PIECE];
    loop {
        match read_some(reader, &mut piece).map_err(&failed)? {
            0 => return Ok(()),
            count => take(&piece[..count])?,
        }
    }
}

/// Reads once, past interruptions by signals.
pub fn read_some(reader: &mut impl Read, piece: &mut [u8]) -> io::Result<usize> {
    loop {
        match reader.read(piece) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}
