//! Black-box audits of the privacy claim (theory/audit 1).
//!
//! Each audit runs what a release runs, on tables that are as telling as two neighbouring tables can be, and measures what
//! an attacker sees who knows everything but which of the two it was. A measurement above the claim is a bug; one
//! within it proves nothing, but a sampler, a sensitivity or a clip that is wrong by a factor √2 shows within seconds.
//! All randomness comes from a seed: what is audited here protects nobody.
//!
//! [`pairs`] has the tables, [`mod@bench`] releases them again and again. [`signal`] (T1), [`threshold`] (T2), [`one_run`]
//! (T3) and [`direct`] (T4) measure the loss, with the bounds of [`estimate`]; [`fit`] (T5) holds the samplers against their laws and [`covariance`] (T6)
//! the noise of a release against its shape. [`controls`] has published formulas that are wrong, for the audits to
//! catch, and [`check`] puts it together for a screen, with [`figure`] for its drawings and [`report`] to keep it.

pub mod bench;
pub mod check;
pub mod controls;
pub mod covariance;
pub mod direct;
mod error;
pub mod estimate;
pub mod figure;
pub mod fit;
pub mod one_run;
pub mod pairs;
pub mod report;
pub mod signal;
pub mod threshold;

pub use error::AuditError;
