//! The ledger against its model, and its file on disks, in folders and under clocks that do not oblige
//! (theory/audit 3.8). Releases that are killed are in `killed`.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::process::{Command, Output};

use discreet::privacy::adjacency::{Adjacency, Protect};
use discreet::privacy::calibrate::{Budget, Split};
use discreet::privacy::ledger::{Ledger, Opening, State, Terms};
use discreet::privacy::measure::{Delta, Epsilon};

use crate::cli::{Bench, RELEASE, failed, text};
use crate::ledger_model as model;

#[test]
fn random_requests_follow_the_model() {
    model::follows_the_model(2000).unwrap();
}

#[test]
fn admission_is_the_model_at_the_ends_of_128_bits() {
    model::admits_by_the_model(5000).unwrap();
}

#[test]
fn every_alteration_of_a_stored_ledger_is_refused() {
    model::refuses_every_alteration().unwrap();
}

#[test]
fn noise_below_the_least_scale_is_not_charged() {
    model::refuses_coarse_noise().unwrap();
}

/// What is in the folder beside `table.csv`, `plan.json`, the ledger and its lock.
fn strays(bench: &Bench) -> Vec<String> {
    let names = fs::read_dir(bench.path(".")).unwrap().map(|entry| entry.unwrap().file_name());
    let known = ["plan.json", "table.csv", "ledger.json", "ledger.json.lock", "ledger.json.releases"];
    names.filter_map(|name| name.into_string().ok()).filter(|name| !known.contains(&name.as_str())).collect()
}

/// Runs a release under a shell's setting.
fn under(bench: &Bench, setting: &str) -> Output {
    let script = format!("{setting}; exec {} {RELEASE}", env!("CARGO_BIN_EXE_discreet"));
    Command::new("sh").args(["-c", &script]).current_dir(bench.path(".")).output().unwrap()
}

#[test]
fn a_disk_that_takes_half_of_the_ledger_gives_no_release() {
    let bench = Bench::new();
    bench.open_ledger("1");
    let before = bench.read("ledger.json");
    // At most 512 or 1,024 bytes in one file; without the signal that would end the program, and then with it.
    let errors = failed(&under(&bench, "trap '' XFSZ; ulimit -f 1"), 1, "under a limit");
    assert!(errors.contains("make room on its disk; nothing was charged"), "{errors}");
    assert_eq!((bench.read("ledger.json"), strays(&bench)), (before.clone(), vec![]));

    let killed = under(&bench, "ulimit -f 1; ulimit -c 0");
    assert!(!killed.status.success() && killed.stdout.is_empty(), "{killed:?}");
    assert_eq!(bench.read("ledger.json"), before);
    assert_eq!(strays(&bench), [".ledger.json.new"], "half of a document, which the next one replaces");
    bench.ok(RELEASE);
    assert_eq!(strays(&bench), [""; 0]);
}

/// A disk of 32 KiB that is full, in a mount that ends with the command.
#[test]
fn a_full_disk_gives_no_release() {
    let bench = Bench::new();
    bench.open_ledger("1");
    fs::create_dir(bench.path("disk")).unwrap();
    let full = "mount -t tmpfs -o size=32k none disk && cp ledger.json disk && { cat /dev/zero > disk/rest 2>/dev/null; \
                \"$0\" release --plan plan.json --ledger disk/ledger.json table.csv; status=$?; cp disk/ledger.json after.json; \
                ls -A disk > list; exit $status; }";
    let run = Command::new("unshare")
        .args(["--map-root-user", "--mount", "sh", "-c", full, env!("CARGO_BIN_EXE_discreet")])
        .current_dir(bench.path("."))
        .output();
    let Some(output) = run.ok().filter(|_| bench.path("after.json").exists()) else {
        println!("SKIPPED: this machine lets nobody mount a small disk");
        return;
    };
    let errors = failed(&output, 1, "on a full disk");
    assert!(errors.contains("make room on its disk; nothing was charged"), "{errors}");
    assert_eq!(bench.read("after.json"), bench.read("ledger.json"));
    assert_eq!(bench.read("list"), "ledger.json\nledger.json.lock\nledger.json.releases\nrest\n");
}

/// Somebody whom permissions bind: this user, or `nobody` where this is root.
fn bound(bench: &Bench, line: &str) -> Option<Output> {
    let mut command = bench.command(line);
    if fs::metadata(bench.path(".")).unwrap().uid() == 0 {
        command.uid(65_534).gid(65_534);
    }
    command.output().ok()
}

#[test]
fn a_file_that_is_no_ledger_gets_no_lock() {
    let bench = Bench::new();
    bench.fails("release table.csv --plan plan.json --ledger plan.json", 2);
    assert_eq!(strays(&bench), Vec::<String>::new());
    assert!(!bench.path("plan.json.lock").exists());
}

