//! Black-box audits of the privacy claim (theory/audit 1).
//!
//! Each audit runs the code of a release on two neighbouring tables that are as far apart as possible. It measures how well an
//! attacker who knows everything except which of the two tables was used can guess it. A measurement above the claim is a bug. A
//! measurement below it proves nothing, but a sampler, a sensitivity or a clip that is wrong by a factor √2 is detected within
//! seconds. All randomness comes from a seed, so these releases are not private.
//!
//! [`pairs`] has the tables, and [`mod@bench`] releases them many times; [`chain`] does so where a release has several rounds.
//! [`signal`] (T1), [`threshold`] (T2), [`one_run`] (T3) and [`direct`] (T4) measure the loss, with the bounds of [`estimate`].
//! [`fit`] (T5) tests the samplers, and [`covariance`] (T6) the covariance of the noise. [`controls`] has wrong published
//! formulas, which the audits must detect. [`check`] runs all of it for the page, [`figure`] has the geometry of the figures, and
//! [`report`] the document.

pub mod bench;
pub mod chain;
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
