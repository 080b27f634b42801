use std::collections::BTreeMap;

use super::*;
use crate::model::Role;
use crate::plan::derived::{Uncentred, name_of};
use crate::plan::document::{Bound, ColumnType, Confirm, Derived, Transform};
use crate::plan::number_format::{DateOrder, NumberFormat};
use crate::privacy::adjacency::Adjacency;
use crate::privacy::calibrate::Split;
use crate::ui::step::Step;
use crate::words;

fn number_column(name: &str, role: Role, lower: &str, upper: &str) -> ColumnDraft {
    ColumnDraft {
        name: name.to_owned(),
        role,
        kind: Some(ColumnType::Number),
        lower: lower.to_owned(),
        upper: upper.to_owned(),
        ..ColumnDraft::default()
    }
}

fn drafts() -> (Vec<ColumnDraft>, Setup) {
    let columns = vec![
        number_column("age", Role::Feature, "0", "120"),
        number_column("id", Role::Ignored, "", ""),
        ColumnDraft {
            name: "sex".to_owned(),
            role: Role::Feature,
            kind: Some(ColumnType::Category),
            levels: "F, M".to_owned(),
            ..ColumnDraft::default()
        },
        number_column("sbp", Role::Outcome, "60", "260"),
    ];
    (columns, Setup { rows: "12 000".to_owned(), ..Setup::default() })
}

#[test]
fn a_product_is_made_from_centred_numbers_by_one_click() {
    let (mut columns, mut setup) = drafts();
    columns.push(number_column("bmi", Role::Ignored, "15", "60"));
    columns.push(number_column("change", Role::Feature, "-40", "40"));
    columns[0].typical_mean = "60".to_owned();
    columns[0].typical_sd = "15".to_owned();
    let product = |from: &[&str]| Derived {
        transform: Transform::Product,
        from: from.iter().map(ToString::to_string).collect(),
        ..Derived::default()
    };
    setup.derived = vec![product(&["age", "sex"]), product(&["age", "change", "bmi"])];
    let found = uncentred(&columns, &setup);
    let far = vec![("age".to_owned(), 60.0), ("bmi".to_owned(), 37.5)];
    assert_eq!(found, [Uncentred { product: "age:change:bmi".to_owned(), far }]);
    centre(&mut columns, &mut setup, &found[0]);
    let terms: Vec<(String, Option<Role>)> =
        setup.derived.iter().map(|term| (name_of(term), term.role)).collect();
    let expected = [
        ("age:sex", None),
        ("age - 60", None),
        ("bmi - 37.5", Some(Role::Ignored)),
        ("(age - 60):change:(bmi - 37.5)", None),
    ];
    assert_eq!(terms, expected.map(|(name, role)| (name.to_owned(), role)));
    assert_eq!(columns[0].role, Role::Ignored, "its centred number is the feature");
    assert_eq!(uncentred(&columns, &setup), []);
    assert_eq!(super::terms::wrong_at(&columns, &setup, "derived"), [""; 0]);
}

#[test]
fn a_plan_with_derived_terms_keeps_them_on_the_page() {
    let names = ["age", "crp", "y"].map(str::to_owned);
    let number = |name: &str, role: &str| serde_json::json!({"name": name, "role": role, "type": "number", "lower": 0.5, "upper": 90});
    let plan = serde_json::json!({
        "schema": "discreet.plan/1", "adjacency": "add-remove", "mechanism": {"name": "analyze-gauss"}, "budget": {"epsilon": 1, "delta": 1e-6},
        "columns": [number("age", "feature"), number("y", "outcome"), number("crp", "ignored")],
        "derived": [
            {"transform": "log", "from": ["crp"]}, {"transform": "spline", "from": ["age"], "knots": [20, 40, 60]},
            {"transform": "square", "from": ["bmi"]},
        ],
    });
    let opened = crate::plan::Plan::parse(&plan.to_string()).unwrap();
    let (columns, setup, _) = open(&opened, &names);
    let gaps = super::plan(&columns, &setup, super::budget(&setup)).unwrap_err();
    assert_eq!(gaps.len(), 1, "{gaps:?}");
    assert_eq!(gaps[0].place, Place::columns("terms"), "the term of a column that the table lacks");
    let mut setup = setup;
    setup.derived.pop();
    let kept = super::plan(&columns, &setup, super::budget(&setup)).unwrap();
    assert_eq!(kept.derived, opened.derived[..2]);
    assert_eq!(
        kept.columns.last().unwrap().name.as_deref(),
        Some("crp"),
        "an ignored column that a term needs"
    );

    let typed = |transform, from: &str, value: &str| {
        super::TermDraft { transform, from: from.to_owned(), value: value.to_owned(), ..Default::default() }
            .entry(&["Item 2, tired".to_owned(), "age".to_owned()])
    };
    use crate::plan::document::Transform::{Centred, Log, Merged, Product, Spline};
    assert_eq!(typed(Log, "crp", "").unwrap().offset, None);
    assert_eq!(typed(Log, "crp", "0,5").unwrap().offset, Some(0.5));
    assert_eq!(typed(Spline, "age", " 20  40 60 ").unwrap().knots, Some(vec![20.0, 40.0, 60.0]));
    assert_eq!(typed(Product, "age, \"a,b\"", "").unwrap().from, ["age", "a,b"]);
    assert_eq!(typed(Product, "Item 2, tired, age", "").unwrap().from, ["Item 2, tired", "age"]);
    let mut joins = super::TermDraft { transform: Merged, from: "k".to_owned(), ..Default::default() };
    for (level, name) in
        [("former", "eve"), ("light", "ever "), ("never", ""), ("x", "other"), ("former", "ever")]
    {
        joins.join(level, name.to_owned());
    }
    assert_eq!((joins.joined_name("light").as_str(), joins.joined_name("heavy").as_str()), ("ever ", ""));
    let groups = joins.entry(&[]).unwrap().groups.unwrap();
    assert_eq!(groups.len(), 2);
    assert_eq!(
        (groups[0].name.as_str(), groups[0].levels.len(), groups[1].name.as_str()),
        ("ever", 2, "other")
    );
    for (transform, value) in [(Log, "x"), (Centred, ""), (Spline, "1 b")] {
        assert_eq!(typed(transform, "age", value), None, "{value}");
    }
}

