//! Reads one field as one number.

use std::borrow::Cow;

use super::dates::years;
use crate::plan::number_format::NumberFormat;
use crate::privacy::mutants::{Mutant, is_active};

/// Returns the number in a field, or `None` if the field counts as missing.
///
/// A number has digits, at most one decimal mark, and optionally a sign and an exponent; separators between groups of three digits and
/// a percent sign where the format has them. Outer white space and one sign or abbreviation of a currency are ignored, and full-width
/// digits are digits. Nothing else is a number: no `inf`, no `nan`, no hexadecimal, and no number beyond the largest finite one. The result is
/// the nearest double, ties to even; `12 %` is 12. Where the format is that of dates, only dates in its order are numbers: years.
pub fn parse(field: &str, format: NumberFormat) -> Option<f64> {
    if let Some(order) = format.date {
        return years(field, order);
    }
    let plain = |text: &str| short(text.as_bytes(), 0, format.decimal).or_else(|| long(text, format.decimal));
    short(field.as_bytes(), 0, format.decimal).or_else(|| {
        let field = half_width(field);
        let text = without_currency(field.trim());
        plain(text).or_else(|| plain(&stripped(text, format)?))
    })
}

/// Signs of currencies that may stand before or after a number.
pub(super) const CURRENCIES: [char; 4] = ['€', '$', '£', '¥'];

/// Abbreviations that may stand there, too, in the countries where these are written in tables.
const CURRENCY_NAMES: [&str; 16] =
    ["R$", "US$", "A$", "C$", "EUR", "USD", "GBP", "CHF", "Fr.", "kr", "kr.", "zł", "Kč", "Ft", "lei", "円"];

/// Returns a text without the currency that stands before or after its number.
fn without_currency(text: &str) -> &str {
    let of_name = || {
        let before = CURRENCY_NAMES.iter().find_map(|name| text.strip_prefix(name));
        before.or_else(|| CURRENCY_NAMES.iter().find_map(|name| text.strip_suffix(name)))
    };
    let amount = text.strip_prefix(CURRENCIES).or_else(|| text.strip_suffix(CURRENCIES)).or_else(of_name);
    amount.map_or(text, str::trim)
}

/// Returns a text with the full-width forms of East Asian typing, such as `１２．５`, as their plain ones.
fn half_width(text: &str) -> Cow<'_, str> {
    let is_wide = |letter: char| ('！'..='～').contains(&letter);
    if text.is_ascii() || !text.contains(is_wide) {
        return Cow::Borrowed(text);
    }
    let plain = |letter: char| match u32::from(letter).checked_sub(0xFEE0).and_then(char::from_u32) {
        Some(plain) if is_wide(letter) => plain,
        _ => letter,
    };
    text.chars().map(plain).collect()
}

/// Returns the number in a text with a decimal point or, failing that, with a decimal comma.
pub fn parse_either(text: &str) -> Option<f64> {
    parse(text, NumberFormat::plain(b'.')).or_else(|| parse(text, NumberFormat::plain(b',')))
}

/// Returns a text without the percent sign and the separators of thousands that the format has. `None` where it has neither, or
/// where the separated groups do not have three digits.
fn stripped(text: &str, format: NumberFormat) -> Option<String> {
    let text = match text.strip_suffix('%') {
        Some(number) if format.percent => number.trim_end(),
        _ => text,
    };
    let Some(thousands) = format.thousands else { return format.percent.then(|| text.to_owned()) };
    let end = text.find([char::from(format.decimal), 'e', 'E']).unwrap_or(text.len());
    let (whole, rest) = text.split_at(end);
    let is_separator = |character| thousands.is(character);
    let mut groups = whole.trim_start_matches(['+', '-']).split(is_separator);
    let first = groups.next().unwrap_or_default();
    let is_grouped = (1..=3).contains(&first.len()) && groups.all(|group| group.len() == 3);
    (is_grouped || !whole.contains(is_separator)).then(|| whole.replace(is_separator, "") + rest)
}

