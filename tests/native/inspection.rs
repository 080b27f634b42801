//! The count of cells that do not fit, and columns that write numbers in ways of their own.

use discreet::data::header::read_header;
use discreet::data::inspection::{Column, Counts, Inspected, Inspection, Misfits};
use discreet::data::slices::{Combiner, Scan, ScanError, SliceReport};
use discreet::data::{EncodedRows, HeaderRead, HeaderRules, Merge, Nothing, RowSink, SliceScanner};
use discreet::engine::bind_described;
use discreet::plan::bound::{BoundPlan, GridParams, Norms};
use discreet::plan::{CheckedPlan, Plan, Purpose};
use serde_json::{Value, json};

fn plan(columns: Value, more: &[(&str, Value)]) -> Plan {
    let mut plan = json!({
        "schema": "discreet.plan/1", "adjacency": "add-remove", "columns": columns,
        "mechanism": {"name": "ols"}, "budget": {"none": true}
    });
    for (name, value) in more {
        plan[*name] = value.clone();
    }
    Plan::parse(&plan.to_string()).unwrap()
}

/// Reads a table in slices of `step` bytes.
fn read<S: RowSink, M: Merge>(
    plan: &Plan,
    text: &str,
    step: u64,
    sink: impl Fn(&BoundPlan) -> S,
    found: impl Fn(S) -> M,
) -> Scan<M> {
    read_on(None, plan, text, step, sink, found)
}

/// Reads a table on a grid.
fn read_on<S: RowSink, M: Merge>(
    grid: Option<GridParams>,
    plan: &Plan,
    text: &str,
    step: u64,
    sink: impl Fn(&BoundPlan) -> S,
    found: impl Fn(S) -> M,
) -> Scan<M> {
    let checked = CheckedPlan::new(plan.clone(), Purpose::Public).unwrap();
    let Ok(HeaderRead::Header(header)) = read_header(text.as_bytes(), true, HeaderRules::of(&checked)) else {
        panic!("a header")
    };
    let mut bound = bind_described(plan.clone(), &header.names, header.delimiter).unwrap();
    bound.grid = grid.unwrap_or(bound.grid);
    let mut combiner = Combiner::new(&header, text.len() as u64, &bound, step, 2);
    while let Some(job) = combiner.next_job() {
        let mut scanner = SliceScanner::new(job, &bound, sink(&bound));
        let from = usize::try_from(job.from).unwrap();
        let _ = scanner.feed(&text.as_bytes()[from..]);
        let SliceReport { job, outcome } = scanner.finish();
        let outcome = outcome.try_map(|rows| Ok::<_, ScanError>(found(rows))).unwrap();
        combiner.offer(SliceReport { job, outcome }).unwrap();
    }
    combiner.finish().expect("records")
}

fn counts(plan: &Plan, text: &str, step: u64) -> (u64, Counts) {
    let scan = read(plan, text, step, Inspection::new, |found| {
        Counts::from_bytes(&found.into_counts().to_bytes()).expect("as it was written")
    });
    let beside = |bound: &BoundPlan| Inspected { rows: Nothing, inspection: Some(Inspection::new(bound)) };
    let norms = Norms::Record { feature_share: 0.6, row_norm: 1.0 };
    let grid = GridParams { radius: 1 << 20, intercept_weight: 0.5, norms };
    let counted =
        read_on(Some(grid), plan, text, step, beside, |found| found.inspection.unwrap().into_counts());
    assert_eq!(counted.sink, scan.sink, "as counted beside the rows");
    (scan.records, scan.sink)
}

const MESSY: &str = "id;age;sex;weight\n1;61;F;71,5\n1;62;F;71,5\n2;-99;M;80\n3;130;D;\n4;n.d.; M ;9.5\n;50;F;70\n5;NA;F;81,25\n";

