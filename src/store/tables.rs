//! Stores tables with their ledgers and releases.

use std::collections::BTreeMap;

use js_sys::Uint8Array;
use serde::{Deserialize, Serialize};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::Blob;

use super::db::{Answer, Db, LEDGERS, MINHASHES, RELEASES, SETTINGS, TABLES};
use super::document;
use super::failure::{Failure, Reason};
use super::lock::Lock;
use super::people::{Different, Shared, sharing};
use crate::data::MinHash;
use crate::data::minhash::DIFFERENT;
use crate::privacy::adjacency::Protect;
use crate::privacy::ledger::{Ledger, LedgerError};
use crate::release::Release;
use crate::words;

/// The store's data about a table.
#[derive(Debug, PartialEq)]
pub struct LedgerRecord {
    /// The ledger, verified.
    pub ledger: Ledger,
    /// The releases charged to it, by entry. Releases made on another device are missing.
    pub releases: Vec<StoredRelease>,
    /// Whether it is the ledger of another table that shares people with this one. The first charge makes it this table's own.
    pub joined: bool,
    /// Further ledgers with people of this table, the largest overlap first, except those that this ledger records as being about
    /// different people.
    pub shared: Vec<Shared>,
}

/// The lock under which a table is given its ledger.
const OPENING: &str = "dp-opening";

/// A release beside its ledger.
#[derive(Debug)]
pub struct StoredRelease {
    /// The ledger's entry with its charge.
    pub entry: u64,
    /// The document.
    pub document: Blob,
    /// The parsed document. `None` for one above [`document::READ_AT_ONCE`], which is read on request.
    pub release: Option<Release>,
}

impl PartialEq for StoredRelease {
    /// Compares the contents. Each reading of the storage returns another `Blob`.
    fn eq(&self, other: &Self) -> bool {
        let size = |release: &Self| release.document.size().to_bits();
        self.entry == other.entry && self.release == other.release && size(self) == size(other)
    }
}

/// A table that the store knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownTable {
    /// Its key, on this device alone.
    pub table: String,
    /// Its ledger's identifier.
    pub ledger: String,
}

/// Returns the ledger and releases of a table: its own ledger, or otherwise that of the table with which it shares most people. An
/// entry that a crash left reserved is burned first.
///
/// # Errors
/// [`Failure`] if the storage refuses, or the stored ledger does not verify.
pub async fn open_table(table: &str) -> Result<Option<LedgerRecord>, Failure> {
    let db = Db::open().await?;
    // Another tab holds the lock during its release, so only abandoned reservations are burned.
    let Some((_lock, mut ledger)) = locked(&db, table).await? else { return Ok(None) };
    if ledger.recover().map_err(|error| refusal(&error))?.is_some() {
        write(&db, &ledger).await?;
    }
    let releases = releases(&db, &ledger).await?;
    let joined = text(&db, TABLES, table).await?.is_none();
    let mut shared = Vec::new();
    for id in sharing_ledgers(&db, table).await?.unwrap_or_default() {
        if id != ledger.id() && !ledger.is_disjoint_from(&id) {
            shared.push(named(&db, &id).await?);
        }
    }
    Ok(Some(LedgerRecord { ledger, releases, joined, shared }))
}

/// Stores a table's MinHash on this device, so that its people are recognised later.
///
/// # Errors
/// [`Failure`] if the storage refuses.
pub async fn keep_minhash(table: &str, minhash: &MinHash) -> Result<(), Failure> {
    let db = Db::open().await?;
    let transaction = db.writing(&[MINHASHES])?;
    let bytes = Uint8Array::from(minhash.to_bytes().as_slice());
    transaction.put(MINHASHES, &JsValue::from_str(table), &bytes)?;
    transaction.end().await
}

