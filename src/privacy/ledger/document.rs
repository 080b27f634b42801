//! `discreet.ledger/1` as it is stored, its canonical bytes and its hash chain.
//!
//! Every number is a decimal string with one spelling. There is no floating-point number in this file.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::error::LedgerError;
use super::{PERSON, QUESTION};
use crate::model::Assurance;
use crate::privacy::adjacency::{Adjacency, Protect};
use crate::privacy::units::Units;
use crate::text::{BYTE_ORDER_MARK, hexadecimal, json};

/// The name and version that every ledger carries.
pub const SCHEMA: &str = "discreet.ledger/1";

/// The stored form; a [`super::Ledger`] is one that was verified.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Document {
    pub schema: String,
    pub id: String,
    pub created: String,
    pub adjacency: Adjacency,
    pub protect: Protect,
    pub max_rows_per_person: String,
    pub budget: Amount,
    pub other: Amount,
    pub mu: String,
    pub capacity: Units,
    pub entries: Vec<Entry>,
    pub tip: String,
}

/// ε and δ as decimal strings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Amount {
    pub epsilon: String,
    pub delta: String,
}

/// What an entry records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A charge for a release.
    Release,
    /// From here on less is protected.
    Relax,
    /// Somebody asserts that another ledger is about different people.
    Disjoint,
}

/// What became of a charge. In each case it is spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Written down before the noise is drawn.
    Reserved,
    /// The release exists.
    Released,
    /// The release was lost.
    Burned,
}

/// One line of a ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Its number, from 1, as a decimal string.
    pub seq: String,
    /// What it records.
    pub kind: Kind,
    /// The outcome of the charge.
    pub state: State,
    /// The mechanism's name, or `relax`, or `disjoint`.
    pub mechanism: String,
    /// The mechanism's version.
    pub version: String,
    /// The public parameters; numbers are decimal strings.
    pub parameters: Map<String, Value>,
    /// The cost of the release.
    pub charge: Units,
    /// What the release's proof covers.
    pub assurance: Assurance,
    /// The hash of the entry before; of the first, the hash of the ledger's header.
    pub previous: String,
    /// SHA-256 of `previous` and the canonical bytes of this entry.
    pub hash: String,
}

impl Document {
    /// Returns the hash that the first entry continues: it binds everything that was fixed at opening.
    pub fn header_hash(&self) -> Result<String, LedgerError> {
        hash("", self, &["entries", "tip"])
    }

    /// Returns whether a text that was read as this document holds nothing more, such as a second parameter of the same name,
    /// of which a reader sees only one.
    pub fn is_all_of(&self, text: &str) -> Result<bool, LedgerError> {
        let own = json::to_text(self, false).map_err(|error| unwritable(&error))?;
        Ok(significant(text.trim_start_matches(BYTE_ORDER_MARK)) == own.len())
    }

    /// Returns the last entry's hash, or the header's.
    pub fn last_hash(&self) -> Result<String, LedgerError> {
        self.entries.last().map_or_else(|| self.header_hash(), |entry| Ok(entry.hash.clone()))
    }
}

impl Entry {
    /// Returns the hash that belongs to this entry.
    pub(super) fn own_hash(&self) -> Result<String, LedgerError> {
        hash(&self.previous, self, &["hash"])
    }

    /// Returns the column that identified persons in this release. `None` if each row was one person.
    pub fn person(&self) -> Option<&str> {
        self.parameters.get(PERSON)?.as_str()
    }

    /// Returns the hash of what the release's plan asked. `None` of an entry from before it was kept.
    pub fn question(&self) -> Option<&str> {
        self.parameters.get(QUESTION)?.as_str()
    }

    /// Returns the ledger that this entry says to be about different people.
    pub fn disjoint_from(&self) -> Option<&str> {
        if self.kind == Kind::Disjoint { self.parameters.get("ledger")?.as_str() } else { None }
    }

    /// Returns the same entry but for what became of it.
    pub(super) fn settles(&self, reserved: &Self) -> bool {
        let settled = Self { state: self.state, hash: self.hash.clone(), ..reserved.clone() };
        reserved.state == State::Reserved && self.state != State::Reserved && settled == *self
    }
}

