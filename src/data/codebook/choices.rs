//! The values of a category as a codebook lists them, and the numbers beside them.

use crate::data::number::parse_either;

/// A value of a category.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// The code, which raw exports contain.
    pub code: String,
    /// The label, which labelled exports contain.
    pub label: String,
}

/// Reads a list of values, such as `1, Male | 2, Female`, `1=Male; 2=Female`, `F, M`, or one value on each line.
pub fn parse(text: &str) -> Vec<Level> {
    let separator = ['|', '\n', ';', ','].into_iter().find(|mark| pieces(text, *mark).len() > 1);
    let items = separator.map_or_else(|| vec![text], |mark| pieces(text, mark));
    let items = items.into_iter().map(str::trim).filter(|item| !item.is_empty());
    items.map(|item| level(item, separator)).collect()
}

/// Reads the choices of a checkbox, `1, Aspirin | 2, Statin`. Where no mark parts them there is one, whose code a comma ends.
pub fn of_checkbox(text: &str) -> Vec<Level> {
    if text.is_empty() || text.contains(['|', '\n', ';']) { parse(text) } else { vec![level(text, None)] }
}

/// Splits a text at a mark outside of double quotes.
fn pieces(text: &str, mark: char) -> Vec<&str> {
    let mut quoted = false;
    text.split(|letter| {
        quoted ^= letter == '"';
        !quoted && letter == mark
    })
    .collect()
}

fn level(item: &str, separator: Option<char>) -> Level {
    let pair = bracketed(item)
        .or_else(|| item.split_once('='))
        .or_else(|| item.split_once(',').filter(|_| separator != Some(',')))
        .or_else(|| [": ", " - ", " – "].into_iter().find_map(|mark| item.split_once(mark)))
        .or_else(|| item.split_once(':').filter(|(code, _)| !code.contains(char::is_whitespace)));
    let bare = |text: &str| text.trim().trim_matches('"').trim_matches('\'').trim().to_owned();
    match pair.map(|(code, label)| (bare(code), bare(label))) {
        Some((code, label)) if !code.is_empty() && !label.is_empty() => Level { code, label },
        _ => Level { code: bare(item), label: bare(item) },
    }
}

/// Reads `[1] Male` or `(1) Male`.
fn bracketed(item: &str) -> Option<(&str, &str)> {
    let close = match item.chars().next()? {
        '[' => ']',
        '(' => ')',
        _ => return None,
    };
    item.get(1..)?.split_once(close)
}

/// Reads two numbers, such as `0-120`, `0 to 120` or `[0, 120]`, of which the first is smaller.
pub fn range(text: &str) -> Option<(f64, f64)> {
    let text = text.trim();
    let inner = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    let marks = [" to ", "..", " – ", "–", " - ", "-"];
    let halves = match inner {
        Some(inner) => inner.split_once([',', ';']),
        // A minus at the start belongs to the first number.
        None => marks.into_iter().find_map(|mark| {
            let first = text.chars().next()?.len_utf8();
            let at = text.get(first..)?.find(mark)? + first;
            Some((text.get(..at)?, text.get(at + mark.len()..)?))
        }),
    };
    let (lower, upper) = halves.and_then(|(lower, upper)| parse_either(lower).zip(parse_either(upper)))?;
    (lower < upper).then_some((lower, upper))
}
