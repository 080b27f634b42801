//! Rows that count by a plan's conditions: a plan that chooses rows sums what a table sums that has no others.

use discreet::data::{EncodedRows, Scan};
use discreet::plan::{Plan, Purpose, faults};
use serde_json::{Value, json};

use crate::cli::Bench;
use crate::support::{column, plan, prepared, scan};

/// A person's first row is of a child here, a cell of each condition is missing once, and numbers have decimal commas in one column.
const TABLE: &str = "id;sex;age;born;y\n\
    a;F;17,5;1990;1\na;F;18,5;1991;2\nb;M;40;1970;3\nc; F ;64,0;1955;4\nc;F;65;1954;5\nd;;30;1980;6\ne;F;;1981;7\nf;F;110,1;1982;8\ng;X;50;1969;9\n";

/// The rows of [`TABLE`] that are of women of 18 to 110 years.
const CHOSEN: &str = "id;sex;age;born;y\na;F;18,5;1991;2\nc; F ;64,0;1955;4\nc;F;65;1954;5\n";

fn women(only: &Value) -> Value {
    let columns = [
        json!({"name": "age", "role": "feature", "type": "number", "lower": 0, "upper": 120, "written": {"decimal": ","}}),
        column("y", "outcome", 0.0, 10.0),
    ];
    let mut plan = plan(&columns, json!({"mu": 1.0}));
    plan["only"] = only.clone();
    plan
}

fn adult_women() -> Value {
    json!([{"column": "age", "lower": 18, "upper": 110}, {"column": "sex", "levels": ["F"]}])
}

fn rows(plan: &Value, table: &str) -> Scan<EncodedRows> {
    scan(&prepared(plan, table).unwrap(), table, EncodedRows::new)
}

#[test]
fn chosen_rows_sum_to_what_a_table_of_them_alone_does() {
    let (all, chosen) = (women(&json!([])), women(&adult_women()));
    assert_eq!(rows(&chosen, TABLE).sink, rows(&all, CHOSEN).sink);
    assert_eq!(rows(&chosen, TABLE).records, 9, "a stated number of rows is that of all");
    let one_sided = women(&json!([{"column": "born", "lower": 1970}]));
    assert_eq!(rows(&one_sided, TABLE).sink.len(), 5, "of 1990, 1991, 1970, 1980 and 1982; one has no age");
    // A missing cell that has a midpoint meets no condition either.
    let midpoint = |mut plan: Value| {
        plan["missing"] = json!("midpoint");
        plan
    };
    assert_eq!(rows(&midpoint(chosen), TABLE).sink, rows(&midpoint(all), CHOSEN).sink);
}

/// A stay whose second date is in another century, or before the first, is left out, whatever the dates are clipped to.
#[test]
fn rows_are_chosen_by_a_difference_as_its_cells_are_written() {
    let date = |name: &str| {
        json!({"name": name, "role": "ignored", "type": "number", "lower": 2019, "upper": 2021,
            "written": {"date": "year-month-day"}})
    };
    let with = |only: Value, term: Value| {
        let columns = [date("in"), date("out"), column("y", "outcome", 0.0, 10.0)];
        let mut plan = plan(&columns, json!({"mu": 1.0}));
        plan["derived"] = json!([term, {"transform": "square", "from": ["stay"]}]);
        plan["only"] = only;
        plan
    };
    let stay = json!({"transform": "difference", "from": ["out", "in"], "name": "stay", "factor": 365.25, "lower": 0, "upper": 60});
    let header = "in,out,y\n";
    let right = "2020-01-01,2020-01-05,1\n2020-12-28,2021-01-05,2\n2020-03-03,2020-03-03,3\n";
    let wrong = "2020-12-20,2091-01-05,4\n2020-02-05,2020-02-01,5\n2020-02-05,,6\n,2020-02-05,7\n2020-01-01,2020-05-01,8\n";
    let (table, chosen) = (format!("{header}{wrong}{right}"), format!("{header}{right}"));
    let within = || json!([{"column": "stay", "lower": 0, "upper": 60}]);
    let all = rows(&with(json!([]), stay.clone()), &chosen).sink;
    assert_eq!(rows(&with(within(), stay.clone()), &table).sink, all);
    let mut unbounded = stay.clone();
    for bound in ["lower", "upper"] {
        unbounded.as_object_mut().unwrap().remove(bound);
    }
    assert_eq!(rows(&with(within(), unbounded), &table).sink.len(), 3);
    let told = |only: Value, what: &str| {
        let plan = Plan::parse(&with(only.clone(), stay.clone()).to_string()).unwrap();
        let found = faults(&plan, Purpose::Release);
        assert!(found.iter().any(|fault| fault.path == "only[0]" && fault.what.contains(what)), "{found:?}");
    };
    told(json!([{"column": "stay", "levels": ["3"]}]), "has no levels");
    told(json!([{"column": "stay^2", "upper": 9}]), "is neither");
}

#[test]
fn a_persons_first_rows_that_meet_the_conditions_count() {
    let of_persons = |mut plan: Value| {
        plan["person"] = json!("id");
        plan
    };
    let chosen = rows(&of_persons(women(&adult_women())), TABLE);
    let first = "id;sex;age;born;y\na;F;18,5;1991;2\nc; F ;64,0;1955;4\n";
    assert_eq!(chosen.sink.to_bytes(), rows(&women(&json!([])), first).sink.to_bytes());
    assert_eq!(chosen.persons, Some(7), "persons are public under replace-one, so all are counted");
}

