//! What is foreseen of a plan and recommended for it, from public numbers alone.

use discreet::engine::foresee::{Foreseen, expected, foresee, half_widths, hopeless, precision, risk};
use discreet::engine::recommend::recommend;
use discreet::engine::{bounds_outlook, demonstrate, prepare, prepare_with, standard_errors};
use discreet::inference::noise_forecast::Advice;
use discreet::inference::preview::Verdict;
use discreet::inference::pseudo::Pseudo;
use discreet::math::median;
use discreet::mechanisms::estimated_bounds::forecast::Prospect;
use discreet::mechanisms::info::{FAMILY, Info, LOGISTIC, Scope, all};
use discreet::model::note::in_groups;
use discreet::model::{Assurance, Wallet};
use discreet::noise::entropy::DemoRng;
use discreet::plan::public::PublicTable;
use discreet::plan::{Plan, Purpose};
use discreet::release::format::significant;
use serde_json::{Value, json};

use crate::support::{list, prepared, scan, simulation, software};

const NAMES: [&str; 4] = ["age", "sex", "bmi", "sbp"];

fn plan(rows: Option<u64>, epsilon: f64) -> Value {
    json!({
        "schema": "discreet.plan/1",
        "adjacency": "add-remove",
        "stated_rows": rows,
        "columns": [
            {"name": "age", "role": "feature", "type": "number", "lower": 18, "upper": 100},
            {"name": "sex", "role": "feature", "type": "category", "levels": ["F", "M"]},
            {"name": "bmi", "role": "feature", "type": "number", "lower": 15, "upper": 60},
            {"name": "sbp", "role": "outcome", "type": "number", "lower": 40, "upper": 270}
        ],
        "mechanism": {"name": "adaptive-gauss"},
        "budget": {"epsilon": epsilon, "delta": 1e-6}
    })
}

fn names() -> Vec<String> {
    NAMES.iter().map(ToString::to_string).collect()
}

fn parsed(plan: &Value) -> Plan {
    Plan::parse(&plan.to_string()).unwrap()
}

fn foreseen(plan: &Value) -> Foreseen {
    foresee(&prepare(parsed(plan), &names(), b',', Purpose::Simulate).unwrap()).unwrap()
}

fn recommended(plan: &Value) -> (&'static str, Value, String) {
    let found = recommend(&parsed(plan), &names(), b',');
    (found.name, Value::Object(found.params), found.reason)
}

#[test]
fn many_rows_are_recommended_the_adaptive_mechanism_with_its_errors() {
    let with_unit = {
        let mut plan = plan(Some(12_000), 2.0);
        plan["columns"][3]["unit"] = json!("mmHg");
        plan
    };
    let foreseen = foreseen(&with_unit);
    let halves = half_widths(&parsed(&with_unit), &foreseen.rehearsals.terms).unwrap();
    let [least, most] = [&foreseen.rehearsals.terms[0], &foreseen.rehearsals.terms[1]]
        .map(|term| significant(term.half(), 2));
    let told =
        format!("from about ± {least} mmHg (`age`, per unit) to ± {most} mmHg (`sex[M]`, M against F).");
    assert!(halves.ends_with(&told), "{halves}");
    assert_eq!(foreseen.forecast.advice, Advice::Recommended);
    assert_eq!(foreseen.needed, None);
    let terms: Vec<&str> = foreseen.rehearsals.terms.iter().map(|term| term.term.as_str()).collect();
    assert_eq!(terms, ["age", "sex[M]", "bmi"]);
    // A number's spread is a sixth of its range, three terms explain 0.09 of the outcome each, and two numbers have a correlation of 0.3:
    // √0.73 (230/6)/(82/6)/√(12,000 · 0.91).
    let age = &foreseen.rehearsals.terms[0];
    let sampling = 0.73_f64.sqrt() * (230.0 / 6.0) / (82.0 / 6.0) / (12_000.0_f64 * 0.91).sqrt();
    assert!((age.sampling_std_error / sampling - 1.0).abs() < 0.05, "{} {sampling}", age.sampling_std_error);
    // What shortening costs counts as noise.
    let noise = (foreseen.forecast.widening().powi(2) - 1.0).sqrt() * sampling;
    assert!((age.noise_std_error / noise - 1.0).abs() < 0.35, "{}", age.noise_std_error / sampling);
    assert!((age.noise_share - (age.noise_std_error / (age.half() / 1.96)).powi(2)).abs() < 1e-9);
    let (name, params, reason) = recommended(&plan(Some(12_000), 2.0));
    assert_eq!((name, params), ("adaptive-gauss", json!({})));
    assert!(reason.contains("least noise"), "{reason}");
}

