//! Releases that stop at a place of their own and are killed there (theory/audit 3.8).

use std::fs;

use discreet::privacy::ledger::{Ledger, State};
use serde_json::{Value, json};

use crate::ledger_attacks::{self as checks, Bench};

#[test]
fn a_killed_release_stays_charged() {
    checks::a_killed_release_stays_charged().unwrap();
}

#[test]
fn a_killed_release_of_several_rounds_stays_charged() {
    checks::a_killed_release_of_rounds_stays_charged().unwrap();
}

#[test]
fn a_budget_for_one_pays_once() {
    checks::a_budget_pays_once().unwrap();
}

#[test]
fn bounds_that_are_not_found_stop_before_the_second_charge() {
    checks::bounds_that_are_not_found_charge_once().unwrap();
}

/// The place "charged", at which a crash leaves an entry reserved.
const CHARGED: usize = 7;

#[test]
fn a_release_that_was_killed_while_it_recovered_another() {
    let crash = |bench: &Bench| {
        bench.halt(bench.release(), CHARGED).ok().unwrap().kill();
    };
    let burned = |ledger: &Ledger| ledger.entries()[0].state == State::Burned;
    let line = "release --plan plan.json --ledger ledger.json table.csv";
    checks::a_killed_command_leaves_a_whole_ledger(line, crash, burned).unwrap();
}

#[test]
fn the_next_release_says_that_one_was_interrupted() {
    let bench = Bench::new(3);
    bench.halt(bench.release(), CHARGED).ok().unwrap().kill();
    let told = |expected: bool| {
        let errors = String::from_utf8(bench.release().output().unwrap().stderr).unwrap();
        assert_eq!(errors.contains("its charge, entry 1, stays spent"), expected, "{errors}");
    };
    told(true);
    told(false);
}

#[test]
fn a_killed_import_leaves_a_whole_ledger() {
    let go_on = |bench: &Bench| {
        let old = fs::read(bench.path("ledger.json")).unwrap();
        assert!(bench.release().output().unwrap().status.success());
        fs::rename(bench.path("ledger.json"), bench.path("copy.json")).unwrap();
        fs::write(bench.path("ledger.json"), old).unwrap();
    };
    let imported = |ledger: &Ledger| ledger.entries().len() == 1;
    checks::a_killed_command_leaves_a_whole_ledger("ledger import ledger.json copy.json", go_on, imported)
        .unwrap();
}

/// Somebody takes a lock for a left-over and removes it while a release works on the ledger.
#[test]
fn without_its_lock_a_ledger_is_not_written_over() {
    for (place, charged) in [("read", false), ("the noise is drawn", true)] {
        let bench = Bench::new(3);
        // One round is answered in between.
        let number = if charged { CHARGED + 2 } else { 3 };
        let first = bench.halt(bench.release(), number).ok().unwrap();
        assert_eq!(first.place, place);
        fs::remove_file(bench.path("ledger.json.lock")).unwrap();
        assert!(bench.release().output().unwrap().status.success());
        let between = bench.ledger().unwrap();

        let output = first.resume();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{errors}");
        assert!(errors.contains("another program has changed it since it was read"), "{errors}");
        assert!(
            errors.contains(if charged { "the charge was made (entry 1" } else { "nothing was charged" }),
            "{errors}"
        );
        assert_eq!(bench.ledger().unwrap(), between, "the other release's charge stands");
        assert_eq!(between.entries().len(), 1 + usize::from(charged));
    }
}

/// What the disk or a person does to the file between the charge and the release.
#[test]
fn a_charge_that_cannot_be_settled_is_said_and_burned() {
    let bench = Bench::new(3);
    let halted = bench.halt(bench.release(), CHARGED).ok().unwrap();
    let path = bench.path("ledger.json");
    let writable = fs::metadata(&path).unwrap().permissions();
    let mut readonly = writable.clone();
    readonly.set_readonly(true);
    fs::set_permissions(&path, readonly).unwrap();
    let output = halted.resume();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{errors}");
    assert!(errors.contains("writable") && errors.contains("the charge was made (entry 1"), "{errors}");
    assert_eq!(bench.ledger().unwrap().entries()[0].state, State::Reserved);
    fs::set_permissions(&path, writable).unwrap();
    assert!(bench.release().output().unwrap().status.success());
    let states: Vec<State> = bench.ledger().unwrap().entries().iter().map(|entry| entry.state).collect();
    assert_eq!(states, [State::Burned, State::Released]);
}

/// A table is written to between the charge and a pass, or between two rounds: there is no release, the person is told why, and the charge
/// stays.
#[test]
fn a_table_that_changes_between_the_charge_and_a_pass_is_said() {
    let descent = json!({"name": "dp-gd", "params": {"steps": 2}});
    let rounds = json!({"name": "adaptive-gauss"});
    for (mechanism, number, place) in
        [(descent, CHARGED, "charged"), (rounds, CHARGED + 2, "a round is answered")]
    {
        let bench = Bench::new(3);
        let mut plan: Value =
            serde_json::from_str(&fs::read_to_string(bench.path("plan.json")).unwrap()).unwrap();
        plan["mechanism"] = mechanism;
        // More rows than are kept, as far as is publicly known.
        plan["stated_rows"] = json!(100_000_000);
        fs::write(bench.path("plan.json"), plan.to_string()).unwrap();
        let halted = bench.halt(bench.release(), number).ok().unwrap();
        assert_eq!(halted.place, place);
        fs::write(bench.path("table.csv"), "bmi,target\n32.1,151\n21.6,75\n30.5,142\n").unwrap();
        let output = halted.resume();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{errors}");
        assert!(errors.contains("changed, moved or taken away between two passes"), "{errors}");
        assert!(errors.contains("the charge was made (entry 1") && !errors.contains("report"), "{errors}");
        let ledger = bench.ledger().unwrap();
        assert!(ledger.entries().len() == 1 && !ledger.charged().is_free(), "{ledger:?}");
    }
}
