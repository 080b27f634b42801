//! The ledger in the browser's storage.

use discreet::noise::entropy::random_id;
use discreet::plan::{CheckedPlan, Plan, Purpose};
use discreet::privacy::adjacency::{Adjacency, Protect};
use discreet::privacy::calibrate::Split;
use discreet::privacy::ledger::{Ledger, Opening, State, Terms};
use discreet::store;
use discreet::worker::protocol::Reason;
use wasm_bindgen_futures::{JsFuture, future_to_promise};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::golden::PLAN;

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

#[wasm_bindgen_test]
async fn reservations_side_by_side_do_not_overspend() {
    let table = table();
    store::create_ledger(&table, ledger(1.0)).await.unwrap();
    let asked: Vec<_> = (0..4)
        .map(|_| {
            let table = table.clone();
            future_to_promise(async move {
                let prepared = prepared(1.0);
                let charged = store::charge(&table, &self::table(), &prepared.request()).await.is_ok();
                Ok(charged.into())
            })
        })
        .collect();
    let mut charged = 0;
    for promise in asked {
        charged += u32::from(JsFuture::from(promise).await.unwrap().is_truthy());
    }
    assert_eq!(charged, 1, "the budget suffices for one");
    let ledger = store::open_table(&table).await.unwrap().unwrap().ledger;
    assert_eq!(ledger.entries().len(), 1);
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
