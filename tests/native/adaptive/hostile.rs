//! Tables of hardly any rows or of values that hardly vary: every charged release comes to its end, with finite numbers or none.

use discreet::model::Interval;
use serde_json::{Value, json};

use super::released::adaptive;
use crate::support::runs;
use crate::support::{column, list, plan};

const HEADER: &str = "id,x,g,y,z";

fn lines(rows: impl Iterator<Item = String>) -> String {
    std::iter::once(HEADER.to_owned()).chain(rows).map(|line| line + "\n").collect()
}

/// A name and a table of people, numbers, levels and two outcomes.
fn tables() -> Vec<(&'static str, String)> {
    let of = |count: u32, row: fn(u32) -> String| lines((0..count).map(row));
    let usual = |row: u32| {
        let x = f64::from(row % 17) / 17.0;
        format!(
            "{row},{x},{},{},{}",
            ["a", "b"][usize::from(row.is_multiple_of(3))],
            x / 2.0,
            f64::from(row % 5) / 5.0
        )
    };
    vec![
        ("no row", of(0, usual)),
        ("one row", of(1, usual)),
        ("two rows", of(2, usual)),
        ("forty rows", of(40, usual)),
        ("all missing", of(500, |row| format!("{row},,,,"))),
        ("no number", of(500, |row| format!("{row},nan,zz,inf,-inf"))),
        (
            "some missing",
            of(500, |row| {
                format!("{row},{},a,{},", f64::from(row % 2), if row % 3 == 0 { "" } else { "0.5" })
            }),
        ),
        (
            "one level",
            of(500, |row| format!("{row},{},b,0.25,{}", f64::from(row % 9) / 9.0, f64::from(row % 7) / 7.0)),
        ),
        ("constants", of(500, |row| format!("{row},0.5,a,0.5,0.5"))),
        ("at the bounds", of(500, |row| format!("{row},1,b,1,0"))),
        ("beyond the bounds", of(500, |row| format!("{row},1e300,b,-1e300,1e300"))),
        (
            "equal outcomes",
            of(500, |row| {
                let y = f64::from(row % 11) / 11.0;
                format!("{row},{},a,{y},{y}", f64::from(row % 13) / 13.0)
            }),
        ),
        (
            "the outcome itself",
            of(500, |row| {
                let y = f64::from(row % 11) / 11.0;
                format!("{row},{y},a,{y},{y}")
            }),
        ),
        (
            "one person",
            of(500, |row| format!("p,{},a,0.5,{}", f64::from(row % 13) / 13.0, f64::from(row % 2))),
        ),
    ]
}

fn check(what: &str, plan: &Value, table: &str) {
    for release in runs(plan, table, 3) {
        let diagnostics = &release.diagnostics;
        let all = [diagnostics.rows, diagnostics.rows_std_error, diagnostics.signal_to_noise];
        let sds = diagnostics.outcomes.iter().map(|outcome| outcome.residual_sd);
        assert!(all.into_iter().chain(sds).flatten().all(f64::is_finite), "{what}: {diagnostics:?}");
        for entry in list(&release) {
            let numbers = [entry.estimate, entry.std_error, entry.lower, entry.upper, entry.noise_share];
            assert!(numbers.iter().flatten().all(|number| number.is_finite()), "{what}: {entry:?}");
            assert_eq!(
                numbers.iter().all(Option::is_none),
                entry.interval == Interval::Withheld,
                "{what}: {entry:?}"
            );
        }
    }
}

#[test]
fn tables_that_say_nothing_end_with_finite_numbers_or_none() {
    let site =
        json!({"name": "g", "role": "feature", "type": "category", "levels": ["a", "b"], "reference": "a"});
    for (what, table) in tables() {
        for epsilon in [0.05, 1.0, 20.0] {
            for (adjacency, missing, people) in [
                ("add-remove", "skip", 0),
                ("add-remove", "midpoint", 2),
                ("replace-one", "midpoint", 0),
                ("replace-one", "skip", 0),
            ] {
                let columns = [
                    column("x", "feature", 0.0, 1.0),
                    site.clone(),
                    column("y", "outcome", 0.0, 1.0),
                    column("z", "outcome", 0.0, 1.0),
                ];
                let mut plan = adaptive(plan(&columns, json!({"epsilon": epsilon, "delta": 1e-6})));
                plan["adjacency"] = json!(adjacency);
                plan["missing"] = json!(missing);
                if people > 0 {
                    plan["person"] = json!("id");
                    plan["max_rows_per_person"] = json!(people);
                }
                let rows = table.lines().count() - 1;
                if adjacency == "replace-one" {
                    if rows == 0 {
                        continue;
                    }
                    plan["rows"] = json!(rows);
                }
                check(&format!("{what}, {adjacency}, {missing}, {epsilon}"), &plan, &table);
            }
        }
    }
}

#[test]
fn huge_and_tiny_bounds_end_with_finite_numbers_or_none() {
    for (lower, upper) in [(-1e99, 1e99), (-1e-60, 1e-60), (1e9, 1e9 + 1.0), (0.0, 1e99)] {
        let columns = [
            column("x", "feature", lower, upper),
            column("y", "outcome", lower, upper),
            column("z", "outcome", 0.0, 1.0),
        ];
        let table = lines((0..3_000_u32).map(|row| {
            let share = f64::from(row % 101) / 101.0;
            let x = lower + share * (upper / 2.0 - lower / 2.0) * 2.0;
            format!("{row},{x:e},a,{:e},{share}", lower / 2.0 + upper / 2.0)
        }));
        for epsilon in [0.5, 8.0] {
            let plan = adaptive(plan(&columns, json!({"epsilon": epsilon, "delta": 1e-6})));
            check(&format!("{lower:e} to {upper:e}"), &plan, &table);
        }
    }
}
