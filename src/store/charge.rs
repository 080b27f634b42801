//! A charge from its reservation to its release, under one lock.

use wasm_bindgen::JsValue;
use web_sys::Blob;

use super::db::{CHARGES, Db, LEDGERS, RELEASES, TABLES};
use super::document::write_release;
use super::failure::{Failure, Reason};
use super::lock::Lock;
use super::tables::{ledger_document, ledger_of, locked, open_table, opening, refusal, release_key};
use crate::privacy::ledger::{Ledger, Request};
use crate::release::Release;
use crate::release::document::LedgerReference;

/// Returns whether a charge would fit now. It takes no lock, so it decides nothing: it spares a person the reading of a table.
///
/// # Errors
/// Where the table has no ledger, the budget does not allow it, or the storage refuses.
pub async fn check(table: &str, request: &Request<'_>) -> Result<(), Failure> {
    let db = Db::open().await?;
    let mut ledger = ledger_of(&db, table).await?.ok_or_else(no_ledger)?;
    ledger.recover().map_err(|error| refusal(&error))?;
    ledger.check(request).map(drop).map_err(|error| refusal(&error))
}

/// A charge that is stored and not yet settled. While it lives, the ledger is locked.
pub struct Charge {
    ledger: Ledger,
    seq: u64,
    db: Db,
    _lock: Lock,
}

/// Charges a table's ledger: lock, read and verify, burn what a crash left, reserve, write, and await the write's end.
/// `name` is the request's own, for [`take_charge`]. From here on the ledger is the table's own, if it was another table's
/// with which this one shares people.
///
/// # Errors
/// Where the table has no ledger, the budget does not allow it, or the storage refuses. A transaction that fails has
/// written nothing.
pub async fn charge(table: &str, name: &str, request: &Request<'_>) -> Result<Charge, Failure> {
    let db = Db::open().await?;
    let _opening = opening(&db, table).await?;
    let (lock, mut ledger) = locked(&db, table).await?.ok_or_else(no_ledger)?;
    ledger.recover().map_err(|error| refusal(&error))?;
    let seq = ledger.reserve(request).map_err(|error| refusal(&error))?;
    let transaction = db.writing(&[TABLES, LEDGERS, CHARGES])?;
    transaction.put(TABLES, &JsValue::from_str(table), &JsValue::from_str(ledger.id()))?;
    transaction.put(LEDGERS, &JsValue::from_str(ledger.id()), &ledger_document(&ledger)?)?;
    transaction.add(CHARGES, &JsValue::from_str(name), &JsValue::from_str(&seq.to_string()))?;
    transaction.end().await?;
    Ok(Charge { ledger, seq, db, _lock: lock })
}

/// Returns whether the request `name` was charged, asked once its workers are gone. It is forgotten then. What they left
/// reserved is burned first; to wait for the ledger's lock is to wait for the end of what they had begun to write.
///
/// # Errors
/// Where the storage refuses.
pub async fn take_charge(table: &str, name: &str) -> Result<bool, Failure> {
    open_table(table).await?;
    let db = Db::open().await?;
    let name = JsValue::from_str(name);
    let transaction = db.writing(&[CHARGES])?;
    let answer = transaction.get(CHARGES, &name)?;
    transaction.delete(CHARGES, &name)?;
    transaction.end().await?;
    Ok(answer.text().is_some())
}

impl Charge {
    /// Returns the reference to the charge that stands in the release.
    #[must_use]
    pub fn reference(&self) -> LedgerReference {
        LedgerReference {
            id: self.ledger.id().to_owned(),
            entry: self.seq,
            idealised: self.ledger.idealised(),
        }
    }

    /// Stores the release and settles the charge, in one transaction. Answers the ledger and the release's
    /// document.
    ///
    /// # Errors
    /// Where the storage refuses. The charge stays then, and is burned when the ledger is next opened.
    pub async fn settle(mut self, release: &Release) -> Result<(Ledger, Blob), Failure> {
        let lost = || Failure::after_charge(Reason::Storage);
        self.ledger.release(self.seq).map_err(|_| lost())?;
        let written = write_release(release).map_err(|_| lost())?;
        let transaction = self.db.writing(&[LEDGERS, RELEASES])?;
        transaction.put(LEDGERS, &JsValue::from_str(self.ledger.id()), &ledger_document(&self.ledger)?)?;
        transaction.add(RELEASES, &release_key(self.ledger.id(), self.seq), &written)?;
        transaction.end().await?;
        Ok((self.ledger, written))
    }
}

fn no_ledger() -> Failure {
    Failure::new(Reason::Budget, "This table has no ledger yet. Fix its budget first, in the step Privacy.")
}
