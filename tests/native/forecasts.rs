//! Whether forecasts hold: on samples and generated tables, at wide and at narrow bounds, the half-widths that are foreseen and the verdict
//! beside those of releases.

use discreet::engine::foresee::{Precision, expected, foresee, hopeless, precision};
use discreet::engine::{prepare, standard_errors};
use discreet::inference::forecast;
use discreet::inference::noise_forecast::Advice;
use discreet::inference::preview::Verdict;
use discreet::inference::pseudo::Pseudo;
use discreet::math::median;
use discreet::model::Interval;
use discreet::plan::{Plan, Purpose};
use serde_json::{Value, json};

use crate::support::{BREAST_CANCER, DIABETES, list, simulation};

const BLOOD_PRESSURE: &str = include_str!("../../www/samples/blood-pressure.csv");

/// Seeded runs of each release.
const RUNS: u64 = 10;

/// A number with its role, wide bounds, narrow bounds, and what is typical.
type Number = (&'static str, &'static str, [f64; 2], [f64; 2], [f64; 2]);

struct Table {
    name: &'static str,
    text: String,
    numbers: Vec<Number>,
    levels: Vec<(&'static str, Vec<&'static str>)>,
    /// The correlation of its features, where it is far from the usual one.
    correlation: Option<f64>,
}

impl Table {
    fn rows(&self) -> usize {
        self.text.lines().count() - 1
    }

    fn plan(&self, mechanism: &str, epsilon: f64, narrow: bool) -> Value {
        let numbers = self.numbers.iter().map(|(name, role, wide, tight, [mean, sd])| {
            let [lower, upper] = if narrow { tight } else { wide };
            json!({"name": name, "role": role, "type": "number", "lower": lower, "upper": upper,
                   "typical": {"mean": mean, "sd": sd}})
        });
        let levels = self.levels.iter().map(
            |(name, levels)| json!({"name": name, "role": "feature", "type": "category", "levels": levels}),
        );
        json!({
            "schema": "discreet.plan/1",
            "adjacency": "add-remove",
            "stated_rows": self.rows(),
            "columns": levels.chain(numbers).collect::<Vec<_>>(),
            "mechanism": {"name": mechanism},
            "budget": {"epsilon": epsilon, "delta": 1e-6},
            "typical_correlation": self.correlation,
        })
    }
}

/// The last `rows` lines are left out.
fn head(text: &str, rows: usize) -> String {
    text.lines().take(rows + 1).map(|line| format!("{line}\n")).collect()
}

/// The level at a point between 0 and 1 of the line that the shares divide.
fn level_at(shares: &[f64], mut point: f64) -> usize {
    let found = shares.iter().position(|share| {
        point -= share;
        point < 0.0
    });
    found.unwrap_or(shares.len() - 1)
}

fn generated(rows: u64, skewed: bool) -> String {
    let mut text = "x,z,g,y\n".to_owned();
    for row in 0..rows {
        let mut rng = Pseudo::new(11, &[row]);
        let x = rng.normal();
        let z = if skewed { libm::exp(0.5 * rng.normal()) } else { 0.6 * x + 0.8 * rng.normal() };
        let level = usize::from(rng.normal() > 0.0) + usize::from(rng.normal() > 1.0);
        let y = 1.0 + 0.5 * x - 0.3 * z + 0.2 * level as f64 + rng.normal();
        text += &format!("{x},{z},{},{y}\n", ["a", "b", "c"][level]);
    }
    text
}

fn tables() -> Vec<Table> {
    let pressure = || -> Vec<Number> {
        vec![
            ("age", "feature", [0.0, 122.0], [18.0, 95.0], [50.0, 17.0]),
            ("bmi", "feature", [15.0, 100.0], [15.0, 50.0], [27.0, 5.5]),
            ("sbp", "outcome", [40.0, 270.0], [80.0, 200.0], [128.0, 18.0]),
        ]
    };
    let sex = || vec![("sex", vec!["F", "M"])];
    let normal = || -> Vec<Number> {
        vec![
            ("x", "feature", [-10.0, 10.0], [-4.0, 4.0], [0.0, 1.0]),
            ("z", "feature", [-10.0, 10.0], [-4.0, 4.0], [0.0, 1.0]),
            ("y", "outcome", [-20.0, 20.0], [-6.0, 6.0], [1.0, 1.2]),
        ]
    };
    let groups = || vec![("g", vec!["a", "b", "c"])];
    let mut skewed = normal();
    skewed[1] = ("z", "feature", [0.0, 20.0], [0.0, 5.0], [1.1, 0.6]);
    vec![
        Table {
            name: "blood pressure",
            text: BLOOD_PRESSURE.to_owned(),
            numbers: pressure(),
            levels: sex(),
            correlation: None,
        },
        Table {
            name: "blood pressure, 2,000 rows",
            text: head(BLOOD_PRESSURE, 2_000),
            numbers: pressure(),
            levels: sex(),
            correlation: None,
        },
        Table {
            name: "diabetes",
            text: DIABETES.to_owned(),
            numbers: vec![
                ("bmi", "feature", [15.0, 100.0], [18.0, 42.0], [27.0, 5.0]),
                ("bp", "feature", [14.0, 330.0], [60.0, 140.0], [92.0, 12.0]),
                ("target", "outcome", [0.0, 500.0], [0.0, 350.0], [150.0, 75.0]),
            ],
            levels: Vec::new(),
            correlation: None,
        },
        Table {
            name: "breast cancer",
            text: BREAST_CANCER.to_owned(),
            numbers: vec![
                ("mean texture", "feature", [0.0, 100.0], [5.0, 40.0], [19.0, 4.5]),
                ("mean smoothness", "feature", [0.0, 0.5], [0.05, 0.17], [0.1, 0.015]),
                ("mean radius", "outcome", [0.0, 50.0], [5.0, 30.0], [14.0, 3.5]),
            ],
            levels: Vec::new(),
            correlation: None,
        },
        Table {
            name: "normal",
            text: generated(5_000, false),
            numbers: normal(),
            levels: groups(),
            correlation: Some(0.6),
        },
        Table {
            name: "skewed",
            text: generated(2_000, true),
            numbers: skewed,
            levels: groups(),
            correlation: None,
        },
    ]
}

