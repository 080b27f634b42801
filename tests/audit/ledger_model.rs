//! Compares the ledger's state machine with a model: two logs, three rules, integers (theory/accounting 5 and theory/audit 3.8).
//!
//! The cost of a release is computed a second time here, from theory/accounting 5.3, with big integers alone, also for e^ε*.
//! Each check returns what it saw, so that the audit can run it with a mutant active.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use dashu_int::UBig;
use dashu_int::ops::SquareRoot;
use discreet::model::Assurance;
use discreet::privacy::adjacency::{Adjacency, Protect};
use discreet::privacy::calibrate::{Budget, NoiseScale, Split};
use discreet::privacy::event::{Event, charge};
use discreet::privacy::ledger::{Ledger, LedgerError, Opening, Request, State, Terms, admit};
use discreet::privacy::measure::{Delta, Epsilon, Mu, Rho};
use discreet::privacy::units::Units;
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

/// Units of μ², ε, δ and of the slack.
type Columns = [UBig; 4];

/// One entry, as the model sees it.
#[derive(Clone, Debug, PartialEq)]
struct Line {
    name: u64,
    cost: Columns,
    state: State,
}

/// The model: a capacity, a log, and what is protected.
#[derive(Clone, Debug)]
struct Model {
    capacity: Columns,
    terms: Terms,
    log: Vec<Line>,
}

impl Model {
    fn left(&self) -> Columns {
        self.log.iter().fold(self.capacity.clone(), |left, line| minus(left, &line.cost))
    }

    fn reserved(&self) -> bool {
        self.log.last().is_some_and(|line| line.state == State::Reserved)
    }

    fn ask(&mut self, name: u64, cost: Columns, terms: Terms) -> bool {
        let fits = self.left().iter().zip(&cost).all(|(left, cost)| cost <= left);
        let granted = fits && cost[..3] != [UBig::ZERO; 3] && terms == self.terms && !self.reserved();
        if granted {
            self.log.push(Line { name, cost, state: State::Reserved });
        }
        granted
    }

    fn settle(&mut self, seq: usize, state: State) -> bool {
        let settled = self.reserved() && seq == self.log.len();
        if let Some(line) = self.log.last_mut().filter(|_| settled) {
            line.state = state;
        }
        settled
    }

    fn relax(&mut self, protect: Protect) -> bool {
        let full = self.terms.protect == Protect::Rows && self.terms.adjacency == Adjacency::ReplaceOne;
        let relaxed = full && protect != Protect::Rows && !self.reserved();
        if relaxed {
            self.terms.protect = protect;
            // Two copies that are relaxed alike stay alike: nothing was charged.
            let name = u64::MAX - u64::from(protect == Protect::Labels);
            self.log.push(Line { name, cost: [UBig::ZERO; 4], state: State::Released });
        }
        relaxed
    }

    fn disjoint(&mut self, other: u8) -> bool {
        // Names that no request and no other entry has; alike in copies that assert alike.
        let name = u64::MAX - 2 - u64::from(other);
        let granted = !self.reserved() && self.log.iter().all(|line| line.name != name);
        if granted {
            self.log.push(Line { name, cost: [UBig::ZERO; 4], state: State::Released });
        }
        granted
    }

    fn import(&mut self, other: &Self) -> bool {
        let goes_on = |(mine, theirs): (&Line, &Line)| {
            mine == theirs
                || mine.state == State::Reserved && Line { state: theirs.state, ..mine.clone() } == *theirs
        };
        let extends = self.log.len() <= other.log.len() && self.log.iter().zip(&other.log).all(goes_on);
        if extends {
            *self = other.clone();
        }
        extends
    }
}

fn minus(left: Columns, cost: &Columns) -> Columns {
    let [a, b, c, d] = left;
    [a - &cost[0], b - &cost[1], c - &cost[2], d - &cost[3]]
}

/// ⌊value 2^bits⌋, and whether that is all of it.
fn floor(value: f64, bits: usize) -> (UBig, bool) {
    let raw = value.to_bits();
    let (mantissa, exponent) = match raw >> 52 {
        0 => (raw, 0),
        exponent => (raw & ((1 << 52) - 1) | 1 << 52, exponent - 1),
    };
    // The value is mantissa 2^(exponent - 1074).
    let (all, cut) = (UBig::from(mantissa) << (usize::try_from(exponent).unwrap() + bits), UBig::ONE << 1074);
    (&all / &cut, all % cut == UBig::ZERO)
}

