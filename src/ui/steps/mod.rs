//! The five steps.

pub mod columns;
pub mod data;
mod errors;
pub mod method;
pub mod privacy;
mod protect;
pub mod result;

mod cells;
mod chooser;
mod comparison;
mod ledger;
mod many;
mod outcomes;
mod parameters;
mod people;
mod public;
mod refit;
mod table;
mod variants;

/// Rows of the column table that are drawn at once: a table of 10^5 columns must not freeze the page.
pub const PAGE: usize = 50;
