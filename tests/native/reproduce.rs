//! `make reproduce-sheffet` in small, so that it cannot rot.

use crate::reproduce_sheffet::{Size, run};

/// Three lengths, of which two have printed errors, and a few tables of each.
const SMALL: Size = Size { log_rows: 14, several_log_rows: 0, repetitions: 5, whole: false };

#[test]
fn the_reproduction_of_sheffet_works() {
    let page = run(&SMALL);
    assert_eq!(page.failures(), [String::new(); 0]);
    // Thirteen printed errors a length.
    assert!(page.text().contains("26 cells were put beside a printed number"), "{}", page.text());
    assert_eq!(page.text(), run(&SMALL).text(), "the same program gives the same bytes");
}