/// Stores the first ledger of a table and returns it. If the table shares people with those of known ledgers, a person must confirm
/// that they are different; both ledgers record that in the same transaction.
///
/// # Errors
/// [`Failure`] if the table has a ledger, shares people with another one, or was not recognised yet, or if the storage refuses.
/// Then nothing has changed.
pub async fn create_ledger(
    table: &str,
    mut ledger: Ledger,
    different: Option<&Different>,
) -> Result<Ledger, Failure> {
    let db = Db::open().await?;
    let _opening = Lock::take(OPENING).await?;
    if text(&db, TABLES, table).await?.is_some() {
        return Err(Failure::new(Reason::Budget, words::failure::second_ledger()));
    }
    let mut others = sharing_ledgers(&db, table).await?.ok_or_else(unrecognised)?;
    if let Some(other) = others.iter().find(|id| !different.is_some_and(|word| word.is_from(id))) {
        return Err(second_ledger(&named(&db, other).await?));
    }
    // With whom it shares columns alone, the person has said so, too.
    others.extend(different.iter().flat_map(|word| word.shared()).map(|shared| shared.ledger.clone()));
    // All holders of the lock above take further locks in this order.
    others.sort();
    others.dedup();
    let mut locks = Vec::new();
    let mut ledgers = Vec::new();
    for id in others {
        locks.push(Lock::take(&ledger_lock(&id)).await?);
        let mut other = read(&db, &id).await?.ok_or_else(lost)?;
        other.recover().map_err(|error| refusal(&error))?;
        other.disjoint(ledger.id()).map_err(|error| refusal(&error))?;
        ledger.disjoint(&id).map_err(|error| refusal(&error))?;
        ledgers.push(other);
    }
    ledgers.push(ledger.clone());
    attach(&db, table, &ledger, &ledgers).await?;
    Ok(ledger)
}

/// Makes a ledger of this device that of a table without one: the person says that both are about the same people.
///
/// # Errors
/// [`Failure`] if the table has a ledger, or the storage refuses. Then nothing has changed.
pub async fn join(table: &str, id: &str) -> Result<(), Failure> {
    let db = Db::open().await?;
    let _opening = Lock::take(OPENING).await?;
    if text(&db, TABLES, table).await?.is_some() {
        return Err(Failure::new(Reason::Budget, words::failure::second_ledger()));
    }
    let _lock = Lock::take(&ledger_lock(id)).await?;
    let ledger = read(&db, id).await?.ok_or_else(lost)?;
    attach(&db, table, &ledger, std::slice::from_ref(&ledger)).await
}

/// Returns the ledger of a table that this device knows, if something was charged to it.
///
/// # Errors
/// [`Failure`] if the storage refuses, or the stored ledger does not verify.
pub async fn charged(known: &KnownTable) -> Result<Option<Shared>, Failure> {
    let db = Db::open().await?;
    let ledger = read(&db, &known.ledger).await?;
    Ok(ledger.filter(|ledger| !ledger.entries().is_empty()).map(|ledger| Shared::of(&ledger)))
}

/// Removes a table's ledger if it has no entry, so that a first release that failed does not fix the budget.
///
/// # Errors
/// [`Failure`] if the storage refuses.
pub async fn forget_unused(table: &str) -> Result<(), Failure> {
    detach(table, |ledger| ledger.entries().is_empty()).await
}

/// Removes the ledger of a sample of the page, whose data are public, so that it has a whole budget again.
///
/// # Errors
/// [`Failure`] if the storage refuses.
pub async fn forget_sample(table: &str) -> Result<(), Failure> {
    detach(table, |_| true).await
}

/// Removes a table's own ledger, if it is one of these.
async fn detach(table: &str, is_one: impl Fn(&Ledger) -> bool) -> Result<(), Failure> {
    let db = Db::open().await?;
    let _opening = Lock::take(OPENING).await?;
    if text(&db, TABLES, table).await?.is_none() {
        return Ok(());
    }
    let Some((_lock, ledger)) = locked(&db, table).await? else { return Ok(()) };
    if !is_one(&ledger) {
        return Ok(());
    }
    let transaction = db.writing(&[TABLES])?;
    transaction.delete(TABLES, &JsValue::from_str(table))?;
    transaction.end().await
}

