//! Random bytes and exact samplers.

pub mod discrete;
pub mod entropy;
pub mod law;
pub mod rational;
pub mod wishart;
