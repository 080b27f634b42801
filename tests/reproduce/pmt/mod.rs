//! Cao, Bi and Zhang, Differentially Private Truncation of Unbounded Data via Public Second Moments: its designs, its claims.

mod linear;
mod logistic;
mod page;
pub mod real;
mod setting;

use std::path::Path;

pub use crate::reproduce_common::Page;

/// How much is run.
pub struct Size {
    /// Runs of the long tables (Figures 2 and 3).
    pub runs: usize,
    /// Runs of the tables with a thousand steps of descent (Figure 1).
    pub descents: usize,
    /// Runs of the logistic tables (Figures 7 and 8).
    pub fits: usize,
    /// Rows are the printed ones divided by this.
    pub shrunk: usize,
}

/// Runs all of a size; the real tables too, where their folder is named.
#[must_use]
pub fn run(size: &Size, real: Option<&Path>) -> Page {
    let mut page = page::begin(size);
    linear::write(&mut page, size);
    logistic::write(&mut page, size);
    real::write(&mut page, size, real);
    page
}