/// Imports an exported ledger for a table and returns the stored ledger: as the table's ledger if it has none, otherwise as a newer
/// copy of the one it has.
///
/// # Errors
/// [`Failure`] if the copy is older, has another history, is another ledger, or is that of a table that shares people with this one
/// (unless both ledgers record that they are different), or if the storage refuses. Then nothing has changed.
pub async fn import_ledger(table: &str, ledger: Ledger) -> Result<Ledger, Failure> {
    let db = Db::open().await?;
    let _opening = Lock::take(OPENING).await?;
    let _lock = Lock::take(&ledger_lock(ledger.id())).await?;
    let known = match text(&db, TABLES, table).await? {
        Some(id) => read(&db, &id).await?,
        None => None,
    };
    let attached = known.is_some();
    // The same ledger may be stored for another table, with charges that the copy lacks.
    let local = match known {
        Some(local) => Some(local),
        None => read(&db, ledger.id()).await?,
    };
    let mut stored = match local {
        Some(mut local) => {
            local.recover().map_err(|error| refusal(&error))?;
            match local.import(&ledger) {
                Ok(_) => {}
                // The local ledger has all entries of the copy, and more.
                Err(LedgerError::Older) if !attached => {}
                Err(error) => return Err(refusal(&error)),
            }
            local
        }
        None => ledger,
    };
    stored.recover().map_err(|error| refusal(&error))?;
    if attached {
        write(&db, &stored).await?;
        return Ok(stored);
    }
    let others = sharing_ledgers(&db, table).await?.ok_or_else(unrecognised)?;
    if !others.iter().any(|id| id == stored.id()) {
        for id in others {
            let other = read(&db, &id).await?;
            let asserted =
                |other: &Ledger| other.is_disjoint_from(stored.id()) && stored.is_disjoint_from(&id);
            if !other.as_ref().is_some_and(asserted) {
                return Err(second_ledger(&named(&db, &id).await?));
            }
        }
    }
    attach(&db, table, &stored, std::slice::from_ref(&stored)).await?;
    Ok(stored)
}

/// Reduces a ledger's full protection to that of features or of labels, permanently, and returns the stored ledger.
///
/// # Errors
/// [`Failure`] if the ledger cannot be relaxed, or the storage refuses. Then nothing has changed.
pub async fn relax(table: &str, protect: Protect) -> Result<Ledger, Failure> {
    let db = Db::open().await?;
    let Some((_lock, mut ledger)) = locked(&db, table).await? else {
        return Err(Failure::new(Reason::Budget, words::failure::no_ledger()));
    };
    ledger.recover().map_err(|error| refusal(&error))?;
    ledger.relax(protect).map_err(|error| refusal(&error))?;
    write(&db, &ledger).await?;
    Ok(ledger)
}

/// Returns the tables that this device knows.
///
/// # Errors
/// [`Failure`] if the storage refuses.
pub async fn list() -> Result<Vec<KnownTable>, Failure> {
    let db = Db::open().await?;
    let pairs = db.reading(&[TABLES])?.pairs(TABLES).await?;
    Ok(pairs.filter_map(|(table, ledger)| Some(KnownTable { table, ledger: ledger.as_string()? })).collect())
}

/// Asks the browser to keep the storage if space runs short. If it returns `false`, the ledger has to be exported after each release.
pub async fn persist() -> bool {
    let Some(window) = web_sys::window() else { return false };
    let Ok(asked) = window.navigator().storage().persist() else { return false };
    JsFuture::from(asked).await.is_ok_and(|answer| answer.is_truthy())
}

/// Returns a setting of the page, as it was stored.
///
/// # Errors
/// [`Failure`] if the storage refuses.
pub async fn setting(name: &str) -> Result<Option<String>, Failure> {
    let db = Db::open().await?;
    text(&db, SETTINGS, name).await
}

