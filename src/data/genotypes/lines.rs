//! Cuts bytes into lines that end with LF or CRLF. Memory is that of the longest line.

use super::error::GenotypeFault;

/// Longest line in bytes. A record of half a million samples with all fields that variant callers write is shorter.
const LINE_LIMIT: usize = 256 << 20;

/// A push parser of lines.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// The incomplete last line so far.
    partial: Vec<u8>,
    /// Lines that are complete.
    ended: u64,
}

impl Lines {
    /// Visits each line that ends in these bytes, with its number.
    pub fn feed<E>(
        &mut self,
        mut bytes: &[u8],
        too_long: impl Fn(u64, GenotypeFault) -> E,
        mut visit: impl FnMut(u64, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
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
            return Err(too_long(self.ended + 1, GenotypeFault::LongLine));
        }
        Ok(())
    }

    /// Visits a last line without an end.
    pub fn finish<E>(mut self, mut visit: impl FnMut(u64, &[u8]) -> Result<(), E>) -> Result<(), E> {
        let last = std::mem::take(&mut self.partial);
        if last.is_empty() { Ok(()) } else { visit(self.ended + 1, trimmed(&last)) }
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
        let mut lines = Lines::default();
        let mut keep = |number, line: &[u8]| {
            found.push((number, line.to_vec()));
            Ok::<_, GenotypeFault>(())
        };
        for piece in bytes.chunks(piece) {
            lines.feed(piece, |_, fault| fault, &mut keep).unwrap();
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
