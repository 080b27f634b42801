//! Accesses IndexedDB, as far as the ledger needs it.
//!
//! A transaction ends by itself when it has no request. So all requests of a transaction are made at once, then its end is awaited,
//! and then the results are read.

use js_sys::{Array, Function, Object, Promise, Reflect};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{IdbDatabase, IdbFactory, IdbOpenDbRequest, IdbRequest, IdbTransaction};

use super::failure::{Failure, Reason};
use crate::words;

const NAME: &str = "discreet";
/// Version 2 added the MinHash values.
const VERSION: u32 = 2;

/// The device key.
pub const KEYS: &str = "keys";
/// A table's key to its ledger's identifier.
pub const TABLES: &str = "tables";
/// A ledger's identifier to its document.
pub const LEDGERS: &str = "ledgers";
/// A ledger's identifier and an entry to the release.
pub const RELEASES: &str = "releases";
/// A request's name to the entry of its charge, until the page has read it.
pub const CHARGES: &str = "charges";
/// A table's key to its MinHash. The text is the store's name since version 2.
pub const MINHASHES: &str = "sketches";
/// A setting's name to its text.
pub const SETTINGS: &str = "settings";

/// An open database; closed when it is dropped.
pub struct Db(IdbDatabase);

impl Db {
    /// Opens the database and creates the stores that are missing.
    pub async fn open() -> Result<Self, Failure> {
        let request = factory()?.open_with_u32(NAME, VERSION).map_err(refused)?;
        let upgrade = {
            let request = request.clone();
            Closure::once(move |_: JsValue| upgrade(&request))
        };
        request.set_onupgradeneeded(Some(upgrade.as_ref().unchecked_ref()));
        answered(&request, true).await?;
        request.result().and_then(JsCast::dyn_into).map(Self).map_err(refused)
    }

    /// Creates a transaction that only reads.
    pub fn reading(&self, stores: &[&str]) -> Result<Transaction, Failure> {
        self.begin(stores, "readonly", &JsValue::UNDEFINED)
    }

    /// Creates a transaction of strict durability: its end means that the browser has written the bytes to the disk.
    pub fn writing(&self, stores: &[&str]) -> Result<Transaction, Failure> {
        let options = Object::new();
        Reflect::set(&options, &"durability".into(), &"strict".into()).map_err(refused)?;
        self.begin(stores, "readwrite", &options)
    }

    /// Begins a transaction by an untyped call, because the typed binding has no durability.
    fn begin(&self, stores: &[&str], mode: &str, options: &JsValue) -> Result<Transaction, Failure> {
        let names: Array = stores.iter().map(|name| JsValue::from_str(name)).collect();
        let begin: Function =
            Reflect::get(&self.0, &"transaction".into()).and_then(JsCast::dyn_into).map_err(refused)?;
        let transaction: IdbTransaction = begin
            .call3(&self.0, &names, &JsValue::from_str(mode), options)
            .and_then(JsCast::dyn_into)
            .map_err(refused)?;
        let ended = Promise::new(&mut |resolve, reject| {
            transaction.set_oncomplete(Some(&resolve));
            transaction.set_onabort(Some(&reject));
        });
        Ok(Transaction { transaction, ended: Some(ended) })
    }
}

