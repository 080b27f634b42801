//! The command line from end to end: the built program, real files, exit statuses.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use discreet::engine::{Prepared, prepare};
use discreet::model::Assurance;
use discreet::plan::{Plan, Purpose};
use discreet::privacy::ledger::{Ledger, Request, State};
use discreet::release::document::Release;
use serde_json::{Value, json};

use crate::support::{DIABETES, column, list, plan, small_diabetes_plan};

/// A folder with a plan and a table.
pub struct Bench(tempfile::TempDir);

impl Bench {
    pub fn new() -> Self {
        let bench = Self(tempfile::tempdir().unwrap());
        bench.write("table.csv", DIABETES);
        bench.plan(&small_diabetes_plan(json!({"epsilon": 1, "delta": 1e-5})));
        bench
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.path(name), text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn plan(&self, plan: &Value) {
        self.write("plan.json", plan.to_string());
    }

    pub fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_discreet"));
        command.args(line.split(' ')).current_dir(self.0.path()).stdin(Stdio::null());
        command
    }

    pub fn run(&self, line: &str) -> Output {
        self.command(line).output().unwrap()
    }

    /// Runs a command whose standard input is a file.
    pub fn piped(&self, line: &str, input: &str) -> Output {
        self.command(line).stdin(fs::File::open(self.path(input)).unwrap()).output().unwrap()
    }

    /// The plan for the header of the table.
    fn prepared(&self) -> Prepared {
        let plan = Plan::parse(&self.read("plan.json")).unwrap();
        let names: Vec<String> = DIABETES.lines().next().unwrap().split(',').map(str::to_owned).collect();
        prepare(plan, &names, b',', Purpose::Release).unwrap()
    }

    /// Runs a command that succeeds in silence but for its output, and in a release for the rows that counted, a fit without a prospect and
    /// a question that is asked again. A release has the words for a large δ.
    pub fn ok(&self, line: &str) -> String {
        let mut command = self.command(line);
        if line.starts_with("release ") {
            command.args(["--confirm-weak", "weak promise"]);
        }
        let output = command.output().unwrap();
        let errors = text(&output.stderr);
        let mut errors: Vec<&str> = errors.lines().collect();
        errors.retain(|said| {
            !(line.starts_with("release ") && (said.contains(" rows counted") || is_expected(said)))
        });
        let errors = errors.concat();
        assert_eq!((output.status.code(), errors.as_str()), (Some(0), ""), "{line}");
        text(&output.stdout)
    }

    /// Runs a command that fails with a status, one line and nothing else but what [`is_expected`].
    pub fn fails(&self, line: &str, status: i32) -> String {
        failed(&self.run(line), status, line)
    }

    pub fn open_ledger(&self, epsilon: &str) {
        self.ok(&format!("ledger new ledger.json --epsilon {epsilon} --delta 1e-5 --adjacency add-remove"));
    }

