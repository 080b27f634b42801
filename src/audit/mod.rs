//! What running a mechanism says about its privacy: statistics that turn guesses into lower bounds on the loss.

pub mod estimate;
