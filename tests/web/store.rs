//! The ledger in the browser's storage.

use std::cell::RefCell;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::rc::Rc;
use std::task::Poll;

use discreet::data::FileRole;
use discreet::data::MinHash;
use discreet::engine::Computation;
use discreet::model::{Estimate, Interval};
use discreet::noise::entropy::{PrivateRng, random_id};
use discreet::plan::{CheckedPlan, Plan, Purpose};
use discreet::privacy::adjacency::{Adjacency, Protect};
use discreet::privacy::calibrate::Split;
use discreet::privacy::ledger::{Ledger, Opening, State, Terms};
use discreet::release::Release;
use discreet::release::document::{Coefficients, LedgerReference, Software};
use discreet::release::long::CoefficientTable;
use discreet::store;
use discreet::store::document::{from_text, text};
use discreet::store::identity::Hashed;
use discreet::store::people::{Different, Shared};
use discreet::text::json;
use discreet::worker::protocol::Reason;
use js_sys::{Array, Function, Promise, Reflect, Uint8Array};
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

/// A name that no other test has.
pub fn name() -> String {
    random_id().unwrap().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The key of a table of people that are in no other one.
pub async fn table() -> String {
    let person = u64::from_le_bytes(*random_id().unwrap().first_chunk().unwrap());
    table_of([person]).await
}

/// The key of a table whose records have these values.
async fn table_of(people: impl IntoIterator<Item = u64>) -> String {
    let bytes: Vec<u8> = people.into_iter().flat_map(u64::to_le_bytes).collect();
    let table = name();
    store::keep_minhash(&table, &MinHash::from_bytes(&bytes).unwrap()).await.unwrap();
    table
}

fn prepared(epsilon: f64) -> discreet::engine::Prepared {
    let names = ["age", "sex", "sbp"].map(str::to_owned);
    discreet::engine::prepare(plan(epsilon), &names, b',', Purpose::Release).unwrap()
}

fn release(reference: LedgerReference) -> Release {
    let rng = PrivateRng::from_os().unwrap();
    let software = Software::new("test".to_owned());
    let prepared = prepared(1.0);
    let mut computation = Computation::new(&prepared, rng);
    computation.next_statistic().unwrap();
    computation.answer(&moments(TABLE)).unwrap();
    computation.release(reference, software).unwrap()
}

/// Charges, releases and settles: all that the engine worker does with the store.
async fn spend(table: &str, name: &str) -> Result<Release, store::failure::Failure> {
    let charge = store::charge(table, name, None, &prepared(1.0).request()).await?;
    let release = release(charge.reference());
    charge.settle(&release).await?;
    Ok(release)
}

/// Lets a future go as far as its await number `awaits`, from 0. Its answer, if it comes to its end before.
async fn go_on<F: Future>(future: &mut Pin<Box<F>>, mut awaits: u32) -> Option<F::Output> {
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(answer) => Poll::Ready(Some(answer)),
        Poll::Pending if awaits == 0 => Poll::Ready(None),
        Poll::Pending => {
            awaits -= 1;
            Poll::Pending
        }
    })
    .await
}

/// Lets a future go as far as its await number `awaits` and drops it there: nothing of it runs again, as nothing of a worker
/// does that was terminated.
async fn cut<F: Future>(future: F, awaits: u32) -> Option<F::Output> {
    go_on(&mut Box::pin(future), awaits).await
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
    let (table, ledger) = (table().await, ledger(1.0));
    assert_eq!(store::open_table(&table).await.unwrap(), None);
    store::create_ledger(&table, ledger.clone(), None).await.unwrap();
    let record = store::open_table(&table).await.unwrap().unwrap();
    assert_eq!(record.ledger, ledger);
    assert!(record.releases.is_empty());
    assert!(
        store::list().await.unwrap().iter().any(|known| known.table == table && known.ledger == ledger.id())
    );
}

#[wasm_bindgen_test]
async fn a_table_has_one_ledger() {
    let table = table().await;
    store::create_ledger(&table, ledger(1.0), None).await.unwrap();
    let again = store::create_ledger(&table, ledger(10.0), None).await.unwrap_err();
    assert_eq!(again.reason, Reason::Budget);
}