    pub fn ledger(&self) -> Ledger {
        Ledger::parse(&self.read("ledger.json")).unwrap()
    }
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Whether a line says that a fit cannot work, or that its question is answered already.
fn is_expected(said: &str) -> bool {
    said.contains("The fit cannot work") || said.contains("answers this question already")
}

pub fn failed(output: &Output, status: i32, line: &str) -> String {
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{line}: {errors}");
    assert_eq!(text(&output.stdout), "", "{line}");
    assert_eq!(errors.lines().filter(|said| !is_expected(said)).count(), 1, "{line}: {errors}");
    assert!(errors.starts_with("discreet: ") && errors.ends_with('\n'), "{errors}");
    errors
}

pub const RELEASE: &str = "release --plan plan.json --ledger ledger.json table.csv";

/// The same, for a plan of which no interval is to be expected.
pub const CONFIRMED: &str = "release --plan plan.json --ledger ledger.json table.csv --confirm";

/// A program that waits for a locked ledger says so, and goes on once it is free.
#[test]
fn the_wait_for_a_locked_ledger_is_told() {
    let bench = Bench::new();
    bench.open_ledger("2");
    let held = fs::File::create(bench.path("ledger.json.lock")).unwrap();
    held.lock().unwrap();
    let mut child = bench.command(CONFIRMED).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    errors.read_line(&mut line).unwrap();
    assert!(line.contains("waiting for another program that uses this ledger"), "{line}");
    held.unlock().unwrap();
    assert!(child.wait_with_output().unwrap().status.success());
    assert_eq!(bench.ledger().entries().len(), 1);
}

#[test]
fn the_whole_job() {
    let bench = Bench::new();
    bench.open_ledger("2");
    let printed = bench.ok(RELEASE);
    let release: Release = serde_json::from_str(&printed).unwrap();
    assert_eq!(release.privacy.assurance, Assurance::Exact);
    assert_eq!((release.privacy.epsilon, release.privacy.delta), (Some(1.0), Some(1e-5)));
    assert_eq!(release.privacy.person, "assumed");
    assert_eq!(list(&release).len(), 3);
    let reference = release.ledger.as_ref().unwrap();
    assert_eq!(
        (reference.id.as_str(), reference.entry, reference.idealised),
        (bench.ledger().id(), 1, false)
    );
    assert_eq!(release.software.build.len(), 64);
    assert!(!printed.contains("table.csv") && release.demo.is_none());
    assert_eq!(bench.ledger().entries()[0].state, State::Released);

    assert!(bench.ok("ledger verify ledger.json").starts_with("ok: 1 entries"));
    let shown = bench.ok("ledger show ledger.json");
    assert!(
        shown.contains("left") && shown.contains("analyze-gauss") && shown.contains("released"),
        "{shown}"
    );

    bench.write("release.json", &printed);
    let before = bench.read("ledger.json");
    let refit: Value = serde_json::from_str(
        &bench.ok("refit --release=release.json --outcome bmi --features bp,target --ridge 0.1"),
    )
    .unwrap();
    assert_eq!((&refit["outcome"], &refit["ridge"]), (&json!("bmi"), &json!(0.1)));
    assert_eq!(refit["coefficients"].as_array().unwrap().len(), 3);
    let path = bench.ok("refit --release=release.json --outcome bmi --features bp,target --path csv");
    assert!(
        path.starts_with("\u{feff}term,ridge,estimate\r\n(Intercept),0.0,") && path.contains("\r\nbp,"),
        "{path}"
    );
    assert!(
        bench
            .fails("refit --release=release.json --outcome bmi --features bp --path r", 2)
            .contains("--path is `r`")
    );
    let tables =
        bench.ok("refit --release=release.json --outcome bmi --features bp,target --format markdown");
    assert!(tables.contains("| bp per unit") && tables.contains("N about"), "{tables}");
    let of_ten = bench
        .ok("refit --release=release.json --outcome bmi --features bp,target --format markdown --per 10");
    assert!(of_ten.contains("| bp per 10 units"), "{of_ten}");
    let unused = bench.fails("refit --release=release.json --outcome bmi --features bp --per 10", 2);
    assert!(unused.contains("--per goes with --format"), "{unused}");
    assert!(
        bench
            .fails("refit --release=release.json --outcome bmi --features bp --format r", 2)
            .contains("--format is `r`")
    );
    assert_eq!(bench.read("ledger.json"), before, "a refit costs nothing");
}

#[test]
fn a_plan_is_checked_before_it_is_paid_for() {
    let bench = Bench::new();
    let mut plan = small_diabetes_plan(json!({"epsilon": 0.15, "delta": 1e-5}));
    plan["stated_rows"] = json!(442);
    plan["mechanism"] = json!({"name": "adaptive-gauss"});
    bench.plan(&plan);
    let checked = bench.ok("check --plan plan.json table.csv");
    for said in [
        "mechanism: adaptive-gauss",
        "recommended: analyze-gauss.",
        "cost: epsilon 0.15, delta ",
        "in place of 442",
        "Long tails, and features that go closely together, are not foreseen",
    ] {
        assert!(checked.contains(said), "{said}: {checked}");
    }
    // The prices follow from the header alone. That the rows cannot be read is a warning.
    let (header, _) = DIABETES.split_once('\n').unwrap();
    bench.write("table.csv", format!("{header}\nnot,a,table\n"));
    let malformed = bench.run("check --plan plan.json table.csv");
    assert_eq!((malformed.status.code(), text(&malformed.stdout)), (Some(0), checked));
    assert!(text(&malformed.stderr).starts_with("discreet: warning: the table, line 2"));
    bench.write("table.csv", DIABETES);

    // Where nobody can be asked a warning has to do, and with a word before it there is none.
    bench.open_ledger("1");
    let warned = bench.run(RELEASE);
    assert_eq!(warned.status.code(), Some(0));
    let warning = text(&warned.stderr);
    assert!(
        warning.starts_with("discreet: All coefficients will be withheld") && warning.lines().count() == 2
    );
    bench.ok(&format!("{RELEASE} --confirm"));

    plan["stated_rows"] = json!(100_000);
    bench.plan(&plan);
    let checked = bench.ok("check --plan plan.json table.csv");
    assert!(!checked.contains("recommended:") && checked.contains("target by bmi: "), "{checked}");
}

#[test]
fn releases_until_the_budget_is_gone() {
    let bench = Bench::new();
    bench.open_ledger("2");
    let mut granted = 0;
    let refusal = loop {
        // The table may come first, and options may be written either way.
        let output = bench.run("release table.csv --plan=plan.json --ledger=ledger.json --workers 1");
        if output.status.success() {
            granted += 1;
        } else {
            break failed(&output, 3, "release");
        }
    };
    // Gaussian releases compose better than their ε do, so more than two fit.
    assert!((2..=4).contains(&granted), "{granted}");
    assert!(refusal.contains("needs") && refusal.contains("left") && refusal.contains("nothing was charged"));
    let before = bench.read("ledger.json");
    bench.fails(RELEASE, 3);
    assert_eq!(bench.read("ledger.json"), before, "a refusal changes nothing");
    // `check` says so before, and what a release takes of a ledger that has enough.
    assert!(
        bench.fails("check --plan plan.json --ledger ledger.json table.csv", 3).contains("`mu` of at most ")
    );
    // The largest request that fits is said by mu and by epsilon, and fits.
    let (most, epsilon) = refusal
        .trim()
        .split_once(" fits. By epsilon: at delta 1\u{a0}×\u{a0}10⁻⁵, `epsilon` of at most ")
        .unwrap();
    let (_, most) = most.split_once("`mu` of at most ").unwrap();
    for budget in [
        json!({"epsilon": epsilon.parse::<f64>().unwrap(), "delta": 1e-5}),
        json!({"mu": most.parse::<f64>().unwrap(), "delta": 1e-5}),
    ] {
        bench.plan(&small_diabetes_plan(budget));
        let price = bench.ok("check --plan plan.json --ledger ledger.json table.csv");
        assert!(
            price.contains("ledger: takes 99.9") || price.contains("ledger: takes 100.00 % of what is left"),
            "{price}"
        );
    }
    bench.ok(RELEASE);
}

#[test]
fn a_table_of_a_header_alone_is_refused_by_check() {
    let bench = Bench::new();
    let header = bench.read("table.csv").lines().next().unwrap().to_owned() + "\n";
    bench.write("table.csv", &header);
    assert!(bench.fails("check --plan plan.json table.csv", 2).contains("no rows below its header"));
}

#[test]
fn a_plan_that_asks_for_all_fits_exactly() {
    let bench = Bench::new();
    bench.open_ledger("1");
    bench.ok(RELEASE);
    assert!(bench.fails(RELEASE, 3).contains("nothing was charged"));
}

#[test]
fn bad_input_has_status_2_and_a_place() {
    let bench = Bench::new();
    bench.open_ledger("1");
    let before = bench.read("ledger.json");
    for (line, expected) in [
        ("", "the command is missing"),
        ("relase", "the command is missing"),
        ("help relase", "the command is missing"),
        ("ledger lst", "the action is missing or unknown"),
        ("release --plan plan.json table.csv", "--ledger is missing"),
        ("release --plan plan.json --ledger ledger.json", "the table is missing"),
        ("release --plan plan.json --ledger ledger.json table.csv other.csv", "too many"),
        ("release --plan plan.json --plan plan.json --ledger ledger.json table.csv", "given twice"),
        ("release --plan plan.json --ledger ledger.json --seed 1 table.csv", "--seed"),
        ("release --plan plan.json --ledger ledger.json --workers 0 table.csv", "--workers"),
        (
            "release --plan nothing.json --ledger ledger.json table.csv",
            "the plan nothing.json cannot be read",
        ),
        (
            "release --plan plan.json --ledger nothing.json table.csv",
            "the ledger nothing.json cannot be read",
        ),
        ("release --plan plan.json --ledger table.csv table.csv", "the ledger is not valid"),
        ("release --plan plan.json --ledger ledger.json nothing.csv", "the table nothing.csv cannot be read"),
        ("release --plan plan.json --ledger ledger.json --public p.csv table.csv", "takes no public input"),
        ("simulate --plan plan.json --runs 0 table.csv", "--runs"),
        ("simulate --plan plan.json --seed x table.csv", "--seed is `x`"),
        ("refit --release plan.json --outcome bmi --features bp", "release:"),
        ("ledger new ledger.json --epsilon 1 --delta 1e-6 --adjacency add-remove", "exists already"),
        ("ledger new l2.json --epsilon 1 --adjacency add-remove", "--delta is missing"),
        ("ledger new l2.json --epsilon 1 --mu 1 --delta 1e-6 --adjacency add-remove", "one form"),
        ("ledger new l2.json --epsilon 1 --delta 1e-6 --adjacency add_remove", "--adjacency"),
        ("ledger new l2.json --mu 1 --delta 1e-6 --adjacency add-remove --split both", "cannot be split"),
        (
            "ledger new l2.json --epsilon 1 --delta 1e-6 --adjacency add-remove --protect labels",
            "replace-one",
        ),
        ("ledger relax ledger.json labels", "--confirm"),
        ("ledger relax ledger.json labels --confirm", "replace-one"),
        ("ledger verify plan.json", "the ledger is not valid"),
        ("account sigma --epsilon 1", "needs"),
        ("account nonsense", "no conversion"),
        ("account pld_eps --delta 1e-6", "--mechs"),
        ("account pld_eps --mechs laplace:2:1 --delta 1e-6", "lap:SCALE:COUNT"),
        ("account pld_eps --mechs gauss:2:1+lap:x:3 --delta 1e-6", "`lap:x:3`, where scale"),
        ("account pld_eps --mechs gauss:2:1.5 --delta 1e-6", "`gauss:2:1.5`, where count"),
        ("account pld_eps --mechs psg:1:2:10 --delta 1e-6", "sampling rate"),
        ("account pld_eps --mechs dp:-1:0:10 --delta 1e-6", "epsilon is -1"),
        ("account pld_eps --mechs gauss:2:1 --delta 1e-12", "a delta below 1e-10"),
        ("account pld_eps --mechs dp:1:1e-5:1 --delta 1e-6", "everything is revealed"),
    ] {
        let errors = bench.fails(line, 2);
        assert!(errors.contains(expected), "{line}: {errors}");
    }
    assert_eq!(bench.read("ledger.json"), before);
    assert!(!bench.path("l2.json").exists());
}

#[test]
fn a_bad_plan_names_its_path() {
    let bench = Bench::new();
    bench.open_ledger("1");
    let good = small_diabetes_plan(json!({"epsilon": 1, "delta": 1e-5}));
    for (pointer, value, expected) in [
        ("/columns/0/lower", json!("low"), "columns[0].lower"),
        ("/columns/0/name", json!("BMI"), "columns[0].name"),
        ("/mechanism/name", json!("pmt-ridge"), "public"),
        ("/mechanism/name", json!("jl-ridge"), "add \"idealised\" to `confirm`"),
        ("/mechanism/name", json!("ols"), "not private"),
        ("/budget", json!({"none": true}), "budget.none"),
        ("/budget", json!({"epsilon": 1}), "budget.delta"),
        ("/adjacency", json!("both"), "adjacency"),
    ] {
        let mut plan = good.clone();
        *plan.pointer_mut(pointer).unwrap() = value;
        bench.plan(&plan);
        let errors = bench.fails(RELEASE, 2);
        assert!(errors.contains(expected), "{errors}");
    }
    // Terms that differ from the ledger's are never converted.
    let mut plan = good;
    plan["adjacency"] = json!("replace-one");
    plan["rows"] = json!(442);
    bench.plan(&plan);
    assert!(bench.fails(RELEASE, 2).contains("adjacency"));
    assert!(bench.ledger().entries().is_empty());
}

/// A word in a cell that no message may repeat.
const CANARY: &str = "SecretCanary";

#[test]
fn a_table_that_cannot_be_read_is_not_charged_and_not_quoted() {
    let bench = Bench::new();
    bench.open_ledger("1");
    let before = bench.read("ledger.json");
    for (table, expected) in [
        (format!("bmi,bp,target\n1,2,3\n1,2,3,{CANARY}\n"), "line 3"),
        (format!("bmi,bp,target\n{CANARY}\n"), "line 2"),
        (format!("bmi,bp,target\n1,2,3\n4,5,\"{CANARY}"), "line 3"),
        ("bmi,bp,target\n\n".to_owned(), "no rows below its header"),
    ] {
        bench.write("table.csv", table);
        for line in [RELEASE, "simulate --plan plan.json --runs 2 --seed 1 table.csv"] {
            let errors = bench.fails(line, 2);
            assert!(errors.contains(expected) && !errors.contains(CANARY), "{errors}");
        }
    }
    bench.write("table.csv", b"bmi,bp,target\n1,2,3\n1,\xff\xfe,3\n");
    assert!(bench.fails(RELEASE, 2).contains("line 3"));
    // Well formed, if odd: such a cell is missing or clipped. A warning names the column and the kind.
    bench.write("table.csv", format!("bmi,bp,target\n{CANARY},2,3\n1e999,2,-3\n20,2,3\n20,2,3\n"));
    assert_eq!(bench.read("ledger.json"), before, "nothing was charged");
    let output = bench.run(RELEASE);
    let (released, warnings) = (text(&output.stdout), text(&output.stderr));
    assert!(
        output.status.success() && !released.contains(CANARY) && !warnings.contains(CANARY),
        "{warnings}"
    );
    assert!(warnings.contains("column `bmi`: the first rows have words in place of numbers"), "{warnings}");
    let counted = |line: &str| line.starts_with("discreet: About ") && line.contains(" rows counted");
    assert!(
        warnings.lines().all(|line| line.starts_with("discreet: warning: column `") || counted(line)),
        "{warnings}"
    );
}

#[test]
fn a_product_of_numbers_far_from_zero_is_warned_of_before_the_charge() {
    let bench = Bench::new();
    let mut plan = small_diabetes_plan(json!({"epsilon": 1, "delta": 1e-5}));
    let mut warned = |terms: Value| {
        plan["derived"] = terms;
        bench.plan(&plan);
        text(&bench.run("check --plan plan.json table.csv").stderr)
    };
    let told = "discreet: warning: The product `bmi:bp` is nearly a multiple of what it is made from";
    let errors = warned(json!([{"transform": "product", "from": ["bmi", "bp"]}]));
    assert!(
        errors.contains(told) && errors.contains("the values of `bmi` and `bp` are far from 0"),
        "{errors}"
    );
    let centred =
        |name: &str, at: u8| json!({"transform": "centred", "from": [name], "at": at, "role": "ignored"});
    let product = json!({"transform": "product", "from": ["bmi - 26", "bp - 95"]});
    let errors = warned(json!([centred("bmi", 26), centred("bp", 95), product]));
    assert!(!errors.contains("The product"), "{errors}");
}

#[test]
fn a_plan_that_the_first_rows_contradict_is_warned_of_before_the_charge() {
    let bench = Bench::new();
    let mut plan = small_diabetes_plan(json!({"epsilon": 1, "delta": 1e-5}));
    plan["columns"].as_array_mut().unwrap().push(json!(
        {"name": "sex", "role": "feature", "type": "category", "levels": ["Male", "Female"]}
    ));
    bench.plan(&plan);
    let rows = (0..40).map(|row| format!("{}.5,{},100,{}\n", 20 + row % 10, 300 + row, ["F", "M"][row % 2]));
    bench.write("table.csv", format!("bmi,bp,target,sex\n{}", rows.collect::<String>()));
    let warned = |line: &str| text(&bench.run(line).stderr);
    let errors = warned("check --plan plan.json table.csv");
    assert!(
        errors.contains("column `sex`: the first rows have cells that are none of its levels"),
        "{errors}"
    );
    assert!(errors.contains("column `bp`: the first rows have numbers beyond its bounds"), "{errors}");
    assert!(!errors.contains("300") && !errors.contains("20.5"), "no cell is quoted: {errors}");
    bench.open_ledger("1");
    let ledger = bench.read("ledger.json");
    // No row can count, and nobody can be asked.
    let refused = bench.run(RELEASE);
    assert_eq!((refused.status.code(), refused.stdout.len()), (Some(2), 0));
    assert!(text(&refused.stderr).contains("no cell of `sex` in the first rows"));
    assert_eq!(bench.read("ledger.json"), ledger);
    let after = warned(&format!("{RELEASE} --confirm"));
    let counted = after.strip_prefix(errors.as_str()).unwrap();
    assert!(counted.contains(" rows counted") && counted.lines().count() == 1, "{after}");
}

/// What stands below the first rows alone is warned of before the charge too, by column and kind.
#[test]
fn a_plan_that_later_rows_contradict_is_warned_of_before_the_charge() {
    let bench = Bench::new();
    let number = |name: &str, role: &str, lower: f64, upper: f64| json!({"name": name, "role": role, "type": "number", "lower": lower, "upper": upper});
    let columns = [
        number("age", "feature", 18.0, 90.0),
        number("crp", "ignored", 0.0, 300.0),
        json!({"name": "sex", "role": "feature", "type": "category", "levels": ["F", "M"]}),
        json!({"name": "ward", "role": "feature", "type": "category", "levels": ["A", "B"]}),
        number("seen", "feature", 2010.0, 2030.0),
        number("weight", "feature", 30.0, 200.0),
        number("children", "feature", 0.0, 120.0),
        number("creatinine", "feature", 0.713, 40.0),
        number("sbp", "outcome", 60.0, 260.0),
    ];
    let mut plan = plan(&columns, json!({"epsilon": 1, "delta": 1e-5}));
    plan["derived"] = json!([{"transform": "log", "from": ["crp"], "offset": 0.5}]);
    bench.plan(&plan);
    let row = |row: u32| {
        let late = row >= 1_000;
        let of = |first: &str, later: &str| if late { later } else { first }.to_owned();
        let age = if late && row.is_multiple_of(50) { "-99".to_owned() } else { (20 + row % 60).to_string() };
        let cells = [
            age,
            of("12.5", "12,5"),
            of(["F", "M"][row as usize % 2], "kvinna"),
            of("A", ["A", "C"][usize::from(row.is_multiple_of(25))]),
            of("2019", "12.03.2019"),
            of("71", "717"),
            if late && row.is_multiple_of(9) { "99" } else { ["1", "3"][row as usize % 2] }.to_owned(),
            of("0.9", ["0.85", "0.713"][usize::from(row == 1_500)]),
            of("130", ["140", ""][row as usize % 2]),
        ];
        format!("{}\n", cells.join(";"))
    };
    bench.write(
        "table.csv",
        format!(
            "age;crp;sex;ward;seen;weight;children;creatinine;sbp\n{}",
            (0..2_000).map(row).collect::<String>()
        ),
    );
    bench.open_ledger("3");
    let before = bench.read("ledger.json");
    let check = "check --plan plan.json table.csv";
    let told = text(&bench.run(check).stderr);
    for expected in [
        "column `age`: later rows have what looks like a code for a missing value",
        "column `crp`: later rows have numbers in another format",
        "column `sex`: later rows have cells that are none of its levels",
        "column `ward`: later rows have cells that are none of its levels",
        "column `seen`: later rows have dates",
        "column `weight`: later rows have numbers beyond its bounds",
        "column `children`: later rows have what looks like a code for a missing value",
        "column `creatinine`: a bound of it is exactly the smallest or the largest number of the file",
    ] {
        assert_eq!(told.lines().filter(|line| line.contains(expected)).count(), 1, "{expected}: {told}");
    }
    assert_eq!(told.lines().count(), 8, "{told}");
    assert!(!told.contains(|letter: char| letter.is_ascii_digit()), "{told}");
    assert!(!["kvinna", "`C`", "12", "717"].iter().any(|cell| told.contains(cell)), "{told}");
    assert_eq!(bench.read("ledger.json"), before);
    // However few they are, cells in other capitals are a level that is meant.
    let table = bench.read("table.csv").replacen("12,5;kvinna", "12,5;f", 1).replace("12,5;kvinna", "12,5;F");
    bench.write("capitals.csv", table);
    let capitals = text(&bench.run(&check.replace("table.csv", "capitals.csv")).stderr);
    assert!(
        capitals.contains("column `sex`: later rows write a level in capital and in small letters"),
        "{capitals}"
    );
    // A stream can be read only once, and that is for a release.
    let streamed = bench.piped(&check.replace("table.csv", "-"), "table.csv");
    assert_eq!((streamed.status.code(), text(&streamed.stderr).as_str()), (Some(0), ""));
    // Half of the rows can count, so a script goes on; one that has agreed is not warned.
    let warned = text(&bench.run(RELEASE).stderr);
    assert!(warned.starts_with(&told) && warned.contains(" rows counted"), "{warned}");
    assert!(!text(&bench.run(CONFIRMED).stderr).contains("later rows"));
    let streamed = bench.piped(&RELEASE.replace("table.csv", "-"), "table.csv");
    assert!(text(&streamed.stderr).starts_with(&told), "{}", text(&streamed.stderr));
    assert_eq!(bench.ledger().entries().len(), 3);
}

#[test]
fn a_file_of_which_no_row_can_count_is_not_charged() {
    let bench = Bench::new();
    bench.open_ledger("1");
    let before = bench.read("ledger.json");
    // The first rows have a value of each column, and none has one of both.
    let rows = (0..400).map(|row| if row % 2 == 0 { "20.5,90,\n" } else { ",90,100\n" });
    bench.write("table.csv", format!("bmi,bp,target\n{}", rows.collect::<String>()));
    let refused = bench.run(RELEASE);
    let errors = text(&refused.stderr);
    assert_eq!((refused.status.code(), refused.stdout.len()), (Some(2), 0), "{errors}");
    assert!(errors.contains("warning: no row would count") && errors.contains("add --confirm"), "{errors}");
    let mut plan = small_diabetes_plan(json!({"epsilon": 1, "delta": 1e-5}));
    plan["only"] = json!([{"column": "bmi", "lower": 30}]);
    bench.plan(&plan);
    assert!(text(&bench.run(RELEASE).stderr).contains("no row meets all conditions of `only`"));
    // Most cells of a column are missing further down.
    plan["only"] = json!([]);
    bench.plan(&plan);
    let rows = (0..400).map(|row| if row < 100 { "20.5,90,100\n" } else { "20.5,,100\n" });
    bench.write("table.csv", format!("bmi,bp,target\n{}", rows.collect::<String>()));
    let told = text(&bench.run("check --plan plan.json table.csv").stderr);
    assert!(told.contains("most rows would not count: most cells of `bp` are missing"), "{told}");
    bench.write("table.csv", format!("bmi,bp,target\n{}1,2\n", "20.5,90,100\n".repeat(200)));
    assert!(text(&bench.run("check --plan plan.json table.csv").stderr).contains("line 202"));
    assert_eq!(bench.read("ledger.json"), before);
}

#[test]
fn a_question_that_is_answered_already_is_warned_of_before_it_costs_again() {
    let bench = Bench::new();
    bench.open_ledger("2");
    let mut plan = small_diabetes_plan(json!({"epsilon": 0.5, "delta": 1e-6}));
    let mut released = |change: fn(&mut Value)| {
        change(&mut plan);
        bench.plan(&plan);
        text(&bench.run(RELEASE).stderr)
    };
    let again = "warning: entry 1 of the ledger answers this question already";
    assert!(!released(|_| ()).contains(again));
    let told = released(|plan| plan["budget"]["epsilon"] = json!(0.4));
    assert!(told.contains(again), "for another budget: {told}");
    assert!(!released(|plan| plan["columns"][0]["upper"] = json!(61)).contains(again), "other bounds");
    std::fs::remove_dir_all(bench.path("ledger.json.releases")).unwrap();
    let told = released(|_| ());
    assert!(told.contains(again.replace('1', "3").as_str()), "as in a ledger of the page: {told}");
    assert!(!told.contains("ledger reprint"), "what is not there cannot be printed: {told}");
}

#[test]
fn an_outcome_that_is_turned_round_is_the_same_question() {
    let plan = |levels: [&str; 2], reference: &str, role: &str| {
        let other = if role == "outcome" { "feature" } else { "outcome" };
        let plan = json!({
            "schema": "discreet.plan/1", "adjacency": "add-remove", "mechanism": {"name": "analyze-gauss"}, "budget": {"epsilon": 1, "delta": 1e-6},
            "columns": [
                {"name": "fall", "role": role, "type": "category", "levels": levels, "reference": reference},
                {"name": "age", "role": other, "type": "number", "lower": 0, "upper": 100},
            ],
        });
        discreet::plan::Plan::parse(&plan.to_string()).unwrap()
    };
    let asked = plan(["no", "yes"], "no", "outcome");
    assert!(asked.asks_the_same(&plan(["no", "yes"], "yes", "outcome")));
    assert!(asked.asks_the_same(&plan(["yes", "no"], "no", "outcome")));
    assert!(!asked.asks_the_same(&plan(["no", "ja"], "no", "outcome")));
    assert!(!plan(["no", "yes"], "no", "feature").asks_the_same(&plan(["no", "yes"], "yes", "feature")));
}

#[test]
fn a_number_of_two_codes_as_outcome_is_warned_of() {
    let bench = Bench::new();
    bench.plan(&small_diabetes_plan(json!({"epsilon": 1, "delta": 1e-5})));
    let told = "column `target`: the first rows have two codes alone";
    for (other, is_told) in [(2, true), (1, false), (7, true)] {
        let code = |row: usize| if row.is_multiple_of(3) { other } else { 1 };
        let rows: String =
            (0..400).map(|row| format!("{}.5,{},{}\n", 20 + row % 10, 70 + row % 40, code(row))).collect();
        bench.write("table.csv", format!("bmi,bp,target\n{rows}"));
        let warnings = text(&bench.run("check --plan plan.json table.csv").stderr);
        assert_eq!(warnings.contains(told), is_told, "{other}: {warnings}");
    }
}

#[test]
fn empty_cells_that_count_as_the_level_of_all_others_are_warned_of() {
    let bench = Bench::new();
    let mut plan = small_diabetes_plan(json!({"epsilon": 1, "delta": 1e-5}));
    plan["columns"][1] =
        json!({"name": "bp", "role": "feature", "type": "category", "levels": ["a", "b", "other"]});
    let rows: String = (0..400)
        .map(|row| format!("{}.5,{},{}\n", 20 + row % 10, ["a", "b", "", "x"][row % 4], 90 + row % 40))
        .collect();
    bench.write("table.csv", format!("bmi,bp,target\n{rows}"));
    for (na, is_told) in [(json!(null), false), (json!(["-99"]), true), (json!(["-99", ""]), false)] {
        if !na.is_null() {
            plan["csv"] = json!({ "na": na });
        }
        bench.plan(&plan);
        let output = bench.run("check --plan plan.json table.csv");
        let warnings = text(&output.stderr);
        assert!(output.status.success(), "{warnings}");
        assert_eq!(
            warnings.contains("column `bp`: the first rows have cells that are empty"),
            is_told,
            "{na} {warnings}"
        );
    }
}

#[test]
fn what_stands_in_the_way_of_a_release_names_its_option() {
    let bench = Bench::new();
    assert!(
        bench
            .fails("ledger new own.json --epsilon 1,0 --delta 1e-5 --adjacency add-remove", 2)
            .contains("with a decimal point")
    );
    bench.ok("ledger new ledger.json --epsilon 1 --delta 1e-5 --adjacency add-remove");
    let mut plan = small_diabetes_plan(json!({"epsilon": 1, "delta": 1e-5}));
    (plan["person"], plan["max_rows_per_person"]) = (json!("sex"), json!(3));
    bench.plan(&plan);
    let refused = bench.fails(CONFIRMED, 2);
    assert!(refused.contains("--max-rows-per-person 3"), "{refused}");
}

#[test]
fn a_row_of_totals_at_the_end_is_warned_of() {
    let bench = Bench::new();
    bench.plan(&small_diabetes_plan(json!({"epsilon": 1, "delta": 1e-5})));
    let rows: String = (0..400).map(|row| format!("P{row},{}.5,90,100\n", 20 + row % 10)).collect();
    let warned = |table: String| {
        bench.write("table.csv", table);
        text(&bench.run("check --plan plan.json table.csv").stderr)
    };
    let table = format!("name,bmi,bp,target\n{rows}");
    let told = "column `name`: the last row looks like a row of totals";
    assert!(!warned(table.clone()).contains(told));
    let warnings = warned(format!("{table}Total,9800.5,36000,40000\n"));
    assert!(warnings.contains(told) && !warnings.contains("9800"), "{warnings}");
}

#[test]
fn a_column_of_persons_that_the_plan_does_not_name_is_warned_of() {
    let bench = Bench::new();
    let mut plan = small_diabetes_plan(json!({"epsilon": 1, "delta": 1e-5}));
    bench.plan(&plan);
    let rows: String = (0..40).map(|row| format!("P{},{}.5,90,100\n", row / 3, 20 + row % 10)).collect();
    bench.write("table.csv", format!("patient_id,bmi,bp,target\n{rows}"));
    let check = "check --plan plan.json table.csv";
    let warned = text(&bench.run(check).stderr);
    assert!(warned.contains("column `patient_id`: it seems to name persons"), "{warned}");
    assert!(!warned.contains("P0"), "no cell is quoted: {warned}");
    plan["person"] = json!("patient_id");
    plan["max_rows_per_person"] = json!(3);
    bench.plan(&plan);
    let warned = text(&bench.run(check).stderr);
    assert!(!warned.contains("patient_id"), "{warned}");
    let told = bench.ok(check);
    assert!(told.contains("Up to 3 rows of a person count") && told.contains("by a factor of 1.8"), "{told}");
    // Nor is the person a feature.
    let feature =
        json!({"name": "patient_id", "role": "feature", "type": "category", "levels": ["P0", "P1", "P2"]});
    let mut of_persons = small_diabetes_plan(json!({"epsilon": 1, "delta": 1e-5}));
    of_persons["columns"].as_array_mut().unwrap().push(feature);
    bench.plan(&of_persons);
    let warned = text(&bench.run(check).stderr);
    assert!(warned.contains("column `patient_id`: it numbers or names rows or persons"), "{warned}");
    // An outcome of the last visit is not among the rows that count, which are the first.
    let late: String = (0..40)
        .map(|row| format!("P{},{}.5,90,{}\n", row / 3, 20 + row % 10, if row % 3 == 2 { "100" } else { "" }))
        .collect();
    bench.write("table.csv", format!("patient_id,bmi,bp,target\n{late}"));
    bench.plan(&plan);
    let warned = text(&bench.run(check).stderr);
    assert!(
        warned.contains("column `target`: most of its first cells are missing; of each person"),
        "{warned}"
    );
}

/// What the page asks about, the command line warns of: two spellings of a level, and what a logistic regression computes.
#[test]
fn levels_in_two_spellings_are_warned_of_and_log_odds_are_named() {
    let bench = Bench::new();
    let category = |name: &str, role: &str, levels: Value| json!({"name": name, "role": role, "type": "category", "levels": levels});
    let columns = [
        category("sexo", "feature", json!(["Hombre", "Mujer", "mujer"])),
        category("readmitted", "outcome", json!(["no", "yes"])),
    ];
    let mut plan = plan(&columns, json!({"epsilon": 1, "delta": 1e-5}));
    plan["mechanism"] = json!({"name": "adaptive-logistic"});
    bench.plan(&plan);
    bench.write("table.csv", "sexo,readmitted\nHombre,no\nMujer,yes\nmujer,no\n");
    let check = "check --plan plan.json table.csv";
    let warned = text(&bench.run(check).stderr);
    assert!(warned.contains("column `sexo`: two of its levels differ by capitals"), "{warned}");
    let told = text(&bench.run(check).stdout);
    assert!(told.contains("computed: ") && told.contains("No other regression can be fitted"), "{told}");
    assert!(bench.ok("help check").contains("discreet check --plan FILE TABLE"));
    bench.write("plan.json", "schema: discreet.plan/1\n");
    assert!(text(&bench.run(check).stderr).contains("such as YAML"));
    bench.write("plan.json", r#"{"schema": "discreet.release/1", "plan": {}}"#);
    assert!(text(&bench.run(check).stderr).contains("this is a discreet.release/1, and no discreet.plan/1"));
}

#[test]
fn a_plan_says_which_line_is_the_header() {
    let bench = Bench::new();
    bench.open_ledger("8");
    let header = |line: u32| {
        let mut plan = small_diabetes_plan(json!({"epsilon": 1, "delta": 1e-5}));
        plan["csv"] = json!({"header": line});
        plan
    };
    // A title above the header.
    bench.write("table.csv", format!("Study 12,,\n\n{DIABETES}"));
    let title = bench.fails(RELEASE, 2);
    assert!(title.contains("no column `bmi`") && !title.contains("Study"), "{title}");
    bench.plan(&header(3));
    let release: Value = serde_json::from_str(&bench.ok(RELEASE)).unwrap();
    assert_eq!(release["plan"]["csv"]["header"], json!(3));
    // No header: the first line is a row, and the columns have numbers.
    let mut lines = DIABETES.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let records: Vec<&str> = lines.collect();
    bench.write("table.csv", records.join("\n") + "\n");
    // Taken for a header, the first record is not quoted.
    bench.plan(&header(1));
    let record = bench.fails(RELEASE, 2);
    assert!(record.contains("`header` in `csv`"), "{record}");
    assert!(records[0].split(',').all(|cell| !record.contains(&format!("`{cell}`"))), "{record}");
    let mut plan = header(0);
    for column in plan["columns"].as_array_mut().unwrap() {
        let place = names.iter().position(|name| column["name"] == json!(name)).unwrap();
        column["name"] = json!(format!("V{}", place + 1));
    }
    bench.plan(&plan);
    let exact = |file: &str| {
        let line = format!("simulate --plan {file} --runs 1 --seed 1 table.csv");
        let release: Value = serde_json::from_str(&bench.ok(&line)).unwrap();
        release["coefficients"][1]["estimate"].clone()
    };
    bench.ok(RELEASE);
    let mut without_noise = plan.clone();
    without_noise["budget"] = json!({"none": true});
    bench.write("exact.json", without_noise.to_string());
    let no_header = exact("exact.json");
    bench.write("table.csv", DIABETES);
    let mut usual = small_diabetes_plan(json!({"none": true}));
    usual["csv"] = json!({"header": 1});
    bench.write("usual.json", usual.to_string());
    assert_eq!(no_header, exact("usual.json"), "the first line is a row");
    let mut far = header(101);
    far["csv"]["header"] = json!(101);
    bench.plan(&far);
    assert!(bench.fails(RELEASE, 2).contains("csv.header"));
    // Without the plan's word the command line asks.
    bench.plan(&small_diabetes_plan(json!({"epsilon": 1, "delta": 1e-5})));
    bench.write("table.csv", "bmi,bp,target\n25,80,100\nbmi,81,102\n");
    assert!(text(&bench.run(RELEASE).stderr).contains("names of the columns look like values"));
}

#[test]
fn the_cells_of_a_record_never_become_names_by_a_pattern() {
    let bench = Bench::new();
    bench.open_ledger("1");
    let mut plan = small_diabetes_plan(json!({"epsilon": 1, "delta": 1e-5}));
    plan["columns"] = json!([
        {"match": "*", "role": "feature", "type": "number", "lower": 0, "upper": 200},
        {"name": "140.5", "role": "outcome", "type": "number", "lower": 0, "upper": 400},
    ]);
    bench.plan(&plan);
    bench.write("table.csv", "59.25,32.1,140.5\n48.5,21.6,75.25\n72.75,30.5,141\n");
    for line in [RELEASE, "check --plan plan.json table.csv"] {
        let said = bench.fails(line, 2);
        assert!(said.contains("`match` would publish them") && !said.contains("59.25"), "{said}");
    }
    assert!(bench.ledger().entries().is_empty());
    plan["csv"] = json!({"header": 1});
    bench.plan(&plan);
    bench.ok("check --plan plan.json table.csv");
}

#[test]
fn the_first_rows_of_a_column_that_serves_a_term_are_compared_with_the_plan() {
    let bench = Bench::new();
    let mut plan = small_diabetes_plan(json!({"epsilon": 1, "delta": 1e-5}));
    plan["columns"] = json!([
        {"name": "crp", "role": "ignored", "type": "number", "lower": 0, "upper": 300},
        {"name": "stage", "role": "ignored", "type": "category", "levels": ["I", "II", "III"]},
        {"name": "sbp", "role": "outcome", "type": "number", "lower": 60, "upper": 260},
    ]);
    plan["derived"] = json!([
        {"transform": "log", "from": ["crp"], "offset": 0.5},
        {"transform": "merged", "from": ["stage"], "groups": [{"name": "late", "levels": ["II", "III"]}]},
    ]);
    bench.plan(&plan);
    bench.write("table.csv", "crp;stage;sbp\n1,25;I;140\n0,75;III;135\n12,5;IIIa;128\n");
    let said = text(&bench.run("check --plan plan.json table.csv").stderr);
    assert!(said.contains("column `crp`: the first rows have numbers in another format"), "{said}");
    assert!(said.contains("column `stage`: the first rows have cells that are none of its levels"), "{said}");
}

#[test]
fn a_typical_spread_of_a_column_whose_bounds_are_estimated_changes_no_verdict() {
    let bench = Bench::new();
    let mut plan = small_diabetes_plan(json!({"epsilon": 8, "delta": 1e-5}));
    (plan["mechanism"], plan["stated_rows"]) = (json!({"name": "adaptive-gauss"}), json!(12_000));
    (plan["columns"][0]["lower"], plan["columns"][0]["upper"]) = (json!("estimate"), json!("estimate"));
    let expected = |plan: &Value| {
        bench.plan(plan);
        let said = bench.ok("check --plan plan.json table.csv");
        said.lines().find(|line| line.starts_with("expected: ")).unwrap().to_owned()
    };
    let without = expected(&plan);
    plan["columns"][0]["typical"] = json!({"mean": 27, "sd": 5});
    assert_eq!(expected(&plan), without);
    assert!(without.contains("Intervals are expected"), "{without}");
}

#[test]
fn a_table_of_another_length_is_refused_before_the_charge() {
    let bench = Bench::new();
    bench.ok("ledger new ledger.json --epsilon 1 --delta 1e-5 --adjacency replace-one");
    let mut plan = small_diabetes_plan(json!({"epsilon": 1, "delta": 1e-5}));
    plan["adjacency"] = json!("replace-one");
    plan["rows"] = json!(441);
    bench.plan(&plan);
    assert!(bench.fails(CONFIRMED, 2).contains("442 rows and the plan states 441"));
    assert!(bench.ledger().entries().is_empty());
    plan["rows"] = json!(442);
    bench.plan(&plan);
    bench.ok(CONFIRMED);
}

#[test]
fn a_crash_between_charge_and_release_is_burned() {
    let bench = Bench::new();
    bench.open_ledger("2");
    let mut ledger = bench.ledger();
    ledger.reserve(&bench.prepared().request()).unwrap();
    bench.write("ledger.json", ledger.to_json().unwrap());
    let left = ledger.remaining();

    let output = bench.run(RELEASE);
    assert!(text(&output.stderr).contains("its charge, entry 1, stays spent"));
    let release: Release = serde_json::from_str(&text(&output.stdout)).unwrap();
    assert_eq!(release.ledger.unwrap().entry, 2);
    let after = bench.ledger();
    let states: Vec<State> = after.entries().iter().map(|entry| entry.state).collect();
    assert_eq!(states, [State::Burned, State::Released]);
    assert!(after.remaining().gaussian < left.gaussian, "the lost charge stays");
}

#[test]
fn processes_on_one_ledger_cannot_overspend() {
    let bench = Bench::new();
    bench.open_ledger("1");
    let start = |_| bench.command(RELEASE).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let started: Vec<_> = (0..4).map(start).collect();
    let outputs: Vec<Output> = started.into_iter().map(|child| child.wait_with_output().unwrap()).collect();
    let statuses: Vec<Option<i32>> = outputs.iter().map(|output| output.status.code()).collect();
    assert_eq!(statuses.iter().filter(|status| **status == Some(0)).count(), 1, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == Some(3)).count(), 3, "{statuses:?}");
    assert_eq!(bench.ledger().entries().len(), 1);
    let left_over = fs::read_dir(bench.0.path())
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with(".ledger-"));
    assert_eq!(left_over.count(), 0, "no half-written file is left");
}

