//! Stores ledgers in the browser: in IndexedDB, under a Web Lock, so that two tabs cannot write at the same time.
//!
//! Where the browser keeps nothing for this page, the page's memory takes the place of both, and a person's file that of the disk (`keeper`).
//!
//! Page and workers use the same functions. A ledger is written while the lock `dp-ledger:<id>` is held, in a transaction of
//! strict durability. A function returns only after its transaction is complete (theory/accounting 5.5). The device key, a
//! table's key and its MinHash stay on this device and are in no export.
//!
//! A table has one ledger: its own, or otherwise that of the table with which it shares most people. A second ledger for such a
//! table is opened only if a person types a confirmation that the people are different. Both ledgers then record it ([`people`]).

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
mod keeper;
#[cfg(target_arch = "wasm32")]
mod key;
#[cfg(target_arch = "wasm32")]
mod lock;
#[cfg(target_arch = "wasm32")]
mod promise;
#[cfg(target_arch = "wasm32")]
mod start;
#[cfg(target_arch = "wasm32")]
mod tables;

#[cfg(target_arch = "wasm32")]
pub use self::charge::{Charge, Settled, charge, check, take_charge};
#[cfg(target_arch = "wasm32")]
pub use self::db::erase;
#[cfg(target_arch = "wasm32")]
pub use self::keeper::{Connection, Saving, connect, keeps, reach};
#[cfg(target_arch = "wasm32")]
pub use self::key::{file_key, fingerprint, minhash_key};
#[cfg(target_arch = "wasm32")]
pub use self::lock::Lock;
#[cfg(target_arch = "wasm32")]
pub use self::start::start;
#[cfg(target_arch = "wasm32")]
pub use self::tables::{
    KnownTable, LedgerRecord, StoredRelease, charged, create_ledger, forget_sample, forget_unused,
    import_ledger, join, keep_minhash, list, open_table, persist, relax, set_setting, setting, settings,
    stored_release,
};