fn ceiling(value: f64, bits: usize) -> UBig {
    let (floor, all) = floor(value, bits);
    if all { floor } else { floor + UBig::ONE }
}

fn divided_up(numerator: UBig, denominator: &UBig) -> UBig {
    (numerator + denominator - UBig::ONE) / denominator
}

/// Bits after the point of e^ε* and √2 below.
const FINE: usize = 400;

/// Bounds on (1 + e^ε) η 2^100 for noise of scale S on so many cells, η as in theory/accounting 3.2; nothing beyond ε = 100, where it
/// is more than 128 bits hold.
fn slack(epsilon: f64, [diagonal, off_diagonal]: [u64; 2], s: u64) -> Option<[UBig; 2]> {
    if epsilon > 100.0 {
        return None;
    }
    let one = UBig::ONE << FINE;
    let x = floor(epsilon, FINE).0;
    let (mut power, mut exponential, mut n) = (one.clone(), one.clone(), 0_u32);
    while power != UBig::ZERO {
        n += 1;
        power = power * &x / &one / UBig::from(n);
        exponential += &power;
    }
    // With s = S² a cell has 0.0202/S² + 0.0316/S³, with s = S²/2 it has 0.0404/S² + 0.0316 2√2/S³.
    let (s, root) = (UBig::from(s), (UBig::ONE << (2 * FINE + 1)).sqrt());
    let straight = UBig::from(diagonal) * (UBig::from(202_u32) * &s + UBig::from(316_u32));
    let bent = UBig::from(off_diagonal) * (UBig::from(404_u32) * &s * &one + UBig::from(632_u32) * root);
    let eta = straight * &one + bent;
    let whole = (((one + exponential) * eta) << 100) / ((s.pow(3) * UBig::from(10_000_u32)) << (2 * FINE));
    // The ledger raises what it computes by a billionth.
    let most = &whole + &whole / UBig::from(400_000_000_u32) + UBig::from(2_u8);
    Some([whole, most])
}

/// One part of a request, in shares of what is there.
#[derive(Clone, Debug)]
enum Part {
    Gaussian { share: Share, below: u32, scale: u64, cells: [u64; 2] },
    Pure(Share),
    Approximate(Share, Share),
}

#[derive(Clone, Debug)]
enum Share {
    /// Exactly what is left, a unit less or a unit more.
    Left(i8),
    /// So many 1024ths of the capacity.
    Of(u32),
    /// So many units.
    Units(u128),
}

impl Share {
    fn units(&self, left: &UBig, capacity: &UBig) -> u128 {
        let units = match self {
            Self::Left(-1) => left.clone() - UBig::from(u8::from(*left > UBig::ZERO)),
            Self::Left(more) => left + UBig::from(more.unsigned_abs()),
            Self::Of(parts) => capacity * UBig::from(*parts) / UBig::from(1024_u32),
            Self::Units(units) => UBig::from(*units),
        };
        u128::try_from(units).unwrap_or(u128::MAX)
    }
}

impl Part {
    fn event(&self, left: &Columns, capacity: &Columns) -> Event {
        let number = |share: &Share, at: usize, bits: i32| {
            share.units(&left[at], &capacity[at]) as f64 * 2_f64.powi(-bits)
        };
        let epsilon = |share| Epsilon::try_new(number(share, 1, 40)).unwrap();
        match self {
            Self::Gaussian { share, below, scale, cells: [cells_diagonal, cells_off_diagonal] } => {
                let square = UBig::from(*scale).pow(2);
                // Above the step below, so that the cost is that many units and no fewer.
                let units = UBig::from(share.units(&left[0], &capacity[0]));
                let most = (units * &square) >> 40;
                let step = ((square >> 40) * UBig::from(*below)) >> 32;
                Event::Gaussian {
                    sensitivity_squared: if step < most { most - step } else { most },
                    scale: NoiseScale::try_new(*scale).unwrap(),
                    cells_diagonal: *cells_diagonal,
                    cells_off_diagonal: *cells_off_diagonal,
                }
            }
            Self::Pure(share) => Event::Pure { epsilon: epsilon(share) },
            Self::Approximate(share, delta) => Event::Approximate {
                epsilon: epsilon(share),
                delta: Delta::try_new(number(delta, 2, 100).min(1.0)).unwrap(),
            },
        }
    }
}

