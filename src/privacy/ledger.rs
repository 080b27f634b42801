//! The ledger: what a table may still cost. A pure state machine without storage.
//!
//! Trusted: charges are integers and there is no floating-point number in this file. Two filters run side by side, a sum
//! of μ² for Gaussian releases and sums of ε and δ for the others; adaptive and interleaved use is covered
//! (noise-and-accounting, B10). Each release is charged before its noise is drawn; nothing is ever given back; a refusal
//! changes nothing. Entries form a hash chain that also binds what was fixed at opening (B11).

#![deny(clippy::arithmetic_side_effects)]

mod document;
mod error;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use self::document::{Amount, Document, has_numbers, hexadecimal, without_numbers};
pub use self::document::{Entry, Kind, SCHEMA, State};
pub use self::error::{LedgerError, Quantity, Refusal};
use super::adjacency::{Adjacency, Protect};
use super::calibrate::{Budget, CalibrationError, Split, budget_parts, verified_capacity};
use super::compose::Pair;
use super::event::{Event, charge};
use super::measure::{Delta, Epsilon, Mu};
use super::mutants::{Mutant, is_active};
use super::units::Units;
use crate::model::Assurance;
use crate::text::one_line;

/// What an entry of that kind has for a mechanism.
const DISJOINT: &str = "disjoint";

/// What remains of `left` after a charge.
///
/// # Errors
/// [`LedgerError::Free`] for a charge of nothing, [`LedgerError::Refused`] for one that does not fit, with `capacity` for
/// the words.
pub fn admit(left: &Units, charge: &Units, capacity: &Units) -> Result<Units, LedgerError> {
    if charge.is_free() {
        return Err(LedgerError::Free);
    }
    let short = |quantity, asked: u128, left: u128, capacity| {
        left.checked_sub(asked).ok_or(Refusal { quantity, asked, left, capacity })
    };
    Ok(Units {
        gaussian: short(Quantity::Gaussian, charge.gaussian, left.gaussian, capacity.gaussian)?,
        epsilon: short(Quantity::Epsilon, charge.epsilon, left.epsilon, capacity.epsilon)?,
        delta: short(Quantity::Delta, charge.delta, left.delta, capacity.delta)?,
        slack: short(Quantity::Slack, charge.slack, left.slack, capacity.slack)?,
    })
}

/// What a plan and its ledger must have in common; nothing is converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// What neighbouring tables are.
    pub adjacency: Adjacency,
    /// Whose data the guarantee covers.
    pub protect: Protect,
    /// Rows of one person that count.
    pub max_rows_per_person: u32,
}

/// What is fixed when a ledger is opened.
#[derive(Clone, Debug, PartialEq)]
pub struct Opening<'a> {
    /// A random name.
    pub id: [u8; 16],
    /// The day, as `2026-11-20`.
    pub created: &'a str,
    /// Adjacency, protection and rows per person.
    pub terms: Terms,
    /// The budget; with μ or ρ it needs a δ.
    pub budget: Budget,
    /// Its division.
    pub split: Split,
}

/// A release to be charged.
#[derive(Clone, Debug, PartialEq)]
pub struct Request<'a> {
    /// The plan's terms.
    pub terms: Terms,
    /// The mathematics of the release.
    pub events: &'a [Event],
    /// The mechanism's name.
    pub mechanism: &'a str,
    /// The mechanism's version.
    pub version: &'a str,
    /// Public parameters, for the record.
    pub parameters: Map<String, Value>,
    /// What the proof covers.
    pub assurance: Assurance,
}

/// A verified ledger.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Document", into = "Document")]
pub struct Ledger {
    document: Document,
    promise: (Epsilon, Delta),
    pair: Pair,
    terms: Terms,
    left: Units,
}

