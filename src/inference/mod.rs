//! What follows from released moments at no further cost: regressions, their uncertainty, previews and refits.
//!
//! [`moments::NoisyMoments`] is the numeric view of a released matrix, [`design::Design`] the part of a regression that
//! all outcomes share, [`regression::Fit`] one outcome's answer. [`mod@report`] writes them in the release's form, [`mod@refit`]
//! asks a release for another regression, [`mod@preview`] says what to expect before anything is spent. Nothing here reads
//! a table.

pub mod bootstrap;
pub mod design;
pub mod forecast;
pub mod moments;
pub mod newton;
pub mod notes;
pub mod options;
pub mod preflight;
pub mod preview;
pub mod pseudo;
mod reading;
pub mod refit;
pub mod regression;
pub mod report;
pub mod ridge;
pub mod shrinkage;
pub mod weights;

pub use moments::{CellNoise, NoisyMoments};
pub use options::{Options, Repair, Ridge};
pub use refit::{Refit, RefitError, refit};
pub use regression::{Fit, fit};
pub use report::{RegressionTerms, report};