/// Returns the cost of a request by theory/accounting 5.3, with bounds of the slack; `None` where they are beyond 128 bits.
fn cost(events: &[Event], promise: f64) -> (Columns, Option<[UBig; 2]>) {
    let mut sum = [UBig::ZERO; 4];
    let mut bounds = Some([UBig::ZERO, UBig::ZERO]);
    for event in events {
        match event {
            Event::Gaussian { sensitivity_squared, scale, cells_diagonal, cells_off_diagonal } => {
                let s = scale.get().get();
                sum[0] += divided_up(sensitivity_squared << 40, &UBig::from(s).pow(2));
                let more = slack(promise, [*cells_diagonal, *cells_off_diagonal], s);
                bounds = bounds.zip(more).map(|([a, b], [c, d])| [a + c, b + d]);
            }
            Event::Pure { epsilon } => sum[1] += ceiling(epsilon.get(), 40),
            Event::Approximate { epsilon, delta } => {
                sum[1] += ceiling(epsilon.get(), 40);
                sum[2] += ceiling(delta.get(), 100);
            }
        }
    }
    (sum, bounds)
}

#[derive(Clone, Debug)]
enum Step {
    Ask {
        parts: Vec<Part>,
        terms: u8,
        assurance: Assurance,
    },
    Settle {
        back: usize,
        burn: bool,
    },
    Recover,
    Relax(Protect),
    /// This ledger is about different people than the one of that number.
    Disjoint(u8),
    /// The other ledger becomes a copy of this one.
    Copy,
    /// What follows happens to the other one.
    Turn,
    /// This ledger imports the other one.
    Import,
}

fn any_share() -> impl Strategy<Value = Share> {
    prop_oneof![
        2 => (-1..=1_i8).prop_map(Share::Left),
        6 => (0..600_u32).prop_map(Share::Of),
        1 => prop_oneof![Just(0), Just(1), any::<u128>(), Just(u128::MAX)].prop_map(Share::Units),
    ]
}

fn any_part() -> impl Strategy<Value = Part> {
    let scale = prop_oneof![Just(1 << 48), Just(1 << 40), Just(1 << 55), (1_u64 << 40)..=(1 << 55)];
    let cells = prop_oneof![
        6 => [1..100_u64, 0..5000_u64],
        1 => [1..1_u64 << 40, 0..1_u64 << 40],
    ];
    prop_oneof![
        4 => (any_share(), any::<u32>(), scale, cells)
            .prop_map(|(share, below, scale, cells)| Part::Gaussian { share, below, scale, cells }),
        2 => any_share().prop_map(Part::Pure),
        2 => (any_share(), any_share()).prop_map(|(epsilon, delta)| Part::Approximate(epsilon, delta)),
    ]
}

fn any_step() -> impl Strategy<Value = Step> {
    let assurance = prop_oneof![
        8 => Just(Assurance::Exact),
        1 => Just(Assurance::Bounded),
        1 => Just(Assurance::Idealised),
        1 => Just(Assurance::Demo),
    ];
    let parts = prop_oneof![1 => Just(Vec::new()), 20 => prop::collection::vec(any_part(), 1..4)];
    let ask = (parts, 0..40_u8, assurance);
    prop_oneof![
        8 => ask.prop_map(|(parts, terms, assurance)| Step::Ask { parts, terms, assurance }),
        6 => (0..8_usize, any::<bool>()).prop_map(|(back, burn)| Step::Settle { back: back / 7, burn }),
        2 => Just(Step::Recover),
        1 => prop::sample::select(vec![Protect::Rows, Protect::Features, Protect::Labels]).prop_map(Step::Relax),
        1 => (0..3_u8).prop_map(Step::Disjoint),
        1 => Just(Step::Copy),
        2 => Just(Step::Turn),
        2 => Just(Step::Import),
    ]
}