fn described() -> Value {
    json!([
        {"name": "age", "role": "feature", "type": "number", "lower": 0, "upper": 120},
        {"name": "sex", "role": "feature", "type": "category", "levels": ["F", "M"]},
        {"name": "weight", "role": "feature", "type": "number", "lower": 40, "upper": 350, "written": {"decimal": ","}}
    ])
}

fn misfits(missing: u64, unread: u64, outside: u64, cell: &str) -> Misfits {
    Misfits { missing, unread, cells: vec![(cell.to_owned(), unread)], outside, ..Misfits::default() }
}

#[test]
fn dates_count_as_years() {
    let column = json!({"name": "seen", "role": "feature", "type": "number", "lower": 2015, "upper": 2020, "written": {"date": "day-month-year"}});
    let text = "seen;x\n12.03.2019;1\n1/1/2015;1\n31.12.2014;1\n02.01.2020 10:30;1\n2019;1\n2019-03-12;1\n30.02.2019;1\n12.03.19;1\nNA;1\n";
    let (_, found) = counts(&plan(json!([column]), &[]), text, 1000);
    let [seen] = found.columns.as_slice() else { panic!("one column") };
    // A date that begins with its year is read in every order.
    assert_eq!((found.used, seen.missing, seen.unread), (5, 1, 3), "{seen:?}");
    assert_eq!((seen.outside, seen.above), (2, 1), "{seen:?}");
}

#[test]
fn differences_beyond_their_own_range_are_counted() {
    let date = |name: &str| json!({"name": name, "role": "feature", "type": "number", "lower": 2020, "upper": 2023, "written": {"date": "day-month-year"}});
    let stay = |from: [&str; 2]| json!({"transform": "difference", "from": from, "name": "stay", "factor": 365.25, "lower": 0, "upper": 60});
    let text = "in;out\n01.03.2021;04.03.2021\n05.03.2021;04.03.2021\n01.03.2021;01.08.2021\n01.03.2021;\n01.03.2021;01.03.2021\n";
    let outside = |from| {
        let plan = plan(json!([date("in"), date("out")]), &[("derived", json!([stay(from)]))]);
        let (rows, found) = counts(&plan, text, 1000);
        assert_eq!((rows, found.used, found.columns.len()), (5, 4, 3));
        (found.columns[2].outside, found.columns[2].above)
    };
    assert_eq!(outside(["out", "in"]), (2, 1));
    assert_eq!(outside(["in", "out"]), (2, 0), "turned round: three days and five months are negative");
}

#[test]
fn cells_that_do_not_fit_are_counted_alike_in_one_slice_and_in_many() {
    let plan = plan(described(), &[]);
    let first = Misfits { above: 1, coded: 1, codes: vec!["-99".to_owned()], ..misfits(1, 1, 2, "n.d.") };
    let columns = vec![first, misfits(0, 1, 0, "D"), misfits(1, 1, 0, "9.5")];
    for step in [1, 7, 1000] {
        let (records, found) = counts(&plan, MESSY, step);
        assert_eq!((records, found.used, found.chosen), (7, 4, 7), "{step}");
        assert_eq!(found.into_columns(), columns, "{step}");
    }
    assert_eq!(Counts::from_bytes(&[0; 9]), None);
    assert_eq!(Counts::from_bytes(&[0; 16]), None);
    let mut one = Counts::new(1);
    assert!(one.append(Counts::new(2)).is_err());
}