impl Ledger {
    /// Opens a ledger.
    ///
    /// # Errors
    /// When the budget cannot be used, or the opening does not fit together.
    pub fn open(opening: &Opening<'_>) -> Result<Self, LedgerError> {
        let parts = budget_parts(&opening.budget, &opening.split)?;
        let (epsilon, delta) = parts.promise.ok_or(CalibrationError::NoDelta)?;
        let terms = opening.terms;
        if terms.max_rows_per_person == 0 {
            return Err(LedgerError::Opening(
                "a person has at least 1 row; give `max-rows-per-person` from 1",
            ));
        }
        if terms.protect != Protect::Rows && terms.adjacency != Adjacency::ReplaceOne {
            return Err(LedgerError::Opening("protection of features or labels alone needs `replace-one`"));
        }
        if !is_date(opening.created) {
            return Err(LedgerError::Opening("the day is not written as 2026-11-20"));
        }
        let mut document = Document {
            schema: SCHEMA.to_owned(),
            id: hexadecimal(&opening.id),
            created: opening.created.to_owned(),
            adjacency: terms.adjacency,
            protect: terms.protect,
            max_rows_per_person: terms.max_rows_per_person.to_string(),
            budget: Amount { epsilon: epsilon.to_string(), delta: delta.to_string() },
            other: Amount { epsilon: parts.pair.epsilon.to_string(), delta: parts.pair.delta.to_string() },
            mu: parts.pair.mu.to_string(),
            capacity: parts.capacity,
            entries: Vec::new(),
            tip: String::new(),
        };
        document.tip = document.header_hash()?;
        Self::try_from(document)
    }

    /// Reads and verifies a stored ledger. White space between the parts is free; nothing else is.
    ///
    /// # Errors
    /// When it is no such document or anything in it does not hold.
    pub fn parse(text: &str) -> Result<Self, LedgerError> {
        let mut reader = serde_json::Deserializer::from_str(text);
        let document: Document = serde_path_to_error::deserialize(&mut reader)
            .map_err(|error| wrong(&error.path().to_string(), error.inner()))?;
        reader.end().map_err(|error| wrong(".", error))?;
        if !document.is_all_of(text)? {
            return Err(wrong(".", "something is written twice, or in an unusual spelling"));
        }
        Self::try_from(document)
    }

    /// The document, for people to read too.
    ///
    /// # Errors
    /// Never in practice; the JSON writer has an error type.
    pub fn to_json(&self) -> Result<String, LedgerError> {
        serde_json::to_string_pretty(&self.document)
            .map(|text| text + "\n")
            .map_err(|error| wrong(".", error))
    }

    /// What a release would cost, and that it fits, without charging it.
    ///
    /// # Errors
    /// As [`Self::reserve`].
    pub fn check(&self, request: &Request<'_>) -> Result<Units, LedgerError> {
        self.match_terms(&request.terms)?;
        if request.assurance == Assurance::Demo {
            return Err(LedgerError::Demo);
        }
        if let Some(entry) = self.document.entries.last()
            && entry.state == State::Reserved
        {
            return Err(LedgerError::Pending(self.last_seq()));
        }
        let charge = charge(request.events, self.promise.0)?;
        admit(&self.left, &charge, &self.document.capacity)?;
        Ok(charge)
    }

    /// Charges a release: appends an entry that is `reserved`, and answers with its number. The ledger must be stored
    /// before the first random byte is drawn.
    ///
    /// # Errors
    /// When the plan's terms differ, the budget does not suffice, an earlier entry is still reserved, or the charge is
    /// nothing. Then nothing has changed.
    pub fn reserve(&mut self, request: &Request<'_>) -> Result<u64, LedgerError> {
        let charge = self.check(request)?;
        let left = admit(&self.left, &charge, &self.document.capacity)?;
        let parameters = request.parameters.clone().into_iter();
        self.append(Entry {
            seq: String::new(),
            kind: Kind::Release,
            state: State::Reserved,
            mechanism: request.mechanism.to_owned(),
            version: request.version.to_owned(),
            parameters: parameters.map(|(key, value)| (key, without_numbers(value))).collect(),
            charge,
            assurance: request.assurance,
            previous: String::new(),
            hash: String::new(),
        })?;
        self.left = left;
        Ok(self.last_seq())
    }