#[test]
fn conditions_that_cannot_hold_are_refused() {
    let wrong = |only: Value| {
        let mut plan = women(&only);
        let sex = json!({"name": "sex", "role": "feature", "type": "category", "levels": ["F", "M"]});
        plan["columns"].as_array_mut().unwrap().push(sex);
        let found = faults(&Plan::parse(&plan.to_string()).unwrap(), Purpose::Release);
        found.into_iter().map(|fault| (fault.path, fault.what)).collect::<Vec<_>>()
    };
    let told = |only: Value, path: &str, what: &str| {
        let found = wrong(only.clone());
        assert!(found.iter().any(|(at, said)| at == path && said.contains(what)), "{only}: {found:?}");
    };
    told(json!([{"column": "age"}]), "only[0]", "neither");
    told(json!([{"column": "age", "lower": 1, "levels": ["a"]}]), "only[0]", "or both");
    told(
        json!([{"column": "born", "upper": 1}, {"column": "born", "lower": 1}]),
        "only[1]",
        "two conditions",
    );
    told(json!([{"column": "born", "lower": 2, "upper": 1}]), "only[0]", "no row can meet");
    told(json!([{"column": "age", "lower": 121}]), "only[0]", "no row can meet");
    told(json!([{"column": "sex", "levels": ["F "]}]), "only[0]", "spaces");
    told(json!([{"column": "sex", "levels": ["NA"]}]), "only[0]", "missing");
    told(json!([{"column": "sex", "levels": ["F"]}]), "only[0]", "fewer than two levels");
    assert_eq!(wrong(json!([{"column": "sex", "levels": ["F", "M"]}, {"column": "age", "lower": 18}])), []);
    let mut labels = women(&adult_women());
    labels["adjacency"] = json!("replace-one");
    labels["rows"] = json!(9);
    labels["protect"] = json!("labels");
    labels["confirm"] = json!(["protect-labels"]);
    let found = faults(&Plan::parse(&labels.to_string()).unwrap(), Purpose::Release);
    assert_eq!(found.iter().filter(|fault| fault.path.starts_with("only")).count(), 2, "{found:?}");
    // Nor does a row that is left out leave the constant behind it.
    let mut public = women(&adult_women());
    public["adjacency"] = json!("replace-one");
    public["rows"] = json!(9);
    public["missing"] = json!("midpoint");
    assert!(!prepared(&public, TABLE).unwrap().checked().constant_is_public());
    public.as_object_mut().unwrap().remove("only");
    assert!(prepared(&public, TABLE).unwrap().checked().constant_is_public());
    let absent = prepared(&women(&json!([{"column": "ward", "levels": ["A"]}])), TABLE).unwrap_err();
    assert!(absent.to_string().contains("ward"), "{absent}");
}

/// The command line warns where no row shown meets a condition, and every form of a result says which rows counted.
#[test]
fn a_result_says_which_rows_counted() {
    let bench = Bench::new();
    let table: String = (0..400)
        .map(|row| format!("{row};{};{};{}\n", ["F", "M"][row % 2], 20 + row % 60, row % 10))
        .collect();
    bench.write("table.csv", format!("id;sex;age;y\n{table}"));
    let mut plan = women(&json!([{"column": "sex", "levels": ["Female"]}]));
    plan["columns"][0].as_object_mut().unwrap().remove("written");
    bench.plan(&plan);
    let warned = String::from_utf8(bench.run("check --plan plan.json table.csv").stderr).unwrap();
    assert!(warned.contains("column `sex`: none of the first rows meets the condition"), "{warned}");
    plan["only"] = json!([{"column": "sex", "levels": ["F"]}, {"column": "age", "lower": 18}]);
    plan["person"] = json!("id");
    plan["budget"] = json!({"epsilon": 20, "delta": 1e-5});
    bench.plan(&plan);
    bench.open_ledger("20");
    bench.write("release.json", bench.ok(crate::cli::RELEASE));
    plan["only"] = json!([{"column": "y", "lower": 1}]);
    bench.plan(&plan);
    let of_outcome = bench.ok("simulate --plan plan.json --runs 1 --seed 3 table.csv");
    bench.write("by-outcome.json", of_outcome);
    let said = bench.ok("report --release by-outcome.json --format markdown");
    assert!(said.contains("y from 1 counted. They were chosen by the outcome itself"), "{said}");
    assert!(said.starts_with("## Demonstration, not private: regression of y"), "{said}");
    // A condition as wide as the bounds leaves out what is missing and what cannot be.
    plan["only"] = json!([{"column": "y", "lower": 0, "upper": 1e9}]);
    bench.plan(&plan);
    bench.write("recorded.json", bench.ok("simulate --plan plan.json --runs 1 --seed 3 table.csv"));
    let said = bench.ok("report --release recorded.json --format markdown");
    assert!(said.contains("Only rows with y from 0 to") && !said.contains("by the outcome itself"), "{said}");
    let whose = "One row of each person counts, the first in the file among those that meet the conditions.";
    assert!(bench.ok("report --release release.json").contains(whose));
    for format in ["html", "csv", "markdown", "svg"] {
        let said = bench.ok(&format!("report --release release.json --format {format}"));
        assert!(said.contains("Only rows with sex F, age from 18 counted."), "{format}: {said}");
    }
}
