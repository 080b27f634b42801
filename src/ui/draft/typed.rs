//! Values as a person types them: numbers, counts, lists, and blocks that were copied from a spreadsheet.

/// Reads a number as a person types it: spaces, a real minus sign and a decimal comma are understood.
#[must_use]
pub fn number(text: &str) -> Option<f64> {
    let plain: String = text
        .trim()
        .chars()
        .filter(|c| !matches!(c, ' ' | '\u{a0}' | '\u{202f}' | '_'))
        .map(|c| if c == '−' { '-' } else { c })
        .collect();
    let plain = match (plain.contains(','), plain.contains('.')) {
        (true, false) if plain.matches(',').count() == 1 => plain.replace(',', "."),
        _ => plain,
    };
    if !plain.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.')) {
        return None;
    }
    plain.parse::<f64>().ok().filter(|value| value.is_finite())
}

/// Reads a whole number that is at least 1.
#[must_use]
pub fn count(text: &str) -> Option<u64> {
    let plain: String = text.trim().chars().filter(|c| !c.is_whitespace() && *c != ',').collect();
    plain.parse::<u64>().ok().filter(|value| *value > 0)
}

/// Reads a list separated by commas; an entry that holds a comma stands in double quotes.
#[must_use]
pub fn list(text: &str) -> Vec<String> {
    let mut entries = Vec::new();
    let (mut entry, mut quoted) = (String::new(), false);
    for c in text.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => entries.push(std::mem::take(&mut entry)),
            c => entry.push(c),
        }
    }
    entries.push(entry);
    entries.iter().map(|entry| entry.trim().to_owned()).filter(|entry| !entry.is_empty()).collect()
}

/// The reverse of [`list`].
#[must_use]
pub fn unlist(entries: &[String]) -> String {
    let write = |entry: &String| if entry.contains(',') { format!("\"{entry}\"") } else { entry.clone() };
    entries.iter().map(write).collect::<Vec<_>>().join(", ")
}

/// Reads a block that was copied from a spreadsheet: rows by line, cells by tab.
#[must_use]
pub fn block(text: &str) -> Vec<Vec<String>> {
    let lines = text.trim_end_matches(['\r', '\n']).lines();
    lines.map(|line| line.split('\t').map(|cell| cell.trim().to_owned()).collect()).collect()
}

/// Whether a pasted text is a block rather than a value.
#[must_use]
pub fn is_block(text: &str) -> bool {
    let text = text.trim_end_matches(['\r', '\n']);
    text.contains('\t') || text.contains('\n')
}