    /// Marks the reserved entry as released. Its charge stays.
    ///
    /// # Errors
    /// When that entry is not the reserved one.
    pub fn release(&mut self, seq: u64) -> Result<(), LedgerError> {
        self.settle(seq, State::Released)
    }

    /// Marks the reserved entry as burned: its release was lost. Its charge stays.
    ///
    /// # Errors
    /// When that entry is not the reserved one.
    pub fn burn(&mut self, seq: u64) -> Result<(), LedgerError> {
        self.settle(seq, State::Burned)
    }

    /// Burns an entry that a crash left reserved, and answers with its number. To be called when a ledger is opened
    /// under its lock.
    ///
    /// # Errors
    /// Never in practice; the JSON writer has an error type.
    pub fn recover(&mut self) -> Result<Option<u64>, LedgerError> {
        match self.document.entries.last() {
            Some(entry) if entry.state == State::Reserved => {
                let seq = self.last_seq();
                if is_active(Mutant::RefundOnCrash) {
                    self.left = self.left.checked_add(&entry.charge).unwrap_or(self.left);
                    self.document.entries.pop();
                    self.document.tip = self.document.last_hash()?;
                } else {
                    self.burn(seq)?;
                }
                Ok(Some(seq))
            }
            _ => Ok(None),
        }
    }

    /// Turns full protection into one of features or labels, once and for good. What was charged stays charged.
    ///
    /// # Errors
    /// When the ledger does not protect full rows under `replace-one`, or an entry is still reserved.
    pub fn relax(&mut self, protect: Protect) -> Result<(), LedgerError> {
        relaxes(self.terms, protect).map_err(LedgerError::Relax)?;
        if self.document.entries.last().is_some_and(|entry| entry.state == State::Reserved) {
            return Err(LedgerError::Pending(self.last_seq()));
        }
        self.append(Entry {
            seq: String::new(),
            kind: Kind::Relax,
            state: State::Released,
            mechanism: "relax".to_owned(),
            version: "1".to_owned(),
            parameters: Map::from_iter([("protect".to_owned(), Value::from(protect.to_string()))]),
            charge: Units::ZERO,
            assurance: Assurance::Exact,
            previous: String::new(),
            hash: String::new(),
        })?;
        self.terms.protect = protect;
        Ok(())
    }

    /// Writes down that another ledger is about different people: somebody's assertion, which costs nothing and changes no
    /// budget. It stands in both ledgers, and in each once.
    ///
    /// # Errors
    /// When `other` is no ledger's name, this one's own, or was named before, or an entry is still reserved.
    pub fn disjoint(&mut self, other: &str) -> Result<(), LedgerError> {
        assertable(self.id(), other, self.is_disjoint_from(other)).map_err(LedgerError::Disjoint)?;
        if self.document.entries.last().is_some_and(|entry| entry.state == State::Reserved) {
            return Err(LedgerError::Pending(self.last_seq()));
        }
        self.append(Entry {
            seq: String::new(),
            kind: Kind::Disjoint,
            state: State::Released,
            mechanism: DISJOINT.to_owned(),
            version: "1".to_owned(),
            parameters: Map::from_iter([("ledger".to_owned(), Value::from(other))]),
            charge: Units::ZERO,
            assurance: Assurance::Exact,
            previous: String::new(),
            hash: String::new(),
        })
    }

    /// Whether it is written here that another ledger is about different people.
    #[must_use]
    pub fn is_disjoint_from(&self, other: &str) -> bool {
        self.document.entries.iter().any(|entry| entry.disjoint_from() == Some(other))
    }

