//! The charge behind a release.

use serde::{Deserialize, Serialize};

use crate::privacy::ledger::Ledger;

/// An (ε, δ): what a paper claims for its own noise scale, or what a ledger keeps.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claimed {
    /// ε.
    pub epsilon: f64,
    /// δ.
    pub delta: f64,
}

/// Which charge paid for the release.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LedgerReference {
    /// The ledger's identifier.
    pub id: String,
    /// The entry's sequence number.
    pub entry: u64,
    /// Whether any entry of the ledger is `IDEALISED`.
    pub idealised: bool,
    /// What all releases of the ledger keep together, further ones included; absent in a release of an earlier version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub promise: Option<Claimed>,
}

impl LedgerReference {
    /// Returns the reference to an entry of a ledger.
    pub fn new(ledger: &Ledger, entry: u64) -> Self {
        let (epsilon, delta) = ledger.promise();
        let promise = Some(Claimed { epsilon: epsilon.get(), delta: delta.get() });
        Self { id: ledger.id().to_owned(), entry, idealised: ledger.idealised(), promise }
    }
}
