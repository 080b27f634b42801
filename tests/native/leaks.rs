//! Nothing of the table reaches an export or a message, except through the mechanism.
//!
//! The noise is chosen so that two tables have the same noisy integers, and then everything that leaves must be the same
//! bytes: a difference could only have come from the table itself.

use std::collections::BTreeSet;

use discreet::cli::CliError;
use discreet::data::{EncodedRows, Moments};
use discreet::engine::{
    Demonstration, EngineError, Prepared, check_table, demonstrate_rounds_with, demonstrate_with, refit,
    supplement,
};
use discreet::inference::options::{Repair, Ridge};
use discreet::inference::refit::Request;
use discreet::mechanisms::info::are_log_odds;
use discreet::model::{Assurance, Interval};
use discreet::noise::entropy::DemoRng;
use discreet::privacy::calibrate::{Budget, Split};
use discreet::privacy::ledger::{Ledger, Opening};
use discreet::privacy::measure::{Delta, Epsilon};
use discreet::release::document::Release;
use discreet::release::publication::{Format, Labels};
use discreet::release::table::{self, Meaning};
use discreet::words::note;
use discreet::worker::protocol::{Failure, Reason, Response};
use serde_json::{Value, json};

use crate::cli::Bench;
use crate::support::{DIABETES, list, prepared, scan, small_diabetes_plan, software};

type Made = Result<Demonstration, EngineError>;

/// A table as the engine has it.
struct Side {
    prepared: Prepared,
    moments: Moments,
}

impl Side {
    fn new(plan: &Value, table: &str) -> Self {
        let prepared = prepared(plan, table).unwrap();
        let scan = scan(&prepared, table, Moments::new);
        check_table(&prepared, scan.records, scan.persons).unwrap();
        Self { prepared, moments: scan.sink }
    }

    /// The exact sums, as the noise is laid out.
    fn upper(&self) -> Vec<i128> {
        let terms = self.moments.terms();
        let cells = (0..terms).flat_map(|row| (row..terms).map(move |column| (row, column)));
        cells.map(|(row, column)| self.moments.get(row, column)).collect()
    }

    /// What is made of the table when its noisy integers are `target`.
    fn forced(&self, target: &[i128]) -> Result<Release, EngineError> {
        let noise = target.iter().zip(self.upper()).map(|(target, exact)| target.saturating_sub(exact));
        let made = demonstrate_with(&self.prepared, &self.moments, noise.collect(), software());
        made.map(|made| made.document().clone())
    }

    /// A ledger that paid for it. The entry's nonce is random, and its only part that is.
    fn ledger(&self) -> Ledger {
        let mut ledger = Ledger::open(&Opening {
            id: [7; 16],
            created: "2026-11-20",
            terms: self.prepared.terms(),
            budget: Budget::EpsilonDelta {
                epsilon: Epsilon::try_new(16.0).unwrap(),
                delta: Delta::try_new(1e-5).unwrap(),
            },
            split: Split::Gaussian,
        })
        .unwrap();
        let mut request = self.prepared.request();
        assert!(request.parameters.insert("nonce".to_owned(), json!("0")).is_some());
        let entry = ledger.reserve(&request).unwrap();
        ledger.release(entry).unwrap();
        ledger
    }

    /// Everything that leaves once a release is made: files, and the worker's last message to the page.
    fn exports(&self, release: &Release) -> Vec<(&'static str, String)> {
        let log_odds = are_log_odds(&release.plan);
        let mut exports = vec![
            ("release", document(release)),
            ("line", serde_json::to_string(release).unwrap()),
            ("coefficients", table::csv(&release.coefficients, Meaning::of(release, log_odds, 1.0))),
            ("plan", pretty(&release.plan)),
            ("ledger", self.ledger().to_json().unwrap()),
        ];
        let supplement = supplement(release);
        exports.extend(Format::ALL.into_iter().filter_map(|(name, format)| {
            Some((name, format.write(release, &supplement, &Labels::default(), None)?))
        }));
        for (outcome, features) in [("bmi", "bp,target"), ("target", "bp"), ("bp", "nobody"), ("bp", "bp")] {
            let features: Vec<String> = features.split(',').map(str::to_owned).collect();
            for (ridge, repair) in [(Ridge::None, Repair::None), (Ridge::Auto, Repair::Floor)] {
                let request = Request { outcome, features: &features, ridge, repair, confidence: 0.9 };
                let text = match refit(release, &request) {
                    Ok(refit) => pretty(&refit),
                    Err(error) => error.to_string(),
                };
                exports.push(("refit", text));
            }
        }
        // The release's document rides beside this message.
        let message = Response::Released { ledger: Box::new(self.ledger()), kept: true };
        let message = serde_json::to_string(&message).unwrap() + &document(release);
        exports.push(("message", message));
        exports
    }
}