#[test]
fn a_ledger_that_cannot_be_written_or_locked_gives_no_release() {
    let bench = Bench::new();
    bench.open_ledger("1");
    let path = bench.path("ledger.json");
    let before = bench.read("ledger.json");
    let mut permissions = fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).unwrap();
    assert!(bench.fails(RELEASE, 1).contains("nothing was charged"));
    assert_eq!(bench.read("ledger.json"), before);

    bench.ok("ledger new other.json --epsilon 1 --delta 1e-5 --adjacency add-remove");
    fs::remove_file(bench.path("other.json.lock")).unwrap();
    fs::create_dir(bench.path("other.json.lock")).unwrap();
    let errors = bench.fails("release --plan plan.json --ledger other.json table.csv", 1);
    assert!(errors.contains("locked") && errors.contains("nothing was charged"), "{errors}");
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_says_that_the_charge_was_made() {
    let bench = Bench::new();
    bench.open_ledger("1");
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = bench.command(RELEASE).stdout(full).output().unwrap();
    let errors = failed(&output, 1, RELEASE);
    assert!(errors.contains("the charge was made (entry 1") && errors.contains("reprint"), "{errors}");
    assert_eq!(bench.ledger().entries().len(), 1);
    let again = bench.ok("ledger reprint ledger.json --entry 1");
    assert_eq!(again, bench.ok("ledger reprint ledger.json"));
    let release: Release = serde_json::from_str(&again).unwrap();
    assert_eq!(release.ledger.unwrap().entry, 1);
    bench.fails("ledger reprint ledger.json --entry 2", 2);
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = bench.command("ledger reprint ledger.json").stdout(full).output().unwrap();
    failed(&output, 1, "reprint");
}