#[test]
fn a_spread_that_is_assumed_is_named() {
    let mut plan = plan(Some(12_000), 2.0);
    let advice = foreseen(&plan).sentences().join(" ");
    assert!(advice.contains("if the values of `age`, `bmi` and `sbp` spread as is assumed"), "{advice}");
    let assumption = |plan: &Value| foreseen(plan).assumption();
    let told = assumption(&plan).unwrap();
    assert!(
        told.starts_with("This assumes that the standard deviation of `age` and `bmi` is a sixth"),
        "{told}"
    );
    plan["columns"][0]["typical"] = json!({"sd": 15});
    assert!(assumption(&plan).unwrap().contains("of `bmi` is"));
    plan["columns"][2]["typical"] = json!({"sd": 5});
    // What is assumed of an outcome stands beside the widths.
    assert_eq!(assumption(&plan), None);
    assert!(foreseen(&plan).sentences().join(" ").contains("if the values of `sbp` spread as is assumed"));
    plan["columns"][3]["typical"] = json!({"sd": 18});
    assert!(!foreseen(&plan).sentences().join(" ").contains("a sixth of the range"));
    let served = json!({"name": "crp", "role": "ignored", "type": "number", "lower": 0.5, "upper": 90});
    plan["columns"].as_array_mut().unwrap().push(served);
    plan["derived"] = json!([{"transform": "log", "from": ["crp"]}]);
    let names = ["age", "bmi", "sbp", "sex", "crp"].map(str::to_owned);
    let of_served = foresee(&prepare(parsed(&plan), &names, b',', Purpose::Release).unwrap()).unwrap();
    let advice = of_served.sentences().join(" ");
    assert!(advice.contains("if the values of `crp` spread as is assumed"), "{advice}");
    assert!(of_served.assumption().unwrap().contains("of `crp` is"));
}

/// Wide bounds make no difference to the first number, so what it rests on and what closer values cost stand beside it.
#[test]
fn a_width_that_rests_on_an_assumed_spread_of_the_outcome_says_so() {
    let with = |upper: f64, typical: Value| {
        let mut plan = plan(Some(1_850), 2.0);
        let own = json!({"name": "sbp", "role": "outcome", "type": "number", "lower": 100, "upper": upper,
            "unit": "ms", "typical": typical});
        plan["columns"][3] = own;
        foreseen(&plan)
    };
    let of = |found: &Foreseen| found.sentences().into_iter().find(|told| told.starts_with("An interval"));
    let times = |told: &str, before: &str| -> f64 {
        told.split_once(before).unwrap().1.split(' ').next().unwrap().parse().unwrap()
    };
    for (upper, sd) in [(2_000.0, "317 ms"), (60_000.0, "9980 ms")] {
        let told = of(&with(upper, Value::Null)).unwrap();
        let rests = format!("if the standard deviation of `sbp` is about {sd}, a sixth of its stated range.");
        assert!(told.contains(&rests), "{told}");
        let narrow = times(&told, "With a tenth of that standard deviation it is about ");
        assert!(narrow > 1.2 * times(&told, "is about "), "{told}");
    }
    let stated = of(&with(60_000.0, json!({"sd": 300}))).unwrap();
    assert!(stated.ends_with("as wide as without privacy.") && times(&stated, "about ") > 2.0, "{stated}");
}

#[test]
fn robust_errors_are_foretold() {
    let mut robust = plan(Some(12_000), 2.0);
    let told = |plan: &Value| foreseen(plan).sentences().join(" ");
    let offers = "robust standard errors help; they are a parameter of the method";
    let skewed = "If the outcome is skewed, such as a length of stay or a cost, coefficients come out smaller, and intervals hold less often \
                  than their level says. Take its logarithm, a term made from a column.";
    let found = told(&robust);
    assert!(!found.contains("will be robust") && found.contains(offers) && found.contains(skewed), "{found}");
    // They do not make up for a bias, so what is said of a skewed outcome stays.
    robust["mechanism"]["params"] = json!({"robust_share": 0.1});
    let found = told(&robust);
    assert!(found.contains("will be robust") && !found.contains(offers) && found.contains(skewed), "{found}");
    assert!(found.contains("Robust standard errors do not make up for a skewed outcome."), "{found}");
}

/// The outcome's logarithm spreads alike for every method: a number whose spread comes near its mean is log-normal.
#[test]
fn the_logarithm_of_a_skewed_number_has_the_spread_of_a_log_normal_one() {
    let half = |mechanism: &str| {
        let mut plan = plan(Some(20_000), 8.0);
        let outcome = &mut plan["columns"][3];
        outcome["role"] = json!("ignored");
        (outcome["lower"], outcome["upper"]) = (json!(1), json!(3_000));
        outcome["typical"] = json!({"mean": 320, "sd": 160});
        let name = outcome["name"].clone();
        plan["derived"] = json!([{"transform": "log", "from": [name], "role": "outcome"}]);
        plan["mechanism"] = json!({"name": mechanism});
        let prepared = prepare(parsed(&plan), &names(), b',', Purpose::Release).unwrap();
        let foreseen = foresee(&prepared).map(|foreseen| foreseen.rehearsals.terms);
        let terms = foreseen.unwrap_or_else(|| expected(&prepared).unwrap().terms);
        terms.iter().find(|term| term.term == "age").unwrap().sampling_std_error
    };
    let ratio = half("analyze-gauss") / half("adaptive-gauss");
    assert!((0.9..1.25).contains(&ratio), "{ratio}");
}

