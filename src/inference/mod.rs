//! What follows from released moments at no further cost: regressions, their uncertainty, previews and refits.
//!
//! [`moments::NoisyMoments`] is the numeric view of a released matrix, [`design::Design`] the part of a regression that
//! all outcomes share, [`fits::Fit`] the result for one outcome. [`mod@report`] writes them in the release's form, [`mod@refit`]
//! computes another regression from a release, [`mod@preview`] forecasts uncertainty before anything is spent. Nothing here
//! reads a table.

pub mod assumptions;
pub mod bootstrap;
pub mod category;
mod cell_noise;
pub mod compared_levels;
pub mod contrast;
pub mod curvature;
mod debiasing;
pub mod description;
pub mod design;
pub mod differences;
pub mod fits;
pub mod forecast;
pub mod joint;
mod levels;
pub mod moments;
pub mod newton;
pub mod noise_forecast;
pub mod noiseless;
pub mod notes;
pub mod options;
pub mod partial_effect;
pub mod preflight;
pub mod preview;
pub mod pseudo;
mod record;
pub mod refit;
pub mod regression;
pub mod report;
pub mod ridge;
pub mod ridge_path;
pub mod shrinkage;
pub mod synthetic;
pub mod weights;

pub use fits::Fit;
pub use moments::{CellNoise, NoisyMoments};
pub use options::{Options, Repair, Ridge};
pub use refit::{Refit, RefitError, own_ridge, refit};
pub use regression::fit;
pub use report::{RegressionTerms, report};
