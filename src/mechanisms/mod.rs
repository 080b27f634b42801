//! The mechanisms: one folder and one line of [`REGISTRY`] for each, or for a family that shares its code.
//!
//! A mechanism says what it is ([`Info`]), fills in a plan's parameters ([`Configured::resolve`]), and releases in rounds
//! ([`Rounds`]). Its folder states its guarantee, its sensitivity and what it charges.

pub mod ada_ssp;
pub mod adaptive;
pub mod adaptive_gauss;
pub mod adaptive_logistic;
pub mod analyze_gauss;
pub mod descent;
pub mod estimated_bounds;
pub mod gaussian;
pub mod info;
pub mod newton;
#[cfg(feature = "audit-mutants")]
pub mod noisy_means;
pub mod ols;
pub mod public_moments;
pub mod reuse_cov;
pub mod ridge;
pub mod rounds;
pub mod second_moments;
pub mod shared;
pub mod sub_samp_reuse_cov;
pub mod wishart;

pub use self::info::{Info, Scope, find};
pub use self::rounds::{
    Answer, Charge, Configured, Encoding, Mechanism, Noise, Output, Resolved, Round, Rounds, Run, Task,
    Unsettled,
};

/// Every mechanism, group by group, the usual one of a group first.
pub static REGISTRY: &[&dyn Mechanism] = &[
    &adaptive_gauss::AdaptiveGauss,
    &analyze_gauss::AnalyzeGauss,
    &ada_ssp::AdaSsp,
    &ridge::Kind::Bounds,
    &reuse_cov::Kind::Gauss,
    &reuse_cov::Kind::ProjectedOnFeatures,
    &reuse_cov::Kind::ProjectedOnOutcomes,
    &adaptive_logistic::AdaptiveLogistic,
    &newton::Kind::Bounds,
    &newton::Kind::PublicMoments,
    &ridge::Kind::PublicMoments,
    &newton::Kind::PublicFamily,
    &wishart::scaled::POSTERIOR,
    &wishart::scaled::POSTERIOR_ADAPTIVE,
    &wishart::additive::AdditiveWishart,
    &wishart::scaled::PROJECTION,
    &wishart::scaled::PROJECTION_ADAPTIVE,
    &descent::Kind::Bounds,
    &descent::Kind::PublicMoments,
    &reuse_cov::Kind::EachOutcome,
    &sub_samp_reuse_cov::SubSampReuseCov,
    &ols::Ols,
    &newton::Kind::Reference,
    #[cfg(feature = "audit-mutants")]
    &noisy_means::NoisyMeans,
];

/// The mechanism that is chosen before anybody chooses.
pub const USUAL: &str = "analyze-gauss";

/// The mechanism without noise, by which public tables are summed.
pub const NOISELESS: &str = "ols";
