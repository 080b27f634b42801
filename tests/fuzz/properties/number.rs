//! A cell is the number that the grammar says, rounded to the nearest double, or none: worked out again by whole numbers.
//!
//! The first byte chooses the format.

use dashu_int::UBig;
use discreet::data::number::parse;
use discreet::plan::number_format::{DateOrder, NumberFormat, Thousands};

use super::common::split;

pub fn holds(data: &[u8]) {
    let ([setting], text) = split(data);
    let Ok(text) = std::str::from_utf8(&text[..text.len().min(400)]) else { return };
    for order in DateOrder::ALL {
        let years = parse(text, NumberFormat::years(order));
        assert!(years.is_none_or(|years| (0.0..10_000.0).contains(&years)), "{text:?} is {years:?}");
    }
    let decimal = if setting & 1 == 0 { b'.' } else { b',' };
    let thousands = Thousands::ALL.get(usize::from(setting >> 1 & 7)).copied();
    let thousands = thousands.filter(|thousands| !thousands.is(char::from(decimal)));
    let format = NumberFormat { thousands, percent: setting & 16 != 0, ..NumberFormat::plain(decimal) };
    let found = parse(text, format);
    let plain = ungrouped(text.trim(), format);
    let Some((negative, digits, exponent)) = plain.and_then(|text| grammar(&text, decimal)) else {
        assert_eq!(found, None, "{text:?} is no number");
        return;
    };
    let size = i64::try_from(digits.len()).unwrap().saturating_add(exponent);
    if digits.is_empty() || size < -400 {
        let zero = found.expect("zero is a number");
        assert!(zero == 0.0 && zero.is_sign_negative() == negative, "{text:?} is {zero}");
    } else if size > 400 {
        assert_eq!(found, None, "{text:?} is beyond the doubles");
    } else {
        let integer = UBig::from_str_radix(&digits, 10).unwrap();
        let power = |exponent: i64| UBig::from(10_u8).pow(usize::try_from(exponent).unwrap_or(0));
        assert_nearest(text, found, negative, &(integer * power(exponent)), &power(-exponent));
    }
}

/// The text without percent sign and separators; `None` where its digits would be separated in another way.
fn ungrouped(text: &str, format: NumberFormat) -> Option<String> {
    let text = if format.percent { text.strip_suffix('%').map_or(text, str::trim_end) } else { text };
    let is_separator = |c: char| format.thousands.is_some_and(|thousands| thousands.is(c));
    if !text.contains(is_separator) {
        return Some(text.to_owned());
    }
    let start = text.len() - text.trim_start_matches(['+', '-']).len();
    let end =
        text.find([char::from(format.decimal), 'e', 'E']).filter(|end| *end >= start).unwrap_or(text.len());
    let written = text[start..end].replace(is_separator, "_");
    let digits = text[start..end].replace(is_separator, "");
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.chars().count() - place) % 3 == 0 {
            grouped.push('_');
        }
        grouped.push(digit);
    }
    let same = written == grouped || !text[start..end].contains(is_separator);
    same.then(|| [&text[..start], &digits, &text[end..]].concat())
}

/// Sign, digits without leading zeros, and the power of ten of the last one.
fn grammar(text: &str, decimal: u8) -> Option<(bool, String, i64)> {
    let negative = text.starts_with('-');
    let text = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        None => (text, 0),
        Some((mantissa, exponent)) => {
            let below = exponent.starts_with('-');
            let digits = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
            if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                return None;
            }
            let size = digits.parse::<i64>().unwrap_or(i64::MAX).min(1_000_000);
            (mantissa, if below { -size } else { size })
        }
    };
    let (whole, fraction) = mantissa.split_once(char::from(decimal)).unwrap_or((mantissa, ""));
    let digits = [whole, fraction].concat();
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let last = exponent - i64::try_from(fraction.len()).unwrap();
    Some((negative, digits.trim_start_matches('0').to_owned(), last))
}

/// Whether a double is the one next to `numerator` / `denominator`, the even one where two are.
fn assert_nearest(text: &str, found: Option<f64>, negative: bool, numerator: &UBig, denominator: &UBig) {
    // The double is mantissa 2^(exponent - 1074); one beyond the largest stands for none.
    let bits = found.map_or(0x7ff << 52, |number| number.abs().to_bits());
    assert!(
        found.is_none_or(|number| number.is_finite() && number.is_sign_negative() == negative),
        "{text:?}"
    );
    let (mantissa, exponent) = match bits >> 52 {
        0 => (bits, 0),
        exponent => (bits & ((1 << 52) - 1) | 1 << 52, exponent - 1),
    };
    let exponent = usize::try_from(exponent).unwrap();
    // In halves of the last place of a double of this size; below a power of two the places are half as large.
    let value = numerator << 1076;
    let unit = |quarters: UBig| (quarters << exponent) * denominator;
    let quarters = UBig::from(mantissa) << 2;
    let above = unit(&quarters + UBig::from(2_u8));
    let step = if mantissa == 1 << 52 && exponent > 0 { 1_u8 } else { 2 };
    let below = (mantissa > 0).then(|| unit(&quarters - UBig::from(step)));
    let even = mantissa % 2 == 0;
    let high = found.is_none() || value < above || even && value == above;
    let low = below.is_none_or(|below| value > below || even && value == below);
    assert!(high && low, "{text:?} is not {found:?}");
}