/// Where a square is not told apart from its column, to centre it helps, and is what is said.
#[test]
fn a_column_far_from_zero_is_to_be_centred_before_its_square() {
    let mut square = plan(Some(1_500), 1.0);
    square["derived"] = json!([{"transform": "square", "from": ["age"]}]);
    let told = |plan: &Value| {
        let found = foreseen(plan);
        let doubtful: Vec<String> =
            [found.rehearsals.lost.clone(), found.rehearsals.at_risk.clone()].concat();
        (
            found.sentences().join(" ").contains("Centre it first"),
            doubtful.iter().any(|name| name.contains("age")),
        )
    };
    assert_eq!(told(&square), (true, true));
    square["columns"][0]["role"] = json!("ignored");
    square["derived"] = json!([
        {"transform": "centred", "from": ["age"], "at": 55, "name": "aged"},
        {"transform": "square", "from": ["aged"], "name": "squared"}]);
    assert!(!told(&square).0, "{:?}", foreseen(&square));
}

/// What holds for spreads that are assumed alone is called so, and what is stated in their place decides.
#[test]
fn a_verdict_that_rests_on_assumed_spreads_says_so() {
    let with = |rows: u64, sds: Option<[f64; 3]>| {
        let mut plan = plan(Some(rows), 1.0);
        for (column, sd) in [0, 2, 3].into_iter().zip(sds.into_iter().flatten()) {
            plan["columns"][column]["typical"] = json!({"sd": sd});
        }
        foreseen(&plan)
    };
    let rests = |rows: &u64| with(*rows, None).rests_on_spread();
    let rows = (800..2_000).step_by(100).find(rests).unwrap();
    let found = with(rows, None);
    assert!(found.verdict().contains("if the values spread") && !found.is_clear(), "{}", found.verdict());
    let least = found.least_spread.unwrap();
    assert!((0.05..0.17).contains(&least), "{least}");
    assert!(found.sentences().join(" ").contains("expected down to a standard deviation of about"));
    let ranges = [82.0, 45.0, 230.0];
    let as_assumed = with(rows, Some(ranges.map(|range| range / 6.0)));
    assert!(
        as_assumed.rehearsals.lost.is_empty()
            && as_assumed.rehearsals.at_risk.is_empty()
            && as_assumed.least_spread.is_none()
    );
    let close = with(rows, Some(ranges.map(|range| 0.5 * least * range)));
    assert!(
        !(close.rehearsals.lost.is_empty() && close.rehearsals.at_risk.is_empty()),
        "{}",
        close.verdict()
    );
    let many = with(200_000, None);
    assert!(many.is_clear() && many.least_spread.unwrap() < 0.01, "{}", many.verdict());
}

/// The verdict, the sentences, the widths by budget and the question before a release agree, from all intervals to none.
#[test]
fn there_is_one_verdict_in_all_places() {
    let with = |epsilon: f64| {
        let levels =
            |name: &str| json!({"name": name, "role": "feature", "type": "category", "levels": ["0", "1"]});
        let mut plan = plan(Some(96), epsilon);
        plan["columns"] = json!([levels("age"), levels("sex"),
            {"name": "sbp", "role": "outcome", "type": "number", "lower": 100, "upper": 2_000}]);
        plan["derived"] = json!([{"transform": "product", "from": ["age", "sex"]}]);
        plan
    };
    let mut none_without_certainty = 0;
    for epsilon in [0.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 30.0] {
        let prepared = prepare(parsed(&with(epsilon)), &names(), b',', Purpose::Simulate).unwrap();
        let found = foresee(&prepared).unwrap();
        let width = precision(&prepared, Some(&found), None).unwrap().at(1.0);
        let why = hopeless(&prepared, Some(&found), None);
        let told = found.sentences().join(" ");
        let says = (found.verdict(), told.contains("as wide as without privacy"));
        let none = found.verdict().starts_with("No coefficient") || found.verdict().starts_with("All");
        let most = found.verdict().starts_with("Most or all");
        assert_eq!(found.gives_nothing(), none, "{epsilon} {says:?}");
        assert_eq!(width.is_none(), none || most, "{epsilon} {says:?}");
        assert_eq!(says.1, !none, "{epsilon} {told}");
        assert!(!none || !told.contains("`age[1]`") && !told.contains("marked approximate:"), "{told}");
        assert!(!(none || most) || why.is_some_and(|why| why.starts_with(found.verdict())), "{epsilon}");
        assert_eq!(risk(Some(&found), None).is_none(), found.is_clear());
        none_without_certainty += u32::from(none && found.forecast.advice != Advice::TooFew);
    }
    assert!(none_without_certainty > 0, "none of them is between a few intervals and none");
}

