//! A ledger is refused in one line, or it is exactly what was read and goes on as a ledger does.
//!
//! Nobody guesses SHA-256, so each document is tried twice: as it is, and with its chain computed anew.

use discreet::model::Assurance;
use discreet::privacy::event::Event;
use discreet::privacy::ledger::{Ledger, Request, State};
use discreet::privacy::measure::Epsilon;
use discreet::privacy::units::Units;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::common::assert_one_line;

pub fn holds(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    read(text);
    if let Ok(Value::Object(document)) = serde_json::from_str(text) {
        read(&Value::Object(sealed(document)).to_string());
    }
}

fn read(text: &str) {
    let ledger = match Ledger::parse(text) {
        Ok(ledger) => ledger,
        Err(error) => return assert_one_line(&error),
    };
    let written = comes_back(&ledger);
    let (read, own): (Value, Value) = (parsed(text), parsed(&written));
    assert_eq!(read, own, "what was read is not what is written");

    let spent = ledger.entries().iter().try_fold(Units::ZERO, |sum, entry| sum.checked_add(&entry.charge));
    assert_eq!(spent.and_then(|spent| spent.checked_add(&ledger.remaining())), Some(ledger.capacity()));

    let mut open = ledger.clone();
    assert_eq!(open.import(&ledger), Ok(0));
    let reserved = ledger.entries().last().is_some_and(|entry| entry.state == State::Reserved);
    assert_eq!(open.recover().expect("recovery").is_some(), reserved);
    assert_eq!(open.remaining(), ledger.remaining(), "nothing is given back");
    comes_back(&open);

    let request = Request {
        terms: open.terms(),
        events: &[Event::Pure { epsilon: Epsilon::try_new(1e-3).unwrap() }],
        mechanism: "fuzz",
        version: "1",
        parameters: Map::new(),
        assurance: Assurance::Exact,
    };
    let before = open.clone();
    match open.reserve(&request) {
        Ok(seq) => {
            assert!(open.remaining().epsilon < before.remaining().epsilon);
            assert!(open.reserve(&request).is_err(), "one at a time");
            comes_back(&open);
            open.release(seq).expect("it was reserved");
            comes_back(&open);
            assert_eq!(before.clone().import(&open), Ok(1));
            assert!(open.clone().import(&before).is_err(), "an older copy");
        }
        Err(error) => {
            assert_one_line(&error);
            assert_eq!(open, before, "a refusal changes nothing");
        }
    }
}

fn comes_back(ledger: &Ledger) -> String {
    let text = ledger.to_json().unwrap();
    assert_eq!(Ledger::parse(&text).as_ref(), Ok(ledger));
    text
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// The document with numbers, links, hashes and tip as they have to be.
fn sealed(mut document: Map<String, Value>) -> Map<String, Value> {
    let mut tip = hash("", &document, &["entries", "tip"]);
    for (at, entry) in
        document.get_mut("entries").and_then(Value::as_array_mut).into_iter().flatten().enumerate()
    {
        let Some(entry) = entry.as_object_mut() else { continue };
        entry.insert("seq".to_owned(), (at + 1).to_string().into());
        entry.insert("previous".to_owned(), tip.as_str().into());
        tip = hash(&tip, entry, &["hash"]);
        entry.insert("hash".to_owned(), tip.as_str().into());
    }
    document.insert("tip".to_owned(), tip.into());
    document
}

fn hash(previous: &str, fields: &Map<String, Value>, without: &[&str]) -> String {
    let fields: Map<String, Value> = fields
        .iter()
        .filter(|(key, _)| !without.contains(&key.as_str()))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    let digest = Sha256::digest(format!("{previous}{}", Value::Object(fields)));
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
