//! Native tests, one binary.

#[cfg(feature = "audit-mutants")]
mod mutants;
mod samplers;
mod vectors;