#[test]
fn what_would_help_does() {
    let few = foreseen(&plan(Some(200), 0.5));
    assert_eq!(few.forecast.advice, Advice::TooFew);
    let needed = few.needed.unwrap();
    let rows = needed.rows.unwrap().ceil();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
    let enough = |rows: f64| foreseen(&plan(Some(rows as u64), 0.5)).forecast.advice;
    assert_eq!(enough(rows), Advice::Recommended);
    assert_ne!(enough(rows * 0.99), Advice::Recommended);
    let (now, epsilon) = needed.epsilon.unwrap();
    assert!((now - 0.5).abs() < 1e-3, "{now}");
    assert_eq!(foreseen(&plan(Some(200), epsilon * 1.001)).forecast.advice, Advice::Recommended);
    assert_ne!(foreseen(&plan(Some(200), epsilon * 0.99)).forecast.advice, Advice::Recommended);
    assert!(few.sentences().join(" ").contains("in place of 200"), "{}", few.sentences().join(" "));

    // Yes or no on fewer columns: one column of three can be kept.
    let mut some = plan(Some(1_000), 0.5);
    some["mechanism"]["name"] = json!("adaptive-logistic");
    some["columns"][3] = json!({"name": "sbp", "role": "outcome", "type": "number", "lower": 0, "upper": 1});
    let rows = (100..10_000_u64).step_by(100).find(|rows| {
        some["stated_rows"] = json!(rows);
        foreseen(&some).needed.is_some_and(|needed| needed.features == 2)
    });
    assert!(rows.is_some());
    let columns = some["columns"].as_array().unwrap().clone();
    some["columns"] = Value::Array(columns[..2].iter().chain(&columns[3..]).cloned().collect());
    assert_eq!(foreseen(&some).forecast.advice, Advice::Recommended);
}

#[test]
fn a_release_that_may_give_nothing_is_told_before() {
    let told = |rows: u64| {
        let (found, question) = foreseen_and_asked(&plan(Some(rows), 0.7));
        let told =
            found.sentences().iter().any(|sentence| sentence.contains("no coefficient had an interval"));
        assert_eq!(
            told,
            found.rehearsals.nothing > 0.0 && found.forecast.advice != Advice::TooFew,
            "{rows} {found:?}"
        );
        assert_eq!(question.is_some(), found.is_asked_about(), "{rows} {found:?}");
        assert!(question.is_some() || found.rehearsals.nothing < 0.1, "{rows} {found:?}");
        found.rehearsals.nothing
    };
    let found: Vec<f64> = [400, 500, 600, 700, 800, 900, 1_000, 1_200, 12_000].map(told).into();
    assert!(found.iter().any(|nothing| *nothing > 0.0 && *nothing < 1.0), "{found:?}");
    assert_eq!(found.last(), Some(&0.0));
}

#[test]
fn a_release_that_withholds_most_coefficients_is_asked_about() {
    let of = |rows: u64| {
        let mut plan = plan(Some(rows), 1.0);
        plan["derived"] =
            json!([{"transform": "square", "from": ["age"]}, {"transform": "square", "from": ["bmi"]}]);
        let (found, question) = foreseen_and_asked(&plan);
        let most = found.rehearsals.loses_most && !found.gives_nothing();
        assert!(!most || question.is_some(), "{rows} {found:?}");
        most
    };
    assert!([1_500, 2_000, 2_500, 3_000].into_iter().any(of));
}

/// theory/adaptive 4.3: a release marks its intervals by the same rule.
#[test]
fn one_predictor_has_approximate_intervals_long_before_full_ones() {
    let mut one = plan(Some(2_000), 1.0);
    one["columns"] = json!([one["columns"][0], one["columns"][3]]);
    let few = foreseen(&one);
    assert_eq!(few.forecast.advice, Advice::Approximate);
    assert!(few.verdict().contains("marked approximate"));
    let needed = few.needed.unwrap().rows.unwrap();
    assert!((9_000.0..10_000.0).contains(&needed), "{needed}");
    assert_eq!(recommended(&one).0, "adaptive-gauss");
}

#[test]
fn too_few_rows_get_a_ridge_and_none_a_plain_word() {
    let few = plan(Some(200), 0.5);
    assert_eq!(recommended(&few).0, "analyze-gauss");
    let (_, params, reason) = recommended(&few);
    assert_eq!(params, json!({"ridge": "auto"}));
    let needed = foreseen(&few).needed.unwrap().rows.unwrap();
    assert!(reason.contains(&in_groups(needed)) && reason.contains("in place of 200"), "{reason}");
    let (name, _, reason) = recommended(&plan(None, 0.5));
    assert_eq!(name, "adaptive-gauss");
    assert!(reason.contains("State about how many rows"), "{reason}");
    assert!(asked(&few, None).unwrap().contains("in place of 200"));
    assert_eq!(asked(&plan(Some(12_000), 2.0), None), None);
    let prepared = prepare(parsed(&plan(None, 2.0)), &names(), b',', Purpose::Release).unwrap();
    assert_eq!((foresee(&prepared), expected(&prepared)), (None, None));
}

fn foreseen_and_asked(plan: &Value) -> (Foreseen, Option<String>) {
    let prepared = prepare(parsed(plan), &names(), b',', Purpose::Release).unwrap();
    let found = foresee(&prepared);
    let question = hopeless(&prepared, found.as_ref(), None);
    (found.unwrap(), question)
}

/// Why a release of a plan would be of no use.
fn asked(plan: &Value, public: Option<&PublicTable>) -> Option<String> {
    let prepared = prepare_with(parsed(plan), public, &names(), b',', Purpose::Release).unwrap();
    hopeless(&prepared, foresee(&prepared).as_ref(), expected(&prepared).as_ref())
}

