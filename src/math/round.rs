//! Arithmetic with directed rounding, and integers as numbers.

use dashu_int::UBig;
use num_traits::{AsPrimitive, PrimInt};

/// The relative margin by which every floating-point number that affects the privacy guarantee is moved to its safe side
/// (theory/accounting 2.1). It is far above the error of the formulas and far below what a person could notice.
pub const MARGIN: f64 = 1e-9;

/// Returns a number above `x` by at least `relative` of its size: x (1 + relative), and at least the next number up.
pub fn raise(x: f64, relative: f64) -> f64 {
    (x + x.abs() * relative).next_up()
}

/// Returns a number below `x` by at least `relative` of its size: x (1 − relative), and at least the next number down.
pub fn lower(x: f64, relative: f64) -> f64 {
    (x - x.abs() * relative).next_down()
}

/// Returns a + b, rounded up.
pub fn add_up(a: f64, b: f64) -> f64 {
    let sum = a + b;
    // The rounding error of the sum, exactly (Knuth's two-sum).
    let second = sum - a;
    let rest = (a - (sum - second)) + (b - second);
    if rest > 0.0 { sum.next_up() } else { sum }
}

/// Returns a × b, rounded up; exact unless the product is too small to be a normal number.
pub fn multiply_up(a: f64, b: f64) -> f64 {
    let product = a * b;
    if libm::fma(a, b, -product) > 0.0 { product.next_up() } else { product }
}

/// Returns √x, rounded down.
pub fn sqrt_down(x: f64) -> f64 {
    let root = libm::sqrt(x);
    if libm::fma(root, root, -x) > 0.0 { root.next_down() } else { root }
}

/// Returns √x, rounded up.
pub fn sqrt_up(x: f64) -> f64 {
    let root = libm::sqrt(x);
    if libm::fma(root, root, -x) < 0.0 { root.next_up() } else { root }
}

/// Returns the number nearest to an integer.
pub fn real(integer: impl PrimInt + AsPrimitive<f64>) -> f64 {
    integer.as_()
}

/// Returns the integer nearest to `x`, ties to even. The sign of a zero is not kept.
pub fn to_integer(x: f64) -> f64 {
    if x.abs() < HALVES_FROM { (x + SHIFT) - SHIFT } else { x.round_ties_even() }
}

/// Returns the integer of 32 bits nearest to `x`, ties to even; what is beyond them is the last of them, and what is no number is 0.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the bits of a small integer; `as` saturates otherwise")]
pub fn nearest(x: f64) -> i32 {
    const SMALL: f64 = 1_073_741_824.0;
    // The last bits of the sum are those of the integer, below zero in two's complement.
    if x.abs() < SMALL { (x + SHIFT).to_bits() as i32 } else { to_integer(x) as i32 }
}

/// From 2^51 on a double plus [`SHIFT`] is no longer rounded to an integer.
const HALVES_FROM: f64 = 2_251_799_813_685_248.0;

/// 1.5 · 2^52: doubles of this size are the integers, so a smaller number that is added to it is rounded to an integer, ties to
/// even. Not every processor has an instruction for it.
const SHIFT: f64 = 6_755_399_441_055_744.0;

/// Rounds `x` to `digits` significant digits, at most 15. The result is the double nearest to what `{:e}` writes, except that a tie,
/// also one that arises by rounding, may be rounded to either side.
pub fn to_digits(x: f64, digits: u8) -> f64 {
    let digits = digits.clamp(1, 15);
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    let places = f64::from(digits) - 1.0 - libm::floor(libm::log10(x.abs()));
    // Powers of ten to the 22nd and whole numbers below 2^53 are doubles, so one division or product rounds once.
    if places.abs() <= 22.0 {
        let power = libm::pow(10.0, places.abs());
        return if places > 0.0 { libm::round(x * power) / power } else { libm::round(x / power) * power };
    }
    format!("{x:.*e}", usize::from(digits) - 1).parse().unwrap_or(x)
}

/// Returns ⌊x 2^bits⌋ without rounding error. `None` if `x` is negative or not finite.
pub fn floor_scaled(x: f64, bits: usize) -> Option<UBig> {
    let (mantissa, exponent) = parts(x)?;
    Some(scaled(UBig::from(mantissa), exponent, bits).0)
}

/// Returns ⌈x 2^bits⌉ without rounding error. `None` if `x` is negative or not finite.
pub fn ceil_scaled(x: f64, bits: usize) -> Option<UBig> {
    let (mantissa, exponent) = parts(x)?;
    let (floor, exact) = scaled(UBig::from(mantissa), exponent, bits);
    Some(if exact { floor } else { floor + UBig::ONE })
}

/// Returns ⌊x² 2^bits⌋ without rounding error. `None` if `x` is negative or not finite.
pub fn floor_square_scaled(x: f64, bits: usize) -> Option<UBig> {
    let (mantissa, exponent) = parts(x)?;
    let mantissa = UBig::from(mantissa);
    Some(scaled(&mantissa * &mantissa, 2 * exponent, bits).0)
}

/// Returns x as mantissa and power of two: x = mantissa 2^exponent.
fn parts(x: f64) -> Option<(u64, isize)> {
    if !x.is_finite() || x < 0.0 {
        return None;
    }
    let bits = x.to_bits();
    let fraction = bits & ((1 << 52) - 1);
    // The sign bit is 0 or x is −0, which has no fraction either.
    let biased = isize::try_from((bits >> 52) & 0x7ff).ok()?;
    Some(if biased == 0 { (fraction, -1074) } else { (fraction | (1 << 52), biased - 1075) })
}

