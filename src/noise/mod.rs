//! Random bytes and exact samplers.
