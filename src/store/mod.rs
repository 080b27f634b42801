//! The ledger's home in the browser: IndexedDB, and a Web Lock so that two tabs cannot race.
//!
//! Page and workers use the same functions. A ledger is written by whoever holds the lock `dp-ledger:<id>`, in a
//! transaction of strict durability, and nothing is answered before that transaction is complete (noise-and-accounting,
//! B11). The device key and a table's key stay on this device and are in no export.

use serde::{Deserialize, Serialize};

use crate::privacy::adjacency::Protect;
use crate::privacy::ledger::Ledger;
use crate::release::Release;
use crate::worker::protocol::{Failure, Reason};

/// What the store knows about a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LedgerRecord {
    /// The ledger, verified.
    pub ledger: Ledger,
    /// The releases that it paid for, by entry.
    pub releases: Vec<StoredRelease>,
}

/// A release beside its ledger.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredRelease {
    /// The ledger's entry that paid for it.
    pub entry: u64,
    /// The document.
    pub release: Release,
}

/// A table that the store knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownTable {
    /// Its key, on this device alone.
    pub table: String,
    /// Its ledger's identifier.
    pub ledger: String,
}

fn later<T>() -> Result<T, Failure> {
    Err(Failure::new(Reason::Storage, "not built yet"))
}

/// The ledger and releases of a table, if it has a ledger. What a crash left reserved is burned first.
///
/// # Errors
/// Where the storage refuses, or the stored ledger does not verify.
pub async fn open_table(table: &str) -> Result<Option<LedgerRecord>, Failure> {
    let _ = table;
    later()
}

/// Stores the first ledger of a table.
///
/// # Errors
/// Where the table has a ledger, or the storage refuses.
pub async fn create_ledger(table: &str, ledger: Ledger) -> Result<(), Failure> {
    let _ = (table, ledger);
    later()
}

/// Takes an exported ledger for a table: as its ledger if it has none, else as a continuation of the one it has.
/// Answers the ledger as stored.
///
/// # Errors
/// Where the copy is older, has another history or is another ledger, or the storage refuses. Nothing has changed then.
pub async fn import_ledger(table: &str, ledger: Ledger) -> Result<Ledger, Failure> {
    let _ = (table, ledger);
    later()
}

/// Turns a ledger of full protection into one of features or labels, for good. Answers the ledger as stored.
///
/// # Errors
/// Where the ledger cannot be turned, or the storage refuses. Nothing has changed then.
pub async fn relax(table: &str, protect: Protect) -> Result<Ledger, Failure> {
    let _ = (table, protect);
    later()
}

/// The tables that this device knows.
///
/// # Errors
/// Where the storage refuses.
pub async fn list() -> Result<Vec<KnownTable>, Failure> {
    later()
}

/// Asks the browser to keep the storage when space runs short. `false`: the ledger has to be exported after each release.
pub async fn persist() -> bool {
    false
}

/// A setting of the page, as it was stored.
///
/// # Errors
/// Where the storage refuses.
pub async fn setting(name: &str) -> Result<Option<String>, Failure> {
    let _ = name;
    later()
}

/// Stores a setting of the page.
///
/// # Errors
/// Where the storage refuses.
pub async fn set_setting(name: &str, value: &str) -> Result<(), Failure> {
    let _ = (name, value);
    later()
}
