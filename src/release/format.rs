//! Formats numbers for people, in the same way on the page, in the report and on the command line.
//!
//! A minus sign is the real one (U+2212), digits are not grouped below ten thousand, and very large or small numbers
//! are written as a power of ten.

use std::fmt::Write;

use crate::model::Estimate;
pub use crate::text::grouped;

/// Stands where there is no number.
pub const NONE: &str = "–";

/// Most digits after the point before a number is written as a power of ten.
const MOST_DECIMALS: i32 = 5;

/// Numbers from here on are written as a power of ten.
const LARGE: f64 = 1e7;

/// Formats `value` with `digits` significant digits.
pub fn significant(value: f64, digits: u8) -> String {
    if !value.is_finite() {
        return NONE.to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    let last = exponent(value) - i32::from(digits.max(1)) + 1;
    to_place(value, last)
}

/// Formats `value` with `digits` significant digits, without trailing zeros: 0.50 is 0.5.
pub fn short(value: f64, digits: u8) -> String {
    let text = significant(value, digits);
    let (number, power) = text.split_at(text.find(" ×").unwrap_or(text.len()));
    if number.contains('.') {
        format!("{}{power}", number.trim_end_matches('0').trim_end_matches('.'))
    } else {
        text
    }
}

/// Formats a number that is promised or charged, such as an epsilon, rounded up to three significant digits: 1.3646 is 1.37.
pub fn at_most(value: f64) -> String {
    const DIGITS: u8 = 3;
    if !(value.is_finite() && value > 0.0) {
        return short(value, DIGITS);
    }
    let place = libm::pow(10.0, f64::from(exponent(value) - i32::from(DIGITS) + 1));
    // Subtracts a small amount, so that a number with few digits is not rounded up by a rounding error.
    short((value / place - 1e-9).ceil() * place, DIGITS)
}

/// An estimate with its interval, all to the place that the standard error resolves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The estimate.
    pub estimate: String,
    /// The standard error.
    pub std_error: String,
    /// The interval as `lower to upper`, or [`NONE`].
    pub interval: String,
}

/// By which part of itself an end of an interval changes at most when it is rounded as its estimate is.
const MOST_ROUNDED: f64 = 0.2;

/// Writes an estimate so that its last digit is the second one of its standard error.
pub fn row(entry: &Estimate) -> Row {
    let Estimate { estimate, std_error, lower, upper, .. } = *entry;
    let place = std_error
        .filter(|error| error.is_finite() && *error > 0.0)
        .map(|error| exponent(error) - 1)
        .or_else(|| estimate.filter(|value| *value != 0.0).map(|value| exponent(value) - 1))
        .unwrap_or(-3);
    let write = |value: Option<f64>| {
        value
            .filter(|value| value.is_finite())
            .map_or_else(|| NONE.to_owned(), |value| to_place(value, place))
    };
    // On which side of 0, or of a ratio of 1, an interval ends has to be seen.
    let unit = libm::exp10(f64::from(place));
    let is_lost = |end: f64| ((end / unit).round() * unit - end).abs() > MOST_ROUNDED * end.abs();
    let end = |value: Option<f64>| match value {
        Some(end) if end.is_finite() && is_lost(end) => to_place(end, exponent(end) - 1),
        value => write(value),
    };
    let interval = match (lower, upper) {
        (Some(_), Some(_)) => format!("{} to {}", end(lower), end(upper)),
        _ => NONE.to_owned(),
    };
    Row { estimate: write(estimate), std_error: write(std_error), interval }
}

/// Writes a number without an interval as [`row`] does.
pub fn with_error(estimate: Option<f64>, std_error: Option<f64>) -> Row {
    row(&Estimate { estimate, std_error, ..Estimate::WITHHELD })
}

