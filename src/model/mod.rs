//! The types that several rooms share: one for each concept, and nothing that computes a release.
//!
//! - [`columns`]: what a column is for.
//! - [`contrast`]: the codes of a category's levels.
//! - [`layout`]: which sums of products are kept.
//! - [`noise`]: the laws of noise.
//! - [`coefficients`]: the numbers of a regression.
//! - [`guarantee`]: what a release charges, and how far its proof goes.
//! - [`note`]: what a reader must know about a release.
//!
//! Documents on disk contain several of these types, so their serde forms are fixed.

pub mod coefficients;
pub mod columns;
pub mod contrast;
pub mod guarantee;
pub mod layout;
pub mod noise;
pub mod note;

pub use coefficients::{Coefficient, Estimate, Interval};
pub use columns::{INTERCEPT, Missing, Role, Typical, level_of};
pub use contrast::Contrast;
pub use guarantee::{Assurance, Wallet};
pub use layout::Layout;
pub use noise::{NoiseLaw, Shape};
