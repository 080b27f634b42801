//! The ledger under attack: releases that are killed wherever they stand, and two of them on one budget
//! (theory/accounting 5.5, theory/audit 3.8 and 4).
//!
//! Each check returns what it saw. If a mutant is active on the calling thread, it is also active in the programs that the check
//! starts. [`CHECKS`] lists the mutants that each check has to find.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, Command, Output, Stdio};

use discreet::privacy::ledger::{Ledger, State};
use discreet::privacy::mutants::{Mutant, VARIABLE, current};
use serde_json::{Value, json};

use crate::ledger_model as model;

/// A check: sound, or what it saw.
pub type Check = fn() -> Result<(), String>;

/// The mutants of the ledger, and who finds each.
pub const CHECKS: [(Mutant, &str, Check); 7] = [
    (Mutant::ChargeRoundedDown, "random requests against the model", || model::follows_the_model(300)),
    (Mutant::CoarseGaussian, "noise scales below 2^40", model::refuses_coarse_noise),
    (Mutant::ChargeAfterCompute, "a release killed at each place", a_killed_release_stays_charged),
    (
        Mutant::ChargeAfterRound,
        "a release of several rounds killed at each place",
        a_killed_release_of_rounds_stays_charged,
    ),
    (Mutant::RefundOnCrash, "a release killed at each place", a_killed_release_stays_charged),
    (Mutant::FitChargedAfterNotFound, "bounds that are not found", bounds_that_are_not_found_charge_once),
    (Mutant::DoubleSpend, "two releases on a budget for one", a_budget_pays_once),
];

