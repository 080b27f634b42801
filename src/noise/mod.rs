//! Random bytes and exact samplers.

pub mod coins;
pub mod discrete;
pub mod entropy;
pub mod laplace;
pub mod law;
pub mod rational;
pub mod wishart;
