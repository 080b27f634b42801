//! The device key, which never leaves this device, and the table keys that are derived with it.

use js_sys::{Array, Object, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Crypto, CryptoKey, SubtleCrypto};

use super::db::{Db, KEYS};
use super::failure::Failure;
use super::identity::{FileKey, Hashed, identity};
use super::lock::Lock;
use super::promise::refused;
use crate::data::MinHashKey;
use crate::text::hexadecimal;

/// The device key's name in the store, and in the lock under which it is created.
const DEVICE: &str = "device";

/// Returns a table's key in hexadecimal digits: HMAC-SHA-256 of its files' [`identity`] under the device key. It is equal for equal
/// bytes on this device only, and is never exported.
///
/// # Errors
/// [`Failure`] if the storage or the browser's cryptography refuses.
pub async fn fingerprint(files: Vec<Hashed>) -> Result<String, Failure> {
    let tag = sign(&identity(files)).await?;
    Ok(hexadecimal(&tag))
}

/// Returns the key of this device's MinHash values: the first 16 bytes of HMAC-SHA-256 of `row sketch` under the device key. This
/// text is no table's identity, because those are a multiple of 8 bytes. Only the workers that read a table receive the key.
///
/// # Errors
/// [`Failure`] if the storage or the browser's cryptography refuses.
pub async fn minhash_key() -> Result<MinHashKey, Failure> {
    derived(b"row sketch").await
}

/// Returns the key with which this device hashes the chunks of files, in the same way, of `file chunks`.
///
/// # Errors
/// [`Failure`] if the storage or the browser's cryptography refuses.
pub async fn file_key() -> Result<FileKey, Failure> {
    derived(b"file chunks").await
}

async fn derived(text: &[u8]) -> Result<[u8; 16], Failure> {
    sign(text).await?.first_chunk().copied().ok_or_else(|| refused(JsValue::UNDEFINED))
}

async fn sign(bytes: &[u8]) -> Result<Vec<u8>, Failure> {
    let key = device_key().await?;
    let tag = subtle()?.sign_with_str_and_u8_array("HMAC", &key, bytes).map_err(refused)?;
    Ok(Uint8Array::new(&JsFuture::from(tag).await.map_err(refused)?).to_vec())
}

/// Returns the device key. It is created once, and the browser does not let any program read it.
async fn device_key() -> Result<CryptoKey, Failure> {
    let _lock = Lock::take("dp-device-key").await?;
    let db = Db::open().await?;
    let name = JsValue::from_str(DEVICE);
    let transaction = db.reading(&[KEYS])?;
    let stored = transaction.get(KEYS, &name)?;
    transaction.end().await?;
    if let Ok(key) = stored.value().dyn_into::<CryptoKey>() {
        return Ok(key);
    }
    let algorithm = Object::new();
    Reflect::set(&algorithm, &"name".into(), &"HMAC".into()).map_err(refused)?;
    Reflect::set(&algorithm, &"hash".into(), &"SHA-256".into()).map_err(refused)?;
    let usages = Array::of1(&"sign".into());
    let key = subtle()?.generate_key_with_object(&algorithm, false, &usages).map_err(refused)?;
    let key: CryptoKey = JsFuture::from(key).await.and_then(JsCast::dyn_into).map_err(refused)?;
    let transaction = db.writing(&[KEYS])?;
    transaction.add(KEYS, &name, &key)?;
    transaction.end().await?;
    Ok(key)
}

fn subtle() -> Result<SubtleCrypto, Failure> {
    let crypto = Reflect::get(&js_sys::global(), &"crypto".into()).map_err(refused)?;
    crypto.dyn_into::<Crypto>().map(|crypto| crypto.subtle()).map_err(refused)
}
