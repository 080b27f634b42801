//! What a release charges, and how far its proof goes.

use serde::{Deserialize, Serialize};

/// The part of a ledger that a mechanism charges (theory/accounting 5.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wallet {
    /// The Gaussian budget, μ².
    Gaussian,
    /// The (ε, δ) budget.
    Other,
    /// Nothing: the mechanism is not private.
    None,
}

/// What the proof of a release covers (theory/noise 4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Assurance {
    /// The arithmetic that was executed.
    Exact,
    /// An ideal from which the arithmetic differs with a probability that is included in δ.
    Bounded,
    /// An ideal of real-number arithmetic.
    Idealised,
    /// Nothing: the randomness had a seed.
    Demo,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assurances_are_written_in_capitals() {
        assert_eq!(serde_json::to_value(Assurance::Idealised).unwrap(), "IDEALISED");
    }
}