/// Returns the SHA-256 of the previous hash's text and the canonical bytes of `value` without the fields `left_out`, in hexadecimal.
fn hash(previous: &str, value: &impl Serialize, left_out: &[&str]) -> Result<String, LedgerError> {
    let value = serde_json::to_value(value).map_err(|error| unwritable(&error))?;
    let kept: Map<String, Value> = match value {
        Value::Object(map) => map.into_iter().filter(|(key, _)| !left_out.contains(&key.as_str())).collect(),
        _ => Map::new(),
    };
    let mut text = previous.to_owned();
    canonical(&Value::Object(kept), &mut text);
    Ok(hexadecimal(&Sha256::digest(text)))
}

fn unwritable(error: &serde_json::Error) -> LedgerError {
    LedgerError::Document { place: ".".to_owned(), what: error.to_string() }
}

/// Returns the number of bytes of a JSON text that are not white space between its parts.
fn significant(text: &str) -> usize {
    let (mut quoted, mut escaped) = (false, false);
    let counts = |byte: &u8| {
        let counts = quoted || !byte.is_ascii_whitespace();
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => quoted = !quoted,
            _ => {}
        }
        counts
    };
    text.bytes().filter(counts).count()
}

/// Appends JSON with sorted keys and no spaces.
fn canonical(value: &Value, text: &mut String) {
    match value {
        Value::Object(map) => {
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort();
            text.push('{');
            for (at, key) in keys.into_iter().enumerate() {
                if at > 0 {
                    text.push(',');
                }
                text.push_str(&Value::from(key.as_str()).to_string());
                text.push(':');
                if let Some(value) = map.get(key) {
                    canonical(value, text);
                }
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    text.push(',');
                }
                canonical(item, text);
            }
            text.push(']');
        }
        scalar => text.push_str(&scalar.to_string()),
    }
}

/// Returns the same JSON with each number as a string, so that no number is stored in a form that can be read in two ways.
pub(super) fn without_numbers(value: Value) -> Value {
    match value {
        Value::Number(number) => Value::String(number.to_string()),
        Value::Array(items) => items.into_iter().map(without_numbers).collect(),
        Value::Object(map) => map.into_iter().map(|(key, value)| (key, without_numbers(value))).collect(),
        other => other,
    }
}

/// Returns whether a number is anywhere in it.
pub(super) fn has_numbers(value: &Value) -> bool {
    match value {
        Value::Number(_) => true,
        Value::Array(items) => items.iter().any(has_numbers),
        Value::Object(map) => map.values().any(has_numbers),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn canonical_bytes_have_sorted_keys_and_no_spaces() {
        let mut text = String::new();
        canonical(&json!({"b": ["x", null, true], "a": {"é\n": "\""}}), &mut text);
        assert_eq!(text, r#"{"a":{"é\n":"\""},"b":["x",null,true]}"#);
    }

    #[test]
    fn the_hash_is_sha_256_of_previous_and_canonical_bytes() {
        // printf 'ab{"y":"1"}' | sha256sum
        let hashed = hash("ab", &json!({"z": "left out", "y": "1"}), &["z"]).unwrap();
        assert_eq!(hashed, hexadecimal(&Sha256::digest("ab{\"y\":\"1\"}")));
        assert_eq!(hexadecimal(&Sha256::digest("")).get(..16), Some("e3b0c44298fc1c14"));
    }

    #[test]
    fn white_space_counts_inside_strings_alone() {
        assert_eq!(
            significant("{ \"a b\" :\n\t\"\\\" c\\\\\" , \"d\":[ ]}\r\n"),
            "{\"a b\":\"\\\" c\\\\\",\"d\":[]}".len()
        );
    }

    #[test]
    fn numbers_become_strings() {
        let value = json!({"a": [1, 0.5, {"b": 16_777_216}], "c": null});
        assert!(has_numbers(&value));
        let strings = without_numbers(value);
        assert_eq!(strings, json!({"a": ["1", "0.5", {"b": "16777216"}], "c": null}));
        assert!(!has_numbers(&strings));
    }
}