/// The shell closes standard output; the runtime would write to `/dev/null` and succeed.
#[cfg(target_os = "linux")]
#[test]
fn a_closed_output_stops_before_the_charge() {
    let bench = Bench::new();
    bench.open_ledger("2");
    for (line, entries) in [(RELEASE, 0), ("ledger show ledger.json", 0)] {
        let script = format!("exec \"$0\" {line} >&-");
        let output = Command::new("sh")
            .args(["-c", &script, env!("CARGO_BIN_EXE_discreet")])
            .current_dir(bench.path("."))
            .output()
            .unwrap();
        let errors = failed(&output, 1, line);
        assert!(errors.contains("standard output is closed"), "{errors}");
        assert_eq!(bench.ledger().entries().len(), entries);
    }
    // A person may throw the output away: the copy stays.
    let null = fs::OpenOptions::new().write(true).open("/dev/null").unwrap();
    assert!(bench.command(RELEASE).stdout(null).status().unwrap().success());
    assert!(bench.ok("ledger reprint ledger.json").contains("discreet.release/1"));
}

#[test]
fn a_printed_release_can_be_printed_again() {
    let bench = Bench::new();
    bench.open_ledger("2");
    let [first, second] = [bench.ok(RELEASE), bench.ok(RELEASE)];
    assert_eq!(bench.ok("ledger reprint ledger.json"), second);
    assert_eq!(bench.ok("ledger reprint ledger.json --entry 1"), first);
    assert_eq!(bench.ok("ledger reprint ledger.json --entry 2"), second);
    // A copy that is lost is passed over; one that cannot be read is not.
    let last = bench.path(&format!("ledger.json.releases/{}-2.json", bench.ledger().id()));
    fs::remove_file(&last).unwrap();
    assert_eq!(bench.ok("ledger reprint ledger.json"), first);
    fs::create_dir(&last).unwrap();
    let errors = bench.fails("ledger reprint ledger.json", 2);
    assert!(errors.contains("-2.json cannot be read"), "{errors}");
}