/// Formats a power of ten for an axis: 10⁴ from ten thousand on and below a thousandth, else as a number.
pub fn power(value: f64) -> String {
    if value > 0.0 && !(1e-3..1e4).contains(&value) {
        let written = format!("{value:e}");
        if let Some(("1", power)) = written.split_once('e') {
            return format!("10{}", raised(power));
        }
    }
    short(value, 2)
}

/// Formats a share from 0 to 1 as a percentage: `0 %` and `100 %` only within a millionth.
pub fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    match percent {
        p if !p.is_finite() => NONE.to_owned(),
        p if p < 1e-4 => "0 %".to_owned(),
        p if p < 0.9995 => "below 1 %".to_owned(),
        p if p > 99.0 && p < 100.0 - 1e-4 => "above 99 %".to_owned(),
        p => format!("{p:.0} %"),
    }
}

/// Bytes in the unit that gives at most three digits.
pub fn bytes(count: f64) -> String {
    let (value, unit) = match count {
        c if c < 1e3 => (c, "bytes"),
        c if c < 1e6 => (c / 1e3, "kB"),
        c if c < 1e9 => (c / 1e6, "MB"),
        c => (c / 1e9, "GB"),
    };
    if unit == "bytes" || value >= 100.0 {
        format!("{value:.0} {unit}")
    } else {
        format!("{value:.1} {unit}")
    }
}

/// Returns the power of ten of the first significant digit.
fn exponent(value: f64) -> i32 {
    #[expect(clippy::cast_possible_truncation, reason = "the logarithm of a double is at most 309")]
    let power = libm::floor(libm::log10(value.abs())) as i32;
    power
}

/// Rounds `value` to a multiple of `10^place`.
fn to_place(value: f64, place: i32) -> String {
    let size = value.abs();
    let beyond =
        size >= LARGE || -place > MOST_DECIMALS.max(2 - exponent(value.abs().max(f64::MIN_POSITIVE)));
    let tiny = size > 0.0 && size < 1e-4;
    if size == 0.0 && beyond {
        return "0".to_owned();
    }
    let mut text = String::new();
    if value < 0.0 {
        text.push('−');
    }
    if size >= LARGE || tiny || beyond && size < 1e-3 {
        let power = exponent(value);
        let decimals = usize::try_from((power - place).clamp(0, 6)).unwrap_or(0);
        // Exact, where a division by a power of ten would leave the doubles below 1e-308.
        let written = format!("{size:.decimals$e}");
        let (number, power) = written.split_once('e').unwrap_or((&written, "0"));
        let _ = write!(text, "{number} × 10{}", raised(power));
        return text;
    }
    let decimals = usize::try_from((-place).clamp(0, 12)).unwrap_or(0);
    let rounded = if place > 0 {
        let step = libm::pow(10.0, f64::from(place));
        libm::round(size / step) * step
    } else {
        size
    };
    if decimals == 0 {
        text.push_str(&grouped(rounded));
    } else {
        let _ = write!(text, "{rounded:.decimals$}");
    }
    // A value that rounds to nothing has no sign.
    if text.trim_start_matches('−').chars().all(|c| matches!(c, '0' | '.')) {
        text = text.trim_start_matches('−').to_owned();
    }
    text
}

