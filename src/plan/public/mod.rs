//! Public moments: means, deviations and correlations of the columns in other people's data, for mechanisms that whiten by them
//! (theory/public-moments 1.2).
//!
//! [`document::PublicTable`] is `discreet.public/1` as typed, or as a public file was turned into; [`whitener::Whitener`] is the
//! second moment that records are whitened by. Nothing of either may come from the private table.

pub mod document;
mod radius;
pub mod whitener;

pub use document::PublicTable;
pub use radius::squared_radius;
pub use whitener::{PublicOutcome, Whitener};
