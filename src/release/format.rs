//! Formats numbers for people, in the same way on the page, in the report and on the command line.
//!
//! A minus sign is the real one (U+2212), digits are not grouped below ten thousand, and very large or small numbers
//! are written as a power of ten.

use std::fmt::Write;

use crate::model::Estimate;
use crate::plan::Plan;
pub use crate::text::grouped;
use crate::words;

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

/// Formats the level of a plan's intervals in percent: `95`.
pub fn level(plan: &Plan) -> String {
    short(100.0 * plan.interval_level(), 3)
}

/// Formats `value` with `digits` significant digits, without trailing zeros: 0.50 is 0.5.
pub fn short(value: f64, digits: u8) -> String {
    let text = significant(value, digits);
    let (number, power) = text.split_at(text.find("\u{a0}×").unwrap_or(text.len()));
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

/// By which part of itself an end of an interval, or a ratio, changes at most when it is rounded as the others are.
const MOST_ROUNDED: f64 = 0.2;

/// The last digit of an end of an interval that is rounded less than the others, unless theirs is smaller.
const FINEST_END: i32 = -4;

/// Writes an estimate so that its last digit is the second one of its standard error. An end of the interval nearer to 0 than its last digit
/// is written as one unit of that digit.
pub fn row(entry: &Estimate) -> Row {
    let Estimate { estimate, std_error, .. } = *entry;
    let place = std_error
        .filter(|error| error.is_finite() && *error > 0.0)
        .map(|error| exponent(error) - 1)
        .or_else(|| estimate.filter(|value| *value != 0.0).map(|value| exponent(value) - 1))
        .unwrap_or(-3);
    // On which side of 0 an interval ends has to be seen, which needs no power of ten beside larger numbers.
    let finest = place.min(FINEST_END);
    let end = |end: f64| {
        if !is_lost(end, place) {
            return write(Some(end), place);
        }
        let seen = end.abs().max(libm::exp10(f64::from(finest))).copysign(end);
        write(Some(seen), (exponent(seen) - 1).max(finest))
    };
    let interval = interval(entry, end);
    Row { estimate: write(estimate, place), std_error: write(std_error, place), interval }
}

/// Decimals of a ratio in a journal.
const RATIO_DECIMALS: i32 = 2;

/// Ratios that are written as numbers. Others are told as below or above these.
const RATIOS: std::ops::RangeInclusive<f64> = 1e-6..=1e6;

/// How many units of its last digit the interval of a ratio is wide, at least and at most.
const RATIO_WIDTH: [f64; 2] = [2.0, 1000.0];

/// Writes a ratio, such as one of odds, with its interval as a journal does: all with two decimals, with more where the interval is narrower
/// than two units of the last one, and with fewer where it is a thousand wide. What that would change by more than a fifth has two
/// significant digits, and an end beside 1 as many as tell it from 1. A ratio below a millionth or above a million is told to be that. The row
/// has no standard error.
pub fn ratio(entry: &Estimate) -> Row {
    let Estimate { estimate, lower, upper, .. } = *entry;
    let width = lower.zip(upper).map(|(lower, upper)| upper - lower);
    let place = width.filter(|width| width.is_finite() && *width > 0.0).map_or(-RATIO_DECIMALS, |width| {
        let [finest, coarsest] = RATIO_WIDTH.map(|units| exponent(width / units));
        (-RATIO_DECIMALS).min(finest).max(coarsest + 1)
    });
    let own = |value: f64| if is_lost(value, place) { exponent(value) - 1 } else { place };
    let is_one = |value: f64, place: i32| (rounded(value, place) - 1.0).abs() < 1e-9;
    let end = |value: f64| {
        let places = (-MOST_DECIMALS..=own(value)).rev();
        let apart = places.into_iter().find(|place| !is_one(value, *place));
        apart.filter(|_| is_one(value, place)).unwrap_or_else(|| own(value))
    };
    let written = |value: f64, place: &dyn Fn(f64) -> i32| match value {
        _ if value < *RATIOS.start() => words::journal::ratio_below().to_owned(),
        _ if value > *RATIOS.end() => words::journal::ratio_above().to_owned(),
        // Without a power of ten.
        _ if value < 1e-4 => format!("{value:.0$}", usize::try_from(-place(value)).unwrap_or(0)),
        _ => write(Some(value), place(value)),
    };
    Row {
        estimate: estimate.map_or_else(|| NONE.to_owned(), |estimate| written(estimate, &own)),
        std_error: NONE.to_owned(),
        interval: interval(entry, |value| written(value, &end)),
    }
}

/// Writes an interval by a function that writes an end.
fn interval(entry: &Estimate, end: impl Fn(f64) -> String) -> String {
    match (entry.lower, entry.upper) {
        (Some(lower), Some(upper)) => format!("{} to {}", end(lower), end(upper)),
        _ => NONE.to_owned(),
    }
}

fn write(value: Option<f64>, place: i32) -> String {
    value.filter(|value| value.is_finite()).map_or_else(|| NONE.to_owned(), |value| to_place(value, place))
}

fn rounded(value: f64, place: i32) -> f64 {
    let unit = libm::exp10(f64::from(place));
    (value / unit).round() * unit
}

/// Returns whether a number changes by more than a part of itself where it is rounded to this place.
fn is_lost(value: f64, place: i32) -> bool {
    (rounded(value, place) - value).abs() > MOST_ROUNDED * value.abs()
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
    let tiny = size > 0.0 && size < 1e-4 && place < FINEST_END;
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
        let _ = write!(text, "{number}\u{a0}×\u{a0}10{}", raised(power));
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
            (1e-6, "1\u{a0}×\u{a0}10⁻⁶"),
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
            (1e12, 2, "1.0\u{a0}×\u{a0}10¹²"),
            (-1.25e-12, 3, "−1.25\u{a0}×\u{a0}10⁻¹²"),
            (f64::NAN, 3, NONE),
        ] {
            assert_eq!(significant(value, digits), expected, "{value}");
        }
        assert_eq!(short(0.5, 3), "0.5");
        assert_eq!([0.0, 1e-4, 1e-3, 1.0, 1e3, 1e4].map(power), ["0", "10⁻⁴", "0.001", "1", "1000", "10⁴"]);
        assert_eq!(short(100.0, 2), "100");
        assert_eq!(short(5e-6, 4), "5\u{a0}×\u{a0}10⁻⁶");
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
        assert_eq!(row.estimate, "1.23\u{a0}×\u{a0}10⁻¹²");
        let row = with_error(Some(1.234e12), Some(2.0e10));
        assert_eq!(row.estimate, "1.234\u{a0}×\u{a0}10¹²");
    }

    #[test]
    fn numbers_at_the_ends_of_the_doubles_are_numbers() {
        let row = row(&entry(0.0, 5e-324, -5e-324, f64::MAX));
        assert_eq!((row.estimate.as_str(), row.std_error.as_str()), ("0", "4.9\u{a0}×\u{a0}10⁻³²⁴"));
        assert_eq!(row.interval, "−4.9\u{a0}×\u{a0}10⁻³²⁴ to 1.797693\u{a0}×\u{a0}10³⁰⁸");
        assert_eq!(with_error(Some(-0.0), Some(5e-324)).estimate, "0");
        assert_eq!(significant(9.999e-12, 2), "1.0\u{a0}×\u{a0}10⁻¹¹");
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
    }

    #[test]
    fn a_ratio_has_the_decimals_that_its_interval_justifies() {
        for ([estimate, lower, upper], expected) in [
            ([1.04, 1.030_6, 1.049_4], "1.040 (1.031 to 1.049)"),
            ([1.04, 1.02, 1.06], "1.04 (1.02 to 1.06)"),
            ([1.04, 1.039_8, 1.040_2], "1.0400 (1.0398 to 1.0402)"),
            ([1.893, 1.31, 2.734], "1.89 (1.31 to 2.73)"),
            ([1.9, 0.304, 11.9], "1.9 (0.3 to 11.9)"),
            // On which side of 1 it ends is seen.
            ([19.7, 0.704, 558.2], "20 (0.70 to 558)"),
            ([1.1, 1.003, 1.207], "1.10 (1.003 to 1.21)"),
            ([0.9, 0.8, 0.999_7], "0.90 (0.80 to 0.9997)"),
            ([1.1, 1.0, 1.21], "1.10 (1.00 to 1.21)"),
            ([0.05, 0.014_9, 0.168], "0.05 (0.015 to 0.17)"),
            ([3_300.0, 41.0, 265_000.0], "3000 (41 to 265\u{202f}000)"),
        ] {
            let written = ratio(&entry(estimate, 0.1, lower, upper));
            assert_eq!(format!("{} ({})", written.estimate, written.interval), expected);
        }
        let withheld = Estimate { estimate: Some(1.934), ..Estimate::WITHHELD };
        assert_eq!(
            (ratio(&withheld).estimate, ratio(&withheld).interval),
            ("1.93".to_owned(), NONE.to_owned())
        );
        assert_eq!(ratio(&Estimate::WITHHELD).estimate, NONE);
    }

    #[test]
    fn a_ratio_beyond_a_million_is_told_to_be_above_it() {
        for ([estimate, lower, upper], expected) in [
            ([1e-127, 0.0, 0.3], "below 0.000001 (below 0.000001 to 0.30)"),
            ([3.0, 1e-9, f64::INFINITY], "3.00 (below 0.000001 to above 1\u{202f}000\u{202f}000)"),
            ([0.000_034_1, 0.000_001_24, 0.000_93], "0.000034 (0.0000012 to 0.0009)"),
            ([900_000.0, 4_000.0, 1e6], "900\u{202f}000 (4000 to 1\u{202f}000\u{202f}000)"),
        ] {
            let written = ratio(&entry(estimate, 0.1, lower, upper));
            assert_eq!(format!("{} ({})", written.estimate, written.interval), expected);
        }
        assert_eq!(ratio(&entry(f64::NAN, 0.1, f64::NAN, 1.0)).interval, "– to 1.00");
    }

    /// A column of a telephone has no room for them.
    #[test]
    fn log_odds_need_no_power_of_ten() {
        let sizes = [1e-9, 3e-5, 0.2, 1.0, 9.0, 291.0, 700.0];
        for estimate in sizes.iter().flat_map(|size| [-size, *size]) {
            for error in [0.001, 0.03, 0.5, 20.0, 1_000.0, 4e5] {
                let ends = [-1e-9, -3e-5, 0.0, 1e-12].map(|end| (end, end + 3.92 * error));
                for (lower, upper) in ends.into_iter().chain([(estimate - error, estimate + error)]) {
                    let Row { estimate, std_error, interval } = row(&entry(estimate, error, lower, upper));
                    let all = format!("{estimate} {std_error} {interval}");
                    assert!(!all.contains('×'), "{all}");
                    // On which side of 0 it ends is seen.
                    assert_eq!(lower < 0.0, interval.starts_with('−'), "{lower}: {interval}");
                    assert!(
                        lower == 0.0
                            || interval.split(' ').next().unwrap().contains(|c| ('1'..='9').contains(&c))
                    );
                }
            }
        }
        assert_eq!(row(&entry(2.2, 1.1, -0.000_02, 4.4)).interval, "−0.0001 to 4.4");
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
