//! The ledger's home in the browser: IndexedDB, and a Web Lock so that two tabs cannot race.
//!
//! Page and workers use the same functions. A ledger is written by whoever holds the lock `dp-ledger:<id>`, in a
//! transaction of strict durability, and nothing is answered before that transaction is complete (noise-and-accounting,
//! B11). The device key, a table's key and its minhash stay on this device and are in no export.
//!
//! A table has one ledger: its own, or else that of the table with which it shares most people. A second ledger about the
//! same people is opened only on a person's typed word that they are different ones, which both ledgers then hold
//! ([`people`]).

pub mod failure;
pub mod identity;
pub mod people;

#[cfg(target_arch = "wasm32")]
mod charge;
#[cfg(target_arch = "wasm32")]
mod db;
#[cfg(target_arch = "wasm32")]
pub mod document;
#[cfg(target_arch = "wasm32")]
mod key;
#[cfg(target_arch = "wasm32")]
mod lock;
#[cfg(target_arch = "wasm32")]
mod tables;

#[cfg(target_arch = "wasm32")]
pub use self::charge::{Charge, charge, check, take_charge};
#[cfg(target_arch = "wasm32")]
pub use self::key::{fingerprint, minhash_key};
#[cfg(target_arch = "wasm32")]
pub use self::tables::{
    KnownTable, LedgerRecord, StoredRelease, create_ledger, forget_unused, import_ledger, keep_minhash, list,
    open_table, persist, relax, set_setting, setting, shares_people, stored_release,
};