/// Returns the settings of the page whose names begin so.
///
/// # Errors
/// [`Failure`] if the storage refuses.
pub async fn settings(prefix: &str) -> Result<Vec<String>, Failure> {
    let db = Db::open().await?;
    let found = db.reading(&[SETTINGS])?.pairs(SETTINGS).await?.filter(|(key, _)| key.starts_with(prefix));
    Ok(found.filter_map(|(_, value)| value.as_string()).collect())
}

/// Stores a setting of the page.
///
/// # Errors
/// [`Failure`] if the storage refuses.
pub async fn set_setting(name: &str, value: &str) -> Result<(), Failure> {
    let db = Db::open().await?;
    let transaction = db.writing(&[SETTINGS])?;
    transaction.put(SETTINGS, &JsValue::from_str(name), &JsValue::from_str(value))?;
    transaction.end().await
}

/// Takes the lock under which a table is given a ledger, if the table has none of its own, so that no second ledger is created while
/// a charge looks for one. It must not be awaited while a ledger's lock is held.
pub(super) async fn opening(db: &Db, table: &str) -> Result<Option<Lock>, Failure> {
    if text(db, TABLES, table).await?.is_some() { Ok(None) } else { Lock::take(OPENING).await.map(Some) }
}

/// Takes the lock of a table's ledger, then reads the ledger.
pub(super) async fn locked(db: &Db, table: &str) -> Result<Option<(Lock, Ledger)>, Failure> {
    loop {
        let Some(id) = ledger_id(db, table).await? else { return Ok(None) };
        let lock = Lock::take(&ledger_lock(&id)).await?;
        // An unused ledger may have been removed while the lock was awaited.
        if ledger_id(db, table).await?.as_ref() == Some(&id) {
            return Ok(read(db, &id).await?.map(|ledger| (lock, ledger)));
        }
    }
}

/// Returns a table's current ledger, without a lock.
pub(super) async fn ledger_of(db: &Db, table: &str) -> Result<Option<Ledger>, Failure> {
    match ledger_id(db, table).await? {
        Some(id) => read(db, &id).await,
        None => Ok(None),
    }
}

/// Returns the ledger to which a table is charged: its own, or otherwise that of the table with which it shares most people.
async fn ledger_id(db: &Db, table: &str) -> Result<Option<String>, Failure> {
    match text(db, TABLES, table).await? {
        Some(id) => Ok(Some(id)),
        None => Ok(sharing_ledgers(db, table).await?.unwrap_or_default().into_iter().next()),
    }
}

/// Returns the ledgers of other tables that share people with this one, the largest overlap first; `None` for a table without a
/// MinHash, which cannot be compared.
async fn sharing_ledgers(db: &Db, table: &str) -> Result<Option<Vec<String>>, Failure> {
    let transaction = db.reading(&[TABLES, MINHASHES])?;
    let (tables, ledgers) = (transaction.keys(TABLES)?, transaction.all(TABLES)?);
    let (keys, minhashes) = (transaction.keys(MINHASHES)?, transaction.all(MINHASHES)?);
    transaction.end().await?;
    let named = tables.list().into_iter().zip(ledgers.list());
    let ledgers: BTreeMap<String, String> =
        named.filter_map(|(table, ledger)| Some((table.as_string()?, ledger.as_string()?))).collect();
    let (mut own, mut known) = (None, Vec::new());
    for (key, value) in keys.list().into_iter().zip(minhashes.list()) {
        let bytes = value.dyn_into::<Uint8Array>().map(|bytes| bytes.to_vec()).unwrap_or_default();
        let minhash = MinHash::from_bytes(&bytes)
            .ok_or_else(|| Failure::new(Reason::Storage, words::failure::storage_version()))?;
        let key = key.as_string().unwrap_or_default();
        if key == table {
            own = Some(minhash);
        } else if let Some(ledger) = ledgers.get(&key) {
            known.push((ledger.clone(), minhash));
        }
    }
    Ok(own.map(|own| sharing(&own, &known)))
}