/// Ledgers of each kind, the ends of what can be counted among them.
fn openings() -> Vec<Ledger> {
    let epsilon = |value: f64| Epsilon::try_new(value).unwrap();
    let delta = |value: f64| Delta::try_new(value).unwrap();
    let pair = |e: f64, d: f64| Budget::EpsilonDelta { epsilon: epsilon(e), delta: delta(d) };
    let mu = |value: f64| Budget::Mu { mu: Mu::try_new(value).unwrap(), delta: Some(delta(1e-6)) };
    let rho = Budget::Rho { rho: Rho::try_new(0.125).unwrap(), delta: Some(delta(1e-9)) };
    let split = Split::Explicit { epsilon: epsilon(0.3), delta: Delta::ZERO };
    let kinds = [
        (pair(1.0, 1e-6), Split::Gaussian),
        (pair(1.0, 1e-6), Split::Both),
        (pair(2.0, 1e-6), Split::Other),
        (pair(0.5, 1e-12), split),
        (pair(30.0, 0.9), Split::Both),
        (pair(3e26, 0.5), Split::Other),
        (mu(0.5), Split::Gaussian),
        (mu(5.0), Split::Gaussian),
        (rho, Split::Gaussian),
    ];
    let terms =
        |adjacency, max_rows_per_person| Terms { adjacency, protect: Protect::Rows, max_rows_per_person };
    let terms =
        [terms(Adjacency::AddRemove, 1), terms(Adjacency::ReplaceOne, 1), terms(Adjacency::ReplaceOne, 3)];
    let all = kinds.into_iter().flat_map(|kind| terms.map(|terms| (kind, terms)));
    all.map(|((budget, split), terms)| {
        Ledger::open(&Opening { id: [7; 16], created: "2026-11-20", terms, budget, split }).unwrap()
    })
    .collect()
}

/// Returns the capacity by theory/accounting 5.2, from the numbers that the document states.
fn capacity(ledger: &Ledger) -> Columns {
    let (pair, (_, delta)) = (ledger.pair(), ledger.promise());
    let (mantissa, scale) = (floor(pair.mu.get(), 1074).0, 1074 * 2 - 40);
    [
        (&mantissa * &mantissa) >> scale,
        floor(pair.epsilon.get(), 40).0,
        floor(pair.delta.get(), 100).0,
        floor(delta.get(), 80).0.max(UBig::ONE << 50),
    ]
}

fn columns(units: Units) -> Columns {
    [units.gaussian, units.epsilon, units.delta, units.slack].map(UBig::from)
}

/// A ledger, its model and a counter that gives each request its name.
#[derive(Clone)]
struct Pair {
    ledger: Ledger,
    model: Model,
}

impl Pair {
    fn ask(&mut self, name: u64, parts: &[Part], terms: Terms, assurance: Assurance) -> Result<(), String> {
        let (left, capacity) = (self.model.left(), &self.model.capacity);
        let events: Vec<Event> = parts.iter().map(|part| part.event(&left, capacity)).collect();
        let promise = self.ledger.promise().0;
        let (mut expected, bounds) = cost(&events, promise.get());
        let beyond = UBig::ONE << 128;
        match (charge(&events, promise), bounds) {
            (Ok(units), Some([least, most])) if expected.iter().all(|column| *column < beyond) => {
                let [.., slack] = columns(units);
                expected[3].clone_from(&slack);
                if columns(units) != expected || slack < least || slack > most && slack < &beyond - UBig::ONE
                {
                    return Err(format!(
                        "{events:?} cost {units:?}, not {expected:?}, slack {least} to {most}"
                    ));
                }
            }
            // What cannot be counted never fits.
            (answer, bounds) => {
                let counted =
                    bounds.is_some_and(|[_, most]| most < beyond) && expected.iter().all(|c| *c < beyond);
                if answer.is_err() && counted {
                    return Err(format!("{events:?} can be counted, and was not"));
                }
                expected[3] = beyond;
            }
        }
        let parameters = json!({"name": name}).as_object().cloned().unwrap_or_default();
        let request =
            Request { terms, events: &events, mechanism: "model", version: "1", parameters, assurance };
        let before = self.ledger.clone();
        let checked = self.ledger.check(&request);
        if self.ledger != before {
            return Err("a check changed the ledger".to_owned());
        }
        let answer = self.ledger.reserve(&request);
        let granted = assurance != Assurance::Demo && self.model.ask(name, expected, terms);
        if answer.is_ok() != granted || checked.is_ok() != granted {
            return Err(format!(
                "{request:?} was answered {answer:?}, and {checked:?} before; {left:?} was left"
            ));
        }
        if !granted && self.ledger != before {
            return Err(format!("a refusal changed the ledger: {request:?}"));
        }
        Ok(())
    }