#[test]
fn a_term_is_typed_as_it_was_and_is_refused_before_it_is_in_the_plan() {
    use super::{TermDraft, TermForm, put_term};
    use crate::plan::document::Transform::{Centred, Difference, Log, Merged, Product, Spline, Square};
    let each = [
        (Difference, "last, first", ""),
        (Difference, "last, first", "0 60"),
        (Log, "crp", "0.5"),
        (Centred, "age", "60"),
        (Spline, "age", "20 40 60"),
        (Square, "age", ""),
        (Product, "age, \"a,b\"", ""),
    ];
    for (transform, from, value) in each {
        let typed =
            TermDraft { transform, from: from.to_owned(), value: value.to_owned(), ..Default::default() };
        let entry = typed.entry(&[]).unwrap();
        assert_eq!(TermDraft::of(&entry), typed);
        assert_eq!(TermDraft::of(&entry).entry(&[]).unwrap(), entry);
    }
    let joined = [("former", "ever"), ("light", "ever"), ("x;y = z", "other")];
    let joined = joined.map(|(level, name)| (level.to_owned(), name.to_owned())).to_vec();
    let typed = TermDraft { transform: Merged, from: "k".to_owned(), joined, ..Default::default() };
    assert_eq!(TermDraft::of(&typed.entry(&[]).unwrap()), typed);
    let stay = TermDraft {
        transform: Difference,
        from: "out, in".to_owned(),
        factor: "365,25".to_owned(),
        unit: "day".to_owned(),
        value: "0 60".to_owned(),
        typical: "6 5.5".to_owned(),
        role: Some(Role::Ignored),
        ..Default::default()
    };
    let entry = stay.entry(&[]).unwrap();
    assert_eq!((entry.factor, entry.unit.as_deref(), entry.role), (Some(365.25), Some("day"), stay.role));
    assert_eq!(TermDraft::of(&entry), TermDraft { factor: "365.25".to_owned(), ..stay.clone() });
    for (value, expected) in
        [("0-60", [0.0, 60.0]), ("-5–10", [-5.0, 10.0]), ("0 - 60", [0.0, 60.0]), ("-9 -5", [-9.0, -5.0])]
    {
        let entry = TermDraft { value: value.to_owned(), ..stay.clone() }.entry(&[]).unwrap();
        assert_eq!([entry.lower, entry.upper], expected.map(Some), "{value}");
    }
    for [factor, value, typical] in [["x", "", ""], ["", "0-", ""], ["", "1 2 3", ""], ["", "0 60", "6"]] {
        let (factor, value, typical) = (factor.to_owned(), value.to_owned(), typical.to_owned());
        let typed = TermDraft { factor, value, typical, ..stay.clone() };
        assert_eq!(typed.entry(&[]), None, "{typed:?}");
    }
    // What is typed is no part of the plan until it is put there.
    let form = |draft: &TermDraft, place| TermForm { draft: draft.clone(), place };
    assert!(form(&stay, None).is_open(&[]) && !TermForm::default().is_open(&[]));
    let terms = [entry];
    assert!(!form(&TermDraft::of(&terms[0]), Some(0)).is_open(&terms));
    assert!(
        form(&TermDraft { value: "0 30".to_owned(), ..TermDraft::of(&terms[0]) }, Some(0)).is_open(&terms)
    );

    let (columns, mut setup) = drafts();
    let log = |offset: &str| {
        let (from, value) = (columns[0].name.clone(), offset.to_owned());
        TermDraft { transform: Log, from, value, ..Default::default() }.entry(&[]).unwrap()
    };
    // The column's lowest value is 0.
    let before = setup.clone();
    let wrong = put_term(&columns, &mut setup, log(""), None).unwrap_err();
    assert!(!wrong.is_empty() && setup == before, "{wrong:?}");
    put_term(&columns, &mut setup, log("1"), None).unwrap();
    put_term(&columns, &mut setup, log("2"), None).unwrap();
    put_term(&columns, &mut setup, log("3"), Some(0)).unwrap();
    assert_eq!(setup.derived.iter().map(|term| term.offset).collect::<Vec<_>>(), [Some(3.0), Some(2.0)]);
}

#[test]
fn what_a_term_is_made_from_is_chosen_by_a_click() {
    let (mut columns, setup) = drafts();
    columns.push(number_column("dose, mg", Role::Feature, "0", "9"));
    let mut draft = TermDraft { transform: Transform::Difference, ..TermDraft::default() };
    assert_eq!(draft.choices(&columns, &setup.derived), ["age", "id", "sbp", "dose, mg"]);
    for name in ["dose, mg", "age", "sbp", "age"] {
        draft.choose(name, &columns);
    }
    assert_eq!(
        draft.parts(&columns),
        ["dose, mg", "sbp"],
        "in the order of the clicks, and a second takes one back"
    );
    draft.transform = Transform::Log;
    draft.choose("sbp", &columns);
    draft.choose("age", &columns);
    draft.choose("sbp", &columns);
    assert_eq!((draft.parts(&columns), draft.role), (vec!["sbp".to_owned()], Some(Role::Outcome)));
    draft.transform = Transform::Merged;
    assert_eq!(draft.choices(&columns, &setup.derived), ["sex"]);
    let centred = Derived {
        transform: Transform::Centred,
        from: vec!["age".to_owned()],
        at: Some(50.0),
        ..Derived::default()
    };
    draft.transform = Transform::Product;
    assert_eq!(draft.choices(&columns, &[centred]).last().unwrap(), "age - 50");
    // A term of joined levels is a category.
    let merged = Derived {
        transform: Transform::Merged,
        from: vec!["sex".to_owned()],
        name: Some("wing".to_owned()),
        ..Derived::default()
    };
    for (transform, offered) in
        [(Transform::Product, true), (Transform::Merged, true), (Transform::Log, false)]
    {
        draft.transform = transform;
        let choices = draft.choices(&columns, std::slice::from_ref(&merged));
        assert_eq!(choices.contains(&"wing".to_owned()), offered, "{choices:?}");
    }
}

