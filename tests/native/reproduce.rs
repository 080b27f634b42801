//! `make reproduce-sheffet` in small, so that it cannot rot.

use crate::reproduce_sheffet::{Size, run};

/// The first three lengths of the document, of which two have printed errors.
const SMALL: Size = Size { log_rows: 14, several_log_rows: 0, repetitions: 15, whole: false };

#[test]
fn the_reproduction_of_sheffet_works() {
    let page = run(&SMALL);
    assert!(page.failures().is_empty(), "{:?}", page.failures());
    // Thirteen printed errors a length.
    assert!(page.text().contains("26 numbers were put beside printed ones"), "{}", page.text());
    let shortest = Size { log_rows: 12, repetitions: 2, ..SMALL };
    assert_eq!(run(&shortest).text(), run(&shortest).text(), "the same program gives the same bytes");
}