#[test]
fn fits_in_steps_that_cannot_work_are_asked_about_and_say_what_would_help() {
    let yes_or_no = |rows: u64, epsilon: f64, mechanism: &str| {
        let mut plan = plan(Some(rows), epsilon);
        plan["mechanism"]["name"] = json!(mechanism);
        plan["columns"][3] = json!({"name": "sbp", "role": "outcome", "type": "number", "lower": 0, "upper": 1, "integer": true});
        plan
    };
    let why = asked(&yes_or_no(1_000, 0.5, "dp-logistic"), None).unwrap();
    assert!(why.starts_with("All intervals will be withheld") && why.contains("in place of 1000"), "{why}");
    assert_eq!(asked(&yes_or_no(100_000, 4.0, "dp-logistic"), None), None);
    let known: PublicTable = serde_json::from_value(json!({
        "schema": "discreet.public/1", "source": "Smith 2020, Table 1", "rows": 1200,
        "terms": [{"term": "age", "mean": 55, "sd": 15}, {"term": "sex[M]", "mean": 0.5}, {"term": "bmi", "mean": 27, "sd": 5}],
        "correlation": [[1, 0, 0.2], [0, 1, 0], [0.2, 0, 1]]
    }))
    .unwrap();
    let why = asked(&yes_or_no(200, 0.5, "pmt-logistic"), Some(&known)).unwrap();
    assert!(why.starts_with("The fit cannot work with these rows and this budget. "), "{why}");
    assert!(why.contains("You would need"), "{why}");
    assert_eq!(asked(&yes_or_no(100_000, 4.0, "pmt-logistic"), Some(&known)), None);
}

/// A release without a prospect is asked about for every mechanism that has intervals, and what would help is said in what the person set.
#[test]
fn a_release_without_a_prospect_is_asked_about_for_every_mechanism_with_intervals() {
    let moments = json!({
        "schema": "discreet.public/1", "source": "Smith 2020, Table 1", "rows": 1200,
        "terms": [{"term": "age", "mean": 55, "sd": 15}, {"term": "sex[M]", "mean": 0.5}, {"term": "bmi", "mean": 27, "sd": 5}],
        "correlation": [[1, 0, 0.2], [0, 1, 0], [0.2, 0, 1]]
    });
    let known: PublicTable = serde_json::from_value(moments).unwrap();
    let mut silent = Vec::new();
    // One that is built for tests alone has a mean and no slope.
    let private = all()
        .filter(|info| info.standard_errors && info.wallet != Wallet::None && info.name != "noisy-means");
    let of_family = |info: &'static Info| {
        let families: &[Option<&str>] = match info.parameters.iter().find(|one| one.name == FAMILY) {
            Some(_) => &[Some("gaussian"), Some(LOGISTIC)],
            None => &[None],
        };
        families.iter().map(move |family| (info, *family))
    };
    for (info, family) in private.flat_map(of_family) {
        let of = |rows: u64, epsilon: f64| {
            let mut plan = plan(Some(rows), epsilon);
            plan["mechanism"]["name"] = json!(info.name);
            if let Some(family) = family {
                plan["mechanism"]["params"] = json!({"family": family, "coefficient_radius": 2});
            }
            if info.labels || family == Some(LOGISTIC) {
                plan["columns"][3] = json!({"name": "sbp", "role": "outcome", "type": "number", "lower": 0, "upper": 1, "integer": true});
            }
            if info.assurance != Assurance::Exact {
                plan["confirm"] = json!(["idealised"]);
            }
            if info.scope != Scope::Both {
                plan["adjacency"] = json!("replace-one");
                plan["rows"] = json!(rows);
                plan.as_object_mut().unwrap().remove("stated_rows");
            }
            if let Scope::Relaxed(protect) = info.scope {
                plan["protect"] = json!(protect);
                plan["confirm"] = json!([format!("protect-{}", plan["protect"].as_str().unwrap())]);
            }
            asked(&plan, info.public_moments.then_some(&known))
        };
        match of(150, 0.3) {
            None => silent.push(format!("{}: silent", info.name)),
            // Of two methods no number of rows makes the intervals useful at this budget.
            Some(why) => {
                let ways = ["rows in place of 150", "rows at this budget", "a larger epsilon"];
                if !ways.iter().any(|way| why.contains(way)) {
                    silent.push(format!("{}: {why}", info.name));
                }
            }
        }
        if let Some(why) = of(2_000_000, 8.0) {
            silent.push(format!("{} with many rows: {why}", info.name));
        }
    }
    assert!(silent.is_empty(), "{silent:#?}");
}