#[test]
fn codes_within_the_bounds_are_told_from_values() {
    let hidden = |(lower, upper): (f64, f64), cells: &[String]| {
        let column =
            json!([{"name": "x", "role": "feature", "type": "number", "lower": lower, "upper": upper}]);
        let text = format!("x\n{}\n", cells.join("\n"));
        let [whole, slices] = [10_000, 7].map(|step| counts(&plan(column.clone(), &[]), &text, step).1);
        assert_eq!(whole, slices);
        let [found] = <[Misfits; 1]>::try_from(whole.into_columns()).unwrap();
        found.hidden
    };
    let ages = |from: u32, to: u32, more: &[&str]| -> Vec<String> {
        let ages = (0..400).map(|row| (from + row * 7 % (to - from)).to_string());
        ages.chain(more.iter().map(|cell| (*cell).to_owned())).collect()
    };
    let (bounds, none) = ((0.0, 120.0), <[String; 0]>::default());
    assert_eq!(hidden(bounds, &ages(0, 18, &["99"; 3])), ["99"]);
    assert_eq!(hidden(bounds, &ages(18, 80, &["99", "12", "99", "98", " 99", "88", "97"])), ["99"]);
    assert_eq!(hidden(bounds, &ages(18, 79, &["99"; 2])), none, "two persons may be of that age");
    assert_eq!(hidden(bounds, &ages(18, 97, &["99"; 9])), none, "others are nearly as old");
    assert_eq!(hidden(bounds, &ages(18, 79, &["99", "99", "99", "95"])), none);
    assert_eq!(hidden(bounds, &ages(18, 79, &["99", "99", "99", "130"])), none, "another one lies above");
    let all = ["999", "99", "99", "999", "99", "999"];
    assert_eq!(hidden((0.0, 1_000.0), &ages(0, 40, &all)), ["999", "99"]);
    assert_eq!(hidden((0.0, 60_000.0), &ages(9_000, 9_999, &["9999"; 9])), none, "an income is 9999, too");
    // Differences are negative, and a single digit is none of a scale that has it.
    assert_eq!(hidden((-20.0, 20.0), &ages(0, 20, &["-9"; 3])), ["-9"]);
    assert_eq!(hidden((-20.0, 20.0), &ages(0, 20, &["-9", "-9", "-9", "-2"])), none);
    assert_eq!(hidden((0.0, 10.0), &ages(1, 6, &["9"; 9])), none);
    assert_eq!(hidden((-20.0, 20.0), &["-9"; 9].map(str::to_owned)), none, "nothing else is there");
}

/// A header line that comes again late in a file hides the words that most cells read, unless these are told first.
#[test]
fn the_most_frequent_cells_that_do_not_fit_are_quoted_first() {
    let bleeds = json!([{"name": "bleeds", "role": "feature", "type": "category", "levels": ["0", "1"]}]);
    let late = ["bleeds", "no", "yes", "no", "n.d.", "yes", "no", ""].join("\n");
    for step in [1, 7, 1000] {
        let (_, found) = counts(&plan(bleeds.clone(), &[]), &format!("bleeds\n0\n1\n{late}"), step);
        assert_eq!(found.columns[0].unread, 7);
        assert_eq!(found.columns[0].usual_cells(), ["no", "yes", "bleeds"], "{step}");
    }
    let names: String = (0..100).map(|row| format!("name {row}\n")).collect();
    let (_, found) = counts(&plan(bleeds, &[]), &format!("bleeds\n{names}"), 7);
    assert_eq!((found.columns[0].unread, found.columns[0].cells.len()), (100, 30));
}

#[test]
fn rows_that_count_follow_the_rules_of_the_plan() {
    let midpoint = plan(described(), &[("missing", json!("midpoint"))]);
    assert_eq!(counts(&midpoint, MESSY, 1000).1.used, 7);
    let codes = plan(described(), &[("csv", json!({"na": ["", "-99", "n.d."]}))]);
    let (_, found) = counts(&codes, MESSY, 1000);
    // `NA` is a cell like any other then.
    assert_eq!(found.columns[0], Misfits { above: 1, ..misfits(2, 1, 1, "NA") });
    // The second row of a person and the row of nobody are not read.
    let persons = plan(described(), &[("person", json!("id"))]);
    let (rows, found) = counts(&persons, MESSY, 1000);
    assert_eq!((rows, found.used), (7, 2));
    let other = json!([{"name": "sex", "role": "feature", "type": "category", "levels": ["F", "other"]}]);
    assert_eq!(counts(&plan(other, &[]), MESSY, 1000).1.columns, [Misfits::default()]);
}