    /// Takes over an exported copy of this ledger that has gone on, and answers how many entries are new or settled.
    /// No charge is ever lost.
    ///
    /// # Errors
    /// When it is another ledger, an older copy, or a copy with another history. Then nothing has changed.
    pub fn import(&mut self, other: &Self) -> Result<usize, LedgerError> {
        if other.document.id != self.document.id {
            return Err(LedgerError::OtherLedger(other.document.id.clone()));
        }
        if self.document.header_hash()? != other.document.header_hash()? {
            return Err(LedgerError::Fork(0));
        }
        let (mine, theirs) = (&self.document.entries, &other.document.entries);
        let mut news = theirs.len().saturating_sub(mine.len());
        for (at, (local, imported)) in mine.iter().zip(theirs).enumerate() {
            if local == imported {
                continue;
            }
            // A valid ledger has only its last entry reserved.
            if imported.settles(local) {
                news = news.saturating_add(1);
            } else if local.settles(imported) {
                return Err(LedgerError::Older);
            } else {
                return Err(LedgerError::Fork(number(at)));
            }
        }
        if theirs.len() < mine.len() {
            return Err(LedgerError::Older);
        }
        *self = other.clone();
        Ok(news)
    }

    /// Its name, 32 hexadecimal digits.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.document.id
    }

    /// The day it was opened.
    #[must_use]
    pub fn created(&self) -> &str {
        &self.document.created
    }

    /// Adjacency, rows per person, and the protection that holds now.
    #[must_use]
    pub const fn terms(&self) -> Terms {
        self.terms
    }

    /// ε* and δ* of everything released under this ledger.
    #[must_use]
    pub const fn promise(&self) -> (Epsilon, Delta) {
        self.promise
    }

    /// μ_B, ε_O and δ_O.
    #[must_use]
    pub const fn pair(&self) -> Pair {
        self.pair
    }

    /// What it held at the beginning.
    #[must_use]
    pub const fn capacity(&self) -> Units {
        self.document.capacity
    }

    /// What is left.
    #[must_use]
    pub const fn remaining(&self) -> Units {
        self.left
    }

    /// Charged so far; not a statement about the privacy lost so far.
    #[must_use]
    pub fn charged(&self) -> Units {
        self.document.capacity.checked_sub(&self.left).unwrap_or(self.document.capacity)
    }

    /// The entries, oldest first.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.document.entries
    }

    /// The hash of the last entry.
    #[must_use]
    pub fn tip(&self) -> &str {
        &self.document.tip
    }

    /// Whether the promise holds only in the idealised model, because a release in it does.
    #[must_use]
    pub fn idealised(&self) -> bool {
        self.document.entries.iter().any(|entry| entry.assurance == Assurance::Idealised)
    }

    fn match_terms(&self, plan: &Terms) -> Result<(), LedgerError> {
        let same = |what, plan: String, ledger: String| {
            if plan == ledger { Ok(()) } else { Err(LedgerError::Mismatch { what, plan, ledger }) }
        };
        let ledger = self.terms;
        same("adjacency", plan.adjacency.to_string(), ledger.adjacency.to_string())?;
        same("protect", plan.protect.to_string(), ledger.protect.to_string())?;
        let rows = |terms: &Terms| terms.max_rows_per_person.to_string();
        same("max_rows_per_person", rows(plan), rows(&ledger))
    }

    fn last_seq(&self) -> u64 {
        u64::try_from(self.document.entries.len()).unwrap_or(u64::MAX)
    }

    fn append(&mut self, mut entry: Entry) -> Result<(), LedgerError> {
        entry.seq = number(self.document.entries.len()).to_string();
        entry.previous = self.document.last_hash()?;
        entry.hash = entry.own_hash()?;
        self.document.tip.clone_from(&entry.hash);
        self.document.entries.push(entry);
        Ok(())
    }

    fn settle(&mut self, seq: u64, state: State) -> Result<(), LedgerError> {
        let last = self.last_seq();
        let entry = self.document.entries.last_mut().filter(|_| seq == last);
        let entry =
            entry.filter(|entry| entry.state == State::Reserved).ok_or(LedgerError::NotReserved(seq))?;
        let mut settled = Entry { state, ..entry.clone() };
        settled.hash = settled.own_hash()?;
        self.document.tip.clone_from(&settled.hash);
        *entry = settled;
        Ok(())
    }
}

