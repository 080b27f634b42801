use dashu_int::UBig;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::privacy::calibrate::NoiseScale;
use crate::privacy::measure::Rho;

const TERMS: Terms =
    Terms { adjacency: Adjacency::AddRemove, protect: Protect::Rows, max_rows_per_person: 1 };
const REPLACE: Terms = Terms { adjacency: Adjacency::ReplaceOne, ..TERMS };

fn opening(terms: Terms, split: Split) -> Opening<'static> {
    let budget = Budget::EpsilonDelta {
        epsilon: Epsilon::try_new(1.0).unwrap(),
        delta: Delta::try_new(1e-6).unwrap(),
    };
    Opening { id: [0xab; 16], created: "2026-11-20", terms, budget, split }
}

fn open(terms: Terms, split: Split) -> Ledger {
    Ledger::open(&opening(terms, split)).unwrap()
}

/// Returns an event of about `mu` of the Gaussian budget's unit: sensitivity 2^48, S = 2^48 / mu.
fn gaussian(inverse_mu: u64) -> Event {
    Event::Gaussian {
        sensitivity_squared: UBig::ONE << 96,
        scale: NoiseScale::try_new((1 << 48) * inverse_mu).unwrap(),
        cells_diagonal: 3,
        cells_off_diagonal: 3,
    }
}

fn pure(epsilon: f64) -> Event {
    Event::Pure { epsilon: Epsilon::try_new(epsilon).unwrap() }
}

fn request(terms: Terms, events: &[Event]) -> Request<'_> {
    let parameters = json!({"radius": 16_777_216, "shape": "goe"}).as_object().unwrap().clone();
    Request {
        terms,
        events,
        mechanism: "analyze-gauss",
        version: "1",
        parameters,
        assurance: Assurance::Exact,
    }
}

#[test]
fn a_release_is_charged_once_and_for_good() {
    let mut ledger = open(TERMS, Split::Gaussian);
    let before = ledger.remaining();
    let events = [gaussian(10)];
    let cost = ledger.check(&request(TERMS, &events)).unwrap();
    assert_eq!(ledger.remaining(), before, "a check is free");
    assert_eq!(ledger.reserve(&request(TERMS, &events)), Ok(1));
    assert_eq!(ledger.remaining().checked_add(&cost), Some(before));
    assert_eq!(ledger.charged(), cost);
    assert_eq!(ledger.reserve(&request(TERMS, &events)), Err(LedgerError::Pending(1)));
    assert_eq!(ledger.release(2), Err(LedgerError::NotReserved(2)));
    ledger.release(1).unwrap();
    assert_eq!(ledger.burn(1), Err(LedgerError::NotReserved(1)));
    assert_eq!(ledger.charged(), cost);
    assert_eq!(ledger.entries()[0].parameters["radius"], "16777216");
    assert_eq!(Ledger::parse(&ledger.to_json().unwrap()).as_ref(), Ok(&ledger));
    // As an editor may save it.
    let marked = format!("\u{feff}{}", ledger.to_json().unwrap().replace('\n', "\r\n"));
    assert_eq!(Ledger::parse(&marked).as_ref(), Ok(&ledger));
}

#[test]
fn a_crash_loses_a_release_and_never_a_charge() {
    let mut ledger = open(TERMS, Split::Gaussian);
    ledger.reserve(&request(TERMS, &[gaussian(10)])).unwrap();
    let mut found = Ledger::parse(&ledger.to_json().unwrap()).unwrap();
    assert_eq!(found.recover(), Ok(Some(1)));
    assert_eq!(found.recover(), Ok(None));
    assert_eq!(found.entries()[0].state, State::Burned);
    assert_eq!(found.remaining(), ledger.remaining());
    assert!(found.reserve(&request(TERMS, &[gaussian(10)])).is_ok());
}

