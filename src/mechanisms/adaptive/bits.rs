//! Rounding to 26 leading bits.

/// Returns `value` rounded to 26 leading bits, ties to even, and 0 where it is not finite: short enough that products of two are exact,
/// and that builds which differ in the last bit agree but for one value in 2^26 (theory/adaptive 3.4).
pub fn bits26(value: f64) -> f64 {
    if !value.is_finite() {
        return 0.0;
    }
    let (mantissa, exponent) = libm::frexp(value);
    let rounded = libm::ldexp(libm::ldexp(mantissa, 26).round_ties_even(), exponent - 26);
    if rounded.is_finite() { rounded } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twenty_six_bits_are_kept() {
        for (value, rounded) in [
            (0.0, 0.0),
            (1.0 / 3.0, 44_739_243.0 / 134_217_728.0),
            (-1.5, -1.5),
            (67_108_865.0, 67_108_864.0),
            (67_108_867.0, 67_108_868.0),
            (f64::NAN, 0.0),
            (f64::NEG_INFINITY, 0.0),
            (f64::MAX, 0.0),
        ] {
            assert!((bits26(value) - rounded).abs() < f64::MIN_POSITIVE, "{value}: {}", bits26(value));
        }
        assert!(bits26(5e-324) > 0.0);
    }
}
