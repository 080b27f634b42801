//! Accesses IndexedDB, as far as the ledger needs it. Where the browser keeps nothing for this page, the same requests go to the page's
//! memory ([`keeper`]).
//!
//! A transaction ends by itself when it has no request. So all requests of a transaction are made at once, then its end is awaited,
//! and then the results are read.

use js_sys::{Array, Function, Object, Promise, Reflect};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{IdbDatabase, IdbFactory, IdbObjectStore, IdbOpenDbRequest, IdbRequest, IdbTransaction};

use super::failure::Failure;
use super::keeper::{self, Place, Requests};
use super::promise::refused;

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
pub enum Db {
    /// The browser's.
    Browser(IdbDatabase),
    /// The page's memory.
    Memory,
}

impl Db {
    /// Opens the database and creates the stores that are missing.
    pub async fn open() -> Result<Self, Failure> {
        match keeper::place() {
            Place::Browser => asked()?.opened().await.map(Self::Browser),
            Place::Memory(_) | Place::Page(_) => Ok(Self::Memory),
        }
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
        let Self::Browser(database) = self else { return Ok(Transaction::Memory(Requests::default())) };
        let names: Array = stores.iter().map(|name| JsValue::from_str(name)).collect();
        let begin: Function =
            Reflect::get(database, &"transaction".into()).and_then(JsCast::dyn_into).map_err(refused)?;
        let transaction: IdbTransaction = begin
            .call3(database, &names, &JsValue::from_str(mode), options)
            .and_then(JsCast::dyn_into)
            .map_err(refused)?;
        let ended = Promise::new(&mut |resolve, reject| {
            transaction.set_oncomplete(Some(&resolve));
            transaction.set_onabort(Some(&reject));
        });
        Ok(Transaction::Browser(Begun { transaction, ended: Some(ended) }))
    }
}

impl Drop for Db {
    fn drop(&mut self) {
        if let Self::Browser(database) = self {
            database.close();
        }
    }
}

/// Erases all that this browser keeps: ledgers, releases, drafts, the keyed fingerprints of tables, the key and settings. Waits until
/// other tabs and workers have closed the database, because a deletion that they block cannot be withdrawn.
///
/// # Errors
/// [`Failure`] if the storage refuses.
pub async fn erase() -> Result<(), Failure> {
    if let Place::Memory(keeper) = keeper::place() {
        keeper.erase();
        return Ok(());
    }
    let request = factory()?.delete_database(NAME).map_err(refused)?;
    answered(&request, false).await
}

/// Returns whether the browser has a database for this page. One that does not open exists nevertheless.
pub fn exists() -> bool {
    let Ok(opening) = asked() else { return false };
    // Closes it. A failure is reported where the database is used.
    spawn_local(async { drop(opening.opened().await.map(Db::Browser)) });
    true
}

/// A database that is being opened.
struct Opening {
    request: IdbOpenDbRequest,
    _upgrade: Closure<dyn FnMut(JsValue)>,
}

impl Opening {
    async fn opened(self) -> Result<IdbDatabase, Failure> {
        answered(&self.request, true).await?;
        self.request.result().and_then(JsCast::dyn_into).map_err(refused)
    }
}