/// What was foreseen of one plan, and what its releases had.
struct Seen {
    /// Whether intervals were foreseen; nothing where the forecast leaves it open.
    foreseen: Option<bool>,
    /// Runs in which at least half of the slopes had intervals.
    given: u64,
    /// Median of the released half-width over the foreseen one.
    ratio: Option<f64>,
    /// The same of each term that has intervals in most runs.
    each: Vec<(String, f64)>,
    /// Whether most intervals were foreseen to be marked approximate, where coefficients were rehearsed.
    approximate: Option<bool>,
    /// Share of all intervals that were.
    marked: f64,
}

fn look(table: &Table, mechanism: &str, epsilon: f64, narrow: bool) -> Seen {
    look_at(&table.text, &table.plan(mechanism, epsilon, narrow))
}

fn look_at(text: &str, plan: &Value) -> Seen {
    let names: Vec<String> = text.lines().next().unwrap().split(',').map(str::to_owned).collect();
    let plan = Plan::parse(&plan.to_string()).unwrap();
    let prepared = prepare(plan, &names, b',', Purpose::Simulate).unwrap();
    let foreseen = foresee(&prepared);
    let approximate =
        foreseen.as_ref().filter(|foreseen| !foreseen.rehearsals.terms.is_empty()).map(|foreseen| {
            foreseen.rehearsals.is_approximate || foreseen.forecast.advice == Advice::Approximate
        });
    let (foreseen, halves) = match (foreseen, expected(&prepared)) {
        (Some(foreseen), _) => (
            match foreseen.forecast.advice {
                Advice::Recommended | Advice::Approximate => Some(true),
                Advice::Uncertain => None,
                Advice::TooFew => Some(false),
            },
            foreseen.rehearsals.terms.iter().map(|term| (term.term.clone(), term.half())).collect::<Vec<_>>(),
        ),
        (None, Some(preview)) => (
            match preview.verdict {
                Verdict::Clear => Some(true),
                Verdict::Approximate | Verdict::TooWide(_) => None,
                Verdict::Withheld => Some(false),
            },
            preview.terms.iter().map(|term| (term.term.clone(), term.half())).collect(),
        ),
        (None, None) => {
            let errors = standard_errors(&prepared).unwrap();
            let verdict = match forecast::verdict(&errors).unwrap().0 {
                Verdict::Clear => Some(true),
                Verdict::Approximate | Verdict::TooWide(_) => None,
                Verdict::Withheld => Some(false),
            };
            assert_eq!(hopeless(&prepared, None, None).is_some(), verdict == Some(false));
            (verdict, errors.iter().map(|term| (term.term.clone(), term.half().unwrap())).collect())
        }
    };
    let simulation = simulation(prepared, text, 7);
    let (mut given, mut ratios) = (0, Vec::new());
    let (mut intervals, mut marked) = (0_u32, 0_u32);
    let mut of_term: Vec<(String, Vec<f64>)> =
        halves.iter().map(|(term, _)| (term.clone(), Vec::new())).collect();
    for run in 1..=RUNS {
        let release = simulation.run(run).unwrap();
        let entries: Vec<_> =
            list(release.document()).iter().filter(|entry| entry.term != "(Intercept)").collect();
        let mut with = 0;
        for entry in &entries {
            let Some((lower, upper)) = entry.lower.zip(entry.upper) else { continue };
            with += 1;
            intervals += 1;
            marked += u32::from(entry.interval == Interval::Approximate);
            // A coefficient without a forecast is one that was not expected to have an interval.
            let Some((_, half)) = halves.iter().find(|(term, _)| *term == entry.term) else { continue };
            ratios.push((upper - lower) / 2.0 / half);
            let (_, own) = of_term.iter_mut().find(|(term, _)| *term == entry.term).unwrap();
            own.push((upper - lower) / 2.0 / half);
        }
        given += u64::from(2 * with >= entries.len());
    }
    let each = of_term.into_iter().filter(|(_, own)| 2 * own.len() as u64 > RUNS);
    let each = each.map(|(term, own)| (term, median(own).unwrap()));
    Seen {
        foreseen,
        given,
        ratio: median(ratios),
        each: each.collect(),
        approximate,
        marked: f64::from(marked) / f64::from(intervals.max(1)),
    }
}

