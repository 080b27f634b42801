//! Marks bytes, sixty-four at a time.

use wide::u8x16;

/// The most bytes that are marked at a time: the bits of a word.
pub(super) const BLOCK: usize = 64;

const LANES: usize = 16;

/// Returns which of the first 64 bytes meet a condition, the first byte in the lowest bit. The condition returns for each of sixteen
/// bytes one whose highest bit says so.
#[inline]
pub(super) fn marks(bytes: &[u8], condition: impl Fn(u8x16) -> u8x16) -> u64 {
    let bytes = bytes.get(..BLOCK).unwrap_or(bytes);
    let of = |lanes: &[u8; LANES]| u64::from(condition(u8x16::new(*lanes)).to_bitmask());
    let (chunks, rest) = bytes.as_chunks();
    let mut marks = 0;
    for (number, lanes) in chunks.iter().enumerate() {
        marks |= of(lanes) << (number * LANES);
    }
    if rest.is_empty() {
        return marks;
    }
    match bytes.last_chunk() {
        // Some of these bytes were marked before, at the same places.
        Some(last) => marks | of(last) << (bytes.len() - LANES),
        None => {
            let mut lanes = [0; LANES];
            lanes[..rest.len()].copy_from_slice(rest);
            of(&lanes) & !(u64::MAX << rest.len())
        }
    }
}

/// Selects the bytes before a place below 64.
pub(super) const fn below(place: u32) -> u64 {
    !(u64::MAX << place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_of_any_length_is_marked_as_its_bytes_are() {
        let mut state = 1_u64;
        for length in 0..300 {
            let mut next = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                b"a,\0"[(state >> 33) as usize % 3]
            };
            let bytes: Vec<u8> = (0..length).map(|_| next()).collect();
            let zeros = marks(&bytes, |bytes| bytes.simd_eq(u8x16::splat(0)));
            let expected = (0..length.min(BLOCK)).filter(|place| bytes[*place] == 0);
            assert_eq!(zeros, expected.fold(0, |marks, place| marks | 1 << place), "{length}");
        }
    }
}
