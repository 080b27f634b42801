//! `make reproduce-sheffet`, `make reproduce-primo` and `make reproduce-pmt` in small, so that they cannot rot.

use crate::reproduce_pmt;
use crate::reproduce_primo;
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

#[test]
fn the_reproduction_of_primo_works() {
    let size = reproduce_primo::Size { rows: 5008, runs: 4, outcomes: 101, whole: false, full: false };
    let page = reproduce_primo::run(&size);
    assert!(page.failures().is_empty(), "{:?}", page.failures());
    // Three lengths of nine and of five printed columns.
    assert!(page.text().contains("42 numbers were put beside printed ones"), "{}", page.text());
    let shortest = reproduce_primo::Size { outcomes: 11, ..size };
    let [first, second] = [reproduce_primo::run(&shortest), reproduce_primo::run(&shortest)];
    assert_eq!(first.text(), second.text(), "the same program gives the same bytes");
}

#[test]
fn the_reproduction_of_public_moments_works() {
    // Too few rows for the printed numbers: nothing is judged, and nothing may fail.
    let size = reproduce_pmt::Size { runs: 2, descents: 1, fits: 2, shrunk: 50 };
    let page = reproduce_pmt::run(&size);
    assert!(page.failures().is_empty(), "{:?}", page.failures());
    assert!(page.text().contains("## Figure 8"), "{}", page.text());
}
