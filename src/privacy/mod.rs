//! What a release costs: measures, conversions, calibration, the ledger.

pub mod adjacency;
pub mod calibrate;
pub mod compose;
pub mod convert;
pub mod event;
pub mod fixed_plan;
pub mod ledger;
pub mod measure;
pub mod mutants;
pub mod profile;
pub mod promise;
pub mod pure_bounds;
pub mod sensitivity;
pub mod subsampling;
pub mod units;