    /// Whether the ledger is the model, on paper too.
    fn compare(&self) -> Result<(), String> {
        let states: Vec<State> = self.ledger.entries().iter().map(|entry| entry.state).collect();
        let expected: Vec<State> = self.model.log.iter().map(|line| line.state).collect();
        if states != expected {
            return Err(format!("the entries are {states:?}, not {expected:?}"));
        }
        if columns(self.ledger.remaining()) != self.model.left() {
            return Err(format!("{:?} is left, not {:?}", self.ledger.remaining(), self.model.left()));
        }
        if self.ledger.terms() != self.model.terms || columns(self.ledger.capacity()) != self.model.capacity {
            return Err("what was fixed has changed".to_owned());
        }
        let text = self.ledger.to_json().map_err(|error| error.to_string())?;
        if Ledger::parse(&text).as_ref() != Ok(&self.ledger) {
            return Err(format!("the document does not come back as it was: {text}"));
        }
        chain(&serde_json::from_str(&text).map_err(|error| error.to_string())?)
    }
}

/// Recomputes the hash chain of theory/accounting 5.5 from the document.
fn chain(document: &Value) -> Result<(), String> {
    let hash = |previous: &str, value: &Value, without: &[&str]| {
        let fields: BTreeMap<&String, &Value> =
            value.as_object().unwrap().iter().filter(|(key, _)| !without.contains(&key.as_str())).collect();
        let bytes = format!("{previous}{}", serde_json::to_string(&fields).unwrap());
        Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect::<String>()
    };
    let mut tip = hash("", document, &["entries", "tip"]);
    for (at, entry) in document["entries"].as_array().unwrap().iter().enumerate() {
        let own = hash(&tip, entry, &["hash"]);
        if entry["seq"] != json!((at + 1).to_string())
            || entry["previous"] != json!(tip)
            || entry["hash"] != json!(own)
        {
            return Err(format!("entry {} breaks the chain: {document}", at + 1));
        }
        tip = own;
    }
    if document["tip"] == json!(tip) { Ok(()) } else { Err(format!("the tip is not {tip}")) }
}

fn follow(ledger: &Ledger, steps: &[Step]) -> Result<(), String> {
    let model = Model { capacity: capacity(ledger), terms: ledger.terms(), log: Vec::new() };
    let mut here = Pair { ledger: ledger.clone(), model };
    let mut there = here.clone();
    here.compare()?;
    for (name, step) in (1_u64..).zip(steps) {
        let Pair { ledger, model } = &mut here;
        let same = |what: &str, answer: bool, expected: bool| {
            if answer == expected { Ok(()) } else { Err(format!("{what}: {answer}, not {expected}")) }
        };
        match step {
            Step::Ask { parts, terms, assurance } => {
                let mut asked = model.terms;
                match terms {
                    0 => asked.max_rows_per_person += 1,
                    1 if asked.protect == Protect::Rows => asked.protect = Protect::Labels,
                    1 => asked.protect = Protect::Rows,
                    2 if asked.adjacency == Adjacency::AddRemove => asked.adjacency = Adjacency::ReplaceOne,
                    2 => asked.adjacency = Adjacency::AddRemove,
                    _ => {}
                }
                here.ask(name, parts, asked, *assurance)?;
            }
            Step::Settle { back, burn } => {
                let seq = model.log.len().saturating_sub(*back);
                let number = u64::try_from(seq).unwrap();
                let answer = if *burn { ledger.burn(number) } else { ledger.release(number) };
                let state = if *burn { State::Burned } else { State::Released };
                same("settle", answer.is_ok(), model.settle(seq, state))?;
            }
            Step::Recover => {
                let answer = ledger.recover().map_err(|error| error.to_string())?;
                same("recover", answer.is_some(), model.settle(model.log.len(), State::Burned))?;
            }
            Step::Relax(protect) => {
                same("relax", ledger.relax(*protect).is_ok(), model.relax(*protect))?;
            }
            Step::Disjoint(other) => {
                let answer = ledger.disjoint(&format!("{other:032x}"));
                same("disjoint", answer.is_ok(), model.disjoint(*other))?;
            }
            Step::Copy => there = here.clone(),
            Step::Turn => std::mem::swap(&mut here, &mut there),
            Step::Import => {
                let before = ledger.clone();
                let answer = ledger.import(&there.ledger);
                same("import", answer.is_ok(), model.import(&there.model))?;
                if answer.is_err() && *ledger != before {
                    return Err("an import that was refused changed the ledger".to_owned());
                }
            }
        }
        here.compare()?;
    }
    Ok(())
}