/// Tables whose outcome is yes or no.
fn yes_or_no() -> Vec<Table> {
    let table = |name, of: &Table, text: &str, high: f64, share: f64| {
        let (mut numbers, levels, correlation) = (of.numbers.clone(), of.levels.clone(), of.correlation);
        let last = numbers.len() - 1;
        let mut lines = text.lines();
        let header = lines.next().unwrap();
        let place = header.split(',').position(|name| name == numbers[last].0).unwrap();
        let mut coded = format!("{header}\n");
        for line in lines {
            let mut cells: Vec<&str> = line.split(',').collect();
            cells[place] = cells[place].parse().map_or("", |value: f64| if value > high { "1" } else { "0" });
            coded += &format!("{}\n", cells.join(","));
        }
        let sd = (share * (1.0 - share)).sqrt();
        numbers[last] = (numbers[last].0, "outcome", [0.0, 1.0], [0.0, 1.0], [share, sd]);
        Table { name, text: coded, numbers, levels, correlation }
    };
    let mut all = tables().into_iter();
    let pressure = all.next().unwrap();
    let normal = all.find(|table| table.name == "normal").unwrap();
    vec![
        table("high blood pressure", &pressure, &pressure.text, 130.0, 0.5),
        table("very high blood pressure", &pressure, &pressure.text, 155.0, 0.07),
        table("high blood pressure, 2,000 rows", &pressure, &head(&pressure.text, 2_000), 130.0, 0.5),
        table("labels", &normal, &normal.text, 1.0, 0.5),
    ]
}

#[test]
fn what_is_foreseen_is_what_is_released() {
    let (mut wrong, mut undecided, mut far, mut open) = (Vec::new(), Vec::new(), Vec::new(), 0);
    let (mut plans, mut approximate, mut misjudged) = (0, 0, Vec::new());
    let linear = tables().into_iter().map(|table| (table, ["adaptive-gauss", "analyze-gauss"]));
    let logistic = yes_or_no().into_iter().map(|table| (table, ["adaptive-logistic", "dp-logistic"]));
    for (table, mechanisms) in linear.chain(logistic) {
        for mechanism in mechanisms {
            for epsilon in [0.7, 2.0, 8.0] {
                for narrow in [false, true] {
                    plans += 1;
                    let seen = look(&table, mechanism, epsilon, narrow);
                    let line = format!(
                        "{}, {mechanism}, epsilon {epsilon}, {}: foreseen {:?}, given {} of {RUNS}, ratio {:.2?}",
                        table.name,
                        if narrow { "narrow" } else { "wide" },
                        seen.foreseen,
                        seen.given,
                        seen.ratio
                    );
                    println!("{line}");
                    let decided = !(2..RUNS - 1).contains(&seen.given);
                    match seen.foreseen {
                        Some(true) if seen.given >= RUNS - 1 => {}
                        Some(false) if seen.given <= 1 => {}
                        Some(_) => wrong.push(line.clone()),
                        // An open verdict is right where some releases have intervals and some have none.
                        None => {
                            open += 1;
                            if decided {
                                undecided.push(line.clone());
                            }
                        }
                    }
                    if let Some(foreseen) = seen.approximate.filter(|_| seen.given > RUNS / 2) {
                        approximate += u32::from(foreseen);
                        if foreseen != (seen.marked > 0.5) {
                            misjudged.push(format!(
                                "{line}, approximate: foreseen {foreseen}, marked {:.2}",
                                seen.marked
                            ));
                        }
                    }
                    if seen.given > RUNS / 2
                        && seen.ratio.is_some_and(|ratio| !(1.0 / 1.5..=1.5).contains(&ratio))
                    {
                        far.push(line);
                    }
                }
            }
        }
    }
    println!("{approximate} foreseen to be approximate; misjudged: {misjudged:#?}");
    println!(
        "{plans} plans, {open} left open, of these {undecided:#?}; verdict wrong: {wrong:#?}; width far: {far:#?}"
    );
    // Both wrong verdicts are of `analyze-gauss`, at the edge of what its rows give. Nine in ten agree, if an open one agrees only where two
    // to eight of ten releases have intervals.
    assert!(wrong.len() <= 2 && wrong.iter().all(|line| line.contains("analyze-gauss")), "{wrong:#?}");
    assert!(10 * (wrong.len() + undecided.len()) <= plans, "{wrong:#?} {undecided:#?}");
    assert!(6 * open <= plans, "{open} of {plans} left open");
    // The four are of plans whose verdict is open, or with half of the intervals marked.
    assert!(approximate >= 20 && misjudged.len() <= 4, "{approximate}, {misjudged:#?}");
    assert!(far.is_empty(), "{far:#?}");
}