/// A place at which a release can be stopped: what has been done when it stands there, and how many charges are in the file.
type Place = (&'static str, usize);

/// The places at which a release can be stopped, in order. It has these numbers of rounds, each with a charge before them.
fn places(rounds: &[usize]) -> Vec<Place> {
    let save = ["the new document is written", "the new document is synced"];
    let mut places: Vec<Place> = ["before the lock", "locked", "read"].map(|place| (place, 0)).to_vec();
    for (before, rounds) in rounds.iter().enumerate() {
        let charged = before + 1;
        places.extend(save.map(|place| (place, before)));
        places.extend(["the file is replaced", "charged"].map(|place| (place, charged)));
        places.extend(vec![("a round is answered", charged); *rounds]);
        places.push(("the noise is drawn", charged));
        places.extend(save.map(|place| (place, charged)));
        places.extend(["the file is replaced", "settled"].map(|place| (place, charged)));
    }
    places.push(("printed", rounds.len()));
    places
}

/// None of these comes before the charge, wherever the program has put it.
const AFTER: [&str; 5] = ["charged", "a round is answered", "the noise is drawn", "settled", "printed"];
/// From here on the lock is held.
const LOCKED: usize = 1;

/// A folder with a plan, a table and a ledger.
pub struct Bench(tempfile::TempDir);

impl Bench {
    /// A ledger of so much ε, and a plan that asks for 1.
    pub fn new(epsilon: u32) -> Self {
        Self::of(epsilon, "analyze-gauss", &json!(350), 1)
    }

    /// The same with this mechanism, this upper bound of the outcome, and the rows so many times.
    fn of(epsilon: u32, mechanism: &str, upper: &Value, times: usize) -> Self {
        let number = |name: &str, role: &str, lower: u32, upper: &Value| json!({"name": name, "role": role, "type": "number", "lower": lower, "upper": upper});
        let mut plan = json!({
            "schema": "discreet.plan/1",
            "adjacency": "add-remove",
            "columns": [number("bmi", "feature", 18, &json!(42)), number("target", "outcome", 0, upper)],
            "mechanism": {"name": mechanism},
            "budget": {"epsilon": 1, "delta": 1e-5},
        });
        if times > 1 {
            plan["stated_rows"] = json!(3 * times);
        }
        let bench = Self(tempfile::tempdir().unwrap());
        fs::write(bench.path("plan.json"), plan.to_string()).unwrap();
        let rows = "32.1,151\n21.6,75\n30.5,141\n".repeat(times);
        fs::write(bench.path("table.csv"), format!("bmi,target\n{rows}")).unwrap();
        let opening =
            format!("ledger new ledger.json --epsilon {epsilon} --delta 1e-5 --adjacency add-remove");
        assert!(bench.command(&opening).status().unwrap().success());
        bench
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Returns the program in this folder, with the mutant that is active here.
    pub fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_discreet"));
        command.args(line.split(' ')).current_dir(self.0.path()).stdin(Stdio::null());
        command.env_remove(VARIABLE).env_remove("DISCREET_HALT");
        if let Some(mutant) = current() {
            command.env(VARIABLE, format!("{mutant:?}"));
        }
        command
    }

    pub fn release(&self) -> Command {
        let mut command = self.command("release --plan plan.json --ledger ledger.json table.csv --confirm");
        command.args(["--confirm-weak", "weak promise"]);
        command
    }

    /// Starts a program and stops it at its place number `number`, from 1; its output where it ends before.
    pub fn halt(&self, mut command: Command, number: usize) -> Result<Halted, Output> {
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.env("DISCREET_HALT", number.to_string()).spawn().unwrap();
        let mut errors = BufReader::new(child.stderr.take().unwrap());
        let mut told = String::new();
        let place = loop {
            let mut line = String::new();
            let at_end = errors.read_line(&mut line).unwrap() == 0;
            let place = line.strip_prefix(&format!("halted {number}: "));
            if at_end || place.is_some() {
                break place.map(|place| place.trim_end().to_owned());
            }
            told.push_str(&line);
        };
        match place {
            Some(place) => Ok(Halted { child, errors, place }),
            None => {
                let Output { status, stdout, .. } = child.wait_with_output().unwrap();
                Err(Output { status, stdout, stderr: told.into_bytes() })
            }
        }
    }

    /// The stored ledger; it has to verify.
    pub fn ledger(&self) -> Result<Ledger, String> {
        let text = fs::read_to_string(self.path("ledger.json")).map_err(|error| error.to_string())?;
        Ledger::parse(&text).map_err(|error| error.to_string())
    }

    /// Whether somebody holds the ledger's lock.
    pub fn is_locked(&self) -> bool {
        let lock = File::options().write(true).open(self.path("ledger.json.lock")).unwrap();
        lock.try_lock().is_err()
    }

    /// What is in the folder beside what was put there.
    pub fn strays(&self) -> BTreeSet<String> {
        let names = |folder: PathBuf| {
            let entries = fs::read_dir(folder).into_iter().flatten();
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        };
        let known = ["plan.json", "table.csv", "ledger.json", "ledger.json.lock", "ledger.json.releases"];
        let strays = names(self.path(".")).filter(|name| !known.contains(&name.as_str()));
        let unfinished = names(self.path("ledger.json.releases")).filter(|name| name.ends_with(".new"));
        strays.chain(unfinished).collect()
    }
}

/// Of a column of zeros no bounds are found: the counts are released and paid for, and nothing further is charged.
pub fn bounds_that_are_not_found_charge_once() -> Result<(), String> {
    let bench = Bench::new(1);
    let column = |name: &str, role: &str| json!({"name": name, "role": role, "type": "number", "lower": "estimate", "upper": "estimate"});
    let plan = json!({
        "schema": "discreet.plan/1",
        "adjacency": "add-remove",
        "stated_rows": 20_000,
        "columns": [column("bmi", "feature"), column("target", "outcome")],
        "mechanism": {"name": "analyze-gauss"},
        "budget": {"epsilon": 1, "delta": 1e-5},
    });
    fs::write(bench.path("plan.json"), plan.to_string()).unwrap();
    let rows: String = (0..20_000).map(|row| format!("0,{}\n", 100 + row % 90)).collect();
    fs::write(bench.path("table.csv"), format!("bmi,target\n{rows}")).unwrap();
    let output = bench.release().output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    ensure(output.status.code() == Some(1), || format!("{:?}: {errors}", output.status))?;
    ensure(errors.contains("nothing was fitted") && errors.contains("entry 1 of the ledger"), || {
        errors.clone()
    })?;
    let release: serde_json::Value =
        serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())?;
    let states = [
        &release["estimated_bounds"]["columns"][0]["state"],
        &release["estimated_bounds"]["columns"][1]["state"],
    ];
    ensure(states[0] == "zero" && states[1] != "not-found", || format!("{states:?}"))?;
    ensure(release["coefficients"] == json!([]), || "coefficients without bounds".to_owned())?;
    let ledger = bench.ledger()?;
    let entries = ledger.entries();
    ensure(entries.len() == 1 && entries[0].state == State::Released, || format!("{} entries", entries.len()))
}

/// A program that stands still.
pub struct Halted {
    child: Child,
    errors: BufReader<ChildStderr>,
    pub place: String,
}

impl Halted {
    /// Ends it without a further instruction of its own; what it had printed.
    pub fn kill(mut self) -> String {
        self.child.kill().unwrap();
        let output = self.child.wait_with_output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    /// Lets it go on to its end.
    pub fn resume(mut self) -> Output {
        let mut input = self.child.stdin.take().unwrap();
        input.write_all(b"\n").unwrap();
        let mut stderr = Vec::new();
        self.errors.read_to_end(&mut stderr).unwrap();
        Output { stderr, ..self.child.wait_with_output().unwrap() }
    }
}

fn ensure(holds: bool, what: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what()) }
}

/// A release is killed at each place in turn. The ledger verifies; from the charge on, and before any noise is drawn, the
/// charge is in it; what was printed was charged; the lock is free; the next release finds a budget without what was
/// charged, and nothing is left of the one that was killed.
pub fn a_killed_release_stays_charged() -> Result<(), String> {
    killed_everywhere(|| Bench::new(3), &[1])
}

/// The same where a release has four rounds, and where bounds are estimated first, in two rounds and a charge of their own.
pub fn a_killed_release_of_rounds_stays_charged() -> Result<(), String> {
    killed_everywhere(|| Bench::of(3, "adaptive-gauss", &json!(350), 1), &[4])?;
    killed_everywhere(|| Bench::of(3, "analyze-gauss", &json!("estimate"), 2_000), &[2, 1])
}