#[test]
fn persons_are_told_apart_as_before_unless_another_way_is_confirmed() {
    let mut ledger = open(TERMS, Split::Gaussian);
    let mut reserve = |persons: &[(&str, Value)]| {
        let events = [gaussian(30)];
        let mut request = request(TERMS, &events);
        request.parameters.extend(persons.iter().map(|(key, value)| ((*key).to_owned(), value.clone())));
        let seq = ledger.reserve(&request)?;
        ledger.release(seq)?;
        ledger = Ledger::parse(&ledger.to_json().unwrap())?;
        Ok(())
    };
    let by = |column: &str| ("person", json!(column));
    let confirmed = ("other_persons", json!(true));
    let refused = |before: Option<&str>, own: &str| {
        Err(LedgerError::OtherPersons { before: before.map(str::to_owned), own: own.to_owned() })
    };
    assert_eq!(reserve(&[by("patient")]), Ok(()));
    assert_eq!(
        reserve(&[]),
        refused(Some("patient"), ""),
        "a patient with several rows would be several persons"
    );
    assert_eq!(reserve(&[by("visit")]), refused(Some("patient"), "visit"));
    assert_eq!(reserve(&[by("patient")]), Ok(()));
    assert_eq!(reserve(std::slice::from_ref(&confirmed)), Ok(()), "a table with one row of each");
    assert_eq!(reserve(&[]), refused(Some("patient"), ""), "a confirmation is for one release");
    assert_eq!(reserve(&[by("patient")]), refused(None, "patient"), "each row was a person");
    assert_eq!(reserve(&[by("mrn"), confirmed]), Ok(()));
    assert_eq!(reserve(&[by("patient")]), refused(Some("mrn"), "patient"));
    assert!(ledger.mixes_persons() && !open(TERMS, Split::Gaussian).mixes_persons());
}

#[test]
fn a_refusal_changes_nothing_and_says_why() {
    let mut ledger = open(TERMS, Split::Gaussian);
    let before = ledger.clone();
    let error = ledger.reserve(&request(TERMS, &[gaussian(1)])).unwrap_err();
    assert!(error.is_refusal() && error.to_string().contains("Gaussian budget"), "{error}");
    let error = ledger.reserve(&request(TERMS, &[pure(0.1)])).unwrap_err();
    assert!(error.is_refusal() && error.to_string().contains("`gaussian`"), "{error}");
    assert_eq!(ledger.reserve(&request(TERMS, &[])), Err(LedgerError::Free));
    let demo = Request { assurance: Assurance::Demo, ..request(TERMS, &[]) };
    assert_eq!(ledger.reserve(&demo), Err(LedgerError::Demo));
    for (terms, field) in [
        (REPLACE, "adjacency"),
        (Terms { protect: Protect::Labels, ..TERMS }, "protect"),
        (Terms { max_rows_per_person: 2, ..TERMS }, "max_rows_per_person"),
    ] {
        let error = ledger.reserve(&request(terms, &[gaussian(10)])).unwrap_err();
        assert!(!error.is_refusal() && error.to_string().contains(field), "{error}");
    }
    assert_eq!(ledger, before);
    assert!(ledger.reserve(&request(TERMS, &[gaussian(10)])).is_ok(), "a smaller request may follow");
}

#[test]
fn a_charge_too_large_to_count_is_refused() {
    let mut ledger = open(TERMS, Split::Both);
    let huge = [pure(3e26), pure(3e26)];
    assert!(matches!(ledger.reserve(&request(TERMS, &huge)), Err(LedgerError::Calibration(_))));
    let large = [pure(1e26)];
    assert!(ledger.reserve(&request(TERMS, &large)).unwrap_err().is_refusal());
}

#[test]
fn a_ledger_by_rho_states_its_epsilon() {
    let budget =
        Budget::Rho { rho: Rho::try_new(0.125).unwrap(), delta: Some(Delta::try_new(1e-6).unwrap()) };
    let ledger = Ledger::open(&Opening { budget, ..opening(TERMS, Split::Gaussian) }).unwrap();
    assert_eq!(ledger.capacity().gaussian, 1 << 38);
    assert!((ledger.promise().0.get() - 2.258).abs() < 0.05, "{}", ledger.promise().0);
    let bare = Budget::Rho { rho: Rho::try_new(0.125).unwrap(), delta: None };
    let error = Ledger::open(&Opening { budget: bare, ..opening(TERMS, Split::Gaussian) }).unwrap_err();
    assert_eq!(error, LedgerError::Calibration(CalibrationError::NoDelta));
}