impl From<Ledger> for Document {
    fn from(ledger: Ledger) -> Self {
        ledger.document
    }
}

impl TryFrom<Document> for Ledger {
    type Error = LedgerError;

    /// Verifies everything: the form of each field, the capacities from their inputs, the chain and the sums.
    fn try_from(document: Document) -> Result<Self, LedgerError> {
        let mut terms = stated_terms(&document)?;
        let (promise, pair) = stated_budget(&document)?;
        let capacity =
            verified_capacity(promise.0, promise.1, &pair).map_err(|error| wrong("capacity", error))?;
        if capacity != document.capacity {
            return Err(wrong("capacity", "it does not follow from the budget"));
        }
        let mut left = capacity;
        let mut others = Vec::new();
        let mut previous = document.header_hash()?;
        for (at, entry) in document.entries.iter().enumerate() {
            let place = |field: &str| format!("entries[{at}].{field}");
            check_form(entry, at, &previous)?;
            if entry.state == State::Reserved && at.saturating_add(1) < document.entries.len() {
                return Err(wrong(&place("state"), "only the last entry can be reserved"));
            }
            match entry.kind {
                Kind::Release => {
                    left = admit(&left, &entry.charge, &capacity)
                        .map_err(|error| wrong(&place("charge"), error))?;
                }
                Kind::Relax => {
                    terms.protect = relaxed(terms, entry).map_err(|what| wrong(&place("kind"), what))?
                }
                Kind::Disjoint => {
                    let other = asserted(&document.id, &others, entry);
                    others.push(other.map_err(|what| wrong(&place("kind"), what))?);
                }
            }
            previous.clone_from(&entry.hash);
        }
        if document.tip != previous {
            return Err(wrong("tip", "it is not the hash of the last entry"));
        }
        Ok(Self { document, promise, pair, terms, left })
    }
}

fn wrong(place: &str, what: impl ToString) -> LedgerError {
    LedgerError::Document { place: one_line(place), what: one_line(&what.to_string()) }
}

/// The terms at opening, and the plain fields beside them.
fn stated_terms(document: &Document) -> Result<Terms, LedgerError> {
    if document.schema != SCHEMA {
        return Err(wrong("schema", format!("this is not \"{SCHEMA}\"")));
    }
    if !is_id(&document.id) {
        return Err(wrong("id", "these are not 32 hexadecimal digits"));
    }
    if !is_date(&document.created) {
        return Err(wrong("created", "this is no day"));
    }
    let rows = document.max_rows_per_person.parse::<u32>().ok();
    let rows = rows.filter(|rows| *rows > 0 && rows.to_string() == document.max_rows_per_person);
    let terms = Terms {
        adjacency: document.adjacency,
        protect: document.protect,
        max_rows_per_person: rows.ok_or_else(|| wrong("max_rows_per_person", "this is no number from 1"))?,
    };
    if terms.protect != Protect::Rows && terms.adjacency != Adjacency::ReplaceOne {
        return Err(wrong("protect", "features or labels alone need `replace-one`"));
    }
    Ok(terms)
}

/// The promise and the wallets as stated.
fn stated_budget(document: &Document) -> Result<((Epsilon, Delta), Pair), LedgerError> {
    let epsilon = |text: &str, place| Epsilon::from_canonical(text).map_err(|error| wrong(place, error));
    let delta = |text: &str, place| Delta::from_canonical(text).map_err(|error| wrong(place, error));
    let promise = (
        epsilon(&document.budget.epsilon, "budget.epsilon")?,
        delta(&document.budget.delta, "budget.delta")?,
    );
    let pair = Pair {
        mu: Mu::from_canonical(&document.mu).map_err(|error| wrong("mu", error))?,
        epsilon: epsilon(&document.other.epsilon, "other.epsilon")?,
        delta: delta(&document.other.delta, "other.delta")?,
    };
    Ok((promise, pair))
}