/// Levels that are spelled in several ways have one share, which a plan divides among the spellings.
#[test]
fn joined_levels_have_one_typical_share() {
    use super::{joined_levels, levels_of, set_share, typed_share};
    let (mut columns, mut setup) = drafts();
    columns[2].levels = "F, female, M, male, X".to_owned();
    columns[2].reference = "female".to_owned();
    let group = |name: &str, levels: &[&str]| crate::plan::document::Group {
        name: name.to_owned(),
        levels: levels.iter().map(|level| (*level).to_owned()).collect(),
    };
    let merged = |groups| Derived {
        transform: Transform::Merged,
        from: vec!["sex".to_owned()],
        groups: Some(groups),
        ..Derived::default()
    };
    let (women, men) = (group("F", &["F", "female"]), group("M", &["M", "male"]));
    setup.derived = vec![merged(vec![women.clone(), men.clone()])];
    assert_eq!(joined_levels(&columns[2], &setup.derived), None, "the column itself is in the model");
    columns[2].role = Role::Ignored;
    let asked = joined_levels(&columns[2], &setup.derived).unwrap();
    assert_eq!(asked, [women.clone(), men.clone(), group("X", &["X"])]);
    set_share(&mut columns[2], &women.levels, "4.".to_owned());
    assert_eq!(typed_share(&columns[2], &women.levels), "4.", "as it is typed");
    set_share(&mut columns[2], &women.levels, "40".to_owned());
    set_share(&mut columns[2], &men.levels, "59".to_owned());
    let made = plan(&columns, &setup, budget(&setup)).unwrap();
    let of = |name: &str| made.column(name).unwrap();
    let shares = of("sex").typical.clone().unwrap().shares.unwrap();
    assert_eq!((shares["F"], shares["female"], shares["male"]), (0.2, 0.2, 0.295));
    let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
    let (again, ..) = open(&made, &names);
    assert_eq!(typed_share(&again[2], &men.levels), "59");
    // Of two the one that is not the reference is asked for, also where a level was joined twice.
    let others = group("others", &["M", "X"]);
    let twice = Derived {
        name: Some("two".to_owned()),
        from: vec!["merged(sex)".to_owned()],
        ..merged(vec![others.clone()])
    };
    assert_eq!(levels_of("two", &columns, &[setup.derived[0].clone(), twice]), ["F", "others"]);
    setup.derived = vec![merged(vec![women, group("M", &["M", "male", "X"])])];
    assert_eq!(joined_levels(&columns[2], &setup.derived).unwrap().len(), 1);
    set_share(&mut columns[2], &["F".to_owned(), "female".to_owned()], String::new());
    assert_eq!(joined_levels(&columns[2], &setup.derived).unwrap()[0].name, "M");
}

#[test]
fn a_column_whose_levels_are_merged_to_an_outcome_is_to_be_ignored() {
    let (mut columns, mut setup) = drafts();
    columns[3] = ColumnDraft {
        name: "stage".to_owned(),
        role: Role::Outcome,
        kind: Some(ColumnType::Category),
        levels: "I, II, III".to_owned(),
        ..ColumnDraft::default()
    };
    let typed = super::TermDraft {
        transform: crate::plan::document::Transform::Merged,
        from: "stage".to_owned(),
        joined: ["II", "III"].map(|level| (level.to_owned(), "late".to_owned())).to_vec(),
        role: Some(Role::Outcome),
        ..Default::default()
    };
    setup.derived.extend(typed.entry(&[]));
    let gaps = plan(&columns, &setup, budget(&setup)).unwrap_err();
    assert_eq!(gaps[0].place, Place::Cell(3, Cell::Levels));
    assert!(gaps[0].text.ends_with("set the role of the column itself to Ignored"), "{gaps:?}");
    columns[3].role = Role::Ignored;
    let made = plan(&columns, &setup, budget(&setup)).unwrap();
    assert_eq!(crate::plan::derived::named_with(&made, Role::Outcome), ["merged(stage)"]);
}

#[test]
fn terms_can_be_all_that_explains_the_outcome() {
    let (mut columns, mut setup) = drafts();
    for place in [0, 2] {
        columns[place].role = Role::Ignored;
    }
    let gaps = plan(&columns, &setup, budget(&setup)).unwrap_err();
    assert!(gaps.iter().any(|gap| gap.text == words::gap::feature()));
    let from = vec!["age".to_owned()];
    setup.derived = vec![Derived { transform: Transform::Square, from, ..Derived::default() }];
    assert!(plan(&columns, &setup, budget(&setup)).is_ok());
}

#[test]
fn rows_are_chosen_by_a_column_that_may_have_no_role() {
    let (mut columns, mut setup) = drafts();
    columns.push(ColumnDraft {
        name: "born".to_owned(),
        kind: Some(ColumnType::Number),
        written: Some(NumberFormat { decimal: b',', ..NumberFormat::default() }),
        ..ColumnDraft::default()
    });
    columns.push(ColumnDraft { name: "ward".to_owned(), ..ColumnDraft::default() });
    let typed = |column: &str, lower: &str, upper: &str, levels: &str| super::ConditionDraft {
        column: column.to_owned(),
        lower: lower.to_owned(),
        upper: upper.to_owned(),
        levels: levels.to_owned(),
    };
    for wrong in [
        typed("born", "", "", ""),
        typed("born", "1,9 to 2", "", ""),
        typed("born", "1990", "1980", ""),
        typed("born", "1990", "", "a, b"),
    ] {
        let faults = super::choose_rows(&columns, &mut setup, &wrong).unwrap_err();
        assert!(!faults.is_empty() && setup.only.is_empty(), "{wrong:?}");
    }
    assert!(!setup.rows.is_empty(), "what was refused changes nothing");
    super::choose_rows(&columns, &mut setup, &typed("born", "1950", "", "")).unwrap();
    super::choose_rows(&columns, &mut setup, &typed("ward", "", "", "A, B 2")).unwrap();
    super::choose_rows(&columns, &mut setup, &typed("born", "1960,5", "", "")).unwrap();
    setup.rows = "300".to_owned();
    let made = plan(&columns, &setup, budget(&setup)).unwrap();
    assert_eq!(made.only.iter().map(|of| of.column.as_str()).collect::<Vec<_>>(), ["ward", "born"]);
    assert_eq!((made.only[1].lower, made.only[1].upper), (Some(1960.5), None), "one condition on a column");
    let born = made.column("born").unwrap();
    assert_eq!(born.role, Role::Ignored);
    assert!(born.written.is_some(), "how its numbers are written stands in the plan");
    columns.pop();
    let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
    let (_, again, lacking) = open(&made, &names);
    assert_eq!((again.only, lacking), (setup.only, vec!["ward".to_owned()]));
}

