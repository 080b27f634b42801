//! `adaptive-gauss`: second moments in coordinates that the budget itself has bought (theory/adaptive).
//!
//! Four rounds share one budget: margins ([`margins`]), rough second moments ([`rough`]) and the guide that they give ([`guide`]), tail
//! counts ([`tails`]) and the radii that they give ([`radii`]), and with most of the budget the second moments of whitened features and
//! standardised residuals ([`last`]), from which every estimate follows ([`estimate`], [`gate`]). [`progress`] is where a release stands
//! between two rounds. All integer units and noise scales ([`units`]) follow from public numbers, so the charge and all noise come before
//! the first record is read.
//!
//! Not in the registry yet: no plan can name it.

pub mod bits;
pub mod estimate;
pub mod forecast;
pub mod gate;
pub mod guide;
pub mod last;
pub mod map;
pub mod margins;
pub mod progress;
pub mod radii;
pub mod rough;
pub mod tails;
pub mod terms;
pub mod units;
