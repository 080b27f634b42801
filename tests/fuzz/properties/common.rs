//! What several properties share.

use std::fmt::Display;

use discreet::plan::bound::{CsvRules, Encoding};
use discreet::plan::number_format::NumberFormat;

/// The first bytes of an input, which say how the rest is read; 0 where the input has ended.
pub fn split<const N: usize>(data: &[u8]) -> ([u8; N], &[u8]) {
    let mut settings = [0; N];
    let (head, rest) = data.split_at(data.len().min(N));
    settings[..head.len()].copy_from_slice(head);
    (settings, rest)
}

/// A dialect from one byte: `0` is a plan's default.
pub fn rules(setting: u8) -> CsvRules {
    CsvRules {
        delimiter: b",;\t|"[usize::from(setting & 3)],
        numbers: NumberFormat::plain(if setting & 4 == 0 { b'.' } else { b',' }),
        by_field: Vec::new(),
        encoding: if setting & 8 == 0 { Encoding::Utf8 } else { Encoding::Latin1 },
        na: ["", "NA", "N/A", "NaN", "null", "."].map(str::to_owned).into(),
    }
}

/// A message is one line that steers no terminal.
pub fn assert_one_line(message: &impl Display) {
    let message = message.to_string();
    let bad = |c: char| c.is_control() || ('\u{2028}'..='\u{202e}').contains(&c);
    assert!(!message.is_empty() && !message.contains(bad), "{message:?}");
}

/// Lengths of pieces, the same for the same seed: small ones first of all.
pub struct Pieces(u64);

impl Pieces {
    pub fn new(seed: u8) -> Self {
        Self(u64::from(seed))
    }

    pub fn next(&mut self) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let most = [1, 3, 8, 40][(self.0 >> 60 & 3) as usize];
        1 + (self.0 >> 33) as usize % most
    }

    /// Cuts bytes into pieces.
    pub fn cut<'a>(&mut self, mut bytes: &'a [u8]) -> Vec<&'a [u8]> {
        let mut pieces = Vec::new();
        while !bytes.is_empty() {
            let (piece, rest) = bytes.split_at(self.next().min(bytes.len()));
            pieces.push(piece);
            bytes = rest;
        }
        pieces
    }
}

/// The bytes 80 to 9F of Windows-1252.
const WINDOWS: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ";

/// Returns the character of a byte in Windows-1252, as which Latin-1 is read.
pub fn windows_1252(byte: u8) -> char {
    let between = byte.checked_sub(0x80).and_then(|place| WINDOWS.chars().nth(usize::from(place)));
    between.unwrap_or_else(|| char::from(byte))
}
