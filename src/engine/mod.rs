//! A plan and exact moments to a release.
//!
//! [`prepare`] fixes everything that is public before a row is read: the grid, the sensitivity, the noise, the cost.
//! [`release`] draws the noise and writes the document; whoever calls it has charged the ledger before. [`simulate`]
//! does the same from a seed, any number of times. No file, clock, thread or screen is known here.

mod error;
mod guard;
mod prepare;
mod release;
pub mod simulate;

pub use error::EngineError;
pub use prepare::{Cost, Prepared, check_table, prepare};
pub use release::release;
pub use simulate::Simulation;
