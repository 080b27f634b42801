//! Native tests, one binary.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod architecture;
mod hostile;
mod inference;
#[cfg(feature = "audit-mutants")]
mod mutants;
mod plans;
mod records;
mod samplers;
mod slices;
mod vectors;