/// An older copy of a ledger would pay for its entries again.
#[test]
fn an_older_copy_in_the_ledgers_place_is_refused() {
    let bench = Bench::new();
    bench.open_ledger("2");
    let old = bench.read("ledger.json");
    bench.ok(RELEASE);
    bench.write("ledger.json", &old);
    let errors = bench.fails(RELEASE, 1);
    assert!(errors.contains("older copy") && errors.contains("nothing was charged"), "{errors}");
    assert_eq!(bench.read("ledger.json"), old);
}

#[test]
fn a_release_that_cannot_be_kept_is_not_charged() {
    let bench = Bench::new();
    bench.open_ledger("2");
    bench.write("ledger.json.releases", "");
    let errors = bench.fails(RELEASE, 1);
    assert!(errors.contains("nothing was charged") && errors.contains("is a file"), "{errors}");
    assert!(bench.ledger().entries().is_empty());
}

#[cfg(unix)]
#[test]
fn a_ledger_with_two_names_pays_under_none() {
    let bench = Bench::new();
    bench.open_ledger("1");
    fs::hard_link(bench.path("ledger.json"), bench.path("twin.json")).unwrap();
    for name in ["ledger.json", "twin.json"] {
        let errors = bench.fails(&RELEASE.replace("ledger.json", name), 2);
        assert!(errors.contains("hard link"), "{errors}");
    }
    assert!(bench.ledger().entries().is_empty());
    fs::remove_file(bench.path("twin.json")).unwrap();
    bench.ok(RELEASE);
}