#[test]
fn a_stated_share_of_yes_widens_what_is_foreseen() {
    let with = |typical: Value, mechanism: &str| {
        let mut plan = plan(Some(12_000), 2.0);
        plan["mechanism"]["name"] = json!(mechanism);
        plan["columns"][3] = json!({"name": "sbp", "role": "outcome", "type": "category", "levels": ["no", "yes"], "typical": typical});
        plan
    };
    let even = foreseen(&with(Value::Null, "adaptive-logistic"));
    assert!(
        even.sentences().join(" ").contains("half of the rows say yes"),
        "{}",
        even.sentences().join(" ")
    );
    assert!(
        even.sentences().join(" ").contains("one row in ten") && !even.rests_on_even(),
        "{}",
        even.sentences().join(" ")
    );
    let mut few = with(Value::Null, "adaptive-logistic");
    few["stated_rows"] = json!(2_500);
    assert!(foreseen(&few).rests_on_even(), "{}", foreseen(&few).verdict());
    let rare = foreseen(&with(json!({"share": 0.05}), "adaptive-logistic"));
    assert!(!rare.sentences().join(" ").contains("half of the rows"), "{}", rare.sentences().join(" "));
    let age = |foreseen: &Foreseen| foreseen.rehearsals.terms[0].clone();
    // A row says p (1 − p) of a slope: a fifth, and the standard error is √5 times as large or a little less.
    let times = age(&rare).sampling_std_error / age(&even).sampling_std_error;
    assert!((1.9..2.4).contains(&times), "{times}");
    let times = age(&rare).noise_std_error / age(&even).noise_std_error;
    assert!((3.3..5.0).contains(&times), "{times}");
    let errors = |plan: &Value| {
        let prepared = prepare(parsed(plan), &names(), b',', Purpose::Release).unwrap();
        standard_errors(&prepared).unwrap()[1].clone()
    };
    let (even, rare) =
        (errors(&with(Value::Null, "dp-logistic")), errors(&with(json!({"share": 0.05}), "dp-logistic")));
    assert!(rare.noise_std_error > 4.0 * even.noise_std_error);
    for wrong in [
        json!({"share": 1}),
        json!({"mean": 0.1}),
        json!({"sd": 0.3}),
        json!({"share": 0.1, "sd": 0.3}),
        json!({}),
    ] {
        let error =
            prepare(parsed(&with(wrong, "dp-logistic")), &names(), b',', Purpose::Release).unwrap_err();
        assert!(
            error.to_string().contains("above 0 and below 1")
                || error.to_string().contains("of two levels `share`"),
            "{error}"
        );
    }
}

/// Who has not stated the share of yes is asked where one in ten would give nothing, and only then.
#[test]
fn a_release_that_gives_nothing_if_few_say_yes_is_asked_about_until_the_share_is_stated() {
    let with = |rows: u64, typical: Value| {
        let mut plan = plan(Some(rows), 2.0);
        plan["mechanism"]["name"] = json!("adaptive-logistic");
        plan["columns"][3] = json!({"name": "sbp", "role": "outcome", "type": "category", "levels": ["no", "yes"], "typical": typical});
        foreseen_and_asked(&plan)
    };
    let (few, question) = with(700, Value::Null);
    let question = question.unwrap_or_default();
    assert!(few.rests_on_even() && !few.gives_nothing() && few.rehearsals.nothing < 0.1, "{few:?}");
    assert!(
        question.contains("If one row in ten says yes, no coefficient had an interval in about"),
        "{question}"
    );
    assert!(question.contains("state it"), "{question}");
    assert_eq!(with(700, json!({"share": 0.5})).1, None, "half of them, as stated");
    let (many, question) = with(20_000, Value::Null);
    assert_eq!((many.rarely_nothing, question), (0.0, None), "one in ten gives intervals");
}

#[test]
fn zeros_far_from_the_other_logarithms_are_told() {
    let told = |lower: u32, offset: f64| {
        let mut plan = plan(Some(12_000), 2.0);
        plan["columns"][3] =
            json!({"name": "sbp", "role": "ignored", "type": "number", "lower": lower, "upper": 50_000});
        plan["derived"] = json!([{"transform": "log", "from": ["sbp"], "offset": offset, "role": "outcome"}]);
        foreseen(&plan).sentences().iter().any(|sentence| sentence.contains("of `sbp` are 0"))
    };
    assert!(told(0, 1.0));
    assert!(!told(0, 100.0) && !told(60, 0.0));
}

/// Answers in words are those of 0 and 1: the errors without privacy, and so the widening, do not depend on how they are written.
#[test]
fn answers_in_words_are_foreseen_as_numbers_are() {
    let of = |outcome: Value| {
        let mut plan = plan(Some(6_000), 0.5);
        plan["columns"][3] = outcome;
        plan["mechanism"]["name"] = json!("adaptive-logistic");
        foreseen(&plan)
    };
    let numbers = of(json!({"name": "sbp", "role": "outcome", "type": "number", "lower": 0, "upper": 1}));
    let words = of(json!({"name": "sbp", "role": "outcome", "type": "category", "levels": ["N", "Y"]}));
    assert!(numbers.widening().0 > 1.2, "{:?}", numbers.widening());
    for (number, word) in numbers.rehearsals.terms.iter().zip(&words.rehearsals.terms) {
        let ratio = word.sampling_std_error / number.sampling_std_error;
        assert!((ratio - 1.0).abs() < 0.02, "{}: {ratio}", number.term);
    }
    assert!((words.widening().0 / numbers.widening().0 - 1.0).abs() < 0.05, "{:?}", words.widening());
}