#[test]
fn the_number_of_rows_is_asked_for_again_with_each_change_of_the_conditions() {
    let (mut columns, mut setup) = drafts();
    columns.push(number_column("born", Role::Ignored, "1900", "2010"));
    setup.rows = "1800".to_owned();
    let choose = |setup: &mut Setup, column: &str, lower: &str| {
        let (column, lower) = (column.to_owned(), lower.to_owned());
        let typed = super::ConditionDraft { column, lower, ..super::ConditionDraft::default() };
        super::choose_rows(&columns, setup, &typed).unwrap();
    };
    let state = |setup: &mut Setup, again: String, rows: &str| {
        assert_eq!((setup.rows.as_str(), setup.asked_again()), ("", Some(again)));
        rows.clone_into(&mut setup.rows);
        assert_eq!(setup.asked_again(), None, "it is stated");
    };
    choose(&mut setup, "born", "1950");
    state(&mut setup, words::privacy::stated_before("1800", "born"), "900");
    choose(&mut setup, "age", "40");
    state(&mut setup, words::privacy::stated_before("900", "age"), "400");
    choose(&mut setup, "age", "50");
    state(&mut setup, words::privacy::stated_otherwise("400", "age"), "300");
    choose(&mut setup, "born", "1950");
    assert_eq!(setup.rows, "300", "nothing was changed");
    super::count_all_rows(&mut setup, "age");
    assert_eq!(setup.asked_again(), Some(words::privacy::stated_otherwise("300", "age")));
    choose(&mut setup, "age", "50");
    assert_eq!((setup.rows.as_str(), setup.asked_again()), ("300", None), "the same rows count again");
    let made = plan(&columns, &setup, budget(&setup)).unwrap();
    let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
    assert_eq!(open(&made, &names).1.rows, "300", "a plan keeps its number");
    setup.adjacency = Adjacency::ReplaceOne;
    super::count_all_rows(&mut setup, "age");
    assert_eq!(setup.rows, "300", "the exact number is of all rows");
}

#[test]
fn rows_are_chosen_by_a_difference_while_there_is_one() {
    let (mut columns, mut setup) = drafts();
    columns.push(number_column("born", Role::Ignored, "1900", "2010"));
    let term = Derived {
        name: Some("years".to_owned()),
        transform: Transform::Difference,
        from: vec!["age".to_owned(), "born".to_owned()],
        ..Derived::default()
    };
    setup.derived.push(term);
    assert_eq!(differences(&setup), ["years"]);
    let typed = super::ConditionDraft {
        column: "years".to_owned(),
        lower: "0".to_owned(),
        ..super::ConditionDraft::default()
    };
    super::choose_rows(&columns, &mut setup, &typed).unwrap();
    setup.rows = "300".to_owned();
    let made = plan(&columns, &setup, budget(&setup)).unwrap();
    assert_eq!(made.only[0].column, "years");
    let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
    let (_, again, lacking) = open(&made, &names);
    assert_eq!((again.only, lacking), (setup.only.clone(), Vec::new()));
    setup.derived.clear();
    let gaps = plan(&columns, &setup, budget(&setup)).unwrap_err();
    assert_eq!(gaps.iter().map(|gap| &gap.place).collect::<Vec<_>>(), [&Place::columns("only")], "{gaps:?}");
}

#[test]
fn a_share_is_a_whole_percentage() {
    for (text, share) in [("33", 33), (" 33 % ", 33), ("33,0", 33), ("100", 100), ("1", 1)] {
        assert_eq!(percent(text), Some(share), "{text}");
    }
    for text in ["", "0", "0.9", "33,3", "12.5%", "101", "150", "abc", "-5"] {
        assert_eq!(percent(text), None, "{text}");
    }
}

#[test]
fn rows_that_cannot_be_read_are_said_once() {
    let (columns, setup) = drafts();
    for (rows, one_in) in [("six thousand", ""), ("six thousand", "100000"), ("0", "100000")] {
        let typed = Setup { rows: rows.to_owned(), one_in: one_in.to_owned(), ..setup.clone() };
        let gaps = plan(&columns, &typed, budget(&typed)).unwrap_err();
        assert_eq!(gaps, [Gap::new(Place::privacy("rows"), words::gap::rows())], "{one_in}");
    }
    let none = Setup { rows: String::new(), one_in: "100000".to_owned(), ..setup };
    assert!(plan(&columns, &none, budget(&none)).is_ok());
}

#[test]
fn numbers_as_people_type_them() {
    for (text, expected) in [
        (" 1,5 ", Some(1.5)),
        ("−2", Some(-2.0)),
        ("1 000", Some(1000.0)),
        ("1\u{202f}000,5", Some(1000.5)),
        ("1'000", Some(1000.0)),
        ("1_000", Some(1000.0)),
        ("1,234.5", Some(1234.5)),
        ("1.234,5", Some(1234.5)),
        ("1e3", Some(1000.0)),
        ("1,000,000", Some(1e6)),
        ("1.000.000", Some(1e6)),
        ("0,500", Some(0.5)),
        ("0.050", Some(0.05)),
        ("1.025", Some(1.025)),
        ("1 2", None),
        ("", None),
        ("inf", None),
        ("NaN", None),
        ("12 mmHg", None),
    ] {
        assert_eq!(number(text), expected, "{text:?}");
    }
    for (text, one, other) in
        [("50,000", 50_000.0, 50.0), ("50.000", 50.0, 50_000.0), ("-1,250", -1_250.0, -1.25)]
    {
        assert_eq!((number(text), two_numbers(text)), (None, Some([one, other])), "{text:?}");
    }
    assert_eq!([-1_594.0, -1.594].map(shown), ["−1594", "−1.594"]);
    for (text, expected) in [
        ("12 000", Some(12_000)),
        ("50,000", Some(50_000)),
        ("50.000", Some(50_000)),
        ("1,234,567", Some(1_234_567)),
        ("1.025", Some(1_025)),
        ("12,5", None),
        ("0", None),
        ("-3", None),
        ("1e300", None),
    ] {
        assert_eq!(
            (count(text), two_numbers(text).filter(|_| expected.is_none())),
            (expected, None),
            "{text:?}"
        );
    }
}

