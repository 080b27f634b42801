//! Fits of several passes on the command line: over rows that are kept, or over the table again.

use std::fs::File;

use discreet::release::document::Release;
use serde_json::{Value, json};

use crate::cli::{Bench, failed};
use crate::support::{column, list, plan};

/// More rows than are kept, whatever their width.
const MANY: u64 = 100_000_000;

const RELEASE: &str = "release --plan plan.json --ledger ledger.json";

/// Records of one yes or no and another: yes is rarer at the start of the file than at its end, so that a part that is left out or
/// counted twice shows.
fn records() -> Vec<(u32, bool)> {
    (0..20_000)
        .map(|row| {
            let x = row % 2;
            (x, f64::from(row * 7_919 % 1_000) < 100.0 + f64::from(row) / 40.0 + 200.0 * f64::from(x))
        })
        .collect()
}

/// The log-odds of a regression of such records, which follow from four counts.
fn expected() -> [f64; 2] {
    let records = records();
    let logit = |group: u32| {
        let of_group = records.iter().filter(|(x, _)| *x == group);
        let (rows, yes) =
            of_group.fold((0.0, 0.0), |(rows, yes), (_, y)| (rows + 1.0, yes + f64::from(u8::from(*y))));
        libm::log(yes / (rows - yes))
    };
    [logit(0), logit(1) - logit(0)]
}

fn bench() -> Bench {
    let bench = Bench::new();
    let lines: String = records().iter().map(|(x, y)| format!("{x},{}\n", u8::from(*y))).collect();
    bench.write("table.csv", format!("treated,died\n{lines}"));
    bench.open_ledger("8");
    bench
}

fn logistic(stated_rows: u64) -> Value {
    let columns = [column("treated", "feature", 0.0, 1.0), column("died", "outcome", 0.0, 1.0)];
    let mut plan = plan(&columns, json!({"epsilon": 2, "delta": 1e-6}));
    plan["stated_rows"] = json!(stated_rows);
    plan["mechanism"] = json!({"name": "dp-logistic", "params": {"lambda": 0}});
    plan
}

#[test]
fn a_table_is_read_again_where_its_rows_are_too_many_to_be_kept() {
    let bench = bench();
    for (rows, workers) in [(20_000, 2), (MANY, 1), (MANY, 3)] {
        bench.plan(&logistic(rows));
        let printed = bench.ok(&format!("{RELEASE} table.csv --workers {workers}"));
        let release: Release = serde_json::from_str(&printed).unwrap();
        for (found, wanted) in list(&release).iter().zip(expected()) {
            let estimate = found.estimate.unwrap();
            assert!((estimate - wanted).abs() < 0.1, "{rows} rows, {}: {estimate} for {wanted}", found.term);
        }
    }
    // A stream is gone after one reading, and nothing is charged for it.
    let before = bench.ledger().entries().len();
    let line = format!("{RELEASE} -");
    let mut command = bench.command(&line);
    let table = File::open(bench.path("table.csv")).unwrap();
    let output = command.args(["--confirm-weak", "weak promise"]).stdin(table).output().unwrap();
    let said = failed(&output, 2, &line);
    assert!(said.contains("save the stream as a file"), "{said}");
    assert_eq!(bench.ledger().entries().len(), before);
}

/// The plan states fewer rows than are kept, and the table has more.
#[test]
fn rows_that_turn_out_to_be_too_many_are_read_again() {
    let bench = Bench::new();
    let levels: Vec<String> = (0..2_000).map(|level| format!("s{level}")).collect();
    let lines: String = (0..70_000).map(|row| format!("{},{}\n", levels[row % 2_000], row % 7)).collect();
    bench.write("table.csv", format!("site,score\n{lines}"));
    bench.open_ledger("8");
    let site =
        json!({"name": "site", "role": "feature", "type": "category", "levels": levels, "reference": "s0"});
    let mut plan = plan(&[site, column("score", "outcome", 0.0, 6.0)], json!({"epsilon": 2, "delta": 1e-6}));
    plan["stated_rows"] = json!(60_000);
    plan["mechanism"] = json!({"name": "dp-gd", "params": {"steps": 2}});
    bench.plan(&plan);
    let printed = bench.ok(&format!("{RELEASE} table.csv --workers 2"));
    let release: Release = serde_json::from_str(&printed).unwrap();
    assert_eq!(list(&release).len(), 2_000);
    // A stream cannot be, and nothing is charged for it.
    let line = format!("{RELEASE} -");
    let said = failed(&bench.piped(&line, "table.csv"), 2, &line);
    assert!(said.contains("save the stream as a file"), "{said}");
    assert_eq!(bench.ledger().entries().len(), 1);
}