/// Asks for the database. The stores that are missing are created before it is open.
fn asked() -> Result<Opening, Failure> {
    let request = factory()?.open_with_u32(NAME, VERSION).map_err(refused)?;
    let upgrade = {
        let request = request.clone();
        Closure::once(move |_: JsValue| upgrade(&request))
    };
    request.set_onupgradeneeded(Some(upgrade.as_ref().unchecked_ref()));
    Ok(Opening { request, _upgrade: upgrade })
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
pub enum Transaction {
    /// In the browser's database.
    Browser(Begun),
    /// In the page's memory.
    Memory(Requests),
}

/// A transaction that the browser has begun.
pub struct Begun {
    transaction: IdbTransaction,
    ended: Option<Promise>,
}

impl Drop for Begun {
    /// Aborts the transaction. Otherwise it would complete and store the requests made before the one that failed.
    fn drop(&mut self) {
        if self.ended.is_some() {
            self.transaction.set_onabort(None);
            // A transaction that has ended cannot be aborted.
            let _ = self.transaction.abort();
        }
    }
}

impl Begun {
    fn store(&self, name: &str) -> Result<IdbObjectStore, Failure> {
        self.transaction.object_store(name).map_err(refused)
    }
}

impl Transaction {
    /// Asks for a value.
    pub fn get(&self, store: &str, key: &JsValue) -> Result<Answer, Failure> {
        self.ask(store, |store| store.get(key), keeper::GET, key)
    }

    /// Asks for all values.
    pub fn all(&self, store: &str) -> Result<Answer, Failure> {
        self.ask(store, IdbObjectStore::get_all, keeper::ALL, &JsValue::UNDEFINED)
    }

    /// Asks for all keys.
    pub fn keys(&self, store: &str) -> Result<Answer, Failure> {
        self.ask(store, IdbObjectStore::get_all_keys, keeper::KEYS, &JsValue::UNDEFINED)
    }

    /// Writes a value, replacing an existing one.
    pub fn put(&self, store: &str, key: &JsValue, value: &JsValue) -> Result<(), Failure> {
        self.write(store, |store| store.put_with_key(value, key), keeper::PUT, (key, value))
    }

    /// Writes a value; the whole transaction fails if one exists.
    pub fn add(&self, store: &str, key: &JsValue, value: &JsValue) -> Result<(), Failure> {
        self.write(store, |store| store.add_with_key(value, key), keeper::ADD, (key, value))
    }

    /// Removes a value, if there is one.
    pub fn delete(&self, store: &str, key: &JsValue) -> Result<(), Failure> {
        self.write(store, |store| store.delete(key), keeper::DELETE, (key, &JsValue::UNDEFINED))
    }

    /// Reads all keys that are texts, with their values.
    pub async fn pairs(self, store: &str) -> Result<impl Iterator<Item = (String, JsValue)>, Failure> {
        let (keys, values) = (self.keys(store)?, self.all(store)?);
        self.end().await?;
        let pairs = keys.list().into_iter().zip(values.list());
        Ok(pairs.filter_map(|(key, value)| Some((key.as_string()?, value))))
    }

    /// Awaits the end of the transaction. After it, values are stored and results can be read.
    pub async fn end(self) -> Result<(), Failure> {
        self.finish(None).await
    }

    /// Awaits the end of a transaction that charges a ledger. Where the browser keeps nothing, a person saves `ledger` before, which is
    /// the ledger's document with the charge.
    ///
    /// # Errors
    /// [`Failure`] if the storage refuses, or the person does not save the ledger. Then nothing was written.
    pub async fn end_charged(self, ledger: &JsValue) -> Result<(), Failure> {
        self.finish(ledger.as_string()).await
    }

    async fn finish(self, charged: Option<String>) -> Result<(), Failure> {
        match self {
            Self::Browser(mut begun) => match begun.ended.take() {
                Some(ended) => JsFuture::from(ended).await.map(drop).map_err(refused),
                None => Ok(()),
            },
            Self::Memory(requests) => requests.end(charged).await,
        }
    }

    fn ask(
        &self,
        store: &str,
        ask: impl FnOnce(&IdbObjectStore) -> Result<IdbRequest, JsValue>,
        kind: &str,
        key: &JsValue,
    ) -> Result<Answer, Failure> {
        match self {
            Self::Browser(begun) => ask(&begun.store(store)?).map(Answer::Browser).map_err(refused),
            Self::Memory(requests) => {
                let place = requests.push(kind, store, key, &JsValue::UNDEFINED);
                Ok(Answer::Memory(requests.clone(), place))
            }
        }
    }

    fn write(
        &self,
        store: &str,
        write: impl FnOnce(&IdbObjectStore) -> Result<IdbRequest, JsValue>,
        kind: &str,
        (key, value): (&JsValue, &JsValue),
    ) -> Result<(), Failure> {
        match self {
            Self::Browser(begun) => write(&begun.store(store)?).map(drop).map_err(refused),
            Self::Memory(requests) => {
                requests.push(kind, store, key, value);
                Ok(())
            }
        }
    }
}

/// The result of a request, to be read after the transaction's end.
pub enum Answer {
    /// Of the browser's database.
    Browser(IdbRequest),
    /// Of the page's memory, by its place.
    Memory(Requests, u32),
}

impl Answer {
    /// Returns the value; `undefined` if there is none.
    pub fn value(&self) -> JsValue {
        match self {
            Self::Browser(request) => request.result().unwrap_or(JsValue::UNDEFINED),
            Self::Memory(requests, place) => requests.answer(*place),
        }
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
