//! Cuts a plain record, the usual case, eight bytes at a time.
//!
//! A record is plain if it has no quote and no NUL, and its line end is among the bytes. In such a record each delimiter ends a
//! field, so no state is needed. All other records are left to a complete parser, which finds the same fields in a plain record.

const QUOTE: u8 = b'"';

/// A word whose bytes are all 1.
pub(super) const ONES: u64 = u64::MAX / 0xff;
/// The highest bit of each byte.
pub(super) const HIGH: u64 = ONES << 7;

/// A plain record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plain {
    /// Its length without its line end.
    pub length: usize,
    /// Whether it is known to be ASCII: as are all words that hold a byte of it.
    pub ascii: bool,
}

/// Returns the plain record at the start of `bytes`, and writes the ends of its fields into `ends`. Returns `None` if the record is
/// not plain, does not have `ends.len()` fields, or ends in an incomplete word of `bytes`. The delimiter is neither a quote nor a
/// line end.
#[inline(never)]
pub(super) fn cut(bytes: &[u8], delimiter: u8, ends: &mut [usize]) -> Option<Plain> {
    let (delimiters, quotes) = (ONES * u64::from(delimiter), ONES * u64::from(QUOTE));
    let mut ends = ends.iter_mut();
    let mut seen = 0;
    for (number, word) in bytes.as_chunks::<8>().0.iter().enumerate() {
        let start = number * 8;
        let word = u64::from_le_bytes(*word);
        seen |= word;
        let found = zeros(word ^ delimiters);
        let mut stops = (controls(word) | zeros(word ^ quotes)) & !found;
        while stops != 0 {
            let place = first(stops);
            match bytes[start + place] {
                b'\n' | b'\r' => {
                    mark(found & below(place), start, &mut ends)?;
                    *ends.next()? = start + place;
                    let plain = Plain { length: start + place, ascii: seen & HIGH == 0 };
                    return ends.next().is_none().then_some(plain);
                }
                QUOTE | 0 => return None,
                _ => stops &= stops - 1,
            }
        }
        mark(found, start, &mut ends)?;
    }
    None
}

/// Writes the offsets of the marked bytes of a word; `None` if there are more than places.
fn mark<'a>(mut marks: u64, start: usize, ends: &mut impl Iterator<Item = &'a mut usize>) -> Option<()> {
    while marks != 0 {
        *ends.next()? = start + first(marks);
        marks &= marks - 1;
    }
    Some(())
}

/// Marks the bytes of a word that are 0, by their highest bit.
pub(super) const fn zeros(word: u64) -> u64 {
    !(((word & !HIGH) + !HIGH) | word) & HIGH
}

/// Marks the bytes below 14: line ends, NUL and the rarer control characters between them.
const fn controls(word: u64) -> u64 {
    !((word | HIGH) - ONES * 14) & !word & HIGH
}

/// Returns the place of the first mark.
pub(super) const fn first(marks: u64) -> usize {
    (marks.trailing_zeros() / 8) as usize
}

/// Selects the bytes before a place below 8.
pub(super) const fn below(place: usize) -> u64 {
    (1 << (place * 8)) - 1
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
        (plain && length < bytes.len() / 8 * 8).then_some(ends)
    }

    #[test]
    fn words_give_the_same_as_bytes() {
        let mut state = 1_u64;
        let mut plain = 0;
        for _ in 0..100_000 {
            let mut next = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 33) as usize
            };
            let alphabet = b"0123456789.-,;\t\x01\x0b\x0c\x0e\x7f\x80\xac\xff\xa2,,;;\t\t\n\r\0\"";
            let kinds = if next() % 2 == 0 { alphabet.len() } else { alphabet.len() - 2 };
            let bytes: Vec<u8> = (0..next() % 60).map(|_| alphabet[next() % kinds]).collect();
            let delimiter = b",;\t"[next() % 3];
            let fields = 1 + next() % 6;
            let mut ends = vec![usize::MAX; fields];
            let cut = cut(&bytes, delimiter, &mut ends);
            let expected = slowly(&bytes, delimiter, fields);
            let expected_cut = expected.as_ref().map(|ends| {
                let length = ends[ends.len() - 1];
                Plain { length, ascii: bytes[..(length / 8 + 1) * 8].is_ascii() }
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