#[wasm_bindgen_test]
async fn an_unused_ledger_fixes_no_budget_and_a_used_one_stays() {
    let table = table().await;
    store::create_ledger(&table, ledger(1.0), None).await.unwrap();
    store::forget_unused(&table).await.unwrap();
    assert_eq!(store::open_table(&table).await.unwrap(), None);
    let prepared = prepared(1.0);
    assert!(
        store::charge(&table, &self::name(), None, &prepared.request()).await.is_err(),
        "no ledger, no charge"
    );

    store::create_ledger(&table, ledger(2.0), None).await.unwrap();
    drop(store::charge(&table, &self::name(), None, &prepared.request()).await.unwrap());
    store::forget_unused(&table).await.unwrap();
    let kept = store::open_table(&table).await.unwrap().unwrap().ledger;
    assert!(!kept.charged().is_free());
}

#[wasm_bindgen_test]
async fn a_charge_that_was_left_is_burned_and_stays_charged() {
    let table = table().await;
    store::create_ledger(&table, ledger(2.0), None).await.unwrap();
    let prepared = prepared(1.0);
    let name = self::name();
    let charge = store::charge(&table, &name, None, &prepared.request()).await.unwrap();
    assert_eq!(charge.reference().entry, 1);
    drop(charge);
    assert!(!store::take_charge(&table, "another request").await.unwrap());
    assert!(store::take_charge(&table, &name).await.unwrap());
    let ledger = store::open_table(&table).await.unwrap().unwrap().ledger;
    assert_eq!(ledger.entries().iter().map(|entry| entry.state).collect::<Vec<_>>(), [State::Burned]);
    assert!(!ledger.charged().is_free());
}

/// What the person saw decided what is asked for.
#[wasm_bindgen_test]
async fn a_charge_after_one_that_was_not_seen_is_refused() {
    let table = table().await;
    let opened = ledger(2.0);
    let seen = opened.tip().to_owned();
    store::create_ledger(&table, opened, None).await.unwrap();
    let prepared = prepared(0.5);
    drop(store::charge(&table, &name(), Some(&seen), &prepared.request()).await.unwrap());
    let stale = name();
    let failure = store::charge(&table, &stale, Some(&seen), &prepared.request()).await.err().unwrap();
    assert_eq!(failure.reason, Reason::Budget);
    assert!(!store::take_charge(&table, &stale).await.unwrap());
    let now = store::open_table(&table).await.unwrap().unwrap().ledger;
    assert_eq!(now.entries().len(), 1);
    assert!(store::charge(&table, &name(), Some(now.tip()), &prepared.request()).await.is_ok());
}