#[test]
fn protection_is_relaxed_once_and_for_good() {
    let mut ledger = open(REPLACE, Split::Gaussian);
    ledger.reserve(&request(REPLACE, &[gaussian(10)])).unwrap();
    assert_eq!(ledger.relax(Protect::Labels), Err(LedgerError::Pending(1)));
    ledger.release(1).unwrap();
    let charged = ledger.charged();
    assert!(ledger.relax(Protect::Rows).is_err());
    ledger.relax(Protect::Labels).unwrap();
    assert!(ledger.relax(Protect::Features).is_err());
    assert_eq!(ledger.charged(), charged);
    let error = ledger.reserve(&request(REPLACE, &[gaussian(10)])).unwrap_err();
    assert!(error.to_string().contains("`protect` rows"), "{error}");
    let labels = Terms { protect: Protect::Labels, ..REPLACE };
    ledger.reserve(&request(labels, &[gaussian(10)])).unwrap();
    assert_eq!(Ledger::parse(&ledger.to_json().unwrap()).as_ref(), Ok(&ledger));
    assert!(open(TERMS, Split::Gaussian).relax(Protect::Labels).is_err(), "add-remove cannot");
}

#[test]
fn a_forged_chain_still_has_to_add_up() {
    // Someone who recomputes the hashes after lowering a charge to nothing, or spending twice, is refused too.
    let mut ledger = open(TERMS, Split::Gaussian);
    ledger.reserve(&request(TERMS, &[gaussian(5)])).unwrap();
    ledger.release(1).unwrap();
    let forge = |change: &dyn Fn(&mut Entry)| {
        let mut document = ledger.document.clone();
        change(&mut document.entries[0]);
        document.entries[0].hash = document.entries[0].own_hash().unwrap();
        document.tip = document.last_hash().unwrap();
        Ledger::try_from(document)
    };
    assert!(forge(&|_| ()).is_ok());
    assert!(forge(&|entry| entry.charge = Units::ZERO).is_err());
    assert!(forge(&|entry| entry.charge.gaussian = u128::MAX).is_err());
    assert!(forge(&|entry| entry.charge.epsilon = 1).is_err());
    assert!(forge(&|entry| entry.kind = Kind::Relax).is_err());
    assert!(forge(&|entry| entry.kind = Kind::Disjoint).is_err());
}

const OTHER: &str = "00112233445566778899aabbccddeeff";

#[test]
fn different_people_are_asserted_once_and_cost_nothing() {
    let mut ledger = open(TERMS, Split::Both);
    let (own, before) = (ledger.id().to_owned(), ledger.remaining());
    for (other, words) in [(own.as_str(), "own id"), ("ab", "32"), (&OTHER.to_uppercase(), "32"), ("", "32")]
    {
        let error = ledger.disjoint(other).unwrap_err();
        assert!(matches!(error, LedgerError::Disjoint(what) if what.contains(words)), "{other}: {error}");
    }
    assert!(ledger.entries().is_empty() && !ledger.is_disjoint_from(OTHER));
    ledger.disjoint(OTHER).unwrap();
    assert!(ledger.is_disjoint_from(OTHER) && !ledger.is_disjoint_from(&own));
    assert_eq!(ledger.disjoint(OTHER), Err(LedgerError::Disjoint("it was recorded before")));
    assert_eq!((ledger.remaining(), ledger.terms(), ledger.idealised()), (before, TERMS, false));
    assert_eq!(ledger.release(1), Err(LedgerError::NotReserved(1)));
    assert_eq!(ledger.recover(), Ok(None));
    ledger.reserve(&request(TERMS, &[gaussian(10)])).unwrap();
    assert_eq!(ledger.disjoint(&"1".repeat(32)), Err(LedgerError::Pending(2)));
    ledger.release(2).unwrap();
    ledger.disjoint(&"1".repeat(32)).unwrap();
    assert_eq!(Ledger::parse(&ledger.to_json().unwrap()).as_ref(), Ok(&ledger));
    let entry = serde_json::to_value(&ledger.entries()[0]).unwrap();
    assert_eq!(entry["kind"], "disjoint");
    assert_eq!(entry["parameters"], json!({"ledger": OTHER}));
}

