//! What the adaptive mechanisms share: the rounds that learn, privately, where the values lie (theory/adaptive 2).
//!
//! Margins ([`margins`]), rough second moments ([`rough`]) and the guide that they give ([`guide`]), tail counts ([`tails`]) and the
//! features' radius that they give ([`radius`]). Each mechanism has its own shares of the budget and its own last rounds.

pub mod bits;
pub mod coded;
pub mod description;
pub mod early;
pub mod guide;
pub mod holding;
pub mod map;
pub mod margins;
pub mod noise;
pub mod radius;
pub mod rough;
pub mod tails;
pub mod terms;
pub mod units;
