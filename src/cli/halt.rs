//! Places at which a test can stop a release and kill it (theory/audit 3.8). They exist under the feature `audit-mutants` alone;
//! in every other build the function is empty.

/// Does nothing: marks a place at which the audit stops the program.
#[cfg(not(feature = "audit-mutants"))]
pub const fn halt(_: &str) {}

/// Stops the program if this is the place whose number `DISCREET_HALT` gives, counted from 1 in the order in which places are
/// reached. Writes `halted N: place` on standard error and waits for a line on standard input, or to be killed.
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
