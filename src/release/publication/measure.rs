//! How wide text is drawn, so that nothing of a figure is cut off.

/// Returns an upper estimate of a text's width, for letters of `size`: that of the widest of the fonts that stand in for Helvetica.
pub fn width(text: &str, size: f64) -> f64 {
    size * text.chars().map(of).sum::<f64>()
}

/// Returns the width of a letter over its size. DejaVu Sans is the widest of the usual fonts.
fn of(letter: char) -> f64 {
    match letter {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | ' ' | '\u{a0}' => 0.34,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '/' | '-' => 0.42,
        'm' | 'M' | 'W' | 'w' | '@' | '%' | '…' => 1.0,
        '+' | '−' | '±' | '≈' | '<' | '>' | '=' | '×' | 'O' | 'Q' => 0.84,
        letter if letter.is_uppercase() => 0.78,
        letter if (letter as u32) < 0x1100 => 0.66,
        _ => 1.05,
    }
}

/// Breaks a text into lines of at most `most`: between words, and within a word that is longer by itself.
pub fn wrapped(text: &str, size: f64, most: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text
        .split(|letter: char| letter.is_whitespace() && letter != '\u{a0}')
        .filter(|word| !word.is_empty())
    {
        if !line.is_empty() && width(&line, size) + width(" ", size) + width(word, size) > most {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        for letter in word.chars() {
            if !line.is_empty() && width(&line, size) + size * of(letter) > most {
                lines.push(std::mem::take(&mut line));
            }
            line.push(letter);
        }
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_short_enough_and_lose_nothing() {
        let long = "Geschlecht: weiblich against männlich averyveryverylongnamewithoutanyspaceinit";
        let lines = wrapped(long, 13.0, 130.0);
        assert!(lines.iter().all(|line| width(line, 13.0) <= 130.0), "{lines:?}");
        assert_eq!(lines.concat().replace(' ', ""), long.replace(' ', ""));
        assert_eq!(lines[0], "Geschlecht:");
        assert_eq!(wrapped("age per year", 13.0, 240.0), ["age per year"]);
        assert_eq!(wrapped("per 1\u{a0}×\u{a0}10⁶", 13.0, 80.0), ["per", "1\u{a0}×\u{a0}10⁶"]);
        assert_eq!(wrapped("", 13.0, 240.0), [""]);
    }
}
