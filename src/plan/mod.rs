//! `discreet.plan/1` as read, checked and bound to a header.
//!
//! [`document::Plan`] is the JSON as written, [`check::CheckedPlan`] has every default and every bound checked,
//! [`bound::BoundPlan`] knows which field of a record is what.

pub mod bind;
pub mod bound;
pub mod check;
pub mod derived;
pub mod document;
pub mod error;
pub mod expression;
pub mod kinds;
pub mod number_format;
pub mod params;
pub mod public;
pub mod search;

pub use check::{CheckedPlan, Purpose, faults};
pub use document::Plan;
pub use error::PlanError;