/// Returns the number at the end of a text, from `start` on. `None` unless it is of the usual kind, at most 15 characters after
/// its sign and no exponent. What is before it does not matter.
///
/// Its digits as an integer and the power of ten that divides it are both exact doubles, so one division rounds correctly.
#[inline]
pub(super) fn short(text: &[u8], start: usize, decimal: u8) -> Option<f64> {
    let number = short_or_nan(text, start, decimal);
    (!number.is_nan()).then_some(number)
}

/// Returns the same as one number, which a processor's register holds.
#[inline(never)]
fn short_or_nan(text: &[u8], start: usize, decimal: u8) -> f64 {
    read_short(text, start, decimal).unwrap_or(f64::NAN)
}

#[inline]
fn read_short(text: &[u8], start: usize, decimal: u8) -> Option<f64> {
    // Without branches, because signs cannot be predicted.
    let sign = *text.get(start)?;
    let negative = sign == b'-';
    let start = start + usize::from(negative | (sign == b'+'));
    let length = text.len() - start;
    if !(1..=DIGITS).contains(&length) {
        return None;
    }
    let digits = match text.last_chunk() {
        Some(word) => {
            let last = eight(u64::from_le_bytes(*word), length, decimal)?;
            if length > 8 { joined(&text[start..text.len() - 8], &last, decimal)? } else { last }
        }
        None => joined(&text[start..], &Digits { integer: 0, scale: 1, fraction: 0 }, decimal)?,
    };
    let value = digits.integer.cast_signed() as f64 / POWERS.get(digits.fraction)?;
    Some(f64::from_bits(value.to_bits() | u64::from(negative) << 63))
}

/// Digits, at least one, with a decimal mark or without.
struct Digits {
    /// The integer that they are without the mark.
    integer: u64,
    /// Ten to the power of their number.
    scale: u64,
    /// The number of digits after the mark.
    fraction: usize,
}

/// Reads the last `length` of the eight characters of a word, or all, the first in the lowest byte. `None` if there is another character.
#[inline]
fn eight(word: u64, length: usize, decimal: u8) -> Option<Digits> {
    // Zeros in front.
    let others = 64_usize.saturating_sub(8 * length);
    let digits = (word ^ (ONES * u64::from(b'0'))) >> others << others;
    // The bytes above 9. One above 0x89 may mark the next one, too, but there is no number then.
    let marks = (digits | digits.wrapping_add(ONES * 0x76)) & HIGH;
    let (digits, scale, fraction) = if marks == 0 {
        (digits, 100_000_000, 0)
    } else {
        let place = marks.trailing_zeros() / 8;
        let (before, after) = (digits & !(u64::MAX << (8 * place)), digits >> (8 * place));
        let is_decimal = after.to_le_bytes()[0] ^ b'0' == decimal;
        if !is_decimal || marks & (marks - 1) != 0 || length == 1 {
            return None;
        }
        // Without its mark the word has seven digits, and a zero in front.
        let after = after >> 8 << (8 * place);
        ((before | after) << 8, 10_000_000, 7 - place as usize)
    };
    // Two digits, four, eight: each step joins neighbours (the lower one counts more).
    let pairs = (digits * 10 + (digits >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs * 100 + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    Some(Digits { integer: (fours * 10_000 + (fours >> 32)) & 0xffff_ffff, scale, fraction })
}

/// Joins the characters before the last eight, fewer than eight, with the last ones.
#[inline(never)]
fn joined(text: &[u8], last: &Digits, decimal: u8) -> Option<Digits> {
    let after = last.scale.ilog10() as usize;
    let (mut integer, mut scale, mut mark) = (0, last.scale, (after == 7).then_some(last.fraction));
    for (place, &byte) in text.iter().enumerate() {
        let digit = byte.wrapping_sub(b'0');
        if digit < 10 {
            integer = integer * 10 + u64::from(digit);
            scale *= 10;
        } else if byte == decimal && mark.is_none() {
            mark = Some(text.len() - place - 1 + after);
        } else {
            return None;
        }
    }
    let integer = integer * last.scale + last.integer;
    (scale > 1).then_some(Digits { integer, scale, fraction: mark.unwrap_or_default() })
}

/// A word whose bytes are all 1.
const ONES: u64 = u64::MAX / 0xff;
/// The highest bit of each byte.
const HIGH: u64 = ONES << 7;

/// The most characters of a short number after its sign.
const DIGITS: usize = 15;

/// 10^0, 10^1, …, each exact.
const POWERS: [f64; DIGITS] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14];

/// Reads any number by the standard library, which rounds correctly.
fn long(text: &str, decimal: u8) -> Option<f64> {
    let plain = |byte: u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'e' | b'E') || byte == decimal;
    // This excludes the letters of `inf` and `nan`, which the standard library accepts.
    if text.is_empty() || !text.bytes().all(plain) && !is_active(Mutant::NanUnmapped) {
        return None;
    }
    let number: f64 = if decimal == b'.' {
        text.parse().ok()?
    } else {
        text.replace(char::from(decimal), ".").parse().ok()?
    };
    (number.is_finite() || is_active(Mutant::NanUnmapped)).then_some(number)
}

