//! The ledger: a state machine without storage that counts what a table's releases cost and refuses what exceeds the budget.
//!
//! Trusted: charges are integers, and this file has no floating-point number. Two filters run side by side: a sum of μ² for
//! Gaussian releases, and sums of ε and δ for all others. Releases may be interleaved and chosen adaptively
//! (theory/accounting 5.1 and 5.2). Each release is charged before its noise is drawn. No charge is ever returned. A refusal
//! changes nothing. Entries form a hash chain that includes the terms fixed at opening (theory/accounting 5.5).

#![deny(clippy::arithmetic_side_effects)]

mod document;
mod error;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use self::document::{Amount, Document, has_numbers, without_numbers};
pub use self::document::{Entry, Kind, SCHEMA, State};
pub use self::error::{LedgerError, Quantity, Refusal};
use super::adjacency::{Adjacency, Protect};
use super::calibrate::{Budget, CalibrationError, Split, budget_parts, verified_capacity};
use super::compose::Pair;
use super::event::{Event, charge};
use super::measure::{Delta, Epsilon, Mu};
use super::mutants::{Mutant, is_active};
use super::promise::can_pay;
use super::units::Units;
use crate::model::Assurance;
use crate::text::json::{self, read};
use crate::text::{hexadecimal, one_line};
use crate::words;

/// The parameter of an entry that names the column that identified persons. Without it each row was one person.
pub const PERSON: &str = "person";

/// The parameter of an entry for which a person confirmed that persons are identified in another way than before.
pub const OTHER_PERSONS: &str = "other_persons";

/// The parameter of an entry with the hash of the plan's outcome, features and rows, by which another plan that asks the same is told.
pub const QUESTION: &str = "question";

/// The mechanism's name in an entry of kind `disjoint`.
const DISJOINT: &str = "disjoint";

/// Returns what remains of `left` after a charge.
///
/// # Errors
/// [`LedgerError::Free`] for a charge of 0, [`LedgerError::Refused`] for one that exceeds `left`. `capacity` is used in the text.
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

/// The terms that a plan and its ledger must have in common. They are compared, never converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The neighbouring relation.
    pub adjacency: Adjacency,
    /// The part of a person's data that the guarantee covers.
    pub protect: Protect,
    /// The most rows of one person that are read.
    pub max_rows_per_person: u32,
}

/// The terms and the budget that are fixed when a ledger is opened.
#[derive(Clone, Debug, PartialEq)]
pub struct Opening<'a> {
    /// A random identifier.
    pub id: [u8; 16],
    /// The day, as `2026-11-20`.
    pub created: &'a str,
    /// Adjacency, protection and rows per person.
    pub terms: Terms,
    /// The budget; μ or ρ need a δ beside them.
    pub budget: Budget,
    /// The division of the budget.
    pub split: Split,
}