#[test]
fn a_folder_or_a_file_that_is_read_only_gives_no_release() {
    let bench = Bench::new();
    bench.open_ledger("1");
    let mode =
        |name: &str, bits| fs::set_permissions(bench.path(name), Permissions::from_mode(bits)).unwrap();
    for name in ["plan.json", "table.csv", "ledger.json", "ledger.json.lock"] {
        mode(name, 0o666);
    }
    mode(".", 0o777);
    if !bound(&bench, "--version").is_some_and(|output| output.status.success()) {
        println!("SKIPPED: this is root, and nobody else can reach the program");
        return;
    }
    let before = bench.read("ledger.json");
    let run = |line: &str| bound(&bench, line).unwrap();
    let refused = |words: &str| {
        let errors = failed(&run(RELEASE), 1, RELEASE);
        assert!(errors.contains(words) && errors.contains("nothing was charged"), "{errors}");
        assert_eq!((bench.read("ledger.json"), strays(&bench)), (before.clone(), vec![]));
    };
    mode(".", 0o555);
    refused("make the file and its folder writable");
    fs::remove_file(bench.path("ledger.json.lock")).unwrap();
    refused("cannot be locked");
    mode(".", 0o777);
    mode("ledger.json", 0o444);
    refused("make the file and its folder writable");
    // To look at a ledger takes neither a lock nor a right to write.
    mode(".", 0o555);
    for line in ["ledger verify ledger.json", "ledger show ledger.json"] {
        assert!(run(line).status.success(), "{line}");
    }
    mode(".", 0o777);
    mode("ledger.json", 0o666);
    assert!(run(RELEASE).status.success());
}

/// What a crash left beside the ledger is replaced; what is in the way and cannot be is named; nothing is written through
/// a link.
#[test]
fn what_lies_in_the_new_document_s_place() {
    let bench = Bench::new();
    bench.open_ledger("3");
    bench.write(".ledger.json.new", "half of a docu");
    bench.ok(RELEASE);
    bench.write("other", "mine");
    std::os::unix::fs::symlink(bench.path("other"), bench.path(".ledger.json.new")).unwrap();
    bench.ok(RELEASE);
    assert_eq!((bench.read("other"), strays(&bench)), ("mine".to_owned(), vec!["other".to_owned()]));
    fs::create_dir(bench.path(".ledger.json.new")).unwrap();
    assert!(bench.fails(RELEASE, 1).contains("nothing was charged"));
    assert_eq!(bench.ledger().entries().len(), 2);
}

/// Only the opening has a date, and nothing is decided by it: under a clock that was set back, or far ahead, the same
/// releases are granted for the same charges.
#[test]
fn no_decision_depends_on_the_day() {
    let terms = Terms { adjacency: Adjacency::AddRemove, protect: Protect::Rows, max_rows_per_person: 1 };
    let budget = Budget::EpsilonDelta {
        epsilon: Epsilon::try_new(1.0).unwrap(),
        delta: Delta::try_new(1e-5).unwrap(),
    };
    let mut charges = Vec::new();
    for created in ["0001-01-01", "1970-01-01", "2026-11-20", "9999-12-31"] {
        let bench = Bench::new();
        let opening = Opening { id: [9; 16], created, terms, budget, split: Split::Gaussian };
        bench.write("ledger.json", Ledger::open(&opening).unwrap().to_json().unwrap());
        fs::copy(bench.path("ledger.json"), bench.path("copy.json")).unwrap();
        bench.ok(RELEASE);
        bench.fails(RELEASE, 3);
        bench.ok("ledger verify ledger.json");
        assert!(bench.ok("ledger import copy.json ledger.json").contains('1'));
        let ledger = bench.ledger();
        assert_eq!(ledger.created(), created);
        assert_eq!(bench.read("ledger.json").matches(created).count(), 1, "entries have no date");
        charges.push((ledger.entries()[0].charge, ledger.entries()[0].state, ledger.remaining()));
    }
    assert!(charges.iter().all(|charge| *charge == charges[0] && charge.1 == State::Released), "{charges:?}");
}

/// A ledger's document passed on by other programs: written with other white space it is the same one.
#[test]
fn a_ledger_in_another_layout_is_the_same_ledger() {
    let bench = Bench::new();
    bench.open_ledger("2");
    bench.ok(RELEASE);
    let tip = text(bench.ok("ledger verify ledger.json").as_bytes());
    bench.write("ledger.json", bench.read("ledger.json").replace('\n', "\r\n\t"));
    assert_eq!(bench.ok("ledger verify ledger.json"), tip);
    bench.ok(RELEASE);
}