async fn named(db: &Db, ledger: &str) -> Result<Shared, Failure> {
    read(db, ledger).await?.as_ref().map(Shared::of).ok_or_else(lost)
}

fn lost() -> Failure {
    Failure::new(Reason::Storage, words::failure::ledger_gone())
}

fn unrecognised() -> Failure {
    Failure::new(Reason::Budget, words::failure::not_recognised())
}

fn second_ledger(other: &Shared) -> Failure {
    Failure::new(Reason::Budget, words::failure::shared_people(other.name(), DIFFERENT))
}

async fn read(db: &Db, id: &str) -> Result<Option<Ledger>, Failure> {
    let Some(text) = text(db, LEDGERS, id).await? else { return Ok(None) };
    Ledger::parse(&text).map(Some).map_err(|error| refusal(&error))
}

async fn write(db: &Db, ledger: &Ledger) -> Result<(), Failure> {
    let transaction = db.writing(&[LEDGERS])?;
    transaction.put(LEDGERS, &JsValue::from_str(ledger.id()), &ledger_document(ledger)?)?;
    transaction.end().await
}

/// Stores ledgers and makes one of them the table's own.
async fn attach(db: &Db, table: &str, own: &Ledger, ledgers: &[Ledger]) -> Result<(), Failure> {
    let transaction = db.writing(&[TABLES, LEDGERS])?;
    transaction.add(TABLES, &JsValue::from_str(table), &JsValue::from_str(own.id()))?;
    for ledger in ledgers {
        transaction.put(LEDGERS, &JsValue::from_str(ledger.id()), &ledger_document(ledger)?)?;
    }
    transaction.end().await
}

async fn releases(db: &Db, ledger: &Ledger) -> Result<Vec<StoredRelease>, Failure> {
    let transaction = db.reading(&[RELEASES])?;
    let mut answers = Vec::new();
    for (entry, _) in (1_u64..).zip(ledger.entries()) {
        answers.push((entry, transaction.get(RELEASES, &release_key(ledger.id(), entry))?));
    }
    transaction.end().await?;
    let mut releases = Vec::new();
    for (entry, answer) in answers {
        let Some(document) = kept_document(&answer) else { continue };
        let small = document.size() <= document::READ_AT_ONCE;
        let release = if small { Some(stored_release(&document, entry).await?) } else { None };
        releases.push(StoredRelease { entry, document, release });
    }
    Ok(releases)
}

/// Reads a stored release.
///
/// # Errors
/// [`Failure`] if it is of another version.
pub async fn stored_release(document: &Blob, entry: u64) -> Result<Release, Failure> {
    let failure = || Failure::new(Reason::Storage, words::failure::release_version(entry));
    document::read_release(document).await.ok().flatten().ok_or_else(failure)
}

/// Returns the document of a release: a `Blob`, or a text as earlier versions kept it.
fn kept_document(answer: &Answer) -> Option<Blob> {
    match answer.text() {
        Some(text) => document::from_text([text], "application/json").ok(),
        None => answer.value().dyn_into().ok(),
    }
}

async fn text(db: &Db, store: &str, key: &str) -> Result<Option<String>, Failure> {
    let transaction = db.reading(&[store])?;
    let answer = transaction.get(store, &JsValue::from_str(key))?;
    transaction.end().await?;
    Ok(answer.text())
}

pub(super) fn ledger_document(ledger: &Ledger) -> Result<JsValue, Failure> {
    ledger.to_json().map(|text| JsValue::from_str(&text)).map_err(|error| refusal(&error))
}

pub(super) fn refusal(error: &LedgerError) -> Failure {
    Failure::new(Reason::Budget, error.to_string())
}

pub(super) fn release_key(ledger: &str, entry: u64) -> JsValue {
    JsValue::from_str(&format!("{ledger}/{entry}"))
}

fn ledger_lock(id: &str) -> String {
    format!("dp-ledger:{id}")
}
