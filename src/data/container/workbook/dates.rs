//! Which cells are dates, and how a date is written (ECMA-376, part 1, 18.8.30 and 18.17.4).

use std::collections::BTreeMap;
use std::io::Read;

use super::ContainerError;
use super::xml::{Event, Xml, attribute};
use crate::math::calendar::calendar_day;

/// Seconds of a day.
const DAY: f64 = 86_400.0;

/// Days from 1970-01-01 back to 1899-12-30, which is Excel's day 0 for the days from 1900-03-01 on.
const DAY_0: i64 = 25_569;

/// Days by which a workbook that counts from 1904 is behind.
const LATER: i64 = 1_462;

/// The last day that Excel knows: 9999-12-31.
const LAST: f64 = 2_958_466.0;

/// What a number is by its format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kind {
    #[default]
    Number,
    Date,
    Time,
}

/// The kind of each style of a workbook.
#[derive(Debug, Default)]
pub struct Formats(Vec<Kind>);

impl Formats {
    /// Reads the styles.
    ///
    /// # Errors
    /// [`ContainerError::Damaged`] if the part is damaged.
    pub fn read(reader: impl Read) -> Result<Self, ContainerError> {
        let mut xml = Xml::short(reader);
        let (mut own, mut kinds, mut in_cells) = (BTreeMap::new(), Vec::new(), false);
        while let Some(event) = xml.next()? {
            match event {
                Event::Open("numFmt", attributes) => {
                    let code = attribute(attributes, "formatCode").unwrap_or_default();
                    own.insert(attribute(attributes, "numFmtId").unwrap_or_default(), of_code(&code));
                }
                Event::Open("cellXfs", _) => in_cells = true,
                Event::Close("cellXfs") => in_cells = false,
                Event::Open("xf", attributes) if in_cells => {
                    let id = attribute(attributes, "numFmtId").unwrap_or_default();
                    let built_in = || id.parse().map(of_number).unwrap_or_default();
                    kinds.push(own.get(&id).copied().unwrap_or_else(built_in));
                }
                _ => {}
            }
        }
        Ok(Self(kinds))
    }

    /// Returns a number of days as a date, as a date with a time of day, or as a time, if its style says so and Excel has such a day.
    pub fn date(&self, style: usize, number: f64, since_1904: bool) -> Option<String> {
        let kind = self.0.get(style).copied().filter(|kind| *kind != Kind::Number)?;
        let later = if since_1904 { LATER } else { 0 };
        if !(0.0..LAST).contains(&number) {
            return None;
        }
        #[expect(clippy::cast_possible_truncation, reason = "below the last day")]
        let seconds = (number * DAY).round() as i64;
        let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
        let time = format!("{:02}:{:02}:{:02}", second / 3_600, second / 60 % 60, second % 60);
        if kind == Kind::Time && days == 0 {
            return Some(time);
        }
        // Excel has a 29 February 1900, so earlier days count one less.
        let early = i64::from(!since_1904 && days < 60);
        let day = calendar_day(days + early + later - DAY_0);
        Some(if second == 0 && kind == Kind::Date { day } else { format!("{day}T{time}") })
    }
}

/// Returns the kind of a format that every workbook has.
fn of_number(id: u32) -> Kind {
    match id {
        14..=17 | 22 | 27..=31 | 36 | 50..=58 => Kind::Date,
        18..=21 | 32..=35 | 45..=47 => Kind::Time,
        _ => Kind::Number,
    }
}

/// Returns the kind of a format's text: dates have days or years, times hours or seconds. What is quoted, escaped or in brackets is no
/// part of it, but for hours, minutes and seconds that go on.
fn of_code(code: &str) -> Kind {
    let (mut letters, mut quoted, mut bracket, mut skip) = (String::new(), false, None::<String>, false);
    for letter in code.to_lowercase().chars() {
        match (letter, &mut bracket) {
            _ if std::mem::take(&mut skip) => {}
            ('"', None) => quoted = !quoted,
            _ if quoted => {}
            ('\\' | '_' | '*', None) => skip = true,
            ('[', None) => bracket = Some(String::new()),
            (']', Some(inner)) => {
                if matches!(inner.trim_matches(['h', 'm', 's']), "") {
                    letters.push_str(inner);
                }
                bracket = None;
            }
            (letter, Some(inner)) => inner.push(letter),
            // A further section is for negative numbers.
            (';', None) => break,
            (letter, None) => letters.push(letter),
        }
    }
    match letters.as_str() {
        "general" => Kind::Number,
        text if text.contains(['d', 'y']) => Kind::Date,
        text if text.contains(['h', 's']) || text.contains("mm:") => Kind::Time,
        text if text.contains('m') && !text.contains(['0', '#']) => Kind::Date,
        _ => Kind::Number,
    }
}