/// Of four requests at once, a budget for one pays for one.
#[wasm_bindgen_test]
async fn reservations_side_by_side_do_not_overspend() {
    let table = table().await;
    store::create_ledger(&table, ledger(1.0), None).await.unwrap();
    let asked = (0..4).map(|_| async {
        let prepared = prepared(1.0);
        store::charge(&table, &self::name(), None, &prepared.request()).await.is_ok()
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
    assert_eq!(charged, 1);
    assert_eq!(store::open_table(&table).await.unwrap().unwrap().ledger.entries().len(), 1);
}

#[wasm_bindgen_test]
async fn an_import_goes_on_and_never_forks() {
    let (here, there, original) = (table().await, table().await, ledger(4.0));
    store::create_ledger(&here, original.clone(), None).await.unwrap();
    let prepared = prepared(1.0);
    drop(store::charge(&here, &name(), None, &prepared.request()).await.unwrap());
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
    let hashed = |role, chunks, length| Hashed { role, digests: vec![[7; 16]; chunks], length };
    let of = |chunks, length| store::fingerprint(vec![hashed(FileRole::Table, chunks, length)]);
    let first = of(1, 10).await.unwrap();
    assert_eq!(first, of(1, 10).await.unwrap());
    assert_ne!(first, of(1, 11).await.unwrap());
    assert_ne!(first, of(2, 10).await.unwrap());
    assert_ne!(first, store::fingerprint(vec![hashed(FileRole::Vcf, 1, 10)]).await.unwrap());
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
        let (table, name) = (table().await, name());
        let opened = ledger(2.0);
        store::create_ledger(&table, opened.clone(), None).await.unwrap();
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
        spend(&table, &self::name()).await.unwrap();
        let ledger = store::open_table(&table).await.unwrap().unwrap().ledger;
        assert_eq!(ledger.entries().len(), states.len() + 1);
        assert_eq!(
            ledger.entries().first().map(|entry| entry.state),
            states.first().copied().or(Some(State::Released))
        );
        if let Some(end) = end {
            assert_eq!(record.releases[0].release, Some(end.unwrap()));
            break;
        }
    }
    assert!(seen[0] >= 3 && seen[1] >= 1 && seen[2] >= 1, "cut off before, between and after: {seen:?}");
}

#[wasm_bindgen_test]
async fn wherever_an_opening_or_an_import_is_cut_off_the_ledger_is_the_old_or_the_new_one() {
    for awaits in 0.. {
        let (table, opened) = (table().await, ledger(4.0));
        let end = cut(store::create_ledger(&table, opened.clone(), None), awaits).await;
        let found = store::open_table(&table).await.unwrap().map(|record| record.ledger);
        assert!(found.is_none() && end.is_none() || found == Some(opened.clone()), "after await {awaits}");
        if end.is_some() {
            break;
        }
    }
    for awaits in 0.. {
        let (table, opened) = (table().await, ledger(4.0));
        store::create_ledger(&table, opened.clone(), None).await.unwrap();
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
    let (table, opened) = (table().await, ledger(4.0));
    let lock = format!("dp-ledger:{}", opened.id());
    store::create_ledger(&table, opened, None).await.unwrap();
    let held = store::charge(&table, &self::name(), None, &prepared(1.0).request()).await.unwrap();
    let name = self::name();
    let mut waiting = Box::pin(spend(&table, &name));
    while !is_awaited(&lock).await {
        let pending = poll_fn(|context| Poll::Ready(waiting.as_mut().poll(context).is_pending())).await;
        assert!(pending);
    }
    drop(waiting);
    drop(held);
    spend(&table, &self::name()).await.unwrap();
}

/// Each way in which a storage can refuse to write. After the charge the release is handed over and not kept, and the charge stays.
#[wasm_bindgen_test]
async fn a_storage_that_refuses_writes_nothing() {
    let aborts = "const answer = original.apply(this, arguments_); this.transaction.abort(); return answer;";
    for (method, text) in [("put", FULL), ("add", FULL), ("put", aborts), ("add", aborts)] {
        let (table, name) = (table().await, name());
        let opened = ledger(2.0);
        store::create_ledger(&table, opened.clone(), None).await.unwrap();
        {
            let _broken = Broken::new("IDBObjectStore", method, text);
            let Err(failure) = store::charge(&table, &name, None, &prepared(1.0).request()).await else {
                panic!("a charge that is not stored is no charge: {method}, {text}")
            };
            assert!(failure.reason == Reason::Storage && !failure.charged, "{failure}");
        }
        assert_eq!(store::open_table(&table).await.unwrap().unwrap().ledger, opened, "{method}, {text}");
        assert!(!store::take_charge(&table, &name).await.unwrap());

        let charge = store::charge(&table, &name, None, &prepared(1.0).request()).await.unwrap();
        let release = release(charge.reference());
        {
            let _broken = Broken::new("IDBObjectStore", method, text);
            assert!(!charge.settle(&release).await.unwrap().kept, "{method}, {text}");
        }
        let record = store::open_table(&table).await.unwrap().unwrap();
        assert_eq!(
            record.ledger.entries().iter().map(|entry| entry.state).collect::<Vec<_>>(),
            [State::Burned]
        );
        assert!(record.releases.is_empty(), "a release that is lost is not half kept");
        assert!(store::take_charge(&table, &name).await.unwrap());
    }
    let table = table().await;
    store::create_ledger(&table, ledger(2.0), None).await.unwrap();
    for (interface, method) in
        [("IDBFactory", "open"), ("IDBDatabase", "transaction"), ("LockManager", "request")]
    {
        let _broken = Broken::new(interface, method, FULL);
        let failure = spend(&table, &self::name()).await.unwrap_err();
        assert!(failure.reason == Reason::Storage && !failure.charged, "{interface}: {failure}");
    }
    assert!(store::open_table(&table).await.unwrap().unwrap().ledger.entries().is_empty());
}

/// Opens a ledger of so much ε for a table.
async fn opened(table: &str, epsilon: f64) -> Ledger {
    store::create_ledger(table, ledger(epsilon), None).await.unwrap()
}

/// A number from which people of nobody else's tests follow, ten thousand of them.
fn district() -> u64 {
    u64::from_le_bytes(*random_id().unwrap().first_chunk().unwrap()) >> 15 << 14
}

/// What a person would type of the ledgers of a table.
async fn word(table: &str) -> Different {
    let record = store::open_table(table).await.unwrap().unwrap();
    let shared = std::iter::once(Shared::of(&record.ledger)).chain(record.shared).collect();
    Different::typed("different people", shared).unwrap()
}

async fn of(table: &str) -> store::LedgerRecord {
    store::open_table(table).await.unwrap().unwrap()
}

#[wasm_bindgen_test]
async fn a_table_that_shares_people_is_charged_to_the_same_ledger() {
    let d = district();
    let (first, second, third) =
        (table_of(d..d + 100).await, table_of(d + 90..d + 200).await, table_of(d + 150..d + 250).await);
    let opened = opened(&first, 4.0).await;
    let record = of(&second).await;
    assert!(record.joined && record.shared.is_empty());
    assert_eq!(record.ledger, opened);
    assert_eq!(store::open_table(&third).await.unwrap(), None, "the second table is not charged yet");
    let prepared = prepared(1.0);
    store::check(&second, &prepared.request()).await.unwrap();

    let charge = store::charge(&second, &name(), None, &prepared.request()).await.unwrap();
    let release = release(charge.reference());
    assert_eq!(charge.settle(&release).await.unwrap().ledger.id(), opened.id());
    let record = of(&second).await;
    assert!(!record.joined, "from the first charge on it is this table's own");
    assert_eq!(record, of(&first).await);
    assert_eq!(record.releases.len(), 1);
    assert_eq!(of(&third).await.ledger, record.ledger, "whoever shares people with either table");
    // The ledger is the table's now, and nothing brings another one.
    let again = store::create_ledger(&second, ledger(4.0), Some(&word(&third).await)).await.unwrap_err();
    assert_eq!(again.reason, Reason::Budget);
    // A table that only looked at the ledger leaves it as it is.
    store::forget_unused(&third).await.unwrap();
    assert_eq!(of(&first).await, record);
}

#[wasm_bindgen_test]
async fn a_second_ledger_needs_the_typed_word_and_both_hold_it() {
    let d = district();
    let (first, second) = (table_of(d..d + 100).await, table_of(d + 90..d + 200).await);
    let opened = opened(&first, 4.0).await;
    let mine = ledger(2.0);
    let stranger = table().await;
    self::opened(&stranger, 1.0).await;
    for refused in [None, Some(word(&stranger).await)] {
        let failure = store::create_ledger(&second, mine.clone(), refused.as_ref()).await.unwrap_err();
        assert_eq!(failure.reason, Reason::Budget);
        assert!(failure.message.contains(&opened.id()[..8]), "{failure}");
    }
    assert_eq!(of(&first).await.ledger, opened, "a refusal changes nothing");
    assert!(of(&second).await.joined);

    let stored = store::create_ledger(&second, mine.clone(), Some(&word(&second).await)).await.unwrap();
    let (here, there) = (of(&second).await, of(&first).await);
    assert_eq!(here.ledger, stored);
    assert!(!here.joined && here.shared.is_empty() && there.shared.is_empty());
    assert!(here.ledger.is_disjoint_from(opened.id()) && there.ledger.is_disjoint_from(mine.id()));
    assert_eq!(here.ledger.remaining(), mine.capacity());
    assert_eq!(there.ledger.remaining(), opened.capacity());
    // The word stays where it is, also if the first release fails.
    store::forget_unused(&second).await.unwrap();
    assert_eq!(of(&second).await, here);
    spend(&second, &name()).await.unwrap();
    assert_eq!(of(&first).await, there, "the other ledger pays nothing");
}

#[wasm_bindgen_test]
async fn a_table_without_known_rows_joins_a_ledger_or_both_hold_the_word() {
    let d = district();
    let first = table_of(d..d + 100).await;
    let (second, third) = (table_of(d + 100..d + 200).await, table_of(d + 200..d + 300).await);
    let opened = opened(&first, 4.0).await;
    let known = store::KnownTable { table: first.clone(), ledger: opened.id().to_owned() };
    assert_eq!(store::charged(&known).await.unwrap(), None, "nothing was charged to it");
    spend(&first, &name()).await.unwrap();
    assert_eq!(store::charged(&known).await.unwrap(), Some(Shared::of(&opened)));
    store::join(&second, opened.id()).await.unwrap();
    let record = of(&second).await;
    assert_eq!((&record.ledger, record.joined), (&of(&first).await.ledger, false));
    assert!(store::join(&second, opened.id()).await.is_err(), "it has a ledger");

    let word = Different::typed("different people", vec![Shared::of(&opened)]).unwrap();
    let stored = store::create_ledger(&third, ledger(1.0), Some(&word)).await.unwrap();
    assert!(stored.is_disjoint_from(opened.id()));
    assert!(of(&first).await.ledger.is_disjoint_from(stored.id()));
}

#[wasm_bindgen_test]
async fn the_largest_overlap_pays_and_the_others_are_named() {
    let d = district();
    let (few, many) = (table_of(d..d + 100).await, table_of(d + 100..d + 200).await);
    let (few_ledger, many_ledger) = (opened(&few, 4.0).await, opened(&many, 4.0).await);
    let both = table_of(d + 80..d + 180).await;
    let record = of(&both).await;
    assert_eq!((record.ledger.id(), record.joined), (many_ledger.id(), true));
    assert_eq!(record.shared, [Shared::of(&few_ledger)]);
    // A word that leaves one of them out is not enough.
    let half = Different::typed("different people", vec![Shared::of(&many_ledger)]).unwrap();
    assert!(store::create_ledger(&both, ledger(1.0), Some(&half)).await.is_err());
    let stored = store::create_ledger(&both, ledger(1.0), Some(&word(&both).await)).await.unwrap();
    for other in [&few, &many] {
        let other = of(other).await.ledger;
        assert!(other.is_disjoint_from(stored.id()) && stored.is_disjoint_from(other.id()));
    }
}

#[wasm_bindgen_test]
async fn a_table_without_a_minhash_gets_no_ledger() {
    let table = name();
    let failure = store::create_ledger(&table, ledger(1.0), None).await.unwrap_err();
    assert_eq!(failure.reason, Reason::Budget);
    assert!(store::import_ledger(&table, ledger(1.0)).await.is_err());
    assert_eq!(store::open_table(&table).await.unwrap(), None);
}

#[wasm_bindgen_test]
async fn an_import_is_no_way_to_a_second_ledger() {
    let d = district();
    let (first, second) = (table_of(d..d + 100).await, table_of(d + 50..d + 150).await);
    let opened = opened(&first, 4.0).await;
    let (mut other, mut one_sided) = (ledger(4.0), ledger(4.0));
    assert!(store::import_ledger(&second, other.clone()).await.is_err());
    one_sided.disjoint(opened.id()).unwrap();
    assert!(store::import_ledger(&second, one_sided).await.is_err(), "the word has to stand in both");
    assert!(of(&second).await.joined);
    // The copy of the ledger that is here already may come.
    assert_eq!(store::import_ledger(&second, opened.clone()).await.unwrap(), opened);

    // Where both say so, as on the device where it was said, the second one may come.
    let (third, mut ahead) = (table_of(d + 10..d + 90).await, opened.clone());
    ahead.disjoint(other.id()).unwrap();
    other.disjoint(opened.id()).unwrap();
    store::import_ledger(&first, ahead).await.unwrap();
    assert_eq!(store::import_ledger(&third, other.clone()).await.unwrap(), other);
    assert!(of(&third).await.shared.is_empty());
}

#[wasm_bindgen_test]
async fn two_tabs_open_one_ledger_for_the_same_people() {
    let d = district();
    let (first, second) = (table_of(d..d + 100).await, table_of(d + 50..d + 150).await);
    let mut asked = [&first, &second].map(|table| Box::pin(store::create_ledger(table, ledger(1.0), None)));
    let mut answers = [None, None];
    poll_fn(|context| {
        for (asked, answer) in asked.iter_mut().zip(&mut answers) {
            if answer.is_none()
                && let Poll::Ready(created) = asked.as_mut().poll(context)
            {
                *answer = Some(created.is_ok());
            }
        }
        if answers.iter().all(Option::is_some) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    assert!(matches!(answers, [Some(true), Some(false)] | [Some(false), Some(true)]), "{answers:?}");
    assert_eq!(of(&first).await.ledger, of(&second).await.ledger);
}

#[wasm_bindgen_test]
async fn wherever_the_word_is_cut_off_both_ledgers_hold_it_or_neither() {
    for awaits in 0.. {
        let d = district();
        let (first, second) = (table_of(d..d + 100).await, table_of(d + 50..d + 150).await);
        let opened = opened(&first, 4.0).await;
        let (mine, word) = (ledger(1.0), word(&second).await);
        let end = cut(store::create_ledger(&second, mine.clone(), Some(&word)), awaits).await;
        let (here, there) = (of(&second).await, of(&first).await);
        let said = there.ledger.is_disjoint_from(mine.id());
        assert_eq!(here.joined, !said, "after await {awaits}");
        assert_eq!(here.ledger.id(), if said { mine.id() } else { opened.id() });
        assert_eq!(here.ledger.is_disjoint_from(opened.id()), said);
        assert!(said || end.is_none());
        if end.is_some() {
            break;
        }
    }
}

/// Runs a text of JavaScript that is the body of an asynchronous function of `value`.
async fn script(value: &JsValue, text: &str) -> JsValue {
    let run = Function::new_with_args("value", &format!("return (async () => {{ {text} }})()"));
    let promise: Promise = run.call1(&JsValue::UNDEFINED, value).unwrap().unchecked_into();
    JsFuture::from(promise).await.unwrap()
}

/// A refusal would be wrong, because the browser would still erase when the release is done.
#[wasm_bindgen_test]
async fn an_erasure_waits_for_a_release() {
    let table = table().await;
    store::create_ledger(&table, ledger(1.0), None).await.unwrap();
    let charge = store::charge(&table, &name(), None, &prepared(1.0).request()).await.unwrap();
    let mut erasure = Box::pin(store::erase());
    assert!(go_on(&mut erasure, 0).await.is_none());
    // Meanwhile the browser reports that the deletion is blocked.
    script(&JsValue::UNDEFINED, "await new Promise((resolve) => setTimeout(resolve, 300))").await;
    let release = release(charge.reference());
    charge.settle(&release).await.unwrap();
    erasure.await.unwrap();
    assert!(store::open_table(&table).await.unwrap().is_none());
}

/// A release of many outcomes is kept as it was written, and read when it is asked for.
#[wasm_bindgen_test]
async fn a_long_release_is_kept_as_a_document() {
    let table = table().await;
    store::create_ledger(&table, ledger(1.0), None).await.unwrap();
    let charge = store::charge(&table, &name(), None, &prepared(1.0).request()).await.unwrap();
    let mut release = release(charge.reference());
    let (outcomes, terms) = ((0..40_000).map(|index| format!("y{index}")).collect(), vec!["x".to_owned(); 3]);
    let mut long = CoefficientTable::new(outcomes, terms);
    let entry = Estimate {
        estimate: Some(0.1234567),
        std_error: Some(0.25),
        lower: None,
        upper: Some(-1e-12),
        noise_share: Some(1.0),
        interval: Interval::Approximate,
    };
    for outcome in 0..40_000 {
        long.set(outcome, 2, entry);
    }
    release.coefficients = Coefficients::Table(long);
    let document = charge.settle(&release).await.unwrap().document;
    let mut written = Vec::new();
    release.write(&mut written).unwrap();
    let stored = text(&document).await.unwrap().unwrap();
    assert!(stored.as_bytes() == written.as_slice(), "the document is what is written elsewhere");
    let record = of(&table).await;
    assert_eq!((record.releases.len(), record.releases[0].release.is_none()), (1, true));
    let kept = store::stored_release(&record.releases[0].document, 1).await.unwrap();
    assert!(kept == release);
    let marked = from_text(["\u{feff}", "{\"schema\": \"x\"}"], "application/json").unwrap();
    assert_eq!(json::schema(&text(&marked).await.unwrap().unwrap()).as_deref(), Some("x"));
    let broken = from_text(["{\"schema\": "], "application/json").unwrap();
    let failure = store::stored_release(&broken, 7).await.unwrap_err();
    assert!(failure.message.contains("release 7"), "{failure}");
}

/// The database as version 1 of the page made it: no minhashes. All that it held is there after the upgrade, the device's key
/// too, and its tables are known as before.
#[wasm_bindgen_test]
async fn what_version_1_stored_is_kept() {
    let (old, opened) = (name(), ledger(3.0));
    let mut spent = opened.clone();
    let entry = spent.reserve(&prepared(1.0).request()).unwrap();
    let reference = LedgerReference::new(&spent, entry);
    spent.release(entry).unwrap();
    let release = release(reference);
    let value = serde_json::json!({
        "table": old, "id": spent.id(), "ledger": spent.to_json().unwrap(),
        "release": serde_json::to_string(&release).unwrap(),
    });
    let make = "
        const { table, id, ledger, release } = JSON.parse(value);
        const done = (request) => new Promise((found, failed) => {
            request.onsuccess = () => found(request.result);
            request.onerror = request.onblocked = failed;
        });
        const opening = indexedDB.open('discreet', 1);
        opening.onupgradeneeded = () => {
            for (const name of ['keys', 'tables', 'ledgers', 'releases', 'charges', 'settings']) {
                opening.result.createObjectStore(name);
            }
        };
        const database = await done(opening);
        const key = await crypto.subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
        const write = database.transaction(['keys', 'tables', 'ledgers', 'releases', 'settings'], 'readwrite');
        write.objectStore('keys').put(key, 'device');
        write.objectStore('tables').put(id, table);
        write.objectStore('ledgers').put(ledger, id);
        write.objectStore('releases').put(release, `${id}/1`);
        write.objectStore('settings').put('dark', 'theme');
        await new Promise((end) => { write.oncomplete = end; });
        database.close();
        const tag = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode('row sketch'));
        return new Uint8Array(tag).slice(0, 16);
    ";
    // Under a name of its own, for other tests have made a database of this version.
    let renamed = "return original.call(this, 'as version 1 made it', ...arguments_.slice(1))";
    let _renamed = Broken::new("IDBFactory", "open", renamed);
    let key = script(&JsValue::from_str(&value.to_string()), make).await;
    assert_eq!(
        Uint8Array::from(key).to_vec(),
        store::minhash_key().await.unwrap(),
        "the device's key is kept"
    );
    let record = of(&old).await;
    assert_eq!((&record.ledger, record.joined), (&spent, false));
    assert_eq!(
        record.releases.iter().map(|kept| kept.release.as_ref()).collect::<Vec<_>>(),
        [Some(&release)]
    );
    assert_eq!(store::setting("theme").await.unwrap().as_deref(), Some("dark"));
    // It can be spent from, and once it is opened again its people are known.
    spend(&old, &name()).await.unwrap();
    let d = district();
    let people: Vec<u8> = (d..d + 50).flat_map(u64::to_le_bytes).collect();
    store::keep_minhash(&old, &MinHash::from_bytes(&people).unwrap()).await.unwrap();
    assert_eq!(of(&table_of(d..d + 10).await).await.ledger, of(&old).await.ledger);
}

/// The mutant: nothing keeps two tabs apart. While the first is held at one of its awaits, the second goes its whole
/// way; at the await between reading and writing both are charged to a budget for one.
#[cfg(feature = "audit-mutants")]
#[wasm_bindgen_test]
async fn without_the_lock_a_budget_pays_more_than_once() {
    use discreet::privacy::mutants::{Mutant, with_active};
    let prepared = prepared(1.0);
    let request = prepared.request();
    let mut both_charged = Box::pin(async {
        for awaits in 0.. {
            let (table, names) = (table().await, [name(), name()]);
            store::create_ledger(&table, ledger(1.0), None).await.unwrap();
            let mut first = Box::pin(store::charge(&table, &names[0], None, &request));
            if go_on(&mut first, awaits).await.is_some() {
                return false;
            }
            let second = store::charge(&table, &names[1], None, &request).await;
            if second.is_ok() && first.await.is_ok() {
                return true;
            }
        }
        false
    });
    let found =
        poll_fn(|context| with_active(Mutant::DoubleSpend, || both_charged.as_mut().poll(context))).await;
    assert!(found, "wherever the first is held, one of the two is refused");
}

/// Whether a future has not come to its end after a fifth of a second.
async fn waits<F: Future>(future: &mut Pin<Box<F>>) -> bool {
    let timer = Promise::new(&mut |resolve, _| {
        let window = web_sys::window().unwrap();
        window.set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, 200).unwrap();
    });
    let mut timer = JsFuture::from(timer);
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(_) => Poll::Ready(false),
        Poll::Pending => Pin::new(&mut timer).poll(context).map(|_| true),
    })
    .await
}

