//! Native tests, one binary.