#[test]
fn columns_that_write_numbers_in_their_own_ways_give_the_same_rows() {
    let columns = |written: [Value; 3]| {
        let names = ["a", "b", "c"].into_iter().zip(written);
        let column = |(name, written)| {
            let mut column =
                json!({"name": name, "role": "feature", "type": "number", "lower": 0, "upper": 2000});
            if written != Value::Null {
                column["written"] = written;
            }
            column
        };
        Value::Array(names.map(column).collect())
    };
    let rows = |plan: &Plan, text: &str| read(plan, text, 1000, |_| EncodedRows::new(6), |rows| rows).sink;
    let plain =
        rows(&plan(columns([Value::Null, Value::Null, Value::Null]), &[]), "a,b,c\n1234.5,0.7,12\n3,1.25,\n");
    let own = [json!({"decimal": ",", "thousands": "."}), Value::Null, json!({"percent": true})];
    assert_eq!(plain, rows(&plan(columns(own.clone()), &[]), "a;b;c\n1.234,5;0.7;12 %\n3;1.25;\n"));
    // Quoted cells may have a decimal comma where commas separate the cells.
    assert_eq!(plain, rows(&plan(columns(own), &[]), "a,b,c\n\"1.234,5\",0.7,12 %\n3,1.25,NA\n"));
    // What a column says replaces all that the table says.
    let file = [("csv", json!({"decimal": ",", "percent": true}))];
    let own = [Value::Null, json!({}), Value::Null];
    assert_eq!(plain, rows(&plan(columns(own), &file), "a;b;c\n1234,5;0.7;12 %\n3;1.25;\n"));
}

/// A code of one column is a value of another: 99 says nothing of an answer from 1 to 5, and is an age.
#[test]
fn a_code_is_missing_in_its_own_column_alone() {
    let number = |name: &str, upper: u32, na: Value| json!({"name": name, "role": "feature", "type": "number", "lower": 0, "upper": upper, "na": na});
    let columns = json!([
        number("age", 110, Value::Null),
        number("answer", 5, json!(["99", " 98"])),
        {"name": "sex", "role": "feature", "type": "category", "levels": ["F", "99"], "reference": "F"},
    ]);
    let text = "age,answer,sex\n99,3,99\n40,99,F\n50,98,F\n";
    let (rows, found) = counts(&plan(columns.clone(), &[]), text, 1000);
    assert_eq!((rows, found.used), (3, 1));
    assert_eq!(found.columns[1], Misfits { missing: 2, ..Misfits::default() });
    let whole = [("csv", json!({"na": ["", "99", "98"]}))];
    let numbers = json!([columns[0], columns[1]]);
    assert_eq!(counts(&plan(numbers, &whole), text, 1000).1.used, 0);
    let mut of_level = columns;
    of_level[2]["na"] = json!(["99"]);
    let refused = CheckedPlan::new(plan(of_level, &[]), Purpose::Public).unwrap_err();
    assert_eq!(refused.path, "columns[2].levels");
}