/// Returns ⌊mantissa 2^(exponent + bits)⌋, and whether nothing was cut off.
fn scaled(mantissa: UBig, exponent: isize, bits: usize) -> (UBig, bool) {
    let shift = exponent.saturating_add_unsigned(bits);
    if shift >= 0 {
        (mantissa << shift.unsigned_abs(), true)
    } else {
        let floor = &mantissa >> shift.unsigned_abs();
        let exact = (&floor << shift.unsigned_abs()) == mantissa;
        (floor, exact)
    }
}

#[cfg(test)]
#[expect(clippy::cast_possible_truncation, reason = "`as` saturates")]
mod tests {
    use dashu_int::ops::BitTest;

    use super::*;

    #[test]
    fn digits_are_those_that_would_be_written() {
        let mut state = 1_u64;
        for _ in 0..20_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let bits = state >> 12;
            // Of all sizes, and as often near 1.
            let x = f64::from_bits(if state & 2048 == 0 { state } else { bits | (960 + bits % 128) << 52 });
            for digits in [1_u8, 6, 7] {
                let written = format!("{x:.*e}", usize::from(digits) - 1).parse::<f64>().unwrap();
                let found = to_digits(x, digits);
                assert!(found.to_bits() == written.to_bits() || x.is_nan(), "{x:e} to {digits}: {found:e}");
            }
        }
        for (x, expected) in [
            (0.1 + 0.2, 0.3),
            (-9_999_999.6, -1e7),
            (1e22, 1e22),
            (1e-300, 1e-300),
            (1_234_567.891, 1_234_568.0),
            (0.0, 0.0),
            (5e-324, 5e-324),
        ] {
            assert_eq!(to_digits(x, 7).to_bits(), f64::to_bits(expected), "{x:e}");
        }
        assert!(to_digits(f64::NAN, 7).is_nan() && to_digits(f64::INFINITY, 7).is_infinite());
    }

    #[test]
    fn the_nearest_integer_is_even_at_a_tie() {
        let mut state = 1_u64;
        let mut values = vec![0.0, -0.0, 0.5, 1.5, 2.5, f64::NAN, f64::INFINITY, f64::MAX, 5e-324];
        for exponent in 20..55 {
            let power = libm::ldexp(1.0, exponent);
            values.extend([power - 1.0, power - 0.5, power, power + 0.5, power + 1.5]);
        }
        for _ in 0..10_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let halves = ((state >> 40) as f64) / 2.0;
            values.extend([f64::from_bits(state), halves, halves.next_up(), halves.next_down()]);
        }
        for value in values.iter().flat_map(|value| [*value, -value]) {
            // Zeros of both signs are equal here.
            let (found, expected) = (to_integer(value) + 0.0, value.round_ties_even() + 0.0);
            assert!(
                found.to_bits() == expected.to_bits() || value.is_nan() && found.is_nan(),
                "{value}: {found}"
            );
            assert_eq!(nearest(value), value.round_ties_even() as i32, "{value}");
        }
    }

    #[test]
    fn scaling_is_exact_and_keeps_its_direction() {
        assert_eq!(floor_scaled(1.0, 40), Some(UBig::from(1_u64 << 40)));
        assert_eq!(ceil_scaled(1.0, 40), Some(UBig::from(1_u64 << 40)));
        assert_eq!(floor_scaled(0.1, 3), Some(UBig::ZERO));
        assert_eq!(ceil_scaled(0.1, 3), Some(UBig::ONE));
        assert_eq!(ceil_scaled(f64::from_bits(1), 40), Some(UBig::ONE));
        assert_eq!(floor_square_scaled(1.5, 2), Some(UBig::from(9_u8)));
        assert_eq!(floor_square_scaled(0.0, 40), Some(UBig::ZERO));
        assert_eq!(floor_scaled(-0.0, 40), Some(UBig::ZERO));
        assert_eq!(floor_scaled(f64::MAX, 0).map(|n| n.bit_len()), Some(1024));
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(floor_scaled(bad, 1), None);
            assert_eq!(ceil_scaled(bad, 1), None);
        }
    }

    #[test]
    fn sums_and_products_go_up_only_when_they_must() {
        assert_eq!(add_up(0.5, 0.25).to_bits(), 0.75_f64.to_bits());
        assert_eq!(multiply_up(3.0, 0.25).to_bits(), 0.75_f64.to_bits());
        // As doubles, 0.1 + 0.2 lies below their rounded sum, and 10 × 0.1 above 1.
        assert_eq!(add_up(0.1, 0.2).to_bits(), (0.1_f64 + 0.2).to_bits());
        assert_eq!(multiply_up(10.0, 0.1).to_bits(), 1.0_f64.next_up().to_bits());
        assert_eq!(multiply_up(-10.0, 0.1).to_bits(), (-1.0_f64).to_bits());
        assert_eq!(add_up(1.0, 1e-30).to_bits(), 1.0_f64.next_up().to_bits());
        assert_eq!(add_up(1.0, -1e-30).to_bits(), 1.0_f64.to_bits());
    }

    #[test]
    fn raising_and_lowering_move_every_number() {
        for x in [-2.0, -1e-320, 0.0, 1e-320, 1.0, 1e300] {
            assert!(raise(x, 0.0) > x && lower(x, 0.0) < x);
            assert!(raise(x, 1e-9) >= raise(x, 0.0) && lower(x, 1e-9) <= lower(x, 0.0));
        }
    }
}
