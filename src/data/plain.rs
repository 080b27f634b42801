//! Cuts a plain record, the usual case, sixty-four bytes at a time.
//!
//! A record is plain if it has no quote and no NUL, and its line end is among the bytes. In such a record each delimiter ends a
//! field, so no state is needed. All other records are left to a complete parser, which finds the same fields in a plain record.

use wide::u8x16;

use super::marks::{BLOCK, below, marks};

const QUOTE: u8 = b'"';

/// Line ends and NUL are not above it; nor are the rarer control characters between them.
const LAST_CONTROL: u8 = b'\r';

/// A plain record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plain {
    /// Its length without its line end.
    pub length: usize,
    /// Whether it is ASCII.
    pub ascii: bool,
}

/// Returns the plain record at the start of `bytes`, and writes the ends of its fields into `ends`. Returns `None` if the record is
/// not plain, does not have `ends.len()` fields, or does not end in `bytes`. The delimiter is neither a quote nor a line end.
#[inline(never)]
pub(super) fn cut(bytes: &[u8], delimiter: u8, ends: &mut [usize]) -> Option<Plain> {
    let (delimiter, quote) = (u8x16::splat(delimiter), u8x16::splat(QUOTE));
    let last_control = u8x16::splat(LAST_CONTROL);
    let mut ends = ends.iter_mut();
    let mut ascii = true;
    for start in (0..bytes.len()).step_by(BLOCK) {
        let block = &bytes[start..];
        let delimiters = marks(block, |bytes| bytes.simd_eq(delimiter));
        let is_stop = |bytes: u8x16| bytes.min(last_control).simd_eq(bytes) | bytes.simd_eq(quote);
        let mut stops = marks(block, is_stop) & !delimiters;
        // The highest bit of a byte is that of a mask.
        let beyond_ascii = marks(block, |bytes| bytes);
        while stops != 0 {
            let place = stops.trailing_zeros();
            let end = start + place as usize;
            match bytes[end] {
                b'\n' | b'\r' => {
                    write(delimiters & below(place), start, &mut ends)?;
                    *ends.next()? = end;
                    let plain = Plain { length: end, ascii: ascii && beyond_ascii & below(place) == 0 };
                    return ends.next().is_none().then_some(plain);
                }
                QUOTE | 0 => return None,
                _ => stops &= stops - 1,
            }
        }
        write(delimiters, start, &mut ends)?;
        ascii &= beyond_ascii == 0;
    }
    None
}

/// Writes the offsets of the marked bytes of a block. `None` if there are more than places.
fn write<'a>(mut marks: u64, start: usize, ends: &mut impl Iterator<Item = &'a mut usize>) -> Option<()> {
    while marks != 0 {
        *ends.next()? = start + marks.trailing_zeros() as usize;
        marks &= marks - 1;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cuts byte by byte.
    fn slowly(bytes: &[u8], delimiter: u8, fields: usize) -> Option<Vec<usize>> {
        let length = bytes.iter().position(|byte| b"\r\n".contains(byte))?;
        let record = &bytes[..length];
        let ends = record.iter().enumerate().filter(|(_, byte)| **byte == delimiter).map(|(at, _)| at);
        let ends: Vec<usize> = ends.chain([length]).collect();
        let plain = !record.contains(&QUOTE) && !record.contains(&0) && ends.len() == fields;
        plain.then_some(ends)
    }

    #[test]
    fn blocks_give_the_same_as_bytes() {
        let mut state = 1_u64;
        let mut plain = 0;
        for _ in 0..100_000 {
            let mut next = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 33) as usize
            };
            let alphabet = b"0123456789.-,;\t\x01\x0b\x0c\x0e\x7f\x80\xac\xff\xa2,,;;\t\t\n\r\0\"";
            let kinds = if next() % 2 == 0 { alphabet.len() } else { alphabet.len() - 2 };
            let bytes: Vec<u8> = (0..next() % 200).map(|_| alphabet[next() % kinds]).collect();
            let delimiter = b",;\t"[next() % 3];
            let fields = 1 + next() % 6;
            let mut ends = vec![usize::MAX; fields];
            let cut = cut(&bytes, delimiter, &mut ends);
            let expected = slowly(&bytes, delimiter, fields);
            let expected_cut = expected.as_ref().map(|ends| {
                let length = ends[ends.len() - 1];
                Plain { length, ascii: bytes[..length].is_ascii() }
            });
            assert_eq!(cut, expected_cut, "{bytes:?}");
            if let Some(expected) = expected {
                assert_eq!(ends, expected, "{bytes:?}");
                plain += 1;
            }
        }
        assert!(plain > 5_000, "{plain}");
    }
}