#[test]
fn a_bound_that_is_exactly_the_end_of_its_column_is_found() {
    let ends = |lower: f64, upper: f64, cells: &str, more: &[(&str, Value)]| {
        let columns =
            json!([{"name": "crp", "role": "feature", "type": "number", "lower": lower, "upper": upper}]);
        let text = format!("crp\n{}\n", cells.replace(' ', "\n"));
        let [small, whole] = [3, 1000].map(|step| counts(&plan(columns.clone(), more), &text, step).1);
        assert_eq!(small.columns, whole.columns);
        whole.columns[0].ends()
    };
    assert_eq!(ends(0.0, 87.3, "1.5 87.3 2 87.3", &[]), [false, true]);
    assert_eq!(ends(0.125, 87.3, "n.d. 0.125 2", &[]), [true, false]);
    assert_eq!(ends(0.0, 87.3, "87.3 88 2", &[]), [false, false], "one lies beyond");
    assert_eq!(ends(0.125, 87.3, "88 0.125 87.3", &[]), [true, false], "beyond the other one alone");
    assert_eq!(ends(0.0, 87.3, "87.2999 2", &[]), [false, false]);
    assert_eq!(ends(0.0, 184_237.0, "184237 2", &[]), [false, true], "the largest of some costs");
    for round in [0.0, 18.0, 100.0, 120.0, 126.0, 365.0, 2021.0, 5000.0, 0.35, 1e100] {
        assert_eq!(ends(-round - 1e6, round, &format!("{round} -3"), &[]), [false, false], "{round}");
    }
    let only = [("only", json!([{"column": "crp", "upper": 87.3}]))];
    assert_eq!(ends(0.0, 87.3, "1.5 87.3 92", &only), [false, false], "the condition is the end");
}

#[test]
fn a_way_of_writing_that_cannot_be_is_refused_at_its_column() {
    let refused = |written: Value| {
        let columns = json!([{"name": "a", "role": "feature", "type": "number", "lower": 0, "upper": 1, "written": written}]);
        CheckedPlan::new(plan(columns, &[]), Purpose::Public).unwrap_err().path
    };
    assert_eq!(refused(json!({"decimal": ";"})), "columns[0].written.decimal");
    assert_eq!(refused(json!({"decimal": ",", "thousands": ","})), "columns[0].written.thousands");
    let category =
        json!([{"name": "a", "role": "feature", "type": "category", "levels": ["x", "y"], "written": {}}]);
    assert_eq!(CheckedPlan::new(plan(category, &[]), Purpose::Public).unwrap_err().path, "columns[0]");
    for written in [r#"[","]"#, r#"{"mark": ","}"#] {
        let text = format!(
            r#"{{"schema": "discreet.plan/1", "adjacency": "add-remove", "mechanism": {{"name": "ols"}}, "budget": {{"none": true}},
            "columns": [{{"name": "a", "role": "feature", "type": "number", "lower": 0, "upper": 1, "written": {written}}}]}}"#
        );
        assert!(Plan::parse(&text).is_err(), "{written}");
    }
}

#[test]
fn cells_are_counted_beside_a_release_that_reads_the_same_records_in_the_same_way() {
    let names = ["id", "age", "sex", "weight"].map(str::to_owned);
    let bound = |plan: &Plan| bind_described(plan.clone(), &names, b';').unwrap();
    let own = plan(described(), &[]);
    let beside = |described: &Plan| Column::are_beside(&bound(described), &bound(&own));
    let mut fewer = described();
    fewer.as_array_mut().unwrap().pop();
    let mut wider = described();
    wider[0]["upper"] = json!(130);
    let mut unwritten = described();
    unwritten[2].as_object_mut().unwrap().remove("written");
    let mut more = described();
    more.as_array_mut()
        .unwrap()
        .push(json!({"name": "id", "role": "feature", "type": "number", "lower": 0, "upper": 9}));
    assert!(beside(&own) && beside(&plan(fewer, &[])));
    for (what, other) in [
        ("other bounds", plan(wider, &[])),
        ("a column that is not read", plan(more, &[])),
        ("missing cells in the middle", plan(described(), &[("missing", json!("midpoint"))])),
        ("a column that is written in another way", plan(unwritten, &[])),
        ("other marks of missing cells", plan(described(), &[("csv", json!({"na": ["D"]}))])),
        ("fewer rows", plan(described(), &[("only", json!([{"column": "age", "lower": 40}]))])),
        ("rows of persons", plan(described(), &[("person", json!("id")), ("max_rows_per_person", json!(1))])),
    ] {
        assert!(!beside(&other), "{what}");
    }
}