#[test]
fn an_assertion_that_is_altered_is_refused_with_its_hashes_recomputed() {
    let mut ledger = open(TERMS, Split::Both);
    ledger.disjoint(OTHER).unwrap();
    ledger.disjoint(&"1".repeat(32)).unwrap();
    let own = ledger.id().to_owned();
    let forge = |change: &dyn Fn(&mut Entry)| {
        let mut document = ledger.document.clone();
        let [first, second] = document.entries.as_mut_slice() else { panic!("two entries") };
        change(first);
        first.hash = first.own_hash().unwrap();
        second.previous.clone_from(&first.hash);
        second.hash = second.own_hash().unwrap();
        document.tip = document.last_hash().unwrap();
        Ledger::try_from(document)
    };
    let name = |other: &str| {
        let other = Value::from(other);
        move |entry: &mut Entry| drop(entry.parameters.insert("ledger".to_owned(), other.clone()))
    };
    assert!(forge(&|_| ()).is_ok());
    assert!(forge(&name(&"2".repeat(32))).is_ok(), "the chain alone cannot know whom it named");
    assert!(forge(&name(&own)).is_err());
    assert!(forge(&name(&"1".repeat(32))).is_err(), "twice the same");
    assert!(forge(&name("somebody")).is_err());
    assert!(forge(&|entry| drop(entry.parameters.remove("ledger"))).is_err());
    assert!(forge(&|entry| drop(entry.parameters.insert("more".to_owned(), Value::Null))).is_err());
    assert!(forge(&|entry| entry.charge.gaussian = 1).is_err());
    assert!(forge(&|entry| entry.charge.slack = 1).is_err());
    assert!(forge(&|entry| entry.state = State::Burned).is_err());
    assert!(forge(&|entry| entry.mechanism = "analyze-gauss".to_owned()).is_err());
    assert!(forge(&|entry| entry.version = "2".to_owned()).is_err());
    assert!(forge(&|entry| entry.assurance = Assurance::Idealised).is_err());
    assert!(forge(&|entry| entry.kind = Kind::Release).is_err());
    assert!(forge(&|entry| entry.kind = Kind::Relax).is_err());
}

#[test]
fn an_import_extends_and_never_forks() {
    let mut local = open(TERMS, Split::Gaussian);
    let spend = |ledger: &mut Ledger| {
        let seq = ledger.reserve(&request(TERMS, &[gaussian(20)])).unwrap();
        ledger.release(seq).unwrap();
    };
    spend(&mut local);
    let old = local.clone();
    let mut ahead = local.clone();
    spend(&mut ahead);
    spend(&mut ahead);
    ahead.disjoint(OTHER).unwrap();
    assert_eq!(local.import(&ahead), Ok(3));
    assert_eq!(local, ahead);
    assert!(local.is_disjoint_from(OTHER));
    assert_eq!(local.import(&ahead), Ok(0));
    assert_eq!(local.import(&old), Err(LedgerError::Older));
    let mut apart = old.clone();
    apart.reserve(&request(TERMS, &[gaussian(30)])).unwrap();
    assert_eq!(local.import(&apart), Err(LedgerError::Fork(2)));
    let other = Ledger::open(&Opening { id: [1; 16], ..opening(TERMS, Split::Gaussian) }).unwrap();
    assert!(matches!(local.import(&other), Err(LedgerError::OtherLedger(_))));
    let same_id = Ledger::open(&opening(TERMS, Split::Both)).unwrap();
    assert_eq!(local.import(&same_id), Err(LedgerError::Fork(0)));
    assert_eq!(local, ahead);
}

#[test]
fn a_reserved_tip_may_be_settled_by_an_import() {
    let mut local = open(TERMS, Split::Gaussian);
    local.reserve(&request(TERMS, &[gaussian(20)])).unwrap();
    let reserved = local.clone();
    let mut released = local.clone();
    released.release(1).unwrap();
    let mut burned = local.clone();
    burned.burn(1).unwrap();
    assert_eq!(local.import(&released), Ok(1));
    assert_eq!(local, released);
    assert_eq!(local.import(&reserved), Err(LedgerError::Older));
    assert_eq!(local.import(&burned), Err(LedgerError::Fork(1)));
}

fn any_units(most: u128) -> impl Strategy<Value = Units> {
    let part = move || prop_oneof![Just(0), 0..=most, Just(most)];
    (part(), part(), part()).prop_map(|(gaussian, epsilon, delta)| Units {
        gaussian,
        epsilon,
        delta,
        slack: 0,
    })
}

fn cases(cases: u32) -> ProptestConfig {
    let rng_seed = proptest::test_runner::RngSeed::Fixed(20_261_120);
    ProptestConfig { cases, rng_seed, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn refusing_is_monotone(left in any_units(1000), charge in any_units(1000), more in any_units(50)) {
        let larger = charge.checked_add(&more).unwrap();
        let richer = left.checked_add(&more).unwrap();
        if admit(&left, &larger, &left).is_ok() && !charge.is_free() {
            prop_assert!(admit(&left, &charge, &left).is_ok(), "asking for less is refused");
        }
        if admit(&left, &charge, &left).is_ok() {
            prop_assert!(admit(&richer, &charge, &richer).is_ok(), "having more is refused");
        }
    }
}