/// Returns the precision that is rehearsed of the small sample at ε, with the budget's μ.
fn rehearsed(epsilon: f64) -> (f64, Precision) {
    let plan: Plan = serde_json::from_value(tables()[1].plan("adaptive-gauss", epsilon, false)).unwrap();
    let names: Vec<String> = ["sex", "age", "bmi", "sbp"].map(str::to_owned).into();
    let prepared = prepare(plan, &names, b',', Purpose::Release).unwrap();
    let found = precision(&prepared, foresee(&prepared).as_ref(), None).unwrap();
    (prepared.whole_mu().unwrap(), found)
}

#[test]
fn the_precision_of_a_budget_lies_between_those_of_its_neighbours() {
    let known = [1.0, 4.0].map(rehearsed);
    let at = |(mu, _): (f64, Precision)| Precision::between(&known, mu).unwrap();
    for (mu, found) in known {
        assert_eq!(at((mu, found)).at(1.0), found.at(1.0));
    }
    // A budget with which some intervals are withheld is told from one with which all are expected.
    let fullness = [0.3, 8.0].map(|epsilon| rehearsed(epsilon).1.is_full());
    assert_eq!(fullness, [false, true]);
    let within = rehearsed(2.0);
    let [small, found, large] = [known[0].1, at(within), known[1].1].map(|found| found.at(1.0).unwrap());
    assert!(small > found && found > large, "{small}, {found}, {large}");
    let own = within.1.at(1.0).unwrap();
    assert!((found / own - 1.0).abs() < 0.1, "{found} for {own}");
    // Beyond what is known the noise falls with μ.
    let (largest, precision) = known[1];
    assert_eq!(Precision::between(&known, 2.0 * largest).unwrap().at(1.0), precision.at(2.0));
    assert_eq!(Precision::between(&[], 1.0), None);
    // Too small a budget does not make the intervals of the next one narrow.
    let hopeless = [(1e-3, Precision::NOTHING), known[0]];
    let near = Precision::between(&hopeless, 0.9 * known[0].0).unwrap().at(1.0).unwrap();
    assert!(near > small, "{near} with less budget than for {small}");
}

/// Of an age and terms that are made from it: closely related ones, an interaction, and a spline.
#[test]
fn derived_terms_are_foreseen_with_the_columns_they_are_made_from() {
    let mut text = "age,sex,sbp\n".to_owned();
    for row in 0..12_000 {
        let mut rng = Pseudo::new(5, &[row]);
        let age = (56.0 + 13.0 * rng.normal()).clamp(18.0, 95.0);
        let male = rng.normal() > 0.0;
        let sbp = 100.0 + 0.4 * age + if male { 3.0 } else { 0.0 } + 15.0 * rng.normal();
        text += &format!("{age},{},{sbp}\n", if male { "M" } else { "F" });
    }
    let plan = |mechanism: &str, epsilon: f64, role: &str, derived: &Value| {
        json!({
            "schema": "discreet.plan/1", "adjacency": "add-remove", "stated_rows": 12_000,
            "columns": [
                {"name": "age", "role": role, "type": "number", "lower": 18, "upper": 95, "typical": {"mean": 56, "sd": 13}},
                {"name": "sex", "role": "feature", "type": "category", "levels": ["F", "M"]},
                {"name": "sbp", "role": "outcome", "type": "number", "lower": 40, "upper": 240, "typical": {"mean": 124, "sd": 16}},
            ],
            "derived": derived, "mechanism": {"name": mechanism}, "budget": {"epsilon": epsilon, "delta": 1e-6},
        })
    };
    let centred = json!({"transform": "centred", "from": ["age"], "at": 56});
    let mut far = Vec::new();
    for (role, derived) in [
        ("feature", json!([{"transform": "square", "from": ["age"]}])),
        ("feature", json!([{"transform": "log", "from": ["age"]}])),
        ("feature", json!([{"transform": "product", "from": ["age", "sex"]}])),
        ("feature", json!([{"transform": "spline", "from": ["age"], "knots": [30, 45, 56, 67, 80]}])),
        ("ignored", json!([centred, {"transform": "square", "from": ["age - 56"]}])),
    ] {
        for (mechanism, epsilon) in [("adaptive-gauss", 1.7), ("adaptive-gauss", 8.0), ("analyze-gauss", 9.0)]
        {
            let seen = look_at(&text, &plan(mechanism, epsilon, role, &derived));
            let line = format!(
                "{mechanism} {epsilon} {derived}: {:?} {} {:.2?}",
                seen.foreseen, seen.given, seen.each
            );
            println!("{line}");
            match seen.foreseen {
                Some(true) => assert!(seen.given >= RUNS - 1, "{line}"),
                Some(false) => assert!(seen.given <= 1, "{line}"),
                None => {}
            }
            if seen.each.iter().any(|(_, ratio)| !(0.5..=2.0).contains(ratio)) {
                far.push(line);
            }
        }
    }
    assert!(far.is_empty(), "{far:#?}");
}