#[test]
fn a_bound_that_can_be_two_numbers_is_asked_about() {
    let (mut columns, setup) = drafts();
    columns[0].upper = "1,200".to_owned();
    let gaps = plan(&columns, &setup, budget(&setup)).unwrap_err();
    assert_eq!(gaps[0].place, Place::Cell(0, Cell::Upper));
    assert!(gaps[0].text.contains(crate::words::gap::two_numbers()), "{}", gaps[0].text);
}

#[test]
fn a_bound_of_a_column_of_dates_may_be_typed_as_a_date() {
    let mut column = number_column("admitted", Role::Feature, "12.03.2019", "31.12.2021");
    column.bounds_of_dates();
    assert_eq!(column.lower, "12.03.2019", "a column of numbers");
    column.written = Some(NumberFormat::years(DateOrder::DayMonthYear));
    column.bounds_of_dates();
    // 70 of 365 days, and 364 of 365, each rounded so that the day lies within.
    assert_eq!([&*column.lower, &*column.upper], ["2019.1917", "2021.9973"]);
    column.upper = "2022".to_owned();
    column.bounds_of_dates();
    assert_eq!([&*column.lower, &*column.upper], ["2019.1917", "2022"]);
}

#[test]
fn levels_may_hold_commas() {
    assert_eq!(list("F, M,, \"a, b\" "), ["F", "M", "a, b"]);
    assert_eq!(list("F; M"), ["F", "M"], "semicolons where no comma stands");
    assert_eq!(
        list("\"\", I10, \"a, b\""),
        ["", "I10", "a, b"],
        "two quotes are an empty cell, as in a plan"
    );
    assert_eq!(list("F; M, X"), ["F; M", "X"]);
    assert_eq!(list("なし、あり"), ["なし", "あり"]);
    assert_eq!(list("男，女"), ["男", "女"]);
    assert_eq!(number("１８"), Some(18.0));
    assert_eq!(count("６０００"), Some(6_000));
    assert_eq!(list(&unlist(&list("\"a、b\", c"))), ["a、b", "c"]);
    let odd = ["a, b", "c; d", "e"].map(str::to_owned);
    assert_eq!(list(&unlist(&odd)), odd);
    assert_eq!(list(&unlist(&odd[1..2])), odd[1..2]);
    assert_eq!(list(&unlist(&list("F, \"a, b\""))), ["F", "a, b"]);
}

#[test]
fn a_level_for_empty_cells_is_typed_in_a_word() {
    let (mut columns, setup) = drafts();
    for (levels, reference, named) in [("(blank), x", "", None), ("x, (blank)", "(blank)", Some(""))] {
        (columns[2].levels, columns[2].reference) = (levels.to_owned(), reference.to_owned());
        let plan = plan(&columns, &setup, budget(&setup)).unwrap();
        let column = &plan.columns[1];
        assert_eq!(column.levels.as_deref(), Some(&list(levels)[..]));
        assert_eq!(column.reference.as_deref(), named);
        assert!(
            column
                .reference_level()
                .is_some_and(|level| level.is_empty() && column.level_name(level) == "(blank)")
        );
        let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
        let (again, ..) = open(&plan, &names);
        assert_eq!((again[2].levels.as_str(), again[2].reference.as_str()), (levels, reference));
    }
}

#[test]
fn a_draft_becomes_a_plan_and_comes_back() {
    let (columns, setup) = drafts();
    let plan = plan(&columns, &setup, budget(&setup)).unwrap();
    assert_eq!(plan.columns.len(), 3);
    assert_eq!(plan.stated_rows, Some(12_000));
    assert_eq!(plan.budget.delta, Some(1.0 / 200_000.0));
    let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
    let (again, setup_again, _) = open(&plan, &names);
    let mut expected = columns;
    expected[1].kind = None;
    assert_eq!(again, expected);
    assert_eq!(super::plan(&again, &setup_again, budget(&setup_again)).unwrap(), plan);
    let (others, _, lacking) = open(&plan, &names[1..]);
    assert_eq!(
        (lacking, others[1].role),
        (vec!["age".to_owned()], again[2].role),
        "the others keep their roles"
    );
}

#[test]
fn a_reference_goes_with_retyped_levels() {
    let mut column = ColumnDraft { reference: "nein".to_owned(), ..ColumnDraft::default() };
    for (typed, reference) in [("Ja, Nein", "Nein"), ("Nein, Ja, unbekannt", "Nein"), ("yes, no", "")] {
        super::retype_levels(&mut column, typed.to_owned());
        assert_eq!((column.levels.as_str(), column.reference.as_str()), (typed, reference));
    }
}

#[test]
fn a_typical_share_stays_with_its_level() {
    let (mut columns, setup) = drafts();
    let typed = |level: &str, share: &str| BTreeMap::from([(level.to_owned(), share.to_owned())]);
    columns[2].typical_shares = typed("M", "8 %");
    let share = |columns: &[ColumnDraft]| {
        plan(columns, &setup, budget(&setup)).unwrap().columns[1]
            .typical
            .as_ref()
            .and_then(|known| known.share)
    };
    assert_eq!(share(&columns), Some(0.08));
    let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
    let (again, ..) = open(&plan(&columns, &setup, budget(&setup)).unwrap(), &names);
    assert_eq!(again[2].typical_shares, typed("M", "8"));
    columns[2].reference = "M".to_owned();
    assert_eq!(share(&columns), Some(0.92), "of the level that is not the reference");
    columns[2].levels = "f, m".to_owned();
    columns[2].reference.clear();
    assert_eq!(super::levels_of_share(&columns[2]), ["m"], "the level that is there now");
    for wrong in ["0", "100", "eight", "-3"] {
        columns[2].typical_shares = typed("m", wrong);
        assert_eq!(share(&columns), None, "{wrong}");
    }
}

#[test]
fn a_typical_mean_of_zeros_and_ones_is_a_share() {
    let (mut columns, setup) = drafts();
    let place = columns.iter().position(|column| column.kind == Some(ColumnType::Number)).unwrap();
    columns[place].typical_mean = "0.1".to_owned();
    let sd = |columns: &[ColumnDraft]| {
        let plan = plan(columns, &setup, budget(&setup)).unwrap();
        plan.columns.iter().find_map(|column| column.typical.as_ref()?.sd)
    };
    assert_eq!(sd(&columns), None, "of other numbers the mean says nothing of their spread");
    columns[place].lower = "0".to_owned();
    columns[place].upper = "1".to_owned();
    assert!(sd(&columns).is_some_and(|sd| (sd - 0.3).abs() < 1e-12), "{:?}", sd(&columns));
    columns[place].typical_sd = "0.25".to_owned();
    assert_eq!(sd(&columns), Some(0.25));
}