/// An entry's number, its links and the form of its fields.
fn check_form(entry: &Entry, at: usize, previous: &str) -> Result<(), LedgerError> {
    let place = |field: &str| format!("entries[{at}].{field}");
    if entry.seq != number(at).to_string() {
        return Err(wrong(&place("seq"), "the entries are not in order"));
    }
    if entry.previous != previous || entry.own_hash()? != entry.hash {
        return Err(wrong(&place("hash"), "the chain is broken here"));
    }
    if entry.assurance == Assurance::Demo {
        return Err(wrong(&place("assurance"), "a demonstration has no place in a ledger"));
    }
    if entry.parameters.values().any(has_numbers) {
        return Err(wrong(&place("parameters"), "a number is not written as a decimal string"));
    }
    Ok(())
}

/// The protection after an entry of kind `relax`.
fn relaxed(terms: Terms, entry: &Entry) -> Result<Protect, &'static str> {
    let protect = entry.parameters.get("protect").cloned().unwrap_or_default();
    let protect = serde_json::from_value(protect).map_err(|_| "it does not say what stays protected")?;
    relaxes(terms, protect)?;
    if entry.charge != Units::ZERO || entry.state != State::Released || entry.parameters.len() != 1 {
        return Err("an entry that relaxes has no charge, no reservation and no other parameter");
    }
    Ok(protect)
}

/// Whether a ledger with these terms can be relaxed to `protect`.
fn relaxes(terms: Terms, protect: Protect) -> Result<(), &'static str> {
    if terms.protect != Protect::Rows {
        Err("it was already, which is for good")
    } else if protect == Protect::Rows {
        Err("`rows` is full protection; say `features` or `labels`")
    } else if terms.adjacency != Adjacency::ReplaceOne {
        Err("protection of features or labels alone needs `replace-one`")
    } else {
        Ok(())
    }
}

/// The other ledger of an entry of kind `disjoint`; `others` are those that earlier entries name.
fn asserted<'a>(id: &str, others: &[&str], entry: &'a Entry) -> Result<&'a str, &'static str> {
    let other = entry.disjoint_from().ok_or("it does not name the other ledger")?;
    assertable(id, other, others.contains(&other))?;
    let plain = entry.mechanism == DISJOINT && entry.version == "1" && entry.assurance == Assurance::Exact;
    if !plain || entry.charge != Units::ZERO || entry.state != State::Released || entry.parameters.len() != 1
    {
        return Err("an assertion has no charge, no reservation, no mechanism and no other parameter");
    }
    Ok(other)
}

/// Whether a ledger can be said to be about different people than `other`.
fn assertable(id: &str, other: &str, already: bool) -> Result<(), &'static str> {
    if !is_id(other) {
        Err("the other ledger's id is not 32 hexadecimal digits")
    } else if other == id {
        Err("a ledger is about the same people as itself")
    } else if already {
        Err("it was already")
    } else {
        Ok(())
    }
}

/// Whether a text is a ledger's name.
fn is_id(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

/// An entry's number, from 1.
fn number(at: usize) -> u64 {
    u64::try_from(at).unwrap_or(u64::MAX).saturating_add(1)
}

/// Whether a text has the form of a day, `2026-11-20`.
fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return false };
    let within = |text: &str, length: usize, most: u32| {
        let digits = text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit());
        digits && text.parse::<u32>().is_ok_and(|value| (1..=most).contains(&value))
    };
    within(year, 4, 9999) && within(month, 2, 12) && within(day, 2, 31)
}

// proptest is a native dependency.
#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
#[expect(clippy::arithmetic_side_effects, reason = "a test fails by panicking")]
mod tests;
