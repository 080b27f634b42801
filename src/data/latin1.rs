//! Latin-1 as spreadsheets and browsers read it: Windows-1252, whose printable characters where ISO 8859-1 has control characters are
//! those that files have, such as the euro sign.

/// What the bytes 80 to 9F stand for; five of them stand for control characters, as in ISO 8859-1.
const BETWEEN: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}',
    '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// Returns the characters of bytes, one for each.
pub(in crate::data) fn characters(bytes: &[u8]) -> impl Iterator<Item = char> {
    bytes.iter().map(|&byte| {
        let between = byte.checked_sub(0x80).and_then(|place| BETWEEN.get(usize::from(place)));
        between.copied().unwrap_or_else(|| char::from(byte))
    })
}

/// Returns bytes as text.
pub(in crate::data) fn text(bytes: &[u8]) -> String {
    characters(bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::characters;

    #[test]
    fn a_byte_is_a_character_of_its_own() {
        let bytes: Vec<u8> = (0..=u8::MAX).collect();
        let all: std::collections::BTreeSet<char> = characters(&bytes).collect();
        assert_eq!(all.len(), 256);
        assert!(characters(&[0x41, 0x80, 0x96, 0xa0, 0xfc]).eq(['A', '€', '–', '\u{a0}', 'ü']));
    }
}