fn runner(cases: u32) -> TestRunner {
    let rng_seed = RngSeed::Fixed(20_261_120);
    let config = ProptestConfig { cases, rng_seed, failure_persistence: None, ..ProptestConfig::default() };
    TestRunner::new(config)
}

/// Random requests of every kind, settled, lost, relaxed, copied, imported and forked: after each step the ledger grants
/// what the model grants, holds what the model holds, and its document verifies and comes back.
pub fn follows_the_model(cases: u32) -> Result<(), String> {
    let strategy = (prop::sample::select(openings()), prop::collection::vec(any_step(), 1..32));
    let follow = |(ledger, steps): (Ledger, Vec<Step>)| follow(&ledger, &steps).map_err(TestCaseError::fail);
    runner(cases).run(&strategy, follow).map_err(|error| error.to_string())
}

/// The same for the requests that some bytes spell, at most 16 of them.
pub fn requests_of_bytes(bytes: &[u8]) -> Result<(), String> {
    static OPENINGS: OnceLock<Vec<Ledger>> = OnceLock::new();
    let openings = OPENINGS.get_or_init(openings);
    let mut spelling = Spelling(bytes.iter());
    let ledger = &openings[usize::from(spelling.byte()) % openings.len()];
    let mut steps = Vec::new();
    while !spelling.0.as_slice().is_empty() && steps.len() < 16 {
        steps.push(spelling.step());
    }
    follow(ledger, &steps)
}

/// Bytes in place of random numbers; zeros where they end.
struct Spelling<'a>(std::slice::Iter<'a, u8>);

impl Spelling<'_> {
    fn byte(&mut self) -> u8 {
        self.0.next().copied().unwrap_or(0)
    }

    fn number(&mut self, bytes: u8) -> u128 {
        (0..bytes).fold(0, |number, _| number << 8 | u128::from(self.byte()))
    }

    fn below(&mut self, bytes: u8, bound: u64) -> u64 {
        u64::try_from(self.number(bytes)).unwrap() % bound
    }

    fn share(&mut self) -> Share {
        match self.byte() {
            0..3 => Share::Left(-1),
            3..10 => Share::Left(0),
            10..13 => Share::Left(1),
            13..250 => Share::Of(u32::try_from(self.below(2, 600)).unwrap()),
            250 => Share::Units(u128::MAX),
            251 => Share::Units(self.number(16)),
            small => Share::Units(u128::from(small) - 252),
        }
    }

    fn part(&mut self) -> Part {
        match self.byte() % 8 {
            0 | 1 => Part::Pure(self.share()),
            2 | 3 => Part::Approximate(self.share(), self.share()),
            kind => {
                let most = if kind == 7 { 1 << 40 } else { 5000 };
                let scale = match self.byte() {
                    0 => 1 << 40,
                    1 => 1 << 55,
                    2 => (1 << 40) + self.below(7, (1 << 55) - (1 << 40)),
                    _ => 1 << 48,
                };
                Part::Gaussian {
                    share: self.share(),
                    below: u32::try_from(self.below(4, 1 << 32)).unwrap(),
                    scale,
                    cells: [1 + self.below(5, most), self.below(5, most)],
                }
            }
        }
    }

    fn step(&mut self) -> Step {
        match self.byte() % 16 {
            0..6 => {
                let parts = (0..self.byte() % 4).map(|_| self.part()).collect();
                let assurance = match self.byte() {
                    0 => Assurance::Demo,
                    1..16 => Assurance::Bounded,
                    16..32 => Assurance::Idealised,
                    _ => Assurance::Exact,
                };
                Step::Ask { parts, terms: self.byte() % 40, assurance }
            }
            6..10 => {
                let how = self.byte();
                Step::Settle { back: usize::from(how >> 5 == 7), burn: how & 1 == 1 }
            }
            10 => Step::Recover,
            11 => {
                Step::Relax([Protect::Rows, Protect::Features, Protect::Labels][usize::from(self.byte() % 3)])
            }
            12 => Step::Copy,
            13 => Step::Turn,
            _ => Step::Import,
        }
    }
}