/// Two categories, of which one has a rare level, an age and a blood pressure.
fn levels_and_pressure(rows: u64) -> String {
    let (levels, shares) = (["I", "II", "III", "IV"], [0.55, 0.25, 0.16, 0.04]);
    let mut text = "age,sex,stage,sbp\n".to_owned();
    for row in 0..rows {
        let mut rng = Pseudo::new(8, &[row]);
        let (age, male, point) =
            (56.0 + 13.0 * rng.normal(), rng.symmetric() > 0.2, 0.5 + 0.5 * rng.symmetric());
        let level = level_at(&shares, point);
        let sbp = 100.0 + 0.4 * age + 3.0 * level as f64 + if male { 2.0 } else { 0.0 } + 15.0 * rng.normal();
        let sex = if male { "M" } else { "F" };
        text += &format!("{},{sex},{},{sbp}\n", age.clamp(18.0, 95.0), levels[level]);
    }
    text
}

/// All pairs of their levels.
fn plan_of_pairs(rows: usize, epsilon: f64) -> Value {
    json!({
        "schema": "discreet.plan/1", "adjacency": "add-remove", "stated_rows": rows,
        "columns": [
            {"name": "age", "role": "feature", "type": "number", "lower": 18, "upper": 95, "typical": {"mean": 56, "sd": 13}},
            {"name": "sex", "role": "feature", "type": "category", "levels": ["F", "M"], "typical": {"shares": {"F": 0.6, "M": 0.4}}},
            {"name": "stage", "role": "feature", "type": "category", "levels": ["I", "II", "III", "IV"],
             "typical": {"shares": {"I": 0.55, "II": 0.25, "III": 0.16, "IV": 0.04}}},
            {"name": "sbp", "role": "outcome", "type": "number", "lower": 40, "upper": 240, "typical": {"mean": 124, "sd": 16}},
        ],
        "derived": [{"transform": "product", "from": ["sex", "stage"]}],
        "mechanism": {"name": "adaptive-gauss"}, "budget": {"epsilon": epsilon, "delta": 1e-6},
    })
}

#[test]
fn pairs_of_levels_are_foreseen() {
    let text = levels_and_pressure(12_000);
    let plan = plan_of_pairs;
    let mut far = 0;
    for rows in [3_000, 12_000] {
        for epsilon in [1.0, 2.0, 4.0, 8.0] {
            let seen = look_at(&head(&text, rows), &plan(rows, epsilon));
            let line = format!("{rows} {epsilon}: {:?} {} {:.2?}", seen.foreseen, seen.given, seen.each);
            println!("{line}");
            assert!(seen.foreseen != Some(true) || seen.given >= RUNS - 1, "{line}");
            assert!(seen.foreseen != Some(false) || seen.given <= 1, "{line}");
            far += seen.each.iter().filter(|(_, ratio)| !(1.0 / 1.5..=1.5).contains(ratio)).count();
        }
    }
    assert!(far <= 1, "{far}");
    let names = ["age", "sex", "stage", "sbp"].map(str::to_owned);
    let of = |plan: &Value| {
        let plan = Plan::parse(&plan.to_string()).unwrap();
        foresee(&prepare(plan, &names, b',', Purpose::Release).unwrap()).unwrap()
    };
    // What little is known of a pair is said beside what is known of the others.
    let (wide, most) = of(&plan(12_000, 0.7)).rehearsals.widest.unwrap();
    let sampling = |epsilon: f64| {
        let foreseen = of(&plan(12_000, epsilon));
        let pair = foreseen.rehearsals.terms.into_iter().find(|term| term.term == "sex:stage[M:IV]").unwrap();
        pair.sampling_std_error
    };
    assert!((sampling(1.0) / sampling(8.0) - 1.0).abs() < 1e-9, "{} {}", sampling(1.0), sampling(8.0));
    assert!(wide.contains(&"sex:stage[M:IV]".to_owned()) && (5.0..15.0).contains(&most), "{wide:?} {most}");
    // Of a level that one in 400 has, and of its pair, nothing is left.
    let mut rare = plan(12_000, 2.0);
    rare["columns"][2]["typical"] = json!({"shares": {"I": 0.5975, "II": 0.25, "III": 0.15, "IV": 0.0025}});
    let foreseen = of(&rare);
    assert_eq!(foreseen.rehearsals.lost, ["stage[IV]", "sex:stage[M:IV]"]);
    assert!(
        foreseen
            .sentences()
            .join(" ")
            .contains("No interval is expected for `stage[IV]` and `sex:stage[M:IV]`.")
    );
    assert!(foreseen.verdict().contains("not for all"), "{}", foreseen.verdict());
}