#[test]
fn nothing_of_a_document_steers_the_terminal() {
    let bench = Bench::new();
    bench.open_ledger("2");
    let prepared = bench.prepared();
    let mut ledger = bench.ledger();
    let mechanism = "x\u{1b}[2J\n  9  forged  released";
    let entry = ledger.reserve(&Request { mechanism, ..prepared.request() }).unwrap();
    ledger.release(entry).unwrap();
    bench.write("forged.json", ledger.to_json().unwrap());
    let shown = bench.ok("ledger show forged.json");
    assert!(shown.contains("x\\u{1b}[2J\\n  9  forged"), "{shown}");
    assert!(!shown.contains('\u{1b}'));
}

#[test]
fn a_budget_that_promises_nothing_takes_typed_words() {
    let bench = Bench::new();
    let new = |budget: &str| format!("ledger new ledger.json --adjacency add-remove {budget}");
    for budget in ["--epsilon 45 --delta 1e-6", "--epsilon 1e19 --delta 1e-5"] {
        assert!(bench.fails(&new(budget), 2).contains("epsilon"), "{budget}");
        assert!(bench.fails(&new(&format!("{budget} --confirm-weak weak")), 2).contains("epsilon"));
    }
    for budget in ["--epsilon 21 --delta 1e-5", "--epsilon 1 --delta 0.999999", "--mu 4 --delta 1e-5"] {
        let errors = bench.fails(&new(budget), 2);
        assert!(errors.contains("protects next to nobody") && errors.contains("weak promise"), "{errors}");
        assert!(!bench.path("ledger.json").exists());
        let mut command = bench.command(&new(budget));
        assert!(command.args(["--confirm-weak", "weak promise"]).status().unwrap().success(), "{budget}");
        fs::remove_file(bench.path("ledger.json")).unwrap();
    }
}

#[test]
fn a_delta_above_one_in_the_stated_rows_takes_typed_words() {
    let bench = Bench::new();
    bench.ok("ledger new ledger.json --adjacency add-remove --epsilon 2 --delta 1e-3");
    let mut plan: Value =
        serde_json::from_str(&fs::read_to_string(bench.path("plan.json")).unwrap()).unwrap();
    plan["stated_rows"] = 2000.into();
    fs::write(bench.path("plan.json"), plan.to_string()).unwrap();
    let release = "release --plan plan.json --ledger ledger.json --confirm table.csv";
    let errors = bench.fails(release, 2);
    assert!(errors.contains("above one over the 2000 rows") && errors.contains("weak promise"), "{errors}");
    assert!(bench.ledger().entries().is_empty());
    let mut command = bench.command(release);
    assert!(command.args(["--confirm-weak", "weak promise"]).status().unwrap().success());
    assert_eq!(bench.ledger().entries().len(), 1);
}

#[test]
fn a_message_is_short_and_says_what_to_do() {
    let bench = Bench::new();
    let long = "x".repeat(50_000);
    let errors = bench.fails(&format!("release {long} --plan plan.json --ledger ledger.json y"), 2);
    assert!(errors.chars().count() < 800, "{}", errors.len());
}

#[cfg(unix)]
#[test]
fn a_linked_ledger_has_one_lock_and_stays_a_link() {
    let bench = Bench::new();
    bench.open_ledger("2");
    std::os::unix::fs::symlink(bench.path("ledger.json"), bench.path("link.json")).unwrap();
    bench.ok("release --plan plan.json --ledger link.json table.csv");
    assert!(fs::symlink_metadata(bench.path("link.json")).unwrap().is_symlink());
    assert!(!bench.path("link.json.lock").exists());
    assert_eq!(bench.ledger().entries().len(), 1);
}

#[test]
fn the_table_may_come_from_standard_input() {
    let bench = Bench::new();
    let by_name = bench.ok("simulate --plan plan.json --runs 2 --seed 7 table.csv");
    let output = bench.piped("simulate --plan plan.json --runs 2 --seed 7 -", "table.csv");
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(0), by_name));
}

#[test]
fn a_run_depends_on_the_seed_and_its_number_alone() {
    let bench = Bench::new();
    for extra in ["", " --resample"] {
        let five = bench.ok(&format!("simulate --plan plan.json --runs 5 --seed 1 table.csv{extra}"));
        let two = bench.ok(&format!("simulate --plan plan.json --runs 2 --seed 1 table.csv{extra}"));
        let other = bench.ok(&format!("simulate --plan plan.json --runs 2 --seed 2 table.csv{extra}"));
        assert!(five.starts_with(&two) && !five.starts_with(&other));
        let lines: Vec<Release> = five.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.len(), 5);
        for (run, release) in (1..).zip(&lines) {
            assert_eq!(release.demo.unwrap().run, run);
            assert_eq!(release.privacy.assurance, Assurance::Demo);
            assert!(release.ledger.is_none());
        }
        assert_ne!(lines[0].moments, lines[1].moments);
    }
}

#[test]
fn any_number_of_workers_gives_the_same_bits() {
    let bench = Bench::new();
    let (header, rows) = DIABETES.split_once('\n').unwrap();
    bench.write("table.csv", format!("{header}\n{}", format!("{}\n", rows.trim_end()).repeat(300)));
    let run = |workers: u32| {
        bench.ok(&format!("simulate --plan plan.json --runs 2 --seed 1 --workers {workers} table.csv"))
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(8));
}

#[test]
fn without_noise_there_are_no_privacy_numbers() {
    let bench = Bench::new();
    bench.plan(&small_diabetes_plan(json!({"none": true})));
    let line: Value = serde_json::from_str(&bench.ok("simulate --plan plan.json table.csv")).unwrap();
    for field in ["epsilon", "delta", "mu", "rho"] {
        assert_eq!(line["privacy"][field], Value::Null);
    }
    assert_eq!((&line["moments"]["noise"], &line["ledger"]), (&Value::Null, &Value::Null));
    assert!(bench.fails(&RELEASE.replace("ledger.json", "none.json"), 2).contains("budget.none"));
}

#[test]
fn ledgers_are_exported_imported_relaxed_and_verified() {
    let bench = Bench::new();
    bench.ok("ledger new ledger.json --rho 0.05 --delta 1e-5 --adjacency replace-one");
    let mut plan = small_diabetes_plan(json!({"rho": 0.01, "delta": 1e-5}));
    plan["adjacency"] = json!("replace-one");
    plan["rows"] = json!(442);
    bench.plan(&plan);
    fs::copy(bench.path("ledger.json"), bench.path("old.json")).unwrap();
    let release: Release = serde_json::from_str(&bench.ok(CONFIRMED)).unwrap();
    assert!(release.privacy.epsilon.is_some() && release.privacy.rho.is_some_and(|rho| rho <= 0.01));
    // The older copy takes the newer one over, not the other way round.
    assert!(bench.fails("ledger import ledger.json old.json", 2).contains("older"));
    assert!(bench.ok("ledger import old.json ledger.json").contains('1'));
    assert_eq!(bench.read("old.json"), bench.read("ledger.json"));

    bench.ok("ledger relax ledger.json labels --confirm");
    assert!(bench.fails(CONFIRMED, 2).contains("protect"));
    assert!(bench.ok("ledger show ledger.json").contains("protects labels"));

    // What only the page writes down: another ledger is about different people.
    fs::copy(bench.path("ledger.json"), bench.path("old.json")).unwrap();
    let mut asserting = Ledger::parse(&bench.read("ledger.json")).unwrap();
    asserting.disjoint("00112233445566778899aabbccddeeff").unwrap();
    bench.write("ledger.json", asserting.to_json().unwrap());
    bench.ok("ledger verify ledger.json");
    bench.ok("ledger import old.json ledger.json");
    let shown = bench.ok("ledger show old.json");
    let line =
        "3  stated: ledger 00112233445566778899aabbccddeeff is about different people  released  0.00 %";
    assert!(shown.contains(line), "{shown}");

    let tampered = bench.read("ledger.json").replacen("\"released\"", "\"burned\"", 1);
    bench.write("ledger.json", tampered);
    let errors = bench.fails("ledger verify ledger.json", 2);
    assert!(errors.contains("entries[0]"), "{errors}");
}

/// A relaxed protection, and that the promise is for well-formed tables, stand on the release in words.
#[test]
fn a_release_says_in_words_what_it_does_not_protect() {
    let bench = Bench::new();
    bench.ok("ledger new ledger.json --epsilon 2 --delta 1e-5 --adjacency replace-one --protect labels");
    let mut plan = small_diabetes_plan(json!({"epsilon": 1, "delta": 1e-5}));
    plan["adjacency"] = json!("replace-one");
    plan["rows"] = json!(442);
    plan["protect"] = json!("labels");
    bench.plan(&plan);
    assert!(bench.fails(CONFIRMED, 2).contains("protect-labels"));
    plan["confirm"] = json!(["protect-labels"]);
    bench.plan(&plan);
    let release: Release = serde_json::from_str(&bench.ok(CONFIRMED)).unwrap();
    for words in ["The features are not protected", "well-formed tables"] {
        let said = release.diagnostics.notes.iter().filter(|note| note.contains(words)).count();
        assert_eq!(said, 1, "{words}: {:?}", release.diagnostics.notes);
    }
}