#[wasm_bindgen_test]
async fn where_locks_are_refused_the_page_keeps_all_and_a_charge_waits_for_the_person() {
    let refuse = "return Promise.reject(new DOMException('', 'SecurityError'))";
    let broken = Broken::new("LockManager", "request", refuse);
    let asked = Rc::new(RefCell::new(None));
    let ask = Rc::clone(&asked);
    assert!(!store::start(move |saving| drop(ask.replace(Some(saving)))).await);
    drop(broken);
    let (table, ledger) = (table().await, ledger(2.0));
    let (whole, half) = (prepared(1.0), prepared(0.5));
    let (request, less) = (whole.request(), half.request());
    store::create_ledger(&table, ledger.clone(), None).await.unwrap();
    let reserved = || {
        let asked = asked.borrow();
        Ledger::parse(asked.as_ref().unwrap().document()).unwrap().entries()[0].state
    };

    // Who does not save is charged nothing.
    let mut charge = Box::pin(store::charge(&table, "first", None, &request));
    assert!(waits(&mut charge).await, "the answer waits for the person");
    assert_eq!(reserved(), State::Reserved);
    drop(asked.take());
    assert_eq!(charge.await.err().unwrap().reason, Reason::Cancelled);
    assert!(!store::take_charge(&table, "first").await.unwrap());
    assert!(store::open_table(&table).await.unwrap().unwrap().ledger.entries().is_empty());

    // Once it is saved it is charged, and the answer waits until the person confirms the file. An import waits for both.
    let mut charge = Box::pin(store::charge(&table, "second", None, &request));
    assert!(waits(&mut charge).await);
    asked.borrow().as_ref().unwrap().save();
    assert!(waits(&mut charge).await, "saved is not yet confirmed");
    let mut import = Box::pin(store::import_ledger(&table, ledger.clone()));
    assert!(waits(&mut import).await, "the lock is held");
    asked.take().unwrap().release();
    let charge = charge.await.unwrap();
    let released = release(charge.reference());
    assert!(charge.settle(&released).await.unwrap().kept);
    assert_eq!(import.await.unwrap_err().reason, Reason::Budget, "the copy is older");
    let record = store::open_table(&table).await.unwrap().unwrap();
    assert_eq!((record.ledger.entries()[0].state, record.releases.len()), (State::Released, 1));

    // A charge that was saved and never confirmed is burned.
    let mut charge = Box::pin(store::charge(&table, "third", None, &less));
    assert!(waits(&mut charge).await);
    asked.borrow().as_ref().unwrap().save();
    assert!(waits(&mut charge).await);
    drop((charge, asked.take()));
    assert!(store::take_charge(&table, "third").await.unwrap());
    let burned = store::open_table(&table).await.unwrap().unwrap().ledger;
    assert_eq!(burned.entries()[1].state, State::Burned);

    // A browser that gives locks keeps its own data, and has none of these.
    assert!(store::start(drop).await);
    assert_eq!(store::open_table(&table).await.unwrap(), None);
}