impl Drop for Db {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Erases all that this browser keeps: ledgers, releases, drafts, the keyed fingerprints of tables, the key and settings. Waits until
/// other tabs and workers have closed the database, because a deletion that they block cannot be withdrawn.
///
/// # Errors
/// [`Failure`] if the storage refuses.
pub async fn erase() -> Result<(), Failure> {
    let request = factory()?.delete_database(NAME).map_err(refused)?;
    answered(&request, false).await
}

fn factory() -> Result<IdbFactory, Failure> {
    Reflect::get(&js_sys::global(), &"indexedDB".into()).and_then(JsCast::dyn_into).map_err(refused)
}

async fn answered(request: &IdbOpenDbRequest, fails_if_blocked: bool) -> Result<(), Failure> {
    let answer = Promise::new(&mut |resolve, reject| {
        request.set_onsuccess(Some(&resolve));
        request.set_onerror(Some(&reject));
        request.set_onblocked(Some(&reject).filter(|_| fails_if_blocked));
    });
    JsFuture::from(answer).await.map(drop).map_err(refused)
}

fn upgrade(request: &IdbOpenDbRequest) {
    let Ok(database) = request.result().and_then(JsCast::dyn_into::<IdbDatabase>) else { return };
    let there = database.object_store_names();
    for name in [KEYS, TABLES, LEDGERS, RELEASES, CHARGES, MINHASHES, SETTINGS] {
        if !there.contains(name) {
            // If a store cannot be created, the first transaction that uses it fails.
            let _ = database.create_object_store(name);
        }
    }
}

/// An open transaction. If it is dropped before its end was awaited, it writes nothing.
pub struct Transaction {
    transaction: IdbTransaction,
    ended: Option<Promise>,
}

impl Drop for Transaction {
    /// Aborts the transaction. Otherwise it would complete and store the requests made before the one that failed.
    fn drop(&mut self) {
        if self.ended.is_some() {
            self.transaction.set_onabort(None);
            // A transaction that has ended cannot be aborted.
            let _ = self.transaction.abort();
        }
    }
}

impl Transaction {
    /// Asks for a value.
    pub fn get(&self, store: &str, key: &JsValue) -> Result<Answer, Failure> {
        self.store(store)?.get(key).map(Answer).map_err(refused)
    }

    /// Asks for all values.
    pub fn all(&self, store: &str) -> Result<Answer, Failure> {
        self.store(store)?.get_all().map(Answer).map_err(refused)
    }

    /// Asks for all keys.
    pub fn keys(&self, store: &str) -> Result<Answer, Failure> {
        self.store(store)?.get_all_keys().map(Answer).map_err(refused)
    }

    /// Writes a value, replacing an existing one.
    pub fn put(&self, store: &str, key: &JsValue, value: &JsValue) -> Result<(), Failure> {
        self.store(store)?.put_with_key(value, key).map(drop).map_err(refused)
    }

    /// Writes a value; the whole transaction fails if one exists.
    pub fn add(&self, store: &str, key: &JsValue, value: &JsValue) -> Result<(), Failure> {
        self.store(store)?.add_with_key(value, key).map(drop).map_err(refused)
    }

    /// Removes a value, if there is one.
    pub fn delete(&self, store: &str, key: &JsValue) -> Result<(), Failure> {
        self.store(store)?.delete(key).map(drop).map_err(refused)
    }

    /// Awaits the end of the transaction. After it, values are stored and results can be read.
    pub async fn end(mut self) -> Result<(), Failure> {
        match self.ended.take() {
            Some(ended) => JsFuture::from(ended).await.map(drop).map_err(refused),
            None => Ok(()),
        }
    }

    fn store(&self, name: &str) -> Result<web_sys::IdbObjectStore, Failure> {
        self.transaction.object_store(name).map_err(refused)
    }
}

/// The result of a request, to be read after the transaction's end.
pub struct Answer(IdbRequest);

impl Answer {
    /// Returns the value; `undefined` if there is none.
    pub fn value(&self) -> JsValue {
        self.0.result().unwrap_or(JsValue::UNDEFINED)
    }

    /// Returns a text, if it is one.
    pub fn text(&self) -> Option<String> {
        self.value().as_string()
    }

    /// Returns the values of [`Transaction::all`] and [`Transaction::keys`].
    pub fn list(&self) -> Vec<JsValue> {
        self.value().dyn_into::<Array>().map_or_else(|_| Vec::new(), |list| list.iter().collect())
    }
}

/// Returns the failure of the storage. The browser's own text is dropped, because it differs between browsers and does not help a
/// person.
pub fn refused(_: JsValue) -> Failure {
    Failure::new(Reason::Storage, words::failure::storage())
}