#[test]
fn a_yes_or_no_outcome_on_few_rows_is_recommended_no_other_method_and_says_so() {
    let mut few = plan(Some(200), 0.5);
    few["columns"][3]["type"] = json!("number");
    (few["columns"][3]["lower"], few["columns"][3]["upper"], few["columns"][3]["integer"]) =
        (json!(0), json!(1), json!(true));
    let (name, params, reason) = recommended(&few);
    assert_eq!((name, params), ("adaptive-logistic", json!({})));
    assert!(reason.contains("too few") && reason.contains("every other logistic regression"), "{reason}");
    few["mechanism"]["name"] = json!(name);
    assert!(asked(&few, None).unwrap().contains("in place of 200"));
}

/// A plan of five features and many outcomes with its header.
fn many(outcomes: usize, rows: u64, mechanism: &str) -> (Value, Vec<String>) {
    let names: Vec<String> =
        (0..5).map(|x| format!("x{x}")).chain((0..outcomes).map(|y| format!("y{y}"))).collect();
    let column = |(place, name): (usize, &String)| {
        let role = if place < 5 { "feature" } else { "outcome" };
        json!({"name": name, "role": role, "type": "number", "lower": -4, "upper": 4})
    };
    let columns: Vec<Value> = names.iter().enumerate().map(column).collect();
    let plan = json!({
        "schema": "discreet.plan/1", "adjacency": "add-remove", "stated_rows": rows, "columns": columns,
        "mechanism": {"name": mechanism}, "budget": {"epsilon": 1, "delta": 1e-6}
    });
    (plan, names)
}

#[test]
fn many_outcomes_share_their_noise_where_the_adaptive_mechanism_fails() {
    for (outcomes, rows, name) in [
        (1, 2_000, "adaptive-gauss"),
        (10, 2_000, "adaptive-gauss"),
        (200, 2_000, "reuse-cov-gauss"),
        (10, 100_000, "adaptive-gauss"),
        (200, 20_000, "adaptive-gauss"),
        (501, 20_000, "reuse-cov-gauss"),
    ] {
        let (plan, names) = many(outcomes, rows, "adaptive-gauss");
        let found = recommend(&parsed(&plan), &names, b',');
        assert_eq!(found.name, name, "{outcomes} {rows}");
        assert_eq!(found.reason.contains("share the noise"), name == "reuse-cov-gauss", "{}", found.reason);
    }
    // With so many that their noise is cut back there are no intervals, and others have less.
    for (outcomes, withheld) in [(200, false), (6_000, true)] {
        let (plan, names) = many(outcomes, 2_000, "reuse-cov-gauss");
        let prepared = prepare(parsed(&plan), &names, b',', Purpose::Release).unwrap();
        let expected = expected(&prepared).unwrap();
        assert_eq!(expected.projected, withheld, "{outcomes}: {}", expected.advice);
        // Those of 200 outcomes are wide: a person is asked all the same.
        assert_eq!(matches!(expected.verdict, Verdict::TooWide(_)), !withheld, "{:?}", expected.verdict);
        assert!(hopeless(&prepared, None, Some(&expected)).is_some(), "{outcomes}");
    }
    // What is recommended is nearer to the fit without privacy than what it is preferred to.
    let mut table =
        (0..5).map(|x| format!("x{x}")).chain((0..10).map(|y| format!("y{y}"))).collect::<Vec<_>>().join(",");
    for row in 0..2_000 {
        let mut rng = Pseudo::new(5, &[row]);
        let x: Vec<f64> = (0..5).map(|_| rng.normal()).collect();
        let y = (0..10).map(|y| 0.4 * x[y % 5] - 0.2 * x[(y + 1) % 5] + 0.7 * rng.normal());
        let cells: Vec<String> = x.iter().copied().chain(y).map(|cell| cell.to_string()).collect();
        table += &format!("\n{}", cells.join(","));
    }
    let slopes = |mechanism: &str, exact: bool, seed: u64| {
        let (mut plan, _) = many(10, 2_000, mechanism);
        if exact {
            plan["budget"] = json!({"none": true});
        }
        let prepared = prepared(&plan, &table).unwrap();
        let release = simulation(prepared, &table, seed).run(1).unwrap();
        let terms = list(release.document()).iter().filter(|entry| entry.term != "(Intercept)");
        terms.map(|entry| entry.estimate.unwrap_or(f64::INFINITY)).collect::<Vec<_>>()
    };
    let exact = slopes("analyze-gauss", true, 1);
    let error = |mechanism: &str| {
        let errors = (1..=5)
            .flat_map(|seed| {
                slopes(mechanism, false, seed).into_iter().zip(exact.clone()).collect::<Vec<_>>()
            })
            .map(|(found, exact)| (found - exact).abs());
        median(errors).unwrap()
    };
    let (shared, usual) = (error("reuse-cov-gauss"), error("analyze-gauss"));
    assert!(shared < usual / 2.0, "{shared} {usual}");
}