#[test]
fn typical_shares_of_several_levels_have_to_fit() {
    let (mut columns, setup) = drafts();
    columns[2].levels = "I, II, III".to_owned();
    let shares = |columns: &[ColumnDraft]| {
        plan(columns, &setup, budget(&setup)).unwrap().columns[1]
            .typical
            .clone()
            .and_then(|known| known.shares)
    };
    columns[2].typical_shares = BTreeMap::from([("III".to_owned(), "2".to_owned())]);
    assert_eq!(shares(&columns), Some(BTreeMap::from([("III".to_owned(), 0.02)])));
    let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
    let (again, ..) = open(&plan(&columns, &setup, budget(&setup)).unwrap(), &names);
    assert_eq!(again[2].typical_shares, columns[2].typical_shares);
    columns[2].typical_shares.extend([("I".to_owned(), "60".to_owned()), ("II".to_owned(), "60".to_owned())]);
    assert_eq!(shares(&columns), None);
    assert!(super::have_impossible_shares(&columns[2]));
}

#[test]
fn a_plan_that_estimates_bounds_comes_back_with_share_and_consent() {
    let (mut columns, mut setup) = drafts();
    columns[0].lower.clear();
    (columns[0].estimate, columns[0].integer) = (true, Some(true));
    (setup.estimate_share, setup.uncertain_bounds, setup.header) = ("7.5".to_owned(), true, Some(2));
    let plan = plan(&columns, &setup, budget(&setup)).unwrap();
    assert_eq!((plan.columns[0].lower, plan.columns[0].integer), (Some(Bound::Estimate), Some(true)));
    assert_eq!(
        (plan.estimate_share, plan.confirm.as_slice()),
        (Some(0.075), &[Confirm::UncertainBounds][..])
    );
    assert_eq!(plan.csv.as_ref().unwrap().header, Some(2));
    let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
    let (again, setup_again, _) = open(&plan, &names);
    assert_eq!(super::plan(&again, &setup_again, budget(&setup_again)).unwrap(), plan);
    // Where a bound is typed after all, nothing needs consent.
    columns[0].lower = "0".to_owned();
    assert_eq!(super::plan(&columns, &setup, budget(&setup)).unwrap().confirm, []);
}

#[test]
fn an_unfinished_draft_is_kept_and_comes_back() {
    let (mut columns, mut setup) = drafts();
    columns[0].upper.clear();
    (columns[2].levels, columns[3].kind) = (String::new(), None);
    (columns[3].lower, columns[3].upper) = (String::new(), String::new());
    (setup.rows, setup.share, setup.header) = (String::new(), 100, Some(3));
    setup.epsilon = "2.5".to_owned();
    setup.split = Split::Both;
    (columns[0].label, columns[0].note) = ("Age at entry".to_owned(), "a source".to_owned());
    // A column without a role keeps what was said of it.
    (columns[1].lower, columns[1].upper, columns[1].unit) = ("1".to_owned(), "9".to_owned(), "kg".to_owned());
    let kept = KeptDraft::of(&columns, &setup).unwrap();
    let text = serde_json::to_string(&kept).unwrap();
    let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
    let (again, setup_again) = serde_json::from_str::<KeptDraft>(&text).unwrap().open(&names).unwrap();
    assert_eq!(again, columns);
    assert_eq!(setup_again, setup);
    assert_eq!(kept.open(&names[1..]), None);
    assert_eq!(KeptDraft::of(&[ColumnDraft::default()], &setup), None, "nothing is described yet");
}

#[test]
fn a_share_that_cannot_be_is_named_at_its_field() {
    let (mut columns, mut setup) = drafts();
    (columns[0].lower, columns[0].estimate) = (String::new(), true);
    for share in ["x", "60", "0.1"] {
        setup.estimate_share = share.to_owned();
        let gaps = plan(&columns, &setup, budget(&setup)).unwrap_err();
        assert_eq!(gaps[0].place, Place::columns("estimate_share"), "{share}");
    }
}

#[test]
fn a_plan_with_patterns_comes_back_as_it_was() {
    let (mut columns, mut setup) = drafts();
    columns.extend((0..50).map(|index| number_column(&format!("gene_{index}"), Role::Outcome, "0", "9")));
    columns[10].upper = "8".to_owned();
    setup.patterns = vec!["gene_*".to_owned()];
    let plan = plan(&columns, &setup, budget(&setup)).unwrap();
    assert_eq!(plan.columns.len(), 5, "three, the pattern and what differs from it");
    let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
    let (again, setup_again, _) = open(&plan, &names);
    columns[1].kind = None;
    assert_eq!(again, columns);
    assert_eq!(setup_again.patterns, setup.patterns);
    assert_eq!(super::plan(&again, &setup_again, budget(&setup_again)).unwrap(), plan);
    let bound = crate::engine::prepare(plan, &names, b',', crate::plan::Purpose::Release).unwrap();
    assert_eq!(bound.bound().columns.len(), 53, "the whole program reads it alike");
}

#[test]
fn everything_missing_is_named_at_its_place() {
    let (mut columns, setup) = drafts();
    columns[0].upper.clear();
    columns[2].levels = "F".to_owned();
    let gaps = plan(&columns, &setup, budget(&setup)).unwrap_err();
    let places: Vec<_> = gaps.iter().map(|gap| gap.place.clone()).collect();
    assert_eq!(places, [Place::Cell(0, Cell::Upper), Place::Cell(2, Cell::Levels)]);
    assert_eq!(plan(&[], &setup, budget(&setup)).unwrap_err()[0].place, Place::Whole(Step::Data));
    let unstated = Setup::default();
    assert_eq!(budget(&unstated).unwrap_err().place, Place::privacy("rows"));
}