#[cfg(test)]
#[expect(clippy::cast_possible_truncation, reason = "random digits")]
mod tests {
    use super::{DIGITS, NumberFormat, long, parse, short};
    use crate::plan::number_format::Thousands;

    const POINT: NumberFormat = NumberFormat::plain(b'.');
    const COMMA: NumberFormat = NumberFormat::plain(b',');

    #[test]
    fn reads_what_a_plan_calls_a_number() {
        for (text, value) in [
            ("1", 1.0),
            (" +1.50 ", 1.5),
            ("\u{a0}-2\t", -2.0),
            (".5", 0.5),
            ("5.", 5.0),
            ("1e3", 1000.0),
            ("1E-3", 0.001),
            ("-0", 0.0),
            ("9223372036854775808", 9_223_372_036_854_775_808.0),
            ("1e-400", 0.0),
            ("0.1", 0.1),
            ("2.2250738585072011e-308", 2.225_073_858_507_201e-308),
            ("R$ 4.5", 4.5),
            ("40 kr", 40.0),
            ("-7 EUR", -7.0),
            ("１２．５", 12.5),
            ("－３", -3.0),
            ("9007199254740993", 9_007_199_254_740_992.0),
            ("9007199254740993.0000000000000000000000000000000000001", 9_007_199_254_740_994.0),
        ] {
            assert_eq!(parse(text, POINT), Some(value), "{text}");
        }
        assert!(parse("-0", POINT).is_some_and(|zero| zero.is_sign_negative()));
    }

    #[test]
    fn everything_else_is_missing() {
        for text in [
            "", "  ", ".", "+", "-", "e", "e5", "1e", "1e+", "1e400", "-1e400", "inf", "-Infinity", "nan",
            "NaN", "NAN", "-nan", "nan(0x1)", "0x10", "1_000", "1,5", "1,000.5", "1 000", "1'000", "1.2.3",
            "--1", "+-1", "1-", "12kg", "\u{2212}1", "\u{0661}", "1f64", "1d3", "1#INF", "TRUE", "$", "$5$",
            "R$", "5 kg", "１２歳", "5%", "1/2",
        ] {
            assert_eq!(parse(text, POINT), None, "{text}");
        }
    }

    #[test]
    fn a_decimal_comma_excludes_the_point() {
        assert_eq!(parse("1,5", COMMA), Some(1.5));
        assert_eq!(parse(" -,25e1 ", COMMA), Some(-2.5));
        assert_eq!(parse("15", COMMA), Some(15.0));
        for text in ["1.5", "1.000,5", "1,000,5", ",", "1;5"] {
            assert_eq!(parse(text, COMMA), None, "{text}");
        }
    }