/// Admission alone, with columns anywhere in 128 bits.
pub fn admits_by_the_model(cases: u32) -> Result<(), String> {
    let part =
        || prop_oneof![Just(0), Just(1), Just(u128::MAX - 1), Just(u128::MAX), any::<u128>(), 0..1000_u128];
    let units = move || {
        [part(), part(), part(), part()].prop_map(|[gaussian, epsilon, delta, slack]| Units {
            gaussian,
            epsilon,
            delta,
            slack,
        })
    };
    let agrees = |(left, charge): (Units, Units)| {
        let fits = columns(charge).iter().zip(&columns(left)).all(|(charge, left)| charge <= left);
        let free = columns(charge)[..3] == [UBig::ZERO; 3];
        let answer = admit(&left, &charge, &left);
        prop_assert_eq!(answer.is_ok(), fits && !free, "{:?} of {:?}", charge, left);
        if let Ok(rest) = answer {
            prop_assert_eq!(columns(rest), minus(columns(left), &columns(charge)));
        }
        Ok(())
    };
    runner(cases).run(&(units(), units()), agrees).map_err(|error| error.to_string())
}

/// No Gaussian is charged by μ below S = 2^40 (theory/accounting 3.2).
pub fn refuses_coarse_noise() -> Result<(), String> {
    match [1, 1 << 39, (1 << 40) - 1].into_iter().find(|s| NoiseScale::try_new(*s).is_ok()) {
        Some(s) => Err(format!("S = {s} was admitted")),
        None => Ok(()),
    }
}

/// A ledger with an entry of each kind and state.
fn full_ledger() -> Ledger {
    let terms = Terms { adjacency: Adjacency::ReplaceOne, protect: Protect::Rows, max_rows_per_person: 2 };
    let labels = Terms { protect: Protect::Labels, ..terms };
    let budget = Budget::EpsilonDelta {
        epsilon: Epsilon::try_new(1.5).unwrap(),
        delta: Delta::try_new(1e-6).unwrap(),
    };
    let opening = Opening { id: [0xab; 16], created: "2026-11-20", terms, budget, split: Split::Both };
    let mut ledger = Ledger::open(&opening).unwrap();
    let parameters = json!({"S": 1_u64 << 50, "shape": "goe", "budget": {"epsilon": 0.5, "delta": 1e-7}, "all": [true, null]});
    let events = [
        Part::Gaussian { share: Share::Of(64), below: 1, scale: 1 << 50, cells: [3, 3] },
        Part::Approximate(Share::Of(64), Share::Of(64)),
    ]
    .map(|part| part.event(&columns(ledger.remaining()), &columns(ledger.capacity())));
    let request = |terms, assurance| Request {
        terms,
        events: &events,
        mechanism: "analyze-gauss",
        version: "1",
        parameters: parameters.as_object().cloned().unwrap_or_else(Map::new),
        assurance,
    };
    let first = ledger.reserve(&request(terms, Assurance::Exact)).unwrap();
    ledger.release(first).unwrap();
    let second = ledger.reserve(&request(terms, Assurance::Idealised)).unwrap();
    ledger.burn(second).unwrap();
    ledger.relax(Protect::Labels).unwrap();
    ledger.disjoint("00112233445566778899aabbccddeeff").unwrap();
    ledger.reserve(&request(labels, Assurance::Bounded)).unwrap();
    ledger
}

/// Every place of a JSON document.
fn places(value: &Value, path: &str, found: &mut Vec<String>) {
    found.push(path.to_owned());
    match value {
        Value::Object(map) => {
            map.iter().for_each(|(key, value)| places(value, &format!("{path}/{key}"), found))
        }
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(at, value)| places(value, &format!("{path}/{at}"), found));
        }
        _ => {}
    }
}

