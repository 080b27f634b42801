//! The browser's threads and the messages between them.
//!
//! [`protocol`] is plain data and tested natively. The page starts an engine worker and its scanning workers (`pool`), connects them
//! by message ports, and sends them the files' handles. Scanning workers hash chunks and compute partial sums of slices from the same
//! bytes (`scan`). The engine worker directs them (`scan_pool`), merges their results, charges the ledger and makes the release
//! (`run`). The page receives only the release, and on request
//! the counts of `inspect`, which it shows on this machine alone. The workers of a public table (`public`) have no private file. A long release
//! is read by a worker that has nothing else (`read_release`), so that the page's thread is free. The check of the build
//! (`audit`) has one worker and no file; so have forecasts (`foresee`), whose rehearsals would hold up the page's thread.

pub mod delay;
pub mod protocol;
pub mod selfcheck;

#[cfg(target_arch = "wasm32")]
mod audit;
#[cfg(target_arch = "wasm32")]
mod channel;
#[cfg(target_arch = "wasm32")]
pub mod context;
#[cfg(target_arch = "wasm32")]
pub mod files;
#[cfg(target_arch = "wasm32")]
pub mod foresee;
#[cfg(target_arch = "wasm32")]
mod genotypes;
#[cfg(target_arch = "wasm32")]
mod inspect;
#[cfg(target_arch = "wasm32")]
pub mod main;
#[cfg(target_arch = "wasm32")]
pub mod pool;
#[cfg(target_arch = "wasm32")]
mod public;
#[cfg(target_arch = "wasm32")]
mod read;
#[cfg(target_arch = "wasm32")]
mod read_release;
#[cfg(target_arch = "wasm32")]
mod run;
#[cfg(target_arch = "wasm32")]
mod scan;
#[cfg(target_arch = "wasm32")]
mod scan_pool;
#[cfg(target_arch = "wasm32")]
mod table;
#[cfg(target_arch = "wasm32")]
mod unpack;
