//! Cuts bytes into lines that end with LF or CRLF. Memory is that of the longest line.

use super::error::{GenotypeError, GenotypeFault, SourceFile};

/// Longest line in bytes. A record of half a million samples with all fields that variant callers write is shorter.
const LINE_LIMIT: usize = 256 << 20;

/// A push parser of the lines of a file.
#[derive(Debug)]
pub(super) struct Lines {
    file: SourceFile,
    /// The incomplete last line so far.
    partial: Vec<u8>,
    /// Lines that are complete, those before the first byte among them.
    ended: u64,
}

impl Lines {
    /// Creates a parser of what stands behind so many lines.
    pub const fn after(file: SourceFile, lines: u64) -> Self {
        Self { file, partial: Vec::new(), ended: lines }
    }

    /// Visits each line that ends in these bytes, with its number in the file.
    pub fn feed(
        &mut self,
        mut bytes: &[u8],
        mut visit: impl FnMut(u64, &[u8]) -> Result<(), GenotypeError>,
    ) -> Result<(), GenotypeError> {
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            let (line, rest) = bytes.split_at(end);
            self.ended += 1;
            if self.partial.is_empty() {
                visit(self.ended, trimmed(line))?;
            } else {
                self.partial.extend_from_slice(line);
                visit(self.ended, trimmed(&self.partial))?;
                self.partial.clear();
            }
            bytes = &rest[1..];
        }
        self.partial.extend_from_slice(bytes);
        if self.partial.len() >= LINE_LIMIT {
            return Err(GenotypeError::at(self.file, self.ended + 1, GenotypeFault::LongLine));
        }
        Ok(())
    }

    /// Visits a last line without an end.
    pub fn finish(
        self,
        mut visit: impl FnMut(u64, &[u8]) -> Result<(), GenotypeError>,
    ) -> Result<(), GenotypeError> {
        if self.partial.is_empty() { Ok(()) } else { visit(self.ended + 1, trimmed(&self.partial)) }
    }
}

fn trimmed(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8], piece: usize) -> Vec<(u64, Vec<u8>)> {
        let mut found = Vec::new();
        let mut lines = Lines::after(SourceFile::Fam, 0);
        let mut keep = |number, line: &[u8]| {
            found.push((number, line.to_vec()));
            Ok(())
        };
        for piece in bytes.chunks(piece) {
            lines.feed(piece, &mut keep).unwrap();
        }
        lines.finish(&mut keep).unwrap();
        found
    }

    #[test]
    fn lines_do_not_depend_on_the_cuts() {
        let bytes = b"one\r\n\ntwo \nthree";
        let expected: Vec<(u64, Vec<u8>)> =
            [(1, &b"one"[..]), (2, b""), (3, b"two "), (4, b"three")].map(|(n, l)| (n, l.to_vec())).into();
        for piece in 1..=bytes.len() {
            assert_eq!(lines(bytes, piece), expected, "pieces of {piece}");
        }
        assert_eq!(lines(b"one\n", 9).len(), 1);
    }
}