/// A release to be charged.
#[derive(Clone, Debug, PartialEq)]
pub struct Request<'a> {
    /// The plan's terms.
    pub terms: Terms,
    /// The noise that is charged for.
    pub events: &'a [Event],
    /// The mechanism's name.
    pub mechanism: &'a str,
    /// The mechanism's version.
    pub version: &'a str,
    /// The public parameters, which the entry records.
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
    /// [`LedgerError`] if the budget is out of range or can pay for no release, or the terms contradict each other.
    pub fn open(opening: &Opening<'_>) -> Result<Self, LedgerError> {
        let parts = budget_parts(&opening.budget, &opening.split)?;
        let (epsilon, delta) = parts.promise.ok_or(CalibrationError::NoDelta)?;
        if !can_pay(&parts) {
            return Err(LedgerError::Opening(words::error::ledger_never_pays()));
        }
        let terms = opening.terms;
        if terms.max_rows_per_person == 0 {
            return Err(LedgerError::Opening(words::error::ledger_person_rows()));
        }
        if terms.protect != Protect::Rows && terms.adjacency != Adjacency::ReplaceOne {
            return Err(LedgerError::Opening(words::error::ledger_adjacency()));
        }
        if !is_date(opening.created) {
            return Err(LedgerError::Opening(words::error::ledger_opening_day()));
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

    /// Reads and verifies a stored ledger. Only white space between its parts may vary.
    ///
    /// # Errors
    /// [`LedgerError::Document`] if the text is no ledger, or any part of it is inconsistent.
    pub fn parse(text: &str) -> Result<Self, LedgerError> {
        let document: Document =
            read(text).map_err(|fault| wrong(fault.path.as_deref().unwrap_or("."), fault.what))?;
        if !document.is_all_of(text)? {
            return Err(wrong(".", words::error::ledger_spelling()));
        }
        Self::try_from(document)
    }

    /// Returns the document, for people to read too.
    ///
    /// # Errors
    /// Never in practice; the JSON writer has an error type.
    pub fn to_json(&self) -> Result<String, LedgerError> {
        json::to_text(&self.document, true).map(|text| text + "\n").map_err(|error| wrong(".", error))
    }

    /// Returns the charge of a release after checking that it fits. Nothing is charged.
    ///
    /// # Errors
    /// As [`Self::reserve`].
    pub fn check(&self, request: &Request<'_>) -> Result<Units, LedgerError> {
        self.match_terms(&request.terms)?;
        self.match_persons(&request.parameters)?;
        if request.assurance == Assurance::Demo {
            return Err(LedgerError::Demo);
        }
        self.check_settled()?;
        let charge = charge(request.events, self.promise.0)?;
        admit(&self.left, &charge, &self.document.capacity)?;
        Ok(charge)
    }

    /// Charges a release: appends a `reserved` entry and returns its number. The caller must store the ledger before it draws
    /// the first random byte.
    ///
    /// # Errors
    /// [`LedgerError`] if the plan's terms differ, too little is left, an earlier entry is still reserved, or the charge is 0.
    /// Then nothing has changed.
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

    /// Marks the reserved entry as released. The charge stays.
    ///
    /// # Errors
    /// If that entry is not the reserved one.
    pub fn release(&mut self, seq: u64) -> Result<(), LedgerError> {
        self.settle(seq, State::Released)
    }

    /// Marks the reserved entry as burned: its release was lost. The charge stays.
    ///
    /// # Errors
    /// If that entry is not the reserved one.
    pub fn burn(&mut self, seq: u64) -> Result<(), LedgerError> {
        self.settle(seq, State::Burned)
    }

    /// Burns an entry that a crash left reserved and returns its number. Callers do this whenever they open a ledger under its
    /// lock.
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

    /// Reduces full protection to that of features or of labels, once and permanently. All charges stay.
    ///
    /// # Errors
    /// If the ledger does not protect full rows under `replace-one`, or an entry is still reserved.
    pub fn relax(&mut self, protect: Protect) -> Result<(), LedgerError> {
        relaxes(self.terms, protect).map_err(LedgerError::Relax)?;
        self.state(Kind::Relax, "relax", "protect", protect.to_string())?;
        self.terms.protect = protect;
        Ok(())
    }

    /// Records a person's statement that another ledger is about different people. It costs nothing and changes no budget. Each
    /// of the two ledgers records it once.
    ///
    /// # Errors
    /// [`LedgerError`] if `other` is no ledger's identifier, is this ledger's own or was recorded before, or if an entry is
    /// still reserved.
    pub fn disjoint(&mut self, other: &str) -> Result<(), LedgerError> {
        assertable(self.id(), other, self.is_disjoint_from(other)).map_err(LedgerError::Disjoint)?;
        self.state(Kind::Disjoint, DISJOINT, "ledger", other.to_owned())
    }

    /// Returns whether this ledger records that another ledger is about different people.
    pub fn is_disjoint_from(&self, other: &str) -> bool {
        self.document.entries.iter().any(|entry| entry.disjoint_from() == Some(other))
    }

    /// Replaces this ledger by a copy of it that has more entries, and returns how many entries are new or settled. No charge is
    /// lost.
    ///
    /// # Errors
    /// [`LedgerError`] if `other` is another ledger, an older copy, or a copy with another history. Then nothing has changed.
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

    /// Returns its identifier, 32 hexadecimal digits.
    pub fn id(&self) -> &str {
        &self.document.id
    }

    /// Returns the day it was opened.
    pub fn created(&self) -> &str {
        &self.document.created
    }

    /// Returns adjacency, rows per person, and the protection that holds now.
    pub const fn terms(&self) -> Terms {
        self.terms
    }

    /// Returns ε* and δ* of everything released under this ledger.
    pub const fn promise(&self) -> (Epsilon, Delta) {
        self.promise
    }

    /// Returns μ_B, ε_O and δ_O.
    pub const fn pair(&self) -> Pair {
        self.pair
    }

    /// Returns the budget at opening, in units.
    pub const fn capacity(&self) -> Units {
        self.document.capacity
    }

    /// Returns the budget that is left, in units.
    pub const fn remaining(&self) -> Units {
        self.left
    }

    /// Returns the sum of all charges, in units. It is no statement about the privacy lost so far (theory/accounting 5.7).
    pub fn charged(&self) -> Units {
        self.document.capacity.checked_sub(&self.left).unwrap_or(self.document.capacity)
    }

    /// Returns the entries, oldest first.
    pub fn entries(&self) -> &[Entry] {
        &self.document.entries
    }

    /// Returns the hash of the last entry.
    pub fn tip(&self) -> &str {
        &self.document.tip
    }

    /// Returns whether the promise holds only for idealised arithmetic, because that is true of one of its releases.
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

    /// Returns the column that identified persons in the last release that had one.
    pub fn person_column(&self) -> Option<&str> {
        self.document.entries.iter().rev().find_map(Entry::person)
    }

    /// Returns the column by which the last release that differs from `own` identified persons; `Some(None)` if it counted each
    /// row as a person. `None` if all releases agree with `own`.
    pub fn other_persons(&self, own: Option<&str>) -> Option<Option<&str>> {
        self.releases().map(Entry::person).find(|before| *before != own)
    }

    /// Returns whether its releases identify persons in different ways.
    pub fn mixes_persons(&self) -> bool {
        let mut persons = self.releases().map(Entry::person);
        persons.next().is_some_and(|last| persons.any(|before| before != last))
    }

    /// The entries that are releases, the last first.
    fn releases(&self) -> impl Iterator<Item = &Entry> {
        self.document.entries.iter().rev().filter(|entry| entry.kind == Kind::Release)
    }

    /// Refuses a plan that identifies persons in another way than earlier releases: one person of one release could be several
    /// persons of another.
    fn match_persons(&self, parameters: &Map<String, Value>) -> Result<(), LedgerError> {
        let own = parameters.get(PERSON).and_then(Value::as_str);
        match self.other_persons(own) {
            Some(before) if !parameters.contains_key(OTHER_PERSONS) => Err(LedgerError::OtherPersons {
                before: before.map(str::to_owned),
                own: own.unwrap_or_default().to_owned(),
            }),
            _ => Ok(()),
        }
    }

    fn last_seq(&self) -> u64 {
        u64::try_from(self.document.entries.len()).unwrap_or(u64::MAX)
    }

    /// Refuses while an entry is still reserved.
    fn check_settled(&self) -> Result<(), LedgerError> {
        match self.document.entries.last() {
            Some(entry) if entry.state == State::Reserved => Err(LedgerError::Pending(self.last_seq())),
            _ => Ok(()),
        }
    }

    /// Appends a person's statement, which costs nothing, with its one parameter.
    fn state(&mut self, kind: Kind, name: &str, key: &str, value: String) -> Result<(), LedgerError> {
        self.check_settled()?;
        self.append(Entry {
            seq: String::new(),
            kind,
            state: State::Released,
            mechanism: name.to_owned(),
            version: "1".to_owned(),
            parameters: Map::from_iter([(key.to_owned(), Value::from(value))]),
            charge: Units::ZERO,
            assurance: Assurance::Exact,
            previous: String::new(),
            hash: String::new(),
        })
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
            return Err(wrong("capacity", words::error::ledger_capacity()));
        }
        let mut left = capacity;
        let mut others = Vec::new();
        let mut previous = document.header_hash()?;
        for (at, entry) in document.entries.iter().enumerate() {
            let place = |field: &str| format!("entries[{at}].{field}");
            check_form(entry, at, &previous)?;
            if entry.state == State::Reserved && at.saturating_add(1) < document.entries.len() {
                return Err(wrong(&place("state"), words::error::ledger_reserved()));
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
            return Err(wrong("tip", words::error::ledger_tip()));
        }
        Ok(Self { document, promise, pair, terms, left })
    }
}

fn wrong(place: &str, what: impl ToString) -> LedgerError {
    LedgerError::Document { place: one_line(place), what: one_line(&what.to_string()) }
}

/// Returns the terms at opening, and the plain fields beside them.
fn stated_terms(document: &Document) -> Result<Terms, LedgerError> {
    if document.schema != SCHEMA {
        return Err(wrong("schema", words::plan::schema(SCHEMA)));
    }
    if !is_id(&document.id) {
        return Err(wrong("id", words::error::ledger_id()));
    }
    if !is_date(&document.created) {
        return Err(wrong("created", words::error::ledger_day()));
    }
    let rows = document.max_rows_per_person.parse::<u32>().ok();
    let rows = rows.filter(|rows| *rows > 0 && rows.to_string() == document.max_rows_per_person);
    let terms = Terms {
        adjacency: document.adjacency,
        protect: document.protect,
        max_rows_per_person: rows.ok_or_else(|| wrong("max_rows_per_person", words::error::ledger_rows()))?,
    };
    if terms.protect != Protect::Rows && terms.adjacency != Adjacency::ReplaceOne {
        return Err(wrong("protect", words::error::ledger_protect()));
    }
    Ok(terms)
}

/// Returns the promise and both parts of the budget as stated.
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

/// Returns an entry's number, its links and the form of its fields.
fn check_form(entry: &Entry, at: usize, previous: &str) -> Result<(), LedgerError> {
    let place = |field: &str| format!("entries[{at}].{field}");
    if entry.seq != number(at).to_string() {
        return Err(wrong(&place("seq"), words::error::ledger_order()));
    }
    if entry.previous != previous || entry.own_hash()? != entry.hash {
        return Err(wrong(&place("hash"), words::error::ledger_chain()));
    }
    if entry.assurance == Assurance::Demo {
        return Err(wrong(&place("assurance"), words::error::ledger_demonstration()));
    }
    if entry.parameters.values().any(has_numbers) {
        return Err(wrong(&place("parameters"), words::error::ledger_number()));
    }
    Ok(())
}

/// Returns the protection after an entry of kind `relax`.
fn relaxed(terms: Terms, entry: &Entry) -> Result<Protect, &'static str> {
    let protect = entry.parameters.get("protect").cloned().unwrap_or_default();
    let protect = serde_json::from_value(protect).map_err(|_| words::error::relax_silent())?;
    relaxes(terms, protect)?;
    if entry.charge != Units::ZERO || entry.state != State::Released || entry.parameters.len() != 1 {
        return Err(words::error::relax_more());
    }
    Ok(protect)
}