/// The release's document, as it is downloaded.
fn document(release: &Release) -> String {
    let mut text = Vec::new();
    release.write(&mut text).unwrap();
    String::from_utf8(text).unwrap()
}

/// A document of ours, as it is downloaded.
fn pretty<T: serde::Serialize>(document: &T) -> String {
    serde_json::to_string_pretty(document).unwrap()
}

/// The names of the exports that differ.
fn differences(
    first: &[(&'static str, String)],
    second: &[(&'static str, String)],
) -> BTreeSet<&'static str> {
    assert_eq!(first.len(), second.len());
    let pairs = first.iter().zip(second);
    pairs.filter(|(first, second)| first != second).map(|(first, _)| first.0).collect()
}

/// The noisy integers of a table of the plan whose regressions come out well.
fn noisy(plan: &Value) -> Vec<i128> {
    let side = Side::new(plan, DIABETES);
    let noise = side.prepared.gaussian().unwrap().draw(&mut DemoRng::new(3, 1));
    noise.iter().zip(side.upper()).map(|(noise, exact)| noise + exact).collect()
}

/// Tables of one header: a handful of rows, its neighbours, and tables that have nothing in common with it.
fn tables() -> Vec<String> {
    let header = "bmi,bp,target";
    let rows = ["25,80,100", "42,140,350", "30,90,200"];
    let mut tables: Vec<String> = vec![
        format!("{header}\n"),
        format!("{header}\n{}\n", rows.join("\n")),
        // Without one person, with one person more, with other data of one person.
        format!("{header}\n{}\n", rows[..2].join("\n")),
        format!("{header}\n{}\n18,60,0\n", rows.join("\n")),
        format!("{header}\n{}\n42,60,350\n", rows[..2].join("\n")),
        // Nothing but missing cells and nonsense.
        format!("{header}\n,,\nNA,NA,NA\nx,y,z\n1e999,-1e999,nan\n"),
        // Quotes, other line ends, a mark in front, a last line without an end.
        format!("\u{feff}{header}\r\n\"25\",80,100\r\n\r\n42,\"140\",350"),
    ];
    // All in a corner of the bounds.
    tables.push(format!("{header}\n{}", "42,140,350\n".repeat(997)));
    tables
}

#[test]
fn equal_noisy_integers_give_equal_bytes() {
    let mut withheld = BTreeSet::new();
    for (adjacency, epsilon) in [("add-remove", 0.3), ("add-remove", 15.0), ("replace-one", 15.0)] {
        for params in [json!({}), json!({"shape": "iid", "ridge": "auto", "repair": "floor"})] {
            let mut plan = small_diabetes_plan(json!({"epsilon": epsilon, "delta": 1e-5}));
            plan["adjacency"] = json!(adjacency);
            plan["mechanism"]["params"] = params;
            if adjacency == "replace-one" {
                plan["rows"] = json!(442);
            }
            let target = noisy(&plan);
            // Under replace-one neighbours have as many rows, which are public.
            let tables = if adjacency == "add-remove" {
                tables()
            } else {
                vec![
                    format!("bmi,bp,target\n{}", "42,140,350\n".repeat(442)),
                    format!("bmi,bp,target\n{}18,60,0\n", "42,140,350\n".repeat(441)),
                    format!("bmi,bp,target\n{}", "x,,\n".repeat(442)),
                ]
            };
            let honest = Side::new(&plan, DIABETES);
            let release = honest.forced(&target).unwrap();
            withheld.insert(list(&release)[0].interval == Interval::Withheld);
            let expected = honest.exports(&release);
            for table in &tables {
                let side = Side::new(&plan, table);
                let found = side.exports(&side.forced(&target).unwrap());
                assert_eq!(
                    differences(&expected, &found),
                    BTreeSet::new(),
                    "{adjacency} {epsilon}: {table:.60}"
                );
            }
        }
    }
    assert_eq!(withheld.len(), 2, "both kinds of release are among them");
}

/// What is made of a table by several rounds with noise of this seed, or with noise that makes these integers of their sums; and the integers.
fn of_rounds(side: &Side, table: &str, seed: u64, target: Option<&[Vec<i128>]>) -> (Release, Vec<Vec<i128>>) {
    let rows = scan(&side.prepared, table, EncodedRows::new).sink;
    let (mut rng, mut answers) = (DemoRng::new(5, seed), Vec::new());
    let made = demonstrate_rounds_with(
        &side.prepared,
        &rows,
        |noise, exact| {
            let answer: Vec<i128> = match target {
                Some(target) => target[answers.len()].clone(),
                None => noise.draw(&mut rng).iter().zip(exact).map(|(noise, exact)| noise + exact).collect(),
            };
            let noise = answer.iter().zip(exact).map(|(answer, exact)| answer - exact).collect();
            answers.push(answer);
            noise
        },
        software(),
    );
    (made.unwrap().document().clone(), answers)
}

/// The same where a release has several rounds: of tables as far apart as can be, with the same integers in every round.
#[test]
fn equal_noisy_integers_of_every_round_give_equal_bytes() {
    let labelled = |table: &str| {
        let (header, rows) = table.split_once('\n').unwrap();
        let label = |row: &str| {
            let (others, target) = row.rsplit_once(',').unwrap();
            let label = target.trim().parse::<f64>().map_or("", |y| if y > 140.0 { "1" } else { "0" });
            format!("{others},{label}\n")
        };
        let rows = rows.lines().filter(|row| row.contains(',')).map(label);
        format!("{header}\n{}", rows.collect::<String>())
    };
    for mechanism in ["adaptive-gauss", "adaptive-logistic"] {
        let mut withheld = BTreeSet::new();
        for epsilon in [0.3, 15.0] {
            let mut plan = small_diabetes_plan(json!({"epsilon": epsilon, "delta": 1e-5}));
            plan["mechanism"] = json!({"name": mechanism});
            let (mut honest, mut others) = (DIABETES.to_owned(), tables());
            if mechanism == "adaptive-logistic" {
                plan["columns"][2]["upper"] = json!(1);
                honest = labelled(&honest);
                others.iter_mut().for_each(|table| *table = labelled(table));
            }
            let side = Side::new(&plan, &honest);
            let (release, integers) = of_rounds(&side, &honest, 1, None);
            withheld.insert(list(&release)[1].interval == Interval::Withheld);
            let expected = side.exports(&release);
            for table in &others {
                let other = Side::new(&plan, table);
                let (found, _) = of_rounds(&other, table, 1, Some(&integers));
                let found = differences(&expected, &other.exports(&found));
                assert_eq!(found, BTreeSet::new(), "{mechanism} {epsilon}: {table:.60}");
            }
            // The test can fail: other noise shows.
            let (found, _) = of_rounds(&side, &honest, 2, None);
            assert!(differences(&expected, &side.exports(&found)).contains("release"), "{mechanism}");
        }
        assert_eq!(withheld.len(), 2, "{mechanism}: both kinds of release are among them");
    }
}

/// The comparison sees what it has to see: a count, a mean and an exact sum, each put where a bug could put it.
#[test]
fn a_planted_leak_is_seen() {
    type Plant = fn(&mut Release, &Side);
    let plan = small_diabetes_plan(json!({"epsilon": 15, "delta": 1e-5}));
    let target = noisy(&plan);
    let tables = tables();
    let planted: [(Plant, &str); 5] = [
        (|release, side| release.diagnostics.rows = Some(side.moments.rows() as f64), "release"),
        (|release, side| release.diagnostics.notes.push(format!("{} rows", side.moments.rows())), "html"),
        (|release, side| release.plan.stated_rows = Some(side.moments.rows()), "plan"),
        (|release, side| release.software.build = side.moments.get(0, 0).to_string(), "html"),
        (
            |release, side| {
                release.moments.as_mut().unwrap().matrix.as_mut().unwrap()[2][2] =
                    side.moments.get(2, 2).to_string();
            },
            "refit",
        ),
    ];
    for (number, (plant, seen)) in planted.into_iter().enumerate() {
        let exports = [&tables[1], &tables[2]].map(|table| {
            let side = Side::new(&plan, table);
            let mut release = side.forced(&target).unwrap();
            plant(&mut release, &side);
            side.exports(&release)
        });
        let found = differences(&exports[0], &exports[1]);
        assert!(found.contains(seen) && found.contains("message"), "leak {number}: seen in {found:?}");
    }
}

/// After the charge there is a document whatever the noisy integers are, or a failure that says the same whatever the
/// table: integers that have no regression, that are far beyond any table's, or that belong to another plan.
#[test]
fn what_follows_the_charge_says_nothing_of_the_table() {
    let told = |side: &Side, made: Result<Release, EngineError>| match made {
        Ok(release) => format!("{:?}", side.exports(&release)),
        Err(error) => CliError::Charged { what: error.to_string(), entry: 1 }.to_string(),
    };
    for repair in ["none", "shift", "floor"] {
        for ridge in [json!("none"), json!("auto"), json!(0.5)] {
            let mut plan = small_diabetes_plan(json!({"epsilon": 1, "delta": 1e-5}));
            plan["mechanism"]["params"] = json!({"repair": repair, "ridge": ridge});
            let sides: Vec<Side> = tables().iter().map(|table| Side::new(&plan, table)).collect();
            // Terms: constant, bmi, bp, target. Nothing at all; too much of everything; a negative square; no rank.
            let targets = [
                [0; 10],
                [i128::MAX / 2; 10],
                [i128::MIN / 2; 10],
                [9, 1, 1, 1, -9, 1, 1, 9, 1, 9].map(|cell: i128| cell << 60),
                [9, 9, 9, 9, 9, 9, 9, 9, 9, 9].map(|cell: i128| cell << 60),
                [1, 9, 9, 9, 1, 9, 9, 1, 9, 1].map(|cell: i128| cell << 60),
            ];
            for target in targets {
                let all: BTreeSet<String> =
                    sides.iter().map(|side| told(side, side.forced(&target))).collect();
                assert_eq!(all.len(), 1, "{repair} {ridge} {target:?}");
            }
            let failing: [fn(&Side) -> Made; 2] = [
                |side| demonstrate_with(&side.prepared, &Moments::new(9), vec![0; 10], software()),
                |side| demonstrate_with(&side.prepared, &side.moments, vec![0; 9], software()),
            ];
            for fails in failing {
                let all: BTreeSet<String> =
                    sides.iter().map(|side| fails(side).unwrap_err().to_string()).collect();
                assert_eq!(all.len(), 1, "{all:?}");
            }
        }
    }
    let reasons = [Reason::Internal, Reason::Storage, Reason::Cancelled, Reason::Table];
    let messages: BTreeSet<String> =
        reasons.map(|reason| Failure::after_charge(reason).message).into_iter().collect();
    assert_eq!(messages.len(), 1, "{messages:?}");
}

/// The same by the built program: tables of equal sums and different everything else.
#[test]
fn the_command_line_prints_nothing_but_the_release() {
    let plain = "bmi,bp,target\n25,80,100\n42,140,350\n30,90,200\n";
    let bench = Bench::new();
    bench.write("table.csv", plain);
    let expected = bench.ok("simulate --plan plan.json --runs 3 --seed 5 table.csv");
    for (name, other) in [
        // Another order of rows, another spelling of numbers.
        ("other.csv", "bmi,bp,target\n30.0,9e1,200\n25,80,100\n42,140,350\n"),
        // Values outside their bounds, which clip to the same.
        ("clipped.csv", "bmi,bp,target\n25,80,100\n999,1e300,1e9\n30,90,200\n"),
        // Rows that are skipped: under add-remove the number of rows is private.
        ("skipped.csv", "bmi,bp,target\n25,80,100\n,,\nNA,80,1\nx,1,1\n42,140,350\n30,90,200\n?,?,?\n"),
        // Quotes, line ends, blank lines.
        ("windows.csv", "\u{feff}bmi,bp,target\r\n\"25\",80,100\r\n\r\n42,\"140\",350\r\n30,90,200"),
        // Columns that the plan does not name, elsewhere in the line.
        ("wide.csv", "target,name,bmi,bp\n100,alpha,25,80\n350,beta,42,140\n200,gamma,30,90\n"),
    ] {
        bench.write(name, other);
        let found = bench.ok(&format!("simulate --plan plan.json --runs 3 --seed 5 {name} --workers 2"));
        assert_eq!(found, expected, "{name}");
    }
    // The test can fail: another row shows.
    bench.write("table.csv", plain.replace("200", "201"));
    assert_ne!(bench.ok("simulate --plan plan.json --runs 3 --seed 5 table.csv"), expected);
}

/// A charged release has noise of its own. But for its marks it is what any other table gives with the same integers.
#[test]
fn a_charged_release_is_a_function_of_its_integers() {
    for epsilon in [0.03, 8.0] {
        let plan = small_diabetes_plan(json!({"epsilon": epsilon, "delta": 1e-5}));
        let bench = Bench::new();
        bench.plan(&plan);
        bench.open_ledger("8");
        let printed = bench.ok("release --plan plan.json --ledger ledger.json table.csv");
        let release: Release = serde_json::from_str(&printed).unwrap();
        let matrix = release.moments.as_ref().unwrap().matrix.clone().unwrap();
        let target: Vec<i128> = (0..matrix.len())
            .flat_map(|row| matrix[row][row..].iter().map(|cell| cell.parse().unwrap()).collect::<Vec<_>>())
            .collect();
        for table in tables() {
            let mut other = Side::new(&plan, &table).forced(&target).unwrap();
            other.ledger.clone_from(&release.ledger);
            other.demo = None;
            other.privacy.assurance = Assurance::Exact;
            other.diagnostics.notes.push(note::well_formed().to_owned());
            other.software = release.software.clone();
            assert_eq!(pretty(&other) + "\n", printed, "{epsilon}: {table:.60}");
        }
    }
}

#[test]
fn ignored_columns_and_their_cells_do_not_show() {
    let plan = small_diabetes_plan(json!({"epsilon": 1, "delta": 1e-5}));
    let tables = ["note,bmi,bp,target\nalpha,25,80,100\n", "note,bmi,bp,target\nbeta,25,80,100\n"];
    let [first, second] = tables.map(|table| {
        let side = Side::new(&plan, table);
        side.exports(&side.forced(&noisy(&plan)).unwrap())
    });
    assert_eq!(differences(&first, &second), BTreeSet::new());
    assert!(first.iter().all(|(_, text)| !text.contains("alpha") && !text.contains("note\"")));
}

#[test]
fn the_number_of_rows_is_compared_only_where_it_is_public() {
    let mut plan = small_diabetes_plan(json!({"epsilon": 1, "delta": 1e-5}));
    let table = "id,bmi,bp,target\n1,25,80,100\n1,26,80,100\n2,27,80,100\n,28,80,100\n";
    let counted = |plan: &serde_json::Value| {
        let prepared = prepared(plan, table).unwrap();
        let scan = scan(&prepared, table, EncodedRows::new);
        check_table(&prepared, scan.records, scan.persons).map_err(|error| error.to_string())
    };
    assert_eq!(counted(&plan), Ok(()));
    plan["stated_rows"] = json!(100);
    assert_eq!(counted(&plan), Ok(()), "a guess is never compared");

    plan.as_object_mut().unwrap().remove("stated_rows");
    plan["adjacency"] = json!("replace-one");
    plan["rows"] = json!(4);
    assert_eq!(counted(&plan), Ok(()));
    plan["rows"] = json!(5);
    assert!(counted(&plan).unwrap_err().contains("4 rows and the plan states 5"));
    plan["person"] = json!("id");
    plan["rows"] = json!(2);
    assert_eq!(counted(&plan), Ok(()), "persons are distinct ids that are not empty");
    plan["rows"] = json!(3);
    assert!(counted(&plan).unwrap_err().contains("2 persons and the plan states 3"));
}

/// What no export may hold: the clock, a duration, the private counts, the file's name or its place.
fn faults_of(text: &str, forbidden: &[String]) -> Vec<String> {
    const UNITS: [&str; 11] =
        ["ms", "s", "sec", "secs", "second", "seconds", "min", "minute", "minutes", "hour", "hours"];
    let chars: Vec<char> = text.chars().collect();
    let at = |index: usize| chars.get(index).copied().unwrap_or('\n');
    let mut faults = Vec::new();
    for end in (1..chars.len()).filter(|&end| at(end - 1).is_ascii_digit() && !at(end).is_ascii_digit()) {
        // 12:34, as in every way of writing a time of day.
        if at(end) == ':' && at(end + 1).is_ascii_digit() {
            faults.push(format!(
                "time: {}",
                chars[end.saturating_sub(20)..(end + 5).min(chars.len())].iter().collect::<String>()
            ));
        }
        let start = if at(end) == ' ' { end + 1 } else { end };
        let unit: String = chars[start..].iter().take_while(|c| c.is_ascii_alphabetic()).collect();
        if UNITS.contains(&unit.as_str()) {
            faults.push(format!(
                "duration: {}",
                chars[end.saturating_sub(20)..start + unit.len()].iter().collect::<String>()
            ));
        }
    }
    for word in forbidden {
        let number = word.chars().all(|c| c.is_ascii_digit());
        let alone = |from: usize| {
            let edge = |c: Option<char>| !c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '.');
            let after = &text[from + word.len()..];
            let after = after.strip_prefix(".0").unwrap_or(after);
            edge(text[..from].chars().next_back()) && edge(after.chars().next())
        };
        if text.match_indices(word.as_str()).any(|(from, _)| !number || alone(from)) {
            faults.push(format!("`{word}`"));
        }
    }
    faults
}

/// Keys that would say when, how long, how many or where from.
fn key_faults(value: &Value, path: &str, faults: &mut Vec<String>) {
    const WORDS: [&str; 26] = [
        "at", "clock", "count", "date", "duration", "elapsed", "file", "finished", "folder", "host",
        "iterations", "millis", "ms", "n", "path", "persons", "records", "seconds", "size", "skipped",
        "started", "time", "timestamp", "user", "when", "workers",
    ];
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                let lower = key.to_lowercase();
                if lower.split(|c: char| !c.is_alphanumeric()).any(|word| WORDS.contains(&word)) {
                    faults.push(format!("{path}.{key}"));
                }
                key_faults(value, &format!("{path}.{key}"), faults);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| key_faults(item, path, faults)),
        _ => {}
    }
}