#[test]
fn releases_that_tell_persons_apart_in_different_ways_are_confirmed_and_named() {
    let bench = Bench::new();
    bench.open_ledger("2");
    let mut plan = small_diabetes_plan(json!({"epsilon": 0.5, "delta": 1e-6}));
    bench.plan(&plan);
    bench.ok(CONFIRMED);
    let different = "tell persons apart in different ways";
    assert!(!bench.ok("ledger show ledger.json").contains(different));
    plan["person"] = json!("s6");
    bench.plan(&plan);
    assert!(bench.fails(CONFIRMED, 2).contains("add \"other-persons\" to `confirm`"));
    plan["confirm"] = json!(["other-persons"]);
    bench.plan(&plan);
    bench.write("release.json", bench.ok(CONFIRMED));
    assert!(bench.ok("ledger show ledger.json").contains(different));
    assert!(bench.ok("report --release release.json").contains(different));
}

/// Two copies of a ledger pay for the same plan: two releases, two charges. Neither copy may take the other over.
#[test]
fn copies_that_paid_for_the_same_plan_are_a_fork() {
    let bench = Bench::new();
    bench.open_ledger("2");
    fs::copy(bench.path("ledger.json"), bench.path("copy.json")).unwrap();
    bench.ok(RELEASE);
    bench.ok(&RELEASE.replace("ledger.json", "copy.json"));
    let (ours, theirs) = (bench.ledger(), Ledger::parse(&bench.read("copy.json")).unwrap());
    assert_eq!(ours.entries()[0].charge, theirs.entries()[0].charge);
    assert_ne!(ours.entries()[0].hash, theirs.entries()[0].hash);
    for line in ["ledger import ledger.json copy.json", "ledger import copy.json ledger.json"] {
        bench.fails(line, 2);
    }
}

#[test]
fn a_ledger_that_no_plan_fits_is_not_opened() {
    let bench = Bench::new();
    for budget in ["--epsilon 0 --delta 1e-6", "--epsilon 1 --delta 1e-6 --max-rows-per-person 65537"] {
        bench.fails(&format!("ledger new ledger.json --adjacency add-remove {budget}"), 2);
        assert!(!bench.path("ledger.json").exists());
    }
}

/// Whoever reads a release, or refits from it, tells terms apart by their names.
#[test]
fn no_two_terms_have_one_name() {
    let bench = Bench::new();
    bench.write("table.csv", "s,s[B],(Intercept),y\nA,1,2,3\nB,2,3,5\n");
    let number = |name: &str, role: &str| json!({"name": name, "role": role, "type": "number", "lower": 0, "upper": 9});
    let levels = json!({"name": "s", "role": "feature", "type": "category", "levels": ["A", "B"]});
    let mut plan = small_diabetes_plan(json!({"epsilon": 1, "delta": 1e-5}));
    for (first, second) in [(levels, "s[B]"), (number("s[B]", "feature"), "(Intercept)")] {
        plan["columns"] = json!([first, number(second, "feature"), number("y", "outcome")]);
        bench.plan(&plan);
        let errors = bench.fails("simulate --plan plan.json table.csv", 2);
        assert!(errors.contains(&format!("`{second}`")), "{errors}");
    }
}

/// What overflows would do so after the charge.
#[test]
fn bounds_at_the_ends_of_doubles_are_refused_before_the_charge() {
    let bench = Bench::new();
    let mut plan = small_diabetes_plan(json!({"epsilon": 1, "delta": 1e-5}));
    for (lower, upper) in [(0.0, 5e-324), (-1e308, 1e307)] {
        plan["columns"][0]["lower"] = json!(lower);
        plan["columns"][0]["upper"] = json!(upper);
        bench.plan(&plan);
        let errors = bench.fails("simulate --plan plan.json table.csv", 2);
        assert!(errors.contains("columns[0]"), "{errors}");
    }
}

#[test]
fn a_flag_is_given_once() {
    let bench = Bench::new();
    let errors = bench.fails("simulate --plan plan.json --resample --resample table.csv", 2);
    assert!(errors.contains("twice"), "{errors}");
}

/// A filled plan runs unchanged, so what its own check would refuse is refused when the header decides, too.
#[test]
fn a_comma_that_the_header_chose_cannot_mark_fractions() {
    let bench = Bench::new();
    let mut plan = small_diabetes_plan(json!({"epsilon": 1, "delta": 1e-5}));
    plan["csv"] = json!({"decimal": ","});
    bench.plan(&plan);
    let errors = bench.fails("simulate --plan plan.json table.csv", 2);
    assert!(errors.contains("csv.decimal"), "{errors}");
}

/// The same numbers, as a spreadsheet in another country writes them, give the same release.
#[test]
fn separators_of_thousands_and_percent_signs_are_read_as_the_plan_says() {
    let bench = Bench::new();
    let bounds = [
        ("bmi", "feature", 18.0, 42.0),
        ("bp", "feature", 60.0, 140.0),
        ("target", "outcome", 0.0, 35_000.0),
    ];
    let mut stated = plan(
        &bounds.map(|(name, role, lower, upper)| column(name, role, lower, upper)),
        json!({"epsilon": 1, "delta": 1e-5}),
    );
    let (mut plain, mut messy) = ("bmi,bp,target\n".to_owned(), "bmi;bp;target\n".to_owned());
    for line in DIABETES.lines().skip(1) {
        let cells: Vec<f64> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
        let (bmi, bp, target) = (cells[2], cells[3], 100.0 * cells[10] + 0.5);
        writeln!(plain, "{bmi},{bp},{target}").unwrap();
        let comma = |number: f64| number.to_string().replace('.', ",");
        let (thousands, rest) = ((target / 1000.0).floor(), target % 1000.0);
        let grouped = format!("{thousands}\u{202f}{:0>5}", comma(rest));
        writeln!(
            messy,
            "{} %;{}%;{}",
            comma(bmi),
            comma(bp),
            if thousands > 0.0 { grouped } else { comma(target) }
        )
        .unwrap();
    }
    let mut coefficients = |csv: Value, table: &str| {
        stated["csv"] = csv;
        bench.plan(&stated);
        bench.write("table.csv", table);
        let output = bench.run("simulate --plan plan.json table.csv");
        let read: Value = serde_json::from_slice(&output.stdout).unwrap();
        read["coefficients"].clone()
    };
    let expected = coefficients(json!({}), &plain);
    let found = coefficients(json!({"decimal": ",", "thousands": " ", "percent": true}), &messy);
    assert_eq!(found, expected);
    let found = coefficients(json!({"decimal": ","}), &messy);
    assert_ne!(found, expected, "such cells are missing");
    bench.open_ledger("1");
    let warned = text(&bench.run("release --plan plan.json --ledger ledger.json table.csv").stderr);
    assert!(warned.contains("`bmi`: the first rows have numbers in another format"), "{warned}");
}

#[test]
fn two_releases_are_compared_term_by_term() {
    let bench = Bench::new();
    bench.open_ledger("3");
    for name in ["one.json", "two.json"] {
        bench.write(name, bench.ok("release --plan plan.json --ledger ledger.json table.csv"));
    }
    let mut fewer = small_diabetes_plan(json!({"epsilon": 0.5, "delta": 1e-5}));
    fewer["columns"][0]["role"] = json!("ignored");
    bench.plan(&fewer);
    bench.write("three.json", bench.ok("release --plan plan.json --ledger ledger.json table.csv"));
    let compare = |other: &str, format: &str| {
        bench.ok(&format!("report --release one.json --compare {other} --format {format}"))
    };
    let same = compare("two.json", "csv");
    let rows: Vec<Vec<&str>> = same.lines().map(|line| line.split(',').collect()).collect();
    let names: Vec<&str> = rows.iter().map(|row| row[0]).collect();
    assert_eq!(names, ["\u{feff}term", "(Intercept)", "bmi", "bp"]);
    let number = |row: usize, column: usize| rows[row][column].parse::<f64>().unwrap();
    assert!((number(2, 9) - (number(2, 5) - number(2, 1))).abs() < 1e-9, "{same}");
    assert!(compare("two.json", "markdown").contains("with independent noise. Behind ±"));
    assert_eq!(
        compare("two.json", "svg").matches("width=\"7\" height=\"7\"").count(),
        2,
        "a square for each slope"
    );
    let other = compare("three.json", "markdown");
    assert!(other.contains("not in it") && other.contains("something else beside other terms"), "{other}");
    assert!(compare("one.json", "word").contains("They share noise and sampling error"));
    bench.write("refit.json", json!({"schema": "discreet.refit/1"}).to_string());
    let refused = bench.fails("report --release refit.json", 2);
    assert!(refused.contains("this is a discreet.refit/1, and not a discreet.release/1"), "{refused}");
    for option in ["--per 10", "--title T", "--date D"] {
        let refused = bench.fails(&format!("report --release one.json --compare two.json {option}"), 2);
        assert!(refused.contains("does not go with --compare"), "{refused}");
    }
    let drawn = bench.ok("report --release one.json --format svg");
    // The words of an axis may stand in two lines.
    let words = drawn.split('<').filter_map(|part| Some(part.split_once('>')?.1.trim()));
    let words: Vec<&str> = words.filter(|words| !words.is_empty()).collect();
    assert!(words.join(" ").contains("lines are 95 % intervals"), "{drawn}");
    let path = bench.ok("refit --release one.json --outcome target --features bmi,bp --path svg");
    assert!(path.contains("bmi over its stated range") && !path.contains("bmi per"), "{path}");
    let set = bench.ok("report --release one.json --format latex");
    assert_eq!(
        set.matches("\\begin{adjustbox}{max width=\\textwidth}").count(),
        set.matches("\\begin{tabular}").count()
    );
    assert!(!set.contains("\\\\\\%"), "a percent sign stands beside its number: {set}");
    let refused = bench.fails("report --release one.json --compare two.json --format r", 2);
    assert!(refused.contains("choose another --format"), "{refused}");
}