/// What else could stand in a place: another word, another number, another type, more of it or less of it.
fn alterations(value: &Value) -> Vec<Value> {
    let words = [
        "", "0", "1", "00", "-1", "reserved", "released", "burned", "release", "relax", "disjoint", "rows",
        "features", "labels", "add-remove", "replace-one", "EXACT", "BOUNDED", "IDEALISED", "DEMO",
        "2026-11-21", "discreet.ledger/2",
    ];
    let mut other: Vec<Value> = words.map(Value::from).to_vec();
    other.extend([Value::Null, json!(1), json!(0.5), json!(true), json!([]), json!({})]);
    match value {
        Value::String(text) => {
            other.extend(
                [format!("{text}0"), format!("0{text}"), format!(" {text}"), text.to_uppercase()]
                    .map(Value::from),
            );
            if let Ok(number) = text.parse::<u128>() {
                other.extend([
                    json!(number.saturating_add(1).to_string()),
                    json!(number.saturating_sub(1).to_string()),
                ]);
            }
            other.extend((0..text.len()).filter_map(|at| {
                let rest = text.get(..at)?.to_owned() + text.get(at + 1..)?;
                Some(Value::from(rest))
            }));
        }
        Value::Array(list) => {
            for at in 0..list.len() {
                let mut fewer = list.clone();
                let moved = fewer.remove(at);
                other.push(Value::from(fewer.clone()));
                fewer.push(moved.clone());
                other.push(Value::from(fewer.clone()));
                fewer.push(moved);
                other.push(Value::from(fewer));
            }
        }
        Value::Object(map) => {
            let with = |key: &str, value: Value| {
                let mut more = map.clone();
                more.insert(key.to_owned(), value);
                Value::from(more)
            };
            other.push(with("note", json!("")));
            for (key, value) in map {
                let mut fewer = map.clone();
                fewer.remove(key);
                other.push(Value::from(fewer.clone()));
                fewer.insert(key.to_uppercase(), value.clone());
                other.push(Value::from(fewer));
            }
        }
        _ => {}
    }
    other.retain(|altered| altered != value);
    other
}

/// A stored ledger with any field altered, removed, added or moved, any bit flipped, any byte lost, doubled or cut off, is
/// refused. White space between the parts is free.
pub fn refuses_every_alteration() -> Result<(), String> {
    let ledger = full_ledger();
    let text = ledger.to_json().unwrap();
    let whole: Value = serde_json::from_str(&text).unwrap();
    let mut found = Vec::new();
    places(&whole, "", &mut found);
    let mut tried = 0;
    for place in &found {
        for altered in alterations(whole.pointer(place).unwrap()) {
            let mut document = whole.clone();
            *document.pointer_mut(place).unwrap() = altered.clone();
            tried += 1;
            if Ledger::parse(&document.to_string()).is_ok() {
                return Err(format!("`{place}` may become {altered}"));
            }
        }
    }
    let bytes = text.as_bytes();
    let known = Ok::<_, LedgerError>(ledger);
    let dense: String = text.split_ascii_whitespace().collect();
    for (at, byte) in bytes.iter().enumerate() {
        let (before, after) = bytes.split_at(at);
        let flips = (0..8).map(|bit| [before, &[byte ^ 1 << bit], &after[1..]].concat());
        let lost = [before, &after[1..]].concat();
        let doubled = [before, &[*byte], after].concat();
        let quoted = [before, br#""all":[],"#, after].concat();
        for altered in flips.chain([lost, doubled, quoted]) {
            tried += 1;
            let Ok(altered) = String::from_utf8(altered) else { continue };
            let read = Ledger::parse(&altered);
            let same = altered.split_ascii_whitespace().collect::<String>() == dense;
            if read.is_ok() && !(read == known && same) {
                return Err(format!("a ledger altered at byte {at} is taken: {altered}"));
            }
        }
        // The end of the text is white space.
        if at < text.trim_end().len() && Ledger::parse(text.get(..at).unwrap_or_default()).is_ok() {
            return Err(format!("a ledger cut off at byte {at} is taken"));
        }
    }
    if tried > 30_000 { Ok(()) } else { Err(format!("only {tried} alterations were tried")) }
}
