//! The parts of a ZIP archive (APPNOTE 6.3.10, 4.3).

use std::io::Read;

use flate2::read::DeflateDecoder;

use super::super::ContainerError;

/// First bytes of the record at the end.
const END: &[u8] = b"PK\x05\x06";

/// Length of that record without its comment.
const END_BYTES: usize = 22;

/// The longest comment.
const COMMENT: usize = 1 << 16;

/// First bytes of an entry of the directory, and its length without names.
const ENTRY: (&[u8], usize) = (b"PK\x01\x02", 46);

/// First bytes of a part, and the length before its names.
const PART: (&[u8], usize) = (b"PK\x03\x04", 30);

/// A ZIP archive.
pub struct Archive<'a> {
    bytes: &'a [u8],
    parts: Vec<Part>,
}

struct Part {
    name: String,
    method: u16,
    length: usize,
    offset: usize,
}

/// Returns a small number at a place. `None` beyond the end, or for a number that belongs to ZIP64.
fn number(bytes: &[u8], at: usize, length: usize) -> Option<usize> {
    let found = bytes
        .get(at..at + length)?
        .iter()
        .rev()
        .try_fold(0_u32, |sum, byte| Some(sum.checked_mul(256)? + u32::from(*byte)))?;
    usize::try_from(found).ok().filter(|_| length < 4 || found != u32::MAX)
}

impl<'a> Archive<'a> {
    /// Reads the directory.
    ///
    /// # Errors
    /// [`ContainerError::Damaged`] if it is none, and for the larger form ZIP64 of 4 GB and more.
    pub fn new(bytes: &'a [u8]) -> Result<Self, ContainerError> {
        Self::read(bytes).ok_or(ContainerError::Damaged)
    }

    fn read(bytes: &'a [u8]) -> Option<Self> {
        let from = bytes.len().saturating_sub(END_BYTES + COMMENT);
        let end = from + bytes.get(from..)?.windows(END.len()).rposition(|window| window == END)?;
        let count = number(bytes, end + 10, 2)?;
        let mut at = number(bytes, end + 16, 4)?;
        let mut parts = Vec::new();
        for _ in 0..count {
            let entry = bytes.get(at..at.checked_add(ENTRY.1)?).filter(|entry| entry.starts_with(ENTRY.0))?;
            let name_length = number(entry, 28, 2)?;
            let name = bytes.get(at + ENTRY.1..at + ENTRY.1 + name_length)?;
            parts.push(Part {
                name: String::from_utf8_lossy(name).replace('\\', "/").to_lowercase(),
                method: u16::try_from(number(entry, 10, 2)?).ok()?,
                length: number(entry, 20, 4)?,
                offset: number(entry, 42, 4)?,
            });
            at += ENTRY.1 + name_length + number(entry, 30, 2)? + number(entry, 32, 2)?;
        }
        Some(Self { bytes, parts })
    }

    /// Returns the bytes of a part as they are unpacked; `None` if there is no such part.
    ///
    /// # Errors
    /// [`ContainerError::Damaged`] if the archive is cut off, or packed by another method.
    pub fn part(&self, name: &str) -> Result<Option<Box<dyn Read + 'a>>, ContainerError> {
        let Some(part) = self.find(name) else { return Ok(None) };
        let packed = self.packed(part).ok_or(ContainerError::Damaged)?;
        match part.method {
            0 => Ok(Some(Box::new(packed))),
            8 => Ok(Some(Box::new(DeflateDecoder::new(packed)))),
            _ => Err(ContainerError::Damaged),
        }
    }

    /// Returns how many bytes a part has as it is packed; 0 if there is no such part.
    pub fn packed_bytes(&self, name: &str) -> usize {
        self.find(name).map_or(0, |part| part.length)
    }

    fn find(&self, name: &str) -> Option<&Part> {
        let name = name.to_lowercase();
        self.parts.iter().find(|part| part.name == name)
    }

    fn packed(&self, part: &Part) -> Option<&'a [u8]> {
        let head = self.bytes.get(part.offset..part.offset.checked_add(PART.1)?)?;
        let head = Some(head).filter(|head| head.starts_with(PART.0))?;
        let start = part.offset + PART.1 + number(head, 26, 2)? + number(head, 28, 2)?;
        self.bytes.get(start..start.checked_add(part.length)?)
    }
}
