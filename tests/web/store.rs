//! The ledger in the browser's storage.

use std::future::{Future, poll_fn};
use std::task::Poll;

use discreet::engine;
use discreet::noise::entropy::{PrivateRng, random_id};
use discreet::plan::{CheckedPlan, Plan, Purpose};
use discreet::privacy::adjacency::{Adjacency, Protect};
use discreet::privacy::calibrate::Split;
use discreet::privacy::ledger::{Ledger, Opening, State, Terms};
use discreet::release::Release;
use discreet::release::document::{LedgerReference, Software};
use discreet::store;
use discreet::worker::protocol::Reason;
use js_sys::{Array, Function, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::golden::{PLAN, TABLE, moments};

/// A plan of so much ε.
pub fn plan(epsilon: f64) -> Plan {
    let mut plan: serde_json::Value = serde_json::from_str(PLAN).unwrap();
    plan["budget"]["epsilon"] = epsilon.into();
    serde_json::from_value(plan).unwrap()
}

/// A ledger of so much ε.
pub fn ledger(epsilon: f64) -> Ledger {
    let budget = CheckedPlan::new(plan(epsilon), Purpose::Release).unwrap().budget.unwrap();
    let terms = Terms { adjacency: Adjacency::AddRemove, protect: Protect::Rows, max_rows_per_person: 1 };
    let opening =
        Opening { id: random_id().unwrap(), created: "2026-11-20", terms, budget, split: Split::Gaussian };
    Ledger::open(&opening).unwrap()
}

/// A table's key that no other test has.
pub fn table() -> String {
    random_id().unwrap().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn prepared(epsilon: f64) -> discreet::engine::Prepared {
    let names = ["age", "sex", "sbp"].map(str::to_owned);
    discreet::engine::prepare(plan(epsilon), &names, b',', Purpose::Release).unwrap()
}

fn release(reference: LedgerReference) -> Release {
    let rng = PrivateRng::from_os().unwrap();
    let software = Software::new("test".to_owned());
    engine::release(&prepared(1.0), &moments(TABLE), rng, reference, software).unwrap()
}

/// Charges, releases and settles: all that the engine worker does with the store.
async fn spend(table: &str, name: &str) -> Result<Release, store::failure::Failure> {
    let charge = store::charge(table, name, &prepared(1.0).request()).await?;
    let release = release(charge.reference());
    charge.settle(&release).await?;
    Ok(release)
}

/// Lets a future go as far as its await number `awaits`, from 0, and drops it there: nothing of it runs again, as nothing
/// of a worker does that was terminated. Its answer, if it comes to its end before.
async fn cut<F: Future>(future: F, mut awaits: u32) -> Option<F::Output> {
    let mut future = Box::pin(future);
    poll_fn(move |context| match future.as_mut().poll(context) {
        Poll::Ready(answer) => Poll::Ready(Some(answer)),
        Poll::Pending if awaits == 0 => Poll::Ready(None),
        Poll::Pending => {
            awaits -= 1;
            Poll::Pending
        }
    })
    .await
}

/// A method of the browser's storage that is replaced by a text of JavaScript until this is dropped.
struct Broken {
    prototype: JsValue,
    method: &'static str,
    original: JsValue,
}

impl Broken {
    /// In the text, `original` is the method as it was.
    fn new(interface: &str, method: &'static str, text: &str) -> Self {
        let get = |of: &JsValue, name: &str| Reflect::get(of, &name.into()).unwrap();
        let prototype = get(&get(&js_sys::global(), interface), "prototype");
        let original = get(&prototype, method);
        let maker =
            Function::new_with_args("original", &format!("return function (...arguments_) {{ {text} }}"));
        let replaced = maker.call1(&JsValue::UNDEFINED, &original).unwrap();
        Reflect::set(&prototype, &method.into(), &replaced).unwrap();
        Self { prototype, method, original }
    }
}

impl Drop for Broken {
    fn drop(&mut self) {
        Reflect::set(&self.prototype, &self.method.into(), &self.original).unwrap();
    }
}

const FULL: &str = "throw new DOMException('full', 'QuotaExceededError')";

#[wasm_bindgen_test]
async fn a_ledger_comes_back_as_it_was_stored() {
    let (table, ledger) = (table(), ledger(1.0));
    assert_eq!(store::open_table(&table).await.unwrap(), None);
    store::create_ledger(&table, ledger.clone()).await.unwrap();
    let record = store::open_table(&table).await.unwrap().unwrap();
    assert_eq!(record.ledger, ledger);
    assert!(record.releases.is_empty());
    assert!(
        store::list().await.unwrap().iter().any(|known| known.table == table && known.ledger == ledger.id())
    );
}

#[wasm_bindgen_test]
async fn a_table_has_one_ledger() {
    let table = table();
    store::create_ledger(&table, ledger(1.0)).await.unwrap();
    let again = store::create_ledger(&table, ledger(100.0)).await.unwrap_err();
    assert_eq!(again.reason, Reason::Budget);
}

#[wasm_bindgen_test]
async fn an_unused_ledger_fixes_no_budget_and_a_used_one_stays() {
    let table = table();
    store::create_ledger(&table, ledger(1.0)).await.unwrap();
    store::forget_unused(&table).await.unwrap();
    assert_eq!(store::open_table(&table).await.unwrap(), None);
    let prepared = prepared(1.0);
    assert!(
        store::charge(&table, &self::table(), &prepared.request()).await.is_err(),
        "no ledger, no charge"
    );

    store::create_ledger(&table, ledger(2.0)).await.unwrap();
    drop(store::charge(&table, &self::table(), &prepared.request()).await.unwrap());
    store::forget_unused(&table).await.unwrap();
    let kept = store::open_table(&table).await.unwrap().unwrap().ledger;
    assert!(!kept.charged().is_free());
}

#[wasm_bindgen_test]
async fn a_charge_that_was_left_is_burned_and_stays_charged() {
    let table = table();
    store::create_ledger(&table, ledger(2.0)).await.unwrap();
    let prepared = prepared(1.0);
    let name = self::table();
    let charge = store::charge(&table, &name, &prepared.request()).await.unwrap();
    assert_eq!(charge.reference().entry, 1);
    drop(charge);
    assert!(!store::take_charge(&table, "another request").await.unwrap());
    assert!(store::take_charge(&table, &name).await.unwrap());
    let ledger = store::open_table(&table).await.unwrap().unwrap().ledger;
    assert_eq!(ledger.entries().iter().map(|entry| entry.state).collect::<Vec<_>>(), [State::Burned]);
    assert!(!ledger.charged().is_free());
}

/// How many of four requests at once are charged to a budget for one.
async fn charged_side_by_side(table: &str) -> usize {
    store::create_ledger(table, ledger(1.0)).await.unwrap();
    let asked = (0..4).map(|_| async {
        let prepared = prepared(1.0);
        store::charge(table, &self::table(), &prepared.request()).await.is_ok()
    });
    // Each is polled whenever one of them can go on.
    let mut asked: Vec<_> = asked.map(|future| Some(Box::pin(future))).collect();
    let mut charged = 0;
    poll_fn(|context| {
        for slot in &mut asked {
            if let Some(future) = slot
                && let Poll::Ready(answer) = future.as_mut().poll(context)
            {
                charged += usize::from(answer);
                *slot = None;
            }
        }
        if asked.iter().all(Option::is_none) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    charged
}

#[wasm_bindgen_test]
async fn reservations_side_by_side_do_not_overspend() {
    let table = table();
    assert_eq!(charged_side_by_side(&table).await, 1, "the budget suffices for one");
    assert_eq!(store::open_table(&table).await.unwrap().unwrap().ledger.entries().len(), 1);
}

#[wasm_bindgen_test]
async fn an_import_goes_on_and_never_forks() {
    let (here, there, original) = (table(), table(), ledger(4.0));
    store::create_ledger(&here, original.clone()).await.unwrap();
    let prepared = prepared(1.0);
    drop(store::charge(&here, &table(), &prepared.request()).await.unwrap());
    let grown = store::open_table(&here).await.unwrap().unwrap().ledger;
    assert!(store::import_ledger(&here, original.clone()).await.is_err(), "an older copy");
    assert!(store::import_ledger(&here, ledger(4.0)).await.is_err(), "another ledger");
    assert_eq!(
        store::import_ledger(&there, original).await.unwrap(),
        grown,
        "what is here already is not forgotten"
    );
    assert_eq!(store::open_table(&here).await.unwrap().unwrap().ledger, grown);
}

#[wasm_bindgen_test]
async fn a_fingerprint_is_the_bytes_and_the_device() {
    let chunk = [7; 32];
    let first = store::fingerprint(&[chunk], 10).await.unwrap();
    assert_eq!(first, store::fingerprint(&[chunk], 10).await.unwrap());
    assert_ne!(first, store::fingerprint(&[chunk], 11).await.unwrap());
    assert_ne!(first, store::fingerprint(&[chunk, chunk], 10).await.unwrap());
    assert_eq!(first.len(), 64);
}

#[wasm_bindgen_test]
async fn settings_are_kept() {
    assert_eq!(store::setting("never-set").await.unwrap(), None);
    store::set_setting("theme", "dark").await.unwrap();
    assert_eq!(store::setting("theme").await.unwrap().as_deref(), Some("dark"));
}

#[wasm_bindgen_test]
async fn wherever_a_release_is_cut_off_its_charge_is_stored_or_was_never_made() {
    let mut seen = [0; 3];
    for awaits in 0.. {
        let (table, name) = (table(), table());
        let opened = ledger(2.0);
        store::create_ledger(&table, opened.clone()).await.unwrap();
        let end = cut(spend(&table, &name), awaits).await;
        let record = store::open_table(&table).await.unwrap().unwrap();
        let states: Vec<State> = record.ledger.entries().iter().map(|entry| entry.state).collect();
        assert!(states.len() <= 1, "{states:?}");
        let spent = record.ledger.charged();
        assert_eq!(record.ledger.remaining().checked_add(&spent), Some(opened.capacity()));
        assert_eq!(spent.is_free(), states.is_empty());
        let charged = store::take_charge(&table, &name).await.unwrap();
        assert_eq!(charged, !states.is_empty(), "the page learns of it after await {awaits}");
        let kept = record.releases.len();
        assert_eq!(kept == 1, states == [State::Released], "after await {awaits}");
        seen[match states.as_slice() {
            [] => 0,
            [State::Burned] => 1,
            _ => 2,
        }] += 1;
        // Nothing is in the way of the next release.
        spend(&table, &self::table()).await.unwrap();
        let ledger = store::open_table(&table).await.unwrap().unwrap().ledger;
        assert_eq!(ledger.entries().len(), states.len() + 1);
        assert_eq!(
            ledger.entries().first().map(|entry| entry.state),
            states.first().copied().or(Some(State::Released))
        );
        if let Some(end) = end {
            assert_eq!(record.releases[0].release, end.unwrap());
            break;
        }
    }
    assert!(seen[0] >= 3 && seen[1] >= 1 && seen[2] >= 1, "cut off before, between and after: {seen:?}");
}

#[wasm_bindgen_test]
async fn wherever_an_opening_or_an_import_is_cut_off_the_ledger_is_the_old_or_the_new_one() {
    for awaits in 0.. {
        let (table, opened) = (table(), ledger(4.0));
        let end = cut(store::create_ledger(&table, opened.clone()), awaits).await;
        let found = store::open_table(&table).await.unwrap().map(|record| record.ledger);
        assert!(found.is_none() && end.is_none() || found == Some(opened.clone()), "after await {awaits}");
        if end.is_some() {
            break;
        }
    }
    for awaits in 0.. {
        let (table, opened) = (table(), ledger(4.0));
        store::create_ledger(&table, opened.clone()).await.unwrap();
        let mut ahead = opened.clone();
        let entry = ahead.reserve(&prepared(1.0).request()).unwrap();
        ahead.release(entry).unwrap();
        let end = cut(store::import_ledger(&table, ahead.clone()), awaits).await;
        let found = store::open_table(&table).await.unwrap().unwrap().ledger;
        assert!(found == opened && end.is_none() || found == ahead, "after await {awaits}");
        if end.is_some() {
            break;
        }
    }
}

/// Whether somebody waits for a lock.
async fn is_awaited(lock: &str) -> bool {
    let get = |of: &JsValue, name: &str| Reflect::get(of, &name.into()).unwrap();
    let locks = get(&get(&js_sys::global(), "navigator"), "locks");
    let query: Function = get(&locks, "query").unchecked_into();
    let answer: Promise = query.call0(&locks).unwrap().unchecked_into();
    let pending: Array = get(&JsFuture::from(answer).await.unwrap(), "pending").unchecked_into();
    pending.iter().any(|waiting| get(&waiting, "name").as_string().as_deref() == Some(lock))
}

#[wasm_bindgen_test]
async fn who_stops_waiting_for_a_lock_does_not_keep_it() {
    let (table, opened) = (table(), ledger(4.0));
    let lock = format!("dp-ledger:{}", opened.id());
    store::create_ledger(&table, opened).await.unwrap();
    let held = store::charge(&table, &self::table(), &prepared(1.0).request()).await.unwrap();
    let name = self::table();
    let mut waiting = Box::pin(spend(&table, &name));
    while !is_awaited(&lock).await {
        let pending = poll_fn(|context| Poll::Ready(waiting.as_mut().poll(context).is_pending())).await;
        assert!(pending);
    }
    drop(waiting);
    drop(held);
    spend(&table, &self::table()).await.unwrap();
}

/// Each way in which a storage can refuse to write. After the charge the release is lost, and the charge is not.
#[wasm_bindgen_test]
async fn a_storage_that_refuses_writes_nothing() {
    let aborts = "const answer = original.apply(this, arguments_); this.transaction.abort(); return answer;";
    for (method, text) in [("put", FULL), ("add", FULL), ("put", aborts), ("add", aborts)] {
        let (table, name) = (table(), table());
        let opened = ledger(2.0);
        store::create_ledger(&table, opened.clone()).await.unwrap();
        {
            let _broken = Broken::new("IDBObjectStore", method, text);
            let Err(failure) = store::charge(&table, &name, &prepared(1.0).request()).await else {
                panic!("a charge that is not stored is no charge: {method}, {text}")
            };
            assert!(failure.reason == Reason::Storage && !failure.charged, "{failure}");
        }
        assert_eq!(store::open_table(&table).await.unwrap().unwrap().ledger, opened, "{method}, {text}");
        assert!(!store::take_charge(&table, &name).await.unwrap());

        let charge = store::charge(&table, &name, &prepared(1.0).request()).await.unwrap();
        let release = release(charge.reference());
        {
            let _broken = Broken::new("IDBObjectStore", method, text);
            assert!(charge.settle(&release).await.is_err(), "{method}, {text}");
        }
        let record = store::open_table(&table).await.unwrap().unwrap();
        assert_eq!(
            record.ledger.entries().iter().map(|entry| entry.state).collect::<Vec<_>>(),
            [State::Burned]
        );
        assert!(record.releases.is_empty(), "a release that is lost is not half kept");
        assert!(store::take_charge(&table, &name).await.unwrap());
    }
    let table = table();
    store::create_ledger(&table, ledger(2.0)).await.unwrap();
    for (interface, method) in
        [("IDBFactory", "open"), ("IDBDatabase", "transaction"), ("LockManager", "request")]
    {
        let _broken = Broken::new(interface, method, FULL);
        let failure = spend(&table, &self::table()).await.unwrap_err();
        assert!(failure.reason == Reason::Storage && !failure.charged, "{interface}: {failure}");
    }
    assert!(store::open_table(&table).await.unwrap().unwrap().ledger.entries().is_empty());
}

/// The planted bug, that nothing keeps two tabs apart, is what the test of side by side reservations finds.
#[cfg(feature = "audit-mutants")]
#[wasm_bindgen_test]
async fn without_the_lock_a_budget_pays_more_than_once() {
    use discreet::privacy::mutants::{Mutant, with_planted};
    let table = table();
    let mut charged = Box::pin(charged_side_by_side(&table));
    let charged =
        poll_fn(|context| with_planted(Mutant::DoubleSpend, || charged.as_mut().poll(context))).await;
    assert!(charged > 1, "{charged}");
}
