//! Sanitises text from users and files for messages, and writes bytes as text.

pub mod json;

use std::borrow::Cow;

use crate::words;

/// The mark of the order of bytes, which some programs write before a text, and by which a spreadsheet knows the letters of a CSV.
pub const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Returns the text on one line: characters that break a line, steer a terminal or turn the direction of reading are written as
/// escapes, all others as they are.
pub fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        if steers(c) { line.extend(c.escape_default()) } else { line.push(c) }
    }
    line
}

/// The most characters of a message.
const LONGEST: usize = 700;

/// Returns a message with at most 700 characters. The middle of a longer one is left out, because its end says what to do.
pub fn shortened(text: &str) -> Cow<'_, str> {
    let count = text.chars().count();
    if count <= LONGEST {
        return Cow::Borrowed(text);
    }
    let start: String = text.chars().take(LONGEST / 2 - 1).collect();
    let end: String = text.chars().skip(count - LONGEST / 2 + 2).collect();
    Cow::Owned(format!("{start} … {end}"))
}

/// Returns whether `c` is a control character, one of the two separators of Unicode or a mark of its bidirectional algorithm.
fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns the first names of a list, at most `most` of them, and the number of the others.
pub fn listing<'a>(names: impl ExactSizeIterator<Item = &'a str>, most: usize) -> String {
    let more = names.len().saturating_sub(most);
    let shown = names.take(most).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    if more == 0 { shown } else { words::error::names_more(shown, more) }
}

/// Returns bytes as lower-case hexadecimal digits, two for each.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Formats a number of rows or people, at least 0, rounded to the place that the standard deviation of its noise leaves.
pub fn about(value: f64, deviation: f64) -> String {
    let place =
        if deviation > 0.0 { libm::pow(10.0, libm::floor(libm::log10(deviation)).max(0.0)) } else { 1.0 };
    grouped((value.max(0.0) / place).round() * place)
}

/// Formats a whole number with thin spaces between groups of three from ten thousand on.
pub fn grouped(value: f64) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    let digits = format!("{:.0}", value.abs());
    let sign = if value < -0.5 { "−" } else { "" };
    if digits.len() <= 4 {
        return format!("{sign}{digits}");
    }
    let mut text = sign.to_owned();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{hexadecimal, one_line, shortened};

    #[test]
    fn bytes_are_two_digits_each() {
        assert_eq!(hexadecimal(&[0, 0x0f, 0xa5]), "000fa5");
    }

    #[test]
    fn a_long_message_keeps_its_start_and_its_end() {
        assert_eq!(shortened("what, where; do this"), "what, where; do this");
        let long = format!("what, {}; do this", "é".repeat(5_000));
        let short = shortened(&long);
        assert!(
            short.chars().count() <= 700 && short.starts_with("what, é") && short.ends_with("é; do this")
        );
    }

    #[test]
    fn nothing_of_a_name_leaves_its_line() {
        assert_eq!(
            one_line("a\nb\r\n\u{1b}[2J\u{85}\u{2028}\u{202e}"),
            "a\\nb\\r\\n\\u{1b}[2J\\u{85}\\u{2028}\\u{202e}"
        );
        assert_eq!(one_line("it's \"e\u{301}t\u{e9}\" \\ 年齢"), "it's \"e\u{301}t\u{e9}\" \\ 年齢");
    }
}