#[test]
fn a_block_of_bounds_is_pasted_where_it_begins() {
    let (mut columns, _) = drafts();
    assert!(is_block("1\t2") && !is_block("12\n"));
    paste(&mut columns, &[0, 3], Cell::Lower, &block("18\t90\tyears\r\n70\t250\tmmHg\r\n"));
    assert_eq!((columns[0].upper.as_str(), columns[0].unit.as_str()), ("90", "years"));
    assert_eq!((columns[3].lower.as_str(), columns[3].unit.as_str()), ("70", "mmHg"));
    paste(&mut columns, &[0], Cell::Upper, &block("95\tmonths\tover"));
    assert_eq!((columns[0].lower.as_str(), columns[0].upper.as_str()), ("18", "95"));
}

#[test]
fn the_filter_takes_parts_and_patterns() {
    let (columns, _) = drafts();
    assert_eq!(filtered(&columns, "", false), [0, 1, 2, 3]);
    assert_eq!(filtered(&columns, "S", false), [2, 3]);
    assert_eq!(filtered(&columns, "*e", false), [0]);
    let mut of_some = columns.clone();
    of_some
        .iter_mut()
        .for_each(|column| *column = ColumnDraft { name: column.name.clone(), ..ColumnDraft::default() });
    of_some[1].role = Role::Feature;
    (of_some[2].kind, of_some[2].levels) = (Some(ColumnType::Category), "a, b".to_owned());
    of_some[3].kind = Some(ColumnType::Number);
    assert_eq!(filtered(&of_some, "", true), [1, 2], "those with a role or a whole description");
    let offered = |name: &str| is_choice_of_many(name, &of_some);
    let own = |place: usize| offered(&of_some[place].name.clone());
    assert_eq!([own(0), own(1), own(2), own(3), offered("log(x)")], [false, true, true, false, true]);
    let mut columns = columns;
    columns[1].name.clear();
    assert_eq!(filtered(&columns, "", false), [0, 2, 3], "a column without a name cannot be in a plan");
}

#[test]
fn a_name_that_two_columns_have_is_told_where_one_of_them_is_used() {
    let (mut columns, setup) = drafts();
    columns[1].name = "age".to_owned();
    let gaps = plan(&columns, &setup, budget(&setup)).unwrap_err();
    assert_eq!(gaps[0].place, Place::Cell(0, Cell::Role));
    assert_eq!(gaps.len(), 1, "{gaps:?}");
    columns[0].role = Role::Ignored;
    assert!(plan(&columns, &setup, budget(&setup)).is_ok(), "a name that is not used may occur twice");
}

#[test]
fn a_plan_s_path_leads_to_its_field() {
    let (columns, setup) = drafts();
    let plan = plan(&columns, &setup, budget(&setup)).unwrap();
    assert_eq!(place("columns[1].levels", &plan, &columns), Place::Cell(2, Cell::Levels));
    assert_eq!(place("columns[9].levels", &plan, &columns), Place::Whole(Step::Columns));
    assert_eq!(place("budget.delta", &plan, &columns), Place::privacy("delta"));
    assert_eq!(place("public.terms[3].sd", &plan, &columns), Place::method("public"));
    assert_eq!(place("mechanism.params.shape", &plan, &columns), Place::method("shape"));
}

#[test]
fn half_of_a_ledger_can_be_asked_for_twice() {
    for left in [61_000_000_000_u128, 1_099_511_627_776, 7_000_000, 123_456_789_012_345] {
        let asked = ask(left, 50, 1e-6).mu.unwrap();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "positive and below 2^53"
        )]
        let units = (asked * asked * 1_099_511_627_776.0) as u128;
        assert!(2 * units <= left && 2 * units > left - left / 10_000, "{left} {units}");
    }
    let all = ask(1_099_511_627_776, 100, 1e-6).mu.unwrap();
    assert!((all - 1.0).abs() < 1e-5 && all <= 1.0);
}

#[test]
fn delta_is_proposed_well_below_one_over_the_rows() {
    for (rows, expected) in [(1, 10), (442, 5_000), (12_000, 200_000), (1_000_000, 10_000_000)] {
        assert_eq!(proposed_one_in(rows), expected);
    }
}

#[test]
fn a_count_needs_only_the_columns_that_are_described() {
    let (mut columns, mut setup) = drafts();
    setup.epsilon = "?".to_owned();
    let names = |columns: &[ColumnDraft], setup: &Setup| -> Vec<String> {
        let plan = plan_to_inspect(columns, setup);
        plan.into_iter().flat_map(|plan| plan.columns).filter_map(|column| column.name).collect()
    };
    let all = names(&columns, &setup);
    assert!(
        all.contains(&"age".to_owned()) && all.contains(&"sbp".to_owned()) && !all.contains(&"id".to_owned())
    );
    columns[0].upper.clear();
    assert!(!names(&columns, &setup).contains(&"age".to_owned()), "it has no bound yet");
    (columns[0].estimate, columns[0].unit) = (true, "years".to_owned());
    assert_eq!(names(&columns, &setup), all, "no number is outside bounds that are estimated");
    let before = plan_to_inspect(&columns, &setup);
    (columns[0].unit, columns[3].role) = ("months".to_owned(), Role::Feature);
    assert_eq!(plan_to_inspect(&columns, &setup), before, "neither changes a count");
    for column in &mut columns {
        column.role = Role::Ignored;
    }
    assert_eq!(plan_to_inspect(&columns, &setup), None);
}

#[test]
fn a_format_of_a_column_comes_back_with_its_plan() {
    let (mut columns, setup) = drafts();
    let format = NumberFormat { percent: true, ..NumberFormat::plain(b',') };
    columns[0].written = Some(format);
    columns[2].written = Some(format);
    let plan = plan(&columns, &setup, budget(&setup)).unwrap();
    assert_eq!(
        plan.columns.iter().filter(|column| column.written.is_some()).count(),
        1,
        "a category has none"
    );
    let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
    assert_eq!(open(&plan, &names).0[0].written, Some(format));
}

#[test]
fn a_table_without_its_persons_or_one_column_is_alike() {
    let (mut columns, mut setup) = drafts();
    setup.person = "patient".to_owned();
    for column in &mut columns {
        column.label = format!("What {} is", column.name);
    }
    let kept = super::KeptDraft::of(&columns, &setup).unwrap();
    let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
    assert!(kept.open(&names).is_none(), "whose row is whose is not known there");
    assert!(kept.is_alike(&names));
    assert!(!kept.is_alike(&["patient".to_owned(), "ward".to_owned()]));
    // The same export with labels in its first line, for which a codebook has the names.
    let labels: Vec<String> = columns.iter().map(|column| column.label.clone()).collect();
    assert!(kept.open(&labels).is_none() && kept.is_alike(&labels));
}

