//! The mechanisms: one folder and one entry of [`REGISTRY`] for each, or for a family that shares its code.
//!
//! A mechanism says what it is ([`Info`]), reads a plan's parameters ([`Mechanism::configure`]), says what they mean for columns
//! ([`Configured::resolve`]), and releases in rounds ([`Rounds`]). Its folder states its guarantee, its sensitivity and what it charges.

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

use self::public_moments::Grid;
use self::wishart::{additive, scaled};
use crate::plan::PlanError;

pub use self::info::{Info, Scope, find};
pub use self::rounds::{
    Answer, Charge, Configured, Encoding, Mechanism, Output, Resolved, Round, RoundNoise, Rounds, Run, Task,
    Unsettled,
};

/// Makes an entry of each line: what a mechanism is, the type of its parameters, and what reading these needs beside the plan.
macro_rules! registry {
    ($($(#[$attribute:meta])* $info:path => $($module:ident)::+ $(($($kind:expr),+))?;)+) => {
        &[$($(#[$attribute])* Mechanism {
            info: &$info,
            configure: |plan, params| boxed($($module)::+::read($($($kind,)+)? plan, params)),
        }),+]
    };
}

/// Every mechanism, group by group, the usual one of a group first.
pub static REGISTRY: &[Mechanism] = registry! {
    adaptive_gauss::INFO => adaptive_gauss::Parameters;
    analyze_gauss::INFO => analyze_gauss::Parameters;
    ada_ssp::INFO => ada_ssp::Parameters;
    ridge::WITH_BOUNDS => ridge::Parameters(Grid::Bounds);
    reuse_cov::GAUSS => reuse_cov::Parameters(reuse_cov::Kind::Gauss);
    reuse_cov::PROJECTED_ON_FEATURES => reuse_cov::Parameters(reuse_cov::Kind::ProjectedOnFeatures);
    reuse_cov::PROJECTED_ON_OUTCOMES => reuse_cov::Parameters(reuse_cov::Kind::ProjectedOnOutcomes);
    adaptive_logistic::INFO => adaptive_logistic::Parameters;
    newton::WITH_BOUNDS => newton::Parameters(newton::Kind::Bounds);
    newton::WITH_PUBLIC_MOMENTS => newton::Parameters(newton::Kind::PublicMoments);
    ridge::WITH_PUBLIC_MOMENTS => ridge::Parameters(Grid::PublicMoments);
    newton::PUBLIC_FAMILY => newton::Parameters(newton::Kind::PublicFamily);
    scaled::POSTERIOR => scaled::Parameters(scaled::Kind::Posterior, false);
    scaled::POSTERIOR_ADAPTIVE => scaled::Parameters(scaled::Kind::Posterior, true);
    additive::INFO => additive::Parameters;
    scaled::PROJECTION => scaled::Parameters(scaled::Kind::Projection, false);
    scaled::PROJECTION_ADAPTIVE => scaled::Parameters(scaled::Kind::Projection, true);
    descent::WITH_BOUNDS => descent::Parameters(Grid::Bounds);
    descent::WITH_PUBLIC_MOMENTS => descent::Parameters(Grid::PublicMoments);
    reuse_cov::EACH_OUTCOME => reuse_cov::Parameters(reuse_cov::Kind::EachOutcome);
    sub_samp_reuse_cov::INFO => sub_samp_reuse_cov::Parameters;
    ols::INFO => ols::Parameters;
    newton::REFERENCE => newton::Parameters(newton::Kind::Reference);
    #[cfg(feature = "audit-mutants")]
    noisy_means::INFO => noisy_means::Parameters;
};

fn boxed(read: Result<impl Configured + 'static, PlanError>) -> Result<Box<dyn Configured>, PlanError> {
    Ok(Box::new(read?))
}

/// The default mechanism.
pub const USUAL: &str = "analyze-gauss";

/// The mechanism without noise, by which public tables are summed.
pub const NOISELESS: &str = "ols";
