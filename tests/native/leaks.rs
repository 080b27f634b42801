//! Nothing of the table reaches a release or a message, except through the mechanism.

use discreet::data::{EncodedRows, Moments};
use discreet::engine::{check_table, release};
use discreet::noise::entropy::DemoRng;
use serde_json::json;

use crate::support::{prepared, scan, small_diabetes_plan, software};

/// The text of a release whose noise comes from a fixed seed, so that equal moments give equal noisy moments.
fn released(table: &str) -> String {
    let plan = small_diabetes_plan(json!({"epsilon": 1, "delta": 1e-5}));
    let prepared = prepared(&plan, table).unwrap();
    let scan = scan(&prepared, table, Moments::new);
    check_table(&prepared, scan.records, scan.persons).unwrap();
    let release = release(&prepared, &scan.sink, DemoRng::new(3, 1), None, software()).unwrap();
    serde_json::to_string_pretty(&release).unwrap()
}

#[test]
fn equal_noisy_moments_give_equal_bytes() {
    let plain = "bmi,bp,target\n25,80,100\n42,140,350\n30,90,200\n";
    for other in [
        // Another order of rows, another spelling of numbers.
        "bmi,bp,target\n30.0,9e1,200\n25,80,100\n42,140,350\n",
        // Values outside their bounds, which clip to the same.
        "bmi,bp,target\n25,80,100\n999,1e300,1e9\n30,90,200\n",
        // Rows that are skipped: under add-remove the number of rows is private.
        "bmi,bp,target\n25,80,100\n,,\nNA,80,1\nx,1,1\n42,140,350\n30,90,200\n?,?,?\n",
        // Quotes, line ends, blank lines.
        "\u{feff}bmi,bp,target\r\n\"25\",80,100\r\n\r\n42,\"140\",350\r\n30,90,200",
    ] {
        assert_eq!(released(plain), released(other), "{other:?}");
    }
    // The test can fail: another row shows.
    assert_ne!(released(plain), released("bmi,bp,target\n25,80,101\n42,140,350\n30,90,200\n"));
}

#[test]
fn ignored_columns_and_their_cells_do_not_show() {
    let tables = ["note,bmi,bp,target\nalpha,25,80,100\n", "note,bmi,bp,target\nbeta,25,80,100\n"];
    let [first, second] = tables.map(released);
    assert_eq!(first, second);
    assert!(!first.contains("alpha") && !first.contains("note\""));
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

#[test]
fn a_release_has_no_clock_and_no_count() {
    let text = released("bmi,bp,target\n25,80,100\n42,140,350\n30,90,200\n");
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let keys: Vec<&String> = value.as_object().unwrap().keys().collect();
    let known = ["coefficients", "diagnostics", "ledger", "moments", "plan", "privacy", "schema", "software"];
    let mut sorted = keys.clone();
    sorted.sort();
    assert_eq!(sorted, known);
    assert!(value["plan"].get("rows").is_none());
    // What `diagnostics.rows` says comes from the noisy intercept cell.
    assert!((value["diagnostics"]["rows"].as_f64().unwrap() - 3.0).abs() > 1e-9);
}
