//! Charges a ledger, from the reservation to the release, under one lock.

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
use crate::words;

/// Checks whether a charge would fit now. It takes no lock, so [`charge`] checks again.
///
/// # Errors
/// [`Failure`] if the table has no ledger, too little of the budget is left, or the storage refuses.
pub async fn check(table: &str, request: &Request<'_>) -> Result<(), Failure> {
    let db = Db::open().await?;
    let mut ledger = ledger_of(&db, table).await?.ok_or_else(no_ledger)?;
    ledger.recover().map_err(|error| refusal(&error))?;
    ledger.check(request).map(drop).map_err(|error| refusal(&error))
}

/// A charge that is stored and not yet settled. The ledger is locked until this is dropped.
pub struct Charge {
    ledger: Ledger,
    seq: u64,
    db: Db,
    _lock: Lock,
}

/// Charges a table's ledger: locks it, reads and verifies it, burns an entry that a crash left reserved, reserves, and waits until
/// that is stored. `name` is the request's name, for [`take_charge`]. `seen` is the hash of the last entry that the person saw. If the ledger was that of another table that shares people
/// with this one, it becomes this table's own as well.
///
/// # Errors
/// [`Failure`] if the table has no ledger, too little of the budget is left, something was charged since the entry that was `seen`, the
/// storage refuses, or a person who has to save the ledger cancels. Then nothing was written.
pub async fn charge(
    table: &str,
    name: &str,
    seen: Option<&str>,
    request: &Request<'_>,
) -> Result<Charge, Failure> {
    let db = Db::open().await?;
    let _opening = opening(&db, table).await?;
    let (lock, mut ledger) = locked(&db, table).await?.ok_or_else(no_ledger)?;
    let is_unseen = seen.is_some_and(|seen| seen != ledger.tip());
    ledger.recover().map_err(|error| refusal(&error))?;
    let seq = ledger.reserve(request).map_err(|error| refusal(&error))?;
    // What does not fit is refused above, in numbers.
    if is_unseen {
        return Err(Failure::new(Reason::Budget, words::failure::charged_meanwhile()));
    }
    let transaction = db.writing(&[TABLES, LEDGERS, CHARGES])?;
    transaction.put(TABLES, &JsValue::from_str(table), &JsValue::from_str(ledger.id()))?;
    let document = ledger_document(&ledger)?;
    transaction.put(LEDGERS, &JsValue::from_str(ledger.id()), &document)?;
    transaction.add(CHARGES, &JsValue::from_str(name), &JsValue::from_str(&seq.to_string()))?;
    transaction.end_charged(&document).await?;
    Ok(Charge { ledger, seq, db, _lock: lock })
}

/// Returns whether the request `name` was charged, and removes its name. The caller calls it after the request's workers have ended.
/// Acquiring the lock guarantees that their pending writes have finished. An entry that they left reserved is burned first.
///
/// # Errors
/// [`Failure`] if the storage refuses.
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

/// What became of a charge.
pub struct Settled {
    /// The ledger after the charge.
    pub ledger: Ledger,
    /// The release's document.
    pub document: Blob,
    /// Whether the document is stored.
    pub kept: bool,
}

impl Charge {
    /// Returns the reference to the charge that stands in the release.
    pub fn reference(&self) -> LedgerReference {
        LedgerReference::new(&self.ledger, self.seq)
    }

    /// Stores the release and settles the charge in one transaction. If the storage refuses, the charge stays, is burned when the ledger is
    /// opened the next time, and the release is returned all the same: it was paid for.
    ///
    /// # Errors
    /// [`Failure`] if the browser has no room for the document.
    pub async fn settle(mut self, release: &Release) -> Result<Settled, Failure> {
        let lost = || Failure::after_charge(Reason::Storage);
        let document = write_release(release).map_err(|_| lost())?;
        let mut burned = self.ledger.clone();
        burned.recover().map_err(|_| lost())?;
        self.ledger.release(self.seq).map_err(|_| lost())?;
        let kept = self.keep(&document).await.is_ok();
        Ok(Settled { ledger: if kept { self.ledger } else { burned }, document, kept })
    }

    async fn keep(&self, document: &Blob) -> Result<(), Failure> {
        let transaction = self.db.writing(&[LEDGERS, RELEASES])?;
        transaction.put(LEDGERS, &JsValue::from_str(self.ledger.id()), &ledger_document(&self.ledger)?)?;
        transaction.add(RELEASES, &release_key(self.ledger.id(), self.seq), document)?;
        transaction.end().await
    }
}

fn no_ledger() -> Failure {
    Failure::new(Reason::Budget, words::failure::no_ledger_fix())
}
