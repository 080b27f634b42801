//! Tables, their ledgers and their releases.

use serde::{Deserialize, Serialize};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;

use super::db::{Db, LEDGERS, RELEASES, SETTINGS, TABLES};
use super::failure::{Failure, Reason};
use super::lock::Lock;
use crate::privacy::adjacency::Protect;
use crate::privacy::ledger::{Ledger, LedgerError};
use crate::release::Release;

/// What the store knows about a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LedgerRecord {
    /// The ledger, verified.
    pub ledger: Ledger,
    /// The releases that it paid for, by entry. One that another device made is not here.
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

/// The ledger and releases of a table, if it has a ledger. What a crash left reserved is burned first.
///
/// # Errors
/// Where the storage refuses, or the stored ledger does not verify.
pub async fn open_table(table: &str) -> Result<Option<LedgerRecord>, Failure> {
    let db = Db::open().await?;
    // Awaiting the lock is awaiting a release that another tab is making, so a live reservation is never burned.
    let Some((_lock, mut ledger)) = locked(&db, table).await? else { return Ok(None) };
    if ledger.recover().map_err(|error| refusal(&error))?.is_some() {
        write(&db, &ledger).await?;
    }
    let releases = releases(&db, &ledger).await?;
    Ok(Some(LedgerRecord { ledger, releases }))
}

/// Stores the first ledger of a table.
///
/// # Errors
/// Where the table has a ledger, or the storage refuses.
pub async fn create_ledger(table: &str, ledger: Ledger) -> Result<(), Failure> {
    let db = Db::open().await?;
    let _table = Lock::take(&table_lock(table)).await?;
    if ledger_of(&db, table).await?.is_some() {
        return Err(Failure::new(
            Reason::Budget,
            "This table has a ledger already, opened in another tab; a second one would spend its budget twice. Look at its \
             budget in the step Privacy, then release again.",
        ));
    }
    attach(&db, table, &ledger).await
}

/// Takes a table's ledger away again if nothing was ever charged to it, so that a first release that failed fixes no
/// budget.
///
/// # Errors
/// Where the storage refuses.
pub async fn forget_unused(table: &str) -> Result<(), Failure> {
    let db = Db::open().await?;
    let _table = Lock::take(&table_lock(table)).await?;
    let Some((_lock, ledger)) = locked(&db, table).await? else { return Ok(()) };
    if !ledger.entries().is_empty() {
        return Ok(());
    }
    let transaction = db.writing(&[TABLES])?;
    transaction.delete(TABLES, &JsValue::from_str(table))?;
    transaction.end().await
}

/// Takes an exported ledger for a table: as its ledger if it has none, else as a continuation of the one it has.
/// Answers the ledger as stored.
///
/// # Errors
/// Where the copy is older, has another history or is another ledger, or the storage refuses. Nothing has changed then.
pub async fn import_ledger(table: &str, ledger: Ledger) -> Result<Ledger, Failure> {
    let db = Db::open().await?;
    let _table = Lock::take(&table_lock(table)).await?;
    let _lock = Lock::take(&ledger_lock(ledger.id())).await?;
    let known = ledger_of(&db, table).await?;
    let attached = known.is_some();
    // The same ledger may be here already for another table, with charges that the copy lacks.
    let local = match known {
        Some(local) => Some(local),
        None => read(&db, ledger.id()).await?,
    };
    let mut stored = match local {
        Some(mut local) => {
            local.recover().map_err(|error| refusal(&error))?;
            match local.import(&ledger) {
                Ok(_) => {}
                // The local one has all that the copy has, and more.
                Err(LedgerError::Older) if !attached => {}
                Err(error) => return Err(refusal(&error)),
            }
            local
        }
        None => ledger,
    };
    stored.recover().map_err(|error| refusal(&error))?;
    if attached {
        write(&db, &stored).await?
    } else {
        attach(&db, table, &stored).await?
    }
    Ok(stored)
}

/// Turns a ledger of full protection into one of features or labels, for good. Answers the ledger as stored.
///
/// # Errors
/// Where the ledger cannot be turned, or the storage refuses. Nothing has changed then.
pub async fn relax(table: &str, protect: Protect) -> Result<Ledger, Failure> {
    let db = Db::open().await?;
    let Some((_lock, mut ledger)) = locked(&db, table).await? else {
        return Err(Failure::new(Reason::Budget, "This table has no ledger yet."));
    };
    ledger.recover().map_err(|error| refusal(&error))?;
    ledger.relax(protect).map_err(|error| refusal(&error))?;
    write(&db, &ledger).await?;
    Ok(ledger)
}

