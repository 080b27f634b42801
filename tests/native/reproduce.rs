//! `make reproduce-sheffet` in small, so that it cannot rot: one short table, a few repetitions.

use crate::reproduce_sheffet::{Size, run};

#[test]
fn the_reproduction_of_sheffet_works() {
    let page = run(&Size::SMOKE);
    assert_eq!(page.failures(), [String::new(); 0]);
    assert_eq!(page.cells(), 13, "each printed number of one row has a cell: {}", page.text());
    // The same program gives the same bytes.
    assert_eq!(page.text(), run(&Size::SMOKE).text());
}