/// Returns whether a ledger with these terms can be relaxed to `protect`.
fn relaxes(terms: Terms, protect: Protect) -> Result<(), &'static str> {
    if terms.protect != Protect::Rows {
        Err(words::error::relax_twice())
    } else if protect == Protect::Rows {
        Err(words::error::relax_rows())
    } else if terms.adjacency != Adjacency::ReplaceOne {
        Err(words::error::ledger_adjacency())
    } else {
        Ok(())
    }
}

/// Returns the other ledger of an entry of kind `disjoint`; `others` are those that earlier entries name.
fn asserted<'a>(id: &str, others: &[&str], entry: &'a Entry) -> Result<&'a str, &'static str> {
    let other = entry.disjoint_from().ok_or(words::error::disjoint_silent())?;
    assertable(id, other, others.contains(&other))?;
    let plain = entry.mechanism == DISJOINT && entry.version == "1" && entry.assurance == Assurance::Exact;
    if !plain || entry.charge != Units::ZERO || entry.state != State::Released || entry.parameters.len() != 1
    {
        return Err(words::error::disjoint_more());
    }
    Ok(other)
}

/// Returns whether a ledger may record that it is about different people than `other`.
fn assertable(id: &str, other: &str, already: bool) -> Result<(), &'static str> {
    if !is_id(other) {
        Err(words::error::disjoint_id())
    } else if other == id {
        Err(words::error::disjoint_own())
    } else if already {
        Err(words::error::disjoint_twice())
    } else {
        Ok(())
    }
}

/// Returns whether a text is a ledger's name.
fn is_id(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

/// Returns an entry's number, from 1.
fn number(at: usize) -> u64 {
    u64::try_from(at).unwrap_or(u64::MAX).saturating_add(1)
}

/// Returns whether a text has the form of a day, `2026-11-20`.
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
