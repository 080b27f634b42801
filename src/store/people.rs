//! Finds ledgers of tables that share people with a table, and represents a person's confirmation that they do not. Without browser
//! calls, so that it is tested natively.

use serde::{Deserialize, Serialize};

use crate::data::MinHash;
use crate::data::minhash::{DIFFERENT, Overlap};
use crate::privacy::ledger::Ledger;

/// A ledger of a table that shares people with another table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shared {
    /// The ledger's identifier.
    pub ledger: String,
    /// The day it was opened.
    pub created: String,
    /// Rows of one person that count under it.
    pub max_rows: u32,
    /// The column by which its last release told persons apart.
    pub person: Option<String>,
    /// The file that was described with its columns last, where the page knows its name.
    pub file: Option<String>,
}

impl Shared {
    /// Returns the name and date of a ledger.
    pub fn of(ledger: &Ledger) -> Self {
        Self {
            ledger: ledger.id().to_owned(),
            created: ledger.created().to_owned(),
            max_rows: ledger.terms().max_rows_per_person,
            person: ledger.person_column().map(str::to_owned),
            file: None,
        }
    }

    /// Describes the ledger for a person, with the name of the file where it is known.
    pub fn name(&self) -> String {
        let file = self.file.as_ref().map(|file| format!(" ({file})")).unwrap_or_default();
        format!("ledger {} of {}{file}", self.ledger.get(..8).unwrap_or(&self.ledger), self.created)
    }
}

/// A person's confirmation that a table is about different people than the tables of some ledgers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Different {
    shared: Vec<Shared>,
}

impl Different {
    /// Returns the confirmation if the typed text is the required word. Case and spaces do not matter. It cannot be made otherwise.
    pub fn typed(text: &str, shared: Vec<Shared>) -> Option<Self> {
        let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
        (words.join(" ") == DIFFERENT && !shared.is_empty()).then_some(Self { shared })
    }

    /// Returns the ledgers whose people are meant.
    pub fn shared(&self) -> &[Shared] {
        &self.shared
    }

    /// Returns whether a ledger is among them.
    pub fn is_from(&self, ledger: &str) -> bool {
        self.shared.iter().any(|shared| shared.ledger == ledger)
    }
}

/// Returns the ledgers of tables that share people with a table, each once, the largest overlap first. `known` has the MinHashes of
/// other tables with their ledgers.
pub fn sharing(minhash: &MinHash, known: &[(String, MinHash)]) -> Vec<String> {
    let mut found: Vec<(Overlap, &String)> = known
        .iter()
        .map(|(ledger, other)| (minhash.overlap(other), ledger))
        .filter(|(overlap, _)| overlap.shares_people())
        .collect();
    // The order does not depend on that of the store.
    found.sort_by(|(a, one), (b, other)| {
        let larger = b.exceeds(a).cmp(&a.exceeds(b));
        larger.then_with(|| b.of.cmp(&a.of)).then_with(|| one.cmp(other))
    });
    let mut ledgers: Vec<String> = Vec::new();
    for (_, ledger) in found {
        if !ledgers.contains(ledger) {
            ledgers.push(ledger.clone());
        }
    }
    ledgers
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a table of the people with these numbers: values that a hash could have.
    fn minhash(people: impl IntoIterator<Item = u64>) -> MinHash {
        let bytes: Vec<u8> = people.into_iter().flat_map(u64::to_le_bytes).collect();
        MinHash::from_bytes(&bytes).unwrap()
    }

    #[test]
    fn the_largest_overlap_comes_first_and_each_ledger_once() {
        let known = [
            ("few".to_owned(), minhash(90..200)),
            ("none".to_owned(), minhash(200..300)),
            ("many".to_owned(), minhash(40..100)),
            ("few".to_owned(), minhash(80..200)),
        ];
        let table = minhash(0..100);
        assert_eq!(sharing(&table, &known), ["many", "few"]);
        let mut turned = known.clone();
        turned.reverse();
        assert_eq!(sharing(&table, &turned), ["many", "few"]);
        assert!(sharing(&minhash(0..40), &known).is_empty());
        assert!(sharing(&MinHash::default(), &known).is_empty());
    }

    #[test]
    fn only_the_words_say_that_people_are_different() {
        let shared = vec![Shared {
            ledger: "0123456789".to_owned(),
            created: "2026-11-22".to_owned(),
            max_rows: 1,
            person: None,
            file: None,
        }];
        for text in ["", "different", "people", "differentpeople", "different people.", "yes"] {
            assert_eq!(Different::typed(text, shared.clone()), None, "{text}");
        }
        let word = Different::typed("  Different   people\n", shared.clone()).unwrap();
        assert!(word.is_from("0123456789") && !word.is_from("01234567"));
        assert_eq!(word.shared()[0].name(), "ledger 01234567 of 2026-11-22");
        let named = Shared { file: Some("2023.csv".to_owned()), ..shared[0].clone() };
        assert_eq!(named.name(), "ledger 01234567 of 2026-11-22 (2023.csv)");
        assert_eq!(Different::typed(DIFFERENT, Vec::new()), None, "than whom?");
    }
}