fn killed_everywhere(bench: impl Fn() -> Bench, rounds: &[usize]) -> Result<(), String> {
    let places = places(rounds);
    for (at, place) in places.iter().enumerate() {
        killed_at(&bench(), at, *place, rounds.len())
            .map_err(|error| format!("killed at {}, {}: {error}", at + 1, place.0))?;
    }
    let bench = bench();
    ensure(bench.halt(bench.release(), places.len() + 1).is_err(), || "there is a place more".to_owned())
}

fn killed_at(bench: &Bench, at: usize, (expected, charges): Place, all: usize) -> Result<(), String> {
    let Ok(halted) = bench.halt(bench.release(), at + 1) else {
        return Err("it did not stop there".to_owned());
    };
    let place = halted.place.clone();
    ensure(at < LOCKED || bench.is_locked(), || "the lock is free".to_owned())?;
    let printed = halted.kill();
    ensure(!bench.is_locked(), || "the lock is still held".to_owned())?;
    // The ledger's new document, and the place of the release.
    ensure(bench.strays().len() <= 2, || format!("{:?} are left", bench.strays()))?;

    let left = bench.ledger()?;
    let states: Vec<State> = left.entries().iter().map(|entry| entry.state).collect();
    let charges = charges.max(usize::from(AFTER.contains(&place.as_str())));
    ensure(charges == 0 || !left.charged().is_free(), || {
        format!("it stood at {place}, and the charge is missing")
    })?;
    ensure(states.len() == charges, || format!("the entries are {states:?}"))?;
    let released = states.iter().all(|state| *state == State::Released);
    ensure(printed.is_empty() || states.len() == all && released, || format!("printed, and {states:?}"))?;

    let next = bench.release().output().map_err(|error| error.to_string())?;
    ensure(next.status.success(), || format!("the next release failed: {next:?}"))?;
    let after = bench.ledger()?;
    ensure(after.entries().len() == charges + all, || format!("{} entries", after.entries().len()))?;
    let (lost, new) = after.entries().split_at(charges);
    for (before, now) in left.entries().iter().zip(lost) {
        let end = if before.state == State::Released { State::Released } else { State::Burned };
        ensure(now.charge == before.charge && now.state == end, || format!("{before:?} became {now:?}"))?;
    }
    let spent = new.iter().try_fold(left.charged(), |sum, entry| sum.checked_add(&entry.charge));
    ensure(Some(after.charged()) == spent, || "the sums differ".to_owned())?;
    ensure(bench.strays().is_empty(), || format!("{:?} stay", bench.strays()))?;
    ensure(place == expected, || format!("it stood at {place}"))
}

/// A command that changes a ledger is killed at each place in turn: the file is as before, or the change is `done`, and
/// the same command again finds its way.
pub fn a_killed_command_leaves_a_whole_ledger(
    line: &str,
    prepare: impl Fn(&Bench),
    done: impl Fn(&Ledger) -> bool,
) -> Result<(), String> {
    for number in 1.. {
        let bench = Bench::new(3);
        prepare(&bench);
        let before = fs::read(bench.path("ledger.json")).unwrap();
        let Ok(halted) = bench.halt(bench.command(line), number) else {
            return ensure(number > 6, || format!("only {number} places"));
        };
        let place = halted.place.clone();
        halted.kill();
        let left = bench.ledger().map_err(|error| format!("{place}: {error}"))?;
        let same = fs::read(bench.path("ledger.json")).unwrap() == before;
        ensure(same || done(&left), || format!("{place}: {left:?}"))?;
        bench.command(line).output().unwrap();
        ensure(done(&bench.ledger()?), || format!("{place}, then: {:?}", bench.ledger()))?;
        ensure(bench.strays().iter().all(|name| !name.ends_with(".new")), || {
            format!("{:?}", bench.strays())
        })?;
    }
    Ok(())
}

/// One release stands before its charge, another one comes: the budget is enough for one, and one is printed.
pub fn a_budget_pays_once() -> Result<(), String> {
    let bench = Bench::new(1);
    let Ok(first) = bench.halt(bench.release(), 3) else { return Err("it did not stop".to_owned()) };
    let held = bench.is_locked();
    let second = bench.release().stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Where nothing holds the second one back it may end first; else it waits for the first.
    let outputs = if held {
        [first.resume(), second.wait_with_output().unwrap()]
    } else {
        let second = second.wait_with_output().unwrap();
        [first.resume(), second]
    };
    let printed = outputs.iter().filter(|output| !output.stdout.is_empty()).count();
    ensure(printed == 1, || format!("{printed} releases were printed on a budget for one"))?;
    ensure(held, || "the lock was free while a release stood before its charge".to_owned())?;
    let refused = outputs.iter().filter(|output| output.status.code() == Some(3)).count();
    ensure(refused == 1, || format!("{outputs:?}"))?;
    let entries = bench.ledger()?.entries().len();
    ensure(entries == 1, || format!("{entries} entries"))
}