#[test]
fn conversions_round_to_the_safe_side() {
    let bench = Bench::new();
    let number = |line: &str| bench.ok(line).trim().parse::<f64>().unwrap();
    assert!((number("account sigma --epsilon 1 --delta 1e-6") - 4.224_679).abs() < 1e-5);
    let mu = number("account mu --epsilon 1 --delta 1e-6");
    assert!(number(&format!("account epsilon --mu {mu} --delta 1e-6")) >= 1.0 - 1e-6);
    assert!((number("account epsilon --sigma 2 --sensitivity 2 --delta 1e-6") - 4.886_554).abs() < 1e-5);
    assert!((number("account rho --epsilon 2") - 1.523_188).abs() < 1e-5);
    assert!((number("account pld_delta --mechs gauss:2:1 --epsilon 1") - 0.006_829_595).abs() < 1e-8);
    let mu = number("account mu --rho 0.5");
    assert!((1.0 - 1e-6..=1.0).contains(&mu), "what a budget allows is rounded down: {mu}");
    assert!(number("account mu --rho 0") < 1e-300);
    for line in [
        "account delta --epsilon 1 --rho 0.1",
        "account gdp_eps --mu 1 --delta 1e-6",
        "account gdp_ln_delta --epsilon 1 --mu 1",
        "account gdp_compose --mus 0.2|0.3 --delta 1e-6",
        "account mu_B --epsilon 1 --delta 1e-6 --other-epsilon 0.25",
        "account delta_total --epsilon 1 --mu 0.2",
        "account tv_bound --variance 2",
        "account classical_gaussian_true_delta --epsilon 10 --delta 1e-6",
        "account pld_eps --mechs gauss:2:10+psg:1:0.01:100 --delta 1e-6",
    ] {
        assert!(number(line).is_finite());
    }
}

#[test]
fn help_and_version() {
    let bench = Bench::new();
    for line in
        ["--help", "release --help", "simulate --help", "refit --help", "ledger --help", "account --help"]
    {
        assert!(bench.ok(line).contains("discreet"), "{line}");
    }
    assert_eq!(bench.ok("--version"), format!("discreet {}\n", env!("CARGO_PKG_VERSION")));
    assert!(Path::new(env!("CARGO_BIN_EXE_discreet")).exists());
}

#[test]
fn a_quoted_number_and_a_misspelt_method_are_told() {
    let bench = Bench::new();
    let mut plan = small_diabetes_plan(json!({"epsilon": 1, "delta": 1e-5}));
    plan["columns"][0]["lower"] = json!("18");
    bench.plan(&plan);
    let errors = bench.fails("check --plan plan.json table.csv", 2);
    assert!(errors.contains("`18`; remove the quotes"), "{errors}");
    plan["columns"][0]["lower"] = json!(18);
    plan["mechanism"]["name"] = json!("adaptive-gaus");
    bench.plan(&plan);
    let errors = bench.fails("check --plan plan.json table.csv", 2);
    assert!(errors.contains("did you mean `adaptive-gauss`?"), "{errors}");
    plan["mechanism"] = json!({"name": "analyze-gauss", "params": {"radios": 1024}});
    bench.plan(&plan);
    let errors = bench.fails("check --plan plan.json table.csv", 2);
    assert!(errors.contains("did you mean `radius`?"), "{errors}");
}

#[test]
fn a_ledger_shows_what_each_entry_took_of_the_budget_it_was_charged_to() {
    let bench = Bench::new();
    let mut plan = small_diabetes_plan(json!({"epsilon": 1, "delta": 1e-6}));
    plan["mechanism"] = json!({"name": "inverse-wishart"});
    plan["confirm"] = json!(["idealised"]);
    plan["adjacency"] = json!("replace-one");
    plan["rows"] = json!(442);
    bench.plan(&plan);
    bench.ok("ledger new ledger.json --epsilon 4 --delta 1e-5 --adjacency replace-one --split other");
    bench.ok(CONFIRMED);
    let shown = bench.ok("ledger show ledger.json");
    assert!(shown.contains("25.00 % of the (epsilon, delta) budget"), "{shown}");
    assert!(!shown.contains(" 0.00 %"), "{shown}");
}

#[test]
fn the_assumed_spreads_are_named() {
    let bench = Bench::new();
    let mut plan = small_diabetes_plan(json!({"epsilon": 1, "delta": 1e-5}));
    plan["stated_rows"] = json!(442);
    bench.plan(&plan);
    assert!(
        bench.ok("check --plan plan.json table.csv").contains("values have a standard deviation of a sixth")
    );
    for (place, sd) in [(0, 5.0), (1, 13.0), (2, 75.0)] {
        plan["columns"][place]["typical"] = json!({"sd": sd});
        bench.plan(&plan);
        let said = bench.ok("check --plan plan.json table.csv");
        assert!(said.contains("states as `typical`"), "{said}");
        assert_eq!(said.contains("or else a sixth"), place < 2, "{said}");
    }
}

/// Runs a release on a terminal that `script` opens, and types an answer. Nothing where there is no such program.
#[cfg(target_os = "linux")]
fn on_a_terminal(bench: &Bench, line: &str, answer: &str) -> Option<(Option<i32>, String)> {
    use std::io::Write as _;
    let command = format!("{} {line}", env!("CARGO_BIN_EXE_discreet"));
    let mut script = Command::new("script");
    script.args(["-qec", &command, "/dev/null"]).current_dir(bench.path(""));
    script.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = script.spawn().ok()?;
    child.stdin.take().unwrap().write_all(answer.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    Some((output.status.code(), text(&output.stdout)))
}

#[cfg(target_os = "linux")]
#[test]
fn a_table_that_contradicts_the_plan_is_asked_about_on_a_terminal() {
    let bench = Bench::new();
    let rows: String =
        (0..400).map(|row| format!("{},5;{};{}\n", 20 + row % 20, 80 + row % 40, 100 + row % 90)).collect();
    bench.write("table.csv", format!("bmi;bp;target\n{rows}"));
    bench.plan(&small_diabetes_plan(json!({"epsilon": 1, "delta": 1e-5})));
    bench.open_ledger("2");
    let Some((code, said)) = on_a_terminal(&bench, RELEASE, "no\n") else { return };
    assert!(said.contains("numbers in another format") && said.contains("Type yes:"), "{said}");
    assert!(said.contains("nothing was charged") && code == Some(2), "{code:?} {said}");
    assert_eq!(bench.ledger().entries().len(), 0);
    // A question names the risk for the intervals.
    let mut at_risk = small_diabetes_plan(json!({"epsilon": 1, "delta": 1e-5}));
    (at_risk["mechanism"], at_risk["stated_rows"]) = (json!({"name": "adaptive-gauss"}), json!(1_500));
    bench.plan(&at_risk);
    let (_, said) = on_a_terminal(&bench, RELEASE, "no\n").unwrap();
    assert!(said.contains("discreet: Intervals") && said.contains("Type yes:"), "{said}");
    bench.plan(&small_diabetes_plan(json!({"epsilon": 1, "delta": 1e-5})));
    // Nor does what the later rows alone contradict go unasked.
    let table = bench.read("table.csv");
    let good = "20,80,100\n".repeat(100);
    bench.write("table.csv", format!("bmi,bp,target\n{good}{}", "20,n.d.,100\n".repeat(50)));
    let (code, said) = on_a_terminal(&bench, RELEASE, "no\n").unwrap();
    assert!(said.contains("later rows have words in place of numbers"), "{said}");
    assert!(said.contains("Type yes:") && code == Some(2), "{code:?} {said}");
    assert_eq!(bench.ledger().entries().len(), 0);
    bench.write("table.csv", table);
    let (_, said) = on_a_terminal(&bench, CONFIRMED, "").unwrap();
    assert!(!said.contains("Type yes"), "{said}");
    assert_eq!(bench.ledger().entries().len(), 1);
}

#[test]
fn releases_of_two_ledgers_are_told_apart() {
    let bench = Bench::new();
    let mut names = Vec::new();
    for name in ["one", "two"] {
        bench.ok(&format!("ledger new {name}.ledger.json --epsilon 2 --delta 1e-5 --adjacency add-remove"));
        let line = format!("release --plan plan.json --ledger {name}.ledger.json table.csv");
        let release = bench.ok(&line);
        let read: Release = serde_json::from_str(&release).unwrap();
        names.push(read.ledger.unwrap().id[..8].to_owned());
        bench.write(&format!("{name}.json"), release);
    }
    let compared = bench.ok("report --release one.json --compare two.json --format markdown");
    assert_ne!(names[0], names[1]);
    assert!(names.iter().all(|name| compared.contains(&format!("ledger {name}"))), "{compared}");
    let same = bench.ok("report --release one.json --compare one.json --format markdown");
    assert!(!same.contains(&format!("ledger {}", names[0])), "{same}");
}

#[test]
fn what_the_noise_hides_is_in_no_sentence() {
    let bench = Bench::new();
    let mut plan = small_diabetes_plan(json!({"epsilon": 0.02, "delta": 1e-6}));
    plan["mechanism"] = json!({"name": "adaptive-gauss"});
    bench.plan(&plan);
    bench.write("table.csv", DIABETES.lines().take(12).collect::<Vec<_>>().join("\n"));
    let runs = bench.ok("simulate --plan plan.json --runs 20 --seed 3 table.csv");
    let mut hidden = 0;
    for line in runs.lines() {
        let release: Value = serde_json::from_str(line).unwrap();
        let (rows, error) = (&release["diagnostics"]["rows"], &release["diagnostics"]["rows_std_error"]);
        let notes = release["diagnostics"]["notes"].to_string();
        if rows.as_f64().unwrap() <= 2.0 * error.as_f64().unwrap() {
            hidden += 1;
            assert!(
                !notes.contains("rows have less weight") && !notes.contains("would give full intervals"),
                "{notes}"
            );
            assert!(notes.contains("as the number of rows"), "{notes}");
        }
    }
    assert!(hidden > 10, "{hidden}");
}
