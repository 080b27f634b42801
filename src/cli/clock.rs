//! The current day. No document contains a finer time.

use std::time::{SystemTime, UNIX_EPOCH};

/// Returns the current day in UTC, as `2026-11-20`.
pub fn today() -> String {
    #[expect(
        clippy::disallowed_methods,
        reason = "the only place that reads the clock, and only the day is used"
    )]
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    date(since.map_or(0, |since| since.as_secs() / 86_400))
}

/// Returns the date `days` days after 1970-01-01.
fn date(mut days: u64) -> String {
    let leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    loop {
        let length = if leap(year) { 366 } else { 365 };
        if days < length || year == 9999 {
            break;
        }
        days -= length;
        year += 1;
    }
    let february = if leap(year) { 29 } else { 28 };
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year:04}-{month:02}-{:02}", days.min(30) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_become_dates() {
        for (days, expected) in [
            (0, "1970-01-01"),
            (58, "1970-02-28"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (20_777, "2026-11-20"),
            (20_818, "2026-12-31"),
            (20_819, "2027-01-01"),
        ] {
            assert_eq!(date(days), expected);
        }
        assert_eq!(today().len(), 10);
    }
}