/// Returns in how many of the runs all coefficients have intervals.
fn full_runs(text: &str, plan: &Value) -> u64 {
    let names: Vec<String> = text.lines().next().unwrap().split(',').map(str::to_owned).collect();
    let prepared = prepare(Plan::parse(&plan.to_string()).unwrap(), &names, b',', Purpose::Simulate).unwrap();
    let simulation = simulation(prepared, text, 7);
    let is_full = |run: u64| {
        let release = simulation.run(run).unwrap();
        list(release.document()).iter().all(|entry| entry.term == "(Intercept)" || entry.lower.is_some())
    };
    (1..=RUNS).map(|run| u64::from(is_full(run))).sum()
}

/// The budget that is said to give full intervals, where rare pairs are lost, and where a yes is rare.
#[test]
fn the_budget_that_would_help_helps() {
    let pairs = levels_and_pressure(12_000);
    let mut rare = "age,stage,died\n".to_owned();
    for row in 0..4_000 {
        let mut rng = Pseudo::new(10, &[row]);
        let (age, point) = (65.0 + 12.0 * rng.normal(), 0.5 + 0.5 * rng.symmetric());
        let level = level_at(&[0.6, 0.36, 0.04], point);
        let odds = -2.6 + 0.03 * (age - 65.0) + 0.4 * level as f64;
        let died = 0.5 + 0.5 * rng.symmetric() < 1.0 / (1.0 + libm::exp(-odds));
        rare += &format!("{},{},{}\n", age.clamp(18.0, 95.0), ["a", "b", "c"][level], u8::from(died));
    }
    let logistic = |_: usize, epsilon: f64| {
        json!({
            "schema": "discreet.plan/1", "adjacency": "add-remove", "stated_rows": 4_000,
            "columns": [
                {"name": "age", "role": "feature", "type": "number", "lower": 18, "upper": 95, "typical": {"mean": 65, "sd": 12}},
                {"name": "stage", "role": "feature", "type": "category", "levels": ["a", "b", "c"],
                 "typical": {"shares": {"a": 0.6, "b": 0.36, "c": 0.04}}},
                {"name": "died", "role": "outcome", "type": "number", "lower": 0, "upper": 1, "typical": {"mean": 0.09, "sd": 0.29}},
            ],
            "mechanism": {"name": "adaptive-logistic"}, "budget": {"epsilon": epsilon, "delta": 1e-6},
        })
    };
    let plans = [
        (&pairs, 3_000, &plan_of_pairs as &dyn Fn(usize, f64) -> Value),
        (&pairs, 12_000, &plan_of_pairs),
        (&rare, 4_000, &logistic),
    ];
    let mut full = Vec::new();
    for (text, rows, plan) in plans {
        let text = head(text, rows);
        let names: Vec<String> = text.lines().next().unwrap().split(',').map(str::to_owned).collect();
        for epsilon in [0.3, 0.7, 1.5] {
            let parsed = Plan::parse(&plan(rows, epsilon).to_string()).unwrap();
            let foreseen = foresee(&prepare(parsed, &names, b',', Purpose::Release).unwrap()).unwrap();
            let needed = foreseen.needed.and_then(|needed| needed.epsilon);
            println!("{rows} {epsilon}: {} {}", foreseen.verdict(), foreseen.sentences().join(" "));
            let Some((_, enough)) = needed else { continue };
            let runs = full_runs(&text, &plan(rows, enough));
            println!("at {enough:.3}: {runs}");
            full.push(runs);
        }
    }
    assert!(full.len() >= 6 && full.iter().all(|runs| *runs >= RUNS - 3), "{full:?}");
    assert!(full.iter().filter(|runs| **runs < RUNS).count() <= 2, "{full:?}");
}

/// A number of which half of the values lie below a third of the mean: its logarithm is taken.
#[test]
fn a_number_whose_logarithm_is_taken_is_foreseen_as_skewed() {
    let mut text = "age,crp,sbp\n".to_owned();
    for row in 0..6_000 {
        let mut rng = Pseudo::new(9, &[row]);
        let (age, log) = (56.0 + 13.0 * rng.normal(), 1.1 + 1.1 * rng.normal());
        let sbp = 100.0 + 0.4 * age + 2.0 * log + 15.0 * rng.normal();
        text += &format!("{},{},{sbp}\n", age.clamp(18.0, 95.0), libm::exp(log).clamp(0.1, 300.0));
    }
    for typical in [json!({"mean": 5.5, "sd": 8.5}), Value::Null] {
        let plan = json!({
            "schema": "discreet.plan/1", "adjacency": "add-remove", "stated_rows": 6_000,
            "columns": [
                {"name": "age", "role": "feature", "type": "number", "lower": 18, "upper": 95, "typical": {"mean": 56, "sd": 13}},
                {"name": "crp", "role": "ignored", "type": "number", "lower": 0.1, "upper": 300, "typical": typical},
                {"name": "sbp", "role": "outcome", "type": "number", "lower": 40, "upper": 240, "typical": {"mean": 124, "sd": 16}},
            ],
            "derived": [{"transform": "log", "from": ["crp"]}],
            "mechanism": {"name": "adaptive-gauss"}, "budget": {"epsilon": 2, "delta": 1e-6},
        });
        let seen = look_at(&text, &plan);
        println!("{typical}: {:?} {} {:.2?}", seen.foreseen, seen.given, seen.each);
        assert!((seen.foreseen, seen.given) == (Some(true), RUNS), "{:?} {}", seen.foreseen, seen.given);
        assert!(
            seen.each.len() == 2 && seen.each.iter().all(|(_, ratio)| (0.75..=1.33).contains(ratio)),
            "{:?}",
            seen.each
        );
    }
}

