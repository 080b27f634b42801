//! The cell of a number, from the bits of its double (theory/estimated-bounds 1.2).

use super::layout::Layout;
use crate::privacy::mutants::{Mutant, is_active};

/// Octaves of each sign.
pub const OCTAVES: usize = 104;
/// e of the lowest octave, 2^e <= |x| < 2^(e+1). Smaller numbers count as zero.
pub const LEAST_EXPONENT: i32 = -40;
/// e of the highest octave, in which larger numbers count, too.
pub const GREATEST_EXPONENT: i32 = 63;
/// The cell of zero among the octaves: the negative octaves by e are before it, the positive ones after it.
pub const ZERO: usize = OCTAVES;
/// Cells of a column in the first round.
pub const FIRST_CELLS: usize = 2 * OCTAVES + 1;
/// Cells of equal width of the narrow layout, between its two open cells.
pub const NARROW: usize = 256;
/// Cells of a column in the second round, whatever its layout.
pub const SECOND_CELLS: usize = NARROW + 2;

/// Returns the octave of a number. `None` if it is missing or infinite. Only the bits of the exponent and the sign are read, so
/// every build agrees.
pub fn octave(value: f64) -> Option<usize> {
    let value = if value.is_nan() && is_active(Mutant::NanCountedAsZero) { 0.0 } else { value };
    let exponent = i32::try_from((value.to_bits() >> 52) & 0x7ff).unwrap_or(0) - 1023;
    if exponent == 1024 {
        return None;
    }
    let Ok(place) = usize::try_from(exponent.min(GREATEST_EXPONENT) - LEAST_EXPONENT) else {
        return Some(ZERO);
    };
    Some(if value.is_sign_negative() { place } else { ZERO + 1 + place })
}

/// Returns the cell of a number in the second round. `None` if it is missing or infinite. t = (x − a) / step is in cell 1 + ⌊t⌋,
/// below in cell 0, above in the last.
pub fn second(layout: &Layout, value: f64) -> Option<usize> {
    let Layout::Narrow(range) = layout else { return octave(value) };
    octave(value)?;
    let t = (value - range.start()) / range.step();
    #[expect(clippy::cast_possible_truncation, reason = "`as` saturates, NaN becomes 0")]
    let place = t.floor().max(-1.0) as i64;
    let place = usize::try_from(place.saturating_add(1)).unwrap_or(0);
    Some(place.min(SECOND_CELLS - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_double_is_in_one_cell() {
        let power = |e: i32| libm::ldexp(1.0, e);
        for e in -1074..=1023 {
            let place = usize::try_from(e.clamp(-41, 63) + 41).unwrap();
            let (below, above) = (power(e), power(e).next_down());
            let expected = |place: usize| if place == 0 { [ZERO, ZERO] } else { [ZERO + place, place - 1] };
            assert_eq!([octave(below), octave(-below)], expected(place).map(Some), "2^{e}");
            let lower = usize::try_from((e - 1).clamp(-41, 63) + 41).unwrap();
            assert_eq!([octave(above), octave(-above)], expected(lower).map(Some), "below 2^{e}");
        }
        for zero in [0.0, -0.0, f64::MIN_POSITIVE, -f64::MIN_POSITIVE, 5e-324, -5e-324] {
            assert_eq!(octave(zero), Some(ZERO));
        }
        assert_eq!([octave(f64::MAX), octave(f64::MIN)], [Some(2 * OCTAVES), Some(OCTAVES - 1)]);
        let missing = [f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
        assert!(missing.into_iter().all(|value| octave(value).is_none()));
        let narrow = Layout::narrow(5, 5, false);
        assert!(missing.into_iter().all(|value| second(&narrow, value).is_none()));
        for (value, cell) in
            [(16.0, 1), (15.999, 0), (-1e300, 0), (96.0, 257), (1e300, 257), (95.99, 256), (0.0, 0)]
        {
            assert_eq!(second(&narrow, value), Some(cell), "{value}");
        }
        let mirrored = Layout::narrow(5, 5, true);
        for (value, cell) in
            [(-96.0, 1), (-16.0, 257), (-16.01, 256), (f64::MIN, 0), (f64::MAX, 257), (-96.01, 0)]
        {
            assert_eq!(second(&mirrored, value), Some(cell), "{value}");
        }
    }
}
