//! Makes a release from a plan and exact sums.
//!
//! [`prepare`] fixes everything that is public before a row is read: the grid, the sensitivity, the noise, the cost.
//! [`Computation`] draws the noise and writes the document; its caller has charged the ledger before. [`demonstrate()`]
//! does the same from a seed, and [`simulate`] any number of times. The two take different generators and give
//! different types. No file, clock, thread or screen is known here.

mod bounds;
mod contradiction;
mod demonstrate;
mod described;
mod error;
pub mod foresee;
mod preflight;
mod prepare;
pub mod public;
pub mod public_moments;
mod publish;
pub mod recommend;
mod refit;
mod rehearse;
mod release;
pub mod simulate;
pub mod spread;
mod supplement;

pub use crate::mechanisms::adaptive_gauss::beside::held;
pub use crate::mechanisms::{Answer, Run};
pub use bounds::{BoundsOutlook, after_bounds, bounds_outlook};
pub use contradiction::contradiction;
pub use demonstrate::{Demonstration, demonstrate, demonstrate_rounds_with, demonstrate_with};
pub use described::bind_described;
pub use error::EngineError;
pub use preflight::{Outlook, outlook, preflight, standard_errors};
pub use prepare::{ConfiguredPlan, Cost, Prepared, check_rows, check_table, prepare, prepare_with};
pub use refit::{refit, ridge_path};
pub use release::Computation;
pub use simulate::{Simulation, demonstrate_bounds};
pub use supplement::{covariance, remove_unused_moments, supplement};