#[test]
fn no_export_has_a_clock_a_duration_a_private_count_or_a_path() {
    // 7,919 rows, of which 7,001 can be read, of 4,999 persons; add-remove, so all of these are private.
    let mut text = "id,bmi,bp,target\n".to_owned();
    for row in 0..7_919_u32 {
        let cell = if row < 7_001 { (row % 80 + 60).to_string() } else { "NA".to_owned() };
        text.push_str(&format!("p{},{},{cell},{}\n", row % 4_999, row % 24 + 18, row * 7 % 350));
    }
    let mut plan = small_diabetes_plan(json!({"epsilon": 1, "delta": 1e-5}));
    plan["person"] = json!("id");
    plan["max_rows_per_person"] = json!(2);
    let bench = Bench::new();
    bench.plan(&plan);
    bench.write("Clinic-Mueller.csv", &text);
    bench
        .ok("ledger new ledger.json --epsilon 2 --delta 1e-5 --adjacency add-remove --max-rows-per-person 2");
    let printed = bench.ok("release --plan plan.json --ledger ledger.json Clinic-Mueller.csv");
    bench.write("release.json", &printed);

    let folder = bench.path("").to_string_lossy().trim_end_matches('/').to_owned();
    let names =
        ["Mueller", "plan.json", "ledger.json", "/tmp", env!("CARGO_MANIFEST_DIR")].map(str::to_owned);
    let counts = ["7919", "7,919", "7001", "7,001", "4999", "4,999", "918"].map(str::to_owned);
    let names: Vec<String> = names.into_iter().chain([folder, text.len().to_string()]).collect();
    let all: Vec<String> = names.iter().cloned().chain(counts).collect();

    // Seeded noise, so that none of its digits happens to be a count.
    let side = Side::new(&plan, &text);
    assert_eq!(side.moments.rows(), 7_001);
    let noise = side.prepared.gaussian().unwrap().draw(&mut DemoRng::new(3, 1));
    let target: Vec<i128> = noise.iter().zip(side.upper()).map(|(noise, exact)| noise + exact).collect();
    let release = side.forced(&target).unwrap();
    let mut exports = side.exports(&release);
    exports.push(("demonstration", bench.ok("simulate --plan plan.json Clinic-Mueller.csv")));
    let charged = [
        ("charged release", printed),
        ("its refit", bench.ok("refit --release release.json --outcome bmi --features bp,target")),
        ("ledger on the disk", bench.read("ledger.json")),
        ("ledger as it is shown", bench.ok("ledger show ledger.json")),
    ];
    let checked =
        exports.iter().map(|export| (export, &all)).chain(charged.iter().map(|export| (export, &names)));
    for ((name, text), forbidden) in checked {
        assert_eq!(faults_of(text, forbidden), Vec::<String>::new(), "{name}");
        let mut faults = Vec::new();
        if let Ok(value) = serde_json::from_str::<Value>(text) {
            key_faults(&value, "", &mut faults);
        }
        assert_eq!(faults, Vec::<String>::new(), "{name}");
    }
    let forbidden = all;

    // The test can fail.
    for planted in [
        "made at 14:05", "after 3 seconds", "took 12ms", "7919 rows", "7919.0", "n = 7,001",
        "Clinic-Mueller.csv",
    ] {
        assert_eq!(faults_of(planted, &forbidden).len(), 1, "{planted}");
    }
    for harmless in ["2026-11-20", "17919.5", "0x7919", "3 secrets", "1:abc", "10.5pt/1.45"] {
        assert_eq!(faults_of(harmless, &forbidden), Vec::<String>::new(), "{harmless}");
    }
    let mut faults = Vec::new();
    key_faults(
        &json!({"diagnostics": {"rows": 1, "elapsed_seconds": 2}, "a": [{"created_at": 3}]}),
        "",
        &mut faults,
    );
    assert_eq!(faults.len(), 2, "{faults:?}");
    // What `diagnostics.rows` says comes from the noisy intercept cell.
    assert!((release.diagnostics.rows.unwrap() - 7_001.0).abs() > 1e-9);
}

#[test]
fn a_release_has_these_keys_and_no_others() {
    let plan = small_diabetes_plan(json!({"epsilon": 1, "delta": 1e-5}));
    let side = Side::new(&plan, &tables()[1]);
    let value = serde_json::to_value(side.forced(&noisy(&plan)).unwrap()).unwrap();
    let keys: BTreeSet<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    let known =
        ["coefficients", "demo", "diagnostics", "ledger", "moments", "plan", "privacy", "schema", "software"];
    assert_eq!(keys, BTreeSet::from(known));
    assert!(value["plan"].get("rows").is_none());
}
