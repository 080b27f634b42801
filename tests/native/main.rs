//! Native tests, one binary.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod architecture;
mod inference;
mod plans;
#[cfg(feature = "audit-mutants")]
mod mutants;
mod samplers;
mod vectors;
mod hostile;
mod records;
mod slices;
