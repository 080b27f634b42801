//! Places at which a test can stop a release and kill it (theory/audit 3.8). Only under the feature
//! `audit-mutants`; in every other build a place is nothing at all.

/// Returns a place where the test may stop the program.
#[cfg(not(feature = "audit-mutants"))]
pub const fn halt(_: &str) {}

/// Returns a place where the test may stop the program. The one whose number `DISCREET_HALT` gives, counted from 1 in the order
/// in which they are passed, writes `halted N: place` on standard error and waits for a line on standard input, or to
/// be killed.
#[cfg(feature = "audit-mutants")]
pub fn halt(place: &str) {
    use std::io::{self, Write};
    use std::sync::atomic::{AtomicUsize, Ordering};

    static PASSED: AtomicUsize = AtomicUsize::new(0);
    let number = PASSED.fetch_add(1, Ordering::SeqCst) + 1;
    if std::env::var("DISCREET_HALT").is_ok_and(|wanted| wanted == number.to_string()) {
        let _ = writeln!(io::stderr(), "halted {number}: {place}");
        let _ = io::stdin().read_line(&mut String::new());
    }
}