#[test]
fn a_number_of_rows_is_not_kept_as_one_of_persons() {
    let mut setup = Setup { rows: "6000".to_owned(), ..Setup::default() };
    setup.identify("id".to_owned(), "3".to_owned());
    assert_eq!(setup.rows, "6000", "rows that count are rows");
    setup.identify("id".to_owned(), "1".to_owned());
    assert!(setup.rows.is_empty() && setup.counts_persons());
    assert_eq!(setup.asked_again(), Some(words::privacy::stated_of_rows("6000")));
    setup.identify("id".to_owned(), "12".to_owned());
    assert_eq!(setup.rows, "6000", "1 is where 12 begins");
    setup.identify("id".to_owned(), "1".to_owned());
    assert_eq!(setup.lacks_rows(), Gap::new(Place::privacy("rows"), words::gap::number_of_persons()));
    (setup.rows, setup.other_persons) = ("1800".to_owned(), true);
    setup.identify("key".to_owned(), "1".to_owned());
    assert_eq!((setup.rows.as_str(), setup.other_persons), ("1800", false));
}

#[test]
fn a_chosen_method_goes_with_the_outcome_that_it_was_chosen_for() {
    let (_, mut setup) = drafts();
    let logarithm = |role| Derived {
        transform: Transform::Log,
        from: vec!["sbp".to_owned()],
        role,
        ..Derived::default()
    };
    setup.derived = vec![logarithm(None), logarithm(Some(Role::Outcome))];
    setup.choose(Some("analyze-gauss"));
    assert_eq!(take_term(&mut setup, 2), None);
    assert_eq!(take_term(&mut setup, 0), Some(logarithm(None)));
    assert_eq!(setup.mechanism.as_deref(), Some("analyze-gauss"), "the outcome is still there");
    assert_eq!(take_term(&mut setup, 0), Some(logarithm(Some(Role::Outcome))));
    assert_eq!((setup.mechanism, setup.derived), (None, Vec::new()));
}

#[test]
fn what_is_made_of_an_outcome_is_one() {
    let columns = [("age", Role::Feature), ("stay", Role::Outcome), ("note", Role::Ignored)]
        .map(|(name, role)| ColumnDraft { name: name.to_owned(), role, ..ColumnDraft::default() });
    let mut typed = super::TermDraft::default();
    for (from, outcome) in [("stay ", true), ("note", true), ("age, stay", true), ("age", false), ("", false)]
    {
        typed.make_from(from.to_owned(), &columns);
        let is_outcome = typed.role == Some(Role::Outcome);
        assert_eq!((typed.from.as_str(), is_outcome), (from, outcome));
    }
}

/// Of a large file nothing is counted unasked, so a release waits for the rows of those whom a column seems to name.
#[test]
fn rows_of_persons_are_to_be_counted_until_they_are() {
    use crate::data::mismatch::Contradiction;
    let (columns, mut setup) = drafts();
    let waits =
        |columns: &[ColumnDraft], setup: &Setup, counted| persons_not_counted(columns, setup, counted);
    let id = Some("id".to_owned());
    assert_eq!(waits(&columns, &setup, None), id);
    let (_, plan) = plan_to_count_persons(&columns, &setup).unwrap();
    assert_eq!(waits(&columns, &setup, Some(("id", &plan))), None);
    assert_eq!(waits(&columns, &setup, Some(("age", &plan))), id, "another column was counted");
    // That each person has one row is what the count shows, so the word alone is not enough.
    setup.confirmed.insert(confirmation(1, &columns[1], Contradiction::Persons));
    assert_eq!(waits(&columns, &setup, None), id);
    let semicolons = Setup { delimiter: ";".to_owned(), ..setup.clone() };
    assert_eq!(waits(&columns, &semicolons, Some(("id", &plan))), id, "the file is read in another way");
    let narrower = [number_column("age", Role::Feature, "18", "99"), columns[1].clone(), columns[3].clone()];
    assert_eq!(waits(&narrower, &setup, Some(("id", &plan))), None, "no bound changes whose row is whose");
    let named = Setup { person: "id".to_owned(), ..setup.clone() };
    assert_eq!(waits(&columns, &named, None), None);
    setup.confirmed.insert(confirmation(1, &columns[1], Contradiction::SeveralRows));
    assert_eq!(waits(&columns, &setup, None), None, "it names no persons");
}

/// The word that each person has one row is of persons, and not of cells, so it comes back with the description.
#[test]
fn that_each_person_has_one_row_is_kept_with_the_description() {
    use crate::data::mismatch::Contradiction;
    let (mut columns, mut setup) = drafts();
    setup.confirmed.insert(confirmation(1, &columns[1], Contradiction::Persons));
    setup.confirmed.insert(confirmation(0, &columns[0], Contradiction::Outside));
    let kept = KeptDraft::of(&columns, &setup).unwrap();
    let text = serde_json::to_string(&kept).unwrap();
    let kept: KeptDraft = serde_json::from_str(&text).unwrap();
    // The mended file has its columns in another order.
    let names = ["id", "age", "sex", "sbp"].map(str::to_owned);
    let (_, again) = kept.open(&names).unwrap();
    columns[1].upper = "9".to_owned();
    assert_eq!(again.confirmed, [confirmation(0, &columns[1], Contradiction::Persons)].into());
}

#[test]
fn a_term_says_how_many_spellings_it_joins() {
    let group = |name: &str, levels: &[&str]| crate::plan::document::Group {
        name: name.to_owned(),
        levels: levels.iter().map(|level| (*level).to_owned()).collect(),
    };
    let term = Derived {
        transform: Transform::Merged,
        groups: Some(vec![group("Berlin", &["Berlin", "berlin"]), group("Hessen", &["Hessen", "HESSEN"])]),
        ..Derived::default()
    };
    assert_eq!(spellings(&term), 4);
    assert!(is_other_spelling(&term, "HESSEN") && !is_other_spelling(&term, "Hessen"));
    assert!(!is_other_spelling(&term, "Bayern"), "it is joined with none");
}
