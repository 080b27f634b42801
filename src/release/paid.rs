//! The charge behind a release.

use serde::{Deserialize, Serialize};

/// Which charge paid for the release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LedgerReference {
    /// The ledger's identifier.
    pub id: String,
    /// The entry's sequence number.
    pub entry: u64,
    /// Whether any entry of the ledger is `IDEALISED`.
    pub idealised: bool,
}
