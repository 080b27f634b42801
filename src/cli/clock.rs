//! The current day. No document contains a finer time.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::math::calendar::calendar_day;

/// Returns the current day in UTC, as `2026-11-20`.
pub fn today() -> String {
    #[expect(
        clippy::disallowed_methods,
        reason = "the only place that reads the clock, and only the day is used"
    )]
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let days = since.map_or(0, |since| since.as_secs() / 86_400);
    calendar_day(i64::try_from(days).unwrap_or(0))
}