/// The tables that this device knows.
///
/// # Errors
/// Where the storage refuses.
pub async fn list() -> Result<Vec<KnownTable>, Failure> {
    let db = Db::open().await?;
    let transaction = db.reading(&[TABLES])?;
    let (keys, values) = (transaction.keys(TABLES)?, transaction.all(TABLES)?);
    transaction.end().await?;
    let pairs = keys.list().into_iter().zip(values.list());
    Ok(pairs
        .filter_map(|(key, value)| Some(KnownTable { table: key.as_string()?, ledger: value.as_string()? }))
        .collect())
}

/// Asks the browser to keep the storage when space runs short. `false`: the ledger has to be exported after each release.
pub async fn persist() -> bool {
    let Some(window) = web_sys::window() else { return false };
    let Ok(asked) = window.navigator().storage().persist() else { return false };
    JsFuture::from(asked).await.is_ok_and(|answer| answer.is_truthy())
}

/// A setting of the page, as it was stored.
///
/// # Errors
/// Where the storage refuses.
pub async fn setting(name: &str) -> Result<Option<String>, Failure> {
    let db = Db::open().await?;
    text(&db, SETTINGS, name).await
}

/// Stores a setting of the page.
///
/// # Errors
/// Where the storage refuses.
pub async fn set_setting(name: &str, value: &str) -> Result<(), Failure> {
    let db = Db::open().await?;
    let transaction = db.writing(&[SETTINGS])?;
    transaction.put(SETTINGS, &JsValue::from_str(name), &JsValue::from_str(value))?;
    transaction.end().await
}

/// Takes the lock of a table's ledger, then reads the ledger.
pub(super) async fn locked(db: &Db, table: &str) -> Result<Option<(Lock, Ledger)>, Failure> {
    loop {
        let Some(id) = text(db, TABLES, table).await? else { return Ok(None) };
        let lock = Lock::take(&ledger_lock(&id)).await?;
        // While the lock was awaited, an unused ledger may have been taken away.
        if text(db, TABLES, table).await?.as_ref() == Some(&id) {
            return Ok(read(db, &id).await?.map(|ledger| (lock, ledger)));
        }
    }
}

/// A table's ledger as it stands, without a lock.
pub(super) async fn ledger_of(db: &Db, table: &str) -> Result<Option<Ledger>, Failure> {
    match text(db, TABLES, table).await? {
        Some(id) => read(db, &id).await,
        None => Ok(None),
    }
}

async fn read(db: &Db, id: &str) -> Result<Option<Ledger>, Failure> {
    let Some(text) = text(db, LEDGERS, id).await? else { return Ok(None) };
    Ledger::parse(&text).map(Some).map_err(|error| refusal(&error))
}

async fn write(db: &Db, ledger: &Ledger) -> Result<(), Failure> {
    let transaction = db.writing(&[LEDGERS])?;
    transaction.put(LEDGERS, &JsValue::from_str(ledger.id()), &document(ledger)?)?;
    transaction.end().await
}

/// Writes a ledger and names it as the table's.
async fn attach(db: &Db, table: &str, ledger: &Ledger) -> Result<(), Failure> {
    let id = JsValue::from_str(ledger.id());
    let transaction = db.writing(&[TABLES, LEDGERS])?;
    transaction.add(TABLES, &JsValue::from_str(table), &id)?;
    transaction.put(LEDGERS, &id, &document(ledger)?)?;
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
        if let Some(text) = answer.text() {
            let release = serde_json::from_str(&text).map_err(|_| {
                Failure::new(
                    Reason::Storage,
                    format!("The stored release {entry} cannot be read by this version."),
                )
            })?;
            releases.push(StoredRelease { entry, release });
        }
    }
    Ok(releases)
}

async fn text(db: &Db, store: &str, key: &str) -> Result<Option<String>, Failure> {
    let transaction = db.reading(&[store])?;
    let answer = transaction.get(store, &JsValue::from_str(key))?;
    transaction.end().await?;
    Ok(answer.text())
}

pub(super) fn document(ledger: &Ledger) -> Result<JsValue, Failure> {
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

fn table_lock(table: &str) -> String {
    format!("dp-table:{table}")
}
