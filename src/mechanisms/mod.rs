//! The mechanisms: one folder and one entry of [`REGISTRY`] for each, or for a family that shares its code.
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

use self::wishart::{additive, scaled};
use crate::plan::PlanError;

pub use self::info::{Info, Scope, find};
pub use self::rounds::{
    Answer, Charge, Configured, Encoding, Mechanism, Noise, Output, Resolved, Round, Rounds, Run, Task,
    Unsettled,
};

/// Every mechanism, group by group, the usual one of a group first.
pub static REGISTRY: &[Mechanism] = &[
    Mechanism {
        info: &adaptive_gauss::INFO,
        configure: |plan, params| boxed(adaptive_gauss::Parameters::read(plan, params)),
    },
    Mechanism {
        info: &analyze_gauss::INFO,
        configure: |plan, params| boxed(analyze_gauss::Parameters::read(plan, params)),
    },
    Mechanism {
        info: &ada_ssp::INFO,
        configure: |plan, params| boxed(ada_ssp::Parameters::read(plan, params)),
    },
    Mechanism {
        info: &ridge::WITH_BOUNDS,
        configure: |plan, params| boxed(ridge::Parameters::read(ridge::Kind::Bounds, plan, params)),
    },
    Mechanism {
        info: &reuse_cov::GAUSS,
        configure: |plan, params| boxed(reuse_cov::Parameters::read(reuse_cov::Kind::Gauss, plan, params)),
    },
    Mechanism {
        info: &reuse_cov::PROJECTED_ON_FEATURES,
        configure: |plan, params| {
            boxed(reuse_cov::Parameters::read(reuse_cov::Kind::ProjectedOnFeatures, plan, params))
        },
    },
    Mechanism {
        info: &reuse_cov::PROJECTED_ON_OUTCOMES,
        configure: |plan, params| {
            boxed(reuse_cov::Parameters::read(reuse_cov::Kind::ProjectedOnOutcomes, plan, params))
        },
    },
    Mechanism {
        info: &adaptive_logistic::INFO,
        configure: |plan, params| boxed(adaptive_logistic::Parameters::read(plan, params)),
    },
    Mechanism {
        info: &newton::WITH_BOUNDS,
        configure: |plan, params| boxed(newton::Parameters::read(newton::Kind::Bounds, plan, params)),
    },
    Mechanism {
        info: &newton::WITH_PUBLIC_MOMENTS,
        configure: |plan, params| boxed(newton::Parameters::read(newton::Kind::PublicMoments, plan, params)),
    },
    Mechanism {
        info: &ridge::WITH_PUBLIC_MOMENTS,
        configure: |plan, params| boxed(ridge::Parameters::read(ridge::Kind::PublicMoments, plan, params)),
    },
    Mechanism {
        info: &newton::PUBLIC_FAMILY,
        configure: |plan, params| boxed(newton::Parameters::read(newton::Kind::PublicFamily, plan, params)),
    },
    Mechanism {
        info: &scaled::POSTERIOR,
        configure: |plan, params| {
            boxed(scaled::Parameters::read(scaled::Kind::Posterior, false, plan, params))
        },
    },
    Mechanism {
        info: &scaled::POSTERIOR_ADAPTIVE,
        configure: |plan, params| {
            boxed(scaled::Parameters::read(scaled::Kind::Posterior, true, plan, params))
        },
    },
    Mechanism {
        info: &additive::INFO,
        configure: |plan, params| boxed(additive::Parameters::read(plan, params)),
    },
    Mechanism {
        info: &scaled::PROJECTION,
        configure: |plan, params| {
            boxed(scaled::Parameters::read(scaled::Kind::Projection, false, plan, params))
        },
    },
    Mechanism {
        info: &scaled::PROJECTION_ADAPTIVE,
        configure: |plan, params| {
            boxed(scaled::Parameters::read(scaled::Kind::Projection, true, plan, params))
        },
    },
    Mechanism {
        info: &descent::WITH_BOUNDS,
        configure: |plan, params| boxed(descent::Parameters::read(descent::Kind::Bounds, plan, params)),
    },
    Mechanism {
        info: &descent::WITH_PUBLIC_MOMENTS,
        configure: |plan, params| {
            boxed(descent::Parameters::read(descent::Kind::PublicMoments, plan, params))
        },
    },
    Mechanism {
        info: &reuse_cov::EACH_OUTCOME,
        configure: |plan, params| {
            boxed(reuse_cov::Parameters::read(reuse_cov::Kind::EachOutcome, plan, params))
        },
    },
    Mechanism {
        info: &sub_samp_reuse_cov::INFO,
        configure: |plan, params| boxed(sub_samp_reuse_cov::Parameters::read(plan, params)),
    },
    Mechanism { info: &ols::INFO, configure: |_, params| boxed(ols::Parameters::read(params)) },
    Mechanism {
        info: &newton::REFERENCE,
        configure: |plan, params| boxed(newton::Parameters::read(newton::Kind::Reference, plan, params)),
    },
    #[cfg(feature = "audit-mutants")]
    Mechanism {
        info: &noisy_means::INFO,
        configure: |plan, params| boxed(noisy_means::Parameters::read(plan, params)),
    },
];

fn boxed(read: Result<impl Configured + 'static, PlanError>) -> Result<Box<dyn Configured>, PlanError> {
    Ok(Box::new(read?))
}

/// The mechanism that is chosen before anybody chooses.
pub const USUAL: &str = "analyze-gauss";

/// The mechanism without noise, by which public tables are summed.
pub const NOISELESS: &str = "ols";