#[test]
fn what_the_adaptive_mechanism_cannot_do_is_left_to_the_usual_one() {
    let mut through_zero = plan(Some(12_000), 2.0);
    through_zero["intercept"] = json!(false);
    assert_eq!(recommended(&through_zero).0, "analyze-gauss");
    let mut labels = plan(None, 2.0);
    labels["adjacency"] = json!("replace-one");
    labels["rows"] = json!(12_000);
    labels["protect"] = json!("labels");
    labels["confirm"] = json!(["protect-labels"]);
    assert_eq!(recommended(&labels).0, "analyze-gauss");
    let mut yes_or_no = plan(Some(12_000), 2.0);
    yes_or_no["columns"][1]["role"] = json!("outcome");
    yes_or_no["columns"][3]["role"] = json!("feature");
    assert_ne!(recommended(&yes_or_no).0, "adaptive-gauss");
}

#[test]
fn a_linear_regression_of_yes_or_no_says_what_its_coefficients_are() {
    let table = "age,sex,bmi,sbp\n30,F,22,1\n60,M,27,0\n50,F,31,1\n40,M,20,0\n";
    let said = |mechanism: &str, integer: bool| {
        let mut coded = plan(Some(4), 2.0);
        coded["mechanism"]["name"] = json!(mechanism);
        let outcome = &mut coded["columns"][3];
        (outcome["lower"], outcome["upper"], outcome["integer"]) = (json!(0), json!(1), json!(integer));
        let prepared = prepared(&coded, table).unwrap();
        let sums = scan(&prepared, table, |_| prepared.sums()).sink;
        let shown = demonstrate(&prepared, &sums, DemoRng::new(1, 1), software()).unwrap();
        shown.document().diagnostics.notes.join(" ")
    };
    assert!(said("analyze-gauss", true).contains("Yes or no, fitted as 0 and 1: `sbp`."));
    assert!(!said("analyze-gauss", false).contains("Yes or no"));
    assert!(!said("dp-logistic", true).contains("Yes or no"));
}

#[test]
fn whole_numbers_from_0_to_1_are_yes_or_no() {
    let mut coded = plan(Some(12_000), 2.0);
    for (bounds, integer, name) in [
        ([0.0, 1.0], json!(true), "adaptive-logistic"),
        ([0.0, 1.0], json!(false), "adaptive-gauss"),
        ([0.0, 1.0], json!(null), "adaptive-gauss"),
        ([0.0, 2.0], json!(true), "adaptive-gauss"),
    ] {
        let outcome = &mut coded["columns"][3];
        (outcome["lower"], outcome["upper"], outcome["integer"]) =
            (json!(bounds[0]), json!(bounds[1]), integer);
        assert_eq!(recommended(&coded).0, name, "{bounds:?}");
    }
}

/// A plan whose age is estimated.
fn estimating(rows: u64, epsilon: f64) -> Value {
    let mut plan = plan(Some(rows), epsilon);
    plan["columns"][0]["lower"] = json!("estimate");
    plan["columns"][0]["upper"] = json!("estimate");
    plan
}

#[test]
fn a_plan_that_estimates_bounds_is_foreseen_by_what_follows_them() {
    let plan = estimating(12_000, 2.0);
    let (name, _, reason) = recommended(&plan);
    assert_eq!(name, "adaptive-gauss");
    assert!(reason.contains("least noise"), "{reason}");
    let foreseen = foreseen(&plan);
    assert_eq!(foreseen.forecast.advice, Advice::Recommended);
    let terms: Vec<&str> = foreseen.rehearsals.terms.iter().map(|term| term.term.as_str()).collect();
    assert_eq!(terms, ["sex[M]", "bmi"], "age has no unit yet");
    // Both charges together are what the same plan costs with stated bounds, up to the rounding of scales.
    let mu = |plan: &Value| {
        let plan = parsed(plan);
        prepare(plan, &names(), b',', Purpose::Release).unwrap().whole_mu().unwrap()
    };
    let (both, stated) = (mu(&plan), mu(&self::plan(Some(12_000), 2.0)));
    assert!((both / stated - 1.0).abs() < 1e-6, "{both} {stated}");
}

#[test]
fn the_outlook_of_estimated_bounds_is_what_a_release_is_refused_by() {
    let outlook = |rows| bounds_outlook(&parsed(&estimating(rows, 1.0)), 1).unwrap();
    let least = outlook(1_000).rows_for_any;
    let prepared = |rows, confirm: bool| {
        let mut plan = estimating(rows, 1.0);
        if confirm {
            plan["confirm"] = json!(["uncertain-bounds"]);
        }
        prepare(parsed(&plan), &names(), b',', Purpose::Release)
    };
    assert_eq!(outlook(least / 2).prospect, Prospect::Refused);
    assert!(prepared(least / 2, true).is_err());
    assert_eq!(outlook(least + least / 4).prospect, Prospect::Doubtful);
    assert!(prepared(least + least / 4, false).is_err() && prepared(least + least / 4, true).is_ok());
    assert_eq!(outlook(10 * least).prospect, Prospect::Good);
    assert_eq!(bounds_outlook(&parsed(&plan(Some(1_000), 1.0)), 0), None);
}