    #[test]
    fn separators_of_thousands_stand_between_groups_of_three() {
        let format =
            |decimal, thousands| NumberFormat { thousands: Some(thousands), ..NumberFormat::plain(decimal) };
        for (format, written, refused) in [
            (
                format(b'.', Thousands::Comma),
                "1,234.5",
                ["1,23.5", "1234,5", ",234.5", "1,234,5", "1.2,345", "1,+23.5"],
            ),
            (
                format(b',', Thousands::Point),
                "1.234,5",
                ["1.23,5", "1,234.5", ".234,5", "12.34.567", "1234.5", "1..234"],
            ),
            (
                format(b',', Thousands::Space),
                "1\u{202f}234,5",
                ["1 23,5", "1 e3", "1  234", "- 1 234", "1\u{2003}234", "1'234"],
            ),
            (
                format(b'.', Thousands::Apostrophe),
                "1’234.5",
                ["1'23", "'234", "1234'", "1''234", "1,234", "1 234"],
            ),
        ] {
            let mark = format.thousands.map(Thousands::mark).unwrap_or_default();
            assert_eq!(parse(written, format), Some(1234.5), "{written}");
            assert_eq!(parse(&format!(" -1{mark}234{mark}567e-1 "), format), Some(-123_456.7));
            assert_eq!(parse("1234", format), Some(1234.0));
            for text in refused {
                assert_eq!(parse(text, format), None, "{text}");
            }
            assert_eq!(parse(written, NumberFormat::plain(format.decimal)), None);
        }
    }

    #[test]
    fn a_percent_sign_is_a_unit() {
        let percent = NumberFormat { percent: true, ..COMMA };
        for text in ["12,5%", "12,5 %", " 12,5\u{202f}% ", "12,5"] {
            assert_eq!(parse(text, percent), Some(12.5), "{text}");
        }
        for text in ["%", " %", "12,5%%", "%12,5", "12,5 % ca", "-%"] {
            assert_eq!(parse(text, percent), None, "{text}");
        }
        let both = NumberFormat { thousands: Some(Thousands::Point), ..percent };
        assert_eq!(parse("1.234,5 %", both), Some(1234.5));
        assert_eq!(parse("1.234,5 €", both), Some(1234.5));
        assert_eq!(parse("$5", POINT), Some(5.0));
        assert_eq!(parse("1234,5 %", both), Some(1234.5));
        assert_eq!(parse("12,5%", COMMA), None);
    }

    #[test]
    #[cfg_attr(miri, ignore = "reads 200,000 numbers")]
    fn the_short_way_rounds_as_the_standard_library_does() {
        let mut state = 1_u64;
        let mut short_ones = 0;
        for _ in 0..200_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // A sign, up to 16 digits, and a mark somewhere among them or beyond.
            let digits = (state >> 20).to_string();
            let digits = &digits[..digits.len().min(1 + (state >> 8) as usize % 16)];
            let (left, right) = digits.split_at(digits.len().min((state >> 3) as usize % 18));
            let text = format!("{}{left}.{right}", ["", "-", "+"][state as usize % 3]);
            let before = &"1-,;.é\n27,-+0,.,"[..[0, 1, 4, 10, 17][(state >> 40) as usize % 5]];
            let value = short(format!("{before}{text}").as_bytes(), before.len(), b'.');
            let expected = long(&text, b'.').map(f64::to_bits);
            if let Some(value) = value {
                short_ones += 1;
                assert_eq!(Some(value.to_bits()), expected, "{text}");
            }
            let is_short = text.trim_start_matches(['-', '+']).len() <= DIGITS;
            assert_eq!(value.is_some(), is_short && expected.is_some(), "{before}{text}");
        }
        assert!(short_ones > 100_000, "{short_ones}");
        for text in ["-0", "+.0", "000.10", "999999999999999", ".", "-", "-.", ""] {
            let expected = long(text, b'.').map(f64::to_bits);
            for before in ["", "7", "1.5,-2.5,"] {
                let value = short(format!("{before}{text}").as_bytes(), before.len(), b'.');
                assert_eq!(value.map(f64::to_bits), expected, "{before}{text}");
            }
        }
    }
}