fn raised(power: &str) -> String {
    power
        .chars()
        .map(|c| match c {
            '-' => '⁻',
            '1' => '¹',
            '2' => '²',
            '3' => '³',
            c => c.to_digit(10).and_then(|digit| char::from_u32(0x2070 + digit)).unwrap_or(c),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_is_never_understated() {
        for (value, expected) in [
            (1.364_624, "1.37"),
            (1.0, "1"),
            (0.1, "0.1"),
            (8.0, "8"),
            (9.999, "10"),
            (0.0585, "0.0585"),
            (1e-6, "1 × 10⁻⁶"),
            (0.0, "0"),
        ] {
            assert_eq!(at_most(value), expected);
        }
    }

    #[test]
    fn writes_significant_digits_that_say_something() {
        for (value, digits, expected) in [
            (0.0, 3, "0"),
            (0.2367, 2, "0.24"),
            (-0.2367, 3, "−0.237"),
            (123.456, 2, "120"),
            (12_345.6, 5, "12\u{202f}346"),
            (1e12, 2, "1.0 × 10¹²"),
            (-1.25e-12, 3, "−1.25 × 10⁻¹²"),
            (f64::NAN, 3, NONE),
        ] {
            assert_eq!(significant(value, digits), expected, "{value}");
        }
        assert_eq!(short(0.5, 3), "0.5");
        assert_eq!([0.0, 1e-4, 1e-3, 1.0, 1e3, 1e4].map(power), ["0", "10⁻⁴", "0.001", "1", "1000", "10⁴"]);
        assert_eq!(short(100.0, 2), "100");
        assert_eq!(short(5e-6, 4), "5 × 10⁻⁶");
    }

    fn entry(estimate: f64, std_error: f64, lower: f64, upper: f64) -> Estimate {
        Estimate {
            estimate: Some(estimate),
            std_error: Some(std_error),
            lower: Some(lower),
            upper: Some(upper),
            ..Estimate::WITHHELD
        }
    }

    #[test]
    fn an_estimate_ends_where_its_standard_error_does() {
        let row = row(&entry(0.482_13, 0.031_2, 0.421, 0.543_2));
        assert_eq!(row.estimate, "0.482");
        assert_eq!(row.std_error, "0.031");
        assert_eq!(row.interval, "0.421 to 0.543");
        let row = with_error(Some(-101.23), Some(210.0));
        assert_eq!((row.estimate.as_str(), row.interval.as_str()), ("−100", NONE));
    }

    #[test]
    fn tiny_and_huge_estimates_keep_their_digits() {
        let row = row(&entry(1.234e-12, 2.0e-13, 8.34e-13, 1.634e-12));
        assert_eq!(row.estimate, "1.23 × 10⁻¹²");
        let row = with_error(Some(1.234e12), Some(2.0e10));
        assert_eq!(row.estimate, "1.234 × 10¹²");
    }

    #[test]
    fn numbers_at_the_ends_of_the_doubles_are_numbers() {
        let row = row(&entry(0.0, 5e-324, -5e-324, f64::MAX));
        assert_eq!((row.estimate.as_str(), row.std_error.as_str()), ("0", "4.9 × 10⁻³²⁴"));
        assert_eq!(row.interval, "−4.9 × 10⁻³²⁴ to 1.797693 × 10³⁰⁸");
        assert_eq!(with_error(Some(-0.0), Some(5e-324)).estimate, "0");
        assert_eq!(significant(9.999e-12, 2), "1.0 × 10⁻¹¹");
    }

    #[test]
    fn what_rounds_to_nothing_has_no_sign() {
        assert_eq!(with_error(Some(-0.000_2), Some(0.31)).estimate, "0.00");
    }

    #[test]
    fn an_interval_shows_on_which_side_of_0_it_ends() {
        let written = |lower, upper| row(&entry(2.2, 1.1, lower, upper)).interval;
        assert_eq!(written(-0.029, 4.4), "\u{2212}0.029 to 4.4");
        assert_eq!(written(-0.09, 4.4), "\u{2212}0.1 to 4.4");
        assert_eq!(written(0.0, 4.4), "0.0 to 4.4");
        // A ratio that may be below 1.
        assert_eq!(row(&entry(19.7, 33.6, 0.704, 558.2)).interval, "0.70 to 558");
    }

    #[test]
    fn percentages_do_not_claim_nothing_or_all() {
        for (share, expected) in [
            (0.0, "0 %"),
            (0.004, "below 1 %"),
            (0.41, "41 %"),
            (0.997, "above 99 %"),
            (1.0, "100 %"),
            (1e-9, "0 %"),
            (1.0 - 1e-9, "100 %"),
            (0.009_999_9, "1 %"),
        ] {
            assert_eq!(percent(share), expected);
        }
    }
}
