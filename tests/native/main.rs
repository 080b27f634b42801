//! Native tests, one binary.

mod hostile;
mod records;
mod slices;