/// Yes or no as a number, outcome and feature: equally frequent unless the plan says otherwise.
#[test]
fn numbers_that_are_0_or_1_are_foreseen_as_such() {
    for (share, typical) in
        [(0.5, Value::Null), (0.25, Value::Null), (0.1, json!({"mean": 0.13, "sd": 0.34}))]
    {
        let mut text = "age,treated,cured\n".to_owned();
        for row in 0..4_000 {
            let mut rng = Pseudo::new(7, &[row]);
            let (age, treated) = (56.0 + 13.0 * rng.normal(), f64::from(rng.symmetric() > 0.4));
            let chance = share * (1.0 + 0.5 * treated + 0.005 * (age - 56.0));
            let cured = f64::from(0.5 + 0.5 * rng.symmetric() < chance);
            text += &format!("{},{treated},{cured}\n", age.clamp(18.0, 95.0));
        }
        for (mechanism, epsilon) in [("adaptive-gauss", 2.0), ("adaptive-gauss", 8.0), ("analyze-gauss", 8.0)]
        {
            let plan = json!({
                "schema": "discreet.plan/1", "adjacency": "add-remove", "stated_rows": 4_000,
                "columns": [
                    {"name": "age", "role": "feature", "type": "number", "lower": 18, "upper": 95, "typical": {"mean": 56, "sd": 13}},
                    {"name": "treated", "role": "feature", "type": "number", "lower": 0, "upper": 1},
                    {"name": "cured", "role": "outcome", "type": "number", "lower": 0, "upper": 1, "typical": typical},
                ],
                "mechanism": {"name": mechanism}, "budget": {"epsilon": epsilon, "delta": 1e-6},
            });
            let seen = look_at(&text, &plan);
            println!(
                "{share} {mechanism} {epsilon}: {:?} {} {:.2?} {:.2?}",
                seen.foreseen, seen.given, seen.ratio, seen.each
            );
            assert!(
                seen.given < RUNS / 2 || seen.ratio.is_some_and(|ratio| (1.0 / 1.5..=1.5).contains(&ratio)),
                "{share} {mechanism} {epsilon}: {:?}",
                seen.ratio
            );
        }
    }
}

/// A readmission as a number, of which one in six is 1: residuals are clipped where an outcome between 0 and 1 can lie, and not where an
/// exponential tail would end, which made intervals twice to six times as wide.
#[test]
fn an_outcome_of_two_values_is_as_precise_as_foreseen() {
    let mut text = "age,bmi,sex,smoker,stage,back\n".to_owned();
    for row in 0..2_800 {
        let mut rng = Pseudo::new(8, &[row]);
        let (age, male) = (62.0 + 14.0 * rng.normal(), rng.symmetric() > 0.0);
        let level = level_at(&[0.35, 0.3, 0.2, 0.15], 0.5 + 0.5 * rng.symmetric());
        let chance = 0.08 + 0.002 * (age - 62.0) + 0.06 * level as f64;
        let back = f64::from(0.5 + 0.5 * rng.symmetric() < chance);
        let (sex, stage) = (if male { "M" } else { "F" }, ["I", "II", "III", "IV"][level]);
        let (bmi, smoker) = (27.0 + 5.0 * rng.normal(), if rng.symmetric() > 0.54 { "yes" } else { "no" });
        text += &format!("{},{bmi},{sex},{smoker},{stage},{back}\n", age.clamp(18.0, 95.0));
    }
    let plan = json!({
        "schema": "discreet.plan/1", "adjacency": "add-remove", "stated_rows": 2_800,
        "columns": [
            {"name": "age", "role": "feature", "type": "number", "lower": 18, "upper": 95, "typical": {"mean": 62, "sd": 14}},
            {"name": "bmi", "role": "feature", "type": "number", "lower": 12, "upper": 60, "typical": {"mean": 27, "sd": 5}},
            {"name": "sex", "role": "feature", "type": "category", "levels": ["F", "M"]},
            {"name": "smoker", "role": "feature", "type": "category", "levels": ["no", "yes"], "typical": {"share": 0.23}},
            {"name": "stage", "role": "feature", "type": "category", "levels": ["I", "II", "III", "IV"]},
            {"name": "back", "role": "outcome", "type": "number", "lower": 0, "upper": 1, "typical": {"mean": 0.16, "sd": 0.37}},
        ],
        "mechanism": {"name": "adaptive-gauss"}, "budget": {"epsilon": 1.36, "delta": 1e-5},
    });
    let seen = look_at(&text, &plan);
    println!("{:?} {} {:.2?}", seen.foreseen, seen.given, seen.each);
    assert!(seen.given >= RUNS - 1);
    assert!(seen.each.iter().all(|(_, ratio)| (1.0 / 1.5..=1.5).contains(ratio)), "{:?}", seen.each);
}

