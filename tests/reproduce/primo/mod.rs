//! Neel, PRIMO: private regression in multiple outcomes: its setting, its algorithms, its claims.

mod features;
mod others;
mod outcomes;
mod page;
mod scales;
mod setting;

pub use crate::reproduce_common::Page;

/// How much is run.
pub struct Size {
    /// Rows of the tables of haplotypes.
    pub rows: usize,
    /// Runs of each length up to 1,001 outcomes.
    pub runs: usize,
    /// The most outcomes; nothing longer is run.
    pub outcomes: usize,
    /// Whether the scales and the paper's other tables are run as well.
    pub whole: bool,
    /// Whether known outcomes go to 8,000: the decomposition of a matrix of 5,008 rows.
    pub full: bool,
}

/// Runs all of a size.
#[must_use]
pub fn run(size: &Size) -> Page {
    let mut page = page::begin(size);
    if size.whole {
        scales::write(&mut page);
    }
    outcomes::write(&mut page, size);
    features::write(&mut page, size);
    if size.whole {
        others::write(&mut page, size);
    }
    page
}
