//! Private regression: a plan applied to a table gives a release.
//!
//! Data flows one way. Bytes become records, a record alone becomes a bounded integer vector, vectors become exact
//! second moments, the ledger is charged, integer noise is added, and everything after that is post-processing of what
//! is already published. `ARCHITECTURE.md` draws the rooms and says who may use whom.
//!
//! Invariants:
//!
//! - The page thread never holds a moment or any exact statistic. It holds file handles, plans and releases, and the
//!   first rows that it shows to the person.
//! - Exact moments live in the engine worker and die with it.
//! - [`noise::entropy`] is the only module that reads random bytes, and [`privacy::ledger`] the only one that lets a
//!   release happen.
//! - No function below [`engine`] knows what a file, a clock, a thread or a screen is.
//! - A number that reaches a release came out of a mechanism, or was in the plan.
//! - All transcendental functions come from the `libm` crate, so that a native test and the browser give the same bits.

pub mod audit;
pub mod data;
pub mod engine;
pub mod inference;
pub mod math;
pub mod mechanisms;
pub mod model;
pub mod noise;
pub mod plan;
pub mod pld;
pub mod privacy;
pub mod release;
pub mod store;
pub mod text;
pub mod worker;

#[cfg(not(target_arch = "wasm32"))]
pub mod cli;

pub mod ui;