/// A category of four levels of which one is rare: equally frequent ones are assumed unless their shares are stated.
#[test]
fn stated_shares_of_levels_are_foreseen() {
    let (levels, shares) = (["I", "II", "III", "IV"], [0.6, 0.25, 0.12, 0.03]);
    let mut text = "age,stage,sbp\n".to_owned();
    for row in 0..6_000 {
        let mut rng = Pseudo::new(6, &[row]);
        let (age, point) = (56.0 + 13.0 * rng.normal(), 0.5 + 0.5 * rng.symmetric());
        let level = level_at(&shares, point);
        let sbp = 100.0 + 0.4 * age + 3.0 * level as f64 + 15.0 * rng.normal();
        text += &format!("{},{},{sbp}\n", age.clamp(18.0, 95.0), levels[level]);
    }
    let plan = |mechanism: &str, epsilon: f64, typical: &Value| {
        json!({
            "schema": "discreet.plan/1", "adjacency": "add-remove", "stated_rows": 6_000,
            "columns": [
                {"name": "age", "role": "feature", "type": "number", "lower": 18, "upper": 95, "typical": {"mean": 56, "sd": 13}},
                {"name": "stage", "role": "feature", "type": "category", "levels": levels, "typical": typical},
                {"name": "sbp", "role": "outcome", "type": "number", "lower": 40, "upper": 240, "typical": {"mean": 124, "sd": 16}},
            ],
            "mechanism": {"name": mechanism}, "budget": {"epsilon": epsilon, "delta": 1e-6},
        })
    };
    let known = json!({"shares": {"II": 0.25, "III": 0.12, "IV": 0.03, "I": 0.6}});
    for (mechanism, epsilon) in [("adaptive-gauss", 4.0), ("analyze-gauss", 12.0)] {
        let rarest = |typical: &Value| {
            let seen = look_at(&text, &plan(mechanism, epsilon, typical));
            println!("{mechanism} {epsilon} {typical}: {:?} {} {:.2?}", seen.foreseen, seen.given, seen.each);
            seen
        };
        let stated = rarest(&known);
        assert!(
            stated.each.iter().all(|(_, ratio)| (0.6..=1.6).contains(ratio)),
            "{mechanism} {:?}",
            stated.each
        );
        let ratio =
            |seen: &Seen| seen.each.iter().find(|(term, _)| term == "stage[IV]").map(|(_, ratio)| *ratio);
        assert!(
            ratio(&rarest(&Value::Null)).is_some_and(|ratio| ratio > 1.6),
            "{mechanism}: as if equally frequent"
        );
        // The rest is divided among those that are not named.
        let rest = ratio(&rarest(&json!({"shares": {"IV": 0.03}})));
        assert!(rest.is_some_and(|ratio| (0.6..=1.7).contains(&ratio)), "{mechanism} {rest:?}");
    }
    // Merged levels have the shares of their parts together.
    let mut merged = plan("adaptive-gauss", 4.0, &known);
    merged["columns"][1]["role"] = json!("ignored");
    merged["derived"] = json!([{"transform": "merged", "from": ["stage"], "name": "early", "groups": [{"name": "I or II", "levels": ["I", "II"]}]}]);
    let seen = look_at(&text, &merged);
    println!("merged: {:?} {} {:.2?}", seen.foreseen, seen.given, seen.each);
    assert!(seen.each.iter().any(|(term, _)| term == "early[IV]"), "{:?}", seen.each);
    assert!(seen.each.iter().all(|(_, ratio)| (0.6..=1.6).contains(ratio)), "{:?}", seen.each);
    for wrong in [
        json!({"shares": {"V": 0.1}}),
        json!({"shares": {}}),
        json!({"shares": {"I": 0.9, "II": 0.1, "III": 0.1, "IV": 0.1}}),
    ] {
        let plan = Plan::parse(&plan("adaptive-gauss", 4.0, &wrong).to_string()).unwrap();
        let names = ["age", "stage", "sbp"].map(str::to_owned);
        let error = prepare(plan, &names, b',', Purpose::Release).unwrap_err();
        let why = ["`V` has a share", "`typical` of a category is", "are 120 % together"];
        assert!(why.iter().any(|why| error.to_string().contains(why)), "{wrong}: {error}");
    }
}
